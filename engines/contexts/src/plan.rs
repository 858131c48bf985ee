//! What is wanted of the translation into a sequential program.

use selvedge_ir::{Property, RegionId};
use selvedge_passes::bits::BitSet;
use selvedge_verdict::Options;

use super::bounds::Bounds;
use super::fields::Fields;
use super::options::Own;

#[derive(Clone, Debug)]
pub struct Plan<'a> {
    pub bounds: Bounds,
    pub properties: &'a [Property],
    /// The regions that have content; none means all.
    pub tracked: Option<&'a BitSet<RegionId>>,
    /// Whether accesses to regions without content must lead to their memory all the same.
    pub addresses: bool,
    /// The share of the scheduling points that is kept, in percent.
    pub points: u32,
}

impl<'a> Plan<'a> {
    pub fn new(options: &'a Options<Own>, bounds: Bounds, fields: &'a Fields) -> Plan<'a> {
        Plan {
            bounds,
            properties: &options.properties,
            tracked: fields.tracked(),
            addresses: fields.addresses(),
            points: options.own.points,
        }
    }
}

impl Plan<'_> {
    pub fn checks(&self, property: Property) -> bool {
        self.properties.contains(&property)
    }

    /// Whether a region has content.
    pub fn tracks(&self, region: RegionId) -> bool {
        self.tracked.is_none_or(|set| set.contains(region))
    }

    /// Whether a state can be a violation: what a thread is about to do counts then, not only what
    /// it has done.
    pub fn checks_states(&self) -> bool {
        self.checks(Property::Race) || self.checks(Property::Deadlock)
    }
}
