//! Messages about wrong programs.

use super::messages;
use crate::{SourceMap, parse};

/// Checks every message of a program as `line:column message / help`.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let mut sources = SourceMap::new();
    let source = sources.add("t.c", text);
    let shown: Vec<String> = parse(source, &sources)
        .diagnostics
        .iter()
        .map(|it| {
            let place = it.span.map(|span| sources.locate(span)).expect("a place");
            let help = it.help.as_ref().map_or(String::new(), |help| format!(" / {help}"));
            format!("{}:{} {}{help}", place.line, place.column, it.message)
        })
        .collect();
    assert_eq!(shown, expected);
}

#[test]
fn a_message_as_it_is_shown() {
    let expected = "\
error[c-parse]: expected `;` after the declaration, found the keyword `return`
 --> t.c:2:14
  |
2 |     int x = 1
  |              ^ expected `;`
  |
  = help: add `;` here
";
    assert_eq!(messages("int f(void) {\n    int x = 1\n    return x;\n}\n"), expected);
}

#[test]
fn an_unclosed_brace_as_it_is_shown() {
    let expected = "\
error[c-parse]: expected `}`, found the end of the file
 --> t.c:4:1
  |
note: this `{` is never closed
 --> t.c:1:13
  |
1 | int f(void) {
  |             ^
";
    assert_eq!(messages("int f(void) {\n  if (1) {\n  }\n"), expected);
}

#[test]
fn forgotten_semicolons() {
    check(
        "void f(void) { x }\n",
        &["1:17 expected `;` after the expression, found `}` / add `;` here"],
    );
    check(
        "struct s { int a; }\nint x;\n",
        &["1:20 expected `;` after the declaration, found the keyword `int` / add `;` here"],
    );
    check(
        "struct s { int a };\n",
        &["1:17 expected `;` after the member, found `}` / add `;` here"],
    );
    check("int main() { g(1) g(2); }\n", &["1:19 expected `;` after the expression, found `g`"]);
}

#[test]
fn unknown_types_are_told_once() {
    check(
        "foo x;\nfoo y;\n",
        &["1:1 unknown type name `foo` / is an #include missing, or is the name misspelt?"],
    );
    check(
        "void f(pthread_t t, int n);\n",
        &["1:8 unknown type name `pthread_t` / is `#include <pthread.h>` missing?"],
    );
    check(
        "void f(void) { uint32_t *p = 0; bool b; }\n",
        &[
            "1:16 unknown type name `uint32_t` / is `#include <stdint.h>` missing?",
            "1:33 unknown type name `bool` / is `#include <stdbool.h>` missing?",
        ],
    );
    check(
        "void f(int x, y) { }\n",
        &["1:15 unknown type name `y` / every parameter needs a type of its own"],
    );
    check(
        "sttaic int x;\n",
        &["1:1 unknown type name `sttaic` / is an #include missing, or is the name misspelt?"],
    );
}

#[test]
fn brackets() {
    check("void f(void) { if (1 { } }\n", &["1:22 expected `)`, found `{`"]);
    check("void f(void) { g(1, 2; }\n", &["1:22 expected `)`, found `;`"]);
    check("int f(void) { } }\n", &["1:17 this `}` matches no `{` / is a `{` missing above?"]);
}

#[test]
fn statements() {
    check(
        "void f(void) { else x; }\n",
        &["1:16 this `else` belongs to no `if` / without braces only one statement stands \
           between `if` and `else`"],
    );
    check(
        "void f(void) { for (i = 0, i < 3; i++) ; }\n",
        &["1:38 expected `;`, found `)` / `for` has three parts, with `;` between them"],
    );
    check(
        "void f(void) { if (1) int x; }\n",
        &["1:23 expected a statement, found the keyword `int` / put braces around a declaration \
           here"],
    );
    check(
        "void f(void) { do x; until (1); }\n",
        &["1:22 expected `while` after the body of `do`, found `until`"],
    );
    check(
        "return 1;\n",
        &["1:1 expected a declaration, found the keyword `return` / a statement must stand in a \
           function: is there a `}` too many above?"],
    );
}

#[test]
fn expressions() {
    check("int x = 1 +;\n", &["1:12 expected an expression, found `;`"]);
    check(
        "typedef int T; int x = T;\n",
        &["1:24 expected an expression, found `T` / `T` is the name of a type"],
    );
    check(
        "int x = int;\n",
        &["1:9 expected an expression, found the keyword `int` / a type in an expression needs \
           parentheses around it"],
    );
}

#[test]
fn declarations() {
    check("int = 3;\n", &["1:5 expected a name to declare, found `=`"]);
    check("int x y;\n", &["1:7 expected `;` after the declaration, found `y`"]);
    check("int long char x;\n", &["1:10 two types in one declaration"]);
    check("unsigned signed x;\n", &["1:10 both `signed` and `unsigned`"]);
    check("short double x;\n", &["1:1 the only other `double` is `long double`"]);
    check("static extern int x;\n", &["1:8 two storage classes in one declaration"]);
    check(
        "int goto;\n",
        &["1:5 expected a name to declare, found the keyword `goto` / a keyword cannot be the \
           name of a variable or function"],
    );
}

#[test]
fn literals_and_characters() {
    check("int c = '';\n", &["1:9 an empty character constant"]);
    check("int c = 08;\n", &["1:9 digit `8` in the octal constant `08`"]);
    check("int c = 12abc;\n", &["1:9 `abc` is not a suffix of an integer constant"]);
    check("int c = 0x;\n", &["1:9 `0x` has no digits"]);
    check("double c = 1e+;\n", &["1:12 `1e+` is not a complete floating constant"]);
    check("char c = '\\xfff';\n", &["1:10 the escape `fff` is too large"]);
    check("int c = @3;\n", &["1:9 unexpected character `@`"]);
    check(
        "char *s = “;\n",
        &[
            "1:11 unexpected character `“` / a typographic quote: use a plain `\"` or `'`",
            "1:12 expected an expression, found `;`",
        ],
    );
    check("int c\u{10ffe9}\u{1}\u{10ffff};\n", &["1:6 unexpected character `\\xe9`"]);
    check("char *s = L\"a\" u\"b\";\n", &["1:11 strings with different prefixes cannot be joined"]);
    check(
        "char *s = \"abc;\nint x;\n",
        &["1:11 this string is never closed / add the closing `\"`"],
    );
    check(
        "/* never\nint x;\n",
        &["1:1 this comment is never closed / add `*/` where it should end"],
    );
}

#[test]
fn preprocessor_lines_are_a_warning() {
    check(
        "#include <stdio.h>\nint x;\n",
        &["1:1 the directive `#include` is ignored / a file whose name ends in `.i` is taken as \
           preprocessed; rename it if it is not"],
    );
}

#[test]
fn several_mistakes_in_one_run() {
    check(
        "int a = ;\nvoid f(void) {\n  b = ;\n  { c(; }\n  d;\n}\nint e = ;\n",
        &[
            "1:9 expected an expression, found `;`",
            "3:7 expected an expression, found `;`",
            "4:7 expected an expression, found `;`",
            "7:9 expected an expression, found `;`",
        ],
    );
}
