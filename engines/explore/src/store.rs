//! The set of states seen: each once, as bytes, in order of discovery.
//!
//! States lie behind one another in chunks that never move, so growing costs no copying and the
//! memory in use is known exactly. The hash table holds only indices; where a state came from
//! (parent and thread) stands beside it for the way back.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

const CHUNK: usize = 1 << 20;

/// How a state was reached first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    pub parent: u32,
    /// The thread that moved, by its place in the parent.
    pub thread: u16,
}

#[derive(Default)]
pub struct Store {
    /// Indices, each with its state's hash, so that growing touches no state.
    table: HashTable<(u32, [u32; 2])>,
    chunks: Vec<Vec<u8>>,
    /// Chunk and place in it, and length.
    places: Vec<(u32, u32, u32)>,
    origins: Vec<Origin>,
    /// Bytes in chunks.
    bytes: usize,
}

impl Store {
    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn get(&self, index: u32) -> &[u8] {
        slice(&self.chunks, self.places[index as usize])
    }

    pub fn origin(&self, index: u32) -> Origin {
        self.origins[index as usize]
    }

    /// The state's index, and whether it is new.
    pub fn insert(&mut self, state: &[u8], origin: Origin) -> (u32, bool) {
        let hash = hash(state);
        let halves = [hash as u32, (hash >> 32) as u32];
        let found = self.table.find(hash, |&(index, other)| {
            other == halves && slice(&self.chunks, self.places[index as usize]) == state
        });
        if let Some(&(index, _)) = found {
            return (index, false);
        }
        let index = self.places.len() as u32;
        let place = self.append(state);
        self.places.push(place);
        self.origins.push(origin);
        self.table.insert_unique(hash, (index, halves), |&(_, [low, high])| {
            u64::from(low) | u64::from(high) << 32
        });
        (index, true)
    }

    fn append(&mut self, state: &[u8]) -> (u32, u32, u32) {
        let full = self.chunks.last().is_none_or(|c| c.capacity() - c.len() < state.len());
        if full {
            let capacity = CHUNK.max(state.len());
            self.bytes += capacity;
            self.chunks.push(Vec::with_capacity(capacity));
        }
        let last = self.chunks.len() - 1;
        let chunk = &mut self.chunks[last];
        let start = chunk.len();
        chunk.extend_from_slice(state);
        (last as u32, start as u32, state.len() as u32)
    }

    /// Bytes in use, tables included.
    pub fn memory(&self) -> usize {
        self.bytes
            + self.places.capacity() * size_of::<(u32, u32, u32)>()
            + self.origins.capacity() * size_of::<Origin>()
            + self.table.allocation_size()
    }

    /// Bytes that the next insertion may need at once, when tables double.
    pub fn growth(&self) -> usize {
        let doubling = |len: usize, capacity: usize, size: usize| {
            if len == capacity { 2 * capacity * size } else { 0 }
        };
        CHUNK
            + doubling(self.places.len(), self.places.capacity(), size_of::<(u32, u32, u32)>())
            + doubling(self.origins.len(), self.origins.capacity(), size_of::<Origin>())
            + doubling(self.table.len(), self.table.capacity(), 2 * size_of::<(u32, [u32; 2])>())
    }
}

fn slice(chunks: &[Vec<u8>], (chunk, start, len): (u32, u32, u32)) -> &[u8] {
    &chunks[chunk as usize][start as usize..(start + len) as usize]
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGIN: Origin = Origin { parent: 0, thread: 0 };

    #[test]
    fn states_are_kept_once_and_in_order() {
        let mut store = Store::default();
        for round in 0..2 {
            for i in 0..10_000u32 {
                let (index, new) = store.insert(&i.to_le_bytes(), ORIGIN);
                assert_eq!((index, new), (i, round == 0));
            }
        }
        assert_eq!(store.get(77), 77u32.to_le_bytes());
        assert_eq!(store.len(), 10_000);
    }

    #[test]
    fn a_state_may_be_larger_than_a_chunk() {
        let mut store = Store::default();
        let large = vec![1; CHUNK + 1];
        store.insert(&[2], ORIGIN);
        let (index, _) = store.insert(&large, ORIGIN);
        assert_eq!(store.get(index), large);
        assert!(store.memory() > CHUNK);
    }
}
