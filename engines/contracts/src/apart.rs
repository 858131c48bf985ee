//! Globals that no pointer leads to: each is a map of its own.
//!
//! Memory is a map from objects to maps from offsets to values. A solver compares all maps of objects
//! with each other, of which there are as many as globals that a procedure mentions times steps that it
//! takes. A global whose address is taken nowhere, neither by the program nor by a formula, and that no
//! formula about all objects of a type speaks of, is accessed by its name only. What is accessed by a
//! pointer is another object, so the two need not be in one map.

use rustc_hash::FxHashSet;
use selvedge_ir::spec::{Binding, Formula, GhostAction};
use selvedge_ir::{
    Action, BinaryOp, Const, Expr, LayoutId, ObjectId, Place, Program, Shape, Sharing, Type,
};

use crate::regions::elements;

/// The globals that no pointer leads to.
pub(crate) fn apart(program: &Program) -> FxHashSet<ObjectId> {
    let mut found = Taken::default();
    for object in program.objects.values() {
        object.init.iter().for_each(|(_, value)| found.value(&Expr::Const(*value)));
    }
    for (_, edge) in program.procedures.values().flat_map(|procedure| procedure.edges()) {
        found.action(&edge.action);
    }
    let spec = &program.spec;
    for clause in spec.environment.iter().chain(&spec.invariants) {
        found.formula(&clause.formula);
    }
    for contract in &spec.contracts {
        let actions = contract.actions.iter();
        let clauses = contract.requires.iter().chain(&contract.ensures);
        let clauses = clauses.chain(actions.clone().flat_map(|action| &action.ensures));
        clauses.for_each(|clause| found.formula(&clause.formula));
        let targets = contract.modifies.iter().chain(actions.flat_map(|action| &action.modifies));
        for target in targets {
            found.bindings(&target.address);
            found.address(&target.address.body);
        }
    }
    if found.anything {
        return FxHashSet::default();
    }
    let shared = program.objects.iter().filter(|(_, o)| o.sharing == Sharing::Shared);
    let apart = shared.filter(|(id, object)| {
        let mut layouts = elements(program, object.layout);
        !found.objects.contains(id) && !layouts.any(|layout| found.layouts.contains(&layout))
    });
    apart.map(|(id, _)| id).collect()
}

/// What pointers may lead to.
#[derive(Default)]
struct Taken {
    objects: FxHashSet<ObjectId>,
    layouts: FxHashSet<LayoutId>,
    /// A formula speaks of all pointers.
    anything: bool,
}

impl Taken {
    fn action(&mut self, action: &Action) {
        if let Action::Ghost(ghost) = action {
            match &**ghost {
                GhostAction::Update { of, value, .. } => {
                    self.formula(of);
                    self.formula(value);
                }
                GhostAction::Assert(clause) | GhostAction::Invariant(clause) => {
                    self.formula(&clause.formula);
                }
            }
        }
        let place = action.place().map(|place| place.addr.clone());
        let mut skipped = false;
        action.for_each_expr(&mut |expr| {
            if !skipped && place.as_ref() == Some(expr) {
                skipped = true;
                self.address(expr);
            } else {
                self.value(expr);
            }
        });
    }

    fn formula(&mut self, formula: &Formula) {
        self.bindings(formula);
        self.value(&formula.body);
    }

    fn bindings(&mut self, formula: &Formula) {
        for variable in formula.variables.values() {
            match &variable.binding {
                Binding::Read { place: Place { addr, .. }, .. } => self.address(addr),
                Binding::Forall(Some(layout)) | Binding::Exists(Some(layout)) => {
                    self.layouts.insert(*layout);
                }
                Binding::Forall(None) | Binding::Exists(None) => {
                    self.anything |= variable.ty == Type::Ptr;
                }
                Binding::Value(value) => self.value(value),
                Binding::Update { thread, value, .. } => {
                    self.value(thread);
                    self.value(value);
                }
                Binding::Entry { thread, .. } => self.value(thread),
                // Sizes, lives and variables of the specification are no content.
                _ => {}
            }
        }
    }

    /// An address is taken, but for the object that it is in.
    fn address(&mut self, address: &Expr) {
        match address {
            Expr::Const(Const::Object(..)) => {}
            Expr::Binary(BinaryOp::PtrAdd, pointer, offset) => {
                self.address(pointer);
                self.value(offset);
            }
            other => self.value(other),
        }
    }

    fn value(&mut self, value: &Expr) {
        value.walk(&mut |part| {
            if let Expr::Const(Const::Object(object, _)) = part {
                self.objects.insert(*object);
            }
        });
    }
}

/// The types of the scalars of a layout; none if these are not known.
pub(crate) fn types_in(program: &Program, layout: LayoutId) -> Option<FxHashSet<Type>> {
    let mut found = FxHashSet::default();
    let mut work = vec![layout];
    while let Some(layout) = work.pop() {
        match &program.layouts[layout].shape {
            Shape::Scalar(ty) => {
                found.insert(*ty);
            }
            Shape::Struct(fields) | Shape::Union(fields) => {
                work.extend(fields.iter().map(|field| field.layout));
            }
            Shape::Array { element, .. } => work.push(*element),
            Shape::Bytes => return None,
        }
    }
    Some(found)
}
