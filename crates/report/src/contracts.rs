//! Answers about contracts as JSON.

use selvedge_exec::Stop;
use selvedge_exec::trace::Trace;
use serde::Serialize;

use crate::json::Answer;

/// What `selvedge contracts` found out. Fields that do not apply are left out.
#[derive(Debug, Serialize)]
pub struct ContractsReport {
    /// The tool and its version.
    pub tool: String,
    pub verdict: Answer,
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The specification, then each procedure.
    pub parts: Vec<ContractPart>,
    /// All of them, in the order of the parts.
    pub obligations: Vec<ContractObligation>,
    /// What is believed beside the program.
    pub assumptions: Vec<String>,
    /// Parts that the solver was asked about, and parts whose answers were in the cache.
    pub checked: usize,
    pub recalled: usize,
    /// From the start of the command, reading the sources included.
    pub seconds: f64,
    /// The evidence of UNSAFE.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

#[derive(Debug, Serialize)]
pub struct ContractPart {
    pub name: String,
    /// How many, and how many of them are proved.
    pub count: usize,
    pub proved: usize,
    pub recalled: bool,
    pub questions: usize,
    pub work: u64,
    pub seconds: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<ContractLoop>,
}

/// What was found to hold at the head of a loop.
#[derive(Debug, Serialize)]
pub struct ContractLoop {
    pub place: String,
    pub facts: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct ContractObligation {
    /// The part, the kind and a number.
    pub name: String,
    pub part: String,
    pub kind: &'static str,
    /// The step that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotation: Option<ContractAnnotation>,
    pub outcome: ContractOutcome,
    /// Why it is not decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undecided: Option<String>,
    /// A state in which it fails.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub state: Vec<ContractChange>,
    /// What is to hold, what is known if it is proved, what is wrong if not.
    pub to_hold: String,
    pub if_proved: String,
    pub if_wrong: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ContractOutcome {
    Proved,
    /// The trace of the report shows it.
    False,
    /// In a state that no execution need lead to.
    NotProved,
    Undecided,
}

#[derive(Debug, Serialize)]
pub struct ContractAnnotation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    pub text: String,
}

#[derive(Debug, Serialize)]
pub struct ContractChange {
    pub name: String,
    pub before: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

impl ContractsReport {
    /// One object on lines of its own.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_apply_is_left_out() {
        let obligation = ContractObligation {
            name: "f.ensures.1".to_owned(),
            part: "f".to_owned(),
            kind: "ensures",
            place: None,
            annotation: None,
            outcome: ContractOutcome::NotProved,
            undecided: None,
            state: Vec::new(),
            to_hold: "a".to_owned(),
            if_proved: "b".to_owned(),
            if_wrong: "c".to_owned(),
        };
        let value = serde_json::to_value(&obligation).expect("plain data");
        assert_eq!(value["outcome"], "not_proved");
        assert!(value.get("annotation").is_none() && value.get("state").is_none());
    }
}
