//! A procedure, path by path (§5: the program "B with E and A").
//!
//! A path goes from the entry to the exit, to the head of a loop that it has come by already, or to
//! where nothing follows. Paths that meet again may be followed as one from there (`meet`).

use std::collections::{BTreeMap, BTreeSet};

use selvedge_ir::spec::{Clause, Contract};
use selvedge_ir::{
    Action, Edge, EdgeId, Grain, LocalId, LocationId, Multiplicity, ProcId, Procedure, Program,
    Property, Span, Thread, Type,
};
use selvedge_passes::graph::{arrives, reverse_postorder};
use selvedge_smt::translate::Sym;

use crate::certificate::Fact;
use crate::meetings::Meetings;
use crate::memory::Memory;
use crate::names::plain;
use crate::path::{Parted, Path};
use crate::verdict::Rejected;
use crate::view::View;
use crate::world::World;

/// Edges that all paths of one procedure may have together.
const MOST_STEPS: usize = 40_000;

pub(crate) struct Walker<'w, 'a> {
    pub world: &'w mut World<'a>,
    pub properties: &'w [Property],
    pub id: ProcId,
    pub body: &'a Procedure,
    pub contract: Option<&'a Contract>,
    pub params: Vec<Sym>,
    /// Memory at the entry.
    pub entry: Memory,
    /// The place of each location in an order in which every loop has an edge that goes back.
    order: BTreeMap<LocationId, usize>,
    pub facts: &'w BTreeMap<LocationId, Vec<Fact>>,
    pub meetings: Meetings,
    /// Where paths that meet are followed one by one.
    pub one_by_one: BTreeSet<LocationId>,
    /// The paths that have arrived at each meeting, by its number.
    pub arrived: Vec<Vec<Path>>,
    /// Where the path that is followed has forgotten something.
    forgetful: BTreeSet<LocationId>,
}

/// What is left to follow.
enum Open {
    Path(LocationId, Path),
    Meeting(Parted),
}

/// Makes and asks all obligations of a procedure.
pub(crate) fn procedure<'a>(
    world: &mut World<'a>,
    id: ProcId,
    properties: &[Property],
    facts: &BTreeMap<LocationId, Vec<Fact>>,
) -> Result<(), Rejected> {
    let subject = world.subject;
    let body = &subject.program.procedures[id];
    let order = reverse_postorder(body).into_iter().enumerate().map(|(i, at)| (at, i)).collect();
    let meetings = Meetings::of(body, &order);
    let entry = world.any_memory("entry");
    let mut path = Path::new(entry.clone());
    let params = body.params.iter().map(|&param| {
        let declared = &body.locals[param];
        world.value(&mut path, &plain(&declared.name), declared.ty)
    });
    let params: Vec<Sym> = params.collect();
    let contract = subject.contract_of(id);
    let (one_by_one, arrived, forgetful) = (BTreeSet::new(), Vec::new(), BTreeSet::new());
    let mut walker = Walker {
        world,
        properties,
        id,
        body,
        contract,
        params,
        entry,
        order,
        facts,
        meetings,
        one_by_one,
        arrived,
        forgetful,
    };
    walker.all_heads_exist()?;
    walker.begin(&mut path)?;
    walker.whole(path)
}

impl<'a> Walker<'_, 'a> {
    /// Any state that the invariants and what is required allow.
    fn begin(&mut self, path: &mut Path) -> Result<(), Rejected> {
        self.world.know_threads(path);
        let first = self.world.first_free();
        let fact = self.world.terms.le(first, self.entry.next);
        self.world.fact(path, fact);
        for (&param, &value) in self.body.params.iter().zip(&self.params) {
            path.locals.insert(param, value);
            self.world.comes_from_others(path, value);
        }
        self.who_runs(path);
        self.world.assume_invariants(path);
        let Some(contract) = self.contract else { return Ok(()) };
        for clause in &contract.requires {
            let view = self.view(&path.memory, &path.memory);
            path.assume(&clause.formula, view);
        }
        if self.has_abstraction(contract) {
            let (yes, no) = (self.world.terms.bool(true), self.world.terms.bool(false));
            path.done = vec![no; contract.actions.len() + 1];
            path.done[0] = yes;
        }
        self.world.asker.counts.obligations += 1;
        match self.world.is_possible(path, contract.span)? {
            true => Ok(()),
            false => {
                let what = format!("what {} requires can hold", self.body.name);
                self.world.oblige_never(&what, contract.span)
            }
        }
    }

    /// Whether anybody relies on the steps that the contract allows. Of a procedure that only the
    /// program's threads start in nobody does, unless its author says what they are.
    fn has_abstraction(&self, contract: &Contract) -> bool {
        let subject = self.world.subject;
        let silent = contract.modifies.is_empty() && contract.actions.is_empty();
        !(silent && self.only_started() && subject.is_known(self.id))
    }

    fn only_started(&self) -> bool {
        let subject = self.world.subject;
        subject.entries.contains(self.id) && !subject.called.contains(self.id)
    }

    /// Which thread it is, where that follows from the procedure.
    fn who_runs(&mut self, path: &mut Path) {
        let subject = self.world.subject;
        let program = &subject.program;
        if !self.only_started() || !subject.is_known(self.id) {
            return;
        }
        let (tid, main) = (self.world.tid, self.world.main);
        let t = &mut self.world.terms;
        let (started, number) = (t.select(self.world.started, tid), t.int(self.id.as_u32()));
        let here = t.eq(started, number);
        let same = t.eq(tid, main);
        let other = t.not(same);
        self.world.fact(path, here);
        let Some(first) = first_thread(program) else { return };
        let starts = program.threads.iter().filter(|thread| thread.procedure == self.id).count();
        if first.procedure != self.id {
            self.world.fact(path, other);
        } else if starts == 1
            && first.count == Multiplicity::Exactly(1)
            && !subject.spawned.contains(self.id)
        {
            self.world.fact(path, same);
        }
    }

    /// All paths; without merges that have forgotten too much.
    fn whole(&mut self, first: Path) -> Result<(), Rejected> {
        loop {
            let said = self.all(first.clone());
            let forgetful = std::mem::take(&mut self.forgetful);
            let open = matches!(said, Err(Rejected::Fails { .. } | Rejected::Undecided { .. }));
            if !open || forgetful.is_empty() {
                return said;
            }
            self.one_by_one.extend(forgetful);
        }
    }

    /// All paths.
    fn all(&mut self, first: Path) -> Result<(), Rejected> {
        let mut open = vec![Open::Path(self.body.entry, first)];
        let mut steps = 0;
        while let Some(next) = open.pop() {
            let (at, mut path) = match next {
                Open::Path(at, path) => (at, path),
                Open::Meeting(parted) => {
                    let onward = self.meet(parted)?.into_iter();
                    open.extend(onward.map(|(at, path)| Open::Path(at, path)));
                    continue;
                }
            };
            self.forgetful = path.forgetful.clone();
            self.world.hopeful = !self.forgetful.is_empty();
            if at == self.body.exit {
                self.exit(path)?;
                continue;
            }
            self.stand(&mut path, at)?;
            open.extend(self.part(&mut path, at).into_iter().map(Open::Meeting));
            let edges = &self.body.locations[at].edges;
            steps += edges.len();
            if steps > MOST_STEPS {
                let what = format!("{} has too many paths", self.body.name);
                return Err(self.world.subject.refusal(what, self.body.span));
            }
            for (number, edge) in edges.iter().enumerate() {
                let id = EdgeId { from: at, index: number as u32 };
                if let Some(next) = self.follow(&path, id, edge)? {
                    open.push(Open::Path(edge.target, next));
                }
            }
        }
        Ok(())
    }

    /// One edge; the path behind it, if there is something left to follow now.
    fn follow(
        &mut self,
        path: &Path,
        id: EdgeId,
        edge: &'a Edge,
    ) -> Result<Option<Path>, Rejected> {
        self.world.go_on(&format!("the paths of {}", self.body.name), edge.span)?;
        let Some(mut next) = self.go(path, id, edge)? else { return Ok(None) };
        if self.order[&edge.target] > self.order[&id.from] {
            return Ok((!self.waits(&mut next, edge.target)).then_some(next));
        }
        if !next.heads.contains(&edge.target) {
            let what = "a loop that is entered in several places";
            return Err(self.world.subject.refusal(what, edge.span));
        }
        self.facts_hold(&mut next, edge.target, edge.span)?;
        Ok(None)
    }

    pub fn is_head(&self, at: LocationId) -> bool {
        self.back_edges(at).next().is_some()
    }

    /// The locations from which an edge goes back to a head.
    pub fn back_edges(&self, head: LocationId) -> impl Iterator<Item = LocationId> + '_ {
        let back = move |(id, edge): (EdgeId, &Edge)| {
            let known = self.order.get(&id.from).zip(self.order.get(&edge.target));
            let goes_back = known.is_some_and(|(from, to)| to <= from);
            (edge.target == head && goes_back && arrives(edge)).then_some(id.from)
        };
        self.body.edges().filter_map(back)
    }

    /// Arrival at a location: loops are cut, and others may run.
    fn stand(&mut self, path: &mut Path, at: LocationId) -> Result<(), Rejected> {
        let inside = self.body.locations[at].grain == Grain::Atomic;
        if self.is_head(at) {
            let span = self.body.locations[at].edges.first().map_or(Span::NONE, |edge| edge.span);
            if inside {
                let what = "a loop inside an atomic block";
                return Err(self.world.subject.refusal(what, span));
            }
            self.facts_hold(path, at, span)?;
            self.cut(path, at, span)?;
            path.heads.push(at);
        }
        if !inside && self.looks_at_memory(at) {
            self.world.environment(path, None);
        }
        Ok(())
    }

    /// Whether a step from here may look at memory. If not, the environment commutes with it (§6.4).
    fn looks_at_memory(&self, at: LocationId) -> bool {
        let mut seen = vec![at];
        let mut next = 0;
        while let Some(&from) = seen.get(next) {
            next += 1;
            for edge in &self.body.locations[from].edges {
                if !is_local(&edge.action) {
                    return true;
                }
                let inside = self.body.locations[edge.target].grain == Grain::Atomic;
                if inside && !seen.contains(&edge.target) {
                    seen.push(edge.target);
                }
            }
        }
        false
    }

    /// One edge; the step ends where others may run. None where nothing follows.
    fn go(&mut self, path: &Path, id: EdgeId, edge: &'a Edge) -> Result<Option<Path>, Rejected> {
        let known = path.facts.len();
        let mut path = path.clone();
        if !self.act(&mut path, id, edge)? || !arrives(edge) {
            return Ok(None);
        }
        let branches = self.body.locations[id.from].edges.len() > 1;
        if branches && !self.world.may_be_possible(&mut path, known, edge.span)? {
            return Ok(None);
        }
        if self.body.locations[edge.target].grain != Grain::Atomic {
            self.end_step(&mut path, edge.span)?;
        }
        Ok(Some(path))
    }

    /// The end of the procedure: what others do, then what it promises.
    fn exit(&mut self, mut path: Path) -> Result<(), Rejected> {
        let span = self.body.span;
        self.end_step(&mut path, span)?;
        let result = self.body.result.map(|local| self.local(&mut path, local));
        if let Some(value @ Sym::Pointer { .. }) = result {
            // What others do before counts for what they are told.
            self.world.environment(&mut path, None);
            // A caller is of this thread, but relies on no less than others do.
            self.tell_others(&mut path, value, span)?;
            self.end_step(&mut path, span)?;
        }
        let Some(contract) = self.contract else { return Ok(()) };
        self.world.environment(&mut path, None);
        if let Some(&done) = path.done.last() {
            let what =
                format!("{} returns when all actions of its contract are done", self.body.name);
            self.world.oblige(&mut path, &what, span, done)?;
        }
        for clause in &contract.ensures {
            let view = self.ensured(clause, &path, result);
            let goal = self.world.goal(&mut path, &clause.formula, &view);
            let what = format!("{} ensures `{}`", self.body.name, clause.text);
            self.world.oblige(&mut path, &what, span, goal)?;
        }
        Ok(())
    }

    /// A formula over one state is about the exit, one over two about entry and exit.
    fn ensured(&self, clause: &Clause, path: &Path, result: Option<Sym>) -> View {
        let before = match clause.formula.has_two_states() {
            true => &self.entry,
            false => &path.memory,
        };
        View { result, ..self.view(before, &path.memory) }
    }

    /// A formula of the procedure's contract, from one memory to another.
    pub fn view(&self, before: &Memory, after: &Memory) -> View {
        View { params: self.params.clone(), ..self.world.view(before, after) }
    }

    /// The value of a local; any that it can have if it has none yet.
    pub fn local(&mut self, path: &mut Path, local: LocalId) -> Sym {
        if let Some(&value) = path.locals.get(&local) {
            return value;
        }
        let declared = &self.body.locals[local];
        let value = self.world.value(path, &plain(&declared.name), declared.ty);
        path.locals.insert(local, value);
        self.world.is_held(path, value, true);
        value
    }
}

/// The first thread of the program, where it is clear which one that is.
fn first_thread(program: &Program) -> Option<&Thread> {
    let first = program.threads.first()?;
    let other_main = program.threads.iter().skip(1).any(|thread| thread.main);
    (!other_main).then_some(first)
}

/// Neither looks at memory nor is seen by others.
fn is_local(action: &Action) -> bool {
    matches!(
        action,
        Action::Skip
            | Action::Assume(_)
            | Action::Wait(_)
            | Action::Assert { .. }
            | Action::Assign { .. }
            | Action::Havoc { .. }
            | Action::Fence(_)
            | Action::Halt
            | Action::EndThread { value: None }
            | Action::Unsupported { .. }
            | Action::Join { .. }
    )
}

impl World<'_> {
    /// Threads have numbers from 1 on.
    pub fn know_threads(&mut self, path: &mut Path) {
        let one = self.terms.int(1);
        for thread in [self.tid, self.main] {
            let fact = self.terms.le(one, thread);
            self.fact(path, fact);
            path.consider(Type::Thread, Sym::Scalar(thread));
        }
    }
}
