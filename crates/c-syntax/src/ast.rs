//! The abstract syntax of GNU C11 (with what system headers and the Linux kernel use).
//!
//! The tree stays close to the source: typedef names are distinguished from identifiers, constants and
//! strings are decoded, everything else is left to the front end. Boxes and vectors, no arena.

pub mod specification;

use std::rc::Rc;

use specification::{Clause, Ghost, Specifications};

/// A range of bytes in one source text of the source map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    pub source: u32,
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// From the start of this to the end of `other`.
    pub fn to(self, other: Span) -> Span {
        Span { end: other.end, ..self }
    }
}

/// A name with its place.
#[derive(Clone, Debug)]
pub struct Ident {
    pub name: Rc<str>,
    pub span: Span,
}

/// One preprocessed input file.
#[derive(Clone, Debug, Default)]
pub struct TranslationUnit {
    pub items: Vec<Item>,
    /// What annotations say of the program as a whole, in their order.
    pub annotations: Vec<Annotation>,
    /// What pragmas say of symbols, in their order.
    pub symbols: Vec<SymbolPragma>,
    /// Names of variables that specifications declare, where these are passed over.
    pub specified: Vec<Rc<str>>,
    /// What comments specify, if that is read.
    pub specifications: Specifications,
}

/// A pragma about a name with external linkage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SymbolPragma {
    /// `#pragma weak name`
    Weak { name: Rc<str> },
    /// `#pragma weak name = to`
    WeakAlias { name: Rc<str>, to: Rc<str> },
    /// `#pragma redefine_extname from to`
    Rename { from: Rc<str>, to: Rc<str> },
}

/// A clause of a comment that begins with `@`, where it speaks of the program as a whole. A loop
/// invariant is not among them: it is a part of its loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Annotation {
    /// `/*@ predicate l != \other(l); */`: what stands between the word and the `;`, on one line.
    Predicate { text: Box<str>, span: Span },
}

#[derive(Clone, Debug)]
pub enum Item {
    Function(FunctionDef),
    Declaration(Declaration),
    StaticAssert(StaticAssert),
    /// `asm("...");` at file level.
    Asm(Span),
    /// A pragma that is not supported, at file level.
    Unsupported(Rc<str>, Span),
}

#[derive(Clone, Debug)]
pub struct FunctionDef {
    pub specifiers: Specifiers,
    pub declarator: Declarator,
    /// Old-style parameter declarations between the declarator and the body.
    pub old_style: Vec<Declaration>,
    pub body: Block,
    pub span: Span,
}

/// `specifiers declarator = init, ...;`. No declarators: `struct s { ... };`.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub specifiers: Specifiers,
    pub declarators: Vec<InitDeclarator>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct InitDeclarator {
    pub declarator: Declarator,
    /// `asm("name")` after the declarator.
    pub asm_label: Option<Rc<str>>,
    pub init: Option<Initializer>,
}

#[derive(Clone, Debug)]
pub struct StaticAssert {
    pub condition: Expr,
    pub message: Option<Rc<str>>,
    pub span: Span,
}

/// Declaration specifiers, in any order of the source.
#[derive(Clone, Debug)]
pub struct Specifiers {
    pub storage: Option<Storage>,
    pub thread_local: bool,
    pub inline: bool,
    pub noreturn: bool,
    pub qualifiers: Qualifiers,
    pub alignas: Vec<AlignAs>,
    pub ty: TypeSpecifier,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Qualifiers {
    pub constant: bool,
    pub volatile: bool,
    pub restrict: bool,
    pub atomic: bool,
}

#[derive(Clone, Debug)]
pub enum AlignAs {
    Type(Box<TypeName>),
    Expr(Box<Expr>),
}

#[derive(Clone, Debug)]
pub enum TypeSpecifier {
    Void,
    Bool,
    /// char, short, int, long, long long, __int128 and their signed and unsigned forms. `signed`
    /// is none where the source does not say (plain `char` is its own type; the rest are signed).
    /// No type at all (implicit int) is `Int` too.
    Integer {
        signed: Option<bool>,
        rank: IntegerRank,
    },
    /// `float`, `double`, `long double`, `_Float128`, `_Decimal64`, ...
    Float {
        kind: FloatKind,
        complex: bool,
    },
    Record(Box<RecordSpecifier>),
    Enum(Box<EnumSpecifier>),
    Typedef(Ident),
    TypeofExpr(Box<Expr>),
    TypeofType(Box<TypeName>),
    /// `_Atomic(T)`; the qualifier `_Atomic` is in [`Qualifiers`].
    Atomic(Box<TypeName>),
    /// `__auto_type`
    Auto,
    /// `__builtin_va_list`
    VaList,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerRank {
    Char,
    Short,
    Int,
    Long,
    LongLong,
    Int128,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatKind {
    Half,
    Float,
    Double,
    LongDouble,
    Float128,
    Decimal,
}

#[derive(Clone, Debug)]
pub struct RecordSpecifier {
    pub union: bool,
    pub tag: Option<Ident>,
    /// None: only a reference to the tag.
    pub members: Option<Vec<Member>>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Member {
    /// A declaration of members. No declarators: an anonymous struct or union (or, for other
    /// types, nothing).
    Fields {
        specifiers: Specifiers,
        declarators: Vec<MemberDeclarator>,
        /// When others may not write them: `unwritable_by_env_if`.
        conditions: Vec<Clause>,
        span: Span,
    },
    StaticAssert(StaticAssert),
    /// For specifications only.
    Ghost(Ghost),
}

#[derive(Clone, Debug)]
pub struct MemberDeclarator {
    /// None for an unnamed bit-field.
    pub declarator: Option<Declarator>,
    pub bits: Option<Expr>,
    pub attributes: Vec<Attribute>,
}

#[derive(Clone, Debug)]
pub struct EnumSpecifier {
    pub tag: Option<Ident>,
    pub enumerators: Option<Vec<Enumerator>>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Enumerator {
    pub name: Ident,
    pub value: Option<Expr>,
}

/// A declarator, inside out: `derived[0]` applies to the name first. `int *a[3]` has
/// `derived = [Array(3), Pointer]`: "a is an array of 3 pointers to int".
#[derive(Clone, Debug)]
pub struct Declarator {
    /// None in an abstract declarator.
    pub name: Option<Ident>,
    pub derived: Vec<Derived>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Derived {
    Pointer { qualifiers: Qualifiers, attributes: Vec<Attribute> },
    Array { qualifiers: Qualifiers, size: ArraySize },
    Function { params: Params },
}

#[derive(Clone, Debug)]
pub enum ArraySize {
    /// `[]`
    Unspecified,
    /// `[*]`
    Star,
    /// `[n]` and `[static n]`
    Expr(Box<Expr>),
}

#[derive(Clone, Debug)]
pub enum Params {
    /// `()`: nothing said.
    Unspecified,
    /// `(a, b)` of an old-style definition.
    Identifiers(Vec<Ident>),
    /// `(void)` has none.
    Prototype { params: Vec<Param>, variadic: bool },
}

#[derive(Clone, Debug)]
pub struct Param {
    pub specifiers: Specifiers,
    pub declarator: Declarator,
    pub span: Span,
}

/// A type in a cast, `sizeof` and the like. `derived` as in [`Declarator`].
#[derive(Clone, Debug)]
pub struct TypeName {
    pub specifiers: Specifiers,
    pub derived: Vec<Derived>,
    pub span: Span,
}

/// `__attribute__((name(args)))`, `[[name]]`; underscores around the name are taken off, and so
/// is a prefix as in `gnu::name`. A record under `#pragma pack(n)` has the attribute
/// `pragma_pack(n)`: members are aligned to at most n bytes. One under `#pragma
/// scalar_storage_order big-endian` has `pragma_scalar_storage_order("big-endian")`.
#[derive(Clone, Debug)]
pub struct Attribute {
    pub name: Rc<str>,
    /// Arguments that parse as expressions; others are left out.
    pub args: Vec<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Initializer {
    Expr(Expr),
    List(Vec<InitItem>, Span),
}

#[derive(Clone, Debug)]
pub struct InitItem {
    pub designators: Vec<Designator>,
    pub init: Initializer,
}

#[derive(Clone, Debug)]
pub enum Designator {
    /// `.name` or the old `name:`
    Field(Ident),
    Index(Expr),
    /// `[a ... b]`
    Range(Expr, Expr),
}

#[derive(Clone, Debug)]
pub struct Block {
    pub items: Vec<BlockItem>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum BlockItem {
    Statement(Statement),
    Declaration(Declaration),
    StaticAssert(StaticAssert),
    /// A nested function (GNU).
    Function(FunctionDef),
    /// `__label__ a, b;`
    LocalLabels(Vec<Ident>),
}

#[derive(Clone, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `;`, and attributes alone
    Empty,
    Expr(Expr),
    Block(Block),
    If {
        condition: Expr,
        then: Box<Statement>,
        otherwise: Option<Box<Statement>>,
    },
    Switch {
        value: Expr,
        body: Box<Statement>,
    },
    /// The invariants of a loop stand before it: `/*@ loop invariant e; */`. They hold whenever
    /// control is at the head of the loop: before the condition, or before the body of `do` and of
    /// `for` without a condition. A conjunction is split into its parts.
    While {
        invariants: Vec<Expr>,
        condition: Expr,
        body: Box<Statement>,
    },
    DoWhile {
        invariants: Vec<Expr>,
        body: Box<Statement>,
        condition: Expr,
    },
    For {
        invariants: Vec<Expr>,
        init: ForInit,
        condition: Option<Expr>,
        step: Option<Expr>,
        body: Box<Statement>,
    },
    /// `name: body`; a label at the end of a block has an empty body. A declaration after a label
    /// is the next item of the block.
    Label {
        name: Ident,
        body: Box<Statement>,
    },
    /// `case low:` or `case low ... high:`
    Case {
        low: Expr,
        high: Option<Expr>,
        body: Box<Statement>,
    },
    Default {
        body: Box<Statement>,
    },
    Goto(Ident),
    /// `goto *e`
    GotoComputed(Expr),
    Continue,
    Break,
    Return(Option<Expr>),
    Asm(Asm),
    /// `/*@ assert e; */`
    Assert(Expr),
    /// `/*@ ghost e; */` before a statement: updates of specification variables, together with what
    /// the statement does.
    Ghost {
        updates: Vec<Expr>,
        joined: Box<Statement>,
    },
    /// A pragma or an attribute of a statement that is not supported.
    Unsupported(Rc<str>),
}

#[derive(Clone, Debug)]
pub enum ForInit {
    None,
    Expr(Expr),
    Declaration(Declaration),
}

#[derive(Clone, Debug)]
pub struct Asm {
    pub template: Rc<str>,
    pub outputs: Vec<Expr>,
    pub inputs: Vec<Expr>,
    pub clobbers: Vec<Rc<str>>,
    pub labels: Vec<Ident>,
}

/// Parentheses leave no node; the span includes them.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Ident(Ident),
    Integer(IntegerLiteral),
    Float(FloatLiteral),
    Char(CharLiteral),
    String(StringLiteral),
    Index {
        array: Box<Expr>,
        index: Box<Expr>,
    },
    Call {
        callee: Box<Expr>,
        args: Vec<Expr>,
    },
    /// `a.name`, and `a->name` with `arrow`
    Member {
        object: Box<Expr>,
        arrow: bool,
        name: Ident,
    },
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
    },
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// `a = b`; `a += b` with an operator
    Assign {
        op: Option<BinaryOp>,
        target: Box<Expr>,
        value: Box<Expr>,
    },
    /// `a ? b : c`; `a ?: c` with no `then`
    Conditional {
        condition: Box<Expr>,
        then: Option<Box<Expr>>,
        otherwise: Box<Expr>,
    },
    Comma {
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Cast {
        ty: Box<TypeName>,
        operand: Box<Expr>,
    },
    CompoundLiteral {
        ty: Box<TypeName>,
        init: Vec<InitItem>,
    },
    SizeofExpr(Box<Expr>),
    SizeofType(Box<TypeName>),
    AlignofExpr(Box<Expr>),
    /// `_Alignof(T)`: the alignment that every object of the type has.
    AlignofType(Box<TypeName>),
    /// `__alignof__(T)`: the alignment of a variable; a member may have less.
    GnuAlignofType(Box<TypeName>),
    /// `__builtin_offsetof(type, member.path[i])`; the path starts with a field.
    Offsetof {
        ty: Box<TypeName>,
        path: Vec<Designator>,
    },
    /// `({ ... })`
    StatementExpr(Block),
    Generic {
        control: Box<Expr>,
        arms: Vec<GenericArm>,
    },
    /// `&&label`
    LabelAddress(Ident),
    /// `__builtin_va_arg(list, type)`
    VaArg {
        list: Box<Expr>,
        ty: Box<TypeName>,
    },
    /// `__builtin_types_compatible_p(a, b)`
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    /// `__builtin_choose_expr(c, a, b)`
    Choose {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// `__builtin_convertvector(v, type)`, `__builtin_bit_cast(type, v)`
    Convert {
        ty: Box<TypeName>,
        operand: Box<Expr>,
    },
}

/// An arm of `_Generic`; `default` has no type.
#[derive(Clone, Debug)]
pub struct GenericArm {
    pub ty: Option<TypeName>,
    pub value: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Plus,
    Minus,
    /// `~`
    BitNot,
    /// `!`
    Not,
    Deref,
    AddressOf,
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
    Real,
    Imag,
    /// `__extension__ e`
    Extension,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

#[derive(Clone, Debug)]
pub struct IntegerLiteral {
    pub value: u128,
    /// Written in base 10 (which excludes unsigned types unless it has a `u`).
    pub decimal: bool,
    pub unsigned: bool,
    pub long: LongSuffix,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongSuffix {
    None,
    Long,
    LongLong,
}

#[derive(Clone, Debug)]
pub struct FloatLiteral {
    /// Without the suffix; hexadecimal ones keep their `0x`.
    pub text: Rc<str>,
    pub kind: FloatKind,
    pub imaginary: bool,
}

#[derive(Clone, Debug)]
pub struct CharLiteral {
    /// As gcc computes it, multi-character constants included.
    pub value: i64,
    pub encoding: Encoding,
}

/// Adjacent literals are joined already; the terminating zero is not included.
#[derive(Clone, Debug)]
pub struct StringLiteral {
    /// Elements: bytes for plain and u8 strings, code units otherwise.
    pub units: Rc<[u32]>,
    pub encoding: Encoding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Plain,
    Utf8,
    Utf16,
    Utf32,
    Wide,
}
