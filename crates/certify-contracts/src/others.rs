//! Steps of others, and of callees, on a path.

use selvedge_smt::Term;
use selvedge_smt::translate::Sym;

use crate::memory::{Kept, Memory, parts};
use crate::passage::{Changed, Passage};
use crate::path::Path;
use crate::world::World;

impl World<'_> {
    /// What a passage does to an object.
    pub fn passes(&mut self, passage: &Passage, object: Term) -> Term {
        let mut facts = Vec::new();
        if self.may_be_allocated(object) {
            facts.extend(self.keeps_state(passage, object));
        }
        if let Some((changed, bound)) = &passage.frame {
            let below = self.terms.lt(object, *bound);
            for &kept in passage.before.maps.keys() {
                if !passage.is_by_cells(kept) {
                    let row = self.frame_at(passage, changed, kept, object);
                    facts.push(self.terms.implies(below, row));
                }
            }
        }
        self.terms.and(&facts)
    }

    fn may_be_allocated(&mut self, object: Term) -> bool {
        let first = self.first_free();
        let global = self.terms.lt(object, first);
        global != self.terms.bool(true)
    }

    /// Others never make an object a secret again or bring it back to life, and do not touch what is
    /// this thread's own.
    fn keeps_state(&mut self, passage: &Passage, object: Term) -> Vec<Term> {
        let (before, after) = (&passage.before, &passage.after);
        let made = self.is_made(before, object);
        let t = &mut self.terms;
        let zero = t.int(0);
        let (owner, later) = (t.select(before.owner, object), t.select(after.owner, object));
        let (alive, lives) = (t.select(before.alive, object), t.select(after.alive, object));
        let (shared, still) = (t.eq(owner, zero), t.eq(later, zero));
        let shared = t.and(&[made, shared]);
        let (dead, stays) = (t.not(alive), t.not(lives));
        let dead = t.and(&[made, dead]);
        let mut facts = vec![t.implies(shared, still), t.implies(dead, stays)];
        if let Some(bound) = passage.own {
            let own = [made, t.eq(owner, self.tid), t.lt(object, bound)];
            let own = t.and(&own);
            let mut kept = vec![t.eq(later, self.tid), t.eq(alive, lives)];
            for (a, b) in before.maps.values().flatten().zip(after.maps.values().flatten()) {
                let (a, b) = (t.select(*a, object), t.select(*b, object));
                kept.push(t.eq(a, b));
            }
            let kept = t.and(&kept);
            facts.push(t.implies(own, kept));
        }
        facts
    }

    /// What a map has of an object, but for single places.
    fn frame_at(
        &mut self,
        passage: &Passage,
        changed: &[Changed],
        kept: Kept,
        object: Term,
    ) -> Term {
        let t = &mut self.terms;
        let mut same = Vec::new();
        let maps = passage.before.maps[&kept].iter().zip(&passage.after.maps[&kept]);
        for (part, (&before, &after)) in maps.enumerate() {
            let mut row = t.select(before, object);
            for change in changed {
                let Changed::At(of, at, value) = change else { continue };
                if *of == kept {
                    let (there, offset) = parts(*at);
                    let written = t.store(row, offset, value.terms()[part]);
                    let here = t.eq(object, there);
                    row = t.ite(here, written, row);
                }
            }
            let later = t.select(after, object);
            same.push(t.eq(later, row));
        }
        t.and(&same)
    }

    /// That a place has kept its value, unless it is among those that may be changed.
    pub fn leaves_cell(&mut self, path: &mut Path, passage: &Passage, kept: Kept, at: Sym) -> Term {
        let Some((changed, bound)) = &passage.frame else { return self.terms.bool(true) };
        let mut may = Vec::new();
        for change in changed {
            may.push(match change {
                Changed::At(of, place, _) if *of == kept => at.equal(&mut self.terms, *place),
                Changed::Each { kept: of, layout, offset } if *of == kept => {
                    let element = self.back(at, *offset);
                    self.is_element(path, &passage.before, *layout, element)
                }
                Changed::In(of, object) if *of == kept => {
                    let object = self.terms.int(self.objects.object(*object));
                    self.terms.eq(parts(at).0, object)
                }
                Changed::Every(of) => self.terms.bool(*of == kept),
                Changed::Any => self.terms.bool(true),
                _ => self.terms.bool(false),
            });
        }
        let (before, after) =
            (self.load(&passage.before, kept, at), self.load(&passage.after, kept, at));
        let t = &mut self.terms;
        may.push(before.equal(t, after));
        let beyond = t.lt(parts(at).0, *bound);
        may.push(t.not(beyond));
        t.or(&may)
    }

    /// The pointer so many bytes before another.
    pub fn back(&mut self, at: Sym, offset: i64) -> Sym {
        let (object, end) = parts(at);
        let back = self.terms.int(-offset);
        Sym::Pointer { object, offset: self.terms.add(&[end, back]) }
    }

    /// E*, one step of E since that is reflexive and transitive. It leaves the thread's own objects
    /// below a number alone.
    pub fn environment(&mut self, path: &mut Path, below: Option<Term>) {
        let own = below.unwrap_or(path.memory.next);
        let after = self.passed(path, Some(own), None);
        for clause in self.assumed.environment.clone() {
            let view = self.view(&path.memory, &after);
            path.assume(&clause.formula, view);
        }
        self.arrive(path, after);
    }

    /// New memory behind a passage.
    pub fn passed(
        &mut self,
        path: &mut Path,
        own: Option<Term>,
        frame: Option<(Vec<Changed>, Term)>,
    ) -> Memory {
        let (before, after) = (path.memory.clone(), self.any_memory("memory"));
        let grows = self.terms.le(before.next, after.next);
        self.fact(path, grows);
        path.pass(Passage { before, after: after.clone(), own, frame });
        after
    }

    /// Goes on with a memory that satisfies the invariants.
    pub fn arrive(&mut self, path: &mut Path, memory: Memory) {
        path.memory = memory;
        path.start = path.memory.clone();
        self.assume_invariants(path);
    }

    pub fn assume_invariants(&mut self, path: &mut Path) {
        for clause in self.assumed.invariants.clone() {
            let view = self.view(&path.memory, &path.memory);
            path.assume(&clause.formula, view);
        }
    }
}
