//! What annotations in bodies do: they change variables of the specification, and claim formulas.

use selvedge_ir::spec::{Clause, Formula, GhostAction};
use selvedge_ir::{Expr, Property, Span, Type};
use selvedge_smt::Term;
use selvedge_verdict::Stop;

use crate::checker::{Checker, of_clause};
use crate::memory::Kept;
use crate::report::Kind;
use crate::shown::Shown;
use crate::state::{State, Write};
use crate::world::View;

impl<'a> Checker<'a> {
    pub fn ghost_action(
        &mut self,
        state: &mut State,
        action: &'a GhostAction,
        span: Span,
    ) -> Result<(), Stop> {
        match action {
            GhostAction::Update { ghost, of, value } => {
                let at = self.value_here(state, of);
                let value = self.value_here(state, value);
                let kept = Kept::Ghost(*ghost);
                self.world.consider(Type::Ptr, at);
                self.world.consider_cell(kept, at);
                state.memory.store(&mut self.world.terms, kept, at, value);
                let condition = self.world.terms.bool(true);
                let (place, edge) = (None, None);
                state.writes.push(Write { kept, at, condition, place, edge });
                state.looked = true;
                Ok(())
            }
            GhostAction::Assert(clause) => self.claim(state, clause, span),
            // It is looked at where the loop is cut.
            GhostAction::Invariant(_) => Ok(()),
        }
    }

    /// The formula has to hold here; what follows relies on it.
    fn claim(&mut self, state: &mut State, clause: &'a Clause, span: Span) -> Result<(), Stop> {
        if !self.task.properties.contains(&Property::Assert) {
            return Ok(());
        }
        let view = self.claim_view(state, &clause.formula);
        let goal = self.world.goal(&clause.formula, &view);
        let kind = Kind::Assertion(format!("assert {}", clause.text));
        let shown = Shown::clause(state, &clause.formula, &view);
        self.oblige(kind, span, Some(of_clause(clause)), state.guard, goal, shown)?;
        self.world.assume(state.guard, &clause.formula, view);
        Ok(())
    }

    /// A formula of the body about the present state.
    pub fn claim_view(&mut self, state: &mut State, formula: &Formula) -> View {
        let values = formula.values().map(|value| self.plain(state, value)).collect();
        let memory = state.memory.clone();
        View { values, ..self.view(&memory, &memory, None) }
    }

    /// A new thread has done nothing yet, so it is in no set that threads add only themselves to.
    pub fn is_in_no_set(&mut self, state: &State, formula: &Formula, view: &View, thread: Term) {
        let sets = formula.ghosts().filter(|(_, set, ..)| self.subject.own_sets.contains(set));
        for (variable, ..) in sets.collect::<Vec<_>>() {
            let read = Formula { body: Expr::Local(variable), ..formula.clone() };
            let set = self.world.body_of(&read, view).scalar();
            let inside = self.world.terms.select(set, thread);
            let outside = self.world.terms.not(inside);
            self.world.fact_where(state.guard, outside);
        }
    }

    fn value_here(&mut self, state: &mut State, formula: &Formula) -> selvedge_smt::translate::Sym {
        let view = self.claim_view(state, formula);
        self.world.body_of(formula, &view)
    }
}
