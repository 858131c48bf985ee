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

/// A mistake and the beginning of the message about it.
const MISTAKES: [(&str, &str); 46] = [
    (
        "//@ ensures \\old(x) == 3;\nint g(void) { return 1; }",
        "this speaks of the state at the call only",
    ),
    (
        "//@ ensures x' == 3 && x == 2;\nint g(void) { return 1; }",
        "this speaks of the state at the call only",
    ),
    ("//@ env_assumption nobody == 3;", "`nobody` is not declared"),
    ("//@ env_assumption x' = 3;", "a formula changes a variable"),
    ("//@ env_assumption x++ == 3;", "a formula changes a variable"),
    ("//@ env_assumption work(0) == 0;", "a formula calls a function"),
    ("//@ env_assumption ({ x; }) == 0;", "a formula contains statements"),
    ("//@ env_assumption *(int[]){1} == 0;", "a formula makes an object"),
    ("//@ global_invariant x' == 3;", "this formula speaks of one state only"),
    ("//@ global_invariant \\old(x) == 3;", "this formula speaks of one state only"),
    ("int z; //@ unwritable_by_env_if x' == 3;", "this formula speaks of one state only"),
    ("//@ env_assumption x' == \\old(x);", "a formula is written with primes or with `\\old`"),
    ("//@ env_assumption \\forall x == 3;", "expected the type of the variable"),
    ("//@ env_assumption (\\forall int i; i == i) + 1;", "a quantifier cannot stand inside"),
    ("//@ env_assumption (x == 3) == \\forall int i; i == i;", "a quantifier cannot stand inside"),
    ("//@ global_invariant \\forall struct node n; n.count == 0;", "a quantifier ranges over"),
    ("//@ global_invariant \\forall int i = 3; i == i;", "a quantified variable has no initial"),
    ("//@ global_invariant \\result == 3;", "there is no result that `\\result` could mean"),
    ("//@ global_invariant \\nothing == 3;", "`\\nothing` is not a word of specifications"),
    ("//@ global_invariant \\nothing(x) == 3;", "`\\nothing` is not a word of specifications"),
    ("//@ global_invariant \\holder(x) == 0;", "`\\holder` takes a mutex, not `int`"),
    ("//@ global_invariant \\holder(m, m) == 0;", "`\\holder` takes 1 argument, not 2"),
    ("//@ global_invariant \\runs(x);", "`\\runs` takes the name of a function"),
    ("//@ global_invariant \\length(x) == 0;", "a pointer is expected here"),
    ("//@ global_invariant \\alive(x);", "a pointer is expected here"),
    ("//@ global_invariant \\other(x) == 0;", "`\\other` belongs into `predicate`"),
    ("//@ global_invariant m == 0;", "`==` cannot be applied"),
    ("//@ global_invariant head->nothing == 0;", "`struct node` has no member `nothing`"),
    ("//@ global_invariant x == ;", "expected an expression, found `;`"),
    ("//@ global_invariant x == 0", "expected `;` after the clause"),
    ("/*@ global_invariant x == 0; nonsense y; */", "expected a clause of a specification"),
    ("//@ unwritable_by_env_if x == 3;\nvoid f(void) {}", "`unwritable_by_env_if` must stand at"),
    ("//@ requires x == 3;\nint z;", "what a function requires and does must stand at"),
    ("//@ requires x == 3;", "what a function requires and does must stand at"),
    ("struct s { int a; //@ requires a > 0;\n};", "expected `unwritable_by_env_if`"),
    ("/*@ requires 1; */ void f(void); ", "`f` is specified, but not defined"),
    ("/*@ requires n > 0; */ void f(int k) {}", "`n` is not declared"),
    ("/*@ requires \\result == 0; */ int f(void) { return 0; }", "there is no result"),
    ("/*@ ensures \\result == 0; */ void f(void) {}", "there is no result"),
    ("/*@ modifies 3; */ void f(void) {}", "only variables in memory that threads share"),
    ("/*@ modifies n; */ void f(int n) {}", "only variables in memory that threads share"),
    ("/*@ action: ; */ void f(void) {}", "expected `also_modifies` or `ensures`"),
    ("/*@ abstract_thread A abstracts nobody { state S initial; } */", "there is no function"),
    (
        "/*@ abstract_thread A abstracts work { state S; } */",
        "the abstract thread `A` has no initial",
    ),
    (
        "/*@ abstract_thread A abstracts work { state S initial; S -> T; } */",
        "there is no state `T`",
    ),
    (
        "/*@ abstract_thread A abstracts work { state S initial; state S; } */",
        "there are two states",
    ),
];

#[test]
fn mistakes_are_told_at_their_places() {
    for (source, expected) in MISTAKES {
        let found = messages(source);
        let told = found.iter().any(|message| message.starts_with(expected));
        assert!(told, "{source}\nexpected: {expected}\nfound: {found:#?}");
    }
}

#[test]
fn mistakes_about_specification_variables() {
    let cases = [
        ("/*@ ghost int g; */ void f(void) { g = 3; }", "`g` is a specification variable"),
        ("void f(void) {\n//@ ghost x = 3;\ny = 1; }", "a ghost statement changes specification"),
        ("/*@ ghost int g; */ void f(void) {\n//@ ghost g;\ny = 1; }", "a ghost statement is an"),
        (
            "/*@ ghost int g; */ void f(void) {\n//@ ghost g = 1;\n; }",
            "the statement after `ghost`",
        ),
        (
            "/*@ ghost int g; */ void f(void) {\n//@ ghost g = 1;\nx = y = 1; }",
            "the statement after `ghost` changes more than one thing",
        ),
        ("/*@ ghost f(); */", "expected a declaration"),
        ("/*@ ghost \\set<int> s; */", "expected `thread`"),
        ("/*@ ghost \\map<thread, double> s; */", "a specification variable of this kind"),
        ("/*@ ghost \\set<thread> x; */", "`x` is declared twice"),
        ("struct t { int a; /*@ ghost int a; */ };\n", "there are two members `a`"),
        ("struct t { int a; /*@ ghost int b = x; */ };\n", "a specification variable starts with"),
        (
            "struct t { int a; /*@ ghost int b; */ } t; int f(void) { return t.b; }",
            "`b` is a specification variable",
        ),
        (
            "struct t { int a; /*@ ghost int b; */ } t; void f(void) { t.b = 1; }",
            "`b` is a specification variable",
        ),
        (
            "struct t { int a; /*@ ghost int b; */ } t; void f(void) {\n//@ ghost t.b += 1;\nx = 1; }",
            "a specification variable of this kind is updated with `=`",
        ),
        (
            "/*@ ghost \\set<thread> s; */ void f(void) {\n//@ ghost s = 1;\nx = 1; }",
            "`\\set<thread>` cannot be updated with `int`",
        ),
        (
            "/*@ ghost \\set<thread> s; global_invariant s; */",
            "`\\set<thread>` cannot be converted",
        ),
        ("/*@ ghost \\set<thread> s; global_invariant s == 0; */", "sets and maps can be compared"),
        ("/*@ ghost \\set<thread> s; global_invariant s < \\empty; */", "sets and maps can be"),
        ("/*@ ghost \\map<thread, int> s; global_invariant s == \\empty; */", "sets and maps can"),
        ("/*@ ghost \\set<thread> s; global_invariant \\in(s, \\tid); */", "a thread is expected"),
        ("/*@ ghost \\set<thread> s; global_invariant \\in(\\tid); */", "`\\in` takes 2 arguments"),
        ("//@ global_invariant \\in(\\tid, x);\n", "a set of threads is expected here"),
        ("/*@ ghost \\map<thread, int> s; global_invariant \\in(\\tid, s); */", "a set of threads"),
        ("/*@ ghost \\map<thread, int> s; global_invariant s[3] == 1; */", "a thread is expected"),
        ("void f(void) {\n//@ assert x' == 1;\nx = 1; }", "this formula speaks of one state"),
        (
            "void f(void) {\n//@ assert \\tid;\n//@ assert \\forall x;\nx = 1; }",
            "expected the type",
        ),
        ("void f(void) {\n//@ assert \\result == 0;\nx = 1; }", "there is no result"),
        ("void f(void) {\n//@ assert \\who == 0;\nx = 1; }", "`\\who` is not a word"),
        ("void f(void) { //@ requires x;\n y = 1; }", "a specification cannot stand here"),
        (
            "/*@ requires 1; */ void f(void) {} /*@ requires 1; */ void f(void);",
            "`f` has two contracts",
        ),
    ];
    let mut missed = Vec::new();
    for (source, expected) in cases {
        let source = format!("{source} /*@ requires 1; */ void spoken_of(void) {{}}");
        // What nobody mentions is not lowered.
        let source = source.replace("void f(void) {", "\n/*@ ensures 1; */ void f(void) {");
        let source = match expected.ends_with("two contracts") {
            true => source.replace("/*@ ensures 1; */", ""),
            false => source,
        };
        let found = messages(&source);
        let told = found.iter().any(|message| message.starts_with(expected));
        if !told {
            missed.push((source, expected, found));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}
