//! Locks among the places that a specification speaks of, and what need not be written of them: that
//! nobody but its holder releases a lock.

use cranelift_entity::PrimaryMap;
use selvedge_ir::spec::{AbstractThread, Binding, Clause, Formula, Target, Variable, When};
use selvedge_ir::{Action, BinaryOp, Const, Expr, LayoutId, Place, Program, Shape, Span, Type};

/// Whether the place says who holds a lock.
pub fn is_lock(program: &Program, place: &Place) -> bool {
    let locked = |action: &Action| matches!(action, Action::Lock { lock } if lock == place);
    let mut edges = program.procedures.values().flat_map(|procedure| procedure.edges());
    place.ty == Type::Thread
        && (holder_beside(program, place).as_ref() == Some(place)
            || edges.any(|(_, edge)| locked(&edge.action)))
}

/// The holder of the mutex that a place is a member of.
pub fn holder_beside(program: &Program, place: &Place) -> Option<Place> {
    let (object, offset) = place.direct()?;
    let at = u64::try_from(offset).ok()?;
    let holder = holder(program, program.objects[object].layout, at)?;
    Some(Place::object(object, i64::try_from(holder).ok()?, Type::Thread))
}

/// Where in a layout the holder of the innermost mutex around an offset is.
fn holder(program: &Program, layout: LayoutId, at: u64) -> Option<u64> {
    match &program.layouts[layout].shape {
        Shape::Array { element, .. } => {
            let first = at - at.checked_rem(program.layouts[*element].size)?;
            Some(first + holder(program, *element, at - first)?)
        }
        Shape::Struct(fields) => {
            let field = fields.iter().rev().find(|field| field.offset <= at)?;
            let inner = holder(program, field.layout, at - field.offset);
            let is_holder = |layout: LayoutId| {
                matches!(program.layouts[layout].shape, Shape::Scalar(Type::Thread))
            };
            let mut own = fields.iter().filter(|f| f.name == "holder" && is_holder(f.layout));
            inner.map(|found| field.offset + found).or_else(|| own.next().map(|f| f.offset))
        }
        _ => None,
    }
}

/// `lock == value`, of the state before a step or after it.
pub fn is_held_by(lock: &Place, when: When, value: Expr, text: &str, span: Span) -> Clause {
    let mut variables = PrimaryMap::new();
    let binding = Binding::Read { place: lock.clone(), when };
    let name = text.to_owned();
    let read = variables.push(Variable { name, ty: Type::Thread, binding });
    let body = Expr::binary(BinaryOp::Eq, Expr::Local(read), value);
    Clause { formula: Formula { variables, body }, text: text.to_owned(), span }
}

/// `lock == tid ==> lock' == lock`.
pub fn only_its_holder_releases(lock: &Place, name: &str, span: Span) -> Clause {
    let mut variables = PrimaryMap::new();
    let mut read = |when| {
        let binding = Binding::Read { place: lock.clone(), when };
        let name = name.to_owned();
        Expr::Local(variables.push(Variable { name, ty: Type::Thread, binding }))
    };
    let (before, after) = (read(When::Before), read(When::After));
    let held = Expr::binary(BinaryOp::Eq, before.clone(), Expr::Tid);
    let kept = Expr::binary(BinaryOp::Eq, after, before);
    let body = Expr::binary(BinaryOp::Or, held.not(), kept);
    let text = format!("only its holder releases {name}");
    Clause { formula: Formula { variables, body }, text, span }
}

/// The member of a mutex that says who holds it.
pub const HOLDER: &str = ".holder";

/// Nobody.
pub const FREE: Expr = Expr::Const(Const::NoThread);

/// Whether a target counts: of a mutex that may be modified who holds it; what else is in it only if
/// somebody speaks of it.
pub fn counts(program: &Program, target: &Target) -> bool {
    let Some(place) = target.direct() else { return true };
    match holder_beside(program, &place) {
        Some(holder) if holder != place => is_mentioned(program, &place),
        _ => true,
    }
}

fn is_mentioned(program: &Program, place: &Place) -> bool {
    let spec = &program.spec;
    let contracts = spec.contracts.iter().flat_map(|contract| {
        let actions = contract.actions.iter().flat_map(|action| &action.ensures);
        contract.requires.iter().chain(&contract.ensures).chain(actions)
    });
    let threads = spec.abstract_threads.iter().flat_map(clauses);
    let mut all = spec.invariants.iter().chain(&spec.environment).chain(contracts).chain(threads);
    let reads = |clause: &Clause| {
        let reads = |binding: &Binding| matches!(binding, Binding::Read { place: read, .. } if read == place);
        clause.formula.variables.values().any(|variable| reads(&variable.binding))
    };
    all.any(reads)
}

fn clauses(thread: &AbstractThread) -> impl Iterator<Item = &Clause> {
    let asserts = thread.states.iter().flat_map(|state| &state.asserts);
    asserts.chain(thread.transitions.iter().flat_map(|step| &step.relation))
}
