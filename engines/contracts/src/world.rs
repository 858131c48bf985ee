//! One question after another to the solver: what is assumed, what universal assumptions are
//! instantiated at, and what is asked.
//!
//! Assumed formulas that speak of all objects are kept, and instantiated at every pointer that a step
//! goes through and at those that stand for "any object" in what is to be proved. Fewer instances
//! mean that less is proved, never more.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::spec::Formula;
use selvedge_ir::{Expr, LayoutId, LocalId, ObjectId, Procedure, Type};
use selvedge_passes::pointsto::Origin;
use selvedge_smt::translate::{
    Arithmetic, Objects, Scope, Sym, Translated, Translator, Types, Wrap,
};
use selvedge_smt::{Answer, Sort, Term, Terms};

use crate::apart::types_in;
use crate::digest::Digest;
use crate::memory::{Kept, Memory, parts, sorts};
use crate::prepare::Subject;
use crate::questions::{Possible, Questions};
use crate::task::Task;

pub(crate) struct World<'a> {
    pub subject: &'a Subject,
    pub terms: Terms,
    pub types: Types,
    pub objects: Objects,
    questions: Questions,
    /// The thread that runs the procedure, and the first thread of the program.
    pub tid: Term,
    pub main: Term,
    /// The procedure in which each thread was started.
    pub started: Term,
    /// Of each object, whatever its number, its size in bytes and the site that made it.
    pub sizes: Term,
    pub sites: Term,
    /// The named objects whose sizes are not assumed yet.
    pub sized: Vec<ObjectId>,
    /// The objects that may be the thread's own.
    pub own: FxHashSet<Term>,
    /// The globals, by their numbers, that memories have maps of their own for.
    pub apart: Vec<(Type, Term)>,
    /// Of each set of threads, how many it has.
    pub counts: Term,
    /// Of each variable that every thread has, the instances by thread.
    instances: Vec<(ObjectId, Term)>,
    pool: FxHashMap<Type, Vec<Sym>>,
    universals: Vec<Universal>,
    passages: Vec<Passage>,
    frames: Vec<Frame>,
    cells: Vec<(Kept, Sym)>,
    pub asked: usize,
}

/// What a formula is about.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub before: Memory,
    pub after: Memory,
    pub tid: Term,
    pub params: Vec<Sym>,
    pub result: Option<Sym>,
    /// The values of the procedure that the formula speaks of, in their order.
    pub values: Vec<Sym>,
}

/// A formula that is assumed where the guard holds.
struct Universal {
    guard: Term,
    formula: Rc<Formula>,
    view: View,
    done: FxHashSet<Vec<Sym>>,
}

/// From one memory to another by steps that leave own objects alone.
struct Passage {
    guard: Term,
    before: Memory,
    after: Memory,
    /// Whether the thread's own objects are left alone.
    apart: bool,
    done: FxHashSet<Term>,
}

/// From one memory to another, where only some places may be changed.
struct Frame {
    guard: Term,
    before: Memory,
    after: Memory,
    /// The pointers to what may be changed: `elements` of objects, at an offset.
    places: Vec<Changed>,
    done: FxHashSet<(Kept, Sym)>,
}

/// Places that may be changed by a step that is known only by its contract.
#[derive(Clone, Debug)]
pub(crate) enum Changed {
    At(Kept, Sym),
    /// In every element of a layout, at an offset.
    Each {
        kept: Kept,
        layout: LayoutId,
        offset: i64,
    },
    /// Every scalar of a type, or a variable of the specification in every object.
    Every(Kept),
    /// In a global, or in the objects that are made somewhere.
    In(Kept, Origin),
    /// Anywhere.
    Any,
}

impl<'a> World<'a> {
    pub fn new(task: &Task<'a>) -> World<'a> {
        let subject = task.subject;
        let program = &subject.program;
        let arithmetic = Arithmetic::Integers(Wrap::Modular);
        let types = Types { arithmetic, model: program.model };
        let mut terms = Terms::new();
        let numbers = terms.array_sort(Sort::Int, Sort::Int);
        let set = terms.array_sort(Sort::Int, Sort::Bool);
        let counts = terms.array_sort(set, Sort::Int);
        let instances = subject
            .per_thread
            .iter()
            .map(|&id| {
                let object = &program.objects[id];
                (
                    id,
                    terms.var(
                        &format!("instances.{}", object.name.replace(['|', '\\'], "_")),
                        numbers,
                    ),
                )
            })
            .collect();
        let mut world = World {
            tid: terms.var("tid", Sort::Int),
            main: terms.var("main", Sort::Int),
            started: terms.var("started", numbers),
            sizes: terms.var("sizes", numbers),
            sites: terms.var("sites", numbers),
            counts: terms.var("counts", counts),
            objects: Objects::new(program),
            questions: Questions::new(task.limits.clone(), task.rehearsal),
            subject,
            types,
            terms,
            instances,
            sized: program.objects.keys().collect(),
            own: FxHashSet::default(),
            apart: Vec::new(),
            pool: FxHashMap::default(),
            universals: Vec::new(),
            passages: Vec::new(),
            frames: Vec::new(),
            cells: Vec::new(),
            asked: 0,
        };
        let (tid, main) = (world.tid, world.main);
        let one = world.terms.int(1);
        let positive = [world.terms.le(one, tid), world.terms.le(one, main)];
        for fact in positive {
            world.fact(fact);
        }
        world.consider(Type::Thread, Sym::Scalar(tid));
        world.consider(Type::Thread, Sym::Scalar(main));
        world
    }

    /// Memories that are made from now on have maps of their own for those of these objects that no
    /// pointer leads to.
    pub fn keep_apart(&mut self, objects: impl IntoIterator<Item = ObjectId>) {
        let subject = self.subject;
        for id in objects.into_iter().filter(|id| subject.apart.contains(id)) {
            let number = self.terms.int(self.objects.object(id));
            let layout = subject.program.objects[id].layout;
            let types = types_in(&subject.program, layout).unwrap_or_default();
            let types = subject.types.iter().filter(|ty| types.contains(ty));
            self.apart.extend(types.map(|&ty| (ty, number)));
        }
        self.apart.sort_unstable();
        self.apart.dedup();
    }

    pub fn memory(&mut self, name: &str) -> Memory {
        let ghosts = &self.subject.program.spec.ghosts;
        let memory = Memory::fresh(
            &mut self.terms,
            self.types,
            &self.subject.types,
            ghosts,
            &self.apart,
            name,
        );
        let first = self.terms.int(self.objects.first_free());
        let fact = self.terms.le(first, memory.next);
        self.fact(fact);
        memory
    }

    /// A new value of a type.
    pub fn value(&mut self, name: &str, ty: Type) -> Sym {
        let parts: Vec<Term> =
            self.types.sorts(ty).iter().map(|&sort| self.terms.fresh(name, sort)).collect();
        let sym = Sym::from_terms(&parts);
        let fact = self.types.in_range(&mut self.terms, sym, ty);
        self.fact(fact);
        sym
    }

    /// A new value of a scalar, or of a variable of the specification.
    pub fn kept_value(&mut self, name: &str, kept: Kept) -> Sym {
        let ghosts = &self.subject.program.spec.ghosts;
        match kept {
            Kept::Scalar(ty) => self.value(name, ty),
            Kept::Ghost(id) if !ghosts[id].map => self.value(name, ghosts[id].ty),
            Kept::Ghost(_) => {
                let sorts = sorts(&mut self.terms, self.types, ghosts, kept);
                let parts: Vec<Term> =
                    sorts.into_iter().map(|sort| self.terms.fresh(name, sort)).collect();
                Sym::from_terms(&parts)
            }
        }
    }

    /// What holds whatever happens.
    pub fn fact(&mut self, fact: Term) {
        self.questions.assert(&self.terms, fact);
    }

    pub fn fact_where(&mut self, guard: Term, fact: Term) {
        let fact = self.terms.implies(guard, fact);
        self.fact(fact);
    }

    /// Assumed formulas speak of this value, too.
    pub fn consider(&mut self, ty: Type, value: Sym) {
        let pool = self.pool.entry(ty).or_default();
        if !pool.contains(&value) {
            pool.push(value);
        }
    }

    pub fn pool(&self, ty: Type) -> Vec<Sym> {
        self.pool.get(&ty).cloned().unwrap_or_default()
    }

    /// A place in memory that somebody looks at.
    pub fn consider_cell(&mut self, kept: impl Into<Kept>, at: Sym) {
        let kept = kept.into();
        if !self.frames.is_empty() && !self.cells.contains(&(kept, at)) {
            self.cells.push((kept, at));
        }
    }

    pub fn assume(&mut self, guard: Term, formula: &Formula, view: View) {
        let formula = Rc::new(formula.clone());
        self.universals.push(Universal { guard, formula, view, done: FxHashSet::default() });
    }

    pub fn pass(&mut self, guard: Term, before: &Memory, after: &Memory, apart: bool) {
        let (before, after) = (before.clone(), after.clone());
        let grows = self.terms.le(before.next, after.next);
        self.fact_where(guard, grows);
        self.passages.push(Passage { guard, before, after, apart, done: FxHashSet::default() });
    }

    pub fn frame(&mut self, guard: Term, before: &Memory, after: &Memory, places: Vec<Changed>) {
        let (before, after) = (before.clone(), after.clone());
        self.frames.push(Frame { guard, before, after, places, done: FxHashSet::default() });
    }

    /// Instantiates what is assumed until nothing new comes up.
    fn settle(&mut self) {
        loop {
            let universals = self.settle_universals();
            let passages = self.settle_passages();
            let frames = self.settle_frames();
            if !universals && !passages && !frames {
                return;
            }
        }
    }

    fn settle_universals(&mut self) -> bool {
        let mut any = false;
        for index in 0..self.universals.len() {
            let Universal { guard, formula, .. } = &self.universals[index];
            let (guard, formula) = (*guard, formula.clone());
            for values in self.instances_of(&formula) {
                if !self.universals[index].done.insert(values.clone()) {
                    continue;
                }
                any = true;
                let view = self.universals[index].view.clone();
                let instance = self.instance(&formula, &view, &values);
                self.fact_where(guard, instance);
            }
        }
        any
    }

    fn settle_passages(&mut self) -> bool {
        let mut any = false;
        let known: FxHashSet<Term> = self.pool(Type::Ptr).into_iter().map(|p| parts(p).0).collect();
        // Globals are nobody's own and live for ever.
        let known = known.into_iter().filter(|object| self.terms.constant(*object).is_none());
        let mut known: Vec<Term> = known.into_iter().collect();
        known.sort_unstable();
        for index in 0..self.passages.len() {
            for &object in &known {
                if !self.passages[index].done.insert(object) {
                    continue;
                }
                any = true;
                let Passage { guard, before, after, apart, .. } = &self.passages[index];
                let (guard, apart) = (*guard, *apart);
                let (before, after) = (before.clone(), after.clone());
                let fact = self.unseen(&before, &after, object, apart);
                self.fact_where(guard, fact);
            }
        }
        any
    }

    /// What other threads cannot do to an object: touch it if it is this thread's own, make it a
    /// thread's own again, or bring it back to life.
    fn unseen(&mut self, before: &Memory, after: &Memory, object: Term, apart: bool) -> Term {
        let (tid, own_one) = (self.tid, self.own.contains(&object));
        let t = &mut self.terms;
        let zero = t.int(0);
        let (owner, later) = (before.owner_of(t, object), after.owner_of(t, object));
        let (own, still) = (t.eq(owner, tid), t.eq(later, tid));
        let (shared, still_shared) = (t.eq(owner, zero), t.eq(later, zero));
        let content = before.same_content(t, after, object);
        let (alive, lives) = (before.is_alive(t, object), after.is_alive(t, object));
        let same_life = t.eq(alive, lives);
        let untouched = t.and(&[still, content, same_life]);
        let made = t.lt(object, before.next);
        let dead = t.not(alive);
        let stays_dead = t.not(lives);
        let buried = t.and(&[made, dead]);
        let mut facts = vec![t.implies(shared, still_shared)];
        if !self.subject.freed.is_empty() {
            facts.push(t.implies(buried, stays_dead));
        }
        if apart && own_one {
            let kept = t.and(&[still, made]);
            facts.extend([t.implies(own, untouched), t.implies(kept, own)]);
        }
        t.and(&facts)
    }

    fn settle_frames(&mut self) -> bool {
        let mut any = false;
        for index in 0..self.frames.len() {
            for (kept, at) in self.cells.clone() {
                if !self.frames[index].done.insert((kept, at)) {
                    continue;
                }
                any = true;
                let Frame { guard, before, after, places, .. } = &self.frames[index];
                let (guard, before, after) = (*guard, before.clone(), after.clone());
                let places = places.clone();
                let may: Vec<Term> =
                    places.iter().map(|place| self.may_be(place, &before, kept, at)).collect();
                let may = self.terms.or(&may);
                let (old, new) =
                    (before.load(&mut self.terms, kept, at), after.load(&mut self.terms, kept, at));
                let same = old.equal(&mut self.terms, new);
                let made = self.terms.lt(parts(at).0, before.next);
                let must = self.terms.not(may);
                let must = self.terms.and(&[must, made]);
                let fact = self.terms.implies(must, same);
                self.fact_where(guard, fact);
            }
        }
        any
    }

    /// Whether a place may be among those that are changed.
    fn may_be(&mut self, changed: &Changed, memory: &Memory, kept: Kept, at: Sym) -> Term {
        match *changed {
            Changed::Any => self.terms.bool(true),
            Changed::Every(other) => self.terms.bool(other == kept),
            Changed::In(other, origin) if other == kept => self.is_from(parts(at).0, origin),
            Changed::At(other, place) if other == kept => at.equal(&mut self.terms, place),
            Changed::Each { kept: other, layout, offset } if other == kept => {
                let (object, end) = parts(at);
                let back = self.terms.int(-offset);
                let offset = self.terms.add(&[end, back]);
                self.is_element(memory, layout, Sym::Pointer { object, offset })
            }
            _ => self.terms.bool(false),
        }
    }

    /// Whether an object is a global, or was made somewhere.
    fn is_from(&mut self, object: Term, origin: Origin) -> Term {
        match origin {
            Origin::Object(global) => {
                let number = self.terms.int(self.objects.object(global));
                self.terms.eq(object, number)
            }
            Origin::Alloc(procedure, at) => {
                let site = self.subject.sites[&(procedure, at)].number;
                self.made_among(object, site, site)
            }
        }
    }

    /// Whether the goal holds wherever the guard does; a model if not.
    pub fn ask(&mut self, guard: Term, goal: Term) -> Answer {
        self.settle();
        let wrong = self.terms.not(goal);
        let wrong = self.terms.and(&[guard, wrong]);
        self.asked += usize::from(wrong != self.terms.bool(false));
        self.questions.refute(&self.terms, wrong)
    }

    /// Whether all that is assumed can hold together.
    pub fn possible(&mut self) -> Possible {
        self.settle();
        self.asked += 1;
        self.questions.possible(&self.terms)
    }

    /// What has been assumed and asked.
    pub fn digest(&self) -> Digest {
        self.questions.digest()
    }

    pub fn translate(
        &mut self,
        procedure: &Procedure,
        expr: &Expr,
        values: &dyn Fn(LocalId) -> Sym,
        tid: Term,
    ) -> Translated {
        let program = &self.subject.program;
        let own: Vec<(ObjectId, Term)> = self
            .instances
            .iter()
            .map(|&(object, instances)| (object, self.terms.select(instances, tid)))
            .collect();
        let mut scope = Values { values, tid, own: &own };
        let arithmetic = self.types.arithmetic;
        let mut translator = Translator::new(&mut self.terms, program, procedure, arithmetic);
        let translated = translator.translate(expr, &mut scope);
        for (number, (_, instance)) in own.iter().enumerate() {
            self.is_instance(*instance, number);
        }
        for (sym, ty) in &translated.unknowns {
            let fact = self.types.in_range(&mut self.terms, *sym, *ty);
            self.fact(fact);
        }
        translated
    }

    /// An instance is no other object: its site is a number that no other has.
    fn is_instance(&mut self, instance: Term, number: usize) {
        let first = self.terms.int(self.objects.first_free());
        let site = self.terms.int(-1 - number as i64);
        let of = self.terms.select(self.sites, instance);
        let facts = [self.terms.le(first, instance), self.terms.eq(of, site)];
        let fact = self.terms.and(&facts);
        self.fact(fact);
    }

    /// The address of a scalar of a global that threads share.
    pub fn global(&mut self, object: ObjectId, offset: i64) -> Sym {
        let object = self.terms.int(self.objects.object(object));
        Sym::Pointer { object, offset: self.terms.int(offset) }
    }

    /// The instances of a variable that every thread has.
    pub fn instance_of(&mut self, object: ObjectId, tid: Term) -> Option<Term> {
        let instances = self.instances.iter().find(|(id, _)| *id == object)?.1;
        Some(self.terms.select(instances, tid))
    }
}

struct Values<'v> {
    values: &'v dyn Fn(LocalId) -> Sym,
    tid: Term,
    own: &'v [(ObjectId, Term)],
}

impl Scope for Values<'_> {
    fn local(&mut self, local: LocalId) -> Sym {
        (self.values)(local)
    }

    fn thread(&mut self) -> Term {
        self.tid
    }

    fn own_object(&mut self, object: ObjectId) -> Term {
        let found = self.own.iter().find(|(own, _)| *own == object);
        found.expect("invariant: every object of each thread has instances").1
    }
}
