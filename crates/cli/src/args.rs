//! The command line: what may be asked, and what each option means.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use selvedge_engines::Engine;
use selvedge_frontend_c::{External, MayFail};
use selvedge_ir::DataModel;
use selvedge_verdict::Integers;

use crate::checks::{Checks, FewChecks};

/// Verifies multithreaded C programs.
///
/// The answer is the last line of standard output: `verdict: SAFE`, `verdict: UNSAFE` or
/// `verdict: UNKNOWN`, with a short reason.
#[derive(Debug, Parser)]
#[command(name = "selvedge", version, max_term_width = 100, after_help = EXIT_STATUS)]
pub struct CommandLine {
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_STATUS: &str = "\
Exit status: 0 safe, 1 unsafe, 2 unknown, 64 wrong usage, 65 bad input, 70 a defect of Selvedge.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Decide whether a program can go wrong in any interleaving of its threads
    Verify(Verify),
    /// Run a program once, with a random schedule and random inputs
    Run(Run),
    /// Run a recorded trace again and say whether its violation recurs
    Replay(Replay),
    /// Decide whether any number of threads of a thread transition system can cover a state
    Cover(Cover),
    /// Decide a program by the abstract threads that its sources give
    Conform(Conform),
    /// Check what comments say about procedures and threads, one procedure at a time
    Contracts(Contracts),
    /// Find annotations, and print the sources with those that `contracts` proves
    Infer(Infer),
    /// Check a certificate of safety that `verify --certificate` wrote
    Certify(Certify),
    /// Print a program as Selvedge understands it, at any stage
    Dump(Dump),
}

#[derive(Clone, Debug, Args)]
#[command(args_override_self = true)]
pub struct Verify {
    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub checks: Checks,

    /// The method: `auto` tries those that suit the program, two at a time
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = parse_method)]
    pub engine: Method,

    /// Give up after so many seconds; 0 means never [default: 60, or never with `--work`]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub time: Option<TimeLimit>,

    /// Give up after so many units of work, about a million a second: the answer is then the same on
    /// every machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub work: Option<u64>,

    /// Give up before using more memory, as 512MiB or 4GiB (a bare number is MiB) [default: half
    /// of what is free]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub memory: Option<u64>,

    /// Where a model starts any number of threads, start N; a program found correct for N is
    /// reported as UNKNOWN, because more threads may behave otherwise
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub threads: Option<u32>,

    /// `machine`: wrap-around integers, as in C; `math`: integers without bounds (with horn and cover)
    #[arg(long, value_name = "KIND", default_value = "machine", value_parser = parse_integers)]
    pub int: Integers,

    #[command(flatten)]
    pub search: Search,

    #[command(flatten)]
    pub contexts: Contexts,

    /// Write the solver's questions into a folder, as SMT-LIB text
    #[arg(long, value_name = "FOLDER")]
    pub queries: Option<PathBuf>,

    /// Tell on standard error about each round
    #[arg(long)]
    pub log: bool,

    /// With tar: show the proof found, as predicates and annotations
    #[arg(long)]
    pub proof: bool,

    #[command(flatten)]
    pub output: Output,

    #[command(flatten)]
    pub evidence: Evidence,

    /// One engine of several: end when standard input does
    #[arg(long, hide = true)]
    pub attempt: bool,
}

/// Each thread is checked against the abstract thread that stands for it, and the abstract threads
/// are checked together; the property is `assert`.
#[derive(Clone, Debug, Args)]
pub struct Conform {
    #[command(flatten)]
    pub input: Input,

    /// Give up after so many seconds; 0 means never [default: 60, or never with `--work`]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub time: Option<TimeLimit>,

    /// Give up after so many units of work, about a million a second: the answer is then the same on
    /// every machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub work: Option<u64>,

    /// Give up before using more memory, as 512MiB or 4GiB (a bare number is MiB) [default: half
    /// of what is free]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub memory: Option<u64>,

    /// Print abstract threads for the functions that threads start in and that have none, found and
    /// proved by Selvedge, instead of a verdict
    #[arg(long, conflicts_with = "from_contracts")]
    pub suggest: bool,

    /// Print the contracts of these functions as abstract threads instead of a verdict
    #[arg(long)]
    pub from_contracts: bool,

    #[command(flatten)]
    pub output: Output,

    #[command(flatten)]
    pub evidence: Evidence,
}

#[derive(Debug, Args)]
pub struct Run {
    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub checks: FewChecks,

    /// The same seed gives the same run
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Stop after so many actions
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub steps: u64,

    #[command(flatten)]
    pub output: Output,
}

/// The trace carries the program that it is of. With files named, these are read as well and compared
/// with it.
#[derive(Debug, Args)]
pub struct Replay {
    /// A trace that `verify --trace` or `run --trace` wrote
    pub trace: PathBuf,

    /// The sources or the model that it should be of
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub preprocessor: Preprocessor,

    /// `text` for people, `json` for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// The certificate carries the program that it is about. With files named, these are read as well
/// and compared with it.
#[derive(Debug, Args)]
pub struct Certify {
    /// A certificate
    pub certificate: PathBuf,

    /// The sources or the model that it should be about
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub preprocessor: Preprocessor,

    /// Give up a question to the solver after so many seconds; 0 means never
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds)]
    pub time: TimeLimit,

    /// Write the solver's questions into a folder, as SMT-LIB text
    #[arg(long, value_name = "FOLDER")]
    pub queries: Option<PathBuf>,

    /// Who decides the obligations of contracts: `z3`, `cvc5`, or `both` (Z3, and cvc5 must not
    /// contradict it)
    #[arg(long, value_name = "NAME", value_enum, default_value_t = SolverChoice::Z3)]
    pub solver: SolverChoice,

    /// The sources were read with `--library`
    #[arg(long)]
    pub library: bool,

    /// Tell what a certificate for this program can speak of, and check nothing
    #[arg(long)]
    pub outline: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SolverChoice {
    Z3,
    Cvc5,
    Both,
}

#[derive(Clone, Debug, Args)]
pub struct Contracts {
    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub checks: FewChecks,

    #[command(flatten)]
    pub evidence: Evidence,

    /// Give up after so many seconds; 0 means never [default: 60, or never with `--work`]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub time: Option<TimeLimit>,

    /// Give up a procedure after so many units of work, about a million a second: the answer is then
    /// the same on every machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub work: Option<u64>,

    /// Check so many procedures at a time [default: as many as the machine has cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,

    /// Keep answers in this folder [default: contracts in $SELVEDGE_CACHE or ~/.cache/selvedge]
    #[arg(long, value_name = "FOLDER")]
    pub cache: Option<PathBuf>,

    /// Keep no answers and use none that were kept
    #[arg(long, conflicts_with = "cache")]
    pub no_cache: bool,

    /// Let the environment run before every step, whether it looks at memory or not
    #[arg(long)]
    pub no_commute: bool,

    /// Let the environment change all of memory before a step, whatever the step looks at
    #[arg(long)]
    pub no_split: bool,

    /// Assume all conjuncts of the environment in every procedure, whatever it touches
    #[arg(long)]
    pub no_focus: bool,

    /// Show every function, called or not, and do not ask for `main`
    #[arg(long)]
    pub library: bool,

    /// Write the solver's questions into a folder, as SMT-LIB text
    #[arg(long, value_name = "FOLDER")]
    pub queries: Option<PathBuf>,

    /// Tell on standard error about each procedure, with the invariants found for its loops
    #[arg(long)]
    pub log: bool,

    /// `text` for people, `json` (one object) for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

impl Contracts {
    /// The time limit; none if there is none.
    pub fn limit(&self) -> Option<Duration> {
        match (self.time, self.work) {
            (Some(TimeLimit(limit)), _) => limit,
            (None, Some(_)) => None,
            (None, None) => Some(Duration::from_secs(60)),
        }
    }
}

#[derive(Clone, Debug, Args)]
pub struct Infer {
    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub checks: FewChecks,

    /// Give up after so many seconds; 0 means never [default: 60, or never with `--work`]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub time: Option<TimeLimit>,

    /// Give up after so many units of work, about a million a second: the answer is then the same on
    /// every machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub work: Option<u64>,

    /// Which of the annotations that are proved are kept
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Keep::Protection)]
    pub keep: Keep,

    /// Do not ask the engine tar for a proof to take annotations from
    #[arg(long)]
    pub no_tar: bool,

    /// Print the annotations only, each with its place
    #[arg(long)]
    pub annotations: bool,

    /// Write the annotated sources into a folder, under their names
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,

    /// Write the annotations into the sources themselves
    #[arg(long, conflicts_with = "output")]
    pub in_place: bool,

    /// `text` for people, `json` (one object) for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Tell on standard error how far the search is
    #[arg(long)]
    pub log: bool,
}

impl Infer {
    pub fn is_json(&self) -> bool {
        self.format == Format::Json
    }
}

/// What `infer` keeps of what is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Keep {
    /// What the proofs of the program need
    Needed,
    /// That, and what protects variables that threads share
    Protection,
    /// Everything
    All,
}

impl From<Keep> for selvedge_infer::Keep {
    fn from(keep: Keep) -> selvedge_infer::Keep {
        match keep {
            Keep::Needed => selvedge_infer::Keep::Needed,
            Keep::Protection => selvedge_infer::Keep::Protection,
            Keep::All => selvedge_infer::Keep::All,
        }
    }
}

#[derive(Clone, Debug, Args)]
pub struct Cover {
    /// A thread transition system (.tts)
    pub file: PathBuf,

    /// The state to cover, as S|l1,l2: shared state S and threads in local states l1 and l2
    #[arg(long, value_name = "STATE")]
    pub target: String,

    /// The initial states, as S|b1,b2/u1,u2: shared state S, threads in b1 and b2, any number of
    /// threads in u1 and u2 [default: 0/0]
    #[arg(long, value_name = "STATES")]
    pub init: Option<String>,

    /// Give up after so many seconds; 0 means never
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds)]
    pub time: TimeLimit,

    /// Give up before using more memory, as 512MiB or 4GiB (a bare number is MiB) [default: half
    /// of what is free]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub memory: Option<u64>,

    /// `text` for people, `json` (one object) for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Where the state is not covered, write the proof to a file
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Dump {
    /// Sources (.c, .i; .java, .class, .jar) that form one program, a Java class in the class path,
    /// or one model (.plato)
    #[arg(value_name = "FILE", required_unless_present = "list")]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub preprocessor: Preprocessor,

    #[command(flatten)]
    pub checks: FewChecks,

    /// Whose view: what this engine works on
    #[arg(long, value_name = "NAME", value_parser = parse_view)]
    pub engine: Option<View>,

    /// Which stage; `--list` names them [default: `ir`, the program as the front end made it; with
    /// `--engine` the last stage of that engine]
    #[arg(long, value_name = "NAME")]
    pub stage: Option<String>,

    #[command(flatten)]
    pub contexts: Contexts,

    /// Name the stages, with `--engine` those of that engine
    #[arg(long)]
    pub list: bool,

    /// Show every function, called or not, and do not ask for `main`
    #[arg(long)]
    pub library: bool,

    /// Show what comments specify, too: contracts, environment assumptions, abstract threads
    #[arg(long)]
    pub specifications: bool,
}

#[derive(Clone, Debug, Args)]
pub struct Input {
    /// Sources (.c, .i; .java, .class, .jar) that form one program, a Java class in the class path,
    /// or one model (.plato)
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub preprocessor: Preprocessor,
}

#[derive(Clone, Debug, Args)]
pub struct Preprocessor {
    /// The sizes of C's types: 64-bit or 32-bit `long` and pointers
    #[arg(long, value_name = "MODEL", default_value = "lp64", value_parser = parse_model)]
    pub model: DataModel,

    /// A folder to look for included files in
    #[arg(short = 'I', value_name = "FOLDER")]
    pub include_dirs: Vec<PathBuf>,

    /// A macro for the preprocessor
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub defines: Vec<String>,

    /// A file to include before the first line of each source (also as `-include FILE`)
    #[arg(long = "include", value_name = "FILE")]
    pub forced_includes: Vec<PathBuf>,

    /// What a function does that is defined nowhere: havoc (any result, writes what its arguments
    /// lead to), pure (any result), or unsupported
    #[arg(long = "extern", value_name = "CHOICE", default_value = "havoc", value_parser = parse_external)]
    pub external: External,

    /// The files have no `main`: verify them for any number of threads that call their public
    /// functions in any order, with any arguments that `requires` allows
    #[arg(long)]
    pub module: bool,

    /// With `--module`: the functions that are called, separated by commas [default: all that are
    /// not static]
    #[arg(long, value_name = "FUNCTIONS", value_delimiter = ',', requires = "module")]
    pub entry: Vec<String>,

    /// Of Java programs: where classes are, as folders and jars separated by colons
    #[arg(long, value_name = "PLACES", value_delimiter = ':')]
    pub class_path: Vec<PathBuf>,

    /// Library functions that may fail, separated by commas (malloc, calloc, ...), or all;
    /// without it, none does
    #[arg(
        long,
        value_name = "FUNCTIONS",
        value_delimiter = ',',
        value_parser = parse_fallible
    )]
    pub may_fail: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub struct Search {
    /// Keep every interleaving point (no Lipton reduction)
    #[arg(long)]
    pub no_reduce: bool,

    /// Tell identical threads apart
    #[arg(long)]
    pub no_symmetry: bool,

    /// Explore every order of independent actions (no partial-order reduction)
    #[arg(long)]
    pub no_por: bool,
}

/// For `verify` and `dump` with `--engine contexts`.
#[derive(Clone, Debug, Args)]
pub struct Contexts {
    /// With contexts: let each thread run in at most K contexts, 1 to 64; without it, K grows
    #[arg(long = "contexts", value_name = "K", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub number: Option<u32>,

    /// With contexts: pass loops at most N times, 1 to 100000; without it, N grows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub unwind: Option<u32>,

    /// With contexts: track the content of these fields only, separated by commas (`dump --stage
    /// fields` names them)
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    pub track: Option<Vec<String>>,

    /// With contexts: find out which fields matter, where there are many (auto) or always, or track
    /// all (off)
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Slice::Auto)]
    pub slice: Slice,

    /// With contexts: let threads switch only at this share of the scheduling points, to measure what
    /// these cost; bugs may then be missed
    #[arg(
        long,
        value_name = "PERCENT",
        default_value_t = 100,
        value_parser = clap::value_parser!(u32).range(0..=100)
    )]
    pub points: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Slice {
    Auto,
    Always,
    Off,
}

#[derive(Clone, Debug, Args)]
pub struct Output {
    /// `text` for people, `json` (one object) for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Write the trace to a file, for `selvedge replay`
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
}

/// What a proof leaves behind.
#[derive(Clone, Debug, Args)]
pub struct Evidence {
    /// Write the certificate of a proof to a file, for `selvedge certify`
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

/// Whose view of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    Engine(Engine),
    /// The parts that abstract threads divide it into.
    Conform,
}

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Those that suit the program.
    Auto,
    One(Engine),
}

impl Verify {
    /// The time limit: without one, a budget of work is limit enough.
    pub fn limit(&self) -> Option<Duration> {
        match (self.time, self.work) {
            (Some(TimeLimit(limit)), _) => limit,
            (None, Some(_)) => None,
            (None, None) => Some(DEFAULT_TIME),
        }
    }
}

/// A person who waits longer can say so; a script that forgets to is not kept for ever.
pub const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// None where there is no limit. A type of its own, because clap takes an `Option` for an option
/// that may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimit(pub Option<Duration>);

fn parse_seconds(text: &str) -> Result<TimeLimit, String> {
    let seconds: f64 =
        text.parse().map_err(|_| "give a number of seconds, such as 1.5".to_string())?;
    let duration = Duration::try_from_secs_f64(seconds)
        .map_err(|_| "give a number of seconds that is not below 0".to_string())?;
    Ok(TimeLimit(if duration.is_zero() { None } else { Some(duration) }))
}

fn parse_bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no size; write 512MiB or 4GiB, for example");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "m" | "mb" | "mib" => 1 << 20,
        "k" | "kb" | "kib" => 1 << 10,
        "g" | "gb" | "gib" => 1 << 30,
        _ => return Err(wrong()),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(unit).filter(|bytes| *bytes > 0).ok_or_else(wrong)
}

fn parse_model(text: &str) -> Result<DataModel, String> {
    match text {
        "lp64" => Ok(DataModel::Lp64),
        "ilp32" => Ok(DataModel::Ilp32),
        _ => Err("choose lp64 or ilp32".to_string()),
    }
}

fn parse_fallible(text: &str) -> Result<String, String> {
    let known = MayFail::known();
    match text == "all" || known.contains(&text) {
        true => Ok(text.to_string()),
        false => Err(format!("choose from {}, or all", known.join(", "))),
    }
}

fn parse_external(text: &str) -> Result<External, String> {
    let names = External::ALL.map(External::name).join(", ");
    External::from_name(text).ok_or_else(|| format!("choose from {names}"))
}

fn parse_method(text: &str) -> Result<Method, String> {
    if text == "auto" {
        return Ok(Method::Auto);
    }
    let names = Engine::ALL.map(Engine::name).join(", ");
    Engine::from_name(text).map(Method::One).ok_or_else(|| format!("choose one of auto, {names}"))
}

fn parse_view(text: &str) -> Result<View, String> {
    if text == "conform" {
        return Ok(View::Conform);
    }
    let names = Engine::ALL.map(Engine::name).join(", ");
    let engine = Engine::from_name(text).map(View::Engine);
    engine.ok_or_else(|| format!("choose one of {names}, conform"))
}

fn parse_integers(text: &str) -> Result<Integers, String> {
    match text {
        "machine" => Ok(Integers::Machine),
        "math" => Ok(Integers::Math),
        _ => Err("choose machine or math".to_string()),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use clap::CommandFactory;

    /// The options of a `verify` with this on its command line.
    pub fn verify(line: &[&str]) -> Verify {
        let all = ["selvedge", "verify", "x.c"].iter().chain(line);
        let Command::Verify(options) = CommandLine::parse_from(all).command else {
            unreachable!("the command is verify")
        };
        options
    }

    #[test]
    fn work_takes_the_place_of_the_default_time() {
        let seconds = |line: &[&str]| verify(line).limit().map(|limit| limit.as_secs());
        assert_eq!(seconds(&[]), Some(60));
        assert_eq!(seconds(&["--work", "5"]), None);
        assert_eq!(seconds(&["--work", "5", "--time", "7"]), Some(7));
        assert_eq!(seconds(&["--time", "0"]), None);
    }

    #[test]
    fn command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_bytes("3"), Ok(3 << 20));
        assert_eq!(parse_bytes("512MiB"), Ok(512 << 20));
        assert_eq!(parse_bytes("4g"), Ok(4 << 30));
        for wrong in ["", "GiB", "4 GiB", "-1", "4TiB", "0", "99999999999999GiB", "é"] {
            assert!(parse_bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn time_limits() {
        assert_eq!(parse_seconds("0"), Ok(TimeLimit(None)));
        assert_eq!(parse_seconds("1.5"), Ok(TimeLimit(Some(Duration::from_millis(1500)))));
        for wrong in ["-1", "NaN", "inf", "a minute"] {
            assert!(parse_seconds(wrong).is_err(), "{wrong}");
        }
    }
}
