//! Incremental solving.

use std::sync::Once;

use rustc_hash::{FxHashMap, FxHashSet};
use z3::SatResult;
use z3::ast::Bool;

use crate::answer::{Answer, Core, Reason};
use crate::decode;
use crate::dump::check_script;
use crate::encode::Encoder;
use crate::limits::{Limits, guarded};
use crate::term::{Op, Term, Terms};

/// Which of Z3's solvers: a narrower logic is faster where it fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Logic {
    #[default]
    All,
    /// Bit-vectors without quantifiers.
    QfBv,
    /// The same, as one propositional formula from the start: the fastest for large formulas that
    /// compute little.
    Bits,
    /// The same, for one question without assumptions, prepared more thoroughly.
    BitsOnce,
    /// The same, where conjunctions inside conjunctions may be dissolved: several times as fast, if
    /// there are not too many ([`Terms::flattened`]).
    BitsFlat,
    /// Bit-vectors and arrays.
    QfAbv,
    /// Linear integers.
    QfLia,
    /// Linear integers and arrays.
    QfAlia,
}

impl Logic {
    fn name(self) -> Option<&'static str> {
        match self {
            Logic::All => None,
            Logic::QfBv => Some("QF_BV"),
            Logic::Bits => Some("QF_FD"),
            Logic::BitsOnce | Logic::BitsFlat => None,
            Logic::QfAbv => Some("QF_ABV"),
            Logic::QfLia => Some("QF_LIA"),
            Logic::QfAlia => Some("QF_ALIA"),
        }
    }
}

/// A stack of assertions. It stays in its thread; several threads have several solvers.
///
/// ```
/// use selvedge_budget::{Clock, Moment};
/// use selvedge_smt::{Answer, Limits, Logic, Solver, Sort, Terms};
///
/// let mut terms = Terms::new();
/// let (x, zero) = (terms.var("x", Sort::Int), terms.int(0));
/// let (below, above) = (terms.lt(x, zero), terms.lt(zero, x));
/// // So much work, and no more, for all questions together.
/// let end = Moment::START + Clock::time_for(1_000_000);
/// let mut solver = Solver::new(Logic::QfLia, Limits::until(&Clock::counting(), end));
/// solver.assert(&terms, below);
/// assert!(matches!(solver.check(&terms, &[]), Answer::Sat(_)));
/// let Answer::Unsat(core) = solver.check(&terms, &[above]) else { panic!("no such number") };
/// assert_eq!(core.0, [above]);
/// ```
#[derive(Debug)]
pub struct Solver {
    z3: z3::Solver,
    encoder: Encoder,
    levels: Vec<Level>,
    /// The literals that stand for assumptions that are no literals.
    proxies: FxHashMap<Term, Bool>,
    pub limits: Limits,
}

#[derive(Debug, Default)]
struct Level {
    asserted: Vec<Term>,
    /// The assumptions whose proxies are defined at this level.
    defined: FxHashSet<Term>,
}

impl Solver {
    pub fn new(logic: Logic, limits: Limits) -> Solver {
        prepare();
        let special = match logic {
            Logic::BitsOnce => Some(thorough(false).solver()),
            Logic::BitsFlat => Some(thorough(true).solver()),
            other => other.name().and_then(z3::Solver::new_for_logic),
        };
        Solver {
            z3: special.unwrap_or_default(),
            encoder: Encoder::new(),
            levels: vec![Level::default()],
            proxies: FxHashMap::default(),
            limits,
        }
    }

    pub fn assert(&mut self, terms: &Terms, formula: Term) {
        let encoded = self.encoder.formula(terms, formula);
        self.z3.assert(encoded);
        self.level().asserted.push(formula);
    }

    pub fn push(&mut self) {
        self.z3.push();
        self.levels.push(Level::default());
    }

    /// Forgets what was asserted since the push that matches.
    pub fn pop(&mut self) {
        assert!(self.levels.len() > 1, "pop without push");
        self.levels.pop();
        self.z3.pop(1);
    }

    /// How many pushes are open.
    pub fn depth(&self) -> usize {
        self.levels.len() - 1
    }

    /// All that is asserted now.
    pub fn assertions(&self) -> impl Iterator<Item = Term> {
        self.levels.iter().flat_map(|level| level.asserted.iter().copied())
    }

    fn level(&mut self) -> &mut Level {
        self.levels.last_mut().expect("the base level stays")
    }

    /// Whether the assertions and the assumptions, any formulas, can hold together.
    pub fn check(&mut self, terms: &Terms, assumptions: &[Term]) -> Answer {
        self.check_within(terms, assumptions, None)
    }

    /// Likewise, with so many units of work at most.
    pub fn check_within(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        most: Option<u64>,
    ) -> Answer {
        let (said, literals) = self.ask(terms, assumptions, most);
        match said {
            Err(reason) => Answer::Unknown(reason),
            Ok(true) => self.sat(terms),
            Ok(false) => Answer::Unsat(self.core(assumptions, &literals)),
        }
    }

    /// Likewise, without a model or a core, and with so many units of work at most.
    pub fn is_possible(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        most: Option<u64>,
    ) -> Result<bool, Reason> {
        self.ask(terms, assumptions, most).0
    }

    fn ask(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        most: Option<u64>,
    ) -> (Result<bool, Reason>, Vec<Bool>) {
        let literals: Vec<Bool> =
            assumptions.iter().map(|&assumption| self.literal(terms, assumption)).collect();
        let file = self.limits.note("check", || {
            let asserted: Vec<Term> = self.assertions().collect();
            check_script(terms, &asserted, assumptions)
        });
        self.limits.clock.spend(self.encoder.take_work());
        let z3 = &self.z3;
        let result = guarded(&self.limits, most, || z3.check_assumptions(&literals));
        let said = match result {
            Err(reason) => Err(reason),
            Ok((SatResult::Sat, _)) => Ok(true),
            Ok((SatResult::Unsat, _)) => Ok(false),
            Ok((SatResult::Unknown, cut)) => {
                let said = || reason(&self.z3.get_reason_unknown().unwrap_or_default());
                Err(cut.unwrap_or_else(said))
            }
        };
        if let Some(file) = file {
            file.end(match &said {
                Ok(true) => "sat",
                Ok(false) => "unsat",
                Err(_) => "unknown",
            });
        }
        (said, literals)
    }

    /// Z3 takes only variables and their negations as assumptions; anything else gets a variable
    /// that implies it.
    fn literal(&mut self, terms: &Terms, assumption: Term) -> Bool {
        let atom = match terms.op(assumption) {
            Op::Not => terms.args(assumption)[0],
            _ => assumption,
        };
        if terms.name(atom).is_some() {
            return self.encoder.formula(terms, assumption);
        }
        let proxy = self.proxies.entry(assumption).or_insert_with(|| Bool::fresh_const("assume"));
        let proxy = proxy.clone();
        if !self.levels.iter().any(|level| level.defined.contains(&assumption)) {
            let encoded = self.encoder.formula(terms, assumption);
            self.z3.assert(proxy.implies(encoded));
            self.level().defined.insert(assumption);
        }
        proxy
    }

    fn sat(&self, terms: &Terms) -> Answer {
        match self.z3.get_model() {
            Some(found) => match decode::model(terms, &found) {
                Ok(model) => {
                    self.limits.clock.spend(model.iter().len() as u64);
                    Answer::Sat(model)
                }
                Err(reason) => Answer::Unknown(reason),
            },
            None => Answer::Unknown(Reason::Unreadable("sat without a model".into())),
        }
    }

    fn core(&self, assumptions: &[Term], literals: &[Bool]) -> Core {
        let found: FxHashSet<Bool> = self.z3.get_unsat_core().into_iter().collect();
        let both = assumptions.iter().zip(literals);
        let mut core: Vec<Term> = Vec::new();
        for (&assumption, literal) in both {
            if found.contains(literal) && !core.contains(&assumption) {
                core.push(assumption);
            }
        }
        Core(core)
    }

    /// Leaves out of a core what is not needed, by trying. What the solver does not decide in its
    /// limits stays in.
    pub fn minimize(&mut self, terms: &Terms, core: Core) -> Core {
        let Core(mut kept) = core;
        let mut next = 0;
        while next < kept.len() {
            let mut fewer = kept.clone();
            fewer.remove(next);
            match self.check(terms, &fewer) {
                Answer::Unsat(Core(smaller)) => kept = smaller,
                Answer::Sat(_) | Answer::Unknown(_) => next += 1,
            }
        }
        Core(kept)
    }
}

/// Equations are solved and what is used once is left out before the formula becomes propositional;
/// circuits that do the same become one then.
fn thorough(flat: bool) -> z3::Tactic {
    let mut params = z3::Params::new();
    params.set_bool("flat_and_or", flat);
    let simplify = || z3::Tactic::new("simplify").with(&params);
    let then = |first: z3::Tactic, steps: &[&str]| {
        steps.iter().fold(first, |tactic, step| tactic.and_then(&z3::Tactic::new(step)))
    };
    let smaller = then(simplify(), &["propagate-values", "solve-eqs", "elim-uncnstr"]);
    then(smaller.and_then(&simplify()), &["bit-blast", "aig", "sat"])
}

/// Conjunctions nested by thousands, as unrolled programs have them, stay nested unless asked for:
/// flattened at every level they take quadratic time and space, before any limit is looked at.
fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| z3::set_global_param("rewriter.flat_and_or", "false"));
}

/// What Z3 says in place of an answer.
pub(crate) fn reason(said: &str) -> Reason {
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if has(&["memory", "memout"]) {
        Reason::Memory
    } else if has(&["timeout", "resource"]) {
        Reason::Time
    } else if has(&["canceled", "interrupted"]) {
        Reason::Interrupted
    } else {
        Reason::Incomplete(said.to_owned())
    }
}
