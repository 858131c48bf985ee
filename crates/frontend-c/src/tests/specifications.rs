//! Specifications in comments: what they mean, and what is wrong with them.

use selvedge_ir::spec::{Binding, When};
use selvedge_ir::{Program, check, text};

use crate::{Options, compile_text};

/// A mutex as the library models have it, and the functions that the cases speak of.
const BEFORE: &str = "typedef struct { int unused; } pthread_mutex_t;
    int x, y; pthread_mutex_t m; int data[4];
    struct node { int count; struct node *next; pthread_mutex_t lock; } *head;
    void *work(void *argument) { return 0; }
    int main(void) { x = y; return head ? data[0] : x; }
    ";

fn options() -> Options {
    Options { specifications: true, ..Options::default() }
}

/// The program of a text whose specifications are read. It is well-formed, and its text says all.
fn program(source: &str) -> Program {
    let source = format!("{BEFORE}{source}");
    let program = match compile_text("a.c", &source, &options()) {
        Ok(compiled) => compiled.program,
        Err(failure) => {
            panic!("{}", selvedge_c_syntax::render(&failure.diagnostics, &failure.sources, false))
        }
    };
    let violations = check::check(&program);
    assert!(violations.is_empty(), "{}", check::listing(&program, &violations));
    assert_eq!(text::parse("again", &text::print(&program)).expect("Plato"), program);
    program
}

/// What is specified, as Plato text without places, on one line.
fn printed(source: &str) -> String {
    let whole = super::without_places(&text::print(&program(source)));
    let starts = ["environment", "invariant", "contract", "abstract_thread"];
    let first = whole.lines().position(|line| starts.iter().any(|word| line.starts_with(word)));
    let kept = whole.lines().skip(first.expect("a specification"));
    kept.map(str::trim).collect::<Vec<_>>().join(" ")
}

fn messages(source: &str) -> Vec<String> {
    match compile_text("a.c", &format!("{BEFORE}{source}"), &options()) {
        Ok(_) => Vec::new(),
        Err(failure) => failure.diagnostics.into_iter().map(|d| d.message).collect(),
    }
}

#[track_caller]
fn means(source: &str, expected: &str) {
    assert_eq!(printed(source), expected, "{source}");
}

#[test]
fn formulas_are_expressions_over_what_they_read() {
    means(
        "//@ env_assumption y == 1 ==> x' == x;",
        "environment \"y == 1 ==> x' == x\" { t: i32 := load y; t#2: i32 := after x; \
         t#3: i32 := load x; } holds t != 1 || t#2 == t#3;",
    );
    means(
        "//@ env_assumption \\old(x) <= x;",
        "environment \"\\\\old(x) <= x\" { t: i32 := load x; t#2: i32 := after x; } holds t <= t#2;",
    );
    means(
        "//@ global_invariant \\holder(m) == 0 ==> x >= 0;",
        "invariant \"\\\\holder(m) == 0 ==> x >= 0\" { t: thread := load m.holder; \
         t#2: i32 := load x; } holds t != none || t#2 >= 0;",
    );
    means(
        "/*@ global_invariant x ? y > 0 : y == 0;\n  @ global_invariant x <==> y; */",
        "invariant \"x ? y > 0 : y == 0\" { t: i32 := load x; t#2: i32 := load y; \
         t#3: i32 := load y; } holds bool(bool(t) ? i32(t#2 > 0) : i32(t#3 == 0)); invariant \"x <==> y\" { \
         t: i32 := load x; t#2: i32 := load y; } holds i32(!bool(t)) == i32(!bool(t#2));",
    );
}

#[test]
fn conjuncts_are_clauses_of_their_own() {
    let spec = program("//@ global_invariant x > 0 && (y > 0 && x < 9);").spec;
    let texts: Vec<&str> = spec.invariants.iter().map(|clause| clause.text.as_str()).collect();
    assert_eq!(texts, ["x > 0", "y > 0", "x < 9"]);
}

#[test]
fn quantifiers_come_first() {
    let bindings = |source: &str| -> Vec<Binding> {
        let spec = program(source).spec;
        let variables = spec.invariants[0].formula.variables.values();
        variables.map(|variable| variable.binding.clone()).collect()
    };
    let all = bindings("//@ global_invariant \\forall struct node *p; p->count >= 0;");
    assert!(matches!(all[0], Binding::Forall(Some(_))), "{all:?}");
    assert!(matches!(all[1], Binding::Read { when: When::Before, .. }), "{all:?}");
    let none = bindings("//@ global_invariant !(\\exists int i; data[i] < 0);");
    assert!(matches!(none[0], Binding::Forall(None)), "{none:?}");
    let some = bindings("//@ global_invariant x ==> \\exists int i; data[i] == x;");
    assert!(some.iter().any(|binding| matches!(binding, Binding::Exists(None))), "{some:?}");
    let denied = bindings("//@ global_invariant (\\forall int i; data[i] == 0) ==> x == 0;");
    assert!(matches!(denied[0], Binding::Exists(None)), "{denied:?}");
}

#[test]
fn protection_is_an_assumption_for_each_scalar() {
    let spec = program("int z; //@ unwritable_by_env_if \\runs(work);").spec;
    assert_eq!(spec.environment.len(), 1);
    assert!(spec.environment[0].formula.has_two_states());
    let source = "struct pair { int a; int b; };\n\
                  //@ unwritable_by_env_if \\tid == \\main;\nstruct pair p; int q;";
    assert_eq!(program(source).spec.environment.len(), 2);
    let source = "struct job { pthread_mutex_t l; int n; //@ unwritable_by_env_if \\holder(l) == \\tid;\n\
                  struct node *of; };\nstruct job job;";
    let spec = program(source).spec;
    let first = &spec.environment[0].formula.variables.values().next().expect("a variable").binding;
    assert!(matches!(first, Binding::Forall(Some(_))), "{first:?}");
}

#[test]
fn contracts_speak_of_parameters_and_results() {
    let source = "/*@ requires n > 0;\n modifies y;\n action: also_modifies x; ensures x' == x + n;\n\
                  ensures \\result == n; */\nint add(int n) { return n; }";
    means(
        source,
        "contract add { requires \"n > 0\" { n: i32 := parameter 0; } holds n > 0; \
         modifies \"y\" {} at &y: i32; action { modifies \"x\" {} at &x: i32; \
         ensures \"x' == x + n\" { n: i32 := parameter 0; t: i32 := after x; t#2: i32 := load x; } \
         holds t == t#2 + n; } ensures \"\\\\result == n\" { n: i32 := parameter 0; \
         result: i32 := result; } holds result == n; }",
    );
}

#[test]
fn targets_stand_for_what_they_consist_of() {
    let source =
        "/*@ modifies data, *head; modifies \\forall struct node *p; p->count; */ void f(void) {}";
    let spec = program(source).spec;
    let targets = &spec.contracts[0].modifies;
    assert!(
        matches!(targets[0].address.variables.values().next(), Some(v) if v.binding == Binding::Forall(None))
    );
    assert!(targets.len() > 4, "{targets:?}");
    let last = targets.last().expect("a target");
    assert!(last.address.is_quantified() && last.text.starts_with("\\forall"));
}

#[test]
fn abstract_threads_are_state_machines() {
    means(
        "/*@ abstract_thread W abstracts work { state A initial; state B nostutter assert x > 0;\n\
         A -> B: x' == x + 1, modifies x; B -> A; B -> B: modifies y; } */",
        "abstract_thread W abstracts work { state A initial { } state B nostutter { \
         assert \"x > 0\" { t: i32 := load x; } holds t > 0; } step 0 -> 1 { \
         ensures \"x' == x + 1\" { t: i32 := after x; t#2: i32 := load x; } holds t == t#2 + 1; \
         modifies \"x\" {} at &x: i32; } step 1 -> 0 { } step 1 -> 1 { \
         modifies \"y\" {} at &y: i32; } }",
    );
}

#[test]
fn ghost_updates_join_what_a_statement_does() {
    let source = "/*@ ghost int g = 0; */ void f(void) {\n //@ ghost g = g + 1;\n x = y;\n }\n\
                  /*@ requires g == 0; */ void h(void) { f(); }";
    let program = program(source);
    let f = program.procedure_named("f").expect("the function");
    let printed = super::without_places(&text::print(&program));
    let body = printed.split("procedure f()").nth(1).expect("its text");
    let body = body.split('}').next().expect("its body");
    let order = ["load y", "load atomic g", "atomic L2: store atomic g", "store atomic x := "];
    let at: Vec<usize> = order.iter().map(|part| body.find(part).unwrap_or(usize::MAX)).collect();
    assert!(at.is_sorted() && at[3] < usize::MAX, "{at:?} {body}");
    assert!(program.procedures[f].locations.len() >= 4);
}

#[test]
fn sets_maps_and_members_are_variables_of_formulas() {
    let ghosts = "struct t { int a; /*@ ghost int n = 2; ghost \\set<thread> s;
        unwritable_by_env_if n == 1; */ } t;
/*@ ghost \\map<thread, int> turns; */
";
    let text = |rest: &str| printed(&format!("{ghosts}{rest}"));
    assert!(text("").contains("n: i32 := ghost 0 of this"), "{}", text(""));
    assert!(text("").contains("same s#2 s") || text("").contains("same s s#2"), "{}", text(""));
    let counted = text("//@ global_invariant \\count(t.s) == turns[\\tid];");
    assert!(counted.contains("count: i64 := count s;"), "{counted}");
    assert!(counted.contains("entry: i32 := entry turns at tid;"), "{counted}");
    let changed = text(
        "/*@ modifies t.s, turns; action: ensures t.s' == \\add(t.s, \\tid); */ void f(void) {}",
    );
    assert!(changed.contains("at &t: bool ghost 1;"), "{changed}");
    assert!(changed.contains("at null: i32 ghost 2;"), "{changed}");
    assert!(changed.contains("updated: bool := update s#2 at tid := true;"), "{changed}");
    let program = program(&format!(
        "{ghosts} int f(int k) {{\n//@ ghost turns[\\tid] = k + t.n;\nx = k;\n
        //@ loop invariant \\forall int i; i < k ==> \\in(\\tid, t.s);\nwhile (x) x = 0;
        //@ assert turns[\\tid] == k;\nreturn 0; }} int g(void) {{ return f(1); }}
        //@ requires 1;\nint h(void) {{ return g(); }}"
    ));
    let body = text::print(&program);
    assert!(body.contains("ghost_update 2"), "{body}");
    assert!(body.contains("ghost_assert \"turns[\\\\tid] == k\""), "{body}");
}

#[test]
fn macros_are_applied_in_clauses_of_bodies() {
    let source = "#define MOST 7\nvoid f(void) {\n//@ assert x < MOST;\nx = 1; }
        //@ requires 1;\nvoid g(void) { f(); }";
    let text = text::print(&program(source));
    assert!(text.contains("< 7"), "{text}");
}

#[test]
fn macros_may_have_the_words_of_specifications() {
    let source = "#define MINE(v) ((v) == 3 && \\main)\n#define KEPT x' == x\n#define LETTER 'x'
        int owner;\n//@ env_assumption MINE(owner) ==> KEPT && LETTER == 'x';";
    let text = text::print(&program(source));
    assert!(text.contains("LETTER"), "{text}");
    let wrong = "#define MINE(v) ((v) == 3 && \\main && nobody)\n//@ env_assumption MINE(x);";
    let source = format!("{BEFORE}{wrong}");
    let options = Options { specifications: true, ..Options::default() };
    let error = compile_text("a.c", &source, &options).expect_err("a mistake in a macro");
    assert!(format!("{error:?}").contains("`nobody` is not declared"), "{error:?}");
}

#[test]
fn where_specifications_are_not_read_their_words_are_not_supported() {
    let source = format!("{BEFORE}void f(void) {{\n//@ assert \\tid != 0;\nx = 1; }}");
    let source = source.replace("x = y; return", "f(); x = y; return").replacen(
        "int main",
        "void f(void); int main",
        1,
    );
    let compiled = compile_text("a.c", &source, &Options::default()).expect("a program");
    let text = text::print(&compiled.program);
    assert!(
        text.contains("unsupported \"a clause with words or variables of specifications\""),
        "{text}"
    );
}

#[test]
fn without_being_asked_for_specifications_are_comments() {
    let source = format!("{BEFORE}//@ env_assumption nobody == 3;\n/*@ ghost nothing */ int z;");
    let compiled = compile_text("a.c", &source, &Options::default()).expect("comments");
    assert!(compiled.program.spec.is_empty());
}

/// Mistakes, each below the beginning of the message about it.
const MISTAKES: &str = include_str!("wrong_annotations.txt");

#[test]
fn mistakes_are_told() {
    let mistakes = MISTAKES.split("\n== ").skip(1).filter_map(|one| one.split_once('\n'));
    for (expected, source) in mistakes {
        let found = messages(source);
        let told = found.iter().any(|message| message.starts_with(expected));
        assert!(told, "{source}\nexpected: {expected}\nfound: {found:#?}");
    }
}
