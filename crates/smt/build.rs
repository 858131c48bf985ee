//! Finds the Z3 library that `cargo xtask` put into the cache folder.
//!
//! Nothing is searched for: with a search, an older Z3 of the system would be found first. The
//! library is linked into the output folder, because Cargo puts such folders on the loader's path
//! for `cargo test` and `cargo run`; a binary that is to be started by itself needs the run path
//! that the metadata `lib` tells (as `DEP_SELVEDGE_Z3_LIB`) to build scripts of dependents.

use std::fs;
use std::path::{Path, PathBuf};

const VERSION: &str = include_str!("z3-version").trim_ascii();

fn main() {
    for name in ["SELVEDGE_Z3", "SELVEDGE_CACHE", "HOME"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    println!("cargo::rerun-if-changed=z3-version");
    match library_folder() {
        Ok(folder) => announce(&folder),
        Err(message) => println!("cargo::error={message}"),
    }
}

/// `SELVEDGE_Z3` names a folder with `lib/libz3.so`, for those who bring their own.
fn library_folder() -> Result<PathBuf, String> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let folder = match variable("SELVEDGE_Z3") {
        Some(folder) => folder,
        None => {
            let home = || variable("HOME").map(|home| home.join(".cache/selvedge"));
            let cache = variable("SELVEDGE_CACHE").or_else(home);
            let cache = cache.ok_or("neither SELVEDGE_CACHE nor HOME is set")?;
            cache.join(format!("z3-{VERSION}"))
        }
    };
    let lib = folder.join("lib");
    println!("cargo::rerun-if-changed={}", lib.display());
    if lib.join("libz3.so").exists() {
        return Ok(lib);
    }
    Err(format!("no Z3 in {}: run `cargo xtask z3` once, which fetches it", lib.display()))
}

fn announce(lib: &Path) {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR"));
    for entry in fs::read_dir(lib).into_iter().flatten().flatten() {
        let link = out.join(entry.file_name());
        // A link of an earlier build may point elsewhere.
        let _ = fs::remove_file(&link);
        if let Err(error) = std::os::unix::fs::symlink(entry.path(), &link) {
            println!("cargo::error={}: {error}", link.display());
        }
    }
    println!("cargo::rustc-link-search=native={}", out.display());
    println!("cargo::metadata=lib={}", lib.display());
    println!("cargo::rustc-env=SELVEDGE_Z3_LIB={}", lib.display());
}
