//! Characters of identifiers.

use super::literal::universal_name;

/// Letters, digits, `_`, `$` and what C11 (annex D) allows beyond ASCII, short of the characters
/// that are certainly punctuation or the mark of undecodable text.
pub(super) fn is_name_char(c: char) -> bool {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '$' => true,
        '\0'..='\u{7f}' => false,
        '\u{a8}'
        | '\u{aa}'
        | '\u{ad}'
        | '\u{af}'
        | '\u{b2}'..='\u{b5}'
        | '\u{b7}'..='\u{ba}'
        | '\u{bc}'..='\u{be}'
        | '\u{c0}'..='\u{d6}'
        | '\u{d8}'..='\u{f6}'
        | '\u{f8}'..='\u{167f}'
        | '\u{1681}'..='\u{180d}'
        | '\u{180f}'..='\u{1fff}'
        | '\u{200b}'..='\u{200d}'
        | '\u{203f}'..='\u{2040}'
        | '\u{2054}'
        | '\u{2060}'..='\u{218f}'
        | '\u{2460}'..='\u{24ff}'
        | '\u{2776}'..='\u{2793}'
        | '\u{2c00}'..='\u{2dff}'
        | '\u{2e80}'..='\u{2fff}'
        | '\u{3004}'..='\u{3007}'
        | '\u{3021}'..='\u{302f}'
        | '\u{3031}'..='\u{d7ff}'
        | '\u{f900}'..='\u{fd3d}'
        | '\u{fd40}'..='\u{fdcf}'
        | '\u{fdf0}'..='\u{fe44}'
        | '\u{fe47}'..='\u{fefe}'
        | '\u{ff00}'..='\u{fffc}'
        | '\u{10000}'..='\u{efffd}' => true,
        _ => false,
    }
}

/// A name with its `\u` and `\U` escapes resolved; none if one is malformed.
pub(super) fn resolve_universal_names(text: &str) -> Option<String> {
    let mut name = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        name.push_str(&rest[..at]);
        let (c, length) = universal_name(&rest[at + 1..])?;
        name.push(c);
        rest = &rest[at + 1 + length..];
    }
    name.push_str(rest);
    Some(name)
}
