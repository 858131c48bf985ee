//! Predicates from runs of the abstract system that the program does not have.
//!
//! The paper takes predicates as given; finding them is added here. The run has become moves of named
//! threads ([`story`](crate::story)), which cannot happen. Predicates are looked for that refute it:
//! first among comparisons that fit the program ([`candidates`]), as few as are needed ([`path`]),
//! then among what is particular and the atoms of a solution of Horn clauses ([`horn`]); otherwise
//! the parts of interpolants ([`interpolants`]), with threads renamed to active and passive.

mod before;
mod bounds;
mod candidates;
mod horn;
mod interpolants;
mod literals;
mod path;
mod sets;

use std::collections::VecDeque;

use selvedge_smt::Limits;
use selvedge_system::concretize::Run;

use crate::abstraction::Abstraction;
use crate::predicate::Predicate;
use crate::story::Story;
use horn::Atoms;
use path::Path;

pub use candidates::asserted;

/// A run of the abstract system that cannot happen.
pub struct Spurious {
    /// What the threads do.
    pub story: Story,
    /// The same as a formula.
    pub run: Run,
    /// The moves, as positions, that cannot happen together.
    pub core: Vec<usize>,
}

/// Looks for predicates, and remembers what it has looked for.
pub struct Refiner {
    atoms: Atoms,
}

/// So many candidates are no burden.
const FEW: usize = 70;

impl Refiner {
    /// A refiner that takes atoms of a solution of Horn clauses for candidates, or does not.
    pub fn new(atoms: bool) -> Refiner {
        Refiner { atoms: Atoms::new(atoms) }
    }

    /// Predicates that are not there yet and refute the run, or parts of a proof that it cannot
    /// happen.
    pub fn refine(&mut self, abstraction: &mut Abstraction, spurious: &Spurious) -> Vec<Predicate> {
        let limits = abstraction.watch.limits().clone();
        let chosen = self.chosen(abstraction, spurious, &limits);
        if chosen.is_empty() {
            return interpolants::interpolated(abstraction, &spurious.run, &limits);
        }
        chosen
    }

    /// A smallest set of candidates (none of them can be left out) that refutes the run.
    fn chosen(
        &mut self,
        abstraction: &mut Abstraction,
        spurious: &Spurious,
        limits: &Limits,
    ) -> Vec<Predicate> {
        let mut refutation = Refutation {
            given: abstraction.predicates.clone(),
            path: Path::new(abstraction, &spurious.run, &spurious.story, limits),
        };
        let Some(set) = self.first_enough(abstraction, spurious, &mut refutation, limits) else {
            return Vec::new();
        };
        let set = refutation.shortest_prefix(abstraction, &set);
        let needed = refutation.reasons(abstraction, set);
        let new = refutation.fewest(abstraction, needed);
        abstraction.notes.extend(self.atoms.taken(&new));
        new
    }

    /// The first set of candidates that refutes the run.
    fn first_enough(
        &mut self,
        abstraction: &mut Abstraction,
        spurious: &Spurious,
        refutation: &mut Refutation<'_>,
        limits: &Limits,
    ) -> Option<Vec<Predicate>> {
        let mentioned = sets::mentioned(abstraction, &spurious.run, &spurious.core);
        let general = candidates::candidates(abstraction, &mentioned);
        let particular = candidates::particular(abstraction, &mentioned);
        let few = general.len() + particular.len() <= FEW;
        let mentioned = (!few).then_some(&mentioned);
        let mut sources = VecDeque::from([Source::Program]);
        while let Some(source) = sources.pop_front() {
            let more = match source {
                Source::Program => Vec::new(),
                Source::Horn => self.atoms.candidates(abstraction, limits),
                Source::Particular => particular.clone(),
                Source::All => {
                    [particular.clone(), self.atoms.candidates(abstraction, limits)].concat()
                }
            };
            let all = [general.as_slice(), more.as_slice()].concat();
            let sets = sets::sets(abstraction, mentioned, &all, source == Source::All);
            if let Some(set) = sets.into_iter().find(|set| refutation.holds(abstraction, set)) {
                return Some(set);
            }
            if source == Source::Program {
                sources = Source::further(self.atoms.again()).into();
            }
        }
        None
    }
}

/// What refutes a run, beside the predicates that are there.
struct Refutation<'a> {
    given: Vec<Predicate>,
    path: Path<'a>,
}

impl Refutation<'_> {
    fn with(&self, some: &[Predicate]) -> Vec<Predicate> {
        [self.given.as_slice(), some].concat()
    }

    fn holds(&mut self, abstraction: &mut Abstraction, some: &[Predicate]) -> bool {
        let all = self.with(some);
        self.path.refuted(abstraction, &all) == Some(true)
    }

    /// As few of the first ones as are enough.
    fn shortest_prefix<'s>(
        &mut self,
        abstraction: &mut Abstraction,
        set: &'s [Predicate],
    ) -> &'s [Predicate] {
        let (mut few, mut many) = (0, set.len());
        while few < many {
            let middle = (few + many) / 2;
            if self.holds(abstraction, &set[..middle]) {
                many = middle;
            } else {
                few = middle + 1;
            }
        }
        &set[..many]
    }

    /// Those that the refutation uses; none where the solver does not say.
    fn reasons(&mut self, abstraction: &mut Abstraction, set: &[Predicate]) -> Vec<Predicate> {
        let all = self.with(set);
        let reasons = self.path.reasons(abstraction, &all).unwrap_or_default();
        let numbered = set.iter().enumerate();
        let needed = numbered.filter(|(index, _)| reasons.contains(&(self.given.len() + index)));
        needed.map(|(_, predicate)| predicate.clone()).collect()
    }

    /// Leaves out what can be left out, from the end, where the less simple ones are; first half of
    /// them at once, then ever fewer.
    fn fewest(&mut self, abstraction: &mut Abstraction, mut new: Vec<Predicate>) -> Vec<Predicate> {
        let mut size = new.len();
        while size > 0 {
            let mut end = new.len();
            while end > 0 {
                let start = end.saturating_sub(size);
                let fewer = [&new[..start], &new[end..]].concat();
                if self.holds(abstraction, &fewer) {
                    new = fewer;
                }
                end = start;
            }
            size /= 2;
        }
        new
    }
}

/// Where candidates come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// What the program compares, and comparisons of variables that it relates.
    Program,
    /// The atoms of a solution of Horn clauses.
    Horn,
    /// What is about certain numbers.
    Particular,
    All,
}

impl Source {
    /// In which order further ones are tried. What is particular costs nothing and may do once; where
    /// it does not, there might be no end of it.
    fn further(again: bool) -> [Source; 3] {
        match again {
            false => [Source::Particular, Source::Horn, Source::All],
            true => [Source::Horn, Source::Particular, Source::All],
        }
    }
}
