//! Provides Z3, the solver, without a hand-installed one.
//!
//! Distributions carry versions that are too old, and building Z3 takes half an hour. PyPI's wheel
//! `z3-solver` holds the shared library and the `z3` program, so they are fetched once and unpacked
//! into a cache folder, where the build script of `crates/smt` looks for them. An interrupted run
//! leaves no half-filled folder: everything is prepared beside it and renamed at the end.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::system::{self, Outcome};

/// The release of the wheel; the build script of `crates/smt` reads the same file.
const VERSION: &str = include_str!("../../crates/smt/z3-version").trim_ascii();

/// Makes sure that the library stands in the cache folder, and tells where. Who has one names its
/// folder in `SELVEDGE_Z3`.
pub fn provide() -> Outcome<PathBuf> {
    if let Some(own) = std::env::var_os("SELVEDGE_Z3") {
        return Ok(PathBuf::from(own));
    }
    let cache = cache_folder()?;
    let folder = cache.join(format!("z3-{VERSION}"));
    if folder.join("lib/libz3.so").exists() {
        return Ok(folder);
    }
    eprintln!("xtask: fetching Z3 {VERSION} into {}", folder.display());
    let aside = cache.join(format!(".z3-{VERSION}-{}", std::process::id()));
    let outcome = prepare(&aside).and_then(|()| put_in_place(&aside, &folder));
    // Whatever went wrong above is the error to report, not that the rest could not be removed.
    let _ = fs::remove_dir_all(&aside);
    outcome.map(|()| folder)
}

/// Where downloads stay between builds. `crates/smt/build.rs` follows the same rule.
fn cache_folder() -> Outcome<PathBuf> {
    if let Some(folder) = std::env::var_os("SELVEDGE_CACHE") {
        return std::path::absolute(folder).map_err(|error| format!("SELVEDGE_CACHE: {error}"));
    }
    let home = std::env::var_os("HOME").ok_or("neither SELVEDGE_CACHE nor HOME is set")?;
    Ok(PathBuf::from(home).join(".cache/selvedge"))
}

/// Fills `aside/ready` with `lib/libz3.so` and `bin/z3`.
fn prepare(aside: &Path) -> Outcome<()> {
    let (download, unpacked) = (aside.join("download"), aside.join("unpacked"));
    create(&download)?;
    let wheel = fetch(&download)?;
    system::output(
        Command::new("python3").args(["-m", "zipfile", "-e"]).args([&wheel, &unpacked]),
    )?;
    let ready = aside.join("ready");
    let (lib, bin) = (ready.join("lib"), ready.join("bin"));
    create(&lib)?;
    create(&bin)?;
    move_library(&unpacked.join("z3/lib"), &lib)?;
    let program = format!("z3_solver-{VERSION}.data/data/bin/z3");
    rename(&unpacked.join(program), &bin.join("z3"))?;
    system::output(Command::new("chmod").arg("755").arg(bin.join("z3"))).map(|_| ())
}

/// The wheel for this machine, in `folder`.
fn fetch(folder: &Path) -> Outcome<PathBuf> {
    let pip = || Command::new("python3").args(["-m", "pip", "--version"]).output();
    let present = || pip().is_ok_and(|done| done.status.success());
    system::provide("Python's pip, which fetches Z3,", present, &["python3", "python3-pip"])?;
    system::output(
        Command::new("python3")
            .args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"])
            .arg(format!("z3-solver=={VERSION}"))
            .arg("--dest")
            .arg(folder),
    )?;
    let entries = fs::read_dir(folder).map_err(|error| at(folder, &error))?;
    let mut files = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    files
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .ok_or_else(|| format!("pip fetched no wheel of z3-solver {VERSION}"))
}

/// The wheel holds the library twice, under its name for linking and under the one that linked
/// programs ask for (or, in some releases, only under the first); one copy is enough.
fn move_library(from: &Path, to: &Path) -> Outcome<()> {
    let entries = fs::read_dir(from).map_err(|error| at(from, &error))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let versioned = names.into_iter().find(|name| name.starts_with("libz3.so."));
    let Some(versioned) = versioned else {
        return rename(&from.join("libz3.so"), &to.join("libz3.so"));
    };
    rename(&from.join(&versioned), &to.join(&versioned))?;
    let link = to.join("libz3.so");
    std::os::unix::fs::symlink(&versioned, &link).map_err(|error| at(&link, &error))
}

/// Another run may have been faster: then its folder is as good as ours.
fn put_in_place(aside: &Path, folder: &Path) -> Outcome<()> {
    match rename(&aside.join("ready"), folder) {
        Err(_) if folder.join("lib/libz3.so").exists() => Ok(()),
        outcome => outcome,
    }
}

fn create(folder: &Path) -> Outcome<()> {
    fs::create_dir_all(folder).map_err(|error| at(folder, &error))
}

fn rename(from: &Path, to: &Path) -> Outcome<()> {
    fs::rename(from, to).map_err(|error| at(from, &error))
}

fn at(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
