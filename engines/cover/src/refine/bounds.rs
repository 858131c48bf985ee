//! Bounds that leave one number: interpolants say `-1 < x` and `x < 1` where `x == 0` is meant. One
//! predicate in place of two halves the number of abstract states.

use selvedge_smt::{Op, Term, Terms};

/// The literals, with a lower and an upper bound that leave one number as an equation.
pub fn joined(terms: &mut Terms, literals: Vec<Term>) -> Vec<Term> {
    let bounds: Vec<Option<Bound>> = literals.iter().map(|&l| bound(terms, l)).collect();
    let mut found: Vec<Term> = Vec::new();
    for (index, &literal) in literals.iter().enumerate() {
        let mate = bounds.iter().flatten().find_map(|other| bounds[index].as_ref()?.only(other));
        let literal = match mate {
            Some((of, number)) => terms.eq(of, number),
            None => literal,
        };
        if !found.contains(&literal) {
            found.push(literal);
        }
    }
    found
}

/// The least, or the greatest, number that a term can be.
struct Bound {
    of: Term,
    number: Term,
    upper: bool,
}

impl Bound {
    fn only(&self, other: &Bound) -> Option<(Term, Term)> {
        let same = self.of == other.of && self.upper != other.upper && self.number == other.number;
        same.then_some((self.of, self.number))
    }
}

fn bound(terms: &mut Terms, literal: Term) -> Option<Bound> {
    let strict = match terms.op(literal) {
        Op::Le => 0,
        Op::Lt => 1,
        _ => return None,
    };
    let &[left, right] = terms.args(literal) else { return None };
    let number = |term: Term| terms.constant(term).and_then(|value| value.as_int()).cloned();
    let (of, number, upper) = match (number(left), number(right)) {
        (Some(low), None) => (right, low + strict, false),
        (None, Some(high)) => (left, high - strict, true),
        _ => return None,
    };
    Some(Bound { of, number: terms.int(number), upper })
}

#[cfg(test)]
mod tests {
    use selvedge_smt::Sort;

    use super::*;

    #[test]
    fn two_bounds_become_an_equation() {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::Int);
        let numbers: Vec<Term> = [-1, 0, 1, 2].iter().map(|&n: &i32| terms.int(n)).collect();
        let (low, high) = (terms.lt(numbers[0], x), terms.lt(x, numbers[2]));
        let wide = terms.le(x, numbers[3]);
        let equal = terms.eq(x, numbers[1]);
        assert_eq!(joined(&mut terms, vec![low, wide, high]), [equal, wide]);
        assert_eq!(joined(&mut terms, vec![low, wide]), [low, wide]);
    }
}
