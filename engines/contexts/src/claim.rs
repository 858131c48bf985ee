//! A claim: one thread has stopped before an access, so that another can be seen to race with it.

use selvedge_ir::{Action, BinaryOp, Expr, Int, LocalId, LocationId, RegionId, Span, Type};

use super::code::{Code, and, or};

/// The one claim.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    made: LocalId,
    addr: LocalId,
    region: LocalId,
    write: LocalId,
    plain: LocalId,
    /// Where blocks can race: threads that run later must stay before this context.
    pub limit: LocalId,
}

const REGION: Int = Int::U32;

impl Claim {
    pub fn new(code: &mut Code) -> Claim {
        let context = code.context;
        let mut local = |name: &str, ty| code.body.add_local(format!("#claim.{name}"), ty, false);
        Claim {
            made: local("made", Type::Bool),
            addr: local("addr", Type::Ptr),
            region: local("region", Type::Int(REGION)),
            write: local("write", Type::Bool),
            plain: local("plain", Type::Bool),
            limit: local("limit", Type::Int(context)),
        }
    }

    /// Whether a context is one that threads may still act in.
    pub fn in_time(&self, context: Expr) -> Expr {
        Expr::binary(BinaryOp::Lt, context, Expr::Local(self.limit))
    }

    /// Nothing is claimed yet.
    pub fn start(&self, code: &mut Code, at: LocationId, never: Expr) -> LocationId {
        let none = [
            (self.limit, never),
            (self.made, Expr::FALSE),
            (self.addr, Expr::NULL),
            (self.region, Expr::int(0, REGION)),
            (self.write, Expr::FALSE),
            (self.plain, Expr::FALSE),
        ];
        none.into_iter().fold(at, |at, (to, value)| code.assign(at, to, value))
    }

    /// The thread may claim an access, or go wrong because it conflicts with the claim; then it is
    /// at `to`.
    pub fn weigh(&self, code: &mut Code, at: LocationId, access: &Access, to: LocationId) {
        let made = Expr::Local(self.made);
        let region = Expr::int(access.region.as_u32().into(), REGION);
        let truth = |b: bool| if b { Expr::TRUE } else { Expr::FALSE };
        for byte in &access.bytes {
            let mut claim = code.assume(at, made.clone().not());
            for (to, value) in [
                (self.addr, byte.clone()),
                (self.region, region.clone()),
                (self.write, truth(access.write)),
                (self.plain, truth(access.plain)),
            ] {
                claim = code.assign(claim, to, value);
            }
            let action = Action::Assign { to: self.made, value: Expr::TRUE };
            code.edge(claim, action, to, access.span);
        }

        let same = |local: LocalId, e: Expr| Expr::binary(BinaryOp::Eq, Expr::Local(local), e);
        let mut conflict = and(made, same(self.region, region));
        let bytes = access.bytes.iter().map(|byte| same(self.addr, byte.clone()));
        conflict = and(conflict, bytes.reduce(or).unwrap_or(Expr::FALSE));
        conflict = and(conflict, or(truth(access.write), Expr::Local(self.write)));
        conflict = and(conflict, or(truth(access.plain), Expr::Local(self.plain)));
        let race = code.assume(at, conflict);
        let action = Action::Assign { to: code.error, value: Expr::TRUE };
        code.edge(race, action, to, access.span);
    }
}

/// What a thread is about to do.
pub struct Access {
    /// The addresses of the bytes that count.
    pub bytes: Vec<Expr>,
    pub region: RegionId,
    pub write: bool,
    pub plain: bool,
    pub span: Span,
}
