//! Expressions: what names mean, which types numbers have. Where an expression mentions shared
//! memory, each mention becomes a load into a temporary before the action, from left to right.

use super::Lowered;
use super::body::Lowering;
use crate::text::ast::{Expr as Syntax, ExprOf, Name, Path, Step};
use crate::text::lexer::At;
use crate::text::names::{element, field, nearest};
use crate::{Action, BinaryOp, Const, Expr, Int, LayoutId, Place, Shape, Type, UnaryOp};

impl Lowering<'_> {
    /// The expression and its type, which is `want` if that is given.
    pub fn value(&mut self, e: &Syntax, want: Option<Type>) -> Lowered<(Expr, Type)> {
        let (expr, ty) = self.any_value(e, want)?;
        match want {
            Some(want) if want != ty => self.mismatch(e.at, want, &ty.to_string()),
            _ => Ok((expr, ty)),
        }
    }

    fn mismatch<T>(&mut self, at: At, want: Type, found: &str) -> Lowered<T> {
        let error = at.error(format!("expected {want}, found {found}"));
        let error = match want {
            Type::Bool => error.help("compare it, as in `x != 0`"),
            Type::Ptr if found == "a number" => error.help("the null pointer is `null`"),
            Type::Thread if found == "a number" => error.help("no thread is `none`"),
            _ => error.help(format!("a conversion is written `{want}(e)`")),
        };
        self.globals.fail(error)
    }

    fn any_value(&mut self, e: &Syntax, want: Option<Type>) -> Lowered<(Expr, Type)> {
        match &e.kind {
            ExprOf::Number(value, ty) => self.number(*value, *ty, want, e.at),
            ExprOf::Bool(b) => Ok((Expr::Const(Const::Bool(*b)), Type::Bool)),
            ExprOf::Null => Ok((Expr::NULL, Type::Ptr)),
            ExprOf::None => Ok((Expr::Const(Const::NoThread), Type::Thread)),
            ExprOf::Tid => Ok((Expr::Tid, Type::Thread)),
            ExprOf::Path(path) => match self.local_of(path) {
                Some(local) => Ok((Expr::Local(local), self.procedure.locals[local].ty)),
                None => {
                    let place = self.path_place(path)?;
                    let ty = place.ty;
                    Ok((self.read(place, e.at)?, ty))
                }
            },
            ExprOf::Deref(addr, ty) => {
                let addr = self.value(addr, Some(Type::Ptr))?.0;
                Ok((self.read(Place::new(addr, *ty), e.at)?, *ty))
            }
            ExprOf::Address(path) => Ok((self.address(path)?, Type::Ptr)),
            ExprOf::AddressPlus(path, bytes) => match self.address(path)? {
                Expr::Const(Const::Object(id, offset)) => {
                    let offset = offset.saturating_add(*bytes);
                    Ok((Expr::Const(Const::Object(id, offset)), Type::Ptr))
                }
                _ => self.globals.fail(e.at.error("this address is not constant")),
            },
            ExprOf::ProcAddress(name) => {
                let id = self.globals.procedure_named(name)?;
                Ok((Expr::Const(Const::Proc(id)), Type::Ptr))
            }
            ExprOf::Unary(op, a) => self.unary(*op, a, want),
            ExprOf::Binary(op, a, b) => self.binary(*op, (e, a, b), want),
            ExprOf::And(a, b) => self.logical(BinaryOp::And, a, b),
            ExprOf::Or(a, b) => self.logical(BinaryOp::Or, a, b),
            ExprOf::Cast(ty, a) => {
                let (operand, from) = self.value(a, None)?;
                self.castable(from, *ty, e.at)?;
                Ok((Expr::cast(*ty, operand), *ty))
            }
            ExprOf::Ite(c, a, b) => self.conditional((c, a, b), want.or_else(|| self.evident(e))),
            ExprOf::SizeOf(layout) => {
                let size = self.globals.layout_size(layout)?;
                self.number(size.into(), None, want, e.at)
            }
            ExprOf::OffsetOf(layout, steps) => {
                let layout = self.globals.layout_id(layout)?;
                let (offset, _) = self.constant_steps(layout, steps, e.at)?;
                self.number(offset.into(), None, want, e.at)
            }
        }
    }

    fn number(
        &mut self,
        value: i128,
        ty: Option<Int>,
        want: Option<Type>,
        at: At,
    ) -> Lowered<(Expr, Type)> {
        let int = match (ty, want) {
            (Some(int), _) => int,
            (None, Some(Type::Int(int))) => int,
            (None, Some(want)) => return self.mismatch(at, want, "a number"),
            (None, None) => Int::I32,
        };
        if value < int.min() || value > int.max() {
            let error = at.error(format!("{value} does not fit {int}"));
            return self.globals.fail(error.help("a number may end in its type, as in `5u64`"));
        }
        Ok((Expr::int(value, int), Type::Int(int)))
    }

    /// The type that an expression shows where its numbers show none. As in the printer.
    fn evident(&self, e: &Syntax) -> Option<Type> {
        match &e.kind {
            ExprOf::Number(_, ty) => ty.map(Type::Int),
            ExprOf::SizeOf(_) | ExprOf::OffsetOf(..) => None,
            ExprOf::Bool(_) | ExprOf::And(..) | ExprOf::Or(..) => Some(Type::Bool),
            ExprOf::None | ExprOf::Tid => Some(Type::Thread),
            ExprOf::Null
            | ExprOf::Address(_)
            | ExprOf::AddressPlus(..)
            | ExprOf::ProcAddress(_) => Some(Type::Ptr),
            ExprOf::Path(path) => match self.local_of(path) {
                Some(local) => Some(self.procedure.locals[local].ty),
                None => self.path_type(path),
            },
            ExprOf::Deref(_, ty) | ExprOf::Cast(ty, _) => Some(*ty),
            ExprOf::Unary(UnaryOp::Not, _) => Some(Type::Bool),
            ExprOf::Unary(UnaryOp::Float(format, function), _) => {
                Some(Type::Int(format.result(*function)))
            }
            ExprOf::Unary(_, a) => self.evident(a),
            ExprOf::Binary(op, ..) if op.is_test() => Some(Type::Bool),
            ExprOf::Binary(BinaryOp::Float(format, _), ..) => Some(format.ty()),
            ExprOf::Binary(op, a, b) => match (op, self.evident(a)) {
                (BinaryOp::Sub, Some(Type::Ptr)) => {
                    Some(Type::Int(self.globals.program.model.diff_type()))
                }
                (_, Some(ty)) => Some(ty),
                (_, None) => self.evident(b),
            },
            ExprOf::Ite(_, a, b) => self.evident(a).or_else(|| self.evident(b)),
        }
    }

    fn unary(&mut self, op: UnaryOp, a: &Syntax, want: Option<Type>) -> Lowered<(Expr, Type)> {
        if op == UnaryOp::Not {
            let operand = self.value(a, Some(Type::Bool))?.0;
            return Ok((Expr::unary(op, operand), Type::Bool));
        }
        if let UnaryOp::Float(format, function) = op {
            let (operand, ty) = self.value(a, format.operand(function))?;
            self.integer(ty, a.at)?;
            return Ok((Expr::unary(op, operand), Type::Int(format.result(function))));
        }
        let want = want.or_else(|| self.evident(a));
        let (operand, ty) = self.value(a, want)?;
        self.integer(ty, a.at)?;
        Ok((Expr::unary(op, operand), ty))
    }

    fn integer(&mut self, ty: Type, at: At) -> Lowered<()> {
        match ty {
            Type::Int(_) => Ok(()),
            other => self.globals.fail(at.error(format!("expected an integer, found {other}"))),
        }
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        (e, a, b): (&Syntax, &Syntax, &Syntax),
        want: Option<Type>,
    ) -> Lowered<(Expr, Type)> {
        // A sum is a pointer where its left operand is one; a difference of pointers is not.
        let diff = Type::Int(self.globals.program.model.diff_type());
        let perhaps_pointers = match op {
            BinaryOp::Add => want.is_none_or(|want| want == Type::Ptr),
            BinaryOp::Sub => want.is_none_or(|want| want == Type::Ptr || want == diff),
            _ => false,
        };
        if perhaps_pointers && self.evident(a) == Some(Type::Ptr) {
            return self.pointer_arithmetic(op, a, b);
        }
        let operands = match op {
            BinaryOp::Float(format, _) => Some(format.ty()),
            _ if op.is_test() => self.evident(a).or_else(|| self.evident(b)),
            _ => want.or_else(|| self.evident(e)),
        };
        let (left, ty) = self.value(a, operands.or(Some(Type::Int(Int::I32))))?;
        let right = self.value(b, Some(ty))?.0;
        use BinaryOp::*;
        match (op, ty) {
            (Eq | Ne, _) | (Lt | Le | Gt | Ge, Type::Ptr) | (And | Or | Xor, Type::Bool) => {}
            _ => self.integer(ty, a.at)?,
        }
        let result = if op.is_test() { Type::Bool } else { ty };
        Ok((Expr::binary(op, left, right), result))
    }

    fn pointer_arithmetic(
        &mut self,
        op: BinaryOp,
        a: &Syntax,
        b: &Syntax,
    ) -> Lowered<(Expr, Type)> {
        let left = self.value(a, Some(Type::Ptr))?.0;
        let bytes = Type::Int(self.globals.program.model.diff_type());
        if op == BinaryOp::Add {
            let right = self.value(b, Some(bytes))?.0;
            return Ok((Expr::binary(BinaryOp::PtrAdd, left, right), Type::Ptr));
        }
        if self.evident(b) != Some(Type::Ptr) {
            let error = b.at.error("only a pointer can be subtracted from a pointer");
            return self.globals.fail(error.help("to go back n bytes add `-n`"));
        }
        let right = self.value(b, Some(Type::Ptr))?.0;
        Ok((Expr::binary(BinaryOp::PtrSub, left, right), bytes))
    }

    /// `&&` and `||`. Where the right operand reads memory or may go wrong it is evaluated only if
    /// the left does not decide, as in C.
    fn logical(&mut self, op: BinaryOp, a: &Syntax, b: &Syntax) -> Lowered<(Expr, Type)> {
        let left = self.value(a, Some(Type::Bool))?.0;
        if self.cursor.is_none() || !self.has_effect(b) {
            let right = self.value(b, Some(Type::Bool))?.0;
            return Ok((Expr::binary(op, left, right), Type::Bool));
        }
        let result = self.temporary(Type::Bool);
        self.emit(Action::Assign { to: result, value: left }, a.at)?;
        let decided = match op {
            BinaryOp::And => Expr::Local(result).not(),
            _ => Expr::Local(result),
        };
        let value = |lowering: &mut Self| {
            let value = lowering.value(b, Some(Type::Bool))?.0;
            lowering.emit(Action::Assign { to: result, value }, b.at)
        };
        self.either(decided, |_| Ok(()), value)?;
        Ok((Expr::Local(result), Type::Bool))
    }

    fn conditional(
        &mut self,
        (c, a, b): (&Syntax, &Syntax, &Syntax),
        want: Option<Type>,
    ) -> Lowered<(Expr, Type)> {
        let condition = self.value(c, Some(Type::Bool))?.0;
        if self.cursor.is_none() || !(self.has_effect(a) || self.has_effect(b)) {
            let (then, ty) = self.value(a, want)?;
            let otherwise = self.value(b, Some(ty))?.0;
            return Ok((Expr::ite(condition, then, otherwise), ty));
        }
        let ty = want.unwrap_or(Type::Int(Int::I32));
        let result = self.temporary(ty);
        let branch = |lowering: &mut Self, e: &Syntax| {
            let value = lowering.value(e, Some(ty))?.0;
            lowering.emit(Action::Assign { to: result, value }, e.at)
        };
        self.either(condition, |lowering| branch(lowering, a), |lowering| branch(lowering, b))?;
        Ok((Expr::Local(result), ty))
    }

    /// Two ways from the cursor to one location.
    fn either(
        &mut self,
        condition: Expr,
        then: impl FnOnce(&mut Self) -> Lowered<()>,
        otherwise: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let Some(from) = self.cursor else { return Ok(()) };
        let start = self.fresh();
        self.procedure.add_edge(from, Action::Assume(condition.clone()), start, self.span);
        self.cursor = Some(start);
        then(self)?;
        let end = self.cursor.unwrap_or(start);
        let start = self.fresh();
        self.procedure.add_edge(from, Action::Assume(condition.not()), start, self.span);
        self.cursor = Some(start);
        otherwise(self)?;
        let last = self.cursor.unwrap_or(start);
        self.procedure.add_edge(last, Action::Skip, end, self.span);
        self.cursor = Some(end);
        Ok(())
    }

    /// Whether evaluating it reads memory or may go wrong.
    fn has_effect(&self, e: &Syntax) -> bool {
        match &e.kind {
            ExprOf::Path(path) => self.local_of(path).is_none(),
            ExprOf::Deref(..) | ExprOf::Binary(BinaryOp::Div | BinaryOp::Rem, ..) => true,
            ExprOf::Address(path) => !path.steps.is_empty(),
            ExprOf::Unary(_, a) | ExprOf::Cast(_, a) => self.has_effect(a),
            ExprOf::Binary(op, a, b) => {
                // Comparing or subtracting pointers into different objects goes wrong.
                let pointers = self.evident(a) == Some(Type::Ptr) && *op != BinaryOp::Add;
                pointers || self.has_effect(a) || self.has_effect(b)
            }
            ExprOf::And(a, b) | ExprOf::Or(a, b) => self.has_effect(a) || self.has_effect(b),
            ExprOf::Ite(a, b, c) => [a, b, c].into_iter().any(|e| self.has_effect(e)),
            _ => false,
        }
    }

    fn castable(&mut self, from: Type, to: Type, at: At) -> Lowered<()> {
        if crate::types::convertible(from, to) {
            return Ok(());
        }
        self.globals.fail(at.error(format!("there is no conversion from {from} to {to}")))
    }

    pub fn local_of(&self, path: &Path) -> Option<crate::LocalId> {
        if path.global { None } else { self.local_named(&path.name.text) }
            .filter(|_| path.steps.is_empty())
    }

    /// The address of what a path names.
    fn address(&mut self, path: &Path) -> Lowered<Expr> {
        if !path.global && self.local_named(&path.name.text).is_some() {
            let error = path.name.at.error(format!("`{}` is a local", path.name.text));
            return self.globals.fail(error.help("locals are scalars and have no address"));
        }
        let object = self.globals.objects.contains_key(&path.name.text);
        match self.globals.procedures.get(&path.name.text) {
            Some(id) if !object && path.steps.is_empty() => Ok(Expr::Const(Const::Proc(*id))),
            _ => Ok(self.object_path(path)?.0),
        }
    }

    pub fn path_place(&mut self, path: &Path) -> Lowered<Place> {
        if !path.global && self.local_named(&path.name.text).is_some() {
            let error = path.name.at.error(format!("`{}` is a local", path.name.text));
            return self.globals.fail(error.help("locals are scalars: they have no parts"));
        }
        let (addr, layout) = self.object_path(path)?;
        let ty = self.scalar(layout, path.name.at)?;
        Ok(Place::new(addr, ty))
    }

    fn scalar(&mut self, layout: LayoutId, at: At) -> Lowered<Type> {
        let layout = &self.globals.program.layouts[layout];
        match layout.shape {
            Shape::Scalar(ty) => Ok(ty),
            _ => {
                let error = at.error(format!("this is a `{}`, not a scalar", layout.name));
                self.globals.fail(error.help("name a field (`.f`) or an element (`[0]`) of it"))
            }
        }
    }

    /// The type at the end of a path, if there is one.
    fn path_type(&self, path: &Path) -> Option<Type> {
        let program = &self.globals.program;
        let mut layout = program.objects[*self.globals.objects.get(&path.name.text)?].layout;
        for step in &path.steps {
            layout = match step {
                Step::Field(name) => field(program, layout, &name.text)?.1,
                Step::Index(_) => element(program, layout)?.1,
            };
        }
        match program.layouts[layout].shape {
            Shape::Scalar(ty) => Some(ty),
            _ => None,
        }
    }

    /// The address and layout of a part of an object.
    fn object_path(&mut self, path: &Path) -> Lowered<(Expr, LayoutId)> {
        let Some(&id) = self.globals.objects.get(&path.name.text) else {
            return self.unknown(&path.name);
        };
        let mut layout = self.globals.program.objects[id].layout;
        let (mut offset, mut moving) = (0i128, Vec::new());
        for step in &path.steps {
            layout = match step {
                Step::Field(name) => {
                    let (bytes, inner) = self.field_of(layout, name)?;
                    offset += i128::from(bytes);
                    inner
                }
                Step::Index(index) => {
                    let (stride, inner) = self.element_of(layout, index.at)?;
                    match index.kind {
                        ExprOf::Number(n, _) => {
                            offset = offset.saturating_add(n * i128::from(stride))
                        }
                        _ => moving.push(self.scaled(index, stride)?),
                    }
                    inner
                }
            };
        }
        let Ok(offset) = i64::try_from(offset) else {
            return self.globals.fail(path.name.at.error("this place is too far away"));
        };
        let start = Expr::Const(Const::Object(id, offset));
        let add = |addr, bytes| Expr::binary(BinaryOp::PtrAdd, addr, bytes);
        Ok((moving.into_iter().fold(start, add), layout))
    }

    fn unknown<T>(&mut self, name: &Name) -> Lowered<T> {
        if self.globals.procedures.contains_key(&name.text) {
            let error = name.at.error(format!("the procedure `{}` is not a value", name.text));
            return self.globals.fail(error.help(format!("its address is `&{}`", name.text)));
        }
        let error = name.at.error(format!("`{}` is not declared", name.text));
        let objects = self.globals.objects.keys().map(String::as_str);
        let locals = self.procedure.locals.values().map(|l| l.name.as_str());
        let error = match nearest(&name.text, objects.chain(locals)) {
            Some(near) => error.help(format!("there is `{near}`")),
            None => error,
        };
        self.globals.fail(error)
    }

    /// An index times the size of the elements, in bytes.
    fn scaled(&mut self, index: &Syntax, stride: u64) -> Lowered<Expr> {
        let diff = self.globals.program.model.diff_type();
        let (value, ty) = self.value(index, None)?;
        self.integer(ty, index.at)?;
        let value = if ty == Type::Int(diff) { value } else { Expr::cast(Type::Int(diff), value) };
        let stride = Expr::int(stride.into(), diff);
        Ok(Expr::binary(BinaryOp::Mul, value, stride))
    }

    fn field_of(&mut self, layout: LayoutId, name: &Name) -> Lowered<(u64, LayoutId)> {
        match field(&self.globals.program, layout, &name.text) {
            Some(found) => Ok(found),
            None => {
                let of = &self.globals.program.layouts[layout].name;
                let error = name.at.error(format!("`{of}` has no field `{}`", name.text));
                self.globals.fail(error)
            }
        }
    }

    fn element_of(&mut self, layout: LayoutId, at: At) -> Lowered<(u64, LayoutId)> {
        match element(&self.globals.program, layout) {
            Some(found) => Ok(found),
            None => {
                let of = &self.globals.program.layouts[layout].name;
                self.globals.fail(at.error(format!("`{of}` is not an array")))
            }
        }
    }

    /// The scalar at the end of constant steps into a layout.
    pub fn constant_path(
        &mut self,
        layout: LayoutId,
        steps: &[Step],
        at: At,
    ) -> Lowered<(u64, Type)> {
        let (offset, layout) = self.constant_steps(layout, steps, at)?;
        Ok((offset, self.scalar(layout, at)?))
    }

    fn constant_steps(
        &mut self,
        mut layout: LayoutId,
        steps: &[Step],
        at: At,
    ) -> Lowered<(u64, LayoutId)> {
        let mut offset = 0u64;
        for step in steps {
            let (bytes, inner) = match step {
                Step::Field(name) => self.field_of(layout, name)?,
                Step::Index(index) => {
                    let (stride, inner) = self.element_of(layout, index.at)?;
                    let ExprOf::Number(n, _) = index.kind else {
                        return self.globals.fail(index.at.error("expected a number"));
                    };
                    let bytes = u64::try_from(n).ok().and_then(|n| n.checked_mul(stride));
                    let Some(bytes) = bytes else {
                        return self.globals.fail(index.at.error("this index is out of range"));
                    };
                    (bytes, inner)
                }
            };
            let Some(sum) = offset.checked_add(bytes) else {
                return self.globals.fail(at.error("this place is too far away"));
            };
            (offset, layout) = (sum, inner);
        }
        Ok((offset, layout))
    }
}
