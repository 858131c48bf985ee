//! From threads to a sequential program (§2.2 of the paper).
//!
//! Every shared region G becomes maps G@1..G@K; those from the second on start with unknown content.
//! The threads run one after another in the order of their slots, each from context 1 (or the one
//! it is started in) on; an access goes to the map of the current context, and at a scheduling point
//! the context may grow, or the thread stops for good. At the end G@i must be what G@(i+1) started
//! with. Then the sequential run is an interleaving: all that happens in context 1, by slots, then
//! in context 2, and so on.
//!
//! So of two moments of different threads the one with the smaller (context, slot) comes first, and
//! what threads know of each other needs no copies:
//! - *Start.* The creator has the smaller slot. It sets a flag and the parameters; the new thread
//!   starts in the creator's context.
//! - *Join* by slot s in context k of slot t. If t < s, t has run: it must have ended in a context of
//!   at most k. If t > s, it will run: k becomes its deadline, and it must end in a context before
//!   that. Results are guessed at the start and tested when the thread ends.
//! - *The end of the program* is left out: a thread that is about to end it may stop instead, and
//!   every error of another thread before the end is seen so.
//!
//! The paper's `Init` runs before the threads; here the initial thread starts them. What it does
//! alone is in context 1 and needs no scheduling points, and it has one more context than the
//! others, the last, in which it can collect what K contexts of these came to.

use cranelift_entity::SecondaryMap;
use selvedge_ir::{
    Action, BinaryOp, Const, Expr, Grain, LocalId, LocationId, Procedure, Program, Property,
    RegionId, Span, Type, check,
};
use selvedge_passes::Prepared;
use selvedge_passes::bits::BitSet;
use selvedge_sequential::SequentialProgram;

use super::bypass::Bypasses;
use super::claim::Claim;
use super::code::{Code, and, or};
use super::emission::Emission;
use super::lives::Lives;
use super::memory::{Kept, Memory};
use super::plan::Plan;
use super::route::Route;
use super::sharing::Sharing;
use super::slots::{Cut, Slots};
use super::translation::{Books, Translation};
use super::waits::DeadlockState;

/// The sequential program, and what it leaves out.
#[derive(Clone, Debug)]
pub struct Sequentialized {
    pub sequential: SequentialProgram,
    /// The number of thread slots.
    pub threads: u32,
    /// Scheduling points, of all slots together.
    pub points: usize,
    /// By slot: what is left out of its code.
    pub bypasses: Vec<Bypasses>,
    pub cut: Cut,
}

/// A sequential program in which some content counts only under assumptions.
#[derive(Clone, Debug)]
pub struct Translated {
    pub sequential: SequentialProgram,
    /// Each assumption of the program, with the region whose content counts under it.
    pub assumptions: Vec<(LocalId, RegionId)>,
}

/// Locations of all threads together.
const LARGEST: usize = 400_000;

/// The sequential program within the bounds; none if it would be too large.
pub fn sequentialize(prepared: &Prepared, plan: &Plan<'_>) -> Option<Sequentialized> {
    let slots = Slots::of(prepared, &plan.bounds);
    let size: usize = slots.list.iter().map(|slot| slot.code.body.locations.len()).sum();
    if slots.cut.size || size > LARGEST {
        return None;
    }
    let sharing = Sharing::of(prepared, &slots);
    let routes: Vec<Route> = (slots.list.iter().zip(&sharing.company))
        .map(|(slot, company)| Route::of(prepared, plan, slot, &sharing, company))
        .collect();
    let translated = translate(prepared, plan, &slots, &sharing, &routes, &BitSet::new());
    Some(Sequentialized {
        sequential: translated.sequential,
        threads: slots.list.len() as u32,
        points: routes.iter().map(|route| route.points.switches.iter().count()).sum(),
        bypasses: routes.into_iter().map(|route| route.bypasses).collect(),
        cut: slots.cut,
    })
}

/// The sequential program of these slots. The content of `optional` regions counts only under
/// an assumption, one for each.
pub fn translate(
    prepared: &Prepared,
    plan: &Plan<'_>,
    slots: &Slots,
    sharing: &Sharing,
    routes: &[Route],
    optional: &BitSet<RegionId>,
) -> Translated {
    let k = plan.bounds.contexts;
    let initial = slots.list.iter().filter(|slot| slot.initial).count();
    let most = if initial == 1 && slots.spawned() { k + 1 } else { k };
    let faults = plan.addresses || plan.checks(Property::Memory);
    let kept = |region| match region {
        _ if !sharing.is_used(region) => Kept::No,
        _ if !plan.tracks(region) => Kept::Untracked { faults },
        _ if !sharing.is_shared(region) => Kept::Once,
        _ if sharing.by_initial(region) => Kept::PerContext(most),
        _ => Kept::PerContext(k),
    };
    let mut program = addresses_only(&prepared.program);
    let lives = Lives::of(prepared, plan);
    let lifetimes = lives.checked.then_some(most);
    let memory = Memory::make(prepared, slots, &mut program, &kept, lifetimes);
    let mut code = Code::new(most);
    let mut literals = SecondaryMap::new();
    let mut assumptions = Vec::new();
    for region in optional.iter() {
        let name = format!("#track.{}", prepared.program.regions[region].name);
        let literal = code.body.add_local(name, Type::Bool, false);
        literals[region] = Some(literal);
        assumptions.push((literal, region));
    }
    let claim = plan.checks(Property::Race).then(|| Claim::new(&mut code));
    let bodies: Vec<&Procedure> = slots.list.iter().map(|slot| &slot.code.body).collect();
    let dead = plan.checks(Property::Deadlock).then(|| DeadlockState::new(&mut code, &bodies));
    let mut translation = Translation {
        prepared,
        plan,
        slots,
        memory,
        code,
        books: Vec::new(),
        most,
        literals,
        lives,
        sharing,
        claim,
        dead,
    };
    translation.run(routes);
    let Translation { memory, code, .. } = translation;
    let mut sequential = code.finish(program);
    sequential.assumptions = assumptions.iter().map(|&(literal, _)| literal).collect();
    memory.describe(prepared, slots, &mut sequential);
    debug_assert_eq!(check::check(&sequential.program), [], "a translation is well-formed");
    Translated { sequential, assumptions }
}

/// The program with procedures that have nothing but an address.
fn addresses_only(program: &Program) -> Program {
    let mut program = program.clone();
    for procedure in program.procedures.values_mut() {
        let mut empty = Procedure {
            params: Vec::new(),
            result: None,
            locals: Default::default(),
            locations: Default::default(),
            ..procedure.clone()
        };
        empty.entry = empty.add_location(Grain::Yield);
        empty.exit = empty.entry;
        *procedure = empty;
    }
    program
}

impl Translation<'_> {
    fn run(&mut self, routes: &[Route]) {
        for slot in 0..self.slots.list.len() {
            let books = self.open_books(slot);
            self.books.push(books);
        }
        let mut at = self.start();
        for (slot, route) in routes.iter().enumerate() {
            let stop = self.code.location();
            self.thread(at, slot as u32, route, stop);
            at = self.deadline(slot, stop);
        }
        let at = self.check_deadlock(at, routes);
        let exit = self.code.body.exit;
        self.code.edge(at, Action::Skip, exit, Span::NONE);
    }

    fn open_books(&mut self, slot: usize) -> Books {
        let thread = &self.slots.list[slot];
        let name = format!("T{}", slot + 1);
        let result = result_type(&self.prepared.program, &thread.code.body, thread.main);
        let context = Type::Int(self.code.context);
        let memory = &self.memory;
        let body = &mut self.code.body;
        let mut book = |what: &str, ty| body.add_local(format!("#{name}.{what}"), ty, false);
        let started = book("started", Type::Bool);
        let start = book("start", context);
        let done = book("done", Type::Bool);
        let end = book("end", context);
        let due = book("due", context);
        let last = book("last", context);
        let result = result.map(|ty| book("result", memory.scalar(ty)));
        let locals = thread.code.body.locals.values().map(|local| {
            body.add_local(format!("{name}.{}", local.name), memory.scalar(local.ty), local.named)
        });
        let locals = locals.collect();
        Books { started, start, done, end, due, last, result, locals }
    }

    /// Nothing has happened yet.
    fn start(&mut self) -> LocationId {
        let mut at = self.code.body.entry;
        let never = self.never();
        at = self.code.assign(at, self.code.error, Expr::FALSE);
        at = self.code.assign(at, self.code.k, self.code.number(1));
        if let Some(claim) = self.claim {
            at = claim.start(&mut self.code, at, never.clone());
        }
        if let Some(dead) = &self.dead {
            at = dead.start(&mut self.code, at);
        }
        for literal in self.literals.values().copied().flatten().collect::<Vec<_>>() {
            at = self.code.then(at, Action::Havoc { to: literal }, Span::NONE);
        }
        for slot in 0..self.slots.list.len() {
            let thread = &self.slots.list[slot];
            let Books { started, start, done, end, due, result, locals, .. } =
                self.books[slot].clone();
            at = self.code.assign(at, done, Expr::FALSE);
            if !thread.initial {
                at = self.code.assign(at, started, Expr::FALSE);
                at = self.code.assign(at, start, self.code.number(1));
            }
            if thread.can_be_joined() {
                at = self.code.assign(at, end, self.code.number(1));
                at = self.code.assign(at, due, never.clone());
                if let Some(result) = result {
                    at = self.code.then(at, Action::Havoc { to: result }, Span::NONE);
                }
            }
            // What a deadlock is decided by is read behind the threads, started or not.
            let all = self.dead.is_some();
            let params = thread.code.body.params.iter().map(|p| locals[p.as_u32() as usize]);
            let zeroed: Vec<LocalId> = if all { locals.clone() } else { params.collect() };
            for to in zeroed {
                let zero = Expr::Const(Const::zero(self.code.body.locals[to].ty));
                at = self.code.assign(at, to, zero);
            }
        }
        at
    }

    /// Runs a thread, if it was started.
    fn thread(&mut self, at: LocationId, slot: u32, route: &Route, stop: LocationId) {
        let running = self.code.location();
        if self.slots.list[slot as usize].initial {
            let first = self.code.number(1);
            self.code.enter(at, first, slot, running);
        } else {
            let Books { started, start, .. } = self.books[slot as usize];
            let last = self.code.number(self.plan.bounds.contexts);
            let in_time = Expr::binary(BinaryOp::Le, Expr::Local(start), last);
            let runs = and(Expr::Local(started), in_time);
            let mut at = at;
            if self.claim.is_some() {
                // Who does not run has acted in no context.
                at = self.code.assign(at, self.code.k, self.code.number(1));
            }
            let begin = self.code.location();
            self.code.edge(at, Action::Assume(runs.clone()), begin, Span::NONE);
            self.code.edge(at, Action::Assume(runs.not()), stop, Span::NONE);
            self.code.enter(begin, Expr::Local(start), slot, running);
        }
        Emission::new(self, slot, route, stop).emit(running);
    }

    /// A thread that others have joined must have ended before.
    fn deadline(&mut self, slot: usize, mut at: LocationId) -> LocationId {
        if self.claim.is_some() {
            at = self.code.assign(at, self.books[slot].last, Expr::Local(self.code.k));
        }
        if !self.slots.list[slot].can_be_joined() {
            return at;
        }
        let Books { done, end, due, .. } = self.books[slot];
        let nobody = Expr::binary(BinaryOp::Eq, Expr::Local(due), self.never());
        let before = Expr::binary(BinaryOp::Lt, Expr::Local(end), Expr::Local(due));
        self.code.assume(at, or(nobody, and(Expr::Local(done), before)))
    }
}

/// The type of what a thread returns; none if it returns nothing, or things of several types. What
/// `main` returns nobody sees.
fn result_type(program: &Program, body: &Procedure, main: bool) -> Option<Type> {
    let returned = body.result.filter(|_| !main).map(|local| body.locals[local].ty);
    let ended = body.edges().filter_map(|(_, edge)| match &edge.action {
        Action::EndThread { value: Some(value) } => Some(value.ty(program, body)),
        _ => None,
    });
    let all: Vec<Type> = returned.into_iter().chain(ended).collect();
    let first = *all.first()?;
    all.iter().all(|ty| *ty == first).then_some(first)
}
