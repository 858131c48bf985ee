//! Calls to functions that are defined nowhere.
//!
//! Such a function may return anything. It is taken to change nothing, which holds only if it gets
//! no way to reach the program's memory: with a pointer that leads there, the call is
//! `Unsupported`.

use selvedge_c_syntax::ast::{self, Span};
use selvedge_ir::{Const, Expr};

use crate::expr::Value;
use crate::lowering::{GlobalId, Lowering};
use crate::types::FnType;

impl<'a> Lowering<'a> {
    pub(super) fn call_undefined(
        &mut self,
        id: GlobalId,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Value {
        let ty = self.global(id).ty;
        let Some(function) = self.types.as_function(ty) else { return self.error_value() };
        let values = self.arguments(&function, args, false, span);
        self.undefined_result(id, &function, &values, span)
    }

    /// What a call to a function that is defined nowhere does, and its result.
    pub fn undefined_result(
        &mut self,
        id: GlobalId,
        function: &FnType,
        values: &[Value],
        span: Span,
    ) -> Value {
        let name = self.global(id).name.clone();
        if let Some(what) = self.strange_global(id) {
            return self.unsupported_value(format!("{what} of `{name}`"), function.ret, span);
        }
        if self.frame.constant {
            self.frame.not_constant.get_or_insert(span);
            return self.placeholder(function.ret);
        }
        let reaches = values.iter().any(|value| self.may_reach_memory(value));
        if self.noted.insert(name.clone()) {
            let text = match reaches {
                true => format!(
                    "`{name}` is not defined and gets a pointer, so what it does to memory is not known: not supported"
                ),
                false => format!("`{name}` is not defined: its result is taken to be any value"),
            };
            self.note(text, span);
        }
        if reaches {
            let what = format!("the call to `{name}`, which is not defined and gets a pointer");
            return self.unsupported_value(what, function.ret, span);
        }
        self.input_of(function.ret, span)
    }

    /// Whether a callee could use the value to get at memory that the program uses. Strings that
    /// are literals cannot be written to, and null points to nothing.
    fn may_reach_memory(&self, value: &Value) -> bool {
        if self.types.is_aggregate(value.ty) {
            return true;
        }
        if !self.types.is_pointer(value.ty) {
            return false;
        }
        match &value.expr {
            Expr::Const(Const::Null | Const::Proc(_)) => {
                matches!(value.expr, Expr::Const(Const::Proc(_)))
            }
            Expr::Const(Const::Object(object, _)) => {
                !self.strings.values().any(|string| string == object)
            }
            _ => true,
        }
    }
}
