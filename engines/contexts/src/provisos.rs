//! What a bound that was covered depends on, beside the bound itself.

use selvedge_exec::Stop;
use selvedge_ir::{Action, Place, Program, Property, Span};
use selvedge_passes::Prepared;
use selvedge_sequential::{Beyond, CheckResult, NotUsed};
use selvedge_verdict::Options;

use super::fields::Fields;
use super::options::Own;
use super::waits::loses_deadlocks;

/// What executions within the bounds may reach and are not followed beyond.
#[derive(Debug, Default)]
pub struct Provisos {
    /// Some execution certainly reaches something that is not supported.
    unfollowed: Option<Stop>,
    /// Some execution may reach undefined behaviour.
    undefined: bool,
    /// Some execution may reach this action, which is not supported.
    unsupported: Option<Span>,
}

impl Provisos {
    /// Notes what a result leaves out beside loops that go on.
    pub fn note(&mut self, names: &Names<'_>, result: &CheckResult, fields: &Fields) {
        let CheckResult::Bounded(bounded) = result else { return };
        for beyond in bounded.ways() {
            match beyond {
                Beyond::Unwind | Beyond::Size => {}
                // Whether an execution really reaches it is not known: values may be guesses.
                Beyond::Undefined(_) => self.undefined = true,
                Beyond::Perhaps(span) => self.unsupported = Some(span),
                // Fields that are not tracked add executions.
                Beyond::Unsupported(span) if !fields.are_all() => self.unsupported = Some(span),
                Beyond::Unsupported(span) => {
                    let what = names.unsupported(span);
                    self.unfollowed.get_or_insert(Stop::Unsupported { what, span });
                }
            }
        }
    }

    /// Accesses by pointers to fields that are not tracked are not looked at, unless memory is
    /// checked.
    pub fn note_untracked(&mut self, names: &Names<'_>, checks_memory: bool, fields: &Fields) {
        let Some(tracked) = fields.tracked() else { return };
        if fields.addresses() || checks_memory {
            return;
        }
        let procedures = names.prepared.program.procedures.values();
        let mut places = procedures
            .flat_map(|procedure| procedure.edges().filter_map(|(_, edge)| edge.action.place()));
        let untracked = |place: &Place| place.region.is_some_and(|r| !tracked.contains(r));
        if places.any(|place| place.direct().is_none() && untracked(place)) {
            self.undefined = true;
        }
    }

    /// What comes before any bound: larger ones would not help.
    pub fn unfollowed(&self) -> Option<Stop> {
        self.unfollowed.clone()
    }

    /// Whether executions were followed only up to something undefined or unsupported.
    pub fn are_partial(&self) -> bool {
        self.undefined || self.unsupported.is_some()
    }

    /// As parts of a sentence that says what was covered. `unused` are the given loop invariants that
    /// did not help; none if they were not tried.
    pub fn sentence(
        &self,
        names: &Names<'_>,
        options: &Options<Own>,
        unused: Option<Vec<NotUsed>>,
    ) -> String {
        let mut parts = Vec::new();
        if options.own.points < 100 {
            parts.push(format!("at {} % of the scheduling points", options.own.points));
        }
        if self.undefined {
            parts.push("executions followed only up to anything undefined".to_owned());
        }
        if let Some(span) = self.unsupported {
            let (what, place) = (names.unsupported(span), place(names.program, span));
            parts.push(format!(
                "executions followed only up to {what} ({place}), which is not supported"
            ));
        }
        if leaves_out_deadlocks(names.prepared, options) {
            let why = "a block starts threads, frees memory or takes inputs before it waits";
            parts.push(format!("without deadlocks in which {why}"));
        }
        if let Some(given) = &options.own.annotated {
            parts.extend(unused_invariants(given, unused));
        }
        if names.prepared.regions.assumed {
            parts.push("provided that no access leaves its field".to_owned());
        }
        parts.into_iter().map(|part| format!(", {part}")).collect()
    }
}

/// Whether there are deadlocks that are not looked for.
pub fn leaves_out_deadlocks(prepared: &Prepared, options: &Options<Own>) -> bool {
    options.checks(Property::Deadlock) && prepared.program.procedures.values().any(loses_deadlocks)
}

/// The programs that places and actions are named in.
pub struct Names<'a> {
    pub program: &'a Program,
    pub prepared: &'a Prepared,
}

impl Names<'_> {
    /// What the action there is called.
    fn unsupported(&self, span: Span) -> String {
        // What a call through a pointer may lead to is known only to the prepared program.
        let programs = [self.program, &self.prepared.program].into_iter();
        let procedures = programs.flat_map(|program| program.procedures.values());
        let edges = procedures.flat_map(|procedure| procedure.edges());
        let mut named = edges.filter_map(|(_, edge)| match &edge.action {
            Action::Unsupported { what } if edge.span == span => Some(what.clone()),
            _ => None,
        });
        named.next().unwrap_or_else(|| "an action that has no meaning for the solver".into())
    }
}

/// File and line.
fn place(program: &Program, span: Span) -> String {
    let file = program.files.get(span.file).map_or("", |file| file.name.as_str());
    format!("{file}:{}", span.line)
}

fn unused_invariants(given: &Program, unused: Option<Vec<NotUsed>>) -> Vec<String> {
    let Some(mut unused) = unused else {
        return vec!["without the loop invariants given".to_owned()];
    };
    // The parts of a conjunction have one place and, most often, one flaw.
    unused.dedup_by_key(|unused| (unused.span.file, unused.span.line, unused.why));
    let say = |NotUsed { span, why }: NotUsed| {
        format!("without the loop invariant at {} ({why})", place(given, span))
    };
    unused.into_iter().map(say).collect()
}
