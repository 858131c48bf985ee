//! Contracts as abstract threads: the appendix "Embedding Thread-Modular Reasoning".
//!
//! A thread-modular proof has for each thread an abstraction A = pre?; (I?K*; I?Y1); ...; (I?K*; I?Ym);
//! I?K*; post and an assumption E about the steps of all others. The abstract thread walks along A:
//!
//! ```text
//! state i                    asserts I, and E from what the thread's last step left to what is now
//! state i -> state i         K, and staying
//! state i -> state i + 1     Y of i + 1
//! state m -> the end         a step that changes nothing, into post
//! ```
//!
//! So there are m + 2 states at most, and the number of steps grows with that of actions and of mutexes.
//! The paper keeps the copy of the shared state in the abstract thread's local state; here it is what
//! assertions look back to with `\old`. In three points this does more than the paper:
//!
//! - Every step also satisfies I afterwards, and E for every other thread. These the paper has of all
//!   actions of a good specification; with K that may change variables they have to be said.
//! - `requires` is asserted until the thread's first step, in a state of its own.
//! - A started function without a contract may do what I and E allow.
//!
//! What E says to every *other* thread u is said without a quantifier: u occurs in comparisons only, so
//! it can be one of the threads that it is compared with, or one that is none of them.

use cranelift_entity::PrimaryMap;
use selvedge_ir::spec::{
    AbstractState, AbstractThread, Binding, Clause, Contract, Formula, Target, Transition,
    Variable, When,
};
use selvedge_ir::{Action, BinaryOp, Callee, Const, Expr, Place, ProcId, Program, Type};
use selvedge_passes::fold::fold;

use crate::build;
use crate::others::to_others;
use crate::pieces::used;
use crate::refused::Refused;

/// The abstract threads of all functions that threads start in and that have none, but for the first
/// thread's.
pub fn from_contracts(program: &Program) -> Result<Vec<AbstractThread>, Refused> {
    let mut threads = Vec::new();
    for procedure in started(program) {
        if program.spec.abstract_thread_of(procedure).is_none() {
            threads.push(embed(program, procedure)?);
        }
    }
    Ok(threads)
}

/// The procedures that threads start in, but for that of the first thread.
pub fn started(program: &Program) -> Vec<ProcId> {
    let mut found: Vec<ProcId> = Vec::new();
    let threads = program.threads.iter().filter(|thread| !thread.main);
    found.extend(threads.map(|thread| thread.procedure));
    for (_, edge) in program.procedures.values().flat_map(|procedure| procedure.edges()) {
        if let Action::Spawn { entry: Callee::Direct(entry), .. } = &edge.action {
            found.push(*entry);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn embed(program: &Program, procedure: ProcId) -> Result<AbstractThread, Refused> {
    let contract = program.spec.contract_of(procedure);
    let free = contract.is_none();
    let none = Contract {
        procedure,
        requires: Vec::new(),
        modifies: if free { mentioned(program)? } else { Vec::new() },
        actions: Vec::new(),
        ensures: Vec::new(),
        span: program.procedures[procedure].span,
    };
    Embedding { program, procedure, contract: contract.unwrap_or(&none) }.thread()
}

struct Embedding<'a> {
    program: &'a Program,
    procedure: ProcId,
    contract: &'a Contract,
}

impl Embedding<'_> {
    fn thread(&self) -> Result<AbstractThread, Refused> {
        let kept = self.kept()?;
        let first = u32::from(!self.contract.requires.is_empty());
        let last = first + self.contract.actions.len() as u32;
        let mut states = Vec::new();
        if first == 1 {
            let mut asserts = self.known(&self.contract.requires)?;
            asserts.extend(kept.iter().cloned());
            let begin = build::state("Begin", true, asserts);
            states.push(AbstractState { idles: false, ..begin });
        }
        for number in 0..=self.contract.actions.len() {
            let initial = first == 0 && number == 0;
            states.push(build::state(format!("S{number}"), initial, kept.clone()));
        }
        let mut steps = Vec::new();
        for state in 0..=last {
            // From the first state every step leads on, as it does from the one behind it.
            let (to, idle) = if state < first { (first, true) } else { (state, false) };
            if idle {
                steps.push(build::step(state, to, Vec::new(), Vec::new()));
            }
            self.steps(state, to, &[], &[], &mut steps)?;
            let next = state.max(first) - first;
            if let Some(action) = self.contract.actions.get(next as usize) {
                let ensures = self.known(&action.ensures)?;
                self.steps(state, to + 1, &ensures, &action.modifies, &mut steps)?;
            }
        }
        let ensures = self.known(&self.contract.ensures)?;
        if let Some(clause) = ensures.iter().find(|clause| clause.formula.has_two_states()) {
            let what = "what a thread ensures about its beginning and its end has no place in an \
                        abstract thread";
            return Err(Refused::unsupported(what, clause.span));
        }
        if !ensures.is_empty() {
            let end = states.len() as u32;
            states.push(build::state("End", false, kept));
            steps.push(build::step(last, end, ensures, Vec::new()));
        }
        let name = self.name();
        Ok(AbstractThread {
            span: self.contract.span,
            ..build::thread(name, self.procedure, states, steps)
        })
    }

    fn name(&self) -> String {
        let procedure = &self.program.procedures[self.procedure].name;
        let mut letters = procedure.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        let name: String = first.into_iter().chain(letters).collect();
        if name == *procedure { format!("Abstract{name}") } else { name }
    }

    /// I, and E from the last step on.
    fn kept(&self) -> Result<Vec<Clause>, Refused> {
        let spec = &self.program.spec;
        let mut kept = self.known(&spec.invariants)?;
        for clause in self.known(&spec.environment)? {
            if clause.formula.body == Expr::TRUE {
                continue;
            }
            if !clause.formula.has_two_states() {
                let what =
                    "an environment assumption that does not speak of the state after a step";
                return Err(Refused::unsupported(what, clause.span));
            }
            kept.push(clause);
        }
        Ok(kept)
    }

    /// Clauses in which `\runs` has been answered, and about nothing that abstract threads do not
    /// know.
    fn known(&self, clauses: &[Clause]) -> Result<Vec<Clause>, Refused> {
        let known = |clause: &Clause| {
            let clause = self.answered(clause);
            let read = |binding: &Binding| matches!(binding, Binding::Read { .. });
            match clause.formula.variables.values().all(|v| read(&v.binding)) {
                true => Ok(clause),
                false => {
                    let text = &clause.text;
                    let what = format!(
                        "`{text}` speaks of more than variables at fixed places, so no abstract \
                         thread can say it"
                    );
                    Err(Refused::unsupported(what, clause.span))
                }
            }
        };
        clauses.iter().map(known).collect()
    }

    fn answered(&self, clause: &Clause) -> Clause {
        let variables = &clause.formula.variables;
        let body = clause.formula.body.clone().map(&mut |part| match part {
            Expr::Local(local) => match variables[local].binding {
                Binding::Runs(procedure) => Expr::Const(Const::Bool(procedure == self.procedure)),
                _ => part,
            },
            other => other,
        });
        let formula = used(&Formula { variables: variables.clone(), body: fold(body) });
        Clause { formula, ..clause.clone() }
    }

    /// The steps with this relation that change what every step may change, and these targets.
    fn steps(
        &self,
        from: u32,
        to: u32,
        relation: &[Clause],
        also: &[Target],
        steps: &mut Vec<Transition>,
    ) -> Result<(), Refused> {
        let action = !relation.is_empty() || !also.is_empty();
        let (threads, plain): (Vec<&Target>, Vec<&Target>) =
            self.contract.modifies.iter().partition(|target| target.ty == Type::Thread);
        let plain: Vec<Target> = plain.into_iter().chain(also).cloned().collect();
        if action || !plain.is_empty() {
            steps.push(self.step(from, to, relation, plain.clone())?);
        }
        // Of a variable that holds a thread a step has to say which: this one, or none.
        for &target in threads.iter().filter(|_| !action) {
            for value in [Expr::Tid, Expr::Const(Const::NoThread)] {
                let relation = [becomes(target, value)?];
                let targets = plain.iter().chain([target]).cloned().collect();
                steps.push(self.step(from, to, &relation, targets)?);
            }
        }
        Ok(())
    }

    fn step(
        &self,
        from: u32,
        to: u32,
        relation: &[Clause],
        modifies: Vec<Target>,
    ) -> Result<Transition, Refused> {
        let changed: Vec<Place> = modifies.iter().filter_map(Target::direct).collect();
        let mut relation = relation.to_vec();
        for clause in self.known(&self.program.spec.invariants)? {
            let after = afterwards(&clause);
            if concerns(&after.formula, &changed) {
                relation.push(after);
            }
        }
        for clause in self.known_to_others()? {
            if concerns(&clause.formula, &changed) {
                relation.push(clause);
            }
        }
        Ok(build::step(from, to, relation, modifies))
    }

    /// What E says to all other threads.
    fn known_to_others(&self) -> Result<Vec<Clause>, Refused> {
        let environment = self.program.spec.environment.iter();
        let clauses = environment.map(to_others);
        let clauses: Vec<Clause> = clauses.collect::<Result<_, _>>()?;
        self.known(&clauses)
    }
}

/// All that the global part of the specification speaks of, to be changed by anyone.
fn mentioned(program: &Program) -> Result<Vec<Target>, Refused> {
    let mut targets: Vec<Target> = Vec::new();
    let clauses = program.spec.environment.iter().chain(&program.spec.invariants);
    for clause in clauses {
        for (_, place, _) in clause.formula.reads() {
            if place.direct().is_none() {
                let what = "a specification of what pointers lead to, which abstract threads \
                            cannot speak of";
                return Err(Refused::unsupported(what, clause.span));
            }
            let target = Target {
                ghost: None,
                address: Formula::closed(place.addr.clone()),
                ty: place.ty,
                text: clause.text.clone(),
                span: clause.span,
            };
            if targets.iter().all(|known| known.direct() != target.direct()) {
                targets.push(target);
            }
        }
    }
    Ok(targets)
}

/// `target' == value`
fn becomes(target: &Target, value: Expr) -> Result<Clause, Refused> {
    let Some(place) = target.direct() else {
        let what = "a thread identifier behind a pointer";
        return Err(Refused::unsupported(what, target.span));
    };
    let mut formula = Formula { variables: PrimaryMap::new(), body: Expr::TRUE };
    let binding = Binding::Read { place, when: When::After };
    let name = target.text.clone();
    let read = formula.variables.push(Variable { name, ty: Type::Thread, binding });
    formula.body = Expr::binary(BinaryOp::Eq, Expr::Local(read), value);
    Ok(Clause { formula, text: target.text.clone(), span: target.span })
}

/// The clause about the state after a step.
fn afterwards(clause: &Clause) -> Clause {
    let mut clause = clause.clone();
    for variable in clause.formula.variables.values_mut() {
        if let Binding::Read { when, .. } = &mut variable.binding {
            *when = When::After;
        }
    }
    clause
}

/// Whether a formula speaks of the new value of a changed place.
fn concerns(formula: &Formula, changed: &[Place]) -> bool {
    formula.reads().any(|(_, place, when)| when == When::After && changed.contains(place))
}
