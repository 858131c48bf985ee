//! The system of threads as this engine works on it: with ghost variables.
//!
//! What a thread-modular proof may say is limited to shared variables and the locals of one thread.
//! Ghost variables widen that: the location of a single thread (`pc`), a local of a single thread,
//! the number of threads of a template that have started, and the number of threads of a pool at
//! certain locations. They are shared variables that only the steps of their owner (or the step that
//! starts a thread) change.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_certify::names;
use selvedge_ir::Type;
use selvedge_smt::{Op, Sort, Term, Terms, Value};

use super::Place;
use super::values::KnownValues;
use selvedge_system::{At, End, Step, System, Template, TemplateId, Variable, What};

/// A ghost variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ghost {
    /// The location of a single thread.
    Location(TemplateId),
    /// A local of a single thread, by position.
    Local(TemplateId, u32),
    /// How many threads of a template have started.
    Started(TemplateId),
    /// How many threads of a pool are at certain places, by position in [`Model::counts`].
    Count(u32),
    /// The number of the thread that was the last to change a shared variable, by position.
    Changer(u32),
}

/// A number of threads of a pool.
#[derive(Clone, Debug)]
pub struct Count {
    pub name: String,
    pub template: TemplateId,
    pub places: Vec<At>,
    /// The number.
    pub count: Term,
    /// A local of each thread: whether it is counted.
    pub inside: Term,
}

#[derive(Clone, Debug)]
pub struct Shared {
    pub name: String,
    pub term: Term,
    pub what: Option<What>,
    pub ghost: Option<Ghost>,
}

#[derive(Debug)]
pub struct Model {
    pub terms: Terms,
    pub shared: Vec<Shared>,
    pub templates: Vec<Template>,
    pub initial: Term,
    /// Facts about single variables: the ranges of machine words.
    ranges: FxHashMap<Term, Vec<Term>>,
    /// Facts about several variables.
    other_ranges: Vec<Term>,
    /// Of each variable: none if shared, else the template and the position among its locals.
    owners: FxHashMap<Term, Option<(TemplateId, u32)>>,
    /// Variables whose values are the numbers of threads.
    pub numbers: FxHashSet<Term>,
    /// Names of another thread of the template: what stands for its locals.
    pub others: Vec<FxHashMap<Term, Term>>,
    pub ghosts: Vec<Ghost>,
    pub counts: Vec<Count>,
    /// Whether fewer than 2^31 threads are taken to exist at once.
    pub few: bool,
    /// Of each template: what is true while a thread of it runs.
    alive: Vec<Term>,
    /// Which values variables have where, with the ghosts there were then.
    pub values: KnownValues,
    /// How many systems of clauses have been made, so that no two have relations of one name.
    pub systems: u32,
}

impl Model {
    pub fn new(system: System) -> Model {
        let System { terms, shared, templates, initial, ranges, .. } = system;
        let shared: Vec<Shared> = shared
            .into_iter()
            .map(|v| Shared { name: v.name, term: v.term, what: Some(v.what), ghost: None })
            .collect();
        let mut model = Model {
            terms,
            shared,
            templates,
            initial,
            ranges: FxHashMap::default(),
            other_ranges: Vec::new(),
            owners: FxHashMap::default(),
            numbers: FxHashSet::default(),
            others: Vec::new(),
            ghosts: Vec::new(),
            counts: Vec::new(),
            few: false,
            alive: Vec::new(),
            values: KnownValues::default(),
            systems: 0,
        };
        for shared in &model.shared {
            model.owners.insert(shared.term, None);
            if shared.what.as_ref().is_some_and(is_number) {
                model.numbers.insert(shared.term);
            }
        }
        model.add_ranges(ranges);
        for index in 0..model.templates.len() {
            model.enter_template(TemplateId(index as u32));
        }
        model
    }

    fn enter_template(&mut self, id: TemplateId) {
        let template = &self.templates[id.0 as usize];
        let ranges = template.ranges;
        let numbers = template.locals.iter().filter(|local| is_number(&local.what));
        self.numbers.extend(numbers.map(|local| local.term));
        let locals: Vec<(String, Term)> =
            template.locals.iter().map(|l| (l.name.clone(), l.term)).collect();
        let mut other = FxHashMap::default();
        for (position, (name, term)) in locals.into_iter().enumerate() {
            self.owners.insert(term, Some((id, position as u32)));
            let sort = self.terms.sort(term);
            let copy = self.terms.var(&format!("{name}@other"), sort);
            other.insert(term, copy);
        }
        self.others.push(other);
        self.add_ranges(ranges);
        let done = self.shared.iter().find(|s| s.what == Some(What::Done(id)));
        let done = done.map(|s| s.term);
        let alive = match done {
            Some(done) => self.terms.not(done),
            None => self.terms.bool(true),
        };
        self.alive.push(alive);
    }

    /// What is true while a thread of the template runs, of the shared state and its locals.
    pub fn alive(&self, template: TemplateId) -> Term {
        self.alive[template.0 as usize]
    }

    fn assume_alive(&mut self, template: TemplateId, fact: Term) {
        let known = self.alive(template);
        self.alive[template.0 as usize] = self.terms.and(&[known, fact]);
    }

    fn add_ranges(&mut self, ranges: Term) {
        let parts = match self.terms.op(ranges) {
            Op::And => self.terms.args(ranges).to_vec(),
            Op::Const(_) => Vec::new(),
            _ => vec![ranges],
        };
        for part in parts {
            match self.terms.variables(&[part]).as_slice() {
                [only] => self.ranges.entry(*only).or_default().push(part),
                _ => self.other_ranges.push(part),
            }
        }
    }

    /// What is always true of one variable.
    pub fn ranges_of(&self, variable: Term) -> &[Term] {
        self.ranges.get(&variable).map_or(&[], Vec::as_slice)
    }

    /// Which values the mentioned variables have where a thread stands.
    pub fn values_at(&mut self, place: Place, about: &[Term]) -> Term {
        self.values.facts(&mut self.terms, place, about)
    }

    /// What is always true of the variables in these formulas.
    pub fn facts(&mut self, formulas: &[Term]) -> Term {
        let variables = self.terms.variables(formulas);
        let mut facts: Vec<Term> = Vec::new();
        for variable in &variables {
            facts.extend(self.ranges.get(variable).into_iter().flatten());
        }
        let covered = |fact: &Term| {
            let mentioned = self.terms.variables(&[*fact]);
            mentioned.iter().all(|v| variables.contains(v))
        };
        facts.extend(self.other_ranges.iter().copied().filter(covered));
        self.terms.and(&facts)
    }

    pub fn template(&self, id: TemplateId) -> &Template {
        &self.templates[id.0 as usize]
    }

    pub fn ids(&self) -> impl Iterator<Item = TemplateId> + use<> {
        (0..self.templates.len() as u32).map(TemplateId)
    }

    pub fn step(&self, template: TemplateId, step: u32) -> &Step {
        &self.template(template).steps[step as usize]
    }

    /// Whose variable it is: none if unknown, `Some(None)` if shared.
    pub fn owner(&self, variable: Term) -> Option<Option<(TemplateId, u32)>> {
        self.owners.get(&variable).copied()
    }

    pub fn is_live(&self, template: TemplateId, at: At, local: u32) -> bool {
        let template = self.template(template);
        if template.locals[local as usize].term == template.tid {
            return true;
        }
        match at {
            At::Cut(cut) => template.locations[cut as usize].live.contains(&local),
            At::Unstarted | At::Ended => false,
        }
    }

    /// The formula with the locals of another thread of the template.
    pub fn of_other(&mut self, template: TemplateId, formula: Term) -> Term {
        self.terms.substitute(formula, &self.others[template.0 as usize])
    }

    /// Templates that run the same code, and what their names for its locals are.
    pub fn siblings(&self, template: TemplateId) -> Vec<(TemplateId, FxHashMap<Term, Term>)> {
        let own = self.template(template);
        let alike = |id: &TemplateId| {
            let other = self.template(*id);
            *id != template
                && other.procedure == own.procedure
                && other.pool == own.pool
                && other.locals.len() == own.locals.len()
        };
        let map = |id: TemplateId| {
            let other = self.template(id);
            let locals = own.locals.iter().zip(&other.locals).map(|(a, b)| (a.term, b.term));
            locals.filter(|(a, b)| self.terms.sort(*a) == self.terms.sort(*b)).collect()
        };
        self.ids().filter(alike).map(|id| (id, map(id))).collect()
    }

    /// The value of a location in a ghost variable.
    pub fn number(&self, template: TemplateId, at: At) -> i64 {
        let cut = |cut: u32| self.template(template).locations[cut as usize].location;
        match at {
            At::Unstarted => names::location_code(None, false),
            At::Ended => names::location_code(None, true),
            At::Cut(position) => names::location_code(Some(cut(position)), false),
        }
    }

    fn add_shared(&mut self, name: &str, sort: Sort, ghost: Ghost) -> (u32, Term) {
        let term = self.terms.var(name, sort);
        self.shared.push(Shared { name: name.to_owned(), term, what: None, ghost: Some(ghost) });
        self.owners.insert(term, None);
        self.ghosts.push(ghost);
        (self.shared.len() as u32 - 1, term)
    }

    fn assume_initially(&mut self, fact: Term) {
        self.initial = self.terms.and(&[self.initial, fact]);
    }

    /// Adds a ghost variable. Says whether it is new.
    /// Initial threads have no [`Ghost::Started`].
    pub fn expose(&mut self, ghost: Ghost) -> bool {
        if self.ghosts.contains(&ghost) {
            return false;
        }
        match ghost {
            Ghost::Location(template) => self.expose_location(template),
            Ghost::Local(template, local) => self.expose_local(template, local),
            Ghost::Started(pool) => self.count_started(pool),
            // This needs the places to count: see [`Model::count`].
            Ghost::Count(_) => return false,
            Ghost::Changer(variable) => self.expose_changer(variable),
        }
        true
    }

    /// Counts the threads of a pool that are at some places: gives the number, and the local of each
    /// thread that tells whether it is among them.
    pub fn count(&mut self, id: TemplateId, mut places: Vec<At>) -> (Term, Term) {
        places.sort_unstable();
        let same = |known: &&Count| known.template == id && known.places == places;
        if let Some(known) = self.counts.iter().find(same) {
            return (known.count, known.inside);
        }
        let number = self.counts.len() as u32;
        let name = format!("{}.{}", self.template(id).name, number + 1);
        let (position, count) =
            self.add_shared(&names::counter(&name), Sort::Int, Ghost::Count(number));
        let (zero, one) = (self.terms.int(0), self.terms.int(1));
        let natural = self.terms.le(zero, count);
        self.ranges.entry(count).or_default().push(natural);
        let most = self.most(id, &places);
        if let Some(most) = most {
            let few = self.terms.le(count, most);
            self.ranges.entry(count).or_default().push(few);
        }
        let none = self.terms.eq(count, zero);
        self.assume_initially(none);
        let (local, inside) = self.add_inside(id, &name);
        let counted = |at: At| places.contains(&at);
        let entered = self.template(id).entry;
        self.each_step(|terms, owner, step| {
            let mut change = 0;
            if owner == id {
                let here = terms.bool(counted(step.from));
                let here = terms.eq(inside, here);
                step.guard = terms.and(&[step.guard, here]);
                if let End::To(to) = step.end {
                    change += i64::from(counted(to)) - i64::from(counted(step.from));
                    step.locals.push((local, terms.bool(counted(to))));
                }
            }
            for spawn in step.spawns.iter_mut().filter(|spawn| spawn.template == id) {
                change += i64::from(counted(entered));
                spawn.args.push((local, terms.bool(counted(entered))));
            }
            if change != 0 && matches!(step.end, End::To(_)) {
                let change = terms.int(change);
                let after = terms.add(&[count, change]);
                step.shared.push((position, after));
                if let Some(most) = most {
                    let few = terms.le(after, most);
                    step.guard = terms.and(&[step.guard, few]);
                }
            }
        });
        let begins = self.terms.bool(counted(entered));
        let template = &mut self.templates[id.0 as usize];
        template.begin.push((local, begins));
        for access in &mut template.accesses {
            let here = self.terms.bool(places.contains(&access.at));
            let here = self.terms.eq(inside, here);
            access.guard = self.terms.and(&[access.guard, here]);
        }
        let positive = self.terms.le(one, count);
        let axiom = self.terms.implies(inside, positive);
        self.assume_alive(id, axiom);
        self.counts.push(Count { name, template: id, places, count, inside });
        (count, inside)
    }

    /// How many threads of a pool can exist at some places, where few are assumed. Those that have ended
    /// do not count as existing.
    fn most(&mut self, id: TemplateId, places: &[At]) -> Option<Term> {
        let exist = places.iter().all(|at| matches!(at, At::Cut(_)));
        if !(self.few && exist && self.template(id).pool) {
            return None;
        }
        let single = self.templates.iter().filter(|template| !template.pool).count();
        Some(self.terms.int((1i64 << 31) - 1 - single as i64))
    }

    fn add_inside(&mut self, id: TemplateId, name: &str) -> (u32, Term) {
        let full = format!("{}!inside %{name}", self.template(id).name);
        let inside = self.terms.var(&full, Sort::Bool);
        let other = self.terms.var(&format!("{full}@other"), Sort::Bool);
        self.others[id.0 as usize].insert(inside, other);
        let template = &mut self.templates[id.0 as usize];
        let local = template.locals.len() as u32;
        // It is no local of the program; who counts as what is seen from the terms.
        template.locals.push(Variable { name: full, term: inside, what: What::Token });
        for location in &mut template.locations {
            location.live.push(local);
        }
        self.owners.insert(inside, Some((id, local)));
        (local, inside)
    }

    /// An invariant of two threads of a pool: both are counted.
    pub fn together(&mut self, id: TemplateId) -> Term {
        let mut facts = Vec::new();
        for Count { template, count, inside, .. } in self.counts.clone() {
            if template == id {
                let two = self.terms.int(2);
                let both = self.of_other(id, inside);
                let both = self.terms.and(&[inside, both]);
                let least = self.terms.le(two, count);
                facts.push(self.terms.implies(both, least));
            }
        }
        self.terms.and(&facts)
    }

    fn expose_location(&mut self, id: TemplateId) {
        let name = names::exposed_location(&self.template(id).name);
        let (position, pc) = self.add_shared(&name, Sort::Int, Ghost::Location(id));
        let template = self.template(id);
        let start = if template.initial { template.entry } else { At::Unstarted };
        let entry = template.entry;
        let start = self.terms.int(self.number(id, start));
        let starts = self.terms.eq(pc, start);
        self.assume_initially(starts);
        let entered = self.terms.int(self.number(id, entry));
        let numbers: FxHashMap<At, i64> = (0..self.template(id).locations.len() as u32)
            .map(At::Cut)
            .chain([At::Unstarted, At::Ended])
            .map(|at| (at, self.number(id, at)))
            .collect();
        self.each_step(|terms, owner, step| {
            if owner == id {
                let from = terms.int(numbers[&step.from]);
                let here = terms.eq(pc, from);
                step.guard = terms.and(&[step.guard, here]);
                if let End::To(to) = step.end {
                    step.shared.push((position, terms.int(numbers[&to])));
                }
            }
            if step.spawns.iter().any(|spawn| spawn.template == id) {
                step.shared.push((position, entered));
            }
        });
        let somewhere = self.terms.int(0);
        let somewhere = self.terms.le(somewhere, pc);
        self.assume_alive(id, somewhere);
        let template = &mut self.templates[id.0 as usize];
        for access in &mut template.accesses {
            let at = self.terms.int(numbers[&access.at]);
            let here = self.terms.eq(pc, at);
            access.guard = self.terms.and(&[access.guard, here]);
        }
    }

    fn expose_local(&mut self, id: TemplateId, local: u32) {
        let variable = self.template(id).locals[local as usize].clone();
        let name = format!("${}", variable.name);
        let sort = self.terms.sort(variable.term);
        let (position, ghost) = self.add_shared(&name, sort, Ghost::Local(id, local));
        let live: Vec<bool> = (0..self.template(id).locations.len() as u32)
            .map(|cut| self.is_live(id, At::Cut(cut), local))
            .collect();
        self.each_step(|terms, owner, step| {
            let lives = |at: At| matches!(at, At::Cut(cut) if live[cut as usize]);
            if owner == id && lives(step.from) {
                let same = terms.eq(ghost, variable.term);
                step.guard = terms.and(&[step.guard, same]);
            }
            if owner == id {
                let assigned = step.locals.iter().find(|(to, _)| *to == local);
                if let Some(&(_, value)) = assigned {
                    step.shared.push((position, value));
                }
            }
            for spawn in &step.spawns {
                let given = spawn.args.iter().find(|(to, _)| *to == local);
                if let (true, Some(&(_, value))) = (spawn.template == id, given) {
                    step.shared.push((position, value));
                }
            }
        });
    }

    fn expose_changer(&mut self, variable: u32) {
        let Shared { name, term, .. } = self.shared[variable as usize].clone();
        let tids: Vec<Term> = self.templates.iter().map(|template| template.tid).collect();
        let sort = tids.first().map_or(Sort::Int, |&tid| self.terms.sort(tid));
        let (position, ghost) =
            self.add_shared(&names::changer(&name), sort, Ghost::Changer(variable));
        self.numbers.insert(ghost);
        let nobody = self.nobody(sort);
        let unchanged = self.terms.eq(ghost, nobody);
        self.assume_initially(unchanged);
        self.each_step(|terms, owner, step| {
            let written = step.shared.iter().find(|(to, _)| *to == variable);
            if let Some(&(_, value)) = written {
                let same = terms.eq(value, term);
                let who = terms.ite(same, ghost, tids[owner.0 as usize]);
                step.shared.push((position, who));
            }
        });
    }

    /// The number that no thread has, at a sort.
    pub fn nobody(&mut self, sort: Sort) -> Term {
        let zero = Value::zero(&self.terms, sort);
        self.terms.value(&zero, sort)
    }

    fn count_started(&mut self, id: TemplateId) {
        let name = names::counter(&self.template(id).name);
        let (position, count) = self.add_shared(&name, Sort::Int, Ghost::Started(id));
        let (zero, one) = (self.terms.int(0), self.terms.int(1));
        let positive = self.terms.le(one, count);
        let natural = self.terms.le(zero, count);
        self.ranges.entry(count).or_default().push(natural);
        let none = self.terms.eq(count, zero);
        self.assume_initially(none);
        self.each_step(|terms, _, step| {
            let spawned = step.spawns.iter().filter(|spawn| spawn.template == id).count();
            if spawned > 0 {
                let more = terms.int(spawned as i64);
                step.shared.push((position, terms.add(&[count, more])));
            }
        });
        self.assume_alive(id, positive);
    }

    fn each_step(&mut self, mut f: impl FnMut(&mut Terms, TemplateId, &mut Step)) {
        let ids: Vec<TemplateId> = self.ids().collect();
        for id in ids {
            for step in &mut self.templates[id.0 as usize].steps {
                f(&mut self.terms, id, step);
            }
        }
    }
}

/// Whether a variable holds the number of a thread.
fn is_number(what: &What) -> bool {
    matches!(
        what,
        What::Cell { ty: Type::Thread, .. }
            | What::Local { ty: Type::Thread, .. }
            | What::Token
            | What::Tid
    )
}
