//! `unwritable_by_env_if \holder(m) == \tid`: a lock is held wherever somebody writes.
//!
//! A lock that is held at one of the writes at least is tried, those first that are held at most of
//! them: writes to objects that nobody else knows yet need no lock, and which these are the survey
//! does not tell.

use std::collections::BTreeMap;

use crate::candidate::{Candidate, Site, Why, Word};
use crate::survey::Survey;

/// Locks that are tried for one place.
const TRIED: usize = 2;

pub fn candidates(survey: &Survey) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (site, locks) in by_site(survey) {
        let mut locks: Vec<(String, usize)> = locks.into_iter().collect();
        locks.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
        for (mutex, _) in locks.into_iter().take(TRIED) {
            found.push(Candidate {
                site: site.clone(),
                word: Word::UnwritableByEnvIf,
                text: holds(&mutex),
                why: Why::Lock,
            });
        }
    }
    found
}

/// How often each lock is held at writes, by what an annotation would stand at.
pub fn by_site(survey: &Survey) -> BTreeMap<Site, BTreeMap<String, usize>> {
    let program = &survey.program;
    let mut found: BTreeMap<Site, BTreeMap<String, usize>> = BTreeMap::new();
    for (place, writes) in survey.written() {
        let Some(site) = place.site(program).filter(|_| !place.is_mutex(program)) else {
            continue;
        };
        let locks = found.entry(site).or_default();
        for held in writes.iter().flat_map(|write| &write.held) {
            if let Some(mutex) = held.mutex_at(program, place) {
                *locks.entry(mutex).or_default() += 1;
            }
        }
    }
    found
}

pub fn holds(mutex: &str) -> String {
    format!("\\holder({mutex}) == \\tid")
}

pub fn is_free(mutex: &str) -> String {
    format!("\\holder({mutex}) == 0")
}
