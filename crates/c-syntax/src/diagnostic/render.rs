//! Diagnostics as text: title, place, excerpt, related places, help.

use std::collections::HashMap;
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::{Diagnostic, Severity};
use crate::ast::Span;
use crate::source::SourceMap;

/// More errors than this at once are of no use.
const SHOWN_ERRORS: usize = 20;

/// Renders diagnostics for a terminal (`color`) or a file, in the order given.
pub fn render(diagnostics: &[Diagnostic], sources: &SourceMap, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut excerpts = Excerpts { sources, files: HashMap::new() };
    let mut shown_errors = 0;
    let mut blocks = Vec::new();
    for diagnostic in diagnostics {
        if diagnostic.is_error() {
            shown_errors += 1;
            if shown_errors > SHOWN_ERRORS {
                continue;
            }
        }
        blocks.push(one(diagnostic, &mut excerpts, &renderer));
    }
    if shown_errors > SHOWN_ERRORS {
        let rest = shown_errors - SHOWN_ERRORS;
        let plural = if rest == 1 { "" } else { "s" };
        let message = format!("{rest} more error{plural} not shown");
        blocks.push(renderer.render(&[Group::with_title(Level::NOTE.primary_title(message))]));
    }
    let mut text = blocks.join("\n\n");
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn one(diagnostic: &Diagnostic, excerpts: &mut Excerpts, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group =
        Group::with_title(level.primary_title(diagnostic.message.as_str()).id(diagnostic.id));
    if let Some(span) = diagnostic.span {
        group = excerpts.show(group, span, diagnostic.label.as_deref());
    }
    let mut groups = vec![];
    if let Some(help) = &diagnostic.help
        && diagnostic.related.is_empty()
    {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    groups.push(group);
    for (span, message) in &diagnostic.related {
        let group = Group::with_title(Level::NOTE.secondary_title(message.as_str()));
        groups.push(excerpts.show(group, *span, None));
    }
    if let Some(help) = &diagnostic.help
        && !diagnostic.related.is_empty()
    {
        groups.push(Group::with_title(Level::HELP.secondary_title(help.as_str())));
    }
    renderer.render(&groups)
}

/// Finds the line to show for a span; remembers the original files it has read.
struct Excerpts<'a> {
    sources: &'a SourceMap,
    files: HashMap<String, Option<String>>,
}

impl Excerpts<'_> {
    fn show<'g>(&mut self, group: Group<'g>, span: Span, label: Option<&'g str>) -> Group<'g> {
        let place = self.sources.locate(span);
        let Some((line, range)) = self.line(span) else {
            let origin = Origin::path(place.file).line(place.line as usize);
            return group.element(origin.char_column(place.column as usize));
        };
        let annotation: Annotation = AnnotationKind::Primary.span(range).label(label);
        let snippet = Snippet::source(line).path(place.file).line_start(place.line as usize);
        group.element(snippet.annotation(annotation))
    }

    /// The line a span starts in and the part of it to mark. The original line is preferred, if
    /// the marked text stands there at the same place: macros may have changed the rest of it.
    fn line(&mut self, span: Span) -> Option<(String, Range<usize>)> {
        let text = self.sources.text(span.source);
        let bounds = self.sources.line_range(span);
        let line = &text[bounds.clone()];
        let start = (span.start as usize).clamp(bounds.start, bounds.end) - bounds.start;
        let end = (span.end as usize).clamp(bounds.start + start, bounds.end) - bounds.start;
        let marked = line.get(start..end)?;
        let place = self.sources.locate(span);
        if self.sources.is_preprocessed(span.source)
            && let Some(original) = self.original_line(&place.file, place.line)
            && original.get(start..end) == Some(marked)
        {
            return Some((original, start..end));
        }
        (!line.trim().is_empty()).then(|| (line.to_string(), start..end))
    }

    fn original_line(&mut self, file: &str, line: u32) -> Option<String> {
        let text = self.files.entry(file.to_string()).or_insert_with(|| readable(file));
        let index = (line as usize).checked_sub(1)?;
        text.as_ref()?.lines().nth(index).map(str::to_string)
    }
}

/// The text of a regular file; anything else (a device, a pipe) could block.
fn readable(file: &str) -> Option<String> {
    std::fs::metadata(file).ok().filter(|data| data.is_file())?;
    std::fs::read_to_string(file).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(map: &SourceMap, source: u32, needle: &str) -> Span {
        let start = map.text(source).find(needle).expect("needle") as u32;
        Span { source, start, end: start + needle.len() as u32 }
    }

    #[test]
    fn shows_place_excerpt_label_and_help() {
        let mut map = SourceMap::new();
        let id = map.add("a.c", "int f(void) {\n\treturn 1 +;\n}\n");
        let wrong = Diagnostic::error("c-parse", "expected an expression, found `;`")
            .at(span(&map, id, ";"))
            .label("here")
            .help("write one");
        let expected = "\
error[c-parse]: expected an expression, found `;`
 --> a.c:2:12
  |
2 |     return 1 +;
  |               ^ here
  |
  = help: write one
";
        assert_eq!(render(&[wrong], &map, false), expected);
    }

    #[test]
    fn shows_related_places() {
        let mut map = SourceMap::new();
        let id = map.add("a.c", "int f(void) {\n");
        let wrong = Diagnostic::error("c-parse", "expected `}`, found the end of the file")
            .at(Span { source: id, start: 14, end: 14 })
            .related(span(&map, id, "{"), "this `{` is not closed");
        let expected = "\
error[c-parse]: expected `}`, found the end of the file
 --> a.c:2:1
  |
note: this `{` is not closed
 --> a.c:1:13
  |
1 | int f(void) {
  |             ^
";
        assert_eq!(render(&[wrong], &map, false), expected);
    }

    #[test]
    fn counts_what_it_leaves_out() {
        let many: Vec<_> = (0..23).map(|n| Diagnostic::error("x", format!("wrong {n}"))).collect();
        let text = render(&many, &SourceMap::new(), false);
        assert!(text.contains("wrong 19") && !text.contains("wrong 20"), "{text}");
        assert!(text.contains("3 more errors not shown"), "{text}");
    }

    #[test]
    fn prefers_the_original_line() {
        let folder = std::env::temp_dir().join(format!("selvedge-render-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("temporary folder");
        let file = folder.join("a.c");
        std::fs::write(&file, "int x = N; /* the size */\n").expect("writable");
        let mut map = SourceMap::new();
        let name = file.display();
        let id = map.add("a.i", format!("# 1 \"{name}\"\nint x = 3;\n"));
        let show = |needle| {
            render(&[Diagnostic::error("x", "wrong").at(span(&map, id, needle))], &map, false)
        };
        assert!(show("x =").contains("int x = N; /* the size */"), "{}", show("x ="));
        assert!(show("3;").contains("int x = 3;"), "{}", show("3;"));
        std::fs::remove_dir_all(&folder).expect("removable");
    }
}
