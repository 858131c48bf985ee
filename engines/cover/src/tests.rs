//! Whole programs.

use selvedge_ir::{FileId, Program, Property, Span, text};
use selvedge_verdict::{
    Budget, Event, Integers, Measure, Options, Round, RoundResult, Run, Stop, Verdict,
};

use super::{GivenPredicate, NAME, Own, dump, stages, verify};

const TICKET: &str = include_str!("../../../examples/ticket_any.plato");

/// The paper's predicates for it.
const PAPER: [&str; 3] = ["l != \\other(l)", "t > l && t > \\other(l)", "s == l"];

/// Enough for every program below.
const WORK: u64 = 1_000_000_000;

fn program(source: &str) -> Program {
    text::parse("test.plato", source).expect("a good program")
}

fn options(predicates: &[&str]) -> Options<Own> {
    let given = |(index, text): (usize, &&str)| GivenPredicate {
        text: text.to_string(),
        span: Span::new(FileId::from_u32(0), 1 + index as u32, 1),
    };
    let predicates = predicates.iter().enumerate().map(given).collect();
    let own = Own { predicates, ..Own::default() };
    Options { integers: Integers::Math, ..Options::with(&[Property::Assert], own) }
}

fn decide(source: &str, options: &Options<Own>, work: u64) -> (Result<Verdict, Stop>, Vec<Round>) {
    let mut rounds = Vec::new();
    let mut run = Run::new(Budget::work(work), |event| {
        if let Event::Round(round) = event {
            println!("{round}");
            rounds.push(round);
        }
    });
    let verdict = verify(&program(source), options, &mut run);
    drop(run);
    (verdict, rounds)
}

#[track_caller]
fn proved(source: &str, predicates: &[&str]) -> (Verdict, Vec<Round>) {
    match decide(source, &options(predicates), WORK) {
        (Ok(verdict @ Verdict::Safe(_)), rounds) => (verdict, rounds),
        (other, _) => panic!("{other:?}"),
    }
}

#[track_caller]
fn violated(source: &str) {
    match decide(source, &options(&[]), WORK) {
        (Ok(Verdict::Unsafe(found)), _) => assert!(found.trace().failure().is_some()),
        (other, _) => panic!("{other:?}"),
    }
}

fn notes(rounds: &[Round]) -> String {
    let all: Vec<&str> = rounds.iter().flat_map(|r| &r.notes).map(String::as_str).collect();
    all.join("\n")
}

#[test]
fn ticket_lock_with_predicates_given() {
    proved(TICKET, &PAPER);
}

#[test]
fn ticket_lock_with_nothing_given() {
    let (_, rounds) = proved(TICKET, &[]);
    let (last, before) = rounds.split_last().expect("a round");
    assert_eq!(last.result, RoundResult::Proof);
    assert!(before.iter().all(|r| matches!(r.result, RoundResult::Spurious { .. })), "{rounds:?}");
    assert!(before.iter().all(|round| round.number("steps").is_some()));
    for name in ["shared", "locals", "transitions", "questions"] {
        assert!(last.number(name).is_some_and(|number| number > 0), "{name} of {last}");
    }
    // The error is not even reached when the other threads are left out of account.
    for name in ["elements", "predecessors", "depth", "basis"] {
        assert_eq!(last.number(name), Some(0), "{name} of {last}");
    }
    assert!(matches!(last.measure("predicates"), Some(Measure::Names(names)) if names.len() > 1));
}

#[test]
fn torn_ticket_lock_fails() {
    let torn = TICKET.replace("atomic { l := t; t := t + 1; }", "l := t; t := l + 1;");
    assert_ne!(torn, TICKET);
    violated(&torn);
}

#[test]
fn the_same_work_gives_the_same_rounds() {
    // The solver has one context for each thread, which remembers what it was asked before.
    let run = || std::thread::spawn(|| decide(TICKET, &options(&[]), WORK).1);
    let [first, second] = [run(), run()].map(|thread| thread.join().expect("no panic"));
    assert_eq!(first, second);
}

#[test]
fn little_work_is_used_up() {
    let (found, rounds) = decide(TICKET, &options(&[]), 1_000);
    assert_eq!(found.err(), Some(Stop::Work { limit: 1_000 }));
    assert_eq!(rounds.last().map(|round| &round.result), Some(&RoundResult::OutOfTime));
}

/// No comparison of the program says that x is even, nor does a proof that a run is impossible.
const EVEN: &str = "shared x: i32;
    procedure worker() { atomic { x := x + 2; } assert x != 7; }
    thread any worker;";

#[test]
fn atoms_of_a_horn_solution_are_candidates() {
    let (_, rounds) = proved(EVEN, &[]);
    let log = notes(&rounds);
    assert!(log.contains("atoms of a horn solution at level 1 are candidates"), "{log}");
    assert!(log.contains("taken from the horn solution: "), "{log}");
}

#[test]
fn without_atoms_there_is_no_end() {
    let mut without = options(&[]);
    without.own.atoms = false;
    let (found, _) = decide(EVEN, &without, 200_000);
    assert_eq!(found.err(), Some(Stop::Work { limit: 200_000 }));
}

/// The number of threads inside is counted; who finds it zero closes. Predicates over two threads do
/// not say that it counts.
const COUNTED: &str = "shared count: i32; shared flag: i32; shared closed: i32;
    procedure user() { local f: i32;
        atomic { count := count + 1; }
        atomic { f := flag; }
        assume f == 0;
        assert closed == 0;
        atomic { count := count - 1; } }
    procedure closer() {
        atomic { flag := 1; }
        atomic { wait count == 0; }
        atomic { closed := 1; } }
    thread any user; thread closer;";

#[test]
fn variables_that_count_threads() {
    let (verdict, rounds) = proved(COUNTED, &[]);
    let Verdict::Safe(proof) = verdict else { panic!("not safe") };
    let certificate = proof.certificate().expect("a certificate");
    assert!(notes(&rounds).contains("numbers of threads are known by count"), "{rounds:?}");
    assert_eq!(certificate.ghosts.counters.len(), 1, "{:?}", certificate.ghosts);
}

#[test]
fn a_flag_tested_before_counting() {
    let late = COUNTED.replace("atomic { count := count + 1; }", "");
    let late = late.replace("assume f == 0;", "assume f == 0; atomic { count := count + 1; }");
    violated(&late);
}

#[test]
fn a_predicate_that_is_not_understood() {
    let stopped = |predicates: &[&str]| decide(EVEN, &options(predicates), WORK).0.err();
    let span = Span::new(FileId::from_u32(0), 2, 1);
    let message = "there is no variable `y`".to_owned();
    assert_eq!(stopped(&["x > 1", "y > 1"]), Some(Stop::Annotation { message, span }));
    let span = Span::new(FileId::from_u32(0), 1, 1);
    assert!(matches!(stopped(&["x >"]), Some(Stop::Annotation { span: at, .. }) if at == span));
}

#[test]
fn properties_that_are_not_checked() {
    let property = Property::Deadlock;
    let asked = Options::new(&[Property::Assert, property]);
    let (found, rounds) = decide(EVEN, &asked, WORK);
    assert_eq!(found.err(), Some(Stop::Property { engine: NAME.into(), property }));
    assert!(rounds.is_empty());
}

/// Any number of threads count under a lock.
const LOCKED: &str = "shared m: thread; shared x: i32; procedure worker() {
    lock m; x := x + 1; unlock m; } thread any worker;";

#[test]
fn a_lock_excludes_races() {
    let races = Options::new(&[Property::Race]);
    let (found, _) = decide(LOCKED, &races, WORK);
    assert!(matches!(found, Ok(Verdict::Safe(_))), "{found:?}");
    let late = LOCKED.replace("x := x + 1; unlock m;", "unlock m; x := x + 1;");
    let (found, _) = decide(&late, &races, WORK);
    let Ok(Verdict::Unsafe(shown)) = found else { panic!("{found:?}") };
    let fault = shown.trace().failure().expect("a failure").fault.to_string();
    assert!(fault.contains("data race on x"), "{fault}");
}

/// A thread that exists once and has not moved, and one that another has started.
#[test]
fn threads_race_that_have_not_moved() {
    let races = Options::new(&[Property::Race]);
    for threads in ["thread any a; thread b;", "thread any a; thread any b;", "thread a; thread b;"]
    {
        let source = format!(
            "shared x: i32; procedure a() {{ x := 1; }} procedure b() {{ x := 2; }} {threads}"
        );
        let (found, _) = decide(&source, &races, WORK);
        assert!(matches!(found, Ok(Verdict::Unsafe(_))), "{threads}: {found:?}");
    }
}

/// Two locks one behind the other have a proof each, of as many predicates as one of them needs.
#[test]
fn what_has_nothing_to_do_with_each_other_is_proved_apart() {
    let one = "atomic { wait mN == 0; mN := 1; } xN := xN + 1; assert xN == 1; xN := xN - 1;
        mN := 0;";
    let of = |number: &str| one.replace('N', number);
    let source = format!(
        "shared m1: i32; shared x1: i32; shared m2: i32; shared x2: i32;
         procedure worker() {{ {} {} }} thread any worker;",
        of("1"),
        of("2")
    );
    let (found, rounds) = decide(&source, &options(&[]), WORK);
    assert!(matches!(found, Ok(Verdict::Safe(_))), "{found:?}");
    let proofs = rounds.iter().filter(|round| round.result == RoundResult::Proof);
    assert!(proofs.count() >= 2);
    let names = |round: &Round| match round.measure("predicates") {
        Some(Measure::Names(names)) => names.join(" "),
        _ => String::new(),
    };
    let both = |text: String| text.contains("x1") && text.contains("x2");
    // But for the first round, which is about the whole question.
    assert!(!rounds[1..].iter().any(|round| both(names(round))));
}

#[test]
fn a_fixed_number_of_threads_is_another_question() {
    let few = Options { threads: Some(2), ..options(&[]) };
    let (found, _) = decide(EVEN, &few, WORK);
    assert!(matches!(found, Err(Stop::Option { .. })), "{found:?}");
    let one = EVEN.replace("thread any", "thread");
    let (found, _) = decide(&one, &few, WORK);
    assert!(matches!(found, Ok(Verdict::Safe(_))), "{found:?}");
}

#[test]
fn every_stage_can_be_shown() {
    let shown = |stage: &str| {
        let mut run = Run::silent(Budget::work(WORK));
        dump(&program(TICKET), &options(&PAPER), &mut run, stage)
    };
    let expected = [
        ("program", "procedure worker"),
        ("system", "worker"),
        ("predicates", "l != \\other(l) (inter-thread)"),
        ("existential", ", 2 threads:"),
        ("template", "threads are enough, "),
        ("fragment", "monotone"),
        ("closure", "sink"),
        ("tts", "# from 0/1 to 1"),
        ("all", "# from 0/1 to 1"),
    ];
    assert_eq!(stages(), expected.map(|(stage, _)| stage));
    for (stage, text) in expected {
        let found = shown(stage).unwrap();
        assert!(found.contains(text), "{stage}: {found}");
    }
    assert!(matches!(shown("nothing"), Err(Stop::Option { .. })));
}
