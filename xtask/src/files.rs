//! Looking through folders.

use std::fs;
use std::path::{Path, PathBuf};

/// All files below a folder, sorted, without hidden folders and build output.
pub fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for path in entries(&folder) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with('.') || name == "target" {
                continue;
            }
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// The files below a folder whose names end so.
pub fn below_with(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = below(folder);
    found.retain(|path| path.extension().is_some_and(|end| end == extension));
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().map(|entry| entry.path()).collect()
}

/// Empty if there is no such file.
pub fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}
