//! The sequential program under construction.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashMap;
use selvedge_ir::{
    Action, BinaryOp, EdgeId, Expr, Grain, Int, LocalId, LocationId, ProcId, Procedure, Program,
    Span, Type,
};

use selvedge_sequential::{Guess, Origin, SequentialProgram};

/// A procedure that grows, with the origins of its edges.
pub struct Code {
    pub body: Procedure,
    pub origins: FxHashMap<EdgeId, Origin>,
    pub faults: FxHashMap<EdgeId, LocationId>,
    pub choices: FxHashMap<EdgeId, Rc<[Guess]>>,
    pub invariants: Vec<(LocationId, Expr, Span)>,
    /// The type of contexts.
    pub context: Int,
    /// The context of the thread that runs.
    pub k: LocalId,
    /// The one that it goes on in.
    pub next: LocalId,
    pub error: LocalId,
    temporaries: FxHashMap<(Type, u32), LocalId>,
    /// All edges, in the order in which they were added.
    edges: Vec<EdgeId>,
}

impl Code {
    pub fn new(contexts: u32) -> Code {
        let mut body = Procedure {
            name: "sequential".into(),
            params: Vec::new(),
            result: None,
            locals: Default::default(),
            locations: Default::default(),
            entry: LocationId::from_u32(0),
            exit: LocationId::from_u32(0),
            span: Span::NONE,
        };
        body.entry = body.add_location(Grain::Yield);
        body.exit = body.add_location(Grain::Yield);
        // One number more: "never".
        let width = (u32::BITS - (contexts + 1).leading_zeros()) as u8;
        let context = Int { width, signed: false };
        let k = body.add_local("#k", Type::Int(context), false);
        let next = body.add_local("#next", Type::Int(context), false);
        let error = body.add_local("#error", Type::Bool, false);
        Code {
            body,
            origins: FxHashMap::default(),
            faults: FxHashMap::default(),
            choices: FxHashMap::default(),
            invariants: Vec::new(),
            context,
            k,
            next,
            error,
            temporaries: FxHashMap::default(),
            edges: Vec::new(),
        }
    }

    pub fn location(&mut self) -> LocationId {
        self.body.add_location(Grain::Yield)
    }

    pub fn edge(&mut self, from: LocationId, action: Action, to: LocationId, span: Span) -> EdgeId {
        let index = self.body.locations[from].edges.len() as u32;
        self.body.add_edge(from, action, to, span);
        self.edges.push(EdgeId { from, index });
        EdgeId { from, index }
    }

    /// A mark for [`Code::since`].
    pub fn mark(&self) -> usize {
        self.edges.len()
    }

    /// The edges added since the mark.
    pub fn since(&self, mark: usize) -> Vec<EdgeId> {
        self.edges[mark..].to_vec()
    }

    pub fn edge_of(
        &mut self,
        from: LocationId,
        action: Action,
        to: LocationId,
        span: Span,
        origin: Option<Origin>,
    ) -> EdgeId {
        let edge = self.edge(from, action, to, span);
        if let Some(origin) = origin {
            self.origins.insert(edge, origin);
        }
        edge
    }

    /// One more action behind a location.
    pub fn then(&mut self, at: LocationId, action: Action, span: Span) -> LocationId {
        let next = self.location();
        self.edge(at, action, next, span);
        next
    }

    pub fn assign(&mut self, at: LocationId, to: LocalId, value: Expr) -> LocationId {
        self.then(at, Action::Assign { to, value }, Span::NONE)
    }

    pub fn assume(&mut self, at: LocationId, condition: Expr) -> LocationId {
        self.then(at, Action::Assume(condition), Span::NONE)
    }

    pub fn number(&self, value: u32) -> Expr {
        Expr::int(value.into(), self.context)
    }

    /// Whether the context is this one.
    pub fn in_context(&self, context: u32) -> Expr {
        Expr::binary(BinaryOp::Eq, Expr::Local(self.k), self.number(context))
    }

    /// A local for values that are used at once.
    pub fn temporary(&mut self, ty: Type, number: u32) -> LocalId {
        let body = &mut self.body;
        let new = || body.add_local(format!("#{ty}.{number}"), ty, false);
        *self.temporaries.entry((ty, number)).or_insert_with(new)
    }

    /// Lets the thread go on in a later context, at most `last`, if that satisfies `also`, a
    /// condition on [`Code::next`].
    pub fn switch(
        &mut self,
        at: LocationId,
        last: u32,
        slot: u32,
        also: Option<Expr>,
        to: LocationId,
    ) {
        let (k, next) = (Expr::Local(self.k), Expr::Local(self.next));
        let at = self.then(at, Action::Havoc { to: self.next }, Span::NONE);
        let later = Expr::binary(BinaryOp::Le, k, next.clone());
        let within = Expr::binary(BinaryOp::Le, next.clone(), self.number(last));
        let mut may = and(later, within);
        if let Some(also) = also {
            may = and(may, also);
        }
        let at = self.assume(at, may);
        self.enter(at, next, slot, to);
    }

    /// The thread goes on in this context.
    pub fn enter(&mut self, at: LocationId, context: Expr, slot: u32, to: LocationId) {
        let action = Action::Assign { to: self.k, value: context };
        self.edge_of(at, action, to, Span::NONE, Some(Origin::Context { slot }));
    }

    pub fn finish(self, mut program: Program) -> SequentialProgram {
        let procedure: ProcId = program.procedures.push(self.body);
        program.threads = vec![selvedge_ir::Thread {
            procedure,
            count: selvedge_ir::Multiplicity::Exactly(1),
            main: true,
        }];
        SequentialProgram {
            program,
            procedure,
            error: self.error,
            faults: self.faults,
            arbitrary: BTreeSet::new(),
            matches: Vec::new(),
            exact: BTreeMap::new(),
            extents: BTreeMap::new(),
            contents: BTreeMap::new(),
            choices: self.choices,
            per_object: BTreeSet::new(),
            assumptions: Vec::new(),
            invariants: self.invariants,
            origins: self.origins,
        }
    }
}

pub fn and(a: Expr, b: Expr) -> Expr {
    Expr::binary(BinaryOp::And, a, b)
}

pub fn or(a: Expr, b: Expr) -> Expr {
    Expr::binary(BinaryOp::Or, a, b)
}
