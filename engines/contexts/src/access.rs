//! Accesses of a thread, led to the maps of the current context.

use selvedge_ir::{
    Action, BinaryOp, Const, EdgeId, Expr, LocalId, LocationId, Mode, Place, Property, RegionId,
    Storage, Type,
};

use super::code::or;
use super::emission::{Emission, Step};
use super::lives::Reach;
use super::memory::{Maps, in_map};

impl Emission<'_, '_> {
    /// `if k = 1 then to := G@1[a] elsif ..`, without branches: all maps are read, and one of the
    /// values is taken.
    pub fn load(&mut self, step: &Step<'_>, to: LocalId, place: &Place) {
        let Some(maps) = self.maps(place, step.at) else {
            let edge = self.untracked(step, place, Action::Havoc { to });
            return self.one_of(place, edge);
        };
        let mode = Mode::Plain;
        let from = self.optional(step, place, Action::Havoc { to });
        if let [map] = maps[..] {
            let action = Action::Load { to, from: in_map(place, map), mode };
            return self.simple(&Step { from, ..*step }, action);
        }
        let mut actions = Vec::new();
        let mut values = Vec::new();
        for (i, map) in maps.into_iter().enumerate() {
            let value = self.t.code.temporary(place.ty, i as u32 + 1);
            actions.push(Action::Load { to: value, from: in_map(place, map), mode });
            values.push(Expr::Local(value));
        }
        let value = self.by_context(values);
        actions.push(Action::Assign { to, value });
        self.chain(step, from, actions);
    }

    /// Writes to the map of the current context and leaves the others as they are. `needs` is what
    /// the place must hold before; otherwise the thread waits.
    pub fn store(&mut self, step: &Step<'_>, place: &Place, value: Expr, needs: Option<Expr>) {
        let Some(maps) = self.maps(place, step.at) else {
            self.untracked(step, place, Action::Skip);
            return;
        };
        let from = self.optional(step, place, Action::Skip);
        self.write(&Step { from, ..*step }, maps, place, value, needs);
    }

    fn write(
        &mut self,
        step: &Step<'_>,
        maps: Vec<RegionId>,
        place: &Place,
        value: Expr,
        needs: Option<Expr>,
    ) {
        let mode = Mode::Plain;
        let (mut place, mut value) = (place.clone(), value);
        let mut actions = Vec::new();
        let single = maps.len() == 1;
        if !single {
            self.evaluate(&mut place.addr, Type::Ptr, &mut actions);
            self.evaluate(&mut value, place.ty, &mut actions);
        }
        for (i, map) in maps.into_iter().enumerate() {
            let here = self.t.code.in_context(i as u32 + 1);
            let old = self.t.code.temporary(place.ty, i as u32 + 1);
            let to = in_map(&place, map);
            if needs.is_some() || !single {
                actions.push(Action::Load { to: old, from: to.clone(), mode });
            }
            if let Some(needed) = &needs {
                let holds = Expr::binary(BinaryOp::Eq, Expr::Local(old), needed.clone());
                let holds = if single { holds } else { or(here.clone().not(), holds) };
                actions.push(Action::Assume(holds));
            }
            let value = match single {
                true => value.clone(),
                false => Expr::ite(here, value.clone(), Expr::Local(old)),
            };
            actions.push(Action::Store { to, value, mode });
        }
        self.chain(step, step.from, actions);
    }

    /// Where it is left open whether the content of a place counts, both ways are there: this adds
    /// the one that does not look at it, and gives the start of the other.
    fn optional(&mut self, step: &Step<'_>, place: &Place, action: Action) -> LocationId {
        let Some(literal) = place.region.and_then(|region| self.t.literals[region]) else {
            return step.from;
        };
        let from = self.t.code.assume(step.from, Expr::Local(literal).not());
        let mut actions = Vec::new();
        if let Some(maps) = self.maps(place, step.at)
            && self.checks(Property::Memory)
            && place.direct().is_none()
        {
            let to = self.t.code.temporary(place.ty, 0);
            let from = in_map(place, maps[0]);
            actions.push(Action::Load { to, from, mode: Mode::Plain });
        }
        let reads = matches!(action, Action::Havoc { .. });
        actions.push(action);
        let edge = self.chain(step, from, actions);
        if reads {
            self.one_of(place, edge);
        }
        self.t.code.assume(step.from, Expr::Local(literal))
    }

    /// What is read from the place is one of the values that can be there.
    fn one_of(&mut self, place: &Place, edge: EdgeId) {
        if let Some(guesses) = place.region.and_then(|region| self.t.memory.guesses[region].clone())
        {
            self.t.code.choices.insert(edge, guesses);
        }
    }

    /// An access to a field that is not tracked: nothing but the question whether it goes wrong.
    fn untracked(&mut self, step: &Step<'_>, place: &Place, action: Action) -> EdgeId {
        let maps = place.region.map(|region| &self.t.memory.maps[region]);
        let mut actions = Vec::new();
        let extents = place.region.and_then(|r| self.t.prepared.regions.extents.get(&r));
        if extents.is_some_and(Vec::is_empty) {
            // No memory is there.
            actions.push(Action::Assume(Expr::FALSE));
        }
        if let Some(Maps::Untracked(Some(map))) = maps
            && place.direct().is_none()
        {
            let from = in_map(place, *map);
            let to = self.t.code.temporary(place.ty, 0);
            actions.push(Action::Load { to, from, mode: Mode::Plain });
        }
        actions.push(action);
        self.chain(step, step.from, actions)
    }

    pub fn lock(&mut self, step: &Step<'_>, lock: &Place) {
        let none = Expr::Const(Const::Int(0, self.t.memory.thread));
        self.store(step, lock, self.t.memory.identity(self.slot), Some(none));
    }

    pub fn unlock(&mut self, step: &Step<'_>, lock: &Place) {
        let none = Expr::Const(Const::Int(0, self.t.memory.thread));
        if !self.checks(Property::Deadlock) {
            return self.store(step, lock, none, None);
        }
        let me = self.t.memory.identity(self.slot);
        self.store(step, lock, none, Some(me.clone()));
        // The same, but with another holder.
        let Some(maps) = self.maps(lock, step.at) else { return };
        let mut at = step.from;
        let mut holders = Vec::new();
        for (i, map) in maps.into_iter().enumerate() {
            let to = self.t.code.temporary(lock.ty, i as u32 + 1);
            let action = Action::Load { to, from: in_map(lock, map), mode: Mode::Plain };
            at = self.t.code.then(at, action, step.edge.span);
            holders.push(Expr::Local(to));
        }
        let other = Expr::binary(BinaryOp::Ne, self.by_context(holders), me);
        let at = self.t.code.assume(at, other);
        self.wrong(step, at);
    }

    /// Goes wrong if the object has been freed.
    pub fn alive(&mut self, step: &Step<'_>, addr: &Expr, reach: Reach) -> LocationId {
        let maps = self.lives(reach, step.at);
        let mut at = step.from;
        let mut values = Vec::new();
        for (i, map) in maps.into_iter().enumerate() {
            let to = self.t.code.temporary(Type::Bool, i as u32 + 1);
            let from = Place { addr: addr.clone(), ty: Type::Bool, region: Some(map) };
            let action = Action::Load { to, from, mode: Mode::Plain };
            at = self.t.code.then(at, action, step.edge.span);
            values.push(Expr::Local(to));
        }
        let freed = self.by_context(values);
        let wrong = self.t.code.location();
        self.t.code.edge(at, Action::Assume(freed.clone()), wrong, step.edge.span);
        self.wrong(step, wrong);
        self.t.code.assume(at, freed.not())
    }

    /// The maps that say which objects have been freed.
    fn lives(&self, reach: Reach, at: EdgeId) -> Vec<RegionId> {
        let maps = match reach {
            Reach::Shared => &self.t.memory.freed,
            Reach::Private => &self.t.memory.freed_private,
        };
        match maps {
            Maps::Each(maps) => maps[self.possible(at)].to_vec(),
            Maps::One(map) => vec![*map],
            Maps::None | Maps::Untracked(_) => Vec::new(),
        }
    }

    pub fn free(&mut self, step: &Step<'_>, addr: Expr, storage: Storage) {
        let Some(reach) = self.t.lives.frees(self.me(), step.at) else {
            return self.simple(step, Action::Skip);
        };
        let null = Expr::binary(BinaryOp::Eq, addr.clone(), Expr::NULL);
        self.simple(step, Action::Assume(null.clone()));
        let from = self.t.code.assume(step.from, null.not());
        let from = self.alive(&Step { from, ..*step }, &addr, reach);
        let from =
            self.t.code.then(from, Action::Free { addr: addr.clone(), storage }, step.edge.span);
        let maps = self.lives(reach, step.at);
        let place = Place { addr, ty: Type::Bool, region: None };
        self.write(&Step { from, ..*step }, maps, &place, Expr::TRUE, None);
    }
}
