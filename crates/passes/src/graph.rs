//! Graphs without recursion: strongly connected components, and the order of control flow.
//!
//! Tarjan, "Depth-first search and linear graph algorithms" (1972). Components come out in reverse
//! topological order: whatever a component leads to stands before it. That is the order in which
//! bottom-up passes (inlining, footprints) want to work.

use selvedge_ir::{Action, Edge, Location, LocationId, Procedure};

use crate::bits::BitSet;

/// Whether a thread can arrive at the edge's target: not behind the end of a thread or program.
pub fn arrives(edge: &Edge) -> bool {
    !matches!(edge.action, Action::EndThread { .. } | Action::Halt)
}

/// The locations that control flow leads to from each location.
pub fn control_flow(procedure: &Procedure) -> Vec<Vec<u32>> {
    let next = |location: &Location| {
        let arriving = location.edges.iter().filter(|edge| arrives(edge));
        arriving.map(|edge| edge.target.as_u32()).collect()
    };
    procedure.locations.values().map(next).collect()
}

/// The locations that the entry reaches, each before those that it leads to, but for cycles.
pub fn reverse_postorder(procedure: &Procedure) -> Vec<LocationId> {
    let mut order = Vec::new();
    let mut seen: BitSet<LocationId> = BitSet::new();
    // Alternatives are taken backwards, so that the first stands first in the reversed order.
    let mut path = vec![(procedure.entry, procedure.locations[procedure.entry].edges.len())];
    seen.insert(procedure.entry);
    while let Some((at, left)) = path.last_mut() {
        match left.checked_sub(1) {
            Some(index) => {
                *left = index;
                let target = procedure.locations[*at].edges[index].target;
                if seen.insert(target) {
                    path.push((target, procedure.locations[target].edges.len()));
                }
            }
            None => {
                order.push(*at);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The components, each a list of nodes, successors first.
pub fn components(successors: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut search = Search {
        successors,
        index: vec![UNSEEN; successors.len()],
        low: vec![0; successors.len()],
        on_stack: vec![false; successors.len()],
        stack: Vec::new(),
        next: 0,
        found: Vec::new(),
    };
    for root in 0..successors.len() as u32 {
        if search.index[root as usize] == UNSEEN {
            search.run(root);
        }
    }
    search.found
}

/// Whether the component is a cycle: several nodes, or one that leads to itself.
pub fn is_cyclic(component: &[u32], successors: &[Vec<u32>]) -> bool {
    match component {
        [only] => successors[*only as usize].contains(only),
        _ => true,
    }
}

const UNSEEN: u32 = u32::MAX;

struct Search<'a> {
    successors: &'a [Vec<u32>],
    index: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<u32>,
    next: u32,
    found: Vec<Vec<u32>>,
}

impl Search<'_> {
    fn run(&mut self, root: u32) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((node, edge)) = path.last_mut() {
            let node = *node;
            if let Some(&next) = self.successors[node as usize].get(*edge) {
                *edge += 1;
                if self.index[next as usize] == UNSEEN {
                    self.enter(next);
                    path.push((next, 0));
                } else if self.on_stack[next as usize] {
                    self.lower(node, self.index[next as usize]);
                }
            } else {
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    self.lower(parent, self.low[node as usize]);
                }
                self.leave(node);
            }
        }
    }

    fn enter(&mut self, node: u32) {
        self.index[node as usize] = self.next;
        self.low[node as usize] = self.next;
        self.next += 1;
        self.stack.push(node);
        self.on_stack[node as usize] = true;
    }

    fn lower(&mut self, node: u32, to: u32) {
        let low = &mut self.low[node as usize];
        *low = (*low).min(to);
    }

    /// A node that nothing below it leads above is the root of a component.
    fn leave(&mut self, node: u32) {
        if self.low[node as usize] != self.index[node as usize] {
            return;
        }
        let start = self.stack.iter().rposition(|&n| n == node).expect("entered nodes are stacked");
        let component = self.stack.split_off(start);
        for &member in &component {
            self.on_stack[member as usize] = false;
        }
        self.found.push(component);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn successors_come_first() {
        // 0 -> 1 <-> 2 -> 3, and 4 -> 4.
        let graph = vec![vec![1], vec![2], vec![1, 3], vec![], vec![4]];
        let mut found = components(&graph);
        for component in &mut found {
            component.sort_unstable();
        }
        assert_eq!(found, [vec![3], vec![1, 2], vec![0], vec![4]]);
        let cyclic: Vec<bool> = found.iter().map(|c| is_cyclic(c, &graph)).collect();
        assert_eq!(cyclic, [false, true, false, true]);
    }

    #[test]
    fn long_chains_do_not_overflow() {
        let graph: Vec<Vec<u32>> = (1..=200_000).map(|n| vec![n % 200_000]).collect();
        assert_eq!(components(&graph).len(), 1);
    }
}
