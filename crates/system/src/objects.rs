//! Objects in memory that are known by name, and those that are not.
//!
//! A global variable, a thread's instance of one that each thread has, and what an instance allocates
//! at a place that it passes at most once, is a *thing*: one object with a number of its own. So is,
//! for each template, what only the thread that made it can reach, if the place is passed once: the
//! threads of a pool may then all use the same number. Everything else is allocated by number.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{
    Action, Const, EdgeId, Expr, LayoutId, ObjectId, ProcId, Program, Sharing, Storage,
};
use selvedge_passes::Prepared;
use selvedge_passes::pointsto::Origin;
use selvedge_passes::threads::Cycles;
use selvedge_smt::translate::Objects;

use super::TemplateId;
use super::roles::Roles;

/// A thing, by position in [`Things::list`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ThingId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source {
    Global(ObjectId),
    /// The template's threads have an instance each.
    Own(TemplateId, ObjectId),
    Alloc(TemplateId, EdgeId),
}

#[derive(Clone, Debug)]
pub(super) struct Thing {
    pub name: String,
    pub number: u32,
    pub source: Source,
    pub layout: LayoutId,
    /// In bytes, where it is a constant.
    pub size: Option<u64>,
    /// Where nothing has been written there is zero, or the initial content.
    pub zeroed: bool,
    pub initial: Vec<(u64, Const)>,
    /// Of one that is allocated.
    pub storage: Option<Storage>,
}

/// A place where objects are allocated by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Site {
    pub size: Option<u64>,
    pub zeroed: bool,
    pub storage: Storage,
}

#[derive(Clone, Debug)]
pub(super) struct Things {
    pub list: Vec<Thing>,
    by_source: FxHashMap<Source, ThingId>,
    sites: FxHashMap<(TemplateId, EdgeId), Site>,
    /// The first number that is not a thing's.
    pub first_free: u32,
}

impl Things {
    pub fn of(prepared: &Prepared, roles: &Roles) -> Things {
        let program = &prepared.program;
        let mut things = Things {
            list: Vec::new(),
            by_source: FxHashMap::default(),
            sites: FxHashMap::default(),
            first_free: Objects::new(program).first_free(),
        };
        things.globals(program);
        for (id, role) in roles.iter() {
            things.own(program, id, &role.name);
        }
        let own = only_own(prepared);
        for (id, role) in roles.iter() {
            things.allocated(program, &own, id, role.procedure, &role.name, role.pool);
        }
        things
    }

    pub fn get(&self, id: ThingId) -> &Thing {
        &self.list[id.0 as usize]
    }

    pub fn find(&self, source: Source) -> Option<ThingId> {
        self.by_source.get(&source).copied()
    }

    pub fn site(&self, template: TemplateId, edge: EdgeId) -> Option<Site> {
        self.sites.get(&(template, edge)).copied()
    }

    pub fn any_sites(&self) -> bool {
        !self.sites.is_empty()
    }

    /// The instances of variables that a template's threads have, and their numbers.
    pub fn own_of(&self, template: TemplateId) -> impl Iterator<Item = (ObjectId, u32)> {
        self.list.iter().filter_map(move |thing| match thing.source {
            Source::Own(id, object) if id == template => Some((object, thing.number)),
            _ => None,
        })
    }

    fn add(&mut self, thing: Thing) {
        self.by_source.insert(thing.source, ThingId(self.list.len() as u32));
        self.list.push(thing);
    }

    fn number(&mut self) -> u32 {
        self.first_free += 1;
        self.first_free - 1
    }

    fn globals(&mut self, program: &Program) {
        let numbers = Objects::new(program);
        for (id, object) in program.objects.iter() {
            if object.sharing == Sharing::Shared {
                self.add(Thing {
                    name: object.name.clone(),
                    number: numbers.object(id),
                    source: Source::Global(id),
                    layout: object.layout,
                    size: Some(program.layouts[object.layout].size),
                    zeroed: true,
                    initial: object.init.clone(),
                    storage: None,
                });
            }
        }
    }

    fn own(&mut self, program: &Program, template: TemplateId, role: &str) {
        for (id, object) in program.objects.iter() {
            if object.sharing == Sharing::PerThread {
                let number = self.number();
                self.add(Thing {
                    name: format!("{role}!{}", object.name),
                    number,
                    source: Source::Own(template, id),
                    layout: object.layout,
                    size: Some(program.layouts[object.layout].size),
                    zeroed: true,
                    initial: object.init.clone(),
                    storage: None,
                });
            }
        }
    }

    fn allocated(
        &mut self,
        program: &Program,
        own: &FxHashSet<(ProcId, EdgeId)>,
        template: TemplateId,
        procedure: ProcId,
        role: &str,
        pool: bool,
    ) {
        let body = &program.procedures[procedure];
        let cycles = Cycles::of(body);
        for (at, edge) in body.edges() {
            let Action::Alloc { to, storage, layout, size, zeroed } = &edge.action else {
                continue;
            };
            let size = constant(size);
            let shared = pool && !own.contains(&(procedure, at));
            if shared || cycles.contains(body, at) {
                let site = Site { size, zeroed: *zeroed, storage: *storage };
                self.sites.insert((template, at), site);
                continue;
            }
            let number = self.number();
            let name = body.locals[*to].name.trim_end_matches("#addr");
            self.add(Thing {
                name: format!("{role}!{name}"),
                number,
                source: Source::Alloc(template, at),
                layout: *layout,
                size,
                zeroed: *zeroed,
                initial: Vec::new(),
                storage: Some(*storage),
            });
        }
    }

    /// The things and the sites that an origin of memory stands for, as a thread of the template
    /// sees it; as all see it where there is none.
    pub fn of_origin(
        &self,
        program: &Program,
        roles: &Roles,
        origin: Origin,
        viewer: Option<TemplateId>,
    ) -> (Vec<ThingId>, Vec<Site>) {
        let mut things = Vec::new();
        let mut sites = Vec::new();
        let sees = |id: &TemplateId| viewer.is_none_or(|viewer| viewer == *id);
        match origin {
            Origin::Object(object) => match program.objects[object].sharing {
                Sharing::Shared => things.extend(self.find(Source::Global(object))),
                Sharing::PerThread => {
                    let owners = roles.iter().map(|(id, _)| id).filter(sees);
                    things.extend(owners.filter_map(|id| self.find(Source::Own(id, object))));
                }
            },
            Origin::Alloc(procedure, edge) => {
                for id in roles.running(procedure).filter(sees) {
                    things.extend(self.find(Source::Alloc(id, edge)));
                    sites.extend(self.site(id, edge));
                }
            }
        }
        (things, sites)
    }
}

/// Allocations whose objects only the thread that made them can reach. What nobody accesses is in no
/// region, and nothing is known of where its address goes.
fn only_own(prepared: &Prepared) -> FxHashSet<(ProcId, EdgeId)> {
    let mut own = FxHashSet::default();
    let mut shared = FxHashSet::default();
    for (&region, extents) in &prepared.regions.extents {
        let found = match prepared.regions.private.contains(region) {
            true => &mut own,
            false => &mut shared,
        };
        found.extend(extents.iter().filter_map(|extent| match extent.origin {
            Origin::Alloc(procedure, edge) => Some((procedure, edge)),
            Origin::Object(_) => None,
        }));
    }
    own.retain(|at| !shared.contains(at));
    own
}

fn constant(size: &Expr) -> Option<u64> {
    match size {
        Expr::Const(Const::Int(bits, _)) => Some(*bits),
        _ => None,
    }
}
