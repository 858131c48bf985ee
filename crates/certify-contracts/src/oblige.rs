//! Obligations: named questions about what is known on a path.

use selvedge_ir::Span;
use selvedge_smt::{Reason, Term};

use crate::path::Path;
use crate::verdict::{Rejected, place};
use crate::world::World;

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
        self.asker.obligations += 1;
        match self.follows(path, what, span, condition, goal)? {
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

    /// Whether a goal follows from what is known, which nothing depends on.
    pub fn follows(
        &mut self,
        path: &mut Path,
        what: &str,
        span: Span,
        condition: Option<Term>,
        goal: Term,
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
        let possible = self.asker.ask(&self.terms, &path.facts, wrong, what, &place)?;
        Ok(possible.map(|possible| !possible))
    }

    /// Whether what is known on a path can hold at all. Where nobody knows, it can.
    pub fn is_possible(&mut self, path: &mut Path, span: Span) -> Result<bool, Rejected> {
        self.settle(path);
        let yes = self.terms.bool(true);
        let place = place(&self.subject.program, span);
        let what = "whether a path is possible";
        let possible = self.asker.ask(&self.terms, &path.facts, yes, what, &place)?;
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
