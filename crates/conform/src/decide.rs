//! Which engines decide a part, and for how long each.

use std::sync::Arc;
use std::time::Duration;

use selvedge_engines::{Engine, Knobs};
use selvedge_ir::{Multiplicity, Program};
use selvedge_verdict::{Budget, Counterexample, Options, Run, Verdict};

use crate::cores::Cores;
use crate::race::{Decided, race};

/// The check of a thread is searched for this long, before invariants are looked for.
const SHORTLY: Duration = Duration::from_millis(200);

/// The first look for a proof of a composition of any number of threads.
const FIRST: Duration = Duration::from_secs(8);

/// An engine, or two at once, and how much of what is left they get.
pub type Plan = Vec<(&'static [Engine], Share)>;

#[derive(Clone, Copy, Debug)]
pub enum Share {
    /// At most so long.
    Within(Duration),
    Part(f64),
}

const EXPLORE: &[Engine] = &[Engine::Explore];
const HORN: &[Engine] = &[Engine::Horn];
const COVER: &[Engine] = &[Engine::Cover];
const BOTH: &[Engine] = &[Engine::Cover, Engine::Horn];

/// For the check of a thread, or for a composition of some threads; `at_once` says whether two engines
/// may work at the same time.
pub fn plan(threads: Option<Multiplicity>, at_once: bool) -> Plan {
    match threads {
        None => vec![(EXPLORE, Share::Within(SHORTLY)), (HORN, Share::Part(0.6))],
        Some(Multiplicity::Exactly(_)) => {
            vec![(EXPLORE, Share::Part(0.5)), (HORN, Share::Part(0.5)), (COVER, Share::Part(1.0))]
        }
        // Each of them is fast on what it can do at all.
        Some(Multiplicity::Any) if at_once => vec![(BOTH, Share::Part(1.0))],
        Some(Multiplicity::Any) => vec![
            (HORN, Share::Within(FIRST)),
            (COVER, Share::Part(0.5)),
            (HORN, Share::Part(0.6)),
            (COVER, Share::Part(1.0)),
        ],
    }
}

/// Asks the engines in turn until one has a verdict.
pub fn decide(
    program: &Program,
    plan: &Plan,
    options: &Options<Knobs>,
    run: &Run<'_>,
    cores: &Arc<Cores>,
) -> Decided {
    let mut last = Decided { engine: None, verdict: Err(run.out_of_budget()) };
    for &(engines, share) in plan {
        if let Some(stop) = run.exceeded() {
            return Decided { verdict: Err(stop), ..last };
        }
        let budget = share_of(run, share);
        last = match engines {
            &[engine] => ask(engine, program, budget, options, run),
            several => race(several, program, options, &budget, cores).unwrap_or(last),
        };
        match &last.verdict {
            Ok(_) => return last,
            // What an execution comes to, no other engine makes undone.
            Err(stop) if stop.is_about_execution() => return last,
            Err(_) => {}
        }
    }
    last
}

fn share_of(run: &Run<'_>, share: Share) -> Budget {
    let time = match (share, run.remaining()) {
        (Share::Within(time), None) => Some(time),
        (Share::Within(time), Some(left)) => Some(time.min(left)),
        (Share::Part(_), None) => None,
        (Share::Part(part), Some(left)) => Some(left.mul_f64(part)),
    };
    budget(run, time)
}

fn ask(
    engine: Engine,
    program: &Program,
    budget: Budget,
    options: &Options<Knobs>,
    run: &Run<'_>,
) -> Decided {
    let mut part = Run::silent(budget);
    let verdict = selvedge_engines::verify(engine, program, options, &mut part);
    if run.clock().counts_work() {
        run.clock().spend(units(part.elapsed()));
    }
    Decided { engine: Some(engine), verdict }
}

/// So much of a run's budget, by whatever clock it goes.
fn budget(run: &Run<'_>, time: Option<Duration>) -> Budget {
    let memory = run.budget().memory;
    match run.budget().work {
        Some(_) => Budget { time: None, memory, work: time.map(units) },
        None => Budget { time, memory, work: None },
    }
}

fn units(time: Duration) -> u64 {
    (time.as_secs_f64() * selvedge_verdict::UNITS_PER_SECOND as f64) as u64
}

/// How long an error of the abstract program is looked for in the concrete one.
const HUNT: Duration = Duration::from_secs(10);

/// An execution of the program itself that goes wrong. What is specified means nothing to it.
pub fn violation(
    program: &Program,
    options: &Options<Knobs>,
    run: &Run<'_>,
) -> Option<Counterexample> {
    let left = run.remaining().unwrap_or(HUNT).min(HUNT);
    let program = &Program { spec: Default::default(), ..program.clone() };
    for engine in [Engine::Explore, Engine::Contexts] {
        let mut part = Run::silent(budget(run, Some(left / 2)));
        let found = selvedge_engines::verify(engine, program, options, &mut part);
        if let Ok(Verdict::Unsafe(shown)) = found {
            return Some(shown);
        }
    }
    None
}
