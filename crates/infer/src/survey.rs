//! What threads do to memory, as far as annotations can name it: who writes what, with which values,
//! and with which locks held.
//!
//! The survey suggests; it need not be right. Locks are told apart by the variable or the member that
//! they are in, not by the object. Whatever is made of it is checked.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use selvedge_ir::{
    Action, BinaryOp, Callee, Const, EdgeId, Expr, LocalId, LocationId, ObjectId, ProcId,
    Procedure, Program, Sharing, Type,
};
use selvedge_passes::Templates;
use selvedge_passes::pointsto::{Origin, PointsTo};
use selvedge_passes::simplify::thread_entries;
use selvedge_verdict::{Run, Stop};

use crate::place::{Place, Within};

#[derive(Clone)]
pub struct Survey {
    /// With all calls inlined, but those of procedures with a contract.
    pub program: Program,
    pub accesses: Vec<Access>,
    pub templates: Templates,
    /// What each place in memory is compared with.
    pub compared: BTreeMap<Place, BTreeSet<i128>>,
    pub starts: Vec<Start>,
}

/// A load or store by a thread that starts in the procedure.
#[derive(Clone, Debug)]
pub struct Access {
    pub procedure: ProcId,
    pub place: Place,
    pub ty: Type,
    /// What is stored; none for a load.
    pub stored: Option<Value>,
    /// The locks that the thread holds, by their cells.
    pub held: BTreeSet<Place>,
    /// The parameter that the address is made from.
    pub through: Option<LocalId>,
    /// `file.c:12`.
    pub line: String,
}

/// What a store puts there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    Int(i128),
    /// What was there, and so much more.
    Plus(i128),
    /// The executing thread.
    Own,
    Null,
    /// A pointer to an object.
    Object,
    Other,
}

/// A thread is started, or a procedure is called that has a contract.
#[derive(Clone, Debug)]
pub struct Start {
    pub entry: ProcId,
    pub arguments: Vec<Value>,
}

impl Survey {
    pub fn of(program: &Program, run: &Run<'_>) -> Result<Survey, Stop> {
        let program = selvedge_contracts::inlined(program, run)?;
        let points_to = run.analyse(|limits| PointsTo::of(&program, limits))?;
        let templates = run.analyse(|limits| Templates::within(&program, limits))?;
        let mut survey = Survey {
            accesses: Vec::new(),
            compared: BTreeMap::new(),
            starts: Vec::new(),
            templates,
            program,
        };
        let entries = thread_entries(&survey.program);
        let ids: Vec<ProcId> = survey.program.procedures.keys().collect();
        for id in ids.into_iter().filter(|&id| entries.contains(id)) {
            run.check()?;
            survey.procedure(id, &points_to);
        }
        Ok(survey)
    }

    fn procedure(&mut self, id: ProcId, points_to: &PointsTo) {
        let procedure = &self.program.procedures[id];
        let places: FxHashMap<EdgeId, Place> = procedure
            .edges()
            .filter_map(|(at, _)| Some((at, place(&self.program, points_to, id, at)?)))
            .collect();
        let held = held(procedure, &places);
        let flow = Flow::of(procedure, &places);
        let mut accesses = Vec::new();
        for (at, edge) in procedure.edges() {
            let Some(before) = held.get(&at.from) else { continue };
            match &edge.action {
                Action::Spawn { entry: Callee::Direct(entry), args, .. }
                | Action::Call { callee: Callee::Direct(entry), args, .. } => {
                    let arguments = args.iter().map(|arg| flow.value(arg, None)).collect();
                    self.starts.push(Start { entry: *entry, arguments });
                }
                Action::Assume(condition) | Action::Wait(condition) => {
                    for (place, number) in flow.comparisons(condition) {
                        self.compared.entry(place).or_default().insert(number);
                    }
                }
                Action::Load { from: at_place, .. } | Action::Store { to: at_place, .. } => {
                    let Some(place) = places.get(&at) else { continue };
                    let stored = match &edge.action {
                        Action::Store { value, .. } => Some(flow.value(value, Some(place))),
                        _ => None,
                    };
                    let through = flow.parameter(procedure, &at_place.addr);
                    let (place, held) = (place.clone(), before.clone());
                    let ty = at_place.ty;
                    let line = selvedge_contracts::place(&self.program, edge.span);
                    accesses.push(Access { procedure: id, place, ty, stored, held, through, line });
                }
                _ => {}
            }
        }
        self.accesses.extend(accesses);
    }

    /// The survey without what is not accessed on any of these lines.
    pub fn near(&self, lines: &BTreeSet<&str>) -> Survey {
        let there = self.accesses.iter().filter(|access| lines.contains(access.line.as_str()));
        let places: BTreeSet<&Place> = there.map(|access| &access.place).collect();
        let kept = self.accesses.iter().filter(|access| places.contains(&access.place));
        Survey { accesses: kept.cloned().collect(), ..self.clone() }
    }

    /// All places that somebody writes, with what they are written.
    pub fn written(&self) -> BTreeMap<&Place, Vec<&Access>> {
        let mut found: BTreeMap<&Place, Vec<&Access>> = BTreeMap::new();
        for access in self.accesses.iter().filter(|access| access.stored.is_some()) {
            found.entry(&access.place).or_default().push(access);
        }
        found
    }

    /// What is at a place of a variable at the beginning.
    pub fn initial(&self, place: &Place) -> Option<i128> {
        let (object, offset) = place.object?;
        let init = &self.program.objects[object].init;
        let at = u64::try_from(offset).ok()?;
        match init.iter().find(|(offset, _)| *offset == at) {
            None => Some(0),
            Some((_, Const::Int(bits, int))) => Some(int.value(*bits)),
            Some((_, Const::Bool(value))) => Some(i128::from(*value)),
            Some(_) => None,
        }
    }
}

/// What the action on an edge accesses, if annotations can name it.
fn place(program: &Program, points_to: &PointsTo, id: ProcId, at: EdgeId) -> Option<Place> {
    let cell = points_to.access(id, at)?;
    let mut found: Option<Place> = None;
    for extent in points_to.extents(cell) {
        let next = match extent.origin {
            Origin::Object(object) => of_object(program, object, extent.start)?,
            Origin::Alloc(procedure, edge) => {
                let edge = program.procedures[procedure].edge(edge);
                let Action::Alloc { layout, .. } = edge.action else { return None };
                Place { object: None, within: Within::all(program, layout, extent.start) }
            }
        };
        found = Some(match found {
            None => next,
            Some(before) => before.common(&next)?,
        });
    }
    found
}

fn of_object(program: &Program, object: ObjectId, start: i64) -> Option<Place> {
    let data = &program.objects[object];
    (data.sharing == Sharing::Shared).then(|| Place {
        object: Some((object, start)),
        within: Within::all(program, data.layout, start),
    })
}

/// The locks certainly held at each location that is reached.
fn held(
    procedure: &Procedure,
    places: &FxHashMap<EdgeId, Place>,
) -> FxHashMap<LocationId, BTreeSet<Place>> {
    let mut held = FxHashMap::from_iter([(procedure.entry, BTreeSet::new())]);
    let mut work = vec![procedure.entry];
    while let Some(from) = work.pop() {
        let before: BTreeSet<Place> = held[&from].clone();
        for (index, edge) in procedure.locations[from].edges.iter().enumerate() {
            let mut after = before.clone();
            if let Some(place) = places.get(&EdgeId { from, index: index as u32 }) {
                match &edge.action {
                    Action::Lock { .. } => {
                        after.insert(place.clone());
                    }
                    Action::Unlock { .. } => {
                        after.remove(place);
                    }
                    _ => {}
                }
            }
            let known = held.get(&edge.target);
            let next = match known {
                Some(known) => known.intersection(&after).cloned().collect(),
                None => after,
            };
            if known != Some(&next) {
                held.insert(edge.target, next);
                work.push(edge.target);
            }
        }
    }
    held
}

/// Where the values of locals come from, for locals that are assigned in one place only.
struct Flow<'a> {
    from: FxHashMap<LocalId, Option<Source<'a>>>,
}

#[derive(Clone)]
enum Source<'a> {
    Value(&'a Expr),
    Loaded(Option<Place>),
    Made,
}

/// How far the copies of a value are followed.
const FAR: usize = 16;

impl<'a> Flow<'a> {
    fn of(procedure: &'a Procedure, places: &FxHashMap<EdgeId, Place>) -> Flow<'a> {
        let mut from: FxHashMap<LocalId, Option<Source<'a>>> = FxHashMap::default();
        for (at, edge) in procedure.edges() {
            let Some(local) = edge.action.assigned() else { continue };
            let source = match &edge.action {
                Action::Assign { value, .. } => Some(Source::Value(value)),
                Action::Load { .. } => Some(Source::Loaded(places.get(&at).cloned())),
                Action::Alloc { .. } => Some(Source::Made),
                _ => None,
            };
            from.entry(local).and_modify(|known| *known = None).or_insert(source);
        }
        Flow { from }
    }

    fn source(&self, expr: &'a Expr) -> Option<Source<'a>> {
        let mut source = Source::Value(expr);
        for _ in 0..FAR {
            source = match &source {
                Source::Value(Expr::Cast(_, inner)) => Source::Value(inner),
                Source::Value(Expr::Local(local)) => self.from.get(local)?.clone()?,
                _ => break,
            };
        }
        Some(source)
    }

    fn value(&self, expr: &'a Expr, place: Option<&Place>) -> Value {
        match self.source(expr) {
            Some(Source::Value(Expr::Const(constant))) => match constant {
                Const::Int(bits, int) => Value::Int(int.value(*bits)),
                Const::Bool(value) => Value::Int(i128::from(*value)),
                Const::Null => Value::Null,
                Const::Object(..) | Const::Proc(_) => Value::Object,
                Const::NoThread => Value::Int(0),
            },
            Some(Source::Value(Expr::Tid)) => Value::Own,
            Some(Source::Made) => Value::Object,
            Some(Source::Value(Expr::Binary(op, left, right))) => {
                self.sum(*op, left, right, place).unwrap_or(Value::Other)
            }
            _ => Value::Other,
        }
    }

    /// What was at the place, and a constant.
    fn sum(
        &self,
        op: BinaryOp,
        left: &'a Expr,
        right: &'a Expr,
        place: Option<&Place>,
    ) -> Option<Value> {
        let number = self.number(right)?;
        let number = match op {
            BinaryOp::Add => number,
            BinaryOp::Sub => -number,
            _ => return None,
        };
        match self.source(left)? {
            Source::Loaded(from) if from.is_some() && from.as_ref() == place => {
                Some(Value::Plus(number))
            }
            _ => None,
        }
    }

    fn number(&self, expr: &'a Expr) -> Option<i128> {
        match self.source(expr)? {
            Source::Value(Expr::Const(Const::Int(bits, int))) => Some(int.value(*bits)),
            _ => None,
        }
    }

    /// The places that a condition compares with numbers.
    fn comparisons(&self, condition: &'a Expr) -> Vec<(Place, i128)> {
        let mut found = Vec::new();
        condition.walk(&mut |part| {
            let Expr::Binary(op, left, right) = part else { return };
            if !op.is_test() {
                return;
            }
            for (one, other) in [(left, right), (right, left)] {
                if let (Some(Source::Loaded(Some(place))), Some(number)) =
                    (self.source(one), self.number(other))
                {
                    found.push((place, number));
                }
            }
        });
        found
    }

    /// The parameter that an address begins with.
    fn parameter(&self, procedure: &Procedure, address: &'a Expr) -> Option<LocalId> {
        let mut expr = address;
        for _ in 0..FAR {
            expr = match expr {
                Expr::Cast(_, inner) => inner,
                Expr::Binary(BinaryOp::PtrAdd, pointer, _) => pointer,
                Expr::Local(local) if procedure.params.contains(local) => return Some(*local),
                Expr::Local(local) => match self.from.get(local)?.clone()? {
                    Source::Value(value) => value,
                    _ => return None,
                },
                _ => return None,
            };
        }
        None
    }
}
