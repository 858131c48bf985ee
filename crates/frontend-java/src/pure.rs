//! Which classes may be initialised when the program begins, since nobody can tell when they are.
//!
//! Such an initialiser only makes objects, and writes them and constants to its own fields. What it
//! reads of other classes is final, and these are such classes themselves and come before it. Classes
//! that need each other are initialised when they are used, as all others.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_java_classes::{
    Arith, CallKind, Class, Code, Dynamic, FieldRef, Insn, JavaType, Kind, Literal, MethodRef,
    StackOp,
};

use crate::reach::CLINIT;
use crate::world::{Found, World};

/// Which of the classes are initialised when.
pub struct Divided {
    /// Where they are first used.
    pub lazy: BTreeSet<String>,
    /// The others that have an initialiser, each behind those that it needs.
    pub at_start: Vec<String>,
}

/// By class, those with an initialiser that must be initialised before it.
type Needs = BTreeMap<String, BTreeSet<String>>;

pub fn divide(world: &World, classes: &BTreeSet<String>) -> Divided {
    let mut pure: Needs = BTreeMap::new();
    for class in classes.iter().filter_map(|name| world.class(name)) {
        if !initializes_interface(world, &class)
            && let Some(needs) = needs(world, &class)
        {
            pure.insert(class.name.clone(), needs);
        }
    }
    loop {
        let spoilt = |(name, needs): &(&String, &BTreeSet<String>)| {
            !needs.iter().all(|one| pure.contains_key(one)) || needs_itself(&pure, name)
        };
        let spoilt: Vec<String> =
            pure.iter().filter(spoilt).map(|(name, _)| name.clone()).collect();
        if spoilt.is_empty() {
            break;
        }
        spoilt.iter().for_each(|name| drop(pure.remove(name)));
    }
    let mut at_start = Vec::new();
    let with_initializer = |name: &&String| world.class(name).is_some_and(|class| has_one(&class));
    for name in pure.keys().filter(with_initializer) {
        place(&pure, name, &mut at_start);
    }
    let lazy = classes.iter().filter(|name| !pure.contains_key(*name)).cloned().collect();
    Divided { lazy, at_start }
}

/// Whether a class comes with an interface that is initialised before it, as one with default methods
/// is, and somebody could tell.
pub fn initializes_interface(world: &World, class: &Class) -> bool {
    let has_default = |interface: &Class| {
        interface.methods.iter().any(|method| !method.is_static && !method.is_abstract)
    };
    let alone = |interface: &Class| needs(world, interface).is_some_and(|needs| needs.is_empty());
    let mut interfaces = world.interfaces(&class.name).into_iter();
    !class.is_interface && interfaces.any(|one| has_default(&one) && !alone(&one))
}

fn needs_itself(pure: &Needs, name: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&String> = pure[name].iter().collect();
    while let Some(next) = open.pop() {
        if next == name {
            return true;
        }
        if seen.insert(next) {
            open.extend(pure.get(next).into_iter().flatten());
        }
    }
    false
}

/// Behind those that it needs; there are no circles.
fn place(pure: &Needs, name: &str, order: &mut Vec<String>) {
    if order.iter().any(|known| known == name) {
        return;
    }
    pure[name].iter().for_each(|one| place(pure, one, order));
    order.push(name.to_owned());
}

fn has_one(class: &Class) -> bool {
    class.method(CLINIT.0, CLINIT.1).is_some()
}

/// Which classes the initialiser needs, if nobody can tell when it runs.
fn needs(world: &World, class: &Class) -> Option<BTreeSet<String>> {
    let Some((index, _)) = class.method(CLINIT.0, CLINIT.1) else { return Some(BTreeSet::new()) };
    let class = world.class(&class.name)?;
    let above = class.super_class.clone();
    let initializer = Found { class: class.clone(), index };
    let mut look = Look { world, root: &class.name, needs: BTreeSet::new(), seen: BTreeSet::new() };
    above.iter().for_each(|above| look.need(above));
    look.is_harmless(&initializer).then_some(look.needs)
}

/// A look at all that an initialiser does.
struct Look<'a> {
    world: &'a World,
    /// The class that is initialised.
    root: &'a str,
    needs: BTreeSet<String>,
    seen: BTreeSet<MethodRef>,
}

impl Look<'_> {
    /// Makes use of a class.
    fn need(&mut self, class: &str) {
        let chain = self.world.chain(class).into_iter();
        let others = chain.filter(|class| class.name != self.root && has_one(class));
        self.needs.extend(others.map(|class| class.name.clone()));
    }

    fn is_harmless(&mut self, found: &Found) -> bool {
        if !self.seen.insert(found.reference()) {
            return true;
        }
        let method = found.method();
        let Some(code) = &method.code else { return false };
        if method.is_synchronized || !code.handlers.is_empty() || goes_back(code) {
            return false;
        }
        self.need(&found.class.name);
        code.insns.iter().enumerate().all(|(at, insn)| self.may_do(found, code, at, insn))
    }

    fn may_do(&mut self, found: &Found, code: &Code, at: usize, insn: &Insn) -> bool {
        let before = at.checked_sub(1).and_then(|before| code.insns.get(before));
        let constructor = found.method().name == "<init>";
        match insn {
            Insn::PutStatic(field) => self.is_own(field),
            Insn::GetStatic(field) if field.name == "$assertionsDisabled" => true,
            Insn::GetStatic(field) => self.is_own(field) || self.is_final(field),
            Insn::PutField(field) => {
                lambda_maker(found) || constructor && !self.may_be_older(found, code, field)
            }
            Insn::GetField(_) => constructor && matches!(before, Some(Insn::Load(Kind::Ref, 0))),
            Insn::Call(_, call) if call.name == "desiredAssertionStatus" => true,
            Insn::Call(CallKind::Special, call) if call.name == "<init>" => self.calls(call),
            Insn::Call(CallKind::Static, call) if call.class == found.class.name => {
                self.calls(call)
            }
            Insn::New(class) => {
                self.need(class);
                true
            }
            Insn::NewArray(_) => matches!(before, Some(Insn::Constant(_))),
            Insn::ArrayStore(_) => fills_a_new_array(code, at),
            Insn::Dynamic(Dynamic::Lambda(_)) => true,
            Insn::Call(..)
            | Insn::Dynamic(_)
            | Insn::NewArrays(..)
            | Insn::ArrayLoad(_)
            | Insn::ArrayLength
            | Insn::Throw
            | Insn::CheckCast(_)
            | Insn::MonitorEnter
            | Insn::MonitorExit
            | Insn::Arith(_, Arith::Div | Arith::Rem)
            | Insn::Other(_) => false,
            _ => true,
        }
    }

    fn calls(&mut self, call: &MethodRef) -> bool {
        let callee = self.world.resolve(&call.class, &call.name, &call.descriptor);
        callee.is_some_and(|callee| self.is_harmless(&callee))
    }

    /// A field of the class that is initialised: nobody else gets at it before that is done.
    fn is_own(&self, field: &FieldRef) -> bool {
        self.world.field(field).is_some_and(|(class, _)| class.name == self.root)
    }

    /// A field that keeps its value once its class is initialised.
    fn is_final(&mut self, field: &FieldRef) -> bool {
        let Some((class, found)) = self.world.field(field) else { return false };
        self.need(&class.name);
        found.is_final
    }

    /// Whether a constructor may write this field of an object that was there before: one that it
    /// finds somewhere and that is of a class that has the field.
    fn may_be_older(&self, found: &Found, code: &Code, field: &FieldRef) -> bool {
        let related = |ty: &JavaType| match ty {
            JavaType::Ref(name) => {
                self.world.is_subclass(name, &field.class)
                    || self.world.is_subclass(&field.class, name)
            }
            _ => false,
        };
        let given = found.method().signature.parameters.iter().any(related);
        given
            || code.insns.iter().any(|insn| match insn {
                Insn::GetStatic(from) | Insn::GetField(from) => {
                    writes_through(&from.ty) && related(&from.ty)
                }
                Insn::Call(CallKind::Static, call) => {
                    call.signature().result.as_ref().is_some_and(related)
                }
                _ => false,
            })
    }
}

/// Whether values of a type can be what a field belongs to.
fn writes_through(ty: &JavaType) -> bool {
    matches!(ty, JavaType::Ref(name) if !name.starts_with('['))
}

fn lambda_maker(found: &Found) -> bool {
    found.method().name == crate::lambda::MAKE && found.class.is_lambda()
}

/// A loop may not end.
fn goes_back(code: &Code) -> bool {
    code.insns.iter().enumerate().any(|(at, insn)| insn.targets().iter().any(|to| *to <= at))
}

/// Whether compilers write this store: to an index below the constant length of an array that was
/// made in the same expression.
fn fills_a_new_array(code: &Code, at: usize) -> bool {
    let constant = |insn: &Insn| match insn {
        Insn::Constant(Literal::Int(value)) => Some(*value),
        _ => None,
    };
    let made = (0..at).rev().find(|before| matches!(code.insns[*before], Insn::NewArray(_)));
    let Some(made) = made.filter(|made| *made > 0) else { return false };
    let Some(length) = constant(&code.insns[made - 1]) else { return false };
    // `dup`, the index, and what gives the value; the array itself stays on the stack meanwhile.
    let of_array = |at: usize| matches!(code.insns[at], Insn::NewArray(_) | Insn::ArrayStore(_));
    let is_dup = |at: &usize| matches!(code.insns[*at], Insn::Stack(StackOp::Dup));
    let dup = (made + 1..at).rev().find(|before| is_dup(before) && of_array(before - 1));
    let Some(dup) = dup.filter(|dup| !(dup + 1..at).any(of_array)) else { return false };
    constant(&code.insns[dup + 1]).is_some_and(|index| (0..length).contains(&index))
}
