//! How values of `ir` are written in JSON: by the names that the command line and Plato know.

/// A property as `assert`, `race`, ...
pub(crate) mod property_name {
    use selvedge_ir::Property;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(property: &Property, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(property.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Property, D::Error> {
        let name = String::deserialize(from)?;
        let unknown = || D::Error::custom(format!("no property is called `{name}`"));
        Property::from_name(&name).ok_or_else(unknown)
    }
}

/// Several properties, as a list of their names.
pub(crate) mod property_names {
    use selvedge_ir::Property;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::property_name;

    #[derive(Serialize, Deserialize)]
    struct Named(#[serde(with = "property_name")] Property);

    pub fn serialize<S: Serializer>(all: &[Property], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(all.iter().map(|property| Named(*property)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Property>, D::Error> {
        let names = Vec::<Named>::deserialize(from)?;
        Ok(names.into_iter().map(|Named(property)| property).collect())
    }
}

/// A kind of storage as `heap` or `stack`.
pub(crate) mod storage_name {
    use selvedge_ir::Storage;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(storage: &Storage, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(match storage {
            Storage::Heap => "heap",
            Storage::Stack => "stack",
        })
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Storage, D::Error> {
        match String::deserialize(from)?.as_str() {
            "heap" => Ok(Storage::Heap),
            "stack" => Ok(Storage::Stack),
            other => Err(D::Error::custom(format!("no storage is called `{other}`"))),
        }
    }
}
