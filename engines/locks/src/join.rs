//! Joins of what is known, and widening to bounds that the program names.

use std::collections::BTreeSet;

use selvedge_certify_locks::{Pointer, Range, Subject, Value};
use selvedge_ir::{Const, Expr, Type};

/// Bounds that a set of integers may be widened to before the ends of its type.
pub struct Thresholds {
    all: BTreeSet<i128>,
}

impl Thresholds {
    /// The constants of the program, and their neighbours.
    pub fn of(subject: &Subject) -> Thresholds {
        let mut all = BTreeSet::new();
        for &id in &subject.entries {
            for (_, edge) in subject.program.procedures[id].edges() {
                edge.action.for_each_expr(&mut |expr| {
                    expr.walk(&mut |part| {
                        if let Expr::Const(Const::Int(bits, int)) = part {
                            let value = int.value(*bits);
                            all.extend([value - 1, value, value + 1]);
                        }
                    });
                });
            }
        }
        Thresholds { all }
    }

    fn below(&self, value: i128, end: i128) -> i128 {
        let found = self.all.range(..=value).next_back().copied();
        found.filter(|found| *found >= end).unwrap_or(end)
    }

    fn above(&self, value: i128, end: i128) -> i128 {
        let found = self.all.range(value..).next().copied();
        found.filter(|found| *found <= end).unwrap_or(end)
    }
}

/// Covers both, and does not grow endlessly if it is done again and again.
pub fn widened(old: &Value, new: &Value, ty: Type, thresholds: &Thresholds) -> Value {
    let joined = old.join(new);
    match (old, &joined) {
        (Value::Numbers(old), Value::Numbers(joined)) => {
            let whole = match ty {
                Type::Int(int) => Range::all(int),
                _ => Range::BOOL,
            };
            let lo = match joined.lo < old.lo {
                true => thresholds.below(joined.lo, whole.lo),
                false => joined.lo,
            };
            let hi = match joined.hi > old.hi {
                true => thresholds.above(joined.hi, whole.hi),
                false => joined.hi,
            };
            Value::Numbers(Range::new(
                lo,
                hi,
                if lo == joined.lo && hi == joined.hi { joined.step } else { 1 },
            ))
        }
        (Value::Pointer(old), Value::Pointer(joined)) if moves(old, joined) => Value::Any,
        _ => joined,
    }
}

/// Whether offsets have grown.
fn moves(old: &Pointer, new: &Pointer) -> bool {
    new.to.iter().any(|(base, range)| {
        let known = old.to.iter().find(|(known, _)| known == base);
        known.is_some_and(|(_, known)| !known.covers(*range))
    })
}
