//! Which engines to try on a program, in which order and for how long.

use std::time::Duration;

use selvedge_ir::{Multiplicity, Program, Property};
use selvedge_passes::{Templates, orders};

use selvedge_engines::Engine;

use crate::args::{Method, Verify};
use crate::question::fitting;

use super::AT_ONCE;

/// An engine, what it is asked, and its share of the time.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    pub engine: Engine,
    /// Those that it can be asked for.
    pub properties: Vec<Property>,
    /// Of the whole time.
    pub share: f64,
}

/// No engine gets to anything in less.
const LEAST: Duration = Duration::from_secs(2);

/// Cheap ones first. Two engines run at a time, so the shares may come to 2. The last engine gets all
/// that is left, and what the others leave is for those that ran out of time.
pub fn plan(program: &Program, options: &Verify, properties: &[Property]) -> Vec<Slice> {
    let weak = !orders::beyond_sequential(program, properties.contains(&Property::Race)).is_empty();
    let slice = |(engine, share)| {
        let auto = options.engine == Method::Auto;
        let properties = match auto && weak && proves_by_interleavings(engine) {
            true => Vec::new(),
            false => fitting(engine, options, properties),
        };
        (!properties.is_empty()).then_some(Slice { engine, properties, share })
    };
    match options.engine {
        Method::One(engine) => slice((engine, 1.0)).into_iter().collect(),
        Method::Auto if many_threads(program) => MANY.into_iter().filter_map(slice).collect(),
        Method::Auto => FEW.into_iter().filter_map(slice).collect(),
    }
}

/// Whether all that is left of an engine after a search and a look at few contexts are proofs, and
/// these are about interleavings, which are not all there is where memory is weaker.
fn proves_by_interleavings(engine: Engine) -> bool {
    !matches!(engine, Engine::Explore | Engine::Contexts)
}

/// Any number of threads: proofs come from relations among threads, not from a search.
const MANY: [(Engine, f64); 6] = [
    (Engine::Explore, 0.04),
    (Engine::Locks, 0.1),
    (Engine::Contexts, 0.15),
    (Engine::Horn, 0.5),
    (Engine::Tar, 0.35),
    (Engine::Cover, 1.0),
];

const FEW: [(Engine, f64); 6] = [
    (Engine::Explore, 0.2),
    (Engine::Locks, 0.1),
    (Engine::Contexts, 0.2),
    (Engine::Tar, 0.35),
    (Engine::Horn, 0.4),
    (Engine::Cover, 1.0),
];

fn many_threads(program: &Program) -> bool {
    Templates::of(program).list.iter().any(|template| template.count == Multiplicity::Any)
}

impl Slice {
    /// What it gets where so much time is left and others wait: at least its share of the whole, and
    /// its part of what is left, which is more where engines have ended early.
    pub fn time_beside<'a>(
        &self,
        whole: Duration,
        left: Duration,
        waiting: impl Iterator<Item = &'a Slice>,
    ) -> Duration {
        let all = self.share + waiting.map(|slice| slice.share).sum::<f64>();
        let part = (self.share * AT_ONCE as f64 / all).min(1.0);
        self.time(whole).max(left.mul_f64(part)).min(left)
    }

    /// What the engine gets of so much time.
    pub fn time(&self, whole: Duration) -> Duration {
        whole.mul_f64(self.share).max(LEAST).min(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engines(model: &str) -> Vec<Engine> {
        let program = selvedge_ir::text::parse("test.plato", model).expect("a good program");
        let options = crate::args::tests::verify(&[]);
        plan(&program, &options, &options.checks.properties.0)
            .iter()
            .map(|slice| slice.engine)
            .collect()
    }

    const ONE: &str = "shared x: i32; procedure main() { x := 1; } thread main main;";
    const ANY: &str = "shared x: i32; procedure work() { x := 1; } thread any work;";

    #[test]
    fn the_number_of_threads_decides_the_order() {
        use Engine::{Contexts, Cover, Explore, Horn, Locks, Tar};
        assert_eq!(engines(ONE), [Explore, Locks, Contexts, Tar, Horn, Cover]);
        assert_eq!(engines(ANY), [Explore, Locks, Contexts, Horn, Tar, Cover]);
    }

    #[test]
    fn an_engine_is_asked_for_what_it_checks() {
        let program = selvedge_ir::text::parse("test.plato", ONE).expect("a good program");
        let options = crate::args::tests::verify(&["--property", "race,deadlock"]);
        let slices = plan(&program, &options, &options.checks.properties.0);
        let asked: Vec<(Engine, usize)> =
            slices.iter().map(|slice| (slice.engine, slice.properties.len())).collect();
        use Engine::{Contexts, Cover, Explore, Horn, Locks, Tar};
        let expected = [(Explore, 2), (Locks, 1), (Contexts, 2), (Tar, 1), (Horn, 1), (Cover, 1)];
        assert_eq!(asked, expected);
    }

    #[test]
    fn nobody_proves_what_is_more_than_interleavings() {
        let with = |store: &str| {
            let stores = format!("{store} x := 1; {store} y := 1;");
            let model = "shared x: i32; shared y: i32; procedure work()";
            engines(&format!("{model} {{ {stores} }} thread 2 work;"))
        };
        assert_eq!(with("store atomic(relaxed)"), [Engine::Explore, Engine::Contexts]);
        assert_eq!(with("store atomic").len(), 6);
    }

    #[test]
    fn what_others_leave_is_for_those_who_come() {
        let slice = |share| Slice { engine: Engine::Tar, properties: Vec::new(), share };
        let (whole, left) = (Duration::from_secs(60), Duration::from_secs(50));
        let time = |own, next: &[f64]| {
            let next: Vec<Slice> = next.iter().map(|share| slice(*share)).collect();
            slice(own).time_beside(whole, left, next.iter()).as_secs()
        };
        assert_eq!(time(0.35, &[]), 50);
        assert_eq!(time(0.35, &[0.35]), 50);
        assert_eq!(time(0.25, &[0.25, 0.5]), 25);
        assert_eq!(time(0.25, &[1.0, 1.0]), 15);
    }

    #[test]
    fn slices_fit_into_the_time() {
        let slice = Slice { engine: Engine::Tar, properties: Vec::new(), share: 0.3 };
        let seconds = |n| slice.time(Duration::from_secs(n)).as_secs_f64();
        assert_eq!((seconds(100), seconds(4), seconds(1)), (30.0, 2.0, 1.0));
    }
}
