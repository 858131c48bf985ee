//! Any number of steps of the environment and of the thread itself, of which only is known what the
//! thread's steps may change.
//!
//! A conjunct of E need not hold over all of them together, but what is left of it without what the
//! thread changes does: the conjunct with any values for these places. If the conjuncts that are left
//! are transitive, they hold over any number of steps: each step of the environment satisfies them
//! because it satisfies E, each step of the thread because E is reflexive and the places that it changes
//! do not matter.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_budget::workers;
use selvedge_ir::spec::{Binding, Clause, Formula, When};
use selvedge_ir::{Expr, GhostId, LayoutId, LocalId, ObjectId, Place, Type};
use selvedge_passes::pointsto::Origin;
use selvedge_smt::Answer;
use selvedge_smt::translate::Sym;

use crate::checker::Checker;
use crate::digest::Digest;
use crate::memory::{Kept, Memory, parts};
use crate::regions::elements;
use crate::state::State;
use crate::task::Task;
use crate::world::{Changed, View, World};

/// What a thread's own steps may change.
pub(crate) struct Changes {
    pub places: Vec<Changed>,
    /// At which types and in objects from where these places are, if that is known.
    pub within: Option<FxHashSet<(Type, Origin)>>,
}

impl<'a> Checker<'a> {
    /// Others and the thread itself take steps; the thread changes no more than this.
    pub fn closure(&mut self, state: &mut State, changed: &Changes, apart: bool) {
        let kept = self.stable(changed);
        let kept: Vec<&Formula> = kept.iter().collect();
        self.environment_by(state, &kept, apart);
    }

    /// What holds over steps that change no more than this. It is asked of each component by itself,
    /// as they have no memory in common. Of one that the thread leaves alone all of E holds, which is
    /// transitive.
    fn stable(&mut self, changed: &Changes) -> Vec<Formula> {
        let clauses = self.scope.environment.clone();
        let components = &self.subject.components;
        let mut parts: BTreeMap<u32, Vec<&Clause>> = BTreeMap::new();
        for (clause, number) in clauses.into_iter().zip(&self.scope.numbers) {
            parts.entry(components.of_environment[*number]).or_default().push(clause);
        }
        let mut kept = Vec::new();
        for (component, clauses) in parts {
            match self.is_left_alone(component, changed) {
                true => kept.extend(clauses.iter().map(|clause| clause.formula.clone())),
                false => kept.extend(self.stable_part(&clauses, changed)),
            }
        }
        kept
    }

    /// Whether nothing that is changed is what a clause about a component reads.
    fn is_left_alone(&mut self, component: u32, changed: &Changes) -> bool {
        let spec = &self.subject.program.spec;
        let component = &self.subject.components.all[component as usize];
        component.environment.iter().all(|&number| {
            let formula = &spec.environment[number].formula;
            self.without(formula, changed).is_some_and(|left| left == *formula)
        })
    }

    fn stable_part(&mut self, clauses: &[&Clause], changed: &Changes) -> Vec<Formula> {
        let left: Vec<Formula> =
            clauses.iter().filter_map(|clause| self.without(&clause.formula, changed)).collect();
        if self.task.transitive(&left) {
            return left;
        }
        self.task.transitive_among(left)
    }

    /// The formula with any values in the places that are changed; none if nothing is left of it.
    fn without(&mut self, formula: &Formula, changed: &Changes) -> Option<Formula> {
        if formula.variables.values().any(|v| matches!(v.binding, Binding::Alive { .. })) {
            return None;
        }
        let mut left = formula.clone();
        let mut unknown: FxHashMap<(Place, When), LocalId> = FxHashMap::default();
        let mut same: FxHashMap<LocalId, LocalId> = FxHashMap::default();
        for (id, place, when) in formula.reads() {
            let stays = changed.places.iter().all(|c| self.is_elsewhere(formula, place, c))
                || self.is_beyond(formula, place, changed);
            if !stays {
                let first = *unknown.entry((place.clone(), when)).or_insert(id);
                same.insert(id, first);
                left.variables[id].binding = Binding::Exists(None);
            }
        }
        for (id, ghost, _, _) in formula.ghosts() {
            if changed.places.iter().all(|changed| is_other(ghost, changed)) {
                continue;
            }
            if formula.is_map(id, &self.subject.program.spec.ghosts) {
                return None;
            }
            left.variables[id].binding = Binding::Exists(None);
        }
        left.for_each_expr_mut(&mut |expr| {
            let old = std::mem::replace(expr, Expr::Tid);
            *expr = old.map(&mut |part| match part {
                Expr::Local(local) => Expr::Local(*same.get(&local).unwrap_or(&local)),
                other => other,
            });
        });
        Some(left)
    }

    /// Whether a place that a formula reads is surely none of those that are changed.
    fn is_elsewhere(&mut self, formula: &Formula, place: &Place, changed: &Changed) -> bool {
        match changed {
            Changed::Any => false,
            Changed::Every(kept) => Kept::Scalar(place.ty) != *kept,
            Changed::At(kept, at) => {
                Kept::Scalar(place.ty) != *kept
                    || place.direct().is_some_and(|direct| self.differs(direct, *at))
                    || self.is_another_member(formula, place, *at)
            }
            Changed::In(kept, origin) => {
                Kept::Scalar(place.ty) != *kept || self.is_from_elsewhere(formula, place, *origin)
            }
            Changed::Each { kept, layout, offset } => {
                Kept::Scalar(place.ty) != *kept
                    || (formula.element_at(&place.addr)).is_some_and(|(_, other, at)| {
                        if other == *layout {
                            at != *offset
                        } else {
                            self.is_unlike(other, *layout)
                        }
                    })
            }
        }
    }

    /// Whether a place that a formula reads is surely in no object that is changed at all.
    fn is_beyond(&self, formula: &Formula, place: &Place, changed: &Changes) -> bool {
        changed.within.as_ref().is_some_and(|within| {
            let mut all = within.iter().filter(|(ty, _)| *ty == place.ty);
            all.all(|(_, origin)| self.is_from_elsewhere(formula, place, *origin))
        })
    }

    /// Whether a place that a formula reads is surely in none of the objects from somewhere.
    fn is_from_elsewhere(&self, formula: &Formula, place: &Place, origin: Origin) -> bool {
        let program = &self.subject.program;
        let among = match origin {
            Origin::Object(object) => program.objects[object].layout,
            Origin::Alloc(procedure, at) => self.subject.sites[&(procedure, at)].layout,
        };
        match (place.addr.base(), formula.element_at(&place.addr)) {
            (Some(object), _) => origin != Origin::Object(object),
            (None, Some((_, layout, _))) => elements(program, among).all(|other| other != layout),
            (None, None) => false,
        }
    }

    /// Whether a place in all elements of a layout is surely not a constant address in a global.
    fn is_another_member(&self, formula: &Formula, place: &Place, at: Sym) -> bool {
        let Some((_, layout, offset)) = formula.element_at(&place.addr) else { return false };
        let (object, distance) = parts(at);
        let number = |term| {
            let value = self.world.terms.constant(term)?;
            i64::try_from(value.as_int()?).ok()
        };
        let (Some(object), Some(distance)) = (number(object), number(distance)) else {
            return false;
        };
        let program = &self.subject.program;
        let mut globals = program.objects.iter();
        let found = globals.find(|(id, _)| self.world.objects.object(*id) as i64 == object);
        let Some((_, global)) = found else { return false };
        let size = i64::try_from(program.layouts[layout].size).unwrap_or(i64::MAX).max(1);
        let among = elements(program, global.layout).any(|other| other == layout);
        !among || (distance - offset).rem_euclid(size) != 0
    }

    /// Whether no element of one layout is in an element of the other.
    fn is_unlike(&self, one: LayoutId, other: LayoutId) -> bool {
        let program = &self.subject.program;
        elements(program, one).all(|inner| inner != other)
            && elements(program, other).all(|inner| inner != one)
    }

    /// Whether a constant address is surely another than a symbolic one, which is constant, too.
    fn differs(&mut self, (object, offset): (ObjectId, i64), at: Sym) -> bool {
        let (number, distance) = parts(at);
        let t = &mut self.world.terms;
        let object = t.int(self.world.objects.object(object));
        let offset = t.int(offset);
        let same = [t.eq(number, object), t.eq(distance, offset)];
        let same = t.and(&same);
        same == t.bool(false)
    }
}

/// Whether a variable of the specification is surely none of what is changed.
fn is_other(ghost: GhostId, changed: &Changed) -> bool {
    match changed {
        Changed::Any => false,
        Changed::Every(kept)
        | Changed::In(kept, _)
        | Changed::At(kept, _)
        | Changed::Each { kept, .. } => *kept != Kept::Ghost(ghost),
    }
}

impl Task<'_> {
    /// Whether formulas over two states are transitive together.
    fn transitive(&self, formulas: &[Formula]) -> bool {
        let rehearsal = Task { rehearsal: true, ..self.clone() };
        let key = rehearsal.asks_transitive(formulas).1;
        if let Some(known) = self.shared.is_transitive(&key) {
            return known;
        }
        let answer = workers::alone(|| {
            let limits = self.shared.limits();
            Task { limits, rehearsal: false, ..self.clone() }.asks_transitive(formulas).0
        });
        let holds = answer == Some(true);
        self.shared.keep_transitive(key, holds, answer.is_some());
        holds
    }

    /// As many of the formulas as are transitive together: those that are not, though all are assumed,
    /// are left out, until no such is left.
    fn transitive_among(&self, mut formulas: Vec<Formula>) -> Vec<Formula> {
        while !formulas.is_empty() && !self.transitive(&formulas) {
            let limits = self.shared.limits();
            let task = Task { limits, rehearsal: false, ..self.clone() };
            let holds = workers::alone(|| task.each_transitive(&formulas));
            if holds.iter().all(|holds| *holds) {
                return formulas;
            }
            let mut holds = holds.into_iter();
            formulas.retain(|_| holds.next() == Some(true));
        }
        formulas
    }

    /// Which formulas hold over two steps if all hold over each.
    fn each_transitive(&self, formulas: &[Formula]) -> Vec<bool> {
        let (mut world, all) = self.two_steps(formulas);
        let yes = world.terms.bool(true);
        let one = |formula: &Formula| {
            let view = between(&world, &all[0], &all[2]);
            let goal = world.goal(formula, &view);
            matches!(world.ask(yes, goal), Answer::Unsat(_))
        };
        formulas.iter().map(one).collect()
    }

    /// The answer, if the solver has one, and the questions.
    fn asks_transitive(&self, formulas: &[Formula]) -> (Option<bool>, Digest) {
        let (mut world, all) = self.two_steps(formulas);
        let yes = world.terms.bool(true);
        for formula in formulas {
            let view = between(&world, &all[0], &all[2]);
            let goal = world.goal(formula, &view);
            match world.ask(yes, goal) {
                Answer::Unsat(_) => {}
                Answer::Sat(_) => return (Some(false), world.digest()),
                Answer::Unknown(_) => return (None, world.digest()),
            }
        }
        (Some(true), world.digest())
    }

    /// Three memories, from each to the next a step of which formulas hold.
    fn two_steps(&self, formulas: &[Formula]) -> (World<'_>, [Memory; 3]) {
        let mut world = World::new(self);
        let reads = formulas.iter().flat_map(|formula| formula.reads());
        world.keep_apart(reads.filter_map(|(_, place, _)| place.addr.base()));
        let yes = world.terms.bool(true);
        let all = [world.memory("first"), world.memory("second"), world.memory("third")];
        for (from, to) in [(0, 1), (1, 2)] {
            world.pass(yes, &all[from], &all[to], false);
            for formula in formulas {
                let view = between(&world, &all[from], &all[to]);
                world.assume(yes, formula, view);
            }
        }
        let nobody = world.terms.int(0);
        world.consider(Type::Thread, Sym::Scalar(nobody));
        (world, all)
    }
}

fn between(world: &World<'_>, before: &Memory, after: &Memory) -> View {
    View {
        before: before.clone(),
        after: after.clone(),
        tid: world.tid,
        params: Vec::new(),
        result: None,
        values: Vec::new(),
    }
}
