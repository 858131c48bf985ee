//! Builds questions: about a step of some threads, and about the initial states.
//!
//! A question has the threads that act, the passive threads that are looked at, and *witnesses*:
//! further threads that may exist ([`witness`](super::witness)).

use std::collections::BTreeSet;

use selvedge_smt::{Term, Terms};
use selvedge_system::{At, End, Step, System, TemplateId};

use super::base::Abstraction;
use super::parts::{Known, Parts};
use super::question::Question;
use super::thread::{Thread, predicate_of};
use super::threads::{Looked, Snapshot};

impl Abstraction {
    /// The threads that act in a step: the one that moves, and those it starts.
    pub fn actors(&self, template: TemplateId, step: &Step) -> Vec<Looked> {
        let after = match step.end {
            End::To(at) => at,
            End::Bad(_) => step.from,
        };
        let mut actors = vec![Looked { template, before: step.from, after }];
        for spawn in &step.spawns {
            let entry = self.system.templates[spawn.template.0 as usize].entry;
            actors.push(Looked { template: spawn.template, before: At::Unstarted, after: entry });
        }
        actors
    }

    /// The question about a step of these threads, with passive threads that stand somewhere, and so many witnesses
    /// of each template that a predicate mentions as passive; Theorem 3's number if none is given.
    pub fn question(
        &mut self,
        actors: &[Looked],
        step: &Step,
        passives: &[(TemplateId, At)],
        witnesses: Option<usize>,
    ) -> Question {
        let mut looked = actors.to_vec();
        let (acting, template) = (looked.len(), looked[0].template);
        let still = |&(template, at): &(TemplateId, At)| Looked { template, before: at, after: at };
        looked.extend(passives.iter().map(still));
        let mut facts = vec![self.system.ranges, step.guard];
        let places: Vec<_> = looked.iter().map(|look| (look.template, look.before)).collect();
        facts.extend(self.counted(&places));
        let mut before = Snapshot {
            threads: vec![Thread::own(&self.system, &self.vocabulary, template, step.from)],
            shared: self.system.shared.iter().map(|shared| shared.term).collect(),
        };
        for thread in &looked[1..] {
            let new = self.another(&before, thread.template, thread.before);
            before.threads.push(new);
        }
        self.add_witnesses(&mut before, &looked, Some(step), witnesses, &mut facts);
        self.add_ranges(&before, &mut facts);
        let after = self.after(&before, step, &looked[..acting], &mut facts);
        self.ask(&before, Some(&after), &looked, &facts)
    }

    /// The question which truth values a thread of the template can have initially.
    pub fn initial_question(&mut self, template: TemplateId) -> Question {
        let at = self.first(template);
        let looked = [Looked { template, before: at, after: at }];
        let mut facts = vec![self.system.ranges, self.system.initial];
        let shared = self.system.shared.iter().map(|shared| shared.term).collect();
        let mut snapshot = Snapshot { threads: Vec::new(), shared };
        let thread = self.another(&snapshot, template, at);
        snapshot.threads.push(thread);
        self.add_witnesses(&mut snapshot, &looked, None, None, &mut facts);
        for thread in &snapshot.threads {
            let of = &self.system.templates[thread.template.0 as usize];
            if of.initial {
                for (at, value) in of.begin.clone() {
                    let value = thread.say(&mut self.system, value);
                    let begins = self.system.terms.eq(thread.values[at as usize], value);
                    facts.push(begins);
                }
            }
        }
        self.add_ranges(&snapshot, &mut facts);
        self.ask(&snapshot, None, &looked, &facts)
    }

    /// Ranges of the threads' locals; different threads have different numbers.
    fn add_ranges(&mut self, snapshot: &Snapshot, facts: &mut Vec<Term>) {
        let mut numbers = Vec::new();
        for thread in &snapshot.threads {
            let of = &self.system.templates[thread.template.0 as usize];
            let (ranges, tid) = (of.ranges, of.tid);
            facts.push(thread.say(&mut self.system, ranges));
            let number = thread.say(&mut self.system, tid);
            for &other in &numbers {
                let different = self.system.terms.ne(number, other);
                facts.push(different);
            }
            numbers.push(number);
        }
    }

    fn after(
        &mut self,
        before: &Snapshot,
        step: &Step,
        acting: &[Looked],
        facts: &mut Vec<Term>,
    ) -> Snapshot {
        let mut threads = before.threads.clone();
        let mut shared = before.shared.clone();
        for &(at, value) in &step.shared {
            shared[at as usize] = value;
        }
        for &(at, value) in &step.locals {
            threads[0].values[at as usize] = value;
        }
        for (index, spawn) in step.spawns.iter().enumerate() {
            let tid = self.system.templates[spawn.template.0 as usize].tid;
            let number = threads[index + 1].say(&mut self.system, tid);
            facts.push(self.system.terms.eq(number, spawn.tid));
            for &(at, value) in &spawn.args {
                threads[index + 1].values[at as usize] = value;
            }
        }
        for (thread, actor) in threads.iter_mut().zip(acting) {
            *thread = thread.clone().standing(&self.vocabulary, actor.after);
        }
        Snapshot { threads, shared }
    }

    fn ask(
        &mut self,
        before: &Snapshot,
        after: Option<&Snapshot>,
        looked: &[Looked],
        facts: &[Term],
    ) -> Question {
        let snapshots = [Some(before), after];
        let mut bits = Bits::default();
        facts.iter().for_each(|&fact| bits.assert(&self.system.terms, fact));
        let shared = snapshots.map(|snapshot| {
            let Some(snapshot) = snapshot else { return Vec::new() };
            self.shared_predicates(snapshot, &mut bits)
        });
        let mut threads = Vec::new();
        for (index, thread) in looked.iter().enumerate() {
            let places = [thread.before, thread.after];
            let mut both = [Vec::new(), Vec::new()];
            for (number, snapshot) in snapshots.iter().enumerate() {
                if let Some(snapshot) = snapshot {
                    let at = places[number];
                    both[number] = self.thread_predicates(snapshot, index, at, &mut bits);
                }
            }
            threads.push(both);
        }
        let Bits { facts, parts, .. } = bits;
        Question::new(&mut self.known, facts, parts, shared, threads)
    }

    fn shared_predicates(&mut self, snapshot: &Snapshot, bits: &mut Bits) -> Vec<Term> {
        let all: Vec<_> = self.predicates.iter().filter(|p| p.is_shared()).cloned().collect();
        let Abstraction { system, vocabulary, known, .. } = self;
        let said = all.iter().map(|predicate| {
            let formula = predicate_of(system, vocabulary, predicate, None, &[], &snapshot.shared);
            bits.named(known, system, formula)
        });
        said.collect()
    }

    fn thread_predicates(
        &mut self,
        snapshot: &Snapshot,
        index: usize,
        at: At,
        bits: &mut Bits,
    ) -> Vec<Term> {
        let thread = &snapshot.threads[index];
        let others: Vec<&Thread> = snapshot
            .threads
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index)
            .map(|(_, other)| other)
            .collect();
        let concerning = self.concerning(thread.template, at);
        let Abstraction { system, vocabulary, predicates, known, .. } = self;
        let said = concerning.into_iter().map(|which| {
            let predicate = &predicates[which];
            let formula = predicate_of(
                system,
                vocabulary,
                predicate,
                Some(thread),
                &others,
                &snapshot.shared,
            );
            bits.named(known, system, formula)
        });
        said.collect()
    }
}

/// What is asserted, with variables that stand for formulas. One formula has one variable: a
/// predicate that an action does not touch has the same before and after.
#[derive(Default)]
struct Bits {
    facts: Vec<Term>,
    parts: Parts,
    defined: BTreeSet<Term>,
}

impl Bits {
    fn assert(&mut self, terms: &Terms, fact: Term) {
        self.facts.push(fact);
        self.parts.add(terms, fact);
    }

    fn named(&mut self, known: &mut Known, system: &mut System, formula: Term) -> Term {
        let bit = known.bit(&mut system.terms, formula);
        if self.defined.insert(bit) {
            let defined = system.terms.eq(bit, formula);
            self.assert(&system.terms, defined);
        }
        bit
    }
}
