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
use selvedge_smt::{Answer, Limits, Logic, Reason, Solver, Sort, Term, Terms};

use super::Abstraction;
use super::parts::{Answers, Given, Known, PartId, Parts};
use super::thread::{Live, Thread, predicate_of};
use selvedge_system::{At, End, Step, System, TemplateId};

/// The variables that say which predicates hold.
pub struct Question {
    facts: Vec<Term>,
    solver: Option<Solver>,
    parts: Parts,
    numbers: FxHashMap<Term, PartId>,
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
        // What an action does not touch is as it was, and needs no search.
        let known: FxHashMap<Term, bool> = fixed.iter().copied().collect();
        let open: Vec<Term> = free.iter().copied().filter(|bit| !known.contains_key(bit)).collect();
        // What is found out about one part must not come from another that cannot be.
        if !self.is_possible(abstraction)? {
            return Ok(BTreeSet::new());
        }
        let mut found = vec![known];
        for (root, given) in self.parts.split(fixed, &open) {
            let bits = given.open.clone();
            let values = self.part(abstraction, root, given)?;
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

    /// Whether every part can be, as long as no truth values are given.
    fn is_possible(&mut self, abstraction: &mut Abstraction) -> Result<bool, Stop> {
        let absurd = abstraction.system.terms.bool(false);
        if self.facts.contains(&absurd) {
            return Ok(false);
        }
        if self.numbers.values().all(|number| abstraction.known.possible.contains(number)) {
            return Ok(true);
        }
        let possible = !self.enumerate(abstraction, &Given::default())?.is_empty();
        if possible {
            abstraction.known.possible.extend(self.numbers.values().copied());
        }
        Ok(possible)
    }

    /// The solutions of one part.
    fn part(
        &mut self,
        abstraction: &mut Abstraction,
        root: Term,
        given: Given,
    ) -> Result<Answers, Stop> {
        let key = (self.numbers[&root], given);
        if let Some(known) = abstraction.known.answers.get(&key) {
            return Ok(known.clone());
        }
        let found = Rc::new(self.enumerate(abstraction, &key.1)?);
        abstraction.known.answers.insert(key, found.clone());
        Ok(found)
    }

    /// The solver is made when it is needed: often all parts are known.
    fn solver(&mut self, abstraction: &Abstraction) -> &mut Solver {
        self.solver.get_or_insert_with(|| {
            let mut solver = Solver::new(Logic::All, abstraction.solver_limits());
            for &fact in &self.facts {
                solver.assert(&abstraction.system.terms, fact);
            }
            solver
        })
    }

    fn enumerate(
        &mut self,
        abstraction: &mut Abstraction,
        given: &Given,
    ) -> Result<Vec<Vec<bool>>, Stop> {
        self.solver(abstraction).push();
        let found = self.enumerate_all(abstraction, given);
        self.solver(abstraction).pop();
        found
    }

    fn enumerate_all(
        &mut self,
        abstraction: &mut Abstraction,
        given: &Given,
    ) -> Result<Vec<Vec<bool>>, Stop> {
        let literal = |terms: &mut Terms, bit, value| if value { bit } else { terms.not(bit) };
        let terms = &mut abstraction.system.terms;
        let fixed = given.fixed.iter();
        let assumed: Vec<Term> = fixed.map(|&(bit, value)| literal(terms, bit, value)).collect();
        let mut found = Vec::new();
        loop {
            abstraction.checks += 1;
            let solver = self.solver(abstraction);
            let terms = &mut abstraction.system.terms;
            match solver.check(terms, &assumed) {
                Answer::Unsat(_) => return Ok(found),
                Answer::Unknown(reason) => return Err(abstraction.stop(&reason)),
                Answer::Sat(model) => {
                    let values: Vec<bool> =
                        given.open.iter().map(|bit| model.holds(terms, *bit)).collect();
                    let differs = given.open.iter().zip(&values);
                    let differs: Vec<Term> =
                        differs.map(|(&bit, &value)| literal(terms, bit, !value)).collect();
                    found.push(values);
                    if differs.is_empty() {
                        return Ok(found);
                    }
                    let clause = terms.or(&differs);
                    solver.assert(terms, clause);
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
        let places: Vec<_> = looked.iter().map(|look| (look.template, look.before)).collect();
        facts.extend(self.counted(&places));
        let mut before = Moment {
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

    /// The question how a thread of the template can be in the beginning.
    pub fn initial_question(&mut self, template: TemplateId) -> Question {
        let at = self.first(template);
        let looked = [Looked { template, before: at, after: at }];
        let mut facts = vec![self.system.ranges, self.system.initial];
        let shared = self.system.shared.iter().map(|shared| shared.term).collect();
        let mut moment = Moment { threads: Vec::new(), shared };
        let thread = self.another(&moment, template, at);
        moment.threads.push(thread);
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
                let thread = self.witness(moment, template, step.is_none(), facts);
                moment.threads.push(thread);
            }
        }
    }

    /// One more thread of a template than there are. Questions have variables in common, so that they
    /// have parts in common.
    fn another(&mut self, moment: &Moment, template: TemplateId, at: At) -> Thread {
        Thread::another(&mut self.system, &self.vocabulary, template, at, moment.threads.len())
    }

    fn witness(
        &mut self,
        moment: &Moment,
        template: TemplateId,
        first: bool,
        facts: &mut Vec<Term>,
    ) -> Thread {
        let mut thread = self.another(moment, template, At::Unstarted);
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
        let number = moment.threads.len();
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

    /// How many threads are enough for the template of a step with a passive thread, and how many they
    /// are by Theorem 3.
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
        let moments = [Some(before), after];
        let mut bits = Bits::default();
        facts.iter().for_each(|&fact| bits.assert(&self.system.terms, fact));
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
        let Bits { facts, parts, .. } = bits;
        let numbers = parts.numbered(&mut self.known);
        Question { facts, solver: None, parts, numbers, shared, threads }
    }

    fn shared_predicates(&mut self, moment: &Moment, bits: &mut Bits) -> Vec<Term> {
        let all: Vec<_> = self.predicates.iter().filter(|p| p.is_shared()).cloned().collect();
        let Abstraction { system, vocabulary, known, .. } = self;
        let said = all.iter().map(|predicate| {
            let formula = predicate_of(system, vocabulary, predicate, None, &[], &moment.shared);
            bits.named(known, system, formula)
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
        let Abstraction { system, vocabulary, predicates, known, .. } = self;
        let said = concerning.into_iter().map(|which| {
            let predicate = &predicates[which];
            let formula =
                predicate_of(system, vocabulary, predicate, Some(thread), &others, &moment.shared);
            bits.named(known, system, formula)
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
