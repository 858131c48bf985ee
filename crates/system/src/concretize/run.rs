//! Moves in single-assignment form.
//!
//! Every move gets variables of its own for what it changes, so that a formula about the state
//! between two moves is over the variables of that [`Point`].

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use selvedge_smt::translate::{Concrete, Sym};
use selvedge_smt::{Model, Term};

use super::{Move, Name};
use crate::{At, End, Join, Step, System};

/// A sequence of moves and its formula.
#[derive(Clone, Debug)]
pub struct Run {
    pub moves: Vec<Move>,
    /// What holds at the beginning, and that threads have different numbers.
    pub beginning: Term,
    /// One formula for each move.
    pub parts: Vec<Term>,
    /// The state before each move, and the one behind the last.
    pub points: Vec<Point>,
    /// What stands for the inputs of each move.
    inputs: Vec<FxHashMap<Term, Term>>,
}

/// The state between two moves.
#[derive(Clone, Debug)]
pub struct Point {
    /// The variables of the system's shared variables, by position.
    pub shared: Vec<Term>,
    pub threads: BTreeMap<Name, Stand>,
}

/// Where a thread stands, and the variables of its locals.
#[derive(Clone, Debug)]
pub struct Stand {
    pub at: At,
    pub locals: Vec<Term>,
    /// What it returned, once it has ended.
    pub result: Option<Sym>,
}

impl Run {
    /// Nothing has happened yet. `threads` are those of pools that the moves will speak of.
    pub fn new(system: &mut System, threads: &[Name]) -> Run {
        let mut names: Vec<Name> = threads.to_vec();
        let instances = system.numbered().filter(|(_, template)| !template.pool);
        names.extend(instances.map(|(id, _)| Name::instance(id)));
        names.sort();
        names.dedup();
        let shared: Vec<Term> =
            (0..system.shared.len()).map(|at| copy(system, system.shared[at].term, "@0")).collect();
        let mut point = Point { shared, threads: BTreeMap::new() };
        let mut facts = Vec::new();
        for name in names {
            let template = &system.templates[name.template.index()];
            let terms: Vec<Term> = template.locals.iter().map(|v| v.term).collect();
            let suffix = match template.pool {
                true => format!("~{}@0", name.number),
                false => "@0".to_owned(),
            };
            let locals = terms.into_iter().map(|v| copy(system, v, &suffix)).collect();
            point.threads.insert(name, Stand { at: At::Unstarted, locals, result: None });
        }
        facts.push(point.shared_formula(system, system.initial));
        facts.push(point.shared_formula(system, system.ranges));
        facts.push(point.different_numbers(system));
        for &name in &point.threads.keys().copied().collect::<Vec<_>>() {
            let ranges = system.templates[name.template.index()].ranges;
            facts.push(point.formula(system, name, ranges));
        }
        let beginning = system.terms.and(&facts);
        let mut run = Run {
            moves: Vec::new(),
            beginning,
            parts: Vec::new(),
            points: vec![point],
            inputs: Vec::new(),
        };
        run.begin_instances(system);
        run
    }

    /// The run of these moves.
    pub fn of(system: &mut System, moves: &[Move]) -> Run {
        let pool = |name: &&Name| system.templates[name.template.index()].pool;
        let names = moves.iter().flat_map(|m| m.starts.iter().chain([&m.thread]));
        let names: Vec<Name> = names.filter(pool).copied().collect();
        let mut run = Run::new(system, &names);
        for step in moves {
            run.add(system, step.clone());
        }
        run
    }

    /// Instances of the beginning stand at their entries; threads of pools do so when they first
    /// move without having been started.
    fn begin_instances(&mut self, system: &mut System) {
        let mut facts = vec![self.beginning];
        let names: Vec<Name> = self.points[0].threads.keys().copied().collect();
        for name in names {
            let template = &system.templates[name.template.index()];
            if template.initial && !template.pool {
                facts.push(self.points[0].begin(system, name));
            }
        }
        self.beginning = system.terms.and(&facts);
    }

    /// A thread of a pool stands at its entry from the beginning, though it may never move.
    pub fn stand(&mut self, system: &mut System, name: Name) {
        let begins = self.points[0].begin(system, name);
        self.beginning = system.terms.and(&[self.beginning, begins]);
    }

    /// The state behind the last move.
    pub fn last(&self) -> &Point {
        self.points.last().expect("there is a beginning")
    }

    /// Adds a move at the end.
    pub fn add(&mut self, system: &mut System, step: Move) {
        let number = self.moves.len() + 1;
        let mut point = self.last().clone();
        let mut facts = Vec::new();
        if point.threads[&step.thread].at == At::Unstarted {
            facts.push(point.begin(system, step.thread));
        }
        let taken = system.templates[step.thread.template.index()].steps[step.step].clone();
        let inputs = fresh_inputs(system, &taken, number);
        let mut map = point.map(system, step.thread);
        map.extend(&inputs);
        let mut at_start = system.terms.bool(point.threads[&step.thread].at == taken.from);
        let gone = point.ended(system);
        for join in &taken.joins {
            let ended = joined(system, &gone, &map, join);
            at_start = system.terms.and(&[at_start, ended]);
        }
        facts.push(at_start);
        facts.push(system.terms.substitute(taken.guard, &map));
        facts.extend(point.change(system, &step, &taken, &map, number));
        self.parts.push(system.terms.and(&facts));
        self.points.push(point);
        self.inputs.push(inputs);
        self.moves.push(step);
    }

    /// Adds a last move that changes nothing: two threads meet where the formula about the state is
    /// true. The one that does not move is among those that the move starts.
    pub fn meet(&mut self, step: Move, formula: Term) {
        self.points.push(self.last().clone());
        self.parts.push(formula);
        self.inputs.push(FxHashMap::default());
        self.moves.push(step);
    }

    /// Takes the last move away.
    pub fn remove(&mut self) {
        self.moves.pop();
        self.parts.pop();
        self.inputs.pop();
        self.points.pop();
    }

    /// The threads of the beginning that the moves need.
    pub fn initial(&self, system: &System) -> Vec<Name> {
        let started = |name: &Name| self.moves.iter().any(|m| m.starts.contains(name));
        let mut found: Vec<Name> = Vec::new();
        let begun = self.points[0].threads.iter().filter(|(_, stand)| stand.at != At::Unstarted);
        let standing = begun.map(|(name, _)| *name);
        for name in standing.chain(self.moves.iter().map(|m| m.thread)) {
            let initial = system.templates[name.template.index()].initial;
            if initial && !started(&name) && !found.contains(&name) {
                found.push(name);
            }
        }
        found
    }

    /// The input that a move takes at one of its edges, as bits.
    pub(super) fn input(
        &self,
        system: &System,
        model: &Model,
        position: usize,
        edge: u32,
    ) -> Option<u64> {
        let step = &self.moves[position];
        let taken = &system.templates[step.thread.template.index()].steps[step.step];
        let input = taken.inputs.iter().find(|input| input.edge == edge)?;
        let renamed: Vec<Term> =
            input.term.terms().iter().map(|term| self.inputs[position][term]).collect();
        let value = Sym::from_terms(&renamed);
        match system.types().concrete(&system.terms, model, value, input.ty)? {
            Concrete::Bool(value) => Some(u64::from(value)),
            Concrete::Int(bits) => Some(bits),
            Concrete::Pointer(..) | Concrete::Thread(_) => Some(0),
        }
    }
}

impl Point {
    /// From the system's variables, those of a thread included, to those of this point.
    pub fn map(&self, system: &System, thread: Name) -> FxHashMap<Term, Term> {
        let locals = &system.templates[thread.template.index()].locals;
        let mut map = self.shared_map(system);
        let here = self.threads[&thread].locals.iter();
        map.extend(locals.iter().zip(here).map(|(v, &term)| (v.term, term)));
        map
    }

    pub fn shared_map(&self, system: &System) -> FxHashMap<Term, Term> {
        system.shared.iter().zip(&self.shared).map(|(v, &term)| (v.term, term)).collect()
    }

    /// A formula over shared variables, at this point.
    pub fn shared_formula(&self, system: &mut System, formula: Term) -> Term {
        let map = self.shared_map(system);
        system.terms.substitute(formula, &map)
    }

    /// A formula over shared variables and a thread's locals, at this point.
    pub fn formula(&self, system: &mut System, thread: Name, formula: Term) -> Term {
        let map = self.map(system, thread);
        system.terms.substitute(formula, &map)
    }

    /// The number of a thread.
    pub fn tid(&self, system: &mut System, thread: Name) -> Term {
        let tid = system.templates[thread.template.index()].tid;
        self.formula(system, thread, tid)
    }

    /// The threads of pools that have ended: their numbers, and what they returned.
    fn ended(&self, system: &mut System) -> Vec<(Term, Option<Sym>)> {
        let ended = self.threads.iter().filter(|(_, stand)| stand.at == At::Ended);
        let pool = |name: Name| system.templates[name.template.index()].pool;
        let ended: Vec<_> = ended.map(|(name, s)| (*name, s.result)).collect();
        let ended: Vec<_> = ended.into_iter().filter(|(name, _)| pool(*name)).collect();
        ended.into_iter().map(|(name, result)| (self.tid(system, name), result)).collect()
    }

    fn different_numbers(&self, system: &mut System) -> Term {
        let pools: Vec<Name> = self.threads.keys().copied().collect();
        let pools = pools.into_iter().filter(|n| system.templates[n.template.index()].pool);
        let pools: Vec<Name> = pools.collect();
        let tids: Vec<Term> = pools.into_iter().map(|name| self.tid(system, name)).collect();
        let mut facts = Vec::new();
        for (i, &a) in tids.iter().enumerate() {
            for &b in &tids[..i] {
                facts.push(system.terms.ne(a, b));
            }
        }
        system.terms.and(&facts)
    }

    /// Puts an unstarted thread at its entry, as one of the beginning.
    fn begin(&mut self, system: &mut System, name: Name) -> Term {
        let template = &system.templates[name.template.index()];
        if !template.initial {
            return system.terms.bool(false);
        }
        let (entry, begin) = (template.entry, template.begin.clone());
        let stand = self.threads.get_mut(&name).expect("a thread of the run");
        stand.at = entry;
        let locals = stand.locals.clone();
        let facts: Vec<Term> = begin
            .into_iter()
            .map(|(at, value)| system.terms.eq(locals[at as usize], value))
            .collect();
        system.terms.and(&facts)
    }

    /// What a step changes, as equations.
    fn change(
        &mut self,
        system: &mut System,
        step: &Move,
        taken: &Step,
        map: &FxHashMap<Term, Term>,
        number: usize,
    ) -> Vec<Term> {
        let mut facts = Vec::new();
        for &(at, value) in &taken.shared {
            let value = system.terms.substitute(value, map);
            let new = copy(system, system.shared[at as usize].term, &format!("@{number}"));
            facts.push(system.terms.eq(new, value));
            self.shared[at as usize] = new;
        }
        let result = taken.result.map(|result| renamed(system, result, map));
        for &(at, value) in &taken.locals {
            let value = system.terms.substitute(value, map);
            facts.push(self.set_local(system, step.thread, at, value, number));
        }
        let stand = self.threads.get_mut(&step.thread).expect("a thread of the run");
        if let End::To(at) = taken.end {
            stand.at = at;
        }
        stand.result = result;
        for (spawn, &name) in taken.spawns.iter().zip(&step.starts) {
            let free = self.threads[&name].at == At::Unstarted && name.template == spawn.template;
            facts.push(system.terms.bool(free));
            let tid = system.terms.substitute(spawn.tid, map);
            let own = self.tid(system, name);
            facts.push(system.terms.eq(tid, own));
            for &(at, value) in &spawn.args {
                let value = system.terms.substitute(value, map);
                facts.push(self.set_local(system, name, at, value, number));
            }
            let entry = system.templates[name.template.index()].entry;
            self.threads.get_mut(&name).expect("a thread of the run").at = entry;
        }
        facts
    }

    fn set_local(
        &mut self,
        system: &mut System,
        name: Name,
        at: u32,
        value: Term,
        number: usize,
    ) -> Term {
        let template = &system.templates[name.template.index()];
        let suffix = match template.pool {
            true => format!("~{}@{number}", name.number),
            false => format!("@{number}"),
        };
        let new = copy(system, template.locals[at as usize].term, &suffix);
        let stand = self.threads.get_mut(&name).expect("a thread of the run");
        stand.locals[at as usize] = new;
        system.terms.eq(new, value)
    }
}

/// That one of the threads of pools that have ended, by number and result, is the one waited for.
pub(super) fn joined(
    system: &mut System,
    ended: &[(Term, Option<Sym>)],
    map: &FxHashMap<Term, Term>,
    join: &Join,
) -> Term {
    let thread = system.terms.substitute(join.thread, map);
    let result = join.result.map(|result| renamed(system, result, map));
    let mut ways = Vec::new();
    for &(tid, returned) in ended {
        let is = system.terms.eq(tid, thread);
        let same = match (result, returned) {
            (None, _) => system.terms.bool(true),
            (Some(result), Some(returned)) if alike(result, returned) => {
                result.equal(&mut system.terms, returned)
            }
            (Some(result), None) => is_zero(system, result),
            // A result at another type is not followed.
            (Some(_), Some(_)) => system.terms.bool(false),
        };
        ways.push(system.terms.and(&[is, same]));
    }
    let one = system.terms.or(&ways);
    let when = system.terms.substitute(join.when, map);
    system.terms.implies(when, one)
}

fn alike(a: Sym, b: Sym) -> bool {
    a.terms().len() == b.terms().len()
}

fn is_zero(system: &mut System, value: Sym) -> Term {
    let zeros: Vec<Term> = value
        .terms()
        .into_iter()
        .map(|term| {
            let sort = system.terms.sort(term);
            let zero = selvedge_smt::Value::zero(&system.terms, sort);
            let zero = system.terms.value(&zero, sort);
            system.terms.eq(term, zero)
        })
        .collect();
    system.terms.and(&zeros)
}

fn renamed(system: &mut System, value: Sym, map: &FxHashMap<Term, Term>) -> Sym {
    let parts: Vec<Term> =
        value.terms().into_iter().map(|term| system.terms.substitute(term, map)).collect();
    Sym::from_terms(&parts)
}

fn fresh_inputs(system: &mut System, step: &Step, number: usize) -> FxHashMap<Term, Term> {
    let inputs = step.inputs.iter().flat_map(|input| input.term.terms());
    let inputs: Vec<Term> = inputs.collect();
    inputs.into_iter().map(|term| (term, copy(system, term, &format!("@{number}")))).collect()
}

/// The variable with something behind its name.
fn copy(system: &mut System, variable: Term, suffix: &str) -> Term {
    let name = system.terms.name(variable).expect("a variable").to_owned();
    let sort = system.terms.sort(variable);
    system.terms.var(&format!("{name}{suffix}"), sort)
}
