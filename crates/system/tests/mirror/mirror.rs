//! A machine and a system that do the same.

use selvedge_exec::{
    Choice, Input, Machine, Options, Oracle, State, StepResult, Stop, ThreadId, Visible,
};
use selvedge_ir::{Action, EdgeId, Multiplicity, ProcId, Property, Span, Type};
use selvedge_passes::Prepared;
use selvedge_passes::pointsto::Origin;
use selvedge_random::Rng;
use selvedge_smt::{Answer, Limits, Logic, Model, Solver, Term, Value};
use selvedge_system::{At, Bad, End, Step, System, Template, TemplateId, What};

use crate::Counts;
use crate::values::{Numbers, Values};

/// How many threads stand for any number.
const ANY: u32 = 3;

/// A path that goes on without a cut for so long is none.
const LONG: usize = 400;

/// Actions of one block; programs that a disagreement is shrunk to may go on for ever.
const LIMIT: u64 = 5000;

#[derive(Debug, PartialEq, Eq)]
pub enum Progress {
    Moved,
    /// The machine cannot go on, or the system has given up for a reason that it names.
    Over,
}

/// A thread in the system.
#[derive(Clone, Debug)]
pub struct Mirrored {
    template: TemplateId,
    pub at: At,
    locals: Vec<Value>,
}

/// The edges that a thread has taken since a cut location, and what it got from outside.
#[derive(Clone, Debug, Default)]
struct Taken {
    edges: Vec<EdgeId>,
    inputs: Vec<Option<u64>>,
    /// What was loaded, by edge: the system may take any value where it knows none.
    loaded: Vec<Option<selvedge_exec::Value>>,
    /// The number of the first thread that it starts.
    first_new: usize,
}

pub struct Mirror<'a> {
    prepared: &'a Prepared,
    pub system: &'a System,
    values: Values<'a>,
    pub machine: Machine<'a>,
    pub state: State,
    shared: Vec<Value>,
    pub threads: Vec<Mirrored>,
    numbers: Numbers,
    rng: Rng,
    pub counts: &'a mut Counts,
}

impl<'a> Mirror<'a> {
    /// None if the program cannot be run.
    pub fn new(
        prepared: &'a Prepared,
        system: &'a System,
        properties: &[Property],
        rng: Rng,
        counts: &'a mut Counts,
    ) -> Option<Mirror<'a>> {
        let any_threads = Some(ANY);
        let options = Options { any_threads, action_limit: LIMIT, ..Options::new(properties) };
        let machine = Machine::new(&prepared.program, options);
        let state = machine.initial().ok()?;
        let mut mirror = Mirror {
            prepared,
            system,
            values: Values { program: &prepared.program, types: system.types() },
            machine,
            state,
            shared: initial(system),
            threads: Vec::new(),
            numbers: Numbers::default(),
            rng,
            counts,
        };
        mirror.begin();
        Some(mirror)
    }

    pub fn template(&self, thread: usize) -> &'a Template {
        &self.system.templates[self.threads[thread].template.index()]
    }

    fn begin(&mut self) {
        let mut instances: Vec<ProcId> = Vec::new();
        for thread in &self.prepared.program.threads {
            let count = match thread.count {
                Multiplicity::Exactly(n) => n,
                Multiplicity::Any => ANY,
            };
            for _ in 0..count {
                let mut own = self
                    .system
                    .numbered()
                    .filter(|(_, t)| t.initial && t.procedure == thread.procedure && !t.pool);
                let before = instances.iter().filter(|p| **p == thread.procedure).count();
                let single = own.nth(before).map(|(id, _)| id);
                let mut pools = self
                    .system
                    .numbered()
                    .filter(|(_, t)| t.initial && t.procedure == thread.procedure && t.pool);
                let template = single.or_else(|| pools.next().map(|(id, _)| id));
                instances.push(thread.procedure);
                self.start(template.expect("a template for each initial thread"));
                let begin = self.template(self.threads.len() - 1).begin.clone();
                for (at, value) in begin {
                    let value = Model::new().eval(&self.system.terms, value);
                    self.threads.last_mut().expect("started").locals[at as usize] = value;
                }
            }
        }
    }

    /// A new thread of the machine is this one.
    fn start(&mut self, id: TemplateId) {
        let template = &self.system.templates[id.index()];
        let index = self.threads.len();
        let zero = |term: Term| Value::zero(&self.system.terms, self.system.terms.sort(term));
        let mut locals: Vec<Value> = template.locals.iter().map(|v| zero(v.term)).collect();
        let instances = self.system.templates.iter().filter(|t| !t.pool).count() as u32;
        let number = if template.pool { instances + 1 + index as u32 } else { id.0 + 1 };
        for (variable, value) in template.locals.iter().zip(&mut locals) {
            if variable.what == What::Tid {
                *value = self.values.number(number);
            }
        }
        self.numbers.threads.insert(ThreadId::from_index(index), number);
        self.threads.push(Mirrored { template: id, at: template.entry, locals });
    }

    /// One thread of the machine moves, and the system with it.
    pub fn step(&mut self) -> Result<Progress, String> {
        let able: Vec<usize> = (0..self.threads.len())
            .filter(|&i| !self.state.threads[i].ended())
            .filter(|&i| self.may_move(i))
            .collect();
        if self.state.halted || able.is_empty() {
            return Ok(Progress::Over);
        }
        // A thread that blocks lets another try.
        for _ in 0..4 {
            let thread = *self.rng.pick(&able);
            if let Some(outcome) = self.advance(thread)? {
                return Ok(outcome);
            }
        }
        Ok(Progress::Over)
    }

    /// Nobody else is inside an atomic block.
    fn may_move(&self, thread: usize) -> bool {
        (0..self.threads.len()).all(|i| i == thread || !self.is_inside(i))
    }

    /// Whether the thread stands inside an atomic block.
    pub fn is_inside(&self, thread: usize) -> bool {
        match self.threads[thread].at {
            At::Cut(at) => self.template(thread).locations[at as usize].atomic,
            _ => false,
        }
    }

    /// None if the thread blocks.
    fn advance(&mut self, thread: usize) -> Result<Option<Progress>, String> {
        let before = self.state.clone();
        let mut taken = Taken { first_new: self.threads.len(), ..Taken::default() };
        if self.state.threads[thread].ended() {
            return Ok(None);
        }
        loop {
            let id = ThreadId::from_index(thread);
            let mut oracle = Chance { rng: &mut self.rng, edge: None, input: None };
            let result = self.machine.step(&mut self.state, id, &mut oracle);
            let (edge, input) = (oracle.edge, oracle.input);
            match result {
                StepResult::Blocked(_) => {
                    self.state = before;
                    return Ok(None);
                }
                StepResult::Error(violation) => {
                    taken.add(edge, input);
                    let wrong = |bad: &Bad| matches!(bad, Bad::Wrong { property, .. } if *property == violation.property());
                    return self.bad(
                        thread,
                        &taken,
                        edge.is_some(),
                        &violation.fault.to_string(),
                        wrong,
                    );
                }
                StepResult::Stop(stop) => {
                    taken.add(edge, input);
                    return self.stopped(thread, &taken, edge.is_some(), &stop);
                }
                StepResult::Halted => return Ok(Some(Progress::Over)),
                StepResult::Moved | StepResult::Ended => {
                    taken.add(edge, input);
                    let ended = result == StepResult::Ended;
                    if !ended {
                        taken.loaded.extend(edge.map(|edge| self.loaded(thread, edge)));
                    }
                    if let Some(outcome) = self.arrive(thread, &taken, ended)? {
                        return Ok(Some(outcome));
                    }
                }
            }
        }
    }

    /// What an edge has loaded.
    fn loaded(&self, thread: usize, edge: EdgeId) -> Option<selvedge_exec::Value> {
        let procedure = &self.prepared.program.procedures[self.template(thread).procedure];
        match procedure.edge(edge).action {
            Action::Load { to, .. } => Some(self.state.threads[thread].local(to)),
            _ => None,
        }
    }

    /// After an edge: whether it is the last of a step.
    fn arrive(
        &mut self,
        thread: usize,
        taken: &Taken,
        ended: bool,
    ) -> Result<Option<Progress>, String> {
        let at = self.threads[thread].at;
        let template = self.template(thread);
        let is_this = |step: &&Step| {
            let to = matches!(step.end, End::To(_));
            step.from == at && to && step.edges == taken.edges
        };
        let Some(step) = template.steps.iter().find(is_this) else {
            if !ended && taken.edges.len() < LONG {
                return Ok(None);
            }
            return match self.excused(thread, taken)? {
                true => Ok(Some(Progress::Over)),
                false => Err(format!("no step {}", self.describe(thread, taken))),
            };
        };
        let model = self.valuation(thread, step, taken);
        if !model.holds(&self.system.terms, step.guard) {
            return match self.excused(thread, taken)? {
                true => Ok(Some(Progress::Over)),
                false => {
                    let guard = self.system.terms.show(step.guard);
                    Err(format!("the guard fails {}: {guard}", self.describe(thread, taken)))
                }
            };
        }
        self.apply(thread, step, &model);
        self.counts.steps += 1;
        self.compare(thread).map_err(|e| format!("{e} {}", self.describe(thread, taken)))?;
        Ok(Some(Progress::Moved))
    }

    /// Whether a bad step about the system's own limits covers what was done.
    fn excused(&mut self, thread: usize, taken: &Taken) -> Result<bool, String> {
        let limit = |bad: &Bad| matches!(bad, Bad::Wrap { .. } | Bad::Unsupported { .. });
        let found = self.find_bad(thread, taken, true, limit);
        self.counts.limits += u64::from(found);
        Ok(found)
    }

    /// Whether a bad step has this path, or a beginning of it, and its guard holds. The last edge may
    /// be any where the machine went wrong before it took one.
    fn find_bad(
        &self,
        thread: usize,
        taken: &Taken,
        whole: bool,
        is: impl Fn(&Bad) -> bool,
    ) -> bool {
        let at = self.threads[thread].at;
        self.template(thread).steps.iter().any(|step| {
            let End::Bad(bad) = &step.end else { return false };
            let known = if whole { step.edges.len() } else { step.edges.len() - 1 };
            step.from == at
                && is(bad)
                && taken.edges.len() >= known
                && step.edges[..known] == taken.edges[..known]
                && (whole || taken.edges.len() == known)
                && {
                    let model = self.valuation(thread, step, taken);
                    model.holds(&self.system.terms, step.guard)
                }
        })
    }

    fn bad(
        &mut self,
        thread: usize,
        taken: &Taken,
        whole: bool,
        what: &str,
        is: impl Fn(&Bad) -> bool,
    ) -> Result<Option<Progress>, String> {
        if self.find_bad(thread, taken, whole, is) {
            self.counts.errors += 1;
            return Ok(Some(Progress::Over));
        }
        match self.excused(thread, taken)? {
            true => Ok(Some(Progress::Over)),
            false => Err(format!("missed: {what} {}", self.describe(thread, taken))),
        }
    }

    fn stopped(
        &mut self,
        thread: usize,
        taken: &Taken,
        whole: bool,
        stop: &Stop,
    ) -> Result<Option<Progress>, String> {
        let what = stop.to_string();
        match stop {
            Stop::Undefined { .. } => {
                let is = |bad: &Bad| matches!(bad, Bad::Undefined { .. });
                self.bad(thread, taken, whole, &what, is)
            }
            Stop::Unsupported { .. } => {
                let is = |bad: &Bad| matches!(bad, Bad::Unsupported { .. });
                self.bad(thread, taken, whole, &what, is)
            }
            _ => Ok(Some(Progress::Over)),
        }
    }

    /// The values of shared variables and of a thread's locals.
    pub fn model(&self, thread: usize) -> Model {
        let mut model = Model::new();
        for (variable, value) in self.system.shared.iter().zip(&self.shared) {
            model.set(variable.term, value.clone());
        }
        let locals = self.template(thread).locals.iter().zip(&self.threads[thread].locals);
        for (variable, value) in locals {
            model.set(variable.term, value.clone());
        }
        model
    }

    /// The values before a step, with its inputs.
    fn valuation(&self, thread: usize, step: &Step, taken: &Taken) -> Model {
        let mut model = self.model(thread);
        let procedure = &self.prepared.program.procedures[self.template(thread).procedure];
        for input in &step.inputs {
            let action = &procedure.edge(step.edges[input.edge as usize]).action;
            let values = match action {
                Action::Spawn { .. } => {
                    let instances = self.system.templates.iter().filter(|t| !t.pool).count();
                    let index = self.pool_start(step, input.edge, taken.first_new);
                    vec![self.values.number((instances + 1 + index) as u32)]
                }
                Action::Join { .. } => self.join_result(thread, step, input.ty, &model),
                _ => {
                    let bits = taken.inputs.get(input.edge as usize).copied().flatten();
                    let loaded = taken.loaded.get(input.edge as usize).copied().flatten();
                    let known = loaded.and_then(|v| self.values.of(v, input.ty, &self.numbers));
                    if let (None, Some(values)) = (bits, known) {
                        for (term, value) in input.term.terms().into_iter().zip(values) {
                            model.set(term, value);
                        }
                        continue;
                    }
                    let bits = bits.unwrap_or(0);
                    let value = match input.ty {
                        Type::Bool | Type::Int(_) => selvedge_exec::Value::Int(bits),
                        Type::Ptr => selvedge_exec::Value::Null,
                        Type::Thread => selvedge_exec::Value::Thread(ThreadId::NONE),
                    };
                    self.values.of(value, input.ty, &self.numbers).expect("a known value")
                }
            };
            for (term, value) in input.term.terms().into_iter().zip(values) {
                model.set(term, value);
            }
        }
        model
    }

    /// The place among the machine's threads of the one that an edge of a step starts.
    fn pool_start(&self, step: &Step, edge: u32, first: usize) -> usize {
        first + step.spawns.iter().position(|spawn| spawn.edge == edge).unwrap_or(0)
    }

    /// What the thread that is waited for returned.
    fn join_result(&self, _thread: usize, step: &Step, ty: Type, model: &Model) -> Vec<Value> {
        for join in &step.joins {
            let wanted = model.eval(&self.system.terms, join.thread);
            for (id, number) in &self.numbers.threads {
                if self.values.number(*number) == wanted
                    && let Some(index) = id.index()
                    && self.state.threads[index].ended()
                {
                    let result = self.state.threads[index].result;
                    let result =
                        if result.is_zero() { selvedge_exec::code::zero(ty) } else { result };
                    if let Some(values) = self.values.of(result, ty, &self.numbers) {
                        return values;
                    }
                }
            }
        }
        self.values.of(selvedge_exec::code::zero(ty), ty, &self.numbers).expect("zero is known")
    }

    /// Does a step.
    fn apply(&mut self, thread: usize, step: &Step, model: &Model) {
        let terms = &self.system.terms;
        let shared: Vec<_> =
            step.shared.iter().map(|&(at, value)| (at, model.eval(terms, value))).collect();
        let locals: Vec<_> =
            step.locals.iter().map(|&(at, value)| (at, model.eval(terms, value))).collect();
        for (at, value) in shared {
            self.shared[at as usize] = value;
        }
        for (at, value) in locals {
            self.threads[thread].locals[at as usize] = value;
        }
        for spawn in &step.spawns {
            let args: Vec<_> =
                spawn.args.iter().map(|&(at, value)| (at, model.eval(terms, value))).collect();
            self.start(spawn.template);
            let new = self.threads.last_mut().expect("started");
            for (at, value) in args {
                new.locals[at as usize] = value;
            }
        }
        if let End::To(at) = step.end {
            self.threads[thread].at = at;
        }
    }

    /// Whether the thread's locals and the shared scalars are the same.
    fn compare(&mut self, thread: usize) -> Result<(), String> {
        self.compare_locals(thread)?;
        for (position, variable) in self.system.shared.iter().enumerate() {
            let What::Cell { region, ty } = &variable.what else { continue };
            let Some(&(object, offset)) = self.prepared.regions.exact.get(region) else { continue };
            let Some(cell) = self.machine.code.cell_at(object, offset as u64) else { continue };
            // The second half of a pointer comes with the first.
            let first = position == 0 || self.system.shared[position - 1].what != variable.what;
            if !first {
                continue;
            }
            let width = if *ty == Type::Ptr { 2 } else { 1 };
            let found = self.shared[position..position + width].to_vec();
            let value = self.state.statics[cell as usize];
            if !self.values.same(value, *ty, &found, &mut self.numbers) {
                return Err(format!("{} is {value:?}, not {found:?},", variable.name));
            }
        }
        Ok(())
    }

    fn compare_locals(&mut self, thread: usize) -> Result<(), String> {
        let At::Cut(at) = self.threads[thread].at else { return Ok(()) };
        let template = self.template(thread);
        let live = &template.locations[at as usize].live;
        for (place, &position) in live.iter().enumerate() {
            let variable = &template.locals[position as usize];
            let What::Local { local, ty } = &variable.what else { continue };
            let again = |&before: &u32| template.locals[before as usize].what == variable.what;
            if place > 0 && again(&live[place - 1]) {
                continue;
            }
            let first = position as usize;
            let width = if *ty == Type::Ptr { 2 } else { 1 };
            let found = self.threads[thread].locals[first..first + width].to_vec();
            let value = self.state.threads[thread].local(*local);
            if !self.values.same(value, *ty, &found, &mut self.numbers) {
                return Err(format!("{} is {value:?}, not {found:?},", variable.name));
            }
        }
        Ok(())
    }

    fn describe(&self, thread: usize, taken: &Taken) -> String {
        let template = self.template(thread);
        let at = match self.threads[thread].at {
            At::Cut(at) => template.locations[at as usize].location.to_string(),
            other => format!("{other:?}"),
        };
        let path: Vec<String> =
            taken.edges.iter().map(|e| format!("{}.{}", e.from, e.index)).collect();
        let locals: Vec<String> = template
            .locals
            .iter()
            .zip(&self.threads[thread].locals)
            .map(|(v, value)| format!("{} = {value:?}", v.name))
            .collect();
        let shared: Vec<String> = self
            .system
            .shared
            .iter()
            .zip(&self.shared)
            .map(|(v, value)| format!("{} = {value:?}", v.name))
            .collect();
        format!(
            "for {} at {at} along {} with {:?} {}; {}",
            template.name,
            path.join(" "),
            taken.inputs,
            locals.join(", "),
            shared.join(", ")
        )
    }

    /// The other direction: steps whose guards hold are tried on copies of the machine.
    pub fn step_back(&mut self) -> Result<(), String> {
        for thread in 0..self.threads.len() {
            if self.state.halted || !self.may_move(thread) {
                continue;
            }
            let at = self.threads[thread].at;
            let steps = self.template(thread).steps.iter().filter(|step| step.from == at);
            for step in steps {
                if self.is_vague(thread, step) || self.reads_unwritten(thread, step) {
                    continue;
                }
                let taken = self.guess(thread, step);
                let model = self.valuation(thread, step, &taken);
                if model.holds(&self.system.terms, step.guard) && self.joins_ended(step, &model) {
                    self.try_step(thread, step, &taken)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a step reads memory of an object that began without a value. The system takes each
    /// such reading for an input of its own; in the machine the first one stays.
    fn reads_unwritten(&self, thread: usize, step: &Step) -> bool {
        let procedure = &self.prepared.program.procedures[self.template(thread).procedure];
        step.inputs.iter().any(|input| {
            let action = &procedure.edge(step.edges[input.edge as usize]).action;
            matches!(action, Action::Load { .. })
        })
    }

    /// Whether a step reads a variable as anything, although it has content: what was written at
    /// another type.
    fn is_vague(&self, thread: usize, step: &Step) -> bool {
        let procedure = &self.prepared.program.procedures[self.template(thread).procedure];
        step.inputs.iter().any(|input| {
            let action = &procedure.edge(step.edges[input.edge as usize]).action;
            let Action::Load { from, .. } = action else { return false };
            let regions = &self.prepared.regions.extents;
            let mut extents = from.region.and_then(|r| regions.get(&r)).into_iter().flatten();
            extents.any(|extent| matches!(extent.origin, Origin::Object(_)))
        })
    }

    fn joins_ended(&self, step: &Step, model: &Model) -> bool {
        step.joins.iter().all(|join| {
            let of_pool = model.holds(&self.system.terms, join.when);
            let wanted = model.eval(&self.system.terms, join.thread);
            let ended = |id: &ThreadId| id.index().is_some_and(|i| self.state.threads[i].ended());
            let mut numbers = self.numbers.threads.iter();
            let found = numbers.any(|(id, n)| self.values.number(*n) == wanted && ended(id));
            !of_pool || found
        })
    }

    /// Inputs for a step.
    fn guess(&mut self, thread: usize, step: &Step) -> Taken {
        let procedure = &self.prepared.program.procedures[self.template(thread).procedure];
        let inputs = step.edges.iter().map(|&edge| {
            let ty = match &procedure.edge(edge).action {
                Action::Havoc { to } => procedure.locals[*to].ty,
                Action::Load { from, .. } => from.ty,
                _ => return None,
            };
            Some(chosen(&mut self.rng, ty))
        });
        let inputs = inputs.collect();
        Taken {
            edges: step.edges.clone(),
            inputs,
            loaded: Vec::new(),
            first_new: self.threads.len(),
        }
    }

    fn try_step(&mut self, thread: usize, step: &Step, taken: &Taken) -> Result<(), String> {
        let id = ThreadId::from_index(thread);
        let procedure = self.template(thread).procedure;
        let mut state = self.state.clone();
        let mut last = StepResult::Moved;
        for (&edge, input) in taken.edges.iter().zip(&taken.inputs) {
            if last != StepResult::Moved {
                return Err(format!("the path goes on {}", self.describe(thread, taken)));
            }
            last = take(&self.machine, &mut state, id, procedure, edge, *input)
                .ok_or_else(|| format!("cannot be done {}", self.describe(thread, taken)))?;
        }
        let fits = match (&step.end, &last) {
            (End::To(At::Ended), StepResult::Ended) | (End::To(At::Cut(_)), StepResult::Moved) => {
                true
            }
            (End::To(At::Ended), StepResult::Moved) => step.edges.is_empty(),
            (End::Bad(Bad::Wrong { property, .. }), StepResult::Error(v)) => {
                *property == v.property()
            }
            (End::Bad(Bad::Undefined { .. }), StepResult::Stop(stop)) => {
                matches!(**stop, Stop::Undefined { .. })
            }
            (End::Bad(Bad::Wrap { .. } | Bad::Unsupported { .. }), _) => true,
            // The machine looks at all alternatives before it takes one.
            (End::To(_), StepResult::Error(_) | StepResult::Stop(_)) => false,
            _ => false,
        };
        self.counts.foreseen += u64::from(matches!(step.end, End::Bad(_)) && fits);
        if fits {
            return Ok(());
        }
        Err(format!("{last:?} in place of {:?} {}", step.end, self.describe(thread, taken)))
    }
}

impl Taken {
    fn add(&mut self, edge: Option<EdgeId>, input: Option<u64>) {
        if let Some(edge) = edge {
            self.edges.push(edge);
            self.inputs.push(input);
        }
    }
}

/// The initial values of the shared variables.
fn initial(system: &System) -> Vec<Value> {
    let mut solver = Solver::new(Logic::All, Limits::none());
    solver.assert(&system.terms, system.initial);
    let Answer::Sat(model) = solver.check(&system.terms, &[]) else {
        panic!("there is a beginning");
    };
    system.shared.iter().map(|v| model.eval(&system.terms, v.term)).collect()
}

/// A value of the type, often a small one.
fn chosen(rng: &mut Rng, ty: Type) -> u64 {
    match ty {
        Type::Bool => rng.below(2),
        Type::Int(int) if rng.one_in(2) => int.wrap(i128::from(rng.below(4)) - 1),
        Type::Int(int) => rng.next() & int.mask(),
        Type::Ptr | Type::Thread => 0,
    }
}

/// Lets the thread take the edge, whichever of the enabled ones it is. None if it cannot.
fn take(
    machine: &Machine<'_>,
    state: &mut State,
    thread: ThreadId,
    procedure: ProcId,
    edge: EdgeId,
    input: Option<u64>,
) -> Option<StepResult> {
    let mut rank = 0;
    loop {
        let mut next = state.clone();
        let mut guide = Guide { rank, alternatives: 1, input, edge: None };
        let result = machine.step(&mut next, thread, &mut guide);
        let early =
            guide.edge.is_none() && matches!(result, StepResult::Error(_) | StepResult::Stop(_));
        if early || guide.edge == Some((procedure, edge)) {
            *state = next;
            return Some(result);
        }
        rank += 1;
        if rank >= guide.alternatives {
            return None;
        }
    }
}

/// Answers at random, and watches.
struct Chance<'a> {
    rng: &'a mut Rng,
    edge: Option<EdgeId>,
    input: Option<u64>,
}

impl Oracle for Chance<'_> {
    fn choose(&mut self, n: usize, _what: Choice) -> usize {
        self.rng.below(n as u64) as usize
    }

    fn input(&mut self, ty: Type, _span: Span) -> Input {
        let bits = chosen(self.rng, ty);
        self.input = Some(bits);
        Input::Bits(bits)
    }

    fn edge(&mut self, _thread: ThreadId, _procedure: ProcId, edge: EdgeId) {
        self.edge = Some(edge);
    }
}

/// Answers with one rank and one value.
struct Guide {
    rank: usize,
    alternatives: usize,
    input: Option<u64>,
    edge: Option<(ProcId, EdgeId)>,
}

impl Oracle for Guide {
    fn choose(&mut self, n: usize, _what: Choice) -> usize {
        self.alternatives = n;
        self.rank.min(n - 1)
    }

    fn input(&mut self, _ty: Type, _span: Span) -> Input {
        Input::Bits(self.input.unwrap_or(0))
    }

    fn visible(&mut self, _action: Visible) {}

    fn edge(&mut self, _thread: ThreadId, procedure: ProcId, edge: EdgeId) {
        self.edge = Some((procedure, edge));
    }
}
