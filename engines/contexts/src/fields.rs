//! Which fields are tracked, as rounds go by. A field is a region.

use selvedge_ir::{Program, Property, RegionId};
use selvedge_passes::bits::BitSet;
use selvedge_verdict::Options;

use super::options::{Own, Slice};

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

    /// Those that the user asks for.
    pub fn asked(
        program: &Program,
        names: &[String],
        options: &Options<Own>,
    ) -> Result<Fields, String> {
        let refine = options.own.slice != Slice::Off;
        Ok(Fields { refine, ..Fields::starting_with(named(program, names)?) })
    }

    /// These, and more if need be.
    pub fn starting_with(tracked: BitSet<RegionId>) -> Fields {
        Fields { tracked: Some(tracked), refine: true, addresses: false }
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

    /// Tracks more: what is needed. Where nothing of that is new, the refinement is stuck: it may be
    /// that an address is not one of its field, so addresses count from then on; then what the
    /// threads take notice of is tracked, and at last everything. False if nothing may be tracked
    /// beside what is.
    pub fn add(&mut self, needed: &[RegionId], noticed: &[RegionId]) -> bool {
        let Some(tracked) = &mut self.tracked else { return false };
        if !self.refine {
            return false;
        }
        let mut add = |fields: &[RegionId]| {
            fields.iter().fold(false, |new, field| tracked.insert(*field) | new)
        };
        if add(needed) {
            return true;
        }
        if self.addresses && !add(noticed) {
            self.tracked = None;
        }
        self.addresses = true;
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
