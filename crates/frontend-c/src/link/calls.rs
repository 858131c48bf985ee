//! The functions of the user's code, their parameters, and the calls in them, by the syntax alone.

use std::rc::Rc;

use selvedge_c_syntax::ast::{self, Derived, Expr, ExprKind, FunctionDef, Item, TranslationUnit};

use crate::visit;

/// A call by name.
pub(super) struct Call<'a> {
    pub name: &'a Rc<str>,
    pub args: &'a [Expr],
    pub expr: &'a Expr,
}

pub(super) fn functions(user: &[TranslationUnit]) -> impl Iterator<Item = &FunctionDef> {
    user.iter().flat_map(|unit| &unit.items).filter_map(|item| match item {
        Item::Function(function) => Some(function),
        _ => None,
    })
}

pub(super) fn params(function: &FunctionDef) -> Vec<&ast::Ident> {
    match function.declarator.derived.first() {
        Some(Derived::Function { params: ast::Params::Prototype { params, .. } }) => {
            params.iter().filter_map(|param| param.declarator.name.as_ref()).collect()
        }
        Some(Derived::Function { params: ast::Params::Identifiers(names) }) => {
            names.iter().collect()
        }
        _ => Vec::new(),
    }
}

pub(super) fn calls(body: &ast::Block) -> Vec<Call<'_>> {
    let mut found = Vec::new();
    visit::expressions(body, &mut |expr| {
        if let ExprKind::Call { callee, args } = &expr.kind
            && let ExprKind::Ident(name) = &callee.kind
        {
            found.push(Call { name: &name.name, args, expr });
        }
    });
    found
}
