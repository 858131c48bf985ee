//! House tasks, as `cargo xtask TASK`. They are the way in for users and for continuous
//! integration: whatever a build or a run needs from the machine is provided here, so that the
//! commands in the README stay the same when the needs grow.

mod bench;
mod commands;
mod system;
mod tidy;
mod z3;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask TASK

  run ARGS...      build Selvedge (release) and run it with ARGS
  test [--all]     all tests of the workspace; --all adds the large random campaign
  fuzz [N]         compare reduced and unreduced search on N random programs (10000)
  fuzz cover [N]   compare covering with forward exploration on N random systems (5000)
  bench explore    the Bluetooth driver, Selvedge beside SPIN, 1 to 8 workers
                   [--workers N] [--no-spin] [--no-symmetry]
  bench cover      thread transition systems of growing size: time and size of the basis
                   [--locks N]
  bench tar        locking schemes and driver code: proofs and races by the engine tar
  tidy             the house rules only
  z3               fetch the solver into the cache folder, as the other tasks do by themselves";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        ["run", rest @ ..] => return commands::run(rest),
        ["test"] => commands::test(false),
        ["test", "--all"] => commands::test(true),
        ["fuzz"] => commands::fuzz("10000"),
        ["fuzz", "cover"] => commands::fuzz_cover("5000"),
        ["fuzz", "cover", count] => commands::fuzz_cover(count),
        ["fuzz", count] => commands::fuzz(count),
        ["bench", "explore", rest @ ..] => bench::explore(rest),
        ["bench", "cover", rest @ ..] => bench::cover(rest),
        ["bench", "tar", rest @ ..] => bench::tar(rest),
        ["tidy"] => tidy::report(),
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
