//! What an annotation computes, and the procedure without it.
//!
//! An annotation is lowered where it stands, between two locations of the body. The program itself
//! does not do these actions: it goes from the one location to the other.

use std::ops::Range;

use selvedge_ir::{Action, Span};

use super::{Arc, Body, Loc, Mark};

/// The actions of an annotation: all that leads from `start` to `end`.
#[derive(Clone, Debug)]
pub(super) struct Aside {
    start: Loc,
    end: Loc,
    /// The stack objects that were made for it, by their numbers.
    objects: Range<usize>,
    span: Span,
}

/// An annotation whose actions are being emitted.
pub(crate) struct OpenAside {
    start: Loc,
    objects: usize,
}

impl Body {
    /// Begins the actions of an annotation.
    pub fn open_aside(&mut self) -> OpenAside {
        debug_assert!(self.nodes[self.current.0 as usize].edges.is_empty());
        OpenAside { start: self.current, objects: self.stack.len() }
    }

    /// Ends them; what follows belongs to the program again.
    pub fn close_aside(&mut self, open: OpenAside, span: Span) {
        self.settle();
        let objects = open.objects..self.stack.len();
        self.asides.push(Aside { start: open.start, end: self.current, objects, span });
    }

    /// The body without the actions of annotations; none if it has none.
    pub fn without_asides(&self) -> Option<Body> {
        if self.asides.is_empty() {
            return None;
        }
        let mut plain = self.clone();
        for Aside { start, end, objects, span } in plain.asides.drain(..).rev() {
            let skip = Arc { action: Action::Skip, target: end, span, mark: Mark::None };
            plain.nodes[start.0 as usize].edges = vec![skip];
            plain.stack.drain(objects);
        }
        Some(plain)
    }
}
