//! Contracts in the place of calls: the program that threads with abstract threads are checked in.
//!
//! The body of a procedure with a contract is replaced by one that does what the contract allows, as
//! blocks that nobody interrupts, and before each call is asserted what the contract requires. What the
//! procedure itself does runs in a thread of its own, so that nothing of the program is missing where
//! memory is looked at as a whole.

use selvedge_ir::spec::{Binding, Clause, Transition, When};
use selvedge_ir::{
    Action, Callee, Check, CheckKind, Const, Edge, EdgeId, Expr, Grain, LocalId, LocationId, Mode,
    Multiplicity, ProcId, Procedure, Program, Property, Span, Thread, Type,
};

use crate::contracts::Kept;
use crate::pieces::{add_local, both};
use crate::vocabulary::Vocabulary;

/// Puts contracts in the place of calls; gives the names of the procedures with the bodies.
pub fn replace_calls(
    program: &mut Program,
    contracts: &[Kept],
    vocabulary: &Vocabulary,
) -> Vec<String> {
    let mut names = Vec::new();
    for kept in contracts {
        let mut body = program.procedures[kept.procedure].clone();
        while program.procedure_named(&body.name).is_some() {
            body.name.push('\'');
        }
        names.push(body.name.clone());
        let procedure = program.procedures.push(body);
        let count = Multiplicity::Exactly(1);
        program.threads.push(Thread { procedure, count, main: false });
    }
    for id in program.procedures.keys().collect::<Vec<ProcId>>() {
        ask_in(&mut program.procedures[id], contracts, vocabulary);
    }
    for kept in contracts {
        let source = &program.procedures[kept.procedure];
        program.procedures[kept.procedure] = Stand::new(source, vocabulary).finish(kept);
    }
    names
}

/// Asserts before calls what is required of the caller.
fn ask_in(caller: &mut Procedure, contracts: &[Kept], vocabulary: &Vocabulary) {
    let calls: Vec<(EdgeId, Edge)> = caller
        .edges()
        .filter(|(_, edge)| matches!(edge.action, Action::Call { .. }))
        .map(|(at, edge)| (at, edge.clone()))
        .collect();
    for (at, edge) in calls {
        let Action::Call { callee: Callee::Direct(callee), args, .. } = &edge.action else {
            continue;
        };
        let Some(kept) = contracts.iter().find(|kept| kept.procedure == *callee) else { continue };
        if kept.requires.is_empty() {
            continue;
        }
        let mut cells = Vec::new();
        let mut asserts = Vec::new();
        for clause in &kept.requires {
            cells.extend(vocabulary.read_by(&clause.formula, When::Before));
        }
        let read = loaded(caller, cells, vocabulary);
        for clause in &kept.requires {
            let value = |binding: &Binding, ty| match binding {
                Binding::Parameter(index) => {
                    let argument = args.get(*index as usize).cloned();
                    argument.unwrap_or(Expr::Const(Const::zero(ty)))
                }
                Binding::Read { place, .. } => read_as(&read, vocabulary.cell_at(place)),
                _ => panic!("invariant: such clauses are not used"),
            };
            let label = format!("`{}`, which `{}` requires", clause.text, kept.name);
            let check = Check::new(Property::Assert, CheckKind::Label(label));
            asserts.push(Action::Assert { cond: expression(clause, &value), check });
        }
        let mut actions: Vec<Action> =
            read.iter().map(|&(cell, to)| load(to, cell, vocabulary)).collect();
        actions.extend(asserts);
        let grain = match caller.locations[at.from].grain {
            Grain::Atomic => Grain::Atomic,
            _ => Grain::Yield,
        };
        let between = caller.add_location(grain);
        let old = caller.locations[at.from].edges[at.index as usize].clone();
        caller.add_edge(between, old.action, old.target, old.span);
        insert(caller, at, actions, between, edge.span);
    }
}

/// Locals for the values of cells, each once.
fn loaded(
    procedure: &mut Procedure,
    mut cells: Vec<usize>,
    vocabulary: &Vocabulary,
) -> Vec<(usize, LocalId)> {
    cells.sort_unstable();
    cells.dedup();
    let mut add = |cell: usize| {
        let data = &vocabulary.cells[cell];
        (cell, add_local(procedure, data.name.clone(), data.ty))
    };
    cells.into_iter().map(&mut add).collect()
}

fn read_as(read: &[(usize, LocalId)], cell: usize) -> Expr {
    let found = read.iter().find(|(known, _)| *known == cell);
    Expr::Local(found.expect("invariant: what a clause reads is loaded").1)
}

fn load(to: LocalId, cell: usize, vocabulary: &Vocabulary) -> Action {
    Action::Load { to, from: vocabulary.cells[cell].place(), mode: Mode::Atomic }
}

/// Puts actions that nobody interrupts in the place of an edge.
fn insert(procedure: &mut Procedure, at: EdgeId, actions: Vec<Action>, to: LocationId, span: Span) {
    let last = actions.len() - 1;
    let mut from = at.from;
    for (index, action) in actions.into_iter().enumerate() {
        let target = if index == last { to } else { procedure.add_location(Grain::Atomic) };
        let edge = Edge { action, target, span };
        match index {
            0 => procedure.locations[from].edges[at.index as usize] = edge,
            _ => procedure.locations[from].edges.push(edge),
        }
        from = target;
    }
}

/// A clause's body over what its variables are to be.
fn expression(clause: &Clause, value: &impl Fn(&Binding, Type) -> Expr) -> Expr {
    let variables = &clause.formula.variables;
    clause.formula.body.clone().map(&mut |part| match part {
        Expr::Local(local) => value(&variables[local].binding, variables[local].ty),
        other => other,
    })
}

/// What stands for a procedure that has a contract.
struct Stand<'a> {
    vocabulary: &'a Vocabulary,
    body: Procedure,
    /// By cell of the vocabulary.
    before: Vec<LocalId>,
    after: Vec<LocalId>,
}

impl<'a> Stand<'a> {
    fn new(source: &Procedure, vocabulary: &'a Vocabulary) -> Stand<'a> {
        let mut body = Procedure {
            locals: Default::default(),
            locations: Default::default(),
            ..source.clone()
        };
        let mut copy = |local: LocalId| {
            let data = &source.locals[local];
            add_local(&mut body, data.name.clone(), data.ty)
        };
        let params: Vec<LocalId> = source.params.iter().map(|&local| copy(local)).collect();
        let result = source.result.map(&mut copy);
        (body.params, body.result) = (params, result);
        let cells = &vocabulary.cells;
        let mut add = |name: String, ty: Type| add_local(&mut body, name, ty);
        let before = cells.iter().map(|cell| add(cell.name.clone(), cell.ty)).collect();
        let after = cells.iter().map(|cell| add(format!("{}'", cell.name), cell.ty)).collect();
        Stand { vocabulary, body, before, after }
    }

    fn finish(mut self, kept: &Kept) -> Procedure {
        let machine = &kept.machine;
        let positions: Vec<LocationId> =
            machine.states.iter().map(|_| self.body.add_location(Grain::Yield)).collect();
        self.body.entry = positions[0];
        self.body.exit = self.body.add_location(Grain::Yield);
        for step in &machine.transitions {
            let actions = self.step(step);
            let (from, to) = (positions[step.from as usize], positions[step.to as usize]);
            self.block(from, actions, to, step.span);
        }
        let actions = self.end(&kept.ensures);
        let last = positions[positions.len() - 1];
        self.block(last, actions, self.body.exit, machine.span);
        self.body
    }

    /// Reads the vocabulary, chooses new values, and writes them.
    fn step(&self, step: &Transition) -> Vec<Action> {
        let mut changes = self.vocabulary.modified(&step.modifies);
        changes.sort_unstable();
        changes.dedup();
        let mut actions = self.loads(&step.relation);
        actions.extend(changes.iter().map(|&cell| Action::Havoc { to: self.after[cell] }));
        let clauses = step.relation.iter().map(|clause| self.clause(clause, &changes));
        actions.push(Action::Assume(clauses.fold(Expr::TRUE, both)));
        actions.extend(changes.iter().map(|&cell| Action::Store {
            to: self.vocabulary.cells[cell].place(),
            value: Expr::Local(self.after[cell]),
            mode: Mode::Atomic,
        }));
        actions
    }

    /// Any result of which holds what is ensured.
    fn end(&self, ensures: &[Clause]) -> Vec<Action> {
        let mut actions = self.loads(ensures);
        actions.extend(self.body.result.map(|to| Action::Havoc { to }));
        let clauses = ensures.iter().map(|clause| self.clause(clause, &[]));
        actions.push(Action::Assume(clauses.fold(Expr::TRUE, both)));
        actions
    }

    /// A clause where these cells have new values, and all others those from before.
    fn clause(&self, clause: &Clause, changes: &[usize]) -> Expr {
        expression(clause, &|binding, _| match binding {
            Binding::Parameter(index) => Expr::Local(self.body.params[*index as usize]),
            Binding::Result => Expr::Local(self.body.result.expect("invariant: there is a result")),
            Binding::Read { place, when } => {
                let cell = self.vocabulary.cell_at(place);
                match when {
                    When::After if changes.contains(&cell) => Expr::Local(self.after[cell]),
                    _ => Expr::Local(self.before[cell]),
                }
            }
            _ => panic!("invariant: such clauses are not used"),
        })
    }

    /// Reads all cells that clauses speak of.
    fn loads(&self, clauses: &[Clause]) -> Vec<Action> {
        let mut cells: Vec<usize> = Vec::new();
        for clause in clauses {
            cells.extend(self.vocabulary.read_by(&clause.formula, When::Before));
            cells.extend(self.vocabulary.read_by(&clause.formula, When::After));
        }
        cells.sort_unstable();
        cells.dedup();
        cells.into_iter().map(|cell| load(self.before[cell], cell, self.vocabulary)).collect()
    }

    /// Actions that nobody interrupts.
    fn block(&mut self, from: LocationId, actions: Vec<Action>, to: LocationId, span: Span) {
        let last = actions.len() - 1;
        let mut from = from;
        for (index, action) in actions.into_iter().enumerate() {
            let target = if index == last { to } else { self.body.add_location(Grain::Atomic) };
            self.body.add_edge(from, action, target, span);
            from = target;
        }
    }
}
