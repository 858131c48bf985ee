//! Predicates in the comments of sources: `/*@ predicate l != \other(l); */` or `//@ predicate ...;`.
//!
//! The preprocessor drops comments, so they are looked for in the files themselves.

/// A predicate, and the bytes that it stands at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    pub text: String,
    pub start: usize,
    pub end: usize,
}

const KEYWORD: &str = "predicate";

/// All predicates of a source, in their order.
pub fn predicates(source: &str) -> Vec<Annotation> {
    let mut found = Vec::new();
    for (start, comment) in comments(source) {
        let mut at = 0;
        for clause in comment.split_inclusive(';') {
            let text = clause.trim_start();
            let begin = start + at + (clause.len() - text.len());
            at += clause.len();
            let Some(rest) = text.strip_prefix(KEYWORD) else { continue };
            if !rest.starts_with(char::is_whitespace) || !rest.ends_with(';') {
                continue;
            }
            let body = rest.trim_end_matches(';').trim();
            let from = begin + text.len() - rest.trim_start().len();
            let end = from + body.len();
            found.push(Annotation { text: body.to_string(), start: from, end });
        }
    }
    found
}

/// The insides of comments that begin with `@`, and where they start.
fn comments(source: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = source.get(at..) {
        let Some(first) = rest.chars().next() else { break };
        let length = if let Some(inside) = rest.strip_prefix("/*") {
            let length = inside.find("*/").unwrap_or(inside.len());
            note(&mut found, at + 2, &inside[..length]);
            (length + 4).min(rest.len())
        } else if let Some(inside) = rest.strip_prefix("//") {
            let length = inside.find('\n').unwrap_or(inside.len());
            note(&mut found, at + 2, &inside[..length]);
            length + 2
        } else if first == '"' || first == '\'' {
            literal(rest, first)
        } else {
            first.len_utf8()
        };
        at += length;
    }
    found
}

fn note<'a>(found: &mut Vec<(usize, &'a str)>, start: usize, inside: &'a str) {
    if let Some(text) = inside.strip_prefix('@') {
        found.push((start + 1, text));
    }
}

/// The length of a literal, to its closing quote or the end of its line.
fn literal(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return at,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<String> {
        let check = |annotation: Annotation| {
            assert_eq!(&source[annotation.start..annotation.end], annotation.text);
            annotation.text
        };
        predicates(source).into_iter().map(check).collect()
    }

    #[test]
    fn finds_predicates_in_comments() {
        let source = "int x; /*@ predicate l != \\other(l);\n  predicate  x > 0; requires y; */\n\
                      //@ predicate s == l;\nchar *t = \"/*@ predicate a; */\"; // predicate b;\n\
                      char q = '\"'; //@ predicate c == 'é' ;";
        assert_eq!(texts(source), ["l != \\other(l)", "x > 0", "s == l", "c == 'é'"]);
    }

    #[test]
    fn broken_comments_are_survived() {
        for source in ["/*@ predicate a", "//@ predicate", "\"", "/*@", "/*@ predicate a; b", "'\\"]
        {
            assert!(texts(source).len() <= 1, "{source}");
        }
    }
}
