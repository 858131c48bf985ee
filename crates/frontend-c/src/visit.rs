//! Walks over the syntax tree, for questions about a whole function.

use std::collections::HashSet;
use std::rc::Rc;

use selvedge_c_syntax::ast::{
    ArraySize, Block, BlockItem, Declaration, Derived, Designator, Expr, ExprKind, ForInit,
    Initializer, Specifiers, Statement, StatementKind, TypeName, TypeSpecifier, UnaryOp,
};

use crate::atomics::keeps_no_address;

/// Names that have their address taken. Such a local is an object in memory, also where another
/// local of the same name is meant.
pub(crate) fn addressed(body: &Block) -> HashSet<Rc<str>> {
    let mut names = HashSet::new();
    let mut harmless: HashSet<*const Expr> = HashSet::new();
    expressions(body, &mut |e| match &e.kind {
        // The builtin looks at the object at once and forgets the address.
        ExprKind::Call { callee, args } => {
            if let ExprKind::Ident(name) = &callee.kind
                && keeps_no_address(&name.name)
            {
                harmless.extend(args.iter().map(|arg| arg as *const Expr));
            }
        }
        ExprKind::Unary { op: UnaryOp::AddressOf, operand }
            if !harmless.contains(&(e as *const Expr)) =>
        {
            names.extend(root_name(operand));
        }
        _ => {}
    });
    names
}

/// The variable that an lvalue is (a part of).
fn root_name(expr: &Expr) -> Option<Rc<str>> {
    match &expr.kind {
        ExprKind::Ident(name) => Some(name.name.clone()),
        ExprKind::Unary { op: UnaryOp::Extension, operand } => root_name(operand),
        ExprKind::Member { object, arrow: false, .. } => root_name(object),
        ExprKind::Choose { then, otherwise, .. } => {
            root_name(then).or_else(|| root_name(otherwise))
        }
        _ => None,
    }
}

/// Names of variables that are assigned.
pub(crate) fn assigned(body: &Block) -> HashSet<Rc<str>> {
    let mut names = HashSet::new();
    expressions(body, &mut |e| match &e.kind {
        ExprKind::Assign { target, .. } => names.extend(root_name(target)),
        ExprKind::Unary {
            op:
                UnaryOp::PreIncrement
                | UnaryOp::PreDecrement
                | UnaryOp::PostIncrement
                | UnaryOp::PostDecrement,
            operand,
        } => names.extend(root_name(operand)),
        ExprKind::VaArg { list, .. } => names.extend(root_name(list)),
        _ => {}
    });
    names
}

/// Names of functions that are called for their values.
pub(crate) fn valued(body: &Block, into: &mut HashSet<Rc<str>>) {
    let mut dropped: HashSet<*const Expr> = HashSet::new();
    for item in &body.items {
        statements_of_item(item, &mut |s| {
            if let StatementKind::Expr(expr) = &s.kind {
                dropped.insert(without_casts(expr));
            }
        });
    }
    expressions(body, &mut |e| {
        if let ExprKind::Call { callee, .. } = &e.kind
            && let ExprKind::Ident(name) = &callee.kind
            && !dropped.contains(&std::ptr::from_ref(e))
        {
            into.insert(name.name.clone());
        }
    });
}

fn without_casts(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast { operand, .. } | ExprKind::Unary { op: UnaryOp::Extension, operand } => {
            without_casts(operand)
        }
        _ => expr,
    }
}

/// Whether some statement may run more than once in one call.
pub(crate) fn repeats(body: &Block) -> bool {
    let mut found = false;
    for item in &body.items {
        statements_of_item(item, &mut |s| {
            found |= matches!(
                s.kind,
                StatementKind::While { .. }
                    | StatementKind::DoWhile { .. }
                    | StatementKind::For { .. }
                    | StatementKind::Label { .. }
            );
        });
    }
    found
}

/// Every expression of a block, parents first, statement expressions and declarations included.
pub(crate) fn expressions<'a>(block: &'a Block, f: &mut dyn FnMut(&'a Expr)) {
    let mut walk =
        Walk { expr: f, statement: &mut |_| {}, declaration: &mut |_| {}, evaluated: false };
    walk.block(block);
}

/// Every expression of a statement, as `expressions`.
pub(crate) fn expressions_of_statement<'a>(s: &'a Statement, f: &mut dyn FnMut(&'a Expr)) {
    let mut walk =
        Walk { expr: f, statement: &mut |_| {}, declaration: &mut |_| {}, evaluated: false };
    walk.statement(s);
}

/// Every declaration of a block, those of inner blocks and statement expressions included.
pub(crate) fn declarations<'a>(block: &'a Block, f: &mut dyn FnMut(&'a Declaration)) {
    let mut walk =
        Walk { expr: &mut |_| {}, statement: &mut |_| {}, declaration: f, evaluated: false };
    walk.block(block);
}

/// An expression and every one inside it that is evaluated with it.
pub(crate) fn expression<'a>(expr: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
    let mut walk =
        Walk { expr: f, statement: &mut |_| {}, declaration: &mut |_| {}, evaluated: true };
    walk.expr(expr);
}

pub(crate) fn expressions_of_initializer<'a>(init: &'a Initializer, f: &mut dyn FnMut(&'a Expr)) {
    let mut walk =
        Walk { expr: f, statement: &mut |_| {}, declaration: &mut |_| {}, evaluated: false };
    walk.initializer(init);
}

/// Every statement of a block item, those inside statement expressions included.
pub(crate) fn statements_of_item<'a>(item: &'a BlockItem, f: &mut dyn FnMut(&'a Statement)) {
    let mut walk =
        Walk { expr: &mut |_| {}, statement: f, declaration: &mut |_| {}, evaluated: false };
    walk.item(item);
}

struct Walk<'w, 'a> {
    expr: &'w mut dyn FnMut(&'a Expr),
    statement: &'w mut dyn FnMut(&'a Statement),
    declaration: &'w mut dyn FnMut(&'a Declaration),
    /// Operands of `sizeof` and `typeof` are passed over.
    evaluated: bool,
}

impl<'a> Walk<'_, 'a> {
    fn block(&mut self, block: &'a Block) {
        block.items.iter().for_each(|item| self.item(item));
    }

    fn item(&mut self, item: &'a BlockItem) {
        match item {
            BlockItem::Statement(statement) => self.statement(statement),
            BlockItem::Declaration(declaration) => self.declaration(declaration),
            BlockItem::StaticAssert(_) | BlockItem::LocalLabels(_) => {}
            BlockItem::Function(function) => self.block(&function.body),
        }
    }

    fn declaration(&mut self, declaration: &'a Declaration) {
        (self.declaration)(declaration);
        self.specifiers(&declaration.specifiers);
        for item in &declaration.declarators {
            self.derived(&item.declarator.derived);
            if let Some(init) = &item.init {
                self.initializer(init);
            }
        }
    }

    fn specifiers(&mut self, specifiers: &'a Specifiers) {
        match &specifiers.ty {
            TypeSpecifier::TypeofExpr(_) if self.evaluated => {}
            TypeSpecifier::TypeofExpr(expr) => self.expr(expr),
            TypeSpecifier::TypeofType(name) | TypeSpecifier::Atomic(name) => self.type_name(name),
            _ => {}
        }
    }

    fn type_name(&mut self, name: &'a TypeName) {
        self.specifiers(&name.specifiers);
        self.derived(&name.derived);
    }

    fn derived(&mut self, derived: &'a [Derived]) {
        for step in derived {
            if let Derived::Array { size: ArraySize::Expr(size), .. } = step {
                self.expr(size);
            }
        }
    }

    fn initializer(&mut self, init: &'a Initializer) {
        match init {
            Initializer::Expr(expr) => self.expr(expr),
            Initializer::List(items, _) => {
                for item in items {
                    for designator in &item.designators {
                        match designator {
                            Designator::Field(_) => {}
                            Designator::Index(index) => self.expr(index),
                            Designator::Range(low, high) => {
                                self.expr(low);
                                self.expr(high);
                            }
                        }
                    }
                    self.initializer(&item.init);
                }
            }
        }
    }

    fn statement(&mut self, statement: &'a Statement) {
        (self.statement)(statement);
        match &statement.kind {
            StatementKind::Empty
            | StatementKind::Goto(_)
            | StatementKind::Continue
            | StatementKind::Break
            | StatementKind::Unsupported(_)
            | StatementKind::Return(None) => {}
            StatementKind::Expr(e) | StatementKind::Assert(e) | StatementKind::GotoComputed(e) => {
                self.expr(e)
            }
            StatementKind::Return(Some(e)) => self.expr(e),
            StatementKind::Ghost { updates, joined } => {
                updates.iter().for_each(|update| self.expr(update));
                self.statement(joined);
            }
            StatementKind::Block(block) => self.block(block),
            StatementKind::If { condition, then, otherwise } => {
                self.expr(condition);
                self.statement(then);
                if let Some(otherwise) = otherwise {
                    self.statement(otherwise);
                }
            }
            StatementKind::Switch { value: e, body } => {
                self.expr(e);
                self.statement(body);
            }
            StatementKind::While { invariants, condition, body }
            | StatementKind::DoWhile { invariants, body, condition } => {
                invariants.iter().for_each(|e| self.expr(e));
                self.expr(condition);
                self.statement(body);
            }
            StatementKind::For { invariants, init, condition, step, body } => {
                invariants.iter().for_each(|e| self.expr(e));
                match init {
                    ForInit::None => {}
                    ForInit::Expr(e) => self.expr(e),
                    ForInit::Declaration(declaration) => self.declaration(declaration),
                }
                condition.iter().chain(step).for_each(|e| self.expr(e));
                self.statement(body);
            }
            StatementKind::Label { body, .. } | StatementKind::Default { body } => {
                self.statement(body);
            }
            StatementKind::Case { low, high, body } => {
                self.expr(low);
                high.iter().for_each(|e| self.expr(e));
                self.statement(body);
            }
            StatementKind::Asm(asm) => {
                asm.outputs.iter().chain(&asm.inputs).for_each(|e| self.expr(e));
            }
        }
    }

    fn expr(&mut self, expr: &'a Expr) {
        (self.expr)(expr);
        match &expr.kind {
            ExprKind::Ident(_)
            | ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::Char(_)
            | ExprKind::String(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::TypesCompatible(..) => {}
            ExprKind::Index { array: a, index: b }
            | ExprKind::Binary { left: a, right: b, .. }
            | ExprKind::Comma { left: a, right: b }
            | ExprKind::Assign { target: a, value: b, .. } => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Call { callee, args } => {
                self.expr(callee);
                args.iter().for_each(|arg| self.expr(arg));
            }
            ExprKind::Member { object, .. } => self.expr(object),
            ExprKind::Unary { operand, .. } => self.expr(operand),
            ExprKind::Conditional { condition, then, otherwise } => {
                self.expr(condition);
                then.iter().for_each(|e| self.expr(e));
                self.expr(otherwise);
            }
            ExprKind::Cast { ty, operand } | ExprKind::Convert { ty, operand } => {
                self.type_name(ty);
                self.expr(operand);
            }
            ExprKind::CompoundLiteral { ty, init } => {
                self.type_name(ty);
                init.iter().for_each(|item| self.initializer(&item.init));
            }
            ExprKind::SizeofExpr(_) | ExprKind::AlignofExpr(_) if self.evaluated => {}
            ExprKind::SizeofExpr(e) | ExprKind::AlignofExpr(e) => self.expr(e),
            ExprKind::SizeofType(name)
            | ExprKind::AlignofType(name)
            | ExprKind::GnuAlignofType(name) => self.type_name(name),
            ExprKind::Offsetof { ty, .. } => self.type_name(ty),
            ExprKind::StatementExpr(block) => self.block(block),
            ExprKind::Generic { control, arms } => {
                if !self.evaluated {
                    self.expr(control);
                }
                arms.iter().for_each(|arm| self.expr(&arm.value));
            }
            ExprKind::VaArg { list, .. } => self.expr(list),
            ExprKind::Choose { condition, then, otherwise } => {
                self.expr(condition);
                self.expr(then);
                self.expr(otherwise);
            }
        }
    }
}
