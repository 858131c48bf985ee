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
//! by the check alike: what is left out is neither relied upon nor shown. Of other threads the procedure
//! assumes what the abstract threads of its callers assert in every state (`rely`), and its steps
//! guarantee it: between two of its steps the vocabulary changes in every way that I and E allow.
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

use crate::always::Always;
use crate::machine;
use crate::refused::Refused;
use crate::rely::Rely;
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

/// The contracts of a program, what each allows in every step, and what all rely on.
pub struct Written {
    pub contracts: Vec<Contract>,
    pub always: Vec<Always>,
    pub rely: Rely,
}

/// The contracts that threads with abstract threads come by.
pub fn used(
    program: &Program,
    written: Written,
    threads: &[AbstractThread],
    vocabulary: &Vocabulary,
) -> Vec<Kept> {
    let roots: Vec<ProcId> = threads.iter().map(|thread| thread.procedure).collect();
    let reachable = CallGraph::of(program).reachable(roots.iter().copied());
    let called = |contract: &Contract| {
        reachable.contains(contract.procedure) && !roots.contains(&contract.procedure)
    };
    let Written { contracts, always, rely } = written;
    // Between two steps of a procedure its caller's abstract thread may have to take one that changes
    // nothing, so that what it asserts is about the time since then.
    let idle = threads.iter().flat_map(|thread| &thread.states).all(|state| state.idles);
    let assumed = if idle { rely.asserted() } else { rely.invariants().to_vec() };
    let mut kept = Vec::new();
    for (contract, always) in contracts.iter().zip(always).filter(|(c, _)| called(c)) {
        let author = Reading { program, contract, vocabulary, rely: &rely, assumed: &assumed };
        kept.extend(author.understood(always));
    }
    kept
}

struct Reading<'a> {
    program: &'a Program,
    contract: &'a Contract,
    vocabulary: &'a Vocabulary,
    rely: &'a Rely,
    /// What the abstract threads of all callers assert, as far as it may be relied upon.
    assumed: &'a [Clause],
}

impl Reading<'_> {
    /// The contract as far as it is about the vocabulary; none if the procedure may reach more of its
    /// caller than that, or if no program can do what the contract allows.
    fn understood(&self, always: Always) -> Option<Kept> {
        let (contract, source) = (self.contract, self.source());
        let mut interface = source.params.iter().chain(&source.result);
        if interface.any(|&local| matches!(source.locals[local].ty, Type::Ptr | Type::Thread)) {
            return None;
        }
        let one = |clause: &&Clause| self.understands(clause, false);
        let end =
            |clause: &&Clause| self.understands(clause, true) && !clause.formula.has_two_states();
        let always = always.only(|target| self.is_cell(target));
        let mut machine = self.machine(&always).ok()?;
        self.rely.guarantee(&mut machine);
        let ensures: Vec<Clause> = contract.ensures.iter().filter(end).cloned().collect();
        let stand = machine::contract(&machine, &ensures, self.vocabulary, source).ok()?;
        for state in &mut machine.states {
            state.asserts = self.assumed.to_vec();
        }
        Some(Kept {
            procedure: contract.procedure,
            name: source.name.clone(),
            requires: contract.requires.iter().filter(one).cloned().collect(),
            stand,
            machine,
            ensures,
        })
    }

    fn source(&self) -> &Procedure {
        &self.program.procedures[self.contract.procedure]
    }

    /// Whether a clause is about the vocabulary, parameters and, where there is one, the result.
    fn understands(&self, clause: &Clause, result: bool) -> bool {
        let (source, variables) = (self.source(), &clause.formula.variables);
        let typed = |local: Option<&LocalId>, ty: Type| {
            local.is_some_and(|&local| source.locals[local].ty == ty)
        };
        let known = variables.values().all(|variable| match &variable.binding {
            Binding::Read { place, .. } => {
                matches!(self.vocabulary.meets(self.program, place), Meets::Cell(_))
            }
            Binding::Parameter(index) => typed(source.params.get(*index as usize), variable.ty),
            Binding::Result => result && typed(source.result.as_ref(), variable.ty),
            _ => false,
        });
        let is_thread = |local: LocalId| variables[local].ty == Type::Thread;
        known && !converts(&clause.formula.body, &is_thread)
    }

    fn is_cell(&self, target: &Target) -> bool {
        let place = target.direct().filter(|_| target.ghost.is_none());
        let meets = place.map(|place| self.vocabulary.meets(self.program, &place));
        matches!(meets, Some(Meets::Cell(_)))
    }

    /// A state for each number of actions that are done.
    fn machine(&self, always: &Always) -> Result<AbstractThread, Refused> {
        let contract = self.contract;
        let mut transitions: Vec<Transition> = Vec::new();
        let mut done = 0;
        let changes = always.changes()?;
        let stay = |at: u32, transitions: &mut Vec<Transition>| {
            for (relation, modifies) in changes.clone() {
                let span = contract.span;
                transitions.push(Transition { from: at, to: at, relation, modifies, span });
            }
        };
        stay(done, &mut transitions);
        for action in &contract.actions {
            let own = action.modifies.iter().filter(|target| self.is_cell(target));
            let modifies: Vec<Target> = always.plain.iter().chain(own).cloned().collect();
            let relation = self.relation(action);
            // To the vocabulary this is a step like any other.
            if relation.is_empty() && modifies.len() == always.plain.len() {
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
        Ok(AbstractThread {
            name: format!("the contract of {}", self.source().name),
            procedure: contract.procedure,
            states: (0..=done).map(state).collect(),
            transitions,
            span: contract.span,
        })
    }

    fn relation(&self, action: &AbstractAction) -> Vec<Clause> {
        let known = |clause: &&Clause| self.understands(clause, false);
        action.ensures.iter().filter(known).cloned().collect()
    }
}
