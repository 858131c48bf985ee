//! Prints specifications.

use super::super::names::{layout_ref, name, quote};
use super::expr::Context;
use super::{Printer, span};
use crate::spec::{AbstractThread, Binding, Clause, Contract, Formula, Target, Variable, When};
use crate::{Expr, Program, Span, Type};

impl Printer<'_> {
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
        let Target { address, ty, text, span: at } = target;
        let ends = |body: String| format!("at {body}: {ty}");
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
            formula.variables.values().map(|v| variable(self.program, &context, v)).collect();
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

fn variable(program: &Program, context: &Context<'_>, variable: &Variable) -> String {
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
    };
    format!("{}: {} := {what};", name(&variable.name), variable.ty)
}
