//! Recognising punctuators.

use super::Punct;

/// The longest punctuator at the start of the characters, and its length.
pub(super) fn longest_punct(text: [Option<char>; 4]) -> Option<(Punct, usize)> {
    use Punct::*;
    let first = text[0]?;
    let second = text[1].unwrap_or(' ');
    let third = text[2].unwrap_or(' ');
    let found = match (first, second, third) {
        ('.', '.', '.') => (Ellipsis, 3),
        ('<', '<', '=') => (ShiftLeftEqual, 3),
        ('>', '>', '=') => (ShiftRightEqual, 3),
        ('%', ':', '%') if text[3] == Some(':') => (HashHash, 4),
        ('-', '>', _) => (Arrow, 2),
        ('+', '+', _) => (PlusPlus, 2),
        ('-', '-', _) => (MinusMinus, 2),
        ('&', '&', _) => (AmpAmp, 2),
        ('|', '|', _) => (PipePipe, 2),
        ('<', '=', _) => (LessEqual, 2),
        ('>', '=', _) => (GreaterEqual, 2),
        ('=', '=', _) => (EqualEqual, 2),
        ('!', '=', _) => (BangEqual, 2),
        ('<', '<', _) => (ShiftLeft, 2),
        ('>', '>', _) => (ShiftRight, 2),
        ('+', '=', _) => (PlusEqual, 2),
        ('-', '=', _) => (MinusEqual, 2),
        ('*', '=', _) => (StarEqual, 2),
        ('/', '=', _) => (SlashEqual, 2),
        ('%', '=', _) => (PercentEqual, 2),
        ('&', '=', _) => (AmpEqual, 2),
        ('|', '=', _) => (PipeEqual, 2),
        ('^', '=', _) => (CaretEqual, 2),
        ('#', '#', _) => (HashHash, 2),
        // Digraphs.
        ('<', ':', _) => (OpenBracket, 2),
        (':', '>', _) => (CloseBracket, 2),
        ('<', '%', _) => (OpenBrace, 2),
        ('%', '>', _) => (CloseBrace, 2),
        ('%', ':', _) => (Hash, 2),
        _ => (single_punct(first)?, 1),
    };
    Some(found)
}

fn single_punct(c: char) -> Option<Punct> {
    use Punct::*;
    Some(match c {
        '(' => OpenParen,
        ')' => CloseParen,
        '[' => OpenBracket,
        ']' => CloseBracket,
        '{' => OpenBrace,
        '}' => CloseBrace,
        ';' => Semicolon,
        ',' => Comma,
        '.' => Dot,
        '?' => Question,
        ':' => Colon,
        '+' => Plus,
        '-' => Minus,
        '*' => Star,
        '/' => Slash,
        '%' => Percent,
        '&' => Amp,
        '|' => Pipe,
        '^' => Caret,
        '~' => Tilde,
        '!' => Bang,
        '<' => Less,
        '>' => Greater,
        '=' => Equal,
        '#' => Hash,
        _ => return None,
    })
}
