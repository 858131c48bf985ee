//! What is guessed about programs in Plato, and how guesses are pruned.

use selvedge_contracts::Own;
use selvedge_ir::{Program, Property, text};
use selvedge_verdict::{Budget, Options, Run, Stop};

use crate::candidate::{Candidate, Site, Why, Word};
use crate::guess;
use crate::prune::{Pruning, Reader, Reading, Unread};
use crate::survey::Survey;

const SPIN_LOCK: &str = "shared m: thread; shared x: i32; shared flag: i32; shared limit: i32 = 9;
    procedure work() { local t: thread; local n: i32; local k: i32;
        atomic { t := m; assume t == none; m := tid; }
        n := x; if (n < 100) { x := n + 1; }
        flag := 1;
        k := limit;
        m := none; }
    procedure main() { limit := 7; spawn work(); spawn work(); }
    thread main main;";

fn parse(source: &str) -> Program {
    text::parse("a.plato", source).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn survey(source: &str) -> Survey {
    let run = Run::silent(Budget::work(1_000_000));
    Survey::of(&parse(source), &run).expect("a small program")
}

fn texts(candidates: &[Candidate]) -> Vec<String> {
    let said = candidates.iter().map(|candidate| match &candidate.site {
        Site::Variable(name) => format!("{name}: {candidate}"),
        _ => candidate.to_string(),
    });
    said.collect()
}

#[track_caller]
fn has(candidates: &[Candidate], text: &str) {
    let texts = texts(candidates);
    assert!(texts.iter().any(|found| found == text), "`{text}` is not in {texts:#?}");
}

#[test]
fn a_variable_that_names_its_thread_is_an_owner() {
    let found = guess::writers(&survey(SPIN_LOCK));
    has(&found, "x: unwritable_by_env_if m == \\tid;");
    has(&found, "m: unwritable_by_env_if m == \\tid;");
}

#[test]
fn who_writes_and_how_often_is_looked_at() {
    let found = guess::writers(&survey(SPIN_LOCK));
    has(&found, "flag: unwritable_by_env_if flag != 0;");
    has(&found, "limit: unwritable_by_env_if \\tid == \\main;");
    let texts = texts(&found);
    assert!(!texts.iter().any(|text| text.starts_with("x: unwritable_by_env_if \\tid == \\main")));
}

#[test]
fn values_come_from_what_is_stored_and_compared() {
    let found = guess::values(&survey(SPIN_LOCK));
    has(&found, "global_invariant flag == 0 || flag == 1;");
    has(&found, "global_invariant limit == 7 || limit == 9;");
    has(&found, "global_invariant x >= 0;");
    has(&found, "global_invariant x <= 100;");
    has(&found, "env_assumption x <= x';");
}

#[test]
fn what_always_holds_is_not_guessed_for_some_times() {
    let survey = survey(SPIN_LOCK);
    let all = guess::values(&survey);
    let between = guess::values_between(&survey, &all);
    assert!(!texts(&between).contains(&"global_invariant m == 0 ==> x >= 0;".to_owned()));
    has(&guess::values_between(&survey, &[]), "global_invariant m == 0 ==> x >= 0;");
}

/// Knows no annotation at all.
struct Refusing(Program);

impl Reader for Refusing {
    fn read(&mut self, annotations: &[&Candidate]) -> Result<Reading, Unread> {
        match annotations.len() {
            0 => Ok(Reading { program: self.0.clone(), marks: None }),
            many => Err(Unread::Rejected((0..many).collect())),
        }
    }
}

fn candidate(text: &str) -> Candidate {
    let site = Site::File { near: Vec::new() };
    Candidate { site, word: Word::GlobalInvariant, text: text.to_owned(), why: Why::Values }
}

#[test]
fn what_cannot_be_read_is_left_out_and_remembered() {
    let options = Options::with(&[Property::Assert], Own::default());
    let mut reader =
        Refusing(parse("shared x: i32; procedure main() { x := 1; } thread main main;"));
    let mut pruning =
        Pruning { reader: &mut reader, options: &options, checks: 0, misplaced: Vec::new() };
    let mut run = Run::silent(Budget::work(10_000_000));
    let held = pruning.prune(vec![candidate("x >= 0")], &mut run).expect("a small program");
    assert!(held.kept.is_empty() && held.open.is_empty());
    assert_eq!(pruning.misplaced, [candidate("x >= 0")]);
}

/// Has a budget for two annotations at once.
struct Poor(Program);

impl Reader for Poor {
    fn read(&mut self, annotations: &[&Candidate]) -> Result<Reading, Unread> {
        match annotations.len() {
            0..=2 => Ok(Reading { program: self.0.clone(), marks: None }),
            _ => Err(Unread::Stop(Stop::Work { limit: 1 })),
        }
    }
}

#[test]
fn a_half_is_kept_where_the_budget_is_too_small_for_all() {
    let options = Options::with(&[Property::Assert], Own::default());
    let mut reader = Poor(parse("shared x: i32; procedure main() { x := 1; } thread main main;"));
    let mut pruning =
        Pruning { reader: &mut reader, options: &options, checks: 0, misplaced: Vec::new() };
    let mut run = Run::silent(Budget::work(10_000_000));
    let mut held = pruning.prune(Vec::new(), &mut run).expect("a small program");
    let all = ["a", "b", "c", "d"].map(candidate);
    let whole = pruning.extend(&mut held, all.to_vec(), &mut run).expect("a small program");
    assert!(!whole);
    assert_eq!(held.kept, all[..2]);
}

#[test]
fn without_a_budget_there_is_no_answer() {
    let options = Options::with(&[Property::Assert], Own::default());
    let mut reader =
        Refusing(parse("shared x: i32; procedure main() { x := 1; } thread main main;"));
    let mut pruning =
        Pruning { reader: &mut reader, options: &options, checks: 0, misplaced: Vec::new() };
    let mut run = Run::silent(Budget::work(1));
    run.clock().spend(1);
    let stop = pruning.prune(Vec::new(), &mut run).err();
    assert_eq!(stop, Some(Stop::Work { limit: 1 }));
}

#[test]
fn what_is_not_proved_is_looked_at_first() {
    let survey = survey(SPIN_LOCK);
    let line = |name: &str| {
        let there = survey.accesses.iter().find(|access| {
            let (object, _) = access.place.object.expect("a variable");
            survey.program.objects[object].name == name
        });
        there.expect("an access").line.clone()
    };
    let flag = line("flag");
    let near = guess::values(&survey.near(&std::collections::BTreeSet::from([flag.as_str()])));
    has(&near, "global_invariant flag == 0 || flag == 1;");
    assert!(texts(&near).len() < texts(&guess::values(&survey)).len());
}

#[test]
fn functions_with_a_contract_require_what_they_are_given() {
    let found = guess::locks(&survey(
        "shared x: i32;
        procedure add(n: i32, p: ptr) { x := n; }
        procedure work() { local p: ptr; p := alloc heap i32; call add(2, p); call add(5, p); }
        thread any work;
        contract add { modifies \"x\" {} at &x: i32; }",
    ));
    let texts = texts(&found);
    for text in ["requires n >= 2;", "requires n <= 5;", "requires p != 0;"] {
        assert!(texts.iter().any(|found| found.ends_with(text)), "`{text}` is not in {texts:#?}");
    }
}
