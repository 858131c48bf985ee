//! Which levels are worth trying for a program.
//!
//! One, two or three threads beside none or all of the instances, with the linear facts that mostly
//! help; with other facts and with three threads later, as their relations are many.

use super::frame::Level;
use super::linear::{Facts, Tier};
use super::view::View;

/// A level to be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    pub level: Level,
    /// Only when those that are not late have had their turn.
    pub late: bool,
}

/// The core is tracked as a whole only while there are not more location tuples of it.
const CORE_TUPLES: usize = 200;

/// The most threads that are tracked beside the core.
const MOST: usize = 3;

/// All levels for a program, with growing numbers of threads.
pub fn levels(view: &View, facts: &Facts) -> Vec<Planned> {
    let tiers = facts.tiers(view);
    let pools = view.threads.iter().any(|thread| thread.pool);
    let tracked = |number: &usize| {
        let thread = &view.threads[*number];
        !(thread.pool || pools && thread.silent())
    };
    let instances: Vec<usize> = (0..view.threads.len()).filter(tracked).collect();
    let tuples = instances.iter().map(|&number| view.threads[number].places());
    let small = tuples.fold(1usize, usize::saturating_mul) <= CORE_TUPLES;
    let usual = if tiers.contains(&Tier::Present) { Tier::Present } else { Tier::Bounded };
    let most = if pools { MOST } else { MOST.min(instances.len()) };
    let mut planned = Vec::new();
    for others in 1..=most {
        let mut add = |core: &[usize], facts, late| {
            planned.push(Planned { level: Level { core: core.to_vec(), others, facts }, late });
        };
        let late = others > 2;
        add(&[], usual, late);
        if small && !instances.is_empty() && pools {
            add(&instances, usual, late);
        }
        if tiers.contains(&Tier::Ever) {
            add(&[], Tier::Ever, late);
        }
        if usual != Tier::Bounded && others > 1 {
            add(&[], Tier::Bounded, true);
        }
    }
    if !pools && instances.len() > MOST {
        let level = Level { core: instances, others: 0, facts: usual };
        planned.push(Planned { level, late: false });
    }
    planned
}

/// The levels where a guess takes little time, those that answer fast first.
pub(crate) fn quick(view: &View, facts: &Facts) -> Vec<Level> {
    let planned = levels(view, facts).into_iter();
    let quick = planned.filter(|planned| !planned.late && planned.level.facts != Tier::Ever);
    let mut quick: Vec<Level> = quick.map(|planned| planned.level).collect();
    quick.sort_by_key(|level| (!level.core.is_empty(), level.others != 1));
    quick
}
