//! Which crate may know which: the lines that ARCHITECTURE.md draws, held by a machine.

use super::Complaint;
use crate::workspace::Member;

/// A crate of ours, by its folder, with all that it may be built from among ours.
type Row = (&'static str, &'static [&'static str]);

/// Plato (`ir`) knows nobody. What executes (`exec`) and what checks proofs (`certify`) must know
/// neither C nor Java nor engines. Engines know only what is below them, never each other.
const MAY_USE: [Row; 30] = [
    ("crates/ir", &[]),
    ("crates/budget", &[]),
    ("crates/c-syntax", &[]),
    ("crates/frontend-c", &["crates/c-syntax", "crates/ir", "crates/passes"]),
    ("crates/java-classes", &[]),
    ("crates/frontend-java", &["crates/ir", "crates/java-classes"]),
    ("crates/passes", &["crates/budget", "crates/ir"]),
    ("crates/abstract-threads", &["crates/ir", "crates/passes"]),
    ("crates/exec", &["crates/budget", "crates/ir", "crates/passes"]),
    ("crates/smt", &["crates/budget", "crates/ir"]),
    ("crates/certify", &["crates/budget", "crates/ir", "crates/passes", "crates/smt"]),
    ("crates/certify-contracts", &["crates/budget", "crates/ir", "crates/passes", "crates/smt"]),
    ("crates/certify-locks", &["crates/budget", "crates/ir", "crates/passes"]),
    (
        "crates/verdict",
        &[
            "crates/abstract-threads",
            "crates/budget",
            "crates/certify",
            "crates/certify-contracts",
            "crates/certify-locks",
            "crates/exec",
            "crates/ir",
            "crates/passes",
            "crates/smt",
        ],
    ),
    (
        "crates/system",
        &[
            "crates/budget",
            "crates/exec",
            "crates/ir",
            "crates/passes",
            "crates/smt",
            "crates/verdict",
        ],
    ),
    (
        "crates/clauses",
        &[
            "crates/budget",
            "crates/certify",
            "crates/exec",
            "crates/ir",
            "crates/passes",
            "crates/smt",
            "crates/system",
            "crates/verdict",
        ],
    ),
    (
        "crates/sequential",
        &["crates/budget", "crates/exec", "crates/ir", "crates/passes", "crates/smt"],
    ),
    (
        "engines/explore",
        &["crates/budget", "crates/exec", "crates/ir", "crates/passes", "crates/verdict"],
    ),
    (
        "engines/contexts",
        &[
            "crates/budget",
            "crates/exec",
            "crates/ir",
            "crates/passes",
            "crates/sequential",
            "crates/smt",
            "crates/system",
            "crates/verdict",
        ],
    ),
    (
        "engines/contracts",
        &[
            "crates/budget",
            "crates/certify-contracts",
            "crates/exec",
            "crates/ir",
            "crates/passes",
            "crates/smt",
            "crates/verdict",
        ],
    ),
    ("engines/tar", PROVER),
    ("engines/horn", PROVER),
    ("engines/cover", PROVER),
    (
        "engines/locks",
        &["crates/budget", "crates/certify-locks", "crates/ir", "crates/passes", "crates/verdict"],
    ),
    // Random programs, and what engines must agree with on them: used by tests only.
    (
        "crates/random",
        &[
            "crates/budget",
            "crates/exec",
            "crates/ir",
            "crates/passes",
            "crates/verdict",
            "engines/explore",
        ],
    ),
    // Random C programs against real compilers: used by tests only.
    (
        "crates/random-c",
        &[
            "crates/c-syntax",
            "crates/exec",
            "crates/frontend-c",
            "crates/ir",
            "crates/verdict",
            "engines/explore",
        ],
    ),
    (
        "crates/engines",
        &[
            "crates/ir",
            "crates/verdict",
            "engines/contexts",
            "engines/cover",
            "engines/explore",
            "engines/horn",
            "engines/locks",
            "engines/tar",
        ],
    ),
    // A verdict from those of several engines.
    (
        "crates/conform",
        &[
            "crates/abstract-threads",
            "crates/certify",
            "crates/engines",
            "crates/exec",
            "crates/ir",
            "crates/passes",
            "crates/random",
            "crates/smt",
            "crates/verdict",
            "engines/explore",
        ],
    ),
    // Annotations that are checked before they are told.
    (
        "crates/infer",
        &[
            "crates/ir",
            "crates/passes",
            "crates/verdict",
            "engines/contracts",
            "engines/horn",
            "engines/tar",
        ],
    ),
    ("crates/report", &["crates/exec", "crates/ir", "crates/verdict"]),
];

const PROVER: &[&str] = &[
    "crates/budget",
    "crates/certify",
    "crates/clauses",
    "crates/exec",
    "crates/ir",
    "crates/passes",
    "crates/smt",
    "crates/system",
    "crates/verdict",
];

/// The top: it puts everything together. The house tasks know nothing of Selvedge.
const TOP: &str = "crates/cli";
const TASKS: &str = "xtask";

/// One crate knows the solver; all others ask through it.
const SOLVER: &str = "crates/smt";

pub fn check(members: &[Member]) -> Vec<Complaint> {
    members.iter().flat_map(check_crate).collect()
}

fn check_crate(member: &Member) -> Vec<Complaint> {
    let Member { folder, dependencies, .. } = member;
    let mut complaints = Vec::new();
    for used in dependencies {
        let Some(ours) = &used.folder else {
            if used.package.starts_with("z3") && folder != SOLVER {
                complaints.push(format!("{folder} may not use the solver `{}`", used.package));
            }
            continue;
        };
        if !may_use(folder, ours) {
            complaints.push(format!("{folder} may not use {ours}"));
        }
    }
    if allowed(folder).is_none() && folder != TOP {
        complaints.push(format!("{folder}: not in the table of layers"));
    }
    complaints
}

fn may_use(user: &str, used: &str) -> bool {
    user == TOP || allowed(user).is_some_and(|allowed| allowed.contains(&used))
}

fn allowed(folder: &str) -> Option<&'static [&'static str]> {
    if folder == TASKS {
        return Some(&[]);
    }
    MAY_USE.iter().find(|(known, _)| *known == folder).map(|(_, allowed)| *allowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Dependency;

    fn member(folder: &str, used: &[(&str, Option<&str>)]) -> Member {
        let dependency = |(package, folder): &(&str, Option<&str>)| Dependency {
            package: (*package).to_owned(),
            folder: folder.map(str::to_owned),
        };
        Member {
            package: "a".to_owned(),
            folder: folder.to_owned(),
            roots: Vec::new(),
            dependencies: used.iter().map(dependency).collect(),
        }
    }

    #[test]
    fn complains_about_a_forbidden_dependency() {
        let ir = ("selvedge-ir", Some("crates/ir"));
        let front = ("selvedge-frontend-c", Some("crates/frontend-c"));
        let exec = member("crates/exec", &[ir, front, ("z3", None), ("serde", None)]);
        let expected = [
            "crates/exec may not use crates/frontend-c",
            "crates/exec may not use the solver `z3`",
        ];
        assert_eq!(
            check(&[exec, member(TOP, &[ir, front]), member(SOLVER, &[("z3", None)])]),
            expected
        );
    }

    #[test]
    fn complains_about_engines_that_know_each_other() {
        let tar = member("engines/tar", &[("selvedge-horn", Some("engines/horn"))]);
        assert_eq!(check(&[tar]), ["engines/tar may not use engines/horn"]);
    }

    #[test]
    fn complains_about_a_crate_that_is_not_in_the_table() {
        let complaints = check(&[member("crates/new", &[])]);
        assert_eq!(complaints, ["crates/new: not in the table of layers"]);
    }

    #[test]
    fn the_table_has_no_cycle() {
        let mut settled: Vec<&str> = Vec::new();
        while settled.len() < MAY_USE.len() {
            let ready = |(folder, allowed): &&Row| {
                !settled.contains(folder) && allowed.iter().all(|used| settled.contains(used))
            };
            let next = MAY_USE.iter().find(ready).map(|(folder, _)| *folder);
            settled.push(next.expect("a crate that uses only crates below it"));
        }
    }
}
