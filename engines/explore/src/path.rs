//! From a violation back to the start: the execution that leads there.
//!
//! The states kept are canonical: their threads, objects and inputs have other names than in any
//! one execution. So the way is run again on a real state, beside the canonical ones, with a map
//! from the canonical threads to the real ones.

use selvedge_ir::{Property, Span, Type};

use selvedge_exec::{
    Choice, Input, Machine, Oracle, Scratch, Script, State, Stop, ThreadId, Visible,
};
use selvedge_verdict::Run;

use super::confirm::Execution;
use super::encode::{Codec, Encoder};
use super::store::Store;
use super::stride::{repeat, stride};
use super::transition;
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

/// Where a violation was found.
pub enum Finding {
    /// A state itself violates a property: a race or a deadlock.
    State(u32),
    /// In a state some threads wait for ever while others may go on.
    Wait(u32),
    /// A macro-step from a state goes wrong, with these choices.
    Step { from: u32, thread: ThreadId, choices: Vec<u32> },
}

/// The states kept, and what it takes to run their steps again.
pub struct Kept<'s, 'p> {
    pub machine: &'s Machine<'p>,
    pub codec: &'s Codec<'p>,
    pub store: &'s Store,
    pub encoder: &'s mut Encoder,
    pub scratch: &'s mut Scratch,
    pub run: &'s Run<'s>,
}

/// A real execution on its way along canonical states.
struct Way {
    real: State,
    /// The real thread that each thread of the canonical state stands for.
    names: Vec<ThreadId>,
    recorder: Recorder,
}

/// The execution that ends with the finding.
pub fn execution(mut kept: Kept<'_, '_>, finding: &Finding) -> Result<Execution, Stop> {
    let (last, step) = match finding {
        Finding::State(index) | Finding::Wait(index) => (*index, None),
        Finding::Step { from, thread, choices } => (*from, Some((*thread, choices))),
    };
    let real = kept.machine.initial()?;
    kept.codec.encode(&real, kept.encoder);
    let names = kept.encoder.order.iter().map(|&i| ThreadId::from_index(i as usize)).collect();
    let mut way = Way { real, names, recorder: Recorder::default() };
    for child in kept.states_from_start(last) {
        way.follow(&mut kept, child)?;
    }
    match step {
        Some((thread, choices)) => {
            let thread = way.names[thread.index().expect("a thread moved")];
            way.act(&mut kept, thread, choices);
        }
        // Where the state itself is the violation, it may be so only for some inputs.
        None if kept.machine.options.checks(Property::Race) => {
            race(kept.machine, &mut way.real, kept.scratch);
        }
        None => {}
    }
    Ok(Execution { visible: way.recorder.visible, last: way.real })
}

impl Kept<'_, '_> {
    /// The states behind the first on the way to `last`.
    fn states_from_start(&self, last: u32) -> Vec<u32> {
        let mut way = Vec::new();
        let mut at = last;
        while at != 0 {
            way.push(at);
            at = self.store.origin(at).parent;
        }
        way.reverse();
        way
    }

    /// The choices with which the thread gets from the parent to the child. The encoder then holds
    /// how the child's threads are ordered.
    fn choices_to(
        &mut self,
        parent: &State,
        thread: ThreadId,
        child: u32,
    ) -> Result<Vec<u32>, Stop> {
        let mut script = Script::new();
        let mut next = parent.clone();
        loop {
            next.clone_from(parent);
            stride(self.machine, parent, &mut next, thread, &mut script, self.scratch);
            self.codec.encode(&next, self.encoder);
            self.spend()?;
            if self.encoder.bytes == self.store.get(child) {
                return Ok(script.taken().collect());
            }
            if !script.next() {
                let what = "a step of the search cannot be found again".into();
                return Err(Stop::Unconfirmed { what });
            }
        }
    }

    /// What one more transition has taken.
    fn spend(&mut self) -> Result<(), Stop> {
        let actions = std::mem::take(&mut self.scratch.work);
        self.run.clock().spend(transition(actions, self.encoder.bytes.len()));
        self.run.check()
    }
}

impl Way {
    /// Goes on to a state that was found from the one reached.
    fn follow(&mut self, kept: &mut Kept<'_, '_>, child: u32) -> Result<(), Stop> {
        let origin = kept.store.origin(child);
        let mut parent = self.real.clone();
        kept.codec.decode(kept.store.get(origin.parent), &mut parent);
        let moved = ThreadId::from_index(origin.thread.into());
        let choices = kept.choices_to(&parent, moved, child)?;
        let known = self.real.threads.len();
        self.act(kept, self.names[origin.thread as usize], &choices);
        // Threads that the step started come behind those of the parent, in the same order.
        let name = |&old: &u32| {
            let old = old as usize;
            let new = |_: usize| ThreadId::from_index(known + old - parent.threads.len());
            self.names.get(old).copied().unwrap_or_else(|| new(old))
        };
        self.names = kept.encoder.order.iter().map(name).collect();
        Ok(())
    }

    fn act(&mut self, kept: &mut Kept<'_, '_>, thread: ThreadId, choices: &[u32]) {
        let Kept { machine, scratch, .. } = kept;
        let mut trial = self.real.clone();
        let mut script = Script::following(choices);
        let blocks = stride(machine, &self.real, &mut trial, thread, &mut script, scratch).blocks;
        self.recorder.script = Script::following(choices);
        repeat(machine, &mut self.real, thread, blocks, &mut self.recorder, scratch);
    }
}
