//! Predicates: formulas over the shared state, the active thread and a passive one.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use selvedge_smt::Term;
use selvedge_system::{At, Infix, System, TemplateId};

use super::vocabulary::Vocabulary;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// For people.
    pub text: String,
    pub atoms: Vec<Atom>,
    /// Whose locals it mentions as those of the active thread.
    pub active: Option<TemplateId>,
    /// Whose locals it mentions as those of a passive thread: then it is an inter-thread predicate.
    pub passive: Option<TemplateId>,
    /// Whether it is kept where the values of its locals are not used any more. That is rarely needed,
    /// and every predicate that is kept at a location may double the local states there.
    pub lasting: bool,
}

/// A formula, with the positions of the locals that it mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    pub term: Term,
    pub mine: BTreeSet<u32>,
    pub others: BTreeSet<u32>,
    /// Positions of shared variables.
    pub shared: BTreeSet<u32>,
}

impl Predicate {
    /// Whether it speaks of these variables alone.
    pub fn speaks_of(&self, system: &System, variables: &FxHashSet<Term>) -> bool {
        let atoms: Vec<Term> = self.atoms.iter().map(|atom| atom.term).collect();
        system.terms.variables(&atoms).iter().all(|variable| variables.contains(variable))
    }

    /// A formula as a predicate, if it mentions only the shared state, one thread as the active and
    /// one as a passive one.
    pub fn new(system: &System, vocabulary: &Vocabulary, formula: Term) -> Option<Predicate> {
        let mut predicate = Predicate {
            text: String::new(),
            atoms: Vec::new(),
            active: None,
            passive: None,
            lasting: true,
        };
        for term in system.terms.conjuncts(&[formula]) {
            let mut atom = Atom {
                term,
                mine: BTreeSet::new(),
                others: BTreeSet::new(),
                shared: BTreeSet::new(),
            };
            for variable in system.terms.variables(&[term]) {
                predicate.mention(system, vocabulary, variable, &mut atom)?;
            }
            predicate.atoms.push(atom);
        }
        let text = Infix { terms: &system.terms, term: formula }.to_string();
        predicate.text = text.replace("other(", "\\other(");
        Some(predicate)
    }

    fn mention(
        &mut self,
        system: &System,
        vocabulary: &Vocabulary,
        variable: Term,
        atom: &mut Atom,
    ) -> Option<()> {
        let position = |mut list: &mut dyn Iterator<Item = Term>| {
            Iterator::position(&mut list, |term| term == variable).map(|at| at as u32)
        };
        if let Some(at) = position(&mut system.shared.iter().map(|shared| shared.term)) {
            atom.shared.insert(at);
            return Some(());
        }
        for (index, template) in system.templates.iter().enumerate() {
            let id = Some(TemplateId(index as u32));
            if let Some(at) = position(&mut template.locals.iter().map(|local| local.term)) {
                atom.mine.insert(at);
                return (*self.active.get_or_insert(TemplateId(index as u32)) == id?).then_some(());
            }
            if let Some(at) = position(&mut vocabulary.others[index].iter().copied()) {
                atom.others.insert(at);
                return (*self.passive.get_or_insert(TemplateId(index as u32)) == id?)
                    .then_some(());
            }
        }
        None
    }

    /// Whether the other predicate is superfluous beside this one.
    pub fn includes(&self, other: &Predicate) -> bool {
        self.atoms == other.atoms && (self.lasting || !other.lasting)
    }

    /// The same predicate, where it is worth having: only as long as its locals are used, if all of
    /// them are temporaries.
    pub fn scoped(self, vocabulary: &Vocabulary) -> Predicate {
        let named = |of: Option<TemplateId>, local: &u32| {
            !of.is_some_and(|template| vocabulary.is_temporary(template, *local))
        };
        let lasting = self.is_shared()
            || self.atoms.iter().any(|atom| {
                atom.mine.iter().any(|local| named(self.active, local))
                    || atom.others.iter().any(|local| named(self.passive, local))
            });
        Predicate { lasting, ..self }
    }

    pub fn is_shared(&self) -> bool {
        self.active.is_none() && self.passive.is_none()
    }

    /// Whether a thread of the template has a truth value for it there: it must know all locals of
    /// some atom.
    pub fn concerns(&self, vocabulary: &Vocabulary, template: TemplateId, at: At) -> bool {
        if self.is_shared() || self.active.is_some_and(|active| active != template) {
            return false;
        }
        let known = |local: &u32| vocabulary.knows(template, at, *local, self.lasting);
        self.atoms.iter().any(|atom| atom.mine.iter().all(known))
    }
}
