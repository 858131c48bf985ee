//! What the program says by itself: where scalars stand in memory, what they are at the start, which
//! procedures threads run and how many, and what the start of a thread can lead to.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{
    Action, Callee, LayoutId, LocationId, Multiplicity, ObjectId, ProcId, Program, Shape, Sharing,
    Storage, Type,
};
use selvedge_passes::graph;

use crate::eval::{Eval, Locals, of_const};
use crate::range::Range;
use crate::value::{Base, Site, Value};

/// A scalar of some memory, by its offset. The elements of an array are one.
pub type Cell = (Base, u64);

/// Where an access leads within its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    pub cell: Cell,
    /// Whether the cell stands for several scalars.
    pub many: bool,
}

/// What an edge allocates.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    pub layout: LayoutId,
    /// In bytes; none where that is not a constant.
    pub size: Option<u64>,
    pub storage: Storage,
    pub zeroed: bool,
    /// Whether the edge can be passed more than once in one run of its procedure.
    pub repeated: bool,
}

/// The largest memory whose scalars are told apart when it comes into being.
const MOST_CELLS: usize = 64;

pub struct Subject {
    pub program: Program,
    /// The procedures in which threads start.
    pub entries: BTreeSet<ProcId>,
    /// Those in which no more than one thread ever starts.
    pub single: BTreeSet<ProcId>,
    /// That of the only thread of the beginning, if nobody else runs it.
    pub first: Option<ProcId>,
    pub made: BTreeMap<Site, Made>,
    /// Edges that start threads: what is started, and whether the edge can be passed again.
    pub spawns: BTreeMap<Site, (ProcId, bool)>,
    /// The procedures of all threads that one of a procedure can start, directly or not.
    pub descendants: FxHashMap<ProcId, BTreeSet<ProcId>>,
    /// What cells of global variables are at the start, where that is not zero alone.
    initial: FxHashMap<Cell, Value>,
    /// Variables that begin with scalars of other types than those of their layout.
    mixed: FxHashSet<ObjectId>,
}

impl Subject {
    /// The prepared program; why it is not one to look at.
    pub fn of(program: Program) -> Result<Subject, String> {
        let repeated = cycles(&program);
        let mut made = BTreeMap::new();
        let mut spawns = BTreeMap::new();
        let mut entries: BTreeSet<ProcId> = program.threads.iter().map(|t| t.procedure).collect();
        let mut work: Vec<ProcId> = entries.iter().copied().collect();
        while let Some(id) = work.pop() {
            let procedure = &program.procedures[id];
            for (at, edge) in procedure.edges() {
                let site = Site { procedure: id, edge: at };
                let again = graph::arrives(edge)
                    && repeated[&id][at.from.as_u32() as usize]
                        == repeated[&id][edge.target.as_u32() as usize];
                match &edge.action {
                    Action::Spawn { entry: Callee::Direct(target), .. } => {
                        spawns.insert(site, (*target, again));
                        if entries.insert(*target) {
                            work.push(*target);
                        }
                    }
                    Action::Spawn { .. } => return Err("a thread started through a pointer".into()),
                    Action::Call { .. } => return Err("a call that is not inlined".into()),
                    Action::Alloc { layout, size, storage, zeroed, .. } => {
                        let eval = Eval { program: &program, procedure, locals: &Locals::new() };
                        let size = eval.value(size).ok().and_then(|size| size.numbers()?.only());
                        let size = size.and_then(|size| u64::try_from(size).ok());
                        let (layout, storage, zeroed) = (*layout, *storage, *zeroed);
                        made.insert(site, Made { layout, size, storage, zeroed, repeated: again });
                    }
                    _ => {}
                }
            }
        }
        let single = single(&program, &entries, &spawns);
        let first = match program.threads.as_slice() {
            [only] => Some(only.procedure).filter(|procedure| single.contains(procedure)),
            _ => None,
        };
        let mut starts: FxHashMap<ProcId, BTreeSet<ProcId>> = FxHashMap::default();
        for (site, (target, _)) in &spawns {
            starts.entry(site.procedure).or_default().insert(*target);
        }
        let descendants = entries.iter().map(|&id| (id, descendants(id, &starts))).collect();
        let mut subject = Subject {
            program,
            entries,
            single,
            first,
            made,
            spawns,
            descendants,
            initial: FxHashMap::default(),
            mixed: FxHashSet::default(),
        };
        (subject.initial, subject.mixed) = subject.initial_contents();
        Ok(subject)
    }

    /// What each scalar with an initial value is at the start, by cells; and what has no cells.
    fn initial_contents(&self) -> (FxHashMap<Cell, Value>, FxHashSet<ObjectId>) {
        let mut found: FxHashMap<Cell, Value> = FxHashMap::default();
        let mut mixed = FxHashSet::default();
        for (id, object) in &self.program.objects {
            let base = Base::Object(id);
            for (offset, value) in &object.init {
                let at = Range::one(i128::from(*offset));
                let Some(spot) = self.spot(base, at, value.ty()) else {
                    mixed.insert(id);
                    continue;
                };
                // Other elements may be zero.
                let known = found.get(&spot.cell).cloned();
                let known = known.or_else(|| spot.many.then(|| Value::zero(value.ty())));
                let value = of_const(*value);
                let value = known.map_or(value.clone(), |known| known.join(&value));
                found.insert(spot.cell, value);
            }
        }
        (found, mixed)
    }

    /// Every cell with an initial value other than zero.
    pub fn initialised(&self) -> impl Iterator<Item = (Cell, &Value)> {
        self.initial.iter().map(|(cell, value)| (*cell, value))
    }

    /// The type of a cell.
    pub fn ty(&self, (base, offset): Cell) -> Option<Type> {
        let layout = match base {
            Base::Object(id) => self.program.objects.get(id)?.layout,
            Base::Made(site) => self.made.get(&site)?.layout,
        };
        self.program.scalar_at(layout, offset).map(|(ty, _)| ty)
    }

    /// What a cell holds when its memory comes into being.
    pub fn initial(&self, cell: Cell) -> Value {
        let Some(ty) = self.ty(cell) else { return Value::Any };
        match cell.0 {
            Base::Object(_) => self.initial.get(&cell).cloned().unwrap_or_else(|| Value::zero(ty)),
            Base::Made(site) if self.made[&site].zeroed => Value::zero(ty),
            Base::Made(_) => Value::input(ty),
        }
    }

    /// The cell that holds the scalars of a type at some offsets; none where that is not certain.
    pub fn spot(&self, base: Base, at: Range, ty: Type) -> Option<Spot> {
        let (layout, size) = match base {
            Base::Object(id) if self.mixed.contains(&id) => return None,
            Base::Object(id) => {
                let layout = self.program.objects.get(id)?.layout;
                (layout, self.program.layouts[layout].size)
            }
            Base::Made(site) => {
                let made = self.made.get(&site)?;
                (made.layout, made.size?)
            }
        };
        if at.lo < 0 || at.hi + i128::from(ty.size(self.program.model)) > i128::from(size) {
            return None;
        }
        let (offset, many) = self.in_array(layout, size, at, ty)?;
        Some(Spot { cell: (base, offset), many })
    }

    /// In elements of a layout, one behind another.
    fn in_array(&self, element: LayoutId, whole: u64, at: Range, ty: Type) -> Option<(u64, bool)> {
        let size = i128::from(self.program.layouts[element].size);
        if size == 0 {
            return None;
        }
        let several = i128::from(whole) > size;
        let at = match (at.lo / size == at.hi / size, i128::from(at.step) % size) {
            (true, _) => at.moved(-(at.lo / size) * size),
            (false, 0) => Range::one(at.lo % size),
            _ => return None,
        };
        let (offset, many) = self.in_layout(element, at, ty)?;
        Some((offset, many || several))
    }

    fn in_layout(&self, layout: LayoutId, at: Range, ty: Type) -> Option<(u64, bool)> {
        let data = &self.program.layouts[layout];
        match &data.shape {
            Shape::Scalar(own) => (*own == ty && at == Range::one(0)).then_some((0, false)),
            Shape::Struct(fields) => {
                let inside = |field: &&selvedge_ir::Field| {
                    let start = i128::from(field.offset);
                    let end = start + i128::from(self.program.layouts[field.layout].size);
                    start <= at.lo && at.hi < end
                };
                let field = fields.iter().find(inside)?;
                let at = at.moved(-i128::from(field.offset));
                let (offset, many) = self.in_layout(field.layout, at, ty)?;
                Some((field.offset + offset, many))
            }
            Shape::Array { element, .. } => self.in_array(*element, data.size, at, ty),
            Shape::Union(_) | Shape::Bytes => None,
        }
    }

    /// All cells of allocated memory, and whether each stands for several scalars; none where they
    /// are too many or not known.
    pub fn cells(&self, base: Base) -> Option<Vec<(Cell, bool)>> {
        let Base::Made(site) = base else { return None };
        let Made { layout, size, .. } = *self.made.get(&site)?;
        let several = size? > self.program.layouts[layout].size;
        let mut found = Vec::new();
        self.leaves(layout, 0, several, &mut found)?;
        Some(found.into_iter().map(|(offset, many)| ((base, offset), many)).collect())
    }

    fn leaves(
        &self,
        layout: LayoutId,
        start: u64,
        many: bool,
        found: &mut Vec<(u64, bool)>,
    ) -> Option<()> {
        if found.len() > MOST_CELLS {
            return None;
        }
        let data = &self.program.layouts[layout];
        match &data.shape {
            Shape::Scalar(_) => found.push((start, many)),
            Shape::Struct(fields) => {
                for field in fields {
                    self.leaves(field.layout, start + field.offset, many, found)?;
                }
            }
            Shape::Array { element, .. } => {
                let several = data.size > self.program.layouts[*element].size;
                self.leaves(*element, start, many || several, found)?;
            }
            Shape::Union(_) | Shape::Bytes => return None,
        }
        Some(())
    }

    /// Whether there is at most one object of this kind in the whole execution.
    pub fn is_one(&self, base: Base) -> bool {
        match base {
            Base::Object(id) => self.program.objects[id].sharing == Sharing::Shared,
            Base::Made(site) => {
                self.single.contains(&site.procedure)
                    && self.made.get(&site).is_some_and(|made| !made.repeated)
            }
        }
    }
}

/// For each location of each procedure, the number of its cycle.
fn cycles(program: &Program) -> FxHashMap<ProcId, Vec<u32>> {
    let component = |id: ProcId| {
        let procedure = &program.procedures[id];
        let mut number = vec![0; procedure.locations.len()];
        for (index, members) in
            graph::components(&graph::control_flow(procedure)).iter().enumerate()
        {
            for &member in members {
                number[LocationId::from_u32(member).as_u32() as usize] = index as u32;
            }
        }
        number
    };
    program.procedures.keys().map(|id| (id, component(id))).collect()
}

/// Procedures that one thread runs, once: there is one at the start, or one edge starts it, which a
/// thread of such a procedure passes at most once.
fn single(
    program: &Program,
    entries: &BTreeSet<ProcId>,
    spawns: &BTreeMap<Site, (ProcId, bool)>,
) -> BTreeSet<ProcId> {
    let mut started: FxHashMap<ProcId, Vec<(ProcId, bool)>> = FxHashMap::default();
    for (site, (target, again)) in spawns {
        started.entry(*target).or_default().push((site.procedure, *again));
    }
    let once = |id: ProcId| {
        let mut initial = program.threads.iter().filter(|t| t.procedure == id);
        match (initial.next(), initial.next()) {
            (None, _) => Some(false),
            (Some(thread), None) if thread.count == Multiplicity::Exactly(1) => Some(true),
            _ => None,
        }
    };
    let candidates: Vec<(ProcId, Option<ProcId>)> = entries
        .iter()
        .filter_map(|&id| match (once(id)?, started.get(&id).map_or(&[][..], Vec::as_slice)) {
            (true, []) => Some((id, None)),
            (false, [(parent, false)]) => Some((id, Some(*parent))),
            _ => None,
        })
        .collect();
    let mut single: BTreeSet<ProcId> = BTreeSet::new();
    loop {
        let before = single.len();
        for (id, parent) in &candidates {
            if parent.is_none_or(|parent| single.contains(&parent)) {
                single.insert(*id);
            }
        }
        if single.len() == before {
            return single;
        }
    }
}

fn descendants(id: ProcId, starts: &FxHashMap<ProcId, BTreeSet<ProcId>>) -> BTreeSet<ProcId> {
    let mut found = BTreeSet::new();
    let mut work = vec![id];
    while let Some(from) = work.pop() {
        let targets = starts.get(&from).into_iter().flatten();
        work.extend(targets.filter(|target| found.insert(**target)).copied());
    }
    found
}
