//! What of a trace is not as its schedule makes it.
//!
//! A trace says more than its schedule: values, places, names, messages. Executing the schedule gives
//! all of that again, so what somebody has changed in the file shows.

use std::fmt::Debug;

use serde::Serialize;

use crate::trace::{Step, Trace};

/// The first thing that a trace says and its replay does not; none if they say the same.
pub fn alteration(told: &Trace, again: &Trace) -> Option<String> {
    if told.options.model != again.options.model {
        return Some(differs("the data model", &told.options.model, &again.options.model));
    }
    if told.sources != again.sources {
        return Some(differs("the names of the sources", &told.sources, &again.sources));
    }
    let steps = told.steps.iter().zip(&again.steps).enumerate();
    let step = steps.into_iter().find_map(|(index, (said, is))| step(index + 1, said, is));
    if step.is_some() {
        return step;
    }
    if told.steps.len() != again.steps.len() {
        return Some(differs("the number of steps", &told.steps.len(), &again.steps.len()));
    }
    unlike("the outcome", &told.outcome, &again.outcome)
}

fn step(number: usize, said: &Step, is: &Step) -> Option<String> {
    let part = |what: &str| format!("step {number}, {what}");
    unlike(&part("the thread"), &said.thread, &is.thread)
        .or_else(|| unlike(&part("the procedure"), &said.procedure, &is.procedure))
        .or_else(|| unlike(&part("the place"), &said.place, &is.place))
        .or_else(|| unlike(&part("the event"), &said.event, &is.event))
        .or_else(|| unlike(&part("the entry of the schedule"), &said.visible, &is.visible))
        .or_else(|| unlike(&part("the changes"), &said.changes, &is.changes))
}

fn unlike<T: PartialEq + Serialize>(what: &str, said: &T, is: &T) -> Option<String> {
    let json = |value: &T| serde_json::to_string(value).unwrap_or_default();
    (said != is).then(|| format!("{what}: the file says {}, not {}", json(said), json(is)))
}

fn differs(what: &str, said: &impl Debug, is: &impl Debug) -> String {
    format!("{what}: the file says {said:?}, not {is:?}")
}

#[cfg(test)]
mod tests {
    use selvedge_ir::{Property, text};

    use super::*;
    use crate::replay::{ReplayResult, replay};
    use crate::run::{Limits, run};

    fn recorded() -> Trace {
        let source =
            "shared x: i32; procedure main() { local n: i32; havoc n; x := n; assert n != n; }
            thread main main;";
        let program = text::parse("example.plato", source).expect("a good program");
        run(&program, 1, &Limits::default(), &[Property::Assert]).expect("a run").0
    }

    #[test]
    fn a_trace_is_its_own_replay() {
        assert!(matches!(replay(&recorded()), Ok(ReplayResult::Recurs(_))));
    }

    #[test]
    fn what_was_changed_is_named() {
        let altered = |change: &dyn Fn(&mut Trace)| {
            let mut trace = recorded();
            change(&mut trace);
            match replay(&trace).expect("a trace") {
                ReplayResult::Altered { what } => what,
                other => panic!("{other:?}"),
            }
        };
        let what = altered(&|trace| trace.steps[1].changes[0].value = "77".into());
        assert!(what.starts_with("step 2, the changes"), "{what}");
        let what = altered(&|trace| trace.steps[0].procedure = "other".into());
        assert!(what.contains("says \"other\", not \"main\""), "{what}");
        let what = altered(&|trace| trace.steps[0].place = None);
        assert!(what.starts_with("step 1, the place"), "{what}");
        let what = altered(&|trace| trace.sources.push("more.c".into()));
        assert!(what.contains("more.c"), "{what}");
        let what = altered(&|trace| {
            let more = Step { visible: None, ..trace.steps[0].clone() };
            trace.steps.push(more);
        });
        assert!(what.starts_with("the number of steps"), "{what}");
    }
}
