//! The classes of a program: which there are, how they inherit, and what names in them mean.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use selvedge_java_classes::{Class, ClassPath, Field, FieldRef, JavaType, Method, MethodRef};

pub const OBJECT: &str = "java/lang/Object";
pub const STRING: &str = "java/lang/String";
pub const THROWABLE: &str = "java/lang/Throwable";
/// In models: a thread of Plato's, or none.
pub const TID: &str = "selvedge/Tid";
/// In models: what Plato has and Java has not.
pub const INTRINSICS: &str = "selvedge/Intrinsics";

pub struct World {
    path: ClassPath,
    /// Classes that could not be read, with what was wrong.
    pub problems: RefCell<BTreeSet<String>>,
    resolved: RefCell<HashMap<MethodRef, Option<Found>>>,
}

/// A method, by the class that has it.
#[derive(Clone)]
pub struct Found {
    pub class: Rc<Class>,
    pub index: usize,
}

impl Found {
    pub fn method(&self) -> &Method {
        &self.class.methods[self.index]
    }

    pub fn reference(&self) -> MethodRef {
        let method = self.method();
        MethodRef {
            class: self.class.name.clone(),
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
        }
    }
}

impl World {
    pub fn new(path: ClassPath) -> World {
        World { path, problems: RefCell::default(), resolved: RefCell::default() }
    }

    pub fn add(&self, class: Class) {
        self.path.add(class);
    }

    pub fn class(&self, name: &str) -> Option<Rc<Class>> {
        self.path.find(name).unwrap_or_else(|problem| {
            self.problems.borrow_mut().insert(problem.to_string());
            None
        })
    }

    /// The class and those above it, the nearest first.
    pub fn chain(&self, name: &str) -> Vec<Rc<Class>> {
        let mut chain: Vec<Rc<Class>> = Vec::new();
        let mut next = Some(name.to_owned());
        while let Some(class) = next.and_then(|name| self.class(&name)) {
            // Class files that are no compiler's may go in circles.
            if chain.iter().any(|known| known.name == class.name) {
                break;
            }
            next = class.super_class.clone();
            chain.push(class);
        }
        chain
    }

    /// All interfaces of a class, those of classes above included.
    pub fn interfaces(&self, name: &str) -> Vec<Rc<Class>> {
        let mut found: Vec<Rc<Class>> = Vec::new();
        let chain = self.chain(name);
        let mut open: Vec<String> = chain.iter().flat_map(|c| c.interfaces.clone()).collect();
        open.reverse();
        while let Some(name) = open.pop() {
            let Some(class) = self.class(&name) else { continue };
            if found.iter().any(|known| known.name == class.name) {
                continue;
            }
            open.extend(class.interfaces.iter().rev().cloned());
            found.push(class);
        }
        found
    }

    /// Whether objects of one class can be taken for those of another. Names of arrays are their
    /// descriptors.
    pub fn is_subclass(&self, name: &str, of: &str) -> bool {
        if name == of || of == OBJECT {
            return true;
        }
        if let Some(element) = name.strip_prefix('[') {
            if matches!(of, "java/lang/Cloneable" | "java/io/Serializable") {
                return true;
            }
            let classes = (JavaType::of(element), of.strip_prefix('[').map(JavaType::of));
            return match classes {
                (JavaType::Ref(element), Some(JavaType::Ref(of))) => {
                    self.is_subclass(&element, &of)
                }
                _ => false,
            };
        }
        self.chain(name).iter().any(|class| class.name == of)
            || self.interfaces(name).iter().any(|class| class.name == of)
    }

    /// What a class has for a method's name and descriptor: its own, an inherited one, or the
    /// default of an interface.
    pub fn resolve(&self, class: &str, name: &str, descriptor: &str) -> Option<Found> {
        let class = if class.starts_with('[') { OBJECT } else { class };
        let key = MethodRef {
            class: class.to_owned(),
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
        };
        if let Some(known) = self.resolved.borrow().get(&key) {
            return known.clone();
        }
        let in_class = |class: Rc<Class>| {
            let index = class.method(name, descriptor)?.0;
            Some(Found { class, index })
        };
        let inherited = self.chain(class).into_iter().find_map(in_class);
        let found = inherited.or_else(|| {
            let mut candidates: Vec<Found> =
                self.interfaces(class).into_iter().filter_map(in_class).collect();
            // The most specific one that has a body.
            let all = candidates.clone();
            candidates.retain(|one| {
                !one.method().is_abstract
                    && !all.iter().any(|other| {
                        other.class.name != one.class.name
                            && self.is_subclass(&other.class.name, &one.class.name)
                    })
            });
            candidates.into_iter().next().or_else(|| all.into_iter().next())
        });
        // A class that a call is resolved in for the first time does not change any more.
        self.resolved.borrow_mut().insert(key, found.clone());
        found
    }

    /// The class that declares a field, and the field.
    pub fn field(&self, field: &FieldRef) -> Option<(Rc<Class>, Field)> {
        let chain = self.chain(&field.class).into_iter();
        let mut all = chain.chain(self.interfaces(&field.class));
        all.find_map(|class| {
            let found = class.field(&field.name, &field.ty)?.clone();
            Some((class, found))
        })
    }
}

/// As sources write the name: `java.lang.Thread`, `Main.Worker`.
pub fn shown(name: &str) -> String {
    name.replace(['/', '$'], ".")
}
