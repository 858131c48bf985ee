//! Accesses to memory, allocation and freeing, on a path.

use selvedge_ir::{EdgeId, Expr, LocalId, Place, Type};
use selvedge_smt::translate::{Arithmetic, ID_BITS, Sym};
use selvedge_smt::{Op, Sort, Term, Terms, Value};

use super::Bad;
use super::keep::Contents;
use super::memory::{Array, ArrayId, CellId, Frees, Home, Index, Scalar};
use super::objects::{Source, ThingId};
use super::sure::Fixed;
use super::walk::{Next, Path, Taking, Walk};

/// Where an access goes.
enum Spot {
    /// One of these, each with the condition that it is.
    Scalars(Vec<(Term, Scalar)>),
    Element(ArrayId, Term),
}

const BAD_POINTER: &str = "access through a pointer that is null, dangling or out of bounds";

const OTHER_TYPE: &str = "a read of what was last written at another type, or in part";

const NOT_FOLLOWED: &str = "that is otherwise accessed at other types or other offsets";

const LEAVES_FIELD: &str =
    "access through a pointer that is null, dangling, out of bounds, or leaves its field";

impl Taking<'_, '_, '_> {
    fn terms(&mut self) -> &mut Terms {
        &mut self.walk.builder.terms
    }

    pub(super) fn load(&mut self, path: &mut Path, place: &Place) -> Option<Sym> {
        let spot = self.spot(path, place)?;
        match spot {
            Spot::Scalars(found) => {
                if let [(_, scalar)] = found[..]
                    && let Some(fixed) = self.loaded(&scalar)
                {
                    return Some(self.walk.builder.fixed(fixed, place.ty));
                }
                let mut value: Option<Sym> = None;
                for (cond, scalar) in found {
                    let here = self.read(path, cond, &scalar, place.ty);
                    value = Some(match value {
                        Some(other) => here.ite(self.terms(), cond, other),
                        None => here,
                    });
                }
                value
            }
            Spot::Element(id, index) => Some(self.read_element(path, id, index, place.ty)),
        }
    }

    fn loaded(&self, scalar: &Scalar) -> Option<Fixed> {
        let frame = self.walk.frame();
        frame.known.loaded(&frame.sure, self.at.from, scalar)
    }

    /// The content of a scalar; any value where nothing has been written.
    fn read(&mut self, path: &mut Path, is: Term, scalar: &Scalar, ty: Type) -> Sym {
        let content = self.walk.cell(path, scalar.content);
        match scalar.written {
            None => content,
            Some(written) => {
                let written = self.flag(path, written);
                if written == self.terms().bool(true) {
                    return content;
                }
                if self.walk.builder.memory.strict.contains(&scalar.content) {
                    let known = self.terms().implies(is, written);
                    let what = OTHER_TYPE.to_owned();
                    self.require(path, known, Bad::Unsupported { what, span: self.edge.span });
                    return content;
                }
                let any = self.input(path, "undefined", ty);
                content.ite(self.terms(), written, any)
            }
        }
    }

    fn read_element(&mut self, path: &mut Path, id: ArrayId, index: Term, ty: Type) -> Sym {
        let Contents { content, written } = self.walk.array(path, id);
        let parts: Vec<Term> =
            content.terms().into_iter().map(|half| self.terms().select(half, index)).collect();
        let found = Sym::from_terms(&parts);
        let types = self.walk.builder.types;
        let range = types.in_range(self.terms(), found, ty);
        self.assume(path, range);
        match written {
            None => found,
            Some(written) => {
                let written = self.terms().select(written, index);
                if written == self.terms().bool(true) {
                    return found;
                }
                let any = self.input(path, "undefined", ty);
                found.ite(self.terms(), written, any)
            }
        }
    }

    /// A flag; true where that is sure.
    fn flag(&mut self, path: &Path, cell: CellId) -> Term {
        if self.walk.frame().sure.holds(self.at.from, cell) {
            return self.terms().bool(true);
        }
        self.walk.cell(path, cell).scalar()
    }

    pub(super) fn store(&mut self, path: &mut Path, place: &Place, value: Sym) -> Next {
        let Some(spot) = self.spot(path, place) else { return Next::Nothing };
        match spot {
            Spot::Scalars(found) => {
                let only = found.len() == 1;
                for (cond, scalar) in found {
                    self.write(path, cond, &scalar, value, only);
                }
            }
            Spot::Element(id, index) => {
                let Contents { content, written } = self.walk.array(path, id);
                let halves = content.terms().into_iter().zip(value.terms());
                let parts: Vec<Term> =
                    halves.map(|(array, value)| self.terms().store(array, index, value)).collect();
                let yes = self.terms().bool(true);
                let written = written.map(|array| self.terms().store(array, index, yes));
                path.arrays.insert(id, Contents { content: Sym::from_terms(&parts), written });
            }
        }
        Next::Go
    }

    fn write(&mut self, path: &mut Path, cond: Term, scalar: &Scalar, value: Sym, only: bool) {
        let mut value = value;
        if !only {
            let old = self.walk.cell(path, scalar.content);
            value = value.ite(self.terms(), cond, old);
        }
        path.cells.insert(scalar.content, value);
        if let Some(flag) = scalar.written {
            let new = match only {
                true => self.terms().bool(true),
                false => {
                    let old = self.flag(path, flag);
                    self.terms().or(&[old, cond])
                }
            };
            path.cells.insert(flag, Sym::Scalar(new));
        }
        let others = self.walk.builder.memory.overlapped.get(&scalar.content).cloned();
        for flag in others.into_iter().flatten() {
            let new = match only {
                true => self.terms().bool(false),
                false => {
                    let old = self.flag(path, flag);
                    let other = self.terms().not(cond);
                    self.terms().and(&[old, other])
                }
            };
            path.cells.insert(flag, Sym::Scalar(new));
        }
    }

    /// Where a place is; a bad step where the address leads to no scalar.
    fn spot(&mut self, path: &mut Path, place: &Place) -> Option<Spot> {
        let (memory, id) = (&self.walk.builder.memory, self.walk.id);
        let home = place.region.map(|region| memory.home(region, id).clone());
        match home {
            Some(Home::Scalars(scalars)) => {
                let address = self.eval(path, &place.addr);
                self.address = Some(address);
                self.among(path, place, address, &scalars).map(Spot::Scalars)
            }
            Some(Home::Array(id)) => {
                let address = self.eval(path, &place.addr);
                self.address = Some(address);
                let index = self.element(path, address, id);
                Some(Spot::Element(id, index))
            }
            Some(Home::None(why)) => {
                self.unsupported(path, &format!("an access to {why}"));
                None
            }
            None => {
                self.unsupported(path, "an access to unknown memory");
                None
            }
        }
    }

    fn among(
        &mut self,
        path: &mut Path,
        place: &Place,
        address: Sym,
        scalars: &[Scalar],
    ) -> Option<Vec<(Term, Scalar)>> {
        let no = self.terms().bool(false);
        let mut found = Vec::new();
        let mut valid = Vec::new();
        let of_type = |scalar: &&Scalar, walk: &Walk<'_, '_>| {
            walk.builder.memory.cell(scalar.content).ty == place.ty
        };
        for scalar in scalars {
            if !of_type(&scalar, self.walk) {
                continue;
            }
            let is = self.points_to(address, scalar.thing, scalar.offset);
            if is == no {
                continue;
            }
            found.push((is, *scalar));
            valid.push(self.while_alive(path, is, scalar.thing));
        }
        let valid = self.terms().or(&valid);
        if place.region.is_some_and(|region| self.walk.builder.memory.mixed.contains(&region)) {
            self.follow(path, place, address, scalars, valid);
        }
        let fault = self.astray();
        self.require(path, valid, fault);
        (path.guard != no).then_some(found)
    }

    /// A bad step where an access goes to an object, but to no scalar of it that is followed.
    fn follow(
        &mut self,
        path: &mut Path,
        place: &Place,
        address: Sym,
        scalars: &[Scalar],
        valid: Term,
    ) {
        let mut things: Vec<ThingId> = scalars.iter().map(|scalar| scalar.thing).collect();
        things.dedup();
        let (object, offset) = halves(address);
        let mut known = Vec::new();
        let bytes = place.ty.size(self.walk.builder.program.model) as i64;
        for thing in things {
            let data = self.walk.builder.memory.things.get(thing);
            let (number, size) = (data.number, data.size.unwrap_or(0) as i64);
            let number = self.walk.builder.number(number);
            let is = self.terms().eq(object, number);
            let inside = self.walk.builder.between(0, offset, size - bytes);
            let there = self.terms().and(&[is, inside]);
            let there = self.while_alive(path, there, thing);
            known.push(self.terms().not(there));
        }
        let elsewhere = self.terms().and(&known);
        let known = self.terms().or(&[valid, elsewhere]);
        let what = format!("an access at {}, to a place {NOT_FOLLOWED}", place.ty);
        self.require(path, known, Bad::Unsupported { what, span: self.edge.span });
    }

    /// An address that leads to no scalar of the region. Where regions were made for a program whose
    /// accesses stay in their fields, that need be no fault.
    fn astray(&self) -> Bad {
        match self.walk.builder.prepared.regions.assumed {
            true => Bad::Unsupported { what: LEAVES_FIELD.to_owned(), span: self.edge.span },
            false => self.fault(BAD_POINTER),
        }
    }

    fn points_to(&mut self, address: Sym, thing: ThingId, offset: i64) -> Term {
        let builder = &mut *self.walk.builder;
        let number = builder.number(builder.memory.things.get(thing).number);
        let (object, at) = halves(address);
        let same_object = builder.terms.eq(object, number);
        let same_offset = builder.is_offset(at, offset);
        builder.terms.and(&[same_object, same_offset])
    }

    fn while_alive(&mut self, path: &Path, is: Term, thing: ThingId) -> Term {
        match self.walk.builder.memory.alive.get(&thing).copied() {
            None => is,
            Some(alive) => {
                let alive = self.flag(path, alive);
                self.terms().and(&[is, alive])
            }
        }
    }

    /// The index of an element, with a bad step where the address leads to none.
    fn element(&mut self, path: &mut Path, address: Sym, id: ArrayId) -> Term {
        let array = self.walk.builder.memory.array(id).clone();
        let (object, offset) = halves(address);
        let mut valid = Vec::new();
        for &thing in &array.things {
            let data = self.walk.builder.memory.things.get(thing);
            let (number, size) = (data.number, data.size);
            let number = self.walk.builder.number(number);
            let is = self.terms().eq(object, number);
            let inside = self.inside(offset, &array, size.unwrap_or(0));
            let there = self.terms().and(&[is, inside]);
            valid.push(self.while_alive(path, there, thing));
        }
        if let Some(size) = array.sites {
            let mut there = vec![self.by_number(path, object)];
            there.push(self.inside(offset, &array, size.unwrap_or(0)));
            if array.freed {
                there.push(self.not_freed(path, object));
            }
            valid.push(self.terms().and(&there));
        }
        let valid = self.terms().or(&valid);
        let fault = self.astray();
        self.require(path, valid, fault);
        self.walk.builder.array_index(&array, object, offset)
    }

    /// That an offset is one of an element.
    fn inside(&mut self, offset: Term, array: &Array, size: u64) -> Term {
        let builder = &mut *self.walk.builder;
        let bytes = array.ty.size(builder.program.model) as i64;
        if array.stride == 0 {
            let start = builder.offset(array.start);
            return builder.terms.eq(offset, start);
        }
        let first = builder.offset(array.start);
        let last = builder.offset(size as i64 - bytes);
        match builder.types.arithmetic {
            Arithmetic::Bits => {
                let low = builder.terms.bv_sle(first, offset);
                let high = builder.terms.bv_sle(offset, last);
                let distance = builder.terms.bv_sub(offset, first);
                let stride = builder.offset(array.stride);
                let rest = builder.terms.bv_urem(distance, stride);
                let zero = builder.offset(0);
                let whole = builder.terms.eq(rest, zero);
                builder.terms.and(&[low, high, whole])
            }
            _ => {
                let low = builder.terms.le(first, offset);
                let high = builder.terms.le(offset, last);
                let whole = builder.whole(offset, array);
                builder.terms.and(&[low, high, whole])
            }
        }
    }

    /// That an object is one of those allocated by number so far.
    fn by_number(&mut self, path: &Path, object: Term) -> Term {
        let first = self.walk.builder.memory.things.first_free;
        let first = self.walk.builder.number(first);
        let next = self.walk.objects(path);
        let bits = self.walk.builder.types.arithmetic == Arithmetic::Bits;
        let terms = self.terms();
        let (low, high) = match bits {
            true => (terms.bv_ule(first, object), terms.bv_ult(object, next)),
            false => (terms.le(first, object), terms.lt(object, next)),
        };
        terms.and(&[low, high])
    }

    fn not_freed(&mut self, path: &Path, object: Term) -> Term {
        let Some(freed) = self.walk.freed(path) else { return self.terms().bool(true) };
        let gone = self.terms().select(freed, object);
        self.terms().not(gone)
    }

    pub(super) fn alloc(&mut self, path: &mut Path, to: LocalId, size: &Expr) -> Next {
        self.eval(path, size);
        let source = Source::Alloc(self.walk.id, self.at);
        let pointer = match self.walk.builder.memory.things.find(source) {
            Some(thing) => {
                if let Some(&alive) = self.walk.builder.memory.alive.get(&thing) {
                    let yes = Sym::Scalar(self.terms().bool(true));
                    path.cells.insert(alive, yes);
                }
                let number = self.walk.builder.memory.things.get(thing).number;
                self.walk.builder.pointer(number, 0)
            }
            None => {
                let object = self.walk.objects(path);
                let one = self.walk.builder.number(1);
                let next = match self.walk.builder.types.arithmetic {
                    Arithmetic::Bits => self.terms().bv_add(object, one),
                    _ => self.terms().add(&[object, one]),
                };
                path.objects = Some(next);
                // What is new has not been freed.
                if let Some(freed) = self.walk.freed(path) {
                    let no = self.terms().bool(false);
                    path.freed = Some(self.terms().store(freed, object, no));
                }
                let offset = self.walk.builder.offset(0);
                Sym::Pointer { object, offset }
            }
        };
        path.locals.insert(to, pointer);
        Next::Go
    }

    pub(super) fn free(&mut self, path: &mut Path, addr: &Expr) -> Next {
        let at: EdgeId = self.at;
        let known = self.walk.builder.memory.freed.get(&(self.walk.id, at)).cloned();
        let Frees { things, sites, unclear } = known.unwrap_or_default();
        if unclear {
            return self
                .unsupported(path, "a free of memory that may have been allocated in another way");
        }
        let pointer = self.eval(path, addr);
        let null = self.walk.builder.pointer(0, 0);
        let mut valid = vec![pointer.equal(self.terms(), null)];
        let mut ends = Vec::new();
        for thing in things {
            let is = self.points_to(pointer, thing, 0);
            valid.push(self.while_alive(path, is, thing));
            ends.push((is, thing));
        }
        let (object, offset) = halves(pointer);
        let numbered = self.by_number_for_free(path, object, offset, sites);
        valid.extend(numbered);
        let valid = self.terms().or(&valid);
        let fault = self.fault("free of a pointer to nothing that can be freed");
        self.require(path, valid, fault);
        for (is, thing) in ends {
            let Some(&alive) = self.walk.builder.memory.alive.get(&thing) else { continue };
            let old = self.flag(path, alive);
            let other = self.terms().not(is);
            let new = self.terms().and(&[old, other]);
            path.cells.insert(alive, Sym::Scalar(new));
        }
        if let (Some(is), Some(freed)) = (numbered, self.walk.freed(path)) {
            let yes = self.terms().bool(true);
            let gone = self.terms().store(freed, object, yes);
            path.freed = Some(self.terms().ite(is, gone, freed));
        }
        Next::Go
    }

    fn by_number_for_free(
        &mut self,
        path: &Path,
        object: Term,
        offset: Term,
        sites: bool,
    ) -> Option<Term> {
        if !sites {
            return None;
        }
        let zero = self.walk.builder.offset(0);
        let start = self.terms().eq(offset, zero);
        let there = [self.by_number(path, object), start, self.not_freed(path, object)];
        Some(self.terms().and(&there))
    }
}

fn halves(pointer: Sym) -> (Term, Term) {
    match pointer {
        Sym::Pointer { object, offset } => (object, offset),
        Sym::Scalar(_) => panic!("an address is a pointer"),
    }
}

impl super::builder::Builder<'_> {
    pub(super) fn pointer(&mut self, number: u32, offset: i64) -> Sym {
        Sym::Pointer { object: self.number(number), offset: self.offset(offset) }
    }

    pub(super) fn offset(&mut self, bytes: i64) -> Term {
        let int = self.types.offset_int();
        match self.types.arithmetic {
            Arithmetic::Bits => {
                self.terms.bv(u128::from(int.wrap(i128::from(bytes))), u32::from(int.width))
            }
            _ => self.terms.int(bytes),
        }
    }

    /// That an offset lies between two, these included.
    fn between(&mut self, first: i64, offset: Term, last: i64) -> Term {
        let (first, last) = (self.offset(first), self.offset(last));
        let (low, high) = match self.types.arithmetic {
            Arithmetic::Bits => (self.terms.bv_sle(first, offset), self.terms.bv_sle(offset, last)),
            _ => (self.terms.le(first, offset), self.terms.le(offset, last)),
        };
        self.terms.and(&[low, high])
    }

    /// That an offset is so many bytes. What is a multiple of an element's size, and perhaps
    /// something more, is compared by elements: `i = 3`, not `4*i = 12`.
    fn is_offset(&mut self, offset: Term, bytes: i64) -> Term {
        let mut rest = Vec::new();
        let mut wanted = bytes;
        let parts = match self.terms.op(offset) {
            Op::Add => self.terms.args(offset).to_vec(),
            _ => vec![offset],
        };
        for part in parts {
            match self.small(part) {
                Some(constant) => wanted -= constant,
                None => rest.push(part),
            }
        }
        let factor = match rest[..] {
            [product] if *self.terms.op(product) == Op::Mul => {
                let args = self.terms.args(product).to_vec();
                args.into_iter().find_map(|arg| self.small(arg)).filter(|factor| *factor > 1)
            }
            _ => None,
        };
        match (factor, rest.first()) {
            (Some(factor), _) if wanted % factor != 0 => self.terms.bool(false),
            (Some(factor), Some(&product)) => {
                let element = self.divided(product, factor);
                let wanted = self.terms.int(wanted / factor);
                self.terms.eq(element, wanted)
            }
            _ => {
                let bytes = self.offset(bytes);
                self.terms.eq(offset, bytes)
            }
        }
    }

    /// The value of an integer constant that is not huge.
    fn small(&self, term: Term) -> Option<i64> {
        match self.terms.constant(term) {
            Some(Value::Int(value)) => i32::try_from(value).ok().map(i64::from),
            _ => None,
        }
    }

    /// The sort of an array's indices.
    pub(super) fn index_sort(&self, array: &Array) -> Sort {
        let offset = u32::from(self.types.offset_int().width);
        match (self.types.arithmetic, array.index) {
            (Arithmetic::Bits, Index::Object) => Sort::BitVec(ID_BITS),
            (Arithmetic::Bits, Index::Position) => Sort::BitVec(offset),
            (Arithmetic::Bits, Index::Both) => Sort::BitVec(ID_BITS + offset),
            _ => Sort::Int,
        }
    }

    /// The index of the element at an object's offset, which is one of an element.
    pub(super) fn array_index(&mut self, array: &Array, object: Term, offset: Term) -> Term {
        match (self.types.arithmetic, array.index) {
            (_, Index::Object) => object,
            (Arithmetic::Bits, Index::Position) => offset,
            (Arithmetic::Bits, Index::Both) => self.terms.concat(object, offset),
            (_, Index::Position) => {
                let start = self.terms.int(-array.start);
                let distance = self.terms.add(&[offset, start]);
                self.divided(distance, array.stride)
            }
            (_, Index::Both) => {
                let many = self.terms.int(1u64 << 32);
                let base = self.terms.mul(&[many, object]);
                self.terms.add(&[base, offset])
            }
        }
    }

    /// That an offset is one at which an element begins.
    fn whole(&mut self, offset: Term, array: &Array) -> Term {
        let start = self.terms.int(-array.start);
        let distance = self.terms.add(&[offset, start]);
        if self.quotient(distance, array.stride).is_some() {
            return self.terms.bool(true);
        }
        let stride = self.terms.int(array.stride);
        let rest = self.terms.modulo(distance, stride);
        let zero = self.terms.int(0);
        self.terms.eq(rest, zero)
    }

    /// A multiple of the divisor, divided by it.
    fn divided(&mut self, term: Term, by: i64) -> Term {
        if let Some(exact) = self.quotient(term, by) {
            return exact;
        }
        let by = self.terms.int(by);
        self.terms.div(term, by)
    }

    /// The quotient where it can be read off the term.
    fn quotient(&mut self, term: Term, by: i64) -> Option<Term> {
        if let Some(Value::Int(value)) = self.terms.constant(term) {
            let value = i64::try_from(value).ok()?;
            return (value % by == 0).then(|| self.terms.int(value / by));
        }
        let args = self.terms.args(term).to_vec();
        match self.terms.op(term) {
            Op::Add => {
                let parts: Option<Vec<Term>> =
                    args.into_iter().map(|part| self.quotient(part, by)).collect();
                Some(self.terms.add(&parts?))
            }
            Op::Mul => {
                let at = args.iter().position(|&arg| {
                    let value = self.terms.constant(arg);
                    let multiple = |v: i64| v % by == 0;
                    matches!(value, Some(Value::Int(v)) if i64::try_from(v).is_ok_and(multiple))
                })?;
                let mut parts = args;
                parts[at] = self.quotient(parts[at], by)?;
                Some(self.terms.mul(&parts))
            }
            _ => None,
        }
    }
}
