//! What the command line says to single engines.

use selvedge_contexts as contexts;
use selvedge_engines::Knobs;
use selvedge_explore as explore;
use selvedge_ir::{Program, Property};
use selvedge_verdict::Options;

use crate::args::{Contexts, Slice, Verify};
use crate::input::Input;
use crate::names;
use crate::status::Refusal;

pub fn of(input: &Input, options: &Verify) -> Result<Knobs, Refusal> {
    let own = for_dump(input, &options.checks.properties.0, &options.contexts)?;
    let explore = explore::Own {
        symmetry: !options.search.no_symmetry,
        por: !options.search.no_por,
        ..own.explore
    };
    Ok(Knobs { explore, ..own })
}

/// What decides how engines see a program.
pub fn for_dump(
    input: &Input,
    properties: &[Property],
    options: &Contexts,
) -> Result<Knobs, Refusal> {
    let all_races = properties.contains(&Property::Race);
    let predicates = given_predicates(&input.program);
    Ok(Knobs {
        contexts: contexts(&input.program, input.annotated.clone(), properties, options)?,
        tar: selvedge_tar::Own { all_races },
        cover: selvedge_cover::Own { predicates, ..selvedge_cover::Own::default() },
        ..Knobs::default()
    })
}

/// The predicates that the sources give.
fn given_predicates(program: &Program) -> Vec<selvedge_cover::GivenPredicate> {
    let given =
        |(text, span): (&str, _)| selvedge_cover::GivenPredicate { text: text.into(), span };
    program.predicates().map(given).collect()
}

fn contexts(
    program: &Program,
    annotated: Option<Program>,
    properties: &[Property],
    options: &Contexts,
) -> Result<contexts::Own, Refusal> {
    let own = contexts::Own {
        contexts: options.number,
        unwind: options.unwind,
        slice: match options.slice {
            Slice::Auto => contexts::Slice::Auto,
            Slice::Always => contexts::Slice::Always,
            Slice::Off => contexts::Slice::Off,
        },
        track: options.track.clone(),
        points: options.points,
        annotated,
    };
    known_fields(program, &Options::with(properties, own.clone()))?;
    Ok(own)
}

/// So many fields can be listed.
const FEW: usize = 8;

/// A field that does not exist is most likely a slip of the pen.
fn known_fields(program: &Program, options: &Options<contexts::Own>) -> Result<(), Refusal> {
    let Some(wanted) = &options.own.track else { return Ok(()) };
    let fields = contexts::fields(program, options);
    let known = |name: &String| fields.iter().any(|field| contexts::names_field(name, field));
    match wanted.iter().find(|name| !known(name)) {
        None => Ok(()),
        Some(name) => {
            let near = names::near(name, &fields);
            let hint = match (near.as_slice(), fields.as_slice()) {
                ([], []) => "this program has none".to_owned(),
                ([], few) if few.len() <= FEW => format!("there are `{}`", few.join("`, `")),
                ([], _) => "`selvedge dump --stage fields` names the fields".to_owned(),
                (near, _) => format!("did you mean `{}`?", near.join("`, `")),
            };
            Err(Refusal::usage(format!("no field is called `{name}`; {hint}")))
        }
    }
}
