//! Declarations at file level, and the linking of several units.

use std::rc::Rc;

use selvedge_c_syntax::Diagnostic;
use selvedge_c_syntax::ast::{
    Declaration, Declarator, FunctionDef, InitDeclarator, Initializer, Item, Span, Specifiers,
    StaticAssert, Storage, TypeSpecifier,
};

use crate::lowering::{Definition, Entity, Global, GlobalId, Lowering};
use crate::types::{Kind, Ty};

/// What a declaration says about a name, besides its type.
pub(crate) struct Declared<'a> {
    pub name: Rc<str>,
    pub ty: Ty,
    pub span: Span,
    pub storage: Option<Storage>,
    pub thread_local: bool,
    pub definition: Definition<'a>,
}

impl<'a> Lowering<'a> {
    /// Enters all names that a unit declares at file level.
    pub fn declare_unit(&mut self, unit: usize) {
        self.frame.unit = unit;
        let ast = self.units[unit].ast;
        for item in &ast.items {
            match item {
                Item::Function(function) => self.declare_function(function),
                Item::Declaration(declaration) => self.declare_file_level(declaration),
                Item::StaticAssert(assertion) => self.static_assert(assertion),
                // Assembly at file level defines symbols at most; using one is a call to an
                // undefined function.
                Item::Asm(_) => {}
                // Told when the program starts.
                Item::Unsupported(..) => {}
            }
        }
    }

    pub fn static_assert(&mut self, assertion: &'a StaticAssert) {
        if self.constant_int(&assertion.condition, "the condition of a static assertion") == 0 {
            let message = match &assertion.message {
                Some(text) => format!("static assertion failed: {text}"),
                None => "static assertion failed".to_owned(),
            };
            self.error("static-assert", assertion.span, message);
        }
    }

    fn declare_function(&mut self, function: &'a FunctionDef) {
        self.strange.clear();
        let base = self.specified(&function.specifiers);
        let mut ty = self.declared(base, &function.declarator);
        let Some(name) = &function.declarator.name else { return };
        if !self.types.is_function(ty) {
            // A body after a declarator whose type is a typedef, or no function type at all.
            self.error(
                "not-a-function",
                function.span,
                "a function body follows the declaration of something that is not a function",
            );
            return;
        }
        if let Some(mut known) = self.types.as_function(ty)
            && !known.prototype
        {
            // An old-style definition: callers do not check, but we know the parameters.
            self.frame.scopes.push(Default::default());
            let params = self.parameters(function).iter().map(|p| p.ty).collect();
            self.frame.scopes.pop();
            Rc::make_mut(&mut known).params = params;
            ty = self.types.make(Kind::Function(known));
        }
        // A gnu_inline definition with `extern` is for inlining only; the body means the same.
        self.declare_global(Declared {
            name: name.name.clone(),
            ty,
            span: name.span,
            storage: function.specifiers.storage,
            thread_local: false,
            definition: Definition::Function(function),
        });
    }

    fn declare_file_level(&mut self, declaration: &'a Declaration) {
        self.strange.clear();
        let specifiers = &declaration.specifiers;
        let base = match (&specifiers.ty, declaration.declarators.first()) {
            (TypeSpecifier::Auto, Some(InitDeclarator { init: Some(init), .. })) => {
                self.auto_type(init)
            }
            _ => self.specified(specifiers),
        };
        for item in &declaration.declarators {
            let Some(name) = &item.declarator.name else { continue };
            let ty = self.declared(base, &item.declarator);
            let ty = self.aligned(ty, specifiers, &item.declarator);
            if item.asm_label.is_some() && specifiers.storage == Some(Storage::Register) {
                self.strange.push("a variable in a register of its own".into());
            }
            if specifiers.storage == Some(Storage::Typedef) {
                self.declare_typedef(name.name.clone(), ty);
                continue;
            }
            let ty = match &item.init {
                Some(init) => self.completed(ty, init.into()),
                None => ty,
            };
            let definition = match (&item.init, specifiers.storage) {
                _ if self.types.is_function(ty) => Definition::None,
                (Some(init), _) => Definition::Variable(init.into()),
                (None, Some(Storage::Extern)) => Definition::None,
                (None, _) => Definition::Tentative,
            };
            self.declare_global(Declared {
                name: name.name.clone(),
                ty,
                span: name.span,
                storage: specifiers.storage,
                thread_local: specifiers.thread_local,
                definition,
            });
        }
    }

    /// The type with the alignment that a declaration asks for: a typedef may also lower it.
    pub fn aligned(
        &mut self,
        ty: Ty,
        specifiers: &'a Specifiers,
        declarator: &'a Declarator,
    ) -> Ty {
        let align = self.wanted_align([&specifiers.attributes, &declarator.attributes]);
        match (specifiers.storage, align) {
            (Some(Storage::Typedef), Some(align)) => ty.with_align(align),
            _ => {
                let align = align.max(self.alignas(specifiers));
                self.raised(ty, align)
            }
        }
    }

    /// The type of an initialiser, for `__auto_type`.
    pub fn auto_type(&mut self, init: &'a Initializer) -> Ty {
        match init {
            Initializer::Expr(expr) => {
                let ty = self.type_of_expr(expr);
                self.adjusted(ty).unqualified()
            }
            Initializer::List(_, span) => {
                self.error("auto-type", *span, "`__auto_type` needs a plain initialiser");
                self.types.error()
            }
        }
    }

    /// A typedef; those that the library models define stand for the user's at file level.
    pub fn declare_typedef(&mut self, name: Rc<str>, ty: Ty) {
        let file_level = self.frame.scopes.is_empty();
        let model = self.in_model();
        let ty = match self.model_types.get(&name) {
            Some((replacement, unit)) if file_level && !model && !self.is_replaced(*unit) => {
                let replacement = *replacement;
                self.fit_model(replacement, ty);
                replacement
            }
            _ => ty,
        };
        if model && file_level && !name.starts_with("__selvedge") {
            self.model_types.insert(name.clone(), (ty, self.frame.unit));
        }
        match self.strange.first() {
            Some(what) => self.strange_typedefs.insert(name.clone(), what.clone()),
            None => self.strange_typedefs.remove(&name),
        };
        self.declare(name, Entity::Typedef(ty));
    }

    /// A type of the models keeps the size and the alignment of the one that it stands for.
    fn fit_model(&mut self, model: Ty, system: Ty) {
        let (size, align) = (self.types.size(system), self.types.align(system));
        let Kind::Record(id) = *self.types.kind(model) else { return };
        let record = &mut self.types.records[id.0 as usize];
        if record.complete && size >= record.size && align > 0 {
            (record.size, record.align) = (size, align);
        }
    }

    /// Whether the user defines functions of a library model: then the user's types fit them.
    fn is_replaced(&self, unit: usize) -> bool {
        self.units[unit].ast.items.iter().any(|item| match item {
            Item::Function(function) => {
                let name = function.declarator.name.as_ref();
                function.specifiers.storage != Some(Storage::Static)
                    && name.is_some_and(|name| self.defined_by_user.contains(&name.name))
            }
            _ => false,
        })
    }

    /// Declares a function or a variable with linkage, in the scope that is open.
    pub fn declare_global(&mut self, new: Declared<'a>) {
        let unit = self.frame.unit;
        let symbol = self.symbol(&new.name);
        let in_file = self.units[unit].scope.names.get(&new.name).cloned();
        let internal = match (&in_file, new.storage) {
            (_, Some(Storage::Static)) => true,
            // `extern` and functions take over the linkage of an earlier declaration.
            (Some(Entity::Global(id)), _) => !self.global(*id).external,
            _ => false,
        };
        let known = match in_file {
            Some(Entity::Global(id)) => Some(id),
            Some(_) if self.frame.scopes.is_empty() => {
                let message =
                    format!("`{}` is declared again as a different kind of thing", new.name);
                self.error("redeclaration", new.span, message);
                return;
            }
            _ if internal => None,
            _ => self.linked().get(&symbol).copied(),
        };
        let other = known.filter(|id| self.global(*id).name != new.name);
        let id = match known.filter(|_| other.is_none()) {
            Some(id) => {
                self.merge(id, &new);
                id
            }
            None => {
                let id = self.add_global(Global {
                    name: new.name.clone(),
                    ty: new.ty,
                    unit,
                    span: new.span,
                    external: !internal,
                    thread_local: new.thread_local,
                    definition: new.definition,
                    owner: None,
                    scopes: Vec::new(),
                });
                if let Some(other) = other {
                    self.unite(&symbol, other, id);
                } else if !internal {
                    let model = self.units[unit].model;
                    let table = if model { &mut self.library } else { &mut self.externs };
                    table.insert(symbol, id);
                }
                id
            }
        };
        if let Some(what) = self.strange.first().cloned() {
            self.extras.entry(id).or_default().strange = Some(what);
        }
        self.units[unit].scope.names.entry(new.name.clone()).or_insert(Entity::Global(id));
        self.declare(new.name, Entity::Global(id));
    }

    fn linked(&self) -> &std::collections::HashMap<Rc<str>, GlobalId> {
        if self.in_model() { &self.library } else { &self.externs }
    }

    /// Another declaration of a known name.
    fn merge(&mut self, id: GlobalId, new: &Declared<'a>) {
        let old = self.global(id).clone();
        if !self.types.compatible(old.ty, new.ty) && !self.in_model() {
            let message = format!(
                "`{}` is declared as `{}`, elsewhere as `{}`",
                new.name,
                self.types.describe(new.ty),
                self.types.describe(old.ty)
            );
            self.report(
                Diagnostic::error("conflicting-types", message)
                    .at(new.span)
                    .related(old.span, "the other declaration"),
            );
            return;
        }
        let weak =
            (self.is_weak_in(old.unit, &old.name), self.is_weak_in(self.frame.unit, &new.name));
        let takes_over = match (old.definition, new.definition) {
            (_, Definition::None) => false,
            (Definition::None, _) => true,
            (old_definition, _) if self.replaceable(old_definition) || weak == (true, false) => {
                true
            }
            (_, Definition::Tentative) => false,
            (Definition::Tentative, _) => true,
            (_, newer) => {
                if !self.replaceable(newer) && !weak.1 {
                    let message = format!("`{}` is defined twice", new.name);
                    self.report(
                        Diagnostic::error("redefinition", message)
                            .at(new.span)
                            .related(old.span, "the first definition"),
                    );
                }
                false
            }
        };
        let composite = self.types.composite(old.ty, new.ty);
        let unit = self.frame.unit;
        let global = self.global_mut(id);
        global.thread_local |= new.thread_local;
        global.ty = composite;
        if takes_over {
            // The definition counts: its unit's scope, its types, its place.
            global.definition = new.definition;
            global.unit = unit;
            global.span = new.span;
            if matches!(new.definition, Definition::Function(_)) {
                global.ty = new.ty;
            }
        }
    }

    fn is_weak_in(&self, unit: usize, name: &Rc<str>) -> bool {
        self.units[unit].symbols.weak.contains(name)
    }

    /// An inline definition gives way to another definition of the same function.
    fn replaceable(&self, definition: Definition<'a>) -> bool {
        match definition {
            Definition::Function(function) => {
                let specifiers = &function.specifiers;
                let declarator = &function.declarator;
                let mut attributes = specifiers.attributes.iter().chain(&declarator.attributes);
                specifiers.inline || attributes.any(|attribute| &*attribute.name == "gnu_inline")
            }
            _ => false,
        }
    }
}
