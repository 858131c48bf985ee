//! Specifications: from comments to [`selvedge_ir::spec`].
//!
//! A formula is lowered as the C expression that it is, into a body of its own; the loads and values
//! of that body, which is a straight line, then become the variables and the expression of a
//! [`selvedge_ir::spec::Formula`] (`formula`). So names, types and conversions in a formula mean what
//! they mean in the program around it. What C does not have is in `words`.

mod body;
mod check;
mod formula;
mod ghost;
mod maps;
mod protect;
mod words;

use std::collections::HashMap;
use std::rc::Rc;

use selvedge_c_syntax::Diagnostic;
use selvedge_c_syntax::ast::{self, Span};
use selvedge_c_syntax::specification as said;
use selvedge_ir::ProcId;
use selvedge_ir::spec::{
    AbstractAction, AbstractState, AbstractThread, Clause, Contract, Formula, Specification,
    Target, Transition,
};

use crate::lowering::{Definition, Entity, GlobalId, Lowering};

pub(crate) use check::has_quantifier;

/// How many states a formula may speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum States {
    One,
    /// Before a step and after it.
    Two,
    /// Now, and with `\\old` as the thread's last step left it.
    Past,
}

/// What the names of a formula mean besides those of the file.
#[derive(Clone, Copy)]
enum About<'a> {
    File,
    /// Parameters by their names.
    Function(&'a ast::FunctionDef),
    /// Its result as well.
    Result(&'a ast::FunctionDef),
}

impl<'a> Lowering<'a> {
    /// Reads what the user's files specify. Returns the procedures that are spoken of.
    pub fn specifications(&mut self) -> Vec<ProcId> {
        let mut spec = Specification::default();
        let mut mentioned = Vec::new();
        for unit in 0..self.units.len() {
            if self.units[unit].model {
                continue;
            }
            let said = &self.units[unit].ast.specifications;
            self.enter_formula(unit);
            for clause in &said.environment {
                let clauses = self.clauses(clause, States::Two, About::File);
                spec.environment.extend(clauses);
            }
            for clause in &said.invariants {
                let clauses = self.clauses(clause, States::One, About::File);
                spec.invariants.extend(clauses);
            }
            for protected in &said.protected {
                self.protected_variable(protected, &mut spec.environment);
            }
            for contract in &said.contracts {
                spec.contracts.extend(self.contract(contract, unit));
            }
            for thread in &said.threads {
                spec.abstract_threads.extend(self.abstract_thread(thread, unit));
            }
        }
        self.protected_members(&mut spec.environment);
        self.reject_doubles(&spec);
        mentioned.extend(spec.contracts.iter().map(|contract| contract.procedure));
        mentioned.extend(spec.abstract_threads.iter().map(|thread| thread.procedure));
        spec.ghosts = std::mem::take(&mut self.program.spec.ghosts);
        self.program.spec = spec;
        mentioned
    }

    /// The function of this name, if it is defined.
    fn function_named(
        &mut self,
        name: &ast::Ident,
        unit: usize,
    ) -> Option<(ProcId, Definition<'a>)> {
        let found = match self.units[unit].scope.names.get(&name.name) {
            Some(Entity::Global(id)) => Some(self.canonical(*id)),
            _ => None,
        };
        let definition = found.map(|id: GlobalId| (id, self.global(id).definition));
        match definition {
            Some((id, definition @ Definition::Function(_))) => {
                Some((self.procedure_for(id), definition))
            }
            Some(_) if found.is_some_and(|id| self.types.is_function(self.global(id).ty)) => {
                let text = format!("`{}` is specified, but not defined", name.name);
                let help = "give the file that defines it";
                self.report(Diagnostic::error("annotation", text).at(name.span).help(help));
                None
            }
            _ => {
                let text = format!("there is no function `{}`", name.name);
                self.error("annotation", name.span, text);
                None
            }
        }
    }

    fn contract(&mut self, said: &'a said::Contract, unit: usize) -> Option<Contract> {
        let (procedure, definition) = self.function_named(&said.function, unit)?;
        let Definition::Function(definition) = definition else { return None };
        let about = About::Function(definition);
        let mut contract = Contract {
            procedure,
            requires: Vec::new(),
            modifies: self.targets(&said.modifies, about),
            actions: Vec::new(),
            ensures: Vec::new(),
            span: self.place(said.span),
        };
        for clause in &said.requires {
            contract.requires.extend(self.clauses(clause, States::One, about));
        }
        for action in &said.actions {
            let ensures = action.ensures.iter();
            let ensures = ensures.flat_map(|e| self.clauses(e, States::Two, about)).collect();
            let modifies = self.targets(&action.modifies, about);
            let span = self.place(action.span);
            contract.actions.push(AbstractAction { modifies, ensures, span });
        }
        for clause in &said.ensures {
            let clauses = self.clauses(clause, States::Two, About::Result(definition));
            contract.ensures.extend(clauses);
        }
        Some(contract)
    }

    fn abstract_thread(
        &mut self,
        said: &'a said::AbstractThread,
        unit: usize,
    ) -> Option<AbstractThread> {
        let found = self.function_named(&said.function, unit);
        let mut numbers: HashMap<Rc<str>, u32> = HashMap::new();
        let mut states = Vec::new();
        for state in &said.states {
            if numbers.insert(state.name.name.clone(), states.len() as u32).is_some() {
                let text = format!("there are two states `{}`", state.name.name);
                self.error("annotation", state.name.span, text);
            }
            let assertion = state.assertion.iter();
            let asserts =
                assertion.flat_map(|a| self.clauses(a, States::Past, About::File)).collect();
            states.push(AbstractState {
                name: state.name.name.to_string(),
                initial: state.initial,
                idles: state.stutters,
                asserts,
                span: self.place(state.name.span),
            });
        }
        let transitions = said.transitions.iter();
        let transitions: Vec<Option<Transition>> =
            transitions.map(|step| self.transition(step, &numbers)).collect();
        if !said.states.iter().any(|state| state.initial) {
            let text = format!("the abstract thread `{}` has no initial state", said.name.name);
            let help = "write `initial` behind the name of the state that it starts in";
            self.report(Diagnostic::error("annotation", text).at(said.name.span).help(help));
        }
        Some(AbstractThread {
            name: said.name.name.to_string(),
            procedure: found?.0,
            states,
            transitions: transitions.into_iter().collect::<Option<_>>()?,
            span: self.place(said.span),
        })
    }

    fn transition(
        &mut self,
        said: &'a said::Transition,
        numbers: &HashMap<Rc<str>, u32>,
    ) -> Option<Transition> {
        let mut number = |name: &ast::Ident| {
            let known = numbers.get(&name.name).copied();
            if known.is_none() {
                let text = format!("there is no state `{}`", name.name);
                self.error("annotation", name.span, text);
            }
            known
        };
        let (from, to) = (number(&said.from), number(&said.to));
        let relation = said.relation.iter();
        let relation = relation.flat_map(|r| self.clauses(r, States::Two, About::File)).collect();
        let modifies = self.targets(&said.modifies, About::File);
        let span = self.place(said.span);
        Some(Transition { from: from?, to: to?, relation, modifies, span })
    }

    /// The conjuncts of a clause, each a clause of its own.
    fn clauses(&mut self, said: &'a said::Clause, states: States, about: About<'a>) -> Vec<Clause> {
        let mut parts = Vec::new();
        conjuncts(&said.formula, &mut parts);
        let one = parts.len() == 1;
        let mut clauses = Vec::new();
        for part in parts {
            let span = if one { said.span } else { part.span };
            let text = if one { said.text.to_string() } else { self.one_line(part.span) };
            // Of an assertion each conjunct looks back by itself, so that it can be told from its
            // reads whether it does.
            let whole = if states == States::Past { part } else { &said.formula };
            let old = check::mentions(whole, "\\old");
            let formula = self.formula(part, states, old, about);
            let past = |formula: &Formula| states == States::Past && !formula.has_two_states();
            if old && formula.as_ref().is_some_and(past) {
                let text = "this speaks of the past only";
                let help = "say with `\\old` how what is now has come from what was";
                let error = Diagnostic::error("annotation", text).at(part.span).help(help);
                self.report(error);
                continue;
            }
            let span = self.place(span);
            let clause = formula.map(|formula| Clause { formula, text, span });
            clauses.extend(clause.map(|clause| (clause, part.span)));
        }
        if matches!(about, About::Result(_)) {
            self.reject_entry(&clauses, check::mentions(&said.formula, "\\old"));
        }
        clauses.into_iter().map(|(clause, _)| clause).collect()
    }

    /// What is ensured is about the exit, or about entry and exit. A conjunct about the entry alone,
    /// beside others about both, would be read as one about the exit.
    fn reject_entry(&mut self, clauses: &[(Clause, Span)], old: bool) {
        let both = |clause: &Clause| clause.formula.has_two_states();
        if !old && !clauses.iter().any(|(clause, _)| both(clause)) {
            return;
        }
        for (clause, span) in clauses {
            let reads = clause.formula.reads().next().is_some();
            if reads && !both(clause) {
                let text = "this speaks of the state at the call only";
                let help = "what holds at the call is said with `requires`";
                self.report(Diagnostic::error("annotation", text).at(*span).help(help));
            }
        }
    }

    fn targets(&mut self, said: &'a [said::Target], about: About<'a>) -> Vec<Target> {
        let mut targets = Vec::new();
        for target in said {
            self.target(target, about, &mut targets);
        }
        targets
    }

    pub(super) fn one_line(&self, span: Span) -> String {
        let text = self.sources.snippet(span);
        let lines = text.lines().map(|line| line.trim().trim_start_matches('@').trim());
        lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// One thing is specified once.
    fn reject_doubles(&mut self, spec: &Specification) {
        let contracts = spec.contracts.iter().map(|contract| (contract.procedure, contract.span));
        let threads = spec.abstract_threads.iter().map(|thread| (thread.procedure, thread.span));
        let mut texts = Vec::new();
        for (what, list) in
            [("contracts", contracts.collect::<Vec<_>>()), ("abstract threads", threads.collect())]
        {
            for (index, (procedure, _)) in list.iter().enumerate() {
                if list[..index].iter().any(|(other, _)| other == procedure) {
                    texts.push((what, *procedure));
                }
            }
        }
        for (what, procedure) in texts {
            let crate::lowering::Planned::Function(id) =
                self.procedures[procedure.as_u32() as usize]
            else {
                continue;
            };
            let global = self.global(id);
            let (text, span) = (format!("`{}` has two {what}", global.name), global.span);
            self.error("annotation", span, text);
        }
    }
}

/// The parts of a conjunction.
fn conjuncts<'a>(formula: &'a ast::Expr, parts: &mut Vec<&'a ast::Expr>) {
    match &formula.kind {
        ast::ExprKind::Binary { op: ast::BinaryOp::And, left, right } => {
            conjuncts(left, parts);
            conjuncts(right, parts);
        }
        _ => parts.push(formula),
    }
}
