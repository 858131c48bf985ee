//! How the maps of a sequential program are held in Horn clauses.
//!
//! A map of few places is a variable for each. Otherwise it is an array: indexed by the offset where
//! there is one object, by the object where every object has one place, by both where that is needed.
//! A pointer takes two variables or arrays. A map whose accesses differ in type is not held: what is
//! read from it is anything, which is more than what can happen.

use rustc_hash::FxHashMap;
use selvedge_ir::{RegionId, Type};
use selvedge_passes::pointsto::Extent;
use selvedge_smt::translate::{Arithmetic, Types};
use selvedge_smt::{Sort, Terms};

use super::super::layout::{Layout, is_plain, offsets};
use super::super::program::SequentialProgram;
use super::objects::{Candidates, Objects};

/// A map of more places is an array.
const FEW: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Holding {
    /// Not at all.
    Unknown,
    /// A variable for each place: object and offset.
    Cells(Vec<(u32, i64)>),
    Array(Index),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Index {
    /// There is one object.
    Offset,
    /// Each object has one place.
    Object,
    Both,
}

#[derive(Clone, Debug)]
pub(super) struct Map {
    pub region: RegionId,
    pub ty: Type,
    pub bytes: u64,
    pub holding: Holding,
    pub candidates: Candidates,
    /// There is one scalar an object, wherever in it the address points.
    pub per_object: bool,
}

impl Map {
    /// The values that make up the map.
    pub fn values(&self) -> usize {
        match &self.holding {
            Holding::Unknown => 0,
            Holding::Cells(cells) => cells.len(),
            Holding::Array(_) => 1,
        }
    }

    pub fn is_array(&self) -> bool {
        matches!(self.holding, Holding::Array(_))
    }

    /// The sorts of a value: of a scalar, or of the array that holds all.
    pub fn sorts(&self, terms: &mut Terms, types: Types) -> Vec<Sort> {
        let elements = types.sorts(self.ty);
        let Holding::Array(index) = self.holding else { return elements.to_vec() };
        let index = index.sort(types);
        elements.iter().map(|&element| terms.array_sort(index, element)).collect()
    }
}

impl Index {
    pub fn sort(self, types: Types) -> Sort {
        let width = |sort| match sort {
            Sort::BitVec(width) => width,
            _ => 0,
        };
        let (object, offset) = (types.id_sort(), types.int_sort(types.offset_int()));
        match (self, types.arithmetic) {
            (Index::Offset, _) => offset,
            (Index::Object, _) => object,
            (Index::Both, Arithmetic::Bits) => Sort::BitVec(width(object) + width(offset)),
            (Index::Both, _) => Sort::Int,
        }
    }
}

/// The maps that are accessed.
pub(super) fn maps(
    program: &SequentialProgram,
    layout: &Layout<'_>,
    objects: &Objects,
) -> FxHashMap<RegionId, Map> {
    let mut found = FxHashMap::default();
    for region in program.program.regions.keys() {
        let types = layout.accesses(region);
        if let Some(&ty) = types.first() {
            found.insert(region, hold(program, objects, region, ty, types.len() == 1));
        }
    }
    agree(program, &mut found);
    found
}

/// Maps that are matched are held in one way.
fn agree(program: &SequentialProgram, maps: &mut FxHashMap<RegionId, Map>) {
    loop {
        let mut different = Vec::new();
        for (a, b) in &program.matches {
            let holding = |region| maps.get(region).map(|map: &Map| &map.holding);
            if holding(a) != holding(b) {
                different.extend([*a, *b]);
            }
        }
        if different.is_empty() {
            return;
        }
        for region in different {
            if let Some(map) = maps.get_mut(&region) {
                map.holding = Holding::Unknown;
            }
        }
    }
}

fn hold(
    program: &SequentialProgram,
    objects: &Objects,
    region: RegionId,
    ty: Type,
    uniform: bool,
) -> Map {
    let bytes = ty.size(program.program.model);
    let per_object = program.per_object.contains(&region);
    let mut candidates = objects.candidates(program, region);
    let declared = program.program.regions[region].ty;
    let holding = if !uniform || (declared.is_none() && !per_object) {
        Holding::Unknown
    } else if let Some(&(object, offset)) = program.exact.get(&region) {
        let fixed = objects.of_static(object);
        candidates = Candidates { fixed: vec![(fixed, Vec::new())], ..Candidates::default() };
        Holding::Cells(vec![(fixed.number, offset)])
    } else if per_object {
        let made = objects.made.values().filter_map(|made| made.number);
        let mut made: Vec<u32> = made.collect();
        made.sort_unstable();
        match objects.count() || made.len() > FEW {
            true => Holding::Array(Index::Object),
            false => Holding::Cells(made.into_iter().map(|number| (number, 0)).collect()),
        }
    } else {
        cells(&candidates, bytes)
            .map_or_else(|| Holding::Array(index(&candidates, bytes)), Holding::Cells)
    };
    Map { region, ty, bytes, holding, candidates, per_object }
}

/// All places, if they are known and few.
fn cells(candidates: &Candidates, bytes: u64) -> Option<Vec<(u32, i64)>> {
    if !candidates.known || !candidates.many.is_empty() {
        return None;
    }
    let mut cells = Vec::new();
    for (fixed, extents) in &candidates.fixed {
        for extent in extents {
            if !is_plain(extent, bytes) {
                return None;
            }
            let places = offsets(extent, bytes, fixed.size?, 2 * FEW - 1)?;
            cells.extend(places.into_iter().map(|at| (fixed.number, at)));
        }
        if cells.len() > FEW {
            return None;
        }
    }
    cells.sort_unstable();
    cells.dedup();
    Some(cells)
}

fn index(candidates: &Candidates, bytes: u64) -> Index {
    let one = |extents: &Vec<Extent>| match extents[..] {
        [extent] if extent.stride == 0 && extent.length == bytes as i64 => Some(extent.start),
        _ => None,
    };
    let fixed = candidates.fixed.iter().map(|(_, extents)| one(extents));
    let many: Vec<Option<i64>> = candidates.many.iter().map(|(_, extents)| one(extents)).collect();
    let alike = many.iter().all(|at| *at == many[0]);
    if candidates.known && alike && fixed.chain(many.iter().copied()).all(|at| at.is_some()) {
        Index::Object
    } else if candidates.fixed.len() == 1 && candidates.many.is_empty() {
        Index::Offset
    } else {
        Index::Both
    }
}
