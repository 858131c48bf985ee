//! One record for each round of an engine, whatever its rounds are: what the log, the JSON report and
//! the benchmarks read.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// What a round tried, what came of it, and what it cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// By name, in the order in which they are shown: bounds, sizes, predicates.
    #[serde(flatten, with = "as_map")]
    pub measures: Vec<(Cow<'static, str>, Measure)>,
    pub result: RoundResult,
    /// What else is worth knowing, for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    pub seconds: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Measure {
    Count(u64),
    Text(String),
    Names(Vec<String>),
}

/// What a round came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RoundResult {
    Violation,
    /// A proof; whether it is accepted is another matter.
    Proof,
    /// Nothing goes wrong within the round's bounds.
    Nothing {
        /// However often loops are passed.
        any_passes: bool,
    },
    /// A counterexample that is none; what was learnt from it goes into the next round.
    Spurious {
        why: String,
    },
    /// The checker does not accept the proof.
    Rejected {
        why: String,
    },
    /// The time for the round was over.
    OutOfTime,
    TooLarge,
    /// No answer for another reason.
    Open {
        why: String,
    },
}

impl Round {
    pub fn new(result: RoundResult, seconds: f64) -> Round {
        Round { measures: Vec::new(), result, notes: Vec::new(), seconds }
    }

    /// Likewise, with a number under a name.
    pub fn count(mut self, name: &'static str, number: u64) -> Round {
        self.measures.push((name.into(), Measure::Count(number)));
        self
    }

    pub fn text(mut self, name: &'static str, text: impl Into<String>) -> Round {
        self.measures.push((name.into(), Measure::Text(text.into())));
        self
    }

    pub fn names(mut self, name: &'static str, names: Vec<String>) -> Round {
        self.measures.push((name.into(), Measure::Names(names)));
        self
    }

    pub fn notes(mut self, notes: Vec<String>) -> Round {
        self.notes = notes;
        self
    }

    pub fn measure(&self, name: &str) -> Option<&Measure> {
        self.measures.iter().find(|(known, _)| known == name).map(|(_, measure)| measure)
    }

    pub fn number(&self, name: &str) -> Option<u64> {
        match self.measure(name)? {
            Measure::Count(number) => Some(*number),
            _ => None,
        }
    }
}

impl fmt::Display for RoundResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RoundResult::Violation => f.write_str("violation"),
            RoundResult::Proof => f.write_str("proof"),
            RoundResult::Nothing { any_passes: false } => f.write_str("nothing"),
            RoundResult::Nothing { any_passes: true } => {
                f.write_str("nothing, however often loops are passed")
            }
            RoundResult::Spurious { why } => write!(f, "spurious: {why}"),
            RoundResult::Rejected { why } => write!(f, "proof rejected: {why}"),
            RoundResult::OutOfTime => f.write_str("out of time"),
            RoundResult::TooLarge => f.write_str("too large"),
            RoundResult::Open { why } => write!(f, "open: {why}"),
        }
    }
}

impl fmt::Display for Round {
    /// `contexts 2, points 9: nothing (0.07 s)`; lists of names on lines of their own.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for note in &self.notes {
            writeln!(f, "{note}")?;
        }
        let mut before = "";
        for (name, measure) in &self.measures {
            match measure {
                Measure::Count(number) => write!(f, "{before}{name} {number}")?,
                Measure::Text(text) => write!(f, "{before}{name} {text}")?,
                Measure::Names(_) => continue,
            }
            before = ", ";
        }
        let colon = if before.is_empty() { "" } else { ": " };
        write!(f, "{colon}{} ({:.2} s)", self.result, self.seconds)?;
        for (name, measure) in &self.measures {
            if let Measure::Names(names) = measure {
                write!(f, "\n  {name}: {}", names.join(", "))?;
            }
        }
        Ok(())
    }
}

/// Measures are fields of the JSON object, in their order.
mod as_map {
    use std::borrow::Cow;
    use std::fmt;

    use serde::de::{MapAccess, Visitor};
    use serde::{Deserializer, Serializer};

    use super::Measure;

    type Measures = Vec<(Cow<'static, str>, Measure)>;

    pub fn serialize<S: Serializer>(all: &Measures, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(all.iter().map(|(name, measure)| (name, measure)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Measures, D::Error> {
        deserializer.deserialize_map(Reader)
    }

    struct Reader;

    impl<'de> Visitor<'de> for Reader {
        type Value = Measures;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("measures by name")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Measures, A::Error> {
            let mut all = Measures::new();
            while let Some((name, measure)) = map.next_entry::<String, Measure>()? {
                all.push((name.into(), measure));
            }
            Ok(all)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_on_a_line() {
        let round = Round::new(RoundResult::Nothing { any_passes: false }, 0.071)
            .count("contexts", 2)
            .text("level", "1 thread")
            .names("tracked", vec!["x".into(), "y".into()]);
        assert_eq!(
            round.to_string(),
            "contexts 2, level 1 thread: nothing (0.07 s)\n  tracked: x, y"
        );
        assert_eq!((round.number("contexts"), round.number("level")), (Some(2), None));
    }

    #[test]
    fn a_round_survives_json() {
        let round = Round::new(RoundResult::Spurious { why: "x".into() }, 1.0).count("points", 3);
        let json = serde_json::to_string(&round).expect("plain data");
        assert_eq!(json, r#"{"points":3,"result":{"kind":"spurious","why":"x"},"seconds":1.0}"#);
        assert_eq!(serde_json::from_str::<Round>(&json).expect(&json), round);
    }
}
