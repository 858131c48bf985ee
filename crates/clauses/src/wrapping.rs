//! Wrap-around without remainders.
//!
//! The solver is poor at remainders by large numbers. Where an operation leaves its type by less than
//! the type's size, which the ranges of its variables tell, the remainder is a choice among three sums.

use rustc_hash::FxHashMap;
use selvedge_smt::{Op, Term, Terms};

/// The least and the greatest values of variables.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    of: FxHashMap<Term, (i128, i128)>,
}

impl Bounds {
    /// As far as conjuncts of the formulas bound a variable by constants from both sides.
    pub fn of(terms: &Terms, formulas: &[Term]) -> Bounds {
        let mut low: FxHashMap<Term, i128> = FxHashMap::default();
        let mut high: FxHashMap<Term, i128> = FxHashMap::default();
        for part in terms.conjuncts(formulas) {
            let (Op::Le, &[a, b]) = (terms.op(part), terms.args(part)) else { continue };
            if let (Some(least), Some(_)) = (constant(terms, a), terms.name(b)) {
                low.entry(b).and_modify(|old| *old = least.max(*old)).or_insert(least);
            }
            if let (Some(_), Some(most)) = (terms.name(a), constant(terms, b)) {
                high.entry(a).and_modify(|old| *old = most.min(*old)).or_insert(most);
            }
        }
        let both =
            low.into_iter().filter_map(|(var, least)| Some((var, (least, *high.get(&var)?))));
        Bounds { of: both.collect() }
    }

    /// The term with remainders replaced where that is right.
    pub fn simplify(&self, terms: &mut Terms, term: Term) -> Term {
        terms.map(term, |terms, _, new| {
            let (Op::Mod, &[value, by]) = (terms.op(new), terms.args(new)) else { return None };
            let modulus = constant(terms, by).filter(|&modulus| modulus > 0)?;
            let (least, most) = self.range(terms, value)?;
            if least < -modulus || most >= 2 * modulus {
                return None;
            }
            let zero = terms.int(0);
            let (below, above) = (terms.lt(value, zero), terms.le(by, value));
            let (more, less) = (terms.add(&[value, by]), terms.sub(value, by));
            let mut result = value;
            if least < 0 {
                result = terms.ite(below, more, result);
            }
            if most >= modulus {
                result = terms.ite(above, less, result);
            }
            Some(result)
        })
    }

    fn range(&self, terms: &Terms, term: Term) -> Option<(i128, i128)> {
        if let Some(value) = constant(terms, term) {
            return Some((value, value));
        }
        let args = terms.args(term);
        match terms.op(term) {
            Op::Var(_) => self.of.get(&term).copied(),
            Op::Add => args.iter().try_fold((0i128, 0i128), |(low, high), &arg| {
                let (least, most) = self.range(terms, arg)?;
                Some((low.checked_add(least)?, high.checked_add(most)?))
            }),
            Op::Mul => {
                let &[a, b] = args else { return None };
                let (factor, (least, most)) = (constant(terms, a)?, self.range(terms, b)?);
                let ends = [factor.checked_mul(least)?, factor.checked_mul(most)?];
                Some((ends[0].min(ends[1]), ends[0].max(ends[1])))
            }
            Op::Ite => {
                let (a, b) = (self.range(terms, args[1])?, self.range(terms, args[2])?);
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
            Op::Mod => constant(terms, args[1]).filter(|&m| m > 0).map(|m| (0, m - 1)),
            _ => None,
        }
    }
}

fn constant(terms: &Terms, term: Term) -> Option<i128> {
    terms.constant(term)?.as_int().and_then(|int| i128::try_from(int).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_increment_needs_one_choice() {
        let mut t = Terms::new();
        let ranges = t.read("(and (<= 0 x) (<= x 255))");
        assert!(ranges.is_err(), "x has no sort yet");
        let _ = t.var("x", selvedge_smt::Sort::Int);
        let ranges = t.read("(and (<= 0 x) (<= x 255))").unwrap();
        let bounds = Bounds::of(&t, &[ranges]);
        let more = t.read("(mod (+ x 1) 256)").unwrap();
        let expected = t.read("(ite (<= 256 (+ x 1)) (+ x (- 255)) (+ x 1))").unwrap();
        assert_eq!(bounds.simplify(&mut t, more), expected);
        let far = t.read("(mod (* 3 x) 256)").unwrap();
        assert_eq!(bounds.simplify(&mut t, far), far);
    }
}
