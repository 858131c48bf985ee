//! Arrays.

use crate::sort::Sort;
use crate::term::{Op, Term, Terms};

impl Terms {
    /// The array that holds `element` everywhere.
    pub fn const_array(&mut self, index: Sort, element: Term) -> Term {
        let sort = self.array_sort(index, self.sort(element));
        self.intern(Op::ConstArray(sort), &[element], sort)
    }

    pub fn select(&mut self, array: Term, index: Term) -> Term {
        let (index_sort, element_sort) = self.array_parts(self.sort(array));
        self.expect(index, index_sort);
        let mut below = array;
        loop {
            match (self.op(below), self.args(below)) {
                (Op::ConstArray(_), &[element]) => return element,
                (Op::Store, &[_, at, element]) if at == index => return element,
                (Op::Store, &[older, at, _]) if self.differ(at, index) => below = older,
                _ => break,
            }
        }
        self.intern(Op::Select, &[below, index], element_sort)
    }

    pub fn store(&mut self, array: Term, index: Term, element: Term) -> Term {
        let sort = self.sort(array);
        let (index_sort, element_sort) = self.array_parts(sort);
        self.expect(index, index_sort);
        self.expect(element, element_sort);
        let overwrites = matches!(self.op(array), Op::Store) && self.args(array)[1] == index;
        let below = if overwrites { self.args(array)[0] } else { array };
        let reads_back = matches!(self.op(element), Op::Select)
            && self.args(element)[0] == below
            && self.args(element)[1] == index;
        let says_nothing_new =
            matches!(self.op(below), Op::ConstArray(_)) && self.args(below)[0] == element;
        if reads_back || says_nothing_new {
            return below;
        }
        self.intern(Op::Store, &[below, index, element], sort)
    }

    /// Certainly different: distinct constants.
    fn differ(&self, a: Term, b: Term) -> bool {
        a != b && self.constant(a).is_some() && self.constant(b).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_over_writes() {
        let mut t = Terms::new();
        let sort = t.array_sort(Sort::Int, Sort::Int);
        let (m, i) = (t.var("m", sort), t.var("i", Sort::Int));
        let (one, two, seven) = (t.int(1), t.int(2), t.int(7));
        let written = t.store(m, one, seven);
        assert_eq!(t.select(written, one), seven);
        assert_eq!(t.select(written, two), t.select(m, two));
        let open = t.select(written, i);
        assert!(t.show(open).to_string().contains("store"));
        let again = t.store(written, one, two);
        assert_eq!(again, t.store(m, one, two));
        let same = t.select(m, i);
        assert_eq!(t.store(m, i, same), m);
    }
}
