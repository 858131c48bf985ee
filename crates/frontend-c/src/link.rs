//! From parsed units to the finished program: declarations first, then every procedure that the
//! program can reach, starting from `main`.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use selvedge_c_syntax::ast::{Item, TranslationUnit};
use selvedge_c_syntax::{Diagnostic, SourceMap};
use selvedge_ir::{
    Action, Callee, Const, Edge, Expr, Multiplicity, ObjectId, ProcId, Procedure, Program, Thread,
};

use crate::Options;
use crate::call::mentioned;
use crate::lowering::{Definition, GlobalId, Lowering, Planned, Startup, Unit};
use crate::visit;

/// Lowers parsed units: the library models and the user's files.
pub(crate) fn lower(
    models: &[TranslationUnit],
    user: &[TranslationUnit],
    name: String,
    options: &Options,
    sources: &SourceMap,
) -> (Program, Vec<Diagnostic>) {
    let mut lowering = Lowering::new(options, sources, name);
    lowering.defined_by_user = defined(user);
    for (ast, model) in models.iter().map(|m| (m, true)).chain(user.iter().map(|u| (u, false))) {
        lowering.units.push(Unit { ast, scope: Default::default(), model });
        lowering.declare_unit(lowering.units.len() - 1);
    }
    lowering.find_mentioned(user);
    let roots = lowering.roots();
    lowering.lower_reachable(roots.clone());
    if !options.library
        && let Some(main) = roots.first()
    {
        lowering.program.threads.push(Thread {
            procedure: *main,
            count: Multiplicity::Exactly(1),
            main: true,
        });
        lowering.program.separate_end(*main);
    }
    lowering.finish()
}

/// The functions with a body.
fn defined(units: &[TranslationUnit]) -> HashSet<Rc<str>> {
    let items = units.iter().flat_map(|unit| &unit.items);
    let functions = items.filter_map(|item| match item {
        Item::Function(function) => function.declarator.name.as_ref(),
        _ => None,
    });
    functions.map(|name| name.name.clone()).collect()
}

impl<'a> Lowering<'a> {
    /// Which names the user's code mentions, for `__selvedge_uses`. A mutex that is initialised
    /// with a kind counts as one whose kind is set.
    fn find_mentioned(&mut self, user: &'a [TranslationUnit]) {
        let mut names = std::mem::take(&mut self.mentioned);
        for item in user.iter().flat_map(|unit| &unit.items) {
            match item {
                Item::Function(function) => mentioned(&function.body, &mut names),
                Item::Declaration(declaration) => {
                    for init in declaration.declarators.iter().filter_map(|d| d.init.as_ref()) {
                        visit::expressions_of_initializer(init, &mut |e| {
                            if let selvedge_c_syntax::ast::ExprKind::Ident(name) = &e.kind {
                                names.insert(name.name.clone());
                            }
                        });
                    }
                }
                Item::StaticAssert(_) | Item::Asm(_) => {}
            }
        }
        let kinds = ["RECURSIVE", "ERRORCHECK"];
        let chosen = |name: &str| {
            name.starts_with("PTHREAD_MUTEX_") && kinds.iter().any(|kind| name.contains(kind))
        };
        if names.iter().any(|name| chosen(name)) || self.has_kind_initializer(user) {
            names.insert("pthread_mutexattr_settype".into());
        }
        self.mentioned = names;
    }

    /// Whether a global of a library type has a number other than zero among its initialisers.
    fn has_kind_initializer(&mut self, user: &'a [TranslationUnit]) -> bool {
        use selvedge_c_syntax::ast::{ExprKind, TypeSpecifier};
        let mut found = false;
        for item in user.iter().flat_map(|unit| &unit.items) {
            let Item::Declaration(declaration) = item else { continue };
            let TypeSpecifier::Typedef(name) = &declaration.specifiers.ty else { continue };
            if !self.model_types.contains_key(&name.name) {
                continue;
            }
            for init in declaration.declarators.iter().filter_map(|d| d.init.as_ref()) {
                visit::expressions_of_initializer(init, &mut |e| {
                    found |= matches!(&e.kind, ExprKind::Integer(n) if n.value != 0);
                });
            }
        }
        found
    }

    /// Where lowering starts: `main`, or every function of the user's.
    fn roots(&mut self) -> Vec<ProcId> {
        if self.options.library {
            let own: Vec<GlobalId> = (0..self.globals.len() as u32)
                .map(GlobalId)
                .filter(|id| self.is_defined(*id) && !self.units[self.global(*id).unit].model)
                .collect();
            return own.into_iter().map(|id| self.procedure_for(id)).collect();
        }
        match self.externs.get("main").copied().filter(|id| self.is_defined(*id)) {
            Some(main) => vec![self.procedure_for(main)],
            None => {
                let text = "the program has no `main`";
                let help = "give all files of the program, one of which defines `main`";
                self.report(Diagnostic::error("no-main", text).help(help));
                Vec::new()
            }
        }
    }

    /// Lowers procedures and initialises objects until nothing new is mentioned.
    fn lower_reachable(&mut self, roots: Vec<ProcId>) {
        let mut work: Vec<Mention> = roots.into_iter().rev().map(Mention::Procedure).collect();
        if self.options.library {
            let variables: Vec<GlobalId> = (0..self.globals.len() as u32)
                .map(GlobalId)
                .filter(|id| {
                    let global = self.global(*id);
                    !self.units[global.unit].model
                        && !matches!(global.definition, Definition::None | Definition::Function(_))
                })
                .collect();
            for id in variables {
                let span = self.global(id).span;
                work.extend(self.variable_object(id, span).map(Mention::Object));
            }
        }
        while let Some(next) = work.pop() {
            match next {
                Mention::Procedure(id) => {
                    let known = self.program.procedures[id].locations.is_empty();
                    if known {
                        let procedure = self.lower_procedure(id);
                        let mut found = Vec::new();
                        mentions_of(&procedure, &mut found);
                        self.program.procedures[id] = procedure;
                        work.extend(found.into_iter().rev());
                    }
                }
                Mention::Object(id) => {
                    if self.reached.insert(id) {
                        self.initialize_object(id);
                        let init = &self.program.objects[id].init;
                        work.extend(init.iter().filter_map(|(_, c)| mention(*c)));
                    }
                }
            }
            if work.is_empty() {
                work.extend(self.startup_mentions());
            }
        }
    }

    /// What the stores at the program's start mention, of objects that are used.
    fn startup_mentions(&mut self) -> Vec<Mention> {
        let mut found = Vec::new();
        for start in self.startup.iter().filter(|start| self.reached.contains(&start.object)) {
            start.action.for_each_expr(&mut |value| mentions_in(value, &mut found));
        }
        found.retain(|m| match m {
            Mention::Object(id) => !self.reached.contains(id),
            Mention::Procedure(id) => self.program.procedures[*id].locations.is_empty(),
        });
        found
    }

    /// Drops what nothing mentions, numbers anew and makes names unique.
    fn finish(mut self) -> (Program, Vec<Diagnostic>) {
        self.store_startup_values();
        let procedures: Vec<ProcId> = self
            .program
            .procedures
            .iter()
            .filter(|(_, p)| !p.locations.is_empty())
            .map(|(id, _)| id)
            .collect();
        let objects: Vec<ObjectId> =
            self.program.objects.keys().filter(|id| self.reached.contains(id)).collect();
        let new = Numbers {
            procedures: number(&procedures, ProcId::from_u32),
            objects: number(&objects, ObjectId::from_u32),
        };
        let mut names = HashMap::new();
        let mut program = std::mem::take(&mut self.program);
        let mut old_procedures = std::mem::take(&mut program.procedures);
        for id in procedures {
            let empty = empty_procedure(&old_procedures[id]);
            let mut procedure = std::mem::replace(&mut old_procedures[id], empty);
            procedure.name = unique(&mut names, procedure.name);
            new.procedure(&mut procedure);
            program.procedures.push(procedure);
        }
        let mut names = HashMap::new();
        let old_objects = std::mem::take(&mut program.objects);
        for id in objects {
            let mut object = old_objects[id].clone();
            object.name = unique(&mut names, object.name);
            object.init.iter_mut().for_each(|(_, c)| *c = new.constant(*c));
            program.objects.push(object);
        }
        for thread in &mut program.threads {
            thread.procedure = new.procedures[&thread.procedure];
        }
        (program, self.diagnostics)
    }

    /// Puts the stores in front of `main`'s first action.
    fn store_startup_values(&mut self) {
        let stores: Vec<_> = std::mem::take(&mut self.startup)
            .into_iter()
            .filter(|start| self.reached.contains(&start.object))
            .collect();
        let Some(main) = self.main_procedure() else { return };
        for Startup { action, span, .. } in stores.into_iter().rev() {
            let span = self.place(span);
            let procedure = &mut self.program.procedures[main];
            let first = procedure.entry;
            let entry = procedure.add_location(selvedge_ir::Grain::Yield);
            procedure.locations[entry].edges.push(Edge { action, target: first, span });
            procedure.entry = entry;
        }
    }

    fn main_procedure(&self) -> Option<ProcId> {
        self.procedures.iter().enumerate().find_map(|(index, planned)| match planned {
            Planned::Function(id) if self.is_main(*id) => Some(ProcId::from_u32(index as u32)),
            _ => None,
        })
    }
}

/// Something that must be there because something else mentions it.
#[derive(Clone, Copy, Debug)]
enum Mention {
    Procedure(ProcId),
    Object(ObjectId),
}

fn mention(constant: Const) -> Option<Mention> {
    match constant {
        Const::Object(object, _) => Some(Mention::Object(object)),
        Const::Proc(procedure) => Some(Mention::Procedure(procedure)),
        _ => None,
    }
}

fn mentions_in(expr: &Expr, into: &mut Vec<Mention>) {
    expr.walk(&mut |part| {
        if let Expr::Const(constant) = part {
            into.extend(mention(*constant));
        }
    });
}

fn mentions_of(procedure: &Procedure, into: &mut Vec<Mention>) {
    for (_, edge) in procedure.edges() {
        edge.action.for_each_expr(&mut |e| mentions_in(e, into));
        if let Action::Call { callee: Callee::Direct(id), .. }
        | Action::Spawn { entry: Callee::Direct(id), .. } = &edge.action
        {
            into.push(Mention::Procedure(*id));
        }
    }
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

    fn procedure(&self, procedure: &mut Procedure) {
        for location in procedure.locations.values_mut() {
            for edge in &mut location.edges {
                edge.action.for_each_expr_mut(&mut |e| {
                    let old = std::mem::replace(e, Expr::FALSE);
                    *e = old.map(&mut |part| match part {
                        Expr::Const(constant) => Expr::Const(self.constant(constant)),
                        other => other,
                    });
                });
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

fn empty_procedure(like: &Procedure) -> Procedure {
    Procedure {
        name: String::new(),
        params: Vec::new(),
        result: None,
        locals: Default::default(),
        locations: Default::default(),
        entry: like.entry,
        exit: like.exit,
        span: like.span,
    }
}
