//! What was found, told: the sources with annotations, the annotations alone, or JSON.

use std::collections::BTreeSet;

use selvedge_infer::Goal;
use selvedge_report::counted;
use serde_json::{Value, json};

use super::Found;
use super::source::{Comment, obstacle};
use crate::args::Infer;
use crate::status::{Refusal, Status};
use crate::terminal;

pub fn tell(options: &Infer, found: &Found) -> Result<Status, Refusal> {
    if options.is_json() {
        terminal::print(&format!("{:#}\n", as_json(found)));
    } else {
        terminal::complain(&summary(found));
        if options.annotations {
            terminal::print(&annotations(found));
        } else if options.output.is_none() && !options.in_place {
            terminal::print(&found.texts.concat());
        }
    }
    write(options, found)?;
    Ok(Status::Safe)
}

fn write(options: &Infer, found: &Found) -> Result<(), Refusal> {
    for (source, text) in found.sources.files.iter().zip(&found.texts) {
        let path = match &options.output {
            Some(folder) => folder.join(source.path.file_name().unwrap_or_default()),
            None if options.in_place => source.path.clone(),
            None => continue,
        };
        let unchanged = options.in_place && *text == source.text();
        if !unchanged && let Err(error) = std::fs::write(&path, text) {
            return Err(Refusal::input(format!("cannot write {}: {error}", path.display())));
        }
    }
    Ok(())
}

/// The line of the original that a comment stands at.
fn stands_at(found: &Found, comment: &Comment) -> String {
    format!("{}:{}", found.sources.files[comment.spot.file].name, comment.spot.line)
}

fn annotations(found: &Found) -> String {
    let each = found.comments.iter().flat_map(|comment| {
        let at = stands_at(found, comment);
        comment.clauses.iter().map(move |clause| format!("{at}: {clause}\n"))
    });
    each.chain(found.threads.iter().map(|thread| format!("\n{}", thread.text))).collect()
}

/// The checks of the program that are proved only with the annotations.
fn gained(found: &Found) -> BTreeSet<&Goal> {
    let inferred = &found.inferred;
    inferred
        .held
        .proved
        .iter()
        .filter(|goal| goal.program && !inferred.before.contains(goal))
        .collect()
}

fn summary(found: &Found) -> String {
    let inferred = &found.inferred;
    let lines: usize = found.comments.iter().map(|comment| comment.clauses.len()).sum();
    let mut text = match lines {
        0 => "no annotations found".to_owned(),
        _ => format!("{} found, all proved", counted(lines as u64, "annotation")),
    };
    text.push_str(&format!(
        " ({} tried, {})\n",
        inferred.tried,
        counted(inferred.checks as u64, "check")
    ));
    let proved = inferred.held.proved.iter().filter(|goal| goal.program).count();
    let gained = gained(found);
    text.push_str(&format!(
        "{} of the program proved, {} of them only with the annotations\n",
        counted(proved as u64, "check"),
        gained.len()
    ));
    for goal in &gained {
        text.push_str(&format!("  proved: {}\n", shown(goal)));
    }
    for (goal, why) in &inferred.held.reasons {
        text.push_str(&format!("  not proved: {} ({why})\n", shown(goal)));
    }
    if !found.threads.is_empty() {
        text.push_str(&format!(
            "{} found, with which `conform` proves all assertions\n",
            counted(found.threads.len() as u64, "abstract thread")
        ));
    }
    for candidate in &inferred.misplaced {
        if let Some(why) = misplaced(found, candidate) {
            text.push_str(&format!("  not written: {candidate} ({why})\n"));
        }
    }
    for assumption in &inferred.held.assumptions {
        text.push_str(&format!("assumed: {assumption}\n"));
    }
    if !inferred.whole {
        text.push_str("the limit was reached: more time may give more annotations, or fewer\n");
    }
    text
}

/// Why a candidate has no place. Those that mean nothing where they were put are not worth a word.
fn misplaced(found: &Found, candidate: &selvedge_infer::Candidate) -> Option<String> {
    let (places, sources) = (&found.sources.places, &found.sources.files);
    let has_place = super::source::spot(places, sources, candidate).is_some();
    (!has_place).then(|| obstacle(places, sources, candidate))
}

fn shown(goal: &Goal) -> String {
    format!("{}: {}", goal.place, goal.what.trim_end_matches(" may fail"))
}

fn as_json(found: &Found) -> Value {
    let inferred = &found.inferred;
    let annotations = found.comments.iter().flat_map(|comment| {
        let why = comment.of.first().map(|&first| inferred.held.kept[first].why.as_str());
        let file = &found.sources.files[comment.spot.file].name;
        comment.clauses.iter().map(move |clause| {
            json!({ "file": file, "line": comment.spot.line, "clause": clause, "why": why })
        })
    });
    let goal = |goal: &Goal| json!({ "place": goal.place, "what": goal.what });
    let open = inferred
        .held
        .reasons
        .iter()
        .map(|(at, why)| json!({ "place": at.place, "what": at.what, "reason": why }));
    let misplaced = inferred.misplaced.iter().filter_map(|candidate| {
        let reason = misplaced(found, candidate)?;
        Some(json!({ "clause": candidate.to_string(), "reason": reason }))
    });
    let files = found.sources.files.iter().zip(&found.texts);
    let threads = found.threads.iter().map(
        |thread| json!({ "file": found.sources.files[thread.file].name, "text": thread.text }),
    );
    json!({
        "annotations": annotations.collect::<Vec<_>>(),
        "proved": gained(found).into_iter().map(goal).collect::<Vec<_>>(),
        "not_proved": open.collect::<Vec<_>>(),
        "not_written": misplaced.collect::<Vec<_>>(),
        "abstract_threads": threads.collect::<Vec<_>>(),
        "assumed": inferred.held.assumptions,
        "proved_checks": inferred.held.proved.iter().filter(|goal| goal.program).count(),
        "tried": inferred.tried,
        "checks": inferred.checks,
        "complete": inferred.whole,
        "files": files
            .map(|(file, text)| json!({ "name": file.name, "text": text }))
            .collect::<Vec<_>>(),
    })
}
