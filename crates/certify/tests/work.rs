//! The checker keeps to its limits.

use selvedge_budget::{Clock, Moment};
use selvedge_certify::{Arithmetic, Certificate, Rejected, check};
use selvedge_ir::{Program, text};
use selvedge_passes::Options;
use selvedge_smt::{Limits, Reason};

/// A certificate without relations, checked with so much work; what came of it, and what was spent.
fn checked(program: &Program, units: u64) -> (Option<Rejected>, u64) {
    let certificate = Certificate::new("nobody", program, &Options::default(), Arithmetic::Bits);
    let clock = Clock::counting();
    let limits = Limits::until(&clock, Moment::START + Clock::time_for(units));
    (check(program, &certificate, &limits).err(), clock.spent())
}

fn is_out_of_work(rejected: &Option<Rejected>) -> bool {
    matches!(rejected, Some(Rejected::Undecided { reason: Reason::Time, .. }))
}

#[test]
fn preparation_keeps_to_the_work() {
    let mut source = String::from("shared x: i32; procedure f0(n: i32) { x := x + n; }\n");
    for level in 1..=30 {
        let below = level - 1;
        source += &format!(
            "procedure f{level}(n: i32) {{ call f{below}(n + 1); call f{below}(n + 2); }}\n"
        );
    }
    source += "procedure main() { call f30(3); } thread main main;";
    let program = text::parse("test", &source).expect("a good program");
    let (rejected, spent) = checked(&program, 200_000);
    assert!(is_out_of_work(&rejected), "{rejected:?}");
    // Inlining copies one procedure of at most 200000 edges before it looks again.
    assert!(spent < 700_000, "{spent}");
}

#[test]
fn paths_and_questions_keep_to_the_work() {
    // Two ways at each of the conditions, and no cut between them.
    let branch = "if (x > y) { t := t + 1; } else { t := t * 3; }\n".repeat(12);
    let source = format!(
        "shared x: i32; shared y: i32;
         procedure worker() {{ local t: i32 = 0; atomic {{ {branch} x := t; }} assert x < 7 \"small\"; }}
         thread 2 worker;"
    );
    let program = text::parse("test", &source).expect("a good program");
    let (rejected, needed) = checked(&program, u64::MAX);
    assert!(!is_out_of_work(&rejected), "{rejected:?}");
    for share in [2, 4, 16] {
        let (rejected, spent) = checked(&program, needed / share);
        assert!(is_out_of_work(&rejected), "{rejected:?}");
        assert!(spent <= needed / share + 20_000, "{spent} of {}", needed / share);
    }
}
