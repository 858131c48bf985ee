//! Clauses of systems built by hand.

use selvedge_ir::{DataModel, LocalId, LocationId, ProcId, Property, RegionId, Span, Type};
use selvedge_smt::horn::HornAnswer;
use selvedge_smt::translate::Arithmetic;
use selvedge_smt::{Limits, Sort, Term, Terms};
use selvedge_system::*;

use super::frame::{Frame, Level};
use super::guess;
use super::languages::languages;
use super::linear::{Facts, Tier};
use super::rules::Clauses;
use super::view::View;

struct Draft {
    system: System,
}

impl Draft {
    fn new(shared: &[(&str, i64)]) -> Draft {
        let mut terms = Terms::new();
        let mut variables = Vec::new();
        let mut initial = Vec::new();
        for &(name, value) in shared {
            let term = terms.var(name, Sort::Int);
            let what = What::Cell { region: RegionId::from_u32(0), ty: Type::Bool };
            variables.push(Variable { name: name.into(), term, what });
            let value = terms.int(value);
            initial.push(terms.eq(term, value));
        }
        let initial = terms.and(&initial);
        let ranges = terms.bool(true);
        let system = System {
            terms,
            arithmetic: Arithmetic::Math,
            model: DataModel::Lp64,
            shared: variables,
            templates: Vec::new(),
            initial,
            ranges,
            guessed: None,
        };
        Draft { system }
    }

    fn template(&mut self, name: &str, pool: bool, locals: &[&str], locations: u32) -> usize {
        let terms = &mut self.system.terms;
        let mut variables = Vec::new();
        for local in locals {
            let name = format!("{name}!{local}");
            let term = terms.var(&name, Sort::Int);
            let what = What::Local { local: LocalId::from_u32(0), ty: Type::Bool };
            variables.push(Variable { name, term, what });
        }
        let ranges = terms.bool(true);
        let tid = terms.int(0);
        let location = |_| Location {
            location: LocationId::from_u32(0),
            atomic: false,
            live: Vec::new(),
            span: Span::NONE,
        };
        self.system.templates.push(Template {
            name: name.into(),
            procedure: ProcId::from_u32(0),
            pool,
            initial: true,
            begin: Vec::new(),
            tid,
            locals: variables,
            ranges,
            locations: (0..locations).map(location).collect(),
            entry: At::Cut(0),
            steps: Vec::new(),
            accesses: Vec::new(),
        });
        self.system.templates.len() - 1
    }

    /// Guard and updates as text; an update is `x := term`, of a local with the template's name.
    fn step(&mut self, template: usize, from: u32, to: Option<u32>, guard: &str, updates: &[&str]) {
        let terms = &mut self.system.terms;
        let guard = terms.read(guard).unwrap();
        let mut shared = Vec::new();
        let mut locals = Vec::new();
        for update in updates {
            let (name, value) = update.split_once(" := ").unwrap();
            let value: Term = terms.read(value).unwrap();
            let place = |variables: &[Variable]| {
                variables.iter().position(|variable| variable.name == name).map(|i| i as u32)
            };
            match place(&self.system.shared) {
                Some(place) => shared.push((place, value)),
                None => {
                    let own = &self.system.templates[template].locals;
                    locals.push((place(own).unwrap(), value));
                }
            }
        }
        let end = match to {
            Some(u32::MAX) => End::To(At::Ended),
            Some(to) => End::To(At::Cut(to)),
            None => End::Bad(Bad::Wrong {
                property: Property::Assert,
                message: String::new(),
                span: Span::NONE,
            }),
        };
        self.system.templates[template].steps.push(Step {
            from: At::Cut(from),
            end,
            guard,
            inputs: Vec::new(),
            shared,
            locals,
            spawns: Vec::new(),
            joins: Vec::new(),
            result: None,
            edges: Vec::new(),
            span: Span::NONE,
        });
    }
}

const END: Option<u32> = Some(u32::MAX);

fn ticket_lock() -> Draft {
    let mut d = Draft::new(&[("t", 0), ("s", 0), ("c", 0)]);
    let w = d.template("w", true, &["l"], 5);
    d.step(w, 0, Some(1), "true", &["w!l := t", "t := (+ t 1)"]);
    d.step(w, 1, Some(2), "(= s |w!l|)", &[]);
    d.step(w, 2, Some(3), "true", &["c := (+ c 1)"]);
    d.step(w, 3, None, "(not (= c 1))", &[]);
    d.step(w, 3, Some(4), "(= c 1)", &["c := (+ c (- 1))"]);
    d.step(w, 4, Some(0), "true", &["s := (+ s 1)"]);
    d
}

fn bluetooth() -> Draft {
    let mut d = Draft::new(&[("pending", 1), ("flag", 0), ("event", 0), ("stopped", 0)]);
    let u = d.template("u", false, &[], 5);
    d.step(u, 0, Some(1), "true", &["flag := 1"]);
    d.step(u, 1, Some(2), "true", &["pending := (+ pending (- 1))"]);
    d.step(u, 2, Some(3), "(= pending 0)", &["event := 1"]);
    d.step(u, 2, Some(3), "(not (= pending 0))", &[]);
    d.step(u, 3, Some(4), "(= event 1)", &["stopped := 1"]);
    let w = d.template("w", true, &[], 6);
    d.step(w, 0, Some(1), "true", &["pending := (+ pending 1)"]);
    d.step(w, 1, Some(3), "(= flag 1)", &[]);
    d.step(w, 1, Some(2), "(= flag 0)", &[]);
    d.step(w, 2, None, "(= stopped 1)", &[]);
    d.step(w, 2, Some(3), "(= stopped 0)", &[]);
    d.step(w, 3, Some(4), "true", &["pending := (+ pending (- 1))"]);
    d.step(w, 4, END, "(= pending 0)", &["event := 1"]);
    d.step(w, 4, END, "(not (= pending 0))", &[]);
    d
}

fn solve(mut draft: Draft, level: &Level) -> HornAnswer {
    let mut terms = std::mem::take(&mut draft.system.terms);
    let view = View::of(&mut terms, &draft.system, &Limits::none());
    let limits = Limits::none();
    let facts = Facts::of(&mut terms, &view, &limits).up_to(&view, level.facts);
    let frame = Frame::new(&view, level, &facts);
    let clauses = Clauses::of(&mut terms, &frame, &limits).unwrap();
    let answer = clauses.horn.solve(&mut terms, &limits);
    if let HornAnswer::Solution(solution) = &answer {
        assert!(clauses.horn.check(&mut terms, solution, &limits).is_ok());
    }
    answer
}

fn is_refuted(draft: Draft, level: &Level) -> bool {
    matches!(solve(draft, level), HornAnswer::Refuted(_))
}

fn is_proved(draft: Draft, level: &Level) -> bool {
    matches!(solve(draft, level), HornAnswer::Solution(_))
}

#[test]
fn ticket_lock_needs_pairs() {
    let level = |others| Level { core: vec![], others, facts: Tier::Bounded };
    assert!(is_refuted(ticket_lock(), &level(1)));
    assert!(is_proved(ticket_lock(), &level(2)));
}

#[test]
fn bluetooth_needs_a_count() {
    let level = |facts| Level { core: vec![0], others: 1, facts };
    assert!(is_refuted(bluetooth(), &level(Tier::Bounded)));
    assert!(is_proved(bluetooth(), &level(Tier::Present)));
}

/// The count equals the workers inside, and one before the unload thread has taken its own away.
#[test]
fn bluetooth_counts() {
    let mut draft = bluetooth();
    let mut terms = std::mem::take(&mut draft.system.terms);
    let view = View::of(&mut terms, &draft.system, &Limits::none());
    let facts = Facts::of(&mut terms, &view, &Limits::none());
    let [equality] = facts.equalities.as_slice() else { panic!("{:?}", facts.equalities) };
    assert_eq!(equality.variables, [(0, 1)]);
    let (unload, worker) = (&equality.locations[0], &equality.locations[1]);
    assert!([0, 1].iter().all(|&at| unload[&At::Cut(at)] == -1) && unload.len() == 2);
    assert!([1, 2, 3].iter().all(|&at| worker[&At::Cut(at)] == -1) && worker.len() == 3);
    assert_eq!(equality.constant, 0);
}

/// Two threads inside a section that a flag guards: the flag counts them, and is at most one.
#[test]
fn facts_exclude_places() {
    let mut draft = Draft::new(&[("m", 0)]);
    let w = draft.template("w", true, &[], 2);
    draft.step(w, 0, Some(1), "(= m 0)", &["m := 1"]);
    draft.step(w, 1, Some(0), "(= m 1)", &["m := 0"]);
    draft.step(w, 1, None, "(= m 0)", &[]);
    let mut terms = std::mem::take(&mut draft.system.terms);
    let view = View::of(&mut terms, &draft.system, &Limits::none());
    let facts = Facts::of(&mut terms, &view, &Limits::none());
    assert_eq!(facts.tiers(&view), [Tier::Bounded]);
    assert!(facts.allow(&view, &[(w, At::Cut(1)), (w, At::Cut(0))]));
    assert!(!facts.allow(&view, &[(w, At::Cut(1)), (w, At::Cut(1))]));
}

/// Whether a guess excludes all bad steps, with pairs of features or without.
fn is_guessed(mut draft: Draft, others: usize, pairs: bool) -> bool {
    let mut terms = std::mem::take(&mut draft.system.terms);
    let view = View::of(&mut terms, &draft.system, &Limits::none());
    let limits = Limits::none();
    let level = Level { core: vec![], others, facts: Tier::Bounded };
    let facts = Facts::of(&mut terms, &view, &limits).up_to(&view, level.facts);
    let frame = Frame::new(&view, &level, &facts);
    let clauses = Clauses::of(&mut terms, &frame, &limits).unwrap();
    let languages = languages(&mut terms, &frame, &clauses, pairs);
    let (solution, open) =
        guess::strongest(&mut terms, &clauses.horn, &languages, None, &limits).unwrap();
    let broken = clauses.horn.check(&mut terms, &solution, &limits);
    assert_eq!(broken.is_ok(), open.is_empty(), "{broken:?}");
    open.is_empty()
}

#[test]
fn a_ticket_lock_is_guessed() {
    assert!(!is_guessed(ticket_lock(), 1, true));
    assert!(is_guessed(ticket_lock(), 2, true));
}

/// One thread at a time goes in steps of two, while it is below a bound.
fn strides(error: &str) -> Draft {
    let mut d = Draft::new(&[("m", 0), ("x", 1)]);
    let w = d.template("w", true, &["l"], 3);
    d.step(w, 0, Some(1), "(= m 0)", &["m := 1"]);
    d.step(w, 1, Some(2), "(<= x 8)", &["w!l := x"]);
    d.step(w, 2, None, error, &[]);
    d.step(w, 2, Some(0), "true", &["x := (+ |w!l| 2)", "m := 0"]);
    d
}

#[test]
fn remainders_and_bounds_are_guessed() {
    assert!(is_guessed(strides("(= |w!l| 4)"), 1, false));
    assert!(is_guessed(strides("(< 8 |w!l|)"), 1, false));
    assert!(!is_guessed(strides("(= |w!l| 5)"), 1, true));
}

/// A flag says which of two values another variable has: only pairs of features tell.
#[test]
fn pairs_are_guessed() {
    let draft = || {
        let mut d = Draft::new(&[("m", 0), ("flag", 0), ("x", 0)]);
        let w = d.template("w", true, &[], 1);
        d.step(w, 0, Some(0), "(= flag 0)", &["flag := 1", "x := 7"]);
        d.step(w, 0, Some(0), "(= flag 1)", &["flag := 0", "x := 0"]);
        d.step(w, 0, None, "(and (= flag 1) (= x 0))", &[]);
        d
    };
    assert!(!is_guessed(draft(), 1, false));
    assert!(is_guessed(draft(), 1, true));
}

/// A count of threads of two kinds is bounded where a lock lets in one of each.
#[test]
fn sums_of_equalities_bound() {
    let mut d = Draft::new(&[("a", 0), ("b", 0), ("count", 0)]);
    let w = d.template("w", true, &[], 3);
    d.step(w, 0, Some(1), "(= a 0)", &["a := 1", "count := (+ count 1)"]);
    d.step(w, 1, Some(0), "(= a 1)", &["a := 0", "count := (+ count (- 1))"]);
    d.step(w, 0, Some(2), "(= b 0)", &["b := 1", "count := (+ count (- 1))"]);
    d.step(w, 2, Some(0), "(= b 1)", &["b := 0", "count := (+ count 1)"]);
    d.step(w, 0, None, "(< 1 count)", &[]);
    let level = Level { core: vec![], others: 1, facts: Tier::Present };
    assert!(is_proved(d, &level));
}
