//! Memory when unrolling: for each region a map from addresses to scalars, as variables where that is
//! enough. What maps hold and start with is decided in `layout`.
//!
//! A map is held in one of three ways: as one variable, where the region is one scalar; as one
//! variable for each address used, where an address is a constant or one of few; otherwise as an
//! array. Which of the last two is found out by trying: the program is unrolled again if an address
//! turns out to be one of many. Maps that must match in the end are held in the same way.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashMap;
use selvedge_ir::{Const, ObjectId, RegionId, Type};
use selvedge_passes::pointsto::{Extent, Origin};
use selvedge_smt::{Sort, Term, Terms};

use super::address::{Addresses, IndexBits, Instance, Name, Number, Spot};
use super::expr::{sort_of, zero};
use super::layout::{Initial, Layout, Start, offsets};
use super::program::{Guess, SequentialProgram};
use super::reads::Reads;
use super::state::{Slot, State, choose};

/// A map stays a set of variables as long as an address is one of so many.
const ALTERNATIVES: usize = 64;

/// More places of a map than this are not looked at one by one.
const MAX_SPOTS: usize = 256;

/// What is learnt from one unrolling for the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Families of maps that are arrays.
    pub arrays: BTreeSet<RegionId>,
    pub index: IndexBits,
    /// Reads of arrays are left to the solver's theory of arrays.
    pub theory: bool,
    /// The objects that are made, as far as it matters.
    pub instances: BTreeMap<Name, Instance>,
}

impl Default for Shape {
    fn default() -> Shape {
        let index = IndexBits { object: 2, offset: 1 };
        Shape { arrays: BTreeSet::new(), index, theory: false, instances: BTreeMap::new() }
    }
}

/// The elements of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    /// Every access is of this type.
    Scalar(Type),
    /// Accesses differ: the map is of bytes.
    Byte,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Holder {
    Exact(RegionId),
    Cell(RegionId, u64),
    Array(RegionId),
}

/// The places of a map; none if they are not known.
type Spots = Option<Rc<[Spot]>>;

#[derive(Debug)]
pub(super) struct Memory<'a> {
    program: &'a SequentialProgram,
    pub shape: Shape,
    layout: Layout<'a>,
    elements: FxHashMap<RegionId, Element>,
    slots: FxHashMap<Holder, Slot>,
    holders: Vec<Holder>,
    first: u32,
    initial: Vec<Term>,
    /// The constant addresses used with each family.
    used: BTreeMap<RegionId, BTreeSet<u64>>,
    /// The indices read of each family held as arrays.
    read: BTreeMap<RegionId, BTreeSet<Term>>,
    pub reads: Reads,
    /// Arrays of initial content with what they hold where the content is known.
    known_content: Vec<(RegionId, Term, Term)>,
    /// Families that should have been arrays.
    pub should_be_arrays: BTreeSet<RegionId>,
    /// The places of each map for scalars of a size; none if they are not known.
    spots: FxHashMap<(RegionId, Option<u64>), Spots>,
    /// Whether it mattered which objects are made.
    pub looked_at_objects: bool,
}

impl<'a> Memory<'a> {
    /// `first` is the first slot that is not a local's.
    pub fn new(program: &'a SequentialProgram, shape: Shape, first: u32) -> Memory<'a> {
        let layout = Layout::of(program);
        let elements = elements(program, &layout);
        Memory {
            program,
            shape,
            layout,
            elements,
            slots: FxHashMap::default(),
            holders: Vec::new(),
            first,
            initial: Vec::new(),
            used: BTreeMap::new(),
            read: BTreeMap::new(),
            reads: Reads::default(),
            known_content: Vec::new(),
            should_be_arrays: BTreeSet::new(),
            spots: FxHashMap::default(),
            looked_at_objects: false,
        }
    }

    pub fn initial(&self, slot: Slot) -> Term {
        self.initial[(slot.0 - self.first) as usize]
    }

    fn family(&self, region: RegionId) -> RegionId {
        self.layout.family(region)
    }

    fn is_array(&self, region: RegionId) -> bool {
        self.shape.arrays.contains(&self.family(region))
    }

    fn element_sort(&self, region: RegionId, width: u32) -> Sort {
        match self.elements[&region] {
            Element::Scalar(ty) => sort_of(ty, width),
            Element::Byte => Sort::BitVec(8),
        }
    }
}

/// Memory in use: with the terms and addresses that its operations need.
pub(super) struct Access<'m, 'a> {
    pub memory: &'m mut Memory<'a>,
    pub terms: &'m mut Terms,
    pub addresses: &'m mut Addresses,
}

impl Access<'_, '_> {
    /// The scalar that a map holds at an address.
    pub fn load(&mut self, state: &State, region: RegionId, address: Term, ty: Type) -> Term {
        if self.memory.program.exact.contains_key(&region) {
            return self.get(state, Holder::Exact(region));
        }
        match self.memory.elements[&region] {
            Element::Scalar(_) => self.load_element(state, region, address),
            Element::Byte => {
                let size = ty.size(self.memory.program.program.model);
                let mut word = None;
                for i in 0..size {
                    let at = self.plus(address, i);
                    let byte = self.load_element(state, region, at);
                    word = Some(match word {
                        None => byte,
                        Some(low) => self.terms.concat(byte, low),
                    });
                }
                self.value_of_word(word.expect("scalars have bytes"), ty)
            }
        }
    }

    pub fn store(
        &mut self,
        state: &mut State,
        region: RegionId,
        address: Term,
        ty: Type,
        value: Term,
    ) {
        if self.memory.program.exact.contains_key(&region) {
            let slot = self.slot(Holder::Exact(region));
            return state.set(slot, value);
        }
        match self.memory.elements[&region] {
            Element::Scalar(_) => self.store_element(state, region, address, value),
            Element::Byte => {
                let word = self.word_of(value, ty);
                for i in 0..ty.size(self.memory.program.program.model) {
                    let at = self.plus(address, i);
                    let low = 8 * i as u32;
                    let byte = self.terms.extract(low + 7, low, word);
                    self.store_element(state, region, at, byte);
                }
            }
        }
    }

    fn plus(&mut self, address: Term, bytes: u64) -> Term {
        let bytes = self.terms.bv(u128::from(bytes), self.addresses.width);
        self.terms.bv_add(address, bytes)
    }

    /// The bytes of a scalar, the unused ones zero.
    fn word_of(&mut self, value: Term, ty: Type) -> Term {
        let bits = 8 * ty.size(self.memory.program.program.model) as u32;
        if ty == Type::Bool {
            let (one, zero) = (self.terms.bv(1, bits), self.terms.bv(0, bits));
            return self.terms.ite(value, one, zero);
        }
        let unused = bits - self.terms.width(value);
        self.terms.zero_extend(unused, value)
    }

    fn value_of_word(&mut self, word: Term, ty: Type) -> Term {
        match sort_of(ty, self.addresses.width) {
            Sort::BitVec(width) => self.terms.extract(width - 1, 0, word),
            _ => {
                let zero = self.terms.bv(0, self.terms.width(word));
                self.terms.ne(word, zero)
            }
        }
    }

    fn load_element(&mut self, state: &State, region: RegionId, address: Term) -> Term {
        if self.memory.is_array(region) {
            let index = self.index(region, address);
            let family = self.memory.family(region);
            self.memory.read.entry(family).or_default().insert(index);
            let array = self.get(state, Holder::Array(region));
            return self.select(array, index);
        }
        let cells = self.cells(region, address);
        let values: Vec<Term> = cells.iter().map(|&(_, cell)| self.get(state, cell)).collect();
        let conditions: Vec<Term> = cells.iter().map(|&(condition, _)| condition).collect();
        match values[..] {
            [] => {
                let sort = self.memory.element_sort(region, self.addresses.width);
                self.terms.fresh("unread", sort)
            }
            _ => choose(self.terms, &conditions, &values),
        }
    }

    fn store_element(&mut self, state: &mut State, region: RegionId, address: Term, value: Term) {
        if self.memory.is_array(region) {
            let index = self.index(region, address);
            let holder = Holder::Array(region);
            let array = self.get(state, holder);
            let stored = self.terms.store(array, index, value);
            let slot = self.slot(holder);
            state.set(slot, stored);
            return;
        }
        for (condition, cell) in self.cells(region, address) {
            let old = self.get(state, cell);
            let new = self.terms.ite(condition, value, old);
            let slot = self.slot(cell);
            state.set(slot, new);
        }
    }

    fn select(&mut self, array: Term, index: Term) -> Term {
        match self.memory.shape.theory {
            true => self.terms.select(array, index),
            false => self.memory.reads.read(self.terms, array, index),
        }
    }

    fn index(&mut self, region: RegionId, address: Term) -> Term {
        let bits = self.memory.shape.index;
        if self.memory.program.per_object.contains(&region) {
            self.addresses.object_index(self.terms, bits, address)
        } else {
            self.addresses.index(self.terms, bits, address)
        }
    }

    /// The variables that an address can lead to, each with its condition; without any, the map
    /// must become an array.
    fn cells(&mut self, region: RegionId, address: Term) -> Vec<(Term, Holder)> {
        let bytes = match self.memory.elements[&region] {
            _ if self.memory.program.per_object.contains(&region) => None,
            Element::Scalar(ty) => Some(ty.size(self.memory.program.program.model)),
            Element::Byte => Some(1),
        };
        let spots = self.spots_of(region, address, bytes);
        let spots = spots.as_deref();
        let Access { terms, addresses, .. } = self;
        let alternatives = addresses.alternatives(terms, address, bytes, spots, ALTERNATIVES);
        let family = self.memory.family(region);
        let Some(alternatives) = alternatives else {
            self.memory.should_be_arrays.insert(family);
            return Vec::new();
        };
        let used = self.memory.used.entry(family).or_default();
        used.extend(alternatives.iter().map(|&(_, address)| address));
        let cell = |(condition, address)| (condition, Holder::Cell(region, address));
        alternatives.into_iter().map(cell).collect()
    }

    /// The places that an address may name in a map, where they are known.
    pub fn spots_of(&mut self, region: RegionId, address: Term, bytes: Option<u64>) -> Spots {
        let known = self.addresses.base(self.terms, address).is_some();
        if known && (bytes.is_none() || self.addresses.constant(self.terms, address) == Some(0)) {
            return None;
        }
        let extents = self.memory.program.extents.get(&region);
        let made = |extent: &Extent| matches!(extent.origin, Origin::Alloc(..));
        self.memory.looked_at_objects |= !known || extents.is_some_and(|e| e.iter().any(made));
        if let Some(known) = self.memory.spots.get(&(region, bytes)) {
            return known.clone();
        }
        let found = match bytes {
            Some(bytes) => self.places(region, bytes),
            None => Some(self.starts()),
        };
        let found: Option<Rc<[Spot]>> = found.map(Rc::from);
        self.memory.spots.insert((region, bytes), found.clone());
        found
    }

    /// All places of a map for scalars of a size; none if there are too many or not known.
    fn places(&self, region: RegionId, bytes: u64) -> Option<Vec<Spot>> {
        let mut spots = Vec::new();
        for extent in self.memory.program.extents.get(&region)? {
            let objects: Vec<(Number, Option<u64>)> = match extent.origin {
                Origin::Object(object) => vec![self.addresses.static_size(object)],
                Origin::Alloc(procedure, edge) => {
                    let instances = self.memory.shape.instances.values();
                    let made = instances.filter(|i| i.source == Some((procedure, edge)));
                    made.map(|i| (i.number, i.size)).collect()
                }
            };
            for (of, size) in objects {
                for offset in offsets(extent, bytes, size?, MAX_SPOTS)? {
                    let address = self.addresses.address(of, offset);
                    spots.push(Spot { address, of });
                }
            }
            if spots.len() > MAX_SPOTS {
                return None;
            }
        }
        Some(spots)
    }

    /// The starts of all objects.
    fn starts(&self) -> Vec<Spot> {
        let statics = self.memory.program.program.objects.keys();
        let statics = statics.map(|object| self.addresses.static_size(object).0);
        let made = self.memory.shape.instances.values().map(|i| i.number);
        let spot = |of| Spot { address: self.addresses.address(of, 0), of };
        statics.chain(made).map(spot).collect()
    }

    fn get(&mut self, state: &State, holder: Holder) -> Term {
        let slot = self.slot(holder);
        state.get(slot).unwrap_or_else(|| self.memory.initial(slot))
    }

    fn slot(&mut self, holder: Holder) -> Slot {
        if let Some(&slot) = self.memory.slots.get(&holder) {
            return slot;
        }
        let initial = self.initial_content(holder);
        let slot = Slot(self.memory.first + self.memory.initial.len() as u32);
        self.memory.initial.push(initial);
        self.memory.holders.push(holder);
        self.memory.slots.insert(holder, slot);
        slot
    }

    fn initial_content(&mut self, holder: Holder) -> Term {
        let (Holder::Exact(region) | Holder::Cell(region, _) | Holder::Array(region)) = holder;
        let program = self.memory.program;
        if program.arbitrary.contains(&region) {
            return self.unknown(holder);
        }
        match holder {
            Holder::Exact(region) => {
                let (object, offset) = program.exact[&region];
                self.static_content(region, object, offset)
            }
            Holder::Cell(region, address) => {
                let (number, offset) = self.addresses.parts(address);
                match self.memory.layout.start(region, self.addresses.kind(number)) {
                    Start::Unknown => self.unknown(holder),
                    Start::Zero => self.zero_element(region),
                    Start::Static(object) => self.static_content(region, object, offset),
                }
            }
            Holder::Array(region) => self.initial_array(region),
        }
    }

    fn zero_element(&mut self, region: RegionId) -> Term {
        let sort = self.memory.element_sort(region, self.addresses.width);
        zero(self.terms, sort)
    }

    /// A variable for what a map starts with.
    fn unknown(&mut self, holder: Holder) -> Term {
        let (Holder::Exact(region) | Holder::Cell(region, _) | Holder::Array(region)) = holder;
        let mut sort = self.memory.element_sort(region, self.addresses.width);
        if let (Some(guesses), true) =
            (self.memory.program.contents.get(&region), !matches!(holder, Holder::Array(_)))
            && self.memory.elements[&region] != Element::Byte
        {
            return self.guess(guesses);
        }
        if let Holder::Array(_) = holder {
            let index = self.index_sort(region);
            sort = self.terms.array_sort(index, sort);
        }
        let name = &self.memory.program.program.regions[region].name;
        let name = format!("{}.start", name.replace(['|', '\\'], "_"));
        self.terms.fresh(&name, sort)
    }

    /// One of some values.
    pub fn guess(&mut self, guesses: &[Guess]) -> Term {
        let mut values = Vec::new();
        for guess in guesses {
            match *guess {
                Guess::Constant(constant) => values.push(self.constant(constant)),
                Guess::Made(procedure, edge, offset) => {
                    self.memory.looked_at_objects = true;
                    let made = self.memory.shape.instances.values();
                    let made = made.filter(|i| i.source == Some((procedure, edge)));
                    let addresses = made.map(|i| self.addresses.address(i.number, offset));
                    let width = self.addresses.width;
                    values.extend(addresses.map(|a| self.terms.bv(u128::from(a), width)));
                }
            }
        }
        let (last, rest) = match values.split_last() {
            Some((last, rest)) => (*last, rest),
            None => return zero(self.terms, self.addresses.sort()),
        };
        let bits = usize::BITS - rest.len().leading_zeros();
        let which = self.terms.fresh("which", Sort::BitVec(bits.max(1)));
        let choice = |terms: &mut Terms, i: usize| {
            let number = terms.bv(i as u128, bits.max(1));
            terms.eq(which, number)
        };
        rest.iter().enumerate().rev().fold(last, |other, (i, &value)| {
            let this = choice(self.terms, i);
            self.terms.ite(this, value, other)
        })
    }

    fn constant(&mut self, constant: Const) -> Term {
        match constant {
            Const::Bool(b) => self.terms.bool(b),
            Const::Int(bits, int) => self.terms.bv(u128::from(bits), u32::from(int.width)),
            pointer => {
                let bits = constant_bits(self.addresses, pointer);
                self.terms.bv(u128::from(bits), self.addresses.width)
            }
        }
    }

    fn index_sort(&self, region: RegionId) -> Sort {
        let IndexBits { object, offset } = self.memory.shape.index;
        let of_object = self.memory.program.per_object.contains(&region);
        Sort::BitVec(if of_object { object } else { object + offset })
    }

    /// What a static object starts with at an offset, at the type of a map's elements.
    fn static_content(&mut self, region: RegionId, object: ObjectId, offset: i64) -> Term {
        let element = self.memory.elements[&region];
        let ty = match element {
            Element::Scalar(ty) => ty,
            Element::Byte => Type::Int(selvedge_ir::Int::U8),
        };
        let model = self.memory.program.program.model;
        let size = ty.size(model);
        let parts = match self.memory.layout.initial(object, offset, size) {
            Initial::Zero => Vec::new(),
            Initial::Constant(constant) => vec![(0, constant)],
            Initial::Parts(parts) => parts,
        };
        let mut bits = 0u64;
        for (at, constant) in parts {
            let length = constant.ty().size(model);
            let value = constant_bits(self.addresses, constant);
            let part = if length == 8 { value } else { value & ((1 << (8 * length)) - 1) };
            bits |= if at >= 0 { part << (8 * at) } else { part >> (-8 * at) };
        }
        let word = self.terms.bv(u128::from(bits), 8 * size as u32);
        self.value_of_word(word, ty)
    }

    /// Zero but for static objects; unknown for objects made without content.
    fn initial_array(&mut self, region: RegionId) -> Term {
        let index = self.index_sort(region);
        let zero = self.zero_element(region);
        let mut known = self.terms.const_array(index, zero);
        if self.memory.program.per_object.contains(&region) {
            return known;
        }
        for (object, offset) in self.initialised(region) {
            let content = self.static_content(region, object, offset);
            let address = self.addresses.of_object(object, offset);
            let address = self.terms.bv(u128::from(address), self.addresses.width);
            let index = self.index(region, address);
            known = self.terms.store(known, index, content);
        }
        if !self.memory.layout.may_start_unknown(region) {
            return known;
        }
        let array = self.unknown(Holder::Array(region));
        self.memory.known_content.push((region, array, known));
        array
    }

    /// The offsets of static objects at which an element of the map is not zero.
    fn initialised(&self, region: RegionId) -> Vec<(ObjectId, i64)> {
        let program = &self.memory.program.program;
        let element = self.memory.elements[&region];
        let mut found = Vec::new();
        for (object, data) in &program.objects {
            for &(at, constant) in &data.init {
                let size = constant.ty().size(program.model);
                match element {
                    Element::Byte => found.extend((at..at + size).map(|o| (object, o as i64))),
                    Element::Scalar(ty) if ty.size(program.model) == size => {
                        found.push((object, at as i64));
                    }
                    Element::Scalar(_) => {}
                }
            }
        }
        found
    }

    /// Every map that something must match ends as the other starts.
    pub fn matches(&mut self, end: &State) -> Vec<Term> {
        let program = self.memory.program;
        let mut equations = Vec::new();
        let mut arrays = Vec::new();
        for &(last, first) in &program.matches {
            let holders: Vec<(Holder, Holder)> = if program.exact.contains_key(&last) {
                vec![(Holder::Exact(last), Holder::Exact(first))]
            } else if self.memory.is_array(last) {
                vec![(Holder::Array(last), Holder::Array(first))]
            } else {
                let used = self.memory.used.get(&self.memory.family(last));
                let used = used.into_iter().flatten();
                used.map(|&c| (Holder::Cell(last, c), Holder::Cell(first, c))).collect()
            };
            for (ends, starts) in holders {
                let value = self.get(end, ends);
                let slot = self.slot(starts);
                let start = self.memory.initial(slot);
                match starts {
                    Holder::Array(_) if !self.memory.shape.theory => arrays.push((value, start)),
                    _ => equations.push(self.terms.eq(value, start)),
                }
            }
        }
        // Each read of what a map starts with reads the map that it must match.
        let Access { memory, terms, .. } = self;
        memory.reads.equations(terms, &arrays, &mut equations);
        equations
    }

    /// What arrays of initial content hold where that is known, at every index that is read.
    pub fn content(&mut self) -> Vec<Term> {
        let mut facts = Vec::new();
        for (region, array, known) in self.memory.known_content.clone() {
            let indices: BTreeSet<Term> = match self.memory.shape.theory {
                true => {
                    let family = self.memory.family(region);
                    self.memory.read.get(&family).cloned().unwrap_or_default()
                }
                false => self.memory.reads.of(array).collect(),
            };
            for index in indices {
                let top = self.terms.width(index) - 1;
                let class = self.terms.extract(top, top, index);
                let one = self.terms.bv(1, 1);
                let open = self.terms.eq(class, one);
                let (a, b) = (self.select(array, index), self.select(known, index));
                let same = self.terms.eq(a, b);
                facts.push(self.terms.or(&[open, same]));
            }
        }
        if !self.memory.shape.theory {
            self.memory.reads.functional(self.terms, &mut facts);
        }
        facts
    }
}

fn constant_bits(addresses: &Addresses, constant: Const) -> u64 {
    match constant {
        Const::Bool(b) => u64::from(b),
        Const::Int(bits, _) => bits,
        Const::Null | Const::NoThread => 0,
        Const::Object(object, offset) => addresses.of_object(object, offset),
        Const::Proc(procedure) => addresses.of_procedure(procedure),
    }
}

/// Whether elements are the same words: signedness does not matter.
fn alike(a: Element, b: Element) -> bool {
    match (a, b) {
        (Element::Scalar(Type::Int(a)), Element::Scalar(Type::Int(b))) => a.width == b.width,
        _ => a == b,
    }
}

/// Whether each place of a map is one scalar of the type.
fn fills(program: &SequentialProgram, region: RegionId, ty: Type) -> bool {
    let size = ty.size(program.program.model) as i64;
    let one = |extent: &Extent| extent.length == size && extent.stride % size == 0;
    program.extents.get(&region).is_some_and(|extents| extents.iter().all(one))
}

/// The elements of each map.
fn elements(program: &SequentialProgram, layout: &Layout<'_>) -> FxHashMap<RegionId, Element> {
    let mut elements = FxHashMap::default();
    for (region, data) in &program.program.regions {
        // A map of mixed accesses stays one even if accesses of one type are left: they may overlap
        // in part.
        let declared = data.ty.map_or(Element::Byte, Element::Scalar);
        let accesses = layout.accesses(region).iter().map(|&ty| Element::Scalar(ty));
        let same = |a, b| if alike(a, b) { a } else { Element::Byte };
        let found = accesses.reduce(same).unwrap_or(declared);
        let fits = matches!(found, Element::Scalar(ty) if fills(program, region, ty));
        let bytes = declared == Element::Byte && !fits;
        elements.insert(region, if bytes { Element::Byte } else { found });
    }
    elements
}
