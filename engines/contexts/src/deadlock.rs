//! Deadlocks: nobody can move, and somebody waits.
//!
//! A deadlock is a state, and nothing happens after it. So it is decided at the start whether the
//! execution is to end in one; then a thread may stop only where it waits, and notes where. When all
//! have run, the maps of the last contexts hold the last state, and it is checked that each thread
//! has ended, or was never started, or waits in vain: the lock is held, the thread to be joined has
//! not ended, or no path leads through the atomic block (`trial`, `attempt`). Where these paths are not
//! followed to their ends, the thread is taken as not waiting, and the answer says so.

use selvedge_ir::{Action, BinaryOp, Expr, LocalId, LocationId, Span};

use super::attempt::Attempt;
use super::code::or;
use super::emission::Emission;
use super::route::Route;
use super::translation::{Books, Translation};
use super::waits::SITE;

impl Translation<'_> {
    /// Behind the last thread: if a deadlock is wanted, it must be one.
    pub fn check_deadlock(&mut self, at: LocationId, routes: &[Route]) -> LocationId {
        let Some(dead) = self.dead.clone() else { return at };
        let end = self.code.location();
        self.code.edge(at, dead.stop(), end, Span::NONE);
        let mut at = self.code.assume(at, Expr::Local(dead.wanted));
        for (slot, route) in routes.iter().enumerate() {
            let next = self.code.location();
            let Books { started, done, .. } = self.books[slot];
            self.code.edge(at, Action::Assume(Expr::Local(done)), next, Span::NONE);
            if !self.slots.list[slot].initial {
                let never = Expr::Local(started).not();
                self.code.edge(at, Action::Assume(never), next, Span::NONE);
            }
            for (index, site) in dead.sites[slot].iter().enumerate() {
                let number = Expr::int(index as i128 + 1, SITE);
                let here = Expr::binary(BinaryOp::Eq, Expr::Local(dead.waits[slot]), number);
                let from = self.code.assume(at, here);
                let from = self.code.assign(from, dead.waiting, Expr::FALSE);
                let tried = self.code.location();
                let emission = Emission::new(self, slot as u32, route, next);
                Attempt::new(emission, dead.waiting).in_vain(site, from, tried);
                let waits = Action::Assume(Expr::Local(dead.waiting));
                self.code.edge(tried, waits, next, Span::NONE);
            }
            at = next;
        }
        let waits =
            |&local: &LocalId| Expr::binary(BinaryOp::Ne, Expr::Local(local), Expr::int(0, SITE));
        let somebody = dead.waits.iter().map(waits).reduce(or).unwrap_or(Expr::FALSE);
        let at = self.code.assume(at, somebody);
        let wrong = Action::Assign { to: self.code.error, value: Expr::TRUE };
        self.code.edge(at, wrong, end, Span::NONE);
        end
    }
}
