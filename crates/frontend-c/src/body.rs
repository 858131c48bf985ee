//! A procedure under construction: a control-flow graph with a current location.
//!
//! Emitting an action adds an edge from the current location to a fresh one and moves there. Code
//! after a jump is emitted into a location that nothing leads to, and disappears when the body
//! is finished.

mod aside;
mod finish;
mod grain;
mod liveness;
mod tidy;

use selvedge_ir::{Action, DataModel, Expr, LayoutId, LocalId, Span, Storage, Type};

use crate::fold::Typed;
use aside::Aside;

#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub model: DataModel,
    pub nodes: Vec<Node>,
    pub locals: Vec<LocalVar>,
    pub current: Loc,
    entry: Loc,
    /// Where `return` goes; the stack objects are freed after it.
    pub exit: Loc,
    pub stack: Vec<StackObject>,
    asides: Vec<Aside>,
    /// Where the last emitted edge starts.
    last: Option<Loc>,
    /// All locations but the entry and the exit are atomic.
    pub atomic: bool,
    /// The program ends with the procedure, and its objects are not freed before: other threads
    /// may still use them.
    pub ends_program: bool,
    /// Where the result is kept.
    pub result: Option<(LocalId, Type)>,
    /// The end of the thread is a return to a caller, which then ends, too.
    pub unwinds: bool,
    /// Objects end with the thread.
    pub tracks_lifetimes: bool,
}

/// A location, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Loc(pub u32);

#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub edges: Vec<Arc>,
    pub atomic: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Arc {
    pub action: Action,
    pub target: Loc,
    pub span: Span,
    pub mark: Mark,
}

/// Where atomic blocks begin and end; only on edges that skip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    None,
    Begin,
    End,
}

#[derive(Clone, Debug)]
pub(crate) struct LocalVar {
    pub name: String,
    pub ty: Type,
    pub named: bool,
}

/// An edge that is to be made a part of an atomic block.
#[derive(Debug)]
pub(crate) struct Taken {
    /// Where the block starts.
    pub start: Loc,
    edge: Arc,
}

/// A local that lives in memory: its address is in `pointer` from the procedure's entry on.
#[derive(Clone, Debug)]
pub(crate) struct StackObject {
    pub pointer: LocalId,
    pub span: Span,
    /// None where the object is allocated in the body (an array of runtime size); the pointer is
    /// null until then.
    pub allocation: Option<(LayoutId, u64, bool)>,
}

impl Typed for Body {
    fn local_type(&self, local: LocalId) -> Type {
        self.locals[local.as_u32() as usize].ty
    }

    fn model(&self) -> DataModel {
        self.model
    }

    fn never_null(&self, expr: &Expr) -> bool {
        let is_object = |o: &StackObject| o.allocation.is_some() && Expr::Local(o.pointer) == *expr;
        self.stack.iter().any(is_object)
    }
}

impl Body {
    pub fn new(model: DataModel) -> Body {
        Body {
            model,
            nodes: vec![Node::default(), Node::default()],
            locals: Vec::new(),
            current: Loc(0),
            entry: Loc(0),
            exit: Loc(1),
            stack: Vec::new(),
            asides: Vec::new(),
            last: None,
            atomic: false,
            ends_program: false,
            result: None,
            unwinds: false,
            tracks_lifetimes: false,
        }
    }

    pub fn location(&mut self) -> Loc {
        self.nodes.push(Node::default());
        Loc(self.nodes.len() as u32 - 1)
    }

    /// A new local; its name is made unique when the body is finished.
    pub fn local(&mut self, name: &str, ty: Type, named: bool) -> LocalId {
        self.locals.push(LocalVar { name: name.to_owned(), ty, named });
        LocalId::from_u32(self.locals.len() as u32 - 1)
    }

    pub fn temporary(&mut self, ty: Type) -> LocalId {
        self.local("t", ty, false)
    }

    pub fn emit(&mut self, action: Action, span: Span) {
        let target = self.location();
        self.edge(self.current, action, target, span, Mark::None);
        self.last = Some(self.current);
        self.current = target;
    }

    pub fn mark(&mut self, mark: Mark, span: Span) {
        let target = self.location();
        self.edge(self.current, Action::Skip, target, span, mark);
        self.current = target;
    }

    fn edge(&mut self, from: Loc, action: Action, target: Loc, span: Span, mark: Mark) {
        self.nodes[from.0 as usize].edges.push(Arc { action, target, span, mark });
    }

    /// Goes to a location without doing anything; what follows is not reached.
    pub fn jump(&mut self, target: Loc, span: Span) {
        self.edge(self.current, Action::Skip, target, span, Mark::None);
        self.current = self.location();
    }

    /// Goes on at a location; control also falls into it from here.
    pub fn fall_into(&mut self, target: Loc, span: Span) {
        self.jump(target, span);
        self.current = target;
    }

    /// The code that follows is not reached.
    pub fn dead(&mut self) {
        self.current = self.location();
    }

    /// Leaves the current location for one of two, by a condition.
    pub fn branch(&mut self, condition: Expr, then: Loc, otherwise: Loc, span: Span) {
        match condition {
            Expr::Const(selvedge_ir::Const::Bool(true)) => self.jump(then, span),
            Expr::Const(selvedge_ir::Const::Bool(false)) => self.jump(otherwise, span),
            _ if then == otherwise => self.jump(then, span),
            condition => {
                let from = self.current;
                let negated = condition.clone().not();
                self.edge(from, Action::Assume(condition), then, span, Mark::None);
                self.edge(from, Action::Assume(negated), otherwise, span, Mark::None);
                self.dead();
            }
        }
    }

    /// An alternative out of `from`; several alternatives may stand side by side.
    pub fn alternative(&mut self, from: Loc, condition: Expr, target: Loc, span: Span) {
        self.edge(from, Action::Assume(condition), target, span, Mark::None);
    }

    /// Sets a local. Temporaries that are only copied disappear when the body is finished.
    pub fn assign(&mut self, to: LocalId, value: Expr, span: Span) {
        if value != Expr::Local(to) {
            self.emit(Action::Assign { to, value }, span);
        }
    }

    /// The values computed so far may be used more than once: they stay what they are.
    pub fn settle(&mut self) {
        self.last = None;
    }

    /// Takes an edge out and opens an atomic block in its place.
    pub fn take_edge(&mut self, from: Loc, index: usize, span: Span) -> Taken {
        let start = self.location();
        let arc = Arc { action: Action::Skip, target: start, span, mark: Mark::Begin };
        let edge = std::mem::replace(&mut self.nodes[from.0 as usize].edges[index], arc);
        Taken { start, edge }
    }

    /// Puts the edge back, here, and ends the block.
    pub fn finish_edge(&mut self, Taken { edge, .. }: Taken, span: Span) {
        let Arc { action, target, span: at, mark } = edge;
        let last = self.location();
        self.edge(self.current, action, last, at, mark);
        self.edge(last, Action::Skip, target, span, Mark::End);
    }

    /// The action that was emitted last, if control came straight from it.
    fn last_action(&mut self) -> Option<&mut Action> {
        let from = self.last?;
        if !self.nodes[self.current.0 as usize].edges.is_empty() {
            return None;
        }
        match self.nodes[from.0 as usize].edges.as_mut_slice() {
            [only] if only.target == self.current && only.mark == Mark::None => {
                Some(&mut only.action)
            }
            _ => None,
        }
    }

    /// A value of any kind: an input.
    pub fn input(&mut self, ty: Type, span: Span) -> Expr {
        let to = self.temporary(ty);
        self.emit(Action::Havoc { to }, span);
        Expr::Local(to)
    }

    /// Converts; an input that was read just now is read at the converted type, where every value
    /// of that type is the image of some input.
    pub fn convert(&mut self, ty: Type, value: Expr) -> Expr {
        if let Expr::Local(local) = value
            && !self.locals[local.as_u32() as usize].named
            && self.covers(self.local_type(local), ty)
            && matches!(self.last_action(), Some(Action::Havoc { to }) if *to == local)
        {
            self.locals[local.as_u32() as usize].ty = ty;
            return value;
        }
        self.cast(ty, value)
    }

    fn covers(&self, from: Type, to: Type) -> bool {
        match (from, to) {
            (Type::Int(from), Type::Int(to)) => from.width >= to.width,
            (_, Type::Bool) => true,
            _ => false,
        }
    }

    /// A local in memory, allocated at the procedure's entry.
    pub fn stack_object(
        &mut self,
        name: &str,
        layout: LayoutId,
        size: u64,
        zeroed: bool,
        span: Span,
    ) -> Expr {
        let pointer = self.local(&format!("{name}#addr"), Type::Ptr, false);
        self.stack.push(StackObject { pointer, span, allocation: Some((layout, size, zeroed)) });
        Expr::Local(pointer)
    }

    /// The local with the address of an object that the body allocates and frees; null until then.
    pub fn pointer_to_object(&mut self, name: &str, span: Span) -> LocalId {
        let pointer = self.local(&format!("{name}#addr"), Type::Ptr, false);
        self.stack.push(StackObject { pointer, span, allocation: None });
        pointer
    }

    /// A local in memory that is allocated here. With `again`, what an earlier pass over the
    /// declaration allocated is freed first.
    pub fn object_from_here(
        &mut self,
        name: &str,
        layout: LayoutId,
        size: Expr,
        again: bool,
        span: Span,
    ) -> LocalId {
        let pointer = self.pointer_to_object(name, span);
        let storage = Storage::Stack;
        if again {
            self.emit(Action::Free { addr: Expr::Local(pointer), storage }, span);
        }
        self.emit(Action::Alloc { to: pointer, storage, layout, size, zeroed: false }, span);
        pointer
    }
}
