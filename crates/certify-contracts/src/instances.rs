//! Instances of what is assumed on a path.

use crate::memory::parts;
use crate::path::{Part, Path};
use crate::world::World;

impl World<'_> {
    /// Instantiates what is assumed until nothing new comes up.
    pub fn settle(&mut self, path: &mut Path) {
        loop {
            let before = path.facts.len();
            self.settle_assumed(path);
            self.settle_passages(path);
            if path.facts.len() == before {
                return;
            }
        }
    }

    fn settle_assumed(&mut self, path: &mut Path) {
        for index in 0..path.assumed.len() {
            let assumed = path.assumed[index].clone();
            for values in path.tuples(&assumed.0) {
                if path.instances.insert((index, values.clone())) {
                    let instance = self.instance(path, &assumed.0, &assumed.1, &values);
                    self.fact(path, instance);
                }
            }
        }
    }

    fn settle_passages(&mut self, path: &mut Path) {
        for index in 0..path.passages.len() {
            let passage = path.passages[index].clone();
            for object in path.objects.clone() {
                if path.settled.insert((index, Part::Object(object))) {
                    let fact = self.passes(&passage, object);
                    self.fact(path, fact);
                }
            }
            for (kept, at) in path.cells.clone() {
                if passage.is_by_cells(kept) && path.settled.insert((index, Part::Cell(kept, at))) {
                    let fact = self.leaves_cell(path, &passage, kept, at);
                    self.fact(path, fact);
                    path.consider_object(parts(at).0);
                }
            }
        }
    }
}
