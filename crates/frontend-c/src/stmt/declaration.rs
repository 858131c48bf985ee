//! Declarations inside functions.

use std::rc::Rc;

use selvedge_c_syntax::ast::{
    self, Declaration, FunctionDef, Ident, InitDeclarator, Initializer, Span, TypeSpecifier,
};
use selvedge_ir::{Action, BinaryOp, Expr, Property, Type};

use crate::declare::Declared;
use crate::expr::{Lvalue, Place};
use crate::fold::Typed;
use crate::initializer::Init;
use crate::lowering::{Definition, Entity, Extent, Global, Lowering, Slot};
use crate::types::{Kind, Len, Ty};

use super::cleanup;

/// The scopes of a function's parameters and of its outermost block.
const FUNCTION_SCOPES: usize = 2;

impl<'a> Lowering<'a> {
    pub fn local_declaration(&mut self, declaration: &'a Declaration) {
        let outer = std::mem::take(&mut self.strange);
        self.declare_locals(declaration);
        self.tell_strange(outer, declaration.span);
    }

    fn declare_locals(&mut self, declaration: &'a Declaration) {
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
            let function = self.types.is_function(ty);
            if item.asm_label.is_some() && specifiers.storage == Some(ast::Storage::Register) {
                self.strange.push("a variable in a register of its own".into());
            }
            match specifiers.storage {
                Some(ast::Storage::Typedef) => self.declare_typedef(name.name.clone(), ty),
                Some(ast::Storage::Extern) => self.declare_outside(declaration, item, name, ty),
                _ if function => self.declare_outside(declaration, item, name, ty),
                Some(ast::Storage::Static) => {
                    self.static_local(name, ty, item.init.as_ref(), specifiers.thread_local);
                }
                _ => {
                    let attributes =
                        specifiers.attributes.iter().chain(&item.declarator.attributes);
                    let cleanup = cleanup::function(attributes);
                    self.local_variable(name, ty, item.init.as_ref(), cleanup);
                }
            }
        }
    }

    /// `extern int x;` and function declarations inside a function.
    fn declare_outside(
        &mut self,
        declaration: &Declaration,
        item: &InitDeclarator,
        name: &Ident,
        ty: Ty,
    ) {
        self.say_of_symbol(&declaration.specifiers, item);
        self.declare_global(Declared {
            name: name.name.clone(),
            ty,
            span: name.span,
            storage: Some(ast::Storage::Extern),
            thread_local: declaration.specifiers.thread_local,
            definition: Definition::None,
        });
        self.resolve_weak(&name.name);
    }

    fn static_local(
        &mut self,
        name: &Ident,
        ty: Ty,
        init: Option<&'a Initializer>,
        thread_local: bool,
    ) {
        let init = init.map(Init::from);
        let ty = match init {
            Some(init) => self.completed(ty, init),
            None => ty,
        };
        let definition = match init {
            Some(init) => Definition::Variable(init),
            None => Definition::Tentative,
        };
        let id = self.add_global(Global {
            name: name.name.clone(),
            ty,
            unit: self.frame.unit,
            span: name.span,
            external: false,
            thread_local,
            definition,
            owner: Some(self.frame.name.clone()),
            scopes: Vec::new(),
        });
        // Declared first: the initialiser may mention the variable itself.
        self.declare(name.name.clone(), Entity::Global(id));
        if let Some(object) = self.variable_object(id, name.span) {
            self.initialize_object(object);
        }
    }

    fn local_variable(
        &mut self,
        name: &Ident,
        ty: Ty,
        init: Option<&'a Initializer>,
        cleanup: Option<&'a ast::Expr>,
    ) {
        let temporaries = self.frame.temporaries.len();
        let init = init.map(Init::from);
        let ty = match init {
            Some(init) => self.completed(ty, init),
            None => ty,
        };
        if !self.types.is_complete(ty) && !self.types.is_error(ty) {
            let message = format!(
                "the variable `{}` has the incomplete type `{}`",
                name.name,
                self.types.describe(ty)
            );
            self.error("incomplete-type", name.span, message);
        }
        let in_memory = self.types.is_aggregate(ty)
            || cleanup.is_some()
            || self.frame.addressed.contains(&name.name);
        match in_memory && !self.types.is_error(ty) && self.types.is_complete(ty) {
            true => self.memory_variable(&name.name.clone(), ty, init, name),
            false => self.register_variable(name, ty, init),
        }
        self.end_temporaries(temporaries, name.span);
        if let Some(function) = cleanup {
            self.await_cleanup(name, function);
        }
    }

    fn register_variable(&mut self, name: &Ident, ty: Ty, init: Option<Init<'a>>) {
        let scalar = self.scalar_or_int(ty);
        let named = !self.in_model();
        let local = self.body.local(&name.name, scalar, named);
        self.declare(name.name.clone(), Entity::Variable(ty, Slot::Local(local)));
        let Some(init) = init else {
            return self.emit(Action::Havoc { to: local }, name.span);
        };
        let lvalue = Lvalue { ty: Ty { constant: false, ..ty }, place: Place::Local(local) };
        for leaf in self.leaves(ty, init) {
            let value = match leaf.source {
                crate::initialize::Source::Number(n) => self.number(n, ty, leaf.span),
                crate::initialize::Source::Expr(expr) => self.value_for(&lvalue, expr).expr,
            };
            self.store(&lvalue, value, name.span);
        }
    }

    fn memory_variable(&mut self, label: &Rc<str>, ty: Ty, init: Option<Init<'a>>, name: &Ident) {
        let span = name.span;
        let place = self.place(span);
        let layout = self.layout(ty);
        if self.types.is_runtime_sized(ty) {
            let element = self.runtime_element(ty);
            let layout = self.layout(element);
            self.check_lengths(ty, span);
            let size = self.size_expr(ty);
            let again = self.frame.repeats;
            let at = self.body.object_from_here(label, layout, size, again, place);
            if self.has_block_lifetime() {
                self.begin_extent(Extent::Array(at));
            }
            let slot = Slot::Memory(Expr::Local(at));
            return self.declare(label.clone(), Entity::Variable(ty, slot));
        }
        let size = self.types.size(ty);
        let in_block = self.has_block_lifetime();
        let zeroed = !self.frame.repeats
            && self.frame.site.is_none()
            && !in_block
            && init.is_some_and(|init| self.wants_zero(init));
        let at = match in_block {
            true => self.block_object(label, layout, size, span),
            false => self.body.stack_object(label, layout, size, zeroed, place),
        };
        self.declare(label.clone(), Entity::Variable(ty, Slot::Memory(at.clone())));
        if let Some(init) = init {
            self.initialize_local(at, ty, init, zeroed, span);
        }
    }

    /// Where memory is checked, or whether a library object is initialised twice, what a block
    /// declares lives as long as the block. Otherwise it lives as long as the call, which is cheaper
    /// and the same to a correct program.
    fn has_block_lifetime(&self) -> bool {
        self.tracks_lifetimes() && self.frame.scopes.len() > FUNCTION_SCOPES
    }

    /// Whether lifetimes matter here. Library models are known to keep to them.
    pub(super) fn tracks_lifetimes(&self) -> bool {
        let looked_at = self.options.checks(Property::Memory) || self.uses("second local");
        looked_at && self.frame.site.is_none()
    }

    /// An object of the innermost block.
    pub fn object_of_block(&mut self, name: &str, ty: Ty, span: Span) -> Expr {
        match self.has_block_lifetime() && !self.frame.constant {
            true => {
                let layout = self.layout(ty);
                self.block_object(name, layout, self.types.size(ty), span)
            }
            false => self.temporary_object(name, ty, span),
        }
    }

    /// An array's length is a positive number (C11 6.7.6.2, paragraph 5).
    fn check_lengths(&mut self, ty: Ty, span: Span) {
        let Kind::Array(element, len) = *self.types.kind(ty) else { return };
        if let Len::Runtime(local) = len {
            let int = self.types.model.diff_type();
            let count = self.body.cast(Type::Int(int), Expr::Local(local));
            let positive = self.body.binary(BinaryOp::Gt, count, Expr::int(0, int));
            let what = "the length of an array is not positive";
            self.undefined_unless(positive, Property::Memory, what, span);
        }
        self.check_lengths(element, span);
    }

    /// The innermost type of fixed size of an array that has none.
    fn runtime_element(&self, ty: Ty) -> Ty {
        match self.types.kind(ty) {
            Kind::Array(element, _) if self.types.is_runtime_sized(ty) => {
                self.runtime_element(*element)
            }
            _ => ty,
        }
    }

    /// A function inside a function sees its caller's locals; that has no counterpart in Plato.
    pub(super) fn nested_function(&mut self, function: &'a FunctionDef) {
        let base = self.specified(&function.specifiers);
        let ty = self.declared(base, &function.declarator);
        if let Some(name) = &function.declarator.name {
            let id = self.add_global(Global {
                name: name.name.clone(),
                ty,
                unit: self.frame.unit,
                span: name.span,
                external: false,
                thread_local: false,
                definition: Definition::None,
                owner: Some(self.frame.name.clone()),
                scopes: Vec::new(),
            });
            self.declare(name.name.clone(), Entity::Global(id));
        }
        self.unsupported("a nested function", function.span);
    }
}
