//! Variables of the specification: what formulas say of them, what annotations in bodies do to them.
//!
//! They are in no memory of the program, which goes on the same without them; so an update is always
//! possible, and it is a part of the step in which it stands like any store. A set of threads is a map
//! to truth values.
//!
//! How many threads a set has is a map from sets to numbers, of which is known that it is 0 for the empty
//! set alone and how one thread more or less changes it. That is true of finite sets, and there are no
//! others: sets of all threads are refused.

use selvedge_ir::spec::{Binding, Clause, Formula, GhostAction};
use selvedge_ir::{Action, Const, Expr, GhostId, LocationId, Property, Span, Type};
use selvedge_smt::translate::Sym;
use selvedge_smt::{Sort, Term, Terms};

use crate::formula::{Bound, memory_of};
use crate::memory::{Kept, parts};
use crate::path::Path;
use crate::verdict::Rejected;
use crate::view::View;
use crate::walk::Walker;
use crate::world::World;

impl World<'_> {
    /// The value of a variable that has to do with variables of the specification.
    pub fn of_specification(
        &mut self,
        path: &mut Path,
        bound: &Bound<'_>,
        binding: &Binding,
        ty: Type,
    ) -> Sym {
        let map = |id: selvedge_ir::LocalId| bound.values[id.as_u32() as usize];
        match binding {
            Binding::Ghost { ghost, of, when } => {
                let at = self.inside(path, bound, of);
                self.named(path, of, at);
                let memory = memory_of(bound.view, *when).clone();
                self.ghost(path, &memory, *ghost, at)
            }
            Binding::Value(_) => self.value_here(path, bound, ty),
            Binding::Everywhere(value) => {
                let value = self.constant(*value);
                in_parts(&mut self.terms, &[value], |t, parts| t.const_array(Sort::Int, parts[0]))
            }
            Binding::Update { map: old, thread, value } => {
                let thread = self.inside(path, bound, thread).scalar();
                let value = self.inside(path, bound, value);
                self.updated(path, map(*old), thread, value, ty)
            }
            Binding::Entry { map: of, thread } => {
                let thread = self.inside(path, bound, thread).scalar();
                let select = |t: &mut Terms, parts: &[Term]| t.select(parts[0], thread);
                let value = in_parts(&mut self.terms, &[map(*of)], select);
                self.in_range(path, value, ty);
                value
            }
            Binding::Same(a, b) => Sym::Scalar(map(*a).equal(&mut self.terms, map(*b))),
            Binding::Count(set) => Sym::Scalar(self.count(path, map(*set).scalar())),
            _ => panic!("invariant: other bindings are dealt with elsewhere"),
        }
    }

    /// What is assumed of all objects is assumed of one that a formula names.
    fn named(&mut self, path: &mut Path, of: &Expr, at: Sym) {
        if let Expr::Const(Const::Object(..)) = of {
            path.consider(Type::Ptr, at);
        }
        let (object, _) = parts(at);
        if self.terms.constant(object).is_some() {
            path.consider_object(object);
        }
    }

    fn ghost(
        &mut self,
        path: &mut Path,
        memory: &crate::memory::Memory,
        ghost: GhostId,
        at: Sym,
    ) -> Sym {
        let kept = Kept::Ghost(ghost);
        path.consider_cell(kept, at);
        let value = self.load(memory, kept, at);
        if !self.is_map(kept) {
            self.in_range(path, value, self.subject.program.spec.ghosts[ghost].ty);
        }
        value
    }

    fn value_here(&mut self, path: &mut Path, bound: &Bound<'_>, ty: Type) -> Sym {
        let before = bound.formula.variables.values().take(bound.values.len());
        let number = before.filter(|v| matches!(v.binding, Binding::Value(_))).count();
        match bound.view.values.get(number) {
            Some(&value) => value,
            None => self.value(path, "value", ty),
        }
    }

    /// The map that differs from another at one thread; of a set, with how many it has.
    fn updated(&mut self, path: &mut Path, old: Sym, thread: Term, value: Sym, ty: Type) -> Sym {
        let store = |t: &mut Terms, parts: &[Term]| t.store(parts[0], thread, parts[1]);
        let new = in_parts(&mut self.terms, &[old, value], store);
        if ty == Type::Bool {
            let (before, after) = (self.count(path, old.scalar()), self.count(path, new.scalar()));
            let t = &mut self.terms;
            let was = t.select(old.scalar(), thread);
            let (zero, one) = (t.int(0), t.int(1));
            let (gone, come) = (t.ite(was, one, zero), t.ite(value.scalar(), one, zero));
            let (left, right) = (t.add(&[after, gone]), t.add(&[before, come]));
            let fact = t.eq(left, right);
            self.fact(path, fact);
        }
        new
    }

    /// How many threads a set has.
    fn count(&mut self, path: &mut Path, set: Term) -> Term {
        let count = self.terms.select(self.counts, set);
        let int = self.subject.program.model.diff_type();
        self.in_range(path, Sym::Scalar(count), Type::Int(int));
        let t = &mut self.terms;
        let (zero, no) = (t.int(0), t.bool(false));
        let empty = t.const_array(Sort::Int, no);
        let (none, nobody) = (t.eq(count, zero), t.eq(set, empty));
        let facts = [t.le(zero, count), t.eq(none, nobody)];
        facts.into_iter().for_each(|fact| self.fact(path, fact));
        count
    }
}

/// The value whose parts are made of those of others.
fn in_parts(terms: &mut Terms, of: &[Sym], make: impl Fn(&mut Terms, &[Term]) -> Term) -> Sym {
    let parts: Vec<_> = of.iter().map(|value| value.terms()).collect();
    let numbers = 0..parts.first().map_or(0, |first| first.len());
    let made: Vec<Term> = numbers
        .map(|number| {
            let here: Vec<Term> = parts.iter().map(|parts| parts[number]).collect();
            make(terms, &here)
        })
        .collect();
    Sym::from_terms(&made)
}

impl<'a> Walker<'_, 'a> {
    pub fn annotated(
        &mut self,
        path: &mut Path,
        action: &'a GhostAction,
        span: Span,
    ) -> Result<(), Rejected> {
        match action {
            GhostAction::Update { ghost, of, value } => self.update(path, *ghost, of, value, span),
            GhostAction::Assert(clause) if self.properties.contains(&Property::Assert) => {
                let view = self.claim_view(path, &clause.formula);
                let goal = self.world.goal(path, &clause.formula, &view);
                let what = format!("assertion `{}`", clause.text);
                self.world.oblige(path, &what, span, goal)?;
                path.assume(&clause.formula, view);
                Ok(())
            }
            // Nobody has asked for it, or it is a fact at the head of its loop.
            GhostAction::Assert(_) | GhostAction::Invariant(_) => Ok(()),
        }
    }

    /// An update is a write of the step. It is of an object that the thread can know, so what is
    /// others' own stays as it is; and a pointer that it keeps is told to others.
    fn update(
        &mut self,
        path: &mut Path,
        ghost: GhostId,
        of: &Formula,
        value: &Formula,
        span: Span,
    ) -> Result<(), Rejected> {
        let at = self.here(path, of);
        let new = self.here(path, value);
        let known = self.is_known_object(path, parts(at).0);
        let what = "an update of a specification variable is of an object that the thread knows";
        self.show(path, what, span, known)?;
        for pointer in self.kept_pointers(path, ghost, value) {
            self.tell_others(path, pointer, span)?;
        }
        path.consider(Type::Ptr, at);
        path.consider_cell(Kept::Ghost(ghost), at);
        self.write(path, Kept::Ghost(ghost), at, new);
        path.looked = true;
        Ok(())
    }

    /// No object of another thread's own, and none that is not made yet.
    fn is_known_object(&mut self, path: &Path, object: Term) -> Term {
        let first = self.world.first_free();
        let t = &mut self.world.terms;
        let (owner, nobody) = (t.select(path.memory.owner, object), t.int(0));
        let open = [t.eq(owner, nobody), t.eq(owner, self.world.tid)];
        let open = t.or(&open);
        let made = t.lt(object, path.memory.next);
        let either = [t.lt(object, first), t.and(&[made, open])];
        t.or(&either)
    }

    /// The pointers that an update puts into a variable of the specification.
    fn kept_pointers(&mut self, path: &mut Path, ghost: GhostId, value: &Formula) -> Vec<Sym> {
        let declared = &self.world.subject.program.spec.ghosts[ghost];
        if declared.ty != Type::Ptr {
            return Vec::new();
        }
        if !declared.map {
            return vec![self.here(path, value)];
        }
        let put = value.variables.values().filter_map(|variable| match &variable.binding {
            Binding::Update { value: pointer, .. } => Some(pointer.clone()),
            _ => None,
        });
        let put = put.map(|body| Formula { body, variables: value.variables.clone() });
        put.map(|pointer| self.here(path, &pointer)).collect()
    }

    fn here(&mut self, path: &mut Path, formula: &Formula) -> Sym {
        let view = self.claim_view(path, formula);
        self.world.valued(path, formula, &view)
    }

    /// A formula of the body, about the present state.
    pub fn claim_view(&mut self, path: &mut Path, formula: &Formula) -> View {
        let values = formula.values().map(|value| self.plain(path, value)).collect();
        View { values, ..self.view(&path.memory, &path.memory) }
    }

    /// An expression over locals, whatever it needs to have a value.
    fn plain(&mut self, path: &mut Path, expr: &Expr) -> Sym {
        for local in expr.locals() {
            self.local(path, local);
        }
        let locals = path.locals.clone();
        let tid = self.world.tid;
        self.world.translate(path, self.body, expr, &|local| locals[&local], tid).value
    }

    /// The formulas that the author gives as invariants of a loop, behind its head.
    pub fn claimed(&self, head: LocationId) -> Vec<&'a Clause> {
        let mut found = Vec::new();
        let mut seen = Vec::new();
        let mut at = head;
        while let ([edge], false) = (self.body.locations[at].edges.as_slice(), seen.contains(&at)) {
            seen.push(at);
            match &edge.action {
                Action::Ghost(ghost) => match &**ghost {
                    GhostAction::Invariant(clause) => found.push(clause),
                    _ => break,
                },
                Action::Assert { check, .. } if check.property == Property::Invariant => {}
                Action::Skip | Action::Assign { .. } | Action::Load { .. } => {}
                _ => break,
            }
            at = edge.target;
        }
        found
    }
}
