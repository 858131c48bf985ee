//! How much memory a search may use where the user does not say, and how much is in use.

use std::fs;

/// Taken where the system tells nothing.
const FALLBACK: u64 = 2 << 30;

/// Half of what is free now, and half of what this process may address: the search stops cleanly
/// long before the system would have to stop it.
pub fn default_limit() -> u64 {
    let free = fs::read_to_string("/proc/meminfo").ok().and_then(|text| available(&text));
    let own = fs::read_to_string("/proc/self/limits").ok().and_then(|text| address_space(&text));
    let least = [free, own].into_iter().flatten().min();
    least.map_or(FALLBACK, |bytes| bytes / 2)
}

/// Bytes of this process that are in memory now.
pub fn in_use() -> Option<u64> {
    resident(&fs::read_to_string("/proc/self/status").ok()?)
}

/// `VmRSS` of /proc/self/status, in bytes.
fn resident(status: &str) -> Option<u64> {
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    kib.checked_mul(1024)
}

/// `MemAvailable` of /proc/meminfo, in bytes.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    kib.checked_mul(1024)
}

/// The soft limit of /proc/self/limits; none if it is `unlimited`.
fn address_space(limits: &str) -> Option<u64> {
    let line = limits.lines().find(|line| line.starts_with("Max address space"))?;
    line.split_whitespace().nth(3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_linux_says() {
        let meminfo = "MemTotal:       100 kB\nMemAvailable:   50 kB\n";
        assert_eq!(available(meminfo), Some(50 << 10));
        assert_eq!(resident("VmSize:\t 9 kB\nVmRSS:\t 7 kB\n"), Some(7 << 10));
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
            Max address space         12884901888          12884901888          bytes\n";
        assert_eq!(address_space(limits), Some(12 << 30));
        assert_eq!(address_space("Max address space  unlimited  unlimited  bytes"), None);
    }
}
