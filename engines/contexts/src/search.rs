//! What is looked at with bounds: everything at once, or group by group with few fields.
//!
//! Everything at once is the faster way as long as it is small. Where it gives no answer in a short
//! time, the goals are looked at group by group ([`super::goals`]), each with the fields that matter for
//! it ([`super::slice`]). Where neither gives an answer in the time of a round, they take turns.

use std::time::Duration;

use selvedge_ir::{Program, Property};
use selvedge_verdict::{Moment, Options};

use super::bounds::{Bounds, Coverage};
use super::fields::{Fields, can_slice};
use super::goals::Goals;
use super::growth::Explored;
use super::options::{Own, Slice};
use super::slots::Cut;

/// The time for everything at once, if there is another way: so much of all time, but at most so long.
const WITH_ALL: f64 = 0.1;
const WITH_ALL_LONGEST: Duration = Duration::from_millis(800);

/// With more fields than this, tracking all of them is not tried.
const MANY_FIELDS: usize = 400;

/// One question for each choice of bounds.
#[derive(Clone, Debug)]
pub struct Group {
    /// Which of the groups of goals; none means all goals.
    pub goals: Option<usize>,
    pub fields: Fields,
    /// What has been covered without a violation.
    covered: Vec<(Bounds, Explored)>,
}

impl Group {
    fn new(goals: Option<usize>, fields: Fields) -> Group {
        Group { goals, fields, covered: Vec::new() }
    }

    /// What was learnt about the bounds when they were covered.
    pub fn covered(&self, bounds: Bounds) -> Option<Explored> {
        self.covered.iter().find(|(known, _)| *known == bounds).map(|(_, explored)| *explored)
    }

    pub fn learn(&mut self, bounds: Bounds, explored: Explored) {
        if matches!(explored.coverage, Coverage::AllLoops | Coverage::Loops) {
            self.covered.push((bounds, explored));
        }
    }
}

/// The ways to look at a program, one of which is being gone.
#[derive(Clone, Debug)]
pub struct Search {
    pub goals: Goals,
    pub groups: Vec<Group>,
    /// The other way, if there is one.
    other: Option<Vec<Group>>,
    /// The other way has been gone.
    turned: bool,
}

impl Search {
    pub fn new(program: &Program, options: &Options<Own>) -> Result<Search, String> {
        let goals = Goals::of(program, options.checks(Property::Memory));
        let whole = || vec![Group::new(None, Fields::all())];
        let group = |group: usize| Group::new(Some(group), goals.fields(group));
        let sliced = || (0..goals.count()).map(group).collect::<Vec<Group>>();
        let (groups, other) = match (options.own.slice, &options.own.track) {
            _ if !can_slice(options) => (whole(), None),
            (_, Some(names)) => {
                (vec![Group::new(None, Fields::asked(program, names, options)?)], None)
            }
            (Slice::Off, None) => (whole(), None),
            (Slice::Always, None) => (sliced(), None),
            (Slice::Auto, None) if program.regions.len() >= MANY_FIELDS => (sliced(), None),
            (Slice::Auto, None) => (whole(), Some(sliced())),
        };
        Ok(Search { goals, groups, other, turned: false })
    }

    /// Goes the other way, if there is one. Whether it is the first time.
    pub fn turn(&mut self) -> Option<bool> {
        let other = self.other.take()?;
        self.other = Some(std::mem::replace(&mut self.groups, other));
        let first = !self.turned;
        self.turned = true;
        Some(first)
    }

    /// The deadline of a round: earlier where another way can be gone afterwards.
    pub fn deadline(
        &self,
        deadline: Option<Moment>,
        started: Moment,
        end: Option<Moment>,
    ) -> Option<Moment> {
        if self.other.is_none() || self.turned {
            return deadline;
        }
        let part = end.map_or(WITH_ALL_LONGEST, |end| end.since(started).mul_f64(WITH_ALL));
        let end = started + part.min(WITH_ALL_LONGEST);
        Some(deadline.map_or(end, |deadline| deadline.min(end)))
    }
}

/// What groups have covered together: what all of them have.
pub fn together(a: Explored, b: Explored) -> Explored {
    let order = [Coverage::AllLoops, Coverage::Loops, Coverage::OutOfTime, Coverage::TooLarge];
    let least = |coverage: &Coverage| order.iter().position(|c| c == coverage);
    let coverage = if least(&a.coverage) >= least(&b.coverage) { a.coverage } else { b.coverage };
    let cut = Cut {
        threads: a.cut.threads || b.cut.threads,
        calls: a.cut.calls || b.cut.calls,
        size: a.cut.size || b.cut.size,
    };
    Explored { coverage, cut, threads: a.threads.max(b.threads) }
}
