//! Abstract error paths without the values of predicates, and the variables that matter on them.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::Term;

use super::Place;
use super::derivation::{Derivation, How};
use super::model::Model;
use super::transitions::{Kind, Transition, TransitionId, Transitions};

/// The path as a graph without its bits.
#[derive(Clone, Debug)]
pub struct Path {
    pub nodes: Vec<(Place, How)>,
    pub goal: How,
}

impl Path {
    pub fn of(derivation: &Derivation) -> Path {
        let nodes = derivation.nodes.iter().map(|node| (node.place, node.how)).collect();
        Path { nodes, goal: derivation.goal }
    }
}

/// The variables that can matter: those that guards mention, and what they are computed from. How
/// things begin speaks of all variables, and says something only of those that matter otherwise.
pub fn relevant(model: &Model, transitions: &Transitions, path: &Path) -> FxHashSet<Term> {
    let hows = path.nodes.iter().map(|(_, how)| *how).chain([path.goal]);
    let used: FxHashSet<TransitionId> = hows.map(|how| how.transition).collect();
    let mut known: FxHashSet<Term> = FxHashSet::default();
    let back: FxHashMap<Term, Term> =
        model.others.iter().flatten().map(|(&own, &other)| (other, own)).collect();
    let plain = |variable: Term| back.get(&variable).copied().unwrap_or(variable);
    let mut begins = Vec::new();
    for &id in &used {
        let Transition { kind, base, .. } = transitions.get(id);
        if *kind == Kind::Initial {
            begins.extend(model.terms.conjuncts(&[*base]));
        } else {
            known.extend(model.terms.variables(&[*base]).into_iter().map(plain));
        }
    }
    loop {
        let before = known.len();
        for &fact in &begins {
            let mentioned = model.terms.variables(&[fact]);
            if mentioned.iter().any(|variable| known.contains(variable)) {
                known.extend(mentioned);
            }
        }
        for &id in &used {
            for (&variable, &value) in &transitions.get(id).next {
                if known.contains(&variable) {
                    let sources = model.terms.variables(&[value]);
                    known.extend(sources.into_iter().map(plain));
                }
            }
        }
        if known.len() == before {
            return known;
        }
    }
}

/// The variables of a thread's state at a place that matter.
pub fn arguments(model: &Model, variables: &FxHashSet<Term>, place: Place) -> Vec<Term> {
    let (template, at) = place;
    let shared = model.shared.iter().map(|shared| shared.term);
    let locals = model.template(template).locals.iter().enumerate();
    let live = locals.filter(|(position, _)| model.is_live(template, at, *position as u32));
    let all = shared.chain(live.map(|(_, local)| local.term));
    all.filter(|variable| variables.contains(variable)).collect()
}
