//! Coverability: predecessors of upward-closed sets, and which of them are subsumed by others.
//!
//! `cargo bench --package selvedge-cover`. Any number of threads go through K locks hand over hand,
//! taking the next before they give the last one back; that two have passed the last one is not
//! covered. With six locks some thousand elements are compared with each other. With passive updates
//! whoever waits may be sent one lock back when a lock is given back.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use selvedge_cover::coverability::{Coverage, Effort, cover};
use selvedge_cover::tts::{parse, parse_initial, parse_target};
use selvedge_verdict::{Budget, Run};

/// The shared state says which locks are taken. A thread is before a lock or has it, or is behind
/// the last one.
fn hand_over_hand(locks: u32, passive: bool) -> String {
    let (shared, locals) = (1u32 << locks, 2 * locks + 1);
    let mut text = format!("{shared} {locals}\n");
    for taken in 0..shared {
        for lock in 0..locks {
            pass(&mut text, taken, lock, passive);
        }
        let last = 1 << (locks - 1);
        if taken & last != 0 {
            let _ = writeln!(text, "{taken} {} -> {} 0", locals - 1, taken & !last);
        }
    }
    text
}

/// Taking a lock, and giving back the one before it.
fn pass(text: &mut String, taken: u32, lock: u32, passive: bool) {
    let bit = 1 << lock;
    let before = bit >> 1;
    if taken & before != before {
        return;
    }
    let (waiting, holding, behind) = (2 * lock, 2 * lock + 1, 2 * lock + 2);
    if taken & bit == 0 {
        let _ = writeln!(text, "{taken} {waiting} -> {} {holding}", taken | bit);
        return;
    }
    let _ = write!(text, "{taken} {holding} -> {} {behind}", taken & !before);
    if passive && lock > 0 {
        let _ = write!(text, " {waiting} ~> {waiting} {waiting} ~> {}", waiting - 2);
    }
    text.push('\n');
}

fn coverability(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("coverability");
    group.sample_size(20);
    for (name, locks, passive) in [("locks", 5, false), ("locks", 6, false), ("passive", 5, true)] {
        let system = parse(&hand_over_hand(locks, passive)).expect("a system");
        let initial = parse_initial("0/0", &system).expect("initial states");
        let behind = 2 * locks;
        let target = format!("{}|{behind},{behind}", 1 << (locks - 1));
        let target = parse_target(&target, &system).expect("a target");
        group.bench_function(BenchmarkId::new(name, locks), |bencher| {
            bencher.iter(|| {
                let run = Run::silent(Budget::unlimited());
                let answer = cover(&system, &initial, &target, &run, &mut Effort::default());
                assert!(matches!(black_box(answer), Ok(Coverage::NotCovered(_))), "not covered");
            });
        });
    }
    group.finish();
}

criterion_group!(benches, coverability);
criterion_main!(benches);
