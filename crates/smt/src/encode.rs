//! Terms as Z3's own. Z3 objects belong to the thread that made them.

use rustc_hash::FxHashMap;
use z3::ast::{Array, BV, Bool, Dynamic, Int};

use crate::print::external;
use crate::sort::Sort;
use crate::term::{Op, Term, Terms};
use crate::value::Value;

/// Remembers what was translated.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    /// The arena that the cache speaks of, once there is one.
    arena: Option<u64>,
    cache: FxHashMap<Term, Dynamic>,
    /// Terms translated since somebody took the number.
    fresh: u64,
}

impl Encoder {
    pub fn new() -> Encoder {
        Encoder::default()
    }

    pub fn formula(&mut self, terms: &Terms, term: Term) -> Bool {
        bool(&self.term(terms, term))
    }

    pub fn term(&mut self, terms: &Terms, term: Term) -> Dynamic {
        let arena = *self.arena.get_or_insert(terms.id);
        assert_eq!(arena, terms.id, "a solver is used with terms of two arenas");
        if !self.cache.contains_key(&term) {
            let mut order = Vec::new();
            terms.walk_unless(&[term], |t| self.cache.contains_key(&t), |t| order.push(t));
            self.fresh += order.len() as u64;
            for part in order {
                let encoded = self.node(terms, part);
                self.cache.insert(part, encoded);
            }
        }
        self.cache[&term].clone()
    }

    /// How many terms were translated since this was last asked: work to be spent, a unit each.
    pub fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.fresh)
    }

    fn node(&self, terms: &Terms, term: Term) -> Dynamic {
        let node = terms.node(term);
        if let Some(name) = terms.name(term) {
            return variable(terms, name, node.sort);
        }
        let args: Vec<&Dynamic> = node.args.iter().map(|arg| &self.cache[arg]).collect();
        let arg = |i: usize| args[i];
        match &node.op {
            Op::Var(_) => unreachable!("variables have names"),
            Op::Const(value) => constant(value),
            Op::Not => bool(arg(0)).not().into(),
            Op::And => Bool::and(&all(&args, bool)).into(),
            Op::Or => Bool::or(&all(&args, bool)).into(),
            Op::Eq => arg(0).eq(arg(1)).into(),
            Op::Ite => bool(arg(0)).ite(arg(1), arg(2)),
            Op::Add => Int::add(&all(&args, int)).into(),
            Op::Mul => Int::mul(&all(&args, int)).into(),
            Op::Div => int(arg(0)).div(int(arg(1))).into(),
            Op::Mod => int(arg(0)).modulo(int(arg(1))).into(),
            Op::Le => int(arg(0)).le(int(arg(1))).into(),
            Op::Lt => int(arg(0)).lt(int(arg(1))).into(),
            Op::BvToInt => Int::from_bv(&bv(arg(0)), false).into(),
            Op::IntToBv(width) => BV::from_int(&int(arg(0)), *width).into(),
            Op::Select => array(arg(0)).select(arg(1)),
            Op::Store => array(arg(0)).store(arg(1), arg(2)).into(),
            Op::ConstArray(sort) => {
                Array::const_array(&encode_sort(terms, terms.array_parts(*sort).0), arg(0)).into()
            }
            Op::BvNot => bv(arg(0)).bvnot().into(),
            Op::BvNeg => bv(arg(0)).bvneg().into(),
            Op::Extract(high, low) => bv(arg(0)).extract(*high, *low).into(),
            Op::ZeroExtend(by) => bv(arg(0)).zero_ext(*by).into(),
            Op::SignExtend(by) => bv(arg(0)).sign_ext(*by).into(),
            op => words(op, bv(arg(0)), bv(arg(1))),
        }
    }
}

fn words(op: &Op, a: BV, b: BV) -> Dynamic {
    match op {
        Op::BvAdd => a.bvadd(b).into(),
        Op::BvSub => a.bvsub(b).into(),
        Op::BvMul => a.bvmul(b).into(),
        Op::BvUdiv => a.bvudiv(b).into(),
        Op::BvSdiv => a.bvsdiv(b).into(),
        Op::BvUrem => a.bvurem(b).into(),
        Op::BvSrem => a.bvsrem(b).into(),
        Op::BvAnd => a.bvand(b).into(),
        Op::BvOr => a.bvor(b).into(),
        Op::BvXor => a.bvxor(b).into(),
        Op::BvShl => a.bvshl(b).into(),
        Op::BvLshr => a.bvlshr(b).into(),
        Op::BvAshr => a.bvashr(b).into(),
        Op::BvUlt => a.bvult(b).into(),
        Op::BvUle => a.bvule(b).into(),
        Op::BvSlt => a.bvslt(b).into(),
        Op::BvSle => a.bvsle(b).into(),
        Op::Concat => a.concat(b).into(),
        _ => unreachable!("{op:?} is no operator on two words"),
    }
}

pub(crate) fn encode_sort(terms: &Terms, sort: Sort) -> z3::Sort {
    match sort {
        Sort::Bool => z3::Sort::bool(),
        Sort::Int => z3::Sort::int(),
        Sort::BitVec(width) => z3::Sort::bitvector(width),
        Sort::Array(_) => {
            let (index, element) = terms.array_parts(sort);
            z3::Sort::array(&encode_sort(terms, index), &encode_sort(terms, element))
        }
    }
}

fn variable(terms: &Terms, name: &str, sort: Sort) -> Dynamic {
    let name = external(name).into_owned();
    z3::FuncDecl::new(name, &[], &encode_sort(terms, sort)).apply(&[])
}

fn constant(value: &Value) -> Dynamic {
    match value {
        Value::Bool(b) => Bool::from_bool(*b).into(),
        Value::Int(value) => match i64::try_from(value) {
            Ok(small) => Int::from_i64(small).into(),
            Err(_) => {
                let number = value.to_string().parse::<Int>();
                number.expect("a decimal number is a numeral").into()
            }
        },
        Value::Bv(bits) => match u64::try_from(bits.bits) {
            Ok(small) => BV::from_u64(small, bits.width).into(),
            Err(_) => {
                let number = BV::from_str(bits.width, &bits.bits.to_string());
                number.expect("a decimal number is a numeral").into()
            }
        },
        Value::Array(_) => unreachable!("array values are terms of stores"),
    }
}

// The sorts were checked when the terms were built.

fn all<T>(args: &[&Dynamic], as_sort: fn(&Dynamic) -> T) -> Vec<T> {
    args.iter().map(|arg| as_sort(arg)).collect()
}

fn bool(term: &Dynamic) -> Bool {
    term.as_bool().expect("a bool")
}

fn int(term: &Dynamic) -> Int {
    term.as_int().expect("an integer")
}

fn bv(term: &Dynamic) -> BV {
    term.as_bv().expect("a bit-vector")
}

fn array(term: &Dynamic) -> Array {
    term.as_array().expect("an array")
}
