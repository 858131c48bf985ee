//! Proofs that a sequential program is correct, however often its loops are passed.
//!
//! Every loop head becomes a relation over the variables that matter there ([`graph`], [`slots`]);
//! what lies between two of them becomes a clause ([`block`]). A solution of the clauses gives each
//! loop an invariant. It counts only after every clause has been checked with it by ordinary
//! questions to a solver.
//!
//! The clauses admit at least what the program can do: content that is not held is anything. So a
//! solution is a proof, but a refutation means nothing; the unrolling finds bugs.
//!
//! Machine integers come as unbounded ones first, with "nothing wraps around" as part of what is
//! proved; where that fails, with explicit wrapping, and in the end as bit-vectors.

mod block;
mod given;
mod graph;
mod guess;
mod maps;
mod memory;
mod objects;
mod slots;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use selvedge_ir::LocationId;
use selvedge_smt::horn::{Atom, Definition, Horn, RelationId, Rule, Solution};
use selvedge_smt::translate::{Arithmetic, Types, Wrap};
use selvedge_smt::{Limits, Sort, Term, Terms};

use super::guard::Guard;
use super::invariants::Given;
use super::program::SequentialProgram;
use super::state::State;
use block::{Arrival, Block, Expired, Walk, merge};
pub(super) use given::prove_with;
pub use given::{Flaw, Rejected};
use graph::Graph;
use guess::{Signature, conjunction, guess, strengthen};
use memory::{Memory, zero, zeros};
use objects::Objects;
use slots::{Owner, Slots, Value};

/// Invariants of loops that together show that a program is correct.
#[derive(Clone, Debug)]
pub struct Certificate {
    pub terms: Arc<Terms>,
    pub arithmetic: Arithmetic,
    pub invariants: Vec<Invariant>,
}

/// What holds whenever a loop's head is reached.
#[derive(Clone, Debug)]
pub struct Invariant {
    pub at: LocationId,
    /// The variables of the formula with what they stand for.
    pub parameters: Vec<(String, Term)>,
    pub formula: Term,
}

/// The heads of the loops of a program, where invariants stand.
pub fn loop_heads(program: &SequentialProgram) -> Vec<LocationId> {
    Graph::of(program, &BTreeMap::new()).cuts
}

/// Arithmetics in which the solver of Horn clauses is asked, each with its part of the time.
const ATTEMPTS: [(Arithmetic, f64); 3] = [
    (Arithmetic::Integers(Wrap::Obliged), 0.5),
    (Arithmetic::Integers(Wrap::Modular), 0.25),
    (Arithmetic::Bits, 0.25),
];

/// Proves the program correct within the time, if it can: by guesses first, then by the solver.
pub(super) fn prove(
    program: &SequentialProgram,
    limits: &Limits,
    time: Duration,
) -> Option<Certificate> {
    let started = limits.clock.now();
    let until = |part: f64| {
        let end = started + time.mul_f64(part);
        let deadline = limits.deadline.map_or(end, |deadline| deadline.min(end));
        Limits { deadline: Some(deadline), ..limits.clone() }
    };
    let nothing = BTreeMap::new();
    let mut problems = Vec::new();
    for (arithmetic, share) in ATTEMPTS {
        let Some(mut problem) = Problem::new(program, arithmetic, &nothing, &until(0.5)) else {
            continue;
        };
        if problem.guess(&until(0.5)) {
            return problem.certificate();
        }
        problems.push((problem, share));
    }
    let spent = limits.clock.now().since(started).as_secs_f64() / time.as_secs_f64().max(0.001);
    let mut part = spent.min(1.0);
    for (mut problem, share) in problems {
        part += share * (1.0 - spent).max(0.0);
        if problem.solve(&until(part)) {
            return problem.certificate();
        }
    }
    None
}

/// The clauses of a program in one arithmetic, and what is known of them.
struct Problem {
    arithmetic: Arithmetic,
    terms: Terms,
    horn: Horn,
    /// By the numbers of their relations.
    heads: Vec<Head>,
    given: BTreeMap<RelationId, Definition>,
    /// What holds, if not enough for a proof.
    known: Option<Solution>,
    /// What has been checked.
    proof: Option<Solution>,
}

/// A relation with what its parameters are.
struct Head {
    at: LocationId,
    names: Vec<String>,
    signature: Signature,
}

impl Problem {
    fn new(
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
        let maps = maps::maps(program, &objects);
        let slots = Slots::of(program, &maps, &objects, &mut terms, types);
        let zeros = zeros(&slots, &mut terms, types);
        let memory = Memory { program, objects, maps, slots, types, zeros };
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
    fn guess(&mut self, limits: &Limits) -> bool {
        let signatures = self.heads.iter().map(|head| &head.signature);
        self.known = guess(&self.horn, signatures, self.arithmetic, &mut self.terms, limits);
        match self.known.clone() {
            Some(known) => self.check(known, limits),
            None => false,
        }
    }

    /// Whether the solver finds a solution.
    fn solve(&mut self, limits: &Limits) -> bool {
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
    fn check(&mut self, solution: Solution, limits: &Limits) -> bool {
        let valid = self.horn.check(&mut self.terms, &solution, limits).is_ok();
        self.proof = valid.then_some(solution);
        valid
    }

    fn certificate(self) -> Option<Certificate> {
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

/// A program as Horn clauses.
struct Clauses<'a> {
    memory: &'a Memory<'a>,
    graph: &'a Graph,
    terms: &'a mut Terms,
    limits: &'a Limits,
    horn: Horn,
    relations: BTreeMap<LocationId, RelationId>,
    /// The invariants that are given.
    given: BTreeMap<RelationId, Definition>,
}

impl<'a> Clauses<'a> {
    fn new(
        memory: &'a Memory<'a>,
        graph: &'a Graph,
        terms: &'a mut Terms,
        invariants: &BTreeMap<LocationId, Given>,
        limits: &'a Limits,
    ) -> Result<Clauses<'a>, Expired> {
        let (horn, relations, given) = (Horn::new(), BTreeMap::new(), BTreeMap::new());
        let mut clauses = Clauses { memory, graph, terms, limits, horn, relations, given };
        for &cut in &graph.cuts {
            let sorts: Vec<Sort> =
                clauses.parameters(cut).flat_map(|value| value.sorts.iter().copied()).collect();
            let relation = clauses.horn.relation(&format!("{cut}"), &sorts);
            clauses.relations.insert(cut, relation);
        }
        clauses.start()?;
        for &cut in &graph.cuts {
            clauses.loop_head(cut, invariants.get(&cut))?;
        }
        Ok(clauses)
    }

    fn parameters(&self, at: LocationId) -> impl Iterator<Item = &'a Value> + 'a {
        self.memory.slots.at(self.memory.program, self.graph, at)
    }

    fn start(&mut self) -> Result<(), Expired> {
        let mut state = State::default();
        let assumed = self.memory.start(self.terms, &mut state);
        let guard = Guard::always(self.terms);
        let arrival = Arrival { guard, state };
        let entry = self.memory.program.body().entry;
        let block = self.walk().to(entry, arrival)?;
        self.rules("start", None, assumed, block);
        Ok(())
    }

    /// From a loop head on, with any values that the relation allows.
    fn loop_head(&mut self, cut: LocationId, invariant: Option<&Given>) -> Result<(), Expired> {
        let mut state = State::default();
        let (mut args, mut known) = (Vec::new(), Vec::new());
        for value in self.parameters(cut) {
            let name = format!("{cut}.{}", value.name);
            let sym = value.fresh_named(self.terms, &name);
            value.set(&mut state, sym);
            args.extend(sym.terms());
            if let Some(ty) = value.ty {
                known.push(self.memory.types.in_range(self.terms, sym, ty));
            }
            if value.owner == Owner::Count {
                let zero = self.terms.int(0);
                known.push(self.terms.le(zero, sym.scalar()));
            }
        }
        let known = self.terms.and(&known);
        if let Some(invariant) = invariant {
            let formula = self.walk().given(&state, invariant);
            let definition = Definition { parameters: args.clone(), formula };
            self.given.insert(self.relations[&cut], definition);
        }
        let body = Atom { relation: self.relations[&cut], args };
        let guard = Guard::always(self.terms);
        let arrival = Arrival { guard, state };
        let block = self.walk().from(cut, arrival)?;
        self.rules(&format!("{cut}"), Some(body), known, block);
        Ok(())
    }

    fn walk(&mut self) -> Walk<'_> {
        Walk::new(self.memory, self.graph, self.terms, self.limits)
    }

    fn rules(&mut self, name: &str, from: Option<Atom>, known: Term, block: Block) {
        let exit = self.memory.program.body().exit;
        let mut bad = block.gaps;
        for (to, arrivals) in block.ends {
            let Arrival { guard, state } = merge(self.memory, self.graph, self.terms, to, arrivals);
            if to == exit {
                bad.push(self.bad_end(&guard, &state));
                continue;
            }
            let mut args = Vec::new();
            for value in self.parameters(to) {
                args.extend(self.value(&state, value));
            }
            let head = Some(Atom { relation: self.relations[&to], args });
            self.rule(format!("{name} to {to}"), from.clone(), known, guard.term(), head);
        }
        let bad = self.terms.or(&bad);
        self.rule(format!("{name} goes wrong"), from, known, bad, None);
    }

    fn value(&mut self, state: &State, value: &Value) -> Vec<Term> {
        let found = value.get(state).unwrap_or_else(|| match value.ty {
            Some(ty) => zero(self.terms, self.memory.types, ty),
            None => value.fresh(self.terms),
        });
        found.terms().to_vec()
    }

    /// The exit is reached, everything matches, and the error is set.
    fn bad_end(&mut self, guard: &Guard, state: &State) -> Term {
        let error = self.memory.slots.local(self.memory.program.error).get(state);
        let error = match error {
            Some(error) => error.scalar(),
            None => self.terms.bool(false),
        };
        let matches = self.memory.matches(self.terms, state);
        self.terms.and(&[guard.term(), error, matches])
    }

    fn rule(
        &mut self,
        name: String,
        from: Option<Atom>,
        known: Term,
        guard: Term,
        head: Option<Atom>,
    ) {
        let constraint = self.terms.and(&[known, guard]);
        if constraint != self.terms.bool(false) {
            let body = from.into_iter().collect();
            self.horn.rule(self.terms, Rule { name, body, constraint, head });
        }
    }
}
