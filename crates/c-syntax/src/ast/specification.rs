//! The syntax tree of specifications.
//!
//! Formulas are C expressions. What C does not have is written with names that no C program can
//! have: `x'` is a call of `\after`, `\forall T i; P` a call of `\forall` with a block that declares
//! the variable and has P for its value; `a ==> b` is `!a || b`, and `a <==> b` is `!a == !b`.

use super::{Declaration, Expr, Ident, Span, TypeName};

/// The name of what `'` stands for.
pub const AFTER: &str = "\\after";
pub const FORALL: &str = "\\forall";
pub const EXISTS: &str = "\\exists";

/// What a translation unit specifies, at file level.
#[derive(Clone, Debug, Default)]
pub struct Specifications {
    pub environment: Vec<Clause>,
    pub invariants: Vec<Clause>,
    pub protected: Vec<Protected>,
    pub contracts: Vec<Contract>,
    pub threads: Vec<AbstractThread>,
    /// Names of specification variables.
    pub ghosts: Vec<Ident>,
    /// Sets and maps of threads.
    pub maps: Vec<Ghost>,
}

impl Specifications {
    pub fn is_empty(&self) -> bool {
        let Specifications { environment, invariants, protected, contracts, threads, ghosts, maps } =
            self;
        environment.is_empty()
            && invariants.is_empty()
            && protected.is_empty()
            && contracts.is_empty()
            && threads.is_empty()
            && ghosts.is_empty()
            && maps.is_empty()
    }
}

/// A specification variable that is no variable of C, or a member.
#[derive(Clone, Debug)]
pub struct Ghost {
    pub what: GhostType,
    /// When others may not change it: `unwritable_by_env_if` behind it.
    pub conditions: Vec<Clause>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum GhostType {
    /// `int readers = 0;`
    Scalar(Declaration),
    /// `\map<thread, T> m;`; of a set, without T.
    Map { value: Option<TypeName>, names: Vec<Ident> },
}

/// A formula and its place.
#[derive(Clone, Debug)]
pub struct Clause {
    pub formula: Expr,
    /// As it was written, on one line.
    pub text: Box<str>,
    /// With its first word.
    pub span: Span,
}

/// `unwritable_by_env_if` at a variable.
#[derive(Clone, Debug)]
pub struct Protected {
    pub variable: Ident,
    pub condition: Clause,
}

/// What is said of a function.
#[derive(Clone, Debug)]
pub struct Contract {
    pub function: Ident,
    pub requires: Vec<Clause>,
    pub modifies: Vec<Target>,
    pub actions: Vec<Action>,
    pub ensures: Vec<Clause>,
    pub span: Span,
}

/// `action: also_modifies x; ensures F;`
#[derive(Clone, Debug)]
pub struct Action {
    pub modifies: Vec<Target>,
    pub ensures: Option<Clause>,
    pub span: Span,
}

/// Something that may be modified: an lvalue.
#[derive(Clone, Debug)]
pub struct Target {
    pub place: Expr,
    pub text: Box<str>,
}

/// `abstract_thread Name abstracts function { ... }`
#[derive(Clone, Debug)]
pub struct AbstractThread {
    pub name: Ident,
    pub function: Ident,
    pub states: Vec<State>,
    pub transitions: Vec<Transition>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct State {
    pub name: Ident,
    pub initial: bool,
    pub stutters: bool,
    pub assertion: Option<Clause>,
}

/// `From -> To: F, modifies x;`
#[derive(Clone, Debug)]
pub struct Transition {
    pub from: Ident,
    pub to: Ident,
    pub relation: Option<Clause>,
    pub modifies: Vec<Target>,
    pub span: Span,
}

/// What a comment says that stands before a declaration or beside it.
#[derive(Clone, Debug, Default)]
pub struct Attached {
    /// `unwritable_by_env_if`.
    pub conditions: Vec<Clause>,
    pub requires: Vec<Clause>,
    pub modifies: Vec<Target>,
    pub actions: Vec<Action>,
    pub ensures: Vec<Clause>,
    /// Where the first of the clauses about a function stands.
    pub contract: Option<Span>,
    /// Specification variables.
    pub ghosts: Vec<Declaration>,
    /// Sets and maps of threads, at file level.
    pub maps: Vec<Ghost>,
    /// Members for specifications, in a structure.
    pub members: Vec<Ghost>,
    /// The variables that the comment has declared last, and whether these are maps or members.
    pub after_variable: Vec<Ident>,
    pub after_map: bool,
}
