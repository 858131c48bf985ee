//! Names and values for people.

use selvedge_ir::{LayoutId, Shape, Type};

use crate::machine::Machine;
use crate::memory::Origin;
use crate::state::State;
use crate::value::{Target, Value};

impl Machine<'_> {
    /// What stands at an offset of an object: `x`, `list.head`, `heap#2[3].key`.
    pub fn name_of(&self, state: &State, target: Target, offset: i64) -> String {
        match target {
            Target::Nothing if offset == 0 => "null".into(),
            Target::Nothing => format!("{offset:#x}"),
            Target::Static(object) => {
                let known = &self.program.objects[object];
                format!("{}{}", known.name, self.path(known.layout, false, offset))
            }
            Target::Heap(index) => {
                let Some(object) = state.heap.get(index as usize) else {
                    return format!("#{index}");
                };
                match object.origin {
                    Origin::Global(id) => {
                        let name = &self.program.objects[id].name;
                        format!("{name}{}", self.path(object.layout, false, offset))
                    }
                    Origin::Allocated(_) => {
                        let many = object.size > self.program.layouts[object.layout].size;
                        let path = self.path(object.layout, many, offset);
                        match self.variable_at(state, index) {
                            Some(name) => format!("{name}{path}"),
                            None => {
                                let layout = &self.program.layouts[object.layout].name;
                                format!("{layout}#{index}{path}")
                            }
                        }
                    }
                }
            }
        }
    }

    /// The variable of the source that an object on a stack is: the front end keeps its address in
    /// a local named after it, `x#addr`.
    fn variable_at(&self, state: &State, index: u32) -> Option<&str> {
        let start = Some((Target::Heap(index), 0));
        state.threads.iter().find_map(|thread| {
            thread.frames.iter().find_map(|frame| {
                let locals = &self.program.procedures[frame.procedure].locals;
                let values = &thread.locals[frame.base as usize..];
                locals.values().zip(values).find_map(|(local, value)| {
                    let (name, _) = local.name.split_once("#addr")?;
                    (value.pointer() == start).then_some(name)
                })
            })
        })
    }

    /// The way from an object to what stands at an offset of it. An allocated object is a row of
    /// elements.
    fn path(&self, layout: LayoutId, many: bool, offset: i64) -> String {
        let plain = || if offset == 0 { String::new() } else { format!("{offset:+}") };
        let size = self.program.layouts[layout].size;
        let Ok(at) = u64::try_from(offset) else { return plain() };
        if size == 0 || matches!(self.program.layouts[layout].shape, Shape::Bytes) {
            return plain();
        }
        let index = if many { format!("[{}]", at / size) } else { String::new() };
        let inside = if many { at % size } else { at };
        match self.program.scalar_at(layout, inside) {
            Some((_, path)) => format!("{index}{path}"),
            None => plain(),
        }
    }

    /// A value at a type, as text.
    pub fn text_of(&self, state: &State, value: Value, ty: Type) -> String {
        match (value, ty) {
            (Value::Symbol { id, width, plus }, _) => {
                let symbol = &state.symbols[id.index()];
                match symbol.single(width, plus) {
                    Some(value) => self.text_of(state, value, ty),
                    None => "any".into(),
                }
            }
            (Value::Int(bits), Type::Bool) => (bits != 0).to_string(),
            (Value::Int(bits), Type::Int(int)) => int.value(bits).to_string(),
            (Value::Int(bits), _) => bits.to_string(),
            (Value::Proc(id), _) => format!("&{}", self.program.procedures[id].name),
            (Value::Thread(id), _) => id.to_string(),
            (Value::Opaque, _) => "unknown".into(),
            _ => match value.pointer() {
                Some((Target::Nothing, offset)) => self.name_of(state, Target::Nothing, offset),
                Some((target, offset)) => format!("&{}", self.name_of(state, target, offset)),
                None => "?".into(),
            },
        }
    }
}
