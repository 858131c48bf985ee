//! What is known of a thread at a location.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use selvedge_ir::{LocalId, Property};
use serde::{Deserialize, Serialize};

use crate::eval::Locals;
use crate::subject::Cell;
use crate::value::{Base, Site, Value};

/// The scalar at an offset of memory that there is once.
pub type Lock = (Base, u64);

/// A thread that an edge of the first thread has started, or those that it has started in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Beside {
    Started(Site),
    Descendants(Site),
}

/// What holds whenever a thread is at a location.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    #[serde(with = "pairs")]
    pub locals: Locals,
    /// Locks that the thread certainly holds.
    pub held: Arc<BTreeSet<Lock>>,
    /// Of the first thread: others that may exist.
    pub beside: Arc<BTreeSet<Beside>>,
    /// What memory holds that nobody else changes meanwhile, where that is not what it always holds.
    #[serde(with = "pairs")]
    pub view: BTreeMap<Cell, Value>,
    /// Memory of the thread's own that may be freed.
    pub dead: BTreeSet<Base>,
}

impl State {
    /// Of locals that are zero: those of a thread that begins, but for its parameters.
    pub fn set(&mut self, local: LocalId, value: Value) {
        match value {
            Value::Any => self.locals.remove(&local),
            value => self.locals.insert(local, value),
        };
    }
}

/// Names of properties in JSON.
pub(crate) mod properties {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Property;

    pub fn serialize<S: Serializer>(all: &[Property], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(all.iter().map(|property| property.name()))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Property>, D::Error> {
        let names: Vec<String> = Vec::deserialize(input)?;
        let known = |name: &String| {
            Property::from_name(name)
                .ok_or_else(|| D::Error::custom(format!("no property `{name}`")))
        };
        names.iter().map(known).collect()
    }
}

/// A map as a list of pairs: keys of JSON's objects are strings.
pub(crate) mod pairs {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<K: Serialize, V: Serialize, S: Serializer>(
        map: &BTreeMap<K, V>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(map)
    }

    pub fn deserialize<'de, K, V, D>(input: D) -> Result<BTreeMap<K, V>, D::Error>
    where
        K: Deserialize<'de> + Ord,
        V: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        let pairs: Vec<(K, V)> = Vec::deserialize(input)?;
        Ok(pairs.into_iter().collect())
    }
}
