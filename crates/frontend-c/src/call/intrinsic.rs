//! What the front end itself knows: errors, assumptions, inputs, atomic blocks, and the primitives
//! that the library models are written in.

use selvedge_c_syntax::ast::{self, ExprKind, Span, UnaryOp};
use selvedge_ir::{
    Action, Assumption, BinaryOp, Callee, Check, CheckKind, Const, Expr, ProcId, Property, Storage,
    Type,
};

use crate::body::Mark;
use crate::expr::Value;
use crate::lowering::{GlobalId, Lowering, Planned};
use crate::types::{FloatTag, FnType, IntKind, Kind, Ty};

impl<'a> Lowering<'a> {
    /// The call, if it is to an intrinsic.
    pub(super) fn intrinsic(
        &mut self,
        id: GlobalId,
        name: &str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Option<Value> {
        if let Some(kind) = self.failure(name, args) {
            self.fail(kind, span);
            return Some(self.void_value());
        }
        match name {
            "__VERIFIER_assume" | "__selvedge_assume" => {
                let condition = args.first().map_or(Expr::TRUE, |arg| self.condition(arg));
                self.assume(condition, span);
            }
            "__VERIFIER_atomic_begin" => self.mark(Mark::Begin, span),
            "__VERIFIER_atomic_end" => self.mark(Mark::End, span),
            _ if name.starts_with("__VERIFIER_nondet_") && !self.is_defined(id) => {
                return Some(self.nondet(id, args, span));
            }
            _ => {
                let own = name.strip_prefix("__selvedge_")?;
                return self.primitive(own, args, span);
            }
        }
        Some(self.void_value())
    }

    /// What fails when one of the functions that mean an error is called.
    fn failure(&mut self, name: &str, args: &[ast::Expr]) -> Option<CheckKind> {
        match name {
            "__VERIFIER_error" | "reach_error" => Some(CheckKind::ErrorCall(name.to_owned())),
            _ => {
                let argument = self.failed_assertion(name)?;
                let text = args.get(argument).and_then(|arg| self.literal_text(arg));
                Some(text.map_or(CheckKind::Unnamed, CheckKind::Condition))
            }
        }
    }

    /// What fails by a call that always fails: `__assert_fail("x == 2", ...)`.
    pub fn failing_call(&mut self, expr: &'a ast::Expr) -> Option<CheckKind> {
        match &expr.kind {
            ExprKind::Call { callee, args } => match &callee.kind {
                ExprKind::Ident(name) => self.failure(&name.name, args),
                _ => None,
            },
            ExprKind::Unary { op: UnaryOp::Extension, operand } => self.failing_call(operand),
            _ => None,
        }
    }

    /// An error; where it is not checked, the program ends here all the same.
    fn fail(&mut self, kind: CheckKind, span: Span) {
        let check = Check::new(Property::Assert, kind);
        let action = match self.options.checks(Property::Assert) {
            true => Action::Assert { cond: Expr::FALSE, check },
            false => Action::Halt,
        };
        self.end(action, span);
    }

    pub fn assert(&mut self, cond: Expr, check: Check, span: Span) {
        if cond != Expr::TRUE && self.options.checks(check.property) {
            self.emit(Action::Assert { cond, check }, span);
        }
    }

    /// C leaves undefined what happens unless the condition holds: "memcpy of memory that overlaps".
    /// The property is the one that people would look for it under.
    pub fn undefined_unless(&mut self, cond: Expr, property: Property, what: &str, span: Span) {
        if cond != Expr::TRUE && !self.frame.constant {
            let check = Check::new(property, CheckKind::Undefined(what.to_owned()));
            self.emit(Action::Assert { cond, check }, span);
        }
    }

    /// An action after which nothing runs.
    pub(super) fn end(&mut self, action: Action, span: Span) {
        self.emit(action, span);
        if !self.frame.constant {
            self.body.dead();
        }
    }

    fn nondet(&mut self, id: GlobalId, args: &'a [ast::Expr], span: Span) -> Value {
        for arg in args {
            self.effect(arg);
        }
        let ty = self.global(id).ty;
        let ret = self.types.as_function(ty).map(|f| f.ret);
        let ret = ret.unwrap_or_else(|| self.types.int_type());
        self.input_of(ret, span)
    }

    /// The type of an input by the name of the function, where no declaration says it.
    pub(super) fn input_type(&mut self, name: &str) -> Ty {
        let kind = match name.trim_start_matches("__VERIFIER_nondet_") {
            "bool" | "_Bool" => return self.types.boolean(),
            "pointer" => return self.types.void_pointer(),
            "float" => return self.types.make(Kind::Float(FloatTag::Float)),
            "double" => return self.types.make(Kind::Float(FloatTag::Double)),
            "char" => IntKind::Char,
            "uchar" | "u8" => IntKind::UChar,
            "short" => IntKind::Short,
            "ushort" | "u16" => IntKind::UShort,
            "uint" | "unsigned" | "u32" | "unsigned_int" => IntKind::UInt,
            "long" => IntKind::Long,
            "ulong" | "size_t" => IntKind::ULong,
            "longlong" | "loff_t" => IntKind::LongLong,
            "ulonglong" => IntKind::ULongLong,
            _ => IntKind::Int,
        };
        self.types.int(kind)
    }

    fn primitive(&mut self, name: &str, args: &'a [ast::Expr], span: Span) -> Option<Value> {
        match (name, args) {
            ("lock", [cell]) => {
                let lock = self.cell(cell);
                self.emit(Action::Lock { lock }, span);
            }
            ("unlock", [cell]) => {
                let lock = self.cell(cell);
                self.emit(Action::Unlock { lock }, span);
            }
            ("spawn", [function, arguments @ ..]) => {
                return Some(self.spawn(function, arguments, span));
            }
            ("join", [thread]) => return Some(self.join(thread, span)),
            ("end_thread", [value]) => {
                let value = self.rvalue(value);
                let pointer = self.types.void_pointer();
                let value = self.convert(value, pointer, span).expr;
                if self.has_last_functions() {
                    self.call_model("__selvedge_leave", span);
                }
                self.end_thread(value, span);
            }
            ("wait", [condition]) => {
                let condition = self.condition(condition);
                if condition != Expr::TRUE {
                    self.emit(Action::Wait(condition), span);
                }
            }
            ("destructors", []) => self.call_destructors(),
            ("halt", []) => self.end(Action::Halt, span),
            ("check", [condition, property, label]) => {
                let property = self.property(property)?;
                let label = self.literal_text(label).map_or(CheckKind::Unnamed, CheckKind::Label);
                if self.options.checks(property) {
                    let condition = self.condition(condition);
                    self.assert(condition, Check::new(property, label), span);
                }
            }
            ("defined", [condition, property, what]) => {
                let property = self.property(property)?;
                let what = self.literal_text(what)?;
                let condition = self.condition(condition);
                self.undefined_unless(condition, property, &what, span);
            }
            ("unsupported", [what]) => {
                let what = self.literal_text(what).unwrap_or_default();
                self.unsupported(what, span);
            }
            ("alloc", [size, zeroed]) => return Some(self.alloc(size, zeroed, span)),
            ("free", [pointer]) => {
                let pointer = self.rvalue(pointer);
                let addr = pointer.expr;
                self.emit(Action::Free { addr, storage: Storage::Heap }, span);
            }
            ("exchange", [a, b, size]) => return self.exchange_objects([a, b, size], span),
            _ => return self.answer(name, args, span),
        }
        Some(self.void_value())
    }

    /// Primitives that do nothing but tell something.
    fn answer(&mut self, name: &str, args: &'a [ast::Expr], span: Span) -> Option<Value> {
        Some(match (name, args) {
            ("self", []) => self.thread_value(Expr::Tid),
            ("none", []) => self.thread_value(Expr::Const(Const::NoThread)),
            ("uses", [function]) => {
                let used = self.literal_text(function).is_some_and(|f| self.uses(&f));
                self.flag(used)
            }
            ("may_fail", [function]) => {
                let function = self.literal_text(function).unwrap_or_default();
                let fails = self.options.may_fail.contains(&function);
                if !fails {
                    self.assume_that(Assumption::Succeeds(function), span);
                }
                self.flag(fails)
            }
            ("unheld", []) => {
                // A model that is a procedure of its own is called from anywhere.
                let unheld = match self.frame.site {
                    Some(site) => self.unheld.contains(&site),
                    None => !self.unheld.is_empty(),
                };
                self.flag(unheld)
            }
            ("fails", [function]) => {
                let function = self.literal_text(function).unwrap_or_default();
                let fails = self.options.may_fail.contains(&function);
                self.flag(fails)
            }
            ("checks", [property]) => {
                let checked = self.property(property).is_some_and(|p| self.options.checks(p));
                self.flag(checked)
            }
            _ => return None,
        })
    }

    /// The property that a literal names.
    fn property(&self, name: &ast::Expr) -> Option<Property> {
        Property::from_name(&self.literal_text(name)?)
    }

    fn flag(&mut self, on: bool) -> Value {
        let int = self.types.int_type();
        self.int_value(i128::from(on), int)
    }

    /// Whether the user's program mentions a library function (or what implies it).
    pub fn uses(&self, function: &str) -> bool {
        self.mentioned.contains(function)
    }

    fn thread_value(&mut self, expr: Expr) -> Value {
        Value { ty: self.types.make(Kind::Thread), expr }
    }

    fn cell(&mut self, pointer: &'a ast::Expr) -> selvedge_ir::Place {
        let pointer = self.rvalue(pointer);
        selvedge_ir::Place::new(pointer.expr, Type::Thread)
    }

    fn spawn(&mut self, function: &'a ast::Expr, args: &'a [ast::Expr], span: Span) -> Value {
        let entry = self.rvalue(function);
        let args: Vec<Value> = args.iter().map(|arg| self.rvalue(arg)).collect();
        let ty = self.types.make(Kind::Thread);
        if self.frame.constant {
            self.frame.not_constant.get_or_insert(span);
            return self.placeholder(ty);
        }
        let entry = match self.known_procedure(&entry.expr) {
            Some(procedure) => Callee::Direct(self.adapted(procedure, &args)),
            None => Callee::Indirect(entry.expr),
        };
        let args = args.into_iter().map(|value| value.expr).collect();
        let to = self.body.temporary(Type::Thread);
        self.emit(Action::Spawn { to, entry, args }, span);
        Value { ty, expr: Expr::Local(to) }
    }

    /// A thread's procedure takes just these arguments and returns a pointer. A function of
    /// another signature is started through an adapter.
    fn adapted(&mut self, procedure: ProcId, args: &[Value]) -> ProcId {
        let Planned::Function(of) = self.procedures[procedure.as_u32() as usize] else {
            return procedure;
        };
        let wanted = FnType {
            ret: self.types.void_pointer(),
            params: args.iter().map(|value| value.ty).collect(),
            variadic: false,
            prototype: true,
        };
        let own = self.types.as_function(self.global(of).ty);
        if own.is_some_and(|own| self.same_signature(&own, &wanted)) {
            return procedure;
        }
        let same = |planned: &Planned| {
            matches!(planned, Planned::Adapter { function, signature, .. }
                if *function == procedure && **signature == wanted)
        };
        match self.procedures.iter().position(same) {
            Some(known) => ProcId::from_u32(known as u32),
            None => self.reserve_procedure(Planned::Adapter {
                function: procedure,
                signature: wanted.into(),
                of,
            }),
        }
    }

    fn join(&mut self, thread: &'a ast::Expr, span: Span) -> Value {
        let thread = self.rvalue(thread);
        let ty = self.types.void_pointer();
        if self.frame.constant {
            self.frame.not_constant.get_or_insert(span);
            return self.placeholder(ty);
        }
        let to = self.body.temporary(Type::Ptr);
        self.emit(Action::Join { thread: thread.expr, to: Some(to) }, span);
        Value { ty, expr: Expr::Local(to) }
    }

    fn alloc(&mut self, size: &'a ast::Expr, zeroed: &'a ast::Expr, span: Span) -> Value {
        let size_type = self.types.size_type();
        let value = self.rvalue(size);
        let size = self.convert(value, size_type, span).expr;
        let zeroed = self.constant_int(zeroed, "whether memory is zeroed") != 0;
        let ty = self.types.void_pointer();
        if self.frame.constant {
            self.frame.not_constant.get_or_insert(span);
            return self.placeholder(ty);
        }
        let layout = self.element_layout(&size);
        let to = self.body.temporary(Type::Ptr);
        let storage = Storage::Heap;
        self.emit(Action::Alloc { to, storage, layout, size, zeroed }, span);
        Value { ty, expr: Expr::Local(to) }
    }

    /// The layout of what memory of this size will hold, by the pointer that it is assigned to.
    /// Where the size is no multiple of the element's, nothing is known.
    pub(super) fn element_layout(&mut self, size: &Expr) -> selvedge_ir::LayoutId {
        let element = self
            .frame
            .element
            .filter(|ty| self.types.is_complete(*ty) && !self.types.is_runtime_sized(*ty));
        let Some(element) = element else { return self.bytes_layout(1) };
        let bytes = self.types.size(element);
        match bytes > 0 && is_multiple(size, bytes) {
            true => self.layout(element),
            false => self.bytes_layout(1),
        }
    }
}

/// Whether a size is certainly a multiple of `bytes`.
fn is_multiple(size: &Expr, bytes: u64) -> bool {
    match size {
        _ if bytes == 1 => true,
        Expr::Const(Const::Int(total, _)) => total % bytes == 0,
        Expr::Binary(BinaryOp::Mul, a, b) => is_multiple(a, bytes) || is_multiple(b, bytes),
        Expr::Binary(BinaryOp::Add, a, b) => is_multiple(a, bytes) && is_multiple(b, bytes),
        _ => false,
    }
}
