//! Tests of the parser, by construct.

mod declarations;
mod errors;
mod expressions;
mod limits;
mod show;
mod statements;

use crate::{SourceMap, parse, render};

/// The tree of a program without any diagnostic.
fn tree(text: &str) -> String {
    let mut sources = SourceMap::new();
    let source = sources.add("t.c", text);
    let parsed = parse(source, &sources);
    assert!(parsed.diagnostics.is_empty(), "{}", render(&parsed.diagnostics, &sources, false));
    show::unit(&parsed.unit)
}

/// Checks the tree of a whole program.
#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(tree(text), expected);
}

/// Checks the tree of statements inside a function `void f(void) { ... }`.
#[track_caller]
fn check_body(text: &str, expected: &str) {
    let program = format!("void f(void) {{ {text} }}");
    let tree = tree(&program);
    let body = tree.strip_prefix("f: function() to void {").and_then(|it| it.strip_suffix('}'));
    assert_eq!(body, Some(expected), "{tree}");
}

/// The messages about a program, as they are shown.
fn messages(text: &str) -> String {
    let mut sources = SourceMap::new();
    let source = sources.add("t.c", text);
    render(&parse(source, &sources).diagnostics, &sources, false)
}
