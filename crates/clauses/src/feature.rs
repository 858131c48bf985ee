//! A term whose order with few constants a guessed relation may speak of.

use selvedge_smt::{Sort, Term, Terms, Value};

/// A term over the parameters of a relation, and the constants that part its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// An integer, or a truth value.
    pub term: Term,
    /// Ascending. Of a truth value none.
    pub points: Vec<i128>,
    /// Whether it may matter together with another one.
    pub paired: bool,
}

/// The greatest number of constants for a term that is paired.
const PAIRED_POINTS: usize = 3;

/// Leaves the constants nearest to zero: the others are mostly bounds of machine words.
pub fn nearest(points: &mut Vec<i128>, number: usize) {
    points.sort_unstable_by_key(|&point| (point.unsigned_abs(), point));
    points.dedup();
    points.truncate(number);
    points.sort_unstable();
}

impl Feature {
    /// The same with fewer constants, for pairs.
    pub fn coarse(&self) -> Feature {
        let mut points = self.points.clone();
        nearest(&mut points, PAIRED_POINTS);
        Feature { points, ..self.clone() }
    }

    fn is_truth(&self) -> bool {
        self.points.is_empty()
    }

    /// Cells are the constants and what lies between; of a truth value false and true.
    pub fn cells(&self) -> u32 {
        if self.is_truth() { 2 } else { 2 * self.points.len() as u32 + 1 }
    }

    /// The cells that nothing is in: between neighbours.
    pub fn empty(&self) -> u32 {
        let mut mask = 0;
        for (index, pair) in self.points.windows(2).enumerate() {
            if pair[0].checked_add(1) == Some(pair[1]) {
                mask |= 1 << (2 * index + 2);
            }
        }
        mask
    }

    pub fn cell(&self, value: &Value) -> u32 {
        if let Some(truth) = value.as_bool() {
            return u32::from(truth);
        }
        let value = value.as_int().map(|int| match i128::try_from(int) {
            Ok(value) => value,
            Err(_) if Value::int(0).as_int().is_some_and(|zero| int < zero) => i128::MIN,
            Err(_) => i128::MAX,
        });
        let value = value.unwrap_or_default();
        let below = self.points.partition_point(|&point| point < value);
        let at = self.points.get(below) == Some(&value);
        2 * below as u32 + u32::from(at)
    }

    /// That it is in one of these cells.
    pub fn within(&self, terms: &mut Terms, mask: u32) -> Term {
        let cells = self.cells();
        if self.is_truth() && terms.sort(self.term) == Sort::Bool {
            return match mask & 3 {
                0 => terms.bool(false),
                1 => terms.not(self.term),
                2 => self.term,
                _ => terms.bool(true),
            };
        }
        let mut runs = Vec::new();
        let mut cell = 0;
        while cell < cells {
            if mask & (1 << cell) == 0 {
                cell += 1;
                continue;
            }
            let first = cell;
            while cell < cells && mask & (1 << cell) != 0 {
                cell += 1;
            }
            runs.push(self.run(terms, first, cell - 1));
        }
        terms.or(&runs)
    }

    /// That it is between two cells, those included.
    fn run(&self, terms: &mut Terms, first: u32, last: u32) -> Term {
        let point = |index: u32| self.points[index as usize];
        if first == last && first % 2 == 1 {
            let point = terms.int(point(first / 2));
            return terms.eq(self.term, point);
        }
        let mut parts = Vec::new();
        if first > 0 {
            let low = if first % 2 == 1 {
                point(first / 2)
            } else {
                point(first / 2 - 1).saturating_add(1)
            };
            let low = terms.int(low);
            parts.push(terms.le(low, self.term));
        }
        if last + 1 < self.cells() {
            let high =
                if last % 2 == 1 { point(last / 2) } else { point(last / 2).saturating_sub(1) };
            let high = terms.int(high);
            parts.push(terms.le(self.term, high));
        }
        terms.and(&parts)
    }
}
