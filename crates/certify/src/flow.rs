//! Where the numbers of threads flow, so that a join knows for whom it may wait.
//!
//! Flow-insensitive, over locals and regions of type `thread`. Every value of the type is made by a
//! spawn, by `Expr::Tid` or by a lock; what comes in any other way may name any thread.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use selvedge_ir::{Action, Callee, EdgeId, Expr, LocalId, Place, ProcId, Program, RegionId, Type};
use selvedge_smt::{Limits, Reason};

use crate::threads::{ThreadId, Threads};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Holder {
    Local(ProcId, LocalId),
    Region(RegionId),
}

/// The threads that a value may name beside none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    pub threads: BTreeSet<ThreadId>,
    /// It may also be no thread's number at all.
    pub anything: bool,
}

#[derive(Debug)]
pub struct Flow<'a> {
    program: &'a Program,
    threads: &'a Threads,
    held: FxHashMap<Holder, Named>,
}

impl<'a> Flow<'a> {
    pub fn of(
        program: &'a Program,
        threads: &'a Threads,
        limits: &Limits,
    ) -> Result<Flow<'a>, Reason> {
        let mut flow = Flow { program, threads, held: FxHashMap::default() };
        let mut changed = true;
        while changed {
            changed = false;
            for (id, procedure) in &program.procedures {
                limits.clock.spend(procedure.locations.len() as u64);
                if let Some(reason) = limits.exceeded() {
                    return Err(reason);
                }
                for (at, edge) in procedure.edges() {
                    changed |= flow.action(id, at, &edge.action);
                }
            }
        }
        Ok(flow)
    }

    /// What an expression of type `thread` may name.
    pub fn named(&self, procedure: ProcId, expr: &Expr) -> Named {
        match expr {
            Expr::Const(_) => Named::default(),
            Expr::Tid => self.runners(procedure),
            Expr::Local(local) if self.is_thread(procedure, *local) => {
                self.get(Holder::Local(procedure, *local))
            }
            Expr::Ite(_, then, otherwise) => {
                let (mut a, b) = (self.named(procedure, then), self.named(procedure, otherwise));
                a.threads.extend(b.threads);
                a.anything |= b.anything;
                a
            }
            Expr::Cast(Type::Thread, inner)
                if inner.ty(self.program, &self.program.procedures[procedure]) == Type::Thread =>
            {
                self.named(procedure, inner)
            }
            _ => self.anything(),
        }
    }

    fn is_thread(&self, procedure: ProcId, local: LocalId) -> bool {
        self.program.procedures[procedure].locals[local].ty == Type::Thread
    }

    fn get(&self, holder: Holder) -> Named {
        self.held.get(&holder).cloned().unwrap_or_default()
    }

    fn anything(&self) -> Named {
        Named { threads: self.threads.ids().collect(), anything: true }
    }

    fn runners(&self, procedure: ProcId) -> Named {
        Named { threads: self.threads.running(procedure).collect(), anything: false }
    }

    fn add(&mut self, holder: Holder, more: Named) -> bool {
        let known = self.held.entry(holder).or_default();
        let before = (known.threads.len(), known.anything);
        known.threads.extend(more.threads);
        known.anything |= more.anything;
        before != (known.threads.len(), known.anything)
    }

    fn action(&mut self, id: ProcId, at: EdgeId, action: &Action) -> bool {
        match action {
            Action::Store { to, value, .. } => return self.store(id, to, value),
            Action::Lock { lock: Place { region: Some(region), .. } } => {
                return self.add(Holder::Region(*region), self.runners(id));
            }
            Action::Spawn { entry, args, .. } => {
                let passed = self.pass(id, entry, args);
                return self.assign(id, at, action) || passed;
            }
            Action::Call { callee, .. } => {
                let passed = self.call(callee);
                return self.assign(id, at, action) || passed;
            }
            _ => {}
        }
        self.assign(id, at, action)
    }

    fn assign(&mut self, id: ProcId, at: EdgeId, action: &Action) -> bool {
        let Some(to) = action.assigned().filter(|to| self.is_thread(id, *to)) else { return false };
        let named = match action {
            Action::Assign { value, .. } => self.named(id, value),
            Action::Load { from, .. } => self.loaded(from),
            Action::Spawn { .. } => {
                let started = |thread| self.threads.get(thread).starts.get(&at).copied();
                let threads: BTreeSet<ThreadId> =
                    self.threads.running(id).filter_map(started).collect();
                // A procedure that no thread runs, or a start through a pointer.
                let anything = threads.is_empty();
                if anything { self.anything() } else { Named { threads, anything } }
            }
            _ => self.anything(),
        };
        self.add(Holder::Local(id, to), named)
    }

    fn loaded(&self, from: &Place) -> Named {
        match from.region {
            Some(region) if self.program.regions[region].ty == Some(Type::Thread) => {
                self.get(Holder::Region(region))
            }
            _ => self.anything(),
        }
    }

    fn store(&mut self, id: ProcId, to: &Place, value: &Expr) -> bool {
        match (to.region, to.ty) {
            (Some(region), Type::Thread) => {
                let named = self.named(id, value);
                self.add(Holder::Region(region), named)
            }
            _ => false,
        }
    }

    /// Arguments of a new thread.
    fn pass(&mut self, from: ProcId, entry: &Callee, args: &[Expr]) -> bool {
        let Callee::Direct(target) = entry else { return self.call(entry) };
        let params = self.program.procedures[*target].params.clone();
        let mut changed = false;
        for (param, arg) in params.into_iter().zip(args) {
            if self.is_thread(*target, param) {
                let procedure = &self.program.procedures[from];
                let named = match arg.ty(self.program, procedure) {
                    Type::Thread => self.named(from, arg),
                    _ => self.anything(),
                };
                changed |= self.add(Holder::Local(*target, param), named);
            }
        }
        changed
    }

    /// Arguments of a call that is left, or of a start through a pointer, may be anything.
    fn call(&mut self, callee: &Callee) -> bool {
        let targets: Vec<ProcId> = match callee {
            Callee::Direct(target) => vec![*target],
            Callee::Indirect(_) => self.program.procedures.keys().collect(),
        };
        let mut changed = false;
        for target in targets {
            for param in self.program.procedures[target].params.clone() {
                if self.is_thread(target, param) {
                    let anything = self.anything();
                    changed |= self.add(Holder::Local(target, param), anything);
                }
            }
        }
        changed
    }
}
