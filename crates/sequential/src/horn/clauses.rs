//! The Horn clauses of a program: one relation for each loop head, one clause for what lies between
//! two of them.

use std::collections::BTreeMap;

use selvedge_ir::LocationId;
use selvedge_smt::horn::{Atom, Definition, Horn, RelationId, Rule};
use selvedge_smt::{Limits, Sort, Term, Terms};

use super::super::given::Given;
use super::super::guard::Guard;
use super::super::state::State;
use super::block::{Arrival, Block, Expired, Walk, merge};
use super::graph::Graph;
use super::memory::{Memory, zero};
use super::slots::{Owner, Value};

/// A program as Horn clauses.
pub(super) struct Clauses<'a> {
    memory: &'a Memory<'a>,
    graph: &'a Graph,
    terms: &'a mut Terms,
    limits: &'a Limits,
    pub horn: Horn,
    pub relations: BTreeMap<LocationId, RelationId>,
    /// The invariants that are given.
    pub given: BTreeMap<RelationId, Definition>,
}

impl<'a> Clauses<'a> {
    pub fn new(
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
