//! Which Z3 is linked.

/// The release that the build provides.
const WANTED: &str = include_str!("../z3-version").trim_ascii();

/// The oldest release whose interface is the one that we were compiled for.
const OLDEST: (u32, u32) = (5, 3);

/// Whether the library that the loader found is one that we can use. To be asked once at start-up:
/// an older one gives wrong operators for formulas, not errors.
pub fn version_check() -> Result<(), String> {
    check(z3::full_version())
}

fn check(found: &str) -> Result<(), String> {
    let mut numbers = found.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    let version = match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor),
        _ => return Err(format!("Z3 does not tell its version but says `{found}`")),
    };
    if version >= OLDEST {
        return Ok(());
    }
    Err(format!(
        "Z3 {found} is too old: {}.{} or newer is needed. `cargo xtask z3` fetches {WANTED}; \
         if it is there, another libz3.so comes first on the loader's path (LD_LIBRARY_PATH)",
        OLDEST.0, OLDEST.1
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_provided_library_is_used() {
        assert_eq!(version_check(), Ok(()));
        assert!(z3::full_version().starts_with(WANTED), "{}", z3::full_version());
    }

    #[test]
    fn old_ones_are_refused() {
        assert!(check("4.8.12.0").unwrap_err().contains("too old"));
        assert!(check("5.2.0").is_err());
        assert!(check("5.10.1").is_ok());
        assert!(check("what").is_err());
    }
}
