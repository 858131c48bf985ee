//! What the assertions of a program depend on: the scalars in shared memory, at fixed places, that
//! abstract threads have to speak of.
//!
//! A variable is in the cone if an assertion looks at it, if a branch does behind which something of
//! the cone is written or asserted, or if a value goes from it into one of the cone. A lock is in it if
//! something of the cone is done behind it.

use rustc_hash::FxHashSet;
use selvedge_ir::{
    Action, Const, Expr, LocalId, LocationId, Place, Procedure, Program, Property, Sharing, Type,
};
use selvedge_passes::graph::control_flow;

use crate::subject::Subject;

impl Subject {
    /// The cone of the program's assertions.
    pub fn cone(&self) -> Vec<Place> {
        let mut cone: Vec<Place> = Vec::new();
        loop {
            let before = cone.len();
            for procedure in self.program.procedures.values() {
                Slice::of(&self.program, procedure, &cone).widen(&mut cone);
            }
            if cone.len() == before {
                cone.sort_by_key(|place| place.direct());
                return cone;
            }
        }
    }
}

struct Slice<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
    /// Locations from which something of the cone can be reached.
    ahead: Vec<bool>,
    locals: FxHashSet<LocalId>,
}

impl<'a> Slice<'a> {
    fn of(program: &'a Program, procedure: &'a Procedure, cone: &[Place]) -> Slice<'a> {
        let next = control_flow(procedure);
        let mut ahead = vec![false; next.len()];
        for (at, edge) in procedure.edges() {
            ahead[at.from.as_u32() as usize] |= matters(&edge.action, cone);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (at, next) in next.iter().enumerate().rev() {
                if !ahead[at] && next.iter().any(|&to| ahead[to as usize]) {
                    (ahead[at], changed) = (true, true);
                }
            }
        }
        let mut slice = Slice { program, procedure, ahead, locals: FxHashSet::default() };
        slice.depend(cone);
        slice
    }

    fn is_ahead(&self, at: LocationId) -> bool {
        self.ahead[at.as_u32() as usize]
    }

    /// The locals that what matters depends on.
    fn depend(&mut self, cone: &[Place]) {
        let edges: Vec<_> = self.procedure.edges().collect();
        let mut size = usize::MAX;
        while size != self.locals.len() {
            size = self.locals.len();
            for (at, edge) in &edges {
                let used: Vec<LocalId> = match &edge.action {
                    Action::Assert { cond, .. } if matters(&edge.action, cone) => cond.locals(),
                    Action::Assume(cond) | Action::Wait(cond) if self.is_ahead(at.from) => {
                        cond.locals()
                    }
                    Action::Store { value, .. } if matters(&edge.action, cone) => value.locals(),
                    Action::Assign { to, value } if self.locals.contains(to) => value.locals(),
                    _ => continue,
                };
                self.locals.extend(used);
            }
        }
    }

    fn widen(&self, cone: &mut Vec<Place>) {
        for (at, edge) in self.procedure.edges() {
            let place = match &edge.action {
                Action::Load { to, from, .. } if self.locals.contains(to) => from,
                Action::Lock { lock } if self.is_ahead(at.from) => lock,
                _ => continue,
            };
            if speakable(self.program, place) && !cone.contains(place) {
                cone.push(place.clone());
            }
        }
    }
}

/// Whether it asserts, or writes something of the cone.
fn matters(action: &Action, cone: &[Place]) -> bool {
    match action {
        Action::Assert { check, cond } => {
            check.is_asked(&[Property::Assert]) && *cond != Expr::Const(Const::Bool(true))
        }
        Action::Store { to, .. } => cone.contains(to),
        _ => false,
    }
}

/// Whether abstract threads can speak of the place.
fn speakable(program: &Program, place: &Place) -> bool {
    let Some((object, offset)) = place.direct() else { return false };
    let data = &program.objects[object];
    let scalar = u64::try_from(offset).ok().and_then(|at| program.scalar_at(data.layout, at));
    data.sharing == Sharing::Shared
        && place.ty != Type::Ptr
        && scalar.is_some_and(|(ty, _)| ty == place.ty)
}
