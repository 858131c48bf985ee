//! States in which an obligation fails, in the words of the source.

use std::collections::BTreeMap;

use selvedge_ir::spec::{Binding, Formula};
use selvedge_ir::{BinaryOp, Const, Expr, LayoutId, LocalId, Place, Type};
use selvedge_smt::Model;
use selvedge_smt::translate::{Concrete, Sym};

use crate::checker::Checker;
use crate::memory::Memory;
use crate::report::Change;
use crate::shown::Shown;
use crate::state::State;
use crate::world::View;

/// Locals that are shown, at most.
const MOST_LOCALS: usize = 12;

/// A scalar with its name, in one or two states.
struct Named {
    name: String,
    ty: Type,
    before: Sym,
    after: Option<Sym>,
}

impl<'a> Checker<'a> {
    pub fn describe(&mut self, model: &Model, shown: &Shown<'_>) -> Vec<Change> {
        let mut all = vec![Named {
            name: "this thread".to_owned(),
            ty: Type::Thread,
            before: Sym::Scalar(self.world.tid),
            after: None,
        }];
        if let Some((formula, view)) = shown.clause {
            if view.tid != self.world.tid {
                let before = Sym::Scalar(view.tid);
                let name = "the other thread".to_owned();
                all.push(Named { name, ty: Type::Thread, before, after: None });
            }
            all.extend(self.read_by(formula, view));
        }
        if shown.step {
            all.extend(self.written_by(shown.state));
        }
        all.extend(self.named_locals(shown.state));
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut changes: Vec<Change> = Vec::new();
        for named in all {
            let change = self.in_words(model, &named);
            if seen.insert(change.name.clone(), changes.len()).is_none() {
                changes.push(change);
            }
        }
        changes
    }

    fn named_locals(&self, state: &State) -> Vec<Named> {
        let locals = state.locals.iter().filter(|(id, _)| self.body.locals[**id].named);
        let named = locals.map(|(id, &before)| {
            let local = &self.body.locals[*id];
            Named { name: local.name.clone(), ty: local.ty, before, after: None }
        });
        named.take(MOST_LOCALS).collect()
    }

    /// What the step has written.
    fn written_by(&mut self, state: &State) -> Vec<Named> {
        let mut found = Vec::new();
        for write in &state.writes {
            let Some(place) = &write.place else { continue };
            let name = self.place_name(place);
            let before = state.start.load(&mut self.world.terms, write.kept, write.at);
            let after = state.memory.load(&mut self.world.terms, write.kept, write.at);
            found.push(Named { name, ty: place.ty, before, after: Some(after) });
        }
        found
    }

    /// A place of the program: a global by its name, anything else by the local that leads to it.
    fn place_name(&self, place: &Place) -> String {
        let program = &self.subject.program;
        if let Some((object, offset)) = place.direct() {
            let object = &program.objects[object];
            return named_at(program, object.layout, &object.name, offset);
        }
        let name = |local: LocalId| self.body.locals[local].name.clone();
        match &place.addr {
            Expr::Local(local) => format!("*{}", name(*local)),
            Expr::Binary(BinaryOp::PtrAdd, base, offset) => match (&**base, &**offset) {
                (Expr::Local(local), Expr::Const(Const::Int(bits, int))) => {
                    format!("*({} + {})", name(*local), int.value(*bits))
                }
                _ => "the memory written".to_owned(),
            },
            _ => "the memory written".to_owned(),
        }
    }

    /// What a formula reads, with the values that the goal gave to its universal variables.
    fn read_by(&mut self, formula: &Formula, view: &View) -> Vec<Named> {
        let program = &self.subject.program;
        let mut found = Vec::new();
        for (_, place, _) in formula.reads() {
            let (name, at) = match place.direct() {
                Some((object, offset)) => {
                    let declared = &program.objects[object];
                    let name = named_at(program, declared.layout, &declared.name, offset);
                    let number = self.world.objects.object(object);
                    let object = self.world.terms.int(number);
                    let offset = self.world.terms.int(offset);
                    (name, Sym::Pointer { object, offset })
                }
                None => match self.element_read(formula, place) {
                    Some(named) => named,
                    None => continue,
                },
            };
            let name = match place.ty {
                Type::Thread => format!("holder({name})"),
                _ => name,
            };
            let value = |world: &mut crate::world::World<'a>, memory: &Memory| {
                memory.load(&mut world.terms, place.ty, at)
            };
            let before = value(&mut self.world, &view.before);
            let after = value(&mut self.world, &view.after);
            found.push(Named { name, ty: place.ty, before, after: Some(after) });
        }
        found.extend(self.parameters(formula, view));
        found
    }

    fn parameters(&self, formula: &Formula, view: &View) -> Vec<Named> {
        let variables = formula.variables.values();
        let named = variables.filter_map(|variable| match variable.binding {
            Binding::Parameter(number) => {
                let before = *view.params.get(number as usize)?;
                Some(Named { name: variable.name.clone(), ty: variable.ty, before, after: None })
            }
            Binding::Result => {
                let name = "the result".to_owned();
                Some(Named { name, ty: variable.ty, before: view.result?, after: None })
            }
            _ => None,
        });
        named.collect()
    }

    /// A member of an object that a universal variable ranges over: its name and address.
    fn element_read(&mut self, formula: &Formula, place: &Place) -> Option<(String, Sym)> {
        let (pointer, layout, bytes) = formula.element_at(&place.addr)?;
        let variable = formula.variables.get(pointer)?;
        if !matches!(variable.binding, Binding::Forall(_)) {
            return None;
        }
        let universal = formula.variables.iter().take_while(|(id, _)| *id != pointer);
        let before = universal.filter(|(_, v)| matches!(v.binding, Binding::Forall(_))).count();
        let name = format!("any.{}.{}.{before}", variable.ty, LayoutId::as_u32(layout));
        let Sym::Pointer { object, offset } =
            self.world.types.variable(&mut self.world.terms, &name, variable.ty)
        else {
            return None;
        };
        let bytes_term = self.world.terms.int(bytes);
        let offset = self.world.terms.add(&[offset, bytes_term]);
        let path = self.subject.program.scalar_at(layout, u64::try_from(bytes).ok()?)?.1;
        let member = path.strip_prefix('.').map_or(path.clone(), |path| format!("->{path}"));
        Some((format!("{}{member}", variable.name), Sym::Pointer { object, offset }))
    }

    fn in_words(&self, model: &Model, named: &Named) -> Change {
        let before = self.value_in_words(model, named.ty, named.before);
        let after = named.after.map(|after| self.value_in_words(model, named.ty, after));
        let after = after.filter(|after| *after != before);
        Change { name: named.name.clone(), before, after }
    }

    fn value_in_words(&self, model: &Model, ty: Type, value: Sym) -> String {
        let program = &self.subject.program;
        let types = self.world.types;
        match (types.concrete(&self.world.terms, model, value, ty), ty) {
            (Some(Concrete::Bool(b)), _) => b.to_string(),
            (Some(Concrete::Int(bits)), Type::Int(int)) => int.value(bits).to_string(),
            (Some(Concrete::Thread(0)), _) => "none".to_owned(),
            (Some(Concrete::Thread(number)), _) => format!("thread {number}"),
            (Some(Concrete::Pointer(0, 0)), _) => "null".to_owned(),
            (Some(Concrete::Pointer(0, offset)), _) => format!("address {offset}"),
            (Some(Concrete::Pointer(number, offset)), _) => {
                let objects = self.world.objects;
                if let Some(object) = objects.as_object(number) {
                    let object = &program.objects[object];
                    return format!("&{}", named_at(program, object.layout, &object.name, offset));
                }
                match objects.as_procedure(number) {
                    Some(procedure) => program.procedures[procedure].name.clone(),
                    None if offset == 0 => format!("object {number}"),
                    None => format!("object {number} + {offset}"),
                }
            }
            _ => "?".to_owned(),
        }
    }
}

/// The name of a scalar of an object.
fn named_at(program: &selvedge_ir::Program, layout: LayoutId, name: &str, offset: i64) -> String {
    let at = u64::try_from(offset).ok();
    match at.and_then(|at| program.scalar_at(layout, at)) {
        Some((_, path)) => format!("{name}{path}"),
        None if offset == 0 => name.to_owned(),
        None => format!("{name} + {offset}"),
    }
}
