//! Loop invariants and predicates: what they add to a program, and that the program itself does not
//! change.

use selvedge_ir::{Annotation, Program, Property, check, text};

use super::{checking, without_places};
use crate::{Compiled, Options, compile_text};

fn compiled(source: &str, options: &Options) -> Compiled {
    compile_text("test.c", source, options).unwrap_or_else(|failure| {
        panic!("{}", selvedge_c_syntax::render(&failure.diagnostics, &failure.sources, false))
    })
}

fn well_formed(program: &Program) {
    let violations = check::check(program);
    assert!(violations.is_empty(), "{}", check::listing(program, &violations));
}

/// The program as text, without places. Layouts that only an invariant needs do no harm.
fn essence(program: &Program) -> Vec<String> {
    let printed = without_places(&text::print(program));
    printed.lines().filter(|line| !line.starts_with("layout ")).map(str::to_owned).collect()
}

/// Programs with `INV` where an invariant goes.
const LOOPS: [&str; 6] = [
    "int g; int main(void) { int i = 0; INV while (i < 3 && g) i++; return i; }",
    "int g; int h; int main(void) { int i = 0; INV for (; g || h; g--) i += h; return i; }",
    "int g; int main(void) { int i = 0; INV for (;;) { if (g) break; i++; } return i; }",
    "int g; int main(void) { int i = 0; INV do i += g; while (i < 3); return i; }",
    "int main(void) { int i = 0, g; INV while (__VERIFIER_nondet_int()) { g = i; i++; } return i; }",
    "int g; int f(void) { int i = 0; INV while (i < g) i++; return i; }\
     int main(void) { int i = f(); int *p = &i; INV while (*p) g = f(); return 0; }",
];

const INVARIANTS: [&str; 5] = [
    "i >= 0",
    "i >= 0 && g <= 3 || i == g",
    "(g ? i : 3) >= 0",
    "((int[]){ 1, 2 })[0] == g && i < 10",
    "i + g > 0 && sizeof i == 4",
];

#[test]
fn the_program_is_the_same_without_its_invariants() {
    let options = checking(&[Property::Assert, Property::Overflow]);
    for program in LOOPS {
        let plain = compiled(&program.replace("INV", ""), &options);
        assert!(plain.annotated.is_none());
        for invariant in INVARIANTS {
            let clause = format!("/*@ loop invariant {invariant}; */");
            let found = compiled(&program.replace("INV", &clause), &options);
            let annotated = found.annotated.expect("the invariants are there");
            assert_eq!(essence(&found.program), essence(&plain.program), "{invariant}");
            well_formed(&found.program);
            well_formed(&annotated);
            let asserted = annotated.procedures.values().flat_map(|p| {
                p.edges().filter(|(_, edge)| {
                    matches!(&edge.action, selvedge_ir::Action::Assert { check, .. }
                        if check.property == Property::Invariant)
                })
            });
            assert!(asserted.count() > 0, "{invariant}\n{}", text::print(&annotated));
        }
    }
}

#[test]
fn what_only_an_invariant_mentions_is_no_part_of_the_program() {
    let source = "int ghost; int f(void) { return 1; } int (*p)(void);\
                  int main(void) { int i = 0;\
                  /*@ loop invariant ghost == 0 && p != f; */ while (i < 3) i++; return 0; }";
    let found = compiled(source, &Options::default());
    let names = |program: &Program| {
        let objects = program.objects.values().map(|object| object.name.clone());
        let procedures = program.procedures.values().map(|procedure| procedure.name.clone());
        objects.chain(procedures).collect::<Vec<_>>()
    };
    assert_eq!(names(&found.program), ["main"]);
    let annotated = found.annotated.expect("the invariant is there");
    assert_eq!(names(&annotated), ["ghost", "p", "main", "f"]);
}

#[test]
fn a_wrong_invariant_is_an_error() {
    let source = "int main(void) { /*@ loop invariant nothing > 0; */ while (1) ; return 0; }";
    assert_eq!(super::errors(source), ["`nothing` is not declared"]);
}

#[test]
fn predicates_reach_the_program() {
    let source = "int x; /*@ predicate x > 0; predicate l != \\other(l); */\n\
                  int main(void) { //@ predicate x > 1;\n return x; }";
    let program = compiled(source, &Options::default()).program;
    let place = |annotation: &Annotation| {
        let Annotation::Predicate { text, span } = annotation;
        (text.clone(), span.line, span.column)
    };
    let found: Vec<_> = program.annotations.iter().map(place).collect();
    let expected = [("x > 0", 1, 22), ("l != \\other(l)", 1, 39), ("x > 1", 2, 32)];
    assert_eq!(found, expected.map(|(text, line, column)| (text.to_owned(), line, column)));
    let printed = text::print(&program);
    assert_eq!(text::parse("test.plato", &printed).as_ref(), Ok(&program), "{printed}");
}
