//! ARCHITECTURE.md is a map: it names every crate, and what it names exists.

use std::path::Path;

use super::Complaint;
use crate::files;
use crate::workspace::Member;

pub fn check(root: &Path, members: &[Member]) -> Vec<Complaint> {
    let map = files::text(&root.join("ARCHITECTURE.md"));
    let folders = members.iter().map(|member| member.folder.as_str());
    let mut complaints = missing(&map, folders);
    for path in paths_named(&map) {
        if !root.join(path).exists() {
            complaints.push(format!("ARCHITECTURE.md names `{path}`, which does not exist"));
        }
    }
    complaints
}

fn missing<'a>(map: &str, folders: impl Iterator<Item = &'a str>) -> Vec<Complaint> {
    folders
        .filter(|folder| !map.contains(&format!("`{folder}`")))
        .map(|folder| format!("ARCHITECTURE.md does not name `{folder}`"))
        .collect()
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

    const MAP: &str = "The crate `crates/ir` is not `a + b / c`; see `docs/plato.md`, `Expr`.\n";

    #[test]
    fn finds_paths_between_backticks() {
        assert_eq!(paths_named(MAP), ["crates/ir", "docs/plato.md"]);
    }

    #[test]
    fn misses_a_crate() {
        let complaints = missing(MAP, ["crates/ir", "engines/tar"].into_iter());
        assert_eq!(complaints, ["ARCHITECTURE.md does not name `engines/tar`"]);
    }
}
