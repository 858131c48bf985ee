//! The JSON that the documents describe is the JSON that is written.
//!
//! In docs/command-line.md, below `## JSON`, the table with the header `field` has a row for each
//! field of `Report`. Where a field is a structure of `crates/report` itself, its fields are named in
//! the second column: they are what stands in backticks behind the first colon and outside
//! parentheses. The table with the header `kind` names the kinds of `Stop`. In docs/tts.md one
//! sentence names the fields of `CoverReport`, in docs/contracts.md those of `ContractsReport`; those of
//! what these contain stand in parentheses.

use std::path::Path;

use super::Complaint;
use crate::files;

const TABLE: &str = "docs/command-line.md";
const SENTENCE: &str = "docs/tts.md";
const CONTRACTS: &str = "docs/contracts.md";

/// Where `Stop` is defined, whose kinds are its variants in lower case with underscores.
const STOP: &str = "crates/exec/src/stop.rs";

pub fn check(root: &Path) -> Vec<Complaint> {
    let sources = files::below_with(&root.join("crates/report/src"), "rs");
    let sources: Vec<String> = sources.iter().map(|path| files::text(path)).collect();
    let structures = structures(&sources);
    let page = files::text(&root.join(TABLE));
    let mut complaints = compare(TABLE, &structures, "Report", &table(&page));
    let kinds = kinds(&files::text(&root.join(STOP)));
    complaints.extend(kinds.map_or_else(
        || vec![format!("{STOP}: no enumeration `Stop` to compare with {TABLE}")],
        |kinds| differences(TABLE, "Stop", &kinds, &kinds_told(&page)),
    ));
    let sentence = sentence(&files::text(&root.join(SENTENCE)));
    complaints.extend(compare(SENTENCE, &structures, "CoverReport", &sentence));
    let contracts = self::sentence(&files::text(&root.join(CONTRACTS)));
    complaints.extend(compare(CONTRACTS, &structures, "ContractsReport", &contracts));
    complaints
}

/// A structure that is written as an object: its fields, with the names of types in each.
struct Structure {
    name: String,
    fields: Vec<(String, Vec<String>)>,
}

impl Structure {
    fn names(&self) -> Vec<String> {
        self.fields.iter().map(|(name, _)| name.clone()).collect()
    }
}

/// What a document says: a field, and the fields of what it contains.
type Described = Vec<(String, Vec<String>)>;

fn structures(sources: &[String]) -> Vec<Structure> {
    let files = sources.iter().filter_map(|text| syn::parse_file(text).ok());
    let items = files.flat_map(|file| file.items);
    items
        .filter_map(|item| match item {
            syn::Item::Struct(item) => Some(item),
            _ => None,
        })
        .map(|item| Structure {
            name: item.ident.to_string(),
            fields: item.fields.iter().filter_map(field).collect(),
        })
        .collect()
}

fn field(field: &syn::Field) -> Option<(String, Vec<String>)> {
    let mut name = field.ident.as_ref()?.to_string();
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        // Only the settings that are in use are understood; others are passed over.
        let _ = attribute.parse_nested_meta(|setting| {
            if let Ok(value) = setting.value() {
                let value: syn::LitStr = value.parse()?;
                if setting.path.is_ident("rename") {
                    name = value.value();
                }
            }
            Ok(())
        });
    }
    let mut types = TypeNames::default();
    syn::visit::visit_type(&mut types, &field.ty);
    Some((name, types.0))
}

#[derive(Default)]
struct TypeNames(Vec<String>);

impl<'ast> syn::visit::Visit<'ast> for TypeNames {
    fn visit_ident(&mut self, name: &'ast syn::Ident) {
        self.0.push(name.to_string());
    }
}

/// The kinds of `Stop`, as JSON has them.
fn kinds(source: &str) -> Option<Vec<String>> {
    let items = syn::parse_file(source).ok()?.items;
    items.into_iter().find_map(|item| match item {
        syn::Item::Enum(item) if item.ident == "Stop" => {
            Some(item.variants.iter().map(|variant| snake_case(&variant.ident)).collect())
        }
        _ => None,
    })
}

/// As `rename_all = "snake_case"` does it.
fn snake_case(name: &syn::Ident) -> String {
    let mut text = String::new();
    for c in name.to_string().chars() {
        if c.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(c.to_lowercase());
    }
    text
}

/// The rows of the table below `## JSON` whose first column has this header.
fn rows<'a>(document: &'a str, header: &str) -> impl Iterator<Item = &'a str> {
    let section = document.split_once("## JSON\n").map_or("", |(_, rest)| rest);
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    let table = section.split_once(&format!("| {header} |")).map_or("", |(_, rest)| rest);
    table.lines().skip(1).take_while(|line| line.starts_with('|')).skip(1)
}

fn kinds_told(document: &str) -> Vec<String> {
    let first = |row: &str| quoted(row.split('|').nth(1).unwrap_or_default());
    rows(document, "kind").flat_map(first).collect()
}

/// What the table of fields says; a row can be about several fields.
fn table(document: &str) -> Described {
    let mut described = Described::new();
    for row in rows(document, "field") {
        let mut cells = row.trim_matches('|').splitn(2, '|');
        let names = quoted(cells.next().unwrap_or_default());
        let content = cells.next().and_then(|cell| cell.split_once(':')).map_or("", |(_, c)| c);
        let inner = quoted(&outside_parentheses(content));
        described.extend(names.into_iter().map(|name| (name, inner.clone())));
    }
    described
}

/// The sentence `--format json` prints one object: `a`, `b` (`c`, `d`), ...
fn sentence(document: &str) -> Described {
    let line = document.lines().find_map(|line| line.split_once("prints one object: "));
    let mut described = Described::new();
    for (index, part) in line.map_or("", |(_, list)| list).split(['(', ')']).enumerate() {
        match described.last_mut() {
            Some((_, inner)) if index % 2 == 1 => inner.extend(quoted(part)),
            _ => described.extend(quoted(part).into_iter().map(|name| (name, Vec::new()))),
        }
    }
    described
}

fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn outside_parentheses(text: &str) -> String {
    let mut depth = 0;
    let mut kept = String::new();
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept
}

fn compare(page: &str, all: &[Structure], top: &str, said: &Described) -> Vec<Complaint> {
    let Some(structure) = all.iter().find(|structure| structure.name == top) else {
        return vec![format!("crates/report: no structure `{top}` to compare with {page}")];
    };
    let names: Vec<String> = said.iter().map(|(name, _)| name.clone()).collect();
    let mut complaints = differences(page, top, &structure.names(), &names);
    for (name, inner) in said {
        let Some((_, types)) = structure.fields.iter().find(|(field, _)| field == name) else {
            continue;
        };
        let inside = all.iter().find(|structure| types.contains(&structure.name));
        if let Some(inside) = inside.filter(|inside| !inner.is_empty() || is_flat(inside, all)) {
            complaints.extend(differences(page, &inside.name, &inside.names(), inner));
        }
    }
    complaints
}

/// What contains objects of its own is too much for a table: the page may be content to name it.
fn is_flat(structure: &Structure, all: &[Structure]) -> bool {
    let ours = |name: &String| all.iter().any(|structure| structure.name == *name);
    !structure.fields.iter().flat_map(|(_, types)| types).any(ours)
}

/// What a page does not tell of a type, and what it tells that the type has not.
fn differences(page: &str, name: &str, there: &[String], said: &[String]) -> Vec<Complaint> {
    let missing = there.iter().filter(|word| !said.contains(word));
    let missing = missing.map(|word| format!("{page}: does not tell of `{word}` of `{name}`"));
    let extra = said.iter().filter(|word| !there.contains(word));
    let extra = extra.map(|word| format!("{page}: tells of `{word}`, which `{name}` has not"));
    missing.chain(extra).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "pub struct Report<'a> {\n    pub tool: String,\n    pub verdict: &'a str,\n\
        #[serde(skip_serializing_if = \"Vec::is_empty\")]\n    pub rounds: Vec<Round>,\n    \
        #[serde(rename = \"path\")]\n    pub trace: Option<&'a Trace>,\n}\n\
        pub struct Round {\n    pub bound: u32,\n    pub result: &'static str,\n}\n";

    fn complaints(document: &str) -> Vec<Complaint> {
        let structures = structures(&[SOURCE.to_owned()]);
        compare("page", &structures, "Report", &table(document))
    }

    #[test]
    fn a_table_that_says_all_is_fine() {
        let document = "## JSON\n\n| field | what |\n|---|---|\n| `tool`, `verdict` | as in text |\n\
            | `rounds` | of `x`: each with `bound` (a `number`), `result` |\n\
            | `path` | of UNSAFE |\n\n| kind | why |\n|---|---|\n| `time` | |\n\n\
            ## Next\n\n| field |\n|---|\n| `other` |\n";
        assert_eq!(complaints(document), Vec::<Complaint>::new());
    }

    #[test]
    fn complains_about_what_is_missing_and_what_is_not_there() {
        let document = "## JSON\n| field | what |\n|---|---|\n| `tool` | |\n| `rounds` | of x: `bound`, `size` |\n\
            | `path` | |\n| `cost` | |\n";
        let expected = [
            "page: does not tell of `verdict` of `Report`",
            "page: tells of `cost`, which `Report` has not",
            "page: does not tell of `result` of `Round`",
            "page: tells of `size`, which `Round` has not",
        ];
        assert_eq!(complaints(document), expected);
    }

    #[test]
    fn complains_about_a_kind_that_is_missing() {
        let source = "pub enum Stop {\n    Time { limit: u64 },\n    CallDepth,\n}\n";
        let document = "## JSON\n| field | what |\n|---|---|\n| `tool` | |\n\n\
            | kind | why |\n|---|---|\n| `time`, `memory` | a limit of `x` |\n";
        let kinds = kinds(source).expect("an enumeration");
        assert_eq!(kinds, ["time", "call_depth"]);
        let expected = [
            "page: does not tell of `call_depth` of `Stop`",
            "page: tells of `memory`, which `Stop` has not",
        ];
        assert_eq!(differences("page", "Stop", &kinds, &kinds_told(document)), expected);
    }

    #[test]
    fn a_sentence_with_parentheses() {
        let text =
            "`--format json` prints one object: `tool`, `rounds` (`bound`, `result`), `path`.";
        let said = sentence(text);
        let structures = structures(&[SOURCE.to_owned()]);
        let complaints = compare("page", &structures, "Report", &said);
        assert_eq!(complaints, ["page: does not tell of `verdict` of `Report`"]);
    }
}
