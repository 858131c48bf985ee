//! Constrained Horn clauses, solved by Z3's Spacer.
//!
//! A rule says: where the constraint and all atoms of the body hold, the head holds; a rule
//! without a head is a query, something that must not happen. A [`Solution`] gives each relation a
//! formula over its parameters such that every rule is valid. Otherwise a [`Derivation`] derives a
//! query from the rules step by step. Neither is believed on Spacer's word alone: a derivation is
//! rebuilt rule by rule with values that satisfy the constraints, and a solution can be checked
//! with [`Horn::check`], which asks one question a rule.

mod derivation;
mod script;
mod solution;

use std::fmt;

use rustc_hash::FxHashSet;
use z3::ast::{Ast, Bool, Dynamic, forall_const};
use z3::{Fixedpoint, FuncDecl, Params, SatResult};

use crate::answer::Reason;
use crate::encode::{Encoder, encode_sort};
use crate::limits::{Limits, guarded};
use crate::print::external;
use crate::solver::reason;
use crate::sort::Sort;
use crate::term::{Term, Terms};

pub use derivation::{Derivation, Step};
pub use solution::{Broken, Definition, Solution};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationId(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(u32);

impl RelationId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl RuleId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug)]
pub struct Relation {
    pub name: String,
    pub sorts: Vec<Sort>,
}

/// A relation applied to terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    pub relation: RelationId,
    pub args: Vec<Term>,
}

/// All variables of a rule stand for any value.
#[derive(Clone, Debug)]
pub struct Rule {
    pub name: String,
    pub body: Vec<Atom>,
    pub constraint: Term,
    /// None for a query.
    pub head: Option<Atom>,
}

#[derive(Clone, Debug, Default)]
pub struct Horn {
    relations: Vec<Relation>,
    rules: Vec<Rule>,
    names: FxHashSet<String>,
}

#[derive(Clone, Debug)]
pub enum HornAnswer {
    /// No query can be derived.
    Solution(Solution),
    /// A query can be derived.
    Refuted(Derivation),
    Unknown(Reason),
}

/// How Spacer searches. Answers do not depend on it, time does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strategy {
    /// Global guidance: lemmas and obligations that only differ in numbers are generalised together.
    pub global: bool,
    pub seed: u32,
}

/// The relation that stands for "some query".
const QUERY: &str = "query?";

impl Horn {
    pub fn new() -> Horn {
        Horn::default()
    }

    /// A new relation. Its name is unique and has no `|` and no `\`.
    pub fn relation(&mut self, name: &str, sorts: &[Sort]) -> RelationId {
        assert!(!name.contains(['|', '\\']), "the name {name} cannot be quoted");
        assert!(self.names.insert(name.to_owned()), "two relations are called {name}");
        assert_ne!(name, QUERY, "this name has a meaning of its own");
        self.relations.push(Relation { name: name.to_owned(), sorts: sorts.to_vec() });
        RelationId(self.relations.len() as u32 - 1)
    }

    pub fn rule(&mut self, terms: &Terms, rule: Rule) -> RuleId {
        for atom in rule.body.iter().chain(&rule.head) {
            let sorts: Vec<Sort> = atom.args.iter().map(|&arg| terms.sort(arg)).collect();
            let relation = &self.relations[atom.relation.index()];
            assert_eq!(sorts, relation.sorts, "{} in rule {}", relation.name, rule.name);
        }
        self.rules.push(rule);
        RuleId(self.rules.len() as u32 - 1)
    }

    pub fn relations(&self) -> impl Iterator<Item = (RelationId, &Relation)> {
        self.relations.iter().enumerate().map(|(index, r)| (RelationId(index as u32), r))
    }

    pub fn rules(&self) -> impl Iterator<Item = (RuleId, &Rule)> {
        self.rules.iter().enumerate().map(|(index, r)| (RuleId(index as u32), r))
    }

    pub fn get_rule(&self, rule: RuleId) -> &Rule {
        &self.rules[rule.index()]
    }

    pub fn get_relation(&self, relation: RelationId) -> &Relation {
        &self.relations[relation.index()]
    }

    fn relation_named(&self, name: &str) -> Option<RelationId> {
        let found = self.relations().find(|(_, relation)| external(&relation.name) == name);
        found.map(|(id, _)| id)
    }

    pub fn solve(&self, terms: &mut Terms, limits: &Limits) -> HornAnswer {
        self.solve_by(terms, limits, Strategy::default())
    }

    pub fn solve_by(&self, terms: &mut Terms, limits: &Limits, strategy: Strategy) -> HornAnswer {
        let file = limits.note("horn", || self.script(terms));
        let answer = self.ask(terms, limits, strategy).unwrap_or_else(HornAnswer::Unknown);
        if let Some(file) = file {
            file.end(match &answer {
                HornAnswer::Solution(_) => "sat",
                HornAnswer::Refuted(_) => "unsat",
                HornAnswer::Unknown(_) => "unknown",
            });
        }
        answer
    }

    /// A solution; none if there is none or it is not known. Cheaper than [`Horn::solve`] where
    /// there is none, as no derivation is rebuilt.
    pub fn solution(&self, terms: &mut Terms, limits: &Limits) -> Option<Solution> {
        let file = limits.note("horn", || self.script(terms));
        let engine = Engine::new(self, terms, limits, Strategy::default());
        let result = guarded(limits, None, || engine.fixedpoint.query(&engine.query));
        let result = result.map_or(SatResult::Unknown, |(result, _)| result);
        if let Some(file) = file {
            file.end(match result {
                SatResult::Unsat => "sat",
                SatResult::Sat => "unsat",
                SatResult::Unknown => "unknown",
            });
        }
        if result != SatResult::Unsat {
            return None;
        }
        let text = engine.fixedpoint.get_answer()?.to_string();
        self.read_solution(terms, &text, limits).ok()
    }

    fn ask(
        &self,
        terms: &mut Terms,
        limits: &Limits,
        strategy: Strategy,
    ) -> Result<HornAnswer, Reason> {
        let engine = Engine::new(self, terms, limits, strategy);
        let (result, cut) = guarded(limits, None, || engine.fixedpoint.query(&engine.query))?;
        let answer = || engine.fixedpoint.get_answer().map(|answer| answer.to_string());
        let missing = || Reason::Unreadable("no answer beside the verdict".into());
        match result {
            SatResult::Unsat => {
                let text = answer().ok_or_else(missing)?;
                Ok(HornAnswer::Solution(self.read_solution(terms, &text, limits)?))
            }
            SatResult::Sat => {
                let text = answer().ok_or_else(missing)?;
                Ok(HornAnswer::Refuted(self.read_derivation(terms, &text, limits)?))
            }
            SatResult::Unknown => {
                Err(cut.unwrap_or_else(|| reason(&engine.fixedpoint.get_reason_unknown())))
            }
        }
    }
}

/// Bytes of Z3's text that are read for one unit of work.
const BYTES_PER_UNIT: u64 = 16;

/// Spends what it takes to read an answer of Spacer's.
fn spend_reading(text: &str, limits: &Limits) -> Result<(), Reason> {
    limits.clock.spend(text.len() as u64 / BYTES_PER_UNIT);
    limits.exceeded().map_or(Ok(()), Err)
}

/// The clauses in Z3.
struct Engine {
    fixedpoint: Fixedpoint,
    /// The atom that no query derives. Z3 looks at its resource limit only where it is asked for a
    /// formula, not where it is asked for a relation.
    query: Bool,
}

impl Engine {
    fn new(horn: &Horn, terms: &Terms, limits: &Limits, strategy: Strategy) -> Engine {
        let fixedpoint = Fixedpoint::new();
        fixedpoint.set_params(&parameters(strategy));
        let declare = |name: &str, sorts: &[Sort]| {
            let sorts: Vec<z3::Sort> = sorts.iter().map(|&s| encode_sort(terms, s)).collect();
            let sorts: Vec<&z3::Sort> = sorts.iter().collect();
            let decl = FuncDecl::new(external(name).into_owned(), &sorts, &z3::Sort::bool());
            fixedpoint.register_relation(&decl);
            decl
        };
        let query = declare(QUERY, &[]);
        let decls: Vec<FuncDecl> = horn
            .relations
            .iter()
            .map(|relation| declare(&relation.name, &relation.sorts))
            .collect();
        let mut encoder = Encoder::new();
        for (index, rule) in horn.rules.iter().enumerate() {
            let clause = encode_rule(terms, &mut encoder, &decls, &query, rule);
            fixedpoint.add_rule(&clause, Some(&format!("rule{index}")));
        }
        limits.clock.spend(encoder.take_work());
        let query = query.apply(&[]).as_bool().expect("relations are boolean");
        Engine { fixedpoint, query }
    }
}

/// Spacer, and no transformations that would drop relations or their arguments from its answers.
fn parameters(strategy: Strategy) -> Params {
    let mut params = Params::new();
    params.set_symbol("engine", "spacer");
    params.set_u32("spacer.random_seed", strategy.seed);
    params.set_bool("spacer.global", strategy.global);
    for off in ["xform.slice", "xform.inline_linear", "xform.inline_eager"] {
        params.set_bool(off, false);
    }
    params
}

fn encode_rule(
    terms: &Terms,
    encoder: &mut Encoder,
    decls: &[FuncDecl],
    query: &FuncDecl,
    rule: &Rule,
) -> Bool {
    let mut apply = |atom: &Atom| {
        let args: Vec<Dynamic> = atom.args.iter().map(|&arg| encoder.term(terms, arg)).collect();
        let args: Vec<&dyn Ast> = args.iter().map(|arg| arg as &dyn Ast).collect();
        decls[atom.relation.index()].apply(&args).as_bool().expect("relations are boolean")
    };
    let mut body: Vec<Bool> = rule.body.iter().map(&mut apply).collect();
    let head = match &rule.head {
        Some(head) => apply(head),
        None => query.apply(&[]).as_bool().expect("relations are boolean"),
    };
    body.push(encoder.formula(terms, rule.constraint));
    let clause = Bool::and(&body).implies(head);
    let bound: Vec<Dynamic> =
        rule.variables(terms).into_iter().map(|v| encoder.term(terms, v)).collect();
    let bound: Vec<&dyn Ast> = bound.iter().map(|v| v as &dyn Ast).collect();
    forall_const(&bound, &[], &clause)
}

impl Rule {
    /// All that it mentions.
    pub fn variables(&self, terms: &Terms) -> Vec<Term> {
        let atoms = self.body.iter().chain(&self.head);
        let mut roots: Vec<Term> = atoms.flat_map(|atom| atom.args.iter().copied()).collect();
        roots.push(self.constraint);
        terms.variables(&roots)
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule{}", self.0)
    }
}
