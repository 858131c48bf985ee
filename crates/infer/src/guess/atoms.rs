//! What the engine `horn` has found: comparisons of shared variables in the invariants of its proof.
//!
//! An invariant of `horn` is about a location of a thread. What it says of shared variables alone may
//! hold everywhere, so each comparison and each part of an invariant is a candidate. Formulas are read
//! from the text of the certificate (SMT-LIB).

use std::collections::BTreeMap;

use selvedge_ir::{Program, Property, Shape, Sharing, Type};
use selvedge_verdict::{Options, Run, Verdict};

use super::proofs::mentioned;
use crate::candidate::{Candidate, Site, Why, Word};

/// Candidates at most; short ones first.
const MOST: usize = 40;
/// Longer formulas are nothing for people.
const LONGEST: usize = 80;

/// Asks `horn` for a proof of the assertions, and takes what it says of shared variables. No proof is
/// no reason to stop.
pub fn from_horn(program: &Program, run: &mut Run<'_>) -> Vec<Candidate> {
    let options = Options::<selvedge_horn::Own>::new(&[Property::Assert]);
    let Ok(Verdict::Safe(proof)) = selvedge_horn::verify(program, &options, run) else {
        return Vec::new();
    };
    let Some(certificate) = proof.certificate() else { return Vec::new() };
    let numbers = numbers(program);
    let mut texts: Vec<String> = Vec::new();
    for entry in certificate.relations.iter().flat_map(|relation| &relation.entries) {
        texts.extend(claims(&entry.formula, &numbers));
    }
    texts.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    texts.dedup();
    let candidate = |text: String| {
        let site = Site::File { near: mentioned(program, &text) };
        Candidate { site, word: Word::GlobalInvariant, text, why: Why::Proof }
    };
    texts.into_iter().take(MOST).map(candidate).collect()
}

/// The shared variables that are numbers and have a name.
fn numbers(program: &Program) -> Vec<String> {
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let objects = program.objects.values().filter(|object| {
        let shape = &program.layouts[object.layout].shape;
        object.sharing == Sharing::Shared && matches!(shape, Shape::Scalar(Type::Int(_)))
    });
    objects.map(|object| object.name.clone()).filter(|name| is_name(name)).collect()
}

/// What a formula says of these variables alone: its comparisons, and the parts that it joins by `and`.
fn claims(formula: &str, numbers: &[String]) -> Vec<String> {
    let Some(whole) = parse(formula) else { return Vec::new() };
    let mut found = Vec::new();
    atoms(&whole, numbers, &mut found);
    conjuncts(&whole, numbers, &mut found);
    found.retain(|text| text.len() <= LONGEST);
    found
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Sexp {
    Word(String),
    List(Vec<Sexp>),
}

/// The formula with `let` written out; none where it becomes too large.
fn parse(text: &str) -> Option<Sexp> {
    let words = words(text);
    let mut at = 0;
    let read = read(&words, &mut at)?;
    let mut left = 20_000;
    written_out(&read, &BTreeMap::new(), &mut left)
}

fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '(' | ')' => 1,
            '|' => rest[1..].find('|').map_or(rest.len(), |end| end + 2),
            _ => rest.find(|c: char| c.is_whitespace() || "()".contains(c)).unwrap_or(rest.len()),
        };
        words.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    words
}

fn read(words: &[String], at: &mut usize) -> Option<Sexp> {
    let word = words.get(*at)?;
    *at += 1;
    if word != "(" {
        return Some(Sexp::Word(word.clone()));
    }
    let mut list = Vec::new();
    while words.get(*at)? != ")" {
        list.push(read(words, at)?);
    }
    *at += 1;
    Some(Sexp::List(list))
}

fn written_out(term: &Sexp, bound: &BTreeMap<String, Sexp>, left: &mut usize) -> Option<Sexp> {
    *left = left.checked_sub(1)?;
    match term {
        Sexp::Word(word) => match bound.get(word) {
            Some(value) => {
                *left = left.checked_sub(size(value))?;
                Some(value.clone())
            }
            None => Some(term.clone()),
        },
        Sexp::List(list) => match &list[..] {
            [Sexp::Word(word), Sexp::List(pairs), body] if word == "let" => {
                let mut inner = bound.clone();
                for pair in pairs {
                    let Sexp::List(pair) = pair else { return None };
                    let [Sexp::Word(name), value] = &pair[..] else { return None };
                    inner.insert(name.clone(), written_out(value, bound, left)?);
                }
                written_out(body, &inner, left)
            }
            _ => {
                let all = list.iter().map(|part| written_out(part, bound, left));
                Some(Sexp::List(all.collect::<Option<_>>()?))
            }
        },
    }
}

fn size(term: &Sexp) -> usize {
    match term {
        Sexp::Word(_) => 1,
        Sexp::List(list) => 1 + list.iter().map(size).sum::<usize>(),
    }
}

/// All comparisons.
fn atoms(term: &Sexp, numbers: &[String], found: &mut Vec<String>) {
    let Sexp::List(list) = term else { return };
    match text(term, numbers) {
        Some(text) if comparison(list).is_some() => found.push(text),
        _ => list.iter().for_each(|part| atoms(part, numbers, found)),
    }
}

/// The parts that are joined by `and`.
fn conjuncts(term: &Sexp, numbers: &[String], found: &mut Vec<String>) {
    match term {
        Sexp::List(list) if list.first() == Some(&Sexp::Word("and".into())) => {
            list[1..].iter().for_each(|part| conjuncts(part, numbers, found));
        }
        Sexp::List(_) => found.extend(text(term, numbers)),
        Sexp::Word(_) => {}
    }
}

fn comparison(list: &[Sexp]) -> Option<(&'static str, &Sexp, &Sexp)> {
    let [Sexp::Word(op), left, right] = list else { return None };
    let op = ["<", "<=", ">", ">="].into_iter().find(|known| known == op).or(match op.as_str() {
        "=" => Some("=="),
        _ => None,
    });
    Some((op?, left, right))
}

/// The formula in C's words, where it is about these variables and numbers alone and not of constants
/// only.
fn text(term: &Sexp, numbers: &[String]) -> Option<String> {
    let Sexp::List(list) = term else { return None };
    if let Some((op, left, right)) = comparison(list) {
        let ordered = order(op, left, right, numbers);
        if let Some(text) = ordered.or_else(|| order(turned(op), right, left, numbers)) {
            return Some(text);
        }
        let (left, right) = (number(left, numbers)?, number(right, numbers)?);
        return Some(match left.parse::<i128>().is_ok() {
            // A variable stands on the left.
            true if right.parse::<i128>().is_ok() => return None,
            true => format!("{right} {} {left}", turned(op)),
            false => format!("{left} {op} {right}"),
        });
    }
    let (Sexp::Word(op), parts) = list.split_first()? else { return None };
    let parts = || parts.iter().map(|part| text(part, numbers)).collect::<Option<Vec<_>>>();
    match op.as_str() {
        "and" => Some(format!("({})", parts()?.join(" && "))),
        "or" => Some(format!("({})", parts()?.join(" || "))),
        "not" => Some(format!("!({})", parts()?.first()?)),
        "=>" => match &parts()?[..] {
            [left, right] => Some(format!("(!({left}) || {right})")),
            _ => None,
        },
        _ => None,
    }
}

/// A difference compared with a number as the order of two variables: `high + -1 * low > -1` is
/// `high >= low`.
fn order(op: &str, left: &Sexp, right: &Sexp, numbers: &[String]) -> Option<String> {
    let Sexp::List(sum) = left else { return None };
    let [Sexp::Word(plus), first, second] = &sum[..] else { return None };
    let (one, other) = match (negated(first), negated(second)) {
        (None, Some(other)) => (first, other),
        (Some(other), None) => (second, other),
        _ => return None,
    };
    if plus != "+" {
        return None;
    }
    let op = match (op, number(right, numbers)?.as_str()) {
        (">", "-1") | (">=", "0") => ">=",
        (">", "0") | (">=", "1") => ">",
        ("<", "1") | ("<=", "0") => "<=",
        ("<", "0") | ("<=", "-1") => "<",
        ("==", "0") => "==",
        _ => return None,
    };
    Some(format!("{} {op} {}", number(one, numbers)?, number(other, numbers)?))
}

/// The term of which this is the negative.
fn negated(term: &Sexp) -> Option<&Sexp> {
    let Sexp::List(product) = term else { return None };
    match &product[..] {
        [Sexp::Word(times), factor, other] if times == "*" => {
            (number(factor, &[])? == "-1").then_some(other)
        }
        _ => None,
    }
}

fn turned(op: &str) -> &str {
    match op {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        other => other,
    }
}

fn number(term: &Sexp, numbers: &[String]) -> Option<String> {
    match term {
        Sexp::Word(word) => {
            let plain = word.trim_matches('|');
            let known = numbers.iter().any(|name| name == plain) || plain.parse::<i64>().is_ok();
            known.then(|| plain.to_owned())
        }
        Sexp::List(list) => {
            let (Sexp::Word(op), parts) = list.split_first()? else { return None };
            let parts: Option<Vec<String>> =
                parts.iter().map(|part| number(part, numbers)).collect();
            match (op.as_str(), &parts?[..]) {
                ("-", [one]) => Some(match one.parse::<i64>() {
                    Ok(_) => format!("-{one}"),
                    Err(_) => format!("(-{one})"),
                }),
                ("+" | "-" | "*", parts) => Some(format!("({})", parts.join(&format!(" {op} ")))),
                _ => None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(formula: &str) -> Vec<String> {
        claims(formula, &["lo".to_owned(), "hi".to_owned()])
    }

    #[test]
    fn comparisons_of_shared_variables_are_taken() {
        let formula = "(let ((?0 (<= 0 lo))) (and ?0 (<= lo hi) (< |t!n#2| lo)))";
        assert_eq!(said(formula), ["lo >= 0", "lo <= hi", "lo >= 0", "lo <= hi"]);
        assert_eq!(said("(= (+ lo hi) (- 3))")[0], "(lo + hi) == -3");
        assert_eq!(said("(<= (+ (* (- 1) hi) lo) 0)")[0], "lo <= hi");
        assert_eq!(said("(>= 0 (+ (* (- 1) hi) lo))")[0], "lo <= hi");
        assert_eq!(said("(> (+ hi (* (- 1) lo)) (- 1))")[0], "hi >= lo");
    }

    #[test]
    fn alternatives_are_taken_as_a_whole() {
        let found = said("(and (or (< lo 1) (not (= hi 2))) (or t!done (< lo 5)))");
        assert_eq!(found, ["lo < 1", "hi == 2", "lo < 5", "(lo < 1 || !(hi == 2))"]);
    }

    #[test]
    fn what_is_no_formula_says_nothing() {
        assert_eq!(said("(and (<= lo"), Vec::<String>::new());
        assert_eq!(said("false"), Vec::<String>::new());
        assert_eq!(said("(< 1 2)"), Vec::<String>::new());
    }
}
