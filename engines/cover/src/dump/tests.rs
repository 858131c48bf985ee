//! The paper's tables for the decrement, and the ticket lock's moves against its templates.

use std::collections::BTreeSet;

use selvedge_certify::tts::{Local, Shared};
use selvedge_ir::{EdgeId, LocationId, ProcId, Property, Span};
use selvedge_smt::translate::Arithmetic;
use selvedge_smt::{Sort, Terms};
use selvedge_system::{At, End, Location, Step, System, Template, TemplateId, Variable, What};
use selvedge_verdict::{Budget, Integers, Options, Run};

use super::relation::{Relation, Row};
use super::template::template_relation;
use crate::abstraction::{AbstractSystem, Abstraction, Cause, LocalState, SharedState};
use crate::goals::Goal;
use crate::options::{GivenPredicate, Own};
use crate::predicate::parse;
use crate::subject::Subject;
use crate::watch::Watch;

const WORKER: TemplateId = TemplateId(0);
const HERE: At = At::Cut(0);

/// Any number of threads at one location, with a local `l`, that decrement it.
fn decrement(predicate: &str) -> Abstraction {
    let mut terms = Terms::new();
    let l = terms.var("worker!l", Sort::Int);
    let one = terms.int(1);
    let less = terms.sub(l, one);
    let truth = terms.bool(true);
    let local = Variable { name: "worker!l".into(), term: l, what: What::Result(WORKER) };
    let location = Location {
        location: LocationId::from_u32(0),
        atomic: false,
        live: vec![0],
        span: Span::NONE,
    };
    let step = Step {
        from: HERE,
        end: End::To(HERE),
        guard: truth,
        inputs: vec![],
        shared: vec![],
        locals: vec![(0, less)],
        spawns: vec![],
        joins: vec![],
        result: None,
        edges: Vec::<EdgeId>::new(),
        span: Span::NONE,
    };
    let number = terms.var("worker!@tid", Sort::Int);
    let tid = Variable { name: "worker!@tid".into(), term: number, what: What::Tid };
    let worker = Template {
        name: "worker".into(),
        procedure: ProcId::from_u32(0),
        pool: true,
        initial: true,
        begin: vec![],
        tid: number,
        locals: vec![local, tid],
        ranges: truth,
        locations: vec![location],
        entry: HERE,
        steps: vec![step],
        accesses: vec![],
    };
    let system = System {
        terms,
        arithmetic: Arithmetic::Math,
        model: selvedge_ir::DataModel::Lp64,
        shared: vec![],
        templates: vec![worker],
        initial: truth,
        ranges: truth,
        guessed: None,
    };
    let mut abstraction =
        Abstraction::new(system, Watch::new(&Run::silent(Budget::unlimited()), None));
    let Abstraction { system, vocabulary, predicates, .. } = &mut abstraction;
    *predicates = parse(system, vocabulary, predicate).unwrap();
    abstraction
}

/// The template for n threads, as rows `b b_P b' b_P'`.
fn template(abstraction: &mut Abstraction, witnesses: Option<usize>) -> BTreeSet<String> {
    let step = abstraction.system.templates[0].steps[0].clone();
    let relation =
        template_relation(abstraction, WORKER, &step, (WORKER, HERE), witnesses).unwrap();
    shown(&relation)
}

fn shown(relation: &Relation<Vec<bool>>) -> BTreeSet<String> {
    let letter = |bit: &bool| if *bit { 'T' } else { 'F' };
    let row = |row: &Row<Vec<bool>>| {
        let all = [&row.active, &row.passive, &row.active_after, &row.passive_after];
        all.iter().flat_map(|bits| bits.iter()).map(letter).collect()
    };
    relation.rows().map(row).collect()
}

fn rows(list: &[&str]) -> BTreeSet<String> {
    list.iter().map(|row| row.to_string()).collect()
}

/// Table 1, and equation (14), which says the same.
#[test]
fn decrement_against_less_two_threads() {
    let mut abstraction = decrement("l < \\other(l)");
    let found = template(&mut abstraction, Some(0));
    assert_eq!(found, rows(&["FFTF", "FTFF", "FTFT", "TFTF"]));
}

/// Equation (15): a third thread adds the row in which nobody is least.
#[test]
fn decrement_against_less_three_threads() {
    let mut abstraction = decrement("l < \\other(l)");
    let found = template(&mut abstraction, Some(1));
    assert_eq!(found, rows(&["FFTF", "FTFF", "FTFT", "TFTF", "FFFF"]));
}

/// Theorem 3: nothing more comes with more threads.
#[test]
fn decrement_saturates() {
    for predicate in ["l < \\other(l)", "l == \\other(l)"] {
        let mut abstraction = decrement(predicate);
        let saturated = template(&mut abstraction, None);
        assert_eq!(saturated, template(&mut abstraction, Some(4)), "{predicate}");
        assert!(saturated.is_superset(&template(&mut abstraction, Some(1))));
    }
}

/// Table 2: the abstraction of three threads, all looked at, has these rows, and they are not
/// allowed by the template of two.
#[test]
fn decrement_three_threads_looked_at() {
    let mut abstraction = decrement("l < \\other(l)");
    let step = abstraction.system.templates[0].steps[0].clone();
    let passives = [(WORKER, HERE), (WORKER, HERE)];
    let actors = abstraction.actors(WORKER, &step);
    let mut question = abstraction.question(&actors, &step, &passives, Some(0));
    let free: Vec<_> =
        [0, 1].iter().flat_map(|&m| question.threads.iter().map(move |t| t[m][0])).collect();
    let found = question.solutions(&mut abstraction, &[], &free).unwrap();
    let text =
        |row: &Vec<bool>| -> String { row.iter().map(|b| if *b { 'T' } else { 'F' }).collect() };
    let found: BTreeSet<String> = found.iter().map(text).collect();
    for row in ["FFFFFF", "FFTFFF", "FFTFFT"] {
        assert!(found.contains(row), "{row} is not in {found:?}");
    }
    let two = template(&mut abstraction, Some(0));
    for row in ["FFFFFF", "FFTFFF", "FFTFFT"] {
        let bits: Vec<char> = row.chars().collect();
        let with =
            |p: usize| -> String { [bits[0], bits[p], bits[3], bits[3 + p]].iter().collect() };
        assert!(!two.contains(&with(1)) || !two.contains(&with(2)), "{row}");
    }
}

/// §4.1: against l = l_P, two threads agree before and after; a thread that differs blocks.
#[test]
fn decrement_against_equal_is_not_monotone() {
    let mut abstraction = decrement("l == \\other(l)");
    let found = template(&mut abstraction, None);
    assert_eq!(found, rows(&["FFFF", "FFTT", "TTFF"]));
    let step = abstraction.system.templates[0].steps[0].clone();
    let relation =
        template_relation(&mut abstraction, WORKER, &step, (WORKER, HERE), None).unwrap();
    let fragment = relation.fragment(&[vec![false], vec![true]].into());
    assert!(fragment.contains(&(vec![false], vec![true], vec![true])));
}

/// A step that can never happen says nothing about what it has in common with others.
#[test]
fn an_impossible_step_blocks_no_other() {
    let mut abstraction = decrement("l < \\other(l)");
    let step = abstraction.system.templates[0].steps[0].clone();
    let expected = template(&mut abstraction, None);
    let mut abstraction = decrement("l < \\other(l)");
    let terms = &mut abstraction.system.terms;
    let (r, zero, one) = (terms.var("r", Sort::Int), terms.int(0), terms.int(1));
    let guard = [terms.lt(r, zero), terms.lt(one, r)];
    let never = Step { guard: terms.and(&guard), ..step };
    let relation =
        template_relation(&mut abstraction, WORKER, &never, (WORKER, HERE), None).unwrap();
    assert_eq!(relation.rows().count(), 0);
    assert_eq!(template(&mut abstraction, None), expected);
}

/// The ticket lock of figure 1, without its check.
const TICKET: &str = "shared s: i32; shared t: i32;
    procedure worker() { local l: i32;
        atomic { l := t; t := t + 1; }
        wait s == l;
        atomic { s := s + 1; } }
    thread any worker;";

/// The engine asks for passive threads where a move is reached, the paper for whole templates: the
/// moves must be those of the monotone closure.
#[test]
fn reached_moves_are_those_of_the_closure() {
    let paper = ["l != \\other(l)", "t > l && t > \\other(l)", "s == l"];
    let other = ["l < \\other(l)", "s < \\other(l)", "s == l"];
    let (mut moved, mut sunk) = (0, 0);
    for predicates in [paper, other] {
        let (some, none) = compare_with_closure(&predicates);
        moved += some;
        sunk += none;
    }
    assert!(moved > 5 && sunk > 5, "{moved} moved, {sunk} to the sink");
}

/// How many moves of passive threads lead somewhere, and how many to the sink.
fn compare_with_closure(predicates: &[&str]) -> (usize, usize) {
    let program = selvedge_ir::text::parse("ticket.plato", TICKET).expect("a good program");
    let given = |text: &&str| GivenPredicate { text: text.to_string(), span: Span::NONE };
    let own = Own { predicates: predicates.iter().map(given).collect(), ..Own::default() };
    let options = Options { integers: Integers::Math, ..Options::with(&[Property::Assert], own) };
    let run = Run::silent(Budget::unlimited());
    let subject = Subject::new(&program, &options, &run).unwrap();
    let mut abstraction =
        subject.abstraction(&Goal::whole(&subject.system().unwrap()), &run).unwrap();
    let found = abstraction.explore().unwrap();
    let (mut moved, mut sunk) = (0, 0);
    for (transition, cause) in found.system.transitions.iter().zip(&found.causes) {
        let Cause::Step { template, step, actors } = cause else { continue };
        let step = abstraction.system.templates[template.index()].steps[*step].clone();
        let active = bits(&found, transition.from, &actors[0]);
        let after = bits(&found, transition.to, &actors[1]);
        for (passive, targets) in transition.passive.moves() {
            let LocalState::At { template: of, at, holds } = &found.locals[passive.0 as usize]
            else {
                continue;
            };
            let relation =
                template_relation(&mut abstraction, *template, &step, (*of, *at), None).unwrap();
            let closed = relation.targets(&active, &after, holds);
            let reached: BTreeSet<Vec<bool>> =
                targets.iter().filter_map(|local| own_bits(&found, *local)).collect();
            assert_eq!(reached, closed, "{transition} of {passive:?}");
            moved += usize::from(!closed.is_empty());
            sunk += usize::from(closed.is_empty());
        }
    }
    (moved, sunk)
}

fn bits(found: &AbstractSystem, shared: Shared, threads: &[Local]) -> Vec<bool> {
    let SharedState::Holds(shared) = &found.shared[shared.0 as usize] else { return Vec::new() };
    let own = threads.iter().filter_map(|local| own_bits(found, *local));
    shared.iter().copied().chain(own.flatten()).collect()
}

/// The truth values of a thread; none in the sink.
fn own_bits(found: &AbstractSystem, local: Local) -> Option<Vec<bool>> {
    match &found.locals[local.0 as usize] {
        LocalState::At { holds, .. } => Some(holds.clone()),
        _ => None,
    }
}
