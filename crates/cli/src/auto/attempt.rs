//! One engine at work in a process of its own.
//!
//! A process can be ended at any time, whatever its solver is doing; its memory is its own, and what
//! goes wrong in it stays there. It is this same command with the engine named, and says what it
//! would say to a user.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::args::{Engine, Format, Verify};
use crate::status::Status;
use crate::terminal;

pub struct Attempt {
    pub engine: Engine,
    child: Child,
    start: Instant,
    end: Instant,
    out: Option<JoinHandle<String>>,
    err: Option<JoinHandle<String>>,
    /// What the engine writes, and where it belongs.
    files: Vec<(PathBuf, PathBuf)>,
}

/// What came of an attempt.
pub struct Outcome {
    pub engine: Engine,
    pub seconds: f64,
    /// Where there is a verdict.
    pub status: Option<Status>,
    /// Where the engine finds fault with the input.
    pub refused: Option<Status>,
    /// Why there is no verdict.
    pub reason: String,
    /// Whether more time may lead to more.
    pub out_of_time: bool,
    pub out: String,
    pub err: String,
    files: Vec<(PathBuf, PathBuf)>,
}

/// An engine that notices the end of its time has more to say than that it is over.
const GRACE: Duration = Duration::from_millis(600);

impl Attempt {
    pub fn start(
        engine: Engine,
        time: Duration,
        memory: u64,
        options: &Verify,
    ) -> std::io::Result<Attempt> {
        let mut command = Command::new(std::env::current_exe()?);
        let files = files(engine, options);
        command.args(arguments(std::env::args_os().skip(1), engine, time, memory, &files));
        command.env("COLUMNS", terminal::width().to_string());
        if terminal::colour_on_stdout() {
            command.env("CLICOLOR_FORCE", "1");
        }
        // The engine ends when this pipe does: nobody is left who waits for it.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let start = Instant::now();
        let mut child = command.spawn()?;
        let out = child.stdout.take().map(|pipe| std::thread::spawn(move || read(pipe)));
        let log = options.contexts.log.then_some(engine.name());
        let err = child.stderr.take().map(|pipe| std::thread::spawn(move || relay(pipe, log)));
        Ok(Attempt { engine, child, start, end: start + time + GRACE, out, err, files })
    }

    /// The outcome, if there is one by now.
    pub fn poll(&mut self, format: Format) -> Option<Outcome> {
        let code = match self.child.try_wait() {
            Ok(None) if Instant::now() < self.end => return None,
            Ok(Some(status)) => status.code(),
            Ok(None) | Err(_) => {
                self.stop();
                None
            }
        };
        let out = self.out.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        let err = self.err.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        let late = Instant::now() >= self.end;
        let status = code.and_then(|code| status(code, &out, format));
        let reason = match code {
            Some(_) => reason(&out, format).unwrap_or_else(|| broken(&err)),
            None if late => "no answer in its time".to_owned(),
            None => broken(&err),
        };
        Some(Outcome {
            engine: self.engine,
            seconds: self.start.elapsed().as_secs_f64(),
            status,
            refused: code.and_then(refused),
            out_of_time: late || OUT_OF_TIME.iter().any(|words| reason.starts_with(words)),
            reason,
            out,
            err,
            files: std::mem::take(&mut self.files),
        })
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
        remove(&self.files);
    }
}

impl Outcome {
    /// Puts what the engine wrote where it belongs.
    pub fn keep_files(&self) {
        for (from, to) in self.files.iter().filter(|(from, _)| from.exists()) {
            if let Err(error) = std::fs::rename(from, to) {
                terminal::complain(&format!("error: cannot write {}: {error}\n", to.display()));
            }
        }
    }
}

impl Drop for Outcome {
    fn drop(&mut self) {
        remove(&self.files);
    }
}

fn remove(files: &[(PathBuf, PathBuf)]) {
    for (from, _) in files {
        // Most engines write none.
        let _ = std::fs::remove_file(from);
    }
}

/// Two engines must not write one file at the same time.
fn files(engine: Engine, options: &Verify) -> Vec<(PathBuf, PathBuf)> {
    let given = [&options.output.trace, &options.evidence.certificate];
    let own = |path: &PathBuf| (beside(path, engine), path.clone());
    given.into_iter().flatten().map(own).collect()
}

fn beside(path: &Path, engine: Engine) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}-{}", engine.name(), std::process::id()));
    name.into()
}

/// The arguments of this command with those of the attempt; of an option given twice the last counts.
fn arguments(
    given: impl Iterator<Item = OsString>,
    engine: Engine,
    time: Duration,
    memory: u64,
    files: &[(PathBuf, PathBuf)],
) -> Vec<OsString> {
    let mut all: Vec<OsString> = given.collect();
    for arg in &mut all {
        for (own, path) in files {
            replace(arg, path, own);
        }
    }
    let time = format!("{:.3}", time.as_secs_f64());
    let memory = format!("{}MiB", (memory >> 20).max(1));
    let own = ["--engine", engine.name(), "--time", &time, "--memory", &memory, "--attempt"];
    let behind = all.iter().position(|arg| arg == "--").unwrap_or(all.len());
    all.splice(behind..behind, own.map(OsString::from));
    all
}

/// `FILE` or `--trace=FILE`.
fn replace(arg: &mut OsString, path: &Path, own: &Path) {
    if arg.as_os_str() == path.as_os_str() {
        *arg = own.into();
        return;
    }
    for option in ["--trace=", "--certificate="] {
        let mut whole = OsString::from(option);
        whole.push(path);
        if *arg == whole {
            *arg = OsString::from(option);
            arg.push(own);
        }
    }
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

/// A verdict is believed only where it is also said.
fn status(code: i32, out: &str, format: Format) -> Option<Status> {
    let word = match format {
        Format::Json => {
            let report: serde_json::Value = serde_json::from_str(out).ok()?;
            report["verdict"].as_str()?.to_owned()
        }
        // The word may be coloured.
        Format::Text => {
            let last = out.lines().last()?.strip_prefix("verdict: ")?;
            last.split_once(" (")?.0.to_owned()
        }
    };
    let said = match word {
        word if word.contains("UNSAFE") => Status::Unsafe,
        word if word.contains("SAFE") => Status::Safe,
        _ => return None,
    };
    (said as i32 == code).then_some(said)
}

fn refused(code: i32) -> Option<Status> {
    let all = [Status::WrongUsage, Status::BadInput];
    all.into_iter().find(|status| *status as i32 == code)
}

/// How engines say that they would have gone on.
const OUT_OF_TIME: [&str; 3] = ["time limit", "bound reached", "no answer in time"];

/// What the engine gives as its reason.
fn reason(out: &str, format: Format) -> Option<String> {
    match format {
        Format::Json => {
            let report: serde_json::Value = serde_json::from_str(out).ok()?;
            report["reason"].as_str().map(str::to_owned)
        }
        Format::Text => {
            let last = out.lines().last().filter(|line| line.starts_with("verdict: "))?;
            let inside = last.split_once(" (")?.1;
            Some(inside.strip_suffix(')').unwrap_or(inside).to_owned())
        }
    }
}

fn broken(err: &str) -> String {
    let said = err.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
    format!("ended without an answer; it said: {said}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(given: &[&str], files: &[(PathBuf, PathBuf)]) -> Vec<String> {
        let given = given.iter().map(OsString::from);
        let all = arguments(given, Engine::Tar, Duration::from_millis(1500), 3 << 20, files);
        all.into_iter().map(|arg| arg.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn options_of_the_attempt_come_last() {
        let own = ["--engine", "tar", "--time", "1.500", "--memory", "3MiB", "--attempt"];
        let all = of(&["verify", "a.c"], &[]);
        assert_eq!(all[2..], own);
        let all = of(&["verify", "--", "-a.c"], &[]);
        assert_eq!(all[1..8], own);
        assert_eq!(all[8..], ["--", "-a.c"]);
    }

    #[test]
    fn files_are_written_beside() {
        let files = [(PathBuf::from("t.tar"), PathBuf::from("t"))];
        assert_eq!(
            of(&["--trace", "t", "--trace=t"], &files)[..3],
            ["--trace", "t.tar", "--trace=t.tar"]
        );
    }

    #[test]
    fn reasons() {
        let text = "hint: x\nverdict: UNKNOWN (time limit of 2 s reached (again))\n";
        assert_eq!(
            reason(text, Format::Text).as_deref(),
            Some("time limit of 2 s reached (again)")
        );
        let json = r#"{"verdict": "UNKNOWN", "reason": "r"}"#;
        assert_eq!(reason(json, Format::Json).as_deref(), Some("r"));
        assert_eq!(reason("half an ans", Format::Text), None);
    }

    #[test]
    fn a_verdict_is_both_said_and_meant() {
        let text = |code, out| status(code, out, Format::Text);
        assert_eq!(text(0, ""), None);
        assert_eq!(text(0, "half an ans"), None);
        assert_eq!(text(2, "verdict: UNKNOWN (r)"), None);
        assert_eq!(text(0, "verdict: UNSAFE (r)"), None);
        assert_eq!(text(0, "verdict: UNKNOWN (r)"), None);
        assert_eq!(text(1, "verdict: UNSAFE (r)"), Some(Status::Unsafe));
        assert_eq!(text(0, "x\nverdict: \x1b[32mSAFE\x1b[0m (r)"), Some(Status::Safe));
        assert_eq!(status(0, r#"{"verdict": "SAFE"}"#, Format::Json), Some(Status::Safe));
        assert_eq!(status(1, r#"{"verdict": "SAFE"}"#, Format::Json), None);
    }
}
