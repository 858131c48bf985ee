//! Expressions as terms, with what may go wrong in them.

use rustc_hash::FxHashMap;
use selvedge_ir::{
    BinaryOp, Const, Expr, Int, LocalId, ObjectId, Procedure, Program, Sharing, Type, UnaryOp,
};
use selvedge_smt::{Term, Terms};

use crate::word::{Num, Val, Words};

/// What may go wrong in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A memory fault.
    Memory(&'static str),
    /// What the semantics leaves open, or the checker cannot say.
    Open(&'static str),
}

/// A fault happens where the condition does not hold.
#[derive(Clone, Debug)]
pub struct Need {
    pub fault: Fault,
    pub holds: Term,
}

/// Where expressions of one thread are evaluated.
pub struct Scope<'a> {
    pub terms: &'a mut Terms,
    pub words: Words,
    pub program: &'a Program,
    pub procedure: &'a Procedure,
    pub locals: &'a FxHashMap<LocalId, Val>,
    pub tid: Term,
    /// The numbers of the thread's own instances of variables.
    own: &'a FxHashMap<ObjectId, u32>,
    /// The conditions of the choices around.
    path: Term,
    pub needs: Vec<Need>,
    /// New variables for values of which only the type is known.
    pub unknowns: Vec<(Val, Type)>,
}

impl<'a> Scope<'a> {
    pub fn new(
        terms: &'a mut Terms,
        words: Words,
        program: &'a Program,
        procedure: &'a Procedure,
        locals: &'a FxHashMap<LocalId, Val>,
        tid: Term,
        own: &'a FxHashMap<ObjectId, u32>,
    ) -> Scope<'a> {
        let path = terms.bool(true);
        let (needs, unknowns) = (Vec::new(), Vec::new());
        Scope { terms, words, program, procedure, locals, tid, own, path, needs, unknowns }
    }

    fn ty(&self, expr: &Expr) -> Type {
        expr.ty(self.program, self.procedure)
    }

    fn need(&mut self, fault: Fault, condition: Term) {
        let holds = self.terms.implies(self.path, condition);
        if holds != self.terms.bool(true) {
            self.needs.push(Need { fault, holds });
        }
    }

    /// A value of which nothing can be said; getting here is a fault.
    fn unknown(&mut self, what: &'static str, ty: Type) -> Val {
        let never = self.terms.bool(false);
        self.need(Fault::Open(what), never);
        self.words.zero(self.terms, ty)
    }

    pub fn eval(&mut self, expr: &Expr) -> Val {
        match expr {
            Expr::Const(constant) => self.constant(*constant),
            Expr::Local(local) => match self.locals.get(local) {
                Some(value) => *value,
                None => self.unknown("a local without value", self.procedure.locals[*local].ty),
            },
            Expr::Tid => Val::One(self.tid),
            Expr::Unary(UnaryOp::Not, a) => {
                let a = self.truth(a);
                Val::One(self.terms.not(a))
            }
            Expr::Unary(..) => Val::One(self.number(expr).term),
            Expr::Binary(op, a, b) => self.binary(expr, *op, a, b),
            Expr::Cast(to, a) => self.cast(*to, a),
            Expr::Ite(condition, then, otherwise) => {
                let condition = self.truth(condition);
                let then = self.under(condition, then);
                let not = self.terms.not(condition);
                let otherwise = self.under(not, otherwise);
                then.ite(self.terms, condition, otherwise)
            }
        }
    }

    pub fn truth(&mut self, expr: &Expr) -> Term {
        self.eval(expr).one()
    }

    /// An expression that is evaluated only where the condition holds.
    fn under(&mut self, condition: Term, expr: &Expr) -> Val {
        let outer = self.path;
        self.path = self.terms.and(&[outer, condition]);
        let value = self.eval(expr);
        self.path = outer;
        value
    }

    pub fn constant(&mut self, constant: Const) -> Val {
        let offset_int = self.words.model.diff_type();
        match constant {
            Const::Bool(b) => Val::One(self.terms.bool(b)),
            Const::Int(bits, int) => {
                Val::One(self.words.number(self.terms, int.value(bits), int).term)
            }
            Const::Null => self.words.zero(self.terms, Type::Ptr),
            Const::NoThread => self.words.zero(self.terms, Type::Thread),
            Const::Object(object, offset) => {
                let number = match self.program.objects[object].sharing {
                    Sharing::Shared => Some(1 + object.as_u32()),
                    Sharing::PerThread => self.own.get(&object).copied(),
                };
                let Some(number) = number else {
                    return self
                        .unknown("the address of a variable that each thread has", Type::Ptr);
                };
                let number = self.words.id(self.terms, number);
                let offset = self.words.number(self.terms, i128::from(offset), offset_int).term;
                Val::Two(number, offset)
            }
            Const::Proc(procedure) => {
                let number = 1 + self.program.objects.len() as u32 + procedure.as_u32();
                let offset = self.words.number(self.terms, 0, offset_int).term;
                Val::Two(self.words.id(self.terms, number), offset)
            }
        }
    }

    /// An integer, or a bool as 0 or 1.
    pub(crate) fn number(&mut self, expr: &Expr) -> Num {
        match (expr, self.ty(expr)) {
            (_, Type::Bool) => {
                let truth = self.truth(expr);
                self.bit(truth)
            }
            (Expr::Const(Const::Int(bits, int)), _) => {
                self.words.number(self.terms, int.value(*bits), *int)
            }
            (Expr::Unary(UnaryOp::Neg, a), _) => {
                let a = self.number(a);
                self.words.negate(self.terms, a)
            }
            (Expr::Unary(UnaryOp::Float(format, function), a), _) => {
                self.float_function(*format, *function, a)
            }
            (Expr::Unary(_, a), _) => {
                let a = self.number(a);
                self.words.complement(self.terms, a)
            }
            (Expr::Binary(BinaryOp::Float(format, op), a, b), Type::Int(_)) => {
                self.float_result(*format, *op, a, b)
            }
            (Expr::Binary(op, a, b), Type::Int(_)) if *op != BinaryOp::PtrSub => {
                self.arithmetic(*op, a, b)
            }
            (Expr::Cast(Type::Int(to), a), _)
                if matches!(self.ty(a), Type::Int(_) | Type::Bool) =>
            {
                let a = self.number(a);
                self.words.convert(self.terms, a, *to)
            }
            (_, Type::Int(int)) => {
                let term = self.eval(expr).one();
                self.words.num(term, int)
            }
            (_, other) => {
                let int = Int::U64;
                self.unknown("a number made of what is none", other);
                self.words.number(self.terms, 0, int)
            }
        }
    }

    fn bit(&mut self, truth: Term) -> Num {
        const BIT: Int = Int { width: 8, signed: false };
        let one = self.words.number(self.terms, 1, BIT).term;
        let zero = self.words.number(self.terms, 0, BIT).term;
        let term = self.terms.ite(truth, one, zero);
        Num { term, int: BIT, bounds: Some((0, 1)) }
    }

    fn arithmetic(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Num {
        let (a, b) = (self.number(a), self.number(b));
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) {
            let zero = self.words.number(self.terms, 0, b.int).term;
            let some = self.terms.ne(b.term, zero);
            self.need(Fault::Memory("division by zero"), some);
        }
        match self.words.binary(self.terms, op, a, b) {
            Some(result) => result,
            None => {
                self.unknown("a bitwise operation on mathematical integers", Type::Int(a.int));
                self.words.number(self.terms, 0, a.int)
            }
        }
    }

    fn binary(&mut self, whole: &Expr, op: BinaryOp, a: &Expr, b: &Expr) -> Val {
        use BinaryOp::*;
        let ty = self.ty(a);
        match op {
            Eq => Val::One(self.equal(a, b)),
            Ne => {
                let equal = self.equal(a, b);
                Val::One(self.terms.not(equal))
            }
            And | Or | Xor if ty == Type::Bool => {
                let (a, b) = (self.truth(a), self.truth(b));
                Val::One(match op {
                    And => self.terms.and(&[a, b]),
                    Or => self.terms.or(&[a, b]),
                    _ => self.terms.xor(a, b),
                })
            }
            Lt | Le | Gt | Ge if ty == Type::Ptr => self.compare_pointers(op, a, b),
            PtrAdd => self.move_pointer(a, b),
            PtrSub => {
                let (x, y) = self.in_one_object("subtraction", a, b);
                let distance = self.words.binary(self.terms, Sub, x, y);
                Val::One(distance.map_or(x.term, |distance| distance.term))
            }
            Float(format, op) if op.is_test() => Val::One(self.float_test(format, op, a, b)),
            _ if op.is_test() => {
                let (a, b) = (self.number(a), self.number(b));
                Val::One(self.words.test(self.terms, op, a, b))
            }
            _ => Val::One(self.number(whole).term),
        }
    }

    fn equal(&mut self, a: &Expr, b: &Expr) -> Term {
        // An integer made of an address is zero only for null.
        for (kept, other) in [(a, b), (b, a)] {
            if let (Some(inner), true) = (self.kept(kept), is_zero(other)) {
                let value = self.eval(inner);
                let none = self.words.zero(self.terms, self.ty(inner));
                return value.equal(self.terms, none);
            }
        }
        let (a, b) = (self.eval(a), self.eval(b));
        a.equal(self.terms, b)
    }

    /// The pointer or thread that a cast keeps in an integer as wide.
    fn kept<'e>(&self, expr: &'e Expr) -> Option<&'e Expr> {
        let Expr::Cast(Type::Int(int), inner) = expr else { return None };
        let wide = int.width >= self.words.model.size_type().width;
        match self.ty(inner) {
            Type::Ptr | Type::Thread if wide => Some(inner),
            Type::Int(_) if wide => self.kept(inner),
            _ => None,
        }
    }

    fn pointer(&mut self, expr: &Expr) -> (Term, Num) {
        let int = self.words.model.diff_type();
        match self.eval(expr) {
            Val::Two(object, offset) => (object, self.words.num(offset, int)),
            Val::One(term) => (term, self.words.number(self.terms, 0, int)),
        }
    }

    fn in_one_object(&mut self, what: &'static str, a: &Expr, b: &Expr) -> (Num, Num) {
        let ((object, x), (other, y)) = (self.pointer(a), self.pointer(b));
        let same = self.terms.eq(object, other);
        let text = match what {
            "subtraction" => "subtraction of pointers into different objects",
            _ => "comparison of pointers into different objects",
        };
        self.need(Fault::Memory(text), same);
        (x, y)
    }

    /// Signed inside an object; numbers that are no objects compare as addresses, unsigned.
    fn compare_pointers(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Val {
        let object = self.pointer(a).0;
        let (x, y) = self.in_one_object("comparison", a, b);
        let signed = self.words.test(self.terms, op, x, y);
        let address = self.words.model.size_type();
        let (x, y) = (
            self.words.convert(self.terms, x, address),
            self.words.convert(self.terms, y, address),
        );
        let unsigned = self.words.test(self.terms, op, x, y);
        let none = self.words.id(self.terms, 0);
        let address = self.terms.eq(object, none);
        Val::One(self.terms.ite(address, unsigned, signed))
    }

    fn move_pointer(&mut self, pointer: &Expr, bytes: &Expr) -> Val {
        let (object, offset) = self.pointer(pointer);
        let bytes = self.number(bytes);
        let moved = self.words.binary(self.terms, BinaryOp::Add, offset, bytes);
        Val::Two(object, moved.map_or(offset.term, |moved| moved.term))
    }

    fn cast(&mut self, to: Type, expr: &Expr) -> Val {
        let from = self.ty(expr);
        if from == to {
            return self.eval(expr);
        }
        match (from, to) {
            (_, Type::Bool) => {
                let inner = self.kept(expr).unwrap_or(expr);
                let zero = self.words.zero(self.terms, self.ty(inner));
                let value = self.eval(inner);
                let equal = value.equal(self.terms, zero);
                Val::One(self.terms.not(equal))
            }
            (Type::Int(_) | Type::Bool, Type::Int(to)) => {
                let number = self.number(expr);
                Val::One(self.words.convert(self.terms, number, to).term)
            }
            (Type::Int(_), Type::Ptr | Type::Thread)
                if let Some(inner) = self.kept(expr)
                    && self.ty(inner) == to =>
            {
                self.eval(inner)
            }
            (Type::Int(_) | Type::Bool, Type::Ptr) => {
                let number = self.number(expr);
                let diff = self.words.model.diff_type();
                let offset = self.words.convert(self.terms, number, diff).term;
                Val::Two(self.words.id(self.terms, 0), offset)
            }
            (Type::Ptr, Type::Int(to)) => {
                let (object, offset) = self.pointer(expr);
                let none = self.words.id(self.terms, 0);
                let number = self.terms.eq(object, none);
                self.need(Fault::Open("the number of an object's address"), number);
                let address = self.words.model.size_type();
                let address = self.words.convert(self.terms, offset, address);
                Val::One(self.words.convert(self.terms, address, to).term)
            }
            _ => self.cast_of_none(to, expr),
        }
    }

    /// Conversions that are known only of zero, null and none.
    fn cast_of_none(&mut self, to: Type, expr: &Expr) -> Val {
        let (value, zero) = (self.eval(expr), self.words.zero(self.terms, self.ty(expr)));
        let none = value.equal(self.terms, zero);
        self.need(Fault::Open("the number of a thread or of an object's address"), none);
        self.words.zero(self.terms, to)
    }
}

fn is_zero(expr: &Expr) -> bool {
    matches!(expr, Expr::Const(Const::Int(0, _)))
}
