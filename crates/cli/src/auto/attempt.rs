//! One engine at work in a process of its own.
//!
//! A process can be ended at any time, whatever its solver is doing; its memory is its own, and what
//! goes wrong in it stays there. It is this same command with the engine named, and answers with the
//! report that `--format json` prints.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use selvedge_engines::Engine;
use selvedge_report::{Answer, Report};
use selvedge_verdict::{Integers, Measure, Round, Stop};

use crate::answer;
use crate::args::Verify;
use crate::status::{Refusal, Status};
use crate::terminal;

use super::plan::Slice;

pub struct Attempt {
    pub engine: Engine,
    child: Child,
    start: Instant,
    time: Option<Duration>,
    out: Option<JoinHandle<String>>,
    err: Option<JoinHandle<String>>,
    /// Where the engine writes a certificate.
    certificate: Option<PathBuf>,
}

/// What came of an attempt.
pub struct Ended {
    pub engine: Engine,
    pub seconds: f64,
    pub answer: Result<Report, Failure>,
    certificate: Option<PathBuf>,
}

/// Why there is no report.
pub enum Failure {
    /// The engine finds fault with the input.
    Refused(Refusal),
    Stopped(Stop),
}

/// An engine that notices the end of its time has more to say than that it is over.
const GRACE: Duration = Duration::from_millis(700);

impl Attempt {
    /// Asks an engine for some properties.
    pub fn start(
        slice: &Slice,
        time: Option<Duration>,
        memory: u64,
        options: &Verify,
    ) -> std::io::Result<Attempt> {
        let engine = slice.engine;
        let mut command = Command::new(std::env::current_exe()?);
        let certificate = options.evidence.certificate.as_ref();
        let certificate = certificate.map(|path| beside(path, engine));
        let given = std::env::args_os().skip(1);
        let limits = Limits { time, memory, int: options.int };
        command.args(arguments(given, slice, &limits, certificate.as_ref()));
        // The engine ends when this pipe does: nobody is left who waits for it.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let start = Instant::now();
        let mut child = command.spawn()?;
        let out = child.stdout.take().map(|pipe| std::thread::spawn(move || read(pipe)));
        let log = options.log.then_some(engine.name());
        let err = child.stderr.take().map(|pipe| std::thread::spawn(move || relay(pipe, log)));
        Ok(Attempt { engine, child, start, time, out, err, certificate })
    }

    /// What came of it, if it has ended by now.
    pub fn poll(&mut self) -> Option<Ended> {
        let late = self.time.is_some_and(|time| self.start.elapsed() > time + GRACE);
        match self.child.try_wait() {
            Ok(None) if !late => None,
            Ok(Some(status)) => Some(self.ended(status.code())),
            Ok(None) | Err(_) => {
                self.stop();
                Some(self.ended(None))
            }
        }
    }

    /// Asks it for what it knows so far.
    pub fn interrupt(&mut self) {
        drop(self.child.stdin.take());
    }

    /// Ends it without waiting for an answer.
    pub fn give_up(&mut self, why: Stop) -> Ended {
        self.stop();
        let (engine, certificate) = (self.engine, self.certificate.take());
        let answer = Err(Failure::Stopped(why));
        Ended { engine, seconds: self.start.elapsed().as_secs_f64(), answer, certificate }
    }

    fn ended(&mut self, code: Option<i32>) -> Ended {
        let out = self.out.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        let err = self.err.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        let answer = match (code, self.time) {
            (Some(code), _) => judge(code, &out, &err),
            (None, Some(limit)) => Err(Failure::Stopped(Stop::Time { limit })),
            (None, None) => Err(Failure::Stopped(broken(&err))),
        };
        let (engine, certificate) = (self.engine, self.certificate.take());
        Ended { engine, seconds: self.start.elapsed().as_secs_f64(), answer, certificate }
    }

    fn stop(&mut self) {
        // It may have ended by itself meanwhile.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        self.stop();
        remove(self.certificate.as_ref());
    }
}

impl Ended {
    /// The report, if it is a verdict.
    pub fn verdict(&self) -> Option<&Report> {
        self.answer.as_ref().ok().filter(|report| report.verdict != Answer::Unknown)
    }

    /// Why there is no verdict.
    pub fn reason(&self) -> Stop {
        match &self.answer {
            Ok(Report { stop: Some(stop), .. }) | Err(Failure::Stopped(stop)) => stop.clone(),
            Ok(report) => Stop::Defect { what: format!("no reason is given: {}", report.reason) },
            Err(Failure::Refused(refusal)) => Stop::Defect { what: refusal.message.clone() },
        }
    }

    /// The same in words, with its place, and with what is known so far where the user asked for it.
    pub fn words(&self) -> String {
        match &self.answer {
            Ok(Report { stop: Some(Stop::Interrupted), reason, rounds, .. }) => {
                let last = rounds.last().map(|round| format!("; the last round: {}", brief(round)));
                reason.clone() + &last.unwrap_or_default()
            }
            Ok(report) => report.reason.clone(),
            Err(_) => self.reason().to_string(),
        }
    }

    /// Puts the certificate where it belongs; says whether there is one.
    pub fn keep_certificate(&self, to: &Path) -> bool {
        let Some(from) = self.certificate.as_ref().filter(|from| from.exists()) else {
            return false;
        };
        if let Err(error) = std::fs::rename(from, to) {
            terminal::complain(&format!("error: cannot write {}: {error}\n", to.display()));
        }
        true
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        remove(self.certificate.as_ref());
    }
}

/// A round on one line.
fn brief(round: &Round) -> String {
    let mut round = round.clone();
    round.notes.clear();
    round.measures.retain(|(_, measure)| !matches!(measure, Measure::Names(_)));
    round.to_string()
}

fn remove(certificate: Option<&PathBuf>) {
    if let Some(from) = certificate {
        // Most engines write none.
        let _ = std::fs::remove_file(from);
    }
}

/// Two engines must not write one file at the same time.
fn beside(path: &Path, engine: Engine) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}-{}", engine.name(), std::process::id()));
    name.into()
}

/// What an engine may use, and which integers it is asked about.
struct Limits {
    time: Option<Duration>,
    memory: u64,
    int: Integers,
}

/// The arguments of this command with those of the attempt; of an option given twice the last counts.
fn arguments(
    given: impl Iterator<Item = OsString>,
    slice: &Slice,
    limits: &Limits,
    certificate: Option<&PathBuf>,
) -> Vec<OsString> {
    let mut all: Vec<OsString> = given.collect();
    let Limits { time, memory, int } = limits;
    let int = match int {
        Integers::Machine => "machine",
        Integers::Math => "math",
    };
    let time = time.map_or_else(|| "0".to_owned(), |time| format!("{:.3}", time.as_secs_f64()));
    let memory = format!("{}MiB", (*memory >> 20).max(1));
    let names: Vec<&str> = slice.properties.iter().map(|property| property.name()).collect();
    let mut own: Vec<OsString> = [
        ["--engine", slice.engine.name()],
        ["--asked", &names.join(",")],
        ["--time", &time],
        ["--memory", &memory],
        ["--int", int],
        ["--format", "json"],
    ]
    .as_flattened()
    .iter()
    .map(OsString::from)
    .collect();
    if let Some(path) = certificate {
        own.extend(["--certificate".into(), path.into()]);
    }
    own.push("--attempt".into());
    let behind = all.iter().position(|arg| arg == "--").unwrap_or(all.len());
    all.splice(behind..behind, own);
    all
}

fn read(mut pipe: impl Read) -> String {
    let mut bytes = Vec::new();
    // What came before an error is still worth reading.
    let _ = pipe.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads all; with a name, tells each line at once.
fn relay(pipe: impl Read, name: Option<&str>) -> String {
    let Some(name) = name else { return read(pipe) };
    let mut last = String::new();
    for line in BufReader::new(pipe).lines().map_while(Result::ok) {
        terminal::complain(&format!("{name}: {line}\n"));
        last = line;
    }
    last
}

/// A report is believed only where the exit status says the same.
fn judge(code: i32, out: &str, err: &str) -> Result<Report, Failure> {
    let refusals = [Status::WrongUsage, Status::BadInput];
    if let Some(status) = refusals.into_iter().find(|status| *status as i32 == code) {
        return Err(Failure::Refused(Refusal { status, message: err.to_owned() }));
    }
    match Report::from_json(out) {
        Ok(report) if answer::status(report.verdict) as i32 == code => Ok(report),
        _ => Err(Failure::Stopped(broken(err))),
    }
}

fn broken(err: &str) -> Stop {
    let said = err.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
    Stop::Defect { what: format!("the engine ended without an answer and said: {said}") }
}

#[cfg(test)]
mod tests {
    use selvedge_ir::Property;

    use super::*;

    fn of(given: &[&str], certificate: Option<&PathBuf>) -> Vec<String> {
        let given = given.iter().map(OsString::from);
        let time = Some(Duration::from_millis(1500));
        let properties = vec![Property::Assert, Property::Race];
        let slice = Slice { engine: Engine::Tar, properties, share: 1.0 };
        let limits = Limits { time, memory: 3 << 20, int: Integers::Math };
        let all = arguments(given, &slice, &limits, certificate);
        all.into_iter().map(|arg| arg.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn options_of_the_attempt_come_last() {
        let own = [
            "--engine",
            "tar",
            "--asked",
            "assert,race",
            "--time",
            "1.500",
            "--memory",
            "3MiB",
            "--int",
            "math",
            "--format",
            "json",
            "--attempt",
        ];
        assert_eq!(of(&["verify", "a.c"], None)[2..], own);
        let all = of(&["verify", "--", "-a.c"], None);
        assert_eq!(all[1..14], own);
        assert_eq!(all[14..], ["--", "-a.c"]);
    }

    #[test]
    fn a_certificate_is_written_beside() {
        let path = PathBuf::from("c.tar");
        let all = of(&["verify", "--certificate", "c", "a.c"], Some(&path));
        assert_eq!(all[all.len() - 3..], ["--certificate", "c.tar", "--attempt"]);
    }

    #[test]
    fn a_verdict_is_both_said_and_meant() {
        let json = |answer| Report::new(answer, "r").to_json().expect("plain data");
        let verdict = |code, out: &str| judge(code, out, "").ok().map(|report| report.verdict);
        assert_eq!(verdict(0, &json(Answer::Safe)), Some(Answer::Safe));
        assert_eq!(verdict(1, &json(Answer::Unsafe)), Some(Answer::Unsafe));
        assert_eq!(verdict(1, &json(Answer::Safe)), None);
        assert_eq!(verdict(0, &json(Answer::Unknown)), None);
        assert_eq!(verdict(0, "half an ans"), None);
        assert_eq!(verdict(0, ""), None);
    }

    #[test]
    fn refusals_are_passed_on() {
        let refused = judge(65, "", "error: line 3\n");
        let Err(Failure::Refused(refusal)) = refused else { panic!("not refused") };
        assert_eq!(
            (refusal.status, refusal.message.as_str()),
            (Status::BadInput, "error: line 3\n")
        );
    }
}
