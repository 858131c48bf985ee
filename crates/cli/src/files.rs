//! Files that a command writes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use selvedge_certify::Certificate;
use selvedge_exec::Trace;

use crate::status::Refusal;
use crate::terminal;

/// A folder that does not exist should be noticed before the search, not after it.
pub fn can_be_written(path: &Path) -> Result<(), Refusal> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => Err(Refusal::usage(format!(
            "cannot write {}: there is no folder {}; make it first",
            path.display(),
            folder.display()
        ))),
        _ if path.is_dir() => Err(Refusal::usage(format!(
            "cannot write {}: it is a folder; name a file",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// The verdict stands whether or not its trace can be written.
pub fn write_trace(path: &Path, trace: &Trace) {
    keep(path, &trace.to_json());
}

/// Likewise its certificate.
pub fn write_certificate(path: &Path, certificate: &Certificate) {
    keep(path, &certificate.to_json());
}

/// Writes a file beside the answer.
pub fn keep(path: &Path, text: &str) {
    if let Err(error) = std::fs::write(path, text) {
        terminal::complain(&format!("error: cannot write {}: {error}\n", path.display()));
    }
}

/// `trace.race.json` beside `trace.json`.
pub fn beside(path: &Path, name: &str) -> PathBuf {
    let mut whole = OsString::from(path.file_stem().unwrap_or_default());
    whole.push(format!(".{name}"));
    if let Some(extension) = path.extension() {
        whole.push(".");
        whole.push(extension);
    }
    path.with_file_name(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_files_are_named_after_what_they_hold() {
        let name = |path| beside(Path::new(path), "race").display().to_string();
        assert_eq!(name("a/trace.json"), "a/trace.race.json");
        assert_eq!(name("trace"), "trace.race");
    }
}
