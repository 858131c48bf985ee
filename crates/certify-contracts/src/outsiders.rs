//! Sets that a thread is in only by its own doing.
//!
//! A set that begins empty, and to which every update of the program adds at most the executing thread,
//! has only threads that have run. So a thread that is new is in none of these sets, of whatever object.
//! Nobody knows what callers from elsewhere have put into them; so this counts only in programs whose
//! procedures are all run by their own threads.

use cranelift_entity::PrimaryMap;
use selvedge_ir::spec::{Binding, Formula, Ghost, GhostAction, Variable, When};
use selvedge_ir::{Action, Const, Expr, GhostId, LocalId, Program, Type};

/// For each such set: the thread `tid` is not in it.
pub(crate) fn outsides(program: &Program) -> Vec<Formula> {
    let ghosts = program.spec.ghosts.iter().filter(|(id, ghost)| {
        let set = ghost.map && ghost.ty == Type::Bool && ghost.init == Const::Bool(false);
        set && values_of(program, *id).iter().all(|value| adds_only_itself(*id, value))
    });
    ghosts.map(|(id, ghost)| outside(id, ghost)).collect()
}

/// What the program puts into a variable of the specification.
fn values_of(program: &Program, set: GhostId) -> Vec<&Formula> {
    let edges = program.procedures.values().flat_map(|body| body.edges());
    let values = edges.filter_map(|(_, edge)| match &edge.action {
        Action::Ghost(ghost) => match &**ghost {
            GhostAction::Update { ghost, value, .. } if *ghost == set => Some(value),
            _ => None,
        },
        _ => None,
    });
    values.collect()
}

/// Every set in it is this one of some object, empty, or one of these with another value for the
/// executing thread, or without a thread.
fn adds_only_itself(set: GhostId, value: &Formula) -> bool {
    value.variables.values().all(|variable| match &variable.binding {
        Binding::Ghost { ghost, .. } => *ghost == set,
        Binding::Everywhere(value) => *value == Const::Bool(false),
        Binding::Update { thread, value, .. } => *thread == Expr::Tid || *value == Expr::FALSE,
        Binding::Value(_) | Binding::Read { .. } => true,
        _ => false,
    })
}

fn outside(set: GhostId, ghost: &Ghost) -> Formula {
    let mut variables: PrimaryMap<LocalId, Variable> = PrimaryMap::new();
    let mut bind = |name: &str, ty: Type, binding: Binding| {
        variables.push(Variable { name: name.to_owned(), ty, binding })
    };
    let of = match ghost.of {
        Some(_) => Expr::Local(bind("object", Type::Ptr, Binding::Forall(None))),
        None => Expr::Const(Const::Null),
    };
    let read = Binding::Ghost { ghost: set, of, when: When::Before };
    let map = bind("set", Type::Bool, read);
    let inside = bind("inside", Type::Bool, Binding::Entry { map, thread: Expr::Tid });
    Formula { variables, body: Expr::Local(inside).not() }
}
