//! The explicit-state search: states as bytes, looked up among those that are known.
//!
//! `cargo bench --package selvedge-explore`. Each program is searched exhaustively, and nearly all of
//! the time goes into running steps, encoding states and looking them up: many threads of one kind
//! with symmetry (canonical names), the same without it, and threads that make objects.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use selvedge_explore::{Own, verify};
use selvedge_ir::{Program, Property, text};
use selvedge_verdict::{Budget, Options, Run, Verdict};

/// Threads take tickets and are served in their order.
fn tickets(threads: u32) -> Program {
    program(&format!(
        "shared next: u8;
        shared serving: u8;
        shared inside: i32;
        procedure worker() {{
            local ticket: u8;
            atomic {{ ticket := next; next := next + 1; }}
            wait serving == ticket;
            inside := inside + 1;
            assert inside == 1;
            inside := inside - 1;
            atomic {{ serving := serving + 1; }}
        }}
        thread {threads} worker;"
    ))
}

/// Threads put nodes of their own before a list; which came first makes no difference to the names
/// of objects.
fn pushes(threads: u32) -> Program {
    program(&format!(
        "layout struct node = struct {{ key: i32; next: ptr; }};
        shared head: ptr;
        procedure push() {{
            local p: ptr;
            p := alloc struct node;
            *(p): i32 := 1;
            atomic {{
                *(p + offsetof(struct node, next)): ptr := head;
                head := p;
            }}
            assert head != null;
        }}
        thread {threads} push;"
    ))
}

fn program(source: &str) -> Program {
    text::parse("bench", source).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// No walks: they begin by the clock.
fn search(program: &Program, symmetry: bool) {
    let own = Own { symmetry, walks: false, ..Own::default() };
    let options = Options::with(&[Property::Assert], own);
    let verdict = verify(program, &options, &mut Run::silent(Budget::unlimited()));
    assert!(matches!(black_box(verdict), Ok(Verdict::Safe(_))), "the program is safe");
}

/// A name, programs by their number of threads, whether with symmetry, and which numbers.
type Series = (&'static str, fn(u32) -> Program, bool, &'static [u32]);

fn explore(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("explore");
    group.sample_size(20);
    let programs: [Series; 3] = [
        ("tickets", tickets, true, &[4, 6]),
        ("tickets without symmetry", tickets, false, &[3, 4]),
        ("pushes", pushes, true, &[3, 4]),
    ];
    for (name, make, symmetry, sizes) in programs {
        for &threads in sizes {
            let program = make(threads);
            group.bench_function(BenchmarkId::new(name, threads), |bencher| {
                bencher.iter(|| search(&program, symmetry));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, explore);
criterion_main!(benches);
