//! Formulas weakened so that they are easy: what is computed on bits or by division may be anything.

use rustc_hash::FxHashMap;

use crate::sort::Sort;
use crate::term::{Op, Term, Terms};

/// Which terms were replaced by which variables, so that the same term is the same variable.
pub type Replaced = FxHashMap<Term, Term>;

impl Terms {
    /// Replaces every number and truth value that is computed from bit-vectors, and every quotient and
    /// remainder, by a variable of its own. Whatever can be, can be for some values of these variables: what is impossible for the
    /// result is impossible for the formula.
    pub fn opaque(&mut self, root: Term, replaced: &mut Replaced) -> Term {
        if let Some(&known) = replaced.get(&root) {
            return known;
        }
        let result = self.map(root, |terms, old, new| {
            let of_bits = |arg: &Term| matches!(terms.sort(*arg), Sort::BitVec(_));
            let sort = terms.sort(old);
            let crosses = matches!(sort, Sort::Int | Sort::Bool)
                && matches!(terms.op(old), op if *op != Op::Ite)
                && terms.args(old).iter().any(of_bits);
            if !crosses && !matches!(terms.op(old), Op::Div | Op::Mod) {
                return None;
            }
            if let Some(&known) = replaced.get(&old) {
                return Some(known);
            }
            let variable = terms.fresh("opaque", sort);
            replaced.insert(old, variable);
            Some(variable).filter(|&variable| variable != new)
        });
        replaced.insert(root, result);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_computation_is_the_same_variable() {
        let mut t = Terms::new();
        let (x, y) = (t.var("x", Sort::Int), t.var("y", Sort::Int));
        let (a, b) = (t.int_to_bv(8, x), t.int_to_bv(8, y));
        let both = t.bv_xor(a, b);
        let number = t.bv_to_int(both);
        let zero = t.int(0);
        let is_zero = t.eq(number, zero);
        let mut replaced = Replaced::default();
        let first = t.opaque(is_zero, &mut replaced);
        assert_ne!(first, is_zero);
        assert!(!t.variables(&[first]).contains(&x));
        let not = t.not(is_zero);
        let second = t.opaque(not, &mut replaced);
        assert_eq!(second, t.not(first));
    }

    #[test]
    fn what_has_no_bits_stays() {
        let mut t = Terms::new();
        let (x, y) = (t.var("x", Sort::Int), t.var("y", Sort::Int));
        let less = t.lt(x, y);
        assert_eq!(t.opaque(less, &mut Replaced::default()), less);
    }
}
