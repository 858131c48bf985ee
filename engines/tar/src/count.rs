//! Counting the threads of a pool.
//!
//! Threads of a pool cannot be told apart, so nothing private of theirs can be made visible. But they
//! can be counted: a lock without an owner, or a count of references, equals the number of threads
//! that are between taking and giving back. Which locations those are is linear algebra: each step
//! is the vector of its changes to shared variables (where they are constant) and to the number of
//! threads at each location, and what is orthogonal to all of them never changes (place invariants of
//! Petri nets).

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::{Answer, Limits, Logic, Solver, Sort, Term, Value};

use super::model::Model;
use selvedge_system::algebra::null_space;
use selvedge_system::{At, End, Step, TemplateId};

/// Units of work for one question: that a number of threads changes by a constant is easy to see.
const MOST: u64 = 50_000;

/// Whatever changes a variable by more may have wrapped around.
const WRAP: i32 = 100;

/// `sum of weight * variable + sum of the weights of where threads stand = constant`, always.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balance {
    /// By position among the shared variables.
    pub variables: Vec<(usize, i64)>,
    /// By template: the locations that have a weight.
    pub locations: Vec<FxHashMap<At, i64>>,
    pub constant: i64,
    /// Whether a machine integer cannot hold the sum if there are too many threads.
    pub wraps: bool,
}

impl Balance {
    /// Whether it speaks of one of these variables.
    pub fn is_about(&self, model: &Model, variables: &FxHashSet<Term>) -> bool {
        let mut own = self.variables.iter().map(|(variable, _)| model.shared[*variable].term);
        own.any(|variable| variables.contains(&variable))
    }
}

/// All independent balances that relate a variable to threads of a pool.
pub fn balances(model: &mut Model, limits: &Limits) -> Vec<Balance> {
    let solver = Solver::new(Logic::All, limits.clone());
    let mut finding = Finding {
        model,
        solver,
        intervals: FxHashMap::default(),
        alone: FxHashMap::default(),
        wrapping: FxHashSet::default(),
    };
    let start = finding.initial_values();
    finding.alone(&start);
    for (variable, value) in start.iter().enumerate() {
        if let Some(interval) = value.and_then(|value| finding.interval(variable, value)) {
            finding.intervals.insert(variable, interval);
        }
    }
    let mut found = finding.balances(&start);
    found.retain(|balance| {
        let weights = balance.locations.iter().enumerate();
        let mut pools = weights.filter(|(id, _)| model.templates[*id].pool);
        pools.any(|(_, weights)| !weights.is_empty())
    });
    found
}

struct Finding<'a> {
    model: &'a mut Model,
    solver: Solver,
    /// Of variables that are only given constants: the least and the greatest.
    intervals: FxHashMap<usize, (i64, i64)>,
    /// The value of a variable where the initial thread stands while it is alone.
    alone: FxHashMap<(TemplateId, At, usize), i64>,
    /// Variables that are taken not to wrap around.
    wrapping: FxHashSet<usize>,
}

/// A number of threads: of one template, at one place.
type Column = (TemplateId, At);

impl Finding<'_> {
    fn balances(&mut self, start: &[Option<i64>]) -> Vec<Balance> {
        let steps = self.steps();
        let mut variables = Vec::new();
        let mut changes: Vec<Vec<i64>> = vec![Vec::new(); steps.len()];
        for variable in (0..start.len()).filter(|&variable| start[variable].is_some()) {
            let deltas: Option<Vec<i64>> =
                steps.iter().map(|(id, step)| self.delta(*id, step, variable)).collect();
            let Some(deltas) = deltas else { continue };
            variables.push(variable);
            changes.iter_mut().zip(deltas).for_each(|(row, delta)| row.push(delta));
        }
        let columns = self.columns();
        let rows = steps.iter().zip(&changes);
        let rows = rows.map(|((id, step), changes)| self.row(*id, step, &columns, changes));
        let width = columns.len() + variables.len();
        let basis = null_space(rows.collect(), width).unwrap_or_default();
        let read = |weights: &Vec<i128>| self.read(weights, &columns, &variables, start);
        basis.iter().filter_map(read).collect()
    }

    fn steps(&self) -> Vec<(TemplateId, Step)> {
        let of = |id: TemplateId| {
            let steps = self.model.template(id).steps.iter().enumerate();
            let values = &self.model.values;
            let happens = move |(index, step): &(usize, &Step)| {
                matches!(step.end, End::To(_)) && values.is_possible(id, *index as u32)
            };
            steps.filter(happens).map(move |(_, step)| (id, step.clone()))
        };
        self.model.ids().flat_map(of).collect()
    }

    /// Where threads can be counted: not where any number of them stands in the beginning.
    fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        for id in self.model.ids() {
            let template = self.model.template(id);
            let cuts = (0..template.locations.len() as u32).map(At::Cut);
            let start = if template.initial { template.entry } else { At::Unstarted };
            let all = cuts.chain([At::Unstarted, At::Ended]);
            columns.extend(all.filter(|at| !template.pool || *at != start).map(|at| (id, at)));
        }
        columns
    }

    /// The changes of the numbers of threads, then those of the variables: what comes last is more
    /// often expressed by the rest.
    fn row(&self, id: TemplateId, step: &Step, columns: &[Column], changes: &[i64]) -> Vec<i128> {
        let mut row = vec![0; columns.len() + changes.len()];
        let mut count = |thread: TemplateId, at: At, by: i128| {
            if let Some(column) = columns.iter().position(|&column| column == (thread, at)) {
                row[column] += by;
            }
        };
        if let End::To(to) = step.end {
            count(id, step.from, -1);
            count(id, to, 1);
        }
        for spawn in &step.spawns {
            count(spawn.template, At::Unstarted, -1);
            count(spawn.template, self.model.template(spawn.template).entry, 1);
        }
        let tail = row[columns.len()..].iter_mut();
        tail.zip(changes).for_each(|(place, &change)| *place = i128::from(change));
        row
    }

    fn read(
        &self,
        weights: &[i128],
        columns: &[Column],
        variables: &[usize],
        start: &[Option<i64>],
    ) -> Option<Balance> {
        let small: Option<Vec<i64>> = weights.iter().map(|&w| i64::try_from(w).ok()).collect();
        let small = small?;
        let (places, of_variables) = small.split_at(columns.len());
        let mut locations = vec![FxHashMap::default(); self.model.templates.len()];
        let mut constant = 0i64;
        for (&(id, at), &weight) in columns.iter().zip(places).filter(|(_, weight)| **weight != 0) {
            locations[id.0 as usize].insert(at, weight);
            let template = self.model.template(id);
            let begins = if template.initial { template.entry } else { At::Unstarted };
            if !template.pool && at == begins {
                constant = constant.checked_add(weight)?;
            }
        }
        let mut mentioned = Vec::new();
        for (&variable, &weight) in variables.iter().zip(of_variables).filter(|(_, w)| **w != 0) {
            mentioned.push((variable, weight));
            constant = constant.checked_add(weight.checked_mul(start[variable]?)?)?;
        }
        let wraps = mentioned.iter().any(|(variable, _)| self.wrapping.contains(variable));
        let balance = Balance { variables: mentioned, locations, constant, wraps };
        (!balance.variables.is_empty()).then_some(balance)
    }

    /// The value that every initial state has, of each shared number.
    fn initial_values(&mut self) -> Vec<Option<i64>> {
        let initial = self.model.initial;
        (0..self.model.shared.len())
            .map(|variable| {
                if self.model.shared[variable].ghost.is_some() {
                    return None;
                }
                let term = self.model.shared[variable].term;
                let term = number(self.model, term)?;
                self.only_value(initial, term)
            })
            .collect()
    }

    /// Follows constants through the steps of the only initial thread until it starts others.
    fn alone(&mut self, start: &[Option<i64>]) {
        let initial: Vec<TemplateId> =
            self.model.ids().filter(|&id| self.model.template(id).initial).collect();
        let &[id] = initial.as_slice() else { return };
        let template = self.model.template(id).clone();
        if template.pool {
            return;
        }
        let values = start.iter().enumerate().filter_map(|(v, value)| Some((v, (*value)?)));
        let mut known: FxHashMap<At, FxHashMap<usize, i64>> = FxHashMap::default();
        known.insert(template.entry, values.collect());
        let mut open = vec![template.entry];
        while let Some(at) = open.pop() {
            let before = known[&at].clone();
            for step in template.steps.iter().filter(|step| step.from == at) {
                let End::To(to) = step.end else { continue };
                if !step.spawns.is_empty() {
                    continue;
                }
                let mut after = before.clone();
                for &(variable, value) in &step.shared {
                    let value = number(self.model, value);
                    let value = value.and_then(|v| self.model.terms.constant(v).and_then(integer));
                    match value {
                        Some(value) => after.insert(variable as usize, value),
                        None => after.remove(&(variable as usize)),
                    };
                }
                let joined = match known.get(&to) {
                    None => after,
                    Some(old) => {
                        old.clone().into_iter().filter(|(v, x)| after.get(v) == Some(x)).collect()
                    }
                };
                if known.get(&to) != Some(&joined) {
                    known.insert(to, joined);
                    open.push(to);
                }
            }
        }
        for (at, values) in known {
            self.alone.extend(values.into_iter().map(|(v, value)| ((id, at, v), value)));
        }
    }

    /// The values of a variable that is only given constants.
    fn interval(&mut self, variable: usize, start: i64) -> Option<(i64, i64)> {
        let (mut low, mut high) = (start, start);
        for (_, step) in self.steps() {
            if let Some(&(_, new)) = step.shared.iter().find(|(v, _)| *v as usize == variable) {
                let new = number(self.model, new)?;
                let value = self.only_value(step.guard, new)?;
                (low, high) = (low.min(value), high.max(value));
            }
        }
        Some((low, high))
    }

    /// By how much a step changes a variable, if that is always the same. A lock that is given back
    /// has been taken before: what is only ever given constants is taken to change where it is
    /// assigned. If that is not so, the balance is none, and the predicates of it do not help.
    fn delta(&mut self, id: TemplateId, step: &Step, variable: usize) -> Option<i64> {
        let Some(&(_, new)) = step.shared.iter().find(|(v, _)| *v as usize == variable) else {
            return Some(0);
        };
        let old = self.model.shared[variable].term;
        let (new, old) = (number(self.model, new)?, number(self.model, old)?);
        let change = self.model.terms.sub(new, old);
        let mut known = vec![step.guard];
        if let Some(&(low, high)) = self.intervals.get(&variable) {
            known.push(self.model.terms.between(low, old, high));
        }
        // Where the thread comes back after it has started others, it need not have the value that it
        // had there alone.
        if let Some(&value) = self.alone.get(&(id, step.from, variable)) {
            let value = self.model.terms.int(value);
            let alone = self.model.terms.eq(old, value);
            let alone = self.model.terms.and(&[&known[..], &[alone]].concat());
            if let Some(change) = self.change(alone, change, variable) {
                return Some(change);
            }
        }
        let always = self.model.terms.and(&known);
        self.change(always, change, variable).or_else(|| {
            self.intervals.get(&variable)?;
            let changes = self.model.terms.ne(new, old);
            let changes = self.model.terms.and(&[always, changes]);
            self.only_value(changes, change)
        })
    }

    /// By how much a variable changes where the formula holds. A number of threads may wrap around as
    /// well, but not if there are few.
    fn change(&mut self, formula: Term, change: Term, variable: usize) -> Option<i64> {
        if let Some(only) = self.only_value(formula, change) {
            return Some(only);
        }
        let small = self.model.terms.between(-WRAP, change, WRAP);
        let small = self.model.terms.and(&[formula, small]);
        let only = self.only_value(small, change)?;
        self.wrapping.insert(variable);
        Some(only)
    }

    /// The only value that an integer term can have where the formula holds.
    fn only_value(&mut self, formula: Term, term: Term) -> Option<i64> {
        let terms = &mut self.model.terms;
        if let Some(value) = terms.constant(term) {
            return integer(value);
        }
        self.solver.push();
        self.solver.assert(terms, formula);
        let value = match self.solver.check_within(terms, &[], Some(MOST)) {
            Answer::Sat(values) => integer(&values.eval(terms, term)),
            _ => None,
        };
        let only = value.filter(|&value| {
            let constant = terms.int(value);
            let other = terms.ne(term, constant);
            matches!(self.solver.check_within(terms, &[other], Some(MOST)), Answer::Unsat(_))
        });
        self.solver.pop();
        only
    }
}

/// The term as a number.
pub fn number(model: &mut Model, term: Term) -> Option<Term> {
    match model.terms.sort(term) {
        Sort::Int => Some(term),
        Sort::Bool => {
            let (one, zero) = (model.terms.int(1), model.terms.int(0));
            Some(model.terms.ite(term, one, zero))
        }
        _ => None,
    }
}

fn integer(value: &Value) -> Option<i64> {
    value.as_int().and_then(|int| i64::try_from(int).ok())
}

/// Makes the numbers visible that the balances speak of, and gives the predicates that say what the
/// balances say, each with the template that tracks it.
pub fn make_visible(model: &mut Model, balances: &[Balance]) -> Vec<(TemplateId, Term)> {
    let mut predicates = Vec::new();
    for balance in balances {
        let mut parts = Vec::new();
        for &(variable, weight) in &balance.variables {
            let term = model.shared[variable].term;
            let Some(value) = number(model, term) else { continue };
            let weight = model.terms.int(weight);
            parts.push(model.terms.mul(&[weight, value]));
        }
        let mut rests = vec![0];
        for id in model.ids() {
            let weights = balance.locations[id.0 as usize].clone();
            if !model.template(id).pool {
                rests = sums(model, id, &weights, &rests);
                continue;
            }
            let mut distinct: Vec<i64> = weights.values().copied().collect();
            distinct.sort_unstable();
            distinct.dedup();
            for weight in distinct {
                let at = weights.iter().filter(|(_, w)| **w == weight).map(|(at, _)| *at);
                let (count, inside) = model.count(id, at.collect());
                let (zero, one) = (model.terms.int(0), model.terms.int(1));
                predicates.push((id, inside));
                predicates.push((id, model.terms.le(count, zero)));
                predicates.push((id, model.terms.le(count, one)));
                let weight = model.terms.int(weight);
                parts.push(model.terms.mul(&[weight, count]));
            }
        }
        let sum = model.terms.add(&parts);
        for rest in rests {
            let constant = model.terms.int(balance.constant - rest);
            predicates.push((TemplateId(0), model.terms.eq(sum, constant)));
        }
    }
    predicates
}

/// The sums that the locations of single threads contribute; none if there are many.
fn sums(model: &Model, id: TemplateId, weights: &FxHashMap<At, i64>, rests: &[i64]) -> Vec<i64> {
    const MANY: usize = 4;
    let cuts = (0..model.template(id).locations.len() as u32).map(At::Cut);
    let places = cuts.chain([At::Unstarted, At::Ended]);
    let mut own: Vec<i64> = places.map(|at| weights.get(&at).copied().unwrap_or(0)).collect();
    own.sort_unstable();
    own.dedup();
    let mut all: Vec<i64> =
        rests.iter().flat_map(|rest| own.iter().map(move |weight| rest + weight)).collect();
    all.sort_unstable();
    all.dedup();
    if all.len() > MANY { Vec::new() } else { all }
}
