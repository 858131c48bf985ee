//! Initialisers of locals: stores, in the order of the source.

use std::collections::HashSet;

use selvedge_c_syntax::ast::{self, ExprKind, InitItem, Span, TypeName};
use selvedge_ir::Expr;

use super::{Leaf, Source};
use crate::expr::{Lvalue, Place};
use crate::initializer::Init;
use crate::lowering::{Definition, Global, Lowering};
use crate::types::{Kind, Len, Ty};

/// Initialisers of ranges (`[0 ... 2] = f()`), which are evaluated once for all elements.
struct Ranges<'a> {
    values: Vec<(&'a ast::Expr, Option<Expr>)>,
}

impl<'a> Ranges<'a> {
    fn new(leaves: &[Leaf<'a>]) -> Ranges<'a> {
        let mut seen = HashSet::new();
        let mut repeated = HashSet::new();
        let mut values = Vec::new();
        for leaf in leaves {
            if let Source::Expr(expr) = leaf.source
                && !seen.insert(std::ptr::from_ref(expr))
                && repeated.insert(std::ptr::from_ref(expr))
            {
                values.push((expr, None));
            }
        }
        Ranges { values }
    }

    /// The initialisers, each once.
    fn sources(&self, leaves: &[Leaf<'a>]) -> Vec<&'a ast::Expr> {
        let mut seen = HashSet::new();
        let expr = |leaf: &Leaf<'a>| match leaf.source {
            Source::Expr(expr) => seen.insert(std::ptr::from_ref(expr)).then_some(expr),
            Source::Number(_) => None,
        };
        leaves.iter().filter_map(expr).collect()
    }

    fn known(&self, expr: &ast::Expr) -> Option<Expr> {
        self.values.iter().find(|(e, _)| std::ptr::eq(*e, expr))?.1.clone()
    }

    /// The value in a form that stays, if the initialiser is one of a range.
    fn keep(&mut self, expr: &ast::Expr, save: impl FnOnce() -> Expr) -> Option<Expr> {
        let (_, value) = self.values.iter_mut().find(|(e, _)| std::ptr::eq(*e, expr))?;
        Some(value.insert(save()).clone())
    }
}

/// Up to here, parts without an initialiser are cleared one by one.
const FEW: usize = 64;

impl<'a> Lowering<'a> {
    /// Whether all parts that the initialiser does not mention must become zero.
    pub fn wants_zero(&self, init: Init<'a>) -> bool {
        match init {
            Init::List(..) => true,
            Init::Expr(expr) => matches!(expr.kind, ExprKind::String(_)),
        }
    }

    /// Stores an initialiser's values. `zeroed`: the object has just been allocated as zero.
    pub fn initialize_local(&mut self, at: Expr, ty: Ty, init: Init<'a>, zeroed: bool, span: Span) {
        let leaves = self.leaves(ty, init);
        if self.types.is_constant(ty) {
            self.fix(&leaves, span);
        }
        if self.wants_zero(init) && !zeroed {
            self.clear_rest(&at, ty, &leaves, span);
        }
        let mut ranges = Ranges::new(&leaves);
        let sources = ranges.sources(&leaves);
        self.in_any_order(&sources, |this| {
            for leaf in leaves {
                this.initialize_leaf(&at, leaf, zeroed, &mut ranges);
            }
        });
    }

    /// Takes note of where an object that is `const` is made and gets its value.
    fn fix(&mut self, leaves: &[Leaf<'a>], span: Span) {
        let made = self.place(span);
        self.fixed.allocated.insert(made);
        self.fixed.initialised.insert(made);
        for leaf in leaves {
            let place = self.place(leaf.span);
            self.fixed.initialised.insert(place);
        }
    }

    fn initialize_leaf(
        &mut self,
        at: &Expr,
        leaf: Leaf<'a>,
        zeroed: bool,
        ranges: &mut Ranges<'a>,
    ) {
        let place = match &leaf.bits {
            Some(bits) => Place::Bits(at.clone(), bits.clone()),
            None => Place::Memory(self.offset(at.clone(), leaf.offset)),
        };
        // Initialisation is no atomic access, whatever the type.
        let lvalue = Lvalue { ty: Ty { constant: false, atomic: false, ..leaf.ty }, place };
        let value = match leaf.source {
            Source::Number(number) => self.number(number, leaf.ty, leaf.span),
            Source::Expr(expr) => match ranges.known(expr) {
                Some(known) => known,
                None => {
                    let value = self.value_for(&lvalue, expr);
                    ranges.keep(expr, || self.saved(&value, leaf.span)).unwrap_or(value.expr)
                }
            },
        };
        let zero = matches!(&value, Expr::Const(c) if *c == selvedge_ir::Const::zero(c.ty()));
        let already = zero && zeroed && leaf.bits.is_none();
        if !already {
            self.store(&lvalue, value, leaf.span);
        }
    }

    /// Clears what no leaf sets.
    fn clear_rest(&mut self, at: &Expr, ty: Ty, leaves: &[Leaf<'a>], span: Span) {
        let mut scalars = Vec::new();
        let few = self.scalars(ty, 0, &mut scalars);
        let union = self.has_union(ty);
        if !few || union || leaves.iter().any(|leaf| leaf.bits.is_some()) {
            return self.clear(at.clone(), ty, span);
        }
        for (offset, scalar) in scalars {
            let set = leaves.iter().any(|leaf| {
                leaf.offset <= offset && offset < leaf.offset + self.types.size(leaf.ty).max(1)
            });
            if !set {
                let place = self.offset(at.clone(), offset);
                self.clear(place, scalar, span);
            }
        }
    }

    fn has_union(&self, ty: Ty) -> bool {
        match self.types.kind(ty) {
            Kind::Record(id) => {
                let record = self.types.record(*id);
                record.union
                    || record.fields.iter().any(|f| f.bits.is_some() || self.has_union(f.ty))
            }
            Kind::Array(element, _) => self.has_union(*element),
            _ => false,
        }
    }

    /// The scalars of a type by offset; false if there are too many to list.
    fn scalars(&self, ty: Ty, offset: u64, into: &mut Vec<(u64, Ty)>) -> bool {
        match self.types.kind(ty) {
            Kind::Record(id) => {
                let record = self.types.record(*id);
                record.fields.iter().all(|f| self.scalars(f.ty, offset + f.offset, into))
            }
            Kind::Array(element, Len::Fixed(count)) => {
                let size = self.types.size(*element);
                *count <= FEW as u64
                    && (0..*count).all(|i| self.scalars(*element, offset + i * size, into))
            }
            _ => {
                into.push((offset, ty));
                into.len() <= FEW
            }
        }
    }

    /// `(T){ ... }`: an object of the block; at file level and where a constant is wanted, a
    /// static one.
    pub fn compound_literal(
        &mut self,
        name: &'a TypeName,
        init: &'a [InitItem],
        span: Span,
    ) -> Lvalue {
        let ty = self.type_name(name);
        let list = Init::List(init, span);
        let ty = self.completed(ty, list);
        if self.frame.constant || self.frame.scopes.is_empty() {
            return self.static_literal(ty, list, span);
        }
        let at = self.object_of_block("literal", ty, span);
        self.initialize_local(at.clone(), ty, list, false, span);
        Lvalue { ty, place: Place::Memory(at) }
    }

    fn static_literal(&mut self, ty: Ty, init: Init<'a>, span: Span) -> Lvalue {
        let id = self.add_global(Global {
            name: "literal".into(),
            ty,
            unit: self.frame.unit,
            span,
            external: false,
            thread_local: false,
            definition: Definition::Variable(init),
            owner: None,
            scopes: self.frame.scopes.clone(),
        });
        self.global_lvalue(id, span)
    }
}
