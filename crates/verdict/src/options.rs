//! What is asked of an engine.

use selvedge_ir::Property;
use selvedge_smt::Dump;

/// What every engine is asked; `own` is what only one knows.
#[derive(Clone, Debug)]
pub struct Options<Own = ()> {
    pub properties: Vec<Property>,
    pub integers: Integers,
    /// Merge actions by Lipton reduction.
    pub reduce: bool,
    /// How many threads stand for "any number of threads", for an engine that needs a number: its
    /// answer is then never SAFE. An engine that proves programs for any number ignores it or
    /// refuses it.
    pub threads: Option<u32>,
    /// Where the solver's questions go as text.
    pub queries: Option<Dump>,
    pub own: Own,
}

/// What integers are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integers {
    /// Of fixed width, as in C.
    #[default]
    Machine,
    /// Without bounds. Every verdict that depends on it says so.
    Math,
}

impl<Own: Default> Options<Own> {
    pub fn new(properties: &[Property]) -> Options<Own> {
        Options::with(properties, Own::default())
    }
}

impl<Own> Options<Own> {
    pub fn with(properties: &[Property], own: Own) -> Options<Own> {
        let (integers, threads, queries) = (Integers::Machine, None, None);
        Options { properties: properties.to_vec(), integers, reduce: true, threads, queries, own }
    }

    pub fn checks(&self, property: Property) -> bool {
        self.properties.contains(&property)
    }

    /// The same question to another engine.
    pub fn ask<Other>(&self, own: Other) -> Options<Other> {
        Options {
            properties: self.properties.clone(),
            integers: self.integers,
            reduce: self.reduce,
            threads: self.threads,
            queries: self.queries.clone(),
            own,
        }
    }
}
