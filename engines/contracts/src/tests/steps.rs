//! Steps and loops of unusual shapes.

use selvedge_verdict::{Budget, Options, Run, Stop};

use super::{fails, program, proved};
use crate::{Kind, check};

#[test]
fn the_end_of_a_thread_is_the_end_of_its_step() {
    let source = "
        shared x: i32;
        procedure work() { atomic { x := 0; end_thread; } }
        thread any work;
        invariant \"nothing\" { v: i32 := load x; } holds v == 0;";
    proved(&program(source));
    let wrong = source.replace("x := 0;", "x := 5;");
    fails(&program(&wrong), |kind| matches!(kind, Kind::Invariant));
}

/// Who comes into the loop at L3 has v = 0, and comes by L5 with it.
#[test]
fn a_loop_that_is_entered_in_the_middle_is_not_supported() {
    let source = "
        shared x: i32;
        procedure main(v: i32) {
            local c: i32;
            L1: havoc c -> L2;
            L2:
                assume c == 0 -> L4;
                assume c != 0 -> L3;
            L3: store x := 1 -> L5;
            L4: v := 1 -> L5;
            L5: havoc c -> L6;
            L6:
                assume c == 0 -> L3;
                assume c != 0 -> L8;
            L8: assert v == 1 -> L9;
            L9: skip -> L10;
            exit L10:
        }
        thread main main;";
    let options = Options::new(&[selvedge_ir::Property::Assert]);
    let turned = source.replacen("-> L4", "-> there", 1).replacen("-> L3", "-> L4", 1);
    for source in [source, &turned.replacen("-> there", "-> L3", 1)] {
        let found = check(&program(source), &options, &mut Run::silent(Budget::unlimited()));
        let unsupported = matches!(found, Err(Stop::Unsupported { .. }));
        assert!(unsupported, "{:?}", found.map(|report| report.is_proved()));
    }
}
