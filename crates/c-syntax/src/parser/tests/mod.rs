//! Tests of the parser, by construct.

mod declarations;
mod errors;
mod expressions;
mod limits;
mod statements;

use crate::{SourceMap, parse, render, show};

/// The tree of a program without any diagnostic.
fn tree(text: &str) -> String {
    let mut sources = SourceMap::new();
    let source = sources.add("t.c", text);
    let parsed = parse(source, &sources);
    assert!(parsed.diagnostics.is_empty(), "{}", render(&parsed.diagnostics, &sources, false));
    on_one_line(&show(&parsed.unit, &sources))
}

/// Each item of a tree on a line of its own, the statements of a block behind each other.
fn on_one_line(tree: &str) -> String {
    let mut text = String::new();
    for line in tree.lines() {
        let inside = line.starts_with(' ');
        let line = line.trim_start();
        text += match (inside, text.ends_with('{'), line.starts_with('}')) {
            (_, true, _) | (_, _, true) => "",
            (true, ..) => "; ",
            (false, ..) if text.is_empty() => "",
            (false, ..) => "\n",
        };
        text += line;
    }
    text
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
