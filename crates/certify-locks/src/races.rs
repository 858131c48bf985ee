//! Races among accesses: two that can come together, at least one to write, at least one plain.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{ProcId, Span};
use selvedge_passes::{Limits, Unprepared};

use crate::range::apart;
use crate::state::Beside;
use crate::step::Access;
use crate::subject::{Cell, Subject};

/// Accesses by scalar, each kind once, with a place of each.
#[derive(Debug, Default)]
pub struct Accesses {
    by_cell: FxHashMap<Cell, FxHashMap<Access, Span>>,
}

impl Accesses {
    pub fn add(&mut self, mut access: Access) {
        let span = std::mem::replace(&mut access.span, Span::NONE);
        self.by_cell.entry(access.cell).or_default().entry(access).or_insert(span);
    }

    /// Two accesses that may race, if there are any.
    pub fn race(
        &self,
        subject: &Subject,
        company: &Company,
        limits: &Limits,
    ) -> Result<Option<(Span, Span)>, Unprepared> {
        for accesses in self.by_cell.values() {
            let all: Vec<(&Access, &Span)> = accesses.iter().collect();
            limits.spend(all.len())?;
            if all.iter().all(|(access, _)| !access.write) || share_a_lock(&all) {
                continue;
            }
            for (index, (a, first)) in all.iter().enumerate() {
                limits.spend(1 + (all.len() - index) / 8)?;
                let second = all[index..].iter().find(|(b, _)| may_race(subject, company, a, b));
                if let Some((_, second)) = second {
                    return Ok(Some((**first, **second)));
                }
            }
        }
        Ok(None)
    }
}

/// Whether one lock is held at all of them.
fn share_a_lock(all: &[(&Access, &Span)]) -> bool {
    let Some((first, rest)) = all.split_first() else { return true };
    first.0.held.iter().any(|lock| rest.iter().all(|(access, _)| access.held.contains(lock)))
}

fn may_race(subject: &Subject, company: &Company, a: &Access, b: &Access) -> bool {
    (a.write || b.write)
        && (a.plain || b.plain)
        && !apart(a.at, b.at)
        && a.held.is_disjoint(&b.held)
        && company.may_meet(subject, a, b)
}

/// Which threads can exist at the same time.
#[derive(Debug, Default)]
pub struct Company {
    /// What the first thread may have beside it, the largest sets.
    sets: FxHashSet<Arc<BTreeSet<Beside>>>,
    together: FxHashSet<(ProcId, ProcId)>,
}

impl Company {
    /// The first thread may have these beside it.
    pub fn add(&mut self, beside: &Arc<BTreeSet<Beside>>) {
        if self.sets.iter().any(|known| known.is_superset(beside)) {
            return;
        }
        self.sets.retain(|known| !known.is_subset(beside));
        self.sets.insert(beside.clone());
    }

    /// Looks at all sets, once they are known.
    pub fn settle(&mut self, subject: &Subject, limits: &Limits) -> Result<(), Unprepared> {
        for set in &self.sets {
            let mut times: FxHashMap<ProcId, u32> = FxHashMap::default();
            for (procedure, many) in set.iter().flat_map(|beside| started(subject, *beside)) {
                *times.entry(procedure).or_default() += if many { 2 } else { 1 };
            }
            for (&a, &several) in &times {
                limits.spend(1 + times.len() / 8)?;
                for &b in times.keys() {
                    if a != b || several > 1 {
                        self.together.insert((a, b));
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether two threads can do these accesses at the same time.
    fn may_meet(&self, subject: &Subject, a: &Access, b: &Access) -> bool {
        let is_first = |access: &Access| subject.first == Some(access.procedure);
        match (is_first(a), is_first(b)) {
            _ if a.procedure == b.procedure && subject.single.contains(&a.procedure) => false,
            _ if subject.first.is_none() => true,
            (true, _) => is_beside(subject, &a.beside, b.procedure),
            (_, true) => is_beside(subject, &b.beside, a.procedure),
            (false, false) => self.together.contains(&(a.procedure, b.procedure)),
        }
    }
}

fn is_beside(subject: &Subject, beside: &BTreeSet<Beside>, procedure: ProcId) -> bool {
    beside.iter().flat_map(|beside| started(subject, *beside)).any(|(known, _)| known == procedure)
}

/// The procedures of the threads that an edge stands for, and whether there can be several.
fn started(subject: &Subject, beside: Beside) -> Vec<(ProcId, bool)> {
    match beside {
        Beside::Started(site) => subject.spawns.get(&site).copied().into_iter().collect(),
        Beside::Descendants(site) => {
            let target = subject.spawns.get(&site).map(|(target, _)| *target);
            let all = target.and_then(|target| subject.descendants.get(&target));
            all.into_iter().flatten().map(|&procedure| (procedure, true)).collect()
        }
    }
}
