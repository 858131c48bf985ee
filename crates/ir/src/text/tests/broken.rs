//! Broken texts: every mistake has its place, and nothing makes the parser panic.

use super::*;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let errors = parse("test.plato", text).expect_err("the text is broken");
    let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(shown.len(), expected.len(), "{shown:#?}");
    for (shown, expected) in shown.iter().zip(expected) {
        assert!(shown.starts_with(expected), "{shown}\nshould start with\n{expected}");
    }
}

#[test]
fn several_mistakes_at_once() {
    check(
        "shared x i32;\nprocedure f() {\n  x = 1;\n  assume ;\n  frobnicate x;\n}\nthread 3 f;\nbogus;",
        &[
            "1:10: expected `:`, found `i32`",
            "3:5: expected `:=`, found `=` (help: assignment is written `:=`)",
            "4:10: expected an expression, found `;`",
            "5:3: `frobnicate` does not start an action",
            "8:1: expected a declaration, found `bogus`",
        ],
    );
}

#[test]
fn names_and_types() {
    check(
        "shared x: i32; shared s: ptr;\nprocedure f(n: i64) {\n  x := y;\n  x := n;\n  x := s + 1;\n  \
         if (x) { }\n  s := 0;\n  call f(1, 2);\n  call g();\n  lock x;\n  x := 3000000000;\n  \
         n := &n;\n  return 1;\n}\nthread h;",
        &[
            "3:8: `y` is not declared",
            "4:8: expected i32, found i64 (help: a conversion is written `i32(e)`)",
            "5:8: expected i32, found ptr",
            "6:7: expected bool, found i32 (help: compare it",
            "7:8: expected ptr, found a number (help: the null pointer is `null`)",
            "8:8: `f` takes 1 arguments, not 2",
            "9:8: there is no procedure `g`",
            "10:8: a lock has type thread, this is i32",
            "11:8: 3000000000 does not fit i32",
            "12:9: `n` is a local",
            "13:3: this procedure returns nothing",
            "15:8: there is no procedure `h`",
        ],
    );
}

#[test]
fn a_mistyped_name_is_recognised() {
    check(
        "shared counter: i32;\nprocedure worker() {\n  conter := 1;\n  counter := worker;\n}\nthread workr;",
        &[
            "3:3: `conter` is not declared (help: there is `counter`)",
            "4:14: the procedure `worker` is not a value (help: its address is `&worker`)",
            "6:8: there is no procedure `workr` (help: there is `worker`)",
        ],
    );
}

#[test]
fn graphs() {
    check("procedure f() { L0: skip -> L1; exit L2: }", &["1:29: there is no label `L1`"]);
    check("procedure f() { L0: skip -> L0; }", &["1:11: no location of `f` is its exit"]);
    check(
        "shared x: i32; procedure f() { local t: i32; L0: t := x + 1 -> L1; exit L1: }",
        &["1:55: this reads shared memory"],
    );
    check("procedure f() { exit L0: L0: }", &["1:26: there is a label `L0` already"]);
    check("procedure f() { exit L0: exit L1: }", &["1:31: `f` has an exit already"]);
}

#[test]
fn tokens() {
    check("shared x: i32 = 99999999999999999999;", &["1:17: this number does not fit 64 bits"]);
    check("program \"no end", &["1:9: this text does not end", "1:16: expected `;`"]);
    check("/* no end", &["1:1: this comment does not end"]);
    check("§", &["1:1: unexpected character '§'"]);
    check("note \"\\q\";", &["1:7: unknown escape"]);
    check("procedure f() { skip @1; }", &["1:22: this is not a source place"]);
    check("shared x: i32 = 5q;", &["1:17: `q` is not an integer type"]);
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("(", ")"), ("!", ""), ("true ? true : ", ""), ("bool(", ")")] {
        let n = 100_000;
        let text = format!("procedure f() {{ assume {}true{}; }}", open.repeat(n), close.repeat(n));
        let errors = parse("deep", &text).expect_err("too deep");
        assert!(errors.iter().any(|e| e.message == "nested too deeply"), "{:?}", errors[0]);
    }
    let chain = format!("procedure f() {{ assume 1{} == 0; }}", " + 1".repeat(100_000));
    assert!(parse("long", &chain).is_err());
    let blocks = format!("procedure f() {{ {} }}", "if (true) {".repeat(100_000));
    assert!(parse("blocks", &blocks).is_err());
}

#[test]
fn moderate_nesting_is_fine() {
    let n = 3_000;
    let text = format!("procedure f() {{ assume {}true{}; }}", "(!".repeat(n), ")".repeat(n));
    round_trip(&parsed(&text));
    let arms = format!("procedure f() {{ {} {{ }} }}", "if (true) { skip; } else ".repeat(n));
    round_trip(&parsed(&arms));
    let n = 9_000;
    let blocks = format!("procedure f() {{ {} {} }}", "if (true) {".repeat(n), "}".repeat(n));
    round_trip(&parsed(&blocks));
    let chain = format!("procedure f() {{ assume 1{} == 0; }}", " + 1".repeat(n));
    round_trip(&parsed(&chain));
}

const SAMPLE: &str = "program \"p\"; model ilp32; /* a */ file f0 \"a.c\";
layout struct node = struct { 0 key: i32; 4 next: ptr; } size 8;
region r: i32;
shared x: i32 = -5 @f0:1:2; per_thread s: struct node = { .key = 3, +4 = null };
procedure f(n: i32, p: ptr) -> i32 {
  local k: u8 = 3u8;
  while (x < 0 && s.key != 2) { atomic { x := x + n; choose { wait x > 1; } or { halt; } } }
  *(p + 4): ptr := alloc stack struct node[2] size 16;
  if (add_overflows(n, 1)) { check overflow false \"over\\u{41}\"; } else { return ~n; }
}
procedure g() { temp t: i32; L0: t := load atomic x in r -> L1 @f0:3:4; exit L1: }
thread any f; thread main g; note \"n\" @2:3;";

#[test]
fn no_prefix_panics() {
    parsed(SAMPLE);
    for end in (0..SAMPLE.len()).filter(|n| SAMPLE.is_char_boundary(*n)) {
        let _ = parse("prefix", &SAMPLE[..end]);
    }
}

#[test]
fn no_change_of_bytes_panics() {
    let mut random = super::random::Random(7);
    for _ in 0..4_000 {
        let mut bytes = SAMPLE.as_bytes().to_vec();
        for _ in 0..random.below(3) + 1 {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = random.below(256) as u8,
                1 => drop(bytes.remove(at)),
                _ => {
                    let from = random.below(bytes.len());
                    bytes.insert(at, bytes[from]);
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        if let Ok(program) = parse("flipped", &text) {
            round_trip(&program);
        }
    }
}
