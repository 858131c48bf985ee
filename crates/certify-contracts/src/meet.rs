//! Paths that part at one location and meet at another go on from there as one.
//!
//! Which of them it was is a value of which nothing is known, and what holds on each is said under the
//! condition that it was that one; so whatever holds on all of them can still be shown. Where none of
//! them has looked at memory that is all. Otherwise most of what they have met is forgotten, as at the
//! head of a loop (`heads`): memory is what their actions and others can leave of that in which they
//! parted. What the procedure requires is kept if it holds on each of them, and of the numbers of actions
//! that may be done those that all have left possible.
//!
//! If what was forgotten turns out to be needed, these paths are followed one by one after all.

use std::collections::BTreeSet;

use selvedge_ir::{LocalId, LocationId, Span};
use selvedge_smt::translate::Sym;
use selvedge_smt::{Op, Sort, Term};

use crate::names::plain;
use crate::path::{Parted, Path};
use crate::verdict::Rejected;
use crate::walk::Walker;

/// A path that has arrived at a meeting, and the condition that it was this one.
struct Arrived {
    path: Path,
    came: Term,
}

impl Walker<'_, '_> {
    /// The meetings of what goes on from here, the nearest last.
    pub fn part(&mut self, path: &mut Path, from: LocationId) -> Vec<Parted> {
        let mut parted = Vec::new();
        for &at in self.meetings.behind(from) {
            if self.one_by_one.contains(&at) {
                continue;
            }
            let number = self.arrived.len();
            self.arrived.push(Vec::new());
            parted.push(Parted { at, from, number, before: path.clone() });
            path.meetings.push((at, number));
        }
        parted
    }

    /// Whether a path waits at a location for those that it has parted from.
    pub fn waits(&mut self, path: &mut Path, at: LocationId) -> bool {
        let Some(index) = path.meetings.iter().rposition(|&(place, _)| place == at) else {
            return false;
        };
        let (_, number) = path.meetings.remove(index);
        self.arrived[number].push(std::mem::replace(path, Path::new(path.memory.clone())));
        true
    }

    /// What goes on from a meeting when all have arrived.
    pub fn meet(&mut self, parted: Parted) -> Result<Vec<(LocationId, Path)>, Rejected> {
        let at = parted.at;
        let arrived = std::mem::take(&mut self.arrived[parted.number]);
        let quiet = arrived.iter().all(|one| one.is_where(&parted.before));
        let rests = quiet || self.meetings.rest(at) && self.meetings.rest(parted.from);
        if !rests || !self.meetings.are_worth_it(at, arrived.len()) {
            return Ok(arrived.into_iter().map(|path| (at, path)).collect());
        }
        Ok(vec![(at, self.merged(parted, arrived, quiet)?)])
    }

    fn merged(
        &mut self,
        parted: Parted,
        arrived: Vec<Path>,
        quiet: bool,
    ) -> Result<Path, Rejected> {
        let mut path = parted.before;
        let span = self.body.locations[parted.at].edges.first().map_or(Span::NONE, |e| e.span);
        let mut all = Vec::new();
        for one in arrived {
            let came = self.world.terms.fresh("came", Sort::Bool);
            self.world.near.add_common(came);
            path.forgetful.extend(&one.forgetful);
            all.push(Arrived { path: one, came });
        }
        let known = path.facts.len();
        let ways: Vec<Term> = all.iter().map(|one| one.came).collect();
        let some = self.world.terms.or(&ways);
        self.world.fact(&mut path, some);
        if quiet {
            all.iter().for_each(|one| path.consider_all(&one.path));
        } else {
            path.forgetful.insert(parted.at);
        }
        self.facts_meet(&mut path, &all, known, quiet);
        self.done_meets(&mut path, &mut all, span)?;
        if !quiet {
            let required = self.required_of_all(&mut all, span)?;
            let actions = self.actions_at(&self.region(parted.from, parted.at));
            self.pass_over(&mut path, &actions, span)?;
            self.assume_required(&mut path, &required);
            path.rest();
        }
        self.locals_meet(&mut path, &all);
        Ok(path)
    }

    /// The locations between two, with the loops that begin there.
    fn region(&self, from: LocationId, at: LocationId) -> BTreeSet<LocationId> {
        let between = self.meetings.between(from, at);
        let heads = between.iter().filter(|&&head| head != from && self.is_head(head));
        let inside: Vec<_> = heads.map(|&head| self.members(head)).collect();
        between.into_iter().chain(inside.into_iter().flatten()).collect()
    }

    /// What has become known on each path since they parted; if they have looked at memory, only what is
    /// not about memory.
    fn facts_meet(&mut self, path: &mut Path, all: &[Arrived], known: usize, quiet: bool) {
        for one in all {
            for &fact in &one.path.facts[known..] {
                if quiet || !self.reads_memory(fact) {
                    let fact = self.world.terms.implies(one.came, fact);
                    self.world.fact(path, fact);
                }
            }
        }
    }

    fn reads_memory(&mut self, fact: Term) -> bool {
        let terms = &self.world.terms;
        let values = self.world.near.values(terms, fact);
        values.iter().any(|&value| matches!(terms.op(value), Op::Select))
    }

    fn locals_meet(&mut self, path: &mut Path, all: &[Arrived]) {
        let mut locals: Vec<LocalId> =
            all.iter().flat_map(|one| one.path.locals.keys().copied()).collect();
        locals.sort_unstable();
        locals.dedup();
        for local in locals {
            let values: Option<Vec<Sym>> =
                all.iter().map(|one| one.path.locals.get(&local).copied()).collect();
            match values {
                None => {
                    path.locals.remove(&local);
                }
                Some(values) if values.iter().all(|&value| value == values[0]) => {
                    path.locals.insert(local, values[0]);
                }
                Some(values) => {
                    let declared = &self.body.locals[local];
                    let value = self.world.value(path, &plain(&declared.name), declared.ty);
                    self.world.is_held(path, value, true);
                    for (one, other) in all.iter().zip(values) {
                        let same = value.equal(&mut self.world.terms, other);
                        let same = self.world.terms.implies(one.came, same);
                        self.world.fact(path, same);
                    }
                    path.locals.insert(local, value);
                }
            }
        }
    }

    /// What the procedure requires, if it holds on each path.
    fn required_of_all(&mut self, all: &mut [Arrived], span: Span) -> Result<Vec<usize>, Rejected> {
        let Some(contract) = self.contract else { return Ok(Vec::new()) };
        let mut kept = Vec::new();
        'clauses: for (number, clause) in contract.requires.iter().enumerate() {
            if clause.formula.reads().next().is_none() && clause.formula.ghosts().next().is_none() {
                continue;
            }
            for one in &mut *all {
                let view = self.view(&one.path.memory, &one.path.memory);
                let goal = self.world.goal(&mut one.path, &clause.formula, &view);
                if !self.world.follows_hopefully(
                    &mut one.path,
                    "what is required still holds",
                    span,
                    goal,
                )? {
                    continue 'clauses;
                }
            }
            kept.push(number);
        }
        Ok(kept)
    }

    fn assume_required(&mut self, path: &mut Path, numbers: &[usize]) {
        let Some(contract) = self.contract else { return };
        for &number in numbers {
            let view = self.view(&path.memory, &path.memory);
            path.assume(&contract.requires[number].formula, view);
        }
    }

    /// The numbers of actions that may be done. On each path some number is possible: that was shown at
    /// the end of its last step.
    fn done_meets(
        &mut self,
        path: &mut Path,
        all: &mut [Arrived],
        span: Span,
    ) -> Result<(), Rejected> {
        for number in 0..path.done.len() {
            let old = path.done[number];
            if all.iter().all(|one| one.path.done[number] == old) {
                continue;
            }
            let new = self.world.terms.fresh("done", Sort::Bool);
            for before in [old, self.world.terms.bool(true)] {
                if self.stays_possible(all, number, before, span)? {
                    let kept = self.world.terms.implies(before, new);
                    self.world.fact(path, kept);
                }
            }
            path.done[number] = new;
        }
        if !path.done.is_empty() {
            let some = self.world.terms.or(&path.done);
            self.world.fact(path, some);
        }
        Ok(())
    }

    /// Whether a number of actions may be done on each path where a condition held.
    fn stays_possible(
        &mut self,
        all: &mut [Arrived],
        number: usize,
        before: Term,
        span: Span,
    ) -> Result<bool, Rejected> {
        for one in all {
            let goal = self.world.terms.implies(before, one.path.done[number]);
            let what = "so many actions may still be done";
            if !self.world.follows_hopefully(&mut one.path, what, span, goal)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
