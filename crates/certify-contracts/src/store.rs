//! Memories: any, the initial one, and what loads, stores and new objects do.

use std::collections::BTreeMap;

use selvedge_ir::{Const, Sharing, Type};
use selvedge_smt::translate::Sym;
use selvedge_smt::{Sort, Term};

use crate::memory::{Memory, parts};
use crate::world::World;

impl World<'_> {
    /// Memory of which nothing is known.
    pub fn any_memory(&mut self, name: &str) -> Memory {
        let mut maps = BTreeMap::new();
        for &ty in &self.subject.types {
            let sorts = self.types.sorts(ty);
            let of_type = sorts.iter().map(|&sort| {
                let row = self.terms.array_sort(Sort::Int, sort);
                let map = self.terms.array_sort(Sort::Int, row);
                self.terms.fresh(&format!("{name}.{ty}"), map)
            });
            maps.insert(ty, of_type.collect());
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
        for &ty in &self.subject.types {
            let zeros = self.zero_rows(ty);
            let maps = zeros.iter().map(|&row| self.terms.const_array(Sort::Int, row)).collect();
            memory.maps.insert(ty, maps);
        }
        let program = &self.subject.program;
        for (id, object) in &program.objects {
            for &(offset, value) in &object.init {
                if object.sharing == Sharing::Shared && memory.maps.contains_key(&value.ty()) {
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

    /// The content of an object that is zero everywhere, at a type.
    pub fn zero_rows(&mut self, ty: Type) -> Vec<Term> {
        let zero = self.constant(Const::zero(ty)).terms();
        zero.iter().map(|&part| self.terms.const_array(Sort::Int, part)).collect()
    }

    pub fn load(&mut self, memory: &Memory, ty: Type, at: Sym) -> Sym {
        let (object, offset) = parts(at);
        let mut found = Vec::new();
        for &map in &memory.maps[&ty] {
            let row = self.terms.select(map, object);
            found.push(self.terms.select(row, offset));
        }
        Sym::from_terms(&found)
    }

    pub fn store(&mut self, memory: &mut Memory, ty: Type, at: Sym, value: Sym) {
        let (object, offset) = parts(at);
        let maps = memory.maps.get_mut(&ty).expect("invariant: every accessed type has a map");
        for (map, &value) in maps.iter_mut().zip(value.terms().iter()) {
            let row = self.terms.select(*map, object);
            let row = self.terms.store(row, offset, value);
            *map = self.terms.store(*map, object, row);
        }
    }

    /// Puts whole content into an object: zeros, or what nobody knows.
    pub fn fill(&mut self, memory: &mut Memory, object: Term, zeroed: bool) {
        for &ty in &self.subject.types {
            let zeros = self.zero_rows(ty);
            let maps = memory.maps.get_mut(&ty).expect("invariant: every type has a map");
            for (map, &zero) in maps.iter_mut().zip(&zeros) {
                let row = match zeroed {
                    true => zero,
                    false => self.terms.fresh("undefined", self.terms.sort(zero)),
                };
                *map = self.terms.store(*map, object, row);
            }
        }
    }
}
