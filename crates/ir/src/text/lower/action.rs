//! Actions: what is written on one edge, or as one statement.

use super::Lowered;
use super::body::Lowering;
use crate::text::ast::{
    Callee as CalleeSyntax, Effect, Expr as Syntax, ExprOf, Place as PlaceSyntax, PlaceOf, Simple,
    Value,
};
use crate::text::lexer::At;
use crate::{Action, Callee, Expr, LocalId, Mode, Place, Type};

enum Target {
    Local(LocalId),
    Memory(Place),
}

impl Lowering<'_> {
    /// Inside atomic blocks no access is plain.
    pub fn mode(&self, written: Mode) -> Mode {
        if self.atomic && written == Mode::Plain { Mode::Atomic } else { written }
    }

    /// The action, behind those that it needs before it.
    pub fn simple(&mut self, action: &Simple, at: At) -> Lowered<Action> {
        match action {
            Simple::Skip => Ok(Action::Skip),
            Simple::Assume(e) => Ok(Action::Assume(self.condition(e)?)),
            Simple::Wait(e) => {
                // The loads and the test are one atomic block, or waiting would make no sense.
                let outside = std::mem::replace(&mut self.atomic, self.cursor.is_some());
                let condition = self.condition(e);
                self.atomic = outside;
                Ok(Action::Wait(condition?))
            }
            Simple::Assert { cond, check } => {
                Ok(Action::Assert { cond: self.condition(cond)?, check: check.clone() })
            }
            Simple::Havoc(place) => match self.target(place)? {
                Target::Local(to) => Ok(Action::Havoc { to }),
                Target::Memory(place) => {
                    let to = self.temporary(place.ty);
                    self.emit(Action::Havoc { to }, at)?;
                    let mode = self.mode(Mode::Plain);
                    Ok(Action::Store { to: place, value: Expr::Local(to), mode })
                }
            },
            Simple::Set { to, value, how } => self.set(to, value, *how, at),
            Simple::Lock(place) => Ok(Action::Lock { lock: self.lock_place(place)? }),
            Simple::Unlock(place) => Ok(Action::Unlock { lock: self.lock_place(place)? }),
            Simple::Free { addr, storage } => {
                let addr = self.value(addr, Some(Type::Ptr))?.0;
                Ok(Action::Free { addr, storage: *storage })
            }
            Simple::EndThread(value) => {
                let value = value.as_ref().map(|e| self.value(e, None)).transpose()?;
                Ok(Action::EndThread { value: value.map(|(e, _)| e) })
            }
            Simple::Fence(fence) => Ok(Action::Fence(*fence)),
            Simple::Halt => Ok(Action::Halt),
            Simple::Unsupported(what) => Ok(Action::Unsupported { what: what.clone() }),
            Simple::Ghost(ghost) => self.ghost_action(ghost),
            Simple::Bare(effect) => self.bare(effect, at),
        }
    }

    pub fn condition(&mut self, e: &Syntax) -> Lowered<Expr> {
        Ok(self.value(e, Some(Type::Bool))?.0)
    }

    /// An assignment to a local, by a load where the value is one.
    pub fn assign(&mut self, to: LocalId, value: &Syntax) -> Lowered<Action> {
        let want = self.procedure.locals[to].ty;
        let from = match &value.kind {
            ExprOf::Path(path) if self.local_of(path).is_none() => self.path_place(path)?,
            ExprOf::Deref(addr, ty) => Place::new(self.value(addr, Some(Type::Ptr))?.0, *ty),
            _ => {
                let value = self.value(value, Some(want))?.0;
                return Ok(Action::Assign { to, value });
            }
        };
        self.load(to, from, Mode::Plain, value.at)
    }

    fn load(&mut self, to: LocalId, from: Place, mode: Mode, at: At) -> Lowered<Action> {
        self.expect_type(self.procedure.locals[to].ty, from.ty, at)?;
        Ok(Action::Load { to, from, mode: self.mode(mode) })
    }

    fn expect_type(&mut self, want: Type, found: Type, at: At) -> Lowered<()> {
        if want == found {
            return Ok(());
        }
        self.globals.fail(at.error(format!("expected {want}, found {found}")))
    }

    fn target(&mut self, place: &PlaceSyntax) -> Lowered<Target> {
        if let PlaceOf::Path(path) = &place.what
            && let Some(local) = self.local_of(path)
        {
            if let Some(region) = &place.region {
                return self.globals.fail(region.at.error("a local is in no region"));
            }
            return Ok(Target::Local(local));
        }
        Ok(Target::Memory(self.place(place)?))
    }

    pub(super) fn place(&mut self, place: &PlaceSyntax) -> Lowered<Place> {
        let mut made = match &place.what {
            PlaceOf::Path(path) => self.path_place(path)?,
            PlaceOf::Deref(addr, ty) => Place::new(self.value(addr, Some(Type::Ptr))?.0, *ty),
        };
        if let Some(name) = &place.region {
            let Some(region) = self.globals.regions.get(&name.text) else {
                let error = name.at.error(format!("there is no region `{}`", name.text));
                return self.globals.fail(error);
            };
            made.region = Some(*region);
        }
        Ok(made)
    }

    fn lock_place(&mut self, place: &PlaceSyntax) -> Lowered<Place> {
        let made = self.place(place)?;
        if made.ty != Type::Thread {
            let error = place.at.error(format!("a lock has type thread, this is {}", made.ty));
            return self.globals.fail(error.help("declare it as `shared m: thread;`"));
        }
        Ok(made)
    }

    fn set(
        &mut self,
        to: &PlaceSyntax,
        value: &Value,
        how: Option<Mode>,
        at: At,
    ) -> Lowered<Action> {
        match self.target(to)? {
            Target::Local(_) if how.is_some() => {
                let error = to.at.error("a local is assigned, not stored to");
                self.globals.fail(error.help("leave out `store`"))
            }
            Target::Local(to) => match value {
                Value::Expr(e) => self.assign(to, e),
                Value::Load(from, mode) => {
                    let place = self.place(from)?;
                    self.load(to, place, *mode, from.at)
                }
                Value::Effect(effect) => self.effect(effect, to, at),
            },
            Target::Memory(place) => {
                let value = self.stored(value, place.ty, at)?;
                let mode = self.mode(how.unwrap_or(Mode::Plain));
                Ok(Action::Store { to: place, value, mode })
            }
        }
    }

    /// The value of a store, through a temporary where it takes an action to get it.
    fn stored(&mut self, value: &Value, ty: Type, at: At) -> Lowered<Expr> {
        let to = match value {
            Value::Expr(e) => return Ok(self.value(e, Some(ty))?.0),
            _ => self.temporary(ty),
        };
        let action = match value {
            Value::Load(from, mode) => {
                let place = self.place(from)?;
                self.load(to, place, *mode, from.at)?
            }
            Value::Effect(effect) => self.effect(effect, to, at)?,
            Value::Expr(_) => Action::Skip,
        };
        self.emit(action, at)?;
        Ok(Expr::Local(to))
    }

    /// What is done for its effect, its value dropped.
    fn bare(&mut self, effect: &Effect, at: At) -> Lowered<Action> {
        match effect {
            Effect::Call(callee, args) => {
                let (callee, args) = self.call(callee, args, true)?;
                Ok(Action::Call { to: None, callee, args })
            }
            Effect::Join(thread) => {
                let thread = self.value(thread, Some(Type::Thread))?.0;
                Ok(Action::Join { thread, to: None })
            }
            Effect::Spawn(..) => {
                let to = self.temporary(Type::Thread);
                self.effect(effect, to, at)
            }
            Effect::Alloc { .. } => {
                let to = self.temporary(Type::Ptr);
                self.effect(effect, to, at)
            }
        }
    }

    fn effect(&mut self, effect: &Effect, to: LocalId, at: At) -> Lowered<Action> {
        let want = self.procedure.locals[to].ty;
        match effect {
            Effect::Alloc { storage, layout, size, zeroed } => {
                self.expect_type(want, Type::Ptr, at)?;
                let int = self.globals.program.model.size_type();
                let id = self.globals.layout_id(layout)?;
                let natural = self.globals.program.layouts[id].size;
                let size = match size {
                    Some(size) => self.value(size, Some(Type::Int(int)))?.0,
                    None => Expr::int(natural.into(), int),
                };
                Ok(Action::Alloc { to, storage: *storage, layout: id, size, zeroed: *zeroed })
            }
            Effect::Spawn(callee, args) => {
                self.expect_type(want, Type::Thread, at)?;
                let (entry, args) = self.call(callee, args, false)?;
                Ok(Action::Spawn { to, entry, args })
            }
            Effect::Join(thread) => {
                let thread = self.value(thread, Some(Type::Thread))?.0;
                Ok(Action::Join { thread, to: Some(to) })
            }
            Effect::Call(callee, args) => {
                let (callee, args) = self.call(callee, args, true)?;
                if let Callee::Direct(id) = callee {
                    let procedure = &self.globals.program.procedures[id];
                    let result = procedure.result.map(|r| procedure.locals[r].ty);
                    let Some(found) = result else {
                        let text = format!("`{}` returns nothing", procedure.name);
                        return self.globals.fail(at.error(text));
                    };
                    self.expect_type(want, found, at)?;
                }
                Ok(Action::Call { to: Some(to), callee, args })
            }
        }
    }

    /// A callee and its arguments; a call gives all of them, a spawn may leave out the last ones.
    fn call(
        &mut self,
        callee: &CalleeSyntax,
        args: &[Syntax],
        all: bool,
    ) -> Lowered<(Callee, Vec<Expr>)> {
        let (callee, params) = match callee {
            CalleeSyntax::Direct(name) => {
                let id = self.globals.procedure_named(name)?;
                let procedure = &self.globals.program.procedures[id];
                let types = procedure.params.iter().map(|p| procedure.locals[*p].ty);
                let params: Vec<Type> = types.collect();
                if args.len() > params.len() || (all && args.len() < params.len()) {
                    let text = format!(
                        "`{}` takes {} arguments, not {}",
                        name.text,
                        params.len(),
                        args.len()
                    );
                    return self.globals.fail(name.at.error(text));
                }
                (Callee::Direct(id), params)
            }
            CalleeSyntax::Indirect(e) => {
                (Callee::Indirect(self.value(e, Some(Type::Ptr))?.0), Vec::new())
            }
        };
        let mut values = Vec::new();
        for (n, arg) in args.iter().enumerate() {
            values.push(self.value(arg, params.get(n).copied())?.0);
        }
        Ok((callee, values))
    }
}
