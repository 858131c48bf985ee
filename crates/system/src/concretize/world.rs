//! A state of an execution whose inputs are not known yet.
//!
//! Values are terms; most are constants, and the rest is over *symbols*, which stand for inputs, with
//! a condition on them. Symbols are named by where they occur, so that states which differ in nothing
//! else are the same.

use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::translate::Sym;
use selvedge_smt::{Op, Sort, Term, Terms, Value};

use super::run::joined;
use super::{Move, Name};
use crate::{At, End, Step, System, TemplateId, Variable, What};

#[derive(Clone, Debug)]
pub struct World {
    /// By position in the system's shared variables.
    pub shared: Vec<Term>,
    /// Those that run; those that have ended only where somebody may wait for them.
    pub actors: Vec<Rc<Actor>>,
    /// On the symbols; all true together.
    pub condition: Vec<Term>,
    /// How many threads of pools have started.
    started: u32,
    symbols: u32,
}

#[derive(Clone, Debug)]
pub struct Actor {
    pub name: Name,
    pub at: At,
    /// What does not matter has no value.
    pub locals: Vec<Option<Term>>,
    pub moved: bool,
    /// Of a thread of a pool: the value of its own number.
    number: u64,
    result: Option<Sym>,
}

/// A step, with its guard in parts, and those of its changes that matter.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub index: usize,
    pub step: Step,
    guards: Vec<Term>,
    shared: Vec<(u32, Term)>,
    locals: Vec<(u32, Term)>,
}

impl Prepared {
    /// The steps of a template.
    pub fn of(system: &System, id: TemplateId, relevant: &FxHashSet<Term>) -> Vec<Prepared> {
        let template = &system.templates[id.index()];
        let prepare = |(index, step): (usize, &Step)| {
            let matters = |variables: &[Variable], changes: &[(u32, Term)]| {
                let matters = |at: u32| relevant.contains(&variables[at as usize].term);
                changes.iter().copied().filter(|(at, _)| matters(*at)).collect()
            };
            Prepared {
                index,
                step: step.clone(),
                guards: system.terms.conjuncts(&[step.guard]),
                shared: matters(&system.shared, &step.shared),
                locals: matters(&template.locals, &step.locals),
            }
        };
        template.steps.iter().enumerate().map(prepare).collect()
    }
}

/// The variables that can matter for which steps are possible and which memory is accessed.
pub fn relevant(system: &System) -> FxHashSet<Term> {
    let mut roots = Vec::new();
    let mut changes = Vec::new();
    for template in &system.templates {
        let accesses = template.accesses.iter();
        roots.extend(accesses.flat_map(|a| a.address.terms().into_iter().chain([a.guard])));
        roots.push(template.tid);
        for step in &template.steps {
            roots.push(step.guard);
            for join in &step.joins {
                roots.extend([join.when, join.thread]);
                roots.extend(join.result.iter().flat_map(|result| result.terms()));
            }
            roots.extend(step.result.iter().flat_map(|result| result.terms()));
            let shared = step.shared.iter().map(|&(at, v)| (system.shared[at as usize].term, v));
            let locals = step.locals.iter().map(|&(at, v)| (template.locals[at as usize].term, v));
            changes.extend(shared.chain(locals));
            for spawn in &step.spawns {
                let started = &system.templates[spawn.template.index()].locals;
                changes.extend(spawn.args.iter().map(|&(at, v)| (started[at as usize].term, v)));
            }
        }
    }
    let mut known: FxHashSet<Term> = system.terms.variables(&roots).into_iter().collect();
    loop {
        let (now, later): (Vec<_>, Vec<_>) =
            changes.into_iter().partition(|(variable, _)| known.contains(variable));
        if now.is_empty() {
            return known;
        }
        let values: Vec<Term> = now.into_iter().map(|(_, value)| value).collect();
        known.extend(system.terms.variables(&values));
        changes = later;
    }
}

impl World {
    /// Nothing has happened yet.
    pub fn new(system: &mut System) -> World {
        let facts = system.terms.conjuncts(&[system.initial]);
        let mut known: FxHashMap<Term, Term> = FxHashMap::default();
        for &fact in &facts {
            known.extend(equation(&mut system.terms, fact));
        }
        let value = |v: &Variable| known.get(&v.term).copied().unwrap_or(v.term);
        let shared: Vec<Term> = system.shared.iter().map(value).collect();
        let facts = [system.initial, system.ranges].map(|f| system.terms.substitute(f, &known));
        let condition = system.terms.conjuncts(&facts);
        let mut world = World { shared, actors: Vec::new(), condition, started: 0, symbols: 0 };
        let initial: Vec<Name> = system
            .numbered()
            .filter(|(_, template)| template.initial && !template.pool)
            .map(|(id, _)| Name::instance(id))
            .collect();
        for name in initial {
            world.begin(system, name);
        }
        world.tidy(system);
        world
    }

    /// A thread of the beginning stands at its entry.
    pub fn begin(&mut self, system: &mut System, name: Name) {
        self.enter(system, name);
        let begin = &system.templates[name.template.index()].begin;
        if let Some(actor) = self.actors.last_mut().map(Rc::make_mut) {
            for &(at, value) in begin {
                actor.locals[at as usize] = Some(value);
            }
        }
    }

    /// A thread stands at its entry. Gives its number, of a thread of a pool.
    fn enter(&mut self, system: &mut System, name: Name) -> Option<Term> {
        let number = self.free_number(system);
        let template = &system.templates[name.template.index()];
        let mut locals = vec![None; template.locals.len()];
        let mut own = None;
        if let Some(at) = own_number(system, name) {
            let sort = system.terms.sort(template.locals[at].term);
            let value = match sort {
                Sort::BitVec(width) => Value::bv(number.into(), width),
                _ => Value::int(number),
            };
            own = Some(system.terms.value(&value, sort));
            locals[at] = own;
        }
        let at = system.templates[name.template.index()].entry;
        let actor = Actor { name, at, locals, moved: false, number, result: None };
        self.actors.push(Rc::new(actor));
        own
    }

    /// A name for one more thread of a pool.
    pub fn new_name(&mut self, template: TemplateId) -> Name {
        self.started += 1;
        Name { template, number: self.started }
    }

    /// From the system's variables, those of a thread included, to their values.
    pub fn map(&self, system: &System, who: usize) -> FxHashMap<Term, Term> {
        let shared = system.shared.iter().zip(&self.shared).map(|(v, &value)| (v.term, value));
        let mut map: FxHashMap<Term, Term> = shared.collect();
        let actor = &self.actors[who];
        let locals = &system.templates[actor.name.template.index()].locals;
        let known = locals.iter().zip(&actor.locals);
        map.extend(known.filter_map(|(v, value)| value.map(|value| (v.term, value))));
        map
    }

    /// The state after a step, and what it needs to be true of the symbols; none if that is false.
    /// `map` is that of the thread.
    pub fn take(
        &self,
        system: &mut System,
        who: usize,
        map: &mut FxHashMap<Term, Term>,
        taken: &Prepared,
    ) -> Option<(World, Move, Vec<Term>)> {
        let step = &taken.step;
        let mut symbols = self.symbols;
        for input in step.inputs.iter().flat_map(|input| input.term.terms()) {
            let value = symbol(&mut system.terms, input, symbols);
            map.insert(input, value);
            symbols += 1;
        }
        if step.spawns.is_empty() && !self.allows(system, &taken.guards, map) {
            return None;
        }
        let mut world = World { symbols, ..self.clone() };
        let starts = world.start(system, step, map)?;
        let mut needed: Vec<Term> =
            taken.guards.iter().map(|&guard| system.terms.substitute(guard, map)).collect();
        let ended = self.ended(system);
        for join in &step.joins {
            needed.push(joined(system, &ended, map, join));
        }
        let needed = system.terms.conjuncts(&needed);
        if needed.contains(&system.terms.bool(false)) {
            return None;
        }
        world.change(system, who, taken, map, &starts)?;
        world.condition.extend(&needed);
        let step = Move { thread: self.actors[who].name, step: taken.index, starts };
        Some((world, step, needed))
    }

    /// Whether no guard is plainly false.
    fn allows(&self, system: &mut System, guards: &[Term], map: &FxHashMap<Term, Term>) -> bool {
        let no = system.terms.bool(false);
        guards.iter().all(|&guard| system.terms.substitute(guard, map) != no)
    }

    /// Who starts. Numbers of threads are inputs of the program; here they are the least free ones.
    fn start(
        &mut self,
        system: &mut System,
        step: &Step,
        map: &mut FxHashMap<Term, Term>,
    ) -> Option<Vec<Name>> {
        let mut starts = Vec::new();
        for spawn in &step.spawns {
            let name = match system.templates[spawn.template.index()].pool {
                true => self.new_name(spawn.template),
                false => Name::instance(spawn.template),
            };
            if self.actors.iter().any(|actor| actor.name == name) {
                return None;
            }
            if let Some(number) = self.enter(system, name) {
                map.insert(spawn.tid, number);
            }
            starts.push(name);
        }
        Some(starts)
    }

    fn change(
        &mut self,
        system: &mut System,
        who: usize,
        taken: &Prepared,
        map: &FxHashMap<Term, Term>,
        starts: &[Name],
    ) -> Option<()> {
        let step = &taken.step;
        for &(at, value) in &taken.shared {
            self.shared[at as usize] = system.terms.substitute(value, map);
        }
        for &(at, value) in &taken.locals {
            let value = system.terms.substitute(value, map);
            self.actor(who).locals[at as usize] = Some(value);
        }
        for (spawn, name) in step.spawns.iter().zip(starts) {
            let started = self.actors.iter().position(|actor| actor.name == *name)?;
            for &(at, value) in &spawn.args {
                let value = system.terms.substitute(value, map);
                self.actor(started).locals[at as usize] = Some(value);
            }
        }
        self.actor(who).moved = true;
        let End::To(at) = step.end else { return Some(()) };
        self.actor(who).at = at;
        if let Some(result) = step.result {
            let parts = result.terms();
            let parts: Vec<Term> =
                parts.iter().map(|&term| system.terms.substitute(term, map)).collect();
            self.actor(who).result = Some(Sym::from_terms(&parts));
        }
        Some(())
    }

    fn actor(&mut self, who: usize) -> &mut Actor {
        Rc::make_mut(&mut self.actors[who])
    }

    /// The numbers of the threads of pools that have ended, and what they returned.
    fn ended(&self, system: &System) -> Vec<(Term, Option<Sym>)> {
        let ended = self.actors.iter().filter(|actor| actor.at == At::Ended);
        let number = |actor: &Rc<Actor>| {
            let at = own_number(system, actor.name)?;
            Some((actor.locals[at]?, actor.result))
        };
        ended.filter_map(number).collect()
    }

    /// Forgets what does not matter any more, and names symbols anew.
    pub fn tidy(&mut self, system: &mut System) {
        let joins = system.templates.iter().flat_map(|t| &t.steps).any(|s| !s.joins.is_empty());
        self.actors.retain(|actor| {
            let pool = system.templates[actor.name.template.index()].pool;
            actor.at != At::Ended || joins && pool
        });
        for actor in &mut self.actors {
            let At::Cut(at) = actor.at else { continue };
            let live = &system.templates[actor.name.template.index()].locations[at as usize].live;
            let dead = |(position, value): (usize, &Option<Term>)| {
                value.is_some() && !live.contains(&(position as u32))
            };
            let dead: Vec<bool> = actor.locals.iter().enumerate().map(dead).collect();
            if dead.contains(&true) {
                let values = Rc::make_mut(actor).locals.iter_mut().zip(dead);
                values.filter(|(_, dead)| *dead).for_each(|(value, _)| *value = None);
            }
        }
        self.forget_conditions(system);
        self.rename(system);
    }

    /// What is true of symbols that nothing depends on.
    fn forget_conditions(&mut self, system: &mut System) {
        let truth = system.terms.bool(true);
        self.condition.retain(|&fact| fact != truth);
        self.condition.sort();
        self.condition.dedup();
        if self.condition.is_empty() {
            return;
        }
        let values: Vec<Term> = self.values().collect();
        let used = system.terms.variables(&values);
        self.condition = connected(&system.terms, &self.condition, &used);
    }

    fn values(&self) -> impl Iterator<Item = Term> {
        let locals = self.actors.iter().flat_map(|actor| actor.locals.iter().flatten());
        self.shared.iter().chain(locals).copied()
    }

    fn rename(&mut self, system: &mut System) {
        let mut renamed: FxHashMap<Term, Term> = FxHashMap::default();
        self.symbols = 0;
        let mut same = true;
        let values: Vec<Term> = self.values().chain(self.condition.iter().copied()).collect();
        for value in values {
            if system.terms.constant(value).is_some() {
                continue;
            }
            for variable in system.terms.variables(&[value]) {
                if let Entry::Vacant(entry) = renamed.entry(variable) {
                    let new = symbol(&mut system.terms, variable, self.symbols);
                    self.symbols += 1;
                    same &= new == variable;
                    entry.insert(new);
                }
            }
        }
        if same {
            return;
        }
        let terms = &mut system.terms;
        let mut rename = |value: Term| match terms.constant(value) {
            Some(_) => value,
            None => terms.substitute(value, &renamed),
        };
        for value in self.shared.iter_mut().chain(&mut self.condition) {
            *value = rename(*value);
        }
        for actor in &mut self.actors {
            let locals: Vec<_> = actor.locals.iter().map(|value| value.map(&mut rename)).collect();
            if locals != actor.locals {
                Rc::make_mut(actor).locals = locals;
            }
        }
        self.condition.sort();
    }

    /// A number that tells states apart, as good as always.
    pub fn key(&self, last: Option<usize>) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.shared.hash(&mut hasher);
        self.condition.hash(&mut hasher);
        for actor in &self.actors {
            (actor.name.template, actor.at, &actor.locals).hash(&mut hasher);
        }
        last.hash(&mut hasher);
        hasher.finish()
    }

    /// Whether a thread is like an earlier one that has not moved either.
    pub fn is_copy(&self, system: &System, who: usize) -> bool {
        let own = &self.actors[who];
        let number = own_number(system, own.name);
        let alike = |other: &Rc<Actor>| {
            let mut locals = own.locals.iter().zip(&other.locals).enumerate();
            !other.moved
                && other.name.template == own.name.template
                && locals.all(|(at, (a, b))| a == b || Some(at) == number)
        };
        !own.moved && self.actors[..who].iter().any(alike)
    }

    fn free_number(&self, system: &System) -> u64 {
        let first = system.templates.iter().filter(|t| !t.pool).count() as u64 + 1;
        let taken = |number: &u64| self.actors.iter().any(|actor| actor.number == *number);
        (first..).find(|number| !taken(number)).unwrap_or(first)
    }
}

/// Where a thread of a pool keeps its number.
fn own_number(system: &System, name: Name) -> Option<usize> {
    let locals = &system.templates[name.template.index()].locals;
    locals.iter().position(|v| v.what == What::Tid)
}

fn symbol(terms: &mut Terms, like: Term, number: u32) -> Term {
    let sort = terms.sort(like);
    terms.var(&format!("${sort:?}.{number}"), sort)
}

/// The facts that have to do with some symbols, directly or by way of other facts.
pub fn connected(terms: &Terms, facts: &[Term], symbols: &[Term]) -> Vec<Term> {
    let mut known: FxHashSet<Term> = symbols.iter().copied().collect();
    let mut rest: Vec<(Term, Vec<Term>)> =
        facts.iter().map(|&fact| (fact, terms.variables(&[fact]))).collect();
    let mut found = Vec::new();
    loop {
        let (touched, others): (Vec<_>, Vec<_>) = rest
            .into_iter()
            .partition(|(_, mentioned)| mentioned.iter().any(|v| known.contains(v)));
        if touched.is_empty() {
            found.sort();
            return found;
        }
        for (fact, mentioned) in touched {
            found.push(fact);
            known.extend(mentioned);
        }
        rest = others;
    }
}

/// A variable and the constant that it equals, if that is what a fact says.
fn equation(terms: &mut Terms, fact: Term) -> Option<(Term, Term)> {
    let (yes, no) = (terms.bool(true), terms.bool(false));
    if terms.name(fact).is_some() {
        return Some((fact, yes));
    }
    let closed = |term: Term| terms.variables(&[term]).is_empty();
    match (terms.op(fact), terms.args(fact)) {
        (Op::Not, &[a]) if terms.name(a).is_some() => Some((a, no)),
        (Op::Eq, &[a, b]) if terms.name(a).is_some() && closed(b) => Some((a, b)),
        (Op::Eq, &[a, b]) if terms.name(b).is_some() && closed(a) => Some((b, a)),
        _ => None,
    }
}
