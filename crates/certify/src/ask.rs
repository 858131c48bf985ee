//! Asking the solver about threads looked at together.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use selvedge_ir::{Span, Type};
use selvedge_smt::{Answer, Limits, Logic, Model, Solver, Term};

use crate::family::{Counted, Family};
use crate::space::{At, INPUT, Slot, Space};
use crate::verdict::{Failure, Place, Rejected};
use crate::walk::above;
use crate::word::Val;

/// Threads and where they stand.
pub type Group = Vec<(Slot, At)>;

/// What an obligation is called if it fails.
#[derive(Clone, Debug)]
pub struct Title {
    pub text: String,
    pub thread: Option<(Slot, At)>,
    pub span: Span,
}

pub enum Outcome {
    Holds,
    Fails(Model, Vec<Term>),
}

/// The program's state with the certificate's relations over it.
pub struct Asker<'a> {
    pub space: Space<'a>,
    pub family: Family,
    pub obligations: usize,
    pub asked: usize,
    limits: Limits,
    solver: Solver,
    renamed: FxHashMap<(Term, usize), Term>,
    /// The variables of formulas that were asked about.
    variables: FxHashMap<Term, Rc<[Term]>>,
    /// Relations over one thread, for the threads that they were asked for.
    taken: FxHashMap<(usize, Slot, At), Rc<[Term]>>,
    /// What the shared variables are, by the terms that they consist of.
    shared: FxHashMap<Term, (Val, Type)>,
}

impl<'a> Asker<'a> {
    pub fn new(space: Space<'a>, family: Family, limits: &Limits) -> Asker<'a> {
        let typed = space.shared.iter().filter_map(|v| Some((v.value, v.kind.ty()?)));
        let shown = family
            .shown
            .iter()
            .filter_map(|shown| Some((shown.value, space.ty(shown.thread, shown.key?)?)));
        let all = typed
            .chain(shown)
            .flat_map(|(value, ty)| value.terms().into_iter().map(move |term| (term, (value, ty))));
        let shared = all.collect();
        Asker {
            shared,
            variables: FxHashMap::default(),
            taken: FxHashMap::default(),
            space,
            family,
            obligations: 0,
            asked: 0,
            limits: limits.clone(),
            solver: Solver::new(Logic::All, limits.clone()),
            renamed: FxHashMap::default(),
        }
    }

    /// Takes note of work done for an obligation, and says whether it may go on.
    pub fn spend(&self, units: usize, obligation: &str) -> Result<(), Rejected> {
        self.limits.clock.spend(units as u64);
        let over = |reason| Rejected::Undecided { obligation: obligation.to_owned(), reason };
        self.limits.exceeded().map_or(Ok(()), |reason| Err(over(reason)))
    }

    /// Takes the first copy's variables and inputs of a term to another copy.
    pub fn instance(&mut self, slot: Slot, inputs: &[Term]) -> FxHashMap<Term, Term> {
        let mut map: FxHashMap<Term, Term> = FxHashMap::default();
        if slot.copy == 1 {
            return map;
        }
        for key in self.space.keys(slot.thread) {
            let first = self.space.value(Slot { copy: 1, ..slot }, key);
            let other = self.space.value(slot, key);
            let pairs = first.into_iter().flat_map(Val::terms);
            map.extend(pairs.zip(other.into_iter().flat_map(Val::terms)));
        }
        for &input in inputs {
            let renamed = match self.renamed.get(&(input, slot.copy)) {
                Some(&known) => known,
                None => {
                    let sort = self.space.terms.sort(input);
                    let new = self.space.terms.fresh(INPUT, sort);
                    self.renamed.insert((input, slot.copy), new);
                    new
                }
            };
            map.insert(input, renamed);
        }
        map
    }

    pub fn take(&mut self, term: Term, map: &FxHashMap<Term, Term>) -> Term {
        self.space.terms.substitute(term, map)
    }

    pub fn take_value(&mut self, value: Val, map: &FxHashMap<Term, Term>) -> Val {
        match value {
            Val::One(term) => Val::One(self.take(term, map)),
            Val::Two(object, offset) => Val::Two(self.take(object, map), self.take(offset, map)),
        }
    }

    /// All relations over all choices of threads of the group, as conjuncts; none if one of them is
    /// false.
    pub fn premise(&mut self, group: &Group) -> Option<Vec<Term>> {
        let mut found = Vec::new();
        for index in 0..self.family.relations.len() {
            let shape = self.family.relations[index].shape.clone();
            let mut choices = Vec::new();
            injections(&shape, group, &mut Vec::new(), &mut choices);
            for choice in choices {
                let chosen: Group = choice.iter().map(|&place| group[place]).collect();
                found.extend_from_slice(&self.related(index, &shape, &chosen)?);
            }
        }
        Some(found)
    }

    /// A relation over these threads; none if it is false.
    fn related(&mut self, relation: usize, shape: &[Slot], chosen: &Group) -> Option<Rc<[Term]>> {
        let at: Vec<At> = chosen.iter().map(|(_, at)| *at).collect();
        let conjuncts = self.family.relations[relation].entries.get(&at)?.conjuncts.clone();
        if shape.iter().zip(chosen).all(|(from, (to, _))| from == to) {
            return Some(conjuncts);
        }
        let key = match chosen[..] {
            [(slot, at)] => Some((relation, slot, at)),
            _ => None,
        };
        if let Some(known) = key.and_then(|key| self.taken.get(&key)) {
            return Some(known.clone());
        }
        let mut map: FxHashMap<Term, Term> = FxHashMap::default();
        for (&from, &(to, _)) in shape.iter().zip(chosen).filter(|(from, (to, _))| *from != to) {
            for key in self.space.keys(from.thread) {
                let a = self.space.value(from, key).into_iter().flat_map(Val::terms);
                let a: Vec<Term> = a.collect();
                let b = self.space.value(to, key).into_iter().flat_map(Val::terms);
                map.extend(a.into_iter().zip(b));
            }
        }
        let taken: Rc<[Term]> = conjuncts.iter().map(|&term| self.take(term, &map)).collect();
        if let Some(key) = key {
            self.taken.insert(key, taken.clone());
        }
        Some(taken)
    }

    /// What is true of every state with these threads in it, whatever the certificate says.
    pub fn axioms(&mut self, group: &Group) -> Vec<Term> {
        let mut found = Vec::new();
        let mut pools: Vec<Term> = Vec::new();
        for &(slot, at) in group {
            let tid = self.space.tid(slot);
            if self.space.threads.get(slot.thread).pool {
                found.push(above(&mut self.space, tid));
                for &other in &pools {
                    found.push(self.space.terms.ne(tid, other));
                }
                pools.push(tid);
            } else {
                let done = self.space.shared[self.space.done[slot.thread.index()]].value.one();
                found.push(if at == At::Ended { done } else { self.space.terms.not(done) });
            }
            if let Some(token) = self.space.token {
                let holder = self.space.shared[token].value.one();
                let holds = self.space.terms.eq(holder, tid);
                let inside = self.space.is_inside(slot.thread, at);
                found.push(if inside { holds } else { self.space.terms.not(holds) });
            }
        }
        for &(slot, at) in group {
            let At::Cut(location) = at else { continue };
            let facts = self.space.facts.get(&(slot.thread, location)).cloned();
            for (key, value) in facts.into_iter().flatten() {
                let own = self.space.value(slot, key);
                found.extend(own.map(|own| own.equal(&mut self.space.terms, value)));
            }
        }
        self.exposed_axioms(group, &mut found);
        self.counter_axioms(group, &mut found);
        found
    }

    fn exposed_axioms(&mut self, group: &Group, found: &mut Vec<Term>) {
        for index in 0..self.family.shown.len() {
            let shown = self.family.shown[index];
            for &(slot, at) in group.iter().filter(|(slot, _)| slot.thread == shown.thread) {
                match shown.key {
                    None => {
                        let code = self.space.terms.int(at.code());
                        found.push(self.space.terms.eq(shown.value.one(), code));
                    }
                    Some(key) if self.space.live(slot.thread, at).contains(&key) => {
                        let own = self.space.value(slot, key);
                        found.extend(own.map(|own| own.equal(&mut self.space.terms, shown.value)));
                    }
                    Some(_) => {}
                }
            }
        }
    }

    fn counter_axioms(&mut self, group: &Group, found: &mut Vec<Term>) {
        for index in 0..self.family.counted.len() {
            let counted = self.family.counted[index].clone();
            let members = group.iter().filter(|(slot, _)| slot.thread == counted.thread);
            let (mut all, mut inside) = (0, 0);
            for (_, at) in members {
                all += 1;
                inside += i32::from(counted.at.contains(at));
            }
            let least = self.space.terms.int(inside);
            found.push(self.space.terms.le(least, counted.value));
            if let Some(most) = self.most(&counted) {
                found.push(self.space.terms.le(counted.value, most));
            }
            if !self.space.threads.get(counted.thread).pool {
                let most = self.space.terms.int(if all == 1 { inside } else { 1 });
                found.push(self.space.terms.le(counted.value, most));
            }
        }
    }

    /// The greatest number of threads of a pool that exist, where few are assumed. Those that have
    /// ended do not count as existing, so their number has no bound.
    pub fn most(&mut self, counted: &Counted) -> Option<Term> {
        let exist = counted.at.iter().all(|at| matches!(at, At::Cut(_)));
        let pool = self.space.threads.get(counted.thread).pool;
        if !(self.family.few && exist && pool) {
            return None;
        }
        let instances = self.space.threads.list.iter().filter(|thread| !thread.pool).count();
        Some(self.space.terms.int((1i64 << 31) - 1 - instances as i64))
    }

    /// The ranges of the variables that occur.
    fn ranges(&mut self, group: &Group, formulas: &[Term]) -> Vec<Term> {
        let mut used: Vec<Term> = Vec::new();
        for &formula in formulas {
            used.extend_from_slice(&self.variables_of(formula));
        }
        used.sort_unstable();
        used.dedup();
        let mut own: FxHashMap<Term, (Val, Type)> = FxHashMap::default();
        for &(slot, _) in group {
            for key in self.space.keys(slot.thread) {
                let Some(ty) = self.space.ty(slot.thread, key) else { continue };
                let Some(value) = self.space.value(slot, key) else { continue };
                own.extend(value.terms().into_iter().map(|term| (term, (value, ty))));
            }
        }
        let words = self.space.words;
        let of = |variable: &Term| self.shared.get(variable).or_else(|| own.get(variable)).copied();
        let found: Vec<(Val, Type)> = used.iter().filter_map(of).collect();
        found.into_iter().map(|(v, ty)| words.in_range(&mut self.space.terms, v, ty)).collect()
    }

    fn variables_of(&mut self, formula: Term) -> Rc<[Term]> {
        if let Some(known) = self.variables.get(&formula) {
            return known.clone();
        }
        let found: Rc<[Term]> = self.space.terms.variables(&[formula]).into();
        self.variables.insert(formula, found.clone());
        found
    }

    /// Whether what is assumed of a group excludes what is asked about it. First only that is
    /// assumed which has to do with the question; where that is not enough, everything.
    pub fn excluded(
        &mut self,
        group: &Group,
        assumptions: &[Term],
        about: &[Term],
    ) -> Result<Outcome, selvedge_smt::Reason> {
        let never = self.space.terms.bool(false);
        if assumptions.contains(&never) || about.contains(&never) {
            return Ok(Outcome::Holds);
        }
        let mut all = assumptions.to_vec();
        all.extend(self.axioms(group));
        let related = self.related_to(&all, about);
        self.asked += 1;
        if related.len() < all.len()
            && let Answer::Unsat(_) = self.ask(group, &related, about).0
        {
            return Ok(Outcome::Holds);
        }
        match self.ask(group, &all, about) {
            (Answer::Unsat(_), _) => Ok(Outcome::Holds),
            (Answer::Sat(model), formulas) => Ok(Outcome::Fails(model, formulas)),
            (Answer::Unknown(reason), _) => Err(reason),
        }
    }

    /// The formulas that have variables in common with a question, or with each other and so with
    /// the question.
    fn related_to(&mut self, formulas: &[Term], about: &[Term]) -> Vec<Term> {
        let mut mentioning: FxHashMap<Term, Vec<usize>> = FxHashMap::default();
        let mut related = vec![false; formulas.len()];
        for (index, &formula) in formulas.iter().enumerate() {
            let variables = self.variables_of(formula);
            related[index] = variables.is_empty();
            for &variable in variables.iter() {
                mentioning.entry(variable).or_default().push(index);
            }
        }
        let mut open: Vec<Term> = Vec::new();
        for &formula in about {
            open.extend_from_slice(&self.variables_of(formula));
        }
        while let Some(variable) = open.pop() {
            for index in mentioning.remove(&variable).unwrap_or_default() {
                if !std::mem::replace(&mut related[index], true) {
                    open.extend_from_slice(&self.variables_of(formulas[index]));
                }
            }
        }
        formulas.iter().zip(related).filter_map(|(&f, related)| related.then_some(f)).collect()
    }

    /// Asks whether all formulas can hold together. Gives them back with the ranges of variables.
    fn ask(&mut self, group: &Group, assumed: &[Term], about: &[Term]) -> (Answer, Vec<Term>) {
        let mut all = [assumed, about].concat();
        let ranges = self.ranges(group, &all);
        all.extend(ranges);
        self.solver.push();
        for &formula in &all {
            self.solver.assert(&self.space.terms, formula);
        }
        let mut answer = self.solver.check(&self.space.terms, &[]);
        self.solver.pop();
        if let Answer::Unknown(_) = answer {
            // Alone, the solver may choose another way.
            let mut fresh = Solver::new(Logic::All, self.limits.clone());
            all.iter().for_each(|&formula| fresh.assert(&self.space.terms, formula));
            answer = fresh.check(&self.space.terms, &[]);
        }
        (answer, all)
    }

    /// The failure that a model shows.
    pub fn failure(&mut self, title: &Title, model: &Model, formulas: &[Term]) -> Rejected {
        let mut state: Vec<(String, String)> = Vec::new();
        for variable in self.space.terms.variables(formulas) {
            let value = model.eval(&self.space.terms, variable);
            let sort = self.space.terms.sort(variable);
            let name = self.space.terms.name(variable).unwrap_or_default().to_owned();
            if !name.starts_with(&format!("{INPUT}#")) {
                state.push((name, self.space.terms.show_value(&value, sort)));
            }
        }
        state.sort();
        let thread = title
            .thread
            .map(|(slot, at)| (self.space.threads.get(slot.thread).name.clone(), at.name()));
        Rejected::Fails(Box::new(Failure {
            obligation: title.text.clone(),
            thread,
            place: Place::of(self.space.program, title.span),
            state,
        }))
    }
}

/// All ways to find a shape among the threads of a group: places of the group.
fn injections(shape: &[Slot], group: &Group, chosen: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
    let Some(wanted) = shape.get(chosen.len()) else {
        found.push(chosen.clone());
        return;
    };
    for (place, (slot, _)) in group.iter().enumerate() {
        if slot.thread == wanted.thread && !chosen.contains(&place) {
            chosen.push(place);
            injections(shape, group, chosen, found);
            chosen.pop();
        }
    }
}
