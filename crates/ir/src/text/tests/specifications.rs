//! Specifications: what is written is what is read, and what is wrong is told.

use super::super::{parse, print};
use crate::check;

const MODEL: &str = "
shared x: i32;
shared y: i32;
layout node = struct { 0 count: i32; 8 next: ptr; } size 16;
procedure add(n: i32) -> i32 { return n; }
ghost writer: thread := none;
ghost readers: bool map in node := false;
ghost first: ptr map := null;
procedure work() { skip; }
procedure walk(p: ptr) {
    local n: i32 := 3;
    ghost_update 0 \"\" {} at null \"\" {} to tid;
    ghost_update 1 \"\" { q: ptr := value p; } at q \"\" {
        q: ptr := value p;
        s: bool := ghost 1 of q;
        t: bool := update s at tid := true;
    } to t;
    ghost_assert \"in\" {
        q: ptr := value p;
        k: i32 := value n + 1;
        s: bool := ghost 1 of q;
        t: bool := everywhere false;
        a: bool := entry s at tid;
        b: bool := same s t;
        c: i64 := count s;
        u: thread := ghost 0 of null;
    } holds a && !b && c > 0 && k > 3 && u != none;
    ghost_invariant \"nobody\" { m: ptr := ghost 2 of null; f: ptr := entry m at none; } holds f == null;
}
thread any work;
environment \"y == 1 ==> x' == x\" {
    a: i32 := load y;
    b: i32 := after x;
    c: i32 := load x;
} holds a != 1 || b == c;
environment \"all\" {
    p: ptr := forall in node;
    q: thread := exists;
    m: thread := main;
    r: bool := runs work;
    s: u64 := size p;
    l: bool := alive p;
    k: bool := alive_after p;
    v: ptr := load *(p + 8): ptr;
    w: i32 := after *(v): i32;
} holds (q == m || r) && s > 3 && l && k && w > 0 && tid != none;
invariant \"x\" {} holds true;
contract add {
    requires \"n > 0\" { n: i32 := parameter 0; } holds n > 0;
    modifies \"y\" {} at &y: i32;
    modifies \"readers\" { p: ptr := forall in node; } at p: bool ghost 1;
    action {
        modifies \"x\" {} at &x: i32;
        ensures \"readers\" {
            a: bool := ghost 1 of &x;
            b: bool := ghost_after 1 of &x;
            c: bool := same a b;
        } holds c;
        ensures \"x' > x\" { a: i32 := after x; b: i32 := load x; } holds a > b;
    }
    ensures \"r\" { r: i32 := result; } holds r > 0;
}
abstract_thread Worker abstracts work {
    state Outside initial {}
    state Inside nostutter { assert \"x > 0\" { a: i32 := load x; } holds a > 0; }
    step 0 -> 1 { modifies \"x\" {} at &x: i32; }
}
";

#[test]
fn what_is_printed_is_read_again() {
    let program = parse("model", MODEL).unwrap_or_else(|errors| panic!("{errors:?}"));
    let violations = check::check(&program);
    assert!(violations.is_empty(), "{}", check::listing(&program, &violations));
    let spec = &program.spec;
    assert_eq!((spec.environment.len(), spec.invariants.len()), (2, 1));
    assert!(spec.environment[0].formula.has_two_states());
    assert!(spec.environment[1].formula.is_quantified());
    assert_eq!(spec.contracts[0].actions.len(), 1);
    assert!(!spec.abstract_threads[0].states[1].idles);
    assert_eq!(spec.formulas().count(), 12);
    assert_eq!(spec.ghosts.len(), 3);
    assert_eq!(parse("model", &print(&program)), Ok(program));
}

#[test]
fn mistakes_are_told() {
    for (wrong, right, message) in [
        ("holds a != 1", "holds z != 1", "z"),
        ("parameter 0", "parameter 99999999999", "there are not so many parameters"),
        ("step 0 -> 1", "step 0 -> 2", "states are numbered from 0 to 1"),
        ("abstracts work", "abstracts nobody", "nobody"),
        ("c: i32 := load x;", "a: i32 := load x;", "there are two variables `a`"),
        ("holds r > 0", "with r > 0", "expected `holds`"),
        ("ghost 2 of null", "ghost 3 of null", "there is no ghost 3"),
        ("entry m at none", "entry l at none", "there is no variable `l`"),
        ("a: i32 := after x;", "a: i32 := value 1;", "there is no procedure"),
        ("r: bool := runs work", "r: bool := walks work", "expected what the variable stands for"),
    ] {
        let text = MODEL.replacen(wrong, right, 1);
        let errors = parse("model", &text).expect_err("a mistake");
        let told = errors.iter().any(|error| error.to_string().contains(message));
        assert!(told, "{right}: {errors:?}");
    }
}

#[test]
fn ill_typed_formulas_are_violations() {
    for (wrong, right) in [
        ("c: i32 := load x;", "c: i64 := load x;"),
        ("r: i32 := result;", "r: i64 := result;"),
        ("n: i32 := parameter 0;", "n: i32 := parameter 1;"),
        ("s: u64 := size p;", "s: u32 := size p;"),
        ("{} to tid", "{ m: ptr := ghost 2 of null; } to m"),
        ("holds a && !b", "holds a && !s"),
        ("f: ptr := entry m at none", "f: i32 := entry m at none"),
        ("at p: bool ghost 1", "at p: i32 ghost 1"),
        ("} to t;", "} to true;"),
        ("c: i64 := count s", "c: i32 := count s"),
    ] {
        let text = MODEL.replacen(wrong, right, 1);
        // Some are told already where the text is read.
        if let Ok(program) = parse("model", &text) {
            assert!(!check::check(&program).is_empty(), "{right}");
        }
    }
}
