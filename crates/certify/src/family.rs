//! The relations and ghosts of a certificate, read for the program that it is about.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::{Sort, Term};

use crate::certificate::{Certificate, Changer, Counter, Exposed, Relation};
use crate::names;
use crate::space::{At, Key, Slot, Space};
use crate::threads::ThreadId;
use crate::verdict::Rejected;
use crate::word::Val;

/// A relation, its formulas over the slots of its shape.
#[derive(Clone, Debug)]
pub struct Related {
    /// Its place in the certificate, for people: `relation 2 (worker, worker)`.
    pub name: String,
    pub shape: Vec<Slot>,
    pub entries: FxHashMap<Vec<At>, Held>,
    /// The keys of the entries, in the certificate's order.
    pub order: Vec<Vec<At>>,
    /// The entries, by their place in that order, with a thread at a location.
    pub standing: FxHashMap<(ThreadId, At), Vec<usize>>,
    /// The entries whose formula mentions a variable.
    pub mentioning: FxHashMap<Term, Vec<usize>>,
}

#[derive(Clone, Debug)]
pub struct Held {
    /// The formula holds if all of these do.
    pub conjuncts: Rc<[Term]>,
    pub variables: FxHashSet<Term>,
}

/// Something of an instance as a shared variable.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    pub thread: ThreadId,
    /// None: where it stands.
    pub key: Option<Key>,
    pub value: Val,
}

#[derive(Clone, Debug)]
pub struct Counted {
    pub thread: ThreadId,
    pub at: Vec<At>,
    pub value: Term,
}

/// Who was the last to change a shared variable.
#[derive(Clone, Copy, Debug)]
pub struct Changed {
    /// The variable, by its place in [`Space::shared`].
    pub shared: usize,
    pub value: Term,
}

#[derive(Clone, Debug, Default)]
pub struct Family {
    pub relations: Vec<Related>,
    pub shown: Vec<Shown>,
    pub counted: Vec<Counted>,
    pub changed: Vec<Changed>,
    /// Few threads exist at once.
    pub few: bool,
}

type Read<T> = Result<T, Rejected>;

fn malformed<T>(why: String) -> Read<T> {
    Err(Rejected::Malformed(why))
}

pub fn read(space: &mut Space<'_>, certificate: &Certificate) -> Read<Family> {
    let mut family = Family { few: certificate.few_threads, ..Family::default() };
    for exposed in &certificate.ghosts.exposed {
        let shown = read_exposed(space, &family, exposed)?;
        family.shown.push(shown);
    }
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    for counter in &certificate.ghosts.counters {
        if !seen.insert(&counter.name) {
            return malformed(format!("two counters are called {}", counter.name));
        }
        let counted = read_counter(space, counter)?;
        family.counted.push(counted);
    }
    for changer in &certificate.ghosts.changers {
        let changed = read_changer(space, &family, changer)?;
        family.changed.push(changed);
    }
    for (index, relation) in certificate.relations.iter().enumerate() {
        let related = read_relation(space, &family, index, relation)?;
        family.relations.push(related);
    }
    Ok(family)
}

fn thread(space: &Space<'_>, name: &str) -> Read<ThreadId> {
    match space.threads.named(name) {
        Some(id) => Ok(id),
        None => {
            let known: Vec<&str> = space.threads.list.iter().map(|t| t.name.as_str()).collect();
            malformed(format!("no thread is called `{name}`; there are {}", known.join(", ")))
        }
    }
}

fn location(space: &Space<'_>, id: ThreadId, name: &str) -> Read<At> {
    let unknown = || {
        let thread = &space.threads.get(id).name;
        Rejected::Malformed(format!("`{name}` is no cut location of {thread}"))
    };
    space.location(id, name).ok_or_else(unknown)
}

fn read_exposed(space: &mut Space<'_>, family: &Family, exposed: &Exposed) -> Read<Shown> {
    let id = thread(space, &exposed.thread)?;
    if space.threads.get(id).pool {
        return malformed(format!("{} is a pool: it cannot be exposed", exposed.thread));
    }
    let key = match &exposed.local {
        None => None,
        Some(name) => Some(exposed_key(space, id, name)?),
    };
    if family.shown.iter().any(|shown| shown.thread == id && shown.key == key) {
        return malformed(format!("something of {} is exposed twice", exposed.thread));
    }
    let value = match (key, &exposed.local) {
        (Some(key), Some(name)) => {
            let Some(ty) = space.ty(id, key) else {
                return malformed(format!("{name} is an array: it cannot be exposed"));
            };
            let name = space.unique(&names::exposed_local(&exposed.thread, name));
            space.words.variable(&mut space.terms, &name, ty)
        }
        _ => Val::One(space.plain(&names::exposed_location(&exposed.thread))),
    };
    Ok(Shown { thread: id, key, value })
}

fn exposed_key(space: &Space<'_>, id: ThreadId, name: &str) -> Read<Key> {
    let procedure = space.procedure(id);
    let keys = space.frames[id.index()].keys.iter().map(|(key, ..)| *key);
    let found = keys.into_iter().find(|key| match key {
        Key::Local(local) => procedure.locals[*local].name == name,
        Key::Own(cell) => space.memory.cell(*cell).name == name,
        Key::Tid | Key::Result => false,
    });
    let unknown = || {
        let thread = &space.threads.get(id).name;
        Rejected::Malformed(format!("{thread} has no local `{name}` at any cut location"))
    };
    found.ok_or_else(unknown)
}

fn read_counter(space: &mut Space<'_>, counter: &Counter) -> Read<Counted> {
    let id = thread(space, &counter.thread)?;
    let mut at = Vec::new();
    for name in &counter.locations {
        let location = location(space, id, name)?;
        if location == At::Unstarted && space.threads.get(id).pool {
            return malformed(format!(
                "counter {}: there are endlessly many unstarted threads in a pool",
                counter.name
            ));
        }
        if !at.contains(&location) {
            at.push(location);
        }
    }
    let value = space.plain(&names::counter(&counter.name));
    Ok(Counted { thread: id, at, value })
}

fn read_changer(space: &mut Space<'_>, family: &Family, changer: &Changer) -> Read<Changed> {
    let name = &changer.variable;
    let scalar = space.shared.iter().position(|variable| {
        let named = |term: Term| space.terms.name(term) == Some(name.as_str());
        matches!(variable.value, Val::One(term) if named(term)) && variable.kind.ty().is_some()
    });
    let Some(shared) = scalar else {
        return malformed(format!("`{name}` is no shared scalar: nobody can be its last changer"));
    };
    if family.changed.iter().any(|known| known.shared == shared) {
        return malformed(format!("the last changer of `{name}` is asked for twice"));
    }
    let name = space.unique(&names::changer(name));
    let sort = space.words.id_sort();
    let value = space.terms.var(&name, sort);
    Ok(Changed { shared, value })
}

fn read_relation(
    space: &mut Space<'_>,
    family: &Family,
    index: usize,
    relation: &Relation,
) -> Read<Related> {
    let name = format!("relation {} ({})", index + 1, relation.shape.join(", "));
    let mut shape: Vec<Slot> = Vec::new();
    for member in &relation.shape {
        let id = thread(space, member)?;
        let copy = 1 + shape.iter().filter(|slot| slot.thread == id).count();
        if copy > 1 && !space.threads.get(id).pool {
            return malformed(format!("{name}: {member} is one thread, not {copy}"));
        }
        shape.push(Slot { thread: id, copy });
    }
    let mut related = Related {
        name,
        shape,
        entries: FxHashMap::default(),
        order: Vec::new(),
        standing: FxHashMap::default(),
        mentioning: FxHashMap::default(),
    };
    for entry in &relation.entries {
        read_entry(space, family, &mut related, &entry.at, &entry.formula)?;
    }
    Ok(related)
}

fn read_entry(
    space: &mut Space<'_>,
    family: &Family,
    related: &mut Related,
    at: &[String],
    text: &str,
) -> Read<()> {
    let whose = format!("{} at ({})", related.name, at.join(", "));
    if at.len() != related.shape.len() {
        return malformed(format!("{whose}: {} locations are needed", related.shape.len()));
    }
    let mut tuple = Vec::new();
    for (slot, name) in related.shape.iter().zip(at) {
        tuple.push(location(space, slot.thread, name)?);
    }
    let known = in_scope(space, family, &related.shape);
    let formula = match space.terms.read(text) {
        Ok(formula) => formula,
        Err(error) => return malformed(format!("{whose}: {}", error.0)),
    };
    if space.terms.sort(formula) != Sort::Bool {
        return malformed(format!("{whose}: the formula is no truth value"));
    }
    let variables: FxHashSet<Term> = space.terms.variables(&[formula]).into_iter().collect();
    if let Some(strange) = variables.iter().find(|variable| !known.contains(variable)) {
        let name = space.terms.name(*strange).unwrap_or_default();
        return malformed(format!("{whose}: `{name}` has no meaning here"));
    }
    let held = Held { conjuncts: space.terms.conjuncts(&[formula]).into(), variables };
    match enter(related, tuple, held) {
        None => Ok(()),
        Some(_) => malformed(format!("{whose}: there are two entries")),
    }
}

/// Adds an entry; gives back the one that has its place.
fn enter(related: &mut Related, tuple: Vec<At>, held: Held) -> Option<Held> {
    let index = related.order.len();
    for (slot, at) in related.shape.iter().zip(&tuple) {
        related.standing.entry((slot.thread, *at)).or_default().push(index);
    }
    for variable in &held.variables {
        related.mentioning.entry(*variable).or_default().push(index);
    }
    related.order.push(tuple.clone());
    related.entries.insert(tuple, held)
}

/// The variables that a formula may speak of, made if there are none yet.
fn in_scope(space: &mut Space<'_>, family: &Family, shape: &[Slot]) -> FxHashSet<Term> {
    let mut known: FxHashSet<Term> =
        space.shared.iter().flat_map(|variable| variable.value.terms()).collect();
    known.extend(family.shown.iter().flat_map(|shown| shown.value.terms()));
    known.extend(family.counted.iter().map(|counted| counted.value));
    known.extend(family.changed.iter().map(|changed| changed.value));
    for &slot in shape {
        for key in space.keys(slot.thread) {
            known.extend(space.value(slot, key).into_iter().flat_map(Val::terms));
        }
    }
    known
}
