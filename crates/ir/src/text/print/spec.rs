//! Prints specifications.

use super::super::names::{layout_ref, name, quote};
use super::expr::Context;
use super::{Printer, span};
use crate::spec::{
    AbstractThread, Binding, Clause, Contract, Formula, GhostAction, Target, Variable, When,
};
use crate::{Expr, GhostId, LocalId, Procedure, Program, Span, Type};

impl Printer<'_> {
    pub(super) fn ghosts(&mut self) {
        let program = self.program;
        for ghost in program.spec.ghosts.values() {
            let map = if ghost.map { " map" } else { "" };
            let of = ghost.of.map(|of| format!(" in {}", layout_ref(program, of)));
            let init = Context::new(program, None).constant(ghost.init, Some(ghost.ty));
            let (of, at) = (of.unwrap_or_default(), span(ghost.span));
            let (name, ty) = (name(&ghost.name), ghost.ty);
            self.line(0, &format!("ghost {name}: {ty}{map}{of} := {init}{at};"));
        }
    }

    pub(super) fn specification(&mut self) {
        let spec = &self.program.spec;
        for clause in &spec.environment {
            self.clause(0, "environment", clause);
        }
        for clause in &spec.invariants {
            self.clause(0, "invariant", clause);
        }
        for contract in &spec.contracts {
            self.contract(contract);
        }
        for thread in &spec.abstract_threads {
            self.abstract_thread(thread);
        }
    }

    fn contract(&mut self, contract: &Contract) {
        let procedure = self.procedure_name(contract.procedure);
        self.line(0, &format!("contract {procedure}{} {{", span(contract.span)));
        for clause in &contract.requires {
            self.clause(4, "requires", clause);
        }
        for target in &contract.modifies {
            self.target(4, target);
        }
        for action in &contract.actions {
            self.line(4, &format!("action{} {{", span(action.span)));
            for target in &action.modifies {
                self.target(8, target);
            }
            for clause in &action.ensures {
                self.clause(8, "ensures", clause);
            }
            self.line(4, "}");
        }
        for clause in &contract.ensures {
            self.clause(4, "ensures", clause);
        }
        self.line(0, "}");
    }

    fn abstract_thread(&mut self, thread: &AbstractThread) {
        let procedure = self.procedure_name(thread.procedure);
        let (named, at) = (name(&thread.name), span(thread.span));
        self.line(0, &format!("abstract_thread {named} abstracts {procedure}{at} {{"));
        for state in &thread.states {
            let initial = if state.initial { " initial" } else { "" };
            let idles = if state.idles { "" } else { " nostutter" };
            let head = format!("state {}{initial}{idles}{}", name(&state.name), span(state.span));
            self.line(4, &format!("{head} {{"));
            for clause in &state.asserts {
                self.clause(8, "assert", clause);
            }
            self.line(4, "}");
        }
        for step in &thread.transitions {
            self.line(4, &format!("step {} -> {}{} {{", step.from, step.to, span(step.span)));
            for clause in &step.relation {
                self.clause(8, "ensures", clause);
            }
            for target in &step.modifies {
                self.target(8, target);
            }
            self.line(4, "}");
        }
        self.line(0, "}");
    }

    fn procedure_name(&self, id: crate::ProcId) -> String {
        Context::new(self.program, None).procedure_name(id)
    }

    fn clause(&mut self, indent: usize, word: &str, clause: &Clause) {
        let Clause { formula, text, span: at } = clause;
        let ends = |body: String| format!("holds {body}");
        self.formula(indent, (word, text, *at), formula, (Type::Bool, &ends));
    }

    fn target(&mut self, indent: usize, target: &Target) {
        let Target { address, ty, ghost, text, span: at } = target;
        let ghost = ghost.map_or(String::new(), |id| format!(" ghost {}", id.as_u32()));
        let ends = |body: String| format!("at {body}: {ty}{ghost}");
        self.formula(indent, ("modifies", text, *at), address, (Type::Ptr, &ends));
    }

    fn formula(
        &mut self,
        indent: usize,
        (word, text, at): (&str, &str, Span),
        formula: &Formula,
        (ty, ends): (Type, &dyn Fn(String) -> String),
    ) {
        let frame = formula.frame();
        let context = Context::new(self.program, Some(&frame));
        let head = format!("{word} {}{}", quote(text), span(at));
        let lines: Vec<String> =
            formula.variables.values().map(|v| variable(self.program, &context, None, v)).collect();
        let end = ends(context.expr(&formula.body, Some(ty)));
        match lines.is_empty() {
            true => self.line(indent, &format!("{head} {{}} {end};")),
            false => {
                self.line(indent, &format!("{head} {{"));
                lines.iter().for_each(|line| self.line(indent + 4, line));
                self.line(indent, &format!("}} {end};"));
            }
        }
    }
}

/// What an annotation in the body of a procedure does.
pub(super) fn ghost_action(
    program: &Program,
    procedure: Option<&Procedure>,
    action: &GhostAction,
) -> String {
    let claim = |word: &str, clause: &Clause| {
        let Clause { formula, text, span: at } = clause;
        let said = inside(program, procedure, formula, "holds", Type::Bool);
        format!("{word} {}{} {said}", quote(text), span(*at))
    };
    match action {
        GhostAction::Update { ghost, of, value } => {
            let ty = program.spec.ghosts.get(*ghost).map_or(Type::Bool, |ghost| ghost.ty);
            let of = inside(program, procedure, of, "at", Type::Ptr);
            let value = inside(program, procedure, value, "to", ty);
            format!("ghost_update {} \"\" {of} \"\" {value}", GhostId::as_u32(*ghost))
        }
        GhostAction::Assert(clause) => claim("ghost_assert", clause),
        GhostAction::Invariant(clause) => claim("ghost_invariant", clause),
    }
}

/// A formula on one line.
fn inside(
    program: &Program,
    procedure: Option<&Procedure>,
    formula: &Formula,
    word: &str,
    ty: Type,
) -> String {
    let frame = formula.frame();
    let context = Context::new(program, Some(&frame));
    let outside = Context::new(program, procedure);
    let variables = formula.variables.values();
    let lines: String =
        variables.map(|v| variable(program, &context, Some(&outside), v) + " ").collect();
    format!("{{ {lines}}} {word} {}", context.expr(&formula.body, Some(ty)))
}

fn variable(
    program: &Program,
    context: &Context<'_>,
    outside: Option<&Context<'_>>,
    variable: &Variable,
) -> String {
    let thread = |e: &Expr| context.expr(e, Some(Type::Thread));
    let map = |id: LocalId| context.local(id);
    let pointer = |e: &Expr| context.expr(e, Some(Type::Ptr));
    let over = |layout: &Option<crate::LayoutId>| {
        layout.map_or(String::new(), |layout| format!(" in {}", layout_ref(program, layout)))
    };
    let what = match &variable.binding {
        Binding::Parameter(number) => format!("parameter {number}"),
        Binding::Result => "result".to_string(),
        Binding::Main => "main".to_string(),
        Binding::Runs(procedure) => format!("runs {}", context.procedure_name(*procedure)),
        Binding::Forall(layout) => format!("forall{}", over(layout)),
        Binding::Exists(layout) => format!("exists{}", over(layout)),
        Binding::Read { place, when: When::Before } => format!("load {}", context.place(place)),
        Binding::Read { place, when: When::After } => format!("after {}", context.place(place)),
        Binding::Size(e) => format!("size {}", pointer(e)),
        Binding::Alive { pointer: e, when: When::Before } => format!("alive {}", pointer(e)),
        Binding::Alive { pointer: e, when: When::After } => format!("alive_after {}", pointer(e)),
        Binding::Ghost { ghost, of, when } => {
            let word = if *when == When::Before { "ghost" } else { "ghost_after" };
            format!("{word} {} of {}", ghost.as_u32(), pointer(of))
        }
        Binding::Value(value) => {
            format!("value {}", outside.unwrap_or(context).expr(value, Some(variable.ty)))
        }
        Binding::Everywhere(value) => {
            format!("everywhere {}", context.constant(*value, Some(variable.ty)))
        }
        Binding::Update { map: from, thread: at, value } => {
            let value = context.expr(value, Some(variable.ty));
            format!("update {} at {} := {value}", map(*from), thread(at))
        }
        Binding::Entry { map: from, thread: at } => {
            format!("entry {} at {}", map(*from), thread(at))
        }
        Binding::Count(of) => format!("count {}", map(*of)),
        Binding::Same(a, b) => format!("same {} {}", map(*a), map(*b)),
    };
    format!("{}: {} := {what};", name(&variable.name), variable.ty)
}
