//! The threads of a prepared program: instances and pools, found as [`crate::names`] tells.
//!
//! Why an instance is at most one thread: it is one of the initial threads, or the thread that one
//! edge of an instance starts, and that edge lies on no cycle of its procedure, so a run passes it
//! at most once.

use rustc_hash::FxHashMap;
use selvedge_ir::{Action, Callee, EdgeId, Multiplicity, ProcId, Program};
use selvedge_passes::threads::Cycles;

use crate::names::{INSTANCES, MANY};

/// An instance or a pool, by position in [`Threads::list`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(pub u32);

impl ThreadId {
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The number of the thread, of an instance.
    pub fn number(self) -> u32 {
        self.0 + 1
    }
}

#[derive(Clone, Debug)]
pub struct Thread {
    pub name: String,
    pub procedure: ProcId,
    pub pool: bool,
    /// It runs from the beginning; of a pool: any number of them may.
    pub initial: bool,
    /// The program ends when it returns. Of a pool, that is left open: going on is one thread more.
    pub main: bool,
    /// What each `Spawn` starts.
    pub starts: FxHashMap<EdgeId, ThreadId>,
}

/// Instances first.
#[derive(Clone, Debug)]
pub struct Threads {
    pub list: Vec<Thread>,
    pub instances: u32,
}

impl Threads {
    pub fn of(program: &Program) -> Threads {
        let mut finding = Finding { program, found: Vec::new(), pools: FxHashMap::default() };
        for thread in &program.threads {
            match thread.count {
                Multiplicity::Exactly(count) if count <= MANY => {
                    for _ in 0..count {
                        let new = finding.add(thread.procedure, false, vec![thread.procedure]);
                        finding.found[new].thread.initial = true;
                        finding.found[new].thread.main = thread.main;
                    }
                }
                _ => {
                    let pool = finding.pool(thread.procedure);
                    finding.found[pool].thread.initial = true;
                }
            }
        }
        let mut next = 0;
        while next < finding.found.len() {
            finding.spawns(next);
            next += 1;
        }
        finding.in_order()
    }

    pub fn get(&self, id: ThreadId) -> &Thread {
        &self.list[id.index()]
    }

    pub fn ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.list.len() as u32).map(ThreadId)
    }

    pub fn named(&self, name: &str) -> Option<ThreadId> {
        self.ids().find(|id| self.get(*id).name == name)
    }

    /// Those that run the procedure.
    pub fn running(&self, procedure: ProcId) -> impl Iterator<Item = ThreadId> {
        self.ids().filter(move |id| self.get(*id).procedure == procedure)
    }
}

struct Found {
    thread: Thread,
    /// The procedures of the threads that it descends from and its own.
    line: Vec<ProcId>,
}

struct Finding<'a> {
    program: &'a Program,
    found: Vec<Found>,
    pools: FxHashMap<ProcId, usize>,
}

impl Finding<'_> {
    fn add(&mut self, procedure: ProcId, pool: bool, line: Vec<ProcId>) -> usize {
        let thread = Thread {
            name: self.program.procedures[procedure].name.clone(),
            procedure,
            pool,
            initial: false,
            main: false,
            starts: FxHashMap::default(),
        };
        self.found.push(Found { thread, line });
        self.found.len() - 1
    }

    fn pool(&mut self, procedure: ProcId) -> usize {
        if let Some(&known) = self.pools.get(&procedure) {
            return known;
        }
        let new = self.add(procedure, true, Vec::new());
        self.pools.insert(procedure, new);
        new
    }

    fn spawns(&mut self, creator: usize) {
        let line = self.found[creator].line.clone();
        let Thread { procedure, pool, .. } = self.found[creator].thread;
        let body = &self.program.procedures[procedure];
        let cycles = Cycles::of(body);
        for (at, edge) in body.edges() {
            let Action::Spawn { entry: Callee::Direct(target), .. } = edge.action else { continue };
            let full = self.found.len() - self.pools.len() >= INSTANCES;
            let often = pool || cycles.contains(body, at) || line.contains(&target) || full;
            let new = match often {
                true => self.pool(target),
                false => self.add(target, false, [&line[..], &[target]].concat()),
            };
            self.found[creator].thread.starts.insert(at, ThreadId(new as u32));
        }
    }

    /// The instances before the pools, with names of their own.
    fn in_order(self) -> Threads {
        let is_pool = |&at: &usize| self.found[at].thread.pool;
        let all = 0..self.found.len();
        let mut order: Vec<usize> = all.clone().filter(|at| !is_pool(at)).collect();
        let instances = order.len() as u32;
        order.extend(all.filter(is_pool));
        let mut places = vec![ThreadId(0); order.len()];
        for (new, &old) in order.iter().enumerate() {
            places[old] = ThreadId(new as u32);
        }
        let mut counts: FxHashMap<ProcId, u32> = FxHashMap::default();
        let mut list = Vec::new();
        for old in order {
            let mut thread = self.found[old].thread.clone();
            let count = counts.entry(thread.procedure).or_default();
            *count += 1;
            if *count > 1 {
                thread.name = format!("{}#{count}", thread.name);
            }
            thread.starts.values_mut().for_each(|started| *started = places[started.index()]);
            list.push(thread);
        }
        Threads { list, instances }
    }
}
