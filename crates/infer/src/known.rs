//! What the program's author has said already, and need not be told again.

use selvedge_ir::Program;
use selvedge_ir::spec::{Clause, When};

use crate::candidate::{Candidate, Site, Word};

/// Whether the specification has the clause, word for word.
pub fn is_stated(program: &Program, candidate: &Candidate) -> bool {
    let spec = &program.spec;
    let says = |clause: &Clause| says(clause, candidate);
    match candidate.word {
        Word::UnwritableByEnvIf => spec
            .environment
            .iter()
            .any(|clause| says(clause) && is_about(program, clause, candidate)),
        Word::EnvAssumption => spec.environment.iter().any(says),
        Word::GlobalInvariant => spec.invariants.iter().any(says),
        Word::Requires => {
            let named = |contract: &&selvedge_ir::spec::Contract| {
                let name = &program.procedures[contract.procedure].name;
                candidate.site == Site::Function(name.clone())
            };
            let contract = spec.contracts.iter().find(named);
            contract.is_some_and(|contract| contract.requires.iter().any(says))
        }
    }
}

/// Conditions may be joined by `||`.
fn says(clause: &Clause, candidate: &Candidate) -> bool {
    let text = clause.text.strip_prefix(candidate.word.as_str()).unwrap_or(&clause.text);
    let text = text.trim().trim_end_matches(';');
    let alone = text == candidate.text;
    alone
        || candidate.word == Word::UnwritableByEnvIf
            && text.split(" || ").any(|part| part == candidate.text)
}

/// Whether an assumption is about what a candidate stands at.
fn is_about(program: &Program, clause: &Clause, candidate: &Candidate) -> bool {
    let formula = &clause.formula;
    let mut after = formula.reads().filter(|(_, _, when)| *when == When::After);
    after.any(|(_, place, _)| match (&candidate.site, place.direct()) {
        (Site::Variable(name), Some((object, _))) => program.objects[object].name == *name,
        (Site::Member(member), None) => formula.element_at(&place.addr).is_some_and(|element| {
            let (_, layout, offset) = element;
            let path = u64::try_from(offset).ok().and_then(|at| program.scalar_at(layout, at));
            let first = path.and_then(|(_, path)| {
                path.split(['.', '[']).find(|name| !name.is_empty()).map(str::to_owned)
            });
            program.layouts[layout].name == member.record && first.as_ref() == Some(&member.name)
        }),
        // An element whose place is not a constant.
        (Site::Variable(name), None) => {
            let mut found = false;
            place.addr.walk(&mut |part| {
                if let selvedge_ir::Expr::Const(selvedge_ir::Const::Object(object, _)) = part {
                    found |= program.objects[*object].name == *name;
                }
            });
            found
        }
        _ => false,
    })
}
