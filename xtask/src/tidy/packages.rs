//! What we build from others: under which licences, from where, and each only once.
//!
//! `cargo deny` would check the same and more, but it is several hundred crates of its own to
//! compile, and its list of known defects has to be downloaded for each run. What Cargo tells about
//! the packages is enough for these rules.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::Complaint;
use crate::system::{self, Outcome, cargo};

/// Licences that ask for nothing but to be named.
const LICENCES: [&str; 9] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

const SOURCE: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Packages that may be there in two versions. `syn` runs in the compiler only, where macros of
/// others are made; `cafebabe` has not left the first `bitflags`, a set of macros.
const TWICE: [&str; 2] = ["bitflags", "syn"];

pub fn check(root: &Path) -> Vec<Complaint> {
    match packages(root) {
        Ok(packages) => complaints(&packages),
        Err(error) => vec![error],
    }
}

/// A package that is not ours.
struct Package {
    name: String,
    version: String,
    licence: String,
    source: String,
}

/// Those that are built on this machine. Cargo fetches what is missing, as a build would.
fn packages(root: &Path) -> Outcome<Vec<Package>> {
    let host = system::output(std::process::Command::new("rustc").arg("-vV"))?;
    let host = host.lines().find_map(|line| line.strip_prefix("host: "));
    let text = system::output(
        cargo()
            .args(["metadata", "--format-version", "1", "--locked", "--filter-platform"])
            .arg(host.ok_or("rustc names no host")?)
            .arg("--manifest-path")
            .arg(root.join("Cargo.toml")),
    )?;
    read(&text)
}

fn read(metadata: &str) -> Outcome<Vec<Package>> {
    let metadata: Value =
        serde_json::from_str(metadata).map_err(|error| format!("cargo metadata: {error}"))?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = metadata["packages"].as_array().ok_or("cargo metadata names no packages")?;
    let others = all.iter().filter(|package| package["source"].is_string());
    let package = |package: &Value| Package {
        name: text(&package["name"]),
        version: text(&package["version"]),
        licence: text(&package["license"]),
        source: text(&package["source"]),
    };
    Ok(others.map(package).collect())
}

fn complaints(packages: &[Package]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for Package { name, version, licence, source } in packages {
        versions.entry(name).or_default().push(version);
        if !is_fine(licence) {
            complaints.push(format!("package {name}: its licence is `{licence}`"));
        }
        if source != SOURCE {
            complaints.push(format!("package {name}: not from the registry"));
        }
    }
    for (name, versions) in versions {
        if versions.len() > 1 && !TWICE.contains(&name) {
            complaints.push(format!("package {name}: versions {}", versions.join(" and ")));
        }
    }
    complaints
}

/// Whether an expression of licences, with `OR`, `AND` and parentheses, can be met. `AND` binds
/// more tightly; `/` is an old way to write `OR`.
fn is_fine(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let fine = either(&mut rest);
    fine && rest.is_empty()
}

fn either(rest: &mut &[&str]) -> bool {
    let mut fine = both(rest);
    while let ["OR", more @ ..] = rest {
        *rest = more;
        fine |= both(rest);
    }
    fine
}

fn both(rest: &mut &[&str]) -> bool {
    let mut fine = one(rest);
    while let ["AND", more @ ..] = rest {
        *rest = more;
        fine &= one(rest);
    }
    fine
}

fn one(rest: &mut &[&str]) -> bool {
    match *rest {
        ["(", more @ ..] => {
            *rest = more;
            let fine = either(rest);
            let closed = rest.first() == Some(&")");
            *rest = rest.get(1..).unwrap_or_default();
            fine && closed
        }
        [name, "WITH", exception, more @ ..] => {
            *rest = more;
            LICENCES.contains(&format!("{name} WITH {exception}").as_str())
        }
        [name, more @ ..] => {
            *rest = more;
            LICENCES.contains(name)
        }
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_licences() {
        for fine in [
            "MIT",
            "GPL-3.0 OR MIT",
            "MIT/Apache-2.0",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-3.0",
        ] {
            assert!(is_fine(fine), "{fine}");
        }
        for wrong in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT", "MIT)", "MIT WITH more", "MIT MIT"]
        {
            assert!(!is_fine(wrong), "{wrong}");
        }
    }

    #[test]
    fn complains_about_licences_sources_and_versions() {
        let metadata = r#"{"packages": [
            {"name": "ours", "version": "1", "license": null, "source": null},
            {"name": "a", "version": "1", "license": "GPL-3.0", "source": "git+https://a"},
            {"name": "b", "version": "1", "license": "MIT",
             "source": "registry+https://github.com/rust-lang/crates.io-index"},
            {"name": "b", "version": "2", "license": "MIT",
             "source": "registry+https://github.com/rust-lang/crates.io-index"}
        ]}"#;
        let packages = read(metadata).expect("metadata");
        let expected = [
            "package a: its licence is `GPL-3.0`",
            "package a: not from the registry",
            "package b: versions 1 and 2",
        ];
        assert_eq!(complaints(&packages), expected);
    }
}
