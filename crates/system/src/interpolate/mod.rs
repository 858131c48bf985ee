//! Interpolants: why a sequence of formulas cannot hold together, step by step.
//!
//! For formulas A1, ..., An that cannot all hold, a sequence of interpolants is I1, ..., I(n-1) such
//! that A1 implies I1, I(i-1) and Ai imply Ii, I(n-1) and An are inconsistent, and Ii speaks only
//! about variables that both A1, ..., Ai and A(i+1), ..., An have. (Craig; for sequences: Henzinger,
//! Jhala, Majumdar, McMillan, "Abstractions from Proofs", 2004.)
//!
//! They are a solution of a chain of Horn clauses with one unknown between two formulas. Where
//! Spacer finds none, they are computed by removing variables: forwards (strongest postconditions),
//! or backwards (weakest preconditions). Formulas that the inconsistency does not need are left out
//! before. Each answer is checked.

#[cfg(test)]
mod tests;

use rustc_hash::FxHashSet;
use selvedge_smt::horn::{Atom, Horn, HornAnswer, RelationId, Rule};
use selvedge_smt::{Answer, Limits, Logic, Solver, Sort, Term, Terms, qe};

/// The interpolants between the formulas, one less than these. None if the formulas can hold
/// together, or if nothing was found within the limits.
pub fn sequence(terms: &mut Terms, formulas: &[Term], limits: &Limits) -> Option<Vec<Term>> {
    let needed = slice(terms, formulas, limits)?;
    let chain = Chain::new(terms, needed);
    for method in [Chain::by_horn, Chain::forwards, Chain::backwards] {
        if let Some(found) = method(&chain, terms, limits)
            && check(terms, formulas, &found, limits)
        {
            return Some(found);
        }
        if limits.exceeded().is_some() {
            return None;
        }
    }
    None
}

/// Whether these are interpolants, apart from the variables that they speak about.
pub fn check(terms: &mut Terms, formulas: &[Term], found: &[Term], limits: &Limits) -> bool {
    let mut solver = Solver::new(Logic::All, limits.clone());
    let mut before = terms.bool(true);
    for (i, &formula) in formulas.iter().enumerate() {
        let after = found.get(i).copied().unwrap_or_else(|| terms.bool(false));
        let fails = terms.not(after);
        match solver.check(terms, &[before, formula, fails]) {
            Answer::Unsat(_) => before = after,
            Answer::Sat(_) | Answer::Unknown(_) => return false,
        }
    }
    true
}

/// The formulas that are enough for the inconsistency; true in place of the others. None if there
/// is no inconsistency.
fn slice(terms: &mut Terms, formulas: &[Term], limits: &Limits) -> Option<Vec<Term>> {
    let mut solver = Solver::new(Logic::All, limits.clone());
    let Answer::Unsat(core) = solver.check(terms, formulas) else { return None };
    let core = solver.minimize(terms, core);
    let needed: FxHashSet<Term> = core.0.into_iter().collect();
    let truth = terms.bool(true);
    Some(formulas.iter().map(|f| if needed.contains(f) { *f } else { truth }).collect())
}

/// Formulas, and the variables that interpolants may speak about.
struct Chain {
    formulas: Vec<Term>,
    /// Those common to what comes before and behind each place between two formulas.
    common: Vec<Vec<Term>>,
}

impl Chain {
    fn new(terms: &Terms, formulas: Vec<Term>) -> Chain {
        let variables = |part: &[Term]| terms.variables(part);
        let common = (1..formulas.len()).map(|i| {
            let behind: FxHashSet<Term> = variables(&formulas[i..]).into_iter().collect();
            variables(&formulas[..i]).into_iter().filter(|v| behind.contains(v)).collect()
        });
        let common = common.collect();
        Chain { formulas, common }
    }

    fn by_horn(&self, terms: &mut Terms, limits: &Limits) -> Option<Vec<Term>> {
        let mut horn = Horn::new();
        let mut unknowns: Vec<RelationId> = Vec::new();
        for (i, common) in self.common.iter().enumerate() {
            let sorts: Vec<Sort> = common.iter().map(|&v| terms.sort(v)).collect();
            // The solution has variables that are named after the relation, of its sorts: a name that
            // an earlier sequence had might have others.
            let fresh = terms.fresh(&format!("between{i}"), Sort::Bool);
            let name = terms.name(fresh).unwrap_or_default().to_owned();
            unknowns.push(horn.relation(&name, &sorts));
        }
        let atom = |i: usize| Atom { relation: unknowns[i], args: self.common[i].clone() };
        for (i, &constraint) in self.formulas.iter().enumerate() {
            let body = i.checked_sub(1).map(atom).into_iter().collect();
            let head = (i < unknowns.len()).then(|| atom(i));
            horn.rule(terms, Rule { name: format!("formula{i}"), body, constraint, head });
        }
        match horn.solve(terms, limits) {
            HornAnswer::Solution(solution) => {
                let places = unknowns.iter().zip(&self.common);
                Some(places.map(|(&r, args)| solution.get(r).apply(terms, args)).collect())
            }
            HornAnswer::Refuted(_) | HornAnswer::Unknown(_) => None,
        }
    }

    /// Strongest postconditions.
    fn forwards(&self, terms: &mut Terms, limits: &Limits) -> Option<Vec<Term>> {
        let mut found = Vec::new();
        let mut before = terms.bool(true);
        for (i, &formula) in self.formulas[..self.common.len()].iter().enumerate() {
            let both = terms.and(&[before, formula]);
            before = keep(terms, both, &self.common[i], limits)?;
            found.push(before);
        }
        Some(found)
    }

    /// Weakest preconditions.
    fn backwards(&self, terms: &mut Terms, limits: &Limits) -> Option<Vec<Term>> {
        let mut found = Vec::new();
        // What must not be.
        let mut bad = terms.bool(true);
        for i in (0..self.common.len()).rev() {
            let both = terms.and(&[self.formulas[i + 1], bad]);
            bad = keep(terms, both, &self.common[i], limits)?;
            found.push(terms.not(bad));
        }
        found.reverse();
        Some(found)
    }
}

/// What a formula says about some of its variables.
fn keep(terms: &mut Terms, formula: Term, kept: &[Term], limits: &Limits) -> Option<Term> {
    let removed: Vec<Term> =
        terms.variables(&[formula]).into_iter().filter(|v| !kept.contains(v)).collect();
    if removed.is_empty() {
        return Some(formula);
    }
    qe::eliminate(terms, &removed, formula, limits).ok()
}
