//! The solver: models, cores, limits, interruption, threads, dumps.

use std::process::Command;
use std::time::Duration;

use selvedge_budget::{Clock, Moment};
use selvedge_smt::*;

fn solver() -> Solver {
    Solver::new(Logic::All, Limits::none())
}

/// Two factors of 59 bits of a number that is the product of two primes: far beyond a second.
fn hard(t: &mut Terms) -> Term {
    let (a, b) = (t.var("a", Sort::BitVec(128)), t.var("b", Sort::BitVec(128)));
    let number = t.bv(515_830_623_779_032_421 * 316_065_606_726_296_657, 128);
    let (one, limit) = (t.bv(1, 128), t.bv(1 << 60, 128));
    let product = t.bv_mul(a, b);
    let mut parts = vec![t.eq(product, number), t.bv_ult(a, b)];
    for factor in [a, b] {
        parts.push(t.bv_ult(one, factor));
        parts.push(t.bv_ult(factor, limit));
    }
    t.and(&parts)
}

#[test]
fn models_of_integers_words_and_arrays() {
    let mut t = Terms::new();
    let sort = t.array_sort(Sort::Int, Sort::BitVec(8));
    let (m, x) = (t.var("m", sort), t.var("select", Sort::Int));
    let (b, wide) = (t.var("b", Sort::BitVec(8)), t.var("wide", Sort::BitVec(128)));
    let (ten, two) = (t.int(10), t.int(2));
    let (one, other) = (t.select(m, x), t.select(m, ten));
    let double = t.mul(&[two, x]);
    let huge = t.value(&Value::int(1i128 << 100), Sort::Int);
    let word = t.bv(0x80, 8);
    let top = t.bv(u128::MAX - 1, 128);
    let far = t.var("far", Sort::Int);
    let negative = t.neg(huge);
    let parts = [
        t.lt(ten, double),
        t.ne(one, other),
        t.bv_slt(b, word),
        t.bv_ult(word, b),
        t.eq(b, one),
        t.eq(wide, top),
        t.lt(far, negative),
    ];
    // The third is false: nothing is below the least signed word.
    let mut s = solver();
    let all = t.and(&parts);
    s.assert(&t, all);
    assert!(matches!(s.check(&t, &[]), Answer::Unsat(_)));
    let mut s = solver();
    for (_, &part) in parts.iter().enumerate().filter(|(i, _)| *i != 2) {
        s.assert(&t, part);
    }
    let Answer::Sat(model) = s.check(&t, &[]) else { panic!("satisfiable") };
    for (i, &part) in parts.iter().enumerate().filter(|(i, _)| *i != 2) {
        assert!(model.holds(&t, part), "part {i}: {}", t.show(part));
    }
    assert_eq!(model.get(wide), Some(&Value::bv(u128::MAX - 1, 128)));
    assert!(model.get(m).and_then(Value::as_array).is_some());
}

#[test]
fn nested_arrays_come_back() {
    let mut t = Terms::new();
    let inner = t.array_sort(Sort::BitVec(64), Sort::BitVec(8));
    let outer = t.array_sort(Sort::BitVec(32), inner);
    let (m, n) = (t.var("m", outer), t.var("n", outer));
    let (object, offset) = (t.var("o", Sort::BitVec(32)), t.var("i", Sort::BitVec(64)));
    let seven = t.bv(7, 8);
    let row = t.select(m, object);
    let changed = t.store(row, offset, seven);
    let next = t.store(m, object, changed);
    let (zero, three) = (t.bv(0, 64), t.bv(3, 32));
    let first = t.select(n, three);
    let cell = t.select(first, zero);
    let parts = [t.eq(n, next), t.eq(cell, seven), t.ne(object, three)];
    let mut s = Solver::new(Logic::QfAbv, Limits::none());
    for part in parts {
        s.assert(&t, part);
    }
    let Answer::Sat(model) = s.check(&t, &[]) else { panic!("satisfiable") };
    for part in parts {
        assert!(model.holds(&t, part), "{}", t.show(part));
    }
}

#[test]
fn scopes_and_cores() {
    let mut t = Terms::new();
    let (x, y) = (t.var("x", Sort::Int), t.var("y", Sort::Int));
    let p = t.var("p", Sort::Bool);
    let (zero, five) = (t.int(0), t.int(5));
    let below = t.lt(x, zero);
    let above = t.lt(five, x);
    let other = t.lt(y, five);
    let not_p = t.not(p);
    for logic in [Logic::All, Logic::QfLia] {
        let mut s = Solver::new(logic, Limits::none());
        s.assert(&t, p);
        s.push();
        s.assert(&t, above);
        let Answer::Unsat(core) = s.check(&t, &[other, below, p]) else { panic!("unsat") };
        assert_eq!(core, Core(vec![below]));
        s.pop();
        assert!(matches!(s.check(&t, &[other, below]), Answer::Sat(_)));
        let Answer::Unsat(core) = s.check(&t, &[below, other, above]) else { panic!("unsat") };
        let core = s.minimize(&t, core);
        assert_eq!(core, Core(vec![below, above]));
        let Answer::Unsat(core) = s.check(&t, &[other, not_p]) else { panic!("unsat") };
        assert_eq!(core, Core(vec![not_p]));
    }
}

#[test]
fn time_runs_out() {
    let mut t = Terms::new();
    let hard = hard(&mut t);
    let mut s = Solver::new(Logic::QfBv, Limits::time(Duration::from_millis(100)));
    s.assert(&t, hard);
    let answer = s.check(&t, &[]);
    assert!(matches!(answer, Answer::Unknown(Reason::Time)), "{answer:?}");
    // The solver stays usable, and a deadline that has passed is noticed at once.
    let no = t.bool(false);
    s.limits = Limits::none();
    assert!(matches!(s.check(&t, &[no]), Answer::Unsat(_)));
    s.limits = Limits::until(&Clock::wall(), Moment::START);
    assert!(matches!(s.check(&t, &[no]), Answer::Unknown(Reason::Time)));
}

#[test]
fn another_thread_interrupts() {
    let mut t = Terms::new();
    let hard = hard(&mut t);
    let interrupt = Interrupt::new();
    let mut s = Solver::new(Logic::All, Limits::none().with_interrupt(&interrupt));
    s.assert(&t, hard);
    let remote = interrupt.clone();
    let raiser = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        remote.raise();
    });
    assert!(matches!(s.check(&t, &[]), Answer::Unknown(Reason::Interrupted)));
    raiser.join().unwrap();
    let no = t.bool(false);
    assert!(matches!(s.check(&t, &[no]), Answer::Unknown(Reason::Interrupted)));
    interrupt.lower();
    assert!(matches!(s.check(&t, &[no]), Answer::Unsat(_)));
}

#[test]
fn threads_have_solvers_of_their_own() {
    let count = |bound: i32| {
        let mut t = Terms::new();
        let x = t.var("x", Sort::Int);
        let mut s = solver();
        let range = t.between(0, x, bound);
        s.assert(&t, range);
        let mut models = 0;
        while let Answer::Sat(model) = s.check(&t, &[]) {
            models += 1;
            let value = t.value(&model.eval(&t, x), Sort::Int);
            let other = t.ne(x, value);
            s.assert(&t, other);
        }
        models
    };
    let threads: Vec<_> = (5..8).map(|n| std::thread::spawn(move || count(n))).collect();
    let counts: Vec<i32> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert_eq!(counts, [6, 7, 8]);
}

#[test]
fn one_thread_is_stopped_and_the_other_goes_on() {
    let interrupt = Interrupt::new();
    let remote = interrupt.clone();
    let stopped = std::thread::spawn(move || {
        let mut t = Terms::new();
        let hard = hard(&mut t);
        let mut s = Solver::new(Logic::QfBv, Limits::none().with_interrupt(&remote));
        s.assert(&t, hard);
        matches!(s.check(&t, &[]), Answer::Unknown(Reason::Interrupted))
    });
    let mut t = Terms::new();
    let (x, zero) = (t.var("x", Sort::Int), t.int(0));
    let mut s = solver();
    let above = t.lt(zero, x);
    s.assert(&t, above);
    assert!(matches!(s.check(&t, &[]), Answer::Sat(_)));
    interrupt.raise();
    assert!(matches!(s.check(&t, &[]), Answer::Sat(_)));
    assert!(stopped.join().unwrap());
}

#[test]
fn what_z3_cannot_decide_is_unknown() {
    let mut t = Terms::new();
    let names = ["x", "y", "z"].map(|name| t.var(name, Sort::Int));
    let cubes = names.map(|x| t.mul(&[x, x, x]));
    let sum = t.add(&cubes);
    let number = t.int(114);
    let formula = t.eq(sum, number);
    let mut s = Solver::new(Logic::All, Limits::time(Duration::from_millis(300)));
    s.assert(&t, formula);
    assert!(matches!(s.check(&t, &[]), Answer::Unknown(_)));
}

/// The `z3` program of the wheel, where it is beside the library.
fn stock_z3() -> Option<std::path::PathBuf> {
    let program = std::path::Path::new(env!("SELVEDGE_Z3_LIB")).parent()?.join("bin/z3");
    program.exists().then_some(program)
}

#[test]
fn dumps_are_read_by_stock_z3() {
    let folder = std::env::temp_dir().join(format!("selvedge-dump-{}", std::process::id()));
    let mut t = Terms::new();
    let sort = t.array_sort(Sort::BitVec(8), Sort::Int);
    let (m, b) = (t.var("main.m@1", sort), t.var("bvadd", Sort::BitVec(8)));
    let (x, y) = (t.select(m, b), t.var("y", Sort::Int));
    let three = t.int(-3);
    let low = t.extract(3, 1, b);
    let low = t.sign_extend(5, low);
    let as_int = t.bv_to_int(low);
    let back = t.int_to_bv(8, y);
    let quotient = t.div(x, y);
    let all = t.const_array(Sort::BitVec(8), y);
    let parts =
        [t.lt(three, x), t.ne(as_int, x), t.eq(back, low), t.eq(quotient, three), t.ne(all, m)];
    let dump = Dump::new(&folder).unwrap();
    let mut s = Solver::new(Logic::All, Limits::none().with_dump(&dump));
    s.assert(&t, parts[0]);
    s.push();
    let first = s.check(&t, &parts[1..]);
    let no = t.not(parts[2]);
    let second = s.check(&t, &[parts[2], no]);
    assert!(matches!((first, second), (Answer::Sat(_), Answer::Unsat(_))));
    assert_eq!(dump.error(), None);
    for (file, answer) in [("00001-check.smt2", "sat"), ("00002-check.smt2", "unsat")] {
        let path = folder.join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.ends_with(&format!("; answer: {answer}\n")), "{text}");
        if let Some(z3) = stock_z3() {
            let said = Command::new(z3).arg(&path).output().unwrap().stdout;
            assert_eq!(String::from_utf8_lossy(&said).trim(), answer, "{text}");
        }
    }
    let ten = t.int(10);
    let between = [t.lt(three, y), t.lt(y, x), t.lt(x, ten)];
    let between = t.and(&between);
    qe::eliminate(&mut t, &[y], between, &s.limits).unwrap();
    if let Some(z3) = stock_z3() {
        let said = Command::new(z3).arg(folder.join("00003-qe.smt2")).output().unwrap().stdout;
        let said = String::from_utf8_lossy(&said);
        assert!(said.starts_with("(goals"), "{said}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
