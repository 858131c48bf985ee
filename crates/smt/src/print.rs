//! Terms and sorts as SMT-LIB text.
//!
//! Subterms that occur several times are printed once and named, so the text is linear in the
//! number of terms. Long chains are named in between, so that no reader needs a deep stack.

use std::borrow::Cow;
use std::fmt::{self, Write};

use rustc_hash::FxHashMap;

use crate::sort::Sort;
use crate::term::{Op, Term, Terms};
use crate::value::Value;

/// Nesting of what is printed without a name for a part of it.
const DEEP: u32 = 60;

impl Terms {
    pub fn show(&self, term: Term) -> ShowTerm<'_> {
        ShowTerm { terms: self, term }
    }

    pub fn show_sort(&self, sort: Sort) -> ShowSort<'_> {
        ShowSort { terms: self, sort }
    }
}

pub struct ShowSort<'a> {
    terms: &'a Terms,
    sort: Sort,
}

impl fmt::Display for ShowSort<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sort {
            Sort::Bool => f.write_str("Bool"),
            Sort::Int => f.write_str("Int"),
            Sort::BitVec(width) => write!(f, "(_ BitVec {width})"),
            Sort::Array(_) => {
                let (index, element) = self.terms.array_parts(self.sort);
                let show = |sort| self.terms.show_sort(sort);
                write!(f, "(Array {} {})", show(index), show(element))
            }
        }
    }
}

pub struct ShowTerm<'a> {
    terms: &'a Terms,
    term: Term,
}

impl fmt::Display for ShowTerm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::new(self.terms);
        let named = printer.name_parts(&[self.term]);
        for &(part, index) in &named {
            write!(f, "(let (({} ", local_name(index))?;
            printer.write_node(f, part)?;
            f.write_str(")) ")?;
        }
        printer.write(f, self.term)?;
        named.iter().try_for_each(|_| f.write_char(')'))
    }
}

pub(crate) struct Printer<'a> {
    terms: &'a Terms,
    names: FxHashMap<Term, u32>,
}

pub(crate) fn local_name(index: u32) -> String {
    format!("?{index}")
}

impl<'a> Printer<'a> {
    pub fn new(terms: &'a Terms) -> Printer<'a> {
        Printer { terms, names: FxHashMap::default() }
    }

    /// Gives names to the shared and the deep parts; the answer lists them, parts before wholes.
    pub fn name_parts(&mut self, roots: &[Term]) -> Vec<(Term, u32)> {
        let terms = self.terms;
        let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
        let mut order = Vec::new();
        terms.walk(roots, |term| {
            order.push(term);
            for &arg in terms.args(term) {
                *uses.entry(arg).or_default() += 1;
            }
        });
        for &root in roots {
            *uses.entry(root).or_default() += 1;
        }
        let mut heights: FxHashMap<Term, u32> = FxHashMap::default();
        let mut named = Vec::new();
        for term in order {
            let args = terms.args(term);
            let height = 1 + args.iter().map(|arg| heights[arg]).max().unwrap_or(0);
            let name = !args.is_empty() && (uses[&term] > 1 || height > DEEP);
            heights.insert(term, if name { 0 } else { height });
            if name {
                let index = self.names.len() as u32;
                self.names.insert(term, index);
                named.push((term, index));
            }
        }
        named
    }

    /// The term, or its name if it has one.
    pub fn write(&self, f: &mut impl Write, term: Term) -> fmt::Result {
        match self.names.get(&term) {
            Some(&index) => f.write_str(&local_name(index)),
            None => self.write_node(f, term),
        }
    }

    pub fn write_node(&self, f: &mut impl Write, term: Term) -> fmt::Result {
        let node = self.terms.node(term);
        if let Some(name) = self.terms.name(term) {
            return f.write_str(&quoted(name));
        }
        if let Op::Const(value) = &node.op {
            return write_constant(f, value);
        }
        f.write_char('(')?;
        self.write_operator(f, &node.op)?;
        for &arg in &node.args {
            f.write_char(' ')?;
            self.write(f, arg)?;
        }
        f.write_char(')')
    }

    fn write_operator(&self, f: &mut impl Write, op: &Op) -> fmt::Result {
        match op {
            Op::Extract(high, low) => write!(f, "(_ extract {high} {low})"),
            Op::ZeroExtend(by) => write!(f, "(_ zero_extend {by})"),
            Op::SignExtend(by) => write!(f, "(_ sign_extend {by})"),
            Op::IntToBv(width) => write!(f, "(_ int_to_bv {width})"),
            Op::ConstArray(sort) => write!(f, "(as const {})", self.terms.show_sort(*sort)),
            _ => f.write_str(operator_name(op)),
        }
    }
}

fn operator_name(op: &Op) -> &'static str {
    match op {
        Op::Not => "not",
        Op::And => "and",
        Op::Or => "or",
        Op::Eq => "=",
        Op::Ite => "ite",
        Op::Add => "+",
        Op::Mul => "*",
        Op::Div => "div",
        Op::Mod => "mod",
        Op::Le => "<=",
        Op::Lt => "<",
        Op::BvNot => "bvnot",
        Op::BvNeg => "bvneg",
        Op::BvAdd => "bvadd",
        Op::BvSub => "bvsub",
        Op::BvMul => "bvmul",
        Op::BvUdiv => "bvudiv",
        Op::BvSdiv => "bvsdiv",
        Op::BvUrem => "bvurem",
        Op::BvSrem => "bvsrem",
        Op::BvAnd => "bvand",
        Op::BvOr => "bvor",
        Op::BvXor => "bvxor",
        Op::BvShl => "bvshl",
        Op::BvLshr => "bvlshr",
        Op::BvAshr => "bvashr",
        Op::BvUlt => "bvult",
        Op::BvUle => "bvule",
        Op::BvSlt => "bvslt",
        Op::BvSle => "bvsle",
        Op::Concat => "concat",
        Op::BvToInt => "ubv_to_int",
        Op::Select => "select",
        Op::Store => "store",
        _ => unreachable!("{op:?} is printed with its parameters"),
    }
}

fn write_constant(f: &mut impl Write, value: &Value) -> fmt::Result {
    match value {
        Value::Bool(b) => write!(f, "{b}"),
        Value::Int(int) if int.sign() == num_bigint::Sign::Minus => {
            write!(f, "(- {})", int.magnitude())
        }
        Value::Int(int) => write!(f, "{int}"),
        Value::Bv(bits) if bits.width % 4 == 0 => {
            write!(f, "#x{:0width$x}", bits.bits, width = bits.width as usize / 4)
        }
        Value::Bv(bits) => write!(f, "#b{:0width$b}", bits.bits, width = bits.width as usize),
        Value::Array(_) => unreachable!("array values are terms of stores"),
    }
}

/// What Z3 and SMT-LIB keep for themselves, quoted or not.
const RESERVED: [&str; 32] = [
    "true",
    "false",
    "and",
    "or",
    "not",
    "xor",
    "ite",
    "implies",
    "iff",
    "distinct",
    "let",
    "forall",
    "exists",
    "lambda",
    "par",
    "as",
    "div",
    "mod",
    "rem",
    "abs",
    "select",
    "store",
    "const",
    "map",
    "concat",
    "extract",
    "repeat",
    "union",
    "subset",
    "complement",
    "default",
    "pi",
];

/// The name under which a solver knows a variable: not one that the solver's own operators have,
/// nor one that is made up when formulas are printed (`?1` here, `a!1` and `k!1` by Z3).
pub(crate) fn external(name: &str) -> Cow<'_, str> {
    let prefix = ["bv", "?", "a!", "k!"].iter().any(|prefix| name.starts_with(prefix));
    let reserved = RESERVED.contains(&name) || prefix || name.ends_with('\'');
    if reserved { Cow::Owned(format!("{name}'")) } else { Cow::Borrowed(name) }
}

/// Back from [`external`].
pub(crate) fn internal(name: &str) -> &str {
    name.strip_suffix('\'').unwrap_or(name)
}

/// A name as an SMT-LIB symbol.
pub(crate) fn quoted(name: &str) -> String {
    let name = external(name);
    let plain = |c: char| c.is_ascii_alphanumeric() || "_$!.".contains(c);
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if starts && name != "_" && name.chars().all(plain) {
        name.into_owned()
    } else {
        format!("|{name}|")
    }
}

impl Terms {
    /// The values of a model's variable, or of any closed term, as text.
    pub fn show_value(&mut self, value: &Value, sort: Sort) -> String {
        let term = self.value(value, sort);
        self.show(term).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_parts_are_named_once() {
        let mut t = Terms::new();
        let mut x = t.var("x", Sort::Int);
        for _ in 0..50 {
            x = t.mul(&[x, x]);
        }
        let text = t.show(x).to_string();
        assert!(text.len() < 3000, "{text}");
        assert!(text.starts_with("(let ((?0 (* x x))) "), "{text}");
    }

    #[test]
    fn constants_and_names() {
        let mut t = Terms::new();
        let (minus, word, odd) = (t.int(-5), t.bv(10, 8), t.bv(1, 3));
        assert_eq!(t.show(minus).to_string(), "(- 5)");
        assert_eq!(t.show(word).to_string(), "#x0a");
        assert_eq!(t.show(odd).to_string(), "#b001");
        for (name, text) in [
            ("x", "x"),
            ("main.x@3", "|main.x@3|"),
            ("select", "|select'|"),
            ("bvadd", "|bvadd'|"),
            ("9", "|9|"),
            ("_", "|_|"),
        ] {
            let var = t.var(name, Sort::Bool);
            assert_eq!(t.show(var).to_string(), text);
            assert_eq!(internal(&external(name)), name);
        }
    }
}
