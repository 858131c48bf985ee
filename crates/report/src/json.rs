//! What a command found out, as plain data: one JSON object whose fields other programs may rely
//! on. Several engines at work tell each other nothing but this.

use selvedge_exec::Stop;
use selvedge_exec::trace::Trace;
use selvedge_ir::Property;
use selvedge_verdict::Round;
use serde::{Deserialize, Serialize};

/// Fields that do not apply are left out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The tool and its version.
    pub tool: String,
    pub verdict: Answer,
    /// A few words, without a full stop.
    pub reason: String,
    /// Of UNKNOWN: the reason as a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    /// Of UNKNOWN: `file.c:12`, where the reason is about a place in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What is known of each property, in the order in which they are listed.
    pub properties: Vec<PropertyAnswer>,
    /// Of SAFE: what it rests on beyond the program, where that matters for this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<Assumption>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// From the start of the command, reading the sources included.
    pub seconds: f64,
    /// What the engine did, first round first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<Round>,
    /// What each engine came to, where several were tried in vain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<Attempt>,
    /// Pairs of accesses that may race, where an engine looked at each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub races: Vec<RacePair>,
    /// What the user should know about how the program was understood.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Of SAFE: how it was proved, for people, where the engine can show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
    /// The evidence of UNSAFE.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

/// What is known of one property; the fields are those of the whole report.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PropertyAnswer {
    pub property: String,
    pub verdict: Answer,
    pub reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<Attempt>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// Of UNKNOWN: a proof of the property for another program than was asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supposing: Option<Supposing>,
}

/// A proof under an assumption that is not true of the program as it was asked about, such as that
/// integers have no bounds. It is no verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Supposing {
    pub engine: String,
    pub reason: String,
    /// What the proof rests on.
    pub assumptions: Vec<Assumption>,
}

/// What a proof takes for granted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assumption {
    /// One word.
    pub kind: String,
    pub text: String,
    /// The places where it matters, as `file.c:12`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
}

/// The three answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Answer {
    Safe,
    Unsafe,
    Unknown,
}

/// An engine that has no verdict.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Attempt {
    pub engine: String,
    /// What it covered and what stopped it, in words and as a value.
    pub reason: String,
    pub stop: Stop,
    pub seconds: f64,
}

/// Two accesses to the same memory, one of them to write.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RacePair {
    /// `file.c:12`.
    pub first: String,
    pub second: String,
    pub memory: String,
    pub result: RaceResult,
    /// Why it was left open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The evidence of a race.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RaceResult {
    Race,
    /// They do not race, and the checker has accepted the proof.
    Proved,
    /// The engine has excluded it, but there is no certificate: these speak of whole programs only.
    Uncertified,
    Open,
}

impl Report {
    pub fn new(verdict: Answer, reason: impl Into<String>) -> Report {
        Report {
            tool: selvedge_exec::trace::tool(),
            verdict,
            reason: reason.into(),
            stop: None,
            place: None,
            properties: Vec::new(),
            assumptions: Vec::new(),
            engine: None,
            seconds: 0.0,
            rounds: Vec::new(),
            attempts: Vec::new(),
            races: Vec::new(),
            notes: Vec::new(),
            proof: None,
            trace: None,
        }
    }

    /// UNKNOWN for this reason, which is about this place if it is about one.
    pub fn unknown(stop: Stop, place: Option<String>) -> Report {
        let reason = match &place {
            Some(place) => format!("{stop}, {place}"),
            None => stop.to_string(),
        };
        Report { stop: Some(stop), place, ..Report::new(Answer::Unknown, reason) }
    }

    /// As the answer to a question about these properties: a violation of one of them leaves the
    /// others open.
    pub fn of_each(self, properties: &[Property]) -> Report {
        let violated = self.violated().filter(|property| properties.contains(property));
        let about = |&property: &Property| match violated {
            Some(other) if other != property => {
                let reason = format!("the search ended with a violation of `{other}`");
                Report::new(Answer::Unknown, reason).about(property)
            }
            _ => self.about(property),
        };
        let properties = properties.iter().map(about).collect();
        Report { properties, ..self }
    }

    /// The property that the trace violates.
    pub fn violated(&self) -> Option<Property> {
        self.trace.as_ref().and_then(Trace::failure).map(|failure| failure.property)
    }

    /// What it says of one property.
    pub fn about(&self, property: Property) -> PropertyAnswer {
        PropertyAnswer {
            property: property.to_string(),
            verdict: self.verdict,
            reason: self.reason.clone(),
            stop: self.stop.clone(),
            place: self.place.clone(),
            engine: self.engine.clone(),
            attempts: self.attempts.clone(),
            trace: self.trace.clone(),
            supposing: None,
        }
    }

    /// One object on lines of its own.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    pub fn from_json(text: &str) -> Result<Report, serde_json::Error> {
        serde_json::from_str(text)
    }
}

impl Answer {
    pub fn name(self) -> &'static str {
        match self {
            Answer::Safe => "SAFE",
            Answer::Unsafe => "UNSAFE",
            Answer::Unknown => "UNKNOWN",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_survives_json() {
        let stop = Stop::bound("two contexts");
        let report = Report::unknown(stop.clone(), Some("a.c:3".into()));
        let text = report.to_json().expect("plain data");
        let read = Report::from_json(&text).expect("what was written can be read");
        assert_eq!((read.verdict, read.stop), (Answer::Unknown, Some(stop)));
        assert_eq!(read.reason, "bound reached: two contexts, a.c:3");
    }
}
