//! What a function that is defined nowhere may write: all that its arguments lead to, through
//! pointers in memory, too (`--extern havoc`).
//!
//! An argument leads to the object that it names. A pointer whose object is not named is compared,
//! when the call is executed, with the variables that are whole objects of its type; where it is
//! none of them and not null, the call is `Unsupported` there, since nobody knows how far the
//! memory around it reaches. A pointer that the function wrote is an input: what is
//! decided by it, or accessed through it, is not known.

use selvedge_c_syntax::ast::{self, Span};
use selvedge_ir::{BinaryOp, Expr, LocalId, Type};

use crate::expr::{Lvalue, Part, Place, Value, mode};
use crate::fold::Typed;
use crate::lowering::{Definition, Entity, GlobalId, Lowering, Slot};
use crate::types::{FnType, Kind, Len, Ty};

/// Calls that may lead to more objects, or objects with more pointers, are not supported.
const LIMIT: usize = 64;

/// How often objects are gone through that may lead back to each other.
const ROUNDS: usize = 3;

/// What an argument, or the content of an object, has for someone who follows pointers.
enum Content {
    /// Numbers only.
    Plain,
    /// Pointers at these offsets, of these types, besides numbers.
    Pointers(Vec<(u64, Ty)>),
    /// Something that cannot be read or written part by part.
    Opaque,
}

/// An object that the function may reach.
struct Reached {
    at: Expr,
    ty: Ty,
    pointers: Vec<(u64, Ty)>,
    /// Whether it is reached.
    found: Flag,
    /// Whether it is reached by a pointer to what is not constant, so that it may be written.
    exposed: Flag,
}

#[derive(Clone, Copy)]
enum Flag {
    Always,
    /// Set where a pointer was followed.
    Local(LocalId),
}

/// Where a call leads.
#[derive(Default)]
struct Reach {
    objects: Vec<Reached>,
    /// Arguments whose object is not named, with what they point to.
    pointers: Vec<(Expr, Ty)>,
}

/// A pointer that is followed.
struct Step {
    pointer: Expr,
    pointee: Ty,
    /// So many objects are not gone through again.
    passed: usize,
}

impl<'a> Lowering<'a> {
    /// Lets the callee write anything to what its arguments lead to; false where that cannot be
    /// said.
    pub(super) fn havoc_reached(
        &mut self,
        name: &str,
        function: &FnType,
        args: &'a [ast::Expr],
        values: &[Value],
        span: Span,
    ) -> bool {
        let mut reach = Reach::default();
        for (index, value) in values.iter().enumerate() {
            let ty = function.params.get(index).copied().unwrap_or(value.ty);
            if !self.argument(args.get(index), value, ty, &mut reach) {
                return false;
            }
        }
        if !self.add_variables(&mut reach, span) {
            return false;
        }
        self.find_objects(&reach, name, span);
        for object in reach.objects.into_iter().filter(|object| !object.ty.constant) {
            self.only_if(object.exposed, span, |this| this.havoc(object.at, object.ty, span));
        }
        true
    }

    /// Enters what an argument leads to at once; false where that cannot be said.
    fn argument(
        &mut self,
        arg: Option<&'a ast::Expr>,
        value: &Value,
        ty: Ty,
        reach: &mut Reach,
    ) -> bool {
        if !self.types.is_pointer(value.ty) {
            // An aggregate is passed as a copy, which nobody else sees.
            return self.name_object(reach, value.expr.clone(), value.ty, false);
        }
        let Some(pointee) = self.types.pointee(ty) else { return false };
        let literal = arg.is_some_and(|arg| self.literal_text(arg).is_some());
        if value.expr == Expr::NULL || literal || self.leads_nowhere(pointee) {
            return true;
        }
        match arg.and_then(|arg| self.named_object(arg)) {
            Some((at, ty)) => {
                let written = !pointee.constant && !ty.constant;
                self.name_object(reach, at, ty, written)
            }
            None => {
                reach.pointers.push((value.expr.clone(), pointee));
                true
            }
        }
    }

    /// Enters an object that is reached in any case.
    fn name_object(&mut self, reach: &mut Reach, at: Expr, ty: Ty, written: bool) -> bool {
        let pointers = match self.content(ty) {
            Content::Opaque => return false,
            Content::Plain if !written => return true,
            Content::Plain => Vec::new(),
            Content::Pointers(pointers) => pointers,
        };
        let exposed = if written { Flag::Always } else { self.new_flag() };
        reach.objects.push(Reached { at, ty, pointers, found: Flag::Always, exposed });
        true
    }

    /// Whether nothing is written through a pointer to this: it is a function, or constant numbers.
    fn leads_nowhere(&mut self, pointee: Ty) -> bool {
        self.types.is_function(pointee)
            || (pointee.constant && matches!(self.content(pointee), Content::Plain))
    }

    fn content(&mut self, ty: Ty) -> Content {
        let mut pointers = Vec::new();
        match self.collect_pointers(ty, 0, &mut pointers) {
            false => Content::Opaque,
            true if pointers.is_empty() => Content::Plain,
            true => Content::Pointers(pointers),
        }
    }

    /// Collects the pointers of an object; false if it has parts that cannot be named.
    fn collect_pointers(&mut self, ty: Ty, at: u64, found: &mut Vec<(u64, Ty)>) -> bool {
        match self.types.kind(ty).clone() {
            Kind::Int(_) | Kind::Bool | Kind::Float(_) | Kind::Enum(_) | Kind::Void => true,
            Kind::Pointer(_) => {
                found.push((at, ty));
                found.len() <= LIMIT
            }
            Kind::Array(element, Len::Fixed(count)) => {
                let before = found.len();
                let size = self.types.size(element);
                let mut elements = (0..count).map(|index| at + index * size);
                let first = elements.next();
                first.is_none_or(|at| self.collect_pointers(element, at, found))
                    && (found.len() == before
                        || elements.all(|at| self.collect_pointers(element, at, found)))
            }
            Kind::Record(id) => {
                let record = self.types.record(id);
                !record.union
                    && record.complete
                    && self.parts(ty).into_iter().all(|(offset, part)| match part {
                        Part::Type(part) => self.collect_pointers(part, at + offset, found),
                        Part::Piece(_) => true,
                    })
            }
            _ => false,
        }
    }

    /// Adds the variables that pointers on the way may point to; false if there are too many.
    fn add_variables(&mut self, reach: &mut Reach, span: Span) -> bool {
        let mut types: Vec<Ty> = reach.pointers.iter().map(|(_, pointee)| *pointee).collect();
        let mut expanded = 0;
        let mut next = 0;
        loop {
            for object in &reach.objects[expanded..] {
                types.extend(object.pointers.iter().filter_map(|(_, ty)| self.types.pointee(*ty)));
            }
            expanded = reach.objects.len();
            let Some(pointee) = types.get(next).copied() else { return true };
            next += 1;
            let known =
                types[..next - 1].iter().any(|ty| ty.unqualified() == pointee.unqualified());
            if !known && !self.leads_nowhere(pointee) {
                self.add_variables_of(pointee, reach, span);
            }
            if reach.objects.len() > LIMIT {
                return false;
            }
        }
    }

    fn add_variables_of(&mut self, pointee: Ty, reach: &mut Reach, span: Span) {
        let pointers = match self.content(pointee) {
            Content::Opaque => return,
            Content::Plain => Vec::new(),
            Content::Pointers(pointers) => pointers,
        };
        for (at, ty) in self.variables_of(pointee, span) {
            let known = |object: &Reached| object.at == at && object.ty.id == ty.id;
            if !reach.objects.iter().any(known) {
                let (found, exposed) = (self.new_flag(), self.new_flag());
                let pointers = pointers.clone();
                reach.objects.push(Reached { at, ty, pointers, found, exposed });
            }
        }
    }

    /// The variables in memory that have this type as a whole: those of static storage, and the
    /// function's own that are in scope.
    fn variables_of(&mut self, ty: Ty, span: Span) -> Vec<(Expr, Ty)> {
        let own = |entity: &Entity| match entity {
            Entity::Variable(own, Slot::Memory(at)) if own.id == ty.id => Some((at.clone(), *own)),
            _ => None,
        };
        let scopes = self.frame.scopes.iter();
        let mut found: Vec<_> = scopes.flat_map(|s| s.names.values()).filter_map(own).collect();
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        for id in (0..self.globals.len() as u32).map(GlobalId) {
            if self.is_variable_of(id, ty)
                && let Lvalue { ty, place: Place::Memory(at) } = self.global_lvalue(id, span)
            {
                found.push((at, ty));
            }
        }
        found
    }

    /// Whether a global is a variable of the user's, defined somewhere, and as a whole of this type.
    fn is_variable_of(&self, id: GlobalId, ty: Ty) -> bool {
        let global = self.global(id);
        global.ty.id == ty.id
            && !matches!(global.definition, Definition::None)
            && !global.thread_local
            && !self.units[global.unit].model
            && self.canonical(id) == id
            && self.strange_global(id).is_none()
    }

    /// Follows all pointers. Objects are gone through in their order, and again as often as one may
    /// lead back to another; what leads back once more is not supported.
    fn find_objects(&mut self, reach: &Reach, name: &str, span: Span) {
        for flag in reach.objects.iter().flat_map(|object| [object.found, object.exposed]) {
            self.set(flag, Expr::FALSE, span);
        }
        for (pointer, pointee) in &reach.pointers {
            let step = Step { pointer: pointer.clone(), pointee: *pointee, passed: 0 };
            self.follow(step, reach, name, span);
        }
        let rounds = if self.leads_back(reach) { ROUNDS } else { 1 };
        for round in 1..=rounds {
            for index in 0..reach.objects.len() {
                let passed = if round == rounds { index + 1 } else { 0 };
                self.follow_object(index, passed, reach, name, span);
            }
        }
    }

    /// Whether an object may lead to one before it that has pointers itself.
    fn leads_back(&self, reach: &Reach) -> bool {
        reach.objects.iter().enumerate().any(|(index, object)| {
            object.pointers.iter().filter_map(|(_, ty)| self.types.pointee(*ty)).any(|pointee| {
                let before = |other: &Reached| {
                    other.ty.id == pointee.id
                        && !other.pointers.is_empty()
                        && matches!(other.found, Flag::Local(_))
                };
                reach.objects[..index].iter().any(before)
            })
        })
    }

    fn follow_object(
        &mut self,
        index: usize,
        passed: usize,
        reach: &Reach,
        name: &str,
        span: Span,
    ) {
        let object = &reach.objects[index];
        if object.pointers.is_empty() {
            return;
        }
        self.only_if(object.found, span, |this| {
            for (offset, ty) in &object.pointers {
                let Some(pointee) = this.types.pointee(*ty) else { continue };
                if !this.leads_nowhere(pointee) {
                    let at = this.offset(object.at.clone(), *offset);
                    let pointer = this.load_scalar(at, Type::Ptr, mode(*ty), span);
                    this.follow(Step { pointer, pointee, passed }, reach, name, span);
                }
            }
        });
    }

    /// Notes which object a pointer points to.
    fn follow(&mut self, step: Step, reach: &Reach, name: &str, span: Span) {
        let Step { pointer, pointee, passed } = step;
        let place = self.place(span);
        let (done, lost) = (self.body.location(), self.body.location());
        self.body.settle();
        self.unless_equal(&pointer, Expr::NULL, done, span);
        for (index, object) in reach.objects.iter().enumerate() {
            if object.ty.id != pointee.id {
                continue;
            }
            let here = self.body.location();
            self.unless_equal(&pointer, object.at.clone(), here, span);
            let otherwise = std::mem::replace(&mut self.body.current, here);
            if let (Flag::Local(found), true) = (object.found, index < passed) {
                let known = self.body.location();
                self.body.branch(Expr::Local(found), known, lost, place);
                self.body.current = known;
            }
            self.set(object.found, Expr::TRUE, span);
            if !pointee.constant {
                self.set(object.exposed, Expr::TRUE, span);
            }
            self.body.jump(done, place);
            self.body.current = otherwise;
        }
        self.body.fall_into(lost, place);
        let what = format!(
            "the call to `{name}`, which is not defined and may write memory whose extent is not known"
        );
        self.unsupported(what, span);
        self.body.fall_into(done, place);
    }

    /// Goes to the location if the two pointers are equal.
    fn unless_equal(&mut self, pointer: &Expr, to: Expr, target: crate::body::Loc, span: Span) {
        let place = self.place(span);
        let next = self.body.location();
        let equal = self.body.binary(BinaryOp::Eq, pointer.clone(), to);
        self.body.branch(equal, target, next, place);
        self.body.current = next;
    }

    fn new_flag(&mut self) -> Flag {
        Flag::Local(self.body.local("reached", Type::Bool, false))
    }

    fn set(&mut self, flag: Flag, value: Expr, span: Span) {
        if let Flag::Local(local) = flag {
            self.assign(local, value, span);
        }
    }

    fn only_if(&mut self, flag: Flag, span: Span, act: impl FnOnce(&mut Self)) {
        let Flag::Local(local) = flag else { return act(self) };
        let place = self.place(span);
        let (inside, after) = (self.body.location(), self.body.location());
        self.body.branch(Expr::Local(local), inside, after, place);
        self.body.current = inside;
        act(self);
        self.body.fall_into(after, place);
    }
}
