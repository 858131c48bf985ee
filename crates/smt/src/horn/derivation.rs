//! Derivations of a query.
//!
//! Spacer's refutation is a tree of hyper-resolution steps whose conclusions are ground atoms.
//! Its rules have been transformed, so only the atoms and their premises are taken from it; which
//! of our rules makes each step, with which values of the rule's variables, the solver finds.

use rustc_hash::FxHashMap;

use super::{Atom, Horn, QUERY, RelationId, Rule, RuleId, spend_reading};
use crate::answer::{Answer, Model, Reason};
use crate::limits::Limits;
use crate::print::external;
use crate::read::Reader;
use crate::sexpr::{Sexpr, Sexprs};
use crate::solver::{Logic, Solver};
use crate::term::{Term, Terms};
use crate::value::Value;

/// Steps in an order in which premises come first; the last one derives the query.
#[derive(Clone, Debug)]
pub struct Derivation {
    pub steps: Vec<Step>,
}

/// One application of a rule.
#[derive(Clone, Debug)]
pub struct Step {
    pub rule: RuleId,
    /// The arguments of the rule's head; none for a query.
    pub head: Vec<Value>,
    /// The steps that derive the atoms of the rule's body, in the rule's order.
    pub premises: Vec<usize>,
    /// The values of the rule's variables.
    pub model: Model,
}

/// A ground atom; the relation is none for the query.
type Fact = (Option<RelationId>, Vec<Value>);

impl Horn {
    pub(super) fn read_derivation(
        &self,
        terms: &mut Terms,
        text: &str,
        limits: &Limits,
    ) -> Result<Derivation, Reason> {
        spend_reading(text, limits)?;
        let sexprs = Sexprs::parse(text).map_err(Reason::Unreadable)?;
        let mut builder = Builder {
            horn: self,
            sexprs: &sexprs,
            limits,
            names: FxHashMap::default(),
            known: FxHashMap::default(),
            steps: Vec::new(),
        };
        builder.propositions(terms)?;
        for &root in &sexprs.roots {
            builder.proof(terms, root)?;
        }
        let query = builder.known.get(&(None, Vec::new())).copied();
        let mut steps = builder.steps;
        match query {
            Some(last) => {
                steps.truncate(last + 1);
                Ok(Derivation { steps })
            }
            None => Err(Reason::Unreadable("a refutation without the query".into())),
        }
    }
}

struct Builder<'a> {
    horn: &'a Horn,
    sexprs: &'a Sexprs<'a>,
    limits: &'a Limits,
    /// What `let` names.
    names: FxHashMap<&'a str, Sexpr>,
    /// The step that derives a fact.
    known: FxHashMap<Fact, usize>,
    steps: Vec<Step>,
}

impl<'a> Builder<'a> {
    /// Spacer leaves facts without arguments out of its proofs where they follow from such facts
    /// alone; the query may be one of them. So they are derived beforehand.
    fn propositions(&mut self, terms: &mut Terms) -> Result<(), Reason> {
        loop {
            let before = self.steps.len();
            for (id, rule) in self.horn.rules() {
                let fact = (rule.head.as_ref().map(|head| head.relation), Vec::new());
                let bare = |atom: &Atom| atom.args.is_empty();
                let premises: Vec<Fact> =
                    rule.body.iter().map(|atom| (Some(atom.relation), Vec::new())).collect();
                if self.known.contains_key(&fact)
                    || !rule.body.iter().chain(&rule.head).all(bare)
                    || !premises.iter().all(|premise| self.known.contains_key(premise))
                {
                    continue;
                }
                let premises: Vec<&Fact> = premises.iter().collect();
                if let Some(model) = self.apply(terms, rule, &fact, &premises)? {
                    let premises = premises.iter().map(|premise| self.known[*premise]).collect();
                    self.known.insert(fact, self.steps.len());
                    self.steps.push(Step { rule: id, head: Vec::new(), premises, model });
                }
            }
            if self.steps.len() == before {
                return Ok(());
            }
        }
    }

    /// Goes over the proof, premises first, without recursion: it is as deep as the derivation.
    fn proof(&mut self, terms: &mut Terms, root: Sexpr) -> Result<(), Reason> {
        let mut open = vec![(root, false)];
        while let Some((proof, premises_done)) = open.pop() {
            let proof = self.resolve(proof);
            let Some(items) = self.sexprs.list(proof) else { continue };
            let Some((&head, rest)) = items.split_first() else { continue };
            match self.sexprs.atom(head) {
                Some("let") => open.push((self.enter_let(rest)?, false)),
                Some("asserted") => {}
                _ if !self.is_resolution(head) => {
                    open.extend(rest.iter().rev().map(|&part| (part, false)));
                }
                _ if premises_done => self.step(terms, rest)?,
                _ => {
                    open.push((proof, true));
                    // The first is the rule, the last the conclusion.
                    let premises = rest.get(1..rest.len().saturating_sub(1)).unwrap_or(&[]);
                    open.extend(premises.iter().rev().map(|&premise| (premise, false)));
                }
            }
        }
        Ok(())
    }

    /// Names of `let` are unique in Z3's text, so they need no scopes.
    fn enter_let(&mut self, rest: &'a [Sexpr]) -> Result<Sexpr, Reason> {
        let fail = || Reason::Unreadable("a let that is none".into());
        let &[bindings, body] = rest else { return Err(fail()) };
        for &binding in self.sexprs.list(bindings).ok_or_else(fail)? {
            match self.sexprs.list(binding) {
                Some(&[name, value]) => {
                    self.names.insert(self.sexprs.atom(name).ok_or_else(fail)?, value);
                }
                _ => return Err(fail()),
            }
        }
        Ok(body)
    }

    fn resolve(&self, mut sexpr: Sexpr) -> Sexpr {
        while let Some(&value) = self.sexprs.atom(sexpr).and_then(|name| self.names.get(name)) {
            sexpr = value;
        }
        sexpr
    }

    fn is_resolution(&self, head: Sexpr) -> bool {
        let items = self.sexprs.list(head).unwrap_or(&[]);
        items.get(1).and_then(|&name| self.sexprs.atom(name)) == Some("hyper-res")
    }

    /// A hyper-resolution step: `parts` are a rule, the premises' proofs, and the conclusion.
    fn step(&mut self, terms: &mut Terms, parts: &[Sexpr]) -> Result<(), Reason> {
        let Some((&conclusion, proofs)) = parts.split_last() else { return Ok(()) };
        let Some(fact) = self.fact(terms, conclusion)? else { return Ok(()) };
        if self.known.contains_key(&fact) {
            return Ok(());
        }
        let mut premises = Vec::new();
        for &proof in proofs.get(1..).unwrap_or(&[]) {
            let proof = self.resolve(proof);
            let conclusion = self.sexprs.list(proof).and_then(|items| items.last().copied());
            let Some(conclusion) = conclusion else { continue };
            if let Some(premise) = self.fact(terms, conclusion)? {
                premises.push(premise);
            }
        }
        premises.extend(self.known.keys().filter(|fact| fact.1.is_empty()).cloned());
        premises.dedup();
        let step = self.justify(terms, &fact, &premises)?;
        self.known.insert(fact, self.steps.len());
        self.steps.push(step);
        Ok(())
    }

    /// None for what is no atom of ours.
    fn fact(&self, terms: &mut Terms, atom: Sexpr) -> Result<Option<Fact>, Reason> {
        let atom = self.resolve(atom);
        let (name, args) = match self.sexprs.list(atom) {
            None => (self.sexprs.atom(atom), &[][..]),
            Some([name, args @ ..]) => (self.sexprs.atom(*name), args),
            Some([]) => (None, &[][..]),
        };
        let Some(name) = name else { return Ok(None) };
        let relation = if name == external(QUERY) {
            None
        } else {
            match self.horn.relation_named(name) {
                Some(relation) => Some(relation),
                None => return Ok(None),
            }
        };
        let mut values = Vec::new();
        for &arg in args {
            let term = Reader::new(terms, self.sexprs).with_names(&self.names).term(arg);
            let term = term.map_err(|error| Reason::Unreadable(error.0))?;
            if !terms.variables(&[term]).is_empty() {
                return Err(Reason::Unreadable("a fact that is not ground".into()));
            }
            values.push(Model::new().eval(terms, term));
        }
        Ok(Some((relation, values)))
    }

    /// The rule and the values that derive a fact from premises.
    fn justify(&self, terms: &mut Terms, fact: &Fact, premises: &[Fact]) -> Result<Step, Reason> {
        for (id, rule) in self.horn.rules() {
            if rule.head.as_ref().map(|head| head.relation) != fact.0 {
                continue;
            }
            for choice in choices(rule, premises) {
                if let Some(model) = self.apply(terms, rule, fact, &choice)? {
                    let premises = choice.iter().map(|premise| self.known[*premise]).collect();
                    return Ok(Step { rule: id, head: fact.1.clone(), premises, model });
                }
            }
        }
        let name = fact.0.map_or(QUERY, |relation| &self.horn.get_relation(relation).name);
        Err(Reason::Unreadable(format!("no rule derives the fact of {name} in the refutation")))
    }

    /// Values of the rule's variables that make the body these facts and the head this one.
    fn apply(
        &self,
        terms: &mut Terms,
        rule: &Rule,
        fact: &Fact,
        premises: &[&Fact],
    ) -> Result<Option<Model>, Reason> {
        if premises.iter().any(|premise| !self.known.contains_key(*premise)) {
            return Ok(None);
        }
        let mut solver = Solver::new(Logic::All, self.limits.clone());
        solver.assert(terms, rule.constraint);
        let body = rule.body.iter().zip(premises.iter().map(|premise| &premise.1));
        for (atom, values) in body.chain(rule.head.as_ref().map(|head| (head, &fact.1))) {
            for equation in equations(terms, atom, values) {
                solver.assert(terms, equation);
            }
        }
        match solver.check(terms, &[]) {
            Answer::Sat(model) => Ok(Some(model)),
            Answer::Unsat(_) => Ok(None),
            Answer::Unknown(reason) => Err(reason),
        }
    }
}

fn equations(terms: &mut Terms, atom: &Atom, values: &[Value]) -> Vec<Term> {
    let mut equations = Vec::new();
    for (&arg, value) in atom.args.iter().zip(values) {
        let value = terms.value(value, terms.sort(arg));
        equations.push(terms.eq(arg, value));
    }
    equations
}

/// All ways to give each atom of the body a premise of its relation.
fn choices<'f>(rule: &Rule, premises: &'f [Fact]) -> Vec<Vec<&'f Fact>> {
    let mut all: Vec<Vec<&Fact>> = vec![Vec::new()];
    for atom in &rule.body {
        let fitting = premises.iter().filter(|premise| premise.0 == Some(atom.relation));
        let fitting: Vec<&Fact> = fitting.collect();
        all = all
            .into_iter()
            .flat_map(|begun| {
                fitting.iter().map(move |&premise| {
                    let mut longer = begun.clone();
                    longer.push(premise);
                    longer
                })
            })
            .collect();
    }
    all
}
