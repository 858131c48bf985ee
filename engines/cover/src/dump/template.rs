//! The template of a step as the paper has it: the whole relation of equation 12.

use selvedge_system::{At, Step, TemplateId};
use selvedge_verdict::Stop;

use super::relation::{Relation, Row};
use crate::abstraction::{Abstraction, Looked};

/// Equation (12): the rows over the predicates of the thread that acts and of a passive one, with
/// so many witnesses (n - 2), or as many as Theorem 3 asks for. The shared predicates count as the
/// active thread's.
pub fn template_relation(
    abstraction: &mut Abstraction,
    template: TemplateId,
    step: &Step,
    passive: (TemplateId, At),
    witnesses: Option<usize>,
) -> Result<Relation<Vec<bool>>, Stop> {
    let actors: Vec<Looked> = abstraction.actors(template, step);
    let mut question = abstraction.question(&actors, step, &[passive], witnesses);
    let parts: Vec<Vec<_>> = [0, 1]
        .iter()
        .flat_map(|&moment| {
            let acting = &question.threads[..actors.len()];
            let mut active = question.shared[moment].clone();
            active.extend(acting.iter().flat_map(|bits| &bits[moment]));
            [active, question.threads[actors.len()][moment].clone()]
        })
        .collect();
    let free = parts.concat();
    let sizes: Vec<usize> = parts.iter().map(Vec::len).collect();
    let rows = question.solutions(abstraction, &[], &free)?.into_iter().map(|values| {
        let mut rest = values.as_slice();
        let mut next = |size: usize| {
            let (first, others) = rest.split_at(size);
            rest = others;
            first.to_vec()
        };
        Row {
            active: next(sizes[0]),
            passive: next(sizes[1]),
            active_after: next(sizes[2]),
            passive_after: next(sizes[3]),
        }
    });
    Ok(Relation::new(rows))
}
