//! What evaluating an expression or calling a function may read and write.

use std::collections::HashSet;
use std::rc::Rc;

use selvedge_c_syntax::ast::{
    self, BlockItem, Declaration, Derived, ExprKind, Statement, StatementKind, UnaryOp,
};

use crate::atomics;
use crate::lowering::{Definition, Effects, Entity, GlobalId, Lowering, Root, Spot, Spots};
use crate::types::Kind;
use crate::visit;

/// A function's own effects, and the functions that it calls.
struct Direct {
    effects: Effects,
    calls: Vec<Rc<str>>,
}

impl<'a> Lowering<'a> {
    /// Whether it may make a difference which of the two comes first.
    pub(super) fn interfere(&self, a: &Effects, b: &Effects) -> bool {
        (a.sync && b.sync)
            || self.meet(&a.writes, &b.writes)
            || self.meet(&a.writes, &b.reads)
            || self.meet(&a.reads, &b.writes)
    }

    fn meet(&self, a: &Spots, b: &Spots) -> bool {
        (a.anywhere && self.is_within_reach(b))
            || (b.anywhere && self.is_within_reach(a))
            || a.named.iter().any(|x| b.named.iter().any(|y| x.overlaps(y)))
    }

    /// Whether a pointer may lead to one of them.
    fn is_within_reach(&self, spots: &Spots) -> bool {
        spots.anywhere || spots.named.iter().any(|spot| self.is_exposed(spot))
    }

    /// Whether a pointer may lead there.
    fn is_exposed(&self, spot: &Spot) -> bool {
        match &spot.root {
            Root::Register(_) | Root::Statics(_) => false,
            Root::Local(_) => true,
            Root::Global(id) => {
                let global = self.global(*id);
                self.exposed.contains(&global.name) || self.types.has_array(global.ty)
            }
        }
    }

    /// Names whose address the program takes somewhere, and functions whose results it uses.
    pub fn find_uses(&mut self) {
        for unit in &self.units {
            for item in &unit.ast.items {
                match item {
                    ast::Item::Function(function) => {
                        self.exposed.extend(visit::addressed(&function.body));
                        visit::valued(&function.body, &mut self.valued);
                    }
                    ast::Item::Declaration(declaration) => {
                        for init in declaration.declarators.iter().filter_map(|d| d.init.as_ref()) {
                            visit::expressions_of_initializer(init, &mut |e| {
                                if let ExprKind::Ident(name) = &e.kind {
                                    self.exposed.insert(name.name.clone());
                                }
                            });
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// The effects of a call to a function by name.
    pub(super) fn call_effects(&mut self, name: &str, arguments: usize, unit: usize) -> Effects {
        let found = self.units[unit]
            .scope
            .names
            .get(name)
            .or_else(|| self.frame.scopes.iter().rev().find_map(|scope| scope.names.get(name)));
        let own = match found {
            Some(Entity::Global(id)) if self.is_defined(*id) => Some(*id),
            Some(Entity::Global(_)) | None => self.library_function(library_name(name)),
            Some(_) => return Effects::anything(),
        };
        match own {
            Some(id) => self.summary(id),
            None => unknown_effects(name, arguments),
        }
    }

    /// The effects of a function and all that it calls.
    fn summary(&mut self, id: GlobalId) -> Effects {
        if let Some(known) = self.summaries.get(&id) {
            return known.clone();
        }
        let mut effects = Effects { call: true, ..Effects::default() };
        let mut seen = HashSet::from([id]);
        let mut work = vec![id];
        while let Some(next) = work.pop() {
            let unit = self.global(next).unit;
            let direct = self.own_effects(next);
            effects.add(&direct.effects);
            for name in direct.calls {
                if &*name == "__selvedge_set_errno" && !self.uses("__errno_location") {
                    continue; // Nobody looks at the number.
                }
                let callee = match self.units[unit].scope.names.get(&name) {
                    Some(Entity::Global(callee)) if self.is_defined(*callee) => Some(*callee),
                    _ => self.library_function(library_name(&name)),
                };
                match callee {
                    Some(callee) if seen.insert(callee) => work.push(callee),
                    Some(_) => {}
                    None => effects.add(&unknown_effects(&name, 1)),
                }
            }
        }
        self.summaries.insert(id, effects.clone());
        effects
    }

    fn own_effects(&self, id: GlobalId) -> Direct {
        let global = self.global(id);
        let Definition::Function(function) = global.definition else {
            return Direct { effects: Effects::anything(), calls: Vec::new() };
        };
        let arrays = local_arrays(&function.body);
        let mut found = Direct { effects: Effects::default(), calls: Vec::new() };
        let effects = &mut found.effects;
        visit::expressions(&function.body, &mut |e| match &e.kind {
            ExprKind::Ident(name) => effects.reads.named.extend(self.global_spot(id, &name.name)),
            ExprKind::Assign { target, .. } => self.written(id, &arrays, target, effects),
            ExprKind::Unary { op, operand } if steps(*op) => {
                self.written(id, &arrays, operand, effects);
            }
            ExprKind::Unary { op: UnaryOp::Deref, .. } | ExprKind::Index { .. } => {
                effects.reads.anywhere = true;
            }
            ExprKind::Member { arrow: true, .. } => effects.reads.anywhere = true,
            ExprKind::VaArg { .. } => effects.add(&Effects::anything()),
            ExprKind::Call { callee, .. } => match &callee.kind {
                ExprKind::Ident(name) => found.calls.push(name.name.clone()),
                _ => effects.add(&Effects::anything()),
            },
            _ => {}
        });
        effects.sync |= effects.reads.named.iter().any(|spot| match spot.root {
            Root::Global(id) => self.global(id).ty.atomic,
            _ => false,
        });
        if has_asm(&function.body) {
            effects.add(&Effects::anything());
        }
        if has_statics(&function.body) {
            let root = Root::Statics(global.name.clone());
            effects.writes.named.push(Spot { root, path: Vec::new(), exact: false });
        }
        found
    }

    /// The global that a name means in a function's file. A local of the same name does no harm.
    fn global_spot(&self, function: GlobalId, name: &str) -> Option<Spot> {
        match self.units[self.global(function).unit].scope.names.get(name)? {
            Entity::Global(id) if !self.types.is_function(self.global(*id).ty) => {
                Some(Spot { root: Root::Global(*id), path: Vec::new(), exact: false })
            }
            _ => None,
        }
    }

    /// What an assignment in a function writes.
    fn written(
        &self,
        function: GlobalId,
        arrays: &HashSet<Rc<str>>,
        target: &ast::Expr,
        effects: &mut Effects,
    ) {
        let mut at = target;
        let mut indexed = false;
        loop {
            match &at.kind {
                ExprKind::Member { object, arrow: false, .. } if !indexed => at = object,
                ExprKind::Unary { op: UnaryOp::Extension, operand } => at = operand,
                ExprKind::Index { array, .. } => {
                    indexed = true;
                    at = array;
                }
                ExprKind::Ident(name) => {
                    let spot = self.global_spot(function, &name.name);
                    let array = match &spot {
                        Some(Spot { root: Root::Global(id), .. }) => {
                            matches!(self.types.kind(self.global(*id).ty), Kind::Array(..))
                        }
                        _ => arrays.contains(&name.name),
                    };
                    effects.writes.anywhere |= indexed && !array;
                    effects.writes.named.extend(spot);
                    return;
                }
                _ => {
                    effects.writes.anywhere = true;
                    return;
                }
            }
        }
    }
}

pub(super) fn steps(op: UnaryOp) -> bool {
    matches!(
        op,
        UnaryOp::PreIncrement
            | UnaryOp::PreDecrement
            | UnaryOp::PostIncrement
            | UnaryOp::PostDecrement
    )
}

fn library_name(name: &str) -> &str {
    name.strip_prefix("__builtin_").unwrap_or(name)
}

/// Functions that have no body anywhere: what the front end knows, builtins, and the unknown.
fn unknown_effects(name: &str, arguments: usize) -> Effects {
    if atomics::operation(name).is_some() {
        return Effects::anything();
    }
    let primitive = name.strip_prefix("__selvedge_");
    let silent = match primitive {
        Some(own) => !matches!(own, "lock" | "unlock" | "wait" | "spawn" | "join" | "free"),
        None => {
            name.starts_with("__VERIFIER_nondet_")
                || name.starts_with("__builtin_")
                || matches!(name, "__VERIFIER_assume" | "__VERIFIER_error" | "reach_error")
                || arguments == 0 && !name.starts_with("__VERIFIER_atomic_")
        }
    };
    match silent {
        true => Effects { call: true, ..Effects::default() },
        false => Effects::anything(),
    }
}

/// Names that the body declares as arrays only.
fn local_arrays(body: &ast::Block) -> HashSet<Rc<str>> {
    let (mut arrays, mut others) = (HashSet::new(), HashSet::new());
    for_each_declaration(body, &mut |declaration| {
        for item in &declaration.declarators {
            let Some(name) = &item.declarator.name else { continue };
            match item.declarator.derived.first() {
                Some(Derived::Array { .. }) => arrays.insert(name.name.clone()),
                _ => others.insert(name.name.clone()),
            };
        }
    });
    &arrays - &others
}

fn has_statics(body: &ast::Block) -> bool {
    let mut found = false;
    for_each_declaration(body, &mut |declaration| {
        found |= declaration.specifiers.storage == Some(ast::Storage::Static);
    });
    found
}

fn has_asm(body: &ast::Block) -> bool {
    let mut found = false;
    for item in &body.items {
        visit::statements_of_item(item, &mut |s| found |= matches!(s.kind, StatementKind::Asm(_)));
    }
    found
}

fn for_each_declaration<'a>(body: &'a ast::Block, f: &mut dyn FnMut(&'a Declaration)) {
    let mut of_items = |items: &'a [BlockItem]| {
        for item in items {
            if let BlockItem::Declaration(declaration) = item {
                f(declaration);
            }
        }
    };
    of_items(&body.items);
    let mut blocks: Vec<&'a ast::Block> = Vec::new();
    for item in &body.items {
        visit::statements_of_item(item, &mut |s: &'a Statement| {
            if let StatementKind::Block(block) = &s.kind {
                blocks.push(block);
            }
        });
    }
    visit::expressions(body, &mut |e| {
        if let ExprKind::StatementExpr(block) = &e.kind {
            blocks.push(block);
        }
    });
    blocks.into_iter().for_each(|block| of_items(&block.items));
}
