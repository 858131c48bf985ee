//! Memory objects in Horn clauses.
//!
//! Static objects, and those of an `Alloc` that happens at most once, have fixed numbers. All other
//! objects are numbered as they are made, by a counter. Sizes that are not constant are held in an
//! unknown map that never changes: an `Alloc` only assumes what it says about the new object.

use rustc_hash::FxHashMap;
use selvedge_ir::{Action, Const, EdgeId, Expr, ObjectId, RegionId, Storage};
use selvedge_passes::pointsto::{self, Extent};
use selvedge_smt::translate::{Arithmetic, Objects as Numbers, Types};
use selvedge_smt::{Sort, Term, Terms};

use super::super::layout::{Kind, inside};
use super::super::program::SequentialProgram;
use super::graph::Graph;

/// An object with a fixed number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fixed {
    pub number: u32,
    /// In bytes, if constant.
    pub size: Option<u64>,
}

/// What an `Alloc` makes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    /// None if the `Alloc` may be executed more than once.
    pub number: Option<u32>,
    pub size: Option<u64>,
    pub storage: Storage,
    pub zeroed: bool,
}

#[derive(Debug)]
pub(super) struct Objects {
    statics: FxHashMap<ObjectId, Fixed>,
    pub made: FxHashMap<EdgeId, Made>,
    /// The first number that the counter gives.
    pub first: u32,
    /// Objects of both storages are numbered by the counter: heap even, stack odd.
    pub both: bool,
    /// Memory may be accessed on a path before it is made.
    guessed: bool,
}

/// The objects that a map has content for, with where in them that is.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    pub fixed: Vec<(Fixed, Vec<Extent>)>,
    /// What `Alloc`s make that may happen again and again.
    pub many: Vec<(Made, Vec<Extent>)>,
    /// Whether it is known where in the objects.
    pub known: bool,
}

impl Objects {
    pub fn of(program: &SequentialProgram, graph: &Graph) -> Objects {
        let source = &program.program;
        let numbers = Numbers::new(source);
        let statics = source.objects.iter().map(|(id, object)| {
            let size = Some(source.layouts[object.layout].size);
            (id, Fixed { number: numbers.object(id), size })
        });
        let mut next = numbers.first_free();
        let mut made = FxHashMap::default();
        for (at, edge) in program.body().edges() {
            let Action::Alloc { size, storage, zeroed, .. } = &edge.action else { continue };
            let number = (!graph.repeats(at.from)).then(|| {
                next += 1;
                next - 1
            });
            let size = match size {
                Expr::Const(Const::Int(bits, _)) => Some(*bits),
                _ => None,
            };
            made.insert(at, Made { number, size, storage: *storage, zeroed: *zeroed });
        }
        let many =
            |storage| made.values().any(|m: &Made| m.number.is_none() && m.storage == storage);
        let both = many(Storage::Heap) && many(Storage::Stack);
        let guessed = !program.arbitrary.is_empty();
        Objects { statics: statics.collect(), both, made, first: next, guessed }
    }

    /// Whether a counter is needed.
    pub fn count(&self) -> bool {
        self.made.values().any(|m| m.number.is_none())
    }

    pub fn is_static(&self, number: u32) -> Option<ObjectId> {
        self.statics.iter().find(|(_, fixed)| fixed.number == number).map(|(&id, _)| id)
    }

    /// What an object's initial content depends on.
    pub fn kind(&self, number: u32) -> Kind {
        match self.is_static(number) {
            Some(object) => Kind::Static(object),
            None => {
                let zeroed = |made: &Made| made.number == Some(number) && made.zeroed;
                Kind::Made { zeroed: self.made.values().any(zeroed) }
            }
        }
    }

    pub fn of_static(&self, object: ObjectId) -> Fixed {
        self.statics[&object]
    }

    /// The objects of a map.
    pub fn candidates(&self, program: &SequentialProgram, region: RegionId) -> Candidates {
        let extents = program.extents.get(&region);
        let mut found = Candidates { known: extents.is_some(), ..Candidates::default() };
        let places = |origin: Option<pointsto::Origin>| -> Option<Vec<Extent>> {
            let (Some(all), Some(origin)) = (extents, origin) else { return Some(Vec::new()) };
            let here: Vec<Extent> = all.iter().filter(|e| e.origin == origin).copied().collect();
            (!here.is_empty()).then_some(here)
        };
        let mut statics: Vec<(ObjectId, Fixed)> =
            self.statics.iter().map(|(&id, &fixed)| (id, fixed)).collect();
        statics.sort_unstable_by_key(|(id, _)| *id);
        for (id, fixed) in statics {
            if let Some(places) = places(Some(pointsto::Origin::Object(id))) {
                found.fixed.push((fixed, places));
            }
        }
        let mut made: Vec<(EdgeId, Made)> = self.made.iter().map(|(&at, &m)| (at, m)).collect();
        made.sort_unstable_by_key(|(at, _)| *at);
        for (at, made) in made {
            let source = program.origins.get(&at).and_then(|origin| origin.made_by());
            let origin = source.map(|(procedure, edge)| pointsto::Origin::Alloc(procedure, edge));
            found.known &= origin.is_some();
            match (places(origin), made.number) {
                (None, _) => {}
                (Some(places), Some(number)) => {
                    found.fixed.push((Fixed { number, size: made.size }, places));
                }
                (Some(places), None) => found.many.push((made, places)),
            }
        }
        found
    }
}

impl Candidates {
    /// The size of all objects of which there are many.
    pub fn common_size(&self) -> Option<u64> {
        let (first, _) = self.many.first()?;
        let same = self.many.iter().all(|(made, _)| made.size == first.size);
        first.size.filter(|_| same)
    }

    /// Whether the size of an object has to be looked up.
    pub fn looks_up_sizes(&self) -> bool {
        self.fixed.iter().any(|(fixed, _)| fixed.size.is_none())
            || (!self.many.is_empty() && self.common_size().is_none())
    }
}

/// What is needed to speak of objects at a point of the program.
pub(super) struct Now<'a> {
    pub terms: &'a mut Terms,
    pub types: Types,
    /// How many the counter has numbered.
    pub count: Option<Term>,
    /// The sizes that are not constant, by number.
    pub sizes: Option<Term>,
}

impl Now<'_> {
    pub fn id(&mut self, number: u32) -> Term {
        match self.types.id_sort() {
            Sort::BitVec(width) => self.terms.bv(u128::from(number), width),
            _ => self.terms.int(number),
        }
    }

    pub fn bytes(&mut self, bytes: u64) -> Term {
        match self.types.arithmetic {
            Arithmetic::Bits => {
                let width = u32::from(self.types.offset_int().width);
                self.terms.bv(u128::from(bytes), width)
            }
            _ => self.terms.int(bytes),
        }
    }

    /// Whether so many bytes from a pointer on lie in one of the objects.
    pub fn holds(
        &mut self,
        objects: &Objects,
        candidates: &Candidates,
        (object, offset): (Term, Term),
        bytes: u64,
    ) -> Term {
        let mut any = Vec::new();
        for (fixed, _) in &candidates.fixed {
            let number = self.id(fixed.number);
            let here = self.terms.eq(object, number);
            let size = self.size(fixed.size, number);
            let inside = self.inside(offset, bytes, size);
            any.push(self.terms.and(&[here, inside]));
        }
        if !candidates.many.is_empty() {
            let size = self.size(candidates.common_size(), object);
            let numbered = self.numbered(objects, object);
            let inside = self.inside(offset, bytes, size);
            any.push(self.terms.and(&[numbered, inside]));
        }
        self.terms.or(&any)
    }

    fn size(&mut self, constant: Option<u64>, number: Term) -> Term {
        match (constant, self.sizes) {
            (Some(bytes), _) => self.bytes(bytes),
            (None, Some(sizes)) => self.terms.select(sizes, number),
            (None, None) => self.bytes(0),
        }
    }

    fn inside(&mut self, offset: Term, bytes: u64, size: Term) -> Term {
        let bytes = self.bytes(bytes);
        inside(self.terms, offset, bytes, size)
    }

    /// Whether the counter has given this number; where memory may be guessed, whether it may.
    fn numbered(&mut self, objects: &Objects, object: Term) -> Term {
        let first = self.terms.int(objects.first);
        let from = self.terms.le(first, object);
        match self.count {
            Some(count) if !objects.guessed => {
                let end = self.number(objects, count, Storage::Heap);
                let before = self.terms.lt(object, end);
                self.terms.and(&[from, before])
            }
            _ => from,
        }
    }

    /// The number that the counter gives.
    pub fn number(&mut self, objects: &Objects, count: Term, storage: Storage) -> Term {
        let first = self.terms.int(objects.first);
        if !objects.both {
            return self.terms.add(&[first, count]);
        }
        let two = self.terms.int(2);
        let odd = self.terms.int(u32::from(storage == Storage::Stack));
        let twice = self.terms.mul(&[two, count]);
        self.terms.add(&[first, twice, odd])
    }

    /// Whether a pointer is the start of an object made with this storage.
    pub fn starts(
        &mut self,
        objects: &Objects,
        (object, offset): (Term, Term),
        storage: Storage,
    ) -> Term {
        let mut any = Vec::new();
        let mut made: Vec<&Made> =
            objects.made.values().filter(|made| made.storage == storage).collect();
        made.sort_unstable_by_key(|made| made.number);
        for number in made.iter().filter_map(|made| made.number) {
            let number = self.id(number);
            any.push(self.terms.eq(object, number));
        }
        if made.iter().any(|made| made.number.is_none()) {
            let numbered = self.numbered(objects, object);
            let kind = if objects.both {
                let (first, two) = (self.terms.int(objects.first), self.terms.int(2));
                let from = self.terms.sub(object, first);
                let rest = self.terms.modulo(from, two);
                let odd = self.terms.int(u32::from(storage == Storage::Stack));
                self.terms.eq(rest, odd)
            } else {
                self.terms.bool(true)
            };
            any.push(self.terms.and(&[numbered, kind]));
        }
        let zero = self.bytes(0);
        let start = self.terms.eq(offset, zero);
        let any = self.terms.or(&any);
        self.terms.and(&[any, start])
    }
}
