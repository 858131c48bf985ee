//! Constants as the constant pool has them.

use cafebabe::constant_pool::LiteralConstant;

use crate::Literal;

/// None for strings that are not Unicode.
pub(crate) fn literal(constant: &LiteralConstant<'_>) -> Option<Literal> {
    Some(match constant {
        LiteralConstant::Integer(value) => Literal::Int(*value),
        LiteralConstant::Long(value) => Literal::Long(*value),
        LiteralConstant::Float(value) => Literal::Float(*value),
        LiteralConstant::Double(value) => Literal::Double(*value),
        LiteralConstant::String(text) => Literal::String(text.to_string()),
        LiteralConstant::StringBytes(_) => return None,
    })
}
