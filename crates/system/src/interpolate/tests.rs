//! Interpolants of small sequences, by each method.

use selvedge_smt::{Limits, Sort, Terms};

use super::{Chain, check, sequence};

/// x0 = 0; x1 = x0 + 1, y1 = 5; x2 = x1 + 1; x2 < 2.
fn counting(terms: &mut Terms) -> Vec<selvedge_smt::Term> {
    let x: Vec<_> = (0..3).map(|i| terms.var(&format!("x{i}"), Sort::Int)).collect();
    let y = terms.var("y1", Sort::Int);
    let (zero, one, two, five) = (terms.int(0), terms.int(1), terms.int(2), terms.int(5));
    let first = terms.eq(x[0], zero);
    let more = terms.add(&[x[0], one]);
    let (second, beside) = (terms.eq(x[1], more), terms.eq(y, five));
    let second = terms.and(&[second, beside]);
    let more = terms.add(&[x[1], one]);
    let third = terms.eq(x[2], more);
    let last = terms.lt(x[2], two);
    vec![first, second, third, last]
}

#[test]
fn every_method_finds_interpolants() {
    let limits = Limits::none();
    for method in [Chain::by_horn, Chain::forwards, Chain::backwards] {
        let mut terms = Terms::new();
        let formulas = counting(&mut terms);
        let chain = Chain::new(&terms, formulas.clone());
        let found = method(&chain, &mut terms, &limits).expect("interpolants");
        assert!(check(&mut terms, &formulas, &found, &limits));
        for (i, &interpolant) in found.iter().enumerate() {
            let names = terms.variables(&[interpolant]);
            let names: Vec<_> = names.iter().filter_map(|v| terms.name(*v)).collect();
            assert_eq!(names, [format!("x{i}")]);
        }
    }
}

#[test]
fn consistent_formulas_have_no_interpolants() {
    let mut terms = Terms::new();
    let formulas = counting(&mut terms);
    assert!(sequence(&mut terms, &formulas[..3], &Limits::none()).is_none());
    assert_eq!(sequence(&mut terms, &formulas, &Limits::none()).map(|f| f.len()), Some(3));
}

#[test]
fn the_check_rejects_formulas_that_do_not_follow() {
    let mut terms = Terms::new();
    let formulas = counting(&mut terms);
    let truth = terms.bool(true);
    assert!(!check(&mut terms, &formulas, &[truth, truth, truth], &Limits::none()));
}

/// The unknowns of one sequence have nothing to do with those of another, whose variables may be of
/// other sorts.
#[test]
fn two_sequences_in_one_arena_do_not_clash() {
    let mut terms = Terms::new();
    let formulas = counting(&mut terms);
    let [p, q] = ["p", "q"].map(|name| terms.var(name, Sort::Bool));
    let (same, fails) = (terms.eq(p, q), terms.not(q));
    assert!(sequence(&mut terms, &formulas, &Limits::none()).is_some());
    assert!(sequence(&mut terms, &[p, same, fails], &Limits::none()).is_some());
    assert!(sequence(&mut terms, &formulas, &Limits::none()).is_some());
}
