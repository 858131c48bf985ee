//! Inside a crate, modules do not need each other in circles.

use std::fs;

use super::Complaint;
use crate::modules::{self, Modules};
use crate::workspace::Member;

/// Crates with cycles, and how many modules are in them. The list may only become shorter: a number
/// that is too large is a complaint as well.
const EXCEPTIONS: &[(&str, usize)] = &[];

pub fn check(members: &[Member]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for Member { folder, roots, .. } in members {
        let mut found = Vec::new();
        for root in roots {
            match modules::read(root, &|path| fs::read_to_string(path).ok()) {
                Ok(modules) => found.extend(named(&modules)),
                Err(error) => complaints.push(error),
            }
        }
        let excepted = EXCEPTIONS.iter().find(|(name, _)| name == folder);
        complaints.extend(compare(folder, &found, excepted.map_or(0, |(_, number)| *number)));
    }
    let gone = |name: &str| members.iter().all(|member| member.folder != name);
    let gone = EXCEPTIONS.iter().filter(|(name, _)| gone(name));
    complaints.extend(gone.map(|(name, _)| format!("{name}: an exception for no crate")));
    complaints
}

fn named(modules: &Modules) -> Vec<Vec<String>> {
    let names = |group: Vec<usize>| group.iter().map(|index| modules.all[*index].name()).collect();
    modules::cycles(modules).into_iter().map(names).collect()
}

fn compare(folder: &str, found: &[Vec<String>], excepted: usize) -> Vec<Complaint> {
    let number: usize = found.iter().map(Vec::len).sum();
    if number < excepted {
        let now = format!("{number} modules in cycles, where {excepted} are excepted");
        return vec![format!("{folder}: {now}; correct the list of exceptions")];
    }
    let shown = |group: &Vec<String>| {
        format!("{folder}: modules that need each other: {}", group.join(", "))
    };
    if number > excepted { found.iter().map(shown).collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_modules_of_a_cycle() {
        let found = [vec!["a".to_owned(), "b::c".to_owned()]];
        let complaint = "crates/k: modules that need each other: a, b::c";
        assert_eq!(compare("crates/k", &found, 0), [complaint]);
        assert!(compare("crates/k", &found, 2).is_empty());
        assert!(compare("crates/k", &[], 0).is_empty());
    }

    #[test]
    fn an_exception_that_is_too_large_is_a_complaint() {
        let complaints = compare("crates/k", &[], 2);
        assert!(complaints[0].contains("correct the list"), "{complaints:?}");
    }
}
