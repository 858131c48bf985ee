//! The choices behind a generated program: drawn at random, or played again from a list.
//!
//! A generator that only asks here is a function of the list, and a shorter list or one with
//! smaller numbers gives a smaller program: 0 is always the simplest choice, and is what a list
//! gives that has ended. So programs are shrunk without anything known about them, as Hypothesis
//! does it (MacIver and Donaldson, "Test-Case Reduction via Test-Case Generation", ECOOP 2020).

use selvedge_exec::rng::Rng;

pub struct Choices {
    given: Vec<u64>,
    rng: Option<Rng>,
    made: Vec<u64>,
}

impl Choices {
    pub fn random(seed: u64) -> Choices {
        Choices { given: Vec::new(), rng: Some(Rng::new(seed)), made: Vec::new() }
    }

    pub fn replayed(given: Vec<u64>) -> Choices {
        Choices { given, rng: None, made: Vec::new() }
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        let bound = bound.max(1);
        let drawn = match &mut self.rng {
            Some(rng) => rng.below(bound),
            None => self.given.get(self.made.len()).copied().unwrap_or(0).min(bound - 1),
        };
        self.made.push(drawn);
        drawn
    }

    /// True in `n` cases of `of`; false is the simpler case.
    pub fn chance(&mut self, n: u64, of: u64) -> bool {
        self.below(of) >= of - n.min(of)
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }

    /// What was chosen so far.
    pub fn made(self) -> Vec<u64> {
        self.made
    }
}

/// The smallest list found that still shows what `shows` looks for, with at most `tries` tries.
pub fn shrink(
    list: Vec<u64>,
    tries: usize,
    shows: &mut dyn FnMut(&[u64]) -> Option<Vec<u64>>,
) -> Vec<u64> {
    let mut search = Search { best: list, left: tries, shows };
    loop {
        let before = search.best.clone();
        search.delete_chunks();
        search.lower_numbers();
        if search.best == before || search.left == 0 {
            return search.best;
        }
    }
}

struct Search<'a> {
    best: Vec<u64>,
    left: usize,
    /// The choices really made, if the list still shows the difference.
    shows: &'a mut dyn FnMut(&[u64]) -> Option<Vec<u64>>,
}

impl Search<'_> {
    fn accepts(&mut self, candidate: &[u64]) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        match (self.shows)(candidate) {
            Some(made) if smaller(&made, &self.best) => {
                self.best = made;
                true
            }
            _ => false,
        }
    }

    fn delete_chunks(&mut self) {
        let mut size = self.best.len() / 2;
        while size > 0 && self.left > 0 {
            let mut at = 0;
            while at + size <= self.best.len() && self.left > 0 {
                let mut candidate = self.best.clone();
                candidate.drain(at..at + size);
                if !self.accepts(&candidate) {
                    at += size;
                }
            }
            size /= 2;
        }
    }

    fn lower_numbers(&mut self) {
        let mut at = 0;
        while at < self.best.len() && self.left > 0 {
            let number = self.best[at];
            let lower = |value: u64, best: &[u64]| {
                let mut candidate = best.to_vec();
                candidate[at] = value;
                candidate
            };
            if number > 0 && !self.accepts(&lower(0, &self.best)) && number > 1 {
                let candidate = lower(number / 2, &self.best);
                self.accepts(&candidate);
            }
            at += 1;
        }
    }
}

/// Shorter, or as long and smaller in the first place where they differ.
fn smaller(a: &[u64], b: &[u64]) -> bool {
    (a.len(), a) < (b.len(), b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list of numbers, as a generator would make it.
    fn numbers(choices: &mut Choices) -> Vec<u64> {
        let mut list = Vec::new();
        while choices.chance(7, 8) {
            list.push(choices.below(100));
        }
        list
    }

    #[test]
    fn shrinks_to_the_smallest_list_that_shows_it() {
        let shows = |given: &[u64]| {
            let mut choices = Choices::replayed(given.to_vec());
            let list = numbers(&mut choices);
            list.iter().any(|n| *n >= 40).then(|| choices.made())
        };
        let seed = (0..).find(|seed| {
            let mut choices = Choices::random(*seed);
            let list = numbers(&mut choices);
            list.len() > 5 && list.iter().any(|n| *n >= 80)
        });
        let mut choices = Choices::random(seed.expect("some seed"));
        numbers(&mut choices);
        let small = shrink(choices.made(), 10_000, &mut |list| shows(list));
        let list = numbers(&mut Choices::replayed(small));
        assert!(list.len() == 1 && (40..80).contains(&list[0]), "{list:?}");
    }

    #[test]
    fn a_list_is_played_again() {
        let mut first = Choices::random(7);
        let list = numbers(&mut first);
        assert_eq!(numbers(&mut Choices::replayed(first.made())), list);
    }
}
