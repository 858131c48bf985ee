//! What runs before `main` and at the end of the program without being called: constructors,
//! destructors, and functions registered with `atexit`.

use selvedge_c_syntax::ast::Span;
use selvedge_ir::Callee;

use crate::lowering::{GlobalId, Lowering};

impl Lowering<'_> {
    /// Whether something runs at the end of the program.
    pub fn has_last_functions(&self) -> bool {
        self.uses("atexit") || self.uses("__selvedge_destructors")
    }

    /// What happens before the first statement of `main`.
    pub fn before_main(&mut self, span: Span) {
        let strange: Vec<_> =
            self.units.iter().flat_map(|unit| unit.symbols.strange.iter().cloned()).collect();
        for (what, span) in strange {
            self.unsupported(what.to_string(), span);
        }
        let constructors = self.runs(true);
        if self.has_last_functions() {
            self.call_model("__selvedge_begin", span);
        }
        let called = self.uses("main");
        if called && (!constructors.is_empty() || self.has_last_functions()) {
            self.unsupported("a call of `main` where functions run before it or after it", span);
        }
        constructors.into_iter().for_each(|id| self.call_without_arguments(id));
    }

    /// Calls the functions with the attribute `destructor`.
    pub(super) fn call_destructors(&mut self) {
        self.runs(false).into_iter().for_each(|id| self.call_without_arguments(id));
    }

    fn call_without_arguments(&mut self, id: GlobalId) {
        let span = self.global(id).span;
        let Some(function) = self.types.as_function(self.global(id).ty) else { return };
        if !function.params.is_empty() {
            let what = "a function with parameters that runs without being called";
            return self.unsupported(what, span);
        }
        let procedure = self.procedure_for(id);
        self.emit_call(Callee::Direct(procedure), &function, Vec::new(), span);
    }

    /// Calls a function of the library models that takes nothing.
    pub fn call_model(&mut self, name: &str, span: Span) {
        let Some(id) = self.library_function(name) else { return };
        let Some(function) = self.types.as_function(self.global(id).ty) else { return };
        let procedure = self.procedure_for(id);
        self.emit_call(Callee::Direct(procedure), &function, Vec::new(), span);
    }
}
