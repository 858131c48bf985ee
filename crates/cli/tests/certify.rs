//! `selvedge certify` as a user meets it: each kind of answer with its exit status, and never an
//! acceptance of what was changed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use selvedge_certify::{Arithmetic, Certificate, Entry, Relation};
use selvedge_ir::text;

const MODEL: &str = "shared x: i32;\nshared m: thread;\n\
    procedure worker() { lock m; x := x + 1; assert x == 1 \"alone\"; x := x - 1; unlock m; }\n\
    thread any worker;\n";

fn certificate(formula: &str) -> Certificate {
    let program = text::parse("model", MODEL).expect("a program");
    let options = selvedge_passes::Options::default();
    let mut certificate = Certificate::new("test", &program, &options, Arithmetic::Integers);
    let entry = |at: &str| Entry { at: vec![at.to_owned()], formula: formula.to_owned() };
    let entries = ["unstarted", "L0", "ended"].map(entry).to_vec();
    certificate.relations.push(Relation { shape: vec!["worker".to_owned()], entries });
    certificate
}

/// A folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn write(path: &Path, text: &str) -> String {
    std::fs::write(path, text).expect("a file");
    path.display().to_string()
}

#[track_caller]
fn certify(args: &[&str], status: i32, words: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.arg("certify").args(args).stdin(Stdio::null());
    let done = command.output().expect("the binary runs");
    let said = [&done.stdout[..], &done.stderr[..]].concat();
    let said = String::from_utf8_lossy(&said);
    assert_eq!(done.status.code(), Some(status), "{said}");
    assert!(said.contains(words), "`{words}` is not in\n{said}");
    assert!(!said.contains("defect"), "{said}");
    assert_eq!(status == 0, said.contains("accepted"), "{said}");
}

#[test]
fn accepted_and_rejected() {
    let folder = folder("accepted_and_rejected");
    let good = write(&folder.join("good.json"), &certificate("(= x 0)").to_json());
    certify(&[&good], 0, "certificate: accepted (");
    let model = write(&folder.join("model.plato"), MODEL);
    certify(&[&good, &model], 0, "proved: assert");
    let other = write(&folder.join("other.plato"), &MODEL.replace("x - 1", "x - 2"));
    certify(&[&good, &other], 1, "another program");
    let weak = write(&folder.join("weak.json"), &certificate("true").to_json());
    certify(&[&weak], 1, "assert: alone\n  thread worker at L0");
    let strong = write(&folder.join("strong.json"), &certificate("(= x 1)").to_json());
    certify(&[&strong], 1, "does not hold initially");
}

#[test]
fn malformed() {
    let folder = folder("malformed");
    let text = certificate("(= x 0)").to_json();
    for (name, broken, words) in [
        ("cut", text[..text.len() / 2].to_owned(), "no certificate"),
        ("version", text.replace("\"version\": 1", "\"version\": 9"), "version 9"),
        ("name", text.replace("(= x 0)", "(= y 0)"), "not understood"),
        ("sort", text.replace("(= x 0)", "(= x true)"), "not understood"),
        ("quantifier", text.replace("(= x 0)", "(exists ((y Int)) (= x y))"), "not understood"),
        ("location", text.replace("\"L0\"", "\"L77\""), "L77"),
        ("thread", text.replace("\"worker\"", "\"boss\""), "boss"),
        ("program", text.replace("lock m", "lock n"), "embedded program"),
        ("property", text.replace("\"assert\"", "\"deadlock\""), "deadlock"),
        ("nothing", String::new(), "no certificate"),
    ] {
        let path = write(&folder.join(format!("{name}.json")), &broken);
        certify(&[&path], 65, words);
    }
    certify(&["no such file"], 65, "cannot read");
}

#[test]
fn an_outline_names_what_formulas_speak_of() {
    let folder = folder("outline");
    let path = write(&folder.join("good.json"), &certificate("(= x 0)").to_json());
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    let done = command.args(["certify", "--outline", &path]).output().expect("the binary runs");
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(said.contains("pool worker, initial") && said.contains("worker!tid"), "{said}");
}
