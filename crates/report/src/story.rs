//! A trace as people read it: which thread did what, in source lines and values.
//!
//! A trace lists every visible action; a person wants one row for each source line that a thread
//! went through without being interrupted. This is the form between the two. It knows nothing of
//! how it will be laid out.

use std::collections::BTreeMap;
use std::fmt;

/// What happened, from the start to the end or the failure.
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

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// `T1 main`, `T2 worker`.
    pub name: String,
}

/// One source line that one thread executes without interruption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Index into [`Story::actors`].
    pub actor: usize,
    pub place: Place,
    /// The source text, or what was done where there is no source.
    pub text: String,
    /// What the thread read and changed there.
    pub effects: Vec<Effect>,
}

/// What a thread read or changed: `reads y = 0`, `frees node#1`, `x = 2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    Read {
        place: String,
        value: Option<String>,
        /// Nothing had been written there.
        uninitialised: bool,
        /// Not the last value written.
        older: bool,
    },
    Free {
        place: String,
    },
    Change {
        name: String,
        value: String,
    },
}

/// A line of a file; line 0 where there is no source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    pub line: u32,
}

/// What stands below the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// `a.c:10: T1 main: assertion x == 2 fails`.
    pub message: String,
    /// The calls that led there, and the other threads: `T2 worker is at a.c:12`.
    pub others: Vec<String>,
}

impl Row {
    /// A variable that is read or changed several times in one row shows its last value.
    fn add(&mut self, effect: Effect) {
        match self.effects.iter_mut().find(|known| known.subject() == effect.subject()) {
            Some(known) => *known = effect,
            None => self.effects.push(effect),
        }
    }
}

impl Effect {
    /// What happened to which place, without the value.
    fn subject(&self) -> (std::mem::Discriminant<Effect>, &str) {
        let (Effect::Read { place: name, .. }
        | Effect::Free { place: name }
        | Effect::Change { name, .. }) = self;
        (std::mem::discriminant(self), name)
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Effect::Read { place, value, uninitialised, older } => {
                write!(f, "reads {place}")?;
                value.iter().try_for_each(|value| write!(f, " = {value}"))?;
                f.write_str(if *older { " (an older value)" } else { "" })?;
                f.write_str(if *uninitialised { " (uninitialised)" } else { "" })
            }
            Effect::Free { place } => write!(f, "frees {place}"),
            Effect::Change { name, value } => write!(f, "{name} = {value}"),
        }
    }
}

impl Story {
    /// Adds a row, or adds its effects to the last row if that is the same thread at the same line.
    pub fn tell(&mut self, row: Row) {
        match self.rows.last_mut() {
            Some(last) if last.actor == row.actor && last.place == row.place => {
                row.effects.into_iter().for_each(|effect| last.add(effect));
            }
            _ => self.rows.push(row),
        }
    }

    /// The file whose rows are shown without its name: the first that the user gave, if any row is
    /// in it, else the one that most rows are in.
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

    fn change(value: u32) -> Effect {
        Effect::Change { name: "x".into(), value: value.to_string() }
    }

    fn row(actor: usize, line: u32, effect: Effect) -> Row {
        let place = Place { file: "a.c".into(), line };
        Row { actor, place, text: "x++;".into(), effects: vec![effect] }
    }

    #[test]
    fn the_first_file_needs_no_name() {
        let mut story = Story::default();
        for (line, file) in [(1, "a.c"), (2, "list.h"), (3, "list.h")] {
            let place = Place { file: file.into(), line };
            story.tell(Row { place, ..row(0, line, change(1)) });
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
        let read = Effect::Read {
            place: "x".into(),
            value: Some("0".into()),
            uninitialised: false,
            older: false,
        };
        story.tell(row(0, 3, read.clone()));
        story.tell(row(0, 3, change(1)));
        story.tell(row(1, 3, change(2)));
        story.tell(row(0, 4, change(3)));
        assert_eq!(story.rows.len(), 3);
        assert_eq!(story.rows[0].effects, [read, change(1)]);
        story.tell(row(0, 4, change(4)));
        assert_eq!(story.rows[2].effects, [change(4)]);
    }
}
