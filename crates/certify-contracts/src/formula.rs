//! The formulas of a specification as terms.
//!
//! Where a formula is assumed, universal variables are instantiated and existential ones are new values.
//! Where it is to be shown it is the other way round: universal variables stand for anything, existential
//! ones for one of the values that the path has met.

use selvedge_ir::spec::{ArrayPlaces, Binding, Formula, Target, Variable, When};
use selvedge_ir::{Const, Expr, LayoutId, LocalId, Place, Procedure, Type};
use selvedge_smt::Term;
use selvedge_smt::translate::Sym;

use crate::memory::{Kept, Memory, parts};
use crate::path::Path;
use crate::view::View;
use crate::world::World;

/// What universal variables stand for.
#[derive(Clone, Copy)]
enum Universal<'v> {
    Instance(&'v [Sym]),
    /// Anything: values that all goals share, since each is asked by itself.
    Anything,
    /// Anything, by values that nothing else speaks of.
    Private,
}

/// A formula under way: the values of its first variables.
pub(crate) struct Bound<'v> {
    pub formula: &'v Formula,
    scope: &'v Procedure,
    pub view: &'v View,
    universal: Universal<'v>,
    pub values: Vec<Sym>,
}

impl World<'_> {
    /// A view of the procedure that is checked, without parameters.
    pub fn view(&self, before: &Memory, after: &Memory) -> View {
        let (before, after) = (before.clone(), after.clone());
        let (tid, params, values) = (self.tid, Vec::new(), Vec::new());
        View { before, after, tid, params, result: None, values }
    }

    pub fn instance(
        &mut self,
        path: &mut Path,
        formula: &Formula,
        view: &View,
        values: &[Sym],
    ) -> Term {
        self.truth(path, formula, view, Universal::Instance(values))
    }

    /// What has to be shown for the formula to hold, in a question of its own.
    pub fn goal(&mut self, path: &mut Path, formula: &Formula, view: &View) -> Term {
        self.truth(path, formula, view, Universal::Anything)
    }

    /// Likewise, as a part of other formulas in which it stands unnegated.
    pub fn part(&mut self, path: &mut Path, formula: &Formula, view: &View) -> Term {
        self.truth(path, formula, view, Universal::Private)
    }

    /// The value of a formula without quantifiers, which may be a map.
    pub fn valued(&mut self, path: &mut Path, formula: &Formula, view: &View) -> Sym {
        let scope = formula.frame();
        let universal = Universal::Private;
        let mut bound = Bound { formula, scope: &scope, view, universal, values: Vec::new() };
        for variable in formula.variables.values() {
            let value = self.determined(path, &bound, &variable.binding, variable.ty);
            bound.values.push(value);
        }
        match formula.body {
            Expr::Local(local) => bound.values[local.as_u32() as usize],
            _ => self.inside(path, &bound, &formula.body),
        }
    }

    fn truth(
        &mut self,
        path: &mut Path,
        formula: &Formula,
        view: &View,
        universal: Universal<'_>,
    ) -> Term {
        let scope = formula.frame();
        let bound = Bound { formula, scope: &scope, view, universal, values: Vec::new() };
        self.bind(path, bound)
    }

    fn bind(&mut self, path: &mut Path, mut bound: Bound<'_>) -> Term {
        let next = LocalId::from_u32(bound.values.len() as u32);
        let Some(variable) = bound.formula.variables.get(next) else {
            return self.inside(path, &bound, &bound.formula.body).scalar();
        };
        match &variable.binding {
            Binding::Forall(layout) => {
                let value = self.universal(path, &bound, variable, *layout);
                let range = self.range(path, &bound.view.before, *layout, value, variable.ty);
                bound.values.push(value);
                let rest = self.bind(path, bound);
                self.terms.implies(range, rest)
            }
            Binding::Exists(layout) => self.existential(path, &bound, variable, *layout),
            binding => {
                let value = self.determined(path, &bound, binding, variable.ty);
                bound.values.push(value);
                self.bind(path, bound)
            }
        }
    }

    fn universal(
        &mut self,
        path: &mut Path,
        bound: &Bound<'_>,
        variable: &Variable,
        layout: Option<LayoutId>,
    ) -> Sym {
        let before = bound.formula.variables.values().take(bound.values.len());
        let number = before.filter(|v| matches!(v.binding, Binding::Forall(_))).count();
        let value = match bound.universal {
            Universal::Instance(values) => return values[number],
            Universal::Private => self.value(path, "any", variable.ty),
            Universal::Anything => {
                let layout = layout.map_or(u32::MAX, LayoutId::as_u32);
                let name = format!("any.{}.{layout}.{number}", variable.ty);
                let value = self.types.variable(&mut self.terms, &name, variable.ty);
                self.in_range(path, value, variable.ty);
                value
            }
        };
        path.consider(variable.ty, value);
        value
    }

    fn existential(
        &mut self,
        path: &mut Path,
        bound: &Bound<'_>,
        variable: &Variable,
        layout: Option<LayoutId>,
    ) -> Term {
        let candidates = match bound.universal {
            Universal::Instance(_) => vec![self.value(path, "some", variable.ty)],
            _ => {
                let mut met = path.met(variable.ty);
                met.push(self.constant(Const::zero(variable.ty)));
                if variable.ty == Type::Bool {
                    met.push(self.constant(Const::Bool(true)));
                }
                met
            }
        };
        let mut any = Vec::new();
        for value in candidates {
            let range = self.range(path, &bound.view.before, layout, value, variable.ty);
            let mut values = bound.values.clone();
            values.push(value);
            let rest = self.bind(path, Bound { values, ..*bound });
            any.push(self.terms.and(&[range, rest]));
        }
        self.terms.or(&any)
    }

    /// The value of a variable that the state determines.
    fn determined(
        &mut self,
        path: &mut Path,
        bound: &Bound<'_>,
        binding: &Binding,
        ty: Type,
    ) -> Sym {
        let view = bound.view;
        match binding {
            Binding::Parameter(number) => match view.params.get(*number as usize) {
                Some(&value) => value,
                None => self.value(path, "parameter", ty),
            },
            Binding::Main => Sym::Scalar(self.main),
            Binding::Runs(procedure) => {
                let started = self.terms.select(self.started, view.tid);
                let number = self.terms.int(procedure.as_u32());
                Sym::Scalar(self.terms.eq(started, number))
            }
            Binding::Read { place, when } => {
                let at = self.inside(path, bound, &place.addr);
                self.consider_named(path, bound, place, at);
                self.read(path, memory_of(view, *when), place.ty, at)
            }
            Binding::Size(pointer) => {
                let pointer = self.inside(path, bound, pointer);
                Sym::Scalar(self.bytes_left(path, pointer))
            }
            Binding::Alive { pointer, when } => {
                let (object, _) = parts(self.inside(path, bound, pointer));
                Sym::Scalar(self.lives(memory_of(view, *when), object))
            }
            Binding::Result => match view.result {
                Some(value) => value,
                None => self.value(path, "result", ty),
            },
            other => self.of_specification(path, bound, other, ty),
        }
    }

    /// The object or element that a formula names is one of those that assumptions about all of its
    /// layout speak of. Of assumptions, that goes no further than to what they name by themselves:
    /// otherwise a list would have no end.
    fn consider_named(&mut self, path: &mut Path, bound: &Bound<'_>, place: &Place, at: Sym) {
        let by_itself = |local: LocalId| {
            let binding = &bound.formula.variables[local].binding;
            matches!(binding, Binding::Parameter(_) | Binding::Value(_))
        };
        let assumed = matches!(bound.universal, Universal::Instance(_));
        if !assumed || place.addr.locals().into_iter().all(by_itself) {
            let element = self.back(at, place.addr.constant_part());
            path.consider(Type::Ptr, element);
            for part in place.addr.parts_of_address() {
                let value = self.inside(path, bound, part);
                path.consider(part.ty(&self.subject.program, bound.scope), value);
            }
        }
    }

    pub fn inside(&mut self, path: &mut Path, bound: &Bound<'_>, expr: &Expr) -> Sym {
        let values = &bound.values;
        let value = |local: LocalId| values[local.as_u32() as usize];
        self.translate(path, bound.scope, expr, &value, bound.view.tid).value
    }

    /// The values that a quantified variable ranges over.
    fn range(
        &mut self,
        path: &mut Path,
        memory: &Memory,
        layout: Option<LayoutId>,
        value: Sym,
        ty: Type,
    ) -> Term {
        match layout {
            Some(layout) if ty == Type::Ptr => self.is_element(path, memory, layout, value),
            _ => self.types.in_range(&mut self.terms, value, ty),
        }
    }

    /// The address of a target without quantified variables, or one among its addresses of which
    /// nothing else is known, with the condition that it is one.
    pub fn address(&mut self, path: &mut Path, target: &Target, view: &View) -> (Sym, Term) {
        let formula = &target.address;
        let scope = formula.frame();
        let universal = Universal::Private;
        let mut bound = Bound { formula, scope: &scope, view, universal, values: Vec::new() };
        let mut ranges = Vec::new();
        for variable in formula.variables.values() {
            let value = match &variable.binding {
                Binding::Forall(layout) | Binding::Exists(layout) => {
                    let value = self.value(path, "changed", variable.ty);
                    path.consider(variable.ty, value);
                    ranges.push(self.range(path, &view.before, *layout, value, variable.ty));
                    value
                }
                binding => self.determined(path, &bound, binding, variable.ty),
            };
            bound.values.push(value);
        }
        let at = self.inside(path, &bound, &formula.body);
        path.consider(Type::Ptr, at);
        (at, self.terms.and(&ranges))
    }

    /// A condition under which a place is among those that a target names.
    pub fn is_target(
        &mut self,
        path: &mut Path,
        target: &Target,
        view: &View,
        kept: Kept,
        at: Sym,
    ) -> Term {
        if Kept::from(target) != kept {
            return self.terms.bool(false);
        }
        if !target.address.is_quantified() {
            let (address, _) = self.address(path, target, view);
            return address.equal(&mut self.terms, at);
        }
        match target.address.element_at(&target.address.body) {
            Some((_, layout, offset)) => {
                let element = self.back(at, offset);
                self.is_element(path, &view.before, layout, element)
            }
            None => match target.address.array_at(&target.address.body) {
                Some(array) => self.is_in_array(array, at),
                None => self.terms.bool(false),
            },
        }
    }

    fn is_in_array(&mut self, array: ArrayPlaces, at: Sym) -> Term {
        let (object, offset) = parts(at);
        let t = &mut self.terms;
        let number = t.int(self.objects.object(array.object));
        let (first, stride, zero) = (t.int(array.first), t.int(array.stride), t.int(0));
        let distance = t.sub(offset, first);
        let rest = t.modulo(distance, stride);
        let both = [t.eq(object, number), t.eq(rest, zero)];
        t.and(&both)
    }
}

pub(crate) fn memory_of(view: &View, when: When) -> &Memory {
    match when {
        When::Before => &view.before,
        When::After => &view.after,
    }
}
