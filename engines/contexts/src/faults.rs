//! Actions that can go wrong: accesses that lead astray, and operations without a result.

use selvedge_ir::{Action, BinaryOp, Callee, Const, Expr, Procedure, Program, Type};

/// Whether doing the action can go wrong.
pub fn may_fault(program: &Program, body: &Procedure, action: &Action) -> bool {
    let frees = matches!(action, Action::Free { .. });
    let leads_astray = action.place().is_some_and(|place| place.direct().is_none());
    let calls = matches!(
        action,
        Action::Call { callee: Callee::Indirect(_), .. }
            | Action::Spawn { entry: Callee::Indirect(_), .. }
    );
    frees || leads_astray || calls || may_divide(program, body, action)
}

/// Whether there are operands for which what it computes is undefined.
pub fn may_divide(program: &Program, body: &Procedure, action: &Action) -> bool {
    let mut may = false;
    action.for_each_expr(&mut |expr| {
        expr.walk(&mut |e| {
            if let Expr::Binary(op, left, right) = e {
                use BinaryOp::{Div, Ge, Gt, Le, Lt, PtrSub, Rem};
                may |= match op {
                    Div | Rem => !matches!(**right, Expr::Const(Const::Int(by, int))
                        if by != 0 && i128::from(by) <= int.max()),
                    PtrSub => true,
                    Lt | Le | Gt | Ge => left.ty(program, body) == Type::Ptr,
                    _ => false,
                };
            }
        });
    });
    may
}
