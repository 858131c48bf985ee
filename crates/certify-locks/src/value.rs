//! What a scalar may be: sets of integers, of addresses, of threads.

use selvedge_ir::{EdgeId, LocationId, ObjectId, ProcId, Type};
use serde::{Deserialize, Serialize};

use crate::range::Range;

/// An edge of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(ProcId, LocationId, u32)", into = "(ProcId, LocationId, u32)")]
pub struct Site {
    pub procedure: ProcId,
    pub edge: EdgeId,
}

impl From<(ProcId, LocationId, u32)> for Site {
    fn from((procedure, from, index): (ProcId, LocationId, u32)) -> Site {
        Site { procedure, edge: EdgeId { from, index } }
    }
}

impl From<Site> for (ProcId, LocationId, u32) {
    fn from(site: Site) -> (ProcId, LocationId, u32) {
        (site.procedure, site.edge.from, site.edge.index)
    }
}

/// Memory that is told apart: a global variable, or all that one edge allocates. A variable kept per
/// thread stands for the instances of all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Base {
    Object(ObjectId),
    Made(Site),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// Anything, also what the semantics leaves open. It can be copied and nothing else.
    Any,
    /// An integer or a truth value.
    Numbers(Range),
    Pointer(Pointer),
    Thread(Thread),
}

/// Null or an address at an offset in some memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pointer {
    pub null: bool,
    /// Of code.
    pub code: bool,
    /// By increasing base, each once.
    pub to: Vec<(Base, Range)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    pub none: bool,
    /// The thread whose value it is. Memory does not hold this: it would be of whoever reads it.
    pub own: bool,
    /// Some thread, whichever.
    pub some: bool,
    /// One that one of these edges has started; in increasing order.
    pub started: Vec<Site>,
}

impl Value {
    pub fn number(value: i128) -> Value {
        Value::Numbers(Range::one(value))
    }

    pub fn truth(holds: bool) -> Value {
        Value::Numbers(Range::truth(holds))
    }

    pub const NULL: Value = Value::Pointer(Pointer { null: true, code: false, to: Vec::new() });
    pub const NO_THREAD: Value =
        Value::Thread(Thread { none: true, own: false, some: false, started: Vec::new() });
    pub const SOME_THREAD: Value =
        Value::Thread(Thread { none: false, own: false, some: true, started: Vec::new() });
    pub const OWN_THREAD: Value =
        Value::Thread(Thread { none: false, own: true, some: false, started: Vec::new() });

    pub fn address(base: Base, offset: i64) -> Value {
        let to = vec![(base, Range::one(offset.into()))];
        Value::Pointer(Pointer { null: false, code: false, to })
    }

    pub fn started(site: Site) -> Value {
        Value::Thread(Thread { started: vec![site], ..Thread::default() })
    }

    /// Zero, false, null or none.
    pub fn zero(ty: Type) -> Value {
        match ty {
            Type::Bool | Type::Int(_) => Value::number(0),
            Type::Ptr => Value::NULL,
            Type::Thread => Value::NO_THREAD,
        }
    }

    /// An input of a type, or what memory holds that nobody has written.
    pub fn input(ty: Type) -> Value {
        match ty {
            Type::Bool => Value::Numbers(Range::BOOL),
            Type::Int(int) => Value::Numbers(Range::all(int)),
            Type::Ptr | Type::Thread => Value::Any,
        }
    }

    /// Whether it is a set of what a scalar of this type can hold.
    pub fn fits(&self, ty: Type) -> bool {
        match (self, ty) {
            (Value::Any, _) => true,
            (Value::Numbers(range), Type::Bool) => Range::BOOL.covers(*range),
            (Value::Numbers(range), Type::Int(int)) => Range::all(int).covers(*range),
            (Value::Pointer(pointer), Type::Ptr) => {
                let ordered = pointer.to.is_sorted_by(|(a, _), (b, _)| a < b);
                ordered && pointer.to.iter().all(|(_, range)| is_offset(*range))
            }
            (Value::Thread(thread), Type::Thread) => thread.started.is_sorted_by(|a, b| a < b),
            _ => false,
        }
    }

    /// Whether the other is one of these.
    pub fn covers(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Any, _) => true,
            (Value::Numbers(a), Value::Numbers(b)) => a.covers(*b),
            (Value::Pointer(a), Value::Pointer(b)) => a.covers(b),
            (Value::Thread(a), Value::Thread(b)) => {
                (a.none || !b.none)
                    && (a.own || a.some || !b.own)
                    && (a.some || !b.some)
                    && (a.some || b.started.iter().all(|site| a.started.contains(site)))
            }
            _ => false,
        }
    }

    pub fn join(&self, other: &Value) -> Value {
        match (self, other) {
            (Value::Numbers(a), Value::Numbers(b)) => Value::Numbers(a.join(*b)),
            (Value::Pointer(a), Value::Pointer(b)) => Value::Pointer(a.join(b)),
            (Value::Thread(a), Value::Thread(b)) => {
                let mut started = [&a.started[..], &b.started[..]].concat();
                started.sort_unstable();
                started.dedup();
                let (none, own, some) = (a.none || b.none, a.own || b.own, a.some || b.some);
                Value::Thread(Thread { none, own, some, started })
            }
            _ => Value::Any,
        }
    }

    /// What it is for other threads.
    pub fn shared(&self) -> Value {
        match self {
            Value::Thread(thread) if thread.own => {
                Value::Thread(Thread { own: false, some: true, ..thread.clone() })
            }
            value => value.clone(),
        }
    }

    /// Whether it is no particular thread's own.
    pub fn is_shared(&self) -> bool {
        !matches!(self, Value::Thread(Thread { own: true, .. }))
    }

    pub fn numbers(&self) -> Option<Range> {
        match self {
            Value::Numbers(range) => Some(*range),
            _ => None,
        }
    }

    /// The memory that it may lead to.
    pub fn bases(&self) -> impl Iterator<Item = Base> {
        let to = match self {
            Value::Pointer(pointer) => &pointer.to[..],
            _ => &[],
        };
        to.iter().map(|(base, _)| *base)
    }
}

/// Offsets this far from an object are not followed.
const FAR: i128 = 1 << 40;

/// Whether it can be computed with as an offset.
pub fn is_offset(range: Range) -> bool {
    range.lo > -FAR && range.hi < FAR
}

impl Pointer {
    fn covers(&self, other: &Pointer) -> bool {
        let leads = |(base, range): &(Base, Range)| {
            let own = self.to.iter().find(|(known, _)| known == base);
            own.is_some_and(|(_, own)| own.covers(*range))
        };
        (self.null || !other.null) && (self.code || !other.code) && other.to.iter().all(leads)
    }

    fn join(&self, other: &Pointer) -> Pointer {
        let mut to = self.to.clone();
        for (base, range) in &other.to {
            match to.binary_search_by_key(base, |(known, _)| *known) {
                Ok(at) => to[at].1 = to[at].1.join(*range),
                Err(at) => to.insert(at, (*base, *range)),
            }
        }
        Pointer { null: self.null || other.null, code: self.code || other.code, to }
    }
}
