//! Names and paths, as both the printer and the parser understand them.

use crate::{BinaryOp, Float, FloatFn, FloatOp, Int, LayoutId, Program, Shape, Type, UnaryOp};

/// Words that stand for themselves wherever a value or a place may stand; as names they are
/// quoted. All other words of the language are recognised by their position.
pub const RESERVED: [&str; 14] = [
    "true", "false", "null", "none", "tid", "load", "call", "spawn", "alloc", "join", "atomic",
    "stack", "heap", "proc",
];

pub fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '#')
}

pub fn continues_name(c: char) -> bool {
    starts_name(c) || c.is_ascii_digit() || c == '\''
}

pub fn is_bare(name: &str) -> bool {
    name.starts_with(starts_name) && name.chars().all(continues_name) && !RESERVED.contains(&name)
}

/// A name as it stands in a text.
pub fn name(name: &str) -> String {
    if is_bare(name) { name.to_string() } else { quote(name) }
}

/// A name where a type may stand too: what looks like a type is quoted.
pub fn name_not_type(text: &str) -> String {
    if type_named(text).is_some() { quote(text) } else { name(text) }
}

pub fn quote(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => quoted.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

pub fn type_named(name: &str) -> Option<Type> {
    match name {
        "bool" => Some(Type::Bool),
        "ptr" => Some(Type::Ptr),
        "thread" => Some(Type::Thread),
        _ => int_named(name).map(Type::Int),
    }
}

/// `i32`, `u7`: one way to write each, so no leading zeros.
pub fn int_named(name: &str) -> Option<Int> {
    let signed = match name.as_bytes().first()? {
        b'i' => true,
        b'u' => false,
        _ => return None,
    };
    let digits = &name[1..];
    let width: u8 = digits.parse().ok()?;
    let canonical = digits.starts_with(|c: char| ('1'..='9').contains(&c));
    (canonical && (1..=64).contains(&width)).then_some(Int { width, signed })
}

/// A layout's name as a reference to it. `struct node[4]` and `i32[2][3]` need no quotes.
pub fn layout_ref(program: &Program, id: LayoutId) -> String {
    let Some(layout) = program.layouts.get(id) else { return format!("\"{id}?\"") };
    if let Some(ty) = type_named(&layout.name) {
        let wanted = Shape::Scalar(ty);
        let first = program.layouts.iter().find(|(_, l)| l.shape == wanted).map(|(id, _)| id);
        return if first == Some(id) { layout.name.clone() } else { quote(&layout.name) };
    }
    if is_bare_layout(&layout.name) { layout.name.clone() } else { quote(&layout.name) }
}

/// A layout's name where it is declared.
pub fn layout_name(name: &str) -> String {
    if is_bare_layout(name) { name.to_string() } else { quote(name) }
}

fn is_bare_layout(name: &str) -> bool {
    let (base, mut dimensions) = match name.find('[') {
        Some(bracket) => name.split_at(bracket),
        None => (name, ""),
    };
    while !dimensions.is_empty() {
        let Some(end) = dimensions.find(']') else { return false };
        let count = &dimensions[1..end];
        if count.parse::<u64>().map(|n| n.to_string()).as_deref() != Ok(count) {
            return false;
        }
        dimensions = &dimensions[end + 1..];
        if !dimensions.is_empty() && !dimensions.starts_with('[') {
            return false;
        }
    }
    let tag = base.strip_prefix("struct ").or_else(|| base.strip_prefix("union "));
    match tag {
        Some(tag) => is_bare(tag),
        None => is_bare(base) && base != "struct" && base != "union",
    }
}

/// One step of a path into a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Field(String),
    Index(u64),
}

/// The scalar at a byte offset and the path that leads to it, if following the path with [`follow`]
/// leads back there; so a path that is printed is always read as the same place.
pub fn path_to(program: &Program, layout: LayoutId, offset: u64) -> Option<(Type, Vec<Step>)> {
    let mut steps = Vec::new();
    let ty = descend(program, layout, offset, &mut steps)?;
    let (back, reached) = follow(program, layout, &steps)?;
    let scalar = program.layouts[reached].shape == Shape::Scalar(ty);
    (back == offset && scalar).then_some((ty, steps))
}

fn descend(
    program: &Program,
    layout: LayoutId,
    offset: u64,
    steps: &mut Vec<Step>,
) -> Option<Type> {
    match &program.layouts.get(layout)?.shape {
        Shape::Scalar(ty) => (offset == 0).then_some(*ty),
        Shape::Struct(fields) => {
            let field = fields.iter().rev().find(|f| f.offset <= offset)?;
            if !field.name.is_empty() {
                steps.push(Step::Field(field.name.clone()));
            }
            descend(program, field.layout, offset - field.offset, steps)
        }
        Shape::Array { element, count } => {
            let stride = program.layouts.get(*element)?.size;
            let index = offset.checked_div(stride)?;
            steps.push(Step::Index(index));
            if index >= *count {
                return None;
            }
            descend(program, *element, offset % stride, steps)
        }
        Shape::Union(_) | Shape::Bytes => None,
    }
}

/// The offset and layout that a path leads to.
pub fn follow(program: &Program, layout: LayoutId, steps: &[Step]) -> Option<(u64, LayoutId)> {
    let mut here = (0u64, layout);
    for step in steps {
        let (inner, reached) = match step {
            Step::Field(name) => field(program, here.1, name)?,
            Step::Index(index) => {
                let (stride, element) = element(program, here.1)?;
                (stride.checked_mul(*index)?, element)
            }
        };
        here = (here.0.checked_add(inner)?, reached);
    }
    Some(here)
}

/// The member of that name, also inside anonymous members: its offset and layout.
pub fn field(program: &Program, layout: LayoutId, name: &str) -> Option<(u64, LayoutId)> {
    let (Shape::Struct(fields) | Shape::Union(fields)) = &program.layouts.get(layout)?.shape else {
        return None;
    };
    let direct = fields.iter().find(|f| f.name == name && !name.is_empty());
    if let Some(found) = direct {
        return Some((found.offset, found.layout));
    }
    fields.iter().filter(|f| f.name.is_empty()).find_map(|f| {
        let (inner, reached) = field(program, f.layout, name)?;
        Some((f.offset.checked_add(inner)?, reached))
    })
}

/// An array's stride and element.
pub fn element(program: &Program, layout: LayoutId) -> Option<(u64, LayoutId)> {
    match &program.layouts.get(layout)?.shape {
        Shape::Array { element, .. } => Some((program.layouts.get(*element)?.size, *element)),
        _ => None,
    }
}

/// Among known names the one that differs least from a mistyped one, if it differs little.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = 1 + name.len() / 4;
    let near = known.map(|k| (edits(name, k), k)).filter(|(edits, _)| *edits <= most);
    near.min().map(|(_, k)| k)
}

/// How many characters must be added, dropped or changed to get from one to the other.
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in to.iter().enumerate() {
            let changed = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

/// `fadd_f64`, `flt_f32`.
pub fn float_operator(format: Float, op: FloatOp) -> String {
    format!("{}_{}", op.name(), format.name())
}

/// `fsqrt_f64`, `f64_to_f32`, `int_to_f32`, `f64_to_i8`.
pub fn float_function(format: Float, function: FloatFn) -> String {
    let format = format.name();
    match function {
        FloatFn::Sqrt => format!("fsqrt_{format}"),
        FloatFn::Convert(to) => format!("{format}_to_{}", to.name()),
        FloatFn::FromInt => format!("int_to_{format}"),
        FloatFn::ToInt(int) => format!("{format}_to_{int}"),
    }
}

pub fn float_operator_named(name: &str) -> Option<BinaryOp> {
    let (op, format) = name.rsplit_once('_')?;
    let op = FloatOp::ALL.into_iter().find(|known| known.name() == op)?;
    Some(BinaryOp::Float(float_named(format)?, op))
}

pub fn float_function_named(name: &str) -> Option<UnaryOp> {
    if let Some(format) = name.strip_prefix("fsqrt_") {
        return Some(UnaryOp::Float(float_named(format)?, FloatFn::Sqrt));
    }
    let (from, to) = name.split_once("_to_")?;
    Some(match (float_named(from), float_named(to)) {
        (Some(format), Some(to)) => UnaryOp::Float(format, FloatFn::Convert(to)),
        (Some(format), None) => UnaryOp::Float(format, FloatFn::ToInt(int_named(to)?)),
        (None, Some(format)) if from == "int" => UnaryOp::Float(format, FloatFn::FromInt),
        _ => return None,
    })
}

fn float_named(name: &str) -> Option<Float> {
    Float::ALL.into_iter().find(|format| format.name() == name)
}
