//! The tasks that build, run and test.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::system::{self, Outcome};
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
    z3::provide()?;
    system::must(cargo().args(["test", "--workspace"]))?;
    if all { fuzz("10000") } else { Ok(()) }
}

/// The random campaigns live with what they test; here only their size is set.
pub fn fuzz(count: &str) -> Outcome<()> {
    let number = count.parse::<u64>().map_err(|_| format!("`{count}` is not a number"))?;
    system::must(
        cargo()
            .args(["test", "--release", "--package", "selvedge-exec", "--test", "random"])
            .args(["--", "--nocapture"])
            .env("SELVEDGE_RANDOM", number.to_string()),
    )?;
    // Certificates at random: what is accepted must be safe.
    system::must(
        cargo()
            .args(["test", "--release", "--package", "selvedge-certify", "--lib", "random"])
            .args(["--", "--nocapture"])
            .env("SELVEDGE_RANDOM", (number / 4).to_string()),
    )
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

/// The Cargo that runs us, in the repository whatever folder the user stands in. Running the
/// built program is another matter: the user's paths are relative to where the user stands.
fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(system::root());
    command
}
