//! Facts about the user's code that library models ask for with `__selvedge_uses`, beside the names
//! that it mentions. They are found in the syntax alone and err on the side of caution: a model
//! then checks what can never fail.
//!
//! | fact | holds where |
//! |---|---|
//! | `indirect TAG` | an object of this library type is used other than as (a part of) a global variable |
//! | `undefined TAG` | and the program has memory that nobody has initialised |
//! | `second join` | a thread may be joined or detached twice |
//! | `second FUNCTION` | this function may initialise an object that is initialised already |
//! | `second local` | and such an object may be a local variable |
//! | `several mutexes` | threads may wait for one condition with different mutexes |
//! | `shared identifier` | more than one thread may reach the place where a thread's identifier is stored |
//! | `thread comparison` | identifiers of threads are compared with `==` or `!=` (the lowering tells) |
//! | `pointer comparison` | pointers are compared, other than with null |
//! | `equal literals` | and one string literal is the end of another, or equal |
//! | what `selvedge_usual` names | a function is called with an unusual argument |

use std::collections::HashSet;
use std::rc::Rc;

use selvedge_c_syntax::ast::{
    self, Derived, Expr, ExprKind, FunctionDef, Storage, TranslationUnit, TypeSpecifier, UnaryOp,
};

use super::calls::{Call, calls, functions, params};
use super::pointers::Pointers;
use super::{identifiers, inits, joins, waits};
use crate::lowering::{Entity, GlobalId, Lowering};
use crate::types::{Kind, Ty};
use crate::visit;

impl<'a> Lowering<'a> {
    pub(super) fn find_facts(&mut self, user: &'a [TranslationUnit]) {
        let functions: Vec<&'a FunctionDef> = functions(user).collect();
        let calls: Vec<Call<'a>> = functions.iter().flat_map(|f| calls(&f.body)).collect();
        let mut facts: HashSet<Rc<str>> = HashSet::new();
        self.unusual_arguments(&calls, &mut facts);
        let undefined = self.has_undefined_memory(user);
        for tag in self.indirect_objects(user, &calls) {
            facts.insert(format!("indirect {tag}").into());
            if undefined {
                facts.insert(format!("undefined {tag}").into());
            }
        }
        let ends = |name: &str| self.library_attribute(name, "selvedge_last_use").is_some();
        if joins::may_repeat(&functions, &ends) {
            facts.insert("second join".into());
        }
        let names = |name: &str| self.library_attribute(name, "selvedge_identifier").is_some();
        if identifiers::may_be_shared(&functions, &names) {
            facts.insert("shared identifier".into());
        }
        let waits = |name: &str| self.library_attribute(name, "selvedge_waits").is_some();
        if waits::may_mix(&functions, &waits) {
            facts.insert("several mutexes".into());
        }
        let compared = Pointers::of(user).compared(&functions);
        if compared {
            facts.insert("pointer comparison".into());
            if self.has_equal_literals(user, &calls) {
                facts.insert("equal literals".into());
            }
        }
        // Memory that is used again would seem to be initialised still.
        let again = compared && self.mentioned.contains("free");
        if !again {
            let second = self.second_inits(&functions);
            if !second.is_empty() && self.has_library_local(user) {
                facts.insert("second local".into());
            }
            facts.extend(second);
        }
        self.mentioned.extend(facts);
    }

    /// Whether a literal is the end of another one; what only describes a failure does not count.
    fn has_equal_literals(&self, user: &'a [TranslationUnit], calls: &[Call<'a>]) -> bool {
        let describes =
            |call: &&Call<'a>| self.library_attribute(call.name, "selvedge_failure").is_some();
        let described: HashSet<*const Expr> = calls
            .iter()
            .filter(describes)
            .flat_map(|call| call.args)
            .map(std::ptr::from_ref)
            .collect();
        let mut found: Vec<&'a [u32]> = Vec::new();
        let mut note = |e: &'a Expr| {
            if let ExprKind::String(literal) = &e.kind
                && !described.contains(&std::ptr::from_ref(e))
            {
                found.push(&literal.units);
            }
        };
        functions(user).for_each(|function| visit::expressions(&function.body, &mut note));
        for item in user.iter().flat_map(|unit| &unit.items) {
            let ast::Item::Declaration(declaration) = item else { continue };
            for init in declaration.declarators.iter().filter_map(|d| d.init.as_ref()) {
                visit::expressions_of_initializer(init, &mut note);
            }
        }
        let pairs = |(i, a): (usize, &&[u32])| {
            found[i + 1..].iter().any(|b| a.ends_with(b) || b.ends_with(a))
        };
        found.iter().enumerate().any(pairs)
    }

    /// `second FUNCTION` for each function that may initialise what is initialised.
    fn second_inits(&self, functions: &[&'a FunctionDef]) -> Vec<Rc<str>> {
        let allocates = |name: &str| {
            name == "calloc" || self.library_attribute(name, "selvedge_undefined_memory").is_some()
        };
        let inits = self.mentioned.iter().filter(|name| {
            self.library_attribute(name, "selvedge_first_use").is_some()
                && inits::may_repeat(functions, name, &allocates)
        });
        inits.map(|name| format!("second {name}").into()).collect()
    }

    fn library_attribute(&self, function: &str, name: &str) -> Option<&'a ast::Attribute> {
        if self.defined_by_user.contains(function) {
            return None;
        }
        self.attribute(self.library_function(function)?, name)
    }

    /// `selvedge_usual("FACT", n, "VALUE", ...)`: the fact holds where the function is called with
    /// another n-th argument.
    fn unusual_arguments(&self, calls: &[Call<'a>], facts: &mut HashSet<Rc<str>>) {
        for call in calls {
            let Some(attribute) = self.library_attribute(call.name, "selvedge_usual") else {
                continue;
            };
            let [fact, number, usual @ ..] = attribute.args.as_slice() else { continue };
            let argument = match &number.kind {
                ExprKind::Integer(number) => call.args.get((number.value as usize).wrapping_sub(1)),
                _ => None,
            };
            let given = match argument.map(|argument| &argument.kind) {
                Some(ExprKind::Ident(name)) => Some(name.name.to_string()),
                Some(ExprKind::Integer(number)) => Some(number.value.to_string()),
                _ => None,
            };
            let texts: Vec<String> = usual.iter().filter_map(|u| self.literal_text(u)).collect();
            if !given.is_some_and(|given| texts.contains(&given)) {
                facts.extend(self.literal_text(fact).map(Rc::from));
            }
        }
    }

    /// Whether the program has memory that a library object could lie in uninitialised: it
    /// allocates some, or has a local variable of such a type without an initialiser.
    fn has_undefined_memory(&self, user: &'a [TranslationUnit]) -> bool {
        let library = self.mentioned.iter();
        let allocates = library
            .filter(|name| self.library_attribute(name, "selvedge_undefined_memory").is_some());
        allocates.count() > 0 || self.has_library_local(user)
    }

    /// Whether a local variable may hold a library object and has no initialiser.
    fn has_library_local(&self, user: &'a [TranslationUnit]) -> bool {
        let mut found = false;
        for function in functions(user) {
            visit::declarations(&function.body, &mut |declaration| {
                found |= !is_fixed(declaration)
                    && self.may_hold_library_object(&declaration.specifiers.ty)
                    && declaration
                        .declarators
                        .iter()
                        .any(|d| d.init.is_none() && !points(&d.declarator.derived));
            });
        }
        found
    }

    fn may_hold_library_object(&self, ty: &TypeSpecifier) -> bool {
        match ty {
            TypeSpecifier::Record(_) | TypeSpecifier::TypeofExpr(_) => true,
            TypeSpecifier::Typedef(name) => match self.typedef_of(&name.name) {
                Some(ty) => self.holds_library_object(ty),
                None => true,
            },
            _ => false,
        }
    }

    fn typedef_of(&self, name: &str) -> Option<Ty> {
        if let Some((ty, _)) = self.model_types.get(name) {
            return Some(*ty);
        }
        self.units.iter().find_map(|unit| match unit.scope.names.get(name) {
            Some(Entity::Typedef(ty)) => Some(*ty),
            _ => None,
        })
    }

    fn holds_library_object(&self, ty: Ty) -> bool {
        match self.types.kind(ty) {
            Kind::Array(element, _) => self.holds_library_object(*element),
            Kind::Record(id) => {
                let record = self.types.record(*id);
                record.model || record.fields.iter().any(|f| self.holds_library_object(f.ty))
            }
            _ => false,
        }
    }

    /// Objects of library types that calls name other than as (a part of) a global variable.
    fn indirect_objects(
        &self,
        user: &'a [TranslationUnit],
        calls: &[Call<'a>],
    ) -> HashSet<Rc<str>> {
        let mut tags = HashSet::new();
        let mut locals: HashSet<&str> = HashSet::new();
        for function in functions(user) {
            locals.extend(params(function).into_iter().map(|name| &*name.name));
            visit::declarations(&function.body, &mut |declaration| {
                if !is_fixed(declaration) {
                    let names = declaration.declarators.iter().map(|d| &d.declarator.name);
                    locals.extend(names.flatten().map(|name| &*name.name));
                }
            });
        }
        for call in calls.iter().filter(|call| !self.defined_by_user.contains(call.name)) {
            let Some(function) = self.library_function(call.name) else { continue };
            for (tag, argument) in self.library_objects(function).into_iter().zip(call.args) {
                tags.extend(tag.filter(|_| !self.is_global_place(argument, &locals)));
            }
        }
        tags
    }

    /// For each parameter of a library function, the tag of the library type that it points to.
    fn library_objects(&self, function: GlobalId) -> Vec<Option<Rc<str>>> {
        let Some(function) = self.types.as_function(self.global(function).ty) else {
            return Vec::new();
        };
        let tag = |param: &Ty| {
            let (_, record) = self.types.as_record(self.types.pointee(*param)?)?;
            record.tag.clone()
        };
        function.params.iter().map(tag).collect()
    }

    /// `&x.member[i]`, or an array `x`, where x is a global variable that is no pointer.
    fn is_global_place(&self, argument: &Expr, locals: &HashSet<&str>) -> bool {
        let place = match &argument.kind {
            ExprKind::Unary { op: UnaryOp::AddressOf, operand } => operand,
            _ => argument,
        };
        let Some(name) = base_name(place) else { return false };
        let global = self.units.iter().find_map(|unit| match unit.scope.names.get(name) {
            Some(Entity::Global(id)) if !unit.model => Some(*id),
            _ => None,
        });
        let pointer = |id: GlobalId| self.types.is_pointer(self.global(id).ty);
        !locals.contains(&**name) && global.is_none_or(|id| !pointer(id))
    }
}

/// The variable that an lvalue without a dereference is a part of.
fn base_name(place: &Expr) -> Option<&Rc<str>> {
    match &place.kind {
        ExprKind::Ident(name) => Some(&name.name),
        ExprKind::Member { object, arrow: false, .. } => base_name(object),
        ExprKind::Index { array, .. } => base_name(array),
        _ => None,
    }
}

/// A declaration in a function of what lives as long as the program, or of no variable.
fn is_fixed(declaration: &ast::Declaration) -> bool {
    matches!(
        declaration.specifiers.storage,
        Some(Storage::Static | Storage::Extern | Storage::Typedef)
    )
}

/// Whether a declarator makes a pointer or a function of the type before it.
fn points(derived: &[Derived]) -> bool {
    derived.iter().any(|step| !matches!(step, Derived::Array { .. }))
}
