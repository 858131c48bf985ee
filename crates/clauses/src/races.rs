//! Data races as queries.
//!
//! A race is a state in which two threads may both access the same memory next, one of them to write,
//! one of them not atomically. So for each pair of such accesses there is a clause: where both threads
//! stand before their accesses and the relations of all choices among them hold, the conditions of
//! both accesses and that they go to the same memory exclude each other. At level 1 the body has one
//! relation for each of the two threads; from level 2 on it is one about both.

use rustc_hash::FxHashMap;
use selvedge_smt::{Term, Terms};

use super::conflicts::Conflict;
use super::frame::Placed;
use super::reach::Reach;

/// The inputs of an action among the variables of formulas, renamed: two threads at one location take
/// inputs of their own. The other variables are those of the state.
pub fn own_inputs(
    terms: &mut Terms,
    of_state: &dyn Fn(Term) -> bool,
    formulas: &[Term],
) -> FxHashMap<Term, Term> {
    let mut inputs = FxHashMap::default();
    for variable in terms.variables(formulas) {
        if of_state(variable) {
            continue;
        }
        if let Some(name) = terms.name(variable).map(str::to_owned) {
            let sort = terms.sort(variable);
            inputs.insert(variable, terms.var(&format!("{name}@other"), sort));
        }
    }
    inputs
}

/// Two threads before accesses that conflict, with the threads that a clause is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// Those of a key first.
    pub threads: Vec<Placed>,
    /// Which of them access.
    pub who: [usize; 2],
    pub conflict: Conflict,
}

impl Reach<'_> {
    /// All meetings that clauses are about: the smallest that have both threads.
    pub fn meetings(&self) -> Vec<Meeting> {
        let mut found = Vec::new();
        for &conflict in &self.frame.view.conflicts {
            let place = |access: (usize, usize)| (access.0, self.frame.view.access(access).at);
            let both = [place(conflict.first), place(conflict.second)];
            let core = both.iter().any(|placed| self.frame.is_core(placed.0));
            let alone = self.frame.level.others == 1 && !core;
            for key in &self.keys {
                let add = |threads: Vec<Placed>, found: &mut Vec<Meeting>| {
                    if let Some(who) = positions(&threads, both) {
                        found.push(Meeting { threads, who, conflict });
                    }
                };
                if self.frame.is_least(key, &both) {
                    add(key.clone(), &mut found);
                } else if alone && self.frame.is_least(key, &both[..1]) {
                    let mut threads = key.clone();
                    threads.push(both[1]);
                    if self.possible(&threads) {
                        add(threads, &mut found);
                    }
                }
            }
        }
        found
    }
}

/// Where two different threads are that stand so.
fn positions(threads: &[Placed], [first, second]: [Placed; 2]) -> Option<[usize; 2]> {
    let first = threads.iter().position(|placed| *placed == first)?;
    let mut rest = threads.iter().enumerate().filter(|(index, _)| *index != first);
    rest.find(|(_, placed)| **placed == second).map(|(second, _)| [first, second])
}

#[cfg(test)]
mod tests {
    use selvedge_system::{At, overlap};

    use super::*;

    #[test]
    fn two_different_threads_are_found() {
        let (a, b) = ((0, At::Cut(1)), (1, At::Cut(2)));
        assert_eq!(positions(&[a, b], [b, a]), Some([1, 0]));
        assert_eq!(positions(&[a, b], [a, a]), None);
        assert_eq!(positions(&[a, b, a], [a, a]), Some([0, 2]));
    }

    #[test]
    fn accesses_overlap_by_bytes() {
        let mut terms = Terms::new();
        let object = terms.int(3);
        let mut at = |offset: i32| vec![object, terms.int(offset)];
        let (four, six, eight) = (at(4), at(6), at(8));
        let yes = terms.bool(true);
        assert_eq!(overlap(&mut terms, (&four, 4), (&six, 1)), yes);
        assert_ne!(overlap(&mut terms, (&four, 4), (&eight, 4)), yes);
    }
}
