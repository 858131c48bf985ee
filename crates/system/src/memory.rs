//! The representation of memory: variables for scalars known by name, arrays for the others.
//!
//! A scalar that nobody writes is a constant. One that only a single instance accesses, or that only
//! the thread that made it can reach, is a local of that thread. All others are shared variables.
//! Besides the content there are flags: whether a thing that may be freed is alive, and whether a scalar
//! without initial content has been written.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{
    Action, Const, EdgeId, ObjectId, ProcId, Program, RegionId, Sharing, Span, Storage, Type,
};
use selvedge_passes::Prepared;
use selvedge_passes::pointsto::{Extent, Origin};

use super::TemplateId;
use super::mixed::{self, is_opaque};
use super::objects::{Site, Source, ThingId, Things};
use super::roles::Roles;

/// A region of so many scalars, all known by name, is held scalar by scalar.
const FEW: usize = 8;

/// Bytes of objects that are told apart within one array.
const LARGE: u64 = 1 << 32;

/// A scalar or a flag, by position in [`Memory::cells`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct CellId(pub u32);

cranelift_entity::entity_impl!(CellId, "cell");

#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub name: String,
    pub region: Option<RegionId>,
    pub ty: Type,
    pub initial: Const,
    pub keeper: Keeper,
    /// It is a fact about memory, not content.
    pub flag: bool,
}

/// Who keeps a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keeper {
    /// It always has its initial value.
    Constant,
    /// Only this thread accesses it, or each thread of this pool has its own.
    Own(TemplateId),
    Shared,
}

/// A scalar of a thing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalar {
    pub thing: ThingId,
    pub offset: i64,
    pub content: CellId,
    /// Where there is no content before it is written.
    pub written: Option<CellId>,
}

/// How a region is held.
#[derive(Clone, Debug)]
pub(super) enum Home {
    Scalars(Vec<Scalar>),
    Array(ArrayId),
    /// Not at all, and why.
    None(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ArrayId(pub u32);

#[derive(Clone, Debug)]
pub(super) struct Array {
    pub name: String,
    pub region: RegionId,
    pub ty: Type,
    pub keeper: Keeper,
    pub index: Index,
    pub things: Vec<ThingId>,
    /// Of objects that are allocated by number: the size, where there are such.
    pub sites: Option<Option<u64>>,
    /// The first offset of a scalar in every object, and the distance between two.
    pub start: i64,
    pub stride: i64,
    /// Which objects have content before it is written, where not all have.
    pub undefined: Option<Zeroed>,
    /// Objects allocated by number may be freed.
    pub freed: bool,
}

/// How elements are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Index {
    /// By the number of the object.
    Object,
    /// By position in the only object.
    Position,
    /// By both.
    Both,
}

#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub cells: Vec<Cell>,
    pub arrays: Vec<Array>,
    pub things: Things,
    /// Whether each thing that may be freed is alive.
    pub alive: FxHashMap<ThingId, CellId>,
    /// What each `Free` may end.
    pub freed: FxHashMap<(TemplateId, EdgeId), Frees>,
    /// Some object that is allocated by number may be freed.
    pub frees_sites: bool,
    /// Of a scalar that others overlap, the flags of these: a write makes them unknown.
    pub overlapped: FxHashMap<CellId, Vec<CellId>>,
    /// Scalars that must not be read where something else was written.
    pub strict: FxHashSet<CellId>,
    /// Regions that are accessed at several types, or at places that may overlap.
    pub mixed: FxHashSet<RegionId>,
    /// One of them, with scalars that may be overwritten in part.
    pub guessed: Option<String>,
    homes: FxHashMap<(RegionId, Option<TemplateId>), Home>,
    private: FxHashSet<RegionId>,
}

impl Memory {
    pub fn of(prepared: &Prepared, roles: &Roles) -> Memory {
        let things = Things::of(prepared, roles);
        let mut memory = Memory {
            cells: Vec::new(),
            arrays: Vec::new(),
            things,
            alive: FxHashMap::default(),
            freed: FxHashMap::default(),
            frees_sites: false,
            overlapped: FxHashMap::default(),
            strict: FxHashSet::default(),
            mixed: FxHashSet::default(),
            guessed: None,
            homes: FxHashMap::default(),
            private: prepared.regions.private.iter().collect(),
        };
        let uses = Uses::of(&prepared.program, roles);
        let extents = prepared.regions.extents.iter().map(|(region, extents)| (*region, extents));
        let shared_bytes = mixed::shared_bytes(extents);
        let mut making = Making { prepared, roles, uses: &uses, shared_bytes, memory: &mut memory };
        making.homes();
        making.frees();
        memory
    }

    /// The home of a region as a thread of the template sees it.
    pub fn home(&self, region: RegionId, viewer: TemplateId) -> &Home {
        let viewer = self.private.contains(&region).then_some(viewer);
        &self.homes[&(region, viewer)]
    }

    pub fn cell(&self, id: CellId) -> &Cell {
        &self.cells[id.0 as usize]
    }

    pub fn array(&self, id: ArrayId) -> &Array {
        &self.arrays[id.0 as usize]
    }

    /// The scalars that all threads see the same way.
    pub fn all_scalars(&self) -> impl Iterator<Item = Scalar> {
        self.homes.iter().filter(|((_, viewer), _)| viewer.is_none()).flat_map(|(_, home)| {
            match home {
                Home::Scalars(scalars) => scalars.clone(),
                Home::Array(_) | Home::None(_) => Vec::new(),
            }
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = (CellId, &Cell)> {
        self.cells.iter().enumerate().map(|(i, cell)| (CellId(i as u32), cell))
    }

    pub fn iter_arrays(&self) -> impl Iterator<Item = (ArrayId, &Array)> {
        self.arrays.iter().enumerate().map(|(i, array)| (ArrayId(i as u32), array))
    }

    fn add(&mut self, cell: Cell) -> CellId {
        self.cells.push(cell);
        CellId(self.cells.len() as u32 - 1)
    }
}

/// Why a region has no type: two accesses that differ.
fn mixed(program: &Program, region: RegionId) -> String {
    let name = &program.regions[region].name;
    let mut seen: Vec<(Type, Span)> = Vec::new();
    for (_, edge) in program.procedures.values().flat_map(|procedure| procedure.edges()) {
        let place = match &edge.action {
            Action::Load { from: place, .. } | Action::Store { to: place, .. } => place,
            Action::Lock { lock: place } | Action::Unlock { lock: place } => place,
            _ => continue,
        };
        if place.region == Some(region) && seen.iter().all(|(ty, _)| *ty != place.ty) {
            seen.push((place.ty, edge.span));
        }
    }
    let place = |span: Span| {
        let file = program.files.get(span.file).filter(|_| !span.is_none());
        file.map_or("?".to_owned(), |file| format!("{}:{}", file.name, span.line))
    };
    match seen.as_slice() {
        [(one, at), (other, there), ..] => format!(
            "{name}, which is accessed at several types: {one} at {} and {other} at {}",
            place(*at),
            place(*there)
        ),
        _ => format!("{name}, which is accessed at several types"),
    }
}

/// What a `Free` may end.
#[derive(Clone, Debug, Default)]
pub(super) struct Frees {
    pub things: Vec<ThingId>,
    /// Objects allocated by number.
    pub sites: bool,
    /// Some of these must not be freed in this way.
    pub unclear: bool,
}

struct Making<'a> {
    prepared: &'a Prepared,
    roles: &'a Roles,
    uses: &'a Uses,
    /// Regions that overlap others.
    shared_bytes: FxHashSet<RegionId>,
    memory: &'a mut Memory,
}

impl Making<'_> {
    fn homes(&mut self) {
        let regions: Vec<RegionId> = self.prepared.program.regions.keys().collect();
        for region in regions {
            if self.memory.private.contains(&region) {
                let viewers: Vec<TemplateId> = self.roles.iter().map(|(id, _)| id).collect();
                for viewer in viewers {
                    let home = match self.uses.uses(region, viewer) {
                        true => self.home(region, Some(viewer)),
                        false => Home::Scalars(Vec::new()),
                    };
                    self.memory.homes.insert((region, Some(viewer)), home);
                }
            } else {
                let home = self.home(region, None);
                self.memory.homes.insert((region, None), home);
            }
        }
    }

    fn home(&mut self, region: RegionId, viewer: Option<TemplateId>) -> Home {
        let program = &self.prepared.program;
        if self.shared_bytes.contains(&region) {
            let name = &program.regions[region].name;
            return Home::None(format!("{name}, whose bytes also belong to another region"));
        }
        let parts = match self.parts(region, viewer) {
            Ok(parts) => parts,
            Err(why) => return Home::None(why),
        };
        match program.regions[region].ty {
            Some(ty)
                if parts.are_single(ty.size(program.model) as i64) && self.begins(&parts, ty) =>
            {
                match parts.scalars(self) {
                    Some(places) => self.scalars(region, viewer, ty, places),
                    None => self.array(region, viewer, ty, parts),
                }
            }
            _ => self.mixed(region, viewer, parts),
        }
    }

    /// Whether all initial content is of the type.
    fn begins(&self, parts: &Parts, ty: Type) -> bool {
        let model = self.prepared.program.model;
        parts.things.iter().all(|(thing, extent)| {
            let initial = &self.memory.things.get(*thing).initial;
            initial.iter().all(|&(at, value)| mixed::agrees(extent, at as i64, value, ty, model))
        })
    }

    /// A region of several types, or of scalars that may overlap.
    fn mixed(&mut self, region: RegionId, viewer: Option<TemplateId>, parts: Parts) -> Home {
        let program = &self.prepared.program;
        let why = mixed(program, region);
        if !parts.sites.is_empty() {
            return Home::None(format!("{why}, in objects that are not known by name"));
        }
        let spots = mixed::spots(program, &self.memory.things, region, &parts.things);
        let Some(spots) = spots else {
            return Home::None(format!("{why}, and has too many scalars or no constant size"));
        };
        let model = program.model;
        let mut scalars = Vec::new();
        for spot in &spots {
            let data = self.memory.things.get(spot.thing);
            let mixed::Beginning { value, blurred } = mixed::beginning(data, spot, model);
            let others = spots.iter().filter(|other| *other != spot && other.overlaps(spot, model));
            let others: Vec<Type> = others.map(|other| other.ty).collect();
            let lonely = others.is_empty() && !blurred;
            if !lonely {
                self.memory.guessed.get_or_insert_with(|| why.clone());
            }
            let zeroed = data.zeroed;
            let known = zeroed && !blurred;
            let opaque = blurred || others.iter().chain([&spot.ty]).any(|&ty| is_opaque(ty));
            let strict = !lonely && (opaque || !zeroed);
            let keeper = self.uses.keeper(region, viewer, zeroed && lonely);
            let name = scalar_name(program, data, spot.offset);
            let content = self.memory.add(Cell {
                name: name.clone(),
                region: Some(region),
                ty: spot.ty,
                initial: value,
                keeper,
                flag: false,
            });
            let written = (!lonely || !zeroed).then(|| {
                self.memory.add(Cell {
                    name: format!("{name}.written"),
                    region: Some(region),
                    ty: Type::Bool,
                    initial: Const::Bool(known),
                    keeper,
                    flag: true,
                })
            });
            if strict {
                self.memory.strict.insert(content);
            }
            scalars.push(Scalar { thing: spot.thing, offset: spot.offset, content, written });
        }
        for (spot, scalar) in spots.iter().zip(&scalars) {
            let others = spots.iter().zip(&scalars);
            let others = others.filter(|(other, _)| *other != spot && other.overlaps(spot, model));
            let flags: Vec<CellId> = others.filter_map(|(_, scalar)| scalar.written).collect();
            self.memory.overlapped.insert(scalar.content, flags);
        }
        self.memory.mixed.insert(region);
        Home::Scalars(scalars)
    }

    /// What a region is made of, or why it is not followed.
    fn parts(&self, region: RegionId, viewer: Option<TemplateId>) -> Result<Parts, String> {
        let program = &self.prepared.program;
        let name = &program.regions[region].name;
        let mut parts = Parts::default();
        let extents = self.prepared.regions.extents.get(&region);
        for extent in extents.into_iter().flatten() {
            let (things, sites) =
                self.memory.things.of_origin(program, self.roles, extent.origin, viewer);
            for thing in things {
                self.followed(thing, viewer, name)?;
                parts.things.push((thing, *extent));
            }
            parts.sites.extend(sites.into_iter().map(|site| (site, *extent)));
        }
        Ok(parts)
    }

    fn followed(
        &self,
        thing: ThingId,
        viewer: Option<TemplateId>,
        name: &str,
    ) -> Result<(), String> {
        let thing = self.memory.things.get(thing);
        let program = &self.prepared.program;
        let own = |object: ObjectId| program.objects[object].sharing == Sharing::PerThread;
        let names_own = |(_, value): &(u64, Const)| matches!(value, Const::Object(o, _) if own(*o));
        match thing.source {
            Source::Own(..) if viewer.is_none() => {
                Err(format!("{name}, of which each thread has one that others can reach"))
            }
            _ if thing.initial.iter().any(names_own) => {
                Err(format!("{name}, whose initial content depends on the thread"))
            }
            _ => Ok(()),
        }
    }

    fn scalars(
        &mut self,
        region: RegionId,
        viewer: Option<TemplateId>,
        ty: Type,
        places: Vec<(ThingId, i64)>,
    ) -> Home {
        let scalars = places.into_iter().map(|(thing, offset)| {
            let data = self.memory.things.get(thing);
            let keeper = self.uses.keeper(region, viewer, data.zeroed);
            let name = scalar_name(&self.prepared.program, data, offset);
            let initial = initial_at(&data.initial, offset).unwrap_or(Const::zero(ty));
            let zeroed = data.zeroed;
            let cell =
                Cell { name: name.clone(), region: Some(region), ty, initial, keeper, flag: false };
            let content = self.memory.add(cell);
            let written = (!zeroed).then(|| {
                let (ty, initial) = (Type::Bool, Const::Bool(false));
                let name = format!("{name}.written");
                self.memory.add(Cell {
                    name,
                    region: Some(region),
                    ty,
                    initial,
                    keeper,
                    flag: true,
                })
            });
            Scalar { thing, offset, content, written }
        });
        Home::Scalars(scalars.collect())
    }

    fn array(
        &mut self,
        region: RegionId,
        viewer: Option<TemplateId>,
        ty: Type,
        parts: Parts,
    ) -> Home {
        let program = &self.prepared.program;
        let name = program.regions[region].name.clone();
        let Some((start, stride)) = parts.common_places() else {
            return Home::None(format!("{name}, which lies at different places of objects"));
        };
        let Some(zeroed) = parts.zeroed(self, stride) else {
            return Home::None(format!("{name}, of objects with and without content"));
        };
        let index = match (stride, parts.things.len(), parts.sites.is_empty()) {
            (0, _, _) => Index::Object,
            (_, 1, true) => Index::Position,
            _ => Index::Both,
        };
        let sizes: Vec<Option<u64>> = parts.sites.iter().map(|(site, _)| site.size).collect();
        let sites = sizes.first().copied();
        let thing_size = |(id, _): &(ThingId, Extent)| self.memory.things.get(*id).size;
        let mut all = sizes.iter().copied().chain(parts.things.iter().map(thing_size));
        if all.any(|size| size.is_none_or(|size| size >= LARGE)) {
            return Home::None(format!("{name}, of objects whose size is not a constant"));
        }
        let needed = (start + ty.size(program.model) as i64) as u64;
        let mut all = sizes.iter().copied().chain(parts.things.iter().map(thing_size));
        if all.any(|size| size.is_none_or(|size| size < needed)) {
            return Home::None(format!("{name}, which lies beyond the end of objects"));
        }
        if index != Index::Object && sizes.iter().any(|size| Some(*size) != sites) {
            return Home::None(format!("{name}, of objects of different sizes"));
        }
        let defined = zeroed.all(true);
        let array = Array {
            name,
            region,
            ty,
            keeper: self.uses.keeper(region, viewer, defined),
            index,
            things: parts.things.iter().map(|(thing, _)| *thing).collect(),
            sites,
            start,
            stride,
            undefined: (!defined).then_some(zeroed),
            freed: !self.prepared.regions.lasting.contains(region),
        };
        self.memory.arrays.push(array);
        Home::Array(ArrayId(self.memory.arrays.len() as u32 - 1))
    }

    /// What each `Free` may end, and flags for these things.
    fn frees(&mut self) {
        for (id, role) in self.roles.iter() {
            let body = &self.prepared.program.procedures[role.procedure];
            for (at, edge) in body.edges() {
                if let Action::Free { storage, .. } = edge.action {
                    let found = self.freed_by(id, role.procedure, at, storage);
                    self.memory.frees_sites |= found.sites;
                    self.memory.freed.insert((id, at), found);
                }
            }
        }
        let mut users: FxHashMap<ThingId, FxHashSet<TemplateId>> = FxHashMap::default();
        for ((template, _), frees) in &self.memory.freed {
            for thing in &frees.things {
                users.entry(*thing).or_default().insert(*template);
            }
        }
        self.add_accessing(&mut users);
        let mut freed: Vec<(ThingId, FxHashSet<TemplateId>)> = users.into_iter().collect();
        freed.sort_by_key(|(thing, _)| *thing);
        for (thing, users) in freed {
            let mut users = users.into_iter();
            let keeper = match (users.next(), users.next()) {
                (Some(only), None) if self.only_maker(only, thing) => Keeper::Own(only),
                _ => Keeper::Shared,
            };
            let name = format!("{}.alive", self.memory.things.get(thing).name);
            let (ty, initial) = (Type::Bool, Const::Bool(false));
            let cell =
                self.memory.add(Cell { name, region: None, ty, initial, keeper, flag: true });
            self.memory.alive.insert(thing, cell);
        }
    }

    /// The flag of a thing can be the thread's own if it is the thread that makes it.
    fn only_maker(&self, template: TemplateId, thing: ThingId) -> bool {
        matches!(self.memory.things.get(thing).source, Source::Alloc(id, _) if id == template)
    }

    /// Who looks at things that are freed: all that access a region in which they lie.
    fn add_accessing(&self, users: &mut FxHashMap<ThingId, FxHashSet<TemplateId>>) {
        for (&(region, viewer), home) in &self.memory.homes {
            let things: Vec<ThingId> = match home {
                Home::Scalars(scalars) => scalars.iter().map(|s| s.thing).collect(),
                Home::Array(id) => self.memory.array(*id).things.clone(),
                Home::None(_) => Vec::new(),
            };
            let seen_by: Vec<TemplateId> = match viewer {
                Some(viewer) => vec![viewer],
                None => self.uses.users(region).collect(),
            };
            for thing in things {
                if let Some(known) = users.get_mut(&thing) {
                    known.extend(seen_by.iter().copied());
                }
            }
        }
    }

    fn freed_by(&self, id: TemplateId, procedure: ProcId, at: EdgeId, storage: Storage) -> Frees {
        let Some(freed) = self.prepared.regions.freed.get(&(procedure, at)) else {
            return Frees::default();
        };
        let viewer = freed.private.then_some(id);
        let program = &self.prepared.program;
        let extents = &self.prepared.regions.extents;
        let origins: FxHashSet<Origin> = match freed.regions.is_empty() {
            false => {
                let extents = freed.regions.iter().filter_map(|region| extents.get(region));
                extents.flatten().map(|extent| extent.origin).collect()
            }
            // What nobody accesses is in no region.
            true => {
                let known: FxHashSet<Origin> =
                    extents.values().flatten().map(|extent| extent.origin).collect();
                allocations(program).filter(|origin| !known.contains(origin)).collect()
            }
        };
        let mut frees = Frees::default();
        for origin in origins {
            let (things, sites) = self.memory.things.of_origin(program, self.roles, origin, viewer);
            frees.things.extend(things);
            frees.sites |= !sites.is_empty();
            frees.unclear |= sites.iter().any(|site| site.storage != storage);
        }
        frees.things.sort();
        frees.things.dedup();
        frees.things.retain(|thing| self.memory.things.get(*thing).storage == Some(storage));
        frees
    }
}

/// All places where something is allocated.
fn allocations(program: &Program) -> impl Iterator<Item = Origin> {
    program.procedures.iter().flat_map(|(id, procedure)| {
        let allocating = procedure.edges();
        let allocating = allocating.filter(|(_, e)| matches!(e.action, Action::Alloc { .. }));
        allocating.map(move |(at, _)| Origin::Alloc(id, at))
    })
}

/// What a region is made of.
#[derive(Default)]
struct Parts {
    things: Vec<(ThingId, Extent)>,
    sites: Vec<(Site, Extent)>,
}

impl Parts {
    /// Whether places are scalars of this size.
    fn are_single(&self, size: i64) -> bool {
        let extents = self.things.iter().map(|(_, e)| e).chain(self.sites.iter().map(|(_, e)| e));
        extents.into_iter().all(|extent| extent.length == size)
    }

    /// Every scalar by name, where these are few.
    fn scalars(&self, making: &Making<'_>) -> Option<Vec<(ThingId, i64)>> {
        if !self.sites.is_empty() {
            return None;
        }
        let mut places = Vec::new();
        for &(thing, extent) in &self.things {
            let size = making.memory.things.get(thing).size? as i64;
            let end = size - extent.length;
            if extent.stride == 0 {
                places.extend(
                    (0 <= extent.start && extent.start <= end).then_some((thing, extent.start)),
                );
                continue;
            }
            let mut offset = extent.start.rem_euclid(extent.stride);
            while offset <= end {
                places.push((thing, offset));
                offset += extent.stride;
                if places.len() > FEW {
                    return None;
                }
            }
        }
        (places.len() <= FEW).then_some(places)
    }

    /// Where scalars lie, if it is the same in every object.
    fn common_places(&self) -> Option<(i64, i64)> {
        let extents = self.things.iter().map(|(_, e)| e).chain(self.sites.iter().map(|(_, e)| e));
        let mut places = extents.map(|e| match e.stride {
            0 => (e.start, 0),
            stride => (e.start.rem_euclid(stride), stride),
        });
        let first = places.next()?;
        places.all(|place| place == first).then_some(first)
    }

    /// Which objects have content from the start: none where that cannot be said by number.
    fn zeroed(&self, making: &Making<'_>, stride: i64) -> Option<Zeroed> {
        let things: Vec<(ThingId, bool)> =
            self.things.iter().map(|(id, _)| (*id, making.memory.things.get(*id).zeroed)).collect();
        let mut sites = self.sites.iter().map(|(site, _)| site.zeroed);
        let sites = match sites.next() {
            None => None,
            Some(first) => Some(sites.all(|zeroed| zeroed == first).then_some(first)?),
        };
        let zeroed = Zeroed { things, sites };
        let mixed = !zeroed.all(true) && !zeroed.all(false);
        (!mixed || stride == 0).then_some(zeroed)
    }
}

/// Which objects of an array have content from the start.
#[derive(Clone, Debug)]
pub(super) struct Zeroed {
    pub things: Vec<(ThingId, bool)>,
    pub sites: Option<bool>,
}

impl Zeroed {
    /// Whether it is so of all.
    fn all(&self, zeroed: bool) -> bool {
        let sites = self.sites.is_none_or(|sites| sites == zeroed);
        sites && self.things.iter().all(|(_, thing)| *thing == zeroed)
    }
}

fn initial_at(initial: &[(u64, Const)], offset: i64) -> Option<Const> {
    let at = u64::try_from(offset).ok()?;
    initial.iter().find(|(o, _)| *o == at).map(|(_, value)| *value)
}

/// `q.head`, `arr[3]`, `main!x`.
fn scalar_name(program: &Program, thing: &super::objects::Thing, offset: i64) -> String {
    let size = program.layouts[thing.layout].size.max(1);
    let Ok(offset) = u64::try_from(offset) else { return thing.name.clone() };
    let element = match offset / size {
        0 if thing.size.is_none_or(|all| all <= size) => String::new(),
        n => format!("[{n}]"),
    };
    match program.scalar_at(thing.layout, offset % size) {
        Some((_, path)) => format!("{}{element}{path}", thing.name),
        None if offset == 0 => thing.name.clone(),
        None => format!("{}+{offset}", thing.name),
    }
}

/// Who accesses each region, and whether anybody writes it.
struct Uses {
    users: FxHashMap<RegionId, FxHashSet<TemplateId>>,
    written: FxHashSet<RegionId>,
    pools: FxHashSet<TemplateId>,
}

impl Uses {
    fn of(program: &Program, roles: &Roles) -> Uses {
        let mut uses = Uses {
            users: FxHashMap::default(),
            written: FxHashSet::default(),
            pools: roles.iter().filter(|(_, role)| role.pool).map(|(id, _)| id).collect(),
        };
        for (id, role) in roles.iter() {
            for (_, edge) in program.procedures[role.procedure].edges() {
                let Some(region) = edge.action.place().and_then(|place| place.region) else {
                    continue;
                };
                uses.users.entry(region).or_default().insert(id);
                if !matches!(edge.action, Action::Load { .. }) {
                    uses.written.insert(region);
                }
            }
        }
        uses
    }

    fn users(&self, region: RegionId) -> impl Iterator<Item = TemplateId> {
        self.users.get(&region).into_iter().flatten().copied()
    }

    fn uses(&self, region: RegionId, template: TemplateId) -> bool {
        self.users(region).any(|user| user == template)
    }

    fn keeper(&self, region: RegionId, viewer: Option<TemplateId>, defined: bool) -> Keeper {
        let mut users = self.users(region);
        match (viewer, users.next(), users.next()) {
            _ if defined && !self.written.contains(&region) => Keeper::Constant,
            (Some(viewer), _, _) => Keeper::Own(viewer),
            (None, Some(only), None) if !self.pools.contains(&only) => Keeper::Own(only),
            _ => Keeper::Shared,
        }
    }
}
