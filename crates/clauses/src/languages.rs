//! The languages of all relations of the clauses.

use selvedge_smt::Terms;

use super::comparisons::Comparisons;
use super::frame::Frame;
use super::guess::Language;
use super::rules::Clauses;

/// What can be said of each relation, with pairs of features or without.
pub fn languages(
    terms: &mut Terms,
    frame: &Frame<'_>,
    clauses: &Clauses,
    pairs: bool,
) -> Vec<Language> {
    let comparisons = Comparisons::of(terms, frame.view);
    let parameters = clauses.parameters(terms);
    let both = clauses.keys.iter().zip(parameters);
    let languages = both.map(|(key, parameters)| {
        let features = comparisons.features(terms, frame, key, &parameters);
        Language::new(parameters, features, pairs)
    });
    languages.collect()
}
