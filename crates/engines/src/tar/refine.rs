//! What an abstract error path teaches.
//!
//! First each transition alone: if no concrete execution of it goes from the abstract state before
//! to the one afterwards, the abstraction of the transition was too coarse, and a clause is learned.
//! Then the whole: the states on the path are unknown relations over the shared variables and one
//! thread's locals, the transitions are Horn clauses between them. Spacer's solution is a tree
//! interpolant: its formulas speak only of what a thread-modular proof may speak of, and their atoms
//! are the new predicates (Θ of §2). With every transition feasible alone there is always a new one,
//! because the atoms known so far do not exclude the path. If the clauses have no solution, the path
//! cannot be excluded by any thread-modular proof with the present ghost variables.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::horn::{Atom, Horn, HornAnswer, Rule};
use selvedge_smt::{Limits, Reason, Sort, Term};

use super::derivation::{Derivation, How, NodeId};
use super::model::Model;
use super::predicates::Predicates;
use super::transitions::{Transition, TransitionId, Transitions};
use crate::system::{At, TemplateId};

/// The path as a graph without its bits.
#[derive(Clone, Debug)]
pub struct Path {
    pub nodes: Vec<((TemplateId, At), How)>,
    pub goal: How,
}

impl Path {
    pub fn of(derivation: &Derivation) -> Path {
        let nodes = derivation.nodes.iter().map(|node| (node.place, node.how)).collect();
        Path { nodes, goal: derivation.goal }
    }
}

#[derive(Debug)]
pub enum Modular {
    /// New predicates, so many.
    Excluded(usize),
    /// The path is possible for all that a thread-modular proof can say.
    Possible,
    Unknown(Reason),
}

/// Looks at a path as a whole.
pub fn interpolate(
    model: &mut Model,
    predicates: &mut Predicates,
    transitions: &Transitions,
    path: &Path,
    limits: &Limits,
) -> Modular {
    let variables = relevant(model, transitions, path);
    let mut horn = Horn::new();
    let mut rules = Rules { model, transitions, variables, horn: &mut horn, relations: Vec::new() };
    rules.enter(path);
    let Rules { variables, relations, .. } = rules;
    match horn.solve(&mut model.terms, limits) {
        HornAnswer::Unknown(reason) => Modular::Unknown(reason),
        HornAnswer::Refuted(_) => Modular::Possible,
        HornAnswer::Solution(solution) => {
            let mut added = 0;
            for (&(relation, place), _) in relations.iter().zip(&path.nodes) {
                let args = arguments(model, &variables, place);
                let formula = solution.get(relation).apply(&mut model.terms, &args);
                added += predicates.add_atoms(model, place.0, formula);
            }
            Modular::Excluded(added)
        }
    }
}

/// The variables that can matter: those that guards mention, and what they are computed from.
fn relevant(model: &Model, transitions: &Transitions, path: &Path) -> FxHashSet<Term> {
    let hows = path.nodes.iter().map(|(_, how)| *how).chain([path.goal]);
    let used: FxHashSet<TransitionId> = hows.map(|how| how.transition).collect();
    let mut known: FxHashSet<Term> = FxHashSet::default();
    let back: FxHashMap<Term, Term> =
        model.others.iter().flatten().map(|(&own, &other)| (other, own)).collect();
    let plain = |variable: Term| back.get(&variable).copied().unwrap_or(variable);
    for &id in &used {
        known.extend(model.terms.variables(&[transitions.get(id).base]).into_iter().map(plain));
    }
    loop {
        let before = known.len();
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
fn arguments(model: &Model, variables: &FxHashSet<Term>, place: (TemplateId, At)) -> Vec<Term> {
    let (template, at) = place;
    let shared = model.shared.iter().map(|shared| shared.term);
    let locals = model.template(template).locals.iter().enumerate();
    let live = locals.filter(|(position, _)| model.is_live(template, at, *position as u32));
    let all = shared.chain(live.map(|(_, local)| local.term));
    all.filter(|variable| variables.contains(variable)).collect()
}

struct Rules<'a> {
    model: &'a mut Model,
    transitions: &'a Transitions,
    variables: FxHashSet<Term>,
    horn: &'a mut Horn,
    relations: Vec<(selvedge_smt::horn::RelationId, (TemplateId, At))>,
}

impl Rules<'_> {
    fn enter(&mut self, path: &Path) {
        self.model.systems += 1;
        let system = self.model.systems;
        for (index, &(place, how)) in path.nodes.iter().enumerate() {
            let args = arguments(self.model, &self.variables, place);
            let sorts: Vec<Sort> = args.iter().map(|&arg| self.model.terms.sort(arg)).collect();
            let relation = self.horn.relation(&format!("n{system}.{index}"), &sorts);
            self.relations.push((relation, place));
            self.rule(how, Some((index, args)));
        }
        self.rule(path.goal, None);
    }

    fn rule(&mut self, how: How, head: Option<(NodeId, Vec<Term>)>) {
        let Transition { base, next, mover, .. } = self.transitions.get(how.transition).clone();
        let mut body = Vec::new();
        if let Some(observer) = how.observer {
            body.push(self.atom(observer, None));
        }
        if let Some(node) = how.mover {
            body.push(self.atom(node, mover));
        }
        let head = head.map(|(node, args)| {
            let after = |&arg: &Term| next.get(&arg).copied().unwrap_or(arg);
            Atom { relation: self.relations[node].0, args: args.iter().map(after).collect() }
        });
        let mentioned: Vec<Term> =
            body.iter().chain(&head).flat_map(|atom| atom.args.iter().copied()).collect();
        let facts = self.model.facts(&[mentioned.as_slice(), &[base]].concat());
        let constraint = self.model.terms.and(&[base, facts]);
        let name = format!("t{}", how.transition.0);
        self.horn.rule(&self.model.terms, Rule { name, body, constraint, head });
    }

    fn atom(&mut self, node: NodeId, mover: Option<TemplateId>) -> Atom {
        let (relation, place) = self.relations[node];
        let args = arguments(self.model, &self.variables, place);
        let args = match mover {
            Some(mover) => args.iter().map(|&arg| self.model.of_other(mover, arg)).collect(),
            None => args,
        };
        Atom { relation, args }
    }
}
