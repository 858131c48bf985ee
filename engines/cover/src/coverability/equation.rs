//! The state equation: bounds on numbers of threads that no reachable state exceeds.
//!
//! Backward search also follows states that no run reaches. Over the rationals it is cheap to know
//! many of them: a run that covers a state solves the state equation of the system, and by Farkas'
//! lemma the equation has no solution exactly if some [`Bound`] excludes the state (Blondin, Finkel,
//! Haase, Haddad, "Approaching the Coverability Problem Continuously", 2016, prune in this way with
//! continuous reachability; what they gain beyond the equation by looking at which transitions can
//! fire is here, as far as it goes, what [`Reach`] leaves out). A bound excludes everything above a
//! state, is kept for all later states, and is checked as a part of the evidence.
//!
//! A bound is found by cutting planes. The solver proposes weights. The greatest weights with which the
//! shared states may be reached, which are longest paths, are the least limits that fit them. If there
//! are none, because a cycle adds weight, or if the state does not exceed its limit, the cycle or the
//! path is an inequality that the next weights must satisfy.

use rustc_hash::FxHashMap;
use selvedge_certify::evidence::Bound;
use selvedge_certify::tts::{Initial, Local, State, System, Threads, Transition};
use selvedge_smt::{Answer, Limits, Logic, Solver, Sort, Term, Terms, Value};

use super::forward::Reach;

/// Proposals of weights for one state.
const MOST_PROPOSALS: usize = 200;

/// Larger weights are not worth their arithmetic.
const MOST_WEIGHT: u32 = 1_000_000;

/// The transitions that can happen, as far as is known.
pub struct Equation<'a> {
    initial: &'a Initial,
    shared: usize,
    locals: usize,
    edges: Vec<&'a Transition>,
    /// Where passive threads may go: from, to, and the shared state behind the transition.
    moves: Vec<(Local, Local, u32)>,
    /// Edges looked at so far, as a measure of work.
    pub looked: u64,
}

/// Transitions behind each other that the proposed weights do not fit.
enum Cut {
    /// They add weight.
    Cycle(Vec<usize>),
    /// They lead to the state with no less weight than it has.
    Path(Vec<usize>),
}

impl<'a> Equation<'a> {
    pub fn new(system: &'a System, initial: &'a Initial, reach: &Reach) -> Equation<'a> {
        let edges: Vec<&Transition> =
            system.transitions.iter().filter(|t| reach.fires(t)).collect();
        let mut moves = Vec::new();
        for edge in &edges {
            for (from, targets) in edge.passive.moves() {
                if reach.has(edge.from, *from) {
                    let others = targets.iter().filter(|to| *to != from);
                    moves.extend(others.map(|to| (*from, *to, edge.to.0)));
                }
            }
        }
        moves.sort_unstable();
        moves.dedup();
        let (shared, locals) = (system.shared as usize, system.locals as usize);
        Equation { initial, shared, locals, edges, moves, looked: 0 }
    }

    /// A bound that the state exceeds; none if there is none, or if the limits are reached.
    pub fn bound(&mut self, state: &State, limits: &Limits) -> Option<Bound> {
        let relevant = self.leading_to(state.shared.0 as usize);
        let mut weights = Weights::new(self, &relevant, limits);
        for _ in 0..MOST_PROPOSALS {
            let proposal = weights.propose()?;
            match self.least_limits(&proposal, &relevant, state) {
                Ok(bound) => return Some(bound),
                Err(cuts) => cuts.iter().for_each(|cut| weights.cut(self, cut, state)),
            }
        }
        None
    }

    /// The shared states from which one can be reached.
    fn leading_to(&mut self, target: usize) -> Vec<bool> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.shared];
        for edge in &self.edges {
            before[edge.to.0 as usize].push(edge.from.0 as usize);
        }
        self.looked += self.edges.len() as u64;
        let mut leads = vec![false; self.shared];
        leads[target] = true;
        let mut open = vec![target];
        while let Some(shared) = open.pop() {
            for &earlier in &before[shared] {
                if !std::mem::replace(&mut leads[earlier], true) {
                    open.push(earlier);
                }
            }
        }
        leads
    }

    /// The least limits for these weights, if the state exceeds its own; or what is in the way.
    fn least_limits(
        &mut self,
        proposal: &Proposal,
        relevant: &[bool],
        state: &State,
    ) -> Result<Bound, Vec<Cut>> {
        let mut search = Distances::new(self.shared);
        let start = self.initial.shared.0 as usize;
        search.distance[start] = Some(proposal.of(&self.initial.bounded));
        loop {
            self.looked += self.edges.len() as u64;
            let changed = search.relax(&self.edges, relevant, proposal);
            let cycles = if changed { search.cycles(&self.edges) } else { Vec::new() };
            if !cycles.is_empty() {
                return Err(cycles);
            }
            if !changed {
                break;
            }
        }
        let end = state.shared.0 as usize;
        match search.distance[end] {
            Some(limit) if proposal.of(&state.threads) <= limit => {
                Err(vec![Cut::Path(search.way(end, &self.edges))])
            }
            _ => Ok(bound(proposal, &search.distance)),
        }
    }
}

fn bound(proposal: &Proposal, distance: &[Option<i64>]) -> Bound {
    let weights = proposal.0.iter().enumerate().filter(|(_, weight)| **weight > 0);
    let limits = distance.iter().enumerate();
    Bound {
        weights: weights.map(|(local, weight)| (local as u32, *weight)).collect(),
        limits: limits.filter_map(|(s, limit)| Some((s as u32, (*limit)?))).collect(),
    }
}

/// A weight for each local state.
struct Proposal(Vec<u32>);

impl Proposal {
    fn of(&self, threads: &Threads) -> i64 {
        threads.iter().map(|local| i64::from(self.0[local.0 as usize])).sum()
    }

    fn added(&self, transition: &Transition) -> i64 {
        self.of(&transition.gives) - self.of(&transition.takes)
    }
}

/// The greatest weights with which each shared state may be reached, by the algorithm of Bellman and
/// Ford.
struct Distances {
    distance: Vec<Option<i64>>,
    /// The edge by which a shared state has its distance.
    by: Vec<Option<usize>>,
}

impl Distances {
    fn new(shared: usize) -> Distances {
        Distances { distance: vec![None; shared], by: vec![None; shared] }
    }

    /// Looks at each edge once; whether a distance has grown.
    fn relax(&mut self, edges: &[&Transition], relevant: &[bool], proposal: &Proposal) -> bool {
        let mut changed = false;
        for (index, edge) in edges.iter().enumerate() {
            let (from, to) = (edge.from.0 as usize, edge.to.0 as usize);
            let Some(before) = self.distance[from].filter(|_| relevant[to]) else { continue };
            let after = before + proposal.added(edge);
            if self.distance[to].is_none_or(|known| known < after) {
                self.distance[to] = Some(after);
                self.by[to] = Some(index);
                changed = true;
            }
        }
        changed
    }

    /// The cycles among the edges that distances come from: each adds weight.
    fn cycles(&self, edges: &[&Transition]) -> Vec<Cut> {
        let mut seen = vec![0; self.by.len()];
        let mut found = Vec::new();
        for start in 0..self.by.len() {
            let mut at = start;
            while seen[at] == 0 {
                seen[at] = start + 1;
                match self.by[at] {
                    Some(edge) => at = edges[edge].from.0 as usize,
                    None => break,
                }
            }
            if seen[at] == start + 1
                && let Some(cycle) = self.cycle(at, edges)
            {
                found.push(Cut::Cycle(cycle));
            }
        }
        found
    }

    /// The cycle that a shared state is on, if it is on one.
    fn cycle(&self, start: usize, edges: &[&Transition]) -> Option<Vec<usize>> {
        let mut way = Vec::new();
        let mut at = start;
        loop {
            let edge = self.by[at]?;
            way.push(edge);
            at = edges[edge].from.0 as usize;
            if at == start {
                return Some(way);
            }
        }
    }

    /// How a shared state got its distance.
    fn way(&self, end: usize, edges: &[&Transition]) -> Vec<usize> {
        let mut way = Vec::new();
        let mut at = end;
        while let Some(edge) = self.by[at] {
            way.push(edge);
            at = edges[edge].from.0 as usize;
        }
        way
    }
}

/// What is known of the weights so far.
struct Weights {
    terms: Terms,
    solver: Solver,
    of: Vec<Term>,
}

impl Weights {
    /// No weight is negative; any number of threads weigh nothing; and no thread gets heavier by being
    /// moved along.
    fn new(equation: &Equation<'_>, relevant: &[bool], limits: &Limits) -> Weights {
        let mut terms = Terms::new();
        let mut solver = Solver::new(Logic::QfLia, limits.clone());
        let named = |index| terms.var(&format!("w{index}"), Sort::Int);
        let of: Vec<Term> = (0..equation.locals).map(named).collect();
        let zero = terms.int(0);
        for (index, &weight) in of.iter().enumerate() {
            let unbounded = equation.initial.unbounded.iter().any(|u| u.0 as usize == index);
            let fact = if unbounded { terms.eq(weight, zero) } else { terms.le(zero, weight) };
            solver.assert(&terms, fact);
        }
        for (from, to, shared) in &equation.moves {
            if relevant[*shared as usize] {
                let fact = terms.le(of[to.0 as usize], of[from.0 as usize]);
                solver.assert(&terms, fact);
            }
        }
        Weights { terms, solver, of }
    }

    fn propose(&mut self) -> Option<Proposal> {
        let Answer::Sat(model) = self.solver.check(&self.terms, &[]) else { return None };
        let values = model.eval_all(&self.terms, &self.of);
        let small = |value: &Value| {
            let number = u32::try_from(value.as_int()?).ok();
            number.filter(|number| *number <= MOST_WEIGHT)
        };
        values.iter().map(small).collect::<Option<Vec<u32>>>().map(Proposal)
    }

    /// A cycle must not add weight; behind a path the threads of the state must be too heavy.
    fn cut(&mut self, equation: &Equation<'_>, cut: &Cut, state: &State) {
        let mut sum: FxHashMap<Local, i64> = FxHashMap::default();
        let (Cut::Cycle(way) | Cut::Path(way)) = cut;
        for &edge in way {
            add(&mut sum, &equation.edges[edge].takes, 1);
            add(&mut sum, &equation.edges[edge].gives, -1);
        }
        let mut least = 0;
        if matches!(cut, Cut::Path(_)) {
            add(&mut sum, &state.threads, 1);
            add(&mut sum, &equation.initial.bounded, -1);
            least = 1;
        }
        let mut parts = Vec::new();
        for (local, factor) in sum {
            let factor = self.terms.int(factor);
            parts.push(self.terms.mul(&[factor, self.of[local.0 as usize]]));
        }
        parts.sort_unstable();
        let sum = self.terms.add(&parts);
        let least = self.terms.int(least);
        let fact = self.terms.le(least, sum);
        self.solver.assert(&self.terms, fact);
    }
}

fn add(sum: &mut FxHashMap<Local, i64>, threads: &Threads, factor: i64) {
    threads.iter().for_each(|local| *sum.entry(local).or_default() += factor);
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_certify::tts::{parse, parse_initial, parse_target};

    /// The weights and limits by which the state cannot be reached.
    fn excluded(system: &str, initial: &str, state: &str) -> Option<Bound> {
        let system = parse(system).unwrap();
        let initial = parse_initial(initial, &system).unwrap();
        let reach = Reach::of(&system, &initial);
        let state = parse_target(state, &system).unwrap();
        let bound = Equation::new(&system, &initial, &reach).bound(&state, &Limits::none());
        bound.inspect(|bound| assert!(bound.excludes(&state)))
    }

    const LOCK: &str = "2 2\n0 0 -> 1 1\n1 1 -> 0 0\n";

    #[test]
    fn a_lock_has_one_holder() {
        let bound = excluded(LOCK, "0/0", "1|1,1").unwrap();
        assert_eq!(bound.weights.len(), 1);
        let weight = i64::from(bound.weights[&1]);
        assert_eq!(bound.limits, [(0, 0), (1, weight)].into());
        assert_eq!(excluded(LOCK, "0/0", "1|1"), None);
        assert_eq!(excluded(LOCK, "0|1/0", "1|1,1"), None);
    }

    #[test]
    fn whoever_gets_out_of_a_cycle_is_not_bounded() {
        assert_eq!(excluded("1 2\n0 0 -> 0 1\n", "0/0", "0|1,1"), None);
        assert!(excluded("1 2\n0 0 -> 0 1\n", "0|0", "0|1,1").is_some());
        assert_eq!(excluded("1 2\n0 0 +> 0 1\n", "0|0", "0|1,1"), None);
    }

    #[test]
    fn threads_that_are_moved_along_count() {
        let broadcast = "2 3\n0 0 -> 1 1\n1 1 -> 0 0 0 ~> 2\n";
        assert_eq!(excluded(broadcast, "0/0", "0|2,2"), None);
        assert!(excluded(broadcast, "0/0", "1|1,1").is_some());
    }
}
