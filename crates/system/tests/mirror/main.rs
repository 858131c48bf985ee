//! The system of threads against the concrete semantics, on random small programs.
//!
//! A random execution of the machine is mirrored in the system: every path of a thread from one cut
//! location to the next must be a step whose guard holds, and what the step computes must be what
//! the machine has. In the other direction, every step whose guard holds must be one that the
//! machine can do, and every bad step that is not about the system's own limits must be an error of
//! the machine. `SELVEDGE_RANDOM=5000` for more, `SELVEDGE_SEED` to start elsewhere.

mod mirror;
mod programs;
mod race;
mod values;

use selvedge_ir::{Program, Property, text};
use selvedge_passes::{Prepared, prepare};
use selvedge_random::{self as random, Rng};
use selvedge_smt::translate::{Arithmetic, Wrap};
use selvedge_system::{Options, System};

use mirror::{Mirror, Progress};

/// Executions of each program, and moves of each.
const WALKS: u64 = 12;
const MOVES: usize = 60;

/// How often each thing was seen.
#[derive(Debug, Default)]
pub struct Counts {
    pub steps: u64,
    pub errors: u64,
    pub foreseen: u64,
    pub limits: u64,
    pub accesses: u64,
}

fn prepared(seed: u64, program: &Program, properties: &[Property]) -> Prepared {
    let properties = properties.to_vec();
    let fields = seed % 5 == 3;
    prepare(program, &selvedge_passes::Options { properties, fields, ..Default::default() })
}

/// A way to build the system, by the seed.
fn options(seed: u64, prepared: &Prepared, properties: &[Property]) -> Options {
    let mut options = Options::new(properties);
    match seed % 3 {
        0 => {}
        1 => options.arithmetic = Arithmetic::Integers(Wrap::Modular),
        _ => {
            for (id, procedure) in &prepared.program.procedures {
                let every = procedure.edges().filter(|(at, _)| at.from.as_u32() % 2 == 0);
                options.modular.extend(every.map(|(at, _)| (id, at)));
            }
        }
    }
    if seed % 7 == 6 {
        options.arithmetic = Arithmetic::Bits;
    }
    options
}

fn disagreement(
    seed: u64,
    program: &Program,
    properties: &[Property],
    counts: &mut Counts,
) -> Option<String> {
    let prepared = prepared(seed, program, properties);
    let options = options(seed, &prepared, properties);
    let system = match System::build(&prepared, &options) {
        Ok(system) => system,
        Err(_) => {
            counts.limits += 1;
            return None;
        }
    };
    for walk in 0..WALKS {
        let rng = Rng::new(seed.wrapping_mul(1000).wrapping_add(walk));
        let Some(mut mirror) = Mirror::new(&prepared, &system, properties, rng, counts) else {
            continue;
        };
        let mut outcome = Ok(Progress::Moved);
        for _ in 0..MOVES {
            outcome = mirror.races().and_then(|()| mirror.step_back()).and_then(|()| mirror.step());
            if !matches!(outcome, Ok(Progress::Moved)) {
                break;
            }
        }
        if let Err(what) = outcome {
            return Some(format!("{what}\n{}", system.listing(&prepared.program)));
        }
    }
    None
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn programs_with_much_memory_are_mirrored() {
    let mut counts = Counts::default();
    for (number, source) in programs::PROGRAMS.iter().enumerate() {
        let program = text::parse("test.plato", source);
        let program = program.unwrap_or_else(|errors| panic!("program {number}: {errors:?}"));
        let some = [Property::Assert];
        let more = [Property::Assert, Property::Race, Property::Memory];
        for seed in 0..14 {
            let properties = if seed % 2 == 0 { &some[..] } else { &more[..] };
            if let Some(what) = disagreement(seed, &program, properties, &mut counts) {
                panic!("program {number}, seed {seed}: {what}");
            }
        }
    }
    println!("{counts:?}");
    assert!(counts.errors > 200 && counts.foreseen > 400, "{counts:?}");
    assert!(counts.limits < counts.steps / 50, "systems give up too often: {counts:?}");
}

#[test]
fn the_system_does_what_the_machine_does() {
    let (from, count) = (number("SELVEDGE_SEED", 0), number("SELVEDGE_RANDOM", 400));
    let mut counts = Counts::default();
    let mut wrong = Vec::new();
    for seed in from..from + count {
        let program = random::mixed(seed);
        let properties = random::properties(seed);
        let Some(_) = disagreement(seed, &program, &properties, &mut counts) else { continue };
        let mut ignored = Counts::default();
        let mut shows = |p: &Program| disagreement(seed, p, &properties, &mut ignored).is_some();
        let small = random::shrink(&program, &mut shows);
        let what = disagreement(seed, &small, &properties, &mut ignored).unwrap_or_default();
        let text = text::print(&small);
        wrong.push(format!("seed {seed}, {properties:?}: {what}\n{text}"));
        if wrong.len() >= 3 {
            break;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    println!("{counts:?}");
    assert!(counts.steps > 10 * count, "few steps were compared: {counts:?}");
    assert!(counts.accesses > count / 40, "few races were seen: {counts:?}");
    assert!(counts.errors > count / 4, "few errors were seen: {counts:?}");
}
