//! What belongs to the whole program while its methods are lowered: procedures, static objects,
//! numbers of classes, source files.

use std::collections::{BTreeSet, HashMap};

use selvedge_ir::{
    Const, Expr, FileId, Object, ObjectId, Place, ProcId, Procedure, Program, Sharing, SourceFile,
    Span, Type,
};
use selvedge_java_classes::{Class, FieldRef, JavaType, Literal, MethodRef};

use crate::body::Body;
use crate::layout::Layouts;
use crate::monitors::Monitors;
use crate::options::Options;
use crate::reach::{ARGUMENTS, Reach};
use crate::sources::Sources;
use crate::throws::Throws;
use crate::value::{local, stored};
use crate::world::{Found, STRING, World, shown};

/// In models: the class whose static fields each thread has for itself.
const PER_THREAD: &str = "selvedge/PerThread";

/// The name of the procedure that threads start in.
pub const THREAD_ENTRY: &str = "thread";

pub struct Lowering<'a> {
    pub world: &'a World,
    pub reach: &'a Reach,
    pub throws: Throws,
    pub monitors: Monitors,
    pub program: Program,
    pub layouts: Layouts,
    /// A method of the library has a procedure for each line that calls it, so that what goes wrong
    /// inside is told of that line; any other has one, under no span.
    procedures: HashMap<(MethodRef, Span), ProcId>,
    /// Those that are not lowered yet, with the span that all of one has, if it is of the library.
    wanted: Vec<(Found, ProcId, Option<Span>)>,
    names: HashMap<String, u32>,
    /// Classes whose initialisation does something that others can see.
    pub lazy: BTreeSet<String>,
    /// The others that do something, in their order.
    pub at_start: Vec<String>,
    /// The procedure for it, for each line that may be the first to use the class.
    initializers: HashMap<(String, Span), ProcId>,
    /// Those that are not written yet.
    initialized: Vec<(String, Span, ProcId)>,
    /// The exception by which a call ends; each thread has its own.
    pub exception: ObjectId,
    /// Where exceptions are made that may end a thread, by their number less one.
    pub sites: Vec<Made>,
    sources: &'a Sources,
    files: HashMap<String, FileId>,
    statics: HashMap<FieldRef, ObjectId>,
    strings: HashMap<String, ObjectId>,
    texts: HashMap<ObjectId, String>,
    classes: HashMap<String, ObjectId>,
    numbers: HashMap<String, i32>,
}

/// An exception that is made somewhere.
pub struct Made {
    pub span: Span,
    pub class: String,
}

impl<'a> Lowering<'a> {
    pub fn new(
        world: &'a World,
        reach: &'a Reach,
        options: &'a Options,
        sources: &'a Sources,
        name: String,
    ) -> Lowering<'a> {
        let mut program = Program { name, ..Program::default() };
        let layout = program.scalar_layout(Type::Ptr);
        let exception = program.objects.push(Object {
            name: "exception of the thread".to_owned(),
            layout,
            sharing: Sharing::PerThread,
            init: Vec::new(),
            span: Span::NONE,
        });
        let numbers = reach.objects.iter().cloned().zip(1..).collect();
        Lowering {
            world,
            reach,
            throws: Throws::of(world, reach, options),
            monitors: Monitors::of(world, reach),
            program,
            layouts: Layouts::default(),
            procedures: HashMap::new(),
            wanted: Vec::new(),
            names: HashMap::new(),
            lazy: BTreeSet::new(),
            at_start: Vec::new(),
            initializers: HashMap::new(),
            initialized: Vec::new(),
            exception,
            sites: Vec::new(),
            sources,
            files: HashMap::new(),
            statics: HashMap::new(),
            strings: HashMap::new(),
            texts: HashMap::new(),
            classes: HashMap::new(),
            numbers,
        }
    }

    /// The procedure for a method that has a body, called from a line.
    pub fn procedure(&mut self, found: &Found, caller: Span) -> ProcId {
        let is_library = self.sources.file_of(&found.class).is_none() && !found.class.is_lambda();
        let fixed = is_library.then_some(caller);
        let key = (found.reference(), fixed.unwrap_or(Span::NONE));
        if let Some(known) = self.procedures.get(&key) {
            return *known;
        }
        let name = self.unique(procedure_name(found));
        let mut body = Body::new(name, Span::NONE);
        let method = found.method();
        let this = (!method.is_static).then_some(Type::Ptr);
        let types = this.into_iter().chain(method.signature.parameters.iter().map(local));
        for (index, ty) in types.enumerate() {
            let param = body.local(&format!("parameter {index}"), ty, false);
            body.procedure.params.push(param);
        }
        let id = self.program.procedures.push(body.procedure);
        self.procedures.insert(key, id);
        self.wanted.push((found.clone(), id, fixed));
        id
    }

    /// The procedure that initialises a class where a line is the first to use it.
    pub fn initializer(&mut self, class: &str, span: Span) -> ProcId {
        let key = (class.to_owned(), span);
        if let Some(known) = self.initializers.get(&key) {
            return *known;
        }
        let name = self.unique(format!("initialize {}", shown(class)));
        let id = self.program.procedures.push(Body::new(name, Span::NONE).procedure);
        self.initializers.insert(key, id);
        self.initialized.push((class.to_owned(), span, id));
        id
    }

    /// An initialiser that is not written yet.
    pub fn next_initialized(&mut self) -> Option<(String, Span, ProcId)> {
        self.initialized.pop()
    }

    /// The procedure that threads start in.
    pub fn thread_entry(&self) -> ProcId {
        let entry = self.program.procedure_named(THREAD_ENTRY);
        entry.expect("it is declared before methods are lowered")
    }

    /// A procedure that is not lowered yet.
    pub fn next_wanted(&mut self) -> Option<(Found, ProcId, Option<Span>)> {
        self.wanted.pop()
    }

    pub fn unique(&mut self, name: String) -> String {
        let count = self.names.entry(name.clone()).or_default();
        *count += 1;
        match *count {
            1 => name,
            number => format!("{name}#{number}"),
        }
    }

    pub fn define(&mut self, id: ProcId, procedure: Procedure) {
        self.program.procedures[id] = procedure;
    }

    /// The number that objects of a class have.
    pub fn number(&self, class: &str) -> i32 {
        self.numbers.get(class).copied().expect("a class with objects has a number")
    }

    pub fn span(&mut self, class: &Class, line: u32) -> Span {
        let file = self.sources.file_of(class).filter(|_| line > 0);
        match file {
            None => Span::NONE,
            Some(name) => Span::new(self.file(name), line, 1),
        }
    }

    fn file(&mut self, name: String) -> FileId {
        if let Some(known) = self.files.get(&name) {
            return *known;
        }
        let id = self.program.files.push(SourceFile { name: name.clone() });
        self.files.insert(name, id);
        id
    }

    pub fn offset(&mut self, field: &FieldRef) -> i64 {
        self.layouts.offset(&mut self.program, self.world, self.reach, field)
    }

    fn object(&mut self, name: String, class: &str, init: Vec<(u64, Const)>) -> ObjectId {
        let layout = self.layouts.of(&mut self.program, self.world, self.reach, class);
        let (sharing, span) = (Sharing::Shared, Span::NONE);
        self.program.objects.push(Object { name, layout, sharing, init, span })
    }

    /// The object that a string constant is.
    pub fn string(&mut self, text: &str) -> ObjectId {
        if let Some(known) = self.strings.get(text) {
            return *known;
        }
        let count = self.strings.len() as i32 + 1;
        let mut init =
            vec![(0, Const::int(i128::from(self.number(STRING)), selvedge_ir::Int::I32))];
        let units = text.encode_utf16();
        let hash = units
            .clone()
            .fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)));
        let known = [("text", count), ("hash", hash), ("length", units.count() as i32)];
        for (name, value) in known {
            let field =
                FieldRef { class: STRING.to_owned(), name: name.to_owned(), ty: JavaType::Int };
            if self.reach.fields.contains(&field) && value != 0 {
                let constant = Const::int(i128::from(value), selvedge_ir::Int::I32);
                init.push((self.offset(&field) as u64, constant));
            }
        }
        init.sort_unstable();
        let id = self.object(format!("{text:?}"), STRING, init);
        self.strings.insert(text.to_owned(), id);
        self.texts.insert(id, text.to_owned());
        id
    }

    /// The text of a string constant.
    pub fn text(&self, object: ObjectId) -> Option<&str> {
        self.texts.get(&object).map(String::as_str)
    }

    /// An array without elements: what a program is started with.
    pub fn no_arguments(&mut self) -> Expr {
        let number = Const::int(i128::from(self.number(ARGUMENTS)), selvedge_ir::Int::I32);
        let id = self.object("arguments".to_owned(), ARGUMENTS, vec![(0, number)]);
        Expr::object(id)
    }

    /// The object that a class is.
    pub fn class_object(&mut self, class: &str) -> ObjectId {
        if let Some(known) = self.classes.get(class) {
            return *known;
        }
        let number = self.numbers.get("java/lang/Class").copied().unwrap_or(0);
        let init = vec![(0, Const::int(i128::from(number), selvedge_ir::Int::I32))];
        let init = init.into_iter().filter(|_| number != 0).collect();
        let id = self.object(format!("{}.class", shown(class)), "java/lang/Class", init);
        self.classes.insert(class.to_owned(), id);
        id
    }

    /// The place of a static field.
    pub fn static_field(&mut self, class: &Class, name: &str, ty: &JavaType) -> Place {
        let key = FieldRef { class: class.name.clone(), name: name.to_owned(), ty: ty.clone() };
        let scalar = stored(ty);
        if let Some(known) = self.statics.get(&key) {
            return Place::object(*known, 0, scalar);
        }
        let constant = class.field(name, ty).and_then(|field| field.constant.clone());
        let constant = constant.map(|constant| self.constant(&constant, scalar));
        let init = constant.filter(|c| *c != Const::zero(scalar)).map(|c| (0, c));
        let layout = self.program.scalar_layout(scalar);
        let sharing = match class.name == PER_THREAD {
            true => Sharing::PerThread,
            false => Sharing::Shared,
        };
        let mut unique = format!("{}.{name}", shown(&class.name));
        while self.program.object_named(&unique).is_some() {
            unique.push('\'');
        }
        let span = Span::NONE;
        let init = init.into_iter().collect();
        let id = self.program.objects.push(Object { name: unique, layout, sharing, init, span });
        self.statics.insert(key, id);
        Place::object(id, 0, scalar)
    }

    fn constant(&mut self, literal: &Literal, ty: Type) -> Const {
        let int = ty.as_int().unwrap_or(selvedge_ir::Int::I32);
        match literal {
            Literal::Int(value) if ty == Type::Bool => Const::Bool(*value != 0),
            Literal::Int(value) => Const::int(i128::from(*value), int),
            Literal::Long(value) => Const::int(i128::from(*value), int),
            Literal::Float(value) => Const::int(i128::from(value.to_bits()), int),
            Literal::Double(value) => Const::int(i128::from(value.to_bits()), int),
            Literal::String(text) => Const::Object(self.string(text), 0),
        }
    }

    /// Classes with objects below a class, by their numbers.
    pub fn numbers_below(&self, class: &str) -> BTreeSet<i32> {
        self.reach.below(self.world, class).iter().map(|class| self.number(class)).collect()
    }
}

fn procedure_name(found: &Found) -> String {
    let class = shown(&found.class.name);
    match found.method().name.as_str() {
        "<init>" => format!("{class}.new"),
        "<clinit>" => format!("{class}.static"),
        name => format!("{class}.{name}"),
    }
}
