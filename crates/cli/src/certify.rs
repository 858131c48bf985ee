//! `selvedge certify`: a certificate of safety checked again.

use selvedge_certify::{
    Accepted, Certificate, Rejected, check, check_alone, evidence, outline, program_of,
};
use selvedge_report::counted;
use selvedge_smt::Limits;

use crate::args::Certify;
use crate::status::{Refusal, Status};
use crate::{certified, conform, cover, input, locked, terminal, verify};

pub fn certify(options: &Certify) -> Result<Status, Refusal> {
    if let Err(message) = selvedge_smt::version_check() {
        return Err(Refusal { status: Status::Unknown, message: format!("error: {message}\n") });
    }
    let shown = options.certificate.display();
    let text = input::read_text(&options.certificate)?;
    if evidence::Certificate::is_one(&text) {
        return cover::certify(&text, options);
    }
    if selvedge_conform::is_one(&text) {
        return conform::certify(&text, options);
    }
    if selvedge_certify_contracts::is_one(&text) {
        return certified::certify(&text, options);
    }
    if selvedge_certify_locks::is_one(&text) {
        return locked::certify(&text, options);
    }
    let certificate = Certificate::from_json(&text)
        .map_err(|error| Refusal::input(format!("{shown}: {error}")))?;
    if options.outline {
        let program = program_of(&certificate)
            .map_err(|error| Refusal::input(format!("{shown}: {error}")))?;
        let passes = certificate.options();
        terminal::print(&outline(&program, &passes, certificate.arithmetic));
        return Ok(Status::Safe);
    }
    let limits = Limits {
        time: options.time.0,
        dump: verify::queries(options.queries.as_deref())?,
        ..Limits::default()
    };
    let result = if options.files.is_empty() {
        check_alone(&certificate, &limits)
    } else {
        let malformed = |error| Refusal::input(format!("{shown}: {error}"));
        let own = program_of(&certificate).map_err(malformed)?;
        let checks = own.checks.unwrap_or_else(|| certificate.properties.clone());
        let program = input::load(&options.files, &options.preprocessor, &checks, false)?.program;
        check(&program, &certificate, &limits)
    };
    if result.is_ok() && options.files.is_empty() {
        terminal::print(&embedded(&certificate));
    }
    tell(&certificate, result).map_err(|error| Refusal::input(format!("{shown}: {error}")))
}

/// What the program is that was proved, where no sources were named.
fn embedded(certificate: &Certificate) -> String {
    let checks = program_of(certificate).ok().and_then(|program| program.checks);
    let lowered = match checks {
        Some(checks) => {
            let names: Vec<&str> = checks.iter().map(|property| property.name()).collect();
            format!("lowered with the checks of {}", names.join(", "))
        }
        None => "a model, with the checks that are written in it".to_owned(),
    };
    format!("program: as the certificate carries it, {lowered}; not compared with sources\n")
}

/// Tells what came of it; an error is about a certificate that has no meaning.
fn tell(certificate: &Certificate, result: Result<Accepted, Rejected>) -> Result<Status, String> {
    let (text, status) = match result {
        Ok(accepted) => {
            let names: Vec<&str> = certificate.properties.iter().map(|p| p.name()).collect();
            let mut text = format!("proved: {}\n", names.join(", "));
            for assumption in &accepted.assumptions {
                text.push_str(&format!("assumed: {assumption}\n"));
            }
            text.push_str(&format!(
                "checked in {:.2} s, {} asked of the solver\ncertificate: accepted ({})\n",
                accepted.time.as_secs_f64(),
                counted(accepted.asked as u64, "question"),
                counted(accepted.obligations as u64, "obligation"),
            ));
            (text, Status::Safe)
        }
        Err(Rejected::Malformed(why)) => return Err(why),
        Err(rejected @ Rejected::Undecided { .. }) => {
            (format!("{rejected}\ncertificate: not decided\n"), Status::Unknown)
        }
        Err(rejected) => (format!("{rejected}\ncertificate: rejected\n"), Status::Unsafe),
    };
    terminal::print(&text);
    Ok(status)
}
