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

use selvedge_ir::spec::{
    AbstractState, AbstractThread, Clause, Contract, Formula, Target, Transition,
};
use selvedge_ir::{Action, Callee, Place, ProcId, Program};

use crate::always::Always;
use crate::build;
use crate::refused::Refused;
use crate::rely::{Rely, about_variables};

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
    Embedding::of(program, procedure, contract.unwrap_or(&none))?.thread()
}

struct Embedding<'a> {
    program: &'a Program,
    procedure: ProcId,
    contract: &'a Contract,
    /// K.
    always: Always,
    /// I and E.
    rely: Rely,
}

impl Embedding<'_> {
    fn of<'a>(
        program: &'a Program,
        procedure: ProcId,
        contract: &'a Contract,
    ) -> Result<Embedding<'a>, Refused> {
        let always = Always::of(program, contract);
        let rely = Rely::stated(program, procedure, &always.locks())?;
        Ok(Embedding { program, procedure, contract, always, rely })
    }

    fn thread(&self) -> Result<AbstractThread, Refused> {
        let kept = self.rely.asserted();
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
            for (relation, modifies) in self.always.changes()? {
                steps.push(self.step(state, to, relation, modifies));
            }
            let next = state.max(first) - first;
            if let Some(action) = self.contract.actions.get(next as usize) {
                let modifies = self.always.plain.iter().chain(&action.modifies).cloned().collect();
                let relation = self.known(&action.ensures)?;
                steps.push(self.step(state, to + 1, relation, modifies));
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

    /// A step that keeps I, and that E allows.
    fn step(
        &self,
        from: u32,
        to: u32,
        mut relation: Vec<Clause>,
        modifies: Vec<Target>,
    ) -> Transition {
        let changed: Vec<Place> = modifies.iter().filter_map(Target::direct).collect();
        relation.extend(self.rely.guaranteed(&changed));
        build::step(from, to, relation, modifies)
    }

    /// Clauses about nothing that abstract threads do not know.
    fn known(&self, clauses: &[Clause]) -> Result<Vec<Clause>, Refused> {
        clauses.iter().map(|clause| about_variables(clause, Some(self.procedure))).collect()
    }

    fn name(&self) -> String {
        let procedure = &self.program.procedures[self.procedure].name;
        let mut letters = procedure.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        let name: String = first.into_iter().chain(letters).collect();
        if name == *procedure { format!("Abstract{name}") } else { name }
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
