//! What the first thread does alone: constants through memory.
//!
//! As long as no other thread has been started, what a program's initial thread stores is what it
//! loads. This pass follows constants (Wegman, Zadeck, "Constant propagation with conditional
//! branches", 1991) through its locals and through the memory whose addresses it knows, up to the
//! first `Spawn` on each way; a branch that is decided by what was set up before is decided for
//! good. So code that is shared by set-up and threads loses, in its copy for the set-up, what is
//! not used there, and the analyses behind do not see it.
//!
//! Conditions become true or false and locals their constants; what is unreachable then is left to
//! [`crate::simplify`].

use std::collections::BTreeMap;

use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;
use selvedge_ir::{
    Action, Const, EdgeId, Expr, LocalId, LocationId, Multiplicity, ObjectId, Place, ProcId,
    Procedure, Program, Type,
};

use crate::fold::fold;
use crate::limits::{Limits, Unprepared};
use crate::liveness::LiveLocals;
use crate::threads::Cycles;

/// More known places than this are not worth the time.
const PLACES: usize = 4000;

/// Decides what can be decided in the initial thread's procedure, if there is one such thread.
pub fn decide(program: &mut Program, limits: &Limits) -> Result<(), Unprepared> {
    let [thread] = &program.threads[..] else { return Ok(()) };
    if thread.count != Multiplicity::Exactly(1) {
        return Ok(());
    }
    let id = thread.procedure;
    let states = Analysis::new(program, id).run(limits)?;
    let objects = program.objects.len();
    let procedure = &mut program.procedures[id];
    for (location, state) in states {
        for edge in &mut procedure.locations[location].edges {
            edge.action.for_each_expr_mut(&mut |expr| {
                *expr = fold(state.replaced(
                    std::mem::replace(expr, Expr::Tid),
                    &|c| !matches!(c, Const::Object(object, _) if object.index() >= objects),
                ));
            });
            if let Action::Assume(condition) = &mut edge.action
                && let Some(Const::Bool(value)) = state.value(condition)
            {
                *condition = Expr::Const(Const::Bool(value));
            }
        }
    }
    Ok(())
}

/// A scalar in memory: object, offset and size.
type Cell = (ObjectId, i64, i64);

/// What is known at a location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct State {
    /// Those with a known value.
    locals: BTreeMap<LocalId, Const>,
    /// What was stored; none if that is not known. What is not listed is as it was at the start.
    memory: BTreeMap<Cell, Option<Const>>,
    /// Nothing is known of memory.
    lost: bool,
}

impl State {
    /// Known locals as constants, of those that may be written down.
    fn replaced(&self, expr: Expr, allowed: &dyn Fn(Const) -> bool) -> Expr {
        expr.map(&mut |e| match e {
            Expr::Local(local) => match self.locals.get(&local) {
                Some(&constant) if allowed(constant) => Expr::Const(constant),
                _ => Expr::Local(local),
            },
            other => other,
        })
    }

    fn value(&self, expr: &Expr) -> Option<Const> {
        match fold(truths(self.replaced(expr.clone(), &|_| true))) {
            Expr::Const(constant) => Some(constant),
            _ => None,
        }
    }

    /// What holds whichever of two states there is. Says whether it is less than before.
    fn join(&mut self, other: &State) -> bool {
        let before = self.clone();
        self.locals.retain(|local, value| other.locals.get(local) == Some(value));
        self.lost |= other.lost || self.memory.len() + other.memory.len() > PLACES;
        if self.lost {
            self.memory.clear();
        }
        let all: Vec<Cell> = self.memory.keys().chain(other.memory.keys()).copied().collect();
        for cell in all.into_iter().filter(|_| !self.lost) {
            let same = self.memory.get(&cell) == other.memory.get(&cell);
            if !same {
                self.memory.insert(cell, None);
            }
        }
        *self != before
    }

    fn set(&mut self, local: LocalId, value: Option<Const>) {
        match value {
            Some(value) => self.locals.insert(local, value),
            None => self.locals.remove(&local),
        };
    }

    /// Stores at an address, if it is known; otherwise everywhere.
    fn store(&mut self, address: Option<Const>, size: i64, value: Option<Const>) {
        let Some(Const::Object(object, offset)) = address else {
            return self.forget();
        };
        if self.lost {
            return;
        }
        let near = (object, offset - 16, 0)..(object, offset + size, 0);
        for (cell, known) in self.memory.range_mut(near) {
            if cell.1 + cell.2 > offset {
                *known = None;
            }
        }
        self.memory.insert((object, offset, size), value);
    }

    fn forget(&mut self) {
        self.lost = true;
        self.memory.clear();
    }
}

/// Pointers into objects are not null.
fn truths(expr: Expr) -> Expr {
    expr.map(&mut |e| match &e {
        Expr::Cast(Type::Bool, a)
            if matches!(**a, Expr::Const(Const::Object(..) | Const::Proc(_))) =>
        {
            Expr::TRUE
        }
        _ => e,
    })
}

struct Analysis<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
    /// Names for what an `Alloc` makes that is executed once, behind those of variables.
    made: FxHashMap<EdgeId, ObjectId>,
    zeroed: Vec<bool>,
}

impl<'a> Analysis<'a> {
    fn new(program: &'a Program, id: ProcId) -> Analysis<'a> {
        let procedure = &program.procedures[id];
        let cycles = Cycles::of(procedure);
        let mut made = FxHashMap::default();
        let mut zeroed_all = Vec::new();
        for (at, edge) in procedure.edges() {
            if let Action::Alloc { zeroed, .. } = edge.action
                && !cycles.contains(procedure, at)
            {
                made.insert(at, ObjectId::new(program.objects.len() + zeroed_all.len()));
                zeroed_all.push(zeroed);
            }
        }
        Analysis { program, procedure, made, zeroed: zeroed_all }
    }

    fn run(&self, limits: &Limits) -> Result<FxHashMap<LocationId, State>, Unprepared> {
        // What nobody reads any more is forgotten, or every location would know every local.
        let live = LiveLocals::within(self.procedure, limits)?;
        let mut states: FxHashMap<LocationId, State> = FxHashMap::default();
        states.insert(self.procedure.entry, State::default());
        let mut work = vec![self.procedure.entry];
        while let Some(at) = work.pop() {
            let state = states[&at].clone();
            limits.spend(work.len() / 16)?;
            for (index, edge) in self.procedure.locations[at].edges.iter().enumerate() {
                // The state is copied and compared.
                limits.spend(1 + (state.locals.len() + state.memory.len()) / 4)?;
                let id = EdgeId { from: at, index: index as u32 };
                let Some(mut after) = self.step(&state, id, &edge.action) else { continue };
                after.locals.retain(|&local, _| live.contains(edge.target, local));
                let changed = match states.get_mut(&edge.target) {
                    Some(known) => known.join(&after),
                    None => states.insert(edge.target, after).is_none(),
                };
                if changed && !work.contains(&edge.target) {
                    work.push(edge.target);
                }
            }
        }
        Ok(states)
    }

    /// What is known behind an action; none if it is never done.
    fn step(&self, state: &State, at: EdgeId, action: &Action) -> Option<State> {
        let mut next = state.clone();
        match action {
            Action::Assume(condition) if state.value(condition) == Some(Const::Bool(false)) => {
                return None;
            }
            Action::Assign { to, value } => next.set(*to, state.value(value)),
            Action::Load { to, from, .. } => next.set(*to, self.load(state, from)),
            Action::Store { to, value, .. } => {
                let size = to.ty.size(self.program.model) as i64;
                next.store(state.value(&to.addr), size, state.value(value));
            }
            Action::Lock { lock: place } | Action::Unlock { lock: place } => {
                let size = place.ty.size(self.program.model) as i64;
                next.store(state.value(&place.addr), size, None);
            }
            Action::Alloc { to, .. } => {
                let made = self.made.get(&at).map(|&object| Const::Object(object, 0));
                next.set(*to, made);
            }
            Action::Spawn { to, .. } => {
                next.forget();
                next.set(*to, None);
            }
            Action::Call { to, .. } => {
                next.forget();
                to.iter().for_each(|to| next.set(*to, None));
            }
            Action::Havoc { to } => next.set(*to, None),
            Action::Join { to, .. } => to.iter().for_each(|to| next.set(*to, None)),
            _ => {}
        }
        Some(next)
    }

    fn load(&self, state: &State, place: &Place) -> Option<Const> {
        let Some(Const::Object(object, offset)) = state.value(&place.addr) else { return None };
        if state.lost {
            return None;
        }
        let size = place.ty.size(self.program.model) as i64;
        if let Some(known) = state.memory.get(&(object, offset, size)) {
            return known.filter(|value| value.ty() == place.ty);
        }
        let near = state.memory.range((object, offset - 16, 0)..(object, offset + size, 0));
        if near.into_iter().any(|(cell, _)| cell.1 + cell.2 > offset) {
            return None;
        }
        self.initial(object, offset, place.ty)
    }

    /// What a place holds at the start.
    fn initial(&self, object: ObjectId, offset: i64, ty: Type) -> Option<Const> {
        let size = ty.size(self.program.model) as i64;
        let Some(data) = self.program.objects.get(object) else {
            let zeroed = self.zeroed[object.index() - self.program.objects.len()];
            return zeroed.then(|| Const::zero(ty));
        };
        let inside = offset >= 0 && offset + size <= self.program.layouts[data.layout].size as i64;
        for &(at, constant) in data.init.iter().filter(|_| inside) {
            let (at, length) = (at as i64, constant.ty().size(self.program.model) as i64);
            if at < offset + size && offset < at + length {
                return (at == offset && constant.ty() == ty).then_some(constant);
            }
        }
        inside.then(|| Const::zero(ty))
    }
}
