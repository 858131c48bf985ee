//! Abstract error paths, with the steps of the environment traced back to their causes.
//!
//! A thread reaches a state by its own step from one earlier state, or by a step of another thread
//! from an earlier state of its own *and* one of that thread, which has a history in turn. So a path
//! is an acyclic graph rather than a sequence.

use rustc_hash::FxHashMap;

use super::Place;
use super::bdd::{Bdd, FALSE};
use super::literal::{Literal, Slot};
use super::reach::{Cause, Reach};
use super::region::Bits;
use super::transitions::{Kind, TransitionId};

pub type NodeId = usize;

/// An abstract state on the way to an error. Causes come before what they cause.
#[derive(Clone, Debug)]
pub struct Node {
    pub place: Place,
    pub bits: Bits,
    pub how: How,
}

/// How a state was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct How {
    pub transition: TransitionId,
    /// The state before, of the same thread.
    pub observer: Option<NodeId>,
    /// The state before of another thread that moves.
    pub mover: Option<NodeId>,
}

#[derive(Clone, Debug)]
pub struct Derivation {
    pub nodes: Vec<Node>,
    /// What goes wrong at the end.
    pub goal: How,
}

impl Derivation {
    /// The transitions with what is true before and after, for checking each alone.
    pub fn transitions(&self, reach: &Reach) -> Vec<(TransitionId, Vec<Literal>)> {
        let nodes = self.nodes.iter().map(|node| (node.how, Some(node)));
        let all = nodes.chain([(self.goal, None)]);
        all.map(|(how, after)| (how.transition, self.literals(reach, how, after))).collect()
    }

    fn literals(&self, reach: &Reach, how: How, after: Option<&Node>) -> Vec<Literal> {
        let space = &reach.space;
        let kind = space.transitions.get(how.transition).kind;
        let mut literals = Vec::new();
        let mut push = |bits: &Bits, slot: Slot, wanted: &dyn Fn(bool) -> bool| {
            for &(predicate, positive) in bits {
                if wanted(space.predicates.get(predicate).owner.is_some()) {
                    literals.push(Literal { predicate, slot, positive });
                }
            }
        };
        if let Some(observer) = how.observer {
            push(&self.nodes[observer].bits, Slot::Now, &|_| true);
        }
        if let Some(mover) = how.mover {
            push(&self.nodes[mover].bits, Slot::Mover, &|owned| owned);
            if how.observer.is_none() {
                push(&self.nodes[mover].bits, Slot::Now, &|owned| !owned);
            }
        }
        match (kind, after) {
            (Kind::Initial, Some(after)) => push(&after.bits, Slot::Now, &|_| true),
            (_, Some(after)) => {
                let affected = space.affected(how.transition);
                let changed: Bits =
                    after.bits.iter().copied().filter(|(p, _)| affected.contains(p)).collect();
                push(&changed, Slot::Next, &|_| true);
            }
            _ => {}
        }
        literals
    }
}

/// A derivation of the error that a transition stands for, if one is reached. There is also none if
/// the diagrams are not complete.
pub fn derive(reach: &mut Reach, goal: TransitionId) -> Option<Derivation> {
    let transition = reach.space.transitions.get(goal);
    let (observer, mover) = (transition.observer, transition.mover);
    let (at, mover_at) = (transition.from?, transition.mover_from);
    let error = reach.space.relation(goal).relation;
    let mut builder = Builder { reach, nodes: Vec::new(), known: FxHashMap::default() };
    let limit = builder.reach.entries.len();
    let mover = mover.zip(mover_at);
    let set = builder.earliest((observer, at), error, limit, mover)?;
    let mover_node = match mover {
        Some(place) => Some(builder.mover(place, set)?),
        None => None,
    };
    let observer = builder.observer((observer, at), set)?;
    let goal = How { transition: goal, observer: Some(observer), mover: mover_node };
    Some(Derivation { nodes: builder.nodes, goal })
}

struct Builder<'r, 's, 'a> {
    reach: &'r mut Reach<'s, 'a>,
    nodes: Vec<Node>,
    known: FxHashMap<(Place, Bits), NodeId>,
}

impl Builder<'_, '_, '_> {
    /// The part of a set that lies in what was reached first at a place (and at the mover's place),
    /// before the entry of that number.
    fn earliest(
        &mut self,
        place: Place,
        set: Bdd,
        limit: usize,
        mover: Option<Place>,
    ) -> Option<Bdd> {
        let mut set = set;
        if let Some(mover) = mover {
            let region = self.before(mover, limit);
            let region = self.reach.space.as_mover(mover.0, region);
            set = self.reach.space.diagrams.and(set, region);
        }
        let set = self.first(place, set, limit, false)?;
        match mover {
            Some(mover) => self.first(mover, set, limit, true),
            None => Some(set),
        }
    }

    fn first(&mut self, place: Place, set: Bdd, limit: usize, mover: bool) -> Option<Bdd> {
        if set == FALSE {
            return None;
        }
        let entries = self.reach.by_place.get(&place).cloned().unwrap_or_default();
        for index in entries.into_iter().take_while(|&index| index < limit) {
            let mut region = self.reach.entries[index].set;
            if mover {
                region = self.reach.space.as_mover(place.0, region);
            }
            let both = self.reach.space.diagrams.and(set, region);
            if both != FALSE {
                return Some(both);
            }
        }
        None
    }

    /// What was reached at a place before the entry of that number.
    fn before(&mut self, place: Place, limit: usize) -> Bdd {
        let entries = self.reach.by_place.get(&place).cloned().unwrap_or_default();
        let mut region = FALSE;
        for index in entries.into_iter().take_while(|&index| index < limit) {
            let set = self.reach.entries[index].set;
            region = self.reach.space.diagrams.or(region, set);
        }
        region
    }

    /// The node of the observer's state in an element of the set.
    fn observer(&mut self, place: Place, set: Bdd) -> Option<NodeId> {
        let bits = self.bits(place, set, Slot::Now)?;
        self.node(place, bits)
    }

    fn mover(&mut self, place: Place, set: Bdd) -> Option<NodeId> {
        let bits = self.bits(place, set, Slot::Mover)?;
        self.node(place, bits)
    }

    /// What must be there, unless the diagrams are not complete.
    fn surely<T>(&self, found: Option<T>, invariant: &str) -> Option<T> {
        assert!(found.is_some() || self.reach.space.diagrams.complete().is_err(), "{invariant}");
        found
    }

    /// Values of the predicates that are tracked at a place; where any value will do, the usual one.
    fn bits(&self, place: Place, set: Bdd, slot: Slot) -> Option<Bits> {
        let space = &self.reach.space;
        let picked = self.surely(space.pick(set), "the set is not empty")?;
        let picked: FxHashMap<_, bool> =
            picked.into_iter().map(|l| ((l.predicate, l.slot), l.positive)).collect();
        let value = |p| {
            let slot = match space.predicates.get(p).owner {
                None => Slot::Now,
                Some(_) => slot,
            };
            picked.get(&(p, slot)).copied().unwrap_or_else(|| space.usual(p))
        };
        Some(space.tracked(place.0, place.1).into_iter().map(|p| (p, value(p))).collect())
    }

    fn node(&mut self, place: Place, bits: Bits) -> Option<NodeId> {
        if let Some(&known) = self.known.get(&(place, bits.clone())) {
            return Some(known);
        }
        let cube = self.reach.space.cube(&bits, Slot::Now);
        let entries = self.reach.by_place[&place].clone();
        let index = entries.into_iter().find(|&index| {
            let set = self.reach.entries[index].set;
            self.reach.space.diagrams.and(set, cube) != FALSE
        });
        let index = self.surely(index, "the state was reached")?;
        let how = self.how(place, &bits, index)?;
        self.nodes.push(Node { place, bits: bits.clone(), how });
        self.known.insert((place, bits), self.nodes.len() - 1);
        Some(self.nodes.len() - 1)
    }

    /// The states before, for a state that the entry of that number brought.
    fn how(&mut self, place: Place, bits: &Bits, index: usize) -> Option<How> {
        let candidates = match self.reach.entries[index].cause {
            Cause::Initial => {
                let transitions = self.reach.space.transitions;
                let is = |id: &&TransitionId| transitions.get(**id).observer == place.0;
                let transition = *transitions.initial.iter().find(is).expect("it runs initially");
                return Some(How { transition, observer: None, mover: None });
            }
            Cause::Own(id) | Cause::Birth(id) => vec![id],
            Cause::Environment(part) => {
                self.reach.assumptions[place.0.0 as usize].parts[part].transitions.clone()
            }
        };
        let how = candidates.into_iter().find_map(|id| self.how_by(place, bits, index, id));
        self.surely(how, "an entry has a cause")
    }

    fn how_by(&mut self, place: Place, bits: &Bits, index: usize, id: TransitionId) -> Option<How> {
        let space = &mut *self.reach.space;
        let transition = space.transitions.get(id);
        let affected = space.affected(id);
        let mut literals = Vec::new();
        for &(predicate, positive) in bits {
            let slot = if affected.contains(&predicate) { Slot::Next } else { Slot::Now };
            literals.push((space.variable(predicate, slot), positive));
        }
        let cube = space.diagrams.cube(&literals);
        let relation = space.relation(id).relation;
        let set = space.diagrams.and(relation, cube);
        let mover = transition.mover.zip(transition.mover_from);
        let observer = match transition.kind {
            Kind::Birth { .. } => None,
            Kind::Own { .. } => Some((place.0, transition.from?)),
            _ => Some(place),
        };
        let set = match (observer, mover) {
            (Some(observer), mover) => self.earliest(observer, set, index, mover)?,
            (None, Some(mover)) => self.first(mover, set, index, true)?,
            (None, None) => return None,
        };
        let observer = match observer {
            Some(place) => Some(self.observer(place, set)?),
            None => None,
        };
        let mover = match mover {
            Some(place) => Some(self.mover(place, set)?),
            None => None,
        };
        Some(How { transition: id, observer, mover })
    }
}
