//! Where the threads of a deadlock wait: what the sequential program keeps about that.

use selvedge_ir::{Action, Expr, Int, LocalId, LocationId, Procedure, Span, Type};

use super::code::Code;
use super::trial::Trial;

/// What is kept about the end of the execution.
#[derive(Clone, Debug)]
pub struct DeadlockState {
    /// The execution ends in a deadlock.
    pub wanted: LocalId,
    /// By slot: where its thread waits, counted from 1; 0 if it does not.
    pub waits: Vec<LocalId>,
    /// By slot: where a thread can wait.
    pub sites: Vec<Vec<Trial>>,
    /// The thread that is looked at waits for something.
    pub waiting: LocalId,
}

pub const SITE: Int = Int::U16;

impl DeadlockState {
    pub fn new(code: &mut Code, bodies: &[&Procedure]) -> DeadlockState {
        let wanted = code.body.add_local("#deadlock", Type::Bool, false);
        let waits = (1..=bodies.len())
            .map(|slot| code.body.add_local(format!("#T{slot}.waits"), Type::Int(SITE), false));
        let waits = waits.collect();
        let waiting = code.body.add_local("#waiting", Type::Bool, false);
        DeadlockState {
            wanted,
            waits,
            sites: bodies.iter().map(|body| sites(body)).collect(),
            waiting,
        }
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
