//! What variables say about the numbers of threads, for engines that do not solve the clauses.
//!
//! A reference count is the number of threads between taking and giving back. Predicates over a
//! bounded number of threads cannot say that; but the bound that it leaves for the threads at hand can
//! be used wherever a question is about these.

use std::fmt;

use selvedge_smt::{Limits, Term, Terms};
use selvedge_system::{System, Template};

use super::evidence::{Counters, StatedFacts};
use super::frame::Placed;
use super::linear::{Facts, Tier};
use super::view::View;

/// The facts of a system.
#[derive(Debug)]
pub struct Counts {
    view: View,
    facts: Facts,
}

impl Counts {
    /// None if no variable counts threads without bound.
    pub fn of(system: &mut System, limits: &Limits) -> Option<Counts> {
        let mut terms = std::mem::take(&mut system.terms);
        let view = View::of(&mut terms, system, limits);
        let facts = Facts::of(&mut terms, &view, limits);
        system.terms = terms;
        let counts = facts.tiers(&view).contains(&Tier::Present);
        let facts = facts.up_to(&view, Tier::Present);
        counts.then_some(Counts { view, facts })
    }

    /// What the facts say of the shared variables when these threads stand so.
    pub fn instance(&self, terms: &mut Terms, threads: &[Placed]) -> Vec<Term> {
        self.facts.instance(terms, &self.view, threads)
    }

    /// Likewise for a certificate, with counters.
    pub fn said(
        &self,
        terms: &mut Terms,
        templates: &[Template],
        threads: &[Placed],
        counters: &mut Counters,
    ) -> Vec<Term> {
        let facts = StatedFacts { templates, view: &self.view, facts: &self.facts };
        facts.formulas(terms, threads, counters)
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<&str> = Vec::new();
        for &(variable, _) in self.facts.equalities.iter().flat_map(|e| &e.variables) {
            let name = self.view.shared[variable].name.as_str();
            if !self.facts.intervals.contains_key(&variable) && !names.contains(&name) {
                names.push(name);
            }
        }
        write!(f, "numbers of threads are known by {}", names.join(", "))
    }
}
