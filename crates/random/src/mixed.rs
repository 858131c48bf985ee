//! Memory of several types: two variables of a random program put into one object.
//!
//! The second lies where the first lies, in part of it, or behind it, so that what is written at
//! one type is read at another, locks are overwritten, and wide accesses cut narrow ones.

use selvedge_ir::{Const, Expr, Field, Layout, ObjectId, Program, Shape, Sharing, Type};

use super::Rng;

/// Bytes of the common object.
const SIZE: u64 = 16;

/// Puts two of the shared scalars into one object, if there are two.
pub(super) fn mix(program: &mut Program, rng: &mut Rng) {
    let scalars: Vec<(ObjectId, Type)> = program
        .objects
        .iter()
        .filter(|(_, object)| object.sharing == Sharing::Shared)
        .filter_map(|(id, object)| match program.layouts[object.layout].shape {
            Shape::Scalar(ty) => Some((id, ty)),
            _ => None,
        })
        .collect();
    if scalars.len() < 2 {
        return;
    }
    let first = rng.below(scalars.len() as u64) as usize;
    let second = (first + 1 + rng.below(scalars.len() as u64 - 1) as usize) % scalars.len();
    let (kept, _) = scalars[first];
    let (moved, ty) = scalars[second];
    let most = SIZE - ty.size(program.model);
    let offset = match rng.below(4) {
        0 | 1 => 0,
        2 => 4.min(most),
        _ => rng.below(most + 1),
    };
    let union = rng.one_in(2);
    let shape = match (union, offset) {
        (true, 0) => Shape::Union(
            [("a", kept), ("b", moved)]
                .map(|(name, object)| {
                    let layout = program.objects[object].layout;
                    Field { name: name.to_owned(), offset: 0, layout }
                })
                .to_vec(),
        ),
        _ => Shape::Bytes,
    };
    let layout = program.layouts.push(Layout { name: "mixed".to_owned(), size: SIZE, shape });
    let common = &mut program.objects[kept];
    common.layout = layout;
    if offset >= 8 {
        let init = std::mem::take(&mut program.objects[moved].init);
        let init = init.into_iter().map(|(at, value)| (at + offset, value));
        program.objects[kept].init.extend(init);
    }
    redirect(program, moved, kept, offset as i64);
}

/// Lets every use of a variable mean bytes of another.
fn redirect(program: &mut Program, from: ObjectId, to: ObjectId, by: i64) {
    let renamed = |constant: Const| match constant {
        Const::Object(object, offset) if object == from => Const::Object(to, offset + by),
        other => other,
    };
    for object in program.objects.values_mut() {
        object.init.iter_mut().for_each(|(_, value)| *value = renamed(*value));
    }
    for procedure in program.procedures.values_mut() {
        for location in procedure.locations.values_mut() {
            for edge in &mut location.edges {
                edge.action.for_each_expr_mut(&mut |expr| {
                    let old = std::mem::replace(expr, Expr::Tid);
                    *expr = old.map(&mut |e| match e {
                        Expr::Const(constant) => Expr::Const(renamed(constant)),
                        other => other,
                    });
                });
            }
        }
    }
}
