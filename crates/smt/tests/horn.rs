//! Horn clauses: loops that are safe and loops that are not, in integers and in words.

use std::process::Command;
use std::time::Duration;

use selvedge_smt::horn::*;
use selvedge_smt::*;

/// `x = y = 0; while (x < 5) { x++; y++; }`, and the query `bad(x, y)` at the loop head.
fn counting_loop(t: &mut Terms, sort: Sort, bad: impl Fn(&mut Terms, Term, Term) -> Term) -> Horn {
    let mut horn = Horn::new();
    let head = horn.relation("loop head", &[sort, sort]);
    let (x, y) = (t.var("x", sort), t.var("select", sort));
    let number = |t: &mut Terms, n: u32| match sort {
        Sort::BitVec(width) => t.bv(u128::from(n), width),
        _ => t.int(n),
    };
    let plus = |t: &mut Terms, a, b| match sort {
        Sort::BitVec(_) => t.bv_add(a, b),
        _ => t.add(&[a, b]),
    };
    let (zero, one, five) = (number(t, 0), number(t, 1), number(t, 5));
    let yes = t.bool(true);
    let atom = |args: [Term; 2]| Atom { relation: head, args: args.to_vec() };
    let init =
        Rule { name: "init".into(), body: vec![], constraint: yes, head: Some(atom([zero, zero])) };
    horn.rule(t, init);
    let go = match sort {
        Sort::BitVec(_) => t.bv_ult(x, five),
        _ => t.lt(x, five),
    };
    let next = atom([plus(t, x, one), plus(t, y, one)]);
    let step =
        Rule { name: "step".into(), body: vec![atom([x, y])], constraint: go, head: Some(next) };
    horn.rule(t, step);
    let constraint = bad(t, x, y);
    let query = Rule { name: "query".into(), body: vec![atom([x, y])], constraint, head: None };
    horn.rule(t, query);
    horn
}

fn limits() -> Limits {
    Limits::time(Duration::from_secs(60))
}

#[test]
fn a_safe_loop_has_a_solution() {
    for sort in [Sort::Int, Sort::BitVec(8)] {
        let mut t = Terms::new();
        let horn = counting_loop(&mut t, sort, |t, x, y| t.ne(x, y));
        let HornAnswer::Solution(mut solution) = horn.solve(&mut t, &limits()) else {
            panic!("safe at {sort:?}");
        };
        assert!(horn.check(&mut t, &solution, &limits()).is_ok());
        // The check is a check: "anything" does not exclude the query, "nothing" not the start.
        for wrong in [true, false] {
            solution.definitions[0].formula = t.bool(wrong);
            let broken = horn.check(&mut t, &solution, &limits());
            assert!(matches!(broken, Err(Broken::Rule(..))), "{broken:?}");
        }
    }
}

#[test]
fn an_unsafe_loop_has_a_derivation() {
    for sort in [Sort::Int, Sort::BitVec(8)] {
        let mut t = Terms::new();
        let horn = counting_loop(&mut t, sort, |t, x, _| {
            let four = if sort == Sort::Int { t.int(4) } else { t.bv(4, 8) };
            t.eq(x, four)
        });
        let answer = horn.solve(&mut t, &limits());
        let HornAnswer::Refuted(derivation) = answer else { panic!("unsafe: {answer:?}") };
        let rules: Vec<&str> =
            derivation.steps.iter().map(|step| horn.get_rule(step.rule).name.as_str()).collect();
        assert_eq!(rules, ["init", "step", "step", "step", "step", "query"]);
        for (index, step) in derivation.steps.iter().enumerate() {
            let expected: Vec<usize> = index.checked_sub(1).into_iter().collect();
            assert_eq!(step.premises, expected);
            let rule = horn.get_rule(step.rule);
            assert!(step.model.holds(&t, rule.constraint));
            if let Some(head) = &rule.head {
                assert_eq!(step.model.eval_all(&t, &head.args), step.head);
            }
        }
    }
}

/// Two relations in one body: even and odd numbers meet.
#[test]
fn derivations_may_branch() {
    let mut t = Terms::new();
    let mut horn = Horn::new();
    let left = horn.relation("left", &[Sort::Int]);
    let right = horn.relation("right", &[Sort::Int]);
    let (x, y) = (t.var("x", Sort::Int), t.var("y", Sort::Int));
    let (zero, one, two, three) = (t.int(0), t.int(1), t.int(2), t.int(3));
    let yes = t.bool(true);
    let atom = |relation, arg| Atom { relation, args: vec![arg] };
    for (relation, start, step) in [(left, zero, two), (right, one, three)] {
        let init = Rule {
            name: "init".into(),
            body: vec![],
            constraint: yes,
            head: Some(atom(relation, start)),
        };
        horn.rule(&t, init);
        let next = t.add(&[x, step]);
        let step = Rule {
            name: "step".into(),
            body: vec![atom(relation, x)],
            constraint: yes,
            head: Some(atom(relation, next)),
        };
        horn.rule(&t, step);
    }
    let equal = t.eq(x, y);
    let meet = Rule {
        name: "meet".into(),
        body: vec![atom(right, y), atom(left, x)],
        constraint: equal,
        head: None,
    };
    horn.rule(&t, meet);
    let answer = horn.solve(&mut t, &limits());
    let HornAnswer::Refuted(derivation) = answer else { panic!("unsafe: {answer:?}") };
    let last = derivation.steps.last().unwrap();
    let heads: Vec<&Vec<Value>> =
        last.premises.iter().map(|&premise| &derivation.steps[premise].head).collect();
    assert_eq!(heads[0], heads[1]);
    assert!(last.premises.iter().all(|&premise| premise + 1 < derivation.steps.len()));
}

#[test]
fn arrays_in_relations() {
    let mut t = Terms::new();
    let mut horn = Horn::new();
    let memory = t.array_sort(Sort::Int, Sort::Int);
    let at = horn.relation("at", &[memory, Sort::Int]);
    let (m, i) = (t.var("m", memory), t.var("i", Sort::Int));
    let (zero, one, three) = (t.int(0), t.int(1), t.int(3));
    let yes = t.bool(true);
    let start = t.const_array(Sort::Int, zero);
    let atom = |args: [Term; 2]| Atom { relation: at, args: args.to_vec() };
    let init = Rule {
        name: "init".into(),
        body: vec![],
        constraint: yes,
        head: Some(atom([start, zero])),
    };
    horn.rule(&t, init);
    let written = t.store(m, i, one);
    let next = t.add(&[i, one]);
    let go = t.lt(i, three);
    let step = Rule {
        name: "step".into(),
        body: vec![atom([m, i])],
        constraint: go,
        head: Some(atom([written, next])),
    };
    horn.rule(&t, step);
    let cell = t.select(m, one);
    let query = Rule {
        name: "query".into(),
        body: vec![atom([m, i])],
        constraint: t.eq(cell, one),
        head: None,
    };
    horn.rule(&t, query);
    let answer = horn.solve(&mut t, &limits());
    let HornAnswer::Refuted(derivation) = answer else { panic!("unsafe: {answer:?}") };
    assert_eq!(derivation.steps.len(), 4);
}

#[test]
fn limits_count_for_horn_clauses_too() {
    let mut t = Terms::new();
    let horn = counting_loop(&mut t, Sort::Int, |t, x, y| t.ne(x, y));
    let interrupt = Interrupt::new();
    interrupt.raise();
    let answer = horn.solve(&mut t, &Limits::none().with_interrupt(&interrupt));
    assert!(matches!(answer, HornAnswer::Unknown(Reason::Interrupted)));
    // A loop of more rounds than there is time for, and no invariant that Spacer would find.
    let mut slow = Horn::new();
    let head = slow.relation("head", &[Sort::Int, Sort::Int]);
    let (x, y) = (t.var("x", Sort::Int), t.var("y", Sort::Int));
    let (zero, one, three) = (t.int(0), t.int(1), t.int(3));
    let atom = |args: [Term; 2]| Atom { relation: head, args: args.to_vec() };
    let yes = t.bool(true);
    let init =
        Rule { name: "init".into(), body: vec![], constraint: yes, head: Some(atom([zero, zero])) };
    slow.rule(&t, init);
    let (square, up) = (t.mul(&[x, x]), t.add(&[x, one]));
    let sum = t.add(&[y, square]);
    let step = Rule {
        name: "step".into(),
        body: vec![atom([x, y])],
        constraint: yes,
        head: Some(atom([up, sum])),
    };
    slow.rule(&t, step);
    let cube = t.mul(&[x, x, x]);
    let triple = t.mul(&[three, y]);
    let constraint = t.lt(cube, triple);
    slow.rule(&t, Rule { name: "query".into(), body: vec![atom([x, y])], constraint, head: None });
    let answer = slow.solve(&mut t, &Limits::time(Duration::from_millis(500)));
    assert!(matches!(answer, HornAnswer::Unknown(Reason::Time)), "{answer:?}");
}

#[test]
fn scripts_are_read_by_stock_z3() {
    let program = std::path::Path::new(env!("SELVEDGE_Z3_LIB")).with_file_name("bin/z3");
    if !program.exists() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("selvedge-horn-{}", std::process::id()));
    let dump = Dump::new(&folder).unwrap();
    let mut t = Terms::new();
    let safe = counting_loop(&mut t, Sort::Int, |t, x, y| t.ne(x, y));
    safe.solve(&mut t, &limits().with_dump(&dump));
    let wrong = counting_loop(&mut t, Sort::Int, |t, x, y| t.eq(x, y));
    wrong.solve(&mut t, &limits().with_dump(&dump));
    // The derivation's steps are questions too and come behind.
    for (file, answer) in [("00001-horn.smt2", "sat"), ("00002-horn.smt2", "unsat")] {
        let path = folder.join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.ends_with(&format!("; answer: {answer}\n")), "{text}");
        let said = Command::new(&program).arg(&path).output().unwrap().stdout;
        assert_eq!(String::from_utf8_lossy(&said).trim(), answer, "{text}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
