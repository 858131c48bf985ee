//! Memory objects whose division into scalars is made by the accesses.
//!
//! An object's content is a list of cells, one for each scalar written; what no cell covers is
//! zero or undefined, by how the object was made. So an array of a million bytes costs nothing
//! until it is used, and unions and untyped memory need no special case. Global variables of fixed
//! shape do not live here but in `State::statics`.

use selvedge_ir::{DataModel, LayoutId, ObjectId, Storage, Type};

use crate::value::Value;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HeapObject {
    /// In bytes.
    pub size: u64,
    /// Of its elements; for messages only.
    pub layout: LayoutId,
    pub origin: Origin,
    /// Not freed yet. A freed object keeps its place, without cells.
    pub live: bool,
    /// What no cell covers.
    pub fill: Fill,
    /// By increasing offset, not overlapping. Where `fill` is zero, no cell is zero.
    pub cells: Vec<Cell>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    Allocated(Storage),
    /// A global variable, or a thread's instance of one.
    Global(ObjectId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fill {
    Zero,
    Undefined,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    pub offset: u64,
    pub ty: Type,
    pub value: Value,
}

impl Cell {
    pub fn size(&self, model: DataModel) -> u64 {
        self.ty.size(model)
    }
}

/// How the bytes of an access overlap the cells of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It touches none; a cell for it would go here.
    Free(usize),
    /// It is this cell, as far as the size goes.
    Cell(usize),
    /// It cuts cells: these, or parts of them.
    Across(usize, usize),
}

impl HeapObject {
    pub fn new(size: u64, layout: LayoutId, origin: Origin, fill: Fill) -> HeapObject {
        HeapObject { size, layout, origin, live: true, fill, cells: Vec::new() }
    }

    /// Ends its life. The content is dropped, so that states do not differ in what cannot be read.
    pub fn free(&mut self) {
        self.live = false;
        self.cells = Vec::new();
    }

    /// Where the bytes `offset..offset + size` lie.
    pub fn fit(&self, offset: u64, size: u64, model: DataModel) -> Fit {
        let first = self.cells.partition_point(|c| c.offset + c.size(model) <= offset);
        let end =
            first + self.cells[first..].iter().take_while(|c| c.offset < offset + size).count();
        if first == end {
            return Fit::Free(first);
        }
        let cell = &self.cells[first];
        if cell.offset == offset && cell.size(model) == size {
            Fit::Cell(first)
        } else {
            Fit::Across(first, end)
        }
    }

    /// Puts a scalar where it touches no cell or is one.
    pub fn put(&mut self, fit: Fit, cell: Cell) {
        let drop = self.fill == Fill::Zero && cell.value.is_zero();
        match fit {
            Fit::Free(_) if drop => {}
            Fit::Free(index) => self.cells.insert(index, cell),
            Fit::Cell(index) if drop => {
                self.cells.remove(index);
            }
            Fit::Cell(index) => self.cells[index] = cell,
            Fit::Across(..) => unreachable!("cells are cut to fit before"),
        }
    }

    pub fn has_symbols(&self) -> bool {
        self.cells.iter().any(|c| matches!(c.value, Value::Symbol { .. }))
    }

    pub fn for_each_value_mut(&mut self, mut f: impl FnMut(&mut Value)) {
        self.cells.iter_mut().for_each(|c| f(&mut c.value));
        if self.fill == Fill::Zero {
            self.cells.retain(|c| !c.value.is_zero());
        }
    }
}

#[cfg(test)]
mod tests {
    use cranelift_entity::EntityRef;
    use selvedge_ir::Int;

    use super::*;

    const MODEL: DataModel = DataModel::Lp64;

    fn object() -> HeapObject {
        let origin = Origin::Allocated(Storage::Heap);
        HeapObject::new(16, LayoutId::new(0), origin, Fill::Zero)
    }

    fn put(object: &mut HeapObject, offset: u64, value: u64) {
        let cell = Cell { offset, ty: Type::Int(Int::I32), value: Value::Int(value) };
        let fit = object.fit(offset, 4, MODEL);
        object.put(fit, cell);
    }

    #[test]
    fn cells_stay_in_order_and_zero_leaves_none() {
        let mut o = object();
        put(&mut o, 8, 1);
        put(&mut o, 0, 2);
        assert_eq!(o.cells.iter().map(|c| c.offset).collect::<Vec<_>>(), [0, 8]);
        assert_eq!(o.fit(0, 4, MODEL), Fit::Cell(0));
        assert_eq!(o.fit(4, 4, MODEL), Fit::Free(1));
        assert_eq!(o.fit(2, 2, MODEL), Fit::Across(0, 1));
        assert_eq!(o.fit(2, 8, MODEL), Fit::Across(0, 2));
        put(&mut o, 0, 0);
        put(&mut o, 8, 0);
        assert_eq!(o, object());
    }
}
