//! Which locations lie inside atomic blocks.
//!
//! `__VERIFIER_atomic_begin` and `end` are marks on edges; the depth of nesting flows forward over
//! the graph. Where two ways meet at different depths, or a procedure returns inside a block, the
//! block is not one that Plato can say: an `Unsupported` action stands there.

use selvedge_ir::{Action, Mode, Span};

use super::{Arc, Body, Loc, Mark};

impl Body {
    /// Marks locations atomic and the plain accesses of atomic blocks with [`Mode::Atomic`]. Returns
    /// the places of `end`s outside any block, which do nothing.
    pub(super) fn settle_atomic_blocks(&mut self) -> Vec<Span> {
        let depths = self.depths();
        let mut stray = Vec::new();
        for (index, depth) in depths.iter().enumerate() {
            let inside = self.atomic || depth.is_some_and(|d| d > 0);
            self.nodes[index].atomic = inside;
            for edge in &mut self.nodes[index].edges {
                if edge.mark == Mark::End && *depth == Some(0) {
                    stray.push(edge.span);
                }
                if let (
                    true,
                    Action::Load { mode: mode @ Mode::Plain, .. }
                    | Action::Store { mode: mode @ Mode::Plain, .. },
                ) = (inside, &mut edge.action)
                {
                    *mode = Mode::Atomic;
                }
            }
        }
        let (entry, exit) = (self.entry.0 as usize, self.exit.0 as usize);
        self.nodes[entry].atomic = false;
        self.nodes[exit].atomic = false;
        stray
    }

    fn depths(&mut self) -> Vec<Option<u32>> {
        let mut depths = vec![None; self.nodes.len()];
        depths[self.entry.0 as usize] = Some(0);
        let mut work = vec![self.entry];
        while let Some(at) = work.pop() {
            let Some(depth) = depths[at.0 as usize] else { continue };
            for index in 0..self.nodes[at.0 as usize].edges.len() {
                let edge = &self.nodes[at.0 as usize].edges[index];
                let (target, after) = (edge.target, depth_after(edge, depth));
                if target == self.exit && after > 0 && !self.atomic {
                    self.refuse(at, index, "returning inside an atomic block");
                    continue;
                }
                match depths[target.0 as usize] {
                    None => {
                        depths[target.0 as usize] = Some(after);
                        work.push(target);
                    }
                    Some(known) if known == after => {}
                    Some(_) if self.atomic => {}
                    Some(_) => self.refuse(
                        at,
                        index,
                        "an atomic block that is open on only some of the paths to this place",
                    ),
                }
            }
        }
        depths
    }

    fn refuse(&mut self, at: Loc, index: usize, what: &str) {
        let nowhere = self.location();
        let edge = &mut self.nodes[at.0 as usize].edges[index];
        edge.action = Action::Unsupported { what: what.to_owned() };
        edge.mark = Mark::None;
        edge.target = nowhere;
    }
}

fn depth_after(edge: &Arc, depth: u32) -> u32 {
    match edge.mark {
        Mark::None => depth,
        Mark::Begin => depth + 1,
        Mark::End => depth.saturating_sub(1),
    }
}
