//! Programs that no engine gets to the end of: every limit holds, and what is said then has a reason.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{Outcome, SAFE, UNKNOWN, WRONG_USAGE, file, selvedge};
use serde_json::Value;

const ENGINES: [&str; 5] = ["explore", "contexts", "tar", "horn", "cover"];

/// Nothing decides it soon: it counts for ever, and has no invariant that is easily found. A model,
/// so that no time goes into the preprocessor.
const HARD: &str = "shared x: u32; shared y: u32;
    procedure work() { while (true) { x := x * 1664525 + 1013904223; y := x ^ (y >> 3); } }
    procedure main() {
      local a: u32;
      local b: u32;
      while (true) {
        a := x;
        b := y;
        assert a * b != 12345678 || a != 87654321;
        y := b * a;
      }
    }
    thread main;
    thread work;";

const LOST: &str = "#include <assert.h>\n#include <pthread.h>\nint total;\n\
    void *add(void *p) { int old = total; total = old + 1; return p; }\n\
    int main(void) { pthread_t a, b; pthread_create(&a, 0, add, 0);\n\
    pthread_create(&b, 0, add, 0); pthread_join(a, 0); pthread_join(b, 0);\n\
    assert(total == 2); return 0; }\n";

/// What the report says, without the times.
fn timeless(json: &str) -> String {
    json.lines().filter(|line| !line.trim_start().starts_with("\"seconds\":")).collect()
}

fn report(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.out).unwrap_or_else(|error| panic!("{error}: {}", outcome.out))
}

/// The search has work for two seconds, and ends for one of these reasons.
#[track_caller]
fn ends_by(source: &str, kinds: &[&str]) {
    let args = [
        "verify",
        "--property",
        "assert",
        "--engine",
        "explore",
        "--work",
        "2000000",
        "--format",
        "json",
        source,
    ];
    let outcome = selvedge(&args);
    let report = report(outcome.ends(UNKNOWN));
    let kind = report["stop"]["kind"].as_str().expect("a reason");
    assert!(kinds.contains(&kind), "{report}");
}

#[test]
fn calls_that_double_thirty_times() {
    let call = |n: u32| format!("int f{n}(int a) {{ return f{0}(a) + f{0}(a + 1); }}\n", n + 1);
    let calls: String = (1..30).rev().map(call).collect();
    let text = format!(
        "#include <assert.h>\nint x;\nint f30(int a) {{ x += a; return x; }}\n{calls}\
         int main(void) {{ assert(f1(1) != 12345); return 0; }}\n"
    );
    ends_by(&file("limits_calls", "calls.c", text), &["work", "too_large"]);
}

#[test]
fn a_thousand_threads() {
    let text = "#include <assert.h>\n#include <pthread.h>\nint x;\n\
        void *work(void *p) { x = x + 1; x = x * 2; return p; }\n\
        int main(void) { pthread_t t[1000];\n\
        for (int i = 0; i < 1000; i++) pthread_create(&t[i], 0, work, 0);\n\
        for (int i = 0; i < 1000; i++) pthread_join(t[i], 0);\n\
        assert(x != 77777); return 0; }\n";
    ends_by(&file("limits_threads", "loop.c", text), &["work", "too_large"]);
}

#[test]
fn a_thousand_different_threads() {
    let work = |n| format!("void *work{n}(void *p) {{ x = x + {n}; x = x * 2; return p; }}\n");
    let works: String = (0..1000).map(work).collect();
    let start: String =
        (0..1000).map(|n| format!("pthread_create(&t, 0, work{n}, 0);\n")).collect();
    let text = format!(
        "#include <assert.h>\n#include <pthread.h>\nint x;\n{works}\
         int main(void) {{ pthread_t t; {start} assert(x != 77777); return 0; }}\n"
    );
    ends_by(&file("limits_threads", "each.c", text), &["work", "too_large"]);
}

/// Four inputs in one step.
fn inputs(name: &str) -> String {
    format!(
        "#include <assert.h>\nunsigned {name} __VERIFIER_nondet_u{name}(void);\nunsigned sum;\n\
         void __VERIFIER_atomic_begin(void);\nvoid __VERIFIER_atomic_end(void);\n\
         int main(void) {{\n__VERIFIER_atomic_begin();\nfor (int i = 0; i < 4; i++) {{\n\
         unsigned {name} a = __VERIFIER_nondet_u{name}();\nsum = sum * 31u + (a * a) % 257u;\n\
         if (sum % 7u == 3u) sum++;\n}}\n__VERIFIER_atomic_end();\n\
         assert(sum != 123456789u);\nreturn 0;\n}}\n"
    )
}

#[test]
fn inputs_within_one_step() {
    let short = file("limits_inputs", "short.c", inputs("short"));
    ends_by(&short, &["work", "too_large", "input_too_large"]);
    let char = file("limits_inputs", "char.c", inputs("char"));
    ends_by(&char, &["work", "too_large"]);
}

#[test]
fn little_time_for_several_engines() {
    let hard = file("limits_time", "hard.plato", HARD);
    let outcome = selvedge(&["verify", "--property", "assert", "--time", "0.5", &hard]);
    outcome.ends(UNKNOWN).says("explore, ");
    outcome.last_line_starts("verdict: UNKNOWN (time limit of 0.5 s reached)");
    let outcome =
        selvedge(&["verify", "--property", "assert", "--time", "0.5", "--format", "json", &hard]);
    let report = report(outcome.ends(UNKNOWN));
    assert_eq!(report["stop"]["kind"], "time");
    let attempts = report["attempts"].as_array().expect("attempts");
    assert!(!attempts.is_empty() && attempts.iter().all(|a| a["stop"]["kind"].is_string()));
}

/// Engines that were not started by then are not started any more.
#[test]
fn work_and_time_are_both_limits() {
    let hard = file("limits_both", "hard.plato", HARD);
    let limits = ["--work", "1000000000000", "--time", "1"];
    let outcome = selvedge(
        &[&["verify", "--property", "assert", "--format", "json", &hard], &limits[..]].concat(),
    );
    let report = report(outcome.ends(UNKNOWN));
    let attempts = report["attempts"].as_array().expect("attempts");
    let engines: Vec<&str> = attempts.iter().filter_map(|a| a["engine"].as_str()).collect();
    assert_eq!(engines, ["explore", "locks", "contexts"]);
    assert_eq!(report["stop"]["kind"], "time");
}

#[test]
fn little_memory_for_several_engines() {
    let hard = file("limits_memory", "hard.plato", HARD);
    let outcome =
        selvedge(&["verify", "--property", "assert", "--time", "0", "--memory", "20MiB", &hard]);
    outcome.ends(UNKNOWN).says("hint: `--memory SIZE`");
    outcome.last_line_starts("verdict: UNKNOWN (memory limit of 20 MiB reached)");
}

#[test]
fn the_same_work_gives_the_same_report() {
    let lost = file("limits_work", "lost.c", LOST);
    let hard = file("limits_work", "hard.plato", HARD);
    for engine in ENGINES.into_iter().chain(["auto"]) {
        for (source, work) in [(&lost, "3000000"), (&hard, "300000")] {
            let args = [
                "verify",
                "--property",
                "assert",
                "--engine",
                engine,
                "--work",
                work,
                "--format",
                "json",
                source.as_str(),
            ];
            let (first, second) = (selvedge(&args), selvedge(&args));
            assert_eq!(first.status, second.status, "{engine} {source}");
            assert_eq!(timeless(&first.out), timeless(&second.out), "{engine} {source}");
        }
    }
}

/// A command that is ended should the test fail.
struct Running(Option<Child>);

impl Running {
    fn start(args: &[&str]) -> Running {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        let command = command.args(args).stdin(Stdio::null());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        Running(Some(child.expect("the binary runs")))
    }

    fn id(&self) -> u32 {
        self.0.as_ref().map_or(0, Child::id)
    }

    /// As Ctrl-C does; what was said then.
    fn interrupt(mut self) -> Outcome {
        let child = self.0.take().expect("it runs");
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill runs").success());
        let done = child.wait_with_output().expect("it ends");
        Outcome {
            status: done.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&done.stdout).into_owned(),
            err: String::from_utf8_lossy(&done.stderr).into_owned(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A field of /proc/ID/stat, counted behind the name: 1 is the parent, 11 the processor time.
fn stat(id: u32, field: usize) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    text.rsplit_once(") ")?.1.split(' ').nth(field)?.parse().ok()
}

/// Waits until an engine that this process started, or is, has computed for a second.
fn wait_for_work(id: u32, of_a_child: bool) {
    let is_engine = |other: &u32| {
        let line = fs::read_to_string(format!("/proc/{other}/cmdline")).unwrap_or_default();
        stat(*other, 1) == Some(id.into()) && line.contains("--attempt")
    };
    let worked = |id: u32| stat(id, 11).is_some_and(|hundredths| hundredths >= 100);
    for _ in 0..6000 {
        let all = fs::read_dir("/proc").expect("the processes").flatten();
        let mut all = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        if if of_a_child { all.any(|other| is_engine(&other) && worked(other)) } else { worked(id) }
        {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("no engine has begun");
}

#[test]
fn ctrl_c_asks_for_what_is_known() {
    let hard = file("limits_interrupt", "hard.plato", HARD);
    let running = Running::start(&[
        "verify",
        "--property",
        "assert",
        "--time",
        "0",
        "--engine",
        "explore",
        &hard,
    ]);
    wait_for_work(running.id(), false);
    let outcome = running.interrupt();
    outcome.ends(UNKNOWN).says("reached ").says(" states");
    outcome.last_line_starts("verdict: UNKNOWN (interrupted)");
}

#[test]
fn ctrl_c_reaches_every_engine() {
    let hard = file("limits_interrupt_auto", "hard.plato", HARD);
    let running = Running::start(&["verify", "--property", "assert", "--time", "0", &hard]);
    wait_for_work(running.id(), true);
    let outcome = running.interrupt();
    outcome.ends(UNKNOWN).says("explore, ").says(" s: interrupted");
    outcome.last_line_starts("verdict: UNKNOWN (interrupted)");
}

const ASSEMBLY: &str = "int main(void) { __asm__(\"hlt\"); return 0; }\n";

#[test]
fn engines_that_do_not_check_the_property_are_not_started() {
    let source = file("limits_fit", "asm.c", ASSEMBLY);
    let args = ["verify", "--property", "race", "--work", "3000000", "--format", "json", &source];
    let report = report(selvedge(&args).ends(UNKNOWN));
    let attempts = report["attempts"].as_array().expect("attempts");
    let engines: Vec<&str> = attempts.iter().filter_map(|a| a["engine"].as_str()).collect();
    // Nor are those that only prove, where nobody can follow an execution to its end.
    assert_eq!(engines, ["explore", "contexts"]);
}

#[test]
fn a_question_that_no_engine_answers() {
    let source = file("limits_none", "asm.c", ASSEMBLY);
    let args = ["verify", "--property", "deadlock", "--int", "math", &source];
    let outcome = selvedge(&args);
    outcome.ends(UNKNOWN).last_line_starts(
        "verdict: UNKNOWN (engine auto does not support `deadlock` with integers without bounds",
    );
    let outcome = selvedge(&[&args[..], &["--format", "json"]].concat());
    let report = report(outcome.ends(UNKNOWN));
    assert_eq!(report["stop"]["kind"], "option");
    assert!(report["attempts"].is_null(), "{report}");
}

fn example(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("examples").join(name).display().to_string()
}

#[test]
fn every_stage_can_be_shown() {
    let bluetooth = example("bluetooth.c");
    let of_none: [&str; 0] = [];
    let views = ENGINES.iter().map(|engine| vec!["--engine", engine]).chain([of_none.to_vec()]);
    for view in views {
        let list = selvedge(&[&["dump", "--list"], &view[..]].concat());
        let stages: Vec<&str> = list.ends(SAFE).out.lines().collect();
        assert!(!stages.is_empty(), "{view:?}");
        for stage in stages {
            let args = [&["dump", "--stage", stage, &bluetooth], &view[..]].concat();
            let shown = selvedge(&args);
            assert!(!shown.ends(SAFE).out.trim().is_empty(), "{view:?} {stage}");
        }
        let wrong = selvedge(&[&["dump", "--stage", "nowhere", &bluetooth], &view[..]].concat());
        wrong.ends(WRONG_USAGE).says("no stage is called `nowhere`");
    }
}

#[test]
fn the_syntax_is_a_stage() {
    let source = file("limits_syntax", "lost.c", LOST);
    selvedge(&["dump", "--stage", "syntax", &source]).ends(SAFE).says("total");
    let model = file("limits_syntax", "hard.plato", HARD);
    selvedge(&["dump", "--stage", "syntax", &model]).ends(WRONG_USAGE).says("only C has a syntax");
}
