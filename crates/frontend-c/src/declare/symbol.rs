//! Symbols: the names by which the linker knows what units declare, and what is said of them:
//! labels (`asm("name")`), aliases, weak symbols, functions to run before `main` and at its end.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use selvedge_c_syntax::ast::{
    Attribute, Declarator, Expr, ExprKind, Item, Span, Specifiers, SymbolPragma, TranslationUnit,
};

use super::Strange;
use crate::lowering::{Definition, Entity, GlobalId, Lowering};

/// What a unit says of its names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    /// Names whose symbol is another.
    pub renamed: HashMap<Rc<str>, Rc<str>>,
    pub weak: HashSet<Rc<str>>,
    pub noreturn: HashSet<Rc<str>>,
    pub aliases: Vec<Alias>,
    pub runs: Vec<Runs>,
    /// What makes the program as a whole unsupported.
    pub strange: Vec<(Strange, Span)>,
}

/// `name` is another name for `target`.
#[derive(Clone, Debug)]
pub(crate) struct Alias {
    pub name: Rc<str>,
    pub target: Rc<str>,
    /// `weakref`: the target may be defined nowhere.
    pub weak: bool,
    pub span: Span,
}

/// A function that runs without being called.
#[derive(Clone, Debug)]
pub(crate) struct Runs {
    pub name: Rc<str>,
    /// Before `main`; otherwise at the end of the program.
    pub before: bool,
    /// The least first before `main`, last at the end.
    pub priority: u64,
}

/// Without a priority, a constructor runs after all that have one.
const NO_PRIORITY: u64 = 65_536;

/// What is said of a global besides its declaration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extra {
    /// The global that this one is another name of.
    pub same_as: Option<GlobalId>,
    pub weak: bool,
    pub noreturn: bool,
    pub strange: Option<Strange>,
}

impl Symbols {
    pub fn of(unit: &TranslationUnit) -> Symbols {
        let mut symbols = Symbols::default();
        for item in &unit.items {
            match item {
                Item::Function(function) => {
                    symbols.declared(&function.specifiers, &function.declarator, None);
                }
                Item::Declaration(declaration) => {
                    for item in &declaration.declarators {
                        let label = item.asm_label.as_ref();
                        symbols.declared(&declaration.specifiers, &item.declarator, label);
                    }
                }
                Item::Unsupported(what, span) => symbols.strange.push((what.clone(), *span)),
                Item::StaticAssert(_) | Item::Asm(_) => {}
            }
        }
        unit.symbols.iter().for_each(|pragma| symbols.pragma(pragma));
        symbols
    }

    fn declared(
        &mut self,
        specifiers: &Specifiers,
        declarator: &Declarator,
        label: Option<&Rc<str>>,
    ) {
        let Some(name) = &declarator.name else { return };
        if let Some(label) = label {
            self.renamed.insert(name.name.clone(), label.clone());
        }
        if specifiers.noreturn {
            self.noreturn.insert(name.name.clone());
        }
        for attribute in specifiers.attributes.iter().chain(&declarator.attributes) {
            self.attribute(&name.name, attribute);
        }
    }

    fn attribute(&mut self, name: &Rc<str>, attribute: &Attribute) {
        let text = attribute.args.first().and_then(text);
        let span = attribute.span;
        match &*attribute.name {
            "weak" => {
                self.weak.insert(name.clone());
            }
            "noreturn" => {
                self.noreturn.insert(name.clone());
            }
            "alias" | "weakref" => {
                let weak = &*attribute.name == "weakref";
                if weak {
                    self.weak.insert(name.clone());
                }
                if let Some(target) = text {
                    self.aliases.push(Alias { name: name.clone(), target, weak, span });
                }
            }
            word @ ("constructor" | "destructor") => {
                let priority = attribute.args.first().map_or(Some(NO_PRIORITY), number);
                let before = word == "constructor";
                let known = |runs: &Runs| runs.name == *name && runs.before == before;
                match priority {
                    Some(priority) if !self.runs.iter().any(known) => {
                        self.runs.push(Runs { name: name.clone(), before, priority });
                    }
                    Some(_) => {}
                    None => self.strange.push(("a priority that is no number".into(), span)),
                }
            }
            "section" if text.is_some_and(|section| holds_functions(&section)) => {
                let what = format!("the section of `{name}`, whose functions run by themselves");
                self.strange.push((what.into(), span));
            }
            _ => {}
        }
    }

    fn pragma(&mut self, pragma: &SymbolPragma) {
        match pragma {
            SymbolPragma::Weak { name } => {
                self.weak.insert(name.clone());
            }
            SymbolPragma::WeakAlias { name, to } => {
                self.weak.insert(name.clone());
                let (name, target, span) = (name.clone(), to.clone(), Span::default());
                self.aliases.push(Alias { name, target, weak: false, span });
            }
            SymbolPragma::Rename { from, to } => {
                self.renamed.entry(from.clone()).or_insert_with(|| to.clone());
            }
        }
    }
}

/// Whether a section has pointers to functions that run before `main` or at the end.
fn holds_functions(section: &str) -> bool {
    [".init_array", ".preinit_array", ".fini_array", ".ctors", ".dtors", ".init", ".fini"]
        .iter()
        .any(|known| {
            section.strip_prefix(known).is_some_and(|r| r.is_empty() || r.starts_with('.'))
        })
}

fn text(expr: &Expr) -> Option<Rc<str>> {
    let ExprKind::String(literal) = &expr.kind else { return None };
    let text: String = literal.units.iter().filter_map(|unit| char::from_u32(*unit)).collect();
    Some(text.into())
}

fn number(expr: &Expr) -> Option<u64> {
    match &expr.kind {
        ExprKind::Integer(literal) => u64::try_from(literal.value).ok(),
        _ => None,
    }
}

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
        match renamed {
            Some(symbol) if self.library.contains_key(symbol) => symbol.clone(),
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

    /// Enters what the units say of aliases and weak symbols, once all are declared.
    pub fn resolve_symbols(&mut self) {
        for unit in 0..self.units.len() {
            self.frame.unit = unit;
            let symbols = self.units[unit].symbols.clone();
            for name in &symbols.weak {
                if let Some(Entity::Global(id)) = self.units[unit].scope.names.get(name) {
                    self.extras.entry(*id).or_default().weak = true;
                }
            }
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
