//! Reading and writing scalars in memory: bounds, lifetimes, and accesses that overlap several
//! scalars or parts of them.

use std::sync::Arc;

use selvedge_ir::{Mode, ObjectId, Storage, Type};

use super::eval::{Context, Fallible, Memory, View, Wrong};
use crate::code::{Address, At, Home, zero};
use crate::fault::Fault;
use crate::memory::{Cell, Fill, Fit, HeapObject, Origin};
use crate::oracle::{Access, Oracle};
use crate::stop::Stop;
use crate::value::{POINTER, Target, Value};

/// The location of a scalar.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spot {
    /// A cell of `State::statics`, of the access's own type.
    Cell(u32),
    /// Anywhere in a global variable of fixed cells.
    Static(ObjectId, u64),
    Heap(u32, u64),
}

impl<O: Oracle> Context<'_, O> {
    /// Evaluates an address and checks that it may be accessed.
    pub fn spot(&mut self, memory: View<'_>, address: &Address) -> Fallible<Spot> {
        match &address.at {
            At::Cell(cell) => Ok(Spot::Cell(*cell)),
            At::Computed(ex) => {
                let pointer = self.eval(ex)?;
                self.spot_of(memory, pointer, self.size(address.ty))
            }
        }
    }

    fn size(&self, ty: Type) -> u64 {
        ty.size(self.machine.program.model)
    }

    fn spot_of(&mut self, memory: View<'_>, pointer: Value, size: u64) -> Fallible<Spot> {
        match pointer {
            Value::Static(object, offset) => {
                let known = self.machine.code.object(object);
                let offset = self.in_bounds(offset, size, known.size)?;
                match known.home {
                    Home::Heap(index) => Ok(Spot::Heap(index, offset)),
                    _ => Ok(Spot::Static(object, offset)),
                }
            }
            Value::Heap(index, offset) => {
                let object = &memory.heap[index as usize];
                if !object.live {
                    return Err(self.fault(gone(object)));
                }
                Ok(Spot::Heap(index, self.in_bounds(offset, size, object.size)?))
            }
            Value::Symbol { id, width, .. } => {
                // A number is in no object. Otherwise it is any pointer, so also null, and that
                // one goes wrong.
                self.symbols[id.index()].hi = self.symbols[id.index()].lo;
                Err(self.fault(match width & POINTER {
                    0 if self.comes_from_memory(id) => Fault::UninitialisedPointer,
                    0 => Fault::InputPointer,
                    _ => Fault::InvalidAddress { address: None },
                }))
            }
            Value::Null => Err(self.fault(Fault::NullDereference)),
            Value::Address(bits) => Err(self.fault(Fault::InvalidAddress { address: Some(bits) })),
            Value::Proc(_) | Value::Thread(_) => Err(self.fault(Fault::NotData)),
            Value::Int(_) | Value::Opaque => {
                Err(self.unsupported("access through a pointer computed from unknown bits"))
            }
        }
    }

    fn in_bounds(&self, offset: i64, size: u64, limit: u64) -> Fallible<u64> {
        match u64::try_from(offset) {
            Ok(start) if start + size <= limit => Ok(start),
            _ => Err(self.fault(Fault::OutOfBounds { size, offset, object: limit })),
        }
    }

    pub fn unsupported(&self, what: &str) -> Wrong {
        Stop::Unsupported { what: what.into(), span: self.span }.into()
    }

    pub fn place_of(&self, spot: Spot) -> (Target, u64) {
        match spot {
            Spot::Cell(cell) => {
                let cell = &self.machine.code.static_cells[cell as usize];
                (Target::Static(cell.object), cell.offset)
            }
            Spot::Static(object, offset) => (Target::Static(object), offset),
            Spot::Heap(index, offset) => (Target::Heap(index), offset),
        }
    }

    /// Tells the oracle of an access.
    pub fn note(&mut self, spot: Spot, ty: Type, write: bool, mode: Mode) -> Access {
        let access = self.accessed(spot, ty, write, mode);
        self.oracle.access(access);
        access
    }

    /// The access to a spot.
    pub fn accessed(&self, spot: Spot, ty: Type, write: bool, mode: Mode) -> Access {
        let (target, offset) = self.place_of(spot);
        let (size, span) = (self.size(ty), self.span);
        Access { target, offset, size, write, mode, span }
    }

    /// The scalar at a spot; none where it was never initialised.
    pub fn read(&mut self, memory: View<'_>, spot: Spot, ty: Type) -> Fallible<Option<Value>> {
        let size = self.size(ty);
        let (found, value) = match spot {
            Spot::Cell(cell) => (ty, memory.statics[cell as usize]),
            Spot::Static(object, offset) => match self.machine.code.cell_at(object, offset) {
                Some(cell) => {
                    let known = self.machine.code.static_cells[cell as usize];
                    (known.ty, memory.statics[cell as usize])
                }
                None => return self.compose(memory, spot, ty),
            },
            Spot::Heap(index, offset) => {
                let object = &memory.heap[index as usize];
                match object.fit(offset, size, self.machine.program.model) {
                    Fit::Free(_) if object.fill == Fill::Zero => return Ok(Some(zero(ty))),
                    Fit::Free(_) => return Ok(None),
                    Fit::Cell(i) => (object.cells[i].ty, object.cells[i].value),
                    Fit::Across(..) => return self.compose(memory, spot, ty),
                }
            }
        };
        if self.size(found) != size {
            return self.compose(memory, spot, ty);
        }
        let value = self.known(value);
        if ty == Type::Bool {
            self.check_bool(found, value)?;
        }
        if found == ty {
            return Ok(Some(value));
        }
        self.cast(found, ty, value).map(Some)
    }

    /// A truth value is 0 or 1.
    fn check_bool(&self, stored: Type, value: Value) -> Fallible<()> {
        match value {
            Value::Int(bits) if bits > 1 => Err(self.fault(Fault::InvalidBool)),
            Value::Int(_) => Ok(()),
            _ if stored == Type::Bool => Ok(()),
            _ => Err(self.unsupported("a `_Bool` that is read from the bytes of an input")),
        }
    }

    pub fn write(
        &mut self,
        memory: &mut Memory<'_>,
        spot: Spot,
        ty: Type,
        value: Value,
    ) -> Fallible<()> {
        match spot {
            Spot::Cell(cell) => {
                memory.statics[cell as usize] = value;
                Ok(())
            }
            Spot::Static(object, offset) => self.write_static(memory, object, offset, ty, value),
            Spot::Heap(index, offset) => {
                self.make_room(memory, index, offset, self.size(ty))?;
                let object = Arc::make_mut(&mut memory.heap[index as usize]);
                let fit = object.fit(offset, self.size(ty), self.machine.program.model);
                object.put(fit, Cell { offset, ty, value });
                Ok(())
            }
        }
    }

    fn write_static(
        &mut self,
        memory: &mut Memory<'_>,
        object: ObjectId,
        offset: u64,
        ty: Type,
        value: Value,
    ) -> Fallible<()> {
        let code = &self.machine.code;
        if let Some(cell) = code.cell_at(object, offset) {
            let known = code.static_cells[cell as usize].ty;
            if self.size(known) == self.size(ty) {
                memory.statics[cell as usize] = match (known, self.known(value)) {
                    // Whether it is one shows when it is read as one.
                    (Type::Bool, bits @ Value::Int(_)) => bits,
                    (Type::Bool, _) if ty != Type::Bool => {
                        return Err(self.unsupported("an input in the bytes of a `_Bool`"));
                    }
                    (_, value) => self.cast(ty, known, value)?,
                };
                return Ok(());
            }
        }
        let bytes = self.bits(value)?.map(u64::to_le_bytes);
        let end = offset + self.size(ty);
        for (index, cell) in self.static_cells(memory.view(), object, offset, end) {
            let inside = cell.offset >= offset && cell.offset + self.size(cell.ty) <= end;
            let old = if inside { Some(0) } else { self.bits(cell.value)? };
            let (Some(bytes), Some(old)) = (bytes, old) else {
                memory.statics[index] = Value::Opaque;
                continue;
            };
            let mut mixed = old.to_le_bytes();
            for (i, byte) in mixed.iter_mut().enumerate().take(self.size(cell.ty) as usize) {
                let at = cell.offset + i as u64;
                if (offset..end).contains(&at) {
                    *byte = bytes[(at - offset) as usize];
                }
            }
            memory.statics[index] = value_of(cell.ty, u64::from_le_bytes(mixed));
        }
        Ok(())
    }

    /// The cells of a global variable that overlap `start..end`, with their indices.
    fn static_cells(
        &self,
        memory: View<'_>,
        object: ObjectId,
        start: u64,
        end: u64,
    ) -> Vec<(usize, Cell)> {
        let code = &self.machine.code;
        let Home::Cells { first, end: last } = code.object(object).home else {
            unreachable!("a variable of fixed cells")
        };
        (first as usize..last as usize)
            .map(|i| {
                let cell = &code.static_cells[i];
                (i, Cell { offset: cell.offset, ty: cell.ty, value: memory.statics[i] })
            })
            .filter(|(_, c)| c.offset < end && start < c.offset + self.size(c.ty))
            .collect()
    }

    /// Removes what a write of `offset..offset + size` covers, and cuts what it covers in part
    /// into bytes, so that the write touches no cell or is one.
    fn make_room(
        &mut self,
        memory: &mut Memory<'_>,
        index: u32,
        offset: u64,
        size: u64,
    ) -> Fallible<()> {
        let model = self.machine.program.model;
        let object = &memory.heap[index as usize];
        let Fit::Across(first, end) = object.fit(offset, size, model) else { return Ok(()) };
        let cut = object.cells[first..end].to_vec();
        let mut bytes = Vec::new();
        for cell in cut {
            let cell_end = cell.offset + cell.size(model);
            if cell.offset >= offset && cell_end <= offset + size {
                continue;
            }
            let bits = self.bits(cell.value)?.map(u64::to_le_bytes);
            for at in (cell.offset..cell_end).filter(|at| !(offset..offset + size).contains(at)) {
                let byte = |bits: [u8; 8]| Value::Int(u64::from(bits[(at - cell.offset) as usize]));
                let value = bits.map_or(Value::Opaque, byte);
                bytes.push(Cell { offset: at, ty: Type::Int(selvedge_ir::Int::U8), value });
            }
        }
        let object = Arc::make_mut(&mut memory.heap[index as usize]);
        if object.fill == Fill::Zero {
            bytes.retain(|c| !c.value.is_zero());
        }
        object.cells.splice(first..end, bytes);
        Ok(())
    }

    /// Puts a scalar together from the bytes of others.
    fn compose(&mut self, memory: View<'_>, spot: Spot, ty: Type) -> Fallible<Option<Value>> {
        let size = self.size(ty);
        let (offset, cells, fill) = match spot {
            Spot::Static(object, offset) => {
                let cells = self.static_cells(memory, object, offset, offset + size);
                // Padding between the scalars of a global variable is zero.
                (offset, cells.into_iter().map(|(_, c)| c).collect::<Vec<_>>(), Some(0))
            }
            Spot::Heap(index, offset) => {
                let object = &memory.heap[index as usize];
                let cells = match object.fit(offset, size, self.machine.program.model) {
                    Fit::Across(first, end) => object.cells[first..end].to_vec(),
                    Fit::Cell(i) => vec![object.cells[i]],
                    Fit::Free(_) => Vec::new(),
                };
                (offset, cells, (object.fill == Fill::Zero).then_some(0))
            }
            Spot::Cell(_) => unreachable!("a cell is read whole"),
        };
        let mut bytes = [fill; 8];
        for cell in cells {
            let Some(bits) = self.bits(cell.value)? else { return Ok(Some(Value::Opaque)) };
            for (i, byte) in bits.to_le_bytes().iter().enumerate().take(self.size(cell.ty) as usize)
            {
                let at = cell.offset + i as u64;
                if (offset..offset + size).contains(&at) {
                    bytes[(at - offset) as usize] = Some(*byte);
                }
            }
        }
        let bytes = &bytes[..size as usize];
        if bytes.iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut bits = 0;
        for (i, byte) in bytes.iter().enumerate() {
            // Initialised only in part: nothing is known of the whole.
            let Some(byte) = byte else { return Ok(Some(Value::Opaque)) };
            bits |= u64::from(*byte) << (8 * i);
        }
        let value = value_of(ty, bits);
        if ty == Type::Bool {
            self.check_bool(Type::Bool, value)?;
        }
        Ok(Some(value))
    }

    /// The bytes of a value; none for pointers and threads, of which they are not known.
    fn bits(&mut self, value: Value) -> Fallible<Option<u64>> {
        Ok(match self.settle(value)? {
            Value::Int(bits) | Value::Address(bits) => Some(bits),
            zero if zero.is_zero() => Some(0),
            _ => None,
        })
    }
}

fn value_of(ty: Type, bits: u64) -> Value {
    match ty {
        // Whether it is a truth value shows when it is read as one.
        Type::Bool => Value::Int(bits & 0xff),
        Type::Int(int) => Value::Int(bits & int.mask()),
        Type::Ptr if bits == 0 => Value::Null,
        Type::Ptr => Value::Address(bits),
        Type::Thread if bits == 0 => Value::NO_THREAD,
        Type::Thread => Value::Opaque,
    }
}

/// An access to an object whose life has ended.
fn gone(object: &HeapObject) -> Fault {
    match object.origin {
        Origin::Allocated(Storage::Heap) => Fault::FreedAccess,
        Origin::Allocated(Storage::Stack) => Fault::ScopeEnded,
        Origin::Global(_) => Fault::ThreadEnded,
    }
}
