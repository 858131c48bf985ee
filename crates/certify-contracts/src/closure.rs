//! Any number of steps of others and of the thread itself, of whose own steps is known only what they
//! may change.
//!
//! A conjunct of E with any values in the places that the thread changes holds of every step of others,
//! because it follows from the conjunct, and of every step of the thread, because E is reflexive and the
//! values that the step changes do not matter. Where what is left of all conjuncts is transitive, which is
//! asked, it holds over any number of such steps.

use rustc_hash::FxHashMap;
use selvedge_ir::spec::{Binding, Formula, When};
use selvedge_ir::{Expr, LayoutId, LocalId, ObjectId, Place, Span};
use selvedge_smt::Term;
use selvedge_smt::translate::Sym;

use crate::memory::{Kept, Memory, parts};
use crate::passage::Changed;
use crate::path::Path;
use crate::verdict::Rejected;
use crate::walk::Walker;
use crate::world::World;

impl Walker<'_, '_> {
    /// Others and the thread take steps; the thread changes no more than this, and if a bound is
    /// given, none of its own objects below it.
    pub fn closure(
        &mut self,
        path: &mut Path,
        changed: &[Changed],
        own: Option<Term>,
        span: Span,
    ) -> Result<(), Rejected> {
        let kept = self.world.stable(changed, span)?;
        let after = self.world.passed(path, own, None);
        for formula in &kept {
            let view = self.world.view(&path.memory, &after);
            path.assume(formula, view);
        }
        self.world.arrive(path, after);
        Ok(())
    }
}

impl World<'_> {
    /// What holds over steps that change no more than this.
    fn stable(&mut self, changed: &[Changed], span: Span) -> Result<Vec<Formula>, Rejected> {
        let all: Vec<&Formula> =
            self.assumed.environment.iter().map(|clause| &clause.formula).collect();
        let left: Vec<Formula> =
            all.iter().filter_map(|formula| self.without(formula, changed)).collect();
        if self.is_transitive(&left, span)? {
            return Ok(left);
        }
        let whole: Vec<Formula> =
            left.into_iter().filter(|formula| all.contains(&formula)).collect();
        match self.is_transitive(&whole, span)? {
            true => Ok(whole),
            false => Ok(Vec::new()),
        }
    }

    /// The formula with any values in the places that are changed. None if it is about which objects
    /// live, which the thread may change as well, or about a changed map from threads.
    fn without(&mut self, formula: &Formula, changed: &[Changed]) -> Option<Formula> {
        if formula.variables.values().any(|v| matches!(v.binding, Binding::Alive { .. })) {
            return None;
        }
        let mut left = formula.clone();
        let mut first: FxHashMap<(Place, When), LocalId> = FxHashMap::default();
        let mut same: FxHashMap<LocalId, LocalId> = FxHashMap::default();
        for (id, place, when) in formula.reads() {
            if !changed.iter().all(|change| self.is_elsewhere(formula, place, change)) {
                let known = *first.entry((place.clone(), when)).or_insert(id);
                same.insert(id, known);
                left.variables[id].binding = Binding::Exists(None);
            }
        }
        for (id, ghost, _, _) in formula.ghosts() {
            let kept = Kept::Ghost(ghost);
            if changed.iter().any(|change| change.may_be(kept)) {
                if self.is_map(kept) {
                    return None;
                }
                left.variables[id].binding = Binding::Exists(None);
            }
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
            Changed::At(kept, at, _) => {
                Kept::Scalar(place.ty) != *kept
                    || place.direct().is_some_and(|direct| self.differs(direct, *at))
            }
            Changed::Each { kept, layout, offset } => {
                let size = self.subject.program.layouts[*layout].size as i64;
                let inside = |at: i64| (0..size).contains(&at);
                let other = |(_, of, at): (LocalId, LayoutId, i64)| {
                    of == *layout && at != *offset && inside(at) && inside(*offset)
                };
                Kept::Scalar(place.ty) != *kept
                    || formula.element_at(&place.addr).is_some_and(other)
            }
        }
    }

    /// Whether two constant addresses differ; false where one is not constant.
    fn differs(&mut self, (object, offset): (ObjectId, i64), at: Sym) -> bool {
        let (number, distance) = parts(at);
        let t = &mut self.terms;
        let (object, offset) = (t.int(self.objects.object(object)), t.int(offset));
        let same = [t.eq(number, object), t.eq(distance, offset)];
        let same = t.and(&same);
        same == t.bool(false)
    }

    /// Whether formulas over two states are transitive together.
    fn is_transitive(&mut self, formulas: &[Formula], span: Span) -> Result<bool, Rejected> {
        let known = self.asker.transitive.iter().find(|(known, _)| known == formulas);
        if let Some((_, holds)) = known {
            return Ok(*holds);
        }
        let (mut path, first) = self.two_steps(formulas.iter());
        let mut holds = true;
        for formula in formulas {
            let view = self.view(&first, &path.memory);
            let goal = self.goal(&mut path, formula, &view);
            let what = "what is left of the environment assumption is transitive";
            holds &= self.follows(&mut path, what, span, None, goal)?.unwrap_or(false);
        }
        self.asker.transitive.push((formulas.to_vec(), holds));
        Ok(holds)
    }

    /// Two steps of which formulas hold, between memories that satisfy the invariants; with the memory
    /// before both.
    pub fn two_steps<'f>(
        &mut self,
        formulas: impl Iterator<Item = &'f Formula> + Clone,
    ) -> (Path, Memory) {
        let first = self.any_memory("first");
        let mut path = Path::new(first.clone());
        self.know_threads(&mut path);
        let free = self.first_free();
        let fact = self.terms.le(free, first.next);
        self.fact(&mut path, fact);
        self.assume_invariants(&mut path);
        for _ in 0..2 {
            let after = self.passed(&mut path, None, None);
            for formula in formulas.clone() {
                let view = self.view(&path.memory, &after);
                path.assume(formula, view);
            }
            self.arrive(&mut path, after);
        }
        (path, first)
    }
}
