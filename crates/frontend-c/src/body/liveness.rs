//! Which locals are read later: inputs that nobody reads go, and locals that may be read before
//! they are set become inputs at the entry.

use selvedge_ir::{Action, LocalId};

use super::{Body, Loc};
use crate::fold::Typed;

/// A set of locals, as bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Set(Vec<u64>);

impl Set {
    fn new(size: usize) -> Set {
        Set(vec![0; size.div_ceil(64)])
    }

    pub fn contains(&self, local: LocalId) -> bool {
        let index = local.as_u32() as usize;
        self.0[index / 64] >> (index % 64) & 1 == 1
    }

    fn insert(&mut self, local: LocalId) {
        let index = local.as_u32() as usize;
        self.0[index / 64] |= 1 << (index % 64);
    }

    fn remove(&mut self, local: LocalId) {
        let index = local.as_u32() as usize;
        self.0[index / 64] &= !(1 << (index % 64));
    }

    /// Whether anything was new.
    fn add_all(&mut self, other: &Set) -> bool {
        let mut changed = false;
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            changed |= *theirs & !*mine != 0;
            *mine |= *theirs;
        }
        changed
    }
}

impl Body {
    /// For each location, the locals whose values matter there. `result` matters at the exit.
    pub(super) fn live(&self, result: Option<LocalId>) -> Vec<Set> {
        let mut live = vec![Set::new(self.locals.len()); self.nodes.len()];
        if let Some(result) = result {
            live[self.exit.0 as usize].insert(result);
        }
        let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            for edge in &node.edges {
                predecessors[edge.target.0 as usize].push(index as u32);
            }
        }
        let mut waiting = vec![true; self.nodes.len()];
        let mut work: Vec<u32> = (0..self.nodes.len() as u32).collect();
        while let Some(at) = work.pop() {
            waiting[at as usize] = false;
            let mut here = Set::new(self.locals.len());
            for edge in &self.nodes[at as usize].edges {
                let mut before = live[edge.target.0 as usize].clone();
                if let Some(assigned) = edge.action.assigned() {
                    before.remove(assigned);
                }
                edge.action.for_each_expr(&mut |e| {
                    e.walk(&mut |part| {
                        if let selvedge_ir::Expr::Local(local) = part {
                            before.insert(*local);
                        }
                    });
                });
                here.add_all(&before);
            }
            if live[at as usize].add_all(&here) {
                for &p in &predecessors[at as usize] {
                    if !std::mem::replace(&mut waiting[p as usize], true) {
                        work.push(p);
                    }
                }
            }
        }
        live
    }

    /// Drops inputs, and assignments to temporaries, whose local is not read. Division and what
    /// else can go wrong stays.
    pub(super) fn drop_dead(&mut self, result: Option<LocalId>) {
        loop {
            let live = self.live(result);
            let mut changed = false;
            for index in 0..self.nodes.len() {
                for edge_index in 0..self.nodes[index].edges.len() {
                    let edge = &self.nodes[index].edges[edge_index];
                    let dead = |to: &LocalId| !live[edge.target.0 as usize].contains(*to);
                    let useless = match &edge.action {
                        Action::Havoc { to } => dead(to),
                        Action::Assign { to, value } => {
                            !self.locals[to.as_u32() as usize].named
                                && dead(to)
                                && !self.may_fault(value)
                        }
                        _ => false,
                    };
                    if useless {
                        self.nodes[index].edges[edge_index].action = Action::Skip;
                        changed = true;
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// `t := action; x := t` becomes `x := action`, where `t` is a temporary that nothing else
    /// reads.
    pub(super) fn join_copies(&mut self, result: Option<LocalId>) {
        while self.join_some_copies(result) {
            self.drop_skips();
        }
    }

    fn join_some_copies(&mut self, result: Option<LocalId>) -> bool {
        let mut changed = false;
        let live = self.live(result);
        let mut incoming = vec![0u32; self.nodes.len()];
        let reachable = self.reachable();
        for (node, _) in self.nodes.iter().zip(&reachable).filter(|(_, r)| **r) {
            node.edges.iter().for_each(|edge| incoming[edge.target.0 as usize] += 1);
        }
        for index in 0..self.nodes.len() {
            for edge in 0..self.nodes[index].edges.len() {
                if !reachable[index] {
                    continue;
                }
                let (first, middle) = {
                    let arc = &self.nodes[index].edges[edge];
                    (arc.action.assigned(), arc.target)
                };
                let Some(temporary) = first else { continue };
                if incoming[middle.0 as usize] != 1 {
                    continue;
                }
                let [second] = self.nodes[middle.0 as usize].edges.as_slice() else { continue };
                let Action::Assign { to, value: selvedge_ir::Expr::Local(from) } = second.action
                else {
                    continue;
                };
                let var = |l: LocalId| &self.locals[l.as_u32() as usize];
                let after = second.target;
                let joins = from == temporary
                    && to != temporary
                    && !var(temporary).named
                    && var(temporary).ty == var(to).ty
                    && !live[after.0 as usize].contains(temporary);
                if joins {
                    let arc = &mut self.nodes[index].edges[edge];
                    if let Some(target) = arc.action.assigned_mut() {
                        *target = to;
                    }
                    self.nodes[middle.0 as usize].edges[0].action = Action::Skip;
                    changed = true;
                }
            }
        }
        changed
    }

    /// Locals other than `given` that some way reads before it sets them.
    pub(super) fn unset_at(
        &self,
        at: Loc,
        given: &[LocalId],
        result: Option<LocalId>,
    ) -> Vec<LocalId> {
        let live = &self.live(result)[at.0 as usize];
        (0..self.locals.len() as u32)
            .map(LocalId::from_u32)
            .filter(|l| live.contains(*l) && !given.contains(l))
            .collect()
    }
}
