//! The second solver, cvc5, as a program that reads SMT-LIB text.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use selvedge_smt::{Limits, Reason};

const PROGRAM: &str = "cvc5";

/// For one question, where nothing else is said.
const QUESTION: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Sat,
    Unsat,
    Unknown,
}

pub fn is_installed() -> bool {
    let version = Command::new(PROGRAM)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    version.is_ok_and(|status| status.success())
}

/// Asks several questions; one that has no answer is unknown.
pub(crate) fn ask(scripts: &[&str], limits: &Limits) -> Result<Vec<Said>, Reason> {
    if let Some(reason) = limits.exceeded() {
        return Err(reason);
    }
    let mut text = String::new();
    for script in scripts {
        let _ = write!(text, "(set-logic ALL)\n{script}(echo \"end\")\n(reset)\n");
    }
    let time = limits.time.unwrap_or(QUESTION).min(QUESTION);
    let failed = |error: std::io::Error| Reason::Incomplete(format!("{PROGRAM}: {error}"));
    let mut child = Command::new(PROGRAM)
        .args(["--lang=smt2", "--incremental"])
        .arg(format!("--tlimit-per={}", time.as_millis().max(1)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let output = talk(&mut child, &text);
    child.wait().map_err(failed)?;
    Ok(answers(&output.map_err(failed)?, scripts.len()))
}

/// Writes while it reads, so that neither side waits for the other.
fn talk(child: &mut Child, text: &str) -> std::io::Result<String> {
    let (input, output) = (child.stdin.take(), child.stdout.take());
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // A solver that has ended early says so by the answers that are missing.
            let _ = input.map(|mut input| input.write_all(text.as_bytes()));
        });
        let mut said = String::new();
        if let Some(mut output) = output {
            output.read_to_string(&mut said)?;
        }
        Ok(said)
    })
}

/// One answer before each `end`; whatever else is said counts as none.
fn answers(output: &str, count: usize) -> Vec<Said> {
    let mut all = Vec::new();
    let mut last = Said::Unknown;
    for line in output.lines() {
        match line.trim().trim_matches('"') {
            "sat" => last = Said::Sat,
            "unsat" => last = Said::Unsat,
            "end" => all.push(std::mem::replace(&mut last, Said::Unknown)),
            _ => last = Said::Unknown,
        }
    }
    all.resize(count, Said::Unknown);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_belongs_to_its_question() {
        let output = "unsat\nend\n(error \"no\")\nend\nsat\nend\n";
        let expected = [Said::Unsat, Said::Unknown, Said::Sat, Said::Unknown];
        assert_eq!(answers(output, 4), expected);
    }

    #[test]
    fn questions_do_not_know_each_other() {
        if !is_installed() {
            return;
        }
        let scripts = [
            "(declare-const x Int)\n(assert (< x 0))\n(assert (< 0 x))\n(check-sat)\n",
            "(declare-const x Bool)\n(assert x)\n(check-sat)\n",
        ];
        let said = ask(&scripts, &Limits::none());
        assert_eq!(said, Ok(vec![Said::Unsat, Said::Sat]));
    }
}
