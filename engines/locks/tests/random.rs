//! The engine and its checker against an exhaustive search, on random programs that share memory by
//! locks, most of them wrong in some small way.
//!
//! A proof of a program that the search finds wrong is a disagreement; so is a certificate of such a
//! program, made from claims that do not hold, that the checker accepts.
//!
//! A few programs by default; `SELVEDGE_RANDOM=5000` for more, `SELVEDGE_SEED` to start elsewhere.

use selvedge_certify_locks::{Certificate, Range, State, Value, check_alone};
use selvedge_explore::{Own as Search, verify_as_given};
use selvedge_ir::{Program, Property, text};
use selvedge_locks::{Own, guessed, verify};
use selvedge_passes::Limits;
use selvedge_random::Rng;
use selvedge_verdict::{Budget, Options, Run, Verdict};

const PROPERTIES: [Property; 3] = [Property::Race, Property::Assert, Property::Memory];

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Some of the properties.
fn properties(seed: u64) -> Vec<Property> {
    match seed % 3 {
        0 => vec![Property::Race],
        1 => vec![Property::Race, Property::Assert],
        _ => PROPERTIES.to_vec(),
    }
}

/// Writes programs.
struct Writer {
    rng: Rng,
    out: String,
}

impl Writer {
    fn below(&mut self, n: u64) -> u64 {
        self.rng.below(n)
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn program(mut self) -> String {
        self.line("layout i32 = scalar i32 size 4;");
        self.line("layout ptr = scalar ptr size 8;");
        self.line("layout i32[3] = array i32 count 3 size 12;");
        self.line("shared l: thread; shared m: thread; shared x: i32; shared y: i32;");
        self.line("shared a: i32[3]; shared p: ptr; shared k: thread;");
        for worker in 0..2 {
            self.line(&format!("procedure worker{worker}(q: ptr) {{"));
            self.line("local t: i32; local u: i32; local r: ptr; local i: i32;");
            for _ in 0..1 + self.below(2) {
                self.section();
            }
            self.line("}");
        }
        self.line("procedure main() {");
        self.line("local t: i32; local u: i32; local r: ptr; local i: i32; local q: ptr;");
        self.line("local s: thread; local v: thread;");
        if self.chance(60) {
            self.line("r := alloc heap i32 size 4; store *(r): i32 := 1; p := r;");
        }
        if self.chance(40) {
            self.line("x := 2;");
        }
        self.line("q := &x;");
        let first = self.below(2);
        if self.chance(25) {
            self.line("i := 0; while (i < 2) {");
            self.line(&format!("s := spawn worker{first}(q); i := i + 1; }}"));
        } else {
            self.line(&format!("s := spawn worker{first}(q);"));
            if self.chance(60) {
                let second = self.below(2);
                self.line(&format!("v := spawn worker{second}(q);"));
                if self.chance(40) {
                    self.section();
                }
                if self.chance(60) {
                    self.line("join v;");
                }
            }
        }
        if self.chance(60) {
            self.line("join s;");
        }
        if self.chance(50) {
            self.action();
        }
        self.line("}");
        self.line("thread main main;");
        self.out
    }

    /// A critical section, or one that is none.
    fn section(&mut self) {
        let lock = ["l", "m"][usize::from(self.chance(20))];
        let (locks, unlocks) = (self.chance(92), self.chance(95));
        if locks {
            self.line(&format!("lock {lock};"));
        }
        for _ in 0..1 + self.below(2) {
            self.action();
        }
        if locks && unlocks {
            self.line(&format!("unlock {lock};"));
        }
        if self.chance(4) {
            self.line("store l := none;");
        }
        if self.chance(10) {
            self.action();
        }
    }

    fn action(&mut self) {
        match self.below(11) {
            0 | 1 => self.line("t := x; x := t + 1;"),
            2 => self.line("y := 1;"),
            3 => self.line("t := y; assert t <= 1;"),
            4 => self
                .line("t := x; if (t >= 0) { if (t < 3) { store *(&a + i64(t) * 4): i32 := 1; } }"),
            5 => self
                .line("i := 0; while (i < 3) { store *(&a + i64(i) * 4): i32 := i; i := i + 1; }"),
            6 => self.line("r := p; if (r != null) { u := load *(r): i32; }"),
            7 => self.line("r := p; u := load *(r): i32;"),
            8 => self.line("r := alloc heap i32 size 4; store *(r): i32 := 3; free heap r;"),
            9 => self.line("r := alloc heap i32 size 4; store *(r): i32 := 3; p := r;"),
            _ => self.line("if (q != null) { store *(q): i32 := 1; }"),
        }
    }
}

fn program(seed: u64) -> Program {
    let writer = Writer { rng: Rng::new(seed), out: String::new() };
    let source = writer.program();
    text::parse("random.plato", &source).unwrap_or_else(|errors| {
        panic!("{}\n{source}", errors.first().map(ToString::to_string).unwrap_or_default())
    })
}

enum Truth {
    Safe,
    Unsafe,
    Open,
}

fn truth(program: &Program, properties: &[Property]) -> Truth {
    let own =
        Search { symmetry: false, max_states: Some(20_000), walks: false, ..Search::default() };
    let options = Options::with(properties, own);
    match verify_as_given(program, &options, &mut Run::silent(Budget::unlimited())) {
        Ok(Verdict::Safe(_)) => Truth::Safe,
        Ok(Verdict::Unsafe(_)) => Truth::Unsafe,
        Err(_) => Truth::Open,
    }
}

#[test]
fn proofs_and_certificates_are_of_programs_that_are_right() {
    let (first, count) = (number("SELVEDGE_SEED", 0), number("SELVEDGE_RANDOM", 150));
    let (mut safe, mut wrong, mut proved, mut refused) = (0, 0, 0, 0);
    for seed in first..first + count {
        let (program, properties) = (program(seed), properties(seed));
        let options = Options::with(&properties, Own);
        let mut run = Run::silent(Budget::unlimited());
        let found = verify(&program, &options, &mut run);
        let shown = || format!("seed {seed}\n{}", text::print(&program));
        match truth(&program, &properties) {
            Truth::Safe => {
                safe += 1;
                proved += u64::from(found.is_ok());
            }
            Truth::Unsafe => {
                wrong += 1;
                assert!(found.is_err(), "SAFE of a wrong program, {}", shown());
                let Ok(certificate) = guessed(&program, &options, &run) else { continue };
                for tampered in tampered(certificate, seed) {
                    let answer = check_alone(&tampered, &Limits::none());
                    assert!(answer.is_err(), "accepted:\n{}\n{}", tampered.to_json(), shown());
                    refused += 1;
                }
            }
            // A search that nobody can follow to its end has gone wrong or is too large.
            Truth::Open => {}
        }
    }
    println!("{safe} safe, {proved} proved; {wrong} wrong, {refused} certificates refused");
    assert!(proved > safe / 4, "{proved} proofs of {safe} programs: they test nothing");
    assert!(refused > count / 4, "{refused} certificates refused: they test nothing");
}

/// The certificate, and others that claim more.
fn tampered(certificate: Certificate, seed: u64) -> Vec<Certificate> {
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut all = vec![certificate];
    for _ in 0..12 {
        let mut next = all[rng.below(all.len() as u64) as usize].clone();
        for _ in 0..1 + rng.below(3) {
            tamper(&mut next, &mut rng);
        }
        all.push(next);
    }
    all
}

fn tamper(certificate: &mut Certificate, rng: &mut Rng) {
    let some = |rng: &mut Rng, len: usize| (len > 0).then(|| rng.below(len as u64) as usize);
    match rng.below(9) {
        0 => {
            if let Some(at) = some(rng, certificate.contents.len()) {
                certificate.contents.remove(at);
            }
        }
        1 => {
            if let Some(at) = some(rng, certificate.contents.len()) {
                narrow(&mut certificate.contents[at].1, rng);
            }
        }
        2 => {
            if let Some(at) = some(rng, certificate.owners.len()) {
                certificate.owners.remove(at);
            }
        }
        3 => {
            if let (Some(cell), Some(lock)) =
                (some(rng, certificate.contents.len()), some(rng, certificate.locks.len()))
            {
                let (cell, lock) = (certificate.contents[cell].0, certificate.locks[lock]);
                certificate.guards.push((cell, lock));
            }
        }
        4 => {
            if let Some(at) = some(rng, certificate.states.len()) {
                let locks = certificate.locks.iter().copied();
                certificate.states[at].2.held = std::sync::Arc::new(locks.collect());
            }
        }
        5 => {
            if let Some(at) = some(rng, certificate.states.len()) {
                certificate.states[at].2.beside = Default::default();
            }
        }
        6 => {
            if let Some(at) = some(rng, certificate.states.len()) {
                let State { locals, .. } = &mut certificate.states[at].2;
                if let Some(at) = some(rng, locals.len()) {
                    locals.values_mut().skip(at).take(1).for_each(|value| narrow(value, rng));
                }
            }
        }
        7 => {
            if let Some(at) = some(rng, certificate.states.len()) {
                certificate.states[at].2.dead.clear();
            }
        }
        _ => {
            if let Some(at) = some(rng, certificate.states.len()) {
                let State { view, .. } = &mut certificate.states[at].2;
                if let Some(at) = some(rng, view.len()) {
                    view.values_mut().skip(at).take(1).for_each(|value| narrow(value, rng));
                }
            }
        }
    }
}

/// Claims more of a value.
fn narrow(value: &mut Value, rng: &mut Rng) {
    match value {
        Value::Numbers(range) => {
            *range = Range::one(if rng.below(2) == 0 { range.lo } else { range.hi })
        }
        Value::Pointer(pointer) if pointer.null && !pointer.to.is_empty() => pointer.null = false,
        Value::Pointer(pointer) => {
            pointer.to.pop();
        }
        Value::Thread(thread) => thread.none = false,
        Value::Any => *value = Value::NULL,
    }
}
