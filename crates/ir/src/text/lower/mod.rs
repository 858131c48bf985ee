//! From syntax to programs: names are resolved, types inferred, structured bodies turned into
//! graphs. Declarations come first, then the headers of all procedures, then their bodies, so that
//! the order of declarations in the text does not matter (except among layouts).

mod action;
mod body;
mod layout;
mod spec;
mod structured;
mod value;

use std::collections::{HashMap, HashSet};

use super::ParseError;
use super::ast::{self, InitAt, Item, Name, Parameter, ResultOf, Statement};
use super::lexer::At;
use super::names::nearest;
use crate::{
    Annotation, Assumed, Const, Expr, FileId, LayoutId, LocalId, LocationId, Note, Object,
    ObjectId, ProcId, Procedure, Program, Region, RegionId, SourceFile, Span, Thread, Type,
};
use body::Lowering;

/// The mistake is reported already.
pub struct Failed;

pub type Lowered<T> = Result<T, Failed>;

/// What a text declares.
pub struct Globals {
    pub program: Program,
    layouts: HashMap<String, LayoutId>,
    objects: HashMap<String, ObjectId>,
    procedures: HashMap<String, ProcId>,
    regions: HashMap<String, RegionId>,
    /// Of the procedure whose header is at hand.
    local_names: HashSet<String>,
    /// The text names no source files: it is the source itself.
    own_source: bool,
    errors: Vec<ParseError>,
}

pub fn program(name: &str, items: &[Item]) -> Result<Program, Vec<ParseError>> {
    let files = items.iter().any(|i| matches!(i, Item::File(..) | Item::NoFiles));
    let mut globals = Globals {
        program: Program { name: name.to_string(), ..Program::default() },
        layouts: HashMap::new(),
        objects: HashMap::new(),
        procedures: HashMap::new(),
        regions: HashMap::new(),
        local_names: HashSet::new(),
        own_source: !files,
        errors: Vec::new(),
    };
    if globals.own_source {
        globals.program.files.push(SourceFile { name: name.to_string() });
    }
    globals.declare(items);
    globals.define(items);
    if globals.errors.is_empty() { Ok(globals.program) } else { Err(globals.errors) }
}

impl Globals {
    /// Reports a mistake.
    fn fail<T>(&mut self, error: ParseError) -> Lowered<T> {
        self.errors.push(error);
        Err(Failed)
    }

    fn span(&self, at: At, written: Option<Span>) -> Span {
        match written {
            Some(span) => span,
            None if self.own_source => Span::new(FileId::from_u32(0), at.line, at.column),
            None => Span::NONE,
        }
    }

    fn declare(&mut self, items: &[Item]) {
        // Sizes of pointers come first.
        for item in items {
            match item {
                Item::Program(name) => self.program.name = name.text.clone(),
                Item::Model(model) => self.program.model = *model,
                Item::Checks(properties) => self.program.checks = Some(properties.clone()),
                _ => {}
            }
        }
        for item in items {
            // A failure is in the list of errors, and the next declaration stands by itself.
            let _ = match item {
                Item::File(label, name) => self.file(label.as_ref(), name),
                Item::Layout { name, shape, size } => self.layout(name, shape, *size),
                Item::Region { name, ty } => self.region(name, *ty),
                Item::Object(object) => self.object(object),
                Item::Procedure(procedure) => self.header(procedure),
                Item::Ghost(ghost) => self.ghost(ghost),
                Item::Predicate { text, at, span } => {
                    let (text, span) = (text.clone(), self.span(*at, *span));
                    self.program.annotations.push(Annotation::Predicate { text, span });
                    Ok(())
                }
                Item::Note { text, span } => {
                    let span = span.unwrap_or(Span::NONE);
                    self.program.notes.push(Note { span, text: text.clone() });
                    Ok(())
                }
                Item::Assumed(what, span) => {
                    let span = span.unwrap_or(Span::NONE);
                    self.program.assumed.push(Assumed { what: what.clone(), span });
                    Ok(())
                }
                _ => Ok(()),
            };
        }
    }

    /// What refers to objects and procedures.
    fn define(&mut self, items: &[Item]) {
        for item in items {
            let _ = match item {
                Item::Object(object) => self.init(object),
                Item::Procedure(procedure) => self.body(procedure),
                Item::Thread { procedure, count, main } => {
                    self.procedure_named(procedure).map(|id| {
                        self.program.threads.push(Thread {
                            procedure: id,
                            count: *count,
                            main: *main,
                        });
                    })
                }
                Item::Spec(spec) => self.specification(spec),
                _ => Ok(()),
            };
        }
        self.separate_end(items);
    }

    /// In a structured body nobody writes the end of the program as a step of its own.
    fn separate_end(&mut self, items: &[Item]) {
        for item in items {
            if let Item::Procedure(ast::Procedure { name, body: ast::Body::Structured(_), .. }) =
                item
                && let Some(id) = self.program.procedure_named(&name.text)
                && self.program.threads.iter().any(|t| t.main && t.procedure == id)
            {
                self.program.separate_end(id);
            }
        }
    }

    fn file(&mut self, label: Option<&Name>, name: &str) -> Lowered<()> {
        let id = self.program.files.push(SourceFile { name: name.to_string() });
        match label {
            Some(label) if label.text != id.to_string() => {
                let error = label.at.error(format!("this file's label must be `{id}`"));
                self.fail(error.help("files are numbered in order: f0, f1, .."))
            }
            _ => Ok(()),
        }
    }

    fn region(&mut self, name: &Name, ty: Option<Type>) -> Lowered<()> {
        let id = self.program.regions.push(Region { name: name.text.clone(), ty });
        match self.regions.insert(name.text.clone(), id) {
            Some(_) => self.fail(twice(name, "region")),
            None => Ok(()),
        }
    }

    fn object(&mut self, object: &ast::Object) -> Lowered<()> {
        let layout = self.layout_id(&object.layout)?;
        let id = self.program.objects.push(Object {
            name: object.name.text.clone(),
            layout,
            sharing: object.sharing,
            init: Vec::new(),
            span: self.span(object.name.at, object.span),
        });
        match self.objects.insert(object.name.text.clone(), id) {
            Some(_) => self.fail(twice(&object.name, "variable")),
            None => Ok(()),
        }
    }

    fn init(&mut self, object: &ast::Object) -> Lowered<()> {
        let Some(&id) = self.objects.get(&object.name.text) else { return Err(Failed) };
        let mut init: Vec<(u64, Const)> = Vec::new();
        let mut taken = HashSet::new();
        for (place, value) in &object.init {
            let (offset, constant) = self.initialiser(id, place, value)?;
            if !taken.insert(offset) {
                return self.fail(value.at.error("this scalar has an initial value already"));
            }
            // The rest of an object is zero anyway; one program has one form.
            let by_path = matches!(place, InitAt::Path(_));
            if !(by_path && constant == Const::zero(constant.ty())) {
                init.push((offset, constant));
            }
        }
        init.sort_by_key(|(offset, _)| *offset);
        self.program.objects[id].init = init;
        Ok(())
    }

    fn initialiser(
        &mut self,
        id: ObjectId,
        place: &InitAt,
        value: &ast::Expr,
    ) -> Lowered<(u64, Const)> {
        let mut lowering = Lowering::of_constants(self);
        let (offset, want) = match place {
            InitAt::Offset(offset) => (*offset, None),
            InitAt::Path(steps) => {
                let layout = lowering.globals.program.objects[id].layout;
                let (offset, ty) = lowering.constant_path(layout, steps, value.at)?;
                (offset, Some(ty))
            }
        };
        match lowering.value(value, want)?.0 {
            Expr::Const(constant) => Ok((offset, constant)),
            _ => self.fail(value.at.error("an initial value must be a constant")),
        }
    }

    fn procedure_named(&mut self, name: &Name) -> Lowered<ProcId> {
        match self.procedures.get(&name.text) {
            Some(id) => Ok(*id),
            None => {
                let error = name.at.error(format!("there is no procedure `{}`", name.text));
                let near = nearest(&name.text, self.procedures.keys().map(String::as_str));
                let help = near.map(|near| format!("there is `{near}`"));
                self.fail(ParseError { help, ..error })
            }
        }
    }

    /// Declares a procedure with all its locals; its body comes later.
    fn header(&mut self, procedure: &ast::Procedure) -> Lowered<()> {
        self.local_names.clear();
        let mut made = Procedure {
            name: procedure.name.text.clone(),
            params: Vec::new(),
            result: None,
            locals: Default::default(),
            locations: Default::default(),
            entry: LocationId::from_u32(0),
            exit: LocationId::from_u32(0),
            span: self.span(procedure.name.at, procedure.span),
        };
        for param in &procedure.params {
            if let Parameter::Declared(local) = param {
                let id = self.local(&mut made, local);
                made.params.push(id);
            }
        }
        match &procedure.result {
            ResultOf::Type(ty) => {
                let name = Name { text: "result".to_string(), ..procedure.name.clone() };
                let local = ast::LocalOf { name, ty: *ty, named: false };
                made.result = Some(self.local(&mut made, &local));
            }
            ResultOf::Declared(local) => made.result = Some(self.local(&mut made, local)),
            ResultOf::Nothing | ResultOf::Named(_) => {}
        }
        match &procedure.body {
            ast::Body::Graph { locals, .. } => {
                for local in locals {
                    self.local(&mut made, local);
                }
            }
            ast::Body::Structured(statements) => self.locals_of(&mut made, statements),
        }
        self.header_names(&mut made, procedure)?;
        let id = self.program.procedures.push(made);
        match self.procedures.insert(procedure.name.text.clone(), id) {
            Some(_) => self.fail(twice(&procedure.name, "procedure")),
            None => Ok(()),
        }
    }

    fn local(&mut self, made: &mut Procedure, local: &ast::LocalOf) -> LocalId {
        if !self.local_names.insert(local.name.text.clone()) {
            self.errors.push(twice(&local.name, "local"));
        }
        made.add_local(local.name.text.clone(), local.ty, local.named)
    }

    fn locals_of(&mut self, procedure: &mut Procedure, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Local(local, ..) => {
                    self.local(procedure, local);
                }
                Statement::If(_, then, otherwise, _) => {
                    self.locals_of(procedure, then);
                    self.locals_of(procedure, otherwise);
                }
                Statement::While(_, body, _) | Statement::Atomic(body) => {
                    self.locals_of(procedure, body);
                }
                Statement::Choose(branches, _) => {
                    branches.iter().for_each(|branch| self.locals_of(procedure, branch));
                }
                Statement::Simple(..) | Statement::Return(..) => {}
            }
        }
    }

    /// Parameters and result that are declared in the body.
    fn header_names(&mut self, made: &mut Procedure, header: &ast::Procedure) -> Lowered<()> {
        let by_name = |globals: &mut Globals, made: &Procedure, name: &Name| match made
            .locals
            .iter()
            .find(|(_, l)| l.name == name.text)
        {
            Some((id, _)) => Ok(id),
            None => {
                let error = name.at.error(format!("`{}` is not declared", name.text));
                globals.fail(error.help("give its type here, as in `(n: i32)`"))
            }
        };
        let named = header.params.iter().filter_map(|p| match p {
            Parameter::Named(name) => Some(name),
            Parameter::Declared(_) => None,
        });
        let named: Vec<&Name> = named.collect();
        if !named.is_empty() && named.len() != header.params.len() {
            let error = named[0].at.error("this parameter has no type, but others have one");
            return self.fail(error.help("give every parameter its type"));
        }
        for name in named {
            let id = by_name(self, made, name)?;
            made.params.push(id);
        }
        if let ResultOf::Named(name) = &header.result {
            made.result = Some(by_name(self, made, name)?);
        }
        Ok(())
    }

    fn body(&mut self, procedure: &ast::Procedure) -> Lowered<()> {
        let Some(&id) = self.procedures.get(&procedure.name.text) else { return Err(Failed) };
        let header = self.program.procedures[id].clone();
        let mut lowering = Lowering::new(self, header);
        match &procedure.body {
            ast::Body::Graph { locations, .. } => lowering.graph(&procedure.name, locations)?,
            ast::Body::Structured(statements) => lowering.structured(statements),
        }
        let made = lowering.procedure;
        self.program.procedures[id] = made;
        Ok(())
    }
}

fn twice(name: &Name, what: &str) -> ParseError {
    name.at.error(format!("there is a {what} `{}` already", name.text))
}
