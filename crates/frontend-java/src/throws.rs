//! Exceptions: which of them some handler of the program can catch, and which methods may end by one.

use std::collections::BTreeSet;

use selvedge_ir::Property;
use selvedge_java_classes::{CallKind, Code, Handler, Insn, Kind, MethodRef};

use crate::options::Options;
use crate::reach::{Reach, implicit};
use crate::world::{Found, OBJECT, THROWABLE, World};

pub const ASSERTION_ERROR: &str = "java/lang/AssertionError";

/// What is known of exceptions in a program.
pub struct Throws {
    /// What handlers name that do more than to throw the same again; none of these catches all.
    caught: BTreeSet<String>,
    /// Methods that may end by an exception.
    methods: BTreeSet<MethodRef>,
    asked: Vec<Property>,
}

/// Whether a handler does nothing with an exception but what `finally` says, and throws it again.
pub fn rethrows(code: &Code, handler: &Handler) -> bool {
    let Some(Insn::Store(Kind::Ref, slot)) = code.insns.get(handler.target) else { return false };
    let mut seen = BTreeSet::new();
    let mut open = vec![handler.target + 1];
    while let Some(at) = open.pop() {
        if !seen.insert(at) {
            continue;
        }
        let Some(insn) = code.insns.get(at) else { return false };
        match insn {
            Insn::Return(_) => return false,
            Insn::Store(Kind::Ref, again) if again == slot => return false,
            Insn::Throw => {
                let before = at.checked_sub(1).and_then(|before| code.insns.get(before));
                if !matches!(before, Some(Insn::Load(Kind::Ref, same)) if same == slot) {
                    return false;
                }
            }
            _ => {}
        }
        open.extend(insn.targets());
        if insn.falls_through() {
            open.push(at + 1);
        }
    }
    true
}

/// The class of what a `throw` throws, where that is made just before.
pub fn thrown(code: &Code, at: usize) -> Option<&str> {
    let jumps = code.insns.iter().any(|insn| insn.targets().contains(&at));
    if jumps {
        return None;
    }
    match code.insns.get(at.checked_sub(1)?)? {
        Insn::Call(CallKind::Special, call) if call.name == "<init>" => Some(&call.class),
        _ => None,
    }
}

impl Throws {
    pub fn of(world: &World, reach: &Reach, options: &Options) -> Throws {
        let mut caught = BTreeSet::new();
        for code in reach.methods.iter().filter_map(|found| found.method().code.as_ref()) {
            for handler in code.handlers.iter().filter(|handler| !rethrows(code, handler)) {
                let class = handler.class.as_deref().unwrap_or(THROWABLE);
                // A handler that covers itself is the compiler's way to leave a monitor.
                caught.insert(class.to_owned());
            }
        }
        let asked = options.properties.clone();
        let mut throws = Throws { caught, methods: BTreeSet::new(), asked };
        loop {
            let more: Vec<MethodRef> = (reach.methods.iter())
                .filter(|found| !throws.methods.contains(&found.reference()))
                .filter(|found| throws.escapes(world, reach, found))
                .map(Found::reference)
                .collect();
            if more.is_empty() {
                return throws;
            }
            throws.methods.extend(more);
        }
    }

    /// Whether a method may end by an exception.
    pub fn may(&self, method: &MethodRef) -> bool {
        self.methods.contains(method)
    }

    /// The property that an exception of exactly this class violates where it is thrown, because
    /// nothing in the program catches it and somebody asks.
    pub fn violated(&self, world: &World, class: &str) -> Option<Property> {
        let property = property_of(world, class);
        let is_caught = self.caught.iter().any(|caught| world.is_subclass(class, caught));
        (self.asked.contains(&property) && !is_caught).then_some(property)
    }

    fn escapes(&self, world: &World, reach: &Reach, found: &Found) -> bool {
        let method = found.method();
        let Some(code) = &method.code else { return false };
        let rethrown = rethrown(code);
        (0..code.insns.len()).any(|at| self.leaves(world, reach, code, at, &rethrown))
    }

    fn leaves(
        &self,
        world: &World,
        reach: &Reach,
        code: &Code,
        at: usize,
        rethrown: &BTreeSet<usize>,
    ) -> bool {
        let insn = &code.insns[at];
        let live = |class: &str| self.violated(world, class).is_none();
        let own = implicit(insn).iter().any(|class| {
            // Nobody throws null.
            !matches!(insn, Insn::Throw) && live(class) && !covers(world, code, at, class)
        });
        let called = match insn {
            Insn::Throw if rethrown.contains(&at) => false,
            Insn::Throw => match thrown(code, at) {
                Some(class) => live(class) && !covers(world, code, at, class),
                None => !covers(world, code, at, THROWABLE),
            },
            Insn::Call(kind, call) => {
                self.call_may(world, reach, *kind, call) && !covers(world, code, at, THROWABLE)
            }
            _ => false,
        };
        own || called
    }

    pub fn call_may(&self, world: &World, reach: &Reach, kind: CallKind, call: &MethodRef) -> bool {
        match kind {
            CallKind::Virtual => {
                reach.targets(call).iter().any(|(_, found)| self.may(&found.reference()))
            }
            _ => world
                .resolve(&call.class, &call.name, &call.descriptor)
                .is_some_and(|found| self.may(&found.reference())),
        }
    }
}

/// The property that an exception belongs to.
pub fn property_of(world: &World, class: &str) -> Property {
    match world.is_subclass(class, ASSERTION_ERROR) {
        true => Property::Assert,
        false => Property::Exception,
    }
}

/// The places at which handlers throw again what they have caught: it has been counted already.
fn rethrown(code: &Code) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for handler in code.handlers.iter().filter(|handler| rethrows(code, handler)) {
        let mut seen = BTreeSet::new();
        let mut open = vec![handler.target];
        while let Some(at) = open.pop() {
            if at >= code.insns.len() || !seen.insert(at) {
                continue;
            }
            let insn = &code.insns[at];
            if matches!(insn, Insn::Throw) {
                found.insert(at);
            }
            open.extend(insn.targets());
            if insn.falls_through() {
                open.push(at + 1);
            }
        }
    }
    found
}

/// Whether a handler catches all exceptions of a class that come from a place.
fn covers(world: &World, code: &Code, at: usize, class: &str) -> bool {
    let handlers = code.handlers.iter().filter(|h| h.start <= at && at < h.end);
    let mut catching = handlers.filter(|handler| !rethrows(code, handler));
    catching.any(|handler| {
        let caught = handler.class.as_deref().unwrap_or(OBJECT);
        world.is_subclass(class, caught)
    })
}
