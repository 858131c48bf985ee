//! From sketches to abstract threads.

use cranelift_entity::PrimaryMap;
use selvedge_ir::spec::{AbstractThread, Binding, Clause, Formula, Target, Variable, When};
use selvedge_ir::{BinaryOp, Const, Expr, LocalId, ProcId, Span, Type};

use crate::build;
use crate::pieces::split;
use crate::sketch::{Sketch, SketchStep};
use crate::subject::Subject;
use crate::vocabulary::Vocabulary;

/// What is said in an abstract thread of values that the sketch does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guess {
    /// Nothing.
    Nothing,
    /// That assertions of the program about a variable alone hold of what is written there.
    Written,
    /// Likewise, and in every state.
    Everywhere,
}

impl Guess {
    pub const ALL: [Guess; 3] = [Guess::Nothing, Guess::Written, Guess::Everywhere];
}

impl Subject {
    /// The abstract thread that a sketch is. `facts` are what is guessed to hold of variables.
    pub fn abstract_thread(
        &self,
        name: &str,
        procedure: ProcId,
        sketch: &Sketch,
        guess: Guess,
        facts: &[Expr],
    ) -> AbstractThread {
        let vocabulary = &self.vocabulary;
        let everywhere = if guess == Guess::Everywhere { facts } else { &[] };
        let states = sketch.states.iter().enumerate().map(|(index, state)| {
            let mut asserts: Vec<Expr> = Vec::new();
            for assert in state.asserts.iter().chain(everywhere) {
                if !asserts.contains(assert) {
                    asserts.push(assert.clone());
                }
            }
            let asserts = asserts.iter().map(|assert| clause(vocabulary, assert, When::Before));
            build::state(format!("S{index}"), state.initial, asserts.collect())
        });
        let steps = sketch.steps.iter().map(|step| {
            let unknown = if guess == Guess::Nothing { &[] } else { facts };
            let relation = relation(vocabulary, step, unknown);
            let modifies = step.writes.iter().map(|(cell, _)| target(vocabulary, *cell));
            build::step(step.from as u32, step.to as u32, relation, modifies.collect())
        });
        build::thread(name, procedure, states.collect(), steps.collect())
    }
}

impl Sketch {
    /// Conditions on one variable alone that are asserted somewhere.
    pub fn facts(&self) -> Vec<Expr> {
        let mut facts: Vec<Expr> = Vec::new();
        for assert in self.states.iter().flat_map(|state| &state.asserts) {
            let mut conjuncts = Vec::new();
            split(assert.clone(), &mut conjuncts);
            for conjunct in conjuncts {
                let mut cells = conjunct.locals();
                cells.sort_unstable();
                cells.dedup();
                if cells.len() == 1 && !facts.contains(&conjunct) {
                    facts.push(conjunct);
                }
            }
        }
        facts
    }
}

fn relation(vocabulary: &Vocabulary, step: &SketchStep, facts: &[Expr]) -> Vec<Clause> {
    let conditions = step.conditions.iter();
    let mut clauses: Vec<Clause> =
        conditions.map(|condition| clause(vocabulary, condition, When::Before)).collect();
    for (cell, value) in &step.writes {
        let own = Subject::cell_expr(*cell);
        match value {
            Some(value) => clauses.push(becomes(vocabulary, *cell, value)),
            None => {
                let about = facts
                    .iter()
                    .filter(|fact| fact.locals().iter().all(|l| Expr::Local(*l) == own));
                clauses.extend(about.map(|fact| clause(vocabulary, fact, When::After)));
            }
        }
    }
    clauses
}

/// A formula over cells, all in one state.
fn clause(vocabulary: &Vocabulary, expr: &Expr, when: When) -> Clause {
    let mut formula = Formula { variables: PrimaryMap::new(), body: Expr::TRUE };
    let mut known = Vec::new();
    formula.body = read(vocabulary, expr, when, &mut formula.variables, &mut known);
    said(formula)
}

fn becomes(vocabulary: &Vocabulary, cell: usize, value: &Expr) -> Clause {
    let mut formula = Formula { variables: PrimaryMap::new(), body: Expr::TRUE };
    let variables = &mut formula.variables;
    let new = read(vocabulary, &Subject::cell_expr(cell), When::After, variables, &mut Vec::new());
    let value = match (vocabulary.cells[cell].ty, value) {
        (Type::Thread, Expr::Const(_)) => Expr::Const(Const::NoThread),
        _ => read(vocabulary, value, When::Before, variables, &mut Vec::new()),
    };
    formula.body = Expr::binary(BinaryOp::Eq, new, value);
    said(formula)
}

fn said(formula: Formula) -> Clause {
    Clause { formula, text: String::new(), span: Span::NONE }
}

fn read(
    vocabulary: &Vocabulary,
    expr: &Expr,
    when: When,
    variables: &mut PrimaryMap<LocalId, Variable>,
    known: &mut Vec<(LocalId, LocalId)>,
) -> Expr {
    expr.clone().map(&mut |part| match part {
        Expr::Local(cell) => {
            if let Some((_, local)) = known.iter().find(|(of, _)| *of == cell) {
                return Expr::Local(*local);
            }
            let data = &vocabulary.cells[cell.as_u32() as usize];
            let name = format!("{}#{}", data.name, variables.len());
            let binding = Binding::Read { place: data.place(), when };
            let local = variables.push(Variable { name, ty: data.ty, binding });
            known.push((cell, local));
            Expr::Local(local)
        }
        other => other,
    })
}

fn target(vocabulary: &Vocabulary, cell: usize) -> Target {
    let data = &vocabulary.cells[cell];
    Target {
        ghost: None,
        address: Formula::closed(data.place().addr),
        ty: data.ty,
        text: data.name.clone(),
        span: Span::NONE,
    }
}
