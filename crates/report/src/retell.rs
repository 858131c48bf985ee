//! From a trace to a story: actions become source lines.

use std::collections::HashMap;

use selvedge_exec::trace::{
    CallSite, Failure as TraceFailure, OtherThread, SourcePlace, Step, Trace,
};
use selvedge_exec::{Event, Fault};
use selvedge_ir::Storage;

use crate::story::{Actor, Effect, Failure, Place, Row, Story};

/// How many calls are shown of a deep stack.
const MOST_CALLS: usize = 10;

/// Where the text of source lines comes from.
pub trait Sources {
    /// The line's text, if the file is one of the user's and can be read.
    fn line(&self, file: &str, line: u32) -> Option<String>;

    /// The first file that the user gave, if that is known.
    fn first_file(&self) -> Option<String> {
        None
    }
}

/// Tells a trace as source lines, for [`crate::render`]; see the example there.
pub fn retell(trace: &Trace, sources: &dyn Sources) -> Story {
    let mut teller = Teller::new(trace, sources);
    let failing = trace.failure().map(|failure| failure.thread);
    for step in by_turns(&trace.steps, failing) {
        teller.step(step);
    }
    if let Some(failure) = trace.failure() {
        teller.failure(failure);
    }
    teller.story
}

/// The steps, with those put off that no other thread can see: where a thread does only such steps
/// between those of another (a new thread sets its locals while its creator goes on), they are told
/// together with its next visible step.
fn by_turns(steps: &[Step], failing: Option<u32>) -> Vec<&Step> {
    let mut told = Vec::new();
    let mut put_off: HashMap<u32, Vec<&Step>> = HashMap::new();
    for stretch in steps.chunk_by(|a, b| a.thread == b.thread) {
        let waiting = put_off.entry(stretch[0].thread).or_default();
        waiting.extend(stretch);
        if stretch.iter().any(|step| step.visible.is_some()) {
            told.append(waiting);
        }
    }
    let mut rest: Vec<(u32, Vec<&Step>)> = put_off.into_iter().collect();
    rest.sort_by_key(|(thread, _)| (failing == Some(*thread), *thread));
    told.extend(rest.into_iter().flat_map(|(_, steps)| steps));
    told
}

struct Teller<'a> {
    sources: &'a dyn Sources,
    story: Story,
    /// The index into `Story::actors` of each thread.
    actors: HashMap<u32, usize>,
    /// Where in the user's files each actor was last seen.
    last_seen: HashMap<usize, Place>,
}

impl<'a> Teller<'a> {
    fn new(trace: &Trace, sources: &'a dyn Sources) -> Teller<'a> {
        let mut teller = Teller {
            sources,
            story: Story { first_file: sources.first_file(), ..Story::default() },
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
        for other in trace.failure().iter().flat_map(|failure| &failure.others) {
            if threads.iter().all(|(thread, _)| *thread != other.thread) {
                threads.push((other.thread, ""));
            }
        }
        threads.sort();
        for (thread, procedure) in threads {
            teller.actors.insert(thread, teller.story.actors.len());
            let name = format!("T{thread} {procedure}");
            teller.story.actors.push(Actor { name: name.trim_end().to_string() });
        }
        teller
    }

    /// Tells one step. One that is neither visible nor has an effect is left out: passing
    /// arguments, jumping, returning.
    fn step(&mut self, step: &Step) {
        let actor = self.actors[&step.thread];
        let here = step.place.as_ref().and_then(|place| self.user_line(place));
        let inside_library = here.is_none() && self.last_seen.contains_key(&actor);
        let effects = effects(step, inside_library);
        let (place, text) = self.place(actor, step, here);
        if self.story.alone == 0 && matches!(step.event, Event::Start { .. }) {
            self.story.alone = self.story.rows.len();
        }
        let worth = step.visible.is_some() && !is_setting_up(step, inside_library);
        if worth || !effects.is_empty() {
            self.story.tell(Row { actor, place, text, effects });
        }
    }

    /// The line to show for a step. Library functions are shown as the line that called them.
    fn place(
        &mut self,
        actor: usize,
        step: &Step,
        here: Option<(Place, String)>,
    ) -> (Place, String) {
        if let Some((place, text)) = here {
            self.last_seen.insert(actor, place.clone());
            return (place, text);
        }
        let before = self.last_seen.get(&actor).cloned();
        let text = before.as_ref().and_then(|place| self.sources.line(&place.file, place.line));
        match (before, text) {
            (Some(place), Some(text)) => (place, tidied(&text)),
            _ => (named(step.place.as_ref()), step.event.to_string()),
        }
    }

    fn user_line(&self, place: &SourcePlace) -> Option<(Place, String)> {
        let text = self.sources.line(&place.file, place.line)?;
        Some((Place { file: place.file.clone(), line: place.line }, tidied(&text)))
    }

    /// The failing line is the last row, whether or not the action before it was at that line. Of
    /// a race or a deadlock, the lines that the other threads stand at come before it.
    fn failure(&mut self, failure: &TraceFailure) {
        for other in failure.others.iter().filter(|_| !was_earlier(failure)) {
            self.standing(other.thread, other.place.as_ref());
        }
        self.standing(failure.thread, failure.place.as_ref());
        let who = self.actor_name(failure.thread);
        let at = failure.place.as_ref().map(|place| format!("{}:{}: ", place.file, place.line));
        self.story.failure = Some(Failure {
            message: format!("{}{who}: {}", at.unwrap_or_default(), failure.fault),
            others: self.below(failure),
        });
    }

    /// What stands below the message: who called, and where the other threads are.
    fn below(&self, failure: &TraceFailure) -> Vec<String> {
        let mut lines = self.calls(&failure.calls);
        for other in &failure.others {
            lines.push(self.other(other, was_earlier(failure)));
            lines.extend(self.calls(&other.calls).into_iter().map(|line| format!("  {line}")));
        }
        lines
    }

    /// The calls that are in the user's files.
    fn calls(&self, calls: &[CallSite]) -> Vec<String> {
        let line = |call: &CallSite| {
            let place = call.place.as_ref().filter(|place| self.user_line(place).is_some())?;
            Some(format!("called from {}, {}:{}", call.procedure, place.file, place.line))
        };
        let mut lines: Vec<String> = calls.iter().filter_map(line).collect();
        if lines.len() > MOST_CALLS {
            let more = lines.len() - MOST_CALLS;
            lines.truncate(MOST_CALLS);
            lines.push(format!("and {more} calls before"));
        }
        lines
    }

    /// A row for the line that a thread is about to execute.
    fn standing(&mut self, thread: u32, place: Option<&SourcePlace>) {
        if let Some(&actor) = self.actors.get(&thread)
            && let Some((place, text)) = place.and_then(|at| self.user_line(at))
        {
            self.story.tell(Row { actor, place, text, effects: Vec::new() });
        }
    }

    fn other(&self, other: &OtherThread, earlier: bool) -> String {
        let who = self.actor_name(other.thread);
        let is = if earlier { "was" } else { "is" };
        match &other.place {
            Some(place) => format!("{who} {is} at {}:{}", place.file, place.line),
            None => who,
        }
    }

    fn actor_name(&self, thread: u32) -> String {
        let known = self.actors.get(&thread).and_then(|actor| self.story.actors.get(*actor));
        known.map_or_else(|| format!("T{thread}"), |actor| actor.name.clone())
    }
}

/// Whether the other access of a race has taken place already.
fn was_earlier(failure: &TraceFailure) -> bool {
    matches!(&failure.fault, Fault::Race { second, .. } if second.earlier)
}

/// The effects to show of a step. Of the steps inside a library function only those that other
/// threads can see.
fn effects(step: &Step, inside_library: bool) -> Vec<Effect> {
    let mut shown = Vec::new();
    match &step.event {
        Event::Read { place, value, uninitialised, older } if !inside_library => {
            let (place, value) = (place.clone(), value.clone());
            let (uninitialised, older) = (*uninitialised, *older);
            shown.push(Effect::Read { place, value, uninitialised, older });
        }
        Event::Free { storage: Storage::Heap, place: Some(place) } => {
            shown.push(Effect::Free { place: place.clone() });
        }
        _ => {}
    }
    let worth = step.changes.iter().filter(|change| change.shared || !inside_library);
    shown.extend(
        worth.map(|change| Effect::Change {
            name: change.name.clone(),
            value: change.value.clone(),
        }),
    );
    shown
}

/// Whether the step makes or frees a local variable: part of entering and leaving a scope.
fn is_setting_up(step: &Step, inside_library: bool) -> bool {
    let of_variable = matches!(
        step.event,
        Event::Allocate { storage: Storage::Stack, .. }
            | Event::Free { storage: Storage::Stack, .. }
    );
    of_variable && !inside_library
}

fn named(place: Option<&SourcePlace>) -> Place {
    place.map_or_else(Place::default, |place| Place { file: place.file.clone(), line: place.line })
}

/// A source line without its indentation and comments, its tabs as blanks.
fn tidied(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        code.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    code.push_str(rest);
    // `//` inside a string is rare, and cutting there would mislead: then the line stays whole.
    if let Some((before, _)) = code.split_once("//")
        && !before.contains('"')
    {
        code.truncate(before.len());
    }
    let words: Vec<&str> = code.split_whitespace().collect();
    let whole = || text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() { whole() } else { words.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_exec::Fault;
    use selvedge_exec::trace::{Change, FORMAT, Options, Outcome, VisibleStep};
    use selvedge_ir::{DataModel, Property};

    struct OneFile;

    impl Sources for OneFile {
        fn line(&self, file: &str, line: u32) -> Option<String> {
            (file == "a.c").then(|| format!("    line\t{line};"))
        }
    }

    fn at(file: &str, line: u32) -> Option<SourcePlace> {
        Some(SourcePlace { file: file.into(), line, column: 1 })
    }

    fn step(thread: u32, place: Option<SourcePlace>, event: Event) -> Step {
        let visible = Some(VisibleStep::default());
        let procedure = format!("p{thread}");
        Step { thread, procedure, place, event, visible, changes: Vec::new() }
    }

    fn read(place: &str, value: &str) -> Event {
        Event::Read {
            place: place.into(),
            value: Some(value.into()),
            uninitialised: false,
            older: false,
        }
    }

    fn write(place: &str, value: &str) -> Event {
        Event::Write { place: place.into(), value: Some(value.into()) }
    }

    fn assign(variable: &str) -> Event {
        Event::Assign { variable: variable.into(), value: Some("1".into()) }
    }

    fn shown(row: &Row) -> Vec<String> {
        row.effects.iter().map(ToString::to_string).collect()
    }

    fn changing(mut step: Step, name: &str, shared: bool) -> Step {
        step.changes.push(Change { name: name.into(), value: "1".into(), shared });
        step
    }

    fn trace(steps: Vec<Step>, outcome: Outcome) -> Trace {
        Trace {
            format: FORMAT,
            tool: String::new(),
            options: Options { model: DataModel::Lp64, properties: vec![], any_threads: 0 },
            sources: vec![],
            program: String::new(),
            steps,
            outcome,
        }
    }

    #[test]
    fn library_steps_show_as_the_line_that_called() {
        let steps = vec![
            step(1, at("a.c", 3), Event::Call { procedure: "pthread_mutex_lock".into() }),
            changing(step(1, at("<library>", 40), Event::Lock { place: "m".into() }), "m", true),
            changing(step(1, at("<library>", 41), assign("result")), "result", false),
        ];
        let story = retell(&trace(steps, Outcome::Finished), &OneFile);
        assert_eq!(story.rows.len(), 1);
        assert_eq!(story.rows[0].text, "line 3;");
        assert_eq!(shown(&story.rows[0]), ["m = 1"]);
    }

    #[test]
    fn invisible_steps_without_changes_are_left_out() {
        let silent = Step { visible: None, ..step(1, at("a.c", 2), Event::Choose) };
        let steps = vec![silent, step(1, at("a.c", 3), read("x", "0"))];
        let story = retell(&trace(steps, Outcome::Finished), &OneFile);
        assert_eq!(story.rows.len(), 1);
        assert_eq!(shown(&story.rows[0]), ["reads x = 0"]);
    }

    #[test]
    fn what_nobody_sees_waits_for_its_turn() {
        let silent = Step { visible: None, ..step(2, at("a.c", 7), assign("n")) };
        let steps = vec![
            step(1, at("a.c", 1), Event::Start { thread: 2 }),
            changing(silent, "n", false),
            changing(step(1, at("a.c", 1), write("t", "T2")), "t", true),
            step(2, at("a.c", 8), read("x", "0")),
        ];
        let story = retell(&trace(steps, Outcome::Finished), &OneFile);
        let told: Vec<u32> = story.rows.iter().map(|row| row.place.line).collect();
        assert_eq!(told, [1, 7, 8]);
    }

    #[test]
    fn rows_before_the_first_thread_are_counted() {
        let steps = vec![
            step(1, at("a.c", 1), write("x", "1")),
            step(1, at("a.c", 2), write("x", "2")),
            step(1, at("a.c", 3), Event::Start { thread: 2 }),
            step(1, at("a.c", 4), Event::Start { thread: 3 }),
        ];
        assert_eq!(retell(&trace(steps, Outcome::Finished), &OneFile).alone, 2);
    }

    #[test]
    fn comments_are_left_out() {
        assert_eq!(tidied("\tx = 1; /* one */ y = 2; // two"), "x = 1; y = 2;");
        assert_eq!(tidied("puts(\"http://\"); // two"), "puts(\"http://\"); // two");
        assert_eq!(tidied("/* begins here"), "/* begins here");
    }

    fn assertion(condition: &str) -> Fault {
        Fault::Assertion { condition: Some(condition.into()), label: None }
    }

    fn call(procedure: &str, file: &str, line: u32) -> CallSite {
        CallSite { procedure: procedure.into(), place: at(file, line) }
    }

    #[test]
    fn deep_stacks_are_cut() {
        let failure = TraceFailure {
            property: Property::Assert,
            fault: assertion("0"),
            thread: 1,
            place: at("a.c", 9),
            others: vec![],
            calls: vec![call("f", "a.c", 6); 15],
        };
        let story = retell(&trace(vec![], Outcome::Violation(failure)), &OneFile);
        let below = story.failure.expect("a failure").others;
        assert_eq!(below.len(), MOST_CALLS + 1);
        assert_eq!(below[MOST_CALLS], "and 5 calls before");
    }

    #[test]
    fn the_failing_line_comes_last() {
        let failure = TraceFailure {
            property: Property::Assert,
            fault: assertion("x == 1"),
            thread: 1,
            place: at("a.c", 9),
            others: vec![OtherThread {
                thread: 3,
                place: at("a.c", 5),
                calls: vec![call("run", "a.c", 7)],
            }],
            calls: vec![call("lock", "<library>", 3), call("work", "a.c", 6)],
        };
        let steps =
            vec![step(2, at("a.c", 4), write("x", "2")), step(1, at("a.c", 8), read("x", "2"))];
        let story = retell(&trace(steps, Outcome::Violation(failure)), &OneFile);
        let names: Vec<&str> = story.actors.iter().map(|actor| actor.name.as_str()).collect();
        assert_eq!(names, ["T1 p1", "T2 p2", "T3"]);
        let lines: Vec<(usize, u32)> =
            story.rows.iter().map(|row| (row.actor, row.place.line)).collect();
        assert_eq!(lines, [(1, 4), (0, 8), (2, 5), (0, 9)]);
        let failure = story.failure.expect("a failure");
        assert_eq!(failure.message, "a.c:9: T1 p1: assertion x == 1 fails");
        let below = ["called from work, a.c:6", "T3 is at a.c:5", "  called from run, a.c:7"];
        assert_eq!(failure.others, below);
    }
}
