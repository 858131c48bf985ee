//! Which threads a `Join` may wait for: where the numbers of threads flow.
//!
//! Flow-insensitive, over locals and regions of type `thread`. What comes from anywhere else is any
//! thread.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use selvedge_ir::{Action, Callee, EdgeId, Expr, LocalId, Place, ProcId, Program, RegionId, Type};

use super::TemplateId;
use super::roles::Roles;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Holder {
    Local(ProcId, LocalId),
    Region(RegionId),
}

/// The threads whose numbers each holder may have, by template.
#[derive(Debug)]
pub(super) struct Tids<'a> {
    program: &'a Program,
    roles: &'a Roles,
    found: FxHashMap<Holder, BTreeSet<TemplateId>>,
}

impl<'a> Tids<'a> {
    pub fn of(program: &'a Program, roles: &'a Roles) -> Tids<'a> {
        let mut tids = Tids { program, roles, found: FxHashMap::default() };
        loop {
            let mut changed = false;
            for (id, procedure) in &program.procedures {
                for (at, edge) in procedure.edges() {
                    changed |= tids.flow(id, at, &edge.action);
                }
            }
            if !changed {
                return tids;
            }
        }
    }

    /// The templates whose threads the expression may name.
    pub fn of_expr(&self, procedure: ProcId, expr: &Expr) -> BTreeSet<TemplateId> {
        let mut set = BTreeSet::new();
        self.add_sources(procedure, expr, &mut set);
        set
    }

    fn add_sources(&self, procedure: ProcId, expr: &Expr, set: &mut BTreeSet<TemplateId>) {
        match expr {
            Expr::Const(_) => {}
            Expr::Tid => set.extend(self.roles.running(procedure)),
            Expr::Local(local) if self.is_thread(procedure, *local) => {
                set.extend(self.get(Holder::Local(procedure, *local)));
            }
            Expr::Ite(_, then, otherwise) => {
                self.add_sources(procedure, then, set);
                self.add_sources(procedure, otherwise, set);
            }
            Expr::Cast(Type::Thread, inner)
                if inner.ty(self.program, &self.program.procedures[procedure]) == Type::Thread =>
            {
                self.add_sources(procedure, inner, set);
            }
            _ => set.extend(self.all()),
        }
    }

    fn is_thread(&self, procedure: ProcId, local: LocalId) -> bool {
        self.program.procedures[procedure].locals[local].ty == Type::Thread
    }

    fn get(&self, holder: Holder) -> impl Iterator<Item = TemplateId> {
        self.found.get(&holder).into_iter().flatten().copied()
    }

    fn all(&self) -> impl Iterator<Item = TemplateId> {
        self.roles.iter().map(|(id, _)| id)
    }

    fn add(&mut self, holder: Holder, more: BTreeSet<TemplateId>) -> bool {
        let known = self.found.entry(holder).or_default();
        let before = known.len();
        known.extend(more);
        known.len() > before
    }

    fn flow(&mut self, id: ProcId, at: EdgeId, action: &Action) -> bool {
        let to_thread = action.assigned().filter(|&to| self.is_thread(id, to));
        match action {
            Action::Spawn { to, entry, args } => {
                let new: BTreeSet<TemplateId> = self
                    .roles
                    .running(id)
                    .filter_map(|role| self.roles.get(role).spawns.get(&at).copied())
                    .collect();
                let named = self.add(Holder::Local(id, *to), new);
                self.pass(id, entry, args) | named
            }
            Action::Assign { value, .. } => match to_thread {
                Some(to) => {
                    let set = self.of_expr(id, value);
                    self.add(Holder::Local(id, to), set)
                }
                None => false,
            },
            Action::Load { from, .. } => match to_thread {
                Some(to) => {
                    let set = self.in_memory(from);
                    self.add(Holder::Local(id, to), set)
                }
                None => false,
            },
            Action::Store {
                to: Place { region: Some(region), ty: Type::Thread, .. },
                value,
                ..
            } => {
                let set = self.of_expr(id, value);
                self.add(Holder::Region(*region), set)
            }
            Action::Lock { lock: Place { region: Some(region), .. } } => {
                let set = self.roles.running(id).collect();
                self.add(Holder::Region(*region), set)
            }
            Action::Havoc { .. } | Action::Join { .. } | Action::Call { .. } => match to_thread {
                Some(to) => {
                    let all = self.all().collect();
                    self.add(Holder::Local(id, to), all)
                }
                None => false,
            },
            _ => false,
        }
    }

    fn in_memory(&self, place: &Place) -> BTreeSet<TemplateId> {
        match place.region {
            Some(region) if self.program.regions[region].ty == Some(Type::Thread) => {
                self.get(Holder::Region(region)).collect()
            }
            _ => self.all().collect(),
        }
    }

    /// Arguments of a new thread.
    fn pass(&mut self, from: ProcId, entry: &Callee, args: &[Expr]) -> bool {
        let Callee::Direct(target) = entry else { return false };
        let params = &self.program.procedures[*target].params;
        let mut changed = false;
        for (&param, arg) in params.iter().zip(args) {
            if self.is_thread(*target, param) {
                let set = self.of_expr(from, arg);
                changed |= self.add(Holder::Local(*target, param), set);
            }
        }
        changed
    }
}
