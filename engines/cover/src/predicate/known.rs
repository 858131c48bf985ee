//! Where a thread has a value for its locals.
//!
//! A local counts from where it is assigned on every way, also behind its last use: that a thread
//! is inside because its ticket is served is worth knowing when the ticket is not needed any more.
//! The steps keep what they do not assign, so the value is the last one that mattered.

use std::collections::BTreeSet;

use selvedge_system::{At, End, Template, What};

#[derive(Clone, Debug)]
pub struct Known {
    /// By cut location.
    cuts: Vec<BTreeSet<u32>>,
    /// Of these, those that are used later.
    live: Vec<BTreeSet<u32>>,
    /// A thread always knows its number.
    always: BTreeSet<u32>,
}

impl Known {
    pub fn of(template: &Template) -> Known {
        let locals = 0..template.locals.len() as u32;
        let is_tid = |local: &u32| template.locals[*local as usize].what == What::Tid;
        let always: BTreeSet<u32> = locals.clone().filter(is_tid).collect();
        let mut cuts: Vec<BTreeSet<u32>> = vec![locals.collect(); template.locations.len()];
        let live = |cut: usize| template.locations[cut].live.iter().copied();
        if let At::Cut(entry) = template.entry {
            cuts[entry as usize] = live(entry as usize).collect();
        }
        while Known::narrow(template, &mut cuts) {}
        // Memory that only this thread uses has a value of its own, whether steps tell it or not.
        let is_memory = |local: &u32| {
            let what = &template.locals[*local as usize].what;
            matches!(what, What::Cell { .. } | What::Array { .. })
        };
        for (cut, known) in cuts.iter_mut().enumerate() {
            known.retain(|local| !is_memory(local));
            known.extend(live(cut));
        }
        let used = |(cut, known): (usize, &BTreeSet<u32>)| {
            live(cut).filter(|local| known.contains(local)).collect()
        };
        let live = cuts.iter().enumerate().map(used).collect();
        Known { cuts, live, always }
    }

    /// Keeps the locals that every step into a location brings; whether some were removed.
    fn narrow(template: &Template, cuts: &mut [BTreeSet<u32>]) -> bool {
        let mut narrower = false;
        for step in &template.steps {
            let (At::Cut(from), End::To(At::Cut(to))) = (step.from, &step.end) else { continue };
            let mut brought = cuts[from as usize].clone();
            brought.extend(step.locals.iter().map(|(local, _)| *local));
            let known = &mut cuts[*to as usize];
            let before = known.len();
            known.retain(|local| brought.contains(local));
            narrower |= known.len() < before;
        }
        narrower
    }

    /// Whether a thread there has a value for the local; unless it is to last, only as long as it is
    /// used.
    pub fn at(&self, at: At, local: u32, lasting: bool) -> bool {
        let cuts = if lasting { &self.cuts } else { &self.live };
        let here = match at {
            At::Cut(cut) => cuts[cut as usize].contains(&local),
            At::Unstarted | At::Ended => false,
        };
        here || self.always.contains(&local)
    }
}
