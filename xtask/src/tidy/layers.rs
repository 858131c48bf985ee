//! Which crate may know which: the lines that ARCHITECTURE.md draws, held by a machine.

use std::path::Path;

use super::{Complaint, entries, text};

/// Every crate of ours with all that it may depend on among ours. What checks a verdict (`exec`)
/// must not know what produced the program (`c-syntax`, `frontend-c`); Plato (`ir`) knows nobody.
const MAY_USE: [(&str, &[&str]); 10] = [
    ("ir", &[]),
    ("passes", &["ir"]),
    ("c-syntax", &[]),
    ("frontend-c", &["c-syntax", "ir"]),
    ("exec", &["ir", "passes"]),
    ("smt", &["ir"]),
    ("certify", &["ir", "passes", "smt"]),
    ("engines", &["certify", "exec", "ir", "passes", "smt"]),
    ("report", &["exec", "ir"]),
    (
        "cli",
        &["c-syntax", "certify", "engines", "exec", "frontend-c", "ir", "passes", "report", "smt"],
    ),
];

pub fn check(root: &Path) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for folder in entries(&root.join("crates")) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let manifest = text(&folder.join("Cargo.toml"));
        match MAY_USE.iter().find(|(known, _)| *known == name) {
            Some((_, allowed)) => complaints.extend(check_crate(&name, &manifest, allowed)),
            None => complaints.push(format!("crates/{name}: not in the table of layers")),
        }
    }
    complaints
}

fn check_crate(name: &str, manifest: &str, allowed: &[&str]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for used in dependencies(manifest) {
        // One crate knows the solver; all others ask through it.
        if used.starts_with("z3") && name != "smt" {
            complaints.push(format!("crates/{name} may not use the solver `{used}`"));
        }
        let Some(ours) = used.strip_prefix("selvedge-") else { continue };
        if !allowed.contains(&ours) {
            complaints.push(format!("crates/{name} may not use crates/{ours}"));
        }
    }
    complaints
}

/// The names in `[dependencies]`. Tests may know more than what they test, so
/// `[dev-dependencies]` do not count.
fn dependencies(manifest: &str) -> Vec<&str> {
    let section = manifest.split("[dependencies]").nth(1).unwrap_or_default();
    section
        .lines()
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once(['=', '.']))
        .map(|(name, _)| name.trim())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[package]\nname = \"selvedge-exec\"\n\n[dependencies]\n\
        selvedge-ir = { workspace = true }\nselvedge-frontend-c.workspace = true\nz3 = \"1\"\n\n\
        [dev-dependencies]\nselvedge-report = { workspace = true }\n";

    #[test]
    fn complains_about_a_forbidden_dependency() {
        let complaints = check_crate("exec", MANIFEST, &["ir"]);
        assert_eq!(
            complaints,
            [
                "crates/exec may not use crates/frontend-c",
                "crates/exec may not use the solver `z3`"
            ]
        );
    }
}
