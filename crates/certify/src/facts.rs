//! What a thread's own variables are sure to be: constants that flow along its procedure.
//!
//! Kildall's constant propagation, over locals and over memory that only this thread has to do with.
//! Nobody else can change these, so what the procedure alone makes of them holds in every execution.
//! Edges are executed as on a path, with constants where they are known. A local that is not live
//! at the entry is assigned before every read, so the ways on which it is not yet assigned do not
//! count; and where a local is not live, nothing is kept of it.

use rustc_hash::FxHashMap;
use selvedge_ir::{EdgeId, LocalId, LocationId};
use selvedge_smt::{Op, Reason};

use crate::memory::{CellId, Keeper};
use crate::space::{At, Key};
use crate::walk::{Next, Path, Walk, Walked};
use crate::word::Val;

/// Known, or one of several values. A variable that is missing has none yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fact {
    Is(Val),
    Open,
}

type Facts = FxHashMap<Key, Fact>;

impl Walk<'_, '_> {
    /// Finds the facts at the thread's cut locations.
    pub fn find_facts(&mut self) -> Result<(), Reason> {
        let mut at: FxHashMap<LocationId, Facts> = FxHashMap::default();
        at.insert(self.procedure.entry, self.entry_facts());
        let mut work = vec![self.procedure.entry];
        while let Some(from) = work.pop() {
            let facts = at[&from].clone();
            self.spend(5 + facts.len())?;
            for index in 0..self.procedure.locations[from].edges.len() {
                let id = EdgeId { from, index: index as u32 };
                let target = self.procedure.edge(id).target;
                for mut after in self.through(from, &facts, id) {
                    self.keep_live(target, &mut after);
                    let changed = match at.get_mut(&target) {
                        Some(known) => merge(known, &after),
                        None => at.insert(target, after).is_none(),
                    };
                    if changed {
                        work.push(target);
                    }
                }
            }
        }
        self.found = Walked::default();
        for (location, facts) in at {
            if !self.space.is_location(self.thread, At::Cut(location)) {
                continue;
            }
            let live = self.space.live(self.thread, At::Cut(location));
            let known = live.into_iter().filter_map(|key| match facts.get(&key) {
                Some(Fact::Is(value)) => Some((key, *value)),
                _ => None,
            });
            let known = known.collect();
            self.space.facts.insert((self.thread, location), known);
        }
        Ok(())
    }

    fn keep_live(&self, at: LocationId, facts: &mut Facts) {
        let procedure = self.space.threads.get(self.thread).procedure;
        let live = self.space.prepared.liveness.live(procedure, at);
        facts.retain(|key, _| match key {
            Key::Local(local) => live.binary_search(local).is_ok(),
            _ => true,
        });
    }

    fn entry_facts(&mut self) -> Facts {
        let thread = self.space.threads.get(self.thread).procedure;
        let mut facts = Facts::default();
        let live: Vec<LocalId> =
            self.space.prepared.liveness.live(thread, self.procedure.entry).to_vec();
        for local in live {
            let ty = self.procedure.locals[local].ty;
            let zero = self.space.words.zero(&mut self.space.terms, ty);
            let param = self.procedure.params.contains(&local);
            facts.insert(Key::Local(local), if param { Fact::Open } else { Fact::Is(zero) });
        }
        for key in self.space.live(self.thread, At::Cut(self.procedure.entry)) {
            if let Key::Own(cell) = key {
                let initial = self.space.initials.get(&cell).copied().flatten();
                let known = initial.filter(|value| self.is_constant(*value));
                facts.insert(key, known.map_or(Fact::Open, Fact::Is));
            }
        }
        facts
    }

    fn is_constant(&self, value: Val) -> bool {
        value.terms().iter().all(|&term| matches!(self.space.terms.op(term), Op::Const(_)))
    }

    /// The facts behind an edge, for each way in which it can be taken.
    fn through(&mut self, from: LocationId, facts: &Facts, id: EdgeId) -> Vec<Facts> {
        let mut path = self.begin(from);
        path.locals.clear();
        for (&key, &fact) in facts {
            let value = match (fact, key) {
                (Fact::Is(value), _) => Some(value),
                (Fact::Open, Key::Local(local)) => {
                    let ty = self.procedure.locals[local].ty;
                    Some(self.input(&mut path, ty))
                }
                (Fact::Open, _) => None,
            };
            match (key, value) {
                (Key::Local(local), Some(value)) => drop(path.locals.insert(local, value)),
                (Key::Own(cell), Some(value)) => drop(path.cells.insert(cell, value)),
                _ => {}
            }
        }
        let mut found = Vec::new();
        for next in self.edge(&path, id) {
            if let Next::Goes(path) = next
                && !self.is_never(&path)
            {
                found.push(self.read_off(&path));
            }
        }
        found
    }

    fn read_off(&mut self, path: &Path) -> Facts {
        let locals = path.locals.iter().map(|(local, value)| (Key::Local(*local), *value));
        // Others may change what is shared.
        let own = |cell: &CellId| self.space.memory.cell(*cell).keeper == Keeper::Own(self.thread);
        let cells = path.cells.iter().filter(|(cell, _)| own(cell));
        let cells = cells.map(|(cell, value)| (Key::Own(*cell), *value));
        let fact = |value| if self.is_constant(value) { Fact::Is(value) } else { Fact::Open };
        locals.chain(cells).map(|(key, value)| (key, fact(value))).collect()
    }
}

/// Adds another way to a location; whether that changes anything.
fn merge(known: &mut Facts, other: &Facts) -> bool {
    let mut changed = false;
    for (key, fact) in other {
        match known.get(key) {
            Some(Fact::Open) => {}
            Some(same) if same == fact => {}
            Some(_) => {
                known.insert(*key, Fact::Open);
                changed = true;
            }
            None => {
                known.insert(*key, *fact);
                changed = true;
            }
        }
    }
    changed
}
