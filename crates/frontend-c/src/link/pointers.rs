//! Whether the user's code compares pointers, by the syntax alone: a name counts as a pointer if it
//! is declared as one somewhere.

use std::collections::HashMap;

use selvedge_c_syntax::ast::{
    self, BinaryOp, Derived, Expr, ExprKind, FunctionDef, Item, TranslationUnit, TypeSpecifier,
    UnaryOp,
};

use crate::visit;

/// How often each name can be dereferenced: variables, members, results of functions, typedefs.
#[derive(Default)]
pub(super) struct Pointers<'a> {
    depths: HashMap<&'a str, usize>,
}

impl<'a> Pointers<'a> {
    pub fn of(user: &'a [TranslationUnit]) -> Pointers<'a> {
        let mut pointers = Pointers::default();
        for item in user.iter().flat_map(|unit| &unit.items) {
            match item {
                Item::Function(function) => {
                    pointers.declarator(&function.specifiers, &function.declarator);
                    visit::declarations(&function.body, &mut |d| pointers.declaration(d));
                }
                Item::Declaration(declaration) => pointers.declaration(declaration),
                Item::StaticAssert(_) | Item::Asm(_) | Item::Unsupported(..) => {}
            }
        }
        pointers
    }

    fn declaration(&mut self, declaration: &'a ast::Declaration) {
        self.specifiers(&declaration.specifiers);
        for item in &declaration.declarators {
            self.declarator(&declaration.specifiers, &item.declarator);
        }
    }

    fn specifiers(&mut self, specifiers: &'a ast::Specifiers) {
        let TypeSpecifier::Record(record) = &specifiers.ty else { return };
        for member in record.members.iter().flatten() {
            let ast::Member::Fields { specifiers, declarators, .. } = member else { continue };
            self.specifiers(specifiers);
            for declarator in declarators.iter().filter_map(|d| d.declarator.as_ref()) {
                self.declarator(specifiers, declarator);
            }
        }
    }

    fn declarator(&mut self, specifiers: &'a ast::Specifiers, declarator: &'a ast::Declarator) {
        for step in &declarator.derived {
            let Derived::Function { params: ast::Params::Prototype { params, .. } } = step else {
                continue;
            };
            params.iter().for_each(|param| self.declarator(&param.specifiers, &param.declarator));
        }
        if let Some(name) = &declarator.name {
            let depth = steps(&declarator.derived) + self.depth_of_type(&specifiers.ty);
            let known = self.depths.entry(&name.name).or_default();
            *known = depth.max(*known);
        }
    }

    fn depth_of_type(&self, ty: &TypeSpecifier) -> usize {
        match ty {
            TypeSpecifier::Typedef(name) => self.depth_of_name(&name.name),
            TypeSpecifier::Atomic(name) | TypeSpecifier::TypeofType(name) => {
                steps(&name.derived) + self.depth_of_type(&name.specifiers.ty)
            }
            TypeSpecifier::TypeofExpr(expr) => self.depth(expr),
            TypeSpecifier::Auto => 1,
            _ => 0,
        }
    }

    fn depth_of_name(&self, name: &str) -> usize {
        self.depths.get(name).copied().unwrap_or(0)
    }

    /// Whether two pointers are compared somewhere, neither being null, or compared and exchanged.
    pub fn compared(&self, functions: &[&FunctionDef]) -> bool {
        let mut found = false;
        for function in functions {
            visit::expressions(&function.body, &mut |expr| found |= self.compares(expr));
        }
        found
    }

    fn compares(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Binary { op: BinaryOp::Eq | BinaryOp::Ne, left, right } => {
                let pointers = self.depth(left).max(self.depth(right)) > 0;
                pointers && !is_null(left) && !is_null(right)
            }
            // The first argument is the place that is compared.
            ExprKind::Call { callee, args } => {
                matches!(&callee.kind, ExprKind::Ident(name) if exchanges(&name.name))
                    && args.first().is_some_and(|place| self.depth(place) > 1)
            }
            _ => false,
        }
    }

    fn depth(&self, expr: &Expr) -> usize {
        match &expr.kind {
            ExprKind::Ident(name) | ExprKind::Member { name, .. } => self.depth_of_name(&name.name),
            ExprKind::Call { callee, .. } => self.depth(callee),
            ExprKind::Index { array, index } => {
                self.depth(array).max(self.depth(index)).saturating_sub(1)
            }
            ExprKind::Unary { op, operand } => match op {
                UnaryOp::AddressOf => self.depth(operand) + 1,
                UnaryOp::Deref => self.depth(operand).saturating_sub(1),
                UnaryOp::Not => 0,
                _ => self.depth(operand),
            },
            ExprKind::Binary { op: BinaryOp::Add, left, right } => {
                self.depth(left).max(self.depth(right))
            }
            ExprKind::Binary { op: BinaryOp::Sub, left, right } if self.depth(right) == 0 => {
                self.depth(left)
            }
            ExprKind::Cast { ty, .. } => steps(&ty.derived) + self.depth_of_type(&ty.specifiers.ty),
            ExprKind::Assign { target, .. } => self.depth(target),
            ExprKind::Comma { right, .. } => self.depth(right),
            ExprKind::Conditional { then, otherwise, .. } => {
                let then = then.as_ref().map_or(0, |then| self.depth(then));
                then.max(self.depth(otherwise))
            }
            ExprKind::StatementExpr(_) | ExprKind::Generic { .. } | ExprKind::String(_) => 1,
            _ => 0,
        }
    }
}

fn steps(derived: &[Derived]) -> usize {
    derived.iter().filter(|step| !matches!(step, Derived::Function { .. })).count()
}

/// The builtins and functions that compare and exchange memory.
fn exchanges(name: &str) -> bool {
    name.contains("compare_exchange") || name.contains("compare_and_swap")
}

/// A constant that is null as a pointer: `0`, `(void *)0`.
fn is_null(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Integer(number) => number.value == 0,
        ExprKind::Cast { operand, .. } | ExprKind::Unary { op: UnaryOp::Extension, operand } => {
            is_null(operand)
        }
        _ => false,
    }
}
