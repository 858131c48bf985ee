//! What units say of symbols, once all names are declared.

use std::rc::Rc;

use selvedge_c_syntax::ast::{InitDeclarator, Specifiers};

use crate::lowering::{Alias, Definition, Entity, GlobalId, Lowering};

impl<'a> Lowering<'a> {
    /// The symbol of a name with external linkage in the unit at hand.
    pub fn symbol(&self, name: &Rc<str>) -> Rc<str> {
        self.units[self.frame.unit].symbols.renamed.get(name).unwrap_or(name).clone()
    }

    /// The global that a global is another name of, or itself.
    pub fn canonical(&self, id: GlobalId) -> GlobalId {
        let mut at = id;
        // A chain of aliases is short; a circle of them is no program.
        for _ in 0..100 {
            match self.extras.get(&at).and_then(|extra| extra.same_as) {
                Some(next) if next != at => at = next,
                _ => break,
            }
        }
        at
    }

    /// Whether a name may be defined nowhere; it is null then.
    pub fn is_weak(&self, id: GlobalId) -> bool {
        self.extras.get(&id).is_some_and(|extra| extra.weak)
    }

    /// Whether a function never comes back.
    pub fn is_noreturn(&self, id: GlobalId) -> bool {
        self.extras.get(&id).is_some_and(|extra| extra.noreturn)
    }

    /// What is said of a global and not understood.
    pub fn strange_global(&self, id: GlobalId) -> Option<String> {
        self.extras.get(&id)?.strange.as_ref().map(|what| what.to_string())
    }

    /// The name under which a library model of a global that is not defined is looked for. Headers
    /// redirect functions to variants of the same name (`scanf` to `__isoc99_scanf`).
    pub fn library_name(&self, id: GlobalId) -> Rc<str> {
        let global = self.global(id);
        let renamed = self.units[global.unit].symbols.renamed.get(&global.name);
        let own = global.name.starts_with("__") && self.library.contains_key(&global.name);
        match renamed {
            Some(symbol) if self.library.contains_key(symbol) => symbol.clone(),
            // A name of the implementation's own that has a model for itself.
            Some(_) if own => global.name.clone(),
            Some(symbol) if !symbol.contains(&*global.name) => symbol.clone(),
            _ => global.name.clone(),
        }
    }

    /// Two names for one symbol: what one of them defines is the other's, too.
    pub(super) fn unite(&mut self, symbol: &Rc<str>, known: GlobalId, new: GlobalId) {
        let defined = !matches!(self.global(new).definition, Definition::None);
        let (from, to) = if defined { (known, new) } else { (new, known) };
        self.extras.entry(from).or_default().same_as = Some(to);
        if defined {
            let table = if self.in_model() { &mut self.library } else { &mut self.externs };
            table.insert(symbol.clone(), new);
        }
    }

    /// What a declaration inside a function says of a symbol.
    pub fn say_of_symbol(&mut self, specifiers: &Specifiers, item: &InitDeclarator) {
        let symbols = &mut self.units[self.frame.unit].symbols;
        symbols.declared(specifiers, &item.declarator, item.asm_label.as_ref());
    }

    /// Marks a name of the unit at hand as weak, if it is.
    pub fn resolve_weak(&mut self, name: &Rc<str>) {
        let unit = &self.units[self.frame.unit];
        let global = unit.scope.names.get(name);
        if let (true, Some(Entity::Global(id))) = (unit.symbols.weak.contains(name), global) {
            self.extras.entry(*id).or_default().weak = true;
        }
    }

    /// Enters what the units say of aliases and weak symbols, once all are declared.
    pub fn resolve_symbols(&mut self) {
        for unit in 0..self.units.len() {
            self.frame.unit = unit;
            let symbols = self.units[unit].symbols.clone();
            symbols.weak.iter().for_each(|name| self.resolve_weak(name));
            for name in &symbols.noreturn {
                if let Some(Entity::Global(id)) = self.units[unit].scope.names.get(name) {
                    self.extras.entry(*id).or_default().noreturn = true;
                }
            }
            for alias in &symbols.aliases {
                self.resolve_alias(unit, alias, symbols.weak.contains(&alias.name));
            }
        }
    }

    fn resolve_alias(&mut self, unit: usize, alias: &Alias, weak: bool) {
        let Some(target) = self.alias_target(unit, &alias.target) else {
            if !alias.weak {
                let (name, target) = (&alias.name, &alias.target);
                let message = format!("`{name}` is an alias of `{target}`, which is not defined");
                self.error("alias", alias.span, message);
            }
            return;
        };
        let known = self.units[unit].scope.names.get(&alias.name).cloned();
        let id = match known {
            Some(Entity::Global(id)) => id,
            Some(_) => return,
            None => {
                // Only a pragma declares it; another unit may use it.
                let Some(id) = self.externs.get(&alias.name).copied() else { return };
                id
            }
        };
        let overridden = weak && !matches!(self.global(id).definition, Definition::None);
        if !overridden && id != target {
            self.extras.entry(id).or_default().same_as = Some(target);
        }
    }

    fn alias_target(&self, unit: usize, symbol: &Rc<str>) -> Option<GlobalId> {
        if let Some(Entity::Global(id)) = self.units[unit].scope.names.get(symbol) {
            return Some(*id);
        }
        let renamed = &self.units[unit].symbols.renamed;
        let own = renamed.iter().find(|(_, to)| *to == symbol).map(|(name, _)| name);
        match own.and_then(|name| self.units[unit].scope.names.get(name)) {
            Some(Entity::Global(id)) => Some(*id),
            _ => self.externs.get(symbol).copied(),
        }
    }

    /// The functions that run before `main` or at the end of the program, in their order: as gcc
    /// and the linker put them, at the end the other way round.
    pub fn runs(&self, before: bool) -> Vec<GlobalId> {
        let mut found = Vec::new();
        for unit in self.units.iter().filter(|unit| !unit.model) {
            for runs in unit.symbols.runs.iter().filter(|runs| runs.before == before) {
                let Some(Entity::Global(id)) = unit.scope.names.get(&runs.name) else { continue };
                let id = self.canonical(*id);
                if self.is_defined(id) {
                    found.push((runs.priority, id));
                }
            }
        }
        found.sort_by_key(|(priority, _)| *priority);
        if !before {
            found.reverse();
        }
        found.into_iter().map(|(_, id)| id).collect()
    }
}
