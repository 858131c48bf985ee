//! Random programs with specifications that nobody thought about: every lock guards every variable,
//! and helpers have contracts that let them change everything.

use selvedge_ir::spec::Contract;
use selvedge_ir::{Action, Callee, Program, Shape, Type};

use super::build::{contract, global_target, guarded_by};
use super::certified;
use super::mutants::is_refuted;
use crate::check;
use selvedge_ir::Property;
use selvedge_verdict::{Budget, Options, Run};

/// The globals that are one scalar.
fn scalars(program: &Program) -> Vec<(String, Type)> {
    let globals = program.objects.values();
    let named = globals.filter_map(|object| match program.layouts[object.layout].shape {
        Shape::Scalar(ty) => Some((object.name.clone(), ty)),
        _ => None,
    });
    named.collect()
}

fn specified(mut program: Program, seed: u64) -> Program {
    let scalars = scalars(&program);
    let locks: Vec<String> = scalars
        .iter()
        .filter(|(_, ty)| *ty == Type::Thread)
        .map(|(name, _)| name.clone())
        .collect();
    let guarded = scalars.iter().filter(|(_, ty)| *ty != Type::Thread);
    let mut environment = Vec::new();
    for (index, (name, ty)) in guarded.enumerate() {
        let chosen = locks.get((seed as usize + index) % locks.len().max(1));
        environment.extend(chosen.map(|lock| guarded_by(&program, lock, name, *ty)));
    }
    let called: Vec<_> = (program.procedures.values().flat_map(|procedure| procedure.edges()))
        .filter_map(|(_, edge)| match edge.action {
            Action::Call { callee: Callee::Direct(callee), .. } => Some(callee),
            _ => None,
        })
        .collect();
    let mut contracts: Vec<Contract> = Vec::new();
    for procedure in called {
        if seed.is_multiple_of(2) && !contracts.iter().any(|known| known.procedure == procedure) {
            let targets = scalars.iter().map(|(name, ty)| global_target(&program, name, *ty));
            contracts.push(Contract { modifies: targets.collect(), ..contract(procedure) });
        }
    }
    program.spec.environment = environment;
    program.spec.contracts = contracts;
    program
}

fn compare(seeds: std::ops::Range<u64>, make: fn(u64) -> Program) -> (usize, usize) {
    let (mut proved, mut refuted) = (0, 0);
    for seed in seeds {
        let program = specified(make(seed), seed);
        let options = Options::new(&[Property::Assert]);
        let found = check(&program, &options, &mut Run::silent(Budget::work(20_000_000)));
        let certified = found.as_ref().is_ok_and(|report| certified(&program, report).is_ok());
        let accepted = found.is_ok_and(|report| report.is_proved());
        let wrong = is_refuted(&program);
        assert!(!(accepted && wrong), "seed {seed}: proved, and refuted");
        assert!(!(certified && wrong), "seed {seed}: certified, and refuted");
        proved += usize::from(accepted);
        refuted += usize::from(wrong);
    }
    (proved, refuted)
}

#[test]
fn random_programs() {
    let (proved, refuted) = compare(0..60, selvedge_random::program);
    assert!(refuted > 0, "{proved} proved, {refuted} refuted");
}

#[test]
fn random_programs_that_contend() {
    let (proved, refuted) = compare(0..60, selvedge_random::contending);
    assert!(proved + refuted > 0, "{proved} proved, {refuted} refuted");
}
