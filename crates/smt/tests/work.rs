//! Limits on work: the solver ends at the same point, whatever the machine does beside.

use std::process::Command;
use std::time::Duration;

use selvedge_budget::{Clock, Moment};
use selvedge_smt::horn::*;
use selvedge_smt::*;

/// So much work, counted from now on.
fn work(units: u64) -> Limits {
    Limits::until(&Clock::counting(), Moment::START + Clock::time_for(units))
}

/// Two factors of a product of two primes with so many bits each.
fn factors(t: &mut Terms, bits: u32, product: u128) -> Term {
    let width = 2 * bits;
    let (a, b) = (t.var("a", Sort::BitVec(width)), t.var("b", Sort::BitVec(width)));
    let (number, one) = (t.bv(product, width), t.bv(1, width));
    let limit = t.bv(1 << bits, width);
    let multiplied = t.bv_mul(a, b);
    let mut parts = vec![t.eq(multiplied, number), t.bv_ult(a, b)];
    for factor in [a, b] {
        parts.push(t.bv_ult(one, factor));
        parts.push(t.bv_ult(factor, limit));
    }
    t.and(&parts)
}

const EASY: (u32, u128) = (15, 32_749 * 16_381);
const HARD: (u32, u128) = (60, 515_830_623_779_032_421 * 316_065_606_726_296_657);

fn ask(logic: Logic, (bits, product): (u32, u128), limits: &Limits) -> Answer {
    let mut t = Terms::new();
    let formula = factors(&mut t, bits, product);
    let mut s = Solver::new(logic, limits.clone());
    s.assert(&t, formula);
    s.check(&t, &[])
}

/// Numbers and the sums of their squares, and the question whether three times the sum is more than
/// the cube: it never is, and Spacer finds no reason for it.
fn squares(t: &mut Terms) -> Horn {
    let mut horn = Horn::new();
    let head = horn.relation("head", &[Sort::Int, Sort::Int]);
    let (x, y) = (t.var("x", Sort::Int), t.var("y", Sort::Int));
    let (zero, one, three) = (t.int(0), t.int(1), t.int(3));
    let atom = |args: [Term; 2]| Atom { relation: head, args: args.to_vec() };
    let (square, up) = (t.mul(&[x, x]), t.add(&[x, one]));
    let sum = t.add(&[y, square]);
    let (cube, triple) = (t.mul(&[x, x, x]), t.mul(&[three, y]));
    let (yes, more) = (t.bool(true), t.lt(cube, triple));
    let rules = [
        ("init", vec![], yes, Some(atom([zero, zero]))),
        ("step", vec![atom([x, y])], yes, Some(atom([up, sum]))),
        ("query", vec![atom([x, y])], more, None),
    ];
    for (name, body, constraint, head) in rules {
        horn.rule(t, Rule { name: name.into(), body, constraint, head });
    }
    horn
}

/// In a thread of its own, so with a context of its own.
fn apart<R: Send>(question: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| scope.spawn(question).join().expect("a question does not panic"))
}

#[test]
fn work_runs_out_in_every_logic() {
    let all = [Logic::All, Logic::QfBv, Logic::Bits, Logic::BitsOnce, Logic::BitsFlat];
    for logic in all {
        let limits = work(50_000);
        let answer = ask(logic, HARD, &limits);
        assert!(matches!(answer, Answer::Unknown(Reason::Time)), "{logic:?}: {answer:?}");
        // What is left is used up, and no more but for the terms of the question.
        assert!((50_000..50_100).contains(&limits.clock.spent()), "{}", limits.clock.spent());
        assert_eq!(limits.exceeded(), Some(Reason::Time));
    }
}

#[test]
fn a_question_may_have_a_limit_of_its_own() {
    let limits = Limits { time: Some(Clock::time_for(20_000)), ..work(50_000) };
    assert!(matches!(ask(Logic::QfBv, HARD, &limits), Answer::Unknown(Reason::Time)));
    assert!((20_000..20_200).contains(&limits.clock.spent()), "{}", limits.clock.spent());
    assert_eq!(limits.exceeded(), None);
    // The limit is that question's alone.
    assert!(matches!(ask(Logic::QfBv, EASY, &Limits::none()), Answer::Sat(_)));
}

#[test]
fn a_question_costs_the_same_twice() {
    let spent = || {
        let limits = work(20_000_000);
        assert!(matches!(ask(Logic::All, EASY, &limits), Answer::Sat(_)));
        limits.clock.spent()
    };
    assert_eq!(apart(spent), apart(spent));
}

#[test]
fn exactly_enough_work_is_enough() {
    let answer = |units: u64| {
        apart(move || {
            let limits = work(units);
            (ask(Logic::All, EASY, &limits), limits.clock.spent())
        })
    };
    let (found, spent) = answer(20_000_000);
    let Answer::Sat(model) = found else { panic!("the factors are known") };
    let (again, _) = answer(spent);
    assert!(matches!(again, Answer::Sat(same) if same == model));
    let (cut, _) = answer(spent / 2);
    assert!(matches!(cut, Answer::Unknown(Reason::Time)), "{cut:?}");
}

#[test]
fn spacer_runs_out_of_work() {
    let spent = || {
        let mut t = Terms::new();
        let horn = squares(&mut t);
        let limits = work(100_000);
        let answer = horn.solve(&mut t, &limits);
        assert!(matches!(answer, HornAnswer::Unknown(Reason::Time)), "{answer:?}");
        limits.clock.spent()
    };
    let once = apart(spent);
    assert!((100_000..100_100).contains(&once), "{once}");
    assert_eq!(once, apart(spent));
}

#[test]
fn questions_together_share_the_work() {
    let limits = work(30_000);
    let answers = limits.together(|free| {
        assert!(free.clock.counts_work());
        [EASY, HARD, EASY].map(|product| ask(Logic::QfBv, product, free))
    });
    let [_, hard, late] = answers.expect("there is work left at the start");
    assert!(matches!(hard, Answer::Unknown(Reason::Time)), "{hard:?}");
    assert!(matches!(late, Answer::Unknown(Reason::Time)), "{late:?}");
    let (spent, asked) = (limits.clock.spent(), 3 * 200);
    assert!(spent <= 30_000 + asked, "{spent}");
    assert_eq!(limits.together(|_| ()), Err(Reason::Time));
}

#[test]
fn any_number_of_small_questions_uses_up_the_work() {
    let mut t = Terms::new();
    let yes = t.bool(true);
    let mut s = Solver::new(Logic::All, work(10_000));
    let answered = (0..1_000).take_while(|_| matches!(s.check(&t, &[yes]), Answer::Sat(_))).count();
    assert!(answered < 1_000);
}

#[test]
fn elimination_keeps_to_the_work() {
    let mut t = Terms::new();
    let formula = factors(&mut t, HARD.0, HARD.1);
    let b = t.var("b", Sort::BitVec(2 * HARD.0));
    let limits = work(50_000);
    assert_eq!(qe::eliminate(&mut t, &[b], formula, &limits), Err(Reason::Time));
    let [x, y, z] = ["x", "y", "z"].map(|name| t.var(name, Sort::Int));
    let parts = [t.lt(x, y), t.lt(y, z)];
    let between = t.and(&parts);
    let result = qe::eliminate(&mut t, &[y], between, &work(1_000_000)).expect("enough work");
    assert_eq!(t.variables(&[result]), vec![x, z]);
}

#[test]
fn the_interrupt_stops_counted_work_too() {
    let interrupt = Interrupt::new();
    let limits = work(u64::MAX).with_interrupt(&interrupt);
    let remote = interrupt.clone();
    let raiser = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        remote.raise();
    });
    let answer = ask(Logic::QfBv, HARD, &limits);
    assert!(matches!(answer, Answer::Unknown(Reason::Interrupted)), "{answer:?}");
    raiser.join().expect("it only sleeps");
}

/// Tells another process what the questions cost in this one.
const TELL: &str = "SELVEDGE_TELL_WORK";

#[test]
fn another_process_spends_the_same() {
    let here = apart(|| {
        let limits = work(300_000);
        let easy = ask(Logic::QfBv, EASY, &limits);
        let hard = ask(Logic::QfBv, HARD, &limits);
        format!("work: {} {easy:?} {hard:?}", limits.clock.spent())
    });
    if std::env::var_os(TELL).is_some() {
        println!("\n{here}");
        return;
    }
    let this = std::env::current_exe().expect("the test knows its file");
    let mut child = Command::new(this);
    child.args(["--exact", "another_process_spends_the_same", "--nocapture"]).env(TELL, "1");
    let told = child.output().expect("the test runs again").stdout;
    let told = String::from_utf8_lossy(&told);
    assert!(told.lines().any(|line| line == here), "{here}\n{told}");
}
