//! Layouts of memory objects: which scalar stands at which byte.

use cranelift_entity::entity_impl;
use serde::{Deserialize, Serialize};

use crate::Type;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LayoutId(u32);
entity_impl!(LayoutId, "layout");

/// A named shape with its size in bytes. Layouts refer only to layouts with smaller ids.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Layout {
    /// Unique in the program: `i32`, `struct node`, `struct node[4]`.
    pub name: String,
    pub size: u64,
    pub shape: Shape,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Shape {
    Scalar(Type),
    /// Fields in order of offset, not overlapping; bytes between them are padding.
    Struct(Vec<Field>),
    /// Fields overlap, all at offset 0.
    Union(Vec<Field>),
    Array {
        element: LayoutId,
        count: u64,
    },
    /// Nothing known: what stands where is decided by the accesses.
    Bytes,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Field {
    /// Empty for an anonymous member.
    pub name: String,
    pub offset: u64,
    pub layout: LayoutId,
}
