//! Specifications.

use cranelift_entity::PrimaryMap;

use super::body::Lowering;
use super::{Globals, Lowered};
use crate::spec::{
    AbstractAction, AbstractState, AbstractThread, Binding, Clause, Contract, Formula, Ghost,
    GhostAction, Target, Transition, Variable,
};
use crate::text::ast::{
    AbstractThreadOf, BindingOf, Bound, ContractOf, FormulaOf, GhostActionOf, GhostOf, Name,
    SpecOf, StateOf, StepOf, TargetOf,
};
use crate::text::lexer::At;
use crate::{Action, Expr, GhostId, LocalId, Type};

impl Globals {
    pub(super) fn ghost(&mut self, said: &GhostOf) -> Lowered<()> {
        let of = said.of.as_ref().map(|layout| self.layout_id(layout)).transpose()?;
        let init = Lowering::of_constants(self).value(&said.init, Some(said.ty))?.0;
        let Expr::Const(init) = init else {
            return self.fail(said.init.at.error("an initial value must be a constant"));
        };
        let span = self.span(said.at, said.span);
        let (name, ty, map) = (said.name.clone(), said.ty, said.map);
        self.program.spec.ghosts.push(Ghost { name, ty, map, of, init, span });
        Ok(())
    }

    fn ghost_id(&mut self, number: u64, at: At) -> Lowered<GhostId> {
        let known = u32::try_from(number).ok().map(GhostId::from_u32);
        match known.filter(|id| self.program.spec.ghosts.get(*id).is_some()) {
            Some(id) => Ok(id),
            None => self.fail(at.error(format!("there is no ghost {number}"))),
        }
    }

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
        let ghost = said.ghost.map(|number| self.ghost_id(number, said.address.at)).transpose()?;
        Ok(Target { address, ty: said.ty, ghost, text: said.address.text.clone(), span })
    }

    fn formula(&mut self, said: &FormulaOf, ty: Type) -> Lowered<Formula> {
        self.formula_with(said, ty, Vec::new())
    }

    /// A formula whose bindings to values of a procedure are these, in their order.
    fn formula_with(&mut self, said: &FormulaOf, ty: Type, given: Vec<Expr>) -> Lowered<Formula> {
        let mut given = given.into_iter();
        let mut lowering = Lowering::of_constants(self);
        let mut variables: PrimaryMap<LocalId, Variable> = PrimaryMap::new();
        for binding in &said.bindings {
            let variable = match (&binding.what, given.next_if_value(binding)) {
                (Bound::Value(_), Some(value)) => {
                    let name = binding.name.text.clone();
                    Variable { name, ty: binding.ty, binding: Binding::Value(value) }
                }
                _ => lowering.variable(binding)?,
            };
            lowering.add_named(&binding.name, variable.ty)?;
            variables.push(variable);
        }
        let body = lowering.value(&said.body, Some(ty))?.0;
        Ok(Formula { variables, body })
    }
}

/// The next of the given values, where a binding is to one.
trait NextIfValue {
    fn next_if_value(&mut self, binding: &BindingOf) -> Option<Expr>;
}

impl NextIfValue for std::vec::IntoIter<Expr> {
    fn next_if_value(&mut self, binding: &BindingOf) -> Option<Expr> {
        match binding.what {
            Bound::Value(_) => self.next(),
            _ => None,
        }
    }
}

impl Lowering<'_> {
    /// What an annotation in a body does.
    pub(super) fn ghost_action(&mut self, said: &GhostActionOf) -> Lowered<Action> {
        let action = match said {
            GhostActionOf::Update { ghost, of, value } => {
                let ghost = self.globals.ghost_id(*ghost, of.at)?;
                let ty = self.globals.program.spec.ghosts[ghost].ty;
                let of = self.formula_here(of, Type::Ptr)?;
                let value = self.formula_here(value, ty)?;
                GhostAction::Update { ghost, of, value }
            }
            GhostActionOf::Assert(said) => GhostAction::Assert(self.claim(said)?),
            GhostActionOf::Invariant(said) => GhostAction::Invariant(self.claim(said)?),
        };
        Ok(Action::Ghost(Box::new(action)))
    }

    fn claim(&mut self, said: &FormulaOf) -> Lowered<Clause> {
        let formula = self.formula_here(said, Type::Bool)?;
        let span = self.globals.span(said.at, said.span);
        Ok(Clause { formula, text: said.text.clone(), span })
    }

    /// A formula that may speak of the values of this procedure.
    fn formula_here(&mut self, said: &FormulaOf, ty: Type) -> Lowered<Formula> {
        let mut given = Vec::new();
        for binding in &said.bindings {
            if let Bound::Value(value) = &binding.what {
                given.push(self.value(value, Some(binding.ty))?.0);
            }
        }
        self.globals.formula_with(said, ty, given)
    }

    fn map_named(&mut self, name: &Name) -> Lowered<LocalId> {
        match self.local_named(&name.text) {
            Some(local) => Ok(local),
            None => {
                let error = name.at.error(format!("there is no variable `{}`", name.text));
                self.globals.fail(error)
            }
        }
    }

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
            Bound::Ghost(number, of, when) => {
                let ghost = self.globals.ghost_id(*number, of.at)?;
                Binding::Ghost { ghost, of: self.value(of, pointer)?.0, when: *when }
            }
            Bound::Value(value) => {
                let error = value.at.error("there is no procedure whose values are known here");
                return self.globals.fail(error);
            }
            Bound::Everywhere(value) => match self.value(value, Some(said.ty))?.0 {
                Expr::Const(value) => Binding::Everywhere(value),
                _ => return self.globals.fail(value.at.error("a constant is expected here")),
            },
            Bound::Update(map, thread, value) => Binding::Update {
                map: self.map_named(map)?,
                thread: self.value(thread, Some(Type::Thread))?.0,
                value: self.value(value, Some(said.ty))?.0,
            },
            Bound::Entry(map, thread) => Binding::Entry {
                map: self.map_named(map)?,
                thread: self.value(thread, Some(Type::Thread))?.0,
            },
            Bound::Count(map) => Binding::Count(self.map_named(map)?),
            Bound::Same(a, b) => Binding::Same(self.map_named(a)?, self.map_named(b)?),
        };
        Ok(Variable { name: said.name.text.clone(), ty: said.ty, binding })
    }
}
