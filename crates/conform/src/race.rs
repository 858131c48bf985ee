//! Two engines at the same part at once: the first one with an answer counts.
//!
//! For any number of threads nobody knows beforehand which engine has the answer soon. The first one
//! begins at once, others as soon as a processor is free. The one that is not needed any more ends with
//! the next thing that it tells; who has the answer does not wait for it.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use selvedge_engines::{Engine, Knobs};
use selvedge_ir::Program;
use selvedge_verdict::{Budget, Options, Run, Stop, Verdict};

use crate::cores::{Cores, Lent};

/// What the last engine that was asked has said.
pub struct Decided {
    pub engine: Option<Engine>,
    pub verdict: Result<Verdict, Stop>,
}

/// The stack of a thread that decides parts: programs are trees of any depth.
pub const STACK: usize = 512 << 20;

/// Why an engine's thread has ended before its time.
struct NotNeeded;

/// Asks all engines at once, each with this budget; none if they could not be started.
pub fn race(
    engines: &[Engine],
    program: &Program,
    options: &Options<Knobs>,
    budget: &Budget,
    cores: &Arc<Cores>,
) -> Option<Decided> {
    let over = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    let mut working = Vec::new();
    for (index, &engine) in engines.iter().enumerate() {
        let entrant = Entrant {
            engine,
            program: program.clone(),
            options: options.clone(),
            budget: *budget,
            over: Arc::clone(&over),
            cores: (index > 0).then(|| Arc::clone(cores)),
        };
        let sender = sender.clone();
        // The first one works on the processor of who asks, which is then free for another.
        let lender = (index == 0).then(|| Arc::clone(cores));
        let work = move || {
            let verdict = entrant.run();
            let lent = lender.filter(|_| verdict.is_err()).map(|cores| cores.lend());
            // Nobody listens any more where the other one was first.
            let _ = sender.send((engine, verdict, lent));
        };
        working.extend(thread::Builder::new().stack_size(STACK).spawn(work));
    }
    drop(sender);
    let decided = first(&receiver);
    over.store(true, Ordering::Relaxed);
    if decided.is_none() {
        // Who has said nothing has a defect, which must not pass for the end of a budget.
        let defect = working.into_iter().find_map(|thread| thread.join().err());
        if let Some(defect) = defect {
            resume_unwind(defect);
        }
    }
    decided
}

type Answer = Result<Verdict, Stop>;

/// The first verdict, or what the last one says where there is none.
fn first(receiver: &mpsc::Receiver<(Engine, Answer, Option<Lent>)>) -> Option<Decided> {
    let mut last = None;
    let mut lent = Vec::new();
    for (engine, verdict, processor) in receiver {
        lent.extend(processor);
        let settled = match &verdict {
            Ok(_) => true,
            Err(stop) => stop.is_about_execution(),
        };
        last = Some(Decided { engine: Some(engine), verdict });
        if settled {
            break;
        }
    }
    last
}

struct Entrant {
    engine: Engine,
    program: Program,
    options: Options<Knobs>,
    budget: Budget,
    over: Arc<AtomicBool>,
    /// Where it has to wait for a processor.
    cores: Option<Arc<Cores>>,
}

impl Entrant {
    fn run(self) -> Result<Verdict, Stop> {
        let over = self.over;
        let begun = Instant::now();
        let _taken = match &self.cores {
            Some(cores) => match cores.wait(&over) {
                Some(taken) => Some(taken),
                None => resume_unwind(Box::new(NotNeeded)),
            },
            None => None,
        };
        let time = self.budget.time.map(|time| time.saturating_sub(begun.elapsed()));
        let mut run = Run::new(Budget { time, ..self.budget }, move |_| {
            if over.load(Ordering::Relaxed) {
                resume_unwind(Box::new(NotNeeded));
            }
        });
        selvedge_engines::verify(self.engine, &self.program, &self.options, &mut run)
    }
}
