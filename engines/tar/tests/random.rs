//! `tar` against `explore` on random small programs.
//!
//! Verdicts must be the same wherever both have one; every proof must be accepted by the checker of
//! certificates, every violation has been replayed. `SELVEDGE_RANDOM=1000` for more,
//! `SELVEDGE_SEED` to start elsewhere, `SELVEDGE_JOBS` for several at once. Disagreements are shown
//! as they are found, and now and then how far it has come.

use std::collections::BTreeMap;

use selvedge_ir::{Program, Property, text};
use selvedge_random as random;
use selvedge_verdict::{Budget, Options, Run, Stop, Verdict};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Conclusion {
    Safe,
    Unsafe,
    /// Without a verdict, for this reason.
    Open(String),
    Defect(String),
}

impl Conclusion {
    fn of(verdict: Result<Verdict, Stop>) -> Conclusion {
        match verdict {
            Ok(Verdict::Safe(_)) => Conclusion::Safe,
            Ok(Verdict::Unsafe(_)) => Conclusion::Unsafe,
            Err(stop) if stop.is_defect() => Conclusion::Defect(stop.to_string()),
            Err(stop) => Conclusion::Open(stop.to_string()),
        }
    }
}

fn reference(program: &Program, properties: &[Property]) -> Conclusion {
    let own = selvedge_explore::Own {
        max_states: Some(100_000),
        walks: false,
        ..selvedge_explore::Own::default()
    };
    let mut run = Run::silent(Budget::unlimited());
    let verdict = selvedge_explore::verify(program, &Options::with(properties, own), &mut run);
    Conclusion::of(verdict)
}

fn by_tar(program: &Program, properties: &[Property]) -> Conclusion {
    let mut run = Run::silent(Budget::work(5_000_000));
    Conclusion::of(selvedge_tar::verify(program, &Options::new(properties), &mut run))
}

fn disagreement(program: &Program, properties: &[Property]) -> Result<Conclusion, String> {
    let found = by_tar(program, properties);
    match (&found, reference(program, properties)) {
        (Conclusion::Defect(what), _) => Err(what.clone()),
        (Conclusion::Safe, Conclusion::Unsafe) => Err("a violation is called safe".into()),
        (Conclusion::Unsafe, Conclusion::Safe) => Err("a violation of a correct program".into()),
        _ => Ok(found),
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What a campaign has come to so far.
#[derive(Default)]
struct Tally {
    programs: u64,
    safe: u64,
    violated: u64,
    open: BTreeMap<String, u64>,
    wrong: Vec<String>,
}

impl Tally {
    /// Every so many programs are worth a line.
    const STRIDE: u64 = 100;

    fn one(&mut self, seed: u64) {
        let program = random::mixed(seed);
        let mut properties = random::properties(seed);
        properties.retain(|property| *property != Property::Deadlock);
        if properties.is_empty() {
            properties.push(Property::Assert);
        }
        self.programs += 1;
        match disagreement(&program, &properties) {
            Ok(Conclusion::Safe) => self.safe += 1,
            Ok(Conclusion::Unsafe) => self.violated += 1,
            Ok(Conclusion::Open(why) | Conclusion::Defect(why)) => {
                *self.open.entry(why).or_default() += 1
            }
            Err(what) => {
                let mut shows = |p: &Program| disagreement(p, &properties).is_err();
                let small = random::shrink(&program, &mut shows);
                let text = text::print(&small);
                let wrong = format!("seed {seed}, {properties:?}: {what}\n{text}");
                println!("disagreement: {wrong}");
                self.wrong.push(wrong);
            }
        }
    }

    fn line(&self, seed: u64) -> String {
        let Tally { programs, safe, violated, open, wrong } = self;
        let open: u64 = open.values().sum();
        format!(
            "up to seed {seed}: {programs} programs, {safe} proved, {violated} violated, \
             {open} open, {} disagreements",
            wrong.len()
        )
    }

    fn add(&mut self, other: Tally) {
        self.programs += other.programs;
        self.safe += other.safe;
        self.violated += other.violated;
        for (why, count) in other.open {
            *self.open.entry(why).or_default() += count;
        }
        self.wrong.extend(other.wrong);
    }
}

/// Every `jobs`th seed, from one on.
fn campaign(from: u64, until: u64, jobs: u64) -> Tally {
    let mut tally = Tally::default();
    for seed in (from..until).step_by(jobs as usize) {
        tally.one(seed);
        if tally.programs % Tally::STRIDE == 0 {
            println!("{}", tally.line(seed));
        }
        if tally.wrong.len() >= 3 {
            break;
        }
    }
    tally
}

#[test]
fn tar_agrees_with_explore() {
    let (from, count) = (number("SELVEDGE_SEED", 0), number("SELVEDGE_RANDOM", 60));
    let jobs = number("SELVEDGE_JOBS", 1).max(1);
    let mut all = Tally::default();
    std::thread::scope(|scope| {
        let start = |job| scope.spawn(move || campaign(from + job, from + count, jobs));
        let running: Vec<_> = (0..jobs).map(start).collect();
        running.into_iter().for_each(|job| all.add(job.join().expect("a job ends")));
    });
    println!("{}", all.line(from + count));
    all.open.iter().for_each(|(why, count)| println!("{count} times open: {why}"));
    assert!(all.wrong.is_empty(), "{}", all.wrong.join("\n"));
    let verdicts = all.safe + all.violated;
    assert!(verdicts > count / 4, "hardly a verdict: the programs test nothing");
}
