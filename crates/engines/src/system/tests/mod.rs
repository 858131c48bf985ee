//! Systems of small programs.

use selvedge_ir::{Program, Property, text};
use selvedge_passes::{Prepared, prepare};

use super::{End, Options, System};

fn parse(source: &str) -> Program {
    text::parse("test.plato", source).expect("a good program")
}

fn prepared(program: &Program, properties: &[Property]) -> Prepared {
    let properties = properties.to_vec();
    prepare(program, &selvedge_passes::Options { properties, ..Default::default() })
}

fn system(source: &str) -> (Prepared, System) {
    let prepared = prepared(&parse(source), &[Property::Assert]);
    let system = System::build(&prepared, &Options::new(&[Property::Assert])).expect("a system");
    (prepared, system)
}

const LOST_UPDATE: &str = "shared x: i32;
    procedure inc() { local t: i32; t := x; x := t + 1; }
    procedure main() { local a: thread; local b: thread;
        a := spawn inc(); b := spawn inc(); join a; join b;
        assert x == 2 \"sum\"; }
    thread main main;";

#[test]
fn spawns_that_are_passed_once_are_instances() {
    let (prepared, system) = system(LOST_UPDATE);
    let names: Vec<&str> = system.templates.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["main", "inc", "inc#2"], "{}", system.listing(&prepared.program));
    let shared: Vec<&str> = system.shared.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(shared, ["x", "inc.done", "inc#2.done"]);
}

#[test]
fn one_bad_step_for_each_way_to_go_wrong() {
    let (prepared, system) = system(LOST_UPDATE);
    let bad = system.templates.iter().flat_map(|t| &t.steps).filter_map(|step| match &step.end {
        End::Bad(bad) => Some(bad.to_string()),
        End::To(_) => None,
    });
    let bad: Vec<String> = bad.collect();
    let expected = ["assert: sum", "wraps around", "wraps around"];
    assert_eq!(bad, expected, "{}", system.listing(&prepared.program));
}
