//! The stages of the abstraction as text.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use selvedge_exec::Stop;

use super::explore::{Abstract, Cause, LocalState, SharedState};
use super::{Abstraction, Looked};
use crate::dual::{Passive, Relation, Row};
use selvedge_system::{At, End, Step, TemplateId};

/// What can be shown of an abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Everything below, the templates with what of them is not monotone.
    All,
    /// The predicates and their kinds (Definition 1).
    Predicates,
    /// The existential abstraction of each step, of the threads that act and one more (equation 7).
    Existential,
    /// The template of each step for any number of threads (equation 12, Theorem 3).
    Template,
    /// Which steps are monotone (equation 17), and what of the others is not (equation 18).
    Fragment,
    /// The monotone closure (Definition 10).
    Closure,
    /// The thread transition system.
    System,
}

impl Stage {
    pub const ALL: [Stage; 7] = [
        Stage::All,
        Stage::Predicates,
        Stage::Existential,
        Stage::Template,
        Stage::Fragment,
        Stage::Closure,
        Stage::System,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Stage::All => "cover",
            Stage::Predicates => "cover-predicates",
            Stage::Existential => "cover-existential",
            Stage::Template => "cover-template",
            Stage::Fragment => "cover-fragment",
            Stage::Closure => "cover-closure",
            Stage::System => "cover-system",
        }
    }
}

impl Abstraction {
    pub fn stage(&mut self, stage: Stage) -> Result<String, Stop> {
        let mut out = self.show_predicates();
        if !matches!(stage, Stage::Predicates | Stage::System) {
            self.show_steps(stage, &mut out)?;
        }
        if matches!(stage, Stage::All | Stage::System) {
            out.push('\n');
            out.push_str(&self.explore()?.listing(self));
        }
        Ok(out)
    }

    fn show_predicates(&self) -> String {
        let mut out = String::from("predicates:\n");
        for (index, predicate) in self.predicates.iter().enumerate() {
            let kind = match (predicate.active, predicate.passive) {
                (None, None) => "shared",
                (_, None) => "single-thread",
                _ => "inter-thread",
            };
            let _ = writeln!(out, "  b{index}: {} ({kind})", predicate.text);
        }
        out
    }

    /// For each step, what is asked for.
    fn show_steps(&mut self, stage: Stage, out: &mut String) -> Result<(), Stop> {
        for index in 0..self.system.templates.len() {
            let template = TemplateId(index as u32);
            for step in self.system.templates[index].steps.clone() {
                if matches!(step.end, End::To(_)) {
                    self.show_step(stage, template, &step, out)?;
                }
            }
        }
        Ok(())
    }

    fn show_step(
        &mut self,
        stage: Stage,
        template: TemplateId,
        step: &Step,
        out: &mut String,
    ) -> Result<(), Stop> {
        let of = &self.system.templates[template.0 as usize];
        let from = self.place(template, step.from);
        let to = match step.end {
            End::To(at) => self.place(template, at),
            End::Bad(_) => String::new(),
        };
        let _ = writeln!(out, "\n{}: {from} -> {to}", of.name);
        for index in 0..self.system.templates.len() {
            let passive = TemplateId(index as u32);
            if !self.system.templates[index].pool && passive == template {
                continue;
            }
            let cuts = (0..self.system.templates[index].locations.len() as u32).map(At::Cut);
            for at in cuts.collect::<Vec<_>>() {
                if !self.concerning(passive, at).is_empty() {
                    self.show_passive(stage, template, step, (passive, at), out)?;
                }
            }
        }
        Ok(())
    }

    fn show_passive(
        &mut self,
        stage: Stage,
        template: TemplateId,
        step: &Step,
        passive: (TemplateId, At),
        out: &mut String,
    ) -> Result<(), Stop> {
        let name = &self.system.templates[passive.0.index()].name;
        let place = self.place(passive.0, passive.1);
        let (enough, bound) = self.saturation(template, step, passive);
        let least = self.actors(template, step).len() + 1;
        let (witnesses, threads) = match stage {
            Stage::Existential => (Some(0), format!("{least} threads")),
            _ => (None, format!("{enough} threads are enough, {bound} by Theorem 3")),
        };
        let _ = writeln!(out, "  with a passive {name} at {place}, {threads}:");
        let relation = self.template_relation(template, step, passive, witnesses)?;
        let passives = relation.rows().map(|row| row.passive.clone()).collect();
        match stage {
            Stage::Fragment => show_fragment(&relation, &passives, out),
            Stage::Closure => show_closure(&relation, &passives, out),
            Stage::All => {
                show_rows(&relation, out);
                show_fragment(&relation, &passives, out);
            }
            _ => show_rows(&relation, out),
        }
        Ok(())
    }

    fn place(&self, template: TemplateId, at: At) -> String {
        match at {
            At::Unstarted => "unstarted".into(),
            At::Ended => "ended".into(),
            At::Cut(cut) => {
                let of = &self.system.templates[template.0 as usize];
                of.locations[cut as usize].location.to_string()
            }
        }
    }

    /// Equation (12): the rows over the predicates of the thread that acts and of a passive one, with
    /// so many witnesses (n - 2), or as many as Theorem 3 asks for. The shared predicates count as the
    /// active thread's.
    pub fn template_relation(
        &mut self,
        template: TemplateId,
        step: &Step,
        passive: (TemplateId, At),
        witnesses: Option<usize>,
    ) -> Result<Relation<Vec<bool>>, Stop> {
        let actors: Vec<Looked> = self.actors(template, step);
        let mut question = self.question(template, step, &[passive], witnesses);
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
        let rows = question.solutions(self, &[], &free)?.into_iter().map(|values| {
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

fn shown(bits: &[bool]) -> String {
    if bits.is_empty() {
        return "-".into();
    }
    bits.iter().map(|&bit| if bit { 'T' } else { 'F' }).collect()
}

impl Abstract {
    /// The thread transition system, with what its states stand for.
    pub fn listing(&self, of: &Abstraction) -> String {
        let mut out = String::new();
        for (index, state) in self.shared.iter().enumerate() {
            let what = match state {
                SharedState::Beginning => "the beginning".to_string(),
                SharedState::Wrong => "wrong".to_string(),
                SharedState::Holds(holds) => shown(holds),
            };
            let _ = writeln!(out, "# shared {index}: {what}");
        }
        for (index, state) in self.locals.iter().enumerate() {
            let what = match state {
                LocalState::Sink => "sink".to_string(),
                LocalState::Waiting(template) => {
                    format!(
                        "{} before the beginning",
                        of.system.templates[template.0 as usize].name
                    )
                }
                LocalState::At { template, at, holds } => {
                    let name = &of.system.templates[template.0 as usize].name;
                    format!("{name} at {}, {}", of.place(*template, *at), shown(holds))
                }
            };
            let _ = writeln!(out, "# local {index}: {what}");
        }
        let _ = writeln!(out, "# from {} to {}", self.initial, self.target);
        let _ = writeln!(out, "{} {}", self.system.shared, self.system.locals);
        for (transition, cause) in self.system.transitions.iter().zip(&self.causes) {
            let why = match cause {
                Cause::Beginning => "the beginning".to_string(),
                Cause::Step { template, step, .. } => {
                    let of = &of.system.templates[template.0 as usize];
                    format!("{}, step {step}", of.name)
                }
            };
            let _ = writeln!(out, "{transition}  # {why}");
        }
        out
    }
}
