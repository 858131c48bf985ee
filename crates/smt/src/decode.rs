//! Z3's models as values, and its formulas as terms.

use std::collections::BTreeMap;
use std::sync::Arc;

use z3::DeclKind;
use z3::ast::{Ast, Dynamic};

use crate::answer::{Model, Reason};
use crate::print::internal;
use crate::sort::Sort;
use crate::term::{Term, Terms};
use crate::value::{ArrayValue, Value};

/// The values of the variables that the arena knows; Z3's own helpers are left out.
pub(crate) fn model(terms: &Terms, found: &z3::Model) -> Result<Model, Reason> {
    let mut model = Model::new();
    for decl in found.iter().filter(|decl| decl.arity() == 0) {
        let Some(variable) = terms.lookup(internal(&decl.name())) else { continue };
        let Some(value) = found.get_const_interp(&decl.apply(&[])) else { continue };
        model.set(variable, self::value(terms, found, &value, terms.sort(variable))?);
    }
    Ok(model)
}

/// A closed term of Z3 as a value.
pub(crate) fn value(
    terms: &Terms,
    model: &z3::Model,
    term: &Dynamic,
    sort: Sort,
) -> Result<Value, Reason> {
    let read = match sort {
        Sort::Bool => term.as_bool().and_then(|b| b.as_bool()).map(Value::Bool),
        Sort::Int => term.as_int().and_then(|int| match int.as_i64() {
            Some(small) => Some(Value::int(small)),
            None => number(&term.to_string()).map(Value::Int),
        }),
        Sort::BitVec(width) => term.as_bv().and_then(|bv| match bv.as_u64() {
            Some(small) => Some(Value::bv(u128::from(small), width)),
            None => word(&term.to_string()).map(|bits| Value::bv(bits, width)),
        }),
        Sort::Array(_) => return array(terms, model, term, sort),
    };
    read.ok_or_else(|| unreadable(term))
}

/// `5` or `(- 5)`.
fn number(text: &str) -> Option<num_bigint::BigInt> {
    match text.strip_prefix("(- ").and_then(|rest| rest.strip_suffix(')')) {
        Some(digits) => digits.parse::<num_bigint::BigInt>().ok().map(|value| -value),
        None => text.parse().ok(),
    }
}

fn word(text: &str) -> Option<u128> {
    match (text.strip_prefix("#x"), text.strip_prefix("#b")) {
        (Some(digits), _) => u128::from_str_radix(digits, 16).ok(),
        (_, Some(digits)) => u128::from_str_radix(digits, 2).ok(),
        _ => None,
    }
}

/// A chain of stores on a constant array, or a function given as a table.
fn array(terms: &Terms, model: &z3::Model, term: &Dynamic, sort: Sort) -> Result<Value, Reason> {
    let (index_sort, element_sort) = terms.array_parts(sort);
    let mut entries = Vec::new();
    let mut below = term.clone();
    let default = loop {
        match below.safe_decl().map(|decl| decl.kind()) {
            Ok(DeclKind::Store) if below.num_children() == 3 => {
                let children = below.children();
                let index = value(terms, model, &children[1], index_sort)?;
                entries.push((index, value(terms, model, &children[2], element_sort)?));
                below = children[0].clone();
            }
            Ok(DeclKind::ConstArray) => {
                break value(terms, model, &below.children()[0], element_sort)?;
            }
            Ok(DeclKind::AsArray) => {
                let table = below.as_array().and_then(|array| array.as_array_func_decl());
                let table = table.and_then(|decl| model.get_func_interp(&decl));
                let table = table.ok_or_else(|| unreadable(term))?;
                for entry in table.get_entries() {
                    let [index] = entry.get_args().try_into().map_err(|_| unreadable(term))?;
                    let index = value(terms, model, &index, index_sort)?;
                    let element = value(terms, model, &entry.get_value(), element_sort)?;
                    entries.push((index, element));
                }
                let other = table.get_else().ok_or_else(|| unreadable(term))?;
                break value(terms, model, &other, element_sort)?;
            }
            _ => return Err(unreadable(term)),
        }
    };
    // Outer stores come first and hide inner ones.
    let mut map = BTreeMap::new();
    for (index, element) in entries.into_iter().rev() {
        map.insert(index, element);
    }
    map.retain(|_, element| *element != default);
    Ok(Value::Array(Arc::new(ArrayValue { default, entries: map })))
}

/// A formula as a term, if it has no other variables than the arena.
pub(crate) fn formula(terms: &mut Terms, formula: &impl Ast) -> Result<Term, Reason> {
    let text = format!("{formula:?}");
    terms.read(&text).map_err(|error| Reason::Unreadable(error.0))
}

fn unreadable(term: &Dynamic) -> Reason {
    let mut text = term.to_string();
    if let Some((end, _)) = text.char_indices().nth(200) {
        text.truncate(end);
    }
    Reason::Unreadable(text)
}
