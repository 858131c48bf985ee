//! Whether predicates refute a run, seen as the abstraction sees it.
//!
//! Along the moves of a run, for each point, it is computed which predicates certainly hold and which
//! certainly do not: of the shared state and the acting threads from what was known of them alone, of
//! a passive thread from that and what was known of it. What a thread in the sink knew is lost. That
//! an inter-thread predicate does not hold says nothing here: some thread contradicts it, but there
//! are more threads than those of the run. If at some move these cannot be, the abstraction with
//! these predicates does not have the run.

use std::collections::BTreeMap;

use selvedge_smt::{Answer, Limits, Logic, Solver, Term};

use super::story::Story;
use crate::concretize::{Name, Point, Run};
use crate::cover::abstraction::Abstraction;
use crate::cover::abstraction::thread::{Thread, predicate_of};
use crate::cover::predicate::Predicate;
use crate::system::At;

/// What is known at a point: formulas over its variables.
#[derive(Clone, Debug, Default)]
struct Knowledge {
    shared: Vec<Term>,
    threads: BTreeMap<Name, Vec<Term>>,
}

/// A predicate at a point.
struct Said {
    formula: Term,
    /// Of all other threads.
    of_all: bool,
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
        let mut pass = Pass { abstraction, predicates, solvers };
        let mut known = pass.beginning(run)?;
        for position in 0..run.parts.len() {
            match pass.step(run, story, position, &known)? {
                Some(next) => known = next,
                None => return Some(true),
            }
        }
        Some(false)
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
    solvers: &'a mut [Solver],
}

impl Pass<'_> {
    fn beginning(&mut self, run: &Run) -> Option<Knowledge> {
        let point = &run.points[0];
        let mut known = Knowledge::default();
        let shared = self.shared_formulas(point);
        known.shared = self.decided(0, &[], &shared)??;
        for &name in point.threads.keys() {
            let formulas = self.thread_formulas(point, name);
            known.threads.insert(name, self.decided(0, &[], &formulas)??);
        }
        Some(known)
    }

    /// What is known behind a move; nothing if the move is refuted.
    fn step(
        &mut self,
        run: &Run,
        story: &Story,
        position: usize,
        known: &Knowledge,
    ) -> Option<Option<Knowledge>> {
        let after = &run.points[position + 1];
        let taken = &run.moves[position];
        let acting: Vec<Name> = taken.starts.iter().copied().chain([taken.thread]).collect();
        let mut premise = known.shared.clone();
        premise.extend(acting.iter().flat_map(|name| &known.threads[name]));
        let mut next = Knowledge::default();
        let shared = self.shared_formulas(after);
        let Some(decided) = self.decided(position + 1, &premise, &shared)? else {
            return Some(None);
        };
        next.shared = decided;
        for &name in after.threads.keys() {
            if story.sunk.get(position).is_some_and(|sunk| sunk.contains(&name)) {
                next.threads.insert(name, Vec::new());
                continue;
            }
            let mut own = premise.clone();
            if !acting.contains(&name) {
                own.extend(&known.threads[&name]);
            }
            let formulas = self.thread_formulas(after, name);
            let Some(decided) = self.decided(position + 1, &own, &formulas)? else {
                return Some(None);
            };
            next.threads.insert(name, decided);
        }
        Some(Some(next))
    }

    /// Which of the formulas, or their negations where these count, follow from the move and the
    /// premise; nothing if these cannot be.
    fn decided(
        &mut self,
        position: usize,
        premise: &[Term],
        formulas: &[Said],
    ) -> Option<Option<Vec<Term>>> {
        let terms = &mut self.abstraction.system.terms;
        let solver = &mut self.solvers[position];
        let first = match solver.check(terms, premise) {
            Answer::Unsat(_) => return Some(None),
            Answer::Unknown(_) => return None,
            Answer::Sat(model) => model,
        };
        let mut open: Vec<Term> = Vec::new();
        for said in formulas {
            if first.holds(terms, said.formula) {
                open.push(said.formula);
            } else if !said.of_all {
                open.push(terms.not(said.formula));
            }
        }
        while !open.is_empty() {
            let flipped: Vec<Term> = open.iter().map(|&literal| terms.not(literal)).collect();
            let some = terms.or(&flipped);
            solver.push();
            solver.assert(terms, some);
            let answer = solver.check(terms, premise);
            solver.pop();
            match answer {
                Answer::Unsat(_) => break,
                Answer::Unknown(_) => return None,
                Answer::Sat(model) => open.retain(|&literal| model.holds(terms, literal)),
            }
        }
        Some(Some(open))
    }

    fn shared_formulas(&mut self, point: &Point) -> Vec<Said> {
        let Abstraction { system, vocabulary, .. } = &mut *self.abstraction;
        let shared = self.predicates.iter().filter(|predicate| predicate.is_shared());
        let said = shared.map(|p| predicate_of(system, vocabulary, p, None, &[], &point.shared));
        said.map(|formula| Said { formula, of_all: false }).collect()
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
                let thread =
                    Thread { template: name.template, values: stand.locals.clone(), live: vec![] };
                (name, thread.standing(vocabulary, place(name, stand.at)))
            })
            .collect();
        let at = place(name, point.threads[&name].at);
        let others: Vec<&Thread> =
            all.iter().filter(|(other, _)| **other != name).map(|(_, thread)| thread).collect();
        let own = self.predicates.iter().filter(|p| p.concerns(vocabulary, name.template, at));
        let thread = all.get(&name);
        let own: Vec<&Predicate> = own.collect();
        own.into_iter()
            .map(|p| Said {
                formula: predicate_of(system, vocabulary, p, thread, &others, &point.shared),
                of_all: p.passive.is_some(),
            })
            .collect()
    }
}
