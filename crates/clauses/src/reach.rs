//! Which keys there are relations for, and the steps that clauses are about.
//!
//! A key exists if steps lead to it whatever their guards say, and the linear facts do not exclude
//! it. The others stand for "false".
//!
//! Work: a step that is looked at counts 2 units (`STEP`).

use rustc_hash::FxHashSet;
use selvedge_smt::{Limits, Reason};
use selvedge_system::At;

use super::frame::{Frame, Key, Placed};
use super::view::{Move, Thread};

/// Why there are no clauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoClauses {
    /// Too many relations or rules for the solver to have a chance.
    TooMany,
    /// The limits were reached before.
    Cut(Reason),
}

/// The most relations and rules that there are clauses for.
pub const MAX_KEYS: usize = 4_000;
pub const MAX_RULES: usize = 60_000;

/// Units of work for a step that is looked at.
const STEP: u64 = 2;

/// A step that a clause is about, with the threads that take part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Situation {
    /// Those of the key first.
    pub threads: Vec<Placed>,
    /// How many of them are those of the key.
    pub tracked: usize,
    /// Those that the head is about: of the key, and threads that are tracked from now on.
    pub head: Vec<usize>,
    /// Which of them moves, and by which of its moves.
    pub mover: usize,
    pub step: usize,
    /// Which of them it starts.
    pub children: Vec<usize>,
}

/// The keys that there are relations for.
pub(crate) struct Reach<'a> {
    pub frame: &'a Frame<'a>,
    pub keys: Vec<Key>,
    limits: &'a Limits,
    known: FxHashSet<Key>,
}

impl<'a> Reach<'a> {
    pub fn of(frame: &'a Frame<'a>, limits: &'a Limits) -> Result<Reach<'a>, NoClauses> {
        let mut reach = Reach { frame, keys: Vec::new(), limits, known: FxHashSet::default() };
        for shape in frame.shapes(frame.level.others) {
            for threads in frame.beginnings(&shape) {
                let all: Vec<usize> = (0..threads.len()).collect();
                reach.add(&threads, &all);
            }
        }
        loop {
            let before = reach.keys.len();
            for situation in reach.situations()? {
                if reach.the_move(&situation).to.is_ok() {
                    reach.add(&reach.after(&situation), &situation.head);
                }
            }
            for key in reach.keys.clone() {
                for place in frame.spares(&key) {
                    let rest: Vec<usize> = (0..key.len()).filter(|&other| other != place).collect();
                    reach.add(&key, &rest);
                }
            }
            if reach.keys.len() > MAX_KEYS {
                return Err(NoClauses::TooMany);
            }
            if reach.keys.len() == before {
                reach.keys.sort();
                return Ok(reach);
            }
        }
    }

    pub fn the_move(&self, situation: &Situation) -> &'a Move {
        let (number, _) = situation.threads[situation.mover];
        &self.frame.view.threads[number].moves[situation.step]
    }

    /// Where the threads stand after the step.
    pub fn after(&self, situation: &Situation) -> Vec<Placed> {
        let mut threads = situation.threads.clone();
        if let Ok(to) = self.the_move(situation).to {
            threads[situation.mover].1 = to;
        }
        for &child in &situation.children {
            threads[child].1 = self.frame.view.threads[threads[child].0].entry;
        }
        threads
    }

    fn add(&mut self, threads: &[Placed], among: &[usize]) {
        let inside = |&&index: &&usize| self.atomic(threads[index]);
        if among.iter().filter(inside).count() > 1 {
            return;
        }
        let key = self.frame.key(threads, &self.frame.order(threads, among));
        if self.frame.facts.allow(self.frame.view, &key) && self.known.insert(key.clone()) {
            self.keys.push(key);
        }
    }

    fn atomic(&self, (number, at): Placed) -> bool {
        self.frame.view.threads[number].atomic(at)
    }

    /// All steps that clauses are about.
    pub fn situations(&self) -> Result<Vec<Situation>, NoClauses> {
        let mut found = Vec::new();
        for key in &self.keys {
            if let Some(reason) = self.limits.exceeded() {
                return Err(NoClauses::Cut(reason));
            }
            for mover in 0..key.len() {
                // Of identical threads at one location, one is enough.
                if !key[..mover].contains(&key[mover]) {
                    self.moves(key, key.clone(), mover, &mut found);
                }
            }
            for (number, thread) in self.frame.view.threads.iter().enumerate() {
                let present = key.iter().any(|placed| placed.0 == number);
                if present && !thread.pool {
                    continue;
                }
                for at in standing(thread) {
                    let mut threads = key.clone();
                    threads.push((number, at));
                    if self.possible(&threads) {
                        self.moves(key, threads, key.len(), &mut found);
                    }
                }
            }
            if found.len() > MAX_RULES {
                return Err(NoClauses::TooMany);
            }
        }
        Ok(found)
    }

    /// Whether the relations of all choices among the threads exist.
    pub fn possible(&self, threads: &[Placed]) -> bool {
        self.frame.facts.allow(self.frame.view, threads)
            && self
                .frame
                .premises(threads)
                .iter()
                .all(|choice| self.known.contains(&self.frame.key(threads, choice)))
    }

    fn moves(&self, key: &Key, threads: Vec<Placed>, mover: usize, found: &mut Vec<Situation>) {
        let others = threads.iter().enumerate().filter(|(index, _)| *index != mover);
        if others.into_iter().any(|(_, &placed)| self.atomic(placed)) {
            return;
        }
        let (number, at) = threads[mover];
        for (step, a_move) in self.frame.view.threads[number].moves_from(at) {
            self.limits.clock.spend(STEP);
            let bad = a_move.to.is_err();
            for mut situation in self.started(key, &threads, mover, a_move) {
                situation.step = step;
                let new = situation.children.iter().any(|child| situation.head.contains(child));
                let heard = mover < key.len() || new || !a_move.shared.is_empty();
                let asked = mover < key.len() && self.frame.asks(key, mover);
                if (if bad { asked } else { heard }) && self.possible(&situation.threads) {
                    found.push(situation);
                }
            }
        }
    }

    /// The ways to say which unstarted threads a move starts: tracked ones, ones that are tracked
    /// from now on, or others.
    fn started(
        &self,
        key: &Key,
        threads: &[Placed],
        mover: usize,
        a_move: &Move,
    ) -> Vec<Situation> {
        let tracked = key.len();
        let mut ways = vec![Situation {
            threads: threads.to_vec(),
            tracked,
            head: (0..tracked).collect(),
            mover,
            step: 0,
            children: Vec::new(),
        }];
        for child in &a_move.spawns {
            let wanted = (child.thread, At::Unstarted);
            let pool = self.frame.view.threads[child.thread].pool;
            let mut longer = Vec::new();
            for way in ways {
                let fits = |&index: &usize| {
                    way.threads[index] == wanted && index != mover && !way.children.contains(&index)
                };
                // Identical unstarted threads are as good as one another.
                if let Some(index) = (0..tracked).find(fits) {
                    let mut with = way.clone();
                    with.children.push(index);
                    longer.push(with);
                }
                let mut with = way.clone();
                with.children.push(with.threads.len());
                with.threads.push(wanted);
                let room = self.frame.room(key) > way.head.len() - tracked;
                if pool && room && !self.frame.tracks(wanted) {
                    let mut tracked = with.clone();
                    tracked.head.push(with.threads.len() - 1);
                    longer.push(tracked);
                }
                if pool || way.threads.iter().all(|placed| placed.0 != child.thread) {
                    longer.push(with);
                }
            }
            ways = longer;
        }
        ways
    }
}

/// Where a thread can move from.
fn standing(thread: &Thread) -> Vec<At> {
    let mut places: Vec<At> = thread.moves.iter().map(|step| step.from).collect();
    places.sort_unstable();
    places.dedup();
    places
}
