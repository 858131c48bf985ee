//! The state of one compilation, shared by all parts of the lowering.

mod effects;
mod extent;
mod specified;
mod symbols;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use selvedge_c_syntax::ast::{self, Span};
use selvedge_c_syntax::{Diagnostic, SourceMap};
use selvedge_ir::{
    Action, Expr, FileId, GhostId, LayoutId, LocalId, Note, ObjectId, ProcId, Procedure, Program,
    SourceFile,
};

use crate::Options;
use crate::body::{Body, Loc};
use crate::initializer::Init;
use crate::types::{EnumId, FnType, RecordId, Ty, TypeId, Types};
use crate::value::Value;

pub(crate) use effects::{Effects, Root, Spot, Spots, Step};
pub(crate) use extent::{BlockObject, Extent, ExtentId, Leap, Target};
pub(crate) use specified::{Formulating, Polarities, Protecting};
pub(crate) use symbols::{Alias, Extra, Strange, Symbols};

pub(crate) struct Lowering<'a> {
    pub options: &'a Options,
    /// Both sides of `&&` and `||` are evaluated.
    pub eager: bool,
    pub sources: &'a SourceMap,
    pub types: Types,
    pub units: Vec<Unit<'a>>,
    pub globals: Vec<Global<'a>>,
    /// Names with external linkage among the user's units.
    pub externs: HashMap<Rc<str>, GlobalId>,
    /// Names with external linkage among the library models.
    pub library: HashMap<Rc<str>, GlobalId>,
    /// Typedefs that the models define, with their units; they replace the user's.
    pub model_types: HashMap<Rc<str>, (Ty, usize)>,
    /// Members of library types whose value the program may choose.
    pub chosen: Vec<Chosen>,
    /// Functions that the user's units define.
    pub defined_by_user: HashSet<Rc<str>>,
    /// Library functions that the user's units mention, for `__selvedge_uses`.
    pub mentioned: HashSet<Rc<str>>,
    /// What is said of globals besides their declarations.
    pub extras: HashMap<GlobalId, Extra>,
    /// What the declaration at hand says and nobody understands.
    pub strange: Vec<Strange>,
    /// Typedefs of which something strange is said.
    pub strange_typedefs: HashMap<Rc<str>, Strange>,
    pub program: Program,
    pub diagnostics: Vec<Diagnostic>,
    told: HashSet<(Option<Span>, String)>,
    files: HashMap<String, FileId>,
    spans: HashMap<(u32, u32), selvedge_ir::Span>,
    pub layouts: HashMap<TypeId, LayoutId>,
    pub layout_names: HashMap<String, u32>,
    pub strings: HashMap<(Vec<u32>, TypeId, Option<Span>), ObjectId>,
    /// Facts about the program that lowering found out, for the next time (see `link`).
    pub learned: Option<&'static str>,
    /// Where a thread may unlock what it does not hold.
    pub unheld: HashSet<selvedge_ir::Span>,
    pub procedure_of: HashMap<GlobalId, ProcId>,
    /// What each reserved procedure stands for, by its number.
    pub procedures: Vec<Planned>,
    pub objects: Vec<PlannedObject>,
    pub object_of: HashMap<GlobalId, ObjectId>,
    pub noted: HashSet<Rc<str>>,
    /// What the program starts with, besides the initial values of its objects.
    pub startup: Vec<Startup>,
    /// Procedures with the actions of their annotations, where they have any.
    pub annotated: HashMap<ProcId, Procedure>,
    pub unwinding: Unwinding,
    pub fixed: Fixed,
    /// Names whose address is taken somewhere.
    pub exposed: HashSet<Rc<str>>,
    /// Functions whose results are used somewhere.
    pub valued: HashSet<Rc<str>>,
    /// What functions do, as far as it is known already.
    pub summaries: HashMap<GlobalId, Effects>,
    /// Objects that a lowered procedure mentions.
    pub reached: HashSet<ObjectId>,
    /// The formula of a specification that is being lowered.
    pub formulating: Option<Formulating>,
    /// Names of specification variables.
    pub ghosts: HashSet<Rc<str>>,
    /// Likewise, where specifications are passed over.
    pub specified: HashSet<Rc<str>>,
    /// Inside an update of specification variables.
    pub in_ghost: bool,
    /// Specification variables that are no variables of C.
    pub ghost_variables: Vec<GhostVariable>,
    /// Members of which a specification says when they may be written.
    pub protecting: Vec<Protecting<'a>>,
    pub body: Body,
    pub frame: Frame<'a>,
}

/// A specification variable, as C sees it.
#[derive(Clone, Debug)]
pub(crate) struct GhostVariable {
    pub id: GhostId,
    pub name: Rc<str>,
    pub ty: Ty,
    /// The structure that it is a member of.
    pub record: Option<RecordId>,
}

/// What is known about the ends of threads.
#[derive(Debug, Default)]
pub(crate) struct Unwinding {
    /// Functions that may end the thread, by themselves or by those that they call.
    pub ending: HashSet<Rc<str>>,
    /// Functions of the user that are called.
    pub called: HashSet<Rc<str>>,
    /// Of each thread: whether it is ending, and with which value.
    pub note: Option<(ObjectId, ObjectId)>,
}

/// What must not be written, as the lowering knows it.
#[derive(Debug, Default)]
pub(crate) struct Fixed {
    /// Objects, with what they are called.
    pub objects: HashMap<ObjectId, &'static str>,
    /// Where `const` locals are allocated.
    pub allocated: HashSet<selvedge_ir::Span>,
    /// Where they get their initial values.
    pub initialised: HashSet<selvedge_ir::Span>,
    /// String literals, where equal ones are objects of their own: their characters and the type of
    /// these.
    pub literals: HashMap<ObjectId, (Vec<u32>, TypeId)>,
}

/// Values of parts that were evaluated ahead, by the parts' addresses in the syntax tree.
pub(crate) type Ready = HashMap<*const ast::Expr, Value>;

/// Who chooses the value of a member of a library type.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    pub function: Rc<str>,
    /// Whoever mentions one of these counts as one who uses the function.
    pub constants: Vec<Rc<str>>,
}

/// A procedure that is called or has its address taken.
#[derive(Clone, Debug)]
pub(crate) enum Planned {
    Function(GlobalId),
    /// A function wrapped in another signature, for use as a thread's entry.
    Adapter {
        function: ProcId,
        signature: Rc<FnType>,
        of: GlobalId,
    },
    /// Gives a variable that is defined nowhere any content.
    Unknown(GlobalId),
    /// A client of these functions.
    Client(Rc<[GlobalId]>),
    /// Starts clients.
    Starter(ProcId),
}

/// A static object: where its initial value comes from.
#[derive(Clone, Debug)]
pub(crate) struct PlannedObject {
    pub global: Option<GlobalId>,
    pub initialised: bool,
}

/// An initial value that is not a constant of Plato: an action before `main`, if the object is used.
#[derive(Clone, Debug)]
pub(crate) struct Startup {
    pub object: ObjectId,
    pub action: Action,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct GlobalId(pub u32);

/// A translation unit and its file scope.
#[derive(Debug)]
pub(crate) struct Unit<'a> {
    pub ast: &'a ast::TranslationUnit,
    pub scope: Scope,
    pub model: bool,
    pub symbols: Symbols,
}

/// A function or a variable with static storage.
#[derive(Clone, Debug)]
pub(crate) struct Global<'a> {
    pub name: Rc<str>,
    pub ty: Ty,
    pub unit: usize,
    pub span: Span,
    pub external: bool,
    pub thread_local: bool,
    pub definition: Definition<'a>,
    /// The function that a static local belongs to.
    pub owner: Option<Rc<str>>,
    /// The scopes in which a static local's initialiser is to be understood.
    pub scopes: Vec<Scope>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Definition<'a> {
    /// Only declared.
    None,
    /// `int x;`: zero, unless another declaration initialises.
    Tentative,
    Variable(Init<'a>),
    Function(&'a ast::FunctionDef),
}

/// The names of one block, or of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub names: HashMap<Rc<str>, Entity>,
    pub tags: HashMap<Rc<str>, Tag>,
    /// Labels of the block (`__label__`).
    pub labels: HashMap<Rc<str>, Loc>,
    /// Extents that end with the block: first its own, then those of declarations.
    pub extents: Vec<ExtentId>,
}

#[derive(Clone, Debug)]
pub(crate) enum Entity {
    Typedef(Ty),
    Enumerator(i128, Ty),
    Global(GlobalId),
    Variable(Ty, Slot),
}

/// Where a local lives.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    Local(LocalId),
    /// At this address.
    Memory(Expr),
    /// A parameter of an inlined library model, which nobody assigns.
    Value(Expr),
    /// A parameter of `main` of which nothing is known: using it is not supported.
    Unknown(LocalId),
    /// A specification variable of the object at this address.
    Ghost(GhostId, Expr),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Tag {
    Record(RecordId, Ty),
    Enum(EnumId, Ty),
}

/// The function being lowered (or the library model being inlined into it).
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    pub unit: usize,
    pub name: Rc<str>,
    pub scopes: Vec<Scope>,
    pub returns: Returns,
    pub labels: HashMap<Rc<str>, Loc>,
    /// Where each label is used first, until it is defined.
    pub open_labels: HashMap<Loc, (Rc<str>, Span)>,
    pub extents: Vec<Extent>,
    /// The extents around each label that is defined.
    pub label_paths: HashMap<Loc, Vec<ExtentId>>,
    /// Jumps, resolved when all labels and extents are known.
    pub leaps: Vec<Leap>,
    /// The order of the parts of this expression has been settled.
    pub ordered: bool,
    pub ready: Ready,
    /// Accesses whose places are remembered, by the addresses of the expressions.
    pub watched: HashMap<*const ast::Expr, LocalId>,
    /// In a model: a variable of the caller waits for its `cleanup`.
    pub guarded: bool,
    /// Objects that end with the expression that makes them, by the locals with their addresses.
    pub temporaries: Vec<LocalId>,
    /// Labels whose address is taken, in order: `&&label` is the number of the label plus one.
    pub label_addresses: Vec<Rc<str>>,
    pub jumps: Vec<Jump>,
    /// Names that have their address taken somewhere in the function.
    pub addressed: HashSet<Rc<str>>,
    /// Whether a statement of the function may run more than once for one call.
    pub repeats: bool,
    /// Set while a constant is wanted: nothing may be emitted.
    pub constant: bool,
    /// The first thing that kept the expression from being constant.
    pub not_constant: Option<Span>,
    /// The place of the call into an inlined model, which stands for all its places.
    pub site: Option<selvedge_ir::Span>,
    /// The type that memory allocated here will have.
    pub element: Option<Ty>,
    /// The call whose result nobody looks at.
    pub discarded: Option<Span>,
    /// Where the function's variable arguments are, if it has any.
    pub variadic: Option<Expr>,
    /// The same for a model that is about to be inlined.
    pub passed: Option<Expr>,
    /// Names of models being inlined, against recursion.
    pub inlined: Vec<GlobalId>,
    pub marker: std::marker::PhantomData<&'a ()>,
}

#[derive(Clone, Debug)]
pub(crate) struct Returns {
    pub ty: Ty,
    pub target: Loc,
    pub result: Option<LocalId>,
    /// Where an aggregate result is written to.
    pub memory: Option<Expr>,
}

/// What `break`, `continue`, `case` and `default` refer to.
#[derive(Debug)]
pub(crate) struct Jump {
    pub on_break: Loc,
    pub on_continue: Option<Loc>,
    /// The number of scopes around the statement.
    pub depth: usize,
    pub switch: Option<Switch>,
}

#[derive(Debug, Default)]
pub(crate) struct Switch {
    pub ty: Option<Ty>,
    pub cases: Vec<Case>,
    pub default: Option<(Loc, Vec<ExtentId>)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub low: i128,
    pub high: i128,
    pub target: Loc,
    /// The extents around it.
    pub path: Vec<ExtentId>,
    pub span: Span,
}

impl<'a> Lowering<'a> {
    pub fn new(options: &'a Options, sources: &'a SourceMap, name: String) -> Lowering<'a> {
        let mut types = Types::new(options.model);
        let void = types.void();
        Lowering {
            eager: false,
            options,
            sources,
            types,
            units: Vec::new(),
            globals: Vec::new(),
            externs: HashMap::new(),
            library: HashMap::new(),
            model_types: HashMap::new(),
            chosen: Vec::new(),
            defined_by_user: HashSet::new(),
            mentioned: HashSet::new(),
            extras: HashMap::new(),
            strange: Vec::new(),
            strange_typedefs: HashMap::new(),
            program: Program {
                name,
                model: options.model,
                checks: Some(options.properties.clone()),
                ..Program::default()
            },
            diagnostics: Vec::new(),
            told: HashSet::new(),
            files: HashMap::new(),
            spans: HashMap::new(),
            layouts: HashMap::new(),
            layout_names: HashMap::new(),
            strings: HashMap::new(),
            learned: None,
            unheld: HashSet::new(),
            procedure_of: HashMap::new(),
            procedures: Vec::new(),
            objects: Vec::new(),
            object_of: HashMap::new(),
            noted: HashSet::new(),
            startup: Vec::new(),
            annotated: HashMap::new(),
            unwinding: Unwinding::default(),
            fixed: Fixed::default(),
            exposed: HashSet::new(),
            valued: HashSet::new(),
            summaries: HashMap::new(),
            reached: HashSet::new(),
            formulating: None,
            ghosts: HashSet::new(),
            specified: HashSet::new(),
            in_ghost: false,
            ghost_variables: Vec::new(),
            protecting: Vec::new(),
            body: Body::new(options.model),
            frame: Frame::new(0, "".into(), void),
        }
    }

    /// Takes up a diagnostic, unless the same was said at the same place before.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        if self.told.insert((diagnostic.span, diagnostic.message.clone())) {
            self.diagnostics.push(diagnostic);
        }
    }

    pub fn error(&mut self, id: &'static str, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(id, message).at(span));
    }

    pub fn warn(&mut self, id: &'static str, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::warning(id, message).at(span));
    }

    /// The place as Plato keeps it.
    pub fn place(&mut self, span: Span) -> selvedge_ir::Span {
        if let Some(site) = self.frame.site {
            return site;
        }
        if let Some(known) = self.spans.get(&(span.source, span.start)) {
            return *known;
        }
        let location = self.sources.locate(span);
        let file = match self.files.get(&location.file) {
            Some(file) => *file,
            None => {
                let file = self.program.files.push(SourceFile { name: location.file.clone() });
                self.files.insert(location.file, file);
                file
            }
        };
        let place = selvedge_ir::Span::new(file, location.line, location.column);
        self.spans.insert((span.source, span.start), place);
        place
    }

    pub fn emit(&mut self, action: Action, span: Span) {
        if self.frame.constant {
            self.frame.not_constant.get_or_insert(span);
            return;
        }
        let place = self.place(span);
        self.body.emit(action, place);
    }

    /// Sets a local.
    pub fn assign(&mut self, to: LocalId, value: Expr, span: Span) {
        if self.frame.constant {
            self.frame.not_constant.get_or_insert(span);
            return;
        }
        let place = self.place(span);
        self.body.assign(to, value, place);
    }

    pub fn unsupported(&mut self, what: impl Into<String>, span: Span) {
        self.emit(Action::Unsupported { what: what.into() }, span);
    }

    pub fn note(&mut self, text: String, span: Span) {
        let span = self.place(span);
        let note = Note { span, text };
        if !self.program.notes.contains(&note) {
            self.program.notes.push(note);
        }
    }

    pub fn global(&self, id: GlobalId) -> &Global<'a> {
        &self.globals[id.0 as usize]
    }

    pub fn global_mut(&mut self, id: GlobalId) -> &mut Global<'a> {
        &mut self.globals[id.0 as usize]
    }

    pub fn add_global(&mut self, global: Global<'a>) -> GlobalId {
        self.globals.push(global);
        GlobalId(self.globals.len() as u32 - 1)
    }

    pub fn lookup(&self, name: &str) -> Option<&Entity> {
        let inner = self.frame.scopes.iter().rev().find_map(|scope| scope.names.get(name));
        inner.or_else(|| self.units.get(self.frame.unit)?.scope.names.get(name))
    }

    pub fn lookup_tag(&self, name: &str) -> Option<Tag> {
        let inner = self.frame.scopes.iter().rev().find_map(|scope| scope.tags.get(name));
        inner.or_else(|| self.units.get(self.frame.unit)?.scope.tags.get(name)).copied()
    }

    /// The innermost scope: of the block, or of the file.
    pub fn scope(&mut self) -> &mut Scope {
        let unit = self.frame.unit;
        match self.frame.scopes.last_mut() {
            Some(scope) => scope,
            None => &mut self.units[unit].scope,
        }
    }

    pub fn declare(&mut self, name: Rc<str>, entity: Entity) {
        self.scope().names.insert(name, entity);
    }

    pub fn in_model(&self) -> bool {
        self.units.get(self.frame.unit).is_some_and(|unit| unit.model)
    }
}

impl Frame<'_> {
    pub fn new(unit: usize, name: Rc<str>, void: Ty) -> Self {
        Frame {
            unit,
            name,
            scopes: Vec::new(),
            returns: Returns { ty: void, target: Loc(1), result: None, memory: None },
            labels: HashMap::new(),
            open_labels: HashMap::new(),
            extents: Vec::new(),
            label_paths: HashMap::new(),
            leaps: Vec::new(),
            ordered: false,
            ready: Ready::new(),
            watched: HashMap::new(),
            guarded: false,
            temporaries: Vec::new(),
            label_addresses: Vec::new(),
            jumps: Vec::new(),
            addressed: HashSet::new(),
            repeats: false,
            constant: false,
            not_constant: None,
            site: None,
            element: None,
            discarded: None,
            variadic: None,
            passed: None,
            inlined: Vec::new(),
            marker: std::marker::PhantomData,
        }
    }
}
