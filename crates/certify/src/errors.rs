//! The obligations that exclude errors: no bad step is possible where the relations hold, and no
//! two threads can race.
//!
//! The thread that would go wrong is looked at alone first, then among the threads of each relation
//! that it takes part in: one relation that excludes the error is enough.

use rustc_hash::FxHashMap;
use selvedge_smt::{Sort, Term};

use crate::ask::{Asker, Group, Outcome, Title};
use crate::induction::{joined, next_slot};
use crate::space::{At, Slot};
use crate::verdict::Rejected;
use crate::walk::{Access, Bad};
use crate::word::Val;

type Done = Result<(), Rejected>;

/// What one thread does in an error; in a race, to which address.
struct Part<'p> {
    guard: Term,
    inputs: &'p [Term],
    address: Option<Bytes>,
}

/// Where an access goes. Without a length, to scalars that are the same or apart.
#[derive(Clone, Copy)]
struct Bytes {
    at: Val,
    length: Option<u64>,
}

impl Asker<'_> {
    pub fn errors(&mut self, bad: &[Bad]) -> Done {
        for bad in bad {
            self.obligations += 1;
            let who = (Slot { thread: bad.thread, copy: 1 }, bad.from);
            let alone: Group = vec![who];
            let mut cases = Vec::new();
            for (group, places) in joined(&alone, 0, &[], &bad.joins) {
                let none = FxHashMap::default();
                let mut assumed = self.waited(&group, &places, &bad.joins, &none);
                assumed.push(bad.guard);
                cases.push((group, assumed));
            }
            let text = format!("an error is not excluded: {}", bad.what);
            let title = Title { text, thread: Some(who), span: bad.span };
            let part = Part { guard: bad.guard, inputs: &bad.inputs, address: None };
            self.excluded_somehow(&cases, &[who], &[part], &title)?;
        }
        Ok(())
    }

    pub fn races(&mut self, accesses: &[Access]) -> Done {
        for (index, first) in accesses.iter().enumerate() {
            self.spend(1 + (accesses.len() - index) / 16, "the races of the threads")?;
            for second in &accesses[index..] {
                if self.may_race(first, second) {
                    self.race(first, second)?;
                }
            }
        }
        Ok(())
    }

    fn may_race(&self, a: &Access, b: &Access) -> bool {
        let two = a.thread != b.thread || self.space.threads.get(a.thread).pool;
        let met = a.region == b.region && !self.space.memory.is_private(a.region);
        two && met && (a.write || b.write) && (a.plain || b.plain)
    }

    fn race(&mut self, a: &Access, b: &Access) -> Done {
        self.obligations += 1;
        let first = (Slot { thread: a.thread, copy: 1 }, a.from);
        let second = (next_slot(&vec![first], b.thread), b.from);
        let map = self.instance(second.0, &b.inputs);
        // What one thread would do counts from before the other's atomic block.
        let inside = [first, second].map(|(slot, at)| self.space.is_inside(slot.thread, at));
        let always = self.space.terms.bool(true);
        let there = self.take_value(b.address, &map);
        let (mine, theirs) = (self.bytes_of(a), self.bytes_of(b));
        let same = self.meet(mine, Bytes { at: there, ..theirs });
        let guards = [
            if inside[1] { always } else { a.guard },
            if inside[0] { always } else { self.take(b.guard, &map) },
            if inside[0] || inside[1] { always } else { same },
        ];
        let name = &self.space.program.regions[a.region].name;
        let other = &self.space.threads.get(b.thread).name;
        let text = format!(
            "a data race on {name} is not excluded, with {other} at {} (line {})",
            b.from.name(),
            b.span.line
        );
        let title = Title { text, thread: Some(first), span: a.span };
        let cases = vec![(vec![first, second], guards.to_vec())];
        let second_guard = if inside[0] { always } else { b.guard };
        let apart = !inside[0] && !inside[1];
        let parts = [
            Part { guard: guards[0], inputs: &a.inputs, address: apart.then_some(mine) },
            Part { guard: second_guard, inputs: &b.inputs, address: apart.then_some(theirs) },
        ];
        self.excluded_somehow(&cases, &[first, second], &parts, &title)
    }

    /// The bytes of an access.
    fn bytes_of(&self, access: &Access) -> Bytes {
        let mixed = self.space.memory.mixed.contains(&access.region);
        Bytes { at: access.address, length: mixed.then_some(access.bytes) }
    }

    /// That two accesses have a byte in common.
    fn meet(&mut self, a: Bytes, b: Bytes) -> Term {
        let (Val::Two(object, from), Val::Two(there, begin)) = (a.at, b.at) else {
            return a.at.equal(&mut self.space.terms, b.at);
        };
        let (Some(length), Some(other)) = (a.length, b.length) else {
            return a.at.equal(&mut self.space.terms, b.at);
        };
        let first = self.before_end(begin, from, length);
        let second = self.before_end(from, begin, other);
        let same = self.space.terms.eq(object, there);
        self.space.terms.and(&[same, first, second])
    }

    /// That an offset lies before the end of some bytes.
    fn before_end(&mut self, offset: Term, start: Term, length: u64) -> Term {
        let length = self.space.offset(length as i64);
        let terms = &mut self.space.terms;
        match terms.sort(start) {
            Sort::Int => {
                let end = terms.add(&[start, length]);
                terms.lt(offset, end)
            }
            _ => {
                let end = terms.bv_add(start, length);
                terms.bv_slt(offset, end)
            }
        }
    }

    /// Whether the cases are excluded by the relations over their own threads, or what the threads
    /// do by the relations over those of some shape.
    fn excluded_somehow(
        &mut self,
        cases: &[(Group, Vec<Term>)],
        who: &[(Slot, At)],
        parts: &[Part<'_>],
        title: &Title,
    ) -> Done {
        let Err(first) = self.all_excluded(cases, title) else { return Ok(()) };
        for relation in 0..self.family.relations.len() {
            let shape = self.family.relations[relation].shape.clone();
            if shape.len() <= who.len() {
                continue;
            }
            let Some(cases) = self.among(relation, who, parts) else { continue };
            if self.all_excluded(&cases, title).is_ok() {
                return Ok(());
            }
        }
        Err(first)
    }

    /// The threads in every place that a relation knows for its shape.
    fn among(
        &mut self,
        relation: usize,
        who: &[(Slot, At)],
        parts: &[Part<'_>],
    ) -> Option<Vec<(Group, Vec<Term>)>> {
        let shape = self.family.relations[relation].shape.clone();
        let mut taken: Vec<usize> = Vec::new();
        for (slot, _) in who {
            let free =
                |place: &usize| shape[*place].thread == slot.thread && !taken.contains(place);
            let place = (0..shape.len()).find(free)?;
            taken.push(place);
        }
        let (mut guards, mut addresses) = (Vec::new(), Vec::new());
        for (&place, part) in taken.iter().zip(parts) {
            let map = self.instance(shape[place], part.inputs);
            guards.push(self.take(part.guard, &map));
            let bytes = part.address;
            let moved = |bytes: Bytes| Bytes { at: self.take_value(bytes.at, &map), ..bytes };
            addresses.extend(bytes.map(moved));
        }
        if let [one, other] = addresses[..] {
            guards.push(self.meet(one, other));
        }
        let order = self.family.relations[relation].order.clone();
        let fits = |at: &Vec<At>| taken.iter().zip(who).all(|(&place, (_, is))| at[place] == *is);
        let cases = order.into_iter().filter(fits).map(|at| {
            let group: Group = shape.iter().copied().zip(at).collect();
            (group, guards.clone())
        });
        Some(cases.collect())
    }

    fn all_excluded(&mut self, cases: &[(Group, Vec<Term>)], title: &Title) -> Done {
        for (group, assumed) in cases {
            let Some(premise) = self.premise(group) else { continue };
            let undecided = |reason| Rejected::Undecided { obligation: title.text.clone(), reason };
            match self.excluded(group, &premise, assumed).map_err(undecided)? {
                Outcome::Holds => {}
                Outcome::Fails(model, formulas) => {
                    return Err(self.failure(title, &model, &formulas));
                }
            }
        }
        Ok(())
    }
}
