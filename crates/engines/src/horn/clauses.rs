//! Thread-modular Horn clauses at a level.
//!
//! There is one unknown relation for each shape and each tuple of locations of its threads, over the
//! shared variables and the live locals. With W the threads that a clause speaks about, its body has
//! the relations of all shapes among W. Clauses say:
//! - the relations hold initially;
//! - they hold after a step of a thread of the shape, or of another thread, which may start a thread
//!   of the shape or another one (W is the shape, the thread that moves and the threads it starts);
//! - identical threads may be exchanged (of a tuple of locations only the sorted one is used);
//! - no bad step is possible.
//!
//! A solution is an invariant of any number of threads: every state satisfies the relation of every
//! choice of threads, by induction. Tuples of locations that no step leads to get no relation, which
//! stands for "false".

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::horn::{Atom, Definition, Derivation, Horn, RelationId, Rule, Solution};
use selvedge_smt::{Sort, Term, Terms};

use super::linear::Facts;
use super::shapes::{Level, Shape, selections};
use super::view::{Move, Thread, View};
use crate::system::{At, Bad};

/// A thread of a clause: its template and where it stands.
pub type Placed = (usize, At);

/// A shape, by its number, with the sorted locations of its threads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub shape: usize,
    pub places: Vec<At>,
}

/// The clauses of a level.
#[derive(Debug)]
pub struct Clauses {
    pub horn: Horn,
    pub shapes: Vec<Shape>,
    /// The relations, by their numbers.
    pub keys: Vec<Key>,
    /// What each rule stands for, by its number.
    pub origins: Vec<Origin>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Initial,
    /// The thread at this position with the one before it.
    Exchange(usize),
    Step(StepOrigin),
}

/// A rule for a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepOrigin {
    /// The threads: those of the head first.
    pub threads: Vec<Placed>,
    /// How many of them are of the head's shape.
    pub tracked: usize,
    /// Which of them moves, and by which of its moves.
    pub mover: usize,
    pub step: usize,
    /// Which of them it starts.
    pub children: Vec<usize>,
    /// The threads of each atom of the body, in the order of its arguments.
    pub body: Vec<Vec<usize>>,
    /// The threads of the head in the order of its arguments; empty for a query.
    pub head: Vec<usize>,
}

/// Too many relations or rules for the solver to have a chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

const MAX_RELATIONS: usize = 4_000;
const MAX_RULES: usize = 60_000;

impl Clauses {
    pub fn of(
        terms: &mut Terms,
        view: &View,
        level: &Level,
        facts: &Facts,
    ) -> Result<Clauses, TooMany> {
        let shapes = level.shapes(view);
        let reach = Reach::of(view, &shapes, facts)?;
        let mut builder = Builder {
            terms,
            view,
            shapes,
            facts,
            horn: Horn::new(),
            ids: FxHashMap::default(),
            origins: Vec::new(),
            renamed: FxHashMap::default(),
        };
        for key in &reach.keys {
            builder.declare(key);
        }
        for shape in 0..builder.shapes.len() {
            for places in beginnings(view, &builder.shapes[shape].clone()) {
                builder.initial(shape, places);
            }
        }
        for key in &reach.keys {
            builder.exchange(key);
        }
        for situation in reach.situations(view, &builder.shapes) {
            if builder.origins.len() > MAX_RULES {
                return Err(TooMany);
            }
            builder.step(situation);
        }
        let Builder { horn, shapes, origins, .. } = builder;
        Ok(Clauses { horn, shapes, keys: reach.keys, origins })
    }
}

impl Clauses {
    /// Whether a bad step is possible at all, as far as control flow tells.
    pub fn asks(&self) -> bool {
        self.horn.rules().any(|(_, rule)| rule.head.is_none())
    }

    /// The bad step that a derivation ends with.
    pub fn query(&self, view: &View, derivation: &Derivation) -> Option<Bad> {
        let last = derivation.steps.last()?;
        let Origin::Step(origin) = &self.origins[last.rule.index()] else { return None };
        let (number, _) = origin.threads[origin.mover];
        view.threads[number].moves[origin.step].to.clone().err()
    }

    /// The solution where nothing has to be excluded.
    pub fn all_true(&self, terms: &mut Terms) -> Solution {
        let formula = terms.bool(true);
        let definitions = self.horn.relations().map(|(_, relation)| {
            let numbered = relation.sorts.iter().enumerate();
            let parameters =
                numbered.map(|(i, &sort)| terms.var(&format!("{}.{i}", relation.name), sort));
            Definition { parameters: parameters.collect(), formula }
        });
        Solution { definitions: definitions.collect() }
    }
}

/// A step in a clause, before the clause is written.
struct Situation {
    key: Key,
    threads: Vec<Placed>,
    tracked: usize,
    mover: usize,
    step: usize,
    children: Vec<usize>,
}

/// The tuples of locations that can be reached if all guards hold.
struct Reach<'a> {
    facts: &'a Facts,
    keys: Vec<Key>,
    known: FxHashSet<Key>,
}

impl<'a> Reach<'a> {
    fn of(view: &View, shapes: &[Shape], facts: &'a Facts) -> Result<Reach<'a>, TooMany> {
        let mut reach = Reach { facts, keys: Vec::new(), known: FxHashSet::default() };
        for (shape, members) in shapes.iter().enumerate() {
            for places in beginnings(view, members) {
                reach.add(view, shapes, shape, places);
            }
        }
        loop {
            let before = reach.keys.len();
            for situation in reach.situations(view, shapes) {
                let thread = &view.threads[situation.threads[situation.mover].0];
                if thread.moves[situation.step].to.is_ok() {
                    let after = after(view, &situation);
                    let after = after[..situation.tracked].iter().map(|placed| placed.1);
                    reach.add(view, shapes, situation.key.shape, after.collect());
                }
            }
            if reach.keys.len() > MAX_RELATIONS {
                return Err(TooMany);
            }
            if reach.keys.len() == before {
                reach.keys.sort();
                return Ok(reach);
            }
        }
    }

    fn add(&mut self, view: &View, shapes: &[Shape], shape: usize, places: Vec<At>) {
        let threads: Vec<Placed> = shapes[shape].iter().copied().zip(places).collect();
        let inside = threads.iter().filter(|&&(number, at)| view.threads[number].atomic(at));
        if inside.count() > 1 || !self.facts.allow(view, &threads) {
            return;
        }
        let order: Vec<usize> = (0..threads.len()).collect();
        let (key, _) = sorted(shape, &threads, &order);
        if self.known.insert(key.clone()) {
            self.keys.push(key);
        }
    }

    /// All steps that clauses are about.
    fn situations(&self, view: &View, shapes: &[Shape]) -> Vec<Situation> {
        let mut found = Vec::new();
        for key in &self.keys {
            let members = &shapes[key.shape];
            let threads: Vec<Placed> =
                members.iter().copied().zip(key.places.iter().copied()).collect();
            for mover in 0..threads.len() {
                // Of identical threads at one location, one is enough.
                if !threads[..mover].contains(&threads[mover]) {
                    self.moves(view, shapes, key, threads.clone(), mover, &mut found);
                }
            }
            for (number, thread) in view.threads.iter().enumerate() {
                if !thread.pool && members.contains(&number) {
                    continue;
                }
                for at in standing(thread) {
                    let mut more = threads.clone();
                    more.push((number, at));
                    if self.possible(view, shapes, &more) {
                        self.moves(view, shapes, key, more, members.len(), &mut found);
                    }
                }
            }
        }
        found
    }

    /// Whether the relations of all shapes among the threads exist.
    fn possible(&self, view: &View, shapes: &[Shape], threads: &[Placed]) -> bool {
        if !self.facts.allow(view, threads) {
            return false;
        }
        let numbers: Vec<usize> = threads.iter().map(|placed| placed.0).collect();
        shapes.iter().enumerate().all(|(shape, members)| {
            let mut choices = selections(members, &numbers).into_iter();
            choices.all(|choice| self.known.contains(&sorted(shape, threads, &choice).0))
        })
    }

    fn moves(
        &self,
        view: &View,
        shapes: &[Shape],
        key: &Key,
        threads: Vec<Placed>,
        mover: usize,
        found: &mut Vec<Situation>,
    ) {
        let tracked = key.places.len();
        let blocked = threads
            .iter()
            .enumerate()
            .any(|(index, &(number, at))| index != mover && view.threads[number].atomic(at));
        if blocked {
            return;
        }
        let (number, at) = threads[mover];
        for (step, a_move) in view.threads[number].moves_from(at) {
            for (threads, children) in started(view, &threads, tracked, mover, a_move) {
                let inside = mover < tracked || children.iter().any(|&child| child < tracked);
                let heard = a_move.to.is_ok() && (inside || !a_move.shared.is_empty());
                let asked = a_move.to.is_err() && mover < tracked;
                if (heard || asked) && self.possible(view, shapes, &threads) {
                    let key = key.clone();
                    found.push(Situation { key, threads, tracked, mover, step, children });
                }
            }
        }
    }
}

/// Where the threads of a shape may stand in the beginning.
fn beginnings(view: &View, members: &[usize]) -> Vec<Vec<At>> {
    let mut all = vec![Vec::new()];
    for &number in members {
        let longer = |begun: Vec<At>| {
            let starts = view.threads[number].starts.iter();
            starts.map(move |&at| begun.iter().copied().chain([at]).collect()).collect::<Vec<_>>()
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

/// Where a thread can move from.
fn standing(thread: &Thread) -> Vec<At> {
    let mut places: Vec<At> = thread.moves.iter().map(|step| step.from).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// The ways to say which unstarted threads a move starts: tracked ones, or others.
fn started(
    view: &View,
    threads: &[Placed],
    tracked: usize,
    mover: usize,
    step: &Move,
) -> Vec<(Vec<Placed>, Vec<usize>)> {
    let mut ways = vec![(threads.to_vec(), Vec::new())];
    for child in &step.spawns {
        let mut longer = Vec::new();
        for (threads, children) in ways {
            let wanted = (child.thread, At::Unstarted);
            let fits = |&index: &usize| {
                threads[index] == wanted && index != mover && !children.contains(&index)
            };
            // Identical unstarted threads are as good as one another.
            if let Some(index) = (0..tracked).find(fits) {
                let children: Vec<usize> = children.iter().copied().chain([index]).collect();
                longer.push((threads.clone(), children));
            }
            let present = threads.iter().any(|&(number, _)| number == child.thread);
            if view.threads[child.thread].pool || !present {
                let mut threads = threads.clone();
                let mut children = children.clone();
                children.push(threads.len());
                threads.push(wanted);
                longer.push((threads, children));
            }
        }
        ways = longer;
    }
    ways
}

/// Where the threads stand after the step, which is no bad one.
fn after(view: &View, situation: &Situation) -> Vec<Placed> {
    let mut threads = situation.threads.clone();
    let (number, _) = threads[situation.mover];
    if let Ok(to) = view.threads[number].moves[situation.step].to {
        threads[situation.mover].1 = to;
    }
    for &child in &situation.children {
        threads[child].1 = view.threads[threads[child].0].entry;
    }
    threads
}

/// The key of the chosen threads, and the choice in the order of the key.
fn sorted(shape: usize, threads: &[Placed], choice: &[usize]) -> (Key, Vec<usize>) {
    let mut order = choice.to_vec();
    order.sort_by_key(|&index| (threads[index], index));
    let places = order.iter().map(|&index| threads[index].1).collect();
    (Key { shape, places }, order)
}

struct Builder<'a> {
    terms: &'a mut Terms,
    view: &'a View,
    shapes: Vec<Shape>,
    facts: &'a Facts,
    horn: Horn,
    ids: FxHashMap<Key, RelationId>,
    origins: Vec<Origin>,
    /// The locals of a template as those of a thread of the clause.
    renamed: FxHashMap<(usize, usize), FxHashMap<Term, Term>>,
}

impl Builder<'_> {
    fn declare(&mut self, key: &Key) {
        let members = &self.shapes[key.shape];
        let mut sorts: Vec<Sort> =
            self.view.shared.iter().map(|var| self.terms.sort(var.term)).collect();
        let mut name = String::new();
        for (&number, &at) in members.iter().zip(&key.places) {
            let thread = &self.view.threads[number];
            let live = thread.live(at).iter().map(|&local| thread.locals[local].term);
            sorts.extend(live.map(|term| self.terms.sort(term)));
            let at = match at {
                At::Unstarted => "-".to_owned(),
                At::Cut(cut) => cut.to_string(),
                At::Ended => "end".to_owned(),
            };
            name.push_str(&format!("{}@{at} ", thread.name));
        }
        let id = self.horn.relation(name.trim_end(), &sorts);
        self.ids.insert(key.clone(), id);
    }

    /// The variable of a thread's local in clauses where it has this place.
    fn local(&mut self, place: usize, number: usize, local: usize) -> Term {
        let term = self.view.threads[number].locals[local].term;
        self.renaming(place, number)[&term]
    }

    fn renaming(&mut self, place: usize, number: usize) -> &FxHashMap<Term, Term> {
        let (terms, view) = (&mut *self.terms, self.view);
        self.renamed.entry((place, number)).or_insert_with(|| {
            let locals = &view.threads[number].locals;
            let renamed = locals.iter().map(|var| {
                let sort = terms.sort(var.term);
                (var.term, terms.var(&format!("{}@{place}", var.name), sort))
            });
            renamed.collect()
        })
    }

    fn rename(&mut self, place: usize, number: usize, term: Term) -> Term {
        let by = self.renaming(place, number).clone();
        self.terms.substitute(term, &by)
    }

    /// The relation of the chosen threads, with the values of the shared variables and the locals
    /// that differ from the plain variables.
    fn atom(
        &mut self,
        shape: usize,
        threads: &[Placed],
        choice: &[usize],
        values: &FxHashMap<Term, Term>,
    ) -> Option<(Atom, Vec<usize>)> {
        let (key, order) = sorted(shape, threads, choice);
        let relation = *self.ids.get(&key)?;
        let mut args: Vec<Term> = self.view.shared.iter().map(|var| var.term).collect();
        for &place in &order {
            let (number, at) = threads[place];
            for &local in self.view.threads[number].live(at) {
                let variable = self.local(place, number, local);
                args.push(variable);
            }
        }
        let args = args.iter().map(|arg| values.get(arg).copied().unwrap_or(*arg)).collect();
        Some((Atom { relation, args }, order))
    }

    fn rule(&mut self, name: &str, body: Vec<Atom>, parts: &[Term], head: Option<Atom>) {
        let constraint = self.terms.and(parts);
        let rule = Rule { name: name.to_owned(), body, constraint, head };
        self.horn.rule(self.terms, rule);
    }

    fn initial(&mut self, shape: usize, places: Vec<At>) {
        let members = self.shapes[shape].clone();
        let threads: Vec<Placed> = members.into_iter().zip(places).collect();
        let order: Vec<usize> = (0..threads.len()).collect();
        let Some((head, _)) = self.atom(shape, &threads, &order, &FxHashMap::default()) else {
            return;
        };
        let view = self.view;
        let mut parts = view.initial.clone();
        for (place, &(number, at)) in threads.iter().enumerate() {
            if at != At::Unstarted {
                let begin = view.threads[number].begin.iter();
                parts.extend(begin.map(|&begin| self.rename(place, number, begin)));
            }
        }
        parts.extend(self.always(&threads));
        self.rule("initial", Vec::new(), &parts, Some(head));
        self.origins.push(Origin::Initial);
    }

    /// Neighbours of one template at one location may be exchanged.
    fn exchange(&mut self, key: &Key) {
        let members = self.shapes[key.shape].clone();
        let threads: Vec<Placed> =
            members.iter().copied().zip(key.places.iter().copied()).collect();
        let order: Vec<usize> = (0..threads.len()).collect();
        for first in 1..threads.len() {
            if threads[first - 1] != threads[first] {
                continue;
            }
            let (number, at) = threads[first];
            let mut values = FxHashMap::default();
            for &local in self.view.threads[number].live(at) {
                let pair = (self.local(first - 1, number, local), self.local(first, number, local));
                values.extend([pair, (pair.1, pair.0)]);
            }
            if values.is_empty() {
                continue;
            }
            let body = self.atom(key.shape, &threads, &order, &FxHashMap::default());
            let head = self.atom(key.shape, &threads, &order, &values);
            if let (Some((body, _)), Some((head, _))) = (body, head) {
                self.rule("exchange", vec![body], &[], Some(head));
                self.origins.push(Origin::Exchange(first));
            }
        }
    }

    /// What holds of threads in every state: ranges, different numbers, linear facts.
    fn always(&mut self, threads: &[Placed]) -> Vec<Term> {
        let mut parts: Vec<Term> = self.view.shared.iter().map(|var| var.range).collect();
        let mut numbers = Vec::new();
        for (place, &(number, at)) in threads.iter().enumerate() {
            let thread = &self.view.threads[number];
            for &local in thread.live(at) {
                parts.push(self.rename(place, number, thread.locals[local].range));
                if thread.tid == Some(local) {
                    numbers.push(self.local(place, number, local));
                }
            }
        }
        for (index, &first) in numbers.iter().enumerate() {
            parts.extend(numbers[index + 1..].iter().map(|&second| self.terms.ne(first, second)));
        }
        parts.extend(self.facts.instance(self.terms, self.view, threads));
        parts
    }

    fn step(&mut self, situation: Situation) {
        let Situation { ref key, ref threads, tracked, mover, step, ref children } = situation;
        let view = self.view;
        let (number, _) = threads[mover];
        let a_move = &view.threads[number].moves[step];
        let Some((body, used)) = self.body(threads) else { return };
        let mut parts = self.always(threads);
        parts.push(self.rename(mover, number, a_move.guard));
        let values = self.values(threads, mover, a_move, children, &mut parts);
        let mut head = None;
        let mut head_order = Vec::new();
        if a_move.to.is_ok() {
            let places = after(view, &situation);
            let tracked: Vec<usize> = (0..tracked).collect();
            let Some((atom, order)) = self.atom(key.shape, &places, &tracked, &values) else {
                return;
            };
            (head, head_order) = (Some(atom), order);
        }
        let name = format!("{} step {}", view.threads[number].name, a_move.step);
        self.rule(&name, body, &parts, head);
        self.origins.push(Origin::Step(StepOrigin {
            threads: threads.clone(),
            tracked,
            mover,
            step,
            children: children.clone(),
            body: used,
            head: head_order,
        }));
    }

    /// The relations of all shapes among the threads.
    fn body(&mut self, threads: &[Placed]) -> Option<(Vec<Atom>, Vec<Vec<usize>>)> {
        let numbers: Vec<usize> = threads.iter().map(|placed| placed.0).collect();
        let mut atoms = Vec::new();
        let mut used = Vec::new();
        for shape in 0..self.shapes.len() {
            for choice in selections(&self.shapes[shape].clone(), &numbers) {
                let (atom, order) = self.atom(shape, threads, &choice, &FxHashMap::default())?;
                atoms.push(atom);
                used.push(order);
            }
        }
        // Spacer looks at what the thread that moves has been through first, which is far better.
        atoms.reverse();
        used.reverse();
        Some((atoms, used))
    }

    /// The values after the step, where they differ.
    fn values(
        &mut self,
        threads: &[Placed],
        mover: usize,
        a_move: &Move,
        children: &[usize],
        parts: &mut Vec<Term>,
    ) -> FxHashMap<Term, Term> {
        let (view, number) = (self.view, threads[mover].0);
        let mut values = FxHashMap::default();
        for &(variable, new) in &a_move.shared {
            let new = self.rename(mover, number, new);
            values.insert(view.shared[variable].term, new);
        }
        for &(local, new) in &a_move.locals {
            let new = self.rename(mover, number, new);
            values.insert(self.local(mover, number, local), new);
        }
        for (child, &place) in a_move.spawns.iter().zip(children) {
            if let Some(tid) = view.threads[child.thread].tid {
                let tid = self.local(place, child.thread, tid);
                let new = self.rename(mover, number, child.tid);
                parts.push(self.terms.eq(tid, new));
            }
            for &(local, new) in &child.args {
                let new = self.rename(mover, number, new);
                values.insert(self.local(place, child.thread, local), new);
            }
        }
        values
    }
}
