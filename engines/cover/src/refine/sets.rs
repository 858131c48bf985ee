//! Which candidates are tried together, and in which order.

use rustc_hash::FxHashSet;
use selvedge_smt::Term;
use selvedge_system::What;
use selvedge_system::concretize::Run;

use super::candidates::complexity;
use crate::abstraction::Abstraction;
use crate::predicate::Predicate;

/// The variables that the moves of the core speak of, as predicates name them.
pub fn mentioned(abstraction: &Abstraction, run: &Run, core: &[usize]) -> FxHashSet<Term> {
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
pub fn sets(
    abstraction: &Abstraction,
    mentioned: Option<&FxHashSet<Term>>,
    all: &[Predicate],
    everything: bool,
) -> Vec<Vec<Predicate>> {
    let system = &abstraction.system;
    let new = |p: &Predicate| !abstraction.predicates.iter().any(|known| known.includes(p));
    let fits = |p: &Predicate| mentioned.is_none_or(|mentioned| p.speaks_of(system, mentioned));
    let longer = |list: &[Predicate]| -> Vec<Predicate> {
        let short = list.iter().filter(|p| !p.lasting);
        let lasting = short.map(|p| Predicate { lasting: true, ..p.clone() });
        list.iter().cloned().chain(lasting).filter(new).collect()
    };
    if everything {
        return vec![longer(all)];
    }
    let list: Vec<Predicate> = all.iter().filter(|p| fits(p)).cloned().collect();
    let mut sets: Vec<Vec<Predicate>> = Vec::new();
    for limit in 0..3 {
        let simple = list.iter().filter(|p| complexity(system, p) <= limit);
        sets.push(simple.filter(|p| new(p)).cloned().collect());
    }
    sets.push(longer(&list));
    sets.dedup();
    sets
}
