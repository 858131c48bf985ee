//! How a program begins: classes whose initialisation nobody can observe are initialised, then `main`
//! runs. How threads begin and end, and how a class is initialised when it is first used.

use selvedge_ir::{
    Action, BinaryOp, Callee, Expr, Int, Mode, Multiplicity, Object, Place, ProcId, Sharing, Span,
    Thread, Type,
};
use selvedge_java_classes::MethodRef;

use crate::body::Body;
use crate::known::{begin, site_field};
use crate::method::uncaught;
use crate::program::{Lowering, THREAD_ENTRY};
use crate::pure::{self, Divided};
use crate::reach::CLINIT;
use crate::throws::property_of;
use crate::value::{i32, test};
use crate::world::Found;

const INT: Type = Type::Int(Int::I32);

/// Declares what methods refer to: the procedure of threads, and the classes that are initialised
/// when they are first used.
pub fn declare(program: &mut Lowering<'_>) {
    let mut body = Body::new(THREAD_ENTRY.to_owned(), Span::NONE);
    let this = body.local("this", Type::Ptr, false);
    body.procedure.params.push(this);
    program.program.procedures.push(body.procedure);
    let Divided { lazy, at_start } = pure::divide(program.world, &program.reach.initialized);
    program.lazy = lazy;
    program.at_start = at_start;
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
    for class in std::mem::take(&mut program.at_start) {
        if let Some(initializer) = reached(program, &initializer_of(&class)) {
            call(program, &mut body, &initializer, Vec::new());
        }
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

fn initializer_of(class: &str) -> MethodRef {
    MethodRef {
        class: class.to_owned(),
        name: CLINIT.0.to_owned(),
        descriptor: CLINIT.1.to_owned(),
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
    if chain.first().is_some_and(|class| pure::initializes_interface(program.world, class)) {
        let what = "the static initialiser of an interface with default methods".to_owned();
        body.end(Action::Unsupported { what });
        return;
    }
    let mut above = chain.iter().skip(1);
    if let Some(above) = above.find(|class| program.lazy.contains(&class.name)) {
        let callee = Callee::Direct(program.initializer(&above.name, body.span));
        body.act(Action::Call { to: None, callee, args: Vec::new() });
    }
    let own = initializer_of(class);
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

fn cell(program: &mut Lowering<'_>, name: String, ty: Type) -> Place {
    if let Some(known) = program.program.object_named(&name) {
        return Place::object(known, 0, ty);
    }
    let layout = program.program.scalar_layout(ty);
    let (sharing, init, span) = (Sharing::Shared, Vec::new(), Span::NONE);
    let id = program.program.objects.push(Object { name, layout, sharing, init, span });
    Place::object(id, 0, ty)
}
