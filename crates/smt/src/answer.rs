//! What a solver says. There is no boolean shortcut: "unknown" stays visible.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::term::{Term, Terms};
use crate::value::Value;

#[derive(Clone, Debug)]
pub enum Answer {
    Sat(Model),
    Unsat(Core),
    Unknown(Reason),
}

/// Assumptions that cannot all hold, in the order in which they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Core(pub Vec<Term>);

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The limit on time or on work.
    Time,
    /// The memory limit.
    Memory,
    /// Somebody raised the interrupt.
    Interrupted,
    /// The solver's theories do not decide this; what it says about it.
    Incomplete(String),
    /// An answer came that cannot be read back as terms and values.
    Unreadable(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Time => f.write_str("the solver ran out of time"),
            Reason::Memory => f.write_str("the solver ran out of memory"),
            Reason::Interrupted => f.write_str("the solver was interrupted"),
            // Z3 says `ok` where it has no words for it.
            Reason::Incomplete(why) if why == "ok" => f.write_str("the solver gave up"),
            Reason::Incomplete(why) => write!(f, "the solver gave up: {why}"),
            Reason::Unreadable(what) => write!(f, "the solver's answer is not understood: {what}"),
        }
    }
}

/// Values of variables. A variable that the solver left open may have any value; it gets zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    values: FxHashMap<Term, Value>,
}

impl Model {
    pub fn new() -> Model {
        Model::default()
    }

    pub fn set(&mut self, variable: Term, value: Value) {
        self.values.insert(variable, value);
    }

    /// The value of a variable, where the solver has chosen one.
    pub fn get(&self, variable: Term) -> Option<&Value> {
        self.values.get(&variable)
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Term, &Value)> {
        self.values.iter().map(|(&variable, value)| (variable, value))
    }

    /// The value of any term.
    pub fn eval(&self, terms: &Terms, term: Term) -> Value {
        self.eval_all(terms, &[term]).pop().expect("one value for one term")
    }

    /// The values of several terms; what they share is evaluated once.
    pub fn eval_all(&self, terms: &Terms, roots: &[Term]) -> Vec<Value> {
        let mut known: FxHashMap<Term, Value> = FxHashMap::default();
        terms.walk(roots, |term| {
            let node = terms.node(term);
            let value = match terms.name(term) {
                Some(_) => match self.get(term) {
                    Some(value) => value.clone(),
                    None => Value::zero(terms, node.sort),
                },
                None => {
                    let args: Vec<&Value> = node.args.iter().map(|arg| &known[arg]).collect();
                    crate::fold::fold(&node.op, &args)
                }
            };
            known.insert(term, value);
        });
        roots.iter().map(|root| known[root].clone()).collect()
    }

    /// Whether a formula holds.
    pub fn holds(&self, terms: &Terms, formula: Term) -> bool {
        self.eval(terms, formula) == Value::Bool(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::Sort;

    #[test]
    fn evaluates_with_zero_for_the_rest() {
        let mut t = Terms::new();
        let (x, y) = (t.var("x", Sort::Int), t.var("y", Sort::Int));
        let three = t.int(3);
        let sum = t.add(&[x, y, three]);
        let mut model = Model::new();
        model.set(x, Value::int(4));
        assert_eq!(model.eval(&t, sum), Value::int(7));
        assert_eq!(model.get(y), None);
        let sort = t.array_sort(Sort::Int, Sort::BitVec(8));
        let m = t.var("m", sort);
        let (index, word) = (t.int(5), t.bv(9, 8));
        let written = t.store(m, x, word);
        let read = t.select(written, index);
        assert_eq!(model.eval(&t, read), Value::bv(0, 8));
        model.set(x, Value::int(5));
        assert_eq!(model.eval(&t, read), Value::bv(9, 8));
    }
}
