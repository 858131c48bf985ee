//! Plato expressions as terms over bit-vectors.
//!
//! The concrete semantics in `selvedge_exec` is the measure. Where that leaves something open (the
//! number behind a pointer), these terms have one of the possible meanings; a path that depends on
//! it does not replay.

use selvedge_ir::{BinaryOp, Const, Expr, Int, LocalId, Procedure, Program, Type, UnaryOp};
use selvedge_smt::{Sort, Term, Terms};

use super::address::Addresses;

/// Where expressions are translated.
pub(super) struct Translation<'a> {
    pub terms: &'a mut Terms,
    pub addresses: &'a mut Addresses,
    pub program: &'a Program,
    pub procedure: &'a Procedure,
    /// The conditions under which evaluation goes wrong.
    pub faults: Vec<Term>,
}

pub(super) fn sort_of(ty: Type, width: u32) -> Sort {
    match ty {
        Type::Bool => Sort::Bool,
        Type::Int(int) => Sort::BitVec(u32::from(int.width)),
        Type::Ptr | Type::Thread => Sort::BitVec(width),
    }
}

/// Zero, false, null.
pub(super) fn zero(terms: &mut Terms, sort: Sort) -> Term {
    match sort {
        Sort::Bool => terms.bool(false),
        Sort::BitVec(width) => terms.bv(0, width),
        Sort::Int | Sort::Array(_) => unreachable!("scalars are bools and words"),
    }
}

impl Translation<'_> {
    /// The value of an expression; `value` gives that of a local. Operands are evaluated strictly
    /// but for those of a conditional, as in the concrete semantics.
    pub fn expr(&mut self, expr: &Expr, value: &dyn Fn(LocalId) -> Term) -> Term {
        let always = self.terms.bool(true);
        self.below(expr, value, always)
    }

    fn below(&mut self, expr: &Expr, value: &dyn Fn(LocalId) -> Term, when: Term) -> Term {
        match expr {
            Expr::Const(constant) => self.constant(*constant),
            Expr::Local(local) => value(*local),
            Expr::Tid => self.terms.bv(1, self.addresses.width),
            Expr::Unary(op, operand) => {
                let int = operand.ty(self.program, self.procedure).as_int().unwrap_or(Int::U8);
                let operand = self.below(operand, value, when);
                match op {
                    UnaryOp::Not => self.terms.not(operand),
                    UnaryOp::Neg => self.terms.bv_neg(operand),
                    UnaryOp::BitNot => self.terms.bv_not(operand),
                    UnaryOp::Float(format, function) => {
                        self.float_unary(*format, *function, int, operand)
                    }
                }
            }
            Expr::Binary(op, left, right) => {
                let ty = left.ty(self.program, self.procedure);
                let left = self.below(left, value, when);
                let right = self.below(right, value, when);
                self.binary(*op, ty, left, right, when)
            }
            Expr::Cast(to, operand) => {
                let from = operand.ty(self.program, self.procedure);
                let operand = self.below(operand, value, when);
                self.cast(from, *to, operand)
            }
            Expr::Ite(condition, then, otherwise) => {
                let condition = self.below(condition, value, when);
                let not = self.terms.not(condition);
                let here = self.terms.and(&[when, condition]);
                let there = self.terms.and(&[when, not]);
                let then = self.below(then, value, here);
                let otherwise = self.below(otherwise, value, there);
                self.terms.ite(condition, then, otherwise)
            }
        }
    }

    pub fn constant(&mut self, constant: Const) -> Term {
        let width = self.addresses.width;
        match constant {
            Const::Bool(b) => self.terms.bool(b),
            Const::Int(bits, int) => self.terms.bv(u128::from(bits), u32::from(int.width)),
            Const::Null | Const::NoThread => self.terms.bv(0, width),
            Const::Object(object, offset) => {
                let address = self.addresses.of_object(object, offset);
                self.terms.bv(u128::from(address), width)
            }
            Const::Proc(procedure) => {
                let address = self.addresses.of_procedure(procedure);
                self.terms.bv(u128::from(address), width)
            }
        }
    }

    fn fault(&mut self, when: Term, what: Term) {
        let fault = self.terms.and(&[when, what]);
        if fault != self.terms.bool(false) {
            self.faults.push(fault);
        }
    }

    fn binary(&mut self, op: BinaryOp, ty: Type, a: Term, b: Term, when: Term) -> Term {
        use BinaryOp::*;
        match (op, ty) {
            (Eq, _) => self.terms.eq(a, b),
            (Ne, _) => self.terms.ne(a, b),
            (And, Type::Bool) => self.terms.and(&[a, b]),
            (Or, Type::Bool) => self.terms.or(&[a, b]),
            (Xor, Type::Bool) => self.terms.xor(a, b),
            (Lt | Le | Gt | Ge, Type::Ptr) => {
                self.one_object(a, b, when);
                self.compare(op, false, a, b)
            }
            (PtrSub, _) => {
                self.one_object(a, b, when);
                self.terms.bv_sub(a, b)
            }
            (PtrAdd, _) => self.terms.bv_add(a, b),
            (_, Type::Int(int)) => self.arithmetic(op, int, a, b, when),
            (_, other) => unreachable!("{op:?} of {other} is not well-typed"),
        }
    }

    /// Comparing and subtracting pointers goes wrong where they are into different objects.
    fn one_object(&mut self, a: Term, b: Term, when: Term) {
        let (a, b) = (self.addresses.number(self.terms, a), self.addresses.number(self.terms, b));
        let differ = self.terms.ne(a, b);
        self.fault(when, differ);
    }

    fn arithmetic(&mut self, op: BinaryOp, int: Int, a: Term, b: Term, when: Term) -> Term {
        use BinaryOp::*;
        let t = &mut *self.terms;
        match op {
            Add => t.bv_add(a, b),
            Sub => t.bv_sub(a, b),
            Mul => t.bv_mul(a, b),
            Div | Rem => {
                let zero = t.bv(0, u32::from(int.width));
                let by_zero = t.eq(b, zero);
                self.fault(when, by_zero);
                let t = &mut *self.terms;
                match (op, int.signed) {
                    (Div, true) => t.bv_sdiv(a, b),
                    (Div, false) => t.bv_udiv(a, b),
                    (_, true) => t.bv_srem(a, b),
                    (_, false) => t.bv_urem(a, b),
                }
            }
            And => t.bv_and(a, b),
            Or => t.bv_or(a, b),
            Xor => t.bv_xor(a, b),
            Shl => t.bv_shl(a, b),
            Shr if int.signed => t.bv_ashr(a, b),
            Shr => t.bv_lshr(a, b),
            Lt | Le | Gt | Ge => self.compare(op, int.signed, a, b),
            AddOverflows | SubOverflows | MulOverflows => self.overflows(op, int, a, b),
            Float(format, op) => self.float_binary(format, op, a, b),
            Eq | Ne | PtrAdd | PtrSub => unreachable!("treated before"),
        }
    }

    fn compare(&mut self, op: BinaryOp, signed: bool, a: Term, b: Term) -> Term {
        let t = &mut *self.terms;
        match (op, signed) {
            (BinaryOp::Lt, true) => t.bv_slt(a, b),
            (BinaryOp::Le, true) => t.bv_sle(a, b),
            (BinaryOp::Gt, true) => t.bv_slt(b, a),
            (_, true) => t.bv_sle(b, a),
            (BinaryOp::Lt, false) => t.bv_ult(a, b),
            (BinaryOp::Le, false) => t.bv_ule(a, b),
            (BinaryOp::Gt, false) => t.bv_ult(b, a),
            (_, false) => t.bv_ule(b, a),
        }
    }

    /// The exact result does not come back when it is cut to the type.
    fn overflows(&mut self, op: BinaryOp, int: Int, a: Term, b: Term) -> Term {
        let t = &mut *self.terms;
        let width = u32::from(int.width);
        let more = if op == BinaryOp::MulOverflows { width } else { 1 };
        let extend = |t: &mut Terms, by, x| {
            if int.signed { t.sign_extend(by, x) } else { t.zero_extend(by, x) }
        };
        let (x, y) = (extend(t, more, a), extend(t, more, b));
        let exact = match op {
            BinaryOp::AddOverflows => t.bv_add(x, y),
            BinaryOp::SubOverflows => t.bv_sub(x, y),
            _ => t.bv_mul(x, y),
        };
        let cut = t.extract(width - 1, 0, exact);
        let back = extend(t, more, cut);
        t.ne(exact, back)
    }

    fn bool_to_word(&mut self, a: Term) -> Term {
        let (one, zero) = (self.terms.bv(1, 1), self.terms.bv(0, 1));
        self.terms.ite(a, one, zero)
    }

    fn not_zero(&mut self, word: Term) -> Term {
        let zero = self.terms.bv(0, self.terms.width(word));
        self.terms.ne(word, zero)
    }

    pub fn cast(&mut self, from: Type, to: Type, value: Term) -> Term {
        if from == to {
            return value;
        }
        let to_width = match to {
            Type::Bool => {
                return match from {
                    Type::Bool => value,
                    _ => self.not_zero(value),
                };
            }
            Type::Int(int) => u32::from(int.width),
            Type::Ptr | Type::Thread => self.addresses.width,
        };
        let (word, signed) = match from {
            Type::Bool => (self.bool_to_word(value), false),
            Type::Int(int) => (value, int.signed),
            Type::Ptr | Type::Thread => (value, false),
        };
        self.resize(word, to_width, signed)
    }

    pub fn resize(&mut self, word: Term, width: u32, signed: bool) -> Term {
        let from = self.terms.width(word);
        if width <= from {
            self.terms.extract(width - 1, 0, word)
        } else if signed {
            self.terms.sign_extend(width - from, word)
        } else {
            self.terms.zero_extend(width - from, word)
        }
    }
}
