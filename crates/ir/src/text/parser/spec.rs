//! Specifications.

use super::{Parsed, Parser};
use crate::spec::When;
use crate::text::ast::{
    AbstractThreadOf, ActionOf, BindingOf, Bound, ContractOf, FormulaOf, GhostActionOf, GhostOf,
    Item, SpecOf, StateOf, StepOf, TargetOf,
};

impl Parser<'_> {
    pub(super) fn environment(&mut self) -> Parsed<Item> {
        let clause = self.clause()?;
        Ok(Item::Spec(SpecOf::Environment(clause)))
    }

    pub(super) fn invariant(&mut self) -> Parsed<Item> {
        let clause = self.clause()?;
        Ok(Item::Spec(SpecOf::Invariant(clause)))
    }

    /// `readers: bool map in lock := false;`
    pub(super) fn ghost(&mut self) -> Parsed<Item> {
        let at = self.at();
        let name = self.name("the name of the variable")?.text;
        self.expect(":")?;
        let ty = self.ty()?;
        let map = self.accept_word("map");
        let of = self.over()?;
        self.expect(":=")?;
        let init = self.expr()?;
        let span = self.span();
        self.expect(";")?;
        Ok(Item::Ghost(GhostOf { name, ty, map, of, init, at, span }))
    }

    /// What an annotation in a body does, behind its first word.
    pub(super) fn ghost_update(&mut self) -> Parsed<GhostActionOf> {
        let ghost = self.number("the number of a ghost")?;
        let of = self.formula("at")?;
        let value = self.formula("to")?;
        Ok(GhostActionOf::Update { ghost, of: Box::new(of), value: Box::new(value) })
    }

    pub(super) fn claim(&mut self) -> Parsed<FormulaOf> {
        self.formula("holds")
    }

    pub(super) fn contract(&mut self) -> Parsed<Item> {
        let at = self.at();
        let procedure = self.name("the name of a procedure")?;
        let span = self.span();
        let mut contract = ContractOf {
            procedure,
            requires: Vec::new(),
            modifies: Vec::new(),
            actions: Vec::new(),
            ensures: Vec::new(),
            at,
            span,
        };
        self.expect("{")?;
        while !self.accept("}") {
            if self.accept_word("requires") {
                contract.requires.push(self.clause()?);
            } else if self.accept_word("modifies") {
                contract.modifies.push(self.target()?);
            } else if self.accept_word("action") {
                contract.actions.push(self.abstract_action()?);
            } else if self.accept_word("ensures") {
                contract.ensures.push(self.clause()?);
            } else {
                return self.expected("`requires`, `modifies`, `action`, `ensures` or `}`");
            }
        }
        Ok(Item::Spec(SpecOf::Contract(contract)))
    }

    fn abstract_action(&mut self) -> Parsed<ActionOf> {
        let at = self.at();
        let span = self.span();
        let (ensures, modifies) = self.relation()?;
        Ok(ActionOf { modifies, ensures, at, span })
    }

    /// `{ ensures ..; modifies ..; }`
    fn relation(&mut self) -> Parsed<(Vec<FormulaOf>, Vec<TargetOf>)> {
        let (mut ensures, mut modifies) = (Vec::new(), Vec::new());
        self.expect("{")?;
        while !self.accept("}") {
            if self.accept_word("modifies") {
                modifies.push(self.target()?);
            } else if self.accept_word("ensures") {
                ensures.push(self.clause()?);
            } else {
                return self.expected("`modifies`, `ensures` or `}`");
            }
        }
        Ok((ensures, modifies))
    }

    pub(super) fn abstract_thread(&mut self) -> Parsed<Item> {
        let at = self.at();
        let name = self.name("the name of the abstract thread")?.text;
        if !self.accept_word("abstracts") {
            return self.expected("`abstracts`");
        }
        let procedure = self.name("the name of a procedure")?;
        let span = self.span();
        let (mut states, mut steps) = (Vec::new(), Vec::new());
        self.expect("{")?;
        while !self.accept("}") {
            if self.accept_word("state") {
                states.push(self.state()?);
            } else if self.accept_word("step") {
                steps.push(self.step()?);
            } else {
                return self.expected("`state`, `step` or `}`");
            }
        }
        let thread = AbstractThreadOf { name, procedure, states, steps, at, span };
        Ok(Item::Spec(SpecOf::AbstractThread(thread)))
    }

    fn state(&mut self) -> Parsed<StateOf> {
        let at = self.at();
        let name = self.name("the name of a state")?.text;
        let initial = self.accept_word("initial");
        let idles = !self.accept_word("nostutter");
        let span = self.span();
        let mut asserts = Vec::new();
        self.expect("{")?;
        while !self.accept("}") {
            if !self.accept_word("assert") {
                return self.expected("`assert` or `}`");
            }
            asserts.push(self.clause()?);
        }
        Ok(StateOf { name, initial, idles, asserts, at, span })
    }

    fn step(&mut self) -> Parsed<StepOf> {
        let at = self.at();
        let from = self.number("the number of a state")?;
        self.expect("->")?;
        let to = self.number("the number of a state")?;
        let span = self.span();
        let (relation, modifies) = self.relation()?;
        Ok(StepOf { from, to, relation, modifies, at, span })
    }

    /// `"text" { variables } holds e;`
    fn clause(&mut self) -> Parsed<FormulaOf> {
        let formula = self.formula("holds")?;
        self.expect(";")?;
        Ok(formula)
    }

    /// `"text" { variables } at e: type;`, of a variable of the specification with its number.
    fn target(&mut self) -> Parsed<TargetOf> {
        let address = self.formula("at")?;
        self.expect(":")?;
        let ty = self.ty()?;
        let ghost = match self.accept_word("ghost") {
            true => Some(self.number("the number of a ghost")?),
            false => None,
        };
        self.expect(";")?;
        Ok(TargetOf { address, ty, ghost })
    }

    fn formula(&mut self, word: &str) -> Parsed<FormulaOf> {
        let at = self.at();
        let text = self.quoted("the text of the clause in quotes")?;
        let span = self.span();
        self.expect("{")?;
        let mut bindings = Vec::new();
        while !self.accept("}") {
            bindings.push(self.binding()?);
        }
        if !self.accept_word(word) {
            return self.expected(&format!("`{word}`"));
        }
        let body = self.expr()?;
        Ok(FormulaOf { text, bindings, body, at, span })
    }

    fn binding(&mut self) -> Parsed<BindingOf> {
        let name = self.name("a variable")?;
        self.expect(":")?;
        let ty = self.ty()?;
        self.expect(":=")?;
        let what = self.bound()?;
        self.expect(";")?;
        Ok(BindingOf { name, ty, what })
    }

    fn bound(&mut self) -> Parsed<Bound> {
        Ok(if self.accept_word("load") {
            Bound::Read(self.place()?, When::Before)
        } else if self.accept_word("after") {
            Bound::Read(self.place()?, When::After)
        } else if self.accept_word("forall") {
            Bound::Forall(self.over()?)
        } else if self.accept_word("exists") {
            Bound::Exists(self.over()?)
        } else if self.accept_word("size") {
            Bound::Size(self.expr()?)
        } else if self.accept_word("alive") {
            Bound::Alive(self.expr()?, When::Before)
        } else if self.accept_word("alive_after") {
            Bound::Alive(self.expr()?, When::After)
        } else if self.accept_word("parameter") {
            Bound::Parameter(self.number("the number of a parameter")?)
        } else if self.accept_word("result") {
            Bound::Result
        } else if self.accept_word("main") {
            Bound::Main
        } else if self.accept_word("runs") {
            Bound::Runs(self.name("the name of a procedure")?)
        } else if self.accept_word("ghost") {
            self.ghost_read(When::Before)?
        } else if self.accept_word("ghost_after") {
            self.ghost_read(When::After)?
        } else if self.accept_word("value") {
            Bound::Value(self.expr()?)
        } else if self.accept_word("everywhere") {
            Bound::Everywhere(self.expr()?)
        } else if self.accept_word("update") {
            let (map, thread) = self.entry()?;
            self.expect(":=")?;
            Bound::Update(map, thread, self.expr()?)
        } else if self.accept_word("entry") {
            let (map, thread) = self.entry()?;
            Bound::Entry(map, thread)
        } else if self.accept_word("count") {
            Bound::Count(self.name("a map")?)
        } else if self.accept_word("same") {
            Bound::Same(self.name("a map")?, self.name("a map")?)
        } else {
            return self.expected("what the variable stands for");
        })
    }

    /// `0 of e`
    fn ghost_read(&mut self, when: When) -> Parsed<Bound> {
        let ghost = self.number("the number of a ghost")?;
        if !self.accept_word("of") {
            return self.expected("`of`");
        }
        Ok(Bound::Ghost(ghost, self.expr()?, when))
    }

    /// `map at thread`
    fn entry(&mut self) -> Parsed<(crate::text::ast::Name, crate::text::ast::Expr)> {
        let map = self.name("a map")?;
        if !self.accept_word("at") {
            return self.expected("`at`");
        }
        Ok((map, self.expr()?))
    }

    fn over(&mut self) -> Parsed<Option<crate::text::ast::LayoutRef>> {
        match self.accept_word("in") {
            true => Ok(Some(self.layout_ref()?)),
            false => Ok(None),
        }
    }
}
