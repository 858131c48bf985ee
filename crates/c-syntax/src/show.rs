//! The syntax tree as text, for `dump` and for expectations in tests: a statement a line, operators
//! before their operands, declarations in words (`p: pointer to const int`).

mod expr;
mod types;

use crate::ast::{
    Annotation, Asm, Block, BlockItem, Declaration, Expr, ForInit, FunctionDef, Ident,
    InitDeclarator, Item, Span, Statement, StatementKind, StaticAssert, TranslationUnit,
};
use crate::source::SourceMap;

/// The tree of a translation unit. What comes from system headers is left out.
///
/// ```
/// use selvedge_c_syntax::{SourceMap, parse, show};
///
/// let mut sources = SourceMap::new();
/// let source = sources.add("a.c", "int f(int *p) { while (*p) --*p; return 0; }");
/// let unit = parse(source, &sources).unit;
/// let expected = "\
/// f: function(p: pointer to int) to int {
///     while (Deref p) (PreDecrement (Deref p))
///     return 0
/// }
/// ";
/// assert_eq!(show(&unit, &sources), expected);
/// ```
pub fn show(unit: &TranslationUnit, sources: &SourceMap) -> String {
    let mut printer = Printer { out: String::new(), indent: 0 };
    for item in unit.items.iter().filter(|item| !sources.is_system_header(span_of(item))) {
        printer.item(item);
        printer.put("\n");
    }
    for Annotation::Predicate { text, .. } in &unit.annotations {
        printer.put(&format!("predicate {text}\n"));
    }
    printer.out
}

fn span_of(item: &Item) -> Span {
    match item {
        Item::Function(it) => it.span,
        Item::Declaration(it) => it.span,
        Item::StaticAssert(it) => it.span,
        Item::Asm(span) | Item::Unsupported(_, span) => *span,
    }
}

struct Printer {
    out: String,
    /// The depth of blocks around the line.
    indent: usize,
}

impl Printer {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn put_if(&mut self, condition: bool, text: &str) {
        if condition {
            self.put(text);
        }
    }

    fn new_line(&mut self) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("    ", self.indent));
    }

    fn list<T>(&mut self, all: &[T], between: &str, mut one: impl FnMut(&mut Self, &T)) {
        for (index, it) in all.iter().enumerate() {
            self.put_if(index > 0, between);
            one(self, it);
        }
    }

    fn names(&mut self, names: &[Ident]) {
        self.list(names, " ", |printer, name| printer.put(&name.name));
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Function(def) => self.function(def),
            Item::Declaration(it) => self.declaration(it),
            Item::StaticAssert(it) => self.static_assert(it),
            Item::Asm(_) => self.put("asm"),
            Item::Unsupported(what, _) => self.put(&format!("unsupported {what}")),
        }
    }

    fn function(&mut self, def: &FunctionDef) {
        self.declarator(&def.declarator, &def.specifiers);
        for declaration in &def.old_style {
            self.put(" [");
            self.declaration(declaration);
            self.put("]");
        }
        self.put(" ");
        self.block(&def.body);
    }

    fn declaration(&mut self, it: &Declaration) {
        if it.declarators.is_empty() {
            self.put("declare ");
            return self.specifiers(&it.specifiers);
        }
        self.list(&it.declarators, "; ", |printer, item: &InitDeclarator| {
            printer.declarator(&item.declarator, &it.specifiers);
            if let Some(label) = &item.asm_label {
                printer.put(&format!(" asm({label})"));
            }
            if let Some(init) = &item.init {
                printer.put(" = ");
                printer.initializer(init);
            }
        });
    }

    fn static_assert(&mut self, it: &StaticAssert) {
        self.put("static_assert ");
        self.expr(&it.condition);
        self.put(&format!(" {:?}", it.message));
    }

    fn block(&mut self, block: &Block) {
        self.put("{");
        self.indent += 1;
        for item in &block.items {
            self.new_line();
            self.block_item(item);
        }
        self.indent -= 1;
        if !block.items.is_empty() {
            self.new_line();
        }
        self.put("}");
    }

    fn block_item(&mut self, item: &BlockItem) {
        match item {
            BlockItem::Statement(it) => self.statement(it),
            BlockItem::Declaration(it) => self.declaration(it),
            BlockItem::StaticAssert(it) => self.static_assert(it),
            BlockItem::Function(def) => {
                self.put("nested ");
                self.function(def);
            }
            BlockItem::LocalLabels(names) => {
                self.put("labels ");
                self.names(names);
            }
        }
    }

    /// Statements nest as deeply as the source has it.
    fn statement(&mut self, it: &Statement) {
        crate::with_deep_stack(|| self.statement_kind(&it.kind));
    }

    fn statement_kind(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Empty => self.put("empty"),
            StatementKind::Expr(value) => self.expr(value),
            StatementKind::Block(inner) => self.block(inner),
            StatementKind::If { condition, then, otherwise } => {
                self.headed("if", condition, then);
                if let Some(otherwise) = otherwise {
                    self.put(" else ");
                    self.statement(otherwise);
                }
            }
            StatementKind::Switch { value, body } => self.headed("switch", value, body),
            StatementKind::While { invariants, condition, body } => {
                self.invariants(invariants);
                self.headed("while", condition, body);
            }
            StatementKind::DoWhile { invariants, body, condition } => {
                self.invariants(invariants);
                self.put("do ");
                self.statement(body);
                self.put(" while ");
                self.expr(condition);
            }
            StatementKind::For { invariants, init, condition, step, body } => {
                self.invariants(invariants);
                self.for_header(init, condition.as_ref(), step.as_ref());
                self.statement(body);
            }
            StatementKind::Label { name, body } => {
                self.put(&format!("{}: ", name.name));
                self.statement(body);
            }
            StatementKind::Case { low, high, body } => {
                self.put("case ");
                self.expr(low);
                if let Some(high) = high {
                    self.put("...");
                    self.expr(high);
                }
                self.put(": ");
                self.statement(body);
            }
            StatementKind::Default { body } => {
                self.put("default: ");
                self.statement(body);
            }
            StatementKind::Goto(name) => self.put(&format!("goto {}", name.name)),
            StatementKind::GotoComputed(target) => {
                self.put("goto *");
                self.expr(target);
            }
            StatementKind::Continue => self.put("continue"),
            StatementKind::Break => self.put("break"),
            StatementKind::Return(value) => {
                self.put("return ");
                self.optional(value.as_ref());
            }
            StatementKind::Asm(asm) => self.asm(asm),
            StatementKind::Ghost { updates, joined } => {
                for update in updates {
                    self.put("ghost ");
                    self.expr(update);
                    self.new_line();
                }
                self.statement(joined);
            }
            StatementKind::Assert(condition) => {
                self.put("assert ");
                self.expr(condition);
            }
            StatementKind::Unsupported(what) => self.put(&format!("unsupported {what}")),
        }
    }

    fn headed(&mut self, word: &str, condition: &Expr, body: &Statement) {
        self.put(word);
        self.put(" ");
        self.expr(condition);
        self.put(" ");
        self.statement(body);
    }

    /// They stand on lines of their own, before the loop.
    fn invariants(&mut self, invariants: &[Expr]) {
        for invariant in invariants {
            self.put("invariant ");
            self.expr(invariant);
            self.new_line();
        }
    }

    fn for_header(&mut self, init: &ForInit, condition: Option<&Expr>, step: Option<&Expr>) {
        self.put("for ");
        match init {
            ForInit::None => self.put("_"),
            ForInit::Expr(value) => self.expr(value),
            ForInit::Declaration(it) => {
                self.put("[");
                self.declaration(it);
                self.put("]");
            }
        }
        self.put(" ");
        self.optional(condition);
        self.put(" ");
        self.optional(step);
        self.put(" ");
    }

    fn asm(&mut self, asm: &Asm) {
        self.put(&format!("asm {:?}", asm.template));
        for operands in [&asm.outputs, &asm.inputs] {
            self.put(" [");
            self.list(operands, " ", Printer::expr);
            self.put("]");
        }
        let labels: Vec<&str> = asm.labels.iter().map(|label| &*label.name).collect();
        self.put(&format!(" {:?} {labels:?}", asm.clobbers));
    }
}
