//! The data of a certificate, and its file format: one JSON object.
//!
//! What the names in it stand for is told in [`crate::names`].

use std::fmt;

use selvedge_ir::{Program, Property, text};
use serde::{Deserialize, Serialize};

/// What the file says it is.
pub const FORMAT: &str = "selvedge certificate";

/// Of the format; others are refused.
pub const VERSION: u32 = 1;

/// Why a program is safe: a family of relations that is inductive and excludes every error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// Who found it; for people.
    pub engine: String,
    /// The lowered program as Plato text ([`selvedge_ir::text::print`]).
    pub program: String,
    /// What is proved never to be violated. Not `deadlock`: that is no question of single steps.
    #[serde(with = "property_names")]
    pub properties: Vec<Property>,
    pub preparation: Preparation,
    pub arithmetic: Arithmetic,
    /// Whether fewer than 2^31 threads are taken to exist at once, those that exist once included
    /// throughout. Numbers of threads then fit into machine integers. The checker says so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub few_threads: bool,
    pub ghosts: Ghosts,
    pub relations: Vec<Relation>,
}

/// How the program is prepared before its steps are looked at: [`selvedge_passes::prepare()`] with
/// these options and the certificate's properties. Locations and variables are those of the
/// prepared program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preparation {
    pub reduce: bool,
    /// Private variables in memory become locals.
    #[serde(default)]
    pub promote: bool,
    /// Memory is divided by fields. Whether accesses stay in theirs is among the obligations.
    #[serde(default)]
    pub fields: bool,
    pub inline_limit: usize,
}

/// How machine integers are written in formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arithmetic {
    /// Integers, inside the ranges of their types. Offsets and the numbers of objects and threads
    /// are integers as well. Steps compute modulo two to the width, exactly.
    Integers,
    /// Bit-vectors of the width of the type; 32 bits for the numbers of objects and threads, the
    /// data model's width of pointers for offsets.
    Bits,
    /// Integers without bounds, whose conversions do nothing. The proof holds for a program of
    /// mathematical integers only, and the checker says so.
    Math,
}

/// Variables that the checker adds to the program. They follow what threads do and change nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ghosts {
    pub exposed: Vec<Exposed>,
    pub counters: Vec<Counter>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changers: Vec<Changer>,
}

/// Something of a single instance, visible to all relations as a shared variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exposed {
    /// The instance. Pools cannot be exposed.
    pub thread: String,
    /// The local, by the name it has in the prepared procedure. None: where the instance stands,
    /// as a number ([`crate::names::location_code`]).
    pub local: Option<String>,
}

/// How many threads of an instance or a pool stand at one of some locations, as a shared integer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counter {
    /// The variable is called [`crate::names::counter`] of it.
    pub name: String,
    pub thread: String,
    /// Not `unstarted` for a pool, of which there are endlessly many.
    pub locations: Vec<String>,
}

/// Which thread was the last to change a shared variable, as a shared variable: a thread that writes
/// the value that was there before changes nothing. 0 before anybody has changed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Changer {
    /// A scalar. The ghost is called [`crate::names::changer`] of it.
    pub variable: String,
}

/// A relation over the shared state and some threads: it holds of every choice of different
/// threads for its shape, in every reachable state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relation {
    /// Instances and pools, pools as often as threads of theirs are looked at. Empty for a relation
    /// over the shared state alone.
    pub shape: Vec<String>,
    /// By where the threads stand; where there is no entry, the relation is false: the threads
    /// never stand so. At most one entry for each tuple. No order of entries is meant, and no
    /// symmetry: the entry of (A, B) is not one of (B, A).
    pub entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// One location for each thread of the shape: `unstarted`, a cut location (`L12`), or `ended`.
    pub at: Vec<String>,
    /// SMT-LIB text without quantifiers, as [`selvedge_smt::Terms::show`] prints it.
    pub formula: String,
}

/// Why a text is no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(pub String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Certificate {
    /// One without ghosts and relations yet.
    pub fn new(
        engine: &str,
        program: &Program,
        options: &selvedge_passes::Options,
        arithmetic: Arithmetic,
    ) -> Certificate {
        Certificate {
            format: FORMAT.to_owned(),
            version: VERSION,
            engine: engine.to_owned(),
            program: text::print(program),
            properties: options.properties.clone(),
            preparation: Preparation {
                reduce: options.reduce,
                promote: options.promote,
                fields: options.fields,
                inline_limit: options.inline_limit,
            },
            arithmetic,
            few_threads: false,
            ghosts: Ghosts::default(),
            relations: Vec::new(),
        }
    }

    pub fn from_json(text: &str) -> Result<Certificate, Malformed> {
        let certificate: Certificate = serde_json::from_str(text)
            .map_err(|error| Malformed(format!("this is no certificate: {error}")))?;
        if certificate.format != FORMAT {
            return Err(Malformed(format!("the format is not \"{FORMAT}\"")));
        }
        if certificate.version != VERSION {
            let found = certificate.version;
            return Err(Malformed(format!("version {found} is not known, only {VERSION}")));
        }
        Ok(certificate)
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a certificate is plain data")
    }

    /// How the program is prepared.
    pub fn options(&self) -> selvedge_passes::Options {
        selvedge_passes::Options {
            properties: self.properties.clone(),
            reduce: self.preparation.reduce,
            promote: self.preparation.promote,
            inline_limit: self.preparation.inline_limit,
            fields: self.preparation.fields,
        }
    }
}

/// Properties by the names that the command line knows.
mod property_names {
    use selvedge_ir::Property;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(all: &[Property], to: S) -> Result<S::Ok, S::Error> {
        all.iter().map(|property| property.name()).collect::<Vec<_>>().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Property>, D::Error> {
        let names = Vec::<String>::deserialize(from)?;
        let property = |name: &String| {
            let unknown = || D::Error::custom(format!("no property is called `{name}`"));
            Property::from_name(name).ok_or_else(unknown)
        };
        names.iter().map(property).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Certificate {
        let program = Program::default();
        let options = selvedge_passes::Options::default();
        let mut certificate = Certificate::new("tar", &program, &options, Arithmetic::Integers);
        certificate.ghosts.exposed.push(Exposed { thread: "main".into(), local: None });
        certificate.relations.push(Relation {
            shape: vec!["main".into()],
            entries: vec![Entry { at: vec!["ended".into()], formula: "true".into() }],
        });
        certificate
    }

    #[test]
    fn the_file_format_keeps_everything() {
        let certificate = example();
        let text = certificate.to_json();
        assert!(text.contains("\"assert\"") && text.contains("\"integers\""), "{text}");
        assert_eq!(Certificate::from_json(&text), Ok(certificate));
    }

    #[test]
    fn what_is_no_certificate_is_refused_with_a_reason() {
        let text = example().to_json();
        for (broken, reason) in [
            (text[..text.len() / 2].to_owned(), "no certificate"),
            (text.replace("\"version\": 1", "\"version\": 2"), "version 2"),
            (text.replace("selvedge certificate", "other"), "format"),
            (text.replace("\"assert\"", "\"beauty\""), "beauty"),
            (text.replace("\"engine\"", "\"motor\""), "motor"),
            (text.replace("\"integers\"", "\"floats\""), "floats"),
            (String::new(), "no certificate"),
        ] {
            let found = Certificate::from_json(&broken).expect_err(reason);
            assert!(found.0.contains(reason), "{found}");
        }
    }
}
