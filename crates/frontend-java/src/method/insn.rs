//! One instruction after another: constants, the stack, arithmetic, jumps. What touches memory,
//! calls or throws stands beside.

use selvedge_ir::{BinaryOp, Expr, Float, FloatFn, FloatOp, Int, Type, UnaryOp};
use selvedge_java_classes::{Arith, Compare, Element, Insn, Kind, Literal, Shift, StackOp};

use super::Method;
use crate::reach::ARITHMETIC;
use crate::value::{Value, against_zero, fit, i32, stacked, test, truth};
use crate::world::STRING;

impl Method<'_, '_, '_> {
    pub(super) fn insn(&mut self, insn: &Insn) {
        match insn {
            Insn::Nop => {}
            Insn::Null => self.push(Value::kind(Expr::NULL, Kind::Ref)),
            Insn::Constant(literal) => self.constant(literal),
            Insn::ClassConstant(class) => {
                let object = self.program.class_object(class);
                self.push(Value::object(Expr::object(object), "java/lang/Class"));
            }
            Insn::Load(kind, slot) => self.load(*kind, *slot),
            Insn::Store(kind, slot) => self.store(*kind, *slot),
            Insn::Increment(slot, by) => self.increment(*slot, *by),
            Insn::Stack(op) => self.stack_op(*op),
            Insn::Arith(kind, op) => self.arith(*kind, *op),
            Insn::Negate(kind) => self.negate(*kind),
            Insn::Shift(kind, shift) => self.shift(*kind, *shift),
            Insn::Convert(from, to) => self.convert(*from, *to),
            Insn::Narrow(element) => self.narrow(*element),
            Insn::CompareTo(kind, unordered) => self.compare_to(*kind, *unordered),
            Insn::Goto(to) => self.jump(*to),
            Insn::Switch { cases, default } => self.switch(cases, *default),
            Insn::Return(kind) => self.returns(*kind),
            Insn::If(..) | Insn::IfInts(..) | Insn::IfSame(..) | Insn::IfNull(..) => {
                self.conditional(insn);
            }
            Insn::Other(what) => self.unsupported(what),
            _ => self.with_objects(insn),
        }
    }

    fn with_objects(&mut self, insn: &Insn) {
        match insn {
            Insn::ArrayLoad(element) => self.array_load(*element),
            Insn::ArrayStore(element) => self.array_store(*element),
            Insn::ArrayLength => self.array_length(),
            Insn::NewArray(ty) => self.new_array(ty),
            Insn::NewArrays(ty, dimensions) => self.new_arrays(ty, *dimensions),
            Insn::GetField(field) => self.get_field(field),
            Insn::PutField(field) => self.put_field(field),
            Insn::GetStatic(field) => self.get_static(field),
            Insn::PutStatic(field) => self.put_static(field),
            Insn::Call(kind, call) => self.call(*kind, call),
            Insn::Dynamic(dynamic) => self.dynamic(dynamic),
            Insn::New(class) => self.new_object(class),
            Insn::Throw => self.throw_value(),
            Insn::CheckCast(ty) => self.check_cast(ty),
            Insn::InstanceOf(ty) => self.instance_of(ty),
            Insn::MonitorEnter => self.monitor_enter(),
            Insn::MonitorExit => self.monitor_exit(),
            _ => unreachable!("every other instruction has been lowered"),
        }
    }

    fn constant(&mut self, literal: &Literal) {
        let value = match literal {
            Literal::Int(value) => Value::int(i32(*value)),
            Literal::Long(value) => {
                Value::kind(Expr::int(i128::from(*value), Int::I64), Kind::Long)
            }
            Literal::Float(value) => {
                Value::kind(Expr::int(i128::from(value.to_bits()), Int::U32), Kind::Float)
            }
            Literal::Double(value) => {
                Value::kind(Expr::int(i128::from(value.to_bits()), Int::U64), Kind::Double)
            }
            Literal::String(text) => {
                let object = self.program.string(text);
                Value::object(Expr::object(object), STRING)
            }
        };
        self.push(value);
    }

    fn stack_op(&mut self, op: StackOp) {
        match op {
            StackOp::Pop => {
                self.pop();
            }
            StackOp::Pop2 => {
                if !self.pop().wide {
                    self.pop();
                }
            }
            StackOp::Dup => self.dup(1, 0),
            StackOp::DupX1 => self.dup(1, 1),
            StackOp::DupX2 => self.dup(1, 2),
            StackOp::Dup2 => self.dup(2, 0),
            StackOp::Dup2X1 => self.dup(2, 1),
            StackOp::Dup2X2 => self.dup(2, 2),
            StackOp::Swap => {
                let (b, a) = (self.pop(), self.pop());
                self.stack.extend([b, a]);
            }
        }
    }

    /// Puts copies of what takes the top `places` below what takes the next `under` places.
    fn dup(&mut self, places: usize, under: usize) {
        let mut copied = self.take(places);
        for value in &mut copied {
            *value = self.kept(value.clone());
        }
        let between = self.take(under);
        self.stack.extend(copied.iter().cloned().chain(between).chain(copied.clone()));
    }

    /// What takes so many places at the top, the lowest first.
    fn take(&mut self, places: usize) -> Vec<Value> {
        let mut taken = Vec::new();
        let mut left = places;
        while left > 0 && self.body.at.is_some() {
            let value = self.pop();
            left = left.saturating_sub(if value.wide { 2 } else { 1 });
            taken.insert(0, value);
        }
        taken
    }

    fn arith(&mut self, kind: Kind, op: Arith) {
        let (right, left) = (self.pop(), self.pop());
        if let Some(format) = float(kind) {
            let op = match op {
                Arith::Add => FloatOp::Add,
                Arith::Sub => FloatOp::Sub,
                Arith::Mul => FloatOp::Mul,
                Arith::Div => FloatOp::Div,
                _ => FloatOp::Rem,
            };
            let op = BinaryOp::Float(format, op);
            return self.push(Value::kind(Expr::binary(op, left.expr, right.expr), kind));
        }
        let op = match op {
            Arith::Add => BinaryOp::Add,
            Arith::Sub => BinaryOp::Sub,
            Arith::Mul => BinaryOp::Mul,
            Arith::Div => BinaryOp::Div,
            Arith::Rem => BinaryOp::Rem,
            Arith::And => BinaryOp::And,
            Arith::Or => BinaryOp::Or,
            Arith::Xor => BinaryOp::Xor,
        };
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) {
            return self.divide(kind, op, left, right);
        }
        self.push(Value::kind(Expr::binary(op, left.expr, right.expr), kind));
    }

    /// Division by zero throws; the least number divided by -1 is itself.
    fn divide(&mut self, kind: Kind, op: BinaryOp, left: Value, right: Value) {
        let (left, right) = (self.kept(left), self.kept(right));
        let Some(int) = stacked(kind).as_int() else { return };
        let zero = Expr::int(0, int);
        self.check(test(BinaryOp::Ne, right.expr.clone(), zero.clone()), ARITHMETIC);
        let minus_one = Expr::int(-1, int);
        let by_minus_one = match op {
            BinaryOp::Div => Expr::unary(UnaryOp::Neg, left.expr.clone()),
            _ => zero,
        };
        let divided = Expr::binary(op, left.expr, right.expr.clone());
        let value = match test(BinaryOp::Eq, right.expr, minus_one) {
            Expr::Const(selvedge_ir::Const::Bool(false)) => divided,
            is_minus_one => Expr::ite(is_minus_one, by_minus_one, divided),
        };
        let kept = self.kept(Value::kind(value, kind));
        self.push(kept);
    }

    fn negate(&mut self, kind: Kind) {
        let value = self.pop();
        let negated = match float(kind) {
            None => Expr::unary(UnaryOp::Neg, value.expr),
            // The sign alone changes, also of zero.
            Some(_) => {
                let int = stacked(kind).as_int().unwrap_or(Int::U64);
                let sign = Expr::int(1 << (int.width - 1), int);
                Expr::binary(BinaryOp::Xor, value.expr, sign)
            }
        };
        self.push(Value::kind(negated, kind));
    }

    /// Only the lower bits of a count matter.
    fn shift(&mut self, kind: Kind, shift: Shift) {
        let (count, value) = (self.pop(), self.pop());
        let Some(int) = stacked(kind).as_int() else { return };
        let mask = i32(i32::from(int.width) - 1);
        let count = match &count.expr {
            Expr::Const(_) => Expr::binary(BinaryOp::And, count.expr.clone(), mask),
            _ => Expr::binary(BinaryOp::And, count.expr, mask),
        };
        let count = fit(count, Type::Int(Int::I32), Type::Int(int));
        let shifted = match shift {
            Shift::Left => Expr::binary(BinaryOp::Shl, value.expr, count),
            Shift::Right => Expr::binary(BinaryOp::Shr, value.expr, count),
            Shift::Unsigned => {
                let unsigned = Type::Int(Int { signed: false, ..int });
                let value = Expr::cast(unsigned, value.expr);
                let count = Expr::cast(unsigned, count);
                Expr::cast(Type::Int(int), Expr::binary(BinaryOp::Shr, value, count))
            }
        };
        self.push(Value::kind(shifted, kind));
    }

    fn convert(&mut self, from: Kind, to: Kind) {
        let value = self.pop().expr;
        let int = |kind| stacked(kind).as_int().unwrap_or(Int::I32);
        let converted = match (float(from), float(to)) {
            (None, None) => fit(value, stacked(from), stacked(to)),
            (None, Some(format)) => Expr::unary(UnaryOp::Float(format, FloatFn::FromInt), value),
            (Some(format), Some(other)) => {
                Expr::unary(UnaryOp::Float(format, FloatFn::Convert(other)), value)
            }
            (Some(format), None) => to_int(format, value, int(from), int(to)),
        };
        self.push(Value::kind(converted, to));
    }

    fn narrow(&mut self, element: Element) {
        let value = self.pop();
        let (narrow, int) = (crate::value::element(element), Type::Int(Int::I32));
        self.push(Value::int(fit(fit(value.expr, value.ty, narrow), narrow, int)));
    }

    fn compare_to(&mut self, kind: Kind, unordered: Option<i32>) {
        let (right, left) = (self.pop(), self.pop());
        let (right, left) = (self.kept(right).expr, self.kept(left).expr);
        let compare = |op: BinaryOp, float_op: FloatOp| match float(kind) {
            Some(format) => {
                Expr::binary(BinaryOp::Float(format, float_op), left.clone(), right.clone())
            }
            None => test(op, left.clone(), right.clone()),
        };
        let equal = compare(BinaryOp::Eq, FloatOp::Eq);
        let less = compare(BinaryOp::Lt, FloatOp::Lt);
        let otherwise = match (unordered, float(kind)) {
            (Some(unordered), Some(format)) => {
                let op = BinaryOp::Float(format, FloatOp::Lt);
                let greater = Expr::binary(op, right.clone(), left.clone());
                Expr::ite(greater, i32(1), i32(unordered))
            }
            _ => i32(1),
        };
        let value = Expr::ite(less, i32(-1), Expr::ite(equal, i32(0), otherwise));
        self.push(Value::int(value));
    }

    fn conditional(&mut self, insn: &Insn) {
        let (condition, to) = match insn {
            Insn::If(compare, to) => {
                let value = self.pop();
                (zero_test(*compare, value.expr), *to)
            }
            Insn::IfInts(compare, to) => {
                let (right, left) = (self.pop(), self.pop());
                (test(operator(*compare), left.expr, right.expr), *to)
            }
            Insn::IfSame(same, to) => {
                let (right, left) = (self.pop(), self.pop());
                let op = if *same { BinaryOp::Eq } else { BinaryOp::Ne };
                (test(op, left.expr, right.expr), *to)
            }
            Insn::IfNull(null, to) => {
                let value = self.pop();
                let op = if *null { BinaryOp::Eq } else { BinaryOp::Ne };
                match value.there {
                    true => (truth_of(!null), *to),
                    false => (test(op, value.expr, Expr::NULL), *to),
                }
            }
            _ => return,
        };
        self.branch_to(condition, to);
    }

    /// Goes on at an instruction where a condition holds, and behind this one where not.
    fn branch_to(&mut self, condition: Expr, to: usize) {
        match condition {
            Expr::Const(selvedge_ir::Const::Bool(true)) => self.jump(to),
            Expr::Const(selvedge_ir::Const::Bool(false)) => {}
            condition => {
                let otherwise = self.body.branch(condition);
                let stack = self.stack.clone();
                self.jump(to);
                self.stack = stack;
                self.body.at = otherwise;
            }
        }
    }

    fn switch(&mut self, cases: &[(i32, usize)], default: usize) {
        let value = self.pop();
        let value = self.kept(value);
        for (case, to) in cases {
            self.branch_to(test(BinaryOp::Eq, value.expr.clone(), i32(*case)), *to);
        }
        self.jump(default);
    }

    pub(super) fn push_bool(&mut self, expr: Expr) {
        self.push(truth(expr));
    }
}

fn truth_of(holds: bool) -> Expr {
    Expr::Const(selvedge_ir::Const::Bool(holds))
}

fn float(kind: Kind) -> Option<Float> {
    match kind {
        Kind::Float => Some(Float::F32),
        Kind::Double => Some(Float::F64),
        _ => None,
    }
}

/// Towards zero; what is not a number is zero, and what is too large is the nearest int.
fn to_int(format: Float, value: Expr, bits: Int, int: Int) -> Expr {
    let bound = |exact: i128| match format {
        Float::F32 => Expr::int(i128::from((exact as f32).to_bits()), bits),
        Float::F64 => Expr::int(i128::from((exact as f64).to_bits()), bits),
    };
    let compare = |op, a: Expr, b: Expr| Expr::binary(BinaryOp::Float(format, op), a, b);
    let converted = Expr::unary(UnaryOp::Float(format, FloatFn::ToInt(int)), value.clone());
    // The least int is a power of two, so it is exact in both formats.
    let above = compare(FloatOp::Le, bound(-int.min()), value.clone());
    let below = compare(FloatOp::Le, value, bound(int.min()));
    let at_least = Expr::ite(below, Expr::int(int.min(), int), converted);
    Expr::ite(above, Expr::int(int.max(), int), at_least)
}

fn operator(compare: Compare) -> BinaryOp {
    match compare {
        Compare::Eq => BinaryOp::Eq,
        Compare::Ne => BinaryOp::Ne,
        Compare::Lt => BinaryOp::Lt,
        Compare::Le => BinaryOp::Le,
        Compare::Gt => BinaryOp::Gt,
        Compare::Ge => BinaryOp::Ge,
    }
}

/// A comparison with zero. What compared two longs or is a bool's number is looked through.
fn zero_test(compare: Compare, value: Expr) -> Expr {
    let op = operator(compare);
    if let Expr::Ite(less, minus_one, rest) = &value
        && **minus_one == i32(-1)
        && let Expr::Ite(equal, zero, otherwise) = &**rest
        && **zero == i32(0)
        && **otherwise == i32(1)
    {
        let (less, equal) = ((**less).clone(), (**equal).clone());
        let either = Expr::binary(BinaryOp::Or, less.clone(), equal.clone());
        return match op {
            BinaryOp::Eq => equal,
            BinaryOp::Ne => equal.not(),
            BinaryOp::Lt => less,
            BinaryOp::Ge => less.not(),
            BinaryOp::Le => either,
            _ => either.not(),
        };
    }
    against_zero(op, value)
}
