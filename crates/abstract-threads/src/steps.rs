//! Which steps of a thread concern the vocabulary. A step leads from one point where other threads
//! may run to the next, through atomic blocks.

use cranelift_entity::SecondaryMap;
use selvedge_ir::spec::AbstractThread;
use selvedge_ir::{Action, Edge, EdgeId, Grain, LocationId, ProcId, Procedure, Property};
use selvedge_passes::graph::arrives;

use crate::memory::Leads;
use crate::subject::Subject;

/// What a step is to the vocabulary. The order is that of what must be done about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Concern {
    /// Neither reads nor writes it, nor asserts anything.
    #[default]
    Nothing,
    /// Does not write it.
    Reads,
    Writes,
}

pub struct Steps {
    /// Of each edge by itself.
    edges: SecondaryMap<LocationId, Vec<Concern>>,
    /// The most that follows inside of the same step, from a location of an atomic block.
    ahead: SecondaryMap<LocationId, Concern>,
    /// The least that every step is.
    least: Concern,
}

impl Steps {
    pub fn of(subject: &Subject, thread: &AbstractThread, id: ProcId) -> Steps {
        let procedure = &subject.program.procedures[id];
        let idles = thread.states.iter().all(|state| state.idles);
        let least = if idles { Concern::Nothing } else { Concern::Reads };
        let mut edges: SecondaryMap<LocationId, Vec<Concern>> = SecondaryMap::new();
        for (at, edge) in procedure.edges() {
            edges[at.from].push(concern(subject, id, at, &edge.action));
        }
        let mut steps = Steps { edges, ahead: SecondaryMap::new(), least };
        steps.look_ahead(procedure);
        steps
    }

    fn look_ahead(&mut self, procedure: &Procedure) {
        let inside = |at: LocationId| procedure.locations[at].grain == Grain::Atomic;
        let mut changed = true;
        while changed {
            changed = false;
            for at in procedure.locations.keys().filter(|&at| inside(at)) {
                let edges = procedure.locations[at].edges.iter().zip(&self.edges[at]);
                let found = edges.map(|(edge, own)| (*own).max(self.behind(procedure, edge)));
                let found = found.max().unwrap_or_default();
                changed |= found > self.ahead[at];
                self.ahead[at] = found.max(self.ahead[at]);
            }
        }
    }

    fn behind(&self, procedure: &Procedure, edge: &Edge) -> Concern {
        let goes_on = self.goes_on(procedure, edge);
        if goes_on { self.ahead[edge.target] } else { Concern::Nothing }
    }

    /// Whether the step goes on behind the edge.
    pub fn goes_on(&self, procedure: &Procedure, edge: &Edge) -> bool {
        let target = edge.target;
        let inside = procedure.locations[target].grain == Grain::Atomic;
        arrives(edge) && inside && target != procedure.exit
    }

    /// What a step may be that begins with the edge.
    pub fn begun_by(&self, procedure: &Procedure, at: EdgeId) -> Concern {
        let own = self.edges[at.from][at.index as usize];
        own.max(self.behind(procedure, procedure.edge(at))).max(self.least)
    }
}

fn concern(subject: &Subject, id: ProcId, at: EdgeId, action: &Action) -> Concern {
    let cell = action.place().map(|place| subject.leads(id, at, place));
    match (action, cell) {
        (Action::Load { .. }, Some(Leads::Cell(_))) => Concern::Reads,
        (_, Some(Leads::Cell(_))) => Concern::Writes,
        (Action::Assert { check, .. }, _) if check.is_asked(&[Property::Assert]) => Concern::Reads,
        _ => Concern::Nothing,
    }
}
