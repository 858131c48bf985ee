//! Calls through contracts: K*; Y1; K*; ...; Yn; K*, with the environment between (§4, §6.3).
//!
//! That each of these steps keeps the invariants and is one that others assume is shown of the callee.
//! That the caller's own contract allows them is shown here. Objects that the callee has made may
//! change in any of its steps, so only those that were there at the call keep anything.

use std::rc::Rc;

use selvedge_ir::spec::{Binding, Contract, Target, Variable};
use selvedge_ir::{LocalId, ProcId, Span};
use selvedge_smt::translate::Sym;

use crate::memory::{Kept, Memory};
use crate::passage::Changed;
use crate::path::{Path, Write};
use crate::verdict::Rejected;
use crate::view::View;
use crate::walk::Walker;

/// One call.
struct Call<'a> {
    name: &'a str,
    contract: &'a Contract,
    args: Vec<Sym>,
    entry: Memory,
    span: Span,
}

impl<'a> Walker<'_, 'a> {
    pub fn call(
        &mut self,
        path: &mut Path,
        callee: ProcId,
        args: Vec<Sym>,
        to: Option<LocalId>,
        span: Span,
    ) -> Result<(), Rejected> {
        let program = &self.world.subject.program;
        let Some(contract) = self.world.subject.contract_of(callee) else {
            return Err(self
                .world
                .subject
                .refusal("a call of a procedure without a contract", span));
        };
        for &arg in &args {
            self.tell_others(path, arg, span)?;
        }
        self.end_step(path, span)?;
        self.world.environment(path, None);
        let name = &program.procedures[callee].name;
        let call = Call { name, contract, args, entry: path.memory.clone(), span };
        self.is_called_well(path, &call)?;
        self.idle(path, &call)?;
        for number in 0..contract.actions.len() {
            self.abstract_action(path, &call, number)?;
            self.idle(path, &call)?;
        }
        let result = self.returns(path, callee, &call);
        if let (Some(to), Some(value)) = (to, result) {
            path.locals.insert(to, value);
        }
        Ok(())
    }

    fn call_view(&self, call: &Call<'a>, before: &Memory, after: &Memory) -> View {
        View { params: call.args.clone(), ..self.world.view(before, after) }
    }

    fn is_called_well(&mut self, path: &mut Path, call: &Call<'a>) -> Result<(), Rejected> {
        for clause in &call.contract.requires {
            let view = self.call_view(call, &path.memory, &path.memory);
            let goal = self.world.goal(path, &clause.formula, &view);
            let what = format!("`{}`, which {} requires", clause.text, call.name);
            self.world.oblige(path, &what, call.span, goal)?;
        }
        Ok(())
    }

    /// K*, with the environment.
    fn idle(&mut self, path: &mut Path, call: &Call<'a>) -> Result<(), Rejected> {
        self.may_idle(path, call)?;
        let view = self.call_view(call, &path.memory, &path.memory);
        let mut changed = Vec::new();
        for target in &call.contract.modifies {
            // What an address reads may change between the steps.
            changed.push(match depends_on_memory(target) {
                true => Changed::Every(target.into()),
                false => self.changed(path, target, &view),
            });
        }
        self.closure(path, &changed, Some(call.entry.next), call.span)
    }

    /// The caller's contract lets its own idle steps change all that the callee's may.
    fn may_idle(&mut self, path: &mut Path, call: &Call<'a>) -> Result<(), Rejected> {
        let Some(own) = self.contract.filter(|_| !path.done.is_empty()) else { return Ok(()) };
        for target in &call.contract.modifies {
            if depends_on_memory(target) {
                let what = "a callee's `modifies` that goes through memory";
                return Err(self.world.subject.refusal(what, call.span));
            }
            if own.modifies.iter().any(|other| is_same(other, target)) {
                continue;
            }
            let view = self.call_view(call, &path.memory, &path.memory);
            let (at, range) = self.world.address(path, target, &view);
            let mine = self.view(&path.memory, &path.memory);
            let mut among = Vec::new();
            for other in &own.modifies {
                among.push(self.world.is_target(path, other, &mine, target.into(), at));
            }
            let among = self.world.terms.or(&among);
            let what =
                format!("{} may modify `{}`, as {} does", self.body.name, target.text, call.name);
            self.world.oblige_where(path, &what, call.span, Some(range), among)?;
        }
        Ok(())
    }

    /// What a step may change that changes at most this target.
    fn changed(&mut self, path: &mut Path, target: &Target, view: &View) -> Changed {
        if !target.address.is_quantified() {
            let (at, _) = self.world.address(path, target, view);
            let value = self.world.any_of(path, "changed", target.into());
            return Changed::At(target.into(), at, value);
        }
        let (formula, kept) = (&target.address, target.into());
        match (formula.element_at(&formula.body), formula.body.base()) {
            (Some((_, layout, offset)), _) => Changed::Each { kept, layout, offset },
            (None, Some(object)) => Changed::In(kept, object),
            (None, None) => Changed::Any,
        }
    }

    /// One action of the contract, a step of the caller.
    fn abstract_action(
        &mut self,
        path: &mut Path,
        call: &Call<'a>,
        number: usize,
    ) -> Result<(), Rejected> {
        let contract = call.contract;
        let action = &contract.actions[number];
        let start = path.memory.clone();
        let view = self.call_view(call, &start, &start);
        let mut changed = Vec::new();
        for target in contract.modifies.iter().chain(&action.modifies) {
            changed.push(self.changed(path, target, &view));
            path.writes.push(Write::Target(Rc::new((target.clone(), view.clone()))));
        }
        let bound = call.entry.next;
        let after = self.world.passed(path, Some(bound), Some((changed, bound)));
        path.start = start;
        path.memory = after;
        let view = self.call_view(call, &path.start, &path.memory);
        for clause in &action.ensures {
            path.assume(&clause.formula, view.clone());
        }
        self.world.assume_invariants(path);
        path.looked = true;
        self.is_allowed(path, call.span)?;
        path.rest();
        Ok(())
    }

    /// What the callee ensures, and its result.
    fn returns(&mut self, path: &mut Path, callee: ProcId, call: &Call<'a>) -> Option<Sym> {
        let procedure = &self.world.subject.program.procedures[callee];
        let result = procedure.result.map(|local| {
            let value = self.world.value(path, "result", procedure.locals[local].ty);
            self.world.comes_from_others(path, value);
            value
        });
        for clause in &call.contract.ensures {
            let before = match clause.formula.has_two_states() {
                true => &call.entry,
                false => &path.memory,
            };
            let view = View { result, ..self.call_view(call, before, &path.memory) };
            path.assume(&clause.formula, view);
        }
        path.rest();
        result
    }
}

/// Whether two targets, of different procedures, surely name the same places.
fn is_same(a: &Target, b: &Target) -> bool {
    let of_procedure =
        |variable: &Variable| !matches!(variable.binding, Binding::Forall(_) | Binding::Exists(_));
    Kept::from(a) == Kept::from(b)
        && a.address == b.address
        && !a.address.variables.values().any(of_procedure)
}

/// Whether which place a target names depends on what is in memory.
fn depends_on_memory(target: &Target) -> bool {
    target.address.reads().next().is_some() || target.address.ghosts().next().is_some()
}
