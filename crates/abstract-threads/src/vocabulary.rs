//! The vocabulary: the scalars in memory that abstract threads speak of.
//!
//! All abstract threads of a program share one vocabulary, so that the steps of one are seen by the
//! assertions of another. A cell of it is a scalar at a constant address.

use selvedge_ir::spec::{AbstractThread, Binding, Clause, Formula, Target, When};
use selvedge_ir::{Expr, LocalId, ObjectId, Place, Program, Sharing, Span, Type};

use crate::locks::{HOLDER, counts};
use crate::refused::Refused;

/// A scalar that abstract threads speak of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    pub object: ObjectId,
    pub offset: i64,
    pub ty: Type,
    /// For people: `pendingIO`, `device.count`.
    pub name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    pub cells: Vec<Cell>,
}

/// What a variable of a formula stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meant {
    /// A cell, in one of the two states.
    Cell(usize, When),
    /// Of the procedure whose contract the formula is from.
    Parameter(usize),
    Result,
}

/// How an access to memory stands to the vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meets {
    /// It is this cell.
    Cell(usize),
    /// It shares bytes with a cell and is not that cell.
    Part(usize),
    Nothing,
}

impl Cell {
    pub fn size(&self, program: &Program) -> i64 {
        self.ty.size(program.model) as i64
    }

    /// As specifications name it.
    pub fn shown(&self) -> String {
        match self.name.strip_suffix(HOLDER) {
            Some(mutex) if self.ty == Type::Thread => format!("\\holder({mutex})"),
            _ => self.name.clone(),
        }
    }

    pub fn place(&self) -> Place {
        Place::object(self.object, self.offset, self.ty)
    }
}

impl Vocabulary {
    /// All that the abstract threads of a program mention; an error at the first formula that they
    /// cannot have.
    pub fn of(program: &Program) -> Result<Vocabulary, Refused> {
        let mut vocabulary = Vocabulary::default();
        for (index, thread) in program.spec.abstract_threads.iter().enumerate() {
            let before = &program.spec.abstract_threads[..index];
            if before.iter().any(|other| other.procedure == thread.procedure) {
                let procedure = &program.procedures[thread.procedure].name;
                let message = format!("`{procedure}` has an abstract thread already");
                return Err(Refused::annotation(message, thread.span));
            }
            vocabulary.thread(program, thread)?;
        }
        Ok(vocabulary)
    }

    fn thread(&mut self, program: &Program, thread: &AbstractThread) -> Result<(), Refused> {
        let states = thread.states.len() as u32;
        if thread.states.iter().all(|state| !state.initial) {
            let message = format!("no state of `{}` is `initial`", thread.name);
            return Err(Refused::annotation(message, thread.span));
        }
        for clause in thread.states.iter().flat_map(|state| &state.asserts) {
            self.clause(program, clause)?;
        }
        for step in &thread.transitions {
            if step.from >= states || step.to >= states {
                let message = format!("a step of `{}` leads to no state", thread.name);
                return Err(Refused::annotation(message, step.span));
            }
            step.relation.iter().try_for_each(|clause| self.clause(program, clause))?;
            let mut counting = step.modifies.iter().filter(|target| counts(program, target));
            counting.try_for_each(|target| self.target(program, target))?;
        }
        Ok(())
    }

    fn clause(&mut self, program: &Program, clause: &Clause) -> Result<(), Refused> {
        let Formula { variables, body } = &clause.formula;
        for variable in variables.values() {
            match &variable.binding {
                Binding::Read { place, .. } => self.add(program, place, clause.span)?,
                other => return Err(Refused::annotation(not_here(other), clause.span)),
            }
        }
        let is_thread = |local: LocalId| variables[local].ty == Type::Thread;
        match crate::threads_as_numbers::converts(body, &is_thread) {
            true => Err(Refused::annotation("a thread is no number", clause.span)),
            false => Ok(()),
        }
    }

    fn target(&mut self, program: &Program, target: &Target) -> Result<(), Refused> {
        match target.direct() {
            Some(place) => self.add(program, &place, target.span),
            None => Err(Refused::annotation(THROUGH_POINTER, target.span)),
        }
    }

    fn add(&mut self, program: &Program, place: &Place, span: Span) -> Result<(), Refused> {
        let Some((object, offset)) = place.direct() else {
            return Err(Refused::annotation(THROUGH_POINTER, span));
        };
        let data = &program.objects[object];
        let size = place.ty.size(program.model) as i64;
        let fits = offset >= 0 && offset + size <= program.layouts[data.layout].size as i64;
        let path = program.scalar_at(data.layout, offset.max(0) as u64);
        let name = format!("{}{}", data.name, path.map(|(_, path)| path).unwrap_or_default());
        let refuse = |why: &str| Err(Refused::annotation(format!("`{name}` {why}"), span));
        match () {
            () if !fits => return refuse("reaches beyond its object"),
            () if data.sharing != Sharing::Shared => {
                return refuse("is another variable in each thread");
            }
            () if place.ty == Type::Ptr => return refuse(POINTER),
            () => {}
        }
        match self.meets(program, place) {
            Meets::Cell(_) => {}
            Meets::Part(_) => return refuse("is mentioned at two types"),
            Meets::Nothing => self.cells.push(Cell { object, offset, ty: place.ty, name }),
        }
        Ok(())
    }

    /// How an access at a constant address stands to the vocabulary.
    pub fn meets(&self, program: &Program, place: &Place) -> Meets {
        let Some((object, offset)) = place.direct() else { return Meets::Nothing };
        let end = offset + place.ty.size(program.model) as i64;
        let shares = |cell: &Cell| {
            cell.object == object && cell.offset < end && offset < cell.offset + cell.size(program)
        };
        match self.cells.iter().position(shares) {
            None => Meets::Nothing,
            Some(index) => {
                let cell = &self.cells[index];
                let same = cell.offset == offset && cell.ty == place.ty;
                if same { Meets::Cell(index) } else { Meets::Part(index) }
            }
        }
    }

    /// The cell that a formula reads, or that a target is.
    pub fn cell_at(&self, place: &Place) -> usize {
        self.find(place).expect("invariant: the vocabulary has every cell of every formula")
    }

    fn find(&self, place: &Place) -> Option<usize> {
        let (object, offset) = place.direct()?;
        let same = |cell: &Cell| (cell.object, cell.offset) == (object, offset);
        self.cells.iter().position(same)
    }

    /// The cells that a step may change.
    pub fn modified(&self, targets: &[Target]) -> Vec<usize> {
        targets.iter().filter_map(|target| self.find(&target.direct()?)).collect()
    }

    /// A formula's body over what its variables are to be.
    pub fn expression(&self, formula: &Formula, meant: &impl Fn(Meant) -> Expr) -> Expr {
        let value = |local: LocalId| match &formula.variables[local].binding {
            Binding::Read { place, when } => meant(Meant::Cell(self.cell_at(place), *when)),
            Binding::Parameter(index) => meant(Meant::Parameter(*index as usize)),
            Binding::Result => meant(Meant::Result),
            _ => panic!("invariant: the vocabulary refuses all other variables"),
        };
        formula.body.clone().map(&mut |part| match part {
            Expr::Local(local) => value(local),
            other => other,
        })
    }

    /// The cells that an abstract thread remembers from its last step: those that its assertions
    /// look back to.
    pub fn remembered(&self, thread: &AbstractThread) -> Vec<usize> {
        let clauses = thread.states.iter().flat_map(|state| &state.asserts);
        let back = clauses.filter(|clause| clause.formula.has_two_states());
        let mut cells: Vec<usize> =
            back.flat_map(|clause| self.read_by(&clause.formula, When::Before)).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// The cells that a formula reads.
    pub fn read_by(&self, formula: &Formula, when: When) -> Vec<usize> {
        let reads = formula.reads().filter(|(_, _, at)| *at == when);
        reads.map(|(_, place, _)| self.cell_at(place)).collect()
    }
}

const THROUGH_POINTER: &str =
    "an abstract thread speaks of variables at fixed places, not of what a pointer leads to";
const POINTER: &str = "is a pointer, which abstract threads cannot speak of";

fn not_here(binding: &Binding) -> &'static str {
    match binding {
        Binding::Forall(_) | Binding::Exists(_) => {
            "a formula of an abstract thread has no quantifiers"
        }
        Binding::Parameter(_) | Binding::Result => {
            "an abstract thread speaks of shared variables, not of parameters and results"
        }
        Binding::Main => "`\\main` has no meaning in an abstract thread",
        Binding::Runs(_) => "`\\runs` has no meaning in an abstract thread",
        Binding::Size(_) | Binding::Alive { .. } => {
            "an abstract thread does not speak of the objects that pointers lead to"
        }
        Binding::Read { .. } => THROUGH_POINTER,
        Binding::Ghost { .. }
        | Binding::Value(_)
        | Binding::Everywhere(_)
        | Binding::Update { .. }
        | Binding::Entry { .. }
        | Binding::Count(_)
        | Binding::Same(..) => "an abstract thread does not speak of ghost members, sets and maps",
    }
}
