//! Equal string literals: whether they are one object is not specified (C11 6.4.5, paragraph 7), and
//! a literal may lie in the end of a longer one.
//!
//! Where pointers are compared, each literal is an object of its own. A comparison that finds two
//! places which could be one is not supported; all others have the same result either way.

use selvedge_ir::{
    Action, BinaryOp, CheckKind, Edge, EdgeId, Expr, Grain, Int, LocalId, ObjectId, ProcId,
    Procedure, Program, Type,
};

use crate::expr::COMPARED;
use crate::lowering::Fixed;

/// Places of two literals that are compared one by one; with more, any place is.
const PLACES: u64 = 16;

/// Two literals with the same end: the first goes on for `bytes` from `from` as the other does from
/// its start.
struct Pair {
    long: ObjectId,
    from: u64,
    short: ObjectId,
    bytes: u64,
}

/// Puts checks in the places of the marks.
pub(super) fn guard(fixed: &Fixed, program: &mut Program) {
    let pairs = pairs(fixed, program);
    let mut found: Vec<(ProcId, EdgeId, Expr)> = Vec::new();
    for (procedure, body) in &program.procedures {
        for (at, edge) in body.edges() {
            if let Action::Assert { cond, check } = &edge.action
                && check.kind == CheckKind::Label(COMPARED.to_owned())
            {
                found.push((procedure, at, cond.clone()));
            }
        }
    }
    for (procedure, at, compared) in found {
        let body = &mut program.procedures[procedure];
        body.locations[at.from].edges[at.index as usize].action = Action::Skip;
        match compared {
            Expr::Binary(_, left, right) if !pairs.is_empty() => {
                guard_comparison(program, &pairs, procedure, at, [&left, &right]);
            }
            _ => pass_by(body, at),
        }
    }
}

/// Leads those who come to an edge that does nothing to its target at once.
fn pass_by(body: &mut Procedure, at: EdgeId) {
    let target = body.edge(at).target;
    if target == at.from || body.entry == at.from || body.locations[at.from].edges.len() > 1 {
        return;
    }
    for location in body.locations.values_mut() {
        for edge in location.edges.iter_mut().filter(|edge| edge.target == at.from) {
            edge.target = target;
        }
    }
}

fn pairs(fixed: &Fixed, program: &Program) -> Vec<Pair> {
    let mut known: Vec<_> = fixed.literals.iter().collect();
    known.sort_by_key(|(object, _)| **object);
    let mut pairs = Vec::new();
    for (i, (a, a_literal)) in known.iter().enumerate() {
        for (b, b_literal) in &known[i + 1..] {
            if a_literal.1 != b_literal.1 {
                continue;
            }
            let (long, short) = match a_literal.0.len() < b_literal.0.len() {
                true => ((**b, &b_literal.0), (**a, &a_literal.0)),
                false => ((**a, &a_literal.0), (**b, &b_literal.0)),
            };
            if long.1.ends_with(short.1) {
                let size = |object: ObjectId| program.layouts[program.objects[object].layout].size;
                let from = size(long.0) - size(short.0);
                pairs.push(Pair { long: long.0, from, short: short.0, bytes: size(short.0) });
            }
        }
    }
    pairs
}

fn guard_comparison(
    program: &mut Program,
    pairs: &[Pair],
    procedure: ProcId,
    at: EdgeId,
    compared: [&Expr; 2],
) {
    let int = program.model.diff_type();
    let body = &mut program.procedures[procedure];
    let any = pairs
        .iter()
        .any(|pair| pair.bytes > PLACES)
        .then(|| body.add_local("place", Type::Int(int), false));
    let doubtful = pairs
        .iter()
        .map(|pair| pair.condition(compared, any, int))
        .reduce(|a, b| Expr::binary(BinaryOp::Or, a, b))
        .unwrap_or(Expr::FALSE);
    let [behind, stuck] = [(); 2].map(|()| body.add_location(Grain::Atomic));
    let choice = match any {
        Some(_) => body.add_location(Grain::Atomic),
        None => behind,
    };
    let edge = &mut body.locations[at.from].edges[at.index as usize];
    let (target, span) = (edge.target, edge.span);
    edge.target = behind;
    let mut add = |from, action, target| {
        body.locations[from].edges.push(Edge { action, target, span });
    };
    if let Some(to) = any {
        add(behind, Action::Havoc { to }, choice);
    }
    add(choice, Action::Assume(doubtful.clone().not()), target);
    add(choice, Action::Assume(doubtful), stuck);
    let what = "whether equal string literals are one object".to_owned();
    add(stuck, Action::Unsupported { what }, target);
}

impl Pair {
    /// That the two pointers are at corresponding places of the two.
    fn condition(&self, [a, b]: [&Expr; 2], any: Option<LocalId>, int: Int) -> Expr {
        let at =
            |object, offset: Expr| Expr::binary(BinaryOp::PtrAdd, Expr::object(object), offset);
        let is = |pointer: &Expr, place| Expr::binary(BinaryOp::Eq, pointer.clone(), place);
        let both = |offset: &dyn Fn(u64) -> Expr| {
            let (long, short) = (at(self.long, offset(self.from)), at(self.short, offset(0)));
            let one = Expr::binary(BinaryOp::And, is(a, long.clone()), is(b, short.clone()));
            let other = Expr::binary(BinaryOp::And, is(b, long), is(a, short));
            Expr::binary(BinaryOp::Or, one, other)
        };
        match any {
            Some(any) => both(&|from| {
                let from = Expr::int(i128::from(from), int);
                Expr::binary(BinaryOp::Add, from, Expr::Local(any))
            }),
            None => (0..=self.bytes)
                .map(|place| both(&|from| Expr::int(i128::from(from + place), int)))
                .reduce(|a, b| Expr::binary(BinaryOp::Or, a, b))
                .unwrap_or(Expr::FALSE),
        }
    }
}
