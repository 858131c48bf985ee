//! Which names are typedefs: the one thing the grammar of C needs to know about declarations.

use std::rc::Rc;

use crate::lexer::Symbol;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Never declared so far.
    Unknown,
    Typedef,
    /// A variable, function, parameter or enumerator.
    Other,
}

/// Typedef names that no header declares.
const BUILT_IN: &[&str] = &["__selvedge_thread"];

/// The present meaning of every name, and what to restore when scopes end.
pub(super) struct Scopes {
    meanings: Vec<Meaning>,
    shadowed: Vec<(Symbol, Meaning)>,
    /// For each open scope, the length of `shadowed` at its start.
    starts: Vec<usize>,
}

impl Scopes {
    pub fn new(names: &[Rc<str>]) -> Scopes {
        let meaning = |name: &Rc<str>| {
            if BUILT_IN.contains(&&**name) { Meaning::Typedef } else { Meaning::Unknown }
        };
        Scopes {
            meanings: names.iter().map(meaning).collect(),
            shadowed: Vec::new(),
            starts: Vec::new(),
        }
    }

    pub fn meaning(&self, symbol: Symbol) -> Meaning {
        self.meanings[symbol.0 as usize]
    }

    pub fn is_typedef(&self, symbol: Symbol) -> bool {
        self.meaning(symbol) == Meaning::Typedef
    }

    /// Declares a name in the innermost scope.
    pub fn declare(&mut self, symbol: Symbol, meaning: Meaning) {
        let before = std::mem::replace(&mut self.meanings[symbol.0 as usize], meaning);
        if !self.starts.is_empty() {
            self.shadowed.push((symbol, before));
        }
    }

    /// Declares a name as a typedef for good, to keep one mistake from causing more.
    pub fn declare_everywhere(&mut self, symbol: Symbol) {
        self.meanings[symbol.0 as usize] = Meaning::Typedef;
        for (shadowed, before) in &mut self.shadowed {
            if *shadowed == symbol {
                *before = Meaning::Typedef;
            }
        }
    }

    pub fn open(&mut self) {
        self.starts.push(self.shadowed.len());
    }

    pub fn close(&mut self) {
        let start = self.starts.pop().expect("every scope closed was opened");
        while self.shadowed.len() > start {
            if let Some((symbol, before)) = self.shadowed.pop() {
                self.meanings[symbol.0 as usize] = before;
            }
        }
    }
}
