//! The obligations that make the relations true of every reachable state: they hold initially
//! (Initial), and every step of every thread, inside or outside of a relation's shape, keeps them
//! (Step). The family as a whole is the induction hypothesis, over all threads that take part:
//! those of the shape, the one that moves, those that it starts, those that it waits for.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::Span;
use selvedge_smt::Term;

use crate::ask::{Asker, Group, Outcome, Title};
use crate::space::{At, INPUT, Key, Slot};
use crate::threads::ThreadId;
use crate::verdict::Rejected;
use crate::walk::{Join, Step};
use crate::word::Val;

type Done = Result<(), Rejected>;

/// What putting values into a formula is worth, in units.
const SUBSTITUTION: usize = 5;

impl Asker<'_> {
    pub fn initial(&mut self) -> Done {
        for index in 0..self.family.relations.len() {
            let shape = self.family.relations[index].shape.clone();
            let choices: Vec<Vec<At>> =
                shape.iter().map(|slot| self.initial_places(slot.thread)).collect();
            for at in product(&choices) {
                self.initial_entry(index, &shape, &at)?;
            }
        }
        Ok(())
    }

    fn initial_places(&self, thread: ThreadId) -> Vec<At> {
        let data = self.space.threads.get(thread);
        match (data.initial, data.pool) {
            (false, _) => vec![At::Unstarted],
            (true, false) => vec![self.space.start(thread)],
            (true, true) => vec![At::Unstarted, self.space.start(thread)],
        }
    }

    fn initial_entry(&mut self, relation: usize, shape: &[Slot], at: &[At]) -> Done {
        self.obligations += 1;
        let group: Group = shape.iter().copied().zip(at.iter().copied()).collect();
        let assumed = self.initial_state(&group);
        let goal = self.goal(relation, at);
        let goal = self.space.terms.and(&goal);
        let places = at.iter().map(|at| at.name()).collect::<Vec<_>>().join(", ");
        let wrong = self.space.terms.not(goal);
        let name = &self.family.relations[relation].name;
        let text = format!("{name} does not hold initially, at ({places})");
        let title = Title { text, thread: None, span: Span::NONE };
        self.must_exclude(&group, &assumed, &[wrong], &title)
    }

    /// The conjuncts of a relation for a tuple of locations; false if there is none.
    fn goal(&mut self, relation: usize, at: &[At]) -> Rc<[Term]> {
        match self.family.relations[relation].entries.get(at) {
            Some(held) => held.conjuncts.clone(),
            None => [self.space.terms.bool(false)].into(),
        }
    }

    fn must_exclude(
        &mut self,
        group: &Group,
        assumed: &[Term],
        about: &[Term],
        title: &Title,
    ) -> Done {
        let undecided = |reason| Rejected::Undecided { obligation: title.text.clone(), reason };
        match self.excluded(group, assumed, about).map_err(undecided)? {
            Outcome::Holds => Ok(()),
            Outcome::Fails(model, formulas) => Err(self.failure(title, &model, &formulas)),
        }
    }

    fn initial_state(&mut self, group: &Group) -> Vec<Term> {
        let mut found = Vec::new();
        for variable in self.space.shared.clone() {
            let equal = variable.initial.map(|i| variable.value.equal(&mut self.space.terms, i));
            found.extend(equal);
        }
        for &(slot, at) in group {
            for (key, value) in self.begun(slot.thread, at) {
                let own = self.space.value(slot, key);
                found.extend(own.map(|own| own.equal(&mut self.space.terms, value)));
            }
        }
        for shown in self.family.shown.clone() {
            let at = self.initial_places(shown.thread)[0];
            let value = match shown.key {
                None => Some(Val::One(self.space.terms.int(at.code()))),
                Some(key) => self.begun(shown.thread, at).get(&key).copied(),
            };
            found.extend(value.map(|v| shown.value.equal(&mut self.space.terms, v)));
        }
        for counted in self.family.counted.clone() {
            let places = self.initial_places(counted.thread);
            let inside = places.iter().any(|at| counted.at.contains(at));
            // Of a pool, any number may begin there.
            if !(inside && self.space.threads.get(counted.thread).pool) {
                let number = self.space.terms.int(i32::from(inside));
                found.push(self.space.terms.eq(counted.value, number));
            }
        }
        for changed in self.family.changed.clone() {
            let nobody = self.space.words.id(&mut self.space.terms, 0);
            found.push(self.space.terms.eq(changed.value, nobody));
        }
        found
    }

    /// What a thread of the beginning has where it begins.
    fn begun(&mut self, thread: ThreadId, at: At) -> FxHashMap<Key, Val> {
        let mut found: FxHashMap<Key, Val> = FxHashMap::default();
        for key in self.space.live(thread, at) {
            let value = match key {
                Key::Local(_) | Key::Result => self
                    .space
                    .ty(thread, key)
                    .map(|ty| self.space.words.zero(&mut self.space.terms, ty)),
                Key::Own(cell) => self.space.initials.get(&cell).copied().flatten(),
                Key::Tid => None,
            };
            found.extend(value.map(|value| (key, value)));
        }
        found
    }

    pub fn steps(&mut self, steps: &[Step]) -> Done {
        for relation in 0..self.family.relations.len() {
            for step in steps {
                self.preserved(relation, step)?;
            }
        }
        Ok(())
    }

    /// A step concerns the entries where its thread stands at its beginning, as a step of their own,
    /// and those that speak of what it changes or whose thread it starts, as a step of another
    /// thread. It keeps all others.
    fn preserved(&mut self, relation: usize, step: &Step) -> Done {
        let changed = self.changed(step);
        let related = &self.family.relations[relation];
        let within = related.shape.iter().any(|slot| slot.thread == step.thread);
        let others = !within || self.space.threads.get(step.thread).pool;
        let own = related.standing.get(&(step.thread, step.from));
        let mut touched: BTreeSet<usize> = BTreeSet::new();
        if others {
            let starts = step.starts.iter().map(|start| (start.thread, At::Unstarted));
            let starts = starts.filter_map(|start| related.standing.get(&start));
            let mentioned = changed.iter().filter_map(|term| related.mentioning.get(term));
            touched.extend(starts.chain(mentioned).flatten());
            self.obligations += related.order.len() - touched.len();
        }
        let concerned: BTreeSet<usize> =
            touched.iter().chain(own.into_iter().flatten()).copied().collect();
        self.spend(1 + concerned.len(), "the steps of the threads")?;
        for place in concerned {
            let related = &self.family.relations[relation];
            let at = related.order[place].iter().copied();
            let group: Group = related.shape.iter().copied().zip(at).collect();
            for (index, &(slot, at)) in group.iter().enumerate() {
                if slot.thread == step.thread && at == step.from {
                    self.moved(relation, &group, index, step)?;
                }
            }
            if touched.contains(&place) {
                let mut larger = group.clone();
                larger.push((next_slot(&group, step.thread), step.from));
                self.moved(relation, &larger, group.len(), step)?;
            }
        }
        Ok(())
    }

    /// The shared variables that a step may change, ghosts included.
    fn changed(&self, step: &Step) -> Vec<Term> {
        let shared = step.shared.keys().flat_map(|at| self.space.shared[*at].value.terms());
        let moves = |thread| {
            step.thread == thread || step.starts.iter().any(|start| start.thread == thread)
        };
        let shown = self.family.shown.iter().filter(|shown| moves(shown.thread));
        let counted = self.family.counted.iter().filter(|counted| moves(counted.thread));
        let changers = self.family.changed.iter();
        let changers = changers.filter(|changed| step.shared.contains_key(&changed.shared));
        shared
            .chain(changers.map(|changed| changed.value))
            .chain(shown.flat_map(|shown| shown.value.terms()))
            .chain(counted.map(|counted| counted.value))
            .collect()
    }

    /// A step of a thread of the group, with every choice of those that it starts and waits for.
    /// The relation is about the first threads of the group.
    fn moved(&mut self, relation: usize, group: &Group, mover: usize, step: &Step) -> Done {
        for (group, starts) in self.started(group, step, 0, Vec::new()) {
            for (group, joins) in joined(&group, mover, &starts, &step.joins) {
                self.step_case(relation, &Case { group, mover, starts: &starts, joins }, step)?;
            }
        }
        Ok(())
    }

    /// The choices of threads that a step starts: of the group, or new ones.
    fn started(
        &self,
        group: &Group,
        step: &Step,
        next: usize,
        chosen: Vec<usize>,
    ) -> Vec<(Group, Vec<usize>)> {
        let Some(start) = step.starts.get(next) else { return vec![(group.clone(), chosen)] };
        let mut found = Vec::new();
        let mut known = false;
        for (place, &(slot, at)) in group.iter().enumerate() {
            if slot.thread != start.thread {
                continue;
            }
            known = true;
            if at == At::Unstarted && !chosen.contains(&place) {
                let more = [&chosen[..], &[place]].concat();
                found.extend(self.started(group, step, next + 1, more));
            }
        }
        if !known || self.space.threads.get(start.thread).pool {
            let mut larger = group.clone();
            larger.push((next_slot(group, start.thread), At::Unstarted));
            let more = [&chosen[..], &[group.len()]].concat();
            found.extend(self.started(&larger, step, next + 1, more));
        }
        found
    }

    fn step_case(&mut self, relation: usize, case: &Case<'_>, step: &Step) -> Done {
        self.obligations += 1;
        let Some(assumed) = self.premise(&case.group) else { return Ok(()) };
        // Every formula is substituted into.
        self.spend(SUBSTITUTION * (1 + self.family.relations.len()), "the steps of the threads")?;
        let (slot, from) = case.group[case.mover];
        let map = self.instance(slot, &step.inputs);
        let count = self.family.relations[relation].shape.len();
        let mut at: Vec<At> = case.group[..count].iter().map(|(_, at)| *at).collect();
        let mut go = |place: usize, to: At| {
            if let Some(at) = at.get_mut(place) {
                *at = to;
            }
        };
        go(case.mover, step.to);
        for &place in case.starts {
            go(place, self.space.start(case.group[place].0.thread));
        }
        let (after, mut about) = self.after(case, step, &map, &at, relation);
        let Some(wrong) = self.not_kept(relation, &at, &after, &assumed) else { return Ok(()) };
        about.push(self.take(step.guard, &map));
        about.extend(self.partners(case, step, &map));
        about.extend(self.few_after(&after));
        about.push(wrong);
        let name = &self.family.relations[relation].name;
        let inside = if case.mover < count { "its own" } else { "another" };
        let places = at.iter().map(|at| at.name()).collect::<Vec<_>>().join(", ");
        let text = format!(
            "{name} is not kept by a step of {inside} thread, to {}: it should hold at ({places})",
            step.to.name()
        );
        let title = Title { text, thread: Some((slot, from)), span: step.span };
        self.must_exclude(&case.group, &assumed, &about, &title)
    }

    /// That something of a relation does not hold after a step; none if all of it is assumed.
    fn not_kept(
        &mut self,
        relation: usize,
        at: &[At],
        after: &FxHashMap<Term, Term>,
        assumed: &[Term],
    ) -> Option<Term> {
        let known: FxHashSet<Term> = assumed.iter().copied().collect();
        let always = self.space.terms.bool(true);
        let mut open = Vec::new();
        for &conjunct in self.goal(relation, at).iter() {
            let then = self.take(conjunct, after);
            if then != always && !known.contains(&then) {
                open.push(then);
            }
        }
        let all = self.space.terms.and(&open);
        (!open.is_empty()).then(|| self.space.terms.not(all))
    }

    /// If few threads exist at once, then also after the step.
    fn few_after(&mut self, after: &FxHashMap<Term, Term>) -> Vec<Term> {
        let mut found = Vec::new();
        for counted in self.family.counted.clone() {
            if let (Some(&then), Some(most)) = (after.get(&counted.value), self.most(&counted)) {
                found.push(self.space.terms.le(then, most));
            }
        }
        found
    }

    /// That the threads started and waited for are those of the group.
    fn partners(&mut self, case: &Case<'_>, step: &Step, map: &FxHashMap<Term, Term>) -> Vec<Term> {
        let mut found = Vec::new();
        for (start, &place) in step.starts.iter().zip(case.starts) {
            let tid = self.space.tid(case.group[place].0);
            let named = self.take(start.tid, map);
            found.push(self.space.terms.eq(tid, named));
        }
        found.extend(self.waited(&case.group, &case.joins, &step.joins, map));
        found
    }

    pub fn waited(
        &mut self,
        group: &Group,
        places: &[usize],
        joins: &[Join],
        map: &FxHashMap<Term, Term>,
    ) -> Vec<Term> {
        let mut found = Vec::new();
        for (join, &place) in joins.iter().zip(places) {
            let tid = self.space.tid(group[place].0);
            let named = self.take(join.tid, map);
            found.push(self.space.terms.eq(tid, named));
            if let Some(result) = join.result
                && let Some(returned) = self.space.value(group[place].0, Key::Result)
            {
                let result = self.take_value(result, map);
                found.push(result.equal(&mut self.space.terms, returned));
            }
        }
        found
    }

    /// The values after a step, of all variables that it may change and that the relation speaks of
    /// there, and the ranges of those that may be anything.
    fn after(
        &mut self,
        case: &Case<'_>,
        step: &Step,
        map: &FxHashMap<Term, Term>,
        at: &[At],
        relation: usize,
    ) -> (FxHashMap<Term, Term>, Vec<Term>) {
        let entry = self.family.relations[relation].entries.get(at);
        let spoken_of = entry.map(|held| held.variables.clone()).unwrap_or_default();
        let mut after: FxHashMap<Term, Term> = FxHashMap::default();
        let mut ranges = Vec::new();
        for (&at, &value) in &step.shared {
            let new = self.take_value(value, map);
            after.extend(self.space.shared[at].value.terms().into_iter().zip(new.terms()));
        }
        self.changers_after(case, step, &mut after);
        let mover = (case.group[case.mover].0, step.from, step.to, &step.own);
        let starts = step.starts.iter().zip(case.starts).map(|(start, &place)| {
            let slot = case.group[place].0;
            (slot, At::Unstarted, self.space.start(slot.thread), &start.own)
        });
        let moves: Vec<_> = std::iter::once(mover).chain(starts).collect();
        for &(slot, _, to, own) in &moves {
            for key in self.space.live(slot.thread, to).into_iter().filter(|k| *k != Key::Tid) {
                let Some(variable) = self.space.value(slot, key) else { continue };
                if !variable.terms().iter().any(|term| spoken_of.contains(term)) {
                    continue;
                }
                let new = match own.get(&key) {
                    Some(&value) => self.take_value(value, map),
                    None => {
                        let any = self.anything(variable);
                        let ty = self.space.ty(slot.thread, key);
                        let words = self.space.words;
                        let range = ty.map(|ty| words.in_range(&mut self.space.terms, any, ty));
                        ranges.extend(range);
                        any
                    }
                };
                after.extend(variable.terms().into_iter().zip(new.terms()));
            }
        }
        for &(slot, from, to, own) in &moves {
            self.ghosts_after(slot.thread, (from, to), own, map, &mut after);
        }
        (after, ranges)
    }

    /// Who moves is the last to change what has another value afterwards.
    fn changers_after(&mut self, case: &Case<'_>, step: &Step, after: &mut FxHashMap<Term, Term>) {
        let mover = self.space.tid(case.group[case.mover].0);
        for changed in self.family.changed.clone() {
            let variable = self.space.shared[changed.shared].value.one();
            if let (true, Some(&then)) =
                (step.shared.contains_key(&changed.shared), after.get(&variable))
            {
                let same = self.space.terms.eq(variable, then);
                let who = self.space.terms.ite(same, changed.value, mover);
                after.insert(changed.value, who);
            }
        }
    }

    /// A value of which nothing is known, in place of a variable.
    fn anything(&mut self, variable: Val) -> Val {
        let mut new = |term| {
            let sort = self.space.terms.sort(term);
            self.space.terms.fresh(INPUT, sort)
        };
        match variable {
            Val::One(term) => Val::One(new(term)),
            Val::Two(object, offset) => Val::Two(new(object), new(offset)),
        }
    }

    /// Ghosts follow a thread that goes from one place to another.
    fn ghosts_after(
        &mut self,
        thread: ThreadId,
        (from, to): (At, At),
        own: &FxHashMap<Key, Val>,
        map: &FxHashMap<Term, Term>,
        after: &mut FxHashMap<Term, Term>,
    ) {
        for shown in self.family.shown.clone().into_iter().filter(|s| s.thread == thread) {
            let new = match shown.key {
                None => Some(Val::One(self.space.terms.int(to.code()))),
                Some(key) => own.get(&key).map(|&value| self.take_value(value, map)),
            };
            let new = new.into_iter().flat_map(Val::terms);
            after.extend(shown.value.terms().into_iter().zip(new));
        }
        for counted in self.family.counted.clone().into_iter().filter(|c| c.thread == thread) {
            let (before, then) = (counted.at.contains(&from), counted.at.contains(&to));
            let change = self.space.terms.int(i32::from(then) - i32::from(before));
            let old = after.get(&counted.value).copied().unwrap_or(counted.value);
            let new = self.space.terms.add(&[old, change]);
            after.insert(counted.value, new);
        }
    }
}

/// A step with all who take part in it, as places of the group.
struct Case<'c> {
    group: Group,
    mover: usize,
    starts: &'c [usize],
    joins: Vec<usize>,
}

/// One more thread of a kind.
pub fn next_slot(group: &Group, thread: ThreadId) -> Slot {
    Slot { thread, copy: 1 + group.iter().filter(|(slot, _)| slot.thread == thread).count() }
}

/// The choices of threads of pools that a step waits for: of the group where they have ended, or
/// new ones. Two joins may be of one thread.
pub fn joined(
    group: &Group,
    mover: usize,
    starts: &[usize],
    joins: &[Join],
) -> Vec<(Group, Vec<usize>)> {
    let mut found = vec![(group.clone(), Vec::new())];
    for join in joins {
        let mut more = Vec::new();
        for (group, chosen) in found {
            for (place, &(slot, at)) in group.iter().enumerate() {
                let fits = slot.thread == join.thread && at == At::Ended;
                if fits && place != mover && !starts.contains(&place) {
                    more.push((group.clone(), [&chosen[..], &[place]].concat()));
                }
            }
            let mut larger = group.clone();
            larger.push((next_slot(&group, join.thread), At::Ended));
            more.push((larger, [&chosen[..], &[group.len()]].concat()));
        }
        found = more;
    }
    found
}

/// Every choice of one from each.
fn product(choices: &[Vec<At>]) -> Vec<Vec<At>> {
    let mut found = vec![Vec::new()];
    for choice in choices {
        let longer = |start: &Vec<At>| {
            choice.iter().map(|at| [&start[..], &[*at]].concat()).collect::<Vec<_>>()
        };
        found = found.iter().flat_map(longer).collect();
    }
    found
}
