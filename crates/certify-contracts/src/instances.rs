//! Instances of what is assumed on a path.

use crate::memory::parts;
use crate::path::Path;
use crate::world::World;

impl World<'_> {
    /// Instantiates what is assumed until nothing new comes up.
    pub fn settle(&mut self, path: &mut Path) {
        loop {
            let before = (path.facts.len(), path.values_met());
            self.settle_assumed(path);
            self.settle_passages(path);
            if (path.facts.len(), path.values_met()) == before {
                return;
            }
        }
    }

    fn settle_assumed(&mut self, path: &mut Path) {
        for index in 0..path.assumed.len() {
            for values in path.new_choices(index) {
                let holds = path.assumed[index].holds.clone();
                let instance = self.instance(path, &holds.0, &holds.1, &values);
                self.fact(path, instance);
            }
        }
    }

    fn settle_passages(&mut self, path: &mut Path) {
        for index in 0..path.passages.len() {
            let passage = path.passages[index].passage.clone();
            while let Some(&object) = path.objects.get(path.passages[index].objects) {
                path.passages[index].objects += 1;
                let fact = self.passes(&passage, object);
                self.fact(path, fact);
            }
            while let Some(&(kept, at)) = path.cells.get(path.passages[index].cells) {
                path.passages[index].cells += 1;
                if passage.is_by_cells(kept) {
                    let fact = self.leaves_cell(path, &passage, kept, at);
                    self.fact(path, fact);
                    path.consider_object(parts(at).0);
                }
            }
        }
    }
}
