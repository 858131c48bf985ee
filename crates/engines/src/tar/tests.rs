//! Small programs whose answer is known.

use std::time::Duration;

use selvedge_ir::{Property, text};
use selvedge_passes::prepare;
use selvedge_smt::Limits;

use super::{Outcome, Tar};
use crate::system::{Options, System};

fn run(source: &str) -> Outcome {
    let program = text::parse("test.plato", source).expect("a good program");
    let properties = vec![Property::Assert];
    let passes = selvedge_passes::Options { properties, ..Default::default() };
    let prepared = prepare(&program, &passes);
    let system = System::build(&prepared, &Options::new(&passes.properties)).expect("a system");
    eprintln!("{}", system.listing(&prepared.program));
    let mut tar = Tar::new(system, Limits::until(std::time::Instant::now() + Duration::from_secs(20)));
    let outcome = tar.run();
    for p in &tar.predicates.list {
        eprintln!("{:?} {}", p.owner, tar.model.terms.show(p.term));
    }
    eprintln!("queries {} {outcome:?}", tar.abstraction.queries);
    outcome
}

const COUNTER: &str = "shared x: i32; shared m: thread;
    procedure inc() { local t: i32; lock m; t := x; x := t + 1; t := x; x := t - 1; unlock m; }
    procedure main() { local a: thread; local b: thread; local t: i32;
        a := spawn inc(); b := spawn inc(); lock m; t := x; assert t == 0 \"free\"; unlock m; }
    thread main main;";

#[test]
fn a_lock_protects_a_counter() {
    assert_eq!(run(COUNTER), Outcome::Safe);
}

#[test]
fn pool() {
    let source = "shared x: i32; shared m: thread;
    procedure inc() { local t: i32; lock m; t := x; assert t == 0; x := 1; t := x; assert t == 1; x := 0; unlock m; }
    thread any inc;";
    assert_eq!(run(source), Outcome::Safe);
}
