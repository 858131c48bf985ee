//! Random programs: all ways of exploring them agree.
//!
//! A few hundred by default; `SELVEDGE_RANDOM=10000` for more, `SELVEDGE_SEED` to start elsewhere.

use selvedge_random::campaign;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn reduced_and_unreduced_searches_agree() {
    let report = campaign(number("SELVEDGE_RANDOM", 300), number("SELVEDGE_SEED", 0));
    println!("{report}");
    assert!(report.disagreements.is_empty(), "{report}");
}
