//! Random single-threaded programs: the back end and the explicit search agree.

use selvedge_explore::verify_as_given;
use selvedge_ir::{
    Action, Expr, Grain, Mode, Multiplicity, ObjectId, Place, ProcId, Program, Property, Shape,
    Span, Thread, Type, text,
};
use selvedge_random as random;
use selvedge_verdict::{Budget, Stop, Verdict};

use super::super::{CheckResult, Options, SequentialProgram, prove};
use super::{checked, prepared, work};

/// One of the random program's workers, alone.
fn single(seed: u64) -> Option<Program> {
    let mut program = random::program(seed);
    let worker = program.procedure_named("worker0")?;
    let count = Multiplicity::Exactly(1);
    program.threads = vec![Thread { procedure: worker, count, main: true }];
    let threaded = |action: &Action| {
        matches!(action, Action::Spawn { .. } | Action::Join { .. } | Action::Wait(_))
    };
    let single = program.procedures[worker].edges().all(|(_, e)| !threaded(&e.action));
    if !seed.is_multiple_of(3) {
        open_inputs(&mut program, worker);
    }
    single.then_some(program)
}

/// Lets the integer variables start with inputs, so that little is constant.
fn open_inputs(program: &mut Program, worker: ProcId) {
    let scalars: Vec<(ObjectId, Type)> = program
        .objects
        .iter()
        .filter_map(|(id, object)| match program.layouts[object.layout].shape {
            Shape::Scalar(ty @ Type::Int(_)) => Some((id, ty)),
            _ => None,
        })
        .collect();
    let body = &mut program.procedures[worker];
    for (object, ty) in scalars {
        let local = body.add_local(format!("input{}", object.as_u32()), ty, true);
        let first = body.add_location(Grain::Yield);
        let second = body.add_location(Grain::Yield);
        let (to, value, mode) = (Place::object(object, 0, ty), Expr::Local(local), Mode::Plain);
        body.add_edge(first, Action::Havoc { to: local }, second, Span::NONE);
        body.add_edge(second, Action::Store { to, value, mode }, body.entry, Span::NONE);
        body.entry = first;
    }
}

/// What is known of a program, by either method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    Safe,
    Unsafe,
    Open,
}

fn searched(program: &Program, properties: &[Property]) -> Truth {
    let own =
        selvedge_explore::Own { max_states: Some(20_000), ..selvedge_explore::Own::default() };
    let options = selvedge_verdict::Options::with(properties, own);
    let mut run = selvedge_verdict::Run::silent(Budget::unlimited());
    match verify_as_given(program, &options, &mut run) {
        Ok(Verdict::Safe(_)) => Truth::Safe,
        Ok(Verdict::Unsafe(_)) => Truth::Unsafe,
        Err(Stop::Unconfirmed { what }) => panic!("{what}"),
        Err(_) => Truth::Open,
    }
}

fn decided(program: &Program, properties: &[Property]) -> Truth {
    match checked(program, properties, &Options::unwind(4)) {
        CheckResult::Correct(_) => Truth::Safe,
        CheckResult::Wrong(_) => Truth::Unsafe,
        CheckResult::Bounded(_) => Truth::Open,
    }
}

/// Whether invariants prove the program.
fn proved(program: &Program, properties: &[Property], units: u64) -> bool {
    let prepared = prepared(program, properties);
    let sequential = SequentialProgram::from_single(&prepared, properties).expect("one thread");
    let (limits, time) = work(units);
    prove(&sequential, &limits, time).is_some()
}

/// No program that goes wrong is proved, and some of the others are.
fn compare_proofs(seeds: std::ops::Range<u64>, units: u64) {
    let mut count = 0;
    for seed in seeds {
        let Some(program) = single(seed) else { continue };
        for properties in [&[Property::Assert][..], &[Property::Assert, Property::Memory]] {
            if proved(&program, properties, units) {
                count += 1;
                let searched = searched(&program, properties);
                let text = || text::print(&program);
                assert_ne!(searched, Truth::Unsafe, "seed {seed} {properties:?}\n{}", text());
            }
        }
    }
    assert!(count > 0, "some are proved");
}

fn compare(seeds: std::ops::Range<u64>) {
    let mut counts = [0u32; 3];
    for seed in seeds {
        let Some(program) = single(seed) else { continue };
        for properties in [&[Property::Assert][..], &[Property::Assert, Property::Memory]] {
            let searched = searched(&program, properties);
            let decided = decided(&program, properties);
            counts[decided as usize] += 1;
            let agree = searched == Truth::Open || decided == Truth::Open || searched == decided;
            assert!(
                agree,
                "seed {seed} {properties:?}: search {searched:?}, back end {decided:?}\n{}",
                text::print(&program)
            );
        }
    }
    assert!(counts.iter().all(|&n| n > 0), "all answers occur: {counts:?}");
}

#[test]
fn proofs_agree_with_the_search() {
    compare_proofs(0..150, 200_000);
}

#[test]
fn agrees_with_the_search() {
    compare(0..600);
}
