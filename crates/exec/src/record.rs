//! Writes down what threads do, for people: one step of a trace for each action worth showing.

use selvedge_ir::{Action, EdgeId, Expr, LocalId, ProcId, Storage, Type};

use crate::code::{Home, zero};
use crate::machine::Machine;
use crate::memory::{Fill, Fit};
use crate::oracle::{Access, Visible};
use crate::state::{State, Thread};
use crate::trace::{Change, SourcePlace, Step, VisibleStep};
use crate::value::{Target, ThreadId, Value};

/// What became known of one action while it was done.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub edge: Option<(ThreadId, ProcId, EdgeId)>,
    pub visible: Option<Visible>,
    pub access: Option<Access>,
}

impl Seen {
    /// The step to show, after the action was done; none where nobody would want to see it.
    /// `failed` is set where it went wrong.
    pub fn step(&self, machine: &Machine<'_>, after: &State, failed: bool) -> Option<Step> {
        let (thread, procedure, edge) = self.edge?;
        let code = &machine.program.procedures[procedure];
        let known = code.edge(edge);
        let describer = Describer { machine, after, seen: self, thread, procedure };
        let named = known.action.assigned().is_some_and(|l| code.locals[l].named);
        let shown = match &known.action {
            Action::Assign { .. } => named,
            Action::Call { .. } => true,
            _ => false,
        };
        if self.visible.is_none() && !shown && !failed {
            return None;
        }
        let visible = self.visible.map(|v| VisibleStep {
            choice: v.choice,
            input: v.input.map(|value| match value {
                Value::Int(bits) => bits,
                _ => 0,
            }),
        });
        Some(Step {
            thread: thread.0,
            procedure: code.name.clone(),
            place: SourcePlace::of(machine.program, known.span),
            action: if failed {
                describer.failing(&known.action)
            } else {
                describer.done(&known.action)
            },
            visible,
            changes: if failed { Vec::new() } else { describer.changes(&known.action) },
        })
    }
}

struct Describer<'a> {
    machine: &'a Machine<'a>,
    after: &'a State,
    seen: &'a Seen,
    thread: ThreadId,
    procedure: ProcId,
}

impl Describer<'_> {
    fn done(&self, action: &Action) -> String {
        let value = |to: &LocalId| self.local(*to).map_or(String::new(), |v| format!(" = {v}"));
        match action {
            Action::Skip | Action::Assume(_) => "choose".into(),
            Action::Wait(_) => "wait until the condition holds".into(),
            Action::Assert { check, .. } => check.message.clone(),
            Action::Assign { to, .. } => format!("{}{}", self.local_name(*to), value(to)),
            Action::Havoc { to } => format!("input {}{}", self.local_name(*to), value(to)),
            Action::Load { to, from, .. } => {
                let undefined = self.seen.visible.is_some_and(|v| v.input.is_some());
                let note = if undefined { " (uninitialised)" } else { "" };
                // Where the function has returned with it, the local is gone.
                let read = self.local(*to).or_else(|| self.held(from.ty));
                let read = read.map_or(String::new(), |v| format!(" = {v}"));
                format!("read {}{read}{note}", self.place())
            }
            Action::Store { to, .. } => {
                format!("write {} = {}", self.place(), self.stored(to.ty))
            }
            Action::Lock { .. } => format!("lock {}", self.place()),
            Action::Unlock { .. } => format!("unlock {}", self.place()),
            Action::Alloc { to, .. } => format!("allocate{}", value(to)),
            Action::Free { storage: Storage::Heap, addr } => format!("free {}", self.freed(addr)),
            Action::Free { storage: Storage::Stack, .. } => "free".into(),
            Action::Spawn { to, .. } => format!("start thread{}", value(to)),
            Action::Join { to: Some(to), .. } => format!("join, result{}", value(to)),
            Action::Join { to: None, .. } => "join".into(),
            Action::Call { .. } => format!("call {}", self.called()),
            Action::EndThread { .. } => "end of the thread".into(),
            Action::Halt => "end of the program".into(),
            Action::Unsupported { what } => format!("unsupported: {what}"),
        }
    }

    /// What an address that has just been freed led to.
    fn freed(&self, addr: &Expr) -> String {
        let pointer = match addr {
            Expr::Local(local) => self.local(*local),
            _ => None,
        };
        pointer.as_deref().and_then(|p| p.strip_prefix('&')).unwrap_or("memory").to_owned()
    }

    fn failing(&self, action: &Action) -> String {
        match action {
            Action::Load { .. } => "read".into(),
            Action::Store { .. } => "write".into(),
            Action::Lock { .. } => "lock".into(),
            Action::Unlock { .. } => "unlock".into(),
            Action::Assert { check, .. } => check.message.clone(),
            Action::Free { .. } => "free".into(),
            Action::Call { .. } => "call".into(),
            Action::Spawn { .. } => "start of a thread".into(),
            Action::Join { .. } => "join".into(),
            Action::Assume(_) => "branch".into(),
            Action::Unsupported { what } => format!("unsupported: {what}"),
            _ => "computation".into(),
        }
    }

    fn changes(&self, action: &Action) -> Vec<Change> {
        let mut changes = Vec::new();
        if let (Some(place), Some(access)) = (action.place(), self.seen.access)
            && access.write
        {
            changes.push(Change {
                name: self.place(),
                value: self.stored(place.ty),
                shared: self.is_shared(access.target),
            });
        }
        if let Some(local) = action.assigned()
            && self.machine.program.procedures[self.procedure].locals[local].named
            && let Some(value) = self.local(local)
        {
            let name = self.local_name(local);
            changes.push(Change { name, value, shared: false });
        }
        changes
    }

    fn local_name(&self, local: LocalId) -> String {
        self.machine.program.procedures[self.procedure].locals[local].name.clone()
    }

    /// The value of a local that the action has just assigned. A call has entered another frame,
    /// and an ended thread has none; then there is nothing to say.
    fn local(&self, local: LocalId) -> Option<String> {
        let thread = self.after.thread(self.thread);
        let frame = thread.frames.last().filter(|f| f.procedure == self.procedure)?;
        let value = thread.locals[frame.base as usize + local.as_u32() as usize];
        let ty = self.machine.program.procedures[self.procedure].locals[local].ty;
        Some(self.machine.text_of(self.after, value, ty))
    }

    fn called(&self) -> String {
        let top = self.after.thread(self.thread).frames.last();
        top.map_or(String::new(), |f| self.machine.program.procedures[f.procedure].name.clone())
    }

    fn place(&self) -> String {
        match self.seen.access {
            Some(a) => self.machine.name_of(self.after, a.target, a.offset as i64),
            None => "memory".into(),
        }
    }

    /// What now stands where the action wrote.
    fn stored(&self, ty: Type) -> String {
        self.held(ty).unwrap_or_else(|| "?".into())
    }

    /// What now stands where the action read or wrote, if it stands there as a scalar of that size.
    fn held(&self, ty: Type) -> Option<String> {
        let value = self.seen.access.and_then(|a| self.machine.peek(self.after, &a, ty))?;
        Some(self.machine.text_of(self.after, value, ty))
    }

    fn is_shared(&self, target: Target) -> bool {
        let own = |t: &Thread, i: u32| t.own.contains(&i);
        match target {
            Target::Heap(i) => !own(self.after.thread(self.thread), i),
            _ => true,
        }
    }
}

impl Machine<'_> {
    /// The value of a cell that an access has just read or written.
    fn peek(&self, state: &State, access: &Access, ty: Type) -> Option<Value> {
        match access.target {
            Target::Static(object) => match self.code.object(object).home {
                Home::Heap(index) => self.peek_heap(state, index, access, ty),
                _ => {
                    let cell = self.code.cell_at(object, access.offset)? as usize;
                    let size = self.code.static_cells[cell].ty.size(self.program.model);
                    (size == access.size).then(|| state.statics[cell])
                }
            },
            Target::Heap(index) => self.peek_heap(state, index, access, ty),
            Target::Nothing => None,
        }
    }

    fn peek_heap(&self, state: &State, index: u32, access: &Access, ty: Type) -> Option<Value> {
        let object = state.heap.get(index as usize)?;
        match object.fit(access.offset, access.size, self.program.model) {
            Fit::Cell(cell) => Some(object.cells[cell].value),
            // Zeros have no cells.
            Fit::Free(_) if object.live && object.fill == Fill::Zero => Some(zero(ty)),
            Fit::Free(_) | Fit::Across(..) => None,
        }
    }
}
