//! Paths in source text: those that `use` imports, and those inside macro calls.

use proc_macro2::{TokenStream, TokenTree};

/// What a `use` brings in: the path, and the name by which it is known; no name for `*`.
pub fn imported(tree: &syn::UseTree) -> Vec<(Vec<String>, Option<String>)> {
    let mut found = Vec::new();
    collect(tree, &mut Vec::new(), &mut found);
    found
}

fn collect(
    tree: &syn::UseTree,
    before: &mut Vec<String>,
    found: &mut Vec<(Vec<String>, Option<String>)>,
) {
    match tree {
        syn::UseTree::Path(path) => {
            before.push(path.ident.to_string());
            collect(&path.tree, before, found);
            before.pop();
        }
        syn::UseTree::Group(group) => {
            group.items.iter().for_each(|tree| collect(tree, before, found));
        }
        syn::UseTree::Glob(_) => found.push((before.clone(), None)),
        syn::UseTree::Name(name) => found.push(named(before, &name.ident, None)),
        syn::UseTree::Rename(name) => found.push(named(before, &name.ident, Some(&name.rename))),
    }
}

/// `a::{self}` means `a`.
fn named(
    before: &[String],
    last: &syn::Ident,
    rename: Option<&syn::Ident>,
) -> (Vec<String>, Option<String>) {
    let mut path = before.to_vec();
    if last != "self" {
        path.push(last.to_string());
    }
    let name = rename.map(ToString::to_string).or_else(|| path.last().cloned());
    (path, name)
}

/// Paths among the tokens of a macro call, whose grammar is not known.
pub fn in_tokens(tokens: TokenStream) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut colons = 0;
    for token in tokens {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() => colons += 1,
            TokenTree::Ident(word) => {
                if colons != 2 && !path.is_empty() {
                    found.push(std::mem::take(&mut path));
                }
                path.push(word.to_string());
                colons = 0;
            }
            other => {
                found.extend(Some(std::mem::take(&mut path)).filter(|path| !path.is_empty()));
                colons = 0;
                if let TokenTree::Group(group) = other {
                    found.extend(in_tokens(group.stream()));
                }
            }
        }
    }
    found.extend(Some(path).filter(|path| !path.is_empty()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports() {
        let item: syn::ItemUse =
            syn::parse_str("use super::{a::{self, B as C}, d::*};").expect("a use");
        let shown = imported(&item.tree).into_iter().map(|(path, name)| (path.join("::"), name));
        let name = |name: &str| Some(name.to_owned());
        let expected = [
            ("super::a".to_owned(), name("a")),
            ("super::a::B".to_owned(), name("C")),
            ("super::d".to_owned(), None),
        ];
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn paths_in_macro_calls() {
        let tokens = "\"{}\", super::a::f(crate::B { x: 1 }), y".parse().expect("tokens");
        let shown: Vec<String> = in_tokens(tokens).iter().map(|path| path.join("::")).collect();
        assert_eq!(shown, ["super::a::f", "crate::B", "x", "y"]);
    }
}
