//! Each invariant, broken by a small change to a good program.

use super::{check, listing};
use crate::*;

const GOOD: &str = "
layout struct pair = struct { a: i32; b: ptr; };
region ints: i32;
shared x: i32 = 3; shared m: thread; shared s: struct pair = { .a = 1 };
procedure worker(arg: ptr, n: i32) -> i32 {
    local t: i32; local p: ptr; local w: thread; local c: bool;
    L0: t := load x in ints -> L1;
    atomic L1: c := t < n && tid != none -> L2;
    L2: assume c -> L3; assume !c -> L4;
    L3: p := alloc heap struct pair size 16 -> L5;
    L5: w := spawn worker(p) -> L6;
    L6: join w -> L7;
    L7: result := call worker(p, t) -> L9;
    L4: store s.a := n -> L8;
    L8: result := n -> L9;
    exit L9:
}
procedure main() { call main(); }
thread main main; thread 2 worker;
note \"n\";";

fn good() -> Program {
    crate::text::parse("good", GOOD).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// Checks that the change makes exactly these violations, and that the listing shows them.
#[track_caller]
fn expect(change: impl FnOnce(&mut Program), expected: &[&str]) {
    let mut program = good();
    change(&mut program);
    let violations = check(&program);
    let shown: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert_eq!(shown, expected);
    let text = listing(&program, &violations);
    for violation in &violations {
        assert!(text.contains(&format!("// error: {}", violation.message)), "{text}");
    }
}

fn worker(p: &mut Program) -> &mut Procedure {
    &mut p.procedures[ProcId::from_u32(0)]
}

fn edge(p: &mut Program, from: u32) -> &mut Edge {
    &mut worker(p).locations[LocationId::from_u32(from)].edges[0]
}

fn local(n: u32) -> LocalId {
    LocalId::from_u32(n)
}

#[test]
fn a_good_program_has_no_violations() {
    expect(|_| {}, &[]);
}

#[test]
fn names() {
    expect(
        |p| {
            let layout = p.layouts[LayoutId::from_u32(2)].clone();
            p.layouts.push(layout);
            let object = p.objects[ObjectId::from_u32(1)].clone();
            p.objects.push(object);
            let region = p.regions[RegionId::from_u32(0)].clone();
            p.regions.push(region);
            worker(p).locals[local(3)].name = "n".to_string();
            p.procedures[ProcId::from_u32(1)].name = "worker".to_string();
        },
        &[
            "layout4: another layout has the name `struct pair`",
            "obj3: another object has the name `m`",
            "r1: another region has the name `ints`",
            "proc1: another procedure has the name `worker`",
            "proc0: another local has the name `n`",
        ],
    );
}

#[test]
fn spans() {
    let bad = Span::new(FileId::from_u32(7), 1, 1);
    expect(
        |p| {
            p.objects[ObjectId::from_u32(0)].span = bad;
            p.notes[0].span = bad;
            worker(p).span = bad;
            edge(p, 0).span = bad;
        },
        &[
            "obj0: the span names f7, which does not exist",
            "note 0: the span names f7, which does not exist",
            "proc0: the span names f7, which does not exist",
            "proc0 L0 edge 0: the span names f7, which does not exist",
        ],
    );
}

#[test]
fn layouts() {
    let push = |p: &mut Program, name: &str, size, shape| {
        p.layouts.push(Layout { name: name.to_string(), size, shape });
    };
    let field = |name: &str, offset, layout| Field {
        name: name.to_string(),
        offset,
        layout: LayoutId::from_u32(layout),
    };
    expect(
        |p| {
            push(p, "a", 3, Shape::Scalar(Type::Int(Int::I32)));
            push(p, "b", 8, Shape::Struct(vec![field("x", 0, 0), field("y", 2, 0)]));
            push(p, "c", 4, Shape::Struct(vec![field("x", 1, 0), field("y", 0, 9)]));
            push(p, "d", 8, Shape::Union(vec![field("x", 4, 0)]));
            push(p, "e", 9, Shape::Array { element: LayoutId::from_u32(0), count: 2 });
            push(p, "f", 16, Shape::Scalar(Type::Int(Int { width: 65, signed: true })));
        },
        &[
            "layout4: a i32 takes 4 bytes, not 3",
            "layout5: field `y` at 2 begins before 4",
            "layout6: field `x` at 1 does not fit 4 bytes",
            "layout6: refers to layout9, which is not before it",
            "layout7: field `x` of a union at 4",
            "layout8: 2 elements of 4 bytes do not take 9 bytes",
            "layout9: i65 is not an integer type of 1 to 64 bits",
        ],
    );
}

#[test]
fn initial_values() {
    expect(
        |p| {
            p.objects[ObjectId::from_u32(2)].init = vec![
                (8, Const::int(1, Int::I32)),
                (0, Const::int(0, Int::I32)),
                (12, Const::Proc(ProcId::from_u32(7))),
            ];
            p.objects[ObjectId::from_u32(0)].init = vec![(0, Const::Int(1 << 40, Int::I32))];
            p.objects[ObjectId::from_u32(1)].layout = LayoutId::from_u32(9);
        },
        &[
            "obj0: the constant 0x10000000000 has bits above those of i32",
            "obj1: layout9 does not exist",
            "obj2: a i32 at 8, where a ptr stands",
            "obj2: the value at 0 is out of order",
            "obj2: the value at 0 is zero, which is left out",
            "obj2: proc7 does not exist",
            "obj2: the value at 12 is outside",
        ],
    );
}

#[test]
fn threads() {
    expect(
        |p| {
            p.threads[1].main = true;
            let procedure = ProcId::from_u32(9);
            p.threads.push(Thread { procedure, count: Multiplicity::Any, main: false });
        },
        &[
            "thread 1: the main thread runs more than once",
            "thread 1: there is another main thread",
            "proc0 L6 edge 0: the program ends in one step with an action that others can see",
            "thread 2: proc9 does not exist",
        ],
    );
}

#[test]
fn graphs() {
    expect(
        |p| {
            let worker = worker(p);
            worker.entry = LocationId::from_u32(77);
            worker.params.push(local(0));
            worker.result = Some(local(40));
            worker.locations[worker.exit].grain = Grain::Atomic;
            worker.add_edge(worker.exit, Action::Skip, LocationId::from_u32(50), Span::NONE);
            worker.add_location(Grain::Yield);
            edge(p, 4).action = Action::Skip;
            edge(p, 6).action = Action::Skip;
        },
        &[
            "proc0: x0 is a parameter twice",
            "proc0: x40 does not exist",
            "proc0: the entry L77 does not exist",
            "proc0 L9: the exit has edges",
            "proc0 L9: the exit is inside an atomic block",
            "proc0 L9: L50 does not exist",
            "proc0 L10: no edge leaves this location",
        ],
    );
}

#[test]
fn expressions() {
    let n = |value| Expr::int(value, Int::I32);
    let bad: Vec<(Expr, &str)> = vec![
        (Expr::Local(local(50)), "x50 does not exist"),
        (Expr::unary(UnaryOp::Not, n(1)), "Not of i32"),
        (Expr::unary(UnaryOp::Neg, Expr::Tid), "Neg of thread"),
        (Expr::binary(BinaryOp::Add, n(1), Expr::int(1, Int::I64)), "Add of i32 and i64"),
        (Expr::binary(BinaryOp::Add, Expr::TRUE, Expr::TRUE), "Add of bool and bool"),
        (Expr::binary(BinaryOp::Lt, Expr::Tid, Expr::Tid), "Lt of thread and thread"),
        (Expr::binary(BinaryOp::PtrAdd, Expr::NULL, n(1)), "PtrAdd of ptr and i32"),
        (Expr::binary(BinaryOp::PtrSub, Expr::NULL, n(1)), "PtrSub of ptr and i32"),
        (Expr::unary(UnaryOp::Float(Float::F64, FloatFn::Sqrt), n(1)), "Float(F64, Sqrt) of i32"),
        (
            Expr::binary(BinaryOp::Float(Float::F32, FloatOp::Add), n(1), n(1)),
            "Float(F32, Add) of i32 and i32",
        ),
        (Expr::cast(Type::Thread, n(1)), "there is no conversion from i32 to thread"),
        (Expr::ite(n(1), n(1), Expr::NULL), "a choice by i32 between i32 and ptr"),
        (Expr::object(ObjectId::from_u32(9)), "obj9 does not exist"),
        (Expr::Const(Const::Int(256, Int::U8)), "the constant 0x100 has bits above those of u8"),
    ];
    for (value, message) in bad {
        let expected = format!("proc0 L8 edge 0: {message}");
        expect(
            |p| edge(p, 8).action = Action::Assume(Expr::binary(BinaryOp::Eq, value, n(0))),
            &[&expected],
        );
    }
}

#[test]
fn actions() {
    let x = |ty| Place::object(ObjectId::from_u32(0), 0, ty);
    let int = Type::Int(Int::I32);
    let mut odd_region = x(Type::Ptr);
    odd_region.region = Some(RegionId::from_u32(0));
    let mut no_region = x(int);
    no_region.region = Some(RegionId::from_u32(5));
    let direct = Callee::Direct(ProcId::from_u32(0));
    let nothing = Callee::Direct(ProcId::from_u32(1));
    let (arg, n, t, w) = (local(0), local(1), local(3), local(5));
    let load = |to, from| Action::Load { to, from, mode: Mode::Plain };
    let bad: Vec<(Action, &[&str])> = vec![
        (Action::Assume(Expr::Local(n)), &["the condition is i32, not bool"]),
        (Action::Assign { to: t, value: Expr::NULL }, &["the value is ptr, not i32"]),
        (Action::Havoc { to: local(60) }, &["x60 does not exist"]),
        (load(t, x(Type::Ptr)), &["what is loaded is ptr, the local i32"]),
        (load(arg, odd_region), &["a ptr in a region of i32"]),
        (load(t, no_region), &["r5 does not exist"]),
        (Action::Lock { lock: x(int) }, &["the lock is i32, not thread"]),
        (
            Action::Store { to: Place::new(Expr::Tid, int), value: Expr::TRUE, mode: Mode::Plain },
            &["the address is thread, not ptr", "the value is bool, not i32"],
        ),
        (
            Action::Alloc {
                to: w,
                storage: Storage::Heap,
                layout: LayoutId::from_u32(70),
                size: Expr::int(1, Int::I64),
                zeroed: false,
            },
            &[
                "layout70 does not exist",
                "the size is i64, not u64",
                "the object's address is ptr, the local thread",
            ],
        ),
        (
            Action::Free { addr: Expr::Tid, storage: Storage::Heap },
            &["the address is thread, not ptr"],
        ),
        (
            Action::Spawn { to: t, entry: nothing.clone(), args: vec![Expr::NULL] },
            &["`main` takes 0, not 1", "the spawned thread is thread, the local i32"],
        ),
        (Action::Join { thread: Expr::NULL, to: None }, &["what is joined is ptr, not thread"]),
        (
            Action::Call { to: Some(w), callee: direct, args: vec![Expr::TRUE] },
            &[
                "`worker` takes 2, not 1",
                "the argument is bool, not ptr",
                "the result is i32, the local thread",
            ],
        ),
        (Action::Call { to: Some(t), callee: nothing, args: vec![] }, &["`main` returns nothing"]),
        (
            Action::Call { to: None, callee: Callee::Indirect(Expr::Tid), args: vec![] },
            &["what is called is thread, not ptr"],
        ),
    ];
    for (action, messages) in bad {
        let expected: Vec<String> =
            messages.iter().map(|m| format!("proc0 L8 edge 0: {m}")).collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        expect(|p| edge(p, 8).action = action, &expected);
    }
}

#[test]
fn assignment_before_use() {
    expect(
        |p| edge(p, 0).action = Action::Skip,
        &[
            "proc0 L1 edge 0: `t` is read here but not assigned on every way here",
            "proc0 L6 edge 0: `t` is read here but not assigned on every way here",
        ],
    );
    expect(
        |p| edge(p, 8).action = Action::Skip,
        &["proc0 L9: the result `result` is not assigned on every way here"],
    );
    // What ends the thread does not reach the exit.
    expect(|p| edge(p, 8).action = Action::Halt, &[]);
}

#[test]
fn the_listing_shows_a_violation_below_its_edge() {
    let mut program = good();
    edge(&mut program, 8).action = Action::Assume(Expr::NULL);
    let text = listing(&program, &check(&program));
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let at = lines.iter().position(|l| l.contains("// error")).expect("an error is shown");
    assert!(lines[at - 1].starts_with("L8: assume null -> L9"), "{text}");
}
