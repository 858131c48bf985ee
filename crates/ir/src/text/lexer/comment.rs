//! Predicates in comments: `/*@ predicate l != \other(l); */` and `//@ predicate x > 0;`, written as
//! in C. Other clauses of such a comment are passed over.

use super::super::names::continues_name;
use super::Lexer;

const PREDICATE: &str = "predicate";

impl Lexer<'_> {
    /// Passes over a comment of so many bytes, and takes up the predicates in it.
    pub(super) fn comment(&mut self, length: usize) {
        let end = self.at.offset + length;
        self.pass(2);
        if self.rest.starts_with('@') {
            while self.clause(end) {}
        }
        self.pass(end - self.at.offset);
    }

    /// Reads a clause of a comment that ends at an offset; false if there is none.
    fn clause(&mut self, end: usize) -> bool {
        self.skip_clause_blanks(end);
        let left = &self.rest[..end - self.at.offset];
        if left.is_empty() {
            return false;
        }
        let (clause, closed) = match left.split_once(';') {
            Some((clause, _)) => (clause, true),
            None => (left, false),
        };
        let behind = self.at.offset + clause.len() + usize::from(closed);
        let rest = clause.strip_prefix(PREDICATE);
        if rest.is_some_and(|rest| !rest.starts_with(continues_name)) {
            self.predicate(behind - usize::from(closed), closed);
        }
        self.pass(behind - self.at.offset);
        true
    }

    /// The predicate at the keyword here, up to an offset.
    fn predicate(&mut self, end: usize, closed: bool) {
        let keyword = self.at;
        self.pass(PREDICATE.len());
        self.skip_clause_blanks(end);
        let at = self.at;
        let lines = self.rest[..end - at.offset].lines();
        let lines = lines.map(|line| line.trim().trim_start_matches('@').trim());
        let text = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        match (closed, text.is_empty()) {
            (true, false) => self.predicates.push((text, at)),
            (false, _) => self.errors.push(
                keyword
                    .error("this predicate has no `;` at its end")
                    .help("a clause of an annotation ends in `;`"),
            ),
            (true, true) => self.errors.push(
                keyword.error("this predicate is empty").help("write a formula before the `;`"),
            ),
        }
    }

    fn skip_clause_blanks(&mut self, end: usize) {
        while self.at.offset < end && self.peek().is_some_and(|c| c == '@' || c.is_whitespace()) {
            self.bump();
        }
    }
}
