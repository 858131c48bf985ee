//! Any number of steps of others and of the thread itself, of whose own steps is known only what they
//! may change.
//!
//! A conjunct of E with any values in the places that the thread changes holds of every step of others,
//! because it follows from the conjunct, and of every step of the thread, because E is reflexive and the
//! values that the step changes do not matter. Where what is left of all conjuncts is transitive, which is
//! asked, it holds over any number of such steps.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::spec::{Binding, Formula, When};
use selvedge_ir::{Expr, LayoutId, LocalId, ObjectId, Place, Span};
use selvedge_smt::Term;
use selvedge_smt::translate::Sym;

use crate::memory::{Kept, Memory, parts};
use crate::passage::Changed;
use crate::path::Path;
use crate::subject::speaks_of_life;
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
        let kept = self.world.stable(path, changed, span)?;
        let after = self.world.passed(path, own, None);
        for formula in &kept {
            let view = self.world.view(&path.memory, &after);
            path.assume(formula, view);
        }
        self.world.arrive(path, after);
        Ok(())
    }
}

/// What is found out about which places are apart.
struct Apart<'p> {
    path: &'p mut Path,
    span: Span,
    /// What was asked in vain.
    open: FxHashSet<Term>,
}

impl World<'_> {
    /// What holds over steps that change no more than this.
    fn stable(
        &mut self,
        path: &mut Path,
        changed: &[Changed],
        span: Span,
    ) -> Result<Vec<Formula>, Rejected> {
        let all: Vec<&Formula> =
            self.assumed.environment.iter().map(|clause| &clause.formula).collect();
        if changed.is_empty() && !self.subject.speaks_of_life {
            // E is transitive.
            return Ok(all.into_iter().cloned().collect());
        }
        let mut left: Vec<Formula> = Vec::new();
        let mut apart = Apart { path, span, open: FxHashSet::default() };
        for formula in &all {
            left.extend(self.without(&mut apart, formula, changed)?);
        }
        let whole: Vec<Formula> =
            left.iter().filter(|formula| all.contains(formula)).cloned().collect();
        let mut kept = self.transitive_part(left, span)?;
        // Both parts are transitive, and so are they together.
        if !whole.iter().all(|formula| kept.contains(formula)) {
            let more = self.transitive_part(whole, span)?;
            kept.extend(
                more.into_iter().filter(|formula| !kept.contains(formula)).collect::<Vec<_>>(),
            );
        }
        Ok(kept)
    }

    /// Leaves out what does not hold over two steps until the rest is transitive.
    fn transitive_part(
        &mut self,
        mut formulas: Vec<Formula>,
        span: Span,
    ) -> Result<Vec<Formula>, Rejected> {
        loop {
            let holds = self.hold_over_two(&formulas, span)?;
            if holds.iter().all(|&holds| holds) {
                return Ok(formulas);
            }
            let mut holds = holds.into_iter();
            formulas.retain(|_| holds.next() == Some(true));
        }
    }

    /// The formula with any values in the places that are changed. None if it is about which objects
    /// live, which the thread may change as well, or about a changed map from threads.
    fn without(
        &mut self,
        apart: &mut Apart<'_>,
        formula: &Formula,
        changed: &[Changed],
    ) -> Result<Option<Formula>, Rejected> {
        if speaks_of_life(formula) {
            return Ok(None);
        }
        let mut left = formula.clone();
        let mut first: FxHashMap<(Place, When), LocalId> = FxHashMap::default();
        let mut same: FxHashMap<LocalId, LocalId> = FxHashMap::default();
        for (id, place, when) in formula.reads() {
            let mut elsewhere = true;
            for change in changed {
                elsewhere = elsewhere && self.is_elsewhere(apart, formula, place, change)?;
            }
            if !elsewhere {
                let known = *first.entry((place.clone(), when)).or_insert(id);
                same.insert(id, known);
                left.variables[id].binding = Binding::Exists(None);
            }
        }
        for (id, ghost, _, _) in formula.ghosts() {
            let kept = Kept::Ghost(ghost);
            if changed.iter().any(|change| change.may_be(kept)) {
                if self.is_map(kept) {
                    return Ok(None);
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
        Ok(Some(left))
    }

    /// Whether a place that a formula reads is surely none of those that are changed.
    fn is_elsewhere(
        &mut self,
        apart: &mut Apart<'_>,
        formula: &Formula,
        place: &Place,
        changed: &Changed,
    ) -> Result<bool, Rejected> {
        Ok(match changed {
            Changed::Any => false,
            Changed::Every(kept) => Kept::Scalar(place.ty) != *kept,
            Changed::At(kept, at, _) => {
                Kept::Scalar(place.ty) != *kept || self.is_not_at(apart, formula, place, *at)?
            }
            Changed::Each { kept, layout, offset } => {
                let size = self.subject.program.layouts[*layout].size as i64;
                let inside = |at: i64| (0..size).contains(&at);
                let other = |(_, of, at): (LocalId, LayoutId, i64)| {
                    of == *layout && at != *offset && inside(at) && inside(*offset)
                };
                Kept::Scalar(place.ty) != *kept
                    || formula.element_at(&place.addr).is_some_and(other)
                    || place.addr.base().is_some_and(|object| !self.has_elements(object, *layout))
            }
            Changed::In(kept, object) => {
                Kept::Scalar(place.ty) != *kept
                    || place.addr.base().is_some_and(|other| other != *object)
                    || (formula.element_at(&place.addr))
                        .is_some_and(|(_, layout, _)| !self.has_elements(*object, layout))
            }
        })
    }

    /// Whether a place that a formula reads is never at an address.
    fn is_not_at(
        &mut self,
        apart: &mut Apart<'_>,
        formula: &Formula,
        place: &Place,
        at: Sym,
    ) -> Result<bool, Rejected> {
        let (object, offset) = parts(at);
        let met = if let Some((global, distance)) = place.direct() {
            let t = &mut self.terms;
            let (global, distance) = (t.int(self.objects.object(global)), t.int(distance));
            let both = [t.eq(object, global), t.eq(offset, distance)];
            t.and(&both)
        } else if let Some(global) = place.addr.base() {
            let global = self.terms.int(self.objects.object(global));
            self.terms.eq(object, global)
        } else if let Some((_, layout, distance)) = formula.element_at(&place.addr) {
            let (element, later) = (self.back(at, distance), self.later());
            self.is_element(apart.path, &later, layout, element)
        } else {
            return Ok(false);
        };
        if apart.path.never.contains(&met) {
            return Ok(true);
        }
        if apart.open.contains(&met) {
            return Ok(false);
        }
        let never = self.terms.not(met);
        let what = "what a callee changes is not what an assumption is about";
        let (path, span) = (&mut *apart.path, apart.span);
        let known = self.follows_nearby(path, what, span, never)?;
        match known {
            true => apart.path.never.insert(met),
            false => apart.open.insert(met),
        };
        Ok(known)
    }

    /// Whether an object is an element of a layout or an array of such; otherwise no pointer to such an
    /// element leads into it.
    pub fn has_elements(&self, object: ObjectId, layout: LayoutId) -> bool {
        self.subject.is_made_of(self.subject.program.objects[object].layout, layout)
    }

    /// Which of the formulas over two states hold of two steps where all hold of each. If all do, they
    /// are transitive together.
    fn hold_over_two(&mut self, formulas: &[Formula], span: Span) -> Result<Vec<bool>, Rejected> {
        let known = self.asker.transitive.iter().find(|(known, _)| known == formulas);
        if let Some((_, holds)) = known {
            return Ok(holds.clone());
        }
        let (mut path, first) = self.two_steps(formulas.iter());
        let mut holds = Vec::new();
        for formula in formulas {
            let view = self.view(&first, &path.memory);
            let goal = self.goal(&mut path, formula, &view);
            let what = "what is left of the environment assumption is transitive";
            holds.push(self.follows(&mut path, what, span, goal)?);
        }
        self.asker.transitive.push((formulas.to_vec(), holds.clone()));
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
