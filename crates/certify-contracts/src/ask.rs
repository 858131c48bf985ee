//! Questions to the solvers. Each is a closed formula: all that is known on a path, and what would be
//! wrong.
//!
//! Z3 keeps what consecutive questions share. The second solver gets every question by itself, as text.

use selvedge_ir::spec::Formula;
use selvedge_smt::{Limits, Logic, Reason, Solver, Term, Terms, check_script};

use crate::cvc5::{self, Said};
use crate::verdict::Rejected;

/// Who has to agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solvers {
    #[default]
    Z3,
    Cvc5,
    /// Z3 decides; cvc5 must not contradict it.
    Both,
}

/// Questions that the second solver gets at once.
const BATCH: usize = 50;

pub(crate) struct Asker {
    solvers: Solvers,
    pub limits: Limits,
    z3: Solver,
    /// For questions that share nothing with others.
    aside: Solver,
    /// What Z3 knows, and where its levels begin.
    asserted: Vec<Term>,
    levels: Vec<usize>,
    waiting: Vec<Waiting>,
    /// What was asked of formulas over two states: which of them hold over two steps.
    pub transitive: Vec<(Vec<Formula>, Vec<bool>)>,
    pub counts: Counts,
}

/// How much there was to ask.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub obligations: usize,
    pub asked: usize,
    pub asked_again: usize,
    pub open: usize,
}

/// A question that Z3 has answered.
struct Waiting {
    script: String,
    what: String,
    place: String,
    said: Said,
}

impl Asker {
    pub fn new(solvers: Solvers, limits: Limits) -> Asker {
        Asker {
            solvers,
            z3: Solver::new(Logic::All, limits.clone()),
            aside: Solver::new(Logic::All, limits.clone()),
            limits,
            asserted: Vec::new(),
            levels: Vec::new(),
            waiting: Vec::new(),
            transitive: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// Whether the facts and the formula can hold together, found with so many units of work at most;
    /// the reason where nobody knows.
    pub fn ask(
        &mut self,
        terms: &Terms,
        facts: &[Term],
        formula: Term,
        most: Option<u64>,
        what: &str,
        place: &str,
    ) -> Result<Result<bool, Reason>, Rejected> {
        if self.solvers == Solvers::Cvc5 {
            self.counts.asked += 1;
            return Ok(self.by_cvc5(script(terms, facts, formula)));
        }
        self.tell(terms, facts);
        let said = self.z3.is_possible(terms, &[formula], most);
        self.note(terms, facts, formula, said, what, place)
    }

    /// Likewise, of a few facts that have nothing to do with what was asked before.
    pub fn ask_aside(
        &mut self,
        terms: &Terms,
        facts: &[Term],
        formula: Term,
        most: Option<u64>,
        what: &str,
        place: &str,
    ) -> Result<Result<bool, Reason>, Rejected> {
        if self.solvers == Solvers::Cvc5 {
            return self.ask(terms, facts, formula, most, what, place);
        }
        self.aside.push();
        facts.iter().for_each(|&fact| self.aside.assert(terms, fact));
        let said = self.aside.is_possible(terms, &[formula], most);
        self.aside.pop();
        self.note(terms, facts, formula, said, what, place)
    }

    /// Keeps what Z3 said for the second solver.
    fn note(
        &mut self,
        terms: &Terms,
        facts: &[Term],
        formula: Term,
        said: Result<bool, Reason>,
        what: &str,
        place: &str,
    ) -> Result<Result<bool, Reason>, Rejected> {
        self.counts.asked += 1;
        let said = match said {
            Ok(true) => Said::Sat,
            Ok(false) => Said::Unsat,
            Err(reason) => return Ok(Err(reason)),
        };
        if self.solvers == Solvers::Both {
            let (what, place) = (what.to_owned(), place.to_owned());
            self.waiting.push(Waiting { script: script(terms, facts, formula), what, place, said });
            if self.waiting.len() >= BATCH {
                self.compare()?;
            }
        }
        Ok(Ok(said == Said::Sat))
    }

    fn by_cvc5(&mut self, script: String) -> Result<bool, Reason> {
        self.counts.asked_again += 1;
        let said = cvc5::ask(&[&script], &self.limits)?;
        match said.first() {
            Some(Said::Sat) => Ok(true),
            Some(Said::Unsat) => Ok(false),
            _ => {
                self.counts.open += 1;
                Err(Reason::Incomplete("cvc5 does not decide it".to_owned()))
            }
        }
    }

    /// Gives Z3 what is known, from where it differs from what it knows already.
    fn tell(&mut self, terms: &Terms, facts: &[Term]) {
        let same = self.asserted.iter().zip(facts).take_while(|(a, b)| a == b).count();
        while self.asserted.len() > same {
            let level = self.levels.pop().unwrap_or(0);
            self.asserted.truncate(level);
            self.z3.pop();
        }
        let known = self.asserted.len();
        if facts.len() > known {
            self.z3.push();
            self.levels.push(known);
            for &fact in &facts[known..] {
                self.z3.assert(terms, fact);
                self.asserted.push(fact);
            }
        }
    }

    /// How much was asked, once the second solver agrees with it.
    pub fn end(mut self) -> Result<Counts, Rejected> {
        self.compare()?;
        Ok(self.counts)
    }

    /// Asks the second solver what it thinks of the answers so far.
    pub fn compare(&mut self) -> Result<(), Rejected> {
        let waiting = std::mem::take(&mut self.waiting);
        if waiting.is_empty() {
            return Ok(());
        }
        let scripts: Vec<&str> = waiting.iter().map(|question| question.script.as_str()).collect();
        let undecided = |reason| Rejected::Undecided {
            obligation: "the second solver's answers".to_owned(),
            reason,
        };
        let said = cvc5::ask(&scripts, &self.limits).map_err(undecided)?;
        self.counts.asked_again += waiting.len();
        for (question, said) in waiting.into_iter().zip(said) {
            match said {
                Said::Unknown => self.counts.open += 1,
                said if said == question.said => {}
                _ => {
                    let (obligation, place) = (question.what, question.place);
                    return Err(Rejected::Disagreement { obligation, place });
                }
            }
        }
        Ok(())
    }
}

fn script(terms: &Terms, facts: &[Term], formula: Term) -> String {
    let mut all = facts.to_vec();
    all.push(formula);
    check_script(terms, &all, &[])
}
