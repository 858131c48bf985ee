//! The maps of the sequential program: one for each region, or one for each region and context.

use cranelift_entity::SecondaryMap;
use selvedge_ir::{
    Const, Expr, Int, Object, ObjectId, Place, Program, Region, RegionId, Shape, Sharing as Home,
    Type,
};
use selvedge_passes::Prepared;

use super::slots::Slots;
use crate::sequential::SequentialProgram;

/// Where a region's content is.
#[derive(Clone, Debug, Default)]
pub enum Maps {
    /// Nothing accesses it.
    #[default]
    None,
    /// Its content is left out: a read gives any value.
    Untracked,
    One(RegionId),
    /// One for each context, from the first on.
    Each(Vec<RegionId>),
}

/// How a region is to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    No,
    Untracked,
    Once,
    /// In so many copies.
    PerContext(u32),
}

/// The regions of the concurrent program as maps of the sequential one.
#[derive(Clone, Debug)]
pub struct Memory {
    pub maps: SecondaryMap<RegionId, Maps>,
    /// By slot and object kept per thread: that thread's instance.
    instances: Vec<SecondaryMap<ObjectId, Option<ObjectId>>>,
    /// What stands for thread identifiers: 0 is none, n + 1 is slot n.
    pub thread: Int,
}

impl Memory {
    /// Changes the program's layouts, objects and regions.
    pub fn make(
        prepared: &Prepared,
        slots: &Slots,
        program: &mut Program,
        kept: &dyn Fn(RegionId) -> Kept,
    ) -> Memory {
        let thread = prepared.program.model.size_type();
        for layout in program.layouts.values_mut() {
            if let Shape::Scalar(ty @ Type::Thread) = &mut layout.shape {
                *ty = Type::Int(thread);
            }
        }
        let instances = instances(slots, program);
        let mut memory = Memory { maps: SecondaryMap::new(), instances, thread };
        program.regions.clear();
        for (region, Region { name, ty }) in &prepared.program.regions {
            let ty = ty.map(|ty| memory.scalar(ty));
            let mut new = |name: String| program.regions.push(Region { name, ty });
            memory.maps[region] = match kept(region) {
                Kept::No => Maps::None,
                Kept::Untracked => Maps::Untracked,
                Kept::Once => Maps::One(new(name.clone())),
                Kept::PerContext(n) => {
                    Maps::Each((1..=n).map(|i| new(format!("{name}@{i}"))).collect())
                }
            };
        }
        memory
    }

    /// Says which maps start unknown, which must match, and which are one scalar.
    pub fn describe(&self, prepared: &Prepared, slots: &Slots, result: &mut SequentialProgram) {
        let direct = direct_regions(slots);
        for (region, maps) in self.maps.iter() {
            let all = match maps {
                Maps::One(map) => std::slice::from_ref(map),
                Maps::Each(maps) => &maps[..],
                _ => continue,
            };
            result.arbitrary.extend(&all[1..]);
            result.matches.extend(all.windows(2).map(|pair| (pair[0], pair[1])));
            let Some(&(object, offset)) = prepared.regions.exact.get(&region) else { continue };
            let single =
                slots.list.len() == 1 || prepared.program.objects[object].sharing == Home::Shared;
            if single && direct[region] != Some(false) {
                result.exact.extend(all.iter().map(|&map| (map, (object, offset))));
            }
        }
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
