//! The part of an abstract error path that makes it infeasible.
//!
//! The path as one formula: each state on it has variables of its own, each transition is a
//! conjunction of small parts. The solver's core says which parts contradict each other. Interpolants
//! are then asked of these parts only, so they speak of little else, and the predicates that come of
//! them are few.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::{Answer, Core, Limits, Logic, Solver, Sort, Term};

use super::derivation::{How, NodeId};
use super::model::Model;
use super::path::{Path, arguments};
use super::transitions::Transitions;

/// The parts of a path that contradict each other.
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

/// More states than this are not looked at one by one.
const LARGE: usize = 400;
const VERY_LARGE: usize = 1_500;

/// Whether there are states on a path that are used twice, and not so many that they cannot be told
/// apart.
pub fn can_be_told_apart(path: &Path) -> bool {
    (path.nodes.len() + 2..=LARGE).contains(&size(path))
}

/// The same for the cheaper question which variables matter.
pub fn can_be_unrolled(path: &Path) -> bool {
    (path.nodes.len() + 2..=VERY_LARGE).contains(&size(path))
}

/// Looks for a contradiction on a path. With `apart`, a state that is used twice stands for two
/// states; otherwise the answer may be that a path is infeasible although it is feasible if they differ.
pub fn slice(
    model: &mut Model,
    transitions: &Transitions,
    path: &Path,
    variables: &FxHashSet<Term>,
    apart: bool,
    limits: &Limits,
) -> Sliced {
    let mut unrolling = Unrolling::new(path, transitions, variables, apart);
    unrolling.enter(model, path.goal, None);
    unrolling.solve(model, limits)
}

/// Which variables are enough to make a path impossible, those that are wanted rather than others.
#[derive(Debug)]
pub enum Matter {
    Variables(FxHashSet<Term>),
    /// All of the path can happen, for all that its states say.
    Nothing,
    Unknown,
}

/// Looks for variables that contradict themselves along a path. With `apart`, a state that is used twice
/// stands for two states.
pub fn matter(
    model: &mut Model,
    transitions: &Transitions,
    path: &Path,
    variables: &FxHashSet<Term>,
    wanted: &FxHashSet<Term>,
    apart: bool,
    limits: &Limits,
) -> Matter {
    let mut unrolling = Unrolling::new(path, transitions, variables, apart);
    if !apart {
        unrolling.uses = uses(path);
    }
    unrolling.enter(model, path.goal, None);
    let mut solver = Solver::new(Logic::All, limits.clone());
    let mut switches: Vec<(Term, Term)> = Vec::new();
    for (&formula, part) in unrolling.formulas.iter().zip(&unrolling.parts) {
        let formula = match part {
            Part::Condition(..) => formula,
            Part::Link(variable) => {
                let known = switches.iter().find(|(known, _)| known == variable);
                let switch = known.map(|(_, switch)| *switch).unwrap_or_else(|| {
                    let switch = model.terms.fresh("matters", Sort::Bool);
                    switches.push((*variable, switch));
                    switch
                });
                model.terms.implies(switch, formula)
            }
        };
        solver.assert(&model.terms, formula);
    }
    // What is tried first is left out first.
    switches.sort_by_key(|(variable, _)| (wanted.contains(variable), *variable));
    let all: Vec<Term> = switches.iter().map(|(_, switch)| *switch).collect();
    match solver.check(&model.terms, &all) {
        Answer::Sat(_) => Matter::Nothing,
        Answer::Unknown(_) => Matter::Unknown,
        Answer::Unsat(core) => {
            let Core(core) = minimize(&mut solver, model, core);
            let matters = switches.iter().filter(|(_, switch)| core.contains(switch));
            Matter::Variables(matters.map(|(variable, _)| *variable).collect())
        }
    }
}

/// How many states a path has if none is used twice.
fn size(path: &Path) -> usize {
    let mut sizes: Vec<usize> = Vec::new();
    let of = |how: &How, sizes: &[usize]| {
        let before = how.observer.into_iter().chain(how.mover);
        before.map(|node| sizes[node]).fold(1usize, usize::saturating_add)
    };
    for (_, how) in &path.nodes {
        let size = of(how, &sizes);
        sizes.push(size);
    }
    of(&path.goal, &sizes)
}

/// How often each state of a path is used.
fn uses(path: &Path) -> Vec<usize> {
    let mut uses = vec![0; path.nodes.len()];
    for how in path.nodes.iter().map(|(_, how)| how).chain([&path.goal]) {
        for node in how.observer.into_iter().chain(how.mover) {
            uses[node] += 1;
        }
    }
    uses
}

/// A part of the formula, and what it comes from.
enum Part {
    /// A condition of the transition that leads to a node, or of the one that goes wrong.
    Condition(Option<NodeId>, Term),
    /// How states hang together, in one variable.
    Link(Term),
}

/// A state on the path.
struct State {
    node: NodeId,
    /// Its variables by their names in the program.
    copies: FxHashMap<Term, Term>,
}

struct Unrolling<'a> {
    path: &'a Path,
    transitions: &'a Transitions,
    variables: &'a FxHashSet<Term>,
    /// The state of each node, where there is only one.
    single: Option<FxHashMap<NodeId, usize>>,
    states: Vec<State>,
    /// How often each state is used, where that counts.
    uses: Vec<usize>,
    formulas: Vec<Term>,
    parts: Vec<Part>,
}

impl<'a> Unrolling<'a> {
    fn new(
        path: &'a Path,
        transitions: &'a Transitions,
        variables: &'a FxHashSet<Term>,
        apart: bool,
    ) -> Unrolling<'a> {
        Unrolling {
            path,
            transitions,
            variables,
            single: (!apart).then(FxHashMap::default),
            states: Vec::new(),
            uses: Vec::new(),
            formulas: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// A state for a node, with all that leads to it.
    fn state(&mut self, model: &mut Model, node: NodeId) -> usize {
        if let Some(&known) = self.single.as_ref().and_then(|single| single.get(&node)) {
            return known;
        }
        let (place, how) = self.path.nodes[node];
        let args = arguments(model, self.variables, place);
        let copies = args.iter().map(|&arg| (arg, copy(model, arg))).collect();
        self.states.push(State { node, copies });
        let state = self.states.len() - 1;
        self.enter(model, how, Some(state));
        if let Some(single) = &mut self.single {
            single.insert(node, state);
        }
        state
    }

    fn enter(&mut self, model: &mut Model, how: How, to: Option<usize>) {
        let observer = how.observer.map(|node| self.state(model, node));
        let mover = how.mover.map(|node| self.state(model, node));
        let transition = self.transitions.get(how.transition);
        let mut names: FxHashMap<Term, Term> = FxHashMap::default();
        if let (Some(state), Some(mover)) = (mover, transition.mover) {
            for (own, copy) in self.used(model, state) {
                let other = model.of_other(mover, own);
                names.insert(other, copy);
            }
        }
        if let Some(state) = observer {
            for (own, copy) in self.used(model, state) {
                let theirs = names.insert(own, copy);
                if let Some(theirs) = theirs.filter(|theirs| *theirs != copy) {
                    let same = model.terms.eq(copy, theirs);
                    self.add(same, Part::Link(own));
                }
            }
        }
        let first = observer.is_none() && mover.is_none();
        if let (Some(state), true) = (to, first) {
            names.extend(self.states[state].copies.iter().map(|(&own, &copy)| (own, copy)));
        }
        let mut mentioned: Vec<Term> = names.keys().copied().collect();
        mentioned.sort();
        mentioned.push(transition.base);
        let facts = model.facts(&mentioned);
        let node = to.map(|state| self.states[state].node);
        for condition in model.terms.conjuncts(&[transition.base, facts]) {
            let formula = self.renamed(model, &mut names, condition);
            self.add(formula, Part::Condition(node, condition));
        }
        let Some(state) = to.filter(|_| !first) else { return };
        let mut copies: Vec<(Term, Term)> =
            self.states[state].copies.iter().map(|(&own, &copy)| (own, copy)).collect();
        copies.sort();
        for (own, copy) in copies {
            let after = transition.next.get(&own).copied().unwrap_or(own);
            let after = self.renamed(model, &mut names, after);
            let link = model.terms.eq(copy, after);
            self.add(link, Part::Link(own));
        }
    }

    /// The variables of a state for one use of it. Where it is asked which variables matter, uses of
    /// one state have only those in common.
    fn used(&mut self, model: &mut Model, state: usize) -> Vec<(Term, Term)> {
        let State { node, copies } = &self.states[state];
        let mut copies: Vec<(Term, Term)> = copies.iter().map(|(&o, &c)| (o, c)).collect();
        copies.sort_unstable();
        if self.uses.get(*node).is_none_or(|uses| *uses < 2) {
            return copies;
        }
        for (own, shared) in &mut copies {
            let used = copy(model, *own);
            let same = model.terms.eq(used, *shared);
            self.add(same, Part::Link(*own));
            *shared = used;
        }
        copies
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
                let Core(core) = minimize(&mut solver, model, core);
                Sliced::Impossible(self.keep(model, &core))
            }
        }
    }

    fn keep(&self, model: &Model, core: &[Term]) -> Slice {
        let mentioned: FxHashSet<Term> = model.terms.variables(core).into_iter().collect();
        let nodes = self.path.nodes.len();
        let mut arguments: Vec<Vec<Term>> = vec![Vec::new(); nodes];
        for State { node, copies } in &self.states {
            let matter = copies.iter().filter(|(_, copy)| mentioned.contains(copy));
            arguments[*node].extend(matter.map(|(own, _)| *own));
        }
        let mut conditions: Vec<Vec<Term>> = vec![Vec::new(); nodes + 1];
        for (formula, part) in self.formulas.iter().zip(&self.parts) {
            if let (Part::Condition(node, condition), true) = (part, core.contains(formula)) {
                conditions[node.unwrap_or(nodes)].push(*condition);
            }
        }
        for list in arguments.iter_mut().chain(&mut conditions) {
            list.sort();
            list.dedup();
        }
        Slice { arguments, conditions }
    }
}

/// Leaves out of a core what is not needed, many at once where that can be done.
fn minimize(solver: &mut Solver, model: &Model, core: Core) -> Core {
    let Core(mut kept) = core;
    let mut size = kept.len() / 4;
    while size > 1 {
        let mut next = 0;
        while next < kept.len() {
            let mut fewer = kept.clone();
            fewer.drain(next..(next + size).min(kept.len()));
            match solver.check(&model.terms, &fewer) {
                Answer::Unsat(Core(smaller)) => kept = smaller,
                Answer::Sat(_) | Answer::Unknown(_) => next += size,
            }
        }
        size = (size / 2).min(kept.len() / 2);
    }
    solver.minimize(&model.terms, Core(kept))
}

fn copy(model: &mut Model, variable: Term) -> Term {
    let sort = model.terms.sort(variable);
    let name = model.terms.name(variable).unwrap_or("?").to_owned();
    model.terms.fresh(&format!("{name}@"), sort)
}
