//! Tests of the passes on programs in text form. After each pass the program must be well-formed,
//! and each thread's visible actions must still be there.

mod analyses;
mod fields;
mod limits;
mod memory;
mod promotion;
mod reduction;
mod transformations;

use selvedge_ir::{Action, Grain, LocationId, Procedure, Program, Property, Span, check, text};

use crate::limits::Limits;
use crate::options::Options;
use crate::prepare::{Stage, Stages};

/// A procedure of one location that is entry and exit.
pub fn empty_procedure(name: &str) -> Procedure {
    let mut procedure = Procedure {
        name: name.to_owned(),
        params: Vec::new(),
        result: None,
        locals: Default::default(),
        locations: Default::default(),
        entry: LocationId::from_u32(0),
        exit: LocationId::from_u32(0),
        span: Span::NONE,
    };
    procedure.add_location(Grain::Yield);
    procedure
}

#[track_caller]
fn parsed(text: &str) -> Program {
    let program = text::parse("test", text).unwrap_or_else(|errors| panic!("{errors:#?}"));
    well_formed(&program);
    program
}

#[track_caller]
fn well_formed(program: &Program) {
    let violations = check::check(program);
    assert!(violations.is_empty(), "{}", check::listing(program, &violations));
}

fn checking(properties: &[Property]) -> Options {
    Options { properties: properties.to_vec(), ..Options::default() }
}

/// The program after a stage, each stage before it checked too.
#[track_caller]
fn after(text: &str, stage: Stage, options: &Options) -> Program {
    let lowered = parsed(text);
    for earlier in Stage::ALL.into_iter().filter(|earlier| *earlier <= stage) {
        let mut stages = Stages::new(&lowered, options);
        stages.run(earlier, &Limits::none()).expect("no limits");
        well_formed(&stages.program);
    }
    let mut stages = Stages::new(&lowered, options);
    stages.run(stage, &Limits::none()).expect("no limits");
    stages.program
}

/// The listing of one procedure, without source places.
fn body(program: &Program, name: &str) -> String {
    let text = text::print(program);
    let head = format!("procedure {name}(");
    let start = text.find(&head).unwrap_or_else(|| panic!("no {name} in\n{text}"));
    let lines = text[start..].lines().skip(1).take_while(|line| *line != "}");
    let without_place = |line: &str| match line.rfind(" @f0:") {
        Some(place) => format!("{};", &line[..place]),
        None => line.to_owned(),
    };
    lines.map(|line| without_place(line.trim())).collect::<Vec<_>>().join("\n")
}

/// Compares the body of `main` after a stage with the lines expected.
#[track_caller]
fn expect(text: &str, stage: Stage, name: &str, expected: &str) {
    let program = after(text, stage, &Options::default());
    let lines: Vec<&str> = expected.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    assert_eq!(body(&program, name), lines.join("\n"));
}

/// How many actions of the program satisfy the test.
fn count(program: &Program, test: impl Fn(&Action) -> bool) -> usize {
    program.procedures.values().flat_map(|p| p.edges()).filter(|(_, e)| test(&e.action)).count()
}

/// The names of the regions that the accesses of a procedure go to, in order of locations.
fn regions_of(program: &Program, name: &str) -> Vec<String> {
    let id = program.procedure_named(name).expect("the procedure exists");
    program.procedures[id]
        .edges()
        .filter_map(|(_, edge)| edge.action.place()?.region)
        .map(|region| program.regions[region].name.clone())
        .collect()
}
