//! What every thread may assume of locks without saying so: nobody else releases what it holds.
//!
//! These are conjuncts of E like any other: every step of every thread has to satisfy them.

use cranelift_entity::PrimaryMap;
use selvedge_ir::spec::{Binding, Clause, Formula, Variable, When};
use selvedge_ir::{Action, BinaryOp, Expr, LayoutId, LocalId, Place, Program, Shape, Span, Type};
use selvedge_passes::pointsto::{Extent, Origin, PointsTo};

/// One for each lock that the program locks: a scalar of a global, or one in all elements of a layout.
pub(crate) fn assumptions(program: &Program, points_to: &PointsTo) -> Vec<Clause> {
    let mut found: Vec<Clause> = Vec::new();
    for (id, body) in &program.procedures {
        for (at, edge) in body.edges() {
            let Action::Lock { lock } = &edge.action else { continue };
            let extents = points_to.access(id, at).map(|cell| points_to.extents(cell));
            let clauses: Vec<Clause> = match lock.direct() {
                Some(_) => vec![at_global(lock.clone(), edge.span)],
                None => extents
                    .into_iter()
                    .flatten()
                    .filter_map(|extent| of_extent(program, &extent, edge.span))
                    .collect(),
            };
            for clause in clauses {
                if !found.iter().any(|known| known.formula == clause.formula) {
                    found.push(clause);
                }
            }
        }
    }
    found
}

fn of_extent(program: &Program, extent: &Extent, span: Span) -> Option<Clause> {
    let layout = match extent.origin {
        Origin::Object(object) if extent.stride == 0 => {
            return Some(at_global(Place::object(object, extent.start, Type::Thread), span));
        }
        Origin::Object(object) => program.objects[object].layout,
        Origin::Alloc(procedure, edge) => match program.procedures[procedure].edge(edge).action {
            Action::Alloc { layout, .. } => layout,
            _ => return None,
        },
    };
    let element = match program.layouts[layout].shape {
        Shape::Array { element, .. } => element,
        _ => layout,
    };
    let size = i64::try_from(program.layouts[element].size).ok().filter(|size| *size > 0)?;
    let fits = extent.stride == size || extent.stride == 0 && extent.start < size;
    fits.then(|| in_elements(program, element, extent.start.rem_euclid(size), span))
}

fn at_global(place: Place, span: Span) -> Clause {
    held(PrimaryMap::new(), Place::new(place.addr, Type::Thread), span)
}

fn in_elements(program: &Program, layout: LayoutId, offset: i64, span: Span) -> Clause {
    let mut variables: PrimaryMap<LocalId, Variable> = PrimaryMap::new();
    let binding = Binding::Forall(Some(layout));
    let element = variables.push(Variable { name: "e".to_owned(), ty: Type::Ptr, binding });
    let element = Expr::Local(element);
    let addr = match offset {
        0 => element,
        _ => {
            let bytes = Expr::int(offset.into(), program.model.diff_type());
            Expr::binary(BinaryOp::PtrAdd, element, bytes)
        }
    };
    held(variables, Place::new(addr, Type::Thread), span)
}

/// Who holds the lock goes on holding it.
fn held(mut variables: PrimaryMap<LocalId, Variable>, place: Place, span: Span) -> Clause {
    let mut read = |name: &str, when| {
        let binding = Binding::Read { place: place.clone(), when };
        Expr::Local(variables.push(Variable { name: name.to_owned(), ty: Type::Thread, binding }))
    };
    let (old, new) = (read("old", When::Before), read("new", When::After));
    let mine = Expr::binary(BinaryOp::Eq, old, Expr::Tid);
    let still = Expr::binary(BinaryOp::Eq, new, Expr::Tid);
    let body = Expr::binary(BinaryOp::Or, mine.not(), still);
    let text = "only its holder releases a lock".to_owned();
    Clause { formula: Formula { variables, body }, text, span }
}
