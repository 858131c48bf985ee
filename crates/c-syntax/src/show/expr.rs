//! Expressions and initialisers.

use super::Printer;
use crate::ast::{
    Designator, Expr, ExprKind, GenericArm, InitItem, Initializer, IntegerLiteral, LongSuffix,
};

impl Printer {
    pub(super) fn initializer(&mut self, init: &Initializer) {
        match init {
            Initializer::Expr(value) => self.expr(value),
            Initializer::List(items, _) => self.init_items(items),
        }
    }

    fn init_items(&mut self, items: &[InitItem]) {
        self.put("{");
        self.list(items, ", ", |printer, item: &InitItem| {
            printer.designators(&item.designators);
            printer.put_if(!item.designators.is_empty(), "=");
            crate::with_deep_stack(|| printer.initializer(&item.init));
        });
        self.put("}");
    }

    fn designators(&mut self, path: &[Designator]) {
        for part in path {
            match part {
                Designator::Field(name) => self.put(&format!(".{}", name.name)),
                Designator::Index(index) => {
                    self.put("[");
                    self.expr(index);
                    self.put("]");
                }
                Designator::Range(low, high) => {
                    self.put("[");
                    self.expr(low);
                    self.put("...");
                    self.expr(high);
                    self.put("]");
                }
            }
        }
    }

    /// `_` where there is none.
    pub(super) fn optional(&mut self, value: Option<&Expr>) {
        match value {
            Some(value) => self.expr(value),
            None => self.put("_"),
        }
    }

    /// Expressions nest as deeply as the source has it.
    pub(super) fn expr(&mut self, it: &Expr) {
        crate::with_deep_stack(|| self.expr_kind(&it.kind));
    }

    /// `(operator operand operand)`.
    fn operation(&mut self, operator: &str, operands: &[&Expr]) {
        self.put("(");
        self.put(operator);
        for operand in operands {
            self.put(" ");
            self.expr(operand);
        }
        self.put(")");
    }

    fn expr_kind(&mut self, kind: &ExprKind) {
        match kind {
            ExprKind::Ident(name) => self.put(&name.name),
            ExprKind::Integer(it) => self.integer(it),
            ExprKind::Float(it) => {
                let imaginary = if it.imaginary { " i" } else { "" };
                self.put(&format!("({} {:?}{imaginary})", it.text, it.kind));
            }
            ExprKind::Char(it) => self.put(&format!("'{}", it.value)),
            ExprKind::String(it) => {
                let unit = |&unit| char::from_u32(unit).unwrap_or('\u{fffd}');
                self.put(&format!("{:?}", it.units.iter().map(unit).collect::<String>()));
            }
            ExprKind::Index { array, index } => self.operation("[]", &[array, index]),
            ExprKind::Call { callee, args } => {
                let all: Vec<&Expr> = std::iter::once(&**callee).chain(args).collect();
                self.operation("call", &all);
            }
            ExprKind::Member { object, arrow, name } => {
                self.put(if *arrow { "(-> " } else { "(. " });
                self.expr(object);
                self.put(&format!(" {})", name.name));
            }
            ExprKind::Unary { op, operand } => self.operation(&format!("{op:?}"), &[operand]),
            ExprKind::Binary { op, left, right } => {
                self.operation(&format!("{op:?}"), &[left, right]);
            }
            ExprKind::Assign { op, target, value } => {
                let op = op.map_or(String::new(), |op| format!("{op:?}"));
                self.operation(&format!("{op}="), &[target, value]);
            }
            ExprKind::Conditional { condition, then, otherwise } => match then {
                Some(then) => self.operation("?", &[condition, then, otherwise]),
                None => self.operation("?:", &[condition, otherwise]),
            },
            ExprKind::Comma { left, right } => self.operation(",", &[left, right]),
            ExprKind::SizeofExpr(of) => self.operation("sizeof", &[of]),
            ExprKind::AlignofExpr(of) => self.operation("alignof", &[of]),
            ExprKind::Choose { condition, then, otherwise } => {
                self.operation("choose", &[condition, then, otherwise]);
            }
            ExprKind::StatementExpr(inner) => {
                self.put("(");
                self.block(inner);
                self.put(")");
            }
            ExprKind::LabelAddress(name) => self.put(&format!("(label {})", name.name)),
            ExprKind::Cast { .. }
            | ExprKind::CompoundLiteral { .. }
            | ExprKind::SizeofType(_)
            | ExprKind::AlignofType(_)
            | ExprKind::GnuAlignofType(_)
            | ExprKind::Offsetof { .. }
            | ExprKind::Generic { .. }
            | ExprKind::VaArg { .. }
            | ExprKind::TypesCompatible(..)
            | ExprKind::Convert { .. } => self.typed(kind),
        }
    }

    /// The expressions that mention a type.
    fn typed(&mut self, kind: &ExprKind) {
        self.put("(");
        match kind {
            ExprKind::Cast { ty, operand } | ExprKind::Convert { ty, operand } => {
                let cast = matches!(kind, ExprKind::Cast { .. });
                self.put(if cast { "cast " } else { "convert " });
                self.type_name(ty);
                self.put(" ");
                self.expr(operand);
            }
            ExprKind::CompoundLiteral { ty, init } => {
                self.put("literal ");
                self.type_name(ty);
                self.put(" ");
                self.init_items(init);
            }
            ExprKind::SizeofType(of) => {
                self.put("sizeof type ");
                self.type_name(of);
            }
            ExprKind::AlignofType(of) | ExprKind::GnuAlignofType(of) => {
                self.put("alignof type ");
                self.type_name(of);
            }
            ExprKind::Offsetof { ty, path } => {
                self.put("offsetof ");
                self.type_name(ty);
                self.put(" ");
                self.designators(path);
            }
            ExprKind::Generic { control, arms } => self.generic(control, arms),
            ExprKind::VaArg { list, ty } => {
                self.put("va_arg ");
                self.expr(list);
                self.put(" ");
                self.type_name(ty);
            }
            ExprKind::TypesCompatible(a, b) => {
                self.put("compatible ");
                self.type_name(a);
                self.put(", ");
                self.type_name(b);
            }
            _ => unreachable!("an expression that mentions no type"),
        }
        self.put(")");
    }

    fn generic(&mut self, control: &Expr, arms: &[GenericArm]) {
        self.put("generic ");
        self.expr(control);
        for arm in arms {
            self.put(" ");
            match &arm.ty {
                Some(ty) => self.type_name(ty),
                None => self.put("default"),
            }
            self.put(": ");
            self.expr(&arm.value);
        }
    }

    fn integer(&mut self, it: &IntegerLiteral) {
        self.put(&it.value.to_string());
        self.put_if(it.unsigned, "u");
        self.put(match it.long {
            LongSuffix::None => "",
            LongSuffix::Long => "l",
            LongSuffix::LongLong => "ll",
        });
    }
}
