//! Sets of integers: every `step`-th number from the least to the greatest.
//!
//! Strided intervals, after Reps, Balakrishnan, Lim, "Intermediate-representation recovery from
//! low-level code" (2006). The stride says that a pointer into an array leads to the start of an
//! element. Bounds are mathematical; what leaves a type is brought back by [`Range::wrapped`].

use selvedge_ir::{BinaryOp, Int};
use serde::{Deserialize, Serialize};

/// Not empty. The step is zero exactly where there is one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(i128, i128, u64)", into = "(i128, i128, u64)")]
pub struct Range {
    pub lo: i128,
    pub hi: i128,
    pub step: u64,
}

/// Bounds beyond this are not computed with.
const FAR: i128 = 1 << 100;

impl From<(i128, i128, u64)> for Range {
    fn from((lo, hi, step): (i128, i128, u64)) -> Range {
        Range::new(lo, hi, step)
    }
}

impl From<Range> for (i128, i128, u64) {
    fn from(range: Range) -> (i128, i128, u64) {
        (range.lo, range.hi, range.step)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Range {
    pub fn one(value: i128) -> Range {
        Range { lo: value, hi: value, step: 0 }
    }

    /// From one bound to another, at least to contain both where the step does not fit.
    pub fn new(a: i128, b: i128, step: u64) -> Range {
        let (lo, hi) = (a.min(b), a.max(b));
        match hi.abs_diff(lo) {
            0 => Range::one(lo),
            width if step == 0 || !width.is_multiple_of(u128::from(step)) => {
                Range { lo, hi, step: 1 }
            }
            _ => Range { lo, hi, step },
        }
    }

    /// All numbers of a type.
    pub fn all(int: Int) -> Range {
        Range::new(int.min(), int.max(), 1)
    }

    /// False, true, or either.
    pub const BOOL: Range = Range { lo: 0, hi: 1, step: 1 };

    pub fn truth(holds: bool) -> Range {
        Range::one(i128::from(holds))
    }

    pub fn only(self) -> Option<i128> {
        (self.lo == self.hi).then_some(self.lo)
    }

    pub fn contains(self, value: i128) -> bool {
        self.covers(Range::one(value))
    }

    /// Whether every number of the other is one of these.
    pub fn covers(self, other: Range) -> bool {
        let steps = |number: u128| {
            number == 0 || self.step != 0 && number.is_multiple_of(u128::from(self.step))
        };
        self.lo <= other.lo
            && other.hi <= self.hi
            && steps(other.lo.abs_diff(self.lo))
            && steps(u128::from(other.step))
    }

    pub fn join(self, other: Range) -> Range {
        let apart = u64::try_from(self.lo.abs_diff(other.lo));
        let step = apart.map_or(1, |apart| gcd(gcd(self.step, other.step), apart));
        Range::new(self.lo.min(other.lo), self.hi.max(other.hi), step)
    }

    /// The numbers up to a bound; none if there are none.
    pub fn at_most(self, bound: i128) -> Option<Range> {
        if bound >= self.hi {
            return Some(self);
        }
        if bound < self.lo {
            return None;
        }
        let down = (bound - self.lo) % i128::from(self.step.max(1));
        Some(Range::new(self.lo, bound - down, self.step))
    }

    /// The numbers from a bound on.
    pub fn at_least(self, bound: i128) -> Option<Range> {
        if bound <= self.lo {
            return Some(self);
        }
        if bound > self.hi {
            return None;
        }
        let up = (self.hi - bound) % i128::from(self.step.max(1));
        Some(Range::new(bound + up, self.hi, self.step))
    }

    /// Without a number at an end; one in the middle stays.
    pub fn without(self, value: i128) -> Option<Range> {
        match value {
            _ if self.only() == Some(value) => None,
            _ if value == self.lo => self.at_least(value + 1),
            _ if value == self.hi => self.at_most(value - 1),
            _ => Some(self),
        }
    }

    /// The numbers as a type holds them.
    pub fn wrapped(self, int: Int) -> Range {
        match self.only() {
            Some(value) => Range::one(int.value(int.wrap(value))),
            None if self.lo >= int.min() && self.hi <= int.max() => self,
            None => Range::all(int),
        }
    }

    pub fn moved(self, by: i128) -> Range {
        Range { lo: self.lo + by, hi: self.hi + by, step: self.step }
    }

    pub fn plus(self, other: Range) -> Range {
        Range::new(self.lo + other.lo, self.hi + other.hi, gcd(self.step, other.step))
    }

    pub fn negated(self) -> Range {
        Range { lo: -self.hi, hi: -self.lo, step: self.step }
    }

    fn times(self, other: Range) -> Range {
        let scaled = |range: Range, by: i128| {
            let step = u128::from(range.step) * by.unsigned_abs();
            let step = u64::try_from(step).unwrap_or(1);
            Range::new(range.lo * by, range.hi * by, step)
        };
        match (self.only(), other.only()) {
            (Some(by), _) => scaled(other, by),
            (_, Some(by)) => scaled(self, by),
            _ => self.corners(other, |a, b| a * b),
        }
    }

    /// The least and the greatest result of a function that is monotone in each argument.
    fn corners(self, other: Range, f: impl Fn(i128, i128) -> i128) -> Range {
        let all = [
            f(self.lo, other.lo),
            f(self.lo, other.hi),
            f(self.hi, other.lo),
            f(self.hi, other.hi),
        ];
        let (lo, hi) = (all.iter().min(), all.iter().max());
        let one = |bound: Option<&i128>| bound.copied().unwrap_or_default();
        Range::new(one(lo), one(hi), 1)
    }

    /// What an operator on integers of a type gives; none where it may divide by zero.
    pub fn binary(op: BinaryOp, int: Int, a: Range, b: Range) -> Option<Range> {
        use BinaryOp::*;
        let exact = match op {
            Add => a.plus(b),
            Sub => a.plus(b.negated()),
            Mul if near(a) && near(b) => a.times(b),
            Div | Rem if b.lo <= 0 && b.hi >= 0 => return None,
            Div => a.corners(b, |a, b| a / b),
            Rem => remainder(a, b),
            And | Or | Xor => bitwise(op, int, a, b),
            Shl => match b.only() {
                Some(by @ 0..=63) if by < i128::from(int.width) && near(a) => {
                    a.times(Range::one(1 << by))
                }
                _ => Range::all(int),
            },
            Shr => match b.only() {
                Some(by @ 0..=63) if by < i128::from(int.width) => {
                    Range::new(a.lo >> by, a.hi >> by, 1)
                }
                _ => Range::all(int),
            },
            Eq | Ne | Lt | Le | Gt | Ge => return Some(compared(op, a, b)),
            AddOverflows => return Some(overflows(a.plus(b), int)),
            SubOverflows => return Some(overflows(a.plus(b.negated()), int)),
            MulOverflows if near(a) && near(b) => return Some(overflows(a.times(b), int)),
            MulOverflows => return Some(Range::BOOL),
            Mul | PtrAdd | PtrSub | Float(..) => Range::all(int),
        };
        Some(exact.wrapped(int))
    }
}

/// Products of such numbers are far from the ends of 128 bits.
fn near(range: Range) -> bool {
    let small = |bound: i128| bound.abs() < 1 << 62;
    debug_assert!(range.hi < FAR && range.lo > -FAR);
    small(range.lo) && small(range.hi)
}

/// Truncating: the sign is that of the dividend.
fn remainder(a: Range, b: Range) -> Range {
    let largest = b.lo.abs().max(b.hi.abs()) - 1;
    let least = b.lo.abs().min(b.hi.abs());
    if a.lo > -least && a.hi < least {
        return a;
    }
    Range::new(a.lo.min(0).max(-largest), a.hi.max(0).min(largest), 1)
}

fn bitwise(op: BinaryOp, int: Int, a: Range, b: Range) -> Range {
    if let (Some(a), Some(b)) = (a.only(), b.only()) {
        let (a, b) = (int.wrap(a), int.wrap(b));
        let bits = match op {
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            _ => a ^ b,
        };
        return Range::one(int.value(bits));
    }
    if a.lo < 0 || b.lo < 0 {
        return Range::all(int);
    }
    let bits = 128 - a.hi.max(b.hi).leading_zeros();
    match op {
        BinaryOp::And => Range::new(0, a.hi.min(b.hi), 1),
        _ => Range::new(0, (1i128 << bits) - 1, 1),
    }
}

/// A comparison of mathematical values.
pub fn compared(op: BinaryOp, a: Range, b: Range) -> Range {
    let (always, never) = match op {
        BinaryOp::Eq => (a.only().is_some() && a == b, apart(a, b)),
        BinaryOp::Ne => (apart(a, b), a.only().is_some() && a == b),
        BinaryOp::Lt => (a.hi < b.lo, a.lo >= b.hi),
        BinaryOp::Le => (a.hi <= b.lo, a.lo > b.hi),
        BinaryOp::Gt => (a.lo > b.hi, a.hi <= b.lo),
        _ => (a.lo >= b.hi, a.hi < b.lo),
    };
    match (always, never) {
        (true, _) => Range::truth(true),
        (_, true) => Range::truth(false),
        _ => Range::BOOL,
    }
}

/// Whether no number is in both.
pub fn apart(a: Range, b: Range) -> bool {
    if a.hi < b.lo || b.hi < a.lo {
        return true;
    }
    match gcd(a.step, b.step) {
        0 => a != b,
        step => !a.lo.abs_diff(b.lo).is_multiple_of(u128::from(step)),
    }
}

fn overflows(exact: Range, int: Int) -> Range {
    match () {
        () if exact.lo >= int.min() && exact.hi <= int.max() => Range::truth(false),
        () if exact.lo > int.max() || exact.hi < int.min() => Range::truth(true),
        () => Range::BOOL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const I8: Int = Int::I8;

    /// Every set of a few numbers near an end of the type.
    fn some() -> Vec<Range> {
        let mut found = Vec::new();
        for lo in [-128, -7, -1, 0, 1, 3, 100, 126] {
            for (count, step) in [(0, 0), (1, 1), (2, 3), (3, 1), (1, 27), (3, 7)] {
                let hi = lo + count * step;
                if hi <= 127 {
                    found.push(Range::new(lo, hi, step as u64));
                }
            }
        }
        found
    }

    fn members(range: Range) -> impl Iterator<Item = i128> {
        (range.lo..=range.hi).step_by(range.step.max(1) as usize)
    }

    /// The semantics of Plato, written once more.
    fn concrete(op: BinaryOp, a: i128, b: i128) -> Option<i128> {
        use BinaryOp::*;
        let count = I8.wrap(b).min(8);
        let exact = match op {
            Add => a + b,
            Sub => a - b,
            Mul => a * b,
            Div => a.checked_div(b)?,
            Rem => a.checked_rem(b)?,
            And => a & b,
            Or => a | b,
            Xor => a ^ b,
            Shl => {
                if count == 8 {
                    0
                } else {
                    a << count
                }
            }
            Shr => a >> count,
            Eq => return Some((a == b).into()),
            Ne => return Some((a != b).into()),
            Lt => return Some((a < b).into()),
            Le => return Some((a <= b).into()),
            Gt => return Some((a > b).into()),
            Ge => return Some((a >= b).into()),
            AddOverflows => return Some((a + b != I8.value(I8.wrap(a + b))).into()),
            SubOverflows => return Some((a - b != I8.value(I8.wrap(a - b))).into()),
            MulOverflows => return Some((a * b != I8.value(I8.wrap(a * b))).into()),
            _ => return None,
        };
        Some(I8.value(I8.wrap(exact)))
    }

    #[test]
    fn operators_cover_what_they_can_give() {
        for op in BinaryOp::ALL {
            for a in some() {
                for b in some() {
                    let Some(found) = Range::binary(op, I8, a, b) else {
                        assert!(b.lo <= 0 && b.hi >= 0, "{op:?} {a:?} {b:?}");
                        continue;
                    };
                    for (x, y) in members(a).flat_map(|x| members(b).map(move |y| (x, y))) {
                        if let Some(value) = concrete(op, x, y) {
                            assert!(
                                found.contains(value),
                                "{x} {op:?} {y} of {a:?} {b:?}: {found:?}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn sets_are_joined_cut_and_compared() {
        for a in some() {
            for b in some() {
                let joined = a.join(b);
                assert!(joined.covers(a) && joined.covers(b), "{a:?} {b:?}");
                let all = members(b).all(|x| members(a).any(|y| x == y));
                assert!(!a.covers(b) || all, "{a:?} {b:?}");
                let shared = members(b).any(|x| members(a).any(|y| x == y));
                assert!(!apart(a, b) || !shared, "{a:?} {b:?}");
            }
            for bound in -130..130 {
                for x in members(a) {
                    let kept = |cut: Option<Range>| cut.is_some_and(|cut| cut.contains(x));
                    assert!(x > bound || kept(a.at_most(bound)), "{a:?} {bound}");
                    assert!(x < bound || kept(a.at_least(bound)), "{a:?} {bound}");
                    assert!(x == bound || kept(a.without(bound)), "{a:?} {bound}");
                }
            }
        }
    }
}
