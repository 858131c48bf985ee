//! Contracts in the place of calls: the program that threads with abstract threads are checked in.
//!
//! The body of a procedure with a contract is replaced by one that does what the contract allows, as
//! blocks that nobody interrupts, and before each call is asserted what the contract requires. What the
//! procedure itself does runs in a thread of its own, so that nothing of the program is missing where
//! memory is looked at as a whole.

use selvedge_ir::spec::When;
use selvedge_ir::{
    Action, Callee, Check, CheckKind, Edge, EdgeId, Expr, Grain, LocalId, LocationId, Mode,
    Multiplicity, ProcId, Procedure, Program, Property, Span, Thread,
};

use crate::contracts::Kept;
use crate::pieces::add_local;
use crate::vocabulary::{Meant, Vocabulary};

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
        program.procedures[kept.procedure] = kept.stand.clone();
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
            let value = |meant| match meant {
                Meant::Parameter(index) => args[index].clone(),
                Meant::Cell(cell, _) => read_as(&read, cell),
                Meant::Result => panic!("invariant: nothing is required of a result"),
            };
            let label = format!("`{}`, which `{}` requires", clause.text, kept.name);
            let check = Check::new(Property::Assert, CheckKind::Label(label));
            asserts.push(Action::Assert {
                cond: vocabulary.expression(&clause.formula, &value),
                check,
            });
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
