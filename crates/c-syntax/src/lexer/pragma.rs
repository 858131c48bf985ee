//! Pragmas: `#pragma` and `_Pragma`. Every one is understood, without an effect on what a program
//! does, or kept for the parser as something that is not supported.

use std::rc::Rc;

use crate::ast::{Span, SymbolPragma};

/// What pragmas say of the text that follows them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pragmas {
    /// `pack`: from this offset on, members are aligned to at most so many bytes (none: as usual).
    pub packing: Vec<(u32, Option<u32>)>,
    /// `scalar_storage_order`: from this offset on, members of records are big-endian.
    pub big_endian: Vec<(u32, bool)>,
    pub symbols: Vec<SymbolPragma>,
    /// Those that are not supported, by their places.
    pub unsupported: Vec<(Span, Rc<str>)>,
    /// Saved by `pack(push)`, with its label.
    saved: Vec<(Option<String>, Option<u32>)>,
}

/// Pragmas that compilers for which Selvedge stands do not obey, or that say nothing of what a
/// program does: by their first words.
const HARMLESS: &[&[&str]] = &[
    &["GCC", "dependency"],
    &["GCC", "diagnostic"],
    &["GCC", "error"],
    &["GCC", "ivdep"],
    &["GCC", "novector"],
    &["GCC", "pch_preprocess"],
    &["GCC", "poison"],
    &["GCC", "pop_options"],
    &["GCC", "push_options"],
    &["GCC", "reset_options"],
    &["GCC", "system_header"],
    &["GCC", "target"],
    &["GCC", "unroll"],
    &["GCC", "visibility"],
    &["GCC", "warning"],
    &["STDC", "CX_LIMITED_RANGE"],
    &["STDC", "FENV_ACCESS", "OFF"],
    &["STDC", "FP_CONTRACT"],
    &["clang", "assume_nonnull"],
    &["clang", "diagnostic"],
    &["clang", "loop"],
    &["clang", "optimize"],
    &["clang", "system_header"],
    &["comment"],
    &["endregion"],
    &["ident"],
    &["inline"],
    &["ivdep"],
    &["mark"],
    &["message"],
    &["once"],
    &["pop_macro"],
    &["push_macro"],
    &["region"],
    &["unroll"],
    &["vector"],
    &["warning"],
];

impl Pragmas {
    /// Takes up the pragma with this text.
    pub(super) fn read(&mut self, span: Span, text: &str) {
        let words: Vec<&str> = words(text);
        let at = span.start;
        let understood = match words.as_slice() {
            ["pack", ..] => self.pack(at, text["pack".len()..].trim()),
            ["weak", name] => self.symbol(SymbolPragma::Weak { name: (*name).into() }),
            ["weak", name, "=", to] => {
                let (name, to) = ((*name).into(), (*to).into());
                self.symbol(SymbolPragma::WeakAlias { name, to })
            }
            ["redefine_extname", from, to] => {
                self.symbol(SymbolPragma::Rename { from: (*from).into(), to: (*to).into() })
            }
            ["scalar_storage_order", order] => {
                let known = ["big-endian", "little-endian", "default"].contains(order);
                self.big_endian.push((at, *order == "big-endian"));
                known
            }
            ["GCC", word, ..] if bare(word) == "optimize" => keeps_arithmetic(text),
            _ => HARMLESS.iter().any(|known| is_prefix(known, &words)),
        };
        if !understood && !words.is_empty() {
            let what = format!("`#pragma {}`", words[..words.len().min(3)].join(" "));
            self.unsupported.push((span, what.into()));
        }
    }

    fn symbol(&mut self, symbol: SymbolPragma) -> bool {
        self.symbols.push(symbol);
        true
    }

    /// `pack()`, `pack(n)`, `pack(push)`, `pack(push, label, n)`, `pack(pop, label)`, `pack(pop, n)`.
    fn pack(&mut self, at: u32, args: &str) -> bool {
        let Some(args) = args.strip_prefix('(').and_then(|args| args.strip_suffix(')')) else {
            return false;
        };
        let now = self.packing.last().and_then(|&(_, pack)| pack);
        let mut words = args.split(',').map(str::trim);
        let first = words.next().unwrap_or("");
        let (mut label, mut given) = (None, None);
        for word in words {
            match word.parse::<u32>() {
                Ok(bytes) => given = Some(bytes),
                Err(_) => label = Some(word.to_owned()),
            }
        }
        let next = match (first, first.parse::<u32>()) {
            ("", _) => None,
            ("push", _) => {
                self.saved.push((label, now));
                given.map_or(now, limit)
            }
            ("pop", _) => {
                let popped = self.popped(label.as_deref(), now);
                given.map_or(popped, limit)
            }
            (_, Ok(bytes)) => limit(bytes),
            _ => return false,
        };
        self.packing.push((at, next));
        true
    }

    /// What was in force at the last `push`, or at the one with the label.
    fn popped(&mut self, label: Option<&str>, now: Option<u32>) -> Option<u32> {
        let index = match label {
            None => self.saved.len().checked_sub(1),
            Some(label) => self.saved.iter().rposition(|(own, _)| own.as_deref() == Some(label)),
        };
        let Some(index) = index else { return now };
        let before = self.saved[index].1;
        self.saved.truncate(index);
        before
    }
}

/// Zero means no limit; gcc takes powers of two up to sixteen and passes over others.
fn limit(bytes: u32) -> Option<u32> {
    (bytes > 0 && bytes.is_power_of_two() && bytes <= 16).then_some(bytes)
}

/// The words of a pragma; `=` is one, and so is all that stands between blanks otherwise.
fn words(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for word in text.split_whitespace() {
        match word.split_once('=') {
            Some((left, right)) => {
                found.extend([left, "=", right].into_iter().filter(|part| !part.is_empty()));
            }
            None => found.push(word),
        }
    }
    // `pack(1)` is the word `pack` with its arguments.
    if found.first().is_some_and(|first| first.starts_with("pack(")) {
        found[0] = "pack";
    }
    found
}

/// A word without its arguments.
fn bare(word: &str) -> &str {
    word.split('(').next().unwrap_or(word)
}

fn is_prefix(known: &[&str], words: &[&str]) -> bool {
    known.len() <= words.len() && known.iter().zip(words).all(|(a, b)| *a == bare(b))
}

/// Whether options of `optimize` leave the meaning of arithmetic and the sizes of types alone.
fn keeps_arithmetic(text: &str) -> bool {
    let changes = ["fast", "math", "wrapv", "trapv", "short", "signed", "pack"];
    !changes.iter().any(|word| text.contains(word))
}
