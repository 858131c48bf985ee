//! The documents tell of every option, and of none that does not exist.
//!
//! docs/command-line.md is the page about the command line; what it leaves to a page that it links
//! to is told there.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use common::{SAFE, selvedge};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The commands, from the list below `Commands:`.
fn commands(help: &str) -> Vec<&str> {
    let list = help.split_once("Commands:\n").map_or("", |(_, list)| list);
    let lines = list.lines().take_while(|line| line.starts_with("  "));
    let entries = lines.filter(|line| !line.starts_with("   "));
    entries
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect()
}

/// The options, from lines such as `  -I <FOLDER>` and `      --engine <ENGINE>`.
fn options(help: &str) -> BTreeSet<String> {
    let list = help.split_once("Options:\n").map_or("", |(_, list)| list);
    list.lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with('-'))
        .flat_map(|line| line.split([' ', ',']).filter(|word| word.starts_with('-')))
        .map(str::to_owned)
        .collect()
}

/// The options that a page names as Selvedge's: in backticks or in an indented line, except where
/// another program is called.
fn named(page: &str) -> BTreeSet<String> {
    page.lines()
        .flat_map(|line| match line.strip_prefix("    ") {
            Some(code) => vec![code],
            None => line.split('`').skip(1).step_by(2).collect(),
        })
        .filter(|code| !calls_another(code))
        .flat_map(str::split_whitespace)
        .filter(|word| word.starts_with("--"))
        .map(|word| word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned())
        .filter(|word| word.len() > 2)
        .collect()
}

fn calls_another(code: &str) -> bool {
    let code = code.trim_start();
    let other = ["cargo ", "spin ", "gcc ", "pip "].iter().any(|start| code.starts_with(start));
    other && !code.starts_with("cargo xtask run ")
}

/// The pages of the same folder that a page links to.
fn links(page: &str) -> BTreeSet<String> {
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|name| name.ends_with(".md") && !name.contains('/')).map(str::to_owned).collect()
}

fn help(command: &[&str]) -> String {
    let args: Vec<&str> = command.iter().copied().chain(["--help"]).collect();
    let outcome = selvedge(&args);
    outcome.ends(SAFE);
    outcome.out
}

/// Whether the text has the word, not only as the beginning of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(part) && (word.len() == 2 || !after.starts_with(part))
    })
}

#[test]
fn every_command_and_option_is_told_of() {
    let page = read(&root().join("docs/command-line.md"));
    let linked: String =
        links(&page).iter().map(|name| read(&root().join("docs").join(name))).collect();
    let all = page.clone() + &linked;
    let top = help(&[]);
    let mut untold = Vec::new();
    for command in commands(&top) {
        if !page.contains(&format!("selvedge {command} ")) {
            untold.push(format!("selvedge {command}"));
        }
        // Every program has these two; the page says where help is to be had.
        let own = options(&help(&[command])).into_iter().filter(|o| o != "-h" && o != "-V");
        untold.extend(
            own.filter(|option| !has_word(&all, option)).map(|o| format!("selvedge {command} {o}")),
        );
    }
    assert!(untold.is_empty(), "not in docs/command-line.md:\n{}", untold.join("\n"));
}

#[test]
fn every_option_that_is_told_of_exists() {
    let top = help(&[]);
    let mut known = options(&top);
    commands(&top).iter().for_each(|command| known.extend(options(&help(&[command]))));
    let mut pages = vec![root().join("README.md"), root().join("ARCHITECTURE.md")];
    let docs = fs::read_dir(root().join("docs")).expect("the folder of documents");
    pages.extend(docs.map(|entry| entry.expect("a document").path()));
    pages.sort();
    let mut unknown = Vec::new();
    for path in pages.iter().filter(|path| path.extension().is_some_and(|end| end == "md")) {
        let page = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let missing = named(&read(path)).into_iter().filter(|option| !known.contains(option));
        unknown.extend(missing.map(|option| format!("{page}: {option}")));
    }
    assert!(unknown.is_empty(), "no such options:\n{}", unknown.join("\n"));
}

const HELP: &str = "Does things.\n\nUsage: tool <COMMAND>\n\nCommands:\n  verify  Decide\n  run     \
    Run once,\n          at random\n  help    Print\n\nOptions:\n  -h, --help\n          Print help \
    (see --more)\n\n  -I <FOLDER>\n      --engine <ENGINE>  The method\n";

#[test]
fn reads_help() {
    assert_eq!(commands(HELP), ["verify", "run"]);
    let expected = ["--engine", "--help", "-I", "-h"].map(str::to_owned);
    assert_eq!(options(HELP), BTreeSet::from(expected));
}

#[test]
fn reads_pages() {
    let page = "With `--slice auto`, `-I` (see [x](x.md#here), [y](a/y.md)), not --this nor \
        `cargo test --all`.\n\n    cargo xtask run verify --int math prog.c\n    a -- b\n";
    assert_eq!(named(page), BTreeSet::from(["--int", "--slice"].map(str::to_owned)));
    assert_eq!(links(page), BTreeSet::from(["x.md".to_owned()]));
}

#[test]
fn finds_whole_words() {
    assert!(has_word("`--no-por` and `-DSIZE=2`", "--no-por"));
    assert!(has_word("`--no-por` and `-DSIZE=2`", "-D"));
    assert!(!has_word("`--no-portals`, `x-D`", "--no-por"));
    assert!(!has_word("`--no-portals`, `x-D`", "-D"));
}
