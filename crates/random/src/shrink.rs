//! Makes a program smaller while it keeps showing what was found.

use selvedge_ir::{Action, EdgeId, LocationId, Multiplicity, ProcId, Program, check};

/// The smallest program that greedy removal reaches: threads go, actions become `Skip`, chains of
/// `Skip` contract. `shows` says whether a candidate still shows the finding.
pub fn shrink(program: &Program, shows: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    loop {
        let smaller = candidates(&best).find(|candidate| {
            size(candidate) < size(&best) && check::check(candidate).is_empty() && shows(candidate)
        });
        match smaller {
            Some(candidate) => best = candidate,
            None => return tidied(&best),
        }
    }
}

/// Without locations that no way leads to.
fn tidied(program: &Program) -> Program {
    let mut tidy = program.clone();
    for (id, procedure) in &mut tidy.procedures {
        let mut kept = reachable(program, id);
        if !kept.contains(&procedure.exit) {
            kept.push(procedure.exit);
        }
        let new = |old: LocationId| {
            let index = kept.iter().position(|&l| l == old).expect("targets are kept");
            LocationId::from_u32(index as u32)
        };
        let old = std::mem::take(&mut procedure.locations);
        for &location in &kept {
            let mut location = old[location].clone();
            location.edges.iter_mut().for_each(|edge| edge.target = new(edge.target));
            procedure.locations.push(location);
        }
        procedure.entry = new(procedure.entry);
        procedure.exit = new(procedure.exit);
    }
    tidy
}

/// What shrinking makes less: threads first, then actions, then locations.
fn size(program: &Program) -> (u32, usize, usize, usize) {
    let threads = program
        .threads
        .iter()
        .map(|t| match t.count {
            Multiplicity::Exactly(n) => n,
            Multiplicity::Any => 100,
        })
        .sum();
    let edges = || program.procedures.values().flat_map(|p| p.edges());
    let actions = edges().filter(|(_, e)| e.action != Action::Skip).count();
    let reachable = program.procedures.keys().map(|p| reachable(program, p).len()).sum();
    (threads, actions, reachable, edges().count())
}

fn reachable(program: &Program, procedure: ProcId) -> Vec<LocationId> {
    let p = &program.procedures[procedure];
    let mut seen = vec![p.entry];
    let mut next = 0;
    while next < seen.len() {
        for edge in &p.locations[seen[next]].edges {
            if !seen.contains(&edge.target) {
                seen.push(edge.target);
            }
        }
        next += 1;
    }
    seen
}

fn candidates(program: &Program) -> impl Iterator<Item = Program> + '_ {
    let fewer_threads = (0..program.threads.len()).map(|index| without_thread(program, index));
    let edges = || {
        program.procedures.iter().flat_map(|(proc, p)| p.edges().map(move |(edge, _)| (proc, edge)))
    };
    let skipped = edges().map(|(proc, edge)| with_skip(program, proc, edge));
    let dropped = edges().map(|(proc, edge)| without_edge(program, proc, edge));
    let contracted = program
        .procedures
        .iter()
        .flat_map(|(proc, p)| p.locations.keys().map(move |location| (proc, location)))
        .map(|(proc, location)| contracted(program, proc, location));
    fewer_threads.chain(skipped).chain(dropped).chain(contracted)
}

fn without_thread(program: &Program, index: usize) -> Program {
    let mut smaller = program.clone();
    match &mut smaller.threads[index].count {
        Multiplicity::Exactly(n) if *n > 1 => *n -= 1,
        _ => {
            smaller.threads.remove(index);
        }
    }
    smaller
}

fn with_skip(program: &Program, proc: ProcId, edge: EdgeId) -> Program {
    let mut smaller = program.clone();
    smaller.procedures[proc].locations[edge.from].edges[edge.index as usize].action = Action::Skip;
    smaller
}

fn without_edge(program: &Program, proc: ProcId, edge: EdgeId) -> Program {
    let mut smaller = program.clone();
    let edges = &mut smaller.procedures[proc].locations[edge.from].edges;
    if edges.len() > 1 {
        edges.remove(edge.index as usize);
    }
    smaller
}

/// The location is passed over where all it does is `Skip`.
fn contracted(program: &Program, proc: ProcId, location: LocationId) -> Program {
    let mut smaller = program.clone();
    let p = &mut smaller.procedures[proc];
    let [edge] = p.locations[location].edges.as_slice() else { return smaller };
    let target = edge.target;
    let same_grain = p.locations[location].grain == p.locations[target].grain;
    if edge.action != Action::Skip || target == location || !same_grain {
        return smaller;
    }
    for other in p.locations.values_mut() {
        for edge in &mut other.edges {
            if edge.target == location {
                edge.target = target;
            }
        }
    }
    if p.entry == location {
        p.entry = target;
    }
    smaller
}
