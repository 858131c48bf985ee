//! What belongs together.

use selvedge_ir::spec::{Clause, When};
use selvedge_ir::{Int, Program, Type};

use super::build::{Build, eq, guarded_by};
use super::program;
use crate::components::{Components, HEAP};

const GLOBALS: &str = "
shared m: thread;
shared n: thread;
shared a: i32;
shared b: i32;
shared c: i32;
shared p: ptr;

procedure main() { a := 1; }

thread main main;
";

fn found(clauses: impl Fn(&Program) -> Vec<Clause>) -> (Program, Components) {
    let mut program = program(GLOBALS);
    program.spec.environment = clauses(&program);
    let components = Components::of(&program);
    (program, components)
}

fn of(program: &Program, components: &Components, name: &str) -> Option<u32> {
    let object = program.object_named(name).unwrap();
    components.component(program, (object, 0))
}

#[test]
fn what_one_clause_speaks_of_belongs_together() {
    let int = Type::Int(Int::I32);
    let (program, components) = found(|program| {
        vec![guarded_by(program, "m", "a", int), guarded_by(program, "n", "b", int)]
    });
    let of = |name: &str| of(&program, &components, name);
    assert_eq!(of("m"), of("a"));
    assert_eq!(of("n"), of("b"));
    assert_ne!(of("a"), of("b"));
    assert_eq!((of("c"), of("p")), (None, None));
    let sizes: Vec<usize> = components.all.iter().map(|c| c.environment.len()).collect();
    assert_eq!(sizes, [0, 1, 1]);
}

#[test]
fn a_clause_that_reads_through_a_pointer_may_read_everything() {
    let int = Type::Int(Int::I32);
    let (program, components) = found(|program| {
        let mut b = Build::new(program);
        let pointer = b.global("p", Type::Ptr, When::Before);
        let (old, new) =
            (b.member(&pointer, 0, int, When::Before), b.member(&pointer, 0, int, When::After));
        vec![guarded_by(program, "m", "a", int), b.clause(eq(old, new), "*p stays")]
    });
    assert_eq!(of(&program, &components, "a"), Some(HEAP));
    assert_eq!(of(&program, &components, "c"), Some(HEAP));
    assert_eq!(components.all[HEAP as usize].environment, [0, 1]);
}
