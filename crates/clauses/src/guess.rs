//! Guessed solutions: what the features of each relation can be at all.
//!
//! Spacer's search for a relation may go on for ever where a simple one would do. So first the
//! strongest solution is computed that can be said by [`Feature`]s: which cells each of them can be in,
//! and each pair of some of them (Cartesian predicate abstraction, over pairs). It is the least
//! fixpoint over finitely many values, so it always ends. It may prove all that is asked; if not, it
//! is handed to Spacer: every relation is known to be within it.

use std::collections::VecDeque;

use selvedge_smt::horn::{Atom, Definition, Horn, Rule, RuleId, Solution};
use selvedge_smt::{Answer, Limits, Logic, Model, Reason, Solver, Sort, Term, Terms, Value};

use super::features::Feature;

/// What is known of a relation; none if no state of it has been found.
type Found = Option<Reached>;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Reached {
    /// By feature: the cells that it can be in, as bits.
    cells: Vec<u32>,
    /// By pair: the pairs of cells.
    pairs: Vec<u64>,
}

/// The parameters of a relation, and what may be said of them.
#[derive(Clone, Debug)]
pub struct Language {
    pub parameters: Vec<Term>,
    pub features: Vec<Feature>,
    pairs: Vec<(usize, usize)>,
}

impl Language {
    pub fn new(parameters: Vec<Term>, features: Vec<Feature>, with_pairs: bool) -> Language {
        let mut features = features;
        let mut pairs = Vec::new();
        if with_pairs {
            let single = features.len();
            let coarse = features.iter().filter(|feature| feature.paired).map(Feature::coarse);
            let coarse: Vec<Feature> = coarse.collect();
            features.extend(coarse);
            for first in single..features.len() {
                pairs.extend((first + 1..features.len()).map(|second| (first, second)));
            }
        }
        Language { parameters, features, pairs }
    }
}

/// The strongest solution of the rules with heads, and the queries that it does not exclude.
pub fn strongest(
    terms: &mut Terms,
    horn: &Horn,
    languages: &[Language],
    known: Option<&Solution>,
    limits: &Limits,
) -> Result<(Solution, Vec<RuleId>), Reason> {
    limits.together(|free| {
        let states = vec![None; languages.len()];
        let none = terms.bool(false);
        let conjuncts = vec![vec![none]; languages.len()];
        let mut search = Search { terms, horn, languages, states, conjuncts, limits, free };
        search.run()?;
        let guess = Guess { conjuncts: search.conjuncts };
        let mut solution = guess.solution(terms, languages);
        if let Some(known) = known {
            both(terms, &mut solution, known);
        }
        let open = remaining(terms, horn, &solution, free)?;
        Ok((solution, open))
    })?
}

/// Adds what is known to a solution.
pub fn both(terms: &mut Terms, solution: &mut Solution, known: &Solution) {
    for (definition, known) in solution.definitions.iter_mut().zip(&known.definitions) {
        let known = known.apply(terms, &definition.parameters);
        definition.formula = terms.and(&[definition.formula, known]);
    }
}

/// A solution as conjuncts over the parameters of each relation.
struct Guess {
    conjuncts: Vec<Vec<Term>>,
}

impl Guess {
    fn solution(&self, terms: &mut Terms, languages: &[Language]) -> Solution {
        let pairs = self.conjuncts.iter().zip(languages);
        let definitions = pairs.map(|(conjuncts, language)| Definition {
            parameters: language.parameters.clone(),
            formula: terms.and(conjuncts),
        });
        Solution { definitions: definitions.collect() }
    }
}

/// The queries that a solution does not exclude.
fn remaining(
    terms: &mut Terms,
    horn: &Horn,
    solution: &Solution,
    limits: &Limits,
) -> Result<Vec<RuleId>, Reason> {
    let mut solver = Solver::new(Logic::All, limits.clone());
    let mut found = Vec::new();
    for (id, rule) in horn.rules().filter(|(_, rule)| rule.head.is_none()) {
        solver.push();
        solver.assert(terms, rule.constraint);
        for atom in &rule.body {
            let known = solution.get(atom.relation).apply(terms, &atom.args);
            solver.assert(terms, known);
        }
        let answer = solver.check(terms, &[]);
        solver.pop();
        match answer {
            Answer::Unsat(_) => {}
            Answer::Sat(_) => found.push(id),
            Answer::Unknown(reason) => return Err(reason),
        }
    }
    Ok(found)
}

struct Search<'a> {
    terms: &'a mut Terms,
    horn: &'a Horn,
    languages: &'a [Language],
    states: Vec<Found>,
    /// What the states say.
    conjuncts: Vec<Vec<Term>>,
    limits: &'a Limits,
    /// For each question.
    free: &'a Limits,
}

impl Search<'_> {
    fn run(&mut self) -> Result<(), Reason> {
        let rules: Vec<&Rule> =
            self.horn.rules().map(|(_, rule)| rule).filter(|rule| rule.head.is_some()).collect();
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); self.languages.len()];
        for (index, rule) in rules.iter().enumerate() {
            for atom in &rule.body {
                users[atom.relation.index()].push(index);
            }
        }
        let mut solver = Solver::new(Logic::All, self.free.clone());
        let mut open: VecDeque<usize> = (0..rules.len()).collect();
        let mut waiting = vec![true; rules.len()];
        while let Some(index) = open.pop_front() {
            waiting[index] = false;
            let rule = rules[index];
            if rule.body.iter().any(|atom| self.states[atom.relation.index()].is_none()) {
                continue;
            }
            if let Some(reason) = self.limits.exceeded() {
                return Err(reason);
            }
            let Some(head) = &rule.head else { continue };
            if self.saturate(&mut solver, rule, head)? {
                for &user in &users[head.relation.index()] {
                    if !std::mem::replace(&mut waiting[user], true) {
                        open.push_back(user);
                    }
                }
            }
        }
        Ok(())
    }

    /// Lets the head hold of all that the rule derives; whether that was new.
    fn saturate(&mut self, solver: &mut Solver, rule: &Rule, head: &Atom) -> Result<bool, Reason> {
        solver.push();
        solver.assert(self.terms, rule.constraint);
        for atom in &rule.body {
            let known = self.instance(atom);
            solver.assert(self.terms, known);
        }
        let mut changed = false;
        let result = loop {
            let known = self.instance(head);
            let outside = self.terms.not(known);
            solver.push();
            solver.assert(self.terms, outside);
            let answer = solver.check(self.terms, &[]);
            solver.pop();
            match answer {
                Answer::Unsat(_) => break Ok(changed),
                Answer::Unknown(reason) => break Err(reason),
                Answer::Sat(_) if self.limits.exceeded().is_some() => break Err(Reason::Time),
                Answer::Sat(model) => {
                    if !self.join(head, &model) {
                        break Err(Reason::Incomplete("a model that is none".into()));
                    }
                    changed = true;
                }
            }
        };
        solver.pop();
        result
    }

    fn instance(&mut self, atom: &Atom) -> Term {
        let relation = atom.relation.index();
        let parameters = &self.languages[relation].parameters;
        let by = parameters.iter().copied().zip(atom.args.iter().copied()).collect();
        let formula = self.terms.and(&self.conjuncts[relation]);
        self.terms.substitute(formula, &by)
    }

    /// Adds the state that the arguments have in a model; whether it was new.
    fn join(&mut self, head: &Atom, model: &Model) -> bool {
        let relation = head.relation.index();
        let language = &self.languages[relation];
        let values = model.eval_all(self.terms, &head.args);
        let mut state = Model::new();
        for (&parameter, value) in language.parameters.iter().zip(values) {
            state.set(parameter, value);
        }
        let features: Vec<Term> = language.features.iter().map(|feature| feature.term).collect();
        let values = state.eval_all(self.terms, &features);
        let cells: Vec<u32> = language
            .features
            .iter()
            .zip(&values)
            .map(|(feature, value)| feature.cell(value))
            .collect();
        let before = self.states[relation].clone();
        let reached = self.states[relation].get_or_insert_with(|| Reached {
            cells: language.features.iter().map(Feature::empty).collect(),
            pairs: vec![0; language.pairs.len()],
        });
        for (mask, cell) in reached.cells.iter_mut().zip(&cells) {
            *mask |= 1 << cell;
        }
        for (mask, &(first, second)) in reached.pairs.iter_mut().zip(&language.pairs) {
            *mask |= 1 << (cells[first] * PAIRED_CELLS + cells[second]);
        }
        self.conjuncts[relation] = said(self.terms, language, reached);
        before != self.states[relation]
    }
}

/// The greatest number of cells of a feature that is paired.
const PAIRED_CELLS: u32 = 8;

/// What the cells say, each part on its own.
fn said(terms: &mut Terms, language: &Language, reached: &Reached) -> Vec<Term> {
    let mut parts = Vec::new();
    for (feature, &mask) in language.features.iter().zip(&reached.cells) {
        parts.push(feature.within(terms, mask));
    }
    for (&mask, &(first, second)) in reached.pairs.iter().zip(&language.pairs) {
        let (a, b) = (&language.features[first], &language.features[second]);
        let all = reached.cells[second] & !b.empty();
        let mut groups: Vec<(u32, u32)> = Vec::new();
        for cell in 0..a.cells() {
            if reached.cells[first] & !a.empty() & (1 << cell) == 0 {
                continue;
            }
            let allowed = (mask >> (cell * PAIRED_CELLS)) as u32 & 0xff;
            match groups.iter_mut().find(|group| group.1 == allowed) {
                Some(group) => group.0 |= 1 << cell,
                None => groups.push((1 << cell, allowed)),
            }
        }
        for (from, allowed) in groups {
            if allowed & all != all {
                let (left, right) =
                    (a.within(terms, from | a.empty()), b.within(terms, allowed | b.empty()));
                parts.push(terms.implies(left, right));
            }
        }
    }
    let always = terms.bool(true);
    parts.retain(|&part| part != always);
    parts
}

impl Feature {
    fn is_truth(&self) -> bool {
        self.points.is_empty()
    }

    /// Cells are the constants and what lies between; of a truth value false and true.
    fn cells(&self) -> u32 {
        if self.is_truth() { 2 } else { 2 * self.points.len() as u32 + 1 }
    }

    /// The cells that nothing is in: between neighbours.
    fn empty(&self) -> u32 {
        let mut mask = 0;
        for (index, pair) in self.points.windows(2).enumerate() {
            if pair[0].checked_add(1) == Some(pair[1]) {
                mask |= 1 << (2 * index + 2);
            }
        }
        mask
    }

    fn cell(&self, value: &Value) -> u32 {
        if let Some(truth) = value.as_bool() {
            return u32::from(truth);
        }
        let value = value.as_int().map(|int| match i128::try_from(int) {
            Ok(value) => value,
            Err(_) if Value::int(0).as_int().is_some_and(|zero| int < zero) => i128::MIN,
            Err(_) => i128::MAX,
        });
        let value = value.unwrap_or_default();
        let below = self.points.partition_point(|&point| point < value);
        let at = self.points.get(below) == Some(&value);
        2 * below as u32 + u32::from(at)
    }

    /// That it is in one of these cells.
    fn within(&self, terms: &mut Terms, mask: u32) -> Term {
        let cells = self.cells();
        if self.is_truth() && terms.sort(self.term) == Sort::Bool {
            return match mask & 3 {
                0 => terms.bool(false),
                1 => terms.not(self.term),
                2 => self.term,
                _ => terms.bool(true),
            };
        }
        let mut runs = Vec::new();
        let mut cell = 0;
        while cell < cells {
            if mask & (1 << cell) == 0 {
                cell += 1;
                continue;
            }
            let first = cell;
            while cell < cells && mask & (1 << cell) != 0 {
                cell += 1;
            }
            runs.push(self.run(terms, first, cell - 1));
        }
        terms.or(&runs)
    }

    /// That it is between two cells, those included.
    fn run(&self, terms: &mut Terms, first: u32, last: u32) -> Term {
        let point = |index: u32| self.points[index as usize];
        if first == last && first % 2 == 1 {
            let point = terms.int(point(first / 2));
            return terms.eq(self.term, point);
        }
        let mut parts = Vec::new();
        if first > 0 {
            let low = if first % 2 == 1 {
                point(first / 2)
            } else {
                point(first / 2 - 1).saturating_add(1)
            };
            let low = terms.int(low);
            parts.push(terms.le(low, self.term));
        }
        if last + 1 < self.cells() {
            let high =
                if last % 2 == 1 { point(last / 2) } else { point(last / 2).saturating_sub(1) };
            let high = terms.int(high);
            parts.push(terms.le(self.term, high));
        }
        terms.and(&parts)
    }
}
