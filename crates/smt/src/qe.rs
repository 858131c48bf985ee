//! Removing variables from formulas: quantifier elimination and projection along a model.

use std::panic::{AssertUnwindSafe, catch_unwind};

use z3::ast::{Ast, Bool, Dynamic, exists_const};
use z3::quantifier_elimination::QuantifierElimination;
use z3::{Goal, GoalPrec, Tactic};

use crate::answer::{Answer, Model, Reason};
use crate::decode;
use crate::dump::eliminate_script;
use crate::encode::Encoder;
use crate::limits::{Limits, guarded};
use crate::solver::{Logic, Solver};
use crate::term::{Op, Term, Terms};

/// Projections tried before elimination by them is given up.
const MANY: usize = 1000;

/// A formula without the variables that is equivalent to "there are values of them such that the
/// formula holds". What is eliminated may look different, but not mean something different, where
/// the clock counts work.
pub fn eliminate(
    terms: &mut Terms,
    variables: &[Term],
    formula: Term,
    limits: &Limits,
) -> Result<Term, Reason> {
    // Z3 runs tactics without a limit on work.
    if limits.clock.counts_work() {
        return by_projections(terms, variables, formula, limits);
    }
    match by_tactic(terms, variables, formula, limits) {
        // Z3's elimination leaves quantifiers over bit-vectors alone.
        Err(Reason::Unreadable(_) | Reason::Incomplete(_)) => {
            by_projections(terms, variables, formula, limits)
        }
        outcome => outcome,
    }
}

fn by_tactic(
    terms: &mut Terms,
    variables: &[Term],
    formula: Term,
    limits: &Limits,
) -> Result<Term, Reason> {
    let mut encoder = Encoder::new();
    let bound: Vec<Dynamic> = variables.iter().map(|&v| encoder.term(terms, v)).collect();
    let bound: Vec<&dyn Ast> = bound.iter().map(|v| v as &dyn Ast).collect();
    let goal = Goal::new(false, false, false);
    goal.assert(&exists_const(&bound, &[], &encoder.formula(terms, formula)));
    limits.note("qe", || eliminate_script(terms, variables, formula));
    let (applied, cut) = guarded(limits, None, || Tactic::new("qe").apply(&goal, None))?;
    let applied = applied.map_err(|said| cut.unwrap_or(Reason::Incomplete(said)))?;
    let mut cases = Vec::new();
    for case in applied.list_subgoals() {
        if !matches!(case.get_precision(), GoalPrec::Precise) {
            return Err(Reason::Incomplete("elimination is not exact".into()));
        }
        let parts = case.get_formulas();
        let parts: Result<Vec<Term>, Reason> =
            parts.iter().map(|part| decode::formula(terms, part)).collect();
        cases.push(terms.and(&parts?));
    }
    let result = terms.or(&cases);
    free_of(terms, variables, result)
}

/// Collects projections until they cover the formula.
fn by_projections(
    terms: &mut Terms,
    variables: &[Term],
    formula: Term,
    limits: &Limits,
) -> Result<Term, Reason> {
    let mut solver = Solver::new(Logic::All, limits.clone());
    solver.assert(terms, formula);
    let mut cases = Vec::new();
    for _ in 0..MANY {
        match solver.check(terms, &[]) {
            Answer::Unsat(_) => return Ok(terms.or(&cases)),
            Answer::Unknown(reason) => return Err(reason),
            Answer::Sat(model) => {
                let case = project(terms, &model, variables, formula, limits)?;
                let other = terms.not(case);
                solver.assert(terms, other);
                cases.push(case);
            }
        }
    }
    Err(Reason::Incomplete(format!("more than {MANY} projections")))
}

/// A formula without the variables that holds in the model and implies that there are values of
/// the variables such that `formula` holds. The model must satisfy the formula.
pub fn project(
    terms: &mut Terms,
    model: &Model,
    variables: &[Term],
    formula: Term,
    limits: &Limits,
) -> Result<Term, Reason> {
    let mut encoder = Encoder::new();
    let point = z3::Model::new();
    for variable in terms.variables(&[formula]) {
        let value = model.eval(terms, variable);
        let value = terms.value(&value, terms.sort(variable));
        let decl = encoder.term(terms, variable).decl();
        point.add_const_interp(&decl, &encoder.term(terms, value));
    }
    let bound: Vec<Dynamic> = variables.iter().map(|&v| encoder.term(terms, v)).collect();
    let bound: Vec<&dyn Ast> = bound.iter().map(|v| v as &dyn Ast).collect();
    let body = encoder.formula(terms, formula);
    // The binding panics where Z3 fails, which it does when it is interrupted.
    let work = || QuantifierElimination::model_project(&point, &bound, &body);
    let (projected, cut) = guarded(limits, None, || catch_unwind(AssertUnwindSafe(work)))?;
    let failed = || Reason::Incomplete("projection failed".into());
    let projected: Bool = projected.map_err(|_| cut.unwrap_or_else(failed))?;
    let result = decode::formula(terms, &projected)?;
    free_of(terms, variables, result)
}

fn free_of(terms: &Terms, variables: &[Term], result: Term) -> Result<Term, Reason> {
    let mut left = None;
    terms.walk(&[result], |term| {
        if matches!(terms.op(term), Op::Var(_)) && variables.contains(&term) {
            left = terms.name(term).map(str::to_owned);
        }
    });
    match left {
        None => Ok(result),
        Some(name) => Err(Reason::Incomplete(format!("{name} is not eliminated"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::Sort;

    /// The two formulas hold for the same values.
    fn equivalent(t: &mut Terms, a: Term, b: Term) -> bool {
        let mut solver = Solver::new(Logic::All, Limits::none());
        let differ = t.xor(a, b);
        solver.assert(t, differ);
        matches!(solver.check(t, &[]), Answer::Unsat(_))
    }

    #[test]
    fn linear_integers() {
        let mut t = Terms::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| t.var(name, Sort::Int));
        let (three, zero) = (t.int(3), t.int(0));
        let rest = t.modulo(y, three);
        let parts = [t.lt(x, y), t.lt(y, z), t.eq(rest, zero)];
        let formula = t.and(&parts);
        let result = eliminate(&mut t, &[y], formula, &Limits::none()).unwrap();
        assert_eq!(t.variables(&[result]), vec![x, z]);
        // The next multiple of three above x is below z.
        let below = t.div(x, three);
        let one = t.int(1);
        let next = t.add(&[below, one]);
        let next = t.mul(&[three, next]);
        let expected = t.lt(next, z);
        assert!(equivalent(&mut t, result, expected));
    }

    #[test]
    fn words() {
        let mut t = Terms::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| t.var(name, Sort::BitVec(4)));
        let parts = [t.bv_ult(x, y), t.bv_ult(y, z)];
        let formula = t.and(&parts);
        let result = eliminate(&mut t, &[y], formula, &Limits::none()).unwrap();
        // There is something in between: x + 1 < z without wrapping.
        let one = t.bv(1, 4);
        let distance = t.bv_sub(z, x);
        let parts = [t.bv_ult(x, z), t.bv_ult(one, distance)];
        let expected = t.and(&parts);
        assert!(equivalent(&mut t, result, expected));
    }

    #[test]
    fn projection_holds_in_the_model_and_implies() {
        let mut t = Terms::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| t.var(name, Sort::Int));
        let parts = [t.lt(x, y), t.lt(y, z)];
        let both = t.and(&parts);
        let other = t.eq(y, x);
        let formula = t.or(&[both, other]);
        let mut solver = Solver::new(Logic::All, Limits::none());
        solver.assert(&t, formula);
        let Answer::Sat(model) = solver.check(&t, &[]) else { panic!("satisfiable") };
        let result = project(&mut t, &model, &[y], formula, &Limits::none()).unwrap();
        assert!(!t.variables(&[result]).contains(&y));
        assert!(model.holds(&t, result));
    }
}
