//! `--engine auto`: the engines that fit a program, two at a time, until one has a verdict.
//!
//! Each runs in a process of its own ([`attempt`]) for its share of the time ([`plan`]). Engines that
//! ran out of theirs get what is left at the end. A verdict needs no second opinion: every engine
//! replays its traces and has its proofs checked before it answers.

mod attempt;
mod plan;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use selvedge_ir::Program;
use selvedge_report::Attempt as Told;

use crate::answer::{Answer, Verdict};
use crate::args::{Engine, Format, Verify};
use crate::progress::ProgressLine;
use crate::status::{Refusal, Status};
use crate::{memory, terminal};
use attempt::{Attempt, Outcome};
use plan::{Slice, plan};

/// What was found: the words of the engine that has a verdict, or an answer that has none.
pub enum Found {
    Decided(Status),
    Open(Box<Answer>),
}

/// How many engines run at a time.
const AT_ONCE: usize = 2;
const LOOK: Duration = Duration::from_millis(5);

/// The first engine is alone for so long: small programs are decided by then, in the same way each
/// time.
const HEAD_START: Duration = Duration::from_millis(400);

/// Where there is no limit, engines get turns of growing length, this for the first.
const FIRST_TURN: Duration = Duration::from_secs(60);

/// How a search says that an execution comes to something that has no meaning here.
const MET: [&str; 2] = ["unsupported", "undefined behaviour"];

pub fn verify(program: &Program, options: &Verify) -> Result<Found, Refusal> {
    let mut auto = Auto {
        options,
        start: Instant::now(),
        memory: options.memory.unwrap_or_else(memory::default_limit) / AT_ONCE as u64,
        ended: Vec::new(),
    };
    let slices = plan(program, options);
    match options.time.0 {
        Some(limit) => auto.turn(&slices, auto.start + limit),
        None => auto.without_end(&slices),
    }
}

/// An engine begins anew, so it must get clearly longer than it had.
fn second(again: &mut VecDeque<(Engine, Duration)>, left: Duration) -> Option<(Engine, Duration)> {
    let index = again.iter().position(|(_, had)| left > had.mul_f64(1.5))?;
    again.remove(index).map(|(engine, _)| (engine, left))
}

struct Auto<'a> {
    options: &'a Verify,
    start: Instant,
    /// For each engine.
    memory: u64,
    ended: Vec<Outcome>,
}

impl Auto<'_> {
    /// Turns that grow, until no engine asks for more time.
    fn without_end(&mut self, slices: &[Slice]) -> Result<Found, Refusal> {
        let mut turn = FIRST_TURN;
        loop {
            let found = self.turn(slices, Instant::now() + turn)?;
            if matches!(found, Found::Decided(_)) || self.waiting(slices).is_empty() {
                return Ok(found);
            }
            turn *= 2;
        }
    }

    /// All engines that may still say something, each for its share of the time until `end`.
    fn turn(&mut self, slices: &[Slice], end: Instant) -> Result<Found, Refusal> {
        let whole = end.saturating_duration_since(Instant::now());
        let begun = Instant::now();
        let mut queue: VecDeque<(Engine, Duration)> =
            self.waiting(slices).iter().map(|slice| (slice.engine, slice.time(whole))).collect();
        let mut again: VecDeque<(Engine, Duration)> = VecDeque::new();
        let mut running: Vec<Attempt> = Vec::new();
        let mut line = ProgressLine::new();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let alone = begun.elapsed() < HEAD_START && !running.is_empty();
            if running.len() < AT_ONCE && !alone && left > Duration::from_millis(500) {
                let next = queue.pop_front().or_else(|| second(&mut again, left));
                if let Some((engine, time)) = next {
                    running.push(self.launch(engine, time.min(left))?);
                }
            }
            if running.is_empty() {
                return Ok(Found::Open(Box::new(self.open())));
            }
            for index in (0..running.len()).rev() {
                let Some(outcome) = running[index].poll(self.options.output.format) else {
                    continue;
                };
                running.remove(index);
                if let Some(found) = self.ended(outcome, &mut again)? {
                    return Ok(found);
                }
            }
            let names: Vec<&str> = running.iter().map(|attempt| attempt.engine.name()).collect();
            line.tell(&names.join(" and "));
            std::thread::sleep(LOOK);
        }
    }

    /// Engines that have not yet said their last word.
    fn waiting(&self, slices: &[Slice]) -> Vec<Slice> {
        let done = |engine| self.ended.iter().any(|o| o.engine == engine && !o.out_of_time);
        slices.iter().filter(|slice| !done(slice.engine)).copied().collect()
    }

    fn launch(&self, engine: Engine, time: Duration) -> Result<Attempt, Refusal> {
        Attempt::start(engine, time, self.memory, self.options).map_err(|error| Refusal {
            status: Status::Unknown,
            message: format!("error: the engine {} cannot be started: {error}\n", engine.name()),
        })
    }

    /// Takes note of an engine's end; tells a verdict.
    fn ended(
        &mut self,
        outcome: Outcome,
        again: &mut VecDeque<(Engine, Duration)>,
    ) -> Result<Option<Found>, Refusal> {
        if let Some(status) = outcome.status {
            outcome.keep_files();
            self.tell(&outcome);
            return Ok(Some(Found::Decided(status)));
        }
        if let Some(status) = outcome.refused {
            return Err(Refusal { status, message: outcome.err.clone() });
        }
        if outcome.out_of_time {
            again.push_back((outcome.engine, Duration::from_secs_f64(outcome.seconds)));
        }
        // The newest word of each engine counts.
        self.ended.retain(|earlier| earlier.engine != outcome.engine);
        self.ended.push(outcome);
        Ok(None)
    }

    fn tell(&self, outcome: &Outcome) {
        if !self.options.contexts.log {
            terminal::complain(&outcome.err);
        }
        if self.options.output.format == Format::Json {
            terminal::print(&outcome.out);
            return;
        }
        let verdict = outcome.out.rfind("verdict: ").unwrap_or(outcome.out.len());
        let (before, verdict) = outcome.out.split_at(verdict);
        let seconds = self.start.elapsed().as_secs_f64();
        let engine = outcome.engine.name();
        terminal::print(&format!("{before}decided by {engine}, {seconds:.2} s\n{verdict}"));
    }

    /// What each engine covered and what stopped it.
    fn open(&self) -> Answer {
        let told = |outcome: &Outcome| Told {
            engine: outcome.engine.name(),
            reason: outcome.reason.clone(),
            seconds: outcome.seconds,
        };
        let attempts: Vec<Told> = self.ended.iter().map(told).collect();
        // What an execution was found to come to says more than what an engine cannot do.
        let met = |o: &&Outcome| MET.iter().any(|words| o.reason.starts_with(words));
        let explored = self.ended.iter().filter(|outcome| outcome.engine == Engine::Explore);
        let reason = match explored.into_iter().find(met) {
            Some(outcome) => outcome.reason.clone(),
            None => "no engine came to a verdict".to_owned(),
        };
        let hint = "`--time SECONDS` gives it longer, `--time 0` as long as it takes";
        let wants = self.ended.iter().any(|outcome| outcome.out_of_time);
        let hint = wants.then(|| hint.to_owned());
        Answer { attempts, hint, ..Answer::new(Verdict::Unknown, reason) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_attempt_is_longer_than_the_first() {
        let seconds = Duration::from_secs;
        let mut again = VecDeque::from([(Engine::Tar, seconds(20)), (Engine::Explore, seconds(5))]);
        assert_eq!(second(&mut again, seconds(6)), None);
        assert_eq!(second(&mut again, seconds(10)), Some((Engine::Explore, seconds(10))));
        assert_eq!(second(&mut again, seconds(40)), Some((Engine::Tar, seconds(40))));
        assert_eq!(second(&mut again, seconds(40)), None);
    }
}
