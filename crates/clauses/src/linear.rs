//! Linear equalities over shared variables and numbers of threads that every step preserves.
//!
//! A reference count equals the number of threads between their increment and their decrement. No
//! relation over a bounded number of threads can say that, but linear algebra finds it: let each step
//! be the vector of its changes to the variables (where they are constant) and to the number of
//! threads at each location; a vector of weights that is orthogonal to all of them is a sum that never
//! changes (place invariants of Petri nets). For the threads that a relation speaks about, the sum
//! leaves a bound: the others contribute with the sign of their weights.
//!
//! Work: besides the questions to the solver, a hundred entries of a matrix count one unit each time
//! that a row is eliminated.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use selvedge_smt::{Answer, Limits, Logic, Model, Solver, Sort, Term, Terms, Value};
use selvedge_system::At;
use selvedge_system::algebra::{combine, null_space};

use super::view::{Move, Thread, View};

/// `sum of weight * variable + sum of the weights of where the threads stand = constant`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equality {
    /// By position in [`View::shared`].
    pub variables: Vec<(usize, i64)>,
    /// By template: the weight of each location that has one.
    pub locations: Vec<FxHashMap<At, i64>>,
    pub constant: i64,
}

/// What is known of the shared variables in every state, before any relation is looked for.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    pub equalities: Vec<Equality>,
    /// Variables that are only ever given constants, with the least and the greatest of them.
    pub intervals: BTreeMap<usize, (i64, i64)>,
}

/// How likely equalities are to help; those that do not help hinder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Over variables with few values: they always help.
    Bounded,
    /// Counts of the threads that are somewhere, which may grow without bound.
    Present,
    /// Counts of the threads that have ever been somewhere.
    Ever,
}

impl Facts {
    /// The fewer questions are answered within the limits, the fewer facts there are.
    pub fn of(terms: &mut Terms, view: &View, limits: &Limits) -> Facts {
        let start = initial_values(terms, view, limits);
        let mut intervals = BTreeMap::new();
        for (variable, value) in start.iter().enumerate() {
            let interval = value.and_then(|value| interval(terms, view, variable, value, limits));
            intervals.extend(interval.map(|interval| (variable, interval)));
        }
        Facts { equalities: equalities(terms, view, &start, limits), intervals }
    }

    /// Those of a tier and below.
    pub fn up_to(&self, view: &View, tier: Tier) -> Facts {
        let within = |equality: &&Equality| self.tier(view, equality) <= tier;
        let equalities = self.equalities.iter().filter(within).cloned().collect();
        Facts { equalities, intervals: self.intervals.clone() }
    }

    /// The tiers that have an equality of their own.
    pub fn tiers(&self, view: &View) -> Vec<Tier> {
        let mut tiers: Vec<Tier> = self.equalities.iter().map(|e| self.tier(view, e)).collect();
        tiers.sort_unstable();
        tiers.dedup();
        tiers
    }

    fn tier(&self, view: &View, equality: &Equality) -> Tier {
        let bounded = |(variable, _): &(usize, i64)| self.intervals.contains_key(variable);
        let mut pools = view.threads.iter().zip(&equality.locations).filter(|(t, _)| t.pool);
        if equality.variables.iter().all(bounded) {
            Tier::Bounded
        } else if pools.any(|(_, weights)| weights.contains_key(&At::Ended)) {
            Tier::Ever
        } else {
            Tier::Present
        }
    }

    /// Whether threads can stand so, as far as constants tell.
    pub(crate) fn allow(&self, view: &View, threads: &[(usize, At)]) -> bool {
        self.equalities.iter().all(|equality| equality.allows(view, &self.intervals, threads))
    }

    /// What the facts say when these threads stand here.
    pub(crate) fn instance(
        &self,
        terms: &mut Terms,
        view: &View,
        threads: &[(usize, At)],
    ) -> Vec<Term> {
        let mut parts = Vec::new();
        for equality in &self.equalities {
            parts.push(equality.instance(terms, view, threads));
        }
        for (&variable, &(low, high)) in &self.intervals {
            // Of a boolean this says nothing.
            if terms.sort(view.shared[variable].term) == Sort::Int {
                parts.push(terms.between(low, view.shared[variable].term, high));
            }
        }
        parts
    }
}

/// A column of the matrix: the number of threads of a template at a location.
type Column = (usize, At);

/// The shared variable as a number.
pub(crate) fn numeric(terms: &mut Terms, view: &View, variable: usize) -> Option<Term> {
    let term = view.shared[variable].term;
    as_number(terms, term)
}

fn as_number(terms: &mut Terms, term: Term) -> Option<Term> {
    match terms.sort(term) {
        Sort::Int => Some(term),
        Sort::Bool => {
            let (one, zero) = (terms.int(1), terms.int(0));
            Some(terms.ite(term, one, zero))
        }
        _ => None,
    }
}

/// The values of a variable that is only given constants.
fn interval(
    terms: &mut Terms,
    view: &View,
    variable: usize,
    start: i64,
    limits: &Limits,
) -> Option<(i64, i64)> {
    let (mut low, mut high) = (start, start);
    for step in view.threads.iter().flat_map(|thread| &thread.moves) {
        if step.to.is_err() {
            continue;
        }
        if let Some(&(_, new)) = step.shared.iter().find(|(v, _)| *v == variable) {
            let new = as_number(terms, new)?;
            let value = only_value(terms, step.guard, new, limits)?;
            (low, high) = (low.min(value), high.max(value));
        }
    }
    Some((low, high))
}

/// All independent equalities that mention a variable.
fn equalities(
    terms: &mut Terms,
    view: &View,
    start: &[Option<i64>],
    limits: &Limits,
) -> Vec<Equality> {
    let variables: Vec<usize> = (0..view.shared.len())
        .filter(|&v| start[v].is_some() && deltas_are_constant(terms, view, v, limits))
        .collect();
    if variables.is_empty() {
        return Vec::new();
    }
    let columns = columns(view);
    let mut rows = Vec::new();
    for (number, thread) in view.threads.iter().enumerate() {
        for step in thread.moves.iter().filter(|step| step.to.is_ok()) {
            let changes = variables.iter().map(|&v| delta(terms, view, step, v, limits));
            let changes: Option<Vec<i64>> = changes.collect();
            let Some(changes) = changes else { return Vec::new() };
            rows.push(row(view, number, step, &columns, &changes));
        }
    }
    let width = columns.len() + variables.len();
    let eliminated = rows.len().min(width);
    limits.clock.spend((rows.len() * width * eliminated / 100) as u64);
    let Some(basis) = null_space(rows, width) else { return Vec::new() };
    let mut all = basis.clone();
    all.extend(combined(view, &columns, &basis));
    let read = all.iter().map(|weights| read(view, weights, &columns, &variables, start));
    read.flatten().collect()
}

/// An equality where threads of pools count with both signs bounds nothing. Where another one counts
/// some of them too, their sum may: then all others count with one sign.
fn combined(view: &View, columns: &[Column], basis: &[Vec<i128>]) -> Vec<Vec<i128>> {
    let of_pool = |column: &usize| view.threads[columns[*column].0].pool;
    let pools: Vec<usize> = (0..columns.len()).filter(of_pool).collect();
    let mixed = |weights: &[i128]| {
        pools.iter().any(|&at| weights[at] > 0) && pools.iter().any(|&at| weights[at] < 0)
    };
    let mut found: Vec<Vec<i128>> = Vec::new();
    for first in basis.iter().filter(|weights| mixed(weights)) {
        for second in basis.iter().filter(|weights| !mixed(weights)) {
            let both = pools.iter().filter(|&&at| first[at] != 0 && second[at] != 0);
            for &at in both {
                let Some(sum) = combine(first, second[at], second, first[at]) else { continue };
                if !mixed(&sum) && !found.contains(&sum) && found.len() < COMBINED {
                    found.push(sum);
                }
            }
        }
    }
    found
}

/// The greatest number of sums of equalities.
const COMBINED: usize = 12;

/// The changes of the numbers of threads, then those of the variables. In this order elimination more
/// often expresses variables by numbers of threads.
fn row(view: &View, number: usize, step: &Move, columns: &[Column], changes: &[i64]) -> Vec<i128> {
    let mut row = vec![0; columns.len() + changes.len()];
    let mut count = |thread: usize, at: At, by: i128| {
        if let Some(column) = columns.iter().position(|&column| column == (thread, at)) {
            row[column] += by;
        }
    };
    if let Ok(to) = step.to {
        count(number, step.from, -1);
        count(number, to, 1);
    }
    for child in &step.spawns {
        count(child.thread, At::Unstarted, -1);
        count(child.thread, view.threads[child.thread].entry, 1);
    }
    for (place, &change) in changes.iter().enumerate() {
        row[columns.len() + place] = i128::from(change);
    }
    row
}

/// Where threads can be counted: not where endlessly many of a pool stand in the beginning.
fn columns(view: &View) -> Vec<Column> {
    let mut columns = Vec::new();
    // The last columns get no weight where there is a choice: threads that are not tracked.
    let mut numbered: Vec<(usize, &Thread)> = view.threads.iter().enumerate().collect();
    numbered.sort_by_key(|(_, thread)| !thread.pool && thread.silent());
    for (number, thread) in numbered {
        let mut places = vec![At::Unstarted, thread.entry, At::Ended];
        places.extend(thread.moves.iter().map(|step| step.from));
        places.extend(thread.moves.iter().filter_map(|step| step.to.as_ref().ok().copied()));
        places.sort_unstable();
        places.dedup();
        places.retain(|at| !(thread.pool && thread.starts.contains(at)));
        columns.extend(places.into_iter().map(|at| (number, at)));
    }
    columns
}

fn read(
    view: &View,
    weights: &[i128],
    columns: &[Column],
    variables: &[usize],
    start: &[Option<i64>],
) -> Option<Equality> {
    let small: Option<Vec<i64>> = weights.iter().map(|&w| i64::try_from(w).ok()).collect();
    let small = small?;
    let (places, of_variables) = small.split_at(columns.len());
    let mut locations = vec![FxHashMap::default(); view.threads.len()];
    let mut constant = 0i64;
    for (&(thread, at), &weight) in columns.iter().zip(places) {
        if weight != 0 {
            locations[thread].insert(at, weight);
        }
        let template = &view.threads[thread];
        if !template.pool && template.starts.contains(&at) {
            constant = constant.checked_add(weight)?;
        }
    }
    let mut mentioned = Vec::new();
    for (&variable, &weight) in variables.iter().zip(of_variables) {
        if weight != 0 {
            mentioned.push((variable, weight));
            constant = constant.checked_add(weight.checked_mul(start[variable]?)?)?;
        }
    }
    (!mentioned.is_empty()).then_some(Equality { variables: mentioned, locations, constant })
}

impl Equality {
    /// What it says when these threads stand here: the others contribute at least the least and at
    /// most the greatest weight of their template, a pool any number of times.
    pub(crate) fn instance(&self, terms: &mut Terms, view: &View, threads: &[(usize, At)]) -> Term {
        let known = self.known(threads);
        let (low, high) = self.others(view, threads);
        // variables + known + others = constant
        let mut parts = vec![terms.int(known - self.constant)];
        for &(variable, weight) in &self.variables {
            let Some(variable) = numeric(terms, view, variable) else { return terms.bool(true) };
            let weight = terms.int(weight);
            parts.push(terms.mul(&[weight, variable]));
        }
        let sum = terms.add(&parts);
        let mut bounds = Vec::new();
        if let Some(low) = low {
            let most = terms.int(-low);
            bounds.push(terms.le(sum, most));
        }
        if let Some(high) = high {
            let least = terms.int(-high);
            bounds.push(terms.le(least, sum));
        }
        terms.and(&bounds)
    }

    /// Whether variables within these intervals can satisfy it.
    fn allows(
        &self,
        view: &View,
        intervals: &BTreeMap<usize, (i64, i64)>,
        threads: &[(usize, At)],
    ) -> bool {
        let (mut low, mut high) = self.others(view, threads);
        let add = |total: Option<i64>, by: i64| total.and_then(|total| total.checked_add(by));
        for (variable, weight) in &self.variables {
            let Some(&(least, most)) = intervals.get(variable) else { return true };
            let ends = [least.saturating_mul(*weight), most.saturating_mul(*weight)];
            (low, high) = (add(low, ends[0].min(ends[1])), add(high, ends[0].max(ends[1])));
        }
        let rest = self.constant - self.known(threads);
        low.is_none_or(|low| low <= rest) && high.is_none_or(|high| rest <= high)
    }

    /// What these threads contribute.
    fn known(&self, threads: &[(usize, At)]) -> i64 {
        let weight = |&(thread, at): &(usize, At)| {
            self.locations[thread].get(&at).copied().unwrap_or_default()
        };
        threads.iter().map(weight).sum()
    }

    /// What all others contribute, at least and at most, where that is bounded.
    fn others(&self, view: &View, threads: &[(usize, At)]) -> (Option<i64>, Option<i64>) {
        let (mut low, mut high) = (Some(0i64), Some(0i64));
        for (number, template) in view.threads.iter().enumerate() {
            if !template.pool && threads.iter().any(|&(thread, _)| thread == number) {
                continue;
            }
            let weights = self.locations[number].values().copied();
            let least = weights.clone().min().unwrap_or(0).min(0);
            let most = weights.max().unwrap_or(0).max(0);
            let times = |total: Option<i64>, by: i64| match by {
                0 => total,
                _ if template.pool => None,
                _ => total.map(|total| total + by),
            };
            (low, high) = (times(low, least), times(high, most));
        }
        (low, high)
    }
}

/// The value that every initial state has, of each shared integer.
fn initial_values(terms: &mut Terms, view: &View, limits: &Limits) -> Vec<Option<i64>> {
    let initial = terms.and(&view.initial);
    let value = |variable| {
        let variable = numeric(terms, view, variable)?;
        only_value(terms, initial, variable, limits)
    };
    (0..view.shared.len()).map(value).collect()
}

fn deltas_are_constant(terms: &mut Terms, view: &View, variable: usize, limits: &Limits) -> bool {
    let steps = view.threads.iter().flat_map(|thread| &thread.moves);
    let mut steps = steps.filter(|step| step.to.is_ok());
    steps.all(|step| delta(terms, view, step, variable, limits).is_some())
}

/// By how much a step changes a variable, if that is always the same.
fn delta(
    terms: &mut Terms,
    view: &View,
    step: &Move,
    variable: usize,
    limits: &Limits,
) -> Option<i64> {
    let Some(&(_, new)) = step.shared.iter().find(|(v, _)| *v == variable) else { return Some(0) };
    let (new, old) = (as_number(terms, new)?, numeric(terms, view, variable)?);
    let change = terms.sub(new, old);
    if let Some(value) = terms.constant(change) {
        return integer(value);
    }
    only_value(terms, step.guard, change, limits)
}

/// The only value that an integer term can have where the formula holds.
fn only_value(terms: &mut Terms, formula: Term, term: Term, limits: &Limits) -> Option<i64> {
    if let Some(value) = terms.constant(term) {
        return integer(value);
    }
    let mut solver = Solver::new(Logic::All, limits.clone());
    solver.assert(terms, formula);
    let Answer::Sat(model) = solver.check(terms, &[]) else { return None };
    let value = integer(&Model::eval(&model, terms, term))?;
    let constant = terms.int(value);
    let other = terms.ne(term, constant);
    solver.assert(terms, other);
    matches!(solver.check(terms, &[]), Answer::Unsat(_)).then_some(value)
}

fn integer(value: &Value) -> Option<i64> {
    value.as_int().and_then(|int| i64::try_from(int).ok())
}
