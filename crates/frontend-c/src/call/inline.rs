//! Library models are lowered in place of the call.
//!
//! That keeps a lock one action, puts what happens at the user's line, shows which function a
//! thread is started in, and lets an allocation know what it will hold. Only recursion, and models
//! that have their address taken, need procedures.

use std::collections::HashSet;

use selvedge_c_syntax::ast::{self, ExprKind, Span, Statement, StatementKind};
use selvedge_ir::{Const, Expr};

use crate::expr::Value;
use crate::lowering::{Definition, Entity, Frame, GlobalId, Lowering, Returns, Scope, Slot};
use crate::types::Ty;
use crate::visit;

impl<'a> Lowering<'a> {
    pub(super) fn is_inlined(&self, id: GlobalId) -> bool {
        let global = self.global(id);
        let Definition::Function(function) = global.definition else { return false };
        self.units[global.unit].model
            && !self.frame.inlined.contains(&id)
            && !has_statics(&function.body)
    }

    /// Lowers the model's body here. `declared` is the function as the caller knows it.
    pub(super) fn call_inline(
        &mut self,
        id: GlobalId,
        declared: GlobalId,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Value {
        let element = self.frame.element;
        let (Some(own), Some(seen)) = (
            self.types.as_function(self.global(id).ty),
            self.types.as_function(self.global(declared).ty),
        ) else {
            return self.error_value();
        };
        let (values, rest) = self.split_arguments(&seen, args, false, span);
        self.frame.element = element;
        let outer = self.frame.passed.take();
        if own.variadic && self.starts_list(id) {
            self.frame.passed = Some(self.variable_arguments(rest, span).expr);
        }
        let result = self.inline_values(id, seen.ret, values, span);
        self.frame.passed = outer;
        // The caller may have declared another result (`size_t` for `unsigned long`).
        match self.types.is_void(own.ret) || self.types.is_void(seen.ret) {
            true => Value { ty: seen.ret.unqualified(), ..result },
            false => self.convert(result, seen.ret, span),
        }
    }

    /// Whether a model looks at its variable arguments.
    fn starts_list(&self, id: GlobalId) -> bool {
        let Definition::Function(function) = self.global(id).definition else { return false };
        let mut names = HashSet::new();
        mentioned(&function.body, &mut names);
        names.contains("__builtin_va_start")
    }

    /// As [`Self::call_inline`], with arguments that are evaluated already. `seen` is the type that the caller
    /// expects, where nothing is lowered.
    pub fn inline_values(
        &mut self,
        id: GlobalId,
        seen: Ty,
        values: Vec<Value>,
        span: Span,
    ) -> Value {
        let Definition::Function(function) = self.global(id).definition else {
            return self.error_value();
        };
        let Some(own) = self.types.as_function(self.global(id).ty) else {
            return self.error_value();
        };
        if self.frame.constant {
            self.frame.not_constant.get_or_insert(span);
            return self.placeholder(seen);
        }
        let site = self.place(span);
        let void = self.types.void();
        let unit = self.global(id).unit;
        let mut frame = Frame::new(unit, self.global(id).name.clone(), void);
        frame.site = Some(site);
        frame.element = self.frame.element;
        frame.variadic = self.frame.passed.take();
        frame.addressed = visit::addressed(&function.body);
        frame.repeats = true;
        frame.inlined = self.frame.inlined.clone();
        frame.inlined.push(id);
        let outer = std::mem::replace(&mut self.frame, frame);
        self.frame.scopes.push(Scope::default());
        self.bind_arguments(function, values, span);
        let result = self.inline_body(function, own.ret, span);
        self.frame = outer;
        result
    }

    fn inline_body(&mut self, function: &'a ast::FunctionDef, ret: Ty, span: Span) -> Value {
        let join = self.body.location();
        let scalar = self.types.scalar(ret);
        let result = scalar.map(|scalar| self.body.temporary(scalar));
        let aggregate = self.types.is_aggregate(ret);
        let memory = aggregate.then(|| self.temporary_object("result", ret, span));
        self.frame.returns = Returns { ty: ret, target: join, result, memory: memory.clone() };
        let place = self.place(span);
        let single = single_return(&function.body).filter(|_| !aggregate);
        self.frame.scopes.push(Scope::default());
        let value = match single {
            // The common shape: no join is needed, and a constant result stays one.
            Some(last) => {
                let (items, _) = function.body.items.split_at(function.body.items.len() - 1);
                for item in items {
                    self.block_item(item);
                }
                let value = self.rvalue(last);
                self.finish_jumps();
                self.convert(value, ret, span)
            }
            None => {
                self.block_items(&function.body);
                self.finish_jumps();
                self.body.fall_into(join, place);
                let result = result.map(Expr::Local).or(memory);
                Value { ty: ret, expr: result.unwrap_or(Expr::FALSE) }
            }
        };
        self.frame.scopes.pop();
        value
    }

    /// Parameters that the model does not assign stand for the arguments themselves.
    fn bind_arguments(&mut self, function: &'a ast::FunctionDef, values: Vec<Value>, span: Span) {
        let assigned = visit::assigned(&function.body);
        let params = self.parameters(function);
        for (param, value) in params.into_iter().zip(values) {
            let value = self.convert(value, param.ty, span);
            let Some(name) = param.name.clone() else { continue };
            let simple = is_simple(&value.expr);
            let touched = assigned.contains(&name) || self.frame.addressed.contains(&name);
            if simple && !touched {
                self.declare(name, Entity::Variable(param.ty, Slot::Value(value.expr)));
            } else {
                self.assign(param.local, value.expr, span);
                self.settle_parameters(vec![param]);
            }
        }
    }
}

/// Cheap enough to stand wherever the parameter does.
fn is_simple(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) | Expr::Local(_) | Expr::Tid => true,
        Expr::Binary(selvedge_ir::BinaryOp::PtrAdd, base, offset) => {
            is_simple(base) && matches!(**offset, Expr::Const(Const::Int(..)))
        }
        Expr::Cast(_, inner) => is_simple(inner),
        _ => false,
    }
}

/// The expression of the only `return`, where that is the last statement.
fn single_return(body: &ast::Block) -> Option<&ast::Expr> {
    let (last, others) = body.items.split_last()?;
    let ast::BlockItem::Statement(Statement { kind: StatementKind::Return(Some(value)), .. }) =
        last
    else {
        return None;
    };
    let mut returns = false;
    for item in others {
        visit::statements_of_item(item, &mut |s| {
            returns |= matches!(s.kind, StatementKind::Return(_));
        });
    }
    (!returns).then_some(value)
}

/// Whether the function keeps variables from call to call: it must exist once then.
fn has_statics(body: &ast::Block) -> bool {
    let is_static = |item: &ast::BlockItem| {
        matches!(item, ast::BlockItem::Declaration(declaration)
            if declaration.specifiers.storage == Some(ast::Storage::Static))
    };
    let mut found = body.items.iter().any(is_static);
    for item in &body.items {
        visit::statements_of_item(item, &mut |statement| {
            if let StatementKind::Block(block) = &statement.kind {
                found |= block.items.iter().any(is_static);
            }
        });
    }
    found
}

/// Names of functions that the expressions of some code call or mention.
pub(crate) fn mentioned(body: &ast::Block, into: &mut HashSet<std::rc::Rc<str>>) {
    visit::expressions(body, &mut |e| {
        if let ExprKind::Ident(name) = &e.kind {
            into.insert(name.name.clone());
        }
    });
}
