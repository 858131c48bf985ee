//! Where integers are taken to wrap around.
//!
//! Integer operations have to be proved not to leave their types. Those of which that could not be
//! proved are taken to wrap around in further attempts, and only those: remainders are hard for the
//! solver. If ever more of them turn up, all operations wrap around.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use selvedge_ir::{EdgeId, ProcId, Span};
use selvedge_smt::translate::Wrap;

/// An operation that may wrap around.
pub type Operation = (ProcId, EdgeId, Span);

/// So often the set may change.
const MOST: usize = 4;

#[derive(Clone, Debug, Default)]
pub struct Modular {
    /// Those that refutations end with, and those that were missing when others wrapped around.
    sure: BTreeMap<(ProcId, EdgeId), u32>,
    /// Those that the last guess did not exclude. A guess at a higher level excludes more.
    supposed: BTreeMap<(ProcId, EdgeId), u32>,
    grown: usize,
}

impl Modular {
    /// Adds operations; whether others wrap around now than before.
    pub fn learn(&mut self, found: Vec<Operation>, guessed: bool) -> bool {
        if found.is_empty() {
            return false;
        }
        let before = self.edges();
        let found = found.into_iter().map(|(procedure, edge, span)| ((procedure, edge), span.line));
        if guessed {
            self.supposed = found.collect();
        } else {
            self.sure.extend(found);
        }
        let changed = self.edges() != before;
        self.grown += usize::from(changed);
        changed && self.grown <= MOST + 1
    }

    pub fn edges(&self) -> BTreeSet<(ProcId, EdgeId)> {
        self.sure.keys().chain(self.supposed.keys()).copied().collect()
    }

    /// What the other operations do.
    pub fn others(&self) -> Wrap {
        if self.is_everywhere() { Wrap::Modular } else { Wrap::Obliged }
    }

    fn is_everywhere(&self) -> bool {
        self.sure.is_empty() && self.supposed.is_empty() || self.grown > MOST
    }
}

impl fmt::Display for Modular {
    /// Where operations wrap around: `in lines 3, 7`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_everywhere() {
            return f.write_str("everywhere");
        }
        let lines: BTreeSet<u32> =
            self.sure.values().chain(self.supposed.values()).copied().collect();
        let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
        let word = if lines.len() == 1 { "line" } else { "lines" };
        write!(f, "in {word} {}", lines.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use selvedge_ir::LocationId;

    use super::*;

    #[test]
    fn operations_become_many() {
        let mut modular = Modular::default();
        assert_eq!(modular.to_string(), "everywhere");
        let operation = |number: u32| {
            let span = Span { line: 10 + number, ..Span::NONE };
            let edge = EdgeId { from: LocationId::from_u32(0), index: number };
            (ProcId::from_u32(0), edge, span)
        };
        assert!(modular.learn(vec![operation(1), operation(0)], true));
        assert_eq!(modular.to_string(), "in lines 10, 11");
        assert!(modular.learn(vec![operation(1)], true));
        assert!(!modular.learn(vec![operation(1)], false));
        assert_eq!(modular.to_string(), "in line 11");
        assert_eq!(modular.others(), Wrap::Obliged);
        let news: Vec<bool> = (2..6).map(|n| modular.learn(vec![operation(n)], false)).collect();
        assert_eq!(news, [true, true, true, false]);
        assert_eq!(modular.others(), Wrap::Modular);
    }
}
