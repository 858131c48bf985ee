//! What was found about loops, in the language of certificates.
//!
//! A fact that cannot be said there is left out: then less is proved by whoever checks it.

use std::collections::BTreeMap;

use selvedge_certify_contracts::{Fact, LoopFacts, names};
use selvedge_ir::{
    Action, BinaryOp, Expr, LocalId, LocationId, ObjectId, Place, ProcId, Procedure, Program,
    Property,
};
use selvedge_smt::translate::{Arithmetic, Objects, Scope, Sym, Translator, Types, Wrap};
use selvedge_smt::{Sort, Term, Terms};

use crate::heads::{Guess, Guesses, Loops};

/// The facts about every loop of a procedure.
pub(crate) fn facts(program: &Program, id: ProcId, guesses: &Guesses) -> Vec<LoopFacts> {
    let body = &program.procedures[id];
    let about = |head: LocationId| {
        let mut facts: Vec<Fact> = given(program, body, head);
        let kept = guesses.at.get(&head).into_iter().flatten();
        facts.extend(kept.filter_map(|guess| fact(program, body, guess)));
        LoopFacts { procedure: body.name.clone(), head: head.as_u32(), facts }
    };
    Loops::of(body).heads().map(about).collect()
}

fn fact(program: &Program, body: &Procedure, guess: &Guess) -> Option<Fact> {
    let mut state = Names::new(program, body);
    let when = match guess {
        Guess::Where(condition, _) => state.expr(condition)?.scalar(),
        _ => state.terms.bool(true),
    };
    let inner = match guess {
        Guess::Where(_, inner) => inner,
        other => other,
    };
    match inner {
        Guess::Position(number) => {
            let when = state.terms.show(when).to_string();
            Some(Fact::Done { actions: *number as u32, when })
        }
        Guess::Requires(number) if when == state.terms.bool(true) => {
            Some(Fact::Requires(*number as u32))
        }
        guess => {
            let holds = state.guess(guess)?;
            let holds = state.terms.implies(when, holds);
            Some(Fact::Formula(state.terms.show(holds).to_string()))
        }
    }
}

/// The invariants that the author gives: loads and a condition behind the head.
fn given(program: &Program, body: &Procedure, head: LocationId) -> Vec<Fact> {
    let mut state = Names::new(program, body);
    let mut found = Vec::new();
    let mut at = head;
    while let [edge] = body.locations[at].edges.as_slice() {
        let known = match &edge.action {
            Action::Skip => Some(()),
            Action::Assign { to, value } => state.expr(value).map(|value| state.set(*to, value)),
            Action::Load { to, from, .. } => state.load(from).map(|value| state.set(*to, value)),
            Action::Assert { cond, check } if check.property == Property::Invariant => {
                state.expr(cond).map(|holds| {
                    found.push(Fact::Formula(state.terms.show(holds.scalar()).to_string()));
                })
            }
            _ => None,
        };
        at = edge.target;
        if known.is_none() || at == head {
            break;
        }
    }
    found
}

/// A state in which everything is known by its name.
struct Names<'p> {
    program: &'p Program,
    body: &'p Procedure,
    terms: Terms,
    types: Types,
    set: BTreeMap<LocalId, Sym>,
}

impl<'p> Names<'p> {
    fn new(program: &'p Program, body: &'p Procedure) -> Names<'p> {
        let arithmetic = Arithmetic::Integers(Wrap::Modular);
        let types = Types { arithmetic, model: program.model };
        Names { program, body, terms: Terms::new(), types, set: BTreeMap::new() }
    }

    fn set(&mut self, local: LocalId, value: Sym) {
        self.set.insert(local, value);
    }

    fn local(&mut self, local: LocalId) -> Sym {
        match self.set.get(&local) {
            Some(&value) => value,
            None => names::local(&mut self.terms, self.types, &self.body.locals[local]),
        }
    }

    /// The value of an expression, if it depends on nothing without a name.
    fn expr(&mut self, expr: &Expr) -> Option<Sym> {
        let locals = expr.locals().into_iter().map(|local| (local, self.local(local)));
        let locals = locals.collect();
        let tid = self.terms.var(names::TID, Sort::Int);
        let mut scope = Named { locals, tid, other: false };
        let arithmetic = self.types.arithmetic;
        let mut translator = Translator::new(&mut self.terms, self.program, self.body, arithmetic);
        let translated = translator.translate(expr, &mut scope);
        (translated.unknowns.is_empty() && !scope.other).then_some(translated.value)
    }

    fn load(&mut self, place: &Place) -> Option<Sym> {
        let Sym::Pointer { object, offset } = self.expr(&place.addr)? else { return None };
        let maps = names::maps(&mut self.terms, self.types, place.ty);
        let parts = maps.into_iter().map(|map| {
            let row = self.terms.select(map, object);
            self.terms.select(row, offset)
        });
        let parts: Vec<Term> = parts.collect();
        Some(Sym::from_terms(&parts))
    }

    fn guess(&mut self, guess: &Guess) -> Option<Term> {
        match guess {
            Guess::Local(expr) => self.expr(expr).map(Sym::scalar),
            Guess::Entry(local, param) => {
                let value = self.local(*local);
                let entry = &self.body.locals[self.body.params[*param]];
                let entry = names::parameter(&mut self.terms, self.types, entry);
                Some(value.equal(&mut self.terms, entry))
            }
            Guess::Memory(place, op, value) => {
                let (found, value) = (self.load(place)?, self.expr(value)?);
                Some(self.compare(*op, found, value))
            }
            Guess::Object(local) => {
                let Sym::Pointer { object, .. } = self.local(*local) else { return None };
                let one = self.terms.int(1);
                Some(self.terms.le(one, object))
            }
            Guess::Own(local) => {
                let Sym::Pointer { object, .. } = self.local(*local) else { return None };
                let owners = names::owner(&mut self.terms);
                let tid = self.terms.var(names::TID, Sort::Int);
                let owner = self.terms.select(owners, object);
                Some(self.terms.eq(owner, tid))
            }
            Guess::Public(local) => {
                let Sym::Pointer { object, offset } = self.local(*local) else { return None };
                let owners = names::owner(&mut self.terms);
                let owner = self.terms.select(owners, object);
                let first = Objects::new(self.program).first_free();
                let t = &mut self.terms;
                let (zero, first) = (t.int(0), t.int(first));
                let open = [t.lt(object, first), t.eq(owner, zero)];
                let (open, none, start) = (t.or(&open), t.eq(object, zero), t.eq(offset, zero));
                let tame = t.implies(none, start);
                Some(t.and(&[open, tame]))
            }
            Guess::Position(_) | Guess::Requires(_) | Guess::Where(..) => None,
        }
    }

    fn compare(&mut self, op: BinaryOp, a: Sym, b: Sym) -> Term {
        match (op, a, b) {
            (BinaryOp::Lt, Sym::Scalar(a), Sym::Scalar(b)) => self.terms.lt(a, b),
            (BinaryOp::Le, Sym::Scalar(a), Sym::Scalar(b)) => self.terms.le(a, b),
            (BinaryOp::Gt, Sym::Scalar(a), Sym::Scalar(b)) => self.terms.lt(b, a),
            (BinaryOp::Ge, Sym::Scalar(a), Sym::Scalar(b)) => self.terms.le(b, a),
            _ => a.equal(&mut self.terms, b),
        }
    }
}

struct Named {
    locals: BTreeMap<LocalId, Sym>,
    tid: Term,
    /// Whether it came to something that has no name.
    other: bool,
}

impl Scope for Named {
    fn local(&mut self, local: LocalId) -> Sym {
        self.locals[&local]
    }

    fn thread(&mut self) -> Term {
        self.tid
    }

    /// Not among the names: any term will do, what it comes to is not used.
    fn own_object(&mut self, _: ObjectId) -> Term {
        self.other = true;
        self.thread()
    }
}
