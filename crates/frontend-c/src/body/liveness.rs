//! Which locals are read later: inputs that are never read are dropped, and locals that may be read before
//! they are set become inputs at the entry.

use selvedge_ir::{Action, Expr, LocalId};

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
                        if let Expr::Local(local) = part {
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
        let live = self.live(result);
        let incoming = self.incoming();
        let mut changed = false;
        for index in 0..self.nodes.len() {
            for edge in 0..self.nodes[index].edges.len() {
                let middle = self.nodes[index].edges[edge].target;
                if incoming[middle.0 as usize] != 1 {
                    continue;
                }
                if let Some(to) = self.copied(index, edge, &live) {
                    if let Some(target) = self.nodes[index].edges[edge].action.assigned_mut() {
                        *target = to;
                    }
                    self.nodes[middle.0 as usize].edges[0].action = Action::Skip;
                    changed = true;
                }
            }
        }
        changed
    }

    /// The local that the action after an edge copies the edge's temporary to, if that is the
    /// temporary's only use.
    fn copied(&self, index: usize, edge: usize, live: &[Set]) -> Option<LocalId> {
        let first = &self.nodes[index].edges[edge];
        let temporary = first.action.assigned()?;
        let [second] = self.nodes[first.target.0 as usize].edges.as_slice() else { return None };
        let Action::Assign { to, value: Expr::Local(from) } = second.action else { return None };
        let var = |l: LocalId| &self.locals[l.as_u32() as usize];
        let joins = from == temporary
            && to != temporary
            && !var(temporary).named
            && var(temporary).ty == var(to).ty
            && !live[second.target.0 as usize].contains(temporary);
        joins.then_some(to)
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
