//! One random execution: random schedule, random inputs, the same for the same seed.

use selvedge_ir::{Const, Expr, Program, Property, Span, Type};

use crate::machine::{Machine, Options, Scratch, StepResult};
use crate::oracle::{Choice, Input, Oracle, Visible};
use crate::replay::record;
use crate::rng::Rng;
use crate::state::State;
use crate::stop::Stop;
use crate::trace::{Outcome, ScheduleEntry, Trace, VisibleStep};
use crate::value::{ThreadId, Value};

/// How long a run may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Actions and atomic blocks.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 10_000 }
    }
}

/// Runs the program once. The trace is recorded by executing the schedule again, so it replays.
///
/// ```
/// use selvedge_exec::run::{Limits, run};
/// use selvedge_ir::{Property, text};
///
/// let source = "shared x: i32;
///     procedure main() { x := 1; assert x == 2; }
///     thread main main;";
/// let program = text::parse("example.plato", source).expect("a good program");
/// let (trace, outcome) = run(&program, 7, &Limits::default(), &[Property::Assert])?;
/// assert_eq!(outcome.to_string(), "assertion x == 2 fails");
/// assert_eq!(trace.steps[0].event.to_string(), "write x = 1");
/// # Ok::<(), selvedge_exec::Stop>(())
/// ```
pub fn run(
    program: &Program,
    seed: u64,
    limits: &Limits,
    properties: &[Property],
) -> Result<(Trace, Outcome), Stop> {
    let mut rng = Rng::new(seed);
    let any_threads = Some(1 + rng.below(3) as u32);
    let options = Options { any_threads, ..Options::new(properties) };
    let machine = Machine::new(program, options.clone());
    let mut dice = Dice { rng, constants: constants(program), schedule: Vec::new() };
    execute(&machine, &mut dice, limits)?;
    let trace = record(program, &options, &dice.schedule)
        .map_err(|d| Stop::Unconfirmed { what: d.to_string() })?;
    let outcome = trace.outcome.clone();
    Ok((trace, outcome))
}

/// Lets threads act until something ends the execution.
fn execute(machine: &Machine<'_>, dice: &mut Dice, limits: &Limits) -> Result<(), Stop> {
    let mut state = machine.initial()?;
    let mut scratch = Scratch::default();
    let mut current = ThreadId::NONE;
    for _ in 0..limits.steps {
        if machine.options.checks(Property::Race)
            && matches!(machine.race(&state, &mut scratch), Ok(Some(_)))
        {
            return Ok(());
        }
        let Some((thread, result)) = move_one(machine, &mut state, dice, &mut scratch, current)
        else {
            return Ok(());
        };
        current = thread;
        match result {
            StepResult::Moved | StepResult::Ended => {}
            _ => return Ok(()),
        }
    }
    Ok(())
}

/// Lets some thread act that can; none if none can. The current thread is more often continued than
/// interrupted: most errors need few context switches.
fn move_one(
    machine: &Machine<'_>,
    state: &mut State,
    dice: &mut Dice,
    scratch: &mut Scratch,
    current: ThreadId,
) -> Option<(ThreadId, StepResult)> {
    let mut ready: Vec<ThreadId> =
        state.thread_ids().filter(|t| !state.thread(*t).ended()).collect();
    if let Some(at) = ready.iter().position(|t| *t == current)
        && !dice.rng.one_in(3)
    {
        let last = ready.len() - 1;
        ready.swap(at, last);
    } else {
        shuffle(&mut ready, &mut dice.rng);
    }
    while let Some(thread) = ready.pop() {
        let mut may_move = true;
        while may_move {
            match machine.block_step(state, thread, dice, scratch) {
                // Other choices inside the block may have let it through.
                StepResult::Blocked(_) => {
                    may_move = matches!(machine.why_blocked(state, thread, scratch), Ok(None));
                }
                result => return Some((thread, result)),
            }
            may_move &= !dice.rng.one_in(64);
        }
        shuffle(&mut ready, &mut dice.rng);
    }
    None
}

fn shuffle(threads: &mut [ThreadId], rng: &mut Rng) {
    for i in (1..threads.len()).rev() {
        threads.swap(i, rng.below(i as u64 + 1) as usize);
    }
}

/// The integers that the program compares and computes with, and their neighbours.
fn constants(program: &Program) -> Vec<u64> {
    let mut found = Vec::new();
    let mut visit = |e: &Expr| {
        if let Expr::Const(Const::Int(bits, _)) = e {
            found.extend([*bits, bits.wrapping_add(1), bits.wrapping_sub(1)]);
        }
    };
    for procedure in program.procedures.values() {
        for (_, edge) in procedure.edges() {
            edge.action.for_each_expr(&mut |e| e.walk(&mut visit));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Decides at random, and records the schedule.
struct Dice {
    rng: Rng,
    constants: Vec<u64>,
    schedule: Vec<ScheduleEntry>,
}

impl Oracle for Dice {
    fn choose(&mut self, n: usize, _what: Choice) -> usize {
        self.rng.below(n as u64) as usize
    }

    fn input(&mut self, ty: Type, _span: Span) -> Input {
        let bits = match ty {
            Type::Bool => self.rng.below(2),
            Type::Ptr | Type::Thread => 0,
            Type::Int(int) => {
                let drawn = match self.rng.below(8) {
                    0..=2 => self.rng.below(4),
                    3..=5 if !self.constants.is_empty() => *self.rng.pick(&self.constants),
                    6 => int.wrap(if self.rng.one_in(2) { int.min() } else { int.max() }),
                    _ => self.rng.next(),
                };
                drawn & int.mask()
            }
        };
        Input::Bits(bits)
    }

    fn visible(&mut self, action: Visible) {
        let input = action.input.map(|v| if let Value::Int(bits) = v { bits } else { 0 });
        self.schedule.push(ScheduleEntry {
            thread: action.thread.0,
            visible: VisibleStep { choice: action.choice, input, older: action.older },
        });
    }

    fn taken_back(&mut self, count: usize) {
        self.schedule.truncate(self.schedule.len() - count);
    }
}

#[cfg(test)]
mod tests {
    use selvedge_ir::text;

    use super::*;
    use crate::replay::{ReplayResult, replay};
    use selvedge_random as random;

    fn parsed(source: &str) -> Program {
        text::parse("test.plato", source).unwrap_or_else(|e| panic!("{e:?}"))
    }

    fn outcomes(source: &str, properties: &[Property]) -> Vec<String> {
        let program = parsed(source);
        let mut found: Vec<String> = (0..40)
            .map(|seed| run(&program, seed, &Limits::default(), properties).unwrap().1.to_string())
            .collect();
        found.sort();
        found.dedup();
        found
    }

    #[test]
    fn a_lost_update_is_found() {
        let source = "shared x: i32;
            procedure inc() { local t: i32; t := x; x := t + 1; }
            procedure main() { local a: thread; local b: thread;
                a := spawn inc(); b := spawn inc(); join a; join b; assert x == 2 \"sum\"; }
            thread main main;";
        let found = outcomes(source, &[Property::Assert]);
        assert_eq!(found, ["assertion fails: sum", "finished without error"]);
    }

    #[test]
    fn every_kind_of_end() {
        let check = |body: &str, expected: &[&str]| {
            let source = format!("shared x: i32; procedure main() {{ {body} }} thread main main;");
            assert_eq!(outcomes(&source, &[Property::Deadlock]), expected, "{body}");
        };
        check("skip;", &["finished without error"]);
        check("while (true) { x := 1; }", &["step limit reached"]);
        check("local n: i32; havoc n; assume n != n;", &["an assumption does not hold"]);
        check("wait x == 1;", &["deadlock: T1 waits for a condition, and no thread can move"]);
        check("unsupported \"asm\";", &["unsupported: asm"]);
        let blocked = "procedure main() { wait false; } thread main main;";
        assert_eq!(outcomes(blocked, &[]), ["no thread can move"]);
    }

    #[test]
    fn inputs_hit_the_constants_of_the_program() {
        let source = "procedure main() { local n: u64; havoc n; assert n != 123456789u64 \"hit\"; }
            thread main main;";
        assert_eq!(outcomes(source, &[Property::Assert])[0], "assertion fails: hit");
    }

    #[test]
    fn the_same_seed_gives_the_same_trace() {
        let program = random::program(5);
        let again = || run(&program, 7, &Limits::default(), &Property::ALL).unwrap().0;
        assert_eq!(again(), again());
    }

    #[test]
    fn random_runs_replay() {
        for seed in 0..400 {
            let program = random::program(seed);
            let properties = random::properties(seed);
            let limits = Limits { steps: 300 };
            let (trace, outcome) = run(&program, seed, &limits, &properties)
                .unwrap_or_else(|stop| panic!("seed {seed}: {stop}"));
            let json = Trace::from_json(&trace.to_json()).expect("what was written can be read");
            assert_eq!(json, trace);
            assert_eq!(replay(&trace), Ok(ReplayResult::Recurs(outcome)), "seed {seed}");
        }
    }
}
