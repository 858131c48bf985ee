//! What a task needs from the machine: other programs, and the packages that bring them.

use std::path::PathBuf;
use std::process::{Command, Stdio};

pub type Outcome<T> = Result<T, String>;

/// The top folder of the repository.
pub fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(PathBuf::from).unwrap_or(here)
}

/// The Cargo that runs us, in the repository whatever folder the user stands in. Running the
/// built program is another matter: the user's paths are relative to where the user stands.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Runs a command with its output on the terminal; failing is an error.
pub fn must(command: &mut Command) -> Outcome<()> {
    let shown = format!("{command:?}").replace('"', "");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` failed: {status}")),
        Err(error) => Err(format!("cannot run `{shown}`: {error}")),
    }
}

/// Runs a command and gives its standard output; failing is an error that shows what it said.
pub fn output(command: &mut Command) -> Outcome<String> {
    let shown = format!("{command:?}").replace('"', "");
    let done = command.output().map_err(|error| format!("cannot run `{shown}`: {error}"))?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    if done.status.success() {
        return Ok(text);
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(format!("`{shown}` failed: {}\n{text}{said}", done.status))
}

/// Selvedge reads C through the system's preprocessor and headers.
pub fn provide_c_preprocessor() -> Outcome<()> {
    provide("a C compiler with the system's headers", has_c_headers, &["gcc", "libc6-dev"])
}

/// Cases in Java are compiled by a JDK.
pub fn provide_jdk() -> Outcome<()> {
    let present = || succeeds(Command::new("javac").arg("-version"));
    provide("a JDK", present, &["openjdk-17-jdk-headless"])
}

pub fn provide_spin() -> Outcome<()> {
    provide("the model checker SPIN", || succeeds(Command::new("spin").arg("-V")), &["spin"])?;
    provide("gcc", || succeeds(Command::new("gcc").arg("--version")), &["gcc", "libc6-dev"])
}

/// csmith, and the headers that its programs include.
pub fn provide_csmith() -> Outcome<()> {
    let present = || {
        succeeds(Command::new("csmith").arg("--version"))
            && PathBuf::from("/usr/include/csmith/csmith.h").exists()
    };
    provide("the generator csmith", present, &["csmith", "libcsmith-dev"])
}

/// Installs Debian packages if the test fails and we may.
pub fn provide(what: &str, present: impl Fn() -> bool, packages: &[&str]) -> Outcome<()> {
    if present() {
        return Ok(());
    }
    let names = packages.join(" ");
    if !is_root() || !succeeds(Command::new("apt-get").arg("--version")) {
        return Err(format!("{what} is missing; on Debian: apt-get install {names}"));
    }
    eprintln!("xtask: installing {names}");
    must(Command::new("apt-get").args(["update", "-qq"]))?;
    must(
        Command::new("apt-get")
            .env("DEBIAN_FRONTEND", "noninteractive")
            .args(["install", "-y", "-qq", "--no-install-recommends"])
            .args(packages)
            .stdout(Stdio::null()),
    )?;
    if present() {
        Ok(())
    } else {
        Err(format!("{what} is still missing after installing {names}"))
    }
}

fn has_c_headers() -> bool {
    let probe = "printf '#include <pthread.h>\\n#include <stdatomic.h>\\n' | cc -E -";
    succeeds(Command::new("sh").args(["-c", probe]))
}

fn is_root() -> bool {
    output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}
