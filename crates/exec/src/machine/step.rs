//! One action of one thread.

use std::sync::Arc;

use selvedge_ir::{Action, EdgeId, LayoutId, LocalId, Mode, ProcId, Property, Span, Storage, Type};

use super::eval::{Context, Fallible, Memory, Wrong};
use super::{BlockKind, Machine, StepResult};
use crate::code::{Act, Address, EdgeCode, Entry, Ex, zero};
use crate::fault::Fault;
use crate::memory::{Fill, HeapObject, Origin};
use crate::oracle::{Choice, Input, Oracle, Visible};
use crate::state::{Frame, State};
use crate::stop::Stop;
use crate::symbol::{Domain, Symbol};
use crate::value::{SymbolId, ThreadId, Value};
use crate::violation::Violation;

/// The result of executing an action.
enum Done {
    /// The thread goes to the edge's target.
    Next,
    /// A call was entered; the caller already stands at the edge's target.
    Called,
    Finished(StepResult),
    Blocked(BlockKind),
}

/// The executing thread, and what the action has asked of the oracle so far.
pub(super) struct Doing<'a, O> {
    pub(super) state: &'a mut State,
    pub(super) thread: ThreadId,
    pub(super) oracle: &'a mut O,
    pub(super) edge: &'a EdgeCode,
    /// The input, of an action that has one.
    input: Option<Value>,
    /// As in [`Visible`].
    pub(super) older: Option<u32>,
}

impl Machine<'_> {
    /// Lets the thread do one action.
    pub fn step<O: Oracle>(
        &self,
        state: &mut State,
        thread: ThreadId,
        oracle: &mut O,
    ) -> StepResult {
        if state.halted {
            return StepResult::Halted;
        }
        if state.thread(thread).ended() {
            return StepResult::Ended;
        }
        match self.choose_edge(state, thread, oracle) {
            Ok(Ok((index, choice))) => self.take_edge(state, thread, oracle, index, choice),
            Ok(Err(kind)) => StepResult::Blocked(kind),
            Err(wrong) => wrong.into(),
        }
    }

    /// The edge to take, and its rank among the enabled ones where there are several; or why none
    /// can be taken. An edge alone is not tested: taking it will.
    pub(crate) fn choose_edge<O: Oracle>(
        &self,
        state: &mut State,
        thread: ThreadId,
        oracle: &mut O,
    ) -> Fallible<Result<(usize, Option<u32>), BlockKind>> {
        let frame = state.thread(thread).top();
        let location = self.code.location(frame.procedure, frame.at);
        match &location.edges[..] {
            [] => return Ok(Err(BlockKind::Assume)),
            [_] => return Ok(Ok((0, None))),
            [first, _] if location.branch => {
                let Act::Assume(cond) = &first.act else {
                    unreachable!("branches are assumptions")
                };
                let (mut context, _) = Context::new(self, state, thread, first.span, oracle);
                return Ok(Ok((usize::from(!context.test(cond)?), None)));
            }
            _ => {}
        }
        let mut enabled = Vec::new();
        let mut why = BlockKind::Assume;
        for (index, edge) in location.edges.iter().enumerate() {
            match self.blocked(state, thread, edge, oracle)? {
                None => enabled.push(index),
                Some(kind) => why = why.max(kind),
            }
        }
        Ok(match enabled[..] {
            [] => Err(why),
            [index] => Ok((index, None)),
            _ => {
                let rank = oracle.choose(enabled.len(), Choice::Edge);
                Ok((enabled[rank], Some(rank as u32)))
            }
        })
    }

    /// Why an edge cannot be taken now; none if it can.
    fn blocked<O: Oracle>(
        &self,
        state: &mut State,
        thread: ThreadId,
        edge: &EdgeCode,
        oracle: &mut O,
    ) -> Fallible<Option<BlockKind>> {
        if let Act::Join { thread: joined, .. } = &edge.act {
            let joined = self.joined(state, thread, joined, edge.span, oracle)?;
            return Ok((!state.thread(joined).ended()).then_some(BlockKind::Join));
        }
        let (mut context, memory) = Context::new(self, state, thread, edge.span, oracle);
        let (free, kind) = match &edge.act {
            Act::Assume(cond) => (context.test(cond)?, BlockKind::Assume),
            Act::Wait(cond) => (context.test(cond)?, BlockKind::Wait),
            Act::Lock { lock, .. } => {
                let spot = context.spot(memory.view(), lock)?;
                let holder = match context.read(memory.view(), spot, lock.ty)? {
                    Some(holder) => context.settled_holder(holder)?,
                    None => Value::NO_THREAD,
                };
                (holder == Value::NO_THREAD, BlockKind::Lock)
            }
            _ => return Ok(None),
        };
        Ok((!free).then_some(kind))
    }

    fn take_edge<O: Oracle>(
        &self,
        state: &mut State,
        thread: ThreadId,
        oracle: &mut O,
        index: usize,
        choice: Option<u32>,
    ) -> StepResult {
        let frame = *state.thread(thread).top();
        let edge = &self.code.location(frame.procedure, frame.at).edges[index];
        oracle.edge(thread, frame.procedure, EdgeId { from: frame.at, index: index as u32 });
        let mut doing = Doing { state, thread, oracle, edge, input: None, older: None };
        let done = self.act(&mut doing, index);
        let (input, older) = (doing.input, doing.older);
        if (choice.is_some() || edge.act.is_visible())
            && !matches!(done, Ok(Done::Blocked(_)) | Err(Wrong::Stop(_)))
        {
            oracle.visible(Visible { thread, choice, input, older });
        }
        match done {
            Ok(Done::Next) => {
                let top = state.thread_mut(thread).frames.last_mut();
                top.expect("a running thread has a frame").at = edge.target;
                self.arrive(state, thread)
            }
            Ok(Done::Called) => self.arrive(state, thread),
            Ok(Done::Finished(result)) => result,
            Ok(Done::Blocked(kind)) => StepResult::Blocked(kind),
            Err(wrong) => wrong.into(),
        }
    }

    fn act<O: Oracle>(&self, doing: &mut Doing<'_, O>, index: usize) -> Fallible<Done> {
        let edge = doing.edge;
        match &edge.act {
            Act::Skip => Ok(Done::Next),
            Act::Assume(cond) => Ok(unless(doing.test(self, cond)?, BlockKind::Assume)),
            Act::Wait(cond) => Ok(unless(doing.test(self, cond)?, BlockKind::Wait)),
            Act::Assert { cond, property } => self.assert(doing, cond, *property, index),
            Act::Assign { to, value } => {
                let value = doing.eval(self, value)?;
                doing.set(*to, value)
            }
            Act::Havoc { to, ty, site } => {
                let value = doing.fresh(*ty, *site);
                doing.set(*to, value)
            }
            Act::Load { to, from, mode, site } => {
                let value = doing.load(self, from, *mode, *site)?;
                doing.set(*to, value)
            }
            Act::Store { to, value, mode } => doing.store(self, to, value, *mode),
            Act::Lock { lock, site } => self.lock(doing, lock, *site),
            Act::Unlock { lock, site } => self.unlock(doing, lock, *site),
            Act::Fence(fence) => {
                if let Some(weak) = &mut doing.state.weak {
                    weak.fence(doing.thread, *fence);
                }
                Ok(Done::Next)
            }
            Act::Alloc { to, storage, layout, size, zeroed } => {
                let size = doing.eval_settled(self, size)?;
                doing.alloc(*to, *storage, *layout, size, *zeroed)
            }
            Act::Free { addr, storage } => self.free(doing, addr, *storage),
            Act::Spawn { to, entry, args } => self.spawn(doing, *to, entry, args),
            Act::Join { thread, to } => self.join(doing, thread, *to),
            Act::Call { to, entry, args } => self.call(doing, *to, entry, args),
            Act::EndThread { value } => {
                let result = match value {
                    Some(value) => doing.eval(self, value)?,
                    None => Value::Null,
                };
                Ok(Done::Finished(self.end(doing.state, doing.thread, result)))
            }
            Act::Halt => {
                doing.state.halted = true;
                Ok(Done::Finished(StepResult::Halted))
            }
            Act::Unsupported => Err(self.not_supported(doing, index)),
        }
    }

    fn assert<O: Oracle>(
        &self,
        doing: &mut Doing<'_, O>,
        cond: &Ex,
        property: Option<Property>,
        index: usize,
    ) -> Fallible<Done> {
        let asked = property.is_none_or(|property| self.options.checks(property));
        if !asked || doing.test(self, cond)? {
            return Ok(Done::Next);
        }
        let Action::Assert { check, .. } = self.action(doing, index) else {
            unreachable!("code and program agree")
        };
        Err(doing.error(Fault::of_check(check)))
    }

    fn not_supported<O: Oracle>(&self, doing: &Doing<'_, O>, index: usize) -> Wrong {
        let Action::Unsupported { what } = self.action(doing, index) else {
            unreachable!("code and program agree")
        };
        Stop::Unsupported { what: what.clone(), span: doing.edge.span }.into()
    }

    /// The action in the program that the edge was made from.
    fn action<O: Oracle>(&self, doing: &Doing<'_, O>, index: usize) -> &selvedge_ir::Action {
        let frame = doing.state.thread(doing.thread).top();
        &self.program.procedures[frame.procedure].locations[frame.at].edges[index].action
    }

    fn lock<O: Oracle>(
        &self,
        doing: &mut Doing<'_, O>,
        lock: &Address,
        site: u32,
    ) -> Fallible<Done> {
        if doing.holder(self, lock, site)? != Value::NO_THREAD {
            return Ok(Done::Blocked(BlockKind::Lock));
        }
        doing.acquire(self, lock)?;
        let holder = Ex::Value(Value::Thread(doing.thread));
        doing.store(self, lock, &holder, Mode::Atomic)
    }

    fn unlock<O: Oracle>(
        &self,
        doing: &mut Doing<'_, O>,
        lock: &Address,
        site: u32,
    ) -> Fallible<Done> {
        let holder = doing.holder(self, lock, site)?;
        if holder != Value::Thread(doing.thread) && self.options.checks(Property::Deadlock) {
            return Err(doing.error(match holder {
                Value::NO_THREAD => Fault::UnlockFree,
                _ => Fault::UnlockOther,
            }));
        }
        doing.store(self, lock, &Ex::Value(Value::NO_THREAD), Mode::Atomic)
    }

    fn free<O: Oracle>(
        &self,
        doing: &mut Doing<'_, O>,
        addr: &Ex,
        storage: Storage,
    ) -> Fallible<Done> {
        let pointer = doing.eval_settled(self, addr)?;
        let object = match pointer {
            Value::Null => return Ok(Done::Next),
            Value::Heap(index, offset) => Some((&doing.state.heap[index as usize], index, offset)),
            _ => None,
        };
        let fault = match object {
            _ if pointer == Value::Opaque => {
                return Err(doing.unsupported("free of a pointer computed from unknown bits"));
            }
            Some((object, _, _)) if object.origin != Origin::Allocated(storage) => {
                Fault::FreeUnallocated { storage }
            }
            Some((object, _, _)) if !object.live => Fault::DoubleFree,
            Some((_, _, offset)) if offset != 0 => Fault::FreeInside,
            Some((_, index, _)) => {
                // The end of a variable's scope is no access; what comes too late is a fault.
                if storage == Storage::Heap {
                    doing.freed(self, index)?;
                }
                Arc::make_mut(&mut doing.state.heap[index as usize]).free();
                return Ok(Done::Next);
            }
            None => Fault::FreeUnallocated { storage },
        };
        Err(self.fault(fault, doing.thread, doing.edge.span))
    }

    fn spawn<O: Oracle>(
        &self,
        doing: &mut Doing<'_, O>,
        to: LocalId,
        entry: &Entry,
        args: &[(Ex, Type)],
    ) -> Fallible<Done> {
        let (procedure, values) = self.entered(doing, entry, args)?;
        let new = self.start(doing.state, procedure, Some(doing.thread));
        let thread = doing.state.thread_mut(new);
        for (param, value) in self.code.procedure(procedure).params.iter().zip(values) {
            thread.set_local(*param, value);
        }
        self.arrive(doing.state, new);
        doing.set(to, Value::Thread(new))
    }

    fn call<O: Oracle>(
        &self,
        doing: &mut Doing<'_, O>,
        to: Option<LocalId>,
        entry: &Entry,
        args: &[(Ex, Type)],
    ) -> Fallible<Done> {
        let (procedure, values) = self.entered(doing, entry, args)?;
        let code = self.code.procedure(procedure);
        let limit = self.options.call_depth;
        let thread = doing.state.thread_mut(doing.thread);
        if thread.frames.len() >= limit as usize {
            return Err(Stop::CallDepth { limit, span: doing.edge.span }.into());
        }
        let caller = thread.frames.last_mut().expect("a running thread has a frame");
        caller.at = doing.edge.target;
        let base = thread.locals.len() as u32;
        thread.frames.push(Frame { procedure, at: code.entry, base, to });
        thread.locals.extend(code.locals.iter().map(|ty| zero(*ty)));
        for (param, value) in code.params.iter().zip(values) {
            thread.set_local(*param, value);
        }
        Ok(Done::Called)
    }

    /// The procedure that a call or a new thread enters, and the values of its parameters. As in
    /// C without prototypes, arguments beyond the parameters are dropped.
    fn entered<O: Oracle>(
        &self,
        doing: &mut Doing<'_, O>,
        entry: &Entry,
        args: &[(Ex, Type)],
    ) -> Fallible<(ProcId, Vec<Value>)> {
        let span = doing.edge.span;
        let procedure = match entry {
            Entry::Direct(id) => *id,
            Entry::Indirect(ex) => match doing.eval_settled(self, ex)? {
                Value::Proc(id) => id,
                Value::Null => {
                    return Err(self.fault(Fault::NullCall, doing.thread, span));
                }
                Value::Opaque => {
                    return Err(doing.unsupported("call of a pointer computed from unknown bits"));
                }
                _ => return Err(self.fault(Fault::CallOfData, doing.thread, span)),
            },
        };
        let code = self.code.procedure(procedure);
        if args.len() < code.params.len() {
            return Err(self.fault(Fault::TooFewArguments, doing.thread, span));
        }
        let mut values = Vec::with_capacity(code.params.len());
        for (param, (arg, ty)) in code.params.iter().zip(args) {
            let wanted = code.locals[param.as_u32() as usize];
            let (mut context, _) = doing.context(self);
            let value = context.eval(arg)?;
            values.push(context.cast(*ty, wanted, value)?);
        }
        Ok((procedure, values))
    }

    fn join<O: Oracle>(
        &self,
        doing: &mut Doing<'_, O>,
        thread: &Ex,
        to: Option<LocalId>,
    ) -> Fallible<Done> {
        let span = doing.edge.span;
        let id = self.joined(doing.state, doing.thread, thread, span, doing.oracle)?;
        let joined = doing.state.thread(id);
        if !joined.ended() {
            return Ok(Done::Blocked(BlockKind::Join));
        }
        let result = joined.result;
        if let Some(weak) = &mut doing.state.weak {
            weak.join(doing.thread, id);
        }
        match to {
            Some(to) => {
                let procedure = doing.state.thread(doing.thread).top().procedure;
                let ty = self.code.procedure(procedure).locals[to.as_u32() as usize];
                doing.set(to, fitted(result, ty))
            }
            None => Ok(Done::Next),
        }
    }

    /// The thread that a `Join` names.
    fn joined<O: Oracle>(
        &self,
        state: &mut State,
        thread: ThreadId,
        ex: &Ex,
        span: Span,
        oracle: &mut O,
    ) -> Fallible<ThreadId> {
        let (mut context, _) = Context::new(self, state, thread, span, oracle);
        let value = context.eval(ex)?;
        match context.settle(value)? {
            Value::Thread(id) if id != ThreadId::NONE => Ok(id),
            Value::Opaque => {
                Err(context.unsupported("join of a thread computed from unknown bits"))
            }
            _ => Err(context.fault(Fault::JoinOfNoThread)),
        }
    }
}

impl<O: Oracle> Doing<'_, O> {
    pub(super) fn context<'b>(
        &'b mut self,
        machine: &'b Machine<'b>,
    ) -> (Context<'b, O>, Memory<'b>) {
        Context::new(machine, self.state, self.thread, self.edge.span, self.oracle)
    }

    fn eval(&mut self, machine: &Machine<'_>, ex: &Ex) -> Fallible<Value> {
        self.context(machine).0.eval(ex)
    }

    fn eval_settled(&mut self, machine: &Machine<'_>, ex: &Ex) -> Fallible<Value> {
        let (mut context, _) = self.context(machine);
        let value = context.eval(ex)?;
        context.settle(value)
    }

    fn test(&mut self, machine: &Machine<'_>, ex: &Ex) -> Fallible<bool> {
        self.context(machine).0.test(ex)
    }

    fn set(&mut self, to: LocalId, value: Value) -> Fallible<Done> {
        self.state.thread_mut(self.thread).set_local(to, value);
        Ok(Done::Next)
    }

    pub(super) fn unsupported(&self, what: &str) -> Wrong {
        Stop::Unsupported { what: what.into(), span: self.edge.span }.into()
    }

    fn error(&self, fault: Fault) -> Wrong {
        Wrong::Error(Box::new(Violation::new(fault, self.edge.span, self.thread)))
    }

    /// An input of the program.
    fn fresh(&mut self, ty: Type, site: u32) -> Value {
        let value = match self.oracle.input(ty, self.edge.span) {
            Input::Bits(0) => zero(ty),
            Input::Bits(bits) => match ty {
                Type::Bool => Value::bool(bits != 0),
                Type::Int(int) => Value::Int(bits & int.mask()),
                Type::Ptr | Type::Thread => zero(ty),
            },
            Input::Open => {
                self.state.symbols.push(Symbol::new(ty, site));
                let id = SymbolId(self.state.symbols.len() as u32 - 1);
                let width = match ty {
                    Type::Int(int) => int.width,
                    _ => 1,
                };
                Value::Symbol { id, width, plus: 0 }
            }
        };
        self.input = Some(value);
        value
    }

    fn load(
        &mut self,
        machine: &Machine<'_>,
        from: &Address,
        mode: Mode,
        site: u32,
    ) -> Fallible<Value> {
        let mode = self.mode(machine, mode);
        let (mut context, memory) = self.context(machine);
        let spot = context.spot(memory.view(), from)?;
        let value = context.read(memory.view(), spot, from.ty)?;
        let access = context.note(spot, from.ty, false, mode);
        if let Some(older) = self.weak_load(machine, &access)? {
            return Ok(older);
        }
        Ok(value.unwrap_or_else(|| self.fresh(from.ty, site)))
    }

    /// An access made for a caller's atomic block is part of the block.
    fn mode(&self, machine: &Machine<'_>, own: Mode) -> Mode {
        let frames = &self.state.thread(self.thread).frames;
        let callers = &frames[..frames.len().saturating_sub(1)];
        if own == Mode::Plain && machine.any_atomic(callers) { Mode::Atomic } else { own }
    }

    /// Who holds a lock. The cell of one that was never initialised is an input like any other.
    fn holder(&mut self, machine: &Machine<'_>, lock: &Address, site: u32) -> Fallible<Value> {
        let (mut context, memory) = self.context(machine);
        let spot = context.spot(memory.view(), lock)?;
        let value = context.read(memory.view(), spot, lock.ty)?;
        let value = value.unwrap_or_else(|| self.fresh(lock.ty, site));
        self.context(machine).0.settled_holder(value)
    }

    fn store(
        &mut self,
        machine: &Machine<'_>,
        to: &Address,
        value: &Ex,
        mode: Mode,
    ) -> Fallible<Done> {
        let mode = self.mode(machine, mode);
        let (mut context, mut memory) = self.context(machine);
        let value = context.eval(value)?;
        let spot = context.spot(memory.view(), to)?;
        if machine.code.weak.is_none() {
            context.write(&mut memory, spot, to.ty, value)?;
            context.note(spot, to.ty, true, mode);
            return Ok(Done::Next);
        }
        let before = context.read(memory.view(), spot, to.ty)?;
        let access = context.note(spot, to.ty, true, mode);
        if self.weak_store(machine, &access, value, before)? {
            let (mut context, mut memory) = self.context(machine);
            context.write(&mut memory, spot, to.ty, value)?;
        }
        Ok(Done::Next)
    }

    fn alloc(
        &mut self,
        to: LocalId,
        storage: Storage,
        layout: LayoutId,
        size: Value,
        zeroed: bool,
    ) -> Fallible<Done> {
        let Value::Int(size) = size else {
            return Err(self.unsupported("an allocation whose size depends on unknown bits"));
        };
        let fill = if zeroed { Fill::Zero } else { Fill::Undefined };
        let object = HeapObject::new(size, layout, Origin::Allocated(storage), fill);
        self.state.heap.push(Arc::new(object));
        self.set(to, Value::Heap(self.state.heap.len() as u32 - 1, 0))
    }
}

impl<O: Oracle> Context<'_, O> {
    /// Who holds a lock. One that was never initialised may be free; if it is not, its holder is
    /// not known, and the execution cannot be followed.
    fn settled_holder(&mut self, holder: Value) -> Fallible<Value> {
        let open = match self.known(holder) {
            Value::Symbol { id, .. } => self.symbols[id.index()].domain == Domain::Thread,
            _ => false,
        };
        match self.settle(holder) {
            Err(_) if open => Err(self.unsupported("lock used before it was initialised")),
            Ok(Value::Opaque) => Err(self.unsupported("lock whose bytes are not known")),
            settled => settled,
        }
    }
}

impl From<Wrong> for StepResult {
    fn from(wrong: Wrong) -> StepResult {
        match wrong {
            Wrong::Error(violation) => StepResult::Error(violation),
            Wrong::Stop(stop) => StepResult::Stop(stop),
        }
    }
}

fn unless(holds: bool, kind: BlockKind) -> Done {
    if holds { Done::Next } else { Done::Blocked(kind) }
}

/// A thread's result where the joining thread expects a certain type: a procedure without result
/// gives zero.
fn fitted(value: Value, ty: Type) -> Value {
    match (value, ty) {
        (value, _) if value.is_zero() => zero(ty),
        (Value::Int(bits), Type::Ptr) => Value::Address(bits),
        (Value::Int(bits), Type::Int(int)) => Value::Int(bits & int.mask()),
        _ => value,
    }
}
