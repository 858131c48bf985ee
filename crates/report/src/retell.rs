//! From a trace to a story: actions become source lines.

use std::collections::HashMap;

use selvedge_exec::trace::{Failure as TraceFailure, OtherThread, SourcePlace, Step, Trace};

use crate::story::{Actor, Failure, Place, Row, Story};

/// Where the text of source lines comes from.
pub trait Sources {
    /// The line's text, if the file is one of the user's and can be read.
    fn line(&self, file: &str, line: u32) -> Option<String>;
}

pub fn retell(trace: &Trace, sources: &dyn Sources) -> Story {
    let mut teller = Teller::new(trace, sources);
    for step in &trace.steps {
        teller.step(step);
    }
    if let Some(failure) = trace.failure() {
        teller.failure(failure);
    }
    teller.story
}

struct Teller<'a> {
    sources: &'a dyn Sources,
    story: Story,
    /// Thread numbers to places in `Story::actors`.
    actors: HashMap<u32, usize>,
    /// Where in the user's files each actor was last seen.
    last_seen: HashMap<usize, Place>,
}

impl<'a> Teller<'a> {
    fn new(trace: &Trace, sources: &'a dyn Sources) -> Teller<'a> {
        let mut teller = Teller {
            sources,
            story: Story::default(),
            actors: HashMap::new(),
            last_seen: HashMap::new(),
        };
        // In order of creation, so that columns do not depend on who happens to run first.
        let mut threads: Vec<(u32, &str)> = Vec::new();
        for step in &trace.steps {
            if threads.iter().all(|(thread, _)| *thread != step.thread) {
                threads.push((step.thread, &step.procedure));
            }
        }
        threads.sort();
        for (thread, procedure) in threads {
            teller.actors.insert(thread, teller.story.actors.len());
            teller.story.actors.push(Actor { name: format!("T{thread} {procedure}") });
        }
        teller
    }

    /// One action. What neither others could see nor a variable shows is not worth a line:
    /// passing arguments, jumping, returning.
    fn step(&mut self, step: &Step) {
        let actor = self.actors[&step.thread];
        let (place, text) = self.place(actor, step);
        let changes: Vec<String> = step
            .changes
            .iter()
            .map(|change| format!("{} = {}", change.name, change.value))
            .collect();
        if step.visible.is_some() || !changes.is_empty() {
            self.story.tell(Row { actor, place, text, changes });
        }
    }

    /// The line to show for an action. Library functions are shown as the line that called them.
    fn place(&mut self, actor: usize, step: &Step) -> (Place, String) {
        let here = step.place.as_ref().and_then(|place| self.user_line(place));
        if let Some((place, text)) = here {
            self.last_seen.insert(actor, place.clone());
            return (place, text);
        }
        let before = self.last_seen.get(&actor).cloned();
        let text = before.as_ref().and_then(|place| self.sources.line(&place.file, place.line));
        match (before, text) {
            (Some(place), Some(text)) => (place, tidied(&text)),
            _ => (named(step.place.as_ref()), step.action.clone()),
        }
    }

    fn user_line(&self, place: &SourcePlace) -> Option<(Place, String)> {
        let text = self.sources.line(&place.file, place.line)?;
        Some((Place { file: place.file.clone(), line: place.line }, tidied(&text)))
    }

    /// The failing line is the last row, whether or not the action before it was at that line.
    fn failure(&mut self, failure: &TraceFailure) {
        if let Some(&actor) = self.actors.get(&failure.thread)
            && let Some((place, text)) = failure.place.as_ref().and_then(|at| self.user_line(at))
        {
            self.story.tell(Row { actor, place, text, changes: Vec::new() });
        }
        let who = self.actor_name(failure.thread);
        let at = failure.place.as_ref().map(|place| format!("{}:{}: ", place.file, place.line));
        self.story.failure = Some(Failure {
            message: format!("{}{who}: {}", at.unwrap_or_default(), failure.message),
            others: failure.others.iter().map(|other| self.other(other)).collect(),
        });
    }

    fn other(&self, other: &OtherThread) -> String {
        let who = self.actor_name(other.thread);
        match &other.place {
            Some(place) => match self.user_line(place) {
                Some((_, text)) => format!("{who} at {}:{}: {text}", place.file, place.line),
                None => format!("{who} at {}:{}", place.file, place.line),
            },
            None => who,
        }
    }

    fn actor_name(&self, thread: u32) -> String {
        let known = self.actors.get(&thread).and_then(|actor| self.story.actors.get(*actor));
        known.map_or_else(|| format!("T{thread}"), |actor| actor.name.clone())
    }
}

fn named(place: Option<&SourcePlace>) -> Place {
    place.map_or_else(Place::default, |place| Place { file: place.file.clone(), line: place.line })
}

/// A source line without its indentation, its tabs as blanks.
fn tidied(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
