//! Prints the Plato program of C files, or what is wrong with them.
//!
//!     cargo run -p selvedge-frontend-c --example lower -- FILE... [--model ilp32] [--library]
//!         [--properties assert,overflow] [--check] [--quiet]

use std::path::PathBuf;
use std::process::ExitCode;

use selvedge_frontend_c::{Options, compile};
use selvedge_ir::{Action, DataModel, Property};

fn main() -> ExitCode {
    let run = std::thread::Builder::new().stack_size(1 << 30).spawn(run);
    match run.map(|thread| thread.join()) {
        Ok(Ok(code)) => code,
        _ => ExitCode::from(70),
    }
}

fn run() -> ExitCode {
    let mut options = Options::default();
    let mut paths = Vec::new();
    let (mut check, mut quiet) = (false, false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--model" => {
                let ilp32 = args.next().as_deref() == Some("ilp32");
                options.model = if ilp32 { DataModel::Ilp32 } else { DataModel::Lp64 };
            }
            "--properties" => {
                let names = args.next().unwrap_or_default();
                options.properties = names.split(',').filter_map(Property::from_name).collect();
            }
            "--library" => options.library = true,
            "--check" => check = true,
            "--quiet" => quiet = true,
            _ => paths.push(PathBuf::from(arg)),
        }
    }
    match compile(&paths, &options) {
        Ok(compiled) => {
            eprint!(
                "{}",
                selvedge_c_syntax::render(&compiled.diagnostics, &compiled.sources, false)
            );
            if !quiet {
                print!("{}", selvedge_ir::text::print(&compiled.program));
            }
            for (_, procedure) in &compiled.program.procedures {
                for (_, edge) in procedure.edges() {
                    if let Action::Unsupported { what } = &edge.action {
                        let line = edge.span.line;
                        eprintln!("unsupported: {} line {line}: {what}", procedure.name);
                    }
                }
            }
            let violations = selvedge_ir::check::check(&compiled.program);
            if check && !violations.is_empty() {
                eprint!("{}", selvedge_ir::check::listing(&compiled.program, &violations));
                return ExitCode::from(70);
            }
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprint!("{}", selvedge_c_syntax::render(&failure.diagnostics, &failure.sources, false));
            ExitCode::from(65)
        }
    }
}
