//! A program with every variant of every enum prints and parses back to itself.

use super::{parsed, round_trip};
use crate::text::print;
use crate::*;

fn every_layout(p: &mut Program) -> Vec<LayoutId> {
    let i32 = p.scalar_layout(Type::Int(Int::I32));
    let ptr = p.scalar_layout(Type::Ptr);
    let thread = p.scalar_layout(Type::Thread);
    let bool = p.scalar_layout(Type::Bool);
    let odd = p.scalar_layout(Type::Int(Int { width: 5, signed: false }));
    let field = |name: &str, offset, layout| Field { name: name.to_string(), offset, layout };
    let mut push =
        |name: &str, size, shape| p.layouts.push(Layout { name: name.to_string(), size, shape });
    let inner =
        push("struct inner", 8, Shape::Struct(vec![field("low", 0, i32), field("a name", 4, i32)]));
    let node = push(
        "struct node",
        32,
        Shape::Struct(vec![
            field("key", 0, i32),
            field("next", 8, ptr),
            field("", 16, inner),
            field("flag", 24, bool),
        ]),
    );
    let union = push("union u", 8, Shape::Union(vec![field("i", 0, i32), field("p", 0, ptr)]));
    let array = push("struct node[4]", 128, Shape::Array { element: node, count: 4 });
    let matrix = push("i32[3]", 12, Shape::Array { element: i32, count: 3 });
    let matrix = push("i32[2][3]", 24, Shape::Array { element: matrix, count: 2 });
    let bytes = push("Ünïcode \"blob\"\n", 10, Shape::Bytes);
    let alias = push("enum colour", 4, Shape::Scalar(Type::Int(Int::I32)));
    vec![i32, ptr, thread, bool, odd, node, union, array, matrix, bytes, alias]
}

fn every_object(p: &mut Program, layouts: &[LayoutId], worker: ProcId) {
    let mut add = |name: &str, layout: usize, init: Vec<(u64, Const)>, sharing| {
        let span = Span::new(FileId::from_u32(1), 3, layout as u32);
        let object =
            Object { name: name.to_string(), layout: layouts[layout], sharing, init, span };
        p.objects.push(object)
    };
    let x = add("x", 0, vec![(0, Const::int(-7, Int::I32))], Sharing::Shared);
    add("p", 1, vec![(0, Const::Object(x, 0))], Sharing::Shared);
    add("lock", 2, vec![], Sharing::Shared);
    add("true", 3, vec![(0, Const::Bool(true))], Sharing::PerThread);
    add("odd", 4, vec![(0, Const::int(31, Int { width: 5, signed: false }))], Sharing::Shared);
    let s = add(
        "s",
        5,
        vec![
            (0, Const::int(1, Int::I32)),
            (8, Const::Object(x, 2)),
            (20, Const::int(9, Int::I32)),
            (24, Const::int(1, Int::U8)),
        ],
        Sharing::Shared,
    );
    add("u", 6, vec![(0, Const::Object(s, 8))], Sharing::Shared);
    add("nodes", 7, vec![(72, Const::Proc(worker))], Sharing::PerThread);
    add("m", 8, vec![(20, Const::int(i32::MIN.into(), Int::I32))], Sharing::Shared);
    add("raw", 9, vec![(1, Const::int(255, Int::U8)), (2, Const::Bool(true))], Sharing::Shared);
    add("worker", 10, vec![], Sharing::Shared);
}

struct Ends {
    b: LocalId,
    i: LocalId,
    w: LocalId,
    q: LocalId,
    t: LocalId,
}

fn every_expr(p: &Program, l: &Ends) -> Vec<(LocalId, Expr)> {
    use BinaryOp::*;
    let local = Expr::Local;
    let (i, q, b) = (local(l.i), local(l.q), local(l.b));
    let n = |value: i128| Expr::int(value, Int::I32);
    let diff = |value: i128| Expr::int(value, p.model.diff_type());
    let bin = Expr::binary;
    let mut all = vec![
        (l.b, Expr::TRUE),
        (l.b, Expr::FALSE),
        (l.q, Expr::NULL),
        (l.q, Expr::Const(Const::Proc(ProcId::from_u32(0)))),
        (l.q, Expr::Const(Const::Proc(ProcId::from_u32(1)))),
        (l.q, Expr::Const(Const::Object(ObjectId::from_u32(5), 20))),
        (l.q, Expr::Const(Const::Object(ObjectId::from_u32(5), -3))),
        (l.q, Expr::Const(Const::Object(ObjectId::from_u32(6), 3))),
        (l.q, Expr::Const(Const::Object(ObjectId::from_u32(8), 20))),
        (l.t, Expr::Const(Const::NoThread)),
        (l.t, Expr::Tid),
        (l.w, Expr::int(u64::MAX.into(), Int::U64)),
        (l.i, Expr::unary(UnaryOp::Neg, n(5))),
        (l.i, Expr::unary(UnaryOp::Neg, n(-5))),
        (l.i, Expr::unary(UnaryOp::Neg, Expr::unary(UnaryOp::Neg, i.clone()))),
        (l.i, Expr::unary(UnaryOp::BitNot, n(-5))),
        (l.b, Expr::unary(UnaryOp::Not, bin(Eq, n(1), n(2)))),
        (l.b, bin(Eq, Expr::unary(UnaryOp::Not, b.clone()), b.clone())),
        (l.b, bin(Lt, Expr::int(1, Int::U8), Expr::int(2, Int::U8))),
        (l.b, bin(Ne, bin(PtrSub, q.clone(), q.clone()), diff(8))),
        (l.b, bin(Ge, q.clone(), Expr::NULL)),
        (l.b, bin(Eq, Expr::Tid, local(l.t))),
        (l.b, bin(Eq, bin(Eq, n(1), n(1)), bin(Lt, n(1), n(1)))),
        (l.b, bin(And, bin(Or, b.clone(), b.clone()), bin(Xor, b.clone(), b.clone()))),
        (l.b, bin(Or, bin(And, b.clone(), b.clone()), bin(And, b.clone(), b.clone()))),
        (l.b, bin(And, b.clone(), bin(And, b.clone(), b.clone()))),
        (l.q, bin(PtrAdd, bin(PtrAdd, q.clone(), diff(-8)), bin(Mul, diff(3), diff(4)))),
        (l.i, bin(Sub, i.clone(), bin(Sub, n(-1), bin(Add, i.clone(), n(-2))))),
        (l.i, bin(Mul, bin(Add, i.clone(), n(1)), bin(Rem, i.clone(), bin(Div, n(4), n(2))))),
        (l.i, bin(Shl, bin(Or, i.clone(), n(1)), bin(And, i.clone(), bin(Xor, n(1), n(3))))),
        (l.i, bin(Or, bin(Or, i.clone(), n(1)), bin(Or, i.clone(), n(1)))),
        (
            l.i,
            Expr::cast(Type::Int(Int::I32), bin(Add, Expr::int(1, Int::U8), Expr::int(2, Int::U8))),
        ),
        (l.i, Expr::cast(Type::Int(Int::I32), Expr::cast(Type::Bool, local(l.t)))),
        (l.i, Expr::ite(bin(Lt, i.clone(), n(0)), Expr::ite(b.clone(), n(1), n(2)), n(3))),
        (l.i, bin(Add, Expr::ite(b.clone(), n(1), n(2)), n(3))),
        (l.b, Expr::ite(Expr::ite(b.clone(), b.clone(), Expr::TRUE), Expr::FALSE, b.clone())),
        (
            l.b,
            bin(
                Eq,
                Expr::ite(b, Expr::int(1, Int::I8), Expr::int(2, Int::I8)),
                Expr::int(-128, Int::I8),
            ),
        ),
    ];
    for format in crate::Float::ALL {
        let bits = |value| Expr::int(value, format.int());
        for op in crate::FloatOp::ALL {
            let pair = bin(BinaryOp::Float(format, op), bits(3), bits(0x4000_0000));
            all.push((l.b, if op.is_test() { pair } else { bin(Eq, pair, bits(1)) }));
        }
        let function = |function, operand| Expr::unary(UnaryOp::Float(format, function), operand);
        use crate::FloatFn::*;
        all.push((l.b, bin(Ne, bits(1), function(Sqrt, bits(1)))));
        all.push((l.i, function(ToInt(Int::I32), bits(5))));
        all.push((l.i, function(ToInt(Int::I32), function(FromInt, i.clone()))));
        all.push((l.b, bin(Eq, function(FromInt, Expr::int(1, Int::I8)), bits(2))));
        for to in crate::Float::ALL {
            let there = function(Convert(to), bits(1));
            all.push((l.b, bin(Eq, there, Expr::int(7, to.int()))));
        }
    }
    for op in BinaryOp::ALL {
        let to = match op {
            PtrAdd | PtrSub => continue,
            op if op.is_test() => l.b,
            _ => l.i,
        };
        all.push((to, bin(op, i.clone(), n(-3))));
        all.push((to, bin(op, n(3), i.clone())));
    }
    all
}

fn every_action(p: &Program, l: &Ends, layouts: &[LayoutId], other: ProcId) -> Vec<Action> {
    let direct = |id: u32, offset, ty| Place::object(ObjectId::from_u32(id), offset, ty);
    let int = Type::Int(Int::I32);
    let q = Expr::Local(l.q);
    let with_region = |mut place: Place, region| {
        place.region = Some(RegionId::from_u32(region));
        place
    };
    let size = |n: i128| Expr::int(n, p.model.size_type());
    let text = || "a \"quoted\"\\ text\u{7}".to_owned();
    let kinds = [
        CheckKind::Condition(text()),
        CheckKind::Label(text()),
        CheckKind::Unnamed,
        CheckKind::ErrorCall(text()),
        CheckKind::SignedOverflow(text()),
        CheckKind::ShiftCount(text()),
        CheckKind::Undefined(text()),
    ];
    let properties = Property::ALL.into_iter().chain([Property::Invariant]);
    let mut all: Vec<Action> = properties
        .flat_map(|property| kinds.iter().map(move |kind| Check::new(property, kind.clone())))
        .map(|check| Action::Assert { cond: Expr::Local(l.b), check })
        .collect();
    let indirect = Callee::Indirect(q.clone());
    all.extend([
        Action::Skip,
        Action::Assume(Expr::Local(l.b)),
        Action::Wait(Expr::Local(l.b)),
        Action::Havoc { to: l.i },
        Action::Load { to: l.i, from: direct(0, 0, int), mode: Mode::Plain },
        Action::Load { to: l.i, from: direct(5, 20, int), mode: Mode::Atomic },
        Action::Load { to: l.i, from: direct(8, 20, int), mode: Mode::Plain },
        Action::Load { to: l.i, from: direct(8, 24, int), mode: Mode::Plain },
        Action::Load { to: l.w, from: direct(0, 0, Type::Int(Int::U64)), mode: Mode::Plain },
        Action::Load { to: l.q, from: with_region(direct(7, 40, Type::Ptr), 1), mode: Mode::Plain },
        Action::Store { to: direct(6, 0, int), value: Expr::int(3, Int::I32), mode: Mode::Plain },
        Action::Store { to: direct(10, 0, int), value: Expr::Local(l.i), mode: Mode::Atomic },
        Action::Store {
            to: with_region(Place::new(q.clone(), Type::Int(Int::U8)), 0),
            value: Expr::int(200, Int::U8),
            mode: Mode::Plain,
        },
        Action::Lock { lock: direct(2, 0, Type::Thread) },
        Action::Unlock { lock: Place::new(q.clone(), Type::Thread) },
        Action::Alloc {
            to: l.q,
            storage: Storage::Heap,
            layout: layouts[7],
            size: size(128),
            zeroed: true,
        },
        Action::Alloc {
            to: l.q,
            storage: Storage::Stack,
            layout: layouts[9],
            size: Expr::cast(Type::Int(p.model.size_type()), Expr::Local(l.w)),
            zeroed: false,
        },
        Action::Free { addr: q.clone(), storage: Storage::Heap },
        Action::Free { addr: q.clone(), storage: Storage::Stack },
        Action::Spawn { to: l.t, entry: Callee::Direct(other), args: vec![q.clone()] },
        Action::Spawn { to: l.t, entry: indirect.clone(), args: vec![] },
        Action::Join { thread: Expr::Local(l.t), to: None },
        Action::Join { thread: Expr::Local(l.t), to: Some(l.q) },
        Action::Call { to: None, callee: Callee::Direct(other), args: vec![q.clone()] },
        Action::Call { to: Some(l.q), callee: Callee::Direct(other), args: vec![Expr::NULL] },
        Action::Call {
            to: Some(l.i),
            callee: indirect,
            args: vec![Expr::int(1, Int::U8), Expr::int(1, Int::I32)],
        },
        Action::EndThread { value: None },
        Action::EndThread { value: Some(Expr::int(3, Int::I64)) },
        Action::Load { to: l.i, from: direct(5, 20, int), mode: Mode::Relaxed },
        Action::Load { to: l.i, from: direct(5, 20, int), mode: Mode::Acquire },
        Action::Store { to: direct(10, 0, int), value: Expr::Local(l.i), mode: Mode::Release },
        Action::Fence(Fence::Acquire),
        Action::Fence(Fence::Release),
        Action::Fence(Fence::AcquireRelease),
        Action::Fence(Fence::Sequential),
        Action::Halt,
        Action::Unsupported { what: "asm(\"nop\")".to_string() },
    ]);
    all
}

fn empty_procedure(name: &str) -> Procedure {
    Procedure {
        name: name.to_string(),
        params: vec![],
        result: None,
        locals: Default::default(),
        locations: Default::default(),
        entry: LocationId::from_u32(0),
        exit: LocationId::from_u32(0),
        span: Span::NONE,
    }
}

/// `worker(arg) -> ptr` with the usual order of locals.
fn worker() -> Procedure {
    let mut procedure = empty_procedure("worker");
    let arg = procedure.add_local("arg", Type::Ptr, true);
    let result = procedure.add_local("result", Type::Ptr, false);
    procedure.params = vec![arg];
    procedure.result = Some(result);
    let entry = procedure.add_location(Grain::Yield);
    procedure.exit = procedure.add_location(Grain::Yield);
    let value = Expr::Local(arg);
    procedure.add_edge(
        entry,
        Action::Assign { to: result, value },
        procedure.exit,
        Span::new(FileId::from_u32(0), 1, 1),
    );
    procedure
}

/// A procedure whose parameters are not its first locals, and whose entry is not its first
/// location.
fn every(p: &Program, layouts: &[LayoutId], other: ProcId) -> Procedure {
    let mut f = empty_procedure("every thing");
    let b = f.add_local("x", Type::Bool, true);
    let i = f.add_local("i32", Type::Int(Int::I32), true);
    let w = f.add_local("if", Type::Int(Int::U64), false);
    let q = f.add_local("ptr", Type::Ptr, true);
    let t = f.add_local("thread", Type::Thread, true);
    f.add_local("none", Type::Int(Int { width: 5, signed: true }), true);
    f.params = vec![q, i];
    f.result = Some(i);
    f.span = Span::new(FileId::from_u32(1), 0, 9);
    f.exit = f.add_location(Grain::Yield);
    let first = f.add_location(Grain::Yield);
    let second = f.add_location(Grain::Atomic);
    let third = f.add_location(Grain::Joined);
    f.entry = second;
    let ends = Ends { b, i, w, q, t };
    let exprs = every_expr(p, &ends);
    let assigns = exprs.into_iter().map(|(to, value)| Action::Assign { to, value });
    for (n, action) in assigns.chain(every_action(p, &ends, layouts, other)).enumerate() {
        let from = [first, second, third][n % 3];
        let span =
            if n % 4 == 0 { Span::NONE } else { Span::new(FileId::from_u32(1), n as u32, 7) };
        f.add_edge(from, action, [second, third, f.exit][n % 3], span);
    }
    f
}

fn everything(model: DataModel) -> Program {
    let mut p = Program { name: "a \"program\"".to_string(), model, ..Program::default() };
    p.files.push(SourceFile { name: "a.c".to_string() });
    p.files.push(SourceFile { name: "dir with spaces/b.h".to_string() });
    let layouts = every_layout(&mut p);
    p.regions.push(Region { name: "x".to_string(), ty: None });
    p.regions.push(Region { name: "node.next".to_string(), ty: Some(Type::Ptr) });
    let worker = p.procedures.push(worker());
    every_object(&mut p, &layouts, worker);
    let mut main = empty_procedure("main");
    let result = main.add_local("r", Type::Int(Int::I32), true);
    main.result = Some(result);
    main.exit = main.add_location(Grain::Yield);
    let main = p.procedures.push(main);
    let procedure = every(&p, &layouts, worker);
    p.procedures.push(procedure);
    for count in [Multiplicity::Exactly(1), Multiplicity::Exactly(3), Multiplicity::Any] {
        for flag in [true, false] {
            p.threads.push(Thread { procedure: main, count, main: flag });
            p.threads.push(Thread { procedure: worker, count, main: flag });
        }
    }
    for (text, span) in
        [("l != \\other(l)", Span::NONE), ("x > \"0\"\n", Span::new(FileId::from_u32(1), 2, 3))]
    {
        p.annotations.push(Annotation::Predicate { text: text.to_string(), span });
    }
    p.notes.push(Note { span: Span::NONE, text: "a note".to_string() });
    p.notes.push(Note { span: Span::new(FileId::from_u32(1), 2, 3), text: "\\".to_string() });
    for what in [
        Assumption::SequentialConsistency,
        Assumption::FewArguments,
        Assumption::FewObjects,
        Assumption::Succeeds("malloc".to_string()),
        Assumption::Havoc("f\"g".to_string()),
        Assumption::Pure("h".to_string()),
    ] {
        p.assumed.push(Assumed { what, span: Span::new(FileId::from_u32(1), 4, 5) });
    }
    p.checks = Some(vec![Property::Assert, Property::Race]);
    p
}

#[test]
fn every_variant_survives() {
    round_trip(&everything(DataModel::Lp64));
}

#[test]
fn every_variant_survives_with_small_pointers() {
    round_trip(&everything(DataModel::Ilp32));
}

#[test]
fn a_program_without_files_gets_none() {
    let mut p = everything(DataModel::Lp64);
    p.files.clear();
    round_trip(&p);
    round_trip(&Program::default());
}

#[test]
fn paths_are_printed_where_the_layout_has_them() {
    let text = print(&everything(DataModel::Lp64));
    for line in [
        "shared s: struct node = { .key = 1, .next = &(x + 2), .\"a name\" = 9, +24 = 1u8 };",
        "per_thread nodes: struct node[4] = { [2].next = &proc worker };",
        "shared m: i32[2][3] = { [1][2] = -2147483648 };",
        "i32 := load m[1][2] ->",
        "ptr := load nodes[1].next in \"node.next\" ->",
        "if := load *(&::x): u64 ->",
        "store *(&u): i32 := 3 ->",
        "store *(ptr): u8 in x := 200 ->",
        "x := i32 < -3 ->",
        "procedure worker(arg: ptr) -> ptr {",
        "procedure \"every thing\"(ptr, i32) -> \"i32\" @f1:0:9 {",
        "entry atomic L2:",
        "thread main 3 worker;",
    ] {
        let without_place = line.strip_suffix(';').unwrap_or(line);
        assert!(text.contains(without_place), "{line}\nis missing in\n{text}");
    }
}

#[test]
fn labels_and_spans_by_hand() {
    let p = parsed(
        "shared x: i32; procedure f() { local t: i32;
         here: t := x -> there;
         there: x := t + 1 -> done; skip -> here @3:4;
         exit done: }",
    );
    let f = &p.procedures[ProcId::from_u32(0)];
    let edges: Vec<&Edge> = f.edges().map(|(_, e)| e).collect();
    assert!(matches!(edges[0].action, Action::Load { .. }));
    assert!(matches!(edges[1].action, Action::Store { .. }));
    assert_eq!(edges[1].span, Span::new(FileId::from_u32(0), 3, 17));
    assert_eq!(edges[2].span, Span::new(FileId::from_u32(0), 3, 4));
    assert_eq!(p.files[FileId::from_u32(0)].name, "test.plato");
    round_trip(&p);
}
