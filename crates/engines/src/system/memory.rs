//! What stands for memory: a variable for each scalar that is known by name.
//!
//! A scalar that nobody writes is a constant. One that only a single instance accesses is a local of
//! that thread. All others are shared variables.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{Action, Const, ObjectId, Program, RegionId, Type};
use selvedge_passes::Prepared;

use super::TemplateId;
use super::roles::Roles;

/// A scalar in memory, by position in [`Memory::cells`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct CellId(pub u32);

#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub name: String,
    pub region: RegionId,
    pub object: ObjectId,
    pub offset: i64,
    pub ty: Type,
    pub initial: Const,
    pub keeper: Keeper,
}

/// Who keeps a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keeper {
    /// It always has its initial value.
    Constant,
    /// Only this thread accesses it.
    Own(TemplateId),
    Shared,
}

/// How a region is held.
#[derive(Clone, Debug)]
pub(super) enum Home {
    Cells(Vec<CellId>),
    /// Not at all, and why.
    None(String),
}

#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub cells: Vec<Cell>,
    homes: FxHashMap<RegionId, Home>,
}

impl Memory {
    pub fn of(prepared: &Prepared, roles: &Roles) -> Memory {
        let mut memory = Memory { cells: Vec::new(), homes: FxHashMap::default() };
        let uses = Uses::of(&prepared.program, roles);
        for (region, data) in &prepared.program.regions {
            let home = match (prepared.regions.exact.get(&region), data.ty) {
                (Some(&(object, offset)), Some(ty)) => {
                    memory.exact(&prepared.program, &uses, region, (object, offset), ty)
                }
                _ => Home::None(format!("memory that is not one variable: {}", data.name)),
            };
            memory.homes.insert(region, home);
        }
        memory
    }

    pub fn home(&self, region: RegionId) -> &Home {
        &self.homes[&region]
    }

    pub fn cell(&self, id: CellId) -> &Cell {
        &self.cells[id.0 as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = (CellId, &Cell)> {
        self.cells.iter().enumerate().map(|(i, cell)| (CellId(i as u32), cell))
    }

    fn exact(
        &mut self,
        program: &Program,
        uses: &Uses,
        region: RegionId,
        (object, offset): (ObjectId, i64),
        ty: Type,
    ) -> Home {
        let name = program.regions[region].name.clone();
        let keeper = uses.keeper(region);
        let initial = program.objects[object].init.iter();
        let mut initial = initial.filter(|(at, _)| i64::try_from(*at) == Ok(offset));
        let initial = initial.next().map_or(Const::zero(ty), |(_, value)| *value);
        self.cells.push(Cell { name, region, object, offset, ty, initial, keeper });
        Home::Cells(vec![CellId(self.cells.len() as u32 - 1)])
    }
}

/// Who accesses each region, and whether anybody writes it.
struct Uses {
    users: FxHashMap<RegionId, FxHashSet<TemplateId>>,
    written: FxHashSet<RegionId>,
    pools: FxHashSet<TemplateId>,
}

impl Uses {
    fn of(program: &Program, roles: &Roles) -> Uses {
        let mut uses = Uses {
            users: FxHashMap::default(),
            written: FxHashSet::default(),
            pools: roles.iter().filter(|(_, role)| role.pool).map(|(id, _)| id).collect(),
        };
        for (id, role) in roles.iter() {
            for (_, edge) in program.procedures[role.procedure].edges() {
                let Some(region) = edge.action.place().and_then(|place| place.region) else {
                    continue;
                };
                uses.users.entry(region).or_default().insert(id);
                if !matches!(edge.action, Action::Load { .. }) {
                    uses.written.insert(region);
                }
            }
        }
        uses
    }

    fn keeper(&self, region: RegionId) -> Keeper {
        let mut users = self.users.get(&region).into_iter().flatten();
        match (users.next(), users.next()) {
            _ if !self.written.contains(&region) => Keeper::Constant,
            (Some(&only), None) if !self.pools.contains(&only) => Keeper::Own(only),
            _ => Keeper::Shared,
        }
    }
}
