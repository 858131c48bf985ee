//! A story on a page: one column a thread where they fit, otherwise a thread's name before each
//! line.

use crate::page::{Page, Tone, length, wrap};
use crate::story::{Row, Story};

/// Narrower columns would break most source lines.
const MIN_COLUMN: usize = 28;

/// Between columns.
const GAP: usize = 2;

/// Of the lines below a source line that say what changed.
const INDENT: usize = 4;

pub fn render(story: &Story, page: Page) -> String {
    let numbers = number_width(story);
    let mut out = String::new();
    match column_widths(story, page.width.saturating_sub(numbers + GAP)) {
        Some(columns) => in_columns(story, page, numbers, &columns, &mut out),
        None => in_lines(story, page, numbers, &mut out),
    }
    out
}

fn number_width(story: &Story) -> usize {
    let greatest = story.rows.iter().map(|row| row.place.line).max().unwrap_or(0);
    greatest.to_string().len().max(4)
}

/// Each column as wide as its longest text, if there is room; otherwise the widest are cut to one
/// common width. None if that would be too narrow to read.
fn column_widths(story: &Story, room: usize) -> Option<Vec<usize>> {
    let mut wanted: Vec<usize> = story.actors.iter().map(|actor| length(&actor.name)).collect();
    for row in &story.rows {
        let changes = row.changes.iter().map(|change| length(change) + INDENT);
        let widest = changes.max().unwrap_or(0).max(length(&shown_text(story, row)));
        let column = wanted.get_mut(row.actor)?;
        *column = (*column).max(widest);
    }
    let room = (room + GAP).checked_sub(GAP * wanted.len())?;
    let fits = |cut: usize| wanted.iter().map(|width| width.min(&cut)).sum::<usize>() <= room;
    let widest = wanted.iter().copied().max().unwrap_or(0);
    let cut = (0..=widest).rev().find(|cut| fits(*cut))?;
    (cut >= MIN_COLUMN.min(widest)).then(|| wanted.iter().map(|width| *width.min(&cut)).collect())
}

fn in_columns(story: &Story, page: Page, numbers: usize, columns: &[usize], out: &mut String) {
    let gap = " ".repeat(GAP);
    let mut heading = format!("{:>numbers$}", "line");
    let mut rule = "-".repeat(numbers);
    for (actor, column) in story.actors.iter().zip(columns) {
        heading.push_str(&format!("{gap}{}", pad(&actor.name, *column)));
        rule.push_str(&format!("{gap}{}", "-".repeat(*column)));
    }
    push_line(out, &page.paint(Tone::Heading, heading.trim_end()));
    push_line(out, &page.paint(Tone::Faint, &rule));
    for row in &story.rows {
        let before: usize = columns[..row.actor].iter().map(|column| column + GAP).sum();
        push_row(story, row, page, numbers, columns[row.actor], &" ".repeat(before), out);
    }
    push_failure(story, page, out);
}

/// Many threads: the name of the thread that runs stands before its line.
fn in_lines(story: &Story, page: Page, numbers: usize, out: &mut String) {
    let names = story.actors.iter().map(|actor| length(&actor.name)).max().unwrap_or(0);
    let column = page.width.saturating_sub(names + 3 + numbers + 2).max(MIN_COLUMN);
    for row in &story.rows {
        let name = story.actors.get(row.actor).map_or("", |actor| actor.name.as_str());
        let margin = format!("{} | ", page.paint(Tone::Heading, &pad(name, names)));
        let mut lines = String::new();
        push_row(story, row, page, numbers, column, "", &mut lines);
        for line in lines.lines() {
            push_line(out, format!("{margin}{line}").trim_end());
        }
    }
    push_failure(story, page, out);
}

/// A row's source line, its number first, and below it what changed.
fn push_row(
    story: &Story,
    row: &Row,
    page: Page,
    numbers: usize,
    column: usize,
    margin: &str,
    out: &mut String,
) {
    let mut number = match row.place.line {
        0 => " ".repeat(numbers),
        line => format!("{line:>numbers$}"),
    };
    for (index, line) in wrap_hanging(&shown_text(story, row), column).iter().enumerate() {
        let indent = if index == 0 { "" } else { HANGING };
        push_line(out, &format!("{}  {margin}{indent}{line}", page.paint(Tone::Faint, &number)));
        number = " ".repeat(numbers);
    }
    for line in wrap_changes(&row.changes, column.saturating_sub(INDENT)) {
        let line = page.paint(Tone::Value, &line);
        let blank = " ".repeat(numbers);
        push_line(out, &format!("{blank}  {margin}{}{line}", " ".repeat(INDENT)));
    }
}

/// A row's text; with its file, where that is not the one that most rows are in.
fn shown_text(story: &Story, row: &Row) -> String {
    if row.place.line == 0 || row.place.file == story.main_file() {
        return row.text.clone();
    }
    format!("{} ({})", row.text, row.place.file)
}

/// Before the second and later lines of a long source line.
const HANGING: &str = "  ";

fn wrap_hanging(text: &str, width: usize) -> Vec<String> {
    if length(text) <= width {
        return vec![text.to_string()];
    }
    wrap(text, width.saturating_sub(HANGING.len()))
}

/// As many changes on a line as fit, none of them broken unless it must be.
fn wrap_changes(changes: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for change in changes {
        match lines.last_mut() {
            Some(last) if length(last) + 2 + length(change) <= width => {
                last.push_str(", ");
                last.push_str(change);
            }
            _ => lines.extend(wrap(change, width)),
        }
    }
    lines
}

fn push_failure(story: &Story, page: Page, out: &mut String) {
    let Some(failure) = &story.failure else { return };
    out.push('\n');
    for line in wrap(&failure.message, page.width) {
        push_line(out, &page.paint(Tone::Failure, &line));
    }
    for other in &failure.others {
        push_line(out, &format!("  {other}"));
    }
}

fn pad(text: &str, width: usize) -> String {
    let cut: String = text.chars().take(width).collect();
    let rest = width.saturating_sub(length(&cut));
    format!("{cut}{}", " ".repeat(rest))
}

fn push_line(out: &mut String, line: &str) {
    out.push_str(line.trim_end());
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::{Actor, Failure, Place};

    fn story(threads: usize) -> Story {
        let actors =
            (1..=threads).map(|number| Actor { name: format!("T{number} worker") }).collect();
        let row = |actor, line, text: &str, changes: &[&str]| Row {
            actor,
            place: Place { file: "a.c".into(), line },
            text: text.into(),
            changes: changes.iter().map(|change| change.to_string()).collect(),
        };
        Story {
            actors,
            rows: vec![
                row(0, 9, "int seen = x;", &["seen = 0"]),
                row(1, 9, "int seen = x;", &["seen = 0"]),
                row(0, 10, "x = seen + 1;", &["x = 1"]),
            ],
            failure: Some(Failure {
                message: "a.c:10: T1 worker: x is wrong".into(),
                others: vec!["T2 worker".into()],
            }),
        }
    }

    fn page(width: usize) -> Page {
        Page { width, colour: false }
    }

    #[test]
    fn few_threads_have_columns() {
        let expected = "\
line  T1 worker      T2 worker
----  -------------  -------------
   9  int seen = x;
          seen = 0
   9                 int seen = x;
                         seen = 0
  10  x = seen + 1;
          x = 1

a.c:10: T1 worker: x is wrong
  T2 worker
";
        assert_eq!(render(&story(2), page(100)), expected);
    }

    #[test]
    fn many_threads_have_names() {
        let text = render(&story(9), page(100));
        assert!(text.starts_with("T1 worker |    9  int seen = x;\n"), "{text}");
        assert!(text.contains("T2 worker |           seen = 0\n"), "{text}");
    }

    #[test]
    fn no_line_is_wider_than_the_page() {
        let mut story = story(3);
        story.rows[0].text =
            "call(with, many, arguments, that, do, not, fit, into, one, line);".into();
        story.rows[1].changes = vec!["a_rather_long_name_of_a_variable[17].field = 1234567".into()];
        for width in [60, 80, 100, 140] {
            for line in render(&story, page(width)).lines() {
                assert!(length(line) <= width, "{width}: {line}");
            }
        }
    }
}
