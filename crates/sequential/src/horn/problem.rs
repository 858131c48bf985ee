//! A program as Horn clauses in one arithmetic, and the search for a solution.

use std::collections::BTreeMap;
use std::sync::Arc;

use selvedge_ir::LocationId;
use selvedge_smt::horn::{Definition, Horn, RelationId, Solution};
use selvedge_smt::translate::{Arithmetic, Types};
use selvedge_smt::{Limits, Terms};

use super::super::given::Given;
use super::super::layout::Layout;
use super::super::program::SequentialProgram;
use super::certificate::{Certificate, Invariant};
use super::clauses::Clauses;
use super::graph::Graph;
use super::guess::{Signature, conjunction, guess, strengthen};
use super::maps;
use super::memory::{Memory, zeros};
use super::objects::Objects;
use super::slots::{Owner, Slots, Value};

/// The clauses of a program in one arithmetic, and what is known of them.
pub(super) struct Problem {
    pub arithmetic: Arithmetic,
    pub terms: Terms,
    pub horn: Horn,
    /// By the numbers of their relations.
    pub heads: Vec<Head>,
    pub given: BTreeMap<RelationId, Definition>,
    /// What holds, if not enough for a proof.
    pub known: Option<Solution>,
    /// What has been checked.
    pub proof: Option<Solution>,
}

/// A relation with what its parameters are.
pub(super) struct Head {
    pub at: LocationId,
    pub names: Vec<String>,
    pub signature: Signature,
}

impl Problem {
    pub fn new(
        program: &SequentialProgram,
        arithmetic: Arithmetic,
        given: &BTreeMap<LocationId, Given>,
        limits: &Limits,
    ) -> Option<Problem> {
        let graph = Graph::of(program, given);
        let objects = Objects::of(program, &graph);
        // The counter of objects has no end.
        if arithmetic == Arithmetic::Bits && objects.count() {
            return None;
        }
        let mut terms = Terms::new();
        let types = Types { arithmetic, model: program.program.model };
        let layout = Layout::of(program);
        let maps = maps::maps(program, &layout, &objects);
        let slots = Slots::of(program, &maps, &objects, &mut terms, types);
        let zeros = zeros(&slots, &mut terms, types);
        let memory = Memory { program, layout, objects, maps, slots, types, zeros };
        let Clauses { horn, relations, given, .. } =
            Clauses::new(&memory, &graph, &mut terms, given, limits).ok()?;
        let mut heads = Vec::new();
        for (&at, &relation) in &relations {
            let (sorts, types) = (Vec::new(), Vec::new());
            let mut signature = Signature { relation, sorts, types, error: None };
            let mut names = Vec::new();
            for value in memory.slots.at(program, &graph, at) {
                if value.owner == Owner::Local(program.error) {
                    signature.error = Some(names.len());
                }
                names.extend(parts(value));
                signature.sorts.extend(&value.sorts);
                let scalar = value.ty.filter(|_| value.sorts.len() == 1);
                signature.types.extend(value.sorts.iter().map(|_| scalar));
            }
            heads.push(Head { at, names, signature });
        }
        heads.sort_unstable_by_key(|head| head.signature.relation);
        Some(Problem { arithmetic, terms, horn, heads, given, known: None, proof: None })
    }

    /// Whether guesses are enough.
    pub fn guess(&mut self, limits: &Limits) -> bool {
        let signatures = self.heads.iter().map(|head| &head.signature);
        self.known = guess(&self.horn, signatures, self.arithmetic, &mut self.terms, limits);
        match self.known.clone() {
            Some(known) => self.check(known, limits),
            None => false,
        }
    }

    /// Whether the solver finds a solution.
    pub fn solve(&mut self, limits: &Limits) -> bool {
        let Problem { horn, terms, .. } = self;
        let solution = match &self.known {
            None => horn.solution(terms, limits),
            Some(known) => {
                let rest = strengthen(horn, known, terms).solution(terms, limits);
                rest.map(|rest| conjunction(&rest, known, terms))
            }
        };
        solution.is_some_and(|solution| self.check(solution, limits))
    }

    /// Whether a solution makes every clause valid; the clauses and it alone are looked at.
    pub fn check(&mut self, solution: Solution, limits: &Limits) -> bool {
        let valid = self.horn.check(&mut self.terms, &solution, limits).is_ok();
        self.proof = valid.then_some(solution);
        valid
    }

    pub fn certificate(self) -> Option<Certificate> {
        let solution = self.proof?;
        let invariants = self.heads.into_iter().map(|head| {
            let definition = solution.get(head.signature.relation);
            let parameters = head.names.into_iter().zip(definition.parameters.iter().copied());
            Invariant { at: head.at, parameters: parameters.collect(), formula: definition.formula }
        });
        let invariants = invariants.collect();
        let Problem { terms, arithmetic, .. } = self;
        Some(Certificate { terms: Arc::new(terms), arithmetic, invariants })
    }
}

/// The names of a value's terms.
fn parts(value: &Value) -> Vec<String> {
    match value.sorts.len() {
        1 => vec![value.name.clone()],
        _ => vec![format!("{}.object", value.name), format!("{}.offset", value.name)],
    }
}
