//! From a basis to a certificate about the program.
//!
//! The states that pairs of threads can reach ([`pairs`]), or else those that are not above the basis,
//! are relations over one and two threads: for each pair of locations, the disjunction over the
//! abstract states that two threads can be in together. A predicate that holds of a thread against all
//! others is said of the pair; that it does not hold speaks of a third thread and is left out. The
//! relations are weaker than what the basis shows; whether they are inductive is for `certify` to
//! find out.

mod pairs;

use std::collections::{BTreeMap, BTreeSet};

use selvedge_certify::evidence::Basis;
use selvedge_certify::tts::{Local, Shared, State};
use selvedge_certify::{Certificate, Entry, Relation, names};
use selvedge_clauses::Counters;
use selvedge_smt::Term;
use selvedge_system::{At, System, TemplateId, What};
use selvedge_verdict::Stop;

use crate::abstraction::thread::{Counting, Thread, predicate_of};
use crate::abstraction::{AbstractSystem, Abstraction, LocalState, SharedState};
use crate::goals::conjoin;
use crate::watch::CASE;
use pairs::Pairs;

/// Adds the relations to those of a certificate.
pub fn certify(
    abstraction: &mut Abstraction,
    found: &AbstractSystem,
    basis: &Basis,
    certificate: &mut Certificate,
) -> Result<(), Stop> {
    let pairs = Pairs::of(found, &abstraction.watch)?;
    let counters = Counters { list: certificate.ghosts.counters.clone() };
    let mut writer = Writer { abstraction, found, basis, pairs, counters };
    let count = writer.abstraction.system.templates.len() as u32;
    for first in (0..count).map(TemplateId) {
        conjoin(certificate, writer.relation(&[first])?);
        for second in (first.0..count).map(TemplateId) {
            if first != second || writer.abstraction.system.templates[first.index()].pool {
                conjoin(certificate, writer.relation(&[first, second])?);
            }
        }
    }
    certificate.ghosts.counters = writer.counters.list;
    Ok(())
}

struct Writer<'a> {
    abstraction: &'a mut Abstraction,
    found: &'a AbstractSystem,
    basis: &'a Basis,
    pairs: Option<Pairs>,
    counters: Counters,
}

impl Writer<'_> {
    fn relation(&mut self, shape: &[TemplateId]) -> Result<Relation, Stop> {
        let mut cases: BTreeMap<Vec<At>, BTreeSet<Term>> = BTreeMap::new();
        for (shared, locals) in self.basis.reachable.clone() {
            let SharedState::Holds(holds) = &self.found.shared[shared.0 as usize] else { continue };
            let holds = holds.clone();
            for chosen in self.choices(shape, shared, &locals) {
                self.abstraction.watch.spend(CASE);
                self.abstraction.watch.check()?;
                let places = chosen.iter().map(|(at, _)| *at).collect();
                let case = self.case(shape, &holds, &chosen);
                cases.entry(places).or_default().insert(case);
            }
        }
        self.add_unstarted(shape, &mut cases);
        let name = |id: &TemplateId| self.abstraction.system.templates[id.index()].name.clone();
        let names: Vec<String> = shape.iter().map(name).collect();
        let entries = cases.into_iter().map(|(places, cases)| {
            let places_of = places.iter().zip(shape).map(|(&at, &id)| self.place(id, at)).collect();
            let mut parts = self.counted(shape, &places);
            let terms = &mut self.abstraction.system.terms;
            parts.push(terms.or(&cases.into_iter().collect::<Vec<_>>()));
            let formula = terms.and(&parts);
            Entry { at: places_of, formula: terms.show(formula).to_string() }
        });
        let entries = entries.collect();
        Ok(Relation { shape: names, entries })
    }

    /// What numbers of threads say when those of the shape stand at these places.
    fn counted(&mut self, shape: &[TemplateId], places: &[At]) -> Vec<Term> {
        let Some(counts) = self.abstraction.counts.clone() else { return Vec::new() };
        let threads: Vec<(usize, At)> =
            shape.iter().zip(places).map(|(id, &at)| (id.index(), at)).collect();
        let System { terms, templates, .. } = &mut self.abstraction.system;
        counts.said(terms, templates, &threads, &mut self.counters)
    }

    /// Threads of an initial pool that do not exist in the abstraction are unstarted in certificates;
    /// nothing is said of them.
    fn add_unstarted(
        &mut self,
        shape: &[TemplateId],
        cases: &mut BTreeMap<Vec<At>, BTreeSet<Term>>,
    ) {
        let truth = self.abstraction.system.terms.bool(true);
        for (index, id) in shape.iter().enumerate() {
            let of = &self.abstraction.system.templates[id.index()];
            if !(of.pool && of.initial) {
                continue;
            }
            let mut more: Vec<Vec<At>> = cases.keys().cloned().collect();
            more.iter_mut().for_each(|places| places[index] = At::Unstarted);
            for places in more {
                cases.insert(places, BTreeSet::from([truth]));
            }
        }
    }

    /// Local states for the shape that can be together: what pairs can reach, or else what is not
    /// above the basis.
    fn choices(
        &self,
        shape: &[TemplateId],
        shared: Shared,
        locals: &[Local],
    ) -> Vec<Vec<(At, Vec<bool>)>> {
        let of = |id: TemplateId| {
            locals.iter().filter_map(move |local| match &self.found.locals[local.0 as usize] {
                LocalState::At { template, at, holds } if *template == id => {
                    Some((*local, (*at, holds.clone())))
                }
                _ => None,
            })
        };
        let allowed = |threads: &[Local]| {
            if let Some(pairs) = &self.pairs {
                return pairs.has(shared, threads);
            }
            let state = State { shared, threads: threads.iter().copied().collect() };
            !self.basis.excludes(&state)
        };
        let mut found = Vec::new();
        for (first, what) in of(shape[0]) {
            match shape.get(1) {
                None if allowed(&[first]) => found.push(vec![what]),
                None => {}
                Some(&id) => {
                    for (second, other) in of(id) {
                        if allowed(&[first, second]) {
                            found.push(vec![what.clone(), other]);
                        }
                    }
                }
            }
        }
        found
    }

    /// What is known of threads in these local states. Locals keep their last values in certificates,
    /// as they do here.
    fn case(&mut self, shape: &[TemplateId], shared: &[bool], chosen: &[(At, Vec<bool>)]) -> Term {
        let threads: Vec<Thread> =
            (0..shape.len()).map(|index| self.thread(shape, index, chosen[index].0)).collect();
        let here: Vec<Term> = self.abstraction.system.shared.iter().map(|v| v.term).collect();
        let mut facts = Vec::new();
        let predicates = self.abstraction.predicates.clone();
        let plain: Vec<_> = predicates.iter().filter(|p| p.is_shared()).collect();
        let Abstraction { system, vocabulary, .. } = &mut *self.abstraction;
        for (predicate, &holds) in plain.into_iter().zip(shared) {
            let said = predicate_of(system, vocabulary, predicate, None, &[], &here);
            facts.push(if holds { said } else { system.terms.not(said) });
        }
        for (index, (at, holds)) in chosen.iter().enumerate() {
            let others: Vec<&Thread> =
                threads.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, t)| t).collect();
            let own = predicates.iter().filter(|p| p.concerns(vocabulary, shape[index], *at));
            let own: Vec<_> = own.collect();
            for (predicate, &holds) in own.into_iter().zip(holds) {
                let thread = Some(&threads[index]);
                let said = predicate_of(system, vocabulary, predicate, thread, &others, &here);
                match (holds, predicate.passive) {
                    (true, _) => facts.push(said),
                    (false, None) => facts.push(system.terms.not(said)),
                    (false, Some(_)) => {}
                }
            }
        }
        system.terms.and(&facts)
    }

    /// The thread of the shape, with the names that certificates have for its locals.
    fn thread(&mut self, shape: &[TemplateId], index: usize, at: At) -> Thread {
        let template = shape[index];
        let copy = 1 + shape[..index].iter().filter(|id| **id == template).count();
        let of = self.abstraction.system.templates[template.index()].clone();
        let values = of.locals.iter().map(|local| {
            let own = local.name.strip_prefix(&format!("{}!", of.name));
            let name = match local.what {
                What::Tid => names::local(&of.name, copy, names::TID),
                _ => own.map_or(local.name.clone(), |own| names::local(&of.name, copy, own)),
            };
            let terms = &mut self.abstraction.system.terms;
            let sort = terms.sort(local.term);
            terms.var(&name, sort)
        });
        let values = values.collect();
        Thread { template, values, live: Counting::default() }
            .standing(&self.abstraction.vocabulary, at)
    }

    fn place(&self, template: TemplateId, at: At) -> String {
        let of = &self.abstraction.system.templates[template.index()];
        match at {
            At::Unstarted => names::UNSTARTED.to_owned(),
            At::Ended => names::ENDED.to_owned(),
            At::Cut(cut) => names::location(of.locations[cut as usize].location),
        }
    }
}
