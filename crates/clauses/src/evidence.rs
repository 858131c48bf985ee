//! A solution of the clauses as a certificate.
//!
//! The certificate has a relation for each shape of the level, and for each thread alone beside the
//! core, with an entry for every tuple of locations: what the solution says of their key. The linear
//! facts, which the solution takes for granted, are part of each entry: an equality speaks of the
//! numbers of threads by counters that the checker keeps.

use rustc_hash::FxHashMap;
use selvedge_certify::{Certificate, Counter, Entry, Relation, names};
use selvedge_smt::horn::Solution;
use selvedge_smt::{Sort, Term, Terms};
use selvedge_system::{At, System, Template};

use super::frame::{Frame, Placed, product};
use super::linear::{Equality, Facts, numeric};
use super::rules::Clauses;
use super::view::View;

/// A solution of the clauses of a system: an inductive invariant.
pub struct Invariant<'a> {
    pub system: &'a System,
    pub view: &'a View,
    pub clauses: &'a Clauses,
    pub solution: &'a Solution,
    pub frame: &'a Frame<'a>,
}

impl Invariant<'_> {
    /// Its relations and counters become those of the certificate.
    pub fn write(&self, terms: &mut Terms, certificate: &mut Certificate) {
        let mut counters = Counters::default();
        let others = self.frame.level.others;
        let mut shapes = self.frame.shapes(others);
        if others > 1 && self.frame.pools() {
            shapes.extend(self.frame.shapes(1));
        }
        for shape in shapes {
            let places: Vec<Vec<Placed>> =
                shape.iter().map(|&number| self.places(number)).collect();
            let entries = product(&places).into_iter();
            let entries = entries.filter_map(|threads| self.entry(terms, &threads, &mut counters));
            certificate.relations.push(Relation {
                shape: shape.iter().map(|&t| self.view.threads[t].name.clone()).collect(),
                entries: entries.collect(),
            });
        }
        certificate.ghosts.counters = counters.list;
    }

    fn facts(&self) -> StatedFacts<'_> {
        let (templates, facts) = (&self.system.templates, self.frame.facts);
        StatedFacts { templates, view: self.view, facts }
    }

    fn places(&self, number: usize) -> Vec<Placed> {
        self.view.threads[number].all_places().into_iter().map(|at| (number, at)).collect()
    }

    /// What holds when the threads of a shape stand so; none if they never do.
    fn entry(
        &self,
        terms: &mut Terms,
        threads: &[Placed],
        counters: &mut Counters,
    ) -> Option<Entry> {
        let all: Vec<usize> = (0..threads.len()).collect();
        let order = self.frame.order(threads, &all);
        let key = self.frame.key(threads, &order);
        let index = self.clauses.keys.binary_search(&key).ok()?;
        let args = self.arguments(terms, threads, &order);
        let mut parts = vec![self.solution.definitions[index].apply(terms, &args)];
        let facts = self.facts();
        parts.extend(facts.formulas(terms, threads, counters));
        let formula = terms.and(&parts);
        let at = threads.iter().map(|&(number, at)| facts.location(number, at)).collect();
        Some(Entry { at, formula: terms.show(formula).to_string() })
    }

    /// The arguments of a relation whose threads are, in this order, those of a shape.
    fn arguments(&self, terms: &mut Terms, threads: &[Placed], order: &[usize]) -> Vec<Term> {
        let mut args: Vec<Term> = self.view.shared.iter().map(|var| var.term).collect();
        for &position in order {
            let (number, at) = threads[position];
            let thread = &self.view.threads[number];
            let copy = 1 + threads[..position].iter().filter(|placed| placed.0 == number).count();
            for &local in thread.live(at) {
                let var = &thread.locals[local];
                let sort = terms.sort(var.term);
                args.push(terms.var(&local_name(&thread.name, copy, &var.name), sort));
            }
        }
        args
    }
}

/// Linear facts as a certificate states them.
pub(crate) struct StatedFacts<'a> {
    pub templates: &'a [Template],
    pub view: &'a View,
    pub facts: &'a Facts,
}

impl StatedFacts<'_> {
    fn location(&self, thread: usize, at: At) -> String {
        match at {
            At::Unstarted => names::UNSTARTED.to_owned(),
            At::Ended => names::ENDED.to_owned(),
            At::Cut(cut) => {
                let location = &self.templates[thread].locations[cut as usize];
                names::location(location.location)
            }
        }
    }

    /// The facts for threads that stand so.
    pub fn formulas(
        &self,
        terms: &mut Terms,
        threads: &[Placed],
        counters: &mut Counters,
    ) -> Vec<Term> {
        let mut parts = Vec::new();
        for (&variable, &(low, high)) in &self.facts.intervals {
            let term = self.view.shared[variable].term;
            if terms.sort(term) == Sort::Int {
                parts.push(terms.between(low, term, high));
            }
        }
        for equality in &self.facts.equalities {
            parts.extend(self.equality(terms, threads, equality, counters));
        }
        parts
    }

    fn equality(
        &self,
        terms: &mut Terms,
        threads: &[Placed],
        equality: &Equality,
        counters: &mut Counters,
    ) -> Option<Term> {
        let mut sum = Vec::new();
        for &(variable, weight) in &equality.variables {
            let (variable, weight) = (numeric(terms, self.view, variable)?, terms.int(weight));
            sum.push(terms.mul(&[weight, variable]));
        }
        for (number, weights) in equality.locations.iter().enumerate() {
            let instance = threads.iter().find(|placed| placed.0 == number);
            match instance.filter(|_| !self.view.threads[number].pool) {
                Some((_, at)) => {
                    sum.push(terms.int(weights.get(at).copied().unwrap_or_default()));
                }
                None => {
                    for (weight, places) in groups(weights) {
                        let counter = self.counter(terms, number, &places, counters);
                        let weight = terms.int(weight);
                        sum.push(terms.mul(&[weight, counter]));
                    }
                }
            }
        }
        let (sum, constant) = (terms.add(&sum), terms.int(equality.constant));
        Some(terms.eq(sum, constant))
    }

    fn counter(
        &self,
        terms: &mut Terms,
        thread: usize,
        places: &[At],
        counters: &mut Counters,
    ) -> Term {
        let locations: Vec<String> = places.iter().map(|&at| self.location(thread, at)).collect();
        let name = counters.name(&self.view.threads[thread].name, locations);
        terms.var(&names::counter(&name), Sort::Int)
    }
}

/// The counters named so far.
#[derive(Default)]
pub struct Counters {
    pub list: Vec<Counter>,
}

impl Counters {
    fn name(&mut self, thread: &str, locations: Vec<String>) -> String {
        let same = |c: &&Counter| c.thread == thread && c.locations == locations;
        if let Some(known) = self.list.iter().find(same) {
            return known.name.clone();
        }
        let name = format!("{thread}.{}", self.list.len() + 1);
        let thread = thread.to_owned();
        self.list.push(Counter { name: name.clone(), thread, locations });
        name
    }
}

/// Locations of one weight together.
fn groups(weights: &FxHashMap<At, i64>) -> Vec<(i64, Vec<At>)> {
    let mut sorted: Vec<(i64, At)> = weights.iter().map(|(&at, &weight)| (weight, at)).collect();
    sorted.sort_unstable();
    let mut groups: Vec<(i64, Vec<At>)> = Vec::new();
    for (weight, at) in sorted {
        match groups.last_mut().filter(|group| group.0 == weight) {
            Some(group) => group.1.push(at),
            None => groups.push((weight, vec![at])),
        }
    }
    groups
}

/// The name of a local of the copy-th thread of a template.
fn local_name(thread: &str, copy: usize, name: &str) -> String {
    match name.strip_prefix(thread).and_then(|rest| rest.strip_prefix('!')) {
        Some(local) => names::local(thread, copy, local),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_copies() {
        assert_eq!(local_name("w", 2, "w!i"), "w@2!i");
        assert_eq!(local_name("w", 1, "own"), "own");
    }
}
