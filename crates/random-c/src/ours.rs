//! What Selvedge makes of a program: one execution, and the search of `explore`.

use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use selvedge_c_syntax::{PreprocessOptions, render};
use selvedge_exec::run::{Limits, run};
use selvedge_exec::trace::Outcome;
use selvedge_explore::{Own, verify};
use selvedge_frontend_c::{self as frontend, Compiled};
use selvedge_ir::Property;
use selvedge_verdict::{Budget, Options, Run, Stop, Verdict};

/// An answer, as far as it can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    Safe,
    Unsafe {
        property: Property,
        what: String,
    },
    /// With the reason.
    Unknown(String),
    /// The front end takes it for no program.
    Rejected(String),
    /// A panic, or what is said to be a defect.
    Defect(String),
}

/// Units of work for the search.
const WORK: u64 = 3_000_000;
/// Actions of the one execution.
const STEPS: u64 = 400_000;

/// How Selvedge is asked.
pub struct Question<'a> {
    pub file: &'a Path,
    pub properties: &'a [Property],
    pub include_dirs: &'a [PathBuf],
    /// Execute it once before the search: for programs that have one execution.
    pub execute: bool,
}

impl Question<'_> {
    /// Compiles the file and searches it. A panic is an answer, too.
    pub fn ask(&self) -> Said {
        let asked = panic::catch_unwind(AssertUnwindSafe(|| self.answer()));
        asked.unwrap_or_else(|payload| {
            let text = payload.downcast_ref::<String>().cloned();
            let text = text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).into()));
            Said::Defect(format!("panic: {}", text.unwrap_or_default()))
        })
    }

    fn answer(&self) -> Said {
        let compiled = match frontend::compile(&[self.file.to_path_buf()], &self.settings()) {
            Ok(compiled) => compiled,
            Err(failure) => {
                return Said::Rejected(render(&failure.diagnostics, &failure.sources, false));
            }
        };
        if self.execute {
            let executed = execution(&compiled, self.properties);
            if !matches!(executed, Said::Safe) {
                return executed;
            }
        }
        search(&compiled, self.properties)
    }

    fn settings(&self) -> frontend::Options {
        frontend::Options {
            properties: self.properties.to_vec(),
            preprocess: PreprocessOptions {
                include_dirs: self.include_dirs.to_vec(),
                ..PreprocessOptions::default()
            },
            ..frontend::Options::default()
        }
    }
}

/// One execution: safe if it came to the end.
fn execution(compiled: &Compiled, properties: &[Property]) -> Said {
    match run(&compiled.program, 0, &Limits { steps: STEPS }, properties) {
        Ok((_, Outcome::Finished)) => Said::Safe,
        Ok((_, Outcome::Violation(failure))) => {
            Said::Unsafe { property: failure.property, what: failure.fault.to_string() }
        }
        Ok((_, Outcome::StepLimit)) => Said::Unknown("execution too long".into()),
        Ok((_, other)) => Said::Unknown(format!("execution: {other}")),
        Err(stop) => stopped(&stop),
    }
}

fn search(compiled: &Compiled, properties: &[Property]) -> Said {
    let options = Options::with(properties, Own { walks: false, ..Own::default() });
    match verify(&compiled.program, &options, &mut Run::silent(Budget::work(WORK))) {
        Ok(Verdict::Safe(_)) => Said::Safe,
        Ok(Verdict::Unsafe(shown)) => match &shown.trace().outcome {
            Outcome::Violation(failure) => {
                Said::Unsafe { property: failure.property, what: failure.fault.to_string() }
            }
            other => Said::Defect(format!("a trace that ends otherwise: {other}")),
        },
        Err(stop) => stopped(&stop),
    }
}

fn stopped(stop: &Stop) -> Said {
    match stop {
        stop if stop.is_defect() => Said::Defect(stop.to_string()),
        Stop::Unsupported { what, .. } => Said::Unknown(format!("unsupported: {what}")),
        Stop::Undefined { what, .. } => Said::Unknown(format!("undefined: {what}")),
        Stop::InputTooLarge { .. } => Said::Unknown("an input is too large".into()),
        stop => Said::Unknown(stop.to_string()),
    }
}
