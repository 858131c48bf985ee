//! From parsed units to the finished program: declarations first, then every procedure that the
//! program can reach, starting from `main`.

mod assemble;
mod calls;
mod facts;
mod fixed;
mod identifiers;
mod inits;
mod joins;
mod literals;
mod pointers;
mod unlocks;
mod waits;

use std::collections::HashSet;
use std::rc::Rc;

use selvedge_c_syntax::ast::{self, Item, TranslationUnit};
use selvedge_c_syntax::{Diagnostic, SourceMap};
use selvedge_ir::spec::{Binding, Formula};
use selvedge_ir::{
    Action, Annotation, Callee, Const, Expr, Multiplicity, ObjectId, ProcId, Procedure, Program,
    Thread,
};

use crate::Options;
use crate::call::mentioned;
use crate::function::Lowered;
use crate::lowering::{Definition, GlobalId, Lowering, Symbols, Unit};
use crate::visit;

/// What comes out of linking.
pub(crate) struct Linked {
    pub program: Program,
    /// With the actions of annotations, where there are any.
    pub annotated: Option<Program>,
    pub diagnostics: Vec<Diagnostic>,
    /// A fact that matters to library models and was not known before.
    learned: Option<&'static str>,
}

/// Lowers parsed units: the library models and the user's files.
pub(crate) fn lower(
    models: &[TranslationUnit],
    user: &[TranslationUnit],
    name: String,
    options: &Options,
    sources: &SourceMap,
) -> Linked {
    let mut known = Known::default();
    loop {
        let linked = lower_with(models, user, name.clone(), options, sources, &known);
        if let Some(fact) = linked.learned.filter(|fact| !known.facts.contains(fact)) {
            known.facts.push(fact);
            continue;
        }
        if !known.unheld.is_empty() {
            return linked;
        }
        known.unheld = unlocks::may_be_unheld(&linked.program, &options.properties);
        if known.unheld.is_empty() {
            return linked;
        }
    }
}

/// What an earlier lowering told about the program.
#[derive(Default)]
struct Known {
    facts: Vec<&'static str>,
    /// Where a thread may unlock what it does not hold.
    unheld: HashSet<selvedge_ir::Span>,
}

/// Likewise, with what is known already.
fn lower_with(
    models: &[TranslationUnit],
    user: &[TranslationUnit],
    name: String,
    options: &Options,
    sources: &SourceMap,
    known: &Known,
) -> Linked {
    let mut lowering = Lowering::new(options, sources, name);
    lowering.mentioned.extend(known.facts.iter().copied().map(Rc::from));
    lowering.unheld = known.unheld.clone();
    lowering.defined_by_user = defined(user);
    for (ast, model) in models.iter().map(|m| (m, true)).chain(user.iter().map(|u| (u, false))) {
        let symbols = Symbols::of(ast);
        lowering.units.push(Unit { ast, scope: Default::default(), model, symbols });
        lowering.declare_unit(lowering.units.len() - 1);
    }
    lowering.ghosts = user
        .iter()
        .flat_map(|unit| &unit.specifications.ghosts)
        .map(|name| name.name.clone())
        .collect();
    lowering.specified = user.iter().flat_map(|unit| unit.specified.iter().cloned()).collect();
    if options.specifications {
        (0..lowering.units.len()).for_each(|unit| lowering.declare_maps(unit));
    }
    lowering.resolve_symbols();
    lowering.find_mentioned(user);
    lowering.find_ends();
    lowering.find_uses();
    let mut roots = lowering.roots();
    if options.specifications {
        roots.extend(lowering.specifications());
    }
    let start = lowering.lower_reachable(&roots);
    if !options.library
        && let Some(main) = roots.first()
    {
        lowering.program.threads.push(Thread {
            procedure: *main,
            count: Multiplicity::Exactly(1),
            main: true,
        });
    }
    lowering.annotations(user);
    lowering.assemble(&start)
}

/// Whether a name is of the interface of SV-COMP, or of the idioms of its programs.
fn is_of_sv_comp(name: &str) -> bool {
    name.starts_with("__VERIFIER_") || matches!(name, "reach_error" | "assume_abort_if_not")
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
    /// Which names the user's code mentions, for `__selvedge_uses`. Who initialises a member of a
    /// library type counts as one who uses the function that chooses its value.
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
                Item::StaticAssert(_) | Item::Asm(_) | Item::Unsupported(..) => {}
            }
        }
        let plain: Vec<Rc<str>> =
            names.iter().filter_map(|name| name.strip_prefix("__builtin_")).map(Rc::from).collect();
        names.extend(plain);
        if names.iter().chain(&self.defined_by_user).any(|name| is_of_sv_comp(name)) {
            names.insert("__VERIFIER_".into());
        }
        let initialised = self.has_initializer(user);
        for chosen in &self.chosen {
            if initialised || chosen.constants.iter().any(|name| names.contains(name)) {
                names.insert(chosen.function.clone());
            }
        }
        if !self.runs(false).is_empty() {
            names.insert("__selvedge_destructors".into());
        }
        self.mentioned = names;
        self.find_facts(user);
    }

    /// Whether a global of a library type has a number other than zero among its initialisers.
    fn has_initializer(&mut self, user: &'a [TranslationUnit]) -> bool {
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
        if let Some(entries) = &self.options.module {
            return self.client_of(entries).into_iter().collect();
        }
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

    /// Enters the annotations of the user's files. A file that is included twice says them once.
    fn annotations(&mut self, user: &'a [TranslationUnit]) {
        for annotation in user.iter().flat_map(|unit| &unit.annotations) {
            let ast::Annotation::Predicate { text, span } = annotation;
            let span = self.place(*span);
            let annotation = Annotation::Predicate { text: text.to_string(), span };
            if !self.program.annotations.contains(&annotation) {
                self.program.annotations.push(annotation);
            }
        }
    }

    /// Lowers procedures and initialises objects until nothing new is mentioned. Returns what it
    /// starts with.
    fn lower_reachable(&mut self, roots: &[ProcId]) -> Vec<Mention> {
        let mut work: Vec<Mention> = roots.iter().rev().copied().map(Mention::Procedure).collect();
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
        self.program.spec.formulas().for_each(|formula| mentions_by(formula, &mut work));
        let start = work.clone();
        while let Some(next) = work.pop() {
            match next {
                Mention::Procedure(id) => {
                    if self.program.procedures[id].locations.is_empty() {
                        let Lowered { procedure, annotated } = self.lower_procedure(id);
                        let mut found = Vec::new();
                        mentions_of(&procedure, &mut found);
                        annotated.iter().for_each(|p| mentions_of(p, &mut found));
                        self.program.procedures[id] = procedure;
                        self.annotated.extend(annotated.map(|annotated| (id, annotated)));
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
        start
    }

    /// What the stores at the program's start mention, of objects that are used.
    fn startup_mentions(&mut self) -> Vec<Mention> {
        let mut found = Vec::new();
        for start in self.startup.iter().filter(|start| self.reached.contains(&start.object)) {
            mentions_of_action(&start.action, &mut found);
        }
        found.retain(|m| match m {
            Mention::Object(id) => !self.reached.contains(id),
            Mention::Procedure(id) => self.program.procedures[*id].locations.is_empty(),
        });
        found
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
        mentions_of_action(&edge.action, into);
    }
}

fn mentions_by(formula: &Formula, into: &mut Vec<Mention>) {
    formula.for_each_expr(&mut |e| mentions_in(e, into));
    let runs = formula.variables.values().filter_map(|variable| match variable.binding {
        Binding::Runs(procedure) => Some(Mention::Procedure(procedure)),
        _ => None,
    });
    into.extend(runs);
}

fn mentions_of_action(action: &Action, into: &mut Vec<Mention>) {
    action.for_each_expr(&mut |e| mentions_in(e, into));
    if let Action::Ghost(ghost) = action {
        ghost.formulas().into_iter().for_each(|formula| mentions_by(formula, into));
    }
    if let Action::Call { callee: Callee::Direct(id), .. }
    | Action::Spawn { entry: Callee::Direct(id), .. } = action
    {
        into.push(Mention::Procedure(*id));
    }
}
