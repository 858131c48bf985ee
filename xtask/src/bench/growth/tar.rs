//! What `tar` is measured on.

use super::programs::Shape;
use super::{Engine, Table};

pub const TAR: Engine = Engine {
    name: "tar",
    arguments: &["--engine", "tar", "--property", "race"],
    series: &[
        (Shape::Sequence, &[8, 16, 32, 64, 128, 256, 304]),
        (Shape::Choice, &[8, 16, 32, 64, 128, 256]),
        (Shape::Flags, &[4, 8, 16, 32, 64]),
        (Shape::Busy, &[4, 8, 16, 32, 64]),
    ],
    table: Table::Proofs,
};
