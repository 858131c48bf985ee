//! Rules about single files: size, module documentation, what may not be left lying about.

use std::path::Path;

use super::Complaint;
use crate::files;

/// Past this, a second concept has moved in.
const MAX_LINES: usize = 800;

const SIZED: [&str; 6] = ["rs", "md", "c", "h", "plato", "toml"];

/// Split, so that this file does not break its own rule.
const LEFT_OPEN: [&str; 6] = [
    concat!("to", "do!("),
    concat!("unimple", "mented!("),
    concat!("db", "g!("),
    concat!("#[ig", "nore"),
    concat!("FIX", "ME"),
    concat!("XX", "X:"),
];

pub fn check(root: &Path) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for path in files::below(root) {
        let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        if !SIZED.contains(&extension.as_str()) {
            continue;
        }
        let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let content = files::text(&path);
        let lines = content.lines().count();
        if lines > MAX_LINES {
            complaints.push(format!("{shown}: {lines} lines, more than {MAX_LINES}"));
        }
        if extension == "rs" {
            complaints.extend(check_rust(&shown, &content));
        }
    }
    complaints
}

fn check_rust(shown: &str, content: &str) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    if !content.trim_start().starts_with("//!") {
        complaints.push(format!("{shown}: no module documentation at the top"));
    }
    for (index, line) in content.lines().enumerate() {
        for word in LEFT_OPEN.iter().filter(|word| line.contains(*word)) {
            complaints.push(format!("{shown}:{}: `{word}`", index + 1));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complains_about_what_is_left_open() {
        let undocumented = check_rust("a.rs", "fn f() {}\n");
        assert_eq!(undocumented, ["a.rs: no module documentation at the top"]);
        let content = format!("//! About.\n\nfn f() {{\n    {});\n}}\n", LEFT_OPEN[0]);
        assert_eq!(check_rust("a.rs", &content).len(), 1);
        assert!(check_rust("a.rs", "//! About.\n").is_empty());
    }
}
