//! The crates of a workspace, as Cargo sees them: no list of ours can fall behind the folders.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::system::{self, Outcome, cargo};

/// A crate of the workspace.
#[derive(Debug, PartialEq, Eq)]
pub struct Member {
    pub package: String,
    /// Its folder below the top one, with `/` between the parts: `crates/ir`.
    pub folder: String,
    /// The files that libraries and programs begin with; tests and benchmarks are not among them.
    pub roots: Vec<PathBuf>,
    pub dependencies: Vec<Dependency>,
}

/// What a crate needs to be built; what only its tests need is left out.
#[derive(Debug, PartialEq, Eq)]
pub struct Dependency {
    pub package: String,
    /// Its folder below the top one, if it is one of ours.
    pub folder: Option<String>,
}

pub fn members(root: &Path) -> Outcome<Vec<Member>> {
    let manifest = root.join("Cargo.toml");
    let text = system::output(
        cargo()
            .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
            .arg("--manifest-path")
            .arg(manifest),
    )?;
    read(&text)
}

/// From what `cargo metadata` prints.
fn read(metadata: &str) -> Outcome<Vec<Member>> {
    let metadata: Value =
        serde_json::from_str(metadata).map_err(|error| format!("cargo metadata: {error}"))?;
    let top = text(&metadata["workspace_root"]);
    let mut members: Vec<Member> =
        list(&metadata["packages"]).iter().map(|package| member(&top, package)).collect();
    members.sort_by(|a, b| a.folder.cmp(&b.folder));
    Ok(members)
}

fn member(top: &str, package: &Value) -> Member {
    let manifest = text(&package["manifest_path"]);
    let folder = manifest.strip_suffix("/Cargo.toml").unwrap_or(&manifest);
    let product = |target: &&Value| {
        list(&target["kind"]).iter().any(|kind| matches!(kind.as_str(), Some("lib" | "bin")))
    };
    let products = list(&package["targets"]).iter().filter(product);
    let built = list(&package["dependencies"]).iter().filter(|used| used["kind"] != "dev");
    Member {
        package: text(&package["name"]),
        folder: below(top, folder),
        roots: products.map(|target| PathBuf::from(text(&target["src_path"]))).collect(),
        dependencies: built
            .map(|used| Dependency {
                package: text(&used["name"]),
                folder: used["path"].as_str().map(|path| below(top, path)),
            })
            .collect(),
    }
}

fn below(top: &str, path: &str) -> String {
    path.strip_prefix(top).unwrap_or(path).trim_matches('/').to_owned()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const METADATA: &str = r#"{
        "workspace_root": "/top",
        "packages": [{
            "name": "selvedge-tar",
            "manifest_path": "/top/engines/tar/Cargo.toml",
            "targets": [
                {"kind": ["lib"], "src_path": "/top/engines/tar/src/lib.rs"},
                {"kind": ["bench"], "src_path": "/top/engines/tar/benches/search.rs"}
            ],
            "dependencies": [
                {"name": "selvedge-ir", "kind": null, "path": "/top/crates/ir"},
                {"name": "indexmap", "kind": null},
                {"name": "selvedge-random", "kind": "dev", "path": "/top/crates/random"}
            ]
        }]
    }"#;

    #[test]
    fn reads_what_cargo_tells() {
        let dependency = |package: &str, folder: Option<&str>| Dependency {
            package: package.to_owned(),
            folder: folder.map(str::to_owned),
        };
        let expected = Member {
            package: "selvedge-tar".to_owned(),
            folder: "engines/tar".to_owned(),
            roots: vec![PathBuf::from("/top/engines/tar/src/lib.rs")],
            dependencies: vec![
                dependency("selvedge-ir", Some("crates/ir")),
                dependency("indexmap", None),
            ],
        };
        assert_eq!(read(METADATA), Ok(vec![expected]));
    }

    #[test]
    fn finds_the_crates_of_this_workspace() {
        let members = members(&system::root()).expect("cargo knows the workspace");
        assert!(members.iter().any(|member| member.folder == "crates/ir"));
        assert!(members.iter().any(|member| member.folder == "xtask"));
    }
}
