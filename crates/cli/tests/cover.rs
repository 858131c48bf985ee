//! `selvedge cover` as a user meets it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

fn run(args: &[&str]) -> (i32, String, String) {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    let Output { status, stdout, stderr } =
        command.args(args).current_dir(root).output().expect("the binary runs");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (status.code().unwrap_or(-1), text(&stdout), text(&stderr))
}

/// A file of this name in a folder of these tests.
fn file(name: &str, content: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cover");
    fs::create_dir_all(&folder).expect("a folder for the test");
    let path = folder.join(name);
    fs::write(&path, content).expect("a file for the test");
    path.display().to_string()
}

#[track_caller]
fn ends(args: &[&str], status: i32, words: &str) -> String {
    let (found, out, err) = run(&[&["cover"], args].concat());
    assert_eq!(found, status, "{args:?}\n{out}\n{err}");
    assert!(out.contains(words) || err.contains(words), "{args:?}: `{words}`\n{out}\n{err}");
    out
}

#[test]
fn the_examples_say_what_their_comments_say() {
    let lock = "examples/lock.tts";
    ends(&[lock, "--target", "1|1,1"], 0, "verdict: SAFE (1|1,1 is not covered");
    ends(&[lock, "--target", "1|1"], 1, "verdict: UNSAFE (1|1 is covered, in 1 step from 1 thread");
    let barrier = |target| ["examples/barrier.tts", "--init", "0|3/0", "--target", target];
    ends(&barrier("1|1"), 0, "verdict: SAFE");
    ends(&barrier("1|2,2"), 1, "verdict: UNSAFE");
    let readers = |target| ["examples/readers.tts", "--init", "0|4", "--target", target];
    ends(&readers("1|2,1"), 0, "verdict: SAFE");
    ends(&readers("0|1,1,1"), 1, "verdict: UNSAFE");
}

#[test]
fn a_run_names_its_lines() {
    let out = ends(&["examples/barrier.tts", "--init", "0|3/0", "--target", "1|2"], 1, "UNSAFE");
    assert!(out.contains("12  0 3 -> 1 3 1 ~> 2"), "{out}");
}

#[test]
fn the_documentation_shows_what_the_tool_says() {
    let out = ends(&["examples/lock.tts", "--target", "1|1,1"], 0, "verdict: SAFE");
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let document = fs::read_to_string(root.join("docs/tts.md")).expect("the document");
    for line in out.lines().filter(|line| !line.is_empty() && !line.contains("predecessors")) {
        assert!(document.contains(&format!("    {line}\n")), "not in the document: {line}\n{out}");
    }
}

#[test]
fn bad_input_is_65_and_wrong_usage_64() {
    ends(&[&file("empty.tts", ""), "--target", "0"], 65, "empty.tts:1:1");
    let two = file("two.tts", "2 2\n0 0 => 1 1\n0 7 -> 0 0\n");
    ends(&[&two, "--target", "0"], 65, "two.tts:2:5");
    ends(&[&two, "--target", "0"], 65, "two.tts:3:3");
    ends(&["no/such/file.tts", "--target", "0"], 65, "no/such/file.tts");
    let lock = "examples/lock.tts";
    ends(&[lock], 64, "--target");
    ends(&[lock, "--target", "5|0"], 64, "there is no shared state 5; the last one is 1");
    ends(&[lock, "--target", "0|a"], 64, "--target: a local state is expected, not `a`");
    ends(&[lock, "--target", "0|0", "--init", "0/2"], 64, "--init: there is no local state 2");
    let nowhere = "no/such/folder/proof.json";
    ends(&[lock, "--target", "0|0", "--certificate", nowhere], 64, "no/such/folder");
}

#[test]
fn json_is_one_object() {
    let json = |target, status| -> serde_json::Value {
        let args = ["examples/lock.tts", "--target", target, "--format", "json"];
        serde_json::from_str(&ends(&args, status, "verdict")).expect("JSON")
    };
    let safe = json("1|1,1", 0);
    assert_eq!(safe["verdict"], "SAFE");
    assert_eq!(safe["bounds"][0], "#1 <= 0 in 0; <= 1 in 1");
    assert!(safe["basis"].as_array().is_some_and(Vec::is_empty));
    assert!(safe["run"].is_null() && safe["search"]["elements"].is_number());
    let covered = json("1|0,1", 1);
    assert_eq!(covered["verdict"], "UNSAFE");
    assert_eq!(covered["run"]["initial"], "0|0,0");
    assert_eq!(covered["run"]["steps"][0]["line"], 8);
}

#[test]
fn a_limit_ends_in_unknown() {
    // Every thread counts a shared counter up once.
    let states = 400;
    let lines: String = (0..states - 1).map(|s| format!("{s} 0 -> {} 1\n", s + 1)).collect();
    let counter = file("counter.tts", &format!("{states} 3\n{lines}"));
    let args = [counter.as_str(), "--init", "0/0", "--target", "399"];
    ends(&[&args[..], &["--time", "0.000001"]].concat(), 2, "time limit");
    ends(&[&args[..], &["--memory", "1k"]].concat(), 2, "memory limit");
    ends(&args, 1, "in 399 steps from 399 threads");
    let few = [counter.as_str(), "--init", "0|0,0", "--target", "399"];
    ends(&few, 0, "basis of 0 elements, 1 bound");
}

#[test]
fn a_certificate_is_written() {
    let path = file("proof.json", "");
    ends(&["examples/lock.tts", "--target", "1|1,1", "--certificate", &path], 0, "SAFE");
    let text = fs::read_to_string(&path).expect("the certificate");
    assert!(text.contains("\"kind\": \"coverability\""), "{text}");
    let certify = |path: &str, more: &[&str]| run(&[&["certify", path], more].concat());
    let (status, out, _) = certify(&path, &[]);
    assert_eq!(status, 0, "{out}");
    assert!(out.ends_with("certificate: accepted (basis of 0 elements, 1 bound)\n"), "{out}");
    assert_eq!(certify(&path, &["examples/lock.tts"]).0, 0);
    assert_eq!(certify(&path, &["examples/readers.tts"]).0, 1);
    let rejected = |change: &dyn Fn(&mut serde_json::Value), words: &str| {
        let mut wrong: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        change(&mut wrong);
        let (status, out, _) = certify(&file("wrong.json", &wrong.to_string()), &[]);
        assert_eq!(status, 1, "{out}");
        assert!(out.contains(words), "{out}");
    };
    rejected(&|wrong| wrong["bounds"] = serde_json::json!([]), "1|1,1 is not above the basis");
    rejected(&|wrong| wrong["bounds"][0]["limits"]["0"] = 1.into(), "`0 0 -> 1 1` can exceed a");
    let broken = file("broken.json", &text.replace("2 2", "2 1"));
    assert_eq!(certify(&broken, &[]).0, 65);
}

/// A program, given as C, by the engine that uses covering.
fn verify(source: &str, more: &[&str]) -> (i32, String, String) {
    let engine =
        ["--engine", "cover", "--property", "assert", "--int", "math", "--work", "20000000"];
    run(&[&["verify", source], &engine[..], more].concat())
}

#[test]
fn the_ticket_lock_is_proved_and_its_certificate_accepted() {
    for example in ["examples/ticket_lock.c", "examples/ticket_any.plato"] {
        let path = file("ticket.json", "");
        let (status, out, err) = verify(example, &["--certificate", &path]);
        assert_eq!(status, 0, "{out}\n{err}");
        assert!(out.contains("verdict: SAFE (assert: proved"), "{out}");
        let (status, out, _) = run(&["certify", &path, example]);
        assert_eq!(status, 0, "{out}");
    }
}

#[test]
fn a_torn_ticket_lock_fails() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("examples/ticket_any.plato")).expect("the example");
    let torn = text.replace("atomic { l := t; t := t + 1; }", "l := t; t := l + 1;");
    assert_ne!(torn, text);
    let (status, out, err) = verify(&file("torn.plato", &torn), &[]);
    assert_eq!(status, 1, "{out}\n{err}");
    assert!(out.contains("verdict: UNSAFE (assertion fails: alone inside"), "{out}");
}

#[test]
fn a_wrong_predicate_is_reported_at_its_place() {
    let model = |predicate: &str| {
        let text = format!(
            "//@ predicate {predicate};\nshared x: i32;\n\
             procedure f() {{ local l: i32; l := x; assert l == 0 \"zero\"; }}\nthread any f;\n"
        );
        file("predicate.plato", &text)
    };
    for (predicate, words) in [
        ("nobody > 0", "there is no variable `nobody`"),
        ("x >", "a name is expected, not the end"),
        ("x == 0 0", "`0` is too much"),
        ("\\other(x) == 0", "there is no local variable `x`"),
        ("x # 1", "`#` is not understood"),
    ] {
        let (status, _, err) = verify(&model(predicate), &[]);
        assert_eq!(status, 65, "{predicate}: {err}");
        assert!(err.contains(words) && err.contains("predicate.plato:1:15"), "{err}");
    }
    assert_eq!(verify(&model("x == 0"), &[]).0, 0);
}

#[test]
fn predicates_come_from_included_files_too() {
    let header = file("given.h", "//@ predicate x > nobody;\nint x;\n");
    let text = "#include <assert.h>\n#include <pthread.h>\n#include \"given.h\"\n\
                void *f(void *none) { x++; assert(x > 0); return 0; }\n\
                int main(void) { pthread_t t; while (1) pthread_create(&t, 0, f, 0); }\n";
    let source = file("given.c", text);
    let (status, _, err) = verify(&source, &[]);
    assert_eq!(status, 65, "{err}");
    let place = format!("{header}:1:15");
    assert!(err.contains(&place) && err.contains("there is no variable `nobody`"), "{err}");
    let (_, out, _) = run(&["dump", "--stage", "ir", &source]);
    assert!(out.contains("predicate \"x > nobody\" @f"), "{out}");
}

#[test]
fn an_incomplete_predicate_is_an_error_with_every_engine() {
    let source = file("open.c", "/*@ predicate x > 0 */\nint x;\nint main(void) { return x; }\n");
    for engine in ["explore", "contexts", "cover"] {
        let (status, _, err) =
            run(&["verify", &source, "--engine", engine, "--property", "assert"]);
        assert_eq!(status, 65, "{engine}: {err}");
        assert!(err.contains("this clause has no `;` at its end"), "{err}");
        assert!(err.contains("open.c:1:5"), "{err}");
    }
}

#[test]
fn the_stages_are_shown() {
    let (status, out, _) = run(&["dump", "--engine", "cover", "examples/ticket_any.plato"]);
    assert_eq!(status, 0);
    for words in ["(inter-thread)", "not monotone", "sink", "# local 0: sink"] {
        assert!(out.contains(words), "{words}\n{out}");
    }
    for (stage, words) in [
        ("predicates", "(inter-thread)"),
        ("existential", ", 2 threads:"),
        ("template", "threads are enough, 10 by Theorem 3"),
        ("fragment", "not monotone"),
        ("closure", "sink"),
        ("tts", "# local 0: sink"),
    ] {
        let args = ["dump", "--engine", "cover", "--stage", stage, "examples/ticket_any.plato"];
        let (status, out, _) = run(&args);
        assert_eq!(status, 0, "{stage}");
        assert!(out.contains(words), "{stage}: {words}\n{out}");
    }
}

/// A reference count is known to be a number of threads, for any number of them.
#[test]
fn the_driver_with_any_number_of_workers() {
    let (status, out, err) = verify("examples/bluetooth_any.c", &["--log"]);
    assert_eq!(status, 0, "{out}\n{err}");
    assert!(out.contains("verdict: SAFE (assert: proved"), "{out}");
    assert!(err.contains("numbers of threads are known by pendingIO"), "{err}");
    let (status, out, err) = verify("examples/bluetooth_any_bug.c", &[]);
    assert_eq!(status, 1, "{out}\n{err}");
}
