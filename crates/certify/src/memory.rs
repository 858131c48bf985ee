//! How memory is held: scalars that are known by name as variables, other regions as arrays.
//!
//! Beside content there are flags: whether a thing that somebody frees is alive, and whether a
//! scalar that begins undefined has been written. Reading an undefined scalar gives any value, and
//! another one each time. A region that only one instance accesses, and what only the thread that
//! made it can reach, is kept by the thread; what nobody writes is a constant.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{
    Action, Const, EdgeId, ObjectId, ProcId, Program, RegionId, Sharing, Storage, Type,
};
use selvedge_passes::Prepared;
use selvedge_passes::pointsto::{Extent, Origin};

use crate::mixed;
use crate::names::FEW;
use crate::objects::{Objects, Site, Source, Thing, ThingId, allocations};
use crate::threads::{ThreadId, Threads};
use crate::word::Val;

/// Objects must be smaller than this, so that an address in an array is one number.
const LARGE: u64 = 1 << 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(pub u32);

/// Cells whose content is known.
pub type Known = FxHashMap<CellId, Val>;

/// A variable for a part of memory, or a flag about it.
#[derive(Clone, Debug)]
pub struct Cell {
    pub name: String,
    pub content: Content,
    pub keeper: Keeper,
}

#[derive(Clone, Debug)]
pub enum Content {
    /// A scalar with its initial value; none if it may begin with any.
    Scalar(Type, Option<Const>),
    /// One array of a region: the content, or one half of it.
    Elements(ArrayId, Half),
    /// Which elements of an array have been written.
    Written(ArrayId),
}

/// Of a pointer the object or the offset; of anything else the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    Whole,
    Object,
    Offset,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeper {
    Constant,
    /// Only this thread has to do with it; of a pool, each thread has its own.
    Own(ThreadId),
    Shared,
}

#[derive(Clone, Copy, Debug)]
pub struct Scalar {
    pub thing: ThingId,
    pub offset: i64,
    pub ty: Type,
    pub content: CellId,
    pub written: Option<CellId>,
    /// Reading it where it has not been written is an error.
    pub strict: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArrayId(pub u32);

#[derive(Clone, Debug)]
pub struct Array {
    pub ty: Type,
    pub halves: Vec<CellId>,
    pub written: Option<CellId>,
    pub index: Index,
    pub things: Vec<ThingId>,
    /// The size of objects allocated by number, where there are such.
    pub sites: Option<u64>,
    /// The first offset of a scalar in every object, and the distance between two; 0 if there is
    /// only one.
    pub start: i64,
    pub stride: i64,
    /// Which things have content from the start, and whether objects by number have.
    pub zeroed: Vec<(ThingId, bool)>,
    pub sites_zeroed: bool,
    /// Objects allocated by number may be freed.
    pub freed: bool,
}

/// How elements are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// By the object's number.
    Object,
    /// By position in the only object.
    Position,
    /// By both: the number times 2^32, plus the offset.
    Both,
}

#[derive(Clone, Debug)]
pub enum Home {
    Scalars(Vec<Scalar>),
    Array(ArrayId),
    /// Not held, and why.
    None(String),
}

/// What a `Free` may end.
#[derive(Clone, Debug, Default)]
pub struct Frees {
    pub things: Vec<ThingId>,
    /// Objects allocated by number.
    pub sites: bool,
    /// Some of these are not to be freed so.
    pub unclear: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub objects: Objects,
    pub cells: Vec<Cell>,
    pub arrays: Vec<Array>,
    pub alive: FxHashMap<ThingId, CellId>,
    pub frees: FxHashMap<(ThreadId, EdgeId), Frees>,
    /// Some object allocated by number may be freed.
    pub frees_sites: bool,
    /// The flags of the scalars that share bytes with a scalar, by its content.
    pub sharing: FxHashMap<CellId, Vec<CellId>>,
    /// Regions whose accesses may overlap without being the same.
    pub mixed: FxHashSet<RegionId>,
    homes: FxHashMap<(RegionId, Option<ThreadId>), Home>,
    private: FxHashSet<RegionId>,
}

impl Memory {
    pub fn of(prepared: &Prepared, threads: &Threads) -> Memory {
        let memory = Memory {
            objects: Objects::of(prepared, threads),
            private: prepared.regions.private.iter().collect(),
            ..Memory::default()
        };
        let entangled = mixed::entangled(&prepared.regions.extents);
        let uses = Uses::of(prepared, threads);
        let mut making = Making { prepared, threads, uses, entangled, memory };
        making.all_homes();
        making.all_frees();
        making.memory
    }

    pub fn cell(&self, id: CellId) -> &Cell {
        &self.cells[id.0 as usize]
    }

    pub fn ids(&self) -> impl Iterator<Item = CellId> + use<> {
        (0..self.cells.len() as u32).map(CellId)
    }

    pub fn array(&self, id: ArrayId) -> &Array {
        &self.arrays[id.0 as usize]
    }

    pub fn is_private(&self, region: RegionId) -> bool {
        self.private.contains(&region)
    }

    /// The scalars of regions that all threads find in the same way.
    pub fn seen_by_all(&self) -> impl Iterator<Item = &Scalar> {
        let homes = self.homes.iter().filter(|((_, viewer), _)| viewer.is_none());
        homes.flat_map(|(_, home)| match home {
            Home::Scalars(scalars) => scalars.as_slice(),
            Home::Array(_) | Home::None(_) => &[],
        })
    }

    /// How a thread finds a region.
    pub fn home(&self, region: RegionId, viewer: ThreadId) -> Option<&Home> {
        self.homes.get(&(region, self.is_private(region).then_some(viewer)))
    }

    fn add(&mut self, name: String, content: Content, keeper: Keeper) -> CellId {
        self.cells.push(Cell { name, content, keeper });
        CellId(self.cells.len() as u32 - 1)
    }
}

struct Making<'a> {
    prepared: &'a Prepared,
    threads: &'a Threads,
    uses: Uses,
    /// Regions that are not apart from all others.
    entangled: FxHashSet<RegionId>,
    memory: Memory,
}

/// What a region is made of.
#[derive(Default)]
struct Parts {
    things: Vec<(ThingId, Extent)>,
    sites: Vec<(Site, Extent)>,
}

impl Parts {
    fn lengths(&self) -> impl Iterator<Item = i64> {
        let things = self.things.iter().map(|(_, extent)| extent.length);
        things.chain(self.sites.iter().map(|(_, extent)| extent.length))
    }
}

impl Making<'_> {
    fn all_homes(&mut self) {
        let regions: Vec<RegionId> = self.prepared.program.regions.keys().collect();
        for region in regions {
            let viewers: Vec<Option<ThreadId>> = match self.memory.is_private(region) {
                true => self.threads.ids().map(Some).collect(),
                false => vec![None],
            };
            for viewer in viewers {
                let unused = viewer.is_some_and(|viewer| !self.uses.has(region, viewer));
                let home =
                    if unused { Home::Scalars(Vec::new()) } else { self.home(region, viewer) };
                self.memory.homes.insert((region, viewer), home);
            }
        }
    }

    fn home(&mut self, region: RegionId, viewer: Option<ThreadId>) -> Home {
        let program = &self.prepared.program;
        let data = &program.regions[region];
        if self.entangled.contains(&region) {
            return Home::None(format!("{}, which has bytes of another region", data.name));
        }
        let parts = match self.parts(region, viewer) {
            Ok(parts) => parts,
            Err(why) => return Home::None(format!("{}, {why}", data.name)),
        };
        let one_each = |ty: Type| parts.lengths().all(|l| l == ty.size(program.model) as i64);
        let plain = |ty: &Type| one_each(*ty) && self.begins_as(&parts, *ty);
        let held = match data.ty.filter(plain) {
            None => self.overlapping(region, viewer, &parts),
            Some(ty) => match self.places(&parts) {
                Some(places) => return self.scalars(region, viewer, ty, places),
                None => self.array(region, viewer, ty, &parts).map(Home::Array),
            },
        };
        held.unwrap_or_else(|why| Home::None(format!("{}, {why}", data.name)))
    }

    /// Whether what the objects begin with are scalars of the type, as far as it is in the region.
    fn begins_as(&self, parts: &Parts, ty: Type) -> bool {
        let things = parts.things.iter();
        let mut initial = things.flat_map(|(id, extent)| {
            self.memory
                .objects
                .thing(*id)
                .initial
                .iter()
                .map(move |(at, value)| (extent, at, value))
        });
        initial.all(|(extent, at, value)| {
            let length = value.ty().size(self.prepared.program.model) as i64;
            let there = Extent { start: *at as i64, length, stride: 0, ..*extent };
            let exact =
                mixed::covers(extent, there.start, there.start + length) && length == extent.length;
            !mixed::common_byte(extent, &there) || exact && value.ty() == ty
        })
    }

    /// A region of several types, or of scalars that may share bytes.
    fn overlapping(
        &mut self,
        region: RegionId,
        viewer: Option<ThreadId>,
        parts: &Parts,
    ) -> Result<Home, &'static str> {
        let program = &self.prepared.program;
        if !parts.sites.is_empty() {
            return Err("which is accessed at several types in objects without names");
        }
        let sites = mixed::sites(program, &self.memory.objects, region, &parts.things)
            .ok_or("which is accessed at several types, and has too many scalars")?;
        let mut scalars = Vec::new();
        for site in &sites {
            let &(thing, offset, ty) = site;
            let data = self.memory.objects.thing(thing).clone();
            let sharing = sites.iter().filter(|other| mixed::share(program, site, other));
            let mut types: Vec<Type> = sharing.map(|other| other.2).collect();
            let begins = mixed::first_value(program, &data, site);
            let alone = types.is_empty() && begins.is_some();
            types.push(ty);
            let hidden = types.iter().any(|ty| mixed::hides_bits(*ty)) || begins.is_none();
            let strict = !alone && (hidden || !data.zeroed);
            let keeper = self.uses.keeper(region, viewer, alone && data.zeroed, self.threads);
            let name = scalar_name(program, &data, offset);
            let zero = Const::zero(ty);
            let content = Content::Scalar(ty, Some(begins.unwrap_or(zero)));
            let content = self.memory.add(name.clone(), content, keeper);
            let written = (!alone || !data.zeroed).then(|| {
                let known = Const::Bool(data.zeroed && begins.is_some());
                let flag = Content::Scalar(Type::Bool, Some(known));
                self.memory.add(format!("{name}.written"), flag, keeper)
            });
            scalars.push(Scalar { thing, offset, ty, content, written, strict });
        }
        for (site, scalar) in sites.iter().zip(&scalars) {
            let others = sites.iter().zip(&scalars);
            let others = others.filter(|(other, _)| mixed::share(program, site, other));
            let flags = others.filter_map(|(_, other)| other.written).collect();
            self.memory.sharing.insert(scalar.content, flags);
        }
        self.memory.mixed.insert(region);
        Ok(Home::Scalars(scalars))
    }

    fn parts(&self, region: RegionId, viewer: Option<ThreadId>) -> Result<Parts, &'static str> {
        let program = &self.prepared.program;
        let mut parts = Parts::default();
        for &extent in self.prepared.regions.extents.get(&region).into_iter().flatten() {
            let objects = &self.memory.objects;
            let (things, sites) = objects.of_origin(program, self.threads, extent.origin, viewer);
            for thing in things {
                self.is_followed(thing, viewer)?;
                parts.things.push((thing, extent));
            }
            parts.sites.extend(sites.into_iter().map(|site| (site, extent)));
        }
        Ok(parts)
    }

    fn is_followed(&self, thing: ThingId, viewer: Option<ThreadId>) -> Result<(), &'static str> {
        let thing = self.memory.objects.thing(thing);
        let program = &self.prepared.program;
        let own = |object: ObjectId| program.objects[object].sharing == Sharing::PerThread;
        let names_own = |(_, value): &(u64, Const)| matches!(value, Const::Object(o, _) if own(*o));
        match thing.source {
            Source::Own(..) if viewer.is_none() => {
                Err("of which each thread has one that others can reach")
            }
            _ if thing.initial.iter().any(names_own) => {
                Err("whose initial content depends on the thread")
            }
            _ => Ok(()),
        }
    }

    /// Every scalar of a region, if these are few and known by name.
    fn places(&self, parts: &Parts) -> Option<Vec<(ThingId, i64)>> {
        if !parts.sites.is_empty() {
            return None;
        }
        let mut places = Vec::new();
        for &(thing, extent) in &parts.things {
            let size = i64::try_from(self.memory.objects.thing(thing).size?).ok()?;
            let last = size - extent.length;
            if extent.stride == 0 {
                if (0..=last).contains(&extent.start) {
                    places.push((thing, extent.start));
                }
                continue;
            }
            let mut offset = extent.start.rem_euclid(extent.stride);
            while offset <= last {
                places.push((thing, offset));
                offset += extent.stride;
                if places.len() > FEW {
                    return None;
                }
            }
        }
        (places.len() <= FEW).then_some(places)
    }

    fn scalars(
        &mut self,
        region: RegionId,
        viewer: Option<ThreadId>,
        ty: Type,
        places: Vec<(ThingId, i64)>,
    ) -> Home {
        let mut scalars = Vec::new();
        for (thing, offset) in places {
            let data = self.memory.objects.thing(thing).clone();
            let keeper = self.uses.keeper(region, viewer, data.zeroed, self.threads);
            let name = scalar_name(&self.prepared.program, &data, offset);
            let initial = initial_at(&self.prepared.program, &data, offset, ty);
            let content = Content::Scalar(ty, initial);
            let content = self.memory.add(name.clone(), content, keeper);
            let written = (!data.zeroed).then(|| {
                let no = Content::Scalar(Type::Bool, Some(Const::Bool(false)));
                self.memory.add(format!("{name}.written"), no, keeper)
            });
            scalars.push(Scalar { thing, offset, ty, content, written, strict: false });
        }
        Home::Scalars(scalars)
    }

    fn array(
        &mut self,
        region: RegionId,
        viewer: Option<ThreadId>,
        ty: Type,
        parts: &Parts,
    ) -> Result<ArrayId, &'static str> {
        let program = &self.prepared.program;
        let (start, stride) = common_places(parts).ok_or("which lies at different places")?;
        let zeroed: Vec<(ThingId, bool)> = parts
            .things
            .iter()
            .map(|(id, _)| (*id, self.memory.objects.thing(*id).zeroed))
            .collect();
        let sites: Vec<Site> = parts.sites.iter().map(|(site, _)| *site).collect();
        let sites_zeroed = sites.first().is_some_and(|site| site.zeroed);
        if sites.iter().any(|site| site.zeroed != sites_zeroed) {
            return Err("of objects with and without content");
        }
        let all = |want: bool| {
            zeroed.iter().all(|(_, is)| *is == want) && sites.iter().all(|s| s.zeroed == want)
        };
        if !all(true) && !all(false) && stride != 0 {
            return Err("of objects with and without content");
        }
        let thing_sizes = parts.things.iter().map(|(id, _)| self.memory.objects.thing(*id).size);
        let sizes: Vec<Option<u64>> = sites.iter().map(|s| s.size).chain(thing_sizes).collect();
        let needed = start + ty.size(program.model) as i64;
        let needed = u64::try_from(needed).map_err(|_| "which lies before objects")?;
        if sizes.iter().any(|size| size.is_none_or(|size| size >= LARGE || size < needed)) {
            return Err("of objects whose size is not a constant, or too large or small");
        }
        let index = match (stride, parts.things.len(), sites.is_empty()) {
            (0, _, _) => Index::Object,
            (_, 1, true) => Index::Position,
            _ => Index::Both,
        };
        let site_size = sites.first().and_then(|site| site.size);
        if index != Index::Object && sites.iter().any(|site| site.size != site_size) {
            return Err("of objects of different sizes");
        }
        let keeper = self.uses.keeper(region, viewer, all(true), self.threads);
        let id = ArrayId(self.memory.arrays.len() as u32);
        let name = program.regions[region].name.clone();
        let freed = !self.prepared.regions.lasting.contains(region);
        let halves: &[(Half, &str)] = match ty {
            Type::Ptr => &[(Half::Object, ".object"), (Half::Offset, ".offset")],
            _ => &[(Half::Whole, "")],
        };
        let halves = halves.iter().map(|(half, suffix)| {
            self.memory.add(format!("{name}{suffix}"), Content::Elements(id, *half), keeper)
        });
        let halves = halves.collect();
        let written = (!all(true))
            .then(|| self.memory.add(format!("{name}.written"), Content::Written(id), keeper));
        self.memory.arrays.push(Array {
            ty,
            halves,
            written,
            index,
            things: parts.things.iter().map(|(id, _)| *id).collect(),
            sites: site_size,
            start,
            stride,
            zeroed,
            sites_zeroed,
            freed,
        });
        Ok(id)
    }

    fn all_frees(&mut self) {
        let mut users: FxHashMap<ThingId, FxHashSet<ThreadId>> = FxHashMap::default();
        for id in self.threads.ids() {
            let procedure = self.threads.get(id).procedure;
            for (at, edge) in self.prepared.program.procedures[procedure].edges() {
                let Action::Free { storage, .. } = edge.action else { continue };
                let frees = self.frees(id, procedure, at, storage);
                for thing in &frees.things {
                    users.entry(*thing).or_default().insert(id);
                }
                self.memory.frees_sites |= frees.sites;
                self.memory.frees.insert((id, at), frees);
            }
        }
        self.add_viewers(&mut users);
        let mut freed: Vec<(ThingId, FxHashSet<ThreadId>)> = users.into_iter().collect();
        freed.sort_by_key(|(thing, _)| *thing);
        for (thing, users) in freed {
            let data = self.memory.objects.thing(thing);
            let maker = match data.source {
                Source::Alloc(id, _) => Some(id),
                _ => None,
            };
            let keeper = match maker {
                Some(id) if users.iter().all(|user| *user == id) => Keeper::Own(id),
                _ => Keeper::Shared,
            };
            let name = format!("{}.alive", data.name);
            let no = Content::Scalar(Type::Bool, Some(Const::Bool(false)));
            let cell = self.memory.add(name, no, keeper);
            self.memory.alive.insert(thing, cell);
        }
    }

    /// All that look at things that are freed, when they access these.
    fn add_viewers(&self, users: &mut FxHashMap<ThingId, FxHashSet<ThreadId>>) {
        for (&(region, viewer), home) in &self.memory.homes {
            let things: Vec<ThingId> = match home {
                Home::Scalars(scalars) => scalars.iter().map(|scalar| scalar.thing).collect(),
                Home::Array(id) => self.memory.array(*id).things.clone(),
                Home::None(_) => continue,
            };
            let viewers: Vec<ThreadId> = match viewer {
                Some(viewer) => vec![viewer],
                None => self.uses.of_region(region).collect(),
            };
            for thing in things {
                if let Some(known) = users.get_mut(&thing) {
                    known.extend(&viewers);
                }
            }
        }
    }

    fn frees(&self, id: ThreadId, procedure: ProcId, at: EdgeId, storage: Storage) -> Frees {
        let Some(freed) = self.prepared.regions.freed.get(&(procedure, at)) else {
            return Frees::default();
        };
        let extents = &self.prepared.regions.extents;
        let known = |origin: &Origin| extents.values().flatten().any(|e| e.origin == *origin);
        let program = &self.prepared.program;
        let origins: FxHashSet<Origin> = match freed.regions.is_empty() {
            false => {
                let of_regions = freed.regions.iter().filter_map(|region| extents.get(region));
                of_regions.flatten().map(|extent| extent.origin).collect()
            }
            // What nobody accesses is in no region.
            true => {
                let all = allocations(program).map(|(id, at)| Origin::Alloc(id, at));
                all.filter(|origin| !known(origin)).collect()
            }
        };
        let viewer = freed.private.then_some(id);
        let mut frees = Frees::default();
        for origin in origins {
            let objects = &self.memory.objects;
            let (things, sites) = objects.of_origin(program, self.threads, origin, viewer);
            frees.things.extend(things);
            frees.sites |= !sites.is_empty();
            frees.unclear |= sites.iter().any(|site| site.storage != storage);
        }
        frees.things.sort();
        frees.things.dedup();
        frees.things.retain(|id| self.memory.objects.thing(*id).storage == Some(storage));
        frees
    }
}

/// Where scalars lie, if it is the same in every object.
fn common_places(parts: &Parts) -> Option<(i64, i64)> {
    let things = parts.things.iter().map(|(_, extent)| extent);
    let extents = things.chain(parts.sites.iter().map(|(_, extent)| extent));
    let mut places = extents.map(|extent| match extent.stride {
        0 => (extent.start, 0),
        stride => (extent.start.rem_euclid(stride), stride),
    });
    let first = places.next()?;
    places.all(|place| place == first).then_some(first)
}

/// The initial value of a scalar; none where initial values lie across it.
fn initial_at(program: &Program, thing: &Thing, offset: i64, ty: Type) -> Option<Const> {
    let (model, size) = (program.model, ty.size(program.model) as i64);
    let overlaps = |&&(at, value): &&(u64, Const)| {
        let at = at as i64;
        at < offset + size && offset < at + value.ty().size(model) as i64
    };
    let found: Vec<&(u64, Const)> = thing.initial.iter().filter(overlaps).collect();
    match found[..] {
        [] => Some(Const::zero(ty)),
        [&(at, value)] if at as i64 == offset && value.ty() == ty => Some(value),
        _ => None,
    }
}

/// `q.head`, `arr[3]`, `main!x`.
fn scalar_name(program: &Program, thing: &Thing, offset: i64) -> String {
    let Ok(offset) = u64::try_from(offset) else { return thing.name.clone() };
    let element = program.layouts[thing.layout].size.max(1);
    let place = match offset / element {
        0 if thing.size.is_none_or(|size| size <= element) => String::new(),
        number => format!("[{number}]"),
    };
    match program.scalar_at(thing.layout, offset % element) {
        Some((_, path)) => format!("{}{place}{path}", thing.name),
        None if offset == 0 => thing.name.clone(),
        None => format!("{}+{offset}", thing.name),
    }
}

/// Who accesses each region, and whether anybody writes it.
struct Uses {
    users: FxHashMap<RegionId, FxHashSet<ThreadId>>,
    written: FxHashSet<RegionId>,
}

impl Uses {
    fn of(prepared: &Prepared, threads: &Threads) -> Uses {
        let mut uses = Uses { users: FxHashMap::default(), written: FxHashSet::default() };
        for id in threads.ids() {
            let procedure = &prepared.program.procedures[threads.get(id).procedure];
            for (_, edge) in procedure.edges() {
                let place = edge.action.place().and_then(|place| place.region);
                let Some(region) = place else { continue };
                uses.users.entry(region).or_default().insert(id);
                if !matches!(edge.action, Action::Load { .. }) {
                    uses.written.insert(region);
                }
            }
        }
        uses
    }

    fn of_region(&self, region: RegionId) -> impl Iterator<Item = ThreadId> {
        self.users.get(&region).into_iter().flatten().copied()
    }

    fn has(&self, region: RegionId, thread: ThreadId) -> bool {
        self.of_region(region).any(|user| user == thread)
    }

    fn keeper(
        &self,
        region: RegionId,
        viewer: Option<ThreadId>,
        defined: bool,
        threads: &Threads,
    ) -> Keeper {
        if defined && !self.written.contains(&region) {
            return Keeper::Constant;
        }
        let mut users = self.of_region(region);
        match (viewer, users.next(), users.next()) {
            (Some(viewer), _, _) => Keeper::Own(viewer),
            (None, Some(only), None) if !threads.get(only).pool => Keeper::Own(only),
            _ => Keeper::Shared,
        }
    }
}
