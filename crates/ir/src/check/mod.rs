//! Well-formedness of programs. Front ends and passes are tested against it; engines rely on it.
//!
//! The invariants:
//!
//! Program
//! - layouts have unique names, and so have objects, regions and procedures;
//! - a span names a file of the program, unless it says that there is no source;
//! - a layout refers only to layouts before it; a scalar has the size of its type; the fields of a
//!   struct stand in order, do not overlap and lie inside it; those of a union stand at offset 0
//!   and lie inside it; an array has the size of its elements;
//! - an object has a layout; its initial values stand in increasing order inside it, are not zero,
//!   and where the layout has a scalar there they have its type;
//! - constants name objects and procedures that exist, and use no bits above their width;
//! - integer types have 1 to 64 bits;
//! - a thread runs a procedure that exists; at most one is the main thread, and that runs once; what
//!   leads to the exit of its procedure is a local action outside atomic blocks, so that others can
//!   run between the last action that they see and the end of the program.
//!
//! Procedure
//! - its locals have unique names; parameters are distinct locals, and the result is a local;
//! - entry and exit are locations, the exit without edges and not inside an atomic block; every
//!   other location has edges, and these lead to locations;
//! - a local is assigned on every way from the entry to where it is read; parameters are assigned
//!   at the entry, and the result is read at the exit.
//!
//! Action
//! - expressions are typed as `expr.rs` says; conditions are `bool`, addresses and procedures
//!   called through a value `ptr`, sizes `size_type`, joined threads `thread`;
//! - what is assigned, loaded or stored has the type of where it goes; what receives an allocation
//!   is a `ptr`, what receives a spawned thread a `thread`; a lock is a place of type `thread`;
//! - a direct call passes one argument for each parameter, of its type, and receives a result only
//!   if there is one, of its type; a direct spawn passes at most that many arguments;
//! - a place's region exists, and its type, where it has one, is the place's.
//!
//! Specification
//! - formulas are typed like expressions, over variables that are bound before they are used;
//!   parameters and results are those of the procedure that is spoken of; transitions lead from
//!   states to states.

mod assigned;
mod procedure;
mod program;
mod spec;
#[cfg(test)]
mod tests;
mod typing;

use std::collections::HashMap;
use std::fmt;

use crate::stack::with_deep_stack;
use crate::{ProcId, Program, Type};

pub use crate::site::Site;
pub use crate::types::convertible;

/// An invariant that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub site: Site,
    pub message: String,
}

impl Violation {
    pub fn procedure(&self) -> Option<ProcId> {
        match self.site {
            Site::Procedure(id) | Site::Location(id, _) | Site::Edge(id, _) => Some(id),
            _ => None,
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.site {
            Site::Program => f.write_str("program")?,
            Site::Layout(id) => write!(f, "{id}")?,
            Site::Object(id) => write!(f, "{id}")?,
            Site::Region(id) => write!(f, "{id}")?,
            Site::Thread(index) => write!(f, "thread {index}")?,
            Site::Annotation(index) => write!(f, "annotation {index}")?,
            Site::Note(index) => write!(f, "note {index}")?,
            Site::Assumed(index) => write!(f, "assumption {index}")?,
            Site::Procedure(id) => write!(f, "{id}")?,
            Site::Location(id, at) => write!(f, "{id} {at}")?,
            Site::Edge(id, edge) => write!(f, "{id} {} edge {}", edge.from, edge.index)?,
        }
        write!(f, ": {}", self.message)
    }
}

/// Everything that is not well-formed; empty for a good program.
pub fn check(program: &Program) -> Vec<Violation> {
    let mut found = Violations { site: Site::Program, list: Vec::new() };
    program::check(program, &mut found);
    with_deep_stack(|| {
        for id in program.procedures.keys() {
            procedure::check(program, id, &mut found);
        }
        found.site = Site::Program;
        spec::check(program, &mut found);
    });
    found.list
}

/// The program's text with each violation as a comment at its place.
pub fn listing(program: &Program, violations: &[Violation]) -> String {
    let mut by_site: HashMap<Site, Vec<String>> = HashMap::new();
    for violation in violations {
        by_site.entry(violation.site).or_default().push(violation.message.clone());
    }
    let remarks = |site: Site| by_site.get(&site).cloned().unwrap_or_default();
    crate::text::print_with_remarks(program, &remarks)
}

/// The program that a piece of evidence carries as text, if it is well-formed.
pub fn carried(text: &str) -> Result<Program, String> {
    let program = crate::text::parse("the certificate's program", text).map_err(|errors| {
        let first = errors.first().map_or(String::new(), |error| format!(": {error}"));
        format!("the embedded program cannot be read{first}")
    })?;
    let violations = check(&program);
    match violations.is_empty() {
        true => Ok(program),
        false => {
            let listing = listing(&program, &violations);
            Err(format!("the embedded program is not well-formed:\n{listing}"))
        }
    }
}

/// Collects violations, with the site at hand.
struct Violations {
    site: Site,
    list: Vec<Violation>,
}

impl Violations {
    fn report(&mut self, message: impl Into<String>) {
        self.list.push(Violation { site: self.site, message: message.into() });
    }

    /// Reports unless the invariant holds.
    fn require(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.report(message());
        }
    }

    fn width(&mut self, ty: Type) {
        let bad = matches!(ty, Type::Int(int) if !(1..=64).contains(&int.width));
        self.require(!bad, || format!("{ty} is not an integer type of 1 to 64 bits"));
    }
}
