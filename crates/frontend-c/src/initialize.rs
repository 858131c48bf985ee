//! Initialisers: which expression sets which part of an object (C11 6.7.9).
//!
//! The rules of braces, designators and what may be left out are applied once, here, and give a
//! flat list of [`Leaf`]s in the order of the source. Static objects evaluate the leaves as
//! constants, locals store them.

mod fixed;
mod local;

use selvedge_c_syntax::ast::{self, Designator, ExprKind, InitItem, Initializer, Span};

use crate::initializer::Init;
use crate::lowering::Lowering;
use crate::types::{BitField, Field, Kind, Len, Ty};

/// A part of an object and what it is set to.
#[derive(Clone, Debug)]
pub(crate) struct Leaf<'a> {
    pub offset: u64,
    pub ty: Ty,
    /// The pieces' offsets are from the object's start.
    pub bits: Option<BitField>,
    pub source: Source<'a>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'a> {
    Expr(&'a ast::Expr),
    /// A unit of a string, or a value that the front end knows.
    Number(i128),
}

/// A list of initialisers, and how far it has been used.
struct Items<'a> {
    items: &'a [InitItem],
    at: usize,
    /// The item whose designators have been followed already.
    designated: Option<usize>,
}

struct Plan<'a> {
    leaves: Vec<Leaf<'a>>,
    /// Elements that an outermost array of unknown length needs.
    count: u64,
}

impl<'a> Lowering<'a> {
    /// The type with its length, where the initialiser tells it.
    pub fn completed(&mut self, ty: Ty, init: Init<'a>) -> Ty {
        match *self.types.kind(ty) {
            Kind::Array(element, Len::Unknown) => {
                let plan = self.plan(ty, init);
                let array = self.types.array(element, Len::Fixed(plan.count));
                array.qualified_like(ty)
            }
            _ => ty,
        }
    }

    /// The parts that an initialiser sets.
    pub fn leaves(&mut self, ty: Ty, init: Init<'a>) -> Vec<Leaf<'a>> {
        self.plan(ty, init).leaves
    }

    fn plan(&mut self, ty: Ty, init: Init<'a>) -> Plan<'a> {
        let mut plan = Plan { leaves: Vec::new(), count: 0 };
        plan.count = self.plan_object(ty, 0, None, init, &mut plan.leaves);
        plan
    }

    /// Returns the number of elements, for an array.
    fn plan_object(
        &mut self,
        ty: Ty,
        offset: u64,
        bits: Option<BitField>,
        init: Init<'a>,
        leaves: &mut Vec<Leaf<'a>>,
    ) -> u64 {
        match init {
            Init::Expr(expr) => match self.string_for(ty, expr) {
                Some(literal) => self.plan_string(ty, offset, literal, expr.span, leaves),
                None => {
                    let (source, span) = (Source::Expr(expr), expr.span);
                    leaves.push(Leaf { offset, ty, bits, source, span });
                    0
                }
            },
            Init::List(items, span) if self.is_foreign_model(ty) => {
                self.plan_model(ty, offset, items, span, leaves);
                0
            }
            Init::List(items, span) => {
                // Braces around a string, or around a scalar.
                if let [InitItem { designators, init }] = items
                    && designators.is_empty()
                {
                    let string = match init {
                        Initializer::Expr(expr) => self.string_for(ty, expr).is_some(),
                        Initializer::List(..) => false,
                    };
                    if string || !self.has_parts(ty) {
                        return self.plan_object(ty, offset, bits, init.into(), leaves);
                    }
                }
                if !self.has_parts(ty) {
                    if items.is_empty() {
                        let source = Source::Number(0);
                        leaves.push(Leaf { offset, ty, bits, source, span });
                    } else if !self.types.is_error(ty) {
                        self.error("initialiser", span, "too many initialisers for a scalar");
                    }
                    return 0;
                }
                let mut items = Items { items, at: 0, designated: None };
                let count = self.plan_parts(ty, offset, &mut items, true, 0, leaves);
                if let Some(extra) = items.items.get(items.at) {
                    let span = span_of(&extra.init);
                    self.warn("initialiser", span, "more initialisers than members");
                }
                count
            }
        }
    }

    fn has_parts(&self, ty: Ty) -> bool {
        matches!(self.types.kind(ty), Kind::Record(_) | Kind::Array(..) | Kind::Vector(..))
    }

    /// The parts of an aggregate from number `index` on. Without braces of its own, it stops where
    /// the aggregate is full or a designator speaks about an outer one.
    fn plan_parts(
        &mut self,
        ty: Ty,
        offset: u64,
        items: &mut Items<'a>,
        braced: bool,
        mut index: u64,
        leaves: &mut Vec<Leaf<'a>>,
    ) -> u64 {
        let mut count = index;
        while let Some(item) = items.items.get(items.at) {
            let designators: &'a [Designator] = match items.designated == Some(items.at) {
                true => &[],
                false => &item.designators,
            };
            if let Some((first, rest)) = designators.split_first() {
                if !braced {
                    break;
                }
                let Some((low, high)) = self.designated(ty, first, span_of(&item.init)) else {
                    items.at += 1;
                    continue;
                };
                let start = items.at;
                for position in low..=high {
                    items.at = start;
                    self.plan_designated(ty, offset, position, first, rest, items, leaves);
                }
                index = high + 1;
                count = count.max(index);
                continue;
            }
            let Some((part, at)) = self.part(ty, index) else { break };
            self.plan_item(part.ty, offset + at, shifted(&part, offset), items, leaves);
            index += 1;
            count = count.max(index);
            if self.types.as_record(ty).is_some_and(|(_, record)| record.union) {
                index = u64::MAX;
            }
        }
        count
    }

    /// A part that a designator names; what follows without designators continues after it.
    #[allow(clippy::too_many_arguments)]
    fn plan_designated(
        &mut self,
        ty: Ty,
        offset: u64,
        position: u64,
        first: &'a Designator,
        rest: &'a [Designator],
        items: &mut Items<'a>,
        leaves: &mut Vec<Leaf<'a>>,
    ) {
        let Some((part, at)) = self.part(ty, position) else {
            items.at += 1;
            return;
        };
        let base = offset + at;
        // A member of an anonymous member: the same designator counts once more inside.
        let inner: Option<&'a [Designator]> = match (first, &part.name) {
            (Designator::Field(_), None) => Some(std::slice::from_ref(first)),
            _ => None,
        };
        let next = match inner {
            Some(again) => again.first().map(|first| (first, rest)),
            None => rest.split_first(),
        };
        match next {
            None => {
                items.designated = Some(items.at);
                self.plan_item(part.ty, base, shifted(&part, offset), items, leaves);
            }
            Some((first, rest)) => {
                let span = items.items.get(items.at).map(|item| span_of(&item.init));
                let Some((low, high)) = self.designated(part.ty, first, span.unwrap_or_default())
                else {
                    items.at += 1;
                    return;
                };
                let start = items.at;
                for position in low..=high {
                    items.at = start;
                    self.plan_designated(part.ty, base, position, first, rest, items, leaves);
                }
                let union = self.types.as_record(part.ty).is_some_and(|(_, r)| r.union);
                if !union {
                    self.plan_parts(part.ty, base, items, false, high + 1, leaves);
                }
            }
        }
    }

    /// One part, from the next item; an aggregate without braces takes as many as it needs.
    fn plan_item(
        &mut self,
        ty: Ty,
        offset: u64,
        bits: Option<BitField>,
        items: &mut Items<'a>,
        leaves: &mut Vec<Leaf<'a>>,
    ) {
        let init = &items.items[items.at].init;
        let whole = match init {
            Initializer::List(..) => true,
            Initializer::Expr(expr) => {
                !self.has_parts(ty)
                    || self.is_foreign_model(ty)
                    || self.string_for(ty, expr).is_some()
                    || self.is_value_of(ty, expr)
            }
        };
        if whole {
            items.at += 1;
            self.plan_object(ty, offset, bits, init.into(), leaves);
        } else {
            let before = items.at;
            self.plan_parts(ty, offset, items, false, 0, leaves);
            // An aggregate without parts uses nothing, but its designator is done with.
            if items.at == before && items.designated == Some(before) {
                items.at += 1;
            }
        }
    }

    /// Whether the expression is a whole record (or vector) of the type.
    fn is_value_of(&mut self, ty: Ty, expr: &'a ast::Expr) -> bool {
        if matches!(self.types.kind(ty), Kind::Array(..)) {
            return matches!(expr.kind, ExprKind::CompoundLiteral { .. });
        }
        let found = self.type_of_expr(expr);
        self.types.compatible(found, ty)
    }

    /// The number of the part that a designator names, or the range of numbers.
    fn designated(&mut self, ty: Ty, designator: &'a Designator, span: Span) -> Option<(u64, u64)> {
        match (designator, self.types.kind(ty).clone()) {
            (Designator::Field(name), Kind::Record(id)) => {
                let fields = &self.types.record(id).fields;
                let holds = |field: &Field| match &field.name {
                    Some(own) => *own == name.name,
                    None => self.find_field(field.ty, &name.name).is_some(),
                };
                let found = fields.iter().position(holds);
                if found.is_none() {
                    let message =
                        format!("`{}` has no member `{}`", self.types.describe(ty), name.name);
                    self.error("no-member", name.span, message);
                }
                found.map(|index| (index as u64, index as u64))
            }
            (Designator::Index(index), Kind::Array(..)) => {
                let index = self.constant_int(index, "an index in an initialiser");
                self.index_range(ty, index, index, span)
            }
            (Designator::Range(low, high), Kind::Array(..)) => {
                let low = self.constant_int(low, "an index in an initialiser");
                let high = self.constant_int(high, "an index in an initialiser");
                self.index_range(ty, low, high, span)
            }
            _ => {
                let message = format!("this designator does not fit `{}`", self.types.describe(ty));
                self.error("designator", span, message);
                None
            }
        }
    }

    fn index_range(&mut self, ty: Ty, low: i128, high: i128, span: Span) -> Option<(u64, u64)> {
        let inside = match self.types.kind(ty) {
            Kind::Array(_, Len::Fixed(count)) => high < i128::from(*count),
            _ => high < 1 << 32,
        };
        if low < 0 || high < low || !inside {
            self.error("designator", span, "this index lies outside the array");
            return None;
        }
        Some((low as u64, high as u64))
    }

    /// Part number `index` of an aggregate, and its offset.
    fn part(&mut self, ty: Ty, index: u64) -> Option<(Field, u64)> {
        let element = |ty: Ty, size: u64| {
            let offset = index.saturating_mul(size);
            (Field { name: Some("".into()), ty, offset, bits: None, chosen_by: None }, offset)
        };
        match *self.types.kind(ty) {
            Kind::Record(id) => {
                let field = self.types.record(id).fields.get(usize::try_from(index).ok()?)?;
                let at = if field.bits.is_some() { 0 } else { field.offset };
                Some((field.clone(), at))
            }
            Kind::Array(inner, Len::Fixed(count)) => {
                (index < count).then(|| element(inner, self.types.size(inner)))
            }
            Kind::Array(inner, _) => {
                (index != u64::MAX).then(|| element(inner, self.types.size(inner)))
            }
            Kind::Vector(inner, bytes) => {
                let size = self.types.size(inner).max(1);
                (index < bytes / size).then(|| element(inner, size))
            }
            _ => None,
        }
    }

    /// The string literal, if it initialises an array of characters.
    fn string_for(&self, ty: Ty, expr: &'a ast::Expr) -> Option<&'a ast::StringLiteral> {
        let Kind::Array(element, _) = *self.types.kind(ty) else { return None };
        match &expr.kind {
            ExprKind::String(literal) if self.types.is_integer(element) => Some(literal),
            ExprKind::Unary { op: ast::UnaryOp::Extension, operand } => {
                self.string_for(ty, operand)
            }
            _ => None,
        }
    }

    fn plan_string(
        &mut self,
        ty: Ty,
        offset: u64,
        literal: &'a ast::StringLiteral,
        span: Span,
        leaves: &mut Vec<Leaf<'a>>,
    ) -> u64 {
        let Kind::Array(element, len) = *self.types.kind(ty) else { return 0 };
        let needed = literal.units.len() as u64 + 1;
        let room = match len {
            Len::Fixed(count) => count,
            _ => needed,
        };
        let size = self.types.size(element);
        for (index, unit) in literal.units.iter().chain([&0]).enumerate() {
            if (index as u64) < room {
                leaves.push(Leaf {
                    offset: offset + index as u64 * size,
                    ty: element,
                    bits: None,
                    source: Source::Number(i128::from(*unit)),
                    span,
                });
            }
        }
        needed
    }

    /// Whether a type of the library models is being initialised by the user's code, whose braces
    /// were made for the system's own type.
    fn is_foreign_model(&self, ty: Ty) -> bool {
        !self.in_model() && self.types.as_record(ty).is_some_and(|(_, record)| record.model)
    }

    /// All zero means all zero; a number other than zero is for the member whose value the program
    /// may choose (the kind of a mutex).
    fn plan_model(
        &mut self,
        ty: Ty,
        offset: u64,
        items: &'a [InitItem],
        span: Span,
        leaves: &mut Vec<Leaf<'a>>,
    ) {
        let mut numbers = Vec::new();
        for item in items {
            crate::visit::expressions_of_initializer(&item.init, &mut |e| numbers.push(e));
        }
        let mut chosen = 0;
        for expr in numbers {
            match self.try_constant_int(expr) {
                Some(0) => {}
                // Parents come before their parts: `-1` and `1` are one number.
                Some(value) if chosen == 0 => chosen = value,
                Some(_) => {}
                None if matches!(expr.kind, ExprKind::Ident(_) | ExprKind::Call { .. }) => {
                    self.unsupported(
                        "an initialiser of a library type that is not one of the library's own",
                        span,
                    );
                }
                None => {}
            }
        }
        let member = self.types.as_record(ty).and_then(|(_, record)| {
            record.fields.iter().find(|field| field.chosen_by.is_some()).cloned()
        });
        let looked_at = |field: &Field| field.chosen_by.as_deref().is_some_and(|f| self.uses(f));
        match member {
            _ if chosen == 0 => self.plan_zero(ty, offset, span, leaves),
            Some(field) if looked_at(&field) => {
                self.plan_zero(ty, offset, span, leaves);
                leaves.push(Leaf {
                    offset: offset + field.offset,
                    ty: field.ty,
                    bits: None,
                    source: Source::Number(chosen),
                    span,
                });
            }
            _ => self.unsupported(
                "an initialiser of a library type that is not one of the library's own",
                span,
            ),
        }
    }

    /// Zero for every scalar.
    fn plan_zero(&mut self, ty: Ty, offset: u64, span: Span, leaves: &mut Vec<Leaf<'a>>) {
        if self.types.scalar(ty).is_some() {
            let source = Source::Number(0);
            return leaves.push(Leaf { offset, ty, bits: None, source, span });
        }
        for index in 0.. {
            let Some((part, at)) = self.part(ty, index) else { break };
            self.plan_zero(part.ty, offset + at, span, leaves);
        }
    }
}

/// A bit-field with its offsets from the object's start.
fn shifted(field: &Field, offset: u64) -> Option<BitField> {
    let mut bits = field.bits.clone()?;
    bits.pieces.iter_mut().chain(&mut bits.shared).for_each(|piece| piece.offset += offset);
    Some(bits)
}

pub(crate) fn span_of(init: &Initializer) -> Span {
    match init {
        Initializer::Expr(expr) => expr.span,
        Initializer::List(_, span) => *span,
    }
}
