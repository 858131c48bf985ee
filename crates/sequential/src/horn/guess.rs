//! Simple invariants, by guessing many and dropping what does not hold (Houdini: Flanagan, Leino,
//! "Houdini, an annotation assistant for ESC/Java", 2001).
//!
//! For every relation: each two parameters of one type are equal or ordered, and each parameter is
//! compared with the constants that the clauses mention. What is left when no clause drops a guess
//! any more holds. Beside each of them stands "where the error is set, it does not hold": whether a
//! failed assertion counts may depend on what the variables hold much later. Often these
//! guesses suffice; otherwise they help the solver, which is slow to see equalities between values
//! that wrap around.

use rustc_hash::FxHashMap;
use selvedge_ir::{Int, Type};
use selvedge_smt::horn::{Atom, Definition, Horn, RelationId, Rule, Solution};
use selvedge_smt::translate::Arithmetic;
use selvedge_smt::{Answer, Limits, Logic, Solver, Sort, Term, Terms, Value};

/// More guesses than this for one relation take too long.
const MOST: usize = 1500;

/// Constants that are compared with.
const CONSTANTS: usize = 8;

/// The parameters of a relation, with the types of those that are scalars.
pub(super) struct Signature {
    pub relation: RelationId,
    pub sorts: Vec<Sort>,
    pub types: Vec<Option<Type>>,
    /// The place of the error.
    pub error: Option<usize>,
}

/// The guesses that hold.
pub(super) fn guess<'s>(
    horn: &Horn,
    signatures: impl Iterator<Item = &'s Signature>,
    arithmetic: Arithmetic,
    terms: &mut Terms,
    limits: &Limits,
) -> Option<Solution> {
    let constants = constants(horn, terms);
    // In the order of the relations.
    let mut guesses: Vec<Guesses> =
        signatures.map(|signature| Guesses::of(signature, arithmetic, &constants, terms)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (_, rule) in horn.rules() {
            let Some(head) = &rule.head else { continue };
            changed |= drop_wrong(rule, head, &mut guesses, terms, limits)?;
        }
    }
    let definitions = guesses.into_iter().map(|guesses| Definition {
        formula: terms.and(&guesses.formulas),
        parameters: guesses.parameters,
    });
    Some(Solution { definitions: definitions.collect() })
}

/// The clauses with what is known added to them.
pub(super) fn strengthen(horn: &Horn, known: &Solution, terms: &mut Terms) -> Horn {
    let mut stronger = Horn::new();
    for (_, relation) in horn.relations() {
        stronger.relation(&relation.name, &relation.sorts);
    }
    for (_, rule) in horn.rules() {
        let mut parts = vec![rule.constraint];
        for atom in &rule.body {
            parts.push(known.get(atom.relation).apply(terms, &atom.args));
        }
        let constraint = terms.and(&parts);
        stronger.rule(terms, Rule { constraint, ..rule.clone() });
    }
    stronger
}

/// Both at once.
pub(super) fn conjunction(a: &Solution, b: &Solution, terms: &mut Terms) -> Solution {
    let both = a.definitions.iter().zip(&b.definitions).map(|(a, b)| {
        let other = b.apply(terms, &a.parameters);
        Definition { parameters: a.parameters.clone(), formula: terms.and(&[a.formula, other]) }
    });
    Solution { definitions: both.collect() }
}

struct Guesses {
    parameters: Vec<Term>,
    formulas: Vec<Term>,
}

impl Guesses {
    fn of(
        signature: &Signature,
        arithmetic: Arithmetic,
        constants: &FxHashMap<Sort, Vec<Term>>,
        terms: &mut Terms,
    ) -> Guesses {
        let parameters: Vec<Term> =
            signature.sorts.iter().map(|&sort| terms.fresh("guess", sort)).collect();
        let mut formulas = Vec::new();
        let typed = |i: usize| signature.types[i];
        for (i, &a) in parameters.iter().enumerate() {
            match typed(i) {
                Some(Type::Bool) => formulas.extend([a, terms.not(a)]),
                Some(ty) => {
                    for &constant in constants.get(&terms.sort(a)).into_iter().flatten() {
                        relate(terms, arithmetic, ty, a, constant, &mut formulas);
                    }
                }
                None => {}
            }
            for (j, &b) in parameters.iter().enumerate().skip(i + 1) {
                if formulas.len() < MOST
                    && let (Some(ty), true) = (typed(i), typed(i) == typed(j))
                {
                    relate(terms, arithmetic, ty, a, b, &mut formulas);
                }
            }
        }
        if let Some(error) = signature.error.map(|at| parameters[at]) {
            let fine = terms.not(error);
            for guess in formulas.clone() {
                let not = terms.not(guess);
                formulas.push(terms.or(&[fine, not]));
            }
        }
        formulas.sort_unstable();
        formulas.dedup();
        Guesses { parameters, formulas }
    }

    fn applied(&self, terms: &mut Terms, args: &[Term]) -> Vec<Term> {
        let by: FxHashMap<Term, Term> =
            self.parameters.iter().copied().zip(args.iter().copied()).collect();
        self.formulas.iter().map(|&formula| terms.substitute(formula, &by)).collect()
    }
}

/// The ways in which two values of a type may be related.
fn relate(
    terms: &mut Terms,
    arithmetic: Arithmetic,
    ty: Type,
    a: Term,
    b: Term,
    found: &mut Vec<Term>,
) {
    found.push(terms.eq(a, b));
    let Type::Int(int) = ty else { return };
    let (up, down) = match (arithmetic, int) {
        (Arithmetic::Bits, Int { signed: true, .. }) => (terms.bv_sle(a, b), terms.bv_sle(b, a)),
        (Arithmetic::Bits, _) => (terms.bv_ule(a, b), terms.bv_ule(b, a)),
        _ => (terms.le(a, b), terms.le(b, a)),
    };
    found.extend([up, down]);
}

/// The constants that the clauses mention, by sort, small ones first.
fn constants(horn: &Horn, terms: &Terms) -> FxHashMap<Sort, Vec<Term>> {
    let mut roots: Vec<Term> = Vec::new();
    for (_, rule) in horn.rules() {
        roots.push(rule.constraint);
        roots.extend(rule.head.iter().flat_map(|head| head.args.iter().copied()));
    }
    let mut found: FxHashMap<Sort, Vec<(u128, Term)>> = FxHashMap::default();
    terms.walk(&roots, |term| {
        let size = match terms.constant(term) {
            Some(Value::Int(value)) => u128::try_from(value.magnitude().clone()).ok(),
            Some(Value::Bv(bits)) => Some(bits.bits),
            _ => None,
        };
        // The bounds of types say nothing new.
        if let Some(size) = size.filter(|&size| size < 1 << 31) {
            found.entry(terms.sort(term)).or_default().push((size, term));
        }
    });
    let few = |mut all: Vec<(u128, Term)>| {
        all.sort_unstable();
        all.dedup();
        all.truncate(CONSTANTS);
        all.into_iter().map(|(_, term)| term).collect()
    };
    found.into_iter().map(|(sort, all)| (sort, few(all))).collect()
}

/// Drops the guesses about the head that a clause does not bear out. None if that is not decided.
fn drop_wrong(
    rule: &Rule,
    head: &Atom,
    guesses: &mut [Guesses],
    terms: &mut Terms,
    limits: &Limits,
) -> Option<bool> {
    let mut solver = Solver::new(Logic::All, limits.clone());
    solver.assert(terms, rule.constraint);
    for atom in &rule.body {
        for known in guesses[atom.relation.index()].applied(terms, &atom.args) {
            solver.assert(terms, known);
        }
    }
    let mut left = guesses[head.relation.index()].applied(terms, &head.args);
    let mut formulas = std::mem::take(&mut guesses[head.relation.index()].formulas);
    let before = formulas.len();
    let decided = loop {
        let wrong: Vec<Term> = left.iter().map(|&guess| terms.not(guess)).collect();
        let some = terms.or(&wrong);
        match solver.check(terms, &[some]) {
            Answer::Unsat(_) => break true,
            Answer::Unknown(_) => break false,
            Answer::Sat(model) => {
                let holds = model.eval_all(terms, &left);
                let keep: Vec<bool> = holds.iter().map(|v| v.as_bool() == Some(true)).collect();
                if keep.iter().all(|&keep| keep) {
                    break false;
                }
                let kept = |all: Vec<Term>| {
                    all.into_iter().zip(&keep).filter(|(_, keep)| **keep).map(|(t, _)| t).collect()
                };
                left = kept(left);
                formulas = kept(formulas);
            }
        }
    };
    let changed = formulas.len() != before;
    guesses[head.relation.index()].formulas = formulas;
    decided.then_some(changed)
}
