//! The templates of all steps as text, with what of them is not monotone.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use selvedge_system::{At, End, Step, TemplateId};
use selvedge_verdict::Stop;

use super::listing::{place, shown};
use super::relation::{Passive, Relation, Row};
use super::template::template_relation;
use crate::abstraction::Abstraction;

/// What is shown of each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// The existential abstraction, of the threads that act and one more (equation 7).
    Existential,
    /// The template for any number of threads (equation 12, Theorem 3).
    Template,
    /// Whether the template is monotone (equation 17), and what of it is not (equation 18).
    Fragment,
    /// The monotone closure (Definition 10).
    Closure,
    /// The template and its fragment.
    All,
}

/// For each step, what is asked for.
pub fn show_steps(abstraction: &mut Abstraction, what: Rows, out: &mut String) -> Result<(), Stop> {
    for index in 0..abstraction.system.templates.len() {
        let template = TemplateId(index as u32);
        for step in abstraction.system.templates[index].steps.clone() {
            if matches!(step.end, End::To(_)) {
                show_step(abstraction, what, template, &step, out)?;
            }
        }
    }
    Ok(())
}

fn show_step(
    abstraction: &mut Abstraction,
    what: Rows,
    template: TemplateId,
    step: &Step,
    out: &mut String,
) -> Result<(), Stop> {
    let of = &abstraction.system.templates[template.0 as usize];
    let from = place(&abstraction.system, template, step.from);
    let to = match step.end {
        End::To(at) => place(&abstraction.system, template, at),
        End::Bad(_) => String::new(),
    };
    let _ = writeln!(out, "\n{}: {from} -> {to}", of.name);
    for index in 0..abstraction.system.templates.len() {
        let passive = TemplateId(index as u32);
        if !abstraction.system.templates[index].pool && passive == template {
            continue;
        }
        let cuts = (0..abstraction.system.templates[index].locations.len() as u32).map(At::Cut);
        for at in cuts.collect::<Vec<_>>() {
            if !abstraction.concerning(passive, at).is_empty() {
                show_passive(abstraction, what, template, step, (passive, at), out)?;
            }
        }
    }
    Ok(())
}

fn show_passive(
    abstraction: &mut Abstraction,
    what: Rows,
    template: TemplateId,
    step: &Step,
    passive: (TemplateId, At),
    out: &mut String,
) -> Result<(), Stop> {
    let name = &abstraction.system.templates[passive.0.index()].name;
    let place = place(&abstraction.system, passive.0, passive.1);
    let (enough, bound) = abstraction.saturation(template, step, passive);
    let least = abstraction.actors(template, step).len() + 1;
    let (witnesses, threads) = match what {
        Rows::Existential => (Some(0), format!("{least} threads")),
        _ => (None, format!("{enough} threads are enough, {bound} by Theorem 3")),
    };
    let _ = writeln!(out, "  with a passive {name} at {place}, {threads}:");
    let relation = template_relation(abstraction, template, step, passive, witnesses)?;
    let passives = relation.rows().map(|row| row.passive.clone()).collect();
    match what {
        Rows::Fragment => show_fragment(&relation, &passives, out),
        Rows::Closure => show_closure(&relation, &passives, out),
        Rows::All => {
            show_rows(&relation, out);
            show_fragment(&relation, &passives, out);
        }
        _ => show_rows(&relation, out),
    }
    Ok(())
}

type Bits = Vec<bool>;

fn show_rows(relation: &Relation<Bits>, out: &mut String) {
    for row in relation.rows() {
        let Row { active, passive, active_after, passive_after } = row;
        let [a, p] = [active, passive].map(|bits| shown(bits));
        let [b, q] = [active_after, passive_after].map(|bits| shown(bits));
        let _ = writeln!(out, "    {a} {p} -> {b} {q}");
    }
}

/// The passive threads that block a move which others allow.
fn show_fragment(relation: &Relation<Bits>, passives: &BTreeSet<Bits>, out: &mut String) {
    let fragment = relation.fragment(passives);
    if fragment.is_empty() {
        out.push_str("    monotone\n");
    }
    for (active, passive, after) in fragment {
        let [a, p, b] = [&active, &passive, &after].map(|bits| shown(bits));
        let _ = writeln!(out, "    not monotone: {a} {p} -> {b} sink");
    }
}

fn show_closure(relation: &Relation<Bits>, passives: &BTreeSet<Bits>, out: &mut String) {
    for ((active, after), moves) in relation.closure(passives) {
        for (passive, what) in moves {
            let [a, p, b] = [&active, &passive, &after].map(|bits| shown(bits));
            let targets = match what {
                Passive::Sink => "sink".to_owned(),
                Passive::To(targets) => {
                    let targets: Vec<String> = targets.iter().map(|bits| shown(bits)).collect();
                    targets.join(", ")
                }
            };
            let _ = writeln!(out, "    {a} {p} -> {b} {targets}");
        }
    }
}
