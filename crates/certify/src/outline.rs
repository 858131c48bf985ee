//! What a certificate for a program can speak of: threads, cut locations, variables, steps.

use std::fmt::Write;

use selvedge_ir::{Program, Property};
use selvedge_passes::Options;
use selvedge_smt::{Limits, Reason};

use crate::certificate::Arithmetic;
use crate::flow::Flow;
use crate::space::{At, Slot, Space};
use crate::threads::ThreadId;
use crate::walk::walk;
use crate::word::Val;

/// A listing for people who write certificates by hand or want to read one.
pub fn outline(program: &Program, options: &Options, arithmetic: Arithmetic) -> String {
    let prepared = selvedge_passes::prepare(program, options);
    let mut space = Space::of(&prepared, arithmetic);
    let mut out = String::new();
    let shared: Vec<String> = space.shared.iter().map(|v| names(&space, v.value)).collect();
    let _ = writeln!(out, "shared: {}", shared.join(" "));
    let threads = space.threads.clone();
    let flow = Flow::of(&prepared.program, &threads, &Limits::none())
        .expect("invariant: without limits nothing runs out");
    for id in threads.ids() {
        let thread = threads.get(id);
        let kind = if thread.pool { "pool" } else { "instance" };
        let begin = if thread.initial { ", initial" } else { "" };
        let _ = writeln!(out, "{kind} {}{begin}", thread.name);
        places(&mut space, id, &mut out);
        steps(&mut space, &flow, &options.properties, id, &mut out);
    }
    out
}

fn names(space: &Space<'_>, value: Val) -> String {
    let name = |term| space.terms.name(term).unwrap_or("?").to_owned();
    value.terms().into_iter().map(name).collect::<Vec<_>>().join(" ")
}

fn places(space: &mut Space<'_>, id: ThreadId, out: &mut String) {
    let cuts: Vec<At> = space.cuts_of(id).iter().map(At::Cut).collect();
    for at in [At::Unstarted].into_iter().chain(cuts).chain([At::Ended]) {
        let mut live = Vec::new();
        for key in space.live(id, at) {
            let value = space.value(Slot { thread: id, copy: 1 }, key);
            live.extend(value.map(|value| names(space, value)));
        }
        let line = match at {
            At::Cut(location) => {
                let edges = &space.procedure(id).locations[location].edges;
                edges.first().map_or(0, |edge| edge.span.line)
            }
            _ => 0,
        };
        let source = if line > 0 { format!(" (line {line})") } else { String::new() };
        let inside = if space.is_inside(id, at) { " inside" } else { "" };
        let _ = writeln!(out, "  {}{source}{inside}: {}", at.name(), live.join(" "));
    }
}

fn steps(
    space: &mut Space<'_>,
    flow: &Flow<'_>,
    properties: &[Property],
    id: ThreadId,
    out: &mut String,
) {
    let walked = match walk(space, flow, properties, id, &Limits::none()) {
        Ok(walked) => walked,
        Err(reason) => {
            let why = match reason {
                Reason::Incomplete(why) => why,
                other => other.to_string(),
            };
            let _ = writeln!(out, "  {why}");
            return;
        }
    };
    for step in &walked.steps {
        let guard = space.terms.show(step.guard);
        let _ = writeln!(out, "  {} -> {} if {guard}", step.from.name(), step.to.name());
    }
    for bad in &walked.bad {
        let guard = space.terms.show(bad.guard);
        let _ = writeln!(out, "  {} -> error ({}) if {guard}", bad.from.name(), bad.what);
    }
}
