//! What the README says was measured is what docs/results.md says.
//!
//! The convention: every sentence with a number in the README's sections `Results` and `Speed`, and
//! every line of their tables, stands in docs/results.md word for word. Emphasis, blanks and
//! quotation of code make no difference.

use std::path::Path;

use super::Complaint;
use crate::files;

const SECTIONS: [&str; 2] = ["## Results", "## Speed"];

pub fn check(root: &Path) -> Vec<Complaint> {
    let readme = files::text(&root.join("README.md"));
    let results = files::text(&root.join("docs/results.md"));
    compare(&readme, &results)
}

fn compare(readme: &str, results: &str) -> Vec<Complaint> {
    let results = plain(results);
    let mut complaints = Vec::new();
    for heading in SECTIONS {
        match section(readme, heading) {
            Some(section) => complaints.extend(
                claims(section)
                    .filter(|claim| !results.contains(claim))
                    .map(|claim| format!("README.md: not in docs/results.md: {claim}")),
            ),
            None => complaints.push(format!("README.md: no section `{heading}`")),
        }
    }
    complaints
}

/// What stands below a heading, up to the next one of its kind.
fn section<'a>(text: &'a str, heading: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("{heading}\n"))?;
    Some(rest.split_once("\n## ").map_or(rest, |(section, _)| section))
}

/// Sentences with a number, and lines of tables, which are indented.
fn claims(section: &str) -> impl Iterator<Item = String> {
    let sentences = |line: &str| -> Vec<String> {
        if line.starts_with("    ") {
            return vec![line.to_owned()];
        }
        line.split_inclusive(". ").map(str::to_owned).collect()
    };
    let number = |claim: &String| claim.contains(|c: char| c.is_ascii_digit());
    section.lines().flat_map(sentences).map(|claim| plain(&claim)).filter(number)
}

/// Without emphasis, with one blank where there are several.
fn plain(text: &str) -> String {
    let text = text.replace("**", "").replace('`', "");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const README: &str = "# Tool\n\nTested since 1999.\n\n## Results\n\nOf 70 tasks 57 are \
        proved. See the tables. All take 3.5 s.\n\n## Speed\n\n    1 |  0.05 s\n\n## More\n\n9\n";

    #[test]
    fn what_is_the_same_is_fine() {
        let results =
            "# Results\n\nOf 70 tasks **57 are proved**. All take 3.5 s.\n\n| 1 | 0.05 s\n";
        assert_eq!(compare(README, results), Vec::<Complaint>::new());
    }

    #[test]
    fn complains_about_other_figures() {
        let results = "Of 70 tasks 58 are proved. All take 3.5 s.\n\n    1 | 0.06 s\n";
        let expected = [
            "README.md: not in docs/results.md: Of 70 tasks 57 are proved.",
            "README.md: not in docs/results.md: 1 | 0.05 s",
        ];
        assert_eq!(compare(README, results), expected);
    }

    #[test]
    fn complains_about_a_missing_section() {
        assert_eq!(compare("## Results\n", ""), ["README.md: no section `## Speed`"]);
    }
}
