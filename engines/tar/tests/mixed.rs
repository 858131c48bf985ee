//! Memory that is accessed at several types.

use selvedge_ir::{Property, text};
use selvedge_tar::verify;
use selvedge_verdict::{Budget, Options, Run, Stop, Verdict};

fn decide(source: &str, property: Property) -> Result<Verdict, Stop> {
    let program = text::parse("mixed", source).expect("a good program");
    let mut run = Run::silent(Budget::work(60_000_000));
    verify(&program, &Options::new(&[property]), &mut run)
}

#[test]
fn bytes_of_a_pointer_are_unsupported() {
    let source = include_str!("../../../tests/plato/mixed_pointer_as_integer.plato");
    let verdict = decide(source, Property::Assert);
    assert!(matches!(verdict, Err(Stop::Unsupported { .. })), "{verdict:?}");
}

#[test]
fn a_lock_overwritten_at_another_type_is_unsupported() {
    let source = include_str!("../../../tests/plato/mixed_lock_overwritten.plato");
    let verdict = decide(source, Property::Assert);
    assert!(matches!(verdict, Err(Stop::Unsupported { .. })), "{verdict:?}");
}

#[test]
fn a_wide_store_overwrites_narrow_scalars() {
    let source = include_str!("../../../tests/plato/mixed_wide_over_narrow.plato");
    let verdict = decide(source, Property::Assert);
    assert!(matches!(verdict, Ok(Verdict::Unsafe(_))), "{verdict:?}");
}

#[test]
fn accesses_of_different_width_race_where_they_overlap() {
    let source = include_str!("../../../tests/plato/mixed_race_in_part.plato");
    let verdict = decide(source, Property::Race);
    assert!(matches!(verdict, Ok(Verdict::Unsafe(_))), "{verdict:?}");
}

#[test]
fn a_load_gives_the_last_store_at_its_type() {
    let source = include_str!("../../../tests/plato/mixed_last_written.plato");
    let verdict = decide(source, Property::Assert);
    assert!(matches!(verdict, Ok(Verdict::Safe(_))), "{verdict:?}");
}
