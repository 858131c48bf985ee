//! Which clauses have to do with what a check is about.
//!
//! Beginning with some topics, those assumptions count that say what is there after a step, and those
//! invariants that say what is there; then those about what these speak of, and so on.

use std::collections::BTreeSet;

use selvedge_ir::spec::{Binding, Clause, Formula, When};
use selvedge_ir::{BinaryOp, Expr, GhostId, LayoutId, LocalId, ObjectId, Program, Shape};

/// What clauses speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Topic {
    Global(ObjectId),
    /// All elements of a layout.
    Elements(LayoutId),
    Ghost(GhostId),
    /// Which objects there are, and what is behind pointers of which nothing is known.
    Objects,
}

/// Finds the clauses, and all topics that they have to do with.
pub(crate) struct Focus<'p> {
    program: &'p Program,
    topics: BTreeSet<Topic>,
}

impl<'p> Focus<'p> {
    pub fn new(program: &'p Program) -> Focus<'p> {
        Focus { program, topics: BTreeSet::from([Topic::Objects]) }
    }

    pub fn add(&mut self, topic: Topic) {
        if !self.topics.insert(topic) {
            return;
        }
        let program = self.program;
        match topic {
            Topic::Global(object) => self.add_layout(program.objects[object].layout),
            Topic::Elements(layout) => {
                let objects = program.objects.iter();
                let holds = objects.filter(|(_, object)| {
                    elements(program, object.layout).any(|inner| inner == layout)
                });
                holds.for_each(|(id, _)| self.add(Topic::Global(id)));
            }
            Topic::Ghost(_) | Topic::Objects => {}
        }
    }

    /// The elements of what is made in a layout.
    pub fn add_layout(&mut self, layout: LayoutId) {
        let program = self.program;
        elements(program, layout).for_each(|inner| self.add(Topic::Elements(inner)));
    }

    pub fn add_formula(&mut self, formula: &Formula) {
        topics(formula).for_each(|(topic, _)| self.add(topic));
    }

    /// Those of the clauses of E and I that count.
    pub fn choose<'a>(
        mut self,
        mut environment: Vec<&'a Clause>,
        mut invariants: Vec<&'a Clause>,
    ) -> (Vec<&'a Clause>, Vec<&'a Clause>) {
        let (mut assumed, mut claimed) = (Vec::new(), Vec::new());
        loop {
            let before = assumed.len() + claimed.len();
            self.take(&mut environment, &mut assumed);
            self.take(&mut invariants, &mut claimed);
            if assumed.len() + claimed.len() == before {
                return (assumed, claimed);
            }
        }
    }

    fn take<'a>(&mut self, left: &mut Vec<&'a Clause>, chosen: &mut Vec<&'a Clause>) {
        left.retain(|clause| {
            let counts = self.counts(&clause.formula);
            if counts {
                self.add_formula(&clause.formula);
                chosen.push(clause);
            }
            !counts
        });
    }

    fn counts(&self, formula: &Formula) -> bool {
        let two = formula.has_two_states();
        let mut said = topics(formula).filter(|(_, when)| !two || *when == When::After).peekable();
        said.peek().is_none() || said.any(|(topic, _)| self.topics.contains(&topic))
    }
}

/// What a formula speaks of, in which state.
fn topics(formula: &Formula) -> impl Iterator<Item = (Topic, When)> {
    formula.variables.values().filter_map(|variable| match &variable.binding {
        Binding::Alive { when, .. } => Some((Topic::Objects, *when)),
        Binding::Ghost { ghost, when, .. } => Some((Topic::Ghost(*ghost), *when)),
        Binding::Forall(Some(layout)) | Binding::Exists(Some(layout)) => {
            Some((Topic::Elements(*layout), When::Before))
        }
        Binding::Read { place, when } => Some((topic_of(formula, &place.addr), *when)),
        _ => None,
    })
}

/// Where an address leads.
fn topic_of(formula: &Formula, address: &Expr) -> Topic {
    let layout = |local: LocalId| match formula.variables[local].binding {
        Binding::Forall(layout) | Binding::Exists(layout) => layout,
        _ => None,
    };
    match (address, address.base()) {
        (_, Some(object)) => Topic::Global(object),
        (Expr::Binary(BinaryOp::PtrAdd, pointer, _), None) => topic_of(formula, pointer),
        (Expr::Local(local), None) => layout(*local).map_or(Topic::Objects, Topic::Elements),
        _ => Topic::Objects,
    }
}

/// A layout, what it is an array of, and so on.
fn elements(program: &Program, layout: LayoutId) -> impl Iterator<Item = LayoutId> {
    std::iter::successors(Some(layout), |&layout| match program.layouts[layout].shape {
        Shape::Array { element, .. } => Some(element),
        _ => None,
    })
}
