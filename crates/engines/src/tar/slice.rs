//! What of an abstract error path makes it impossible.
//!
//! The path as one formula: each state on it has variables of its own, each transition is a
//! conjunction of small parts. The solver's core says which parts contradict each other. Interpolants
//! are then asked of these parts only, so they speak of little else, and the predicates that come of
//! them are few.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::{Answer, Core, Limits, Logic, Op, Solver, Term};

use super::derivation::{How, NodeId};
use super::model::Model;
use super::refine::{Path, arguments};
use super::transitions::{Transition, Transitions};

/// The parts that matter.
#[derive(Clone, Debug)]
pub struct Slice {
    /// Of each state on the path: its variables.
    pub arguments: Vec<Vec<Term>>,
    /// Of each transition that leads to a state, and at last of the one that goes wrong: its
    /// conditions.
    pub conditions: Vec<Vec<Term>>,
}

#[derive(Debug)]
pub enum Sliced {
    Impossible(Slice),
    /// All of the path can happen, for all that its states say.
    Possible,
    Unknown,
}

/// Looks for a contradiction on a path. A state that was used twice counts as one state, so what is
/// impossible here may be possible if they differ.
pub fn slice(
    model: &mut Model,
    transitions: &Transitions,
    path: &Path,
    variables: &FxHashSet<Term>,
    limits: &Limits,
) -> Sliced {
    let mut unrolling = Unrolling::of(model, path, variables);
    for (index, &(_, how)) in path.nodes.iter().enumerate() {
        unrolling.enter(model, transitions, how, Some(index));
    }
    unrolling.enter(model, transitions, path.goal, None);
    unrolling.solve(model, limits)
}

/// A part of the formula, and what it comes from.
enum Part {
    /// A condition of the transition at this position.
    Condition(usize, Term),
    /// How states hang together.
    Link,
}

struct Unrolling {
    /// The variables of each state by their names in the program.
    states: Vec<FxHashMap<Term, Term>>,
    order: Vec<Vec<Term>>,
    formulas: Vec<Term>,
    parts: Vec<Part>,
}

impl Unrolling {
    fn of(model: &mut Model, path: &Path, variables: &FxHashSet<Term>) -> Unrolling {
        let mut states = Vec::new();
        let mut order = Vec::new();
        for &(place, _) in &path.nodes {
            let args = arguments(model, variables, place);
            let copies = args.iter().map(|&arg| (arg, copy(model, arg))).collect();
            states.push(copies);
            order.push(args);
        }
        Unrolling { states, order, formulas: Vec::new(), parts: Vec::new() }
    }

    fn enter(
        &mut self,
        model: &mut Model,
        transitions: &Transitions,
        how: How,
        to: Option<NodeId>,
    ) {
        let Transition { base, next, mover, .. } = transitions.get(how.transition);
        let position = to.unwrap_or(self.states.len());
        let mut names: FxHashMap<Term, Term> = FxHashMap::default();
        if let (Some(node), Some(mover)) = (how.mover, *mover) {
            for (&own, &copy) in &self.states[node] {
                let other = model.of_other(mover, own);
                names.insert(other, copy);
            }
        }
        if let Some(node) = how.observer {
            for (own, copy) in self.states[node].clone() {
                let theirs = names.insert(own, copy);
                if let Some(theirs) = theirs.filter(|theirs| *theirs != copy) {
                    let same = model.terms.eq(copy, theirs);
                    self.add(same, Part::Link);
                }
            }
        }
        if let (Some(node), None, None) = (to, how.observer, how.mover) {
            names.extend(self.states[node].iter().map(|(&own, &copy)| (own, copy)));
        }
        let mut mentioned: Vec<Term> = names.keys().copied().collect();
        mentioned.sort();
        mentioned.push(*base);
        let facts = model.facts(&mentioned);
        for condition in conjuncts(model, &[*base, facts]) {
            let formula = self.renamed(model, &mut names, condition);
            self.add(formula, Part::Condition(position, condition));
        }
        let Some(node) = to.filter(|_| how.observer.is_some() || how.mover.is_some()) else {
            return;
        };
        for arg in self.order[node].clone() {
            let after = next.get(&arg).copied().unwrap_or(arg);
            let after = self.renamed(model, &mut names, after);
            let link = model.terms.eq(self.states[node][&arg], after);
            self.add(link, Part::Link);
        }
    }

    fn add(&mut self, formula: Term, part: Part) {
        self.formulas.push(formula);
        self.parts.push(part);
    }

    /// The term with the names of the states; what is of no state is new.
    fn renamed(
        &mut self,
        model: &mut Model,
        names: &mut FxHashMap<Term, Term>,
        term: Term,
    ) -> Term {
        for variable in model.terms.variables(&[term]) {
            names.entry(variable).or_insert_with(|| copy(model, variable));
        }
        model.terms.substitute(term, names)
    }

    fn solve(self, model: &mut Model, limits: &Limits) -> Sliced {
        let mut solver = Solver::new(Logic::All, limits.clone());
        let yes = model.terms.bool(true);
        let mut asked: Vec<Term> = self.formulas.iter().copied().filter(|f| *f != yes).collect();
        asked.sort();
        asked.dedup();
        match solver.check(&model.terms, &asked) {
            Answer::Sat(_) => Sliced::Possible,
            Answer::Unknown(_) => Sliced::Unknown,
            Answer::Unsat(core) => {
                let Core(core) = solver.minimize(&model.terms, core);
                Sliced::Impossible(self.keep(model, &core))
            }
        }
    }

    fn keep(&self, model: &Model, core: &[Term]) -> Slice {
        let mentioned: FxHashSet<Term> = model.terms.variables(core).into_iter().collect();
        let matter = |(order, copies): (&Vec<Term>, &FxHashMap<Term, Term>)| {
            order.iter().copied().filter(|arg| mentioned.contains(&copies[arg])).collect()
        };
        let arguments = self.order.iter().zip(&self.states).map(matter).collect();
        let mut conditions = vec![Vec::new(); self.states.len() + 1];
        for (formula, part) in self.formulas.iter().zip(&self.parts) {
            if let (Part::Condition(position, condition), true) = (part, core.contains(formula)) {
                conditions[*position].push(*condition);
            }
        }
        Slice { arguments, conditions }
    }
}

fn copy(model: &mut Model, variable: Term) -> Term {
    let sort = model.terms.sort(variable);
    let name = model.terms.name(variable).unwrap_or("?").to_owned();
    model.terms.fresh(&format!("{name}@"), sort)
}

/// The parts of conjunctions.
fn conjuncts(model: &Model, formulas: &[Term]) -> Vec<Term> {
    let mut found = Vec::new();
    let mut open = formulas.to_vec();
    while let Some(formula) = open.pop() {
        match model.terms.op(formula) {
            Op::And => open.extend(model.terms.args(formula)),
            _ => found.push(formula),
        }
    }
    found
}
