//! Which clause speaks of which part of memory.

use selvedge_ir::spec::{Clause, When};
use selvedge_ir::{Expr, Int, Program, Type};

use super::build::{Build, at, eq, guarded_by, layout_named, le, number};
use super::program;
use crate::regions::{Region, Regions};

const INT: Type = Type::Int(Int::I32);

const GLOBALS: &str = "
layout cell = struct { v: i32; };
shared m: thread;
shared n: thread;
shared a: i32;
shared b: i32;
shared i: i32;
shared some: cell[4];
shared table: i32[8];
shared p: ptr;
per_thread mine: i32;
procedure main() { a := 1; }
thread main main;
";

struct Found {
    program: Program,
    regions: Regions,
}

fn found(environment: impl Fn(&Program) -> Vec<Clause>) -> Found {
    let mut program = program(GLOBALS);
    program.spec.environment = environment(&program);
    let regions = Regions::of(&program);
    Found { program, regions }
}

impl Found {
    fn of(&self, name: &str) -> Vec<Region> {
        self.regions.of_location(&self.program, (self.program.object_named(name).unwrap(), 0))
    }

    fn scalar(&self, name: &str) -> Region {
        Region::Scalar((self.program.object_named(name).unwrap(), 0))
    }

    fn object(&self, name: &str) -> Region {
        Region::Object(self.program.object_named(name).unwrap())
    }

    fn layout(&self, name: &str) -> Region {
        Region::Layout(layout_named(&self.program, name))
    }
}

/// A member of all cells stays.
fn cells_stay(program: &Program) -> Clause {
    let mut b = Build::new(program);
    let each = b.each("cell");
    let (old, new) = (b.member(&each, 0, INT, When::Before), b.member(&each, 0, INT, When::After));
    b.clause(eq(old, new), "cells stay")
}

/// What is at an offset that is computed.
fn entry_stays(program: &Program) -> Clause {
    let mut b = Build::new(program);
    let index = b.int("i", When::Before);
    let table = Expr::object(program.object_named("table").unwrap());
    let place = Expr::binary(selvedge_ir::BinaryOp::PtrAdd, at(&table, 0), index);
    let (old, new) =
        (b.member(&place, 0, INT, When::Before), b.member(&place, 0, INT, When::After));
    b.clause(eq(old, new), "an entry stays")
}

#[test]
fn a_scalar_of_a_global_is_a_region() {
    let found = found(|program| vec![guarded_by(program, "m", "a", INT)]);
    assert_eq!(found.of("a"), [found.scalar("a")]);
    assert_eq!(found.regions.assuming(found.scalar("a")), [0]);
    // The lock is read before the step only.
    assert!(found.regions.assuming(found.scalar("m")).is_empty());
    assert!(found.regions.assuming(found.scalar("b")).is_empty());
}

#[test]
fn a_global_that_is_read_at_any_offset_is_one_region() {
    let found = found(|program| vec![entry_stays(program)]);
    assert_eq!(found.of("table"), [found.object("table")]);
    assert_eq!(found.regions.assuming(found.object("table")), [0]);
    assert!(!found.regions.whole);
}

#[test]
fn all_elements_of_a_layout_are_one_region() {
    let found = found(|program| vec![cells_stay(program)]);
    assert!(found.of("some").contains(&found.layout("cell")));
    assert!(!found.of("table").contains(&found.layout("cell")));
    assert_eq!(found.regions.assuming(found.layout("cell")), [0]);
    let cells = found.program.objects[found.program.object_named("some").unwrap()].layout;
    assert_eq!(found.regions.of_layout(&found.program, cells), [found.layout("cell")]);
    assert!(found.regions.behind_pointers().contains(&found.layout("cell")));
}

#[test]
fn what_is_read_through_a_pointer_may_be_anything() {
    let found = found(|program| {
        let mut b = Build::new(program);
        let pointer = b.global("p", Type::Ptr, When::Before);
        let (old, new) =
            (b.member(&pointer, 0, INT, When::Before), b.member(&pointer, 0, INT, When::After));
        vec![b.clause(eq(old, new), "*p stays")]
    });
    assert!(found.regions.whole);
    assert!(found.of("b").contains(&Region::Heap));
    assert_eq!(found.regions.assuming(Region::Heap), [0]);
}

#[test]
fn what_every_thread_has_is_no_region_of_its_own() {
    let found = found(|program| vec![guarded_by(program, "m", "a", INT)]);
    assert_eq!(found.of("mine"), [Region::Heap]);
}

#[test]
fn clauses_about_a_region_bring_those_about_what_they_speak_of() {
    let mut program = program(GLOBALS);
    program.spec.environment =
        vec![guarded_by(&program, "m", "a", INT), guarded_by(&program, "n", "b", INT)];
    let mut b = Build::new(&program);
    let (small, large) = (b.int("a", When::Before), b.int("i", When::Before));
    let ordered = b.clause(le(small, large), "a is below i");
    let mut b = Build::new(&program);
    let alone = b.int("b", When::Before);
    let positive = b.clause(le(number(0), alone), "b is positive");
    program.spec.invariants = vec![ordered, positive];
    let regions = Regions::of(&program);
    let scalar = |name: &str| Region::Scalar((program.object_named(name).unwrap(), 0));
    assert_eq!(regions.about([scalar("i")]), (vec![0], vec![0]));
    assert_eq!(regions.about([scalar("b")]), (vec![1], vec![1]));
    assert_eq!(regions.about([scalar("m")]), (vec![], vec![]));
}
