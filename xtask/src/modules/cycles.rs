//! Modules that need each other.

use super::Modules;

/// Groups of sibling modules each of which needs, over however many others, all of its group. A
/// module stands for all that is inside it. What a module and one inside it need of each other does
/// not count: a parent puts its children together, and they use what it holds for all of them.
pub fn cycles(modules: &Modules) -> Vec<Vec<usize>> {
    let edges = needs(modules);
    let reach: Vec<Vec<bool>> = (0..edges.len()).map(|from| reachable(&edges, from)).collect();
    let together = |a: usize, b: usize| reach[a][b] && reach[b][a];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for module in (0..edges.len()).filter(|module| together(*module, *module)) {
        match groups.iter_mut().find(|group| together(group[0], module)) {
            Some(group) => group.push(module),
            None => groups.push(vec![module]),
        }
    }
    groups
}

/// For each module those of its siblings that it, or something inside it, needs.
fn needs(modules: &Modules) -> Vec<Vec<usize>> {
    let mut edges = vec![Vec::new(); modules.all.len()];
    for module in 0..modules.all.len() {
        for used in modules.used_by(module) {
            if let Some((here, there)) = modules.siblings_around(module, used) {
                edges[here].push(there);
            }
        }
    }
    edges
}

fn reachable(edges: &[Vec<usize>], from: usize) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut open = edges[from].clone();
    while let Some(module) = open.pop() {
        if !std::mem::replace(&mut reached[module], true) {
            open.extend(&edges[module]);
        }
    }
    reached
}

impl Modules {
    /// Where the ways to two modules part: the siblings that the one and the other are or are in.
    /// None if one is inside the other.
    fn siblings_around(&self, a: usize, b: usize) -> Option<(usize, usize)> {
        let (ways, others) = (self.way_to(a), self.way_to(b));
        ways.into_iter().zip(others).find(|(a, b)| a != b)
    }

    /// From the root to the module.
    fn way_to(&self, module: usize) -> Vec<usize> {
        let mut way = vec![module];
        while let Some(parent) = way.last().and_then(|last| self.all[*last].parent) {
            way.push(parent);
        }
        way.reverse();
        way
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::read;
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let text = |path: &Path| {
            let file = files.iter().find(|(name, _)| Path::new(name) == path);
            file.map(|(_, text)| (*text).to_owned())
        };
        let modules = read(Path::new("lib.rs"), &text).expect("all files are there");
        let groups = cycles(&modules);
        let names = |group: &Vec<usize>| {
            let names: Vec<String> = group.iter().map(|index| modules.all[*index].name()).collect();
            names.join(" ")
        };
        groups.iter().map(names).collect()
    }

    #[test]
    fn a_cycle_of_three() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c; mod d;"),
            ("a.rs", "use crate::b::B; pub struct A;"),
            ("b.rs", "pub struct B; fn f() { super::c::g() }"),
            ("c.rs", "use crate::a::A; pub fn g() {}"),
            ("d.rs", "use super::a::A;"),
        ];
        assert_eq!(found(&files), ["a b c"]);
    }

    #[test]
    fn a_cycle_over_what_the_parent_passes_on() {
        let files = [
            ("lib.rs", "mod a; mod b; use a::A; use b::B;"),
            ("a.rs", "use super::B; pub struct A;"),
            ("b.rs", "use super::A; pub struct B;"),
        ];
        assert_eq!(found(&files), ["a b"]);
    }

    #[test]
    fn a_module_stands_for_what_is_inside() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a/mod.rs", "mod inner; pub struct A;"),
            ("a/inner.rs", "use crate::b::B;"),
            ("b.rs", "use crate::a::A; pub struct B;"),
        ];
        assert_eq!(found(&files), ["a b"]);
    }

    #[test]
    fn parent_and_child_are_no_cycle_and_tests_do_not_count() {
        let files = [
            ("lib.rs", "mod a; mod b; pub struct Shared; use a::A;"),
            ("a.rs", "use super::Shared; use super::b::B; pub struct A;"),
            ("b.rs", "pub struct B; #[cfg(test)] mod tests { use crate::a::A; }"),
        ];
        assert!(found(&files).is_empty());
    }
}
