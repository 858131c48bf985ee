//! What a step does to sets of values.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use selvedge_smt::{Op, Term, Terms};

use super::eval::{self, Evaluation};
use crate::values::domain::{Bounds, HIGH, LOW, Tuple, Values};
use crate::values::{KnownValues, State, UnitId};

/// Combinations of values that are tried one by one.
const COMBINATIONS: usize = 256;
/// Combinations of values that the new value of a variable depends on.
const CASES: usize = 400;
/// Choices within one value that are followed one by one.
const CHOICES: u32 = 5;
/// Bounds that are this narrow become values one by one.
const NARROW: i128 = 4;

/// A condition, or its negation, with the units that it mentions.
#[derive(Clone, Debug)]
pub struct Condition {
    term: Term,
    holds: bool,
    pub units: Vec<UnitId>,
}

/// The conditions of a guard.
pub fn conditions(terms: &Terms, known: &KnownValues, guard: Term) -> Vec<Condition> {
    let mut found = Vec::new();
    let mut open = vec![(guard, true)];
    while let Some((term, holds)) = open.pop() {
        match (terms.op(term), holds) {
            (Op::And, true) | (Op::Or, false) => {
                open.extend(terms.args(term).iter().map(|&arg| (arg, holds)));
            }
            (Op::Not, _) => open.push((terms.args(term)[0], !holds)),
            _ => found.push(Condition { term, holds, units: known.mentioned(terms, &[term]) }),
        }
    }
    found
}

/// The part of a state in which all conditions may hold; none if there is no such part. Only what
/// conditions mention is in it.
pub fn filter(
    terms: &Terms,
    known: &KnownValues,
    state: &State,
    conditions: &[Condition],
) -> Option<State> {
    let mut kept = State::default();
    for &unit in conditions.iter().flat_map(|condition| &condition.units) {
        if let Some(values) = state.get(&unit) {
            kept.insert(unit, values.clone());
        }
    }
    for _ in 0..2 {
        for condition in conditions {
            apply(terms, known, &mut kept, condition)?;
        }
    }
    Some(kept)
}

fn apply(
    terms: &Terms,
    known: &KnownValues,
    state: &mut State,
    condition: &Condition,
) -> Option<()> {
    let mut kept: FxHashMap<UnitId, BTreeSet<Tuple>> = FxHashMap::default();
    let mut possible = false;
    let choice = Choice::of(state, &condition.units);
    choice.each(|chosen| {
        let mut eval = Evaluation::new(terms, bounds(known, state, &condition.units, chosen));
        if may_hold(&mut eval, condition) {
            possible = true;
            for &(unit, tuple) in chosen {
                kept.entry(unit).or_default().insert(tuple);
            }
        }
    });
    for (unit, tuples) in kept {
        state.insert(unit, Values::Each(tuples));
    }
    possible.then_some(())?;
    narrow(terms, known, state, condition)
}

fn may_hold(eval: &mut Evaluation, condition: &Condition) -> bool {
    let (low, high) = eval.bounds(condition.term);
    if condition.holds { high == 1 } else { low == 0 }
}

/// Comparisons bound what is not known value by value.
fn narrow(
    terms: &Terms,
    known: &KnownValues,
    state: &mut State,
    condition: &Condition,
) -> Option<()> {
    let args = terms.args(condition.term);
    let strict = i128::from(match (terms.op(condition.term), condition.holds) {
        (Op::Le, true) | (Op::Lt, false) | (Op::Eq, true) => false,
        (Op::Le, false) | (Op::Lt, true) => true,
        _ => return Some(()),
    });
    let (least, most) = if condition.holds { (args[0], args[1]) } else { (args[1], args[0]) };
    let mut eval = Evaluation::new(terms, bounds(known, state, &condition.units, &[]));
    let (low, high) = (eval.bounds(least), eval.bounds(most));
    let both = *terms.op(condition.term) == Op::Eq;
    for (term, other, upper, lower) in [(least, high, true, both), (most, low, both, true)] {
        let Some((unit, half)) = position(known, term) else { continue };
        let Some(Values::Within(bounds)) = state.get_mut(&unit) else { continue };
        let bound = &mut bounds[half];
        if upper && other.1 < HIGH {
            bound.1 = bound.1.min(other.1 - strict);
        }
        if lower && other.0 > LOW {
            bound.0 = bound.0.max(other.0 + strict);
        }
        if bound.0 > bound.1 {
            return None;
        }
    }
    Some(())
}

/// The unit of a variable, and which half of it that is.
fn position(known: &KnownValues, variable: Term) -> Option<(UnitId, usize)> {
    let unit = *known.of.get(&variable)?;
    let half = known.units[unit].variables.iter().position(|&v| v == variable)?;
    Some((unit, half))
}

/// The values that terms have together in a state in which the conditions hold.
pub fn result(
    terms: &Terms,
    known: &KnownValues,
    state: &State,
    conditions: &[Condition],
    wanted: &[Term],
) -> Values {
    let units = known.mentioned(terms, wanted);
    let related: Vec<&Condition> =
        conditions.iter().filter(|c| c.units.iter().any(|unit| units.contains(unit))).collect();
    let mut all = units.clone();
    all.extend(related.iter().flat_map(|condition| condition.units.iter().copied()));
    all.sort_unstable();
    all.dedup();
    let known_bounds = bounds(known, state, &all, &[]);
    let mut cases =
        Cases { terms, known, state, related, wanted, left: CASES, found: Values::none() };
    cases.run(known_bounds, &mut Vec::new(), CHOICES);
    cases.found
}

/// The values of terms, one after the other of what they depend on fixed as far as that is needed.
struct Cases<'a> {
    terms: &'a Terms,
    known: &'a KnownValues,
    state: &'a State,
    related: Vec<&'a Condition>,
    wanted: &'a [Term],
    /// How often it may be tried.
    left: usize,
    found: Values,
}

/// What to fix next.
enum Open {
    Unit(UnitId),
    /// A condition of which it is not known what it depends on.
    Condition(Term),
}

impl Cases<'_> {
    fn run(&mut self, known: FxHashMap<Term, Bounds>, fixed: &mut Vec<UnitId>, choices: u32) {
        self.left = self.left.saturating_sub(1);
        let mut eval = Evaluation::new(self.terms, known.clone());
        if !self.related.iter().all(|condition| may_hold(&mut eval, condition)) {
            return;
        }
        let open = self.wanted.iter().find_map(|&term| self.open(&mut eval, fixed, term));
        match open {
            Some(Open::Unit(unit)) if self.left > 0 => {
                let Some(Values::Each(tuples)) = self.state.get(&unit) else { return };
                fixed.push(unit);
                for tuple in tuples {
                    let mut known = known.clone();
                    let variables = self.known.units[unit].variables.iter().zip(tuple);
                    known.extend(variables.map(|(&variable, &value)| (variable, (value, value))));
                    self.run(known, fixed, choices);
                }
                fixed.pop();
            }
            Some(Open::Condition(condition)) if self.left > 0 && choices > 0 => {
                for value in [(0, 0), (1, 1)] {
                    let mut known = known.clone();
                    known.insert(condition, value);
                    self.run(known, fixed, choices - 1);
                }
            }
            _ => self.add(&mut eval),
        }
    }

    fn add(&mut self, eval: &mut Evaluation) {
        let mut bounds = [(0, 0); 2];
        for (bound, &term) in bounds.iter_mut().zip(self.wanted) {
            *bound = eval.bounds(term);
        }
        let values = one_by_one(bounds).map_or(Values::Within(bounds), Values::Each);
        // Nothing is widened here.
        self.found.join(&values, &bounds);
    }

    /// What a term depends on whose value is not known.
    fn open(&self, eval: &mut Evaluation, fixed: &[UnitId], term: Term) -> Option<Open> {
        if eval::single(eval.bounds(term)).is_some() {
            return None;
        }
        let args = self.terms.args(term);
        match self.terms.op(term) {
            Op::Var(_) => {
                let unit = *self.known.of.get(&term)?;
                let few = matches!(self.state.get(&unit), Some(Values::Each(_)));
                (few && !fixed.contains(&unit)).then_some(Open::Unit(unit))
            }
            Op::Ite => match eval.bounds(args[0]) {
                (0, 0) => self.open(eval, fixed, args[2]),
                (1, 1) => self.open(eval, fixed, args[1]),
                _ => self.open(eval, fixed, args[0]).or(Some(Open::Condition(args[0]))),
            },
            _ => {
                let mut condition = None;
                for &arg in args {
                    match self.open(eval, fixed, arg) {
                        Some(Open::Condition(term)) => condition = Some(Open::Condition(term)),
                        Some(unit) => return Some(unit),
                        None => {}
                    }
                }
                condition
            }
        }
    }
}

fn one_by_one(bounds: [Bounds; 2]) -> Option<BTreeSet<Tuple>> {
    let width = |(low, high): Bounds| high.checked_sub(low).filter(|w| (0..NARROW).contains(w));
    bounds.iter().try_for_each(|&bound| width(bound).map(|_| ()))?;
    let pairs = (bounds[0].0..=bounds[0].1)
        .flat_map(|first| (bounds[1].0..=bounds[1].1).map(move |second| [first, second]));
    Some(pairs.collect())
}

/// The bounds of the variables of some units, where some have chosen values.
fn bounds(
    known: &KnownValues,
    state: &State,
    units: &[UnitId],
    chosen: &[(UnitId, Tuple)],
) -> FxHashMap<Term, Bounds> {
    let mut found = FxHashMap::default();
    for &unit in units {
        let fixed = chosen.iter().find(|(which, _)| *which == unit);
        let bounds = match (fixed, state.get(&unit)) {
            (Some((_, tuple)), _) => [(tuple[0], tuple[0]), (tuple[1], tuple[1])],
            (None, Some(values)) => values.bounds(),
            (None, None) => known.units[unit].range,
        };
        found.extend(known.units[unit].variables.iter().copied().zip(bounds));
    }
    found
}

/// The units whose values are tried one by one: all that have few, as long as there are not too many
/// combinations.
struct Choice {
    units: Vec<(UnitId, Vec<Tuple>)>,
}

impl Choice {
    fn of(state: &State, units: &[UnitId]) -> Choice {
        let mut few: Vec<(UnitId, Vec<Tuple>)> = Vec::new();
        for &unit in units {
            if let Some(Values::Each(tuples)) = state.get(&unit) {
                few.push((unit, tuples.iter().copied().collect()));
            }
        }
        few.sort_by_key(|(unit, tuples)| (tuples.len(), *unit));
        let mut combinations = 1usize;
        few.retain(|(_, tuples)| {
            combinations = combinations.saturating_mul(tuples.len());
            combinations <= COMBINATIONS
        });
        Choice { units: few }
    }

    fn each(&self, mut f: impl FnMut(&[(UnitId, Tuple)])) {
        let mut chosen = Vec::with_capacity(self.units.len());
        self.choose(&mut chosen, &mut f);
    }

    fn choose(&self, chosen: &mut Vec<(UnitId, Tuple)>, f: &mut impl FnMut(&[(UnitId, Tuple)])) {
        let Some((unit, tuples)) = self.units.get(chosen.len()) else { return f(chosen) };
        for &tuple in tuples {
            chosen.push((*unit, tuple));
            self.choose(chosen, f);
            chosen.pop();
        }
    }
}

/// A term that stands for a number is bounded by what the state says.
pub fn constant_of(terms: &Terms, term: Term) -> Option<i128> {
    terms.constant(term).and_then(eval::constant).map(|(number, _)| number)
}
