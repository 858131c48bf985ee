//! Symbols: the names by which the linker knows what units declare, and what is said of them:
//! labels (`asm("name")`), aliases, weak symbols, functions to run before `main` and at its end.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use selvedge_c_syntax::ast::{
    Attribute, Declarator, Expr, ExprKind, Item, Span, Specifiers, SymbolPragma, TranslationUnit,
};

use super::GlobalId;

/// Something that is said of a declaration and not understood.
pub(crate) type Strange = Rc<str>;

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

    /// Takes up what a declaration says.
    pub fn declared(
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
