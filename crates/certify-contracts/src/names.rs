//! The names that a fact at the head of a loop can use.
//!
//! | name | sort | what |
//! |---|---|---|
//! | `tid`, `main` | Int | the thread that runs the procedure, the first thread of the program |
//! | `$x` | by type | the local x; of a pointer `$x.object` and `$x.offset` |
//! | `^x` | by type | the parameter x as it was at the entry, likewise |
//! | `@T` | Array of Array | memory at the scalar type T: from object to offset to value; of pointers `@ptr.object` and `@ptr.offset` |
//! | `@owner` | Array | the thread whose own an object is, 0 if several may know it |
//!
//! Integers stand for machine integers, threads (0 for none) and objects. Null is object 0 at offset 0,
//! the globals are the objects from 1 on in the order of the program, then come its procedures, then
//! what is allocated.

use selvedge_ir::{Local, Type};
use selvedge_smt::translate::{Sym, Types};
use selvedge_smt::{Sort, Term, Terms};

pub const TID: &str = "tid";
pub const MAIN: &str = "main";
pub const OWNER: &str = "@owner";

/// A local, as a fact names it.
pub fn local(terms: &mut Terms, types: Types, local: &Local) -> Sym {
    types.variable(terms, &format!("${}", plain(&local.name)), local.ty)
}

/// A parameter at the entry.
pub fn parameter(terms: &mut Terms, types: Types, local: &Local) -> Sym {
    types.variable(terms, &format!("^{}", plain(&local.name)), local.ty)
}

/// Memory at a type: one map, or for pointers two.
pub fn maps(terms: &mut Terms, types: Types, ty: Type) -> Vec<Term> {
    let sorts = types.sorts(ty);
    let ends: &[&str] = if sorts.len() == 1 { &[""] } else { &[".object", ".offset"] };
    let named = sorts.iter().zip(ends).map(|(&sort, end)| {
        let row = terms.array_sort(Sort::Int, sort);
        let map = terms.array_sort(Sort::Int, row);
        terms.var(&format!("@{ty}{end}"), map)
    });
    named.collect()
}

pub fn owner(terms: &mut Terms) -> Term {
    let sort = terms.array_sort(Sort::Int, Sort::Int);
    terms.var(OWNER, sort)
}

/// What the language of formulas can quote.
pub(crate) fn plain(name: &str) -> String {
    name.replace(['|', '\\'], "_")
}
