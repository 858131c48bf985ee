//! Declarators and types.

use super::Printer;
use crate::ast::{
    ArraySize, Attribute, Declarator, Derived, EnumSpecifier, Enumerator, Member, MemberDeclarator,
    Params, Qualifiers, RecordSpecifier, Specifiers, TypeName, TypeSpecifier,
};

impl Printer {
    pub(super) fn declarator(&mut self, it: &Declarator, base: &Specifiers) {
        self.put(it.name.as_ref().map_or("_", |name| &name.name));
        self.put(": ");
        self.derived(&it.derived);
        self.specifiers(base);
        self.attributes(&it.attributes);
    }

    fn derived(&mut self, parts: &[Derived]) {
        for part in parts {
            match part {
                Derived::Pointer { qualifiers, attributes } => {
                    self.qualifiers(*qualifiers);
                    self.put("pointer");
                    self.attributes(attributes);
                }
                Derived::Array { qualifiers, size } => {
                    self.qualifiers(*qualifiers);
                    self.put("array[");
                    match size {
                        ArraySize::Unspecified => {}
                        ArraySize::Star => self.put("*"),
                        ArraySize::Expr(size) => self.expr(size),
                    }
                    self.put("]");
                }
                Derived::Function { params } => {
                    self.put("function(");
                    self.params(params);
                    self.put(")");
                }
            }
            self.put(match part {
                Derived::Array { .. } => " of ",
                _ => " to ",
            });
        }
    }

    fn params(&mut self, params: &Params) {
        match params {
            Params::Unspecified => self.put("?"),
            Params::Identifiers(names) => {
                self.put("names ");
                self.names(names);
            }
            Params::Prototype { params, variadic } => {
                self.list(params, ", ", |printer, param| {
                    printer.declarator(&param.declarator, &param.specifiers);
                });
                self.put_if(*variadic, if params.is_empty() { "..." } else { ", ..." });
            }
        }
    }

    fn qualifiers(&mut self, it: Qualifiers) {
        self.put_if(it.constant, "const ");
        self.put_if(it.volatile, "volatile ");
        self.put_if(it.restrict, "restrict ");
        self.put_if(it.atomic, "atomic ");
    }

    fn attributes(&mut self, all: &[Attribute]) {
        for attribute in all {
            self.put(&format!(" @{}", attribute.name));
            if !attribute.args.is_empty() {
                self.put("(");
                self.list(&attribute.args, " ", Printer::expr);
                self.put(")");
            }
        }
    }

    pub(super) fn specifiers(&mut self, it: &Specifiers) {
        if let Some(storage) = it.storage {
            self.put(&format!("{storage:?} ").to_lowercase());
        }
        self.put_if(it.thread_local, "thread_local ");
        self.put_if(it.inline, "inline ");
        self.put_if(it.noreturn, "noreturn ");
        self.put_if(!it.alignas.is_empty(), "aligned ");
        self.qualifiers(it.qualifiers);
        self.type_specifier(&it.ty);
        self.attributes(&it.attributes);
    }

    fn type_specifier(&mut self, ty: &TypeSpecifier) {
        match ty {
            TypeSpecifier::Void => self.put("void"),
            TypeSpecifier::Bool => self.put("bool"),
            TypeSpecifier::Integer { signed, rank } => {
                self.put_if(*signed == Some(true), "signed ");
                self.put_if(*signed == Some(false), "unsigned ");
                self.put(&format!("{rank:?}").to_lowercase());
            }
            TypeSpecifier::Float { kind, complex } => {
                self.put_if(*complex, "complex ");
                self.put(&format!("{kind:?}").to_lowercase());
            }
            TypeSpecifier::Record(it) => self.record(it),
            TypeSpecifier::Enum(it) => self.enumeration(it),
            TypeSpecifier::Typedef(name) => self.put(&format!("<{}>", name.name)),
            TypeSpecifier::TypeofExpr(of) => {
                self.put("typeof(");
                self.expr(of);
                self.put(")");
            }
            TypeSpecifier::TypeofType(of) | TypeSpecifier::Atomic(of) => {
                let atomic = matches!(ty, TypeSpecifier::Atomic(_));
                self.put(if atomic { "_Atomic(" } else { "typeof(" });
                self.type_name(of);
                self.put(")");
            }
            TypeSpecifier::Auto => self.put("__auto_type"),
            TypeSpecifier::VaList => self.put("va_list"),
        }
    }

    /// Records nest as deeply as the source has it.
    fn record(&mut self, it: &RecordSpecifier) {
        self.put(if it.union { "union" } else { "struct" });
        if let Some(tag) = &it.tag {
            self.put(&format!(" {}", tag.name));
        }
        if let Some(members) = &it.members {
            self.put(" {");
            crate::with_deep_stack(|| self.list(members, "; ", Printer::member));
            self.put("}");
        }
        self.attributes(&it.attributes);
    }

    fn member(&mut self, member: &Member) {
        let (base, declarators) = match member {
            Member::Fields { specifiers, declarators, .. } => (specifiers, declarators),
            Member::StaticAssert(_) => return self.put("static_assert"),
            Member::Ghost(_) => return self.put("ghost"),
        };
        if declarators.is_empty() {
            return self.specifiers(base);
        }
        self.list(declarators, ", ", |printer, it: &MemberDeclarator| {
            match &it.declarator {
                Some(declared) => printer.declarator(declared, base),
                None => printer.put("_"),
            }
            if let Some(bits) = &it.bits {
                printer.put(" : ");
                printer.expr(bits);
            }
            printer.attributes(&it.attributes);
        });
    }

    fn enumeration(&mut self, it: &EnumSpecifier) {
        self.put("enum");
        if let Some(tag) = &it.tag {
            self.put(&format!(" {}", tag.name));
        }
        if let Some(all) = &it.enumerators {
            self.put(" {");
            self.list(all, " ", |printer, it: &Enumerator| {
                printer.put(&it.name.name);
                if let Some(value) = &it.value {
                    printer.put("=");
                    printer.expr(value);
                }
            });
            self.put("}");
        }
        self.attributes(&it.attributes);
    }

    pub(super) fn type_name(&mut self, it: &TypeName) {
        self.derived(&it.derived);
        self.specifiers(&it.specifiers);
    }
}
