//! What is known of objects: their sizes, which are there, which are elements of a layout, and which
//! pointers a thread can have.

use selvedge_ir::{LayoutId, Sharing, Storage, Type};
use selvedge_smt::Term;
use selvedge_smt::translate::Sym;

use crate::memory::{Memory, parts};
use crate::path::Path;
use crate::subject::Site;
use crate::world::World;

impl World<'_> {
    /// What memory holds. Pointers in memory lead to what was made.
    pub fn read(&mut self, path: &mut Path, memory: &Memory, ty: Type, at: Sym) -> Sym {
        let (object, _) = parts(at);
        path.consider_cell(ty, at);
        if self.terms.constant(object).is_some() {
            path.consider_object(object);
        }
        let value = self.load(memory, ty, at);
        self.in_range(path, value, ty);
        if let Sym::Pointer { object, .. } = value {
            let made = self.terms.lt(object, memory.next);
            self.fact(path, made);
        }
        value
    }

    /// An object that was allocated.
    pub fn is_made(&mut self, memory: &Memory, object: Term) -> Term {
        let first = self.first_free();
        let made = [self.terms.le(first, object), self.terms.lt(object, memory.next)];
        self.terms.and(&made)
    }

    fn is_global(&mut self, object: Term) -> Term {
        let globals = self.terms.int(self.subject.program.objects.len() as u32);
        let one = self.terms.int(1);
        let global = [self.terms.le(one, object), self.terms.le(object, globals)];
        self.terms.and(&global)
    }

    /// A global, or an object that was made: not null, and no procedure.
    pub fn is_object(&mut self, memory: &Memory, object: Term) -> Term {
        let either = [self.is_global(object), self.is_made(memory, object)];
        self.terms.or(&either)
    }

    /// Globals live for ever.
    pub fn lives(&mut self, memory: &Memory, object: Term) -> Term {
        let made = self.is_made(memory, object);
        let alive = self.terms.select(memory.alive, object);
        let made = self.terms.and(&[made, alive]);
        let global = self.is_global(object);
        self.terms.or(&[global, made])
    }

    /// The size of an object in bytes.
    pub fn size_of(&mut self, path: &mut Path, object: Term) -> Term {
        let size = self.terms.select(self.sizes, object);
        let program = &self.subject.program;
        self.in_range(path, Sym::Scalar(size), Type::Int(program.model.size_type()));
        for id in self.assumed.objects.clone() {
            let number = self.terms.int(self.objects.object(id));
            let bytes = self.terms.int(program.layouts[program.objects[id].layout].size);
            let (is, known) = (self.terms.eq(object, number), self.terms.eq(size, bytes));
            let fact = self.terms.implies(is, known);
            self.fact(path, fact);
        }
        size
    }

    /// The bytes from a pointer to the end of its object; none if it leads into none.
    pub fn bytes_left(&mut self, path: &mut Path, pointer: Sym) -> Term {
        let (object, offset) = parts(pointer);
        let size = self.size_of(path, object);
        let t = &mut self.terms;
        let (zero, one) = (t.int(0), t.int(1));
        let inside = [t.le(one, object), t.le(zero, offset), t.le(offset, size)];
        let inside = t.and(&inside);
        let left = t.sub(size, offset);
        t.ite(inside, left, zero)
    }

    /// That an object was made at a site, and so has its size.
    pub fn made_at(&mut self, path: &mut Path, object: Term, site: Site) -> Term {
        let first = self.first_free();
        let size = self.size_of(path, object);
        let t = &mut self.terms;
        let (of, number) = (t.select(self.sites, object), t.int(site.number));
        let mut parts = vec![t.eq(of, number), t.le(first, object)];
        if let Some(bytes) = site.size {
            let bytes = t.int(bytes);
            parts.push(t.eq(size, bytes));
        }
        t.and(&parts)
    }

    /// That an object was made by some action of a kind.
    pub fn made_on(&mut self, object: Term, storage: Storage) -> Term {
        let of = self.terms.select(self.sites, object);
        let mut any = Vec::new();
        for &(_, first, last) in self.subject.kinds.iter().filter(|k| k.0.storage == storage) {
            any.push(self.between(first, of, last));
        }
        let any = self.terms.or(&any);
        let first = self.first_free();
        let allocated = self.terms.le(first, object);
        self.terms.and(&[allocated, any])
    }

    fn between(&mut self, first: u32, number: Term, last: u32) -> Term {
        let (first, last) = (self.terms.int(first), self.terms.int(last));
        let inside = [self.terms.le(first, number), self.terms.le(number, last)];
        self.terms.and(&inside)
    }

    /// Whether a pointer leads to an element of a layout that several threads may know: a global or
    /// allocated object of it, or an element of an array of them.
    pub fn is_element(
        &mut self,
        path: &mut Path,
        memory: &Memory,
        layout: LayoutId,
        pointer: Sym,
    ) -> Term {
        let subject = self.subject;
        let program = &subject.program;
        let (object, offset) = parts(pointer);
        let mut any = Vec::new();
        for (id, declared) in &program.objects {
            if declared.sharing == Sharing::Shared && subject.is_made_of(declared.layout, layout) {
                let number = self.terms.int(self.objects.object(id));
                let bytes = program.layouts[declared.layout].size;
                let is = self.terms.eq(object, number);
                let inside = self.at_element(path, layout, offset, Some(bytes), object);
                any.push(self.terms.and(&[is, inside]));
            }
        }
        let shared = self.is_shared(memory, object);
        for (site, first, last) in &subject.kinds {
            if !subject.is_made_of(site.layout, layout) {
                continue;
            }
            let of = self.terms.select(self.sites, object);
            let made = self.between(*first, of, *last);
            let inside = self.at_element(path, layout, offset, site.size, object);
            any.push(self.terms.and(&[made, inside, shared]));
        }
        self.terms.or(&any)
    }

    /// An allocated object that several threads may know.
    fn is_shared(&mut self, memory: &Memory, object: Term) -> Term {
        let made = self.is_made(memory, object);
        let owner = self.terms.select(memory.owner, object);
        let zero = self.terms.int(0);
        let open = self.terms.eq(owner, zero);
        self.terms.and(&[made, open])
    }

    fn at_element(
        &mut self,
        path: &mut Path,
        layout: LayoutId,
        offset: Term,
        bytes: Option<u64>,
        object: Term,
    ) -> Term {
        let element = self.subject.program.layouts[layout].size.max(1);
        let zero = self.terms.int(0);
        if bytes == Some(element) {
            return self.terms.eq(offset, zero);
        }
        let size = match bytes {
            Some(bytes) => self.terms.int(bytes),
            None => self.size_of(path, object),
        };
        let t = &mut self.terms;
        let element = t.int(element);
        let (end, rest) = (t.add(&[offset, element]), t.modulo(offset, element));
        let inside = [t.le(zero, offset), t.le(end, size), t.eq(rest, zero)];
        t.and(&inside)
    }

    /// A pointer that the thread can have: it leads into no object of another thread's own.
    pub fn is_held(&mut self, path: &mut Path, value: Sym, or_own: bool) {
        let Sym::Pointer { object, .. } = value else { return };
        let first = self.first_free();
        let t = &mut self.terms;
        let zero = t.int(0);
        let owner = t.select(path.memory.owner, object);
        let mut open = vec![t.lt(object, first), t.eq(owner, zero)];
        if or_own {
            open.push(t.eq(owner, self.tid));
        }
        let open = t.or(&open);
        let made = t.lt(object, path.memory.next);
        self.fact(path, open);
        self.fact(path, made);
    }

    /// A pointer into no object is null: what may be said of those that come from elsewhere.
    pub fn is_tame(&mut self, value: Sym) -> Term {
        let Sym::Pointer { object, offset } = value else { return self.terms.bool(true) };
        let zero = self.terms.int(0);
        let (none, start) = (self.terms.eq(object, zero), self.terms.eq(offset, zero));
        self.terms.implies(none, start)
    }

    /// A value that comes from where others may have put it.
    pub fn comes_from_others(&mut self, path: &mut Path, value: Sym) {
        self.is_held(path, value, false);
        let tame = self.is_tame(value);
        self.fact(path, tame);
    }
}
