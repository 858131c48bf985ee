//! Which threads a relation speaks about.
//!
//! A level names threads that are always tracked (the core) and how many others are tracked beside
//! them. Each choice of the others is a shape: a multiset of templates, an instance at most once.
//! With one thread a shape this is classical thread-modular reasoning; with all threads of a program
//! that has no pools it is complete.

use std::fmt;

use super::view::View;

/// How much is tracked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Instances that every relation speaks about.
    pub core: Vec<usize>,
    /// How many others.
    pub others: usize,
    /// Whether linear facts are handed over.
    pub facts: bool,
}

/// Templates, sorted; a pool may occur several times.
pub type Shape = Vec<usize>;

impl Level {
    pub fn shapes(&self, view: &View) -> Vec<Shape> {
        let all = 0..view.threads.len();
        let others: Vec<usize> = all.filter(|number| !self.core.contains(number)).collect();
        let pools = others.iter().any(|&number| view.threads[number].pool);
        let size = if pools { self.others } else { self.others.min(others.len()) };
        let mut shapes = Vec::new();
        choose(view, &others, size, &mut self.core.clone(), &mut shapes);
        shapes
    }

    /// Whether the other level tracks all that this one does.
    pub fn within(&self, other: &Level) -> bool {
        self.core.iter().all(|number| other.core.contains(number))
            && self.others <= other.others
            && (other.facts || !self.facts)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "level {}", self.others)?;
        if !self.core.is_empty() {
            write!(f, " beside {} instances", self.core.len())?;
        }
        if self.facts { f.write_str(", with linear facts") } else { Ok(()) }
    }
}

fn choose(view: &View, from: &[usize], size: usize, begun: &mut Shape, shapes: &mut Vec<Shape>) {
    if size == 0 {
        let mut shape = begun.clone();
        shape.sort_unstable();
        shapes.push(shape);
        return;
    }
    for (index, &number) in from.iter().enumerate() {
        begun.push(number);
        let rest = if view.threads[number].pool { &from[index..] } else { &from[index + 1..] };
        choose(view, rest, size - 1, begun, shapes);
        begun.pop();
    }
}

/// All ways to find the shape's threads among these, without regard to order.
pub fn selections(shape: &[usize], among: &[usize]) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    select(shape, among, &mut Vec::new(), &mut found);
    found
}

fn select(shape: &[usize], among: &[usize], begun: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
    let Some(&wanted) = shape.get(begun.len()) else {
        found.push(begun.clone());
        return;
    };
    for (place, &thread) in among.iter().enumerate() {
        // Threads of one template are taken in their order, so that each choice comes once.
        let in_order = match begun.last() {
            Some(&last) if shape[begun.len() - 1] == wanted => last < place,
            _ => true,
        };
        if thread == wanted && in_order && !begun.contains(&place) {
            begun.push(place);
            select(shape, among, begun, found);
            begun.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_choice_of_threads_comes_once() {
        assert_eq!(selections(&[1, 1], &[1, 0, 1, 1]), [[0, 2], [0, 3], [2, 3]]);
        assert_eq!(selections(&[0, 1], &[1, 0, 1]), [[1, 0], [1, 2]]);
        assert!(selections(&[2], &[1, 0]).is_empty());
    }
}
