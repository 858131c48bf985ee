//! Values of Plato's types as terms, and machine arithmetic on them.
//!
//! With integers, a term is the mathematical value inside its type's range, and every operation
//! that can leave the range is taken back modulo two to the width. With bit-vectors the solver's
//! operators are the machine's. Both are exact; `Math` is not, and says so.

use selvedge_ir::{BinaryOp, DataModel, Int, Type};
use selvedge_smt::{Sort, Term, Terms};

use crate::certificate::Arithmetic;

/// Width of the numbers of objects and threads, as bit-vectors.
pub const ID_BITS: u32 = 32;

/// The term or the two terms of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Val {
    /// Of a bool, an integer or a thread.
    One(Term),
    /// The object and the offset, of a pointer.
    Two(Term, Term),
}

impl Val {
    pub fn terms(self) -> Vec<Term> {
        match self {
            Val::One(term) => vec![term],
            Val::Two(object, offset) => vec![object, offset],
        }
    }

    /// The term of what is no pointer.
    pub fn one(self) -> Term {
        match self {
            Val::One(term) => term,
            Val::Two(object, _) => object,
        }
    }

    pub fn equal(self, terms: &mut Terms, other: Val) -> Term {
        let (a, b) = (self.terms(), other.terms());
        let parts: Vec<Term> = a.iter().zip(&b).map(|(&a, &b)| terms.eq(a, b)).collect();
        terms.and(&parts)
    }

    pub fn ite(self, terms: &mut Terms, condition: Term, otherwise: Val) -> Val {
        match (self, otherwise) {
            (Val::Two(a, x), Val::Two(b, y)) => {
                Val::Two(terms.ite(condition, a, b), terms.ite(condition, x, y))
            }
            (a, b) => Val::One(terms.ite(condition, a.one(), b.one())),
        }
    }
}

/// An integer under way: its term, its type, and bounds of its value where they are known.
#[derive(Clone, Copy, Debug)]
pub struct Num {
    pub term: Term,
    pub int: Int,
    pub bounds: Option<(i128, i128)>,
}

/// How values are written.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    pub arithmetic: Arithmetic,
    pub model: DataModel,
}

impl Words {
    pub fn id_sort(self) -> Sort {
        match self.arithmetic {
            Arithmetic::Bits => Sort::BitVec(ID_BITS),
            _ => Sort::Int,
        }
    }

    pub fn int_sort(self, int: Int) -> Sort {
        match self.arithmetic {
            Arithmetic::Bits => Sort::BitVec(u32::from(int.width)),
            _ => Sort::Int,
        }
    }

    pub fn variable(self, terms: &mut Terms, name: &str, ty: Type) -> Val {
        match ty {
            Type::Bool => Val::One(terms.var(name, Sort::Bool)),
            Type::Int(int) => Val::One(terms.var(name, self.int_sort(int))),
            Type::Thread => Val::One(terms.var(name, self.id_sort())),
            Type::Ptr => {
                let offset = self.int_sort(self.model.diff_type());
                Val::Two(
                    terms.var(&format!("{name}.object"), self.id_sort()),
                    terms.var(&format!("{name}.offset"), offset),
                )
            }
        }
    }

    /// That the terms are values of the type.
    pub fn in_range(self, terms: &mut Terms, value: Val, ty: Type) -> Term {
        if self.arithmetic == Arithmetic::Bits {
            return terms.bool(true);
        }
        let math = self.arithmetic == Arithmetic::Math;
        let zero = terms.int(0);
        match (value, ty) {
            (_, Type::Bool) => terms.bool(true),
            (Val::One(_), Type::Int(_)) if math => terms.bool(true),
            (Val::One(term), Type::Int(int)) => terms.between(int.min(), term, int.max()),
            (Val::One(term), _) => terms.le(zero, term),
            (Val::Two(object, offset), _) => {
                let named = terms.le(zero, object);
                let diff = self.model.diff_type();
                let inside = terms.between(diff.min(), offset, diff.max());
                if math { named } else { terms.and(&[named, inside]) }
            }
        }
    }

    /// The number of an object or a thread.
    pub fn id(self, terms: &mut Terms, number: u32) -> Term {
        match self.arithmetic {
            Arithmetic::Bits => terms.bv(u128::from(number), ID_BITS),
            _ => terms.int(number),
        }
    }

    pub fn number(self, terms: &mut Terms, value: i128, int: Int) -> Num {
        let term = match self.arithmetic {
            Arithmetic::Bits => terms.bv(u128::from(int.wrap(value)), u32::from(int.width)),
            _ => terms.int(value),
        };
        Num { term, int, bounds: Some((value, value)) }
    }

    /// Zero, false, null or none.
    pub fn zero(self, terms: &mut Terms, ty: Type) -> Val {
        match ty {
            Type::Bool => Val::One(terms.bool(false)),
            Type::Int(int) => Val::One(self.number(terms, 0, int).term),
            Type::Thread => Val::One(self.id(terms, 0)),
            Type::Ptr => {
                let offset = self.number(terms, 0, self.model.diff_type()).term;
                Val::Two(self.id(terms, 0), offset)
            }
        }
    }

    /// A term of an integer type, of which nothing else is known.
    pub fn num(self, term: Term, int: Int) -> Num {
        let bounds = match self.arithmetic {
            Arithmetic::Math => None,
            _ => Some((int.min(), int.max())),
        };
        Num { term, int, bounds }
    }

    /// An exact value brought into its type.
    fn fit(self, terms: &mut Terms, term: Term, int: Int, bounds: Option<(i128, i128)>) -> Num {
        let (min, max) = (int.min(), int.max());
        let fits = bounds.is_some_and(|(low, high)| min <= low && high <= max);
        if self.arithmetic == Arithmetic::Math || fits {
            return Num { term, int, bounds };
        }
        let period = 1i128 << int.width;
        let turn = terms.int(period);
        let near = bounds.is_some_and(|(low, high)| min - period <= low && high <= max + period);
        let wrapped = if near {
            let (low, high) = bounds.unwrap_or((min, max));
            let mut wrapped = term;
            if high > max {
                let most = terms.int(max);
                let (above, down) = (terms.lt(most, term), terms.sub(term, turn));
                wrapped = terms.ite(above, down, wrapped);
            }
            if low < min {
                let least = terms.int(min);
                let (below, up) = (terms.lt(term, least), terms.add(&[term, turn]));
                wrapped = terms.ite(below, up, wrapped);
            }
            wrapped
        } else {
            let least = terms.int(min);
            let shifted = terms.sub(term, least);
            let rest = terms.modulo(shifted, turn);
            terms.add(&[rest, least])
        };
        Num { term: wrapped, int, bounds: Some((min, max)) }
    }

    /// Between integers: wraps, or extends by the source's signedness.
    pub fn convert(self, terms: &mut Terms, a: Num, to: Int) -> Num {
        if self.arithmetic != Arithmetic::Bits {
            return self.fit(terms, a.term, to, a.bounds);
        }
        let (from, width) = (u32::from(a.int.width), u32::from(to.width));
        let term = match width.checked_sub(from) {
            None => terms.extract(width - 1, 0, a.term),
            Some(0) => a.term,
            Some(more) if a.int.signed => terms.sign_extend(more, a.term),
            Some(more) => terms.zero_extend(more, a.term),
        };
        self.num(term, to)
    }

    pub fn negate(self, terms: &mut Terms, a: Num) -> Num {
        match self.arithmetic {
            Arithmetic::Bits => self.num(terms.bv_neg(a.term), a.int),
            _ => {
                let bounds = a.bounds.map(|(low, high)| (-high, -low));
                let term = terms.neg(a.term);
                self.fit(terms, term, a.int, bounds)
            }
        }
    }

    pub fn complement(self, terms: &mut Terms, a: Num) -> Num {
        if self.arithmetic == Arithmetic::Bits {
            return self.num(terms.bv_not(a.term), a.int);
        }
        // The bits of -1 - a; an unsigned number counts from its greatest.
        let most = if a.int.signed { -1 } else { a.int.max() };
        let top = terms.int(most);
        let term = terms.sub(top, a.term);
        self.fit(terms, term, a.int, a.bounds.map(|(low, high)| (most - high, most - low)))
    }

    /// None where mathematical integers have no such operation.
    pub fn binary(self, terms: &mut Terms, op: BinaryOp, a: Num, b: Num) -> Option<Num> {
        if self.arithmetic == Arithmetic::Bits {
            return Some(self.num(bits(terms, op, a, b)?, a.int));
        }
        let (int, math) = (a.int, self.arithmetic == Arithmetic::Math);
        let (term, bounds) = match op {
            BinaryOp::Add => (terms.add(&[a.term, b.term]), corners(a, b, i128::checked_add)),
            BinaryOp::Sub => (terms.sub(a.term, b.term), corners(a, b, i128::checked_sub)),
            BinaryOp::Mul => (terms.mul(&[a.term, b.term]), corners(a, b, i128::checked_mul)),
            // Only the least divided by -1 leaves the type, by one.
            BinaryOp::Div => {
                (terms.truncating_div(a.term, b.term), Some((int.min(), int.max() + 1)))
            }
            BinaryOp::Rem => (terms.truncating_rem(a.term, b.term), Some((int.min(), int.max()))),
            _ if math => return None,
            _ => (self.bitwise(terms, op, a, b)?, Some((int.min(), int.max()))),
        };
        Some(self.fit(terms, term, int, bounds))
    }

    /// Bitwise operators and shifts on integers: as arithmetic where that says the same, otherwise
    /// by way of bit-vectors.
    fn bitwise(self, terms: &mut Terms, op: BinaryOp, a: Num, b: Num) -> Option<Term> {
        let exactly = |n: Num| n.bounds.filter(|(low, high)| low == high).map(|(low, _)| low);
        match (op, exactly(a), exactly(b)) {
            (BinaryOp::And, _, Some(mask)) if mask >= 0 && mask & (mask + 1) == 0 => {
                let period = terms.int(mask + 1);
                return Some(terms.modulo(a.term, period));
            }
            (BinaryOp::And, Some(mask), _) if mask >= 0 && mask & (mask + 1) == 0 => {
                let period = terms.int(mask + 1);
                return Some(terms.modulo(b.term, period));
            }
            (BinaryOp::Shr, _, Some(by)) if (0..i128::from(a.int.width)).contains(&by) => {
                let by = terms.int(1i128 << by);
                return Some(terms.div(a.term, by));
            }
            (BinaryOp::Shl, _, Some(by)) if (0..i128::from(a.int.width)).contains(&by) => {
                let by = terms.int(1i128 << by);
                let product = terms.mul(&[a.term, by]);
                return Some(self.fit(terms, product, a.int, None).term);
            }
            _ => {}
        }
        let width = u32::from(a.int.width);
        let (x, y) = (terms.int_to_bv(width, a.term), terms.int_to_bv(width, b.term));
        let word = bits(terms, op, Num { term: x, ..a }, Num { term: y, ..b })?;
        Some(if a.int.signed { terms.bv_to_signed_int(word) } else { terms.bv_to_int(word) })
    }

    /// An order, or one of the overflow tests.
    pub fn test(self, terms: &mut Terms, op: BinaryOp, a: Num, b: Num) -> Term {
        use BinaryOp::*;
        let bits = self.arithmetic == Arithmetic::Bits;
        match op {
            Gt => self.test(terms, Lt, b, a),
            Ge => self.test(terms, Le, b, a),
            Lt if !bits => terms.lt(a.term, b.term),
            Le if !bits => terms.le(a.term, b.term),
            Lt if a.int.signed => terms.bv_slt(a.term, b.term),
            Lt => terms.bv_ult(a.term, b.term),
            Le if a.int.signed => terms.bv_sle(a.term, b.term),
            Le => terms.bv_ule(a.term, b.term),
            _ if bits => overflows(terms, op, a, b),
            _ => {
                let exact = match op {
                    AddOverflows => terms.add(&[a.term, b.term]),
                    SubOverflows => terms.sub(a.term, b.term),
                    _ => terms.mul(&[a.term, b.term]),
                };
                let inside = terms.between(a.int.min(), exact, a.int.max());
                terms.not(inside)
            }
        }
    }
}

/// The machine's operators.
fn bits(terms: &mut Terms, op: BinaryOp, a: Num, b: Num) -> Option<Term> {
    let (x, y, signed) = (a.term, b.term, a.int.signed);
    Some(match op {
        BinaryOp::Add => terms.bv_add(x, y),
        BinaryOp::Sub => terms.bv_sub(x, y),
        BinaryOp::Mul => terms.bv_mul(x, y),
        BinaryOp::Div if signed => terms.bv_sdiv(x, y),
        BinaryOp::Div => terms.bv_udiv(x, y),
        BinaryOp::Rem if signed => terms.bv_srem(x, y),
        BinaryOp::Rem => terms.bv_urem(x, y),
        BinaryOp::And => terms.bv_and(x, y),
        BinaryOp::Or => terms.bv_or(x, y),
        BinaryOp::Xor => terms.bv_xor(x, y),
        BinaryOp::Shl => terms.bv_shl(x, y),
        BinaryOp::Shr if signed => terms.bv_ashr(x, y),
        BinaryOp::Shr => terms.bv_lshr(x, y),
        _ => return None,
    })
}

/// Whether the exact result, computed at twice the width, differs from the wrapped one.
fn overflows(terms: &mut Terms, op: BinaryOp, a: Num, b: Num) -> Term {
    let (width, signed) = (u32::from(a.int.width), a.int.signed);
    // Differences of unsigned numbers may be negative, so one bit more is looked at.
    let more = if op == BinaryOp::MulOverflows { width } else { 1 };
    let extend = |terms: &mut Terms, term, by| match signed {
        true => terms.sign_extend(by, term),
        false => terms.zero_extend(by, term),
    };
    let (x, y) = (extend(terms, a.term, more), extend(terms, b.term, more));
    let exact = match op {
        BinaryOp::AddOverflows => terms.bv_add(x, y),
        BinaryOp::SubOverflows => terms.bv_sub(x, y),
        _ => terms.bv_mul(x, y),
    };
    let low = terms.extract(width - 1, 0, exact);
    let back = extend(terms, low, more);
    terms.ne(exact, back)
}

/// The bounds of an operation that is monotone in each operand.
fn corners(a: Num, b: Num, f: fn(i128, i128) -> Option<i128>) -> Option<(i128, i128)> {
    let ((p, q), (r, s)) = (a.bounds?, b.bounds?);
    let all = [f(p, r)?, f(p, s)?, f(q, r)?, f(q, s)?];
    Some((*all.iter().min()?, *all.iter().max()?))
}
