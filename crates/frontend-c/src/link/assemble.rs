//! The finished programs: what they mention, numbered anew and with unique names.

use std::collections::{HashMap, HashSet};

use selvedge_ir::spec::{Binding, Formula};
use selvedge_ir::{
    Action, Callee, Const, Edge, Expr, Grain, ObjectId, ProcId, Procedure, Program, Span,
    Specification,
};

use super::{Linked, Mention, literals, mention, mentions_of, mentions_of_action};
use crate::lowering::{Fixed, Lowering, Planned};

/// An action before `main`'s first, for an object that is used.
struct First {
    object: ObjectId,
    action: Action,
    span: Span,
}

/// What a program is assembled from, besides its procedures and objects.
struct Plan<'a> {
    /// What must be there in any case.
    start: &'a [Mention],
    first: Vec<First>,
    main: Option<ProcId>,
    fixed: Fixed,
}

/// What a program mentions, directly or not.
#[derive(Default)]
struct Reached {
    procedures: HashSet<ProcId>,
    objects: HashSet<ObjectId>,
}

impl Lowering<'_> {
    /// The program, and the program with the actions of its annotations.
    pub(super) fn assemble(mut self, start: &[Mention]) -> Linked {
        let mut first = Vec::new();
        // In the order in which they are put in front of each other.
        for startup in std::mem::take(&mut self.startup).into_iter().rev() {
            if self.reached.contains(&startup.object) {
                let span = self.place(startup.span);
                first.push(First { object: startup.object, action: startup.action, span });
            }
        }
        let fixed = std::mem::take(&mut self.fixed);
        let plan = Plan { start, first, main: self.main_procedure(), fixed };
        let program = std::mem::take(&mut self.program);
        let annotated = (!self.annotated.is_empty()).then(|| {
            let mut program = program.clone();
            for (id, procedure) in std::mem::take(&mut self.annotated) {
                program.procedures[id] = procedure;
            }
            plan.complete(program)
        });
        let program = plan.complete(program);
        Linked { program, annotated, diagnostics: self.diagnostics, learned: self.learned }
    }

    fn main_procedure(&self) -> Option<ProcId> {
        self.procedures.iter().enumerate().find_map(|(index, planned)| match planned {
            Planned::Function(id) if self.is_main(*id) => Some(ProcId::from_u32(index as u32)),
            Planned::Starter(_) => Some(ProcId::from_u32(index as u32)),
            _ => None,
        })
    }
}

impl Plan<'_> {
    /// Adds what happens before `main` and at its end, and drops what nothing mentions.
    fn complete(&self, mut program: Program) -> Program {
        let reached = self.reached(&program);
        let mut starting = 0;
        if let Some(main) = self.main {
            if program.threads.iter().any(|thread| thread.procedure == main) {
                program.separate_end(main);
            }
            for First { object, action, span } in &self.first {
                if reached.objects.contains(object) {
                    put_in_front(&mut program.procedures[main], action.clone(), *span);
                    starting += 1;
                }
            }
        }
        let objects: Vec<ObjectId> =
            program.objects.keys().filter(|id| reached.objects.contains(id)).collect();
        let fixed = self.fixed.renumbered(&objects);
        let mut program = renumber(program, &reached);
        fixed.guard(&mut program, starting);
        literals::guard(&fixed, &mut program);
        program
    }

    fn reached(&self, program: &Program) -> Reached {
        let mut reached = Reached::default();
        let mut work = self.start.to_vec();
        while let Some(next) = work.pop() {
            match next {
                Mention::Procedure(id) => {
                    if reached.procedures.insert(id) {
                        mentions_of(&program.procedures[id], &mut work);
                    }
                }
                Mention::Object(id) => {
                    if reached.objects.insert(id) {
                        let init = &program.objects[id].init;
                        work.extend(init.iter().filter_map(|(_, constant)| mention(*constant)));
                        for First { action, .. } in self.first.iter().filter(|f| f.object == id) {
                            mentions_of_action(action, &mut work);
                        }
                    }
                }
            }
        }
        reached
    }
}

fn put_in_front(procedure: &mut Procedure, action: Action, span: Span) {
    let target = procedure.entry;
    let entry = procedure.add_location(Grain::Yield);
    procedure.locations[entry].edges.push(Edge { action, target, span });
    procedure.entry = entry;
}

/// Drops what is not reached, numbers anew and makes names unique.
fn renumber(mut program: Program, reached: &Reached) -> Program {
    let old_procedures = std::mem::take(&mut program.procedures);
    let old_objects = std::mem::take(&mut program.objects);
    let procedures: Vec<ProcId> =
        old_procedures.keys().filter(|id| reached.procedures.contains(id)).collect();
    let objects: Vec<ObjectId> =
        old_objects.keys().filter(|id| reached.objects.contains(id)).collect();
    let new = Numbers {
        procedures: number(&procedures, ProcId::from_u32),
        objects: number(&objects, ObjectId::from_u32),
    };
    let mut names = HashMap::new();
    for (_, mut procedure) in
        old_procedures.into_iter().filter(|(id, _)| reached.procedures.contains(id))
    {
        procedure.name = unique(&mut names, procedure.name);
        new.procedure(&mut procedure);
        program.procedures.push(procedure);
    }
    let mut names = HashMap::new();
    for (_, mut object) in old_objects.into_iter().filter(|(id, _)| reached.objects.contains(id)) {
        object.name = unique(&mut names, object.name);
        object.init.iter_mut().for_each(|(_, constant)| *constant = new.constant(*constant));
        program.objects.push(object);
    }
    for thread in &mut program.threads {
        thread.procedure = new.procedures[&thread.procedure];
    }
    new.specification(&mut program.spec);
    program
}

struct Numbers {
    procedures: HashMap<ProcId, ProcId>,
    objects: HashMap<ObjectId, ObjectId>,
}

impl Numbers {
    fn constant(&self, constant: Const) -> Const {
        match constant {
            Const::Object(object, offset) => Const::Object(self.objects[&object], offset),
            Const::Proc(procedure) => Const::Proc(self.procedures[&procedure]),
            other => other,
        }
    }

    fn specification(&self, spec: &mut Specification) {
        spec.for_each_formula_mut(&mut |formula| self.formula(formula));
        for contract in &mut spec.contracts {
            contract.procedure = self.procedures[&contract.procedure];
        }
        for thread in &mut spec.abstract_threads {
            thread.procedure = self.procedures[&thread.procedure];
        }
    }

    fn formula(&self, formula: &mut Formula) {
        formula.for_each_expr_mut(&mut |e| self.expr(e));
        for variable in formula.variables.values_mut() {
            if let Binding::Runs(procedure) = &mut variable.binding {
                *procedure = self.procedures[procedure];
            }
        }
    }

    fn expr(&self, e: &mut Expr) {
        let old = std::mem::replace(e, Expr::FALSE);
        *e = old.map(&mut |part| match part {
            Expr::Const(constant) => Expr::Const(self.constant(constant)),
            other => other,
        });
    }

    fn procedure(&self, procedure: &mut Procedure) {
        for location in procedure.locations.values_mut() {
            for edge in &mut location.edges {
                edge.action.for_each_expr_mut(&mut |e| self.expr(e));
                if let Action::Ghost(ghost) = &mut edge.action {
                    ghost.formulas_mut().into_iter().for_each(|formula| self.formula(formula));
                }
                if let Action::Call { callee: Callee::Direct(id), .. }
                | Action::Spawn { entry: Callee::Direct(id), .. } = &mut edge.action
                {
                    *id = self.procedures[id];
                }
            }
        }
    }
}

fn number<T: Copy + Eq + std::hash::Hash>(old: &[T], make: fn(u32) -> T) -> HashMap<T, T> {
    old.iter().enumerate().map(|(index, id)| (*id, make(index as u32))).collect()
}

/// The name, or the name with a number that is free: static functions of two files.
fn unique(names: &mut HashMap<String, u32>, name: String) -> String {
    let count = names.entry(name.clone()).or_insert(0);
    *count += 1;
    if *count == 1 { name } else { format!("{name}#{count}") }
}
