//! Arithmetic and comparison.

use selvedge_c_syntax::ast::{self, BinaryOp as Op, Span, UnaryOp};
use selvedge_ir::{Action, BinaryOp, Check, CheckKind, Const, Expr, Int, Property, Type};

use super::Value;
use super::literal::compared;
use crate::fold::Typed;
use crate::lowering::Lowering;
use crate::types::{Kind, Ty};

impl<'a> Lowering<'a> {
    pub(super) fn binary(
        &mut self,
        op: Op,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        span: Span,
    ) -> Value {
        if matches!(op, Op::And | Op::Or) {
            return self.in_sequence(|this| this.logical(op == Op::And, left, right, span));
        }
        let left = self.rvalue(left);
        let right = self.rvalue(right);
        let value = self.operate(op, left, right, span);
        self.flat(value, span)
    }

    /// Sums of thousands of terms become several actions, so that no expression is too deep to
    /// walk over.
    pub(super) fn flat(&mut self, value: Value, span: Span) -> Value {
        if self.frame.constant || !deeper_than(&value.expr, DEPTH) {
            return value;
        }
        Value { expr: self.saved(&value, span), ..value }
    }

    /// Applies an operator to values.
    pub fn operate(&mut self, op: Op, left: Value, right: Value, span: Span) -> Value {
        if self.types.is_error(left.ty) || self.types.is_error(right.ty) {
            return self.error_value();
        }
        let pointers = (self.types.is_pointer(left.ty), self.types.is_pointer(right.ty));
        if [left.ty, right.ty].iter().any(|t| matches!(self.types.kind(*t), Kind::ThreadMap(_))) {
            return self.compare_maps(op, left, right, span);
        }
        let threads = [left.ty, right.ty].map(|t| matches!(self.types.kind(t), Kind::Thread));
        match op {
            Op::Add if pointers == (true, false) => self.pointer_plus(left, right, false, span),
            Op::Add if pointers == (false, true) => self.pointer_plus(right, left, false, span),
            Op::Sub if pointers == (true, true) => self.pointer_minus(left, right, span),
            Op::Sub if pointers == (true, false) => self.pointer_plus(left, right, true, span),
            Op::Eq | Op::Ne if threads[0] || threads[1] => {
                self.compare_threads(op, left, right, span)
            }
            Op::Eq | Op::Ne | Op::Lt | Op::Gt | Op::Le | Op::Ge if pointers.0 || pointers.1 => {
                self.compare_pointers(op, left, right, span)
            }
            Op::Shl | Op::Shr => self.shift(op, left, right, span),
            _ => self.arithmetic(op, left, right, span),
        }
    }

    /// Both sides of an arithmetic operator must be arithmetic.
    fn check_arithmetic(&mut self, op: Op, left: Ty, right: Ty, span: Span) -> bool {
        let fine = self.types.is_arithmetic(left) && self.types.is_arithmetic(right);
        if !fine {
            let vector = |t: Ty| matches!(self.types.kind(t), Kind::Vector(..));
            let (l, r) = (self.types.describe(left), self.types.describe(right));
            if vector(left) || vector(right) {
                self.unsupported("arithmetic on vectors", span);
            } else if matches!(self.types.kind(left), Kind::Thread)
                || matches!(self.types.kind(right), Kind::Thread)
            {
                self.unsupported("arithmetic on thread identifiers", span);
            } else {
                let message = format!("`{}` cannot be applied to `{l}` and `{r}`", symbol(op));
                self.error("operands", span, message);
            }
        }
        fine
    }

    fn arithmetic(&mut self, op: Op, left: Value, right: Value, span: Span) -> Value {
        if !self.check_arithmetic(op, left.ty, right.ty, span) {
            return self.error_value();
        }
        let common = self.types.usual(left.ty, right.ty);
        let test = matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Gt | Op::Le | Op::Ge);
        if self.types.is_float(common)
            && let Some(value) = self.float_arithmetic(op, &left, &right, common, span)
        {
            return value;
        }
        let Some(Type::Int(int)) =
            self.types.scalar(common).filter(|_| !self.types.is_float(common))
        else {
            let what = match self.types.is_float(common) {
                true => "floating-point arithmetic".to_owned(),
                false => format!("arithmetic on `{}`", self.types.describe(common)),
            };
            let int = self.types.int_type();
            return self.unsupported_value(what, if test { int } else { common }, span);
        };
        let l = self.convert(left, common, span).expr;
        let r = self.convert(right, common, span).expr;
        if test {
            let condition = self.body.binary(plato(op), l, r);
            return self.truth_value(condition);
        }
        self.check_overflow(op, int, &l, &r, span);
        let expr = self.body.binary(plato(op), l, r);
        Value { ty: common, expr }
    }

    fn shift(&mut self, op: Op, left: Value, right: Value, span: Span) -> Value {
        if !self.check_arithmetic(op, left.ty, right.ty, span) {
            return self.error_value();
        }
        let ty = self.types.promoted(left.ty);
        let counts = self.types.promoted(right.ty);
        let (Some(Type::Int(int)), Some(Type::Int(count_int))) =
            (self.types.scalar(ty), self.types.scalar(counts))
        else {
            return self.unsupported_value("a shift of this type", ty, span);
        };
        let l = self.convert(left, ty, span).expr;
        let count = self.convert(right, counts, span).expr;
        self.check_count(int, count_int, &count, span);
        if self.checks_overflow() && op == Op::Shl && int.signed {
            // The result must be there too, and only numbers from zero on may be shifted.
            let count = self.body.cast(Type::Int(int), count.clone());
            let most = self.body.binary(BinaryOp::Shr, Expr::int(int.max(), int), count);
            let small = self.body.binary(BinaryOp::Le, l.clone(), most);
            let positive = self.body.binary(BinaryOp::Ge, l.clone(), Expr::int(0, int));
            let fine = self.body.binary(BinaryOp::And, positive, small);
            self.assert_no_overflow(fine, CheckKind::SignedOverflow, span);
        }
        let count = self.body.cast(Type::Int(int), count);
        Value { ty, expr: self.body.binary(plato(op), l, count) }
    }

    /// A shift moves by at least nothing and less than the operand's width.
    fn check_count(&mut self, int: Int, count_int: Int, count: &Expr, span: Span) {
        if self.frame.constant || self.in_model() {
            return;
        }
        let as_unsigned = Int { signed: false, ..count_int };
        let unsigned = self.body.cast(Type::Int(as_unsigned), count.clone());
        let limit = Expr::int(i128::from(int.width), as_unsigned);
        let fine = self.body.binary(BinaryOp::Lt, unsigned, limit);
        match self.checks_overflow() {
            true => self.assert_no_overflow(fine, CheckKind::ShiftCount, span),
            false => {
                let kind = CheckKind::ShiftCount(self.sources.snippet(span).to_owned());
                self.undefined_operation(fine, kind, span);
            }
        }
    }

    pub(super) fn arithmetic_unary(&mut self, op: UnaryOp, value: Value, span: Span) -> Value {
        if self.types.is_error(value.ty) {
            return value;
        }
        if !self.types.is_arithmetic(value.ty) {
            let message = format!(
                "this operator cannot be applied to a value of type `{}`",
                self.types.describe(value.ty)
            );
            self.error("operands", span, message);
            return self.error_value();
        }
        let ty = self.types.promoted(value.ty);
        if self.types.is_float(ty) {
            return self.float_unary(op, value, span);
        }
        let Some(Type::Int(int)) = self.types.scalar(ty) else {
            return self.unsupported_value("arithmetic on 128-bit integers", ty, span);
        };
        let operand = self.convert(value, ty, span).expr;
        let expr = match op {
            UnaryOp::Minus => {
                let zero = Expr::int(0, int);
                self.check_overflow(Op::Sub, int, &zero, &operand, span);
                self.body.unary(selvedge_ir::UnaryOp::Neg, operand)
            }
            UnaryOp::BitNot => self.body.unary(selvedge_ir::UnaryOp::BitNot, operand),
            _ => operand,
        };
        Value { ty, expr }
    }

    fn compare_threads(&mut self, op: Op, left: Value, right: Value, span: Span) -> Value {
        let thread = self.types.make(Kind::Thread);
        let l = self.convert(left, thread, span).expr;
        let r = self.convert(right, thread, span).expr;
        if !self.in_model() && !self.frame.constant {
            // As `pthread_equal`, once it is known that somebody asks.
            let fact = "thread comparison";
            self.learned = Some(fact);
            if self.uses(fact)
                && let Some(id) = self.library_function("__selvedge_equal")
            {
                let args = [&l, &r].map(|expr| Value { ty: thread, expr: expr.clone() });
                self.inline_values(id, thread, args.to_vec(), span);
            }
        }
        let condition = self.body.binary(plato(op), l, r);
        self.truth_value(condition)
    }

    fn compare_pointers(&mut self, op: Op, left: Value, right: Value, span: Span) -> Value {
        let ty = match self.types.is_pointer(left.ty) {
            true => left.ty,
            false => right.ty,
        };
        let l = self.convert(left, ty, span).expr;
        let r = self.convert(right, ty, span).expr;
        if matches!(op, Op::Eq | Op::Ne) && self.may_be_literals(ty, [&l, &r]) {
            self.emit(compared(&l, &r), span);
        }
        let condition = match (op, r) {
            // `p == NULL` is `!p`.
            (Op::Eq, Expr::Const(Const::Null)) => self.body.truth(l).not(),
            (Op::Ne, Expr::Const(Const::Null)) => self.body.truth(l),
            (_, r) => self.body.binary(plato(op), l, r),
        };
        self.truth_value(condition)
    }

    /// Whether two pointers of this type may point to string literals.
    fn may_be_literals(&mut self, ty: Ty, pointers: [&Expr; 2]) -> bool {
        let Some(to) = self.types.pointee(ty) else { return false };
        let null = pointers.iter().any(|pointer| matches!(pointer, Expr::Const(Const::Null)));
        let of_characters = self.types.is_void(to) || self.types.is_integer(to);
        let plain = !self.in_model() && !self.frame.constant;
        !null && of_characters && plain && self.uses("equal literals")
    }

    /// Pointer plus (or minus) a number of elements.
    pub fn pointer_plus(&mut self, pointer: Value, index: Value, minus: bool, span: Span) -> Value {
        let element = match self.types.pointee(pointer.ty) {
            Some(element) if self.types.is_integer(index.ty) => element,
            _ => {
                if !self.types.is_error(pointer.ty) && !self.types.is_error(index.ty) {
                    let message = format!(
                        "a value of type `{}` cannot be indexed with one of type `{}`",
                        self.types.describe(pointer.ty),
                        self.types.describe(index.ty)
                    );
                    self.error("operands", span, message);
                }
                return self.error_value();
            }
        };
        if !self.types.is_complete(element)
            && !self.types.is_void(element)
            && !self.types.is_function(element)
        {
            let message = format!("the size of `{}` is not known", self.types.describe(element));
            self.error("incomplete-type", span, message);
            return self.error_value();
        }
        let diff = self.types.diff_type();
        let int = self.types.model.diff_type();
        let index = self.convert(index, diff, span).expr;
        let stride = self.size_expr(element);
        let stride = self.body.cast(Type::Int(int), stride);
        let mut bytes = self.body.binary(BinaryOp::Mul, index, stride);
        if minus {
            bytes = self.body.unary(selvedge_ir::UnaryOp::Neg, bytes);
        }
        Value { ty: pointer.ty, expr: self.body.ptr_add(pointer.expr, bytes) }
    }

    fn pointer_minus(&mut self, left: Value, right: Value, _span: Span) -> Value {
        let element = self.types.pointee(left.ty).unwrap_or(left.ty);
        let int = self.types.model.diff_type();
        let bytes = self.body.ptr_sub(left.expr, right.expr);
        let stride = self.size_expr(element);
        let stride = self.body.cast(Type::Int(int), stride);
        let expr = self.body.binary(BinaryOp::Div, bytes, stride);
        Value { ty: self.types.diff_type(), expr }
    }

    fn checks_overflow(&self) -> bool {
        self.options.checks(Property::Overflow) && !self.frame.constant && !self.in_model()
    }

    fn check_overflow(&mut self, op: Op, int: Int, left: &Expr, right: &Expr, span: Span) {
        if !int.signed || self.frame.constant || self.in_model() {
            return;
        }
        if matches!(op, Op::Div | Op::Rem) {
            return self.check_quotient(int, left, right, span);
        }
        if !self.checks_overflow() {
            return;
        }
        let test = match op {
            Op::Add => BinaryOp::AddOverflows,
            Op::Sub => BinaryOp::SubOverflows,
            Op::Mul => BinaryOp::MulOverflows,
            _ => return,
        };
        let fine = self.body.binary(test, left.clone(), right.clone()).not();
        self.assert_no_overflow(fine, CheckKind::SignedOverflow, span);
    }

    /// The least number divided by -1 traps on common machines, so it is undefined behaviour also
    /// where other overflow is taken to wrap around.
    fn check_quotient(&mut self, int: Int, left: &Expr, right: &Expr, span: Span) {
        let narrow = |e: &Expr| matches!(e, Expr::Cast(_, inner) if self.body.type_of(inner).as_int().is_some_and(|i| i.width < int.width));
        if narrow(left) {
            return;
        }
        let least = Expr::int(int.min(), int);
        let low = self.body.binary(BinaryOp::Ne, left.clone(), least);
        let other = self.body.binary(BinaryOp::Ne, right.clone(), Expr::int(-1, int));
        if low == Expr::TRUE || other == Expr::TRUE {
            return;
        }
        let fine = self.body.binary(BinaryOp::Or, low, other);
        if self.checks_overflow() {
            return self.assert_no_overflow(fine, CheckKind::SignedOverflow, span);
        }
        let what = CheckKind::SignedOverflow(self.sources.snippet(span).to_owned());
        self.undefined_operation(fine, what, span);
    }

    /// An operation whose result C leaves undefined, whatever is asked for.
    fn undefined_operation(&mut self, fine: Expr, kind: CheckKind, span: Span) {
        let what = Check::new(Property::Overflow, kind).to_string();
        self.undefined_unless(fine, Property::Overflow, &what, span);
    }

    /// The kind is made from the text of the expression.
    fn assert_no_overflow(&mut self, cond: Expr, kind: fn(String) -> CheckKind, span: Span) {
        if cond == Expr::TRUE {
            return;
        }
        let check = Check::new(Property::Overflow, kind(self.sources.snippet(span).to_owned()));
        self.emit(Action::Assert { cond, check }, span);
    }
}

/// How deep an expression may be.
const DEPTH: u32 = 100;

fn deeper_than(expr: &Expr, limit: u32) -> bool {
    limit == 0
        || match expr {
            Expr::Const(_) | Expr::Local(_) | Expr::Tid => false,
            Expr::Unary(_, a) | Expr::Cast(_, a) => deeper_than(a, limit - 1),
            Expr::Binary(_, a, b) => deeper_than(a, limit - 1) || deeper_than(b, limit - 1),
            Expr::Ite(a, b, c) => [a, b, c].into_iter().any(|e| deeper_than(e, limit - 1)),
        }
}

fn plato(op: Op) -> BinaryOp {
    match op {
        Op::Mul => BinaryOp::Mul,
        Op::Div => BinaryOp::Div,
        Op::Rem => BinaryOp::Rem,
        Op::Add => BinaryOp::Add,
        Op::Sub => BinaryOp::Sub,
        Op::Shl => BinaryOp::Shl,
        Op::Shr => BinaryOp::Shr,
        Op::Lt => BinaryOp::Lt,
        Op::Gt => BinaryOp::Gt,
        Op::Le => BinaryOp::Le,
        Op::Ge => BinaryOp::Ge,
        Op::Eq => BinaryOp::Eq,
        Op::Ne => BinaryOp::Ne,
        Op::BitAnd | Op::And => BinaryOp::And,
        Op::BitXor => BinaryOp::Xor,
        Op::BitOr | Op::Or => BinaryOp::Or,
    }
}

fn symbol(op: Op) -> &'static str {
    match op {
        Op::Mul => "*",
        Op::Div => "/",
        Op::Rem => "%",
        Op::Add => "+",
        Op::Sub => "-",
        Op::Shl => "<<",
        Op::Shr => ">>",
        Op::Lt => "<",
        Op::Gt => ">",
        Op::Le => "<=",
        Op::Ge => ">=",
        Op::Eq => "==",
        Op::Ne => "!=",
        Op::BitAnd => "&",
        Op::BitXor => "^",
        Op::BitOr => "|",
        Op::And => "&&",
        Op::Or => "||",
    }
}
