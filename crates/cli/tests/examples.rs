//! The programs that ship as examples give the verdicts that their documentation promises.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Several times what any of them needs.
const WORK: &str = "20000000";

/// Runs the command on an example and gives its last line.
fn verdict(example: &str, more: &[&str]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file: PathBuf = root.join("examples").join(example);
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(["verify", "--work", WORK])
        .args(more)
        .arg(&file)
        .output()
        .expect("the command starts");
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().last().unwrap_or_default().to_string()
}

fn expect(example: &str, more: &[&str], wanted: &str) {
    let found = verdict(example, more);
    assert!(found.starts_with(&format!("verdict: {wanted}")), "{example} {more:?}: {found}");
}

#[test]
fn bluetooth() {
    expect("bluetooth_bug.c", &[], "UNSAFE (assertion !stopped fails");
    for workers in ["-DWORKERS=1", "-DWORKERS=4", "-DWORKERS=8"] {
        expect("bluetooth.c", &[workers], "SAFE");
    }
}

#[test]
fn models() {
    for model in ["lock.plato", "producer_consumer.plato", "ticket_lock.plato"] {
        expect(model, &["--property", "all"], "SAFE");
    }
}

#[test]
fn drivers_with_their_bugs() {
    expect("drivers/serial.c", &[], "UNSAFE (assertion !request->completed fails");
    expect("drivers/disk.c", &[], "UNSAFE (assertion !request->completed fails");
    expect(
        "drivers/battery.c",
        &["--property", "assert"],
        "UNSAFE (assertion !device->deleted fails",
    );
}

#[test]
fn drivers_repaired() {
    expect("drivers/serial_fixed.c", &[], "SAFE");
    expect("drivers/disk_fixed.c", &["--property", "all"], "SAFE");
}

#[test]
fn locking_schemes_proved_one_thread_at_a_time() {
    let race = &["--engine", "tar", "--property", "race"];
    for scheme in ["simple_lock", "producer_consumer", "time_varying_lock"] {
        expect(&format!("tar/{scheme}.c"), race, "SAFE (race: proved");
        expect(&format!("tar/{scheme}_bug.c"), race, "UNSAFE (data race on");
    }
    expect("tar/producer_consumer_plain.c", race, "UNSAFE (data race on flag");
}

#[test]
fn idioms_for_any_number_of_threads() {
    let race = &["--engine", "tar", "--property", "race"];
    let assert = &["--engine", "tar", "--property", "assert"];
    for idiom in [
        "busy_flag_kept_in_a_local",
        "slot_claimed_by_compare_and_swap",
        "readers_counted_and_one_writer",
        "last_reference_tears_down",
        "lock_in_each_slot",
    ] {
        expect(&format!("tar/idioms/{idiom}.c"), race, "SAFE (race: proved");
        expect(&format!("tar/idioms/{idiom}_bug.c"), race, "UNSAFE (data race on");
    }
    expect("tar/idioms/busy_flag_exchanged.c", race, "SAFE (race: proved");
    expect("tar/idioms/busy_flag_exchanged.c", assert, "SAFE (assert: proved");
    expect("tar/idioms/busy_flag_exchanged_bug.c", assert, "UNSAFE (assertion data != before");
    expect("tar/idioms/private_loops.c", race, "SAFE (race: proved");
}

#[test]
fn driver_code_with_any_number_of_clients() {
    let race = &["--engine", "tar", "--property", "race"];
    expect("tar/drivers/radio.c", race, "SAFE (race: proved");
    expect("tar/drivers/uart_bug.c", race, "UNSAFE (data race on divisor");
    // The race is found early; the work ends the search for what becomes of the other pairs.
    let some = &["--engine", "tar", "--property", "race", "--work", "5000000"];
    expect("tar/drivers/sensor_gain_bug.c", some, "UNSAFE (data race on gain");
}
