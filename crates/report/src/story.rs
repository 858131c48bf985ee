//! A trace retold for people: who did what, in source lines and changed values.
//!
//! A trace lists every visible action; a person wants one row for each source line that a thread
//! went through without being interrupted. This is the form between the two. It knows nothing of
//! how it will be laid out.

use std::collections::BTreeMap;

/// What happened, from the start to the failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Story {
    /// The threads, in order of creation.
    pub actors: Vec<Actor>,
    pub rows: Vec<Row>,
    /// How many rows come before the first thread is started; 0 if none ever is.
    pub alone: usize,
    /// The first file that the user gave, where that is known.
    pub first_file: Option<String>,
    /// What went wrong; none for a run that ended well.
    pub failure: Option<Failure>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// `main`, `T2 worker`.
    pub name: String,
}

/// One source line that one thread goes through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Index into [`Story::actors`].
    pub actor: usize,
    pub place: Place,
    /// The source text, or the action where there is no source.
    pub text: String,
    /// `x = 2`, `reads y = 0`.
    pub changes: Vec<String>,
}

/// A line of a file; line 0 where there is no source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    pub line: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// `assertion x == 2 fails`.
    pub message: String,
    /// Other places that belong to it: `T2 writes x (a.c:12)`.
    pub others: Vec<String>,
}

impl Row {
    /// A variable that changes several times in one row shows its last value.
    fn change(&mut self, change: String) {
        let name = |text: &str| text.split(" = ").next().unwrap_or(text).to_string();
        match self.changes.iter_mut().find(|known| name(known) == name(&change)) {
            Some(known) => *known = change,
            None => self.changes.push(change),
        }
    }
}

impl Story {
    /// Adds what a thread does at a line. It joins the row before if that is the same thread at the
    /// same line.
    pub fn tell(&mut self, row: Row) {
        match self.rows.last_mut() {
            Some(last) if last.actor == row.actor && last.place == row.place => {
                row.changes.into_iter().for_each(|change| last.change(change));
            }
            _ => self.rows.push(row),
        }
    }

    /// The file whose lines need no name: the first that the user gave, if the story leads through
    /// it, else the one that most rows are in.
    pub fn main_file(&self) -> &str {
        if let Some(first) = &self.first_file
            && self.rows.iter().any(|row| row.place.file == *first)
        {
            return first;
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &self.rows {
            *counts.entry(row.place.file.as_str()).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        most.map_or("", |(file, _)| file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(actor: usize, line: u32, change: &str) -> Row {
        let place = Place { file: "a.c".into(), line };
        Row { actor, place, text: "x++;".into(), changes: vec![change.into()] }
    }

    #[test]
    fn the_first_file_needs_no_name() {
        let mut story = Story::default();
        for (line, file) in [(1, "a.c"), (2, "list.h"), (3, "list.h")] {
            let place = Place { file: file.into(), line };
            story.tell(Row { place, ..row(0, line, "x = 1") });
        }
        assert_eq!(story.main_file(), "list.h");
        story.first_file = Some("a.c".into());
        assert_eq!(story.main_file(), "a.c");
        story.first_file = Some("b.c".into());
        assert_eq!(story.main_file(), "list.h");
    }

    #[test]
    fn steps_at_one_line_are_one_row() {
        let mut story = Story::default();
        story.tell(row(0, 3, "reads x = 0"));
        story.tell(row(0, 3, "x = 1"));
        story.tell(row(1, 3, "x = 2"));
        story.tell(row(0, 4, "x = 3"));
        assert_eq!(story.rows.len(), 3);
        assert_eq!(story.rows[0].changes, ["reads x = 0", "x = 1"]);
        story.tell(row(0, 4, "x = 4"));
        assert_eq!(story.rows[2].changes, ["x = 4"]);
    }
}
