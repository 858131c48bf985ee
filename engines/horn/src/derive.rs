//! A derivation of a query by plain forward chaining.
//!
//! The solver says that clauses are refuted, but its refutation cannot always be read: it leaves out
//! facts without arguments, or facts that it has simplified. Such clauses are mostly small, so a
//! derivation is looked for among ground facts, breadth first and within limits.
//!
//! Work: besides the questions to the solver, a choice of premises counts one unit.

use selvedge_smt::horn::{Atom, Derivation, Horn, Rule, RuleId, Step};
use selvedge_smt::{Answer, Limits, Logic, Model, Solver, Term, Terms, Value};

/// Questions to the solver, and facts from one choice of premises.
const TRIES: usize = 1_500;
const EACH: usize = 3;

/// A derivation, if one is found within the limits.
pub fn derive(terms: &mut Terms, horn: &Horn, limits: &Limits) -> Option<Derivation> {
    let mut chaining = Chaining { terms, horn, limits, steps: Vec::new(), fresh: 0, tries: TRIES };
    let rules: Vec<(RuleId, &Rule)> = horn.rules().collect();
    loop {
        let known = chaining.steps.len();
        // Queries come first.
        for queries in [true, false] {
            for (id, rule) in rules.iter().filter(|(_, rule)| rule.head.is_none() == queries) {
                if chaining.apply_to_all(*id, rule, known)? {
                    return Some(Derivation { steps: chaining.cone() });
                }
            }
        }
        if chaining.steps.len() == known {
            return None;
        }
        chaining.fresh = known;
    }
}

/// Facts derived so far.
struct Chaining<'a> {
    terms: &'a mut Terms,
    horn: &'a Horn,
    limits: &'a Limits,
    steps: Vec<Step>,
    /// Those from here on have not been premises yet.
    fresh: usize,
    tries: usize,
}

impl Chaining<'_> {
    /// Applies a rule to all choices of premises among the first facts, one of them fresh; whether it
    /// is a query that holds. A rule without premises is applied once. None if the limits are reached.
    fn apply_to_all(&mut self, id: RuleId, rule: &Rule, known: usize) -> Option<bool> {
        if rule.body.is_empty() {
            return if known == 0 { self.apply(id, rule, &[]) } else { Some(false) };
        }
        let facts = |atom| (0..known).filter(|&step| self.derives(step, atom)).collect();
        let facts: Vec<Vec<usize>> = rule.body.iter().map(facts).collect();
        if facts.iter().any(Vec::is_empty) {
            return Some(false);
        }
        let mut choice = vec![0; facts.len()];
        loop {
            self.limits.clock.spend(1);
            if self.limits.exceeded().is_some() {
                return None;
            }
            let premises = choice.iter().zip(&facts).map(|(&index, facts)| facts[index]);
            let premises: Vec<usize> = premises.collect();
            let new = premises.iter().any(|&fact| fact >= self.fresh);
            if new && self.apply(id, rule, &premises)? {
                return Some(true);
            }
            let more = |&place: &usize| choice[place] + 1 < facts[place].len();
            let Some(place) = (0..choice.len()).rev().find(more) else { return Some(false) };
            choice[place] += 1;
            choice[place + 1..].fill(0);
        }
    }

    fn derives(&self, step: usize, atom: &Atom) -> bool {
        let head = &self.horn.get_rule(self.steps[step].rule).head;
        head.as_ref().is_some_and(|head| head.relation == atom.relation)
    }

    /// Adds facts that the rule derives from these premises; whether it is a query that holds. None
    /// if there have been too many questions.
    fn apply(&mut self, id: RuleId, rule: &Rule, premises: &[usize]) -> Option<bool> {
        let mut solver = Solver::new(Logic::All, self.limits.clone());
        solver.assert(self.terms, rule.constraint);
        for (atom, &premise) in rule.body.iter().zip(premises) {
            let values = self.steps[premise].head.clone();
            let same = self.equal(&atom.args, &values);
            solver.assert(self.terms, same);
        }
        if let Some(head) = &rule.head {
            for step in 0..self.steps.len() {
                if self.derives(step, head) {
                    let values = self.steps[step].head.clone();
                    let same = self.equal(&head.args, &values);
                    let other = self.terms.not(same);
                    solver.assert(self.terms, other);
                }
            }
        }
        for _ in 0..EACH {
            self.tries = self.tries.checked_sub(1)?;
            let Answer::Sat(model) = solver.check(self.terms, &[]) else { return Some(false) };
            let args = rule.head.as_ref().map_or(Vec::new(), |head| head.args.clone());
            let values = Model::eval_all(&model, self.terms, &args);
            let other = self.equal(&args, &values);
            let other = self.terms.not(other);
            solver.assert(self.terms, other);
            let premises = premises.to_vec();
            self.steps.push(Step { rule: id, head: values, premises, model });
            if rule.head.is_none() {
                return Some(true);
            }
        }
        Some(false)
    }

    fn equal(&mut self, args: &[Term], values: &[Value]) -> Term {
        let mut parts = Vec::new();
        for (&arg, value) in args.iter().zip(values) {
            let sort = self.terms.sort(arg);
            let value = self.terms.value(value, sort);
            parts.push(self.terms.eq(arg, value));
        }
        self.terms.and(&parts)
    }

    /// The steps that the last one needs.
    fn cone(&self) -> Vec<Step> {
        let mut needed = vec![false; self.steps.len()];
        if let Some(last) = needed.last_mut() {
            *last = true;
        }
        for index in (0..self.steps.len()).rev() {
            if needed[index] {
                self.steps[index].premises.iter().for_each(|&premise| needed[premise] = true);
            }
        }
        let mut places = vec![0; self.steps.len()];
        let mut cone = Vec::new();
        for (index, step) in self.steps.iter().enumerate().filter(|(index, _)| needed[*index]) {
            places[index] = cone.len();
            let premises = step.premises.iter().map(|&premise| places[premise]).collect();
            cone.push(Step { premises, ..step.clone() });
        }
        cone
    }
}

#[cfg(test)]
mod tests {
    use selvedge_smt::Sort;
    use selvedge_verdict::Clock;

    use super::*;

    /// x = 0 at first, then x + 1; x = bad must not be.
    fn counter(terms: &mut Terms, bad: i32) -> Horn {
        let mut horn = Horn::new();
        let relation = horn.relation("at", &[Sort::Int]);
        let x = terms.var("x", Sort::Int);
        let (zero, one, bad) = (terms.int(0), terms.int(1), terms.int(bad));
        let more = terms.add(&[x, one]);
        let always = terms.bool(true);
        let atom = |arg| Atom { relation, args: vec![arg] };
        let is_bad = terms.eq(x, bad);
        let rule =
            |name: &str, body, constraint, head| Rule { name: name.into(), body, constraint, head };
        horn.rule(terms, rule("initial", vec![], always, Some(atom(zero))));
        horn.rule(terms, rule("step", vec![atom(x)], always, Some(atom(more))));
        horn.rule(terms, rule("bad", vec![atom(x)], is_bad, None));
        horn
    }

    #[test]
    fn premises_come_before_what_they_derive() {
        let mut terms = Terms::new();
        let horn = counter(&mut terms, 3);
        let found = derive(&mut terms, &horn, &Limits::none()).expect("a derivation");
        let premises: Vec<Vec<usize>> = found.steps.iter().map(|s| s.premises.clone()).collect();
        assert_eq!(premises, [vec![], vec![0], vec![1], vec![2], vec![3]]);
        let horn = counter(&mut terms, -1);
        assert!(derive(&mut terms, &horn, &Limits::none()).is_none());
    }

    #[test]
    fn the_work_is_limited() {
        let mut terms = Terms::new();
        let horn = counter(&mut terms, 1_000);
        let clock = Clock::counting();
        let limits = Limits::until(&clock, clock.now() + Clock::time_for(20));
        assert!(derive(&mut terms, &horn, &limits).is_none());
        assert!(clock.spent() >= 20);
    }
}
