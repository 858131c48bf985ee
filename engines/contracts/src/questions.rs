//! The questions of one check, as the solver gets them and as the cache knows them.
//!
//! Everything that is asserted and asked, in order, goes into one digest, by content: a term is known
//! by its operator, its sort and the digests of its arguments, a variable by its name. So two checks
//! with one digest have asked the same questions, whatever program they came from and wherever its
//! lines stand.
//!
//! A *rehearsal* asks nothing: it makes all questions, for their digest, and takes each answer to be
//! the one that is hoped for. That is possible because no question depends on the answers to earlier
//! ones, but for guesses about loops, which are settled before. What a rehearsal says counts only if
//! the digest is that of a check in which the solver has given these answers.

use rustc_hash::FxHashMap;
use selvedge_smt::{Answer, Core, Limits, Logic, Op, Reason, Solver, Sort, Term, Terms};

use crate::digest::{Digest, Hasher};

pub(crate) struct Questions {
    /// None in a rehearsal.
    solver: Option<Solver>,
    known: FxHashMap<Term, Digest>,
    sorts: FxHashMap<Sort, String>,
    all: Hasher,
}

/// Whether something can hold.
pub(crate) enum Possible {
    Yes,
    No,
    Unknown(Reason),
}

impl Questions {
    pub fn new(limits: Limits, rehearsal: bool) -> Questions {
        Questions {
            solver: (!rehearsal).then(|| Solver::new(Logic::All, limits)),
            known: FxHashMap::default(),
            sorts: FxHashMap::default(),
            all: Hasher::new(),
        }
    }

    pub fn assert(&mut self, terms: &Terms, fact: Term) {
        self.take_down(terms, b'a', fact);
        if let Some(solver) = &mut self.solver {
            solver.assert(terms, fact);
        }
    }

    /// Whether the formula contradicts what is asserted, which is hoped for.
    pub fn refute(&mut self, terms: &Terms, formula: Term) -> Answer {
        self.take_down(terms, b'r', formula);
        match &mut self.solver {
            None => Answer::Unsat(Core::default()),
            // No need to ask, and none to count it as asked.
            Some(_) if terms.constant(formula).is_some_and(|v| v.as_bool() == Some(false)) => {
                Answer::Unsat(Core::default())
            }
            Some(solver) => solver.check(terms, &[formula]),
        }
    }

    /// Whether all that is asserted can hold together, which is hoped for.
    pub fn possible(&mut self, terms: &Terms) -> Possible {
        self.all.read(b"p");
        let Some(solver) = &mut self.solver else { return Possible::Yes };
        match solver.check(terms, &[]) {
            // What the solver found need not be readable.
            Answer::Sat(_) | Answer::Unknown(Reason::Unreadable(_)) => Possible::Yes,
            Answer::Unsat(_) => Possible::No,
            Answer::Unknown(reason) => Possible::Unknown(reason),
        }
    }

    /// What has been asserted and asked.
    pub fn digest(&self) -> Digest {
        self.all.clone().finish()
    }

    fn take_down(&mut self, terms: &Terms, what: u8, formula: Term) {
        let digest = self.digest_of(terms, formula);
        self.all.read(&[what]);
        self.all.read(&digest.0);
    }

    /// Terms may be deep, so what is still to be done is kept on a stack of its own.
    fn digest_of(&mut self, terms: &Terms, root: Term) -> Digest {
        let mut open = vec![root];
        while let Some(&term) = open.last() {
            if self.known.contains_key(&term) {
                open.pop();
                continue;
            }
            let before = open.len();
            open.extend(terms.args(term).iter().filter(|arg| !self.known.contains_key(arg)));
            if open.len() == before {
                let digest = self.of_node(terms, term);
                self.known.insert(term, digest);
                open.pop();
            }
        }
        self.known[&root]
    }

    fn of_node(&mut self, terms: &Terms, term: Term) -> Digest {
        let sort = terms.sort(term);
        let sort = self.sorts.entry(sort).or_insert_with(|| terms.show_sort(sort).to_string());
        let mut hasher = Hasher::new();
        hasher.read_part(sort.as_bytes());
        match terms.op(term) {
            Op::Var(_) => hasher.read_part(terms.name(term).unwrap_or_default().as_bytes()),
            Op::ConstArray(_) => hasher.read_part(b"=array"),
            op => hasher.read_part(format!("={op:?}").as_bytes()),
        }
        for arg in terms.args(term) {
            hasher.read(&self.known[arg].0);
        }
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(ask: impl FnOnce(&mut Terms, &mut Questions)) -> Digest {
        let mut terms = Terms::new();
        let mut questions = Questions::new(Limits::none(), true);
        ask(&mut terms, &mut questions);
        questions.digest()
    }

    fn less(terms: &mut Terms, a: &str, b: &str) -> Term {
        let (a, b) = (terms.var(a, Sort::Int), terms.var(b, Sort::Int));
        terms.lt(a, b)
    }

    #[test]
    fn one_question_has_one_digest() {
        let plain = digest(|t, q| {
            let fact = less(t, "x", "y");
            q.assert(t, fact);
            q.refute(t, fact);
        });
        let other_terms_before = digest(|t, q| {
            less(t, "u", "v");
            let fact = less(t, "x", "y");
            q.assert(t, fact);
            q.refute(t, fact);
        });
        assert_eq!(plain, other_terms_before);
    }

    #[test]
    fn whatever_differs_shows() {
        let base = |t: &mut Terms, q: &mut Questions| {
            let fact = less(t, "x", "y");
            q.assert(t, fact);
            q.refute(t, fact);
        };
        let swapped = |t: &mut Terms, q: &mut Questions| {
            let fact = less(t, "y", "x");
            q.assert(t, fact);
            q.refute(t, fact);
        };
        let weaker = |t: &mut Terms, q: &mut Questions| {
            let fact = less(t, "x", "y");
            q.refute(t, fact);
        };
        let possible = |t: &mut Terms, q: &mut Questions| {
            let fact = less(t, "x", "y");
            q.assert(t, fact);
            q.possible(t);
        };
        let all = [digest(base), digest(swapped), digest(weaker), digest(possible)];
        for (index, one) in all.iter().enumerate() {
            assert!(!all[index + 1..].contains(one), "{index}");
        }
    }
}
