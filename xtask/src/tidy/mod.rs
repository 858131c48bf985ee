//! House rules that a machine can check. They run under `cargo test`, so that breaking one is
//! noticed where it happens.

mod cycles;
mod fields;
mod figures;
mod layers;
mod map;
mod packages;
mod sources;

use std::path::Path;

use crate::system::{self, Outcome};
use crate::workspace;

/// One broken rule: where, and what.
type Complaint = String;

pub fn report() -> Outcome<()> {
    let complaints = check(&system::root());
    for complaint in &complaints {
        println!("{complaint}");
    }
    match complaints.len() {
        0 => Ok(()),
        number => Err(format!("{number} broken house rules")),
    }
}

fn check(root: &Path) -> Vec<Complaint> {
    let mut complaints = sources::check(root);
    complaints.extend(figures::check(root));
    complaints.extend(fields::check(root));
    complaints.extend(packages::check(root));
    match workspace::members(root) {
        Ok(members) => {
            complaints.extend(cycles::check(&members));
            complaints.extend(layers::check(&members));
            complaints.extend(map::check(root, &members));
        }
        Err(error) => complaints.push(error),
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn house_rules_hold() {
        let complaints = check(&system::root());
        assert!(complaints.is_empty(), "broken house rules:\n{}", complaints.join("\n"));
    }
}
