//! What the tests of several passes share.

use selvedge_ir::{Procedure, Span};

/// A procedure of one location that is entry and exit.
pub fn empty_procedure(name: &str) -> Procedure {
    let mut procedure = Procedure {
        name: name.to_owned(),
        params: Vec::new(),
        result: None,
        locals: Default::default(),
        locations: Default::default(),
        entry: selvedge_ir::LocationId::from_u32(0),
        exit: selvedge_ir::LocationId::from_u32(0),
        span: Span::NONE,
    };
    procedure.add_location(selvedge_ir::Grain::Yield);
    procedure
}
