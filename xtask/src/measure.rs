//! `cargo xtask measure`: the sizes of the crates, as a table in Markdown.
//!
//! Lines are all lines of source files, also empty ones and comments. What is for tests is counted
//! apart: files in `tests`, modules and functions that are compiled for tests only. It has no part
//! in the longest function, but in the size of the file that it stands in.

use std::fs;
use std::path::{Path, PathBuf};

use crate::files;
use crate::modules::{self, Module, Modules};
use crate::system::{self, Outcome};
use crate::workspace::{self, Member};

pub fn measure(args: &[&str]) -> Outcome<()> {
    let (root, apart) = read(args)?;
    let mut rows = Vec::new();
    for member in workspace::members(&root)? {
        rows.extend(measure_crate(&root, &member, apart.contains(&member.folder.as_str()))?);
    }
    print!("{}", table(&rows));
    Ok(())
}

fn read<'a>(args: &[&'a str]) -> Outcome<(PathBuf, Vec<&'a str>)> {
    let (mut root, mut apart) = (system::root(), Vec::new());
    let mut rest = args.iter();
    while let Some(&arg) = rest.next() {
        match arg {
            "--apart" => apart.push(*rest.next().ok_or("--apart needs a crate's folder")?),
            _ if arg.starts_with('-') => {
                return Err(format!("unknown option `{arg}` of `measure`"));
            }
            folder => root = std::path::absolute(folder).map_err(|e| format!("{folder}: {e}"))?,
        }
    }
    Ok((root, apart))
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Row {
    name: String,
    files: usize,
    lines: usize,
    test_lines: usize,
    largest: (usize, String),
    longest: (usize, String),
    in_cycles: usize,
}

fn measure_crate(root: &Path, member: &Member, apart: bool) -> Outcome<Vec<Row>> {
    let tests = files::below_with(&root.join(&member.folder).join("tests"), "rs");
    let lines = |path: &PathBuf| files::text(path).lines().count();
    let test_lines = tests.iter().map(lines).sum();
    let mut rows = vec![Row { name: member.folder.clone(), test_lines, ..Row::default() }];
    for start in &member.roots {
        let modules = modules::read(start, &|path| fs::read_to_string(path).ok())?;
        add(&mut rows, &modules, apart);
    }
    Ok(rows)
}

/// Adds modules to the crate's own row, which is the first, or to a row for each top module that
/// has modules inside.
fn add(rows: &mut Vec<Row>, modules: &Modules, apart: bool) {
    let cycles = modules::cycles(modules);
    for (index, module) in modules.all.iter().enumerate() {
        let top = module.path.first().filter(|top| apart && has_folder(modules, top));
        let (place, path) = match top {
            Some(top) => (row_named(rows, top), &module.path[1..]),
            None => (0, module.path.as_slice()),
        };
        rows[place].add(module, &path.join("::"));
        rows[place].in_cycles += usize::from(cycles.iter().any(|group| group.contains(&index)));
    }
}

impl Row {
    fn add(&mut self, module: &Module, path: &str) {
        self.files += usize::from(module.lines > 0);
        self.lines += module.lines;
        // A module without a file has its tests in its parent's, which has been added before.
        self.lines = self.lines.saturating_sub(module.test_lines);
        self.test_lines += module.test_lines + module.test_file_lines;
        if module.lines > self.largest.0 {
            let shown = module.file.file_stem().unwrap_or_default().to_string_lossy();
            self.largest =
                (module.lines, if path.is_empty() { shown.into_owned() } else { path.to_owned() });
        }
        for function in &module.functions {
            if function.lines > self.longest.0 {
                let name = [path, &function.name].join("::");
                self.longest = (function.lines, name.trim_start_matches(':').to_owned());
            }
        }
    }
}

fn has_folder(modules: &Modules, top: &str) -> bool {
    modules.all.iter().any(|module| module.path.len() > 1 && module.path[0] == top)
}

fn row_named(rows: &mut Vec<Row>, top: &str) -> usize {
    let name = format!("{}::{top}", rows[0].name);
    let known = rows.iter().position(|row| row.name == name);
    known.unwrap_or_else(|| {
        rows.push(Row { name, ..Row::default() });
        rows.len() - 1
    })
}

fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| crate | files | lines | of tests | largest file | longest function | in cycles |\n\
         |---|---:|---:|---:|---|---|---:|\n",
    );
    for row in rows {
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} |\n",
            row.name,
            row.files,
            row.lines,
            row.test_lines,
            sized(&row.largest),
            sized(&row.longest),
            row.in_cycles
        ));
    }
    let sum = |of: fn(&Row) -> usize| rows.iter().map(of).sum::<usize>();
    let (files, lines) = (sum(|row| row.files), sum(|row| row.lines));
    let (tests, cycles) = (sum(|row| row.test_lines), sum(|row| row.in_cycles));
    text.push_str(&format!("| all | {files} | {lines} | {tests} | | | {cycles} |\n"));
    text
}

fn sized((lines, name): &(usize, String)) -> String {
    if *lines == 0 { String::new() } else { format!("{lines} `{name}`") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(path: &Path) -> Option<String> {
        let text = match path.to_str()? {
            "lib.rs" => "mod a;\nmod b;\n",
            "a.rs" => "use crate::b::B;\npub struct A;\n#[cfg(test)]\nmod tests {\n}\n",
            "b/mod.rs" => "mod c;\npub struct B;\n",
            "b/c.rs" => "use crate::a::A;\nfn f() {\n}\n",
            _ => return None,
        };
        Some(text.to_owned())
    }

    #[test]
    fn one_row_for_a_crate() {
        let modules = modules::read(Path::new("lib.rs"), &files).expect("all files are there");
        let mut rows = vec![Row { name: "k".to_owned(), ..Row::default() }];
        add(&mut rows, &modules, false);
        let row = "| k | 4 | 9 | 3 | 5 `a` | 2 `b::c::f` | 2 |\n| all | 4 | 9 | 3 | | | 2 |\n";
        assert_eq!(table(&rows).split_once("---:|\n").map(|(_, rows)| rows), Some(row));
    }

    #[test]
    fn modules_with_a_folder_apart() {
        let modules = modules::read(Path::new("lib.rs"), &files).expect("all files are there");
        let mut rows = vec![Row { name: "k".to_owned(), ..Row::default() }];
        add(&mut rows, &modules, true);
        let short = |row: &Row| format!("{} {} {}", row.name, row.lines, row.longest.1);
        assert_eq!(rows.iter().map(short).collect::<Vec<_>>(), ["k 4 ", "k::b 5 c::f"]);
    }

    #[test]
    fn arguments() {
        let read = |args: &[&'static str]| read(args).map(|(_, apart)| apart);
        assert_eq!(read(&["/elsewhere", "--apart", "crates/a"]), Ok(vec!["crates/a"]));
        assert!(read(&["--apart"]).is_err() && read(&["--large"]).is_err());
    }
}
