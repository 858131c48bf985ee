//! What is asked of the specification itself.

use selvedge_ir::spec::Clause;
use selvedge_ir::{Const, Span};
use selvedge_smt::translate::Sym;

use crate::ask::Asker;
use crate::memory::Memory;
use crate::path::Path;
use crate::verdict::Rejected;
use crate::view::View;
use crate::world::World;

/// Asks it of a group of clauses.
pub(crate) fn group(mut world: World<'_>) -> Result<Asker, Rejected> {
    world.is_reflexive()?;
    world.is_transitive_whole()?;
    Ok(world.asker)
}

/// Asks it of all clauses together.
pub(crate) fn specification(mut world: World<'_>) -> Result<Asker, Rejected> {
    world.can_hold()?;
    world.holds_in_the_beginning()?;
    Ok(world.asker)
}

impl World<'_> {
    /// Any memory that satisfies the invariants.
    fn any_path(&mut self, memory: Memory) -> Path {
        let mut path = Path::new(memory);
        self.know_threads(&mut path);
        let first = self.first_free();
        let fact = self.terms.le(first, path.memory.next);
        self.fact(&mut path, fact);
        path
    }

    fn is_reflexive(&mut self) -> Result<(), Rejected> {
        let memory = self.any_memory("memory");
        let mut path = self.any_path(memory);
        self.assume_invariants(&mut path);
        for clause in self.assumed.environment.clone() {
            let view = self.view(&path.memory, &path.memory);
            let what = "others may do nothing, by the assumption";
            self.clause(&mut path, what, clause, &view)?;
        }
        Ok(())
    }

    fn is_transitive_whole(&mut self) -> Result<(), Rejected> {
        let clauses = self.assumed.environment.clone();
        let (mut path, first) = self.two_steps(clauses.iter().map(|clause| &clause.formula));
        for clause in clauses {
            let view = self.view(&first, &path.memory);
            let what = "two steps of others are one, by the assumption";
            self.clause(&mut path, what, clause, &view)?;
        }
        Ok(())
    }

    /// The invariants do not contradict each other. What follows would be true of nothing.
    fn can_hold(&mut self) -> Result<(), Rejected> {
        let memory = self.any_memory("memory");
        let mut path = self.any_path(memory);
        self.assume_invariants(&mut path);
        self.asker.counts.obligations += 1;
        match self.is_possible(&mut path, Span::NONE)? {
            true => Ok(()),
            false => self.oblige_never("the invariants can hold together", Span::NONE),
        }
    }

    /// The initial memory satisfies the invariants, and what the first threads require.
    fn holds_in_the_beginning(&mut self) -> Result<(), Rejected> {
        let memory = self.initial_memory();
        let mut path = self.any_path(memory);
        let subject = self.subject;
        let program = &subject.program;
        for clause in &program.spec.invariants {
            let view = self.view(&path.memory, &path.memory);
            self.clause(&mut path, "the initial memory satisfies", clause, &view)?;
        }
        for thread in &program.threads {
            let Some(contract) = subject.contract_of(thread.procedure) else { continue };
            let procedure = &program.procedures[thread.procedure];
            let types = procedure.params.iter().map(|&param| procedure.locals[param].ty);
            let params: Vec<Sym> = types.map(|ty| self.constant(Const::zero(ty))).collect();
            for clause in &contract.requires {
                let view = View { params: params.clone(), ..self.view(&path.memory, &path.memory) };
                let what = format!("{}, a first thread, is started well", procedure.name);
                self.clause(&mut path, &what, clause, &view)?;
            }
        }
        Ok(())
    }

    fn clause(
        &mut self,
        path: &mut Path,
        what: &str,
        clause: &Clause,
        view: &View,
    ) -> Result<(), Rejected> {
        let goal = self.goal(path, &clause.formula, view);
        self.oblige(path, &format!("{what} `{}`", clause.text), clause.span, goal)
    }
}
