//! Predicates from an abstract error path.
//!
//! First each transition alone: if no concrete execution of it goes from the abstract state before
//! to the one afterwards, the abstraction of the transition was too coarse, and a clause is learned.
//! Then the whole: the states on the path are unknown relations over the shared variables and one
//! thread's locals, the transitions are Horn clauses between them. Spacer's solution is a tree
//! interpolant: its formulas speak only of what a thread-modular proof may speak of, and their atoms
//! are the new predicates (Θ of §2). With every transition feasible alone there is always a new one,
//! because the atoms known so far do not exclude the path. If the clauses have no solution, the path
//! cannot be excluded by any thread-modular proof with the present ghost variables.

use rustc_hash::FxHashSet;
use selvedge_smt::horn::{Atom, Horn, HornAnswer, RelationId, Rule};
use selvedge_smt::{Limits, Reason, Replaced, Sort, Term};

use super::derivation::{How, NodeId};
use super::model::{Ghost, Model};
use super::path::{Path, arguments, relevant};
use super::predicates::Predicates;
use super::slice::{Slice, Sliced, can_be_told_apart, slice};
use super::transitions::{Transition, Transitions};
use selvedge_system::TemplateId;

#[derive(Debug)]
pub enum Modular {
    /// New predicates, so many.
    Excluded(usize),
    /// The path is possible for all that a thread-modular proof can say.
    Possible,
    Unknown(Reason),
}

/// Whether the numbers of threads that have started count. Two threads on a path have mostly been
/// disturbed by different numbers of them, which excludes the path and teaches nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exact {
    No,
    Yes,
}

/// Looks at a path as a whole: first at what makes it impossible, then, if that was not enough, at all
/// of it.
pub fn interpolate(
    model: &mut Model,
    predicates: &mut Predicates,
    transitions: &Transitions,
    path: &Path,
    exact: Exact,
    limits: &Limits,
) -> Modular {
    let mut variables = relevant(model, transitions, path);
    if exact == Exact::No {
        for shared in &model.shared {
            if matches!(shared.ghost, Some(Ghost::Started(id)) if model.template(id).pool) {
                variables.remove(&shared.term);
            }
        }
    }
    let mut mentioned: FxHashSet<Term> = FxHashSet::default();
    for apart in [false, true] {
        if apart && !can_be_told_apart(path) {
            continue;
        }
        match slice(model, transitions, path, &variables, apart, limits) {
            Sliced::Possible => return Modular::Possible,
            Sliced::Unknown => {}
            Sliced::Impossible(slice) => {
                let answer = solve(model, predicates, transitions, path, &slice, limits);
                if let Modular::Excluded(_) = answer {
                    return answer;
                }
                mentioned.extend(slice.arguments.into_iter().flatten());
            }
        }
    }
    if !mentioned.is_empty() && mentioned.len() < variables.len() {
        // All of it, but only the variables that had to do with what was found.
        let some = everything(model, transitions, path, &mentioned);
        let answer = solve(model, predicates, transitions, path, &some, limits);
        if let Modular::Excluded(_) = answer {
            return answer;
        }
    }
    let all = everything(model, transitions, path, &variables);
    solve(model, predicates, transitions, path, &all, limits)
}

fn everything(
    model: &mut Model,
    transitions: &Transitions,
    path: &Path,
    variables: &FxHashSet<Term>,
) -> Slice {
    let nodes = path.nodes.iter();
    let arguments: Vec<Vec<Term>> =
        nodes.map(|&(place, _)| arguments(model, variables, place)).collect();
    let hows = path.nodes.iter().map(|(_, how)| *how).chain([path.goal]).enumerate();
    let conditions = hows.map(|(index, how)| {
        let Transition { base, mover, .. } = transitions.get(how.transition);
        let mut mentioned = vec![*base];
        mentioned.extend(how.observer.into_iter().flat_map(|node| arguments[node].clone()));
        if let (Some(node), Some(mover)) = (how.mover, *mover) {
            mentioned.extend(arguments[node].iter().map(|&arg| model.of_other(mover, arg)));
        }
        mentioned.extend(arguments.get(index).into_iter().flatten());
        vec![*base, model.facts(&mentioned)]
    });
    let conditions = conditions.collect();
    Slice { arguments, conditions }
}

/// Asks for relations that exclude the path, and takes their atoms. If what is computed on bits or by
/// division may be anything and the path is excluded all the same, the answer is easy to find.
fn solve(
    model: &mut Model,
    predicates: &mut Predicates,
    transitions: &Transitions,
    path: &Path,
    slice: &Slice,
    limits: &Limits,
) -> Modular {
    let mut replaced = Replaced::default();
    let easy = solve_with(model, predicates, transitions, path, slice, limits, Some(&mut replaced));
    let is_exact = replaced.iter().all(|(from, to)| from == to);
    if is_exact || matches!(easy, Modular::Excluded(added) if added > 0) {
        return easy;
    }
    solve_with(model, predicates, transitions, path, slice, limits, None)
}

fn solve_with(
    model: &mut Model,
    predicates: &mut Predicates,
    transitions: &Transitions,
    path: &Path,
    slice: &Slice,
    limits: &Limits,
    replaced: Option<&mut Replaced>,
) -> Modular {
    let mut horn = Horn::new();
    let relations = Vec::new();
    let mut rules = Rules { model, transitions, slice, horn: &mut horn, relations, replaced };
    rules.enter(path);
    let relations = rules.relations;
    match horn.solve(&mut model.terms, limits) {
        HornAnswer::Unknown(reason) => Modular::Unknown(reason),
        HornAnswer::Refuted(_) => Modular::Possible,
        HornAnswer::Solution(solution) => {
            let mut found = Vec::new();
            for (node, &(place, _)) in path.nodes.iter().enumerate() {
                let args = &slice.arguments[node];
                let formula = solution.get(relations[node]).apply(&mut model.terms, args);
                found.push((place.0, formula));
            }
            Modular::Excluded(predicates.add_found(model, &found))
        }
    }
}

struct Rules<'a> {
    model: &'a mut Model,
    transitions: &'a Transitions,
    slice: &'a Slice,
    horn: &'a mut Horn,
    relations: Vec<RelationId>,
    /// What stands for computations on bits and divisions, where these may be anything.
    replaced: Option<&'a mut Replaced>,
}

impl Rules<'_> {
    fn enter(&mut self, path: &Path) {
        self.model.systems += 1;
        let system = self.model.systems;
        for (index, &(_, how)) in path.nodes.iter().enumerate() {
            let args = &self.slice.arguments[index];
            let sorts: Vec<Sort> = args.iter().map(|&arg| self.model.terms.sort(arg)).collect();
            let relation = self.horn.relation(&format!("n{system}.{index}"), &sorts);
            self.relations.push(relation);
            self.rule(how, Some(index));
        }
        self.rule(path.goal, None);
    }

    fn rule(&mut self, how: How, head: Option<NodeId>) {
        let Transition { next, mover, .. } = self.transitions.get(how.transition);
        let mut body = Vec::new();
        if let Some(observer) = how.observer {
            body.push(self.atom(observer, None));
        }
        if let Some(node) = how.mover {
            body.push(self.atom(node, *mover));
        }
        let position = head.unwrap_or(self.slice.conditions.len() - 1);
        let constraint = self.model.terms.and(&self.slice.conditions[position]);
        let constraint = self.eased(constraint);
        let head = head.map(|node| {
            let after = |&arg: &Term| next.get(&arg).copied().unwrap_or(arg);
            let args: Vec<Term> = self.slice.arguments[node].iter().map(after).collect();
            let args = args.into_iter().map(|arg| self.eased(arg)).collect();
            Atom { relation: self.relations[node], args }
        });
        let name = format!("t{}", how.transition.0);
        self.horn.rule(&self.model.terms, Rule { name, body, constraint, head });
    }

    fn eased(&mut self, term: Term) -> Term {
        match &mut self.replaced {
            Some(replaced) => self.model.terms.opaque(term, replaced),
            None => term,
        }
    }

    fn atom(&mut self, node: NodeId, mover: Option<TemplateId>) -> Atom {
        let args = self.slice.arguments[node].iter();
        let args = match mover {
            Some(mover) => args.map(|&arg| self.model.of_other(mover, arg)).collect(),
            None => args.copied().collect(),
        };
        Atom { relation: self.relations[node], args }
    }
}
