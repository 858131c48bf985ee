//! Whole programs.

use cranelift_entity::PrimaryMap;
use serde::{Deserialize, Serialize};

use crate::spec::GhostAction;
use crate::{
    Action, Const, DataModel, EdgeId, FileId, Grain, Layout, LayoutId, Mode, ObjectId, ProcId,
    Procedure, Property, RegionId, Shape, SourceFile, Span, Specification, Type,
};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    pub name: String,
    pub model: DataModel,
    pub files: PrimaryMap<FileId, SourceFile>,
    pub layouts: PrimaryMap<LayoutId, Layout>,
    /// Static memory objects: the global variables.
    pub objects: PrimaryMap<ObjectId, Object>,
    /// Filled by region splitting; empty before.
    pub regions: PrimaryMap<RegionId, Region>,
    pub procedures: PrimaryMap<ProcId, Procedure>,
    /// The threads that exist at the start; all others are spawned.
    pub threads: Vec<Thread>,
    /// What the program's author says about it, beside the program itself.
    pub annotations: Vec<Annotation>,
    /// What its threads and procedures are said to do.
    pub spec: Specification,
    /// What the user should know about how the program was understood.
    pub notes: Vec<Note>,
    /// What was taken for granted where the program came from, and where that matters.
    pub assumed: Vec<Assumed>,
    /// The properties whose checks a front end wrote into the program: of others nothing can be
    /// found or proved. None for a program that somebody wrote as it is.
    pub checks: Option<Vec<Property>>,
}

/// Help that the author gives for a proof. It changes nothing about what the program does, and an
/// engine may use it only in ways that stay sound if it is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Annotation {
    /// A predicate for the abstraction of the engine `cover`, in C's notation over variables of the
    /// source; `\other(l)` is the local l of any other thread.
    Predicate { text: String, span: Span },
}

impl Annotation {
    /// Where it stands in the source.
    pub fn span(&self) -> Span {
        match self {
            Annotation::Predicate { span, .. } => *span,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    /// Unique in the program.
    pub name: String,
    pub layout: LayoutId,
    pub sharing: Sharing,
    /// Scalars with a value other than zero, by byte offset, in increasing order; the rest is zero.
    pub init: Vec<(u64, Const)>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sharing {
    Shared,
    /// Each thread has an instance of its own, initialised when it starts.
    PerThread,
}

/// A part of memory that no access outside it can touch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// Unique in the program.
    pub name: String,
    /// The scalar type of every access, or none where accesses of several sizes meet.
    pub ty: Option<Type>,
}

/// Threads started at the beginning, all in one procedure. A procedure with parameters gets null,
/// zero or none for each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    pub procedure: ProcId,
    pub count: Multiplicity,
    /// Whether the program ends when this thread's procedure returns, as with C's `main`. The end is
    /// a step of its own ([`Program::separate_end`]).
    pub main: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Multiplicity {
    Exactly(u32),
    Any,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Note {
    pub span: Span,
    pub text: String,
}

/// A place where something is taken for granted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Assumed {
    pub what: Assumption,
    pub span: Span,
}

/// What may be false of the program as it runs, and without which a proof says nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Assumption {
    /// An order that is not a constant is the strongest one.
    SequentialConsistency,
    /// `main` gets few arguments; the front end says how many.
    FewArguments,
    /// A client of a module passes null or one of few objects; the front end says how many.
    FewObjects,
    /// A library function does not fail.
    Succeeds(String),
    /// A function that is defined nowhere returns anything and changes only what its arguments
    /// lead to.
    Havoc(String),
    /// A function that is defined nowhere returns anything and changes nothing.
    Pure(String),
}

impl Assumption {
    /// One word for the kind, the same in text and in JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Assumption::SequentialConsistency => "sequential_consistency",
            Assumption::FewArguments => "few_arguments",
            Assumption::FewObjects => "few_objects",
            Assumption::Succeeds(_) => "succeeds",
            Assumption::Havoc(_) => "havoc",
            Assumption::Pure(_) => "pure",
        }
    }

    /// The function that it is about, if it is about one.
    pub fn function(&self) -> Option<&str> {
        match self {
            Assumption::SequentialConsistency
            | Assumption::FewArguments
            | Assumption::FewObjects => None,
            Assumption::Succeeds(name) | Assumption::Havoc(name) | Assumption::Pure(name) => {
                Some(name)
            }
        }
    }

    /// The assumption of a kind about a function.
    pub fn about(kind: &str, function: String) -> Option<Assumption> {
        match kind {
            "succeeds" => Some(Assumption::Succeeds(function)),
            "havoc" => Some(Assumption::Havoc(function)),
            "pure" => Some(Assumption::Pure(function)),
            _ => None,
        }
    }
}

impl Program {
    /// Leaves out what annotations in bodies say. Their claims then count as not supported, or,
    /// unless they matter, as nothing.
    pub fn erase_ghosts(&mut self, claims: bool) {
        let edges = self.procedures.values_mut().flat_map(|p| p.locations.values_mut());
        for edge in edges.flat_map(|location| &mut location.edges) {
            if let Action::Ghost(ghost) = &edge.action {
                edge.action = match **ghost {
                    GhostAction::Update { .. } => Action::Skip,
                    _ if !claims => Action::Skip,
                    _ => Action::Unsupported { what: ghost.what().to_owned() },
                };
            }
        }
    }

    /// The predicates among the annotations, with their places.
    pub fn predicates(&self) -> impl Iterator<Item = (&str, Span)> {
        self.annotations.iter().map(|Annotation::Predicate { text, span }| (text.as_str(), *span))
    }

    /// Whether two programs do the same for the same reasons: all but names of files, notes and
    /// annotations.
    pub fn does_the_same_as(&self, other: &Program) -> bool {
        self.nameless() == other.nameless()
    }

    fn nameless(&self) -> Program {
        let mut program = self.clone();
        program.name = String::new();
        program.notes.clear();
        program.annotations.clear();
        let files: Vec<FileId> = program.files.keys().collect();
        files.into_iter().for_each(|file| program.files[file].name = String::new());
        program
    }

    /// The places of accesses that are atomic, but weaker than sequentially consistent.
    pub fn weak_accesses(&self) -> Vec<Span> {
        let mut spans: Vec<Span> = (self.procedures.values().flat_map(Procedure::edges))
            .filter(|(_, edge)| edge.action.mode().is_some_and(Mode::is_weak))
            .map(|(_, edge)| edge.span)
            .collect();
        spans.sort_unstable();
        spans.dedup();
        spans
    }

    pub fn has_weak_accesses(&self) -> bool {
        let mut edges = self.procedures.values().flat_map(Procedure::edges);
        edges.any(|(_, edge)| edge.action.mode().is_some_and(Mode::is_weak))
    }

    pub fn procedure_named(&self, name: &str) -> Option<ProcId> {
        self.procedures.iter().find(|(_, p)| p.name == name).map(|(id, _)| id)
    }

    pub fn object_named(&self, name: &str) -> Option<ObjectId> {
        self.objects.iter().find(|(_, o)| o.name == name).map(|(id, _)| id)
    }

    /// Makes the end of the program a step of its own: what leads to the exit of a main thread's
    /// procedure becomes a `Skip` behind an interleaving point, unless it is a local action there
    /// already. Else nobody could run between main's last action and the end.
    pub fn separate_end(&mut self, main: ProcId) {
        let procedure = &mut self.procedures[main];
        let exit = procedure.exit;
        let last: Vec<EdgeId> = (procedure.edges())
            .filter(|(id, edge)| edge.target == exit && !procedure.may_end_program(*id))
            .map(|(id, _)| id)
            .collect();
        let Some(span) = last.last().map(|&id| procedure.edge(id).span) else { return };
        let between = procedure.add_location(Grain::Yield);
        procedure.add_edge(between, Action::Skip, exit, span);
        for EdgeId { from, index } in last {
            procedure.locations[from].edges[index as usize].target = between;
        }
    }

    /// The layout of one scalar, made if there is none yet.
    pub fn scalar_layout(&mut self, ty: Type) -> LayoutId {
        let wanted = Shape::Scalar(ty);
        match self.layouts.iter().find(|(_, l)| l.shape == wanted) {
            Some((id, _)) => id,
            None => {
                let size = ty.size(self.model);
                self.layouts.push(Layout { name: ty.to_string(), size, shape: wanted })
            }
        }
    }

    /// The scalar at a byte offset of a layout: its type, and the path to it (`.next`, `[3].key`).
    /// None in padding, in unions and in shapes that are not known.
    pub fn scalar_at(&self, layout: LayoutId, offset: u64) -> Option<(Type, String)> {
        let Layout { size, shape, .. } = &self.layouts[layout];
        match shape {
            _ if offset >= *size => None,
            Shape::Scalar(ty) => (offset == 0).then(|| (*ty, String::new())),
            Shape::Struct(fields) => {
                let field = fields.iter().rev().find(|f| f.offset <= offset)?;
                let (ty, rest) = self.scalar_at(field.layout, offset - field.offset)?;
                let dot = if field.name.is_empty() { "" } else { "." };
                Some((ty, format!("{dot}{}{rest}", field.name)))
            }
            Shape::Array { element, .. } => {
                let stride = self.layouts[*element].size;
                let index = offset.checked_div(stride)?;
                let (ty, rest) = self.scalar_at(*element, offset % stride)?;
                Some((ty, format!("[{index}]{rest}")))
            }
            Shape::Union(_) | Shape::Bytes => None,
        }
    }
}
