//! What the parts of a program look like, and which programs are refused.

use selvedge_ir::spec::{AbstractThread, Binding, When};
use selvedge_ir::{Action, BinaryOp, Const, Expr, Int, Program, Span, Type, check, text};
use selvedge_passes::Limits;

use crate::{Refused, Subject, build};

fn program(source: &str) -> Program {
    text::parse("test.plato", source).expect("Plato")
}

/// One state with a step that may change these variables in any way.
fn anything(program: &Program, procedure: &str, variables: &[&str]) -> AbstractThread {
    let targets = variables.iter().map(|name| {
        let object = program.object_named(name).expect("a variable");
        build::target(program, object).expect("a scalar")
    });
    let step = build::step(0, 0, Vec::new(), targets.collect());
    let procedure = program.procedure_named(procedure).expect("a procedure");
    build::thread("T", procedure, vec![build::state("S", true, Vec::new())], vec![step])
}

fn subject(source: &str, variables: &[&str]) -> Result<Subject, Refused> {
    let mut program = program(source);
    let thread = anything(&program, "worker", variables);
    program.spec.abstract_threads.push(thread);
    Subject::of(&program, &Limits::none())
}

/// The check of the only abstract thread, which is a good program.
fn instrumented(source: &str, variables: &[&str]) -> Program {
    let part = subject(source, variables).and_then(|subject| subject.instrument(0));
    let part = part.expect("a part");
    let violations = check::check(&part);
    assert!(violations.is_empty(), "{}", check::listing(&part, &violations));
    part
}

fn composed(source: &str, variables: &[&str]) -> Result<Program, Refused> {
    let part = subject(source, variables)?.compose()?;
    let violations = check::check(&part);
    assert!(violations.is_empty(), "{}", check::listing(&part, &violations));
    Ok(part)
}

fn unsupported(part: &Program) -> Vec<String> {
    let edges = part.procedures.values().flat_map(|procedure| procedure.edges());
    let what = edges.filter_map(|(_, edge)| match &edge.action {
        Action::Unsupported { what } => Some(what.clone()),
        _ => None,
    });
    what.collect()
}

#[test]
fn memory_outside_of_the_vocabulary_has_any_value() {
    let source = "shared x: i32; shared y: i32; shared m: thread;
        procedure worker() { local t: i32; lock m; t := y; y := t + 1; x := t; unlock m; }
        thread 2 worker;";
    let part = instrumented(source, &["x"]);
    assert_eq!(unsupported(&part), Vec::<String>::new());
    let accesses = part.procedures.values().flat_map(|procedure| procedure.edges());
    assert_eq!(accesses.filter(|(_, edge)| edge.action.place().is_some()).count(), 0);
}

#[test]
fn what_others_may_change_behind_pointers_is_not_supported() {
    let source = "shared x: i32; shared p: ptr;
        procedure worker() { local q: ptr; q := p; *(q): i32 := 1; x := 1; }
        procedure main() { local q: ptr; q := alloc heap i32; p := q; spawn worker(); }
        thread main main;";
    let found = unsupported(&instrumented(source, &["x"]));
    assert!(found[0].starts_with("a pointer read from memory"), "{found:?}");
    assert!(found[1].starts_with("an access through a pointer"), "{found:?}");
}

#[test]
fn memory_of_the_thread_alone_stays() {
    let source = "shared x: i32;
        procedure worker() { local q: ptr; local t: i32; q := alloc heap i32;
            *(q): i32 := 1; t := *(q): i32; x := t; free q; }
        thread 2 worker;";
    let part = instrumented(source, &["x"]);
    assert_eq!(unsupported(&part), Vec::<String>::new());
    let edges = part.procedures.values().flat_map(|procedure| procedure.edges());
    assert_eq!(edges.filter(|(_, edge)| edge.action.place().is_some()).count(), 2);
}

#[test]
fn arguments_that_are_always_the_same_are_known() {
    let source = "shared x: i32;
        procedure worker(p: ptr) { *(p): i32 := 1; }
        procedure main() { spawn worker(&x); spawn worker(&x); }
        thread main main;";
    assert_eq!(unsupported(&instrumented(source, &["x"])), Vec::<String>::new());
    let other = source.replace("spawn worker(&x); }", "spawn worker(null); }");
    assert_eq!(unsupported(&instrumented(&other, &["x"])).len(), 1);
}

#[test]
fn staying_threads_forget_what_replaced_threads_write() {
    let source = "shared x: i32; shared y: i32;
        procedure worker() { y := 1; x := 1; }
        procedure main() { local t: i32; spawn worker(); t := y; x := t; }
        thread main main;";
    let part = composed(source, &["x"]).expect("a composition");
    let main = part.procedure_named("main").expect("main");
    let havoc = |action: &Action| matches!(action, Action::Havoc { .. });
    assert!(part.procedures[main].edges().any(|(_, edge)| havoc(&edge.action)));
    let part = composed(source, &["x", "y"]).expect("a composition");
    let main = part.procedure_named("main").expect("main");
    assert!(!part.procedures[main].edges().any(|(_, edge)| havoc(&edge.action)));
}

#[test]
fn pointers_that_replaced_threads_write_are_refused() {
    let source = "shared x: i32; shared p: ptr;
        procedure worker() { p := &x; }
        procedure main() { local q: ptr; spawn worker(); q := p; *(q): i32 := 1; }
        thread main main;";
    let refused = composed(source, &["x"]).expect_err("it reads a pointer");
    assert!(refused.to_string().starts_with("`p` is read here"), "{refused}");
}

#[test]
fn threads_that_start_threads_are_refused() {
    let source = "shared x: i32; procedure other() { assert x == 0; }
        procedure worker() { spawn other(); x := 1; } thread worker;";
    let refused = composed(source, &["x"]).expect_err("it starts another");
    assert!(refused.to_string().contains("starts another"), "{refused}");
}

#[test]
fn wrong_specifications_are_refused() {
    let source = "shared x: i32; shared m: thread; per_thread own: i32;
        procedure worker() { x := own; } thread 2 worker;";
    let refused = |change: &dyn Fn(&Program, &mut AbstractThread)| {
        let mut program = program(source);
        let mut thread = anything(&program, "worker", &["x"]);
        change(&program, &mut thread);
        program.spec.abstract_threads.push(thread);
        let made = Subject::of(&program, &Limits::none());
        made.and_then(|subject| subject.compose())
            .map_or_else(|why| why.to_string(), |_| "-".into())
    };
    let object = |program: &Program, name: &str| program.object_named(name).expect("a variable");
    assert_eq!(refused(&|_, _| {}), "-");
    let none = refused(&|_, thread| thread.states[0].initial = false);
    assert_eq!(none, "no state of `T` is `initial`");
    let beyond = refused(&|_, thread| thread.transitions[0].to = 7);
    assert_eq!(beyond, "a step of `T` leads to no state");
    let own = refused(&|program, thread| {
        thread.transitions[0].modifies.extend(build::target(program, object(program, "own")));
    });
    assert_eq!(own, "`own` is another variable in each thread");
    let holder = refused(&|program, thread| {
        thread.transitions[0].modifies.extend(build::target(program, object(program, "m")));
    });
    assert_eq!(holder, "say which thread `m` is afterwards: m' == ...");
    let quantified = refused(&|program, thread| {
        let x = object(program, "x");
        let clause = build::clause(program, "all", &[(x, When::Before)], |x| {
            Expr::binary(BinaryOp::Eq, x[0].clone(), Expr::int(0, Int::I32))
        });
        let mut clause = clause.expect("a scalar");
        for variable in clause.formula.variables.values_mut() {
            variable.binding = Binding::Forall(None);
        }
        thread.states[0].asserts.push(clause);
    });
    assert_eq!(quantified, "a formula of an abstract thread has no quantifiers");
}

#[test]
fn threads_are_numbers_in_a_check() {
    let source = "shared m: thread; shared x: i32;
        procedure worker() { lock m; x := 1; unlock m; } thread 2 worker;";
    let mut program = program(source);
    let mut thread = anything(&program, "worker", &["x"]);
    let m = program.object_named("m").expect("m");
    let taken = |value: Expr| {
        build::clause(&program, "m", &[(m, When::After)], |m| {
            Expr::binary(BinaryOp::Eq, m[0].clone(), value)
        })
    };
    for value in [Expr::Tid, Expr::Const(Const::NoThread)] {
        let relation = Vec::from_iter(taken(value));
        let target = Vec::from_iter(build::target(&program, m));
        thread.transitions.push(build::step(0, 0, relation, target));
    }
    program.spec.abstract_threads.push(thread);
    let subject = Subject::of(&program, &Limits::none()).expect("a subject");
    let part = subject.instrument(0).expect("a part");
    assert!(check::check(&part).is_empty());
    let worker = &part.procedures[part.threads[0].procedure];
    assert!(worker.locals.values().all(|local| local.ty != Type::Thread));
    assert!(worker.edges().all(|(_, edge)| edge.span != Span::NONE));
}
