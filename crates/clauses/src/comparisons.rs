//! What a program compares, and the features of relations that follow from it.
//!
//! A program decides by comparing: a variable with a constant, two variables, a sum. What holds at its
//! locations can often be said by the same comparisons, by those that its assignments turn them into,
//! and by the order of any two variables.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::{Op, Sort, Term, Terms};

use super::feature::{Feature, nearest};
use super::frame::{Frame, Key};
use super::view::{Move, View};

/// The greatest number of constants for a term.
const POINTS: usize = 15;
/// The greatest number of terms for a relation, and of those that are paired.
const FEATURES: usize = 100;
const PAIRED: usize = 14;
/// Variables with fewer values are told apart by all of them.
const FLAG: i64 = 8;
/// The greatest stride that remainders are looked at for.
const STRIDE: i128 = 4;
/// How often assignments are followed back.
const ROUNDS: usize = 2;
/// The greatest number of comparisons of a template.
const COMPARISONS: usize = 60;

/// A sum of variables with factors, the first of which is positive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Sum(Vec<(Term, i128)>);

/// By template: what its guards compare, over the shared variables and its locals.
pub struct Comparisons {
    of: Vec<BTreeMap<Sum, Vec<i128>>>,
    /// Constants that variables are given, or are compared with alone.
    constants: FxHashMap<Term, Vec<i128>>,
    /// By how much variables are changed, where that is more than one: then remainders may matter.
    strides: Vec<i128>,
}

impl Comparisons {
    pub fn of(terms: &mut Terms, view: &View) -> Comparisons {
        let mut of = Vec::new();
        let mut constants: FxHashMap<Term, Vec<i128>> = FxHashMap::default();
        let mut strides = Vec::new();
        for thread in &view.threads {
            let mut found = BTreeMap::new();
            for step in &thread.moves {
                compared(terms, step.guard, &mut found);
            }
            for access in &thread.accesses {
                compared(terms, access.guard, &mut found);
            }
            of.push(found);
        }
        share(view, &mut of);
        for (number, comparisons) in of.iter_mut().enumerate() {
            for _ in 0..ROUNDS {
                let mut found = comparisons.clone();
                back(terms, view, number, comparisons, &mut found);
                found.retain(|sum, _| known(view, number, sum));
                if *comparisons == found || found.len() > COMPARISONS {
                    break;
                }
                *comparisons = found;
            }
            onward(terms, view, number, comparisons);
        }
        share(view, &mut of);
        for (number, thread) in view.threads.iter().enumerate() {
            for step in &thread.moves {
                for (variable, new) in assignments(view, number, step) {
                    for leaf in leaves(terms, new) {
                        strides.extend(stride(terms, leaf));
                        let value = terms.constant(leaf).and_then(number_of);
                        constants.entry(variable).or_default().extend(value);
                    }
                }
            }
        }
        for part in &view.initial {
            let mut found = BTreeMap::new();
            compared(terms, *part, &mut found);
            for (sum, points) in found {
                if let [(variable, 1)] = sum.0[..] {
                    constants.entry(variable).or_default().extend(points);
                }
            }
        }
        strides.sort_unstable();
        strides.dedup();
        Comparisons { of, constants, strides }
    }

    /// The features of the relation of a key, over its parameters.
    pub fn features(
        &self,
        terms: &mut Terms,
        frame: &Frame<'_>,
        key: &Key,
        parameters: &[Term],
    ) -> Vec<Feature> {
        let mut collector = Collector { found: Vec::new(), places: FxHashMap::default() };
        let places = places(frame.view, key, parameters);
        collector.flags(terms, frame, parameters);
        for (index, place) in places.iter().enumerate() {
            collector.compared(terms, &self.of[key[index].0], place);
        }
        if let (true, Some(any)) = (key.is_empty(), self.of.first()) {
            collector.compared(terms, any, &shared(frame.view, parameters));
        }
        let plain = self.plain(terms, frame, key, parameters);
        for (variable, constants) in &plain {
            let constants = constants.iter().copied().chain([0]);
            collector.add(terms, &Sum(vec![(*variable, 1)]), constants, false);
        }
        for &(variable, _) in &plain {
            for &stride in &self.strides {
                let by = terms.int(stride);
                let term = terms.modulo(variable, by);
                let points = (0..stride).collect();
                collector.found.push(Feature { term, points, paired: false });
            }
        }
        for (index, &(first, _)) in plain.iter().enumerate() {
            for &(second, _) in &plain[index + 1..] {
                let difference = Sum(vec![(first, 1), (second, -1)]);
                collector.add(terms, &difference, [-1, 0, 1], false);
            }
        }
        let mut found = collector.found;
        found
            .retain(|feature| terms.sort(feature.term) == Sort::Bool || !feature.points.is_empty());
        found
    }

    /// The integers among the parameters that take more than a few values, with their constants.
    fn plain(
        &self,
        terms: &Terms,
        frame: &Frame<'_>,
        key: &Key,
        parameters: &[Term],
    ) -> Vec<(Term, Vec<i128>)> {
        let originals = originals(frame.view, key);
        let of = |term: &Term| self.constants.get(term).cloned().unwrap_or_default();
        let pairs = parameters.iter().zip(&originals).enumerate();
        let plain = pairs.filter(|(index, (parameter, _))| {
            terms.sort(**parameter) == Sort::Int && !frame.facts.intervals.contains_key(index)
        });
        plain.map(|(_, (&parameter, original))| (parameter, of(original))).collect()
    }
}

/// The variables that the parameters of a key's relation stand for.
fn originals(view: &View, key: &Key) -> Vec<Term> {
    let mut all: Vec<Term> = view.shared.iter().map(|var| var.term).collect();
    for &(number, at) in key {
        let thread = &view.threads[number];
        all.extend(thread.live(at).iter().map(|&local| thread.locals[local].term));
    }
    all
}

fn shared(view: &View, parameters: &[Term]) -> FxHashMap<Term, Term> {
    view.shared.iter().map(|var| var.term).zip(parameters.iter().copied()).collect()
}

/// For each thread of a key: the parameters for the shared variables and its locals.
fn places(view: &View, key: &Key, parameters: &[Term]) -> Vec<FxHashMap<Term, Term>> {
    let mut next = view.shared.len();
    let mut all = Vec::new();
    for &(number, at) in key {
        let thread = &view.threads[number];
        let mut place = shared(view, parameters);
        for &local in thread.live(at) {
            place.insert(thread.locals[local].term, parameters[next]);
            next += 1;
        }
        all.push(place);
    }
    all
}

struct Collector {
    found: Vec<Feature>,
    places: FxHashMap<Sum, usize>,
}

impl Collector {
    /// Truth values, and variables with few values.
    fn flags(&mut self, terms: &mut Terms, frame: &Frame<'_>, parameters: &[Term]) {
        for (index, &parameter) in parameters.iter().enumerate() {
            match frame.facts.intervals.get(&index) {
                _ if terms.sort(parameter) == Sort::Bool => {
                    let paired = self.room();
                    self.found.push(Feature { term: parameter, points: Vec::new(), paired });
                }
                Some(&(low, high)) if high.saturating_sub(low) < FLAG => {
                    let points = i128::from(low)..=i128::from(high);
                    self.add(terms, &Sum(vec![(parameter, 1)]), points, true);
                }
                Some(&(low, high)) => {
                    let points = [i128::from(low), i128::from(high)];
                    self.add(terms, &Sum(vec![(parameter, 1)]), points, true);
                }
                None => {}
            }
        }
    }

    fn compared(
        &mut self,
        terms: &mut Terms,
        comparisons: &BTreeMap<Sum, Vec<i128>>,
        place: &FxHashMap<Term, Term>,
    ) {
        for (sum, points) in comparisons {
            let parts = sum.0.iter().map(|&(term, by)| Some((*place.get(&term)?, by)));
            let Some(parts) = parts.collect::<Option<Vec<_>>>() else { continue };
            if let Some((sum, sign)) = normal(parts) {
                let points = points.iter().map(|point| point.saturating_mul(sign));
                self.add(terms, &sum, points.chain([0]), true);
            }
        }
    }

    fn room(&self) -> bool {
        self.found.iter().filter(|feature| feature.paired).count() < PAIRED
    }

    fn add(
        &mut self,
        terms: &mut Terms,
        sum: &Sum,
        points: impl IntoIterator<Item = i128>,
        paired: bool,
    ) {
        let place = match self.places.get(sum) {
            Some(&place) => place,
            None if self.found.len() >= FEATURES => return,
            None => {
                let term = sum.term(terms);
                let paired = paired && self.room();
                self.found.push(Feature { term, points: Vec::new(), paired });
                self.places.insert(sum.clone(), self.found.len() - 1);
                self.found.len() - 1
            }
        };
        let feature = &mut self.found[place];
        feature.points.extend(points);
        nearest(&mut feature.points, POINTS);
    }
}

impl Sum {
    fn term(&self, terms: &mut Terms) -> Term {
        let mut parts = Vec::new();
        for &(variable, by) in &self.0 {
            let by = terms.int(by);
            parts.push(terms.mul(&[by, variable]));
        }
        terms.add(&parts)
    }
}

/// Sorted, with a positive first factor; the sign that makes it so.
fn normal(mut parts: Vec<(Term, i128)>) -> Option<(Sum, i128)> {
    parts.sort_unstable();
    let sign = parts.first()?.1.signum();
    parts.iter_mut().for_each(|part| part.1 *= sign);
    Some((Sum(parts), sign))
}

/// The term as a sum and a constant; none if it is not linear.
fn linear(terms: &Terms, term: Term) -> Option<(BTreeMap<Term, i128>, i128)> {
    if let Some(value) = terms.constant(term) {
        return Some((BTreeMap::new(), number_of(value)?));
    }
    let args = terms.args(term);
    match terms.op(term) {
        Op::Var(_) if terms.sort(term) == Sort::Int => Some((BTreeMap::from([(term, 1)]), 0)),
        Op::Add => {
            let mut total = (BTreeMap::new(), 0i128);
            for &arg in args {
                plus(&mut total, &linear(terms, arg)?, 1)?;
            }
            Some(total)
        }
        Op::Mul => {
            let &[by, of] = args else { return None };
            let mut total = (BTreeMap::new(), 0i128);
            plus(&mut total, &linear(terms, of)?, number_of(terms.constant(by)?)?)?;
            Some(total)
        }
        _ => None,
    }
}

fn plus(
    total: &mut (BTreeMap<Term, i128>, i128),
    other: &(BTreeMap<Term, i128>, i128),
    by: i128,
) -> Option<()> {
    for (&variable, &factor) in &other.0 {
        let entry = total.0.entry(variable).or_insert(0);
        *entry = entry.checked_add(factor.checked_mul(by)?)?;
        if *entry == 0 {
            total.0.remove(&variable);
        }
    }
    total.1 = total.1.checked_add(other.1.checked_mul(by)?)?;
    Some(())
}

fn number_of(value: &selvedge_smt::Value) -> Option<i128> {
    value.as_int().and_then(|int| i128::try_from(int).ok())
}

/// What is added to a variable, if it is a small constant but not one.
fn stride(terms: &Terms, term: Term) -> Option<i128> {
    let (sum, constant) = linear(terms, term)?;
    let stride = constant.checked_abs()?;
    (sum.len() == 1 && (2..=STRIDE).contains(&stride)).then_some(stride)
}

/// The values that a term may take by its conditions.
fn leaves(terms: &Terms, term: Term) -> Vec<Term> {
    match terms.op(term) {
        Op::Ite => {
            let (then, otherwise) = (terms.args(term)[1], terms.args(term)[2]);
            let mut all = leaves(terms, then);
            all.extend(leaves(terms, otherwise));
            all
        }
        _ => vec![term],
    }
}

/// Adds the comparisons in a formula.
fn compared(terms: &Terms, formula: Term, found: &mut BTreeMap<Sum, Vec<i128>>) {
    terms.walk(&[formula], |part| {
        let (Op::Eq | Op::Le | Op::Lt, &[a, b]) = (terms.op(part), terms.args(part)) else {
            return;
        };
        if terms.sort(a) != Sort::Int {
            return;
        }
        for left in leaves(terms, a) {
            for right in leaves(terms, b) {
                compare(terms, left, right, found);
            }
        }
    });
}

fn compare(terms: &Terms, a: Term, b: Term, found: &mut BTreeMap<Sum, Vec<i128>>) -> Option<()> {
    let mut total = linear(terms, a)?;
    plus(&mut total, &linear(terms, b)?, -1)?;
    let (sum, sign) = normal(total.0.into_iter().collect())?;
    let point = total.1.checked_neg()?.checked_mul(sign)?;
    if let [(variable, factor)] = sum.0[..] {
        // Between two multiples of the factor there is no difference.
        let points = found.entry(Sum(vec![(variable, 1)])).or_default();
        points.push(point.div_euclid(factor));
        nearest(points, POINTS);
        return Some(());
    }
    let points = found.entry(sum).or_default();
    points.push(point);
    nearest(points, POINTS);
    Some(())
}

/// What a step assigns, to the shared variables and to the thread's own.
fn assignments(view: &View, number: usize, step: &Move) -> Vec<(Term, Term)> {
    let shared = step.shared.iter().map(|&(variable, new)| (view.shared[variable].term, new));
    let locals = &view.threads[number].locals;
    shared.chain(step.locals.iter().map(|&(local, new)| (locals[local].term, new))).collect()
}

/// Adds what the comparisons of a template say before the steps of its threads.
fn back(
    terms: &mut Terms,
    view: &View,
    number: usize,
    of: &BTreeMap<Sum, Vec<i128>>,
    found: &mut BTreeMap<Sum, Vec<i128>>,
) {
    for step in &view.threads[number].moves {
        let mut by: FxHashMap<Term, Term> = FxHashMap::default();
        for (variable, new) in assignments(view, number, step) {
            by.insert(variable, leaves(terms, new)[0]);
        }
        if by.is_empty() {
            continue;
        }
        for (sum, points) in of {
            if !sum.0.iter().any(|part| by.contains_key(&part.0)) {
                continue;
            }
            let term = sum.term(terms);
            let before = terms.substitute(term, &by);
            for &point in points {
                let point = terms.int(point);
                compare(terms, before, point, found);
            }
        }
    }
}

/// Adds the constants that a variable may be compared with once something is added to it.
fn onward(terms: &Terms, view: &View, number: usize, of: &mut BTreeMap<Sum, Vec<i128>>) {
    let before = of.clone();
    for step in &view.threads[number].moves {
        for (variable, new) in assignments(view, number, step) {
            for leaf in leaves(terms, new) {
                let Some((sum, constant)) = linear(terms, leaf) else { continue };
                let Some((sum, 1)) = normal(sum.into_iter().collect()) else { continue };
                let (Some(points), true) = (before.get(&sum), constant != 0) else { continue };
                let after = of.entry(Sum(vec![(variable, 1)])).or_default();
                after.extend(points.iter().map(|point| point.saturating_add(constant)));
                nearest(after, POINTS);
            }
        }
    }
}

/// What one template compares of the shared variables alone, all may have to know.
fn share(view: &View, of: &mut [BTreeMap<Sum, Vec<i128>>]) {
    let all: FxHashSet<Term> = view.shared.iter().map(|var| var.term).collect();
    let mut found: BTreeMap<Sum, Vec<i128>> = BTreeMap::new();
    for (sum, points) in of.iter().flatten() {
        if sum.0.iter().all(|part| all.contains(&part.0)) {
            found.entry(sum.clone()).or_default().extend(points);
        }
    }
    for comparisons in of {
        for (sum, points) in &found {
            let own = comparisons.entry(sum.clone()).or_default();
            own.extend(points);
            nearest(own, POINTS);
        }
    }
}

/// Whether all variables are shared or the template's own.
fn known(view: &View, number: usize, sum: &Sum) -> bool {
    let locals = view.threads[number].locals.iter();
    let all: FxHashSet<Term> = view.shared.iter().chain(locals).map(|var| var.term).collect();
    sum.0.iter().all(|part| all.contains(&part.0))
}
