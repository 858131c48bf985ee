//! Races that the system foresees, against those that the machine finds.

use selvedge_exec::Scratch;
use selvedge_ir::{Action, Grain, Property};
use selvedge_smt::Value;
use selvedge_system::{Access, At, Bad, End, Step, Template};

use crate::mirror::Mirror;

/// An access that a thread can do next, with its address.
struct Next {
    thread: usize,
    access: Access,
    object: Value,
    offset: i128,
}

impl Mirror<'_> {
    /// Whether both find a race in this state, or none.
    pub fn races(&mut self) -> Result<(), String> {
        if !self.machine.options.properties.contains(&Property::Race) || self.state.halted {
            return Ok(());
        }
        // In the middle of a block that the system has cut there is no state of the program.
        if (0..self.threads.len()).any(|thread| self.is_inside(thread)) {
            return Ok(());
        }
        let Ok(found) = self.machine.race(&self.state, &mut Scratch::default()) else {
            return Ok(());
        };
        let (next, open) = self.next_accesses();
        // To free what another thread accesses next is a race. The system shows it as the access to
        // freed memory that may follow, which no proof leaves open.
        let open = open || self.some_thread_frees();
        let foreseen = next.iter().enumerate().any(|(i, a)| next[..i].iter().any(|b| races(a, b)));
        self.counts.accesses += u64::from(found.is_some() && foreseen);
        match found {
            Some(race) if !foreseen && !open => Err(format!("missed: {}", race.violation.fault)),
            None if foreseen && !open => Err("a race where there is none".into()),
            _ => Ok(()),
        }
    }

    /// Whether a thread's next action, or one of its next block, ends an object's life.
    fn some_thread_frees(&self) -> bool {
        self.state.thread_ids().filter_map(|id| self.state.thread(id).frames.last()).any(|frame| {
            let locations = &self.machine.program.procedures[frame.procedure].locations;
            let mut seen = vec![frame.at];
            let mut next = 0;
            while let Some(&at) = seen.get(next) {
                next += 1;
                for edge in &locations[at].edges {
                    if matches!(edge.action, Action::Free { .. }) {
                        return true;
                    }
                    if locations[edge.target].grain == Grain::Atomic && !seen.contains(&edge.target)
                    {
                        seen.push(edge.target);
                    }
                }
            }
            false
        })
    }

    /// What can happen next, and whether some of it depends on inputs or on the system's limits.
    fn next_accesses(&self) -> (Vec<Next>, bool) {
        let mut next = Vec::new();
        let mut open = false;
        for thread in 0..self.threads.len() {
            let at = self.threads[thread].at;
            let template = self.template(thread);
            let model = self.model(thread);
            let terms = &self.system.terms;
            let mut steps = template.steps.iter().filter(|step| step.from == at);
            open |= steps.any(|step| gives_up(step) || enters_cut_block(template, step));
            for access in template.accesses.iter().filter(|access| access.at == at) {
                let mut roots = vec![access.guard];
                roots.extend(access.address.terms());
                open |= terms.variables(&roots).into_iter().any(|v| model.get(v).is_none());
                if model.holds(terms, access.guard) {
                    let address = access.address.terms();
                    let object = model.eval(terms, address[0]);
                    let offset = number(&model.eval(terms, address[1]));
                    next.push(Next { thread, access: access.clone(), object, offset });
                }
            }
        }
        (next, open)
    }
}

/// Whether the block that the step begins can be finished is not seen in it.
fn enters_cut_block(template: &Template, step: &Step) -> bool {
    match step.end {
        End::To(At::Cut(to)) => template.locations[to as usize].atomic,
        _ => false,
    }
}

fn gives_up(step: &Step) -> bool {
    matches!(step.end, End::Bad(Bad::Unsupported { .. } | Bad::Wrap { .. }))
}

fn races(a: &Next, b: &Next) -> bool {
    a.thread != b.thread
        && (a.access.write || b.access.write)
        && !(a.access.atomic && b.access.atomic)
        && a.object == b.object
        && a.offset < b.offset + i128::from(b.access.bytes)
        && b.offset < a.offset + i128::from(a.access.bytes)
}

fn number(value: &Value) -> i128 {
    match value {
        Value::Int(number) => i128::try_from(number).expect("an offset"),
        Value::Bv(bits) => bits.signed(),
        other => panic!("{other:?} is no offset"),
    }
}
