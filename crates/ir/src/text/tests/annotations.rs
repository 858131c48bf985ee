//! Predicates, as declarations and in comments.

use super::{parsed, round_trip};
use crate::text::{parse, print};
use crate::{Annotation, Program};

fn predicates(program: &Program) -> Vec<(&str, u32, u32)> {
    program.predicates().map(|(text, span)| (text, span.line, span.column)).collect()
}

#[test]
fn predicates_are_declared_or_stand_in_comments() {
    let program = parsed(
        "predicate \"l != \\\\other(l)\";\n\
         procedure f() { //@ predicate x' > 0;\n  skip; }\n\
         /*@ requires y; predicate a\n   @ && b; */ /* predicate c; */\n\
         /*/ predicate d; */ //@ predicates e;\n",
    );
    let expected = [("l != \\other(l)", 1, 11), ("x' > 0", 2, 31), ("a && b", 4, 27)];
    assert_eq!(predicates(&program), expected);
    round_trip(&program);
}

#[test]
fn a_predicate_is_printed_as_a_declaration() {
    let mut program = parsed("thread f; procedure f() { skip; } //@ predicate s == \"t\";\n");
    assert!(print(&program).contains("predicate \"s == \\\"t\\\"\" @f0:1:49;\n"));
    program.annotations = vec![Annotation::Predicate { text: "p".into(), span: crate::Span::NONE }];
    assert!(print(&program).contains("predicate \"p\";\n"));
    round_trip(&program);
}

#[test]
fn mistakes_in_a_predicate_are_reported() {
    let messages = |text: &str| {
        let errors = parse("t.plato", text).expect_err("an error");
        errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    assert!(messages("//@ predicate x > 0").contains("1:5: this predicate has no `;` at its end"));
    assert!(messages("/*@ predicate ; */").contains("1:5: this predicate is empty"));
    assert!(messages("predicate x;").contains("expected the predicate in quotes, found `x`"));
}
