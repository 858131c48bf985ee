//! Which module a path leads to.

use super::{Module, Modules};

/// What is being looked up, where. To know what `use A::*` opens, `A` is looked up in the same
/// module, by way of the same `use` among others: what is under way already is not begun again.
type UnderWay = Vec<(usize, String)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Module(usize),
    /// Something that this module defines.
    Item(usize),
}

impl Modules {
    /// The modules whose content `module` names, itself and its relatives in the straight line
    /// among them.
    pub fn used_by(&self, module: usize) -> Vec<usize> {
        let Module { imports, globs, mentions, .. } = &self.all[module];
        let imported = imports.iter().map(|import| &import.path);
        let mut used: Vec<usize> = imported
            .chain(globs)
            .chain(mentions)
            .filter_map(|path| self.follow(module, path, &mut UnderWay::new()))
            .map(|found| match found {
                Found::Module(index) | Found::Item(index) => index,
            })
            .collect();
        used.sort_unstable();
        used.dedup();
        used
    }

    /// None for what is not of this crate, or is not a name of an item at all.
    fn follow(&self, from: usize, path: &[String], under_way: &mut UnderWay) -> Option<Found> {
        let mut here = from;
        for (place, name) in path.iter().enumerate() {
            here = match name.as_str() {
                "crate" => 0,
                "self" => here,
                "super" => self.all[here].parent?,
                _ => match self.look_up(here, name, under_way) {
                    Some(Found::Module(next)) => next,
                    // What follows are variants or functions of a type.
                    Some(item) => return Some(item),
                    // A macro may have made it, so it counts as defined where it was looked for.
                    None if place > 0 => return Some(Found::Item(here)),
                    None => return None,
                },
            };
        }
        Some(Found::Module(here))
    }

    fn look_up(&self, module: usize, name: &str, under_way: &mut UnderWay) -> Option<Found> {
        if let Some(child) = self.child(module, name) {
            return Some(Found::Module(child));
        }
        if self.all[module].items.iter().any(|item| item == name) {
            return Some(Found::Item(module));
        }
        let question = (module, name.to_owned());
        if under_way.contains(&question) {
            return None;
        }
        under_way.push(question);
        let found = self.look_up_import(module, name, under_way);
        under_way.pop();
        found
    }

    fn look_up_import(&self, module: usize, name: &str, under_way: &mut UnderWay) -> Option<Found> {
        let Module { imports, globs, .. } = &self.all[module];
        if let Some(import) = imports.iter().find(|import| import.name == name) {
            return self.follow(module, &import.path, under_way);
        }
        globs.iter().find_map(|glob| match self.follow(module, glob, under_way)? {
            Found::Module(opened) if opened != module => self.look_up(opened, name, under_way),
            _ => None,
        })
    }

    fn child(&self, parent: usize, name: &str) -> Option<usize> {
        let is_it = |module: &Module| {
            module.parent == Some(parent) && module.path.last().is_some_and(|last| last == name)
        };
        self.all.iter().position(is_it)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::read;

    fn used(files: &[(&str, &str)], module: &str) -> Vec<String> {
        let text = |path: &Path| {
            let file = files.iter().find(|(name, _)| Path::new(name) == path);
            file.map(|(_, text)| (*text).to_owned())
        };
        let modules = read(Path::new("lib.rs"), &text).expect("all files are there");
        let index = modules.all.iter().position(|found| found.name() == module);
        let used = modules.used_by(index.expect("the module is there"));
        used.into_iter().map(|index| modules.all[index].name()).collect()
    }

    #[test]
    fn a_name_leads_to_where_it_is_defined() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\nmod c;\npub use c::Thing;\npub use a::*;\n"),
            ("a.rs", "pub fn f() {}\n"),
            ("b.rs", "use std::fmt;\nuse super::Thing;\nfn g() { super::f(); }\n"),
            ("c.rs", "pub struct Thing;\n"),
        ];
        assert_eq!(used(&files, "b"), ["a", "c"]);
        assert_eq!(used(&files, "crate"), ["a", "c"]);
    }

    #[test]
    fn paths_in_types_and_macros_count() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\nmod c;\n"),
            ("a.rs", "pub enum E { One }\n"),
            ("b.rs", "fn g(x: crate::a::E) { assert!(matches!(x, super::c::D::Two)) }\n"),
            ("c.rs", "pub enum D { Two }\n"),
        ];
        assert_eq!(used(&files, "b"), ["a", "c"]);
    }
}
