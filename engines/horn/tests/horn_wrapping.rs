//! Machine integers in `horn`: only what wraps around is taken to do so.

use std::time::Duration;

use selvedge_horn::{self, Found, Options};
use selvedge_ir::{Property, text};

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
    let options =
        Options { time: Some(Duration::from_secs(60)), ..Options::new(&[Property::Assert]) };
    let mut log = Vec::new();
    let found = horn::verify(&program, &options, &mut |round| log.push(round.to_string()));
    assert!(matches!(found, Ok(Found::Safe(..))), "{found:?}\n{log:#?}");
    let last = log.last().map(String::as_str).unwrap_or_default();
    assert!(last.contains("wrapping in line 9"), "{log:#?}");
    assert!(last.contains("proved"), "{log:#?}");
}
