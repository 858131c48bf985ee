//! All executions of a small sequential program, one after another, without a solver: the reference
//! for what the translation means.

use std::collections::HashMap;

use selvedge_ir::{
    Action, BinaryOp, Const, EdgeId, Expr, Int, LocalId, LocationId, Place, RegionId, Type, UnaryOp,
};

use selvedge_sequential::{Path, SequentialProgram, Step};

/// Integers and bools as bits; pointers as object and offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum V {
    Bits(u64),
    Null,
    At(u32, i64),
}

type Cell = (RegionId, u32, i64);

#[derive(Clone)]
struct State {
    at: LocationId,
    locals: HashMap<LocalId, V>,
    memory: HashMap<Cell, V>,
    /// What was guessed of the initial content of maps.
    guesses: HashMap<Cell, V>,
    objects: u32,
    path: Path,
}

/// Values that unknown integers are tried with.
const UNKNOWN: u64 = 4;

/// Actions of one execution.
const LENGTH: usize = 600;

/// An execution that ends with an error, if there is one.
pub fn error_path(sequential: &SequentialProgram) -> Option<Path> {
    let first = State {
        at: sequential.body().entry,
        locals: HashMap::new(),
        memory: HashMap::new(),
        guesses: HashMap::new(),
        objects: sequential.program.objects.len() as u32,
        path: Path::default(),
    };
    let mut waiting = vec![first];
    while let Some(state) = waiting.pop() {
        if state.at == sequential.body().exit {
            if state.locals[&sequential.error] == V::Bits(1) && matches(sequential, &state) {
                return Some(state.path);
            }
            continue;
        }
        if state.path.steps.len() < LENGTH {
            expand(sequential, &state, &mut waiting);
        }
    }
    None
}

fn matches(sequential: &SequentialProgram, state: &State) -> bool {
    sequential.matches.iter().all(|&(last, first)| {
        let cells = state.memory.iter().chain(&state.guesses);
        let mut cells = cells.map(|(&(r, o, at), _)| (r, (o, at)));
        cells.all(|(region, (object, offset))| {
            if region != last && region != first {
                return true;
            }
            let initial = state.guesses.get(&(first, object, offset));
            let last = (last, object, offset);
            let end = state.memory.get(&last).or(state.guesses.get(&last)).copied();
            let end = end.or_else(|| known(sequential, last));
            // What was never looked at can be anything.
            initial.is_none() || end.is_none() || end == initial.copied()
        })
    })
}

/// Initial content of a cell in a map that does not start unknown.
fn known(sequential: &SequentialProgram, (region, object, offset): Cell) -> Option<V> {
    if sequential.arbitrary.contains(&region) {
        return None;
    }
    let object = sequential.program.objects.values().nth(object as usize)?;
    let init = object.init.iter().find(|(at, _)| *at as i64 == offset);
    Some(init.map_or(V::Bits(0), |(_, value)| constant(*value)))
}

fn expand(sequential: &SequentialProgram, state: &State, waiting: &mut Vec<State>) {
    let location = &sequential.body().locations[state.at];
    for (index, edge) in location.edges.iter().enumerate() {
        let id = EdgeId { from: state.at, index: index as u32 };
        let mut go = |to: Option<(LocalId, V)>, change: &dyn Fn(&mut State)| {
            let mut next = state.clone();
            next.at = edge.target;
            let value = to.and_then(|(_, v)| if let V::Bits(b) = v { Some(b) } else { None });
            next.path.steps.push(Step { edge: id, value, fault: false });
            next.locals.extend(to);
            change(&mut next);
            waiting.push(next);
        };
        let eval = |e: &Expr| eval(sequential, state, e);
        match &edge.action {
            Action::Skip => go(None, &|_| {}),
            Action::Assume(e) if eval(e) == V::Bits(1) => go(None, &|_| {}),
            Action::Assume(_) | Action::Halt | Action::Unsupported { .. } => {}
            Action::Assign { to, value } => go(Some((*to, eval(value))), &|_| {}),
            Action::Havoc { to } => {
                for value in values(sequential.body().locals[*to].ty) {
                    go(Some((*to, value)), &|_| {});
                }
            }
            Action::Load { to, from, .. } => {
                let Some(cell) = cell(from, eval(&from.addr)) else { continue };
                let known = state.memory.get(&cell).or(state.guesses.get(&cell)).copied();
                match known.or_else(|| self::known(sequential, cell)) {
                    Some(V::Bits(0)) if from.ty == Type::Ptr => go(Some((*to, V::Null)), &|_| {}),
                    Some(value) => go(Some((*to, value)), &|_| {}),
                    None => {
                        for value in values(from.ty) {
                            go(Some((*to, value)), &|s| {
                                s.guesses.insert(cell, value);
                            });
                        }
                    }
                }
            }
            Action::Store { to, value, .. } => {
                let Some(cell) = cell(to, eval(&to.addr)) else { continue };
                let value = eval(value);
                go(None, &|s| {
                    s.memory.insert(cell, value);
                });
            }
            Action::Alloc { to, .. } => {
                go(Some((*to, V::At(state.objects, 0))), &|s| s.objects += 1);
            }
            other => panic!("not sequential: {other:?}"),
        }
    }
}

fn values(ty: Type) -> Vec<V> {
    match ty {
        Type::Bool => vec![V::Bits(0), V::Bits(1)],
        Type::Int(int) => (0..=UNKNOWN.min(int.mask())).map(V::Bits).collect(),
        _ => vec![V::Null],
    }
}

fn cell(place: &Place, address: V) -> Option<Cell> {
    let V::At(object, offset) = address else { return None };
    Some((place.region.expect("split"), object, offset))
}

fn constant(value: Const) -> V {
    match value {
        Const::Bool(b) => V::Bits(b.into()),
        Const::Int(bits, _) => V::Bits(bits),
        Const::Null => V::Null,
        Const::Object(object, offset) => V::At(object.as_u32(), offset),
        Const::Proc(_) | Const::NoThread => panic!("not in these tests"),
    }
}

fn eval(sequential: &SequentialProgram, state: &State, expr: &Expr) -> V {
    let ty = |e: &Expr| e.ty(&sequential.program, sequential.body());
    let int = |e: &Expr| match ty(e) {
        Type::Int(int) => int,
        _ => Int { width: 1, signed: false },
    };
    let bits = |e: &Expr| match eval(sequential, state, e) {
        V::Bits(bits) => bits,
        other => panic!("{other:?} is no number"),
    };
    match expr {
        Expr::Const(c) => constant(*c),
        Expr::Local(local) => state.locals[local],
        Expr::Tid => panic!("no threads"),
        Expr::Unary(UnaryOp::Not, a) => V::Bits(1 - bits(a)),
        Expr::Unary(UnaryOp::Neg, a) => V::Bits(int(a).wrap(-int(a).value(bits(a)))),
        Expr::Unary(UnaryOp::BitNot, a) => V::Bits(!bits(a) & int(a).mask()),
        Expr::Unary(UnaryOp::Float(format, function), a) => {
            V::Bits(format.unary(*function, int(a), bits(a)))
        }
        Expr::Cast(Type::Int(to), a) => V::Bits(to.wrap(int(a).value(bits(a)))),
        Expr::Cast(Type::Bool, a) => V::Bits(u64::from(bits(a) != 0)),
        Expr::Cast(..) => panic!("not in these tests"),
        Expr::Ite(c, a, b) => eval(sequential, state, if bits(c) == 1 { a } else { b }),
        Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) => {
            let same = eval(sequential, state, a) == eval(sequential, state, b);
            V::Bits(u64::from(same == (*op == BinaryOp::Eq)))
        }
        Expr::Binary(op, a, b) => {
            let at = int(a);
            let (x, y) = (at.value(bits(a)), at.value(bits(b)));
            let test = |b: bool| V::Bits(b.into());
            match op {
                BinaryOp::Add => V::Bits(at.wrap(x + y)),
                BinaryOp::Sub => V::Bits(at.wrap(x - y)),
                BinaryOp::Mul => V::Bits(at.wrap(x * y)),
                BinaryOp::Rem => V::Bits(at.wrap(x % y)),
                BinaryOp::And => V::Bits(at.wrap(x & y)),
                BinaryOp::Or => V::Bits(at.wrap(x | y)),
                BinaryOp::Xor => V::Bits(at.wrap(x ^ y)),
                BinaryOp::Lt => test(x < y),
                BinaryOp::Le => test(x <= y),
                BinaryOp::Gt => test(x > y),
                BinaryOp::Ge => test(x >= y),
                other => panic!("{other:?} is not in these tests"),
            }
        }
    }
}
