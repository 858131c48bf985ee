//! Unrolling: a sequential program as one formula, linear in the size of what is unrolled.
//!
//! Copies of locations are visited in topological order ([`super::order`]). A copy has a guard, the
//! condition under which it is reached, and a value for each variable, both as terms over inputs;
//! where paths meet, values are chosen by what distinguishes the paths. So nothing is enumerated.
//! Conditions that are constant prune what they exclude on the spot: a loop that counts with
//! constants ends by itself.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use selvedge_ir::{Action, Callee, EdgeId, Expr, LocalId, LocationId, Place, Span, Type};
use selvedge_passes::liveness::LiveLocals;
use selvedge_smt::{Limits, Term, Terms};
use smallvec::{SmallVec, smallvec};

use super::address::{Addresses, Made, Question, TooMany};
use super::expr::{Translation, sort_of, zero};
use super::guard::{Guard, one_of};
use super::memory::{Access, Memory, Shape};
use super::order::{Key, Order};
use super::program::SequentialProgram;
use super::state::{Slot, State};

/// Units of work for a copy of a location, visited once.
pub const VISIT: u64 = 10;

/// How far to unroll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How often a loop goes back to its head, for each time that it is entered.
    pub unwind: u32,
    /// Likewise where constants decide that the loop goes on.
    pub counted: u32,
    /// Copies of locations.
    pub copies: usize,
}

impl Bounds {
    pub fn unwind(unwind: u32) -> Bounds {
        Bounds { unwind, counted: unwind.saturating_mul(16), copies: 300_000 }
    }
}

/// An unrolled program as formulas.
#[derive(Debug)]
pub(super) struct Unrolled {
    pub terms: Terms,
    pub copies: Vec<Copy>,
    /// Holds together with the rest for bad executions: the exit is reached with the error set.
    pub bad: Term,
    /// Holds for every execution that counts.
    pub matches: Vec<Term>,
    /// What variables stand for; always to be asserted.
    pub definitions: Vec<Term>,
    /// The literals of the assumptions.
    pub assumptions: Vec<(LocalId, Term)>,
    /// The conditions under which an execution leaves what is covered.
    pub gaps: Vec<Gap>,
}

/// A copy of a location, with the ways that lead on.
#[derive(Debug)]
pub(super) struct Copy {
    pub ways: Vec<Way>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub edge: EdgeId,
    /// Given that the copy is reached; at most one way's condition holds.
    pub condition: Term,
    pub to: usize,
    /// What the action assigned, but for pointers.
    pub value: Option<Term>,
    pub fault: bool,
}

/// A condition under which an execution leaves what is covered.
#[derive(Clone, Debug)]
pub(super) struct Gap {
    pub condition: Term,
    pub why: Why,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// A loop would go on.
    Unwind,
    /// Too many copies.
    Size,
    /// A fault that is not checked.
    Undefined(Span),
    Unsupported(Span),
    /// Likewise, but it is not known whether an execution comes there.
    Perhaps(Span),
}

impl Why {
    /// Where the solver does not know whether an execution comes there.
    pub fn perhaps(self) -> Why {
        match self {
            Why::Unsupported(span) => Why::Perhaps(span),
            other => other,
        }
    }

    /// The kinds of gaps, by number. More unrolling closes the first.
    pub fn kind(self) -> u8 {
        match self {
            Why::Unwind => 0,
            Why::Size => 1,
            Why::Unsupported(_) | Why::Perhaps(_) => 2,
            Why::Undefined(_) => 3,
        }
    }
}

/// Why there is no formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    Addresses,
    Time,
}

/// Unrolls, again if need be with what was learnt about memory.
pub(super) fn unroll(
    program: &SequentialProgram,
    bounds: Bounds,
    limits: &Limits,
) -> Result<Unrolled, Failure> {
    let mut shape = Shape::default();
    loop {
        let mut unrolling = Unrolling::new(program, bounds, shape.clone())?;
        unrolling.run(limits)?;
        let mut needed = shape.clone();
        needed.arrays.extend(unrolling.memory.should_be_arrays.iter().copied());
        if !needed.arrays.is_empty() {
            let bits = unrolling.addresses.index_bits(&unrolling.terms);
            if !shape.index.fits(bits) {
                needed.index = bits;
            }
        }
        if unrolling.memory.looked_at_objects {
            needed.instances.clone_from(&unrolling.addresses.instances);
        }
        if needed == shape {
            let unrolled = unrolling.finish();
            match unrolled {
                Some(unrolled) => return Ok(unrolled),
                None => needed.theory = true,
            }
        }
        shape = needed;
    }
}

/// One path, or several merged, on its way to a copy.
#[derive(Clone, Debug)]
struct Arrival {
    guard: Guard,
    state: State,
    /// How often each loop around has gone back, as far as that counts against the bound.
    charges: SmallVec<[u32; 4]>,
}

struct Unrolling<'a> {
    program: &'a SequentialProgram,
    bounds: Bounds,
    order: Order,
    live: LiveLocals,
    terms: Terms,
    addresses: Addresses,
    memory: Memory<'a>,
    locals: u32,
    copies: Vec<Copy>,
    open: BTreeMap<Key, Open>,
    /// Iterations, as beginnings of keys, in which constants decided that the loop goes on.
    decided: FxHashSet<Key>,
    assumptions: Vec<(LocalId, Term)>,
    gaps: Vec<Gap>,
    /// The guard and state at the exit.
    end: Option<(Guard, State)>,
}

/// A copy that is reached but not yet visited.
struct Open {
    location: LocationId,
    copy: usize,
    arrivals: Vec<Arrival>,
}

/// What an action comes to.
struct Effect {
    /// The condition to go on.
    condition: Term,
    state: State,
    value: Option<Term>,
    /// The condition to go wrong.
    fault: Term,
    ends: Option<Why>,
}

impl<'a> Unrolling<'a> {
    fn new(
        program: &'a SequentialProgram,
        bounds: Bounds,
        shape: Shape,
    ) -> Result<Unrolling<'a>, Failure> {
        let procedure = program.with_faults();
        let mut terms = Terms::new();
        let addresses = Addresses::new(&program.program, &mut terms, shape.instances.clone())
            .map_err(|TooMany| Failure::Addresses)?;
        let locals = procedure.locals.len() as u32;
        Ok(Unrolling {
            program,
            bounds,
            order: Order::of(&procedure),
            live: LiveLocals::of(&procedure),
            terms,
            addresses,
            memory: Memory::new(program, shape, locals),
            locals,
            copies: Vec::new(),
            open: BTreeMap::new(),
            decided: FxHashSet::default(),
            assumptions: Vec::new(),
            gaps: Vec::new(),
            end: None,
        })
    }

    fn run(&mut self, limits: &Limits) -> Result<(), Failure> {
        let entry = self.program.body().entry;
        let guard = Guard::always(&mut self.terms);
        let charges = smallvec![0; self.order.depth(entry)];
        let arrival = Arrival { guard, state: State::default(), charges };
        self.arrive(entry, self.order.first(entry), arrival);
        let mut visits = 0u32;
        while let Some((key, open)) = self.open.pop_first() {
            limits.clock.spend(VISIT);
            if visits.is_multiple_of(16) && limits.exceeded().is_some() {
                return Err(Failure::Time);
            }
            visits += 1;
            self.visit(&key, open)?;
        }
        Ok(())
    }

    fn arrive(&mut self, location: LocationId, key: Key, arrival: Arrival) -> usize {
        let next = self.copies.len();
        let open = self.open.entry(key).or_insert_with(|| Open {
            location,
            copy: next,
            arrivals: Vec::new(),
        });
        open.arrivals.push(arrival);
        let copy = open.copy;
        if copy == next {
            self.copies.push(Copy { ways: Vec::new() });
        }
        copy
    }

    fn visit(&mut self, key: &Key, open: Open) -> Result<(), Failure> {
        let Open { location, copy, arrivals } = open;
        let here = self.merge(location, arrivals);
        let procedure = self.program.body();
        if location == procedure.exit {
            self.end = Some((here.guard, here.state));
            return Ok(());
        }
        if copy >= self.bounds.copies {
            self.gap(here.guard.term(), Why::Size);
            return Ok(());
        }
        let edges = &procedure.locations[location].edges;
        let mut effects = Vec::with_capacity(edges.len());
        for (index, edge) in edges.iter().enumerate() {
            let id = EdgeId { from: location, index: index as u32 };
            effects.push(self.effect(id, key, &edge.action, edge.span, &here)?);
        }
        self.note_decision(location, key, &effects);
        let choices = self.choices(&effects);
        for (index, (effect, choice)) in effects.into_iter().zip(choices).enumerate() {
            let edge = EdgeId { from: location, index: index as u32 };
            self.follow(key, copy, &here, edge, effect, choice);
        }
        Ok(())
    }

    fn merge(&mut self, location: LocationId, mut arrivals: Vec<Arrival>) -> Arrival {
        if arrivals.len() == 1 {
            return arrivals.swap_remove(0);
        }
        let guards: Vec<Guard> = arrivals.iter().map(|a| a.guard.clone()).collect();
        let states: Vec<State> = arrivals.iter().map(|a| a.state.clone()).collect();
        let (_, conditions) = Guard::distinctions(&mut self.terms, &guards);
        let guard = Guard::join(&mut self.terms, &guards);
        let error = self.program.error;
        let Unrolling { terms, memory, live, locals, .. } = self;
        // Locals are assigned before they are read, so an initial value never matters.
        let any = terms.bool(false);
        let initial = |slot: Slot| if slot.0 < *locals { any } else { memory.initial(slot) };
        // The error matters at the exit.
        let is_live = |slot: Slot| {
            let local = LocalId::from_u32(slot.0);
            slot.0 >= *locals || local == error || live.contains(location, local)
        };
        let state = State::merge(terms, &states, &conditions, initial, is_live);
        let mut charges = arrivals[0].charges.clone();
        for arrival in &arrivals[1..] {
            for (charge, other) in charges.iter_mut().zip(&arrival.charges) {
                *charge = (*charge).max(*other);
            }
        }
        Arrival { guard, state, charges }
    }

    /// Remembers loops that go on because a constant says so: the test has two outcomes, and the
    /// one that leaves is impossible.
    fn note_decision(&mut self, location: LocationId, key: &Key, effects: &[Effect]) {
        let (yes, no) = (self.terms.bool(true), self.terms.bool(false));
        let edges = &self.program.body().locations[location].edges;
        let test = edges.iter().all(|e| matches!(e.action, Action::Assume(_)));
        if edges.len() != 2 || !test || !effects.iter().any(|e| e.condition == yes) {
            return;
        }
        for (edge, effect) in edges.iter().zip(effects) {
            if effect.condition == no
                && let Some(level) = self.order.leaves(location, edge.target)
            {
                for level in level..self.order.depth(location) {
                    self.decided.insert(iteration(key, level));
                }
            }
        }
    }

    /// A condition for each alternative that makes the choice between them.
    fn choices(&mut self, effects: &[Effect]) -> Vec<Term> {
        let (yes, no) = (self.terms.bool(true), self.terms.bool(false));
        let possible = |e: &Effect| e.condition != no || e.fault != no;
        let mut choices = vec![no; effects.len()];
        let open: Vec<usize> = (0..effects.len()).filter(|&i| possible(&effects[i])).collect();
        if self.exclusive(open.iter().map(|&i| &effects[i])) {
            for i in open {
                choices[i] = yes;
            }
            return choices;
        }
        let made = one_of(&mut self.terms, open.len());
        for (i, choice) in open.into_iter().zip(made) {
            choices[i] = choice;
        }
        choices
    }

    /// Whether it shows that at most one alternative is possible.
    fn exclusive<'e>(&mut self, effects: impl Iterator<Item = &'e Effect>) -> bool {
        let no = self.terms.bool(false);
        let effects: Vec<&Effect> = effects.collect();
        if effects.len() > 8 {
            return false;
        }
        for (i, a) in effects.iter().enumerate() {
            for b in &effects[i + 1..] {
                let together = self.terms.and(&[a.condition, b.condition]);
                let excluded = together == no || self.different_constants(a.condition, b.condition);
                if !excluded || a.fault != no || b.fault != no {
                    return false;
                }
            }
        }
        true
    }

    /// Both say that one term equals a constant, and not the same one.
    fn different_constants(&self, a: Term, b: Term) -> bool {
        use selvedge_smt::Op;
        let equation = |term: Term| -> Option<(Term, Term)> {
            let (Op::Eq, &[x, y]) = (self.terms.op(term), self.terms.args(term)) else {
                return None;
            };
            match (self.terms.constant(x), self.terms.constant(y)) {
                (Some(_), None) => Some((y, x)),
                (None, Some(_)) => Some((x, y)),
                _ => None,
            }
        };
        match (equation(a), equation(b)) {
            (Some((x, c)), Some((y, d))) => x == y && c != d,
            _ => false,
        }
    }

    fn follow(
        &mut self,
        key: &Key,
        copy: usize,
        here: &Arrival,
        edge: EdgeId,
        effect: Effect,
        choice: Term,
    ) {
        let Effect { condition, mut state, value, fault, ends } = effect;
        let not_fault = self.terms.not(fault);
        let goes_on = self.terms.and(&[choice, condition, not_fault]);
        let goes_wrong = self.terms.and(&[choice, fault]);
        let target = self.program.body().edge(edge).target;
        if let Some(why) = ends {
            let guard = here.guard.and(&mut self.terms, goes_on);
            self.gap(guard.term(), why);
        } else if !matches!(self.program.body().edge(edge).action, Action::Halt) {
            let way = Way { edge, condition: goes_on, to: 0, value, fault: false };
            self.lead(key, copy, here, way, target, state);
        }
        match self.program.faults.get(&edge) {
            Some(&location) => {
                state = here.state.clone();
                let yes = self.terms.bool(true);
                state.set(Slot(self.program.error.as_u32()), yes);
                let way = Way { edge, condition: goes_wrong, to: 0, value: None, fault: true };
                self.lead(key, copy, here, way, location, state);
            }
            None => {
                let span = self.program.body().edge(edge).span;
                let guard = here.guard.and(&mut self.terms, goes_wrong);
                self.gap(guard.term(), Why::Undefined(span));
            }
        }
    }

    /// Goes to the next copy, unless the way is impossible or the bound is reached.
    fn lead(
        &mut self,
        key: &Key,
        copy: usize,
        here: &Arrival,
        mut way: Way,
        to: LocationId,
        state: State,
    ) {
        let guard = here.guard.and(&mut self.terms, way.condition);
        let no = self.terms.bool(false);
        if way.condition == no || guard.term() == no {
            return;
        }
        let target = self.order.target(way.edge.from, key, to);
        let depth = self.order.depth(to);
        let mut charges: SmallVec<[u32; 4]> = smallvec![0; depth];
        for (level, charge) in charges.iter_mut().enumerate() {
            let same = 2 * level + 1 < key.len()
                && key[..=2 * level] == target.key[..=2 * level]
                && (key[2 * level + 1] == target.key[2 * level + 1] || target.back == Some(level));
            if same {
                *charge = here.charges[level];
            }
        }
        if let Some(level) = target.back {
            let counted = target.key[2 * level + 1] <= self.bounds.counted
                && self.decided.contains(&iteration(key, level));
            charges[level] += u32::from(!counted);
            if charges[level] > self.bounds.unwind {
                self.gap(guard.term(), Why::Unwind);
                return;
            }
        }
        way.to = self.arrive(to, target.key, Arrival { guard, state, charges });
        self.copies[copy].ways.push(way);
    }

    fn gap(&mut self, condition: Term, why: Why) {
        if condition != self.terms.bool(false) {
            self.gaps.push(Gap { condition, why });
        }
    }

    fn effect(
        &mut self,
        at: EdgeId,
        key: &Key,
        action: &Action,
        span: Span,
        here: &Arrival,
    ) -> Result<Effect, Failure> {
        let (yes, no) = (self.terms.bool(true), self.terms.bool(false));
        let state = here.state.clone();
        let mut effect = Effect { condition: yes, state, value: None, fault: no, ends: None };
        let mut faults = Vec::new();
        match action {
            Action::Skip | Action::Fence(_) | Action::Halt => {}
            Action::Assume(condition) | Action::Wait(condition) => {
                effect.condition = self.eval(&here.state, condition, &mut faults);
            }
            Action::Assign { to, value } => {
                let value = self.eval(&here.state, value, &mut faults);
                self.assign(&mut effect, *to, value);
            }
            Action::Havoc { to } => {
                let local = &self.program.body().locals[*to];
                let sort = sort_of(local.ty, self.addresses.width);
                let name = local.name.replace(['|', '\\'], "_");
                let program = self.program;
                let value = match program.choices.get(&at) {
                    Some(guesses) => self.access().guess(guesses),
                    None => self.terms.fresh(&name, sort),
                };
                if self.program.assumptions.contains(to) {
                    self.assumptions.push((*to, value));
                }
                self.assign(&mut effect, *to, value);
            }
            Action::Load { to, from, .. } => {
                let address = self.place(&here.state, from, &mut faults);
                let region = from.region.expect("every place has a region");
                let loaded = self.access().load(&here.state, region, address, from.ty);
                self.assign(&mut effect, *to, loaded);
            }
            Action::Store { to, value, .. } => {
                let value = self.eval(&here.state, value, &mut faults);
                let address = self.place(&here.state, to, &mut faults);
                let region = to.region.expect("every place has a region");
                self.access().store(&mut effect.state, region, address, to.ty, value);
            }
            Action::Alloc { to, storage, size, zeroed, .. } => {
                let size = self.eval(&here.state, size, &mut faults);
                let (exists, storage, zeroed) = (here.guard.term(), *storage, *zeroed);
                let source = self.program.origins.get(&at).and_then(|origin| origin.made_by());
                let made = Made { size, exists, storage, zeroed };
                let number = self
                    .addresses
                    .alloc(&self.terms, (key.clone(), at.index), source, made)
                    .map_err(|TooMany| Failure::Addresses)?;
                let address = u128::from(self.addresses.address(number, 0));
                let pointer = self.terms.bv(address, self.addresses.width);
                self.assign(&mut effect, *to, pointer);
            }
            Action::Free { addr, storage } => {
                let pointer = self.eval(&here.state, addr, &mut faults);
                let question = Question::Starts(*storage);
                let starts = self.addresses.ask(&mut self.terms, pointer, question, None);
                let null = zero(&mut self.terms, self.addresses.sort());
                let null = self.terms.eq(pointer, null);
                let fine = self.terms.or(&[starts, null]);
                faults.push(self.terms.not(fine));
            }
            Action::Call { callee: Callee::Indirect(pointer), .. } => {
                let pointer = self.eval(&here.state, pointer, &mut faults);
                let known = self.is_procedure(pointer);
                faults.push(self.terms.not(known));
                effect.ends = Some(Why::Unsupported(span));
            }
            Action::Assert { .. }
            | Action::Lock { .. }
            | Action::Unlock { .. }
            | Action::Spawn { .. }
            | Action::Join { .. }
            | Action::Call { callee: Callee::Direct(_), .. }
            | Action::EndThread { .. }
            | Action::Ghost(_)
            | Action::Unsupported { .. } => effect.ends = Some(Why::Unsupported(span)),
        }
        effect.fault = self.terms.or(&faults);
        Ok(effect)
    }

    /// Whether a pointer is the address of a procedure.
    fn is_procedure(&mut self, pointer: Term) -> Term {
        let procedures = self.program.program.procedures.keys();
        let addresses = procedures.map(|procedure| self.addresses.of_procedure(procedure));
        let addresses: Vec<u64> = addresses.collect();
        let one = addresses.into_iter().map(|address| {
            let address = self.terms.bv(u128::from(address), self.addresses.width);
            self.terms.eq(pointer, address)
        });
        let any: Vec<Term> = one.collect();
        self.terms.or(&any)
    }

    fn assign(&mut self, effect: &mut Effect, to: LocalId, value: Term) {
        effect.state.set(Slot(to.as_u32()), value);
        let pointer = matches!(self.program.body().locals[to].ty, Type::Ptr | Type::Thread);
        effect.value = (!pointer).then_some(value);
    }

    fn access(&mut self) -> Access<'_, 'a> {
        let Unrolling { memory, terms, addresses, .. } = self;
        Access { memory, terms, addresses }
    }

    fn eval(&mut self, state: &State, expr: &Expr, faults: &mut Vec<Term>) -> Term {
        let program = self.program;
        let procedure = program.body();
        // Locals have a value before they are read; what is never assigned is zero.
        let missing: Vec<(LocalId, Term)> = expr
            .locals()
            .into_iter()
            .filter(|l| state.get(Slot(l.as_u32())).is_none())
            .map(|l| {
                let sort = sort_of(procedure.locals[l].ty, self.addresses.width);
                (l, zero(&mut self.terms, sort))
            })
            .collect();
        let value = |local: LocalId| {
            state.get(Slot(local.as_u32())).unwrap_or_else(|| {
                missing.iter().find(|(l, _)| *l == local).expect("listed before").1
            })
        };
        let mut translation = Translation {
            terms: &mut self.terms,
            addresses: &mut self.addresses,
            program: &program.program,
            procedure,
            faults: std::mem::take(faults),
        };
        let result = translation.expr(expr, &value);
        *faults = translation.faults;
        result
    }

    /// The address of a place, with the condition that it may not be accessed.
    fn place(&mut self, state: &State, place: &Place, faults: &mut Vec<Term>) -> Term {
        let address = self.eval(state, &place.addr, faults);
        let region = place.region.expect("every place has a region");
        if self.program.per_object.contains(&region) {
            return address;
        }
        let fine = match self.program.exact.get(&region) {
            Some(&(object, offset)) => {
                let only = u128::from(self.addresses.of_object(object, offset));
                let only = self.terms.bv(only, self.addresses.width);
                self.terms.eq(address, only)
            }
            None => {
                let bytes = place.ty.size(self.program.program.model);
                let spots = match place.direct() {
                    Some(_) => None,
                    None => self.access().spots_of(region, address, Some(bytes)),
                };
                let spots = spots.as_deref().map(|spots| (region, spots));
                self.addresses.ask(&mut self.terms, address, Question::Holds(bytes), spots)
            }
        };
        faults.push(self.terms.not(fine));
        address
    }

    /// The formulas; none if the reads of arrays are too many to spell out.
    fn finish(mut self) -> Option<Unrolled> {
        let no = self.terms.bool(false);
        let (bad, matches) = match self.end.take() {
            Some((guard, state)) => {
                let error = state.get(Slot(self.program.error.as_u32())).unwrap_or(no);
                let bad = self.terms.and(&[guard.term(), error]);
                (bad, self.access().matches(&state))
            }
            None => (no, Vec::new()),
        };
        let mut definitions = self.access().content();
        definitions.extend(self.addresses.definitions(&mut self.terms));
        if !self.memory.shape.theory && self.memory.reads.too_many() {
            return None;
        }
        Some(Unrolled {
            terms: self.terms,
            copies: self.copies,
            bad,
            matches,
            definitions,
            assumptions: self.assumptions,
            gaps: self.gaps,
        })
    }
}

/// The beginning of a key that names an iteration of the loop at a level.
fn iteration(key: &Key, level: usize) -> Key {
    Key::from_slice(&key[..2 * level + 2])
}
