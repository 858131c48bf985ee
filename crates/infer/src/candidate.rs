//! Annotations that may be true: what they say, and what they stand at.

use std::fmt;

/// One clause of a specification, in the words of docs/specifications.md.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Candidate {
    pub site: Site,
    pub word: Word,
    /// The formula.
    pub text: String,
    pub why: Why,
}

/// What an annotation stands at, by the names in the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Site {
    /// The file; behind the last of these variables and records that it declares.
    File {
        near: Vec<String>,
    },
    Variable(String),
    Member(Member),
    Function(String),
}

/// A member of a record. Records without a tag are told apart by the names of their members.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Member {
    /// `struct job`.
    pub record: String,
    pub members: Vec<String>,
    pub name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Word {
    UnwritableByEnvIf,
    EnvAssumption,
    GlobalInvariant,
    Requires,
}

/// What an annotation was read off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// A lock is held wherever the variable is written.
    Lock,
    /// A variable names the thread that may write.
    Owner,
    /// One thread writes, or nobody after the first time.
    Writer,
    /// What is stored, and what it is compared with.
    Values,
    /// What threads are given where they are started, and functions where they are called.
    Start,
    /// The proof of the engine `tar` or `horn` that assertions hold.
    Proof,
    /// Its proof that nothing races.
    Race,
}

impl Word {
    pub fn as_str(self) -> &'static str {
        match self {
            Word::UnwritableByEnvIf => "unwritable_by_env_if",
            Word::EnvAssumption => "env_assumption",
            Word::GlobalInvariant => "global_invariant",
            Word::Requires => "requires",
        }
    }

    /// The word that a clause begins with, and the rest of the clause.
    pub fn split(clause: &str) -> Option<(Word, &str)> {
        let all =
            [Word::UnwritableByEnvIf, Word::EnvAssumption, Word::GlobalInvariant, Word::Requires];
        all.into_iter().find_map(|word| {
            let rest = clause.strip_prefix(word.as_str())?.strip_prefix(' ')?;
            Some((word, rest.trim_end().trim_end_matches(';')))
        })
    }
}

impl Why {
    pub fn as_str(self) -> &'static str {
        match self {
            Why::Lock => "lock",
            Why::Owner => "owner",
            Why::Writer => "writer",
            Why::Values => "values",
            Why::Start => "start",
            Why::Proof => "proof",
            Why::Race => "race",
        }
    }
}

impl fmt::Display for Candidate {
    /// The clause, as it stands in a comment.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {};", self.word.as_str(), self.text)
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Site::File { .. } => f.write_str("the file"),
            Site::Variable(name) => write!(f, "the variable {name}"),
            Site::Member(member) => write!(f, "the member {} of {}", member.name, member.record),
            Site::Function(name) => write!(f, "the function {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_has_a_word_and_a_formula() {
        assert_eq!(
            Word::split("global_invariant x >= 0;"),
            Some((Word::GlobalInvariant, "x >= 0"))
        );
        assert_eq!(Word::split("loop invariant x >= 0;"), None);
    }
}
