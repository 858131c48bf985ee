//! Random well-typed programs for round trips.

use super::round_trip;
use crate::*;

/// A small generator of pseudo-random numbers (xorshift).
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

const TYPES: [Type; 7] = [
    Type::Bool,
    Type::Int(Int::I32),
    Type::Int(Int::U8),
    Type::Int(Int::I64),
    Type::Int(Int { width: 3, signed: true }),
    Type::Ptr,
    Type::Thread,
];

struct Builder {
    random: Random,
    program: Program,
    locals: Vec<(LocalId, Type)>,
}

impl Builder {
    fn constant(&mut self, ty: Type) -> Const {
        match ty {
            Type::Bool => Const::Bool(self.random.below(2) == 0),
            Type::Int(int) => {
                let small = self.random.below(5) as i128 - 2;
                let wide = i128::from(self.random.next());
                Const::int(if self.random.below(2) == 0 { small } else { wide }, int)
            }
            Type::Ptr if self.random.below(3) == 0 => Const::Null,
            Type::Ptr => {
                let object = self.random.below(self.program.objects.len());
                let offset = self.random.below(40) as i64 - 4;
                Const::Object(ObjectId::from_u32(object as u32), offset)
            }
            Type::Thread => Const::NoThread,
        }
    }

    fn expr(&mut self, ty: Type, depth: usize) -> Expr {
        let locals: Vec<LocalId> =
            self.locals.iter().filter(|(_, t)| *t == ty).map(|(id, _)| *id).collect();
        match self.random.below(if depth == 0 { 2 } else { 8 }) {
            0 => Expr::Const(self.constant(ty)),
            1 if ty == Type::Thread && self.random.below(2) == 0 => Expr::Tid,
            1 => Expr::Local(self.random.pick(&locals)),
            2 if ty != Type::Thread => {
                let from = self.random.pick(&TYPES);
                let from = if check::convertible(from, ty) { from } else { ty };
                Expr::cast(ty, self.expr(from, depth - 1))
            }
            3 => {
                let c = self.expr(Type::Bool, depth - 1);
                Expr::ite(c, self.expr(ty, depth - 1), self.expr(ty, depth - 1))
            }
            _ => self.operation(ty, depth - 1),
        }
    }

    fn operation(&mut self, ty: Type, depth: usize) -> Expr {
        use BinaryOp::*;
        let diff = Type::Int(self.program.model.diff_type());
        let (op, operands) = match ty {
            Type::Thread => return self.expr(ty, 0),
            Type::Ptr => {
                let left = self.expr(Type::Ptr, depth);
                return Expr::binary(PtrAdd, left, self.expr(diff, depth));
            }
            Type::Bool => match self.random.below(4) {
                0 => return Expr::unary(UnaryOp::Not, self.expr(ty, depth)),
                1 => (self.random.pick(&[And, Or, Xor]), ty),
                2 => (self.random.pick(&[Eq, Ne]), self.random.pick(&TYPES)),
                _ => {
                    let ints = [TYPES[1], TYPES[2], TYPES[3]];
                    let ops = [Lt, Le, Gt, Ge, AddOverflows, SubOverflows, MulOverflows];
                    (self.random.pick(&ops), self.random.pick(&ints))
                }
            },
            Type::Int(_) => match self.random.below(6) {
                0 => return Expr::unary(UnaryOp::Neg, self.expr(ty, depth)),
                1 => return Expr::unary(UnaryOp::BitNot, self.expr(ty, depth)),
                2 if ty == diff => (PtrSub, Type::Ptr),
                _ => (self.random.pick(&BinaryOp::ALL[..10]), ty),
            },
        };
        let left = self.expr(operands, depth);
        Expr::binary(op, left, self.expr(operands, depth))
    }

    fn place(&mut self, ty: Type) -> Place {
        Place::new(self.expr(Type::Ptr, 1), ty)
    }

    fn action(&mut self) -> Action {
        let (to, ty) = self.random.pick(&self.locals);
        let mode = self.random.pick(&[Mode::Plain, Mode::Relaxed, Mode::Atomic]);
        match self.random.below(8) {
            0 => Action::Assume(self.expr(Type::Bool, 3)),
            1 => Action::Havoc { to },
            2 => Action::Load { to, from: self.place(ty), mode },
            3 => Action::Store { to: self.place(ty), value: self.expr(ty, 3), mode },
            4 => Action::Lock { lock: self.place(Type::Thread) },
            5 => Action::Join { thread: self.expr(Type::Thread, 2), to: Some(to) },
            6 => Action::EndThread { value: Some(self.expr(ty, 2)) },
            _ => Action::Assign { to, value: self.expr(ty, 4) },
        }
    }

    fn procedure(&mut self) -> Procedure {
        let mut procedure = Procedure {
            name: "p".to_string(),
            params: vec![],
            result: None,
            locals: Default::default(),
            locations: Default::default(),
            entry: LocationId::from_u32(0),
            exit: LocationId::from_u32(1),
            span: Span::NONE,
        };
        for (n, ty) in TYPES.into_iter().enumerate() {
            let id = procedure.add_local(format!("v{n}"), ty, n % 2 == 0);
            self.locals.push((id, ty));
        }
        let from = procedure.add_location(Grain::Yield);
        let to = procedure.add_location(Grain::Yield);
        for _ in 0..12 {
            let action = self.action();
            procedure.add_edge(from, action, to, Span::NONE);
        }
        procedure
    }
}

fn random_program(seed: u64) -> Program {
    let random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut builder = Builder { random, program: Program::default(), locals: vec![] };
    for (n, ty) in TYPES.into_iter().enumerate() {
        let element = builder.program.scalar_layout(ty);
        let size = ty.size(builder.program.model) * 3;
        let shape = Shape::Array { element, count: 3 };
        let name = format!("{ty}[3]");
        let layout = builder.program.layouts.push(Layout { name, size, shape });
        builder.program.objects.push(Object {
            name: format!("v{}", n * 2),
            layout,
            sharing: Sharing::Shared,
            init: vec![],
            span: Span::NONE,
        });
    }
    let procedure = builder.procedure();
    builder.program.procedures.push(procedure);
    builder.program
}

#[test]
fn random_programs_survive() {
    for seed in 0..1_000 {
        round_trip(&random_program(seed));
    }
}
