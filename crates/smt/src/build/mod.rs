//! Building terms. Sorts are checked (a wrong one is a defect of the caller and panics); constants
//! and identities are simplified at once, which keeps what symbolic execution makes small.

mod array;
mod bits;
mod float;
mod int;
mod logic;

use crate::fold::fold;
use crate::sort::Sort;
use crate::term::{Op, Term, Terms};
use crate::value::{Bits, Value};

impl Terms {
    /// The term of a value.
    pub fn value(&mut self, value: &Value, sort: Sort) -> Term {
        let Value::Array(array) = value else {
            return self.intern(Op::Const(value.clone()), &[], sort);
        };
        let (index_sort, element_sort) = self.array_parts(sort);
        let default = self.value(&array.default, element_sort);
        let mut term = self.const_array(index_sort, default);
        for (index, element) in &array.entries {
            let index = self.value(index, index_sort);
            let element = self.value(element, element_sort);
            term = self.store(term, index, element);
        }
        term
    }

    /// An operator on operands, through the builder that simplifies it.
    pub(crate) fn apply(&mut self, op: &Op, args: &[Term], sort: Sort) -> Term {
        match op {
            Op::Var(_) | Op::Const(_) => self.intern(op.clone(), args, sort),
            Op::Not => self.not(args[0]),
            Op::And => self.and(args),
            Op::Or => self.or(args),
            Op::Eq => self.eq(args[0], args[1]),
            Op::Ite => self.ite(args[0], args[1], args[2]),
            Op::Add => self.add(args),
            Op::Mul => self.mul(args),
            // Not the guarded builders: the guard is already around this one.
            Op::Div | Op::Mod => self.divide(op.clone(), args[0], args[1]),
            Op::Le => self.le(args[0], args[1]),
            Op::Lt => self.lt(args[0], args[1]),
            Op::BvNot => self.bv_not(args[0]),
            Op::BvNeg => self.bv_neg(args[0]),
            Op::Concat => self.concat(args[0], args[1]),
            Op::Extract(high, low) => self.extract(*high, *low, args[0]),
            Op::ZeroExtend(by) => self.zero_extend(*by, args[0]),
            Op::SignExtend(by) => self.sign_extend(*by, args[0]),
            Op::BvToInt => self.bv_to_int(args[0]),
            Op::IntToBv(width) => self.int_to_bv(*width, args[0]),
            Op::Select => self.select(args[0], args[1]),
            Op::Store => self.store(args[0], args[1], args[2]),
            Op::ConstArray(sort) => {
                let index = self.array_parts(*sort).0;
                self.const_array(index, args[0])
            }
            Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => {
                self.bv_compare(op.clone(), args[0], args[1])
            }
            _ => self.bv_binary(op.clone(), args[0], args[1]),
        }
    }

    /// The operator's value, where all operands are constants.
    fn folded(&mut self, op: &Op, args: &[Term], sort: Sort) -> Option<Term> {
        let values: Option<Vec<&Value>> = args.iter().map(|&arg| self.constant(arg)).collect();
        let value = fold(op, &values?);
        Some(self.value(&value, sort))
    }

    fn expect(&self, term: Term, sort: Sort) {
        let found = self.sort(term);
        assert_eq!(found, sort, "wrong sort of {}", self.show(term));
    }

    fn bits_of(&self, term: Term) -> Option<Bits> {
        self.constant(term)?.as_bits()
    }

    fn is_bool(&self, term: Term, value: bool) -> bool {
        self.constant(term).and_then(Value::as_bool) == Some(value)
    }
}
