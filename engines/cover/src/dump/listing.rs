//! The thread transition system as text.

use std::fmt::Write as _;

use selvedge_system::{At, System, TemplateId};

use crate::abstraction::{AbstractSystem, Cause, LocalState, SharedState};

/// The thread transition system, with what its states stand for.
pub fn listing(found: &AbstractSystem, system: &System) -> String {
    let mut out = String::new();
    for (index, state) in found.shared.iter().enumerate() {
        let what = match state {
            SharedState::Beginning => "the beginning".to_string(),
            SharedState::Wrong => "wrong".to_string(),
            SharedState::Holds(holds) => shown(holds),
        };
        let _ = writeln!(out, "# shared {index}: {what}");
    }
    for (index, state) in found.locals.iter().enumerate() {
        let what = match state {
            LocalState::Sink => "sink".to_string(),
            LocalState::Waiting(template) => {
                format!("{} before the beginning", system.templates[template.0 as usize].name)
            }
            LocalState::At { template, at, holds } => {
                let name = &system.templates[template.0 as usize].name;
                format!("{name} at {}, {}", place(system, *template, *at), shown(holds))
            }
        };
        let _ = writeln!(out, "# local {index}: {what}");
    }
    let _ = writeln!(out, "# from {} to {}", found.initial, found.target);
    let _ = writeln!(out, "{} {}", found.system.shared, found.system.locals);
    for (transition, cause) in found.system.transitions.iter().zip(&found.causes) {
        let why = match cause {
            Cause::Beginning => "the beginning".to_string(),
            Cause::Step { template, step, .. } => {
                let of = &system.templates[template.0 as usize];
                match *step < of.steps.len() {
                    true => format!("{}, step {step}", of.name),
                    false => format!("{}, a race", of.name),
                }
            }
        };
        let _ = writeln!(out, "{transition}  # {why}");
    }
    out
}

pub fn place(system: &System, template: TemplateId, at: At) -> String {
    match at {
        At::Unstarted => "unstarted".into(),
        At::Ended => "ended".into(),
        At::Cut(cut) => {
            let of = &system.templates[template.0 as usize];
            of.locations[cut as usize].location.to_string()
        }
    }
}

/// Truth values: `T` and `F`, or `-` if there are none.
pub fn shown(bits: &[bool]) -> String {
    if bits.is_empty() {
        return "-".into();
    }
    bits.iter().map(|&bit| if bit { 'T' } else { 'F' }).collect()
}
