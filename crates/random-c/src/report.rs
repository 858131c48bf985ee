//! What came of a campaign.

use std::collections::BTreeMap;
use std::fmt;

/// A program on which Selvedge and a real execution differ.
#[derive(Clone, Debug)]
pub struct Difference {
    pub seed: u64,
    pub what: String,
    /// The program, made as small as it would go.
    pub program: String,
}

#[derive(Clone, Debug, Default)]
pub struct Report {
    pub programs: u64,
    pub agree: u64,
    /// Reasons for UNKNOWN, with how many programs each.
    pub open: BTreeMap<String, u64>,
    /// Programs without anything to compare with.
    pub skipped: BTreeMap<String, u64>,
    pub differences: Vec<Difference>,
}

impl Report {
    pub fn add(&mut self, other: Report) {
        self.programs += other.programs;
        self.agree += other.agree;
        for (reason, count) in other.open {
            *self.open.entry(reason).or_default() += count;
        }
        for (reason, count) in other.skipped {
            *self.skipped.entry(reason).or_default() += count;
        }
        self.differences.extend(other.differences);
    }
}

/// Reasons that are listed.
const LISTED: usize = 20;

fn table(f: &mut fmt::Formatter<'_>, title: &str, counts: &BTreeMap<String, u64>) -> fmt::Result {
    let mut rows: Vec<(&String, &u64)> = counts.iter().collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    writeln!(f, "{title}: {}", rows.iter().map(|(_, count)| **count).sum::<u64>())?;
    for (reason, count) in rows.iter().take(LISTED) {
        writeln!(f, "{count:8} {reason}")?;
    }
    Ok(())
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (programs, agree) = (self.programs, self.agree);
        writeln!(f, "{programs} programs: {agree} agree, {} differ", self.differences.len())?;
        table(f, "no answer", &self.open)?;
        table(f, "not compared", &self.skipped)?;
        for Difference { seed, what, program } in &self.differences {
            writeln!(f, "seed {seed}: {what}\n{program}")?;
        }
        Ok(())
    }
}
