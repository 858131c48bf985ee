//! Prints actions.

use super::super::names::{self, quote};
use super::expr::Context;
use super::spec::ghost_action;
use crate::{Action, Callee, CheckKind, Expr, Fence, LocalId, Mode, Property, Storage, Type};

impl Context<'_> {
    fn callee(&self, callee: &Callee) -> String {
        match callee {
            Callee::Direct(id) => self.procedure_name(*id),
            Callee::Indirect(e) => format!("*({})", self.expr(e, Some(Type::Ptr))),
        }
    }

    fn args(&self, callee: &Callee, args: &[Expr]) -> String {
        let target = match callee {
            Callee::Direct(id) => self.program.procedures.get(*id),
            Callee::Indirect(_) => None,
        };
        let wants = |n: usize| {
            let procedure = target?;
            Some(procedure.locals.get(*procedure.params.get(n)?)?.ty)
        };
        let printed = args.iter().enumerate().map(|(n, arg)| self.expr(arg, wants(n)));
        printed.collect::<Vec<_>>().join(", ")
    }

    pub fn action(&self, action: &Action) -> String {
        let bool = Some(Type::Bool);
        match action {
            Action::Skip => "skip".to_string(),
            Action::Assume(e) => format!("assume {}", self.expr(e, bool)),
            Action::Wait(e) => format!("wait {}", self.expr(e, bool)),
            Action::Assert { cond, check } => {
                let word = match check.property {
                    Property::Assert => "assert".to_string(),
                    other => format!("check {other}"),
                };
                format!("{word} {} {}", self.expr(cond, bool), check_kind(&check.kind))
            }
            Action::Assign { to, value } => {
                format!("{} := {}", self.local(*to), self.expr(value, self.local_type(*to)))
            }
            Action::Havoc { to } => format!("havoc {}", self.local(*to)),
            Action::Load { to, from, mode } => {
                format!("{} := load {}{}", self.local(*to), mode_word(*mode), self.place(from))
            }
            Action::Store { to, value, mode } => {
                let value = self.expr(value, Some(to.ty));
                format!("store {}{} := {value}", mode_word(*mode), self.place(to))
            }
            Action::Lock { lock } => format!("lock {}", self.place(lock)),
            Action::Unlock { lock } => format!("unlock {}", self.place(lock)),
            Action::Alloc { to, storage, layout, size, zeroed } => format!(
                "{} := alloc {}{} size {}{}",
                self.local(*to),
                storage_word(*storage),
                names::layout_ref(self.program, *layout),
                self.expr(size, Some(Type::Int(self.program.model.size_type()))),
                if *zeroed { " zeroed" } else { "" }
            ),
            Action::Free { addr, storage } => {
                format!("free {}{}", storage_word(*storage), self.expr(addr, Some(Type::Ptr)))
            }
            Action::Spawn { to, entry, args } => {
                let args = self.args(entry, args);
                format!("{} := spawn {}({args})", self.local(*to), self.callee(entry))
            }
            Action::Join { thread, to } => {
                format!("{}join {}", self.receiver(*to), self.expr(thread, Some(Type::Thread)))
            }
            Action::Call { to, callee, args } => {
                let args = self.args(callee, args);
                format!("{}call {}({args})", self.receiver(*to), self.callee(callee))
            }
            Action::EndThread { value: None } => "end_thread".to_string(),
            Action::EndThread { value: Some(e) } => format!("end_thread {}", self.expr(e, None)),
            Action::Fence(fence) => format!("fence {}", fence_word(*fence)),
            Action::Halt => "halt".to_string(),
            Action::Ghost(ghost) => ghost_action(self.program, self.procedure, ghost),
            Action::Unsupported { what } => format!("unsupported {}", quote(what)),
        }
    }

    fn receiver(&self, to: Option<LocalId>) -> String {
        to.map(|to| format!("{} := ", self.local(to))).unwrap_or_default()
    }
}

/// What the check is about, as the parser's `check_kind` reads it.
fn check_kind(kind: &CheckKind) -> String {
    match kind {
        CheckKind::Condition(condition) => format!("condition {}", quote(condition)),
        CheckKind::Label(label) => quote(label),
        CheckKind::Unnamed => "unnamed".to_string(),
        CheckKind::ErrorCall(function) => format!("error_call {}", quote(function)),
        CheckKind::SignedOverflow(of) => format!("signed_overflow {}", quote(of)),
        CheckKind::ShiftCount(of) => format!("shift_count {}", quote(of)),
        CheckKind::Undefined(what) => format!("undefined {}", quote(what)),
    }
}

fn mode_word(mode: Mode) -> &'static str {
    match mode {
        Mode::Plain => "",
        Mode::Relaxed => "atomic(relaxed) ",
        Mode::Acquire => "atomic(acquire) ",
        Mode::Release => "atomic(release) ",
        Mode::Atomic => "atomic ",
    }
}

fn fence_word(fence: Fence) -> &'static str {
    match fence {
        Fence::Acquire => "acquire",
        Fence::Release => "release",
        Fence::AcquireRelease => "acq_rel",
        Fence::Sequential => "seq_cst",
    }
}

fn storage_word(storage: Storage) -> &'static str {
    match storage {
        Storage::Heap => "heap ",
        Storage::Stack => "stack ",
    }
}
