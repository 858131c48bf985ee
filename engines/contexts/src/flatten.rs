//! A thread's code as one graph: calls that are still there are replaced by their bodies, as deep as
//! the bound allows.
//!
//! The passes have inlined what is not recursive; what is left are recursive calls. A call deeper
//! than the bound is a location without a way on.

use rustc_hash::FxHashMap;
use selvedge_ir::{
    Action, Callee, Edge, EdgeId, Expr, Grain, LocalId, LocationId, ProcId, Procedure, Program,
};

/// The code of a thread.
#[derive(Clone, Debug)]
pub struct Flat {
    /// Without `Call`, but for indirect ones.
    pub body: Procedure,
    /// The edges of the program that the body's come from. Each edge that the program takes is
    /// passed once; edges that return from calls have no origin.
    pub origins: FxHashMap<EdgeId, (ProcId, EdgeId)>,
    /// A call was cut off.
    pub cut: bool,
    /// It is not complete: it would have more than [`LARGEST`] locations.
    pub too_large: bool,
}

/// Locations. A procedure that calls itself twice has exponentially many copies.
const LARGEST: usize = 200_000;

/// One copy of a procedure inside the body.
struct Instance {
    procedure: ProcId,
    /// The procedures of the calls around it, itself included.
    stack: Vec<ProcId>,
    /// It runs inside an atomic block of a caller.
    atomic: bool,
    locals: Vec<LocalId>,
    locations: Vec<LocationId>,
}

struct Flattening<'a> {
    program: &'a Program,
    depth: u32,
    flat: Flat,
    waiting: Vec<Instance>,
}

/// The code of a thread that starts in the procedure, with at most `depth` calls of a procedure
/// inside each other.
pub fn flatten(program: &Program, procedure: ProcId, depth: u32) -> Flat {
    let root = &program.procedures[procedure];
    let body =
        Procedure { locals: Default::default(), locations: Default::default(), ..root.clone() };
    let flat = Flat { body, origins: FxHashMap::default(), cut: false, too_large: false };
    let mut flattening = Flattening { program, depth, flat, waiting: Vec::new() };
    let instance = flattening.instance(procedure, vec![procedure], false);
    let Instance { locals, locations, .. } = &instance;
    let body = &mut flattening.flat.body;
    body.params = root.params.iter().map(|p| locals[p.as_u32() as usize]).collect();
    body.result = root.result.map(|r| locals[r.as_u32() as usize]);
    body.entry = locations[root.entry.as_u32() as usize];
    body.exit = locations[root.exit.as_u32() as usize];
    flattening.waiting.push(instance);
    while let Some(instance) = flattening.waiting.pop() {
        flattening.copy(&instance);
        if flattening.flat.body.locations.len() > LARGEST {
            flattening.flat.too_large = true;
            break;
        }
    }
    flattening.flat
}

impl Flattening<'_> {
    /// Makes room for a copy of a procedure.
    fn instance(&mut self, procedure: ProcId, stack: Vec<ProcId>, atomic: bool) -> Instance {
        let source = &self.program.procedures[procedure];
        let body = &mut self.flat.body;
        let locals = source.locals.values().map(|local| {
            let name = match stack.len() {
                1 => local.name.clone(),
                _ => format!("{}.{}#{}", source.name, local.name, body.locals.len()),
            };
            body.add_local(name, local.ty, local.named)
        });
        let locals = locals.collect();
        let grain = |grain| if atomic { Grain::Atomic } else { grain };
        let locations = source.locations.values().map(|l| body.add_location(grain(l.grain)));
        let locations = locations.collect();
        Instance { procedure, stack, atomic, locals, locations }
    }

    fn copy(&mut self, instance: &Instance) {
        let program = self.program;
        for (at, edge) in program.procedures[instance.procedure].edges() {
            let origin = (instance.procedure, at);
            let from = instance.locations[at.from.as_u32() as usize];
            let target = instance.locations[edge.target.as_u32() as usize];
            let mut action = edge.action.clone();
            action.for_each_expr_mut(&mut |e| rename(e, &instance.locals));
            if let Some(to) = action.assigned_mut() {
                *to = instance.locals[to.as_u32() as usize];
            }
            match action {
                Action::Call { to, callee: Callee::Direct(callee), args } => {
                    self.call(instance, origin, edge, (from, target), to, callee, args);
                }
                action => self.add(from, action, target, edge, Some(origin)),
            }
        }
    }

    fn add(
        &mut self,
        from: LocationId,
        action: Action,
        target: LocationId,
        like: &Edge,
        origin: Option<(ProcId, EdgeId)>,
    ) {
        let index = self.flat.body.locations[from].edges.len() as u32;
        if let Some(origin) = origin {
            self.flat.origins.insert(EdgeId { from, index }, origin);
        }
        self.flat.body.add_edge(from, action, target, like.span);
    }

    /// The arguments are assigned to the copy's parameters, the first assignment standing for the
    /// call; the result is assigned behind the copy's exit.
    #[allow(clippy::too_many_arguments)] // One call site; the parts of one edge.
    fn call(
        &mut self,
        caller: &Instance,
        origin: (ProcId, EdgeId),
        edge: &Edge,
        (from, target): (LocationId, LocationId),
        to: Option<LocalId>,
        callee: ProcId,
        args: Vec<Expr>,
    ) {
        let inside = caller.stack.iter().filter(|p| **p == callee).count();
        if inside > self.depth as usize {
            self.flat.cut = true;
            self.add(from, Action::Assume(Expr::FALSE), target, edge, None);
            return;
        }
        let atomic = self.flat.body.locations[target].grain == Grain::Atomic;
        let stack = [&caller.stack[..], &[callee]].concat();
        let instance = self.instance(callee, stack, atomic || caller.atomic);
        let source = &self.program.procedures[callee];
        let mut at = from;
        let mut origin = Some(origin);
        for (param, value) in source.params.iter().zip(args) {
            let grain = if instance.atomic { Grain::Atomic } else { Grain::Joined };
            let next = self.flat.body.add_location(grain);
            let to = instance.locals[param.as_u32() as usize];
            self.add(at, Action::Assign { to, value }, next, edge, origin.take());
            at = next;
        }
        let entry = instance.locations[source.entry.as_u32() as usize];
        self.add(at, Action::Skip, entry, edge, origin);
        let exit = instance.locations[source.exit.as_u32() as usize];
        let result = source.result.map(|r| instance.locals[r.as_u32() as usize]);
        let back = match (to, result) {
            (Some(to), Some(result)) => Action::Assign { to, value: Expr::Local(result) },
            _ => Action::Skip,
        };
        self.add(exit, back, target, edge, None);
        self.waiting.push(instance);
    }
}

fn rename(expr: &mut Expr, locals: &[LocalId]) {
    let renamed = std::mem::replace(expr, Expr::Tid).map(&mut |e| match e {
        Expr::Local(local) => Expr::Local(locals[local.as_u32() as usize]),
        other => other,
    });
    *expr = renamed;
}
