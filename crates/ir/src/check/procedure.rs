//! Invariants of procedures and of the actions on their edges.

use std::collections::HashSet;

use super::program::check_span;
use super::typing::Typing;
use super::{Site, Violations, assigned};
use crate::{
    Action, Callee, EdgeId, Expr, Grain, LocalId, Place, ProcId, Procedure, Program, Type,
};

pub fn check(program: &Program, id: ProcId, found: &mut Violations) {
    let procedure = &program.procedures[id];
    found.site = Site::Procedure(id);
    check_span(program, procedure.span, found);
    let sound = check_locals(procedure, found) & check_graph(id, procedure, found);
    for (edge, _) in procedure.edges() {
        found.site = Site::Edge(id, edge);
        check_edge(program, procedure, edge, found);
    }
    // Without locals and locations in range there are no ways to follow.
    if sound && found.list.iter().all(|v| v.procedure() != Some(id)) {
        assigned::check(id, procedure, found);
    }
}

fn check_locals(procedure: &Procedure, found: &mut Violations) -> bool {
    let before = found.list.len();
    let mut names = HashSet::new();
    for local in procedure.locals.values() {
        let fresh = names.insert(&local.name);
        found.require(fresh, || format!("another local has the name `{}`", local.name));
        found.width(local.ty);
    }
    let mut params = HashSet::new();
    for param in &procedure.params {
        found.require(params.insert(param), || format!("{param} is a parameter twice"));
    }
    for local in procedure.params.iter().chain(&procedure.result) {
        let known = procedure.locals.get(*local).is_some();
        found.require(known, || format!("{local} does not exist"));
    }
    found.list.len() == before
}

fn check_graph(id: ProcId, procedure: &Procedure, found: &mut Violations) -> bool {
    let before = found.list.len();
    for (what, at) in [("entry", procedure.entry), ("exit", procedure.exit)] {
        let known = procedure.locations.get(at).is_some();
        found.require(known, || format!("the {what} {at} does not exist"));
    }
    for (at, location) in &procedure.locations {
        found.site = Site::Location(id, at);
        if at == procedure.exit {
            let bare = location.edges.is_empty();
            found.require(bare, || "the exit has edges".to_string());
            let outside = location.grain != Grain::Atomic;
            found.require(outside, || "the exit is inside an atomic block".to_string());
        } else {
            let leads_on = !location.edges.is_empty();
            found.require(leads_on, || "no edge leaves this location".to_string());
        }
        for edge in &location.edges {
            let known = procedure.locations.get(edge.target).is_some();
            found.require(known, || format!("{} does not exist", edge.target));
        }
    }
    found.list.len() == before
}

fn check_edge(program: &Program, procedure: &Procedure, id: EdgeId, found: &mut Violations) {
    let edge = procedure.edge(id);
    check_span(program, edge.span, found);
    let mut actions = Actions { typing: Typing { program, procedure }, found };
    actions.check(&edge.action);
}

struct Actions<'a> {
    typing: Typing<'a>,
    found: &'a mut Violations,
}

impl Actions<'_> {
    /// Reports where the expression is ill-typed, or has another type than the one wanted.
    fn expr(&mut self, e: &Expr, want: Type, what: &str) {
        if let Some(found) = self.typing.expr(e, self.found) {
            self.found.require(found == want, || format!("{what} is {found}, not {want}"));
        }
    }

    fn any_type(&mut self, e: &Expr) {
        self.typing.expr(e, self.found);
    }

    fn local(&mut self, id: LocalId) -> Option<Type> {
        let ty = self.typing.procedure.locals.get(id).map(|l| l.ty);
        self.found.require(ty.is_some(), || format!("{id} does not exist"));
        ty
    }

    fn receives(&mut self, to: LocalId, want: Type, what: &str) {
        if let Some(ty) = self.local(to) {
            self.found.require(ty == want, || format!("{what} is {want}, the local {ty}"));
        }
    }

    fn place(&mut self, place: &Place) {
        self.expr(&place.addr, Type::Ptr, "the address");
        self.found.width(place.ty);
        let Some(id) = place.region else { return };
        let Some(region) = self.typing.program.regions.get(id) else {
            return self.found.report(format!("{id} does not exist"));
        };
        if let Some(ty) = region.ty {
            let same = ty == place.ty;
            self.found.require(same, || format!("a {} in a region of {ty}", place.ty));
        }
    }

    fn check(&mut self, action: &Action) {
        let model = self.typing.program.model;
        match action {
            Action::Skip | Action::Fence(_) | Action::Halt | Action::Unsupported { .. } => {}
            Action::Ghost(ghost) => {
                super::spec::check_action(
                    self.typing.program,
                    self.typing.procedure,
                    ghost,
                    self.found,
                );
            }
            Action::Assume(e) | Action::Wait(e) => self.expr(e, Type::Bool, "the condition"),
            Action::Assert { cond, .. } => self.expr(cond, Type::Bool, "the condition"),
            Action::Assign { to, value } => {
                if let Some(ty) = self.local(*to) {
                    self.expr(value, ty, "the value");
                }
            }
            Action::Havoc { to } => {
                self.local(*to);
            }
            Action::Load { to, from, .. } => {
                self.place(from);
                self.receives(*to, from.ty, "what is loaded");
            }
            Action::Store { to, value, .. } => {
                self.place(to);
                self.expr(value, to.ty, "the value");
            }
            Action::Lock { lock } | Action::Unlock { lock } => {
                self.place(lock);
                let thread = lock.ty == Type::Thread;
                self.found.require(thread, || format!("the lock is {}, not thread", lock.ty));
            }
            Action::Alloc { to, layout, size, .. } => {
                let known = self.typing.program.layouts.get(*layout).is_some();
                self.found.require(known, || format!("{layout} does not exist"));
                self.expr(size, Type::Int(model.size_type()), "the size");
                self.receives(*to, Type::Ptr, "the object's address");
            }
            Action::Free { addr, .. } => self.expr(addr, Type::Ptr, "the address"),
            Action::Spawn { to, entry, args } => {
                self.call(entry, args, false);
                self.receives(*to, Type::Thread, "the spawned thread");
            }
            Action::Join { thread, to } => {
                self.expr(thread, Type::Thread, "what is joined");
                if let Some(to) = to {
                    self.local(*to);
                }
            }
            Action::Call { to, callee, args } => {
                self.call(callee, args, true);
                to.iter().for_each(|to| self.result(callee, *to));
            }
            Action::EndThread { value } => {
                value.iter().for_each(|e| self.any_type(e));
            }
        }
    }

    fn call(&mut self, callee: &Callee, args: &[Expr], all: bool) {
        let program = self.typing.program;
        let target = match callee {
            Callee::Direct(id) => program.procedures.get(*id),
            Callee::Indirect(e) => {
                self.expr(e, Type::Ptr, "what is called");
                args.iter().for_each(|e| self.any_type(e));
                return;
            }
        };
        let Some(target) = target else {
            return self.found.report("the procedure called does not exist");
        };
        let (given, taken) = (args.len(), target.params.len());
        let right = if all { given == taken } else { given <= taken };
        self.found.require(right, || format!("`{}` takes {taken}, not {given}", target.name));
        for (arg, param) in args.iter().zip(&target.params) {
            match target.locals.get(*param) {
                Some(param) => self.expr(arg, param.ty, "the argument"),
                None => self.any_type(arg),
            }
        }
    }

    fn result(&mut self, callee: &Callee, to: LocalId) {
        let Callee::Direct(id) = callee else {
            self.local(to);
            return;
        };
        // That the procedure exists is checked with its arguments.
        let Some(target) = self.typing.program.procedures.get(*id) else { return };
        match target.result.and_then(|r| target.locals.get(r)) {
            Some(result) => self.receives(to, result.ty, "the result"),
            None => self.found.report(format!("`{}` returns nothing", target.name)),
        }
    }
}
