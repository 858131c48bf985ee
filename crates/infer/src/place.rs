//! Places in memory by the names that a source has for them.

use selvedge_ir::{LayoutId, ObjectId, Program, Shape, Type};

use crate::candidate::{Member, Site};

/// A scalar, or the elements of an array: of one variable, of a member of all objects of a type, or
/// both.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The variable and the first byte.
    pub object: Option<(ObjectId, i64)>,
    /// The records around it, from the outermost on.
    pub within: Vec<Within>,
}

/// A byte of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Within {
    pub record: LayoutId,
    pub offset: u64,
}

impl Within {
    /// The records around a byte. Of an array of records it is any element.
    pub fn all(program: &Program, layout: LayoutId, start: i64) -> Vec<Within> {
        let mut found = Vec::new();
        let Ok(mut offset) = u64::try_from(start) else { return found };
        let mut layout = layout;
        loop {
            let data = &program.layouts[layout];
            match &data.shape {
                Shape::Array { element, .. } => {
                    let Some(rest) = offset.checked_rem(program.layouts[*element].size) else {
                        return found;
                    };
                    (layout, offset) = (*element, rest);
                }
                Shape::Struct(fields) => {
                    // An allocation of several elements has the layout of one.
                    let Some(rest) = offset.checked_rem(data.size) else { return found };
                    found.push(Within { record: layout, offset: rest });
                    let Some(field) = fields.iter().rev().find(|f| f.offset <= rest) else {
                        return found;
                    };
                    (layout, offset) = (field.layout, rest - field.offset);
                }
                _ => return found,
            }
        }
    }

    /// The names that lead from the record to the scalar: `["lock", "holder"]`. What is in an array
    /// is named by the array.
    fn path(self, program: &Program) -> Option<Vec<String>> {
        let (_, path) = program.scalar_at(self.record, self.offset)?;
        let path = path.split('[').next().unwrap_or_default();
        let names: Vec<String> =
            path.split('.').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        (!names.is_empty()).then_some(names)
    }

    /// The member of the record in which the scalar is.
    fn member(self, program: &Program) -> Option<Member> {
        let data = &program.layouts[self.record];
        let Shape::Struct(fields) = &data.shape else { return None };
        Some(Member {
            record: data.name.clone(),
            members: fields.iter().map(|field| field.name.clone()).collect(),
            name: self.path(program)?.first()?.clone(),
        })
    }
}

impl Place {
    /// The records that both are in, from the innermost on; the variable if it is one.
    pub fn common(&self, other: &Place) -> Option<Place> {
        let object = self.object.filter(|object| other.object == Some(*object));
        let within: Vec<Within> =
            self.within.iter().copied().filter(|within| other.within.contains(within)).collect();
        (object.is_some() || !within.is_empty()).then_some(Place { object, within })
    }

    /// The innermost record of the user's, which is none of a mutex's own.
    fn innermost(&self, program: &Program) -> Option<Within> {
        self.within.iter().rev().copied().find(|within| !is_mutex(program, within.record))
    }

    /// Whether it is a scalar of a variable, or of a member; not an element of an array.
    pub fn is_single(&self, program: &Program) -> bool {
        match (self.innermost(program), self.object) {
            (Some(within), _) => {
                let found = program.scalar_at(within.record, within.offset);
                found.is_some_and(|(_, path)| !path.contains('['))
            }
            (None, Some((object, _))) => {
                matches!(program.layouts[program.objects[object].layout].shape, Shape::Scalar(_))
            }
            (None, None) => false,
        }
    }

    /// What an annotation about it stands at.
    pub fn site(&self, program: &Program) -> Option<Site> {
        match (self.innermost(program), self.object) {
            (Some(within), _) => Some(Site::Member(within.member(program)?)),
            (None, Some((object, _))) => Some(Site::Variable(program.objects[object].name.clone())),
            (None, None) => None,
        }
    }

    /// The scalar in a formula about a state, if it has a name there.
    pub fn name(&self, program: &Program) -> Option<Name> {
        if !self.is_single(program) {
            return None;
        }
        match (self.innermost(program), self.object) {
            (Some(within), _) => {
                let record = program.layouts[within.record].name.clone();
                let path = within.path(program)?.join(".");
                is_tag(&record).then_some(Name::Member { record, path })
            }
            (None, Some((object, _))) => Some(Name::Variable(program.objects[object].name.clone())),
            (None, None) => None,
        }
    }

    /// The mutex that this is the holder of, as an annotation at a site would name it.
    pub fn mutex_at(&self, program: &Program, at: &Place) -> Option<String> {
        let near = at.innermost(program).map(|within| within.record);
        let shared = self.within.iter().copied().find(|within| Some(within.record) == near);
        if let Some(within) = shared {
            return without_holder(within.path(program)?);
        }
        self.mutex(program)
    }

    /// Likewise, by itself.
    pub fn mutex(&self, program: &Program) -> Option<String> {
        let (object, offset) = self.object?;
        let data = &program.objects[object];
        let (_, path) = program.scalar_at(data.layout, u64::try_from(offset).ok()?)?;
        path.strip_suffix(".holder").map(|path| format!("{}{path}", data.name))
    }

    pub fn is_mutex(&self, program: &Program) -> bool {
        self.within.last().is_some_and(|within| is_mutex(program, within.record))
    }
}

/// How a formula names a scalar.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    Variable(String),
    /// Of all objects of the type.
    Member {
        record: String,
        path: String,
    },
}

impl Name {
    /// A formula about it: `about` gets its name.
    pub fn formula(&self, about: impl Fn(&str) -> String) -> String {
        match self {
            Name::Variable(name) => about(name),
            Name::Member { record, path } => {
                format!("\\forall {record} *p; {}", about(&format!("p->{path}")))
            }
        }
    }

    /// What has to be declared.
    pub fn near(&self) -> String {
        match self {
            Name::Variable(name) => name.clone(),
            Name::Member { record, .. } => record.clone(),
        }
    }
}

fn without_holder(mut path: Vec<String>) -> Option<String> {
    let last = path.pop()?;
    (last == "holder" && !path.is_empty()).then(|| path.join("."))
}

/// Whether a record is that of a mutex: it says who holds it.
fn is_mutex(program: &Program, record: LayoutId) -> bool {
    let Shape::Struct(fields) = &program.layouts[record].shape else { return false };
    fields.iter().any(|field| {
        let scalar = &program.layouts[field.layout].shape;
        field.name == "holder" && *scalar == Shape::Scalar(Type::Thread)
    })
}

/// `struct job`: a type that can be named.
fn is_tag(record: &str) -> bool {
    let tag = record.strip_prefix("struct ").unwrap_or(record);
    tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && tag.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
