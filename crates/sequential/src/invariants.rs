//! Loop invariants that stand in the program.
//!
//! An invariant was given at the head of a loop, but reading what it speaks of takes actions, and so
//! it is found behind these. Its meaning at the head is: after these actions, the condition holds.

use std::collections::BTreeMap;
use std::time::Duration;

use selvedge_ir::{Action, EdgeId, LocationId, Span};
use selvedge_smt::Limits;

use super::given::{Given, Part};
use super::horn::{self, Flaw};
use super::program::SequentialProgram;
use super::result::Proof;

/// An invariant of the program that is not used, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotUsed {
    pub span: Span,
    pub why: Flaw,
}

/// Proves the program correct with the invariants that stand in it; also tells which of them do not
/// help.
pub fn prove_as_given(
    program: &SequentialProgram,
    limits: &Limits,
    time: Duration,
) -> (Option<Proof>, Vec<NotUsed>) {
    let heads = horn::loop_heads(program);
    let before = predecessors(program);
    let mut given: BTreeMap<LocationId, Given> = BTreeMap::new();
    let mut spans: Vec<(LocationId, Span)> = Vec::new();
    let mut unused = Vec::new();
    for (at, holds, span) in &program.invariants {
        match to_head(program, &heads, &before, *at) {
            Some((head, actions)) => {
                let part = Part { before: actions, holds: holds.clone() };
                let parts = given.entry(head).or_insert_with(|| Given { parts: Vec::new() });
                parts.parts.push(part);
                spans.push((head, *span));
            }
            None => unused.push(NotUsed { span: *span, why: Flaw::NoLoop }),
        }
    }
    if given.is_empty() {
        return (None, unused);
    }
    let (certificate, rejected) = horn::prove_with(program, &given, limits, time);
    for rejected in rejected {
        let there = spans.iter().filter(|(head, _)| *head == rejected.at);
        unused.extend(there.map(|&(_, span)| NotUsed { span, why: rejected.why }));
    }
    unused.sort_by_key(|unused| (unused.span.line, unused.span.column));
    unused.dedup_by_key(|unused| unused.span);
    (certificate.map(|certificate| Proof::by_invariants(program, certificate)), unused)
}

fn predecessors(program: &SequentialProgram) -> BTreeMap<LocationId, Vec<EdgeId>> {
    let mut found: BTreeMap<LocationId, Vec<EdgeId>> = BTreeMap::new();
    for (at, edge) in program.body().edges() {
        found.entry(edge.target).or_default().push(at);
    }
    found
}

/// The head of the loop that a location belongs to, and the actions from there; none if other actions
/// come between, or there is no loop.
fn to_head(
    program: &SequentialProgram,
    heads: &[LocationId],
    before: &BTreeMap<LocationId, Vec<EdgeId>>,
    mut at: LocationId,
) -> Option<(LocationId, Vec<Action>)> {
    let mut actions = Vec::new();
    while !heads.contains(&at) {
        let [edge] = before.get(&at)?[..] else { return None };
        match &program.body().edge(edge).action {
            Action::Skip => {}
            action @ (Action::Assign { .. } | Action::Load { .. }) => actions.push(action.clone()),
            _ => return None,
        }
        at = edge.from;
    }
    actions.reverse();
    Some((at, actions))
}
