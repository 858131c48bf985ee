//! Solutions of Horn clauses.

use rustc_hash::FxHashMap;

use super::{Atom, Horn, RelationId, Rule, RuleId, spend_reading};
use crate::answer::{Answer, Model, Reason};
use crate::limits::Limits;
use crate::read::{ReadError, Reader};
use crate::sexpr::{Sexpr, Sexprs};
use crate::solver::{Logic, Solver};
use crate::term::{Term, Terms};

/// What each relation stands for, by its number.
#[derive(Clone, Debug)]
pub struct Solution {
    pub definitions: Vec<Definition>,
}

/// A formula over the parameters, which are variables.
#[derive(Clone, Debug)]
pub struct Definition {
    pub parameters: Vec<Term>,
    pub formula: Term,
}

/// Why a solution is none.
#[derive(Clone, Debug)]
pub enum Broken {
    /// In this rule the body holds and the head does not.
    Rule(RuleId, Model),
    /// Whether this rule holds is not decided.
    Undecided(RuleId, Reason),
}

impl Definition {
    /// The formula for arguments.
    pub fn apply(&self, terms: &mut Terms, args: &[Term]) -> Term {
        let pairs = self.parameters.iter().copied().zip(args.iter().copied());
        let by: FxHashMap<Term, Term> = pairs.collect();
        terms.substitute(self.formula, &by)
    }
}

impl Solution {
    pub fn get(&self, relation: RelationId) -> &Definition {
        &self.definitions[relation.index()]
    }

    fn apply(&self, terms: &mut Terms, atom: &Atom) -> Term {
        self.get(atom.relation).apply(terms, &atom.args)
    }
}

impl Horn {
    /// Whether the solution makes every rule valid, from the clauses and the solution alone.
    pub fn check(
        &self,
        terms: &mut Terms,
        solution: &Solution,
        limits: &Limits,
    ) -> Result<(), Broken> {
        for (id, rule) in self.rules() {
            let mut parts: Vec<Term> =
                rule.body.iter().map(|atom| solution.apply(terms, atom)).collect();
            parts.push(rule.constraint);
            if let Some(head) = &rule.head {
                let head = solution.apply(terms, head);
                parts.push(terms.not(head));
            }
            let mut solver = Solver::new(Logic::All, limits.clone());
            for part in parts {
                solver.assert(terms, part);
            }
            match solver.check(terms, &[]) {
                Answer::Unsat(_) => {}
                Answer::Sat(model) => return Err(Broken::Rule(id, model)),
                Answer::Unknown(reason) => return Err(Broken::Undecided(id, reason)),
            }
        }
        Ok(())
    }

    /// From Spacer's text: a conjunction of `(= R formula)` for relations without parameters and
    /// `(forall (parameters) (= (R parameters) formula))` for the others, with `let` anywhere.
    pub(super) fn read_solution(
        &self,
        terms: &mut Terms,
        text: &str,
        limits: &Limits,
    ) -> Result<Solution, Reason> {
        let unreadable = |error: ReadError| Reason::Unreadable(error.0);
        spend_reading(text, limits)?;
        let sexprs = Sexprs::parse(text).map_err(Reason::Unreadable)?;
        let mut found: FxHashMap<RelationId, Definition> = FxHashMap::default();
        let (names, conjuncts) = conjuncts(&sexprs).map_err(unreadable)?;
        for conjunct in conjuncts {
            let definition = self.read_definition(terms, &sexprs, &names, conjunct);
            found.extend(definition.map_err(unreadable)?);
        }
        let ids: Vec<RelationId> = self.relations().map(|(id, _)| id).collect();
        let missing: Vec<RelationId> =
            ids.iter().copied().filter(|id| !found.contains_key(id)).collect();
        let definitions = ids.into_iter().map(|id| {
            found.remove(&id).unwrap_or_else(|| Definition {
                parameters: self.parameters(terms, id),
                formula: terms.bool(false),
            })
        });
        let mut solution = Solution { definitions: definitions.collect() };
        self.complete(terms, &mut solution, &missing, limits)?;
        Ok(solution)
    }

    /// What Spacer leaves out no rule can derive, or no query depends on: then it may be true.
    fn complete(
        &self,
        terms: &mut Terms,
        solution: &mut Solution,
        missing: &[RelationId],
        limits: &Limits,
    ) -> Result<(), Reason> {
        let mut open: Vec<RelationId> = missing.to_vec();
        let mut changed = !open.is_empty();
        while changed {
            changed = false;
            for (_, rule) in self.rules() {
                let Some(head) = rule.head.as_ref().map(|head| head.relation) else { continue };
                if open.contains(&head) && self.fires(terms, solution, rule, limits)? {
                    solution.definitions[head.index()].formula = terms.bool(true);
                    open.retain(|&id| id != head);
                    changed = true;
                }
            }
        }
        Ok(())
    }

    /// Whether a rule's body can hold.
    fn fires(
        &self,
        terms: &mut Terms,
        solution: &Solution,
        rule: &Rule,
        limits: &Limits,
    ) -> Result<bool, Reason> {
        let mut solver = Solver::new(Logic::All, limits.clone());
        solver.assert(terms, rule.constraint);
        for atom in &rule.body {
            let part = solution.apply(terms, atom);
            solver.assert(terms, part);
        }
        match solver.check(terms, &[]) {
            Answer::Sat(_) => Ok(true),
            Answer::Unsat(_) => Ok(false),
            Answer::Unknown(reason) => Err(reason),
        }
    }

    /// Variables for the parameters of a relation, the same whenever they are asked for.
    fn parameters(&self, terms: &mut Terms, relation: RelationId) -> Vec<Term> {
        let relation = self.get_relation(relation);
        let numbered = relation.sorts.iter().enumerate();
        numbered.map(|(i, &sort)| terms.var(&format!("{}.{i}", relation.name), sort)).collect()
    }

    /// None if it speaks of a relation that is not ours.
    fn read_definition<'s>(
        &self,
        terms: &mut Terms,
        sexprs: &'s Sexprs<'s>,
        names: &Names<'s>,
        conjunct: Sexpr,
    ) -> Result<Option<(RelationId, Definition)>, ReadError> {
        let fail = || ReadError(format!("not a definition: {}", sexprs.excerpt(conjunct)));
        let (binders, body) = match sexprs.list(conjunct) {
            Some(&[head, binders, body]) if sexprs.atom(head) == Some("forall") => {
                (sexprs.list(binders).ok_or_else(fail)?, body)
            }
            _ => (&[][..], conjunct),
        };
        let mut inner = names.clone();
        let equation = peel(sexprs, &mut inner, body)?;
        let bound: Option<Vec<&str>> =
            binders.iter().map(|&b| sexprs.list(b).and_then(|b| sexprs.atom(b[0]))).collect();
        let bound = bound.ok_or_else(fail)?;
        let (left, right) = match sexprs.list(equation) {
            Some(&[head, left, right]) if sexprs.atom(head) == Some("=") => (left, right),
            _ => return Err(fail()),
        };
        let applied: Vec<Option<&str>> = match sexprs.list(left) {
            Some(items) => items.iter().map(|&item| sexprs.atom(item)).collect(),
            None => vec![sexprs.atom(left)],
        };
        let (Some(Some(name)), args) = (applied.first(), applied.get(1..).unwrap_or(&[])) else {
            return Err(fail());
        };
        let Some(id) = self.relation_named(name) else { return Ok(None) };
        let parameters = self.parameters(terms, id);
        if args.len() != parameters.len() || bound.len() != parameters.len() {
            return Err(fail());
        }
        let mut reader = Reader::new(terms, sexprs).with_names(&inner);
        for (arg, &parameter) in args.iter().zip(&parameters) {
            // The relation may list the bound variables in any order.
            let arg = arg.filter(|arg| bound.contains(arg)).ok_or_else(fail)?;
            reader.bind(arg, parameter);
        }
        let formula = reader.term(right)?;
        Ok(Some((id, Definition { parameters, formula })))
    }
}

/// What `let` names.
type Names<'s> = FxHashMap<&'s str, Sexpr>;

fn conjuncts<'s>(sexprs: &'s Sexprs<'s>) -> Result<(Names<'s>, Vec<Sexpr>), ReadError> {
    let mut names = Names::default();
    let &[root] = sexprs.roots.as_slice() else {
        return Err(ReadError("one formula is expected".into()));
    };
    let root = peel(sexprs, &mut names, root)?;
    let all = match sexprs.list(root) {
        Some([head, rest @ ..]) if sexprs.atom(*head) == Some("and") => rest.to_vec(),
        // The solution of clauses without relations.
        None if sexprs.atom(root) == Some("true") => Vec::new(),
        _ => vec![root],
    };
    let named = |part: Sexpr| sexprs.atom(part).and_then(|name| names.get(name).copied());
    let all = all.into_iter().map(|part| named(part).unwrap_or(part)).collect();
    Ok((names, all))
}

/// What stands inside `let` and annotations, `(! formula :weight 0)`.
fn peel<'s>(
    sexprs: &'s Sexprs<'s>,
    names: &mut Names<'s>,
    mut sexpr: Sexpr,
) -> Result<Sexpr, ReadError> {
    let fail = |sexpr| ReadError(format!("not understood: {}", sexprs.excerpt(sexpr)));
    loop {
        let items = sexprs.list(sexpr).unwrap_or(&[]);
        match (items.first().and_then(|&head| sexprs.atom(head)), items) {
            (Some("!"), [_, inside, ..]) => sexpr = *inside,
            (Some("let"), &[_, bindings, body]) => {
                for &binding in sexprs.list(bindings).unwrap_or(&[]) {
                    match sexprs.list(binding) {
                        Some(&[name, value]) if let Some(name) = sexprs.atom(name) => {
                            names.insert(name, value);
                        }
                        _ => return Err(fail(binding)),
                    }
                }
                sexpr = body;
            }
            _ => return Ok(sexpr),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::Sort;

    #[test]
    fn lets_may_stand_anywhere() {
        let mut t = Terms::new();
        let mut horn = Horn::new();
        let (p, q) = (horn.relation("P", &[Sort::Int, Sort::Int]), horn.relation("Q", &[]));
        let text = "(let ((a!1 (forall ((A Int) (B Int))
              (let ((a!1 (+ B (* (- 1) A))))
                (! (= (P B A) (let ((a!2 (<= a!1 a!3))) (or a!2 (= a!1 7)))) :weight 0))))
              (a!3 (- 5)))
            (and (= Q false) a!1 (= Other true)))";
        let solution = horn.read_solution(&mut t, text, &Limits::none()).unwrap();
        let definition = solution.get(p);
        let (first, second) = (t.int(10), t.int(3));
        for (left, right, expected) in
            [(first, second, true), (second, first, true), (second, second, false)]
        {
            let applied = definition.apply(&mut t, &[left, right]);
            assert_eq!(applied, t.bool(expected), "{}", t.show(definition.formula));
        }
        assert_eq!(solution.get(q).formula, t.bool(false));
        assert!(
            horn.read_solution(&mut t, "(and (exists ((A Int)) true))", &Limits::none()).is_err()
        );
    }
}
