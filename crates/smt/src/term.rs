//! Hash-consed terms: equal terms are one number in an arena.
//!
//! Terms mention no solver, so they can be kept, compared, printed and moved between threads; the
//! solvers translate them. Builder methods (in `build`) check sorts and simplify where that is cheap.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use crate::sort::Sort;
use crate::value::Value;

/// A term of one [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub(crate) u32);

/// Operators. Those of bit-vectors and arrays are SMT-LIB's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A variable, by its place in the table of names.
    Var(u32),
    /// Never an array: array values are built from `ConstArray` and `Store`.
    Const(Value),
    Not,
    And,
    Or,
    Eq,
    Ite,
    /// Integer sum of two or more.
    Add,
    Mul,
    /// Euclidean: the remainder is not negative. Builders make division by zero zero.
    Div,
    Mod,
    Le,
    Lt,
    BvNot,
    BvNeg,
    BvAdd,
    BvSub,
    BvMul,
    BvUdiv,
    BvSdiv,
    BvUrem,
    BvSrem,
    BvAnd,
    BvOr,
    BvXor,
    BvShl,
    BvLshr,
    BvAshr,
    BvUlt,
    BvUle,
    BvSlt,
    BvSle,
    Concat,
    /// From the high bit down to the low one.
    Extract(u32, u32),
    /// By so many bits.
    ZeroExtend(u32),
    SignExtend(u32),
    /// Read as unsigned.
    BvToInt,
    /// Modulo two to the width.
    IntToBv(u32),
    Select,
    Store,
    /// An array of this sort, the same everywhere.
    ConstArray(Sort),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub op: Op,
    pub args: SmallVec<[Term; 3]>,
    pub sort: Sort,
}

impl Hash for Node {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The sort follows from the rest but for variables, whose number is enough.
        self.op.hash(state);
        self.args.hash(state);
    }
}

/// The arena. Two arenas never share terms; [`Terms::import`] copies between them.
#[derive(Debug)]
pub struct Terms {
    /// Tells arenas apart, so that a term is not looked up in a wrong one unnoticed.
    pub(crate) id: u64,
    nodes: IndexSet<Node, FxBuildHasher>,
    names: Vec<String>,
    variables: FxHashMap<String, Term>,
    pub(crate) arrays: IndexSet<(Sort, Sort), FxBuildHasher>,
    fresh: u32,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::new()
    }
}

impl Clone for Terms {
    /// A copy is an arena of its own, since the two may go different ways: the terms there are have
    /// the same numbers in both, later ones need not.
    fn clone(&self) -> Terms {
        Terms {
            id: new_id(),
            nodes: self.nodes.clone(),
            names: self.names.clone(),
            variables: self.variables.clone(),
            arrays: self.arrays.clone(),
            fresh: self.fresh,
        }
    }
}

fn new_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Terms {
    pub fn new() -> Terms {
        Terms {
            id: new_id(),
            nodes: IndexSet::default(),
            names: Vec::new(),
            variables: FxHashMap::default(),
            arrays: IndexSet::default(),
            fresh: 0,
        }
    }

    /// The number of terms so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    pub fn op(&self, term: Term) -> &Op {
        &self.node(term).op
    }

    pub fn args(&self, term: Term) -> &[Term] {
        &self.node(term).args
    }

    pub fn sort(&self, term: Term) -> Sort {
        self.node(term).sort
    }

    /// The variable of this name, which always has the same sort. A name has no `|` and no `\`,
    /// the two characters that SMT-LIB cannot quote.
    pub fn var(&mut self, name: &str, sort: Sort) -> Term {
        if let Some(&known) = self.variables.get(name) {
            assert_eq!(self.sort(known), sort, "variable {name} is used at two sorts");
            return known;
        }
        assert!(!name.contains(['|', '\\']), "the name {name} cannot be quoted");
        let op = Op::Var(self.names.len() as u32);
        self.names.push(name.to_owned());
        let term = self.intern(op, &[], sort);
        self.variables.insert(name.to_owned(), term);
        term
    }

    /// A variable whose name nobody has used.
    pub fn fresh(&mut self, prefix: &str, sort: Sort) -> Term {
        loop {
            self.fresh += 1;
            let name = format!("{prefix}#{}", self.fresh);
            if !self.variables.contains_key(&name) {
                return self.var(&name, sort);
            }
        }
    }

    pub fn lookup(&self, name: &str) -> Option<Term> {
        self.variables.get(name).copied()
    }

    /// The name, of a variable.
    pub fn name(&self, term: Term) -> Option<&str> {
        match self.op(term) {
            Op::Var(index) => Some(&self.names[*index as usize]),
            _ => None,
        }
    }

    /// The value, of a constant that is no array.
    pub fn constant(&self, term: Term) -> Option<&Value> {
        match self.op(term) {
            Op::Const(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn intern(&mut self, op: Op, args: &[Term], sort: Sort) -> Term {
        let node = Node { op, args: SmallVec::from_slice(args), sort };
        Term(self.nodes.insert_full(node).0 as u32)
    }
}
