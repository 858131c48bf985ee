//! Prints expressions and places.
//!
//! A number is printed without its type where the reader gets the type from the context: from what
//! it is assigned to, from the operand beside it, and failing that from `i32`. `want` is that
//! context; `evident` is what the operands show by themselves. The reader goes by the same rules
//! (`lower/value.rs`).

use std::collections::HashSet;

use super::super::names::{self, Step, name, path_to};
use crate::{
    BinaryOp, Const, Expr, Int, LocalId, ObjectId, Place, ProcId, Procedure, Program, Type, UnaryOp,
};

pub const UNARY: u8 = 10;

/// What names mean inside one procedure.
pub struct Context<'a> {
    pub program: &'a Program,
    pub procedure: Option<&'a Procedure>,
    local_names: HashSet<&'a str>,
}

impl<'a> Context<'a> {
    pub fn new(program: &'a Program, procedure: Option<&'a Procedure>) -> Context<'a> {
        let locals = procedure.iter().flat_map(|p| p.locals.values());
        Context { program, procedure, local_names: locals.map(|l| l.name.as_str()).collect() }
    }

    pub fn local(&self, id: LocalId) -> String {
        match self.procedure.and_then(|p| p.locals.get(id)) {
            Some(local) => name(&local.name),
            None => format!("\"{id}?\""),
        }
    }

    pub fn local_type(&self, id: LocalId) -> Option<Type> {
        Some(self.procedure?.locals.get(id)?.ty)
    }

    fn object(&self, id: ObjectId) -> String {
        match self.program.objects.get(id) {
            Some(object) if self.local_names.contains(object.name.as_str()) => {
                format!("::{}", name(&object.name))
            }
            Some(object) => name(&object.name),
            None => format!("\"{id}?\""),
        }
    }

    pub fn procedure_name(&self, id: ProcId) -> String {
        match self.program.procedures.get(id) {
            Some(procedure) => name(&procedure.name),
            None => format!("\"{id}?\""),
        }
    }

    fn region(&self, place: &Place) -> String {
        match place.region.map(|id| (id, self.program.regions.get(id))) {
            Some((_, Some(region))) => format!(" in {}", name(&region.name)),
            Some((id, None)) => format!(" in \"{id}?\""),
            None => String::new(),
        }
    }

    /// `&x`, `&s.next`, `&(x + 3)`.
    fn address(&self, id: ObjectId, offset: i64) -> String {
        if offset == 0 {
            return format!("&{}", self.object(id));
        }
        match self.direct(id, offset) {
            Some((_, path)) => format!("&{path}"),
            None if offset < 0 => format!("&({} - {})", self.object(id), offset.unsigned_abs()),
            None => format!("&({} + {offset})", self.object(id)),
        }
    }

    /// The path to the scalar at an offset of an object, and the scalar's type.
    fn direct(&self, id: ObjectId, offset: i64) -> Option<(Type, String)> {
        let layout = self.program.objects.get(id)?.layout;
        let (ty, steps) = path_to(self.program, layout, u64::try_from(offset).ok()?)?;
        Some((ty, self.object(id) + &path(&steps)))
    }

    fn proc_address(&self, id: ProcId) -> String {
        let Some(procedure) = self.program.procedures.get(id) else {
            return format!("&proc \"{id}?\"");
        };
        let text = procedure.name.as_str();
        let taken = self.local_names.contains(text) || self.program.object_named(text).is_some();
        format!("&{}{}", if taken { "proc " } else { "" }, name(text))
    }

    pub fn constant(&self, constant: Const, want: Option<Type>) -> String {
        match constant {
            Const::Bool(b) => b.to_string(),
            Const::Int(bits, int) => {
                let evident = want.unwrap_or(Type::Int(Int::I32)) == Type::Int(int);
                let suffix = if evident { String::new() } else { int.to_string() };
                format!("{}{suffix}", int.value(bits))
            }
            Const::Null => "null".to_string(),
            Const::Object(id, offset) => self.address(id, offset),
            Const::Proc(id) => self.proc_address(id),
            Const::NoThread => "none".to_string(),
        }
    }

    /// The type that an expression shows where its numbers show none.
    pub fn evident(&self, e: &Expr) -> Option<Type> {
        match e {
            Expr::Const(Const::Int(..)) => None,
            Expr::Const(c) => Some(c.ty()),
            Expr::Local(id) => self.local_type(*id),
            Expr::Tid => Some(Type::Thread),
            Expr::Unary(UnaryOp::Not, _) => Some(Type::Bool),
            Expr::Unary(UnaryOp::Float(format, function), _) => {
                Some(Type::Int(format.result(*function)))
            }
            Expr::Unary(_, a) => self.evident(a),
            Expr::Binary(op, ..) if op.is_test() => Some(Type::Bool),
            Expr::Binary(BinaryOp::Float(format, _), ..) => Some(format.ty()),
            Expr::Binary(BinaryOp::PtrSub, ..) => Some(Type::Int(self.program.model.diff_type())),
            Expr::Binary(_, a, b) => self.evident(a).or_else(|| self.evident(b)),
            Expr::Cast(ty, _) => Some(*ty),
            Expr::Ite(_, a, b) => self.evident(a).or_else(|| self.evident(b)),
        }
    }

    pub fn expr(&self, e: &Expr, want: Option<Type>) -> String {
        let mut out = String::new();
        self.write(&mut out, e, want, 0);
        out
    }

    /// Appends the expression, in parentheses if it binds less tightly than `least`.
    fn write(&self, out: &mut String, e: &Expr, want: Option<Type>, least: u8) {
        stacker::maybe_grow(64 << 10, 1 << 20, || match e {
            Expr::Const(c) => out.push_str(&self.constant(*c, want)),
            Expr::Local(id) => out.push_str(&self.local(*id)),
            Expr::Tid => out.push_str("tid"),
            Expr::Unary(op, a) => self.write_unary(out, *op, a, want),
            Expr::Binary(op, a, b) => self.write_binary(out, *op, (e, a, b), want, least),
            Expr::Cast(ty, a) => {
                out.push_str(&format!("{ty}("));
                self.write(out, a, None, 0);
                out.push(')');
            }
            Expr::Ite(c, a, b) => {
                let want = want.or_else(|| self.evident(e));
                parenthesised(out, least > 0, |out| {
                    self.write(out, c, Some(Type::Bool), 1);
                    out.push_str(" ? ");
                    self.write(out, a, want, 0);
                    out.push_str(" : ");
                    self.write(out, b, want, 0);
                });
            }
        });
    }

    fn write_unary(&self, out: &mut String, op: UnaryOp, a: &Expr, want: Option<Type>) {
        let (sign, want) = match op {
            UnaryOp::Not => ('!', Some(Type::Bool)),
            UnaryOp::Neg => ('-', want.or_else(|| self.evident(a))),
            UnaryOp::BitNot => ('~', want.or_else(|| self.evident(a))),
            UnaryOp::Float(format, function) => {
                out.push_str(&names::float_function(format, function));
                out.push('(');
                self.write(out, a, format.operand(function), 0);
                return out.push(')');
            }
        };
        out.push(sign);
        // A minus before a number would be read as the number's own sign.
        let number = matches!(a, Expr::Const(Const::Int(..))) && op == UnaryOp::Neg;
        parenthesised(out, number, |out| self.write(out, a, want, UNARY));
    }

    fn write_binary(
        &self,
        out: &mut String,
        op: BinaryOp,
        (e, a, b): (&Expr, &Expr, &Expr),
        want: Option<Type>,
        least: u8,
    ) {
        let operands = match op {
            BinaryOp::PtrAdd | BinaryOp::PtrSub => Some(Type::Ptr),
            BinaryOp::Float(format, _) => Some(format.ty()),
            op if op.is_test() => self.evident(a).or_else(|| self.evident(b)),
            _ => want.or_else(|| self.evident(e)),
        };
        let operands = operands.or(Some(Type::Int(Int::I32)));
        let right = match op {
            BinaryOp::PtrAdd => Some(Type::Int(self.program.model.diff_type())),
            _ => operands,
        };
        let Some((symbol, precedence)) = symbol(op, operands == Some(Type::Bool)) else {
            out.push_str(&call_name(op));
            out.push('(');
            self.write(out, a, operands, 0);
            out.push_str(", ");
            self.write(out, b, right, 0);
            return out.push(')');
        };
        parenthesised(out, precedence < least, |out| {
            // Comparisons do not chain; the others associate to the left.
            let comparison = u8::from(precedence == 3);
            self.write(out, a, operands, self.clear(a, precedence) + comparison);
            out.push_str(&format!(" {symbol} "));
            self.write(out, b, right, self.clear(b, precedence).max(precedence + 1));
        });
    }

    /// The least precedence that an operand needs: mixed bitwise operators get parentheses that
    /// the grammar does not ask for.
    fn clear(&self, operand: &Expr, precedence: u8) -> u8 {
        let Expr::Binary(op, ..) = operand else { return precedence };
        match symbol(*op, false) {
            Some((_, inner)) if (4..=7).contains(&inner) && inner != precedence => UNARY,
            _ => precedence,
        }
    }

    pub fn place(&self, place: &Place) -> String {
        let direct = place.direct().and_then(|(id, offset)| self.direct(id, offset));
        let region = self.region(place);
        match direct {
            Some((ty, path)) if ty == place.ty => path + &region,
            _ => format!("*({}): {}{region}", self.expr(&place.addr, Some(Type::Ptr)), place.ty),
        }
    }
}

fn parenthesised(out: &mut String, parentheses: bool, write: impl FnOnce(&mut String)) {
    if parentheses {
        out.push('(');
    }
    write(out);
    if parentheses {
        out.push(')');
    }
}

/// `.next`, `[2].key`.
pub fn path(steps: &[Step]) -> String {
    let steps = steps.iter().map(|step| match step {
        Step::Field(field) => format!(".{}", name(field)),
        Step::Index(index) => format!("[{index}]"),
    });
    steps.collect()
}

/// The infix operator and its precedence; none for what is written like a function.
fn symbol(op: BinaryOp, bools: bool) -> Option<(&'static str, u8)> {
    use BinaryOp::*;
    Some(match op {
        Or if bools => ("||", 1),
        And if bools => ("&&", 2),
        Eq => ("==", 3),
        Ne => ("!=", 3),
        Lt => ("<", 3),
        Le => ("<=", 3),
        Gt => (">", 3),
        Ge => (">=", 3),
        Or => ("|", 4),
        Xor => ("^", 5),
        And => ("&", 6),
        Shl => ("<<", 7),
        Shr => (">>", 7),
        Add | PtrAdd => ("+", 8),
        Sub | PtrSub => ("-", 8),
        Mul => ("*", 9),
        Div => ("/", 9),
        Rem => ("%", 9),
        AddOverflows | SubOverflows | MulOverflows | Float(..) => return None,
    })
}

/// Of what has no symbol.
fn call_name(op: BinaryOp) -> String {
    match op {
        BinaryOp::AddOverflows => "add_overflows".to_owned(),
        BinaryOp::SubOverflows => "sub_overflows".to_owned(),
        BinaryOp::Float(format, op) => names::float_operator(format, op),
        _ => "mul_overflows".to_owned(),
    }
}
