//! Abstract threads made by programs rather than written by people: for tests and suggestions.

use cranelift_entity::PrimaryMap;
use selvedge_ir::spec::{
    AbstractState, AbstractThread, Binding, Clause, Formula, Target, Transition, Variable, When,
};
use selvedge_ir::{Const, Expr, ObjectId, Place, ProcId, Program, Shape, Span, Type};

/// The type of a variable that is one scalar.
pub fn scalar(program: &Program, object: ObjectId) -> Option<Type> {
    match program.layouts[program.objects[object].layout].shape {
        Shape::Scalar(ty) => Some(ty),
        _ => None,
    }
}

/// A clause over variables that are scalars, each before or after a step; the body is made from their
/// values, in order.
pub fn clause(
    program: &Program,
    text: &str,
    reads: &[(ObjectId, When)],
    body: impl FnOnce(&[Expr]) -> Expr,
) -> Option<Clause> {
    let mut variables: PrimaryMap<_, Variable> = PrimaryMap::new();
    let mut values = Vec::new();
    for (index, &(object, when)) in reads.iter().enumerate() {
        let ty = scalar(program, object)?;
        let name = format!("{}#{index}", program.objects[object].name);
        let binding = Binding::Read { place: Place::object(object, 0, ty), when };
        values.push(Expr::Local(variables.push(Variable { name, ty, binding })));
    }
    let formula = Formula { variables, body: body(&values) };
    Some(Clause { formula, text: text.to_owned(), span: Span::NONE })
}

/// A variable that is a scalar, as what a step may change.
pub fn target(program: &Program, object: ObjectId) -> Option<Target> {
    let ty = scalar(program, object)?;
    let address = Formula::closed(Expr::Const(Const::Object(object, 0)));
    let text = program.objects[object].name.clone();
    Some(Target { address, ty, ghost: None, text, span: Span::NONE })
}

pub fn state(name: impl Into<String>, initial: bool, asserts: Vec<Clause>) -> AbstractState {
    AbstractState { name: name.into(), initial, idles: true, asserts, span: Span::NONE }
}

pub fn step(from: u32, to: u32, relation: Vec<Clause>, modifies: Vec<Target>) -> Transition {
    Transition { from, to, relation, modifies, span: Span::NONE }
}

pub fn thread(
    name: impl Into<String>,
    procedure: ProcId,
    states: Vec<AbstractState>,
    transitions: Vec<Transition>,
) -> AbstractThread {
    AbstractThread { name: name.into(), procedure, states, transitions, span: Span::NONE }
}
