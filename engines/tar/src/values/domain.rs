//! Sets of values: a few of them one by one, or bounds.

use std::collections::BTreeSet;

/// Both ends included. [`LOW`] and [`HIGH`] mean that there is no end.
pub type Bounds = (i128, i128);

pub const LOW: i128 = i128::MIN / 4;
pub const HIGH: i128 = i128::MAX / 4;
pub const ALL: Bounds = (LOW, HIGH);

/// The values of one variable, or of the two halves of a pointer. Of one variable the second is 0.
pub type Tuple = [i128; 2];

/// More values than this are kept as bounds.
const MANY: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    Each(BTreeSet<Tuple>),
    Within([Bounds; 2]),
}

impl Values {
    pub fn none() -> Values {
        Values::Each(BTreeSet::new())
    }

    pub fn is_empty(&self) -> bool {
        matches!(self, Values::Each(tuples) if tuples.is_empty())
    }

    /// The least bounds around them.
    pub fn bounds(&self) -> [Bounds; 2] {
        match self {
            Values::Within(bounds) => *bounds,
            Values::Each(tuples) => {
                let mut bounds = [(HIGH, LOW); 2];
                for tuple in tuples {
                    for (bound, value) in bounds.iter_mut().zip(tuple) {
                        *bound = (bound.0.min(*value), bound.1.max(*value));
                    }
                }
                bounds
            }
        }
    }

    /// Adds others; none may be outside of the range, which is where bounds that grow end. Says
    /// whether there are more now.
    pub fn join(&mut self, other: &Values, range: &[Bounds; 2]) -> bool {
        if self.is_empty() && !other.is_empty() {
            *self = other.clone();
            return true;
        }
        match (&mut *self, other) {
            (Values::Each(known), Values::Each(more)) => {
                let before = known.len();
                known.extend(more);
                let grown = known.len() > before;
                if known.len() > MANY {
                    *self = Values::Within(self.bounds());
                }
                grown
            }
            (Values::Within(known), more) => {
                if more.is_empty() {
                    return false;
                }
                let mut grown = false;
                for ((old, new), range) in known.iter_mut().zip(more.bounds()).zip(range) {
                    if new.0 < old.0 {
                        (old.0, grown) = (range.0.min(new.0), true);
                    }
                    if new.1 > old.1 {
                        (old.1, grown) = (range.1.max(new.1), true);
                    }
                }
                grown
            }
            (Values::Each(_), Values::Within(_)) => {
                let mut bounds = self.bounds();
                for (old, new) in bounds.iter_mut().zip(other.bounds()) {
                    *old = (old.0.min(new.0), old.1.max(new.1));
                }
                *self = Values::Within(bounds);
                true
            }
        }
    }

    /// Adds others, without going beyond them.
    pub fn unite(&mut self, other: &Values) {
        self.join(other, &other.bounds());
    }

    /// Whether all of these are among them.
    pub fn contains(&self, other: &Values) -> bool {
        match (self, other) {
            (Values::Each(all), Values::Each(some)) => some.is_subset(all),
            (Values::Each(_), Values::Within(_)) => false,
            (Values::Within(all), some) => {
                let within = |(all, some): (&Bounds, Bounds)| all.0 <= some.0 && some.1 <= all.1;
                some.is_empty() || all.iter().zip(some.bounds()).all(within)
            }
        }
    }

    /// Leaves out what is not in the range.
    pub fn restrict(&mut self, range: &[Bounds; 2]) {
        let within = |value: i128, (low, high): Bounds| low <= value && value <= high;
        match self {
            Values::Each(tuples) => {
                tuples.retain(|tuple| tuple.iter().zip(range).all(|(v, r)| within(*v, *r)));
            }
            Values::Within(bounds) => {
                for (bound, range) in bounds.iter_mut().zip(range) {
                    *bound = (bound.0.max(range.0), bound.1.min(range.1));
                }
                if bounds.iter().any(|(low, high)| low > high) {
                    *self = Values::none();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each(values: &[i128]) -> Values {
        Values::Each(values.iter().map(|&v| [v, 0]).collect())
    }

    #[test]
    fn few_values_are_kept_and_many_become_bounds() {
        let range = [(0, 255), (0, 0)];
        let mut known = each(&[1, 7]);
        assert!(!known.join(&each(&[7]), &range));
        assert!(known.join(&each(&[3]), &range));
        assert_eq!(known, each(&[1, 3, 7]));
        let many: Vec<i128> = (10..40).collect();
        assert!(known.join(&each(&many), &range));
        assert_eq!(known, Values::Within([(1, 39), (0, 0)]));
        // What still grows then has no end but the range.
        assert!(known.join(&each(&[40]), &range));
        assert_eq!(known, Values::Within([(1, 255), (0, 0)]));
        assert!(!known.join(&each(&[200]), &range));
    }

    #[test]
    fn a_union_goes_no_further_than_its_parts() {
        let mut known = Values::Within([(1, 20), (0, 0)]);
        assert!(known.contains(&each(&[1, 20])) && !known.contains(&each(&[0])));
        known.unite(&each(&[-3, 7]));
        assert_eq!(known, Values::Within([(-3, 20), (0, 0)]));
        let mut few = each(&[1]);
        few.unite(&each(&[2]));
        assert!(few.contains(&each(&[2])) && !each(&[2]).contains(&few));
        assert!(!few.contains(&known) && few.contains(&Values::none()));
    }

    #[test]
    fn restriction_removes_values_outside_the_range() {
        let mut known = each(&[-1, 0, 3]);
        known.restrict(&[(0, 2), (0, 0)]);
        assert_eq!(known, each(&[0]));
        let mut bounds = Values::Within([(5, 9), (0, 0)]);
        bounds.restrict(&[(0, 2), (0, 0)]);
        assert!(bounds.is_empty());
    }
}
