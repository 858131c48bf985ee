//! Exhausted searches: the evidence of an engine that visits every state.

use selvedge_exec::Stop;

/// The books of a search: a state is entered when it is found, and crossed out when all that can
/// follow it has been found. Only balanced books without an objection show that the search is
/// complete. The initial state is entered from the start, so that a search that never began does not
/// look complete.
#[derive(Clone, Debug)]
pub struct Ledger {
    found: u64,
    expanded: u64,
    objection: Option<Stop>,
}

/// Every state that the program can reach was visited. Made by [`Ledger::close`] only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted {
    states: u64,
}

impl Exhausted {
    pub fn states(&self) -> u64 {
        self.states
    }
}

impl Default for Ledger {
    fn default() -> Ledger {
        Ledger { found: 1, expanded: 0, objection: None }
    }
}

impl Ledger {
    /// Another state that was not known before.
    pub fn found(&mut self) {
        self.found += 1;
    }

    /// A state of which all successors have been found.
    pub fn expanded(&mut self) {
        self.expanded += 1;
    }

    /// From now on the search is not complete. The first reason counts.
    pub fn object(&mut self, stop: Stop) {
        self.objection.get_or_insert(stop);
    }

    pub fn close(self) -> Result<Exhausted, Stop> {
        match self.objection {
            Some(stop) => Err(stop),
            None if self.found == self.expanded => Ok(Exhausted { states: self.found }),
            None => {
                let left = self.found.abs_diff(self.expanded);
                Err(Stop::Defect { what: format!("the search ended with {left} states left over") })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_balanced_books_show_completeness() {
        let mut ledger = Ledger::default();
        assert!(ledger.clone().close().is_err_and(|stop| stop.is_defect()));
        ledger.expanded();
        assert_eq!(ledger.clone().close().map(|done| done.states()), Ok(1));
        ledger.found();
        assert!(ledger.clone().close().is_err_and(|stop| stop.is_defect()));
        ledger.expanded();
        assert_eq!(ledger.clone().close().map(|done| done.states()), Ok(2));
        ledger.object(Stop::bound("first"));
        ledger.object(Stop::bound("second"));
        assert_eq!(ledger.close(), Err(Stop::bound("first")));
    }
}
