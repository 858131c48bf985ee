//! Which fields are tracked, as rounds go by. A field is a region.

use selvedge_ir::{Action, Expr, LocalId, Procedure, Program, Property, RegionId};
use selvedge_passes::bits::BitSet;
use selvedge_verdict::Options;

use super::options::{Own, Slice};

/// The question to the solver has only what the property depends on, sliced or not, so slicing pays
/// only where that is too much (`cargo xtask bench contexts` compares). With more fields than this,
/// tracking all of them is not tried.
const MANY_FIELDS: usize = 400;

#[derive(Clone, Debug)]
pub struct Fields {
    /// None means all.
    tracked: Option<BitSet<RegionId>>,
    /// Whether more may be tracked.
    refine: bool,
    /// Whether the addresses of what is not tracked count.
    addresses: bool,
}

impl Fields {
    /// All fields, always.
    pub fn all() -> Fields {
        Fields { tracked: None, refine: false, addresses: false }
    }

    /// Those that are asked for, or those that the options leave it to us to choose.
    pub fn first(program: &Program, options: &Options<Own>) -> Result<Fields, String> {
        if !can_slice(options) {
            return Ok(Fields::all());
        }
        let slice = match options.own.slice {
            Slice::Auto => program.regions.len() >= MANY_FIELDS,
            Slice::Always => true,
            Slice::Off => false,
        };
        match &options.own.track {
            Some(names) => {
                let refine = options.own.slice != Slice::Off;
                Ok(Fields::starting_with(named(program, names)?, refine))
            }
            None if slice => Ok(Fields::of_assertions(program)),
            None => Ok(Fields::all()),
        }
    }

    /// Those that the assertions look at, to begin with.
    pub fn of_assertions(program: &Program) -> Fields {
        Fields::starting_with(program.procedures.values().flat_map(asserted).collect(), true)
    }

    fn starting_with(tracked: BitSet<RegionId>, refine: bool) -> Fields {
        Fields { tracked: Some(tracked), refine, addresses: false }
    }

    pub fn are_all(&self) -> bool {
        self.tracked.is_none()
    }

    pub fn tracked(&self) -> Option<&BitSet<RegionId>> {
        self.tracked.as_ref()
    }

    pub fn addresses(&self) -> bool {
        self.addresses
    }

    /// Tracks more. Where there is nothing new, the refinement is stuck: it may be that an address
    /// is not one of its field, so addresses count from then on; at last everything is tracked.
    /// False if nothing may be tracked beside what is.
    pub fn add(&mut self, fields: &[RegionId]) -> bool {
        let Some(tracked) = &mut self.tracked else { return false };
        if !self.refine {
            return false;
        }
        let new = fields.iter().fold(false, |new, field| tracked.insert(*field) | new);
        if !new && self.addresses {
            self.tracked = None;
        }
        self.addresses |= !new;
        true
    }

    pub fn names(&self, program: &Program) -> Option<Vec<String>> {
        let tracked = self.tracked.as_ref()?;
        Some(tracked.iter().map(|field| program.regions[field].name.clone()).collect())
    }
}

/// Whether fields can be left out: a state that is a violation is not seen in a path's actions.
pub fn can_slice(options: &Options<Own>) -> bool {
    !options.checks(Property::Race) && !options.checks(Property::Deadlock)
}

/// Whether the name is the field's, or that of a variable that it belongs to.
pub fn names_field(name: &str, field: &str) -> bool {
    let rest = field.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '#', '+']))
}

/// The fields of these names: of a variable all that belong to it.
fn named(program: &Program, wanted: &[String]) -> Result<BitSet<RegionId>, String> {
    let mut found = BitSet::new();
    for name in wanted {
        let fields = program.regions.iter().filter(|(_, region)| names_field(name, &region.name));
        let fields: Vec<RegionId> = fields.map(|(id, _)| id).collect();
        if fields.is_empty() {
            return Err(format!("tracking `{name}`: no field has this name"));
        }
        found.extend(fields);
    }
    Ok(found)
}

/// The fields whose content the assertions of a procedure look at.
fn asserted(procedure: &Procedure) -> Vec<RegionId> {
    let mut locals: BitSet<LocalId> = BitSet::new();
    let mut regions = Vec::new();
    let read = |expr: &Expr, locals: &mut BitSet<LocalId>| {
        expr.locals().into_iter().fold(false, |new, local| locals.insert(local) | new)
    };
    for (_, edge) in procedure.edges() {
        if let Action::Assert { cond, .. } = &edge.action {
            read(cond, &mut locals);
        }
    }
    loop {
        let mut changed = false;
        for (_, edge) in procedure.edges() {
            match &edge.action {
                Action::Assign { to, value } if locals.contains(*to) => {
                    changed |= read(value, &mut locals);
                }
                Action::Load { to, from, .. } if locals.contains(*to) => {
                    regions.extend(from.region);
                }
                _ => {}
            }
        }
        if !changed {
            return regions;
        }
    }
}
