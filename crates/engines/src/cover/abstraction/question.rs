//! One action of some threads as a question: which truth values can the predicates have before and
//! after it, for the threads that are looked at? (Equations 7 and 12.)
//!
//! A question has the threads that act, the passive threads that are looked at, and *witnesses*:
//! further threads, of which only that they exist is of interest. An inter-thread predicate is false
//! of a thread if some other thread contradicts it; that other thread is what a witness is for.

use std::collections::BTreeSet;

use selvedge_exec::Stop;
use selvedge_smt::{Answer, Limits, Logic, Reason, Solver, Sort, Term};

use super::Abstraction;
use super::thread::{Live, Thread, predicate_of};
use crate::system::{At, End, Step, System, TemplateId};

/// The variables that say which predicates hold.
pub struct Question {
    solver: Solver,
    pub shared: [Vec<Term>; 2],
    /// For each thread looked at, acting ones first: its predicates before and after.
    pub threads: Vec<[Vec<Term>; 2]>,
}

/// Everything at one moment: the threads looked at come first.
struct Moment {
    threads: Vec<Thread>,
    shared: Vec<Term>,
}

/// Where a thread that is looked at stands, before and after.
pub struct Looked {
    pub template: TemplateId,
    pub before: At,
    pub after: At,
}

impl Question {
    /// All ways in which the free variables can be, where the fixed ones are as they are given.
    pub fn solutions(
        &mut self,
        abstraction: &mut Abstraction,
        fixed: &[(Term, bool)],
        free: &[Term],
    ) -> Result<BTreeSet<Vec<bool>>, Stop> {
        let literal = |abstraction: &mut Abstraction, (bit, value): (Term, bool)| {
            if value { bit } else { abstraction.system.terms.not(bit) }
        };
        let assumed: Vec<Term> = fixed.iter().map(|&bit| literal(abstraction, bit)).collect();
        let mut found = BTreeSet::new();
        self.solver.push();
        let outcome = loop {
            abstraction.checks += 1;
            match self.solver.check(&abstraction.system.terms, &assumed) {
                Answer::Unsat(_) => break Ok(found),
                Answer::Unknown(reason) => break Err(abstraction.stop(&reason)),
                Answer::Sat(model) => {
                    let holds = |bit: &Term| model.holds(&abstraction.system.terms, *bit);
                    let values: Vec<bool> = free.iter().map(holds).collect();
                    let differs = free.iter().zip(&values).map(|(&bit, &value)| (bit, !value));
                    let differs: Vec<(Term, bool)> = differs.collect();
                    let other: Vec<Term> =
                        differs.into_iter().map(|bit| literal(abstraction, bit)).collect();
                    let clause = abstraction.system.terms.or(&other);
                    self.solver.assert(&abstraction.system.terms, clause);
                    found.insert(values);
                }
            }
        };
        self.solver.pop();
        outcome
    }
}

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

    /// The question about a step, with passive threads that stand somewhere, and so many witnesses
    /// of each template that a predicate mentions as passive; Theorem 3's number if none is given.
    pub fn question(
        &mut self,
        template: TemplateId,
        step: &Step,
        passives: &[(TemplateId, At)],
        witnesses: Option<usize>,
    ) -> Question {
        let mut looked = self.actors(template, step);
        let acting = looked.len();
        let still = |&(template, at): &(TemplateId, At)| Looked { template, before: at, after: at };
        looked.extend(passives.iter().map(still));
        let mut facts = vec![self.system.ranges, step.guard];
        let mut before = Moment {
            threads: vec![Thread::own(&self.system, &self.vocabulary, template, step.from)],
            shared: self.system.shared.iter().map(|shared| shared.term).collect(),
        };
        for thread in &looked[1..] {
            let new =
                Thread::another(&mut self.system, &self.vocabulary, thread.template, thread.before);
            before.threads.push(new);
        }
        self.add_witnesses(&mut before, &looked, Some(step), witnesses, &mut facts);
        self.add_ranges(&before, &mut facts);
        let after = self.after(&before, step, &looked[..acting], &mut facts);
        self.ask(&before, Some(&after), &looked, &facts)
    }

    /// The question how a thread of the template can be in the beginning.
    pub fn initial_question(&mut self, template: TemplateId) -> Question {
        let at = self.first(template);
        let looked = [Looked { template, before: at, after: at }];
        let mut facts = vec![self.system.ranges, self.system.initial];
        let thread = Thread::another(&mut self.system, &self.vocabulary, template, at);
        let shared = self.system.shared.iter().map(|shared| shared.term).collect();
        let mut moment = Moment { threads: vec![thread], shared };
        self.add_witnesses(&mut moment, &looked, None, None, &mut facts);
        for thread in &moment.threads {
            let of = &self.system.templates[thread.template.0 as usize];
            if of.initial {
                for (at, value) in of.begin.clone() {
                    let value = thread.say(&mut self.system, value);
                    let begins = self.system.terms.eq(thread.values[at as usize], value);
                    facts.push(begins);
                }
            }
        }
        self.add_ranges(&moment, &mut facts);
        self.ask(&moment, None, &looked, &facts)
    }

    /// Where a thread stands in the beginning.
    pub fn first(&self, template: TemplateId) -> At {
        let of = &self.system.templates[template.0 as usize];
        if of.initial { of.entry } else { At::Unstarted }
    }

    /// Ranges of the threads' locals; different threads have different numbers.
    fn add_ranges(&mut self, moment: &Moment, facts: &mut Vec<Term>) {
        let mut numbers = Vec::new();
        for thread in &moment.threads {
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
        before: &Moment,
        step: &Step,
        acting: &[Looked],
        facts: &mut Vec<Term>,
    ) -> Moment {
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
        Moment { threads, shared }
    }

    /// Adds threads of which only that they may exist is known: at any location, or not there.
    fn add_witnesses(
        &mut self,
        moment: &mut Moment,
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
                let thread = self.witness(template, step.is_none(), facts);
                moment.threads.push(thread);
            }
        }
    }

    fn witness(&mut self, template: TemplateId, first: bool, facts: &mut Vec<Term>) -> Thread {
        let mut thread =
            Thread::another(&mut self.system, &self.vocabulary, template, At::Unstarted);
        let of = &self.system.templates[template.0 as usize];
        let mentioned: Vec<u32> = self.mentioned(template).into_iter().collect();
        let places: Vec<At> = if first {
            vec![self.first(template)]
        } else {
            let cuts = (0..of.locations.len() as u32).map(At::Cut);
            cuts.chain([At::Unstarted]).collect()
        };
        let patterns: BTreeSet<Vec<bool>> = places
            .iter()
            .map(|&at| {
                mentioned.iter().map(|&local| self.vocabulary.knows(template, at, local)).collect()
            })
            .chain([vec![false; mentioned.len()]])
            .collect();
        let terms = &mut self.system.terms;
        let bits: Vec<Term> = mentioned.iter().map(|_| terms.fresh("live", Sort::Bool)).collect();
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
        for (&local, &bit) in mentioned.iter().zip(&bits) {
            thread.live[local as usize] = Live::When(bit);
        }
        thread
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

    /// The locals of the template that predicates mention as those of a passive thread.
    pub fn mentioned(&self, template: TemplateId) -> BTreeSet<u32> {
        let inter = self.predicates.iter().filter(|p| p.passive == Some(template));
        inter.flat_map(|p| &p.atoms).flat_map(|atom| atom.others.iter().copied()).collect()
    }

    /// Whether a predicate mentions the local, of the active thread or of a passive one.
    pub fn mentions(&self, template: TemplateId, local: u32) -> bool {
        self.predicates.iter().any(|predicate| {
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

    fn ask(
        &mut self,
        before: &Moment,
        after: Option<&Moment>,
        looked: &[Looked],
        facts: &[Term],
    ) -> Question {
        let mut solver = Solver::new(Logic::All, self.solver_limits());
        for &fact in facts {
            solver.assert(&self.system.terms, fact);
        }
        let moments = [Some(before), after];
        let mut bits = Bits { solver: &mut solver, known: Vec::new() };
        let shared = moments.map(|moment| {
            let Some(moment) = moment else { return Vec::new() };
            self.shared_predicates(moment, &mut bits)
        });
        let mut threads = Vec::new();
        for (index, thread) in looked.iter().enumerate() {
            let places = [thread.before, thread.after];
            let mut both = [Vec::new(), Vec::new()];
            for (number, moment) in moments.iter().enumerate() {
                if let Some(moment) = moment {
                    let at = places[number];
                    both[number] = self.thread_predicates(moment, index, at, &mut bits);
                }
            }
            threads.push(both);
        }
        Question { solver, shared, threads }
    }

    fn shared_predicates(&mut self, moment: &Moment, bits: &mut Bits) -> Vec<Term> {
        let all: Vec<_> = self.predicates.iter().filter(|p| p.is_shared()).cloned().collect();
        let Abstraction { system, vocabulary, .. } = self;
        let said = all.iter().map(|predicate| {
            let formula = predicate_of(system, vocabulary, predicate, None, &[], &moment.shared);
            bits.named(system, formula)
        });
        said.collect()
    }

    fn thread_predicates(
        &mut self,
        moment: &Moment,
        index: usize,
        at: At,
        bits: &mut Bits,
    ) -> Vec<Term> {
        let thread = &moment.threads[index];
        let others: Vec<&Thread> = moment
            .threads
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index)
            .map(|(_, other)| other)
            .collect();
        let concerning = self.concerning(thread.template, at);
        let Abstraction { system, vocabulary, predicates, .. } = self;
        let said = concerning.into_iter().map(|which| {
            let predicate = &predicates[which];
            let formula =
                predicate_of(system, vocabulary, predicate, Some(thread), &others, &moment.shared);
            bits.named(system, formula)
        });
        said.collect()
    }

    fn solver_limits(&self) -> Limits {
        self.deadline.map_or_else(Limits::none, Limits::until)
    }

    fn stop(&self, reason: &Reason) -> Stop {
        match (reason, self.time) {
            (Reason::Time, Some(limit)) => Stop::Time { limit },
            _ => Stop::Bound { what: reason.to_string() },
        }
    }
}

/// Variables that stand for formulas. One formula has one variable: a predicate that an action does
/// not touch has the same before and after.
struct Bits<'a> {
    solver: &'a mut Solver,
    known: Vec<(Term, Term)>,
}

impl Bits<'_> {
    fn named(&mut self, system: &mut System, formula: Term) -> Term {
        if let Some((_, bit)) = self.known.iter().find(|(known, _)| *known == formula) {
            return *bit;
        }
        let bit = system.terms.fresh("bit", Sort::Bool);
        let defined = system.terms.eq(bit, formula);
        self.solver.assert(&system.terms, defined);
        self.known.push((formula, bit));
        bit
    }
}
