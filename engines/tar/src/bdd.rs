//! Reduced ordered binary decision diagrams: sets of abstract states and relations between them.
//!
//! Nodes are hash-consed in one table, so equality is equality of numbers. The table lives as long
//! as one set of predicates and is then dropped as a whole; there is no garbage collection.
//!
//! A diagram may become too large for the limits. Then everything computed from there on is
//! meaningless, and [`Diagrams::complete`] says so: it must be asked before anything is concluded.
//!
//! Work: [`STEPS`] recursive steps of an operation count [`UNITS`] units, a step being two look-ups in
//! hash tables.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_smt::{Limits, Reason};

/// Steps between two looks at the clock, and what they count.
const STEPS: u32 = 4_000;
const UNITS: u64 = 800;

/// A diagram of one [`Diagrams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bdd(u32);

pub const FALSE: Bdd = Bdd(0);
pub const TRUE: Bdd = Bdd(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    variable: u32,
    low: Bdd,
    high: Bdd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Op {
    And,
    Or,
    Not,
    /// Conjunction, then a variable set of this number removed.
    AndExists(u32),
    /// Variables renamed by the map of this number.
    Rename(u32),
    Restrict,
}

#[derive(Debug)]
pub struct Diagrams {
    nodes: Vec<Node>,
    unique: FxHashMap<Node, Bdd>,
    cache: FxHashMap<(Op, Bdd, Bdd), Bdd>,
    sets: Vec<FxHashSet<u32>>,
    maps: Vec<FxHashMap<u32, u32>>,
    limits: Limits,
    /// Steps since the last look at the clock.
    steps: u32,
    /// Set once the limits are reached.
    stopped: Option<Reason>,
}

/// A set of variables to remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variables(u32);

/// A renaming of variables that keeps their order among those that a diagram has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renaming(u32);

/// Beyond any real variable: the two leaves.
const LEAF: u32 = u32::MAX;

impl Diagrams {
    pub fn new(limits: Limits) -> Diagrams {
        let leaf = |bdd| Node { variable: LEAF, low: bdd, high: bdd };
        Diagrams {
            nodes: vec![leaf(FALSE), leaf(TRUE)],
            unique: FxHashMap::default(),
            cache: FxHashMap::default(),
            sets: Vec::new(),
            maps: Vec::new(),
            limits,
            steps: 0,
            stopped: None,
        }
    }

    /// An error if the limits were reached, and so not everything was computed.
    pub fn complete(&self) -> Result<(), Reason> {
        self.stopped.clone().map_or(Ok(()), Err)
    }

    /// Counts a step. Says whether the operation may go on.
    fn step(&mut self) -> bool {
        self.steps += 1;
        if self.steps == STEPS {
            self.steps = 0;
            self.limits.clock.spend(UNITS);
            self.stopped = self.stopped.take().or_else(|| self.limits.exceeded());
        }
        self.stopped.is_none()
    }

    /// The number of nodes so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    fn node(&mut self, variable: u32, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        let node = Node { variable, low, high };
        if let Some(&known) = self.unique.get(&node) {
            return known;
        }
        let bdd = Bdd(self.nodes.len() as u32);
        self.nodes.push(node);
        self.unique.insert(node, bdd);
        bdd
    }

    fn get(&self, bdd: Bdd) -> Node {
        self.nodes[bdd.0 as usize]
    }

    /// The variable on top and both branches; none of a leaf.
    pub fn branch(&self, bdd: Bdd) -> Option<(u32, Bdd, Bdd)> {
        let node = self.get(bdd);
        (node.variable != LEAF).then_some((node.variable, node.low, node.high))
    }

    /// Both branches with respect to a variable that is not below the top one.
    fn cofactors(&self, bdd: Bdd, variable: u32) -> (Bdd, Bdd) {
        let node = self.get(bdd);
        if node.variable == variable { (node.low, node.high) } else { (bdd, bdd) }
    }

    pub fn not(&mut self, a: Bdd) -> Bdd {
        match a {
            FALSE => return TRUE,
            TRUE => return FALSE,
            _ => {}
        }
        if let Some(&known) = self.cache.get(&(Op::Not, a, a)) {
            return known;
        }
        if !self.step() {
            return FALSE;
        }
        let Node { variable, low, high } = self.get(a);
        let (low, high) = (self.not(low), self.not(high));
        let result = self.node(variable, low, high);
        self.cache.insert((Op::Not, a, a), result);
        result
    }

    pub fn and(&mut self, a: Bdd, b: Bdd) -> Bdd {
        match (a, b) {
            (FALSE, _) | (_, FALSE) => return FALSE,
            (TRUE, other) | (other, TRUE) => return other,
            _ if a == b => return a,
            _ => {}
        }
        self.apply(Op::And, a.min(b), a.max(b))
    }

    pub fn or(&mut self, a: Bdd, b: Bdd) -> Bdd {
        match (a, b) {
            (TRUE, _) | (_, TRUE) => return TRUE,
            (FALSE, other) | (other, FALSE) => return other,
            _ if a == b => return a,
            _ => {}
        }
        self.apply(Op::Or, a.min(b), a.max(b))
    }

    fn apply(&mut self, op: Op, a: Bdd, b: Bdd) -> Bdd {
        if let Some(&known) = self.cache.get(&(op, a, b)) {
            return known;
        }
        if !self.step() {
            return FALSE;
        }
        let variable = self.get(a).variable.min(self.get(b).variable);
        let (a0, a1) = self.cofactors(a, variable);
        let (b0, b1) = self.cofactors(b, variable);
        let (low, high) = match op {
            Op::And => (self.and(a0, b0), self.and(a1, b1)),
            _ => (self.or(a0, b0), self.or(a1, b1)),
        };
        let result = self.node(variable, low, high);
        self.cache.insert((op, a, b), result);
        result
    }

    /// What is in `a` and not in `b`.
    pub fn minus(&mut self, a: Bdd, b: Bdd) -> Bdd {
        let not = self.not(b);
        self.and(a, not)
    }

    /// A diagram that is as `a` within `care`, hopefully smaller, and has no variable that `a` has not
    /// (Coudert, Madre, "A unified framework for the formal verification of sequential circuits").
    pub fn restrict(&mut self, a: Bdd, care: Bdd) -> Bdd {
        if care == TRUE || a == FALSE || a == TRUE {
            return a;
        }
        if care == FALSE {
            return FALSE;
        }
        let key = (Op::Restrict, a, care);
        if let Some(&known) = self.cache.get(&key) {
            return known;
        }
        if !self.step() {
            return FALSE;
        }
        let variable = self.get(a).variable;
        let result = if self.get(care).variable < variable {
            let Node { low, high, .. } = self.get(care);
            let either = self.or(low, high);
            self.restrict(a, either)
        } else {
            let (low, high) = self.cofactors(a, variable);
            match self.cofactors(care, variable) {
                (FALSE, care) => self.restrict(high, care),
                (care, FALSE) => self.restrict(low, care),
                (care0, care1) => {
                    let (low, high) = (self.restrict(low, care0), self.restrict(high, care1));
                    self.node(variable, low, high)
                }
            }
        };
        self.cache.insert(key, result);
        result
    }

    pub fn variables(&mut self, variables: impl IntoIterator<Item = u32>) -> Variables {
        self.step();
        let set: FxHashSet<u32> = variables.into_iter().collect();
        let known = self.sets.iter().position(|s| *s == set);
        Variables(known.unwrap_or_else(|| {
            self.sets.push(set);
            self.sets.len() - 1
        }) as u32)
    }

    pub fn renaming(&mut self, pairs: impl IntoIterator<Item = (u32, u32)>) -> Renaming {
        self.step();
        let map: FxHashMap<u32, u32> = pairs.into_iter().collect();
        let known = self.maps.iter().position(|m| *m == map);
        Renaming(known.unwrap_or_else(|| {
            self.maps.push(map);
            self.maps.len() - 1
        }) as u32)
    }

    pub fn exists(&mut self, a: Bdd, gone: Variables) -> Bdd {
        self.and_exists(a, TRUE, gone)
    }

    /// `a` and `b`, for some values of the variables: the image of a set under a relation.
    pub fn and_exists(&mut self, a: Bdd, b: Bdd, gone: Variables) -> Bdd {
        if a == FALSE || b == FALSE {
            return FALSE;
        }
        if a == TRUE && b == TRUE {
            return TRUE;
        }
        let key = (Op::AndExists(gone.0), a.min(b), a.max(b));
        if let Some(&known) = self.cache.get(&key) {
            return known;
        }
        if !self.step() {
            return FALSE;
        }
        let variable = self.get(a).variable.min(self.get(b).variable);
        let (a0, a1) = self.cofactors(a, variable);
        let (b0, b1) = self.cofactors(b, variable);
        let low = self.and_exists(a0, b0, gone);
        let result = if self.sets[gone.0 as usize].contains(&variable) {
            if low == TRUE {
                TRUE
            } else {
                let high = self.and_exists(a1, b1, gone);
                self.or(low, high)
            }
        } else {
            let high = self.and_exists(a1, b1, gone);
            self.node(variable, low, high)
        };
        self.cache.insert(key, result);
        result
    }

    pub fn rename(&mut self, a: Bdd, by: Renaming) -> Bdd {
        if a == FALSE || a == TRUE {
            return a;
        }
        let key = (Op::Rename(by.0), a, a);
        if let Some(&known) = self.cache.get(&key) {
            return known;
        }
        if !self.step() {
            return FALSE;
        }
        let Node { variable, low, high } = self.get(a);
        let (low, high) = (self.rename(low, by), self.rename(high, by));
        let renamed = self.maps[by.0 as usize].get(&variable).copied().unwrap_or(variable);
        debug_assert!(renamed < self.get(low).variable && renamed < self.get(high).variable);
        let result = self.node(renamed, low, high);
        self.cache.insert(key, result);
        result
    }

    /// A conjunction of literals.
    pub fn cube(&mut self, literals: &[(u32, bool)]) -> Bdd {
        let mut sorted = literals.to_vec();
        sorted.sort_unstable_by_key(|(variable, _)| std::cmp::Reverse(*variable));
        let mut cube = TRUE;
        for (variable, positive) in sorted {
            cube = match positive {
                true => self.node(variable, FALSE, cube),
                false => self.node(variable, cube, FALSE),
            };
        }
        cube
    }

    /// A disjunction of literals.
    pub fn clause(&mut self, literals: &[(u32, bool)]) -> Bdd {
        let negated: Vec<(u32, bool)> = literals.iter().map(|&(v, p)| (v, !p)).collect();
        let cube = self.cube(&negated);
        self.not(cube)
    }

    /// Some element: values of the variables on a path to true; the others may have any value. Where
    /// both branches lead to true, the variable has its wanted value.
    pub fn pick(&self, a: Bdd, wanted: impl Fn(u32) -> bool) -> Option<Vec<(u32, bool)>> {
        let mut at = a;
        let mut chosen = Vec::new();
        if at == FALSE {
            return None;
        }
        while let Some((variable, low, high)) = self.branch(at) {
            let positive = low == FALSE || high != FALSE && wanted(variable);
            chosen.push((variable, positive));
            at = if positive { high } else { low };
        }
        Some(chosen)
    }

    /// Cubes that cover a set and stay within another, as wide as that allows; none if it takes more
    /// than `most`.
    pub fn cubes(&mut self, cover: Bdd, within: Bdd, most: usize) -> Option<Vec<Vec<(u32, bool)>>> {
        let mut rest = cover;
        let mut cubes = Vec::new();
        while let Some(picked) = self.pick(rest, |_| false) {
            if cubes.len() == most {
                return None;
            }
            let cube = self.widen(picked, within);
            let covered = self.cube(&cube);
            rest = self.minus(rest, covered);
            cubes.push(cube);
        }
        Some(cubes)
    }

    /// Leaves out literals as long as the cube stays within the set.
    fn widen(&mut self, mut cube: Vec<(u32, bool)>, within: Bdd) -> Vec<(u32, bool)> {
        let mut next = 0;
        while next < cube.len() {
            let mut fewer = cube.clone();
            fewer.remove(next);
            let wider = self.cube(&fewer);
            if self.minus(wider, within) == FALSE {
                cube = fewer;
            } else {
                next += 1;
            }
        }
        cube
    }
}

#[cfg(test)]
mod tests {
    use selvedge_verdict::Clock;

    use super::*;

    #[test]
    fn boolean_laws() {
        let mut d = Diagrams::new(Limits::none());
        let (x, y) = (d.cube(&[(0, true)]), d.cube(&[(1, true)]));
        let both = d.and(x, y);
        let either = d.or(x, y);
        let (nx, ny) = (d.not(x), d.not(y));
        let neither = d.and(nx, ny);
        assert_eq!(d.not(either), neither);
        assert_eq!(d.minus(either, x), d.and(ny, y).max(d.and(nx, y)));
        assert_eq!(d.or(both, x), x);
        assert_ne!(both, either);
    }

    #[test]
    fn the_image_of_a_set_under_a_relation() {
        let mut d = Diagrams::new(Limits::none());
        // The relation x' = not x, from x.
        let x = d.cube(&[(0, true)]);
        let pair = [d.cube(&[(0, true), (1, false)]), d.cube(&[(0, false), (1, true)])];
        let flips = d.or(pair[0], pair[1]);
        let gone = d.variables([0]);
        let back = d.renaming([(1, 0)]);
        let image = d.and_exists(x, flips, gone);
        let image = d.rename(image, back);
        assert_eq!(image, d.cube(&[(0, false)]));
    }

    #[test]
    fn restriction_agrees_within_the_care_set() {
        let mut d = Diagrams::new(Limits::none());
        // With x implying y: x or y is y, and x and y is x.
        let (x, y) = (d.cube(&[(0, true)]), d.cube(&[(1, true)]));
        let care = d.clause(&[(0, false), (1, true)]);
        let (both, either) = (d.and(x, y), d.or(x, y));
        assert_eq!(d.restrict(both, care), x);
        for set in [x, y, both, either] {
            let less = d.restrict(set, care);
            let (before, after) = (d.and(set, care), d.and(less, care));
            assert_eq!(before, after);
        }
        // No variable is added.
        assert_eq!(d.restrict(y, care), y);
    }

    #[test]
    fn cubes_cover_a_set() {
        let mut d = Diagrams::new(Limits::none());
        let a = d.cube(&[(0, true), (2, false)]);
        let b = d.cube(&[(0, false), (1, true), (2, false)]);
        let set = d.or(a, b);
        let picked = d.pick(set, |_| false).expect("not empty");
        let element = d.cube(&picked);
        assert_eq!(d.minus(element, set), FALSE);
        assert_eq!(d.pick(FALSE, |_| false), None);
        let other = d.pick(set, |variable| variable == 0).expect("not empty");
        assert_eq!((picked[0], other[0]), ((0, false), (0, true)));
        let cubes = d.cubes(set, set, 2).expect("two are enough");
        let mut union = FALSE;
        for cube in &cubes {
            let cube = d.cube(cube);
            union = d.or(union, cube);
        }
        assert_eq!(union, set);
        assert_eq!(cubes.len(), 2);
        assert_eq!(d.cubes(set, set, 1), None);
        // Where more is allowed, fewer and wider ones will do.
        let wider = d.cube(&[(2, false)]);
        assert_eq!(d.cubes(set, wider, 2), Some(vec![vec![(2, false)]]));
    }
    #[test]
    fn operations_end_with_the_work() {
        let clock = Clock::counting();
        let end = clock.now() + Clock::time_for(10 * UNITS);
        let mut d = Diagrams::new(Limits::until(&clock, end));
        // Each conjunct relates variables that are far apart in the order: the diagram doubles.
        let mut all = TRUE;
        for low in 0..40 {
            let (a, b) = ([(low, true), (low + 40, false)], [(low, false), (low + 40, true)]);
            let (a, b) = (d.clause(&a), d.clause(&b));
            let same = d.and(a, b);
            all = d.and(all, same);
        }
        assert_eq!(d.complete(), Err(Reason::Time));
        assert!(d.len() < 200_000, "{}", d.len());
    }
}
