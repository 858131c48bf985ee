//! Invariants of specifications.

use std::collections::HashSet;

use cranelift_entity::PrimaryMap;

use super::Violations;
use super::program::check_span;
use super::typing::Typing;
use crate::spec::{Binding, Clause, Formula, GhostAction, Target, Variable};
use crate::{Expr, GhostId, Local, LocalId, ProcId, Procedure, Program, Span, Type};

pub fn check(program: &Program, found: &mut Violations) {
    let mut check = Check { program, found, procedure: None, around: None };
    let spec = &program.spec;
    for ghost in spec.ghosts.values() {
        check_span(program, ghost.span, check.found);
        let known = ghost.of.is_none_or(|of| program.layouts.get(of).is_some());
        check.found.require(known, || "a ghost is of an unknown layout".to_string());
        let fits = ghost.init.ty() == ghost.ty;
        check.found.require(fits, || format!("`{}` starts with another type", ghost.name));
    }
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

/// What an annotation in a body does.
pub fn check_action(
    program: &Program,
    procedure: &Procedure,
    action: &GhostAction,
    found: &mut Violations,
) {
    let mut check = Check { program, found, procedure: None, around: Some(procedure) };
    match action {
        GhostAction::Update { ghost, of, value } => {
            check.formula(of, Type::Ptr);
            let Some(declared) = program.spec.ghosts.get(*ghost) else {
                return check.found.report(format!("{ghost} does not exist"));
            };
            check.value(value, declared.ty, declared.map);
        }
        GhostAction::Assert(clause) | GhostAction::Invariant(clause) => {
            check.clauses(std::slice::from_ref(clause));
        }
    }
}

struct Check<'a> {
    program: &'a Program,
    found: &'a mut Violations,
    /// The procedure in whose body the formula stands.
    around: Option<&'a Procedure>,
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
            if let Some(ghost) = target.ghost {
                let ty = self.ghost(ghost);
                let fits = ty.is_none_or(|ty| ty == target.ty);
                self.found.require(fits, || "a ghost is changed at another type".to_string());
            }
        }
    }

    fn ghost(&mut self, ghost: GhostId) -> Option<Type> {
        let known = self.program.spec.ghosts.get(ghost);
        self.found.require(known.is_some(), || format!("{ghost} does not exist"));
        known.map(|ghost| ghost.ty)
    }

    /// What is assigned to a variable of the specification.
    fn value(&mut self, formula: &Formula, ty: Type, map: bool) {
        if !map {
            return self.formula(formula, ty);
        }
        let whole = match formula.body {
            Expr::Local(local) => formula.is_map(local, &self.program.spec.ghosts),
            _ => false,
        };
        self.found.require(whole, || "a map is assigned what is none".to_string());
        self.variables(formula);
    }

    fn formula(&mut self, formula: &Formula, want: Type) {
        let locals = self.variables(formula);
        let ghosts = &self.program.spec.ghosts;
        let mut scalar = true;
        formula.for_each_expr(&mut |e| {
            scalar &= e.locals().iter().all(|local| !formula.is_map(*local, ghosts));
        });
        self.found.require(scalar, || "a map stands where a value is expected".to_string());
        self.expr(&formula.body, &locals, want);
    }

    fn variables(&mut self, formula: &Formula) -> PrimaryMap<LocalId, Local> {
        let mut names = HashSet::new();
        // An address is over the variables before it.
        let mut locals: PrimaryMap<LocalId, Local> = PrimaryMap::new();
        for variable in formula.variables.values() {
            let fresh = names.insert(&variable.name);
            let name = &variable.name;
            self.found.require(fresh, || format!("two variables have the name `{name}`"));
            let ty = self.binding(variable, &locals);
            let fits = ty.is_none_or(|ty| ty == variable.ty);
            self.found.require(fits, || format!("`{name}` has another type"));
            self.maps(formula, variable, &locals);
            let Variable { name, ty, .. } = variable.clone();
            locals.push(Local { name, ty, named: false });
        }
        locals
    }

    /// The maps that a binding mentions are earlier variables, and fit.
    fn maps(
        &mut self,
        formula: &Formula,
        variable: &Variable,
        locals: &PrimaryMap<LocalId, Local>,
    ) {
        let maps = variable.binding.maps();
        let ghosts = &self.program.spec.ghosts;
        let known = |map: &LocalId| locals.get(*map).is_some() && formula.is_map(*map, ghosts);
        let all = maps.iter().all(known);
        self.found.require(all, || format!("`{}` mentions what is no map", variable.name));
        if let (true, [a, b]) = (all, maps.as_slice()) {
            let same = locals[*a].ty == locals[*b].ty;
            self.found.require(same, || "maps of different types are compared".to_string());
        }
    }

    /// The type that a variable with this binding has; none if it may have any.
    fn binding(
        &mut self,
        variable: &Variable,
        locals: &PrimaryMap<LocalId, Local>,
    ) -> Option<Type> {
        let procedure = self.procedure.map(|id| &self.program.procedures[id]);
        match &variable.binding {
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
            Binding::Ghost { ghost, of, .. } => {
                self.expr(of, locals, Type::Ptr);
                self.ghost(*ghost)
            }
            Binding::Value(value) => {
                let Some(procedure) = self.around else {
                    self.found.report("there is no procedure whose values are known".to_string());
                    return None;
                };
                let typing = Typing { program: self.program, procedure };
                typing.expr(value, self.found)
            }
            Binding::Everywhere(value) => Some(value.ty()),
            Binding::Update { map, thread, value } => {
                self.expr(thread, locals, Type::Thread);
                self.expr(value, locals, variable.ty);
                locals.get(*map).map(|map| map.ty)
            }
            Binding::Entry { map, thread } => {
                self.expr(thread, locals, Type::Thread);
                locals.get(*map).map(|map| map.ty)
            }
            Binding::Same(..) => Some(Type::Bool),
            Binding::Count(map) => {
                let truths = locals.get(*map).is_none_or(|map| map.ty == Type::Bool);
                self.found.require(truths, || "what is counted is no set".to_string());
                Some(Type::Int(self.program.model.diff_type()))
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
