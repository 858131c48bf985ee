//! Layouts: those declared, and those made on first use (`i32`, `struct node[4]`).

use super::{Failed, Globals, Lowered};
use crate::text::ast::{FieldOf, LayoutRef, ShapeOf};
use crate::text::names::type_named;
use crate::{Field, Layout, LayoutId, Shape};

impl Globals {
    pub fn layout(&mut self, name: &LayoutRef, shape: &ShapeOf, size: Option<u64>) -> Lowered<()> {
        let (shape, natural) = match shape {
            ShapeOf::Scalar(ty) => (Shape::Scalar(*ty), Some(ty.size(self.program.model))),
            ShapeOf::Struct(fields) => {
                let (fields, size) = self.members(fields, true)?;
                (Shape::Struct(fields), size)
            }
            ShapeOf::Union(fields) => {
                let (fields, size) = self.members(fields, false)?;
                (Shape::Union(fields), size)
            }
            ShapeOf::Array { element, count } => {
                let element = self.layout_id(element)?;
                let size = self.program.layouts[element].size.checked_mul(*count);
                (Shape::Array { element, count: *count }, size)
            }
            ShapeOf::Bytes => (Shape::Bytes, None),
        };
        let text = full_name(name);
        let Some(size) = size.or(natural) else {
            let error = name.base.at.error(format!("the size of `{text}` is not known"));
            return self.fail(error.help("add `size N` before the `;`"));
        };
        if self.layouts.contains_key(&text) {
            return self.fail(name.base.at.error(format!("there is a layout `{text}` already")));
        }
        let id = self.program.layouts.push(Layout { name: text.clone(), size, shape });
        self.layouts.insert(text, id);
        Ok(())
    }

    /// Fields with their offsets, and the size of the whole; what is not written follows from
    /// natural alignment.
    fn members(
        &mut self,
        fields: &[FieldOf],
        in_order: bool,
    ) -> Lowered<(Vec<Field>, Option<u64>)> {
        let mut made = Vec::new();
        let (mut end, mut align) = (0u64, 1u64);
        for field in fields {
            let layout = self.layout_id(&field.layout)?;
            let own = self.alignment(layout);
            let next = if in_order { end.checked_next_multiple_of(own) } else { Some(0) };
            let Some(offset) = field.offset.or(next) else {
                return self.fail(field.name.at.error("this field begins too far behind"));
            };
            let size = self.program.layouts[layout].size;
            end = end.max(offset.saturating_add(size));
            align = align.max(own);
            made.push(Field { name: field.name.text.clone(), offset, layout });
        }
        Ok((made, end.checked_next_multiple_of(align)))
    }

    fn alignment(&self, id: LayoutId) -> u64 {
        let layout = &self.program.layouts[id];
        match &layout.shape {
            Shape::Scalar(_) => layout.size.max(1),
            Shape::Struct(fields) | Shape::Union(fields) => {
                fields.iter().map(|f| self.alignment(f.layout)).max().unwrap_or(1)
            }
            Shape::Array { element, .. } => self.alignment(*element),
            Shape::Bytes => 1,
        }
    }

    pub fn layout_id(&mut self, layout: &LayoutRef) -> Lowered<LayoutId> {
        let scalar = if layout.base.quoted { None } else { type_named(&layout.base.text) };
        if let (Some(ty), true) = (scalar, layout.dimensions.is_empty()) {
            let id = self.program.scalar_layout(ty);
            let name = self.program.layouts[id].name.clone();
            self.layouts.insert(name, id);
            return Ok(id);
        }
        let text = full_name(layout);
        if let Some(id) = self.layouts.get(&text) {
            return Ok(*id);
        }
        let Some((&count, inner)) = layout.dimensions.split_first() else {
            return self.fail(layout.base.at.error(format!("there is no type or layout `{text}`")));
        };
        let element = LayoutRef { base: layout.base.clone(), dimensions: inner.to_vec() };
        let element = self.layout_id(&element)?;
        let Some(size) = self.program.layouts[element].size.checked_mul(count) else {
            return self.fail(layout.base.at.error("this array is too large"));
        };
        let shape = Shape::Array { element, count };
        let id = self.program.layouts.push(Layout { name: text.clone(), size, shape });
        self.layouts.insert(text, id);
        Ok(id)
    }

    pub fn layout_size(&mut self, layout: &LayoutRef) -> Result<u64, Failed> {
        let id = self.layout_id(layout)?;
        Ok(self.program.layouts[id].size)
    }
}

fn full_name(layout: &LayoutRef) -> String {
    let dimensions = layout.dimensions.iter().map(|count| format!("[{count}]"));
    layout.base.text.clone() + &dimensions.collect::<String>()
}
