//! Which clauses a step can violate: those about regions that it writes.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use selvedge_ir::Type;
use selvedge_smt::{Answer, Term};

use crate::checker::{Checker, Mode};
use crate::memory::{Kept, parts};
use crate::regions::Region;
use crate::scope::made;
use crate::state::{State, Write};

/// Clauses about loose components, from which on it is worth a question whether a step leaves them alone.
const MANY: usize = 4;

/// The clauses that a step may violate, by their numbers, in order.
pub(crate) struct Reach {
    pub environment: Vec<usize>,
    pub invariants: Vec<usize>,
}

impl Checker<'_> {
    /// What a step may violate. That an object stops being the thread's own concerns clauses about such
    /// objects as the procedure makes; that one is freed, the heap.
    pub fn reach(&mut self, state: &State) -> Reach {
        let regions = &self.subject.components.regions;
        let mut written: FxHashSet<Region> = FxHashSet::default();
        let mut through = Vec::new();
        for write in &state.writes {
            match self.written(write) {
                Some(regions) => written.extend(regions),
                None => through.push((write.condition, write.at)),
            }
        }
        if state.dirty {
            written.extend(made(self.subject, self.id));
        }
        if !through.is_empty() {
            written.extend(regions.behind_pointers());
        }
        if !through.is_empty() && !self.leads_to_objects(state, &through) {
            let (environment, invariants) = (&regions.environment, &regions.invariants);
            let (environment, invariants) = (environment.len(), invariants.len());
            return Reach {
                environment: (0..environment).collect(),
                invariants: (0..invariants).collect(),
            };
        }
        let environment: BTreeSet<usize> =
            written.iter().flat_map(|&region| regions.assuming(region)).copied().collect();
        let invariants: BTreeSet<usize> =
            written.iter().flat_map(|&region| regions.claiming(region)).copied().collect();
        Reach {
            environment: environment.into_iter().collect(),
            invariants: invariants.into_iter().collect(),
        }
    }

    /// The regions that a write may be to; none if that is not known.
    fn written(&self, write: &Write) -> Option<Vec<Region>> {
        let subject = self.subject;
        if let Kept::Ghost(ghost) = write.kept {
            return Some(vec![Region::Ghost(ghost)]);
        }
        if let Some(location) = write.place.as_ref().and_then(|place| place.direct()) {
            return Some(subject.components.regions.of_location(&subject.program, location));
        }
        let origins = subject.led_to(self.id, write.edge?)?;
        Some(origins.iter().flat_map(|origin| subject.regions_of(origin)).collect())
    }

    /// Whether what is written through pointers is surely in allocated objects, so that no clause
    /// about named scalars is concerned.
    fn leads_to_objects(
        &mut self,
        state: &State,
        through: &[(Term, selvedge_smt::translate::Sym)],
    ) -> bool {
        let spec = &self.subject.program.spec;
        let tied = self.subject.components.all.iter().filter(|component| component.tied);
        let tied: usize = tied.map(|part| part.environment.len() + part.invariants.len()).sum();
        let others = spec.environment.len() + spec.invariants.len() - tied;
        if others < MANY || self.mode == Mode::Guess {
            return false;
        }
        let first = self.world.terms.int(self.world.objects.first_free());
        let t = &mut self.world.terms;
        let mut goals = Vec::new();
        for &(condition, at) in through {
            let allocated = t.le(first, parts(at).0);
            goals.push(t.implies(condition, allocated));
        }
        let goal = t.and(&goals);
        self.world.consider(Type::Ptr, through[0].1);
        matches!(self.world.ask(state.guard, goal), Answer::Unsat(_))
    }
}
