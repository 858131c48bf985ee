//! Lowers Java files and prints what became of them, with how long it took.
//!
//!     cargo run --package selvedge-frontend-java --example lower -- FILE...

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use selvedge_frontend_java::{Options, compile};
use selvedge_ir::{Property, check, text};

fn main() -> ExitCode {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let start = Instant::now();
    let options = Options { properties: Property::JAVA.to_vec(), ..Options::default() };
    match compile(&files, &options) {
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
        Ok(program) => {
            let violations = check::check(&program);
            match violations.is_empty() {
                true => print!("{}", text::print(&program)),
                false => print!("{}", check::listing(&program, &violations)),
            }
            let edges: usize = program.procedures.values().map(|p| p.edges().count()).sum();
            let (procedures, seconds) = (program.procedures.len(), start.elapsed().as_secs_f64());
            eprintln!("{procedures} procedures, {edges} actions, {seconds:.3} s");
            if violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
    }
}
