//! Which clauses a step can violate: those about components that it writes.

use std::collections::BTreeSet;

use selvedge_ir::spec::Formula;
use selvedge_ir::{Place, Type};
use selvedge_passes::pointsto::Origin;
use selvedge_smt::{Answer, Term};

use crate::checker::{Checker, Mode};
use crate::components::Component;
use crate::formula::is_apart;
use crate::memory::{Kept, parts};
use crate::prepare::Subject;
use crate::scope::made;
use crate::state::{State, Write};

/// Clauses about loose components, from which on it is worth a question whether a step leaves them alone.
const MANY: usize = 4;

/// What a step may have changed.
pub(crate) struct Reach {
    /// The components; none if it may be any.
    components: Option<BTreeSet<u32>>,
    /// The places, where each is a constant address and nothing was done to objects.
    places: Option<Vec<Place>>,
}

impl Reach {
    /// The numbers of the clauses that the step may violate, in order.
    pub fn chosen(
        &self,
        all: usize,
        of: impl Fn(&Component) -> &Vec<usize>,
        subject: &Subject,
    ) -> Vec<usize> {
        let Some(components) = &self.components else { return (0..all).collect() };
        let numbers = components.iter().map(|&number| &subject.components.all[number as usize]);
        let mut chosen: Vec<usize> = numbers.flat_map(|c| of(c).iter().copied()).collect();
        chosen.sort_unstable();
        chosen
    }

    /// Whether a formula surely reads nothing of what was written.
    pub fn is_apart(&self, formula: &Formula) -> bool {
        self.places.as_ref().is_some_and(|places| is_apart(formula, places))
    }
}

impl Checker<'_> {
    /// What a step may have changed. That an object stops being the thread's own concerns clauses
    /// about such objects as the procedure makes; that one is freed, the heap.
    pub fn reach(&mut self, state: &State) -> Reach {
        let subject = self.subject;
        let mut found: BTreeSet<u32> = BTreeSet::new();
        let mut through = Vec::new();
        for write in &state.writes {
            match self.written(write) {
                Some(components) => found.extend(components),
                None => through.push((write.condition, write.at)),
            }
        }
        let direct = |write: &Write| write.place.clone().filter(|place| place.direct().is_some());
        let places = match state.dirty {
            true => None,
            false => state.writes.iter().map(direct).collect(),
        };
        if state.dirty {
            found.extend(made(subject, self.id));
        }
        if !through.is_empty() {
            found.extend(subject.components.tied());
        }
        let all = !through.is_empty() && !self.leads_to_objects(state, &through);
        Reach { components: (!all).then_some(found), places }
    }

    /// The components that a write may be to; none if that is not known.
    fn written(&self, write: &Write) -> Option<Vec<u32>> {
        let (program, components) = (&self.subject.program, &self.subject.components);
        if let Kept::Ghost(ghost) = write.kept {
            return Some(components.of_ghost(ghost).into_iter().collect());
        }
        if let Some(location) = write.place.as_ref().and_then(|place| place.direct()) {
            return Some(components.component(program, location).into_iter().collect());
        }
        let origins = self.subject.led_to(self.id, write.edge?)?;
        let of = |origin: &Origin| match origin {
            Origin::Object(object) => components.of_object(program, *object),
            Origin::Alloc(procedure, at) => {
                let layout = self.subject.sites[&(*procedure, *at)].layout;
                components.of_layout(program, layout)
            }
        };
        Some(origins.iter().flat_map(of).collect())
    }

    /// Whether what is written through pointers is surely in allocated objects, so that no clause
    /// about named scalars is concerned.
    fn leads_to_objects(
        &mut self,
        state: &State,
        through: &[(Term, selvedge_smt::translate::Sym)],
    ) -> bool {
        let spec = &self.subject.program.spec;
        let tied = self.subject.components.tied();
        let tied = tied.map(|number| &self.subject.components.all[number as usize]);
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
