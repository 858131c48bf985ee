//! Thread templates: for each procedure that threads start in, where they are spawned and how many
//! there can be at most.
//!
//! The number of runs of a procedure is the number of threads that start in it plus the number of
//! its calls; a site is passed once in a run, unless it lies on a cycle of the control flow: then
//! as often as the loop's trip count allows (`trips.rs`), or any number of times. Recursion
//! gives any number. All numbers are upper bounds: conditions are taken to hold.

use std::fmt::Write;

use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use selvedge_ir::{Action, Callee, EdgeId, LocationId, Multiplicity, ProcId, Procedure, Program};

use crate::bits::BitSet;
use crate::callgraph::address_taken;
use crate::graph;
use crate::limits::{Limits, Unprepared, without_limits};
use crate::trips::trip_count;

/// The threads that start in one procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pub procedure: ProcId,
    /// How many threads can ever start here, at most.
    pub count: Multiplicity,
    /// Where they are spawned (procedure and edge); empty if all exist from the start.
    pub sites: Vec<(ProcId, EdgeId)>,
    /// Whether one of the program's initial threads starts here.
    pub initial: bool,
    /// Whether the program ends when such a thread returns.
    pub main: bool,
}

impl Template {
    /// Several identical threads: exchanging two of them gives an equivalent state.
    pub fn symmetric(&self) -> bool {
        self.count != Multiplicity::Exactly(1)
    }
}

/// All templates, initial ones first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Templates {
    pub list: Vec<Template>,
}

impl Templates {
    pub fn of(program: &Program) -> Templates {
        without_limits(|limits| Templates::within(program, limits))
    }

    /// Likewise, within a budget.
    pub fn within(program: &Program, limits: &Limits) -> Result<Templates, Unprepared> {
        let sites = Sites::of(program, limits)?;
        let runs = runs(program, &sites);
        let mut list: Vec<Template> = Vec::new();
        for thread in &program.threads {
            if list.iter().all(|t| t.procedure != thread.procedure) {
                list.push(template(program, thread.procedure, &sites, &runs));
            }
        }
        for site in sites.list.iter().filter(|site| site.spawn) {
            if list.iter().all(|t| t.procedure != site.target)
                && runs[site.at.0] != Multiplicity::Exactly(0)
            {
                limits.spend(sites.list.len())?;
                list.push(template(program, site.target, &sites, &runs));
            }
        }
        Ok(Templates { list })
    }

    pub fn by_procedure(&self, procedure: ProcId) -> Option<&Template> {
        self.list.iter().find(|template| template.procedure == procedure)
    }

    pub fn position(&self, procedure: ProcId) -> Option<usize> {
        self.list.iter().position(|template| template.procedure == procedure)
    }
}

/// A place where a procedure is called or a thread started in it.
struct Site {
    at: (ProcId, EdgeId),
    target: ProcId,
    spawn: bool,
    /// How often the site is passed in one run of its procedure.
    passes: Multiplicity,
}

struct Sites {
    list: Vec<Site>,
}

impl Sites {
    fn of(program: &Program, limits: &Limits) -> Result<Sites, Unprepared> {
        let taken = address_taken(program);
        let mut list = Vec::new();
        for (id, procedure) in &program.procedures {
            limits.spend_on(procedure)?;
            let cycles = Cycles::of(procedure);
            for (at, edge) in procedure.edges() {
                let (callee, spawn) = match &edge.action {
                    Action::Call { callee, .. } => (callee, false),
                    Action::Spawn { entry, .. } => (entry, true),
                    _ => continue,
                };
                let targets: Vec<ProcId> = match callee {
                    Callee::Direct(target) => vec![*target],
                    Callee::Indirect(_) => taken.iter().collect(),
                };
                let passes = cycles.passes(procedure, at, limits)?;
                limits.spend(targets.len())?;
                for target in targets {
                    list.push(Site { at: (id, at), target, spawn, passes });
                }
            }
        }
        Ok(Sites { list })
    }
}

/// The cycles of a procedure's control flow.
pub struct Cycles {
    component: SecondaryMap<LocationId, u32>,
    members: Vec<Vec<u32>>,
}

impl Cycles {
    pub fn of(procedure: &Procedure) -> Cycles {
        let members = graph::components(&graph::control_flow(procedure));
        let mut component = SecondaryMap::new();
        for (number, found) in members.iter().enumerate() {
            for &location in found {
                component[LocationId::from_u32(location)] = number as u32;
            }
        }
        Cycles { component, members }
    }

    /// Whether the edge lies on a cycle.
    pub fn contains(&self, procedure: &Procedure, at: EdgeId) -> bool {
        let edge = procedure.edge(at);
        graph::arrives(edge) && self.component[at.from] == self.component[edge.target]
    }

    /// How often the edge is passed in one run of the procedure.
    fn passes(
        &self,
        procedure: &Procedure,
        at: EdgeId,
        limits: &Limits,
    ) -> Result<Multiplicity, Unprepared> {
        if !self.contains(procedure, at) {
            return Ok(Multiplicity::Exactly(1));
        }
        let members = &self.members[self.component[at.from] as usize];
        let members: BitSet<LocationId> =
            members.iter().map(|&location| LocationId::from_u32(location)).collect();
        let trips = trip_count(procedure, &members, at, limits)?;
        Ok(trips.map_or(Multiplicity::Any, Multiplicity::Exactly))
    }
}

fn template(
    program: &Program,
    procedure: ProcId,
    sites: &Sites,
    runs: &PrimaryMap<ProcId, Multiplicity>,
) -> Template {
    let mut count = Multiplicity::Exactly(0);
    for thread in program.threads.iter().filter(|t| t.procedure == procedure) {
        count = plus(count, thread.count);
    }
    let mut spawned = Vec::new();
    for site in sites.list.iter().filter(|site| site.spawn && site.target == procedure) {
        spawned.push(site.at);
        count = plus(count, times(runs[site.at.0], site.passes));
    }
    let initial = program.threads.iter().any(|t| t.procedure == procedure);
    let main = program.threads.iter().any(|t| t.procedure == procedure && t.main);
    Template { procedure, count, sites: spawned, initial, main }
}

/// How often each procedure can run: as a thread or as a call.
fn runs(program: &Program, sites: &Sites) -> PrimaryMap<ProcId, Multiplicity> {
    let mut runs: PrimaryMap<ProcId, Multiplicity> =
        program.procedures.keys().map(|_| Multiplicity::Exactly(0)).collect();
    for thread in &program.threads {
        runs[thread.procedure] = plus(runs[thread.procedure], thread.count);
    }
    let mut successors: Vec<Vec<u32>> = vec![Vec::new(); program.procedures.len()];
    let mut by_source: PrimaryMap<ProcId, Vec<usize>> =
        program.procedures.keys().map(|_| Vec::new()).collect();
    for (index, site) in sites.list.iter().enumerate() {
        successors[site.at.0.index()].push(site.target.as_u32());
        by_source[site.at.0].push(index);
    }
    // Callers first.
    for component in graph::components(&successors).iter().rev() {
        let members: Vec<ProcId> = component.iter().map(|&p| ProcId::new(p as usize)).collect();
        let reached = members.iter().any(|&p| runs[p] != Multiplicity::Exactly(0));
        if reached && graph::is_cyclic(component, &successors) {
            for &member in &members {
                runs[member] = Multiplicity::Any;
            }
        }
        for &member in &members {
            for &index in &by_source[member] {
                let site = &sites.list[index];
                runs[site.target] = plus(runs[site.target], times(runs[member], site.passes));
            }
        }
    }
    runs
}

fn plus(a: Multiplicity, b: Multiplicity) -> Multiplicity {
    match (a, b) {
        (Multiplicity::Exactly(a), Multiplicity::Exactly(b)) => {
            a.checked_add(b).map_or(Multiplicity::Any, Multiplicity::Exactly)
        }
        _ => Multiplicity::Any,
    }
}

fn times(a: Multiplicity, b: Multiplicity) -> Multiplicity {
    match (a, b) {
        (Multiplicity::Exactly(0), _) | (_, Multiplicity::Exactly(0)) => Multiplicity::Exactly(0),
        (Multiplicity::Exactly(a), Multiplicity::Exactly(b)) => {
            a.checked_mul(b).map_or(Multiplicity::Any, Multiplicity::Exactly)
        }
        _ => Multiplicity::Any,
    }
}

/// A listing of the templates.
pub fn listing(program: &Program, templates: &Templates) -> String {
    let mut out = String::new();
    for template in &templates.list {
        let count = match template.count {
            Multiplicity::Exactly(n) => format!("at most {n}"),
            Multiplicity::Any => "any number".to_owned(),
        };
        let name = &program.procedures[template.procedure].name;
        let _ = write!(out, "thread {name}: {count}");
        for (holds, what) in [
            (template.initial, "initial"),
            (template.main, "main"),
            (template.symmetric(), "symmetric"),
        ] {
            if holds {
                let _ = write!(out, ", {what}");
            }
        }
        out.push('\n');
        for (procedure, at) in &template.sites {
            let source = &program.procedures[*procedure];
            let span = source.edge(*at).span;
            let _ =
                writeln!(out, "  spawned in {} at {} (line {})", source.name, at.from, span.line);
        }
    }
    out
}
