//! Which engines there are. This is the only place that knows all of them.
//!
//! Every engine has the same entry; [`verify`] calls the one that is asked for, and [`Knobs`] holds
//! what each of them has for itself.

mod dump;

pub use dump::{dump, stages};

use selvedge_ir::{Action, BinaryOp, Expr, Program, Property, UnaryOp};
use selvedge_verdict::{Abilities, Integers, Options, Run, Stop, Verdict};

/// A method. The order is that in which they are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    Explore,
    Contexts,
    Tar,
    Horn,
    Cover,
    Locks,
}

/// The knobs of each engine.
#[derive(Clone, Debug, Default)]
pub struct Knobs {
    pub explore: selvedge_explore::Own,
    pub contexts: selvedge_contexts::Own,
    pub tar: selvedge_tar::Own,
    pub horn: selvedge_horn::Own,
    pub cover: selvedge_cover::Own,
    pub locks: selvedge_locks::Own,
}

impl Engine {
    pub const ALL: [Engine; 6] = [
        Engine::Explore,
        Engine::Contexts,
        Engine::Tar,
        Engine::Horn,
        Engine::Cover,
        Engine::Locks,
    ];

    /// What it says of itself.
    fn abilities(self) -> Abilities {
        match self {
            Engine::Explore => selvedge_explore::ABILITIES,
            Engine::Contexts => selvedge_contexts::ABILITIES,
            Engine::Tar => selvedge_tar::ABILITIES,
            Engine::Horn => selvedge_horn::ABILITIES,
            Engine::Cover => selvedge_cover::ABILITIES,
            Engine::Locks => selvedge_locks::ABILITIES,
        }
    }

    pub fn name(self) -> &'static str {
        self.abilities().name
    }

    pub fn from_name(name: &str) -> Option<Engine> {
        Engine::ALL.into_iter().find(|engine| engine.name() == name)
    }

    /// Whether it checks the property at all.
    pub fn checks(self, property: Property) -> bool {
        self.abilities().checks(property)
    }

    pub fn knows(self, integers: Integers) -> bool {
        self.abilities().knows(integers)
    }

    /// Whether it asks the solver.
    pub fn solves(self) -> bool {
        !matches!(self, Engine::Explore | Engine::Locks)
    }
}

/// Asks an engine.
pub fn verify(
    engine: Engine,
    program: &Program,
    options: &Options<Knobs>,
    run: &mut Run<'_>,
) -> Result<Verdict, Stop> {
    let own = &options.own;
    let answer = match engine {
        Engine::Explore => {
            selvedge_explore::verify(program, &options.ask(own.explore.clone()), run)
        }
        Engine::Contexts => {
            selvedge_contexts::verify(program, &options.ask(own.contexts.clone()), run)
        }
        Engine::Tar => selvedge_tar::verify(program, &options.ask(own.tar.clone()), run),
        Engine::Horn => selvedge_horn::verify(program, &options.ask(own.horn.clone()), run),
        Engine::Cover => selvedge_cover::verify(program, &options.ask(own.cover.clone()), run),
        Engine::Locks => selvedge_locks::verify(program, &options.ask(own.locks), run),
    };
    answer.map_err(|stop| match stop {
        // Solvers may take a result of floating-point arithmetic to be any number.
        Stop::Unconfirmed { .. } if engine != Engine::Explore && computes_floats(program) => {
            let what = "the violation found needs a number that the floating-point arithmetic \
                        of the program does not give";
            Stop::Refinement { what: what.into() }
        }
        // Each reading of memory that was never written is an input of its own to solvers.
        Stop::Unconfirmed { .. } if engine != Engine::Explore && leaves_unwritten(program) => {
            let what = "the violation found needs memory that nobody has written to change";
            Stop::Refinement { what: what.into() }
        }
        stop => stop,
    })
}

/// Whether the program makes objects without a first value.
fn leaves_unwritten(program: &Program) -> bool {
    let mut edges = program.procedures.values().flat_map(|procedure| procedure.edges());
    edges.any(|(_, edge)| matches!(edge.action, Action::Alloc { zeroed: false, .. }))
}

/// Whether the program has floating-point operators other than comparisons.
fn computes_floats(program: &Program) -> bool {
    let mut found = false;
    let edges = program.procedures.values().flat_map(|procedure| procedure.edges());
    for (_, edge) in edges {
        edge.action.for_each_expr(&mut |expr| {
            expr.walk(&mut |part| {
                found |= match part {
                    Expr::Unary(UnaryOp::Float(..), _) => true,
                    Expr::Binary(op @ BinaryOp::Float(..), ..) => !op.is_test(),
                    _ => false,
                }
            });
        });
    }
    found
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
