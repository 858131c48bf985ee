//! What a solution says at each tuple of locations, for others to build on.
//!
//! The atoms of an invariant are what a proof by other means may need, too. So for a given system a
//! solution is looked for with little effort: by guesses at low levels, which mostly say something, and
//! else by searches. A guess that does not exclude all bad steps is part of a solution: what it says
//! holds. Nothing here is a verdict.

use std::time::Duration;

use rustc_hash::FxHashMap;
use selvedge_smt::horn::{HornAnswer, Solution, Strategy};
use selvedge_smt::{Limits, Term, Terms};

use super::attempts::Attempts;
use super::frame::{Frame, Key, Level};
use super::guess;
use super::languages::languages;
use super::linear::Facts;
use super::load::Load;
use super::rules::Clauses;
use super::thread::{apart, overall};
use super::view::View;
use selvedge_system::concretize::{Name, Point, Stand};
use selvedge_system::{System, TemplateId};

/// The time for a search.
const SEARCH: Duration = Duration::from_secs(2);

/// A solution, or a part of one.
#[derive(Clone, Debug)]
pub struct Formulas {
    /// Over the variables of a point: what holds where its threads stand so.
    pub at: Vec<(Point, Term)>,
    pub level: Level,
    /// Whether it excludes all bad steps.
    pub complete: bool,
}

/// Looks for a solution within this time, or up to three times as long where others take the processor
/// away.
pub fn formulas(system: &mut System, time: Duration, limits: &Limits) -> Option<Formulas> {
    let mut terms = std::mem::take(&mut system.terms);
    let mut load = Load::of_thread().unwrap_or(Load::NONE);
    let time = load.stretch(time).min(3 * time);
    let limits = overall(&Limits { time: Some(time), ..limits.clone() });
    let of: &System = system;
    let found = apart(&mut load, || Inquiry::new(&mut terms, of, &limits).run());
    system.terms = terms;
    found?
}

struct Inquiry<'a> {
    terms: &'a mut Terms,
    system: &'a System,
    view: View,
    facts: Facts,
    limits: &'a Limits,
    best: Option<Found>,
}

struct Found {
    level: Level,
    keys: Vec<Key>,
    solution: Solution,
    complete: bool,
}

impl<'a> Inquiry<'a> {
    fn new(terms: &'a mut Terms, system: &'a System, limits: &'a Limits) -> Inquiry<'a> {
        let view = View::of(terms, system);
        let facts = Facts::of(terms, &view, limits);
        Inquiry { terms, system, view, facts, limits, best: None }
    }

    fn run(mut self) -> Option<Formulas> {
        let mut attempts = Attempts::new();
        attempts.plan(&self.view, &self.facts.tiers(&self.view), false);
        for level in attempts.early() {
            if self.guess(&level) == Some(true) || self.limits.exceeded().is_some() {
                return self.told();
            }
        }
        // Where nothing can be said by guesses, a search may still say something.
        for level in attempts.early() {
            if self.best.is_some() || self.limits.exceeded().is_some() {
                break;
            }
            self.search(&level);
        }
        self.told()
    }

    fn clauses(&mut self, level: &Level) -> Option<(Clauses, Facts)> {
        let facts = self.facts.up_to(&self.view, level.facts);
        let clauses = Clauses::of(self.terms, &Frame::new(&self.view, level, &facts)).ok()?;
        clauses.asks().then_some((clauses, facts))
    }

    fn search(&mut self, level: &Level) {
        let Some((clauses, _)) = self.clauses(level) else { return };
        let strategy = Strategy { global: false, seed: 0 };
        let limits = Limits { time: Some(SEARCH), ..self.limits.clone() };
        let answer = clauses.horn.solve_by(self.terms, &limits, strategy);
        if let HornAnswer::Solution(solution) = answer {
            self.keep(level, &clauses, solution, true);
        }
    }

    /// Whether what can be guessed at this level is a solution; none if that is not known.
    fn guess(&mut self, level: &Level) -> Option<bool> {
        let (clauses, facts) = self.clauses(level)?;
        let mut known: Option<Solution> = None;
        for pairs in [false, true] {
            let now = match &known {
                Some(known) => &clauses.within(self.terms, known),
                None => &clauses,
            };
            let frame = Frame::new(&self.view, level, &facts);
            let languages = languages(self.terms, &frame, now, pairs);
            let found =
                guess::strongest(self.terms, &now.horn, &languages, known.as_ref(), self.limits);
            let (solution, open) = found.ok()?;
            if self.keep(level, &clauses, solution.clone(), open.is_empty()) {
                return Some(true);
            }
            known = Some(solution);
        }
        Some(false)
    }

    /// Keeps a solution; whether it is complete.
    fn keep(
        &mut self,
        level: &Level,
        clauses: &Clauses,
        solution: Solution,
        complete: bool,
    ) -> bool {
        let (level, keys) = (level.clone(), clauses.keys.clone());
        self.best = Some(Found { level, keys, solution, complete });
        complete
    }

    fn told(mut self) -> Option<Formulas> {
        let Found { level, keys, solution, complete } = self.best.take()?;
        let mut at = Vec::new();
        for (key, definition) in keys.iter().zip(&solution.definitions) {
            let (point, args) = self.point(key);
            let formula = definition.apply(self.terms, &args);
            at.push((point, formula));
        }
        Some(Formulas { at, level, complete })
    }

    /// The threads of a key with variables of their own, and those that its relation is about.
    fn point(&mut self, key: &Key) -> (Point, Vec<Term>) {
        let shared = self.system.shared.iter().map(|variable| variable.term).collect();
        let mut point = Point { shared, threads: Default::default() };
        let mut args: Vec<Term> = self.view.shared.iter().map(|var| var.term).collect();
        for (place, &(number, at)) in key.iter().enumerate() {
            let template = &self.system.templates[number];
            let mut own = FxHashMap::default();
            for local in &template.locals {
                let sort = self.terms.sort(local.term);
                own.insert(local.term, self.terms.var(&format!("{}~{place}", local.name), sort));
            }
            let thread = &self.view.threads[number];
            let live = thread.live(at).iter();
            args.extend(live.map(|&local| own[&thread.locals[local].term]));
            let locals = template.locals.iter().map(|local| own[&local.term]).collect();
            let name = Name { template: TemplateId(number as u32), number: place as u32 };
            point.threads.insert(name, Stand { at, locals, result: None });
        }
        (point, args)
    }
}
