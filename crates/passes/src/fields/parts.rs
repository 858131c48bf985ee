//! The parts of an object: the structures, arrays and scalars that a byte belongs to.

use selvedge_ir::{LayoutId, Program, Shape};

/// A structure, array or scalar inside an object, as bytes of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub start: i64,
    pub end: i64,
    /// The distance of elements, of arrays and of memory whose shape is not known.
    pub stride: Option<i64>,
    /// Whether a pointer may go from anywhere in it to anywhere.
    pub open: bool,
    /// Whether it is not known what stands where.
    pub shapeless: bool,
}

/// What is known of an object's shape.
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    pub layout: LayoutId,
    /// In bytes; not known of some allocations.
    pub size: Option<i64>,
}

impl Outline {
    pub fn end(&self) -> i64 {
        self.size.unwrap_or(i64::MAX)
    }

    /// All parts that a byte belongs to, the outermost first.
    pub fn parts_at(&self, program: &Program, offset: i64) -> Vec<Part> {
        let mut parts = Vec::new();
        if offset < 0 || offset >= self.end() {
            return parts;
        }
        let element = program.layouts[self.layout].size as i64;
        let mut start = 0;
        if self.size != Some(element) {
            let shapeless = element == 0 || program.layouts[self.layout].shape == Shape::Bytes;
            let stride = Some(element.max(1));
            parts.push(Part { start: 0, end: self.end(), stride, open: true, shapeless });
            if shapeless {
                return parts;
            }
            start = offset - offset % element;
        }
        let mut layout = self.layout;
        loop {
            let end = start + program.layouts[layout].size as i64;
            let (stride, inner) = match &program.layouts[layout].shape {
                Shape::Scalar(_) => (None, None),
                Shape::Union(_) | Shape::Bytes => (Some(1), None),
                Shape::Struct(fields) => {
                    let holds = |at: i64, of: LayoutId| {
                        (at..at + program.layouts[of].size as i64).contains(&offset)
                    };
                    let mut fields = fields.iter().map(|f| (start + f.offset as i64, f.layout));
                    (None, fields.find(|&(at, of)| holds(at, of)))
                }
                Shape::Array { element, .. } => {
                    let stride = program.layouts[*element].size as i64;
                    let first = |stride: i64| start + (offset - start) / stride * stride;
                    (Some(stride.max(1)), (stride > 0).then(|| (first(stride), *element)))
                }
            };
            let shape = &program.layouts[layout].shape;
            let shapeless = matches!(shape, Shape::Union(_) | Shape::Bytes);
            parts.push(Part { start, end, stride, open: stride.is_some(), shapeless });
            let Some(next) = inner else { return parts };
            (start, layout) = next;
        }
    }

    /// Whether a pointer to one byte may be moved to another: within the part that it points to the
    /// start of, within an array and right behind it, or out to a structure that begins there. A
    /// pointer to the middle of a scalar may be moved anywhere.
    pub fn may_move(&self, program: &Program, from: i64, to: i64) -> bool {
        let here = self.parts_at(program, from);
        let Some(innermost) = here.last() else { return true };
        let forward = |part: &Part| {
            let reaches = part.start == from || part.open;
            let behind = to == part.end && (part.open || part.end == self.end());
            reaches && ((part.start..part.end).contains(&to) || behind)
        };
        innermost.start != from
            || here.iter().any(forward)
            || self.parts_at(program, to).iter().any(|p| p.start == to && from < p.end && to < from)
    }

    /// The array that arithmetic by multiples of a stride stays in: from one byte on, to what would
    /// be the first element. Where nothing is known of the shape, elements are as far apart as the
    /// stride says.
    pub fn array(&self, program: &Program, from: i64, to: i64, stride: i64) -> Option<Part> {
        let fits = |part: &&Part| part.stride.is_some_and(|s| stride % s == 0);
        let exact = |part: &&Part| part.stride == Some(stride);
        for at in [to, from] {
            let parts = self.parts_at(program, at);
            let innermost = parts.iter().rev();
            let found = innermost.clone().find(exact).or_else(|| innermost.clone().find(fits));
            if let Some(&part) = found {
                let stride = if part.shapeless { Some(stride) } else { part.stride };
                return Some(Part { stride, ..part });
            }
        }
        None
    }
}
