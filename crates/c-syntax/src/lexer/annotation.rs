//! Annotations: the clauses of comments that begin with `@`, as in `/*@ loop invariant e; */` and
//! `//@ predicate e;`.
//!
//! This is the only place that reads them. A comment is a list of clauses, each a few words, then
//! something that ends in `;`. [`CLAUSES`] names the clauses that are read. They are read in one of
//! two ways:
//! - as tokens, where the clause belongs to a place in the program and is written in C: a keyword
//!   stands for the words, and the tokens up to `;` are set aside, where the parser takes them from;
//! - as text, where the clause speaks of the program as a whole or has a syntax of its own: it
//!   becomes an [`Annotation`] of the translation unit.
//!
//! Every other clause is ignored, since comments of this form are also written for other tools.

use std::rc::Rc;

use super::aside::{Aside, Clause};
use super::cursor::without_splices;
use super::name::is_name_char;
use super::scan::{Comment, Scanner};
use super::specification::may_have_specifications;
use super::{Keyword, Punct, Token, TokenKind};
use crate::ast::specification::{EXISTS, FORALL};
use crate::ast::{Annotation, Span};
use crate::diagnostic::Diagnostic;

/// How a clause is read.
#[derive(Clone, Copy)]
enum Reading {
    /// As tokens after a keyword.
    Tokens(Keyword),
    /// As text, up to the `;`.
    Text(fn(Box<str>, Span) -> Annotation),
}

/// The clauses that are read, by their words.
const CLAUSES: [(&[&str], Reading); 3] = [
    (&["assert"], Reading::Tokens(Keyword::AssertClause)),
    (&["loop", "invariant"], Reading::Tokens(Keyword::LoopInvariant)),
    (&["predicate"], Reading::Text(|text, span| Annotation::Predicate { text, span })),
];

/// Whether a text may have an annotation that is read. It may say yes where there is none.
pub(crate) fn may_have_annotations(text: &str, specifications: bool) -> bool {
    let words = |words: &[&str]| words.iter().all(|word| text.contains(word));
    let clauses = || CLAUSES.iter().any(|(them, _)| words(them));
    (text.contains("/*@") || text.contains("//@"))
        && (clauses() || specifications && may_have_specifications(text))
}

impl Scanner<'_> {
    /// Reads a comment that begins with `@` here. True if a clause of it is read as tokens, which
    /// then come next; otherwise the cursor stays before the comment.
    pub(super) fn enter_annotation(&mut self, comment: Comment) -> bool {
        let start = self.cursor;
        self.cursor.next();
        self.cursor.next();
        if self.cursor.eat('@') {
            if self.begin_aside(comment, start.at()) {
                return true;
            }
            self.annotation = Some(comment);
            if self.next_clause() {
                return true;
            }
        }
        self.annotation = None;
        self.cursor = start;
        false
    }

    /// Goes to the next clause that is read as tokens, if there is one, and makes its keyword.
    pub(super) fn next_clause(&mut self) -> bool {
        loop {
            self.skip_annotation_blanks();
            if self.at_annotation_end() {
                return false;
            }
            let start = self.cursor.at();
            let found = CLAUSES.iter().find(|(words, _)| self.eat_words(words));
            match found.map(|(_, reading)| *reading) {
                Some(Reading::Tokens(keyword)) => {
                    self.push(TokenKind::Keyword(keyword), start);
                    let first = self.lexed.tokens.len();
                    self.clause = Some(Clause { first, start });
                    return true;
                }
                Some(Reading::Text(make)) => self.text_clause(start, make),
                None => {
                    let ghost = self.eat_words(&["ghost"]);
                    let start = self.cursor.at();
                    self.skip_past_semicolon();
                    if ghost {
                        let text = on_one_line(self.cursor.since(start));
                        self.lexed.specified.extend(declared(&text).map(Rc::from));
                    }
                }
            }
        }
    }

    /// Sets the tokens of a clause aside, with macros applied. Its keyword stays among those of the
    /// program.
    pub(super) fn end_clause(&mut self) {
        let Some(Clause { first, start }) = self.clause.take() else { return };
        let span = self.span(start);
        let tokens = self.lexed.tokens.split_off(first);
        let (mut tokens, mut spelled) = self.expanded(&tokens);
        let last = Span { start: span.end, ..span };
        tokens.push(Token { kind: TokenKind::End, span: last, first_of_line: false });
        spelled.push(last);
        self.lexed.clauses.push(Aside { tokens, spelled, at: first, beside: false, span });
    }

    /// Whether a `;` belongs to the quantifier before it: each has one.
    pub(super) fn in_quantifier(&self) -> bool {
        let Some(Clause { first, .. }) = self.clause else { return false };
        let tokens = &self.lexed.tokens[first..];
        let is = |token: &Token| match token.kind {
            TokenKind::Ident(symbol) => {
                matches!(&*self.lexed.names[symbol.0 as usize], FORALL | EXISTS)
            }
            _ => false,
        };
        let semicolon = |token: &Token| token.kind == TokenKind::Punct(Punct::Semicolon);
        let quantifiers = tokens.iter().filter(|token| is(token)).count();
        tokens.iter().filter(|token| semicolon(token)).count() <= quantifiers
    }

    /// The rest of a clause that is read as text.
    fn text_clause(&mut self, clause: u32, make: fn(Box<str>, Span) -> Annotation) {
        self.skip_annotation_blanks();
        let start = self.cursor.at();
        let closed = self.skip_past_semicolon();
        let all = self.cursor.since(start);
        let raw = if closed { &all[..all.len() - 1] } else { all }.trim_end();
        let span = Span { end: start + raw.len() as u32, ..self.span(start) };
        let text = on_one_line(raw);
        let wrong = if !closed {
            ("this clause has no `;` at its end", "a clause of an annotation ends in `;`")
        } else if text.is_empty() {
            ("this clause is empty", "write a formula before the `;`")
        } else {
            return self.lexed.annotations.push(make(text, span));
        };
        let words = Span { start: clause, ..span };
        let error = Diagnostic::error("annotation", wrong.0).at(words).help(wrong.1);
        self.lexed.diagnostics.push(error);
    }

    /// Goes past the next `;` of the comment; false if there is none.
    fn skip_past_semicolon(&mut self) -> bool {
        while !self.at_annotation_end() {
            if self.cursor.next() == Some(';') {
                return true;
            }
        }
        false
    }

    /// Skips blanks, the `@` that may begin each line of a block, and `// ...`.
    pub(super) fn skip_annotation_blanks(&mut self) {
        while !self.at_annotation_end() {
            match (self.cursor.peek(), self.cursor.peek_second()) {
                (Some('/'), Some('/')) => {
                    while !self.at_annotation_end() && self.cursor.peek() != Some('\n') {
                        self.cursor.next();
                    }
                }
                (Some(c), _) if c == '@' || c.is_whitespace() => {
                    self.cursor.next();
                }
                _ => return,
            }
        }
    }

    /// Whether the annotation that is read ends here.
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
        self.end_clause();
        self.end_aside();
        if self.annotation.take() == Some(Comment::Block) {
            self.cursor.next();
            self.cursor.next();
        }
    }

    /// Takes the words, if they stand here.
    fn eat_words(&mut self, words: &[&str]) -> bool {
        let start = self.cursor;
        for word in words {
            self.skip_annotation_blanks();
            let found = word.chars().all(|c| self.cursor.eat(c));
            if !found || self.cursor.peek().is_some_and(is_name_char) {
                self.cursor = start;
                return false;
            }
        }
        true
    }
}

/// The names that a clause declares, as `int a = 0, *b;` does. An update declares nothing.
fn declared(clause: &str) -> impl Iterator<Item = &str> {
    let before_value = |part: &str| part.split('=').next().map_or(0, str::len);
    let first = before_value(clause);
    let target = clause[..first].split('[').next().unwrap_or("").trim();
    let update = target.contains("->") || target.contains('.') || target.chars().all(is_name_char);
    // The commas of `\\map<thread, int>` part nothing.
    let mut depth = 0;
    let parts = clause.split(move |c: char| {
        depth += i32::from(matches!(c, '<' | '(' | '[')) - i32::from(matches!(c, '>' | ')' | ']'));
        depth == 0 && c == ','
    });
    let name = move |part| {
        let part: &str = &part[..before_value(part)];
        let part = part.split('[').next().unwrap_or("");
        part.trim_matches(|c: char| !is_name_char(c)).rsplit(|c: char| !is_name_char(c)).next()
    };
    parts.filter_map(name).filter(move |name| !update && !name.is_empty())
}

/// The text without line breaks, and without the `@` that may begin a line.
fn on_one_line(raw: &str) -> Box<str> {
    let text = without_splices(raw);
    let lines = text.lines().map(|line| line.trim().trim_start_matches('@').trim());
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ").into()
}

#[cfg(test)]
mod tests {
    use super::super::lex;
    use super::*;
    use crate::lexer::Lexed;

    /// The predicates of a text, each with what its span covers.
    fn predicates(text: &str) -> Vec<(String, &str)> {
        let lexed = lex(0, text, false);
        assert!(lexed.diagnostics.is_empty(), "{text}\n{:?}", lexed.diagnostics);
        let found = lexed.annotations.iter().map(|Annotation::Predicate { text: read, span }| {
            (read.to_string(), &text[span.start as usize..span.end as usize])
        });
        found.collect()
    }

    fn messages(text: &str) -> Vec<String> {
        let Lexed { diagnostics, .. } = lex(0, text, false);
        diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect()
    }

    #[test]
    fn finds_predicates_in_comments() {
        let text = "int x; /*@ predicate l != \\other(l);\n  predicate  x > 0; requires y; */\n\
                    //@ predicate s == l;\nchar *t = \"/*@ predicate a; */\"; // predicate b;\n\
                    char q = '\"'; //@ predicate c == 'é' ;";
        let found = predicates(text);
        let texts: Vec<&str> = found.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, ["l != \\other(l)", "x > 0", "s == l", "c == 'é'"]);
        assert!(found.iter().all(|(text, spanned)| text == spanned), "{found:?}");
    }

    #[test]
    fn a_predicate_may_go_over_several_lines() {
        let text =
            "/*@ predicate a\n  @   && b; // why\n  @ predicate c; */\n//@ predicate d \\\n > 0;\n";
        let found = predicates(text);
        let texts: Vec<&str> = found.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, ["a && b", "c", "d  > 0"]);
        assert_eq!(found[0].1, "a\n  @   && b");
    }

    #[test]
    fn clauses_of_both_kinds_stand_in_one_comment() {
        let text = "/*@ predicate a; loop invariant x > 0; assigns x; predicate b; */ while";
        let lexed = lex(0, text, false);
        assert_eq!(lexed.annotations.len(), 2);
        let spellings = lexed.tokens.iter().map(|token| {
            let Span { start, end, .. } = token.span;
            &text[start as usize..end as usize]
        });
        let expected = ["loop invariant", "while", ""];
        assert_eq!(spellings.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn other_clauses_are_passed_over() {
        let text =
            "/*@ requires a; predicates b; ensures c */ //@ loop assigns i;\n/*@*/ //@\nint x;";
        assert!(predicates(text).is_empty());
    }

    #[test]
    fn an_incomplete_predicate_is_an_error() {
        for text in ["/*@ predicate a */", "//@ predicate", "/*@ predicate a; predicate b */"] {
            assert_eq!(messages(text), ["this clause has no `;` at its end"], "{text}");
        }
        assert_eq!(messages("//@ predicate ;"), ["this clause is empty"]);
        let unclosed = messages("/*@ predicate a;");
        assert_eq!(unclosed, ["this comment is never closed"]);
    }

    #[test]
    fn variables_of_passed_over_specifications_have_names() {
        let text = "/*@ ghost int a = 0, *b; ghost \\map<thread, int> turns;\n  ghost c[2] = 3; */
                    //@ ghost struct s d[3]; ghost l->e = 1; ghost f = g + h;
                    int x; //@ unghost int i; assert x > 0;";
        let names = |specifications| lex(0, text, specifications).specified;
        assert_eq!(names(false).iter().map(|n| &**n).collect::<Vec<_>>(), ["a", "b", "turns", "d"]);
        assert!(names(true).is_empty());
    }

    #[test]
    fn texts_without_annotations_are_told_apart() {
        assert!(may_have_annotations("/*@ predicate a; */", false));
        assert!(may_have_annotations("//@ loop  invariant a;", false));
        assert!(!may_have_annotations("/*@ requires a; */ // a formula", false));
        assert!(!may_have_annotations("/* predicate a; */", false));
    }
}
