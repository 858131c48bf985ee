//! Asking the solver about threads looked at together.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::Span;
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
}

impl<'a> Asker<'a> {
    pub fn new(space: Space<'a>, family: Family, limits: &Limits) -> Asker<'a> {
        Asker {
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

    /// All relations over all choices of threads of the group; none if one of them is false.
    pub fn premise(&mut self, group: &Group) -> Option<Vec<Term>> {
        let mut found = Vec::new();
        for index in 0..self.family.relations.len() {
            let shape = self.family.relations[index].shape.clone();
            let mut choices = Vec::new();
            injections(&shape, group, &mut Vec::new(), &mut choices);
            for choice in choices {
                let at: Vec<At> = choice.iter().map(|&place| group[place].1).collect();
                let formula = self.family.relations[index].entries.get(&at)?.formula;
                let mut map: FxHashMap<Term, Term> = FxHashMap::default();
                for (&from, &place) in shape.iter().zip(&choice) {
                    let to = group[place].0;
                    if from == to {
                        continue;
                    }
                    for key in self.space.keys(from.thread) {
                        let a = self.space.value(from, key).into_iter().flat_map(Val::terms);
                        let a: Vec<Term> = a.collect();
                        let b = self.space.value(to, key).into_iter().flat_map(Val::terms);
                        map.extend(a.into_iter().zip(b));
                    }
                }
                found.push(self.take(formula, &map));
            }
        }
        Some(found)
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
        let used: FxHashSet<Term> = self.space.terms.variables(formulas).into_iter().collect();
        let mut values: Vec<(Val, selvedge_ir::Type)> =
            self.space.shared.iter().filter_map(|v| Some((v.value, v.kind.ty()?))).collect();
        for &(slot, _) in group {
            for key in self.space.keys(slot.thread) {
                let ty = self.space.ty(slot.thread, key);
                values.extend(self.space.value(slot, key).zip(ty));
            }
        }
        for shown in &self.family.shown {
            let ty = shown.key.and_then(|key| self.space.ty(shown.thread, key));
            values.extend(ty.map(|ty| (shown.value, ty)));
        }
        let occurs = |value: &Val| value.terms().iter().any(|term| used.contains(term));
        let words = self.space.words;
        let values = values.into_iter().filter(|(value, _)| occurs(value));
        values.map(|(value, ty)| words.in_range(&mut self.space.terms, value, ty)).collect()
    }

    /// Whether the assumptions about a group exclude each other.
    pub fn excluded(
        &mut self,
        group: &Group,
        assumptions: &[Term],
    ) -> Result<Outcome, selvedge_smt::Reason> {
        let mut all = assumptions.to_vec();
        let never = self.space.terms.bool(false);
        if all.contains(&never) {
            return Ok(Outcome::Holds);
        }
        all.extend(self.axioms(group));
        let ranges = self.ranges(group, &all);
        all.extend(ranges);
        self.asked += 1;
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
        match answer {
            Answer::Unsat(_) => Ok(Outcome::Holds),
            Answer::Sat(model) => Ok(Outcome::Fails(model, all)),
            Answer::Unknown(reason) => Err(reason),
        }
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
