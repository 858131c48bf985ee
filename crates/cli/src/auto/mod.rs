//! One question to the engines that fit it, two at a time, until one has a verdict. Who asks which
//! questions is [`crate::sweep`]'s business.
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
use selvedge_ir::{Program, Property};
use selvedge_report::{Attempt as Told, Report};
use selvedge_verdict::{Budget, Integers, Stop};

use crate::args::{Method, Verify};
use crate::progress::ProgressLine;
use crate::status::{Refusal, Status};
use crate::{answer, interrupt};
use attempt::{Attempt, Failure};
use plan::{Slice, plan};

pub use attempt::Ended;

/// In reports, where no single engine stands for the answer.
pub const AUTO: &str = "auto";

/// How many engines run at a time.
const AT_ONCE: usize = 2;
const LOOK: Duration = Duration::from_millis(5);

/// The first engine is alone for so long: small programs are decided by then, in the same way each
/// time.
const HEAD_START: Duration = Duration::from_millis(400);

/// Where there is no limit, engines get turns of growing length, this for the first.
pub const FIRST_TURN: Duration = Duration::from_secs(60);

/// An engine that has less than this gets to nothing.
pub const LEAST: Duration = Duration::from_millis(100);

/// What is asked of the engines that fit.
pub struct Question<'a> {
    pub program: &'a Program,
    pub options: &'a Verify,
    pub properties: &'a [Property],
    /// When the answer is wanted; none where the engines may take as long as they like.
    pub end: Option<Instant>,
    /// Whether an execution that does what C leaves undefined is answer enough.
    pub undefined: bool,
}

/// What the engines say.
pub enum Heard {
    /// A verdict on these properties.
    Verdict(Ended, Vec<Property>),
    /// No verdict, and why.
    Open(Report),
}

impl Question<'_> {
    /// Asks the engines that fit.
    pub fn ask(&self, budget: &Budget) -> Result<Heard, Refusal> {
        let share = match self.options.engine {
            Method::Auto => AT_ONCE as u64,
            Method::One(_) => 1,
        };
        let memory = budget.memory.unwrap_or(u64::MAX) / share;
        let mut auto = Auto { question: self, begun: Instant::now(), memory, ended: Vec::new() };
        let slices = plan(self.program, self.options, self.properties);
        let decided = match (self.options.work, self.end) {
            (Some(_), end) => auto.in_order(&slices, end)?,
            (None, Some(end)) => auto.turn(&slices, end)?,
            (None, None) => auto.without_end(&slices)?,
        };
        Ok(match decided {
            Some(ended) => {
                let slice = slices.into_iter().find(|slice| slice.engine == ended.engine);
                Heard::Verdict(ended, slice.map_or_else(Vec::new, |slice| slice.properties))
            }
            None => Heard::Open(auto.open()),
        })
    }

    fn name(&self) -> &'static str {
        match self.options.engine {
            Method::Auto => AUTO,
            Method::One(engine) => engine.name(),
        }
    }

    /// Each engine lacks something that is asked for.
    fn no_engine(&self) -> Stop {
        if let (Method::One(engine), [property, ..]) = (self.options.engine, self.properties)
            && !engine.checks(*property)
        {
            return Stop::Property { engine: engine.name().to_owned(), property: *property };
        }
        let names: Vec<&str> = self.properties.iter().map(|p| p.name()).collect();
        let integers = match self.options.int {
            Integers::Machine => "",
            Integers::Math => " with integers without bounds (`--int math`)",
        };
        let what = format!("`{}`{integers}", names.join(","));
        Stop::Option { engine: self.name().to_owned(), what }
    }
}

/// Whether an execution is known that nobody can follow to its end: then there is no proof. What has
/// no place is about the engine after all.
fn goes_wrong(ended: &Ended) -> bool {
    let reason = ended.reason();
    ended.engine == Engine::Explore && reason.is_about_execution() && reason.span().is_some()
}

/// Whether an engine is of use where there is no proof.
fn looks_for_violations(engine: Engine) -> bool {
    engine == Engine::Contexts
}

/// An engine begins anew, so it must get clearly longer than it had.
fn second<T>(again: &mut VecDeque<(T, Duration)>, left: Duration) -> Option<(T, Duration)> {
    let index = again.iter().position(|(_, had)| left > had.mul_f64(1.5))?;
    again.remove(index).map(|(slice, _)| (slice, left))
}

struct Auto<'a> {
    question: &'a Question<'a>,
    begun: Instant,
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
        let mut queue: VecDeque<Slice> = self.waiting(slices).into();
        let mut again: VecDeque<(Slice, Duration)> = VecDeque::new();
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
                let next = match queue.pop_front() {
                    Some(slice) => {
                        let time = slice.time_beside(whole, left, queue.iter());
                        Some((slice, time))
                    }
                    None => second(&mut again, left),
                };
                if let Some((slice, time)) = next {
                    running.push(self.launch(&slice, Some(time.min(left).max(LEAST)))?);
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
                if ended.reason().wants_time()
                    && let Some(slice) = slices.iter().find(|s| s.engine == ended.engine)
                {
                    again.push_back((slice.clone(), Duration::from_secs_f64(ended.seconds)));
                }
                let settles = self.settles(&ended);
                self.note(ended)?;
                if settles {
                    return Ok(None);
                }
            }
            if self.ended.iter().any(goes_wrong) {
                queue.retain(|slice| looks_for_violations(slice.engine));
                running.retain(|attempt| looks_for_violations(attempt.engine));
                again.clear();
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
        let mut plan: Vec<Slice> = slices.to_vec();
        let mut queue: VecDeque<&Slice> = slices.iter().collect();
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
                && let Some(slice) = queue.pop_front()
            {
                running.push_back(self.launch(slice, left.map(|left| left.max(LEAST)))?);
            }
            for index in (0..running.len()).rev() {
                if let Some(ended) = running[index].poll() {
                    running.remove(index);
                    early.push(ended);
                }
            }
            let mut decided = self.hear(&plan, &mut early)?;
            if decided.is_none() && self.ended.iter().any(goes_wrong) {
                let heard = |engine| self.ended.iter().any(|ended| ended.engine == engine);
                plan.retain(|slice| looks_for_violations(slice.engine) || heard(slice.engine));
                early.retain(|ended| looks_for_violations(ended.engine));
                queue.retain(|slice| looks_for_violations(slice.engine));
                running.retain(|attempt| looks_for_violations(attempt.engine));
                decided = self.hear(&plan, &mut early)?;
            }
            let settled = self.ended.iter().any(|ended| self.settles(ended));
            if decided.is_some() || settled || (running.is_empty() && queue.is_empty()) {
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
            // Then fewer engines are heard, however fast the others were.
            if self.ended.last().is_some_and(goes_wrong) {
                break;
            }
        }
        Ok(None)
    }

    /// Engines that have not yet said their last word.
    fn waiting(&self, slices: &[Slice]) -> Vec<Slice> {
        let done =
            |engine| self.ended.iter().any(|e| e.engine == engine && !e.reason().wants_time());
        slices.iter().filter(|slice| !done(slice.engine)).cloned().collect()
    }

    /// Whether an engine without a verdict has said enough: an execution does what C leaves
    /// undefined, or a search that visited every state came to what nobody can decide.
    fn settles(&self, ended: &Ended) -> bool {
        match ended.reason() {
            Stop::Undefined { .. } if self.question.undefined => true,
            _ => self.question.properties.len() > 1 && goes_wrong(ended),
        }
    }

    fn launch(&self, slice: &Slice, time: Option<Duration>) -> Result<Attempt, Refusal> {
        let started = Attempt::start(slice, time, self.memory, self.question.options);
        started.map_err(|error| {
            let name = slice.engine.name();
            let message = format!("error: cannot start the engine {name}: {error}\n");
            Refusal { status: Status::Unknown, message }
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

    /// What each engine covered and what stopped it.
    fn open(&self) -> Report {
        let told = |ended: &Ended| Told {
            engine: ended.engine.name().to_owned(),
            reason: ended.words(),
            stop: ended.reason(),
            seconds: ended.seconds,
        };
        let attempts: Vec<Told> = self.ended.iter().map(told).collect();
        let report = match self.whole_reason(&attempts) {
            Some(stop) => answer::unknown(&stop, self.question.program),
            None => Report::new(selvedge_report::Answer::Unknown, "no engine came to a verdict"),
        };
        Report { engine: Some(self.question.name().to_owned()), attempts, ..report }
    }

    /// The reason that stands for those of all engines, if one does.
    fn whole_reason(&self, attempts: &[Told]) -> Option<Stop> {
        if interrupt::raised() {
            return Some(Stop::Interrupted);
        }
        if attempts.is_empty() {
            return Some(self.question.no_engine());
        }
        // What an execution was found to come to says more than what an engine cannot do.
        let explored =
            |ended: &&Ended| ended.engine == Engine::Explore && ended.reason().is_about_execution();
        let said = self.ended.iter().find(|ended| self.settles(ended) || explored(ended));
        if let Some(ended) = said {
            return Some(ended.reason());
        }
        if let (Method::One(_), [told]) = (self.question.options.engine, attempts) {
            // The user is told the whole limit, not a share of it.
            return Some(match (&told.stop, self.question.options.limit()) {
                (Stop::Time { .. }, Some(limit)) => Stop::Time { limit },
                (stop, _) => stop.clone(),
            });
        }
        let memory = |told: &Told| matches!(told.stop, Stop::Memory { .. });
        let time = |told: &Told| matches!(told.stop, Stop::Time { .. });
        let had = self.question.end.map(|end| end.saturating_duration_since(self.begun));
        let late = had.is_some_and(|had| self.begun.elapsed() + LEAST >= had);
        match (self.question.options.work, self.question.options.limit().or(had)) {
            (Some(_), Some(limit)) if attempts.iter().any(time) => Some(Stop::Time { limit }),
            (Some(limit), _) if attempts.iter().any(|told| told.stop.wants_time()) => {
                Some(Stop::Work { limit })
            }
            (None, Some(limit)) if late => Some(Stop::Time { limit }),
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
