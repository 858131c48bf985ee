//! Whether predicates refute a run, seen as the abstraction sees it.
//!
//! For each point along the moves of a run, this computes which predicates certainly hold and which
//! certainly do not: of the shared state and the acting threads from what was known of them alone, of
//! a passive thread from that and what was known of it. What was known of a thread in the sink is
//! lost. That an inter-thread predicate does not hold says nothing here: some thread contradicts it,
//! but there are more threads than those of the run. If a move contradicts what is known before it,
//! the abstraction with these predicates does not have the run.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;
use selvedge_smt::{Answer, Limits, Logic, Solver, Term};
use selvedge_system::concretize::{Name, Point, Run};
use selvedge_system::{At, TemplateId};

use crate::abstraction::Abstraction;
use crate::abstraction::thread::{Counting, Thread, predicate_of};
use crate::predicate::Predicate;
use crate::story::Story;
use crate::watch::QUESTION;

/// Something known at a point.
#[derive(Clone, Copy, Debug)]
struct Fact {
    /// Over the variables of the point.
    formula: Term,
    /// Which predicate it says to hold, or not to hold.
    predicate: usize,
}

/// What is known at a point.
#[derive(Clone, Debug, Default)]
struct Knowledge {
    shared: Vec<Fact>,
    threads: BTreeMap<Name, Vec<Fact>>,
}

/// A predicate at a point.
struct Said {
    formula: Term,
    predicate: usize,
    /// Of all other threads.
    of_all: bool,
}

/// What was known of the shared state, or of a thread.
type Of = Option<Name>;

/// Facts before a move that contradict it, seen together with a thread.
struct Contradicted {
    of: Of,
    facts: Vec<(Of, Fact)>,
}

/// How far the run can be followed.
struct Walked {
    /// What is known at each point that is reached.
    known: Vec<Knowledge>,
    /// What the next move contradicts, if it is refuted.
    contradicted: Option<Contradicted>,
}

/// A run that is asked about again and again: a solver for the beginning and for each move.
pub struct Path<'a> {
    run: &'a Run,
    story: &'a Story,
    solvers: Vec<Solver>,
}

impl<'a> Path<'a> {
    pub fn new(
        abstraction: &mut Abstraction,
        run: &'a Run,
        story: &'a Story,
        limits: &Limits,
    ) -> Path<'a> {
        let mut solvers = Vec::new();
        let facts: Vec<Term> = [run.beginning].iter().chain(&run.parts).copied().collect();
        for (position, fact) in facts.into_iter().enumerate() {
            // A move is from the point before it.
            let ranges = ranges(abstraction, &run.points[position.saturating_sub(1)]);
            let mut solver = Solver::new(Logic::All, limits.clone());
            solver.assert(&abstraction.system.terms, fact);
            solver.assert(&abstraction.system.terms, ranges);
            solvers.push(solver);
        }
        Path { run, story, solvers }
    }

    /// Whether the predicates refute the run; `None` where the solver does not say.
    pub fn refuted(
        &mut self,
        abstraction: &mut Abstraction,
        predicates: &[Predicate],
    ) -> Option<bool> {
        let Path { run, story, solvers } = self;
        let walked = Pass { abstraction, predicates, run, story, solvers }.walk()?;
        Some(walked.contradicted.is_some())
    }

    /// If the predicates refute the run, some that do; those that come late are avoided.
    pub fn reasons(
        &mut self,
        abstraction: &mut Abstraction,
        predicates: &[Predicate],
    ) -> Option<BTreeSet<usize>> {
        let Path { run, story, solvers } = self;
        let mut pass = Pass { abstraction, predicates, run, story, solvers };
        let walked = pass.walk()?;
        pass.trace_back(walked)
    }
}

/// That everything is in the range of its type.
fn ranges(abstraction: &mut Abstraction, point: &Point) -> Term {
    let system = &mut abstraction.system;
    let mut facts = vec![point.shared_formula(system, system.ranges)];
    for &name in point.threads.keys() {
        let ranges = system.templates[name.template.index()].ranges;
        facts.push(point.formula(system, name, ranges));
    }
    system.terms.and(&facts)
}

struct Pass<'a> {
    abstraction: &'a mut Abstraction,
    predicates: &'a [Predicate],
    run: &'a Run,
    story: &'a Story,
    solvers: &'a mut [Solver],
}

impl Pass<'_> {
    fn walk(&mut self) -> Option<Walked> {
        let mut walked = Walked { known: vec![self.beginning()?], contradicted: None };
        for position in 0..self.run.parts.len() {
            match self.step(position, walked.known.last()?)? {
                Ok(next) => walked.known.push(next),
                Err(contradicted) => {
                    walked.contradicted = Some(contradicted);
                    break;
                }
            }
        }
        Some(walked)
    }

    fn beginning(&mut self) -> Option<Knowledge> {
        let point = &self.run.points[0];
        let mut known = Knowledge::default();
        let shared = self.shared_formulas(point);
        known.shared = self.decided(0, None, &[], &shared)??;
        for &name in point.threads.keys() {
            let formulas = self.thread_formulas(point, name);
            known.threads.insert(name, self.decided(0, None, &[], &formulas)??);
        }
        Some(known)
    }

    /// What is known before a move that says something of the shared state or a thread behind it.
    fn premise(&self, position: usize, known: &Knowledge, of: Of) -> Vec<(Of, Fact)> {
        let taken = &self.run.moves[position];
        let acting = taken.starts.iter().copied().chain([taken.thread]);
        let threads: BTreeSet<Name> = acting.chain(of).collect();
        let shared = known.shared.iter().map(|&fact| (None, fact));
        let own = threads
            .into_iter()
            .flat_map(|name| known.threads[&name].iter().map(move |&fact| (Some(name), fact)));
        shared.chain(own).collect()
    }

    /// What is known behind a move, or what it contradicts.
    fn step(
        &mut self,
        position: usize,
        known: &Knowledge,
    ) -> Option<Result<Knowledge, Contradicted>> {
        let after = &self.run.points[position + 1];
        let mut next = Knowledge::default();
        let premise = self.premise(position, known, None);
        let shared = self.shared_formulas(after);
        match self.decided(position + 1, None, &premise, &shared)? {
            Some(decided) => next.shared = decided,
            None => return Some(Err(Contradicted { of: None, facts: premise })),
        }
        for &name in after.threads.keys() {
            if self.story.sunk.get(position).is_some_and(|sunk| sunk.contains(&name)) {
                next.threads.insert(name, Vec::new());
                continue;
            }
            let premise = self.premise(position, known, Some(name));
            let formulas = self.thread_formulas(after, name);
            match self.decided(position + 1, Some(name), &premise, &formulas)? {
                Some(decided) => next.threads.insert(name, decided),
                None => return Some(Err(Contradicted { of: Some(name), facts: premise })),
            };
        }
        Some(Ok(next))
    }

    /// The predicates behind a contradiction: those of the facts that are needed for it, and of what
    /// these follow from.
    fn trace_back(&mut self, walked: Walked) -> Option<BTreeSet<usize>> {
        let mut position = walked.known.len();
        let Contradicted { of, facts } = walked.contradicted?;
        let mut needed = self.core(position, of, facts, None)?;
        let mut predicates = BTreeSet::new();
        while let Some(before) = position.checked_sub(1) {
            predicates.extend(needed.iter().map(|(_, fact)| fact.predicate));
            let Some(earlier) = before.checked_sub(1) else { break };
            let mut more: Vec<(Of, Fact)> = Vec::new();
            for (of, fact) in needed {
                let premise = self.premise(earlier, &walked.known[earlier], of);
                for other in self.core(before, of, premise, Some(fact.formula))? {
                    let same = |known: &(Of, Fact)| known.1.formula == other.1.formula;
                    if !more.iter().any(same) {
                        more.push(other);
                    }
                }
            }
            needed = more;
            position = before;
        }
        Some(predicates)
    }

    /// Facts that are enough for a contradiction, or for a conclusion, none of which can be left out;
    /// the latest predicate is as early as can be, then the one before it, and so on.
    fn core(
        &mut self,
        position: usize,
        of: Of,
        mut facts: Vec<(Of, Fact)>,
        conclusion: Option<Term>,
    ) -> Option<Vec<(Of, Fact)>> {
        facts.sort_by_key(|(_, fact)| fact.predicate);
        let counted = self.counted(position, of);
        let Abstraction { system, watch, .. } = &mut *self.abstraction;
        let terms = &mut system.terms;
        let solver = &mut self.solvers[position];
        let fails = conclusion.map(|formula| terms.not(formula));
        let mut needed: Vec<(Of, Fact)> = Vec::new();
        loop {
            let mut enough = |count: usize| {
                let some = needed.iter().chain(&facts[..count]);
                let assumed = some.map(|(_, fact)| fact.formula).chain(fails);
                let assumed: Vec<Term> = assumed.chain(counted.iter().copied()).collect();
                watch.spend(QUESTION);
                matches!(solver.check(terms, &assumed), Answer::Unsat(_))
            };
            if enough(0) {
                return Some(needed);
            }
            let (mut few, mut many) = (1, facts.len());
            while few < many {
                let middle = (few + many) / 2;
                if enough(middle) {
                    many = middle;
                } else {
                    few = middle + 1;
                }
            }
            facts.truncate(many);
            needed.push(facts.pop()?);
        }
    }

    /// What numbers of threads say before a move that is seen together with a thread; nothing of the
    /// beginning.
    fn counted(&mut self, position: usize, of: Of) -> Vec<Term> {
        let Some(before) = position.checked_sub(1) else { return Vec::new() };
        if self.abstraction.counts.is_none() {
            return Vec::new();
        }
        let (taken, point) = (&self.run.moves[before], &self.run.points[before]);
        let acting = taken.starts.iter().copied().chain([taken.thread]);
        let names: BTreeSet<Name> = acting.chain(of).collect();
        let places: Vec<(TemplateId, At)> = names
            .into_iter()
            .map(|name| (name.template, self.place(name, point.threads[&name].at)))
            .collect();
        let said = self.abstraction.counted(&places);
        let system = &mut self.abstraction.system;
        said.into_iter().map(|formula| point.shared_formula(system, formula)).collect()
    }

    /// Where a thread stands: one that exists from the beginning does so at its entry.
    fn place(&self, name: Name, at: At) -> At {
        let template = &self.abstraction.system.templates[name.template.index()];
        if at == At::Unstarted && template.initial { template.entry } else { at }
    }

    /// Which of the formulas, or their negations where these count, follow from the move and the
    /// premise; nothing if these contradict each other.
    fn decided(
        &mut self,
        position: usize,
        of: Of,
        premise: &[(Of, Fact)],
        formulas: &[Said],
    ) -> Option<Option<Vec<Fact>>> {
        let premise: FxHashSet<Term> = premise.iter().map(|(_, fact)| fact.formula).collect();
        let counted = self.counted(position, of);
        let assumed: Vec<Term> = premise.iter().copied().chain(counted).collect();
        let Abstraction { system, watch, .. } = &mut *self.abstraction;
        let terms = &mut system.terms;
        let solver = &mut self.solvers[position];
        watch.spend(QUESTION);
        let first = match solver.check(terms, &assumed) {
            Answer::Unsat(_) => return Some(None),
            Answer::Unknown(_) => return None,
            Answer::Sat(model) => model,
        };
        // What the move does not touch stays as it was.
        let mut kept: Vec<Fact> = Vec::new();
        let mut open: Vec<Fact> = Vec::new();
        for &Said { formula, predicate, of_all } in formulas {
            let negated = terms.not(formula);
            if premise.contains(&formula) {
                kept.push(Fact { formula, predicate });
            } else if premise.contains(&negated) {
                kept.push(Fact { formula: negated, predicate });
            } else if first.holds(terms, formula) {
                open.push(Fact { formula, predicate });
            } else if !of_all {
                open.push(Fact { formula: negated, predicate });
            }
        }
        while !open.is_empty() {
            let flipped: Vec<Term> = open.iter().map(|fact| terms.not(fact.formula)).collect();
            let some = terms.or(&flipped);
            watch.spend(QUESTION);
            solver.push();
            solver.assert(terms, some);
            let answer = solver.check(terms, &assumed);
            solver.pop();
            match answer {
                Answer::Unsat(_) => break,
                Answer::Unknown(_) => return None,
                Answer::Sat(model) => open.retain(|fact| model.holds(terms, fact.formula)),
            }
        }
        kept.extend(open);
        Some(Some(kept))
    }

    fn shared_formulas(&mut self, point: &Point) -> Vec<Said> {
        let Abstraction { system, vocabulary, .. } = &mut *self.abstraction;
        let all = self.predicates.iter().enumerate();
        let shared = all.filter(|(_, predicate)| predicate.is_shared());
        let said = shared.map(|(index, p)| {
            let formula = predicate_of(system, vocabulary, p, None, &[], &point.shared);
            Said { formula, predicate: index, of_all: false }
        });
        said.collect()
    }

    fn thread_formulas(&mut self, point: &Point, name: Name) -> Vec<Said> {
        let Abstraction { system, vocabulary, .. } = &mut *self.abstraction;
        let place = |name: Name, at: At| {
            let template = &system.templates[name.template.index()];
            if at == At::Unstarted && template.initial { template.entry } else { at }
        };
        let all: BTreeMap<Name, Thread> = point
            .threads
            .iter()
            .map(|(&name, stand)| {
                let thread = Thread {
                    template: name.template,
                    values: stand.locals.clone(),
                    live: Counting::default(),
                };
                (name, thread.standing(vocabulary, place(name, stand.at)))
            })
            .collect();
        let at = place(name, point.threads[&name].at);
        let others: Vec<&Thread> =
            all.iter().filter(|(other, _)| **other != name).map(|(_, thread)| thread).collect();
        let numbered = self.predicates.iter().enumerate();
        let own = numbered.filter(|(_, p)| p.concerns(vocabulary, name.template, at));
        let thread = all.get(&name);
        let own: Vec<(usize, &Predicate)> = own.collect();
        own.into_iter()
            .map(|(index, p)| Said {
                formula: predicate_of(system, vocabulary, p, thread, &others, &point.shared),
                predicate: index,
                of_all: p.passive.is_some(),
            })
            .collect()
    }
}
