//! Machine integers in `horn`: only what wraps around is taken to do so.

use selvedge_horn::{Own, verify};
use selvedge_ir::{Property, text};
use selvedge_verdict::{Budget, Event, Measure, Options, Round, RoundResult, Run, Verdict};

/// Units of work.
const WORK: u64 = 60_000_000;

/// The ticks wrap around, the number of threads inside does not.
const TICKS: &str = "shared ticks: u8; shared inside: u8; shared m: thread;
procedure worker() { local t: u8;
    while (true) {
        lock m;
        t := inside; inside := t + 1;
        t := inside; assert t == 1;
        inside := t - 1;
        unlock m;
        atomic { t := ticks; ticks := t + 1; }
        assert t <= 255;
    } }
thread any worker;";

#[test]
fn only_what_wraps_around_is_modular() {
    let program = text::parse("test.plato", TICKS).expect("a good program");
    let options: Options<Own> = Options::new(&[Property::Assert]);
    let mut rounds: Vec<Round> = Vec::new();
    let mut run = Run::new(Budget::work(WORK), |event| {
        if let Event::Round(round) = event {
            rounds.push(round);
        }
    });
    let found = verify(&program, &options, &mut run);
    drop(run);
    assert!(matches!(found, Ok(Verdict::Safe(_))), "{found:?}\n{rounds:#?}");
    let last = rounds.last().expect("a round");
    assert_eq!(last.measure("wrapping"), Some(&Measure::Text("in line 9".into())), "{rounds:#?}");
    assert_eq!(last.result, RoundResult::Proof, "{rounds:#?}");
}
