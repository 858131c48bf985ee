//! Running the command and looking at what it said. Not every test file uses all of it.
#![allow(dead_code)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

pub const SAFE: i32 = 0;
pub const UNSAFE: i32 = 1;
pub const UNKNOWN: i32 = 2;
pub const WRONG_USAGE: i32 = 64;
pub const BAD_INPUT: i32 = 65;

pub struct Outcome {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Outcome {
    #[track_caller]
    pub fn ends(&self, status: i32) -> &Outcome {
        let Outcome { out, err, .. } = self;
        assert_eq!(self.status, status, "standard output:\n{out}\nstandard error:\n{err}");
        for text in [out, err] {
            assert!(!text.contains("This is a defect"), "{text}");
            assert!(!text.contains("panicked"), "{text}");
        }
        self
    }

    #[track_caller]
    pub fn says(&self, words: &str) -> &Outcome {
        let Outcome { out, err, .. } = self;
        let said = out.contains(words) || err.contains(words);
        assert!(said, "`{words}` is not in\n{out}\n{err}");
        self
    }

    #[track_caller]
    pub fn last_line_starts(&self, words: &str) -> &Outcome {
        let last = self.out.lines().last().unwrap_or_default();
        assert!(last.starts_with(words), "the last line is `{last}`\n{}", self.err);
        self
    }
}

pub fn selvedge(args: &[&str]) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    // Answers of other runs stay out.
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache");
    command.env("SELVEDGE_CACHE", cache);
    let done = command.args(args).stdin(Stdio::null()).output().expect("the binary runs");
    Outcome {
        status: done.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&done.stdout).into_owned(),
        err: String::from_utf8_lossy(&done.stderr).into_owned(),
    }
}

/// A file of this name in a folder of the test's own.
pub fn file(test: &str, name: &str, content: impl AsRef<[u8]>) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::create_dir_all(&folder).expect("a folder for the test");
    let path = folder.join(name);
    fs::write(&path, content).expect("a file for the test");
    path.display().to_string()
}
