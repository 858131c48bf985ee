//! A step of a thread that nothing matches, told from an execution of the thread's check.

use std::collections::HashMap;

use selvedge_abstract_threads::{Candidate, Subject, Unmatched, names, read_value};
use selvedge_exec::event::Event;
use selvedge_exec::trace::SourcePlace;
use selvedge_exec::{Fault, Trace};
use selvedge_ir::spec::AbstractThread;
use selvedge_ir::{FileId, Int, Span, Type};

/// A step that no step of the abstract thread matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Where it is an assertion of the program that fails, though no candidate goes wrong.
    pub assertion: Option<String>,
    /// Where the step ends.
    pub place: Option<SourcePlace>,
    /// What abstract threads speak of, before the step and after it.
    pub values: Vec<Values>,
    /// The abstract states that the thread may be in before the step.
    pub candidates: Vec<Candidate>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    pub name: String,
    pub before: String,
    pub after: String,
}

impl Mismatch {
    /// None if the execution fails for another reason.
    pub fn of(subject: &Subject, thread: &AbstractThread, trace: &Trace) -> Option<Mismatch> {
        let failure = trace.failure()?;
        let Fault::Assertion { label, .. } = &failure.fault else { return None };
        let unmatched = label.as_deref() == Some(names::unmatched(&thread.name).as_str());
        let assertion = (!unmatched).then(|| failure.fault.to_string());
        let seen = Seen::of(trace);
        let cells = &subject.vocabulary().cells;
        let value = |map: &HashMap<String, String>, name: &str| {
            map.get(&names::now(name)).cloned().unwrap_or_else(|| "?".to_owned())
        };
        let values: Vec<Values> = cells
            .iter()
            .map(|cell| Values {
                name: cell.shown(),
                before: value(&seen.before, &cell.name),
                after: value(&seen.now, &cell.name),
            })
            .collect();
        let read = |text: fn(&Values) -> &String| {
            let read = |(cell, values)| subject.read_value(cell, text(values));
            values.iter().enumerate().map(read).collect::<Vec<_>>()
        };
        let at = |name: &str| seen.now.get(&names::at(name)).is_some_and(|text| text == "true");
        let states = thread.states.iter().enumerate();
        let step = Unmatched {
            candidates: states.filter(|(_, s)| at(&s.name)).map(|(index, _)| index).collect(),
            before: read(|values| &values.before),
            after: read(|values| &values.after),
            own: seen.now.get("self").and_then(|text| read_value(Type::Int(Int::U64), text)),
        };
        let mut candidates = subject.explain(thread, &step);
        if assertion.is_some() {
            candidates.iter_mut().for_each(|candidate| candidate.reasons.clear());
        }
        Some(Mismatch { assertion, place: failure.place.clone(), values, candidates })
    }
}

/// The values of a check's variables at its end.
struct Seen {
    now: HashMap<String, String>,
    /// Likewise, when the last step began: when others had last done what they like.
    before: HashMap<String, String>,
}

impl Seen {
    fn of(trace: &Trace) -> Seen {
        let mut seen = Seen { now: HashMap::new(), before: HashMap::new() };
        for step in &trace.steps {
            for change in &step.changes {
                seen.now.insert(change.name.clone(), change.value.clone());
                if matches!(step.event, Event::Input { .. }) {
                    seen.before.insert(change.name.clone(), change.value.clone());
                }
            }
        }
        seen
    }
}

/// A place of a trace as one of the program.
pub fn span_of(subject: &Subject, place: Option<&SourcePlace>) -> Span {
    let span = place.and_then(|place| {
        let file: FileId = subject.file_named(&place.file)?;
        Some(Span::new(file, place.line, place.column))
    });
    span.unwrap_or(Span::NONE)
}
