//! The command as a user meets it: bad input of every kind gets a message and the right exit
//! status, never a panic; good input gets a verdict on the last line.

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use common::{BAD_INPUT, Outcome, SAFE, UNKNOWN, UNSAFE, WRONG_USAGE, file, selvedge};

/// A program that fails its assertion whatever the schedule.
const FAILING: &str = "#include <assert.h>\nint x = 1;\nint main(void) {\n    x++;\n    \
                       assert(x == 1);\n    return 0;\n}\n";

const PASSING: &str = "#include <assert.h>\nint x = 1;\nint main(void) {\n    assert(x == 1);\n    \
                       return 0;\n}\n";

fn verify(test: &str, name: &str, content: impl AsRef<[u8]>) -> Outcome {
    selvedge(&["verify", &file(test, name, content)])
}

#[test]
fn usage_errors() {
    let good = file("usage", "good.c", PASSING);
    selvedge(&[]).ends(WRONG_USAGE).says("Usage");
    selvedge(&["frobnicate"]).ends(WRONG_USAGE).says("frobnicate");
    selvedge(&["verify"]).ends(WRONG_USAGE).says("<FILE>");
    selvedge(&["verify", "--fast", &good]).ends(WRONG_USAGE).says("--fast");
    selvedge(&["verify", "--property", "beauty", &good])
        .ends(WRONG_USAGE)
        .says("unknown property `beauty`")
        .says("deadlock");
    selvedge(&["verify", "--engine", "magic", &good]).ends(WRONG_USAGE).says("explore");
    selvedge(&["verify", "--engine", "tar", "--int", "math", &good])
        .ends(WRONG_USAGE)
        .says("horn and cover");
    selvedge(&["verify", "--time", "soon", &good]).ends(WRONG_USAGE).says("seconds");
    selvedge(&["verify", "--memory", "4 elephants", &good]).ends(WRONG_USAGE).says("512MiB");
    selvedge(&["verify", "--model", "lp128", &good]).ends(WRONG_USAGE).says("ilp32");
    selvedge(&["dump", "--stage", "nowhere", &good]).ends(WRONG_USAGE).says("inline");
    selvedge(&["verify", "--trace", "no/such/folder/t.json", &good])
        .ends(WRONG_USAGE)
        .says("no/such/folder");
}

#[test]
fn help_is_no_error() {
    selvedge(&["--help"]).ends(SAFE).says("Exit status");
    selvedge(&["--version"]).ends(SAFE).says("selvedge");
    for command in ["verify", "run", "replay", "dump", "cover"] {
        selvedge(&[command, "--help"]).ends(SAFE).says("Usage");
    }
    selvedge(&["dump", "--list"]).ends(SAFE).says("reduce");
}

#[test]
fn files_that_are_not_there() {
    selvedge(&["verify", "no/such/file.c"]).ends(BAD_INPUT).says("no/such/file.c");
    selvedge(&["verify", "no/such/file.i"]).ends(BAD_INPUT).says("no/such/file.i");
    selvedge(&["verify", "no/such/file.plato"]).ends(BAD_INPUT).says("no/such/file.plato");
    selvedge(&["replay", "no/such/trace.json"]).ends(BAD_INPUT).says("no/such/trace.json");
    let folder = env!("CARGO_TARGET_TMPDIR");
    selvedge(&["verify", folder]).ends(BAD_INPUT).says(folder);
    selvedge(&["replay", folder]).ends(BAD_INPUT).says(folder);
    let named_like_a_source = PathBuf::from(folder).join("folder.c");
    fs::create_dir_all(&named_like_a_source).expect("a folder for the test");
    selvedge(&["verify", &named_like_a_source.display().to_string()]).ends(BAD_INPUT);
}

#[test]
fn broken_sources() {
    let binary: Vec<u8> = (0..=255).cycle().take(4096).collect();
    verify("broken", "binary.c", &binary).ends(BAD_INPUT).says("error");
    verify("broken", "binary.i", &binary).ends(BAD_INPUT).says("error");
    verify("broken", "empty.c", "").ends(BAD_INPUT).says("empty.c` is empty");
    verify("broken", "empty.i", "").ends(BAD_INPUT).says("empty.i` is empty");
    verify("broken", "no_main.c", "int f(void) { return 1; }\n").ends(BAD_INPUT).says("main");
    verify("broken", "include.c", "#include \"nowhere.h\"\nint main(void) { return 0; }\n")
        .ends(BAD_INPUT)
        .says("nowhere.h");
    verify("broken", "type.c", "int main(void) { return y; }\n").ends(BAD_INPUT).says("type.c:1");
    for cut in [10, 40, 60, 75] {
        let name = format!("cut{cut}.c");
        verify("broken", &name, &FAILING[..cut]).ends(BAD_INPUT).says("error");
    }
}

#[test]
fn several_errors_at_once() {
    let text = "int main(void) {\n    a = 1;\n    b = 2;\n    return 0;\n}\n";
    verify("several", "two.c", text).ends(BAD_INPUT).says("two.c:2").says("two.c:3");
}

#[test]
fn deep_nesting() {
    let depth = 20_000;
    let nest = |open: &str, close: &str| format!("{}1{}", open.repeat(depth), close.repeat(depth));
    let parentheses = format!("int main(void) {{ return {}; }}\n", nest("(", ")"));
    let braces = format!("int main(void) {}\n", nest("{", "}").replace('1', ";"));
    let minuses = format!("int main(void) {{ return {}1; }}\n", "- ".repeat(depth));
    let unclosed = format!("int main(void) {{ return {}", "(".repeat(depth));
    for (name, text) in
        [("parens", parentheses), ("braces", braces), ("minus", minuses), ("open", unclosed)]
    {
        let outcome = verify("deep", &format!("{name}.i"), text);
        assert!([SAFE, BAD_INPUT].contains(&outcome.status), "{name}: {}", outcome.err);
        outcome.ends(outcome.status);
    }
}

#[test]
fn long_chains_of_else_if() {
    let arms: String = (0..3000).map(|arm| format!("if (x == {arm}) y = {arm}; else ")).collect();
    let text = format!("int x, y;\nint main(void) {{ {arms} y = 1; return 0; }}\n");
    verify("chains", "chain.c", text).ends(SAFE);
}

#[test]
fn broken_models() {
    verify("models", "broken.plato", "this is not plato\n").ends(BAD_INPUT).says("broken.plato:1");
    verify("models", "binary.plato", [0xff, 0xfe, 0x00, 0x01]).ends(BAD_INPUT).says("text");
    let model = file("models", "a.plato", "shared x: i32;\n");
    selvedge(&["verify", &model]).ends(BAD_INPUT).says("no thread");
    let source = file("models", "b.c", PASSING);
    selvedge(&["verify", &model, &source]).ends(WRONG_USAGE).says("cannot be linked");
}

#[test]
fn broken_traces() {
    let replay = |name, text: &str| selvedge(&["replay", &file("traces", name, text)]);
    replay("words.json", "these are words").ends(BAD_INPUT).says("not JSON");
    replay("empty.json", "").ends(BAD_INPUT).says("not JSON");
    replay("other.json", "{\"name\": 1}").ends(BAD_INPUT).says("format");
    replay("future.json", "{\"format\": 99}").ends(BAD_INPUT).says("99");
    replay("shape.json", "{\"format\": 2}").ends(BAD_INPUT).says("not a trace");
}

#[test]
fn verdicts() {
    verify("verdicts", "passing.c", PASSING).ends(SAFE).last_line_starts("verdict: SAFE");
    verify("verdicts", "failing.c", FAILING)
        .ends(UNSAFE)
        .says("assert(x == 1);")
        .last_line_starts("verdict: UNSAFE");
    verify("verdicts", "asm.c", "int main(void) { __asm__ volatile(\"hlt\"); return 0; }\n")
        .ends(UNKNOWN)
        .last_line_starts("verdict: UNKNOWN");
}

#[test]
fn a_trace_replays() {
    let source = file("replay", "failing.c", FAILING);
    let trace = file("replay", "trace.json", "");
    selvedge(&["verify", "--trace", &trace, &source]).ends(UNSAFE);
    selvedge(&["replay", &trace]).ends(UNSAFE).last_line_starts("verdict: UNSAFE");
    let text = fs::read_to_string(&trace).expect("the trace was written");
    let changed = text.replacen("\"format\": 2", "\"format\": 1", 1);
    assert_ne!(text, changed);
    fs::write(&trace, changed).expect("the trace can be written");
    selvedge(&["replay", &trace]).ends(BAD_INPUT).says("format 1");
}

#[test]
fn json_is_one_object() {
    for (name, content, status, verdict) in
        [("passing.c", PASSING, SAFE, "SAFE"), ("failing.c", FAILING, UNSAFE, "UNSAFE")]
    {
        let source = file("json", name, content);
        let outcome = selvedge(&["verify", "--format", "json", &source]);
        outcome.ends(status);
        let report: serde_json::Value = serde_json::from_str(&outcome.out).expect("JSON");
        assert_eq!(report["verdict"], verdict);
        assert!(report["seconds"].is_number());
        assert_eq!(report["trace"].is_object(), status == UNSAFE);
    }
}

#[test]
fn a_run_depends_on_its_seed_alone() {
    let source = file("run", "failing.c", FAILING);
    let first = selvedge(&["run", "--seed", "7", &source]);
    let second = selvedge(&["run", "--seed", "7", &source]);
    first.ends(UNSAFE).last_line_starts("verdict: UNSAFE");
    assert_eq!(first.out, second.out);
    let passing = file("run", "passing.c", PASSING);
    selvedge(&["run", &passing]).ends(UNKNOWN).last_line_starts("verdict: UNKNOWN");
}

#[test]
fn options_reach_the_preprocessor() {
    let folder = PathBuf::from(file("options", "limit.h", "#define LIMIT 2\n"));
    let folder = folder.parent().expect("a folder").display().to_string();
    let text =
        "#include <assert.h>\n#include <limit.h>\nint main(void) { assert(LIMIT + MORE == 5); }\n";
    let source = file("options_source", "defines.c", text);
    selvedge(&["verify", "-I", &folder, "-DMORE=3", &source]).ends(SAFE);
    selvedge(&["verify", "-I", &folder, "-D", "MORE=4", &source]).ends(UNSAFE);
    let bare = file("options_source", "bare.c", "int main(void) { return LIMIT; }\n");
    selvedge(&["verify", "-include", &format!("{folder}/limit.h"), &bare]).ends(SAFE);
    selvedge(&["verify", &bare]).ends(BAD_INPUT).says("LIMIT");
}

#[test]
fn files_are_linked() {
    let main = file("link", "main.c", "int other(void);\nint main(void) { return other(); }\n");
    let other = file("link", "other.c", "int other(void) { return 0; }\n");
    selvedge(&["verify", &main, &other]).ends(SAFE);
    let twice = file("link", "twice.c", "int other(void) { return 1; }\n");
    selvedge(&["verify", &main, &other, &twice]).ends(BAD_INPUT).says("other");
}

#[test]
fn the_time_limit_is_kept() {
    let text = "#include <assert.h>\n#include <pthread.h>\nunsigned long x, y;\n\
        void *count(void *p) { for (;;) x++; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, count, 0);\n\
        for (;;) { y += x; assert(y != 0x123456789abcdef); } }\n";
    let source = file("time", "endless.c", text);
    let start = std::time::Instant::now();
    let outcome =
        selvedge(&["verify", "--property", "assert", "--time", "1", "--memory", "1GiB", &source]);
    outcome.ends(UNKNOWN).last_line_starts("verdict: UNKNOWN").says("limit");
    assert!(start.elapsed().as_secs() < 10);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let source = file("pipe", "failing.c", FAILING);
    let binary = env!("CARGO_BIN_EXE_selvedge");
    let script = format!("\"{binary}\" dump \"{source}\" | head -n 1; echo ${{PIPESTATUS[0]}}");
    let done = Command::new("bash").args(["-c", &script]).output().expect("bash runs");
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(text.trim_end().ends_with('0'), "{text}");
    assert!(done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Runs the command as the README says, and gives what it prints.
fn from_the_readme(readme: &str, args: &[&str]) -> String {
    assert!(readme.contains(&format!("cargo xtask run {}", args.join(" "))), "{args:?}");
    let done = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(args)
        .current_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .env_remove("COLUMNS")
        .output()
        .expect("the binary runs");
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(said.lines().count() > 20, "{said}");
    said
}

/// Counts and times change; everything else in the README must be what the tool says.
#[test]
fn the_readme_shows_what_the_tool_says() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).expect("the README");
    let shown = |line: &str| readme.contains(&format!("    {line}\n"));
    let said = from_the_readme(&readme, &["verify", "examples/bluetooth_bug.c"]);
    let counts = |line: &str| line.starts_with("states ") || line.starts_with("decided by explore");
    for line in said.lines().filter(|line| !line.is_empty() && !counts(line)) {
        assert!(shown(line), "not in the README: {line}\n{said}");
    }
    // A solver may choose another of several interleavings: what it found must be the same.
    let contexts = ["verify", "--engine", "contexts", "--property", "memory", "examples/cancel.c"];
    let said = from_the_readme(&readme, &contexts);
    for line in said.lines().filter(|line| line.contains("freed memory")) {
        assert!(shown(line), "not in the README: {line}\n{said}");
    }
}

#[test]
fn library_functions_that_may_fail() {
    let careless = "#include <pthread.h>\nstatic void *f(void *a) { return 0; }\n\
                    int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); \
                    pthread_join(t, 0); }\n";
    let careless = file("may_fail", "careless.c", careless);
    selvedge(&["verify", &careless]).ends(SAFE).says("`pthread_create` does not fail");
    selvedge(&["verify", "--may-fail", "pthread_create", &careless])
        .ends(UNSAFE)
        .says("not a thread");
    let locks = "#include <pthread.h>\npthread_mutex_t m;\nint main(void) {\n  \
                 if (CHECK pthread_mutex_init(&m, 0)) return 1;\n  \
                 pthread_mutex_lock(&m);\n  pthread_mutex_unlock(&m);\n}\n";
    let careful = file("may_fail", "careful.c", locks.replace("CHECK", ""));
    selvedge(&["verify", "--may-fail", "all", &careful]).ends(SAFE);
    let careless = file("may_fail", "lock.c", locks.replace("CHECK", "0 &"));
    selvedge(&["verify", "--may-fail", "all", &careless]).ends(UNSAFE).says("not initialised");
}
