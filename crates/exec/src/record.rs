//! Turns actions that were executed into the steps of a trace, where they are worth showing.

use selvedge_ir::{Action, Callee, EdgeId, Expr, LocalId, ProcId, Type};

use crate::code::{Home, zero};
use crate::event::{Attempt, Event};
use crate::machine::Machine;
use crate::memory::{Fill, Fit};
use crate::oracle::{Access, Visible};
use crate::state::{State, Thread};
use crate::trace::{Change, SourcePlace, Step, VisibleStep};
use crate::value::{Target, ThreadId, Value};

/// What was observed of one action while it was executed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub edge: Option<(ThreadId, ProcId, EdgeId)>,
    /// How many frames the thread had before it.
    pub depth: usize,
    pub visible: Option<Visible>,
    pub access: Option<Access>,
}

impl Seen {
    /// The step for the action, in the state after it; none where the action is not worth showing.
    /// `failed` says that it went wrong.
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
            older: v.older,
        });
        Some(Step {
            thread: thread.0,
            procedure: code.name.clone(),
            place: SourcePlace::of(machine.program, known.span),
            event: if failed { failing(&known.action) } else { describer.done(&known.action) },
            visible,
            changes: if failed { Vec::new() } else { describer.changes(&known.action) },
        })
    }
}

/// What an action that went wrong was to do.
fn failing(action: &Action) -> Event {
    let action = match action {
        Action::Load { .. } => Attempt::Read,
        Action::Store { .. } => Attempt::Write,
        Action::Lock { .. } => Attempt::Lock,
        Action::Unlock { .. } => Attempt::Unlock,
        Action::Assert { check, .. } => {
            Attempt::Check { property: check.property, message: check.to_string() }
        }
        Action::Alloc { .. } => Attempt::Allocate,
        Action::Free { .. } => Attempt::Free,
        Action::Call { .. } => Attempt::Call,
        Action::Spawn { .. } => Attempt::Start,
        Action::Join { .. } => Attempt::Join,
        Action::Assume(_) | Action::Wait(_) => Attempt::Branch,
        Action::Unsupported { what } => return Event::Unsupported { what: what.clone() },
        Action::Ghost(ghost) => return Event::Unsupported { what: ghost.what().to_owned() },
        Action::Skip
        | Action::Assign { .. }
        | Action::Havoc { .. }
        | Action::Fence(_)
        | Action::EndThread { .. }
        | Action::Halt => Attempt::Compute,
    };
    Event::Fails { action }
}

struct Describer<'a> {
    machine: &'a Machine<'a>,
    after: &'a State,
    seen: &'a Seen,
    thread: ThreadId,
    procedure: ProcId,
}

impl Describer<'_> {
    fn done(&self, action: &Action) -> Event {
        match action {
            Action::Skip | Action::Assume(_) => Event::Choose,
            Action::Wait(_) => Event::Wait,
            Action::Assert { check, .. } => {
                Event::Check { property: check.property, message: check.to_string() }
            }
            Action::Assign { to, .. } => {
                Event::Assign { variable: self.local_name(*to), value: self.local_text(*to) }
            }
            Action::Havoc { to } => {
                Event::Input { variable: self.local_name(*to), value: self.local_text(*to) }
            }
            Action::Load { to, from, .. } => Event::Read {
                place: self.place(),
                // Where the function has returned with it, the local is gone.
                value: self.local_text(*to).or_else(|| self.held(from.ty)),
                uninitialised: self.seen.visible.is_some_and(|v| v.input.is_some()),
                older: self.seen.visible.is_some_and(|v| v.older.is_some()),
            },
            Action::Store { to, .. } => {
                Event::Write { place: self.place(), value: self.held(to.ty) }
            }
            Action::Lock { .. } => Event::Lock { place: self.place() },
            Action::Unlock { .. } => Event::Unlock { place: self.place() },
            Action::Alloc { storage, .. } => {
                Event::Allocate { storage: *storage, place: self.allocated() }
            }
            Action::Free { addr, storage } => {
                Event::Free { storage: *storage, place: self.freed(addr) }
            }
            Action::Spawn { .. } => Event::Start { thread: self.after.threads.len() as u32 },
            Action::Join { thread, to } => Event::Join {
                thread: self.joined(thread, *to),
                result: to.and_then(|to| self.local_text(to)),
            },
            Action::Call { callee, .. } => Event::Call { procedure: self.called(callee) },
            Action::EndThread { .. } => Event::EndThread,
            Action::Fence(_) => Event::Fence,
            Action::Halt => Event::EndProgram,
            Action::Unsupported { what } => Event::Unsupported { what: what.clone() },
            Action::Ghost(ghost) => Event::Unsupported { what: ghost.what().to_owned() },
        }
    }

    /// The object that the action made: the last one.
    fn allocated(&self) -> String {
        let object = Value::Heap(self.after.heap.len() as u32 - 1, 0);
        let pointer = self.machine.text_of(self.after, object, Type::Ptr);
        pointer.trim_start_matches('&').to_owned()
    }

    /// The object that an address led to before it was freed.
    fn freed(&self, addr: &Expr) -> Option<String> {
        let Expr::Local(local) = addr else { return None };
        self.local_text(*local)?.strip_prefix('&').map(str::to_owned)
    }

    /// The thread that has been waited for.
    fn joined(&self, thread: &Expr, to: Option<LocalId>) -> Option<u32> {
        match thread {
            Expr::Local(local) if Some(*local) != to => match self.local(*local)? {
                Value::Thread(id) => Some(id.0),
                _ => None,
            },
            _ => None,
        }
    }

    fn changes(&self, action: &Action) -> Vec<Change> {
        let mut changes = Vec::new();
        if let (Some(place), Some(access)) = (action.place(), self.seen.access)
            && access.write
        {
            changes.push(Change {
                name: self.place(),
                value: self.held(place.ty).unwrap_or_else(|| "?".into()),
                shared: self.is_shared(access.target),
            });
        }
        if let Some(local) = action.assigned()
            && self.machine.program.procedures[self.procedure].locals[local].named
            && let Some(value) = self.local_text(local)
        {
            let name = self.local_name(local);
            changes.push(Change { name, value, shared: false });
        }
        changes
    }

    fn local_name(&self, local: LocalId) -> String {
        self.machine.program.procedures[self.procedure].locals[local].name.clone()
    }

    /// The value of a local of the procedure that acted. A call has entered another frame, and a
    /// procedure that has returned has none; then it is not known.
    fn local(&self, local: LocalId) -> Option<Value> {
        let thread = self.after.thread(self.thread);
        let frame = thread.frames.last().filter(|_| thread.frames.len() == self.seen.depth)?;
        Some(thread.locals[frame.base as usize + local.as_u32() as usize])
    }

    fn local_text(&self, local: LocalId) -> Option<String> {
        let ty = self.machine.program.procedures[self.procedure].locals[local].ty;
        Some(self.machine.text_of(self.after, self.local(local)?, ty))
    }

    fn called(&self, callee: &Callee) -> String {
        let entered = match callee {
            Callee::Direct(procedure) => Some(*procedure),
            Callee::Indirect(_) => {
                self.after.thread(self.thread).frames.last().map(|frame| frame.procedure)
            }
        };
        entered.map_or(String::new(), |id| self.machine.program.procedures[id].name.clone())
    }

    fn place(&self) -> String {
        match self.seen.access {
            Some(a) => self.machine.name_of(self.after, a.target, a.offset as i64),
            None => "memory".into(),
        }
    }

    /// What memory now holds where the action read or wrote, if that is a scalar of the same size.
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
