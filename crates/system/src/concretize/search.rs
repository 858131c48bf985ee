//! An order in which the paths of several threads can happen.
//!
//! Depth first over all interleavings; the solver checks each prefix. Of two orders that
//! differ only in neighbouring moves that do not touch the same shared variables, one is tried
//! (sleep sets: Godefroid, "Partial-Order Methods for the Verification of Concurrent Systems", §5).

use rustc_hash::FxHashSet;
use selvedge_smt::{Answer, Limits, Logic, Model, Reason, Solver, Term};

use super::{MOVE, Move, Name, Point, Run};
use crate::{At, End, System};

/// An order of all moves, and values.
#[derive(Clone, Debug)]
pub struct Order {
    pub run: Run,
    pub model: Model,
}

/// What must be true behind the last move, as a formula.
pub type Finally<'a> = &'a dyn Fn(&mut System, &Point) -> Term;

/// Looks for an order; none if there is none. `paths` has the moves of each thread, and `tries` is
/// how many questions may be asked within the limits.
pub fn search(
    system: &mut System,
    paths: &[Vec<Move>],
    tries: usize,
    limits: &Limits,
) -> Result<Option<Order>, Reason> {
    let anything = |system: &mut System, _: &Point| system.terms.bool(true);
    search_with(system, paths, &[], &[], &anything, tries, limits)
}

/// The same for an order after which `finally` holds, where the threads `standing` of pools are at
/// their entries from the beginning, whether they move or not. The order that is tried first is
/// `hint`, by positions of paths, as far as it goes.
pub fn search_with(
    system: &mut System,
    paths: &[Vec<Move>],
    standing: &[Name],
    hint: &[usize],
    finally: Finally,
    tries: usize,
    limits: &Limits,
) -> Result<Option<Order>, Reason> {
    let moves = paths.iter().flatten();
    let names = moves.flat_map(|m| m.starts.iter().chain([&m.thread])).copied();
    let pools = names.filter(|name| system.templates[name.template.index()].pool);
    let pools: Vec<Name> = pools.chain(standing.iter().copied()).collect();
    let mut run = Run::new(system, &pools);
    for &name in standing {
        run.stand(system, name);
    }
    let mut solver = Solver::new(Logic::All, limits.clone());
    solver.assert(&system.terms, run.beginning);
    let footprints =
        paths.iter().map(|path| path.iter().map(|m| Footprint::of(system, m)).collect()).collect();
    let mut interleaver = Interleaver {
        system,
        paths,
        footprints,
        positions: vec![0; paths.len()],
        run,
        solver,
        hint,
        finally,
        tries,
        limits,
    };
    match interleaver.solver.check(&interleaver.system.terms, &[]) {
        Answer::Sat(model) => interleaver.go(None, &[], model),
        Answer::Unsat(_) => Ok(None),
        Answer::Unknown(reason) => Err(reason),
    }
}

/// The shared variables that a move reads and writes.
#[derive(Clone, Debug, Default)]
struct Footprint {
    reads: FxHashSet<Term>,
    writes: FxHashSet<Term>,
    /// It waits for a thread of a pool, or is the end of a thread.
    ends: bool,
    threads: Vec<Name>,
}

impl Footprint {
    fn of(system: &System, step: &Move) -> Footprint {
        let taken = &system.templates[step.thread.template.index()].steps[step.step];
        let mut roots = vec![taken.guard];
        roots.extend(taken.shared.iter().chain(&taken.locals).map(|(_, value)| *value));
        roots.extend(taken.spawns.iter().flat_map(|s| s.args.iter().map(|(_, value)| *value)));
        let shared: FxHashSet<Term> = system.shared.iter().map(|v| v.term).collect();
        let reads = system.terms.variables(&roots).into_iter().filter(|v| shared.contains(v));
        let writes = taken.shared.iter().map(|(at, _)| system.shared[*at as usize].term);
        let mut threads = step.starts.clone();
        threads.push(step.thread);
        Footprint {
            reads: reads.collect(),
            writes: writes.collect(),
            ends: !taken.joins.is_empty() || taken.end == End::To(At::Ended),
            threads,
        }
    }

    fn independent(&self, other: &Footprint) -> bool {
        self.writes.is_disjoint(&other.writes)
            && self.writes.is_disjoint(&other.reads)
            && self.reads.is_disjoint(&other.writes)
            && !(self.ends && other.ends)
            && !self.threads.iter().any(|name| other.threads.contains(name))
    }
}

/// The paths, and how far an order of their moves has come.
struct Interleaver<'a> {
    system: &'a mut System,
    paths: &'a [Vec<Move>],
    footprints: Vec<Vec<Footprint>>,
    /// How far each path has been gone.
    positions: Vec<usize>,
    run: Run,
    solver: Solver,
    hint: &'a [usize],
    finally: Finally<'a>,
    tries: usize,
    limits: &'a Limits,
}

impl Interleaver<'_> {
    /// Goes on from here. What `sleep` names need not move next: it was tried before.
    fn go(
        &mut self,
        last: Option<usize>,
        sleep: &[usize],
        model: Model,
    ) -> Result<Option<Order>, Reason> {
        if (0..self.paths.len()).all(|i| self.positions[i] == self.paths[i].len()) {
            return self.arrive(model);
        }
        let mut asleep = sleep.to_vec();
        // Else the thread that moved last goes first: fewer changes between threads.
        let hinted = self.hint.get(self.positions.iter().sum::<usize>()).copied();
        let mut order: Vec<usize> = hinted.into_iter().chain(last).collect();
        order.dedup();
        let rest: Vec<usize> = (0..self.paths.len()).filter(|i| !order.contains(i)).collect();
        for i in order.into_iter().chain(rest) {
            if asleep.contains(&i) || !self.can_move(i) {
                continue;
            }
            if let Some(found) = self.try_move(i, &asleep)? {
                return Ok(Some(found));
            }
            asleep.push(i);
        }
        Ok(None)
    }

    /// All moves are made.
    fn arrive(&mut self, model: Model) -> Result<Option<Order>, Reason> {
        let end = self.run.last().clone();
        let wanted = (self.finally)(self.system, &end);
        let order = |run: &Run, model: Model| Ok(Some(Order { run: run.clone(), model }));
        if wanted == self.system.terms.bool(true) {
            return order(&self.run, model);
        }
        match self.solver.check(&self.system.terms, &[wanted]) {
            Answer::Sat(model) => order(&self.run, model),
            Answer::Unsat(_) => Ok(None),
            Answer::Unknown(reason) => Err(reason),
        }
    }

    fn can_move(&self, path: usize) -> bool {
        let Some(step) = self.paths[path].get(self.positions[path]) else { return false };
        let template = &self.system.templates[step.thread.template.index()];
        let at = self.run.last().threads[&step.thread].at;
        let from = template.steps[step.step].from;
        // A thread of a pool that exists from the beginning, unless another is to start it.
        let begins = at == At::Unstarted && template.initial && !self.is_started_later(step.thread);
        from == at || begins && from == template.entry
    }

    fn is_started_later(&self, name: Name) -> bool {
        self.paths.iter().flatten().any(|step| step.starts.contains(&name))
    }

    fn try_move(&mut self, path: usize, asleep: &[usize]) -> Result<Option<Order>, Reason> {
        if self.tries == 0 {
            return Err(Reason::Incomplete("too many orders of the moves".into()));
        }
        self.tries -= 1;
        self.limits.clock.spend(MOVE);
        if let Some(reason) = self.limits.exceeded() {
            return Err(reason);
        }
        let at = self.positions[path];
        self.run.add(self.system, self.paths[path][at].clone());
        let part = *self.run.parts.last().expect("a move was added");
        self.solver.push();
        self.solver.assert(&self.system.terms, part);
        let found = match self.solver.check(&self.system.terms, &[]) {
            Answer::Sat(model) => {
                let own = &self.footprints[path][at];
                let next = |i: usize| self.footprints[i].get(self.positions[i]);
                let still = asleep.iter().copied();
                let still = still.filter(|&i| next(i).is_some_and(|f| f.independent(own)));
                let sleep: Vec<usize> = still.collect();
                self.positions[path] += 1;
                let found = self.go(Some(path), &sleep, model);
                self.positions[path] -= 1;
                found
            }
            Answer::Unsat(_) => Ok(None),
            Answer::Unknown(reason) => Err(reason),
        };
        self.solver.pop();
        self.run.remove();
        found
    }
}
