//! Calls through contracts: K*; Y1; K*; ...; Yn; K*, with the environment between (§4, §6.3).
//!
//! That each of these steps keeps the invariants and what others assume is checked in the callee.
//! That the caller's own contract allows them is checked here.

use selvedge_ir::spec::{Binding, Contract, Target};
use selvedge_ir::{LocalId, ProcId, Span, Type};
use selvedge_smt::Term;
use selvedge_smt::translate::Sym;
use selvedge_verdict::Stop;

use crate::checker::{Checker, of_clause};
use crate::closure::Changes;
use crate::memory::Kept;
use crate::report::Kind;
use crate::shown::Shown;
use crate::state::{State, Write};
use crate::world::{Changed, View};

impl<'a> Checker<'a> {
    pub fn call(
        &mut self,
        state: &mut State,
        callee: ProcId,
        args: Vec<Sym>,
        to: Option<LocalId>,
        span: Span,
    ) -> Result<(), Stop> {
        let Some(contract) = self.subject.contract_of(callee) else {
            let name = &self.subject.program.procedures[callee].name;
            let what = format!("{name} is recursive, or large, and has no contract");
            return Err(Stop::Unsupported { what, span });
        };
        for &arg in &args {
            if let Sym::Pointer { .. } = arg {
                self.world.consider(Type::Ptr, arg);
            }
            self.pass_on(state, arg, span)?;
        }
        self.end_step(state, span)?;
        self.environment(state);
        let call = Call { callee, contract, args, entry: state.memory.clone() };
        self.requires(state, callee, &call, span)?;
        for action in 0..=contract.actions.len() {
            self.idle(state, &call, span)?;
            if action < contract.actions.len() {
                self.abstract_action(state, &call, action, span)?;
            }
        }
        self.returns(state, callee, &call, to);
        Ok(())
    }

    fn call_view(&self, call: &Call<'a>, state: &State) -> View {
        View {
            before: state.memory.clone(),
            after: state.memory.clone(),
            tid: self.world.tid,
            params: call.args.clone(),
            result: None,
            values: Vec::new(),
        }
    }

    fn requires(
        &mut self,
        state: &State,
        callee: ProcId,
        call: &Call<'a>,
        span: Span,
    ) -> Result<(), Stop> {
        let name = self.subject.program.procedures[callee].name.clone();
        for clause in &call.contract.requires {
            let view = self.call_view(call, state);
            let goal = self.world.goal(&clause.formula, &view);
            let shown = Shown::clause(state, &clause.formula, &view);
            let (kind, annotation) = (Kind::Requires(name.clone()), Some(of_clause(clause)));
            self.oblige(kind, span, annotation, state.guard, goal, shown)?;
        }
        Ok(())
    }

    /// K*, with the environment.
    fn idle(&mut self, state: &mut State, call: &Call<'a>, span: Span) -> Result<(), Stop> {
        let targets = &call.contract.modifies;
        if targets.is_empty() {
            self.environment(state);
            return Ok(());
        }
        let view = self.call_view(call, state);
        let places: Vec<Changed> =
            targets.iter().map(|target| self.world.changed(target, &view)).collect();
        let changed = Changes { places, within: self.subject.written_by(call.callee) };
        // Any of these steps may be the first, so each has to be allowed where it finds the caller.
        self.may_idle(state, call, span)?;
        self.closure(state, &changed, true);
        Ok(())
    }

    /// The caller's contract lets all that the callee's idle steps may change be changed by idle
    /// steps.
    fn may_idle(&mut self, state: &mut State, call: &Call<'a>, span: Span) -> Result<(), Stop> {
        let Some(own) = self.contract.filter(|_| !state.positions.is_empty()) else {
            return Ok(());
        };
        for target in &call.contract.modifies {
            let view = self.call_view(call, state);
            let mine = self.view(&state.memory, &state.memory, None);
            for (at, range) in self.world.addresses(target, &view, Some("changed")) {
                let among = match own.modifies.iter().any(|other| is_same(other, target)) {
                    true => self.world.terms.bool(true),
                    false => self.is_among(&own.modifies, &mine, Kept::of_target(target), at),
                };
                let guard = self.world.terms.and(&[state.guard, range]);
                let annotation = Some(crate::report::Annotation {
                    text: format!("modifies {}", target.text),
                    span: target.span,
                });
                let shown = Shown::state(state);
                self.oblige(Kind::Allowed, span, annotation, guard, among, shown)?;
            }
        }
        Ok(())
    }

    fn is_among(&mut self, targets: &[Target], view: &View, kept: Kept, at: Sym) -> Term {
        let among: Vec<Term> =
            targets.iter().map(|target| self.world.is_target(target, view, kept, at)).collect();
        self.world.terms.or(&among)
    }

    /// One action of the contract, a step of the caller.
    fn abstract_action(
        &mut self,
        state: &mut State,
        call: &Call<'a>,
        number: usize,
        span: Span,
    ) -> Result<(), Stop> {
        let contract = call.contract;
        let action = &contract.actions[number];
        let targets: Vec<&'a Target> = contract.modifies.iter().chain(&action.modifies).collect();
        state.start = state.memory.clone();
        self.change(state, call, &targets);
        let view = View {
            before: state.start.clone(),
            after: state.memory.clone(),
            tid: self.world.tid,
            params: call.args.clone(),
            result: None,
            values: Vec::new(),
        };
        for clause in &action.ensures {
            self.world.assume(state.guard, &clause.formula, view.clone());
        }
        let after = state.memory.clone();
        self.assume_invariants(state.guard, &after);
        state.looked = true;
        self.simulate(state, span)?;
        state.rest();
        Ok(())
    }

    /// Anything may be at the targets; all else stays.
    fn change(&mut self, state: &mut State, call: &Call<'a>, targets: &[&'a Target]) {
        let view = self.call_view(call, state);
        let places: Vec<Changed> =
            targets.iter().map(|target| self.world.changed(target, &view)).collect();
        let direct = places.iter().all(|place| matches!(place, Changed::At(..)));
        let before = state.memory.clone();
        let after = self.world.memory("memory");
        self.world.pass(state.guard, &before, &after, true);
        if direct {
            let (alive, owner, next) = (after.alive, after.owner, after.next);
            for place in &places {
                let Changed::At(kept, at) = *place else { continue };
                let value = self.world.kept_value("changed", kept);
                state.memory.store(&mut self.world.terms, kept, at, value);
            }
            (state.memory.alive, state.memory.owner, state.memory.next) = (alive, owner, next);
        } else {
            self.world.frame(state.guard, &before, &after, places);
            state.memory = after;
        }
        let yes = self.world.terms.bool(true);
        for &target in targets {
            for (at, range) in self.world.addresses(target, &view, Some("changed")) {
                let condition = self.world.terms.and(&[yes, range]);
                let kept = Kept::of_target(target);
                self.world.consider_cell(kept, at);
                let (place, edge) = (None, None);
                state.writes.push(Write { kept, at, condition, place, edge });
            }
        }
    }

    /// What the callee ensures, and its result.
    fn returns(&mut self, state: &mut State, callee: ProcId, call: &Call<'a>, to: Option<LocalId>) {
        let procedure = &self.subject.program.procedures[callee];
        let result = procedure.result.map(|local| {
            let value = self.world.value("result", procedure.locals[local].ty);
            self.is_public(state, value);
            self.is_tame(state, value);
            self.world.consider(procedure.locals[local].ty, value);
            value
        });
        for clause in &call.contract.ensures {
            let before = match clause.formula.has_two_states() {
                true => call.entry.clone(),
                false => state.memory.clone(),
            };
            let after = state.memory.clone();
            let params = call.args.clone();
            let view =
                View { before, after, tid: self.world.tid, params, result, values: Vec::new() };
            self.world.assume(state.guard, &clause.formula, view);
        }
        state.rest();
        state.stale = true;
        if let (Some(to), Some(value)) = (to, result) {
            state.locals.insert(to, value);
        }
    }
}

/// Whether two targets are the same places, whoever names them.
fn is_same(one: &Target, other: &Target) -> bool {
    let variables = one.address.variables.values();
    let named = variables.into_iter().any(|v| matches!(v.binding, Binding::Parameter(_)));
    !named && one.address == other.address && Kept::of_target(one) == Kept::of_target(other)
}

/// One call.
struct Call<'a> {
    callee: ProcId,
    contract: &'a Contract,
    args: Vec<Sym>,
    entry: crate::memory::Memory,
}
