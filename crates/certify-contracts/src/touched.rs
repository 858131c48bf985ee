//! Which clauses a step may have broken (`groups`).

use std::collections::BTreeSet;

use selvedge_ir::spec::Clause;
use selvedge_ir::{ObjectId, Span};
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

impl<'a> Walker<'_, 'a> {
    /// The clauses that speak of something that the step since `path.start` may have changed.
    pub fn touched(&mut self, path: &mut Path, span: Span) -> Result<Touched<'a>, Rejected> {
        let subject = self.world.subject;
        let assumed = match self.touched_groups(path, span)? {
            None => Assumed::whole(subject),
            Some(groups) => {
                let mut all = Assumed::default();
                for number in groups {
                    let one = Assumed::of_group(subject, &subject.groups.all[number]);
                    all.environment.extend(one.environment);
                    all.invariants.extend(one.invariants);
                }
                all
            }
        };
        Ok(Touched { environment: assumed.environment, invariants: assumed.invariants })
    }

    /// The first group, and those of the globals that were written; none if that may be all of them.
    fn touched_groups(
        &mut self,
        path: &mut Path,
        span: Span,
    ) -> Result<Option<BTreeSet<usize>>, Rejected> {
        let Some(objects) = self.written(path) else { return Ok(None) };
        let mut groups = BTreeSet::from([FIRST]);
        for object in objects {
            match self.global(object) {
                Some(id) => groups.extend(self.world.subject.groups.of_object(id)),
                None if self.is_allocated(path, object, span)? => {}
                None => return Ok(None),
            }
        }
        Ok(Some(groups))
    }

    /// The objects whose content the step has written to; none if that is not clear.
    fn written(&self, path: &Path) -> Option<BTreeSet<Term>> {
        let terms = &self.world.terms;
        let mut found = BTreeSet::new();
        // Clauses about variables of the specification are in the first group.
        let scalars = path.memory.maps.iter().filter(|(kept, _)| matches!(kept, Kept::Scalar(_)));
        for (kept, maps) in scalars {
            for (&after, &before) in maps.iter().zip(path.start.maps.get(kept)?) {
                let mut map = after;
                while map != before {
                    let (Op::Store, &[older, object, _]) = (terms.op(map), terms.args(map)) else {
                        return None;
                    };
                    found.insert(object);
                    map = older;
                }
            }
        }
        Some(found)
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
        Ok(self.world.follows(path, what, span, None, allocated)?.unwrap_or(false))
    }
}
