//! Region splitting: memory is divided into parts that no access can leave.
//!
//! Each cell of the points-to analysis that an action accesses becomes a region (STORM splits its
//! `Mem` this way: Lahiri, Qadeer, Rakamarić, "Static and precise detection of concurrency errors
//! in systems code using SMT solvers", §4). Soundness: two places that can overlap lead to
//! overlapping bytes of one object; the points-to analysis gives both the same node, and its
//! cells are intervals of bytes that are merged as soon as an access touches two of them. So
//! places in different regions never overlap.

use std::fmt::Write;

use cranelift_entity::PrimaryMap;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{Action, EdgeId, ObjectId, ProcId, Program, Region, RegionId, Storage};

use crate::bits::BitSet;
use crate::limits::{Limits, Unprepared};
use crate::pointsto::{Extent, NodeId, Origin, PointsTo, Target};

/// What is known about regions beside their names and types.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    /// Regions whose objects a thread can reach only if it made them itself.
    pub private: BitSet<RegionId>,
    /// Regions that are one scalar of one global variable: variable and offset.
    pub exact: FxHashMap<RegionId, (ObjectId, i64)>,
    /// What each `Free` may end.
    pub freed: FxHashMap<(ProcId, EdgeId), Freed>,
    /// Regions of objects that no `Free` reaches.
    pub lasting: BitSet<RegionId>,
    /// All memory that belongs to a region.
    pub extents: FxHashMap<RegionId, Vec<Extent>>,
    /// What the pointers in a region may point to, beside null; where that is known.
    pub pointees: FxHashMap<RegionId, Vec<Pointee>>,
    /// An access may leave its region if it leaves the field or array that it names.
    pub assumed: bool,
}

/// What a pointer may point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pointee {
    /// A byte of what comes into being at one place.
    Memory(Origin, i64),
    Procedure(ProcId),
}

/// The objects that a `Free` may end.
#[derive(Clone, Debug, Default)]
pub struct Freed {
    /// Their regions, which count as written.
    pub regions: Vec<RegionId>,
    /// Whether only the thread that made such an object can reach it.
    pub private: bool,
}

/// Fills `Program::regions` and the region of every place.
pub fn split(program: &mut Program, limits: &Limits) -> Result<Regions, Unprepared> {
    let found = PointsTo::of(program, limits)?;
    let mut naming = Naming::default();
    let mut by_cell: FxHashMap<Target, RegionId> = FxHashMap::default();
    let mut regions: PrimaryMap<RegionId, Region> = PrimaryMap::new();
    let mut result = Regions::default();
    let mut cells: PrimaryMap<RegionId, Target> = PrimaryMap::new();
    let mut places: Vec<(ProcId, EdgeId, RegionId)> = Vec::new();
    for (id, procedure) in &program.procedures {
        limits.spend_on(procedure)?;
        for (at, _) in procedure.edges() {
            let Some(cell) = found.access(id, at) else { continue };
            let region = *by_cell.entry(cell).or_insert_with(|| {
                let name = naming.name(program, &found, cell);
                cells.push(cell);
                regions.push(Region { name, ty: found.cell_type(cell) })
            });
            places.push((id, at, region));
        }
    }
    let escaping: FxHashSet<NodeId> = found.escaping(program).into_iter().collect();
    let mut freed_nodes: FxHashSet<NodeId> = FxHashSet::default();
    for (id, procedure) in &program.procedures {
        limits.spend_on(procedure)?;
        for (at, edge) in procedure.edges() {
            if let Action::Free { .. } = edge.action
                && let Some(node) = found.freed(id, at)
            {
                freed_nodes.insert(node);
                let touched = found.cells(node).filter_map(|cell| by_cell.get(&cell).copied());
                let regions: Vec<RegionId> = touched.collect();
                limits.spend(regions.len())?;
                let private = !escaping.contains(&node);
                result.freed.insert((id, at), Freed { regions, private });
            }
        }
    }
    for (region, &cell) in &cells {
        let extents = found.extents(cell);
        limits.spend(extents.len())?;
        result.extents.insert(region, extents);
        if !escaping.contains(&cell.node) {
            result.private.insert(region);
        }
        if !freed_nodes.contains(&cell.node) {
            result.lasting.insert(region);
        }
        if let Some((object, Some(offset))) = found.only_object(cell)
            && regions[region].ty.is_some()
        {
            result.exact.insert(region, (object, offset));
        }
    }
    for (id, at, region) in places {
        let edge = &mut program.procedures[id].locations[at.from].edges[at.index as usize];
        if let Some(place) = edge.action.place_mut() {
            place.region = Some(region);
        }
    }
    program.regions = regions;
    Ok(result)
}

/// Names of regions: the variable and field where there is one, otherwise where it is made.
#[derive(Default)]
pub(crate) struct Naming {
    used: FxHashSet<String>,
    /// The last number given to each name.
    last: FxHashMap<String, u32>,
}

impl Naming {
    fn name(&mut self, program: &Program, found: &PointsTo, cell: Target) -> String {
        let base = match found.only_object(cell) {
            Some((object, offset)) => {
                let data = &program.objects[object];
                let path = offset
                    .and_then(|o| u64::try_from(o).ok())
                    .and_then(|o| program.scalar_at(data.layout, o));
                match (path, offset) {
                    (Some((_, path)), _) => format!("{}{path}", data.name),
                    (None, Some(offset)) => format!("{}+{offset}", data.name),
                    (None, None) => format!("{}[]", data.name),
                }
            }
            None => origin_name(program, found, cell),
        };
        self.unique(base)
    }

    /// The name, or one like it that is not taken.
    pub(crate) fn unique(&mut self, base: String) -> String {
        let mut name = base.clone();
        while !self.used.insert(name.clone()) {
            let count = self.last.entry(base.clone()).or_insert(1);
            *count += 1;
            name = format!("{base}#{count}");
        }
        name
    }
}

fn origin_name(program: &Program, found: &PointsTo, cell: Target) -> String {
    let origins = found.origins(cell.node);
    let mut name = match origins.first() {
        None => "nothing".to_owned(),
        Some(Origin::Object(object)) => program.objects[*object].name.clone(),
        Some(Origin::Alloc(procedure, at)) => {
            let procedure = &program.procedures[*procedure];
            match procedure.edge(*at).action {
                Action::Alloc { to, storage: Storage::Stack, .. } => {
                    procedure.locals[to].name.clone()
                }
                _ => format!("heap.{}", procedure.name),
            }
        }
    };
    if origins.len() > 1 {
        name.push_str("...");
    }
    if cell.offset != 0 {
        let _ = write!(name, "+{}", cell.offset);
    }
    name
}

/// A listing of the regions and what is known of them.
pub fn listing(program: &Program, regions: &Regions) -> String {
    let mut out = String::new();
    for (id, region) in &program.regions {
        let ty = region.ty.map_or("mixed".to_owned(), |ty| ty.to_string());
        let private = if regions.private.contains(id) { ", private" } else { "" };
        let lasting = if regions.lasting.contains(id) { "" } else { ", freed" };
        let _ = writeln!(out, "region {}: {ty}{private}{lasting}", region.name);
    }
    out
}
