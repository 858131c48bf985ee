//! A system, and the predicates that it is seen through.

use std::rc::Rc;

use selvedge_clauses::Counts;
use selvedge_smt::Term;
use selvedge_system::{At, End, Step, System, TemplateId};

use super::meetings::Meeting;
use super::parts::Known;
use crate::predicate::{Predicate, Vocabulary};
use crate::watch::Watch;

/// A system, and the predicates that it is seen through.
pub struct Abstraction {
    pub system: System,
    pub vocabulary: Vocabulary,
    pub predicates: Vec<Predicate>,
    /// The races that are looked for.
    pub meetings: Vec<Meeting>,
    /// What variables say about numbers of threads, where that is used.
    pub counts: Option<Rc<Counts>>,
    /// For the log: where predicates and facts come from.
    pub notes: Vec<String>,
    /// Questions that the solver was asked.
    pub questions: u64,
    pub watch: Watch,
    pub(super) known: Known,
}

impl Abstraction {
    pub fn new(mut system: System, watch: Watch) -> Abstraction {
        let vocabulary = Vocabulary::new(&mut system);
        Abstraction {
            system,
            vocabulary,
            predicates: Vec::new(),
            meetings: Vec::new(),
            counts: None,
            notes: Vec::new(),
            questions: 0,
            watch,
            known: Known::default(),
        }
    }

    /// Adds the predicates that are not superfluous beside those that are there.
    pub fn add(&mut self, new: Vec<Predicate>) {
        for predicate in new {
            if !self.predicates.iter().any(|known| known.includes(&predicate)) {
                self.predicates.retain(|known| !predicate.includes(known));
                self.predicates.push(predicate);
            }
        }
    }

    /// What the numbers of threads say of the shared variables when threads stand there.
    pub fn counted(&mut self, threads: &[(TemplateId, At)]) -> Vec<Term> {
        let Some(counts) = self.counts.clone() else { return Vec::new() };
        let threads: Vec<(usize, At)> = threads.iter().map(|&(id, at)| (id.index(), at)).collect();
        counts.instance(&mut self.system.terms, &threads)
    }

    /// Where a thread stands in the beginning.
    pub fn first(&self, template: TemplateId) -> At {
        let of = &self.system.templates[template.0 as usize];
        if of.initial { of.entry } else { At::Unstarted }
    }

    /// Whether the local is mentioned, as that of the active thread or of a passive one, by a
    /// predicate that lasts, or by one that does not.
    pub fn mentions(&self, template: TemplateId, local: u32, lasting: bool) -> bool {
        self.predicates.iter().filter(|p| p.lasting == lasting).any(|predicate| {
            predicate.atoms.iter().any(|atom| {
                let mine = predicate.active == Some(template) && atom.mine.contains(&local);
                mine || (predicate.passive == Some(template) && atom.others.contains(&local))
            })
        })
    }

    /// The predicates that a thread has a value for where it stands.
    pub fn concerning(&self, template: TemplateId, at: At) -> Vec<usize> {
        let concerns =
            |index: &usize| self.predicates[*index].concerns(&self.vocabulary, template, at);
        (0..self.predicates.len()).filter(concerns).collect()
    }

    /// The meeting that a number beyond those of the template's steps stands for.
    pub fn meeting(&self, template: TemplateId, number: usize) -> Option<&Meeting> {
        let steps = self.system.templates[template.index()].steps.len();
        self.meetings.get(number.checked_sub(steps)?)
    }

    /// The meetings as steps, with their numbers.
    pub fn meeting_steps(&self) -> impl Iterator<Item = ((TemplateId, usize), Rc<Step>)> {
        self.meetings.iter().enumerate().map(|(index, meeting)| {
            let steps = self.system.templates[meeting.first().index()].steps.len();
            ((meeting.first(), steps + index), meeting.step.clone())
        })
    }

    /// How a step or a meeting ends.
    pub fn end(&self, template: TemplateId, number: usize) -> &End {
        match self.meeting(template, number) {
            Some(meeting) => &meeting.step.end,
            None => &self.system.templates[template.index()].steps[number].end,
        }
    }
}
