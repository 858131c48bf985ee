//! The state of lowering one body, and bodies that are graphs.

use std::collections::{HashMap, HashSet};

use super::{Globals, Lowered};
use crate::text::ast::{LocationOf, Name};
use crate::text::lexer::At;
use crate::{Action, Edge, Expr, Grain, LocalId, LocationId, Place, Procedure, Span, Type};

pub struct Lowering<'a> {
    pub globals: &'a mut Globals,
    pub procedure: Procedure,
    locals: HashMap<String, LocalId>,
    /// Where the next action goes, in a structured body. None in a graph, where what is written on
    /// an edge must be one action.
    pub cursor: Option<LocationId>,
    /// Inside an atomic block.
    pub atomic: bool,
    /// Of the statement at hand.
    pub span: Span,
    /// Locations that several alternatives leave; no loop may come back to one.
    pub shared_starts: HashSet<LocationId>,
    temporaries: u32,
}

impl<'a> Lowering<'a> {
    pub fn new(globals: &'a mut Globals, procedure: Procedure) -> Lowering<'a> {
        let locals = procedure.locals.iter().map(|(id, l)| (l.name.clone(), id)).collect();
        Lowering {
            globals,
            procedure,
            locals,
            cursor: None,
            atomic: false,
            span: Span::NONE,
            shared_starts: HashSet::new(),
            temporaries: 0,
        }
    }

    /// For expressions outside procedures.
    pub fn of_constants(globals: &'a mut Globals) -> Lowering<'a> {
        Lowering::new(globals, Procedure::frame(Default::default()))
    }

    pub fn local_named(&self, name: &str) -> Option<LocalId> {
        self.locals.get(name).copied()
    }

    pub fn fresh(&mut self) -> LocationId {
        let grain = if self.atomic { Grain::Atomic } else { Grain::Yield };
        self.procedure.add_location(grain)
    }

    pub fn temporary(&mut self, ty: Type) -> LocalId {
        loop {
            self.temporaries += 1;
            let name = format!("${}", self.temporaries);
            if !self.locals.contains_key(&name) {
                let id = self.procedure.add_local(name.clone(), ty, false);
                self.locals.insert(name, id);
                return id;
            }
        }
    }

    /// A local with a name that is not taken.
    pub fn add_named(&mut self, name: &Name, ty: Type) -> Lowered<LocalId> {
        let id = self.procedure.add_local(name.text.clone(), ty, true);
        match self.locals.insert(name.text.clone(), id) {
            Some(_) => {
                let error = name.at.error(format!("there are two variables `{}`", name.text));
                self.globals.fail(error)
            }
            None => Ok(id),
        }
    }

    /// Puts an action before the one that is being lowered.
    pub fn emit(&mut self, action: Action, at: At) -> Lowered<()> {
        let Some(from) = self.cursor else {
            let error = at.error("this takes more than one action");
            return self.globals.fail(error.help("give each an edge of its own"));
        };
        let to = self.fresh();
        self.procedure.add_edge(from, action, to, self.span);
        self.cursor = Some(to);
        Ok(())
    }

    /// Reads a place into a temporary.
    pub fn read(&mut self, from: Place, at: At) -> Lowered<Expr> {
        if self.cursor.is_none() {
            let error = at.error("this reads shared memory");
            return self.globals.fail(error.help("load it into a local on an edge of its own"));
        }
        let to = self.temporary(from.ty);
        let mode = self.mode(crate::Mode::Plain);
        self.emit(Action::Load { to, from, mode }, at)?;
        Ok(Expr::Local(to))
    }

    pub fn graph(&mut self, name: &Name, locations: &[LocationOf]) -> Lowered<()> {
        let mut labels: HashMap<&str, LocationId> = HashMap::new();
        for location in locations {
            let id = self.procedure.add_location(location.grain);
            if labels.insert(&location.label.text, id).is_some() {
                self.globals.errors.push(super::twice(&location.label, "label"));
            }
        }
        self.ends(name, locations, &labels)?;
        for (location, from) in locations.iter().zip(self.procedure.locations.keys()) {
            for edge in &location.edges {
                let span = self.globals.span(edge.at, edge.span);
                let Some(target) = labels.get(edge.target.text.as_str()) else {
                    let text = format!("there is no label `{}`", edge.target.text);
                    self.globals.errors.push(edge.target.at.error(text));
                    continue;
                };
                if let Ok(action) = self.simple(&edge.action, edge.at) {
                    let edge = Edge { action, target: *target, span };
                    self.procedure.locations[from].edges.push(edge);
                }
            }
        }
        Ok(())
    }

    fn ends(
        &mut self,
        name: &Name,
        locations: &[LocationOf],
        labels: &HashMap<&str, LocationId>,
    ) -> Lowered<()> {
        let mut entries = locations.iter().filter(|l| l.entry);
        let mut exits = locations.iter().filter(|l| l.exit);
        let entry = entries.next();
        let Some(exit) = exits.next() else {
            let error = name.at.error(format!("no location of `{}` is its exit", name.text));
            return self.globals.fail(error.help("mark it, as in `exit L9:`"));
        };
        for (second, what) in [(entries.next(), "entry"), (exits.next(), "exit")] {
            if let Some(second) = second {
                let text = format!("`{}` has an {what} already", name.text);
                return self.globals.fail(second.label.at.error(text));
            }
        }
        self.procedure.exit = labels[exit.label.text.as_str()];
        if let Some(entry) = entry {
            self.procedure.entry = labels[entry.label.text.as_str()];
        }
        Ok(())
    }
}
