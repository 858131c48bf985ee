//! The formulas of a specification as terms.
//!
//! A formula is *assumed* by instances of its universal variables, and *proved* for values of them of
//! which nothing is known. Existential variables are the other way round: new values where the
//! formula is assumed, one of the known values where it is proved.

use selvedge_ir::spec::{Binding, Formula, Target, Variable, When};
use selvedge_ir::{Const, Expr, GhostId, LayoutId, LocalId, ObjectId, Procedure, Sharing, Type};
use selvedge_passes::pointsto::Origin;
use selvedge_smt::translate::Sym;
use selvedge_smt::{Sort, Term};

use crate::memory::{Kept, Memory, constant, parts};
use crate::prepare::Site;
use crate::world::{Changed, View, World};

/// Instances of one assumed formula, at most; beyond that less is proved.
const MOST_INSTANCES: usize = 4096;

/// What universal and existential variables stand for.
enum Quantified<'v> {
    /// Universal ones in turn.
    Instance(&'v [Sym]),
    /// Anything: values that all goals share, since each goal is asked by itself.
    Anything,
    /// Anything, by values of this formula alone.
    AnythingNew,
}

/// What is bound so far.
struct Bound<'v> {
    formula: &'v Formula,
    view: &'v View,
    quantified: &'v Quantified<'v>,
    /// How many universal variables were met.
    universal: usize,
    values: Vec<Sym>,
    scope: &'v Procedure,
}

impl World<'_> {
    /// Every choice of known values for the universal variables.
    pub fn instances_of(&mut self, formula: &Formula) -> Vec<Vec<Sym>> {
        let mut all: Vec<Vec<Sym>> = vec![Vec::new()];
        for variable in formula.variables.values() {
            if let Binding::Forall(_) = variable.binding {
                let pool = self.pool(variable.ty);
                let longer = |values: &Vec<Sym>| {
                    let values = values.clone();
                    pool.clone().into_iter().map(move |value| {
                        let mut values = values.clone();
                        values.push(value);
                        values
                    })
                };
                all = all.iter().flat_map(longer).take(MOST_INSTANCES).collect();
            }
        }
        all
    }

    pub fn instance(&mut self, formula: &Formula, view: &View, values: &[Sym]) -> Term {
        self.truth(formula, view, &Quantified::Instance(values))
    }

    /// What has to be proved for the formula to hold. To be asked by itself.
    pub fn goal(&mut self, formula: &Formula, view: &View) -> Term {
        self.truth(formula, view, &Quantified::Anything)
    }

    /// Likewise, to be part of a larger goal, as long as no negation is around it.
    pub fn goal_inside(&mut self, formula: &Formula, view: &View) -> Term {
        self.truth(formula, view, &Quantified::AnythingNew)
    }

    /// The value of a formula without quantifiers that is no condition.
    pub fn body_of(&mut self, formula: &Formula, view: &View) -> Sym {
        let scope = formula.frame();
        let quantified = Quantified::AnythingNew;
        let (universal, values) = (0, Vec::new());
        let mut bound =
            Bound { formula, view, quantified: &quantified, universal, values, scope: &scope };
        for variable in formula.variables.values() {
            let value = match variable.binding {
                Binding::Forall(_) | Binding::Exists(_) => self.value("any", variable.ty),
                _ => self.determined(&bound, &variable.binding, variable.ty),
            };
            bound.values.push(value);
        }
        match formula.body {
            // It may be a map, which expressions do not have.
            Expr::Local(local) => bound.values[local.as_u32() as usize],
            _ => self.within(&bound, &formula.body),
        }
    }

    fn truth(&mut self, formula: &Formula, view: &View, quantified: &Quantified<'_>) -> Term {
        let scope = formula.frame();
        let bound =
            Bound { formula, view, quantified, universal: 0, values: Vec::new(), scope: &scope };
        self.bind(bound)
    }

    fn bind(&mut self, mut bound: Bound<'_>) -> Term {
        let next = LocalId::from_u32(bound.values.len() as u32);
        let Some(variable) = bound.formula.variables.get(next) else {
            return self.within(&bound, &bound.formula.body).scalar();
        };
        match &variable.binding {
            Binding::Forall(layout) => {
                let value = self.universal(&bound, variable, *layout);
                bound.universal += 1;
                let range = self.range(&bound.view.before, *layout, value, variable.ty);
                bound.values.push(value);
                let rest = self.bind(bound);
                self.terms.implies(range, rest)
            }
            Binding::Exists(layout) => self.existential(bound, variable, *layout),
            other => {
                let value = self.determined(&bound, other, variable.ty);
                bound.values.push(value);
                self.bind(bound)
            }
        }
    }

    fn universal(
        &mut self,
        bound: &Bound<'_>,
        variable: &Variable,
        layout: Option<LayoutId>,
    ) -> Sym {
        let value = match bound.quantified {
            Quantified::Instance(values) => return values[bound.universal],
            Quantified::AnythingNew => self.value("any", variable.ty),
            Quantified::Anything => {
                let layout = layout.map_or(u32::MAX, LayoutId::as_u32);
                let name = format!("any.{}.{layout}.{}", variable.ty, bound.universal);
                let sym = self.types.variable(&mut self.terms, &name, variable.ty);
                let fact = self.types.in_range(&mut self.terms, sym, variable.ty);
                self.fact(fact);
                sym
            }
        };
        self.consider(variable.ty, value);
        value
    }

    fn existential(
        &mut self,
        bound: Bound<'_>,
        variable: &Variable,
        layout: Option<LayoutId>,
    ) -> Term {
        let assumed = matches!(bound.quantified, Quantified::Instance(_));
        let candidates = match assumed {
            true => vec![self.value("some", variable.ty)],
            false => self.pool(variable.ty),
        };
        let mut any = Vec::new();
        for value in candidates {
            let range = self.range(&bound.view.before, layout, value, variable.ty);
            let mut values = bound.values.clone();
            values.push(value);
            let rest = self.bind(Bound { values, ..bound });
            any.push(self.terms.and(&[range, rest]));
        }
        self.terms.or(&any)
    }

    /// The value of a variable that the state determines.
    fn determined(&mut self, bound: &Bound<'_>, binding: &Binding, ty: Type) -> Sym {
        let view = bound.view;
        match binding {
            Binding::Parameter(number) => match view.params.get(*number as usize) {
                Some(&value) => value,
                None => self.value("parameter", ty),
            },
            Binding::Result => match view.result {
                Some(value) => value,
                None => self.value("result", ty),
            },
            Binding::Main => Sym::Scalar(self.main),
            Binding::Runs(procedure) => {
                let started = self.terms.select(self.started, view.tid);
                let number = self.terms.int(procedure.as_u32());
                Sym::Scalar(self.terms.eq(started, number))
            }
            Binding::Read { place, when } => {
                let at = self.within(bound, &place.addr);
                if !bound.formula.is_quantified() {
                    self.consider_indices(bound, &place.addr);
                }
                if let Some((object, _)) = place.direct() {
                    self.consider_named(object);
                }
                self.read(memory_of(view, *when), place.ty, at)
            }
            Binding::Size(pointer) => {
                let pointer = self.within(bound, pointer);
                Sym::Scalar(self.bytes_left(pointer))
            }
            Binding::Alive { pointer, when } => {
                let (object, _) = parts(self.within(bound, pointer));
                let memory = memory_of(view, *when);
                Sym::Scalar(self.lives(memory, object))
            }
            other => self.of_specification(bound, other, ty),
        }
    }

    /// The value of a variable that has to do with variables of the specification.
    fn of_specification(&mut self, bound: &Bound<'_>, binding: &Binding, ty: Type) -> Sym {
        match binding {
            Binding::Ghost { ghost, of, when } => {
                let at = self.within(bound, of);
                // What is assumed of all objects is assumed of one that is named.
                if let Expr::Const(Const::Object(..)) = of {
                    self.consider(Type::Ptr, at);
                }
                let memory = memory_of(bound.view, *when).clone();
                self.ghost(&memory, *ghost, at)
            }
            Binding::Value(_) => {
                let here = bound.values.len();
                let earlier = bound.formula.variables.values().take(here);
                let number = earlier.filter(|v| matches!(v.binding, Binding::Value(_))).count();
                match bound.view.values.get(number) {
                    Some(&value) => value,
                    None => self.value("value", ty),
                }
            }
            Binding::Everywhere(value) => {
                let (objects, program) = (self.objects, &self.subject.program);
                let value = constant(&mut self.terms, objects, program, *value);
                self.in_parts(&[value], |terms, parts| terms.const_array(Sort::Int, parts[0]))
            }
            Binding::Update { map, thread, value } => {
                let map = bound.values[map.as_u32() as usize];
                let thread = self.within(bound, thread).scalar();
                let value = self.within(bound, value);
                let made = self.in_parts(&[map, value], |terms, parts| {
                    terms.store(parts[0], thread, parts[1])
                });
                if ty == Type::Bool {
                    self.count_of_update(map, thread, value.scalar(), made);
                }
                made
            }
            Binding::Entry { map, thread } => {
                let map = bound.values[map.as_u32() as usize];
                let thread = self.within(bound, thread).scalar();
                let value = self.in_parts(&[map], |terms, parts| terms.select(parts[0], thread));
                let fact = self.types.in_range(&mut self.terms, value, ty);
                self.fact(fact);
                value
            }
            Binding::Same(a, b) => {
                let [a, b] = [a, b].map(|map| bound.values[map.as_u32() as usize]);
                Sym::Scalar(a.equal(&mut self.terms, b))
            }
            Binding::Count(map) => {
                let map = bound.values[map.as_u32() as usize];
                Sym::Scalar(self.count(map.scalar()))
            }
            _ => panic!("invariant: quantified variables are bound elsewhere"),
        }
    }

    /// How many threads a set has. There are never more threads than numbers of `diff_type`.
    fn count(&mut self, set: Term) -> Term {
        let count = self.terms.select(self.counts, set);
        let int = self.subject.program.model.diff_type();
        let no = self.terms.bool(false);
        let empty = self.terms.const_array(Sort::Int, no);
        let t = &mut self.terms;
        let zero = t.int(0);
        let (none, nobody) = (t.eq(count, zero), t.eq(set, empty));
        let facts = [t.le(zero, count), t.eq(none, nobody)];
        let fact = t.and(&facts);
        self.fact(fact);
        let fact = self.types.in_range(&mut self.terms, Sym::Scalar(count), Type::Int(int));
        self.fact(fact);
        count
    }

    /// A set that differs from another at one thread has one more or one less, or as many.
    fn count_of_update(&mut self, set: Sym, thread: Term, now: Term, made: Sym) {
        let (before, after) = (self.count(set.scalar()), self.count(made.scalar()));
        let t = &mut self.terms;
        let was = t.select(set.scalar(), thread);
        let (zero, one) = (t.int(0), t.int(1));
        let (gone, come) = (t.ite(was, one, zero), t.ite(now, one, zero));
        let rest = t.sub(before, gone);
        let expected = t.add(&[rest, come]);
        let fact = t.eq(after, expected);
        self.fact(fact);
    }

    /// The value whose parts are made of those of others.
    fn in_parts(
        &mut self,
        values: &[Sym],
        make: impl Fn(&mut selvedge_smt::Terms, &[Term]) -> Term,
    ) -> Sym {
        let parts: Vec<Vec<Term>> = values.iter().map(|value| value.terms().to_vec()).collect();
        let count = parts.first().map_or(0, Vec::len);
        let made: Vec<Term> = (0..count)
            .map(|number| {
                let here: Vec<Term> = parts.iter().map(|parts| parts[number]).collect();
                make(&mut self.terms, &here)
            })
            .collect();
        Sym::from_terms(&made)
    }

    /// A variable of the specification, of the object at an address.
    pub fn ghost(&mut self, memory: &Memory, ghost: GhostId, at: Sym) -> Sym {
        self.consider_cell(Kept::Ghost(ghost), at);
        let value = memory.load(&mut self.terms, Kept::Ghost(ghost), at);
        let declared = &self.subject.program.spec.ghosts[ghost];
        if !declared.map {
            let fact = self.types.in_range(&mut self.terms, value, declared.ty);
            self.fact(fact);
        }
        value
    }

    /// What is assumed of all elements of an array is assumed of one that is named. Not where that is
    /// one of all again, since there would be no end to it.
    fn consider_indices(&mut self, bound: &Bound<'_>, address: &Expr) {
        for part in address.parts_of_address() {
            let value = self.within(bound, part);
            self.consider(part.ty(&self.subject.program, bound.scope), value);
        }
    }

    /// What is assumed of all objects of a type is assumed of one that is named.
    pub fn consider_named(&mut self, object: ObjectId) {
        let (program, regions) = (&self.subject.program, &self.subject.components.regions);
        let shared = program.objects[object].sharing == Sharing::Shared;
        if shared && regions.layouts.contains(&program.objects[object].layout) {
            let at = self.global(object, 0);
            self.consider(Type::Ptr, at);
        }
    }

    fn within(&mut self, bound: &Bound<'_>, expr: &Expr) -> Sym {
        let values = &bound.values;
        let value = |local: LocalId| values[local.as_u32() as usize];
        self.translate(bound.scope, expr, &value, bound.view.tid).value
    }

    /// What memory holds, of its type.
    pub fn read(&mut self, memory: &Memory, ty: Type, at: Sym) -> Sym {
        self.consider_cell(ty, at);
        let value = memory.load(&mut self.terms, ty, at);
        let fact = self.types.in_range(&mut self.terms, value, ty);
        self.fact(fact);
        if let Sym::Pointer { object, .. } = value {
            let made = self.terms.lt(object, memory.next);
            self.fact(made);
        }
        value
    }

    /// The size of an object in bytes, an integer of `size_type`.
    pub fn size_of(&mut self, object: Term) -> Term {
        let size = self.terms.select(self.sizes, object);
        let int = self.subject.program.model.size_type();
        let fact = self.types.in_range(&mut self.terms, Sym::Scalar(size), Type::Int(int));
        self.fact(fact);
        self.sizes_of_globals();
        size
    }

    /// The sizes of named objects, once.
    fn sizes_of_globals(&mut self) {
        let program = &self.subject.program;
        for id in std::mem::take(&mut self.sized) {
            let number = self.terms.int(self.objects.object(id));
            let of = self.terms.select(self.sizes, number);
            let bytes = self.terms.int(program.layouts[program.objects[id].layout].size);
            let known = self.terms.eq(of, bytes);
            self.fact(known);
        }
    }

    /// The bytes from a pointer to the end of its object; none if it leads into none.
    fn bytes_left(&mut self, pointer: Sym) -> Term {
        let (object, offset) = parts(pointer);
        let size = self.size_of(object);
        let t = &mut self.terms;
        let (zero, one) = (t.int(0), t.int(1));
        let inside = [t.le(one, object), t.le(zero, offset), t.le(offset, size)];
        let inside = t.and(&inside);
        let left = t.sub(size, offset);
        t.ite(inside, left, zero)
    }

    /// Globals live for ever; null and procedures are no objects.
    pub fn lives(&mut self, memory: &Memory, object: Term) -> Term {
        let globals = self.terms.int(self.subject.program.objects.len() as u32);
        let one = self.terms.int(1);
        let first = self.terms.int(self.objects.first_free());
        let t = &mut self.terms;
        let global = [t.le(one, object), t.le(object, globals)];
        let global = t.and(&global);
        let alive = memory.is_alive(t, object);
        let made = [t.le(first, object), t.lt(object, memory.next), alive];
        let made = t.and(&made);
        t.or(&[global, made])
    }

    /// The values that a quantified variable ranges over.
    fn range(&mut self, memory: &Memory, layout: Option<LayoutId>, value: Sym, ty: Type) -> Term {
        match layout {
            Some(layout) if ty == Type::Ptr => self.is_element(memory, layout, value),
            _ => self.types.in_range(&mut self.terms, value, ty),
        }
    }

    /// Whether a pointer leads to an element of a layout: to an object of it that several threads may
    /// know, or to an element of an array of them.
    pub fn is_element(&mut self, memory: &Memory, layout: LayoutId, pointer: Sym) -> Term {
        let subject = self.subject;
        let program = &subject.program;
        let (object, offset) = parts(pointer);
        let mut any = Vec::new();
        let (globals, sites) = subject.elements_of(layout);
        for &id in globals {
            let number = self.terms.int(self.objects.object(id));
            let is = self.terms.eq(object, number);
            let bytes = program.layouts[program.objects[id].layout].size;
            let inside = self.at_element(layout, offset, Some(bytes), object);
            any.push(self.terms.and(&[is, inside]));
        }
        let alike = |a: &Site, b: &Site| {
            a.number + 1 == b.number && (a.layout, a.size) == (b.layout, b.size)
        };
        for sites in sites.chunk_by(alike) {
            let made = self.made_among(object, sites[0].number, sites[sites.len() - 1].number);
            let inside = self.at_element(layout, offset, sites[0].size, object);
            let shared = self.is_shared(memory, object);
            any.push(self.terms.and(&[made, inside, shared]));
        }
        self.terms.or(&any)
    }

    /// That an object was made at one of some sites.
    pub fn made_among(&mut self, object: Term, first: u32, last: u32) -> Term {
        let t = &mut self.terms;
        let of = t.select(self.sites, object);
        let (low, high) = (t.int(first), t.int(last));
        match first == last {
            true => t.eq(of, low),
            false => {
                let range = [t.le(low, of), t.le(of, high)];
                t.and(&range)
            }
        }
    }

    /// An allocated object whose address is no secret of a thread.
    fn is_shared(&mut self, memory: &Memory, object: Term) -> Term {
        let first = self.terms.int(self.objects.first_free());
        let t = &mut self.terms;
        let zero = t.int(0);
        let owner = memory.owner_of(t, object);
        let parts = [t.le(first, object), t.lt(object, memory.next), t.eq(owner, zero)];
        t.and(&parts)
    }

    fn at_element(
        &mut self,
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
            None => self.size_of(object),
        };
        let t = &mut self.terms;
        let element = t.int(element);
        let end = t.add(&[offset, element]);
        let rest = t.modulo(offset, element);
        let inside = [t.le(zero, offset), t.le(end, size), t.eq(rest, zero)];
        t.and(&inside)
    }

    /// Whether a place is surely among those that a target names.
    pub fn is_target(&mut self, target: &Target, view: &View, kept: Kept, at: Sym) -> Term {
        if Kept::of_target(target) != kept {
            return self.terms.bool(false);
        }
        let mut any = Vec::new();
        for (address, range) in self.addresses(target, view, None) {
            let same = address.equal(&mut self.terms, at);
            any.push(self.terms.and(&[range, same]));
        }
        self.terms.or(&any)
    }

    /// The addresses of a target at known values of its variables, each with the condition that these
    /// are in their range; or at one value, of which nothing is known.
    pub fn addresses(
        &mut self,
        target: &Target,
        view: &View,
        any: Option<&str>,
    ) -> Vec<(Sym, Term)> {
        let formula = &target.address;
        let scope = formula.frame();
        let yes = self.terms.bool(true);
        let mut open: Vec<(Vec<Sym>, Term)> = vec![(Vec::new(), yes)];
        for variable in formula.variables.values() {
            let mut longer = Vec::new();
            for (values, condition) in open {
                let choices = match &variable.binding {
                    Binding::Forall(layout) | Binding::Exists(layout) => {
                        let known = match any {
                            Some(name) => vec![self.value(name, variable.ty)],
                            None => self.pool(variable.ty),
                        };
                        let ranged = known.into_iter().map(|value| {
                            (value, self.range(&view.before, *layout, value, variable.ty))
                        });
                        ranged.collect::<Vec<_>>()
                    }
                    binding => {
                        let quantified = Quantified::Anything;
                        let values = values.clone();
                        let bound = Bound {
                            formula,
                            view,
                            quantified: &quantified,
                            universal: 0,
                            values,
                            scope: &scope,
                        };
                        vec![(self.determined(&bound, binding, variable.ty), yes)]
                    }
                };
                for (value, range) in choices {
                    let mut values = values.clone();
                    values.push(value);
                    longer.push((values, self.terms.and(&[condition, range])));
                }
            }
            longer.truncate(MOST_INSTANCES);
            open = longer;
        }
        open.into_iter()
            .map(|(values, condition)| {
                let value = |local: LocalId| values[local.as_u32() as usize];
                let at = self.translate(&scope, &formula.body, &value, view.tid).value;
                if any.is_some() {
                    self.consider(Type::Ptr, at);
                    for (variable, &value) in formula.variables.values().zip(&values) {
                        if let Binding::Forall(_) | Binding::Exists(_) = variable.binding {
                            self.consider(variable.ty, value);
                        }
                    }
                }
                (at, condition)
            })
            .collect()
    }

    /// What a step may change that is known to change at most this target.
    pub fn changed(&mut self, target: &Target, view: &View) -> Changed {
        let formula = &target.address;
        if !formula.is_quantified() {
            let found = self.addresses(target, view, None);
            return match found.as_slice() {
                &[(at, _)] => Changed::At(Kept::of_target(target), at),
                _ => Changed::Any,
            };
        }
        let kept = Kept::of_target(target);
        match (formula.element_at(&formula.body), formula.body.base()) {
            (Some((_, layout, offset)), _) => Changed::Each { kept, layout, offset },
            (None, Some(object)) => Changed::In(kept, Origin::Object(object)),
            (None, None) => Changed::Any,
        }
    }
}

fn memory_of(view: &View, when: When) -> &Memory {
    match when {
        When::Before => &view.before,
        When::After => &view.after,
    }
}
