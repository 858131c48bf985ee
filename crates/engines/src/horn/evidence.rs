//! A solution of the clauses as a certificate.
//!
//! Each relation becomes a relation of the certificate over the same threads, with an entry for every
//! order of its locations. The linear facts, which the solution takes for granted, are part of each
//! entry: an equality speaks of the numbers of threads by counters that the checker keeps.

use rustc_hash::FxHashMap;
use selvedge_certify::{Certificate, Counter, Entry, Relation, names};
use selvedge_smt::horn::Solution;
use selvedge_smt::{Sort, Term, Terms};

use super::clauses::{Clauses, Key};
use super::linear::{Equality, Facts, numeric};
use super::view::View;
use crate::system::{At, System};

/// What a certificate is made of.
pub struct Proof<'a> {
    pub system: &'a System,
    pub view: &'a View,
    pub clauses: &'a Clauses,
    pub solution: &'a Solution,
    pub facts: &'a Facts,
}

impl Proof<'_> {
    /// Fills a certificate that has no relations yet.
    pub fn write(&self, terms: &mut Terms, certificate: &mut Certificate) {
        let mut counters = Counters::default();
        for (number, shape) in self.clauses.shapes.iter().enumerate() {
            let shape_names = shape.iter().map(|&t| self.view.threads[t].name.clone()).collect();
            let mut entries = Vec::new();
            for (index, key) in self.clauses.keys.iter().enumerate() {
                if key.shape == number {
                    let held = &self.solution.definitions[index];
                    for order in orders(shape, &key.places) {
                        let args = self.arguments(terms, key, &order);
                        let mut parts = vec![held.apply(terms, &args)];
                        parts.extend(self.facts(terms, key, &mut counters));
                        let formula = terms.and(&parts);
                        entries.push(Entry {
                            at: self.locations(key, &order),
                            formula: terms.show(formula).to_string(),
                        });
                    }
                }
            }
            certificate.relations.push(Relation { shape: shape_names, entries });
        }
        certificate.ghosts.counters = counters.list;
    }

    /// The arguments of a relation whose i-th thread is the one at position `order[i]` of the
    /// certificate's shape.
    fn arguments(&self, terms: &mut Terms, key: &Key, order: &[usize]) -> Vec<Term> {
        let shape = &self.clauses.shapes[key.shape];
        let mut args: Vec<Term> = self.view.shared.iter().map(|var| var.term).collect();
        for (index, &at) in key.places.iter().enumerate() {
            let thread = &self.view.threads[shape[index]];
            let position = order[index];
            let copy = 1 + shape[..position].iter().filter(|&&t| t == shape[index]).count();
            for &local in thread.live(at) {
                let var = &thread.locals[local];
                let sort = terms.sort(var.term);
                args.push(terms.var(&local_name(&thread.name, copy, &var.name), sort));
            }
        }
        args
    }

    fn locations(&self, key: &Key, order: &[usize]) -> Vec<String> {
        let shape = &self.clauses.shapes[key.shape];
        let mut places = vec![String::new(); order.len()];
        for (index, &position) in order.iter().enumerate() {
            places[position] = self.location(shape[index], key.places[index]);
        }
        places
    }

    fn location(&self, thread: usize, at: At) -> String {
        match at {
            At::Unstarted => names::UNSTARTED.to_owned(),
            At::Ended => names::ENDED.to_owned(),
            At::Cut(cut) => {
                let location = &self.system.templates[thread].locations[cut as usize];
                names::location(location.location)
            }
        }
    }

    /// The facts for threads that stand so; the order of identical threads does not matter.
    fn facts(&self, terms: &mut Terms, key: &Key, counters: &mut Counters) -> Vec<Term> {
        let mut parts = Vec::new();
        for (&variable, &(low, high)) in &self.facts.intervals {
            let term = self.view.shared[variable].term;
            if terms.sort(term) == Sort::Int {
                parts.push(terms.between(low, term, high));
            }
        }
        for equality in &self.facts.equalities {
            parts.extend(self.equality(terms, key, equality, counters));
        }
        parts
    }

    fn equality(
        &self,
        terms: &mut Terms,
        key: &Key,
        equality: &Equality,
        counters: &mut Counters,
    ) -> Option<Term> {
        let shape = &self.clauses.shapes[key.shape];
        let mut sum = Vec::new();
        for &(variable, weight) in &equality.variables {
            let (variable, weight) = (numeric(terms, self.view, variable)?, terms.int(weight));
            sum.push(terms.mul(&[weight, variable]));
        }
        for (number, weights) in equality.locations.iter().enumerate() {
            let instance = shape.iter().position(|&t| t == number);
            match instance.filter(|_| !self.view.threads[number].pool) {
                Some(index) => {
                    let weight = weights.get(&key.places[index]).copied().unwrap_or_default();
                    sum.push(terms.int(weight));
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
struct Counters {
    list: Vec<Counter>,
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

/// The permutations of identical threads that give different tuples of locations: where each thread
/// of the sorted tuple goes.
fn orders(shape: &[usize], places: &[At]) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = Vec::new();
    let mut seen: Vec<Vec<At>> = Vec::new();
    permute(shape, &mut Vec::new(), &mut |order| {
        let mut tuple = places.to_vec();
        order.iter().zip(places).for_each(|(&position, &at)| tuple[position] = at);
        if !seen.contains(&tuple) {
            seen.push(tuple);
            found.push(order.to_vec());
        }
    });
    found
}

fn permute(shape: &[usize], begun: &mut Vec<usize>, found: &mut dyn FnMut(&[usize])) {
    let index = begun.len();
    if index == shape.len() {
        return found(begun);
    }
    for position in 0..shape.len() {
        if shape[position] == shape[index] && !begun.contains(&position) {
            begun.push(position);
            permute(shape, begun, found);
            begun.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_of_identical_threads() {
        let (a, b) = (At::Cut(1), At::Cut(2));
        assert_eq!(orders(&[0, 1, 1], &[a, a, b]), [[0, 1, 2], [0, 2, 1]]);
        assert_eq!(orders(&[0, 1, 1], &[a, b, b]), [[0, 1, 2]]);
        assert_eq!(orders(&[1, 1, 1], &[a, a, b]).len(), 3);
    }

    #[test]
    fn names_of_copies() {
        assert_eq!(local_name("w", 2, "w!i"), "w@2!i");
        assert_eq!(local_name("w", 1, "own"), "own");
    }
}
