//! Places: the scalars in memory that actions and formulas speak of.

use serde::{Deserialize, Serialize};

use crate::{Const, Expr, ObjectId, RegionId, Type};

/// A scalar in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// A pointer.
    pub addr: Expr,
    pub ty: Type,
    /// Which part of memory the address can lead to, once regions are split.
    pub region: Option<RegionId>,
}

impl Place {
    pub fn new(addr: Expr, ty: Type) -> Place {
        Place { addr, ty, region: None }
    }

    pub fn object(object: ObjectId, offset: i64, ty: Type) -> Place {
        Place::new(Expr::Const(Const::Object(object, offset)), ty)
    }

    /// The object and offset, where the address is a constant.
    pub fn direct(&self) -> Option<(ObjectId, i64)> {
        match self.addr {
            Expr::Const(Const::Object(object, offset)) => Some((object, offset)),
            _ => None,
        }
    }
}
