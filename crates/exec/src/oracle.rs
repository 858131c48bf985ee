//! Who decides where the semantics leaves a choice.
//!
//! A step is written in direct style and asks the oracle at each choice. Exploration runs a step
//! again and again with a [`Script`] until all sequences of answers are seen; a random run draws
//! them; a replay reads them from a trace.

use selvedge_ir::{EdgeId, Mode, ProcId, Span, Type};

use crate::value::{Target, ThreadId, Value};

/// What kind of choice is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Between several enabled edges: part of the schedule.
    Edge,
    /// Which part of an open input's interval to go on with. Only with symbols.
    Split,
    /// Which value a load reads, or where in the modification order a store goes: 0 is the latest.
    /// Only with orders weaker than sequential consistency.
    Older,
}

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// The bits at the input's type. For pointers and threads only 0 (null, none).
    Bits(u64),
    /// Left open.
    Open,
}

/// A visible action that took place. Together, in order, these are the schedule of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visible {
    pub thread: ThreadId,
    /// Which of the enabled edges was taken, where there were several: its rank among these.
    pub choice: Option<u32>,
    /// What the input was, of a `Havoc` or of a `Load` from undefined memory.
    pub input: Option<Value>,
    /// Which of the values that a load may read it read, or of the places in the modification order
    /// a store went to, counted from the newest; none where it is that.
    pub older: Option<u32>,
}

/// A scalar in memory that an action reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub target: Target,
    pub offset: u64,
    pub size: u64,
    pub write: bool,
    pub mode: Mode,
    pub span: Span,
}

impl Access {
    /// Whether the two must not be enabled in different threads at once.
    pub fn races_with(&self, other: &Access) -> bool {
        self.target == other.target
            && self.offset < other.offset + other.size
            && other.offset < self.offset + self.size
            && (self.write || other.write)
            && (self.mode == Mode::Plain || other.mode == Mode::Plain)
    }
}

pub trait Oracle {
    /// One of `0..n`; `n` is at least 2.
    fn choose(&mut self, n: usize, what: Choice) -> usize;

    fn input(&mut self, ty: Type, span: Span) -> Input;

    /// Told of each visible action as it takes place.
    fn visible(&mut self, _action: Visible) {}

    /// Told of the edge that a thread is about to take.
    fn edge(&mut self, _thread: ThreadId, _procedure: ProcId, _edge: EdgeId) {}

    /// Told of each access to memory as it takes place.
    fn access(&mut self, _access: Access) {}

    /// The last `count` visible actions were taken back: their atomic block cannot be finished.
    fn taken_back(&mut self, _count: usize) {}
}

/// All sequences of choices, one after another, with inputs left open:
/// `loop { run with &mut script; if !script.next() { break } }`.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Alternatives and the one taken, for each choice so far.
    choices: Vec<(u32, u32)>,
    position: usize,
}

impl Script {
    pub fn new() -> Script {
        Script::default()
    }

    /// A script that will first answer as another one did: see [`Script::taken`].
    pub fn following(taken: &[u32]) -> Script {
        Script { choices: taken.iter().map(|&t| (u32::MAX, t)).collect(), position: 0 }
    }

    /// The choices of the run that just ended.
    pub fn taken(&self) -> impl Iterator<Item = u32> + '_ {
        self.choices[..self.position].iter().map(|&(_, taken)| taken)
    }

    /// Whether the run that just ended made no choice.
    pub fn is_deterministic(&self) -> bool {
        self.position == 0
    }

    /// Turns to the next sequence, in lexical order; false when all are done (the script then
    /// starts anew). Must be called after a run.
    #[allow(clippy::should_implement_trait)] // It yields no items.
    pub fn next(&mut self) -> bool {
        self.choices.truncate(self.position);
        self.position = 0;
        while let Some((n, taken)) = self.choices.pop() {
            if taken + 1 < n {
                self.choices.push((n, taken + 1));
                return true;
            }
        }
        false
    }
}

impl Oracle for Script {
    fn choose(&mut self, n: usize, _what: Choice) -> usize {
        let n = n as u32;
        let taken = match self.choices.get_mut(self.position) {
            Some(choice) => {
                choice.0 = n;
                choice.1
            }
            None => {
                self.choices.push((n, 0));
                0
            }
        };
        debug_assert!(taken < n, "a script is followed on the step it was made on");
        self.position += 1;
        taken as usize
    }

    fn input(&mut self, _ty: Type, _span: Span) -> Input {
        Input::Open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_goes_through_all_sequences() {
        let mut script = Script::new();
        let mut seen = Vec::new();
        loop {
            let a = script.choose(2, Choice::Edge);
            let b = if a == 0 { script.choose(3, Choice::Split) } else { 9 };
            seen.push((a, b));
            if !script.next() {
                break;
            }
        }
        assert_eq!(seen, [(0, 0), (0, 1), (0, 2), (1, 9)]);
    }

    #[test]
    fn a_script_can_be_followed_again() {
        let mut script = Script::following(&[1, 2]);
        assert_eq!(script.choose(2, Choice::Edge), 1);
        assert_eq!(script.choose(3, Choice::Edge), 2);
        assert_eq!(script.taken().collect::<Vec<_>>(), [1, 2]);
        assert!(!script.next());
    }
}
