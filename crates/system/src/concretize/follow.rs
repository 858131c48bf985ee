//! Which threads a run begins with, and the trace of its edges.

use rustc_hash::FxHashMap;
use selvedge_exec::replay::record;
use selvedge_exec::{Options, Trace};
use selvedge_ir::{Multiplicity, ProcId, Program};

use super::{Name, Run};
use crate::{System, TemplateId};
use selvedge_exec::edges::{self, Event};

/// The threads of the beginning by name, in the order in which the program has them.
#[derive(Clone, Debug)]
pub struct Threads {
    names: Vec<Option<Name>>,
    /// How many threads stand for any number.
    pub any: u32,
}

impl Threads {
    /// Those that the run needs. An error if the program has not so many.
    pub fn of(program: &Program, system: &System, run: &Run) -> Result<Threads, String> {
        let mut waiting: FxHashMap<TemplateId, Vec<Name>> = FxHashMap::default();
        for name in run.initial(system).into_iter().rev() {
            waiting.entry(name.template).or_default().push(name);
        }
        let longest = waiting.values().map(Vec::len).max().unwrap_or(0);
        let mut threads = Threads { names: Vec::new(), any: longest.max(1) as u32 };
        let mut instances: FxHashMap<ProcId, usize> = FxHashMap::default();
        for thread in &program.threads {
            let count = match thread.count {
                Multiplicity::Exactly(n) => n,
                Multiplicity::Any => threads.any,
            };
            let templates = system.numbered();
            let templates: Vec<_> =
                templates.filter(|(_, t)| t.initial && t.procedure == thread.procedure).collect();
            for _ in 0..count {
                let next = instances.entry(thread.procedure).or_default();
                let mut singles = templates.iter().filter(|(_, t)| !t.pool);
                let pool = || templates.iter().find(|(_, t)| t.pool).map(|(id, _)| *id);
                let name = match singles.nth(*next) {
                    Some((id, _)) => Some(Name::instance(*id)),
                    None => pool().and_then(|id| waiting.get_mut(&id).and_then(Vec::pop)),
                };
                *next += 1;
                threads.names.push(name);
            }
        }
        let left = |id: &TemplateId| system.templates[id.index()].pool;
        match waiting.iter().any(|(id, names)| left(id) && !names.is_empty()) {
            true => Err("there are not so many threads at the beginning".into()),
            false => Ok(threads),
        }
    }
}

/// The trace of the events on the program as it was given, or why they are no execution of it that
/// goes wrong.
pub fn trace(
    program: &Program,
    prepared: &Program,
    options: &Options,
    threads: &Threads,
    events: &[Event<Name>],
) -> Result<Trace, String> {
    let initial = threads.names.iter().copied();
    let schedule = edges::schedule(prepared, options, initial, events.iter().copied())?;
    let trace = record(program, options, &schedule).map_err(|divergence| divergence.to_string())?;
    match trace.failure() {
        Some(_) => Ok(trace),
        None => Err(format!("it ends with: {}", trace.outcome)),
    }
}
