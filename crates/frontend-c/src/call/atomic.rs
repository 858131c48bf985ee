//! The type-generic atomic builtins: `__atomic_*`, `__sync_*`, `__c11_atomic_*`.
//!
//! A read-modify-write is one atomic block: a load, what it computes, a store. Orders that are no
//! constants, and those of `__sync_*`, are sequentially consistent.

use selvedge_c_syntax::ast::{self, BinaryOp as Op, ExprKind, Span, UnaryOp};
use selvedge_ir::{Action, Assumption, BinaryOp, Expr, LocalId, Mode, Type};

use crate::atomics::{Modify, Operation, Order, operation};
use crate::body::{Loc, Mark};
use crate::expr::{Lvalue, Place, Value};
use crate::fold::Typed;
use crate::lowering::Lowering;
use crate::types::{IntKind, Ty};

/// What an operation is on, and how it is ordered.
struct Target {
    lvalue: Lvalue,
    order: Order,
    /// Of a compare and swap that fails.
    failure: Order,
}

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
                let order = args.first().map_or(Order::Sequential, |arg| self.order(arg));
                if let Some(fence) = order.of_fence() {
                    self.emit(Action::Fence(fence), span);
                }
                self.void_value()
            }
            (Operation::SignalFence, _) => {
                args.iter().for_each(|arg| self.effect(arg));
                self.void_value()
            }
            (Operation::IsLockFree, _) => {
                args.iter().for_each(|arg| self.effect(arg));
                self.yes()
            }
            (_, []) => return None,
            (_, [pointer, rest @ ..]) => {
                let lvalue = self.atomic_target(pointer, span);
                if self.types.is_error(lvalue.ty) {
                    return Some(self.error_value());
                }
                if operation == Operation::StoreFrom && is_initialisation(pointer, rest) {
                    self.initialise(lvalue, &rest[0], span)
                } else {
                    let (order, failure) = self.orders(name, operation, rest);
                    let target = Target { lvalue, order, failure };
                    self.atomic_on(operation, &target, rest, span)?
                }
            }
        };
        Some(value)
    }

    /// The orders among the arguments behind the pointer.
    fn orders(
        &mut self,
        name: &str,
        operation: Operation,
        rest: &'a [ast::Expr],
    ) -> (Order, Order) {
        let first = match operation {
            _ if name.starts_with("__sync_") => return (Order::Sequential, Order::Sequential),
            Operation::Load | Operation::TestAndSet | Operation::Clear => 0,
            Operation::ExchangeInto | Operation::CompareC11 { .. } => 2,
            Operation::Compare | Operation::CompareFrom => 3,
            _ => 1,
        };
        let mut order = |at: usize| rest.get(at).map_or(Order::Sequential, |arg| self.order(arg));
        (order(first), order(first + 1))
    }

    fn order(&mut self, arg: &'a ast::Expr) -> Order {
        match self.try_constant_int(arg) {
            Some(number) => Order::from_number(number),
            None => {
                self.effect(arg);
                self.assume_that(Assumption::SequentialConsistency, arg.span);
                Order::Sequential
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
        target: &Target,
        rest: &'a [ast::Expr],
        span: Span,
    ) -> Option<Value> {
        let ty = target.lvalue.ty.unqualified();
        Some(match (operation, rest) {
            (Operation::Load, _) => self.atomic_load(target, span),
            (Operation::LoadInto, [result, ..]) => {
                let result = self.pointer_target(result, span);
                let value = self.atomic_load(target, span);
                self.put(&result, value, span)
            }
            (Operation::Store, [value, ..]) => {
                let value = self.operand(value, ty);
                self.atomic_store(target, value, span)
            }
            (Operation::Init, [value, ..]) => {
                let value = self.operand(value, ty);
                let plain = Ty { atomic: false, ..target.lvalue.ty };
                self.put(&Lvalue { ty: plain, ..target.lvalue.clone() }, value, span)
            }
            (Operation::StoreFrom, [value, ..]) => {
                let value = self.pointer_target(value, span);
                let value = self.load(value, span);
                self.atomic_store(target, value, span)
            }
            (Operation::Exchange, [value, ..]) => {
                let value = self.operand(value, ty);
                self.exchange(target, value, span)
            }
            (Operation::ExchangeInto, [value, result, ..]) => {
                let value = self.pointer_target(value, span);
                let value = self.load(value, span);
                let result = self.pointer_target(result, span);
                let old = self.exchange(target, value, span);
                self.put(&result, old, span)
            }
            (Operation::Compare, [expected, desired, weak, ..]) => {
                let weak = self.fails_spuriously(weak);
                let expected = self.pointer_target(expected, span);
                let desired = self.operand(desired, ty);
                self.compare_exchange(target, expected, desired, weak, span)
            }
            (Operation::CompareFrom, [expected, desired, weak, ..]) => {
                let weak = self.fails_spuriously(weak);
                let expected = self.pointer_target(expected, span);
                let desired = self.pointer_target(desired, span);
                let desired = self.load(desired, span);
                self.compare_exchange(target, expected, desired, weak, span)
            }
            (Operation::CompareC11 { weak }, [expected, desired, ..]) => {
                let expected = self.pointer_target(expected, span);
                let desired = self.operand(desired, ty);
                self.compare_exchange(target, expected, desired, weak, span)
            }
            (Operation::SwapBool | Operation::SwapValue, [old, new, ..]) => {
                let old = self.operand(old, ty);
                let new = self.operand(new, ty);
                let (seen, swapped) = self.swap(target, old, new, false, span);
                match operation {
                    Operation::SwapBool => Value { ty: self.types.boolean(), expr: swapped },
                    _ => seen,
                }
            }
            (Operation::Modify { op, new, elements }, [operand, ..]) => {
                self.modify(target, op, operand, new, elements, span)
            }
            (Operation::TestAndSet, _) => {
                let one = self.types.int_type();
                let one = self.int_value(1, one);
                let one = self.convert(one, ty, span);
                let old = self.exchange(target, one, span);
                let boolean = self.types.boolean();
                self.convert(old, boolean, span)
            }
            (Operation::Clear, _) => {
                let zero = self.placeholder(ty);
                self.atomic_store(target, zero, span)
            }
            _ => return None,
        })
    }

    /// Whether a compare and swap may fail for no reason.
    fn fails_spuriously(&mut self, weak: &'a ast::Expr) -> bool {
        let constant = self.try_constant_int(weak);
        if constant.is_none() {
            self.effect(weak);
        }
        constant != Some(0)
    }

    /// `atomic_init`, as gcc's header writes it.
    fn initialise(&mut self, lvalue: Lvalue, value: &'a ast::Expr, span: Span) -> Value {
        let value = self.pointer_target(value, span);
        let value = self.load(value, span);
        let plain = Ty { atomic: false, ..lvalue.ty };
        self.put(&Lvalue { ty: plain, ..lvalue }, value, span)
    }

    fn atomic_load(&mut self, target: &Target, span: Span) -> Value {
        self.load_ordered(target, target.order.of_load(), span)
    }

    fn load_ordered(&mut self, target: &Target, mode: Mode, span: Span) -> Value {
        let ty = target.lvalue.ty.unqualified();
        match (&target.lvalue.place, self.types.scalar(ty)) {
            (Place::Memory(addr), Some(scalar)) => {
                Value { ty, expr: self.load_scalar(addr.clone(), scalar, mode, span) }
            }
            _ => self.load(target.lvalue.clone(), span),
        }
    }

    fn atomic_store(&mut self, target: &Target, value: Value, span: Span) -> Value {
        let ty = target.lvalue.ty;
        match (&target.lvalue.place, self.types.scalar(ty)) {
            (Place::Memory(addr), Some(scalar)) => {
                let value = self.convert(value, ty, span);
                let mode = target.order.of_store();
                self.store_scalar(addr.clone(), scalar, value.expr, mode, span);
                self.void_value()
            }
            _ => self.put(&target.lvalue, value, span),
        }
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

    fn exchange(&mut self, target: &Target, value: Value, span: Span) -> Value {
        self.mark(Mark::Begin, span);
        let old = self.atomic_load(target, span);
        let old = self.kept(target, old, span);
        self.atomic_store(target, value, span);
        self.mark(Mark::End, span);
        old
    }

    /// The value as it is now, also where the target is a local that is about to change.
    fn kept(&mut self, target: &Target, value: Value, span: Span) -> Value {
        match target.lvalue.place {
            Place::Local(_) => Value { expr: self.saved(&value, span), ..value },
            _ => value,
        }
    }

    fn compare_exchange(
        &mut self,
        target: &Target,
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
        target: &Target,
        old: Value,
        new: Value,
        weak: bool,
        span: Span,
    ) -> (Value, Expr) {
        let ty = target.lvalue.ty.unqualified();
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
        let swapped = self.body.temporary(Type::Bool);
        let early = (target.failure == Order::Relaxed)
            .then(|| self.fail_early(target, &old, swapped, span));
        self.mark(Mark::Begin, span);
        let seen = self.load_ordered(target, target.failure.of_load(), span);
        let seen = match early {
            Some((kept, _)) => {
                self.assign(kept, seen.expr, span);
                Value { ty, expr: Expr::Local(kept) }
            }
            None => self.kept(target, seen, span),
        };
        let mut same = self.body.binary(BinaryOp::Eq, seen.expr.clone(), old.expr);
        if let Some(spurious) = spurious {
            same = self.body.binary(BinaryOp::And, same, spurious.not());
        }
        self.assign(swapped, same, span);
        let (yes, join) = (self.body.location(), self.body.location());
        self.body.branch(Expr::Local(swapped), yes, join, place);
        self.body.current = yes;
        // What a success acquires, a failure may not.
        if target.order.of_load() != target.failure.of_load() {
            self.load_ordered(target, target.order.of_load(), span);
        }
        self.atomic_store(target, new, span);
        self.body.fall_into(join, place);
        self.mark(Mark::End, span);
        if let Some((_, done)) = early {
            self.body.fall_into(done, place);
        }
        (seen, Expr::Local(swapped))
    }

    /// A relaxed failure may be due to an older value, as with any relaxed load. Gives the local
    /// that holds what was seen, and where a failure goes on.
    fn fail_early(
        &mut self,
        target: &Target,
        old: &Value,
        swapped: LocalId,
        span: Span,
    ) -> (LocalId, Loc) {
        let place = self.place(span);
        let found = self.load_ordered(target, Mode::Relaxed, span);
        let scalar = self.scalar_or_int(found.ty);
        let seen = self.body.temporary(scalar);
        self.assign(seen, found.expr, span);
        self.assign(swapped, Expr::FALSE, span);
        let differs = self.body.binary(BinaryOp::Ne, Expr::Local(seen), old.expr.clone());
        let (failed, goes_on) = (self.body.location(), self.body.location());
        self.body.branch(differs, failed, goes_on, place);
        self.body.current = goes_on;
        (seen, failed)
    }

    fn modify(
        &mut self,
        target: &Target,
        op: Modify,
        operand: &'a ast::Expr,
        new: bool,
        elements: bool,
        span: Span,
    ) -> Value {
        let operand = self.rvalue(operand);
        self.mark(Mark::Begin, span);
        let old = self.atomic_load(target, span);
        let old = self.kept(target, old, span);
        let result = self.modified(op, old.clone(), operand, elements, span);
        let result = self.convert(result, target.lvalue.ty, span);
        self.atomic_store(target, result.clone(), span);
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

/// Whether the arguments are those of gcc's `atomic_init`, a macro for a relaxed store. There the
/// order is the number 0 itself; `memory_order_relaxed` is a name. Only text that was preprocessed
/// elsewhere has it: `selvedge-c-syntax` sees to it that the two differ.
fn is_initialisation(pointer: &ast::Expr, rest: &[ast::Expr]) -> bool {
    let named =
        matches!(&pointer.kind, ExprKind::Ident(name) if &*name.name == "__atomic_store_ptr");
    let zero =
        |order: &ast::Expr| matches!(&order.kind, ExprKind::Integer(number) if number.value == 0);
    named && rest.get(1).is_some_and(zero)
}
