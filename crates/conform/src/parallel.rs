//! The parts of a program, two at a time.
//!
//! Parts do not depend on each other. By the clock they are decided at once, the composition first,
//! which is mostly the longest; by work they are decided one after another, so that the same work
//! leads to the same answers on every machine.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use selvedge_abstract_threads::Subject;
use selvedge_engines::Knobs;
use selvedge_verdict::{Budget, Obligation, Options, Proof, Run, Stop, obligations, part, stopped};

use crate::cores::Cores;
use crate::race::STACK;
use crate::{Part, decide_part};

/// What became of each part.
pub type Found = Vec<(Obligation, Result<Proof, Stop>)>;

/// Parts that are decided at a time.
const AT_ONCE: usize = 2;

/// Whether two things may be done at a time: there is a processor for each, and nobody asks for the
/// same answer on every machine.
pub fn at_once(run: &Run<'_>) -> bool {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    processors >= AT_ONCE && !run.clock().counts_work()
}

/// Decides all parts and tells of each, in the order of the obligations.
pub fn decide_all(
    subject: &Subject,
    options: &Options<Knobs>,
    run: &Run<'_>,
    hear: &mut dyn FnMut(&Part),
) -> Found {
    let order = obligations(subject);
    if !at_once(run) {
        return in_turn(subject, &order, options, run, hear);
    }
    let budget = Budget { time: run.remaining(), ..*run.budget() };
    let next = AtomicUsize::new(0);
    let cores = Cores::all();
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        let mut working = 0;
        for _ in 0..AT_ONCE {
            let (sender, next, order, budget) = (sender.clone(), &next, &order, &budget);
            let cores = &cores;
            let work = move || decide_next(subject, order, options, budget, next, cores, &sender);
            let started = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            working += usize::from(started.is_ok());
        }
        drop(sender);
        match working {
            0 => in_turn(subject, &order, options, run, hear),
            _ => collect(&order, &receiver, hear),
        }
    })
}

type Decided = (Option<Part>, Result<Proof, Stop>);

fn decide_next(
    subject: &Subject,
    order: &[Obligation],
    options: &Options<Knobs>,
    budget: &Budget,
    next: &AtomicUsize,
    cores: &Arc<Cores>,
    sender: &mpsc::Sender<(usize, Decided)>,
) {
    let run = Run::silent(*budget);
    let _taken = cores.take();
    loop {
        let taken = next.fetch_add(1, Ordering::Relaxed);
        if taken >= order.len() {
            return;
        }
        // From the end: the composition is the last obligation.
        let index = order.len() - 1 - taken;
        let decided = decide_one(subject, order[index], options, &run, cores);
        if sender.send((index, decided)).is_err() {
            return;
        }
    }
}

fn decide_one(
    subject: &Subject,
    obligation: Obligation,
    options: &Options<Knobs>,
    run: &Run<'_>,
    cores: &Arc<Cores>,
) -> Decided {
    match part(subject, obligation) {
        Err(refused) => (None, Err(stopped(refused))),
        Ok(program) => {
            let (part, proof) = decide_part(subject, obligation, &program, options, run, cores);
            (Some(part), proof)
        }
    }
}

fn in_turn(
    subject: &Subject,
    order: &[Obligation],
    options: &Options<Knobs>,
    run: &Run<'_>,
    hear: &mut dyn FnMut(&Part),
) -> Found {
    let mut found = Vec::new();
    let cores = Cores::all();
    for &obligation in order {
        let (part, proof) = decide_one(subject, obligation, options, run, &cores);
        part.iter().for_each(&mut *hear);
        found.push((obligation, proof));
    }
    found
}

/// Puts what comes in any order into that of the obligations.
fn collect(
    order: &[Obligation],
    receiver: &mpsc::Receiver<(usize, Decided)>,
    hear: &mut dyn FnMut(&Part),
) -> Found {
    let mut came: Vec<Option<Decided>> = order.iter().map(|_| None).collect();
    let mut found = Found::new();
    for (index, decided) in receiver {
        came[index] = Some(decided);
        while let Some((part, proof)) = came.get_mut(found.len()).and_then(Option::take) {
            part.iter().for_each(&mut *hear);
            found.push((order[found.len()], proof));
        }
    }
    found
}
