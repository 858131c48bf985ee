//! A program as a system of threads: what each thread can do, as terms.
//!
//! Engines that prove properties of all interleavings reason about single steps: the values before a
//! step and the values after it. A [`System`] has these steps as terms, built from the prepared
//! program. A template of threads is an instance (one thread) or a pool (any number of threads); all
//! threads exist from the beginning, unstarted until they are spawned. A step leads from one cut
//! location to another, along a path within which no other thread needs to be scheduled.

pub mod algebra;
mod build;
mod builder;
pub mod concretize;
mod cuts;
pub mod interpolate;
mod keep;
mod memory;
mod mixed;
mod objects;
mod place;
mod print;
mod roles;
mod settled;
mod stop;
mod sure;
#[cfg(test)]
mod tests;
mod tids;
mod walk;

use std::collections::BTreeSet;

use selvedge_exec::Stop;
use selvedge_ir::{DataModel, EdgeId, LocationId, ProcId, Property, Span, Type};
use selvedge_smt::translate::{Arithmetic, Sym, Types, Wrap};
use selvedge_smt::{Limits, Sort, Term, Terms};

pub use print::Infix;

/// How a system is built.
#[derive(Clone, Debug)]
pub struct Options {
    pub properties: Vec<Property>,
    pub arithmetic: Arithmetic,
    /// Edges whose integer operations wrap around explicitly, where the arithmetic is
    /// `Integers(Obliged)`: those of which [`Bad::Wrap`] was reached.
    pub modular: BTreeSet<(ProcId, EdgeId)>,
    /// How long building may take.
    pub limits: Limits,
}

impl Options {
    pub fn new(properties: &[Property]) -> Options {
        Options {
            properties: properties.to_vec(),
            arithmetic: Arithmetic::Integers(Wrap::Obliged),
            modular: BTreeSet::new(),
            limits: Limits::none(),
        }
    }

    fn checks(&self, property: Property) -> bool {
        self.properties.contains(&property)
    }
}

/// A program's threads and what they share. The program's end is no state: a step that ends it has
/// nothing behind it and is left out.
#[derive(Clone, Debug)]
pub struct System {
    pub terms: Terms,
    pub arithmetic: Arithmetic,
    pub model: DataModel,
    pub shared: Vec<Variable>,
    /// Instances first. The number of the instance at position i is i + 1, and a thread of a pool
    /// has a number that is greater than that of any instance.
    pub templates: Vec<Template>,
    /// Over the shared variables: the initial content.
    pub initial: Term,
    /// Over the shared variables: ranges of machine words, true in every state.
    pub ranges: Term,
    /// Memory whose content is not always known: the system then has executions that the program does
    /// not have.
    pub guessed: Option<String>,
}

impl System {
    /// How values are represented.
    pub fn types(&self) -> Types {
        Types { arithmetic: self.arithmetic, model: self.model }
    }

    /// Why an execution of the system is not one of the program.
    pub fn unconfirmed(&self, what: String) -> Stop {
        match &self.guessed {
            Some(memory) => {
                let what = format!("the content of {memory}, which is written at another type");
                Stop::Unsupported { what, span: Span::NONE }
            }
            None => Stop::Unconfirmed { what },
        }
    }

    pub fn numbered(&self) -> impl Iterator<Item = (TemplateId, &Template)> {
        self.templates.iter().enumerate().map(|(i, template)| (TemplateId(i as u32), template))
    }
}

/// The condition that two accesses, each an address and a number of bytes, overlap.
pub fn overlap(terms: &mut Terms, own: (&[Term], u64), other: (&[Term], u64)) -> Term {
    let (&[object, offset], &[its_object, its_offset]) = (own.0, other.0) else {
        return terms.bool(true);
    };
    let same = terms.eq(object, its_object);
    if terms.sort(offset) != Sort::Int {
        // An over-approximation: it is only asked whether accesses may overlap.
        return same;
    }
    let (mine, theirs) = (terms.int(own.1), terms.int(other.1));
    let (end, its_end) = (terms.add(&[offset, mine]), terms.add(&[its_offset, theirs]));
    let (before, after) = (terms.lt(offset, its_end), terms.lt(its_offset, end));
    terms.and(&[same, before, after])
}

/// A state variable, shared or of a thread.
#[derive(Clone, Debug)]
pub struct Variable {
    /// For people, unique in the system.
    pub name: String,
    /// The variable as a term: its value before a step.
    pub term: Term,
    pub what: What,
}

/// What a variable stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A scalar (or one half of a pointer) in memory: the region's name and the place in it.
    Cell {
        region: selvedge_ir::RegionId,
        ty: Type,
    },
    /// A region as an array from addresses to scalars.
    Array {
        region: selvedge_ir::RegionId,
    },
    /// Whether an object that may be freed is alive; of all that are allocated by number: which
    /// have been freed.
    Alive,
    /// Whether a scalar of the region has been written.
    Written {
        region: selvedge_ir::RegionId,
    },
    /// Whether an instance has ended, and what it returned.
    Done(TemplateId),
    Result(TemplateId),
    /// Who is inside an atomic block that has cut locations.
    Token,
    /// The number of the next object allocated.
    Objects,
    /// A local of the procedure.
    Local {
        local: selvedge_ir::LocalId,
        ty: Type,
    },
    /// The thread's own number (of a thread of a pool).
    Tid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TemplateId(pub u32);

/// A thread, or a pool of identical threads.
#[derive(Clone, Debug)]
pub struct Template {
    /// For people: `main`, `worker`, `worker#2`.
    pub name: String,
    pub procedure: ProcId,
    /// Whether there is any number of them.
    pub pool: bool,
    /// Whether its threads (of a pool: any number of them) run from the beginning.
    pub initial: bool,
    /// The values that locals have then, at the entry.
    pub begin: Vec<(u32, Term)>,
    /// The thread's number: a constant for an instance, a variable for a thread of a pool.
    pub tid: Term,
    pub locals: Vec<Variable>,
    /// Over the locals: ranges of machine words, and of the tid.
    pub ranges: Term,
    pub locations: Vec<Location>,
    pub entry: At,
    pub steps: Vec<Step>,
    pub accesses: Vec<Access>,
}

/// Where a thread stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum At {
    Unstarted,
    /// A position in [`Template::locations`].
    Cut(u32),
    Ended,
}

#[derive(Clone, Debug)]
pub struct Location {
    pub location: LocationId,
    /// Nobody else moves while a thread stands here.
    pub atomic: bool,
    /// Positions in [`Template::locals`] of what matters from here on.
    pub live: Vec<u32>,
    pub span: Span,
}

/// What a thread does between two cut locations.
#[derive(Clone, Debug)]
pub struct Step {
    pub from: At,
    pub end: End,
    /// Over shared variables, the thread's locals and the inputs.
    pub guard: Term,
    /// Any values, as far as the guard allows.
    pub inputs: Vec<Input>,
    /// New values, by position; all other variables keep theirs.
    pub shared: Vec<(u32, Term)>,
    pub locals: Vec<(u32, Term)>,
    pub spawns: Vec<Spawn>,
    pub joins: Vec<Join>,
    /// What the thread returns, where it ends.
    pub result: Option<Sym>,
    /// The edges of the prepared program.
    pub edges: Vec<EdgeId>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    To(At),
    Bad(Bad),
}

/// Why a step is bad: a safe program has no reachable bad step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bad {
    Wrong {
        property: Property,
        message: String,
        span: Span,
    },
    Undefined {
        what: String,
        span: Span,
    },
    Unsupported {
        what: String,
        span: Span,
    },
    /// The operation wraps around, so its term over integers without bounds is wrong from here on.
    Wrap {
        edge: EdgeId,
        span: Span,
    },
}

/// A value from outside: of an input, an undefined read, or a new thread's number.
#[derive(Clone, Debug)]
pub struct Input {
    pub term: Sym,
    pub ty: Type,
    /// The edge that takes it, as a position in [`Step::edges`].
    pub edge: u32,
}

/// A thread that a step starts: its parameters, by position in its locals.
#[derive(Clone, Debug)]
pub struct Spawn {
    pub template: TemplateId,
    /// The new thread's number.
    pub tid: Term,
    pub args: Vec<(u32, Term)>,
    /// The edge that starts it, as a position in [`Step::edges`].
    pub edge: u32,
}

/// A thread of a pool that a step waits for. The guard does not say that the thread has ended, nor
/// what it returned: a reader that ignores joins over-approximates the step.
#[derive(Clone, Debug)]
pub struct Join {
    /// The condition that the thread is one of a pool.
    pub when: Term,
    pub thread: Term,
    /// The input that stands for what it returned.
    pub result: Option<Sym>,
}

/// An access that a thread at a location may do next: by its next action, or in the atomic block that
/// it may enter next. A race is a state in which two threads may do overlapping ones, one of them to
/// write, one of them not atomic. Only accesses that may race are listed, and only if races are
/// checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    pub at: At,
    /// When it can happen. Other variables than shared ones and the thread's locals are inputs of
    /// the action.
    pub guard: Term,
    pub region: selvedge_ir::RegionId,
    /// The address, as terms over locals and shared variables.
    pub address: Sym,
    pub bytes: u64,
    pub write: bool,
    pub atomic: bool,
    pub span: Span,
}
