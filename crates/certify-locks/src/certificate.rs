//! The data of a certificate, and its file format: one JSON object.

use selvedge_ir::{LocationId, ProcId, Program, Property, text};
use serde::{Deserialize, Serialize};

use crate::state::{Lock, State, properties};
use crate::step::Owner;
use crate::subject::Cell;
use crate::value::{Base, Value};

/// What the file says it is.
pub const FORMAT: &str = "selvedge locks";

/// Of the format; others are refused.
pub const VERSION: u32 = 1;

/// Why no two threads race and nothing goes wrong, for any number of threads. Procedures, locations
/// and edges are those of the prepared program, by number ([`crate::prepared`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The lowered program as Plato text.
    pub program: String,
    /// What is proved never to be violated. Not `deadlock`.
    #[serde(with = "properties")]
    pub properties: Vec<Property>,
    /// Locks that exclude.
    pub locks: Vec<Lock>,
    /// Memory that not everybody accesses.
    pub owners: Vec<(Base, Owner)>,
    /// Scalars that are accessed with a lock held, but where no other thread exists.
    pub guards: Vec<(Cell, Lock)>,
    /// What scalars hold whenever nobody owns them; of others, what they hold when they come into being.
    pub contents: Vec<(Cell, Value)>,
    /// What holds at locations: the entries of threads' procedures, and where ways meet.
    pub states: Vec<(ProcId, LocationId, State)>,
}

/// Whether a text is a certificate of this kind, good or bad.
pub fn is_one(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Head {
        format: String,
    }
    serde_json::from_str(text).is_ok_and(|head: Head| head.format == FORMAT)
}

impl Certificate {
    /// One that says nothing yet.
    pub fn new(program: &Program, properties: &[Property]) -> Certificate {
        Certificate {
            format: FORMAT.to_owned(),
            version: VERSION,
            program: text::print(program),
            properties: properties.to_vec(),
            locks: Vec::new(),
            owners: Vec::new(),
            guards: Vec::new(),
            contents: Vec::new(),
            states: Vec::new(),
        }
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a certificate has only plain data")
    }

    pub fn from_json(text: &str) -> Result<Certificate, String> {
        let certificate: Certificate =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        match (certificate.format.as_str(), certificate.version) {
            (FORMAT, VERSION) => Ok(certificate),
            (FORMAT, other) => {
                Err(format!("version {other}, but this version reads version {VERSION}"))
            }
            _ => Err(format!("the format is not \"{FORMAT}\"")),
        }
    }
}
