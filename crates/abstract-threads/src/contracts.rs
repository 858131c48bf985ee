//! Procedures by their contracts: in the checks of threads a contract stands in the place of a call, and
//! a check of its own shows that the procedure keeps it. The paper leaves this open (§6).
//!
//! A contract with the actions Y1, ..., Yn and with K for what `modifies` allows is, to a caller,
//! K*; Y1; K*; ...; Yn; K*, others in between. As a state machine it has a state for each number of
//! actions that are done, so the check of the procedure is that of a thread ([`crate::instrument`]) with
//! a little at both ends: what is required is assumed at the entry, and at the exit all actions are
//! done and what is ensured holds. Callers assert what is required (`called`).
//!
//! Of a contract only what is about the vocabulary, parameters and the result is used, by callers and
//! by the check alike: what is left out is neither relied upon nor shown. No assumption about other
//! threads is used: between two steps of the procedure the vocabulary changes in every way.
//!
//! Why that is sound. The check leaves to the procedure's steps nothing but what the contract allows, in
//! every environment. So with each execution of the program there is one in which contracts run in the
//! place of calls and the vocabulary goes through the same values; steps that leave the vocabulary as it
//! is have no counterpart, and need none. Memory outside of the vocabulary has any value where a check
//! reads it, or only the thread can reach it; such memory a procedure without pointers as parameters
//! cannot reach. Procedures that have them are inlined. Assertions inside of the procedure, and what is
//! undefined there, are shown by its own check.

use selvedge_ir::spec::{
    AbstractAction, AbstractState, AbstractThread, Binding, Clause, Contract, Target, Transition,
};
use selvedge_ir::{LocalId, ProcId, Procedure, Program, Type};
use selvedge_passes::callgraph::CallGraph;

use crate::machine;
use crate::threads_as_numbers::converts;
use crate::vocabulary::{Meets, Vocabulary};

/// A contract, as far as it is used.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The procedure in the program that has both: its calls have the contract in their place.
    pub(crate) procedure: ProcId,
    /// The procedure's name in the source.
    pub(crate) name: String,
    pub(crate) requires: Vec<Clause>,
    /// A state for each number of actions that are done, in order.
    pub(crate) machine: AbstractThread,
    /// About the state at the exit alone.
    pub(crate) ensures: Vec<Clause>,
    /// What stands for the procedure: it does what the contract allows.
    pub(crate) stand: Procedure,
}

impl Kept {
    /// The procedure that keeps it, as the source calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its states are the numbers of actions that are done.
    pub fn machine(&self) -> &AbstractThread {
        &self.machine
    }
}

/// The contracts that threads with abstract threads come by.
pub fn used(
    program: &Program,
    contracts: &[Contract],
    threads: &[AbstractThread],
    vocabulary: &Vocabulary,
) -> Vec<Kept> {
    let roots: Vec<ProcId> = threads.iter().map(|thread| thread.procedure).collect();
    let reachable = CallGraph::of(program).reachable(roots.iter().copied());
    let called = |contract: &&Contract| {
        reachable.contains(contract.procedure) && !roots.contains(&contract.procedure)
    };
    let kept = |contract: &Contract| understood(program, contract, vocabulary);
    contracts.iter().filter(called).filter_map(kept).collect()
}

/// The contract as far as it is about the vocabulary; none if the procedure may reach more of its
/// caller than that, or if no program can do what the contract allows.
fn understood(program: &Program, contract: &Contract, vocabulary: &Vocabulary) -> Option<Kept> {
    let source = &program.procedures[contract.procedure];
    let mut interface = source.params.iter().chain(&source.result);
    if interface.any(|&local| matches!(source.locals[local].ty, Type::Ptr | Type::Thread)) {
        return None;
    }
    let author = Reading { program, source, vocabulary };
    let one = |clause: &&Clause| author.understands(clause, false);
    let end =
        |clause: &&Clause| author.understands(clause, true) && !clause.formula.has_two_states();
    let machine = author.machine(contract);
    let ensures: Vec<Clause> = contract.ensures.iter().filter(end).cloned().collect();
    Some(Kept {
        procedure: contract.procedure,
        name: source.name.clone(),
        requires: contract.requires.iter().filter(one).cloned().collect(),
        stand: machine::contract(&machine, &ensures, vocabulary, source).ok()?,
        machine,
        ensures,
    })
}

struct Reading<'a> {
    program: &'a Program,
    source: &'a Procedure,
    vocabulary: &'a Vocabulary,
}

impl Reading<'_> {
    /// Whether a clause is about the vocabulary, parameters and, where there is one, the result.
    fn understands(&self, clause: &Clause, result: bool) -> bool {
        let variables = &clause.formula.variables;
        let typed = |local: Option<&LocalId>, ty: Type| {
            local.is_some_and(|&local| self.source.locals[local].ty == ty)
        };
        let known = variables.values().all(|variable| match &variable.binding {
            Binding::Read { place, .. } => {
                matches!(self.vocabulary.meets(self.program, place), Meets::Cell(_))
            }
            Binding::Parameter(index) => {
                typed(self.source.params.get(*index as usize), variable.ty)
            }
            Binding::Result => result && typed(self.source.result.as_ref(), variable.ty),
            _ => false,
        });
        let is_thread = |local: LocalId| variables[local].ty == Type::Thread;
        known && !converts(&clause.formula.body, &is_thread)
    }

    fn targets<'t>(&self, targets: impl Iterator<Item = &'t Target>) -> Vec<Target> {
        let cell = |target: &&Target| {
            let meets = target.direct().map(|place| self.vocabulary.meets(self.program, &place));
            target.ghost.is_none() && matches!(meets, Some(Meets::Cell(_)))
        };
        targets.filter(cell).cloned().collect()
    }

    fn machine(&self, contract: &Contract) -> AbstractThread {
        let always = self.targets(contract.modifies.iter());
        let mut transitions: Vec<Transition> = Vec::new();
        let mut done = 0;
        let stay = |at: u32, transitions: &mut Vec<Transition>| {
            let (relation, modifies) = (Vec::new(), always.clone());
            if !modifies.is_empty() {
                let span = contract.span;
                transitions.push(Transition { from: at, to: at, relation, modifies, span });
            }
        };
        stay(done, &mut transitions);
        for action in &contract.actions {
            let both = contract.modifies.iter().chain(&action.modifies);
            let modifies = self.targets(both);
            let relation = self.relation(action);
            // To the vocabulary this is a step like any other.
            if relation.is_empty() && modifies.len() == always.len() {
                continue;
            }
            let span = action.span;
            transitions.push(Transition { from: done, to: done + 1, relation, modifies, span });
            done += 1;
            stay(done, &mut transitions);
        }
        let state = |number: u32| AbstractState {
            name: format!("Done{number}"),
            initial: number == 0,
            idles: true,
            asserts: Vec::new(),
            span: contract.span,
        };
        AbstractThread {
            name: format!("the contract of {}", self.source.name),
            procedure: contract.procedure,
            states: (0..=done).map(state).collect(),
            transitions,
            span: contract.span,
        }
    }

    fn relation(&self, action: &AbstractAction) -> Vec<Clause> {
        let known = |clause: &&Clause| self.understands(clause, false);
        action.ensures.iter().filter(known).cloned().collect()
    }
}
