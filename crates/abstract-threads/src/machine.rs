//! An abstract thread as a procedure: in each state its assertion may be checked at any time, a step
//! may be taken where its relation allows one, and the thread may end.
//!
//! Where assertions look back, the procedure has copies of the cells that they look back to, taken at
//! its start and at the end of every step. Staying in a state is a step as well, which takes the copies
//! anew.

use rustc_hash::FxHashMap;
use selvedge_ir::spec::{AbstractThread, Clause, Transition, When};
use selvedge_ir::{
    Action, BinaryOp, Check, CheckKind, Const, Expr, Grain, Local, LocalId, LocationId, Mode,
    Procedure, Property, Span, Type,
};

use crate::names;
use crate::pieces::{add_local, both, split};
use crate::refused::Refused;
use crate::vocabulary::{Meant, Vocabulary};

/// The procedure that runs the state machine in the place of another. Where nobody waits for its end
/// it need not have one: to stay in a state for ever does the same.
pub fn procedure(
    thread: &AbstractThread,
    vocabulary: &Vocabulary,
    concrete: &Procedure,
    name: String,
    ends: bool,
) -> Result<Procedure, Refused> {
    let mut machine = Machine::new(thread, vocabulary, concrete, name);
    for (index, state) in thread.states.iter().enumerate() {
        machine.assertions(index, &state.asserts);
    }
    for step in &thread.transitions {
        machine.step(step)?;
    }
    for index in (0..thread.states.len()).filter(|&index| thread.states[index].idles) {
        machine.idle(index, thread.states[index].span);
    }
    for (index, state) in thread.states.iter().enumerate() {
        let stays = machine.body.locations[machine.states[index]].edges.is_empty();
        if ends || stays {
            machine.end(index, state.span);
        }
    }
    Ok(machine.body)
}

/// The procedure that does what a contract allows, in the place of one that keeps it: a state for each
/// number of actions that are done, and an end where all are done and what is ensured holds.
pub fn contract(
    machine: &AbstractThread,
    ensures: &[Clause],
    vocabulary: &Vocabulary,
    concrete: &Procedure,
) -> Result<Procedure, Refused> {
    let mut made = Machine::new(machine, vocabulary, concrete, concrete.name.clone());
    for step in &machine.transitions {
        made.step(step)?;
    }
    made.ensure(ensures, machine.span);
    Ok(made.body)
}

struct Machine<'a> {
    vocabulary: &'a Vocabulary,
    body: Procedure,
    /// By abstract state.
    states: Vec<LocationId>,
    /// By cell of the vocabulary.
    before: Vec<LocalId>,
    after: Vec<LocalId>,
    /// What assertions look back to: the cell, and its copy.
    kept: Vec<(usize, LocalId)>,
}

impl<'a> Machine<'a> {
    fn new(
        thread: &AbstractThread,
        vocabulary: &'a Vocabulary,
        concrete: &Procedure,
        name: String,
    ) -> Machine<'a> {
        let mut body = Procedure {
            name,
            params: Vec::new(),
            result: None,
            locals: Default::default(),
            locations: Default::default(),
            span: thread.span,
            ..concrete.clone()
        };
        let mut copy = |local: LocalId| {
            let Local { name, ty, .. } = &concrete.locals[local];
            add_local(&mut body, name.clone(), *ty)
        };
        let params: Vec<LocalId> = concrete.params.iter().map(|&local| copy(local)).collect();
        let result = concrete.result.map(&mut copy);
        (body.params, body.result) = (params, result);
        let cells = &vocabulary.cells;
        let mut add = |name: String, ty: Type| add_local(&mut body, name, ty);
        let before = cells.iter().map(|cell| add(cell.name.clone(), cell.ty)).collect();
        let after = cells.iter().map(|cell| add(format!("{}'", cell.name), cell.ty)).collect();
        let remembered = vocabulary.remembered(thread);
        let keep = |cell: usize| (cell, add(names::kept(&cells[cell].name), cells[cell].ty));
        let kept = remembered.into_iter().map(keep).collect();
        body.entry = body.add_location(Grain::Yield);
        body.exit = body.add_location(Grain::Yield);
        let states: Vec<LocationId> =
            thread.states.iter().map(|_| body.add_location(Grain::Yield)).collect();
        let mut machine = Machine { vocabulary, body, states, before, after, kept };
        for (index, state) in thread.states.iter().enumerate().filter(|(_, s)| s.initial) {
            let copies = machine.copies();
            machine.block(machine.body.entry, copies, machine.states[index], state.span);
        }
        machine
    }

    /// Remembers what is there now.
    fn copies(&self) -> Vec<Action> {
        let copy = |&(cell, to): &(usize, LocalId)| Action::Load {
            to,
            from: self.vocabulary.cells[cell].place(),
            mode: Mode::Atomic,
        };
        self.kept.iter().map(copy).collect()
    }

    /// A step that changes nothing; nobody sees it where nothing is remembered.
    fn idle(&mut self, state: usize, span: Span) {
        if !self.kept.is_empty() {
            let copies = self.copies();
            self.block(self.states[state], copies, self.states[state], span);
        }
    }

    /// One block for each clause: it reads the variables and asserts.
    fn assertions(&mut self, state: usize, clauses: &[Clause]) {
        for clause in clauses {
            let back = clause.formula.has_two_states();
            let now = if back { When::After } else { When::Before };
            let mut actions = self.loads(self.vocabulary.read_by(&clause.formula, now));
            let kind = CheckKind::Condition(clause.text.clone());
            let check = Check::new(Property::Assert, kind);
            let cond = self.vocabulary.expression(&clause.formula, &|meant| {
                Expr::Local(match meant {
                    Meant::Cell(cell, When::Before) if back => self.copy_of(cell),
                    Meant::Cell(cell, _) => self.before[cell],
                    _ => panic!("invariant: states are of threads, not of contracts"),
                })
            });
            actions.push(Action::Assert { cond, check });
            self.block(self.states[state], actions, self.states[state], clause.span);
        }
    }

    fn copy_of(&self, cell: usize) -> LocalId {
        let copy = self.kept.iter().find(|(of, _)| *of == cell);
        copy.expect("invariant: what assertions look back to is remembered").1
    }

    /// The thread may end in any state, with any result.
    fn end(&mut self, state: usize, span: Span) {
        let result = self.body.result.map(|to| match self.body.locals[to].ty {
            // Nobody looks at such results: `compose` sees to it.
            ty @ (Type::Ptr | Type::Thread) => {
                Action::Assign { to, value: Expr::Const(Const::zero(ty)) }
            }
            _ => Action::Havoc { to },
        });
        let exit = self.body.exit;
        self.block(self.states[state], result.into_iter().collect(), exit, span);
    }

    /// The last state may be left with any result of which holds what is ensured.
    fn ensure(&mut self, clauses: &[Clause], span: Span) {
        let read = clauses.iter().flat_map(|clause| {
            [When::Before, When::After].map(|when| self.vocabulary.read_by(&clause.formula, when))
        });
        let mut actions = self.loads(read.flatten().collect());
        actions.extend(self.body.result.map(|to| Action::Havoc { to }));
        actions.extend(assume(clauses.iter().map(|c| self.expression(c, &[])).collect()));
        let (last, exit) = (self.states[self.states.len() - 1], self.body.exit);
        self.block(last, actions, exit, span);
    }

    /// One block: it reads the variables, chooses new values, and writes them.
    fn step(&mut self, step: &Transition) -> Result<(), Refused> {
        let mut changes = self.vocabulary.modified(&step.modifies);
        changes.sort_unstable();
        changes.dedup();
        let mut read: Vec<usize> = Vec::new();
        for clause in &step.relation {
            read.extend(self.vocabulary.read_by(&clause.formula, When::Before));
            let after = self.vocabulary.read_by(&clause.formula, When::After);
            read.extend(after.iter().filter(|cell| !changes.contains(cell)));
        }
        let mut actions = self.loads(read);
        let mut conjuncts: Vec<Expr> = Vec::new();
        for clause in &step.relation {
            split(self.expression(clause, &changes), &mut conjuncts);
        }
        let mut chosen: Vec<Action> = Vec::new();
        let mut values: FxHashMap<usize, Expr> = FxHashMap::default();
        for &cell in &changes {
            let to = self.after[cell];
            let value = self.new_value(cell, &mut conjuncts, step.span)?;
            let used = conjuncts.iter().any(|part| part.locals().contains(&to));
            match value {
                // It is written as it is, unless something else speaks of it.
                Some(value) if !used => {
                    values.insert(cell, value);
                    continue;
                }
                Some(value) => chosen.push(Action::Assign { to, value }),
                None => chosen.push(Action::Havoc { to }),
            }
            values.insert(cell, Expr::Local(to));
        }
        // Conditions on the values before come first: where none of them hold nothing is chosen.
        let (old, new): (Vec<Expr>, Vec<Expr>) =
            conjuncts.into_iter().partition(|part| !self.is_about_new(part));
        actions.extend(assume(old));
        actions.extend(chosen);
        actions.extend(assume(new));
        for &cell in &changes {
            let to = self.vocabulary.cells[cell].place();
            let value = values[&cell].clone();
            actions.push(Action::Store { to, value, mode: Mode::Atomic });
        }
        actions.extend(self.copies());
        let (from, to) = (self.states[step.from as usize], self.states[step.to as usize]);
        self.block(from, actions, to, step.span);
        Ok(())
    }

    /// The value that the relation gives the cell, if it gives one.
    fn new_value(
        &self,
        cell: usize,
        conjuncts: &mut Vec<Expr>,
        span: Span,
    ) -> Result<Option<Expr>, Refused> {
        let to = self.after[cell];
        let given = conjuncts.iter().position(|part| self.definition(part, to).is_some());
        if let Some(value) = given.and_then(|at| self.definition(&conjuncts.remove(at), to)) {
            return Ok(Some(value));
        }
        let data = &self.vocabulary.cells[cell];
        match data.ty {
            Type::Thread => Err(Refused::annotation(
                format!("say which thread `{0}` is afterwards: {0}' == ...", data.name),
                span,
            )),
            _ => Ok(None),
        }
    }

    /// The right side of `to == value`, where the value is one of the state before.
    fn definition(&self, part: &Expr, to: LocalId) -> Option<Expr> {
        let Expr::Binary(BinaryOp::Eq, left, right) = part else { return None };
        let new = Expr::Local(to);
        let value = match (&**left, &**right) {
            (left, value) if *left == new => value,
            (value, right) if *right == new => value,
            _ => return None,
        };
        (!self.is_about_new(value)).then(|| value.clone())
    }

    fn is_about_new(&self, part: &Expr) -> bool {
        part.locals().iter().any(|local| self.after.contains(local))
    }

    /// A clause where these cells have new values, and all others those from before.
    fn expression(&self, clause: &Clause, changes: &[usize]) -> Expr {
        self.vocabulary.expression(&clause.formula, &|meant| {
            Expr::Local(match meant {
                Meant::Cell(cell, When::After) if changes.contains(&cell) => self.after[cell],
                Meant::Cell(cell, _) => self.before[cell],
                Meant::Parameter(index) => self.body.params[index],
                Meant::Result => self.body.result.expect("invariant: there is a result"),
            })
        })
    }

    fn loads(&self, mut cells: Vec<usize>) -> Vec<Action> {
        cells.sort_unstable();
        cells.dedup();
        let load = |cell: usize| Action::Load {
            to: self.before[cell],
            from: self.vocabulary.cells[cell].place(),
            mode: Mode::Atomic,
        };
        cells.into_iter().map(load).collect()
    }

    /// Actions that nobody interrupts.
    fn block(&mut self, from: LocationId, actions: Vec<Action>, to: LocationId, span: Span) {
        let actions = if actions.is_empty() { vec![Action::Skip] } else { actions };
        let last = actions.len() - 1;
        let mut from = from;
        for (index, action) in actions.into_iter().enumerate() {
            let target = if index == last { to } else { self.body.add_location(Grain::Atomic) };
            self.body.add_edge(from, action, target, span);
            from = target;
        }
    }
}

fn assume(conjuncts: Vec<Expr>) -> Option<Action> {
    let all = conjuncts.into_iter().fold(Expr::TRUE, both);
    (all != Expr::TRUE).then_some(Action::Assume(all))
}
