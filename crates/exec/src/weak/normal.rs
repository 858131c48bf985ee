//! One form for all that the future cannot tell apart: numbers only count by their order, and what
//! no thread can read or race with is dropped. So programs with finitely many states keep finitely
//! many.

use std::collections::BTreeMap;

use super::{Scalar, View, Weak};

impl Weak {
    /// `alive` tells which threads have not ended.
    pub fn normalise(&mut self, alive: &[bool]) {
        self.drop_old_values(alive);
        self.drop_past(alive);
        self.drop_views();
        self.rank_stamps(alive);
        self.rank_times();
    }

    /// A value that every running thread must not read any more is gone. (A thread to come starts
    /// with what its creator knows.)
    fn drop_old_values(&mut self, alive: &[bool]) {
        let running = self.threads.iter().zip(alive).filter(|(_, alive)| **alive);
        let views: Vec<&View> = running.map(|(thread, _)| &thread.now.view).collect();
        for (scalar, list) in &mut self.messages {
            let seen = |view: &&View| view.get(scalar).copied().unwrap_or(0);
            let oldest = views.iter().map(seen).min().unwrap_or(u32::MAX);
            let newest = list.last().map_or(0, |m| m.stamp);
            list.retain(|m| m.stamp >= oldest || m.stamp == newest);
            if let Some(first) = list.first_mut() {
                // Nothing can come before it any more.
                first.modified &= first.stamp > oldest;
            }
        }
    }

    /// An access that happens before all that running threads will do races with nothing more.
    fn drop_past(&mut self, alive: &[bool]) {
        let threads = &self.threads;
        self.past.retain(|_, list| {
            list.retain(|past| {
                let Some(index) = past.thread.index() else { return false };
                let mut others = threads.iter().zip(alive).enumerate();
                others.any(|(other, (t, alive))| {
                    *alive && other != index && t.now.time(index) < past.time
                })
            });
            !list.is_empty()
        });
    }

    /// What is known of scalars without values to choose from says nothing.
    fn drop_views(&mut self) {
        let kept: Vec<Scalar> = self.messages.keys().copied().collect();
        for view in self.views() {
            view.retain(|scalar, _| kept.binary_search(scalar).is_ok());
        }
    }

    /// The oldest value has the stamp 0 if every running thread has seen it, so that nothing can be
    /// stored before it, and 1 otherwise. Below it all stamps mean the same.
    fn rank_stamps(&mut self, alive: &[bool]) {
        let ranks: BTreeMap<Scalar, (u32, Vec<u32>)> = (self.messages.iter())
            .map(|(scalar, list)| {
                let known: Vec<u32> = list.iter().map(|m| m.stamp).collect();
                let first = known.first().copied().unwrap_or(0);
                let running = self.threads.iter().zip(alive).filter(|(_, alive)| **alive);
                let mut seen = running.map(|(t, _)| t.now.view.get(scalar).copied().unwrap_or(0));
                (*scalar, (u32::from(seen.any(|stamp| stamp < first)), known))
            })
            .collect();
        let rank = |scalar: &Scalar, stamp: u32| {
            let (lowest, known) = &ranks[scalar];
            match known.partition_point(|known| *known <= stamp) as u32 {
                0 => 0,
                place => place - 1 + lowest,
            }
        };
        for view in self.views() {
            for (scalar, stamp) in view.iter_mut() {
                *stamp = rank(scalar, *stamp);
            }
            view.retain(|_, stamp| *stamp > 0);
        }
        for (scalar, list) in &mut self.messages {
            list.iter_mut().for_each(|m| m.stamp = rank(scalar, m.stamp));
        }
    }

    fn rank_times(&mut self) {
        let mut times: Vec<Vec<u32>> = vec![vec![0]; self.threads.len()];
        for know in self.knows() {
            for (thread, time) in know.clock.iter().enumerate() {
                times[thread].push(*time);
            }
        }
        let past = self.past.values().flatten();
        past.for_each(|p| times[p.thread.index().unwrap_or(0)].push(p.time));
        for list in &mut times {
            list.sort_unstable();
            list.dedup();
        }
        let rank =
            |thread: usize, time: u32| times[thread].partition_point(|known| *known < time) as u32;
        for know in self.knows() {
            for (thread, time) in know.clock.iter_mut().enumerate() {
                *time = rank(thread, *time);
            }
            while know.clock.last() == Some(&0) {
                know.clock.pop();
            }
        }
        for past in self.past.values_mut().flatten() {
            past.time = rank(past.thread.index().unwrap_or(0), past.time);
        }
    }
}
