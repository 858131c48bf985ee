//! Pragmas that are not supported, and those that hold for records.

use std::rc::Rc;

use super::Parser;
use crate::ast::{
    Attribute, Block, BlockItem, Encoding, Expr, ExprKind, IntegerLiteral, LongSuffix, Span,
    Statement, StatementKind, StringLiteral,
};

impl Parser<'_> {
    /// The next unsupported pragma before the next token.
    pub(super) fn take_pragma(&mut self) -> Option<(Span, Rc<str>)> {
        let next = self.pragmas.unsupported.get(self.pragmas_taken)?;
        if !self.at_end() && next.0.start >= self.span().start {
            return None;
        }
        self.pragmas_taken += 1;
        Some(next.clone())
    }

    /// The same as a statement.
    pub(super) fn pragma_statement(&mut self) -> Option<Statement> {
        let (span, what) = self.take_pragma()?;
        Some(Statement { kind: StatementKind::Unsupported(what), span })
    }

    /// The pragmas in force at the end of a record, as attributes.
    pub(super) fn record_pragmas(&self, span: Span, attributes: &mut Vec<Attribute>) {
        if let Some(bytes) = last(&self.pragmas.packing, span.start).flatten() {
            let value = IntegerLiteral {
                value: bytes.into(),
                decimal: true,
                unsigned: false,
                long: LongSuffix::None,
            };
            let bytes = Expr { kind: ExprKind::Integer(value), span };
            attributes.push(Attribute { name: "pragma_pack".into(), args: vec![bytes], span });
        }
        let name = "scalar_storage_order";
        let own = attributes.iter().any(|attribute| &*attribute.name == name);
        if last(&self.pragmas.big_endian, span.start) == Some(true) && !own {
            let units = "big-endian".bytes().map(u32::from).collect();
            let text = StringLiteral { units, encoding: Encoding::Plain };
            let order = Expr { kind: ExprKind::String(text), span };
            let name = format!("pragma_{name}").into();
            attributes.push(Attribute { name, args: vec![order], span });
        }
    }
}

/// What holds at an offset, by the last change before it.
fn last<T: Copy>(changes: &[(u32, T)], at: u32) -> Option<T> {
    let before = changes.partition_point(|&(change, _)| change < at);
    Some(changes[before.checked_sub(1)?].1)
}

/// The statement after another one, in a block that has no scope of its own to speak of.
pub(super) fn after(first: Statement, then: Statement) -> Statement {
    let span = first.span.to(then.span);
    let items = vec![BlockItem::Statement(first), BlockItem::Statement(then)];
    Statement { kind: StatementKind::Block(Block { items, span }), span }
}
