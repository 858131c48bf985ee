//! Random C programs of our own.
//!
//! A program is a list of global names and a function `program$` that returns a checksum of all
//! that the program has computed. It is a function of [`Choices`], so it can be shrunk by its
//! choices. Sequential programs have what csmith leaves out (jumps in and out of scopes, arrays of
//! variable length, compound literals, lifetimes, attributes, strings, undefined behaviour here and
//! there); programs with threads come from `threads`.

mod effects;
mod expr;
mod faults;
mod function;
mod jumps;
mod library;
mod scope;
mod statement;
mod threads;
mod types;

use crate::choices::Choices;
use scope::Maker;

/// What is known of a program's executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One thread, and C fixes the order of whatever matters.
    Sequential,
    /// One thread, and C allows several orders that can differ.
    Unordered,
    Threads,
}

/// A program; global names end in `$`.
#[derive(Clone, Debug)]
pub struct Source {
    pub text: String,
    pub kind: Kind,
}

/// The program that these choices make.
pub fn program(choices: &mut Choices) -> Source {
    match choices.below(4) {
        3 => threads::program(choices),
        _ => sequential(choices),
    }
}

const HEAD: &str = "\
static unsigned sum$;
static void mix$(unsigned long long v) {
  sum$ = sum$ * 31u + (unsigned)v + (unsigned)(v >> 32) * 7u;
}
";

fn sequential(choices: &mut Choices) -> Source {
    let mut maker = Maker::new(choices);
    maker.globals += HEAD;
    maker.helpers();
    maker.records();
    maker.global_variables();
    maker.functions();
    let body = maker.main_body();
    let kind = if maker.unordered { Kind::Unordered } else { Kind::Sequential };
    let text =
        format!("{}static unsigned program$(void) {{\n{body}  return sum$;\n}}\n", maker.globals);
    Source { text, kind }
}
