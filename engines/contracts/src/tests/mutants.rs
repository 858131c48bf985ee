//! Programs and contracts with mistakes in them: what is proved must not be refuted by a search of all
//! interleavings.

use selvedge_explore as explore;
use selvedge_ir::spec::Clause;
use selvedge_ir::{BinaryOp, Const, Expr, Program, Property};
use selvedge_verdict::{Budget, Options, Run, Verdict};

use super::heap::{FEW_JOBS, few_jobs};
use super::locks::{SIMPLE_LOCK, bounded, simple_lock};
use super::{certified, program};
use crate::check;

/// Small numbers from a seed (Knuth's linear congruential generator).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

/// One mistake in the text, or none.
fn mistaken(text: &str, mistakes: &[(&str, &str)], dice: &mut Dice) -> String {
    match mistakes.get(dice.below(mistakes.len() + 1)) {
        Some((right, wrong)) => text.replacen(right, wrong, 1),
        None => text.to_owned(),
    }
}

/// One mistake in the specification, or none.
fn respecified(mut program: Program, dice: &mut Dice) -> Program {
    let spec = &mut program.spec;
    let mut lists: Vec<&mut Vec<Clause>> = vec![&mut spec.environment, &mut spec.invariants];
    for contract in &mut spec.contracts {
        lists.push(&mut contract.requires);
        lists.push(&mut contract.ensures);
        lists.extend(contract.actions.iter_mut().map(|action| &mut action.ensures));
    }
    let chosen = dice.below(lists.len());
    let list = &mut lists[chosen];
    if list.is_empty() {
        return program;
    }
    let index = dice.below(list.len());
    match dice.below(4) {
        0 => {}
        1 => {
            list.remove(index);
        }
        _ => {
            let body = &mut list[index].formula.body;
            let target = dice.below(6);
            let mut seen = 0;
            *body = body.clone().map(&mut |part| {
                seen += 1;
                if seen == target + 1 { weakened(part) } else { part }
            });
        }
    }
    program
}

/// Another expression of the same type.
fn weakened(expr: Expr) -> Expr {
    match expr {
        Expr::Binary(BinaryOp::And, a, _) => *a,
        Expr::Binary(BinaryOp::Or, _, b) => *b,
        Expr::Binary(BinaryOp::Le, a, b) => Expr::Binary(BinaryOp::Lt, a, b),
        Expr::Binary(BinaryOp::Eq, a, b) => Expr::Binary(BinaryOp::Ne, a, b),
        Expr::Binary(BinaryOp::Ne, a, b) => Expr::Binary(BinaryOp::Eq, a, b),
        Expr::Const(Const::Int(_, int)) => Expr::int(-3, int),
        other => other,
    }
}

pub fn is_refuted(program: &Program) -> bool {
    let mut program = program.clone();
    program.erase_ghosts(false);
    let program = &program;
    let options = Options::new(&[Property::Assert]);
    let mut run = Run::silent(Budget::work(20_000_000));
    matches!(explore::verify(program, &options, &mut run), Ok(Verdict::Unsafe(_)))
}

/// How many of the mutants are proved, and how many refuted. Neither the engine nor the checker of
/// certificates, which gets the facts of all of them, accepts one that is refuted.
fn compare(rounds: u64, make: impl Fn(&mut Dice) -> Program) -> (usize, usize) {
    let (mut proved, mut refuted, mut checked) = (0, 0, 0);
    for seed in 0..rounds {
        let mut dice = Dice(seed);
        dice.below(2);
        let right = make(&mut dice);
        let program = respecified(right, &mut dice);
        let options = Options::new(&[Property::Assert]);
        let found = check(&program, &options, &mut Run::silent(Budget::unlimited()));
        let certified = found.as_ref().is_ok_and(|report| certified(&program, report).is_ok());
        let accepted = found.is_ok_and(|report| report.is_proved());
        let wrong = is_refuted(&program);
        assert!(!(accepted && wrong), "seed {seed}: proved, and refuted");
        assert!(!(certified && wrong), "seed {seed}: certified, and refuted");
        proved += usize::from(accepted);
        refuted += usize::from(wrong);
        checked += usize::from(certified);
    }
    println!("{rounds} mutants: {proved} proved, {checked} certified, {refuted} refuted");
    assert!(2 * checked > proved, "{checked} certified of {proved} proved");
    (proved, refuted)
}

#[test]
fn mutants_of_the_simple_lock() {
    let mistakes = [
        ("call acquire();", "skip;"),
        ("x := 0;", "x := -1;"),
        ("if (m == none)", "if (true)"),
        ("m := none;", "skip;"),
        ("m := tid; t := none;", "t := none;"),
        ("shared x: i32;", "shared x: i32 = -1;"),
        ("assert x > 0;", "assert x == 1;"),
    ];
    let (proved, refuted) =
        compare(90, |dice| simple_lock(&mistaken(&bounded(SIMPLE_LOCK), &mistakes, dice)));
    assert!(proved > 0 && refuted > 5, "{proved} proved, {refuted} refuted");
}

#[test]
fn mutants_of_a_few_jobs() {
    let mistakes = [
        ("lock *(c): thread;", "skip;"),
        ("unlock *(c): thread;", "skip;"),
        ("*(j): ptr := container;", "*(j): ptr := bogus;"),
        ("spawn run(j);", "spawn run(j); *(j): ptr := bogus;"),
        ("assert t == u;", "assert t == 0;"),
    ];
    let (proved, refuted) = compare(50, |dice| few_jobs(&mistaken(FEW_JOBS, &mistakes, dice)));
    assert!(proved > 0 && refuted > 0, "{proved} proved, {refuted} refuted");
}

#[test]
fn mutants_of_a_writer_lock() {
    let mistakes = [
        ("lock m;", "skip;"),
        ("w == none", "true"),
        ("w := tid;", "skip;"),
        ("call begin();", "skip;"),
        ("call end();", "skip;"),
        ("w := none;", "w := tid;"),
        ("assert t == 1", "assert t == 2"),
        ("h != tid || n == o", "true"),
        ("modifies \"w\" {} at &w: thread;", ""),
        ("o == none && n == tid", "n == tid"),
    ];
    let text = include_str!("writer.plato");
    let (proved, refuted) = compare(70, |dice| program(&mistaken(text, &mistakes, dice)));
    assert!(proved > 0 && refuted > 0, "{proved} proved, {refuted} refuted");
}
