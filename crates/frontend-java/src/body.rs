//! A procedure while it is written: one action after another, from one place.

use std::collections::HashSet;

use selvedge_ir::{Action, Expr, Grain, LocalId, LocationId, Mode, Procedure, Span, Type};

pub struct Body {
    pub procedure: Procedure,
    /// Where the next action begins; none behind what does not go on.
    pub at: Option<LocationId>,
    pub span: Span,
    /// Whether others must not run behind the next action.
    pub atomic: bool,
    names: HashSet<String>,
}

impl Body {
    pub fn new(name: String, span: Span) -> Body {
        let mut procedure =
            Procedure { name, span, ..Procedure::frame(cranelift_entity::PrimaryMap::new()) };
        let entry = procedure.add_location(Grain::Yield);
        let exit = procedure.add_location(Grain::Yield);
        (procedure.entry, procedure.exit) = (entry, exit);
        Body { procedure, at: Some(entry), span, atomic: false, names: HashSet::new() }
    }

    /// A local with this name, or one like it.
    pub fn local(&mut self, name: &str, ty: Type, named: bool) -> LocalId {
        let mut unique = name.to_owned();
        let mut number = 1;
        while !self.names.insert(unique.clone()) {
            number += 1;
            unique = format!("{name}#{number}");
        }
        self.procedure.add_local(unique, ty, named)
    }

    pub fn temp(&mut self, ty: Type) -> LocalId {
        let name = format!("#{}", self.procedure.locals.len());
        self.local(&name, ty, false)
    }

    pub fn location(&mut self) -> LocationId {
        let grain = if self.atomic { Grain::Atomic } else { Grain::Yield };
        self.procedure.add_location(grain)
    }

    /// Does an action, and goes on behind it.
    pub fn act(&mut self, action: Action) {
        if self.at.is_some() {
            let next = self.location();
            self.act_to(action, next);
            self.at = Some(next);
        }
    }

    /// Does an action, and goes on elsewhere.
    pub fn act_to(&mut self, mut action: Action, target: LocationId) {
        // An access inside of a block, the first one included, takes no part in races with others.
        if let Action::Load { mode, .. } | Action::Store { mode, .. } = &mut action
            && self.atomic
        {
            *mode = Mode::Atomic;
        }
        if let Some(at) = self.at.take() {
            self.procedure.add_edge(at, action, target, self.span);
        }
    }

    /// Does an action behind which nothing comes.
    pub fn end(&mut self, action: Action) {
        let exit = self.procedure.exit;
        self.act_to(action, exit);
    }

    /// Divides control: goes on where the condition holds, and gives the other place.
    pub fn branch(&mut self, condition: Expr) -> Option<LocationId> {
        let at = self.at?;
        let otherwise = self.location();
        let then = self.location();
        self.procedure.add_edge(at, Action::Assume(condition.clone()), then, self.span);
        self.procedure.add_edge(at, Action::Assume(condition.not()), otherwise, self.span);
        self.at = Some(then);
        Some(otherwise)
    }

    pub fn assign(&mut self, to: LocalId, value: Expr) {
        if value != Expr::Local(to) {
            self.act(Action::Assign { to, value });
        }
    }
}
