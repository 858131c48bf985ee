//! Deep, long and cut-off input: always an answer, never a crash.

use super::{messages, on_one_line};
use crate::{SourceMap, parse, show};

/// Runs on a stack like that of the program, since dropping a deep tree needs stack, too.
fn with_large_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(test);
    thread.expect("a thread").join().expect("the test passes");
}

fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn moderate_nesting_parses() {
    assert_eq!(messages(&format!("int x = {};", nested("(", "1", ")", 1000))), "");
    assert_eq!(messages(&format!("void f(void) {}", nested("{", ";", "}", 1000))), "");
}

#[test]
fn excessive_nesting_is_refused_once() {
    let programs = [
        format!("int x = {};", nested("(", "1", ")", 10_000)),
        format!("int x = {};", nested("-", "1", "", 10_000)).replace("--", "- -"),
        format!("int x = {};", nested("(int)", "1", "", 10_000)),
        format!("int x = {};", nested("f(", "1", ")", 10_000)),
        format!("int x = {};", nested("{", "1", "}", 10_000)),
        format!("void f(void) {}", nested("{", ";", "}", 10_000)),
        format!("void f(void) {{ {} ; }}", "if (1) while (1) ".repeat(5_000)),
        format!("int {};", nested("(", "x", ")", 10_000)),
        nested("struct { ", "int x;", "};", 10_000),
        format!("void f(int {});", nested("(*", "x", ")(int)", 10_000)),
        format!("int x = {};", "a = ".repeat(10_000) + "1"),
        format!("int x = {};", nested("({ ", "1;", "});", 10_000)),
        format!("int a{};", nested("[sizeof(int", "", ")]", 10_000)),
    ];
    with_large_stack(move || {
        for program in programs {
            let text = messages(&program);
            let start: String = program.chars().take(40).collect();
            assert_eq!(text.matches("error[c-nesting]").count(), 1, "{start}: {text}");
            assert_eq!(text.matches("error[").count(), 1, "{start}: {text}");
        }
    });
}

#[test]
fn unclosed_nesting_is_no_overflow() {
    with_large_stack(|| {
        for opening in ["(", "{", "[", "({", "int f(", "if (", "struct {", "a ? ", "x[", "((int"] {
            let text = messages(&format!("void f(void) {{ {}", opening.repeat(5_000)));
            assert!(text.contains("error["), "{opening}");
        }
    });
}

#[test]
fn long_rows_parse() {
    let programs = [
        format!("int x = 1{};", " + 1".repeat(20_000)),
        format!("int x = {}0;", "a ? 1 : ".repeat(5_000)),
        format!("void f(void) {{ x{}; }}", ", x".repeat(20_000)),
        format!("void f(void) {{ {} ; }}", "if (a) b; else ".repeat(5_000)),
        format!("void f(void) {{ switch (a) {{ {} ; }} }}", "case 1: ".repeat(5_000)),
        format!("void f(void) {{ {} ; }}", "l: ".repeat(5_000)),
        format!("int {}x;", "*".repeat(5_000)),
        format!("int x{};", "[2]".repeat(5_000)),
        format!("void f(void) {{ x{}; }}", "[2]".repeat(5_000)),
        format!("int a[] = {{ {} }};", "1, ".repeat(50_000)),
        format!("char *s = {};", "\"a\" ".repeat(50_000)),
    ];
    with_large_stack(move || {
        for program in programs {
            assert_eq!(messages(&program), "");
        }
    });
}

#[test]
fn endless_rows_are_refused() {
    with_large_stack(|| {
        let text = messages(&format!("int x = 1{};", " + 1".repeat(100_000)));
        assert_eq!(text.matches("error[c-nesting]").count(), 1, "{text}");
    });
}

const PROGRAM: &str = r#"# 1 "a.c"
typedef struct node { struct node *next; int v : 3; union { int a; char b[2]; }; } node;
enum color { RED = 1, GREEN };
static _Atomic(int) counter __attribute__((aligned(8))) = 0x1fUL;
int f(a, b) int a; char *b; { return a ? *b : 'x'; }
void *work(void *arg) {
  node n = { .next = (node *)0, .v = 1 }, *p = &n;
  for (int i = 0; i < 3; i++) { if (i == 2) continue; else p->v += i; }
  do { counter++; } while (counter < 10 && !f(1, "a\n" L"b"));
  switch (n.v) { case 1 ... 2: l: goto l; default: ; }
  asm volatile("" : "=r"(n.v) : [x] "r"(1) : "memory"); /* comment */
  return ({ __auto_type t = arg; sizeof(t) + _Generic(t, int: 1, default: 1.5e3f); }), (void *)0;
}
#pragma pack(1)
_Static_assert(sizeof(int) == 4, "size"); // end
"#;

#[test]
fn every_prefix_gives_an_answer() {
    assert_eq!(messages(PROGRAM), "");
    for end in 0..PROGRAM.len() {
        messages(&PROGRAM[..end]);
    }
}

#[test]
fn every_gap_gives_an_answer() {
    for start in 0..PROGRAM.len() {
        let end = (start + 7).min(PROGRAM.len());
        messages(&format!("{}{}", &PROGRAM[..start], &PROGRAM[end..]));
    }
}

#[test]
fn every_start_gives_an_answer() {
    for start in 0..PROGRAM.len() {
        messages(&PROGRAM[start..]);
    }
}

#[test]
fn stray_tokens_give_an_answer() {
    let tokens = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ";",
        ",",
        "*",
        "=",
        ":",
        "?",
        "int",
        "struct",
        "x",
        "1",
        "'",
        "\"",
        "case",
        "else",
        "__attribute__",
        "[[",
        "asm",
        "#",
        "\\",
        "...",
        "typedef",
    ];
    for first in tokens {
        for second in tokens {
            for third in tokens {
                messages(&format!("{first} {second} {third}"));
                messages(&format!("void f(void) {{ {first} {second} {third} }} int y;"));
            }
        }
    }
}

#[test]
fn what_follows_an_error_is_still_there() {
    let mut sources = SourceMap::new();
    let text = "int a = ;\nint b;\nvoid f(void) { x = ; y; }\nint c;\n";
    let source = sources.add("t.c", text);
    let parsed = parse(source, &sources);
    assert_eq!(parsed.diagnostics.len(), 2);
    assert_eq!(
        on_one_line(&show(&parsed.unit, &sources)),
        "b: int\nf: function() to void {y}\nc: int"
    );
}

#[test]
fn deep_trees_are_shown() {
    with_large_stack(|| {
        for text in [
            format!("int x = {};", nested("(", "1", ")", 900)),
            format!("int x = 1{};", " + 1".repeat(40_000)),
            format!("void f(void) {{ {} }}", nested("{", "", "}", 900)),
        ] {
            let mut sources = SourceMap::new();
            let source = sources.add("t.c", text);
            let parsed = parse(source, &sources);
            assert!(parsed.diagnostics.is_empty());
            assert!(!show(&parsed.unit, &sources).is_empty());
        }
    });
}
