//! The conformance check of one abstract thread: a sequential program that goes wrong exactly if a
//! step of the concrete thread has no match (§3.1).
//!
//! The check runs the procedure step by step, a step being what is done between two points at which
//! other threads may run. It keeps the set F of abstract states that may still simulate the thread,
//! one truth value each (`at.W0`). Around each step:
//!
//! ```text
//! havoc v                                    any state of the vocabulary
//! assume F[x] ==> A(x), for all x            else an abstract thread has gone wrong before
//! before := v; the step, on v
//! next[y] := OR_x F[x] && T(x, y)[before, v]
//! assert OR_y next[y]                        some abstract step matches
//! F := next
//! ```
//!
//! The paper has the assertion before the following statement; here it stands behind the step, so
//! that the last step of a thread is looked at as well, and a failure is at the place of its step.
//! An assertion of the program stays as it is: it stands behind `F[x] ==> A(x)`, which makes it
//! the paper's `phi || OR_x F[x] && !A(x)`.
//!
//! An assertion that looks back (`\\old(x)`) speaks of the vocabulary as the thread's last step left
//! it, which the check keeps (`kept.x`). That is the copy of the shared state that abstract threads
//! have in the paper's appendix.
//!
//! Where every state idles, a step that does not concern the vocabulary and asserts nothing leaves F
//! as it is. That is a part of what the formula gives, and each part of F is a sound choice: with
//! fewer candidates more must be shown under fewer assumptions.

use rustc_hash::FxHashMap;
use selvedge_ir::spec::{AbstractThread, Binding, Clause, When};
use selvedge_ir::{
    Action, BinaryOp, Check, CheckKind, Const, EdgeId, Expr, Grain, Local, LocalId, LocationId,
    Multiplicity, ProcId, Procedure, Program, Property, Span, Thread, Type,
};
use selvedge_passes::fold::fold;
use selvedge_passes::inline::drop_unreferenced;

use crate::actions::Actions;
use crate::contracts::Kept;
use crate::names;
use crate::pieces::{add_local, both, either};
use crate::propagate::propagate;
use crate::refused::Refused;
use crate::steps::{Concern, Steps};
use crate::subject::Subject;
use crate::threads_as_numbers::{NUMBER, number, numbered};

impl Subject {
    /// The program that is correct exactly if the abstract thread of this number stands for its
    /// threads.
    pub fn instrument(&self, index: usize) -> Result<Program, Refused> {
        if let Some(known) = &self.by_contract {
            return known.subject.instrument(index);
        }
        let thread = &self.threads[index];
        let Some(procedure) = self.procedures[index] else {
            let message = format!("no thread starts in what `{}` abstracts", thread.name);
            return Err(Refused::annotation(message, thread.span));
        };
        Ok(self.checked(procedure, Checker::new(self, thread, procedure, None)))
    }

    /// The program that is correct exactly if a procedure keeps the contract of this number.
    pub fn instrument_contract(&self, index: usize) -> Result<Program, Refused> {
        let known = self.by_contract.as_ref();
        let known = known.expect("invariant: a contract that is used is known");
        let (kept, procedure) = (&known.contracts[index], known.bodies[index]);
        let checker = Checker::new(&known.subject, &kept.machine, procedure, Some(kept));
        Ok(known.subject.checked(procedure, checker))
    }

    /// The program with a check in the place of a procedure.
    fn checked(&self, procedure: ProcId, checker: Checker<'_>) -> Program {
        let mut program = self.program.clone();
        program.procedures[procedure] = checker.finish();
        program.threads = vec![Thread { procedure, count: Multiplicity::Exactly(1), main: false }];
        drop_unreferenced(&mut program);
        program
    }
}

/// Where a copy of a location stands: between steps, or inside one that is of some concern to the
/// vocabulary.
type Within = Option<Concern>;

struct Checker<'a> {
    subject: &'a Subject,
    thread: &'a AbstractThread,
    /// The contract that it is the state machine of, with the parameters as they were at the entry.
    contract: Option<(&'a Kept, Vec<LocalId>)>,
    source: &'a Procedure,
    steps: Steps,
    body: Procedure,
    actions: Actions<'a>,
    /// The executing thread's number.
    own: LocalId,
    /// By cell of the vocabulary.
    now: Vec<LocalId>,
    before: Vec<LocalId>,
    /// What the last step left in cells that assertions look back to.
    kept: FxHashMap<usize, LocalId>,
    /// By abstract state.
    at: Vec<LocalId>,
    next: Vec<LocalId>,
    copies: FxHashMap<(LocationId, Within), LocationId>,
    open: Vec<(LocationId, Within)>,
}

impl<'a> Checker<'a> {
    fn new(
        subject: &'a Subject,
        thread: &'a AbstractThread,
        id: ProcId,
        contract: Option<&'a Kept>,
    ) -> Checker<'a> {
        let source = &subject.program.procedures[id];
        let mut body = Procedure {
            params: Vec::new(),
            result: None,
            locals: source.locals.values().map(with_number).collect(),
            locations: Default::default(),
            ..source.clone()
        };
        let cells = &subject.vocabulary.cells;
        let mut add = |name: String, ty: Type| add_local(&mut body, name, numbered(ty));
        let own = add("self".to_owned(), Type::Int(NUMBER));
        let now: Vec<LocalId> =
            cells.iter().map(|cell| add(names::now(&cell.name), cell.ty)).collect();
        let before = cells.iter().map(|cell| add(names::before(&cell.name), cell.ty)).collect();
        let remembered = subject.vocabulary.remembered(thread);
        let keep = |cell: usize| (cell, add(names::kept(&cells[cell].name), cells[cell].ty));
        let kept = remembered.into_iter().map(keep).collect();
        let states = thread.states.iter();
        let at = states.clone().map(|state| add(names::at(&state.name), Type::Bool)).collect();
        let next = states.map(|state| add(format!("next.{}", state.name), Type::Bool)).collect();
        let contract = contract.map(|kept| {
            let params = source.params.iter().map(|&parameter| &source.locals[parameter]);
            (kept, params.map(|data| add(names::given(&data.name), data.ty)).collect())
        });
        body.entry = body.add_location(Grain::Yield);
        body.exit = body.add_location(Grain::Yield);
        let scratch = FxHashMap::default();
        let actions = Actions { subject, id, own, now: now.clone(), scratch };
        Checker {
            subject,
            thread,
            contract,
            source,
            steps: Steps::of(subject, thread, id),
            body,
            actions,
            own,
            now,
            before,
            kept,
            at,
            next,
            copies: FxHashMap::default(),
            open: Vec::new(),
        }
    }

    fn finish(mut self) -> Procedure {
        let first = self.arrive(self.source.entry, None);
        let mut actions = self.start();
        self.enter(&mut actions);
        self.chain(self.body.entry, actions, first, self.source.span);
        while let Some((location, within)) = self.open.pop() {
            self.leave(location, within);
        }
        propagate(&mut self.body, &self.before);
        self.body
    }

    /// Any thread with any arguments; the abstract thread is in its initial states.
    fn start(&self) -> Vec<Action> {
        let zero = Expr::int(0, NUMBER);
        let is_thread = Expr::binary(BinaryOp::Ne, Expr::Local(self.own), zero);
        let mut actions = vec![Action::Havoc { to: self.own }, Action::Assume(is_thread)];
        for &parameter in &self.source.params {
            actions.push(match self.source.locals[parameter].ty {
                // Whatever reads it is not supported.
                Type::Ptr => Action::Assign { to: parameter, value: Expr::NULL },
                _ => Action::Havoc { to: parameter },
            });
        }
        for (state, &at) in self.thread.states.iter().zip(&self.at) {
            let value = Expr::Const(Const::Bool(state.initial));
            actions.push(Action::Assign { to: at, value });
        }
        if !self.kept.is_empty() {
            self.others(&mut actions);
            self.keep(&mut actions);
            self.assume(&mut actions);
        }
        actions
    }

    /// What the contract requires holds, if it is one.
    fn enter(&self, actions: &mut Vec<Action>) {
        let Some((kept, given)) = &self.contract else { return };
        for (&parameter, &to) in self.source.params.iter().zip(given) {
            actions.push(Action::Assign { to, value: Expr::Local(parameter) });
        }
        self.others(actions);
        actions.push(Action::Assume(self.formula(&kept.requires, When::After)));
        self.assume(actions);
        self.keep(actions);
    }

    /// All actions of the contract are done, and what it ensures holds, whatever others do.
    fn exit(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        let Some((kept, _)) = &self.contract else { return actions };
        let last = self.at[self.at.len() - 1];
        let label = names::unfinished(&kept.name);
        let check = Check::new(Property::Assert, CheckKind::Label(label));
        actions.push(Action::Assert { cond: Expr::Local(last), check });
        self.others(&mut actions);
        self.assume(&mut actions);
        for clause in &kept.ensures {
            let label = format!("`{}`, which `{}` ensures", clause.text, kept.name);
            let check = Check::new(Property::Assert, CheckKind::Label(label));
            let cond = self.clause(clause, &|cell, _| self.now[cell]);
            actions.push(Action::Assert { cond, check });
        }
        actions
    }

    /// The copy of a location where a step arrives that is of this concern, or none.
    fn arrive(&mut self, location: LocationId, within: Within) -> LocationId {
        if location == self.source.exit && self.contract.is_none() {
            return self.body.exit;
        }
        if let Some(&copy) = self.copies.get(&(location, within)) {
            return copy;
        }
        let copy = self.body.add_location(Grain::Yield);
        self.copies.insert((location, within), copy);
        self.open.push((location, within));
        copy
    }

    /// Copies the edges that leave a location.
    fn leave(&mut self, location: LocationId, within: Within) {
        let source = self.source;
        let from = self.copies[&(location, within)];
        if location == source.exit {
            let actions = self.exit();
            return self.chain(from, actions, self.body.exit, self.thread.span);
        }
        for (index, edge) in source.locations[location].edges.iter().enumerate() {
            let at = EdgeId { from: location, index: index as u32 };
            let concern = within.unwrap_or_else(|| self.steps.begun_by(source, at));
            let mut actions = Vec::new();
            if within.is_none() {
                self.begin(concern, &mut actions);
            }
            let ends = self.actions.translate(&mut self.body, at, edge, &mut actions);
            let goes_on = !ends && self.steps.goes_on(source, edge);
            if !goes_on {
                self.end(concern, &mut actions);
            }
            let target = match (ends, goes_on) {
                (true, _) => self.body.exit,
                (false, true) => self.arrive(edge.target, Some(concern)),
                (false, false) => self.arrive(edge.target, None),
            };
            self.chain(from, actions, target, edge.span);
        }
    }

    /// Actions one after another, from a location to another.
    fn chain(&mut self, from: LocationId, actions: Vec<Action>, to: LocationId, span: Span) {
        let last = actions.len().saturating_sub(1);
        let actions = if actions.is_empty() { vec![Action::Skip] } else { actions };
        let mut from = from;
        for (index, action) in actions.into_iter().enumerate() {
            let target = if index == last { to } else { self.body.add_location(Grain::Yield) };
            self.body.add_edge(from, action, target, span);
            from = target;
        }
    }

    /// Others have done what they like, and no abstract thread has gone wrong.
    fn begin(&self, concern: Concern, actions: &mut Vec<Action>) {
        if concern == Concern::Nothing {
            return;
        }
        for (&now, &before) in self.now.iter().zip(&self.before) {
            actions.push(Action::Havoc { to: now });
            if concern == Concern::Writes {
                actions.push(Action::Assign { to: before, value: Expr::Local(now) });
            }
        }
        self.assume(actions);
    }

    /// Others do what they like.
    fn others(&self, actions: &mut Vec<Action>) {
        actions.extend(self.now.iter().map(|&now| Action::Havoc { to: now }));
    }

    /// Remembers what is there now.
    fn keep(&self, actions: &mut Vec<Action>) {
        let mut cells: Vec<usize> = self.kept.keys().copied().collect();
        cells.sort_unstable();
        actions.extend(cells.into_iter().map(|cell| Action::Assign {
            to: self.kept[&cell],
            value: Expr::Local(self.now[cell]),
        }));
    }

    /// No abstract thread has gone wrong.
    fn assume(&self, actions: &mut Vec<Action>) {
        for (state, &at) in self.thread.states.iter().zip(&self.at) {
            let asserts = state.asserts.iter();
            let holds = asserts.fold(Expr::TRUE, |all, clause| both(all, self.assertion(clause)));
            if holds != Expr::TRUE {
                let here = Expr::Local(at).not();
                actions.push(Action::Assume(Expr::binary(BinaryOp::Or, here, holds)));
            }
        }
    }

    /// The abstract states that are left, of which there must be one.
    fn end(&self, concern: Concern, actions: &mut Vec<Action>) {
        if concern == Concern::Nothing {
            return;
        }
        let mut copies = Vec::new();
        let mut left = Expr::FALSE;
        for (state, (&at, &next)) in self.at.iter().zip(&self.next).enumerate() {
            let value = fold(self.reached(state as u32, concern));
            if value == Expr::Local(at) {
                left = either(left, value);
                continue;
            }
            actions.push(Action::Assign { to: next, value });
            copies.push(Action::Assign { to: at, value: Expr::Local(next) });
            left = either(left, Expr::Local(next));
        }
        let check =
            Check::new(Property::Assert, CheckKind::Label(names::unmatched(&self.thread.name)));
        actions.push(Action::Assert { cond: left, check });
        actions.extend(copies);
        self.keep(actions);
    }

    /// An assertion of a state, about what is now and what the last step left.
    fn assertion(&self, clause: &Clause) -> Expr {
        let back = clause.formula.has_two_states();
        self.clause(clause, &|cell, when| match (back, when) {
            (true, When::Before) => self.kept[&cell],
            _ => self.now[cell],
        })
    }

    /// Whether some candidate gets to the state by a step that matches.
    fn reached(&self, state: u32, concern: Concern) -> Expr {
        let mut reached = Expr::FALSE;
        if self.thread.states[state as usize].idles {
            let stays = self.unchanged(&[], concern);
            reached = both(Expr::Local(self.at[state as usize]), stays);
        }
        for step in self.thread.transitions.iter().filter(|step| step.to == state) {
            let before = if concern == Concern::Writes { When::Before } else { When::After };
            let changes = self.subject.vocabulary.modified(&step.modifies);
            let frame = self.unchanged(&changes, concern);
            let matches = both(frame, self.formula(&step.relation, before));
            let from = Expr::Local(self.at[step.from as usize]);
            reached = either(reached, both(from, matches));
        }
        reached
    }

    /// All cells but some have the values from before the step.
    fn unchanged(&self, but: &[usize], concern: Concern) -> Expr {
        if concern != Concern::Writes {
            return Expr::TRUE;
        }
        let cells = self.now.iter().zip(&self.before).enumerate();
        let kept = cells.filter(|(index, _)| !but.contains(index));
        kept.fold(Expr::TRUE, |all, (_, (&now, &before))| {
            let same = Expr::binary(BinaryOp::Eq, Expr::Local(now), Expr::Local(before));
            both(all, same)
        })
    }

    /// The conjunction of clauses, where `first` says which variables hold the state before.
    fn formula(&self, clauses: &[Clause], first: When) -> Expr {
        let local = |cell: usize, when: When| match (when, first) {
            (When::Before, When::Before) => self.before[cell],
            _ => self.now[cell],
        };
        clauses.iter().fold(Expr::TRUE, |all, clause| both(all, self.clause(clause, &local)))
    }

    /// A clause over the check's own variables.
    fn clause(&self, clause: &Clause, local: &impl Fn(usize, When) -> LocalId) -> Expr {
        let vocabulary = &self.subject.vocabulary;
        // Threads become numbers while the formula's own variables tell which they are.
        let variables = &clause.formula.variables;
        let is_thread = |local: LocalId| variables[local].ty == Type::Thread;
        let marker = LocalId::from_u32(u32::MAX - 1);
        let mut numbers = clause.formula.clone();
        numbers.body = number(&clause.formula.body, &is_thread, marker);
        let own = self.own;
        let mut read = Vec::new();
        for (id, place, when) in clause.formula.reads() {
            read.push((id, local(vocabulary.cell_at(place), when)));
        }
        for (id, variable) in variables {
            match (&variable.binding, &self.contract) {
                (Binding::Parameter(index), Some((_, given))) => {
                    read.push((id, given[*index as usize]));
                }
                (Binding::Result, _) => read.extend(self.source.result.map(|local| (id, local))),
                _ => {}
            }
        }
        numbers.body.map(&mut |part| match part {
            Expr::Local(found) if found == marker => Expr::Local(own),
            Expr::Local(found) => {
                let known = read.iter().find(|(id, _)| *id == found);
                Expr::Local(known.map_or(found, |(_, local)| *local))
            }
            other => other,
        })
    }
}

fn with_number(local: &Local) -> Local {
    Local { ty: numbered(local.ty), ..local.clone() }
}
