//! What threads see of the others' writes, wherever they stand.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Place;
use crate::model::Model;
use crate::values::domain::{Bounds, Values};
use crate::values::{State, UnitId};
use selvedge_system::{At, End, Step, TemplateId};

/// What has been written, by who sees it.
pub struct Seen {
    /// By observer, and by mover where that one runs only while the observer stands at some places.
    written: FxHashMap<(TemplateId, Option<TemplateId>), State>,
    /// Of a template that one other template starts: where that one stands when it may have done so.
    behind: Vec<Option<(TemplateId, FxHashSet<At>)>>,
}

impl Seen {
    pub fn new(model: &Model) -> Seen {
        let behind = model.ids().map(|id| behind(model, id)).collect();
        Seen { written: FxHashMap::default(), behind }
    }

    /// Whether threads of a template may have started where another thread stands.
    pub fn may_run(&self, template: TemplateId, (observer, at): Place) -> bool {
        match &self.behind[template.0 as usize] {
            Some((starter, places)) if *starter == observer => places.contains(&at),
            _ => true,
        }
    }

    /// Enters values that a thread of the second template writes and one of the first sees. Says
    /// whether any of them is new.
    pub fn add(
        &mut self,
        observer: TemplateId,
        mover: TemplateId,
        unit: UnitId,
        values: &Values,
        range: &[Bounds; 2],
    ) -> bool {
        let starts = self.starts(observer, mover).then_some(mover);
        let known = self.written.entry((observer, starts)).or_default();
        known.entry(unit).or_insert_with(Values::none).join(values, range)
    }

    fn starts(&self, starter: TemplateId, template: TemplateId) -> bool {
        self.behind[template.0 as usize].as_ref().is_some_and(|(known, _)| *known == starter)
    }

    /// Adds what a thread that stands there sees of a unit.
    pub fn add_to(&self, values: &mut Values, place: Place, unit: UnitId) {
        let always = self.written.get(&(place.0, None)).into_iter();
        let movers = (0..self.behind.len() as u32).map(TemplateId);
        let movers =
            movers.filter(|&mover| self.starts(place.0, mover) && self.may_run(mover, place));
        let now = movers.filter_map(|mover| self.written.get(&(place.0, Some(mover))));
        for state in always.chain(now) {
            if let Some(more) = state.get(&unit) {
                values.unite(more);
            }
        }
    }

    /// What anyone writes while there are others.
    pub fn by_anyone(self) -> State {
        let mut all = State::default();
        for (unit, values) in self.written.into_values().flatten() {
            all.entry(unit).or_insert_with(Values::none).unite(&values);
        }
        all
    }
}

/// Who starts the threads of a template, if that is one single thread, and where it may stand once it
/// has done so.
fn behind(model: &Model, child: TemplateId) -> Option<(TemplateId, FxHashSet<At>)> {
    if model.template(child).initial {
        return None;
    }
    let starts = |step: &Step| step.spawns.iter().any(|spawn| spawn.template == child);
    let mut starters = model.ids().filter(|&id| model.template(id).steps.iter().any(starts));
    let (starter, None) = (starters.next()?, starters.next()) else { return None };
    if model.template(starter).pool {
        return None;
    }
    let steps = &model.template(starter).steps;
    let target = |step: &Step| match step.end {
        End::To(to) => Some(to),
        End::Bad(_) => None,
    };
    let mut open: Vec<At> = steps.iter().filter(|step| starts(step)).filter_map(target).collect();
    let mut places = FxHashSet::default();
    while let Some(at) = open.pop() {
        if places.insert(at) {
            open.extend(steps.iter().filter(|step| step.from == at).filter_map(target));
        }
    }
    Some((starter, places))
}
