//! Monitors: which a thread may hold where, and so which methods must expect to enter one that their
//! thread holds already. Where that cannot be, a monitor is a plain lock.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_java_classes::{CallKind, Code, Insn, Kind, MethodRef};

use crate::reach::Reach;
use crate::world::{Found, OBJECT, World};

/// The classes of objects whose monitors are held at an instruction, the outermost first. `class X`
/// stands for the class itself as an object.
pub type Held = Vec<String>;

pub struct Monitors {
    /// What the callers of a method may hold, by class.
    entry: BTreeMap<MethodRef, BTreeSet<String>>,
    reentrant: BTreeSet<MethodRef>,
}

/// The class that is the monitor of a synchronized method.
pub fn own(found: &Found) -> Option<String> {
    let method = found.method();
    method.is_synchronized.then(|| match method.is_static {
        true => class_object(&found.class.name),
        false => found.class.name.clone(),
    })
}

fn class_object(class: &str) -> String {
    format!("class {class}")
}

/// What is held at each instruction; none where it is not reached, or where blocks are not nested as
/// compilers nest them.
pub fn held(found: &Found, code: &Code) -> Option<Vec<Option<Held>>> {
    let mut states: Vec<Option<Held>> = vec![None; code.insns.len()];
    let start: Held = own(found).into_iter().collect();
    let mut open = vec![(0, start)];
    while let Some((at, state)) = open.pop() {
        match states.get(at)? {
            Some(known) if *known == state => continue,
            Some(_) => return None,
            None => states[at] = Some(state.clone()),
        }
        let insn = &code.insns[at];
        // To leave a monitor does not fail where blocks are nested.
        if !matches!(insn, Insn::MonitorExit) {
            for handler in code.handlers.iter().filter(|h| h.start <= at && at < h.end) {
                open.push((handler.target, state.clone()));
                // Nothing gets past a handler of everything.
                if handler.class.is_none() {
                    break;
                }
            }
        }
        let mut after = state;
        match insn {
            Insn::MonitorEnter => after.push(entered(found, code, at)),
            Insn::MonitorExit => {
                after.pop()?;
            }
            _ => {}
        }
        open.extend(insn.targets().into_iter().map(|to| (to, after.clone())));
        if insn.falls_through() {
            open.push((at + 1, after));
        }
    }
    Some(states)
}

/// The class of the object whose monitor is entered, by the instruction that gives the object.
fn entered(found: &Found, code: &Code, at: usize) -> String {
    let store = at.checked_sub(1).map(|before| &code.insns[before]);
    let giver = match store {
        Some(Insn::Store(Kind::Ref, _)) => at.checked_sub(3),
        _ => at.checked_sub(1),
    };
    let class = giver.and_then(|giver| match &code.insns[giver] {
        Insn::GetField(field) | Insn::GetStatic(field) => field.ty.class().map(str::to_owned),
        Insn::ClassConstant(class) => Some(class_object(class)),
        Insn::Load(Kind::Ref, 0) if !found.method().is_static && !stores(code, 0) => {
            Some(found.class.name.clone())
        }
        Insn::Load(Kind::Ref, slot) => code.variable(*slot, giver)?.ty.class().map(str::to_owned),
        Insn::Call(_, call) => call.signature().result?.class().map(str::to_owned),
        _ => None,
    });
    class.unwrap_or_else(|| OBJECT.to_owned())
}

pub fn stores(code: &Code, slot: u16) -> bool {
    code.insns.iter().any(|insn| matches!(insn, Insn::Store(_, to) if *to == slot))
}

impl Monitors {
    pub fn of(world: &World, reach: &Reach) -> Monitors {
        let mut monitors = Monitors { entry: BTreeMap::new(), reentrant: BTreeSet::new() };
        let mut open: Vec<Found> = reach.methods.clone();
        while let Some(found) = open.pop() {
            for (callee, classes) in monitors.calls(world, reach, &found) {
                let known = monitors.entry.entry(callee.reference()).or_default();
                let before = known.len();
                known.extend(classes);
                if known.len() > before {
                    open.push(callee);
                }
            }
        }
        for found in &reach.methods {
            if monitors.meets_itself(world, found) {
                monitors.reentrant.insert(found.reference());
            }
        }
        monitors
    }

    /// Whether a method may enter a monitor that its thread holds.
    pub fn reentrant(&self, method: &MethodRef) -> bool {
        self.reentrant.contains(method)
    }

    /// The methods that a method calls, with all that may be held then.
    fn calls(&self, world: &World, reach: &Reach, found: &Found) -> Vec<(Found, BTreeSet<String>)> {
        let Some(code) = &found.method().code else { return Vec::new() };
        let states = held(found, code);
        let from_callers = self.entry.get(&found.reference()).cloned().unwrap_or_default();
        let mut calls = Vec::new();
        for (at, insn) in code.insns.iter().enumerate() {
            let mut classes = from_callers.clone();
            match states.as_ref().map(|states| &states[at]) {
                Some(Some(here)) => classes.extend(here.iter().cloned()),
                Some(None) => continue,
                None => classes.extend([OBJECT.to_owned()]),
            }
            if classes.is_empty() {
                continue;
            }
            calls.extend(callees(world, reach, insn).into_iter().map(|to| (to, classes.clone())));
        }
        calls
    }

    fn meets_itself(&self, world: &World, found: &Found) -> bool {
        let outer = self.entry.get(&found.reference()).cloned().unwrap_or_default();
        let meets = |held: &BTreeSet<String>, class: &str| {
            held.iter().any(|one| may_be_one_object(world, one, class))
        };
        if own(found).is_some_and(|class| meets(&outer, &class)) {
            return true;
        }
        let Some(code) = &found.method().code else { return false };
        let Some(states) = held(found, code) else { return true };
        let sites = code.insns.iter().enumerate();
        let mut sites = sites.filter(|(_, insn)| matches!(insn, Insn::MonitorEnter));
        sites.any(|(at, _)| {
            let inner = states[at].iter().flatten().cloned();
            let all: BTreeSet<String> = outer.iter().cloned().chain(inner).collect();
            meets(&all, &entered(found, code, at))
        })
    }
}

fn callees(world: &World, reach: &Reach, insn: &Insn) -> Vec<Found> {
    let class_starts = |class: &str| {
        let chain = world.chain(class).into_iter();
        let starts = chain.filter_map(|class| {
            let index = class.method("<clinit>", "()V")?.0;
            Some(Found { class, index })
        });
        starts.collect::<Vec<Found>>()
    };
    match insn {
        Insn::Call(CallKind::Virtual, call) => {
            reach.targets(call).iter().map(|(_, found)| found.clone()).collect()
        }
        Insn::Call(_, call) => {
            let found = world.resolve(&call.class, &call.name, &call.descriptor);
            found.into_iter().chain(class_starts(&call.class)).collect()
        }
        Insn::New(class) => class_starts(class),
        Insn::GetStatic(field) | Insn::PutStatic(field) => class_starts(&field.class),
        _ => Vec::new(),
    }
}

/// Whether objects that are known by these classes may be the same.
fn may_be_one_object(world: &World, a: &str, b: &str) -> bool {
    let is_class = |name: &str| name.starts_with("class ");
    if is_class(a) || is_class(b) {
        let may_hold_classes = |name: &str| [OBJECT, "java/lang/Class"].contains(&name);
        return a == b || may_hold_classes(a) || may_hold_classes(b);
    }
    let is_interface = |name: &str| world.class(name).is_none_or(|class| class.is_interface);
    is_interface(a) || is_interface(b) || world.is_subclass(a, b) || world.is_subclass(b, a)
}
