//! Inside a crate, modules do not need each other in circles.

use std::fs;
use std::path::Path;

use super::Complaint;
use crate::modules::{self, Modules};
use crate::workspace::Member;

pub fn check(members: &[Member]) -> Vec<Complaint> {
    let of_member = |Member { folder, roots, .. }: &Member| -> Vec<Complaint> {
        roots.iter().flat_map(|root| in_root(folder, root)).collect()
    };
    members.iter().flat_map(of_member).collect()
}

fn in_root(folder: &str, root: &Path) -> Vec<Complaint> {
    match modules::read(root, &|path| fs::read_to_string(path).ok()) {
        Ok(modules) => complain(folder, &modules),
        Err(error) => vec![error],
    }
}

fn complain(folder: &str, modules: &Modules) -> Vec<Complaint> {
    let complaint = |group: Vec<usize>| {
        let names: Vec<String> = group.iter().map(|index| modules.all[*index].name()).collect();
        format!("{folder}: modules that need each other: {}", names.join(", "))
    };
    modules::cycles(modules).into_iter().map(complaint).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_modules_of_a_cycle() {
        let text = |path: &Path| match path.to_str()? {
            "lib.rs" => Some("mod a; mod b;".to_owned()),
            "a.rs" => Some("use crate::b::B; pub struct A;".to_owned()),
            "b.rs" => Some("use crate::a::A; pub struct B;".to_owned()),
            _ => None,
        };
        let modules = modules::read(Path::new("lib.rs"), &text).expect("all files are there");
        let complaint = "crates/k: modules that need each other: a, b";
        assert_eq!(complain("crates/k", &modules), [complaint]);
    }
}
