//! The proof that a state is not covered, as a file: everything that its check needs, as JSON.

use std::fmt;

use selvedge_smt::Limits;
use serde::{Deserialize, Serialize};

use super::{Basis, Bound, Unaccepted};
use crate::tts::{self, Initial, State, System};

/// What distinguishes these files from other certificates.
const KIND: &str = "coverability";

const FORMAT: u32 = 2;

/// A system, a question about it, and the evidence that the answer is "not covered".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    pub system: System,
    pub initial: Initial,
    pub target: State,
    pub basis: Basis,
}

/// Why a text is not a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError(String);

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The states are written as on the command line, the system as in its file.
#[derive(Serialize, Deserialize)]
struct Stored {
    format: u32,
    kind: String,
    system: String,
    initial: String,
    target: String,
    reachable: Vec<String>,
    bounds: Vec<Bound>,
    basis: Vec<String>,
}

impl Certificate {
    /// Says what the certificate fails to show.
    pub fn check(&self, limits: &Limits) -> Result<(), Unaccepted> {
        self.basis.check(&self.system, &self.initial, &self.target, limits)
    }

    pub fn to_json(&self) -> Result<String, FileError> {
        let reachable = self.basis.reachable.iter().map(|(shared, locals)| {
            State { shared: *shared, threads: locals.iter().copied().collect() }.to_string()
        });
        let stored = Stored {
            format: FORMAT,
            kind: KIND.into(),
            system: self.system.to_string(),
            initial: self.initial.to_string(),
            target: self.target.to_string(),
            reachable: reachable.collect(),
            bounds: self.basis.bounds.clone(),
            basis: self.basis.elements.iter().map(State::to_string).collect(),
        };
        let text = serde_json::to_string_pretty(&stored);
        text.map(|text| text + "\n").map_err(|error| FileError(error.to_string()))
    }

    /// Whether the text says that it is one.
    pub fn is_one(text: &str) -> bool {
        let value: Result<serde_json::Value, _> = serde_json::from_str(text);
        value.is_ok_and(|value| value["kind"] == KIND)
    }

    /// Whether it is about this system.
    pub fn is_about(&self, system: &System) -> bool {
        self.system.to_string() == system.to_string()
    }

    pub fn from_json(text: &str) -> Result<Certificate, FileError> {
        let stored: Stored = serde_json::from_str(text)
            .map_err(|error| FileError(format!("not a certificate of coverability: {error}")))?;
        if stored.format != FORMAT || stored.kind != KIND {
            let Stored { kind, format, .. } = stored;
            return Err(FileError(format!("cannot read format {format} of kind `{kind}`")));
        }
        let system = tts::parse(&stored.system).map_err(|errors| {
            let first = errors.first().map(|error| format!(", {error}")).unwrap_or_default();
            FileError(format!("the system in the certificate is wrong{first}"))
        })?;
        let state = |text: &String| tts::parse_target(text, &system).map_err(FileError);
        let reachable: Result<Vec<State>, FileError> = stored.reachable.iter().map(state).collect();
        let reachable = reachable?.into_iter().map(|state| {
            let State { shared, threads } = state;
            (shared, threads.iter().collect())
        });
        let basis = Basis {
            reachable: reachable.collect(),
            bounds: stored.bounds,
            elements: stored.basis.iter().map(state).collect::<Result<_, _>>()?,
        };
        let initial = tts::parse_initial(&stored.initial, &system).map_err(FileError)?;
        let target = state(&stored.target)?;
        Ok(Certificate { system, initial, target, basis })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tts::{Local, Shared, Threads};

    fn certificate() -> Certificate {
        let system = tts::parse("2 2\n0 0 -> 1 1\n1 1 -> 0 0\n").unwrap();
        let state = |text| tts::parse_target(text, &system).unwrap();
        let basis = Basis {
            reachable: vec![(Shared(0), vec![Local(0)]), (Shared(1), vec![Local(0), Local(1)])],
            bounds: vec![Bound { weights: [(1, 1)].into(), limits: [(0, 0), (1, 1)].into() }],
            elements: vec![state("0|1"), state("1|1,1")],
        };
        let target = State { shared: Shared(1), threads: Threads::from([1, 1]) };
        Certificate { target, basis, initial: Initial::default(), system }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let written = certificate().to_json().unwrap();
        let read = Certificate::from_json(&written).unwrap();
        assert_eq!((&read.basis, &read.target), (&certificate().basis, &certificate().target));
        assert_eq!(read.to_json().unwrap(), written);
        assert!(Certificate::is_one(&written) && read.is_about(&certificate().system));
        assert!(!Certificate::is_one("{}") && !Certificate::is_one("words"));
    }

    #[test]
    fn other_texts_are_refused() {
        let written = certificate().to_json().unwrap();
        for (from, to) in [
            ("\"format\": 2", "\"format\": 3"),
            (KIND, "covering"),
            ("1|1,1", "1|1,2"),
            ("0/0", "0/2"),
            ("2 2", "2"),
            ("{", "["),
        ] {
            let broken = written.replacen(from, to, 1);
            assert_ne!(broken, written);
            assert!(Certificate::from_json(&broken).is_err(), "{broken}");
        }
    }
}
