//! Pairs of accesses that race if they meet.

use selvedge_system::{Access, System};

/// Two accesses that conflict: for each its template and its place among the template's accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub first: (usize, usize),
    pub second: (usize, usize),
}

impl Conflict {
    /// All of a system, the templates in order.
    pub fn all(system: &System) -> Vec<Conflict> {
        let mut found = Vec::new();
        let templates = || system.templates.iter().enumerate();
        for (number, template) in templates() {
            for (other, its) in templates().skip(number) {
                for own in 0..template.accesses.len() {
                    // A pool has two threads, an instance is never its own rival.
                    let from = if other == number { own } else { 0 };
                    if other == number && !template.pool {
                        continue;
                    }
                    for access in from..its.accesses.len() {
                        if conflict(&template.accesses[own], &its.accesses[access]) {
                            found.push(Conflict { first: (number, own), second: (other, access) });
                        }
                    }
                }
            }
        }
        found
    }
}

fn conflict(a: &Access, b: &Access) -> bool {
    a.region == b.region && (a.write || b.write) && !(a.atomic && b.atomic)
}
