//! Multisets of local states: how many threads stand where.

use super::Local;

/// A multiset of local states, as a sorted list with repetitions. Sets of a few threads are what
/// backward search is about, so a list is smaller and faster than a vector of counters.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Threads(Vec<Local>);

impl Threads {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// In ascending order, each as often as it is there.
    pub fn iter(&self) -> impl Iterator<Item = Local> + '_ {
        self.0.iter().copied()
    }

    pub fn as_slice(&self) -> &[Local] {
        &self.0
    }

    pub fn contains(&self, local: Local) -> bool {
        self.0.binary_search(&local).is_ok()
    }

    /// Whether everything in `other` is here, as often.
    pub fn includes(&self, other: &Threads) -> bool {
        other.len() <= self.len() && other.without(self).is_empty()
    }

    /// What is left when as much as possible of `other` is taken away.
    pub fn without(&self, other: &Threads) -> Threads {
        let mut taken = other.iter().peekable();
        let kept = self.iter().filter(|local| {
            while taken.next_if(|next| next < local).is_some() {}
            taken.next_if(|next| next == local).is_none()
        });
        Threads(kept.collect())
    }

    /// Both together.
    pub fn plus(&self, other: &Threads) -> Threads {
        self.iter().chain(other.iter()).collect()
    }

    /// Each local state once, with how many threads are there.
    pub fn counts(&self) -> impl Iterator<Item = (Local, usize)> + '_ {
        self.0.chunk_by(|a, b| a == b).map(|group| (group[0], group.len()))
    }
}

impl FromIterator<Local> for Threads {
    fn from_iter<I: IntoIterator<Item = Local>>(locals: I) -> Threads {
        let mut list: Vec<Local> = locals.into_iter().collect();
        list.sort_unstable();
        Threads(list)
    }
}

impl<const N: usize> From<[u32; N]> for Threads {
    fn from(locals: [u32; N]) -> Threads {
        locals.into_iter().map(Local).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inclusion_counts_repetitions() {
        let threads = Threads::from([2, 0, 2, 1]);
        assert!(threads.includes(&Threads::from([2, 2])));
        assert!(threads.includes(&Threads::default()));
        assert!(!threads.includes(&Threads::from([1, 1])));
        assert!(!threads.includes(&Threads::from([3])));
    }

    #[test]
    fn taking_away_and_adding() {
        let threads = Threads::from([0, 1, 1, 3]);
        assert_eq!(threads.without(&Threads::from([1, 2, 3, 3])), Threads::from([0, 1]));
        assert_eq!(threads.without(&threads), Threads::default());
        assert_eq!(threads.plus(&Threads::from([2])), Threads::from([0, 1, 1, 2, 3]));
        let counts: Vec<_> = threads.counts().collect();
        assert_eq!(counts, [(Local(0), 1), (Local(1), 2), (Local(3), 1)]);
    }
}
