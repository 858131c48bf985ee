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
            share: 0.3,
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
        if result == Covered::Nothing {
            if self.contexts_last { self.stuck.0 = true } else { self.stuck.1 = true }
        } else {
            self.covered = Some((bounds, result, threads));
        }
        let Some((Bounds { contexts, unwind, .. }, result, _)) = self.covered else {
            return self.again();
        };
        let complete = result == Covered::AllLoops && !cut;
        let grows = self.fixed_contexts.is_none() && contexts < MOST_CONTEXTS && threads > 1;
        let unwinds = self.fixed_unwind.is_none() && !complete && unwind < MOST_UNWIND;
        if !grows && !unwinds {
            self.next = None;
            return;
        }
        if (!grows || self.stuck.0) && (!unwinds || self.stuck.1) && !self.patient() {
            self.next = None;
            return;
        }
        self.contexts_last = match (grows && !self.stuck.0, unwinds && !self.stuck.1) {
            (true, false) => true,
            (false, _) => false,
            // The second context at once: without it there is hardly any interleaving.
            (true, true) => contexts == 1 || unwind >= 1 << contexts,
        };
        self.next = Some(match self.contexts_last {
            true => (contexts + (contexts / 3).max(1), unwind),
            false => (contexts, (unwind * 2).max(1)),
        });
    }

    /// The same once more, with all the time there is.
    fn again(&mut self) {
        if !self.patient() {
            self.next = None;
        }
    }

    /// Gives rounds all the time that is left; false if they had it already.
    fn patient(&mut self) -> bool {
        self.stuck = (false, false);
        std::mem::replace(&mut self.share, 1.0) < 1.0
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
