//! Assumptions that need not be written: a lock that a thread holds is released by nobody else.
//!
//! They are conjuncts of E like any other. So every thread has to keep them: it may release only what
//! it holds.

use cranelift_entity::PrimaryMap;
use selvedge_ir::spec::{Binding, Clause, Formula, Variable, When};
use selvedge_ir::{
    Action, BinaryOp, Expr, LayoutId, LocalId, ObjectId, Place, Program, Shape, Span, Type,
};
use selvedge_passes::pointsto::{Extent, Origin, PointsTo};

/// Where a lock is: in a global, or in every element of a layout.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lock {
    Global(ObjectId, i64),
    Member(LayoutId, i64),
}

/// The assumptions about all locks that the program locks.
pub(crate) fn locks(program: &Program, points_to: &PointsTo) -> Vec<Clause> {
    let mut found: Vec<Lock> = Vec::new();
    for (id, procedure) in &program.procedures {
        for (at, edge) in procedure.edges() {
            let Action::Lock { lock } = &edge.action else { continue };
            let extents = points_to.access(id, at).map(|cell| points_to.extents(cell));
            let locks = match lock.direct() {
                Some((object, offset)) => vec![Lock::Global(object, offset)],
                None => extents.iter().flatten().filter_map(|e| known(program, e)).collect(),
            };
            for lock in locks {
                if !found.contains(&lock) {
                    found.push(lock);
                }
            }
        }
    }
    found.into_iter().map(|lock| clause(program, lock)).collect()
}

fn known(program: &Program, extent: &Extent) -> Option<Lock> {
    match extent.origin {
        Origin::Object(object) if extent.stride == 0 => Some(Lock::Global(object, extent.start)),
        Origin::Object(object) => member(program, program.objects[object].layout, extent),
        Origin::Alloc(procedure, edge) => match &program.procedures[procedure].edge(edge).action {
            Action::Alloc { layout, .. } => member(program, *layout, extent),
            _ => None,
        },
    }
}

/// The lock in each element, where the elements are those of the layout.
fn member(program: &Program, layout: LayoutId, extent: &Extent) -> Option<Lock> {
    let element = match program.layouts[layout].shape {
        Shape::Array { element, .. } => element,
        _ => layout,
    };
    let size = i64::try_from(program.layouts[element].size).ok()?;
    let fits = extent.stride == 0 && extent.start < size || extent.stride == size;
    (fits && size > 0).then(|| Lock::Member(element, extent.start.rem_euclid(size)))
}

/// `holder(m) == tid ==> holder(m)' == holder(m)`.
fn clause(program: &Program, lock: Lock) -> Clause {
    let mut variables: PrimaryMap<LocalId, Variable> = PrimaryMap::new();
    let mut bind = |name: &str, ty, binding| {
        Expr::Local(variables.push(Variable { name: name.to_owned(), ty, binding }))
    };
    let (place, span, name) = match lock {
        Lock::Global(object, offset) => {
            let declared = &program.objects[object];
            (Place::object(object, offset, Type::Thread), declared.span, declared.name.clone())
        }
        Lock::Member(layout, offset) => {
            let pointer = bind("p", Type::Ptr, Binding::Forall(Some(layout)));
            let bytes = Expr::int(offset.into(), program.model.diff_type());
            let addr = match offset {
                0 => pointer,
                _ => Expr::binary(BinaryOp::PtrAdd, pointer, bytes),
            };
            let name = format!("every {}", program.layouts[layout].name);
            (Place::new(addr, Type::Thread), Span::NONE, name)
        }
    };
    let mut read =
        |name, when| bind(name, Type::Thread, Binding::Read { place: place.clone(), when });
    let (before, after) = (read("before", When::Before), read("after", When::After));
    let held = Expr::binary(BinaryOp::Eq, before.clone(), Expr::Tid);
    let kept = Expr::binary(BinaryOp::Eq, after, before);
    let body = Expr::binary(BinaryOp::Or, held.not(), kept);
    let text = format!("only its holder releases the lock of {name}");
    Clause { formula: Formula { variables, body }, text, span }
}
