//! Everything between one cut point and the next, as conditions and values (large-block encoding:
//! Beyer, Cimatti, Griggio, Keremoglu, Sebastiani, "Software model checking via large-block
//! encoding", 2009).
//!
//! Locations are visited in topological order, with a guard and a value for each variable as in the
//! unrolling; where paths meet, values are chosen. A block leads to cut points and to the exit, and
//! may go wrong or leave what the clauses cover.

use std::collections::BTreeMap;

use selvedge_ir::{Action, EdgeId, Expr, LocalId, LocationId, ObjectId, Place, RegionId};
use selvedge_smt::translate::{Need, Scope, Sym, Translator};
use selvedge_smt::{Limits, Sort, Term, Terms};

use super::super::given::Given;
use super::super::guard::{Guard, one_of};
use super::super::order::Key;
use super::super::state::{Slot, State};
use super::graph::Graph;
use super::memory::{Memory, Pointer, anything, zero};
use super::slots::matters;

/// A way to a location.
#[derive(Clone, Debug)]
pub(super) struct Arrival {
    pub guard: Guard,
    pub state: State,
}

/// What a block comes to.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// The arrivals at cut points and at the exit.
    pub ends: BTreeMap<LocationId, Vec<Arrival>>,
    /// The conditions under which it leaves what is covered.
    pub gaps: Vec<Term>,
}

/// What an action comes to.
struct Effect {
    condition: Term,
    state: State,
    fault: Term,
    /// The terms do not cover this.
    gap: Term,
    ends: bool,
}

pub(super) struct Walk<'a> {
    pub memory: &'a Memory<'a>,
    pub graph: &'a Graph,
    pub terms: &'a mut Terms,
    limits: &'a Limits,
    block: Block,
    open: BTreeMap<(Key, LocationId), Vec<Arrival>>,
}

/// Units of work for a location inside a clause.
const VISIT: u64 = 10;

/// The time was over before the block was done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expired;

impl<'a> Walk<'a> {
    pub fn new(
        memory: &'a Memory<'a>,
        graph: &'a Graph,
        terms: &'a mut Terms,
        limits: &'a Limits,
    ) -> Walk<'a> {
        Walk { memory, graph, terms, limits, block: Block::default(), open: BTreeMap::new() }
    }

    /// From a location on, which may be a cut point.
    pub fn from(mut self, location: LocationId, start: Arrival) -> Result<Block, Expired> {
        self.visit(location, start);
        self.walk()
    }

    /// Goes to a location without looking at what is there.
    pub fn to(mut self, location: LocationId, arrival: Arrival) -> Result<Block, Expired> {
        self.arrive(location, arrival);
        self.walk()
    }

    fn walk(mut self) -> Result<Block, Expired> {
        let mut steps = 0u32;
        while let Some(((_, location), arrivals)) = self.open.pop_first() {
            steps += 1;
            self.limits.clock.spend(VISIT);
            if steps.is_multiple_of(64) && self.limits.exceeded().is_some() {
                return Err(Expired);
            }
            let here = merge(self.memory, self.graph, self.terms, location, arrivals);
            self.visit(location, here);
        }
        Ok(self.block)
    }

    /// What an invariant says in a state; also that it means something there.
    pub fn given(&mut self, state: &State, given: &Given) -> Term {
        let mut all = Vec::new();
        for part in &given.parts {
            let mut state = state.clone();
            for action in &part.before {
                // Only what makes objects asks for the edge.
                let nowhere = EdgeId { from: self.memory.program.body().entry, index: 0 };
                let effect = self.effect(nowhere, action, &state);
                let wrong = self.terms.or(&[effect.fault, effect.gap]);
                all.extend([effect.condition, self.terms.not(wrong)]);
                state = effect.state;
            }
            all.push(self.condition(&state, &part.holds));
        }
        self.terms.and(&all)
    }

    /// A condition that also says that it means something.
    fn condition(&mut self, state: &State, condition: &Expr) -> Term {
        let mut needs = Needs::default();
        let holds = self.eval(state, condition, &mut needs).scalar();
        let mut all = vec![holds];
        for broken in needs.faults.into_iter().chain(needs.gaps) {
            all.push(self.terms.not(broken));
        }
        self.terms.and(&all)
    }

    fn arrive(&mut self, to: LocationId, arrival: Arrival) {
        if arrival.guard.term() == self.terms.bool(false) {
            return;
        }
        if self.graph.is_cut(to) || to == self.memory.program.body().exit {
            self.block.ends.entry(to).or_default().push(arrival);
        } else {
            self.open.entry((self.graph.key(to), to)).or_default().push(arrival);
        }
    }

    fn visit(&mut self, location: LocationId, here: Arrival) {
        let edges = &self.memory.program.body().locations[location].edges;
        let mut effects = Vec::with_capacity(edges.len());
        for (index, edge) in edges.iter().enumerate() {
            let at = EdgeId { from: location, index: index as u32 };
            effects.push(self.effect(at, &edge.action, &here.state));
        }
        let choices = self.choices(location, &effects);
        for (index, (effect, choice)) in effects.into_iter().zip(choices).enumerate() {
            let at = EdgeId { from: location, index: index as u32 };
            self.follow(at, &here, effect, choice);
        }
    }

    /// A condition for each alternative that makes the choice between them.
    fn choices(&mut self, location: LocationId, effects: &[Effect]) -> Vec<Term> {
        let yes = self.terms.bool(true);
        if effects.len() <= 1 || self.exclusive(location, effects) {
            return vec![yes; effects.len()];
        }
        one_of(self.terms, effects.len())
    }

    /// Whether it shows that at most one alternative is possible.
    fn exclusive(&mut self, location: LocationId, effects: &[Effect]) -> bool {
        let no = self.terms.bool(false);
        if effects.iter().any(|effect| effect.fault != no) {
            return false;
        }
        let edges = &self.memory.program.body().locations[location].edges;
        if let [a, b] = &edges[..]
            && let (Action::Assume(a), Action::Assume(b)) = (&a.action, &b.action)
            && (a.clone().not() == *b || b.clone().not() == *a)
        {
            return true;
        }
        let mut possible: Vec<Term> = effects.iter().map(|effect| effect.condition).collect();
        possible.retain(|condition| *condition != no);
        possible.len() <= 1
    }

    fn follow(&mut self, at: EdgeId, here: &Arrival, effect: Effect, choice: Term) {
        let program = self.memory.program;
        let Effect { condition, state, fault, gap, ends } = effect;
        let (no_fault, no_gap) = (self.terms.not(fault), self.terms.not(gap));
        let goes_on = self.terms.and(&[choice, condition, no_fault, no_gap]);
        let edge = program.body().edge(at);
        let guard = here.guard.and(self.terms, goes_on);
        if ends {
            self.gap(guard.term());
        } else if !matches!(edge.action, Action::Halt) {
            self.arrive(edge.target, Arrival { guard, state });
        }
        let wrong = self.terms.or(&[fault, gap]);
        let goes_wrong = self.terms.and(&[choice, wrong]);
        let guard = here.guard.and(self.terms, goes_wrong);
        match program.faults.get(&at) {
            // What is not covered counts as going wrong.
            Some(&location) => {
                let mut state = here.state.clone();
                let yes = Sym::Scalar(self.terms.bool(true));
                self.memory.slots.local(program.error).set(&mut state, yes);
                self.arrive(location, Arrival { guard, state });
            }
            None => self.gap(guard.term()),
        }
    }

    fn gap(&mut self, condition: Term) {
        if condition != self.terms.bool(false) {
            self.block.gaps.push(condition);
        }
    }

    fn effect(&mut self, at: EdgeId, action: &Action, state: &State) -> Effect {
        let (yes, no) = (self.terms.bool(true), self.terms.bool(false));
        let mut needs = Needs::default();
        let mut effect =
            Effect { condition: yes, state: state.clone(), fault: no, gap: no, ends: false };
        match action {
            Action::Skip | Action::Fence(_) | Action::Halt => {}
            Action::Assume(condition) | Action::Wait(condition) => {
                effect.condition = self.eval(state, condition, &mut needs).scalar();
            }
            Action::Assign { to, value } => {
                let value = self.eval(state, value, &mut needs);
                self.assign(&mut effect, *to, value);
            }
            Action::Havoc { to } => {
                let local = &self.memory.program.body().locals[*to];
                let value = if self.memory.program.assumptions.contains(to) {
                    Sym::Scalar(yes)
                } else {
                    let name = local.name.replace(['|', '\\'], "_");
                    anything(self.terms, self.memory.types, &name, local.ty)
                };
                effect.condition = self.memory.types.in_range(self.terms, value, local.ty);
                self.assign(&mut effect, *to, value);
            }
            Action::Load { to, from, .. } => {
                let (region, address) = self.place(state, from, &mut needs);
                let (value, known) = self.memory.load(self.terms, state, region, address, from.ty);
                effect.condition = known;
                self.assign(&mut effect, *to, value);
            }
            Action::Store { to, value, .. } => {
                let value = self.eval(state, value, &mut needs);
                let (region, address) = self.place(state, to, &mut needs);
                self.memory.store(self.terms, &mut effect.state, region, address, value);
            }
            Action::Alloc { to, size, .. } => {
                let size = self.eval(state, size, &mut needs).scalar();
                let made = self.memory.objects.made[&at];
                let (pointer, assumed) =
                    self.memory.alloc(self.terms, &mut effect.state, made, size);
                effect.condition = assumed;
                self.assign(&mut effect, *to, pointer);
            }
            Action::Free { addr, storage } => {
                let pointer = parts(self.eval(state, addr, &mut needs));
                let fine = self.memory.may_free(self.terms, state, pointer, *storage);
                needs.faults.push(self.terms.not(fine));
            }
            Action::Assert { .. }
            | Action::Lock { .. }
            | Action::Unlock { .. }
            | Action::Spawn { .. }
            | Action::Join { .. }
            | Action::Call { .. }
            | Action::EndThread { .. }
            | Action::Ghost(_)
            | Action::Unsupported { .. } => effect.ends = true,
        }
        effect.fault = self.terms.or(&needs.faults);
        effect.gap = self.terms.or(&needs.gaps);
        effect
    }

    fn assign(&mut self, effect: &mut Effect, to: LocalId, value: Sym) {
        self.memory.slots.local(to).set(&mut effect.state, value);
    }

    fn place(&mut self, state: &State, place: &Place, needs: &mut Needs) -> (RegionId, Pointer) {
        let region = place.region.expect("every place has a region");
        let address = parts(self.eval(state, &place.addr, needs));
        let valid = self.memory.valid(self.terms, state, region, address);
        needs.faults.push(self.terms.not(valid));
        (region, address)
    }

    fn eval(&mut self, state: &State, expr: &Expr, needs: &mut Needs) -> Sym {
        let program = self.memory.program;
        let mut locals = Vec::new();
        for local in expr.locals() {
            // What is never assigned is zero.
            let ty = program.body().locals[local].ty;
            let value = self.memory.slots.local(local).get(state);
            let value = value.unwrap_or_else(|| zero(self.terms, self.memory.types, ty));
            locals.push((local, value));
        }
        let objects = program.program.objects.keys();
        let mut numbers: Vec<Term> =
            objects.map(|object| self.id(self.memory.objects.of_static(object).number)).collect();
        numbers.push(self.id(1));
        let mut here = Here { numbers, locals };
        let arithmetic = self.memory.types.arithmetic;
        let mut translator =
            Translator::new(self.terms, &program.program, program.body(), arithmetic);
        let translated = translator.translate(expr, &mut here);
        for obligation in translated.obligations {
            let broken = self.terms.not(obligation.holds);
            match obligation.kind {
                Need::Divisor | Need::SameObject => needs.faults.push(broken),
                Need::Known | Need::NoWrap => needs.gaps.push(broken),
            }
        }
        translated.value
    }

    fn id(&mut self, number: u32) -> Term {
        match self.memory.types.id_sort() {
            Sort::BitVec(width) => self.terms.bv(u128::from(number), width),
            _ => self.terms.int(number),
        }
    }
}

/// The conditions under which evaluation goes wrong, or is not covered.
#[derive(Default)]
struct Needs {
    faults: Vec<Term>,
    gaps: Vec<Term>,
}

/// Where an expression is evaluated.
struct Here {
    locals: Vec<(LocalId, Sym)>,
    /// The numbers of static objects in their order, then that of the thread.
    numbers: Vec<Term>,
}

impl Scope for Here {
    fn local(&mut self, local: LocalId) -> Sym {
        let found = self.locals.iter().find(|(known, _)| *known == local);
        found.expect("all locals of the expression are listed").1
    }

    fn thread(&mut self) -> Term {
        *self.numbers.last().expect("the thread is listed last")
    }

    fn own_object(&mut self, object: ObjectId) -> Term {
        self.numbers[object.as_u32() as usize]
    }
}

fn parts(pointer: Sym) -> Pointer {
    match pointer {
        Sym::Pointer { object, offset } => (object, offset),
        Sym::Scalar(_) => unreachable!("an address is a pointer"),
    }
}

/// The arrivals at a location as one.
pub(super) fn merge(
    memory: &Memory<'_>,
    graph: &Graph,
    terms: &mut Terms,
    location: LocationId,
    mut arrivals: Vec<Arrival>,
) -> Arrival {
    if arrivals.len() == 1 {
        return arrivals.swap_remove(0);
    }
    let guards: Vec<Guard> = arrivals.iter().map(|a| a.guard.clone()).collect();
    let states: Vec<State> = arrivals.iter().map(|a| a.state.clone()).collect();
    let (_, conditions) = Guard::distinctions(terms, &guards);
    let guard = Guard::join(terms, &guards);
    let program = memory.program;
    let owner = |slot: Slot| {
        let at = memory.slots.values.partition_point(|value| value.first <= slot) - 1;
        &memory.slots.values[at]
    };
    // A local that is read was assigned on all paths, or is zero on those where it was not.
    let zeros = &memory.zeros;
    let any = terms.bool(false);
    let initial = |slot: Slot| zeros.get(&slot).copied().unwrap_or(any);
    let live = |slot: Slot| {
        let all_set = states.iter().all(|state| state.get(slot).is_some());
        let known = all_set || zeros.contains_key(&slot);
        known && matters(program, graph, location, owner(slot).owner)
    };
    let state = State::merge(terms, &states, &conditions, initial, live);
    Arrival { guard, state }
}
