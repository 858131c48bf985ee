//! Whether a state is above one of many: a tree of sorted lists for each shared state.
//!
//! A multiset is contained in another exactly if its sorted list is a subsequence of the other's.

use std::collections::BTreeMap;

use crate::tts::{Local, Shared, State};

/// All states that have at least the threads of one of these.
#[derive(Default)]
pub struct Above(BTreeMap<Shared, Node>);

#[derive(Default)]
struct Node {
    /// A list ends here.
    ends: bool,
    longer: BTreeMap<Local, Node>,
}

impl Above {
    pub fn of(elements: &[State]) -> Above {
        let mut above = Above::default();
        for element in elements {
            let mut node = above.0.entry(element.shared).or_default();
            for local in element.threads.iter() {
                node = node.longer.entry(local).or_default();
            }
            node.ends = true;
        }
        above
    }

    pub fn contains(&self, state: &State) -> bool {
        self.0.get(&state.shared).is_some_and(|node| node.below(state.threads.as_slice()))
    }
}

impl Node {
    /// Whether a list from here on is a subsequence of this one.
    fn below(&self, list: &[Local]) -> bool {
        self.ends
            || list.iter().enumerate().any(|(index, local)| {
                let again = index > 0 && list[index - 1] == *local;
                let next = if again { None } else { self.longer.get(local) };
                next.is_some_and(|node| node.below(&list[index + 1..]))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tts::Threads;

    #[test]
    fn above_is_to_have_at_least_the_threads_of_one() {
        let state = |shared, threads: &[u32]| {
            let threads: Threads = threads.iter().map(|local| Local(*local)).collect();
            State { shared: Shared(shared), threads }
        };
        let above = Above::of(&[state(0, &[1, 1, 3]), state(0, &[2]), state(1, &[])]);
        let cases: [(u32, &[u32], bool); 8] = [
            (0, &[0, 1, 1, 2], true),
            (0, &[1, 1, 3], true),
            (0, &[1, 1, 1, 2], true),
            (0, &[0, 1, 3], false),
            (0, &[1, 1], false),
            (0, &[], false),
            (1, &[7], true),
            (2, &[1, 1, 3], false),
        ];
        for (shared, threads, expected) in cases {
            assert_eq!(above.contains(&state(shared, threads)), expected, "{shared}|{threads:?}");
        }
        assert!(!Above::of(&[]).contains(&state(0, &[])));
    }
}
