//! Checking a certificate: one walk over the program, from the locations that it speaks of.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{
    Action, LocationId, ProcId, Program, Property, Sharing, Span, check as well_formed,
};
use selvedge_passes::{Limits, Prepared, Unprepared, orders};

use crate::certificate::Certificate;
use crate::eval::Why;
use crate::races::{Accesses, Company};
use crate::state::{Lock, State};
use crate::step::{Access, Claims, Owner, edges, owns, step};
use crate::subject::{Cell, Subject};
use crate::value::{Base, Site, Value};

/// Every obligation holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// Edges, arrivals and scalars that were looked at.
    pub obligations: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// It cannot be read, or says something that has no meaning.
    Malformed(String),
    /// It is about another program.
    OtherProgram(String),
    /// An obligation does not hold: why, and where in the source.
    Fails { why: String, line: Option<u32> },
    /// The budget was used up.
    Undecided(Unprepared),
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejected::Malformed(why) | Rejected::OtherProgram(why) => f.write_str(why),
            Rejected::Fails { why, line: Some(line) } => write!(f, "{why} (line {line})"),
            Rejected::Fails { why, line: None } => f.write_str(why),
            Rejected::Undecided(why) => why.fmt(f),
        }
    }
}

impl From<Unprepared> for Rejected {
    fn from(why: Unprepared) -> Rejected {
        Rejected::Undecided(why)
    }
}

/// The preparation of a program that a certificate is about.
pub fn options(properties: &[Property]) -> selvedge_passes::Options {
    selvedge_passes::Options {
        properties: properties.to_vec(),
        reduce: false,
        promote: true,
        ..selvedge_passes::Options::default()
    }
}

/// A program prepared for certificates of these properties.
pub fn prepared(
    program: &Program,
    properties: &[Property],
    limits: &Limits,
) -> Result<Prepared, Unprepared> {
    selvedge_passes::prepare_within(program, &options(properties), limits)
}

/// The program that a certificate is about.
pub fn program_of(certificate: &Certificate) -> Result<Program, Rejected> {
    well_formed::carried(&certificate.program).map_err(Rejected::Malformed)
}

/// Checks that the certificate proves the lowered program safe.
pub fn check(
    program: &Program,
    certificate: &Certificate,
    limits: &Limits,
) -> Result<Accepted, Rejected> {
    limits.spend(certificate.program.len() / BYTES_PER_UNIT)?;
    let own = program_of(certificate)?;
    if !own.does_the_same_as(program) {
        let why = "the certificate is about another program".to_owned();
        return Err(Rejected::OtherProgram(why));
    }
    check_program(&own, certificate, limits)
}

/// Checks a certificate against the program that it carries.
pub fn check_alone(certificate: &Certificate, limits: &Limits) -> Result<Accepted, Rejected> {
    limits.spend(certificate.program.len() / BYTES_PER_UNIT)?;
    check_program(&program_of(certificate)?, certificate, limits)
}

/// Bytes of the embedded program that are read for one unit of work.
const BYTES_PER_UNIT: usize = 16;

fn check_program(
    program: &Program,
    certificate: &Certificate,
    limits: &Limits,
) -> Result<Accepted, Rejected> {
    let properties = &certificate.properties;
    if properties.is_empty() || properties.contains(&Property::Deadlock) {
        return malformed("no property is claimed, or one that it cannot show");
    }
    let left_out = |property: &&Property| {
        program.checks.as_ref().is_some_and(|checks| !checks.contains(property))
    };
    if let Some(property) = properties.iter().find(left_out) {
        let name = property.name();
        return malformed(&format!("the program was lowered without the checks of `{name}`"));
    }
    let races = properties.contains(&Property::Race);
    if let Some(place) = orders::beyond_sequential(program, races).first() {
        let why = "an access that is weaker than sequentially consistent".to_owned();
        return Err(Rejected::Fails { why, line: Some(place.line) });
    }
    let prepared = prepared(program, properties, limits)?;
    let fails = |why| Rejected::Fails { why, line: None };
    let subject = Subject::of(prepared.program).map_err(fails)?;
    let mut check = Check::read(&subject, certificate)?;
    check.at_the_start()?;
    check.walk(limits)?;
    check.no_race(limits)?;
    Ok(Accepted { obligations: check.obligations })
}

fn malformed<T>(why: &str) -> Result<T, Rejected> {
    Err(Rejected::Malformed(why.to_owned()))
}

/// What a certificate claims, and what is seen of the program.
struct Claimed<'a> {
    subject: &'a Subject,
    locks: FxHashMap<Base, BTreeSet<u64>>,
    owners: FxHashMap<Base, Owner>,
    guards: FxHashMap<Cell, Lock>,
    contents: FxHashMap<Cell, &'a Value>,
    states: FxHashMap<(ProcId, LocationId), &'a State>,
    accesses: Accesses,
    races: bool,
}

impl Claimed<'_> {
    fn excludes(&self, (base, offset): Lock) -> bool {
        self.locks.get(&base).is_some_and(|locks| locks.contains(&offset))
    }
}

impl Claims for Claimed<'_> {
    fn is_lock(&mut self, lock: Lock) -> bool {
        self.excludes(lock)
    }

    fn locks_in(&self, base: Base) -> Vec<Lock> {
        let locks = self.locks.get(&base).into_iter().flatten();
        locks.map(|&offset| (base, offset)).collect()
    }

    fn owner(&self, base: Base) -> Option<Owner> {
        self.owners.get(&base).copied()
    }

    fn guard(&self, cell: Cell) -> Option<Lock> {
        self.guards.get(&cell).copied()
    }

    fn content(&self, cell: Cell) -> Value {
        match self.contents.get(&cell) {
            Some(value) => (*value).clone(),
            None => self.subject.initial(cell),
        }
    }

    fn publish(&mut self, cell: Cell, value: &Value) -> Result<(), Why> {
        let holds = match self.contents.get(&cell) {
            Some(claimed) => claimed.covers(value),
            None => self.subject.initial(cell).covers(value),
        };
        if holds { Ok(()) } else { Err("memory gets a value that is not claimed".into()) }
    }

    fn enter(&mut self, procedure: ProcId, arguments: &[Value]) -> Result<(), Why> {
        let data = &self.subject.program.procedures[procedure];
        let Some(state) = self.states.get(&(procedure, data.entry)) else {
            return Err("a thread starts where nothing is claimed".into());
        };
        let covers = |(param, value): (&_, &Value)| {
            state.locals.get(param).is_none_or(|claimed| claimed.covers(value))
        };
        match data.params.iter().zip(arguments).all(covers) {
            true => Ok(()),
            false => Err("a thread starts with an argument that is not claimed".into()),
        }
    }

    fn misuse(&mut self, lock: Lock) -> Result<(), Why> {
        match self.excludes(lock) {
            true => Err("a lock is written to, or unlocked where it may not be held".into()),
            false => Ok(()),
        }
    }

    fn tell(&mut self, base: Base) -> Result<(), Why> {
        match self.owner(base) {
            Some(Owner::Each) => Err("the address of a thread's own memory is kept".into()),
            _ => Ok(()),
        }
    }

    fn access(&mut self, access: Access) -> Result<(), Why> {
        if self.races && self.owner(access.cell.0) != Some(Owner::Each) {
            self.accesses.add(access);
        }
        Ok(())
    }
}

struct Check<'a> {
    claimed: Claimed<'a>,
    properties: &'a [Property],
    company: Company,
    obligations: usize,
}

impl<'a> Check<'a> {
    /// The claims, if each has a meaning.
    fn read(subject: &'a Subject, certificate: &'a Certificate) -> Result<Check<'a>, Rejected> {
        let mut claimed = Claimed {
            subject,
            locks: FxHashMap::default(),
            owners: FxHashMap::default(),
            guards: FxHashMap::default(),
            contents: FxHashMap::default(),
            states: FxHashMap::default(),
            accesses: Accesses::default(),
            races: certificate.properties.contains(&Property::Race),
        };
        for &(base, offset) in &certificate.locks {
            if !exists(subject, base) || !subject.is_one(base) {
                return malformed("a lock is claimed that there is not just once");
            }
            claimed.locks.entry(base).or_default().insert(offset);
        }
        for &(base, owner) in &certificate.owners {
            if !exists(subject, base) || !may_own(subject, base, owner) {
                return malformed("memory is claimed for threads that cannot own it");
            }
            claimed.owners.insert(base, owner);
        }
        for &(cell, lock) in &certificate.guards {
            if subject.ty(cell).is_none() || !claimed.excludes(lock) {
                return malformed("a guard is claimed that is no lock");
            }
            claimed.guards.insert(cell, lock);
        }
        for (cell, value) in &certificate.contents {
            if !value.is_shared() || !subject.ty(*cell).is_some_and(|ty| value.fits(ty)) {
                return malformed("a content is claimed of what is no scalar of its type");
            }
            claimed.contents.insert(*cell, value);
        }
        for (procedure, location, state) in &certificate.states {
            let known = subject.program.procedures.get(*procedure);
            let Some(data) = known.filter(|data| data.locations.is_valid(*location)) else {
                return malformed("a state is claimed of no location");
            };
            let typed = |local: &_, value: &Value| {
                data.locals.get(*local).is_some_and(|local| value.fits(local.ty))
            };
            if !state.locals.iter().all(|(local, value)| typed(local, value)) {
                return malformed("a state gives a local a value that is none of its type");
            }
            for (cell, value) in &state.view {
                let typed = subject.ty(*cell).is_some_and(|ty| value.fits(ty));
                if !typed
                    || !value.is_shared()
                    || !owns(subject, &claimed, *procedure, state, *cell)
                {
                    return malformed("a state speaks of memory that others may change");
                }
            }
            claimed.states.insert((*procedure, *location), state);
        }
        let properties = &certificate.properties;
        Ok(Check { claimed, properties, company: Company::default(), obligations: 0 })
    }

    /// What is claimed holds at the start: of memory, and of the threads that begin.
    fn at_the_start(&mut self) -> Result<(), Rejected> {
        let subject = self.claimed.subject;
        let entry = |id: ProcId| {
            let location = subject.program.procedures[id].entry;
            self.claimed.states.get(&(id, location)).copied()
        };
        let view = subject.first.and_then(entry).map(|state| &state.view);
        for (cell, claimed) in &self.claimed.contents {
            let told = subject.cells(cell.0).is_some();
            let held = claimed.covers(&subject.initial(*cell));
            // The first thread knows better, or what is allocated is told of where that happens.
            let known = view.is_some_and(|view| view.contains_key(cell)) && subject.is_one(cell.0);
            if !held && !known && !told {
                return fails("memory begins with a value that is not claimed");
            }
            self.obligations += 1;
        }
        for &id in &subject.entries {
            let Some(state) = entry(id) else {
                return fails("a thread starts where nothing is claimed");
            };
            self.obligations += 1;
            if !begins(subject, id, state) {
                return fails("a thread begins in another state than is claimed");
            }
        }
        for thread in &subject.program.threads {
            let procedure = &subject.program.procedures[thread.procedure];
            let zero = |param: &_| Value::zero(procedure.locals[*param].ty);
            let arguments: Vec<Value> = procedure.params.iter().map(zero).collect();
            if let Err(why) = self.claimed.enter(thread.procedure, &arguments) {
                return fails(&why);
            }
        }
        Ok(())
    }

    /// From each location with a state along all edges to the next ones.
    fn walk(&mut self, limits: &Limits) -> Result<(), Rejected> {
        let subject = self.claimed.subject;
        let mut work: VecDeque<(ProcId, LocationId, State)> = VecDeque::new();
        let mut seen: FxHashSet<(ProcId, LocationId)> = FxHashSet::default();
        for (&(procedure, location), &state) in &self.claimed.states {
            if subject.first == Some(procedure) {
                self.company.add(&state.beside);
            }
            work.push_back((procedure, location, state.clone()));
        }
        while let Some((procedure, from, state)) = work.pop_back() {
            let data = &subject.program.procedures[procedure];
            let mut ways = edges(data, from).peekable();
            let mut state = Some(state);
            while let Some(edge) = ways.next() {
                limits.spend(1)?;
                self.obligations += 1;
                let before = match ways.peek() {
                    Some(_) => state.clone(),
                    None => state.take(),
                };
                let Some(before) = before else { break };
                let site = Site { procedure, edge };
                let after = step(subject, self.properties, &mut self.claimed, site, before);
                let Some(after) = after.map_err(|(why, span)| failed(why, span))? else { continue };
                let edge = data.edge(edge);
                if subject.first == Some(procedure) && matches!(edge.action, Action::Spawn { .. }) {
                    self.company.add(&after.beside);
                }
                if edge.target == data.exit {
                    continue;
                }
                match self.claimed.states.get(&(procedure, edge.target)) {
                    Some(claimed) => self
                        .arrives(procedure, &after, claimed)
                        .map_err(|why| failed(why, edge.span))?,
                    None if seen.insert((procedure, edge.target)) => {
                        work.push_back((procedure, edge.target, after));
                    }
                    None => {
                        return malformed(
                            "two ways lead to a location of which nothing is claimed",
                        );
                    }
                }
            }
        }
        Ok(())
    }

    /// A thread comes to a location with a state: what is claimed there holds of it.
    fn arrives(&self, procedure: ProcId, state: &State, claimed: &State) -> Result<(), Why> {
        let locals = claimed
            .locals
            .iter()
            .all(|(local, value)| state.locals.get(local).is_some_and(|found| value.covers(found)));
        let content = |cell: &Cell| self.claimed.content(*cell);
        let view = claimed.view.iter().all(|(cell, value)| match state.view.get(cell) {
            Some(found) => value.covers(found),
            None => value.covers(&content(cell)),
        });
        let given_up = state
            .view
            .iter()
            .all(|(cell, found)| claimed.view.contains_key(cell) || content(cell).covers(found));
        debug_assert!(
            claimed.view.keys().all(|cell| {
                owns(self.claimed.subject, &self.claimed, procedure, claimed, *cell)
            })
        );
        match () {
            () if !locals => Err("a local has a value that is not claimed".into()),
            () if !view || !given_up => Err("memory has a value that is not claimed".into()),
            () if !claimed.held.is_subset(&state.held) => Err("a lock may not be held".into()),
            () if !claimed.beside.is_superset(&state.beside) => {
                Err("another thread may exist".into())
            }
            () if !claimed.dead.is_superset(&state.dead) => Err("memory may be freed".into()),
            () => Ok(()),
        }
    }

    fn no_race(&mut self, limits: &Limits) -> Result<(), Rejected> {
        self.company.settle(self.claimed.subject, limits)?;
        let race = self.claimed.accesses.race(self.claimed.subject, &self.company, limits)?;
        match race {
            Some((first, second)) => {
                let why = format!("a data race with line {} is not excluded", second.line);
                Err(failed(why, first))
            }
            None => Ok(()),
        }
    }
}

fn fails<T>(why: &str) -> Result<T, Rejected> {
    Err(Rejected::Fails { why: why.to_owned(), line: None })
}

fn failed(why: Why, span: Span) -> Rejected {
    Rejected::Fails { why, line: (!span.is_none()).then_some(span.line) }
}

fn exists(subject: &Subject, base: Base) -> bool {
    match base {
        Base::Object(id) => subject.program.objects.is_valid(id),
        Base::Made(site) => subject.made.contains_key(&site),
    }
}

/// Whether an owner can be one of this memory. One thread has what it makes once, or a variable; each
/// thread what it makes, or its instance of a variable.
fn may_own(subject: &Subject, base: Base, owner: Owner) -> bool {
    match (base, owner) {
        (Base::Object(id), Owner::Each) => {
            subject.program.objects[id].sharing == Sharing::PerThread
        }
        (Base::Made(_), Owner::Each) => true,
        (Base::Object(id), Owner::One(procedure)) => {
            subject.single.contains(&procedure)
                && subject.program.objects[id].sharing == Sharing::Shared
        }
        (Base::Made(site), Owner::One(procedure)) => {
            site.procedure == procedure && subject.is_one(base)
        }
    }
}

/// Whether a thread that starts in a procedure is in the state, whatever its arguments are.
fn begins(subject: &Subject, id: ProcId, state: &State) -> bool {
    let procedure = &subject.program.procedures[id];
    let zero = |(local, value): (&_, &Value)| {
        procedure.params.contains(local) || value.covers(&Value::zero(procedure.locals[*local].ty))
    };
    let initial = |(cell, value): (&Cell, &Value)| {
        let object = matches!(cell.0, Base::Object(_));
        object && subject.first == Some(id) && value.covers(&subject.initial(*cell))
    };
    state.held.is_empty()
        && state.locals.iter().all(zero)
        && state.view.iter().all(initial)
        && state.dead.is_empty()
}
