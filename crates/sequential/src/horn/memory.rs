//! Memory in Horn clauses: loads and stores, and the initial state. What maps hold and start with is
//! decided in `layout`.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use selvedge_ir::{Const, RegionId, Storage, Type};
use selvedge_smt::translate::{Arithmetic, Sym, Types};
use selvedge_smt::{Sort, Term, Terms};

use super::super::layout::{Initial, Kind, Layout, Start};
use super::super::program::SequentialProgram;
use super::super::state::{Slot, State};
use super::maps::{Holding, Index, Map};
use super::objects::{Now, Objects};
use super::slots::{Owner, Slots};

/// Two to this is more than any offset inside an object.
const OFFSETS: u32 = 64;

/// A static object of more initial values than this is taken to have any.
const LISTED: usize = 64;

/// Everything that speaks about memory.
#[derive(Debug)]
pub(super) struct Memory<'a> {
    pub program: &'a SequentialProgram,
    pub layout: Layout<'a>,
    pub objects: Objects,
    pub maps: FxHashMap<RegionId, Map>,
    pub slots: Slots,
    pub types: Types,
    /// Zero, for every slot of a scalar.
    pub zeros: BTreeMap<Slot, Term>,
}

/// Zero for every slot of a scalar.
pub(super) fn zeros(slots: &Slots, terms: &mut Terms, types: Types) -> BTreeMap<Slot, Term> {
    let mut zeros = BTreeMap::new();
    for value in &slots.values {
        if let Some(ty) = value.ty {
            zeros.extend(value.slots().zip(zero(terms, types, ty).terms()));
        }
    }
    zeros
}

pub(super) type Pointer = (Term, Term);

impl Memory<'_> {
    fn now<'t>(&self, terms: &'t mut Terms, state: &State) -> Now<'t> {
        let get = |slot: Option<_>| slot.and_then(|slot| state.get(slot));
        let (count, sizes) = (get(self.slots.count), get(self.slots.sizes));
        Now { terms, types: self.types, count, sizes }
    }

    /// Whether a scalar of a map may be accessed here.
    pub fn valid(&self, terms: &mut Terms, state: &State, region: RegionId, at: Pointer) -> Term {
        let map = &self.maps[&region];
        let mut now = self.now(terms, state);
        if map.per_object {
            return now.terms.bool(true);
        }
        match &map.holding {
            Holding::Cells(cells) => {
                let any: Vec<Term> =
                    cells.iter().map(|&cell| is_cell(&mut now, at, cell)).collect();
                terms.or(&any)
            }
            Holding::Array(Index::Object) => {
                let holds = now.holds(&self.objects, &map.candidates, at, map.bytes);
                let placed = placed(&mut now, map, at);
                terms.and(&[holds, placed])
            }
            _ => now.holds(&self.objects, &map.candidates, at, map.bytes),
        }
    }

    /// Whether `free` may end what a pointer names.
    pub fn may_free(
        &self,
        terms: &mut Terms,
        state: &State,
        at: Pointer,
        storage: Storage,
    ) -> Term {
        let mut now = self.now(terms, state);
        let starts = now.starts(&self.objects, at, storage);
        let null = is_cell(&mut now, at, (0, 0));
        terms.or(&[starts, null])
    }

    /// What a map holds, and what is known of that.
    pub fn load(
        &self,
        terms: &mut Terms,
        state: &State,
        region: RegionId,
        at: Pointer,
        ty: Type,
    ) -> (Sym, Term) {
        let map = &self.maps[&region];
        let mut loaded = match &map.holding {
            Holding::Unknown => None,
            Holding::Cells(cells) => self.choose(terms, state, map, cells, at),
            Holding::Array(index) => {
                let value = self.slots.map(region, 0).get(state);
                value.map(|arrays| {
                    let index = self.index(terms, *index, at);
                    let parts: Vec<Term> =
                        arrays.terms().iter().map(|&a| terms.select(a, index)).collect();
                    Sym::from_terms(&parts)
                })
            }
        };
        // Only a map of one type holds anything.
        let value = *loaded.get_or_insert_with(|| anything(terms, self.types, "read", ty));
        (value, self.types.in_range(terms, value, ty))
    }

    /// One of the cells.
    fn choose(
        &self,
        terms: &mut Terms,
        state: &State,
        map: &Map,
        cells: &[(u32, i64)],
        at: Pointer,
    ) -> Option<Sym> {
        let mut chosen: Option<Sym> = None;
        if map.per_object {
            // Objects that nobody can free have no cell.
            chosen = Some(zero(terms, self.types, map.ty));
        }
        for (index, &cell) in cells.iter().enumerate() {
            let value = self.slots.map(map.region, index).get(state)?;
            chosen = Some(match chosen {
                None => value,
                Some(other) => {
                    let here = self.is_here(terms, map, at, cell);
                    value.ite(terms, here, other)
                }
            });
        }
        chosen
    }

    fn is_here(&self, terms: &mut Terms, map: &Map, at: Pointer, cell: (u32, i64)) -> Term {
        let mut now = Now { terms, types: self.types, count: None, sizes: None };
        if map.per_object {
            let number = now.id(cell.0);
            return terms.eq(at.0, number);
        }
        is_cell(&mut now, at, cell)
    }

    pub fn store(
        &self,
        terms: &mut Terms,
        state: &mut State,
        region: RegionId,
        at: Pointer,
        value: Sym,
    ) {
        let map = &self.maps[&region];
        match &map.holding {
            Holding::Unknown => {}
            Holding::Cells(cells) => {
                for (index, &cell) in cells.iter().enumerate() {
                    let here = self.is_here(terms, map, at, cell);
                    let slot = self.slots.map(region, index);
                    // What was there before is not set where nobody reads it.
                    let new = match slot.get(state) {
                        Some(old) => value.ite(terms, here, old),
                        None => value,
                    };
                    slot.set(state, new);
                }
            }
            Holding::Array(index) => {
                let slot = self.slots.map(region, 0);
                let Some(arrays) = slot.get(state) else { return };
                let index = self.index(terms, *index, at);
                let parts: Vec<Term> = (arrays.terms().iter().zip(value.terms()))
                    .map(|(&array, element)| terms.store(array, index, element))
                    .collect();
                slot.set(state, Sym::from_terms(&parts));
            }
        }
    }

    fn index(&self, terms: &mut Terms, index: Index, (object, offset): Pointer) -> Term {
        match (index, self.types.arithmetic) {
            (Index::Offset, _) => offset,
            (Index::Object, _) => object,
            (Index::Both, Arithmetic::Bits) => terms.concat(object, offset),
            (Index::Both, _) => {
                let factor = terms.int(1u128 << OFFSETS);
                let high = terms.mul(&[factor, object]);
                terms.add(&[high, offset])
            }
        }
    }

    /// A new object: the pointer to it, and what is assumed of it.
    pub fn alloc(
        &self,
        terms: &mut Terms,
        state: &mut State,
        made: super::objects::Made,
        size: Term,
    ) -> (Sym, Term) {
        let mut now = self.now(terms, state);
        let object = match (made.number, now.count) {
            (Some(number), _) => now.id(number),
            (None, Some(count)) => now.number(&self.objects, count, made.storage),
            (None, None) => unreachable!("many objects need a counter"),
        };
        let offset = now.bytes(0);
        let assumed = match now.sizes {
            Some(sizes) => {
                let known = terms.select(sizes, object);
                terms.eq(known, size)
            }
            None => terms.bool(true),
        };
        if let (None, Some(slot)) = (made.number, self.slots.count)
            && let Some(count) = state.get(slot)
        {
            let one = terms.int(1);
            state.set(slot, terms.add(&[count, one]));
        }
        if made.number.is_none() && self.program.arbitrary.is_empty() {
            self.clear(terms, state, object, made.zeroed);
        }
        (Sym::Pointer { object, offset }, assumed)
    }

    /// What a new object starts with, in the arrays that have one place for it. Nobody has touched
    /// it, so it is there already; to see that for all numbers to come takes more than the solver can.
    fn clear(&self, terms: &mut Terms, state: &mut State, object: Term, zeroed: bool) {
        for region in self.program.program.regions.keys() {
            let Some(map) = self.maps.get(&region) else { continue };
            let known = self.layout.start(region, Kind::Made { zeroed }) == Start::Zero;
            if known && map.holding == Holding::Array(Index::Object) {
                let zero = zero(terms, self.types, map.ty);
                let offset = terms.int(0);
                self.store(terms, state, map.region, (object, offset), zero);
            }
        }
    }

    /// Sets what everything holds at the start; gives what is assumed of it.
    pub fn start(&self, terms: &mut Terms, state: &mut State) -> Term {
        let mut assumed = Vec::new();
        for region in self.program.program.regions.keys() {
            let Some(map) = self.maps.get(&region) else { continue };
            for index in 0..map.values() {
                let value = self.initial(terms, map, index);
                if !map.is_array() {
                    assumed.push(self.types.in_range(terms, value, map.ty));
                }
                self.slots.map(region, index).set(state, value);
                if self.program.matches.iter().any(|&(_, start)| start == region) {
                    self.slots.start(region, index).set(state, value);
                }
            }
        }
        for value in &self.slots.values {
            match value.owner {
                Owner::Count => value.set(state, Sym::Scalar(terms.int(0))),
                Owner::Sizes => value.set(state, value.fresh(terms)),
                _ => {}
            }
        }
        terms.and(&assumed)
    }

    fn initial(&self, terms: &mut Terms, map: &Map, index: usize) -> Sym {
        let slot = self.slots.map(map.region, index);
        let known = match &map.holding {
            Holding::Cells(cells) => {
                let (number, offset) = cells[index];
                match self.layout.start(map.region, self.objects.kind(number)) {
                    Start::Unknown => None,
                    Start::Zero => Some(zero(terms, self.types, map.ty)),
                    Start::Static(object) => self.content(terms, map, object, offset),
                }
            }
            _ => self.initial_array(terms, map),
        };
        known.unwrap_or_else(|| slot.fresh(terms))
    }

    /// Whether one of the objects of a map starts with unknown content.
    fn may_start_unknown(&self, map: &Map) -> bool {
        let fixed = map.candidates.fixed.iter().map(|(fixed, _)| self.objects.kind(fixed.number));
        let many = map.candidates.many.iter().map(|(made, _)| Kind::Made { zeroed: made.zeroed });
        let unknown = |kind| self.layout.start(map.region, kind) == Start::Unknown;
        self.program.arbitrary.contains(&map.region) || fixed.chain(many).any(unknown)
    }

    /// What an array starts with; none if that is not known.
    fn initial_array(&self, terms: &mut Terms, map: &Map) -> Option<Sym> {
        let Holding::Array(index) = map.holding else { return None };
        if self.may_start_unknown(map) {
            return None;
        }
        let zero = zero(terms, self.types, map.ty);
        let sort = index.sort(self.types);
        let zeros: Vec<Term> =
            zero.terms().iter().map(|&element| terms.const_array(sort, element)).collect();
        let mut arrays = Sym::from_terms(&zeros);
        if map.per_object {
            return Some(arrays);
        }
        for (fixed, extents) in &map.candidates.fixed {
            let Some(object) = self.objects.is_static(fixed.number) else { continue };
            let init = &self.program.program.objects[object].init;
            if init.len() > LISTED {
                return None;
            }
            for &(offset, constant) in init {
                let size = constant.ty().size(self.program.program.model);
                let inside = |extent| overlaps(extent, offset as i64, size as i64);
                if !extents.is_empty() && !extents.iter().any(inside) {
                    continue;
                }
                let value = self.content(terms, map, object, offset as i64)?;
                let mut now = Now { terms, types: self.types, count: None, sizes: None };
                let at = (now.id(fixed.number), now.bytes(offset));
                let index = self.index(terms, index, at);
                let stored: Vec<Term> = (arrays.terms().iter().zip(value.terms()))
                    .map(|(&array, element)| terms.store(array, index, element))
                    .collect();
                arrays = Sym::from_terms(&stored);
            }
        }
        Some(arrays)
    }

    /// The scalar that a static object starts with at an offset; none if parts of others make it up.
    fn content(
        &self,
        terms: &mut Terms,
        map: &Map,
        object: selvedge_ir::ObjectId,
        offset: i64,
    ) -> Option<Sym> {
        match self.layout.initial(object, offset, map.bytes) {
            Initial::Zero => Some(zero(terms, self.types, map.ty)),
            Initial::Constant(constant) => self.constant(terms, constant, map.ty),
            Initial::Parts(_) => None,
        }
    }

    fn constant(&self, terms: &mut Terms, constant: Const, ty: Type) -> Option<Sym> {
        let mut now = Now { terms, types: self.types, count: None, sizes: None };
        match (constant, ty) {
            (Const::Bool(b), Type::Bool) => Some(Sym::Scalar(terms.bool(b))),
            (Const::Int(bits, from), Type::Int(int)) if from.width == int.width => {
                Some(Sym::Scalar(match self.types.arithmetic {
                    Arithmetic::Bits => terms.bv(u128::from(bits), u32::from(int.width)),
                    _ => terms.int(int.value(bits)),
                }))
            }
            (Const::Object(object, offset), Type::Ptr) => {
                let number = self.objects.of_static(object).number;
                let object = now.id(number);
                let offset = u64::try_from(offset).ok()?;
                let offset = now.bytes(offset);
                Some(Sym::Pointer { object, offset })
            }
            (Const::Proc(procedure), Type::Ptr) => {
                let numbers = selvedge_smt::translate::Objects::new(&self.program.program);
                let object = now.id(numbers.procedure(procedure));
                let offset = now.bytes(0);
                Some(Sym::Pointer { object, offset })
            }
            (Const::Null, Type::Ptr) | (Const::NoThread, Type::Thread) => {
                Some(zero(terms, self.types, ty))
            }
            _ => None,
        }
    }

    /// Every map that something must match ends as the other started.
    pub fn matches(&self, terms: &mut Terms, end: &State) -> Term {
        let mut equations = Vec::new();
        for &(last, first) in &self.program.matches {
            let (Some(map), true) = (self.maps.get(&last), self.maps.contains_key(&first)) else {
                continue;
            };
            for index in 0..map.values() {
                let ends = self.slots.map(last, index).get(end);
                let starts = self.slots.start(first, index).get(end);
                if let (Some(a), Some(b)) = (ends, starts) {
                    equations.push(a.equal(terms, b));
                }
            }
        }
        terms.and(&equations)
    }
}

/// Whether a pointer is this one.
fn is_cell(now: &mut Now<'_>, at: Pointer, (number, offset): (u32, i64)) -> Term {
    let object = now.id(number);
    let object = now.terms.eq(at.0, object);
    let offset = now.bytes(offset as u64);
    let offset = now.terms.eq(at.1, offset);
    now.terms.and(&[object, offset])
}

/// Whether a pointer names the one place that its object has in a map.
fn placed(now: &mut Now<'_>, map: &Map, (object, offset): Pointer) -> Term {
    let mut places = Vec::new();
    let start = |extents: &Vec<selvedge_passes::pointsto::Extent>| extents[0].start as u64;
    for (fixed, extents) in &map.candidates.fixed {
        let number = now.id(fixed.number);
        let here = now.terms.eq(object, number);
        let at = now.bytes(start(extents));
        let at = now.terms.eq(offset, at);
        places.push(now.terms.implies(here, at));
    }
    if let Some((_, extents)) = map.candidates.many.first() {
        let fixed: Vec<Term> = (map.candidates.fixed.iter())
            .map(|(fixed, _)| {
                let number = now.id(fixed.number);
                now.terms.eq(object, number)
            })
            .collect();
        let at = now.bytes(start(extents));
        let at = now.terms.eq(offset, at);
        let fixed = now.terms.or(&fixed);
        places.push(now.terms.or(&[fixed, at]));
    }
    now.terms.and(&places)
}

/// Whether a scalar of a static object lies in an extent, in part at least.
fn overlaps(extent: &selvedge_passes::pointsto::Extent, at: i64, size: i64) -> bool {
    let selvedge_passes::pointsto::Extent { start, length, stride, .. } = *extent;
    if stride == 0 {
        return at < start + length && start < at + size;
    }
    let from = (at - start).rem_euclid(stride);
    from < length || from + size > stride
}

/// Zero, false, null.
pub(super) fn zero(terms: &mut Terms, types: Types, ty: Type) -> Sym {
    let parts: Vec<Term> = types
        .sorts(ty)
        .iter()
        .map(|sort| match *sort {
            Sort::Bool => terms.bool(false),
            Sort::BitVec(width) => terms.bv(0, width),
            Sort::Int => terms.int(0),
            Sort::Array(_) => unreachable!("scalars are no arrays"),
        })
        .collect();
    Sym::from_terms(&parts)
}

/// A value of a type that nothing is known of.
pub(super) fn anything(terms: &mut Terms, types: Types, name: &str, ty: Type) -> Sym {
    let parts: Vec<Term> = types.sorts(ty).iter().map(|&sort| terms.fresh(name, sort)).collect();
    Sym::from_terms(&parts)
}
