//! One action of some threads as a question: which truth values can the predicates have before and
//! after it, for the threads that are looked at? (Equations 7 and 12.)
//!
//! A question has the threads that act, the passive threads that are looked at, and *witnesses*:
//! further threads, of which only that they exist is of interest. An inter-thread predicate is false
//! of a thread if some other thread contradicts it; that other thread is what a witness is for.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use selvedge_exec::Stop;
use selvedge_smt::{Answer, Limits, Logic, Reason, Solver, Sort, Term};

use super::Abstraction;
use super::parts::{Given, Parts};
use super::thread::{Live, Thread, predicate_of};
use crate::system::{At, End, Step, System, TemplateId};

/// The variables that say which predicates hold.
pub struct Question {
    solver: Solver,
    parts: Parts,
    /// Parts that were asked about.
    known: FxHashMap<Given, Answers>,
    pub shared: [Vec<Term>; 2],
    /// For each thread looked at, acting ones first: its predicates before and after.
    pub threads: Vec<[Vec<Term>; 2]>,
}

/// The values that the variables asked for can have together.
type Answers = Rc<Vec<Vec<bool>>>;

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
        // What an action does not touch is as it was, and needs no search.
        let known: FxHashMap<Term, bool> = fixed.iter().copied().collect();
        let open: Vec<Term> = free.iter().copied().filter(|bit| !known.contains_key(bit)).collect();
        // All parts can be, as long as nothing is said of them.
        let mut found = match self.part(abstraction, Given::default())?.is_empty() {
            true => Vec::new(),
            false => vec![known],
        };
        for (_, given) in self.parts.split(fixed, &open) {
            let bits = given.open.clone();
            let values = self.part(abstraction, given)?;
            let longer = found.iter().flat_map(|one| {
                values.iter().map(|more| {
                    let mut one = one.clone();
                    one.extend(bits.iter().copied().zip(more.iter().copied()));
                    one
                })
            });
            found = longer.collect();
        }
        let row = |one: FxHashMap<Term, bool>| free.iter().map(|bit| one[bit]).collect();
        Ok(found.into_iter().map(row).collect())
    }

    /// Of what is given, what has to do with these variables.
    pub fn about(&self, bits: &[Term], mut fixed: Vec<(Term, bool)>) -> Vec<(Term, bool)> {
        let parts: BTreeSet<Term> = bits.iter().map(|bit| self.parts.of(*bit)).collect();
        fixed.retain(|(bit, _)| parts.contains(&self.parts.of(*bit)));
        fixed
    }

    /// The solutions of one part.
    fn part(&mut self, abstraction: &mut Abstraction, given: Given) -> Result<Answers, Stop> {
        if let Some(known) = self.known.get(&given) {
            return Ok(known.clone());
        }
        self.solver.push();
        let found = self.enumerate(abstraction, &given);
        self.solver.pop();
        let found = Rc::new(found?);
        self.known.insert(given, found.clone());
        Ok(found)
    }

    fn enumerate(
        &mut self,
        abstraction: &mut Abstraction,
        given: &Given,
    ) -> Result<Vec<Vec<bool>>, Stop> {
        let terms = &mut abstraction.system.terms;
        let mut literal = |(bit, value)| if value { bit } else { terms.not(bit) };
        let assumed: Vec<Term> = given.fixed.iter().copied().map(&mut literal).collect();
        let mut found = Vec::new();
        loop {
            abstraction.checks += 1;
            let terms = &mut abstraction.system.terms;
            match self.solver.check(terms, &assumed) {
                Answer::Unsat(_) => return Ok(found),
                Answer::Unknown(reason) => return Err(abstraction.stop(&reason)),
                Answer::Sat(model) => {
                    let values: Vec<bool> =
                        given.open.iter().map(|bit| model.holds(terms, *bit)).collect();
                    let pairs = given.open.iter().zip(&values);
                    let pairs: Vec<(Term, bool)> =
                        pairs.map(|(&bit, &value)| (bit, value)).collect();
                    found.push(values);
                    if pairs.is_empty() {
                        return Ok(found);
                    }
                    let differs: Vec<Term> = pairs
                        .into_iter()
                        .map(|(bit, value)| if value { terms.not(bit) } else { bit })
                        .collect();
                    let clause = terms.or(&differs);
                    self.solver.assert(terms, clause);
                }
            }
        }
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
        for (&(local, lasting), &bit) in mentioned.iter().zip(&bits) {
            thread.live[usize::from(lasting)][local as usize] = Live::When(bit);
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

    /// The locals of the template that predicates mention as those of a passive thread, with whether
    /// these last.
    fn mentioned(&self, template: TemplateId) -> BTreeSet<(u32, bool)> {
        let inter = self.predicates.iter().filter(|p| p.passive == Some(template));
        let pairs = inter.flat_map(|p| p.atoms.iter().map(move |atom| (atom, p.lasting)));
        let locals =
            pairs.flat_map(|(atom, lasting)| atom.others.iter().map(move |&l| (l, lasting)));
        locals.collect()
    }

    /// Whether a predicate that lasts, or one that does not, mentions the local, of the active thread
    /// or of a passive one.
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

    fn ask(
        &mut self,
        before: &Moment,
        after: Option<&Moment>,
        looked: &[Looked],
        facts: &[Term],
    ) -> Question {
        let mut solver = Solver::new(Logic::All, self.solver_limits());
        let mut parts = Parts::default();
        for &fact in facts {
            solver.assert(&self.system.terms, fact);
            parts.add(&self.system.terms, fact);
        }
        let moments = [Some(before), after];
        let mut bits = Bits { solver: &mut solver, parts: &mut parts, known: Vec::new() };
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
        Question { solver, parts, known: FxHashMap::default(), shared, threads }
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
    parts: &'a mut Parts,
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
        self.parts.add(&system.terms, defined);
        self.known.push((formula, bit));
        bit
    }
}
