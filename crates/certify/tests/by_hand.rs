//! Certificates written by hand: the checker accepts them, and none of their mutations.

use selvedge_certify::{
    Accepted, Arithmetic, Certificate, Changer, Counter, Entry, Exposed, Rejected, Relation,
    check_alone,
};
use selvedge_ir::text;
use selvedge_passes::Options;
use selvedge_smt::Limits;

/// Entries of a relation: locations with blanks between, and a formula.
type Entries<'a> = &'a [(&'a str, &'a str)];

fn certificate(program: &str, options: &Options, arithmetic: Arithmetic) -> Certificate {
    let program = text::parse("by hand", program).expect("a program");
    Certificate::new("by hand", &program, options, arithmetic)
}

fn relate(certificate: &mut Certificate, shape: &[&str], entries: Entries<'_>) {
    let entry = |(at, formula): &(&str, &str)| Entry {
        at: at.split_whitespace().map(str::to_owned).collect(),
        formula: (*formula).to_owned(),
    };
    certificate.relations.push(Relation {
        shape: shape.iter().map(|name| (*name).to_owned()).collect(),
        entries: entries.iter().map(entry).collect(),
    });
}

fn check(certificate: &Certificate) -> Result<Accepted, Rejected> {
    check_alone(certificate, &Limits::none())
}

#[track_caller]
fn accepted(certificate: &Certificate) {
    match check(certificate) {
        Ok(accepted) => assert!(accepted.obligations > 0),
        Err(rejected) => panic!("{rejected}"),
    }
}

#[track_caller]
fn fails(certificate: &Certificate, why: &str) {
    match check(certificate) {
        Err(Rejected::Fails(failure)) => {
            assert!(failure.to_string().contains(why), "{failure}");
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn malformed(certificate: &Certificate, why: &str) {
    match check(certificate) {
        Err(Rejected::Malformed(text)) => assert!(text.contains(why), "{text}"),
        other => panic!("{other:?}"),
    }
}

/// Every certificate that differs from an accepted one by a missing entry, or by an entry that is
/// false, must be rejected.
fn all_entries_matter(certificate: &Certificate) {
    for relation in 0..certificate.relations.len() {
        for entry in 0..certificate.relations[relation].entries.len() {
            let mut dropped = certificate.clone();
            let gone = dropped.relations[relation].entries.remove(entry);
            assert!(matches!(check(&dropped), Err(Rejected::Fails(_))), "without {gone:?}");
            let mut closed = certificate.clone();
            closed.relations[relation].entries[entry].formula = "false".to_owned();
            assert!(matches!(check(&closed), Err(Rejected::Fails(_))), "with false for {gone:?}");
        }
    }
}

/// As accepted, with other text in its formulas.
fn with(certificate: &Certificate, from: &str, to: &str) -> Certificate {
    let mut changed = certificate.clone();
    let mut found = false;
    for relation in &mut changed.relations {
        for entry in &mut relation.entries {
            found |= entry.formula.contains(from);
            entry.formula = entry.formula.replace(from, to);
        }
    }
    assert!(found, "{from}");
    changed
}

/// As accepted, about a program that differs.
fn about(certificate: &Certificate, program: &str) -> Certificate {
    let program = text::parse("changed", program).expect("a program");
    Certificate { program: text::print(&program), ..certificate.clone() }
}

const MUTEX: &str = "shared x: i32; shared m: thread;
    procedure worker() { lock m; x := x + 1; assert x == 1 \"alone\"; x := x - 1; unlock m; }
    thread any worker;";

fn mutex() -> Certificate {
    let options = Options { reduce: false, ..Options::default() };
    let mut certificate = certificate(MUTEX, &options, Arithmetic::Integers);
    let free = "(=> (= m 0) (= x 0))";
    relate(
        &mut certificate,
        &["worker"],
        &[
            ("unstarted", free),
            ("L0", free),
            ("L1", "(and (= m worker!tid) (= x 0))"),
            ("L2", "(and (= m worker!tid) (= x 0) (= worker!$1 0))"),
            ("L3", "(and (= m worker!tid) (= x 1))"),
            ("L4", "(and (= m worker!tid) (= x 1) (= worker!$2 1))"),
            ("L5", "(and (= m worker!tid) (= x 1))"),
            ("L6", "(and (= m worker!tid) (= x 1) (= worker!$3 1))"),
            ("L7", "(and (= m worker!tid) (= x 0))"),
            ("ended", free),
        ],
    );
    certificate
}

#[test]
fn a_mutex_protects_a_counter_from_any_number_of_threads() {
    let certificate = mutex();
    accepted(&certificate);
    all_entries_matter(&certificate);
    fails(&with(&certificate, "(= m worker!tid)", "true"), "not kept by a step of another");
    fails(&with(&certificate, "(= worker!$2 1)", "true"), "assert: alone");
    fails(&with(&certificate, "(=> (= m 0) (= x 0))", "true"), "not kept by a step of its own");
    fails(&with(&certificate, "(=> (= m 0) (= x 0))", "(= m 0)"), "another");
}

#[test]
fn the_same_with_bit_vectors() {
    let mut certificate = mutex();
    certificate.arithmetic = Arithmetic::Bits;
    malformed(&certificate, "not understood");
    for number in ["0", "1"] {
        let word = format!("#x0000000{number}");
        for start in ["(= x ", "(= m ", "(= worker!$1 ", "(= worker!$2 ", "(= worker!$3 "] {
            let (from, to) = (format!("{start}{number})"), format!("{start}{word})"));
            for entry in &mut certificate.relations[0].entries {
                entry.formula = entry.formula.replace(&from, &to);
            }
        }
    }
    accepted(&certificate);
    all_entries_matter(&certificate);
}

#[test]
fn a_certificate_does_not_carry_over_to_a_program_with_a_bug() {
    let certificate = mutex();
    for broken in [
        MUTEX.replace("lock m; x := x + 1", "skip; x := x + 1"),
        MUTEX.replace("x := x - 1", "x := x - 2"),
        MUTEX.replace("shared x: i32;", "shared x: i32 = 1;"),
        MUTEX.replace("assert x == 1", "assert x == 0"),
    ] {
        let changed = about(&certificate, &broken);
        assert!(check(&changed).is_err(), "{broken}");
    }
}

fn handshake() -> Certificate {
    let program = "shared x: i32;
        procedure a() { atomic { x := x + 1; } assert x <= 2 \"two\"; }
        thread 2 a;";
    let mut certificate = certificate(program, &Options::default(), Arithmetic::Integers);
    for thread in ["a", "a#2"] {
        let exposed = Exposed { thread: thread.to_owned(), local: None };
        certificate.ghosts.exposed.push(exposed);
    }
    let moved = |other: &str| format!("(ite (= |${other}| 0) 0 1)");
    for (thread, other) in [("a", "a#2"), ("a#2", "a")] {
        let before = format!("(= x {})", moved(other));
        let behind = format!("(= x (+ 1 {}))", moved(other));
        relate(
            &mut certificate,
            &[thread],
            &[("L0", &before), ("L2", &behind), ("ended", &behind)],
        );
    }
    certificate
}

#[test]
fn exposed_locations_make_two_increments_countable() {
    let certificate = handshake();
    accepted(&certificate);
    all_entries_matter(&certificate);
    let mut hidden = certificate.clone();
    hidden.ghosts.exposed.pop();
    malformed(&hidden, "a#2");
    fails(&with(&certificate, "(= |$a| 0)", "(= |$a| 2)"), "initially");
}

fn ticket_lock() -> Certificate {
    let program = "shared next: u8; shared serving: u8; shared inside: i32;
        procedure worker() {
            local t: u8;
            atomic { t := next; next := next + 1; }
            wait serving == t;
            atomic { inside := inside + 1; }
            assert inside == 1 \"alone\";
            atomic { inside := inside - 1; serving := serving + 1; }
        }
        thread any worker;";
    let mut certificate = certificate(program, &Options::default(), Arithmetic::Math);
    relate(
        &mut certificate,
        &[],
        &[("", "(and (<= serving next) (=> (= serving next) (= inside 0)))")],
    );
    relate(
        &mut certificate,
        &["worker"],
        &[
            ("unstarted", "true"),
            ("L0", "true"),
            (
                "L3",
                "(and (<= serving worker!t) (< worker!t next) \
                      (=> (= serving worker!t) (= inside 0)))",
            ),
            ("L5", "(and (< serving next) (= inside 0))"),
            ("L7", "(and (< serving next) (= inside 1))"),
            ("L9", "(and (< serving next) (= inside 1))"),
            ("ended", "true"),
        ],
    );
    let places = ["unstarted", "L0", "L3", "L5", "L7", "L9", "ended"];
    let critical = ["L5", "L7", "L9"];
    let mut entries = Vec::new();
    for a in places {
        for b in places {
            let formula = match (a, b) {
                ("L3", "L3") => "(not (= worker!t |worker@2!t|))",
                ("L3", _) if critical.contains(&b) => "(< serving worker!t)",
                (_, "L3") if critical.contains(&a) => "(< serving |worker@2!t|)",
                _ if critical.contains(&a) && critical.contains(&b) => continue,
                _ => "true",
            };
            entries.push((format!("{a} {b}"), formula));
        }
    }
    let entries: Vec<(&str, &str)> = entries.iter().map(|(at, f)| (at.as_str(), *f)).collect();
    relate(&mut certificate, &["worker", "worker"], &entries);
    certificate
}

#[test]
fn a_ticket_lock_needs_pairs() {
    let certificate = ticket_lock();
    accepted(&certificate);
    all_entries_matter(&certificate);
    let mut alone = certificate.clone();
    alone.relations.pop();
    fails(&alone, "another thread");
    fails(&with(&certificate, "(not (= worker!t |worker@2!t|))", "true"), "not kept");
    // With tickets of eight bits, the 257th thread has the first one's.
    let mut machine = certificate.clone();
    machine.arithmetic = Arithmetic::Integers;
    fails(&machine, "not kept");
}

fn reference_counter() -> Certificate {
    let program = "shared count: i32; shared dead: bool;
        procedure user() {
            atomic { assume !dead; count := count + 1; }
            assert !dead \"alive\";
            atomic { count := count - 1; if (count == 0) { dead := true; } }
        }
        thread any user;";
    let mut certificate = certificate(program, &Options::default(), Arithmetic::Math);
    certificate.ghosts.counters.push(Counter {
        name: "users".to_owned(),
        thread: "user".to_owned(),
        locations: vec!["L4".to_owned(), "L6".to_owned()],
    });
    relate(&mut certificate, &[], &[("", "(= count |%users|)")]);
    let alive = "(not dead)";
    relate(
        &mut certificate,
        &["user"],
        &[("unstarted", "true"), ("L0", "true"), ("L4", alive), ("L6", alive), ("ended", "true")],
    );
    certificate
}

fn busy_flag() -> Certificate {
    let program = "shared busy: bool; shared data: i32;
        procedure user() {
            local mine: bool;
            atomic { mine := !busy; busy := true; }
            if (mine) { data := 1; assert data == 1 \"mine\"; data := 0; busy := false; }
        }
        thread any user;";
    let mut certificate = certificate(program, &Options::default(), Arithmetic::Integers);
    certificate.ghosts.changers.push(Changer { variable: "busy".to_owned() });
    let mine = "(and busy (= |^busy| user!tid))";
    let written = "(and busy (= |^busy| user!tid) (= data 1))";
    relate(
        &mut certificate,
        &["user"],
        &[
            ("unstarted", "true"),
            ("L0", "true"),
            ("L4", mine),
            ("L5", written),
            ("L7", mine),
            ("L8", mine),
            ("ended", "true"),
        ],
    );
    certificate
}

#[test]
fn a_flag_belongs_to_the_thread_that_changed_it_last() {
    let certificate = busy_flag();
    accepted(&certificate);
    all_entries_matter(&certificate);
    fails(&with(&certificate, "(= |^busy| user!tid)", "true"), "not kept");
    let mut gone = certificate.clone();
    gone.ghosts.changers.pop();
    malformed(&gone, "^busy");
    let mut twice = certificate.clone();
    twice.ghosts.changers.push(Changer { variable: "busy".to_owned() });
    malformed(&twice, "twice");
    let mut strange = certificate.clone();
    strange.ghosts.changers[0].variable = "lazy".to_owned();
    malformed(&strange, "no shared scalar");
}

#[test]
fn a_reference_counter_counts_its_users() {
    let certificate = reference_counter();
    accepted(&certificate);
    all_entries_matter(&certificate);
    let mut narrow = certificate.clone();
    narrow.ghosts.counters[0].locations.pop();
    fails(&narrow, "not kept");
    let mut gone = certificate.clone();
    gone.ghosts.counters.pop();
    malformed(&gone, "%users");
    let mut endless = certificate.clone();
    endless.ghosts.counters[0].locations.push("unstarted".to_owned());
    malformed(&endless, "endlessly");
    let mut twice = certificate.clone();
    let again = twice.ghosts.counters[0].clone();
    twice.ghosts.counters.push(again);
    malformed(&twice, "two counters");
}

#[test]
fn a_join_waits_for_the_end() {
    let program = "shared x: i32;
        procedure worker() { x := 1; }
        procedure main() {
            local t: thread;
            t := spawn worker();
            join t;
            assert x == 1 \"done\";
        }
        thread main main;";
    let mut certificate = certificate(program, &Options::default(), Arithmetic::Integers);
    let set = "(=> worker.done (= x 1))";
    relate(
        &mut certificate,
        &["main"],
        &[("L0", set), ("L1", &format!("(and {set} (= main!t 2))"))],
    );
    relate(&mut certificate, &["worker"], &[("unstarted", "true"), ("L0", "true"), ("ended", set)]);
    accepted(&certificate);
    all_entries_matter(&certificate);
    // Which thread it waits for, the checker finds out itself.
    accepted(&with(&certificate, "(= main!t 2)", "true"));
    let earlier = program.replace("join t;", "skip;");
    assert!(check(&about(&certificate, &earlier)).is_err());
    let wrong = program.replace("x := 1;", "x := 2;");
    fails(&about(&certificate, &wrong), "not kept by a step of another");
}

#[test]
fn races_are_excluded_where_they_are_claimed() {
    let program = "shared x: i32; shared m: thread;
        procedure worker() { lock m; x := x + 1; unlock m; }
        thread any worker;";
    let options = Options {
        properties: vec![selvedge_ir::Property::Race],
        reduce: false,
        ..Options::default()
    };
    let mut certificate = certificate(program, &options, Arithmetic::Integers);
    let mine = "(= m worker!tid)";
    relate(
        &mut certificate,
        &["worker"],
        &[
            ("unstarted", "true"),
            ("L0", "true"),
            ("L1", mine),
            ("L2", mine),
            ("L3", mine),
            ("ended", "true"),
        ],
    );
    accepted(&certificate);
    fails(&with(&certificate, mine, "true"), "data race on x");
    let unlocked = program.replace("lock m; x", "skip; x");
    assert!(check(&about(&certificate, &unlocked)).is_err());
}

#[test]
fn what_has_no_meaning_is_malformed() {
    let certificate = mutex();
    let changed = |change: &dyn Fn(&mut Certificate)| {
        let mut copy = certificate.clone();
        change(&mut copy);
        copy
    };
    let formula = |text: &str| {
        let text = text.to_owned();
        changed(&move |c| c.relations[0].entries[0].formula.clone_from(&text))
    };
    malformed(&formula("(forall ((y Int)) (= y x))"), "not understood");
    malformed(&formula("(f x)"), "not understood");
    malformed(&formula("y"), "not understood");
    malformed(&formula("(= |worker@2!$1| 0)"), "worker@2!$1");
    // A local that has not been live yet may have any value of its type.
    accepted(&formula("(and (=> (= m 0) (= x 0)) (<= worker!$1 2147483647))"));
    fails(&formula("(and (=> (= m 0) (= x 0)) (= worker!$1 0))"), "initially");
    let late = |text: &str| {
        let text = text.to_owned();
        changed(&move |c| c.relations[0].entries[9].formula.clone_from(&text))
    };
    fails(&late("(and (=> (= m 0) (= x 0)) (= worker!$3 1))"), "not kept");
    malformed(&formula("(= input#2 0)"), "not understood");
    malformed(&formula("x"), "no truth value");
    malformed(&formula("(= x"), "");
    malformed(&formula("(= x true)"), "not understood");
    malformed(&changed(&|c| c.relations[0].shape[0] = "boss".into()), "boss");
    malformed(&changed(&|c| c.relations[0].entries[1].at[0] = "L99".into()), "L99");
    malformed(&changed(&|c| c.relations[0].entries[1].at[0] = "L01".into()), "L01");
    malformed(&changed(&|c| c.relations[0].entries[1].at.clear()), "locations are needed");
    malformed(
        &changed(&|c| {
            let again = c.relations[0].entries[0].clone();
            c.relations[0].entries.push(again);
        }),
        "two entries",
    );
    malformed(&changed(&|c| c.program.push_str("procedure")), "cannot be read");
    malformed(&changed(&|c| c.program = c.program.replace("assert $2 == 1", "assert $2")), "");
    malformed(&changed(&|c| c.properties.push(selvedge_ir::Property::Deadlock)), "deadlock");
    malformed(&changed(&|c| c.properties.clear()), "no property");
    malformed(&changed(&|c| c.version = 7), "version");
    malformed(
        &changed(&|c| {
            c.ghosts.exposed.push(Exposed { thread: "worker".into(), local: None });
        }),
        "pool",
    );
    fails(&changed(&|c| c.relations.clear()), "assert: alone");
}

#[test]
fn another_program_is_noticed() {
    let certificate = mutex();
    let program = text::parse("p", MUTEX).expect("a program");
    let limits = Limits::none();
    assert!(selvedge_certify::check(&program, &certificate, &limits).is_ok());
    let other = text::parse("p", &MUTEX.replace("x - 1", "x - 2")).expect("a program");
    let result = selvedge_certify::check(&other, &certificate, &limits);
    assert!(matches!(result, Err(Rejected::OtherProgram(_))), "{result:?}");
}
