//! From a body to a finished procedure.

use std::collections::HashMap;

use selvedge_ir::{
    Action, Edge, Expr, Grain, Local, LocalId, Location, LocationId, Procedure, Span, Storage,
};

use super::{Arc, Body, Loc, Mark};

/// A procedure, and the places of `__VERIFIER_atomic_end` outside any block.
pub(crate) struct Finished {
    pub procedure: Procedure,
    pub stray_ends: Vec<Span>,
}

impl Body {
    /// Adds what happens at the entry and the exit, tidies up and numbers anew.
    pub fn finish(
        mut self,
        name: String,
        params: Vec<LocalId>,
        result: Option<LocalId>,
        span: Span,
    ) -> Finished {
        self.jump(self.exit, span);
        self.free_stack_objects();
        self.allocate_stack_objects(span);
        let stray_ends = self.settle_atomic_blocks();
        self.clear_marks();
        self.drop_skips();
        self.drop_dead(result);
        self.join_copies(result);
        self.set_unset_locals(&params, result, span);
        self.drop_skips();
        self.close_dead_ends();
        Finished { procedure: self.number(name, params, result, span), stray_ends }
    }

    /// The end of the thread is the end of its objects; the procedures that called this one see to
    /// theirs.
    fn free_before_ends(&mut self) {
        let is_end = |edge: &Arc| matches!(edge.action, Action::EndThread { .. });
        for index in 0..self.nodes.len() {
            let Some(edge) = self.nodes[index].edges.iter().position(is_end) else { continue };
            let end = self.nodes[index].edges[edge].clone();
            let start = self.location();
            self.nodes[index].edges[edge] =
                Arc { action: Action::Skip, target: start, ..end.clone() };
            self.current = start;
            for object in self.stack.clone().iter().rev() {
                let addr = Expr::Local(object.pointer);
                self.emit(Action::Free { addr, storage: Storage::Stack }, end.span);
            }
            self.nodes[self.current.0 as usize].edges.push(end);
        }
    }

    fn free_stack_objects(&mut self) {
        if self.tracks_lifetimes {
            let here = self.current;
            self.free_before_ends();
            self.current = here;
        }
        if self.ends_program {
            return;
        }
        let objects = self.stack.clone();
        self.current = self.exit;
        for object in objects.iter().rev() {
            let addr = Expr::Local(object.pointer);
            self.emit(Action::Free { addr, storage: Storage::Stack }, object.span);
        }
        self.exit = self.current;
    }

    fn allocate_stack_objects(&mut self, span: Span) {
        let start = self.entry;
        self.entry = self.location();
        self.current = self.entry;
        for object in self.stack.clone() {
            let to = object.pointer;
            let action = match object.allocation {
                Some((layout, size, zeroed)) => Action::Alloc {
                    to,
                    storage: Storage::Stack,
                    layout,
                    size: Expr::int(i128::from(size), self.model.size_type()),
                    zeroed,
                },
                None => Action::Assign { to, value: Expr::NULL },
            };
            self.emit(action, object.span);
        }
        self.jump(start, span);
    }

    fn set_unset_locals(&mut self, params: &[LocalId], result: Option<LocalId>, span: Span) {
        let unset = self.unset_at(self.entry, params, result);
        if unset.is_empty() {
            return;
        }
        let start = self.entry;
        self.entry = self.location();
        self.current = self.entry;
        for to in unset {
            self.emit(Action::Havoc { to }, span);
        }
        self.jump(start, span);
        if self.atomic {
            let reachable = self.reachable();
            for (node, reachable) in self.nodes.iter_mut().zip(reachable) {
                node.atomic |= reachable;
            }
            self.nodes[self.entry.0 as usize].atomic = false;
            self.nodes[self.exit.0 as usize].atomic = false;
        }
    }

    /// An edge after which nothing runs (a halt, a failure) leads back to where it starts, for
    /// want of a location that means "never".
    fn close_dead_ends(&mut self) {
        let ends: Vec<bool> = self.nodes.iter().map(|node| node.edges.is_empty()).collect();
        for (index, node) in self.nodes.iter_mut().enumerate() {
            for edge in &mut node.edges {
                if ends[edge.target.0 as usize] && edge.target != self.exit {
                    edge.target = Loc(index as u32);
                }
            }
        }
    }

    fn number(
        self,
        name: String,
        params: Vec<LocalId>,
        result: Option<LocalId>,
        span: Span,
    ) -> Procedure {
        let order = self.order();
        let places: HashMap<Loc, LocationId> =
            order.iter().enumerate().map(|(i, l)| (*l, LocationId::from_u32(i as u32))).collect();
        let locals = self.used_locals(&order, &params, result);
        let mut procedure = Procedure {
            name,
            params: params.iter().map(|l| locals[l]).collect(),
            result: result.map(|l| locals[&l]),
            locals: Default::default(),
            locations: Default::default(),
            entry: places[&self.entry],
            exit: places[&self.exit],
            span,
        };
        let mut names: HashMap<&str, u32> = HashMap::new();
        for (index, var) in self.locals.iter().enumerate() {
            if locals.contains_key(&LocalId::from_u32(index as u32)) {
                let count = names.entry(&var.name).or_insert(0);
                *count += 1;
                let name = match *count {
                    1 => var.name.clone(),
                    count => format!("{}#{count}", var.name),
                };
                procedure.locals.push(Local { name, ty: var.ty, named: var.named });
            }
        }
        for loc in order {
            let node = &self.nodes[loc.0 as usize];
            let grain = if node.atomic { Grain::Atomic } else { Grain::Yield };
            let edges = node.edges.iter().map(|edge| {
                debug_assert_eq!(edge.mark, Mark::None);
                let action = renumber(edge.action.clone(), &locals);
                Edge { action, target: places[&edge.target], span: edge.span }
            });
            procedure.locations.push(Location { grain, edges: edges.collect() });
        }
        procedure
    }

    /// Reachable locations, depth first from the entry, in the order of the edges; the exit last.
    fn order(&self) -> Vec<Loc> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.nodes.len()];
        seen[self.exit.0 as usize] = true;
        let mut work = vec![self.entry];
        while let Some(at) = work.pop() {
            if std::mem::replace(&mut seen[at.0 as usize], true) {
                continue;
            }
            order.push(at);
            let targets = self.nodes[at.0 as usize].edges.iter().rev().map(|e| e.target);
            work.extend(targets.filter(|t| !seen[t.0 as usize]));
        }
        order.push(self.exit);
        order
    }

    fn used_locals(
        &self,
        order: &[Loc],
        params: &[LocalId],
        result: Option<LocalId>,
    ) -> HashMap<LocalId, LocalId> {
        let mut used = vec![false; self.locals.len()];
        params.iter().chain(&result).for_each(|l| used[l.as_u32() as usize] = true);
        for loc in order {
            for edge in &self.nodes[loc.0 as usize].edges {
                let mut mark = |l: LocalId| used[l.as_u32() as usize] = true;
                edge.action.assigned().into_iter().for_each(&mut mark);
                edge.action.for_each_expr(&mut |e| e.locals().into_iter().for_each(&mut mark));
            }
        }
        let kept = (0..self.locals.len() as u32).filter(|i| used[*i as usize]);
        kept.enumerate()
            .map(|(new, old)| (LocalId::from_u32(old), LocalId::from_u32(new as u32)))
            .collect()
    }
}

fn renumber(mut action: Action, locals: &HashMap<LocalId, LocalId>) -> Action {
    if let Some(to) = action.assigned_mut() {
        *to = locals[to];
    }
    action.for_each_expr_mut(&mut |e| {
        let old = std::mem::replace(e, Expr::FALSE);
        *e = old.map(&mut |part| match part {
            Expr::Local(local) => Expr::Local(locals[&local]),
            other => other,
        });
    });
    action
}
