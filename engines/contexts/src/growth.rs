//! How the bounds grow.
//!
//! Contexts and unwinding span a grid. A round is one cell; what it covers, it covers for all cells
//! with less of both. The next round is the one that promises to be the cheapest, judged by its
//! neighbours with less of either. So a direction that becomes expensive waits for the other. A
//! round that ran out of time is tried again, with more, when its turn comes.

use std::time::Duration;

use selvedge_exec::Stop;
use selvedge_verdict::{Moment, Options, Run};

use super::bounds::{Bounds, Coverage};
use super::options::Own;
use super::slots::Cut;

/// Steps of each direction. Without a time limit, the engine stops with the last.
const CONTEXTS: [u32; 9] = [1, 2, 3, 4, 5, 6, 8, 11, 16];
const UNWIND: [u32; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/// Rounds below this cost count as equal.
const CHEAP: f64 = 0.2;

/// The part of all time that a round gets at first.
const PATIENCE: f64 = 0.1;

/// What came of a round without a violation.
#[derive(Clone, Copy, Debug)]
pub struct Explored {
    pub coverage: Coverage,
    /// What the bounds leave out beside loops that go on.
    pub cut: Cut,
    /// The number of thread slots.
    pub threads: u32,
}

impl Explored {
    /// Nothing, for this reason.
    pub fn nothing(coverage: Coverage) -> Explored {
        Explored { coverage, cut: Cut::default(), threads: 0 }
    }

    fn covers(&self) -> bool {
        matches!(self.coverage, Coverage::AllLoops | Coverage::Loops)
    }

    /// Whether more unwinding may show more.
    fn is_open(&self) -> bool {
        self.coverage != Coverage::AllLoops || self.cut.any()
    }
}

/// A cell that was tried.
#[derive(Clone, Copy, Debug)]
struct Tried {
    cell: Cell,
    explored: Explored,
    seconds: f64,
}

/// A cell: the places in the lists of contexts and unwinding.
type Cell = (usize, usize);

#[derive(Clone, Debug)]
pub struct Growth {
    contexts: Vec<u32>,
    unwind: Vec<u32>,
    threads: Option<u32>,
    /// All time that there is.
    whole: Option<Duration>,
    tried: Vec<Tried>,
    current: Option<(Cell, Moment)>,
}

impl Growth {
    /// `whole` is all time that there is, if there is a limit.
    pub fn new(options: &Options<Own>, whole: Option<Duration>) -> Growth {
        Growth {
            contexts: options.own.contexts.map_or(CONTEXTS.to_vec(), up_to),
            unwind: options.own.unwind.map_or(UNWIND.to_vec(), |n| vec![n]),
            threads: options.threads,
            whole,
            tried: Vec::new(),
            current: None,
        }
    }

    fn bounds(&self, (k, u): Cell) -> Bounds {
        let unwind = self.unwind[u];
        let threads = self.threads.unwrap_or(unwind.max(2));
        Bounds { contexts: self.contexts[k], unwind, threads }
    }

    /// The first bounds, but with as many contexts as were asked for.
    pub fn first(options: &Options<Own>) -> Bounds {
        let growth = Growth::new(options, None);
        let contexts = options.own.contexts.unwrap_or(growth.contexts[0]);
        Bounds { contexts, ..growth.bounds((0, 0)) }
    }

    /// The bounds and the deadline of the next round; none when nothing is left to try, or no time.
    pub fn next(
        &mut self,
        now: Moment,
        left: Option<Duration>,
    ) -> Option<(Bounds, Option<Moment>)> {
        if left.is_some_and(|left| left < Duration::from_millis(10)) {
            return None;
        }
        let open = self.open();
        let cost = |cell: &Cell| self.score(*cell);
        let cell = *open.iter().min_by(|a, b| cost(a).total_cmp(&cost(b)))?;
        let given = left.map(|left| {
            let whole = self.whole.unwrap_or(left);
            let patience = whole.mul_f64(PATIENCE).as_secs_f64().max(2.0 * self.estimate(cell));
            let only = open.len() == 1;
            if only { left } else { Duration::from_secs_f64(patience).min(left) }
        });
        self.current = Some((cell, now));
        Some((self.bounds(cell), given.map(|given| now + given)))
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
        self.tried.iter().any(|Tried { cell, explored, .. }| {
            // One thread has one context.
            let contexts = cell.0 >= k || explored.threads <= 1;
            let unwind = cell.1 >= u || !explored.is_open();
            explored.covers() && contexts && unwind
        })
    }

    /// What was too large does not become smaller with more.
    fn is_too_large(&self, (k, u): Cell) -> bool {
        self.tried.iter().any(|Tried { cell, explored, .. }| {
            explored.coverage == Coverage::TooLarge && cell.0 <= k && cell.1 <= u
        })
    }

    /// Seconds that a round may take.
    fn estimate(&self, (k, u): Cell) -> f64 {
        let known = self.tried.iter().filter(|tried| tried.cell.0 <= k && tried.cell.1 <= u);
        let scaled = known.map(|tried| {
            let steps = (k - tried.cell.0) + (u - tried.cell.1);
            tried.seconds * 2f64.powi(steps.max(1) as i32)
        });
        scaled.fold(0.0, f64::max)
    }

    /// Cheap first; of equal ones the smaller, but more contexts before more unwinding.
    fn score(&self, cell: Cell) -> f64 {
        let size = cell.0 as f64 + 1.1 * cell.1 as f64;
        self.estimate(cell).max(CHEAP) * (1.0 + 0.2 * size)
    }

    /// Notes what came of the round.
    pub fn learn(&mut self, now: Moment, explored: Explored) {
        let Some((cell, started)) = self.current.take() else { return };
        let seconds = now.since(started).as_secs_f64();
        self.tried.push(Tried { cell, explored, seconds });
        // Without a limit on time, a round ends with an answer or not at all.
        if self.whole.is_none() && explored.coverage == Coverage::OutOfTime {
            self.contexts.clear();
        }
    }

    /// Why there is no verdict: the most that was covered without a violation.
    pub fn stop(&self, run: &Run<'_>) -> Stop {
        let covered = self.tried.iter().filter(|tried| tried.explored.covers());
        let best = covered.max_by_key(|Tried { cell, explored, .. }| {
            (cell.0 + cell.1, !explored.is_open(), cell.0)
        });
        if let Some(Tried { cell, explored, .. }) = best {
            let what = covered_by(self.bounds(*cell), explored);
            return Stop::Bound { what, grows: !self.open().is_empty(), partial: false };
        }
        let large = self.tried.iter().any(|t| t.explored.coverage == Coverage::TooLarge);
        match self.whole {
            _ if large => {
                Stop::TooLarge { what: "even the least bounds hold too much code".into() }
            }
            Some(_) => run.out_of_budget(),
            None => Stop::Solver { reason: "no answer even within the least bounds".into() },
        }
    }
}

/// What a round without a violation has covered, for people.
fn covered_by(bounds: Bounds, explored: &Explored) -> String {
    let contexts = count(bounds.contexts, "context");
    let loops = match explored.coverage {
        Coverage::AllLoops => "loops passed any number of times".to_owned(),
        _ => format!("loops passed at most {}", times(bounds.unwind)),
    };
    let most = if explored.cut.threads { "at most " } else { "" };
    let threads = count(explored.threads, "thread");
    let mut what =
        format!("no violation within {contexts} for each thread, {loops}, {most}{threads}");
    if explored.cut.calls {
        what.push_str(&format!(", recursion at most {} deep", bounds.unwind));
    }
    what
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
    use selvedge_verdict::Budget;

    use super::*;

    const MINUTE: Option<Duration> = Some(Duration::from_secs(60));

    fn grow(
        own: Own,
        count: usize,
        coverage: impl Fn(Bounds) -> Coverage,
    ) -> (Growth, Vec<(u32, u32)>) {
        let mut growth = Growth::new(&Options::with(&[Property::Assert], own), MINUTE);
        let mut seen = Vec::new();
        while let Some((bounds, _)) = growth.next(Moment::START, MINUTE)
            && seen.len() < count
        {
            seen.push((bounds.contexts, bounds.unwind));
            let explored = Explored { threads: 2, ..Explored::nothing(coverage(bounds)) };
            growth.learn(Moment::START, explored);
        }
        (growth, seen)
    }

    fn sequence(count: usize, coverage: impl Fn(Bounds) -> Coverage) -> Vec<(u32, u32)> {
        grow(Own::default(), count, coverage).1
    }

    #[test]
    fn both_grow_together() {
        let seen = sequence(6, |_| Coverage::Loops);
        assert_eq!(seen[0], (1, 1));
        assert!(seen.contains(&(2, 2)), "{seen:?}");
        assert!(seen.iter().all(|(k, u)| *k <= 4 && *u <= 8), "{seen:?}");
    }

    #[test]
    fn loops_that_are_covered_are_not_unwound_further() {
        let seen = sequence(4, |_| Coverage::AllLoops);
        assert_eq!(seen, [(1, 1), (2, 1), (3, 1), (4, 1)]);
    }

    #[test]
    fn bounds_that_are_too_large_are_not_tried_again() {
        let large = |bounds: Bounds| match bounds.unwind {
            1 => Coverage::Loops,
            _ => Coverage::TooLarge,
        };
        let seen = sequence(99, large);
        assert_eq!(seen.iter().filter(|(_, u)| *u > 1).count(), 1, "{seen:?}");
        assert_eq!(seen.len(), CONTEXTS.len() + 1, "{seen:?}");
    }

    #[test]
    fn given_bounds_do_not_grow() {
        let fixed = || Own { contexts: Some(2), unwind: Some(3), ..Own::default() };
        let run = Run::silent(Budget::unlimited());
        let grows = |growth: &Growth| match growth.stop(&run) {
            Stop::Bound { grows, .. } => grows,
            other => panic!("{other:?}"),
        };
        let (growth, seen) = grow(fixed(), 9, |_| Coverage::Loops);
        assert_eq!(seen, [(1, 3), (2, 3)]);
        assert!(!grows(&growth));
        let (growth, _) = grow(fixed(), 1, |_| Coverage::Loops);
        assert!(grows(&growth), "with more time it would try two contexts");
    }
}
