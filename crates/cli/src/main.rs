//! `selvedge`, the command line: reads the arguments, runs one command, and turns what came out
//! into text or JSON and an exit status. Everything that decides something is in other crates.

mod answer;
mod args;
mod assumptions;
mod auto;
mod certified;
mod certify;
mod checks;
mod conform;
mod contracts;
mod cover;
mod diagnose;
mod dump;
mod files;
mod guard;
mod infer;
mod input;
mod interrupt;
mod knobs;
mod locked;
mod memory;
mod names;
mod obligations;
mod progress;
mod propose;
mod question;
mod replay;
mod run;
mod sources;
mod status;
mod summary;
mod sweep;
mod terminal;
mod verify;

use std::panic::{self, PanicHookInfo};
use std::process::ExitCode;
use std::thread;

use args::{Command, CommandLine};
use clap::Parser;
use clap::error::ErrorKind;
use status::{PLEASE_REPORT, Refusal, Status};

/// Parsing and lowering recurse over the nesting of the source, and real sources nest deeply
/// (chains of thousands of `else if`). Only what is used of this becomes real memory.
const STACK_BYTES: usize = 1 << 30;

/// Where the address space is limited so tightly that the large stack does not fit.
const SMALL_STACK_BYTES: usize = 64 << 20;

fn main() -> ExitCode {
    panic::set_hook(Box::new(tell_panic));
    let spawn = |bytes| thread::Builder::new().stack_size(bytes).spawn(start);
    let worker = match spawn(STACK_BYTES).or_else(|_| spawn(SMALL_STACK_BYTES)) {
        Ok(worker) => worker,
        Err(error) => {
            terminal::complain(&format!(
                "error: cannot start for want of memory: {error}; free some, or raise `ulimit -v`\n"
            ));
            return Status::Unknown.into();
        }
    };
    worker.join().unwrap_or(Status::Defect).into()
}

fn tell_panic(info: &PanicHookInfo) {
    let place = info.location().map(|place| format!(" ({}:{})", place.file(), place.line()));
    let said = info.payload_as_str().unwrap_or("no message");
    let place = place.unwrap_or_default();
    terminal::complain(&format!("error: internal error: {said}{place}\n{PLEASE_REPORT}\n"));
}

fn start() -> Status {
    match CommandLine::try_parse_from(arguments()) {
        Ok(line) => execute(line.command).unwrap_or_else(|refusal| {
            terminal::complain(&refusal.message);
            refusal.status
        }),
        Err(error) => {
            let _ = error.print();
            match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Status::Safe,
                _ => Status::WrongUsage,
            }
        }
    }
}

/// The arguments, with the compiler's spelling `-include FILE` turned into ours.
fn arguments() -> impl Iterator<Item = std::ffi::OsString> {
    std::env::args_os().map(|arg| if arg == "-include" { "--include".into() } else { arg })
}

fn execute(command: Command) -> Result<Status, Refusal> {
    match command {
        Command::Certify(options) => certify::certify(&options),
        Command::Conform(options) if options.suggest || options.from_contracts => {
            propose::propose(&options)
        }
        Command::Conform(options) => conform::conform(&options),
        Command::Contracts(options) => contracts::contracts(&options),
        Command::Infer(options) => infer::infer(&options),
        Command::Dump(options) => dump::dump(&options),
        Command::Verify(options) => verify::verify(&options),
        Command::Run(options) => run::run(&options),
        Command::Replay(options) => replay::replay(&options),
        Command::Cover(options) => cover::cover(&options),
    }
}
