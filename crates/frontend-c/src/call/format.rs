//! The language of printf's formats.

use crate::types::IntKind;

/// A part of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    Conversion(Conversion),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conversion {
    /// One bit for each of "-0+ #", as the model has them.
    pub flags: u8,
    pub width: Amount,
    pub precision: Amount,
    pub length: Length,
    /// `?` for what is not understood.
    pub letter: char,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    None,
    Number(i32),
    /// `*`
    Argument,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    Char,
    Short,
    Plain,
    Long,
    LongLong,
    Size,
}

impl Part {
    pub fn letter(&self) -> Option<char> {
        match self {
            Part::Text(_) => None,
            Part::Conversion(conversion) => Some(conversion.letter),
        }
    }
}

impl Conversion {
    pub fn is_signed(&self) -> bool {
        matches!(self.letter, 'd' | 'i')
    }
}

impl Length {
    pub fn int_kind(self, signed: bool) -> IntKind {
        let kind = match self {
            Length::Char => IntKind::SChar,
            Length::Short => IntKind::Short,
            Length::Plain => IntKind::Int,
            Length::Long | Length::Size => IntKind::Long,
            Length::LongLong => IntKind::LongLong,
        };
        if signed { kind } else { kind.to_unsigned() }
    }

    fn parse(text: &str) -> Length {
        match text {
            "hh" => Length::Char,
            "h" => Length::Short,
            "l" => Length::Long,
            "ll" | "j" | "q" | "L" => Length::LongLong,
            "z" | "t" => Length::Size,
            _ => Length::Plain,
        }
    }
}

/// The parts of a format, in order.
pub(super) fn parts(format: &str) -> Vec<Part> {
    let mut found = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        if at > 0 {
            found.push(Part::Text(rest[..at].to_owned()));
        }
        let (conversion, behind) = conversion(&rest[at + 1..]);
        found.push(Part::Conversion(conversion));
        rest = behind;
    }
    if !rest.is_empty() {
        found.push(Part::Text(rest.to_owned()));
    }
    found
}

fn conversion(text: &str) -> (Conversion, &str) {
    let (flags, text) = text.split_at(prefix(text, "-0+ #'"));
    let (width, text) = amount(text);
    let (precision, text) = match text.strip_prefix('.') {
        Some(text) => match amount(text) {
            (Amount::None, text) => (Amount::Number(0), text),
            found => found,
        },
        None => (Amount::None, text),
    };
    let (length, text) = text.split_at(prefix(text, "hlLqjzt"));
    let mut letters = text.chars();
    // Positions (`%2$d`) and grouping are not understood.
    let letter = letters.next().filter(|c| *c != '$' && !flags.contains('\'')).unwrap_or('?');
    let bit = |c: char| "-0+ #".find(c).map_or(0, |at| 1 << at);
    let flags = flags.chars().map(bit).fold(0, |all, one| all | one);
    let length = Length::parse(length);
    (Conversion { flags, width, precision, length, letter }, letters.as_str())
}

fn amount(text: &str) -> (Amount, &str) {
    if let Some(behind) = text.strip_prefix('*') {
        return (Amount::Argument, behind);
    }
    let (digits, behind) = text.split_at(prefix(text, "0123456789"));
    match digits.parse() {
        Ok(number) => (Amount::Number(number), behind),
        Err(_) => (Amount::None, behind),
    }
}

/// How many of the first bytes are among these characters.
fn prefix(text: &str, characters: &str) -> usize {
    text.find(|c| !characters.contains(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(format: &str) -> String {
        parts(format).iter().map(|part| part.letter().unwrap_or('_')).collect()
    }

    #[test]
    fn a_format_has_text_and_conversions() {
        assert_eq!(letters("%d %s %5.2f %%s %s"), "d_s_f_%_s");
        assert_eq!(letters("plain %"), "_?");
        assert_eq!(letters("%2$d"), "?_");
        assert!(parts("").is_empty());
    }

    #[test]
    fn a_conversion_has_flags_and_sizes() {
        let expected = Conversion {
            flags: 3,
            width: Amount::Argument,
            precision: Amount::Number(0),
            length: Length::LongLong,
            letter: 'x',
        };
        assert_eq!(parts("%-0*.llx"), [Part::Conversion(expected)]);
    }
}
