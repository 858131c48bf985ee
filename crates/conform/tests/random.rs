//! Random programs with random abstract threads and contracts: where `conform` says SAFE, an exhaustive search of
//! the program itself, without any pass, must find nothing that goes wrong.

use cranelift_entity::PrimaryMap;
use selvedge_abstract_threads::build;
use selvedge_conform::{suggest_all, verify};
use selvedge_exec::rng::Rng;
use selvedge_ir::spec::{
    AbstractAction, AbstractThread, Binding, Clause, Contract, Formula, Target, Variable, When,
};
use selvedge_ir::{
    Action, BinaryOp, Callee, Const, Expr, ObjectId, ProcId, Program, Property, Sharing, Span,
    Type, text,
};
use selvedge_random::{contending, program as random_program};
use selvedge_verdict::{Budget, Options, Run, Stop, Verdict};

/// Programs that are looked at.
const SEEDS: u64 = 400;
/// Units of work for each.
const WORK: u64 = 1_500_000;
/// Answers SAFE without which the test would show little.
const LEAST_SAFE: usize = 40;
const LEAST_RELYING: usize = 10;

/// What abstract threads may speak of.
fn cells(program: &Program) -> Vec<(ObjectId, Type)> {
    let shared = program.objects.iter().filter(|(_, data)| data.sharing == Sharing::Shared);
    let scalar = shared.filter_map(|(id, _)| Some((id, build::scalar(program, id)?)));
    scalar.filter(|(_, ty)| *ty != Type::Ptr).collect()
}

/// The procedures that threads start in, but for those that start others.
fn started(program: &Program) -> Vec<ProcId> {
    let mut found: Vec<ProcId> = program.threads.iter().map(|thread| thread.procedure).collect();
    for (_, edge) in program.procedures.values().flat_map(|p| p.edges()) {
        if let Action::Spawn { entry: Callee::Direct(entry), .. } = edge.action {
            found.push(entry);
        }
    }
    found.sort_unstable();
    found.dedup();
    let starts = |id: &ProcId| {
        let starts = |action: &Action| matches!(action, Action::Spawn { .. });
        program.procedures[*id].edges().any(|(_, edge)| starts(&edge.action))
    };
    found.retain(|id| !starts(id));
    found
}

struct Author<'a> {
    program: &'a Program,
    rng: Rng,
    cells: Vec<(ObjectId, Type)>,
}

impl Author<'_> {
    fn thread(&mut self, procedure: ProcId, index: usize) -> AbstractThread {
        let number = 1 + self.rng.below(3) as u32;
        let mut states = Vec::new();
        for state in 0..number {
            let mut asserts = Vec::new();
            if self.rng.one_in(4) {
                asserts.extend(self.condition(When::Before));
            }
            if self.rng.one_in(5) {
                asserts.extend(self.looks_back());
            }
            let initial = state == 0 || self.rng.one_in(6);
            let mut made = build::state(format!("S{state}"), initial, asserts);
            made.idles = !self.rng.one_in(8);
            states.push(made);
        }
        let mut steps = Vec::new();
        for _ in 0..1 + self.rng.below(5) {
            let (from, to) = (self.rng.below(number.into()), self.rng.below(number.into()));
            steps.push(build::step(from as u32, to as u32, self.relation(), self.targets()));
        }
        if self.rng.one_in(2) {
            // One that allows much, so that threads often conform.
            let all = self.cells.iter().filter(|(_, ty)| *ty != Type::Thread);
            let all = all.filter_map(|(id, _)| build::target(self.program, *id)).collect();
            let relation = if self.rng.one_in(3) { self.condition(When::After) } else { None };
            steps.push(build::step(0, 0, Vec::from_iter(relation), all));
        }
        build::thread(format!("T{index}"), procedure, states, steps)
    }

    /// A contract of a procedure that threads may call, which it keeps or not.
    fn contract(&mut self, procedure: ProcId) -> Contract {
        let modifies = match self.rng.below(3) {
            0 => Vec::new(),
            1 => self.targets(),
            _ => {
                let all = self.cells.iter().filter_map(|(id, _)| build::target(self.program, *id));
                all.collect()
            }
        };
        let mut actions = Vec::new();
        for _ in 0..self.rng.below(3) {
            let (modifies, ensures) = (self.targets(), self.relation());
            actions.push(AbstractAction { modifies, ensures, span: Span::NONE });
        }
        let requires = if self.rng.one_in(4) { self.condition(When::Before) } else { None };
        let ensures = if self.rng.one_in(4) { self.about_result(procedure) } else { None };
        let (requires, ensures) = (Vec::from_iter(requires), Vec::from_iter(ensures));
        Contract { procedure, requires, modifies, actions, ensures, span: Span::NONE }
    }

    /// That the result is small.
    fn about_result(&mut self, procedure: ProcId) -> Option<Clause> {
        let source = &self.program.procedures[procedure];
        let ty = source.locals[source.result?].ty;
        let bound = Expr::int(i128::from(self.rng.below(4)), ty.as_int()?);
        let mut variables = PrimaryMap::new();
        let name = "result".to_owned();
        let result = variables.push(Variable { name, ty, binding: Binding::Result });
        let body = Expr::binary(BinaryOp::Le, Expr::Local(result), bound);
        let formula = Formula { variables, body };
        Some(Clause { formula, text: "result".to_owned(), span: Span::NONE })
    }

    fn targets(&mut self) -> Vec<Target> {
        let mut targets = Vec::new();
        for (object, _) in self.cells.clone() {
            if self.rng.one_in(2) {
                targets.extend(build::target(self.program, object));
            }
        }
        targets
    }

    fn relation(&mut self) -> Vec<Clause> {
        let mut relation = Vec::new();
        for (object, ty) in self.cells.clone() {
            // The new holder of a lock must be told.
            if ty == Type::Thread || self.rng.one_in(4) {
                relation.extend(self.new_value(object, ty));
            }
        }
        if self.rng.one_in(3) {
            relation.extend(self.condition(When::Before));
        }
        relation
    }

    fn new_value(&mut self, object: ObjectId, ty: Type) -> Option<Clause> {
        let reads = [(object, When::After), (object, When::Before)];
        let value = match (ty, self.rng.below(3)) {
            (Type::Thread, 0) => Some(Expr::Tid),
            (Type::Thread, 1) => Some(Expr::Const(Const::NoThread)),
            (Type::Int(int), 0) => Some(Expr::int(i128::from(self.rng.below(3)), int)),
            (Type::Bool, 0) => Some(Expr::Const(Const::Bool(self.rng.one_in(2)))),
            _ => None,
        };
        let op = if value.is_none() && self.rng.one_in(2) && ty.as_int().is_some() {
            BinaryOp::Ge
        } else {
            BinaryOp::Eq
        };
        build::clause(self.program, "new", &reads, |v| {
            let increment = match (ty, op) {
                (Type::Int(int), BinaryOp::Eq) => {
                    Expr::binary(BinaryOp::Add, v[1].clone(), Expr::int(1, int))
                }
                _ => v[1].clone(),
            };
            Expr::binary(op, v[0].clone(), value.unwrap_or(increment))
        })
    }

    /// How a variable has changed since the thread's last step.
    fn looks_back(&mut self) -> Option<Clause> {
        let (object, ty) = *self.rng.pick(&self.cells);
        let op = match ty {
            Type::Int(_) => *self.rng.pick(&[BinaryOp::Le, BinaryOp::Ge, BinaryOp::Eq]),
            _ => BinaryOp::Eq,
        };
        let reads = [(object, When::After), (object, When::Before)];
        let own = self.rng.one_in(2);
        build::clause(self.program, "back", &reads, |v| {
            let kept = Expr::binary(op, v[0].clone(), v[1].clone());
            match (ty, own) {
                // What every lock's user may assume.
                (Type::Thread, true) => {
                    let other = Expr::binary(BinaryOp::Ne, v[1].clone(), Expr::Tid);
                    Expr::binary(BinaryOp::Or, other, kept)
                }
                _ => kept,
            }
        })
    }

    /// Invariants and environment assumptions, which hold or not.
    fn relied_on(&mut self) -> (Vec<Clause>, Vec<Clause>) {
        let invariant = if self.rng.one_in(4) { self.condition(When::Before) } else { None };
        let assumption = if self.rng.one_in(3) { self.looks_back() } else { None };
        (Vec::from_iter(invariant), Vec::from_iter(assumption))
    }

    fn condition(&mut self, when: When) -> Option<Clause> {
        let (object, ty) = *self.rng.pick(&self.cells);
        let bound = i128::from(self.rng.below(4));
        let op = *self.rng.pick(&[BinaryOp::Le, BinaryOp::Ge, BinaryOp::Eq, BinaryOp::Ne]);
        build::clause(self.program, "condition", &[(object, when)], |v| match ty {
            Type::Int(int) => Expr::binary(op, v[0].clone(), Expr::int(bound, int)),
            Type::Bool => v[0].clone(),
            _ => Expr::binary(BinaryOp::Ne, v[0].clone(), Expr::Tid),
        })
    }
}

/// The program of a seed with abstract threads; none where there is nothing to speak of.
fn specified(seed: u64) -> Option<Program> {
    let mut program = match seed % 3 {
        0 => random_program(seed),
        _ => contending(seed),
    };
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut cells = cells(&program);
    let most = 1 + rng.below(3) as usize;
    while cells.len() > most {
        cells.remove(rng.below(cells.len() as u64) as usize);
    }
    if cells.is_empty() {
        return None;
    }
    let mut threads = Vec::new();
    let mut author = Author { program: &program, rng, cells };
    for (index, procedure) in started(&program).into_iter().enumerate() {
        if index == 0 || author.rng.one_in(2) {
            threads.push(author.thread(procedure, index));
        }
    }
    let helper = program.procedure_named("helper").filter(|_| author.rng.one_in(2));
    let contracts = helper.map(|helper| author.contract(helper));
    let (invariants, assumptions) = author.relied_on();
    program.spec.contracts.extend(contracts);
    program.spec.invariants.extend(invariants);
    program.spec.environment.extend(assumptions);
    program.spec.abstract_threads = threads;
    (!program.spec.abstract_threads.is_empty()).then_some(program)
}

/// Whether the program itself goes wrong, if that can be found out.
fn goes_wrong(program: &Program) -> Option<bool> {
    let options = Options::new(&[Property::Assert]);
    let mut run = Run::silent(Budget::work(20_000_000));
    match selvedge_explore::verify_as_given(program, &options, &mut run) {
        Ok(Verdict::Safe(_)) => Some(false),
        Ok(Verdict::Unsafe(_)) | Err(Stop::Undefined { .. } | Stop::Unsupported { .. }) => {
            Some(true)
        }
        Err(_) => None,
    }
}

/// Programs for which abstract threads are suggested, and suggestions without which that shows little.
const SUGGESTED_SEEDS: u64 = 60;
const LEAST_SUGGESTED: usize = 5;

#[test]
fn nothing_is_suggested_for_programs_that_go_wrong() {
    let mut suggested = 0;
    for seed in 0..SUGGESTED_SEEDS {
        let program = if seed % 3 == 0 { random_program(seed) } else { contending(seed) };
        let mut run = Run::silent(Budget::work(WORK));
        let Ok(found) = suggest_all(&program, &mut run) else { continue };
        suggested += 1;
        assert_ne!(goes_wrong(&program), Some(true), "seed {seed}\n{}", text::print(&program));
        let mut specified = program.clone();
        specified.spec.abstract_threads.extend(found.into_iter().map(|found| found.thread));
        let options = Options::new(&[Property::Assert]);
        let mut run = Run::silent(Budget::work(10 * WORK));
        let verdict = verify(&specified, &options, &mut run, &mut |_| {});
        assert!(matches!(verdict, Ok(Verdict::Safe(_))), "seed {seed}: {verdict:?}");
    }
    assert!(suggested >= LEAST_SUGGESTED, "{suggested} suggestions");
}

#[test]
fn what_conforms_does_not_go_wrong() {
    let (mut safe, mut asked, mut known) = (0, 0, 0);
    let (mut contracts, mut relying) = (0, 0);
    let mut stops = std::collections::BTreeMap::new();
    for seed in 0..SEEDS {
        let Some(program) = specified(seed) else { continue };
        asked += 1;
        let options = Options::new(&[Property::Assert]);
        let mut run = Run::silent(Budget::work(WORK));
        match verify(&program, &options, &mut run, &mut |_| {}) {
            Ok(Verdict::Safe(_)) => {}
            Ok(Verdict::Unsafe(_)) => {
                *stops.entry("unsafe".to_owned()).or_insert(0) += 1;
                continue;
            }
            Err(stop) => {
                assert!(!stop.is_defect(), "seed {seed}: {stop}\n{}", text::print(&program));
                let key = match &stop {
                    Stop::Annotation { message, .. } => message.clone(),
                    Stop::Unsupported { what, .. } => what.clone(),
                    Stop::Conformance { what, .. } => what.split(' ').skip(1).take(2).collect(),
                    other => other.to_string(),
                };
                *stops.entry(key).or_insert(0) += 1;
                continue;
            }
        }
        safe += 1;
        contracts += usize::from(!program.spec.contracts.is_empty());
        relying += usize::from(
            !program.spec.environment.is_empty() || !program.spec.invariants.is_empty(),
        );
        let wrong = goes_wrong(&program);
        known += usize::from(wrong.is_some());
        assert_ne!(wrong, Some(true), "seed {seed}: SAFE\n{}", text::print(&program));
    }
    println!(
        "{asked} programs, {safe} SAFE ({contracts} with contracts, {relying} with assumptions), \
         {known} searched; {stops:#?}"
    );
    assert!(safe >= LEAST_SAFE, "{safe} of {asked} programs are SAFE");
    assert!(relying >= LEAST_RELYING, "{relying} programs with assumptions are SAFE");
}
