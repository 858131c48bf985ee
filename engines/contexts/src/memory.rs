//! The maps of the sequential program: one for each region, or one for each region and context.

use std::collections::BTreeSet;
use std::rc::Rc;

use cranelift_entity::SecondaryMap;
use selvedge_ir::{
    Action, Const, Expr, Int, Object, ObjectId, Place, Program, Region, RegionId, Shape,
    Sharing as Home, Type,
};
use selvedge_passes::Prepared;
use selvedge_passes::pointsto::{Extent, Origin};
use selvedge_passes::regions::Pointee;

use super::slots::Slots;
use selvedge_sequential::{Guess, SequentialProgram};

/// Where a region's content is.
#[derive(Clone, Debug, Default)]
pub enum Maps {
    /// Nothing accesses it.
    #[default]
    None,
    /// Its content is left out: a read gives any value. The map, if there is one, is only there for
    /// the question whether its memory may be accessed.
    Untracked(Option<RegionId>),
    One(RegionId),
    /// One for each context, from the first on.
    Each(Vec<RegionId>),
}

impl Maps {
    pub fn all(&self) -> &[RegionId] {
        match self {
            Maps::None | Maps::Untracked(None) => &[],
            Maps::One(map) | Maps::Untracked(Some(map)) => std::slice::from_ref(map),
            Maps::Each(maps) => maps,
        }
    }
}

/// How a region is to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    No,
    Untracked {
        /// Whether accesses can go wrong.
        faults: bool,
    },
    Once,
    /// In so many copies.
    PerContext(u32),
}

/// The regions of the concurrent program as maps of the sequential one.
#[derive(Clone, Debug)]
pub struct Memory {
    pub maps: SecondaryMap<RegionId, Maps>,
    /// All that a region's scalars can hold, where that is little.
    pub guesses: SecondaryMap<RegionId, Option<Rc<[Guess]>>>,
    /// By slot and object kept per thread: that thread's instance.
    instances: Vec<SecondaryMap<ObjectId, Option<ObjectId>>>,
    /// What stands for thread identifiers: 0 is none, n + 1 is slot n.
    pub thread: Int,
    /// Whether an object has been freed: of objects that several threads reach, and of the others.
    pub freed: Maps,
    pub freed_private: Maps,
}

impl Memory {
    /// Changes the program's layouts, objects and regions. `lifetimes` is the number of copies of
    /// what is known about the lives of objects, if anything is.
    pub fn make(
        prepared: &Prepared,
        slots: &Slots,
        program: &mut Program,
        kept: &dyn Fn(RegionId) -> Kept,
        lifetimes: Option<u32>,
    ) -> Memory {
        let thread = prepared.program.model.size_type();
        for layout in program.layouts.values_mut() {
            if let Shape::Scalar(ty @ Type::Thread) = &mut layout.shape {
                *ty = Type::Int(thread);
            }
        }
        let instances = instances(slots, program);
        let (maps, none) = (SecondaryMap::new(), Maps::None);
        let guesses = guesses(prepared, slots, &instances, thread);
        let mut memory =
            Memory { maps, guesses, instances, thread, freed: none.clone(), freed_private: none };
        program.regions.clear();
        for (region, Region { name, ty }) in &prepared.program.regions {
            let ty = ty.map(|ty| memory.scalar(ty));
            let mut new = |name: String| program.regions.push(Region { name, ty });
            memory.maps[region] = match kept(region) {
                Kept::No => Maps::None,
                Kept::Untracked { faults } => Maps::Untracked(faults.then(|| new(name.clone()))),
                Kept::Once => Maps::One(new(name.clone())),
                Kept::PerContext(n) => {
                    Maps::Each((1..=n).map(|i| new(format!("{name}@{i}"))).collect())
                }
            };
        }
        if let Some(copies) = lifetimes {
            let ty = Some(Type::Bool);
            let mut new = |name: String| program.regions.push(Region { name, ty });
            memory.freed_private = Maps::One(new("#freed".into()));
            memory.freed = Maps::Each((1..=copies).map(|i| new(format!("#freed@{i}"))).collect());
        }
        memory
    }

    /// Says which maps start unknown, which must match, and which are one scalar.
    pub fn describe(&self, prepared: &Prepared, slots: &Slots, result: &mut SequentialProgram) {
        let direct = direct_regions(slots);
        for lives in [&self.freed, &self.freed_private] {
            result.per_object.extend(lives.all());
        }
        let lives = [&self.freed, &self.freed_private];
        for maps in self.maps.values().chain(lives) {
            let all = maps.all();
            result.arbitrary.extend(all.iter().skip(1));
            result.matches.extend(all.windows(2).map(|pair| (pair[0], pair[1])));
        }
        for (region, maps) in self.maps.iter() {
            let all = maps.all();
            let extents = self.extents(prepared, region);
            if let (Some(guesses), Maps::Each(copies)) = (&self.guesses[region], maps) {
                let unknown = copies.iter().skip(1);
                result.contents.extend(unknown.map(|&map| (map, guesses.clone())));
            }
            result.extents.extend(all.iter().map(|&map| (map, extents.clone())));
            let Some(&(object, offset)) = prepared.regions.exact.get(&region) else { continue };
            let single =
                slots.list.len() == 1 || prepared.program.objects[object].sharing == Home::Shared;
            if single && direct[region] != Some(false) {
                result.exact.extend(all.iter().map(|&map| (map, (object, offset))));
            }
        }
    }

    /// The memory of a region, with all threads' instances of objects.
    fn extents(&self, prepared: &Prepared, region: RegionId) -> Vec<Extent> {
        let mut found = Vec::new();
        for extent in prepared.regions.extents.get(&region).into_iter().flatten() {
            found.push(*extent);
            if let Origin::Object(object) = extent.origin {
                let copies = self.instances.iter().filter_map(|made| made[object]);
                found.extend(copies.map(|o| Extent { origin: Origin::Object(o), ..*extent }));
            }
        }
        found
    }

    /// The type that stands for a type.
    pub fn scalar(&self, ty: Type) -> Type {
        if ty == Type::Thread { Type::Int(self.thread) } else { ty }
    }

    /// The value that stands for a slot's thread.
    pub fn identity(&self, slot: u32) -> Expr {
        Expr::int(i128::from(slot) + 1, self.thread)
    }

    /// The instance of an object that a slot's thread means.
    pub fn instance(&self, slot: u32, object: ObjectId) -> ObjectId {
        self.instances[slot as usize][object].unwrap_or(object)
    }

    /// A constant as a slot's thread means it.
    pub fn constant(&self, slot: u32, constant: Const) -> Const {
        match constant {
            Const::NoThread => Const::Int(0, self.thread),
            Const::Object(object, offset) => Const::Object(self.instance(slot, object), offset),
            other => other,
        }
    }
}

/// More values than this are not listed.
const FEW: usize = 12;

/// What the scalars of regions can hold: the identifiers of threads, the constants that are stored,
/// or what pointers point to. What a region starts with counts, too.
fn guesses(
    prepared: &Prepared,
    slots: &Slots,
    instances: &[SecondaryMap<ObjectId, Option<ObjectId>>],
    thread: Int,
) -> SecondaryMap<RegionId, Option<Rc<[Guess]>>> {
    let stored = stored(prepared);
    let mut all: SecondaryMap<RegionId, Option<Rc<[Guess]>>> = SecondaryMap::new();
    for (region, data) in &prepared.program.regions {
        let list: Option<Vec<Guess>> = match data.ty {
            Some(Type::Thread) => {
                let identity = |i: usize| Guess::Constant(Const::Int(i as u64, thread));
                Some((0..=slots.list.len()).map(identity).collect())
            }
            Some(Type::Ptr) => prepared.regions.pointees.get(&region).map(|pointees| {
                let mut list = vec![Guess::Constant(Const::Null)];
                list.extend(pointees.iter().flat_map(|p| pointed_to(*p, instances)));
                list
            }),
            _ => {
                stored[region].clone().map(|found| found.into_iter().map(Guess::Constant).collect())
            }
        };
        let few = list.filter(|list| !list.is_empty() && list.len() <= FEW);
        all[region] = few.map(Rc::from);
    }
    all
}

/// A pointer's values, with all threads' instances of an object.
fn pointed_to(
    pointee: Pointee,
    instances: &[SecondaryMap<ObjectId, Option<ObjectId>>],
) -> Vec<Guess> {
    match pointee {
        Pointee::Procedure(procedure) => vec![Guess::Constant(Const::Proc(procedure))],
        Pointee::Memory(Origin::Alloc(procedure, edge), offset) => {
            vec![Guess::Made(procedure, edge, offset)]
        }
        Pointee::Memory(Origin::Object(object), offset) => {
            let copies = instances.iter().filter_map(|made| made[object]);
            let all = std::iter::once(object).chain(copies);
            all.map(|object| Guess::Constant(Const::Object(object, offset))).collect()
        }
    }
}

/// By region: what is in it at the start and what is stored there, where these are constants of
/// integers and bools.
fn stored(prepared: &Prepared) -> SecondaryMap<RegionId, Option<BTreeSet<Const>>> {
    let mut all: SecondaryMap<RegionId, Option<BTreeSet<Const>>> = SecondaryMap::new();
    for (region, data) in &prepared.program.regions {
        let Some(ty @ (Type::Int(_) | Type::Bool)) = data.ty else { continue };
        let extents = prepared.regions.extents.get(&region);
        all[region] = extents.and_then(|extents| initial(prepared, extents, ty));
    }
    for (_, edge) in prepared.program.procedures.values().flat_map(|p| p.edges()) {
        let Action::Store { to, value, .. } = &edge.action else { continue };
        let Some(region) = to.region else { continue };
        match value {
            Expr::Const(constant) if Some(constant.ty()) == prepared.program.regions[region].ty => {
                if let Some(known) = &mut all[region] {
                    known.insert(*constant);
                }
            }
            _ => all[region] = None,
        }
    }
    all
}

/// What some memory holds at the start; none if that is not known.
fn initial(prepared: &Prepared, extents: &[Extent], ty: Type) -> Option<BTreeSet<Const>> {
    let program = &prepared.program;
    let mut found = BTreeSet::from([Const::zero(ty)]);
    for extent in extents {
        match extent.origin {
            Origin::Object(object) => {
                for &(at, constant) in &program.objects[object].init {
                    let (at, size) = (at as i64, constant.ty().size(program.model) as i64);
                    let end = extent.start + extent.length;
                    if extent.stride == 0 && (at >= end || at + size <= extent.start) {
                        continue;
                    }
                    if constant.ty() != ty || (extent.stride == 0 && at != extent.start) {
                        return None;
                    }
                    found.insert(constant);
                }
            }
            Origin::Alloc(procedure, edge) => {
                match &program.procedures[procedure].edge(edge).action {
                    Action::Alloc { zeroed: true, .. } => {}
                    _ => return None,
                }
            }
        }
    }
    Some(found)
}

/// Whether all accesses to a region are by constant addresses: through a pointer, it may be null.
fn direct_regions(slots: &Slots) -> SecondaryMap<RegionId, Option<bool>> {
    let mut direct: SecondaryMap<RegionId, Option<bool>> = SecondaryMap::new();
    for (_, edge) in slots.list.iter().flat_map(|slot| slot.code.body.edges()) {
        if let Some(place) = edge.action.place()
            && let Some(region) = place.region
        {
            let all = direct[region].unwrap_or(true);
            direct[region] = Some(all && place.direct().is_some());
        }
    }
    direct
}

/// Gives every slot but the first its own copy of each object kept per thread.
fn instances(
    slots: &Slots,
    program: &mut Program,
) -> Vec<SecondaryMap<ObjectId, Option<ObjectId>>> {
    let own: Vec<ObjectId> = (program.objects.iter())
        .filter(|(_, object)| object.sharing == Home::PerThread)
        .map(|(id, _)| id)
        .collect();
    let mut all = vec![SecondaryMap::new()];
    for slot in 1..slots.list.len() {
        let mut made: SecondaryMap<ObjectId, Option<ObjectId>> = SecondaryMap::new();
        for &object in &own {
            let source = program.objects[object].clone();
            let name = format!("{}@T{}", source.name, slot + 1);
            made[object] = Some(program.objects.push(Object { name, ..source }));
        }
        for &object in &own {
            let Some(copy) = made[object] else { continue };
            for (_, value) in &mut program.objects[copy].init {
                if let Const::Object(other, _) = value
                    && let Some(instance) = made[*other]
                {
                    *other = instance;
                }
            }
        }
        all.push(made);
    }
    for object in program.objects.values_mut() {
        object.sharing = Home::Shared;
    }
    all
}

/// The same place in another map.
pub fn in_map(place: &Place, map: RegionId) -> Place {
    Place { region: Some(map), ..place.clone() }
}
