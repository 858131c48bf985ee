//! Abstract threads for what annotations of `contracts` do not prove: suggested for the program with its
//! annotations, put at the end of the files, and proved once more as they stand there.

use selvedge_conform as conform;
use selvedge_infer::Inferred;
use selvedge_ir::{Program, Property};
use selvedge_verdict::{Options, Run, Stop, Verdict};

use super::reader::Sources;

/// An abstract thread, and the file that it belongs to.
pub struct Thread {
    pub file: usize,
    pub text: String,
}

/// What is looked for a suggestion, of what is left of the budget; the rest is for its proof.
const SUGGESTION: f64 = 0.7;

/// Abstract threads with which `conform` proves all assertions, and the texts with them; none where
/// all is proved already, or where there is no suggestion.
pub fn threads(
    sources: &Sources,
    texts: &[String],
    inferred: &Inferred,
    run: &mut Run<'_>,
) -> Vec<Thread> {
    if !inferred.held.open.iter().any(|goal| goal.program) {
        return Vec::new();
    }
    run.progress("looking for abstract threads".to_owned());
    let Ok(program) = compile(sources, texts) else { return Vec::new() };
    let Ok(suggested) = conform::suggest_all(&program, &mut run.part(SUGGESTION)) else {
        return Vec::new();
    };
    let thread = |found: conform::AbstractThreadText| {
        let span = program.procedures[found.thread.procedure].span;
        let name = (!span.is_none()).then(|| &program.files[span.file].name)?;
        let is_copy = |&number: &usize| sources.copy(number).display().to_string() == *name;
        let file = (0..sources.files.len()).find(is_copy)?;
        Some(Thread { file, text: found.text })
    };
    let found: Option<Vec<Thread>> = suggested.into_iter().map(thread).collect();
    let found = found.unwrap_or_default();
    if is_proved(sources, &with(texts, &found), run) { found } else { Vec::new() }
}

/// The texts with abstract threads at their ends.
pub fn with(texts: &[String], threads: &[Thread]) -> Vec<String> {
    let mut texts = texts.to_vec();
    for Thread { file, text } in threads {
        let whole = &mut texts[*file];
        let end = if whole.contains("\r\n") { "\r\n" } else { "\n" };
        if !whole.ends_with('\n') {
            whole.push_str(end);
        }
        whole.push_str(end);
        whole.push_str(&text.replace('\n', end));
    }
    texts
}

fn compile(sources: &Sources, texts: &[String]) -> Result<Program, Stop> {
    let mut settings = sources.settings.clone();
    settings.properties = vec![Property::Assert];
    sources.compile_with(texts, &settings).map_err(|failed| failed.stop())
}

fn is_proved(sources: &Sources, texts: &[String], run: &mut Run<'_>) -> bool {
    let options = Options::new(&[Property::Assert]);
    let verdict = compile(sources, texts)
        .and_then(|program| conform::verify(&program, &options, run, &mut |_| {}));
    matches!(verdict, Ok(Verdict::Safe(_)))
}
