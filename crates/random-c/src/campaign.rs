//! The campaign over programs of our own, some at a time.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::choices::{self, Choices};
use crate::compilers::{self, CLANG, Compiler, GCC, GCC_PLAIN, GCC_THREADS};
use crate::generate::{self, Kind, Source};
use crate::judge::{Judged, Seen, judge};
use crate::report::{Difference, Report};
use crate::work::Bench;

/// The size of a campaign.
#[derive(Clone, Copy, Debug)]
pub struct Campaign<'a> {
    pub first: u64,
    pub count: u64,
    /// How many workers.
    pub jobs: usize,
    /// How many differences are made small: where there are many, the first few tell enough.
    pub shrink: u64,
    /// Where its files are, and where programs that differ are kept.
    pub folder: &'a Path,
}

/// Programs that are compiled as one file.
const BATCH: u64 = 20;
/// Programs between two lines that say how far a long campaign has come.
const REPORTED: u64 = 500;
/// Real runs of a program with threads.
const RUNS: u32 = 40;
/// Runs of it with ThreadSanitizer.
const CHECKED_RUNS: u32 = 4;
/// Programs that are tried to make a difference small.
const SHRINKS: usize = 200;
/// The front end recurses over the nesting of a program.
const STACK_BYTES: usize = 1 << 28;

/// Compares Selvedge with gcc, and with clang where it is installed.
pub fn own_programs(campaign: Campaign<'_>) -> Report {
    let way = Way { campaign, clang: CLANG.is_installed(), shrunk: AtomicU64::new(0) };
    in_batches(campaign, BATCH, &|seeds, bench| way.batch(seeds, bench))
}

/// What workers share.
struct Way<'a> {
    campaign: Campaign<'a>,
    clang: bool,
    /// Differences that were made small so far.
    shrunk: AtomicU64,
}

/// Lets workers take batches of seeds until there are none left.
pub(crate) fn in_batches(
    campaign: Campaign<'_>,
    size: u64,
    work: &(dyn Fn(&[u64], &Bench) -> Report + Sync),
) -> Report {
    let next = AtomicU64::new(campaign.first);
    let end = campaign.first + campaign.count;
    let total = Mutex::new(Report::default());
    std::thread::scope(|scope| {
        for worker in 0..campaign.jobs.max(1) {
            let (next, total) = (&next, &total);
            let body = move || {
                let Ok(bench) = Bench::new(campaign.folder, worker) else { return };
                loop {
                    let start = next.fetch_add(size, Ordering::Relaxed);
                    if start >= end {
                        break;
                    }
                    let seeds: Vec<u64> = (start..end.min(start + size)).collect();
                    let part = work(&seeds, &bench);
                    let mut total = total.lock().expect("a worker panicked");
                    let before = total.programs;
                    total.add(part);
                    if before / REPORTED != total.programs / REPORTED {
                        let (programs, agree) = (total.programs, total.agree);
                        let (count, differ) = (campaign.count, total.differences.len());
                        eprintln!("{programs} of {count}: {agree} agree, {differ} differ");
                    }
                }
            };
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            thread.spawn_scoped(scope, body).expect("a thread for each worker");
        }
    });
    total.into_inner().expect("a worker panicked")
}

impl Way<'_> {
    fn batch(&self, seeds: &[u64], bench: &Bench) -> Report {
        let mut report = Report { programs: seeds.len() as u64, ..Report::default() };
        let sources: Vec<Source> =
            seeds.iter().map(|seed| generate::program(&mut Choices::random(*seed))).collect();
        let seen = match observe(&sources, self.clang, bench) {
            Ok(seen) => seen,
            Err(message) => {
                let program = format!("seeds {seeds:?}");
                report.differences.push(Difference { seed: seeds[0], what: message, program });
                return report;
            }
        };
        for ((seed, source), seen) in seeds.iter().zip(&sources).zip(&seen) {
            match judge(source, seen, bench) {
                Judged::Agree => report.agree += 1,
                Judged::Open(reason) => *report.open.entry(reason).or_default() += 1,
                Judged::Skipped(reason) => *report.skipped.entry(reason).or_default() += 1,
                Judged::Differ(what) => {
                    eprintln!("seed {seed} differs: {what}");
                    report.differences.push(self.small(*seed, what, bench));
                }
            }
        }
        report
    }

    /// Makes the program of a difference small, unless there are many, and keeps it.
    fn small(&self, seed: u64, what: String, bench: &Bench) -> Difference {
        let mut choices = Choices::random(seed);
        let first = (generate::program(&mut choices), what);
        let made = choices.made();
        let (source, what) =
            match self.shrunk.fetch_add(1, Ordering::Relaxed) < self.campaign.shrink {
                // Without clang it is much faster, if the difference is still there.
                true => [false, self.clang]
                    .into_iter()
                    .find_map(|clang| shrunk(made.clone(), clang, bench))
                    .unwrap_or(first),
                false => first,
            };
        let program = compilers::alone(&source, "(void)sum;");
        keep(self.campaign.folder, &format!("own{seed}.c"), &what, &program);
        Difference { seed, what, program }
    }
}

/// Compiles and runs the programs, those with threads and those without apart.
fn observe(sources: &[Source], clang: bool, bench: &Bench) -> Result<Vec<Seen>, String> {
    let mut seen = vec![Seen::default(); sources.len()];
    let (parallel, sequential): (Vec<usize>, Vec<usize>) =
        (0..sources.len()).partition(|number| sources[*number].kind == Kind::Threads);
    let run = |compiler: Compiler, chosen: &[usize], runs: u32| {
        let programs: Vec<Source> = chosen.iter().map(|number| sources[*number].clone()).collect();
        match programs.is_empty() {
            true => Ok(Vec::new()),
            false => compiler.run(&programs, runs, bench),
        }
    };
    for compiler in [Some(GCC), clang.then_some(CLANG)].into_iter().flatten() {
        for (number, ran) in sequential.iter().zip(run(compiler, &sequential, 1)?) {
            seen[*number].runs.extend(ran);
        }
    }
    for (number, ran) in parallel.iter().zip(run(GCC_PLAIN, &parallel, RUNS)?) {
        seen[*number].runs = ran;
    }
    for (number, ran) in parallel.iter().zip(run(GCC_THREADS, &parallel, CHECKED_RUNS)?) {
        seen[*number].threads = ran;
    }
    Ok(seen)
}

/// The smallest program found with a difference, and what it is.
fn shrunk(made: Vec<u64>, clang: bool, bench: &Bench) -> Option<(Source, String)> {
    let mut last = None;
    let mut shows = |list: &[u64]| {
        let mut choices = Choices::replayed(list.to_vec());
        let source = generate::program(&mut choices);
        let seen = observe(std::slice::from_ref(&source), clang, bench).ok()?;
        match judge(&source, &seen[0], bench) {
            Judged::Differ(what) => {
                last = Some((source, what));
                Some(choices.made())
            }
            _ => None,
        }
    };
    shows(&made)?;
    choices::shrink(made, SHRINKS, &mut shows);
    last
}

/// Writes a program that differs into the folder, with what differs.
pub(crate) fn keep(folder: &Path, name: &str, what: &str, program: &str) {
    let comment: String = what.lines().map(|line| format!("// {line}\n")).collect();
    if let Err(error) = std::fs::write(folder.join(name), comment + program) {
        eprintln!("cannot keep {name}: {error}");
    }
}
