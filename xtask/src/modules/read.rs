//! Modules from source text, beginning with the file of the crate.

use std::path::{Path, PathBuf};

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::paths;
use super::{Files, Function, Import, Module, Modules};
use crate::system::Outcome;

/// Reads the crate that begins with this file.
pub fn read(root: &Path, files: Files) -> Outcome<Modules> {
    let mut reader = Reader { files, modules: Modules::default() };
    let folder = root.parent().unwrap_or(Path::new("")).to_path_buf();
    reader.file(Module { file: root.to_path_buf(), ..Module::default() }, &folder)?;
    Ok(reader.modules)
}

struct Reader<'a> {
    files: Files<'a>,
    modules: Modules,
}

/// A module that is declared but not read yet.
struct Declared {
    module: Module,
    test: bool,
    /// The items between its braces; none where it has a file of its own.
    items: Option<Vec<syn::Item>>,
    folder: PathBuf,
}

impl Reader<'_> {
    /// Reads `module` from its file; the files of its children are in `folder`.
    fn file(&mut self, mut module: Module, folder: &Path) -> Outcome<()> {
        let shown = module.file.display().to_string();
        let text = (self.files)(&module.file).ok_or_else(|| format!("{shown}: no such file"))?;
        let parsed = syn::parse_file(&text).map_err(|error| format!("{shown}: {error}"))?;
        module.lines = text.lines().count();
        self.items(module, &parsed.items, folder)
    }

    fn items(&mut self, module: Module, items: &[syn::Item], folder: &Path) -> Outcome<()> {
        let index = self.modules.all.len();
        let mut body = Body { module, index, folder, declared: Vec::new() };
        items.iter().for_each(|item| body.visit_item(item));
        let Body { module, declared, .. } = body;
        self.modules.all.push(module);
        declared.into_iter().try_for_each(|declared| self.declared(declared))
    }

    fn declared(&mut self, declared: Declared) -> Outcome<()> {
        let Declared { mut module, test, items, folder } = declared;
        if let Some(items) = items {
            return if test { Ok(()) } else { self.items(module, &items, &folder) };
        }
        let inside = folder.join("mod.rs");
        if (self.files)(&inside).is_some() {
            module.file = inside;
        }
        if !test {
            return self.file(module, &folder);
        }
        // Tests are only counted, together with the modules that they consist of.
        let mut apart = Reader { files: self.files, modules: Modules::default() };
        let parent = module.parent;
        apart.file(module, &folder)?;
        if let Some(parent) = parent {
            let lines: usize = apart.modules.all.iter().map(|module| module.lines).sum();
            self.modules.all[parent].test_file_lines += lines;
        }
        Ok(())
    }
}

/// Walks over what stands in one module.
struct Body<'a> {
    module: Module,
    index: usize,
    folder: &'a Path,
    declared: Vec<Declared>,
}

impl Body<'_> {
    fn declare(&mut self, item: &syn::ItemMod, test: bool) {
        let name = item.ident.to_string();
        let folder = self.folder.join(&name);
        let mut path = self.module.path.clone();
        path.push(name);
        let file = match &item.content {
            Some(_) => self.module.file.clone(),
            None => folder.with_extension("rs"),
        };
        let items = item.content.as_ref().map(|(_, items)| items.clone());
        if test && items.is_some() {
            self.module.test_lines += lines(item.span(), item.span());
        }
        let module = Module { path, parent: Some(self.index), file, ..Module::default() };
        self.declared.push(Declared { module, test, items, folder });
    }

    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let name = signature.ident.to_string();
        let lines = lines(signature.span(), block.span());
        self.module.functions.push(Function { name, lines });
    }
}

impl<'ast> Visit<'ast> for Body<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let test = attributes(item).iter().any(is_for_tests);
        if let syn::Item::Mod(declared) = item {
            return self.declare(declared, test);
        }
        if test {
            self.module.test_lines += lines(item.span(), item.span());
            return;
        }
        self.module.items.extend(name(item));
        visit::visit_item(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        for (path, name) in paths::imported(&item.tree) {
            match name {
                Some(name) => self.module.imports.push(Import { name, path }),
                None => self.module.globs.push(path),
            }
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter().map(|segment| segment.ident.to_string());
        self.module.mentions.push(segments.collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, found: &'ast syn::Macro) {
        self.module.mentions.extend(paths::in_tokens(found.tokens.clone()));
        visit::visit_macro(self, found);
    }

    /// `pub(in crate::a)` says who may use something, not what it uses.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if item.attrs.iter().any(is_for_tests) {
            return;
        }
        self.function(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }
}

fn lines(first: Span, last: Span) -> usize {
    last.end().line.saturating_sub(first.start().line) + 1
}

/// `#[test]` or `#[cfg(test)]`.
fn is_for_tests(attribute: &syn::Attribute) -> bool {
    if attribute.path().is_ident("test") {
        return true;
    }
    let condition = attribute.meta.require_list().map(|list| list.tokens.to_string());
    attribute.path().is_ident("cfg") && condition.is_ok_and(|condition| condition == "test")
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    use syn::Item::*;
    match item {
        Const(item) => &item.attrs,
        Enum(item) => &item.attrs,
        Fn(item) => &item.attrs,
        Impl(item) => &item.attrs,
        Macro(item) => &item.attrs,
        Mod(item) => &item.attrs,
        Static(item) => &item.attrs,
        Struct(item) => &item.attrs,
        Trait(item) => &item.attrs,
        Type(item) => &item.attrs,
        Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name(item: &syn::Item) -> Option<String> {
    use syn::Item::*;
    let name = match item {
        Const(item) => &item.ident,
        Enum(item) => &item.ident,
        Fn(item) => &item.sig.ident,
        Macro(item) => item.ident.as_ref()?,
        Static(item) => &item.ident,
        Struct(item) => &item.ident,
        Trait(item) => &item.ident,
        Type(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(path: &Path) -> Option<String> {
        let text = match path.to_str()? {
            "src/lib.rs" => "mod a;\nmod b {\n    mod c;\n}\n#[cfg(test)]\nmod tests;\n",
            "src/a/mod.rs" => {
                "fn f() {\n    g(\n        1,\n    )\n}\n\n#[cfg(test)]\nmod tests {\n    \
                #[test]\n    fn long() {\n\n\n\n\n\n    }\n}\n"
            }
            "src/b/c.rs" => "struct S;\n\nimpl S {\n    fn m(&self) {}\n}\n",
            "src/tests.rs" => "mod more;\n",
            "src/tests/more.rs" => "fn t() {\n}\n",
            _ => return None,
        };
        Some(text.to_owned())
    }

    #[test]
    fn finds_modules_and_leaves_out_tests() {
        let modules = read(Path::new("src/lib.rs"), &files).expect("all files are there");
        let names: Vec<String> = modules.all.iter().map(Module::name).collect();
        assert_eq!(names, ["crate", "a", "b", "b::c"]);
        assert_eq!(modules.all[1].lines, 17);
        assert_eq!((modules.all[1].test_lines, modules.all[1].test_file_lines), (11, 0));
        assert_eq!((modules.all[0].test_lines, modules.all[0].test_file_lines), (0, 1 + 2));
    }

    #[test]
    fn measures_functions() {
        let modules = read(Path::new("src/lib.rs"), &files).expect("all files are there");
        let functions = modules.all.iter().flat_map(|module| &module.functions);
        let found: Vec<(&str, usize)> = functions.map(|f| (f.name.as_str(), f.lines)).collect();
        assert_eq!(found, [("f", 5), ("m", 1)]);
    }

    #[test]
    fn says_which_file_is_missing() {
        let missing = |path: &Path| (path == Path::new("lib.rs")).then(|| "mod a;".to_owned());
        let error = read(Path::new("lib.rs"), &missing).expect_err("a.rs is not there");
        assert_eq!(error, "a.rs: no such file");
    }
}
