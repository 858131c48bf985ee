//! Solutions of Horn clauses.

use rustc_hash::FxHashMap;

use super::{Atom, Horn, RelationId, RuleId};
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
    /// `(forall (parameters) (= (R parameters) formula))` for the others.
    pub(super) fn read_solution(&self, terms: &mut Terms, text: &str) -> Result<Solution, Reason> {
        let unreadable = |error: ReadError| Reason::Unreadable(error.0);
        let sexprs = Sexprs::parse(text).map_err(Reason::Unreadable)?;
        let mut found: FxHashMap<RelationId, Definition> = FxHashMap::default();
        for conjunct in conjuncts(&sexprs) {
            if let Some((relation, definition)) =
                self.read_definition(terms, &sexprs, conjunct).map_err(unreadable)?
            {
                found.insert(relation, definition);
            }
        }
        let ids: Vec<RelationId> = self.relations().map(|(id, _)| id).collect();
        let definitions = ids.into_iter().map(|id| {
            // What Spacer leaves out no rule can derive.
            found.remove(&id).unwrap_or_else(|| Definition {
                parameters: self.parameters(terms, id),
                formula: terms.bool(false),
            })
        });
        Ok(Solution { definitions: definitions.collect() })
    }

    /// Variables for the parameters of a relation, the same whenever they are asked for.
    fn parameters(&self, terms: &mut Terms, relation: RelationId) -> Vec<Term> {
        let relation = self.get_relation(relation);
        let numbered = relation.sorts.iter().enumerate();
        numbered.map(|(i, &sort)| terms.var(&format!("{}.{i}", relation.name), sort)).collect()
    }

    /// None if it speaks of a relation that is not ours.
    fn read_definition(
        &self,
        terms: &mut Terms,
        sexprs: &Sexprs<'_>,
        conjunct: Sexpr,
    ) -> Result<Option<(RelationId, Definition)>, ReadError> {
        let fail = || ReadError(format!("not a definition: {}", sexprs.excerpt(conjunct)));
        let (binders, equation) = match sexprs.list(conjunct) {
            Some(&[head, binders, body]) if sexprs.atom(head) == Some("forall") => {
                (sexprs.list(binders).ok_or_else(fail)?, without_annotation(sexprs, body))
            }
            _ => (&[][..], without_annotation(sexprs, conjunct)),
        };
        let names: Option<Vec<&str>> =
            binders.iter().map(|&b| sexprs.list(b).and_then(|b| sexprs.atom(b[0]))).collect();
        let names = names.ok_or_else(fail)?;
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
        // Parameters may come in any order.
        let parameters = self.parameters(terms, id);
        if args.len() != parameters.len() || names.len() != parameters.len() {
            return Err(fail());
        }
        let mut reader = Reader::new(terms, sexprs);
        for (arg, &parameter) in args.iter().zip(&parameters) {
            let arg = arg.filter(|arg| names.contains(arg)).ok_or_else(fail)?;
            reader.bind(arg, parameter);
        }
        let formula = reader.term(right)?;
        Ok(Some((id, Definition { parameters, formula })))
    }
}

fn conjuncts(sexprs: &Sexprs<'_>) -> Vec<Sexpr> {
    let mut all = Vec::new();
    for &root in &sexprs.roots {
        match sexprs.list(root) {
            Some([head, rest @ ..]) if sexprs.atom(*head) == Some("and") => all.extend(rest),
            // The solution of clauses without relations.
            None if sexprs.atom(root) == Some("true") => {}
            _ => all.push(root),
        }
    }
    all
}

/// `(! formula :weight 0)`
fn without_annotation(sexprs: &Sexprs<'_>, sexpr: Sexpr) -> Sexpr {
    match sexprs.list(sexpr) {
        Some([mark, formula, ..]) if sexprs.atom(*mark) == Some("!") => *formula,
        _ => sexpr,
    }
}
