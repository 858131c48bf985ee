//! `cargo xtask fuzz`: engines against an exhaustive search, on random programs.
//!
//! The campaigns live with what they test; here only their size is set.

use crate::system::{self, Outcome, cargo};
use crate::z3;

/// A campaign: the test that runs it, and its usual size.
struct Campaign {
    name: &'static str,
    package: &'static str,
    /// What `cargo test` is told.
    test: &'static [&'static str],
    programs: u64,
}

const CAMPAIGNS: [Campaign; 9] = [
    Campaign {
        name: "explore",
        package: "selvedge-engines",
        test: &["--test", "agreement", "explore"],
        programs: 5_000,
    },
    Campaign {
        name: "contexts",
        package: "selvedge-engines",
        test: &["--test", "agreement", "contexts"],
        programs: 5_000,
    },
    Campaign {
        name: "tar",
        package: "selvedge-engines",
        test: &["--test", "agreement", "tar"],
        programs: 5_000,
    },
    Campaign {
        name: "horn",
        package: "selvedge-engines",
        test: &["--test", "agreement", "horn"],
        programs: 1_000,
    },
    Campaign {
        name: "cover",
        package: "selvedge-engines",
        test: &["--test", "agreement", "cover"],
        programs: 1_000,
    },
    // Explore with and without each of its reductions.
    Campaign {
        name: "reductions",
        package: "selvedge-random",
        test: &["--test", "random"],
        programs: 10_000,
    },
    // The search of cover, on random thread transition systems.
    Campaign {
        name: "coverability",
        package: "selvedge-cover",
        test: &["--test", "coverability"],
        programs: 5_000,
    },
    // What is accepted must be safe.
    Campaign {
        name: "certify",
        package: "selvedge-certify",
        test: &["--lib", "random"],
        programs: 2_500,
    },
    // The steps of the system against executions.
    Campaign {
        name: "system",
        package: "selvedge-system",
        test: &["--test", "mirror"],
        programs: 5_000,
    },
];

pub fn fuzz(args: &[&str]) -> Outcome<()> {
    let (campaign, count) = read(args)?;
    campaign.run(count)
}

/// Every campaign, in its usual size.
pub fn all() -> Outcome<()> {
    CAMPAIGNS.iter().try_for_each(|campaign| campaign.run(campaign.programs))
}

fn read<'a>(args: &[&str]) -> Outcome<(&'a Campaign, u64)> {
    let (engine, rest) = match args {
        [engine, rest @ ..] if engine.parse::<u64>().is_err() => (*engine, rest),
        rest => ("explore", rest),
    };
    let campaign = CAMPAIGNS.iter().find(|campaign| campaign.name == engine);
    let campaign = campaign.ok_or_else(|| {
        let names: Vec<&str> = CAMPAIGNS.iter().map(|campaign| campaign.name).collect();
        format!("nothing called `{engine}` to fuzz; there are {}", names.join(", "))
    })?;
    match rest {
        [] => Ok((campaign, campaign.programs)),
        [count] => {
            let count = count.parse().map_err(|_| format!("`{count}` is not a number"))?;
            Ok((campaign, count))
        }
        _ => Err("fuzz takes an engine and a number of programs".to_string()),
    }
}

impl Campaign {
    fn run(&self, count: u64) -> Outcome<()> {
        z3::provide()?;
        let jobs = std::thread::available_parallelism().map_or(1, |n| n.get());
        system::must(
            cargo()
                .args(["test", "--release", "--package", self.package])
                .args(self.test)
                .args(["--", "--nocapture"])
                .env("SELVEDGE_RANDOM", count.to_string())
                .env("SELVEDGE_JOBS", jobs.to_string()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments() {
        let read = |args: &[&str]| read(args).map(|(campaign, count)| (campaign.name, count));
        assert_eq!(read(&[]), Ok(("explore", 5_000)));
        assert_eq!(read(&["7"]), Ok(("explore", 7)));
        assert_eq!(read(&["contexts"]), Ok(("contexts", 5_000)));
        assert_eq!(read(&["contexts", "9"]), Ok(("contexts", 9)));
        assert!(read(&["magic"]).is_err() && read(&["contexts", "many"]).is_err());
        assert!(read(&["contexts", "1", "2"]).is_err());
    }
}
