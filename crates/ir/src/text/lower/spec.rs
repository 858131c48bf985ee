//! Specifications.

use cranelift_entity::PrimaryMap;

use super::body::Lowering;
use super::{Globals, Lowered};
use crate::spec::{
    AbstractAction, AbstractState, AbstractThread, Binding, Clause, Contract, Formula, Target,
    Transition, Variable,
};
use crate::text::ast::{
    AbstractThreadOf, BindingOf, Bound, ContractOf, FormulaOf, SpecOf, StateOf, StepOf, TargetOf,
};
use crate::{LocalId, Type};

impl Globals {
    pub(super) fn specification(&mut self, spec: &SpecOf) -> Lowered<()> {
        match spec {
            SpecOf::Environment(clause) => {
                let clause = self.clause(clause)?;
                self.program.spec.environment.push(clause);
            }
            SpecOf::Invariant(clause) => {
                let clause = self.clause(clause)?;
                self.program.spec.invariants.push(clause);
            }
            SpecOf::Contract(contract) => {
                let contract = self.contract(contract)?;
                self.program.spec.contracts.push(contract);
            }
            SpecOf::AbstractThread(thread) => {
                let thread = self.abstract_thread(thread)?;
                self.program.spec.abstract_threads.push(thread);
            }
        }
        Ok(())
    }

    fn contract(&mut self, said: &ContractOf) -> Lowered<Contract> {
        let actions = said.actions.iter().map(|action| {
            Ok(AbstractAction {
                modifies: self.targets(&action.modifies)?,
                ensures: self.clauses(&action.ensures)?,
                span: self.span(action.at, action.span),
            })
        });
        let actions = actions.collect::<Lowered<Vec<_>>>()?;
        Ok(Contract {
            procedure: self.procedure_named(&said.procedure)?,
            requires: self.clauses(&said.requires)?,
            modifies: self.targets(&said.modifies)?,
            actions,
            ensures: self.clauses(&said.ensures)?,
            span: self.span(said.at, said.span),
        })
    }

    fn abstract_thread(&mut self, said: &AbstractThreadOf) -> Lowered<AbstractThread> {
        let states = said.states.iter().map(|state| self.state(state));
        let states = states.collect::<Lowered<Vec<_>>>()?;
        let steps = said.steps.iter().map(|step| self.step(step, states.len()));
        Ok(AbstractThread {
            name: said.name.clone(),
            transitions: steps.collect::<Lowered<_>>()?,
            states,
            procedure: self.procedure_named(&said.procedure)?,
            span: self.span(said.at, said.span),
        })
    }

    fn state(&mut self, said: &StateOf) -> Lowered<AbstractState> {
        Ok(AbstractState {
            name: said.name.clone(),
            initial: said.initial,
            idles: said.idles,
            asserts: self.clauses(&said.asserts)?,
            span: self.span(said.at, said.span),
        })
    }

    fn step(&mut self, said: &StepOf, states: usize) -> Lowered<Transition> {
        let number = |number: u64| u32::try_from(number).ok().filter(|n| (*n as usize) < states);
        let (Some(from), Some(to)) = (number(said.from), number(said.to)) else {
            return self.fail(
                said.at
                    .error(format!("states are numbered from 0 to {}", states.saturating_sub(1))),
            );
        };
        Ok(Transition {
            from,
            to,
            relation: self.clauses(&said.relation)?,
            modifies: self.targets(&said.modifies)?,
            span: self.span(said.at, said.span),
        })
    }

    fn clauses(&mut self, said: &[FormulaOf]) -> Lowered<Vec<Clause>> {
        said.iter().map(|clause| self.clause(clause)).collect()
    }

    fn targets(&mut self, said: &[TargetOf]) -> Lowered<Vec<Target>> {
        said.iter().map(|target| self.target(target)).collect()
    }

    fn clause(&mut self, said: &FormulaOf) -> Lowered<Clause> {
        let formula = self.formula(said, Type::Bool)?;
        let span = self.span(said.at, said.span);
        Ok(Clause { formula, text: said.text.clone(), span })
    }

    fn target(&mut self, said: &TargetOf) -> Lowered<Target> {
        let address = self.formula(&said.address, Type::Ptr)?;
        let span = self.span(said.address.at, said.address.span);
        Ok(Target { address, ty: said.ty, text: said.address.text.clone(), span })
    }

    fn formula(&mut self, said: &FormulaOf, ty: Type) -> Lowered<Formula> {
        let mut lowering = Lowering::of_constants(self);
        let mut variables: PrimaryMap<LocalId, Variable> = PrimaryMap::new();
        for binding in &said.bindings {
            let variable = lowering.variable(binding)?;
            lowering.add_named(&binding.name, variable.ty)?;
            variables.push(variable);
        }
        let body = lowering.value(&said.body, Some(ty))?.0;
        Ok(Formula { variables, body })
    }
}

impl Lowering<'_> {
    fn variable(&mut self, said: &BindingOf) -> Lowered<Variable> {
        let pointer = Some(Type::Ptr);
        let binding = match &said.what {
            Bound::Read(place, when) => Binding::Read { place: self.place(place)?, when: *when },
            Bound::Forall(over) => {
                let over = over.as_ref().map(|layout| self.globals.layout_id(layout));
                Binding::Forall(over.transpose()?)
            }
            Bound::Exists(over) => {
                let over = over.as_ref().map(|layout| self.globals.layout_id(layout));
                Binding::Exists(over.transpose()?)
            }
            Bound::Size(of) => Binding::Size(self.value(of, pointer)?.0),
            Bound::Alive(of, when) => {
                Binding::Alive { pointer: self.value(of, pointer)?.0, when: *when }
            }
            Bound::Parameter(number) => match u32::try_from(*number) {
                Ok(number) => Binding::Parameter(number),
                Err(_) => {
                    let error = said.name.at.error("there are not so many parameters");
                    return self.globals.fail(error);
                }
            },
            Bound::Result => Binding::Result,
            Bound::Main => Binding::Main,
            Bound::Runs(procedure) => Binding::Runs(self.globals.procedure_named(procedure)?),
        };
        Ok(Variable { name: said.name.text.clone(), ty: said.ty, binding })
    }
}
