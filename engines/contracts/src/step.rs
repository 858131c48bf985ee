//! Steps: what the environment does before one, and what has to hold of each (§5, §6.3).

use std::collections::BTreeSet;

use selvedge_ir::spec::{Formula, Target};
use selvedge_ir::{Span, Type};
use selvedge_smt::translate::Sym;
use selvedge_smt::{Sort, Term};
use selvedge_verdict::Stop;

use crate::checker::{Checker, of_clause};
use crate::memory::{Memory, parts};
use crate::reach::Reach;
use crate::regions::Location;
use crate::report::{Annotation, Kind};
use crate::shown::Shown;
use crate::state::{State, Write};
use crate::world::View;

impl<'a> Checker<'a> {
    /// E*: any number of steps of other threads. E is reflexive and transitive, which is asked
    /// elsewhere, so it is E.
    pub fn environment(&mut self, state: &mut State) {
        let all: Vec<&Formula> =
            self.scope.environment.iter().map(|clause| &clause.formula).collect();
        self.environment_by(state, &all, true);
    }

    /// The same, as far as some scalars and what belongs to them are concerned (`components.rs`).
    pub fn environment_of(&mut self, state: &mut State, scalars: &[(Location, Type)]) {
        let subject = self.subject;
        let (program, components) = (&subject.program, &subject.components);
        let mut chosen: BTreeSet<u32> = BTreeSet::new();
        let mut changed: BTreeSet<(Location, Type)> = BTreeSet::new();
        for &scalar in scalars {
            chosen.extend(components.component(program, scalar.0));
            changed.insert(scalar);
        }
        let chosen = || chosen.iter().map(|&number| &components.all[number as usize]);
        changed.extend(chosen().flat_map(|component| component.scalars.iter().copied()));
        let before = state.memory.clone();
        for ((object, offset), ty) in changed {
            let at = self.world.global(object, offset);
            let value = self.world.value("memory", ty);
            state.memory.store(&mut self.world.terms, ty, at, value);
        }
        for &number in chosen().flat_map(|component| &component.environment) {
            let view = self.view(&before, &state.memory, None);
            let clause = &program.spec.environment[number];
            self.world.assume(state.guard, &clause.formula, view);
        }
        for &number in chosen().flat_map(|component| &component.invariants) {
            let view = self.view(&state.memory, &state.memory, None);
            self.world.assume(state.guard, &program.spec.invariants[number].formula, view);
        }
        state.start = state.memory.clone();
        state.stale = false;
    }

    /// Any steps of which some formulas hold, and which may or may not leave the thread's own objects
    /// alone.
    pub fn environment_by(&mut self, state: &mut State, formulas: &[&Formula], apart: bool) {
        let after = self.world.memory("memory");
        self.world.pass(state.guard, &state.memory, &after, apart);
        for formula in formulas {
            let view = self.view(&state.memory, &after, None);
            self.world.assume(state.guard, formula, view);
        }
        self.assume_invariants(state.guard, &after);
        state.memory = after;
        state.start = state.memory.clone();
        state.stale = false;
    }

    pub fn assume_invariants(&mut self, guard: Term, memory: &Memory) {
        for clause in self.scope.invariants.clone() {
            let view = self.view(memory, memory, None);
            self.world.assume(guard, &clause.formula, view);
        }
    }

    /// The end of a step: invariants, what others assume, and what the contract allows.
    pub fn end_step(&mut self, state: &mut State, at: Span) -> Result<(), Stop> {
        if !state.writes.is_empty() || state.dirty {
            let reach = self.reach(state);
            self.keeps_global_invariants(state, at, &reach)?;
            self.guarantees(state, at, &reach)?;
        }
        if state.looked || !state.writes.is_empty() || state.dirty {
            self.simulate(state, at)?;
        }
        state.rest();
        Ok(())
    }

    fn keeps_global_invariants(
        &mut self,
        state: &State,
        at: Span,
        reach: &Reach,
    ) -> Result<(), Stop> {
        let clauses = &self.subject.program.spec.invariants;
        for &number in &reach.invariants {
            let clause = &clauses[number];
            if !self.scope.invariants.iter().any(|known| std::ptr::eq(*known, clause)) {
                // It holds between any two steps, though it was not assumed before.
                let before = self.view(&state.start, &state.start, None);
                self.world.assume(state.guard, &clause.formula, before);
            }
            let view = self.view(&state.memory, &state.memory, None);
            let goal = self.world.goal(&clause.formula, &view);
            let both = self.view(&state.start, &state.memory, None);
            let shown = Shown::clause(state, &clause.formula, &both);
            let annotation = Some(of_clause(clause));
            self.oblige(Kind::Invariant, at, annotation, state.guard, goal, shown)?;
        }
        Ok(())
    }

    /// G of §6.3: the step is one of the environment, for every other thread.
    fn guarantees(&mut self, state: &State, at: Span, reach: &Reach) -> Result<(), Stop> {
        let other = self.world.terms.var("other", Sort::Int);
        self.world.consider(Type::Thread, Sym::Scalar(other));
        let tid = self.world.tid;
        let t = &mut self.world.terms;
        let one = t.int(1);
        let differs = [t.le(one, other), t.ne(other, tid), state.guard];
        let guard = t.and(&differs);
        let clauses = &self.subject.program.spec.environment;
        for &number in &reach.environment {
            let clause = &clauses[number];
            let view = View { tid: other, ..self.view(&state.start, &state.memory, None) };
            let goal = self.world.goal(&clause.formula, &view);
            let shown = Shown::clause(state, &clause.formula, &view);
            let annotation = Some(of_clause(clause));
            self.oblige(Kind::Guarantee, at, annotation, guard, goal, shown)?;
        }
        Ok(())
    }

    /// The positions in the contract that are possible after the step; one of them must be.
    pub fn simulate(&mut self, state: &mut State, at: Span) -> Result<(), Stop> {
        let Some(contract) = self.contract.filter(|_| !state.positions.is_empty()) else {
            return Ok(());
        };
        let view = self.view(&state.start, &state.memory, None);
        let idle = self.changes_only(state, &view, &[&contract.modifies]);
        let mut positions = Vec::new();
        for (number, &here) in state.positions.iter().enumerate() {
            let stays = self.world.terms.and(&[here, idle]);
            let mut ways = vec![stays];
            if let Some(before) = number.checked_sub(1) {
                let action = &contract.actions[before];
                let targets = [contract.modifies.as_slice(), action.modifies.as_slice()];
                let mut parts = vec![state.positions[before]];
                parts.push(self.changes_only(state, &view, &targets));
                for clause in &action.ensures {
                    parts.push(self.world.goal_inside(&clause.formula, &view));
                }
                ways.push(self.world.terms.and(&parts));
            }
            positions.push(self.world.terms.or(&ways));
        }
        let some = self.world.terms.or(&positions);
        if !state.writes.is_empty() {
            let annotation = Annotation { text: self.actions_text(), span: contract.span };
            let shown = Shown::step(state);
            self.oblige(Kind::Allowed, at, Some(annotation), state.guard, some, shown)?;
        }
        state.positions = positions;
        Ok(())
    }

    /// That everything the step has written is unchanged, this thread's own, or among the targets.
    fn changes_only(&mut self, state: &State, view: &View, targets: &[&'a [Target]]) -> Term {
        let mut all = Vec::new();
        for Write { kept, at, condition, .. } in &state.writes {
            let (before, after) = (
                state.start.load(&mut self.world.terms, *kept, *at),
                state.memory.load(&mut self.world.terms, *kept, *at),
            );
            let unchanged = before.equal(&mut self.world.terms, after);
            let unseen = self.is_own(&state.start, parts(*at).0);
            let untouched = self.world.terms.not(*condition);
            let mut ways = vec![unchanged, unseen, untouched];
            for target in targets.iter().flat_map(|targets| targets.iter()) {
                ways.push(self.world.is_target(target, view, *kept, *at));
            }
            all.push(self.world.terms.or(&ways));
        }
        self.world.terms.and(&all)
    }

    /// An object that was made in this step or was this thread's own before it: nobody else knows what
    /// was in it.
    fn is_own(&mut self, before: &Memory, object: Term) -> Term {
        let tid = self.world.tid;
        let first = self.world.terms.int(self.world.objects.first_free());
        let t = &mut self.world.terms;
        let owner = before.owner_of(t, object);
        let own = t.eq(owner, tid);
        let new = t.le(before.next, object);
        let made = t.le(first, object);
        let unseen = t.or(&[own, new]);
        t.and(&[made, unseen])
    }

    /// Others may know the object that a pointer leads to, from now on.
    pub fn publish(&mut self, state: &mut State, pointer: Sym) {
        let Sym::Pointer { object, .. } = pointer else { return };
        if self.subject.sites.is_empty() {
            return;
        }
        self.world.consider(Type::Ptr, pointer);
        let zero = self.world.terms.int(0);
        state.memory.owner = self.world.terms.store(state.memory.owner, object, zero);
        // A procedure has pointers to its thread's own objects only if it has made them itself:
        // whatever it was given or has loaded was passed on by somebody.
        state.dirty |= self.makes;
    }
}
