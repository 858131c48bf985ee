//! The order in which an unrolled program is built: a weak topological order.
//!
//! Bourdoncle, "Efficient chaotic iteration strategies with widenings" (1993): locations are
//! ordered hierarchically into components, each a loop with a head, nested in one another; an edge
//! leads forward, or back to the head of a component around it. It exists for irreducible graphs
//! too: a second way into a loop enters it in the middle. A copy of a location is named by the
//! place of the location in this order with the iteration of each loop around it put in between;
//! comparing these names orders the copies topologically.

use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use selvedge_ir::{LocationId, Procedure};
use selvedge_passes::graph::{components, is_cyclic};
use smallvec::SmallVec;

/// The name of a copy: indices and iterations by turns, from the outermost loop inwards.
pub(super) type Key = SmallVec<[u32; 8]>;

#[derive(Clone, Debug, Default)]
struct Position {
    /// In the list of the whole, in that of the outermost loop around, and so on inwards.
    indices: Vec<u32>,
    /// The loops around, outermost first; one less than indices.
    loops: Vec<u32>,
}

#[derive(Clone, Debug)]
pub(super) struct Order {
    positions: SecondaryMap<LocationId, Position>,
    loops: u32,
}

/// Where an edge leads in the unrolled program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub key: Key,
    /// The loop whose next iteration this begins, as a level of nesting.
    pub back: Option<usize>,
}

impl Order {
    pub fn of(procedure: &Procedure) -> Order {
        let mut order = Order { positions: SecondaryMap::new(), loops: 0 };
        let everything: Vec<LocationId> = reachable(procedure);
        // Explicit stack: the parts of each level, with the position of the loop around them.
        let mut work = vec![(everything, Position::default())];
        while let Some((members, around)) = work.pop() {
            order.level(procedure, &members, &around, &mut work);
        }
        order
    }

    /// Orders one level: the locations of a loop without its head, or of the whole.
    fn level(
        &mut self,
        procedure: &Procedure,
        members: &[LocationId],
        around: &Position,
        work: &mut Vec<(Vec<LocationId>, Position)>,
    ) {
        let numbers: FxHashMap<LocationId, u32> =
            members.iter().enumerate().map(|(i, &at)| (at, i as u32)).collect();
        let successors: Vec<Vec<u32>> = members
            .iter()
            .map(|&at| {
                let edges = procedure.locations[at].edges.iter();
                edges.filter_map(|edge| numbers.get(&edge.target).copied()).collect()
            })
            .collect();
        let mut found = components(&successors);
        found.reverse();
        // The head of a loop has index 0 in the loop's list.
        let first = u32::from(!around.loops.is_empty());
        for (index, component) in found.iter().enumerate() {
            let mut position = around.clone();
            position.indices.push(first + index as u32);
            if !is_cyclic(component, &successors) {
                self.positions[members[component[0] as usize]] = position;
                continue;
            }
            position.loops.push(self.loops);
            self.loops += 1;
            // Members are in order of discovery from the entry, so the least is an entry of the loop.
            let head = *component.iter().min().expect("components are not empty");
            let mut rest: Vec<u32> = component.iter().copied().filter(|&m| m != head).collect();
            rest.sort_unstable();
            let rest: Vec<LocationId> = rest.into_iter().map(|m| members[m as usize]).collect();
            let mut at_head = position.clone();
            at_head.indices.push(0);
            self.positions[members[head as usize]] = at_head;
            if !rest.is_empty() {
                work.push((rest, position));
            }
        }
    }

    /// The first copy of a location.
    pub fn first(&self, at: LocationId) -> Key {
        self.key(at, |_| 0)
    }

    fn key(&self, at: LocationId, iteration: impl Fn(usize) -> u32) -> Key {
        let mut key = Key::new();
        for (level, &index) in self.positions[at].indices.iter().enumerate() {
            if level > 0 {
                key.push(iteration(level - 1));
            }
            key.push(index);
        }
        key
    }

    /// Where an edge from a copy of a location leads.
    pub fn target(&self, from: LocationId, key: &Key, to: LocationId) -> Target {
        let (source, target) = (&self.positions[from], &self.positions[to]);
        let common = source.loops.iter().zip(&target.loops).take_while(|(a, b)| a == b).count();
        let back = (self.is_head(to) && common == target.loops.len()).then(|| common - 1);
        let key = self.key(to, |level| {
            let same = if level < common { key[2 * level + 1] } else { 0 };
            same + u32::from(back == Some(level))
        });
        Target { key, back }
    }

    /// Whether a loop begins here.
    pub fn is_head(&self, at: LocationId) -> bool {
        let position = &self.positions[at];
        !position.loops.is_empty() && position.indices.last() == Some(&0)
    }

    /// How many loops are around a location.
    pub fn depth(&self, at: LocationId) -> usize {
        self.positions[at].loops.len()
    }

    /// The outermost loop level that an edge leaves; none if it stays in all loops around its
    /// source.
    pub fn leaves(&self, from: LocationId, to: LocationId) -> Option<usize> {
        let (source, target) = (&self.positions[from], &self.positions[to]);
        let common = source.loops.iter().zip(&target.loops).take_while(|(a, b)| a == b).count();
        (common < source.loops.len()).then_some(common)
    }
}

/// In order of discovery, depth first.
fn reachable(procedure: &Procedure) -> Vec<LocationId> {
    let mut seen: SecondaryMap<LocationId, bool> = SecondaryMap::new();
    let mut order = Vec::new();
    let mut open = vec![procedure.entry];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        order.push(at);
        open.extend(procedure.locations[at].edges.iter().rev().map(|edge| edge.target));
    }
    order
}

#[cfg(test)]
mod tests {
    use selvedge_ir::{Action, Grain, Procedure, Span};

    use super::*;

    fn graph(size: u32, edges: &[(u32, u32)]) -> Procedure {
        let at = LocationId::from_u32;
        let mut procedure = Procedure {
            name: "f".into(),
            params: Vec::new(),
            result: None,
            locals: Default::default(),
            locations: Default::default(),
            entry: at(0),
            exit: at(size - 1),
            span: Span::NONE,
        };
        for _ in 0..size {
            procedure.add_location(Grain::Yield);
        }
        for &(from, to) in edges {
            procedure.add_edge(at(from), Action::Skip, at(to), Span::NONE);
        }
        procedure
    }

    /// Every edge of every copy with few iterations leads to a greater copy.
    fn check_forward(procedure: &Procedure) -> usize {
        let order = Order::of(procedure);
        let mut copies = vec![(procedure.entry, order.first(procedure.entry))];
        let mut next = 0;
        while next < copies.len() {
            let (at, key) = copies[next].clone();
            next += 1;
            for edge in &procedure.locations[at].edges {
                let target = order.target(at, &key, edge.target);
                assert!(target.key > key, "{at} {key:?} to {} {:?}", edge.target, target.key);
                let rounds = target.key.iter().skip(1).step_by(2).max().copied().unwrap_or(0);
                let copy = (edge.target, target.key);
                if rounds <= 2 && !copies.contains(&copy) {
                    copies.push(copy);
                }
            }
        }
        copies.len()
    }

    #[test]
    fn nested_loops() {
        // 0 -> 1 (2 (3)) -> 4
        let nested = graph(5, &[(0, 1), (1, 2), (2, 3), (3, 2), (2, 1), (1, 4)]);
        // 0, 4, three times 1, nine times 2 and 3 each.
        assert_eq!(check_forward(&nested), 2 + 3 + 9 + 9);
    }

    #[test]
    fn a_loop_with_two_ways_in() {
        let irreducible = graph(4, &[(0, 1), (0, 2), (1, 2), (2, 1), (1, 3)]);
        check_forward(&irreducible);
        let order = Order::of(&irreducible);
        let at = LocationId::from_u32;
        assert_eq!(order.depth(at(1)), 1);
        assert_eq!(order.depth(at(2)), 1);
        assert_eq!(order.leaves(at(1), at(3)), Some(0));
        assert_eq!(order.leaves(at(1), at(2)), None);
    }

    #[test]
    fn a_location_that_leads_to_itself() {
        let graph = graph(3, &[(0, 1), (1, 1), (1, 2)]);
        assert_eq!(check_forward(&graph), 5);
    }
}
