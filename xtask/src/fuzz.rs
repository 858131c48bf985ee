//! `cargo xtask fuzz`: engines against an exhaustive search, and the front end against real
//! compilers, on random programs.
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

const CAMPAIGNS: [Campaign; 12] = [
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
    Campaign {
        name: "locks",
        package: "selvedge-engines",
        test: &["--test", "agreement", "locks"],
        programs: 5_000,
    },
    // Proofs by locks, and certificates that were tampered with, of programs with locks.
    Campaign {
        name: "certify-locks",
        package: "selvedge-locks",
        test: &["--test", "random"],
        programs: 5_000,
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
    // What C means, against gcc and clang.
    Campaign {
        name: C,
        package: "selvedge-random-c",
        test: &["--test", "campaign"],
        programs: 2_000,
    },
];

/// The campaign that needs real compilers.
const C: &str = "c";

/// What is asked of a campaign.
#[derive(Debug, Default, PartialEq, Eq)]
struct Size {
    programs: u64,
    first_seed: u64,
    /// csmith's programs instead of our own.
    csmith: bool,
}

pub fn fuzz(args: &[&str]) -> Outcome<()> {
    let (campaign, size) = read(args)?;
    campaign.run(&size)
}

/// Every campaign, in its usual size.
pub fn all() -> Outcome<()> {
    CAMPAIGNS.iter().try_for_each(|campaign| campaign.run(&campaign.usual()))
}

fn read<'a>(args: &[&str]) -> Outcome<(&'a Campaign, Size)> {
    let (engine, rest) = match args {
        [engine, rest @ ..] if engine.parse::<u64>().is_err() => (*engine, rest),
        rest => ("explore", rest),
    };
    let campaign = CAMPAIGNS.iter().find(|campaign| campaign.name == engine);
    let campaign = campaign.ok_or_else(|| {
        let names: Vec<&str> = CAMPAIGNS.iter().map(|campaign| campaign.name).collect();
        format!("nothing called `{engine}` to fuzz; there are {}", names.join(", "))
    })?;
    Ok((campaign, campaign.size(rest)?))
}

impl Campaign {
    fn usual(&self) -> Size {
        Size { programs: self.programs, ..Size::default() }
    }

    fn size(&self, args: &[&str]) -> Outcome<Size> {
        let number = |text: &str| text.parse().map_err(|_| format!("`{text}` is not a number"));
        let (mut size, mut rest) = match args {
            [count, rest @ ..] if !count.starts_with("--") => {
                (Size { programs: number(count)?, ..Size::default() }, rest)
            }
            rest => (self.usual(), rest),
        };
        loop {
            rest = match rest {
                [] => return Ok(size),
                ["--csmith", rest @ ..] if self.name == C => {
                    size.csmith = true;
                    rest
                }
                ["--seed", seed, rest @ ..] => {
                    size.first_seed = number(seed)?;
                    rest
                }
                _ => return Err("fuzz takes a campaign, a number and `--seed S`".to_string()),
            };
        }
    }

    fn run(&self, size: &Size) -> Outcome<()> {
        z3::provide()?;
        if self.name == C {
            system::provide_c_preprocessor()?;
        }
        if size.csmith {
            system::provide_csmith()?;
        }
        let jobs = std::thread::available_parallelism().map_or(1, |n| n.get());
        system::must(
            cargo()
                .args(["test", "--release", "--package", self.package])
                .args(self.test)
                .args(["--", "--nocapture"])
                .env("SELVEDGE_RANDOM", size.programs.to_string())
                .env("SELVEDGE_SEED", size.first_seed.to_string())
                .env("SELVEDGE_CSMITH", u8::from(size.csmith).to_string())
                .env("SELVEDGE_JOBS", jobs.to_string()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments() {
        let read =
            |args: &[&str]| read(args).map(|(campaign, size)| (campaign.name, size.programs));
        assert_eq!(read(&[]), Ok(("explore", 5_000)));
        assert_eq!(read(&["7"]), Ok(("explore", 7)));
        assert_eq!(read(&["contexts"]), Ok(("contexts", 5_000)));
        assert_eq!(read(&["contexts", "9"]), Ok(("contexts", 9)));
        assert!(read(&["magic"]).is_err() && read(&["contexts", "many"]).is_err());
        assert!(read(&["contexts", "1", "2"]).is_err());
        assert!(read(&["contexts", "1", "--csmith"]).is_err());
    }

    #[test]
    fn options() {
        let read = |args: &[&str]| read(args).map(|(campaign, size)| (campaign.name, size));
        let size = Size { programs: 9, first_seed: 7, csmith: true };
        assert_eq!(read(&["c", "9", "--csmith", "--seed", "7"]), Ok(("c", size)));
        assert_eq!(read(&["c"]), Ok(("c", Size { programs: 2_000, ..Size::default() })));
        assert!(read(&["c", "--seed"]).is_err() && read(&["c", "--seed", "x"]).is_err());
    }
}
