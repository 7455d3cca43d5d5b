//! Finds the slowest tests of a run with `--report-time`.

/// Returns the slowest tests in the log of a run, with their seconds.
pub(crate) fn slowest(log: &str, most: usize) -> Vec<(f64, String)> {
    let mut tests: Vec<(f64, String)> = log.lines().filter_map(timed).collect();
    tests.sort_by(|one, other| other.0.total_cmp(&one.0));
    tests.truncate(most);
    tests
}

/// Parses a line such as `test name ... ok <1.234s>`.
fn timed(line: &str) -> Option<(f64, String)> {
    let (name, result) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let seconds = result.split_once('<')?.1.strip_suffix("s>")?;
    Some((seconds.parse().ok()?, name.to_owned()))
}
