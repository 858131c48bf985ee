//! From Java to a Plato program, by way of class files.
//!
//! Sources are compiled by the system's `javac`; what they mean is read off the bytecode, so that
//! generics, lambdas, inner classes and `finally` come as the compiler resolved them, with lines and
//! names from the debug tables. Library classes are the JDK's own where they need nothing native, and
//! models otherwise: Java text over a few intrinsics.
//!
//! The parts, in the order of the work: `input` finds the classes, `world` answers how they inherit,
//! `reach` finds what can run, `throws` and `monitors` say what is known of exceptions and locks,
//! `layout` places objects in memory, `method` lowers one method after another into a `body`, and
//! `start` writes how the program, its threads and its classes begin (`pure` says which classes may be
//! initialised at once).

mod body;
mod input;
mod known;
mod lambda;
mod layout;
mod method;
mod models;
mod monitors;
mod options;
mod program;
mod pure;
mod reach;
mod sources;
mod start;
mod throws;
mod value;
mod world;

pub use input::is_java;
pub use options::{Failure, Options};

use std::path::PathBuf;

use input::Input;
use program::Lowering;
use selvedge_ir::{Assumed, Assumption, Program, Span};
use selvedge_java_classes::MethodRef;
use sources::Sources;

/// Reads the files as one program and lowers it.
pub fn compile(files: &[PathBuf], options: &Options) -> Result<Program, Failure> {
    let Input { world, main, sources, name } = input::read(files, options)?;
    let main = MethodRef {
        class: main,
        name: "main".to_owned(),
        descriptor: "([Ljava/lang/String;)V".to_owned(),
    };
    let reach = reach::reach(&world, &main, &options.properties);
    let sources = Sources::new(sources);
    let mut lowering = Lowering::new(&world, &reach, options, &sources, name);
    start::declare(&mut lowering);
    start::want(&mut lowering, &main);
    while let Some((found, id, span)) = lowering.next_wanted() {
        method::lower(&mut lowering, &found, id, span);
    }
    start::define(&mut lowering, &main);
    let mut program = lowering.program;
    if reach.reads_arguments {
        program.assumed.push(Assumed { what: Assumption::FewArguments, span: Span::NONE });
    }
    program.checks = Some(options.properties.clone());
    match world.problems.borrow().first() {
        Some(problem) => Err(Failure::new(problem.clone())),
        None => Ok(program),
    }
}
