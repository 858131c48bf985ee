//! A program made ready for its abstract threads: without calls, without its specification, and with
//! what its pointers lead to.

use rustc_hash::FxHashSet;
use selvedge_ir::spec::AbstractThread;
use selvedge_ir::{
    Action, Callee, Const, Expr, FileId, LocalId, ProcId, Program, Property, Span, Specification,
};
use selvedge_passes::callgraph::CallGraph;
use selvedge_passes::devirtualize::devirtualize;
use selvedge_passes::inline::inline;
use selvedge_passes::pointsto::{NodeId, PointsTo};
use selvedge_passes::promote::promote;
use selvedge_passes::simplify::simplify;
use selvedge_passes::{Limits, orders};

use crate::always::Always;
use crate::called::replace_calls;
use crate::contracts::{Kept, Written, used};
use crate::refused::Refused;
use crate::rely::Rely;
use crate::vocabulary::Vocabulary;

/// A program with its abstract threads, ready to be divided into parts.
pub struct Subject {
    /// Prepared: no call is left that can be inlined, private variables are locals. Without a
    /// specification.
    pub(crate) program: Program,
    pub(crate) threads: Vec<AbstractThread>,
    /// In the prepared program: where the threads start that each abstract thread stands for. None
    /// where no thread starts there.
    pub(crate) procedures: Vec<Option<ProcId>>,
    names: Vec<String>,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) pointers: PointsTo,
    /// Memory that more than one thread may reach.
    pub(crate) escaping: FxHashSet<NodeId>,
    /// The program for the checks, where threads that have abstract threads call procedures that have
    /// contracts.
    pub(crate) by_contract: Option<Box<ByContract>>,
}

/// The checks' program, in which contracts stand in the place of calls.
pub(crate) struct ByContract {
    pub subject: Subject,
    pub contracts: Vec<Kept>,
    /// In its program, the body of each.
    pub bodies: Vec<ProcId>,
}

/// Edges of one procedure beyond which calls are no longer inlined.
const INLINE_LIMIT: usize = 200_000;

impl Subject {
    pub fn of(program: &Program, limits: &Limits) -> Result<Subject, Refused> {
        refuse_weak_orders(program)?;
        let vocabulary = Vocabulary::of(program)?;
        let threads = relying(program, &vocabulary);
        let names = threads.iter().map(|t| program.procedures[t.procedure].name.clone());
        let names: Vec<String> = names.collect();
        let contracts = program.spec.contracts.clone();
        let rely = Rely::within(program, None, &vocabulary);
        let always = contracts.iter().map(|contract| Always::of(program, contract)).collect();
        let mut program = Program { spec: Specification::default(), ..program.clone() };
        devirtualize(&mut program, false, limits)?;
        let specified = Specified { vocabulary, threads, names };
        let written = Written { contracts, always, rely };
        let contracts = used(&program, written, &specified.threads, &specified.vocabulary);
        let by_contract = match contracts.is_empty() {
            true => None,
            false => Some(Box::new(by_contract(&program, contracts, &specified, limits)?)),
        };
        let subject = prepared(program, &specified, limits)?;
        Ok(Subject { by_contract, ..subject })
    }

    /// The abstract threads, in the order of the source.
    pub fn threads(&self) -> &[AbstractThread] {
        &self.threads
    }

    /// The procedure that an abstract thread stands for the threads of.
    pub fn procedure_name(&self, index: usize) -> String {
        self.names[index].clone()
    }

    /// The contracts that stand in the place of calls in the checks of threads.
    pub fn contracts(&self) -> &[Kept] {
        self.by_contract.as_ref().map_or(&[], |known| &known.contracts)
    }

    pub fn file_named(&self, name: &str) -> Option<FileId> {
        self.program.files.iter().find(|(_, file)| file.name == name).map(|(id, _)| id)
    }

    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }
}

/// What is specified, and of which procedures.
struct Specified {
    vocabulary: Vocabulary,
    threads: Vec<AbstractThread>,
    names: Vec<String>,
}

/// The abstract threads, which rely on the invariants and environment assumptions of the program and
/// guarantee them.
fn relying(program: &Program, vocabulary: &Vocabulary) -> Vec<AbstractThread> {
    let threads = program.spec.abstract_threads.iter();
    let woven = |thread: &AbstractThread| {
        Rely::within(program, Some(thread.procedure), vocabulary).woven(thread.clone())
    };
    threads.map(woven).collect()
}

/// A subject without contracts.
fn prepared(
    mut program: Program,
    specified: &Specified,
    limits: &Limits,
) -> Result<Subject, Refused> {
    let Specified { vocabulary, threads, names } = specified;
    inline(&mut program, INLINE_LIMIT, limits)?;
    simplify(&mut program, &[Property::Assert], limits)?;
    let procedures = names.iter().map(|name| program.procedure_named(name));
    let procedures: Vec<Option<ProcId>> = procedures.collect();
    for &procedure in procedures.iter().flatten() {
        fix_arguments(&mut program, procedure);
    }
    simplify(&mut program, &[Property::Assert], limits)?;
    promote(&mut program, limits)?;
    simplify(&mut program, &[Property::Assert], limits)?;
    let pointers = PointsTo::of(&program, limits)?;
    let escaping = pointers.escaping(&program).into_iter().collect();
    Ok(Subject {
        program,
        threads: threads.clone(),
        procedures,
        names: names.clone(),
        vocabulary: vocabulary.clone(),
        pointers,
        escaping,
        by_contract: None,
    })
}

/// The program with contracts in the place of calls.
fn by_contract(
    program: &Program,
    contracts: Vec<Kept>,
    specified: &Specified,
    limits: &Limits,
) -> Result<ByContract, Refused> {
    let mut program = program.clone();
    let names = replace_calls(&mut program, &contracts, &specified.vocabulary);
    let subject = prepared(program, specified, limits)?;
    let body = |name: &String| {
        let found = subject.program.procedure_named(name);
        found.expect("invariant: a procedure that a thread starts in stays")
    };
    let bodies = names.iter().map(body).collect();
    Ok(ByContract { subject, contracts, bodies })
}

/// Steps of abstract threads are seen by all at once.
fn refuse_weak_orders(program: &Program) -> Result<(), Refused> {
    match orders::beyond_sequential(program, false)[..] {
        [] => Ok(()),
        [first, ..] => {
            let what = "abstract threads take accesses for sequentially consistent, and this one \
                        is weaker";
            Err(Refused::unsupported(what, first))
        }
    }
}

/// Puts constants in the place of parameters that every thread gets the same constant for.
fn fix_arguments(program: &mut Program, procedure: ProcId) {
    for (index, parameter) in program.procedures[procedure].params.clone().into_iter().enumerate() {
        if let Some(Start::Always(value)) = argument(program, procedure, index)
            && !is_assigned(program, procedure, parameter)
        {
            put(program, procedure, parameter, value);
        }
    }
}

enum Start {
    Always(Const),
    Differs,
}

/// What threads that start in the procedure get; none if nobody starts there.
fn argument(program: &Program, procedure: ProcId, index: usize) -> Option<Start> {
    let mut found: Option<Start> = None;
    let mut meet = |value: Option<Const>| {
        let same = match (&found, value) {
            (None, Some(value)) => Some(value),
            (Some(Start::Always(known)), Some(value)) if *known == value => Some(value),
            _ => None,
        };
        found = Some(same.map_or(Start::Differs, Start::Always));
    };
    let data = &program.procedures[procedure];
    let zero = Const::zero(data.locals[data.params[index]].ty);
    for _ in program.threads.iter().filter(|thread| thread.procedure == procedure) {
        meet(Some(zero));
    }
    for (_, edge) in program.procedures.values().flat_map(|p| p.edges()) {
        match &edge.action {
            Action::Spawn { entry: Callee::Direct(entry), args, .. } if *entry == procedure => {
                meet(match args.get(index) {
                    Some(Expr::Const(value)) => Some(*value),
                    Some(_) => None,
                    None => Some(zero),
                });
            }
            Action::Call { callee: Callee::Direct(callee), .. } if *callee == procedure => {
                meet(None);
            }
            Action::Spawn { entry: Callee::Indirect(_), .. }
            | Action::Call { callee: Callee::Indirect(_), .. } => meet(None),
            _ => {}
        }
    }
    found
}

fn is_assigned(program: &Program, procedure: ProcId, local: LocalId) -> bool {
    let data = &program.procedures[procedure];
    data.result == Some(local)
        || data.edges().any(|(_, edge)| edge.action.assigned() == Some(local))
}

fn put(program: &mut Program, procedure: ProcId, local: LocalId, value: Const) {
    for location in program.procedures[procedure].locations.values_mut() {
        for edge in &mut location.edges {
            edge.action.for_each_expr_mut(&mut |expr| {
                let old = std::mem::replace(expr, Expr::Tid);
                *expr = old.map(&mut |part| match part {
                    Expr::Local(found) if found == local => Expr::Const(value),
                    other => other,
                });
            });
        }
    }
}

impl Subject {
    /// The first thread that is started by threads that an abstract thread stands for.
    pub(crate) fn started_by(&self, procedure: ProcId) -> Option<Span> {
        let starts = |action: &Action| matches!(action, Action::Spawn { .. });
        let calls = self.calls_of(procedure);
        let mut edges = calls.iter().flat_map(|id| self.program.procedures[*id].edges());
        edges.find(|(_, edge)| starts(&edge.action)).map(|(_, edge)| edge.span)
    }

    /// The procedure and all that it calls: those that are recursive are not inlined.
    pub(crate) fn calls_of(&self, procedure: ProcId) -> Vec<ProcId> {
        CallGraph::of(&self.program).reachable([procedure]).iter().collect()
    }
}
