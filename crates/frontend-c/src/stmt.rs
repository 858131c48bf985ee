//! Statements.

mod cleanup;
mod declaration;
mod extent;
mod jump;
mod switch;

use selvedge_c_syntax::Diagnostic;
use selvedge_c_syntax::ast::{
    Asm, Block, BlockItem, Expr, ForInit, Span, Statement, StatementKind,
};
use selvedge_ir::spec::{Clause, GhostAction};
use selvedge_ir::{Action, Check, CheckKind, Property};

use crate::expr::Value;
use crate::lowering::{Jump, Lowering, Target};

impl<'a> Lowering<'a> {
    pub fn block(&mut self, block: &'a Block) {
        self.enter_scope();
        self.block_items(block);
        self.leave_scope(block.span);
    }

    /// A statement inside another is a block of its own (C11 6.8.4 and 6.8.5).
    fn substatement(&mut self, statement: &'a Statement) {
        match &statement.kind {
            StatementKind::Expr(_) | StatementKind::Label { .. } => {
                self.enter_scope();
                self.statement(statement);
                self.leave_scope(statement.span);
            }
            _ => self.statement(statement),
        }
    }

    pub fn block_items(&mut self, block: &'a Block) {
        for item in &block.items {
            self.block_item(item);
        }
    }

    pub fn block_item(&mut self, item: &'a BlockItem) {
        match item {
            BlockItem::Statement(statement) => self.statement(statement),
            BlockItem::Declaration(declaration) => self.local_declaration(declaration),
            BlockItem::StaticAssert(assertion) => self.static_assert(assertion),
            BlockItem::Function(function) => self.nested_function(function),
            BlockItem::LocalLabels(labels) => {
                for label in labels {
                    let location = self.body.location();
                    self.scope().labels.insert(label.name.clone(), location);
                }
            }
        }
    }

    /// The statements of a statement expression; its value is that of the last one.
    pub fn block_value(&mut self, block: &'a Block) -> Value {
        let Some((last, others)) = block.items.split_last() else { return self.void_value() };
        for item in others {
            self.block_item(item);
        }
        match last {
            BlockItem::Statement(statement) => self.statement_value(statement),
            item => {
                self.block_item(item);
                self.void_value()
            }
        }
    }

    fn statement_value(&mut self, statement: &'a Statement) -> Value {
        match &statement.kind {
            StatementKind::Expr(expr) => self.rvalue(expr),
            StatementKind::Label { name, body } => {
                self.define_label(name);
                self.statement_value(body)
            }
            _ => {
                self.statement(statement);
                self.void_value()
            }
        }
    }

    /// An expression that is no part of another; what it makes ends with it.
    fn whole(&mut self, expr: &'a Expr) {
        let before = self.frame.temporaries.len();
        self.effect(expr);
        self.end_temporaries(before, expr.span);
    }

    pub fn statement(&mut self, statement: &'a Statement) {
        let span = statement.span;
        let place = self.place(span);
        match &statement.kind {
            StatementKind::Empty => {}
            StatementKind::Expr(expr) => self.whole(expr),
            StatementKind::Block(block) => self.block(block),
            StatementKind::If { condition, then, otherwise } => {
                self.if_statement(condition, then, otherwise.as_deref(), span);
            }
            StatementKind::Switch { value, body } => self.switch(value, body, span),
            StatementKind::While { invariants, condition, body } => {
                let head = self.body.location();
                self.body.fall_into(head, place);
                self.invariants(invariants);
                let (inside, after) = (self.body.location(), self.body.location());
                self.branch_on_whole(condition, inside, after);
                self.body.current = inside;
                self.loop_body(body, after, head);
                self.body.jump(head, place);
                self.body.current = after;
            }
            StatementKind::DoWhile { invariants, body, condition } => {
                let (head, test, after) =
                    (self.body.location(), self.body.location(), self.body.location());
                self.body.fall_into(head, place);
                self.invariants(invariants);
                self.loop_body(body, after, test);
                self.body.fall_into(test, place);
                self.branch_on_whole(condition, head, after);
                self.body.current = after;
            }
            StatementKind::For { invariants, init, condition, step, body } => {
                self.enter_scope();
                match init {
                    ForInit::None => {}
                    ForInit::Expr(expr) => self.whole(expr),
                    ForInit::Declaration(declaration) => self.local_declaration(declaration),
                }
                let (head, inside, next, after) = (
                    self.body.location(),
                    self.body.location(),
                    self.body.location(),
                    self.body.location(),
                );
                self.body.fall_into(head, place);
                self.invariants(invariants);
                match condition {
                    Some(condition) => self.branch_on_whole(condition, inside, after),
                    None => self.body.jump(inside, place),
                }
                self.body.current = inside;
                self.loop_body(body, after, next);
                self.body.fall_into(next, place);
                if let Some(step) = step {
                    self.whole(step);
                }
                self.body.jump(head, place);
                self.body.current = after;
                self.leave_scope(span);
            }
            StatementKind::Label { name, body } => {
                self.define_label(name);
                self.statement(body);
            }
            StatementKind::Case { low, high, body } => {
                self.case(low, high.as_ref(), span);
                self.statement(body);
            }
            StatementKind::Default { body } => {
                self.default(span);
                self.statement(body);
            }
            StatementKind::Goto(label) => self.goto(label),
            StatementKind::GotoComputed(target) => self.goto_computed(target, span),
            StatementKind::Continue => self.continue_statement(span),
            StatementKind::Break => self.break_statement(span),
            StatementKind::Return(value) => self.return_statement(value.as_ref(), span),
            StatementKind::Asm(asm) => self.asm(asm, span),
            StatementKind::Assert(condition) => self.assert_clause(condition),
            StatementKind::Ghost { updates, joined } => {
                self.ghost_statement(updates, joined, span);
            }
            StatementKind::Unsupported(what) => self.unsupported(what.to_string(), span),
        }
    }

    /// An assertion of an annotation, evaluated as the argument of `assert` is.
    fn assert_clause(&mut self, condition: &'a Expr) {
        if !self.options.checks(Property::Assert) {
            return;
        }
        let span = condition.span;
        if self.is_specification(condition) {
            return self.claimed(condition, GhostAction::Assert);
        }
        let cond = self.condition(condition);
        let kind = CheckKind::Condition(self.sources.snippet(span).to_owned());
        self.assert(cond, Check::new(Property::Assert, kind), span);
    }

    /// A claim with the words of specifications. Where these are not read, it is not checked.
    fn claimed(&mut self, said: &'a Expr, make: fn(Clause) -> GhostAction) {
        if self.options.specifications {
            if let Some(action) = self.claim(said, make) {
                self.emit(action, said.span);
            }
            return;
        }
        let text = "this clause has words or variables of specifications, and is not checked here";
        let help = "`selvedge contracts` checks it";
        self.report(Diagnostic::warning("annotation", text).at(said.span).help(help));
        self.unsupported("a clause with words or variables of specifications", said.span);
    }

    /// The invariants of a loop, at its head. Both sides of `||` are evaluated: control does not
    /// branch there.
    fn invariants(&mut self, invariants: &'a [Expr]) {
        for invariant in invariants {
            let aside = self.body.open_aside();
            if self.is_specification(invariant) {
                self.claimed(invariant, GhostAction::Invariant);
                let place = self.place(invariant.span);
                self.body.close_aside(aside, place);
                continue;
            }
            let before = std::mem::replace(&mut self.eager, true);
            let cond = self.condition(invariant);
            self.eager = before;
            let kind = CheckKind::Label("loop invariant".to_owned());
            let check = Check::new(Property::Invariant, kind);
            self.emit(Action::Assert { cond, check }, invariant.span);
            let place = self.place(invariant.span);
            self.body.close_aside(aside, place);
        }
    }

    fn if_statement(
        &mut self,
        condition: &'a Expr,
        then: &'a Statement,
        otherwise: Option<&'a Statement>,
        span: Span,
    ) {
        let place = self.place(span);
        if let Some(otherwise) = otherwise
            && self.assertion_statement(condition, then, otherwise)
        {
            return;
        }
        let (yes, no) = (self.body.location(), self.body.location());
        self.branch_on_whole(condition, yes, no);
        self.body.current = yes;
        self.substatement(then);
        match otherwise {
            None => self.body.fall_into(no, place),
            Some(otherwise) => {
                let join = self.body.location();
                self.body.jump(join, place);
                self.body.current = no;
                self.substatement(otherwise);
                self.body.fall_into(join, place);
            }
        }
    }

    /// What newer headers make of `assert(e)`: `if (e) ; else __assert_fail(...);`.
    fn assertion_statement(
        &mut self,
        condition: &'a Expr,
        then: &'a Statement,
        otherwise: &'a Statement,
    ) -> bool {
        use selvedge_ir::Property;
        let StatementKind::Expr(call) = &otherwise.kind else { return false };
        let nothing = matches!(then.kind, StatementKind::Empty);
        if !nothing || !self.options.checks(Property::Assert) {
            return false;
        }
        let Some(kind) = self.failing_call(call) else { return false };
        let cond = self.condition(condition);
        self.assert(cond, Check::new(Property::Assert, kind), condition.span);
        true
    }

    fn loop_body(
        &mut self,
        body: &'a Statement,
        on_break: crate::body::Loc,
        on_continue: crate::body::Loc,
    ) {
        let on_continue = Some(on_continue);
        let depth = self.frame.scopes.len();
        self.frame.jumps.push(Jump { on_break, on_continue, depth, switch: None });
        self.substatement(body);
        self.frame.jumps.pop();
    }

    fn return_statement(&mut self, value: Option<&'a selvedge_c_syntax::ast::Expr>, span: Span) {
        let returns = self.frame.returns.clone();
        if let Some(value) = value {
            if self.types.is_void(returns.ty) {
                self.effect(value);
            } else {
                let outer = self.frame.element;
                if self.frame.site.is_none() {
                    self.frame.element =
                        self.types.pointee(returns.ty).filter(|to| !self.types.is_void(*to));
                }
                let result = self.rvalue(value);
                self.frame.element = outer;
                let result = self.convert(result, returns.ty, value.span);
                match (returns.memory, returns.result) {
                    (Some(memory), _) => self.copy(memory, result.expr, returns.ty, span),
                    (None, Some(local)) => self.assign(local, result.expr, span),
                    (None, None) => {}
                }
            }
        }
        if self.awaits_cleanup() {
            return self.leap(Target::Place(returns.target, Vec::new()), span);
        }
        let place = self.place(span);
        self.body.jump(returns.target, place);
    }

    /// Assembly is not understood, but for barriers: memory is sequentially consistent anyway.
    fn asm(&mut self, asm: &'a Asm, span: Span) {
        let text = asm.template.trim().to_ascii_lowercase();
        let barrier = matches!(
            text.as_str(),
            "" | "nop"
                | "pause"
                | "rep; nop"
                | "rep;nop"
                | "rep nop"
                | "mfence"
                | "lfence"
                | "sfence"
                | "yield"
                | "dmb ish"
                | "isb"
                | "sync"
                | "lwsync"
        );
        if !barrier || !asm.outputs.is_empty() || !asm.labels.is_empty() {
            self.unsupported("inline assembly", span);
        }
    }
}
