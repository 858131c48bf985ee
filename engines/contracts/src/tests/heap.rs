//! The Apprentice challenge (§7.1): any number of jobs, which count in one container.

use selvedge_ir::spec::{Binding, Contract, When};
use selvedge_ir::{Expr, Int, Program, Type};

use super::build::*;
use super::{fails, program, proved};
use crate::Kind;

const APPRENTICE: &str = "
layout container = struct { mutex: thread; counter: i32; };
layout job = struct { objref: ptr; };

procedure run(job: ptr) {
    local c: ptr;
    local t: i32;
    while (true) {
        c := *(job): ptr;
        lock *(c): thread;
        c := *(job): ptr;
        t := *(c + 8): i32;
        assume t < 1000;
        c := *(job): ptr;
        *(c + 8): i32 := t + 1;
        c := *(job): ptr;
        unlock *(c): thread;
    }
}

procedure main() {
    local container: ptr;
    local bogus: ptr;
    local j: ptr;
    container := alloc container zeroed;
    bogus := alloc container zeroed;
    while (true) {
        j := alloc job zeroed;
        *(j): ptr := container;
        spawn run(j);
    }
}

thread main main;
";

/// Two jobs that look twice, so that everybody can search all interleavings.
pub const FEW_JOBS: &str = "
layout container = struct { mutex: thread; counter: i32; };
layout job = struct { objref: ptr; };

procedure run(job: ptr) {
    local c: ptr;
    local t: i32;
    local u: i32;
    c := *(job): ptr;
    lock *(c): thread;
    c := *(job): ptr;
    t := *(c + 8): i32;
    u := *(c + 8): i32;
    assert t == u;
    assume t < 5;
    *(c + 8): i32 := t + 1;
    unlock *(c): thread;
}

procedure main() {
    local container: ptr;
    local bogus: ptr;
    local j: ptr;
    container := alloc container zeroed;
    bogus := alloc container zeroed;
    j := alloc job zeroed;
    *(j): ptr := container;
    spawn run(j);
    j := alloc job zeroed;
    *(j): ptr := container;
    spawn run(j);
}

thread main main;
";

pub fn few_jobs(model: &str) -> Program {
    apprentice(model)
}

fn apprentice(model: &str) -> Program {
    let mut program = program(model);
    let int = Type::Int(Int::I32);
    let mut b = Build::new(&program);
    let c = b.each("container");
    let (old, new) = (b.member(&c, 8, int, When::Before), b.member(&c, 8, int, When::After));
    let grows = b.clause(le(old, new), "counter <= counter'");
    let mut b = Build::new(&program);
    let c = b.each("container");
    let held = b.member(&c, 0, Type::Thread, When::Before);
    let (old, new) = (b.member(&c, 8, int, When::Before), b.member(&c, 8, int, When::After));
    let guarded = b.clause(implies(eq(held, Expr::Tid), eq(new, old)), "unwritable if held");
    let mut b = Build::new(&program);
    let main = b.bind(Type::Thread, Binding::Main);
    let j = b.each("job");
    let (old, new) =
        (b.member(&j, 0, Type::Ptr, When::Before), b.member(&j, 0, Type::Ptr, When::After));
    let fixed = or(eq(main, Expr::Tid), eq(old.clone(), Expr::NULL).not());
    let objref = b.clause(implies(fixed, eq(new, old)), "tid == main || objref != null");
    let mut b = Build::new(&program);
    let job = b.bind(Type::Ptr, Binding::Parameter(0));
    let objref_now = b.member(&job, 0, Type::Ptr, When::Before);
    let ready = and(eq(job, Expr::NULL).not(), eq(objref_now, Expr::NULL).not());
    let requires = b.clause(ready, "job != null && job->objref != null");
    let run = program.procedure_named("run").unwrap();
    program.spec.contracts =
        vec![Contract { requires: vec![requires], ..anything(&program, contract(run)) }];
    program.spec.environment = vec![grows, guarded, objref];
    program
}

/// A contract that lets every step change counters and locks.
fn anything(program: &Program, contract: Contract) -> Contract {
    let mut b = Build::new(program);
    let c = b.each("container");
    let lock = b.target(c, Type::Thread, "mutex");
    let mut b = Build::new(program);
    let c = b.each("container");
    let counter = b.target(at(&c, 8), Type::Int(Int::I32), "counter");
    Contract { modifies: vec![lock, counter], ..contract }
}

#[test]
fn any_number_of_jobs_is_proved() {
    proved(&apprentice(APPRENTICE));
}

#[test]
fn few_jobs_are_proved() {
    proved(&few_jobs(FEW_JOBS));
}

#[test]
fn the_bogus_container_is_found() {
    let model = APPRENTICE.replace("spawn run(j);", "spawn run(j); *(j): ptr := bogus;");
    fails(&apprentice(&model), |kind| *kind == Kind::Guarantee);
}

#[test]
fn counting_without_the_lock_is_found() {
    let model = APPRENTICE.replace("lock *(c): thread;\n        c :=", "c :=");
    fails(&apprentice(&model), |kind| *kind == Kind::Guarantee);
}

#[test]
fn a_job_without_a_container_is_found() {
    let model = APPRENTICE.replace("*(j): ptr := container;", "");
    fails(&apprentice(&model), |kind| matches!(kind, Kind::Starts(_)));
}

#[test]
fn only_what_is_on_the_heap_is_freed() {
    let model = |freed: &str| {
        format!(
            "shared x: i32;
             procedure main() {{ local p: ptr; p := {freed}; free p; }}
             thread main main;"
        )
    };
    proved(&program(&model("alloc i32")));
    proved(&program(&model("null")));
    fails(&program(&model("&x")), |kind| matches!(kind, Kind::Access(_)));
}

#[test]
fn nobody_writes_what_is_freed() {
    let model = "
        procedure main() {
            local p: ptr;
            p := alloc i32;
            *(p): i32 := 1;
            free p;
            *(p): i32 := 2;
        }
        thread main main;";
    fails(&program(model), |kind| matches!(kind, Kind::Access(_)));
    proved(&program(&model.replace("*(p): i32 := 2;", "")));
}
