//! What all threads rely on, and what each of them guarantees to the others: the global invariants I and
//! the environment assumptions E of a specification, as parts of abstract threads.
//!
//! I and E become assertions of every state, E from what the thread's last step left to what is now.
//! Every step keeps I, and is one that E allows for all other threads. So whatever a check assumes, the
//! composition has shown of all threads, those without an abstract thread as well, and Theorem 1 is
//! about these abstract threads as about any others.
//!
//! That nobody but its holder releases a lock is a part of E that need not be written.

use selvedge_ir::spec::{AbstractThread, Binding, Clause, Formula, When};
use selvedge_ir::{Const, Expr, LocalId, Multiplicity, Place, ProcId, Program, Span, Type};
use selvedge_passes::fold::fold;
use selvedge_passes::{Template, Templates};

use crate::annotate::place_name;
use crate::locks::{HOLDER, is_lock, only_its_holder_releases};
use crate::others::to_others;
use crate::pieces::used;
use crate::refused::Refused;
use crate::threads_as_numbers::converts;
use crate::vocabulary::{Meets, Vocabulary};

/// I and E, for the threads that start in a procedure.
#[derive(Clone, Debug, Default)]
pub struct Rely {
    invariants: Vec<Clause>,
    /// What the thread may assume of a step of others, and what others may assume of its own.
    assumptions: Vec<(Clause, Vec<Clause>)>,
}

impl Rely {
    /// All that is stated; an error at the first clause that abstract threads cannot have. Of these
    /// locks it is added that nobody but their holders releases them.
    pub fn stated(program: &Program, procedure: ProcId, locks: &[Place]) -> Result<Rely, Refused> {
        let spec = &program.spec;
        let mut rely = Rely::default();
        for clause in &spec.invariants {
            rely.invariants.push(about_variables(clause, Some(procedure))?);
        }
        for clause in &spec.environment {
            let own = about_variables(clause, Some(procedure))?;
            if own.formula.body == Expr::TRUE {
                continue;
            }
            if !own.formula.has_two_states() {
                let what =
                    "an environment assumption that does not speak of the state after a step";
                return Err(Refused::unsupported(what, clause.span));
            }
            rely.assumptions.push((own, for_others(program, clause, Some(procedure))?));
        }
        let mut all = rely.locks(program);
        all.extend(locks.iter().filter(|lock| !all.contains(lock)).cloned().collect::<Vec<_>>());
        rely.add_locks(program, &all)?;
        Ok(rely)
    }

    /// What is about the vocabulary alone. Without a procedure, nothing that is said of threads that
    /// start in one.
    pub fn within(program: &Program, procedure: Option<ProcId>, vocabulary: &Vocabulary) -> Rely {
        let known = |clause: Clause| {
            let variables = &clause.formula.variables;
            let is_thread = |local: LocalId| variables[local].ty == Type::Thread;
            let cell = |place: &Place| matches!(vocabulary.meets(program, place), Meets::Cell(_));
            let ours = clause.formula.reads().all(|(_, place, _)| cell(place));
            (ours && !converts(&clause.formula.body, &is_thread)).then_some(clause)
        };
        let mut rely = Rely::default();
        let spec = &program.spec;
        let about = |clause: &Clause| about_variables(clause, procedure).ok().and_then(known);
        rely.invariants.extend(spec.invariants.iter().filter_map(about));
        for clause in &spec.environment {
            let own = about(clause).filter(|own| own.formula.has_two_states());
            let others = for_others(program, clause, procedure).ok();
            let others = others.and_then(|all| all.into_iter().map(known).collect());
            rely.assumptions.extend(own.zip(others));
        }
        let locks = rely.locks(program);
        // A lock is only compared in what is said of it.
        let _ = rely.add_locks(program, &locks);
        rely
    }

    /// The locks that are spoken of.
    fn locks(&self, program: &Program) -> Vec<Place> {
        let assumed = self.assumptions.iter().map(|(own, _)| own);
        let mut found: Vec<Place> = Vec::new();
        for clause in self.invariants.iter().chain(assumed) {
            for (_, place, _) in clause.formula.reads() {
                if !found.contains(place) && is_lock(program, place) {
                    found.push(place.clone());
                }
            }
        }
        found
    }

    fn add_locks(&mut self, program: &Program, locks: &[Place]) -> Result<(), Refused> {
        for lock in locks {
            let name = place_name(program, lock).unwrap_or_default();
            let name = name.strip_suffix(HOLDER).unwrap_or(&name).to_owned();
            let own = only_its_holder_releases(lock, &name, Span::NONE);
            let others = to_others(&own)?;
            self.assumptions.push((own, vec![others]));
        }
        Ok(())
    }

    /// What holds whenever the thread is in a state.
    pub fn asserted(&self) -> Vec<Clause> {
        let assumed = self.assumptions.iter().map(|(own, _)| own);
        self.invariants.iter().chain(assumed).cloned().collect()
    }

    /// Of that, what speaks of one state.
    pub fn invariants(&self) -> &[Clause] {
        &self.invariants
    }

    /// What a step guarantees that changes these places.
    pub fn guaranteed(&self, changed: &[Place]) -> Vec<Clause> {
        let kept = self.invariants.iter().map(afterwards);
        let allowed = self.assumptions.iter().flat_map(|(_, others)| others.clone());
        kept.chain(allowed).filter(|clause| concerns(&clause.formula, changed)).collect()
    }

    /// The abstract thread that relies on it and guarantees it.
    pub fn woven(&self, mut thread: AbstractThread) -> AbstractThread {
        for state in &mut thread.states {
            state.asserts.extend(self.asserted());
        }
        self.guarantee(&mut thread);
        thread
    }

    /// Makes all steps keep it.
    pub fn guarantee(&self, thread: &mut AbstractThread) {
        for step in &mut thread.transitions {
            let changed: Vec<Place> = step.modifies.iter().filter_map(|t| t.direct()).collect();
            step.relation.extend(self.guaranteed(&changed));
        }
    }
}

/// What an assumption says to all other threads. Where it asks which function a thread was started in,
/// for each function that there may be another thread of.
fn for_others(
    program: &Program,
    clause: &Clause,
    procedure: Option<ProcId>,
) -> Result<Vec<Clause>, Refused> {
    let others = to_others(clause)?;
    let mut variables = others.formula.variables.values();
    if !variables.any(|variable| matches!(variable.binding, Binding::Runs(_))) {
        return Ok(vec![about_variables(&others, procedure)?]);
    }
    let templates = Templates::of(program).list;
    let another =
        |t: &&Template| Some(t.procedure) != procedure || t.count != Multiplicity::Exactly(1);
    let clauses = templates.iter().filter(another);
    let clauses = clauses.map(|other| about_variables(&others, Some(other.procedure)));
    let clauses: Vec<Clause> = clauses.collect::<Result<_, _>>()?;
    Ok(clauses.into_iter().filter(|clause| clause.formula.body != Expr::TRUE).collect())
}

/// The clause in which `\runs` has been answered, if it is about variables at fixed places alone.
pub fn about_variables(clause: &Clause, procedure: Option<ProcId>) -> Result<Clause, Refused> {
    let clause = answered(clause, procedure);
    let read = |binding: &Binding| matches!(binding, Binding::Read { .. });
    match clause.formula.variables.values().all(|variable| read(&variable.binding)) {
        true => Ok(clause),
        false => {
            let text = &clause.text;
            let what = format!(
                "`{text}` speaks of more than variables at fixed places, so no abstract thread can \
                 say it"
            );
            Err(Refused::unsupported(what, clause.span))
        }
    }
}

fn answered(clause: &Clause, procedure: Option<ProcId>) -> Clause {
    let Some(own) = procedure else { return clause.clone() };
    let variables = &clause.formula.variables;
    let body = clause.formula.body.clone().map(&mut |part| match part {
        Expr::Local(local) => match variables[local].binding {
            Binding::Runs(procedure) => Expr::Const(Const::Bool(procedure == own)),
            _ => part,
        },
        other => other,
    });
    let formula = used(&Formula { variables: variables.clone(), body: fold(body) });
    Clause { formula, ..clause.clone() }
}

/// The clause about the state after a step.
fn afterwards(clause: &Clause) -> Clause {
    let mut clause = clause.clone();
    for variable in clause.formula.variables.values_mut() {
        if let Binding::Read { when, .. } = &mut variable.binding {
            *when = When::After;
        }
    }
    clause
}

/// Whether a formula speaks of the new value of a changed place.
fn concerns(formula: &Formula, changed: &[Place]) -> bool {
    formula.reads().any(|(_, place, when)| when == When::After && changed.contains(place))
}
