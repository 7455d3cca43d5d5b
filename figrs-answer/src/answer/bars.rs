//! Text charts: probabilities as horizontal bars.

use std::fmt;

/// Length, in characters, of the bar for the probability one.
const WIDTH: f64 = 40.0;

pub(super) fn write_bars(
    f: &mut fmt::Formatter<'_>,
    bars: &[(impl AsRef<str>, f64)],
) -> fmt::Result {
    let names = bars.iter().map(|(name, _)| name.as_ref().chars().count());
    let width = names.max().unwrap_or(0);
    for (name, p) in bars {
        let bar = "█".repeat((p * WIDTH).round() as usize);
        writeln!(f, "{:>width$} {p:8.6} {bar}", name.as_ref())?;
    }
    Ok(())
}
