//! The memory limit is one for the whole process, so this test has a process of its own.

use std::time::Duration;

use selvedge_smt::*;

#[test]
fn memory_runs_out() {
    set_memory_limit(40);
    let mut t = Terms::new();
    let width = 128;
    let (a, b) = (t.var("a", Sort::BitVec(width)), t.var("b", Sort::BitVec(width)));
    let mut product = t.bv_mul(a, b);
    for _ in 0..30 {
        let rest = t.bv_urem(product, a);
        product = t.bv_mul(rest, b);
    }
    let number = t.bv(0x1234_5678_9abc_def1, width);
    let formula = t.eq(product, number);
    let mut s = Solver::new(Logic::QfBv, Limits::time(Duration::from_secs(60)));
    s.assert(&t, formula);
    let answer = s.check(&t, &[]);
    assert!(matches!(answer, Answer::Unknown(Reason::Memory)), "{answer:?}");
}
