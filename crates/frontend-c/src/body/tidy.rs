//! Removes edges that do nothing and locations that nothing leads to.

use selvedge_ir::Action;

use super::{Body, Loc, Mark};

impl Body {
    /// Joins locations over `Skip` edges, without adding or losing a place where others may run:
    /// - between two locations of one grain, the first is dropped;
    /// - at the begin of an atomic block, the outer location takes over the inner one's edges;
    /// - at its end, what leads to the inner location leads to the outer one, except for calls,
    ///   which must return inside the block.
    pub(super) fn drop_skips(&mut self) {
        loop {
            let mut changed = self.forward_skips();
            changed |= self.absorb_block_starts();
            if !changed {
                return;
            }
        }
    }

    /// The location that a lone skip leads on to.
    fn forwards_to(&self, at: Loc) -> Option<Loc> {
        if at == self.entry || at == self.exit {
            return None;
        }
        match self.nodes[at.0 as usize].edges.as_slice() {
            [only] if only.action == Action::Skip && only.target != at => Some(only.target),
            _ => None,
        }
    }

    fn forward_skips(&mut self) -> bool {
        let mut changed = false;
        for index in self.reachable_numbers() {
            for edge in 0..self.nodes[index].edges.len() {
                let is_call = matches!(self.nodes[index].edges[edge].action, Action::Call { .. });
                let start = self.nodes[index].edges[edge].target;
                let target = self.follow(start, is_call);
                if target != start {
                    self.nodes[index].edges[edge].target = target;
                    changed = true;
                }
            }
        }
        changed
    }

    fn follow(&self, start: Loc, is_call: bool) -> Loc {
        let mut at = start;
        // A circle of skips is an endless loop: any of its locations stands for all.
        for _ in 0..self.nodes.len() {
            let Some(next) = self.forwards_to(at) else { break };
            let here = self.nodes[at.0 as usize].atomic;
            let there = self.nodes[next.0 as usize].atomic;
            let may = here == there || (here && !there && !is_call);
            if !may {
                break;
            }
            at = next;
            if at == start {
                break;
            }
        }
        at
    }

    fn absorb_block_starts(&mut self) -> bool {
        let incoming = self.incoming();
        let mut changed = false;
        for index in self.reachable_numbers() {
            let [only] = self.nodes[index].edges.as_slice() else { continue };
            let target = only.target;
            let inner = &self.nodes[target.0 as usize];
            let starts_block = only.action == Action::Skip
                && (inner.atomic || index == self.entry.0 as usize)
                && !self.nodes[index].atomic
                && incoming[target.0 as usize] == 1
                && target != self.exit
                && target.0 as usize != index;
            if starts_block {
                self.nodes[index].edges = std::mem::take(&mut self.nodes[target.0 as usize].edges);
                changed = true;
            }
        }
        changed
    }

    /// How many edges lead to each location, from locations that are reached.
    pub(super) fn incoming(&self) -> Vec<u32> {
        let mut incoming = vec![0; self.nodes.len()];
        for index in self.reachable_numbers() {
            for edge in &self.nodes[index].edges {
                incoming[edge.target.0 as usize] += 1;
            }
        }
        incoming
    }

    fn reachable_numbers(&self) -> Vec<usize> {
        let reachable = self.reachable();
        (0..self.nodes.len()).filter(|index| reachable[*index]).collect()
    }

    pub(super) fn reachable(&self) -> Vec<bool> {
        let mut seen = vec![false; self.nodes.len()];
        let mut work = vec![self.entry];
        seen[self.entry.0 as usize] = true;
        while let Some(at) = work.pop() {
            for edge in &self.nodes[at.0 as usize].edges {
                if !std::mem::replace(&mut seen[edge.target.0 as usize], true) {
                    work.push(edge.target);
                }
            }
        }
        seen
    }

    /// Marks have done their work once the grain is settled.
    pub(super) fn clear_marks(&mut self) {
        for node in &mut self.nodes {
            for edge in &mut node.edges {
                edge.mark = Mark::None;
            }
        }
    }
}
