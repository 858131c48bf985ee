//! The check of one procedure: its body, step by step, with the environment between the steps
//! (§5 of the paper, the program "B with E and A").
//!
//! The body is gone through once, in topological order, with loops cut at their heads. Where ways
//! meet, states are merged, so the formula is linear in the size of the body.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use selvedge_ir::spec::{Clause, Contract};
use selvedge_ir::{
    Action, Edge, EdgeId, Grain, LocationId, Multiplicity, ProcId, Procedure, Program, Span,
    Thread, Type,
};
use selvedge_passes::graph::{arrives, reverse_postorder};
use selvedge_smt::translate::Sym;
use selvedge_smt::{Answer, Limits, Reason, Term};
use selvedge_verdict::Stop;

use crate::heads::{Guesses, Loops};
use crate::memory::Memory;
use crate::prepare::Subject;
use crate::questions::Possible;
use crate::report::{Annotation, Kind, Obligation, Outcome};
use crate::scope::{Scope, Touched};
use crate::shown::Shown;
use crate::state::State;
use crate::task::Task;
use crate::world::{View, World};

/// Whether obligations are asked, or only which guesses about loops hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Guess,
    Check,
}

pub(crate) struct Checker<'a> {
    pub task: &'a Task<'a>,
    pub subject: &'a Subject,
    pub id: ProcId,
    pub body: &'a Procedure,
    pub contract: Option<&'a Contract>,
    pub world: World<'a>,
    pub scope: Scope<'a>,
    pub mode: Mode,
    pub params: Vec<Sym>,
    /// Memory at the entry.
    pub entry: Memory,
    /// Whether it makes objects.
    pub makes: bool,
    pub loops: Loops,
    pub guesses: &'a mut Guesses,
    pub obligations: Vec<Obligation>,
    /// Guesses that turned out wrong in this round.
    pub wrong: usize,
}

impl<'a> Checker<'a> {
    pub fn new(
        task: &'a Task<'a>,
        id: ProcId,
        mode: Mode,
        guesses: &'a mut Guesses,
    ) -> Checker<'a> {
        let subject = task.subject;
        let body = &subject.program.procedures[id];
        let scope = Scope::new(subject, id, task.focus);
        let mut world = World::new(task);
        world.sized = scope.objects.clone();
        let makes = body.edges().any(|(_, edge)| matches!(edge.action, Action::Alloc { .. }));
        world.keep_apart(scope.objects.iter().copied());
        let entry = world.memory("entry");
        let params = body
            .params
            .iter()
            .map(|&param| world.value(&named(&body.locals[param].name), body.locals[param].ty))
            .collect();
        Checker {
            task,
            subject,
            id,
            body,
            contract: subject.contract_of(id),
            world,
            scope,
            mode,
            params,
            entry,
            makes,
            loops: Loops::of(body),
            guesses,
            obligations: Vec::new(),
            wrong: 0,
        }
    }

    /// Goes through the body.
    pub fn run(&mut self) -> Result<(), Stop> {
        let mut incoming: BTreeMap<LocationId, Vec<State>> = BTreeMap::new();
        let first = self.first_state()?;
        incoming.insert(self.body.entry, vec![first]);
        let order = reverse_postorder(self.body);
        let index: FxHashMap<LocationId, usize> =
            order.iter().enumerate().map(|(i, &at)| (at, i)).collect();
        for &at in &order {
            let states = incoming.remove(&at).unwrap_or_default();
            let Some(state) = State::merge(&mut self.world.terms, states) else { continue };
            if at == self.body.exit {
                self.exit(state)?;
                continue;
            }
            let state = self.stand(state, at)?;
            for (number, edge) in self.body.locations[at].edges.iter().enumerate() {
                let id = EdgeId { from: at, index: number as u32 };
                let Some(next) = self.go(&state, id, edge)? else { continue };
                if index[&edge.target] <= index[&at] {
                    self.keeps_invariants(&next, edge.target, edge.span)?;
                } else {
                    incoming.entry(edge.target).or_default().push(next);
                }
            }
        }
        self.can_happen()
    }

    /// That all that was assumed on the way can hold together. It is assumed only where the thread
    /// comes by, so this fails only if what is assumed of every execution contradicts itself.
    fn can_happen(&mut self) -> Result<(), Stop> {
        if self.mode != Mode::Check {
            return Ok(());
        }
        if let Possible::No = self.world.possible() {
            let kind = Kind::Consistent(format!("what is assumed in {}", self.body.name));
            let (at, outcome) = (self.body.span, Outcome::Failed(Vec::new()));
            self.obligations.push(Obligation { kind, at, annotation: None, outcome });
        }
        Ok(())
    }

    /// Anything that the invariants and what is required allow.
    fn first_state(&mut self) -> Result<State, Stop> {
        let yes = self.world.terms.bool(true);
        let mut state = State {
            guard: yes,
            locals: BTreeMap::new(),
            memory: self.entry.clone(),
            start: self.entry.clone(),
            writes: Vec::new(),
            looked: false,
            dirty: false,
            stale: true,
            positions: Vec::new(),
        };
        for (&param, &value) in self.body.params.iter().zip(&self.params) {
            state.locals.insert(param, value);
        }
        for value in self.params.clone() {
            self.is_public(&state, value);
            self.is_tame(&state, value);
        }
        self.who_runs();
        self.assume_invariants(yes, &self.entry.clone());
        if let Some(contract) = self.contract {
            if self.has_abstraction(contract) {
                let no = self.world.terms.bool(false);
                state.positions = vec![no; contract.actions.len() + 1];
                state.positions[0] = yes;
            }
            for clause in &contract.requires {
                let view = self.view(&state.memory, &state.memory, None);
                self.world.assume(yes, &clause.formula, view);
            }
        }
        self.can_begin()?;
        Ok(state)
    }

    /// Whether anybody relies on the steps that the contract allows. Of a procedure that is only started
    /// as a thread nobody does, unless its author says what they are.
    fn has_abstraction(&self, contract: &Contract) -> bool {
        let started = self.subject.entries.contains(self.id);
        let silent = contract.modifies.is_empty() && contract.actions.is_empty();
        !silent || !started || self.subject.called.contains(self.id)
    }

    /// Which thread it is, where that follows from the procedure.
    fn who_runs(&mut self) {
        let subject = self.subject;
        let program = &subject.program;
        if !subject.entries.contains(self.id) || subject.called.contains(self.id) {
            return;
        }
        let number = self.world.terms.int(self.id.as_u32());
        let started = self.world.terms.select(self.world.started, self.world.tid);
        let here = self.world.terms.eq(started, number);
        self.world.fact(here);
        let (tid, main) = (self.world.tid, self.world.main);
        let same = self.world.terms.eq(tid, main);
        let first = first_thread(program);
        let is_first = first.is_some_and(|thread| thread.procedure == self.id);
        let starts = program.threads.iter().filter(|t| t.procedure == self.id);
        let once = starts.count() == 1
            && first.is_some_and(|thread| thread.count == Multiplicity::Exactly(1));
        match is_first {
            true if once && !subject.spawned.contains(self.id) => self.world.fact(same),
            false if first.is_some() => {
                let other = self.world.terms.not(same);
                self.world.fact(other);
            }
            _ => {}
        }
    }

    /// That what is assumed at the entry does not contradict itself.
    fn can_begin(&mut self) -> Result<(), Stop> {
        let Some(contract) = self.contract else { return Ok(()) };
        if self.mode != Mode::Check || contract.requires.is_empty() {
            return Ok(());
        }
        let kind = Kind::Consistent(format!("what {} requires", self.body.name));
        let outcome = match self.world.possible() {
            Possible::No => Outcome::Failed(Vec::new()),
            Possible::Yes => Outcome::Proved,
            Possible::Unknown(reason) => unknown(reason, &self.task.limits)?,
        };
        let annotation = Some(of_clause(&contract.requires[0]));
        self.obligations.push(Obligation { kind, at: contract.span, annotation, outcome });
        Ok(())
    }

    /// Arrival at a location: loops are cut, and others may have run.
    fn stand(&mut self, state: State, at: LocationId) -> Result<State, Stop> {
        let mut state = state;
        let inside = self.body.locations[at].grain == Grain::Atomic;
        if self.loops.is_head(at) {
            let span = self.body.locations[at].edges.first().map_or(Span::NONE, |edge| edge.span);
            if inside {
                let what = "a loop inside an atomic block, in a program with contracts".to_owned();
                return Err(Stop::Unsupported { what, span });
            }
            if !self.loops.has_one_entry(self.body, at) {
                // What is known at the head is not known of those who come from the other entry.
                let what = "a loop that is entered in several places".to_owned();
                return Err(Stop::Unsupported { what, span });
            }
            self.keeps_invariants(&state, at, span)?;
            state = self.cut(state, at);
        }
        if !inside && state.stale {
            self.others(&mut state, at);
        }
        Ok(state)
    }

    /// Others may have run before a step from here: as far as the step can tell.
    fn others(&mut self, state: &mut State, at: LocationId) {
        let compared = !state.positions.is_empty();
        match self.scope.touched(self.subject, self.body, at, compared) {
            Touched::Nothing if self.task.commute => {}
            Touched::Scalars(scalars) if self.task.commute && self.task.split => {
                self.environment_of(state, &scalars);
            }
            _ => self.environment(state),
        }
    }

    /// One edge: its action, where it is chosen; the step ends where others may run.
    fn go(&mut self, state: &State, id: EdgeId, edge: &'a Edge) -> Result<Option<State>, Stop> {
        let mut state = state.clone();
        let chosen = self.chosen(id);
        state.guard = self.world.terms.and(&[state.guard, chosen]);
        let Some(mut state) = self.act(state, id, edge)? else { return Ok(None) };
        if !arrives(edge) {
            return Ok(None);
        }
        if self.body.locations[edge.target].grain != Grain::Atomic {
            self.end_step(&mut state, edge.span)?;
        }
        Ok(Some(state))
    }

    /// That this edge is the one taken, of several that may be enabled together.
    fn chosen(&mut self, id: EdgeId) -> Term {
        let edges = &self.body.locations[id.from].edges;
        let exclusive = match edges.as_slice() {
            [_] => true,
            [Edge { action: Action::Assume(a), .. }, Edge { action: Action::Assume(b), .. }] => {
                *b == a.clone().not() || *a == b.clone().not()
            }
            _ => false,
        };
        let mut parts = Vec::new();
        if !exclusive {
            for number in 0..=id.index {
                let name = format!("choice.{}.{number}", id.from);
                let choice = self.world.terms.var(&name, selvedge_smt::Sort::Bool);
                let last = number as usize + 1 == edges.len();
                match (number == id.index, last) {
                    (true, true) => {}
                    (true, false) => parts.push(choice),
                    (false, _) => parts.push(self.world.terms.not(choice)),
                }
            }
        }
        self.world.terms.and(&parts)
    }

    /// The end of the procedure: what others do, then what it promises.
    fn exit(&mut self, mut state: State) -> Result<(), Stop> {
        let span = self.body.span;
        self.end_step(&mut state, span)?;
        let result = self.body.result.map(|local| self.local(&mut state, local));
        if let Some(value @ Sym::Pointer { .. }) = result {
            // Others see it if the thread ends here. A caller is of this thread, but relies on no less.
            self.pass_on(&mut state, value, span)?;
            self.end_step(&mut state, span)?;
        }
        let Some(contract) = self.contract else { return Ok(()) };
        if let (Some(local), Some(value)) = (self.body.result, result) {
            self.world.consider(self.body.locals[local].ty, value);
        }
        self.environment(&mut state);
        if !contract.actions.is_empty() {
            let done = state.positions[contract.actions.len()];
            let annotation = Annotation { text: self.actions_text(), span: contract.span };
            let shown = Shown::state(&state);
            self.oblige(Kind::Finished, span, Some(annotation), state.guard, done, shown)?;
        }
        for clause in &contract.ensures {
            let view = self.view(&self.entry.clone(), &state.memory, result);
            let view = match clause.formula.has_two_states() {
                true => view,
                false => View { before: state.memory.clone(), ..view },
            };
            let goal = self.world.goal(&clause.formula, &view);
            let shown = Shown::clause(&state, &clause.formula, &view);
            let annotation = Some(of_clause(clause));
            self.oblige(Kind::Ensures, span, annotation, state.guard, goal, shown)?;
        }
        Ok(())
    }

    pub fn actions_text(&self) -> String {
        let actions = self.contract.map(|contract| contract.actions.as_slice()).unwrap_or_default();
        let words = |clauses: &[Clause]| {
            let texts: Vec<&str> = clauses.iter().map(|clause| clause.text.as_str()).collect();
            texts.join(" && ")
        };
        let texts: Vec<String> =
            actions.iter().map(|action| format!("action: {}", words(&action.ensures))).collect();
        match texts.is_empty() {
            true => format!("the contract of {}", self.body.name),
            false => texts.join("; "),
        }
    }

    /// A formula of the contract, from one memory to another.
    pub fn view(&self, before: &Memory, after: &Memory, result: Option<Sym>) -> View {
        View {
            before: before.clone(),
            after: after.clone(),
            tid: self.world.tid,
            params: self.params.clone(),
            result,
            values: Vec::new(),
        }
    }

    /// Asks whether the goal holds wherever the guard does. What follows may rely on it.
    pub fn oblige(
        &mut self,
        kind: Kind,
        at: Span,
        annotation: Option<Annotation>,
        guard: Term,
        goal: Term,
        shown: Shown<'_>,
    ) -> Result<(), Stop> {
        if self.mode == Mode::Guess {
            return Ok(());
        }
        let outcome = match self.world.ask(guard, goal) {
            Answer::Unsat(_) => Outcome::Proved,
            Answer::Sat(model) => Outcome::Failed(self.describe(&model, &shown)),
            // There is a state in which it fails, but sets of threads in it cannot be shown.
            Answer::Unknown(Reason::Unreadable(_)) => Outcome::Failed(Vec::new()),
            Answer::Unknown(reason) => unknown(reason, &self.task.limits)?,
        };
        self.obligations.push(Obligation { kind, at, annotation, outcome });
        Ok(())
    }

    /// A pointer that a thread can have: null, or into an object that was made, and that is not the
    /// secret of another thread.
    pub fn is_known_pointer(&mut self, state: &State, value: Sym) {
        let Sym::Pointer { object, .. } = value else { return };
        let tid = self.world.tid;
        let first = self.world.terms.int(self.world.objects.first_free());
        let t = &mut self.world.terms;
        let zero = t.int(0);
        let owner = state.memory.owner_of(t, object);
        let open = [t.lt(object, first), t.eq(owner, zero), t.eq(owner, tid)];
        let open = t.or(&open);
        let made = t.lt(object, state.memory.next);
        let fact = t.and(&[open, made]);
        self.world.fact_where(state.guard, fact);
    }

    /// A pointer that was passed on: others may know its object.
    pub fn is_public(&mut self, state: &State, value: Sym) {
        let Sym::Pointer { object, .. } = value else { return };
        let open = self.open(state, object);
        let made = self.world.terms.lt(object, state.memory.next);
        let fact = self.world.terms.and(&[open, made]);
        self.world.fact_where(state.guard, fact);
    }

    /// That a pointer was passed on, or is null.
    pub fn public(&mut self, state: &State, value: Sym) -> Term {
        let Sym::Pointer { object, .. } = value else { return self.world.terms.bool(false) };
        let (open, tame) = (self.open(state, object), self.tame(value));
        self.world.terms.and(&[open, tame])
    }

    fn open(&mut self, state: &State, object: Term) -> Term {
        let first = self.world.terms.int(self.world.objects.first_free());
        let t = &mut self.world.terms;
        let zero = t.int(0);
        let owner = state.memory.owner_of(t, object);
        let open = [t.lt(object, first), t.eq(owner, zero)];
        t.or(&open)
    }

    /// The value of a local; any value if it has none yet.
    pub fn local(&mut self, state: &mut State, local: selvedge_ir::LocalId) -> Sym {
        if let Some(&value) = state.locals.get(&local) {
            return value;
        }
        let declared = &self.body.locals[local];
        let value = self.world.value(&named(&declared.name), declared.ty);
        state.locals.insert(local, value);
        if declared.ty == Type::Ptr {
            self.is_known_pointer(state, value);
        }
        value
    }
}

/// The first thread of the program, where it is clear which one that is.
fn first_thread(program: &Program) -> Option<&Thread> {
    let first = program.threads.first()?;
    let other_main = program.threads.iter().skip(1).any(|thread| thread.main);
    (!other_main).then_some(first)
}

/// A name that the solver's language can quote.
pub(crate) fn named(name: &str) -> String {
    name.replace(['|', '\\'], "_")
}

pub(crate) fn of_clause(clause: &Clause) -> Annotation {
    Annotation { text: clause.text.clone(), span: clause.span }
}

/// Out of time is the end of the whole check; otherwise one obligation is not decided.
pub(crate) fn unknown(reason: Reason, limits: &Limits) -> Result<Outcome, Stop> {
    if reason == Reason::Interrupted {
        return Err(Stop::Interrupted);
    }
    match limits.exceeded() {
        Some(_) => Err(Stop::Solver { reason: reason.to_string() }),
        None => Ok(Outcome::Unknown(reason.to_string())),
    }
}
