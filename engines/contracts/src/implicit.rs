//! What need not be written: a lock that a thread holds is released by nobody else, and a variable
//! that nobody writes has its first value.
//!
//! They are conjuncts of E and I like any other. So every thread has to keep them: it may release only
//! what it holds.

use cranelift_entity::PrimaryMap;
use selvedge_ir::spec::{Binding, Clause, Formula, Variable, When};
use selvedge_ir::{
    Action, BinaryOp, Const, Expr, LayoutId, LocalId, ObjectId, Place, ProcId, Program, Shape,
    Sharing, Span, Type,
};
use selvedge_passes::bits::BitSet;
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

/// The invariants about all variables that are read and that no action of the program may write.
pub(crate) fn constants(
    program: &Program,
    points_to: &PointsTo,
    reached: &BitSet<ProcId>,
) -> Vec<Clause> {
    let mut read: Vec<(ObjectId, i64, Type)> = Vec::new();
    let mut written: Vec<Extent> = Vec::new();
    // Callers outside of the program may write what nobody here writes.
    if program.spec.contracts.iter().any(|contract| !reached.contains(contract.procedure)) {
        return Vec::new();
    }
    for (id, procedure) in program.procedures.iter().filter(|(id, _)| reached.contains(*id)) {
        for (at, edge) in procedure.edges() {
            let Some(place) = edge.action.place() else { continue };
            let cell = points_to.access(id, at);
            match &edge.action {
                Action::Load { .. } => {
                    let found = cell.and_then(|cell| points_to.only_object(cell));
                    let Some((object, Some(offset))) = found else { continue };
                    read.push((object, offset, place.ty));
                }
                _ => match cell.map(|cell| points_to.extents(cell)).filter(|e| !e.is_empty()) {
                    Some(extents) => written.extend(extents),
                    // It may write anything.
                    None => return Vec::new(),
                },
            }
        }
    }
    read.sort_unstable();
    read.dedup();
    read.retain(|&(object, offset, ty)| {
        let size = i64::try_from(ty.size(program.model)).unwrap_or(i64::MAX);
        let touches = |extent: &Extent| {
            let overlaps = extent.start < offset.saturating_add(size)
                && offset < extent.start.saturating_add(extent.length);
            extent.origin == Origin::Object(object) && (extent.stride != 0 || overlaps)
        };
        !written.iter().any(touches)
    });
    read.iter().filter_map(|&(object, offset, ty)| constant(program, object, offset, ty)).collect()
}

/// `x == its first value`.
fn constant(program: &Program, object: ObjectId, offset: i64, ty: Type) -> Option<Clause> {
    let declared = &program.objects[object];
    let at = u64::try_from(offset).ok()?;
    let (found, path) = program.scalar_at(declared.layout, at)?;
    if found != ty || declared.sharing != Sharing::Shared {
        return None;
    }
    let init = declared.init.iter().find(|(offset, _)| *offset == at);
    let value = init.map_or(Const::zero(ty), |(_, value)| *value);
    let mut variables: PrimaryMap<LocalId, Variable> = PrimaryMap::new();
    let binding = Binding::Read { place: Place::object(object, offset, ty), when: When::Before };
    let now = variables.push(Variable { name: "now".to_owned(), ty, binding });
    let body = Expr::binary(BinaryOp::Eq, Expr::Local(now), Expr::Const(value));
    let text = format!("nobody writes {}{path}", declared.name);
    (value.ty() == ty).then_some(Clause {
        formula: Formula { variables, body },
        text,
        span: declared.span,
    })
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
