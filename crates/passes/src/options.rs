//! What engines ask of the pipeline.

use selvedge_ir::Property;

#[derive(Clone, Debug)]
pub struct Options {
    /// What is checked: assertions of other properties are dropped, and reduction keeps what these
    /// need to see.
    pub properties: Vec<Property>,
    /// Whether locations may become `Joined`. Off, every interleaving point stays.
    pub reduce: bool,
    /// Whether memory is divided by the fields of structures, taking accesses to stay in the field or
    /// array that they name ([`crate::fields`]).
    pub fields: bool,
    /// Whether private variables in memory become locals ([`crate::promote`]).
    pub promote: bool,
    /// Edges of one procedure beyond which calls are no longer inlined.
    pub inline_limit: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            properties: vec![Property::Assert],
            reduce: true,
            fields: false,
            promote: false,
            inline_limit: 200_000,
        }
    }
}

impl Options {
    pub fn checks(&self, property: Property) -> bool {
        self.properties.contains(&property)
    }
}
