//! Keywords, with the spellings that GNU C knows for each.

macro_rules! keywords {
    ($($name:ident $text:literal $(| $other:literal)*;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Keyword { $($name,)* }

        /// Every spelling and its keyword.
        pub(super) const SPELLINGS: &[(&str, Keyword)] =
            &[$(($text, Keyword::$name), $(($other, Keyword::$name),)*)*];
    };
}

keywords! {
    // In comments: `loop invariant`.
    LoopInvariant "__selvedge_loop_invariant";
    AssertClause "__selvedge_assert_clause";
    // Storage and function specifiers.
    Typedef "typedef";
    Extern "extern";
    Static "static";
    Auto "auto";
    Register "register";
    ThreadLocal "_Thread_local" | "__thread";
    Inline "inline" | "__inline" | "__inline__";
    Noreturn "_Noreturn";
    Alignas "_Alignas";
    // Qualifiers. Address spaces and nullability change nothing that we model.
    Const "const" | "__const" | "__const__";
    Volatile "volatile" | "__volatile" | "__volatile__";
    Restrict "restrict" | "__restrict" | "__restrict__";
    Atomic "_Atomic";
    IgnoredQualifier "__seg_gs" | "__seg_fs" | "_Nonnull" | "_Nullable" | "_Null_unspecified";
    // Types.
    Void "void";
    Bool "_Bool";
    Char "char";
    Short "short";
    Int "int";
    Long "long";
    Signed "signed" | "__signed" | "__signed__";
    Unsigned "unsigned";
    Int128 "__int128";
    SignedInt128 "__int128_t";
    UnsignedInt128 "__uint128_t";
    Half "_Float16" | "__fp16" | "__bf16";
    Float "float" | "_Float32";
    Double "double";
    // Types of their own in name, but with the format of double; they take no `long`.
    Float64 "_Float64" | "_Float32x";
    Float80 "_Float64x" | "__float80" | "__ibm128";
    Float128 "_Float128" | "__float128";
    Decimal "_Decimal32" | "_Decimal64" | "_Decimal128";
    Complex "_Complex" | "__complex" | "__complex__";
    Struct "struct";
    Union "union";
    Enum "enum";
    Typeof "typeof" | "__typeof" | "__typeof__";
    AutoType "__auto_type";
    VaList "__builtin_va_list" | "__builtin_ms_va_list" | "__builtin_sysv_va_list";
    // Statements.
    If "if";
    Else "else";
    Switch "switch";
    Case "case";
    Default "default";
    While "while";
    Do "do";
    For "for";
    Goto "goto";
    Continue "continue";
    Break "break";
    Return "return";
    Asm "asm" | "__asm" | "__asm__";
    Label "__label__";
    // Expressions.
    Sizeof "sizeof";
    Alignof "_Alignof";
    GnuAlignof "__alignof" | "__alignof__";
    Generic "_Generic";
    Real "__real" | "__real__";
    Imag "__imag" | "__imag__";
    VaArg "__builtin_va_arg";
    Offsetof "__builtin_offsetof";
    TypesCompatible "__builtin_types_compatible_p";
    ChooseExpr "__builtin_choose_expr";
    ConvertVector "__builtin_convertvector";
    BitCast "__builtin_bit_cast";
    // Anywhere.
    Attribute "__attribute" | "__attribute__";
    Extension "__extension__";
    StaticAssert "_Static_assert";
    Pragma "_Pragma";
}

impl Keyword {
    /// Whether it may start the specifiers of a declaration (and, storage aside, a type name).
    pub fn starts_specifiers(self) -> bool {
        self.is_storage() || self.starts_type()
    }

    /// Whether it starts a statement.
    pub fn starts_statement(self) -> bool {
        use Keyword::*;
        matches!(
            self,
            If | Switch | Case | Default | While | Do | For | Goto | Continue | Break | Return
        )
    }

    fn is_storage(self) -> bool {
        use Keyword::*;
        matches!(
            self,
            Typedef | Extern | Static | Auto | Register | ThreadLocal | Inline | Noreturn | Alignas
        )
    }

    /// Whether it is a qualifier or a type specifier.
    pub fn starts_type(self) -> bool {
        self.is_qualifier() || self.is_type()
    }

    pub fn is_qualifier(self) -> bool {
        use Keyword::*;
        matches!(self, Const | Volatile | Restrict | Atomic | IgnoredQualifier)
    }

    fn is_type(self) -> bool {
        use Keyword::*;
        matches!(
            self,
            Void | Bool
                | Char
                | Short
                | Int
                | Long
                | Signed
                | Unsigned
                | Int128
                | SignedInt128
                | UnsignedInt128
                | Half
                | Float
                | Double
                | Float64
                | Float80
                | Float128
                | Decimal
                | Complex
                | Struct
                | Union
                | Enum
                | Typeof
                | AutoType
                | VaList
        )
    }
}
