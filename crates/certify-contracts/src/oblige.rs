//! Obligations: named questions about what is known on a path.

use selvedge_ir::Span;
use selvedge_smt::{Reason, Term};

use crate::near;
use crate::path::Path;
use crate::verdict::{Rejected, place};
use crate::world::World;

/// The solver's work on a question whose answer helps but is not needed.
const SIDE_QUESTION: u64 = 200_000;

/// On a question that can be put another way.
const HOPEFUL_QUESTION: u64 = 2_000_000;

const POSSIBLE: &str = "whether a path is possible";

impl World<'_> {
    /// An obligation: the goal follows from what is known.
    pub fn oblige(
        &mut self,
        path: &mut Path,
        what: &str,
        span: Span,
        goal: Term,
    ) -> Result<(), Rejected> {
        self.oblige_where(path, what, span, None, goal)
    }

    /// Likewise, where a condition holds.
    pub fn oblige_where(
        &mut self,
        path: &mut Path,
        what: &str,
        span: Span,
        condition: Option<Term>,
        goal: Term,
    ) -> Result<(), Rejected> {
        self.asker.counts.obligations += 1;
        let most = self.hopeful.then_some(HOPEFUL_QUESTION);
        match self.decide(path, what, span, condition, goal, most)? {
            Ok(true) => Ok(()),
            Ok(false) => {
                // The second solver may know better about what came before, and about this.
                self.asker.compare()?;
                let place = place(&self.subject.program, span);
                Err(Rejected::Fails { obligation: what.to_owned(), place })
            }
            Err(reason) => Err(self.undecided(what, span, reason)),
        }
    }

    /// Whether a goal follows from what is known. Nothing depends on that, so it counts as no where it
    /// is hard to tell.
    pub fn follows(
        &mut self,
        path: &mut Path,
        what: &str,
        span: Span,
        goal: Term,
    ) -> Result<bool, Rejected> {
        let said = self.decide(path, what, span, None, goal, Some(SIDE_QUESTION))?;
        Ok(said.unwrap_or(false))
    }

    /// Likewise, where more depends on it.
    pub fn follows_hopefully(
        &mut self,
        path: &mut Path,
        what: &str,
        span: Span,
        goal: Term,
    ) -> Result<bool, Rejected> {
        let said = self.decide(path, what, span, None, goal, Some(HOPEFUL_QUESTION))?;
        Ok(said.unwrap_or(false))
    }

    /// Likewise, by what has to do with the goal alone.
    pub fn follows_nearby(
        &mut self,
        path: &mut Path,
        what: &str,
        span: Span,
        goal: Term,
    ) -> Result<bool, Rejected> {
        self.settle(path);
        let wrong = self.terms.not(goal);
        let place = place(&self.subject.program, span);
        Ok(wrong == self.terms.bool(false) || self.excludes_nearby(path, wrong, what, &place)?)
    }

    /// Whether something cannot hold by what has to do with it.
    fn excludes_nearby(
        &mut self,
        path: &Path,
        wrong: Term,
        what: &str,
        place: &str,
    ) -> Result<bool, Rejected> {
        let mut asked = None;
        for most in near::STAGES {
            let facts = self.near.of(&self.terms, &path.known, [wrong], most);
            if asked == Some(facts.len()) {
                continue;
            }
            asked = Some(facts.len());
            let most = Some(SIDE_QUESTION);
            let possible = self.asker.ask_aside(&self.terms, &facts, wrong, most, what, place)?;
            if possible == Ok(false) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn decide(
        &mut self,
        path: &mut Path,
        what: &str,
        span: Span,
        condition: Option<Term>,
        goal: Term,
        most: Option<u64>,
    ) -> Result<Result<bool, Reason>, Rejected> {
        self.settle(path);
        let wrong = self.terms.not(goal);
        let wrong = match condition {
            Some(condition) => self.terms.and(&[condition, wrong]),
            None => wrong,
        };
        if wrong == self.terms.bool(false) {
            return Ok(Ok(true));
        }
        let place = place(&self.subject.program, span);
        if path.facts.len() > near::MANY && self.excludes_nearby(path, wrong, what, &place)? {
            return Ok(Ok(true));
        }
        let possible = self.asker.ask(&self.terms, &path.facts, wrong, most, what, &place)?;
        Ok(possible.map(|possible| !possible))
    }

    /// Whether what is known on a path can hold at all. Where nobody knows, it can.
    pub fn is_possible(&mut self, path: &mut Path, span: Span) -> Result<bool, Rejected> {
        self.settle(path);
        let yes = self.terms.bool(true);
        let place = place(&self.subject.program, span);
        let possible = self.asker.ask(&self.terms, &path.facts, yes, None, POSSIBLE, &place)?;
        Ok(possible.unwrap_or(true))
    }

    /// Likewise, where so many facts could hold together and others came, and it is only that fewer paths
    /// are followed: what has nothing to do with the new facts is left out.
    pub fn may_be_possible(
        &mut self,
        path: &mut Path,
        known: usize,
        span: Span,
    ) -> Result<bool, Rejected> {
        let new = path.facts.get(known..).unwrap_or_default().to_vec();
        self.settle(path);
        let facts = self.near.of(&self.terms, &path.known, new, near::MANY);
        let yes = self.terms.bool(true);
        let place = place(&self.subject.program, span);
        let most = Some(SIDE_QUESTION);
        let possible = self.asker.ask_aside(&self.terms, &facts, yes, most, POSSIBLE, &place)?;
        Ok(possible.unwrap_or(true))
    }

    fn undecided(&self, what: &str, span: Span, reason: Reason) -> Rejected {
        let obligation = format!("{what}, {}", place(&self.subject.program, span));
        Rejected::Undecided { obligation, reason }
    }

    /// Whether there is time for more.
    pub fn go_on(&self, what: &str, span: Span) -> Result<(), Rejected> {
        match self.asker.limits.exceeded() {
            Some(reason) => Err(self.undecided(what, span, reason)),
            None => Ok(()),
        }
    }

    /// An obligation that fails.
    pub fn oblige_never(&mut self, what: &str, span: Span) -> Result<(), Rejected> {
        self.asker.compare()?;
        let place = place(&self.subject.program, span);
        Err(Rejected::Fails { obligation: what.to_owned(), place })
    }
}
