//! One run of Selvedge, as its JSON report tells of it.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::system::{self, Outcome};

pub struct Run<'a> {
    pub file: &'a Path,
    pub contexts: u32,
    pub unwind: u32,
    /// Seconds.
    pub time: u32,
    pub more: Vec<String>,
}

/// What is worth telling of a run.
#[derive(Debug, Default)]
pub struct Measured {
    /// None where the limit was reached.
    pub seconds: Option<f64>,
    pub limit: u32,
    pub found: bool,
    pub rounds: usize,
    points: Option<u64>,
    fields: Option<u64>,
    /// None where all are tracked.
    tracked: Option<usize>,
}

impl Run<'_> {
    pub fn measure(&self, binary: &Path) -> Outcome<Measured> {
        let mut command = Command::new(binary);
        command.current_dir(system::root());
        command.args(["verify", "--engine", "contexts", "--property", "assert"]);
        command.args(["--format", "json", "--contexts", &self.contexts.to_string()]);
        command.args(["--unwind", &self.unwind.to_string(), "--time", &self.time.to_string()]);
        command.args(&self.more).arg(self.file);
        let shown = format!("{command:?}").replace('"', "");
        let done = command.output().map_err(|error| format!("cannot run `{shown}`: {error}"))?;
        let text = String::from_utf8_lossy(&done.stdout);
        let report: Value = serde_json::from_str(&text).map_err(|error| {
            let said = String::from_utf8_lossy(&done.stderr);
            format!("`{shown}` gives no report ({error}):\n{text}{said}")
        })?;
        read(&report, self.time).ok_or_else(|| format!("`{shown}`: an unexpected answer:\n{text}"))
    }
}

/// What the report says; none if that is not about a bug or about bounds.
fn read(report: &Value, limit: u32) -> Option<Measured> {
    let found = report["verdict"] == "UNSAFE";
    let stop = report["stop"]["kind"].as_str().unwrap_or_default();
    let covered = stop == "bound";
    let none = Vec::new();
    let rounds = report["rounds"].as_array().unwrap_or(&none);
    let last = rounds.last();
    // Less than was asked for may be covered.
    let late = last.is_some_and(|round| round["result"]["kind"] == "out_of_time");
    let cut = late || ["time", "memory"].contains(&stop);
    if !found && !covered && !cut {
        return None;
    }
    let number = |field: &str| last.and_then(|round| round[field].as_u64());
    Some(Measured {
        seconds: report["seconds"].as_f64().filter(|_| !cut),
        limit,
        found,
        rounds: rounds.len(),
        points: number("points"),
        fields: number("fields"),
        tracked: last.and_then(|round| round["tracked"].as_array()).map(Vec::len),
    })
}

impl Measured {
    /// Seconds, and whether the bug was found.
    pub fn cell(&self) -> String {
        let mark = if self.found { "*" } else { "" };
        match self.seconds {
            Some(seconds) => format!("{mark}{seconds:.1}"),
            None => format!(">{}", self.limit),
        }
    }

    pub fn points(&self) -> String {
        shown(self.points)
    }

    pub fn fields(&self) -> String {
        shown(self.fields)
    }

    pub fn tracked(&self) -> String {
        match (self.tracked, self.fields) {
            (Some(tracked), _) => tracked.to_string(),
            (None, Some(_)) => "all".to_string(),
            (None, None) => "-".to_string(),
        }
    }
}

/// A run that was cut short in its first round says nothing of these.
fn shown(number: Option<u64>) -> String {
    number.map_or("-".to_string(), |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reports_are_read() {
        let report = json!({
            "verdict": "UNSAFE", "seconds": 1.25,
            "rounds": [{"points": 4, "fields": 9}, {"points": 7, "fields": 9, "tracked": ["a"]}],
        });
        let measured = read(&report, 60).expect("a bug");
        assert_eq!((measured.cell(), measured.points()), ("*1.2".into(), "7".into()));
        assert_eq!((measured.tracked(), measured.rounds), ("1".into(), 2));
        let late = json!({"verdict": "UNKNOWN", "stop": {"kind": "time"}, "seconds": 61});
        let measured = read(&late, 60).expect("a time-out");
        assert_eq!((measured.cell(), measured.fields()), (">60".into(), "-".into()));
        let partly = json!({
            "verdict": "UNKNOWN", "stop": {"kind": "bound"}, "seconds": 60,
            "rounds": [{"result": {"kind": "nothing"}}, {"result": {"kind": "out_of_time"}}],
        });
        assert_eq!(read(&partly, 60).expect("a time-out").cell(), ">60");
        let other = json!({"verdict": "UNKNOWN", "stop": {"kind": "unsupported"}, "seconds": 1});
        assert!(read(&other, 60).is_none());
    }
}
