//! Objects in memory: those that are known by name, and the places that allocate others.
//!
//! A *thing* is one object with a number of its own: a shared global variable; a thread's instance
//! of a variable that each thread has; what an instance allocates at an edge that lies on no cycle.
//! What only the thread that made it can reach is a thing even in a pool: every thread of the pool
//! may use the same number for its own, since none ever meets another's. All other objects get
//! their numbers one after another when they are allocated.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{
    Action, Const, EdgeId, Expr, LayoutId, ObjectId, ProcId, Program, Sharing, Storage,
};
use selvedge_passes::Prepared;
use selvedge_passes::pointsto::Origin;
use selvedge_passes::threads::Cycles;

use crate::threads::{ThreadId, Threads};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThingId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    Global(ObjectId),
    /// Each thread of this kind has one.
    Own(ThreadId, ObjectId),
    Alloc(ThreadId, EdgeId),
}

#[derive(Clone, Debug)]
pub struct Thing {
    pub name: String,
    pub number: u32,
    pub source: Source,
    pub layout: LayoutId,
    /// In bytes, if constant.
    pub size: Option<u64>,
    /// It has content before anything is written.
    pub zeroed: bool,
    pub initial: Vec<(u64, Const)>,
    /// Of what is allocated.
    pub storage: Option<Storage>,
}

/// An edge that allocates objects by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    pub size: Option<u64>,
    pub zeroed: bool,
    pub storage: Storage,
}

#[derive(Clone, Debug, Default)]
pub struct Objects {
    pub things: Vec<Thing>,
    by_source: FxHashMap<Source, ThingId>,
    sites: FxHashMap<(ThreadId, EdgeId), Site>,
    /// The first number of objects that are no things.
    pub first: u32,
    /// Variables that each thread has whose addresses tell threads of a pool apart.
    pub told_apart: FxHashSet<ObjectId>,
}

impl Objects {
    pub fn of(prepared: &Prepared, threads: &Threads) -> Objects {
        let program = &prepared.program;
        let reach = Reach::of(prepared);
        let mut objects = Objects {
            first: 1 + program.objects.len() as u32 + program.procedures.len() as u32,
            ..Objects::default()
        };
        for (id, object) in &program.objects {
            match object.sharing {
                Sharing::Shared => {
                    let source = Source::Global(id);
                    objects.variable(program, id, &object.name, source, 1 + id.as_u32());
                }
                Sharing::PerThread if !reach.only_own(Origin::Object(id)) => {
                    objects.told_apart.insert(id);
                }
                Sharing::PerThread => {}
            }
        }
        for thread in threads.ids() {
            let own = program.objects.iter().filter(|(_, o)| o.sharing == Sharing::PerThread);
            for (id, object) in own {
                let number = objects.number();
                let name = format!("{}!{}", threads.get(thread).name, object.name);
                objects.variable(program, id, &name, Source::Own(thread, id), number);
            }
        }
        for thread in threads.ids() {
            objects.allocated(program, &reach, threads, thread);
        }
        objects
    }

    pub fn thing(&self, id: ThingId) -> &Thing {
        &self.things[id.0 as usize]
    }

    pub fn find(&self, source: Source) -> Option<ThingId> {
        self.by_source.get(&source).copied()
    }

    pub fn has_sites(&self) -> bool {
        !self.sites.is_empty()
    }

    fn number(&mut self) -> u32 {
        self.first += 1;
        self.first - 1
    }

    fn add(&mut self, thing: Thing) {
        self.by_source.insert(thing.source, ThingId(self.things.len() as u32));
        self.things.push(thing);
    }

    fn variable(
        &mut self,
        program: &Program,
        id: ObjectId,
        name: &str,
        source: Source,
        number: u32,
    ) {
        let object = &program.objects[id];
        self.add(Thing {
            name: name.to_owned(),
            number,
            source,
            layout: object.layout,
            size: Some(program.layouts[object.layout].size),
            zeroed: true,
            initial: object.init.clone(),
            storage: None,
        });
    }

    fn allocated(&mut self, program: &Program, reach: &Reach, threads: &Threads, id: ThreadId) {
        let thread = threads.get(id);
        let body = &program.procedures[thread.procedure];
        let cycles = Cycles::of(body);
        for (at, edge) in body.edges() {
            let Action::Alloc { to, storage, layout, size, zeroed } = &edge.action else {
                continue;
            };
            let size = match size {
                Expr::Const(Const::Int(bits, _)) => Some(*bits),
                _ => None,
            };
            let own = reach.only_own(Origin::Alloc(thread.procedure, at));
            if cycles.contains(body, at) || thread.pool && !own {
                let site = Site { size, zeroed: *zeroed, storage: *storage };
                self.sites.insert((id, at), site);
                continue;
            }
            let number = self.number();
            let name = body.locals[*to].name.trim_end_matches("#addr");
            self.add(Thing {
                name: format!("{}!{name}", thread.name),
                number,
                source: Source::Alloc(id, at),
                layout: *layout,
                size,
                zeroed: *zeroed,
                initial: Vec::new(),
                storage: Some(*storage),
            });
        }
    }

    /// The things and sites of an origin, as a thread sees them that can reach only its own, or as
    /// all see them.
    pub fn of_origin(
        &self,
        program: &Program,
        threads: &Threads,
        origin: Origin,
        viewer: Option<ThreadId>,
    ) -> (Vec<ThingId>, Vec<Site>) {
        let sees = |id: &ThreadId| viewer.is_none_or(|viewer| viewer == *id);
        let (mut things, mut sites) = (Vec::new(), Vec::new());
        match origin {
            Origin::Object(object) if program.objects[object].sharing == Sharing::Shared => {
                things.extend(self.find(Source::Global(object)));
            }
            Origin::Object(object) => {
                let owners = threads.ids().filter(sees);
                things.extend(owners.filter_map(|id| self.find(Source::Own(id, object))));
            }
            Origin::Alloc(procedure, edge) => {
                for id in threads.running(procedure).filter(sees) {
                    things.extend(self.find(Source::Alloc(id, edge)));
                    sites.extend(self.sites.get(&(id, edge)).copied());
                }
            }
        }
        (things, sites)
    }
}

/// Which origins of memory lie in regions, and in regions that others can reach.
struct Reach {
    private: FxHashSet<Origin>,
    shared: FxHashSet<Origin>,
}

impl Reach {
    fn of(prepared: &Prepared) -> Reach {
        let mut reach = Reach { private: FxHashSet::default(), shared: FxHashSet::default() };
        for (region, extents) in &prepared.regions.extents {
            let origins = extents.iter().map(|extent| extent.origin);
            match prepared.regions.private.contains(*region) {
                true => reach.private.extend(origins),
                false => reach.shared.extend(origins),
            }
        }
        reach
    }

    /// Whether only the thread that made it can reach it. What nobody accesses is in no region, and
    /// nothing is known of where its address goes.
    fn only_own(&self, origin: Origin) -> bool {
        self.private.contains(&origin) && !self.shared.contains(&origin)
    }
}

/// What procedure's edges allocate.
pub fn allocations(program: &Program) -> impl Iterator<Item = (ProcId, EdgeId)> {
    program.procedures.iter().flat_map(|(id, procedure)| {
        let edges = procedure.edges();
        let allocating = edges.filter(|(_, edge)| matches!(edge.action, Action::Alloc { .. }));
        allocating.map(move |(at, _)| (id, at))
    })
}
