//! Predicates from runs of the abstract system that the program does not have.
//!
//! The run is told as moves of named threads ([`story`]). If these can happen, it is an execution.
//! If not, predicates are looked for that refute it: first among comparisons that fit the program
//! ([`candidates`]), as few as are needed ([`path`]), then among what is particular and the atoms of a
//! solution of Horn clauses ([`atoms`]); otherwise the parts of interpolants, with threads renamed to
//! active and passive.

mod atoms;
mod before;
mod bounds;
mod candidates;
mod path;
mod story;

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::{Limits, Op, Sort, Term};

use super::abstraction::Abstraction;
use super::predicate::Predicate;
use path::Path;
use selvedge_system::What;
use selvedge_system::concretize::{Name, Point, Run};
use selvedge_system::interpolate;

pub use atoms::Atoms;
pub use candidates::asserted;
pub use story::{Story, story};

/// Predicates that are not there yet and refute the run, or parts of a proof that it cannot happen.
/// The core are the moves that cannot happen together.
pub fn refine(
    abstraction: &mut Abstraction,
    run: &Run,
    story: &Story,
    core: &[usize],
    limits: &Limits,
) -> Vec<Predicate> {
    let chosen = chosen(abstraction, run, story, core, limits);
    if chosen.is_empty() { interpolated(abstraction, run, limits) } else { chosen }
}

/// A smallest set of candidates (none of them can be left out) that refutes the run.
fn chosen(
    abstraction: &mut Abstraction,
    run: &Run,
    story: &Story,
    core: &[usize],
    limits: &Limits,
) -> Vec<Predicate> {
    let given = abstraction.predicates.clone();
    let mentioned = mentioned(abstraction, run, core);
    let mut path = Path::new(abstraction, run, story, limits);
    let with = |some: &[Predicate]| [given.as_slice(), some].concat();
    let mut enough = |abstraction: &mut Abstraction, some: &[Predicate]| {
        path.refuted(abstraction, &with(some)) == Some(true)
    };
    let general = candidates::candidates(abstraction);
    let particular = candidates::particular(abstraction);
    let few = general.len() + particular.len() <= FEW;
    let mentioned = (!few).then_some(&mentioned);
    let mut sources = VecDeque::from([Source::Program]);
    let mut set = None;
    while let Some(source) = sources.pop_front() {
        let more = match source {
            Source::Program => Vec::new(),
            Source::Horn => atoms::atoms(abstraction, limits),
            Source::Particular => particular.clone(),
            Source::All => [particular.clone(), atoms::atoms(abstraction, limits)].concat(),
        };
        let all = [general.as_slice(), more.as_slice()].concat();
        let mut sets = sets(abstraction, mentioned, &all, source).into_iter();
        set = sets.find(|set| enough(abstraction, set));
        if set.is_some() {
            break;
        }
        if source == Source::Program {
            sources = Source::further(abstraction.atoms.again()).into();
        }
    }
    let Some(set) = set else { return Vec::new() };
    // As few of the first ones as are enough.
    let (mut few, mut many) = (0, set.len());
    while few < many {
        let middle = (few + many) / 2;
        if enough(abstraction, &set[..middle]) {
            many = middle;
        } else {
            few = middle + 1;
        }
    }
    let set = &set[..many];
    let Some(reasons) = path.reasons(abstraction, &with(set)) else { return Vec::new() };
    let numbered = set.iter().enumerate();
    let needed = numbered.filter(|(index, _)| reasons.contains(&(given.len() + index)));
    let mut new: Vec<Predicate> = needed.map(|(_, predicate)| predicate.clone()).collect();
    let mut enough = |some: &[Predicate]| path.refuted(abstraction, &with(some)) == Some(true);
    // From the end, where the less simple ones are.
    let mut size = new.len();
    while size > 0 {
        let mut end = new.len();
        while end > 0 {
            let start = end.saturating_sub(size);
            let fewer = [&new[..start], &new[end..]].concat();
            if enough(&fewer) {
                new = fewer;
            }
            end = start;
        }
        size /= 2;
    }
    let taken = abstraction.atoms.taken(&new);
    abstraction.notes.extend(taken);
    new
}

/// Where candidates come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// What the program compares, and comparisons of variables that it relates.
    Program,
    /// The atoms of a solution of Horn clauses.
    Horn,
    /// What is about certain numbers.
    Particular,
    All,
}

impl Source {
    /// In which order further ones are tried. What is particular costs nothing and may do once; where
    /// it does not, there might be no end of it.
    fn further(again: bool) -> [Source; 3] {
        match again {
            false => [Source::Particular, Source::Horn, Source::All],
            true => [Source::Horn, Source::Particular, Source::All],
        }
    }
}

/// So many candidates are no burden.
const FEW: usize = 70;

/// The variables that the moves of the core speak of, as predicates name them.
fn mentioned(abstraction: &Abstraction, run: &Run, core: &[usize]) -> FxHashSet<Term> {
    let Abstraction { system, vocabulary, .. } = abstraction;
    let parts: Vec<Term> = core.iter().map(|&position| run.parts[position]).collect();
    let spoken: FxHashSet<Term> = system.terms.variables(&parts).into_iter().collect();
    let mut found = FxHashSet::default();
    for point in &run.points {
        let shared = system.shared.iter().zip(&point.shared);
        found.extend(shared.filter(|(_, here)| spoken.contains(here)).map(|(v, _)| v.term));
        for (name, stand) in &point.threads {
            let template = &system.templates[name.template.index()];
            for (at, here) in stand.locals.iter().enumerate() {
                if spoken.contains(here) || template.locals[at].what == What::Tid {
                    let other = vocabulary.others[name.template.index()][at];
                    found.extend([template.locals[at].term, other]);
                }
            }
        }
    }
    found
}

/// The sets to choose from, each tried only if the ones before are not enough: the simplest ones, then
/// those of one thread, then all, then all where they last longer. Where there are many, these speak
/// of nothing but what is mentioned; at last everything is tried.
fn sets(
    abstraction: &Abstraction,
    mentioned: Option<&FxHashSet<Term>>,
    all: &[Predicate],
    source: Source,
) -> Vec<Vec<Predicate>> {
    let system = &abstraction.system;
    let new = |p: &Predicate| !abstraction.predicates.iter().any(|known| known.includes(p));
    let fits = |p: &Predicate| {
        let atoms: Vec<Term> = p.atoms.iter().map(|atom| atom.term).collect();
        let spoken = system.terms.variables(&atoms);
        mentioned.is_none_or(|mentioned| spoken.iter().all(|v| mentioned.contains(v)))
    };
    let longer = |list: &[Predicate]| -> Vec<Predicate> {
        let short = list.iter().filter(|p| !p.lasting);
        let lasting = short.map(|p| Predicate { lasting: true, ..p.clone() });
        list.iter().cloned().chain(lasting).filter(new).collect()
    };
    if source == Source::All {
        return vec![longer(all)];
    }
    let list: Vec<Predicate> = all.iter().filter(|p| fits(p)).cloned().collect();
    let mut sets: Vec<Vec<Predicate>> = Vec::new();
    for limit in 0..3 {
        let simple = list.iter().filter(|p| candidates::complexity(system, p) <= limit);
        sets.push(simple.filter(|p| new(p)).cloned().collect());
    }
    sets.push(longer(&list));
    sets.dedup();
    sets
}

/// The parts of interpolants between the moves.
fn interpolated(abstraction: &mut Abstraction, run: &Run, limits: &Limits) -> Vec<Predicate> {
    let mut formulas = vec![run.beginning];
    formulas.extend(&run.parts);
    let found = interpolate::sequence(&mut abstraction.system.terms, &formulas, limits);
    let mut all: Vec<Predicate> = Vec::new();
    for (interpolant, point) in found.unwrap_or_default().into_iter().zip(&run.points) {
        let literals = literals(abstraction, interpolant);
        for literal in bounds::joined(&mut abstraction.system.terms, literals) {
            all.extend(renamed(abstraction, point, literal));
        }
    }
    let short = all.iter().map(|predicate| abstraction.vocabulary.scoped(predicate.clone()));
    let short = fresh(abstraction, short);
    if short.is_empty() { fresh(abstraction, all.into_iter()) } else { short }
}

/// Those that are not there yet, each once.
fn fresh(abstraction: &Abstraction, all: impl Iterator<Item = Predicate>) -> Vec<Predicate> {
    let mut new: Vec<Predicate> = Vec::new();
    for predicate in all {
        let known = |other: &Predicate| other.includes(&predicate);
        if !abstraction.predicates.iter().any(known) && !new.iter().any(known) {
            new.push(predicate);
        }
    }
    new
}

/// The atoms, each as it occurs: plain or negated.
fn literals(abstraction: &mut Abstraction, formula: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut open = vec![(formula, true)];
    while let Some((term, positive)) = open.pop() {
        let terms = &mut abstraction.system.terms;
        let args = terms.args(term).to_vec();
        match terms.op(term) {
            Op::And | Op::Or => open.extend(args.into_iter().map(|arg| (arg, positive))),
            Op::Not => open.push((args[0], !positive)),
            Op::Eq | Op::Ite if terms.sort(args[1]) == Sort::Bool => {
                open.extend(args.iter().flat_map(|&arg| [(arg, true), (arg, false)]));
            }
            Op::Const(_) => {}
            _ => found.push(if positive { term } else { terms.not(term) }),
        }
    }
    found
}

/// A formula over the variables of a point as predicates: of the shared state, of one thread, or of
/// two, each in turn as the active one.
fn renamed(abstraction: &mut Abstraction, point: &Point, literal: Term) -> Vec<Predicate> {
    let mut map = FxHashMap::default();
    for (variable, &here) in abstraction.system.shared.iter().zip(&point.shared) {
        map.insert(here, variable.term);
    }
    let variables = abstraction.system.terms.variables(&[literal]);
    let mentioned: Vec<Name> = point
        .threads
        .iter()
        .filter(|(_, stand)| stand.locals.iter().any(|local| variables.contains(local)))
        .map(|(&name, _)| name)
        .collect();
    let orders: Vec<Vec<Name>> = match mentioned.as_slice() {
        [] => vec![vec![]],
        [one] => vec![vec![*one]],
        [one, two] => vec![vec![*one, *two], vec![*two, *one]],
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    for order in orders {
        let mut map = map.clone();
        for (role, name) in order.iter().enumerate() {
            let template = name.template.index();
            let locals = &abstraction.system.templates[template].locals;
            for (at, &here) in point.threads[name].locals.iter().enumerate() {
                let others = &abstraction.vocabulary.others[template];
                map.insert(here, if role == 0 { locals[at].term } else { others[at] });
            }
        }
        let formula = abstraction.system.terms.substitute(literal, &map);
        found.extend(Predicate::new(&abstraction.system, &abstraction.vocabulary, formula));
    }
    found
}
