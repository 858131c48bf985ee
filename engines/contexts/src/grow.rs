//! How the bounds grow.
//!
//! Contexts and unwinding span a grid. A round is one cell; what it covers, it covers for all cells
//! with less of both. The next round is the one that promises to be the cheapest, judged by its
//! neighbours with less of either. So a direction that becomes expensive waits for the other. A
//! round that ran out of time is tried again, with more, when its turn comes.

use std::time::{Duration, Instant};

use selvedge_exec::Stop;
use selvedge_smt::Limits;

use super::slots::Cut;
use super::{Bounds, Covered, Options};

/// Steps of each direction. Nobody needs more; without a time limit, the search ends with the last.
const CONTEXTS: [u32; 9] = [1, 2, 3, 4, 5, 6, 8, 11, 16];
const UNWIND: [u32; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/// Rounds below this cost count as equal.
const CHEAP: f64 = 0.2;

/// The part of all time that a round gets at first.
const PATIENCE: f64 = 0.1;

/// What came of a cell.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    result: Covered,
    /// More unwinding may show more.
    open: bool,
    cut: Cut,
    threads: u32,
    seconds: f64,
}

impl Outcome {
    fn covers(&self) -> bool {
        !matches!(self.result, Covered::Nothing | Covered::TooLarge)
    }
}

/// A cell: the places in the lists of contexts and unwinding.
type Cell = (usize, usize);

#[derive(Clone, Debug)]
pub struct Growth {
    contexts: Vec<u32>,
    unwind: Vec<u32>,
    threads: Option<u32>,
    time: Option<Duration>,
    tried: Vec<(Cell, Outcome)>,
    current: Option<(Cell, Instant)>,
}

impl Growth {
    pub fn new(options: &Options) -> Growth {
        Growth {
            contexts: options.contexts.map_or(CONTEXTS.to_vec(), up_to),
            unwind: options.unwind.map_or(UNWIND.to_vec(), |n| vec![n]),
            threads: options.threads,
            time: options.time,
            tried: Vec::new(),
            current: None,
        }
    }

    fn bounds(&self, (k, u): Cell) -> Bounds {
        let unwind = self.unwind[u];
        let threads = self.threads.unwrap_or(unwind.max(2));
        Bounds { contexts: self.contexts[k], unwind, threads }
    }

    /// The least bounds with so many contexts as were asked for.
    pub fn asked(&self, options: &Options) -> Bounds {
        let last = self.contexts.len() - 1;
        self.bounds((if options.contexts.is_some() { last } else { 0 }, 0))
    }

    /// The bounds and limits of the next round; none when nothing is left to try, or no time.
    pub fn next(&mut self, remaining: Option<Duration>) -> Option<(Bounds, Limits)> {
        if remaining.is_some_and(|left| left < Duration::from_millis(10)) {
            return None;
        }
        let open = self.open();
        let cost = |cell: &Cell| self.score(*cell);
        let cell = *open.iter().min_by(|a, b| cost(a).total_cmp(&cost(b)))?;
        let limits = match remaining {
            None => Limits::none(),
            Some(left) if open.len() == 1 => Limits::until(Instant::now() + left),
            Some(left) => {
                let all = self.time.unwrap_or(left);
                let patience = all.mul_f64(PATIENCE).as_secs_f64().max(2.0 * self.estimate(cell));
                let given = Duration::from_secs_f64(patience).min(left);
                Limits::until(Instant::now() + given)
            }
        };
        self.current = Some((cell, Instant::now()));
        Some((self.bounds(cell), limits))
    }

    /// What can be tried: what is not covered, but next to what is.
    fn open(&self) -> Vec<Cell> {
        let (contexts, unwind) = (self.contexts.len(), self.unwind.len());
        let all = (0..contexts).flat_map(|k| (0..unwind).map(move |u| (k, u)));
        let next = |&(k, u): &Cell| {
            (k == 0 && u == 0)
                || (k > 0 && self.is_covered((k - 1, u)))
                || (u > 0 && self.is_covered((k, u - 1)))
        };
        let open = |cell: &Cell| !self.is_covered(*cell) && !self.is_too_large(*cell);
        all.filter(|cell| open(cell) && next(cell)).collect()
    }

    fn is_covered(&self, (k, u): Cell) -> bool {
        self.tried.iter().any(|&((ok, ou), outcome)| {
            // One thread has one context.
            let contexts = ok >= k || outcome.threads <= 1;
            let unwind = ou >= u || !outcome.open;
            outcome.covers() && contexts && unwind
        })
    }

    /// What was too large does not become smaller with more.
    fn is_too_large(&self, (k, u): Cell) -> bool {
        let large = |outcome: &Outcome| outcome.result == Covered::TooLarge;
        self.tried.iter().any(|((ok, ou), outcome)| *ok <= k && *ou <= u && large(outcome))
    }

    /// Seconds that a round may take.
    fn estimate(&self, (k, u): Cell) -> f64 {
        let known = self.tried.iter().filter(|((ok, ou), _)| *ok <= k && *ou <= u);
        let scaled = known.map(|&((ok, ou), outcome)| {
            let steps = (k - ok) + (u - ou);
            outcome.seconds * 2f64.powi(steps.max(1) as i32)
        });
        scaled.fold(0.0, f64::max)
    }

    /// Cheap first; of equal ones the smaller, but more contexts before more unwinding.
    fn score(&self, cell: Cell) -> f64 {
        let size = cell.0 as f64 + 1.1 * cell.1 as f64;
        self.estimate(cell).max(CHEAP) * (1.0 + 0.2 * size)
    }

    /// Notes what came of the round.
    pub fn learn(&mut self, result: Covered, cut: Cut, threads: u32) {
        let Some((cell, started)) = self.current.take() else { return };
        let seconds = started.elapsed().as_secs_f64();
        let open = result != Covered::AllLoops || cut.any();
        self.tried.push((cell, Outcome { result, open, cut, threads, seconds }));
        // Without a limit on time, a round ends with an answer or not at all.
        if self.time.is_none() && result == Covered::Nothing {
            self.contexts.clear();
        }
    }

    /// The answer without a violation: the most that was covered.
    pub fn stop(&self) -> Stop {
        let covered = self.tried.iter().filter(|(_, outcome)| outcome.covers());
        let best = covered.max_by_key(|((k, u), outcome)| (k + u, !outcome.open, *k));
        let Some(&(cell, outcome)) = best else {
            let large = self.tried.iter().any(|(_, o)| o.result == Covered::TooLarge);
            return match self.time {
                _ if large => Stop::Bound { what: "the program is too large to look at".into() },
                Some(limit) => Stop::Time { limit },
                None => Stop::Bound { what: "the solver gave no answer".into() },
            };
        };
        let bounds = self.bounds(cell);
        let loops = match outcome.result {
            Covered::AllLoops => "loops passed any number of times".to_owned(),
            _ => format!("loops passed {}", times(bounds.unwind)),
        };
        let contexts = count(bounds.contexts, "context");
        let threads = count(outcome.threads, "thread");
        let mut what = format!("no violation within {contexts} a thread, {loops}, {threads}");
        if outcome.cut.calls {
            what.push_str(&format!(", recursion {} deep", bounds.unwind));
        }
        if outcome.cut.threads {
            what.push_str(", and no more threads than these");
        }
        Stop::Bound { what }
    }
}

/// The steps to a number of contexts that was asked for: most violations need few, and what fields
/// matter is found out more cheaply with few.
fn up_to(last: u32) -> Vec<u32> {
    let fewer = CONTEXTS.iter().copied().filter(|&n| n < last);
    fewer.chain([last]).collect()
}

fn count(n: u32, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn times(n: u32) -> String {
    if n == 1 { "once".into() } else { format!("{n} times") }
}

#[cfg(test)]
mod tests {
    use selvedge_ir::Property;

    use super::*;

    fn sequence(
        options: &Options,
        count: usize,
        answer: impl Fn(Bounds) -> Covered,
    ) -> Vec<(u32, u32)> {
        let mut growth = Growth::new(options);
        let mut seen = Vec::new();
        while let Some((bounds, _)) = growth.next(Some(Duration::from_secs(60)))
            && seen.len() < count
        {
            seen.push((bounds.contexts, bounds.unwind));
            growth.learn(answer(bounds), Cut::default(), 2);
        }
        seen
    }

    fn options() -> Options {
        Options { time: Some(Duration::from_secs(60)), ..Options::new(&[Property::Assert]) }
    }

    #[test]
    fn both_grow_together() {
        let seen = sequence(&options(), 6, |_| Covered::Loops);
        assert_eq!(seen[0], (1, 1));
        assert!(seen.contains(&(2, 2)), "{seen:?}");
        assert!(seen.iter().all(|(k, u)| *k <= 4 && *u <= 8), "{seen:?}");
    }

    #[test]
    fn what_is_complete_needs_no_more_unwinding() {
        let seen = sequence(&options(), 4, |_| Covered::AllLoops);
        assert_eq!(seen, [(1, 1), (2, 1), (3, 1), (4, 1)]);
    }

    #[test]
    fn what_is_too_large_is_not_tried_again() {
        let large = |bounds: Bounds| match bounds.unwind {
            1 => Covered::Loops,
            _ => Covered::TooLarge,
        };
        let seen = sequence(&options(), 99, large);
        assert_eq!(seen.iter().filter(|(_, u)| *u > 1).count(), 1, "{seen:?}");
        assert_eq!(seen.len(), CONTEXTS.len() + 1, "{seen:?}");
    }

    #[test]
    fn what_the_user_fixed_does_not_grow_beyond() {
        let fixed = Options { contexts: Some(2), unwind: Some(3), ..options() };
        assert_eq!(sequence(&fixed, 9, |_| Covered::Loops), [(1, 3), (2, 3)]);
    }
}
