//! `cargo xtask fuzz`: engines against an exhaustive search, on random programs.
//!
//! The campaigns live with what they test; here only their size is set.

use crate::system::{self, Outcome, cargo};
use crate::z3;

/// A campaign: the test that runs it, and its usual size.
struct Campaign {
    engine: &'static str,
    package: &'static str,
    /// What `cargo test` is told.
    test: &'static [&'static str],
    programs: u64,
}

const CAMPAIGNS: [Campaign; 8] = [
    Campaign {
        engine: "explore",
        package: "selvedge-exec",
        test: &["--test", "random"],
        programs: 10_000,
    },
    Campaign {
        engine: "contexts",
        package: "selvedge-engines",
        test: &["--test", "random", "contexts"],
        programs: 5_000,
    },
    // What is accepted must be safe.
    Campaign {
        engine: "certify",
        package: "selvedge-certify",
        test: &["--lib", "random"],
        programs: 2_500,
    },
    Campaign {
        engine: "cover",
        package: "selvedge-engines",
        test: &["--test", "cover_random"],
        programs: 5_000,
    },
    // The engine on programs; `cover` is its search on systems.
    Campaign {
        engine: "cover-programs",
        package: "selvedge-engines",
        test: &["--test", "cover_programs"],
        programs: 1_000,
    },
    Campaign {
        engine: "horn",
        package: "selvedge-engines",
        test: &["--test", "horn"],
        programs: 1_000,
    },
    Campaign {
        engine: "system",
        package: "selvedge-engines",
        test: &["--test", "mirror"],
        programs: 5_000,
    },
    Campaign {
        engine: "tar",
        package: "selvedge-engines",
        test: &["--test", "tar_random"],
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
    let campaign = CAMPAIGNS.iter().find(|campaign| campaign.engine == engine);
    let campaign = campaign.ok_or_else(|| {
        let names: Vec<&str> = CAMPAIGNS.iter().map(|campaign| campaign.engine).collect();
        format!("no engine `{engine}` to fuzz; there are {}", names.join(", "))
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
        let read = |args: &[&str]| read(args).map(|(campaign, count)| (campaign.engine, count));
        assert_eq!(read(&[]), Ok(("explore", 10_000)));
        assert_eq!(read(&["7"]), Ok(("explore", 7)));
        assert_eq!(read(&["contexts"]), Ok(("contexts", 5_000)));
        assert_eq!(read(&["contexts", "9"]), Ok(("contexts", 9)));
        assert!(read(&["magic"]).is_err() && read(&["contexts", "many"]).is_err());
        assert!(read(&["contexts", "1", "2"]).is_err());
    }
}
