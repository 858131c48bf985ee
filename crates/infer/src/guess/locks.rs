//! `unwritable_by_env_if \holder(m) == \tid`: a lock is held wherever somebody writes.
//!
//! The locks that are held at all writes are tried; where there are none, that which is held at most
//! of them: writes to objects that nobody else knows yet need no lock, and which these are the survey
//! does not tell.

use std::collections::BTreeMap;

use crate::candidate::{Candidate, Site, Why, Word};
use crate::survey::Survey;

pub fn candidates(survey: &Survey) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (site, Held { writes, locks }) in by_site(survey) {
        let most = locks.values().copied().max().unwrap_or_default();
        let mut tried: Vec<&String> =
            locks.iter().filter(|(_, times)| **times == most).map(|(mutex, _)| mutex).collect();
        if most < writes {
            tried.truncate(1);
        }
        for mutex in tried {
            let text = holds(mutex);
            let word = Word::UnwritableByEnvIf;
            found.push(Candidate { site: site.clone(), word, text, why: Why::Lock });
        }
    }
    found
}

/// How often a place is written, and how often with which locks.
#[derive(Default)]
struct Held {
    writes: usize,
    locks: BTreeMap<String, usize>,
}

/// By what an annotation would stand at.
fn by_site(survey: &Survey) -> BTreeMap<Site, Held> {
    let program = &survey.program;
    let mut found: BTreeMap<Site, Held> = BTreeMap::new();
    for (place, writes) in survey.written() {
        let Some(site) = place.site(program).filter(|_| !place.is_mutex(program)) else {
            continue;
        };
        let held = found.entry(site).or_default();
        held.writes += writes.len();
        for lock in writes.iter().flat_map(|write| &write.held) {
            if let Some(mutex) = lock.mutex_at(program, place) {
                *held.locks.entry(mutex).or_default() += 1;
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
