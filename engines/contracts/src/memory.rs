//! Memory as terms: for each scalar type a map from object to offset to value (two for pointers), and
//! what is known of each object: whether it lives, and whose it is.
//!
//! An object that a thread has made and whose address it has given to nobody is its *own*: the
//! environment cannot touch it, and nobody else can see what the thread does to it. `owner` is the
//! thread, or 0 for an object that several threads may know. Numbers of objects are never used twice;
//! those from `next` on are not given away yet.

use std::collections::{BTreeMap, BTreeSet};

use cranelift_entity::PrimaryMap;
use selvedge_ir::spec::Ghost;
use selvedge_ir::{Const, GhostId, ObjectId, Program, Sharing, Type};
use selvedge_smt::translate::{Objects, Sym, Types};
use selvedge_smt::{Sort, Term, Terms};

/// What memory has maps of: the scalars of a type, or a variable of the specification. The latter is
/// kept at the address of its object; one that belongs to no object, at null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kept {
    Scalar(Type),
    Ghost(GhostId),
}

impl From<Type> for Kept {
    fn from(ty: Type) -> Kept {
        Kept::Scalar(ty)
    }
}

impl Kept {
    /// What a target of a contract names.
    pub fn of_target(target: &selvedge_ir::spec::Target) -> Kept {
        target.ghost.map_or(Kept::Scalar(target.ty), Kept::Ghost)
    }
}

/// Maps of one type: one, or for pointers those of the objects and of the offsets.
type Maps = Vec<Term>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    pub maps: BTreeMap<Kept, Maps>,
    /// Of globals that no pointer leads to, by their numbers: from offset to value.
    apart: BTreeMap<(Kept, Term), Maps>,
    pub alive: Term,
    pub owner: Term,
    pub next: Term,
}

impl Memory {
    /// Any memory.
    pub fn fresh(
        terms: &mut Terms,
        types: Types,
        scalars: &[Type],
        ghosts: &PrimaryMap<GhostId, Ghost>,
        apart: &[(Type, Term)],
        name: &str,
    ) -> Memory {
        let apart = apart
            .iter()
            .map(|&(ty, object)| {
                let name = format!("{name}.{}", terms.show(object));
                let row = |terms: &mut Terms, &sort: &Sort| {
                    let row = terms.array_sort(Sort::Int, sort);
                    terms.fresh(&name, row)
                };
                let sorts = types.sorts(ty).to_vec();
                let maps = sorts.iter().map(|sort| row(terms, sort)).collect();
                ((Kept::Scalar(ty), object), maps)
            })
            .collect();
        let scalars = scalars.iter().map(|&ty| Kept::Scalar(ty));
        let maps = scalars
            .chain(ghosts.keys().map(Kept::Ghost))
            .map(|kept| {
                let sorts = sorts(terms, types, ghosts, kept);
                let maps = sorts.iter().map(|&sort| map_of(terms, name, sort)).collect();
                (kept, maps)
            })
            .collect();
        let flags = terms.array_sort(Sort::Int, Sort::Bool);
        let numbers = terms.array_sort(Sort::Int, Sort::Int);
        Memory {
            maps,
            apart,
            alive: terms.fresh(&format!("{name}.alive"), flags),
            owner: terms.fresh(&format!("{name}.owner"), numbers),
            next: terms.fresh(&format!("{name}.next"), Sort::Int),
        }
    }

    /// The memory that the program starts with: globals as they are initialised, and nothing else.
    /// Only these objects are in it: what is asked of it must not look at others.
    pub fn initial(
        terms: &mut Terms,
        types: Types,
        scalars: &[Type],
        program: &Program,
        apart: &[(Type, Term)],
        known: &BTreeSet<ObjectId>,
    ) -> Memory {
        let objects = Objects::new(program);
        let ghosts = &program.spec.ghosts;
        let mut memory = Memory::fresh(terms, types, scalars, ghosts, apart, "initial");
        let zero = terms.int(0);
        let yes = terms.bool(true);
        memory.alive = terms.const_array(Sort::Int, yes);
        memory.owner = terms.const_array(Sort::Int, zero);
        memory.next = terms.int(objects.first_free());
        for (kept, maps) in &mut memory.maps {
            let nothing = first(terms, objects, program, *kept);
            for (map, part) in maps.iter_mut().zip(nothing) {
                let row = terms.const_array(Sort::Int, part);
                *map = terms.const_array(Sort::Int, row);
            }
        }
        for ((kept, _), maps) in &mut memory.apart {
            let nothing = first(terms, objects, program, *kept);
            for (map, part) in maps.iter_mut().zip(nothing) {
                *map = terms.const_array(Sort::Int, part);
            }
        }
        for &id in known {
            let object = &program.objects[id];
            if object.sharing == Sharing::PerThread {
                continue;
            }
            for (offset, value) in &object.init {
                let at = Sym::Pointer {
                    object: terms.int(objects.object(id)),
                    offset: terms.int(*offset),
                };
                let known = constant(terms, objects, program, *value);
                if memory.maps.contains_key(&Kept::Scalar(value.ty())) {
                    memory.store(terms, value.ty(), at, known);
                }
            }
        }
        memory
    }

    pub fn load(&self, terms: &mut Terms, kept: impl Into<Kept>, at: Sym) -> Sym {
        let (object, offset) = parts(at);
        let kept = kept.into();
        let found: Vec<Term> = match self.apart.get(&(kept, object)) {
            Some(maps) => maps.iter().map(|&map| terms.select(map, offset)).collect(),
            None => self.maps[&kept]
                .iter()
                .map(|&map| {
                    let row = terms.select(map, object);
                    terms.select(row, offset)
                })
                .collect(),
        };
        Sym::from_terms(&found)
    }

    pub fn store(&mut self, terms: &mut Terms, kept: impl Into<Kept>, at: Sym, value: Sym) {
        let (object, offset) = parts(at);
        let values = value.terms();
        let kept = kept.into();
        if let Some(maps) = self.apart.get_mut(&(kept, object)) {
            for (map, &value) in maps.iter_mut().zip(values.iter()) {
                *map = terms.store(*map, offset, value);
            }
            return;
        }
        let maps = self.maps.get_mut(&kept).expect("invariant: every accessed type has a map");
        for (map, &value) in maps.iter_mut().zip(values.iter()) {
            let row = terms.select(*map, object);
            let row = terms.store(row, offset, value);
            *map = terms.store(*map, object, row);
        }
    }

    /// Makes the whole object zero.
    pub fn clear(&mut self, terms: &mut Terms, object: Term) {
        for (kept, maps) in &mut self.maps {
            let Kept::Scalar(ty) = kept else { continue };
            for map in maps.iter_mut() {
                let zero = match ty {
                    Type::Bool => terms.bool(false),
                    _ => terms.int(0),
                };
                let row = terms.const_array(Sort::Int, zero);
                *map = terms.store(*map, object, row);
            }
        }
    }

    /// A new object: its members of the specification have their first values.
    pub fn begin_ghosts(&mut self, terms: &mut Terms, program: &Program, object: Term) {
        let objects = Objects::new(program);
        for (kept, maps) in &mut self.maps {
            if matches!(kept, Kept::Scalar(_)) {
                continue;
            }
            let values = first(terms, objects, program, *kept);
            for (map, part) in maps.iter_mut().zip(values) {
                let row = terms.const_array(Sort::Int, part);
                *map = terms.store(*map, object, row);
            }
        }
    }

    /// That all content of an object is the same in two memories.
    pub fn same_content(&self, terms: &mut Terms, other: &Memory, object: Term) -> Term {
        let mut equal = Vec::new();
        for (a, b) in self.maps.values().flatten().zip(other.maps.values().flatten()) {
            let (a, b) = (terms.select(*a, object), terms.select(*b, object));
            equal.push(terms.eq(a, b));
        }
        terms.and(&equal)
    }

    pub fn owner_of(&self, terms: &mut Terms, object: Term) -> Term {
        terms.select(self.owner, object)
    }

    pub fn is_alive(&self, terms: &mut Terms, object: Term) -> Term {
        terms.select(self.alive, object)
    }

    /// One memory or the other.
    pub fn ite(&self, terms: &mut Terms, condition: Term, other: &Memory) -> Memory {
        let maps = self
            .maps
            .iter()
            .zip(other.maps.values())
            .map(|((ty, a), b)| {
                let both = a.iter().zip(b).map(|(&a, &b)| terms.ite(condition, a, b)).collect();
                (*ty, both)
            })
            .collect();
        let apart = self
            .apart
            .iter()
            .zip(other.apart.values())
            .map(|((at, a), b)| {
                let both = a.iter().zip(b).map(|(&a, &b)| terms.ite(condition, a, b)).collect();
                (*at, both)
            })
            .collect();
        Memory {
            maps,
            apart,
            alive: terms.ite(condition, self.alive, other.alive),
            owner: terms.ite(condition, self.owner, other.owner),
            next: terms.ite(condition, self.next, other.next),
        }
    }
}

/// The sorts of a value: of a map from threads, those of arrays.
pub(crate) fn sorts(
    terms: &mut Terms,
    types: Types,
    ghosts: &PrimaryMap<GhostId, Ghost>,
    kept: Kept,
) -> Vec<Sort> {
    match kept {
        Kept::Scalar(ty) => types.sorts(ty).to_vec(),
        Kept::Ghost(id) if !ghosts[id].map => types.sorts(ghosts[id].ty).to_vec(),
        Kept::Ghost(id) => {
            let sorts = types.sorts(ghosts[id].ty).to_vec();
            sorts.into_iter().map(|sort| terms.array_sort(Sort::Int, sort)).collect()
        }
    }
}

/// What is there at first.
fn first(terms: &mut Terms, objects: Objects, program: &Program, kept: Kept) -> Vec<Term> {
    match kept {
        Kept::Scalar(ty) => constant(terms, objects, program, Const::zero(ty)).terms().to_vec(),
        Kept::Ghost(id) => {
            let ghost = &program.spec.ghosts[id];
            let values = constant(terms, objects, program, ghost.init).terms().to_vec();
            match ghost.map {
                false => values,
                true => values.into_iter().map(|v| terms.const_array(Sort::Int, v)).collect(),
            }
        }
    }
}

fn map_of(terms: &mut Terms, name: &str, sort: Sort) -> Term {
    let row = terms.array_sort(Sort::Int, sort);
    let map = terms.array_sort(Sort::Int, row);
    terms.fresh(name, map)
}

/// The object and the offset of a pointer.
pub(crate) fn parts(pointer: Sym) -> (Term, Term) {
    match pointer {
        Sym::Pointer { object, offset } => (object, offset),
        Sym::Scalar(_) => panic!("invariant: an address is a pointer in a checked program"),
    }
}

/// A constant as terms. An object of each thread has no constant address.
pub(crate) fn constant(
    terms: &mut Terms,
    objects: Objects,
    program: &Program,
    value: Const,
) -> Sym {
    match value {
        Const::Bool(b) => Sym::Scalar(terms.bool(b)),
        Const::Int(bits, int) => Sym::Scalar(terms.int(int.value(bits))),
        Const::Null => Sym::Pointer { object: terms.int(0), offset: terms.int(0) },
        Const::Object(object, offset) => {
            let number = match program.objects[object].sharing {
                Sharing::Shared => terms.int(objects.object(object)),
                Sharing::PerThread => terms.fresh("instance", Sort::Int),
            };
            Sym::Pointer { object: number, offset: terms.int(offset) }
        }
        Const::Proc(procedure) => {
            Sym::Pointer { object: terms.int(objects.procedure(procedure)), offset: terms.int(0) }
        }
        Const::NoThread => Sym::Scalar(terms.int(0)),
    }
}
