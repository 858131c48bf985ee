//! Which threads relations speak about, and where they stand.
//!
//! A level names instances that are always tracked (the core) and how many other threads are tracked
//! beside them. Nothing needs to be known of a thread of a pool that has not started or has ended:
//! there are always more of them. So the relation of a tuple of locations with such threads is that
//! of the tuple without them, which keeps relations few: [`Key`].
//!
//! Instances that never change shared state and cannot go wrong, such as a `main` that only starts
//! threads, are not tracked at all. What they do can then happen at any time, which proves less, but
//! with fewer relations.

use std::fmt;

use selvedge_system::At;

use super::linear::{Facts, Tier};
use super::view::View;

/// How much is tracked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Instances that every relation speaks about.
    pub core: Vec<usize>,
    /// How many others at most.
    pub others: usize,
    /// Which linear facts are handed over.
    pub facts: Tier,
}

impl Level {
    /// Whether the other level tracks all that this one does.
    pub fn within(&self, other: &Level) -> bool {
        self.core.iter().all(|number| other.core.contains(number))
            && self.others <= other.others
            && self.facts <= other.facts
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "level {}", self.others)?;
        if !self.core.is_empty() {
            write!(f, " beside {} instances", self.core.len())?;
        }
        match self.facts {
            Tier::Bounded => Ok(()),
            Tier::Present => f.write_str(", with counts"),
            Tier::Ever => f.write_str(", with all counts"),
        }
    }
}

/// A thread: its template and where it stands.
pub type Placed = (usize, At);

/// What a relation is about: threads and where they stand, sorted.
pub type Key = Vec<Placed>;

/// Templates, sorted; a pool may occur several times.
pub(crate) type Shape = Vec<usize>;

/// A level of a program.
pub struct Frame<'a> {
    pub view: &'a View,
    pub level: &'a Level,
    pub facts: &'a Facts,
    /// By template: whether it is never tracked.
    hidden: Vec<bool>,
    pools: bool,
}

impl<'a> Frame<'a> {
    pub fn new(view: &'a View, level: &'a Level, facts: &'a Facts) -> Frame<'a> {
        let pools = view.threads.iter().any(|thread| thread.pool);
        let hidden = view.threads.iter().enumerate();
        let hidden = hidden.map(|(number, thread)| {
            pools && !thread.pool && !level.core.contains(&number) && thread.silent()
        });
        Frame { view, level, facts, hidden: hidden.collect(), pools }
    }

    /// Whether any number of threads run.
    pub(crate) fn pools(&self) -> bool {
        self.pools
    }

    /// Whether relations speak about a thread at this place.
    pub(crate) fn tracks(&self, placed: Placed) -> bool {
        let (number, at) = placed;
        let thread = &self.view.threads[number];
        let idle = match at {
            At::Ended => true,
            At::Unstarted => thread.live(at).is_empty(),
            At::Cut(_) => false,
        };
        !(self.hidden[number] || thread.pool && idle)
    }

    /// The threads among these that relations speak about, in the order of a key.
    pub(crate) fn order(&self, threads: &[Placed], among: &[usize]) -> Vec<usize> {
        let mut order: Vec<usize> =
            among.iter().copied().filter(|&index| self.tracks(threads[index])).collect();
        order.sort_by_key(|&index| (threads[index], index));
        order
    }

    pub(crate) fn key(&self, threads: &[Placed], order: &[usize]) -> Key {
        order.iter().map(|&index| threads[index]).collect()
    }

    /// How many threads of pools could be tracked beside those of a key.
    pub(crate) fn room(&self, key: &[Placed]) -> usize {
        if self.pools { self.level.others.saturating_sub(self.beside(key)) } else { 0 }
    }

    fn beside(&self, key: &[Placed]) -> usize {
        key.iter().filter(|(number, _)| !self.level.core.contains(number)).count()
    }

    pub(crate) fn is_core(&self, number: usize) -> bool {
        self.level.core.contains(&number)
    }

    /// Positions of threads of pools that have not started. There are always more of them, so what
    /// holds of the key holds of the key without one of them.
    pub(crate) fn spares(&self, key: &[Placed]) -> Vec<usize> {
        let spare = |&index: &usize| {
            let (number, at) = key[index];
            at == At::Unstarted && self.view.threads[number].pool && !self.is_core(number)
        };
        if self.beside(key) < 2 { Vec::new() } else { (0..key.len()).filter(spare).collect() }
    }

    /// Whether the errors of a thread are queries at this key, and not at one with fewer threads.
    pub(crate) fn asks(&self, key: &[Placed], mover: usize) -> bool {
        self.is_least(key, &[key[mover]])
    }

    /// Whether no key with fewer threads has these ones.
    pub(crate) fn is_least(&self, key: &[Placed], about: &[Placed]) -> bool {
        let mut rest: Vec<Placed> = key.to_vec();
        for placed in about {
            match rest.iter().position(|other| other == placed) {
                Some(position) => rest.swap_remove(position),
                None => return false,
            };
        }
        !self.pools() || rest.iter().all(|placed| self.is_core(placed.0))
    }

    /// The largest choices of threads that there are relations for; first those without the last
    /// threads.
    pub(crate) fn premises(&self, threads: &[Placed]) -> Vec<Vec<usize>> {
        let told = (0..threads.len()).filter(|&index| self.tracks(threads[index]));
        let core = |index: &usize| self.level.core.contains(&threads[*index].0);
        let (core, others): (Vec<usize>, Vec<usize>) = told.partition(core);
        let size = self.level.others.min(others.len());
        let mut found = Vec::new();
        subsets(&others, size, &mut Vec::new(), &mut |chosen| {
            let all: Vec<usize> = core.iter().chain(chosen).copied().collect();
            found.push(self.order(threads, &all));
        });
        found
    }

    /// The shapes of this many threads beside the core.
    pub(crate) fn shapes(&self, others: usize) -> Vec<Shape> {
        let all = 0..self.view.threads.len();
        let free: Vec<usize> =
            all.filter(|n| !self.level.core.contains(n) && !self.hidden[*n]).collect();
        let size = if self.pools { others } else { others.min(free.len()) };
        let mut shapes = Vec::new();
        self.choose(&free, size, &mut self.level.core.clone(), &mut shapes);
        shapes
    }

    fn choose(&self, from: &[usize], size: usize, begun: &mut Shape, shapes: &mut Vec<Shape>) {
        if size == 0 {
            let mut shape = begun.clone();
            shape.sort_unstable();
            shapes.push(shape);
            return;
        }
        for (index, &number) in from.iter().enumerate() {
            begun.push(number);
            let pool = self.view.threads[number].pool;
            let rest = if pool { &from[index..] } else { &from[index + 1..] };
            self.choose(rest, size - 1, begun, shapes);
            begun.pop();
        }
    }

    /// Where the threads of a shape may stand in the beginning.
    pub(crate) fn beginnings(&self, shape: &[usize]) -> Vec<Vec<Placed>> {
        let starts = |&number: &usize| {
            let starts = self.view.threads[number].starts.iter();
            starts.map(|&at| (number, at)).collect::<Vec<Placed>>()
        };
        product(&shape.iter().map(starts).collect::<Vec<_>>())
    }
}

/// All tuples with one of each list.
pub(crate) fn product<T: Clone>(lists: &[Vec<T>]) -> Vec<Vec<T>> {
    let mut all = vec![Vec::new()];
    for list in lists {
        let longer = |begun: &Vec<T>| {
            let begun = begun.clone();
            list.iter().map(move |next| begun.iter().cloned().chain([next.clone()]).collect())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

fn subsets(from: &[usize], size: usize, begun: &mut Vec<usize>, found: &mut dyn FnMut(&[usize])) {
    if size == 0 {
        return found(begun);
    }
    for (index, &next) in from.iter().enumerate() {
        begun.push(next);
        subsets(&from[index + 1..], size - 1, begun, found);
        begun.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_and_products() {
        let mut found = Vec::new();
        subsets(&[4, 5, 6], 2, &mut Vec::new(), &mut |chosen| found.push(chosen.to_vec()));
        assert_eq!(found, [[4, 5], [4, 6], [5, 6]]);
        assert_eq!(product(&[vec![1, 2], vec![3]]), [[1, 3], [2, 3]]);
    }
}
