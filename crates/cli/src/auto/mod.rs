//! `--engine auto`: the engines that fit a program, two at a time, until one has a verdict.
//!
//! Each runs in a process of its own ([`attempt`]) for its share of the time ([`plan()`]). Engines that
//! ran out of theirs get what is left at the end. A verdict needs no second opinion: every engine
//! replays its traces and has its proofs checked before it answers.
//!
//! With a budget of work every engine gets all of it, once, and of several verdicts that of the first
//! engine in the plan counts, so that the answer does not depend on which process is faster.

mod attempt;
mod plan;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use selvedge_engines::Engine;
use selvedge_ir::Program;
use selvedge_report::{Attempt as Told, Report};
use selvedge_verdict::{Budget, Integers, Stop};

use crate::args::{Format, Verify};
use crate::progress::ProgressLine;
use crate::status::{Refusal, Status};
use crate::{answer, guard, interrupt, question};
use attempt::{Attempt, Ended, Failure};
use plan::{Slice, plan};

/// In reports, where no single engine stands for the answer.
const AUTO: &str = "auto";

/// How many engines run at a time.
const AT_ONCE: usize = 2;
const LOOK: Duration = Duration::from_millis(5);

/// The first engine is alone for so long: small programs are decided by then, in the same way each
/// time.
const HEAD_START: Duration = Duration::from_millis(400);

/// Where there is no limit, engines get turns of growing length, this for the first.
const FIRST_TURN: Duration = Duration::from_secs(60);

/// An engine that has less than this gets to nothing.
const LEAST: Duration = Duration::from_millis(100);

pub fn verify(options: &Verify, start: Instant) -> Result<Report, Refusal> {
    let budget = question::budget(options);
    let asked = options.clone();
    let loaded =
        guard::run(budget, move |_| question::load(&asked).map(|input| input.program), |_| {});
    let report = match loaded {
        Ok(program) => ask(&program?, options, budget, start)?,
        Err(stop) => Report { engine: Some(AUTO.to_owned()), ..Report::unknown(stop, None) },
    };
    let properties = options.checks.properties.0.iter().map(ToString::to_string).collect();
    Ok(Report { properties, seconds: start.elapsed().as_secs_f64(), ..report })
}

/// Asks the engines that fit.
fn ask(
    program: &Program,
    options: &Verify,
    budget: Budget,
    start: Instant,
) -> Result<Report, Refusal> {
    let notes = answer::notes(program);
    if options.output.format == Format::Text {
        answer::tell_notes(&notes);
    }
    let memory = budget.memory.unwrap_or(u64::MAX) / AT_ONCE as u64;
    let mut auto = Auto { options, start, memory, ended: Vec::new() };
    let slices = plan(program, options);
    let decided = match (options.work, options.limit()) {
        (Some(_), limit) => auto.in_order(&slices, limit.map(|limit| start + limit))?,
        (None, Some(limit)) => auto.turn(&slices, start + limit)?,
        (None, None) => auto.without_end(&slices)?,
    };
    let report = match decided {
        Some(ended) => auto.told(&ended),
        None => auto.open(program),
    };
    Ok(Report { notes, ..report })
}

/// Each engine lacks something that is asked for.
fn no_engine(options: &Verify) -> Stop {
    let names: Vec<&str> = options.checks.properties.0.iter().map(|p| p.name()).collect();
    let integers = match options.int {
        Integers::Machine => "",
        Integers::Math => " with integers without bounds (`--int math`)",
    };
    Stop::Option { engine: AUTO.to_owned(), what: format!("`{}`{integers}", names.join(",")) }
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
    /// The last word of each engine that has no verdict.
    ended: Vec<Ended>,
}

impl Auto<'_> {
    /// Turns that grow, until no engine asks for more time.
    fn without_end(&mut self, slices: &[Slice]) -> Result<Option<Ended>, Refusal> {
        let mut turn = FIRST_TURN;
        loop {
            let decided = self.turn(slices, Instant::now() + turn)?;
            if decided.is_some() || interrupt::raised() || self.waiting(slices).is_empty() {
                return Ok(decided);
            }
            turn *= 2;
        }
    }

    /// All engines that may still say something, each for its share of the time until `end`.
    fn turn(&mut self, slices: &[Slice], end: Instant) -> Result<Option<Ended>, Refusal> {
        let begun = Instant::now();
        let whole = end.saturating_duration_since(begun);
        let mut queue: VecDeque<(Engine, Duration)> =
            self.waiting(slices).iter().map(|slice| (slice.engine, slice.time(whole))).collect();
        let mut again: VecDeque<(Engine, Duration)> = VecDeque::new();
        let mut running: Vec<Attempt> = Vec::new();
        let mut line = ProgressLine::new();
        loop {
            if interrupt::raised() {
                return self.interrupted(running);
            }
            let left = end.saturating_duration_since(Instant::now());
            let alone = begun.elapsed() < HEAD_START && !running.is_empty();
            let first = running.is_empty() && self.ended.is_empty();
            if running.len() < AT_ONCE && !alone && (left > LEAST || first) {
                let next = queue.pop_front().or_else(|| second(&mut again, left));
                if let Some((engine, time)) = next {
                    running.push(self.launch(engine, Some(time.min(left).max(LEAST)))?);
                }
            }
            if running.is_empty() {
                return Ok(None);
            }
            for index in (0..running.len()).rev() {
                let Some(ended) = running[index].poll() else { continue };
                running.remove(index);
                if ended.verdict().is_some() {
                    return Ok(Some(ended));
                }
                if ended.reason().wants_time() {
                    again.push_back((ended.engine, Duration::from_secs_f64(ended.seconds)));
                }
                self.note(ended)?;
            }
            wait(&running, &mut line);
        }
    }

    /// Each engine once, with all of the work. The verdict of the first engine in the plan that has
    /// one counts, whatever others have found meanwhile.
    fn in_order(
        &mut self,
        slices: &[Slice],
        end: Option<Instant>,
    ) -> Result<Option<Ended>, Refusal> {
        let mut queue: VecDeque<Engine> = slices.iter().map(|slice| slice.engine).collect();
        let mut running: VecDeque<Attempt> = VecDeque::new();
        let mut early: Vec<Ended> = Vec::new();
        let mut line = ProgressLine::new();
        loop {
            if interrupt::raised() {
                // A verdict is one, whoever was to be heard first.
                if let Some(known) = early.iter().position(|ended| ended.verdict().is_some()) {
                    return Ok(Some(early.swap_remove(known)));
                }
                early.drain(..).try_for_each(|ended| self.note(ended))?;
                return self.interrupted(running.into());
            }
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left <= LEAST) && queue.len() < slices.len() {
                queue.clear();
            }
            while running.len() < AT_ONCE
                && let Some(engine) = queue.pop_front()
            {
                running.push_back(self.launch(engine, left.map(|left| left.max(LEAST)))?);
            }
            for index in (0..running.len()).rev() {
                if let Some(ended) = running[index].poll() {
                    running.remove(index);
                    early.push(ended);
                }
            }
            let decided = self.hear(slices, &mut early)?;
            if decided.is_some() || (running.is_empty() && queue.is_empty()) {
                return Ok(decided);
            }
            wait(running.make_contiguous(), &mut line);
        }
    }

    /// Hears those before whom no engine of the plan is still at work, until one has a verdict.
    fn hear(&mut self, slices: &[Slice], early: &mut Vec<Ended>) -> Result<Option<Ended>, Refusal> {
        early.sort_by_key(|ended| slices.iter().position(|s| s.engine == ended.engine));
        while let Some(first) = early.first()
            && slices.get(self.ended.len()).is_some_and(|next| next.engine == first.engine)
        {
            let ended = early.remove(0);
            if ended.verdict().is_some() {
                return Ok(Some(ended));
            }
            self.note(ended)?;
        }
        Ok(None)
    }

    /// Engines that have not yet said their last word.
    fn waiting(&self, slices: &[Slice]) -> Vec<Slice> {
        let done =
            |engine| self.ended.iter().any(|e| e.engine == engine && !e.reason().wants_time());
        slices.iter().filter(|slice| !done(slice.engine)).copied().collect()
    }

    fn launch(&self, engine: Engine, time: Option<Duration>) -> Result<Attempt, Refusal> {
        Attempt::start(engine, time, self.memory, self.options).map_err(|error| Refusal {
            status: Status::Unknown,
            message: format!("error: cannot start the engine {}: {error}\n", engine.name()),
        })
    }

    /// The user does not want to wait: each running engine says what it knows.
    fn interrupted(&mut self, mut running: Vec<Attempt>) -> Result<Option<Ended>, Refusal> {
        let asked = Instant::now();
        running.iter_mut().for_each(Attempt::interrupt);
        while !running.is_empty() && asked.elapsed() < interrupt::PATIENCE {
            for index in (0..running.len()).rev() {
                let Some(ended) = running[index].poll() else { continue };
                running.remove(index);
                if ended.verdict().is_some() {
                    return Ok(Some(ended));
                }
                self.note(ended)?;
            }
            std::thread::sleep(LOOK);
        }
        for mut silent in running {
            self.note(silent.give_up(Stop::Interrupted))?;
        }
        Ok(None)
    }

    /// Takes note of an engine that has no verdict. The newest word of each engine counts.
    fn note(&mut self, mut ended: Ended) -> Result<(), Refusal> {
        match std::mem::replace(&mut ended.answer, Err(Failure::Stopped(Stop::Interrupted))) {
            Err(Failure::Refused(refusal)) => return Err(refusal),
            other => ended.answer = other,
        }
        self.ended.retain(|earlier| earlier.engine != ended.engine);
        self.ended.push(ended);
        Ok(())
    }

    /// The report of the engine that has a verdict.
    fn told(&self, ended: &Ended) -> Report {
        ended.keep_certificate();
        match ended.verdict() {
            Some(report) => report.clone(),
            None => Report::unknown(ended.reason(), None),
        }
    }

    /// What each engine covered and what stopped it.
    fn open(&self, program: &Program) -> Report {
        let told = |ended: &Ended| Told {
            engine: ended.engine.name().to_owned(),
            reason: ended.words(),
            stop: ended.reason(),
            seconds: ended.seconds,
        };
        let attempts: Vec<Told> = self.ended.iter().map(told).collect();
        let report = match self.whole_reason(&attempts) {
            Some(stop) => answer::unknown(&stop, program),
            None => Report::new(selvedge_report::Answer::Unknown, "no engine came to a verdict"),
        };
        Report { engine: Some(AUTO.to_owned()), attempts, ..report }
    }

    /// The reason that stands for those of all engines, if one does.
    fn whole_reason(&self, attempts: &[Told]) -> Option<Stop> {
        if interrupt::raised() {
            return Some(Stop::Interrupted);
        }
        if attempts.is_empty() {
            return Some(no_engine(self.options));
        }
        // What an execution was found to come to says more than what an engine cannot do.
        let explored = attempts.iter().find(|attempt| attempt.engine == Engine::Explore.name());
        if let Some(Told { stop, .. }) = explored.filter(|told| told.stop.is_about_execution()) {
            return Some(stop.clone());
        }
        let memory = |told: &Told| matches!(told.stop, Stop::Memory { .. });
        let time = |told: &Told| matches!(told.stop, Stop::Time { .. });
        match (self.options.work, self.options.limit()) {
            (Some(_), Some(limit)) if attempts.iter().any(time) => Some(Stop::Time { limit }),
            (Some(limit), _) if attempts.iter().any(|told| told.stop.wants_time()) => {
                Some(Stop::Work { limit })
            }
            (None, Some(limit)) if self.start.elapsed() + LEAST >= limit => {
                Some(Stop::Time { limit })
            }
            // More would help these engines, whatever ended the others.
            _ if attempts.iter().any(memory) => {
                Some(Stop::Memory { limit_bytes: self.memory * AT_ONCE as u64 })
            }
            _ => None,
        }
    }
}

fn wait(running: &[Attempt], line: &mut ProgressLine) {
    let names: Vec<&str> = running.iter().map(|attempt| attempt.engine.name()).collect();
    line.tell(&names.join(" and "));
    std::thread::sleep(LOOK);
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
