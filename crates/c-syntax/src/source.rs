//! Source texts, and where in the user's own files a piece of them comes from.
//!
//! A text that went through the preprocessor carries line markers (`# 12 "file.c" 1 3`). They are
//! read once, when the text is added, so that every position can be told as the user knows it.

use crate::ast::Span;

/// All source texts of one run, by number.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    sources: Vec<Source>,
}

#[derive(Clone, Debug)]
struct Source {
    name: String,
    text: String,
    /// Names of the files that line markers mention; the first is the source itself.
    files: Vec<String>,
    /// Starts of the text's lines, ascending.
    lines: Vec<Line>,
    /// Whether there are line markers at all.
    marked: bool,
}

/// One line of a text and the line of the user's file that it stands for.
#[derive(Clone, Copy, Debug)]
struct Line {
    start: u32,
    file: u32,
    number: u32,
    system: bool,
}

/// A point in a file of the user; line and column (in characters) count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl SourceMap {
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Takes up a text; the number is what [`Span::source`] holds.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> u32 {
        let id = self.sources.len() as u32;
        self.sources.push(Source::new(name.into(), text.into()));
        id
    }

    pub fn text(&self, source: u32) -> &str {
        &self.sources[source as usize].text
    }

    /// The name the text was added under.
    pub fn name(&self, source: u32) -> &str {
        &self.sources[source as usize].name
    }

    /// Where a span starts, as the user knows it.
    pub fn locate(&self, span: Span) -> Location {
        let source = &self.sources[span.source as usize];
        let line = source.line_of(span.start);
        Location {
            file: source.files[line.file as usize].clone(),
            line: line.number,
            column: source.column(line, span.start),
        }
    }

    /// Whether a span starts in a system header (flag 3 of its line marker).
    pub fn is_system_header(&self, span: Span) -> bool {
        self.sources[span.source as usize].line_of(span.start).system
    }

    /// Whether a text has line markers, so that its lines are not quite those of the file.
    pub(crate) fn is_preprocessed(&self, source: u32) -> bool {
        self.sources[source as usize].marked
    }

    /// The piece of text a span covers.
    pub fn snippet(&self, span: Span) -> &str {
        self.text(span.source).get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The byte range of the line of text in which a span starts, without its line break.
    pub(crate) fn line_range(&self, span: Span) -> std::ops::Range<usize> {
        let source = &self.sources[span.source as usize];
        let start = source.line_of(span.start).start as usize;
        let rest = &source.text[start..];
        let length = rest.find('\n').unwrap_or(rest.len());
        start..start + rest[..length].trim_end_matches('\r').len()
    }
}

impl Source {
    fn new(name: String, text: String) -> Source {
        let mut files = vec![name.clone()];
        let mut lines = Vec::new();
        let mut here = Line { start: 0, file: 0, number: 1, system: false };
        let mut start = 0;
        let mut marked = false;
        for line in text.split_inclusive('\n') {
            lines.push(Line { start, ..here });
            start += line.len() as u32;
            match marker(line) {
                Some(marker) => {
                    marked = true;
                    if let Some(file) = marker.file {
                        here.file = file_number(&mut files, file);
                        here.system = marker.system;
                    }
                    here.number = marker.line;
                }
                None => here.number = here.number.saturating_add(1),
            }
        }
        if text.is_empty() || text.ends_with('\n') {
            lines.push(Line { start, ..here });
        }
        Source { name, text, files, lines, marked }
    }

    fn line_of(&self, offset: u32) -> Line {
        let after = self.lines.partition_point(|line| line.start <= offset);
        self.lines[after.max(1) - 1]
    }

    fn column(&self, line: Line, offset: u32) -> u32 {
        let before = self.text.get(line.start as usize..offset as usize).unwrap_or("");
        before.chars().count() as u32 + 1
    }
}

fn file_number(files: &mut Vec<String>, name: String) -> u32 {
    let known = files.iter().position(|file| *file == name);
    known.unwrap_or_else(|| {
        files.push(name);
        files.len() - 1
    }) as u32
}

/// The files that the line markers of a text name, those of the system left out.
pub(crate) fn user_files(text: &str) -> Vec<String> {
    let markers = text.lines().filter(|line| line.starts_with('#')).filter_map(marker);
    let mut files: Vec<String> =
        markers.filter(|marker| !marker.system).filter_map(|marker| marker.file).collect();
    files.sort_unstable();
    files.dedup();
    files
}

struct Marker {
    line: u32,
    file: Option<String>,
    system: bool,
}

/// Reads `# 12 "file" flags` and `#line 12 "file"`.
fn marker(line: &str) -> Option<Marker> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = rest[..digits].parse().ok()?;
    let rest = rest[digits..].trim_start();
    let Some(quoted) = rest.strip_prefix('"') else {
        return Some(Marker { line: number, file: None, system: false });
    };
    let (file, flags) = unquote(quoted);
    let system = flags.split_whitespace().any(|flag| flag == "3");
    Some(Marker { line: number, file: Some(file), system })
}

/// The file name up to the closing quote, escapes resolved, and what follows it.
fn unquote(text: &str) -> (String, &str) {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (name, &text[at + 1..]),
            '\\' => name.extend(chars.next().map(|(_, escaped)| escaped)),
            _ => name.push(c),
        }
    }
    (name, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(map: &SourceMap, source: u32, needle: &str) -> (String, u32, u32) {
        let start = map.text(source).find(needle).expect("needle") as u32;
        let place = map.locate(Span { source, start, end: start + 1 });
        (place.file, place.line, place.column)
    }

    #[test]
    fn plain_text_counts_its_own_lines() {
        let mut map = SourceMap::new();
        let id = map.add("a.c", "int x;\n  é y;\n");
        assert_eq!(at(&map, id, "x"), ("a.c".into(), 1, 5));
        assert_eq!(at(&map, id, "y"), ("a.c".into(), 2, 5));
    }

    #[test]
    fn markers_give_the_original_place() {
        let mut map = SourceMap::new();
        let text = "# 1 \"a.c\"\n# 1 \"/usr/include/h.h\" 1 3 4\nint h;\n# 7 \"a.c\" 2\nint x;\n\
                    #line 30\nint y;\n#line 2 \"dir\\\\b.c\"\nint z;\n";
        let id = map.add("a.i", text);
        assert_eq!(at(&map, id, "h;"), ("/usr/include/h.h".into(), 1, 5));
        assert_eq!(at(&map, id, "x;"), ("a.c".into(), 7, 5));
        assert_eq!(at(&map, id, "y;"), ("a.c".into(), 30, 5));
        assert_eq!(at(&map, id, "z;"), ("dir\\b.c".into(), 2, 5));
    }

    #[test]
    fn flag_three_is_a_system_header() {
        let mut map = SourceMap::new();
        let id = map.add("a.i", "# 1 \"h.h\" 1 3\nint h;\n# 2 \"a.c\" 2\nint x;\n");
        let span = |needle| {
            let start = map.text(id).find(needle).expect("needle") as u32;
            Span { source: id, start, end: start + 1 }
        };
        assert!(map.is_system_header(span("h;")));
        assert!(!map.is_system_header(span("x;")));
    }

    #[test]
    fn pragmas_are_no_markers() {
        let mut map = SourceMap::new();
        let id = map.add("a.c", "#pragma once 3\n# 99999999999\nint x;\n");
        assert_eq!(at(&map, id, "x;"), ("a.c".into(), 3, 5));
    }

    #[test]
    fn positions_at_and_past_the_end_are_safe() {
        let mut map = SourceMap::new();
        let id = map.add("a.c", "");
        let end = map.locate(Span { source: id, start: 0, end: 0 });
        assert_eq!((end.line, end.column), (1, 1));
        let past = map.locate(Span { source: id, start: 9, end: 9 });
        assert_eq!((past.line, past.column), (1, 1));
    }
}
