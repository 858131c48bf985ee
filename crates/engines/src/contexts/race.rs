//! Data races: two threads that stand before accesses to the same memory.
//!
//! A race is a state, and in that state both threads may as well have stopped for good. So a thread
//! may stop before an access and *claim* it; if one has been claimed already, by a thread that ran
//! before it in the sequential program, and the two conflict, that is the error. One claim is enough,
//! because a race takes two threads.
//!
//! Accesses inside atomic blocks are left out: such a race is not found.

use selvedge_ir::{
    Action, BinaryOp, Edge, Expr, Int, LocalId, LocationId, Mode, Place, RegionId, Span, Type,
};

use super::code::{Code, and, or};

/// The one claim.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    made: LocalId,
    addr: LocalId,
    region: LocalId,
    write: LocalId,
    plain: LocalId,
}

const REGION: Int = Int::U32;

impl Claim {
    pub fn new(code: &mut Code) -> Claim {
        let mut local = |name: &str, ty| code.body.add_local(format!("#claim.{name}"), ty, false);
        Claim {
            made: local("made", Type::Bool),
            addr: local("addr", Type::Ptr),
            region: local("region", Type::Int(REGION)),
            write: local("write", Type::Bool),
            plain: local("plain", Type::Bool),
        }
    }

    /// Nothing is claimed yet.
    pub fn start(&self, code: &mut Code, at: LocationId) -> LocationId {
        let none = [
            (self.made, Expr::FALSE),
            (self.addr, Expr::NULL),
            (self.region, Expr::int(0, REGION)),
            (self.write, Expr::FALSE),
            (self.plain, Expr::FALSE),
        ];
        none.into_iter().fold(at, |at, (to, value)| code.assign(at, to, value))
    }

    /// The thread may stop before an access: to claim it, or because it conflicts with the claim.
    pub fn stop_before(
        &self,
        code: &mut Code,
        at: LocationId,
        access: &Access<'_>,
        stop: LocationId,
    ) {
        let made = Expr::Local(self.made);
        let region = Expr::int(access.region.as_u32().into(), REGION);
        let truth = |b: bool| if b { Expr::TRUE } else { Expr::FALSE };
        let mut claim = code.assume(at, made.clone().not());
        for (to, value) in [
            (self.addr, access.addr.clone()),
            (self.region, region.clone()),
            (self.write, truth(access.write)),
            (self.plain, truth(access.plain)),
        ] {
            claim = code.assign(claim, to, value);
        }
        let action = Action::Assign { to: self.made, value: Expr::TRUE };
        code.edge(claim, action, stop, access.span);

        let same = |local: LocalId, e: Expr| Expr::binary(BinaryOp::Eq, Expr::Local(local), e);
        let mut conflict = and(made, same(self.region, region));
        conflict = and(conflict, same(self.addr, access.addr.clone()));
        conflict = and(conflict, or(truth(access.write), Expr::Local(self.write)));
        conflict = and(conflict, or(truth(access.plain), Expr::Local(self.plain)));
        let race = code.assume(at, conflict);
        let action = Action::Assign { to: code.error, value: Expr::TRUE };
        code.edge(race, action, stop, access.span);
    }
}

/// What a thread is about to do.
pub struct Access<'a> {
    pub addr: &'a Expr,
    pub region: RegionId,
    pub write: bool,
    pub plain: bool,
    pub span: Span,
}

/// The place of an edge that can take part in a race: whether it writes, and whether it is plain.
pub fn access(edge: &Edge) -> Option<(&Place, bool, bool)> {
    match &edge.action {
        Action::Load { from, mode, .. } => Some((from, false, *mode == Mode::Plain)),
        Action::Store { to, mode, .. } => Some((to, true, *mode == Mode::Plain)),
        _ => None,
    }
}
