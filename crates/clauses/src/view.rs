//! The system as the clauses see it: only what can influence whether a bad step is reached.
//!
//! Every argument of a relation costs the solver dearly. A variable stays only if a guard depends on
//! it, directly or through assignments, and the guard decides something of interest; a thread's local is an argument only at the locations from
//! which it is still used. Leaving out a condition on a variable that is dropped only adds behaviour.

use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::{Answer, Limits, Logic, Solver, Term, Terms};

use super::races::Conflict;
use super::wrapping::Bounds;
use selvedge_system::{Access, At, Bad, End, Step, System, Template, What};

/// What remains of a system.
#[derive(Debug)]
pub struct View {
    pub shared: Vec<Var>,
    /// Conjuncts over the shared variables that stay.
    pub initial: Vec<Term>,
    pub threads: Vec<Thread>,
    /// Accesses that must not meet.
    pub conflicts: Vec<Conflict>,
}

#[derive(Clone, Debug)]
pub struct Var {
    pub name: String,
    pub term: Term,
    /// Ranges of machine words; true where there are none.
    pub range: Term,
}

/// A template, by the same number as in the system.
#[derive(Debug)]
pub struct Thread {
    pub name: String,
    pub pool: bool,
    /// Where its threads may stand in the beginning.
    pub starts: Vec<At>,
    /// Over the locals: what holds of a thread that runs from the beginning.
    pub begin: Vec<Term>,
    pub locals: Vec<Var>,
    /// The position of the thread's own number among the locals, where it matters.
    pub tid: Option<usize>,
    pub entry: At,
    pub moves: Vec<Move>,
    /// As in the system; empty unless races are checked.
    pub accesses: Vec<Access>,
    atomic: Vec<bool>,
    live: FxHashMap<At, Vec<usize>>,
}

/// A step without what does not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The steps that it stands for, by their places in the template: several where they differ
    /// only in what does not matter.
    pub steps: Vec<usize>,
    pub from: At,
    pub to: Result<At, Bad>,
    pub guard: Term,
    pub shared: Vec<(usize, Term)>,
    pub locals: Vec<(usize, Term)>,
    pub spawns: Vec<Child>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    pub thread: usize,
    pub tid: Term,
    pub args: Vec<(usize, Term)>,
}

impl Move {
    /// Whether it changes nothing, such as a round of waiting.
    fn is_idle(&self) -> bool {
        self.to == Ok(self.from)
            && self.shared.is_empty()
            && self.locals.is_empty()
            && self.spawns.is_empty()
    }
}

impl Thread {
    /// Positions among the locals of what is used from here on.
    pub fn live(&self, at: At) -> &[usize] {
        self.live.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Whether nobody else moves while a thread stands here.
    pub fn atomic(&self, at: At) -> bool {
        matches!(at, At::Cut(cut) if self.atomic[cut as usize])
    }

    /// Whether it changes nothing that is shared and cannot go wrong.
    pub fn silent(&self) -> bool {
        let silent = |step: &Move| step.to.is_ok() && step.shared.is_empty();
        self.accesses.is_empty() && self.moves.iter().all(silent)
    }

    /// All places where it may stand.
    pub fn all_places(&self) -> Vec<At> {
        let cuts = (0..self.atomic.len()).map(|cut| At::Cut(cut as u32));
        [At::Unstarted, At::Ended].into_iter().chain(cuts).collect()
    }

    /// The number of places where it may stand.
    pub fn places(&self) -> usize {
        self.atomic.len() + 2
    }

    pub fn moves_from(&self, at: At) -> impl Iterator<Item = (usize, &Move)> {
        self.moves.iter().enumerate().filter(move |(_, step)| step.from == at)
    }
}

impl View {
    pub fn of(terms: &mut Terms, system: &System) -> View {
        let system = &without_token(terms, system);
        let conflicts = Conflict::all(system);
        let kept = relevant(terms, system, &conflicts);
        let mut places = FxHashMap::default();
        let mut shared = Vec::new();
        for (old, variable) in system.shared.iter().enumerate() {
            if kept.contains(&variable.term) {
                places.insert(old, shared.len());
                let range = about(terms, system.ranges, variable.term);
                shared.push(Var { name: variable.name.clone(), term: variable.term, range });
            }
        }
        let initial = terms.conjuncts(&[system.initial]);
        let initial = initial
            .into_iter()
            .filter(|&part| terms.variables(&[part]).iter().all(|var| kept.contains(var)))
            .collect();
        let locals: Vec<FxHashMap<usize, usize>> =
            system.templates.iter().map(|template| local_places(template, &kept)).collect();
        let threads = (0..system.templates.len())
            .map(|number| thread(terms, system, number, &kept, &places, &locals))
            .collect();
        View { shared, initial, threads, conflicts }
    }

    /// By template and place.
    pub fn access(&self, (thread, access): (usize, usize)) -> &Access {
        &self.threads[thread].accesses[access]
    }
}

/// Where threads inside of atomic blocks can only go wrong next, who is inside need not be known: a
/// thread that is tracked is seen to be there by its location. Leaving out what guards say about the
/// token lets others move while a thread that is not tracked is inside.
fn without_token(terms: &mut Terms, system: &System) -> System {
    let mut templates = system.templates.clone();
    let token = system.shared.iter().find(|variable| variable.what == What::Token);
    let steps = || system.templates.iter().flat_map(|t| t.steps.iter().map(move |s| (t, s)));
    let goes_on = steps().any(|(template, step)| {
        let inside = |cut: u32| template.locations[cut as usize].atomic;
        matches!(step.from, At::Cut(cut) if inside(cut)) && matches!(step.end, End::To(_))
    });
    if let Some(token) = token.filter(|_| !goes_on) {
        for step in templates.iter_mut().flat_map(|template| &mut template.steps) {
            let mut parts = terms.conjuncts(&[step.guard]);
            parts.retain(|&part| !terms.variables(&[part]).contains(&token.term));
            step.guard = terms.and(&parts);
        }
        for access in templates.iter_mut().flat_map(|template| &mut template.accesses) {
            let mut parts = terms.conjuncts(&[access.guard]);
            parts.retain(|&part| !terms.variables(&[part]).contains(&token.term));
            access.guard = terms.and(&parts);
        }
    }
    System {
        terms: Terms::new(),
        arithmetic: system.arithmetic,
        model: system.model,
        shared: system.shared.clone(),
        templates,
        initial: system.initial,
        ranges: system.ranges,
        guessed: system.guessed.clone(),
    }
}

fn local_places(template: &Template, kept: &FxHashSet<Term>) -> FxHashMap<usize, usize> {
    let old = template.locals.iter().enumerate();
    let old = old.filter(|(_, variable)| kept.contains(&variable.term));
    old.enumerate().map(|(new, (old, _))| (old, new)).collect()
}

fn thread(
    terms: &mut Terms,
    system: &System,
    number: usize,
    kept: &FxHashSet<Term>,
    shared: &FxHashMap<usize, usize>,
    locals: &[FxHashMap<usize, usize>],
) -> Thread {
    let template = &system.templates[number];
    let own = &locals[number];
    let mut vars = Vec::new();
    let mut tid = None;
    for (old, variable) in template.locals.iter().enumerate() {
        if !own.contains_key(&old) {
            continue;
        }
        if variable.what == What::Tid {
            tid = Some(vars.len());
        }
        let range = about(terms, template.ranges, variable.term);
        vars.push(Var { name: variable.name.clone(), term: variable.term, range });
    }
    let mut moves: Vec<Move> = Vec::new();
    for group in groups(terms, system, number, kept, &mut FxHashMap::default()) {
        let index = group.steps[0];
        let step = &template.steps[index];
        let bounds = Bounds::of(terms, &[system.ranges, template.ranges, step.guard]);
        let plain = |terms: &mut Terms, updates: Vec<(usize, Term)>| {
            let plain = updates.into_iter().map(|(to, term)| (to, bounds.simplify(terms, term)));
            plain.collect::<Vec<_>>()
        };
        let mut spawns = Vec::new();
        for spawn in &step.spawns {
            let thread = spawn.template.0 as usize;
            let args = plain(terms, renumber(&spawn.args, &locals[thread]));
            spawns.push(Child { thread, tid: spawn.tid, args });
        }
        let new = Move {
            steps: group.steps,
            from: step.from,
            to: match &step.end {
                End::To(at) => Ok(*at),
                End::Bad(bad) => Err(bad.clone()),
            },
            shared: plain(terms, renumber(&step.shared, shared)),
            locals: plain(terms, renumber(&step.locals, own)),
            guard: bounds.simplify(terms, group.guard),
            spawns,
        };
        let same = |old: &Move| Move { steps: old.steps.clone(), ..new.clone() } == *old;
        if !new.is_idle() && !moves.iter().any(same) && can_hold(terms, system, template, &new) {
            moves.push(new);
        }
    }
    let accesses = template.accesses.iter().map(|access| {
        let bounds = Bounds::of(terms, &[system.ranges, template.ranges, access.guard]);
        Access { guard: bounds.simplify(terms, access.guard), ..access.clone() }
    });
    let accesses = accesses.collect();
    let mut begin = Vec::new();
    for (local, value) in renumber(&template.begin, own) {
        begin.push(terms.eq(vars[local].term, value));
    }
    let mut thread = Thread {
        name: template.name.clone(),
        pool: template.pool,
        starts: starts(template),
        begin,
        locals: vars,
        tid,
        entry: template.entry,
        moves,
        accesses,
        atomic: template.locations.iter().map(|location| location.atomic).collect(),
        live: FxHashMap::default(),
    };
    thread.live = liveness(terms, &thread);
    thread
}

/// Whether a move can be taken in any state at all.
fn can_hold(terms: &Terms, system: &System, template: &Template, step: &Move) -> bool {
    let mut solver = Solver::new(Logic::All, Limits::time(Duration::from_secs(1)));
    for part in [system.ranges, template.ranges, step.guard] {
        solver.assert(terms, part);
    }
    !matches!(solver.check(terms, &[]), Answer::Unsat(_))
}

/// A pool whose threads run from the beginning has others that are never needed.
fn starts(template: &Template) -> Vec<At> {
    match (template.initial, template.pool) {
        (false, _) => vec![At::Unstarted],
        (true, true) => vec![At::Unstarted, template.entry],
        (true, false) => vec![template.entry],
    }
}

fn renumber(updates: &[(u32, Term)], places: &FxHashMap<usize, usize>) -> Vec<(usize, Term)> {
    let kept =
        updates.iter().filter_map(|&(old, term)| Some((*places.get(&(old as usize))?, term)));
    kept.collect()
}

/// Variables that can influence whether a bad step is taken: those in its guard, what is assigned to
/// such, and those in the guards of steps that lead to different places or do different things to such.
/// Likewise for accesses that must not meet.
fn relevant(terms: &mut Terms, system: &System, conflicts: &[Conflict]) -> FxHashSet<Term> {
    let mut kept: FxHashSet<Term> = FxHashSet::default();
    for (thread, access) in conflicts.iter().flat_map(|both| [both.first, both.second]) {
        let access = &system.templates[thread].accesses[access];
        kept.extend(terms.variables(&access.address.terms()));
        kept.extend(terms.variables(&[access.guard]));
    }
    let mut known = FxHashMap::default();
    loop {
        let before = kept.len();
        for number in 0..system.templates.len() {
            for group in groups(terms, system, number, &kept, &mut known) {
                kept.extend(terms.variables(&[group.guard]));
            }
        }
        while assigned(terms, system, &mut kept) {}
        if kept.len() == before {
            return kept;
        }
    }
}

/// Adds what is assigned to variables that are kept; whether there was something to add.
fn assigned(terms: &Terms, system: &System, kept: &mut FxHashSet<Term>) -> bool {
    let before = kept.len();
    for (template, step) in
        system.templates.iter().flat_map(|t| t.steps.iter().map(move |s| (t, s)))
    {
        let shared = step.shared.iter().map(|&(v, to)| (system.shared[v as usize].term, to));
        let locals = step.locals.iter().map(|&(v, to)| (template.locals[v as usize].term, to));
        let mut sources: Vec<Term> =
            shared.chain(locals).filter(|(var, _)| kept.contains(var)).map(|p| p.1).collect();
        for spawn in &step.spawns {
            let child = &system.templates[spawn.template.0 as usize];
            let args = spawn.args.iter().map(|&(v, to)| (child.locals[v as usize].term, to));
            sources.extend(args.filter(|(var, _)| kept.contains(var)).map(|pair| pair.1));
        }
        kept.extend(terms.variables(&sources));
    }
    kept.len() != before
}

/// Steps that do the same as far as the variables matter, and when one of them can be taken.
struct Group {
    steps: Vec<usize>,
    guard: Term,
}

/// The steps of a template. Steps are taken together if they cover all cases of what they have in
/// common, such as the branches of a condition that decides nothing of interest.
fn groups(
    terms: &mut Terms,
    system: &System,
    number: usize,
    kept: &FxHashSet<Term>,
    known: &mut FxHashMap<Vec<Term>, Option<Term>>,
) -> Vec<Group> {
    let template = &system.templates[number];
    let mut alike: Vec<Vec<usize>> = Vec::new();
    for (index, step) in template.steps.iter().enumerate() {
        let first = |group: &&mut Vec<usize>| {
            same_effect(system, template, &template.steps[group[0]], step, kept)
        };
        match alike.iter_mut().find(first) {
            Some(group) => group.push(index),
            None => alike.push(vec![index]),
        }
    }
    let mut found = Vec::new();
    for steps in alike {
        let guards: Vec<Term> = steps.iter().map(|&step| template.steps[step].guard).collect();
        let common = match guards.len() {
            1 => None,
            _ => *known
                .entry(guards.clone())
                .or_insert_with(|| covered(terms, system, template, &guards)),
        };
        match common {
            Some(guard) => found.push(Group { steps, guard }),
            None => {
                let pairs = steps.into_iter().zip(guards);
                found.extend(pairs.map(|(step, guard)| Group { steps: vec![step], guard }));
            }
        }
    }
    found
}

fn same_effect(
    system: &System,
    template: &Template,
    a: &Step,
    b: &Step,
    kept: &FxHashSet<Term>,
) -> bool {
    let shared = |step: &Step| {
        let of = |v: u32| system.shared[v as usize].term;
        step.shared.iter().copied().filter(|&(v, _)| kept.contains(&of(v))).collect::<Vec<_>>()
    };
    let locals = |step: &Step| {
        let of = |v: u32| template.locals[v as usize].term;
        step.locals.iter().copied().filter(|&(v, _)| kept.contains(&of(v))).collect::<Vec<_>>()
    };
    matches!(a.end, End::To(_))
        && (a.from, &a.end) == (b.from, &b.end)
        && a.spawns.is_empty()
        && b.spawns.is_empty()
        && shared(a) == shared(b)
        && locals(a) == locals(b)
}

/// What the guards have in common, if one of them holds whenever that does.
fn covered(
    terms: &mut Terms,
    system: &System,
    template: &Template,
    guards: &[Term],
) -> Option<Term> {
    let parts: Vec<Vec<Term>> = guards.iter().map(|&guard| terms.conjuncts(&[guard])).collect();
    let everywhere = |part: &&Term| parts.iter().all(|other| other.contains(part));
    let common: Vec<Term> = parts[0].iter().filter(everywhere).copied().collect();
    let any = terms.or(guards);
    let none = terms.not(any);
    let mut solver = Solver::new(Logic::All, Limits::time(Duration::from_secs(1)));
    for &part in common.iter().chain([&system.ranges, &template.ranges, &none]) {
        solver.assert(terms, part);
    }
    match solver.check(terms, &[]) {
        Answer::Unsat(_) => Some(terms.and(&common)),
        _ => None,
    }
}

/// Backward over the moves; a variable that a move assigns is not used before it.
fn liveness(terms: &Terms, thread: &Thread) -> FxHashMap<At, Vec<usize>> {
    let places: FxHashMap<Term, usize> =
        thread.locals.iter().enumerate().map(|(place, var)| (var.term, place)).collect();
    let mut live: FxHashMap<At, FxHashSet<usize>> = FxHashMap::default();
    for access in &thread.accesses {
        let mut used = access.address.terms().to_vec();
        used.push(access.guard);
        let used = terms.variables(&used);
        live.entry(access.at).or_default().extend(used.iter().filter_map(|var| places.get(var)));
    }
    loop {
        let mut changed = false;
        for step in &thread.moves {
            let after = step.to.as_ref().ok().and_then(|to| live.get(to)).cloned();
            let after = after.unwrap_or_default();
            let mut used = vec![step.guard];
            used.extend(step.shared.iter().map(|pair| pair.1));
            used.extend(step.spawns.iter().flat_map(|child| child.args.iter().map(|pair| pair.1)));
            let assigned = step.locals.iter().filter(|(place, _)| after.contains(place));
            used.extend(assigned.map(|pair| pair.1));
            let before = live.entry(step.from).or_default();
            let size = before.len();
            before.extend(terms.variables(&used).iter().filter_map(|var| places.get(var)));
            let untouched = |place: &usize| step.locals.iter().all(|(to, _)| to != place);
            before.extend(after.into_iter().filter(untouched));
            changed |= before.len() != size;
        }
        if !changed {
            break;
        }
    }
    // What a thread is called it is called before it starts.
    let named = thread.tid.filter(|tid| live.get(&thread.entry).is_some_and(|l| l.contains(tid)));
    live.entry(At::Unstarted).or_default().extend(named);
    let sorted = live.into_iter().map(|(at, set)| {
        let mut list: Vec<usize> = set.into_iter().collect();
        list.sort_unstable();
        (at, list)
    });
    sorted.collect()
}

/// The conjuncts that speak of this variable only.
fn about(terms: &mut Terms, formula: Term, variable: Term) -> Term {
    let parts = terms.conjuncts(&[formula]);
    let parts: Vec<Term> =
        parts.into_iter().filter(|&part| terms.variables(&[part]) == [variable]).collect();
    terms.and(&parts)
}
