//! Tokens.

use crate::ast::{Encoding, Span};

use super::Keyword;

/// A name, by its number among the names of one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Symbol(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub span: Span,
    /// First of its line: a hint to where a forgotten `;` belongs.
    pub first_of_line: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Ident(Symbol),
    Keyword(Keyword),
    /// An integer or floating constant; its text says which.
    Number,
    Char(Encoding),
    String(Encoding),
    Punct(Punct),
    /// The last token of every text.
    End,
}

macro_rules! puncts {
    ($($name:ident $text:literal)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Punct { $($name,)* }

        impl Punct {
            /// As it is written.
            pub fn text(self) -> &'static str {
                match self { $(Punct::$name => $text,)* }
            }
        }
    };
}

puncts! {
    OpenParen "(" CloseParen ")" OpenBracket "[" CloseBracket "]" OpenBrace "{" CloseBrace "}"
    Semicolon ";" Comma "," Dot "." Arrow "->" Ellipsis "..." Question "?" Colon ":"
    Plus "+" Minus "-" Star "*" Slash "/" Percent "%" PlusPlus "++" MinusMinus "--"
    Amp "&" Pipe "|" Caret "^" Tilde "~" Bang "!" AmpAmp "&&" PipePipe "||"
    Less "<" Greater ">" LessEqual "<=" GreaterEqual ">=" EqualEqual "==" BangEqual "!="
    ShiftLeft "<<" ShiftRight ">>" Equal "=" PlusEqual "+=" MinusEqual "-=" StarEqual "*="
    SlashEqual "/=" PercentEqual "%=" AmpEqual "&=" PipeEqual "|=" CaretEqual "^="
    ShiftLeftEqual "<<=" ShiftRightEqual ">>=" Hash "#" HashHash "##"
    Implies "==>" Equivalent "<==>" Prime "'"
}
