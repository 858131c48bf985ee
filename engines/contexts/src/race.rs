//! Data races: two threads that stand before accesses to the same memory.
//!
//! A race is a state, and in that state both threads may as well have stopped for good. So a thread
//! may stop before an access and *claim* it; if one has been claimed already, by a thread that ran
//! before it in the sequential program, and the two conflict, that is the error. One claim is enough,
//! because a race takes two threads. Where accesses of several sizes meet, one byte is claimed.
//!
//! An atomic block races with all its accesses, which depend on the state that it starts in. The
//! thread runs the block to see them, but as the very last of all actions and without leaving a
//! trace of it: what other threads do must come before. The other access is a plain one, since two
//! blocks do not race.

use rustc_hash::FxHashMap;
use selvedge_ir::{
    Action, BinaryOp, Edge, EdgeId, Expr, Grain, LocationId, Mode, Place, Procedure, RegionId, Span,
};

use super::claim::{Access, Claim};
use super::code::and;
use super::emission::Emission;
use super::memory::in_map;

impl Emission<'_, '_> {
    /// The thread may stop before an access that can take part in a race.
    pub fn races(&mut self, from: LocationId, location: LocationId) {
        let Some(claim) = self.t.claim else { return };
        let code = self.me().code.clone();
        for edge in &code.body.locations[location].edges {
            if self.may_race(&code.body, location, edge) && !leads_inside(&code.body, edge) {
                self.weigh(&claim, from, edge, self.stop);
            }
        }
    }

    fn weigh(&mut self, claim: &Claim, at: LocationId, edge: &Edge, to: LocationId) {
        let Some((place, write, plain)) = access(edge) else { return };
        let Some(region) = place.region else { return };
        let access =
            Access { bytes: self.bytes(place, region), region, write, plain, span: edge.span };
        let at = self.reached(place, region, at, edge.span);
        claim.weigh(&mut self.t.code, at, &access, to);
    }

    /// Goes on only if there is memory where a place leads: two threads that are about to access
    /// what is not there do not race.
    fn reached(
        &mut self,
        place: &Place,
        region: RegionId,
        at: LocationId,
        span: Span,
    ) -> LocationId {
        let map = self.t.memory.maps[region].all().first().copied();
        let Some(map) = map.filter(|_| place.direct().is_none()) else { return at };
        let from = in_map(&self.place(place), map);
        let to = self.t.code.temporary(from.ty, 0);
        self.t.code.then(at, Action::Load { to, from, mode: Mode::Plain }, span)
    }

    /// The bytes by which an access is known: the first where all accesses to the region have one
    /// type, so that they are the same or apart.
    fn bytes(&self, place: &Place, region: RegionId) -> Vec<Expr> {
        let program = &self.t.prepared.program;
        let addr = self.expr(&place.addr);
        let size = match program.regions[region].ty {
            Some(_) => 1,
            None => place.ty.size(program.model),
        };
        let int = program.model.diff_type();
        let byte = |n: u64| Expr::binary(BinaryOp::PtrAdd, addr.clone(), Expr::int(n.into(), int));
        (0..size).map(|n| if n == 0 { addr.clone() } else { byte(n) }).collect()
    }

    fn may_race(&self, body: &Procedure, from: LocationId, edge: &Edge) -> bool {
        let shared = |place: &Place| place.region.is_some_and(|r| self.t.sharing.is_shared(r));
        self.t.sharing.company[self.slot as usize].contains(from)
            && (body.locations[from].grain != Grain::Atomic || self.silent)
            && access(edge).is_some_and(|(place, ..)| shared(place))
    }

    /// The thread may run the atomic block that starts here to see what it accesses.
    pub fn block_races(&mut self, from: LocationId, location: LocationId) {
        let Some(claim) = self.t.claim else { return };
        let code = self.me().code.clone();
        if code.body.locations[location].grain == Grain::Atomic {
            return;
        }
        let inside = block(&code.body, location);
        self.silent = true;
        let race = |&(at, index): &(LocationId, usize)| {
            self.may_race(&code.body, at, &code.body.locations[at].edges[index])
        };
        if inside.iter().any(race) {
            self.last_block(&claim, &code.body, location, from, &inside);
        }
        self.silent = false;
    }

    fn last_block(
        &mut self,
        claim: &Claim,
        body: &Procedure,
        site: LocationId,
        from: LocationId,
        inside: &[(LocationId, usize)],
    ) {
        let start = self.t.code.then(from, Action::Skip, Span::NONE);
        let done = self.t.code.location();
        let mut copies: FxHashMap<LocationId, LocationId> = FxHashMap::default();
        copies.insert(site, start);
        for &(at, index) in inside {
            let edge = &body.locations[at].edges[index];
            let mut from = *copies.entry(at).or_insert_with(|| self.t.code.location());
            let goes_on =
                leads_inside(body, edge) && !matches!(edge.action, Action::EndThread { .. });
            let to = match goes_on {
                true => *copies.entry(edge.target).or_insert_with(|| self.t.code.location()),
                false => done,
            };
            if self.may_race(body, at, edge) {
                let next = self.t.code.then(from, Action::Skip, edge.span);
                self.weigh(claim, from, edge, next);
                from = next;
            }
            self.shown(EdgeId { from: at, index: index as u32 }, edge, from, to);
        }
        for (_, at) in copies {
            if self.t.code.body.locations[at].edges.is_empty() {
                self.t.code.edge(at, Action::Halt, done, Span::NONE);
            }
        }
        // Nothing comes behind it.
        let k = Expr::Local(self.t.code.k);
        let before = self.t.books[..self.slot as usize].iter();
        let before =
            before.map(|books| Expr::binary(BinaryOp::Le, Expr::Local(books.last), k.clone()));
        let at = match before.reduce(and) {
            Some(all) => self.t.code.assume(done, all),
            None => done,
        };
        let action = Action::Assign { to: claim.limit, value: k };
        self.t.code.edge(at, action, self.stop, Span::NONE);
    }
}

/// The edges of the atomic block that starts at a location.
fn block(body: &Procedure, site: LocationId) -> Vec<(LocationId, usize)> {
    let mut found = Vec::new();
    let mut seen = vec![site];
    let mut next = 0;
    while next < seen.len() {
        let at = seen[next];
        next += 1;
        for (index, edge) in body.locations[at].edges.iter().enumerate() {
            let inside = leads_inside(body, edge);
            if at != site || inside {
                found.push((at, index));
            }
            if inside && !seen.contains(&edge.target) {
                seen.push(edge.target);
            }
        }
    }
    found
}

fn leads_inside(body: &Procedure, edge: &Edge) -> bool {
    body.locations[edge.target].grain == Grain::Atomic
}

/// The place of an edge that can take part in a race: whether it writes, and whether it is plain.
fn access(edge: &Edge) -> Option<(&Place, bool, bool)> {
    match &edge.action {
        Action::Load { from, mode, .. } => Some((from, false, *mode == Mode::Plain)),
        Action::Store { to, mode, .. } => Some((to, true, *mode == Mode::Plain)),
        _ => None,
    }
}
