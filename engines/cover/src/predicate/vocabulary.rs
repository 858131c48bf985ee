//! The variables that predicates speak of, and where threads have values for them.

use std::collections::BTreeSet;

use selvedge_smt::Term;
use selvedge_system::{At, System, TemplateId};

use super::known::Known;

/// What predicates can speak of.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    /// The variables that stand for the locals of a passive thread, by template, by position.
    pub others: Vec<Vec<Term>>,
    known: Vec<Known>,
    /// By template, the locals that are no variables of the source. What they hold is used once.
    temporary: Vec<BTreeSet<u32>>,
}

impl Vocabulary {
    pub fn new(system: &mut System) -> Vocabulary {
        let known = system.templates.iter().map(Known::of).collect();
        let System { terms, templates, .. } = system;
        let mut other = |term: Term, name: &str| {
            let sort = terms.sort(term);
            terms.var(&format!("other({name})"), sort)
        };
        let mut others = Vec::new();
        for template in templates {
            others.push(template.locals.iter().map(|l| other(l.term, &l.name)).collect());
        }
        let temporary = vec![BTreeSet::new(); others.len()];
        Vocabulary { others, known, temporary }
    }

    /// Says of locals that they are no variables of the source.
    pub fn mark_temporary(&mut self, template: TemplateId, locals: BTreeSet<u32>) {
        self.temporary[template.index()] = locals;
    }

    pub fn is_temporary(&self, template: TemplateId, local: u32) -> bool {
        self.temporary[template.index()].contains(&local)
    }

    /// Whether a thread of the template has a value for a local where it stands, for predicates that
    /// last behind the local's last use, or for those that do not.
    pub fn knows(&self, template: TemplateId, at: At, local: u32, lasting: bool) -> bool {
        self.known[template.0 as usize].at(at, local, lasting)
    }
}
