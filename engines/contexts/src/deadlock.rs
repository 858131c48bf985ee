//! Deadlocks: nobody can move, and somebody waits.
//!
//! A deadlock is a state, and nothing happens after it. So it is decided at the start whether the
//! execution is to end in one; then a thread may stop only where it waits, and notes where. When all
//! have run, the maps of the last contexts hold the last state, and it is checked that each thread
//! has ended, or was never started, or waits in vain: the lock is held, the thread to be joined has
//! not ended, or no way leads through the atomic block ([`trial`](super::trial),
//! [`attempt`](super::attempt)). Where the ways are not followed to their ends, the thread is taken as
//! not waiting, and the answer says so.

use selvedge_ir::{Action, BinaryOp, Expr, Int, LocalId, LocationId, Procedure, Span, Type};

use super::attempt::Attempt;
use super::code::{Code, or};
use super::points::Points;
use super::sequentialize::{Books, Translation};
use super::thread::Emission;
use super::trial::Trial;

/// What is kept about the end of the execution.
#[derive(Clone, Debug)]
pub struct Dead {
    /// The execution ends in a deadlock.
    wanted: LocalId,
    /// By slot: where its thread waits, counted from 1; 0 if it does not.
    waits: Vec<LocalId>,
    /// By slot: where a thread can wait.
    sites: Vec<Vec<Trial>>,
    /// The thread that is looked at waits for something.
    waiting: LocalId,
}

const SITE: Int = Int::U16;

impl Dead {
    pub fn new(code: &mut Code, bodies: &[&Procedure]) -> Dead {
        let wanted = code.body.add_local("#deadlock", Type::Bool, false);
        let waits = (1..=bodies.len())
            .map(|slot| code.body.add_local(format!("#T{slot}.waits"), Type::Int(SITE), false));
        let waits = waits.collect();
        let waiting = code.body.add_local("#waiting", Type::Bool, false);
        Dead { wanted, waits, sites: bodies.iter().map(|body| sites(body)).collect(), waiting }
    }

    pub fn start(&self, code: &mut Code, at: LocationId) -> LocationId {
        let at = code.then(at, Action::Havoc { to: self.wanted }, Span::NONE);
        self.waits.iter().fold(at, |at, &to| code.assign(at, to, Expr::int(0, SITE)))
    }

    /// A thread may stop for any other reason only if no deadlock is wanted.
    pub fn stop(&self) -> Action {
        Action::Assume(Expr::Local(self.wanted).not())
    }

    /// The thread of a slot may stop where it waits.
    pub fn stop_waiting(
        &self,
        code: &mut Code,
        slot: u32,
        location: LocationId,
        at: LocationId,
        stop: LocationId,
    ) {
        let Some(index) = self.sites[slot as usize].iter().position(|site| site.at == location)
        else {
            return;
        };
        let at = code.assume(at, Expr::Local(self.wanted));
        let value = Expr::int(index as i128 + 1, SITE);
        let action = Action::Assign { to: self.waits[slot as usize], value };
        code.edge(at, action, stop, Span::NONE);
    }
}

fn sites(body: &Procedure) -> Vec<Trial> {
    body.locations.keys().filter_map(|at| Trial::of(body, at)).collect()
}

/// Whether there are deadlocks that are not looked for.
pub fn loses_deadlocks(body: &Procedure) -> bool {
    sites(body).iter().any(Trial::loses)
}

impl Translation<'_> {
    /// Behind the last thread: if a deadlock is wanted, it must be one.
    pub fn check_deadlock(&mut self, at: LocationId, points: &[Points]) -> LocationId {
        let Some(dead) = self.dead.clone() else { return at };
        let end = self.code.location();
        self.code.edge(at, dead.stop(), end, Span::NONE);
        let mut at = self.code.assume(at, Expr::Local(dead.wanted));
        for (slot, points) in points.iter().enumerate() {
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
                let emission = Emission::new(self, slot as u32, points, next);
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
