//! The heads of loops, and what may be guessed about them.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_ir::{Action, BinaryOp, EdgeId, Expr, LocalId, LocationId, Place, Procedure};
use selvedge_passes::graph::reverse_postorder;

/// Where loops begin, and what belongs to them.
pub(crate) struct Loops {
    heads: BTreeMap<LocationId, BTreeSet<LocationId>>,
}

/// What may hold at a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Guess {
    /// So many actions of the contract may be done.
    Position(usize),
    /// A clause that the contract requires.
    Requires(usize),
    Local(Expr),
    /// A local is what a parameter was at the entry.
    Entry(LocalId, usize),
    /// A scalar in memory compares so with a value.
    Memory(Place, BinaryOp, Expr),
    /// The local leads to an object, or to one of the thread's own.
    Object(LocalId),
    Own(LocalId),
    /// It is null, or leads to an object that others may know.
    Public(LocalId),
    /// Where a condition on locals holds.
    Where(Expr, Box<Guess>),
}

/// What is still believed of each head.
#[derive(Default)]
pub(crate) struct Guesses {
    pub at: BTreeMap<LocationId, Vec<Guess>>,
}

impl Loops {
    pub fn of(body: &Procedure) -> Loops {
        let order = reverse_postorder(body);
        let index: BTreeMap<LocationId, usize> =
            order.iter().enumerate().map(|(i, &at)| (at, i)).collect();
        let mut before: BTreeMap<LocationId, Vec<LocationId>> = BTreeMap::new();
        let mut back: Vec<EdgeId> = Vec::new();
        for (id, edge) in body.edges() {
            let (Some(from), Some(to)) = (index.get(&id.from), index.get(&edge.target)) else {
                continue;
            };
            before.entry(edge.target).or_default().push(id.from);
            if to <= from {
                back.push(id);
            }
        }
        let mut heads: BTreeMap<LocationId, BTreeSet<LocationId>> = BTreeMap::new();
        for id in back {
            let head = body.edge(id).target;
            let members = heads.entry(head).or_insert_with(|| BTreeSet::from([head]));
            let mut work = vec![id.from];
            while let Some(at) = work.pop() {
                if members.insert(at) {
                    work.extend(before.get(&at).into_iter().flatten());
                }
            }
        }
        Loops { heads }
    }

    pub fn is_head(&self, at: LocationId) -> bool {
        self.heads.contains_key(&at)
    }

    /// Whether the loop is entered at its head only: from elsewhere nobody comes to an edge back but by
    /// the head.
    pub fn has_one_entry(&self, body: &Procedure, head: LocationId) -> bool {
        let around = |members: &BTreeSet<LocationId>| members.contains(&body.entry);
        head == body.entry || !self.heads.get(&head).is_some_and(around)
    }

    pub fn heads(&self) -> impl Iterator<Item = LocationId> + '_ {
        self.heads.keys().copied()
    }

    /// The locals that a loop assigns.
    pub fn assigned(&self, body: &Procedure, head: LocationId) -> BTreeSet<LocalId> {
        self.actions(body, head).iter().filter_map(|action| action.assigned()).collect()
    }

    /// The edges of a loop.
    pub fn edges(&self, body: &Procedure, head: LocationId) -> Vec<EdgeId> {
        let members = self.heads.get(&head).into_iter().flatten();
        let edges = |&from: &LocationId| {
            let count = body.locations[from].edges.len() as u32;
            (0..count).map(move |index| EdgeId { from, index })
        };
        members.flat_map(edges).collect()
    }

    pub fn actions<'b>(&self, body: &'b Procedure, head: LocationId) -> Vec<&'b Action> {
        let members = self.heads.get(&head).into_iter().flatten();
        members.flat_map(|&at| body.locations[at].edges.iter().map(|edge| &edge.action)).collect()
    }
}
