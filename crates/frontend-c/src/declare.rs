//! Declarations: from specifiers and declarators to types and names.

mod attribute;
mod enumeration;
mod file;
mod known;
mod record;
mod symbol;

use std::rc::Rc;

use selvedge_c_syntax::ast::{
    self, ArraySize, Declarator, Derived, IntegerRank, Params, Qualifiers, Span, Specifiers,
    TypeName, TypeSpecifier,
};

use crate::lowering::{Entity, Lowering, Slot, Strange};
use crate::types::{FnType, IntKind, Kind, Len, Ty};

pub(crate) use file::Declared;

/// A parameter of a function: the local that the caller sets. For an aggregate, it has the address
/// of an object that the caller made for the call.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub name: Option<Rc<str>>,
    pub ty: Ty,
    pub local: selvedge_ir::LocalId,
    pub span: Span,
}

impl<'a> Lowering<'a> {
    /// The type that the specifiers alone name. `__auto_type` is an error here: its users look at
    /// the initialiser.
    pub fn specified(&mut self, specifiers: &'a Specifiers) -> Ty {
        let base = self.base_type(&specifiers.ty, specifiers.span);
        let base = qualify(base, specifiers.qualifiers);
        let wanted = self.wanted(&specifiers.attributes);
        self.apply_wanted(base, &wanted)
    }

    fn base_type(&mut self, specifier: &'a TypeSpecifier, span: Span) -> Ty {
        match specifier {
            TypeSpecifier::Void => self.types.void(),
            TypeSpecifier::Bool => self.types.boolean(),
            TypeSpecifier::Integer { signed, rank } => self.types.int(int_kind(*signed, *rank)),
            TypeSpecifier::Float { kind, complex: false } => {
                self.types.make(Kind::Float((*kind).into()))
            }
            TypeSpecifier::Float { kind, complex: true } => {
                self.types.make(Kind::Complex((*kind).into()))
            }
            TypeSpecifier::Record(record) => self.record_type(record),
            TypeSpecifier::Enum(enumeration) => self.enum_type(enumeration),
            TypeSpecifier::Typedef(name) => self.typedef_type(name),
            TypeSpecifier::TypeofExpr(expr) => self.type_of_expr(expr),
            TypeSpecifier::TypeofType(name) => self.type_name(name),
            TypeSpecifier::Atomic(name) => Ty { atomic: true, ..self.type_name(name) },
            TypeSpecifier::Auto => {
                self.error("auto-type", span, "`__auto_type` needs an initialiser");
                self.types.error()
            }
            TypeSpecifier::VaList => self.va_list_type(),
        }
    }

    fn typedef_type(&mut self, name: &ast::Ident) -> Ty {
        if let Some(what) = self.strange_typedefs.get(&name.name) {
            self.strange.push(what.clone());
        }
        match self.lookup(&name.name) {
            Some(Entity::Typedef(ty)) => *ty,
            _ if &*name.name == "__selvedge_thread" => self.types.make(Kind::Thread),
            _ if &*name.name == "__gnuc_va_list" => self.va_list_type(),
            _ => match builtin_typedef(&name.name) {
                Some(kind) => self.types.make(kind),
                None => {
                    let message = format!("unknown type name `{}`", name.name);
                    self.error("unknown-type", name.span, message);
                    self.types.error()
                }
            },
        }
    }

    pub fn type_name(&mut self, name: &'a TypeName) -> Ty {
        let outer = std::mem::take(&mut self.strange);
        let base = self.specified(&name.specifiers);
        let ty = self.derive(base, &name.derived, name.span);
        self.tell_strange(outer, name.span);
        match self.wanted(&name.specifiers.attributes).align {
            Some(align) if name.derived.is_empty() => ty.with_align(align),
            _ => ty,
        }
    }

    /// Inside a function, what was found strange is unsupported here; elsewhere it is a matter of
    /// the declaration around it.
    pub fn tell_strange(&mut self, outer: Vec<Strange>, span: Span) {
        let found = std::mem::replace(&mut self.strange, outer);
        match self.frame.scopes.is_empty() || self.frame.constant {
            true => self.strange.extend(found),
            false => {
                if let Some(what) = found.first() {
                    self.unsupported(what.to_string(), span);
                }
            }
        }
    }

    /// The type of what a declarator declares. `derived[0]` is next to the name, so the base type
    /// is wrapped from the back.
    pub fn declared(&mut self, base: Ty, declarator: &'a Declarator) -> Ty {
        let ty = self.derive(base, &declarator.derived, declarator.span);
        let wanted = self.wanted(&declarator.attributes);
        self.apply_wanted(ty, &wanted)
    }

    pub fn derive(&mut self, base: Ty, derived: &'a [Derived], span: Span) -> Ty {
        let mut ty = base;
        for step in derived.iter().rev() {
            ty = match step {
                Derived::Pointer { qualifiers, attributes } => {
                    self.wanted(attributes);
                    let pointer = self.types.pointer(ty);
                    qualify(pointer, *qualifiers)
                }
                Derived::Array { size, .. } => self.array_of(ty, size, span),
                Derived::Function { params } => self.function_of(ty, params),
            };
        }
        ty
    }

    fn array_of(&mut self, element: Ty, size: &'a ArraySize, span: Span) -> Ty {
        if self.types.is_function(element) || self.types.is_void(element) {
            let message =
                format!("an array cannot have elements of type `{}`", self.types.describe(element));
            self.error("array-element", span, message);
            return self.types.error();
        }
        let len = match size {
            ArraySize::Unspecified | ArraySize::Star => Len::Unknown,
            ArraySize::Expr(expr) => self.array_len(expr),
        };
        self.types.array(element, len)
    }

    fn array_len(&mut self, expr: &'a ast::Expr) -> Len {
        match self.try_constant_int(expr) {
            Some(count) if count >= 0 => Len::Fixed(count as u64),
            Some(_) => {
                self.error("array-size", expr.span, "the size of an array is negative");
                Len::Fixed(0)
            }
            None if self.frame.scopes.is_empty() => {
                let message = "the size of this array is not a constant";
                self.error("array-size", expr.span, message);
                Len::Fixed(1)
            }
            None => {
                let size = self.types.size_type();
                let value = self.rvalue(expr);
                let count = self.convert(value, size, expr.span).expr;
                let local = self.body.local("count", self.scalar_or_int(size), false);
                self.assign(local, count, expr.span);
                Len::Runtime(local)
            }
        }
    }

    fn function_of(&mut self, ret: Ty, params: &'a Params) -> Ty {
        let function = match params {
            Params::Unspecified => {
                FnType { ret, params: Vec::new(), variadic: false, prototype: false }
            }
            Params::Identifiers(names) => {
                let int = self.types.int_type();
                FnType { ret, params: vec![int; names.len()], variadic: false, prototype: false }
            }
            Params::Prototype { params, variadic } => {
                // Tags and names declared among the parameters are visible there only.
                self.frame.scopes.push(Default::default());
                let params = params.iter().map(|p| self.parameter(p).ty).collect();
                self.frame.scopes.pop();
                FnType { ret, params, variadic: *variadic, prototype: true }
            }
        };
        self.types.function(function)
    }

    /// Declares a parameter in the open scope: sizes of later array parameters may mention it.
    fn parameter(&mut self, param: &'a ast::Param) -> Parameter {
        let ty = self.parameter_type(param);
        let name = param.declarator.name.as_ref().map(|n| n.name.clone());
        self.bind_parameter(name, ty, param.span)
    }

    fn bind_parameter(&mut self, name: Option<Rc<str>>, ty: Ty, span: Span) -> Parameter {
        let scalar = self.types.scalar(ty).unwrap_or(selvedge_ir::Type::Ptr);
        let named = name.is_some() && !self.in_model();
        let local = self.body.local(name.as_deref().unwrap_or("unnamed"), scalar, named);
        if let Some(name) = &name {
            let slot = match self.types.is_aggregate(ty) {
                true => Slot::Memory(selvedge_ir::Expr::Local(local)),
                false => Slot::Local(local),
            };
            self.declare(name.clone(), Entity::Variable(ty, slot));
        }
        Parameter { name, ty, local, span }
    }

    /// The type of a parameter: arrays and functions become pointers.
    fn parameter_type(&mut self, param: &'a ast::Param) -> Ty {
        let base = self.specified(&param.specifiers);
        let derived = &param.declarator.derived;
        let ty = match derived.first() {
            // The outermost size is not part of the type, and may be any expression.
            Some(Derived::Array { qualifiers, .. }) => {
                let element = self.derive(base, &derived[1..], param.span);
                let pointer = self.types.pointer(element);
                qualify(pointer, *qualifiers)
            }
            _ => self.derive(base, derived, param.span),
        };
        let wanted = self.wanted(&param.declarator.attributes);
        let ty = self.apply_wanted(ty, &wanted);
        self.adjusted(ty)
    }

    pub fn adjusted(&mut self, ty: Ty) -> Ty {
        match *self.types.kind(ty) {
            Kind::Array(element, _) => self.types.pointer(element),
            Kind::Function(_) => self.types.pointer(ty),
            _ => ty,
        }
    }

    pub fn scalar_or_int(&self, ty: Ty) -> selvedge_ir::Type {
        self.types.scalar(ty).unwrap_or(selvedge_ir::Type::Int(selvedge_ir::Int::I32))
    }

    /// Declares the parameters of a function that is being defined, in the open scope.
    pub fn parameters(&mut self, definition: &'a ast::FunctionDef) -> Vec<Parameter> {
        let Some(Derived::Function { params }) = function_part(&definition.declarator) else {
            return Vec::new();
        };
        match params {
            Params::Unspecified => Vec::new(),
            Params::Identifiers(names) => {
                let declared = self.old_style_parameters(definition);
                let int = self.types.int_type();
                let mut found = Vec::new();
                for name in names {
                    let known = declared.iter().find(|(n, _)| *n == name.name);
                    let ty = known.map_or(int, |(_, ty)| *ty);
                    found.push(self.bind_parameter(Some(name.name.clone()), ty, name.span));
                }
                found
            }
            Params::Prototype { params, .. } => params.iter().map(|p| self.parameter(p)).collect(),
        }
    }

    fn old_style_parameters(&mut self, definition: &'a ast::FunctionDef) -> Vec<(Rc<str>, Ty)> {
        let mut found = Vec::new();
        for declaration in &definition.old_style {
            let base = self.specified(&declaration.specifiers);
            for item in &declaration.declarators {
                let ty = self.declared(base, &item.declarator);
                let ty = self.adjusted(ty);
                if let Some(name) = &item.declarator.name {
                    found.push((name.name.clone(), ty));
                }
            }
        }
        found
    }
}

/// The part of a function definition's declarator that lists its parameters.
pub(crate) fn function_part(declarator: &Declarator) -> Option<&Derived> {
    declarator.derived.iter().find(|d| matches!(d, Derived::Function { .. }))
}

pub(crate) fn qualify(ty: Ty, qualifiers: Qualifiers) -> Ty {
    Ty {
        constant: ty.constant || qualifiers.constant,
        volatile: ty.volatile || qualifiers.volatile,
        atomic: ty.atomic || qualifiers.atomic,
        ..ty
    }
}

fn int_kind(signed: Option<bool>, rank: IntegerRank) -> IntKind {
    let unsigned = signed == Some(false);
    match (rank, unsigned) {
        (IntegerRank::Char, true) => IntKind::UChar,
        (IntegerRank::Char, false) if signed.is_some() => IntKind::SChar,
        (IntegerRank::Char, false) => IntKind::Char,
        (IntegerRank::Short, true) => IntKind::UShort,
        (IntegerRank::Short, false) => IntKind::Short,
        (IntegerRank::Int, true) => IntKind::UInt,
        (IntegerRank::Int, false) => IntKind::Int,
        (IntegerRank::Long, true) => IntKind::ULong,
        (IntegerRank::Long, false) => IntKind::Long,
        (IntegerRank::LongLong, true) => IntKind::ULongLong,
        (IntegerRank::LongLong, false) => IntKind::LongLong,
        (IntegerRank::Int128, true) => IntKind::UInt128,
        (IntegerRank::Int128, false) => IntKind::Int128,
    }
}

/// Type names that the compiler knows without a declaration.
fn builtin_typedef(name: &str) -> Option<Kind> {
    match name {
        "__int128_t" => Some(Kind::Int(IntKind::Int128)),
        "__uint128_t" => Some(Kind::Int(IntKind::UInt128)),
        _ => None,
    }
}
