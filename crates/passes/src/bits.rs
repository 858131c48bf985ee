//! Sets of ids as bit vectors, with the operations that fixed points need: union that tells
//! whether anything was new, intersection, and the test for a common member.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use cranelift_entity::EntityRef;

/// A set of ids. Missing words count as zero, so sets of any capacity compare.
pub struct BitSet<K> {
    words: Vec<u64>,
    keys: PhantomData<K>,
}

impl<K: EntityRef> BitSet<K> {
    pub fn new() -> BitSet<K> {
        BitSet { words: Vec::new(), keys: PhantomData }
    }

    pub fn contains(&self, key: K) -> bool {
        let index = key.index();
        self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// Whether it was new.
    pub fn insert(&mut self, key: K) -> bool {
        let (word, bit) = (key.index() / 64, 1u64 << (key.index() % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    pub fn remove(&mut self, key: K) {
        if let Some(word) = self.words.get_mut(key.index() / 64) {
            *word &= !(1 << (key.index() % 64));
        }
    }

    /// Whether anything was new.
    pub fn union_with(&mut self, other: &BitSet<K>) -> bool {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut new = false;
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            new |= *theirs & !*mine != 0;
            *mine |= theirs;
        }
        new
    }

    /// Whether anything went away.
    pub fn intersect_with(&mut self, other: &BitSet<K>) -> bool {
        let mut less = false;
        for (index, mine) in self.words.iter_mut().enumerate() {
            let kept = *mine & other.words.get(index).copied().unwrap_or(0);
            less |= kept != *mine;
            *mine = kept;
        }
        less
    }

    pub fn intersects(&self, other: &BitSet<K>) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    pub fn iter(&self) -> impl Iterator<Item = K> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| K::new(at * 64 + bit))
        })
    }

    /// The words up to the last that is not zero, so that equal sets have equal words.
    fn trimmed(&self) -> &[u64] {
        let used = self.words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        &self.words[..used]
    }
}

impl<K: EntityRef> Default for BitSet<K> {
    fn default() -> BitSet<K> {
        BitSet::new()
    }
}

impl<K> Clone for BitSet<K> {
    fn clone(&self) -> BitSet<K> {
        BitSet { words: self.words.clone(), keys: PhantomData }
    }
}

impl<K: EntityRef> PartialEq for BitSet<K> {
    fn eq(&self, other: &BitSet<K>) -> bool {
        self.trimmed() == other.trimmed()
    }
}

impl<K: EntityRef> Eq for BitSet<K> {}

impl<K: EntityRef> Hash for BitSet<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.trimmed().hash(state);
    }
}

impl<K: EntityRef + fmt::Debug> fmt::Debug for BitSet<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl<K: EntityRef> FromIterator<K> for BitSet<K> {
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> BitSet<K> {
        let mut set = BitSet::new();
        set.extend(keys);
        set
    }
}

impl<K: EntityRef> Extend<K> for BitSet<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        for key in keys {
            self.insert(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use selvedge_ir::RegionId;

    use super::*;

    fn set(members: &[usize]) -> BitSet<RegionId> {
        members.iter().map(|&m| RegionId::new(m)).collect()
    }

    #[test]
    fn equality_ignores_capacity() {
        let mut wide = set(&[3, 200]);
        wide.remove(RegionId::new(200));
        assert_eq!(wide, set(&[3]));
    }

    #[test]
    fn union_reports_news() {
        let mut a = set(&[1]);
        assert!(a.union_with(&set(&[1, 70])));
        assert!(!a.union_with(&set(&[70])));
        assert_eq!(a.iter().map(|r| r.index()).collect::<Vec<_>>(), [1, 70]);
    }

    #[test]
    fn intersection() {
        let mut a = set(&[1, 2, 100]);
        assert!(a.intersects(&set(&[100])));
        assert!(a.intersect_with(&set(&[2, 3])));
        assert_eq!(a, set(&[2]));
        assert!(!a.intersects(&set(&[1])));
    }
}
