//! Which clauses a step can violate: those about components that it writes.

use std::collections::BTreeSet;

use selvedge_ir::spec::Formula;
use selvedge_ir::{Place, Type};
use selvedge_smt::{Answer, Term};

use crate::checker::{Checker, Mode};
use crate::components::{Component, HEAP};
use crate::formula::is_apart;
use crate::memory::parts;
use crate::prepare::Subject;
use crate::state::State;

/// Clauses outside of the heap, from which on it is worth a question whether a step leaves them alone.
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
    /// What a step may have changed. What it does to objects concerns the heap alone, since clauses
    /// about other components speak of no objects that they do not name.
    pub fn reach(&mut self, state: &State) -> Reach {
        let (program, components) = (&self.subject.program, &self.subject.components);
        let mut found: BTreeSet<u32> = BTreeSet::new();
        let mut through = Vec::new();
        for write in &state.writes {
            match write.place.as_ref().filter(|place| place.direct().is_some()) {
                Some(place) => found.extend(components.component(program, place)),
                None => through.push((write.condition, write.at)),
            }
        }
        let direct = |write: &crate::state::Write| {
            write.place.clone().filter(|place| place.direct().is_some())
        };
        let places = match state.dirty {
            true => None,
            false => state.writes.iter().map(direct).collect(),
        };
        if state.dirty || !through.is_empty() || places.is_none() {
            found.insert(HEAP);
        }
        let all = !through.is_empty() && !self.leads_to_objects(state, &through);
        Reach { components: (!all).then_some(found), places }
    }

    /// Whether what is written through pointers is surely in allocated objects, so that no clause
    /// about named scalars is concerned.
    fn leads_to_objects(
        &mut self,
        state: &State,
        through: &[(Term, selvedge_smt::translate::Sym)],
    ) -> bool {
        let spec = &self.subject.program.spec;
        let heap = &self.subject.components.all[HEAP as usize];
        let others = spec.environment.len() + spec.invariants.len();
        let others = others - heap.environment.len() - heap.invariants.len();
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
