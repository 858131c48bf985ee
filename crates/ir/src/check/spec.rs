//! Invariants of specifications.

use std::collections::HashSet;

use cranelift_entity::PrimaryMap;

use super::Violations;
use super::program::check_span;
use super::typing::Typing;
use crate::spec::{Binding, Clause, Formula, Target, Variable};
use crate::{Expr, Local, LocalId, ProcId, Procedure, Program, Span, Type};

pub fn check(program: &Program, found: &mut Violations) {
    let mut check = Check { program, found, procedure: None };
    let spec = &program.spec;
    check.clauses(&spec.environment);
    check.clauses(&spec.invariants);
    for contract in &spec.contracts {
        check.about(contract.procedure, contract.span);
        check.clauses(&contract.requires);
        check.clauses(&contract.ensures);
        check.targets(&contract.modifies);
        for action in &contract.actions {
            check.clauses(&action.ensures);
            check.targets(&action.modifies);
        }
    }
    for thread in &spec.abstract_threads {
        check.about(thread.procedure, thread.span);
        check.procedure = None;
        let names: HashSet<&str> = thread.states.iter().map(|state| state.name.as_str()).collect();
        let distinct = names.len() == thread.states.len();
        check.found.require(distinct, || "two abstract states have one name".to_string());
        thread.states.iter().for_each(|state| check.clauses(&state.asserts));
        for step in &thread.transitions {
            let known = step.from.max(step.to) < thread.states.len() as u32;
            check.found.require(known, || "a transition names a state that is not there".into());
            check.clauses(&step.relation);
            check.targets(&step.modifies);
        }
    }
}

struct Check<'a> {
    program: &'a Program,
    found: &'a mut Violations,
    /// The procedure whose parameters and result can be mentioned.
    procedure: Option<ProcId>,
}

impl Check<'_> {
    fn about(&mut self, procedure: ProcId, span: Span) {
        let known = self.program.procedures.get(procedure).is_some();
        self.found.require(known, || format!("{procedure} does not exist"));
        self.procedure = known.then_some(procedure);
        check_span(self.program, span, self.found);
    }

    fn clauses(&mut self, clauses: &[Clause]) {
        for clause in clauses {
            check_span(self.program, clause.span, self.found);
            self.formula(&clause.formula, Type::Bool);
        }
    }

    fn targets(&mut self, targets: &[Target]) {
        for target in targets {
            check_span(self.program, target.span, self.found);
            self.formula(&target.address, Type::Ptr);
        }
    }

    fn formula(&mut self, formula: &Formula, want: Type) {
        let mut names = HashSet::new();
        // An address is over the variables before it.
        let mut locals: PrimaryMap<LocalId, Local> = PrimaryMap::new();
        for variable in formula.variables.values() {
            let fresh = names.insert(&variable.name);
            let name = &variable.name;
            self.found.require(fresh, || format!("two variables have the name `{name}`"));
            let ty = self.binding(&variable.binding, &locals);
            let fits = ty.is_none_or(|ty| ty == variable.ty);
            self.found.require(fits, || format!("`{name}` has another type"));
            let Variable { name, ty, .. } = variable.clone();
            locals.push(Local { name, ty, named: false });
        }
        self.expr(&formula.body, &locals, want);
    }

    /// The type that a variable with this binding has; none if it may have any.
    fn binding(&mut self, binding: &Binding, locals: &PrimaryMap<LocalId, Local>) -> Option<Type> {
        let procedure = self.procedure.map(|id| &self.program.procedures[id]);
        match binding {
            Binding::Parameter(number) => {
                let local = procedure.and_then(|p| p.params.get(*number as usize).copied());
                self.found.require(local.is_some(), || format!("there is no parameter {number}"));
                procedure.zip(local).map(|(procedure, local)| procedure.locals[local].ty)
            }
            Binding::Result => {
                let local = procedure.and_then(|p| p.result);
                self.found.require(local.is_some(), || "there is no result".to_string());
                procedure.zip(local).map(|(procedure, local)| procedure.locals[local].ty)
            }
            Binding::Main => Some(Type::Thread),
            Binding::Runs(id) => {
                let known = self.program.procedures.get(*id).is_some();
                self.found.require(known, || format!("{id} does not exist"));
                Some(Type::Bool)
            }
            Binding::Forall(layout) | Binding::Exists(layout) => {
                let known = layout.is_none_or(|id| self.program.layouts.get(id).is_some());
                self.found.require(known, || "a quantifier names an unknown layout".to_string());
                layout.map(|_| Type::Ptr)
            }
            Binding::Read { place, .. } => {
                self.expr(&place.addr, locals, Type::Ptr);
                Some(place.ty)
            }
            Binding::Size(pointer) => {
                self.expr(pointer, locals, Type::Ptr);
                Some(Type::Int(self.program.model.size_type()))
            }
            Binding::Alive { pointer, .. } => {
                self.expr(pointer, locals, Type::Ptr);
                Some(Type::Bool)
            }
        }
    }

    fn expr(&mut self, e: &Expr, locals: &PrimaryMap<LocalId, Local>, want: Type) {
        let frame = Procedure::frame(locals.clone());
        let typing = Typing { program: self.program, procedure: &frame };
        if let Some(ty) = typing.expr(e, self.found) {
            self.found.require(ty == want, || format!("expected {want} in a formula, found {ty}"));
        }
    }
}
