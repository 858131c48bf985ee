//! Wrong input, and several files.

use std::path::PathBuf;

use super::errors;
use crate::{Options, compile};

#[test]
fn several_mistakes_are_told_at_once() {
    let found = errors("int main(void) { undefined = 1; int x = other + 1; return x; }");
    assert_eq!(found, ["`undefined` is not declared", "`other` is not declared"]);
}

#[test]
fn a_name_is_told_once() {
    let found = errors("int main(void) { y = 1; y = 2; return y; }");
    assert_eq!(found.len(), 1);
}

#[test]
fn types_must_fit() {
    for (body, message) in [
        ("struct s { int a; } v; int x = v;", "cannot be converted"),
        ("int x = 1; x.a = 2;", "has no members"),
        ("struct s { int a; } v; v.b = 2;", "no member `b`"),
        ("int x = 1; *x = 2;", "cannot be dereferenced"),
        ("3 = 4;", "cannot be assigned"),
        ("int x[-1];", "negative"),
        ("goto nowhere;", "`nowhere` is not defined"),
        ("break;", "outside a loop"),
        ("struct unknown v;", "incomplete"),
        ("switch (1) { case 1: case 1: ; }", "two `case` labels"),
    ] {
        let found = errors(&format!("int main(void) {{ {body} return 0; }}"));
        assert!(found.iter().any(|m| m.contains(message)), "{body}: {found:?}");
    }
}

#[test]
fn a_program_needs_main() {
    assert_eq!(errors("int f(void) { return 1; }"), ["the program has no `main`"]);
    assert_eq!(errors(""), ["the program has no `main`"]);
}

#[test]
fn definitions_must_agree() {
    let twice = errors("int x = 1; int x = 2; int main(void) { return x; }");
    assert_eq!(twice, ["`x` is defined twice"]);
    let types = errors("int x; char *x; int main(void) { return 0; }");
    assert!(types[0].contains("elsewhere as"), "{types:?}");
    assert!(errors("int x; int x = 2; extern int x; int main(void) { return x; }").is_empty());
}

#[test]
fn a_tag_has_one_kind_in_a_scope() {
    let main = "int main(void) { return 0; }";
    let kind = |known: &str| format!("`e` is the tag of a different kind of type: `{known} e`");
    assert_eq!(errors(&format!("struct e; enum e {{ A }}; {main}")), [kind("struct")]);
    assert_eq!(errors(&format!("enum e {{ A }}; union e {{ int x; }}; {main}")), [kind("enum")]);
    assert_eq!(errors(&format!("union e; struct e {{ int x; }}; {main}")), [kind("union")]);
    let inner = "struct e { int x; }; int main(void) { enum e { A }; enum e a = A; return a; }";
    assert!(errors(inner).is_empty());
}

#[test]
fn files_are_linked() {
    let folder = std::env::temp_dir().join(format!("selvedge-link-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let write = |name: &str, text: &str| -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file");
        path
    };
    let one = write(
        "one.i",
        "extern int x; static int f(void) { return 1; }\nint g(void);\nint main(void) { return x + f() + g(); }\n",
    );
    let two = write(
        "two.i",
        "int x = 4; static int f(void) { return 2; }\nint g(void) { return f(); }\n",
    );
    let clash = write("clash.i", "int x = 5;\n");
    let linked = compile(&[one.clone(), two.clone()], &Options::default());
    let program = linked.expect("it links").program;
    assert!(program.procedure_named("f").is_some() && program.procedure_named("f#2").is_some());
    let failed = compile(&[one, two, clash], &Options::default());
    let failure = failed.expect_err("x is defined twice");
    assert!(failure.diagnostics.iter().any(|d| !d.related.is_empty()));
    std::fs::remove_dir_all(&folder).expect("cleaned up");
}

#[test]
fn the_syntax_tree_is_shown_without_system_headers() {
    let folder = std::env::temp_dir().join(format!("selvedge-syntax-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let file = folder.join("a.c");
    std::fs::write(&file, "#include <stddef.h>\nsize_t n; //@ predicate n > 0;\n").expect("a file");
    let shown = crate::syntax(std::slice::from_ref(&file), &crate::Options::default()).ok();
    std::fs::write(&file, "int x = ;\n").expect("a file");
    let wrong = crate::syntax(&[file], &crate::Options::default());
    std::fs::remove_dir_all(folder).expect("the folder is there");
    assert_eq!(shown.as_deref(), Some("n: <size_t>\npredicate n > 0\n"));
    assert!(wrong.is_err());
}
