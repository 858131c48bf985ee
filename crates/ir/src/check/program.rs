//! Invariants of layouts, objects, regions, threads and notes.

use std::collections::HashSet;

use super::{Site, Violations};
use crate::{
    Const, Field, Layout, LayoutId, Multiplicity, Object, ProcId, Procedure, Program, Shape, Span,
    Thread, Type,
};

pub fn check(program: &Program, found: &mut Violations) {
    let mut names = HashSet::new();
    for (id, layout) in &program.layouts {
        found.site = Site::Layout(id);
        found.require(names.insert(&layout.name), || name_taken("layout", &layout.name));
        check_layout(program, id, layout, found);
    }
    let mut names = HashSet::new();
    for (id, object) in &program.objects {
        found.site = Site::Object(id);
        found.require(names.insert(&object.name), || name_taken("object", &object.name));
        check_object(program, object, found);
    }
    let mut names = HashSet::new();
    for (id, region) in &program.regions {
        found.site = Site::Region(id);
        found.require(names.insert(&region.name), || name_taken("region", &region.name));
        region.ty.iter().for_each(|ty| found.width(*ty));
    }
    let mut names = HashSet::new();
    for (id, procedure) in &program.procedures {
        found.site = Site::Procedure(id);
        found.require(names.insert(&procedure.name), || name_taken("procedure", &procedure.name));
    }
    for (index, thread) in program.threads.iter().enumerate() {
        found.site = Site::Thread(index);
        check_thread(program, index, thread, found);
    }
    for (index, annotation) in program.annotations.iter().enumerate() {
        found.site = Site::Annotation(index);
        check_span(program, annotation.span(), found);
    }
    for (index, note) in program.notes.iter().enumerate() {
        found.site = Site::Note(index);
        check_span(program, note.span, found);
    }
    for (index, assumed) in program.assumed.iter().enumerate() {
        found.site = Site::Assumed(index);
        check_span(program, assumed.span, found);
    }
}

fn name_taken(what: &str, name: &str) -> String {
    format!("another {what} has the name `{name}`")
}

pub fn check_span(program: &Program, span: Span, found: &mut Violations) {
    let known = span.is_none() || program.files.get(span.file).is_some();
    found.require(known, || format!("the span names {}, which does not exist", span.file));
}

pub fn check_const(program: &Program, constant: Const, found: &mut Violations) {
    match constant {
        Const::Int(bits, int) => {
            found.width(Type::Int(int));
            let fits = bits & !int.mask() == 0;
            found.require(fits, || format!("the constant {bits:#x} has bits above those of {int}"));
        }
        Const::Object(id, _) => {
            let known = program.objects.get(id).is_some();
            found.require(known, || format!("{id} does not exist"));
        }
        Const::Proc(id) => {
            let known = program.procedures.get(id).is_some();
            found.require(known, || format!("{id} does not exist"));
        }
        Const::Bool(_) | Const::Null | Const::NoThread => {}
    }
}

fn check_layout(program: &Program, id: LayoutId, layout: &Layout, found: &mut Violations) {
    // Later ids would make layouts recursive; nothing further can be said of such a one.
    let before = |inner: LayoutId, found: &mut Violations| {
        found.require(inner < id, || format!("refers to {inner}, which is not before it"));
        inner < id
    };
    let size = layout.size;
    match &layout.shape {
        Shape::Scalar(ty) => {
            found.width(*ty);
            let right = ty.size(program.model);
            found.require(size == right, || format!("a {ty} takes {right} bytes, not {size}"));
        }
        Shape::Struct(fields) => {
            let mut end = 0;
            for field in fields {
                if before(field.layout, found) {
                    check_field(program, field, size, found);
                    found.require(field.offset >= end, || {
                        format!("field `{}` at {} begins before {end}", field.name, field.offset)
                    });
                    end = field.offset.saturating_add(program.layouts[field.layout].size);
                }
            }
        }
        Shape::Union(fields) => {
            for field in fields {
                if before(field.layout, found) {
                    check_field(program, field, size, found);
                    found.require(field.offset == 0, || {
                        format!("field `{}` of a union at {}", field.name, field.offset)
                    });
                }
            }
        }
        Shape::Array { element, count } => {
            if before(*element, found) {
                let stride = program.layouts[*element].size;
                found.require(stride.checked_mul(*count) == Some(size), || {
                    format!("{count} elements of {stride} bytes do not take {size} bytes")
                });
            }
        }
        Shape::Bytes => {}
    }
}

fn check_field(program: &Program, field: &Field, size: u64, found: &mut Violations) {
    let end = field.offset.checked_add(program.layouts[field.layout].size);
    found.require(end.is_some_and(|end| end <= size), || {
        format!("field `{}` at {} does not fit {size} bytes", field.name, field.offset)
    });
}

fn check_object(program: &Program, object: &Object, found: &mut Violations) {
    check_span(program, object.span, found);
    let Some(layout) = program.layouts.get(object.layout) else {
        return found.report(format!("{} does not exist", object.layout));
    };
    let mut next = 0;
    for &(offset, constant) in &object.init {
        check_const(program, constant, found);
        found.require(offset >= next, || format!("the value at {offset} is out of order"));
        let ty = constant.ty();
        next = offset.saturating_add(ty.size(program.model));
        found.require(next <= layout.size, || format!("the value at {offset} is outside"));
        found.require(constant != Const::zero(ty), || {
            format!("the value at {offset} is zero, which is left out")
        });
        if let Some((scalar, _)) = program.scalar_at(object.layout, offset) {
            found.require(scalar == ty, || format!("a {ty} at {offset}, where a {scalar} stands"));
        }
    }
}

fn check_thread(program: &Program, index: usize, thread: &Thread, found: &mut Violations) {
    let id = thread.procedure;
    found.require(program.procedures.get(id).is_some(), || format!("{id} does not exist"));
    if thread.main {
        let once = thread.count == Multiplicity::Exactly(1);
        found.require(once, || "the main thread runs more than once".to_string());
        let first = program.threads[..index].iter().all(|t| !t.main);
        found.require(first, || "there is another main thread".to_string());
        if let Some(procedure) = program.procedures.get(id) {
            check_end(id, procedure, found);
        }
    }
}

/// The end of the program is a step of its own.
fn check_end(id: ProcId, procedure: &Procedure, found: &mut Violations) {
    for (at, _) in procedure.edges().filter(|(_, edge)| edge.target == procedure.exit) {
        found.site = Site::Edge(id, at);
        found.require(procedure.may_end_program(at), || {
            "the program ends in one step with an action that others can see".to_string()
        });
    }
}
