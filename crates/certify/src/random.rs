//! Random programs against the search: what the checker accepts must be safe.
//!
//! For small finite programs the strongest certificate is the set of reachable states, which is
//! enumerated here by evaluating the checker's own steps. It must be accepted where the search finds
//! the program safe. Whatever it is weakened to, projected to, or claimed for: no certificate may be
//! accepted for a program that the search finds unsafe. That would show as well a step that the
//! checker does not know of.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use selvedge_explore::{self as explore, Own};
use selvedge_ir::{Int, Multiplicity, Program, Property, Type, text};
use selvedge_passes::Options;
use selvedge_random::{Rng, mixed as random_program};
use selvedge_smt::{Limits, Model, Sort, Term, Value};
use selvedge_verdict::{self as verdict, Budget, Run, Stop, Verdict};

use crate::certificate::{Arithmetic, Certificate, Entry, Relation};
use crate::check::{check_alone, walk_all};
use crate::space::{At, Key, Slot, Space};
use crate::threads::ThreadId;
use crate::walk::{Access, Walked};
use crate::word::Val;

/// Reachable states beyond which a program is left out.
const STATES: usize = 120;

/// What came of a campaign.
#[derive(Debug, Default)]
struct Tally {
    programs: usize,
    /// Too large, or with inputs that cannot be enumerated.
    skipped: usize,
    pairs: usize,
    accepted: usize,
    /// Safe programs whose strongest certificate was accepted.
    complete: usize,
    safe: usize,
    unsafe_: usize,
    /// Safe programs that go beyond what the checker supports.
    unsupported: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// By thread.
    at: Vec<At>,
    values: BTreeMap<Term, Value>,
}

/// A relation in the making: for each tuple of locations alternatives, each a set of literals.
#[derive(Clone, Debug, Default)]
struct Draft {
    shape: Vec<String>,
    entries: BTreeMap<Vec<String>, BTreeSet<BTreeSet<String>>>,
}

struct World<'a> {
    space: Space<'a>,
    walked: Walked,
    properties: Vec<Property>,
}

/// The reachable states, and whether an error is among what can happen.
struct Reached {
    states: BTreeSet<State>,
    bad: bool,
}

impl World<'_> {
    fn model(&self, state: &State) -> Model {
        let mut model = Model::new();
        for (&variable, value) in &state.values {
            model.set(variable, value.clone());
        }
        model
    }

    /// The values of a thread's variables where it begins.
    fn begin(&mut self, thread: ThreadId, at: At, values: &mut BTreeMap<Term, Value>) {
        let empty = Model::new();
        for key in self.space.live(thread, at) {
            let slot = Slot { thread, copy: 1 };
            let Some(variable) = self.space.value(slot, key) else { continue };
            let initial = match key {
                Key::Own(cell) => self.space.initials[&cell],
                _ => None,
            };
            let value = match (initial, self.space.ty(thread, key)) {
                (Some(value), _) => value,
                (None, Some(ty)) => self.space.words.zero(&mut self.space.terms, ty),
                (None, None) => variable,
            };
            self.put(&empty, variable, value, values);
        }
    }

    fn put(&self, model: &Model, to: Val, from: Val, values: &mut BTreeMap<Term, Value>) {
        for (variable, term) in to.terms().into_iter().zip(from.terms()) {
            values.insert(variable, model.eval(&self.space.terms, term));
        }
    }

    fn initial(&mut self) -> State {
        let mut values = BTreeMap::new();
        let empty = Model::new();
        for variable in self.space.shared.clone() {
            let initial = variable.initial.unwrap_or(variable.value);
            self.put(&empty, variable.value, initial, &mut values);
        }
        let mut at = Vec::new();
        for thread in self.space.threads.ids() {
            let initial = self.space.threads.get(thread).initial;
            let place = if initial { self.space.start(thread) } else { At::Unstarted };
            self.begin(thread, place, &mut values);
            at.push(place);
        }
        State { at, values }
    }

    fn reach(&mut self) -> Option<Reached> {
        let first = self.initial();
        let mut reached = Reached { states: BTreeSet::from([first.clone()]), bad: false };
        let mut open = VecDeque::from([first]);
        while let Some(state) = open.pop_front() {
            reached.bad |= self.goes_wrong(&state);
            for next in self.successors(&state) {
                if reached.states.insert(next.clone()) {
                    open.push_back(next);
                }
            }
            if reached.states.len() > STATES {
                return None;
            }
        }
        Some(reached)
    }

    /// The models of a state, one for each value of the inputs.
    fn models(&self, state: &State, inputs: &[Term]) -> Vec<Model> {
        let mut models = vec![self.model(state)];
        for &input in inputs {
            let values: Vec<Value> = match self.space.terms.sort(input) {
                Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
                _ => (-2..4).map(Value::int).collect(),
            };
            let more = models.iter().flat_map(|model| {
                values.iter().map(|value| {
                    let mut model = model.clone();
                    model.set(input, value.clone());
                    model
                })
            });
            models = more.collect();
        }
        models
    }

    fn goes_wrong(&self, state: &State) -> bool {
        let terms = &self.space.terms;
        let stands = |thread: ThreadId, from: At| state.at[thread.index()] == from;
        let possible = |inputs: &[Term], guard| {
            self.models(state, inputs).iter().any(|model| model.holds(terms, guard))
        };
        let bad = self
            .walked
            .bad
            .iter()
            .any(|bad| stands(bad.thread, bad.from) && possible(&bad.inputs, bad.guard));
        let next: Vec<_> = self
            .walked
            .accesses
            .iter()
            .filter(|access| {
                stands(access.thread, access.from) && possible(&access.inputs, access.guard)
            })
            .collect();
        // Addresses do not depend on inputs in these programs.
        let model = self.model(state);
        let place = |access: &Access| {
            let at = model.eval_all(terms, &access.address.terms());
            let number = |value: &Value| value.as_int().and_then(|n| i64::try_from(n).ok());
            (number(&at[0]), number(&at[1]).unwrap_or(0), access.bytes as i64)
        };
        let race = next.iter().any(|a| {
            next.iter().any(|b| {
                let met = a.region == b.region && !self.space.memory.is_private(a.region);
                let two = a.thread != b.thread && met && a.write && (a.plain || b.plain);
                let ((object, start, size), (other, begin, length)) = (place(a), place(b));
                two && object == other && start < begin + length && begin < start + size
            })
        });
        bad || race && self.properties.contains(&Property::Race)
    }

    fn successors(&mut self, state: &State) -> Vec<State> {
        let mut found = Vec::new();
        for index in 0..self.walked.steps.len() {
            let step = self.walked.steps[index].clone();
            if state.at[step.thread.index()] != step.from {
                continue;
            }
            for model in self.models(state, &step.inputs) {
                if !model.holds(&self.space.terms, step.guard) {
                    continue;
                }
                let mut next = state.clone();
                for (&at, &value) in &step.shared {
                    let variable = self.space.shared[at].value;
                    self.put(&model, variable, value, &mut next.values);
                }
                let mut moves = vec![(step.thread, step.to, &step.own)];
                for start in &step.starts {
                    moves.push((start.thread, self.space.start(start.thread), &start.own));
                }
                for (thread, to, own) in moves {
                    self.go(&model, &mut next, thread, to, own);
                }
                found.push(next);
            }
        }
        found
    }

    fn go(
        &mut self,
        model: &Model,
        state: &mut State,
        thread: ThreadId,
        to: At,
        own: &rustc_hash::FxHashMap<Key, Val>,
    ) {
        let slot = Slot { thread, copy: 1 };
        for key in self.space.live(thread, state.at[thread.index()]) {
            for term in self.space.value(slot, key).into_iter().flat_map(Val::terms) {
                state.values.remove(&term);
            }
        }
        state.at[thread.index()] = to;
        for key in self.space.live(thread, to) {
            let variable = self.space.value(slot, key).expect("a variable of the thread");
            let value = own.get(&key).copied().expect("a value where it arrives");
            self.put(model, variable, value, &mut state.values);
        }
    }

    /// The states as a relation over some of the threads.
    fn draft(&mut self, reached: &Reached, threads: &[ThreadId]) -> Draft {
        let name = |id: &ThreadId| self.space.threads.get(*id).name.clone();
        let mut draft = Draft { shape: threads.iter().map(name).collect(), ..Draft::default() };
        for state in &reached.states {
            let at = threads.iter().map(|id| state.at[id.index()].name()).collect();
            let mut seen: BTreeSet<Term> =
                self.space.shared.iter().flat_map(|v| v.value.terms()).collect();
            for &thread in threads {
                for key in self.space.live(thread, state.at[thread.index()]) {
                    let value = self.space.value(Slot { thread, copy: 1 }, key);
                    seen.extend(value.into_iter().flat_map(Val::terms));
                }
            }
            let known = state.values.iter().filter(|(variable, _)| seen.contains(variable));
            let known: Vec<(Term, Value)> = known.map(|(v, value)| (*v, value.clone())).collect();
            let literals = known.iter().map(|(variable, value)| {
                let value = self.space.terms.show_value(value, self.space.terms.sort(*variable));
                format!("(= {} {value})", self.space.terms.show(*variable))
            });
            let literals = literals.collect();
            draft.entries.entry(at).or_default().insert(literals);
        }
        draft
    }
}

impl Draft {
    fn relation(&self) -> Relation {
        let entry = |(at, ways): (&Vec<String>, &BTreeSet<BTreeSet<String>>)| {
            let way = |literals: &BTreeSet<String>| {
                let literals: Vec<&str> = literals.iter().map(String::as_str).collect();
                format!("(and true {})", literals.join(" "))
            };
            let ways: Vec<String> = ways.iter().map(way).collect();
            Entry { at: at.clone(), formula: format!("(or false {})", ways.join(" ")) }
        };
        let entries = self.entries.iter().map(entry).collect();
        Relation { shape: self.shape.clone(), entries }
    }

    /// Makes it say less, or something else.
    fn mutate(&mut self, rng: &mut Rng) {
        let keys: Vec<Vec<String>> = self.entries.keys().cloned().collect();
        if keys.is_empty() {
            return;
        }
        let key = rng.pick(&keys).clone();
        match rng.below(6) {
            0 => drop(self.entries.remove(&key)),
            1 => drop(self.entries.insert(key, BTreeSet::from([BTreeSet::new()]))),
            2 => self.forget(rng),
            3 => {
                let ways = self.entries.entry(key).or_default();
                if let Some(way) = ways.iter().nth(rng.below(ways.len().max(1) as u64) as usize) {
                    let way = way.clone();
                    ways.remove(&way);
                }
            }
            _ => {
                let ways = self.entries.entry(key).or_default();
                let all: Vec<BTreeSet<String>> = ways.iter().cloned().collect();
                if !all.is_empty() {
                    let mut way = rng.pick(&all).clone();
                    way.pop_first();
                    ways.insert(way);
                }
            }
        }
    }

    /// Drops what is said of one variable.
    fn forget(&mut self, rng: &mut Rng) {
        let variable = |literal: &String| literal.split(' ').nth(1).map(str::to_owned);
        let literals = self.entries.values().flatten().flatten();
        let names: Vec<String> =
            literals.filter_map(variable).collect::<BTreeSet<_>>().into_iter().collect();
        if names.is_empty() {
            return;
        }
        let name = Some(rng.pick(&names).clone());
        for ways in self.entries.values_mut() {
            let kept = |way: &BTreeSet<String>| {
                way.iter().filter(|literal| variable(literal) != name).cloned().collect()
            };
            *ways = ways.iter().map(kept).collect();
        }
    }
}

/// Whether every input can be enumerated: there is none, or all integers are small.
fn enumerable(program: &Program, walked: &Walked) -> bool {
    let small = |ty: Type| match ty {
        Type::Bool => true,
        Type::Int(Int { width, .. }) => width <= 2,
        Type::Ptr | Type::Thread => false,
    };
    let bad = walked.bad.iter().map(|bad| &bad.inputs);
    let accesses = walked.accesses.iter().map(|access| &access.inputs);
    let inputs = walked.steps.iter().map(|step| &step.inputs).chain(bad).chain(accesses);
    let closed = inputs.into_iter().all(Vec::is_empty);
    let procedures = program.procedures.values();
    closed || procedures.flat_map(|p| p.locals.values()).all(|local| small(local.ty))
}

/// What the search says: safe, unsafe, or neither.
fn searched(program: &Program, properties: &[Property], any: Option<u32>) -> Option<bool> {
    let own = Own { max_states: Some(20_000), walks: false, ..Own::default() };
    let options = verdict::Options { threads: any, ..verdict::Options::with(properties, own) };
    match explore::verify(program, &options, &mut Run::silent(Budget::unlimited())) {
        Ok(Verdict::Safe(_)) => Some(true),
        Ok(Verdict::Unsafe(_)) => Some(false),
        // Undefined and unsupported behaviour are no more safe than an error.
        Err(Stop::Undefined { .. } | Stop::Unsupported { .. }) => Some(false),
        Err(_) => None,
    }
}

fn is_accepted(certificate: &Certificate) -> bool {
    check_alone(certificate, &Limits::none()).is_ok()
}

/// One program: its strongest certificate, projections, and random mutations of all of these.
fn one(seed: u64, tally: &mut Tally) {
    let mut rng = Rng::new(seed ^ 0x5eed);
    let properties = match rng.below(4) {
        0 => vec![Property::Race],
        1 => vec![Property::Memory, Property::Assert],
        _ => vec![Property::Assert],
    };
    let (reduce, fields) = (!rng.one_in(3), rng.one_in(3));
    let options = Options { properties, reduce, fields, ..Options::default() };
    compare(seed, &random_program(seed), &options, false, &mut rng, tally);
}

/// Inputs that are too many to be enumerated are tried with a few values where `some` is enough.
fn compare(
    seed: u64,
    program: &Program,
    options: &Options,
    some: bool,
    rng: &mut Rng,
    tally: &mut Tally,
) {
    let prepared = selvedge_passes::prepare(program, options);
    let mut space = Space::of(&prepared, Arithmetic::Integers);
    let pools = space.threads.list.iter().any(|thread| thread.pool);
    tally.programs += 1;
    let walked = walk_all(&mut space, &options.properties, &Limits::none()).ok();
    let walked = walked.filter(|walked| !pools && (some || enumerable(&prepared.program, walked)));
    let Some(walked) = walked else {
        tally.skipped += 1;
        return;
    };
    let mut world = World { space, walked, properties: options.properties.clone() };
    let Some(reached) = world.reach() else {
        tally.skipped += 1;
        return;
    };
    let Some(safe) = searched(program, &options.properties, None) else {
        tally.skipped += 1;
        return;
    };
    let threads: Vec<ThreadId> = world.space.threads.ids().collect();
    let whole = world.draft(&reached, &threads);
    let singles: Vec<Draft> =
        threads.iter().map(|id| world.draft(&reached, std::slice::from_ref(id))).collect();
    let empty = Certificate::new("random", program, options, Arithmetic::Integers);
    let mut claim = |drafts: &[Draft]| {
        let relations = drafts.iter().map(Draft::relation).collect();
        let certificate = Certificate { relations, ..empty.clone() };
        let accepted = is_accepted(&certificate);
        tally.pairs += 1;
        tally.accepted += usize::from(accepted);
        if accepted && !safe {
            panic!("seed {seed}: accepted for an unsafe program\n{}", certificate.to_json());
        }
        accepted
    };
    let strongest = claim(std::slice::from_ref(&whole));
    let relations = vec![whole.relation()];
    assert_eq!(
        strongest,
        !reached.bad,
        "seed {seed}: the reachable states are inductive\n{}\n{:?}",
        text::print(&prepared.program),
        check_alone(&Certificate { relations, ..empty.clone() }, &Limits::none()),
    );
    claim(&singles);
    for _ in 0..3 {
        let mut drafts = match rng.below(3) {
            0 => singles.clone(),
            1 => vec![whole.clone()],
            _ => [&singles[..], std::slice::from_ref(&whole)].concat(),
        };
        for _ in 0..1 + rng.below(3) {
            let index = rng.below(drafts.len() as u64) as usize;
            drafts[index].mutate(rng);
        }
        claim(&drafts);
    }
    tally.safe += usize::from(safe);
    tally.unsafe_ += usize::from(!safe);
    tally.complete += usize::from(safe && strongest);
    tally.unsupported += usize::from(safe && reached.bad);
}

/// The threads of one procedure, any number of them: relations that two instances suggest.
fn any_number(seed: u64, tally: &mut Tally) {
    let mut rng = Rng::new(seed ^ 0xf00d);
    let mut two = random_program(seed);
    let [thread] = &mut two.threads[..] else { return };
    if thread.count != Multiplicity::Exactly(2) {
        return;
    }
    thread.main = false;
    let mut any = two.clone();
    any.threads[0].count = Multiplicity::Any;
    let properties = if rng.one_in(3) { vec![Property::Race] } else { vec![Property::Assert] };
    let options = Options { properties, reduce: !rng.one_in(3), ..Options::default() };
    tally.programs += 1;
    let prepared = selvedge_passes::prepare(&any, &options);
    // The same locations as with any number: two instances of the program prepared for many.
    let mut as_two = prepared.clone();
    as_two.program.threads[0].count = Multiplicity::Exactly(2);
    let mut space = Space::of(&as_two, Arithmetic::Integers);
    let two = space.threads.list.len() == 2;
    let walked = walk_all(&mut space, &options.properties, &Limits::none()).ok();
    let walked = walked.filter(|walked| two && enumerable(&as_two.program, walked));
    let Some(walked) = walked else {
        tally.skipped += 1;
        return;
    };
    let mut world = World { space, walked, properties: options.properties.clone() };
    let Some(reached) = world.reach() else {
        tally.skipped += 1;
        return;
    };
    let safe = [2, 3]
        .into_iter()
        .map(|number| searched(&any, &options.properties, Some(number)))
        .all(|found| found != Some(false));
    let name = world.space.threads.list[0].name.clone();
    let threads: Vec<ThreadId> = world.space.threads.ids().collect();
    let pair = as_pool(&world.draft(&reached, &threads), &name);
    let single = as_pool(&world.draft(&reached, &threads[..1]), &name);
    let empty = Certificate::new("random", &any, &options, Arithmetic::Integers);
    for round in 0..4 {
        let mut drafts = vec![single.clone(), pair.clone()];
        if rng.one_in(3) {
            drafts.truncate(1);
        }
        for _ in 0..round {
            let index = rng.below(drafts.len() as u64) as usize;
            drafts[index].mutate(&mut rng);
        }
        let relations = drafts.iter().map(Draft::relation).collect();
        let certificate = Certificate { relations, ..empty.clone() };
        let accepted = is_accepted(&certificate);
        tally.pairs += 1;
        tally.accepted += usize::from(accepted);
        assert!(
            safe || !accepted,
            "seed {seed}: accepted for an unsafe program\n{}",
            certificate.to_json()
        );
    }
    tally.safe += usize::from(safe);
    tally.unsafe_ += usize::from(!safe);
}

/// A relation over two instances as one over two threads of a pool, one of which may not have
/// started.
fn as_pool(draft: &Draft, name: &str) -> Draft {
    let mut pool = Draft { shape: vec![name.to_owned(); draft.shape.len()], ..Draft::default() };
    let done = |literal: &String| literal.contains(".done ") || literal.contains(".done|");
    let renamed = |literal: &String| {
        let literal = literal.replace(&format!("{name}#2!"), &format!("{name}@2!"));
        // A literal about the number of a thread: 1 and 2 are the threads of the shape.
        (!done(&literal)).then_some(literal)
    };
    for (at, ways) in &draft.entries {
        let ways = ways.iter().map(|way| way.iter().filter_map(renamed).collect());
        let ways: BTreeSet<BTreeSet<String>> = ways.collect();
        for hidden in 0..1 << at.len() {
            let mut place = at.clone();
            let mut gone: Vec<String> = Vec::new();
            for (index, at) in place.iter_mut().enumerate() {
                if hidden >> index & 1 == 1 {
                    *at = "unstarted".to_owned();
                    gone.push(crate::names::local(name, index + 1, ""));
                }
            }
            let left = ways.iter().map(|way| {
                let kept = |literal: &&String| !gone.iter().any(|prefix| literal.contains(prefix));
                way.iter().filter(kept).cloned().collect::<BTreeSet<String>>()
            });
            pool.entries.entry(place).or_default().extend(left);
        }
    }
    pool
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn what_is_accepted_is_safe() {
    let (count, first) = (number("SELVEDGE_RANDOM", 60), number("SELVEDGE_SEED", 0));
    let mut tally = Tally::default();
    for seed in first..first + count {
        one(seed, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.complete > 0 && tally.unsafe_ > 0, "{tally:?}");
}

#[test]
fn what_is_accepted_is_safe_for_any_number() {
    let (count, first) = (number("SELVEDGE_RANDOM", 200), number("SELVEDGE_SEED", 0));
    let mut tally = Tally::default();
    for seed in first..first + count {
        any_number(seed, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.accepted > 0 && tally.unsafe_ > 0, "{tally:?}");
}

/// Programs that a careless view of memory of several types would call safe, and one that is.
#[test]
fn what_is_written_at_one_type_is_not_kept_at_another() {
    let cases = [
        (include_str!("../../../tests/plato/mixed_pointer_as_integer.plato"), false),
        (include_str!("../../../tests/plato/mixed_wide_over_narrow.plato"), false),
        (include_str!("../../../tests/plato/mixed_lock_overwritten.plato"), false),
        (include_str!("../../../tests/plato/mixed_race_in_part.plato"), false),
        (include_str!("../../../tests/plato/mixed_last_written.plato"), true),
    ];
    for (index, (source, safe)) in cases.into_iter().enumerate() {
        let race = source.contains("property: race");
        let properties = vec![if race { Property::Race } else { Property::Assert }];
        for fields in [false, true] {
            let options = Options { properties: properties.clone(), fields, ..Options::default() };
            let program = text::parse("mixed", source).expect("a good program");
            let mut tally = Tally::default();
            compare(index as u64, &program, &options, true, &mut Rng::new(1), &mut tally);
            let found = (tally.skipped, tally.unsafe_, tally.complete);
            assert_eq!(found, (0, usize::from(!safe), usize::from(safe)), "{source}");
        }
    }
}
