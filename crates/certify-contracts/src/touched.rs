//! Which clauses a step may have broken: those of some groups (`groups`), and of them those that read what
//! the step has written.

use std::collections::BTreeSet;

use selvedge_ir::spec::{Binding, Clause, Formula, When};
use selvedge_ir::{LayoutId, ObjectId, Place, Span};
use selvedge_smt::{Op, Term};

use crate::assumed::Assumed;
use crate::groups::FIRST;
use crate::memory::Kept;
use crate::path::Path;
use crate::verdict::Rejected;
use crate::walk::Walker;

/// Clauses of E and of I.
pub(crate) struct Touched<'a> {
    pub environment: Vec<&'a Clause>,
    pub invariants: Vec<&'a Clause>,
}

/// What a step may have changed.
struct Change {
    written: BTreeSet<(Kept, Object)>,
    /// Which objects there are, which of them live, or which several threads may know.
    objects: bool,
}

/// An object that a step has written to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Object {
    Global(ObjectId),
    /// No global.
    Allocated,
    /// No global but those that the procedure has to do with.
    SpokenOf,
}

impl<'a> Walker<'_, 'a> {
    /// The clauses that speak of something that the step since `path.start` may have changed.
    pub fn touched(&mut self, path: &mut Path, span: Span) -> Result<Touched<'a>, Rejected> {
        let subject = self.world.subject;
        let Some(change) = self.change(path, span)? else {
            let Assumed { environment, invariants, .. } = Assumed::whole(subject);
            return Ok(Touched { environment, invariants });
        };
        let mut touched = Touched { environment: Vec::new(), invariants: Vec::new() };
        for number in self.groups(&change) {
            let group = Assumed::of_group(subject, &subject.groups.all[number]);
            // E is reflexive, so it can only be broken by what it says of the state after the step.
            let broken = |c: &&Clause| self.is_told(&change, &c.formula, Some(When::After));
            touched.environment.extend(group.environment.into_iter().filter(broken));
            let broken = |c: &&Clause| self.is_told(&change, &c.formula, None);
            touched.invariants.extend(group.invariants.into_iter().filter(broken));
        }
        Ok(touched)
    }

    /// What the step has changed; none if that is not clear.
    fn change(&mut self, path: &mut Path, span: Span) -> Result<Option<Change>, Rejected> {
        let mut written = BTreeSet::new();
        for (&kept, maps) in &path.memory.maps {
            let Some(older) = path.start.maps.get(&kept) else { return Ok(None) };
            for (&after, &before) in maps.iter().zip(older) {
                let Some(objects) = self.stored(after, before) else { return Ok(None) };
                written.extend(objects.into_iter().map(|object| (kept, object)));
            }
        }
        let mut change = Change { written: BTreeSet::new(), objects: false };
        for (kept, term) in written {
            let object = match (kept, self.global(term)) {
                (Kept::Scalar(_), Some(id)) => Object::Global(id),
                // Clauses about variables of the specification are in the first group.
                (Kept::Ghost(_), _) => Object::Allocated,
                _ if self.is_allocated(path, term, span)? => Object::Allocated,
                _ if self.is_spoken_of(path, term, span)? => Object::SpokenOf,
                _ => return Ok(None),
            };
            change.written.insert((kept, object));
        }
        change.objects = self.other_objects(path, span)?;
        Ok(Some(change))
    }

    /// Where a map differs from another that it was made of.
    fn stored(&self, after: Term, before: Term) -> Option<BTreeSet<Term>> {
        let terms = &self.world.terms;
        let mut found = BTreeSet::new();
        let mut map = after;
        while map != before {
            let (Op::Store, &[older, object, _]) = (terms.op(map), terms.args(map)) else {
                return None;
            };
            found.insert(object);
            map = older;
        }
        Some(found)
    }

    /// Whether other objects may be there, alive or known to several threads than before the step.
    fn other_objects(&mut self, path: &mut Path, span: Span) -> Result<bool, Rejected> {
        let (before, after) = (path.start.clone(), path.memory.clone());
        if after.next != before.next || after.alive != before.alive {
            return Ok(true);
        }
        let Some(told) = self.stored(after.owner, before.owner) else { return Ok(true) };
        for object in told {
            let first = self.world.first_free();
            let t = &mut self.world.terms;
            let (zero, owner) = (t.int(0), t.select(before.owner, object));
            let known = [t.lt(object, first), t.eq(owner, zero)];
            let known = t.or(&known);
            let what = "several threads know an object already";
            if !self.world.follows(path, what, span, known)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The first group, and those of the globals that may have been written.
    fn groups(&self, change: &Change) -> BTreeSet<usize> {
        let all = &self.world.subject.groups;
        let mut groups = BTreeSet::from([FIRST]);
        for (_, object) in &change.written {
            match object {
                Object::Global(id) => groups.extend(all.of_object(*id)),
                Object::Allocated => {}
                Object::SpokenOf => {
                    let spoken_of = self.world.assumed.objects.iter();
                    groups.extend(spoken_of.filter_map(|id| all.of_object(*id)));
                }
            }
        }
        groups
    }

    /// Whether a formula reads something that was changed, in one of the states.
    fn is_told(&self, change: &Change, formula: &Formula, of: Option<When>) -> bool {
        let counts = |when: When| of.is_none_or(|of| of == when);
        formula.variables.values().any(|variable| match &variable.binding {
            Binding::Read { place, when } => {
                counts(*when) && self.may_be_written(change, formula, place)
            }
            Binding::Ghost { ghost, when, .. } => {
                counts(*when) && change.written.iter().any(|(kept, _)| *kept == Kept::Ghost(*ghost))
            }
            Binding::Alive { when, .. } => counts(*when) && change.objects,
            // What is quantified over are objects of the state before.
            Binding::Forall(Some(_)) | Binding::Exists(Some(_)) => of.is_none() && change.objects,
            _ => false,
        })
    }

    fn may_be_written(&self, change: &Change, formula: &Formula, place: &Place) -> bool {
        let element = formula.element_at(&place.addr);
        change.written.iter().any(|&(kept, object)| {
            let elsewhere = match (object, place.addr.base(), element) {
                (Object::Global(one), Some(other), _) => one != other,
                (Object::Global(one), None, Some((_, layout, _))) => {
                    !self.world.has_elements(one, layout)
                }
                (Object::Allocated, Some(_), _) => true,
                (Object::Allocated, None, Some((_, layout, _))) => !self.is_ever_made(layout),
                (Object::SpokenOf, Some(other), _) => !self.world.assumed.objects.contains(&other),
                (Object::SpokenOf, None, Some((_, layout, _))) => {
                    let spoken_of = &self.world.assumed.objects;
                    !self.is_ever_made(layout)
                        && !spoken_of.iter().any(|id| self.world.has_elements(*id, layout))
                }
                _ => false,
            };
            kept == Kept::Scalar(place.ty) && !elsewhere
        })
    }

    /// Whether some action makes elements of a layout.
    fn is_ever_made(&self, layout: LayoutId) -> bool {
        let subject = self.world.subject;
        subject.kinds.iter().any(|(site, ..)| subject.is_made_of(site.layout, layout))
    }

    /// The global of this number.
    fn global(&self, object: Term) -> Option<ObjectId> {
        let number = self.world.terms.constant(object)?.as_int()?;
        let index = u32::try_from(number).ok()?.checked_sub(1)?;
        let id = ObjectId::from_u32(index);
        self.world.subject.program.objects.is_valid(id).then_some(id)
    }

    /// That an object is no global. Where nobody knows, it may be one.
    fn is_allocated(
        &mut self,
        path: &mut Path,
        object: Term,
        span: Span,
    ) -> Result<bool, Rejected> {
        let first = self.world.first_free();
        let allocated = self.world.terms.le(first, object);
        let what = "what is written is no global";
        self.world.follows(path, what, span, allocated)
    }

    /// That an object is no global but those that the procedure has to do with.
    fn is_spoken_of(
        &mut self,
        path: &mut Path,
        object: Term,
        span: Span,
    ) -> Result<bool, Rejected> {
        let first = self.world.first_free();
        let mut any = vec![self.world.terms.le(first, object)];
        for id in self.world.assumed.objects.clone() {
            let number = self.world.terms.int(self.world.objects.object(id));
            any.push(self.world.terms.eq(object, number));
        }
        let one = self.world.terms.or(&any);
        let what = "what is written is no global of which the procedure knows nothing";
        self.world.follows(path, what, span, one)
    }
}
