//! The tasks that build, run and test.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::fuzz;
use crate::system::{self, Outcome, cargo};
use crate::z3;

/// Builds Selvedge and runs it; its exit status is ours.
pub fn run(args: &[&str]) -> ExitCode {
    let selvedge = match system::provide_c_preprocessor().and_then(|()| release_binary()) {
        Ok(path) => path,
        Err(message) => {
            eprintln!("xtask: {message}");
            return ExitCode::from(70);
        }
    };
    match Command::new(&selvedge).args(args).status() {
        Ok(status) => ExitCode::from(status.code().map_or(70, |code| code as u8)),
        Err(error) => {
            eprintln!("xtask: cannot run {}: {error}", selvedge.display());
            ExitCode::from(70)
        }
    }
}

pub fn test(all: bool) -> Outcome<()> {
    system::provide_c_preprocessor()?;
    system::provide_jdk()?;
    z3::provide()?;
    system::must(cargo().args(["test", "--workspace"]))?;
    if all { fuzz::all() } else { Ok(()) }
}

/// Writes what every engine answers into the case files; the difference is to be read.
pub fn update_cases() -> Outcome<()> {
    system::provide_c_preprocessor()?;
    system::provide_jdk()?;
    z3::provide()?;
    let test = ["test", "--package", "selvedge-cli", "--test", "cases"];
    system::must(cargo().args(test).env("SELVEDGE_UPDATE", "1"))
}

/// The path of the release build of `selvedge`, built if need be.
pub fn release_binary() -> Outcome<PathBuf> {
    z3::provide()?;
    system::must(cargo().args(["build", "--quiet", "--release", "--package", "selvedge-cli"]))?;
    Ok(target_folder()?.join("release").join("selvedge"))
}

/// As Cargo itself sees it, so that CARGO_TARGET_DIR and configuration files count.
fn target_folder() -> Outcome<PathBuf> {
    let text = system::output(cargo().args([
        "metadata",
        "--format-version",
        "1",
        "--no-deps",
        "--offline",
    ]))?;
    let metadata: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))?;
    let folder = metadata["target_directory"].as_str().ok_or("cargo metadata names no target")?;
    Ok(PathBuf::from(folder))
}
