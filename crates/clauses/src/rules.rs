//! Thread-modular Horn clauses at a level.
//!
//! There is one unknown relation for each [`Key`], over the shared variables and the live locals of
//! its threads. With W the threads that a clause speaks about, its body has the relations of the
//! largest choices among W. Clauses say:
//! - the relations hold initially;
//! - they hold after a step of a thread of the key, or of another thread, which may start a thread
//!   that is tracked or another one (W is the key, the thread that moves and the threads it starts);
//! - identical threads may be exchanged (of a tuple of locations only the sorted one is used), and
//!   one that has not started may be left out;
//! - no bad step is possible;
//! - no two threads can race ([`super::races`]).
//!
//! A solution is an invariant of any number of threads: every state satisfies the relation of every
//! choice of threads, by induction.
//!
//! Work: a rule counts 20 units (`RULE`) when it is made, and again when it is made stronger.

use rustc_hash::FxHashMap;
use selvedge_ir::{EdgeId, Span};
use selvedge_smt::horn::{Atom, Definition, Derivation, Horn, RelationId, Rule, RuleId, Solution};
use selvedge_smt::{Limits, Sort, Term, Terms};
use selvedge_system::{At, Bad, overlap};

use super::frame::{Frame, Key, Placed, Shape};
use super::races::{Meeting, own_inputs};
use super::reach::{NoClauses, Reach, Situation};
use super::view::{Move, View};

/// Units of work for a rule.
const RULE: u64 = 20;

/// The clauses of a level.
#[derive(Debug)]
pub struct Clauses {
    pub horn: Horn,
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
    /// Without the thread at this position, which has not started.
    Leave(usize),
    Step(StepOrigin),
    Race(RaceOrigin),
}

/// A query for a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaceOrigin {
    pub meeting: Meeting,
    /// As for a step.
    pub body: Vec<Vec<usize>>,
}

/// A rule for a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepOrigin {
    pub situation: Situation,
    /// The threads of each atom of the body, in the order of its arguments.
    pub body: Vec<Vec<usize>>,
    /// The threads of the head in the order of its arguments; empty for a query.
    pub head: Vec<usize>,
}

impl Clauses {
    pub fn of(terms: &mut Terms, frame: &Frame<'_>, limits: &Limits) -> Result<Clauses, NoClauses> {
        let reach = Reach::of(frame, limits)?;
        let mut builder = Builder {
            terms,
            frame,
            view: frame.view,
            horn: Horn::new(),
            ids: FxHashMap::default(),
            origins: Vec::new(),
            renamed: FxHashMap::default(),
        };
        for key in &reach.keys {
            builder.declare(key);
        }
        let mut begun: Vec<Key> = Vec::new();
        for shape in frame.shapes(frame.level.others) {
            builder.initial(&shape, &mut begun);
        }
        for key in &reach.keys {
            builder.exchange(key);
            builder.leave(key);
        }
        for situation in reach.situations()? {
            within_limits(limits)?;
            builder.step(&reach, situation);
        }
        for meeting in reach.meetings() {
            within_limits(limits)?;
            builder.race(meeting);
        }
        let Builder { horn, origins, .. } = builder;
        Ok(Clauses { horn, keys: reach.keys, origins })
    }

    /// Whether a bad step is possible at all, as far as control flow tells.
    pub fn asks(&self) -> bool {
        self.horn.rules().any(|(_, rule)| rule.head.is_none())
    }

    /// The bad step that a derivation ends with.
    pub fn query(&self, view: &View, derivation: &Derivation) -> Option<Bad> {
        self.bad(view, derivation.steps.last()?.rule)
    }

    /// The bad step of a query.
    pub fn bad(&self, view: &View, rule: RuleId) -> Option<Bad> {
        match &self.origins[rule.index()] {
            Origin::Step(origin) => {
                let Situation { threads, mover, step, .. } = &origin.situation;
                view.threads[threads[*mover].0].moves[*step].to.clone().err()
            }
            Origin::Race(origin) => Some(view.race(origin.meeting.conflict)),
            Origin::Initial | Origin::Exchange(_) | Origin::Leave(_) => None,
        }
    }

    /// The template whose operation may wrap around, where the query is about that.
    pub fn wrapping(&self, view: &View, rule: RuleId) -> Option<(usize, EdgeId, Span)> {
        let Origin::Step(origin) = &self.origins[rule.index()] else { return None };
        match self.bad(view, rule)? {
            Bad::Wrap { edge, span } => {
                Some((origin.situation.threads[origin.situation.mover].0, edge, span))
            }
            _ => None,
        }
    }

    /// The solution where nothing has to be excluded.
    pub fn all_true(&self, terms: &mut Terms) -> Solution {
        let formula = terms.bool(true);
        let definitions = self.parameters(terms).into_iter();
        let definitions = definitions.map(|parameters| Definition { parameters, formula });
        Solution { definitions: definitions.collect() }
    }

    /// Variables for the parameters of each relation.
    pub(crate) fn parameters(&self, terms: &mut Terms) -> Vec<Vec<Term>> {
        let parameters = self.horn.relations().map(|(_, relation)| {
            let numbered = relation.sorts.iter().enumerate();
            numbered.map(|(i, &sort)| terms.var(&format!("{}.{i}", relation.name), sort)).collect()
        });
        parameters.collect()
    }

    /// The clauses where relations are known to be within a solution of those with heads.
    pub fn within(&self, terms: &mut Terms, known: &Solution, limits: &Limits) -> Clauses {
        limits.clock.spend(RULE * self.origins.len() as u64);
        let mut horn = Horn::new();
        for (_, relation) in self.horn.relations() {
            horn.relation(&relation.name, &relation.sorts);
        }
        let never = terms.bool(false);
        let mut origins = Vec::new();
        for ((_, rule), origin) in self.horn.rules().zip(&self.origins) {
            let mut parts = vec![rule.constraint];
            for atom in &rule.body {
                parts.push(known.get(atom.relation).apply(terms, &atom.args));
            }
            let constraint = terms.and(&parts);
            if constraint != never {
                horn.rule(terms, Rule { constraint, ..rule.clone() });
                origins.push(origin.clone());
            }
        }
        Clauses { horn, keys: self.keys.clone(), origins }
    }
}

/// Counts a rule, unless the limits are reached.
fn within_limits(limits: &Limits) -> Result<(), NoClauses> {
    limits.clock.spend(RULE);
    limits.exceeded().map_or(Ok(()), |reason| Err(NoClauses::Cut(reason)))
}

struct Builder<'a> {
    terms: &'a mut Terms,
    frame: &'a Frame<'a>,
    view: &'a View,
    horn: Horn,
    ids: FxHashMap<Key, RelationId>,
    origins: Vec<Origin>,
    /// The locals of a template as those of a thread of the clause.
    renamed: FxHashMap<(usize, usize), FxHashMap<Term, Term>>,
}

impl Builder<'_> {
    fn declare(&mut self, key: &Key) {
        let mut sorts: Vec<Sort> =
            self.view.shared.iter().map(|var| self.terms.sort(var.term)).collect();
        let mut name = String::from("at");
        for &(number, at) in key {
            let thread = &self.view.threads[number];
            let live = thread.live(at).iter().map(|&local| thread.locals[local].term);
            sorts.extend(live.map(|term| self.terms.sort(term)));
            let at = match at {
                At::Unstarted => "-".to_owned(),
                At::Cut(cut) => cut.to_string(),
                At::Ended => "end".to_owned(),
            };
            name.push_str(&format!(" {}@{at}", thread.name));
        }
        let id = self.horn.relation(&name, &sorts);
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

    /// The relation of threads in a key's order, with the values of the shared variables and the
    /// locals that differ from the plain variables.
    fn atom(
        &mut self,
        threads: &[Placed],
        order: &[usize],
        values: &FxHashMap<Term, Term>,
    ) -> Option<Atom> {
        let relation = *self.ids.get(&self.frame.key(threads, order))?;
        let mut args: Vec<Term> = self.view.shared.iter().map(|var| var.term).collect();
        for &place in order {
            let (number, at) = threads[place];
            for &local in self.view.threads[number].live(at) {
                let variable = self.local(place, number, local);
                args.push(variable);
            }
        }
        let args = args.iter().map(|arg| values.get(arg).copied().unwrap_or(*arg)).collect();
        Some(Atom { relation, args })
    }

    fn rule(&mut self, name: &str, body: Vec<Atom>, parts: &[Term], head: Option<Atom>) {
        let constraint = self.terms.and(parts);
        let rule = Rule { name: name.to_owned(), body, constraint, head };
        self.horn.rule(self.terms, rule);
    }

    fn initial(&mut self, shape: &Shape, begun: &mut Vec<Key>) {
        for threads in self.frame.beginnings(shape) {
            let all: Vec<usize> = (0..threads.len()).collect();
            let order = self.frame.order(&threads, &all);
            let key = self.frame.key(&threads, &order);
            if begun.contains(&key) {
                continue;
            }
            let Some(head) = self.atom(&threads, &order, &FxHashMap::default()) else { continue };
            let view = self.view;
            let mut parts = view.initial.clone();
            for &place in &order {
                let (number, at) = threads[place];
                if at != At::Unstarted {
                    let begin = view.threads[number].begin.iter();
                    parts.extend(begin.map(|&begin| self.rename(place, number, begin)));
                }
            }
            parts.extend(self.always(&threads));
            self.rule("initial", Vec::new(), &parts, Some(head));
            self.origins.push(Origin::Initial);
            begun.push(key);
        }
    }

    /// Neighbours of one template at one location may be exchanged.
    fn exchange(&mut self, key: &Key) {
        let order: Vec<usize> = (0..key.len()).collect();
        for second in 1..key.len() {
            if key[second - 1] != key[second] {
                continue;
            }
            let (number, at) = key[second];
            let mut values = FxHashMap::default();
            for &local in self.view.threads[number].live(at) {
                let pair =
                    (self.local(second - 1, number, local), self.local(second, number, local));
                values.extend([pair, (pair.1, pair.0)]);
            }
            if values.is_empty() {
                continue;
            }
            let body = self.atom(key, &order, &FxHashMap::default());
            let head = self.atom(key, &order, &values);
            if let (Some(body), Some(head)) = (body, head) {
                self.rule("exchange", vec![body], &[], Some(head));
                self.origins.push(Origin::Exchange(second));
            }
        }
    }

    /// What holds of threads holds of them without one that has not started.
    fn leave(&mut self, key: &Key) {
        let order: Vec<usize> = (0..key.len()).collect();
        for place in self.frame.spares(key) {
            let rest: Vec<usize> = order.iter().copied().filter(|&other| other != place).collect();
            let body = self.atom(key, &order, &FxHashMap::default());
            let head = self.atom(key, &rest, &FxHashMap::default());
            if let (Some(body), Some(head)) = (body, head) {
                self.rule("leave", vec![body], &[], Some(head));
                self.origins.push(Origin::Leave(place));
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
        parts.extend(self.frame.facts.instance(self.terms, self.view, threads));
        parts
    }

    fn step(&mut self, reach: &Reach<'_>, situation: Situation) {
        let threads = &situation.threads;
        let (number, _) = threads[situation.mover];
        let a_move = reach.the_move(&situation);
        // Spacer looks at what the thread that moves has been through first, which is far better.
        let order: Vec<Vec<usize>> = self.frame.premises(threads).into_iter().rev().collect();
        let body = order.iter().map(|order| self.atom(threads, order, &FxHashMap::default()));
        let Some(body) = body.collect::<Option<Vec<Atom>>>() else { return };
        let mut parts = self.always(threads);
        parts.push(self.rename(situation.mover, number, a_move.guard));
        let values = self.values(&situation, a_move, &mut parts);
        let mut head = None;
        let mut head_order = Vec::new();
        if a_move.to.is_ok() {
            let after = reach.after(&situation);
            head_order = self.frame.order(&after, &situation.head);
            head = self.atom(&after, &head_order, &values);
            if head.is_none() {
                return;
            }
        }
        let name = format!("{} step {}", self.view.threads[number].name, a_move.steps[0]);
        self.rule(&name, body, &parts, head);
        self.origins.push(Origin::Step(StepOrigin { situation, body: order, head: head_order }));
    }

    /// That two accesses cannot both come next.
    fn race(&mut self, meeting: Meeting) {
        let view = self.view;
        let Meeting { threads, who: [a, b], conflict } = &meeting;
        let order: Vec<Vec<usize>> = self.frame.premises(threads).into_iter().rev().collect();
        let body = order.iter().map(|order| self.atom(threads, order, &FxHashMap::default()));
        let Some(body) = body.collect::<Option<Vec<Atom>>>() else { return };
        let (own, other) = (view.access(conflict.first), view.access(conflict.second));
        let (mine, theirs) = (own.address.terms(), other.address.terms());
        let mine: Vec<Term> =
            mine.iter().map(|&term| self.rename(*a, conflict.first.0, term)).collect();
        let guard = self.rename(*a, conflict.first.0, own.guard);
        let its: Vec<Term> = theirs.iter().copied().chain([other.guard]).collect();
        let inputs = own_inputs(self.terms, &|variable| view.has(variable), &its);
        let its: Vec<Term> = its
            .into_iter()
            .map(|term| {
                let term = self.terms.substitute(term, &inputs);
                self.rename(*b, conflict.second.0, term)
            })
            .collect();
        let (theirs, its_guard) = its.split_at(its.len() - 1);
        let same = overlap(self.terms, (&mine, own.bytes), (theirs, other.bytes));
        let mut parts = self.always(threads);
        parts.extend([guard, its_guard[0], same]);
        let name = format!("{} race {}", view.threads[conflict.first.0].name, conflict.first.1);
        self.rule(&name, body, &parts, None);
        self.origins.push(Origin::Race(RaceOrigin { meeting, body: order }));
    }

    /// The values after the step, where they differ.
    fn values(
        &mut self,
        situation: &Situation,
        a_move: &Move,
        parts: &mut Vec<Term>,
    ) -> FxHashMap<Term, Term> {
        let (view, mover) = (self.view, situation.mover);
        let number = situation.threads[mover].0;
        let mut values = FxHashMap::default();
        for &(variable, new) in &a_move.shared {
            let new = self.rename(mover, number, new);
            values.insert(view.shared[variable].term, new);
        }
        for &(local, new) in &a_move.locals {
            let new = self.rename(mover, number, new);
            values.insert(self.local(mover, number, local), new);
        }
        for (child, &place) in a_move.spawns.iter().zip(&situation.children) {
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
