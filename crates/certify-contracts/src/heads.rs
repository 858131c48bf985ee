//! Loops: cut at their heads, with the facts of the certificate.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use selvedge_ir::spec::GhostAction;
use selvedge_ir::{Action, Callee, LocationId, Place, ProcId, Span, Type};
use selvedge_smt::translate::Sym;
use selvedge_smt::{Sort, Term, Terms};

use crate::certificate::{Certificate, Fact};
use crate::memory::Kept;
use crate::names;
use crate::passage::Changed;
use crate::path::Path;
use crate::subject::Subject;
use crate::verdict::Rejected;
use crate::walk::Walker;

/// The facts of each procedure, by head.
pub(crate) type Facts = BTreeMap<ProcId, BTreeMap<LocationId, Vec<Fact>>>;

pub(crate) fn facts(subject: &Subject, certificate: &Certificate) -> Result<Facts, Rejected> {
    let mut all: Facts = BTreeMap::new();
    for about in &certificate.loops {
        let Some(id) = subject.program.procedure_named(&about.procedure) else {
            return Err(malformed(format!("there is no procedure `{}`", about.procedure)));
        };
        let head = LocationId::from_u32(about.head);
        all.entry(id).or_default().entry(head).or_default().extend(about.facts.iter().cloned());
    }
    match all.keys().find(|id| !subject.checked().contains(id)) {
        None => Ok(all),
        Some(&id) => {
            let name = &subject.program.procedures[id].name;
            Err(malformed(format!("`{name}` is no procedure that is checked")))
        }
    }
}

fn malformed(why: String) -> Rejected {
    Rejected::Malformed(why)
}

impl<'a> Walker<'_, 'a> {
    pub fn all_heads_exist(&self) -> Result<(), Rejected> {
        match self.facts.keys().find(|&&at| !self.is_head(at)) {
            None => Ok(()),
            Some(at) => {
                let name = &self.body.name;
                Err(malformed(format!("no loop of `{name}` begins at location {}", at.as_u32())))
            }
        }
    }

    /// On arrival at a head its facts hold.
    pub fn facts_hold(
        &mut self,
        path: &mut Path,
        head: LocationId,
        span: Span,
    ) -> Result<(), Rejected> {
        let facts = self.facts;
        for fact in facts.get(&head).into_iter().flatten() {
            let (what, goal) = match fact {
                Fact::Formula(text) => {
                    (format!("a fact about a loop: {text}"), self.formula(path, text)?)
                }
                Fact::Requires(number) => {
                    let clause = self.required(*number)?;
                    let view = self.view(&path.memory, &path.memory);
                    let goal = self.world.goal(path, &clause.formula, &view);
                    (format!("a fact about a loop: `{}`", clause.text), goal)
                }
                Fact::Done { actions, when } => {
                    let when = self.formula(path, when)?;
                    let done = self.done(path, *actions)?;
                    let what = format!("a fact about a loop: {actions} actions may be done");
                    (what, self.world.terms.implies(when, done))
                }
            };
            self.world.oblige(path, &what, span, goal)?;
        }
        for clause in self.claimed(head) {
            let view = self.claim_view(path, &clause.formula);
            let goal = self.world.goal(path, &clause.formula, &view);
            let what = format!("the loop invariant `{}`", clause.text);
            self.world.oblige(path, &what, span, goal)?;
        }
        Ok(())
    }

    /// Behind a head: any state in which its facts hold, and that the loop and others can leave.
    pub fn cut(&mut self, path: &mut Path, head: LocationId, span: Span) -> Result<(), Rejected> {
        let actions = self.actions(head);
        let assigned: BTreeSet<_> = actions.iter().filter_map(|a| a.assigned()).collect();
        for local in &assigned {
            path.locals.remove(local);
        }
        self.pass_over(path, &actions, span)?;
        for &local in &assigned {
            self.local(path, local);
        }
        for done in &mut path.done {
            *done = self.world.terms.fresh("done", Sort::Bool);
        }
        self.assume_facts(path, head)
    }

    /// Any number of steps with these actions, and of steps of others.
    pub fn pass_over(
        &mut self,
        path: &mut Path,
        actions: &[&Action],
        span: Span,
    ) -> Result<(), Rejected> {
        if !actions.iter().any(|action| may_change_memory(action)) {
            self.world.environment(path, None);
            return Ok(());
        }
        let (changed, apart) = self.changed_by(path, actions);
        let own = apart.then_some(path.memory.next);
        self.closure(path, &changed, own, span)
    }

    fn assume_facts(&mut self, path: &mut Path, head: LocationId) -> Result<(), Rejected> {
        let facts = self.facts;
        for fact in facts.get(&head).into_iter().flatten() {
            let holds = match fact {
                Fact::Formula(text) => self.formula(path, text)?,
                Fact::Requires(number) => {
                    let clause = self.required(*number)?;
                    let view = self.view(&path.memory, &path.memory);
                    path.assume(&clause.formula, view);
                    continue;
                }
                Fact::Done { actions, when } => {
                    let when = self.formula(path, when)?;
                    let done = self.done(path, *actions)?;
                    self.world.terms.implies(when, done)
                }
            };
            self.world.fact(path, holds);
        }
        for clause in self.claimed(head) {
            let view = self.claim_view(path, &clause.formula);
            path.assume(&clause.formula, view);
        }
        Ok(())
    }

    fn required(&self, number: u32) -> Result<&'a selvedge_ir::spec::Clause, Rejected> {
        let clauses = self.contract.map(|contract| contract.requires.as_slice());
        clauses.and_then(|clauses| clauses.get(number as usize)).ok_or_else(|| {
            malformed(format!("`{}` requires nothing of number {number}", self.body.name))
        })
    }

    /// Where nobody relies on the contract's steps, any number of them may be done.
    fn done(&mut self, path: &Path, actions: u32) -> Result<Term, Rejected> {
        if path.done.is_empty() {
            return Ok(self.world.terms.bool(true));
        }
        path.done.get(actions as usize).copied().ok_or_else(|| {
            malformed(format!("the contract of `{}` has no {actions} actions", self.body.name))
        })
    }

    /// All actions on ways from a head back to it.
    fn actions(&self, head: LocationId) -> Vec<&'a Action> {
        self.actions_at(&self.members(head))
    }

    pub fn actions_at(&self, members: &BTreeSet<LocationId>) -> Vec<&'a Action> {
        let edges = members.iter().flat_map(|&at| &self.body.locations[at].edges);
        edges.map(|edge| &edge.action).collect()
    }

    /// The locations that lead to an edge back to a head without coming by the head.
    pub fn members(&self, head: LocationId) -> BTreeSet<LocationId> {
        let mut members = BTreeSet::from([head]);
        let mut work: Vec<LocationId> = self.back_edges(head).collect();
        while let Some(at) = work.pop() {
            if members.insert(at) {
                let into = self.body.edges().filter(|(_, edge)| edge.target == at);
                work.extend(into.map(|(id, _)| id.from));
            }
        }
        members
    }

    /// What a loop may change in memory, and whether it leaves the thread's own objects alone.
    fn changed_by(&mut self, path: &mut Path, actions: &[&Action]) -> (Vec<Changed>, bool) {
        let mut changed = Vec::new();
        let mut apart = true;
        for action in actions {
            match action {
                Action::Store { to: place, .. }
                | Action::Lock { lock: place }
                | Action::Unlock { lock: place } => {
                    apart &= place.addr.base().is_some() && place.ty != Type::Ptr;
                    changed.push(self.changed_at(path, place));
                }
                Action::Alloc { .. } => {}
                Action::Spawn { .. } => apart = false,
                Action::Call { callee: Callee::Direct(callee), .. } => {
                    apart = false;
                    changed.extend(self.changed_by_call(path, *callee));
                }
                Action::Ghost(ghost) => {
                    if let GhostAction::Update { ghost, .. } = **ghost {
                        apart = false;
                        changed.push(Changed::Every(Kept::Ghost(ghost)));
                    }
                }
                action if may_change_memory(action) => {
                    apart = false;
                    changed.push(Changed::Any);
                }
                _ => {}
            }
        }
        (changed, apart)
    }

    /// What a call may change, whatever its arguments are. As in `call`, the callee's steps change what
    /// its contract names, beside what no other thread knows.
    fn changed_by_call(&mut self, path: &mut Path, callee: ProcId) -> Vec<Changed> {
        let Some(contract) = self.world.subject.contract_of(callee) else {
            return vec![Changed::Any];
        };
        let actions = contract.actions.iter().flat_map(|action| &action.modifies);
        let targets = contract.modifies.iter().chain(actions);
        let changed =
            targets.map(|target| match target.direct().filter(|_| target.ghost.is_none()) {
                Some(place) => self.changed_at(path, &place),
                None => match target.address.body.base() {
                    Some(object) => Changed::In(target.into(), object),
                    None => Changed::Every(target.into()),
                },
            });
        changed.collect()
    }

    fn changed_at(&mut self, path: &mut Path, place: &Place) -> Changed {
        let kept = place.ty.into();
        let Some((object, offset)) = place.direct() else {
            return place
                .addr
                .base()
                .map_or(Changed::Every(kept), |object| Changed::In(kept, object));
        };
        let t = &mut self.world.terms;
        let object = t.int(self.world.objects.object(object));
        let at = Sym::Pointer { object, offset: t.int(offset) };
        let value = self.world.value(path, "changed", place.ty);
        Changed::At(place.ty.into(), at, value)
    }

    /// A formula of the certificate, of the state that the path is in.
    fn formula(&mut self, path: &mut Path, text: &str) -> Result<Term, Rejected> {
        let mut vocabulary = Vocabulary::of(self);
        let read = vocabulary.terms.read(text);
        let read =
            read.map_err(|error| malformed(format!("a fact cannot be read: {}", error.0)))?;
        if vocabulary.terms.sort(read) != Sort::Bool {
            return Err(malformed(format!("a fact that is no formula: {text}")));
        }
        let mut by: FxHashMap<Term, Term> = FxHashMap::default();
        for variable in vocabulary.terms.variables(&[read]) {
            let here = self.world.terms.import(&vocabulary.terms, variable);
            if let Some(&meaning) = vocabulary.meaning.get(&variable) {
                let value = self.meant(path, meaning);
                by.insert(here, value);
            }
        }
        let formula = self.world.terms.import(&vocabulary.terms, read);
        Ok(self.world.terms.substitute(formula, &by))
    }

    fn meant(&mut self, path: &mut Path, meaning: Meaning) -> Term {
        match meaning {
            Meaning::Local(local, part) => {
                let value = self.local(path, local);
                if let Sym::Pointer { .. } = value {
                    path.consider(Type::Ptr, value);
                }
                value.terms()[part]
            }
            Meaning::Parameter(number, part) => self.params[number].terms()[part],
            Meaning::Map(ty, part) => path.memory.maps[&Kept::Scalar(ty)][part],
            Meaning::Owner => path.memory.owner,
        }
    }
}

/// What a name of a fact stands for; of a pointer, which of its parts.
#[derive(Clone, Copy)]
enum Meaning {
    Local(selvedge_ir::LocalId, usize),
    Parameter(usize, usize),
    Map(Type, usize),
    Owner,
}

/// The names that facts may use, in an arena where nothing else has a name.
struct Vocabulary {
    terms: Terms,
    meaning: FxHashMap<Term, Meaning>,
}

impl Vocabulary {
    fn of(walker: &Walker<'_, '_>) -> Vocabulary {
        let (mut terms, types) = (Terms::new(), walker.world.types);
        let mut meaning = FxHashMap::default();
        // These stand for themselves.
        terms.var(names::TID, Sort::Int);
        terms.var(names::MAIN, Sort::Int);
        for (id, local) in &walker.body.locals {
            let named = names::local(&mut terms, types, local).terms();
            let named = named.iter().enumerate();
            meaning.extend(named.map(|(part, &term)| (term, Meaning::Local(id, part))));
        }
        for (number, &param) in walker.body.params.iter().enumerate() {
            let local = &walker.body.locals[param];
            let named = names::parameter(&mut terms, types, local).terms();
            let named = named.iter().enumerate();
            meaning.extend(named.map(|(part, &term)| (term, Meaning::Parameter(number, part))));
        }
        for &ty in &walker.world.subject.types {
            let maps = names::maps(&mut terms, types, ty);
            let named = maps.into_iter().enumerate();
            meaning.extend(named.map(|(part, term)| (term, Meaning::Map(ty, part))));
        }
        meaning.insert(names::owner(&mut terms), Meaning::Owner);
        Vocabulary { terms, meaning }
    }
}

/// Whether an action may change anything in memory.
fn may_change_memory(action: &Action) -> bool {
    !matches!(
        action,
        Action::Skip
            | Action::Assume(_)
            | Action::Wait(_)
            | Action::Assert { .. }
            | Action::Assign { .. }
            | Action::Havoc { .. }
            | Action::Load { .. }
            | Action::Fence(_)
            | Action::Join { .. }
            | Action::EndThread { .. }
            | Action::Halt
            | Action::Unsupported { .. }
    ) && !is_claim(action)
}

/// Changes nothing, whatever it claims.
fn is_claim(action: &Action) -> bool {
    match action {
        Action::Ghost(ghost) => !matches!(**ghost, GhostAction::Update { .. }),
        _ => false,
    }
}
