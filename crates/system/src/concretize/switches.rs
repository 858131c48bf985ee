//! Executions with few threads and few context switches.
//!
//! An abstract path names some steps; that these are infeasible does not exclude other executions. Here
//! executions of the system are tried from the beginning, those with few preemptions first (Musuvathi, Qadeer, "Iterative Context Bounding for Systematic Testing of
//! Multithreaded Programs"): most errors need few interruptions. A thread that is started costs as
//! well, and so does a loop that is gone through once more, since there may be any number of both.
//!
//! The search is incomplete, and no proof depends on it: an execution that it finds is checked as a
//! [`Run`].

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::{Answer, Limits, Logic, Model, Solver, Term};

use super::world::{Prepared, World, connected, relevant};
use super::{Feasibility, MOVE, Move, Name, Run, check};
use crate::{Access, At, Bad, End, System, TemplateId, overlap};

/// The cost of preempting a thread; less where its next access may race.
const INTERRUPTED: usize = 2;
const INTERRUPTED_THERE: usize = 1;
/// The cost of another pass through a loop, or of a new thread.
const AGAIN: usize = 1;

/// More states are not kept.
const MOST_STATES: usize = 150_000;

/// Units of work for one question. A move that is not found to be possible with them is left out, so
/// that the search goes on elsewhere.
const MOST_FOR_ONE: u64 = 100_000;

/// An access, by template and position.
pub type AccessOf = (TemplateId, u32);

/// An error to reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// Two accesses that can both come next.
    Race(AccessOf, AccessOf),
    /// A step that goes wrong, by template and position.
    Wrong(TemplateId, u32),
}

/// An execution that was found, and values for it.
#[derive(Clone, Debug)]
pub struct Hit {
    pub goal: Goal,
    pub run: Run,
    pub model: Model,
}

/// A search that can be interrupted.
#[derive(Debug)]
pub struct Switches {
    goals: FxHashSet<Goal>,
    /// Accesses that goals speak of, by place.
    accesses: FxHashMap<(TemplateId, At), Vec<u32>>,
    steps: FxHashMap<(TemplateId, At), Rc<Vec<Prepared>>>,
    /// Steps that close a loop or start a thread, by template and position.
    again: FxHashSet<(TemplateId, usize)>,
    /// Pools that exist from the beginning.
    initial_pools: Vec<TemplateId>,
    seen: FxHashSet<u64>,
    /// How each state was reached.
    nodes: Vec<(usize, Option<Move>)>,
    /// States to go on from, by cost.
    open: Vec<VecDeque<Open>>,
    /// Goals that seem to be reached, not confirmed yet.
    found: Vec<(Goal, usize, Vec<Name>)>,
    solver: Solver,
    solved: FxHashMap<Vec<Term>, bool>,
    /// States that were looked at.
    pub states: usize,
}

#[derive(Clone, Debug)]
struct Open {
    world: World,
    node: usize,
    /// The thread that moved last, if it is to go on.
    last: Option<usize>,
}

impl Switches {
    pub fn new(
        system: &mut System,
        goals: impl IntoIterator<Item = Goal>,
        limits: &Limits,
    ) -> Switches {
        let mut switches = Switches {
            goals: goals.into_iter().collect(),
            accesses: FxHashMap::default(),
            steps: FxHashMap::default(),
            again: FxHashSet::default(),
            initial_pools: Vec::new(),
            seen: FxHashSet::default(),
            nodes: vec![(0, None)],
            open: Vec::new(),
            found: Vec::new(),
            solver: Solver::new(Logic::All, limits.clone()),
            solved: FxHashMap::default(),
            states: 0,
        };
        switches.enter_accesses(system);
        let relevant = relevant(system);
        for (id, template) in system.numbered() {
            for taken in Prepared::of(system, id, &relevant) {
                if !taken.step.spawns.is_empty() {
                    switches.again.insert((id, taken.index));
                }
                let there = switches.steps.entry((id, taken.step.from)).or_default();
                Rc::make_mut(there).push(taken);
            }
            switches.again.extend(back_steps(template).into_iter().map(|step| (id, step)));
            if template.pool && template.initial {
                switches.initial_pools.push(id);
            }
        }
        let world = World::new(system);
        let first = Open { world, node: 0, last: None };
        switches.enter(system, 0, first, limits);
        switches
    }

    /// What is still looked for.
    pub fn keep_goals(&mut self, system: &System, keep: impl Fn(&Goal) -> bool) {
        self.goals.retain(|goal| keep(goal));
        self.enter_accesses(system);
    }

    /// Nothing more will be found.
    pub fn is_over(&self) -> bool {
        let nothing_left = self.found.is_empty() && self.open.iter().all(VecDeque::is_empty);
        self.goals.is_empty() || nothing_left || self.seen.len() >= MOST_STATES
    }

    fn enter_accesses(&mut self, system: &System) {
        self.accesses.clear();
        for goal in &self.goals {
            let Goal::Race(own, other) = goal else { continue };
            for &(id, index) in [own, other] {
                let at = system.templates[id.index()].accesses[index as usize].at;
                let there = self.accesses.entry((id, at)).or_default();
                if !there.contains(&index) {
                    there.push(index);
                }
            }
        }
    }

    /// Goes on until something is found, nothing is left, or so many states have been looked at.
    pub fn go(&mut self, system: &mut System, states: usize, limits: &Limits) -> Option<Hit> {
        let end = self.states + states;
        loop {
            while let Some((goal, node, standing)) = self.found.pop() {
                if self.goals.contains(&goal)
                    && let Some(hit) = self.confirm(system, goal, node, &standing, limits)
                {
                    return Some(hit);
                }
            }
            if self.states >= end || self.is_over() || limits.exceeded().is_some() {
                return None;
            }
            let (cost, next) = self.pop()?;
            self.states += 1;
            limits.clock.spend(MOVE);
            self.expand(system, cost, &next, limits);
        }
    }

    fn push(&mut self, cost: usize, open: Open) {
        if self.open.len() <= cost {
            self.open.resize_with(cost + 1, VecDeque::new);
        }
        self.open[cost].push_back(open);
    }

    fn pop(&mut self) -> Option<(usize, Open)> {
        let queues = self.open.iter_mut().enumerate();
        queues.into_iter().find_map(|(cost, queue)| Some((cost, queue.pop_front()?)))
    }

    fn expand(&mut self, system: &mut System, cost: usize, from: &Open, limits: &Limits) {
        let mut price = 0;
        if let Some(last) = from.last
            && self.moves_of(system, from, last, cost, limits)
        {
            let actor = &from.world.actors[last];
            let there = self.accesses.contains_key(&(actor.name.template, actor.at));
            price = if there { INTERRUPTED_THERE } else { INTERRUPTED };
        }
        for who in 0..from.world.actors.len() {
            if Some(who) != from.last && !from.world.is_copy(system, who) {
                self.moves_of(system, from, who, cost + price, limits);
            }
        }
        for id in self.initial_pools.clone() {
            let mut world = from.world.clone();
            if world.actors.iter().any(|actor| actor.name.template == id && !actor.moved) {
                continue;
            }
            let name = world.new_name(id);
            world.begin(system, name);
            let next = Open { world, node: from.node, last: None };
            self.enter(system, cost + price + AGAIN, next, limits);
        }
    }

    /// The moves of one thread. Says whether there are any that change something.
    fn moves_of(
        &mut self,
        system: &mut System,
        from: &Open,
        who: usize,
        cost: usize,
        limits: &Limits,
    ) -> bool {
        let actor = &from.world.actors[who];
        let (id, at) = (actor.name.template, actor.at);
        let Some(steps) = self.steps.get(&(id, at)).cloned() else { return false };
        let mut map = from.world.map(system, who);
        let mut any = false;
        for taken in steps.iter() {
            let wrong = Goal::Wrong(id, taken.index as u32);
            let wanted = match &taken.step.end {
                End::To(_) => true,
                End::Bad(Bad::Wrong { .. }) => self.goals.contains(&wrong),
                End::Bad(_) => false,
            };
            if !wanted {
                continue;
            }
            limits.clock.spend(MOVE);
            let Some((mut world, step, needed)) = from.world.take(system, who, &mut map, taken)
            else {
                continue;
            };
            if !self.possible(system, &from.world.condition, &needed, limits) {
                continue;
            }
            self.nodes.push((from.node, Some(step)));
            let node = self.nodes.len() - 1;
            if matches!(taken.step.end, End::Bad(_)) {
                self.found.push((wrong, node, Vec::new()));
                continue;
            }
            let name = from.world.actors[who].name;
            world.tidy(system);
            if world.key(None) == from.world.key(None) {
                continue;
            }
            any = true;
            let starts = !taken.step.spawns.is_empty();
            let last = world.actors.iter().position(|a| a.name == name && a.at != At::Ended);
            let last = last.filter(|_| !starts);
            let price = if self.again.contains(&(id, taken.index)) { AGAIN } else { 0 };
            self.enter(system, cost + price, Open { world, node, last }, limits);
        }
        any
    }

    /// A state has been reached.
    fn enter(&mut self, system: &mut System, cost: usize, next: Open, limits: &Limits) {
        if self.seen.insert(next.world.key(next.last)) {
            self.look(system, &next, limits);
            self.push(cost, next);
        }
    }

    /// Looks for races in a state.
    fn look(&mut self, system: &mut System, state: &Open, limits: &Limits) {
        let world = &state.world;
        let mut near = Vec::new();
        for (who, actor) in world.actors.iter().enumerate() {
            if let Some(accesses) = self.accesses.get(&(actor.name.template, actor.at)) {
                near.extend(accesses.iter().map(|&access| (who, access)));
            }
        }
        for (position, &(a, own)) in near.iter().enumerate() {
            for &(b, other) in &near[..position] {
                if a == b {
                    continue;
                }
                let (x, y) = (&world.actors[a], &world.actors[b]);
                let (mine, theirs) = ((x.name.template, own), (y.name.template, other));
                let ways = [Goal::Race(mine, theirs), Goal::Race(theirs, mine)];
                let Some(goal) = ways.into_iter().find(|goal| self.goals.contains(goal)) else {
                    continue;
                };
                let race = race(
                    system,
                    (&access(system, mine), &world.map(system, a)),
                    (&access(system, theirs), &world.map(system, b)),
                );
                if self.possible(system, &world.condition, &[race], limits) {
                    let names = match goal == ways[0] {
                        true => vec![x.name, y.name],
                        false => vec![y.name, x.name],
                    };
                    self.found.push((goal, state.node, names));
                }
            }
        }
    }

    /// Whether more can be true of the symbols, besides what is.
    fn possible(
        &mut self,
        system: &mut System,
        known: &[Term],
        more: &[Term],
        limits: &Limits,
    ) -> bool {
        let (yes, no) = (system.terms.bool(true), system.terms.bool(false));
        let more: Vec<Term> = more.iter().copied().filter(|&fact| fact != yes).collect();
        if more.contains(&no) {
            return false;
        }
        if more.is_empty() {
            return true;
        }
        let symbols = system.terms.variables(&more);
        let mut facts = connected(&system.terms, known, &symbols);
        facts.extend(more);
        facts.sort();
        facts.dedup();
        if let Some(&answer) = self.solved.get(&facts) {
            return answer;
        }
        let solver = &mut self.solver;
        solver.limits = limits.clone();
        solver.push();
        for &fact in &facts {
            solver.assert(&system.terms, fact);
        }
        let answer = solver.check_within(&system.terms, &[], Some(MOST_FOR_ONE));
        let answer = matches!(answer, Answer::Sat(_));
        solver.pop();
        self.solved.insert(facts, answer);
        answer
    }

    /// The moves to a state as a run, if it is one that leads to the goal.
    fn confirm(
        &mut self,
        system: &mut System,
        goal: Goal,
        node: usize,
        ends: &[Name],
        limits: &Limits,
    ) -> Option<Hit> {
        let mut moves = Vec::new();
        let mut at = node;
        while let (parent, Some(step)) = &self.nodes[at] {
            moves.push(step.clone());
            at = *parent;
        }
        moves.reverse();
        let names = moves.iter().flat_map(|m| m.starts.iter().chain([&m.thread])).chain(ends);
        let pools = names.filter(|name| system.templates[name.template.index()].pool);
        let pools: Vec<Name> = pools.copied().collect();
        let mut run = Run::new(system, &pools);
        for &name in ends {
            let moves = moves.iter().any(|m| m.thread == name || m.starts.contains(&name));
            if !moves && system.templates[name.template.index()].pool {
                run.stand(system, name);
            }
        }
        for step in moves {
            run.add(system, step);
        }
        if let (Goal::Race(own, other), &[a, b]) = (goal, ends) {
            let end = run.last().clone();
            let (mine, theirs) = (access(system, own), access(system, other));
            let (left, right) = (end.map(system, a), end.map(system, b));
            let race = race(system, (&mine, &left), (&theirs, &right));
            run.beginning = system.terms.and(&[run.beginning, race]);
        }
        match check(system, &run, limits) {
            Feasibility::Possible(model) => Some(Hit { goal, run, model }),
            Feasibility::Impossible(_) | Feasibility::Unknown(_) => None,
        }
    }
}

fn access(system: &System, of: AccessOf) -> Access {
    system.templates[of.0.index()].accesses[of.1 as usize].clone()
}

/// That two accesses can both come next, to the same memory, with these values of variables.
pub fn race(
    system: &mut System,
    own: (&Access, &FxHashMap<Term, Term>),
    other: (&Access, &FxHashMap<Term, Term>),
) -> Term {
    let guards = [own, other].map(|(access, map)| system.terms.substitute(access.guard, map));
    let [mine, theirs] = [own, other].map(|(access, map)| -> Vec<Term> {
        let address = access.address.terms();
        address.iter().map(|&term| system.terms.substitute(term, map)).collect()
    });
    let same = overlap(&mut system.terms, (&mine, own.0.bytes), (&theirs, other.0.bytes));
    system.terms.and(&[guards[0], guards[1], same])
}

/// The steps of a template that lead back to where a thread may have come from.
fn back_steps(template: &crate::Template) -> Vec<usize> {
    let mut found = Vec::new();
    let mut entered: FxHashSet<At> = FxHashSet::default();
    let mut above: FxHashSet<At> = FxHashSet::default();
    let mut stack = vec![(template.entry, 0)];
    entered.insert(template.entry);
    above.insert(template.entry);
    while let Some((at, position)) = stack.last_mut() {
        let here = *at;
        let next = template.steps[*position..].iter().position(|step| step.from == here);
        let Some(offset) = next else {
            above.remove(&here);
            stack.pop();
            continue;
        };
        let index = *position + offset;
        *position = index + 1;
        if let End::To(to) = template.steps[index].end {
            if above.contains(&to) {
                found.push(index);
            } else if entered.insert(to) {
                above.insert(to);
                stack.push((to, 0));
            }
        }
    }
    found
}
