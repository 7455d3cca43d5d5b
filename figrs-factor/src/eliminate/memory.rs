//! Available memory of the machine.

use std::path::Path;

/// Number of bytes assumed to be available if the system does not report its available memory: four gigabytes.
const UNKNOWN: u64 = 4 << 30;

/// Returns three quarters of the memory available to this process, in bytes. The available memory is the smallest of three amounts: that of the
/// machine, that of the process's control group, and that of the address space of the process.
///
/// figrs determines the available memory on Linux only (from `/proc/meminfo` and control groups of both versions). On systems other than Linux, the
/// available memory is taken to be three quarters of 4 GB.
pub fn available_bytes() -> u64 {
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    let machine = read(Path::new("/proc/meminfo")).and_then(|text| available(&text));
    let groups = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let number = |path: &Path| read(path)?.trim().parse::<u64>().ok();
    let left = cgroup_paths(&groups)
        .into_iter()
        .filter_map(|[limit, used]| {
            let (limit, used) = (number(Path::new(&limit))?, number(Path::new(&used))?);
            Some(limit.saturating_sub(used))
        });
    let own = |name: &str| read(&Path::new("/proc/self").join(name));
    let space = own("limits").zip(own("status"));
    let space = space.and_then(|(limits, status)| address_space(&limits, &status));
    let least = left.chain(machine).chain(space).min().unwrap_or(UNKNOWN);
    least / 4 * 3
}

/// Returns the number of available bytes that `meminfo`, the text of `/proc/meminfo`, reports.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// Returns the number of bytes by which the address space of the process may still grow, according to the texts of
/// `/proc/self/limits` and `/proc/self/status`; `None` if there is no limit.
fn address_space(limits: &str, status: &str) -> Option<u64> {
    let limit = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = limit.split_whitespace().next()?.parse().ok()?;
    let used = status
        .lines()
        .find_map(|line| line.strip_prefix("VmSize:"))?;
    let kilobytes: u64 = used.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(kilobytes.checked_mul(1024)?))
}

/// Returns, for each control group listed in `/proc/self/cgroup`, possible paths of the files that state the group's memory limit and memory use.
/// Within a container, the files of a control group are at the root of the control group file system.
fn cgroup_paths(groups: &str) -> Vec<[String; 2]> {
    let mut places = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else {
            continue;
        };
        let (root, limit, used) = if controllers.is_empty() {
            ("/sys/fs/cgroup", "memory.max", "memory.current")
        } else if controllers.split(',').any(|name| name == "memory") {
            let root = "/sys/fs/cgroup/memory";
            (root, "memory.limit_in_bytes", "memory.usage_in_bytes")
        } else {
            continue;
        };
        for folder in [format!("{root}{}", path.trim_end_matches('/')), root.into()] {
            places.push([format!("{folder}/{limit}"), format!("{folder}/{used}")]);
        }
    }
    places
}

/// Formats `bytes` in human-readable units.
pub fn readable(bytes: f64) -> String {
    let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) if bytes >= 1e6 * unit => format!("{:.1e} {name}", bytes / unit),
        Some((unit, name)) => format!("{:.1} {name}", bytes / unit),
        None => format!("{bytes:.0} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_asked() {
        let text = "MemTotal:       24684092 kB\nMemFree:  1 kB\nMemAvailable:   23957036 kB\n";
        assert_eq!(available(text), Some(23_957_036 * 1024));
        assert_eq!(available("MemTotal: 24684092 kB\n"), None);
        assert_eq!(available("MemAvailable: much\n"), None);
        assert!(available_bytes() > 0);
    }

    #[test]
    fn control_groups_of_both_versions_are_found() {
        let listed = cgroup_paths("9:cpu,memory:/jobs/7\n8:pids:/\n0::/user.slice\nnonsense\n");
        let limits: Vec<&str> = listed.iter().map(|[limit, _]| limit.as_str()).collect();
        assert_eq!(
            limits,
            [
                "/sys/fs/cgroup/memory/jobs/7/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                "/sys/fs/cgroup/user.slice/memory.max",
                "/sys/fs/cgroup/memory.max",
            ]
        );
        assert_eq!(listed[2][1], "/sys/fs/cgroup/user.slice/memory.current");
    }

    #[test]
    fn bytes_are_written_with_their_unit() {
        assert_eq!(readable(12.0), "12 bytes");
        assert_eq!(readable(40.2e9), "40.2 GB");
        assert_eq!(readable(1500.0), "1.5 kB");
        assert_eq!(readable(3e30), "3.0e18 TB");
    }

    #[test]
    fn the_address_space_may_be_limited() {
        let limits =
            "Max cpu time unlimited\nMax address space         4000000000 unlimited bytes\n";
        let status = "Name: figrs\nVmSize:\t 1000000 kB\n";
        assert_eq!(
            address_space(limits, status),
            Some(4_000_000_000 - 1_024_000_000)
        );
        assert_eq!(
            address_space("Max address space unlimited unlimited bytes", status),
            None
        );
        assert_eq!(address_space("", ""), None);
    }
}
