//! What a program can run: methods, classes with objects, fields that are used. Calls are resolved by
//! the classes of which objects may exist (rapid type analysis: Bacon, Sweeney, "Fast static analysis
//! of C++ virtual function calls"), so that of a large class path only what is reached is lowered.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use selvedge_ir::Property;
use selvedge_java_classes::{
    CallKind, Code, Compare, Dynamic, FieldRef, Insn, JavaType, Kind, Lambda, Literal, MethodRef,
};

use crate::known::{begin, monitor_field, site_field, to_string};
use crate::lambda::{class_for, maker};
use crate::world::{Found, INTRINSICS, STRING, THROWABLE, World};

/// What instructions throw by themselves.
pub const NULL_POINTER: &str = "java/lang/NullPointerException";
pub const BOUNDS: &str = "java/lang/ArrayIndexOutOfBoundsException";
pub const ARITHMETIC: &str = "java/lang/ArithmeticException";
pub const NEGATIVE_SIZE: &str = "java/lang/NegativeArraySizeException";
pub const ARRAY_STORE: &str = "java/lang/ArrayStoreException";
pub const CLASS_CAST: &str = "java/lang/ClassCastException";

/// The class of what a `main` is given.
pub const ARGUMENTS: &str = "[Ljava/lang/String;";
pub const CLINIT: (&str, &str) = ("<clinit>", "()V");

#[derive(Default)]
pub struct Reach {
    /// In the order in which they were reached.
    pub methods: Vec<Found>,
    known: BTreeSet<MethodRef>,
    /// Classes and arrays of which there may be objects.
    pub objects: BTreeSet<String>,
    /// Classes that a program makes use of in a way that initialises them.
    pub initialized: BTreeSet<String>,
    /// By the class that declares them.
    pub fields: BTreeSet<FieldRef>,
    /// What virtual calls name.
    virtuals: BTreeSet<MethodRef>,
    pub lambdas: BTreeMap<Lambda, Option<MethodRef>>,
    pub strings: BTreeSet<String>,
    /// What objects of a class have for a method.
    targets: HashMap<MethodRef, Vec<(String, Found)>>,
    open: Vec<usize>,
    put_off: Vec<PutOff>,
    properties: Vec<Property>,
    /// Whether `main` looks at what it is given.
    pub reads_arguments: bool,
}

/// What a model asks about the program and the question.
#[derive(Clone, Debug)]
pub enum Condition {
    Checks(Property),
    /// The class, and methods of which one must be reached, separated by `|`.
    Uses(String, String),
}

/// Instructions that count only where a condition holds.
struct PutOff {
    condition: Condition,
    code: Code,
    from: usize,
    to: usize,
}

/// The condition that an instruction asks for, by name and constant arguments.
pub fn condition(name: &str, arguments: &[&str]) -> Option<Condition> {
    match (name, arguments) {
        ("checks", [property]) => Property::from_name(property).map(Condition::Checks),
        ("uses", [class, methods]) => {
            Some(Condition::Uses((*class).to_owned(), (*methods).to_owned()))
        }
        _ => None,
    }
}

/// Where an instruction asks and the next one jumps if the answer is no: what is asked, and the end
/// of what depends on it.
fn guard(code: &Code, at: usize) -> Option<(Condition, usize)> {
    let Insn::Call(CallKind::Static, call) = &code.insns[at] else { return None };
    let Some(Insn::If(Compare::Eq, end)) = code.insns.get(at + 1) else { return None };
    if call.class != INTRINSICS {
        return None;
    }
    let taken = call.signature().parameters.len();
    let arguments = code.insns[at.checked_sub(taken)?..at].iter().map(|insn| match insn {
        Insn::Constant(Literal::String(text)) => Some(text.as_str()),
        _ => None,
    });
    let arguments: Option<Vec<&str>> = arguments.collect();
    Some((condition(&call.name, &arguments?)?, *end))
}

/// Everything that can be reached from a `main`.
pub fn reach(world: &World, main: &MethodRef, properties: &[Property]) -> Reach {
    let mut reach = Reach { properties: properties.to_vec(), ..Reach::default() };
    reach.call(world, CallKind::Static, main);
    reach.reads_arguments = (reach.methods.first().and_then(|found| found.method().code.as_ref()))
        .is_some_and(|code| code.insns.iter().any(|insn| matches!(insn, Insn::Load(Kind::Ref, 0))));
    if reach.reads_arguments {
        reach.instantiate(world, ARGUMENTS);
    }
    loop {
        while let Some(next) = reach.open.pop() {
            let found = reach.methods[next].clone();
            if let Some(code) = &found.method().code {
                reach.body(world, code, 0, code.insns.len());
            }
        }
        if !reach.take_up(world) {
            break;
        }
    }
    reach.resolve(world);
    reach
}

impl Reach {
    pub fn is_reached(&self, class: &str, name: &str) -> bool {
        self.known.iter().any(|method| method.class == class && method.name == name)
    }

    /// The methods that a virtual call may run, each with the classes of objects for which it does.
    pub fn targets(&self, call: &MethodRef) -> &[(String, Found)] {
        self.targets.get(call).map_or(&[], Vec::as_slice)
    }

    /// Classes with objects that can stand where this class is named.
    pub fn below(&self, world: &World, class: &str) -> Vec<String> {
        self.objects.iter().filter(|one| world.is_subclass(one, class)).cloned().collect()
    }

    fn resolve(&mut self, world: &World) {
        for call in self.virtuals.clone() {
            let targets = self.below(world, &call.class).into_iter().filter_map(|class| {
                let found = world.resolve(&class, &call.name, &call.descriptor)?;
                Some((class, found))
            });
            let targets = targets.collect();
            self.targets.insert(call, targets);
        }
    }

    fn add(&mut self, world: &World, found: Found) {
        if !self.known.insert(found.reference()) {
            return;
        }
        self.open.push(self.methods.len());
        self.methods.push(found.clone());
        if found.method().is_static {
            self.initialize(world, &found.class.name);
        }
        if found.method().is_synchronized {
            self.fields.insert(monitor_field());
        }
    }

    fn initialize(&mut self, world: &World, class: &str) {
        for class in world.chain(class) {
            if !self.initialized.insert(class.name.clone()) {
                return;
            }
            if let Some((index, _)) = class.method(CLINIT.0, CLINIT.1) {
                self.add(world, Found { class, index });
            }
        }
    }

    /// There may be objects of this class.
    pub fn instantiate(&mut self, world: &World, class: &str) {
        if !self.objects.insert(class.to_owned()) {
            return;
        }
        if !class.starts_with('[') {
            self.initialize(world, class);
        }
        if world.is_subclass(class, THROWABLE) {
            self.fields.insert(site_field());
        }
        let calls: Vec<MethodRef> = self.virtuals.iter().cloned().collect();
        for call in calls {
            self.dispatch(world, class, &call);
        }
    }

    fn dispatch(&mut self, world: &World, class: &str, call: &MethodRef) {
        if world.is_subclass(class, &call.class)
            && let Some(found) = world.resolve(class, &call.name, &call.descriptor)
        {
            self.add(world, found);
        }
    }

    fn call(&mut self, world: &World, kind: CallKind, call: &MethodRef) {
        if call.class == INTRINSICS {
            match call.name.as_str() {
                "spawn" => self.call(world, CallKind::Special, &begin()),
                "lock" | "unlock" | "holds" => {
                    self.fields.insert(monitor_field());
                }
                _ => {}
            }
            return;
        }
        match kind {
            CallKind::Virtual => {
                if self.virtuals.insert(call.clone()) {
                    let objects: Vec<String> = self.objects.iter().cloned().collect();
                    objects.iter().for_each(|class| self.dispatch(world, class, call));
                }
            }
            CallKind::Static | CallKind::Special => {
                if let Some(found) = world.resolve(&call.class, &call.name, &call.descriptor) {
                    self.add(world, found);
                }
            }
        }
    }

    /// What a model does only in programs that use something else is put off until they do.
    fn body(&mut self, world: &World, code: &Code, from: usize, to: usize) {
        let mut at = from;
        while at < to {
            let insn = &code.insns[at];
            self.insn(world, insn);
            for class in implicit(insn) {
                self.instantiate(world, class);
            }
            at += 1;
            if let Some((condition, end)) = guard(code, at - 1)
                && !self.holds(&condition)
                && at < end
                && end <= to
            {
                let body = PutOff { condition, code: code.clone(), from: at, to: end };
                self.put_off.push(body);
                at = end;
            }
        }
    }

    /// Whether a condition of a model holds, as far as is known by now.
    pub fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Checks(property) => self.properties.contains(property),
            Condition::Uses(class, methods) => {
                methods.split('|').any(|method| self.is_reached(class, method))
            }
        }
    }

    /// Takes up what was put off and no longer is; whether there was anything.
    fn take_up(&mut self, world: &World) -> bool {
        let all = std::mem::take(&mut self.put_off);
        let (now, later) = all.into_iter().partition(|body| self.holds(&body.condition));
        let now: Vec<PutOff> = now;
        self.put_off = later;
        for body in &now {
            self.body(world, &body.code, body.from, body.to);
        }
        !now.is_empty()
    }

    fn insn(&mut self, world: &World, insn: &Insn) {
        match insn {
            Insn::New(class) => self.instantiate(world, class),
            Insn::NewArray(JavaType::Ref(class)) => self.instantiate(world, class),
            Insn::NewArrays(JavaType::Ref(class), dimensions) => {
                for outer in 0..usize::from(*dimensions) {
                    self.instantiate(world, &class[outer..]);
                }
            }
            Insn::Constant(Literal::String(text)) => {
                self.strings.insert(text.clone());
                self.instantiate(world, STRING);
            }
            Insn::Call(kind, call) => self.call(world, *kind, call),
            Insn::GetField(field) | Insn::PutField(field) => self.field(world, field, false),
            Insn::GetStatic(field) | Insn::PutStatic(field) => self.field(world, field, true),
            Insn::Dynamic(Dynamic::Lambda(lambda)) => self.lambda(world, lambda),
            Insn::Dynamic(Dynamic::Concat(operands)) => {
                self.instantiate(world, STRING);
                let calls: Vec<MethodRef> = operands.iter().filter_map(to_string).collect();
                calls.iter().for_each(|call| self.call(world, CallKind::Virtual, call));
            }
            Insn::MonitorEnter => {
                self.fields.insert(monitor_field());
            }
            Insn::ClassConstant(_) => self.instantiate(world, "java/lang/Class"),
            _ => {}
        }
    }

    fn field(&mut self, world: &World, field: &FieldRef, is_static: bool) {
        let Some((class, found)) = world.field(field) else { return };
        if is_static {
            self.initialize(world, &class.name);
            if let Some(Literal::String(text)) = &found.constant {
                self.strings.insert(text.clone());
                self.instantiate(world, STRING);
            }
        }
        let (class, ty) = (class.name.clone(), found.ty);
        self.fields.insert(FieldRef { class, name: found.name, ty });
    }

    fn lambda(&mut self, world: &World, lambda: &Lambda) {
        if self.lambdas.contains_key(lambda) {
            return;
        }
        // Named after the method that it calls, which stands in the source.
        let name = format!("{}$lambda{}", lambda.body.method.class, self.lambdas.len());
        let made = class_for(lambda, name.clone()).map(|class| {
            world.add(class);
            maker(lambda, &name)
        });
        self.lambdas.insert(lambda.clone(), made.clone());
        if let Some(maker) = made {
            self.call(world, CallKind::Static, &maker);
        }
    }
}

/// The exceptions that an instruction may throw by itself.
pub fn implicit(insn: &Insn) -> &'static [&'static str] {
    use selvedge_java_classes::{Arith, Element};
    match insn {
        Insn::GetField(_) | Insn::PutField(_) | Insn::ArrayLength | Insn::MonitorEnter => {
            &[NULL_POINTER]
        }
        Insn::Throw => &[NULL_POINTER],
        Insn::Call(CallKind::Virtual | CallKind::Special, call) if call.name != "<init>" => {
            &[NULL_POINTER]
        }
        Insn::ArrayStore(Element::Ref) => &[NULL_POINTER, BOUNDS, ARRAY_STORE],
        Insn::ArrayLoad(_) | Insn::ArrayStore(_) => &[NULL_POINTER, BOUNDS],
        Insn::Arith(Kind::Int | Kind::Long, Arith::Div | Arith::Rem) => &[ARITHMETIC],
        Insn::NewArray(_) | Insn::NewArrays(..) => &[NEGATIVE_SIZE],
        Insn::CheckCast(_) => &[CLASS_CAST],
        _ => &[],
    }
}
