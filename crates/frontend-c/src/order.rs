//! The order of evaluation, where C leaves it open (C11 6.5, paragraphs 2 and 3).
//!
//! An expression is divided into [`Atom`]s: reads, writes and calls. Most of them do not get in
//! each other's way, and are lowered from left to right. Those that interfere with a call are
//! evaluated first, in every order that C allows: an input chooses. Reads and writes of one scalar
//! that no call separates are undefined behaviour ([`apart`]).

mod apart;
mod atoms;
mod effects;

use std::collections::{HashMap, HashSet};

use selvedge_c_syntax::ast::{self, BinaryOp, ExprKind, Span, UnaryOp};
use selvedge_ir::{BinaryOp as Op, Expr, LocalId, Property, Type};

use crate::expr::{Place, Value};
use crate::fold::Typed;
use crate::lowering::{Effects, Lowering, Spot};
use crate::visit;
use apart::Watch;
use atoms::{Atom, AtomKind, Collector, callee_name};
use effects::steps;

/// Orders beyond this number are not tried.
const ORDERS: usize = 24;

/// What stands between two atoms.
#[derive(Debug, Default)]
struct Conflicts<'a> {
    /// Pairs whose order matters.
    open: Vec<(usize, usize)>,
    /// Pairs that are undefined behaviour if they are the same place.
    unsequenced: Vec<(usize, usize)>,
    /// Likewise, places whose accesses may not both happen.
    watched: Vec<(&'a ast::Expr, &'a ast::Expr)>,
    /// Pairs whose order matters in more ways than are tried.
    tangled: bool,
}

impl<'a> Lowering<'a> {
    /// Lowers expressions whose parts C evaluates in any order.
    pub(crate) fn in_any_order<T>(
        &mut self,
        roots: &[&'a ast::Expr],
        lower: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if self.frame.ordered || self.frame.site.is_some() || self.frame.constant || self.eager {
            return lower(self);
        }
        self.frame.ordered = true;
        let mut watches = Vec::new();
        let ready = self.evaluate_ahead(roots, &mut watches);
        let result = lower(self);
        ready.iter().for_each(|part| {
            self.frame.ready.remove(part);
        });
        self.check_watched(watches);
        self.frame.ordered = false;
        result
    }

    /// Lowers operands that have a sequence point between them.
    pub(crate) fn in_sequence<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.frame.ordered, false);
        let result = lower(self);
        self.frame.ordered = outer;
        result
    }

    /// The value, if the part was evaluated ahead.
    pub(crate) fn ready(&self, expr: &ast::Expr) -> Option<Value> {
        if self.frame.ready.is_empty() {
            return None;
        }
        self.frame.ready.get(&std::ptr::from_ref(expr)).cloned()
    }

    fn evaluate_ahead(
        &mut self,
        roots: &[&'a ast::Expr],
        watches: &mut Vec<Watch<'a>>,
    ) -> Vec<*const ast::Expr> {
        if !self.is_worth_a_look(roots) {
            return Vec::new();
        }
        let mut collector = Collector { atoms: Vec::new(), item: 0 };
        for (item, root) in roots.iter().enumerate() {
            collector.item = item;
            collector.value(self, root, None);
        }
        let atoms = collector.atoms;
        let mut conflicts = self.conflicts(&atoms);
        let span = roots.first().map_or_else(Span::default, |root| root.span);
        for (a, b) in &conflicts.unsequenced {
            if !self.check_apart(&atoms[*a], &atoms[*b]) {
                let pair = (accessed(atoms[*a].expr), accessed(atoms[*b].expr));
                conflicts.watched.extend(pair.0.zip(pair.1));
            }
        }
        if conflicts.tangled || !self.watch_all(&conflicts.watched, watches) {
            self.unsupported("an order of evaluation that is open in too many ways", span);
            return Vec::new();
        }
        if conflicts.open.is_empty() {
            return Vec::new();
        }
        let orders = orders(&atoms, &conflicts.open);
        if orders.len() > ORDERS {
            self.unsupported("an order of evaluation that is open in too many ways", span);
            return Vec::new();
        }
        self.try_orders(&atoms, &orders, span)
    }

    /// Whether there is more than one part with an effect, or one beside others.
    fn is_worth_a_look(&self, roots: &[&'a ast::Expr]) -> bool {
        let (mut effects, mut inner) = (0, 0);
        for root in roots {
            visit::expression(root, &mut |e| {
                let has = match &e.kind {
                    ExprKind::Call { callee, .. } => callee_name(callee)
                        .is_none_or(|name| !name.starts_with("__VERIFIER_nondet_")),
                    ExprKind::Unary { op, .. } => steps(*op),
                    ExprKind::Assign { .. } | ExprKind::VaArg { .. } => true,
                    ExprKind::Ident(name) => self.is_atomic_name(&name.name),
                    _ => false,
                };
                effects += usize::from(has);
                inner += usize::from(has && !std::ptr::eq(e, *root));
            });
        }
        match roots {
            [root] => inner > 0 && (effects > 1 || has_operands(root)),
            _ => effects > 0,
        }
    }

    fn is_atomic_name(&self, name: &str) -> bool {
        use crate::lowering::Entity;
        match self.lookup(name) {
            Some(Entity::Global(id)) => self.global(*id).ty.atomic,
            Some(Entity::Variable(ty, _)) => ty.atomic,
            _ => false,
        }
    }

    fn conflicts(&mut self, atoms: &[Atom<'a>]) -> Conflicts<'a> {
        let mut found = Conflicts::default();
        for b in 0..atoms.len() {
            for a in 0..b {
                if is_part(atoms, b, a) {
                    if writes_twice(atoms, a, b) {
                        found.unsequenced.push((a, b));
                    }
                } else if self.interfere(&atoms[a].effects, &atoms[b].effects) {
                    self.conflict(atoms, a, b, &mut found);
                }
            }
        }
        found
    }

    fn conflict(&mut self, atoms: &[Atom<'a>], a: usize, b: usize, found: &mut Conflicts<'a>) {
        let (x, y) = (&atoms[a], &atoms[b]);
        let sequenced = |atom: &Atom| atom.kind == AtomKind::Sequenced;
        if sequenced(x) || sequenced(y) {
            return self.conflict_of_parts(atoms, a, b, found);
        }
        match are_separate(x, y) {
            true => found.open.push((a, b)),
            false => found.unsequenced.push((a, b)),
        }
    }

    /// Where at least one of two atoms has parts with an order of their own: calls among them may
    /// come before or after the other atom, and accesses must be apart.
    fn conflict_of_parts(
        &mut self,
        atoms: &[Atom<'a>],
        a: usize,
        b: usize,
        found: &mut Conflicts<'a>,
    ) {
        let (x, y) = (&atoms[a], &atoms[b]);
        let (Some(xs), Some(ys)) = (self.atoms_of(x), self.atoms_of(y)) else {
            found.tangled |= self.is_entangled(x, y) || self.is_entangled(y, x);
            match are_separate(x, y) {
                true => found.open.push((a, b)),
                false => found.tangled = true,
            }
            return;
        };
        let (mut left, mut right) = (HashSet::new(), HashSet::new());
        for (i, p) in xs.iter().enumerate() {
            for (j, q) in ys.iter().enumerate() {
                if !self.interfere(&p.effects, &q.effects) {
                    continue;
                }
                if are_separate(p, q) {
                    left.insert(i);
                    right.insert(j);
                } else {
                    let pair = accessed(p.expr).zip(accessed(q.expr));
                    found.tangled |= pair.is_none();
                    found.watched.extend(pair);
                }
            }
        }
        if !left.is_empty() {
            found.open.push((a, b));
            found.tangled |= left.len() > 1 && self.is_entangled(x, y);
            found.tangled |= right.len() > 1 && self.is_entangled(y, x);
            found.tangled |= !is_duplicable(x) || !is_duplicable(y);
        }
    }

    /// The atoms that an atom consists of; none where that cannot be told before it is lowered.
    fn atoms_of(&mut self, atom: &Atom<'a>) -> Option<Vec<Atom<'a>>> {
        let mut parts = vec![atom.clone()];
        while let Some(at) = parts.iter().position(|part| part.kind == AtomKind::Sequenced) {
            let whole = parts.swap_remove(at);
            let operands: Vec<&'a ast::Expr> = match &whole.expr.kind {
                ExprKind::Binary { left, right, .. } | ExprKind::Comma { left, right } => {
                    vec![left, right]
                }
                ExprKind::Conditional { condition, then, otherwise } => {
                    let then = then.as_deref();
                    [&**condition, otherwise].into_iter().chain(then).collect()
                }
                _ => return None,
            };
            let mut collector = Collector { atoms: Vec::new(), item: whole.item };
            operands.into_iter().for_each(|operand| collector.value(self, operand, None));
            parts.extend(collector.atoms);
        }
        Some(parts)
    }

    /// Whether something may come between the parts of an expression that has an order of its own.
    fn is_entangled(&mut self, atom: &Atom<'a>, other: &Atom<'a>) -> bool {
        if atom.kind != AtomKind::Sequenced {
            return false;
        }
        !is_duplicable(atom) || self.interfering_parts(atom.expr, &other.effects) > 1
    }

    /// How many parts of an expression that may all run interfere with something.
    fn interfering_parts(&mut self, expr: &'a ast::Expr, other: &Effects) -> usize {
        if let ExprKind::Conditional { condition, then, otherwise } = &expr.kind {
            let then = then.as_deref().map_or(0, |then| self.interfering_parts(then, other));
            let otherwise = self.interfering_parts(otherwise, other);
            return self.interfering_parts(condition, other) + then.max(otherwise);
        }
        let mut parts: Vec<Effects> = Vec::new();
        self.for_each_effect(expr, &mut |effects| parts.push(effects.clone()));
        parts.iter().filter(|part| self.interfere(part, other)).count()
    }

    /// Two accesses to one scalar that nothing puts in order, one of them a write. Whether it can be
    /// told here that they are.
    fn check_apart(&mut self, a: &Atom<'a>, b: &Atom<'a>) -> bool {
        let (Some(x), Some(y)) = (accessed(a.expr), accessed(b.expr)) else { return true };
        let what = "a variable is written and used in no order";
        let certain = a.effects.writes.named.iter().chain(&a.effects.reads.named).any(|spot| {
            let same = |other: &Spot| spot == other && spot.exact;
            b.effects.writes.named.iter().chain(&b.effects.reads.named).any(same)
        });
        if certain {
            self.undefined_unless(Expr::FALSE, Property::Assert, what, b.expr.span);
            return true;
        }
        if !(self.is_still(x) && self.is_still(y)) {
            return false;
        }
        let (left, right) = (self.lvalue(x), self.lvalue(y));
        if let (Place::Memory(left), Place::Memory(right)) = (left.place, right.place) {
            let apart = self.body.binary(Op::Ne, left, right);
            self.undefined_unless(apart, Property::Assert, what, b.expr.span);
        }
        true
    }

    /// Whether finding the place changes and reads nothing in memory.
    fn is_still(&self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            ExprKind::Ident(_) => true,
            ExprKind::Unary { op: UnaryOp::Deref, operand } => self.is_still_value(operand),
            ExprKind::Index { array, index } => self.is_still(array) && self.is_still_value(index),
            ExprKind::Member { object, arrow: false, .. } => self.is_still(object),
            ExprKind::Member { object, .. } => self.is_still_value(object),
            _ => false,
        }
    }

    fn is_still_value(&self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            ExprKind::Integer(_) | ExprKind::Char(_) => true,
            ExprKind::Ident(name) => self.is_register(&name.name),
            ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Sub, left, right } => {
                self.is_still_value(left) && self.is_still_value(right)
            }
            _ => false,
        }
    }

    /// Evaluates the atoms in one of the orders, which an input chooses.
    fn try_orders(
        &mut self,
        atoms: &[Atom<'a>],
        orders: &[Vec<usize>],
        span: Span,
    ) -> Vec<*const ast::Expr> {
        let place = self.place(span);
        let join = self.body.location();
        let mut kept: HashMap<usize, Kept> = HashMap::new();
        for (index, order) in orders.iter().enumerate() {
            let (this, next) = (self.body.location(), self.body.location());
            match index + 1 < orders.len() {
                true => {
                    let chosen = self.body.input(Type::Bool, place);
                    self.body.settle();
                    self.body.branch(chosen, this, next, place);
                }
                false => self.body.jump(this, place),
            }
            self.body.current = this;
            for atom in order {
                self.frame.ready.remove(&std::ptr::from_ref(atoms[*atom].expr));
            }
            for atom in order {
                let expr = atoms[*atom].expr;
                let value = self.rvalue(expr);
                let value = self.keep(value, kept.entry(*atom).or_default(), expr.span);
                self.frame.ready.insert(std::ptr::from_ref(expr), value);
            }
            self.body.jump(join, place);
            self.body.current = next;
        }
        self.body.current = join;
        orders.first().into_iter().flatten().map(|a| std::ptr::from_ref(atoms[*a].expr)).collect()
    }

    /// Puts a value where it stays, the same place in every order.
    fn keep(&mut self, value: Value, kept: &mut Kept, span: Span) -> Value {
        if self.types.is_aggregate(value.ty) {
            let object = match &kept.object {
                Some(object) => object.clone(),
                None => self.temporary_object("value", value.ty, span),
            };
            kept.object = Some(object.clone());
            self.copy(object.clone(), value.expr, value.ty, span);
            return Value { ty: value.ty, expr: object };
        }
        let Some(scalar) = self.types.scalar(value.ty) else { return value };
        let local = *kept.local.get_or_insert_with(|| self.body.temporary(scalar));
        self.assign(local, value.expr, span);
        Value { ty: value.ty, expr: Expr::Local(local) }
    }
}

/// Whether two atoms come one after the other, in any order: nothing interrupts a call.
fn are_separate(x: &Atom<'_>, y: &Atom<'_>) -> bool {
    let calls = x.effects.call || y.effects.call;
    calls || x.item != y.item || (x.effects.sync && y.effects.sync)
}

/// Whether the atom can be lowered more than once.
fn is_duplicable(atom: &Atom<'_>) -> bool {
    match &atom.expr.kind {
        ExprKind::StatementExpr(block) => is_plain(block),
        _ => true,
    }
}

/// Where the value of an atom stays.
#[derive(Debug, Default)]
struct Kept {
    local: Option<LocalId>,
    object: Option<Expr>,
}

/// The place that an atom reads or writes.
fn accessed(expr: &ast::Expr) -> Option<&ast::Expr> {
    match &expr.kind {
        ExprKind::Assign { target, .. } => Some(target),
        ExprKind::Unary { op, operand } if steps(*op) => Some(operand),
        ExprKind::Ident(_)
        | ExprKind::Index { .. }
        | ExprKind::Member { .. }
        | ExprKind::Unary { op: UnaryOp::Deref, .. } => Some(expr),
        _ => None,
    }
}

fn has_operands(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => has_operands(operand),
        _ => true,
    }
}

/// Whether the statements can be lowered more than once.
fn is_plain(block: &ast::Block) -> bool {
    use selvedge_c_syntax::ast::{BlockItem, StatementKind};
    block.items.iter().all(|item| match item {
        BlockItem::Declaration(declaration) => {
            declaration.specifiers.storage != Some(ast::Storage::Static)
        }
        BlockItem::Statement(statement) => match &statement.kind {
            StatementKind::Expr(_) | StatementKind::Empty => true,
            StatementKind::Block(block) => is_plain(block),
            _ => false,
        },
        _ => false,
    })
}

/// Whether atom `part` is evaluated for the sake of atom `whole`.
fn is_part(atoms: &[Atom<'_>], part: usize, whole: usize) -> bool {
    let mut at = Some(part);
    while let Some(next) = at {
        if next == whole {
            return true;
        }
        at = atoms[next].parent;
    }
    false
}

/// `i = i++ + 1`: a write inside the operands of a write to the same scalar, with no call around
/// it that would come between.
fn writes_twice(atoms: &[Atom<'_>], whole: usize, part: usize) -> bool {
    let (outer, inner) = (&atoms[whole], &atoms[part]);
    let writes = matches!(outer.kind, AtomKind::Write { .. })
        && inner.kind == AtomKind::Write { plain: false };
    let same = |spot: &Spot| spot.exact && outer.effects.writes.named.contains(spot);
    let mut at = inner.parent;
    while let Some(next) = at.filter(|next| *next != whole) {
        if atoms[next].kind == AtomKind::Call {
            return false;
        }
        at = atoms[next].parent;
    }
    writes && inner.effects.writes.named.iter().any(same)
}

/// The orders of the atoms in conflict that respect which needs which. Of those that differ only
/// in neighbours whose order makes no difference, one at least.
fn orders(atoms: &[Atom<'_>], open: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut involved: Vec<usize> = open.iter().flat_map(|(a, b)| [*a, *b]).collect();
    involved.sort_unstable();
    involved.dedup();
    let mut found = Vec::new();
    extend(atoms, open, &involved, &mut Vec::new(), &mut found);
    found
}

fn extend(
    atoms: &[Atom<'_>],
    open: &[(usize, usize)],
    involved: &[usize],
    order: &mut Vec<usize>,
    found: &mut Vec<Vec<usize>>,
) {
    if found.len() > ORDERS {
        return;
    }
    if order.len() == involved.len() {
        found.push(order.clone());
        return;
    }
    for next in involved {
        let waits = |other: &&usize| {
            **other != *next && is_part(atoms, **other, *next) && !order.contains(other)
        };
        if order.contains(next) || involved.iter().any(|other| waits(&other)) {
            continue;
        }
        if let Some(last) = order.last() {
            let pair = (*last.min(next), *last.max(next));
            let free = !open.contains(&pair) && !is_part(atoms, *last, *next);
            if free && last > next {
                continue;
            }
        }
        order.push(*next);
        extend(atoms, open, involved, order, found);
        order.pop();
    }
}
