//! The abstract program: every thread that has an abstract thread is replaced by it, the others stay
//! as they are.
//!
//! Memory outside of the vocabulary has no meaning in abstract threads. What the threads that stay
//! read from memory that a replaced thread may write is therefore any value; where that cannot be
//! said of a value (pointers, threads), the program is refused.

use selvedge_ir::{Action, Callee, Edge, EdgeId, Grain, ProcId, Procedure, Program, Span, Type};
use selvedge_passes::callgraph::CallGraph;
use selvedge_passes::inline::drop_unreferenced;
use selvedge_passes::liveness::LiveLocals;
use selvedge_passes::pointsto::{Extent, Origin};

use crate::machine;
use crate::memory::{Leads, overlap};
use crate::refused::Refused;
use crate::subject::Subject;

impl Subject {
    /// The composition of abstract threads and of the threads that have none.
    pub fn compose(&self) -> Result<Program, Refused> {
        let mut program = self.program.clone();
        let mut replaced: Vec<(ProcId, ProcId)> = Vec::new();
        let joins = joins(&program);
        for (thread, procedure) in self.threads.iter().zip(&self.procedures) {
            let Some(concrete) = *procedure else { continue };
            if let Some(span) = self.started_by(concrete) {
                let what = "a thread that has an abstract thread starts another, which would be \
                            missing in the abstract program";
                return Err(Refused::unsupported(what, span));
            }
            let name = unused_name(&program, &thread.name);
            let source = &self.program.procedures[concrete];
            let body = machine::procedure(thread, &self.vocabulary, source, name, joins)?;
            replaced.push((concrete, program.procedures.push(body)));
        }
        start_instead(&mut program, &replaced);
        self.forget(&mut program, &replaced)?;
        drop_unreferenced(&mut program);
        Ok(program)
    }

    /// Makes the threads that stay forget what replaced threads may have written.
    fn forget(&self, program: &mut Program, replaced: &[(ProcId, ProcId)]) -> Result<(), Refused> {
        let written: Vec<Extent> =
            replaced.iter().flat_map(|(concrete, _)| self.written_outside(*concrete)).collect();
        let graph = CallGraph::of(program);
        let kept = graph.reachable(program.threads.iter().map(|thread| thread.procedure));
        let stays = |id: &ProcId| replaced.iter().all(|(_, machine)| machine != id);
        let kept: Vec<ProcId> = kept.iter().filter(stays).collect();
        let results = replaced.iter().any(|(concrete, _)| {
            let source = &self.program.procedures[*concrete];
            source.result.is_some_and(|result| is_opaque(source.locals[result].ty))
        });
        for id in kept {
            if results {
                refuse_results(&program.procedures[id])?;
            }
            self.forget_in(&mut program.procedures[id], id, &written)?;
        }
        Ok(())
    }

    /// Memory that the threads of a procedure may write, but for the vocabulary.
    fn written_outside(&self, procedure: ProcId) -> Vec<Extent> {
        let mut written = Vec::new();
        for id in self.calls_of(procedure) {
            for (at, edge) in self.program.procedures[id].edges() {
                let place = match &edge.action {
                    Action::Store { to, .. } => to,
                    Action::Lock { lock } | Action::Unlock { lock } => lock,
                    _ => continue,
                };
                let vocabulary = matches!(self.leads(id, at, place), Leads::Cell(_));
                if let Some(cell) = self.pointers.access(id, at).filter(|_| !vocabulary) {
                    written.extend(self.pointers.extents(cell));
                }
            }
        }
        written
    }

    fn forget_in(
        &self,
        procedure: &mut Procedure,
        id: ProcId,
        written: &[Extent],
    ) -> Result<(), Refused> {
        let edges: Vec<(EdgeId, Edge)> =
            procedure.edges().map(|(at, edge)| (at, edge.clone())).collect();
        for (at, edge) in edges {
            let Some(variable) = self.shared_with(id, at, &edge.action, written) else { continue };
            match &edge.action {
                Action::Load { from, .. } if is_opaque(from.ty) => {
                    return Err(Refused::unsupported(reads(&variable), edge.span));
                }
                Action::Load { to, .. } => {
                    let between = procedure.add_location(Grain::Atomic);
                    let havoc = Action::Havoc { to: *to };
                    procedure.add_edge(between, havoc, edge.target, edge.span);
                    procedure.locations[at.from].edges[at.index as usize].target = between;
                }
                Action::Lock { .. } | Action::Unlock { .. } => {
                    if !self.is_only_lock(id, at) {
                        return Err(Refused::unsupported(reads(&variable), edge.span));
                    }
                    // It may be free whenever it is wanted.
                    procedure.locations[at.from].edges[at.index as usize].action = Action::Skip;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The variable that the action reads and a replaced thread writes, if there is one.
    fn shared_with(
        &self,
        id: ProcId,
        at: EdgeId,
        action: &Action,
        written: &[Extent],
    ) -> Option<String> {
        let reads =
            matches!(action, Action::Load { .. } | Action::Lock { .. } | Action::Unlock { .. });
        if !reads || written.is_empty() {
            return None;
        }
        let Some(cell) = self.pointers.access(id, at) else { return Some("memory".to_owned()) };
        let extents = self.pointers.extents(cell);
        let shared = |extent: &&Extent| written.iter().any(|other| overlap(extent, other));
        extents.iter().find(shared).map(|extent| match extent.origin {
            Origin::Object(object) => format!("`{}`", self.program.objects[object].name),
            Origin::Alloc(..) => "an object on the heap".to_owned(),
        })
    }
}

fn reads(variable: &str) -> String {
    format!(
        "{variable} is read here, and written by threads that an abstract thread stands for, which \
         does not speak of it"
    )
}

/// Whether a thread waits for the end of another.
fn joins(program: &Program) -> bool {
    let mut edges = program.procedures.values().flat_map(|procedure| procedure.edges());
    edges.any(|(_, edge)| matches!(edge.action, Action::Join { .. }))
}

/// Types of which no value can be said to be any.
fn is_opaque(ty: Type) -> bool {
    matches!(ty, Type::Ptr | Type::Thread)
}

/// What a replaced thread returns is not known.
fn refuse_results(procedure: &Procedure) -> Result<(), Refused> {
    let live = LiveLocals::of(procedure);
    let used = |edge: &Edge| match edge.action {
        Action::Join { to: Some(to), .. } => {
            is_opaque(procedure.locals[to].ty) && live.contains(edge.target, to)
        }
        _ => false,
    };
    let found: Option<Span> =
        procedure.edges().find(|(_, edge)| used(edge)).map(|(_, edge)| edge.span);
    match found {
        None => Ok(()),
        Some(span) => {
            let what = "the pointer that a thread returns, where the thread may be one that an \
                        abstract thread stands for";
            Err(Refused::unsupported(what, span))
        }
    }
}

/// Starts the second procedure of a pair wherever the first was started.
fn start_instead(program: &mut Program, replaced: &[(ProcId, ProcId)]) {
    let instead = |id: ProcId| {
        let pair = replaced.iter().find(|(concrete, _)| *concrete == id);
        pair.map(|(_, machine)| *machine)
    };
    for thread in &mut program.threads {
        if let Some(machine) = instead(thread.procedure) {
            thread.procedure = machine;
            // An abstract thread need not come to its end, and the others then go on.
            thread.main = false;
        }
    }
    for procedure in program.procedures.values_mut() {
        for location in procedure.locations.values_mut() {
            for edge in &mut location.edges {
                if let Action::Spawn { entry: Callee::Direct(entry), .. } = &mut edge.action
                    && let Some(machine) = instead(*entry)
                {
                    *entry = machine;
                }
            }
        }
    }
}

fn unused_name(program: &Program, name: &str) -> String {
    let mut free = name.to_owned();
    while program.procedure_named(&free).is_some() {
        free.push('\'');
    }
    free
}
