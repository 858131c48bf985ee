//! Variables that go round in a circle, as the tickets of a ticket lock.
//!
//! Some variables are only copied, counted up or down, and compared with each other. What a proof
//! about integers without bounds says of their differences holds of machine integers that wrap
//! around, too, as long as the differences are small: seen from one of them, the base, the others lie
//! ahead by less than the size of the type. So each other variable is taken to be where it is
//! ahead of the base, and what the proof says of single values is dropped. Whether that is a proof is
//! the checker's question.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_certify::{Certificate, names};
use selvedge_clauses::view::{Move, View};
use selvedge_smt::{Op, Sort, Term, Terms};

use crate::problem::Problem;

/// Variables of one circle, by their names in steps.
#[derive(Clone, Debug)]
pub struct Circle {
    base: String,
    names: FxHashSet<String>,
    size: i128,
}

/// A sum of variables with their factors; none where it is not one.
type Sum = Option<FxHashMap<Term, i128>>;

/// The circles of a system without bounds, once for each shared variable as the base. The sizes of
/// types are those of machine integers.
pub fn circles(problem: &Problem, sizes: &FxHashMap<String, i128>) -> Vec<Circle> {
    let Problem { terms, view, .. } = problem;
    let mut links = Links { terms, parent: FxHashMap::default(), fixed: FxHashSet::default() };
    for thread in &view.threads {
        let locals: Vec<Term> = thread.locals.iter().map(|var| var.term).collect();
        thread.moves.iter().for_each(|step| links.step(view, &locals, step));
    }
    let fixed: FxHashSet<Term> = links.fixed.iter().map(|&term| links.root(term)).collect();
    let all = view.shared.iter().chain(view.threads.iter().flat_map(|thread| &thread.locals));
    let all: Vec<Term> = all.map(|var| var.term).collect();
    let mut found = Vec::new();
    for base in view.shared.iter().map(|var| var.term) {
        let root = links.root(base);
        let inside: Vec<Term> = all.iter().copied().filter(|&t| links.root(t) == root).collect();
        let name = |term: &Term| terms.name(*term).map(str::to_owned);
        let (Some(base), false) = (name(&base), fixed.contains(&root)) else { continue };
        let Some(&size) = sizes.get(&base).filter(|_| inside.len() > 1) else { continue };
        found.push(Circle { base, names: inside.iter().filter_map(name).collect(), size });
    }
    found
}

/// Which variables belong together, and which have a value of their own.
struct Links<'a> {
    terms: &'a Terms,
    parent: FxHashMap<Term, Term>,
    fixed: FxHashSet<Term>,
}

impl Links<'_> {
    fn root(&self, mut term: Term) -> Term {
        while let Some(&parent) = self.parent.get(&term) {
            term = parent;
        }
        term
    }

    fn step(&mut self, view: &View, locals: &[Term], step: &Move) {
        self.guard(step.guard);
        for &(variable, value) in &step.shared {
            self.assigned(view.shared[variable].term, value);
        }
        for &(variable, value) in &step.locals {
            self.assigned(locals[variable], value);
        }
        for child in &step.spawns {
            for &(variable, value) in &child.args {
                self.assigned(view.threads[child.thread].locals[variable].term, value);
            }
        }
    }

    fn guard(&mut self, term: Term) {
        let args = self.terms.args(term).to_vec();
        match (self.terms.op(term), args.as_slice()) {
            (Op::And | Op::Or | Op::Not, _) => args.into_iter().for_each(|arg| self.guard(arg)),
            (Op::Eq | Op::Le | Op::Lt, &[a, b]) if self.terms.sort(a) == Sort::Int => {
                self.related(a, b);
            }
            _ => self.fix(term),
        }
    }

    fn assigned(&mut self, variable: Term, value: Term) {
        if self.terms.sort(variable) == Sort::Int {
            self.related(variable, value);
        }
    }

    /// Two sides of an equation or of a comparison.
    fn related(&mut self, a: Term, b: Term) {
        let sums = sum(self.terms, a).zip(sum(self.terms, b));
        let Some((mut left, right)) = sums else {
            self.fix(a);
            return self.fix(b);
        };
        for (term, factor) in right {
            *left.entry(term).or_default() -= factor;
        }
        left.retain(|_, factor| *factor != 0);
        let used: Vec<Term> = left.keys().copied().collect();
        if left.values().sum::<i128>() != 0 {
            self.fixed.extend(used);
            return;
        }
        for pair in used.windows(2) {
            let (one, other) = (self.root(pair[0]), self.root(pair[1]));
            if one != other {
                self.parent.insert(one, other);
            }
        }
    }

    fn fix(&mut self, term: Term) {
        self.fixed.extend(self.terms.variables(&[term]));
    }
}

fn sum(terms: &Terms, term: Term) -> Sum {
    let args = terms.args(term);
    match terms.op(term) {
        Op::Var(_) => Some(FxHashMap::from_iter([(term, 1)])),
        Op::Const(_) => Some(FxHashMap::default()),
        Op::Add => args.iter().try_fold(FxHashMap::default(), |mut all, &arg| {
            for (term, factor) in sum(terms, arg)? {
                *all.entry(term).or_insert(0) += factor;
            }
            Some(all)
        }),
        Op::Mul => {
            let &[factor, of] = args else { return None };
            let factor = constant(terms, factor)?;
            let scaled = |(term, by): (Term, i128)| Some((term, by.checked_mul(factor)?));
            sum(terms, of)?.into_iter().map(scaled).collect()
        }
        _ => None,
    }
}

fn constant(terms: &Terms, term: Term) -> Option<i128> {
    terms.constant(term)?.as_int().and_then(|int| i128::try_from(int).ok())
}

/// The size of the type of each variable of which a range is known.
pub fn sizes(problem: &Problem) -> FxHashMap<String, i128> {
    let Problem { terms, view, .. } = problem;
    let all = view.shared.iter().chain(view.threads.iter().flat_map(|thread| &thread.locals));
    let mut found = FxHashMap::default();
    for var in all {
        let mut ends = Vec::new();
        constants(terms, var.range, &mut ends);
        if let (Some(name), Some(least), Some(most)) =
            (terms.name(var.term), ends.iter().min(), ends.iter().max())
        {
            found.insert(name.to_owned(), most - least + 1);
        }
    }
    found
}

fn constants(terms: &Terms, term: Term, found: &mut Vec<i128>) {
    found.extend(constant(terms, term));
    terms.args(term).iter().for_each(|&arg| constants(terms, arg, found));
}

/// The certificate with the variables of a circle seen from its base; none if it cannot be read.
pub fn seen_from(
    certificate: &Certificate,
    problem: &Problem,
    circle: &Circle,
) -> Option<Certificate> {
    let mut terms = Terms::new();
    let mut members = FxHashSet::default();
    let Problem { terms: known, view, .. } = problem;
    let mut declare = |terms: &mut Terms, name: &str, like: &str, sort| {
        let term = terms.var(name, sort);
        if circle.names.contains(like) {
            members.insert(term);
        }
    };
    for var in &view.shared {
        let name = known.name(var.term)?;
        declare(&mut terms, name, name, known.sort(var.term));
    }
    for thread in &view.threads {
        for var in &thread.locals {
            let name = known.name(var.term)?;
            let own = name.strip_prefix(thread.name.as_str()).and_then(|n| n.strip_prefix('!'));
            declare(&mut terms, name, name, known.sort(var.term));
            for copy in 1..=MOST_COPIES {
                let copied = names::local(&thread.name, copy, own.unwrap_or(name));
                declare(&mut terms, &copied, name, known.sort(var.term));
            }
        }
    }
    for counter in &certificate.ghosts.counters {
        terms.var(&names::counter(&counter.name), Sort::Int);
    }
    let base = terms.var(&circle.base, Sort::Int);
    let mut seen = Seen { terms, members, base, size: circle.size };
    let mut certificate = certificate.clone();
    for entry in certificate.relations.iter_mut().flat_map(|relation| &mut relation.entries) {
        let formula = seen.terms.read(&entry.formula).ok()?;
        let formula = seen.weaken(formula, true);
        entry.formula = seen.terms.show(formula).to_string();
    }
    Some(certificate)
}

/// Relations are about so many threads of a kind at most.
const MOST_COPIES: usize = 4;

struct Seen {
    terms: Terms,
    members: FxHashSet<Term>,
    base: Term,
    size: i128,
}

impl Seen {
    /// A formula that follows from this one in the circle, or, where it is not positive, one that it
    /// follows from.
    fn weaken(&mut self, formula: Term, positive: bool) -> Term {
        let args = self.terms.args(formula).to_vec();
        match self.terms.op(formula) {
            Op::And => {
                let parts: Vec<Term> = args.iter().map(|&a| self.weaken(a, positive)).collect();
                self.terms.and(&parts)
            }
            Op::Or => {
                let parts: Vec<Term> = args.iter().map(|&a| self.weaken(a, positive)).collect();
                self.terms.or(&parts)
            }
            Op::Not => {
                let part = self.weaken(args[0], !positive);
                self.terms.not(part)
            }
            _ if self.is_about_differences(formula) => self.ahead(formula),
            _ => self.terms.bool(positive),
        }
    }

    fn is_about_differences(&self, atom: Term) -> bool {
        let free = self.terms.variables(&[atom]).iter().all(|term| !self.members.contains(term));
        match (self.terms.op(atom), self.terms.args(atom)) {
            _ if free => true,
            (Op::Eq | Op::Le | Op::Lt, &[a, b]) => {
                let (a, b) = (self.factor(a), self.factor(b));
                a.is_some() && a == b
            }
            _ => false,
        }
    }

    /// How often members of the circle occur in a sum.
    fn factor(&self, side: Term) -> Option<i128> {
        let all = sum(&self.terms, side)?;
        Some(all.iter().filter(|(term, _)| self.members.contains(term)).map(|(_, by)| by).sum())
    }

    /// Every member where it is ahead of the base.
    fn ahead(&mut self, formula: Term) -> Term {
        let (base, size, members) = (self.base, self.size, &self.members);
        self.terms.map(formula, |terms, _, new| {
            if new == base || !members.contains(&new) {
                return None;
            }
            let (before, size) = (terms.le(base, new), terms.int(size));
            let further = terms.add(&[new, size]);
            Some(terms.ite(before, new, further))
        })
    }
}
