//! Objects, initialisers and layouts.

use selvedge_ir::Property;

use super::{actions, body_of, checking, plato, plato_with, procedure};

const MALLOC: &str = "void *malloc(unsigned long); void free(void *);";

#[test]
fn initialisers_follow_designators_and_missing_braces() {
    let source = "struct p { int x, y; }; struct l { struct p a, b; int arr[3]; };\
                  struct l g = { .b = { .y = 9 }, .arr = { [1] = 4, 5 }, .a.x = 3, 8 };\
                  int main(void) { return g.a.x; }";
    let text = plato(source);
    let wanted = "{ .a.x = 3, .a.y = 8, .b.y = 9, .arr[1] = 4, .arr[2] = 5 }";
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn array_ranges_and_lengths() {
    let source = "int a[] = { [3] = 7, [0 ... 1] = 2, 11 }; int n = sizeof a;\
                  int main(void) { return a[0] + n; }";
    let text = plato(source);
    assert!(text.contains("a: i32[4] = { [0] = 2, [1] = 2, [2] = 11, [3] = 7 }"), "{text}");
    assert!(text.contains("n: i32 = 16"), "{text}");
}

#[test]
fn only_locals_with_an_address_are_objects() {
    let source = "int f(int *p) { return *p; }\
                  int main(void) { int a = 1, b = 2; f(&a); return b; }";
    let text = procedure(source, "main");
    assert!(text.contains("a#addr := alloc stack i32"), "{text}");
    assert!(text.contains("local b: i32"), "{text}");
}

#[test]
fn memory_is_laid_out_as_its_pointer_says() {
    for (body, layout) in [
        ("struct node *n = malloc(sizeof *n);", "struct node"),
        ("void *n = (int *)malloc(8);", "i32"),
        ("void *n = malloc(8);", "bytes1"),
        ("struct node *n; n = malloc(3);", "bytes1"),
    ] {
        let source = format!(
            "{MALLOC} struct node {{ int v; struct node *next; }};\
             int main(void) {{ {body} free(n); return 0; }}"
        );
        let found = actions(&source, "main");
        let alloc = found.iter().find(|a| a.contains("alloc heap")).expect("an allocation");
        assert!(alloc.contains(&format!("alloc heap {layout} size")), "{body}: {alloc}");
    }
}

#[test]
fn a_bit_field_is_masked_in_and_out() {
    let source = "struct s { unsigned a : 3, b : 5; } x;\
                  int main(void) { x.b = 9; return x.b; }";
    assert_eq!(
        actions(source, "main"),
        [
            "t := load x.bits0",
            "store x.bits0 := (t & 7) | 72",
            "t#2 := load x.bits0",
            "result := i32((t#2 >> 3) & 31)",
        ]
    );
}

#[test]
fn structs_move_member_by_member() {
    let source = "struct p { int x; char c; } a, b; int main(void) { a = b; return 0; }";
    assert_eq!(
        actions(source, "main"),
        ["t := load b.x", "store a.x := t", "t#2 := load b.c", "store a.c := t#2", "result := 0"]
    );
}

#[test]
fn clearing_with_memset_is_typed() {
    let source = "void *memset(void *, int, unsigned long); struct p { int x; void *n; } a;\
                  int main(void) { memset(&a, 0, sizeof a); return 0; }";
    assert_eq!(actions(source, "main"), ["store a.x := 0", "store a.n := null", "result := 0"]);
}

#[test]
fn a_block_ends_the_life_of_its_objects_where_memory_is_checked() {
    let source = "int *p; int main(void) { { int x = 1; p = &x; } return *p; }";
    let text = plato_with(source, &checking(&[Property::Memory]));
    let main = body_of(&text, "main");
    let freed = main.find("free stack x#addr").expect("the block frees");
    let read = main.rfind("load *(").expect("the read behind it");
    assert!(freed < read, "{main}");
    assert!(!procedure(source, "main").contains("free stack"));
}

#[test]
fn thread_locals_and_statics() {
    let source = "_Thread_local int a; static int f(void) { static int n = 3; return n++; }\
                  int main(void) { return a + f(); }";
    let text = plato(source);
    assert!(text.contains("f$n: i32 = 3"), "{text}");
    assert!(text.contains("a: i32") && text.contains("thread"), "{text}");
}

#[test]
fn a_pointer_to_no_object_is_stored_at_the_start() {
    let source = "void *bad = (void *)-1; int main(void) { return bad == 0; }";
    let found = actions(source, "main");
    assert!(found.contains(&"store bad := ptr(-1)".to_owned()), "{found:?}");
}
