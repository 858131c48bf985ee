//! A first abstract thread for a procedure: its control-flow graph as far as the vocabulary sees it.
//!
//! A state is a location from which a step can touch the vocabulary, together with what is known of the
//! locals there: those that are constants. A step is one step of the thread and everything up to the
//! next such location, a path: the thread's own branches come after the reads that they depend on, and
//! are conditions on what was read. What a path writes and tests is computed from the vocabulary before
//! it as far as that is possible; what else is written is any value, and what else is tested may come
//! out either way. What a path asserts becomes an assertion of the state that it leaves.
//!
//! Nothing has to be believed of this: a sketch is checked as any other abstract thread is.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{
    Action, BinaryOp, Const, EdgeId, Expr, Grain, LocalId, LocationId, ProcId, Procedure, Property,
    Type,
};
use selvedge_passes::fold::fold;
use selvedge_passes::graph::arrives;
use selvedge_passes::liveness::LiveLocals;

use crate::memory::Leads;
use crate::path::{Path, Touched, Values, asserted, assign, restrict, value, widened};
use crate::subject::Subject;

/// States beyond which a graph is no longer a specification for people.
const STATES: usize = 200;
/// Paths out of one state.
const PATHS: usize = 64;
/// Constants of one local that are told apart at one location. A local with more is a counter or the
/// like, and is forgotten.
const VARIANTS: usize = 2;

/// A state machine over cells of the vocabulary: in its expressions a local is a cell, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch {
    pub states: Vec<SketchState>,
    pub steps: Vec<SketchStep>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SketchState {
    pub initial: bool,
    pub asserts: Vec<Expr>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SketchStep {
    pub from: usize,
    pub to: usize,
    /// On the vocabulary before the step.
    pub conditions: Vec<Expr>,
    /// The new value of a cell over the old ones; none where it is any value.
    pub writes: Vec<(usize, Option<Expr>)>,
}

impl Subject {
    /// The sketch of an abstract thread's procedure, or why there is none.
    pub fn sketch(&self, index: usize) -> Result<Sketch, String> {
        let Some(id) = self.procedures[index] else {
            return Err("no thread starts there".to_owned());
        };
        let mut forgotten = FxHashSet::default();
        loop {
            let mut drawing = Drawing::new(self, id, forgotten);
            drawing.start()?;
            while let Some(state) = drawing.open.pop() {
                drawing.leave(state)?;
            }
            if !drawing.forget() {
                return Ok(Sketch { states: drawing.states, steps: drawing.steps });
            }
            forgotten = drawing.forgotten;
        }
    }

    /// The cell of the vocabulary that an expression of a sketch names.
    pub fn cell_expr(cell: usize) -> Expr {
        Expr::Local(LocalId::from_u32(cell as u32))
    }
}

type Node = (LocationId, Vec<(LocalId, Const)>);

struct Drawing<'a> {
    subject: &'a Subject,
    id: ProcId,
    procedure: &'a Procedure,
    live: LiveLocals,
    /// Whether a step from here can touch the vocabulary, by location and edge.
    visible: FxHashMap<EdgeId, bool>,
    /// Locals that have too many constants.
    forgotten: FxHashSet<LocalId>,
    nodes: FxHashMap<Node, usize>,
    places: Vec<Node>,
    states: Vec<SketchState>,
    steps: Vec<SketchStep>,
    open: Vec<usize>,
}

impl<'a> Drawing<'a> {
    fn new(subject: &'a Subject, id: ProcId, forgotten: FxHashSet<LocalId>) -> Drawing<'a> {
        let procedure = &subject.program.procedures[id];
        let mut drawing = Drawing {
            subject,
            id,
            procedure,
            live: LiveLocals::of(procedure),
            visible: FxHashMap::default(),
            forgotten,
            nodes: FxHashMap::default(),
            places: Vec::new(),
            states: Vec::new(),
            steps: Vec::new(),
            open: Vec::new(),
        };
        drawing.look_ahead();
        drawing
    }

    /// Which edges begin a step that can touch the vocabulary.
    fn look_ahead(&mut self) {
        for (at, edge) in self.procedure.edges() {
            let leads = edge.action.place().map(|place| self.subject.leads(self.id, at, place));
            self.visible.insert(at, matches!(leads, Some(Leads::Cell(_))));
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (at, edge) in self.procedure.edges() {
                if !self.visible[&at] && self.goes_on(edge.target) && self.sees(edge.target) {
                    self.visible.insert(at, true);
                    changed = true;
                }
            }
        }
    }

    fn goes_on(&self, target: LocationId) -> bool {
        target != self.procedure.exit && self.procedure.locations[target].grain == Grain::Atomic
    }

    fn sees(&self, location: LocationId) -> bool {
        let edges = self.procedure.locations[location].edges.len() as u32;
        (0..edges).any(|index| self.visible[&EdgeId { from: location, index }])
    }

    fn start(&mut self) -> Result<(), String> {
        let path = self.path(self.procedure.entry, Values::default(), Touched::Over);
        for path in self.run(path, &mut Vec::new())? {
            let state = self.node(&path)?;
            self.states[state].initial = true;
        }
        Ok(())
    }

    fn path(&self, at: LocationId, values: Values, touched: Touched) -> Path {
        let cells = self.subject.vocabulary.cells.len();
        let cells = (0..cells).map(|cell| Some(Subject::cell_expr(cell))).collect();
        Path { at, values, cells, conditions: Vec::new(), touched, been: Vec::new() }
    }

    /// The state for where a path has come to.
    fn node(&mut self, path: &Path) -> Result<usize, String> {
        let mut known: Vec<(LocalId, Const)> = Vec::new();
        for (&local, value) in &path.values {
            if let Expr::Const(value) = value
                && self.live.contains(path.at, local)
                && !self.forgotten.contains(&local)
            {
                known.push((local, *value));
            }
        }
        known.sort_unstable_by_key(|(local, _)| *local);
        let node = (path.at, known);
        if let Some(&state) = self.nodes.get(&node) {
            return Ok(state);
        }
        if self.states.len() >= STATES {
            if self.has_counters() {
                // It is drawn again without them.
                return Ok(0);
            }
            return Err(format!("its graph has more than {STATES} states"));
        }
        let state = self.states.len();
        self.nodes.insert(node.clone(), state);
        self.places.push(node);
        self.states.push(SketchState::default());
        self.open.push(state);
        Ok(state)
    }

    fn counters(&self) -> FxHashSet<LocalId> {
        let mut constants: FxHashMap<(LocationId, LocalId), FxHashSet<Const>> =
            FxHashMap::default();
        for (at, known) in &self.places {
            for &(local, value) in known {
                constants.entry((*at, local)).or_default().insert(value);
            }
        }
        let many = constants.into_iter().filter(|(_, values)| values.len() > VARIANTS);
        many.map(|((_, local), _)| local).collect()
    }

    fn has_counters(&self) -> bool {
        !self.counters().is_empty()
    }

    /// Forgets locals that have too many constants; says whether there were any.
    fn forget(&mut self) -> bool {
        let counters = self.counters();
        self.forgotten.extend(counters.iter().copied());
        !counters.is_empty()
    }

    fn leave(&mut self, state: usize) -> Result<(), String> {
        let (at, known) = self.places[state].clone();
        let values = known.into_iter().map(|(local, value)| (local, Expr::Const(value))).collect();
        let path = self.path(at, values, Touched::NotYet);
        let mut asserts = Vec::new();
        for path in self.run(path, &mut asserts)? {
            let to = self.node(&path)?;
            let step = self.step(state, to, &path)?;
            let nothing = step.from == step.to && step.writes.is_empty();
            if !nothing && !self.steps.contains(&step) {
                self.steps.push(step);
            }
        }
        for assert in asserts {
            if !self.states[state].asserts.contains(&assert) {
                self.states[state].asserts.push(assert);
            }
        }
        Ok(())
    }

    fn step(&self, from: usize, to: usize, path: &Path) -> Result<SketchStep, String> {
        let mut writes = Vec::new();
        for (cell, value) in path.cells.iter().enumerate() {
            if *value == Some(Subject::cell_expr(cell)) {
                continue;
            }
            let data = &self.subject.vocabulary.cells[cell];
            if value.is_none() && data.ty == Type::Thread {
                return Err(format!("which thread `{}` becomes cannot be told", data.name));
            }
            writes.push((cell, value.clone()));
        }
        Ok(SketchStep { from, to, conditions: path.conditions.clone(), writes })
    }

    /// All paths from here to where the next step may touch the vocabulary.
    fn run(&self, start: Path, asserts: &mut Vec<Expr>) -> Result<Vec<Path>, String> {
        let mut open = vec![start];
        let mut done: Vec<Path> = Vec::new();
        while let Some(path) = open.pop() {
            if path.touched == Touched::Over && (self.sees(path.at) || self.ends(path.at)) {
                done.push(path);
                continue;
            }
            for (index, edge) in self.procedure.locations[path.at].edges.iter().enumerate() {
                let at = EdgeId { from: path.at, index: index as u32 };
                let mut next = Path { at: edge.target, ..path.clone() };
                let goes_on = self.action(at, &edge.action, &mut next, asserts)?;
                if !goes_on || !arrives(edge) || !widened(&mut next) {
                    continue;
                }
                next.touched = match (path.touched, self.goes_on(edge.target)) {
                    (Touched::Over, _) => Touched::Over,
                    (Touched::NotYet, true) | (Touched::Inside, true) => Touched::Inside,
                    (Touched::NotYet, false) | (Touched::Inside, false) => Touched::Over,
                };
                let seen = |other: &Path| {
                    other.at == next.at
                        && other.values == next.values
                        && other.cells == next.cells
                        && other.conditions == next.conditions
                };
                if !open.iter().chain(&done).any(seen) {
                    open.push(next);
                }
            }
            if open.len() + done.len() > PATHS {
                return Err(format!("more than {PATHS} paths lead from one state to the next"));
            }
        }
        Ok(done)
    }

    fn ends(&self, at: LocationId) -> bool {
        at == self.procedure.exit || self.procedure.locations[at].edges.is_empty()
    }

    /// Does an action on a path; false if the path ends.
    fn action(
        &self,
        at: EdgeId,
        action: &Action,
        path: &mut Path,
        asserts: &mut Vec<Expr>,
    ) -> Result<bool, String> {
        let cell = |place| match self.subject.leads(self.id, at, place) {
            Leads::Cell(cell) => Some(cell),
            _ => None,
        };
        match action {
            Action::Assume(condition) | Action::Wait(condition) => {
                return Ok(restrict(path, value(condition, &path.values)));
            }
            Action::Assert { cond, check } if check.is_asked(&[Property::Assert]) => {
                return Ok(asserted(path, value(cond, &path.values), asserts));
            }
            Action::Assign { to, value: new } => {
                let new = value(new, &path.values);
                assign(path, *to, new);
            }
            Action::Load { to, from, .. } => {
                let new = cell(from).and_then(|cell| path.cells[cell].clone());
                assign(path, *to, new);
            }
            Action::Store { to, value: new, .. } => {
                if let Some(cell) = cell(to) {
                    path.cells[cell] = value(new, &path.values);
                }
            }
            Action::Lock { lock } => {
                if let Some(cell) = cell(lock) {
                    let free = |held: Expr| {
                        let none = Expr::Const(Const::NoThread);
                        Expr::binary(BinaryOp::Eq, held, none)
                    };
                    let free = path.cells[cell].clone().map(free).map(fold);
                    path.cells[cell] = Some(Expr::Tid);
                    return Ok(restrict(path, free));
                }
            }
            Action::Unlock { lock } => {
                if let Some(cell) = cell(lock) {
                    path.cells[cell] = Some(Expr::Const(Const::NoThread));
                }
            }
            Action::Spawn { .. } => return Err("it starts threads".to_owned()),
            Action::Join { .. } => return Err("it waits for the end of another thread".to_owned()),
            Action::Call { .. } => return Err("it calls itself".to_owned()),
            other => {
                if let Some(to) = other.assigned() {
                    assign(path, to, None);
                }
            }
        }
        Ok(true)
    }
}
