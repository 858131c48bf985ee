//! Layouts of memory objects: which scalar stands where, for each C type.

use selvedge_ir::{Field, Layout, LayoutId, Shape, Type};

use crate::lowering::Lowering;
use crate::types::{Kind, Len, RecordId, Ty};

impl Lowering<'_> {
    /// The layout of an object of this type.
    pub fn layout(&mut self, ty: Ty) -> LayoutId {
        if let Some(known) = self.layouts.get(&ty.id) {
            return *known;
        }
        let id = match (self.types.scalar(ty), self.types.kind(ty).clone()) {
            (Some(scalar), _) => self.program.scalar_layout(scalar),
            (None, Kind::Record(record)) => self.record_layout(record),
            (None, Kind::Array(element, Len::Fixed(count))) => self.array_layout(element, count),
            (None, Kind::Array(element, _)) => self.array_layout(element, 0),
            _ => self.bytes_layout(self.types.size(ty)),
        };
        self.layouts.insert(ty.id, id);
        id
    }

    fn add_layout(&mut self, name: String, size: u64, shape: Shape) -> LayoutId {
        let count = self.layout_names.entry(name.clone()).or_insert(0);
        *count += 1;
        let name = if *count == 1 { name } else { format!("{name}#{count}") };
        self.program.layouts.push(Layout { name, size, shape })
    }

    /// Memory of which only the size is known.
    pub fn bytes_layout(&mut self, size: u64) -> LayoutId {
        let known = |(_, l): &(LayoutId, &Layout)| l.shape == Shape::Bytes && l.size == size;
        match self.program.layouts.iter().find(known) {
            Some((id, _)) => id,
            None => self.add_layout(format!("bytes{size}"), size, Shape::Bytes),
        }
    }

    fn array_layout(&mut self, element: Ty, count: u64) -> LayoutId {
        let inner = self.layout(element);
        let Layout { name, size, .. } = &self.program.layouts[inner];
        // The outer dimension comes first, as in C.
        let dimensions = name.find('[').unwrap_or(name.len());
        let name = format!("{}[{count}]{}", &name[..dimensions], &name[dimensions..]);
        let size = size.saturating_mul(count);
        let shape = Shape::Array { element: inner, count };
        let known = self.program.layouts.iter().find(|(_, l)| l.shape == shape);
        match known {
            Some((id, _)) => id,
            None => self.add_layout(name, size, shape),
        }
    }

    /// The layout of a record whose flexible array member has elements up to byte `end`.
    pub fn longer_layout(&mut self, ty: Ty, end: u64) -> LayoutId {
        let plain = self.layout(ty);
        let last = self.types.as_record(ty).and_then(|(_, record)| record.fields.last().cloned());
        let Some((last, Kind::Array(element, _))) =
            last.map(|last| (last.offset, self.types.kind(last.ty).clone()))
        else {
            return plain;
        };
        let count = (end - last).div_ceil(self.types.size(element).max(1));
        let array = self.array_layout(element, count);
        let Layout { name, size, shape } = self.program.layouts[plain].clone();
        let Shape::Struct(mut fields) = shape else { return self.bytes_layout(end) };
        if let Some(field) = fields.last_mut() {
            field.layout = array;
        }
        let size = size.max(last + count * self.types.size(element));
        self.add_layout(name, size, Shape::Struct(fields))
    }

    fn record_layout(&mut self, id: RecordId) -> LayoutId {
        let record = self.types.record(id).clone();
        if !record.complete {
            return self.bytes_layout(0);
        }
        let mut fields: Vec<Field> = Vec::new();
        let mut pieces = std::collections::HashSet::new();
        for field in &record.fields {
            match &field.bits {
                None => {
                    let layout = self.layout(field.ty);
                    let name = field.name.as_deref().unwrap_or("").to_owned();
                    fields.push(Field { name, offset: field.offset, layout });
                }
                Some(bits) => {
                    for piece in bits.shared.iter().chain(&bits.pieces) {
                        if record.union || pieces.insert(piece.offset) {
                            let layout = self.program.scalar_layout(Type::Int(piece.int));
                            let name = format!("bits{}", piece.offset);
                            fields.push(Field { name, offset: piece.offset, layout });
                        }
                    }
                }
            }
        }
        if record.union && fields.iter().any(|f| f.offset != 0) {
            return self.bytes_layout(record.size);
        }
        let name = match &record.tag {
            Some(_) => record.name(),
            None => format!("{} #{}", record.name(), id.0),
        };
        let shape = if record.union {
            unique_names(&mut fields);
            Shape::Union(fields)
        } else {
            fields.sort_by_key(|f| f.offset);
            unique_names(&mut fields);
            Shape::Struct(fields)
        };
        self.add_layout(name, record.size, shape)
    }
}

/// A piece of bit-fields might be called as a member is.
fn unique_names(fields: &mut [Field]) {
    for i in 0..fields.len() {
        let name = fields[i].name.clone();
        if !name.is_empty() && fields[..i].iter().any(|f| f.name == name) {
            fields[i].name = format!("{name}#{i}");
        }
    }
}
