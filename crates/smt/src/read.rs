//! Reading terms from SMT-LIB text: how formulas come back from Z3, whose interface for taking
//! formulas apart leaves out the parameters of operators. What is not understood is an error.

use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use crate::print::internal;
use crate::sexpr::{Sexpr, Sexprs, View};
use crate::sort::{MAX_WIDTH, Sort};
use crate::term::{Op, Term, Terms};

/// Why text is no term: the part that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError(pub String);

type Read<T> = Result<T, ReadError>;

impl Terms {
    /// One term. Its variables are those that this arena knows.
    pub fn read(&mut self, text: &str) -> Read<Term> {
        let sexprs = Sexprs::parse(text).map_err(ReadError)?;
        match sexprs.roots.as_slice() {
            [root] => Reader::new(self, &sexprs).term(*root),
            _ => Err(ReadError("one term is expected".into())),
        }
    }
}

pub(crate) struct Reader<'a> {
    terms: &'a mut Terms,
    sexprs: &'a Sexprs<'a>,
    /// What `let` and binders bind, the innermost last.
    bound: FxHashMap<&'a str, Vec<Term>>,
    /// What a `let` around all that is read names, read where it is needed.
    names: FxHashMap<&'a str, Sexpr>,
}

impl<'a> Reader<'a> {
    pub fn new(terms: &'a mut Terms, sexprs: &'a Sexprs<'a>) -> Reader<'a> {
        Reader { terms, sexprs, bound: FxHashMap::default(), names: FxHashMap::default() }
    }

    pub fn with_names(self, names: &FxHashMap<&'a str, Sexpr>) -> Reader<'a> {
        Reader { names: names.clone(), ..self }
    }

    pub fn bind(&mut self, name: &'a str, term: Term) {
        self.bound.entry(name).or_default().push(term);
    }

    fn unbind(&mut self, name: &'a str) {
        if let Some(terms) = self.bound.get_mut(name) {
            terms.pop();
        }
    }

    fn fail<T>(&self, sexpr: Sexpr) -> Read<T> {
        Err(ReadError(format!("not understood: {}", self.sexprs.excerpt(sexpr))))
    }

    pub fn term(&mut self, sexpr: Sexpr) -> Read<Term> {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.term_here(sexpr))
    }

    fn term_here(&mut self, sexpr: Sexpr) -> Read<Term> {
        let sexprs = self.sexprs;
        match sexprs.view(sexpr) {
            View::Atom(atom) => match self.atom(atom)? {
                Some(term) => Ok(term),
                None => self.fail(sexpr),
            },
            View::List(items) => match items.split_first() {
                Some((&head, rest)) => self.application(sexpr, head, rest),
                None => self.fail(sexpr),
            },
        }
    }

    fn atom(&mut self, atom: &'a str) -> Read<Option<Term>> {
        if let Some(&term) = self.bound.get(atom).and_then(|terms| terms.last()) {
            return Ok(Some(term));
        }
        if let Some(&named) = self.names.get(atom) {
            let term = self.term(named)?;
            self.bind(atom, term);
            return Ok(Some(term));
        }
        Ok(self.terms.lookup(internal(atom)).or_else(|| self.literal(atom)))
    }

    fn literal(&mut self, atom: &str) -> Option<Term> {
        if let Some(digits) = atom.strip_prefix("#x") {
            return self.word(u128::from_str_radix(digits, 16).ok()?, digits.len() * 4);
        }
        if let Some(digits) = atom.strip_prefix("#b") {
            return self.word(u128::from_str_radix(digits, 2).ok()?, digits.len());
        }
        match atom {
            "true" => Some(self.terms.bool(true)),
            "false" => Some(self.terms.bool(false)),
            _ => Some(self.terms.int(atom.parse::<BigInt>().ok()?)),
        }
    }

    fn word(&mut self, bits: u128, width: usize) -> Option<Term> {
        let width = u32::try_from(width).ok().filter(|width| (1..=MAX_WIDTH).contains(width))?;
        Some(self.terms.bv(bits, width))
    }

    fn application(&mut self, whole: Sexpr, head: Sexpr, rest: &'a [Sexpr]) -> Read<Term> {
        let sexprs = self.sexprs;
        match sexprs.view(head) {
            View::Atom("let") => self.binding(whole, rest),
            // Annotations such as weights carry no meaning.
            View::Atom("!") if !rest.is_empty() => self.term(rest[0]),
            View::Atom("_") => self.indexed_constant(whole, rest),
            View::Atom(name) => {
                let args = self.arguments(rest)?;
                let applied = self.operator(name, &args);
                applied.map_or_else(|| self.fail(whole), Ok)
            }
            View::List(items) => {
                let args = self.arguments(rest)?;
                let name = items.first().and_then(|&first| sexprs.atom(first));
                let applied = match (name, items) {
                    (Some("_"), [_, name, indices @ ..]) => self.indexed(*name, indices, &args),
                    (Some("as"), [_, name, sort]) if sexprs.atom(*name) == Some("const") => {
                        let sort = self.sort(*sort)?;
                        self.constant_array(sort, &args)
                    }
                    _ => None,
                };
                applied.map_or_else(|| self.fail(whole), Ok)
            }
        }
    }

    fn arguments(&mut self, sexprs: &'a [Sexpr]) -> Read<Vec<Term>> {
        sexprs.iter().map(|&sexpr| self.term(sexpr)).collect()
    }

    fn binding(&mut self, whole: Sexpr, rest: &'a [Sexpr]) -> Read<Term> {
        let &[bindings, body] = rest else { return self.fail(whole) };
        let sexprs = self.sexprs;
        let mut news = Vec::new();
        for &binding in sexprs.list(bindings).unwrap_or(&[]) {
            match sexprs.list(binding) {
                Some(&[name, value]) if let Some(name) = sexprs.atom(name) => {
                    news.push((name, self.term(value)?));
                }
                _ => return self.fail(whole),
            }
        }
        for &(name, term) in &news {
            self.bind(name, term);
        }
        let result = self.term(body);
        for &(name, _) in &news {
            self.unbind(name);
        }
        result
    }

    /// `(_ bv5 32)`
    fn indexed_constant(&mut self, whole: Sexpr, rest: &[Sexpr]) -> Read<Term> {
        let atoms: Vec<&str> = rest.iter().filter_map(|&part| self.sexprs.atom(part)).collect();
        let word = match atoms.as_slice() {
            [name, width] => name
                .strip_prefix("bv")
                .and_then(|digits| digits.parse().ok())
                .zip(width.parse().ok())
                .and_then(|(bits, width)| self.word(bits, width)),
            _ => None,
        };
        word.map_or_else(|| self.fail(whole), Ok)
    }

    fn constant_array(&mut self, sort: Sort, args: &[Term]) -> Option<Term> {
        let (&[element], Sort::Array(_)) = (args, sort) else { return None };
        let (index, element_sort) = self.terms.array_parts(sort);
        let fits = self.terms.sort(element) == element_sort;
        fits.then(|| self.terms.const_array(index, element))
    }

    pub fn sort(&mut self, sexpr: Sexpr) -> Read<Sort> {
        let sexprs = self.sexprs;
        match sexprs.view(sexpr) {
            View::Atom("Bool") => Ok(Sort::Bool),
            View::Atom("Int") => Ok(Sort::Int),
            View::List(&[head, index, element]) => match (sexprs.atom(head), sexprs.atom(index)) {
                (Some("_"), Some("BitVec")) => {
                    let width = sexprs.atom(element).and_then(|text| text.parse().ok());
                    let width = width.filter(|width| (1..=MAX_WIDTH).contains(width));
                    width.map_or_else(|| self.fail(sexpr), |width| Ok(Sort::BitVec(width)))
                }
                (Some("Array"), _) => {
                    let (index, element) = (self.sort(index)?, self.sort(element)?);
                    Ok(self.terms.array_sort(index, element))
                }
                _ => self.fail(sexpr),
            },
            _ => self.fail(sexpr),
        }
    }

    /// None for an operator that is not known or operands of sorts that it does not have.
    fn operator(&mut self, name: &str, args: &[Term]) -> Option<Term> {
        let &first = args.first()?;
        let sort = self.terms.sort(first);
        let same = args.iter().all(|&arg| self.terms.sort(arg) == sort);
        let t = &mut *self.terms;
        match (name, args, sort) {
            ("ite", &[c, a, b], Sort::Bool) if t.sort(a) == t.sort(b) => Some(t.ite(c, a, b)),
            ("select", &[array, index], Sort::Array(_)) => {
                (t.array_parts(sort).0 == t.sort(index)).then(|| t.select(array, index))
            }
            ("store", &[array, index, element], Sort::Array(_)) => {
                let fits = t.array_parts(sort) == (t.sort(index), t.sort(element));
                fits.then(|| t.store(array, index, element))
            }
            ("concat", _, Sort::BitVec(_)) => {
                let words = args.iter().all(|&arg| matches!(t.sort(arg), Sort::BitVec(_)));
                let fits = words && args.iter().map(|&arg| t.width(arg)).sum::<u32>() <= MAX_WIDTH;
                fits.then(|| args[1..].iter().fold(first, |all, &arg| t.concat(all, arg)))
            }
            _ if !same => None,
            ("=", [_, _, ..], _) => Some(pairwise(t, args, Terms::eq)),
            ("distinct", &[a, b], _) => Some(t.ne(a, b)),
            (_, _, Sort::Bool) => boolean(t, name, args),
            (_, _, Sort::Int) => integer(t, name, args),
            (_, _, Sort::BitVec(_)) => word(t, name, args),
            _ => None,
        }
    }

    fn indexed(&mut self, name: Sexpr, indices: &[Sexpr], args: &[Term]) -> Option<Term> {
        let number = |&sexpr: &Sexpr| self.sexprs.atom(sexpr)?.parse::<u32>().ok();
        let indices: Vec<u32> = indices.iter().map(number).collect::<Option<_>>()?;
        let &[arg] = args else { return None };
        let t = &mut *self.terms;
        let width = if let Sort::BitVec(width) = t.sort(arg) { width } else { 0 };
        match (self.sexprs.atom(name)?, indices.as_slice()) {
            ("extract", &[high, low]) if low <= high && high < width => {
                Some(t.extract(high, low, arg))
            }
            ("zero_extend", &[by]) if width > 0 && width + by <= MAX_WIDTH => {
                Some(t.zero_extend(by, arg))
            }
            ("sign_extend", &[by]) if width > 0 && width + by <= MAX_WIDTH => {
                Some(t.sign_extend(by, arg))
            }
            ("bit2bool", &[index]) if index < width => {
                let (bit, one) = (t.extract(index, index, arg), t.bv(1, 1));
                Some(t.eq(bit, one))
            }
            ("int_to_bv" | "int2bv" | "nat2bv", &[to])
                if t.sort(arg) == Sort::Int && (1..=MAX_WIDTH).contains(&to) =>
            {
                Some(t.int_to_bv(to, arg))
            }
            ("divisible", &[by]) if t.sort(arg) == Sort::Int && by > 0 => {
                let by = t.int(by);
                let (rest, zero) = (t.modulo(arg, by), t.int(0));
                Some(t.eq(rest, zero))
            }
            _ => None,
        }
    }
}

fn boolean(t: &mut Terms, name: &str, args: &[Term]) -> Option<Term> {
    match (name, args) {
        ("not", &[a]) => Some(t.not(a)),
        ("and", _) => Some(t.and(args)),
        ("or", _) => Some(t.or(args)),
        ("xor", &[a, b]) => Some(t.xor(a, b)),
        ("iff", &[a, b]) => Some(t.eq(a, b)),
        ("=>" | "implies", &[a, b]) => Some(t.implies(a, b)),
        _ => None,
    }
}

fn integer(t: &mut Terms, name: &str, args: &[Term]) -> Option<Term> {
    match (name, args) {
        ("+", _) => Some(t.add(args)),
        ("*", _) => Some(t.mul(args)),
        ("-", &[a]) => Some(t.neg(a)),
        ("-", [a, rest @ ..]) => Some(rest.iter().fold(*a, |sum, &b| t.sub(sum, b))),
        ("div", &[a, b]) => Some(t.div(a, b)),
        ("mod", &[a, b]) => Some(t.modulo(a, b)),
        ("abs", &[a]) => {
            let (zero, opposite) = (t.int(0), t.neg(a));
            let negative = t.lt(a, zero);
            Some(t.ite(negative, opposite, a))
        }
        ("<=", [_, _, ..]) => Some(pairwise(t, args, Terms::le)),
        ("<", [_, _, ..]) => Some(pairwise(t, args, Terms::lt)),
        (">=", [_, _, ..]) => Some(pairwise(t, args, Terms::ge)),
        (">", [_, _, ..]) => Some(pairwise(t, args, Terms::gt)),
        _ => None,
    }
}

fn word(t: &mut Terms, name: &str, args: &[Term]) -> Option<Term> {
    if let &[a] = args {
        return match name {
            "bvneg" => Some(t.bv_neg(a)),
            "bvnot" => Some(t.bv_not(a)),
            "ubv_to_int" | "bv2int" | "bv2nat" => Some(t.bv_to_int(a)),
            "sbv_to_int" => Some(t.bv_to_signed_int(a)),
            _ => None,
        };
    }
    let associative = match name {
        "bvadd" => Some(Op::BvAdd),
        "bvmul" => Some(Op::BvMul),
        "bvand" => Some(Op::BvAnd),
        "bvor" => Some(Op::BvOr),
        "bvxor" => Some(Op::BvXor),
        _ => None,
    };
    if let Some(op) = associative {
        let all = args.iter().copied();
        return all.reduce(|sum, arg| t.bv_binary(op.clone(), sum, arg));
    }
    let &[a, b] = args else { return None };
    // Z3 writes the division by what it knows not to be zero with `_i`.
    Some(match name.strip_suffix("_i").unwrap_or(name) {
        "bvsub" => t.bv_sub(a, b),
        "bvudiv" => t.bv_udiv(a, b),
        "bvsdiv" => t.bv_sdiv(a, b),
        "bvurem" => t.bv_urem(a, b),
        "bvsrem" => t.bv_srem(a, b),
        "bvshl" => t.bv_shl(a, b),
        "bvlshr" => t.bv_lshr(a, b),
        "bvashr" => t.bv_ashr(a, b),
        "bvult" => t.bv_ult(a, b),
        "bvule" => t.bv_ule(a, b),
        "bvslt" => t.bv_slt(a, b),
        "bvsle" => t.bv_sle(a, b),
        "bvugt" => t.bv_ult(b, a),
        "bvuge" => t.bv_ule(b, a),
        "bvsgt" => t.bv_slt(b, a),
        "bvsge" => t.bv_sle(b, a),
        "bvcomp" => {
            let (equal, one, zero) = (t.eq(a, b), t.bv(1, 1), t.bv(0, 1));
            t.ite(equal, one, zero)
        }
        _ => return None,
    })
}

/// A chain such as `a <= b <= c`.
fn pairwise(t: &mut Terms, args: &[Term], f: fn(&mut Terms, Term, Term) -> Term) -> Term {
    let links: Vec<Term> = args.windows(2).map(|pair| f(t, pair[0], pair[1])).collect();
    t.and(&links)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Terms {
        let mut t = Terms::new();
        t.var("x", Sort::Int);
        t.var("p", Sort::Bool);
        t.var("b", Sort::BitVec(8));
        t.var("main.y@2", Sort::Int);
        let sort = t.array_sort(Sort::Int, Sort::BitVec(8));
        t.var("m", sort);
        t
    }

    fn check(text: &str, printed: &str) {
        let mut t = known();
        let term = t.read(text).unwrap_or_else(|error| panic!("{text}: {}", error.0));
        assert_eq!(t.show(term).to_string(), printed);
        // What is printed reads back as the same term.
        assert_eq!(t.read(printed), Ok(term));
    }

    #[test]
    fn formulas_as_z3_prints_them() {
        check("(not (>= (+ x (* (- 1) x)) 1))", "true");
        check("(! (= x 5) :weight 0)", "(= x 5)");
        check("(let ((a!1 (+ x 1))) (<= a!1 |main.y@2|))", "(<= (+ x 1) |main.y@2|)");
        check("(= ((_ extract 7 3) b) #b00000)", "(= ((_ extract 7 3) b) #b00000)");
        check("(bvule #x05 b)", "(bvule #x05 b)");
        check("(= (select (store m 1 #x00) x) (_ bv3 8))", "(= (select (store m 1 #x00) x) #x03)");
        check(
            "(store ((as const (Array Int Int)) 0) x 1)",
            "(store ((as const (Array Int Int)) 0) x 1)",
        );
        check("(< 0 x 9)", "(and (< 0 x) (< x 9))");
        check(
            "((_ sign_extend 8) (bvadd b b #x01))",
            "((_ sign_extend 8) (bvadd #x01 (bvadd b b)))",
        );
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for text in [
            "y",
            "(forall ((z Int)) (= z x))",
            "(to_real x)",
            "(+ x b)",
            "((_ extract 9 3) b)",
            "(x",
            "",
            "(select m b)",
            "(_ bv1 999)",
        ] {
            assert!(known().read(text).is_err(), "{text}");
        }
    }
}
