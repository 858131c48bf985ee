//! Guessed solutions: what the features of each relation can be at all.
//!
//! Spacer's search for a relation may go on for ever where a simple one would do. So first the
//! strongest solution is computed that can be expressed by features: which cells each of them can be in,
//! and each pair of some of them (Cartesian predicate abstraction, over pairs). It is the least
//! fixpoint over finitely many values, so it always ends. It may prove all that is asked; if not, it
//! is handed to Spacer: every relation is known to be within it.
//!
//! Work: besides the questions to the solver, a state that is added counts one unit for each feature
//! and each pair.

use std::collections::VecDeque;

use selvedge_smt::horn::{Atom, Definition, Horn, Rule, RuleId, Solution};
use selvedge_smt::{Answer, Limits, Logic, Model, Reason, Solver, Term, Terms};

use super::feature::Feature;

/// The states of a relation that have been found.
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
    pub(crate) parameters: Vec<Term>,
    pub(crate) features: Vec<Feature>,
    pairs: Vec<(usize, usize)>,
}

impl Language {
    pub(crate) fn new(parameters: Vec<Term>, features: Vec<Feature>, with_pairs: bool) -> Language {
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
        let mut fixpoint = Fixpoint { terms, horn, languages, states, conjuncts, limits, free };
        fixpoint.run()?;
        let conjuncts = fixpoint.conjuncts;
        let mut solution = conjunctions(terms, languages, &conjuncts);
        if let Some(known) = known {
            strengthen(terms, &mut solution, known);
        }
        let open = remaining(terms, horn, &solution, free)?;
        Ok((solution, open))
    })?
}

/// Adds what is known of each relation to a solution.
pub fn strengthen(terms: &mut Terms, solution: &mut Solution, known: &Solution) {
    for (definition, known) in solution.definitions.iter_mut().zip(&known.definitions) {
        let known = known.apply(terms, &definition.parameters);
        definition.formula = terms.and(&[definition.formula, known]);
    }
}

/// The solution that says these conjuncts of each relation.
fn conjunctions(terms: &mut Terms, languages: &[Language], conjuncts: &[Vec<Term>]) -> Solution {
    let pairs = conjuncts.iter().zip(languages);
    let definitions = pairs.map(|(conjuncts, language)| Definition {
        parameters: language.parameters.clone(),
        formula: terms.and(conjuncts),
    });
    Solution { definitions: definitions.collect() }
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

/// The least fixpoint, as far as it has been computed.
struct Fixpoint<'a> {
    terms: &'a mut Terms,
    horn: &'a Horn,
    languages: &'a [Language],
    /// By relation; none if no state of it has been found.
    states: Vec<Option<Reached>>,
    /// What the states say.
    conjuncts: Vec<Vec<Term>>,
    limits: &'a Limits,
    /// For each question.
    free: &'a Limits,
}

impl Fixpoint<'_> {
    /// Applies rules until none of them derives anything new.
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
                        break Err(Reason::Incomplete(
                            "its model does not satisfy the formula".into(),
                        ));
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
        self.limits.clock.spend((language.features.len() + language.pairs.len()) as u64);
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
        self.conjuncts[relation] = conjuncts(self.terms, language, reached);
        before != self.states[relation]
    }
}

/// The greatest number of cells of a feature that is paired.
const PAIRED_CELLS: u32 = 8;

/// What the cells say of the parameters.
fn conjuncts(terms: &mut Terms, language: &Language, reached: &Reached) -> Vec<Term> {
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
