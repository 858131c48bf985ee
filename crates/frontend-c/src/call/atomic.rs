//! The type-generic atomic builtins: `__atomic_*`, `__sync_*`, `__c11_atomic_*`.
//!
//! A read-modify-write is one atomic block: a load, what it computes, a store. Memory orders are
//! evaluated and ignored; everything is sequentially consistent.

use selvedge_c_syntax::ast::{self, BinaryOp as Op, ExprKind, Span, UnaryOp};
use selvedge_ir::{BinaryOp, Expr, Type};

use crate::atomics::{Modify, Operation, operation};
use crate::body::Mark;
use crate::expr::{Lvalue, Place, Value};
use crate::fold::Typed;
use crate::lowering::Lowering;
use crate::types::{IntKind, Ty};

impl<'a> Lowering<'a> {
    pub(super) fn atomic(
        &mut self,
        name: &str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Option<Value> {
        let operation = operation(name)?;
        let value = match (operation, args) {
            (Operation::Fence, _) => {
                args.iter().for_each(|arg| self.effect(arg));
                self.void_value()
            }
            (Operation::IsLockFree, _) => {
                args.iter().for_each(|arg| self.effect(arg));
                self.yes()
            }
            (_, []) => return None,
            (_, [target, rest @ ..]) => {
                self.orders(operation, rest);
                let target = self.atomic_target(target, span);
                if self.types.is_error(target.ty) {
                    return Some(self.error_value());
                }
                self.note_order(operation, name, rest, span);
                self.atomic_on(operation, target, rest, span)?
            }
        };
        Some(value)
    }

    /// Memory orders, and whether a comparison may fail for no reason: mostly constants, but
    /// expressions whose effects count.
    fn orders(&mut self, operation: Operation, rest: &'a [ast::Expr]) {
        let used = match operation {
            Operation::Load | Operation::TestAndSet | Operation::Clear => 0,
            Operation::LoadInto
            | Operation::Store
            | Operation::StoreFrom
            | Operation::Exchange
            | Operation::Modify { .. } => 1,
            _ => 2,
        };
        for arg in rest.iter().skip(used) {
            if self.try_constant_int(arg).is_none() {
                self.effect(arg);
            }
        }
    }

    fn yes(&mut self) -> Value {
        let ty = self.types.boolean();
        Value { ty, expr: Expr::TRUE }
    }

    fn atomic_on(
        &mut self,
        operation: Operation,
        target: Lvalue,
        rest: &'a [ast::Expr],
        span: Span,
    ) -> Option<Value> {
        let ty = target.ty.unqualified();
        Some(match (operation, rest) {
            (Operation::Load, _) => self.load(target, span),
            (Operation::LoadInto, [result, ..]) => {
                let result = self.pointer_target(result, span);
                let value = self.load(target, span);
                self.put(&result, value, span)
            }
            (Operation::Store, [value, ..]) => {
                let value = self.operand(value, ty);
                self.put(&target, value, span)
            }
            (Operation::StoreFrom, [value, ..]) => {
                let value = self.pointer_target(value, span);
                let value = self.load(value, span);
                self.put(&target, value, span)
            }
            (Operation::Exchange, [value, ..]) => {
                let value = self.operand(value, ty);
                self.exchange(&target, value, span)
            }
            (Operation::ExchangeInto, [value, result, ..]) => {
                let value = self.pointer_target(value, span);
                let value = self.load(value, span);
                let result = self.pointer_target(result, span);
                let old = self.exchange(&target, value, span);
                self.put(&result, old, span)
            }
            (Operation::Compare, [expected, desired, weak, ..]) => {
                let weak = self.try_constant_int(weak) != Some(0);
                let expected = self.pointer_target(expected, span);
                let desired = self.operand(desired, ty);
                self.compare_exchange(&target, expected, desired, weak, span)
            }
            (Operation::CompareFrom, [expected, desired, weak, ..]) => {
                let weak = self.try_constant_int(weak) != Some(0);
                let expected = self.pointer_target(expected, span);
                let desired = self.pointer_target(desired, span);
                let desired = self.load(desired, span);
                self.compare_exchange(&target, expected, desired, weak, span)
            }
            (Operation::CompareC11 { weak }, [expected, desired, ..]) => {
                let expected = self.pointer_target(expected, span);
                let desired = self.operand(desired, ty);
                self.compare_exchange(&target, expected, desired, weak, span)
            }
            (Operation::SwapBool | Operation::SwapValue, [old, new, ..]) => {
                let old = self.operand(old, ty);
                let new = self.operand(new, ty);
                let (seen, swapped) = self.swap(&target, old, new, false, span);
                match operation {
                    Operation::SwapBool => Value { ty: self.types.boolean(), expr: swapped },
                    _ => seen,
                }
            }
            (Operation::Modify { op, new, elements }, [operand, ..]) => {
                self.modify(&target, op, operand, new, elements, span)
            }
            (Operation::TestAndSet, _) => {
                let one = self.types.int_type();
                let one = self.int_value(1, one);
                let one = self.convert(one, ty, span);
                let old = self.exchange(&target, one, span);
                let boolean = self.types.boolean();
                self.convert(old, boolean, span)
            }
            (Operation::Clear, _) => {
                let zero = self.placeholder(ty);
                self.put(&target, zero, span)
            }
            _ => return None,
        })
    }

    /// The object that the first argument points to, accessed atomically.
    fn atomic_target(&mut self, pointer: &'a ast::Expr, span: Span) -> Lvalue {
        let target = self.pointer_target(pointer, span);
        let mut lvalue = self.innermost(target);
        // `__atomic_test_and_set` takes any pointer; it means a byte.
        if self.types.is_void(lvalue.ty) {
            lvalue.ty = self.types.int(IntKind::UChar);
        }
        Lvalue { ty: Ty { atomic: true, ..lvalue.ty }, ..lvalue }
    }

    /// `*pointer`; of `&x` it is `x` itself, which then needs no address.
    fn pointer_target(&mut self, pointer: &'a ast::Expr, span: Span) -> Lvalue {
        match &pointer.kind {
            ExprKind::Unary { op: UnaryOp::AddressOf, operand } => self.lvalue(operand),
            ExprKind::Unary { op: UnaryOp::Extension, operand } => {
                self.pointer_target(operand, span)
            }
            _ => {
                let value = self.rvalue(pointer);
                self.pointed_to(value, span)
            }
        }
    }

    /// A struct of a single member (`atomic_flag`) is accessed as that.
    fn innermost(&mut self, lvalue: Lvalue) -> Lvalue {
        let Some((_, record)) = self.types.as_record(lvalue.ty) else { return lvalue };
        let [field] = record.fields.as_slice() else { return lvalue };
        let (field, record_ty) = (field.clone(), lvalue.ty);
        match lvalue.place {
            Place::Memory(base) => {
                let inner = self.lvalue_of_field(base, record_ty, &field);
                self.innermost(inner)
            }
            _ => lvalue,
        }
    }

    fn operand(&mut self, expr: &'a ast::Expr, ty: Ty) -> Value {
        let value = self.rvalue(expr);
        self.convert(value, ty, expr.span)
    }

    fn put(&mut self, to: &Lvalue, value: Value, span: Span) -> Value {
        let value = self.convert(value, to.ty, span);
        self.store(to, value.expr, span);
        self.void_value()
    }

    fn exchange(&mut self, target: &Lvalue, value: Value, span: Span) -> Value {
        self.mark(Mark::Begin, span);
        let old = self.load(target.clone(), span);
        let old = self.kept(target, old, span);
        let value = self.convert(value, target.ty, span);
        self.store(target, value.expr, span);
        self.mark(Mark::End, span);
        old
    }

    /// The value as it is now, also where the target is a local that is about to change.
    fn kept(&mut self, target: &Lvalue, value: Value, span: Span) -> Value {
        match target.place {
            Place::Local(_) => Value { expr: self.saved(&value, span), ..value },
            _ => value,
        }
    }

    fn compare_exchange(
        &mut self,
        target: &Lvalue,
        expected: Lvalue,
        desired: Value,
        weak: bool,
        span: Span,
    ) -> Value {
        let old = self.load(expected.clone(), span);
        let (seen, swapped) = self.swap(target, old, desired, weak, span);
        let ty = self.types.boolean();
        if self.frame.constant {
            return self.placeholder(ty);
        }
        let place = self.place(span);
        let (failed, join) = (self.body.location(), self.body.location());
        self.body.branch(swapped.clone(), join, failed, place);
        self.body.current = failed;
        self.put(&expected, seen, span);
        self.body.fall_into(join, place);
        Value { ty, expr: swapped }
    }

    /// Compare and swap: what was there, and whether it was swapped.
    fn swap(
        &mut self,
        target: &Lvalue,
        old: Value,
        new: Value,
        weak: bool,
        span: Span,
    ) -> (Value, Expr) {
        let ty = target.ty.unqualified();
        if self.types.is_aggregate(ty) {
            let value = self.unsupported_value("compare and swap of an aggregate", ty, span);
            return (value, Expr::FALSE);
        }
        if self.frame.constant {
            self.frame.not_constant.get_or_insert(span);
            return (self.placeholder(ty), Expr::FALSE);
        }
        let old = self.convert(old, ty, span);
        let new = self.convert(new, ty, span);
        let place = self.place(span);
        let spurious = weak.then(|| self.body.input(Type::Bool, place));
        self.mark(Mark::Begin, span);
        let seen = self.load(target.clone(), span);
        let seen = self.kept(target, seen, span);
        let mut same = self.body.binary(BinaryOp::Eq, seen.expr.clone(), old.expr);
        if let Some(spurious) = spurious {
            same = self.body.binary(BinaryOp::And, same, spurious.not());
        }
        let swapped = self.body.temporary(Type::Bool);
        self.assign(swapped, same, span);
        let (yes, join) = (self.body.location(), self.body.location());
        self.body.branch(Expr::Local(swapped), yes, join, place);
        self.body.current = yes;
        self.store(target, new.expr, span);
        self.body.fall_into(join, place);
        self.mark(Mark::End, span);
        (seen, Expr::Local(swapped))
    }

    fn modify(
        &mut self,
        target: &Lvalue,
        op: Modify,
        operand: &'a ast::Expr,
        new: bool,
        elements: bool,
        span: Span,
    ) -> Value {
        let operand = self.rvalue(operand);
        self.mark(Mark::Begin, span);
        let old = self.load(target.clone(), span);
        let old = self.kept(target, old, span);
        let result = self.modified(op, old.clone(), operand, elements, span);
        let result = self.convert(result, target.ty, span);
        self.store(target, result.expr.clone(), span);
        self.mark(Mark::End, span);
        if new { result } else { old }
    }

    /// Atomic arithmetic wraps around silently (C11 7.17.7.5), so it is done unsigned.
    fn modified(
        &mut self,
        op: Modify,
        old: Value,
        operand: Value,
        elements: bool,
        span: Span,
    ) -> Value {
        if self.types.is_pointer(old.ty) {
            return self.modified_pointer(op, old, operand, elements, span);
        }
        let ty = old.ty;
        let Some(kind) = self.types.int_kind(ty).or(Some(IntKind::UChar)) else {
            return old;
        };
        let unsigned = self.types.int(kind.to_unsigned());
        let old = self.convert(old, unsigned, span);
        let operand = self.convert(operand, unsigned, span);
        let op = match op {
            Modify::Add => Op::Add,
            Modify::Sub => Op::Sub,
            Modify::And => Op::BitAnd,
            Modify::Or => Op::BitOr,
            Modify::Xor => Op::BitXor,
            Modify::Nand => {
                let both = self.operate(Op::BitAnd, old, operand, span);
                let expr = self.body.unary(selvedge_ir::UnaryOp::BitNot, both.expr);
                return self.convert(Value { ty: both.ty, expr }, ty, span);
            }
        };
        let result = self.operate(op, old, operand, span);
        self.convert(result, ty, span)
    }

    /// GNU's builtins count in bytes, C11's in elements.
    fn modified_pointer(
        &mut self,
        op: Modify,
        old: Value,
        operand: Value,
        elements: bool,
        span: Span,
    ) -> Value {
        let ty = old.ty;
        let minus = match op {
            Modify::Add => false,
            Modify::Sub => true,
            _ => return self.unsupported_value("bit operations on a pointer", ty, span),
        };
        let char_type = self.types.int(IntKind::Char);
        let bytes = self.types.pointer(char_type);
        let base = if elements { old } else { Value { ty: bytes, ..old } };
        let moved = self.pointer_plus(base, operand, minus, span);
        Value { ty, ..moved }
    }
}
