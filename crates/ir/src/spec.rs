//! Specifications: what a program's author says that its threads and procedures do.
//!
//! Two forms. *Contracts* follow Calvin (Flanagan, Freund, Qadeer, Seshia, "Modular verification of
//! multithreaded programs", §6.3): environment assumptions, global invariants, and for a procedure an
//! abstraction: what it requires, what it may modify, the atomic actions that others may see, what it
//! ensures. *Abstract threads* follow Lahiri, Malkis and Qadeer ("Abstract Threads", §2): state
//! machines with an assertion in each state and a relation on each edge.
//!
//! A specification changes nothing about what the program does.

use cranelift_entity::PrimaryMap;
use serde::{Deserialize, Serialize};

use crate::{
    BinaryOp, Const, Expr, GhostId, LayoutId, LocalId, ObjectId, Place, ProcId, Span, Type,
};

/// Everything that is specified of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Specification {
    /// Variables of the specification that are no objects of the program.
    pub ghosts: PrimaryMap<GhostId, Ghost>,
    /// What the steps of all other threads do to memory, as seen by the thread `tid`: their
    /// conjunction is the environment assumption.
    pub environment: Vec<Clause>,
    /// What holds between any two steps of the program.
    pub invariants: Vec<Clause>,
    pub contracts: Vec<Contract>,
    pub abstract_threads: Vec<AbstractThread>,
}

/// A variable of the specification: one, or one of every object. It is in no memory of the program,
/// which therefore cannot see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ghost {
    pub name: String,
    /// Of its value; of a map, of the value for each thread.
    pub ty: Type,
    /// Whether it has a value for every thread.
    pub map: bool,
    /// It is a member of every object of this layout; else there is one.
    pub of: Option<LayoutId>,
    /// Its value, or all its values, at first.
    pub init: Const,
    pub span: Span,
}

/// A formula of the author's, with the words that it was written in.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Clause {
    pub formula: Formula,
    /// As in the source, for messages.
    pub text: String,
    pub span: Span,
}

/// The abstraction of a procedure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contract {
    pub procedure: ProcId,
    /// One state.
    pub requires: Vec<Clause>,
    /// What every step of the procedure may change.
    pub modifies: Vec<Target>,
    /// The steps that do more, each once, in this order.
    pub actions: Vec<AbstractAction>,
    /// One state, or two: the states at entry and at exit.
    pub ensures: Vec<Clause>,
    pub span: Span,
}

/// A step of a procedure that others may see. Two states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbstractAction {
    /// Beside what the contract says that every step may change.
    pub modifies: Vec<Target>,
    pub ensures: Vec<Clause>,
    pub span: Span,
}

/// A scalar in memory, or those of all objects that a variable of the formula ranges over, that may
/// be changed. The body of the formula is its address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    pub address: Formula,
    pub ty: Type,
    /// It is this variable of the specification; the address is that of its object, or null.
    pub ghost: Option<GhostId>,
    pub text: String,
    pub span: Span,
}

/// A thread that stands for the threads started in a procedure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbstractThread {
    pub name: String,
    pub procedure: ProcId,
    pub states: Vec<AbstractState>,
    pub transitions: Vec<Transition>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbstractState {
    pub name: String,
    pub initial: bool,
    /// Whether the thread may stay here with a step that changes nothing.
    pub idles: bool,
    /// The thread has gone wrong where one of these fails. One state.
    pub asserts: Vec<Clause>,
    pub span: Span,
}

/// A step between two states, by their places in the list. What is not among the targets keeps its
/// value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transition {
    pub from: u32,
    pub to: u32,
    /// Two states.
    pub relation: Vec<Clause>,
    pub modifies: Vec<Target>,
    pub span: Span,
}

/// A formula over one state of memory or two, in prenex form: variables, each bound by what comes
/// before it, then an expression over them. The expression may mention the thread `tid`. It is a
/// condition, except in a [`Target`].
///
/// Reading memory is total: at an address where nothing is, it gives some value.
///
/// A variable may be a *map* from threads to values of its type ([`Formula::is_map`]); then it stands
/// in the bindings of other variables only, or is the whole body of an update.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Formula {
    pub variables: PrimaryMap<LocalId, Variable>,
    pub body: Expr,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Variable {
    /// Unique in the formula.
    pub name: String,
    pub ty: Type,
    pub binding: Binding,
}

/// What a variable of a formula stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Binding {
    /// The procedure's parameter of this number, as it was at entry.
    Parameter(u32),
    /// What the procedure returns.
    Result,
    /// The first thread of the program.
    Main,
    /// Whether the thread `tid` was started in this procedure.
    Runs(ProcId),
    /// Every value of the type; of a pointer with a layout, every such object (and every element of
    /// an array of them).
    Forall(Option<LayoutId>),
    /// Some value of the type, likewise.
    Exists(Option<LayoutId>),
    /// The scalar at a place, whose address is over earlier variables.
    Read { place: Place, when: When },
    /// The bytes from where a pointer leads to the end of its object, an integer of `size_type`; zero
    /// if it leads into none. For a pointer to the start of an object that is the object's size.
    Size(Expr),
    /// Whether a pointer leads into an object that is there, in one of the two states.
    Alive { pointer: Expr, when: When },
    /// A variable of the specification, of the object at an address (null, where there is one). A
    /// map, if that is one.
    Ghost { ghost: GhostId, of: Expr, when: When },
    /// A value of the procedure in whose body the formula stands, over the locals there.
    Value(Expr),
    /// The map with this value for every thread.
    Everywhere(Const),
    /// The map that differs from another at one thread.
    Update { map: LocalId, thread: Expr, value: Expr },
    /// The value that a map has for a thread.
    Entry { map: LocalId, thread: Expr },
    /// Whether two maps have the same value for every thread.
    Same(LocalId, LocalId),
    /// How many threads a map to truth values has true for, an integer of `diff_type`.
    Count(LocalId),
}

/// What an annotation inside a body does. Nothing of it is seen by the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GhostAction {
    /// Changes a variable of the specification, of the object at an address (null, where there is
    /// one).
    Update { ghost: GhostId, of: Formula, value: Formula },
    /// Claims that a formula holds.
    Assert(Clause),
    /// Likewise, before every round of a loop.
    Invariant(Clause),
}

/// In a formula over two states, which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum When {
    Before,
    After,
}

impl Specification {
    pub fn is_empty(&self) -> bool {
        *self == Specification::default()
    }

    pub fn contract_of(&self, procedure: ProcId) -> Option<&Contract> {
        self.contracts.iter().find(|contract| contract.procedure == procedure)
    }

    pub fn abstract_thread_of(&self, procedure: ProcId) -> Option<&AbstractThread> {
        self.abstract_threads.iter().find(|thread| thread.procedure == procedure)
    }

    /// Every formula, those of targets too.
    pub fn formulas(&self) -> impl Iterator<Item = &Formula> {
        let contracts = self.contracts.iter().flat_map(|contract| {
            let steps = contract.actions.iter().flat_map(|action| {
                formulas_of(&action.ensures).chain(addresses_of(&action.modifies))
            });
            let conditions = formulas_of(&contract.requires).chain(formulas_of(&contract.ensures));
            conditions.chain(addresses_of(&contract.modifies)).chain(steps)
        });
        let threads = self.abstract_threads.iter().flat_map(|thread| {
            let states = thread.states.iter().flat_map(|state| formulas_of(&state.asserts));
            let steps = thread
                .transitions
                .iter()
                .flat_map(|step| formulas_of(&step.relation).chain(addresses_of(&step.modifies)));
            states.chain(steps)
        });
        let global = formulas_of(&self.environment).chain(formulas_of(&self.invariants));
        global.chain(contracts).chain(threads)
    }
}

impl Specification {
    /// Calls `f` on every formula, those of targets too, to change them in place.
    pub fn for_each_formula_mut(&mut self, f: &mut impl FnMut(&mut Formula)) {
        let mut clauses = |clauses: &mut Vec<Clause>| {
            clauses.iter_mut().for_each(|clause| f(&mut clause.formula));
        };
        clauses(&mut self.environment);
        clauses(&mut self.invariants);
        for contract in &mut self.contracts {
            clauses(&mut contract.requires);
            clauses(&mut contract.ensures);
            contract.actions.iter_mut().for_each(|action| clauses(&mut action.ensures));
        }
        for thread in &mut self.abstract_threads {
            thread.states.iter_mut().for_each(|state| clauses(&mut state.asserts));
            thread.transitions.iter_mut().for_each(|step| clauses(&mut step.relation));
        }
        let mut targets = |targets: &mut Vec<Target>| {
            targets.iter_mut().for_each(|target| f(&mut target.address));
        };
        for contract in &mut self.contracts {
            targets(&mut contract.modifies);
            contract.actions.iter_mut().for_each(|action| targets(&mut action.modifies));
        }
        for thread in &mut self.abstract_threads {
            thread.transitions.iter_mut().for_each(|step| targets(&mut step.modifies));
        }
    }
}

fn formulas_of(clauses: &[Clause]) -> impl Iterator<Item = &Formula> {
    clauses.iter().map(|clause| &clause.formula)
}

fn addresses_of(targets: &[Target]) -> impl Iterator<Item = &Formula> {
    targets.iter().map(|target| &target.address)
}

impl Binding {
    /// Calls `f` on every expression over earlier variables.
    pub fn for_each_expr<'a>(&'a self, f: &mut impl FnMut(&'a Expr)) {
        match self {
            Binding::Read { place, .. } => f(&place.addr),
            Binding::Size(e)
            | Binding::Alive { pointer: e, .. }
            | Binding::Ghost { of: e, .. }
            | Binding::Entry { thread: e, .. } => f(e),
            Binding::Update { thread, value, .. } => {
                f(thread);
                f(value);
            }
            _ => {}
        }
    }

    /// Likewise, to change them in place.
    pub fn for_each_expr_mut(&mut self, f: &mut impl FnMut(&mut Expr)) {
        match self {
            Binding::Read { place, .. } => f(&mut place.addr),
            Binding::Size(e)
            | Binding::Alive { pointer: e, .. }
            | Binding::Ghost { of: e, .. }
            | Binding::Entry { thread: e, .. } => f(e),
            Binding::Update { thread, value, .. } => {
                f(thread);
                f(value);
            }
            _ => {}
        }
    }

    /// The maps that it mentions.
    pub fn maps(&self) -> Vec<LocalId> {
        match *self {
            Binding::Update { map, .. } | Binding::Entry { map, .. } | Binding::Count(map) => {
                vec![map]
            }
            Binding::Same(a, b) => vec![a, b],
            _ => Vec::new(),
        }
    }

    /// Likewise, to change them in place.
    pub fn maps_mut(&mut self) -> Vec<&mut LocalId> {
        match self {
            Binding::Update { map, .. } | Binding::Entry { map, .. } | Binding::Count(map) => {
                vec![map]
            }
            Binding::Same(a, b) => vec![a, b],
            _ => Vec::new(),
        }
    }
}

impl GhostAction {
    /// What it is, for those who cannot follow it.
    pub fn what(&self) -> &'static str {
        match self {
            GhostAction::Update { .. } => "an update of a specification variable",
            GhostAction::Assert(_) => "an assertion with words of specifications",
            GhostAction::Invariant(_) => "a loop invariant with words of specifications",
        }
    }

    pub fn formulas(&self) -> Vec<&Formula> {
        match self {
            GhostAction::Update { of, value, .. } => vec![of, value],
            GhostAction::Assert(clause) | GhostAction::Invariant(clause) => vec![&clause.formula],
        }
    }

    pub fn formulas_mut(&mut self) -> Vec<&mut Formula> {
        match self {
            GhostAction::Update { of, value, .. } => vec![of, value],
            GhostAction::Assert(clause) | GhostAction::Invariant(clause) => {
                vec![&mut clause.formula]
            }
        }
    }
}

impl Formula {
    /// Calls `f` on every expression over its variables: addresses, pointers and the body.
    pub fn for_each_expr<'a>(&'a self, f: &mut impl FnMut(&'a Expr)) {
        self.variables.values().for_each(|variable| variable.binding.for_each_expr(f));
        f(&self.body);
    }

    /// Likewise, to change them in place.
    pub fn for_each_expr_mut(&mut self, f: &mut impl FnMut(&mut Expr)) {
        self.variables.values_mut().for_each(|variable| variable.binding.for_each_expr_mut(f));
        f(&mut self.body);
    }

    /// The values of the procedure in whose body it stands.
    pub fn values(&self) -> impl Iterator<Item = &Expr> {
        self.variables.values().filter_map(|variable| match &variable.binding {
            Binding::Value(value) => Some(value),
            _ => None,
        })
    }

    /// Likewise, to change them in place.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        self.variables.values_mut().filter_map(|variable| match &mut variable.binding {
            Binding::Value(value) => Some(value),
            _ => None,
        })
    }

    /// Whether a variable is a map from threads.
    pub fn is_map(&self, variable: LocalId, ghosts: &PrimaryMap<GhostId, Ghost>) -> bool {
        match self.variables.get(variable).map(|variable| &variable.binding) {
            Some(Binding::Ghost { ghost, .. }) => ghosts.get(*ghost).is_some_and(|it| it.map),
            Some(Binding::Everywhere(_) | Binding::Update { .. }) => true,
            _ => false,
        }
    }

    /// The variables of the specification that it reads, with the addresses of their objects.
    pub fn ghosts(&self) -> impl Iterator<Item = (LocalId, GhostId, &Expr, When)> {
        self.variables.iter().filter_map(|(id, variable)| match &variable.binding {
            Binding::Ghost { ghost, of, when } => Some((id, *ghost, of, *when)),
            _ => None,
        })
    }

    /// A formula without variables.
    pub fn closed(body: Expr) -> Formula {
        Formula { variables: PrimaryMap::new(), body }
    }

    /// Whether it speaks of the state after a step.
    pub fn has_two_states(&self) -> bool {
        self.reads().any(|(_, _, when)| when == When::After)
            || self.ghosts().any(|(_, _, _, when)| when == When::After)
    }

    /// What it reads from memory, in order.
    pub fn reads(&self) -> impl Iterator<Item = (LocalId, &Place, When)> {
        self.variables.iter().filter_map(|(id, variable)| match &variable.binding {
            Binding::Read { place, when } => Some((id, place, *when)),
            _ => None,
        })
    }

    pub fn is_quantified(&self) -> bool {
        let quantifies =
            |v: &Variable| matches!(v.binding, Binding::Forall(_) | Binding::Exists(_));
        self.variables.values().any(quantifies)
    }

    /// The element of an array, or the object, and the byte in it that an address leads to, where
    /// it is a quantified pointer and a constant.
    pub fn element_at(&self, address: &Expr) -> Option<(LocalId, LayoutId, i64)> {
        let (pointer, offset) = match address {
            Expr::Local(pointer) => (*pointer, 0),
            Expr::Binary(BinaryOp::PtrAdd, pointer, offset) => match (&**pointer, &**offset) {
                (Expr::Local(pointer), Expr::Const(Const::Int(bits, int))) => {
                    (*pointer, i64::try_from(int.value(*bits)).ok()?)
                }
                _ => return None,
            },
            _ => return None,
        };
        match self.variables.get(pointer)?.binding {
            Binding::Forall(Some(layout)) | Binding::Exists(Some(layout)) => {
                Some((pointer, layout, offset))
            }
            _ => None,
        }
    }

    /// The places that an address means, where it is a constant and any multiple of another.
    pub fn array_at(&self, address: &Expr) -> Option<ArrayPlaces> {
        let Expr::Binary(BinaryOp::PtrAdd, pointer, distance) = address else { return None };
        let Expr::Const(Const::Object(object, first)) = **pointer else { return None };
        let (index, stride) = match &**distance {
            Expr::Local(index) => (*index, 1),
            Expr::Binary(BinaryOp::Mul, index, stride) => match (&**index, &**stride) {
                (Expr::Local(index), Expr::Const(Const::Int(bits, int))) => {
                    (*index, i64::try_from(int.value(*bits)).ok()?)
                }
                _ => return None,
            },
            _ => return None,
        };
        let any = matches!(
            self.variables.get(index)?.binding,
            Binding::Forall(None) | Binding::Exists(None)
        );
        (any && stride > 0).then_some(ArrayPlaces { object, first, stride })
    }
}

/// The places of an array at a distance from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayPlaces {
    pub object: ObjectId,
    /// Bytes from the object's start to the place of number 0.
    pub first: i64,
    pub stride: i64,
}

impl Target {
    /// The place, where the address is a constant.
    pub fn direct(&self) -> Option<Place> {
        let place = Place::new(self.address.body.clone(), self.ty);
        place.direct().is_some().then_some(place)
    }
}
