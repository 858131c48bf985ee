//! The text of source lines, for traces.
//!
//! Lines are looked up by the name and number that the user knows. For preprocessed sources these
//! are the ones in line markers (`# 12 "file.c"`), whose file need not exist here, so the text is
//! taken from what follows the marker. Everything else is read from the file itself.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

use selvedge_ir::{Program, Span};
use selvedge_report::Sources;

/// `file.c:12`, or nothing for what has no source.
pub fn place(program: &Program, span: Span) -> Option<String> {
    let file = program.files.get(span.file).filter(|_| !span.is_none())?;
    Some(format!("{}:{}", file.name, span.line))
}

pub struct SourceLines {
    /// From preprocessed sources.
    marked: HashMap<(String, u32), String>,
    /// Files read so far; none for those that cannot be read.
    files: RefCell<HashMap<String, Option<Vec<String>>>>,
    first: Option<String>,
}

impl SourceLines {
    /// For a program that was made from these files.
    pub fn of<P: AsRef<Path>>(inputs: &[P]) -> SourceLines {
        let mut marked = HashMap::new();
        for input in inputs.iter().map(AsRef::as_ref) {
            if input.extension().is_some_and(|extension| extension == "i")
                && let Ok(bytes) = fs::read(input)
            {
                let name = input.display().to_string();
                index_marked(&name, &String::from_utf8_lossy(&bytes), &mut marked);
            }
        }
        // A preprocessed source goes by the names in its markers.
        let first = inputs.first().map(AsRef::as_ref);
        let first = first.filter(|input| input.extension().is_none_or(|e| e != "i"));
        let first = first.map(|input| input.display().to_string());
        SourceLines { marked, files: RefCell::default(), first }
    }
}

impl Sources for SourceLines {
    fn first_file(&self) -> Option<String> {
        self.first.clone()
    }

    fn line(&self, file: &str, line: u32) -> Option<String> {
        if let Some(text) = self.marked.get(&(file.to_string(), line)) {
            return Some(text.clone());
        }
        let mut files = self.files.borrow_mut();
        let lines = files.entry(file.to_string()).or_insert_with(|| {
            let bytes = fs::read(file).ok()?;
            Some(String::from_utf8_lossy(&bytes).lines().map(str::to_string).collect())
        });
        lines.as_ref()?.get(line.checked_sub(1)? as usize).cloned()
    }
}

/// Takes up each line of a preprocessed text under the name and number that its marker gives.
fn index_marked(name: &str, text: &str, marked: &mut HashMap<(String, u32), String>) {
    let mut file = name.to_string();
    let mut number = 1;
    for line in text.lines() {
        match marker(line) {
            Some((next, in_file)) => {
                number = next;
                file = in_file.map_or(file, str::to_string);
            }
            None => {
                if !line.trim().is_empty() {
                    marked.entry((file.clone(), number)).or_insert_with(|| line.to_string());
                }
                number += 1;
            }
        }
    }
}

/// The number and file of `# 12 "file.c" 2` or `#line 12`.
fn marker(line: &str) -> Option<(u32, Option<&str>)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let number = rest.split_whitespace().next()?.parse().ok()?;
    Some((number, rest.split('"').nth(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_name_the_lines_behind_them() {
        let mut marked = HashMap::new();
        let text = "# 1 \"a.c\"\nint x;\n# 7 \"b.h\" 1\nint y;\n\nint z;\n# 2 \"a.c\" 2\nint w;\n";
        index_marked("a.i", text, &mut marked);
        let line = |file: &str, number| marked.get(&(file.to_string(), number)).cloned();
        assert_eq!(line("a.c", 1).as_deref(), Some("int x;"));
        assert_eq!(line("b.h", 7).as_deref(), Some("int y;"));
        assert_eq!(line("b.h", 9).as_deref(), Some("int z;"));
        assert_eq!(line("a.c", 2).as_deref(), Some("int w;"));
        assert_eq!(line("a.i", 1), None);
    }

    #[test]
    fn a_missing_file_has_no_lines() {
        let sources = SourceLines::of::<&str>(&[]);
        assert_eq!(sources.line("no/such/file.c", 1), None);
    }
}
