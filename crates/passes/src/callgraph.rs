//! The call graph: which procedures a procedure may call or start threads in.
//!
//! A call through a pointer may go to every procedure whose address the program takes anywhere
//! (in an expression or in an initial value); going elsewhere is a memory fault, which is no call.
//! Devirtualization leaves fewer such calls.

use cranelift_entity::{EntityRef, PrimaryMap};
use selvedge_ir::{Action, Callee, Const, Expr, ProcId, Program};

use crate::bits::BitSet;
use crate::graph;

#[derive(Clone, Debug)]
pub struct CallGraph {
    calls: PrimaryMap<ProcId, Vec<ProcId>>,
    spawns: PrimaryMap<ProcId, Vec<ProcId>>,
    recursive: BitSet<ProcId>,
    bottom_up: Vec<ProcId>,
}

impl CallGraph {
    pub fn of(program: &Program) -> CallGraph {
        let taken = address_taken(program);
        let mut calls: PrimaryMap<ProcId, Vec<ProcId>> = PrimaryMap::new();
        let mut spawns: PrimaryMap<ProcId, Vec<ProcId>> = PrimaryMap::new();
        for procedure in program.procedures.values() {
            let (mut called, mut spawned) = (BitSet::new(), BitSet::new());
            for (_, edge) in procedure.edges() {
                match &edge.action {
                    Action::Call { callee, .. } => add_targets(callee, &taken, &mut called),
                    Action::Spawn { entry, .. } => add_targets(entry, &taken, &mut spawned),
                    _ => {}
                }
            }
            calls.push(called.iter().collect());
            spawns.push(spawned.iter().collect());
        }
        let (bottom_up, recursive) = order(&calls);
        CallGraph { calls, spawns, recursive, bottom_up }
    }

    /// What the procedure may call, each once.
    pub fn calls(&self, procedure: ProcId) -> &[ProcId] {
        &self.calls[procedure]
    }

    /// Where the procedure itself may start threads, each once.
    pub fn spawns(&self, procedure: ProcId) -> &[ProcId] {
        &self.spawns[procedure]
    }

    /// Whether a call of the procedure may be active twice in one thread.
    pub fn is_recursive(&self, procedure: ProcId) -> bool {
        self.recursive.contains(procedure)
    }

    /// All procedures; callees stand before their callers, except inside a recursion.
    pub fn bottom_up(&self) -> &[ProcId] {
        &self.bottom_up
    }

    /// What is reached from the given procedures by calls and spawns.
    pub fn reachable(&self, from: impl IntoIterator<Item = ProcId>) -> BitSet<ProcId> {
        let mut seen: BitSet<ProcId> = BitSet::new();
        let mut work: Vec<ProcId> = from.into_iter().collect();
        while let Some(procedure) = work.pop() {
            if seen.insert(procedure) {
                work.extend(&self.calls[procedure]);
                work.extend(&self.spawns[procedure]);
            }
        }
        seen
    }
}

/// The procedures whose address occurs as a value.
pub fn address_taken(program: &Program) -> BitSet<ProcId> {
    let mut taken = BitSet::new();
    for object in program.objects.values() {
        for (_, value) in &object.init {
            if let Const::Proc(procedure) = value {
                taken.insert(*procedure);
            }
        }
    }
    for procedure in program.procedures.values() {
        for (_, edge) in procedure.edges() {
            edge.action.for_each_expr(&mut |expr| {
                expr.walk(&mut |e| {
                    if let Expr::Const(Const::Proc(procedure)) = e {
                        taken.insert(*procedure);
                    }
                });
            });
        }
    }
    taken
}

/// The pointer that a call or spawn goes through.
pub fn pointer(action: &Action) -> Option<&Expr> {
    match action {
        Action::Call { callee: Callee::Indirect(pointer), .. }
        | Action::Spawn { entry: Callee::Indirect(pointer), .. } => Some(pointer),
        _ => None,
    }
}

fn add_targets(callee: &Callee, taken: &BitSet<ProcId>, targets: &mut BitSet<ProcId>) {
    match callee {
        Callee::Direct(procedure) => {
            targets.insert(*procedure);
        }
        Callee::Indirect(_) => {
            targets.union_with(taken);
        }
    }
}

fn order(calls: &PrimaryMap<ProcId, Vec<ProcId>>) -> (Vec<ProcId>, BitSet<ProcId>) {
    let successors: Vec<Vec<u32>> =
        calls.values().map(|called| called.iter().map(|p| p.as_u32()).collect()).collect();
    let mut recursive = BitSet::new();
    let mut bottom_up = Vec::with_capacity(calls.len());
    for component in graph::components(&successors) {
        let members = component.iter().map(|&p| ProcId::new(p as usize));
        if graph::is_cyclic(&component, &successors) {
            recursive.extend(members.clone());
        }
        bottom_up.extend(members);
    }
    (bottom_up, recursive)
}
