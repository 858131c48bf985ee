//! Random C programs: Selvedge agrees with real compilers.
//!
//! A few programs by default; `SELVEDGE_RANDOM=20000` for more, `SELVEDGE_SEED` to start elsewhere,
//! `SELVEDGE_JOBS` for several at a time, `SELVEDGE_CSMITH=1` for csmith's programs instead of our
//! own. `cargo xtask fuzz c N` sets these. Programs that differ are kept in `target/fuzz`.

use std::path::PathBuf;

use selvedge_random_c::{Campaign, Report, csmith_programs, own_programs};

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The folder `fuzz` beside Cargo's folder for tests.
fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).with_file_name("fuzz");
    std::fs::create_dir_all(&folder).expect("a folder for the programs");
    folder
}

#[test]
fn real_executions_and_ours_agree() {
    let folder = folder();
    let campaign = Campaign {
        first: number("SELVEDGE_SEED", 0),
        count: number("SELVEDGE_RANDOM", 30),
        jobs: number("SELVEDGE_JOBS", 1) as usize,
        folder: &folder,
    };
    let report: Report = match number("SELVEDGE_CSMITH", 0) {
        0 => own_programs(campaign),
        _ => csmith_programs(campaign),
    };
    println!("{report}");
    assert!(report.differences.is_empty(), "{report}");
    assert!(report.agree > report.programs / 4, "few answers: the programs test nothing\n{report}");
}
