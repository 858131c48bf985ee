//! From a violation back to the start: the execution that leads there.
//!
//! The states kept are canonical: their threads, objects and inputs have other names than in any
//! one execution. So the way is run again on a real state, beside the canonical ones, with a map
//! from the canonical threads to the real ones.

use selvedge_ir::{Property, Span, Type};

use selvedge_exec::{Choice, Input, Oracle, Script, State, Stop, ThreadId, Visible};

use super::search::{Finding, Search};
use super::stride::{repeat, stride};
use super::walk::race;

/// Answers by a script, and notes what becomes visible.
#[derive(Default)]
pub struct Recorder {
    pub script: Script,
    pub visible: Vec<Visible>,
}

impl Oracle for Recorder {
    fn choose(&mut self, n: usize, what: Choice) -> usize {
        self.script.choose(n, what)
    }

    fn input(&mut self, ty: Type, span: Span) -> Input {
        self.script.input(ty, span)
    }

    fn visible(&mut self, action: Visible) {
        self.visible.push(action);
    }

    fn taken_back(&mut self, count: usize) {
        self.visible.truncate(self.visible.len() - count);
    }
}

/// An execution that was run on real states.
pub struct Execution {
    pub visible: Vec<Visible>,
    /// The last state; what is left of its open inputs' intervals are values that they can have.
    pub last: State,
}

/// A real execution on its way along canonical states.
struct Way {
    real: State,
    /// The real thread that each thread of the canonical state stands for.
    names: Vec<ThreadId>,
    recorder: Recorder,
}

/// The execution that ends with the finding.
pub fn execution(search: &mut Search, finding: &Finding) -> Result<Execution, Stop> {
    let (last, step) = match finding {
        Finding::State(index) => (*index, None),
        Finding::Step { from, thread, choices } => (*from, Some((*thread, choices))),
    };
    let real = search.machine.initial()?;
    search.codec.encode(&real, &mut search.encoder);
    let names = search.encoder.order.iter().map(|&i| ThreadId::from_index(i as usize)).collect();
    let mut way = Way { real, names, recorder: Recorder::default() };
    for child in states_from_start(search, last) {
        way.follow(search, child)?;
    }
    match step {
        Some((thread, choices)) => {
            let thread = way.names[thread.index().expect("a thread moved")];
            way.act(search, thread, choices);
        }
        // Where the state itself is the violation, it may be so only for some inputs.
        None if search.machine.options.checks(Property::Race) => {
            race(&search.machine, &mut way.real, &mut search.scratch);
        }
        None => {}
    }
    Ok(Execution { visible: way.recorder.visible, last: way.real })
}

/// The states behind the first on the way to `last`.
fn states_from_start(search: &Search, last: u32) -> Vec<u32> {
    let mut way = Vec::new();
    let mut at = last;
    while at != 0 {
        way.push(at);
        at = search.store.origin(at).parent;
    }
    way.reverse();
    way
}

impl Way {
    /// Goes on to a state that was found from the one reached.
    fn follow(&mut self, search: &mut Search, child: u32) -> Result<(), Stop> {
        let origin = search.store.origin(child);
        let mut parent = self.real.clone();
        search.codec.decode(search.store.get(origin.parent), &mut parent);
        let moved = ThreadId::from_index(origin.thread.into());
        let choices = choices_to(search, &parent, moved, child).ok_or_else(lost)?;
        let known = self.real.threads.len();
        self.act(search, self.names[origin.thread as usize], &choices);
        // Threads that the step started come behind those of the parent, in the same order.
        let name = |&old: &u32| {
            let old = old as usize;
            let new = |_: usize| ThreadId::from_index(known + old - parent.threads.len());
            self.names.get(old).copied().unwrap_or_else(|| new(old))
        };
        self.names = search.encoder.order.iter().map(name).collect();
        Ok(())
    }

    fn act(&mut self, search: &mut Search, thread: ThreadId, choices: &[u32]) {
        let Search { machine, scratch, .. } = search;
        let mut trial = self.real.clone();
        let mut script = Script::following(choices);
        let blocks = stride(machine, &self.real, &mut trial, thread, &mut script, scratch).blocks;
        self.recorder.script = Script::following(choices);
        repeat(machine, &mut self.real, thread, blocks, &mut self.recorder, scratch);
    }
}

fn lost() -> Stop {
    Stop::Unconfirmed { what: "a step of the search cannot be found again".into() }
}

/// The choices with which the thread gets from the parent to the child. The encoder then holds how
/// the child's threads are ordered.
fn choices_to(
    search: &mut Search,
    parent: &State,
    thread: ThreadId,
    child: u32,
) -> Option<Vec<u32>> {
    let mut script = Script::new();
    let mut next = parent.clone();
    loop {
        next.clone_from(parent);
        stride(&search.machine, parent, &mut next, thread, &mut script, &mut search.scratch);
        search.codec.encode(&next, &mut search.encoder);
        if search.encoder.bytes == search.store.get(child) {
            return Some(script.taken().collect());
        }
        if !script.next() {
            return None;
        }
    }
}
