//! What is taken for granted while lowering, and where: a proof names it.

use selvedge_c_syntax::ast::Span;
use selvedge_ir::{Assumed, Assumption};

use crate::lowering::Lowering;

impl Lowering<'_> {
    /// Takes note of an assumption, once for each place. Inside a library function that is the call.
    pub(crate) fn assume_that(&mut self, what: Assumption, span: Span) {
        let assumed = Assumed { what, span: self.place(span) };
        if !self.program.assumed.contains(&assumed) {
            self.program.assumed.push(assumed);
        }
    }
}
