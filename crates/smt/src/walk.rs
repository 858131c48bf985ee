//! Going over terms: every subterm once, parts before wholes, without recursion, since unrolled
//! programs give terms of any depth.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::sort::Sort;
use crate::term::{Op, Term, Terms};

impl Terms {
    /// Calls `f` once on every subterm of the roots, parts before wholes.
    pub fn walk(&self, roots: &[Term], f: impl FnMut(Term)) {
        self.walk_unless(roots, |_| false, f);
    }

    /// Likewise; what is known is passed over, with all below it.
    pub(crate) fn walk_unless(
        &self,
        roots: &[Term],
        known: impl Fn(Term) -> bool,
        mut f: impl FnMut(Term),
    ) {
        let mut open: Vec<(Term, bool)> = roots.iter().rev().map(|&root| (root, false)).collect();
        let mut entered = FxHashSet::default();
        while let Some((term, ready)) = open.pop() {
            if ready {
                f(term);
            } else if !known(term) && entered.insert(term) {
                open.push((term, true));
                open.extend(self.args(term).iter().rev().map(|&arg| (arg, false)));
            }
        }
    }

    /// The parts of formulas that are conjunctions, from left to right.
    pub fn conjuncts(&self, formulas: &[Term]) -> Vec<Term> {
        let mut found = Vec::new();
        let mut open: Vec<Term> = formulas.iter().rev().copied().collect();
        while let Some(formula) = open.pop() {
            match self.op(formula) {
                Op::And => open.extend(self.args(formula).iter().rev()),
                _ => found.push(formula),
            }
        }
        found
    }

    /// How many parts all conjunctions and disjunctions have when each is dissolved in those of its
    /// kind that it is a part of. Chains of them make that quadratic.
    pub fn flattened(&self, roots: &[Term]) -> usize {
        let mut parts: FxHashMap<Term, usize> = FxHashMap::default();
        let mut all = 0usize;
        self.walk(roots, |term| {
            let op = self.op(term);
            if matches!(op, Op::And | Op::Or) {
                let inside = |arg: &Term| if self.op(*arg) == op { parts[arg] } else { 1 };
                let own = self.args(term).iter().map(inside).fold(0, usize::saturating_add);
                parts.insert(term, own);
                all = all.saturating_add(own);
            }
        });
        all
    }

    /// Rebuilds bottom-up. `f` is given each subterm as it was and as it is with its parts
    /// rebuilt, and may replace it.
    pub fn map(
        &mut self,
        root: Term,
        mut f: impl FnMut(&mut Terms, Term, Term) -> Option<Term>,
    ) -> Term {
        let mut order = Vec::new();
        self.walk(&[root], |term| order.push(term));
        let mut rebuilt: FxHashMap<Term, Term> = FxHashMap::default();
        for old in order {
            let args: SmallVec<[Term; 3]> = self.args(old).iter().map(|a| rebuilt[a]).collect();
            let new = if args.as_slice() == self.args(old) {
                old
            } else {
                let node = self.node(old);
                let (op, sort) = (node.op.clone(), node.sort);
                self.apply(&op, &args, sort)
            };
            let new = f(self, old, new).unwrap_or(new);
            rebuilt.insert(old, new);
        }
        rebuilt[&root]
    }

    /// Replaces variables (or other subterms) by terms of the same sort, all at once.
    pub fn substitute(&mut self, root: Term, by: &FxHashMap<Term, Term>) -> Term {
        if by.is_empty() {
            return root;
        }
        self.map(root, |_, old, _| by.get(&old).copied())
    }

    /// The variables below the roots, in order of their creation.
    pub fn variables(&self, roots: &[Term]) -> Vec<Term> {
        let mut found = Vec::new();
        self.walk(roots, |term| {
            if matches!(self.op(term), Op::Var(_)) {
                found.push(term);
            }
        });
        found.sort();
        found
    }

    /// Copies a term of another arena; variables keep their names.
    pub fn import(&mut self, other: &Terms, root: Term) -> Term {
        let mut order = Vec::new();
        other.walk(&[root], |term| order.push(term));
        let mut copied: FxHashMap<Term, Term> = FxHashMap::default();
        for term in order {
            let node = other.node(term);
            let sort = self.import_sort(other, node.sort);
            let args: SmallVec<[Term; 3]> = node.args.iter().map(|a| copied[a]).collect();
            let new = match (&node.op, other.name(term)) {
                (_, Some(name)) => self.var(name, sort),
                (Op::ConstArray(_), _) => self.apply(&Op::ConstArray(sort), &args, sort),
                (op, _) => self.apply(op, &args, sort),
            };
            copied.insert(term, new);
        }
        copied[&root]
    }

    fn import_sort(&mut self, other: &Terms, sort: Sort) -> Sort {
        if !matches!(sort, Sort::Array(_)) {
            return sort;
        }
        let (index, element) = other.array_parts(sort);
        let (index, element) = (self.import_sort(other, index), self.import_sort(other, element));
        self.array_sort(index, element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_every_subterm_once_parts_first() {
        let mut t = Terms::new();
        let x = t.var("x", Sort::Int);
        let one = t.int(1);
        let sum = t.add(&[x, one]);
        let product = t.mul(&[sum, sum]);
        let mut seen = Vec::new();
        t.walk(&[product], |term| seen.push(term));
        assert_eq!(seen.len(), 4);
        assert_eq!(seen.last(), Some(&product));
    }

    #[test]
    fn substitutes_at_once_and_simplifies() {
        let mut t = Terms::new();
        let (x, y) = (t.var("x", Sort::Int), t.var("y", Sort::Int));
        let less = t.lt(x, y);
        let swapped = t.substitute(less, &[(x, y), (y, x)].into_iter().collect());
        assert_eq!(swapped, t.lt(y, x));
        let (one, two) = (t.int(1), t.int(2));
        let closed = t.substitute(less, &[(x, one), (y, two)].into_iter().collect());
        assert_eq!(closed, t.bool(true));
    }

    #[test]
    fn parts_of_conjunctions_in_order() {
        let mut t = Terms::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| t.var(name, Sort::Bool));
        let (either, inner) = (t.or(&[c, d]), t.and(&[b, c]));
        let all = t.and(&[a, inner, either]);
        let mut parts = t.conjuncts(&[all, d]);
        assert_eq!(parts.pop(), Some(d));
        parts.sort();
        assert_eq!(parts, [a, b, c, either]);
        assert_eq!(t.conjuncts(&[either]), [either]);
    }

    #[test]
    fn chains_of_conjunctions_are_quadratic_when_flattened() {
        let mut t = Terms::new();
        let parts: Vec<Term> = (0..6).map(|i| t.var(&format!("p{i}"), Sort::Bool)).collect();
        let mut chain = t.and(&parts[..2]);
        for &part in &parts[2..5] {
            chain = t.and(&[chain, part]);
        }
        assert_eq!(t.flattened(&[chain]), 2 + 3 + 4 + 5);
        // What is inside the other kind is one part.
        let either = t.or(&[chain, parts[5]]);
        assert_eq!(t.flattened(&[either]), t.flattened(&[chain]) + 2);
    }

    #[test]
    fn depth_does_not_matter() {
        let mut t = Terms::new();
        let x = t.var("x", Sort::BitVec(8));
        let mut deep = x;
        for _ in 0..200_000 {
            let not = t.bv_not(deep);
            deep = t.bv_add(not, x);
        }
        let y = t.var("y", Sort::BitVec(8));
        let moved = t.substitute(deep, &[(x, y)].into_iter().collect());
        assert_eq!(t.variables(&[moved]), vec![y]);
    }

    #[test]
    fn imports_from_another_arena() {
        let mut a = Terms::new();
        let sort = a.array_sort(Sort::Int, Sort::Bool);
        let (m, i) = (a.var("m", sort), a.var("i", Sort::Int));
        let read = a.select(m, i);
        let mut b = Terms::new();
        b.var("i", Sort::Int);
        let copy = b.import(&a, read);
        assert_eq!(a.show(read).to_string(), b.show(copy).to_string());
    }
}
