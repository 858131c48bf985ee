//! `selvedge conform --suggest` and `--from-contracts`: abstract threads for programs that have none, as
//! the annotations that say them.

use selvedge_conform::{self as conform, Why};
use selvedge_ir::{Program, Property};
use selvedge_verdict::{Run, Stop, stopped};

use crate::args::Conform;
use crate::conform::budget;
use crate::guard::{self, Teller};
use crate::status::{Refusal, Status};
use crate::{answer, diagnose, input, interrupt, terminal};

type Proposed = Result<String, Refusal>;

pub fn propose(options: &Conform) -> Result<Status, Refusal> {
    interrupt::watch();
    let asked = options.clone();
    let work = move |_: Teller<Proposed>| proposal(&asked);
    let text = match guard::run(budget(options), work, |_| {}) {
        Ok(proposed) => proposed?,
        Err(stop) => return Err(none(&stop.to_string())),
    };
    terminal::print(&text);
    Ok(Status::Safe)
}

fn proposal(options: &Conform) -> Proposed {
    let Conform { input, .. } = options;
    let checks = [Property::Assert];
    let program = input::load_specified(&input.files, &input.preprocessor, &checks, false)?.program;
    match options.from_contracts {
        true => embedded(&program),
        false => suggested(&program, options),
    }
}

/// The contracts of the program as abstract threads.
fn embedded(program: &Program) -> Proposed {
    let refused = |refused| diagnose::stopped(program, &stopped(refused));
    let threads = conform::from_contracts(program).map_err(refused)?;
    if threads.is_empty() {
        return Err(none("no thread is started in a function that has no abstract thread yet"));
    }
    let texts = threads.iter().map(|thread| conform::annotation(program, thread));
    let texts: Result<Vec<String>, String> = texts.collect();
    texts.map(|texts| texts.concat()).map_err(|why| none(&why))
}

fn suggested(program: &Program, options: &Conform) -> Proposed {
    selvedge_smt::version_check()
        .map_err(|reason| diagnose::stopped(program, &Stop::Solver { reason }))?;
    let mut run = Run::silent(budget(options));
    match conform::suggest_all(program, &mut run) {
        Ok(found) => Ok(found.into_iter().map(|thread| thread.text).collect()),
        Err(Why::NotProved(stop)) => {
            let reason = answer::unknown(&stop, program).reason;
            Err(none(&format!("the candidates are not proved: {reason}")))
        }
        Err(why) => Err(none(&why.to_string())),
    }
}

fn none(why: &str) -> Refusal {
    let message = format!("no suggestion: {why}\n");
    Refusal { status: Status::Unknown, message }
}
