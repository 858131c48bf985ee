//! Pointers as words: which object in the high bits, where in it in the low ones.
//!
//! Null is zero, and an integer converted to a pointer is itself: object 0 is no object. The start
//! of an object stands in the middle of the range of offsets, so that an address before the start
//! still names its object. Every static object, procedure and executed `Alloc` of the unrolled
//! program has a number of its own; those whose initial content is unknown have the highest bit of
//! the number set. Pointers are as wide as in the data model, so casts to integers and back keep
//! them.
//!
//! Most addresses are a known object plus something. What is asked about an address looks at how
//! the word is built and stays exact there; for words of unknown origin, such as a guessed pointer,
//! it becomes a variable that is defined when all objects are known.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use selvedge_ir::{DataModel, EdgeId, ObjectId, ProcId, Program, RegionId, Storage};
use selvedge_smt::{Op, Sort, Term, Terms, Value};

use super::layout::{Kind, inside};
use super::order::Key;

/// How deep into a term to look for the object of an address. What is found is remembered.
const LOOK: u32 = 64;

/// How deep to look where nothing is remembered: terms share parts, and this looks at each as often
/// as it occurs.
pub(super) const GLANCE: u32 = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Number(pub u32);

impl Number {
    pub const NONE: Number = Number(0);
}

/// What a number stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub number: Number,
    /// In bytes, as a word.
    pub size: Term,
    /// The condition under which it is there.
    pub exists: Term,
    /// Of what an `Alloc` made.
    pub storage: Option<Storage>,
}

/// One executed `Alloc`: a copy of its location, and which of the edges there.
pub(super) type Name = (Key, u32);

/// What an executed `Alloc` makes. Numbers stay the same when a program is unrolled again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Instance {
    pub number: Number,
    /// In bytes, if constant.
    pub size: Option<u64>,
    /// The edge that it comes from.
    pub source: Option<(ProcId, EdgeId)>,
}

/// A place that an address of unknown origin may name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub address: u64,
    /// The object there may not be.
    pub of: Number,
}

/// A question about an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Question {
    /// Do so many bytes from there on lie in an object?
    Holds(u64),
    /// Is it the start of an object made by an `Alloc` of this storage?
    Starts(Storage),
}

#[derive(Debug)]
pub(super) struct Addresses {
    pub width: u32,
    /// How many bits of an address are the offset.
    offset: u32,
    statics: u32,
    procedures: u32,
    /// Of static objects.
    sizes: FxHashMap<ObjectId, u64>,
    objects: Vec<Known>,
    by_number: FxHashMap<Number, usize>,
    pub instances: BTreeMap<Name, Instance>,
    /// The conditions under which objects are there that may be made later.
    exists: BTreeMap<Number, Term>,
    bases: FxHashMap<Term, Option<Number>>,
    answers: FxHashMap<(Term, Question, Option<RegionId>), Term>,
    /// Questions about words of unknown origin, with the variables that stand for the answers.
    pub open: Vec<(Term, Question, Term)>,
}

/// There are more objects, or larger ones, than addresses have room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany;

impl Addresses {
    pub fn new(
        program: &Program,
        terms: &mut Terms,
        instances: BTreeMap<Name, Instance>,
    ) -> Result<Addresses, TooMany> {
        let width = u32::from(program.model.size_type().width);
        let largest =
            program.objects.values().map(|o| program.layouts[o.layout].size).max().unwrap_or(0);
        let least = match program.model {
            DataModel::Lp64 => 48,
            DataModel::Ilp32 => 20,
        };
        let needed = (u64::BITS - largest.leading_zeros()) + 2;
        let offset = needed.max(least);
        if offset + 4 > width {
            return Err(TooMany);
        }
        let statics = program.objects.len() as u32;
        let mut addresses = Addresses {
            width,
            offset,
            statics,
            procedures: program.procedures.len() as u32,
            sizes: program
                .objects
                .iter()
                .map(|(o, d)| (o, program.layouts[d.layout].size))
                .collect(),
            objects: Vec::new(),
            by_number: FxHashMap::default(),
            instances,
            exists: BTreeMap::new(),
            bases: FxHashMap::default(),
            answers: FxHashMap::default(),
            open: Vec::new(),
        };
        if addresses.first_alloc() >= addresses.first_undefined() {
            return Err(TooMany);
        }
        let exists = terms.bool(true);
        for (id, object) in &program.objects {
            let number = addresses.static_number(id);
            let size = terms.bv(u128::from(program.layouts[object.layout].size), width);
            addresses.add(Known { number, size, exists, storage: None });
        }
        Ok(addresses)
    }

    fn add(&mut self, known: Known) {
        self.by_number.insert(known.number, self.objects.len());
        self.objects.push(known);
    }

    pub fn sort(&self) -> Sort {
        Sort::BitVec(self.width)
    }

    fn static_number(&self, object: ObjectId) -> Number {
        Number(object.as_u32() + 1)
    }

    /// The number and size of a static object.
    pub fn static_size(&self, object: ObjectId) -> (Number, Option<u64>) {
        (self.static_number(object), self.sizes.get(&object).copied())
    }

    /// The static object of a number.
    pub fn static_object(&self, number: Number) -> Option<ObjectId> {
        (1..=self.statics).contains(&number.0).then(|| ObjectId::from_u32(number.0 - 1))
    }

    /// What an object's initial content depends on.
    pub fn kind(&self, number: Number) -> Kind {
        match self.static_object(number) {
            Some(object) => Kind::Static(object),
            None => Kind::Made { zeroed: !self.has_undefined_content(number) },
        }
    }

    fn has_undefined_content(&self, number: Number) -> bool {
        number.0 >> (self.width - self.offset - 1) & 1 == 1
    }

    /// The first number for objects that are made with content, and without.
    fn first_alloc(&self) -> u32 {
        self.statics + self.procedures + 1
    }

    fn first_undefined(&self) -> u32 {
        1 << (self.width - self.offset - 1)
    }

    /// The numbers used of each kind, as one behind the last.
    fn used(&self) -> (u32, u32) {
        let first = (self.first_alloc(), self.first_undefined());
        let numbers = self.instances.values().map(|instance| instance.number);
        numbers.fold(first, |(with, without), number| match self.has_undefined_content(number) {
            false => (with.max(number.0 + 1), without),
            true => (with, without.max(number.0 + 1)),
        })
    }

    /// A new object.
    pub fn alloc(
        &mut self,
        terms: &Terms,
        name: Name,
        source: Option<(ProcId, EdgeId)>,
        known: Made,
    ) -> Result<Number, TooMany> {
        let Made { size, exists, storage, zeroed } = known;
        let number = match self.instances.get(&name) {
            Some(instance) => instance.number,
            None => {
                let (with, without) = self.used();
                Number(if zeroed { with } else { without })
            }
        };
        // One number stays free at the end of each kind.
        let end = if zeroed { self.first_undefined() } else { 2 * self.first_undefined() };
        if number.0 + 1 >= end {
            return Err(TooMany);
        }
        let constant = self.constant(terms, size);
        self.instances.insert(name, Instance { number, size: constant, source });
        self.add(Known { number, size, exists, storage: Some(storage) });
        Ok(number)
    }

    /// The size of an object that is known, as a word.
    pub fn size(&self, number: Number) -> Option<Term> {
        self.by_number.get(&number).map(|&index| self.objects[index].size)
    }

    /// The condition that the object of a number is there, for numbers that may be given later.
    fn exists(&mut self, terms: &mut Terms, number: Number) -> Term {
        if self.static_object(number).is_some() {
            return terms.bool(true);
        }
        let fresh = || terms.fresh("exists", Sort::Bool);
        *self.exists.entry(number).or_insert_with(fresh)
    }

    pub fn address(&self, number: Number, offset: i64) -> u64 {
        let start = (u64::from(number.0) << self.offset) + (1 << (self.offset - 1));
        start.wrapping_add(offset as u64) & self.mask()
    }

    fn mask(&self) -> u64 {
        if self.width == 64 { u64::MAX } else { (1 << self.width) - 1 }
    }

    pub fn of_object(&self, object: ObjectId, offset: i64) -> u64 {
        self.address(self.static_number(object), offset)
    }

    pub fn of_procedure(&self, procedure: ProcId) -> u64 {
        self.address(Number(self.statics + 1 + procedure.as_u32()), 0)
    }

    /// The object and offset of a constant address.
    pub fn parts(&self, address: u64) -> (Number, i64) {
        let number = Number((address >> self.offset) as u32);
        let offset = address & ((1 << self.offset) - 1);
        let middle = if number == Number::NONE { 0 } else { 1i64 << (self.offset - 1) };
        (number, offset as i64 - middle)
    }

    /// The value of a constant word.
    pub fn constant(&self, terms: &Terms, address: Term) -> Option<u64> {
        Some(terms.constant(address)?.as_bits()?.bits as u64)
    }

    /// The object that an address was made from, where that shows.
    pub fn base(&mut self, terms: &Terms, address: Term) -> Option<Number> {
        self.base_below(terms, address, LOOK)
    }

    fn base_below(&mut self, terms: &Terms, address: Term, look: u32) -> Option<Number> {
        if let Some(constant) = self.constant(terms, address) {
            let (number, _) = self.parts(constant);
            let known = number == Number::NONE || self.by_number.contains_key(&number);
            return known.then_some(number);
        }
        if let Some(&known) = self.bases.get(&address) {
            return known;
        }
        if look == 0 {
            return None;
        }
        let args = terms.args(address);
        let found = match (terms.op(address), args) {
            (Op::BvAdd, &[a, b]) => {
                let object = |n: Option<Number>| n.filter(|&n| n != Number::NONE);
                let a = object(self.base_below(terms, a, look - 1));
                let b = object(self.base_below(terms, b, look - 1));
                if a.is_some() && b.is_some() { None } else { a.or(b) }
            }
            (Op::Ite, &[_, a, b]) => {
                let a = self.base_below(terms, a, look - 1);
                if a == self.base_below(terms, b, look - 1) { a } else { None }
            }
            _ => None,
        };
        self.bases.insert(address, found);
        found
    }

    /// The number in an address, as a word.
    pub fn number(&mut self, terms: &mut Terms, address: Term) -> Term {
        let bits = self.width - self.offset;
        match self.base(terms, address) {
            Some(number) => terms.bv(u128::from(number.0), bits),
            None => terms.extract(self.width - 1, self.offset, address),
        }
    }

    /// The answer to a question about an address, which is one of the spots of a region if its
    /// origin is not known.
    pub fn ask(
        &mut self,
        terms: &mut Terms,
        address: Term,
        question: Question,
        spots: Option<(RegionId, &[Spot])>,
    ) -> Term {
        self.ask_below(terms, address, question, spots, LOOK)
    }

    fn ask_below(
        &mut self,
        terms: &mut Terms,
        at: Term,
        question: Question,
        spots: Option<(RegionId, &[Spot])>,
        look: u32,
    ) -> Term {
        let name = (at, question, spots.map(|(region, _)| region));
        if let Some(&known) = self.answers.get(&name) {
            return known;
        }
        let answer = match (self.base(terms, at), spots) {
            (Some(number), Some((_, spots))) if number != Number::NONE => {
                let here = spots.iter().filter(|spot| spot.of == number);
                let any: Vec<Term> = here.map(|spot| equals(terms, at, spot.address)).collect();
                terms.or(&any)
            }
            (Some(number), _) => match self.by_number.get(&number) {
                Some(&index) => {
                    let object = self.objects[index];
                    self.about(terms, at, question, &object)
                }
                None => terms.bool(false),
            },
            (None, _) => self.ask_parts(terms, at, question, spots, look),
        };
        self.answers.insert(name, answer);
        answer
    }

    /// Goes into choices, also where something is added to one.
    fn ask_parts(
        &mut self,
        terms: &mut Terms,
        at: Term,
        question: Question,
        spots: Option<(RegionId, &[Spot])>,
        look: u32,
    ) -> Term {
        if look > 0
            && let Some((condition, a, b)) = choice(terms, at)
        {
            let a = self.ask_below(terms, a, question, spots, look - 1);
            let b = self.ask_below(terms, b, question, spots, look - 1);
            return terms.ite(condition, a, b);
        }
        if let Some((_, spots)) = spots {
            let mut any = Vec::with_capacity(spots.len());
            for spot in spots {
                let (here, there) = (equals(terms, at, spot.address), self.exists(terms, spot.of));
                any.push(terms.and(&[here, there]));
            }
            return terms.or(&any);
        }
        let answer = terms.fresh("valid", Sort::Bool);
        self.open.push((at, question, answer));
        answer
    }

    /// The answer if the address was made from this object.
    fn about(&mut self, terms: &mut Terms, at: Term, question: Question, object: &Known) -> Term {
        let start = self.address(object.number, 0);
        match question {
            Question::Holds(bytes) => {
                let back = terms.bv(u128::from(start.wrapping_neg() & self.mask()), self.width);
                let offset = terms.bv_add(at, back);
                let bytes = terms.bv(u128::from(bytes), self.width);
                inside(terms, offset, bytes, object.size)
            }
            Question::Starts(storage) if object.storage == Some(storage) => {
                let start = terms.bv(u128::from(start), self.width);
                terms.eq(at, start)
            }
            Question::Starts(_) => terms.bool(false),
        }
    }

    /// What the variables of `open` stand for: some object that is there answers yes.
    pub fn definitions(&mut self, terms: &mut Terms) -> Vec<Term> {
        let mut definitions = Vec::new();
        for (address, question, variable) in std::mem::take(&mut self.open) {
            let mut alternatives = Vec::new();
            for index in 0..self.objects.len() {
                let object = self.objects[index];
                let answer = self.about(terms, address, question, &object);
                alternatives.push(terms.and(&[object.exists, answer]));
            }
            let any = terms.or(&alternatives);
            definitions.push(terms.eq(variable, any));
        }
        for (number, variable) in std::mem::take(&mut self.exists) {
            let made = self.by_number.get(&number).map(|&index| self.objects[index].exists);
            let made = made.unwrap_or_else(|| terms.bool(false));
            definitions.push(terms.eq(variable, made));
        }
        definitions
    }

    /// The low bits of an address, computed at that width.
    pub fn low(&mut self, terms: &mut Terms, bits: u32, word: Term, look: u32) -> Term {
        let direct = |terms: &mut Terms| terms.extract(bits - 1, 0, word);
        if look == 0 || bits == terms.width(word) {
            return direct(terms);
        }
        match (terms.op(word).clone(), terms.args(word)) {
            (Op::BvAdd, &[a, b]) => {
                let a = self.low(terms, bits, a, look - 1);
                let b = self.low(terms, bits, b, look - 1);
                terms.bv_add(a, b)
            }
            (Op::BvMul, &[a, b]) => {
                let a = self.low(terms, bits, a, look - 1);
                let b = self.low(terms, bits, b, look - 1);
                terms.bv_mul(a, b)
            }
            (Op::ZeroExtend(_) | Op::SignExtend(_), &[a]) if bits <= terms.width(a) => {
                self.low(terms, bits, a, look - 1)
            }
            _ => direct(terms),
        }
    }

    /// An index of arrays: the object in so many bits, and so many bits of the offset. Different
    /// for different scalars of objects that have room in these.
    pub fn index(&mut self, terms: &mut Terms, shape: IndexBits, address: Term) -> Term {
        let object = self.object_index(terms, shape, address);
        let offset = self.low(terms, shape.offset, address, GLANCE);
        terms.concat(object, offset)
    }

    /// An index of arrays with one element for each object.
    pub fn object_index(&mut self, terms: &mut Terms, shape: IndexBits, address: Term) -> Term {
        let number = self.number(terms, address);
        let top = terms.width(number) - 1;
        let class = terms.extract(top, top, number);
        let low = terms.extract(shape.object - 2, 0, number);
        terms.concat(class, low)
    }

    /// The bits that indices need so far.
    pub fn index_bits(&self, terms: &Terms) -> IndexBits {
        let (with, without) = self.used();
        let most = with.max(without - self.first_undefined());
        let mut offset = 1;
        for object in &self.objects {
            let size = self.constant(terms, object.size);
            let needed = size.map_or(self.offset - 1, |s| u64::BITS - s.leading_zeros());
            offset = offset.max(needed);
        }
        let object = (u32::BITS - most.leading_zeros() + 1).max(2);
        IndexBits { object, offset: offset.min(self.offset - 1) }
    }
}

/// The equation of an address with a constant, without computing sums.
pub(super) fn equals(terms: &mut Terms, address: Term, constant: u64) -> Term {
    let width = terms.width(address);
    if let (Op::BvAdd, &[a, b]) = (terms.op(address), terms.args(address)) {
        let value = |t: Term| terms.constant(t).and_then(Value::as_bits);
        if let Some((rest, added)) = match (value(a), value(b)) {
            (Some(added), None) => Some((b, added)),
            (None, Some(added)) => Some((a, added)),
            _ => None,
        } {
            let constant = terms.bv(u128::from(constant).wrapping_sub(added.bits), width);
            return terms.eq(rest, constant);
        }
    }
    let constant = terms.bv(u128::from(constant), width);
    terms.eq(address, constant)
}

/// A choice between addresses, also where something is added to one.
pub(super) fn choice(terms: &mut Terms, at: Term) -> Option<(Term, Term, Term)> {
    match (terms.op(at), terms.args(at)) {
        (Op::Ite, args) => Some(three(args)),
        (Op::BvAdd, &[x, y]) => {
            let (choice, other) = if *terms.op(x) == Op::Ite { (x, y) } else { (y, x) };
            if *terms.op(choice) != Op::Ite || *terms.op(other) == Op::Ite {
                return None;
            }
            let (condition, a, b) = three(terms.args(choice));
            Some((condition, terms.bv_add(a, other), terms.bv_add(b, other)))
        }
        _ => None,
    }
}

/// What is known of an object when it is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    pub size: Term,
    pub exists: Term,
    pub storage: Storage,
    pub zeroed: bool,
}

/// The widths of the two parts of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexBits {
    pub object: u32,
    pub offset: u32,
}

impl IndexBits {
    pub fn fits(self, needed: IndexBits) -> bool {
        needed.object <= self.object && needed.offset <= self.offset
    }
}

fn three(args: &[Term]) -> (Term, Term, Term) {
    (args[0], args[1], args[2])
}
