//! An index of multisets for their ordering: a trie over their sorted lists.
//!
//! One multiset is below another exactly if its sorted list is a subsequence of the other's, so
//! "is something below this one?" walks only through branches whose labels occur in the list, and
//! "what is above this one?" only through branches that can still contain what is missing. Both
//! look at a small part of a large basis, where a list would be read to its end.

use selvedge_certify::tts::{Local, Threads};

/// Multisets, each with a value.
#[derive(Clone, Debug)]
pub struct Order {
    nodes: Vec<Node>,
    free: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    /// Sorted by label.
    children: Vec<(Local, u32)>,
    value: Option<u32>,
    /// Bounds on what stands below: the largest label, and the longest rest. They may be too large
    /// after a removal, which costs time but is not wrong.
    last: Option<Local>,
    height: u32,
}

const ROOT: u32 = 0;

impl Default for Order {
    fn default() -> Order {
        Order { nodes: vec![Node::default()], free: Vec::new() }
    }
}

impl Order {
    pub fn insert(&mut self, threads: &Threads, value: u32) {
        let mut at = ROOT;
        let last = threads.as_slice().last().copied();
        for (index, local) in threads.iter().enumerate() {
            let node = &mut self.nodes[at as usize];
            node.last = node.last.max(last);
            node.height = node.height.max((threads.len() - index) as u32);
            at = self.child_or_new(at, local);
        }
        self.nodes[at as usize].value = Some(value);
    }

    fn child_or_new(&mut self, at: u32, local: Local) -> u32 {
        let found = self.nodes[at as usize].children.binary_search_by_key(&local, |c| c.0);
        let place = match found {
            Ok(place) => return self.nodes[at as usize].children[place].1,
            Err(place) => place,
        };
        let new = match self.free.pop() {
            Some(node) => node,
            None => {
                self.nodes.push(Node::default());
                self.nodes.len() as u32 - 1
            }
        };
        self.nodes[at as usize].children.insert(place, (local, new));
        new
    }

    /// Some multiset that is contained in this one (or equal to it).
    pub fn below(&self, threads: &Threads) -> Option<u32> {
        self.below_from(ROOT, threads.as_slice())
    }

    fn below_from(&self, at: u32, rest: &[Local]) -> Option<u32> {
        let node = &self.nodes[at as usize];
        if node.value.is_some() {
            return node.value;
        }
        let mut rest = rest;
        for &(label, child) in &node.children {
            let skipped = rest.iter().take_while(|local| **local < label).count();
            rest = &rest[skipped..];
            let first = rest.first()?;
            if *first == label
                && let Some(found) = self.below_from(child, &rest[1..])
            {
                return Some(found);
            }
        }
        None
    }

    /// Removes every multiset that contains this one, and gives their values.
    pub fn remove_above(&mut self, threads: &Threads) -> Vec<u32> {
        let mut removed = Vec::new();
        self.remove_from(ROOT, threads.as_slice(), &mut removed);
        removed
    }

    /// Whether nothing is left below the node.
    fn remove_from(&mut self, at: u32, rest: &[Local], removed: &mut Vec<u32>) -> bool {
        let node = &mut self.nodes[at as usize];
        if let [.., last] = rest
            && (node.last < Some(*last) || (node.height as usize) < rest.len())
        {
            return false;
        }
        if rest.is_empty() {
            removed.extend(node.value.take());
        }
        let mut index = 0;
        while let Some(&(label, child)) = self.nodes[at as usize].children.get(index) {
            let left = match rest.first() {
                Some(next) if label > *next => break,
                Some(next) if label == *next => &rest[1..],
                _ => rest,
            };
            if self.remove_from(child, left, removed) {
                self.nodes[at as usize].children.remove(index);
                self.nodes[child as usize] = Node::default();
                self.free.push(child);
            } else {
                index += 1;
            }
        }
        let node = &self.nodes[at as usize];
        node.value.is_none() && node.children.is_empty()
    }

    /// How many nodes there are, for an estimate of the memory they take.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_random::Rng;

    fn random(rng: &mut Rng) -> Threads {
        let length = rng.below(5);
        (0..length).map(|_| Local(rng.below(4) as u32)).collect()
    }

    /// The index against a list, on random multisets.
    #[test]
    fn agrees_with_a_list() {
        let mut rng = Rng::new(7);
        for _ in 0..200 {
            let mut order = Order::default();
            let mut list: Vec<(Threads, u32)> = Vec::new();
            for value in 0..40 {
                let threads = random(&mut rng);
                let below = list.iter().any(|(other, _)| threads.includes(other));
                assert_eq!(order.below(&threads).is_some(), below, "{threads}");
                if rng.one_in(3) {
                    let mut removed = order.remove_above(&threads);
                    removed.sort_unstable();
                    let (above, kept): (Vec<_>, Vec<_>) =
                        list.into_iter().partition(|(other, _)| other.includes(&threads));
                    list = kept;
                    let expected: Vec<u32> = above.iter().map(|(_, value)| *value).collect();
                    assert_eq!(removed, expected, "{threads}");
                } else if list.iter().all(|(other, _)| *other != threads) {
                    order.insert(&threads, value);
                    list.push((threads, value));
                }
            }
        }
    }
}
