//! House tasks, as `cargo xtask TASK`. They are the way in for users and for continuous
//! integration: whatever a build or a run needs from the machine is provided here, so that the
//! commands in the README stay the same when the needs grow.

mod bench;
mod commands;
mod files;
mod fuzz;
mod measure;
mod modules;
mod system;
mod tidy;
mod workspace;
mod z3;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask TASK

  run ARGS...      build Selvedge (release) and run it with ARGS
  test [--all]     run all tests of the workspace; --all adds all campaigns of random programs
  cases --update   write what every engine answers into the case files under tests/
  fuzz [NAME] [N]  compare an engine with an exhaustive search on N random programs: explore (the
                   default, 5000), contexts (5000), tar (5000), horn (1000), cover (1000),
                   locks (5000).
                   Other campaigns: reductions (explore with and without each reduction, 10000),
                   coverability (random thread transition systems, 5000), certify (random
                   certificates, 2500), system (steps as terms against executions, 5000),
                   certify-locks (proofs by locks, and certificates tampered with, 5000),
                   c (C programs against gcc and clang with sanitizers, 2000; --csmith takes
                   csmith's programs). --seed S begins with another program
  bench explore    compare explore with SPIN on the Bluetooth driver, 1 to 8 workers
                   [--workers N] [--no-spin] [--no-symmetry]
  bench conform    measure abstract threads on the drivers, and compositions of 1 to 11 workers
                   beside SPIN [--workers N]
  bench contexts   measure contexts on the drivers: by contexts, scheduling points, slicing
                   [--time SECONDS] [--unwind N] [--only DRIVERS] [--table NAMES] [FILE.c...]
  bench contracts  measure contracts on modules of 10 to 10000 functions, and what each optimisation
                   saves [--functions N] [--jobs N] [--binary FILE]
  bench cover      measure coverability on thread transition systems of growing size
                   [--locks N]
  bench growth     measure an engine (tar) on programs of growing size [ENGINE] [--shape NAME]
                   [--lines N] [--time SECONDS] [--binary FILE]
  bench infer      take annotations out of programs and look for them; names choose programs
  bench tar        measure tar on locking schemes and driver code
  tidy             check the house rules
  measure [FOLDER] [--apart CRATE]...
                   print a table of the crates of a checkout (default: this one): lines, largest
                   file, longest function, modules in import cycles. With --apart, list the
                   modules of CRATE that have a folder as if they were crates
  z3               fetch the solver into the cache folder; other tasks do this themselves";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        ["run", rest @ ..] => return commands::run(rest),
        ["test"] => commands::test(false),
        ["test", "--all"] => commands::test(true),
        ["cases", "--update"] => commands::update_cases(),
        ["fuzz", rest @ ..] => fuzz::fuzz(rest),
        ["bench", "conform", rest @ ..] => bench::conform::conform(rest),
        ["bench", "contexts", rest @ ..] => bench::contexts::contexts(rest),
        ["bench", "contracts", rest @ ..] => bench::contracts::contracts(rest),
        ["bench", "explore", rest @ ..] => bench::explore::explore(rest),
        ["bench", "growth", rest @ ..] => bench::growth::growth(rest),
        ["bench", "infer", rest @ ..] => bench::infer::infer(rest),
        ["bench", "tar", rest @ ..] => bench::tar::tar(rest),
        ["bench", "cover", rest @ ..] => bench::cover::run(rest),
        ["tidy"] => tidy::report(),
        ["measure", rest @ ..] => measure::measure(rest),
        ["z3"] => z3::provide().map(|folder| println!("{}", folder.display())),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(64);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
