//! Memories: any, the initial one, and what loads, stores and new objects do.

use std::collections::BTreeMap;

use selvedge_ir::{Const, Sharing};
use selvedge_smt::translate::Sym;
use selvedge_smt::{Sort, Term};

use crate::memory::{Kept, Memory, parts};
use crate::path::Path;
use crate::world::World;

impl World<'_> {
    /// Memory of which nothing is known.
    pub fn any_memory(&mut self, name: &str) -> Memory {
        let mut maps = BTreeMap::new();
        for &kept in &self.subject.kept {
            let name = match kept {
                Kept::Scalar(ty) => format!("{name}.{ty}"),
                Kept::Ghost(ghost) => format!("{name}.ghost{}", ghost.as_u32()),
            };
            let sorts = self.sorts(kept);
            let parts = sorts.into_iter().map(|sort| {
                let row = self.terms.array_sort(Sort::Int, sort);
                let map = self.terms.array_sort(Sort::Int, row);
                self.terms.fresh(&name, map)
            });
            maps.insert(kept, parts.collect());
        }
        let flags = self.terms.array_sort(Sort::Int, Sort::Bool);
        let numbers = self.terms.array_sort(Sort::Int, Sort::Int);
        Memory {
            maps,
            alive: self.terms.fresh(&format!("{name}.alive"), flags),
            owner: self.terms.fresh(&format!("{name}.owner"), numbers),
            next: self.terms.fresh(&format!("{name}.next"), Sort::Int),
        }
    }

    /// What the program starts with: globals as they are initialised, and no other object.
    pub fn initial_memory(&mut self) -> Memory {
        let mut memory = self.any_memory("initial");
        memory.next = self.first_free();
        for &kept in &self.subject.kept {
            let rows = self.first_rows(kept);
            let maps = rows.iter().map(|&row| self.terms.const_array(Sort::Int, row)).collect();
            memory.maps.insert(kept, maps);
        }
        let program = &self.subject.program;
        for (id, object) in &program.objects {
            for &(offset, value) in &object.init {
                let known = memory.maps.contains_key(&Kept::Scalar(value.ty()));
                if object.sharing == Sharing::Shared && known {
                    let number = self.terms.int(self.objects.object(id));
                    let at = Sym::Pointer { object: number, offset: self.terms.int(offset) };
                    let value_terms = self.constant(value);
                    self.store(&mut memory, value.ty(), at, value_terms);
                }
            }
        }
        memory
    }

    pub fn constant(&mut self, value: Const) -> Sym {
        let t = &mut self.terms;
        match value {
            Const::Bool(b) => Sym::Scalar(t.bool(b)),
            Const::Int(bits, int) => Sym::Scalar(t.int(int.value(bits))),
            Const::Null => Sym::Pointer { object: t.int(0), offset: t.int(0) },
            Const::Object(object, offset) => Sym::Pointer {
                // Of a variable that every thread has, which the program does not mention, any number.
                object: match self.subject.program.objects[object].sharing {
                    Sharing::Shared => t.int(self.objects.object(object)),
                    Sharing::PerThread => t.fresh("instance", Sort::Int),
                },
                offset: t.int(offset),
            },
            Const::Proc(procedure) => {
                Sym::Pointer { object: t.int(self.objects.procedure(procedure)), offset: t.int(0) }
            }
            Const::NoThread => Sym::Scalar(t.int(0)),
        }
    }

    /// The sorts of a value; of a map from threads, those of arrays.
    fn sorts(&mut self, kept: Kept) -> Vec<Sort> {
        let ghost = match kept {
            Kept::Scalar(ty) => return self.types.sorts(ty).to_vec(),
            Kept::Ghost(id) => &self.subject.program.spec.ghosts[id],
        };
        let sorts = self.types.sorts(ghost.ty).to_vec();
        match ghost.map {
            true => sorts.into_iter().map(|s| self.terms.array_sort(Sort::Int, s)).collect(),
            false => sorts,
        }
    }

    /// A new value of what a map has.
    pub fn any_of(&mut self, path: &mut Path, name: &str, kept: Kept) -> Sym {
        let ty = match kept {
            Kept::Scalar(ty) => ty,
            Kept::Ghost(id) => self.subject.program.spec.ghosts[id].ty,
        };
        if !self.is_map(kept) {
            return self.value(path, name, ty);
        }
        let sorts = self.sorts(kept);
        let parts: Vec<Term> = sorts.iter().map(|&sort| self.terms.fresh(name, sort)).collect();
        Sym::from_terms(&parts)
    }

    /// Whether values are maps from threads.
    pub fn is_map(&self, kept: Kept) -> bool {
        match kept {
            Kept::Scalar(_) => false,
            Kept::Ghost(id) => self.subject.program.spec.ghosts[id].map,
        }
    }

    /// What a map has of an object at first, at every offset: zero, or the initial value.
    fn first_rows(&mut self, kept: Kept) -> Vec<Term> {
        let ghosts = &self.subject.program.spec.ghosts;
        let first = match kept {
            Kept::Scalar(ty) => Const::zero(ty),
            Kept::Ghost(id) => ghosts[id].init,
        };
        let mut parts = self.constant(first).terms();
        if self.is_map(kept) {
            parts.iter_mut().for_each(|part| *part = self.terms.const_array(Sort::Int, *part));
        }
        parts.iter().map(|&part| self.terms.const_array(Sort::Int, part)).collect()
    }

    pub fn load(&mut self, memory: &Memory, kept: impl Into<Kept>, at: Sym) -> Sym {
        let (object, offset) = parts(at);
        let mut found = Vec::new();
        for &map in &memory.maps[&kept.into()] {
            let row = self.terms.select(map, object);
            found.push(self.terms.select(row, offset));
        }
        Sym::from_terms(&found)
    }

    pub fn store(&mut self, memory: &mut Memory, kept: impl Into<Kept>, at: Sym, value: Sym) {
        let (object, offset) = parts(at);
        let maps = memory.maps.get_mut(&kept.into());
        let maps = maps.expect("invariant: everything that is accessed has a map");
        for (map, &value) in maps.iter_mut().zip(value.terms().iter()) {
            let row = self.terms.select(*map, object);
            let row = self.terms.store(row, offset, value);
            *map = self.terms.store(*map, object, row);
        }
    }

    /// Puts whole content into a new object: zeros, or what nobody knows. Variables of the
    /// specification have their first values.
    pub fn fill(&mut self, memory: &mut Memory, object: Term, zeroed: bool) {
        for &kept in &self.subject.kept {
            let first = self.first_rows(kept);
            let maps = memory.maps.get_mut(&kept).expect("invariant: there is a map of each");
            for (map, &first) in maps.iter_mut().zip(&first) {
                let row = match zeroed || matches!(kept, Kept::Ghost(_)) {
                    true => first,
                    false => self.terms.fresh("undefined", self.terms.sort(first)),
                };
                *map = self.terms.store(*map, object, row);
            }
        }
    }
}
