//! Tests of the text form as a whole.

mod annotations;
mod broken;
mod files;
mod random;
mod roundtrip;
mod specifications;
mod structured;

use super::*;

/// The program that a text means; its mistakes fail the test.
fn parsed(text: &str) -> Program {
    match parse("test.plato", text) {
        Ok(program) => program,
        Err(errors) => {
            let list: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("{}\n{text}", list.join("\n"))
        }
    }
}

/// Prints, parses and compares.
fn round_trip(program: &Program) {
    let text = print(program);
    let again = parsed(&text);
    assert_eq!(print(&again), text);
    assert!(again == *program, "the print is the same but the programs differ:\n{text}");
}
