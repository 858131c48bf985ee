//! The unification structure: classes of pointer values, and nodes of memory that they point to.
//!
//! A *node* stands for a set of objects that the analysis does not tell apart; a class of *values*
//! points to an offset of at most one node. Nodes are divided into *cells* by the accesses. A node
//! may have a *stride*: offsets are then known only modulo the stride (arrays); stride 1 means that
//! nothing is known about offsets (collapsed). Merging two nodes lines them up so that the two
//! pointers that forced the merge coincide; merging a node with itself at another offset folds it.

use std::collections::BTreeMap;

use selvedge_ir::{EdgeId, ObjectId, ProcId, Type};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

/// An offset of a node: what a pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    pub node: NodeId,
    pub offset: i64,
}

/// Memory that comes into being at one place of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    Object(ObjectId),
    Alloc(ProcId, EdgeId),
}

#[derive(Clone, Debug)]
pub struct Node {
    /// The node that this one was merged into, and where its origin lies there.
    parent: NodeId,
    shift: i64,
    /// How many nodes were merged into this one: the smaller side moves, so paths stay short.
    merged: u32,
    /// 0 if offsets are exact.
    stride: i64,
    /// By start; they do not overlap.
    pub cells: BTreeMap<i64, Cell>,
    pub origins: Vec<Origin>,
    pub procedures: Vec<ProcId>,
    /// May be any object whose address is taken: the target of an input pointer.
    pub anything: bool,
}

impl Node {
    /// Whether offsets are known, not only modulo a stride.
    pub fn is_exact(&self) -> bool {
        self.stride == 0
    }

    /// 0 if offsets are exact.
    pub fn stride(&self) -> i64 {
        self.stride
    }
}

#[derive(Clone, Debug)]
pub struct Cell {
    pub size: i64,
    /// What the pointers stored here point to.
    pub content: ValueId,
    /// The type of all accesses, if they agree; none before the first.
    pub accesses: Accesses,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accesses {
    None,
    All(Type),
    Mixed,
}

impl Accesses {
    fn with(self, other: Accesses) -> Accesses {
        match (self, other) {
            (Accesses::None, a) | (a, Accesses::None) => a,
            (a, b) if a == b => a,
            _ => Accesses::Mixed,
        }
    }
}

#[derive(Clone, Debug)]
struct Value {
    parent: ValueId,
    merged: u32,
    target: Option<Target>,
}

#[derive(Clone, Debug, Default)]
pub struct Memory {
    values: Vec<Value>,
    nodes: Vec<Node>,
    /// Merges still to be done; a work list, because one merge may cause many.
    pending: Vec<Merge>,
}

#[derive(Clone, Copy, Debug)]
enum Merge {
    Values(ValueId, ValueId),
    Targets(Target, Target),
}

impl Memory {
    pub fn new_value(&mut self) -> ValueId {
        let id = ValueId(self.values.len() as u32);
        self.values.push(Value { parent: id, merged: 1, target: None });
        id
    }

    pub fn new_node(&mut self) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            parent: id,
            shift: 0,
            merged: 1,
            stride: 0,
            cells: BTreeMap::new(),
            origins: Vec::new(),
            procedures: Vec::new(),
            anything: false,
        });
        id
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    /// All nodes that were not merged into another.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..self.nodes.len() as u32).map(NodeId).filter(|&id| self.node(id).parent == id)
    }

    pub fn find_value(&self, mut id: ValueId) -> ValueId {
        while self.values[id.0 as usize].parent != id {
            id = self.values[id.0 as usize].parent;
        }
        id
    }

    /// The target in terms of the node that stands for it now.
    pub fn resolve(&self, target: Target) -> Target {
        let Target { mut node, mut offset } = target;
        loop {
            let at = self.node(node);
            if at.parent == node {
                return Target { node, offset: wrap(offset, at.stride) };
            }
            offset += at.shift;
            node = at.parent;
        }
    }

    /// What the value points to, if anything was found.
    pub fn target(&self, value: ValueId) -> Option<Target> {
        let root = self.find_value(value);
        self.values[root.0 as usize].target.map(|target| self.resolve(target))
    }

    /// Likewise; a fresh node if nothing was found.
    pub fn target_or_new(&mut self, value: ValueId) -> Target {
        if let Some(target) = self.target(value) {
            return target;
        }
        let target = Target { node: self.new_node(), offset: 0 };
        let root = self.find_value(value);
        self.values[root.0 as usize].target = Some(target);
        target
    }

    /// A value that points there.
    pub fn value_of(&mut self, target: Target) -> ValueId {
        let value = self.new_value();
        self.values[value.0 as usize].target = Some(target);
        value
    }

    pub fn unify_values(&mut self, a: ValueId, b: ValueId) {
        self.pending.push(Merge::Values(a, b));
        self.run();
    }

    pub fn unify_targets(&mut self, a: Target, b: Target) {
        self.pending.push(Merge::Targets(a, b));
        self.run();
    }

    /// Offsets of the node count only modulo `stride` (and what it had before).
    pub fn fold(&mut self, node: NodeId, stride: i64) {
        self.fold_now(node, stride);
        self.run();
    }

    /// The cell that an access of `size` bytes touches, made or widened as needed; its start.
    pub fn access(&mut self, target: Target, size: i64, accesses: Accesses) -> Target {
        let Target { node, offset } = self.resolve(target);
        let stride = self.node(node).stride;
        if stride > 1 && offset + size > stride {
            self.fold_now(node, 1);
        }
        let offset = wrap(offset, self.node(node).stride);
        let content = self.new_value();
        self.add_cell(node, offset, Cell { size, content, accesses });
        self.run();
        self.cell_at(Target { node, offset }).expect("invariant: the cell was just made").0
    }

    /// The cell around a target: its start, and the cell.
    pub fn cell_at(&self, target: Target) -> Option<(Target, &Cell)> {
        let Target { node, offset } = self.resolve(target);
        let (&start, cell) = self.node(node).cells.range(..=offset).next_back()?;
        (offset < start + cell.size).then_some((Target { node, offset: start }, cell))
    }

    fn run(&mut self) {
        while let Some(merge) = self.pending.pop() {
            match merge {
                Merge::Values(a, b) => self.merge_values(a, b),
                Merge::Targets(a, b) => self.merge_targets(a, b),
            }
        }
    }

    fn merge_values(&mut self, a: ValueId, b: ValueId) {
        let (a, b) = (self.find_value(a), self.find_value(b));
        if a == b {
            return;
        }
        let merged = |m: &Memory, v: ValueId| m.values[v.0 as usize].merged;
        let (a, b) = if merged(self, a) >= merged(self, b) { (a, b) } else { (b, a) };
        self.values[a.0 as usize].merged += merged(self, b);
        self.values[b.0 as usize].parent = a;
        let moved = self.values[b.0 as usize].target.take();
        let kept = &mut self.values[a.0 as usize].target;
        match (*kept, moved) {
            (None, moved) => *kept = moved,
            (Some(x), Some(y)) => self.pending.push(Merge::Targets(x, y)),
            (Some(_), None) => {}
        }
    }

    fn merge_targets(&mut self, a: Target, b: Target) {
        let (a, b) = (self.resolve(a), self.resolve(b));
        if a.node == b.node {
            self.fold_now(a.node, a.offset - b.offset);
            return;
        }
        let merged = |m: &Memory, n: NodeId| m.node(n).merged;
        let (a, b) = if merged(self, a.node) >= merged(self, b.node) { (a, b) } else { (b, a) };
        self.node_mut(a.node).merged += merged(self, b.node);
        let moved = self.node_mut(b.node);
        moved.parent = a.node;
        moved.shift = a.offset - b.offset;
        let (shift, stride, anything) = (moved.shift, moved.stride, moved.anything);
        let cells = std::mem::take(&mut moved.cells);
        let origins = std::mem::take(&mut moved.origins);
        let procedures = std::mem::take(&mut moved.procedures);
        let kept = self.node_mut(a.node);
        kept.anything |= anything;
        kept.origins.extend(origins);
        for procedure in procedures {
            if !kept.procedures.contains(&procedure) {
                kept.procedures.push(procedure);
            }
        }
        self.fold_now(a.node, stride);
        for (start, cell) in cells {
            self.put_cell(a.node, start + shift, cell);
        }
    }

    /// Gives the node the stride gcd(old, new) and folds its cells accordingly.
    fn fold_now(&mut self, node: NodeId, stride: i64) {
        let old = self.node(node).stride;
        let new = gcd(old, stride.abs());
        if new == old {
            return;
        }
        self.node_mut(node).stride = new;
        for (start, cell) in std::mem::take(&mut self.node_mut(node).cells) {
            self.put_cell(node, start, cell);
        }
    }

    /// Adds a cell at any offset, folding the node where the cell does not fit into the stride.
    fn put_cell(&mut self, node: NodeId, start: i64, cell: Cell) {
        let stride = self.node(node).stride;
        let offset = wrap(start, stride);
        if stride > 1 && offset + cell.size > stride {
            self.fold_now(node, 1);
        }
        let offset = wrap(start, self.node(node).stride);
        self.add_cell(node, offset, cell);
    }

    /// Adds a cell, merged with all that it overlaps.
    fn add_cell(&mut self, node: NodeId, offset: i64, mut cell: Cell) {
        if self.node(node).stride == 1 && cell.size != 1 {
            // Accesses of several bytes at unknown offsets may overlap in part.
            cell.size = 1;
            cell.accesses = Accesses::Mixed;
        }
        let (mut start, mut end) = (offset, offset + cell.size);
        let mut exact = true;
        while let Some((at, found)) = self.overlapping(node, start, end) {
            exact &= at == offset && found.size == cell.size;
            start = start.min(at);
            end = end.max(at + found.size);
            self.pending.push(Merge::Values(cell.content, found.content));
            cell.accesses = cell.accesses.with(found.accesses);
            cell.content = found.content;
        }
        if !exact {
            cell.accesses = Accesses::Mixed;
        }
        cell.size = end - start;
        self.node_mut(node).cells.insert(start, cell);
    }

    /// Takes out a cell that overlaps the interval.
    fn overlapping(&mut self, node: NodeId, start: i64, end: i64) -> Option<(i64, Cell)> {
        let cells = &mut self.node_mut(node).cells;
        let (&at, cell) = cells.range(..end).next_back()?;
        if at + cell.size <= start {
            return None;
        }
        let cell = cells.remove(&at)?;
        Some((at, cell))
    }
}

fn wrap(offset: i64, stride: i64) -> i64 {
    if stride == 0 { offset } else { offset.rem_euclid(stride) }
}

pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.min(i64::MAX as u64) as i64
}

#[cfg(test)]
mod tests {
    use selvedge_ir::Int;

    use super::*;

    const INT: Accesses = Accesses::All(Type::Int(Int::I32));

    #[test]
    fn fields_stay_apart_until_folded() {
        let mut memory = Memory::default();
        let node = memory.new_node();
        let at = |offset| Target { node, offset };
        let first = memory.access(at(0), 4, INT);
        let second = memory.access(at(4), 4, INT);
        assert_ne!(first, second);
        memory.unify_targets(at(0), at(4));
        assert_eq!(memory.resolve(second), memory.resolve(first));
    }

    #[test]
    fn merging_lines_up_offsets() {
        let mut memory = Memory::default();
        let (a, b) = (memory.new_node(), memory.new_node());
        memory.access(Target { node: a, offset: 8 }, 4, INT);
        memory.access(Target { node: b, offset: 0 }, 4, INT);
        memory.unify_targets(Target { node: a, offset: 8 }, Target { node: b, offset: 0 });
        let left = memory.cell_at(Target { node: a, offset: 8 }).unwrap().0;
        let right = memory.cell_at(Target { node: b, offset: 0 }).unwrap().0;
        assert_eq!(left, right);
        assert_eq!(memory.roots().count(), 1);
    }

    #[test]
    fn overlap_mixes() {
        let mut memory = Memory::default();
        let node = memory.new_node();
        memory.access(Target { node, offset: 0 }, 4, INT);
        memory.access(Target { node, offset: 2 }, 1, Accesses::All(Type::Int(Int::U8)));
        let (start, cell) = memory.cell_at(Target { node, offset: 3 }).unwrap();
        assert_eq!((start.offset, cell.accesses), (0, Accesses::Mixed));
    }

    #[test]
    fn strides_keep_fields_of_elements_apart() {
        let mut memory = Memory::default();
        let node = memory.new_node();
        memory.fold(node, 8);
        let x = memory.access(Target { node, offset: 16 }, 4, INT);
        let y = memory.access(Target { node, offset: 4 }, 4, INT);
        assert_ne!(x, y);
        memory.access(Target { node, offset: 4 }, 8, Accesses::All(Type::Int(Int::I64)));
        let x = memory.resolve(x);
        assert_eq!(memory.cell_at(x).unwrap().0, memory.cell_at(y).unwrap().0);
    }
}
