//! Random expressions of all widths, against an evaluator that follows the documentation of
//! Plato's expressions on mathematical integers.

use cranelift_entity::PrimaryMap;
use selvedge_ir::{
    BinaryOp, Const, DataModel, Expr, Int, Layout, LocalId, LocationId, Object, ObjectId,
    Procedure, Program, Shape, Sharing, Span, Type, UnaryOp,
};

use super::*;
use crate::answer::{Answer, Model};
use crate::limits::Limits;
use crate::solver::{Logic, Solver};
use crate::value::Value;

const MODES: [Arithmetic; 4] = [
    Arithmetic::Bits,
    Arithmetic::Integers(Wrap::Modular),
    Arithmetic::Integers(Wrap::Obliged),
    Arithmetic::Math,
];

/// A small generator of pseudo-random numbers (xorshift).
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

fn ints() -> Vec<Int> {
    let widths = [1, 2, 5, 8, 16, 31, 32, 33, 63, 64];
    widths.into_iter().flat_map(|width| [true, false].map(|signed| Int { width, signed })).collect()
}

/// Two locals of each type, and two objects.
fn program(model: DataModel) -> (Program, Procedure) {
    let mut program = Program { model, ..Program::default() };
    let layout =
        program.layouts.push(Layout { name: "bytes".into(), size: 16, shape: Shape::Bytes });
    for name in ["a", "b"] {
        program.objects.push(Object {
            name: name.into(),
            layout,
            sharing: Sharing::Shared,
            init: Vec::new(),
            span: Span::NONE,
        });
    }
    let mut procedure = Procedure {
        name: "p".into(),
        params: Vec::new(),
        result: None,
        locals: PrimaryMap::new(),
        locations: PrimaryMap::new(),
        entry: LocationId::from_u32(0),
        exit: LocationId::from_u32(0),
        span: Span::NONE,
    };
    let types = ints().into_iter().map(Type::Int).chain([Type::Bool, Type::Ptr, Type::Thread]);
    for ty in types.flat_map(|ty| [ty, ty]) {
        let name = format!("v{}", procedure.locals.len());
        procedure.add_local(name, ty, true);
    }
    (program, procedure)
}

fn random_value(rng: &mut Rng, ty: Type, model: DataModel) -> Concrete {
    match ty {
        Type::Bool => Concrete::Bool(rng.below(2) == 1),
        Type::Int(int) => Concrete::Int(random_bits(rng, int)),
        Type::Thread => Concrete::Thread(rng.below(3) as u32),
        Type::Ptr => {
            let bits = random_bits(rng, model.diff_type());
            let offset = match rng.below(3) {
                0 => 0,
                1 => rng.below(16) as i64,
                _ => model.diff_type().value(bits) as i64,
            };
            Concrete::Pointer(rng.below(3) as u32, offset)
        }
    }
}

/// Small values, values near the ends, and any.
fn random_bits(rng: &mut Rng, int: Int) -> u64 {
    let bits = match rng.below(4) {
        0 => rng.below(5),
        1 => 0u64.wrapping_sub(rng.below(5)),
        2 => (1u64 << (int.width - 1)).wrapping_add(rng.below(5)).wrapping_sub(2),
        _ => rng.next(),
    };
    bits & int.mask()
}

struct Generator<'a> {
    rng: &'a mut Rng,
    program: &'a Program,
    procedure: &'a Procedure,
}

impl Generator<'_> {
    fn any_int(&mut self) -> Int {
        self.rng.pick(&ints())
    }

    fn any_type(&mut self) -> Type {
        match self.rng.below(8) {
            0 => Type::Bool,
            1 => Type::Ptr,
            2 => Type::Thread,
            _ => Type::Int(self.any_int()),
        }
    }

    fn leaf(&mut self, ty: Type) -> Expr {
        if self.rng.below(3) > 0 {
            let fitting = self.procedure.locals.iter().filter(|(_, local)| local.ty == ty);
            let fitting: Vec<LocalId> = fitting.map(|(id, _)| id).collect();
            return Expr::Local(self.rng.pick(&fitting));
        }
        Expr::Const(match random_value(self.rng, ty, self.program.model) {
            Concrete::Bool(b) => Const::Bool(b),
            Concrete::Int(bits) => Const::Int(bits, ty.as_int().expect("an integer")),
            Concrete::Pointer(0, _) => Const::Null,
            Concrete::Pointer(n, offset) => Const::Object(ObjectId::from_u32(n - 1), offset),
            Concrete::Thread(0) => Const::NoThread,
            Concrete::Thread(_) => return Expr::Tid,
        })
    }

    fn expr(&mut self, ty: Type, depth: u32) -> Expr {
        use BinaryOp::*;
        if depth == 0 || self.rng.below(6) == 0 {
            return self.leaf(ty);
        }
        let d = depth - 1;
        if self.rng.below(8) == 0 {
            let condition = self.expr(Type::Bool, d);
            return Expr::ite(condition, self.expr(ty, d), self.expr(ty, d));
        }
        if self.rng.below(4) == 0 {
            let from = self.any_type();
            return Expr::cast(ty, self.expr(from, d));
        }
        match ty {
            Type::Thread => self.leaf(ty),
            Type::Ptr => {
                let pointer = self.expr(ty, d);
                let bytes = self.expr(Type::Int(self.program.model.diff_type()), d);
                Expr::binary(PtrAdd, pointer, bytes)
            }
            Type::Bool => match self.rng.below(5) {
                0 => Expr::unary(UnaryOp::Not, self.expr(ty, d)),
                1 => {
                    let op = self.rng.pick(&[And, Or, Xor, Eq, Ne]);
                    Expr::binary(op, self.expr(ty, d), self.expr(ty, d))
                }
                2 => {
                    let op = self.rng.pick(&[Eq, Ne, Lt, Le, Gt, Ge]);
                    Expr::binary(op, self.expr(Type::Ptr, d), self.expr(Type::Ptr, d))
                }
                _ => {
                    let ops = [Eq, Ne, Lt, Le, Gt, Ge, AddOverflows, SubOverflows, MulOverflows];
                    let (op, of) = (self.rng.pick(&ops), Type::Int(self.any_int()));
                    Expr::binary(op, self.expr(of, d), self.expr(of, d))
                }
            },
            Type::Int(int) => {
                if int == self.program.model.diff_type() && self.rng.below(3) == 0 {
                    let (a, b) = (self.expr(Type::Ptr, d), self.expr(Type::Ptr, d));
                    return Expr::binary(PtrSub, a, b);
                }
                match self.rng.below(6) {
                    0 => {
                        let op = self.rng.pick(&[UnaryOp::Neg, UnaryOp::BitNot]);
                        Expr::unary(op, self.expr(ty, d))
                    }
                    _ => {
                        let op = self.rng.pick(&[Add, Sub, Mul, Div, Rem, And, Or, Xor, Shl, Shr]);
                        Expr::binary(op, self.expr(ty, d), self.expr(ty, d))
                    }
                }
            }
        }
    }
}

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoValue {
    Fault,
    /// The semantics leaves it open.
    Open,
}

/// The evaluator. Integers are kept as their mathematical value.
struct Reference<'a> {
    values: &'a [Concrete],
    program: &'a Program,
    procedure: &'a Procedure,
    /// Whether some integer left its type on the way.
    wrapped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum V {
    Bool(bool),
    Int(i128, Int),
    Ptr(u32, i64),
    Thread(u32),
    /// A pointer into an object, or a thread, kept in an integer that is as wide.
    KeptPtr(u32, i64),
    KeptThread(u32),
}

const SELF: u32 = 2;

impl Reference<'_> {
    fn int(&mut self, exact: i128, int: Int) -> V {
        let value = int.value(int.wrap(exact));
        self.wrapped |= value != exact;
        V::Int(value, int)
    }

    fn of(value: Concrete, ty: Type) -> V {
        match (value, ty) {
            (Concrete::Bool(b), _) => V::Bool(b),
            (Concrete::Int(bits), Type::Int(int)) => V::Int(int.value(bits), int),
            (Concrete::Pointer(object, offset), _) => V::Ptr(object, offset),
            (Concrete::Thread(thread), _) => V::Thread(thread),
            other => panic!("{other:?}"),
        }
    }

    fn eval(&mut self, expr: &Expr) -> Result<V, NoValue> {
        match expr {
            Expr::Const(Const::Bool(b)) => Ok(V::Bool(*b)),
            Expr::Const(Const::Int(bits, int)) => Ok(V::Int(int.value(*bits), *int)),
            Expr::Const(Const::Null) => Ok(V::Ptr(0, 0)),
            Expr::Const(Const::Object(object, offset)) => Ok(V::Ptr(1 + object.as_u32(), *offset)),
            Expr::Const(Const::NoThread) => Ok(V::Thread(0)),
            Expr::Const(other) => panic!("{other:?} is not generated"),
            Expr::Tid => Ok(V::Thread(SELF)),
            Expr::Local(local) => {
                let value = self.values[local.as_u32() as usize];
                Ok(Reference::of(value, self.procedure.locals[*local].ty))
            }
            Expr::Unary(op, a) => Ok(match (op, self.eval(a)?) {
                (UnaryOp::Not, V::Bool(b)) => V::Bool(!b),
                (UnaryOp::Neg, V::Int(a, int)) => self.int(-a, int),
                (UnaryOp::BitNot, V::Int(a, int)) => V::Int(int.value(!int.wrap(a)), int),
                (_, V::KeptPtr(..) | V::KeptThread(_)) => return Err(NoValue::Open),
                other => panic!("{other:?}"),
            }),
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.eval(a)?, self.eval(b)?);
                self.binary(*op, a, b)
            }
            Expr::Cast(to, a) => {
                let a = self.eval(a)?;
                self.cast(*to, a)
            }
            Expr::Ite(c, a, b) => match self.eval(c)? {
                V::Bool(true) => self.eval(a),
                V::Bool(false) => self.eval(b),
                other => panic!("{other:?}"),
            },
        }
    }

    fn binary(&mut self, op: BinaryOp, a: V, b: V) -> Result<V, NoValue> {
        use BinaryOp::*;
        let diff = self.program.model.diff_type();
        Ok(match (op, a, b) {
            (Eq | Ne, V::KeptPtr(..) | V::KeptThread(_), V::Int(n, _))
            | (Eq | Ne, V::Int(n, _), V::KeptPtr(..) | V::KeptThread(_)) => match n {
                0 => V::Bool(op == Ne),
                _ => return Err(NoValue::Open),
            },
            (Eq | Ne, V::KeptPtr(..), V::KeptThread(_))
            | (Eq | Ne, V::KeptThread(_), V::KeptPtr(..)) => return Err(NoValue::Open),
            (Eq, a, b) => V::Bool(a == b),
            (Ne, a, b) => V::Bool(a != b),
            (_, V::KeptPtr(..) | V::KeptThread(_), _)
            | (_, _, V::KeptPtr(..) | V::KeptThread(_)) => return Err(NoValue::Open),
            (And, V::Bool(a), V::Bool(b)) => V::Bool(a && b),
            (Or, V::Bool(a), V::Bool(b)) => V::Bool(a || b),
            (Xor, V::Bool(a), V::Bool(b)) => V::Bool(a ^ b),
            (PtrAdd, V::Ptr(object, offset), V::Int(bytes, _)) => {
                match self.int(i128::from(offset) + bytes, diff) {
                    V::Int(offset, _) => V::Ptr(object, offset as i64),
                    other => other,
                }
            }
            (PtrSub, V::Ptr(p, x), V::Ptr(q, y)) if p == q => {
                self.int(i128::from(x) - i128::from(y), diff)
            }
            (Lt | Le | Gt | Ge, V::Ptr(0, x), V::Ptr(0, y)) => {
                let size = self.program.model.size_type();
                V::Bool(order(op, size.wrap(x.into()).into(), size.wrap(y.into()).into()))
            }
            (Lt | Le | Gt | Ge, V::Ptr(p, x), V::Ptr(q, y)) if p == q => {
                V::Bool(order(op, x.into(), y.into()))
            }
            (_, V::Ptr(..), V::Ptr(..)) => return Err(NoValue::Fault),
            (_, V::Int(x, int), V::Int(y, _)) => return self.on_ints(op, x, y, int),
            other => panic!("{other:?}"),
        })
    }

    fn on_ints(&mut self, op: BinaryOp, x: i128, y: i128, int: Int) -> Result<V, NoValue> {
        use BinaryOp::*;
        let count = int.wrap(y);
        let by = count.min(u64::from(int.width)) as u32;
        let outside = |exact: Option<i128>| {
            V::Bool(exact.is_none_or(|exact| exact < int.min() || exact > int.max()))
        };
        // The largest unsigned products do not fit 128 bits; modulo 2^64 they do.
        let product = || x.checked_mul(y);
        Ok(match op {
            Add => self.int(x + y, int),
            Sub => self.int(x - y, int),
            Mul => match product() {
                Some(exact) => self.int(exact, int),
                None => {
                    self.wrapped = true;
                    V::Int(int.value(int.wrap(x.wrapping_mul(y))), int)
                }
            },
            Div | Rem if y == 0 => return Err(NoValue::Fault),
            Div => self.int(x / y, int),
            Rem => self.int(x % y, int),
            And => V::Int(int.value(int.wrap(x) & int.wrap(y)), int),
            Or => V::Int(int.value(int.wrap(x) | int.wrap(y)), int),
            Xor => V::Int(int.value(int.wrap(x) ^ int.wrap(y)), int),
            Shl if count >= u64::from(int.width) => V::Int(0, int),
            Shl => self.int(x << by, int),
            Shr => V::Int(x >> by, int),
            AddOverflows => outside(Some(x + y)),
            SubOverflows => outside(Some(x - y)),
            MulOverflows => outside(product()),
            _ => V::Bool(order(op, x, y)),
        })
    }

    fn cast(&mut self, to: Type, a: V) -> Result<V, NoValue> {
        let model = self.program.model;
        Ok(match (to, a) {
            (Type::Bool, V::Bool(b)) => V::Bool(b),
            (Type::Bool, V::Int(a, _)) => V::Bool(a != 0),
            (Type::Bool, V::Ptr(object, offset)) => V::Bool((object, offset) != (0, 0)),
            (Type::Bool, V::Thread(thread)) => V::Bool(thread != 0),
            (Type::Int(int), V::Bool(b)) => self.int(i128::from(b), int),
            (Type::Int(int), V::Int(a, _)) => self.int(a, int),
            (Type::Int(int), V::Ptr(0, offset)) => {
                // An address is unsigned, which matters where it is widened.
                let address = model.size_type().wrap(offset.into());
                let wider = int.width > model.size_type().width;
                self.wrapped |= wider && offset < 0;
                let exact = if wider { address.into() } else { offset.into() };
                self.int(exact, int)
            }
            (Type::Int(int), V::Thread(0)) => V::Int(0, int),
            (Type::Bool, V::KeptPtr(..) | V::KeptThread(_)) => V::Bool(true),
            (Type::Int(int), V::Ptr(object, offset) | V::KeptPtr(object, offset))
                if int.width >= model.size_type().width =>
            {
                V::KeptPtr(object, offset)
            }
            (Type::Int(int), V::Thread(thread) | V::KeptThread(thread))
                if int.width >= model.size_type().width =>
            {
                V::KeptThread(thread)
            }
            (Type::Ptr, V::KeptPtr(object, offset)) => V::Ptr(object, offset),
            (Type::Thread, V::KeptThread(thread)) => V::Thread(thread),
            (Type::Ptr, V::Ptr(..)) | (Type::Thread, V::Thread(_)) => a,
            (Type::Ptr, V::Thread(0)) => V::Ptr(0, 0),
            (Type::Ptr, V::Int(a, _)) => match self.int(a, model.diff_type()) {
                V::Int(offset, _) => V::Ptr(0, offset as i64),
                other => other,
            },
            (Type::Ptr, V::Bool(b)) => V::Ptr(0, i64::from(b)),
            (Type::Thread, V::Int(0, _) | V::Bool(false) | V::Ptr(0, 0)) => V::Thread(0),
            _ => return Err(NoValue::Open),
        })
    }
}

fn order(op: BinaryOp, a: i128, b: i128) -> bool {
    match op {
        BinaryOp::Lt => a < b,
        BinaryOp::Le => a <= b,
        BinaryOp::Gt => a > b,
        BinaryOp::Ge => a >= b,
        _ => panic!("{op:?}"),
    }
}

struct Names<'a> {
    syms: &'a [Sym],
    thread: Term,
}

impl Scope for Names<'_> {
    fn local(&mut self, local: LocalId) -> Sym {
        self.syms[local.as_u32() as usize]
    }

    fn thread(&mut self) -> Term {
        self.thread
    }

    fn own_object(&mut self, _: ObjectId) -> Term {
        panic!("no object is kept per thread here")
    }
}

/// One expression with values for the locals, in one arithmetic.
struct Case<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
    expr: &'a Expr,
    values: &'a [Concrete],
    arithmetic: Arithmetic,
}

impl Case<'_> {
    fn types(&self) -> Types {
        Types { arithmetic: self.arithmetic, model: self.program.model }
    }

    /// Gives the terms of a sym their values.
    fn assign(&self, t: &Terms, model: &mut Model, sym: Sym, value: Concrete, ty: Type) {
        let number = |term, exact: i128| match t.sort(term) {
            Sort::BitVec(width) => Value::bv(exact as u128, width),
            _ => Value::int(exact),
        };
        match (sym, value, ty) {
            (Sym::Scalar(term), Concrete::Bool(b), _) => model.set(term, Value::Bool(b)),
            (Sym::Scalar(term), Concrete::Int(bits), Type::Int(int)) => {
                model.set(term, number(term, int.value(bits)));
            }
            (Sym::Scalar(term), Concrete::Thread(n), _) => model.set(term, number(term, n.into())),
            (Sym::Pointer { object, offset }, Concrete::Pointer(n, bytes), _) => {
                model.set(object, number(object, n.into()));
                model.set(offset, number(offset, bytes.into()));
            }
            other => panic!("{other:?}"),
        }
    }

    fn variables(&self, t: &mut Terms) -> (Vec<Sym>, Model) {
        let mut model = Model::new();
        let mut syms = Vec::new();
        for (local, &value) in self.procedure.locals.values().zip(self.values) {
            let sym = self.types().variable(t, &local.name, local.ty);
            self.assign(t, &mut model, sym, value, local.ty);
            syms.push(sym);
        }
        (syms, model)
    }

    fn translate(&self, t: &mut Terms, syms: &[Sym]) -> Translated {
        let thread = match self.types().id_sort() {
            Sort::Int => t.int(SELF),
            _ => t.bv(SELF.into(), ID_BITS),
        };
        let mut translator = Translator::new(t, self.program, self.procedure, self.arithmetic);
        translator.translate(self.expr, &mut Names { syms, thread })
    }

    fn check(&self, with_solver: bool) {
        let mut t = Terms::new();
        let (syms, model) = self.variables(&mut t);
        let translated = self.translate(&mut t, &syms);
        self.compare(&t, &model, &translated);
        // With constants for the variables the simplifier does all the work.
        let constants: Vec<Sym> = syms
            .iter()
            .map(|sym| {
                let values = sym.terms().into_iter().map(|v| (model.eval(&t, v), t.sort(v)));
                let values: Vec<_> = values.collect();
                let terms: Vec<Term> = values.iter().map(|(v, sort)| t.value(v, *sort)).collect();
                Sym::from_terms(&terms)
            })
            .collect();
        let folded = self.translate(&mut t, &constants);
        self.compare(&t, &Model::new(), &folded);
        if with_solver {
            self.ask_z3(&mut t, &model, &translated);
        }
    }

    fn compare(&self, t: &Terms, model: &Model, translated: &Translated) {
        let Case { program, procedure, values, .. } = *self;
        let mut reference = Reference { values, program, procedure, wrapped: false };
        let expected = match reference.eval(self.expr) {
            Ok(V::KeptPtr(..) | V::KeptThread(_)) => Err(NoValue::Open),
            other => other,
        };
        let fails = |kind| {
            let of_kind = translated.obligations.iter().filter(move |o| o.kind == kind);
            of_kind.into_iter().any(|o| !model.holds(t, o.holds))
        };
        let shown = || format!("{:?} {:?} with {:?}", self.arithmetic, self.expr, values);
        // A wrong step before it makes everything else meaningless.
        if fails(Need::NoWrap) {
            let reason = reference.wrapped || expected.is_err();
            assert!(reason, "wraps for no reason: {}", shown());
            return;
        }
        if self.arithmetic == Arithmetic::Math && reference.wrapped {
            return;
        }
        if fails(Need::Known) {
            return;
        }
        assert_ne!(expected, Err(NoValue::Open), "not noticed to be open: {}", shown());
        let fault = fails(Need::Divisor) || fails(Need::SameObject);
        assert_eq!(fault, expected.is_err(), "fault: {}", shown());
        let Ok(expected) = expected else { return };
        let ty = self.expr.ty(program, procedure);
        let found = self.types().concrete(t, model, translated.value, ty);
        let found = found.map(|found| Reference::of(found, ty));
        assert_eq!(found, Some(expected), "{}", shown());
    }

    /// Z3 agrees with our evaluation of the same term.
    fn ask_z3(&self, t: &mut Terms, model: &Model, translated: &Translated) {
        let mut solver = Solver::new(Logic::All, Limits::none());
        for (variable, value) in model.iter() {
            let value = t.value(value, t.sort(variable));
            let fixed = t.eq(variable, value);
            solver.assert(t, fixed);
        }
        let mut roots = translated.value.terms().to_vec();
        roots.extend(translated.obligations.iter().map(|o| o.holds));
        let mut differs = Vec::new();
        for root in roots {
            let value = t.value(&model.eval(t, root), t.sort(root));
            differs.push(t.ne(root, value));
        }
        let differs = t.or(&differs);
        solver.assert(t, differs);
        let answer = solver.check(t, &[]);
        assert!(matches!(answer, Answer::Unsat(_)), "{:?} {:?}", self.arithmetic, self.expr);
    }
}

#[test]
fn agrees_with_the_documented_semantics() {
    let mut rng = Rng(0x5e1_7ed6e);
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let (program, procedure) = program(model);
        for round in 0..2500 {
            let mut generator =
                Generator { rng: &mut rng, program: &program, procedure: &procedure };
            let (ty, depth) = (generator.any_type(), 1 + round % 4);
            let expr = generator.expr(ty, depth);
            let values: Vec<Concrete> = procedure
                .locals
                .values()
                .map(|local| random_value(&mut rng, local.ty, model))
                .collect();
            for arithmetic in MODES {
                let case = Case {
                    program: &program,
                    procedure: &procedure,
                    expr: &expr,
                    values: &values,
                    arithmetic,
                };
                case.check(round % 50 == 0);
            }
        }
    }
}
