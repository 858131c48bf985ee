//! The proof: an invariant for each thread and location, and what each thread assumes of the others.

use std::fmt::Write;

use rustc_hash::FxHashMap;
use selvedge_certify::{
    Arithmetic, Certificate, Changer, Counter, Entry, Exposed, Relation, names,
};
use selvedge_ir::Program;
use selvedge_smt::Term;

use super::annotate::{self, Assumptions};
use super::bdd::{Bdd, TRUE};
use super::model::{Count, Ghost, Model};
use super::reach::Reach;
use super::region::Space;
use super::{NAME, Place};
use selvedge_system::{At, TemplateId, What};

/// A proof for the checker, and for people.
#[derive(Clone, Debug)]
pub struct Explained {
    invariants: Invariants,
    assumptions: Assumptions,
}

impl Explained {
    pub fn of(reach: &mut Reach) -> Explained {
        Explained { invariants: Invariants::of(reach), assumptions: Assumptions::of(reach) }
    }

    pub fn certificate(
        &self,
        model: &mut Model,
        program: &Program,
        passes: &selvedge_passes::Options,
    ) -> Certificate {
        let empty = Certificate::new(NAME, program, passes, Arithmetic::Integers);
        self.invariants.certify(model, empty)
    }

    /// The predicates, and the assumptions as annotations.
    pub fn text(&self, model: &Model, predicates: &[String]) -> String {
        let mut text = String::from("predicates:\n");
        for predicate in predicates {
            let _ = writeln!(text, "  {predicate}");
        }
        text.push_str(&annotate::text(model, &self.assumptions));
        text
    }

    /// The assumptions that can be written as annotations.
    pub fn clauses(&self, model: &Model) -> Vec<String> {
        annotate::clauses(model, &self.assumptions)
    }
}

/// Regions as formulas.
#[derive(Clone, Debug)]
struct Invariants {
    formulas: Vec<(Place, Formula)>,
}

/// A diagram copied out of its table: a choice by a predicate, or a constant.
#[derive(Clone, Debug)]
struct Formula {
    /// A predicate with the positions of the branches for false and true; positions 0 and 1 are
    /// false and true. The last one is the root.
    choices: Vec<(Term, usize, usize)>,
    root: usize,
}

impl Formula {
    fn of(space: &Space, region: Bdd) -> Formula {
        let mut formula = Formula { choices: Vec::new(), root: 0 };
        let mut known: FxHashMap<Bdd, usize> = FxHashMap::default();
        formula.root = formula.enter(space, region, &mut known);
        formula
    }

    fn enter(&mut self, space: &Space, bdd: Bdd, known: &mut FxHashMap<Bdd, usize>) -> usize {
        if let Some(&position) = known.get(&bdd) {
            return position;
        }
        let Some((variable, low, high)) = space.diagrams.branch(bdd) else {
            return usize::from(bdd == TRUE);
        };
        let (low, high) = (self.enter(space, low, known), self.enter(space, high, known));
        let predicate = space.predicate_of(variable);
        self.choices.push((space.predicates.get(predicate).term, low, high));
        let position = self.choices.len() + 1;
        known.insert(bdd, position);
        position
    }

    fn term(&self, model: &mut Model) -> Term {
        let mut terms = vec![model.terms.bool(false), model.terms.bool(true)];
        for &(predicate, low, high) in &self.choices {
            let (low, high) = (terms[low], terms[high]);
            let not = model.terms.not(predicate);
            let high = model.terms.and(&[predicate, high]);
            let low = model.terms.and(&[not, low]);
            terms.push(model.terms.or(&[low, high]));
        }
        terms[self.root]
    }
}

impl Invariants {
    /// What predicates say of each other need not be said again.
    fn of(reach: &mut Reach) -> Invariants {
        let mut formulas: Vec<(Place, Formula)> = Vec::new();
        for (&place, &region) in &reach.regions {
            let state = reach.space.states[place.0.0 as usize];
            let region = reach.space.diagrams.restrict(region, state);
            formulas.push((place, Formula::of(reach.space, region)));
        }
        formulas.sort_by_key(|(place, _)| *place);
        Invariants { formulas }
    }

    /// Fills a certificate.
    fn certify(&self, model: &mut Model, mut certificate: Certificate) -> Certificate {
        let renamed = certificate_names(model);
        certificate.few_threads = model.few;
        for ghost in model.ghosts.clone() {
            enter_ghost(model, ghost, &mut certificate);
        }
        // Said once, so that certificates do not grow with the places times the variables.
        let always = model.values.overall_facts(&mut model.terms);
        if model.terms.constant(always).is_none() {
            let formula = model.terms.show(always).to_string();
            let entries = vec![Entry { at: Vec::new(), formula }];
            certificate.relations.push(Relation { shape: Vec::new(), entries });
        }
        for id in model.ids() {
            let name = model.template(id).name.clone();
            let everywhere = |at: &str| Entry { at: vec![at.into()], formula: "true".into() };
            let mut entries = vec![everywhere(names::UNSTARTED), everywhere(names::ENDED)];
            for ((template, at), formula) in &self.formulas {
                if let (true, At::Cut(cut)) = (*template == id, *at) {
                    let term = formula.term(model);
                    let values = model.values.own_facts(&mut model.terms, (id, *at));
                    let term = model.terms.and(&[model.alive(id), values, term]);
                    let term = without_counted(model, *at, term);
                    let term = model.terms.substitute(term, &renamed);
                    let location = model.template(id).locations[cut as usize].location;
                    entries.push(Entry {
                        at: vec![names::location(location)],
                        formula: model.terms.show(term).to_string(),
                    });
                }
            }
            certificate.relations.push(Relation { shape: vec![name], entries });
        }
        certificate
    }
}

/// The formula for threads at a place, of which it is known who counts them.
fn without_counted(model: &mut Model, at: At, formula: Term) -> Term {
    let mut known = FxHashMap::default();
    for count in &model.counts {
        known.insert(count.inside, model.terms.bool(count.places.contains(&at)));
    }
    model.terms.substitute(formula, &known)
}

/// Names that certificates have for variables, where they differ.
fn certificate_names(model: &mut Model) -> FxHashMap<Term, Term> {
    let mut renamed = FxHashMap::default();
    for id in model.ids() {
        let template = model.template(id).clone();
        for local in &template.locals {
            if local.what == What::Tid {
                let sort = model.terms.sort(local.term);
                let name = names::local(&template.name, 1, names::TID);
                renamed.insert(local.term, model.terms.var(&name, sort));
            }
        }
    }
    renamed
}

fn enter_ghost(model: &Model, ghost: Ghost, certificate: &mut Certificate) {
    let name = |id: TemplateId| model.template(id).name.clone();
    let ghosts = &mut certificate.ghosts;
    match ghost {
        Ghost::Location(id) => ghosts.exposed.push(Exposed { thread: name(id), local: None }),
        Ghost::Local(id, local) => {
            let full = &model.template(id).locals[local as usize].name;
            let local = full.strip_prefix(&format!("{}!", name(id))).unwrap_or(full);
            ghosts.exposed.push(Exposed { thread: name(id), local: Some(local.to_owned()) });
        }
        Ghost::Count(number) => {
            let Count { name, template, places, .. } = &model.counts[number as usize];
            let place = |at: &At| match at {
                At::Cut(cut) => {
                    names::location(model.template(*template).locations[*cut as usize].location)
                }
                At::Ended => names::ENDED.to_owned(),
                At::Unstarted => names::UNSTARTED.to_owned(),
            };
            let locations = places.iter().map(place).collect();
            let thread = model.template(*template).name.clone();
            ghosts.counters.push(Counter { name: name.clone(), thread, locations });
        }
        Ghost::Changer(variable) => {
            let variable = model.shared[variable as usize].name.clone();
            ghosts.changers.push(Changer { variable });
        }
        Ghost::Started(id) => {
            let cuts = model.template(id).locations.iter();
            let mut locations: Vec<String> =
                cuts.map(|cut| names::location(cut.location)).collect();
            locations.push(names::ENDED.to_owned());
            ghosts.counters.push(Counter { name: name(id), thread: name(id), locations });
        }
    }
}
