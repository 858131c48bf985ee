//! Loop invariants in comments: `/*@ loop invariant e; */` and `//@ loop invariant e;`.
//!
//! Such a comment becomes tokens: a keyword for the words `loop invariant`, then those of the
//! expression and its `;`. Other clauses of the comment, which mean something to somebody else, are
//! passed over, as are other comments.

use super::name::is_name_char;
use super::scan::Scanner;
use super::{Keyword, TokenKind};

/// The kind of comment that is read as tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comment {
    Block,
    Line,
}

impl Scanner<'_> {
    /// Enters a comment that begins with `@` here and has a loop invariant; otherwise reads nothing.
    pub(super) fn enter_annotation(&mut self, comment: Comment) -> bool {
        let start = self.cursor;
        self.cursor.next();
        self.cursor.next();
        if self.cursor.eat('@') {
            self.annotation = Some(comment);
            if self.next_invariant() {
                return true;
            }
        }
        self.annotation = None;
        self.cursor = start;
        false
    }

    /// Goes to the next loop invariant of the comment, if there is one, and makes its keyword.
    pub(super) fn next_invariant(&mut self) -> bool {
        loop {
            self.cursor.eat_while(|c| c == '@' || (c.is_whitespace() && c != '\n'));
            if self.cursor.peek() == Some('\n') && self.annotation == Some(Comment::Block) {
                self.cursor.next();
                continue;
            }
            if self.at_annotation_end() {
                return false;
            }
            let start = self.cursor.at();
            if self.eat_word("loop") {
                self.cursor.eat_while(char::is_whitespace);
                if self.eat_word("invariant") {
                    self.push(TokenKind::Keyword(Keyword::LoopInvariant), start);
                    return true;
                }
            }
            while !self.at_annotation_end() && self.cursor.next().is_some_and(|c| c != ';') {}
        }
    }

    /// Whether the comment that is read as tokens ends here.
    pub(super) fn at_annotation_end(&self) -> bool {
        match (self.annotation, self.cursor.peek()) {
            (None, _) => false,
            (_, None) | (Some(Comment::Line), Some('\n')) => true,
            (Some(Comment::Block), Some('*')) => self.cursor.peek_second() == Some('/'),
            _ => false,
        }
    }

    /// Leaves the comment.
    pub(super) fn leave_annotation(&mut self) {
        if self.annotation.take() == Some(Comment::Block) {
            self.cursor.next();
            self.cursor.next();
        }
    }

    /// Takes a word, if it stands here.
    fn eat_word(&mut self, word: &str) -> bool {
        let mut ahead = self.cursor;
        let found = word.chars().all(|c| ahead.eat(c)) && !ahead.peek().is_some_and(is_name_char);
        if found {
            self.cursor = ahead;
        }
        found
    }
}
