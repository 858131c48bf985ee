//! ARCHITECTURE.md is a map: it names every crate, and what it names exists.

use std::path::Path;

use super::{Complaint, entries, text};

pub fn check(root: &Path) -> Vec<Complaint> {
    let map = text(&root.join("ARCHITECTURE.md"));
    let mut complaints = Vec::new();
    for folder in entries(&root.join("crates")) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !map.contains(&format!("`crates/{name}`")) {
            complaints.push(format!("ARCHITECTURE.md does not name `crates/{name}`"));
        }
    }
    for path in paths_named(&map) {
        if !root.join(path).exists() {
            complaints.push(format!("ARCHITECTURE.md names `{path}`, which does not exist"));
        }
    }
    complaints
}

/// What stands between backticks and looks like a path: no blanks, and a slash inside or behind.
fn paths_named(map: &str) -> Vec<&str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "./_-".contains(c);
    map.lines()
        .filter(|line| !line.starts_with("    "))
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter(|word| word.contains('/') && word.chars().all(plain) && !word.starts_with('/'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_paths_between_backticks() {
        let map = "The crate `crates/ir` is not `a + b / c`; see `docs/plato.md`, `Expr`.\n";
        assert_eq!(paths_named(map), ["crates/ir", "docs/plato.md"]);
    }
}
