//! Structured bodies become graphs. Each statement is lowered between two given locations: the one
//! it starts from and the one it leads to.

use std::collections::HashMap;

use super::Lowered;
use super::body::Lowering;
use crate::text::ast::{Expr as Syntax, Statement};
use crate::text::lexer::At;
use crate::{Action, Expr, Grain, LocationId, Span};

impl Lowering<'_> {
    pub fn structured(&mut self, statements: &[Statement]) {
        self.procedure.entry = self.procedure.add_location(Grain::Yield);
        self.procedure.exit = self.procedure.add_location(Grain::Yield);
        self.block(statements, self.procedure.entry, self.procedure.exit);
        self.number_in_reading_order();
    }

    fn here(&mut self, at: At, written: Option<Span>) {
        self.span = self.globals.span(at, written);
    }

    fn edge(&mut self, from: LocationId, action: Action, to: LocationId) {
        self.procedure.add_edge(from, action, to, self.span);
    }

    fn block(&mut self, statements: &[Statement], from: LocationId, to: LocationId) {
        let acts = |s: &&Statement| !matches!(s, Statement::Local(_, None, _));
        let statements: Vec<&Statement> = statements.iter().filter(acts).collect();
        let Some((last, before)) = statements.split_last() else {
            return self.edge(from, Action::Skip, to);
        };
        let mut at = from;
        for statement in before {
            let next = self.fresh();
            self.statement(statement, at, next);
            at = next;
        }
        self.statement(last, at, to);
    }

    /// A mistake is in the list of errors already; the statements behind it are lowered all the
    /// same, to find theirs.
    fn statement(&mut self, statement: &Statement, from: LocationId, to: LocationId) {
        let _ = self.try_statement(statement, from, to);
    }

    fn try_statement(
        &mut self,
        statement: &Statement,
        from: LocationId,
        to: LocationId,
    ) -> Lowered<()> {
        self.cursor = Some(from);
        match statement {
            Statement::Local(local, init, at) => {
                self.here(*at, None);
                let Some(id) = self.local_named(&local.name.text) else { return Ok(()) };
                let Some(init) = init else { return Ok(()) };
                let action = self.assign(id, init)?;
                self.finish(action, to);
            }
            Statement::Simple(simple, at, span) => {
                self.here(*at, *span);
                let action = self.simple(simple, *at)?;
                self.finish(action, to);
            }
            Statement::If(condition, then, otherwise, at) => {
                self.here(*at, None);
                let condition = self.condition(condition)?;
                let at = self.cursor.unwrap_or(from);
                self.branch(at, condition.clone(), then, to);
                self.branch(at, condition.not(), otherwise, to);
            }
            Statement::While(condition, body, at) => {
                self.here(*at, None);
                self.repeat(condition, body, from, to)?;
            }
            Statement::Atomic(body) => {
                let outside = std::mem::replace(&mut self.atomic, true);
                self.block(body, from, to);
                self.atomic = outside;
            }
            Statement::Choose(branches, at) => {
                self.here(*at, None);
                self.shared_starts.insert(from);
                for branch in branches {
                    self.block(branch, from, to);
                }
            }
            Statement::Return(value, at) => {
                self.here(*at, None);
                self.give_back(value.as_ref(), *at)?;
            }
        }
        Ok(())
    }

    /// The last action of a statement.
    fn finish(&mut self, action: Action, to: LocationId) {
        if let Some(from) = self.cursor {
            self.edge(from, action, to);
        }
    }

    fn branch(&mut self, from: LocationId, condition: Expr, body: &[Statement], to: LocationId) {
        if condition == Expr::FALSE {
            return;
        }
        let span = self.span;
        let start = if body.is_empty() { to } else { self.fresh() };
        self.edge(from, Action::Assume(condition), start);
        if !body.is_empty() {
            self.block(body, start, to);
        }
        self.span = span;
    }

    fn repeat(
        &mut self,
        condition: &Syntax,
        body: &[Statement],
        from: LocationId,
        to: LocationId,
    ) -> Lowered<()> {
        // The loop comes back to its head: that must not lie outside the atomic block, nor be a
        // location that other alternatives leave.
        let outside = self.atomic && self.procedure.locations[from].grain != Grain::Atomic;
        let head = if outside || self.shared_starts.contains(&from) {
            let head = self.fresh();
            self.edge(from, Action::Skip, head);
            head
        } else {
            from
        };
        self.cursor = Some(head);
        let condition = self.condition(condition)?;
        let at = self.cursor.unwrap_or(head);
        if condition == Expr::TRUE {
            self.block(body, at, head);
            return Ok(());
        }
        self.branch(at, condition.clone(), body, head);
        self.branch(at, condition.not(), &[], to);
        Ok(())
    }

    fn give_back(&mut self, value: Option<&Syntax>, at: At) -> Lowered<()> {
        let action = match (value, self.procedure.result) {
            (None, _) => Action::Skip,
            (Some(value), Some(result)) => self.assign(result, value)?,
            (Some(_), None) => {
                let error = at.error("this procedure returns nothing");
                return self.globals.fail(error.help("give its result: `procedure f() -> i32`"));
            }
        };
        self.finish(action, self.procedure.exit);
        Ok(())
    }

    /// Numbers the locations as a reader meets them, the exit last, and drops those that nothing
    /// leads to.
    fn number_in_reading_order(&mut self) {
        let (entry, exit) = (self.procedure.entry, self.procedure.exit);
        let mut order: Vec<LocationId> = Vec::new();
        let mut number: HashMap<LocationId, LocationId> = HashMap::new();
        let mut open = vec![entry];
        while let Some(at) = open.pop() {
            if at == exit || number.contains_key(&at) {
                continue;
            }
            number.insert(at, LocationId::from_u32(order.len() as u32));
            order.push(at);
            let targets = self.procedure.locations[at].edges.iter().map(|e| e.target);
            open.extend(targets.rev());
        }
        number.insert(exit, LocationId::from_u32(order.len() as u32));
        order.push(exit);
        let mut old = std::mem::take(&mut self.procedure.locations);
        for at in order {
            let grain = old[at].grain;
            let mut edges = std::mem::take(&mut old[at].edges);
            for edge in &mut edges {
                edge.target = number[&edge.target];
            }
            let new = self.procedure.add_location(grain);
            self.procedure.locations[new].edges = edges;
        }
        self.procedure.entry = number[&entry];
        self.procedure.exit = number[&exit];
    }
}
