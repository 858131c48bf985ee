//! Predicates as people write them: C's comparisons over the names of shared variables and locals,
//! and `\other(l)` for the local of a passive thread.
//!
//! A name that threads of several templates have is read for each of them.

use std::fmt;

use selvedge_smt::{Sort, Term};
use selvedge_system::{System, TemplateId, Variable};

use super::formula::Predicate;
use super::vocabulary::Vocabulary;

/// Why a text is no predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// There is no variable of this name; no local, where one is needed.
    Unknown {
        name: String,
        local: bool,
    },
    Wrong(String),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreadable::Unknown { name, local: true } => {
                write!(f, "there is no local variable `{name}`")
            }
            Unreadable::Unknown { name, .. } => write!(f, "there is no variable `{name}`"),
            Unreadable::Wrong(what) => f.write_str(what),
        }
    }
}

fn wrong<T>(what: impl Into<String>) -> Result<T, Unreadable> {
    Err(Unreadable::Wrong(what.into()))
}

/// All readings of a text.
pub fn parse(
    system: &mut System,
    vocabulary: &Vocabulary,
    text: &str,
) -> Result<Vec<Predicate>, Unreadable> {
    let tokens = tokens(text)?;
    let mut found = Vec::new();
    let mut errors = Vec::new();
    let threads = || (0..system.templates.len() as u32).map(TemplateId);
    let pairs: Vec<_> = threads().flat_map(|a| threads().map(move |p| (a, p))).collect();
    for (active, passive) in pairs {
        let mut reader = Reader {
            system: &mut *system,
            vocabulary,
            tokens: &tokens,
            next: 0,
            active,
            passive,
            unknown: None,
        };
        match reader.all() {
            Ok(formula) => {
                let Some(known) = Predicate::new(system, vocabulary, formula) else {
                    return wrong("a predicate speaks of one thread, or of two");
                };
                let new = Predicate { text: text.trim().to_string(), ..known };
                if !found.contains(&new) {
                    found.push(new);
                }
            }
            Err(error) => errors.push(error),
        }
    }
    if !found.is_empty() {
        return Ok(found);
    }
    // What is wrong for every thread is worth more than a name that one of them does not have.
    errors.sort_by_key(|error| matches!(error, Unreadable::Unknown { .. }));
    Err(errors.into_iter().next().unwrap_or(Unreadable::Wrong("there is no thread".into())))
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Name(String),
    Number(i128),
    Sign(&'static str),
}

const SIGNS: [&str; 15] =
    ["&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "+", "-", "*", "(", ")", "\\other"];

fn tokens(text: &str) -> Result<Vec<Token>, Unreadable> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let part = |end: fn(char) -> bool| rest.find(end).unwrap_or(rest.len());
        let length = if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            found.push(Token::Sign(sign));
            sign.len()
        } else if first.is_ascii_digit() {
            let end = part(|c| !c.is_ascii_digit());
            let Ok(number) = rest[..end].parse() else {
                return wrong(format!("`{}` is too large", &rest[..end]));
            };
            found.push(Token::Number(number));
            end
        } else if first.is_alphabetic() || first == '_' {
            let end = part(|c| !c.is_alphanumeric() && !"_.[]!@$".contains(c));
            found.push(Token::Name(rest[..end].to_string()));
            end
        } else {
            return wrong(format!("`{first}` is not understood"));
        };
        rest = rest[length..].trim_start();
    }
    Ok(found)
}

struct Reader<'a> {
    system: &'a mut System,
    vocabulary: &'a Vocabulary,
    tokens: &'a [Token],
    next: usize,
    active: TemplateId,
    passive: TemplateId,
    /// The first name that stands for nothing. It is read as 0, so that other mistakes are found.
    unknown: Option<Unreadable>,
}

type Read = Result<Term, Unreadable>;

impl Reader<'_> {
    fn all(&mut self) -> Read {
        let formula = self.disjunction()?;
        if self.next < self.tokens.len() {
            return wrong(format!("{} is too much", self.here()));
        }
        match self.unknown.take() {
            Some(unknown) => Err(unknown),
            None => Ok(formula),
        }
    }

    fn here(&self) -> String {
        match self.tokens.get(self.next) {
            Some(Token::Name(name)) => format!("`{name}`"),
            Some(Token::Number(number)) => format!("`{number}`"),
            Some(Token::Sign(sign)) => format!("`{sign}`"),
            None => "the end".into(),
        }
    }

    fn sign(&mut self, wanted: &'static str) -> bool {
        let found = self.tokens.get(self.next) == Some(&Token::Sign(wanted));
        self.next += usize::from(found);
        found
    }

    fn need(&mut self, wanted: &'static str) -> Result<(), Unreadable> {
        if self.sign(wanted) {
            return Ok(());
        }
        wrong(format!("`{wanted}` is expected, not {}", self.here()))
    }

    fn disjunction(&mut self) -> Read {
        let mut parts = vec![self.conjunction()?];
        while self.sign("||") {
            parts.push(self.conjunction()?);
        }
        Ok(self.system.terms.or(&parts))
    }

    fn conjunction(&mut self) -> Read {
        let mut parts = vec![self.literal()?];
        while self.sign("&&") {
            parts.push(self.literal()?);
        }
        Ok(self.system.terms.and(&parts))
    }

    fn literal(&mut self) -> Read {
        if self.sign("!") {
            let inner = self.literal()?;
            return Ok(self.system.terms.not(inner));
        }
        let start = self.next;
        if self.sign("(") {
            let inner = self.disjunction();
            if inner.is_ok() && self.sign(")") {
                return inner;
            }
            // A parenthesis of a number.
            self.next = start;
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Read {
        let left = self.sum()?;
        let signs = ["==", "!=", "<=", ">=", "<", ">"];
        let Some(sign) = signs.into_iter().find(|sign| self.sign(sign)) else {
            return self.truth(left);
        };
        let right = self.sum()?;
        let terms = &mut self.system.terms;
        if terms.sort(left) != terms.sort(right) {
            return wrong(format!("the two sides of `{sign}` cannot be compared"));
        }
        if !matches!(sign, "==" | "!=") && terms.sort(left) != Sort::Int {
            return wrong(format!("`{sign}` compares integers"));
        }
        Ok(match sign {
            "==" => terms.eq(left, right),
            "!=" => terms.ne(left, right),
            "<=" => terms.le(left, right),
            ">=" => terms.ge(left, right),
            "<" => terms.lt(left, right),
            _ => terms.gt(left, right),
        })
    }

    /// A number as a condition, as C has it.
    fn truth(&mut self, value: Term) -> Read {
        let terms = &mut self.system.terms;
        match terms.sort(value) {
            Sort::Bool => Ok(value),
            Sort::Int => {
                let zero = terms.int(0);
                Ok(terms.ne(value, zero))
            }
            _ => wrong("a comparison is expected"),
        }
    }

    fn sum(&mut self) -> Read {
        let mut total = self.product()?;
        loop {
            let minus = match self.tokens.get(self.next) {
                Some(Token::Sign("+")) => false,
                Some(Token::Sign("-")) => true,
                _ => return Ok(total),
            };
            self.next += 1;
            let next = self.product()?;
            self.integers(&[total, next])?;
            let terms = &mut self.system.terms;
            total = if minus { terms.sub(total, next) } else { terms.add(&[total, next]) };
        }
    }

    fn product(&mut self) -> Read {
        let mut total = self.value()?;
        while self.sign("*") {
            let next = self.value()?;
            self.integers(&[total, next])?;
            total = self.system.terms.mul(&[total, next]);
        }
        Ok(total)
    }

    fn integers(&self, values: &[Term]) -> Result<(), Unreadable> {
        if values.iter().all(|&value| self.system.terms.sort(value) == Sort::Int) {
            return Ok(());
        }
        wrong("only integers can be added and multiplied")
    }

    fn value(&mut self) -> Read {
        if self.sign("-") {
            let inner = self.value()?;
            self.integers(&[inner])?;
            return Ok(self.system.terms.neg(inner));
        }
        if self.sign("\\other") {
            self.need("(")?;
            let name = self.name()?;
            self.need(")")?;
            return self.other(&name);
        }
        if self.sign("(") {
            let inner = self.sum()?;
            self.need(")")?;
            return Ok(inner);
        }
        match self.tokens.get(self.next).cloned() {
            Some(Token::Number(number)) => {
                self.next += 1;
                Ok(self.system.terms.int(number))
            }
            _ => {
                let name = self.name()?;
                self.mine(&name)
            }
        }
    }

    fn name(&mut self) -> Result<String, Unreadable> {
        match self.tokens.get(self.next) {
            Some(Token::Name(name)) => {
                self.next += 1;
                Ok(name.clone())
            }
            _ => wrong(format!("a name is expected, not {}", self.here())),
        }
    }

    fn mine(&mut self, name: &str) -> Read {
        let template = &self.system.templates[self.active.0 as usize];
        let local = template.locals.iter().find(|local| is_called(local, &template.name, name));
        let shared = || self.system.shared.iter().find(|shared| shared.name == name);
        let found = local.or_else(shared).map(|variable| variable.term);
        Ok(found.unwrap_or_else(|| self.nothing(name, false)))
    }

    fn nothing(&mut self, name: &str, local: bool) -> Term {
        self.unknown.get_or_insert(Unreadable::Unknown { name: name.to_string(), local });
        self.system.terms.int(0)
    }

    fn other(&mut self, name: &str) -> Read {
        let index = self.passive.0 as usize;
        let template = &self.system.templates[index];
        let local = template.locals.iter().position(|local| is_called(local, &template.name, name));
        let found = local.map(|at| self.vocabulary.others[index][at]);
        Ok(found.unwrap_or_else(|| self.nothing(name, true)))
    }
}

/// `l` or `worker!l`; of a function that was inlined, also `l` for `worker!take.l`.
fn is_called(local: &Variable, template: &str, name: &str) -> bool {
    let short = local.name.strip_prefix(template).and_then(|rest| rest.strip_prefix('!'));
    let inlined = short.and_then(|short| short.rsplit_once('.')).map(|(_, last)| last);
    local.name == name || short == Some(name) || inlined == Some(name)
}
