//! Any number of steps of the environment and of the thread itself, of which only is known what the
//! thread's steps may change.
//!
//! A conjunct of E holds over all of them together if it reads nothing that the thread changes, and
//! if the conjuncts that are kept are reflexive and transitive by themselves.

use selvedge_ir::spec::{Binding, Formula};
use selvedge_ir::{BinaryOp, Const, Expr, LayoutId, ObjectId, Place};
use selvedge_smt::Answer;

use crate::checker::{Checker, Task};
use crate::memory::parts;
use crate::state::State;
use crate::world::{Changed, View, World};

impl<'a> Checker<'a> {
    /// Others and the thread itself take steps; the thread changes no more than this.
    pub fn closure(&mut self, state: &mut State, changed: &[Changed], apart: bool) {
        let kept = self.stable(changed);
        self.environment_by(state, &kept, apart);
    }

    /// The conjuncts of E that hold over steps that change no more than this.
    fn stable(&mut self, changed: &[Changed]) -> Vec<usize> {
        let clauses = &self.subject.program.spec.environment;
        let all = clauses.iter().enumerate();
        let kept: Vec<usize> = all
            .filter(|(_, clause)| changed.iter().all(|c| self.is_apart_from(&clause.formula, c)))
            .map(|(number, _)| number)
            .collect();
        match kept.len() == clauses.len() || self.task.transitive(&kept) {
            true => kept,
            false => Vec::new(),
        }
    }

    fn is_apart_from(&mut self, formula: &Formula, changed: &Changed) -> bool {
        let lives = formula.variables.values().any(|v| matches!(v.binding, Binding::Alive { .. }));
        !lives && formula.reads().all(|(_, place, _)| self.is_elsewhere(formula, place, changed))
    }

    /// Whether a place that a formula reads is surely none of those that are changed.
    fn is_elsewhere(&mut self, formula: &Formula, place: &Place, changed: &Changed) -> bool {
        match changed {
            Changed::Any => false,
            Changed::Every(ty) => place.ty != *ty,
            Changed::At(ty, at) => {
                place.ty != *ty || place.direct().is_some_and(|direct| self.differs(direct, *at))
            }
            Changed::Each { ty, layout, offset } => {
                place.ty != *ty
                    || element(formula, place)
                        .is_some_and(|(other, at)| other == *layout && at != *offset)
            }
        }
    }

    /// Whether a constant address is surely another than a symbolic one, which is constant, too.
    fn differs(&mut self, (object, offset): (ObjectId, i64), at: selvedge_smt::translate::Sym) -> bool {
        let (number, distance) = parts(at);
        let t = &mut self.world.terms;
        let object = t.int(self.world.objects.object(object));
        let offset = t.int(offset);
        let same = [t.eq(number, object), t.eq(distance, offset)];
        let same = t.and(&same);
        same == t.bool(false)
    }
}

/// Of a place that is a quantified pointer and a constant: the layout and the constant.
fn element(formula: &Formula, place: &Place) -> Option<(LayoutId, i64)> {
    let (pointer, offset) = match &place.addr {
        Expr::Local(pointer) => (*pointer, 0),
        Expr::Binary(BinaryOp::PtrAdd, pointer, offset) => match (&**pointer, &**offset) {
            (Expr::Local(pointer), Expr::Const(Const::Int(bits, int))) => {
                (*pointer, i64::try_from(int.value(*bits)).ok()?)
            }
            _ => return None,
        },
        _ => return None,
    };
    match formula.variables.get(pointer)?.binding {
        Binding::Forall(Some(layout)) | Binding::Exists(Some(layout)) => Some((layout, offset)),
        _ => None,
    }
}

impl Task<'_> {
    /// Whether some conjuncts of E are transitive without the others.
    fn transitive(&self, conjuncts: &[usize]) -> bool {
        if let Some(&known) = self.known_transitive.borrow().get(conjuncts) {
            return known;
        }
        let spec = &self.subject.program.spec;
        let mut world = World::new(self.subject, self.limits.clone());
        let yes = world.terms.bool(true);
        let all = [world.memory("first"), world.memory("second"), world.memory("third")];
        let view = |world: &World<'_>, from: usize, to: usize| View {
            before: all[from].clone(),
            after: all[to].clone(),
            tid: world.tid,
            params: Vec::new(),
            result: None,
        };
        for (from, to) in [(0, 1), (1, 2)] {
            world.pass(yes, &all[from], &all[to], true);
            for &number in conjuncts {
                let view = view(&world, from, to);
                world.assume(yes, &spec.environment[number].formula, view);
            }
        }
        let holds = conjuncts.iter().all(|&number| {
            let view = view(&world, 0, 2);
            let goal = world.goal(&spec.environment[number].formula, &view);
            matches!(world.ask(yes, goal), Answer::Unsat(_))
        });
        self.known_transitive.borrow_mut().insert(conjuncts.to_vec(), holds);
        holds
    }
}
