//! Accesses that nothing puts in order must be to different scalars (C11 6.5, paragraph 2).
//!
//! Where a place is known only when it is evaluated, or only sometimes evaluated, the expression
//! remembers the addresses, and they are compared at its end. If they are all different in one order
//! of evaluation, every order has the same accesses.

use selvedge_c_syntax::ast;
use selvedge_ir::{Action, BinaryOp, Expr, LocalId, Property, Type};

use crate::expr::{Lvalue, Place};
use crate::lowering::Lowering;

/// Pairs of places in one expression beyond which it is given up.
const MOST: usize = 64;
/// Bytes of a scalar, at most.
const WIDEST: u64 = 16;

/// Two places to compare.
pub(super) struct Watch<'a> {
    left: Seen<'a>,
    right: Seen<'a>,
}

struct Seen<'a> {
    expr: &'a ast::Expr,
    address: LocalId,
    bytes: u64,
    /// Whether it is remembered for this expression, and not for one around it.
    own: bool,
}

impl<'a> Lowering<'a> {
    /// Prepares to compare places. False where that is not possible.
    pub(super) fn watch_all(
        &mut self,
        pairs: &[(&'a ast::Expr, &'a ast::Expr)],
        into: &mut Vec<Watch<'a>>,
    ) -> bool {
        if pairs.len() > MOST {
            return false;
        }
        let mut known: Vec<Watch<'a>> = Vec::new();
        for (left, right) in pairs {
            if !self.is_watchable(left) || !self.is_watchable(right) {
                known.into_iter().for_each(|watch| self.forget(&watch));
                return false;
            }
            let watch = Watch { left: self.see(left), right: self.see(right) };
            known.push(watch);
        }
        into.extend(known);
        true
    }

    /// A scalar in memory, no bit-field.
    fn is_watchable(&mut self, expr: &'a ast::Expr) -> bool {
        let ty = self.type_of_expr(expr);
        let register = match &expr.kind {
            ast::ExprKind::Ident(name) => self.is_register(&name.name),
            ast::ExprKind::Member { object, arrow, name } => {
                let object = self.type_of_expr(object);
                let record = if *arrow { self.types.pointee(object) } else { Some(object) };
                let field = record.and_then(|record| self.find_field(record, &name.name));
                field.is_none_or(|field| field.bits.is_some())
            }
            _ => false,
        };
        !register && self.types.scalar(ty).is_some() && self.types.size(ty) <= WIDEST
    }

    fn see(&mut self, expr: &'a ast::Expr) -> Seen<'a> {
        let key = std::ptr::from_ref(expr);
        let ty = self.type_of_expr(expr);
        let bytes = self.types.size(ty);
        if let Some(address) = self.frame.watched.get(&key) {
            return Seen { expr, address: *address, bytes, own: false };
        }
        let address = self.body.temporary(Type::Ptr);
        self.emit(Action::Assign { to: address, value: Expr::NULL }, expr.span);
        self.frame.watched.insert(key, address);
        Seen { expr, address, bytes, own: true }
    }

    /// Remembers the place, if somebody will ask.
    pub(crate) fn watch(&mut self, expr: &'a ast::Expr, lvalue: &Lvalue) {
        if self.frame.watched.is_empty() || self.frame.constant {
            return;
        }
        let Some(to) = self.frame.watched.get(&std::ptr::from_ref(expr)).copied() else { return };
        match &lvalue.place {
            Place::Memory(address) => {
                self.emit(Action::Assign { to, value: address.clone() }, expr.span);
            }
            _ => self.unsupported("an access that is written and used in no order", expr.span),
        }
    }

    pub(super) fn check_watched(&mut self, watches: Vec<Watch<'a>>) {
        for watch in &watches {
            self.forget(watch);
        }
        for Watch { left, right } in &watches {
            let span = right.expr.span;
            let place = self.place(span);
            let null =
                |seen: &Seen| Expr::binary(BinaryOp::Ne, Expr::Local(seen.address), Expr::NULL);
            let both = Expr::binary(BinaryOp::And, null(left), null(right));
            let (check, join) = (self.body.location(), self.body.location());
            self.body.branch(both, check, join, place);
            self.body.current = check;
            let apart = self.are_apart_places(left, right);
            let what = "a variable is written and used in no order";
            self.undefined_unless(apart, Property::Assert, what, span);
            self.body.fall_into(join, place);
        }
    }

    /// Scalars overlap where one starts at a multiple of the smaller one's size in the other.
    fn are_apart_places(&mut self, left: &Seen<'a>, right: &Seen<'a>) -> Expr {
        let (large, small) = if left.bytes < right.bytes { (right, left) } else { (left, right) };
        let int = self.types.model.diff_type();
        let step = small.bytes.max(1);
        (0..(large.bytes / step).max(1))
            .map(|index| {
                let offset = Expr::int(i128::from(index * step), int);
                let at = match index {
                    0 => Expr::Local(large.address),
                    _ => Expr::binary(BinaryOp::PtrAdd, Expr::Local(large.address), offset),
                };
                Expr::binary(BinaryOp::Ne, at, Expr::Local(small.address))
            })
            .reduce(|a, b| Expr::binary(BinaryOp::And, a, b))
            .unwrap_or(Expr::TRUE)
    }

    fn forget(&mut self, watch: &Watch<'a>) {
        for seen in [&watch.left, &watch.right].into_iter().filter(|seen| seen.own) {
            self.frame.watched.remove(&std::ptr::from_ref(seen.expr));
        }
    }
}
