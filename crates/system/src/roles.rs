//! Which threads there are: instances, each one thread, and pools of any number.
//!
//! A thread of the beginning, and a thread that is started at a place passed at most once by a
//! thread that is an instance itself, is an instance. All others are of pools, one for each
//! procedure.

use rustc_hash::FxHashMap;
use selvedge_ir::{Action, Callee, EdgeId, Multiplicity, ProcId, Program};
use selvedge_passes::threads::Cycles;

use super::TemplateId;

/// So many identical threads of the beginning are instances; more are a pool.
const FEW: u32 = 4;

/// So many instances at most.
const LIMIT: usize = 40;

/// A template before its steps are known.
#[derive(Clone, Debug)]
pub(super) struct Role {
    pub name: String,
    pub procedure: ProcId,
    pub pool: bool,
    pub initial: bool,
    /// The program ends when it returns.
    pub main: bool,
    /// The templates of the threads that each `Spawn` starts.
    pub spawns: FxHashMap<EdgeId, TemplateId>,
    /// The procedures of the threads that it descends from, its own included.
    chain: Vec<ProcId>,
}

/// All templates; the instances have the numbers of their places, counted from 1.
#[derive(Clone, Debug)]
pub(super) struct Roles {
    pub list: Vec<Role>,
    /// How many are instances. These come first.
    pub instances: u32,
}

impl Roles {
    pub fn of(program: &Program) -> Roles {
        let mut casting =
            Casting { program, list: Vec::new(), pools: FxHashMap::default(), instances: 0 };
        for thread in &program.threads {
            match thread.count {
                Multiplicity::Exactly(n) if n <= FEW => {
                    for _ in 0..n {
                        let id = casting.instance(thread.procedure, &[]);
                        casting.list[id].initial = true;
                        casting.list[id].main = thread.main;
                    }
                }
                _ => {
                    let id = casting.pool(thread.procedure);
                    casting.list[id].initial = true;
                    casting.list[id].main |= thread.main;
                }
            }
        }
        let mut next = 0;
        while next < casting.list.len() {
            casting.spawned_by(next);
            next += 1;
        }
        casting.finish()
    }

    pub fn get(&self, id: TemplateId) -> &Role {
        &self.list[id.0 as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = (TemplateId, &Role)> {
        self.list.iter().enumerate().map(|(i, role)| (TemplateId(i as u32), role))
    }

    /// The templates whose threads run the procedure.
    pub fn running(&self, procedure: ProcId) -> impl Iterator<Item = TemplateId> {
        self.iter().filter(move |(_, role)| role.procedure == procedure).map(|(id, _)| id)
    }
}

struct Casting<'a> {
    program: &'a Program,
    list: Vec<Role>,
    pools: FxHashMap<ProcId, usize>,
    instances: usize,
}

impl Casting<'_> {
    fn add(&mut self, procedure: ProcId, pool: bool, chain: Vec<ProcId>) -> usize {
        self.list.push(Role {
            name: self.program.procedures[procedure].name.clone(),
            procedure,
            pool,
            initial: false,
            main: false,
            spawns: FxHashMap::default(),
            chain,
        });
        self.list.len() - 1
    }

    fn instance(&mut self, procedure: ProcId, chain: &[ProcId]) -> usize {
        self.instances += 1;
        self.add(procedure, false, [chain, &[procedure]].concat())
    }

    fn pool(&mut self, procedure: ProcId) -> usize {
        match self.pools.get(&procedure) {
            Some(&known) => known,
            None => {
                let new = self.add(procedure, true, Vec::new());
                self.pools.insert(procedure, new);
                new
            }
        }
    }

    fn spawned_by(&mut self, creator: usize) {
        let Role { procedure, pool, chain, .. } = self.list[creator].clone();
        let body = &self.program.procedures[procedure];
        let cycles = Cycles::of(body);
        for (at, edge) in body.edges() {
            let Action::Spawn { entry: Callee::Direct(target), .. } = edge.action else { continue };
            let many = pool
                || cycles.contains(body, at)
                || chain.contains(&target)
                || self.instances >= LIMIT;
            let new = if many { self.pool(target) } else { self.instance(target, &chain) };
            self.list[creator].spawns.insert(at, TemplateId::at(new));
        }
    }

    /// Puts the instances first and gives unique names.
    fn finish(self) -> Roles {
        let mut order: Vec<usize> = (0..self.list.len()).collect();
        order.sort_by_key(|&i| self.list[i].pool);
        let mut place = vec![TemplateId(0); order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = TemplateId::at(new);
        }
        let mut seen: FxHashMap<ProcId, u32> = FxHashMap::default();
        let mut list = Vec::new();
        for old in order {
            let mut role = self.list[old].clone();
            let count = seen.entry(role.procedure).or_default();
            *count += 1;
            if *count > 1 {
                role.name = format!("{}#{count}", role.name);
            }
            for target in role.spawns.values_mut() {
                *target = place[target.0 as usize];
            }
            list.push(role);
        }
        Roles { list, instances: self.instances as u32 }
    }
}

impl TemplateId {
    pub(super) fn at(index: usize) -> TemplateId {
        TemplateId(index as u32)
    }

    pub fn index(self) -> usize {
        self.0 as usize
    }
}
