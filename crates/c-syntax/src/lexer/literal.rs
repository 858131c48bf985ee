//! Constants and strings: from their spelling to their value.

use std::rc::Rc;

use super::cursor::without_splices;
use crate::ast::{
    CharLiteral, Encoding, FloatKind, FloatLiteral, IntegerLiteral, LongSuffix, StringLiteral,
};

pub(crate) enum Number {
    Integer(IntegerLiteral),
    Float(FloatLiteral),
}

/// Decodes a preprocessing number; the error is a message for the user.
pub(crate) fn number(text: &str) -> Result<Number, String> {
    let text = without_splices(text);
    let (radix, digits) = radix(&text);
    let in_hexadecimal = radix == 16;
    let is_float = digits.contains('.')
        || (in_hexadecimal && digits.contains(['p', 'P']))
        || (radix == 10 && has_exponent(digits));
    // A leading zero means octal only for integers: `010.5` and `09e1` are decimal.
    let is_float = is_float || (radix == 8 && has_exponent(digits));
    if is_float { float(&text, in_hexadecimal) } else { integer(&text, radix, digits) }
}

fn radix(text: &str) -> (u32, &str) {
    match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &text[2..]),
        [b'0', b'b' | b'B', ..] => (2, &text[2..]),
        [b'0', _, ..] => (8, text),
        _ => (10, text),
    }
}

/// Digits, then `e`, then a digit or a sign: not merely a suffix that contains an `e`.
fn has_exponent(digits: &str) -> bool {
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let mut chars = rest.chars();
    matches!(chars.next(), Some('e' | 'E'))
        && chars.next().is_some_and(|c| c.is_ascii_digit() || c == '+' || c == '-')
}

fn integer(text: &str, radix: u32, digits: &str) -> Result<Number, String> {
    let length = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(length);
    if digits.is_empty() {
        return Err(format!("`{text}` has no digits"));
    }
    if suffix.starts_with(|c: char| c.is_ascii_digit()) {
        let kind = if radix == 8 { "octal" } else { "binary" };
        return Err(format!("digit `{}` in the {kind} constant `{text}`", &suffix[..1]));
    }
    let Some(Suffix { unsigned, long, imaginary }) = integer_suffix(suffix) else {
        return Err(format!("`{suffix}` is not a suffix of an integer constant"));
    };
    if imaginary {
        // GNU's complex integers: only their parsing matters.
        let text = digits.into();
        return Ok(Number::Float(FloatLiteral { text, kind: FloatKind::Double, imaginary }));
    }
    let value = u128::from_str_radix(digits, radix)
        .map_err(|_| format!("the integer constant `{text}` is too large"))?;
    let decimal = radix == 10;
    Ok(Number::Integer(IntegerLiteral { value, decimal, unsigned, long }))
}

struct Suffix {
    unsigned: bool,
    long: LongSuffix,
    imaginary: bool,
}

fn integer_suffix(text: &str) -> Option<Suffix> {
    let mut suffix = Suffix { unsigned: false, long: LongSuffix::None, imaginary: false };
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            'u' | 'U' if !suffix.unsigned => {
                suffix.unsigned = true;
                1
            }
            'i' | 'j' | 'I' | 'J' if !suffix.imaginary => {
                suffix.imaginary = true;
                1
            }
            'l' | 'L' if suffix.long == LongSuffix::None => {
                let twice = rest[1..].starts_with(c);
                suffix.long = if twice { LongSuffix::LongLong } else { LongSuffix::Long };
                1 + usize::from(twice)
            }
            _ => return None,
        };
        rest = &rest[length..];
    }
    Some(suffix)
}

fn float(text: &str, hexadecimal: bool) -> Result<Number, String> {
    let length = float_length(text, hexadecimal)
        .ok_or_else(|| format!("`{text}` is not a complete floating constant"))?;
    let (digits, suffix) = text.split_at(length);
    let lower = suffix.to_ascii_lowercase();
    let imaginary = lower.contains(['i', 'j']);
    let kind = match lower.replacen(['i', 'j'], "", 1).as_str() {
        "" | "d" | "f64" | "f32x" => FloatKind::Double,
        "f" | "f32" => FloatKind::Float,
        "l" | "w" | "f64x" => FloatKind::LongDouble,
        "q" | "f128" => FloatKind::Float128,
        "f16" | "bf16" => FloatKind::Half,
        "df" | "dd" | "dl" => FloatKind::Decimal,
        _ => return Err(format!("`{suffix}` is not a suffix of a floating constant")),
    };
    Ok(Number::Float(FloatLiteral { text: digits.into(), kind, imaginary }))
}

/// The length of a floating constant without its suffix.
fn float_length(text: &str, hexadecimal: bool) -> Option<usize> {
    let radix = if hexadecimal { 16 } else { 10 };
    let bytes = text.as_bytes();
    let mut at = if hexadecimal { 2 } else { 0 };
    let mut digits = 0;
    let mut points = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'.' {
            points += 1;
        } else if (byte as char).is_digit(radix) {
            digits += 1;
        } else {
            break;
        }
        at += 1;
    }
    let exponent: &[u8] = if hexadecimal { b"pP" } else { b"eE" };
    let has_exponent = bytes.get(at).is_some_and(|byte| exponent.contains(byte));
    if digits == 0 || points > 1 || (hexadecimal && !has_exponent) {
        return None;
    }
    if has_exponent {
        at += 1;
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        let start = at;
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        if at == start {
            return None;
        }
    }
    Some(at)
}

/// Decodes a character constant, quotes and prefix included.
pub(crate) fn character(text: &str, encoding: Encoding) -> Result<CharLiteral, String> {
    let mut units = Vec::new();
    decode(text, '\'', encoding, &mut units)?;
    let value = match (units.as_slice(), encoding) {
        ([], _) => return Err("an empty character constant".to_string()),
        (&[unit], Encoding::Plain) => i64::from(unit as u8 as i8),
        // As gcc does: the last four bytes, the first of them highest.
        (units, Encoding::Plain) => {
            i64::from(units.iter().fold(0_u32, |value, unit| (value << 8) | unit) as i32)
        }
        (units, Encoding::Wide) => i64::from(units[units.len() - 1] as i32),
        (units, _) => i64::from(units[units.len() - 1]),
    };
    Ok(CharLiteral { value, encoding })
}

/// Joins adjacent string literals, each with quotes and prefix. A prefix of any holds for all.
pub(crate) fn string(pieces: &[(&str, Encoding)]) -> Result<StringLiteral, String> {
    let mut encoding = Encoding::Plain;
    for &(_, piece) in pieces {
        if encoding != Encoding::Plain && piece != Encoding::Plain && piece != encoding {
            return Err("strings with different prefixes cannot be joined".to_string());
        }
        if piece != Encoding::Plain {
            encoding = piece;
        }
    }
    let mut units = Vec::new();
    for (text, _) in pieces {
        decode(text, '"', encoding, &mut units)?;
    }
    Ok(StringLiteral { units: units.into(), encoding })
}

/// The text of a string as far as it is text: for assembler templates and messages.
pub(crate) fn text_of(literal: &StringLiteral) -> Rc<str> {
    let bytes: Vec<u8> = literal.units.iter().map(|&unit| unit as u8).collect();
    String::from_utf8_lossy(&bytes).into()
}

fn decode(text: &str, quote: char, encoding: Encoding, units: &mut Vec<u32>) -> Result<(), String> {
    let text = without_splices(text);
    let mut rest = text.split_once(quote).map_or("", |(_, rest)| rest);
    while let Some(c) = rest.chars().next() {
        if c == quote {
            break;
        }
        rest = &rest[c.len_utf8()..];
        if c == '\\' {
            rest = escape(rest, encoding, units)?;
        } else {
            push_char(c, encoding, units);
        }
    }
    Ok(())
}

/// Decodes what follows a backslash and returns what follows that.
fn escape<'a>(text: &'a str, encoding: Encoding, units: &mut Vec<u32>) -> Result<&'a str, String> {
    let Some(c) = text.chars().next() else { return Ok(text) };
    let simple = match c {
        'n' => 10,
        't' => 9,
        'r' => 13,
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'v' => 11,
        'e' | 'E' => 27,
        '0'..='7' => return numeric(text, 8, 3, encoding, units),
        'x' => return numeric(&text[1..], 16, usize::MAX, encoding, units),
        'u' | 'U' => {
            let (c, length) = universal_name(text)
                .ok_or_else(|| "incomplete universal character name".to_string())?;
            push_char(c, encoding, units);
            return Ok(&text[length..]);
        }
        // Unknown escapes stand for the character itself, as gcc has it.
        _ => {
            push_char(c, encoding, units);
            return Ok(&text[c.len_utf8()..]);
        }
    };
    units.push(simple);
    Ok(&text[1..])
}

fn numeric<'a>(
    text: &'a str,
    radix: u32,
    longest: usize,
    encoding: Encoding,
    units: &mut Vec<u32>,
) -> Result<&'a str, String> {
    let length = text.find(|c: char| !c.is_digit(radix)).unwrap_or(text.len()).min(longest);
    let widest = match encoding {
        Encoding::Plain | Encoding::Utf8 => 0xff,
        Encoding::Utf16 => 0xffff,
        Encoding::Utf32 | Encoding::Wide => u32::MAX,
    };
    let value = u32::from_str_radix(&text[..length], radix).ok().filter(|&value| value <= widest);
    match value {
        Some(value) => units.push(value),
        None if length == 0 => return Err("`\\x` without hexadecimal digits".to_string()),
        None => return Err(format!("the escape `{}` is too large", &text[..length])),
    }
    Ok(&text[length..])
}

/// Reads `u` with four hexadecimal digits, or `U` with eight; gives the character and the length
/// read.
pub(super) fn universal_name(text: &str) -> Option<(char, usize)> {
    let digits = match text.chars().next()? {
        'u' => 4,
        'U' => 8,
        _ => return None,
    };
    let hexadecimal = text.get(1..=digits).filter(|text| !text.starts_with('+'))?;
    let code = u32::from_str_radix(hexadecimal, 16).ok()?;
    Some((char::from_u32(code)?, 1 + digits))
}

/// Bytes that were not UTF-8 are read as these characters, so that strings keep their length.
pub(crate) const RAW_BYTE: u32 = 0x10_ff00;

fn push_char(c: char, encoding: Encoding, units: &mut Vec<u32>) {
    let code = u32::from(c);
    match encoding {
        _ if code >= RAW_BYTE => units.push(code - RAW_BYTE),
        Encoding::Plain | Encoding::Utf8 => {
            units.extend(c.encode_utf8(&mut [0; 4]).bytes().map(u32::from));
        }
        Encoding::Utf16 => units.extend(c.encode_utf16(&mut [0; 2]).iter().map(|&u| u32::from(u))),
        Encoding::Utf32 | Encoding::Wide => units.push(code),
    }
}
