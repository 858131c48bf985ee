//! Field slicing (§3 of the paper): most fields do not matter for a property.
//!
//! A field is a region. What is not tracked has no content: writes do nothing, reads give any value,
//! and there are no scheduling points before them; branches that are only about them are left out
//! ([`bypass`]). That only adds executions, so a program without violation has none with all fields
//! either. An abstract violation is looked at with all fields that it takes notice of
//! ([`concretize`]); where it is none, the fields that the proof needs are tracked from then on.
//! Where it is one, it is run, and only if it cannot be, the others are taken into account as well.
//! The paper finds these by leaving out one field after another, with a query each; here the
//! solver's core names them, and only these few are then tried one by one, in the same solver; then
//! the next core is asked for, without the fields of the first.

use selvedge_exec::{Stop, Trace};
use selvedge_ir::{Action, Expr, LocalId, Procedure, Program, RegionId};
use selvedge_passes::Prepared;
use selvedge_passes::bits::BitSet;
use selvedge_smt::Limits;

use super::concretize::{Abstract, LeftOut, TakenPath};
use super::sequentialize::Plan;
use selvedge_sequential::{self, Answer, Path, SequentialProgram};

/// An abstract violation may be none for several reasons that have nothing to do with each other.
/// To look for all of them costs little beside the next round.
const CORES: usize = 9;

/// What an abstract violation turned out to be.
pub enum Concrete {
    /// It is one; with the program that the path belongs to.
    Real(Box<SequentialProgram>, Path),
    /// It is one, and has been replayed.
    Replayed(Box<Trace>),
    /// It is none, because of what these fields hold.
    Spurious(Vec<RegionId>),
}

/// The fields that the assertions look at: the first that are tracked.
pub fn fields_of_assertions(program: &Program) -> BitSet<RegionId> {
    program.procedures.values().flat_map(asserted).collect()
}

fn asserted(procedure: &Procedure) -> Vec<RegionId> {
    let mut locals: BitSet<LocalId> = BitSet::new();
    let mut regions = Vec::new();
    let read = |expr: &Expr, locals: &mut BitSet<LocalId>| {
        expr.locals().into_iter().fold(false, |new, local| locals.insert(local) | new)
    };
    for (_, edge) in procedure.edges() {
        if let Action::Assert { cond, .. } = &edge.action {
            read(cond, &mut locals);
        }
    }
    loop {
        let mut changed = false;
        for (_, edge) in procedure.edges() {
            match &edge.action {
                Action::Assign { to, value } if locals.contains(*to) => {
                    changed |= read(value, &mut locals);
                }
                Action::Load { to, from, .. } if locals.contains(*to) => {
                    regions.extend(from.region);
                }
                _ => {}
            }
        }
        if !changed {
            return regions;
        }
    }
}

/// Fig. 3, lines 9 to 24: whether an abstract violation is one with all fields, and if not, which
/// fields to track beside those tracked already. `replay` tries the execution of a path that has gaps.
pub fn refine(
    prepared: &Prepared,
    plan: &Plan<'_>,
    of: &Abstract<'_>,
    replay: &dyn Fn(&SequentialProgram, &Path) -> Option<Trace>,
    limits: &Limits,
) -> Result<Concrete, Stop> {
    let tracked = |region| plan.tracked.is_none_or(|set| set.contains(region));
    let taken = TakenPath::new(prepared, &plan.bounds, of);
    // What is only written, or read on detours, is seldom the reason.
    let followed = taken.follow(&tracked, LeftOut::Past);
    let mut near = followed.noticed.clone();
    near.extend(prepared.program.regions.keys().filter(|region| tracked(*region)));
    let few = Plan { tracked: Some(&near), ..plan.clone() };
    let optional = near.iter().filter(|region| !tracked(*region)).collect();
    let question = followed.program(prepared, &few, &optional);
    let answer = ask(&question, plan, limits)?;
    let Answer::Wrong(path) = answer else {
        return Ok(Concrete::Spurious(fields(prepared, &question, &answer)));
    };
    // What it leaves open is seldom an obstacle.
    if let Some(trace) = replay(&question, &path) {
        return Ok(Concrete::Replayed(Box::new(trace)));
    }
    let all = Plan { tracked: None, ..plan.clone() };
    let optional = prepared.program.regions.keys().filter(|region| !tracked(*region)).collect();
    let question = taken.follow(&tracked, LeftOut::Through).program(prepared, &all, &optional);
    Ok(match ask(&question, plan, limits)? {
        Answer::Wrong(path) => Concrete::Real(Box::new(question), path),
        answer => Concrete::Spurious(fields(prepared, &question, &answer)),
    })
}

/// There are no loops but those that the path's program has left out.
fn ask(question: &SequentialProgram, plan: &Plan<'_>, limits: &Limits) -> Result<Answer, Stop> {
    let options =
        sequential::Options { prove: false, cores: Some(CORES), ..plan.bounds.of_loops() };
    sequential::check(question, &options, &mut sequential::Run::new(limits.clone()))
}

/// The fields whose assumptions an answer needs.
fn fields(prepared: &Prepared, question: &SequentialProgram, answer: &Answer) -> Vec<RegionId> {
    let needs = match answer {
        Answer::Correct(proof) => &proof.needs,
        Answer::Bounded(bounded) => &bounded.needs,
        Answer::Wrong(_) => return Vec::new(),
    };
    let name = |local: &LocalId| question.body().locals[*local].name.clone();
    let names: Vec<String> = needs.iter().map(name).collect();
    let regions = prepared.program.regions.iter();
    let needed = regions.filter(|(_, region)| names.contains(&format!("#track.{}", region.name)));
    needed.map(|(id, _)| id).collect()
}

/// Which fields are tracked, as rounds go by.
#[derive(Clone, Debug)]
pub struct Fields {
    /// None means all.
    tracked: Option<BitSet<RegionId>>,
    /// Whether more may be tracked.
    refine: bool,
    /// Whether the addresses of what is not tracked count.
    addresses: bool,
}

impl Fields {
    /// All fields, always.
    pub fn all() -> Fields {
        Fields { tracked: None, refine: false, addresses: false }
    }

    pub fn starting_with(tracked: BitSet<RegionId>, refine: bool) -> Fields {
        Fields { tracked: Some(tracked), refine, addresses: false }
    }

    pub fn tracked(&self) -> Option<&BitSet<RegionId>> {
        self.tracked.as_ref()
    }

    pub fn addresses(&self) -> bool {
        self.addresses
    }

    /// Tracks more. Where there is nothing new, the refinement is stuck: it may be that an address
    /// is not one of its field, so addresses count from then on; at last everything is tracked.
    /// False if nothing may be tracked beside what is.
    pub fn add(&mut self, fields: &[RegionId]) -> bool {
        let Some(tracked) = &mut self.tracked else { return false };
        if !self.refine {
            return false;
        }
        let new = fields.iter().fold(false, |new, field| tracked.insert(*field) | new);
        if !new && self.addresses {
            self.tracked = None;
        }
        self.addresses |= !new;
        true
    }

    pub fn names(&self, program: &Program) -> Option<Vec<String>> {
        let tracked = self.tracked.as_ref()?;
        Some(tracked.iter().map(|field| program.regions[field].name.clone()).collect())
    }
}

/// Whether the name is the field's, or that of a variable that it belongs to.
pub fn names(name: &str, field: &str) -> bool {
    let rest = field.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '#', '+']))
}

/// The fields of these names: of a variable all that belong to it.
pub fn named(program: &Program, wanted: &[String]) -> Result<BitSet<RegionId>, String> {
    let mut found = BitSet::new();
    for name in wanted {
        let fields = program.regions.iter().filter(|(_, region)| names(name, &region.name));
        let fields: Vec<RegionId> = fields.map(|(id, _)| id).collect();
        if fields.is_empty() {
            return Err(format!("no field is called `{name}`"));
        }
        found.extend(fields);
    }
    Ok(found)
}
