//! Java programs by the command: the examples, class paths, and what is said where something is
//! missing.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn selvedge(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.current_dir(root()).args(arguments);
    command
}

fn said(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// The last line for a program, by an exhaustive search.
fn verdict(arguments: &[&str]) -> String {
    let mut command = selvedge(&["verify", "--engine", "explore", "--work", "20000000"]);
    let output = command.args(arguments).output().expect("the command starts");
    let (out, err) = said(&output);
    out.lines().last().map_or(err, str::to_owned)
}

#[test]
fn the_vector_and_its_fixes() {
    let check = |example: &str, property: &str, wanted: &str| {
        let found = verdict(&["--property", property, &format!("examples/java/{example}.java")]);
        assert!(found.starts_with(&format!("verdict: {wanted}")), "{example}: {found}");
    };
    check("VectorRace", "race", "UNSAFE (data race on VectorRace#1.count");
    check("VectorRace", "exception", "UNSAFE (java.lang.IndexOutOfBoundsException");
    check("VectorWrongFix", "race", "SAFE");
    check("VectorWrongFix", "exception", "UNSAFE (java.lang.IndexOutOfBoundsException");
    check("VectorFixed", "race,exception,deadlock", "SAFE");
}

#[test]
fn locks_and_jobs() {
    for example in ["SimpleLock", "Apprentice"] {
        let found = verdict(&[&format!("examples/java/{example}.java")]);
        assert!(found.starts_with("verdict: SAFE"), "{example}: {found}");
    }
    let found = verdict(&["examples/java/BogusApprentice.java"]);
    assert!(found.starts_with("verdict: UNSAFE (data race"), "{found}");
}

#[test]
fn classes_in_a_class_path() {
    let folder = std::env::temp_dir().join(format!("selvedge-classes-{}", std::process::id()));
    let source = root().join("examples/java/Apprentice.java");
    let made = Command::new("javac").arg("-g").arg("-d").arg(&folder).arg(source).status();
    assert!(made.is_ok_and(|status| status.success()), "javac compiles the example");
    let folder = folder.display().to_string();
    let found = verdict(&["--class-path", &folder, "Apprentice"]);
    assert!(found.starts_with("verdict: SAFE"), "{found}");
    let missing = verdict(&["--class-path", &folder, "Nothing"]);
    assert!(missing.contains("no class Nothing"), "{missing}");
    std::fs::remove_dir_all(folder).expect("the folder was made here");
}

#[test]
fn without_a_jdk_the_package_is_named() {
    let mut command = selvedge(&["verify", "examples/java/Apprentice.java"]);
    let output = command.env_remove("JAVA_HOME").env("PATH", "").output();
    let output = output.expect("the command starts");
    let (_, err) = said(&output);
    assert!(err.contains("apt-get install openjdk-17-jdk-headless"), "{err}");
    assert_eq!(output.status.code(), Some(65));
}

#[test]
fn properties_of_other_languages_are_refused() {
    let of_java = verdict(&["--property", "memory", "examples/java/Apprentice.java"]);
    assert!(of_java.contains("memory is not checked of Java programs"), "{of_java}");
    let of_c = verdict(&["--property", "exception", "examples/bluetooth.c"]);
    assert!(of_c.contains("exception is checked of Java programs only"), "{of_c}");
}
