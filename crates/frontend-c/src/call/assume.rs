//! What is taken for granted while lowering, and where: a proof names it.

use selvedge_c_syntax::ast::{self, Span};
use selvedge_ir::{Assumed, Assumption};

use crate::atomics::Operation;
use crate::lowering::Lowering;

/// gcc's number of `memory_order_seq_cst`.
const SEQ_CST: i128 = 5;

impl<'a> Lowering<'a> {
    /// Takes note of an assumption, once for each place. Inside a library function that is the call.
    pub(crate) fn assume_that(&mut self, what: Assumption, span: Span) {
        let assumed = Assumed { what, span: self.place(span) };
        if !self.program.assumed.contains(&assumed) {
            self.program.assumed.push(assumed);
        }
    }

    /// An order weaker than the one that everything is taken to have.
    pub(super) fn note_order(
        &mut self,
        operation: Operation,
        name: &str,
        rest: &'a [ast::Expr],
        span: Span,
    ) {
        let before = match operation {
            _ if name.starts_with("__sync") => return,
            Operation::Fence | Operation::IsLockFree => return,
            Operation::SwapBool | Operation::SwapValue => return,
            Operation::Load | Operation::TestAndSet | Operation::Clear => 0,
            Operation::LoadInto | Operation::Store | Operation::StoreFrom => 1,
            Operation::Exchange | Operation::Modify { .. } => 1,
            Operation::ExchangeInto | Operation::CompareC11 { .. } => 2,
            Operation::Compare | Operation::CompareFrom => 3,
        };
        let orders = rest.get(before..).unwrap_or_default();
        if orders.iter().any(|order| self.try_constant_int(order) != Some(SEQ_CST)) {
            self.assume_that(Assumption::SequentialConsistency, span);
        }
    }
}
