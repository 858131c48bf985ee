//! Booleans, equality, and choice between two terms.

use crate::sort::Sort;
use crate::term::{Op, Term, Terms};
use crate::value::Value;

impl Terms {
    pub fn bool(&mut self, value: bool) -> Term {
        self.value(&Value::Bool(value), Sort::Bool)
    }

    /// Pushed into orders and double negations.
    pub fn not(&mut self, a: Term) -> Term {
        self.expect(a, Sort::Bool);
        let node = self.node(a);
        match (&node.op, node.args.as_slice()) {
            (Op::Const(value), _) => {
                let negated = value.as_bool() == Some(false);
                self.bool(negated)
            }
            (Op::Not, &[inner]) => inner,
            (Op::Le, &[x, y]) => self.lt(y, x),
            (Op::Lt, &[x, y]) => self.le(y, x),
            (Op::BvUle, &[x, y]) => self.bv_ult(y, x),
            (Op::BvUlt, &[x, y]) => self.bv_ule(y, x),
            (Op::BvSle, &[x, y]) => self.bv_slt(y, x),
            (Op::BvSlt, &[x, y]) => self.bv_sle(y, x),
            _ => self.intern(Op::Not, &[a], Sort::Bool),
        }
    }

    pub fn and(&mut self, args: &[Term]) -> Term {
        self.junction(Op::And, args, true)
    }

    pub fn or(&mut self, args: &[Term]) -> Term {
        self.junction(Op::Or, args, false)
    }

    /// Conjunction (neutral element true) or disjunction (false), with operands sorted so that
    /// their order and repetitions do not matter.
    fn junction(&mut self, op: Op, args: &[Term], neutral: bool) -> Term {
        let mut kept: Vec<Term> = Vec::with_capacity(args.len());
        for &arg in args {
            self.expect(arg, Sort::Bool);
            if self.is_bool(arg, !neutral) {
                return arg;
            }
            if !self.is_bool(arg, neutral) {
                kept.push(arg);
            }
        }
        kept.sort_unstable();
        kept.dedup();
        let opposite = |&arg: &Term| {
            matches!(self.op(arg), Op::Not) && kept.binary_search(&self.args(arg)[0]).is_ok()
        };
        if kept.iter().any(opposite) {
            return self.bool(!neutral);
        }
        match kept.as_slice() {
            [] => self.bool(neutral),
            [only] => *only,
            _ => self.intern(op, &kept, Sort::Bool),
        }
    }

    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not = self.not(a);
        self.or(&[not, b])
    }

    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        self.expect(b, self.sort(a));
        if a == b {
            return self.bool(true);
        }
        match (self.constant(a).cloned(), self.constant(b).cloned()) {
            (Some(_), Some(_)) => return self.bool(false),
            (Some(value), None) => {
                if let Some(simpler) = self.eq_constant(b, &value) {
                    return simpler;
                }
            }
            (None, Some(value)) => {
                if let Some(simpler) = self.eq_constant(a, &value) {
                    return simpler;
                }
            }
            (None, None) => {}
        }
        self.intern(Op::Eq, &[a.min(b), a.max(b)], Sort::Bool)
    }

    /// Equality with true and false, and of a choice between constants with a constant: this
    /// undoes the conversion of a bool to an integer.
    fn eq_constant(&mut self, term: Term, value: &Value) -> Option<Term> {
        if let Value::Bool(positive) = value {
            return Some(if *positive { term } else { self.not(term) });
        }
        let (Op::Ite, &[condition, then, otherwise]) = (self.op(term), self.args(term)) else {
            return None;
        };
        let (then, otherwise) = (self.constant(then)?, self.constant(otherwise)?);
        match (then == value, otherwise == value) {
            (true, true) => Some(self.bool(true)),
            (false, false) => Some(self.bool(false)),
            (true, false) => Some(condition),
            (false, true) => Some(self.not(condition)),
        }
    }

    pub fn ite(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        self.expect(condition, Sort::Bool);
        let sort = self.sort(then);
        self.expect(otherwise, sort);
        if then == otherwise || self.is_bool(condition, true) {
            return then;
        }
        if self.is_bool(condition, false) {
            return otherwise;
        }
        if matches!(self.op(condition), Op::Not) {
            let positive = self.args(condition)[0];
            return self.ite(positive, otherwise, then);
        }
        if sort == Sort::Bool
            && let Some(simpler) = self.ite_bool(condition, then, otherwise)
        {
            return simpler;
        }
        self.intern(Op::Ite, &[condition, then, otherwise], sort)
    }

    fn ite_bool(&mut self, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
        if self.is_bool(then, true) {
            return Some(self.or(&[condition, otherwise]));
        }
        if self.is_bool(then, false) {
            let not = self.not(condition);
            return Some(self.and(&[not, otherwise]));
        }
        if self.is_bool(otherwise, false) {
            return Some(self.and(&[condition, then]));
        }
        if self.is_bool(otherwise, true) {
            return Some(self.implies(condition, then));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities() {
        let mut t = Terms::new();
        let (p, q) = (t.var("p", Sort::Bool), t.var("q", Sort::Bool));
        let (yes, no) = (t.bool(true), t.bool(false));
        let not_p = t.not(p);
        assert_eq!(t.not(not_p), p);
        assert_eq!(t.and(&[p, yes, p]), p);
        assert_eq!(t.and(&[p, not_p, q]), no);
        assert_eq!(t.or(&[q, not_p, p]), yes);
        assert_eq!(t.and(&[p, q]), t.and(&[q, p]));
        assert_eq!(t.ite(not_p, p, q), t.ite(p, q, p));
        assert_eq!(t.ite(p, yes, no), p);
        assert_eq!(t.and(&[]), yes);
        assert_eq!(t.eq(p, no), not_p);
    }

    #[test]
    fn a_bool_kept_as_an_integer_comes_back() {
        let mut t = Terms::new();
        let p = t.var("p", Sort::Bool);
        let (zero, one, two) = (t.int(0), t.int(1), t.int(2));
        let kept = t.ite(p, one, zero);
        assert_eq!(t.eq(kept, one), p);
        assert_eq!(t.ne(kept, zero), p);
        assert_eq!(t.eq(kept, two), t.bool(false));
    }

    #[test]
    #[should_panic(expected = "wrong sort")]
    fn sorts_are_checked() {
        let mut t = Terms::new();
        let (x, p) = (t.var("x", Sort::Int), t.var("p", Sort::Bool));
        t.eq(x, p);
    }
}
