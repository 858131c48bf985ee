//! Updates of specification variables, joined to what a statement of the program does.
//!
//! `/*@ ghost e; */` before a statement happens together with the one action of that statement that
//! changes memory or takes or gives back a lock, in the state before it.

use selvedge_c_syntax::Diagnostic;
use selvedge_c_syntax::ast::{self, ExprKind, Span, Statement};
use selvedge_ir::{Action, Const, Expr};

use crate::body::{Loc, Mark};
use crate::lowering::{GlobalId, Lowering};

impl<'a> Lowering<'a> {
    pub fn ghost_statement(&mut self, updates: &'a [ast::Expr], joined: &'a Statement, span: Span) {
        let first = self.body.nodes.len();
        let here = self.body.current;
        self.statement(joined);
        let effects = self.effects_since(first, here);
        let [(from, index)] = effects[..] else {
            let count = if effects.is_empty() { "nothing" } else { "more than one thing" };
            let text = format!("the statement after `ghost` changes {count} in memory");
            let help = "the update happens together with one store, lock or unlock";
            self.report(Diagnostic::error("annotation", text).at(span).help(help));
            return;
        };
        let after = self.body.current;
        let place = self.place(span);
        let effect = self.body.take_edge(from, index, place);
        self.body.current = effect.start;
        let outside = std::mem::replace(&mut self.in_ghost, true);
        for update in updates {
            self.ghost_update(update);
        }
        self.in_ghost = outside;
        self.body.finish_edge(effect, place);
        self.body.current = after;
    }

    fn ghost_update(&mut self, update: &'a ast::Expr) {
        let root = match &update.kind {
            ExprKind::Assign { target, .. } => root_of(target),
            _ => None,
        };
        let ghost = root.is_some_and(|name| self.names_ghost(&name.name));
        if ghost {
            return self.effect(update);
        }
        if let Some(action) = self.map_update(update) {
            self.emit(action, update.span);
        }
    }

    /// Whether a name stands for a specification variable of C.
    pub fn names_ghost(&self, name: &str) -> bool {
        self.ghosts.contains(name)
            && matches!(self.lookup(name), Some(crate::lowering::Entity::Global(_)))
    }

    /// Edges that change memory of the program or a lock, among those made since then.
    fn effects_since(&self, first: usize, here: Loc) -> Vec<(Loc, usize)> {
        let made = (first..self.body.nodes.len()).map(|index| Loc(index as u32));
        let mut found = Vec::new();
        for at in std::iter::once(here).chain(made) {
            for (index, edge) in self.body.nodes[at.0 as usize].edges.iter().enumerate() {
                if edge.mark == Mark::None && self.is_effect(&edge.action) {
                    found.push((at, index));
                }
            }
        }
        found
    }

    fn is_effect(&self, action: &Action) -> bool {
        match action {
            Action::Store { to, .. } => match to.addr {
                Expr::Const(Const::Object(object, _)) => {
                    let global = self.objects[object.as_u32() as usize].global;
                    !global.is_some_and(|id| self.is_ghost(id))
                }
                _ => true,
            },
            Action::Lock { .. } | Action::Unlock { .. } | Action::Free { .. } => true,
            Action::Call { .. } | Action::Spawn { .. } => true,
            _ => false,
        }
    }

    fn is_ghost(&self, id: GlobalId) -> bool {
        self.ghosts.contains(&self.global(id).name)
    }

    /// Complains where the program itself uses a specification variable.
    pub fn reject_ghost(&mut self, id: GlobalId, span: Span) {
        let free = self.in_ghost || self.formulating.is_some() || self.ghosts.is_empty();
        if !free && self.is_ghost(id) {
            let name = self.global(id).name.clone();
            let text =
                format!("`{name}` is a specification variable, which the program cannot use");
            self.error("annotation", span, text);
        }
    }
}

/// The variable that an lvalue is a part of.
fn root_of(target: &ast::Expr) -> Option<&ast::Ident> {
    match &target.kind {
        ExprKind::Ident(name) => Some(name),
        ExprKind::Member { object, arrow: false, .. } => root_of(object),
        ExprKind::Index { array, .. } => root_of(array),
        _ => None,
    }
}
