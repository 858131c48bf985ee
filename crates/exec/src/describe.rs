//! Names of places in memory, and values, as text.

use selvedge_ir::{Action, Callee, Edge, LayoutId, Procedure, Shape, Storage, Type};

use crate::code::zero;
use crate::machine::Machine;
use crate::memory::{HeapObject, Origin};
use crate::state::{Frame, State};
use crate::trace::{CallSite, SourcePlace};
use crate::value::{Target, ThreadId, Value};

/// Which part of an object an offset means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The scalar at it.
    Scalar,
    /// The largest part that starts there: what a pointer points to.
    Largest,
}

impl Machine<'_> {
    /// The scalar at an offset of an object: `x`, `list.head`, `node#2[3].key`.
    pub fn name_of(&self, state: &State, target: Target, offset: i64) -> String {
        self.part_name(state, target, offset, Part::Scalar)
    }

    fn part_name(&self, state: &State, target: Target, offset: i64, part: Part) -> String {
        match target {
            Target::Nothing if offset == 0 => "null".into(),
            Target::Nothing => format!("{offset:#x}"),
            Target::Static(object) => {
                let known = &self.program.objects[object];
                format!("{}{}", known.name, self.path(known.layout, false, offset, part))
            }
            Target::Heap(index) => {
                let Some(object) = state.heap.get(index as usize) else {
                    return format!("#{index}");
                };
                match object.origin {
                    Origin::Global(id) => {
                        let name = &self.program.objects[id].name;
                        format!("{name}{}", self.path(object.layout, false, offset, part))
                    }
                    Origin::Allocated(storage) => {
                        let many = object.size > self.program.layouts[object.layout].size;
                        let path = self.path(object.layout, many, offset, part);
                        match self.variable_at(state, index) {
                            Some(name) => format!("{name}{path}"),
                            None => {
                                format!("{}{path}", self.numbered(state, index, object, storage))
                            }
                        }
                    }
                }
            }
        }
    }

    /// An object without a name of its own: its layout, and which object of that layout it is.
    fn numbered(&self, state: &State, index: u32, object: &HeapObject, storage: Storage) -> String {
        let alike = |o: &HeapObject| o.origin == object.origin && o.layout == object.layout;
        let number = state.heap[..=index as usize].iter().filter(|o| alike(o)).count();
        let name = self.program.layouts[object.layout].name.as_str();
        let plain = ["struct ", "union "].iter().find_map(|tag| name.strip_prefix(tag));
        let name = plain.unwrap_or(name);
        match storage {
            Storage::Heap => format!("{name}#{number}"),
            // Its variable is gone; it must not look like one of the heap.
            Storage::Stack => format!("local {name}#{number}"),
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

    /// The path from an object to a part of it. An allocated object is an array of elements.
    fn path(&self, layout: LayoutId, many: bool, offset: i64, part: Part) -> String {
        let plain = || if offset == 0 { String::new() } else { format!("{offset:+}") };
        if part == Part::Largest && offset == 0 {
            return String::new();
        }
        let size = self.program.layouts[layout].size;
        let Ok(at) = u64::try_from(offset) else { return plain() };
        if size == 0 || matches!(self.program.layouts[layout].shape, Shape::Bytes) {
            return plain();
        }
        let index = if many { format!("[{}]", at / size) } else { String::new() };
        let inside = if many { at % size } else { at };
        let path = match part {
            Part::Scalar => self.program.scalar_at(layout, inside).map(|(_, path)| path),
            Part::Largest => self.start_at(layout, inside),
        };
        path.map_or_else(plain, |path| format!("{index}{path}"))
    }

    /// The path to the largest part of a layout that starts at an offset. None in padding, unions
    /// and untyped bytes.
    fn start_at(&self, layout: LayoutId, offset: u64) -> Option<String> {
        let known = &self.program.layouts[layout];
        match &known.shape {
            _ if offset == 0 => Some(String::new()),
            _ if offset >= known.size => None,
            Shape::Struct(fields) => {
                let field = fields.iter().rev().find(|f| f.offset <= offset)?;
                let inside = offset - field.offset;
                if !field.name.is_empty() {
                    return Some(format!(
                        ".{}{}",
                        field.name,
                        self.start_at(field.layout, inside)?
                    ));
                }
                // What has no name cannot be what is meant.
                match inside {
                    0 => self.program.scalar_at(field.layout, 0).map(|(_, path)| path),
                    _ => self.start_at(field.layout, inside),
                }
            }
            Shape::Array { element, .. } => {
                let stride = self.program.layouts[*element].size;
                let index = offset.checked_div(stride)?;
                Some(format!("[{index}]{}", self.start_at(*element, offset % stride)?))
            }
            Shape::Scalar(_) | Shape::Union(_) | Shape::Bytes => None,
        }
    }

    /// The calls that a thread is inside, the innermost first.
    pub(crate) fn calls(&self, state: &State, thread: ThreadId) -> Vec<CallSite> {
        let Some(index) = thread.index() else { return Vec::new() };
        let frames = &state.threads[index].frames;
        frames.windows(2).rev().map(|pair| self.call_site(&pair[0], &pair[1])).collect()
    }

    /// The call of one frame by another. A frame knows where its caller will continue, not the edge
    /// that called: several calls of one procedure may lead to the same location.
    fn call_site(&self, caller: &Frame, called: &Frame) -> CallSite {
        let code: &Procedure = &self.program.procedures[caller.procedure];
        let calls = |edge: &&Edge| match &edge.action {
            Action::Call { callee: Callee::Direct(procedure), .. } => {
                *procedure == called.procedure
            }
            Action::Call { callee: Callee::Indirect(_), .. } => true,
            _ => false,
        };
        let edges = code.locations.values().flat_map(|location| &location.edges);
        let mut spans = edges.filter(|e| e.target == caller.at).filter(calls).map(|e| e.span);
        let first = spans.next().filter(|first| spans.all(|span| span == *first));
        CallSite {
            procedure: code.name.clone(),
            place: first.and_then(|span| SourcePlace::of(self.program, span)),
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
            (Value::Int(0), Type::Ptr | Type::Thread) => self.text_of(state, zero(ty), ty),
            (Value::Int(bits), _) => bits.to_string(),
            (Value::Proc(id), _) => format!("&{}", self.program.procedures[id].name),
            (Value::Thread(id), _) => id.to_string(),
            (Value::Opaque, _) => "unknown".into(),
            _ => match value.pointer() {
                Some((Target::Nothing, offset)) => self.name_of(state, Target::Nothing, offset),
                Some((target, offset)) => {
                    format!("&{}", self.part_name(state, target, offset, Part::Largest))
                }
                None => "?".into(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use selvedge_ir::text;

    use crate::Options;
    use crate::replay::record;
    use crate::trace::{ScheduleEntry, VisibleStep};

    const LAYOUTS: &str = "layout mutex = struct { holder: thread; count: i32; };
        layout struct port = struct { lock: mutex; queue: i32[3]; next: ptr; };
        shared port: struct port; shared p: ptr;
        procedure get() -> r { local r: ptr; L0: r := load p -> L1; exit L1: }";

    /// The visible actions of `main`, as text.
    fn shown(body: &str, actions: usize) -> Vec<String> {
        let source = format!(
            "{LAYOUTS} procedure main() {{ local q: ptr; {body} }}
            thread main main;"
        );
        let program = text::parse("test.plato", &source).unwrap_or_else(|e| panic!("{e:?}"));
        let schedule = vec![ScheduleEntry { thread: 1, visible: VisibleStep::default() }; actions];
        let trace = record(&program, &Options::new(&[]), &schedule).expect("it can be followed");
        let visible = trace.steps.into_iter().filter(|s| s.visible.is_some());
        visible.map(|s| s.event.to_string()).collect()
    }

    #[test]
    fn pointers_are_to_the_largest_part() {
        let body = "p := &port; p := &port.queue; p := &port.queue[2]; p := &port.lock.count;
            p := &(port + 1); p := &(port + 1000);";
        let expected = [
            "write p = &port",
            "write p = &port.queue",
            "write p = &port.queue[2]",
            "write p = &port.lock.count",
            "write p = &port+1",
            "write p = &port+1000",
        ];
        assert_eq!(shown(body, 6), expected);
    }

    #[test]
    fn objects_are_numbered_by_their_layout() {
        let body = "q := alloc i32; q := alloc struct port zeroed; q := alloc struct port zeroed;
            p := q; q := call get(); *(q): thread := none;";
        let expected = [
            "allocate i32#1",
            "allocate port#1",
            "allocate port#2",
            "write p = &port#2",
            "read p = &port#2",
            "write port#2.lock.holder = none",
        ];
        assert_eq!(shown(body, 6), expected);
    }
}
