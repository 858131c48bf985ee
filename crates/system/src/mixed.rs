//! Regions that are accessed at several types, or at places that may overlap: unions, memory that
//! is looked at byte by byte, lists through different structures.
//!
//! Such a region is followed by the scalars that its accesses can mean: those at constant addresses,
//! and for other accesses of a type the scalars of that type in the layouts of the objects. An
//! access that goes anywhere else is a bad step. A scalar that others overlap has a flag that says
//! whether it was the last of them to be written; where it was not, reading it gives any value, or
//! is a bad step where the bytes may be those of a pointer or a thread, which nobody knows.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{Const, DataModel, LayoutId, Program, RegionId, Shape, Type};
use selvedge_passes::pointsto::{Extent, Origin};

use super::objects::{Source, Thing, ThingId, Things};

/// A region of more scalars than this is not followed.
const MOST: usize = 256;

/// A scalar that accesses may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Spot {
    pub thing: ThingId,
    pub offset: i64,
    pub ty: Type,
}

impl Spot {
    fn end(&self, model: DataModel) -> i64 {
        self.offset + self.ty.size(model) as i64
    }

    pub fn overlaps(&self, other: &Spot, model: DataModel) -> bool {
        let apart = self.end(model) <= other.offset || other.end(model) <= self.offset;
        self.thing == other.thing && !apart
    }
}

/// What a scalar holds before anything is written.
pub(super) struct Beginning {
    pub value: Const,
    /// It begins with other content than can be said in its type.
    pub blurred: bool,
}

/// All scalars that accesses to a region may mean, in order; none if these are too many.
pub(super) fn spots(
    program: &Program,
    things: &Things,
    region: RegionId,
    extents: &[(ThingId, Extent)],
) -> Option<Vec<Spot>> {
    let mut found: FxHashSet<Spot> = FxHashSet::default();
    let mut types: Vec<Type> = Vec::new();
    let edges = program.procedures.values().flat_map(|procedure| procedure.edges());
    for place in edges.filter_map(|(_, edge)| edge.action.place()) {
        if place.region != Some(region) {
            continue;
        }
        let Some((object, offset)) = place.direct() else {
            types.push(place.ty);
            continue;
        };
        let is = |thing: &Thing| match thing.source {
            Source::Global(of) | Source::Own(_, of) => of == object,
            Source::Alloc(..) => false,
        };
        let named = extents.iter().filter(|(id, _)| is(things.get(*id)));
        found.extend(named.map(|&(thing, _)| Spot { thing, offset, ty: place.ty }));
    }
    types.sort();
    types.dedup();
    let all: FxHashSet<ThingId> = extents.iter().map(|(thing, _)| *thing).collect();
    for thing in all {
        let data = things.get(thing);
        let mut laid = Laid { program, types: &types, thing, found: Vec::new() };
        laid.object(data.layout, data.size?)?;
        found.extend(laid.found);
    }
    let inside = |spot: &Spot| {
        let size = things.get(spot.thing).size.unwrap_or(0);
        let fits = spot.offset >= 0 && spot.end(program.model) <= size as i64;
        fits && extents.iter().any(|(thing, extent)| {
            *thing == spot.thing && holds(extent, spot.offset, spot.end(program.model))
        })
    };
    let mut found: Vec<Spot> = found.into_iter().filter(inside).collect();
    found.sort();
    (found.len() <= MOST).then_some(found)
}

/// Whether bytes lie in an extent.
fn holds(extent: &Extent, start: i64, end: i64) -> bool {
    match extent.stride {
        0 => extent.start <= start && end <= extent.start + extent.length,
        1 => true,
        stride => {
            let from = (start - extent.start).rem_euclid(stride);
            from + (end - start) <= extent.length
        }
    }
}

/// The scalars of some types in the layout of an object.
struct Laid<'a> {
    program: &'a Program,
    types: &'a [Type],
    thing: ThingId,
    found: Vec<Spot>,
}

impl Laid<'_> {
    fn object(&mut self, layout: LayoutId, size: u64) -> Option<()> {
        let element = self.program.layouts[layout].size;
        if element == 0 || self.is_raw(layout) {
            return self.bytes(0, size);
        }
        for at in 0..size / element {
            self.layout(layout, (at * element) as i64)?;
        }
        Some(())
    }

    /// Memory of single bytes is where everything may be put.
    fn is_raw(&self, layout: LayoutId) -> bool {
        match &self.program.layouts[layout].shape {
            Shape::Bytes => true,
            Shape::Scalar(Type::Int(int)) => int.size() == 1,
            Shape::Array { element, .. } => self.is_raw(*element),
            _ => false,
        }
    }

    /// Every type, at every multiple of its size.
    fn bytes(&mut self, start: i64, size: u64) -> Option<()> {
        for &ty in self.types {
            let step = ty.size(self.program.model);
            for at in 0..size / step {
                self.add(start + (at * step) as i64, ty)?;
            }
        }
        Some(())
    }

    fn layout(&mut self, layout: LayoutId, at: i64) -> Option<()> {
        let data = &self.program.layouts[layout];
        match &data.shape {
            Shape::Scalar(ty) if self.types.contains(ty) => self.add(at, *ty),
            Shape::Scalar(_) => Some(()),
            Shape::Struct(fields) | Shape::Union(fields) => {
                fields.iter().try_for_each(|f| self.layout(f.layout, at + f.offset as i64))
            }
            Shape::Array { element, count } => {
                let size = self.program.layouts[*element].size;
                (0..*count).try_for_each(|i| self.layout(*element, at + (i * size) as i64))
            }
            Shape::Bytes => self.bytes(at, data.size),
        }
    }

    fn add(&mut self, offset: i64, ty: Type) -> Option<()> {
        self.found.push(Spot { thing: self.thing, offset, ty });
        (self.found.len() <= 4 * MOST).then_some(())
    }
}

/// What a scalar begins with.
pub(super) fn beginning(thing: &Thing, spot: &Spot, model: DataModel) -> Beginning {
    let end = spot.end(model);
    let touches = |&&(at, value): &&(u64, Const)| {
        let at = at as i64;
        at < end && spot.offset < at + value.ty().size(model) as i64
    };
    let mut found = thing.initial.iter().filter(touches);
    match (found.next(), found.next()) {
        (None, _) => Beginning { value: Const::zero(spot.ty), blurred: false },
        (Some(&(at, value)), None) if at as i64 == spot.offset && value.ty() == spot.ty => {
            Beginning { value, blurred: false }
        }
        _ => Beginning { value: Const::zero(spot.ty), blurred: true },
    }
}

/// Whether an initial value is a scalar of the type in an extent, or outside of it.
pub(super) fn agrees(extent: &Extent, at: i64, value: Const, ty: Type, model: DataModel) -> bool {
    let length = value.ty().size(model) as i64;
    let bytes = Extent { start: at, length, stride: 0, ..*extent };
    let exact = match extent.stride {
        0 => at == extent.start,
        stride => (at - extent.start) % stride == 0,
    };
    exact && value.ty() == ty || !meet(extent, &bytes)
}

/// Whether nothing is known of the bytes of a scalar of the type, or not every byte makes one.
pub(super) fn is_opaque(ty: Type) -> bool {
    matches!(ty, Type::Ptr | Type::Thread | Type::Bool)
}

/// Where two regions may have bytes in common, which then cannot be followed apart.
pub(super) fn shared_bytes<'a>(
    regions: impl Iterator<Item = (RegionId, &'a Vec<Extent>)>,
) -> FxHashSet<RegionId> {
    let mut by_origin: FxHashMap<Origin, Vec<(RegionId, Extent)>> = FxHashMap::default();
    for (region, extents) in regions {
        for extent in extents {
            by_origin.entry(extent.origin).or_default().push((region, *extent));
        }
    }
    let mut found = FxHashSet::default();
    for all in by_origin.values() {
        for (index, (one, a)) in all.iter().enumerate() {
            let others = all[index + 1..].iter();
            for (other, _) in others.filter(|(other, b)| one != other && meet(a, b)) {
                found.extend([*one, *other]);
            }
        }
    }
    found
}

fn meet(a: &Extent, b: &Extent) -> bool {
    let distance = b.start - a.start;
    match gcd(a.stride, b.stride) {
        0 => -b.length < distance && distance < a.length,
        stride => {
            let distance = distance.rem_euclid(stride);
            distance < a.length || distance + b.length > stride
        }
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
