//! Smaller sketches that do the same.

use selvedge_ir::Expr;

use crate::sketch::{Sketch, SketchStep};

impl Sketch {
    /// Joins steps that differ in a condition and its negation, leaves out states that do nothing but
    /// go on, and merges states that do the same (bisimulation).
    pub fn minimised(mut self) -> Sketch {
        loop {
            let before = (self.states.len(), self.steps.len());
            self.join_conditions();
            while self.skip_one() {}
            self.merge_bisimilar();
            self.drop_unreachable();
            if (self.states.len(), self.steps.len()) == before {
                return self;
            }
        }
    }

    /// The sketch in which one state stands for two. Its assertions are those of both.
    pub fn merged(&self, one: usize, other: usize) -> Sketch {
        let mut sketch = self.clone();
        let lost = sketch.states[other].clone();
        sketch.states[one].initial |= lost.initial;
        for assert in lost.asserts {
            if !sketch.states[one].asserts.contains(&assert) {
                sketch.states[one].asserts.push(assert);
            }
        }
        sketch.redirect(other, one);
        sketch.drop_unreachable();
        sketch.minimised()
    }

    /// Two steps that are taken if a condition holds and if it does not are one.
    fn join_conditions(&mut self) {
        let mut index = 0;
        while index < self.steps.len() {
            let found = (index + 1..self.steps.len())
                .find_map(|other| Some((other, joined(&self.steps[index], &self.steps[other])?)));
            match found {
                Some((other, step)) => {
                    self.steps.swap_remove(other);
                    self.steps[index] = step;
                    index = 0;
                }
                None => index += 1,
            }
        }
        self.drop_stays();
    }

    fn drop_stays(&mut self) {
        self.steps.retain(|step| step.from != step.to || !step.writes.is_empty());
        let mut kept: Vec<SketchStep> = Vec::new();
        for step in self.steps.drain(..) {
            if !kept.iter().any(|other| covers(other, &step)) {
                kept.retain(|other| !covers(&step, other));
                kept.push(step);
            }
        }
        self.steps = kept;
    }

    /// Leaves out a state that asserts nothing and whose only step goes on without a condition.
    fn skip_one(&mut self) -> bool {
        for state in 0..self.states.len() {
            let mut out = self.steps.iter().filter(|step| step.from == state);
            let (Some(step), None) = (out.next(), out.next()) else { continue };
            let silent = step.writes.is_empty() && step.conditions.is_empty();
            if silent && step.to != state && self.states[state].asserts.is_empty() {
                let to = step.to;
                let initial = self.states[state].initial;
                self.states[to].initial |= initial;
                self.redirect(state, to);
                self.drop_unreachable();
                return true;
            }
        }
        false
    }

    /// Whatever led to a state, or from it, now leads to another, or from it.
    fn redirect(&mut self, from: usize, to: usize) {
        let new = |state: usize| if state == from { to } else { state };
        for step in &mut self.steps {
            (step.from, step.to) = (new(step.from), new(step.to));
        }
        self.states[from].initial = false;
        self.drop_stays();
    }

    fn merge_bisimilar(&mut self) {
        let mut class: Vec<usize> = vec![0; self.states.len()];
        loop {
            let signature = |state: usize| {
                let mut out: Vec<String> = self
                    .steps
                    .iter()
                    .filter(|step| step.from == state)
                    .map(|step| {
                        format!("{:?} {:?} {}", step.conditions, step.writes, class[step.to])
                    })
                    .collect();
                out.sort_unstable();
                out.dedup();
                let mut asserts: Vec<String> =
                    self.states[state].asserts.iter().map(|a| format!("{a:?}")).collect();
                asserts.sort_unstable();
                (class[state], asserts, out)
            };
            let signatures: Vec<_> = (0..self.states.len()).map(signature).collect();
            let mut distinct: Vec<_> = Vec::new();
            let mut refined = Vec::new();
            for signature in &signatures {
                let known = distinct.iter().position(|other| *other == signature);
                refined.push(known.unwrap_or_else(|| {
                    distinct.push(signature);
                    distinct.len() - 1
                }));
            }
            if refined == class {
                break;
            }
            class = refined;
        }
        for state in (0..self.states.len()).rev() {
            if let Some(first) = (0..state).find(|&other| class[other] == class[state]) {
                let initial = self.states[state].initial;
                self.states[first].initial |= initial;
                self.redirect(state, first);
            }
        }
    }

    fn drop_unreachable(&mut self) {
        let mut reached: Vec<bool> = self.states.iter().map(|state| state.initial).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for step in &self.steps {
                if reached[step.from] && !reached[step.to] {
                    (reached[step.to], changed) = (true, true);
                }
            }
        }
        let mut new = vec![usize::MAX; reached.len()];
        let mut states = Vec::new();
        for (state, data) in self.states.iter().enumerate().filter(|(state, _)| reached[*state]) {
            new[state] = states.len();
            states.push(data.clone());
        }
        self.steps.retain(|step| reached[step.from]);
        for step in &mut self.steps {
            (step.from, step.to) = (new[step.from], new[step.to]);
        }
        self.states = states;
    }
}

/// Whether a step allows all that another does: fewer conditions, and any value for some.
fn covers(one: &SketchStep, other: &SketchStep) -> bool {
    let ends = one.from == other.from && one.to == other.to;
    let conditions = one.conditions.iter().all(|part| other.conditions.contains(part));
    let cells = one.writes.len() == other.writes.len();
    let mut writes = one.writes.iter().zip(&other.writes);
    ends && conditions
        && cells
        && writes.all(|((a, new), (b, value))| a == b && (new.is_none() || new == value))
}

/// The step that is taken if either is, where that can be said with fewer conditions.
fn joined(one: &SketchStep, other: &SketchStep) -> Option<SketchStep> {
    let same = one.from == other.from && one.to == other.to && one.writes == other.writes;
    let missing = |a: &SketchStep, b: &SketchStep| -> Vec<Expr> {
        a.conditions.iter().filter(|part| !b.conditions.contains(part)).cloned().collect()
    };
    let (left, right) = (missing(one, other), missing(other, one));
    let conditions = match (&left[..], &right[..]) {
        _ if !same => return None,
        ([], _) => one.conditions.clone(),
        (_, []) => other.conditions.clone(),
        ([a], [b]) if a.clone().not() == *b || b.clone().not() == *a => {
            one.conditions.iter().filter(|part| *part != a).cloned().collect()
        }
        _ => return None,
    };
    Some(SketchStep { conditions, ..one.clone() })
}
