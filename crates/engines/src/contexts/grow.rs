//! How the bounds grow.
//!
//! Contexts and unwinding take turns. A direction in which a round ran out of time waits until the
//! other has done so too; then both get more time. Nothing grows that the user has fixed, nor what
//! cannot matter any more.

use std::time::{Duration, Instant};

use selvedge_exec::Stop;
use selvedge_smt::Limits;

use super::{Bounds, Covered, Options};

/// Nobody needs more; without a time limit, the search ends here.
const MOST_CONTEXTS: u32 = 16;
const MOST_UNWIND: u32 = 1024;

#[derive(Clone, Debug)]
pub struct Growth {
    fixed_contexts: Option<u32>,
    fixed_unwind: Option<u32>,
    fixed_threads: Option<u32>,
    /// What to try next; none at the end.
    next: Option<(u32, u32)>,
    /// The largest that was covered, with the threads it had.
    covered: Option<(Bounds, Covered, u32)>,
    /// Directions that ran out of time: contexts, unwinding.
    stuck: (bool, bool),
    /// Contexts grew last.
    contexts_last: bool,
    /// The part of the remaining time that a round gets.
    share: f64,
    timed_out: bool,
}

impl Growth {
    pub fn new(options: &Options) -> Growth {
        let first = (options.contexts.unwrap_or(1), options.unwind.unwrap_or(1));
        Growth {
            fixed_contexts: options.contexts,
            fixed_unwind: options.unwind,
            fixed_threads: options.threads,
            next: Some(first),
            covered: None,
            stuck: (false, false),
            contexts_last: false,
            share: 0.4,
            timed_out: false,
        }
    }

    /// The bounds of the first round.
    pub fn first(&self) -> Bounds {
        let (contexts, unwind) = self.next.unwrap_or((1, 1));
        self.bounds(contexts, unwind)
    }

    fn bounds(&self, contexts: u32, unwind: u32) -> Bounds {
        let threads = self.fixed_threads.unwrap_or(unwind.max(2));
        Bounds { contexts, unwind, threads }
    }

    /// The bounds and limits of the next round; none when there is nothing left to try or no time.
    pub fn next(&mut self, remaining: Option<Duration>) -> Option<(Bounds, Limits)> {
        let (contexts, unwind) = self.next?;
        let limits = match remaining {
            None => Limits::none(),
            Some(left) if left < Duration::from_millis(10) => {
                self.timed_out = true;
                return None;
            }
            Some(left) => {
                let both = self.fixed_contexts.is_some() && self.fixed_unwind.is_some();
                let share = if both { 1.0 } else { self.share };
                Limits::until(Instant::now() + left.mul_f64(share))
            }
        };
        Some((self.bounds(contexts, unwind), limits))
    }

    /// Decides what to try next.
    pub fn learn(&mut self, bounds: Bounds, result: Covered, cut: bool, threads: u32) {
        let Bounds { contexts, unwind, .. } = bounds;
        if result == Covered::Nothing {
            if self.contexts_last { self.stuck.0 = true } else { self.stuck.1 = true }
        } else {
            self.covered = Some((bounds, result, threads));
        }
        let (base_contexts, base_unwind, complete) = match self.covered {
            Some((covered, result, _)) => {
                (covered.contexts, covered.unwind, result == Covered::AllLoops && !cut)
            }
            None => (contexts, unwind, false),
        };
        let more_contexts = self.fixed_contexts.is_none()
            && base_contexts < MOST_CONTEXTS
            && threads > 1
            && self.covered.is_some();
        let more_unwind = self.fixed_unwind.is_none()
            && !complete
            && base_unwind < MOST_UNWIND
            && self.covered.is_some();
        if (!more_contexts || self.stuck.0) && (!more_unwind || self.stuck.1) {
            if self.share >= 1.0 || !(more_contexts || more_unwind) {
                self.next = None;
                return;
            }
            self.stuck = (false, false);
            self.share = 1.0;
        }
        let contexts_turn = match (more_contexts && !self.stuck.0, more_unwind && !self.stuck.1) {
            (true, false) => true,
            (false, _) => false,
            // The second context first: without it there is hardly any interleaving.
            (true, true) => base_contexts < 2 || !self.contexts_last,
        };
        self.contexts_last = contexts_turn;
        self.next = Some(match contexts_turn {
            true => (base_contexts + 1, base_unwind),
            false => (base_contexts, base_unwind * 2),
        });
    }

    /// The answer without a violation.
    pub fn stop(&self, options: &Options) -> Stop {
        match (&self.covered, options.time) {
            (Some((bounds, result, threads)), _) => {
                let loops = match result {
                    Covered::AllLoops => "loops passed any number of times".to_owned(),
                    _ => format!("loops passed {}", times(bounds.unwind)),
                };
                let contexts = count(bounds.contexts, "context");
                let threads = count(*threads, "thread");
                let what = format!("no violation within {contexts} a thread, {loops}, {threads}");
                Stop::Bound { what }
            }
            (None, Some(limit)) => Stop::Time { limit },
            (None, None) => Stop::Bound { what: "nothing could be covered".into() },
        }
    }
}

fn count(n: u32, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn times(n: u32) -> String {
    if n == 1 { "once".into() } else { format!("{n} times") }
}
