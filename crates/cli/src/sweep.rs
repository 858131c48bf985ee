//! A verdict for each property, by several questions within one budget.
//!
//! First all properties are asked for at once: most programs are correct or go wrong soon, and one
//! search or one proof then answers for all. A violation settles its property, and the question is
//! asked again without it. What cannot be settled together is asked for one by one, because a
//! property that resists must not keep the others from their answers.
//!
//! Where machine integers gave no answer, a part of the time is for integers without bounds. A proof
//! about these is told beside the answer and is none.
//!
//! An execution that does what C leaves undefined violates `memory`, whether or not that was asked
//! for: the other questions can then be answered only up to there.

use std::time::Instant;

use selvedge_engines::Engine;
use selvedge_exec::Trace;
use selvedge_ir::{Program, Property};
use selvedge_report::{Answer, PropertyAnswer, Report, Supposing};
use selvedge_verdict::{Budget, Integers, Stop};

use crate::args::{Format, Method, Verify};
use crate::auto::{AUTO, Ended, FIRST_TURN, Heard, LEAST, Question};
use crate::status::Refusal;
use crate::summary::summary;
use crate::{answer, assumptions, files, guard, interrupt, question};

/// All properties together get this share of the time that is left.
const TOGETHER: f64 = 0.5;

/// Machine integers get this share of the time where integers without bounds may be asked about.
const MACHINE: f64 = 0.9;

/// Answers for each property that is asked for.
pub fn verify(options: &Verify, start: Instant) -> Result<Report, Refusal> {
    let budget = question::budget(options);
    let asked = options.clone();
    let loaded =
        guard::run(budget, move |_| question::load(&asked).map(|input| input.program), |_| {});
    let properties = &options.checks.properties.0;
    let report = match loaded {
        Ok(program) => all(&program?, options, budget, start)?,
        Err(stop) => {
            let unknown = Report::unknown(stop, None);
            Report { engine: Some(AUTO.to_owned()), ..unknown }.of_each(properties)
        }
    };
    Ok(Report { seconds: start.elapsed().as_secs_f64(), ..report })
}

fn all(
    program: &Program,
    options: &Verify,
    budget: Budget,
    start: Instant,
) -> Result<Report, Refusal> {
    let notes = answer::notes(program);
    if options.output.format == Format::Text {
        answer::tell_notes(&notes);
    }
    let mut sweep = Sweep {
        program,
        options,
        budget,
        open: options.checks.properties.0.clone(),
        settled: Vec::new(),
        told: Vec::new(),
        supposed: Vec::new(),
        sought: false,
        certificates: 0,
    };
    match options.limit() {
        None if options.work.is_none() && sweep.open.len() > 1 => sweep.without_end()?,
        limit => sweep.round(limit.map(|limit| start + limit))?,
    }
    Ok(Report { notes, ..sweep.report() })
}

struct Sweep<'a> {
    program: &'a Program,
    options: &'a Verify,
    budget: Budget,
    open: Vec<Property>,
    /// The last word on each property; those that are open may get another one.
    settled: Vec<(Property, PropertyAnswer)>,
    /// What engines with a verdict reported.
    told: Vec<Report>,
    /// What was proved about integers without bounds.
    supposed: Vec<(Property, Supposing)>,
    /// Whether the trace of undefined behaviour was looked for.
    sought: bool,
    /// How many were written.
    certificates: usize,
}

impl Sweep<'_> {
    /// Rounds that grow, until nothing is open or no engine asks for more time.
    fn without_end(&mut self) -> Result<(), Refusal> {
        let mut turn = FIRST_TURN;
        loop {
            self.round(Some(Instant::now() + turn))?;
            let wants_time = |(property, answer): &(Property, PropertyAnswer)| {
                let attempts = answer.attempts.iter().any(|attempt| attempt.stop.wants_time());
                self.open.contains(property) && attempts
            };
            if interrupt::raised() || !self.settled.iter().any(wants_time) {
                return Ok(());
            }
            turn *= 2;
        }
    }

    /// All that is open together, then one by one.
    fn round(&mut self, end: Option<Instant>) -> Result<(), Refusal> {
        while self.open.len() > 1 && in_time(end) {
            let open = self.open.clone();
            if !self.ask(&open, part(end, TOGETHER))? {
                break;
            }
        }
        for (index, property) in self.open.clone().into_iter().enumerate() {
            // Another question may have settled it meanwhile.
            let left = self.open.iter().filter(|&&open| open >= property).count();
            let known = self.settled.iter().any(|(known, _)| *known == property);
            let first = index == 0 && !known;
            if self.open.contains(&property) && (first || in_time(end)) {
                self.alone(property, part(end, 1.0 / left.max(1) as f64))?;
            }
        }
        Ok(())
    }

    /// Asks for one property, then about integers without bounds.
    fn alone(&mut self, property: Property, end: Option<Instant>) -> Result<(), Refusal> {
        if !self.may_suppose(property) {
            return self.ask(&[property], end).map(|_| ());
        }
        self.ask(&[property], part(end, MACHINE))?;
        let hopeless = |(known, answer): &(Property, PropertyAnswer)| {
            let stop = answer.stop.as_ref();
            *known == property && stop.is_some_and(Stop::is_about_execution)
        };
        if self.open.contains(&property) && in_time(end) && !self.settled.iter().any(hopeless) {
            self.suppose(property, end)?;
        }
        Ok(())
    }

    /// Whether integers without bounds may make a difference, and somebody knows them.
    fn may_suppose(&self, property: Property) -> bool {
        let Verify { int, engine, .. } = self.options;
        let known = self.supposed.iter().any(|(known, _)| *known == property);
        let someone =
            Engine::ALL.into_iter().any(|e| e.knows(Integers::Math) && e.checks(property));
        let auto = (*int, *engine) == (Integers::Machine, Method::Auto);
        auto && someone && !known && answer::computes(self.program)
    }

    fn suppose(&mut self, property: Property, end: Option<Instant>) -> Result<(), Refusal> {
        let mut options = self.options.clone();
        options.int = Integers::Math;
        options.evidence.certificate = None;
        let Sweep { program, budget, .. } = self;
        let (options, properties) = (&options, &[property]);
        let question = Question { program, options, properties, end, undefined: false };
        if let Heard::Verdict(ended, _) = question.ask(budget)?
            && let Some(report) = ended.verdict().filter(|told| told.verdict == Answer::Safe)
        {
            let engine = ended.engine.name().to_owned();
            let reason =
                report.properties.first().map_or(&report.reason, |answer| &answer.reason).clone();
            let assumptions = report.assumptions.clone();
            self.supposed.push((property, Supposing { engine, reason, assumptions }));
        }
        Ok(())
    }

    /// Asks for some properties; whether that has settled any.
    fn ask(&mut self, properties: &[Property], end: Option<Instant>) -> Result<bool, Refusal> {
        if self.nobody_waits() {
            return Ok(true);
        }
        let undefined = !self.sought && !properties.contains(&Property::Memory);
        match self.question(properties, end, undefined)? {
            Heard::Verdict(ended, about) => Ok(self.hear(&ended, &about)),
            Heard::Open(report) => {
                if undefined && matches!(report.stop, Some(Stop::Undefined { .. })) {
                    self.sought = true;
                    self.seek(properties, end)?;
                    return Ok(true);
                }
                let placed = |stop: &Stop| stop.is_about_execution() && stop.span().is_some();
                let last = properties.len() > 1 && report.stop.as_ref().is_some_and(placed);
                for &property in properties {
                    self.note(property, report.about(property));
                    self.open.retain(|&open| open != property || !last);
                }
                Ok(last)
            }
        }
    }

    /// Where no thread can ever wait there is no deadlock, as long as nothing undefined happens, and
    /// every proof excludes that.
    fn nobody_waits(&mut self) -> bool {
        let safe = |(_, answer): &&(Property, PropertyAnswer)| answer.verdict == Answer::Safe;
        let asked = self.open.contains(&Property::Deadlock);
        let Some((_, proved)) = self.settled.iter().find(safe).filter(|_| asked) else {
            return false;
        };
        let nobody = !answer::waits(self.program);
        if nobody {
            let engine = proved.engine.clone();
            let report = Report { engine, ..Report::new(Answer::Safe, answer::NOBODY_WAITS) };
            self.settle(Property::Deadlock, report.about(Property::Deadlock));
        }
        nobody
    }

    fn question(
        &self,
        properties: &[Property],
        end: Option<Instant>,
        undefined: bool,
    ) -> Result<Heard, Refusal> {
        let Sweep { program, options, .. } = *self;
        Question { program, options, properties, end, undefined }.ask(&self.budget)
    }

    /// Looks for the trace of undefined behaviour that an engine came upon.
    fn seek(&mut self, asked: &[Property], end: Option<Instant>) -> Result<(), Refusal> {
        let left = end.or(self.options.work.is_none().then(|| Instant::now() + FIRST_TURN));
        if let Heard::Verdict(ended, _) = self.question(&[Property::Memory], left, false)?
            && let Some(report) = ended.verdict().filter(|told| told.verdict == Answer::Unsafe)
        {
            let report = report.clone();
            self.undefined(&report, asked);
        }
        Ok(())
    }

    /// Takes up a verdict; whether it settles a property.
    fn hear(&mut self, ended: &Ended, about: &[Property]) -> bool {
        let Some(report) = ended.verdict() else { return false };
        match (report.verdict, report.violated()) {
            (Answer::Unsafe, Some(violated)) if about.contains(&violated) => {
                self.settle(violated, report.about(violated));
                self.told.push(report.clone());
            }
            (Answer::Unsafe, _) => self.undefined(report, about),
            _ => {
                self.keep_certificate(ended, about);
                for property in &report.properties {
                    let known = about.iter().find(|known| known.name() == property.property);
                    if let Some(known) = known {
                        self.settle(*known, property.clone());
                    }
                }
                self.told.push(report.clone());
            }
        }
        true
    }

    /// A violation of a property that was not asked for: nothing can be claimed behind it. Where one
    /// property is asked for, it is the answer.
    fn undefined(&mut self, report: &Report, asked: &[Property]) {
        let Some(violated) = report.violated() else { return };
        let known = |(property, _): &(Property, PropertyAnswer)| *property == violated;
        match self.options.checks.properties.0.as_slice() {
            [only] => self.settle(*only, report.about(*only)),
            _ if !self.settled.iter().any(known) => self.settle(violated, report.about(violated)),
            _ => {
                for &property in asked {
                    let reason = format!("undefined behaviour: {}", report.reason);
                    let open = Report::new(Answer::Unknown, reason).about(property);
                    self.settle(property, open);
                }
                return;
            }
        }
        self.told.push(report.clone());
    }

    /// The last word on a property.
    fn settle(&mut self, property: Property, answer: PropertyAnswer) {
        self.open.retain(|&open| open != property);
        self.note(property, answer);
    }

    fn note(&mut self, property: Property, mut answer: PropertyAnswer) {
        let unknown = answer.verdict == Answer::Unknown;
        if unknown && property == Property::Assert && !answer::asserts(self.program) {
            answer.reason = format!("{}; {}", answer.reason, answer::NO_ASSERTIONS);
        }
        self.settled.retain(|(known, _)| *known != property);
        self.settled.push((property, answer));
    }

    /// The first certificate goes where the user wants it, others beside it.
    fn keep_certificate(&mut self, ended: &Ended, about: &[Property]) {
        let Some(path) = &self.options.evidence.certificate else { return };
        let names: Vec<&str> = about.iter().map(|property| property.name()).collect();
        let path = match self.certificates {
            0 => path.clone(),
            _ => files::beside(path, &names.join("-")),
        };
        if ended.keep_certificate(&path) {
            self.certificates += 1;
        }
    }

    fn report(mut self) -> Report {
        for property in std::mem::take(&mut self.open) {
            if !self.settled.iter().any(|(known, _)| *known == property) {
                let stop = match (interrupt::raised(), self.options.limit()) {
                    (false, Some(limit)) => Stop::Time { limit },
                    _ => Stop::Interrupted,
                };
                self.note(property, Report::unknown(stop, None).about(property));
            }
        }
        self.settled.sort_by_key(|(property, _)| *property);
        let with = |(property, answer): (Property, PropertyAnswer)| {
            let mut supposed = self.supposed.iter().filter(|(known, _)| *known == property);
            let unknown = answer.verdict == Answer::Unknown;
            let supposing = supposed.next().filter(|_| unknown).map(|(_, proof)| proof.clone());
            PropertyAnswer { supposing, ..answer }
        };
        let answers: Vec<PropertyAnswer> = self.settled.into_iter().map(with).collect();
        let mut assumptions = assumptions::of_all(&self.told);
        assumptions.extend(assumptions::of_races(&answers));
        Report { assumptions, ..summary(answers, self.told) }
    }
}

/// Until when a question may take that gets a share of the time until `end`.
fn part(end: Option<Instant>, share: f64) -> Option<Instant> {
    end.map(|end| {
        let now = Instant::now();
        now + end.saturating_duration_since(now).mul_f64(share)
    })
}

fn in_time(end: Option<Instant>) -> bool {
    !interrupt::raised() && end.is_none_or(|end| end > Instant::now() + LEAST)
}

/// The traces of a report that belong into files: the first one first.
pub fn traces(report: &Report) -> impl Iterator<Item = (&str, &Trace)> {
    let violated = |answer: &PropertyAnswer| answer.verdict == Answer::Unsafe;
    let with = report.properties.iter().filter(move |answer| violated(answer));
    with.filter_map(|answer| Some((answer.property.as_str(), answer.trace.as_ref()?)))
}
