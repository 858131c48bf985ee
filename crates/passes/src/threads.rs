//! Thread templates: for each procedure that threads start in, where they are spawned and how many
//! there can be.

use selvedge_ir::{EdgeId, Multiplicity, ProcId, Program};

/// The threads that start in one procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pub procedure: ProcId,
    /// How many threads can ever start here, at most.
    pub count: Multiplicity,
    /// Where they are spawned (procedure and edge); empty if all exist from the start.
    pub sites: Vec<(ProcId, EdgeId)>,
    /// Whether one of the program's initial threads starts here.
    pub initial: bool,
    /// Whether the program ends when such a thread returns.
    pub main: bool,
}

impl Template {
    /// Several identical threads: exchanging two of them gives an equivalent state.
    pub fn symmetric(&self) -> bool {
        self.count != Multiplicity::Exactly(1)
    }
}

/// All templates, initial ones first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Templates {
    pub list: Vec<Template>,
}

impl Templates {
    pub fn of(program: &Program) -> Templates {
        let list = program
            .threads
            .iter()
            .map(|thread| Template {
                procedure: thread.procedure,
                count: thread.count,
                sites: Vec::new(),
                initial: true,
                main: thread.main,
            })
            .collect();
        Templates { list }
    }

    pub fn by_procedure(&self, procedure: ProcId) -> Option<&Template> {
        self.list.iter().find(|template| template.procedure == procedure)
    }
}
