//! Values of expressions.

use selvedge_ir::Expr;

use crate::types::Ty;

/// The value of an expression. Of an aggregate it is the address; of `void`, nothing.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub ty: Ty,
    pub expr: Expr,
}
