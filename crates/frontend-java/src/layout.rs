//! Objects in memory: a number for the class, then the fields of the class and of those above it,
//! as far as a program uses them. An array has its length and a pointer to its elements, which are
//! an object of their own.

use std::collections::HashMap;

use selvedge_ir::{Field, Int, Layout, LayoutId, Program, Shape, Type};
use selvedge_java_classes::{FieldRef, JavaType};

use crate::reach::Reach;
use crate::value::stored;
use crate::world::{OBJECT, World, shown};

/// Where every object has the number of its class.
pub const CLASS: i64 = 0;

#[derive(Default)]
pub struct Layouts {
    made: HashMap<String, Shaped>,
    offsets: HashMap<FieldRef, i64>,
}

#[derive(Clone)]
struct Shaped {
    id: LayoutId,
    fields: Vec<Field>,
    /// The first byte behind the fields.
    end: u64,
}

impl Layouts {
    /// The layout of a class's objects, or of the head of an array.
    pub fn of(
        &mut self,
        program: &mut Program,
        world: &World,
        reach: &Reach,
        class: &str,
    ) -> LayoutId {
        self.shaped(program, world, reach, class).id
    }

    /// Where a field stands in every object that has it.
    pub fn offset(
        &mut self,
        program: &mut Program,
        world: &World,
        reach: &Reach,
        field: &FieldRef,
    ) -> i64 {
        self.shaped(program, world, reach, &field.class);
        self.offsets.get(field).copied().expect("a field that is used has a place")
    }

    pub fn length(&mut self, program: &mut Program, world: &World, reach: &Reach) -> i64 {
        let head = self.shaped(program, world, reach, OBJECT);
        head.end.next_multiple_of(4) as i64
    }

    pub fn elements(&mut self, program: &mut Program, world: &World, reach: &Reach) -> i64 {
        let length = self.length(program, world, reach) as u64;
        (length + 4).next_multiple_of(8) as i64
    }

    fn shaped(
        &mut self,
        program: &mut Program,
        world: &World,
        reach: &Reach,
        class: &str,
    ) -> Shaped {
        if let Some(known) = self.made.get(class) {
            return known.clone();
        }
        let shaped = match class.strip_prefix('[') {
            Some(_) => self.array(program, world, reach, class),
            None => self.class(program, world, reach, class),
        };
        self.made.insert(class.to_owned(), shaped.clone());
        shaped
    }

    fn class(&mut self, program: &mut Program, world: &World, reach: &Reach, name: &str) -> Shaped {
        let class = world.class(name);
        let above = class.as_ref().and_then(|class| class.super_class.clone());
        let (mut fields, mut end) = match above {
            Some(above) => {
                let above = self.shaped(program, world, reach, &above);
                (above.fields, above.end)
            }
            None => {
                let mut fields = Vec::new();
                let end = add(program, &mut fields, 0, "class", Type::Int(Int::I32));
                (fields, end)
            }
        };
        let own = class.iter().flat_map(|class| &class.fields).filter(|field| !field.is_static);
        for field in own {
            let reference =
                FieldRef { class: name.to_owned(), name: field.name.clone(), ty: field.ty.clone() };
            if !reach.fields.contains(&reference) {
                continue;
            }
            end = add(program, &mut fields, end, &field.name, stored(&field.ty));
            let offset = fields.last().map_or(0, |field| field.offset as i64);
            self.offsets.insert(reference, offset);
        }
        push(program, shown(name), fields, end)
    }

    fn array(&mut self, program: &mut Program, world: &World, reach: &Reach, name: &str) -> Shaped {
        let object = self.shaped(program, world, reach, OBJECT);
        let (mut fields, mut end) = (object.fields, object.end);
        end = add(program, &mut fields, end, "length", Type::Int(Int::I32));
        end = add(program, &mut fields, end, "elements", Type::Ptr);
        push(program, array_name(name), fields, end)
    }
}

/// Puts a field behind others; gives the first byte behind it.
fn add(program: &mut Program, fields: &mut Vec<Field>, end: u64, name: &str, ty: Type) -> u64 {
    let size = ty.size(program.model);
    let offset = end.next_multiple_of(size);
    let layout = program.scalar_layout(ty);
    // A class may have a field of the same name as one above it.
    let mut unique = name.to_owned();
    while fields.iter().any(|field| field.name == unique) {
        unique.push('\'');
    }
    fields.push(Field { name: unique, offset, layout });
    offset + size
}

fn push(program: &mut Program, name: String, fields: Vec<Field>, end: u64) -> Shaped {
    let size = end.next_multiple_of(8);
    // Names of scalars are taken.
    let mut unique = name;
    while program.layouts.values().any(|layout| layout.name == unique) {
        unique.push('\'');
    }
    let layout = Layout { name: unique, size, shape: Shape::Struct(fields.clone()) };
    Shaped { id: program.layouts.push(layout), fields, end }
}

/// `int[]`, `java.lang.String[][]`.
fn array_name(descriptor: &str) -> String {
    let element = descriptor.trim_start_matches('[');
    let dimensions = descriptor.len() - element.len();
    let element = match JavaType::of(element) {
        JavaType::Ref(class) => shown(&class),
        other => format!("{other:?}").to_lowercase(),
    };
    element + &"[]".repeat(dimensions)
}
