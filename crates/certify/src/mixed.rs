//! Memory that is accessed at several types, or whose scalars may overlap.
//!
//! Each scalar that some access can mean is a variable of its own: what constant addresses name, and
//! for every type that is accessed in another way the scalars of that type which the objects' layouts
//! have (everywhere, where a layout is bytes). Writing one makes all that share bytes with it
//! unknown. What is unknown may be read as any number, if only numbers are there and all bytes have
//! content; otherwise reading it is an error.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{Const, LayoutId, Program, RegionId, Shape, Type};
use selvedge_passes::pointsto::{Extent, Origin};

use crate::objects::{Objects, Source, Thing, ThingId};

/// A region has no more scalars than this.
pub const MOST: usize = 256;

/// A scalar: the object, the first byte, the type.
pub type Site = (ThingId, i64, Type);

/// The scalars that accesses to a region can mean; none if there are too many, or the size of an
/// object is not known.
pub fn sites(
    program: &Program,
    objects: &Objects,
    region: RegionId,
    parts: &[(ThingId, Extent)],
) -> Option<Vec<Site>> {
    let mut indirect: BTreeSet<Type> = BTreeSet::new();
    let mut sites: BTreeSet<Site> = BTreeSet::new();
    for procedure in program.procedures.values() {
        for (_, edge) in procedure.edges() {
            let Some(place) = edge.action.place().filter(|p| p.region == Some(region)) else {
                continue;
            };
            match place.direct() {
                None => drop(indirect.insert(place.ty)),
                Some((object, at)) => {
                    for &(id, _) in parts {
                        let source = objects.thing(id).source;
                        if matches!(source, Source::Global(o) | Source::Own(_, o) if o == object) {
                            sites.insert((id, at, place.ty));
                        }
                    }
                }
            }
        }
    }
    let things: BTreeSet<ThingId> = parts.iter().map(|(id, _)| *id).collect();
    for id in things {
        let thing = objects.thing(id);
        let mut offsets: Vec<(i64, Type)> = Vec::new();
        if !laid_out(program, thing.layout, thing.size?, &indirect, &mut offsets) {
            return None;
        }
        sites.extend(offsets.into_iter().map(|(at, ty)| (id, at, ty)));
    }
    sites.retain(|&(id, at, ty)| {
        let end = at + ty.size(program.model) as i64;
        let size = objects.thing(id).size.map_or(0, |size| size as i64);
        let covered = |extent: &Extent| covers(extent, at, end);
        0 <= at && end <= size && parts.iter().any(|(of, extent)| *of == id && covered(extent))
    });
    (sites.len() <= MOST).then(|| sites.into_iter().collect())
}

/// Whether bytes lie in an extent.
pub fn covers(extent: &Extent, from: i64, to: i64) -> bool {
    if extent.stride == 1 {
        return true;
    }
    let first = match extent.stride {
        0 => from - extent.start,
        stride => (from - extent.start).rem_euclid(stride),
    };
    0 <= first && first + (to - from) <= extent.length
}

/// The scalars of an object of a layout, or of several one behind the other; false if too many.
fn laid_out(
    program: &Program,
    layout: LayoutId,
    size: u64,
    types: &BTreeSet<Type>,
    found: &mut Vec<(i64, Type)>,
) -> bool {
    let mut open: Vec<(LayoutId, u64)> = Vec::new();
    let element = program.layouts[layout].size;
    if element == 0 || of_bytes(program, layout) {
        anywhere(program, 0, size, types, found);
    } else {
        open.extend((0..(size / element).min(1 << 16)).map(|i| (layout, i * element)));
    }
    while let Some((layout, at)) = open.pop() {
        if found.len() > 4 * MOST {
            return false;
        }
        let data = &program.layouts[layout];
        match &data.shape {
            Shape::Scalar(ty) => found.extend(types.get(ty).map(|ty| (at as i64, *ty))),
            Shape::Struct(fields) | Shape::Union(fields) => {
                open.extend(fields.iter().map(|field| (field.layout, at + field.offset)));
            }
            Shape::Array { element, count } => {
                let size = program.layouts[*element].size;
                open.extend((0..(*count).min(1 << 16)).map(|i| (*element, at + i * size)));
            }
            Shape::Bytes => anywhere(program, at, data.size, types, found),
        }
    }
    found.len() <= 4 * MOST
}

/// All types at the multiples of their sizes.
fn anywhere(
    program: &Program,
    start: u64,
    size: u64,
    types: &BTreeSet<Type>,
    found: &mut Vec<(i64, Type)>,
) {
    for ty in types {
        let length = ty.size(program.model);
        let most = (size / length).min(8 * MOST as u64);
        found.extend((0..most).map(|i| ((start + i * length) as i64, *ty)));
    }
}

fn of_bytes(program: &Program, layout: LayoutId) -> bool {
    match &program.layouts[layout].shape {
        Shape::Array { element, .. } => of_bytes(program, *element),
        Shape::Scalar(ty) => matches!(ty, Type::Int(int) if int.width == 8),
        Shape::Bytes => true,
        Shape::Struct(_) | Shape::Union(_) => false,
    }
}

/// Whether two scalars share bytes.
pub fn share(program: &Program, a: &Site, b: &Site) -> bool {
    let end = |site: &Site| site.1 + site.2.size(program.model) as i64;
    a != b && a.0 == b.0 && a.1 < end(b) && b.1 < end(a)
}

/// What a scalar begins with: its value, and none where the object begins with other scalars there.
pub fn first_value(program: &Program, thing: &Thing, site: &Site) -> Option<Const> {
    let length = site.2.size(program.model) as i64;
    let mut value = Const::zero(site.2);
    for &(at, constant) in &thing.initial {
        let (at, size) = (at as i64, constant.ty().size(program.model) as i64);
        if at >= site.1 + length || site.1 >= at + size {
            continue;
        }
        if at != site.1 || constant.ty() != site.2 {
            return None;
        }
        value = constant;
    }
    Some(value)
}

/// Whether nothing can be said of the bits of such a scalar, or not all bits make one.
pub fn hides_bits(ty: Type) -> bool {
    match ty {
        Type::Ptr | Type::Thread | Type::Bool => true,
        Type::Int(_) => false,
    }
}

/// The regions that have bytes in common with another: accesses under one name would change what
/// stands under the other.
pub fn entangled(extents: &FxHashMap<RegionId, Vec<Extent>>) -> FxHashSet<RegionId> {
    let mut of: FxHashMap<Origin, Vec<(RegionId, Extent)>> = FxHashMap::default();
    for (&region, list) in extents {
        list.iter().for_each(|extent| of.entry(extent.origin).or_default().push((region, *extent)));
    }
    let mut found = FxHashSet::default();
    for list in of.values() {
        for (i, (region, a)) in list.iter().enumerate() {
            for (other, b) in list[..i].iter().filter(|(other, _)| other != region) {
                if common_byte(a, b) {
                    found.insert(*region);
                    found.insert(*other);
                }
            }
        }
    }
    found
}

/// Whether some byte belongs to both, each repeated by its stride without end.
pub fn common_byte(a: &Extent, b: &Extent) -> bool {
    let (mut period, mut rest) = (a.stride, b.stride);
    while rest != 0 {
        (period, rest) = (rest, period % rest);
    }
    let ahead = b.start - a.start;
    if period == 0 {
        return ahead < a.length && -ahead < b.length;
    }
    ahead.rem_euclid(period) < a.length || (-ahead).rem_euclid(period) < b.length
}
