//! What is asked of the specification itself: that the environment assumption is reflexive and
//! transitive, that what is assumed can hold, and that the program begins in it.

use std::collections::BTreeSet;

use selvedge_budget::workers;
use selvedge_ir::spec::Clause;
use selvedge_ir::{Const, Expr, ObjectId, Span, Type};
use selvedge_smt::translate::Sym;
use selvedge_smt::{Answer, Reason, Term};
use selvedge_verdict::Stop;

use crate::checker::{of_clause, unknown};
use crate::components::{Component, HEAP};
use crate::digest::{Digest, together};
use crate::memory::Memory;
use crate::prepare::Subject;
use crate::questions::Possible;
use crate::report::{Kind, Obligation, Outcome};
use crate::task::Task;
use crate::world::{View, World};

/// What was asked, in the order of the report.
type Rank = (u8, usize);

/// All of it, by components: what one clause is about has nothing to do with another component
/// (`components.rs`).
pub(crate) fn specification(task: &Task<'_>, jobs: usize) -> Result<Asked, Stop> {
    let components = &task.subject.components.all;
    let asks = components.iter().enumerate().filter(|(number, component)| {
        *number == HEAP as usize
            || !component.environment.is_empty()
            || !component.invariants.is_empty()
    });
    let asks: Vec<(usize, &Component)> = asks.collect();
    let one = |index: usize| {
        let (number, component) = asks[index];
        settled(task, component, number == HEAP as usize)
    };
    let mut all = Asked { recalled: true, ..Asked::default() };
    let mut found: Vec<(Rank, Obligation)> = Vec::new();
    for (ranked, recalled, work) in workers::all(jobs, asks.len(), one, |_| {})? {
        all.recalled &= recalled;
        all.work += work;
        all.questions += if recalled { 0 } else { ranked.asked };
        found.extend(ranked.obligations);
    }
    found.sort_by_key(|(rank, _)| *rank);
    all.obligations = consistent_once(found);
    Ok(all)
}

/// One component, from the cache or by the solver; whether it was from the cache, and the work.
fn settled(
    task: &Task<'_>,
    component: &Component,
    heap: bool,
) -> Result<(Ranked, bool, u64), Stop> {
    let task = Task { limits: task.shared.limits(), ..task.clone() };
    if let Some(cache) = &task.shared.cache {
        let rehearsal = Task { rehearsal: true, ..task.clone() };
        let known = about(&rehearsal, component, heap)?;
        if cache.answer(&known.digest()) == Some(true) {
            return Ok((known, true, 0));
        }
    }
    let asked = workers::alone(|| about(&task, component, heap));
    let asked = asked.map_err(|stop| task.shared.in_budget(&task.limits, stop))?;
    let proved = asked.obligations.iter().all(|(_, obligation)| obligation.outcome.is_proved());
    if let Some(cache) = task.shared.cache.as_ref().filter(|_| proved) {
        cache.keep_answer(&asked.digest(), true);
    }
    Ok((asked, false, task.limits.clock.spent()))
}

/// The answers to all questions about the specification.
#[derive(Default)]
pub(crate) struct Asked {
    pub obligations: Vec<Obligation>,
    pub questions: usize,
    pub recalled: bool,
    pub work: u64,
}

/// That the invariants do not contradict each other is one obligation, however many components they
/// are about: the worst of the answers.
fn consistent_once(found: Vec<(Rank, Obligation)>) -> Vec<Obligation> {
    let mut kept: Vec<Obligation> = Vec::new();
    let mut at: Option<usize> = None;
    for (_, obligation) in found {
        match at.filter(|_| matches!(obligation.kind, Kind::Consistent(_))) {
            Some(first) if kept[first].outcome.is_proved() => kept[first] = obligation,
            Some(_) => {}
            None => {
                if matches!(obligation.kind, Kind::Consistent(_)) {
                    at = Some(kept.len());
                }
                kept.push(obligation);
            }
        }
    }
    kept
}

/// What was found of one component.
#[derive(Default)]
struct Ranked {
    obligations: Vec<(Rank, Obligation)>,
    digests: Vec<Digest>,
    asked: usize,
}

impl Ranked {
    fn add(&mut self, rank: Rank, obligation: Obligation) {
        self.obligations.push((rank, obligation));
    }

    /// All is asked in this world.
    fn close(&mut self, world: &World<'_>) {
        self.digests.push(world.digest());
        self.asked += world.asked;
    }

    fn digest(&self) -> Digest {
        together(self.digests.iter().copied())
    }
}

fn about(task: &Task<'_>, component: &Component, heap: bool) -> Result<Ranked, Stop> {
    let mut found = Ranked::default();
    reflexive(task, component, &mut found)?;
    transitive(task, component, &mut found)?;
    consistent(task, component, &mut found)?;
    let program = &task.subject.program;
    let objects: BTreeSet<ObjectId> = match heap {
        true => program.objects.keys().collect(),
        false => component.objects.iter().copied().collect(),
    };
    begins(task, component, &objects, &mut found)?;
    if heap {
        starts(task, &mut found)?;
    }
    Ok(found)
}

fn view(world: &World<'_>, before: &Memory, after: &Memory) -> View {
    let (before, after) = (before.clone(), after.clone());
    View { before, after, tid: world.tid, params: Vec::new(), result: None, values: Vec::new() }
}

/// The clauses of a list that are about a component, with their numbers.
fn those<'a>(all: &'a [Clause], numbers: &[usize]) -> Vec<(usize, &'a Clause)> {
    numbers.iter().map(|&number| (number, &all[number])).collect()
}

/// Any memory that the invariants allow.
fn some_memory<'a>(
    task: &Task<'a>,
    component: &Component,
    world: &mut World<'a>,
    name: &str,
) -> Memory {
    let memory = world.memory(name);
    let yes = world.terms.bool(true);
    for (_, clause) in those(&task.subject.program.spec.invariants, &component.invariants) {
        let view = view(world, &memory, &memory);
        world.assume(yes, &clause.formula, view);
    }
    memory
}

fn reflexive(task: &Task<'_>, component: &Component, found: &mut Ranked) -> Result<(), Stop> {
    let clauses = those(&task.subject.program.spec.environment, &component.environment);
    if clauses.is_empty() {
        return Ok(());
    }
    let mut world = World::new(task);
    world.keep_apart(component.objects.iter().copied());
    let memory = some_memory(task, component, &mut world, "memory");
    for (number, clause) in clauses {
        let view = view(&world, &memory, &memory);
        let goal = world.goal(&clause.formula, &view);
        found.add((0, number), asked(task, &mut world, Kind::Reflexive, clause, goal)?);
    }
    found.close(&world);
    Ok(())
}

fn transitive(task: &Task<'_>, component: &Component, found: &mut Ranked) -> Result<(), Stop> {
    let clauses = those(&task.subject.program.spec.environment, &component.environment);
    if clauses.is_empty() {
        return Ok(());
    }
    let mut world = World::new(task);
    world.keep_apart(component.objects.iter().copied());
    let yes = world.terms.bool(true);
    let all =
        ["first", "second", "third"].map(|name| some_memory(task, component, &mut world, name));
    for (from, to) in [(0, 1), (1, 2)] {
        world.pass(yes, &all[from], &all[to], true);
        for (_, clause) in &clauses {
            let view = view(&world, &all[from], &all[to]);
            world.assume(yes, &clause.formula, view);
        }
    }
    for (number, clause) in clauses {
        let view = view(&world, &all[0], &all[2]);
        let goal = world.goal(&clause.formula, &view);
        found.add((1, number), asked(task, &mut world, Kind::Transitive, clause, goal)?);
    }
    found.close(&world);
    Ok(())
}

fn consistent(task: &Task<'_>, component: &Component, found: &mut Ranked) -> Result<(), Stop> {
    let clauses = those(&task.subject.program.spec.invariants, &component.invariants);
    let Some(&(number, clause)) = clauses.first() else { return Ok(()) };
    let mut world = World::new(task);
    world.keep_apart(component.objects.iter().copied());
    some_memory(task, component, &mut world, "memory");
    let outcome = match world.possible() {
        Possible::No => Outcome::Failed(Vec::new()),
        Possible::Yes => Outcome::Proved,
        Possible::Unknown(reason) => unknown(reason, &task.limits)?,
    };
    let kind = Kind::Consistent("the invariants together".to_owned());
    let annotation = Some(of_clause(clause));
    found.add((2, number), Obligation { kind, at: clause.span, annotation, outcome });
    found.close(&world);
    Ok(())
}

/// The invariants in the initial memory, of which only some objects matter.
fn begins(
    task: &Task<'_>,
    component: &Component,
    objects: &BTreeSet<ObjectId>,
    found: &mut Ranked,
) -> Result<(), Stop> {
    let subject = task.subject;
    let program = &subject.program;
    let clauses = those(&program.spec.invariants, &component.invariants);
    if clauses.is_empty() {
        return Ok(());
    }
    let mut world = World::new(task);
    world.keep_apart(objects.iter().copied());
    let memory = initial(subject, &mut world, objects);
    for (number, clause) in clauses {
        let view = view(&world, &memory, &memory);
        let goal = world.goal(&clause.formula, &view);
        found.add((3, number), asked(task, &mut world, Kind::Initial, clause, goal)?);
    }
    found.close(&world);
    Ok(())
}

fn initial(subject: &Subject, world: &mut World<'_>, objects: &BTreeSet<ObjectId>) -> Memory {
    let (program, apart) = (&subject.program, &world.apart);
    Memory::initial(&mut world.terms, world.types, &subject.types, program, apart, objects)
}

/// What the first threads require, in the initial memory.
fn starts(task: &Task<'_>, found: &mut Ranked) -> Result<(), Stop> {
    let subject = task.subject;
    let program = &subject.program;
    let required = program.threads.iter().any(|thread| {
        subject.contract_of(thread.procedure).is_some_and(|contract| !contract.requires.is_empty())
    });
    if !required {
        return Ok(());
    }
    let mut world = World::new(task);
    let objects = program.objects.keys().collect();
    let memory = initial(subject, &mut world, &objects);
    let mut number = 0;
    for thread in &program.threads {
        let Some(contract) = subject.contract_of(thread.procedure) else { continue };
        let procedure = &program.procedures[thread.procedure];
        let types = procedure.params.iter().map(|&param| procedure.locals[param].ty);
        let params: Vec<Sym> = types.map(|ty| zero(&mut world, ty)).collect();
        for clause in &contract.requires {
            let view = View { params: params.clone(), ..view(&world, &memory, &memory) };
            let goal = world.goal(&clause.formula, &view);
            let kind = Kind::Starts(procedure.name.clone());
            found.add((4, number), asked(task, &mut world, kind, clause, goal)?);
            number += 1;
        }
    }
    found.close(&world);
    Ok(())
}

fn zero(world: &mut World<'_>, ty: Type) -> Sym {
    let scope = &world.subject.program.procedures;
    let Some(procedure) = scope.values().next() else { return world.value("zero", ty) };
    let expr = Expr::Const(Const::zero(ty));
    let tid = world.tid;
    let none = |_| panic!("invariant: a constant has no locals");
    world.translate(procedure, &expr, &none, tid).value
}

fn asked(
    task: &Task<'_>,
    world: &mut World<'_>,
    kind: Kind,
    clause: &Clause,
    goal: Term,
) -> Result<Obligation, Stop> {
    let yes = world.terms.bool(true);
    let outcome = match world.ask(yes, goal) {
        Answer::Unsat(_) => Outcome::Proved,
        Answer::Sat(_) | Answer::Unknown(Reason::Unreadable(_)) => Outcome::Failed(Vec::new()),
        Answer::Unknown(reason) => unknown(reason, &task.limits)?,
    };
    let annotation = Some(of_clause(clause));
    let at = if clause.span.is_none() { Span::NONE } else { clause.span };
    Ok(Obligation { kind, at, annotation, outcome })
}
