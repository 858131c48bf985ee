//! The paths of a thread that tries to go on where it waits.
//!
//! A single action blocks or does not. An atomic block that cannot be finished does not start, so it
//! blocks if every path through it does, whatever is chosen and read as input; then all its effects are
//! undone. The paths form a tree, and are tried one after another.

use selvedge_ir::{Action, Edge, Expr, Grain, Location, LocationId, Procedure, Type};

/// A location, and what lies behind each of its edges.
#[derive(Clone, Debug)]
pub struct Trial {
    pub at: LocationId,
    pub behind: Vec<Behind>,
}

#[derive(Clone, Debug)]
pub enum Behind {
    /// Nothing can block any more: the thread moves.
    Free,
    /// The block goes on.
    Block(Trial),
    /// It may block later on, but the path there is not followed.
    Lost,
}

/// Larger trees are not followed.
const LARGEST: usize = 400;

impl Trial {
    /// The ways from a location where a thread may have to wait; none where it cannot.
    pub fn of(body: &Procedure, site: LocationId) -> Option<Trial> {
        let location = &body.locations[site];
        if location.grain == Grain::Atomic || !can_wait(body, location) {
            return None;
        }
        Some(Builder { body, size: 0 }.trial(site))
    }

    /// Whether a way is not followed to its end.
    pub fn loses(&self) -> bool {
        self.behind.iter().any(|behind| match behind {
            Behind::Free => false,
            Behind::Block(trial) => trial.loses(),
            Behind::Lost => true,
        })
    }
}

/// Whether every edge may block, and not all of them only by an assumption.
fn can_wait(body: &Procedure, location: &Location) -> bool {
    let waits = |edge: &Edge| is_wait(&edge.action) || reaches(body, edge, &is_wait);
    location.edges.iter().all(|edge| blocks(&edge.action) || reaches(body, edge, &blocks))
        && location.edges.iter().any(waits)
}

fn is_wait(action: &Action) -> bool {
    matches!(action, Action::Lock { .. } | Action::Join { .. } | Action::Wait(_))
}

fn blocks(action: &Action) -> bool {
    is_wait(action) || matches!(action, Action::Assume(_))
}

/// Whether the block that an edge leads into can come to such an action.
fn reaches(body: &Procedure, edge: &Edge, wanted: &dyn Fn(&Action) -> bool) -> bool {
    let mut seen = vec![edge.target];
    let mut next = 0;
    while let Some(&at) = seen.get(next) {
        next += 1;
        if body.locations[at].grain != Grain::Atomic {
            continue;
        }
        for edge in &body.locations[at].edges {
            if wanted(&edge.action) {
                return true;
            }
            if !seen.contains(&edge.target) {
                seen.push(edge.target);
            }
        }
    }
    false
}

struct Builder<'a> {
    body: &'a Procedure,
    size: usize,
}

impl Builder<'_> {
    fn trial(&mut self, at: LocationId) -> Trial {
        let body = self.body;
        let edges = body.locations[at].edges.iter();
        Trial { at, behind: edges.map(|edge| self.behind(edge)).collect() }
    }

    fn behind(&mut self, edge: &Edge) -> Behind {
        self.size += 1;
        if !reaches(self.body, edge, &blocks) {
            Behind::Free
        } else if self.size > LARGEST || !self.follows(&edge.action) {
            Behind::Lost
        } else {
            Behind::Block(self.trial(edge.target))
        }
    }

    /// Whether the action can be tried and taken back.
    fn follows(&self, action: &Action) -> bool {
        match action {
            Action::Havoc { to } => self.body.locals[*to].ty == Type::Bool,
            Action::Free { .. } | Action::Spawn { .. } | Action::Call { .. } => false,
            _ => true,
        }
    }
}

/// Whether exactly one edge can be taken: a branch.
pub fn is_branch(location: &Location) -> bool {
    let opposite = |a: &Expr, b: &Expr| a.clone().not() == *b || b.clone().not() == *a;
    match &location.edges[..] {
        [Edge { action: Action::Assume(a), .. }, Edge { action: Action::Assume(b), .. }] => {
            opposite(a, b)
        }
        _ => false,
    }
}
