//! Witnesses: further threads that may exist, at any location.
//!
//! An inter-thread predicate is false of a thread if some other thread contradicts it. That other
//! thread is what a witness is for; Theorem 3 says how many of them are enough.

use std::collections::BTreeSet;

use selvedge_smt::{Sort, Term};
use selvedge_system::{At, Step, TemplateId};

use super::base::Abstraction;
use super::thread::{Live, Thread};
use super::threads::{Looked, Snapshot};

impl Abstraction {
    /// Adds threads that may exist, at any location.
    pub(super) fn add_witnesses(
        &mut self,
        snapshot: &mut Snapshot,
        looked: &[Looked],
        step: Option<&Step>,
        witnesses: Option<usize>,
        facts: &mut Vec<Term>,
    ) {
        for index in 0..self.system.templates.len() as u32 {
            let template = TemplateId(index);
            let needed = self.needed(template, looked, step);
            let wanted = witnesses.map_or(needed, |most| most.min(needed));
            let pool = self.system.templates[index as usize].pool;
            let there = looked.iter().any(|thread| thread.template == template);
            let count = if pool { wanted } else { wanted.min(usize::from(!there)) };
            for _ in 0..count {
                let thread = self.witness(snapshot, template, step.is_none(), facts);
                snapshot.threads.push(thread);
            }
        }
    }

    /// One more thread. Its variables are named by its number, so that questions have variables, and
    /// with them parts, in common.
    pub(super) fn another(&mut self, snapshot: &Snapshot, template: TemplateId, at: At) -> Thread {
        Thread::another(&mut self.system, &self.vocabulary, template, at, snapshot.threads.len())
    }

    fn witness(
        &mut self,
        snapshot: &Snapshot,
        template: TemplateId,
        first: bool,
        facts: &mut Vec<Term>,
    ) -> Thread {
        let mut thread = self.another(snapshot, template, At::Unstarted);
        let of = &self.system.templates[template.0 as usize];
        let mentioned: Vec<(u32, bool)> = self.mentioned(template).into_iter().collect();
        let places: Vec<At> = if first {
            vec![self.first(template)]
        } else {
            let cuts = (0..of.locations.len() as u32).map(At::Cut);
            cuts.chain([At::Unstarted]).collect()
        };
        let patterns: BTreeSet<Vec<bool>> = places
            .iter()
            .map(|&at| {
                let knows = |&(local, lasting): &(u32, bool)| {
                    self.vocabulary.knows(template, at, local, lasting)
                };
                mentioned.iter().map(knows).collect()
            })
            .chain([vec![false; mentioned.len()]])
            .collect();
        let terms = &mut self.system.terms;
        let number = snapshot.threads.len();
        let bit = |&(local, lasting): &(u32, bool)| {
            let name = format!("live {index} {local} {lasting} {number}", index = template.0);
            terms.var(&name, Sort::Bool)
        };
        let bits: Vec<Term> = mentioned.iter().map(bit).collect();
        let mut cases = Vec::new();
        for pattern in &patterns {
            let literals: Vec<Term> = bits
                .iter()
                .zip(pattern)
                .map(|(&bit, &there)| if there { bit } else { terms.not(bit) })
                .collect();
            cases.push(terms.and(&literals));
        }
        facts.push(terms.or(&cases));
        for (&(local, lasting), &bit) in mentioned.iter().zip(&bits) {
            thread.live[usize::from(lasting)][local as usize] = Live::When(bit);
        }
        thread
    }

    /// How many threads are enough for the template of a step with a passive thread, and the bound of
    /// Theorem 3.
    pub fn saturation(
        &self,
        template: TemplateId,
        step: &Step,
        (passive, at): (TemplateId, At),
    ) -> (usize, usize) {
        let mut looked = self.actors(template, step);
        looked.push(Looked { template: passive, before: at, after: at });
        let templates = (0..self.system.templates.len() as u32).map(TemplateId);
        let witnesses: usize = templates.map(|id| self.needed(id, &looked, Some(step))).sum();
        let inter = self.predicates.iter().filter(|p| p.passive.is_some()).count();
        (looked.len() + witnesses, 2 * looked.len() * inter + looked.len())
    }

    /// Theorem 3: how many witnesses of the template are enough. Each predicate that is false of a
    /// thread, before or after, needs one thread that contradicts it, so two for each predicate and
    /// thread looked at: four for each predicate, with one thread that acts and a passive one. Where
    /// neither the shared variables nor the thread's own locals that the predicate mentions change,
    /// whoever contradicts it before does so after, and one is enough.
    fn needed(&self, template: TemplateId, looked: &[Looked], step: Option<&Step>) -> usize {
        let inter = self.predicates.iter().filter(|p| p.passive == Some(template));
        let count = inter.flat_map(|predicate| {
            looked.iter().enumerate().map(move |(index, thread)| {
                let before = predicate.concerns(&self.vocabulary, thread.template, thread.before);
                let after = predicate.concerns(&self.vocabulary, thread.template, thread.after);
                let Some(step) = step else { return usize::from(before) };
                let changed = predicate.atoms.iter().any(|atom| {
                    let shared = step.shared.iter().any(|(at, _)| atom.shared.contains(at));
                    shared || (index < 1 + step.spawns.len() && !atom.mine.is_empty())
                });
                if changed {
                    usize::from(before) + usize::from(after)
                } else {
                    usize::from(before || after)
                }
            })
        });
        count.sum()
    }

    /// The locals of the template that predicates mention as those of a passive thread, each with
    /// whether the predicate lasts behind the local's last use.
    fn mentioned(&self, template: TemplateId) -> BTreeSet<(u32, bool)> {
        let inter = self.predicates.iter().filter(|p| p.passive == Some(template));
        let pairs = inter.flat_map(|p| p.atoms.iter().map(move |atom| (atom, p.lasting)));
        let locals =
            pairs.flat_map(|(atom, lasting)| atom.others.iter().map(move |&l| (l, lasting)));
        locals.collect()
    }
}
