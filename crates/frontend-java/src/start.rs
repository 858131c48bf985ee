//! How a program begins: classes whose initialisation nobody can observe are initialised, then `main`
//! runs. How threads begin and end, and how a class is initialised when it is first used.

use std::collections::BTreeSet;

use selvedge_ir::{
    Action, BinaryOp, Callee, Expr, Int, Mode, Multiplicity, Object, Place, ProcId, Sharing, Span,
    Thread, Type,
};
use selvedge_java_classes::{CallKind, Class, Code, Dynamic, Insn, Kind, MethodRef};

use crate::body::Body;
use crate::known::{begin, site_field};
use crate::method::uncaught;
use crate::program::{Lowering, THREAD_ENTRY};
use crate::reach::CLINIT;
use crate::throws::property_of;
use crate::value::{i32, test};
use crate::world::{Found, World};

const INT: Type = Type::Int(Int::I32);

/// Declares what methods refer to: the procedure of threads, and the classes that are initialised
/// when they are first used.
pub fn declare(program: &mut Lowering<'_>) {
    let mut body = Body::new(THREAD_ENTRY.to_owned(), Span::NONE);
    let this = body.local("this", Type::Ptr, false);
    body.procedure.params.push(this);
    program.program.procedures.push(body.procedure);
    for class in &program.reach.initialized {
        let Some(class) = program.world.class(class) else { continue };
        if !is_pure(program.world, &class) || initializes_interface(program.world, &class) {
            program.lazy.insert(class.name.clone());
        }
    }
}

/// Makes known what is called at the start, so that it is lowered.
pub fn want(program: &mut Lowering<'_>, main: &MethodRef) {
    let begin = begin();
    let at_start: Vec<Found> = (program.reach.methods.iter())
        .filter(|found| {
            let reference = found.reference();
            found.method().name == CLINIT.0 || reference == *main || reference == begin
        })
        .cloned()
        .collect();
    for found in at_start {
        program.procedure(&found, Span::NONE);
    }
}

/// Writes them, and the procedure that the first thread runs. All methods are lowered by then, so
/// that all places are known where exceptions come from.
pub fn define(program: &mut Lowering<'_>, main: &MethodRef) {
    let entry = program.thread_entry();
    let begin = begin();
    let mut body = Body::new(THREAD_ENTRY.to_owned(), Span::NONE);
    let this = body.local("this", Type::Ptr, false);
    body.procedure.params.push(this);
    if let Some(begin) = reached(program, &begin) {
        call(program, &mut body, &begin, vec![Expr::Local(this)]);
    }
    body.end(Action::Skip);
    program.define(entry, body.procedure);
    let main = first_thread(program, main);
    while let Some((class, span, id)) = program.next_initialized() {
        define_initializer(program, &class, span, id);
    }
    let count = Multiplicity::Exactly(1);
    // The program goes on until all its threads have ended.
    program.program.threads.push(Thread { procedure: main, count, main: false });
}

fn first_thread(program: &mut Lowering<'_>, main: &MethodRef) -> ProcId {
    let name = program.unique("start".to_owned());
    let mut body = Body::new(name, Span::NONE);
    let pure: Vec<Found> = (program.reach.methods.iter())
        .filter(|found| found.method().name == CLINIT.0)
        .filter(|found| !program.lazy.contains(&found.class.name))
        .cloned()
        .collect();
    for initializer in pure {
        call(program, &mut body, &initializer, Vec::new());
    }
    if program.lazy.contains(&main.class) {
        let callee = Callee::Direct(program.initializer(&main.class, Span::NONE));
        body.act(Action::Call { to: None, callee, args: Vec::new() });
    }
    let arguments = match program.reach.reads_arguments {
        true => program.no_arguments(),
        false => Expr::NULL,
    };
    if let Some(main) = reached(program, main) {
        call(program, &mut body, &main, vec![arguments]);
    }
    body.end(Action::Skip);
    program.program.procedures.push(body.procedure)
}

/// Calls a method from which no exception may come back unnoticed.
fn call(program: &mut Lowering<'_>, body: &mut Body, method: &Found, args: Vec<Expr>) {
    let callee = Callee::Direct(program.procedure(method, Span::NONE));
    body.act(Action::Call { to: None, callee, args });
    if program.throws.may(&method.reference()) {
        end_of_thread(program, body);
    }
}

fn reached(program: &Lowering<'_>, method: &MethodRef) -> Option<Found> {
    program.reach.methods.iter().find(|found| found.reference() == *method).cloned()
}

/// An exception that came through is a violation of its property, at the place where it was made.
fn end_of_thread(program: &mut Lowering<'_>, body: &mut Body) {
    let exception = body.temp(Type::Ptr);
    let from = Place::object(program.exception, 0, Type::Ptr);
    body.act(Action::Load { to: exception, from, mode: Mode::Plain });
    let exception = Expr::Local(exception);
    let thrown = body.branch(test(BinaryOp::Eq, exception.clone(), Expr::NULL));
    let quiet = body.at;
    body.at = thrown;
    if program.reach.fields.contains(&site_field()) {
        let offset = program.offset(&site_field());
        let site = body.temp(INT);
        let from = Place::new(crate::method::at(exception, offset), INT);
        body.act(Action::Load { to: site, from, mode: Mode::Plain });
        for (index, made) in program.sites.iter().enumerate() {
            body.span = made.span;
            let here = Expr::binary(BinaryOp::Eq, Expr::Local(site), i32(index as i32 + 1));
            let check = uncaught(property_of(program.world, &made.class), &made.class);
            body.act(Action::Assert { cond: here.not(), check });
        }
        body.span = Span::NONE;
    }
    body.end(Action::EndThread { value: None });
    body.at = quiet;
}

/// `initialize C`: whoever comes first runs the initialiser; others wait until that is done. The
/// state is 0 before, 1 meanwhile, 2 behind.
fn define_initializer(program: &mut Lowering<'_>, class: &str, span: Span, id: ProcId) {
    let name = program.program.procedures[id].name.clone();
    let shown = crate::world::shown(class);
    let state = cell(program, format!("state of {shown}"), INT);
    let owner = cell(program, format!("initializer of {shown}"), Type::Thread);
    let mut body = Body::new(name, span);
    let (seen, by) = (body.temp(INT), body.temp(Type::Thread));
    body.atomic = true;
    body.act(Action::Load { to: seen, from: state.clone(), mode: Mode::Plain });
    body.act(Action::Load { to: by, from: owner.clone(), mode: Mode::Plain });
    let is = |value: i32| Expr::binary(BinaryOp::Eq, Expr::Local(seen), i32(value));
    let mine = Expr::binary(BinaryOp::Eq, Expr::Local(by), Expr::Tid);
    body.act(Action::Wait(Expr::binary(BinaryOp::Or, is(1).not(), mine)));
    let known = body.branch(is(0));
    body.act(Action::Store { to: state.clone(), value: i32(1), mode: Mode::Plain });
    body.act(Action::Store { to: owner, value: Expr::Tid, mode: Mode::Plain });
    body.atomic = false;
    body.act(Action::Skip);
    run_initializers(program, &mut body, class);
    body.act(Action::Store { to: state, value: i32(2), mode: Mode::Atomic });
    body.end(Action::Skip);
    body.at = known;
    body.end(Action::Skip);
    program.define(id, body.procedure);
}

fn run_initializers(program: &mut Lowering<'_>, body: &mut Body, class: &str) {
    let chain = program.world.chain(class);
    if chain.first().is_some_and(|class| initializes_interface(program.world, class)) {
        let what = "the static initialiser of an interface with default methods".to_owned();
        body.end(Action::Unsupported { what });
        return;
    }
    let mut above = chain.iter().skip(1);
    if let Some(above) = above.find(|class| program.lazy.contains(&class.name)) {
        let callee = Callee::Direct(program.initializer(&above.name, body.span));
        body.act(Action::Call { to: None, callee, args: Vec::new() });
    }
    let own = MethodRef {
        class: class.to_owned(),
        name: CLINIT.0.to_owned(),
        descriptor: CLINIT.1.to_owned(),
    };
    let Some(found) = reached(program, &own) else { return };
    let callee = Callee::Direct(program.procedure(&found, Span::NONE));
    body.act(Action::Call { to: None, callee, args: Vec::new() });
    if program.throws.may(&own) {
        let exception = body.temp(Type::Ptr);
        let from = Place::object(program.exception, 0, Type::Ptr);
        body.act(Action::Load { to: exception, from, mode: Mode::Plain });
        let none = test(BinaryOp::Eq, Expr::Local(exception), Expr::NULL);
        let thrown = body.branch(none);
        let quiet = body.at;
        body.at = thrown;
        let what = "an exception that comes out of a static initialiser".to_owned();
        body.end(Action::Unsupported { what });
        body.at = quiet;
    }
}

/// Whether a class comes with an interface that is initialised before it, as one with default methods
/// is, and somebody could tell.
fn initializes_interface(world: &World, class: &Class) -> bool {
    let has_default = |interface: &Class| {
        interface.methods.iter().any(|method| !method.is_static && !method.is_abstract)
    };
    let mut interfaces = world.interfaces(&class.name).into_iter();
    !class.is_interface && interfaces.any(|one| has_default(&one) && !is_pure(world, &one))
}

fn cell(program: &mut Lowering<'_>, name: String, ty: Type) -> Place {
    if let Some(known) = program.program.object_named(&name) {
        return Place::object(known, 0, ty);
    }
    let layout = program.program.scalar_layout(ty);
    let (sharing, init, span) = (Sharing::Shared, Vec::new(), Span::NONE);
    let id = program.program.objects.push(Object { name, layout, sharing, init, span });
    Place::object(id, 0, ty)
}

/// Whether nobody can tell when a class is initialised: its initialiser only makes objects, and
/// writes them and constants to its own fields.
fn is_pure(world: &World, class: &Class) -> bool {
    let Some((index, _)) = class.method(CLINIT.0, CLINIT.1) else { return true };
    let Some(found) = world.class(&class.name).map(|class| Found { class, index }) else {
        return false;
    };
    harmless(world, &found, &mut BTreeSet::new())
}

fn harmless(world: &World, found: &Found, seen: &mut BTreeSet<MethodRef>) -> bool {
    if !seen.insert(found.reference()) {
        return true;
    }
    let method = found.method();
    let Some(code) = &method.code else { return false };
    let constructor = method.name == "<init>";
    if method.is_synchronized || !code.handlers.is_empty() || goes_back(code) {
        return false;
    }
    code.insns.iter().enumerate().all(|(at, insn)| match insn {
        Insn::PutStatic(field) | Insn::GetStatic(field) => {
            field.class == found.class.name || field.name == "$assertionsDisabled"
        }
        // The object that is being made.
        Insn::PutField(_) => constructor || lambda_maker(found),
        Insn::GetField(_) => {
            constructor && matches!(code.insns.get(at - 1), Some(Insn::Load(Kind::Ref, 0)))
        }
        Insn::Call(_, call) if call.name == "desiredAssertionStatus" => true,
        Insn::Call(CallKind::Special, call) if call.name == "<init>" => {
            callee(world, call).is_some_and(|callee| harmless(world, &callee, seen))
        }
        Insn::Call(CallKind::Static, call) if call.class == found.class.name => {
            callee(world, call).is_some_and(|callee| harmless(world, &callee, seen))
        }
        Insn::NewArray(_) => matches!(code.insns.get(at.wrapping_sub(1)), Some(Insn::Constant(_))),
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
        | Insn::Other(_) => false,
        Insn::Arith(_, op) => {
            use selvedge_java_classes::Arith::{Div, Rem};
            !matches!(op, Div | Rem)
        }
        _ => true,
    })
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
        Insn::Constant(selvedge_java_classes::Literal::Int(value)) => Some(*value),
        _ => None,
    };
    let made = (0..at).rev().find(|before| matches!(code.insns[*before], Insn::NewArray(_)));
    let Some(made) = made.filter(|made| *made > 0) else { return false };
    let Some(length) = constant(&code.insns[made - 1]) else { return false };
    // `dup`, the index, and what gives the value.
    let index = (made + 1..at).rev().find_map(|before| {
        let dup = matches!(code.insns[before], Insn::Stack(selvedge_java_classes::StackOp::Dup));
        dup.then(|| constant(&code.insns[before + 1])).flatten()
    });
    index.is_some_and(|index| (0..length).contains(&index))
}

fn callee(world: &World, call: &MethodRef) -> Option<Found> {
    world.resolve(&call.class, &call.name, &call.descriptor)
}
