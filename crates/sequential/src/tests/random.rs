//! Random single-threaded programs: the back end and the explicit search agree.

use std::time::Duration;

use selvedge_exec::{Stop, Verdict};
use selvedge_explore::{self as explore, explore_as_given};
use selvedge_ir::{
    Action, Expr, Grain, Mode, Multiplicity, ObjectId, Place, ProcId, Program, Property, Shape,
    Span, Thread, Type, text,
};
use selvedge_random;
use selvedge_smt::Limits;

use super::super::{Answer, Options, SequentialProgram, prove};
use super::{answer, prepared};

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Safe,
    Unsafe,
    Open,
}

fn searched(program: &Program, properties: &[Property]) -> Said {
    let options =
        explore::Options { max_states: Some(20_000), ..explore::Options::new(properties) };
    match explore_as_given(program, &options, &mut |_| {}) {
        Ok(Verdict::Safe(_)) => Said::Safe,
        Ok(Verdict::Unsafe(_)) => Said::Unsafe,
        Err(Stop::Unconfirmed { what }) => panic!("{what}"),
        Err(_) => Said::Open,
    }
}

fn decided(program: &Program, properties: &[Property]) -> Said {
    match answer(program, properties, &Options::unwind(4)) {
        Answer::Correct(_) => Said::Safe,
        Answer::Wrong(_) => Said::Unsafe,
        Answer::Bounded(_) => Said::Open,
    }
}

/// Whether invariants prove the program.
fn proved(program: &Program, properties: &[Property], time: Duration) -> bool {
    let prepared = prepared(program, properties);
    let sequential = SequentialProgram::from_single(&prepared, properties).expect("one thread");
    prove(&sequential, &Limits::none(), time).is_some()
}

/// No program that goes wrong is proved, and some of the others are.
fn compare_proofs(seeds: std::ops::Range<u64>, time: Duration) {
    let mut count = 0;
    for seed in seeds {
        let Some(program) = single(seed) else { continue };
        for properties in [&[Property::Assert][..], &[Property::Assert, Property::Memory]] {
            if proved(&program, properties, time) {
                count += 1;
                let searched = searched(&program, properties);
                let text = || text::print(&program);
                assert_ne!(searched, Said::Unsafe, "seed {seed} {properties:?}\n{}", text());
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
            let agree = searched == Said::Open || decided == Said::Open || searched == decided;
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
    compare_proofs(0..150, Duration::from_millis(200));
}

#[test]
fn agrees_with_the_search() {
    compare(0..600);
}
