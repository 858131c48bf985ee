//! Which engines there are. This is the only place that knows all of them.
//!
//! Every engine has the same entry; [`verify`] calls the one that is asked for, and [`Knobs`] holds
//! what each of them has for itself.

mod dump;

pub use dump::{dump, stages};

use selvedge_ir::{Program, Property};
use selvedge_verdict::{Integers, Options, Run, Stop, Verdict};

/// A method. The order is that in which they are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    Explore,
    Contexts,
    Tar,
    Horn,
    Cover,
}

/// The knobs of each engine.
#[derive(Clone, Debug, Default)]
pub struct Knobs {
    pub explore: selvedge_explore::Own,
    pub contexts: selvedge_contexts::Own,
    pub tar: selvedge_tar::Own,
    pub horn: selvedge_horn::Own,
    pub cover: selvedge_cover::Own,
}

impl Engine {
    pub const ALL: [Engine; 5] =
        [Engine::Explore, Engine::Contexts, Engine::Tar, Engine::Horn, Engine::Cover];

    pub fn name(self) -> &'static str {
        match self {
            Engine::Explore => selvedge_explore::NAME,
            Engine::Contexts => selvedge_contexts::NAME,
            Engine::Tar => selvedge_tar::NAME,
            Engine::Horn => selvedge_horn::NAME,
            Engine::Cover => selvedge_cover::NAME,
        }
    }

    pub fn from_name(name: &str) -> Option<Engine> {
        Engine::ALL.into_iter().find(|engine| engine.name() == name)
    }

    /// Whether it checks the property at all.
    pub fn checks(self, property: Property) -> bool {
        match self {
            Engine::Explore | Engine::Contexts => true,
            Engine::Tar | Engine::Horn => property != Property::Deadlock,
            Engine::Cover => !matches!(property, Property::Deadlock | Property::Race),
        }
    }

    pub fn knows(self, integers: Integers) -> bool {
        integers == Integers::Machine || matches!(self, Engine::Horn | Engine::Cover)
    }

    /// Whether its proofs are certificates.
    pub fn certifies(self) -> bool {
        matches!(self, Engine::Tar | Engine::Horn | Engine::Cover)
    }

    /// Whether it asks the solver.
    pub fn solves(self) -> bool {
        self != Engine::Explore
    }
}

/// Asks an engine.
pub fn verify(
    engine: Engine,
    program: &Program,
    options: &Options<Knobs>,
    run: &mut Run<'_>,
) -> Result<Verdict, Stop> {
    let name = || engine.name().to_owned();
    if let Some(&property) = options.properties.iter().find(|&&p| !engine.checks(p)) {
        return Err(Stop::Property { engine: name(), property });
    }
    if !engine.knows(options.integers) {
        return Err(Stop::Option { engine: name(), what: "integers without bounds".into() });
    }
    let own = &options.own;
    match engine {
        Engine::Explore => {
            selvedge_explore::verify(program, &options.ask(own.explore.clone()), run)
        }
        Engine::Contexts => {
            selvedge_contexts::verify(program, &options.ask(own.contexts.clone()), run)
        }
        Engine::Tar => selvedge_tar::verify(program, &options.ask(own.tar.clone()), run),
        Engine::Horn => selvedge_horn::verify(program, &options.ask(own.horn.clone()), run),
        Engine::Cover => selvedge_cover::verify(program, &options.ask(own.cover.clone()), run),
    }
}

/// The page that adds an engine is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/adding-an-engine.md")]
struct AddingAnEngine;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_again() {
        for engine in Engine::ALL {
            assert_eq!(Engine::from_name(engine.name()), Some(engine));
        }
        assert_eq!(Engine::from_name("auto"), None);
    }
}
