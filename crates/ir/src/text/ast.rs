//! What a text says, before its names and types are resolved.

use super::lexer::At;
use crate::spec::When;
use crate::{
    Assumption, BinaryOp, Check, DataModel, Fence, Grain, Int, Mode, Multiplicity, Property,
    Sharing, Span, Storage, Type, UnaryOp,
};

#[derive(Clone, Debug)]
pub struct Name {
    pub text: String,
    pub at: At,
    pub quoted: bool,
}

#[derive(Debug)]
pub enum Item {
    Program(Name),
    Model(DataModel),
    File(Option<Name>, String),
    NoFiles,
    Layout {
        name: LayoutRef,
        shape: ShapeOf,
        size: Option<u64>,
    },
    Object(Object),
    Region {
        name: Name,
        ty: Option<Type>,
    },
    Procedure(Procedure),
    Thread {
        procedure: Name,
        count: Multiplicity,
        main: bool,
    },
    /// `predicate "..";`, or in a comment.
    Predicate {
        text: String,
        at: At,
        span: Option<Span>,
    },
    Note {
        text: String,
        span: Option<Span>,
    },
    /// `assumed KIND "function";`.
    Assumed(Assumption, Option<Span>),
    Ghost(GhostOf),
    Spec(SpecOf),
    /// `checks assert, race;`.
    Checks(Vec<Property>),
}

/// `i32[4]`: the base, then the dimensions from outside in.
#[derive(Clone, Debug)]
pub struct LayoutRef {
    pub base: Name,
    pub dimensions: Vec<u64>,
}

#[derive(Debug)]
pub enum ShapeOf {
    Scalar(Type),
    Struct(Vec<FieldOf>),
    Union(Vec<FieldOf>),
    Array { element: LayoutRef, count: u64 },
    Bytes,
}

#[derive(Debug)]
pub struct FieldOf {
    pub offset: Option<u64>,
    pub name: Name,
    pub layout: LayoutRef,
}

#[derive(Debug)]
pub struct Object {
    pub name: Name,
    pub layout: LayoutRef,
    pub sharing: Sharing,
    pub init: Vec<(InitAt, Expr)>,
    pub span: Option<Span>,
}

#[derive(Debug)]
pub enum InitAt {
    Path(Vec<Step>),
    Offset(u64),
}

#[derive(Debug)]
pub struct Procedure {
    pub name: Name,
    pub params: Vec<Parameter>,
    pub result: ResultOf,
    pub span: Option<Span>,
    pub body: Body,
}

#[derive(Debug)]
pub enum Parameter {
    Declared(LocalOf),
    /// One of the locals of the body.
    Named(Name),
}

#[derive(Debug)]
pub enum ResultOf {
    Nothing,
    Type(Type),
    Declared(LocalOf),
    Named(Name),
}

#[derive(Clone, Debug)]
pub struct LocalOf {
    pub name: Name,
    pub ty: Type,
    pub named: bool,
}

#[derive(Debug)]
pub enum Body {
    Graph { locals: Vec<LocalOf>, locations: Vec<LocationOf> },
    Structured(Vec<Statement>),
}

#[derive(Debug)]
pub struct LocationOf {
    pub label: Name,
    pub grain: Grain,
    pub entry: bool,
    pub exit: bool,
    pub edges: Vec<EdgeOf>,
}

#[derive(Debug)]
pub struct EdgeOf {
    pub action: Simple,
    pub at: At,
    pub target: Name,
    pub span: Option<Span>,
}

#[derive(Debug)]
pub enum Statement {
    Local(LocalOf, Option<Expr>, At),
    Simple(Simple, At, Option<Span>),
    If(Expr, Vec<Statement>, Vec<Statement>, At),
    While(Expr, Vec<Statement>, At),
    Atomic(Vec<Statement>),
    Choose(Vec<Vec<Statement>>, At),
    Return(Option<Expr>, At),
}

/// What becomes one action, with the loads before it.
#[derive(Debug)]
pub enum Simple {
    Skip,
    Assume(Expr),
    Wait(Expr),
    Assert {
        cond: Expr,
        check: Check,
    },
    Havoc(Place),
    /// `x := e`, `t := load x`, `store x := e`: which it is follows from what `x` is.
    Set {
        to: Place,
        value: Value,
        how: Option<Mode>,
    },
    Lock(Place),
    Unlock(Place),
    Free {
        addr: Expr,
        storage: Storage,
    },
    EndThread(Option<Expr>),
    Fence(Fence),
    Halt,
    Unsupported(String),
    Ghost(Box<GhostActionOf>),
    /// A value that is made for its effect.
    Bare(Effect),
}

#[derive(Debug)]
pub enum Value {
    Expr(Expr),
    Load(Place, Mode),
    Effect(Effect),
}

#[derive(Debug)]
pub enum Effect {
    Alloc { storage: Storage, layout: LayoutRef, size: Option<Expr>, zeroed: bool },
    Spawn(Callee, Vec<Expr>),
    Call(Callee, Vec<Expr>),
    Join(Expr),
}

#[derive(Debug)]
pub enum Callee {
    Direct(Name),
    Indirect(Expr),
}

#[derive(Debug)]
pub struct Place {
    pub what: PlaceOf,
    pub region: Option<Name>,
    pub at: At,
}

#[derive(Debug)]
pub enum PlaceOf {
    Path(Path),
    Deref(Box<Expr>, Type),
}

/// `x`, `s.next`, `a[i].key`; `::x` is a global even where a local has the name.
#[derive(Debug)]
pub struct Path {
    pub name: Name,
    pub global: bool,
    pub steps: Vec<Step>,
}

#[derive(Debug)]
pub enum Step {
    Field(Name),
    Index(Expr),
}

#[derive(Debug)]
pub struct Expr {
    pub kind: ExprOf,
    pub at: At,
    /// How deeply it is nested, so that no walk over it goes deeper than the parser allows.
    pub depth: u32,
}

#[derive(Debug)]
pub enum ExprOf {
    Number(i128, Option<Int>),
    Bool(bool),
    Null,
    None,
    Tid,
    Path(Path),
    Deref(Box<Expr>, Type),
    /// `&x`, `&s.next`, `&worker`.
    Address(Path),
    /// `&(x + 8)`, a constant.
    AddressPlus(Path, i64),
    ProcAddress(Name),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `&&` and `||`: the right operand only where the left does not decide.
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Cast(Type, Box<Expr>),
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
    SizeOf(LayoutRef),
    OffsetOf(LayoutRef, Vec<Step>),
}

/// `ghost readers: bool map in lock := false;`
#[derive(Debug)]
pub struct GhostOf {
    pub name: String,
    pub ty: Type,
    pub map: bool,
    pub of: Option<LayoutRef>,
    pub init: Expr,
    pub at: At,
    pub span: Option<Span>,
}

#[derive(Debug)]
pub enum GhostActionOf {
    Update { ghost: u64, of: Box<FormulaOf>, value: Box<FormulaOf> },
    Assert(FormulaOf),
    Invariant(FormulaOf),
}

/// What is specified.
#[derive(Debug)]
pub enum SpecOf {
    Environment(FormulaOf),
    Invariant(FormulaOf),
    Contract(ContractOf),
    AbstractThread(AbstractThreadOf),
}

#[derive(Debug)]
pub struct ContractOf {
    pub procedure: Name,
    pub requires: Vec<FormulaOf>,
    pub modifies: Vec<TargetOf>,
    pub actions: Vec<ActionOf>,
    pub ensures: Vec<FormulaOf>,
    pub at: At,
    pub span: Option<Span>,
}

#[derive(Debug)]
pub struct ActionOf {
    pub modifies: Vec<TargetOf>,
    pub ensures: Vec<FormulaOf>,
    pub at: At,
    pub span: Option<Span>,
}

#[derive(Debug)]
pub struct AbstractThreadOf {
    pub name: String,
    pub procedure: Name,
    pub states: Vec<StateOf>,
    pub steps: Vec<StepOf>,
    pub at: At,
    pub span: Option<Span>,
}

#[derive(Debug)]
pub struct StateOf {
    pub name: String,
    pub initial: bool,
    pub idles: bool,
    pub asserts: Vec<FormulaOf>,
    pub at: At,
    pub span: Option<Span>,
}

#[derive(Debug)]
pub struct StepOf {
    pub from: u64,
    pub to: u64,
    pub relation: Vec<FormulaOf>,
    pub modifies: Vec<TargetOf>,
    pub at: At,
    pub span: Option<Span>,
}

#[derive(Debug)]
pub struct TargetOf {
    pub address: FormulaOf,
    pub ty: Type,
    pub ghost: Option<u64>,
}

/// `"text" { x: i32 := load y; } holds x > 0`
#[derive(Debug)]
pub struct FormulaOf {
    pub text: String,
    pub bindings: Vec<BindingOf>,
    pub body: Expr,
    pub at: At,
    pub span: Option<Span>,
}

#[derive(Debug)]
pub struct BindingOf {
    pub name: Name,
    pub ty: Type,
    pub what: Bound,
}

#[derive(Debug)]
pub enum Bound {
    Read(Place, When),
    Forall(Option<LayoutRef>),
    Exists(Option<LayoutRef>),
    Size(Expr),
    Alive(Expr, When),
    Parameter(u64),
    Result,
    Main,
    Runs(Name),
    Ghost(u64, Expr, When),
    Value(Expr),
    Everywhere(Expr),
    Update(Name, Expr, Expr),
    Entry(Name, Expr),
    Same(Name, Name),
    Count(Name),
}
