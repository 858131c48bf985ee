//! Threads in a question to the solver, and predicates of them.

use rustc_hash::FxHashMap;
use selvedge_smt::{Term, Terms};
use selvedge_system::{At, System, TemplateId};

use crate::predicate::{Atom, Predicate, Vocabulary};

/// A thread: the values of its locals, and which of them count.
#[derive(Clone, Debug)]
pub struct Thread {
    pub template: TemplateId,
    pub values: Vec<Term>,
    pub live: Counting,
}

/// Which locals count: for predicates that do not last behind the last use of a local, and for those
/// that do.
pub type Counting = [Vec<Live>; 2];

/// Whether a local has a value that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Live {
    Never,
    Always,
    When(Term),
}

impl Thread {
    /// The thread that the steps of its template speak of.
    pub fn own(system: &System, vocabulary: &Vocabulary, template: TemplateId, at: At) -> Thread {
        let of = &system.templates[template.0 as usize];
        let values = of.locals.iter().map(|local| local.term).collect();
        Thread { template, values, live: Counting::default() }.standing(vocabulary, at)
    }

    /// Another thread of a template, with a number for its variables.
    pub fn another(
        system: &mut System,
        vocabulary: &Vocabulary,
        template: TemplateId,
        at: At,
        number: usize,
    ) -> Thread {
        let System { terms, templates, .. } = system;
        let of = &templates[template.0 as usize];
        let values = of.locals.iter().map(|local| {
            let sort = terms.sort(local.term);
            terms.var(&format!("{} of {number}", local.name), sort)
        });
        let values = values.collect();
        Thread { template, values, live: Counting::default() }.standing(vocabulary, at)
    }

    /// The same thread at another location.
    pub fn standing(self, vocabulary: &Vocabulary, at: At) -> Thread {
        let counts = |local, lasting| match vocabulary.knows(self.template, at, local, lasting) {
            true => Live::Always,
            false => Live::Never,
        };
        let locals = 0..self.values.len() as u32;
        let all = |lasting| locals.clone().map(|local| counts(local, lasting)).collect();
        Thread { live: [all(false), all(true)], ..self }
    }

    /// A formula over the template's locals, said of this thread.
    pub fn say(&self, system: &mut System, formula: Term) -> Term {
        let of = &system.templates[self.template.0 as usize];
        let own = of.locals.iter().map(|local| local.term);
        let by: FxHashMap<Term, Term> = own.zip(self.values.iter().copied()).collect();
        system.terms.substitute(formula, &by)
    }

    /// When all these locals count; none if never.
    fn knows(
        &self,
        terms: &mut Terms,
        locals: impl Iterator<Item = u32>,
        lasting: bool,
    ) -> Option<Term> {
        let mut conditions = Vec::new();
        for local in locals {
            match self.live[usize::from(lasting)][local as usize] {
                Live::Never => return None,
                Live::Always => {}
                Live::When(condition) => conditions.push(condition),
            }
        }
        Some(terms.and(&conditions))
    }
}

/// Equation (3): the predicate of `thread` against all of `others`, in a shared state given by the
/// values of the shared variables.
pub fn predicate_of(
    system: &mut System,
    vocabulary: &Vocabulary,
    predicate: &Predicate,
    thread: Option<&Thread>,
    others: &[&Thread],
    shared: &[Term],
) -> Term {
    let mut parts = Vec::new();
    for atom in &predicate.atoms {
        let mine = match thread {
            Some(thread) => {
                thread.knows(&mut system.terms, atom.mine.iter().copied(), predicate.lasting)
            }
            None => Some(system.terms.bool(true)),
        };
        let Some(mine) = mine else { continue };
        let mut instance = Instance { system, vocabulary, predicate, atom, shared };
        if atom.others.is_empty() {
            parts.push(instance.implied(mine, thread, None));
            continue;
        }
        for other in others.iter().filter(|other| Some(other.template) == predicate.passive) {
            let locals = atom.others.iter().copied();
            let terms = &mut instance.system.terms;
            let Some(theirs) = other.knows(terms, locals, predicate.lasting) else { continue };
            let both = instance.system.terms.and(&[mine, theirs]);
            parts.push(instance.implied(both, thread, Some(other)));
        }
    }
    system.terms.and(&parts)
}

struct Instance<'a> {
    system: &'a mut System,
    vocabulary: &'a Vocabulary,
    predicate: &'a Predicate,
    atom: &'a Atom,
    shared: &'a [Term],
}

impl Instance<'_> {
    /// The atom of the threads, under a condition.
    fn implied(&mut self, condition: Term, mine: Option<&Thread>, other: Option<&Thread>) -> Term {
        let mut by: FxHashMap<Term, Term> = FxHashMap::default();
        for &at in &self.atom.shared {
            by.insert(self.system.shared[at as usize].term, self.shared[at as usize]);
        }
        if let (Some(thread), Some(template)) = (mine, self.predicate.active) {
            for &at in &self.atom.mine {
                let local = &self.system.templates[template.0 as usize].locals[at as usize];
                by.insert(local.term, thread.values[at as usize]);
            }
        }
        if let (Some(thread), Some(template)) = (other, self.predicate.passive) {
            for &at in &self.atom.others {
                let variable = self.vocabulary.others[template.0 as usize][at as usize];
                by.insert(variable, thread.values[at as usize]);
            }
        }
        let said = self.system.terms.substitute(self.atom.term, &by);
        self.system.terms.implies(condition, said)
    }
}
