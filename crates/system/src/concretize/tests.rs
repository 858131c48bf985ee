//! Moves of small programs, as formulas and as executions.

use selvedge_budget::Clock;
use selvedge_exec::Options;
use selvedge_ir::{Program, Property, text};
use selvedge_passes::{Prepared, prepare};
use selvedge_random as random;
use selvedge_smt::translate::{Arithmetic, Wrap};
use selvedge_smt::{Limits, Reason};
use selvedge_verdict::{Budget, Verdict};

use super::search::search;
use super::switches::{Goal, Hit, Switches};
use super::{Feasibility, MOVE, Move, Name, Run, check, trace};
use crate::{At, Bad, End, System, TemplateId};

struct Case {
    program: Program,
    prepared: Prepared,
    system: System,
}

fn case(source: &str) -> Case {
    let program = text::parse("test.plato", source).expect("a good program");
    case_of(program, &[Property::Assert]).expect("a system")
}

fn case_of(program: Program, checked: &[Property]) -> Option<Case> {
    let properties = checked.to_vec();
    let prepared =
        prepare(&program, &selvedge_passes::Options { properties, ..Default::default() });
    let arithmetic = Arithmetic::Integers(Wrap::Modular);
    let options = crate::Options { arithmetic, ..crate::Options::new(checked) };
    let system = System::build(&prepared, &options).ok()?;
    Some(Case { program, prepared, system })
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
fn with_a_lock_no_order_loses_an_update() {
    let mut case = case(&COUNTER.replace("UNLOCK", "unlock m;").replace("LOCK", "lock m;"));
    let [main, a, b] = names();
    let mut paths =
        vec![case.path(main, true, &[]), case.path(a, false, &[]), case.path(b, false, &[])];
    paths[0][0].starts = vec![a, b];
    let order = search(&mut case.system, &paths, 1000, &Limits::none()).expect("an answer");
    assert!(order.is_none(), "{:?}", order.map(|o| o.run.moves));
}

#[test]
fn infeasible_moves_come_with_a_core() {
    let mut case = case(&COUNTER.replace("UNLOCK", "").replace("LOCK", ""));
    let [main, a, b] = names();
    let mut moves = case.path(main, true, &[]);
    moves[0].starts = vec![a, b];
    // Nobody ends before the joins.
    let run = Run::of(&mut case.system, &moves);
    match check(&case.system, &run, &Limits::none()) {
        Feasibility::Impossible(needed) => {
            assert!(!needed.is_empty() && needed.len() < moves.len())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn moves_with_inputs_and_threads_of_a_pool_are_confirmed() {
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
        Feasibility::Possible(model) => case.confirm(&run, &model),
        other => panic!("{other:?}\n{}", case.system.listing(&case.prepared.program)),
    }
}

/// All that can go wrong.
fn goals(system: &System) -> Vec<Goal> {
    let mut goals = Vec::new();
    for (id, template) in system.numbered() {
        for (step, _) in template.steps.iter().enumerate() {
            goals.push(Goal::Wrong(id, step as u32));
        }
        for (other, against) in system.numbered() {
            for (own, a) in template.accesses.iter().enumerate() {
                for (its, b) in against.accesses.iter().enumerate() {
                    let conflict = a.region == b.region && a.write && !(a.atomic && b.atomic);
                    let race = Goal::Race((id, own as u32), (other, its as u32));
                    goals.extend(conflict.then_some(race));
                }
            }
        }
    }
    goals
}

/// What is found among so many states, and whether that was all there is.
fn few_switches(case: &mut Case, states: usize) -> (Option<Hit>, bool) {
    let goals = goals(&case.system);
    let mut switches = Switches::new(&mut case.system, goals, &Limits::none());
    let hit = switches.go(&mut case.system, states, &Limits::none());
    (hit, switches.is_over())
}

#[test]
fn few_switches_find_a_lost_update_unless_there_is_a_lock() {
    let mut open = case(&COUNTER.replace("UNLOCK", "").replace("LOCK", ""));
    let (hit, _) = few_switches(&mut open, 1_000);
    let hit = hit.expect("an update is lost");
    open.confirm(&hit.run, &hit.model);
    let mut locked = case(&COUNTER.replace("UNLOCK", "unlock m;").replace("LOCK", "lock m;"));
    let (hit, over) = few_switches(&mut locked, 1_000);
    assert!(hit.is_none() && over);
}

/// One client must have come and gone before two others meet.
#[test]
fn few_switches_use_several_threads_of_a_pool() {
    let mut case = case(
        "shared users: i32; shared m: thread; shared down: bool;
        procedure open() { local t: i32; lock m; t := users; users := t + 1; unlock m; }
        procedure close() { local t: i32; lock m; t := users;
            if (t > 0) { users := t - 1; if (t == 2) { down := true; } } unlock m; }
        procedure watch() { local d: bool; d := down; assert !d; }
        thread any open; thread any close; thread any watch;",
    );
    let (hit, _) = few_switches(&mut case, 5_000);
    let hit = hit.expect("three of them meet");
    assert!(hit.run.moves.iter().filter(|m| m.thread.template == TemplateId(0)).count() >= 2);
    case.confirm(&hit.run, &hit.model);
}

/// Whether the system has every execution of the program.
fn follows_all(system: &System) -> bool {
    let mut steps = system.templates.iter().flat_map(|template| &template.steps);
    steps.all(|s| matches!(s.end, End::To(_) | End::Bad(Bad::Wrong { .. })))
}

fn exhaustive(program: &Program, properties: &[Property]) -> Result<Verdict, selvedge_exec::Stop> {
    let own = selvedge_explore::Own {
        max_states: Some(20_000),
        walks: false,
        ..selvedge_explore::Own::default()
    };
    let options = selvedge_verdict::Options::with(properties, own);
    let mut run = selvedge_verdict::Run::silent(Budget::unlimited());
    selvedge_explore::verify(program, &options, &mut run)
}

#[test]
fn few_switches_and_an_exhaustive_search_agree() {
    let (mut shown, mut none) = (0, 0);
    for seed in 0..120 {
        let properties = [Property::Assert, Property::Race];
        let Some(mut case) = case_of(random::program(seed), &properties) else { continue };
        let (hit, over) = few_switches(&mut case, 400);
        let known = exhaustive(&case.program, &properties);
        match (hit, known) {
            (Some(hit), known) => {
                let options = Options::new(&properties);
                let Hit { run, model, .. } = hit;
                let found =
                    trace(&case.program, &case.prepared, &options, &case.system, &run, &model);
                let pools = case.system.templates.iter().any(|template| template.pool);
                assert!(found.is_ok() || pools, "seed {seed}: {found:?}");
                assert!(found.is_err() || !matches!(known, Ok(Verdict::Safe(_))), "seed {seed}");
                shown += 1;
            }
            (None, Ok(Verdict::Unsafe(counterexample))) if over && follows_all(&case.system) => {
                let outcome = &counterexample.trace().outcome;
                panic!("seed {seed}: missed\n{outcome}\n{}", text::print(&case.program));
            }
            (None, _) => none += 1,
        }
    }
    assert!(shown > 20 && none > 20, "{shown} shown, {none} not");
}

/// Limits of so many moves.
fn moves(number: u64) -> Limits {
    let clock = Clock::counting();
    let end = clock.now() + Clock::time_for(number * MOVE);
    Limits::until(&clock, end)
}

#[test]
fn searches_end_with_the_work() {
    let mut case = case(&COUNTER.replace("UNLOCK", "unlock m;").replace("LOCK", "lock m;"));
    let [main, a, b] = names();
    let mut paths =
        vec![case.path(main, true, &[]), case.path(a, false, &[]), case.path(b, false, &[])];
    paths[0][0].starts = vec![a, b];
    let order = search(&mut case.system, &paths, 1000, &moves(2));
    assert_eq!(order.err(), Some(Reason::Time));
    let (goals, limits) = (goals(&case.system), moves(10));
    let mut switches = Switches::new(&mut case.system, goals, &limits);
    assert!(switches.go(&mut case.system, 1_000, &limits).is_none());
    assert!(!switches.is_over() && switches.states < 10);
}
