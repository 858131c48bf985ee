//! A story on a page: one column for each thread where they fit, otherwise the thread's name before
//! each line.

use std::ops::Range;

use crate::page::{Page, Tone, length, wrap};
use crate::story::{Effect, Row, Story};

/// Narrower columns would break most source lines.
const MIN_COLUMN: usize = 28;

/// Between columns.
const GAP: usize = 2;

/// Of the lines below a source line that say what was read and changed.
const INDENT: usize = 4;

/// Before the second and later lines of a long source line.
const HANGING: usize = 2;

/// Of a longer story the middle is left out.
const MOST_ROWS: usize = 300;

/// How many of them are from the start of a long story: its end says more.
const FIRST_ROWS: usize = 60;

/// What the first thread does before it starts another is mostly initialisation: of more rows than
/// this only the first and last are shown.
const MOST_ALONE: usize = 12;

/// How many of these at each end.
const ENDS_ALONE: usize = 3;

/// Writes a story on a page.
///
/// ```
/// use selvedge_exec::run::{Limits, run};
/// use selvedge_ir::{Property, text};
/// use selvedge_report::{Page, Sources, render, retell};
///
/// const SOURCE: &str = "shared x: i32;
/// procedure main() {
///     x := 1;
///     assert x == 2;
/// }
/// thread main main;";
///
/// struct Text;
///
/// impl Sources for Text {
///     fn line(&self, _file: &str, line: u32) -> Option<String> {
///         SOURCE.lines().nth(line as usize - 1).map(str::to_owned)
///     }
/// }
///
/// let program = text::parse("a.plato", SOURCE).expect("a good program");
/// let (trace, _) = run(&program, 7, &Limits::default(), &[Property::Assert]).unwrap();
/// let page = Page { width: 80, colour: false };
/// assert_eq!(render(&retell(&trace, &Text), page), "\
/// line  T1 main
/// ----  ---------------
///    3  x := 1;
///           x = 1
///    4  assert x == 2;
///           reads x = 1
///
/// a.plato:4: T1 main: assertion x == 2 fails
/// ");
/// ```
pub fn render(story: &Story, page: Page) -> String {
    let mut sheet = Sheet::new(story, page);
    match sheet.column_widths() {
        Some(columns) => sheet.in_columns(&columns),
        None => sheet.in_lines(),
    }
    sheet.failure();
    sheet.out
}

/// A page while it is being filled.
struct Sheet<'a> {
    story: &'a Story,
    page: Page,
    /// Rows in other files are shown with the file's name.
    main_file: &'a str,
    /// Width of the line numbers.
    numbers: usize,
    out: String,
}

impl<'a> Sheet<'a> {
    fn new(story: &'a Story, page: Page) -> Sheet<'a> {
        let greatest = story.rows.iter().map(|row| row.place.line).max().unwrap_or(0);
        let numbers = greatest.to_string().len().max("line".len());
        Sheet { story, page, main_file: story.main_file(), numbers, out: String::new() }
    }

    /// Each column as wide as its longest text, if there is room; otherwise the widest are cut to
    /// one common width. None if that would be too narrow to read.
    fn column_widths(&self) -> Option<Vec<usize>> {
        let actors = self.story.actors.iter();
        let mut wanted: Vec<usize> = actors.map(|actor| length(&actor.name)).collect();
        for row in self.shown_rows().into_iter().flat_map(|piece| &self.story.rows[piece]) {
            let effects = row.effects.iter().map(|effect| length(&effect.to_string()) + INDENT);
            let widest = effects.max().unwrap_or(0).max(length(&self.text(row)));
            wanted[row.actor] = wanted[row.actor].max(widest);
        }
        let room = self.page.width.checked_sub(self.numbers + GAP * wanted.len())?;
        let fits = |cut: usize| wanted.iter().map(|width| width.min(&cut)).sum::<usize>() <= room;
        let widest = wanted.iter().copied().max().unwrap_or(0);
        let cut = (0..=widest).rev().find(|cut| fits(*cut))?;
        let readable = cut >= MIN_COLUMN.min(widest);
        readable.then(|| wanted.iter().map(|width| *width.min(&cut)).collect())
    }

    fn in_columns(&mut self, columns: &[usize]) {
        let gap = " ".repeat(GAP);
        let mut heading = format!("{:>width$}", "line", width = self.numbers);
        let mut rule = "-".repeat(self.numbers);
        for (actor, column) in self.story.actors.iter().zip(columns) {
            heading.push_str(&format!("{gap}{}", pad(&actor.name, *column)));
            rule.push_str(&format!("{gap}{}", "-".repeat(*column)));
        }
        self.push(&self.page.paint(Tone::Heading, heading.trim_end()));
        self.push(&self.page.paint(Tone::Faint, &rule));
        self.rows(|sheet, row| {
            let before: usize = columns[..row.actor].iter().map(|column| column + GAP).sum();
            let margin = " ".repeat(before);
            for (number, line) in sheet.lines(row, columns[row.actor]) {
                sheet.push(&format!("{number}  {margin}{line}"));
            }
        });
    }

    /// Many threads: the name of the thread that runs stands before its line.
    fn in_lines(&mut self) {
        let actors = self.story.actors.iter();
        let names = actors.map(|actor| length(&actor.name)).max().unwrap_or(0);
        let taken = names + " | ".len() + self.numbers + GAP;
        let column = self.page.width.saturating_sub(taken).max(MIN_COLUMN);
        self.rows(|sheet, row| {
            let mut name = pad(&sheet.story.actors[row.actor].name, names);
            for (number, line) in sheet.lines(row, column) {
                let painted = sheet.page.paint(Tone::Heading, &name);
                sheet.push(&format!("{painted} | {number}  {line}"));
                name = " ".repeat(names);
            }
        });
    }

    /// What is shown of a long story: pieces of it, in order.
    fn shown_rows(&self) -> Vec<Range<usize>> {
        let end = self.story.rows.len();
        let mut start = 0;
        let mut pieces = Vec::new();
        if self.story.alone > MOST_ALONE {
            pieces.push(0..ENDS_ALONE);
            start = self.story.alone - ENDS_ALONE;
        }
        if end - start > MOST_ROWS {
            pieces.push(start..start + FIRST_ROWS);
            start = end - (MOST_ROWS - FIRST_ROWS);
        }
        pieces.push(start..end);
        pieces
    }

    fn rows(&mut self, mut one: impl FnMut(&mut Self, &Row)) {
        let story = self.story;
        let mut shown = 0;
        for piece in self.shown_rows() {
            if piece.start > shown {
                let dots = ".".repeat(self.numbers);
                let text = format!("{dots}  ({} rows left out)", piece.start - shown);
                self.push(&self.page.paint(Tone::Faint, &text));
            }
            shown = piece.end;
            story.rows[piece].iter().for_each(|row| one(self, row));
        }
    }

    /// A row as lines of a column, each behind its number or as much space: the source line, and
    /// below it what the thread read and changed.
    fn lines(&self, row: &Row, column: usize) -> Vec<(String, String)> {
        let blank = " ".repeat(self.numbers);
        let number = match row.place.line {
            0 => blank.clone(),
            line => self.page.paint(Tone::Faint, &format!("{line:>width$}", width = self.numbers)),
        };
        let text = wrap_hanging(&self.text(row), column);
        let effects = wrap_effects(&row.effects, column.saturating_sub(INDENT));
        let effects = effects
            .iter()
            .map(|line| format!("{}{}", " ".repeat(INDENT), self.page.paint(Tone::Value, line)));
        let numbers = std::iter::once(number).chain(std::iter::repeat(blank));
        numbers.zip(text.into_iter().chain(effects)).collect()
    }

    /// A row's text; with its file, where that is not the one that most rows are in.
    fn text(&self, row: &Row) -> String {
        if row.place.line == 0 || row.place.file == self.main_file {
            return row.text.clone();
        }
        let name = row.place.file.rsplit('/').next().unwrap_or_default();
        format!("{} ({name})", row.text)
    }

    fn failure(&mut self) {
        let Some(failure) = &self.story.failure else { return };
        self.push("");
        for line in wrap(&failure.message, self.page.width) {
            self.push(&self.page.paint(Tone::Failure, &line));
        }
        for other in &failure.others {
            self.push(&format!("  {other}"));
        }
    }

    fn push(&mut self, line: &str) {
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }
}

fn wrap_hanging(text: &str, width: usize) -> Vec<String> {
    if length(text) <= width {
        return vec![text.to_string()];
    }
    let mut lines = wrap(text, width.saturating_sub(HANGING));
    lines.iter_mut().skip(1).for_each(|line| line.insert_str(0, &" ".repeat(HANGING)));
    lines
}

/// As many effects on a line as fit, none of them broken unless it must be.
fn wrap_effects(effects: &[Effect], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for effect in effects.iter().map(ToString::to_string) {
        match lines.last_mut() {
            Some(last) if length(last) + 2 + length(&effect) <= width => {
                last.push_str(", ");
                last.push_str(&effect);
            }
            _ => lines.extend(wrap(&effect, width)),
        }
    }
    lines
}

fn pad(text: &str, width: usize) -> String {
    let cut: String = text.chars().take(width).collect();
    let rest = width.saturating_sub(length(&cut));
    format!("{cut}{}", " ".repeat(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::{Actor, Failure, Place};

    fn change(name: &str, value: &str) -> Effect {
        Effect::Change { name: name.into(), value: value.into() }
    }

    fn story(threads: usize) -> Story {
        let actors =
            (1..=threads).map(|number| Actor { name: format!("T{number} worker") }).collect();
        let row = |actor, line, text: &str, (name, value): (&str, &str)| Row {
            actor,
            place: Place { file: "a.c".into(), line },
            text: text.into(),
            effects: vec![change(name, value)],
        };
        Story {
            first_file: None,
            actors,
            rows: vec![
                row(0, 9, "int seen = x;", ("seen", "0")),
                row(1, 9, "int seen = x;", ("seen", "0")),
                row(0, 10, "x = seen + 1;", ("x", "1")),
            ],
            alone: 0,
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
        assert!(text.contains("T2 worker |    9"), "{text}");
        assert!(text.contains("          |           seen = 0\n"), "{text}");
    }

    #[test]
    fn long_stories_lose_their_middle() {
        for threads in [2, 9] {
            let mut story = story(threads);
            let row = story.rows[0].clone();
            story.rows = (0..1000)
                .map(|line| Row { place: Place { line, ..row.place.clone() }, ..row.clone() })
                .collect();
            let text = render(&story, page(100));
            assert!(text.contains("(700 rows left out)"), "{text}");
            assert!(text.contains(" 999  int seen"), "{text}");
            assert!(!text.contains(" 500  int seen"), "{text}");
        }
    }

    #[test]
    fn setting_up_is_short() {
        let mut story = story(2);
        let row = story.rows[0].clone();
        story.rows.splice(0..0, (0..40).map(|_| row.clone()));
        story.alone = 40;
        let text = render(&story, page(100));
        assert!(text.contains("....  (34 rows left out)"), "{text}");
        assert_eq!(text.matches("int seen").count(), 8);
    }

    #[test]
    fn no_line_is_wider_than_the_page() {
        let mut story = story(3);
        story.rows[0].text =
            "call(with, many, arguments, that, do, not, fit, into, one, line);".into();
        story.rows[1].effects =
            vec![change("a_rather_long_name_of_a_variable[17].field", "1234567")];
        for width in [60, 80, 100, 140] {
            for line in render(&story, page(width)).lines() {
                assert!(length(line) <= width, "{width}: {line}");
            }
        }
    }
}
