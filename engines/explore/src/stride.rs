//! One transition of the search.

use selvedge_exec::{Machine, Oracle, Scratch, Script, State, StepResult, Stop, ThreadId};

/// What came of a stride.
pub struct Stride {
    pub result: StepResult,
    /// What the thread would do next, if that cannot be followed.
    pub stop: Option<Box<Stop>>,
    /// Where the stride is shorter than a macro-step: of how many actions or atomic blocks it is.
    pub blocks: Option<usize>,
}

/// A macro-step of the thread, by the script's choices, from `state` to `next`. The two must be equal
/// before.
///
/// One that comes to something that cannot be followed ends before it, like one that blocks:
/// `Joined` locations promise nothing about executions that are cut short, and what others do
/// meanwhile must not be lost with it.
pub fn stride(
    machine: &Machine,
    state: &State,
    next: &mut State,
    thread: ThreadId,
    script: &mut Script,
    scratch: &mut Scratch,
) -> Stride {
    let stop = match machine.macro_step(next, thread, script, scratch) {
        StepResult::Stop(stop) => stop,
        result => return Stride { result, stop: None, blocks: None },
    };
    let choices: Vec<u32> = script.taken().collect();
    let mut again = Script::following(&choices);
    next.clone_from(state);
    let mut blocks = 0;
    loop {
        scratch.work += next.threads.len() as u64;
        let mut trial = next.clone();
        match machine.block_step(&mut trial, thread, &mut again, scratch) {
            StepResult::Moved => *next = trial,
            _ => break,
        }
        blocks += 1;
    }
    let result = if blocks == 0 { StepResult::Stop(stop.clone()) } else { StepResult::Moved };
    Stride { result, stop: Some(stop), blocks: Some(blocks) }
}

/// Makes `next` equal to `state` again after a stride of one thread: nothing but that thread, memory
/// and the threads it started has changed.
pub fn restore(next: &mut State, state: &State, moved: usize) {
    next.threads.truncate(state.threads.len());
    next.threads[moved].clone_from(&state.threads[moved]);
    next.statics.clone_from(&state.statics);
    next.heap.clone_from(&state.heap);
    next.symbols.clone_from(&state.symbols);
    next.halted = state.halted;
}

/// The same stride again, on the state itself and watched by another oracle with the same choices.
pub fn repeat<O: Oracle>(
    machine: &Machine,
    state: &mut State,
    thread: ThreadId,
    blocks: Option<usize>,
    oracle: &mut O,
    scratch: &mut Scratch,
) {
    match blocks {
        None => {
            machine.macro_step(state, thread, oracle, scratch);
        }
        Some(blocks) => {
            for _ in 0..blocks {
                machine.block_step(state, thread, oracle, scratch);
            }
        }
    }
}
