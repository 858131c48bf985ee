//! The system as the clauses see it: only what can influence whether a bad step is reached.
//!
//! Every argument of a relation costs the solver dearly. A variable stays only if a guard depends on
//! it, directly or through assignments, and the guard decides something of interest
//! (`relevance.rs`); a thread's local is an argument only at the locations from which it is still
//! used. Leaving out a condition on a variable that is dropped only adds behaviour.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::Property;
use selvedge_smt::{Limits, Term, Terms};
use selvedge_system::{Access, At, Bad, End, System, Template, What};

use super::conflicts::Conflict;
use super::relevance::Relevance;
use super::wrapping::Bounds;

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
    pub(crate) fn live(&self, at: At) -> &[usize] {
        self.live.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Whether nobody else moves while a thread stands here.
    pub(crate) fn atomic(&self, at: At) -> bool {
        matches!(at, At::Cut(cut) if self.atomic[cut as usize])
    }

    /// Whether it changes nothing that is shared and cannot go wrong.
    pub(crate) fn silent(&self) -> bool {
        let silent = |step: &Move| step.to.is_ok() && step.shared.is_empty();
        self.accesses.is_empty() && self.moves.iter().all(silent)
    }

    /// All places where it may stand.
    pub(crate) fn all_places(&self) -> Vec<At> {
        let cuts = (0..self.atomic.len()).map(|cut| At::Cut(cut as u32));
        [At::Unstarted, At::Ended].into_iter().chain(cuts).collect()
    }

    /// The number of places where it may stand.
    pub(crate) fn places(&self) -> usize {
        self.atomic.len() + 2
    }

    pub(crate) fn moves_from(&self, at: At) -> impl Iterator<Item = (usize, &Move)> {
        self.moves.iter().enumerate().filter(move |(_, step)| step.from == at)
    }
}

impl View {
    /// The limits are for finding out which variables matter: the fewer questions are answered, the
    /// more variables stay.
    pub fn of(terms: &mut Terms, system: &System, limits: &Limits) -> View {
        let system = &without_token(terms, system);
        let conflicts = Conflict::all(system);
        let relevance = Relevance::new(system, limits);
        let kept = relevance.variables(terms, &conflicts);
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
            .map(|number| thread(terms, &relevance, number, &kept, &places, &locals))
            .collect();
        View { shared, initial, threads, conflicts }
    }

    /// Whether the variable is a shared one, or a local of a thread.
    pub fn has(&self, variable: Term) -> bool {
        let mut locals = self.threads.iter().flat_map(|thread| &thread.locals);
        self.shared.iter().any(|var| var.term == variable) || locals.any(|var| var.term == variable)
    }

    /// What a race of these accesses is called.
    pub(crate) fn race(&self, conflict: Conflict) -> Bad {
        let span = self.access(conflict.first).span;
        Bad::Wrong { property: Property::Race, message: "data race".into(), span }
    }

    /// By template and place.
    pub(crate) fn access(&self, (thread, access): (usize, usize)) -> &Access {
        &self.threads[thread].accesses[access]
    }
}

/// Drops the token of atomic blocks where a thread inside of one can only go wrong next. That a
/// tracked thread is inside shows in its location; that others may then move while a thread that is
/// not tracked is inside only adds behaviour.
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
    relevance: &Relevance<'_>,
    number: usize,
    kept: &FxHashSet<Term>,
    shared: &FxHashMap<usize, usize>,
    locals: &[FxHashMap<usize, usize>],
) -> Thread {
    let system = relevance.system;
    let template = &system.templates[number];
    let (vars, tid) = locals_of(terms, template, &locals[number]);
    let moves = moves(terms, relevance, number, kept, shared, locals);
    let accesses = template.accesses.iter().map(|access| {
        let bounds = Bounds::of(terms, &[system.ranges, template.ranges, access.guard]);
        Access { guard: bounds.simplify(terms, access.guard), ..access.clone() }
    });
    let accesses = accesses.collect();
    let mut begin = Vec::new();
    for (local, value) in renumber(&template.begin, &locals[number]) {
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

/// The locals that stay, and the position of the thread's own number among them.
fn locals_of(
    terms: &mut Terms,
    template: &Template,
    places: &FxHashMap<usize, usize>,
) -> (Vec<Var>, Option<usize>) {
    let mut vars = Vec::new();
    let mut tid = None;
    for (old, variable) in template.locals.iter().enumerate() {
        if !places.contains_key(&old) {
            continue;
        }
        if variable.what == What::Tid {
            tid = Some(vars.len());
        }
        let range = about(terms, template.ranges, variable.term);
        vars.push(Var { name: variable.name.clone(), term: variable.term, range });
    }
    (vars, tid)
}

/// The steps of a template, without those that do nothing and those that are never taken.
fn moves(
    terms: &mut Terms,
    relevance: &Relevance<'_>,
    number: usize,
    kept: &FxHashSet<Term>,
    shared: &FxHashMap<usize, usize>,
    locals: &[FxHashMap<usize, usize>],
) -> Vec<Move> {
    let system = relevance.system;
    let template = &system.templates[number];
    let mut moves: Vec<Move> = Vec::new();
    for group in relevance.groups(terms, number, kept, &mut FxHashMap::default()) {
        let step = &template.steps[group.steps[0]];
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
            locals: plain(terms, renumber(&step.locals, &locals[number])),
            guard: bounds.simplify(terms, group.guard),
            spawns,
        };
        let same = |old: &Move| Move { steps: old.steps.clone(), ..new.clone() } == *old;
        let known = new.is_idle() || moves.iter().any(same);
        if !known && relevance.can_hold(terms, template, new.guard) {
            moves.push(new);
        }
    }
    moves
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
    // A thread has its number before it starts.
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
