//! What constructs of C become. Programs are given as text and compared in Plato's text form, with
//! the places taken off.

mod annotations;
mod atomics;
mod expressions;
mod input;
mod memory;
mod specifications;
mod statements;

use selvedge_ir::{Property, text};

use crate::{Options, compile_text};

/// The program as text, without places; it must be well-formed, and parse back to itself.
fn plato_with(source: &str, options: &Options) -> String {
    let compiled = compile_text("test.c", source, options).unwrap_or_else(|failure| {
        panic!("{}", selvedge_c_syntax::render(&failure.diagnostics, &failure.sources, false))
    });
    let violations = selvedge_ir::check::check(&compiled.program);
    let listing = selvedge_ir::check::listing(&compiled.program, &violations);
    assert!(violations.is_empty(), "{listing}");
    let printed = text::print(&compiled.program);
    let parsed = text::parse("test.plato", &printed).unwrap_or_else(|e| panic!("{e:?}\n{printed}"));
    assert_eq!(text::print(&parsed), printed);
    without_places(&printed)
}

fn plato(source: &str) -> String {
    plato_with(source, &Options::default())
}

fn without_places(text: &str) -> String {
    let line = |line: &str| match line.find(" @f") {
        Some(at) => {
            let rest = &line[at + 1..];
            let end = rest.find([';', ' ']).unwrap_or(rest.len());
            format!("{}{}\n", &line[..at], &rest[end..])
        }
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// One procedure's lines.
fn procedure(source: &str, name: &str) -> String {
    body_of(&plato(source), name)
}

fn body_of(program: &str, name: &str) -> String {
    let start = program.find(&format!("procedure {name}(")).unwrap_or_else(|| panic!("{program}"));
    let rest = &program[start..];
    let end = rest.find("\n}").map_or(rest.len(), |end| end + 2);
    rest[..end].to_owned()
}

/// The actions of a procedure, in order, without locations.
fn actions(source: &str, name: &str) -> Vec<String> {
    actions_in(&procedure(source, name))
}

fn actions_in(procedure: &str) -> Vec<String> {
    let lines = procedure.lines().filter(|line| line.contains(" -> L"));
    lines
        .map(|line| {
            let line = line.trim();
            let line = match line.split_once(": ") {
                Some((location, rest))
                    if location.starts_with('L')
                        || location.starts_with("entry L")
                        || location.starts_with("atomic L") =>
                {
                    rest
                }
                _ => line,
            };
            line.rsplit_once(" -> L").map_or(line, |(action, _)| action).to_owned()
        })
        .collect()
}

/// The messages about a program that is rejected.
fn errors(source: &str) -> Vec<String> {
    match compile_text("test.c", source, &Options::default()) {
        Ok(_) => Vec::new(),
        Err(failure) => {
            failure.diagnostics.iter().filter(|d| d.is_error()).map(|d| d.message.clone()).collect()
        }
    }
}

fn checking(properties: &[Property]) -> Options {
    Options { properties: properties.to_vec(), ..Options::default() }
}
