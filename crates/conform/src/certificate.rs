//! The certificate of a proof in parts: the program with its specification, and the evidence for
//! each part. Whoever checks it makes the parts again from the program.

use selvedge_abstract_threads::Subject;
use selvedge_certify as certify;
use selvedge_engines::{Engine, Knobs};
use selvedge_ir::{Program, Property, text};
use selvedge_smt::Limits;
use selvedge_verdict::{
    Budget, Conformance, Evidence, Obligation, Options, Proof, Run, Stop, Verdict, obligations,
};
use serde::{Deserialize, Serialize};

/// What the file says it is.
pub const FORMAT: &str = "selvedge conformance";

/// Of the format; others are refused.
const VERSION: u32 = 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// [`FORMAT`].
    pub format: String,
    pub version: u32,
    /// The lowered program with its specification, as Plato text.
    pub program: String,
    /// One for each abstract thread, one for each contract that is used, then one for the composition.
    pub parts: Vec<PartEvidence>,
}

/// Why one part is correct.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PartEvidence {
    Certificate(Box<certify::Certificate>),
    /// All states of the part were visited: who checks visits them again.
    Search,
}

/// What a check has come to.
#[derive(Clone, Debug)]
pub struct Checked {
    pub conformance: Conformance,
}

/// Whether a text is a certificate of this kind, good or bad.
pub fn is_one(text: &str) -> bool {
    let format = |value: serde_json::Value| value["format"] == FORMAT;
    serde_json::from_str(text).is_ok_and(format)
}

impl Certificate {
    /// None where there is a part that has no evidence of its own.
    pub fn of(program: &Program, conformance: &Conformance) -> Option<Certificate> {
        let evidence = |(_, proof): &(Obligation, Proof)| match proof.evidence() {
            Evidence::Certificate(certificate, _) => {
                Some(PartEvidence::Certificate(certificate.clone()))
            }
            Evidence::Exhausted(_) => Some(PartEvidence::Search),
            Evidence::Parts(_) | Evidence::Contracts(..) | Evidence::Locks(..) => None,
        };
        let parts = conformance.parts().iter().map(evidence).collect::<Option<Vec<_>>>()?;
        let program = text::print(program);
        Some(Certificate { format: FORMAT.to_owned(), version: VERSION, program, parts })
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a certificate has only plain data")
    }

    pub fn from_json(text: &str) -> Result<Certificate, String> {
        let certificate: Certificate =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        match certificate.version {
            VERSION => Ok(certificate),
            other => Err(format!("version {other}, but this version reads version {VERSION}")),
        }
    }

    /// The program that it is about.
    pub fn program(&self) -> Result<Program, String> {
        selvedge_ir::check::carried(&self.program)
    }
}

/// Checks that the certificate proves the program safe.
pub fn check(
    program: &Program,
    certificate: &Certificate,
    limits: &Limits,
    run: &Run<'_>,
) -> Result<Checked, Stop> {
    let options: Options<Knobs> = Options::new(&[Property::Assert]);
    let subject: Subject = run.subject(program)?;
    let all = obligations(&subject).len();
    if certificate.parts.len() != all {
        let found = certificate.parts.len();
        return Err(rejected(format!("it has evidence for {found} parts, and there are {all}")));
    }
    let mut parts = certificate.parts.iter();
    let conformance = Conformance::prove(&subject, |_, program| match parts.next() {
        Some(PartEvidence::Certificate(part)) => {
            Proof::checked(program, &options, (**part).clone(), limits)
                .map_err(|why| rejected(why.to_string()))
        }
        Some(PartEvidence::Search) => searched(program, &options, limits),
        None => Err(rejected("a part has no evidence".to_owned())),
    })?;
    Ok(Checked { conformance })
}

/// A part that was proved by a search is searched again.
fn searched(program: &Program, options: &Options<Knobs>, limits: &Limits) -> Result<Proof, Stop> {
    let mut run = Run::silent(Budget { time: limits.time, ..Budget::unlimited() });
    match selvedge_engines::verify(Engine::Explore, program, options, &mut run)? {
        Verdict::Safe(proof) => Ok(proof),
        Verdict::Unsafe(_) => Err(rejected("a part goes wrong".to_owned())),
    }
}

fn rejected(why: String) -> Stop {
    Stop::NotCertified { why }
}
