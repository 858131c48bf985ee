//! The parts of an expression whose order C leaves open.

use selvedge_c_syntax::ast::{self, BinaryOp, ExprKind, UnaryOp};

use super::effects::steps;
use crate::lowering::{Effects, Entity, Lowering, Root, Slot, Spot, Spots, Step};
use crate::types::{Kind, Ty};
use crate::visit;

/// One evaluation: a read, a write, a call, or operands with an order of their own.
#[derive(Clone, Debug)]
pub(super) struct Atom<'a> {
    pub expr: &'a ast::Expr,
    pub kind: AtomKind,
    pub effects: Effects,
    /// The atom that needs this one's value.
    pub parent: Option<usize>,
    /// The initialiser that it belongs to, in a list.
    pub item: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtomKind {
    Read,
    /// With `plain`, an assignment that does not read what it writes.
    Write {
        plain: bool,
    },
    Call,
    /// `&&`, `||`, `?:`, a comma, a statement expression.
    Sequenced,
}

/// Collects atoms; a parent comes before its parts.
pub(super) struct Collector<'a> {
    pub atoms: Vec<Atom<'a>>,
    pub item: usize,
}

impl<'a> Collector<'a> {
    fn push(
        &mut self,
        expr: &'a ast::Expr,
        kind: AtomKind,
        effects: Effects,
        parent: Option<usize>,
    ) -> Option<usize> {
        self.atoms.push(Atom { expr, kind, effects, parent, item: self.item });
        Some(self.atoms.len() - 1)
    }

    /// What evaluating for the value takes.
    pub fn value(&mut self, to: &mut Lowering<'a>, expr: &'a ast::Expr, parent: Option<usize>) {
        match &expr.kind {
            ExprKind::Ident(_)
            | ExprKind::Index { .. }
            | ExprKind::Member { .. }
            | ExprKind::Unary { op: UnaryOp::Deref, .. } => self.read(to, expr, parent),
            ExprKind::Unary { op, operand } if steps(*op) => {
                let spots = to.spots(operand);
                let effects = written(&spots, true);
                let id = self.push(expr, AtomKind::Write { plain: false }, effects, parent);
                self.place(to, operand, id);
            }
            ExprKind::Unary { op: UnaryOp::AddressOf, operand } => self.place(to, operand, parent),
            ExprKind::Unary { operand, .. }
            | ExprKind::Cast { operand, .. }
            | ExprKind::Convert { operand, .. } => self.value(to, operand, parent),
            ExprKind::Assign { op, target, value } => {
                let spots = to.spots(target);
                let effects = written(&spots, op.is_some());
                let kind = AtomKind::Write { plain: op.is_none() };
                let id = self.push(expr, kind, effects, parent);
                self.place(to, target, id);
                self.value(to, value, id);
            }
            ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, .. }
            | ExprKind::Conditional { .. }
            | ExprKind::Comma { .. }
            | ExprKind::StatementExpr(_) => {
                let effects = to.all_effects(expr);
                self.push(expr, AtomKind::Sequenced, effects, parent);
            }
            ExprKind::Binary { left, right, .. } => {
                self.value(to, left, parent);
                self.value(to, right, parent);
            }
            ExprKind::Call { callee, args } => self.call(to, expr, callee, args, parent),
            ExprKind::CompoundLiteral { init, .. } => {
                init.iter().for_each(|item| self.initializer(to, &item.init, parent));
            }
            ExprKind::Generic { .. } | ExprKind::Choose { .. } => {
                if let Some(arm) = to.chosen(expr) {
                    self.value(to, arm, parent);
                }
            }
            ExprKind::VaArg { .. } => {
                self.push(expr, AtomKind::Call, Effects::anything(), parent);
            }
            _ => {}
        }
    }

    fn initializer(
        &mut self,
        to: &mut Lowering<'a>,
        init: &'a ast::Initializer,
        parent: Option<usize>,
    ) {
        match init {
            ast::Initializer::Expr(expr) => self.value(to, expr, parent),
            ast::Initializer::List(items, _) => {
                items.iter().for_each(|item| self.initializer(to, &item.init, parent));
            }
        }
    }

    /// What finding a place takes, without reading it.
    fn place(&mut self, to: &mut Lowering<'a>, expr: &'a ast::Expr, parent: Option<usize>) {
        match &expr.kind {
            ExprKind::Ident(_) => {}
            ExprKind::Index { array, index } => {
                match to.is_array_place(array) {
                    true => self.place(to, array, parent),
                    false => self.value(to, array, parent),
                }
                self.value(to, index, parent);
            }
            ExprKind::Member { object, arrow, .. } => match arrow {
                true => self.value(to, object, parent),
                false => self.place(to, object, parent),
            },
            ExprKind::Unary { op: UnaryOp::Deref, operand } => self.value(to, operand, parent),
            ExprKind::Unary { op: UnaryOp::Extension, operand } => self.place(to, operand, parent),
            _ => self.value(to, expr, parent),
        }
    }

    fn read(&mut self, to: &mut Lowering<'a>, expr: &'a ast::Expr, parent: Option<usize>) {
        if to.is_array_place(expr) {
            return self.place(to, expr, parent);
        }
        let spots = to.spots(expr);
        if spots.is_empty() {
            return self.place(to, expr, parent);
        }
        let sync = to.is_atomic_place(expr);
        let effects = Effects { reads: spots, sync, ..Effects::default() };
        let id = self.push(expr, AtomKind::Read, effects, parent);
        self.place(to, expr, id);
    }

    fn call(
        &mut self,
        to: &mut Lowering<'a>,
        expr: &'a ast::Expr,
        callee: &'a ast::Expr,
        args: &'a [ast::Expr],
        parent: Option<usize>,
    ) {
        let name = callee_name(callee);
        let effects = match name {
            Some("__builtin_constant_p" | "__builtin_object_size") => return,
            Some(name) => to.call_effects(name, args.len(), to.frame.unit),
            None => Effects::anything(),
        };
        let builtin = name.is_some_and(|name| name.starts_with("__builtin_"));
        let id = match builtin && effects.is_empty() {
            true => parent,
            false => self.push(expr, AtomKind::Call, effects, parent),
        };
        if callee_name(callee).is_none() {
            self.value(to, callee, id);
        }
        for arg in args {
            self.value(to, arg, id);
        }
    }
}

pub(super) fn callee_name(callee: &ast::Expr) -> Option<&str> {
    match &callee.kind {
        ExprKind::Ident(name) => Some(&name.name),
        _ => None,
    }
}

/// The variable of which an expression takes the address.
fn pointed_to(expr: &ast::Expr) -> Option<&ast::Expr> {
    let ExprKind::Unary { op: UnaryOp::AddressOf, operand } = &expr.kind else { return None };
    let mut at: &ast::Expr = operand;
    loop {
        match &at.kind {
            ExprKind::Member { object, arrow: false, .. } => at = object,
            ExprKind::Ident(_) => return Some(at),
            _ => return None,
        }
    }
}

fn written(spots: &Spots, reads: bool) -> Effects {
    let reads = if reads { spots.clone() } else { Spots::default() };
    Effects { reads, writes: spots.clone(), ..Effects::default() }
}

impl<'a> Lowering<'a> {
    /// What a place stands for.
    pub(super) fn spots(&mut self, expr: &'a ast::Expr) -> Spots {
        match self.spot(expr) {
            Some(Some(spot)) => Spots { anywhere: false, named: vec![spot] },
            Some(None) => Spots::default(),
            None => Spots { anywhere: true, named: Vec::new() },
        }
    }

    /// None for what a pointer leads to, an inner none for what is no place.
    fn spot(&mut self, expr: &'a ast::Expr) -> Option<Option<Spot>> {
        match &expr.kind {
            ExprKind::Ident(name) => {
                let (root, ty) = match self.lookup(&name.name) {
                    Some(Entity::Variable(ty, Slot::Local(local))) => (Root::Register(*local), *ty),
                    Some(Entity::Variable(ty, Slot::Memory(at))) => (Root::Local(at.clone()), *ty),
                    Some(Entity::Global(id)) => (Root::Global(*id), self.global(*id).ty),
                    _ => return Some(None),
                };
                if self.types.is_function(ty) {
                    return Some(None);
                }
                let exact = !self.types.is_aggregate(ty);
                Some(Some(Spot { root, path: Vec::new(), exact }))
            }
            ExprKind::Unary { op: UnaryOp::Extension, operand } => self.spot(operand),
            ExprKind::Member { object, arrow: false, name } => {
                let inner = self.spot(object)?;
                let ty = self.type_of_expr(object);
                let union = self.types.as_record(ty).is_some_and(|(_, record)| record.union);
                Some(inner.map(|spot| {
                    self.part_of_spot(spot, expr, Step::Member(name.name.clone()), union)
                }))
            }
            ExprKind::Index { array, index } if self.is_array_place(array) => {
                let inner = self.spot(array)?;
                let index = self.try_constant_int(index);
                Some(inner.map(|spot| {
                    self.part_of_spot(spot, expr, Step::Element(index), index.is_none())
                }))
            }
            _ => None,
        }
    }

    fn part_of_spot(
        &mut self,
        mut spot: Spot,
        expr: &'a ast::Expr,
        step: Step,
        vague: bool,
    ) -> Spot {
        // Members of a union share their bytes.
        let union = vague && matches!(step, Step::Member(_));
        let ty = self.type_of_expr(expr);
        if !union {
            spot.path.push(step);
        }
        spot.exact = !vague && !self.types.is_aggregate(ty);
        spot
    }

    /// Whether the expression is an array that becomes a pointer, which is no access.
    pub(super) fn is_array_place(&mut self, expr: &'a ast::Expr) -> bool {
        if matches!(expr.kind, ExprKind::String(_)) {
            return true;
        }
        if !self.is_lvalue(expr) {
            return false;
        }
        let ty = self.type_of_expr(expr);
        matches!(self.types.kind(ty), Kind::Array(..))
    }

    pub(super) fn is_atomic_place(&mut self, expr: &'a ast::Expr) -> bool {
        let ty: Ty = self.type_of_expr(expr);
        ty.atomic
    }

    /// The effects of all parts of an expression that has an order of its own. Names that it
    /// declares itself mean nothing here.
    pub(super) fn all_effects(&mut self, expr: &'a ast::Expr) -> Effects {
        let mut effects = Effects::default();
        self.for_each_effect(expr, &mut |e| effects.add(e));
        effects
    }

    /// Every access and call in an expression.
    pub(super) fn for_each_effect(&mut self, expr: &'a ast::Expr, f: &mut dyn FnMut(&Effects)) {
        let mut parts: Vec<&'a ast::Expr> = Vec::new();
        visit::expression(expr, &mut |e| parts.push(e));
        let pointed_to: Vec<*const ast::Expr> =
            parts.iter().filter_map(|part| pointed_to(part)).map(std::ptr::from_ref).collect();
        for part in parts {
            let effects = match &part.kind {
                ExprKind::Ident(_) if pointed_to.contains(&std::ptr::from_ref(part)) => continue,
                ExprKind::Ident(_) => Effects { reads: self.spots(part), ..Effects::default() },
                ExprKind::Unary { op: UnaryOp::Deref, .. }
                | ExprKind::Index { .. }
                | ExprKind::Member { arrow: true, .. } => {
                    let reads = Spots { anywhere: true, named: Vec::new() };
                    Effects { reads, ..Effects::default() }
                }
                ExprKind::Unary { op, operand } if steps(*op) => self.vaguely_written(operand),
                ExprKind::Assign { target, .. } => self.vaguely_written(target),
                ExprKind::Call { callee, args } => match callee_name(callee) {
                    Some(name) => self.call_effects(name, args.len(), self.frame.unit),
                    None => Effects::anything(),
                },
                ExprKind::VaArg { .. } => Effects::anything(),
                _ => continue,
            };
            if !effects.is_empty() {
                f(&effects);
            }
        }
    }

    /// What is written, where names may be declared inside the expression: by the name alone.
    fn vaguely_written(&mut self, target: &'a ast::Expr) -> Effects {
        let spots = match &target.kind {
            ExprKind::Ident(_) => self.spots(target),
            ExprKind::Unary { op: UnaryOp::Extension, operand } => {
                return self.vaguely_written(operand);
            }
            _ => Spots { anywhere: true, named: Vec::new() },
        };
        written(&spots, true)
    }
}
