//! Reads of arrays, spelt out.
//!
//! A read is pushed through writes and choices down to the array that stood at the start, where it
//! becomes a variable of its own. What a map starts with is what another ends with, so that variable
//! equals a read of the other map at the same index; in the end only arrays are left whose content
//! is known, or free. So no theory of arrays is needed, at the price of a comparison of indices for
//! each read and each write before it. Where that is too much, the theory is used after all.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::{Op, Term, Terms};

/// Reads of single arrays at most.
const LIMIT: usize = 1_000_000;

#[derive(Debug, Default)]
pub(super) struct Reads {
    known: FxHashMap<(Term, Term), Term>,
    /// The reads of initial arrays: array, index, value.
    leaves: Vec<(Term, Term, Term)>,
    /// Arrays whose reads are equal to reads of others.
    matched: FxHashSet<Term>,
}

impl Reads {
    /// There are too many to spell them out.
    pub fn too_many(&self) -> bool {
        self.known.len() > LIMIT
    }

    /// The element at an index.
    pub fn read(&mut self, terms: &mut Terms, array: Term, index: Term) -> Term {
        let mut open = vec![array];
        while let Some(&at) = open.last() {
            if self.known.contains_key(&(at, index)) {
                open.pop();
                continue;
            }
            let found = match (terms.op(at).clone(), terms.args(at)) {
                _ if self.too_many() => Ok(terms.select(at, index)),
                (Op::ConstArray(_), &[element]) => Ok(element),
                (Op::Store, &[below, written, element]) => {
                    let here = terms.eq(written, index);
                    if here == terms.bool(true) {
                        Ok(element)
                    } else {
                        let below = self.known.get(&(below, index)).copied().ok_or(below);
                        below.map(|below| terms.ite(here, element, below))
                    }
                }
                (Op::Ite, &[condition, a, b]) => {
                    let value = |array| self.known.get(&(array, index)).copied().ok_or(array);
                    match (value(a), value(b)) {
                        (Ok(a), Ok(b)) => Ok(terms.ite(condition, a, b)),
                        (Err(missing), _) | (_, Err(missing)) => Err(missing),
                    }
                }
                _ => Ok(self.leaf(terms, at, index)),
            };
            match found {
                Ok(value) => {
                    self.known.insert((at, index), value);
                    open.pop();
                }
                Err(missing) => open.push(missing),
            }
        }
        self.known[&(array, index)]
    }

    fn leaf(&mut self, terms: &mut Terms, array: Term, index: Term) -> Term {
        let (_, element) = terms.array_parts(terms.sort(array));
        let name = terms.name(array).unwrap_or("array").to_owned();
        let value = terms.fresh(&format!("{name}[]"), element);
        self.leaves.push((array, index, value));
        value
    }

    /// The indices at which an initial array is read.
    pub fn of(&self, array: Term) -> impl Iterator<Item = Term> + '_ {
        self.leaves.iter().filter(move |leaf| leaf.0 == array).map(|leaf| leaf.1)
    }

    /// Each pair of arrays is equal, of which the second is initial: as far as that is read.
    pub fn equations(
        &mut self,
        terms: &mut Terms,
        pairs: &[(Term, Term)],
        equations: &mut Vec<Term>,
    ) {
        self.matched.extend(pairs.iter().map(|pair| pair.1));
        // Reading the first of a pair may add leaves, also of arrays looked at before.
        let mut next = 0;
        while next < self.leaves.len() {
            let (array, index, value) = self.leaves[next];
            next += 1;
            for pair in pairs.iter().filter(|pair| pair.1 == array) {
                let other = self.read(terms, pair.0, index);
                equations.push(terms.eq(value, other));
            }
        }
    }

    /// Equal indices have equal elements, of arrays that nothing else defines.
    pub fn functional(&self, terms: &mut Terms, facts: &mut Vec<Term>) {
        for (i, &(array, index, value)) in self.leaves.iter().enumerate() {
            if self.matched.contains(&array) {
                continue;
            }
            for &(_, other_index, other) in self.leaves[..i].iter().filter(|leaf| leaf.0 == array) {
                let same = terms.eq(index, other_index);
                let equal = terms.eq(value, other);
                facts.push(terms.implies(same, equal));
            }
        }
    }
}
