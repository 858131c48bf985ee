//! House rules that a machine can check. They run under `cargo test`, so that breaking one is
//! noticed where it happens.

mod layers;
mod map;
mod sources;

use std::fs;
use std::path::{Path, PathBuf};

use crate::system::{self, Outcome};

/// One broken rule: where, and what.
type Complaint = String;

pub fn report() -> Outcome<()> {
    let complaints = check(&system::root());
    for complaint in &complaints {
        println!("{complaint}");
    }
    match complaints.len() {
        0 => Ok(()),
        number => Err(format!("{number} broken house rules")),
    }
}

fn check(root: &Path) -> Vec<Complaint> {
    let mut complaints = sources::check(root);
    complaints.extend(layers::check(root));
    complaints.extend(map::check(root));
    complaints
}

/// All files below a folder, sorted, without hidden folders and build output.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_path_buf()];
    while let Some(folder) = todo.pop() {
        for path in entries(&folder) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with('.') || name == "target" {
                continue;
            }
            if path.is_dir() { todo.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().map(|entry| entry.path()).collect()
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn house_rules_hold() {
        let complaints = check(&system::root());
        assert!(complaints.is_empty(), "broken house rules:\n{}", complaints.join("\n"));
    }
}
