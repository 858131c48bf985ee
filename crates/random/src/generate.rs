//! Random small concurrent programs, well-formed by construction.
//!
//! Small in every direction (two or three threads, a handful of scalars, loops of two rounds), so
//! that even the unreduced space is exhausted in a moment; and rich in what reductions must
//! respect: locks left held, blocks that wait, joins, identical threads, thread identifiers in
//! memory, aliases, freed objects, programs that end early.

use selvedge_ir::{
    Const, Int, Layout, Multiplicity, Object, ObjectId, Procedure, Program, Property, Shape,
    Sharing, Span, Thread, Type,
};

use super::Rng;
use super::body::Body;
use super::mixed::mix;
use super::scope::Scope;

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let mut program = Program { name: format!("random{seed}"), ..Program::default() };
    let mut scope = shared_state(&mut program, &mut rng);
    if rng.one_in(3) {
        let body = Body::helper(&mut program, &scope, &mut rng);
        scope.helper = Some(program.procedures.push(body));
    }
    for index in 0..1 + rng.below(2) {
        let body = Body::worker(&mut program, &scope, &mut rng, index);
        scope.workers.push(program.procedures.push(body));
    }
    threads(&mut program, &scope, &mut rng);
    program
}

/// Likewise; in one of five two of the variables share their bytes ([`super::mixed`]).
pub fn mixed(seed: u64) -> Program {
    let mut program = program(seed);
    let mut rng = Rng::new(seed.rotate_left(17));
    if rng.one_in(5) {
        mix(&mut program, &mut rng);
    }
    program
}

/// Another program of a seed, in which threads contend for shared variables.
pub fn contending(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let mut program = Program { name: format!("contending{seed}"), ..Program::default() };
    let mut scope = shared_state(&mut program, &mut rng);
    for index in 0..1 + rng.below(2) {
        let body = Body::contending(&mut program, &scope, &mut rng, index);
        scope.workers.push(program.procedures.push(body));
    }
    let body = Body::collecting(&mut program, &scope, &mut rng);
    let procedure = program.procedures.push(body);
    program.threads.push(Thread { procedure, count: Multiplicity::Exactly(1), main: true });
    program
}

/// The properties to check on the program of a seed: often one, sometimes all.
pub fn properties(seed: u64) -> Vec<Property> {
    let mut rng = Rng::new(!seed);
    match rng.below(8) {
        0 => Property::ALL.to_vec(),
        1 => vec![Property::Deadlock],
        2 => vec![Property::Race],
        3 => vec![Property::Memory],
        4 => vec![Property::Assert, Property::Deadlock],
        _ => vec![Property::Assert],
    }
}

fn shared_state(program: &mut Program, rng: &mut Rng) -> Scope {
    let int = *rng.pick(&[Int { width: 2, signed: false }, Int::U8, Int::I32, Int::I8]);
    let mut scope = Scope {
        int,
        scalars: Vec::new(),
        flags: Vec::new(),
        arrays: Vec::new(),
        pointers: Vec::new(),
        locks: Vec::new(),
        thread_cells: Vec::new(),
        helper: None,
        workers: Vec::new(),
    };
    for i in 0..1 + rng.below(3) {
        let init = Const::int(i128::from(rng.below(2)), int);
        scope.scalars.push(scalar(program, rng, &format!("g{i}"), Type::Int(int), init));
    }
    if rng.one_in(2) {
        let none = Const::Bool(false);
        scope.flags.push(scalar(program, rng, "flag", Type::Bool, none));
    }
    if rng.one_in(3) {
        scope.arrays.push(array(program, int));
    }
    if rng.one_in(3) {
        let init = if rng.one_in(2) { Const::Null } else { Const::Object(scope.scalars[0], 0) };
        scope.pointers.push(scalar(program, rng, "cell", Type::Ptr, init));
    }
    for i in 0..rng.below(3) {
        let object = shared(program, &format!("m{i}"), Type::Thread);
        scope.locks.push(object);
    }
    if rng.one_in(4) {
        scope.thread_cells.push(shared(program, "owner", Type::Thread));
    }
    scope
}

fn scalar(program: &mut Program, rng: &mut Rng, name: &str, ty: Type, init: Const) -> ObjectId {
    let object = shared(program, name, ty);
    if init != Const::zero(ty) {
        program.objects[object].init.push((0, init));
    }
    if rng.one_in(12) {
        program.objects[object].sharing = Sharing::PerThread;
    }
    object
}

fn shared(program: &mut Program, name: &str, ty: Type) -> ObjectId {
    let layout = program.scalar_layout(ty);
    program.objects.push(Object {
        name: name.to_owned(),
        layout,
        sharing: Sharing::Shared,
        init: Vec::new(),
        span: Span::NONE,
    })
}

fn array(program: &mut Program, int: Int) -> ObjectId {
    let element = program.scalar_layout(Type::Int(int));
    let layout = program.layouts.push(Layout {
        name: format!("{int}[2]"),
        size: 2 * int.size(),
        shape: Shape::Array { element, count: 2 },
    });
    program.objects.push(Object {
        name: "arr".to_owned(),
        layout,
        sharing: Sharing::Shared,
        init: Vec::new(),
        span: Span::NONE,
    })
}

/// Either a main thread that spawns the workers, or workers that all stand at the start.
fn threads(program: &mut Program, scope: &Scope, rng: &mut Rng) {
    if rng.one_in(3) {
        for (index, &procedure) in scope.workers.iter().enumerate() {
            let copies = if scope.workers.len() == 1 { 2 } else { 1 + rng.below(2) as u32 };
            let main = index == 0 && copies == 1 && rng.one_in(3);
            let count = Multiplicity::Exactly(copies);
            program.threads.push(Thread { procedure, count, main });
        }
        return;
    }
    let body: Procedure = Body::main(program, scope, rng);
    let procedure = program.procedures.push(body);
    let main = !rng.one_in(4);
    program.threads.push(Thread { procedure, count: Multiplicity::Exactly(1), main });
}
