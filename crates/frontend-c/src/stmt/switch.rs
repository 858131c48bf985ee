//! `switch`: one location with an alternative for each case, and one for the rest.

use selvedge_c_syntax::Diagnostic;
use selvedge_c_syntax::ast::{self, Span, Statement};
use selvedge_ir::{BinaryOp, Const, Expr, Int, Type};

use crate::fold::Typed;
use crate::lowering::{Case, ExtentId, Jump, Lowering, Switch};
use crate::types::Ty;

impl<'a> Lowering<'a> {
    pub(super) fn switch(&mut self, value: &'a ast::Expr, body: &'a Statement, span: Span) {
        let tested = self.rvalue(value);
        if !self.types.is_integer(tested.ty) && !self.types.is_error(tested.ty) {
            let message =
                format!("a switch over a value of type `{}`", self.types.describe(tested.ty));
            self.error("switch", value.span, message);
        }
        let ty = self.types.promoted(tested.ty);
        let tested = self.convert(tested, ty, value.span);
        let from = self.body.current;
        self.body.dead();
        let after = self.body.location();
        let switch = Switch { ty: Some(ty), cases: Vec::new(), default: None };
        let depth = self.frame.scopes.len();
        let path = self.path();
        self.frame.jumps.push(Jump {
            on_break: after,
            on_continue: None,
            depth,
            switch: Some(switch),
        });
        self.substatement(body);
        let place = self.place(span);
        self.body.jump(after, place);
        let finished = self.frame.jumps.pop().and_then(|jump| jump.switch);
        if let (Some(switch), Some(Type::Int(int))) = (finished, self.types.scalar(ty)) {
            let switch = self.entered(switch, &path, span);
            self.dispatch(from, tested.expr, int, switch, after, span);
        } else if !self.types.is_error(ty) {
            self.body.current = from;
            self.unsupported("a switch over this type", span);
            self.body.jump(after, place);
        }
        self.body.current = after;
    }

    /// The switch with labels at which the blocks around them have been entered.
    fn entered(&mut self, mut switch: Switch, path: &[ExtentId], span: Span) -> Switch {
        for case in &mut switch.cases {
            case.target = self.crossing(path, &case.path, case.target, case.span);
        }
        if let Some((target, inside)) = &mut switch.default {
            *target = self.crossing(path, inside, *target, span);
        }
        switch
    }

    fn dispatch(
        &mut self,
        from: crate::body::Loc,
        value: Expr,
        int: Int,
        switch: Switch,
        after: crate::body::Loc,
        span: Span,
    ) {
        let place = self.place(span);
        let default = switch.default.as_ref().map_or(after, |(default, _)| *default);
        if let Expr::Const(Const::Int(bits, int)) = value {
            let number = int.value(bits);
            let hit = switch.cases.iter().find(|c| c.low <= number && number <= c.high);
            self.body.current = from;
            return self.body.jump(hit.map_or(default, |case| case.target), place);
        }
        let mut others = Vec::new();
        for case in &switch.cases {
            let (inside, outside) = if case.low == case.high {
                let number = Expr::int(case.low, int);
                let same = self.body.binary(BinaryOp::Eq, value.clone(), number);
                (same.clone(), same.not())
            } else {
                let low = Expr::int(case.low, int);
                let high = Expr::int(case.high, int);
                let above = self.body.binary(BinaryOp::Ge, value.clone(), low);
                let below = self.body.binary(BinaryOp::Le, value.clone(), high);
                let outside =
                    self.body.binary(BinaryOp::Or, above.clone().not(), below.clone().not());
                (self.body.binary(BinaryOp::And, above, below), outside)
            };
            let place = self.place(case.span);
            self.body.alternative(from, inside, case.target, place);
            others.push(outside);
        }
        self.body.current = from;
        if switch.cases.is_empty() {
            self.body.jump(default, place);
        } else {
            let rest = self.all(&others);
            self.body.alternative(from, rest, default, place);
        }
    }

    /// All of them, as a flat tree: there may be thousands.
    fn all(&self, conditions: &[Expr]) -> Expr {
        match conditions {
            [] => Expr::TRUE,
            [only] => only.clone(),
            many => {
                let (left, right) = many.split_at(many.len() / 2);
                self.body.binary(BinaryOp::And, self.all(left), self.all(right))
            }
        }
    }

    fn innermost_switch(&mut self) -> Option<&mut Switch> {
        self.frame.jumps.iter_mut().rev().find_map(|jump| jump.switch.as_mut())
    }

    pub(super) fn case(&mut self, low: &'a ast::Expr, high: Option<&'a ast::Expr>, span: Span) {
        let Some(ty) = self.innermost_switch().map(|switch| switch.ty) else {
            return self.error("case", span, "`case` outside a switch");
        };
        let first = self.case_value(low, ty);
        let last = high.map_or(first, |high| self.case_value(high, ty));
        let target = self.body.location();
        let place = self.place(span);
        self.body.fall_into(target, place);
        let path = self.path();
        let Some(switch) = self.innermost_switch() else { return };
        let clash = switch.cases.iter().find(|c| c.low <= last && first <= c.high).cloned();
        if first <= last {
            switch.cases.push(Case { low: first, high: last, target, path, span });
        }
        if let Some(other) = clash {
            self.report(
                Diagnostic::error(
                    "duplicate-case",
                    format!("the value {first} has two `case` labels"),
                )
                .at(span)
                .related(other.span, "the first one"),
            );
        }
    }

    /// The value of a label, as the switch sees it.
    fn case_value(&mut self, expr: &'a ast::Expr, ty: Option<Ty>) -> i128 {
        let value = self.constant_int(expr, "the value of a case");
        match ty.and_then(|ty| self.types.scalar(ty)) {
            Some(Type::Int(int)) => int.value(int.wrap(value)),
            _ => value,
        }
    }

    pub(super) fn default(&mut self, span: Span) {
        let target = self.body.location();
        let place = self.place(span);
        self.body.fall_into(target, place);
        let path = self.path();
        let taken = match self.innermost_switch() {
            Some(switch) => switch.default.replace((target, path)).is_some(),
            None => return self.error("default", span, "`default` outside a switch"),
        };
        if taken {
            self.error("duplicate-case", span, "this `switch` has two `default` labels");
        }
    }
}
