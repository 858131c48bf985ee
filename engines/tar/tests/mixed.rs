//! Memory of several types: what a careless view of it would prove, `tar` must not.

use std::time::Duration;

use selvedge_exec::Stop;
use selvedge_ir::{Property, text};
use selvedge_smt::Limits;
use selvedge_tar::{self, Found};

fn asked(source: &str, property: Property) -> Result<Found, Stop> {
    let program = text::parse("mixed", source).expect("a good program");
    let options =
        tar::Options { time: Some(Duration::from_secs(60)), ..tar::Options::new(&[property]) };
    let found = tar::verify(&program, &options, &mut |_| {});
    if let Ok(Found::Safe(proof)) = &found {
        let checked = selvedge_certify::check(&program, &proof.certificate, &Limits::none());
        assert!(checked.is_ok(), "{checked:?}");
    }
    found
}

#[test]
fn bytes_of_pointers_are_not_known() {
    let source = include_str!("../../../tests/plato/mixed_pointer_as_integer.plato");
    let found = asked(source, Property::Assert);
    assert!(matches!(found, Err(Stop::Unsupported { .. })), "{found:?}");
}

#[test]
fn a_lock_that_is_overwritten_protects_nothing() {
    let source = include_str!("../../../tests/plato/mixed_lock_overwritten.plato");
    let found = asked(source, Property::Assert);
    assert!(matches!(found, Err(Stop::Unsupported { .. })), "{found:?}");
}

#[test]
fn wide_stores_cover_narrow_scalars() {
    let source = include_str!("../../../tests/plato/mixed_wide_over_narrow.plato");
    let found = asked(source, Property::Assert);
    assert!(matches!(found, Ok(Found::Unsafe(_))), "{found:?}");
}

#[test]
fn accesses_race_where_they_overlap() {
    let source = include_str!("../../../tests/plato/mixed_race_in_part.plato");
    let found = asked(source, Property::Race);
    assert!(matches!(found, Ok(Found::Unsafe(_))), "{found:?}");
}

#[test]
fn what_was_written_last_is_there() {
    let source = include_str!("../../../tests/plato/mixed_last_written.plato");
    let found = asked(source, Property::Assert);
    assert!(matches!(found, Ok(Found::Safe(_))), "{found:?}");
}
