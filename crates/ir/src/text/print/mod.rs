//! Prints whole programs. It never fails: what an ill-formed program refers to and does not have is
//! printed as `"x7?"`, so that the listing of violations can show it.

mod action;
pub mod expr;
mod spec;

use std::fmt::Write;

use super::names::{self, layout_ref, name, name_not_type, path_to, quote};
use crate::site::Site;
use crate::{
    Annotation, Const, DataModel, Edge, EdgeId, Grain, Layout, LayoutId, LocalId, LocationId,
    Multiplicity, Object, ObjectId, ProcId, Procedure, Program, Shape, Sharing, Span, Thread,
};
use expr::{Context, path};

/// Remarks about a part of the program, one line each; they are printed as comments behind it.
pub type Remarks<'a> = dyn Fn(Site) -> Vec<String> + 'a;

pub fn program(program: &Program, remarks: &Remarks) -> String {
    let mut printer = Printer { program, remarks, out: String::new() };
    printer.program();
    printer.out
}

struct Printer<'a> {
    program: &'a Program,
    remarks: &'a Remarks<'a>,
    out: String,
}

impl Printer<'_> {
    fn line(&mut self, indent: usize, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "{:indent$}{text}", "");
    }

    fn remark(&mut self, site: Site, indent: usize) {
        for remark in (self.remarks)(site) {
            self.line(indent, &format!("// error: {}", remark.replace('\n', " ")));
        }
    }

    fn program(&mut self) {
        let program = self.program;
        self.line(0, &format!("program {};", quote(&program.name)));
        let model = match program.model {
            DataModel::Lp64 => "lp64",
            DataModel::Ilp32 => "ilp32",
        };
        self.line(0, &format!("model {model};"));
        if let Some(checks) = &program.checks {
            let names: Vec<&str> = checks.iter().map(|property| property.name()).collect();
            self.line(0, &format!("checks {};", names.join(", ")));
        }
        if program.files.is_empty() {
            self.line(0, "file none;");
        }
        for (id, file) in &program.files {
            self.line(0, &format!("file {id} {};", quote(&file.name)));
        }
        self.remark(Site::Program, 0);
        for (id, layout) in &program.layouts {
            self.layout(id, layout);
        }
        for (id, region) in &program.regions {
            let ty = region.ty.map_or("mixed".to_string(), |ty| ty.to_string());
            self.line(0, &format!("region {}: {ty};", name(&region.name)));
            self.remark(Site::Region(id), 4);
        }
        for (id, object) in &program.objects {
            self.object(id, object);
        }
        self.ghosts();
        for (id, procedure) in &program.procedures {
            self.procedure(id, procedure);
        }
        for (index, thread) in program.threads.iter().enumerate() {
            self.thread(thread);
            self.remark(Site::Thread(index), 4);
        }
        for (index, annotation) in program.annotations.iter().enumerate() {
            let Annotation::Predicate { text, span: at } = annotation;
            self.line(0, &format!("predicate {}{};", quote(text), span(*at)));
            self.remark(Site::Annotation(index), 4);
        }
        self.specification();
        for (index, note) in program.notes.iter().enumerate() {
            self.line(0, &format!("note {}{};", quote(&note.text), span(note.span)));
            self.remark(Site::Note(index), 4);
        }
        for (index, assumed) in program.assumed.iter().enumerate() {
            let function = assumed.what.function().map(|name| format!(" {}", quote(name)));
            let (kind, function) = (assumed.what.kind(), function.unwrap_or_default());
            self.line(0, &format!("assumed {kind}{function}{};", span(assumed.span)));
            self.remark(Site::Assumed(index), 4);
        }
    }

    fn layout(&mut self, id: LayoutId, layout: &Layout) {
        let program = self.program;
        let fields = |fields: &[crate::Field], offsets: bool| {
            let printed = fields.iter().map(|f| {
                let shown = offsets || f.offset != 0;
                let offset = if shown { format!("{} ", f.offset) } else { String::new() };
                format!("{offset}{}: {}; ", name(&f.name), layout_ref(program, f.layout))
            });
            format!("{{ {}}}", printed.collect::<String>())
        };
        let shape = match &layout.shape {
            Shape::Scalar(ty) => format!("scalar {ty}"),
            Shape::Struct(members) => format!("struct {}", fields(members, true)),
            Shape::Union(members) => format!("union {}", fields(members, false)),
            Shape::Array { element, count } => {
                format!("array {} count {count}", layout_ref(program, *element))
            }
            Shape::Bytes => "bytes".to_string(),
        };
        let named = names::layout_name(&layout.name);
        self.line(0, &format!("layout {named} = {shape} size {};", layout.size));
        self.remark(Site::Layout(id), 4);
    }

    fn object(&mut self, id: ObjectId, object: &Object) {
        let sharing = match object.sharing {
            Sharing::Shared => "shared",
            Sharing::PerThread => "per_thread",
        };
        let layout = layout_ref(self.program, object.layout);
        let init = self.init(object);
        let span = span(object.span);
        self.line(0, &format!("{sharing} {}: {layout}{init}{span};", name(&object.name)));
        self.remark(Site::Object(id), 4);
    }

    fn init(&self, object: &Object) -> String {
        let context = Context::new(self.program, None);
        let entries = object.init.iter().map(|(offset, constant)| {
            // By path where the constant has the scalar's type and would not be left out as zero.
            let scalar = path_to(self.program, object.layout, *offset);
            match scalar {
                Some((ty, steps)) if ty == constant.ty() && *constant != Const::zero(ty) => {
                    (Some(path(&steps)), context.constant(*constant, Some(ty)))
                }
                _ => (None, context.constant(*constant, None)),
            }
        });
        let entries: Vec<(Option<String>, String)> = entries.collect();
        match entries.as_slice() {
            [] => String::new(),
            [(Some(path), value)] if path.is_empty() => format!(" = {value}"),
            _ => {
                let printed =
                    entries.iter().zip(&object.init).map(|((path, value), (at, _))| match path {
                        Some(path) if !path.is_empty() => format!("{path} = {value}"),
                        _ => format!("+{at} = {value}"),
                    });
                format!(" = {{ {} }}", printed.collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn thread(&mut self, thread: &Thread) {
        let context = Context::new(self.program, None);
        let main = if thread.main { "main " } else { "" };
        let count = match thread.count {
            Multiplicity::Exactly(1) => String::new(),
            Multiplicity::Exactly(n) => format!("{n} "),
            Multiplicity::Any => "any ".to_string(),
        };
        let procedure = context.procedure_name(thread.procedure);
        self.line(0, &format!("thread {main}{count}{procedure};"));
    }

    fn procedure(&mut self, id: ProcId, procedure: &Procedure) {
        let context = Context::new(self.program, Some(procedure));
        self.line(0, "");
        let header = Header::of(procedure);
        let params = header.params(&context);
        let result = header.result(&context);
        let at = span(procedure.span);
        let named = name(&procedure.name);
        self.line(0, &format!("procedure {named}({params}){result}{at} {{"));
        self.remark(Site::Procedure(id), 4);
        for (local, declared) in procedure.locals.iter().skip(header.declared) {
            let word = if declared.named { "local" } else { "temp" };
            self.line(4, &format!("{word} {}: {};", context.local(local), declared.ty));
        }
        for location in procedure.locations.keys() {
            self.location(&context, id, location);
        }
        self.line(0, "}");
    }

    fn location(&mut self, context: &Context, id: ProcId, at: LocationId) {
        let Some(procedure) = context.procedure else { return };
        let mut label = String::new();
        if at == procedure.entry && at != LocationId::from_u32(0) {
            label.push_str("entry ");
        }
        if at == procedure.exit {
            label.push_str("exit ");
        }
        let location = &procedure.locations[at];
        label.push_str(match location.grain {
            Grain::Yield => "",
            Grain::Joined => "joined ",
            Grain::Atomic => "atomic ",
        });
        let edges = &location.edges;
        let site = Site::Location(id, at);
        if edges.len() == 1 && (self.remarks)(site).is_empty() {
            self.line(4, &format!("{label}{at}: {}", edge(context, &edges[0])));
            return self.remark(Site::Edge(id, EdgeId { from: at, index: 0 }), 8);
        }
        self.line(4, &format!("{label}{at}:"));
        self.remark(site, 8);
        for (index, e) in edges.iter().enumerate() {
            self.line(8, &edge(context, e));
            self.remark(Site::Edge(id, EdgeId { from: at, index: index as u32 }), 12);
        }
    }
}

fn edge(context: &Context, edge: &Edge) -> String {
    format!("{} -> {}{};", context.action(&edge.action), edge.target, span(edge.span))
}

fn span(span: Span) -> String {
    if span == Span::NONE {
        return String::new();
    }
    format!(" @{}:{}:{}", span.file, span.line, span.column)
}

/// What a procedure's header declares. Where the parameters are the first locals they are declared
/// in the header, and so is a result that comes right behind them; otherwise the header only names
/// locals of the body.
struct Header<'a> {
    procedure: &'a Procedure,
    params_declared: bool,
    result_declared: bool,
    /// How many locals the header declares.
    declared: usize,
}

impl Header<'_> {
    fn of(procedure: &Procedure) -> Header<'_> {
        let count = procedure.params.len();
        let in_order = procedure.params.iter().enumerate().all(|(n, p)| p.as_u32() == n as u32);
        let params_declared = in_order && count <= procedure.locals.len();
        let declared = if params_declared { count } else { 0 };
        let next = LocalId::from_u32(declared as u32);
        let result_declared = params_declared
            && procedure.result == Some(next)
            && procedure.locals.get(next).is_some();
        let declared = declared + usize::from(result_declared);
        Header { procedure, params_declared, result_declared, declared }
    }

    fn params(&self, context: &Context) -> String {
        let printed = self.procedure.params.iter().map(|param| match self.params_declared {
            true => self.declaration(context, *param),
            false => context.local(*param),
        });
        printed.collect::<Vec<_>>().join(", ")
    }

    fn declaration(&self, context: &Context, id: LocalId) -> String {
        let Some(local) = self.procedure.locals.get(id) else { return context.local(id) };
        let temp = if local.named { "" } else { "temp " };
        format!("{temp}{}: {}", context.local(id), local.ty)
    }

    fn result(&self, context: &Context) -> String {
        let Some(id) = self.procedure.result else { return String::new() };
        let local = self.procedure.locals.get(id);
        match local {
            Some(local) if self.result_declared && local.name == "result" && !local.named => {
                format!(" -> {}", local.ty)
            }
            _ if self.result_declared => format!(" -> {}", self.declaration(context, id)),
            Some(local) => format!(" -> {}", name_not_type(&local.name)),
            None => format!(" -> {}", context.local(id)),
        }
    }
}
