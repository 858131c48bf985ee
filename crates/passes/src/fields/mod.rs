//! Regions by fields: memory divided as finely as the program's structures are.
//!
//! STORM takes a program to be *field-safe* (Lahiri, Qadeer, Rakamarić, "Static and precise
//! detection of concurrency errors in systems code using SMT solvers", §2.1): a pointer to a member
//! of a structure is used for that member only, or taken back to the structure around it, and an
//! index stays within its array. Under this assumption lists that run through the members of
//! several structures, and arrays inside structures, do not make everything one region.
//!
//! So where `assumed` is set, the regions are those of a program that stops when an access leaves
//! its field. What goes wrong in that program before such an access goes wrong in the program
//! itself; that nothing goes wrong means nothing if accesses leave their fields.

mod parts;
mod solve;

use std::collections::BTreeMap;

use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;
use selvedge_ir::{Action, EdgeId, ObjectId, ProcId, Program, Region, RegionId, Storage, Type};

use crate::callgraph::pointer;
use crate::limits::{Limits, Unprepared};
use crate::pointsto::{Extent, Origin};
use crate::regions::{Freed, Naming, Pointee, Regions};
use solve::{Block, Found, Summary, What, object_of};

/// More elements of an array than this are described by their distance.
const LISTED: i64 = 256;

/// The procedures that each of these calls and spawns through a pointer may reach.
pub fn callees(
    program: &Program,
    sites: &[(ProcId, EdgeId)],
    limits: &Limits,
) -> Result<Vec<Vec<ProcId>>, Unprepared> {
    let found = Found::of(program, Vec::new(), limits)?;
    let candidates = |&(id, at): &(ProcId, EdgeId)| {
        let pointer = pointer(&program.procedures[id].edge(at).action);
        pointer.map_or(Vec::new(), |pointer| found.callees(program, id, pointer))
    };
    Ok(sites.iter().map(candidates).collect())
}

/// Bytes of a block that accesses have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    block: Block,
    start: i64,
    end: i64,
}

/// One access, with the bytes that it may touch.
struct Access {
    at: (ProcId, EdgeId),
    ty: Type,
    bytes: Vec<Cell>,
}

/// Fills `Program::regions` and the region of every place.
pub fn split(program: &mut Program, limits: &Limits) -> Result<Regions, Unprepared> {
    let (found, accesses) = solved(program, limits)?;
    let cells = cells(&accesses);
    let classes = classes(&accesses, &cells);
    let mut naming = Naming::default();
    let mut regions: PrimaryMap<RegionId, Region> = PrimaryMap::new();
    let mut of_class: BTreeMap<usize, RegionId> = BTreeMap::new();
    let mut result = Regions { assumed: found.assumed, ..Regions::default() };
    let mut members: FxHashMap<usize, Vec<Cell>> = FxHashMap::default();
    for (index, cell) in cells.iter().enumerate() {
        members.entry(classes[index]).or_default().push(*cell);
    }
    let mut of_region: PrimaryMap<RegionId, Vec<Cell>> = PrimaryMap::new();
    for Access { at: (id, at), ty, bytes } in &accesses {
        let class = bytes.first().map(|first| classes[cell_of(&cells, first)]);
        let mut make = || {
            let cells = class.map_or(Vec::new(), |class| members[&class].clone());
            let name = naming.unique(name(program, &found, &cells));
            of_region.push(cells);
            regions.push(Region { name, ty: Some(*ty) })
        };
        let region = match class {
            Some(class) => *of_class.entry(class).or_insert_with(make),
            None => make(),
        };
        if regions[region].ty != Some(*ty) {
            regions[region].ty = None;
        }
        let edge = &mut program.procedures[*id].locations[at.from].edges[at.index as usize];
        if let Some(place) = edge.action.place_mut() {
            place.region = Some(region);
        }
    }
    program.regions = regions;
    describe(program, &found, &of_region, &mut result, limits)?;
    Ok(result)
}

/// What is known of the regions.
fn describe(
    program: &Program,
    found: &Found,
    of_region: &PrimaryMap<RegionId, Vec<Cell>>,
    result: &mut Regions,
    limits: &Limits,
) -> Result<(), Unprepared> {
    let escaping = found.escaping(program);
    let mut freed: Vec<Block> = Vec::new();
    for (id, procedure) in &program.procedures {
        for (at, edge) in procedure.edges() {
            let Action::Free { addr, .. } = &edge.action else { continue };
            limits.spend(of_region.len())?;
            let targets = found.targets(program, id, addr);
            let blocks: Vec<Block> = targets.iter().map(|spot| spot.0).collect();
            let touches = |cells: &Vec<Cell>| cells.iter().any(|c| blocks.contains(&c.block));
            let regions = of_region.iter().filter(|(_, cells)| touches(cells));
            let regions = regions.map(|(region, _)| region).collect();
            let private = !blocks.iter().any(|block| escaping.contains(block));
            result.freed.insert((id, at), Freed { regions, private });
            freed.extend(blocks);
        }
    }
    for (region, cells) in of_region {
        let mut extents = Vec::new();
        for cell in cells {
            extents.extend(extents_of(found, cell));
        }
        limits.spend(cells.len() + extents.len())?;
        if !cells.iter().any(|cell| escaping.contains(&cell.block)) {
            result.private.insert(region);
        }
        if !cells.iter().any(|cell| freed.contains(&cell.block)) {
            result.lasting.insert(region);
        }
        if let ([only], [extent]) = (&cells[..], &extents[..])
            && let Some(object) = object_of(&found.blocks[only.block.0 as usize])
            && (extent.stride, extent.length) == (0, only.end - only.start)
            && let Some(ty) = program.regions[region].ty
            && ty.size(program.model) as i64 == only.end - only.start
        {
            result.exact.insert(region, (object, only.start));
        }
        result.extents.insert(region, extents);
        if program.regions[region].ty == Some(Type::Ptr)
            && let Some(pointees) = pointees(found, cells)
        {
            result.pointees.insert(region, pointees);
        }
    }
    Ok(())
}

/// What pointers in some cells may point to.
fn pointees(found: &Found, cells: &[Cell]) -> Option<Vec<Pointee>> {
    let mut all = Vec::new();
    for cell in cells {
        all.extend(found.pointees(cell.block, cell.start)?);
    }
    all.sort_unstable();
    all.dedup();
    Some(all)
}

/// The analysis and the accesses. Where one reaches over the end of an element, nothing is known of
/// what stands where in the array: then it has elements of one byte.
fn solved(program: &Program, limits: &Limits) -> Result<(Found, Vec<Access>), Unprepared> {
    let mut summaries = Vec::new();
    loop {
        let found = Found::of(program, summaries, limits)?;
        let mut split = found.summaries.clone();
        let accesses = accesses(program, &found, &mut split, limits)?;
        if split == found.summaries {
            return Ok((found, accesses));
        }
        summaries = split;
    }
}

/// All accesses; arrays that are to have elements of one byte are added to `summaries`.
fn accesses(
    program: &Program,
    found: &Found,
    summaries: &mut [Vec<Summary>],
    limits: &Limits,
) -> Result<Vec<Access>, Unprepared> {
    let mut all = Vec::new();
    for (id, procedure) in &program.procedures {
        for (at, edge) in procedure.edges() {
            let Some(place) = edge.action.place() else { continue };
            let size = place.ty.size(program.model) as i64;
            let targets = found.targets(program, id, &place.addr);
            limits.spend(1 + targets.len())?;
            let mut bytes = Vec::new();
            for (block, start) in targets {
                let Some(outline) = found.outline(block) else { continue };
                if start >= 0 && start.saturating_add(size) <= outline.end() {
                    let cell = Cell { block, start, end: start + size };
                    bytes.push(within_element(cell, &mut summaries[block.0 as usize]));
                }
            }
            all.push(Access { at: (id, at), ty: place.ty, bytes });
        }
    }
    Ok(all)
}

/// What reaches beyond the element that stands for all reaches into the next, which is the same.
fn within_element(mut cell: Cell, summaries: &mut Vec<Summary>) -> Cell {
    for i in 0..summaries.len() {
        let Summary { start, end, stride } = summaries[i];
        if (start..start + stride).contains(&cell.start) && cell.end > start + stride {
            let bytes = Summary { start, end, stride: 1 };
            if !summaries.contains(&bytes) {
                summaries.push(bytes);
            }
            cell = Cell { start, end: start + stride, ..cell };
        }
    }
    cell
}

/// Bytes that overlap become one.
fn cells(accesses: &[Access]) -> Vec<Cell> {
    let mut all: Vec<Cell> = accesses.iter().flat_map(|access| access.bytes.clone()).collect();
    all.sort_unstable();
    let mut merged: Vec<Cell> = Vec::new();
    for cell in all {
        match merged.last_mut() {
            Some(last) if last.block == cell.block && cell.start < last.end => {
                last.end = last.end.max(cell.end);
            }
            _ => merged.push(cell),
        }
    }
    merged
}

/// The cell that some bytes belong to.
fn cell_of(cells: &[Cell], bytes: &Cell) -> usize {
    cells.partition_point(|cell| (cell.block, cell.start) <= (bytes.block, bytes.start)) - 1
}

/// Cells that one access may touch belong together: a number for each cell.
fn classes(accesses: &[Access], cells: &[Cell]) -> Vec<usize> {
    let mut parents: Vec<usize> = (0..cells.len()).collect();
    fn root(parents: &[usize], mut at: usize) -> usize {
        while parents[at] != at {
            at = parents[at];
        }
        at
    }
    for access in accesses {
        let all: Vec<usize> = access.bytes.iter().map(|bytes| cell_of(cells, bytes)).collect();
        for pair in all.windows(2) {
            let (a, b) = (root(&parents, pair[0]), root(&parents, pair[1]));
            parents[a.max(b)] = a.min(b);
        }
    }
    (0..cells.len()).map(|cell| root(&parents, cell)).collect()
}

/// All memory that a cell stands for.
fn extents_of(found: &Found, cell: &Cell) -> Vec<Extent> {
    let What::Memory(origin, _) = found.blocks[cell.block.0 as usize] else { return Vec::new() };
    let summaries = &found.summaries[cell.block.0 as usize];
    let element = |s: &Summary| s.start..s.start + s.stride;
    let (mut start, mut end) = (cell.start, cell.end);
    if let Some(bytes) = summaries.iter().find(|s| s.stride == 1 && s.start == cell.start) {
        if bytes.end == i64::MAX {
            return vec![Extent { origin, start: bytes.start, length: 1, stride: 1 }];
        }
        // Any byte of it may be the first of a scalar.
        (start, end) = (bytes.start, bytes.end);
    }
    let mut starts = vec![start];
    let mut distance = 0;
    // The smallest strides first: arrays inside arrays.
    let around = |s: &&Summary| element(s).contains(&start) && end <= element(s).end;
    for Summary { start, end, stride } in summaries.iter().rev().filter(around) {
        let count = (end - start) / stride;
        if distance != 0 || count.saturating_mul(starts.len() as i64) > LISTED {
            distance = if distance == 0 { *stride } else { gcd(distance, *stride) };
            continue;
        }
        let copies = |by: i64| starts.iter().map(move |at| at + by * stride).collect::<Vec<_>>();
        starts = (0..count).flat_map(copies).collect();
    }
    let extent = |&at: &i64| Extent { origin, start: at, length: end - start, stride: distance };
    starts.iter().map(extent).collect()
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The variable and field of the first cell, or where it is made.
fn name(program: &Program, found: &Found, cells: &[Cell]) -> String {
    let Some(first) = cells.first() else { return "nothing".into() };
    let What::Memory(origin, outline) = found.blocks[first.block.0 as usize] else {
        return "nothing".into();
    };
    let element = program.layouts[outline.layout].size as i64;
    let inside = if element > 0 { first.start % element } else { first.start };
    let path = program.scalar_at(outline.layout, inside as u64).map(|(_, path)| path);
    let path = path.unwrap_or_else(|| match first.start {
        0 => String::new(),
        start => format!("+{start}"),
    });
    let base = match origin {
        Origin::Object(object) => variable(program, object),
        Origin::Alloc(procedure, at) => allocation(program, procedure, at),
    };
    format!("{base}{path}{}", if cells.len() > 1 { "..." } else { "" })
}

fn variable(program: &Program, object: ObjectId) -> String {
    program.objects[object].name.clone()
}

fn allocation(program: &Program, procedure: ProcId, at: EdgeId) -> String {
    let procedure = &program.procedures[procedure];
    match procedure.edge(at).action {
        Action::Alloc { to, storage: Storage::Stack, .. } => procedure.locals[to].name.clone(),
        _ => format!("heap.{}", procedure.name),
    }
}
