//! Loops: cut at their heads, with invariants that the author gives and others that are guessed.
//!
//! Guesses are tried as in Houdini (Flanagan and Leino, "Houdini, an annotation assistant for
//! ESC/Java", 2001): all are assumed at once, those that do not hold again at the head are dropped,
//! and so on until all that are left hold. Loops are never unrolled.

use rustc_hash::FxHashSet;
use selvedge_ir::spec::{Binding, Clause, GhostAction, Target};
use selvedge_ir::{
    Action, BinaryOp, Callee, Const, EdgeId, Expr, LocationId, ObjectId, Place, ProcId, Property,
    Sharing, Span, Type,
};
use selvedge_passes::pointsto::Origin;
use selvedge_smt::translate::Sym;
use selvedge_smt::{Answer, Term};
use selvedge_verdict::Stop;

use crate::checker::{Checker, Mode};
use crate::closure::Changes;
use crate::heads::Guess;
use crate::memory::Kept;
use crate::report::{Annotation, Kind};
use crate::shown::Shown;
use crate::state::State;
use crate::world::Changed;

/// An invariant that the author gives, which holds after some actions at the head.
struct Given<'a> {
    before: Vec<&'a Action>,
    holds: Holds<'a>,
    span: Span,
}

/// A condition on locals, or a formula.
#[derive(Clone, Copy)]
enum Holds<'a> {
    Expr(&'a Expr),
    Claim(&'a Clause),
}

impl Given<'_> {
    fn looks(&self) -> bool {
        matches!(self.holds, Holds::Claim(_))
            || self.before.iter().any(|action| matches!(action, Action::Load { .. }))
    }
}

impl<'a> Checker<'a> {
    /// At a head: what is given and guessed holds.
    pub fn keeps_invariants(
        &mut self,
        state: &State,
        head: LocationId,
        at: Span,
    ) -> Result<(), Stop> {
        let all = self.given(head);
        let mut state = state.clone();
        if state.stale && all.iter().any(Given::looks) {
            // What the author says of memory holds whatever others have done to it.
            self.environment(&mut state);
        }
        let state = &state;
        for given in all {
            let holds = self.holds(state, &given)?;
            let text = match given.holds {
                Holds::Expr(_) => "loop invariant".to_owned(),
                Holds::Claim(clause) => format!("loop invariant {}", clause.text),
            };
            let annotation = Some(Annotation { text, span: given.span });
            let shown = Shown::state(state);
            self.oblige(Kind::LoopInvariant, at, annotation, state.guard, holds, shown)?;
        }
        match self.mode {
            Mode::Guess => self.drop_wrong(state, head),
            Mode::Check => Ok(()),
        }
    }

    /// Any state at the head that the invariants allow.
    pub fn cut(&mut self, mut state: State, head: LocationId) -> State {
        let edges = self.loops.edges(self.body, head);
        let actions: Vec<&Action> = edges.iter().map(|&at| &self.body.edge(at).action).collect();
        for local in actions.iter().filter_map(|action| action.assigned()) {
            state.locals.remove(&local);
        }
        if !actions.iter().all(|action| leaves_memory_alone(action)) {
            let (changed, apart) = self.changed_by(&edges);
            self.closure(&mut state, &changed, apart);
        } else {
            self.environment(&mut state);
        }
        for local in actions.iter().filter_map(|action| action.assigned()) {
            self.local(&mut state, local);
        }
        for position in &mut state.positions {
            *position = self.world.terms.fresh("position", selvedge_smt::Sort::Bool);
        }
        for given in self.given(head) {
            if let Holds::Claim(clause) = given.holds {
                let view = self.claim_view(&mut state, &clause.formula);
                self.world.assume(state.guard, &clause.formula, view);
            } else if let Ok(holds) = self.holds(&state, &given) {
                self.world.fact_where(state.guard, holds);
            }
        }
        for guess in self.guesses.at.get(&head).cloned().unwrap_or_default() {
            self.assume_guess(&mut state, &guess);
        }
        // The invariants hold on arrival; others may run before the next step.
        state.stale = true;
        state
    }

    /// What a loop may change in memory, and whether it leaves the thread's own objects alone.
    fn changed_by(&mut self, edges: &[EdgeId]) -> (Changes, bool) {
        let body = self.body;
        let mut changed = Vec::new();
        let mut apart = true;
        for &at in edges {
            match &body.edge(at).action {
                Action::Store { to: place, .. }
                | Action::Lock { lock: place }
                | Action::Unlock { lock: place } => {
                    apart &= place.direct().is_some() && place.ty != Type::Ptr;
                    changed.extend(self.place_changed(place, at));
                }
                Action::Alloc { .. } => {}
                Action::Free { .. } | Action::Spawn { .. } => apart = false,
                Action::Call { callee: Callee::Direct(callee), args, .. } => {
                    apart = false;
                    changed.extend(self.changed_by_call(*callee, args));
                }
                Action::Call { .. } => {
                    apart = false;
                    changed.push(Changed::Any);
                }
                Action::Ghost(ghost) => {
                    if let GhostAction::Update { ghost, .. } = **ghost {
                        apart = false;
                        changed.push(Changed::Every(Kept::Ghost(ghost)));
                    }
                }
                _ => {}
            }
        }
        if edges.iter().any(|&at| matches!(body.edge(at).action, Action::Free { .. })) {
            changed.push(Changed::Any);
        }
        (Changes { places: changed, within: self.written_in(edges) }, apart)
    }

    /// At which types and where the actions of a loop may write, if that is known.
    fn written_in(&self, edges: &[EdgeId]) -> Option<FxHashSet<(Type, Origin)>> {
        let mut found = FxHashSet::default();
        for &at in edges {
            match &self.body.edge(at).action {
                Action::Store { to: place, .. }
                | Action::Lock { lock: place }
                | Action::Unlock { lock: place } => {
                    let origins = self.subject.led_to(self.id, at)?;
                    found.extend(origins.into_iter().map(|origin| (place.ty, origin)));
                }
                Action::Call { callee: Callee::Direct(callee), .. } => {
                    found.extend(self.subject.written_by(*callee)?);
                }
                Action::Call { .. } | Action::Free { .. } => return None,
                _ => {}
            }
        }
        Some(found)
    }

    /// What a call may change: what the contract of the callee names, whatever the arguments are that
    /// are no constants.
    fn changed_by_call(&mut self, callee: ProcId, args: &[Expr]) -> Vec<Changed> {
        let Some(contract) = self.subject.program.spec.contract_of(callee) else {
            return vec![Changed::Any];
        };
        let actions = contract.actions.iter().flat_map(|action| &action.modifies);
        let targets = contract.modifies.iter().chain(actions);
        let changed = targets.map(|target| self.target_changed(target, args));
        changed.collect()
    }

    fn target_changed(&mut self, target: &Target, args: &[Expr]) -> Changed {
        let formula = &target.address;
        let kept = Kept::of_target(target);
        let address = formula.body.clone().map(&mut |part| match &part {
            Expr::Local(local) => match formula.variables[*local].binding {
                Binding::Parameter(number) => match args.get(number as usize) {
                    Some(value @ Expr::Const(Const::Object(..))) => value.clone(),
                    _ => part,
                },
                _ => part,
            },
            _ => part,
        });
        match (address_of(&selvedge_passes::fold::fold(address.clone())), address.base()) {
            (Some(location), _) => self.at_location(location, kept),
            (None, Some(object)) if self.is_one(object) => {
                Changed::In(kept, Origin::Object(object))
            }
            _ => Changed::Every(kept),
        }
    }

    fn is_one(&mut self, object: ObjectId) -> bool {
        self.world.instance_of(object, self.world.tid).is_none()
    }

    fn at_location(&mut self, (object, offset): (ObjectId, i64), kept: Kept) -> Changed {
        if !self.is_one(object) {
            return Changed::Every(kept);
        }
        let number = self.world.objects.object(object);
        let object = self.world.terms.int(number);
        let offset = self.world.terms.int(offset);
        Changed::At(kept, Sym::Pointer { object, offset })
    }

    /// What an action changes: a place, or all that its pointer may lead to.
    fn place_changed(&mut self, place: &Place, at: EdgeId) -> Vec<Changed> {
        let kept = Kept::Scalar(place.ty);
        if let Some(location) = place.direct() {
            return vec![self.at_location(location, kept)];
        }
        let one = |origin: &Origin| match origin {
            Origin::Object(object) => self.subject.program.objects[*object].sharing,
            Origin::Alloc(..) => Sharing::Shared,
        };
        match self.subject.led_to(self.id, at) {
            Some(origins) if origins.iter().all(|origin| one(origin) == Sharing::Shared) => {
                origins.into_iter().map(|origin| Changed::In(kept, origin)).collect()
            }
            _ => vec![Changed::Every(kept)],
        }
    }

    /// The invariants that stand behind a head: loads and a condition.
    fn given(&self, head: LocationId) -> Vec<Given<'a>> {
        let mut found = Vec::new();
        let mut before = Vec::new();
        let mut at = head;
        loop {
            let [edge] = self.body.locations[at].edges.as_slice() else { return found };
            match &edge.action {
                Action::Assert { cond, check } if check.property == Property::Invariant => {
                    let before = std::mem::take(&mut before);
                    found.push(Given { before, holds: Holds::Expr(cond), span: edge.span });
                }
                Action::Ghost(ghost) => match &**ghost {
                    GhostAction::Invariant(clause) => {
                        let holds = Holds::Claim(clause);
                        found.push(Given { before: Vec::new(), holds, span: edge.span });
                    }
                    _ => return found,
                },
                Action::Skip => {}
                action @ (Action::Assign { .. } | Action::Load { .. }) => before.push(action),
                _ => return found,
            }
            at = edge.target;
            if at == head {
                return found;
            }
        }
    }

    fn holds(&mut self, state: &State, given: &Given<'a>) -> Result<Term, Stop> {
        let mut state = state.clone();
        let mode = std::mem::replace(&mut self.mode, Mode::Guess);
        let holds = self.compute(&mut state, given);
        self.mode = mode;
        holds
    }

    fn compute(&mut self, state: &mut State, given: &Given<'a>) -> Result<Term, Stop> {
        for action in &given.before {
            match action {
                Action::Assign { to, value } => {
                    let value = self.expr(state, value, given.span)?;
                    state.locals.insert(*to, value);
                }
                Action::Load { to, from, .. } => {
                    let at = self.expr(state, &from.addr, given.span)?;
                    let value = self.world.read(&state.memory, from.ty, at);
                    state.locals.insert(*to, value);
                }
                _ => {}
            }
        }
        match given.holds {
            Holds::Expr(holds) => Ok(self.expr(state, holds, given.span)?.scalar()),
            Holds::Claim(clause) => {
                let view = self.claim_view(state, &clause.formula);
                Ok(self.world.goal(&clause.formula, &view))
            }
        }
    }

    /// Drops the guesses about a head that do not hold in a state.
    fn drop_wrong(&mut self, state: &State, head: LocationId) -> Result<(), Stop> {
        let mut kept = self.guesses.at.remove(&head).unwrap_or_default();
        let before = kept.len();
        while !kept.is_empty() {
            let mut state = state.clone();
            let goals: Vec<Term> =
                kept.iter().map(|guess| self.guess_goal(&mut state, guess)).collect();
            let all = self.world.terms.and(&goals);
            let model = match self.world.ask(state.guard, all) {
                Answer::Unsat(_) => break,
                Answer::Sat(model) => Some(model),
                Answer::Unknown(reason) => {
                    crate::checker::unknown(reason, &self.task.limits)?;
                    None
                }
            };
            let holds =
                |goal: &Term| model.as_ref().is_some_and(|m| m.holds(&self.world.terms, *goal));
            let held: Vec<bool> = goals.iter().map(holds).collect();
            if model.is_some() && held.contains(&false) {
                let mut held = held.into_iter();
                kept.retain(|_| held.next().unwrap_or(false));
            } else {
                kept = self.one_by_one(&state, kept, &goals);
                break;
            }
        }
        self.wrong += before - kept.len();
        self.guesses.at.insert(head, kept);
        Ok(())
    }

    fn one_by_one(&mut self, state: &State, kept: Vec<Guess>, goals: &[Term]) -> Vec<Guess> {
        let mut sure = Vec::new();
        for (guess, &goal) in kept.into_iter().zip(goals) {
            if matches!(self.world.ask(state.guard, goal), Answer::Unsat(_)) {
                sure.push(guess);
            }
        }
        sure
    }

    fn assume_guess(&mut self, state: &mut State, guess: &Guess) {
        match guess {
            Guess::Requires(number) => {
                let Some(contract) = self.contract else { return };
                let view = self.view(&state.memory, &state.memory, None);
                self.world.assume(state.guard, &contract.requires[*number].formula, view);
            }
            _ => {
                let holds = self.guess_goal(state, guess);
                self.world.fact_where(state.guard, holds);
            }
        }
    }

    fn guess_goal(&mut self, state: &mut State, guess: &Guess) -> Term {
        match guess {
            Guess::Position(number) => match state.positions.get(*number) {
                Some(&possible) => possible,
                None => self.world.terms.bool(true),
            },
            Guess::Requires(number) => match self.contract {
                Some(contract) => {
                    let view = self.view(&state.memory, &state.memory, None);
                    self.world.goal_inside(&contract.requires[*number].formula, &view)
                }
                None => self.world.terms.bool(true),
            },
            Guess::Local(expr) => self.plain(state, expr).scalar(),
            Guess::Where(condition, guess) => {
                let condition = self.plain(state, condition).scalar();
                let holds = self.guess_goal(state, guess);
                self.world.terms.implies(condition, holds)
            }
            Guess::Entry(local, param) => {
                let value = self.local(state, *local);
                let entry = self.params[*param];
                value.equal(&mut self.world.terms, entry)
            }
            Guess::Memory(place, op, expr) => {
                let at = self.plain(state, &place.addr);
                let found = self.world.read(&state.memory, place.ty, at);
                let value = self.plain(state, expr);
                match (op, found, value) {
                    (BinaryOp::Lt, Sym::Scalar(a), Sym::Scalar(b)) => self.world.terms.lt(a, b),
                    (BinaryOp::Le, Sym::Scalar(a), Sym::Scalar(b)) => self.world.terms.le(a, b),
                    (BinaryOp::Gt, Sym::Scalar(a), Sym::Scalar(b)) => self.world.terms.lt(b, a),
                    (BinaryOp::Ge, Sym::Scalar(a), Sym::Scalar(b)) => self.world.terms.le(b, a),
                    _ => found.equal(&mut self.world.terms, value),
                }
            }
            Guess::Object(local) => {
                let Sym::Pointer { object, .. } = self.local(state, *local) else {
                    return self.world.terms.bool(false);
                };
                let one = self.world.terms.int(1);
                self.world.terms.le(one, object)
            }
            Guess::Own(local) => {
                let Sym::Pointer { object, .. } = self.local(state, *local) else {
                    return self.world.terms.bool(false);
                };
                let zero = self.world.terms.int(0);
                self.world.consider(Type::Ptr, Sym::Pointer { object, offset: zero });
                self.world.own.insert(object);
                let owner = state.memory.owner_of(&mut self.world.terms, object);
                self.world.terms.eq(owner, self.world.tid)
            }
            Guess::Public(local) => {
                let value = self.local(state, *local);
                self.world.consider(Type::Ptr, value);
                self.public(state, value)
            }
        }
    }

    /// An expression whatever it needs; a guess that needs more than holds is dropped or useless.
    pub fn plain(&mut self, state: &mut State, expr: &Expr) -> Sym {
        for local in expr.locals() {
            self.local(state, local);
        }
        let locals = &state.locals;
        let tid = self.world.tid;
        self.world.translate(self.body, expr, &|local| locals[&local], tid).value
    }
}

fn address_of(address: &Expr) -> Option<(ObjectId, i64)> {
    match *address {
        Expr::Const(Const::Object(object, offset)) => Some((object, offset)),
        _ => None,
    }
}

/// Whether the action changes nothing in memory.
fn leaves_memory_alone(action: &Action) -> bool {
    !matches!(
        action,
        Action::Store { .. }
            | Action::Lock { .. }
            | Action::Unlock { .. }
            | Action::Alloc { .. }
            | Action::Free { .. }
            | Action::Spawn { .. }
            | Action::Call { .. }
            | Action::Ghost(_)
    )
}
