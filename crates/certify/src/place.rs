//! Accesses to memory, allocation and freeing, on a path.

use selvedge_ir::{EdgeId, Expr, LocalId, Mode, Place, Property, Span, Type};
use selvedge_smt::{Sort, Term};

use crate::memory::{Array, ArrayId, CellId, Frees, Home, Keeper, Scalar};
use crate::objects::{Source, ThingId};
use crate::walk::{Access, Path, Use, Walk};
use crate::word::Val;

/// Where an access goes.
#[derive(Clone, Debug)]
pub struct Spot {
    address: Val,
    span: Span,
    held: Held,
}

#[derive(Clone, Debug)]
enum Held {
    /// One of these, each with the condition that it is.
    Scalars(Vec<(Term, Scalar)>),
    Element(ArrayId, Term),
}

const NOWHERE: &str = "an access through a pointer that is null, dangling or out of bounds, or to \
                       a place or at a type that is not followed";

const OTHERWISE: &str = "not supported: a read of what was last written at another type";

impl Walk<'_, '_> {
    /// Where a place is; none if that is nowhere or cannot be said, which is then an error.
    pub fn spot(
        &mut self,
        path: &mut Path,
        place: &Place,
        how: Option<Use>,
        span: Span,
    ) -> Option<Spot> {
        let home = place.region.and_then(|region| self.space.memory.home(region, self.thread));
        let held = match home.cloned() {
            Some(Home::Scalars(scalars)) => {
                let address = self.eval(path, &place.addr, span);
                let scalars: Vec<Scalar> =
                    scalars.into_iter().filter(|scalar| scalar.ty == place.ty).collect();
                let found = self.among(path, address, &scalars, span)?;
                (address, Held::Scalars(found))
            }
            Some(Home::Array(id)) => {
                let address = self.eval(path, &place.addr, span);
                let index = self.element(path, address, id, span);
                (address, Held::Element(id, index))
            }
            Some(Home::None(why)) => {
                self.unsupported(path, &format!("an access to {why}"), span);
                return None;
            }
            None => {
                self.unsupported(path, "an access to unknown memory", span);
                return None;
            }
        };
        let spot = Spot { address: held.0, span, held: held.1 };
        if let Some(how) = how {
            self.note(path, place, &spot, how, span);
        }
        Some(spot)
    }

    /// Remembers an access that may race, if the atomic block that it is in can be finished.
    pub fn note(&mut self, path: &mut Path, place: &Place, spot: &Spot, how: Use, span: Span) {
        let (true, true, Some(region)) =
            (path.first, self.properties.contains(&Property::Race), place.region)
        else {
            return;
        };
        path.noted.push(self.found.accesses.len());
        self.found.accesses.push(Access {
            thread: self.thread,
            from: path.from,
            guard: self.space.terms.bool(false),
            inputs: Vec::new(),
            region,
            address: spot.address,
            bytes: place.ty.size(self.space.program.model),
            write: how.write,
            plain: how.mode == Mode::Plain,
            span,
        });
    }

    fn among(
        &mut self,
        path: &mut Path,
        address: Val,
        scalars: &[Scalar],
        span: Span,
    ) -> Option<Vec<(Term, Scalar)>> {
        let never = self.space.terms.bool(false);
        let (mut found, mut valid) = (Vec::new(), Vec::new());
        for scalar in scalars {
            let is = self.points_to(address, scalar.thing, scalar.offset);
            if is != never {
                found.push((is, *scalar));
                valid.push(self.while_alive(path, is, scalar.thing));
            }
        }
        let valid = self.space.terms.or(&valid);
        self.need(path, valid, NOWHERE.to_owned(), span);
        (!found.is_empty() && !self.is_never(path)).then_some(found)
    }

    fn points_to(&mut self, address: Val, thing: ThingId, offset: i64) -> Term {
        let number = self.space.memory.objects.thing(thing).number;
        let there =
            Val::Two(self.space.words.id(&mut self.space.terms, number), self.space.offset(offset));
        address.equal(&mut self.space.terms, there)
    }

    fn while_alive(&mut self, path: &Path, is: Term, thing: ThingId) -> Term {
        match self.space.memory.alive.get(&thing).copied() {
            None => is,
            Some(alive) => {
                let alive = self.cell(path, alive).one();
                self.space.terms.and(&[is, alive])
            }
        }
    }

    /// The content of a cell at this point of the path.
    fn cell(&mut self, path: &Path, id: CellId) -> Val {
        if let Some(&known) = path.cells.get(&id).or(path.known.get(&id)) {
            return known;
        }
        match self.space.memory.cell(id).keeper {
            Keeper::Shared => self.space.shared[self.space.cells[&id]].value,
            // Own cells are on the path from its beginning.
            Keeper::Constant | Keeper::Own(_) => {
                let known = self.space.initials.get(&id).copied().flatten();
                known.expect("a constant has a value")
            }
        }
    }

    /// The index of an element; an error where the address leads to none.
    fn element(&mut self, path: &mut Path, address: Val, id: ArrayId, span: Span) -> Term {
        let array = self.space.memory.array(id).clone();
        let (object, offset) = halves(address);
        let mut valid = Vec::new();
        for &thing in &array.things {
            let data = self.space.memory.objects.thing(thing);
            let (number, size) = (data.number, data.size.unwrap_or(0));
            let number = self.space.words.id(&mut self.space.terms, number);
            let is = self.space.terms.eq(object, number);
            let inside = self.inside(offset, &array, size);
            let there = self.space.terms.and(&[is, inside]);
            valid.push(self.while_alive(path, there, thing));
        }
        if let Some(size) = array.sites {
            let mut there = vec![self.by_number(path, object), self.inside(offset, &array, size)];
            if array.freed {
                there.push(self.not_freed(path, object));
            }
            valid.push(self.space.terms.and(&there));
        }
        let valid = self.space.terms.or(&valid);
        self.need(path, valid, NOWHERE.to_owned(), span);
        self.space.array_index(&array, object, offset)
    }

    /// That an offset is one of a scalar of the region, in an object of this size.
    fn inside(&mut self, offset: Term, array: &Array, size: u64) -> Term {
        let start = self.space.offset(array.start);
        if array.stride == 0 {
            return self.space.terms.eq(offset, start);
        }
        let bytes = array.ty.size(self.space.program.model) as i64;
        let last = self.space.offset(size as i64 - bytes);
        let stride = self.space.offset(array.stride);
        let zero = self.space.offset(0);
        let terms = &mut self.space.terms;
        let (low, high, rest) = match terms.sort(offset) {
            Sort::Int => {
                let distance = terms.sub(offset, start);
                (terms.le(start, offset), terms.le(offset, last), terms.modulo(distance, stride))
            }
            _ => {
                let distance = terms.bv_sub(offset, start);
                let rest = terms.bv_urem(distance, stride);
                (terms.bv_sle(start, offset), terms.bv_sle(offset, last), rest)
            }
        };
        let whole = terms.eq(rest, zero);
        terms.and(&[low, high, whole])
    }

    /// That an object is one of those allocated by number so far.
    fn by_number(&mut self, path: &Path, object: Term) -> Term {
        let first = self.space.memory.objects.first;
        let first = self.space.words.id(&mut self.space.terms, first);
        let Some(next) = self.space.objects else { return self.space.terms.bool(false) };
        let next = self.shared(path, next).one();
        let terms = &mut self.space.terms;
        let (low, high) = match terms.sort(object) {
            Sort::Int => (terms.le(first, object), terms.lt(object, next)),
            _ => (terms.bv_ule(first, object), terms.bv_ult(object, next)),
        };
        terms.and(&[low, high])
    }

    fn not_freed(&mut self, path: &Path, object: Term) -> Term {
        let Some(freed) = self.space.freed else { return self.space.terms.bool(true) };
        let freed = self.shared(path, freed).one();
        let gone = self.space.terms.select(freed, object);
        self.space.terms.not(gone)
    }

    /// The scalar at a spot; any value where nothing has been written.
    pub fn read(&mut self, path: &mut Path, spot: &Spot, ty: Type) -> Val {
        match &spot.held {
            Held::Scalars(found) => {
                let mut value: Option<Val> = None;
                for (is, scalar) in found {
                    let content = self.cell(path, scalar.content);
                    let mut written = scalar.written.map(|flag| self.cell(path, flag).one());
                    if let (Some(flag), true) = (written, scalar.strict) {
                        let known = self.space.terms.implies(*is, flag);
                        self.need(path, known, OTHERWISE.to_owned(), spot.span);
                        written = None;
                    }
                    let here = self.defined(path, content, written, ty);
                    value = Some(match value {
                        Some(other) => here.ite(&mut self.space.terms, *is, other),
                        None => here,
                    });
                }
                value.expect("a spot is somewhere")
            }
            Held::Element(id, index) => {
                let array = self.space.memory.array(*id).clone();
                let parts: Vec<Val> =
                    array.halves.iter().map(|half| self.cell(path, *half)).collect();
                let mut parts = parts.iter();
                let mut part = || {
                    let half = parts.next().map(|half| half.one());
                    half.map(|half| self.space.terms.select(half, *index))
                };
                let content = match (part(), part()) {
                    (Some(object), Some(offset)) => Val::Two(object, offset),
                    (Some(whole), None) => Val::One(whole),
                    _ => self.space.words.zero(&mut self.space.terms, ty),
                };
                // What is in memory is in its range.
                let range = self.space.words.in_range(&mut self.space.terms, content, ty);
                path.guard.push(range);
                let written = array.written.map(|flag| {
                    let flags = self.cell(path, flag).one();
                    self.space.terms.select(flags, *index)
                });
                self.defined(path, content, written, ty)
            }
        }
    }

    fn defined(&mut self, path: &mut Path, content: Val, written: Option<Term>, ty: Type) -> Val {
        match written {
            None => content,
            Some(written) if written == self.space.terms.bool(true) => content,
            Some(written) => {
                let any = self.input(path, ty);
                content.ite(&mut self.space.terms, written, any)
            }
        }
    }

    pub fn write(&mut self, path: &mut Path, spot: &Spot, value: Val) {
        let yes = self.space.terms.bool(true);
        match &spot.held {
            Held::Scalars(found) => {
                let only = found.len() == 1;
                for (is, scalar) in found {
                    let condition = if only { yes } else { *is };
                    let old = self.cell(path, scalar.content);
                    let new = value.ite(&mut self.space.terms, condition, old);
                    path.cells.insert(scalar.content, new);
                    if let Some(flag) = scalar.written {
                        let old = self.cell(path, flag).one();
                        let new = self.space.terms.or(&[old, condition]);
                        path.cells.insert(flag, Val::One(new));
                    }
                    let sharing = self.space.memory.sharing.get(&scalar.content).cloned();
                    for flag in sharing.into_iter().flatten() {
                        let old = self.cell(path, flag).one();
                        let other = self.space.terms.not(condition);
                        let new = self.space.terms.and(&[old, other]);
                        path.cells.insert(flag, Val::One(new));
                    }
                }
            }
            Held::Element(id, index) => {
                let array = self.space.memory.array(*id).clone();
                for (&half, part) in array.halves.iter().zip(value.terms()) {
                    let old = self.cell(path, half).one();
                    let new = self.space.terms.store(old, *index, part);
                    path.cells.insert(half, Val::One(new));
                }
                if let Some(flag) = array.written {
                    let old = self.cell(path, flag).one();
                    let new = self.space.terms.store(old, *index, yes);
                    path.cells.insert(flag, Val::One(new));
                }
            }
        }
    }

    pub fn alloc(&mut self, path: &mut Path, at: EdgeId, to: LocalId, size: &Expr, span: Span) {
        self.eval(path, size, span);
        let zero = self.space.offset(0);
        let thing = self.space.memory.objects.find(Source::Alloc(self.thread, at));
        let object = match (thing, self.space.objects) {
            (Some(thing), _) => {
                if let Some(&alive) = self.space.memory.alive.get(&thing) {
                    let yes = Val::One(self.space.terms.bool(true));
                    path.cells.insert(alive, yes);
                }
                let number = self.space.memory.objects.thing(thing).number;
                self.space.words.id(&mut self.space.terms, number)
            }
            (None, Some(next)) => {
                let object = self.shared(path, next).one();
                let one = self.space.words.id(&mut self.space.terms, 1);
                let terms = &mut self.space.terms;
                let after = match terms.sort(object) {
                    Sort::Int => terms.add(&[object, one]),
                    _ => terms.bv_add(object, one),
                };
                path.shared.insert(next, Val::One(after));
                // There are fewer objects than numbers.
                let fewer = match self.space.terms.sort(object) {
                    Sort::Int => self.space.terms.bool(true),
                    _ => self.space.terms.bv_ult(object, after),
                };
                path.guard.push(fewer);
                // What is new has not been freed.
                if let Some(freed) = self.space.freed {
                    let old = self.shared(path, freed).one();
                    let no = self.space.terms.bool(false);
                    let new = self.space.terms.store(old, object, no);
                    path.shared.insert(freed, Val::One(new));
                }
                object
            }
            (None, None) => {
                self.unsupported(path, "an allocation at an unknown place", span);
                self.space.words.id(&mut self.space.terms, 0)
            }
        };
        path.locals.insert(to, Val::Two(object, zero));
    }

    /// False if that always goes wrong.
    pub fn free(&mut self, path: &mut Path, at: EdgeId, addr: &Expr, span: Span) -> bool {
        let known = self.space.memory.frees.get(&(self.thread, at)).cloned();
        let Frees { things, sites, unclear } = known.unwrap_or_default();
        if unclear {
            self.unsupported(path, "a free of what may not be freed so", span);
            return false;
        }
        let pointer = self.eval(path, addr, span);
        let null = self.space.words.zero(&mut self.space.terms, Type::Ptr);
        let mut valid = vec![pointer.equal(&mut self.space.terms, null)];
        let mut ends = Vec::new();
        for thing in things {
            let is = self.points_to(pointer, thing, 0);
            valid.push(self.while_alive(path, is, thing));
            ends.push((is, thing));
        }
        let (object, offset) = halves(pointer);
        let numbered = sites.then(|| {
            let zero = self.space.offset(0);
            let start = self.space.terms.eq(offset, zero);
            let there = [self.by_number(path, object), start, self.not_freed(path, object)];
            self.space.terms.and(&there)
        });
        valid.extend(numbered);
        let valid = self.space.terms.or(&valid);
        let what = "a free of a pointer to nothing that can be freed".to_owned();
        self.need(path, valid, what, span);
        for (is, thing) in ends {
            let Some(&alive) = self.space.memory.alive.get(&thing) else { continue };
            let old = self.cell(path, alive).one();
            let other = self.space.terms.not(is);
            let new = self.space.terms.and(&[old, other]);
            path.cells.insert(alive, Val::One(new));
        }
        if let (Some(is), Some(freed)) = (numbered, self.space.freed) {
            let old = self.shared(path, freed).one();
            let yes = self.space.terms.bool(true);
            let gone = self.space.terms.store(old, object, yes);
            let new = self.space.terms.ite(is, gone, old);
            path.shared.insert(freed, Val::One(new));
        }
        true
    }
}

fn halves(pointer: Val) -> (Term, Term) {
    match pointer {
        Val::Two(object, offset) => (object, offset),
        Val::One(term) => (term, term),
    }
}
