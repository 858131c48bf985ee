//! Moves of small programs, as formulas and as executions.

use selvedge_exec::Options;
use selvedge_ir::{Program, Property, text};
use selvedge_passes::{Prepared, prepare};
use selvedge_smt::Limits;

use super::search::search;
use super::{Found, Move, Name, Run, check, trace};
use crate::system::{self, At, Bad, End, System, TemplateId};

struct Case {
    program: Program,
    prepared: Prepared,
    system: System,
}

fn case(source: &str) -> Case {
    let program = text::parse("test.plato", source).expect("a good program");
    let properties = vec![Property::Assert];
    let prepared =
        prepare(&program, &selvedge_passes::Options { properties, ..Default::default() });
    let options = system::Options::new(&[Property::Assert]);
    let system = System::build(&prepared, &options).expect("a system");
    Case { program, prepared, system }
}

impl Case {
    /// The steps of a thread from its entry to its end, or to a failing assertion.
    fn path(&self, thread: Name, wrong: bool, starts: &[Name]) -> Vec<Move> {
        let template = &self.system.templates[thread.template.index()];
        let mut at = template.entry;
        let mut moves = Vec::new();
        let mut starts = starts.iter().copied();
        loop {
            let steps = template.steps.iter().enumerate().filter(|(_, s)| s.from == at);
            let mut steps: Vec<_> = steps.collect();
            let is_wrong = |end: &End| matches!(end, End::Bad(Bad::Wrong { .. }));
            let failing = steps.iter().position(|(_, s)| wrong && is_wrong(&s.end));
            let position = failing.or(steps.iter().position(|(_, s)| matches!(s.end, End::To(_))));
            let (index, step) = steps.swap_remove(position.expect("a way on"));
            let starts = starts.by_ref().take(step.spawns.len()).collect();
            moves.push(Move { thread, step: index, starts });
            match step.end {
                End::To(next @ At::Cut(_)) => at = next,
                _ => return moves,
            }
        }
    }

    fn confirm(&self, run: &Run, model: &selvedge_smt::Model) {
        let options = Options::new(&[Property::Assert]);
        let trace = trace(&self.program, &self.prepared, &options, &self.system, run, model);
        if let Err(what) = trace {
            panic!("{what}\n{}", self.system.listing(&self.prepared.program));
        }
    }
}

const COUNTER: &str = "shared x: i32; shared m: thread;
    procedure inc() { local t: i32; LOCK t := x; x := t + 1; UNLOCK }
    procedure main() { local a: thread; local b: thread;
        a := spawn inc(); b := spawn inc(); join a; join b;
        assert x == 2 \"sum\"; }
    thread main main;";

fn names() -> [Name; 3] {
    [0, 1, 2].map(|i| Name::instance(TemplateId(i)))
}

#[test]
fn an_order_that_loses_an_update_is_found_and_confirmed() {
    let mut case = case(&COUNTER.replace("UNLOCK", "").replace("LOCK", ""));
    let [main, a, b] = names();
    let paths = [case.path(main, true, &[]), case.path(a, false, &[]), case.path(b, false, &[])];
    let mut paths = paths.to_vec();
    paths[0][0].starts = vec![a, b];
    let order = search(&mut case.system, &paths, 1000, &Limits::none()).expect("an answer");
    let order = order.expect("an order");
    case.confirm(&order.run, &order.model);
}

#[test]
fn a_lock_leaves_no_such_order() {
    let mut case = case(&COUNTER.replace("UNLOCK", "unlock m;").replace("LOCK", "lock m;"));
    let [main, a, b] = names();
    let mut paths =
        vec![case.path(main, true, &[]), case.path(a, false, &[]), case.path(b, false, &[])];
    paths[0][0].starts = vec![a, b];
    let order = search(&mut case.system, &paths, 1000, &Limits::none()).expect("an answer");
    assert!(order.is_none(), "{:?}", order.map(|o| o.run.moves));
}

#[test]
fn moves_that_cannot_happen_name_those_that_matter() {
    let mut case = case(&COUNTER.replace("UNLOCK", "").replace("LOCK", ""));
    let [main, a, b] = names();
    let mut moves = case.path(main, true, &[]);
    moves[0].starts = vec![a, b];
    // Nobody ends before the joins.
    let run = Run::of(&mut case.system, &moves);
    match check(&case.system, &run, &Limits::none()) {
        Found::Impossible(needed) => assert!(!needed.is_empty() && needed.len() < moves.len()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn inputs_and_threads_of_pools_are_followed() {
    let mut case = case(
        "shared x: i32;
        procedure worker(k: i32) { local t: i32; havoc t; assume t > k; x := t; assert t != 9; }
        procedure main() { local c: bool; havoc c;
            while (c) { spawn worker(7); havoc c; } }
        thread main main;",
    );
    let main = Name::instance(TemplateId(0));
    let worker = Name { template: TemplateId(1), number: 1 };
    let template = &case.system.templates[0];
    let starting = template.steps.iter().position(|s| !s.spawns.is_empty()).expect("a spawn");
    let mut moves = Vec::new();
    if template.steps[starting].from != template.entry {
        let to = End::To(template.steps[starting].from);
        let first = template.steps.iter().position(|s| s.from == template.entry && s.end == to);
        moves.push(Move { thread: main, step: first.expect("a way"), starts: vec![] });
    }
    moves.push(Move { thread: main, step: starting, starts: vec![worker] });
    moves.extend(case.path(worker, true, &[]));
    let run = Run::of(&mut case.system, &moves);
    match check(&case.system, &run, &Limits::none()) {
        Found::Possible(model) => case.confirm(&run, &model),
        other => panic!("{other:?}\n{}", case.system.listing(&case.prepared.program)),
    }
}
