//! Answers that are kept from one run to the next.
//!
//! A check is known by the digest of its questions (`questions.rs`): everything that was asserted and
//! asked of the solver, by content. Before the solver is asked anything, all questions are made again
//! from the program as it is now, which is cheap, and if a check with this digest is in the cache with
//! the answers that are hoped for, the solver is left alone. So nothing has to be known of what a
//! procedure depends on: whatever changes one of its questions changes the digest, and what changes
//! none of them (the place of a line, another procedure's body) does not matter to it. Obligations,
//! their places and their words are those of the program as it is now.
//!
//! Only what was proved is kept, and that the solver has decided: a failure comes with a state, which
//! the solver has to give again. Beside the answers stand the facts about loops that were found by
//! guessing. They are believed of no one: they are the guesses to begin with, and their proof is among
//! the questions.
//!
//! An entry repeats its own key and carries a digest of its text, so an entry that was cut short,
//! changed, or put in another's place is none. This protects from accidents; who can write the folder
//! can also replace the program that reads it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::digest::{Digest, Hasher};

/// To be changed with the meaning of questions or of entries.
const VERSION: &str = concat!("selvedge contracts ", env!("CARGO_PKG_VERSION"), " 1");

pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    pub fn new(folder: &Path) -> Cache {
        Cache { folder: folder.to_owned() }
    }

    /// The answer to the questions with this digest.
    pub fn answer(&self, key: &Digest) -> Option<bool> {
        match self.read("answers", key)?.as_str() {
            "proved" => Some(true),
            "refuted" => Some(false),
            _ => None,
        }
    }

    pub fn keep_answer(&self, key: &Digest, proved: bool) {
        self.write("answers", key, if proved { "proved" } else { "refuted" });
    }

    /// Which of some guesses held, by their numbers.
    pub fn held(&self, guesses: &Digest) -> Option<Vec<usize>> {
        let text = self.read("loops", guesses)?;
        text.split_whitespace().map(|number| number.parse().ok()).collect()
    }

    pub fn keep_held(&self, guesses: &Digest, held: &[usize]) {
        let numbers: Vec<String> = held.iter().map(usize::to_string).collect();
        self.write("loops", guesses, &numbers.join(" "));
    }

    fn path(&self, what: &str, key: &Digest) -> PathBuf {
        let name = key.to_string();
        self.folder.join(what).join(&name[..2]).join(&name[2..])
    }

    fn read(&self, what: &str, key: &Digest) -> Option<String> {
        let text = fs::read_to_string(self.path(what, key)).ok()?;
        let content = text.strip_prefix(&head(what, key))?;
        let (content, sum) = content.rsplit_once("\nsum ")?;
        (sum == foot(what, key, content)).then(|| content.to_owned())
    }

    /// What cannot be written is not kept. The file appears all at once, so that nobody reads half of
    /// it.
    fn write(&self, what: &str, key: &Digest, content: &str) {
        let path = self.path(what, key);
        let Some(folder) = path.parent() else { return };
        let own = folder.join(format!("{key}.{}", std::process::id()));
        let text = format!("{}{content}\nsum {}", head(what, key), foot(what, key, content));
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&own, text));
        if written.and_then(|()| fs::rename(&own, &path)).is_err() {
            let _ = fs::remove_file(&own);
        }
    }
}

fn head(what: &str, key: &Digest) -> String {
    format!("{VERSION}\n{what} {key}\n")
}

fn foot(what: &str, key: &Digest, content: &str) -> String {
    format!("{}\n", Hasher::of(format!("{}{content}", head(what, key)).as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh(name: &str) -> Cache {
        let folder = std::env::temp_dir().join(format!("selvedge-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        Cache::new(&folder)
    }

    #[test]
    fn what_is_kept_is_found() {
        let cache = fresh("kept");
        let (a, b) = (Hasher::of(b"a"), Hasher::of(b"b"));
        assert_eq!((cache.answer(&a), cache.held(&a)), (None, None));
        cache.keep_answer(&a, true);
        cache.keep_answer(&b, false);
        cache.keep_held(&a, &[0, 3, 12]);
        cache.keep_held(&b, &[]);
        assert_eq!((cache.answer(&a), cache.answer(&b)), (Some(true), Some(false)));
        assert_eq!((cache.held(&a), cache.held(&b)), (Some(vec![0, 3, 12]), Some(vec![])));
        let _ = fs::remove_dir_all(&cache.folder);
    }

    #[test]
    fn what_was_tampered_with_is_not_believed() {
        let cache = fresh("tampered");
        let (a, b) = (Hasher::of(b"a"), Hasher::of(b"b"));
        cache.keep_answer(&a, false);
        let path = cache.path("answers", &a);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("refuted", "proved")).unwrap();
        assert_eq!(cache.answer(&a), None);
        for length in 0..text.len() {
            fs::write(&path, &text[..length]).unwrap();
            assert_eq!(cache.answer(&a), None, "{length}");
        }
        fs::write(&path, &text).unwrap();
        assert_eq!(cache.answer(&a), Some(false));
        let other = cache.path("answers", &b);
        fs::create_dir_all(other.parent().unwrap()).unwrap();
        fs::copy(&path, &other).unwrap();
        assert_eq!(cache.answer(&b), None);
        let _ = fs::remove_dir_all(&cache.folder);
    }
}
