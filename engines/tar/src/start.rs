//! What the algorithm begins with, and what is carried over to a system with few threads.

use rustc_hash::FxHashSet;
use selvedge_smt::{Term, Terms};
use selvedge_verdict::{Run, Stop};

use super::Tar;
use super::abstraction::Abstraction;
use super::annotate::Show;
use super::concrete::Concrete;
use super::model::Ghost;
use super::pairs::Pairs;
use super::predicates::{Predicate, seeds};
use super::source::{Source, Threads};
use super::transitions::Transitions;
use super::wider::Wider;
use selvedge_system::{At, TemplateId};

/// Predicates and ghosts found for a system, to be used for another of the same program.
pub struct CarriedOver {
    terms: Terms,
    predicates: Vec<(Option<TemplateId>, Term)>,
    ghosts: Vec<Ghost>,
    counts: Vec<(TemplateId, Vec<At>)>,
}

impl<'a> Tar<'a> {
    pub fn new(
        source: &'a Source<'_>,
        threads: Threads,
        carried: Option<CarriedOver>,
        run: &Run<'_>,
    ) -> Result<Tar<'a>, Stop> {
        let Threads { system, mut model } = threads;
        for &ghost in carried.iter().flat_map(|carried| &carried.ghosts) {
            model.expose(ghost);
        }
        for (id, places) in carried.iter().flat_map(|carried| &carried.counts) {
            model.count(*id, places.clone());
        }
        let mut predicates = seeds(&mut model);
        if let Some(carried) = carried {
            for (owner, term) in carried.predicates {
                let term = model.terms.import(&carried.terms, term);
                predicates.add(&mut model, owner.unwrap_or(TemplateId(0)), term);
            }
        }
        let limits = source.limits().clone();
        let transitions = Transitions::of(&mut model, &limits).map_err(|_| run.out_of_budget())?;
        Ok(Tar {
            model,
            predicates,
            transitions,
            abstraction: Abstraction::new(limits.clone()),
            concrete: Concrete {
                program: source.program,
                prepared: &source.prepared,
                system,
                properties: &source.passes.properties,
            },
            wider: Wider::default(),
            started: limits.clock.now(),
            limits,
            out_of_budget: run.out_of_budget(),
            pairs: None,
            balances: None,
            counted: FxHashSet::default(),
            number: 0,
        })
    }

    /// Pairs of accesses, where all are looked at, with those of this system.
    pub fn enter_pairs(&mut self, pairs: Option<Pairs>) {
        self.pairs = pairs;
        if let Some(pairs) = &mut self.pairs {
            pairs.enter(&self.concrete.prepared.program, &self.model, &self.transitions);
        }
    }

    /// What to begin with if there are few threads. Comparisons with one number after the other are not
    /// needed where threads are counted.
    pub fn carry_over(self) -> CarriedOver {
        let useful = |predicate: &&Predicate| match predicate.variables[..] {
            [variable] => !self.counted.contains(&variable),
            _ => true,
        };
        let list = self.predicates.list.iter().filter(useful);
        let predicates = list.map(|p| (p.owner, p.term)).collect();
        let counts = self.model.counts.into_iter().map(|c| (c.template, c.places)).collect();
        CarriedOver { terms: self.model.terms, predicates, ghosts: self.model.ghosts, counts }
    }

    /// The predicates for people, each with the thread that tracks it alone.
    pub fn predicate_texts(&self) -> Vec<String> {
        let list = self.predicates.list.iter();
        let show = |p: &Predicate| {
            let template = p.owner.unwrap_or(TemplateId(0));
            let text = Show { model: &self.model, template }.term(p.term);
            match p.owner {
                Some(owner) => format!("{}: {text}", self.model.template(owner).name),
                None => text,
            }
        };
        list.map(show).collect()
    }
}
