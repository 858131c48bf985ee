//! Which globals no pointer leads to.

use selvedge_ir::spec::{Binding, When};
use selvedge_ir::{Expr, Int, Program, Type};

use super::build::{Build, contract, eq, global_target, guarded_by, number};
use super::program;
use crate::apart::{apart, types_in};

const INT: Type = Type::Int(Int::I32);

/// A program with this in the body of `main`.
fn model(body: &str) -> Program {
    program(&format!(
        "layout cell = struct {{ v: i32; w: thread; }};
        shared m: thread;
        shared a: i32;
        shared b: i32;
        shared one: cell;
        shared some: cell[4];
        shared p: ptr;
        per_thread mine: i32;
        procedure take(q: ptr) {{ skip; }}
        procedure main() {{ local t: i32; local r: ptr; {body} }}
        thread main main;"
    ))
}

/// The names of the globals that are apart.
fn names(program: &Program) -> Vec<&str> {
    let apart = apart(program);
    let named = program.objects.iter().filter(|(id, _)| apart.contains(id));
    named.map(|(_, object)| object.name.as_str()).collect()
}

#[test]
fn a_global_is_apart_while_it_is_accessed_by_its_name() {
    let program = model("a := 1; t := a; *(&b): i32 := t; lock m; unlock m;");
    assert_eq!(names(&program), ["m", "a", "b", "one", "some", "p"]);
}

#[test]
fn a_pointer_leads_to_what_somebody_takes_the_address_of() {
    for body in ["p := &a;", "call take(&a);", "r := p; assert r != &a;", "*(&p): ptr := &a;"] {
        assert_eq!(names(&model(body)), ["m", "b", "one", "some", "p"], "{body}");
    }
}

#[test]
fn formulas_take_addresses_but_not_of_what_they_read() {
    let mut program = model("a := 1;");
    program.spec.environment = vec![guarded_by(&program, "m", "a", INT)];
    let take = program.procedure_named("take").expect("declared");
    let mut own = contract(take);
    own.modifies.push(global_target(&program, "b", INT));
    program.spec.contracts.push(own);
    assert!(names(&program).contains(&"a") && names(&program).contains(&"b"));
    let mut b = Build::new(&program);
    let pointer = b.global("p", Type::Ptr, When::Before);
    let a = Expr::object(program.object_named("a").expect("declared"));
    let clause = b.clause(eq(pointer, a), "p leads to a");
    program.spec.invariants.push(clause);
    assert_eq!(names(&program), ["m", "b", "one", "some", "p"]);
}

#[test]
fn what_a_formula_says_of_all_elements_is_said_of_globals_too() {
    let mut program = model("a := 1;");
    let mut b = Build::new(&program);
    let each = b.each("cell");
    let value = b.member(&each, 0, INT, When::Before);
    let clause = b.clause(eq(value, number(0)), "all are zero");
    program.spec.invariants.push(clause);
    assert_eq!(names(&program), ["m", "a", "b", "p"]);
}

#[test]
fn a_formula_about_all_pointers_is_about_every_global() {
    let mut program = model("a := 1;");
    let mut b = Build::new(&program);
    let any = b.bind(Type::Ptr, Binding::Forall(None));
    let value = b.member(&any, 0, INT, When::Before);
    let clause = b.clause(eq(value, number(0)), "everything is zero");
    program.spec.invariants.push(clause);
    assert!(names(&program).is_empty());
}

#[test]
fn scalars_of_a_layout_are_those_of_its_parts() {
    let program = model("a := 1;");
    let of = |name: &str| {
        let object = program.object_named(name).expect("declared");
        types_in(&program, program.objects[object].layout)
    };
    assert_eq!(of("some"), Some([INT, Type::Thread].into_iter().collect()));
    assert_eq!(of("p"), Some([Type::Ptr].into_iter().collect()));
}
