//! The stages of the abstraction as text.

use std::fmt::Write as _;

use selvedge_exec::Stop;

use super::explore::{Abstract, Cause, LocalState, SharedState};
use super::{Abstraction, Looked};
use crate::cover::dual::{Passive, Relation, Row};
use crate::system::{At, End, Step, TemplateId};

impl Abstraction {
    /// Predicates, and for each step the dual-reference template with its closure.
    pub fn listing(&mut self) -> Result<String, Stop> {
        let mut out = String::from("predicates:\n");
        for (index, predicate) in self.predicates.iter().enumerate() {
            let kind = match (predicate.active, predicate.passive) {
                (None, None) => "shared",
                (_, None) => "single-thread",
                _ => "inter-thread",
            };
            let _ = writeln!(out, "  b{index}: {} ({kind})", predicate.text);
        }
        for index in 0..self.system.templates.len() {
            let template = TemplateId(index as u32);
            for step in self.system.templates[index].steps.clone() {
                if matches!(step.end, End::To(_)) {
                    self.show_step(template, &step, &mut out)?;
                }
            }
        }
        Ok(out)
    }

    fn show_step(
        &mut self,
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
                if self.concerning(passive, at).is_empty() {
                    continue;
                }
                let relation = self.template_relation(template, step, (passive, at), None)?;
                let name = &self.system.templates[index].name;
                let place = self.place(passive, at);
                let _ = writeln!(out, "  with a passive {name} at {place}:");
                show_relation(&relation, out);
            }
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

fn show_relation(relation: &Relation<Vec<bool>>, out: &mut String) {
    for row in relation.rows() {
        let Row { active, passive, active_after, passive_after } = row;
        let [a, p] = [active, passive].map(|bits| shown(bits));
        let [b, q] = [active_after, passive_after].map(|bits| shown(bits));
        let _ = writeln!(out, "    {a} {p} -> {b} {q}");
    }
    let passives = relation.rows().map(|row| row.passive.clone()).collect();
    let fragment = relation.fragment(&passives);
    if fragment.is_empty() {
        out.push_str("    monotone\n");
    }
    for ((active, after), moves) in relation.closure(&passives) {
        for (passive, what) in moves {
            if what == Passive::Sink {
                let [a, p, b] = [&active, &passive, &after].map(|bits| shown(bits));
                let _ = writeln!(out, "    not monotone: {a} {p} -> {b} sink");
            }
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
