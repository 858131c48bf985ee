//! Terms: building and simplifying them, going through them, replacing variables.
//!
//! `cargo bench --package selvedge-smt`. The sizes are those of a step of symbolic execution on a
//! driver: some thousand terms, most of which are asked for again.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use selvedge_smt::{Sort, Term, Terms};

const VARIABLES: u32 = 16;
const ROUNDS: u32 = 200;
const WIDTH: u32 = 32;

fn variables(terms: &mut Terms, sort: Sort) -> Vec<Term> {
    (0..VARIABLES).map(|index| terms.var(&format!("x{index}"), sort)).collect()
}

/// A formula as unrolling makes them: guards over sums, chosen between by conditions.
fn formula_of_bits(terms: &mut Terms) -> Term {
    let xs = variables(terms, Sort::BitVec(WIDTH));
    let mut state = xs[0];
    let mut guards = Vec::new();
    for round in 0..ROUNDS {
        let x = xs[(round % VARIABLES) as usize];
        let constant = terms.bv(u128::from(round % 7), WIDTH);
        let sum = terms.bv_add(state, constant);
        let guard = terms.bv_ult(x, sum);
        state = terms.ite(guard, sum, x);
        let other = terms.eq(state, x);
        guards.push(terms.or(&[guard, other]));
    }
    terms.and(&guards)
}

/// The same over integers, whose sums are kept in a normal form.
fn formula_of_integers(terms: &mut Terms) -> Term {
    let xs = variables(terms, Sort::Int);
    let mut guards = Vec::new();
    for round in 0..ROUNDS {
        let (a, b) = (xs[(round % VARIABLES) as usize], xs[(round * 5 % VARIABLES) as usize]);
        let twice = terms.add(&[a, b, a]);
        let difference = terms.sub(twice, b);
        let constant = terms.int(i64::from(round % 11));
        let guard = terms.le(difference, constant);
        guards.push(terms.not(guard));
    }
    terms.or(&guards)
}

/// A memory that is written and read at places some of which are known.
fn reads_of_arrays(terms: &mut Terms) -> Term {
    let xs = variables(terms, Sort::Int);
    let zero = terms.int(0);
    let mut array = terms.const_array(Sort::Int, zero);
    let mut sum = zero;
    for round in 0..ROUNDS / 4 {
        let known = terms.int(i64::from(round % 9));
        array = terms.store(array, known, xs[(round % VARIABLES) as usize]);
        let again = terms.int(i64::from(round % 5));
        let read = terms.select(array, again);
        sum = terms.add(&[sum, read]);
    }
    sum
}

type Formula = fn(&mut Terms) -> Term;

fn build(criterion: &mut Criterion) {
    let formulas: [(&str, Formula); 3] =
        [("bits", formula_of_bits), ("integers", formula_of_integers), ("arrays", reads_of_arrays)];
    let mut group = criterion.benchmark_group("build");
    for (name, formula) in formulas {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut terms = Terms::new();
                black_box(formula(&mut terms));
                terms.len()
            });
        });
        let mut terms = Terms::new();
        formula(&mut terms);
        group.bench_function(format!("{name}, all there already"), |bencher| {
            bencher.iter(|| black_box(formula(&mut terms)));
        });
    }
    group.finish();
}

fn walk(criterion: &mut Criterion) {
    let mut terms = Terms::new();
    let formula = formula_of_bits(&mut terms);
    criterion.bench_function("variables", |bencher| {
        bencher.iter(|| black_box(terms.variables(&[formula])));
    });
    let xs = variables(&mut terms, Sort::BitVec(WIDTH));
    let shifted = xs.iter().zip(xs.iter().skip(1)).map(|(from, to)| (*from, *to)).collect();
    criterion.bench_function("substitute", |bencher| {
        bencher.iter(|| black_box(terms.substitute(formula, &shifted)));
    });
    criterion.bench_function("import", |bencher| {
        bencher.iter(|| {
            let mut other = Terms::new();
            black_box(other.import(&terms, formula))
        });
    });
}

criterion_group!(benches, build, walk);
criterion_main!(benches);
